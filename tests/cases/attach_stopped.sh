#!/bin/sh
# A stopped process stays stopped while it is traced and afterwards.
# tier: gate
# timeout: 60
# covers: P8
. "$TESTS/lib/truth.sh"
all_stopped() { for t in /proc/$tee/task/*; do [ "$(state "${t#/proc/}")" = T ] || return 1; done; }
for how in "INT --backend=ptrace" "TERM --backend=ptrace" "TERM --backend=auto"; do
    end=${how%% *}
    target stopped
    eq "before" T "$(state "$tee")"
    attach -v ${how#* }
    sleep 0.2
    case $(state "$tee") in t | T) ;; *) fail "runs when attached to: $(state "$tee")" ;; esac
    kill -$end $kvis; wait $kvis
    until_true 2 untraced "$tee" || fail "still traced"
    until_true 2 all_stopped || fail "after $end: $(grep -h ^State: /proc/$tee/task/*/status)"
    sleep 0.1 # and remain so
    all_stopped || fail "runs after $end"
    kill -CONT "$tee"
    until_true 2 free "$tee" || fail "does not go on: $(state "$tee")"
    untarget
    has target.out '^end 800$'
done
for backend in ptrace auto; do
    target stopped
    attach -q --json=json --backend=$backend
    kill -CONT "$tee" # while it is traced
    sleep 0.2
    detach INT 0
    until_true 2 free "$tee" || fail "does not run: $(state "$tee")"
    untarget
done
