#!/bin/sh
# Children whose parent is not who called clone, or that ask not to be traced. None may meet our filter
# without us (ENOSYS).
# tier: quick asan
# timeout: 60
# covers: P10 P11
. "$TESTS/lib/truth.sh"
for KVOPT in "" "-e trace=openat,getppid,write" -v --no-accel; do
    case $KVOPT in *-e*) each same proc clone_untraced ;; *) each truth proc clone_parent clone_untraced clone_ptrace ;; esac
done
