#!/bin/sh
# Children with an unusual parent or CLONE_UNTRACED are traced, and none gets ENOSYS from the seccomp filter.
# tier: gate asan
# timeout: 60
# covers: P10 P11
. "$TESTS/lib/truth.sh"
for KVOPT in "" "-e trace=openat,getppid,write" -v --no-accel; do
    case $KVOPT in *-e*) each same proc clone_untraced ;; *) each truth proc clone_parent clone_untraced clone_ptrace ;; esac
done
