#!/bin/sh
# exec by a thread that is not the first, and a first thread that ends before the others, are traced correctly.
# tier: gate asan
# timeout: 60
# covers: P2 P3 P4
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v "-v --no-accel"; do
    each truth proc exec_thread leader_exit leader_exec
done
hasnt exec_thread/err "unfinished.*unfinished"
