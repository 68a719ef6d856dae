#!/bin/sh
# SIGHUP does not end a kvis that nohup(1) started, and the program that kvis starts ignores the signal as well.
# tier: gate
# timeout: 60
# needs: root
. "$TESTS/lib/lib.sh"
sleep 300 &
sleeper=$!
trap 'kill $sleeper' EXIT
for command in "trace -q -p $sleeper" "open -p $sleeper" "proc -p $sleeper" "monitor -c cpu"; do
    nohup "$KVIS" $command >out 2>err 9>&- &
    kvis=$!
    until grep -q '^SigCgt:.*[4567cdef]...$' /proc/$kvis/status; do # it waits to be set up: then it catches SIGTERM
        kill -0 $kvis || fail "$command: it has ended"
    done
    grep -q '^SigIgn:.*[13579bdf]$' /proc/$kvis/status || fail "$command: it does not ignore SIGHUP"
    kill -HUP $kvis
    kill -TERM $kvis
    wait $kvis
    st=$?
    say "$command: $st"
    [ "${command%% *}" = monitor ] || [ $st = 143 ] || fail "it ended by another signal: $st"
done
nohup "$KVIS" trace -q -- grep SigIgn /proc/self/status >out 2>err 9>&-
grep -q '[13579bdf]$' out || fail "the program finds SIGHUP not ignored"
