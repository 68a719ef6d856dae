#!/bin/sh
# Time on the run queue agrees with the scheduler's run_delay (within 2 %) and with runqlat.
# tier: quick
# timeout: 120
# needs: root python3 taskset /proc/self/schedstat
# alone: it counts time on the run queue
# covers: E14
. "$TESTS/lib/lib.sh"
run trace -q --backend=hybrid -- /bin/true
[ $st = 0 ] || skip "$(head -n 1 err)"
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
if command -v runqlat >/dev/null && runqlat --help 2>&1 | grep -q -- '--pidnss'; then
    runqlat -p "$(cat pid)" >lat 2>lat.err 9>&- &
    runqlat=$!
    watches() { cat /proc/$runqlat/fdinfo/* | grep -q '^prog_id'; }
    until_true 10 watches || { cat lat.err >&9; kill $runqlat; runqlat=; }
    sleep 1
fi
echo >go
wait $kvis || st=$?
kill $busy
[ -z "${runqlat-}" ] || { kill -INT $runqlat; wait $runqlat; }
status 0
cat >same.py <<'P'
import json, re, sys
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
print(f"run_delay {last - first} ns, kvis {ours} ns in waits of 10 us and more ({ours / (last - first) - 1:+.2%})")
assert last - first > 1e8, "it has not waited"
assert abs(ours - (last - first)) <= 0.02 * (last - first)
if len(sys.argv) > 1: # runqlat's: powers of two, of microseconds; from 16 on all are events of ours as well
    rows = [[int(x) for x in re.findall(r"\d+", line)[:3]] for line in open("lat") if "->" in line]
    go = min(at) - 10**8
    theirs = sum(n for low, _, n in rows if low >= 16)
    ours = sum(e["delay_ns"] >= 16000 and e["ts_ns"] > go for e in waits)
    print(f"waits of 16 us and more: runqlat {theirs}, kvis {ours}")
    assert theirs and abs(ours - theirs) <= 0.02 * theirs + 3
    long = sum(n for low, _, n in rows if low >= 1024), sum(e["delay_ns"] >= 1024000 and e["ts_ns"] > go for e in waits)
    print("of 1 ms and more: runqlat %d, kvis %d" % long)
    assert abs(long[0] - long[1]) <= 0.02 * long[0] + 3
P
python3 same.py ${runqlat:+runqlat} >&9 2>&1 || { [ ! -s lat ] || cat lat >&9; fail "other waits"; }
