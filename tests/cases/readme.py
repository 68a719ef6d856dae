#!/usr/bin/env python3
# Each command in the table of README.md runs as written there, README.md is short, and kvis has at most the size that it names.
# tier: gate
# timeout: 160
# needs: root unshare strip
import os
import re
import signal
import subprocess
import sys

README = os.path.join(os.environ["TESTS"], "..", "README.md")
KVIS = os.environ["KVIS"]
# Without a command these show the whole machine, and go on until they are stopped. A test shows no processes of others.
BOUNDED = {"open": ["-p", "PID", "-d", "1"], "proc": ["-p", "PID", "-d", "1"], "monitor": ["-i", "0.1", "-n", "2"],
           "diagnose": ["-d", "2"]}
WORDS = {"CMD": "true", "FILE": "/etc/hostname"}


def commands(text):
    """The commands of the table of questions, in their order."""
    table = text.split("## What do you want to know?")[1].split("\n## ")[0]
    for row in re.findall(r"^\| .* \|$", table, re.M)[2:]:
        yield from re.findall(r"`(kvis [^`]*)`", row.split("|")[2])


def arguments(command, pid):
    words = [WORDS.get(word, word) for word in command.split()[1:]]
    if "--" not in words:
        words += BOUNDED.get(words[0], [])
    if words[:2] in (["trace", "-p"], ["trace", "--all"]):
        words += ["-d", "1"]
    return [pid if word == "PID" else word for word in words]


def run(words):
    # A network namespace of its own, where nobody has the port.
    alone = ["unshare", "-n"] if any(word.startswith("--listen") for word in words) else []
    done = subprocess.run([*alone, KVIS, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=60)
    print(done.returncode, words)
    if done.returncode and not (words[0] == "check" and done.returncode == 1):
        sys.exit(f"kvis {' '.join(words)}: status {done.returncode}: {done.stderr[-1000:]}")


def main():
    with open(README, encoding="utf-8") as file:
        text = file.read()
    if len(text.encode()) > 12 * 1024:
        sys.exit(f"README has {len(text.encode())} bytes")
    subprocess.run(["sh", os.path.join(os.environ["TESTS"], "lib", "static.sh"), KVIS], check=True)
    with open("Makefile", "w", encoding="utf-8") as file:
        file.write("all:\n\ttrue\n")
    rows = list(commands(text))
    if len(rows) < 20:
        sys.exit(f"README's table has {len(rows)} commands")
    for name in ("before", "after"):
        run(["trace", "-v", "-w", f"{name}.kvis", "--", "true"])
    sleeper = subprocess.Popen(["sleep", "600"])
    try:
        for row in rows:
            run(arguments(row, str(sleeper.pid)))
    finally:
        sleeper.send_signal(signal.SIGKILL)
        sleeper.wait()
    for command in re.findall(r"`(kvis help[^`]*)`", text):
        run(command.replace("COMMAND", "trace").split()[1:])


main()
