#!/bin/sh
# A pid namespace whose init dies gives finite output, reaped children, and both kinds of pids. In a time namespace all
# times use the same clock.
# tier: gate asan
# timeout: 60
# needs: root
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v; do
    each truth proc pidns
    [ "$(wc -c <pidns/err)" -lt 300000 ] || fail "$(wc -c <pidns/err) bytes of text"
    for backend in auto ptrace; do
        KVOPT="$KVOPT --backend=$backend" truth proc pidns thread
    done
done
KVOPT=-v each truth proc nspid
first=$(js "by('spawn_process')[0]['child_pid']" nspid/json)
second=$(js "by('spawn_process')[1]['child_pid']" nspid/json)
for line in "\[$first\] getpid.*\) += 1 /\* $first" "\[$first\] .*clone.* = 2 /\* $second" "\[$first\] .*wait4\(2 /\* $second" \
    "\[$first\] .*wait4.* = 2 /\* $second" "\[$first\] kill\(1 /\* $first" "\[$second\] getppid.*\) += 1 /\* $first" \
    "\[$second\] gettid.*\) += 2 /\* $second"; do
    has nspid/err "$line in kvis's PID NS \*/"
done
for opt in "" "-e %process" "-v -e trace=vfork,clone,clone3"; do # nobody asks for unshare
    run trace $opt --json=json -- unshare -pf /bin/sh -c '/bin/sleep 0 & wait'
    want "[e['ns_pid'] for e in by('spawn_process')] == [1, 2]"
    case $opt in -v*) continue ;; esac
    for n in 1 2; do has err "spawn process [0-9]+ \($n in its PID NS\)"; done
done
# A process that was in another namespace before kvis came.
in_pid_ns
run trace -v -d 1 --json=json -p "$ns_init"
: >stop; wait $ns_outer
has err "vfork|clone"
want "all(e['ns_pid'] > 1 and e['ns_pid'] != e['child_pid'] for e in by('spawn_process')) and by('spawn_process')"
# A time namespace shifts the clocks of kvis, but not those of the kernel's records.
unshare -T true 2>/dev/null || exit 0
for how in "trace --backend=ptrace" trace "proc --forks" "proc --backend=ptrace" open; do
    before=$(date +%s%N)
    unshare -T --monotonic 1000000 --boottime 3000000 --fork "$KVIS" $how --json=json -o rows -- sh -c 'sleep 0.1; cat /etc/passwd' >out 2>err 9>&-
    eq "status of $how" 0 $?
    after=$(date +%s%N)
    want "$before <= H['start_realtime_ns'] <= $after and len(E) > 2"
    want "all(-1e6 < e[k] < $after - $before for e in E for k in e if k in ('ts_ns', 'start_ns', 'fork_ns', 'lifetime_ns', 'duration_ns'))"
done
