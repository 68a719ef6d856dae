#!/bin/sh
# SIGHUP does not end a kvis that nohup(1) started, and the program that kvis starts ignores the signal as well.
# tier: gate
# timeout: 60
# needs: root
. "$TESTS/lib/lib.sh"
ignores() { # PID: whether it ignores SIGHUP and no longer waits to be set up: it catches SIGTERM
    sed -n 's/^SigIgn:.*\(.\)$/ign \1/p; s/^SigCgt:.*\(.\)...$/cgt \1/p' "/proc/$1/status"
}
sleep 300 &
sleeper=$!
trap 'kill $sleeper' EXIT
for command in "trace -q -p $sleeper" "open -p $sleeper" "proc -p $sleeper" "monitor -c cpu"; do
    # shellcheck disable=SC2086
    nohup "$KVIS" $command >out 2>err 9>&- &
    kvis=$!
    until ignores $kvis | grep -q 'cgt [4567cdef]'; do
        kill -0 $kvis || fail "$command: it has ended"
    done
    ignores $kvis | grep -q 'ign [13579bdf]' || fail "$command: it does not ignore SIGHUP"
    kill -HUP $kvis
    kill -TERM $kvis
    wait $kvis
    st=$?
    say "$command: $st"
    [ "${command%% *}" = monitor ] || [ $st = 143 ] || fail "it ended by another signal: $st"
done
nohup "$KVIS" trace -q -- grep SigIgn /proc/self/status >out 2>err 9>&-
grep -q '[13579bdf]$' out || fail "the program finds SIGHUP not ignored"
