#!/bin/sh
# Events of all sources are ordered by completion time, none more than 50 ms late.
# tier: quick full asan
# timeout: 300
# needs: root python3 prog:hyb prog:mem
. "$TESTS/lib/lib.sh"
backends=$(backends)
window=50000000 late=5000000 # late: between the clock that a record reads and its place in the ring
cat >order.py <<'P'
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
P
in_order() { python3 order.py "$1" "$2" >&9 || fail "not in order"; }

# tried ARG...: in order by every backend, with the faults and without; by ptrace alone strictly so.
tried() {
    for b in $backends; do
        run trace -q -v --backend=$b --json=json "$@"
        in_order json $([ $b = ptrace ] && echo 0 || echo $window)
        run trace -q -v --backend=$b --faults --json=json "$@"
        in_order json $((window + late))
    done
}
few=$(some 8 20 5) many=$(some 25 60 20)
tried -- "$BIN/hyb" calls 8 $many
tried -- "$BIN/hyb" bomb $many
tried -- "$BIN/hyb" execs $few
tried -- "$BIN/hyb" last 5
tried -- "$BIN/mem" all
tried -- sh -c 'for i in 1 2 3 4; do ls -l /etc >/dev/null & done; wait; python3 -c pass'
tried -e trace=%file -- sh -c 'ls -l /etc >/dev/null; for i in 1 2 3; do (sleep 0.1; ls >/dev/null) & done; wait'

# A reader that sleeps, a ring that is full, calls that end meanwhile.
cat >slow.py <<'P'
import shutil, time
with open("fifo", "rb", 0) as f, open("json", "wb") as out:
    for i in range(6):
        out.write(f.read(65536))
        time.sleep(0.2)
    shutil.copyfileobj(f, out)
P
mkfifo fifo
for b in $backends; do
    python3 slow.py 9>&- &
    kv trace -q -v --backend=$b --ring=64K --json=fifo -- "$BIN/hyb" limits $(some 500 1000 1000) >out 2>err
    wait $!
    in_order json $window
done

# Text: a call that lasts is begun in its time although others never rest.
for b in $backends; do
    rounds=2000
    [ $b = ptrace ] || rounds=30000
    case $KVIS in *asan*) rounds=$((rounds / 10)) ;; esac
    run trace -v --backend=$b -o text -- sh -c "sleep 0.6 & '$BIN/hyb' calls 2 $rounds; wait"
    awk '/^.[+]/ { at = substr($1, 3) + 0; if (at > most) most = at; if (most - at > worst) worst = most - at }
        END { print "text of", most, "s: at most", worst + 0, "s behind"; exit !(worst < 0.4 && most > 0.5) }' text >&9 ||
        fail "$b: text not in order"
done
