#!/bin/sh
# Tracees that are killed by another process at any point of a call are reported as killed.
# tier: gate asan
# timeout: 60
# covers: P13
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v; do
    truth proc killed 40
done

# The call in which a program was killed took its time.
cat >slept.sh <<'END'
sleep 60 &
until read comm </proc/$!/comm && [ "$comm" = sleep ] && read pid name state rest </proc/$!/stat && [ "$state" = S ]; do :; done
sleep 0.3
kill -9 $!
wait
END
for backend in hybrid ptrace; do
    run trace -v --backend=$backend --json=json -- sh slept.sh
    [ $backend:$st != hybrid:125 ] || { say "$(head -n 1 err)"; continue; }
    want '[c["duration_ns"] > 0.59e9 for c in S["time_in_calls"] if c["name"] == "clock_nanosleep"] == [True]'
done
