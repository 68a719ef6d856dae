"""Used by the case hybrid_where.
waits.py RECORDS TID: prints an upper bound of the total time of those waits of a thread for a CPU whose end perf did not see.
RECORDS is the output of `perf script --ns -F time,event,trace` for sched_switch and sched_wakeup.

A switch may hit no tracepoint: then neither perf nor kvis sees the end of a wait, but run_delay of /proc/PID/schedstat
includes it. The wait ended before the thread left the CPU."""
import re
import sys

path, tid = sys.argv[1], int(sys.argv[2])
unseen = 0
began, runs = None, False  # began: since when it waits; None: it runs or sleeps
for line in open(path):
    seconds, ns, event, text = re.match(r"\s*(\d+)\.(\d{9}): +sched:(\w+): (.*)", line).groups()
    now = int(seconds) * 10**9 + int(ns)
    if event == "sched_wakeup":
        if int(re.search(r"\bpid=(\d+)", text)[1]) == tid and began is None and not runs:
            began = now
        continue
    prev, state, next_ = re.search(r"prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)", text).groups()
    if int(prev) == tid:
        if began is not None:
            unseen += now - began
        began, runs = now if state.startswith("R") else None, False
    if int(next_) == tid:
        began, runs = None, True
print(unseen)
