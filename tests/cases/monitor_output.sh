#!/bin/sh
# timeout: 60
# needs: python3
# covers: O2 O5
# Outputs that break, intervals at the ends of what there is, and how kvis monitor ends.
. "$TESTS/lib.sh"
for form in --json --csv -cload; do
    timeout 10 "$KVIS" monitor -i 0.1 $form 2>err 9>&- | head -n 1 >line
    [ -s line ] || fail "no line of $form"
    eq "$form, a reader that goes" "" "$(cat err)"
    "$KVIS" monitor -i 0.1 -n 3 $form >/dev/full 2>err 9>&-
    eq "$form, a full disk" "125 1" "$? $(grep -c 'cannot write stdout.*No space' err)"
done
"$KVIS" monitor -i 0.1 -n 1 >&- 2>err 9>&-
eq "closed stdout" 125 $?
for bad in 0 0.001 1e9 -1 x 1x . 100000001 ""; do
    run monitor -n 1 -i "$bad"
    status 2
done
for bad in nope cpu,nope ,cpu ""; do
    run monitor -n 1 -c "$bad"
    status 2
done
run monitor -n 1 --json --csv
status 2
run monitor ls
status 2
# an interval that is longer than the run: one line, of the time that has passed
run monitor -d 1 -i 5 --json=json -c load,psi
status 0
want 'len(E) == 1 and 0.9e9 < E[0]["interval_ns"] < 1.9e9'
want 'E[0]["load1"] >= 0 and "user_ratio" not in E[0] and {u["source"] for u in E[0]["unavailable"]} <= {"psi"}'
"$KVIS" monitor -i 100000000 --json=json >out 2>err 9>&- &
kvis=$!
sleep 0.7
kill -TERM $kvis
wait $kvis
eq "status" 0 $?
want 'len(E) == 1 and S["intervals"] == 1'
# a pause longer than an interval leaves out times, and moves none
"$KVIS" monitor -i 0.5 -n 4 -c load --json=json >out 2>err 9>&- &
kvis=$!
sleep 0.7
kill -STOP $kvis; sleep 1.1; kill -CONT $kvis
wait $kvis
want '[round(e["ts_ns"] / 5e8) for e in E][2:] == [n for n in range(9) if n * 5e8 > E[1]["ts_ns"]][:2]'
want 'all(e["ts_ns"] % 5e8 < 2e8 for i, e in enumerate(E) if i != 1)'
