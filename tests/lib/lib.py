"""Used by cases that are Python programs: the equivalent of lib.sh.
`assert` and fail() end a case as failed, skip() as skipped; the log has the command line of each kvis that was run."""
import os
import re
import signal
import subprocess
import sys
import time

import j

KVIS, BIN, TESTS, OUT = (os.environ[name] for name in ("KVIS", "BIN", "TESTS", "OUT"))
CWD = os.getcwd()


def say(*words):
    print(*words, flush=True)


def fail(why):
    say("FAIL:", why)
    sys.exit(1)


def skip(why):
    say(why)
    sys.exit(77)


def shown(text):
    """The first and the last lines of an output, cut to a width."""
    lines = [line[:300] for line in text.splitlines()]
    return "\n".join(lines if len(lines) <= 24 else [*lines[:12], "...", *lines[-12:]])


class Run:
    """A run of kvis: its exit status (negative: a signal) and its output."""

    def __init__(self, done):
        self.st, self.out, self.err = done.returncode, done.stdout, done.stderr

    def fail(self, why):
        fail(f"{why}; status {self.st}\n--- out:\n{shown(self.out)}\n--- err:\n{shown(self.err)}")

    def status(self, want):
        if self.st != want:
            self.fail(f"exit status: want {want}")
        return self


def run(*words, binary=None, **more):
    """kvis with these arguments and no input; `more` is subprocess.run's."""
    say("$ kvis", *words)
    more = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "errors": "replace"} | more
    return Run(subprocess.run([binary or KVIS, *map(str, words)], **more))


def start(*words, **more):
    """kvis in the background."""
    say("$ kvis", *words, "&")
    return subprocess.Popen([KVIS, *map(str, words)], stdin=subprocess.DEVNULL, **more)


def end(process, how=signal.SIGINT):
    """Sends kvis a signal, and returns its exit status."""
    process.send_signal(how)
    return process.wait()


def rows(path="json", partial=False):
    """The objects of kvis's JSON lines, read strictly (lib/j.py): header, events, summary."""
    with open(path, "rb") as stream:
        try:
            return j.load(stream, partial)
        except ValueError as error:
            fail(f"{path}: bad JSON lines: {error}")


def read(path):
    with open(path, errors="replace") as f:
        return f.read()


def put(path, content):
    """A file with this text, or these bytes."""
    with open(path, "w" if isinstance(content, str) else "wb") as f:
        f.write(content)


def has(text, regex):
    if not re.search(regex, text, re.M):
        fail(f"nothing matches {regex} in:\n{shown(text)}")


def hasnt(text, regex):
    if found := re.search(regex, text, re.M):
        fail(f"something matches {regex}: {found[0]}")


def eq(what, want, got):
    if want != got:
        fail(f"{what}: want {want!r}, got {got!r}")


def some(few, full, asan):
    """How many of something: in the tiers gate and quick, with FULL=1 (tier full), with the sanitizers."""
    return asan if "asan" in KVIS else full if os.environ.get("FULL") == "1" else few


def until_true(seconds, condition, why):
    """Waits for a condition. The seconds are enough on an idle machine; six times that passes before it fails."""
    last = time.monotonic() + 6 * seconds
    while not condition():
        if time.monotonic() > last:
            fail(why() if callable(why) else why)
        time.sleep(0.05)


def backends():
    hybrid = run("trace", "-q", "--backend=hybrid", "--", "true").st == 0
    return ["ptrace", "hybrid"] if hybrid else ["ptrace"]
