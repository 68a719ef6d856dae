#!/bin/sh
# However kvis monitor ends, none of its BPF programs and maps remains, and its output file is complete.
# tier: gate
# timeout: 120
# needs: root bpftool python3
. "$TESTS/lib/lib.sh"
start() { # start ARG...: kvis in $kvis, when its first interval is out; the ids of what it has in the kernel
    launch text monitor -i 0.05 --prometheus=p.prom -o text "$@"
    bpf_ids $kvis >ids
}
start -c runq,block
grep -q prog ids && grep -q map ids || { kill $kvis; skip "no programs here: $(head -n 3 text)"; }
trap 'kill -KILL $kvis $one $reader 2>/dev/null' EXIT
one= reader=
finish TERM
for sig in INT TERM KILL HUP; do
    start
    bpf_gone ids && fail "its programs are not to be seen while it runs"
    finish $sig
    until_true 10 bpf_gone ids || fail "SIG$sig: something is left of: $(cat ids)"
    [ "$(tail -c 1 p.prom | od -An -c | tr -d ' ')" = '\n' ] || fail "SIG$sig: half a file"
    rm -f p.prom.*
done
# Two: the end of one is nothing to the other.
start -c runq --json=json
one=$kvis
start -c runq
finish KILL
lines=$(wc -l <json)
more() { [ "$(wc -l <json)" -gt $((lines + 10)) ]; }
until_true 10 more || fail "the first has stopped"
kill -INT $one
wait $one
want 'all(e["switches_per_second"] > 0 for e in E[-5:])'
# A reader that has it wait: Ctrl-C ends it at once.
mkfifo slow
sleep 100 <slow 9>&- &
reader=$!
"$KVIS" monitor -i 0.01 --per-cpu --json=slow -o /dev/null 9>&- &
kvis=$!
held() { [ "$(state $kvis)" = S ] && [ "$(cat /proc/$kvis/io | sed -n 's/^wchar: //p')" = "$was" ]; }
until_true 20 eval 'was=$(sed -n "s/^wchar: //p" /proc/$kvis/io); sleep 0.3; held' || fail "it is not held up"
kill -INT $kvis
until_true 5 eval '! kill -0 $kvis || [ "$(state $kvis)" = Z ]' || fail "it goes on waiting"
wait $kvis
kill $reader
wait $reader
:
