#!/usr/bin/env python3
# Resident memory over time, and the peak of each process, agree with the program's own readings, with both backends and in
# every output.
# tier: gate asan
# timeout: 60
# needs: python3
import re
import sys

import perfetto
from lib import put, rows, run

# The program prints its resident memory, and waits until kvis has reported the same.
GROW = """
import os, re, time
page = os.sysconf("SC_PAGESIZE")
def told():
    found = re.findall(r'"pid":%d,.*"type":"rss","bytes":(\\d+)' % os.getpid(), open("json").read())
    return int(found[-1]) if found else 0
def still(name):
    size = int(open("/proc/self/statm").read().split()[1]) * page
    print(name, size, flush=True)
    end = time.monotonic() + 30
    while abs(told() - size) > 1 << 20 and time.monotonic() < end:
        time.sleep(0.1)
still("small")
b = bytearray(b"x" * (64 << 20))
still("large")
del b
still("small_again")
"""
LARGE = 60 << 20
# Each process says its own peak: a parent of larger children; one that is killed; one with threads that live; one whose
# first thread ends before it grows (its peak is then unknown); one that executes a program from another thread.
PEAKS = """
import ctypes, os, platform, re, signal, sys, threading, time
nr = {"x86_64": 60}.get(platform.machine(), 93)
def touch(mb):
    b"x" * (mb << 20)
def tell(name):
    kb = re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]
    os.write(1, f"{name} {os.getpid()} {int(kb) << 10}\\n".encode())
def child(name, mb, end):
    pid = os.fork()
    if pid == 0:
        touch(mb)
        tell(name)
        end()
        os._exit(0)
    os.waitpid(pid, 0)
def threads():
    for i in range(3):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
def grow():
    while "Z" not in open("/proc/self/stat").read():
        time.sleep(0.01)
    touch(64)
    os._exit(0)
def alone():
    threading.Thread(target=grow).start()
    ctypes.CDLL(None).syscall(nr, 0)
def another():
    threading.Thread(target=os.execv, args=(sys.executable, [sys.executable, "peaks.py", "executed"])).start()
    time.sleep(60)
if len(sys.argv) > 1:
    sys.exit(tell("executed"))
child("large", 96, lambda: None)
child("killed", 64, lambda: os.kill(os.getpid(), signal.SIGKILL))
child("threads", 32, threads)
child("alone", 8, alone)
child("executes", 48, another)
tell("parent")
"""


def near(a, b):
    return abs(a - b) <= 1 << 20  # the print after it takes some


def check(facts):
    events = rows()
    pid = events[1]["pid"]
    told = [(e["ts_ns"], e["bytes"]) for e in events if e["type"] == "rss" and e["pid"] == pid]
    assert told and told == sorted(told), told
    for name, want in facts.items():
        assert any(near(v, want) for _, v in told), (name, want, told)
    assert max(v for _, v in told) - facts["small"] > LARGE, told
    last = max(i for i, (_, v) in enumerate(told) if v - facts["small"] > LARGE)
    # A process that ends frees its memory: later values are lower.
    assert any(near(v, facts["small_again"]) for _, v in told[last + 1:]), told
    assert all(v < facts["small_again"] + LARGE for _, v in told[last + 1:]), told
    ends = [e["ts_ns"] for e in events if e["type"] == "exit_process"]
    assert all(t <= ends[-1] for t, _ in told)
    every = sorted(e["bytes"] for e in events if e["type"] == "rss")  # of what python3 may be called by, too
    drawn = sorted(e["args"]["bytes"] for e in perfetto.load("p")[1] if e["ph"] == "C" and e["name"] == "RSS")
    assert drawn == every, (drawn, every)


def check_peaks(facts, summary):
    got = {e["pid"]: e.get("max_rss_bytes") for e in rows() if e["type"] == "exit_process"}
    for name, pid, peak in facts:
        if name == "alone":
            assert got[int(pid)] is None, got
        elif name != "executes":
            assert near(got[int(pid)], int(peak)), (name, got[int(pid)], peak)
    assert [f[1] for f in facts if f[0] == "executes"] == [f[1] for f in facts if f[0] == "executed"]
    assert summary["peak_rss_bytes"] == max(filter(None, got.values())) == got[int(facts[0][1])], summary


def traced(backend, kinds, *command):
    """Returns the command's output while it is traced. Checks that a replay has the same memory."""
    kvis = run("trace", "-q", f"--backend={backend}", "-w", "r.kvis", "--json=json", "--perfetto=p", "--", sys.executable,
               *command).status(0)
    run("replay", "--json=again", "r.kvis").status(0)
    live, again = ([(e["type"], e.get("bytes"), e.get("max_rss_bytes"), e.get("peak_rss_bytes")) for e in rows(f)
                    if e["type"] in kinds] for f in ("json", "again"))
    assert live == again, f"{backend}: replayed, it is something else"
    return [line.split() for line in kvis.out.splitlines()]


put("peaks.py", PEAKS)
for backend in ("ptrace", "auto"):
    check_peaks(traced(backend, ("exit_process", "summary"), "peaks.py"), rows()[-1])
    check({name: int(size) for name, size in traced(backend, ("rss",), "-c", GROW)})
run("trace", "-q", "--json=json", "--", "sleep", "0.3").status(0)
assert not [e for e in rows() if e["type"] == "rss"], "nobody asked for it"
