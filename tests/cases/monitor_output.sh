#!/bin/sh
# kvis monitor ends correctly if an output breaks or an interval is at a limit.
# tier: quick
# timeout: 200
# needs: python3
. "$TESTS/lib/lib.sh"
for form in --json --csv -cload; do
    timeout 60 "$KVIS" monitor -i 0.1 $form 2>err 9>&- | head -n 1 >line
    [ -s line ] || fail "no line of $form"
    eq "$form, a reader that goes" "" "$(cat err)"
    "$KVIS" monitor -i 0.1 -n 3 $form >/dev/full 2>err 9>&-
    eq "$form, a full disk" "125 1" "$? $(grep -c 'cannot write stdout.*No space' err)"
done
"$KVIS" monitor -i 0.1 -n 1 >&- 2>err 9>&-
eq "closed stdout" 125 $?
gives 0 monitor -n 1 -i 0.05 -c cpu,stat,load,cpu, # a comma at the end is allowed
# an interval that is longer than the run: one line, of the time that has passed
gives 0 monitor -d 1 -i 5 --json=json -c load,psi
want 'len(E) == 1 and 0.2e9 < E[0]["interval_ns"] < 4e9'
want 'E[0]["load1"] >= 0 and "user_ratio" not in E[0] and {u["source"] for u in E[0]["unavailable"]} <= {"psi"}'
run monitor -d 2 -i 1 --json=json -c load
want '1 <= len(E) <= 2'
rm json
launch p.prom monitor -i 100000000 --json=json --prometheus=p.prom
finish TERM; status 0
want 'len(E) == 1 and S["intervals"] == 1'
# a pause longer than an interval leaves out times, and moves none
launch json monitor -i 1 -n 7 -c load --json=json
until_true 20 grep -q '"type":"sample"' json || fail "no line"
kill -STOP $kvis; sleep 1.4; kill -CONT $kvis # so that the second is half a second late, or so
finish
late='[(e["ts_ns"] - E[0]["ts_ns"] + 5e8) % 1e9 / 1e9 - .5 for e in E]'
say "late, in s: $(js "$late")"
# (one of five: had the pause moved them, all would be late; a busy machine makes some late)
want "min(abs(s) for s in $late[2:]) < .3"
want 'E[1]["interval_ns"] > 1.3e9 and min(e["interval_ns"] for e in E[2:]) < 1.3e9'
