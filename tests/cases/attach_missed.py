#!/usr/bin/env python3
# A descriptor that appeared without a call that kvis follows (here, a process with the same table opened it) is named in
# later calls. No call has the name of a file that got the number only afterwards.
# tier: gate
# timeout: 60
# needs: root
import os
import subprocess

from lib import eq, put, read, rows, start, until_true

FILES = ("first", "second")
CLONE = {"x86_64": 56}.get(os.uname().machine, 220)
PROGRAM = """import ctypes, os, threading
libc = ctypes.CDLL(None)
ask, answer = os.pipe(), os.pipe()
if not libc.syscall(CLONE, 0x400 | 17, 0, 0, 0, 0):  # CLONE_FILES | SIGCHLD
    for name in FILES:
        os.read(ask[0], 1)
        os.dup2(os.open(name, os.O_RDONLY), 50)
        os.write(answer[1], b"x")
    os._exit(0)
for n, name in enumerate(FILES):
    os.read(0, 1)
    os.write(ask[1], b"x")
    os.read(answer[0], 1)
    while not os.path.exists(name + ".seen"):
        os.pread(50, 1 + n, 0)
        libc.usleep(20000)
    os.close(50)
"""


def reads():
    """For each file, the first arguments of the calls that read it, by their sizes."""
    found = ([], [])
    for e in rows(partial=True):
        if e.get("name") == "pread64":
            found[int(e["args"][2]) - 1].append(e["args"][0])
    return found


for name in FILES:
    put(name, "xx")
words = PROGRAM.replace("FILES", repr(FILES)).replace("CLONE", str(CLONE))
program = subprocess.Popen(["python3", "-c", words], stdin=subprocess.PIPE)
until_true(20, lambda: read(f"/proc/{program.pid}/syscall").split()[1:2] == ["0x0"], "the program does not wait")
kvis = start("trace", "-v", "-o", "text", "--json=json", "-p", program.pid)
until_true(20, lambda: os.path.exists("text") and "kvis: tracing" in read("text"), "kvis does not trace")
for n, name in enumerate(FILES):
    program.stdin.write(b"x")
    program.stdin.flush()
    until_true(20, lambda: any("<" in arg for arg in reads()[n]), f"{name} has no name")
    put(name + ".seen", "")
eq("status of the program", 0, program.wait())
eq("status of kvis", 0, kvis.wait())
for name, labels in zip(FILES, reads()):
    eq("names", {"50", f"50<{os.getcwd()}/{name}>"}, set(labels) | {"50"})
