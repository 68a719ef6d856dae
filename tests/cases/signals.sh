#!/bin/sh
# Signals arrive as in an untraced program: order, siginfo, masks, restarts, and the program's own traps. A stopped program stays
# stopped and a continued one runs, in any order and with any number of threads.
# tier: gate
# timeout: 240
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v "-v --no-accel"; do
    each same sig rt restart faults waits
done
has faults/err 'signal SIGSEGV \(SEGV_MAPERR\) @ 0x1$'
[ "$(uname -m)" != x86_64 ] || has faults/err 'signal SIGSEGV \(SI_KERNEL\)$'
KVOPT=-v
each same sig again # in both backends
KVOPT=
hasnt restart/err 'ERESTART.*= -51[2-6]|= -51[2-6]'
want "not [c for c in E if c['type'] == 'syscall' and isinstance(c['ret'], int) and -516 <= c['ret'] <= -512]" restart/json
same hyb limits 200 # nothing is interrupted that was not
for KVOPT in "" "-v --no-accel"; do
    each same sig stops
done
KVOPT=
same sig storm 1000
KVOPT=-v same sig storm 300
