#!/usr/bin/env python3
"""Used by the case order.
order.py FILE WINDOW_NS: checks that the events of a JSON trace are ordered by completion time, and none is late by more than
the window. Prints the number of late events, and the largest delay."""
import json, sys
from collections import Counter

last, last_at, back, worst, n = 0, "", Counter(), (0, ""), 0
for line in open(sys.argv[1], errors="replace"):
    e = json.loads(line)
    if "ts_ns" not in e or e.get("duration_ns", 0) is None:
        continue  # a call that never returned has no end
    n += 1
    end, what = e["ts_ns"] + e.get("duration_ns", 0), e["type"]
    if end < last:
        back[f"{what} behind {last_at}"] += 1
        worst = max(worst, (last - end, f"{what} {e.get('name', '')} behind {last_at}"))
    else:
        last, last_at = end, what
print(f"{n} events, {sum(back.values())} behind, at most {worst[0]} ns ({worst[1]})", dict(back.most_common(8)))
sys.exit(worst[0] > int(sys.argv[2]))
