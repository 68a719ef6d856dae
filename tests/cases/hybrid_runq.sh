#!/bin/sh
# Time on the run queue agrees with perf's records of the scheduler and with run_delay (within 2 %).
# run_delay also includes waits whose end hit no tracepoint: see lib/waits.py.
# tier: quick
# timeout: 120
# needs: root python3 perf taskset unshare /proc/self/schedstat
# alone: it counts time on the run queue
# covers: E14
. "$TESTS/lib/lib.sh"
needs_hybrid
cpu=$(taskset -pc $$ | sed 's/.*[^0-9]//')
mkfifo go
cat >starved <<'P'
echo $$ >pid
read x <go
read ran delay slices </proc/$$/schedstat; echo $delay
i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done
i=0; while [ $i -lt 60 ]; do sleep 0.01; i=$((i + 1)); done
read ran delay slices </proc/$$/schedstat; echo $delay
P
taskset -c "$cpu" sh -c 'while :; do :; done' 9>&- &
busy=$!
"$KVIS" trace -q -v --json=json -- taskset -c "$cpu" sh starved >out 2>err 9>&- &
kvis=$!
until_true 10 test -s pid || fail "not started"
cat >record <<'P'
p=$(cat pid)
perf record -a -k CLOCK_MONOTONIC -e sched:sched_switch --filter "prev_pid == $p || next_pid == $p" -e sched:sched_wakeup \
    --filter "pid == $p" -o perf.data sh -c 'echo >go; until [ -e ended ]; do sleep 0.05; done' >perf.err 2>&1 && exit
kill $p
exit 1
P
unshare -m sh record 9>&- & # (perf mounts tracefs, and leaves it)
perf=$!
wait $kvis || st=$?
kill $busy
: >ended
wait $perf || fail "perf record: $(cat perf.err)"
status 0
perf script -i perf.data --ns -F time,event,trace >records 2>perf.err || fail "perf script: $(cat perf.err)"
cat >same.py <<'P'
import json, time
from waits import waits as records_of
E = [json.loads(line) for line in open("json")]
S, tid = E[-1], int(open("pid").read())
# A number is of the moment of the first read of the file; between that and the open the shell may have waited.
mine = [e for e in E if e["type"] in ("open", "syscall") and e["tid"] == tid]
opens = [k for k, e in enumerate(mine) if e["type"] == "open" and e["path"].endswith("/schedstat")]
at = [next(e["ts_ns"] for e in mine[k:] if e.get("name") == "read") for k in opens]
first, last = (int(x) for x in open("out"))
assert len(at) == 2 and S["lost"] == 0, (at, S["lost"])
waits = [e for e in E if e["type"] == "sched_delay" and e["tid"] == tid]
ours = sum(e["delay_ns"] for e in waits if at[0] < e["ts_ns"] <= at[1])
start = E[0]["start_realtime_ns"] - (time.time_ns() - time.monotonic_ns())
theirs, unseen = ([ns for end, ns in part if at[0] < end - start <= at[1]] for part in records_of("records", tid))
theirs, unseen = sum(ns for ns in theirs if ns >= 10000), sum(unseen)
print(f"waits of 10 us and more: perf {theirs} ns, kvis {ours} ns ({ours / theirs - 1:+.2%})")
assert abs(ours - theirs) <= 0.02 * theirs
print(f"run_delay {last - first} ns ({ours / (last - first) - 1:+.2%}), of which up to {unseen} ns ended at no tracepoint")
assert last - first > 1e8, "it has not waited"
assert -0.02 * (last - first) - unseen <= ours - (last - first) <= 0.02 * (last - first)
P
python3 same.py >&9 2>&1 || fail "other waits"
