#!/bin/sh
# Programs with their own seccomp filters, in strict seccomp mode, or with syscall user dispatch (as used by Wine) behave as if
# untraced, and their calls have the right results. A program that traces its own child cannot do so under kvis; it continues, and kvis
# reports this once.
# tier: gate asan
# timeout: 150
. "$TESTS/lib/truth.sh"
for KVOPT in -v "-v --no-accel"; do
    each same sec errno log trap kill trace notify strict answers
    [ "$(uname -m)" != x86_64 ] || each same sec sud
done
for KVOPT in -q "-q --backend=ptrace -e trace=getpgid" "-q -c"; do # with a filter of kvis's, that stops few calls
    same sec answers
done
run trace -e trace=openat,getpgid -- "$BIN/sec" trace # with our filter for just those
grep -c 'for a tracer: -1 Function not implemented' out | grep -qx 5 || fail "a RET_TRACE of the program's own"

KVOPT=
each same sec tracer
eq "lines that say so" 1 "$(grep -ci '^kvis: .*ptrace' tracer/err)"
want "'went on' in str(by('open'))" tracer/json
