#!/usr/bin/env python3
# Each command in the table of README.md runs as written there, README.md is short, and kvis has at most the size that it names.
# tier: gate
# timeout: 160
# needs: root unshare strip
import re
import subprocess

from lib import KVIS, TESTS, Run, put, read

README = f"{TESTS}/../README.md"
# Without a command these show the whole machine, and go on until they are stopped. A test shows no processes of others.
BOUNDED = {"open": ["-p", "PID", "-d", "1"], "proc": ["-p", "PID", "-d", "1"], "monitor": ["-i", "0.1", "-n", "2"],
           "diagnose": ["-d", "2"]}
WORDS = {"CMD": "true", "FILE": "/etc/passwd"}


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


def run_here(words):
    # A network namespace of its own, where nobody has the port.
    alone = ["unshare", "-n"] if any(word.startswith("--listen") for word in words) else []
    done = Run(subprocess.run([*alone, KVIS, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60))
    if done.st and not (words[0] == "check" and done.st == 1):
        done.fail(" ".join(words))


text = read(README)
assert len(text.encode()) <= 12 * 1024
subprocess.run(["sh", f"{TESTS}/lib/static.sh", KVIS], check=True)
put("Makefile", "all:\n\ttrue\n")
rows = list(commands(text))
assert len(rows) >= 20, rows
for name in ("before", "after"):
    run_here(["trace", "-v", "-w", f"{name}.kvis", "--", "true"])
sleeper = subprocess.Popen(["sleep", "600"])
try:
    for row in rows:
        run_here(arguments(row, str(sleeper.pid)))
finally:
    sleeper.kill()
    sleeper.wait()
for command in re.findall(r"`(kvis help[^`]*)`", text):
    run_here(command.replace("COMMAND", "trace").split()[1:])
