#!/bin/sh
# fork, vfork, clone, clone3, threads, exec of all kinds, daemons and zombies are followed: exec by a thread that is not
# the first, a first thread that ends before the others, children with an unusual parent or CLONE_UNTRACED, of which none
# gets ENOSYS from the seccomp filter.
# tier: gate asan
# timeout: 180
# covers: P1 P2 P3 P4 P9 P10 P11 P12 P29 P32 P33 P34
. "$TESTS/lib/truth.sh"
each truth proc forks vfork threads shorts zombies clone_vm daemon failed_exec bad_elf odd big_argv
KVOPT="-v --no-accel"
each truth proc forks vfork threads daemon odd
for KVOPT in "" -v "-v --no-accel"; do
    each truth proc exec_thread leader_exit leader_exec
done
hasnt exec_thread/err "unfinished.*unfinished"
for KVOPT in "" -v --no-accel; do
    each truth proc clone_parent clone_untraced clone_ptrace
done
KVOPT="-e trace=openat,getppid,write"
each same proc clone_untraced
