#!/usr/bin/env python3
"""Used by the case proc_critical.
critical.py PROC.json COMMAND_PID: computes the critical path of a `kvis proc --forks --json` run from its rows, by the
definition in the manual, and compares it with the summary. Prints its pids."""
import json
import sys

rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
summary, root = rows[-1], int(sys.argv[2])
steps, rows_of = [], {}  # a step is a command, or a process that never called exec: (begin, end, pid, ppid)
for e in rows[1:-1]:
    if e["type"] in ("command", "process") and e["end"] in ("exit", "signal", "exec"):
        s = (e["start_ns"], e["ts_ns"], e["pid"], e["ppid"])
        steps.append(s)
        rows_of.setdefault(e["pid"], []).append(e["duration_ns"])
mine = sorted(s for s in steps if s[2] == root)
assert mine, "the command's end is not in the rows"
own = {}


def walk(step):
    """What the end of a command waited for: the child that ended last, and before that one began the one before."""
    begin, t, pid, _ = step
    own[pid, begin] = t - begin
    while True:
        ended = [s for s in steps if s[3] == pid and begin <= s[0] and s[1] <= t and (s[2], s[0]) not in own]
        if not ended:
            return
        last = max(ended, key=lambda s: s[1])
        own[pid, begin] -= last[1] - last[0]
        t = last[0]
        walk(last)


for step in reversed(mine):
    walk(step)
told = {(s["pid"], s["start_ns"]): s["self_ns"] for s in summary["critical_path"]}
assert told == own, f"told {told}\nfound {own}"
assert sum(told.values()) == mine[-1][1] - mine[0][0], "the parts are not the whole"
assert all(told[p, b] <= max(rows_of[p]) for p, b in told), "a share that is longer than its row"
starts = [s["start_ns"] for s in summary["critical_path"]]
assert starts == sorted(starts), "not by time"
print(*(p for p, _ in own))
