#!/usr/bin/env python3
"""Used by the case proc_critical.
critical.py PROC.json COMMAND_PID: the critical path of a `kvis proc --forks --json` run, computed anew
from its rows by its definition (README), is what the summary says. Prints its pids."""
import json
import sys

rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
summary, root = rows[-1], int(sys.argv[2])
procs = {}
for e in rows[1:-1]:
    if e["type"] in ("command", "process") and e["end"] in ("exit", "signal"):
        procs[e["pid"]] = (e["fork_ns"], e["ts_ns"], e["ppid"])
assert root in procs, "the command's end is not in the rows"
own = {}


def walk(pid):
    begin, t, _ = procs[pid]
    own[pid] = t - begin
    children = [p for p in procs if procs[p][2] == pid and procs[p][0] >= begin]
    while True:
        ended = [p for p in children if procs[p][1] <= t and p not in own]
        if not ended:
            return
        last = max(ended, key=lambda p: procs[p][1])
        own[pid] -= procs[last][1] - procs[last][0]
        t = procs[last][0]
        walk(last)


walk(root)
told = {s["pid"]: s["self_ns"] for s in summary["critical_path"]}
assert told == own, f"told {told}\nfound {own}"
begin, end, _ = procs[root]
assert sum(told.values()) == end - begin, "the parts are not the whole"
starts = [s["start_ns"] for s in summary["critical_path"]]
assert starts == sorted(starts), "not by time"
print(*own)
