#!/usr/bin/env python3
"""Used by the case order.
order.py FILE WINDOW_NS: checks that the events of a JSON trace are ordered by completion time, and none is late by more than
the window. Prints the largest delay."""
import json, sys

last, worst = 0, (0,)
for line in open(sys.argv[1], errors="replace"):
    e = json.loads(line)
    if "ts_ns" in e and e.get("duration_ns", 0) is not None:  # a call that never returned has no end
        end = e["ts_ns"] + e.get("duration_ns", 0)
        worst = max(worst, (last - end, e["type"], e.get("name")))
        last = max(last, end)
print("at most this late, in ns:", *worst)
sys.exit(worst[0] > int(sys.argv[2]))
