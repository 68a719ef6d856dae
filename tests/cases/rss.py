#!/usr/bin/env python3
# Resident memory over time is what the program itself reads, with both backends and in every output.
# tier: quick asan
# timeout: 60
# needs: python3
import json
import sys

from lib import read, rows, run

# It says what it has, and waits until kvis has told the same.
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
    # The process that ends gives its memory back: what is told then is less.
    assert any(near(v, facts["small_again"]) for _, v in told[last + 1:]), told
    assert all(v < facts["small_again"] + LARGE for _, v in told[last + 1:]), told
    ends = [e["ts_ns"] for e in events if e["type"] == "exit_process"]
    assert all(t <= ends[-1] for t, _ in told)
    every = sorted(e["bytes"] for e in events if e["type"] == "rss")  # of what python3 may be called by, too
    with open("p.json") as f:
        drawn = sorted(e["args"]["bytes"] for e in json.load(f)["traceEvents"] if e["ph"] == "C" and e["name"] == "RSS")
    assert drawn == every, (drawn, every)


for backend in ("ptrace", "auto"):
    kvis = run("trace", "-q", f"--backend={backend}", "-w", "r.kvis", "--json=json", "--perfetto=p.json", "--",
               sys.executable, "-c", GROW).status(0)
    check({name: int(size) for name, size in (line.split() for line in kvis.out.splitlines())})
    run("replay", "--json=again", "r.kvis").status(0)
    live, again = ([line for line in read(f).splitlines() if '"type":"rss"' in line] for f in ("json", "again"))
    assert live == again, f"{backend}: replayed, it is something else"
run("trace", "-q", "--json=json", "--", "sleep", "0.3").status(0)
assert not [e for e in rows() if e["type"] == "rss"], "nobody asked for it"
