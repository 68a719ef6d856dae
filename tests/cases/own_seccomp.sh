#!/bin/sh
# Programs with seccomp filters of their own behave as untraced, and their calls have their results.
# tier: gate asan
# timeout: 120
# covers: P23 P24
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel"; do
    each same sec errno log trap kill trace notify strict answers
done
for KVOPT in -q "-q --backend=ptrace -e trace=getpgid" "-q -c"; do # with a filter of kvis's, that stops few calls
    same sec answers
done
run trace -e trace=openat,getpgid -- "$BIN/sec" trace # with our filter for just those
grep -c 'for a tracer: -1 Function not implemented' out | grep -qx 5 || fail "a RET_TRACE of the program's own"
