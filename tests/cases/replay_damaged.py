#!/usr/bin/env python3
# A damaged, truncated or foreign recording is reported with its offset, and all blocks before the damage are shown.
# tier: gate full asan
# timeout: 120
# needs: python3
import bisect
import os
import random
import re
import signal
import subprocess
from pathlib import Path

import recording
from lib import KVIS, end, fail, has, put, read, rows, run, some, start, until_true


def kvis(*words):
    """Runs kvis without a line in the log, because there are hundreds of runs."""
    return subprocess.run([KVIS, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


run("trace", "-v", "-w", "ok.kvis", "--json=live", "--", "sh", "-c", "ls / >/dev/null; for i in 1 2 3 4 5 6; do : >f; sleep 0.12; done").status(0)  # a pause ends a block
run("replay", "-v", "--json=whole", "ok.kvis").status(0)
data, whole = Path("ok.kvis").read_bytes(), read("whole").split("\n")

# A recorded text with terminal control sequences, also after a NUL; the checksums of the blocks are right.
was = b"3</etc/ld.so.cache>"
evil = b"3\0\x1b[31m\xc2\x9b5m\xffevil>"[:len(was)].ljust(len(was), b"!")
assert was in data
put("evil.kvis", recording.join(data[:recording.HEAD], [block.replace(was, evil) for _, block in recording.blocks(data)]))
done = kvis("replay", "-v", "--color=never", "--json=evil.json", "evil.kvis")
text = done.stderr
assert done.returncode == 0 and b"3??[31m??5m?evil" in text, text[-300:]
assert not [c for c in text if c < 32 and c != 10 or c in (127, 255)] and b"\xc2\x9b" not in text, "it acts on the terminal"


def damaged(torn, what, at):
    """The number of events that kvis shows. Each must equal that of the undamaged recording."""
    put("bad.kvis", torn)
    done = kvis("replay", "-v", "--json=bad", "bad.kvis")
    if done.returncode not in (1, 125) or b"bad.kvis: " not in done.stderr:
        fail(f"{what} {at}: status {done.returncode}: {done.stderr[-300:]}")
    if (told := re.search(rb"at offset (\d+)", done.stderr)) and int(told[1]) > at + 8:
        fail(f"{what} {at}: {done.stderr[-300:]}")
    lines = read("bad").split("\n") if done.returncode == 1 else [""]
    if lines[:-1] != whole[:len(lines) - 1]:
        fail(f"{what} {at}: an event that was not there")
    return len(lines) - 1


ends = [at for at, _ in recording.blocks(data)] + [len(data)]  # offsets at which the head and each block end
assert len(ends) > 5, ends
around = [n for end in ends[::some(16, 8, 16)] for n in range(end - 9, end + 9) if n < len(data)]
random.seed(1)
shown = {}  # by the number of whole blocks: the events that are shown
middle = len(ends) // 2
for n in sorted({*range(0, 40), *around, ends[middle - 1], *random.sample(range(len(data)), some(40, 100, 40))}):
    events = damaged(data[:n], "cut at", n)
    if events != shown.setdefault(bisect.bisect_right(ends, n), events):
        fail(f"cut at {n}: {events} events, another cut of this block shows {shown}")
if list(shown.values()) != sorted(shown.values()) or not max(shown.values()) > shown[middle] > 0:
    fail(f"blocks before the damage are not all shown: {shown}")
for n in {*around, *random.sample(range(len(data)), some(40, 100, 40))}:
    bent = bytearray(data)
    bent[n] ^= 1 << random.randrange(8)
    damaged(bytes(bent), "flipped at", n)
# Truncated within the summary: no table, page or comparison uses the missing numbers.
TO_ALL = "replay -C --json=bad --report=bad.html --perfetto=bad.pf -w bad2.kvis".split()
for n in random.sample(range(len(data) - 3000, len(data)), some(10, 25, 10)):
    put("bad.kvis", data[:n])
    for how, status in (TO_ALL, 1), (["diff", "ok.kvis"], 125):
        done = kvis(*how, "bad.kvis")
        if done.returncode != status or b"bad.kvis: truncated at" not in done.stderr:
            fail(f"cut at {n}: {how[0]}: status {done.returncode}: {done.stderr[-300:]}")
has(run("replay", "-c", "ok.kvis").status(0).err, "openat")
# kvis is killed in the middle: the recording can be read up to there.
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
killed = start("trace", "-v", "-w", "killed.kvis", "--", "sh", "-c", "while :; do : <f; done", **quiet)
until_true(10, lambda: os.path.exists("killed.kvis") and os.path.getsize("killed.kvis") > 20000, "no recording")
end(killed, signal.SIGKILL)
has(run("replay", "-v", "--json=json", "killed.kvis").status(1).err, "truncated at offset|only the events before")
assert sum(e.get("name") == "openat" for e in rows("json", partial=True)) > 10, "nothing of it"
