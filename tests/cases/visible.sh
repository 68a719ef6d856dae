#!/bin/sh
# /proc/self/status of a traced program differs from that of the same program alone only in the fields that the manual lists.
# tier: gate asan
# timeout: 30
# covers: P36
. "$TESTS/lib/truth.sh"
# Without what changes from run to run: ids, sizes, counts.
of() { grep -Ev '^(Pid|Tgid|Ngid|PPid|NStgid|NSpid|NSpgid|NSsid|SigQ|Vm|Rss|.*ctxt_switches|HugetlbPages|CoreDumping)'; }
cat /proc/self/status | of >alone
for how in -q "-q -v" "-q -c" "-q --backend=ptrace" "-q --backend=ptrace -e trace=openat" "-q -v --no-accel"; do
    # shellcheck disable=SC2086 # words
    kv trace $how -- /bin/cat /proc/self/status 2>err | of >traced
    grep -q '^State:' traced || fail "$how: no status"
    diff alone traced | sed -n 's/^[<>] \([^:]*\):.*/\1/p' | sort -u >differ
    grep -qx TracerPid differ || fail "$how: no tracer"
    grep -Evx 'TracerPid|Seccomp|Seccomp_filters' differ >more
    [ ! -s more ] || fail "$how: also $(cat more)"
    case $how in *--no-accel) ! grep -q Seccomp differ || fail "$how: a filter" ;; esac
done
