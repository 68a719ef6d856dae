#!/bin/sh
# fork, vfork, clone, clone3, threads, all kinds of exec, and daemons are followed: exec by a thread other than
# the main thread, a main thread that exits before the others, children with an unusual parent or CLONE_UNTRACED. No
# process gets ENOSYS from the seccomp filter. A process that another process kills at any point of a call is
# reported as killed. kvis waits for the last descendant; with --until-exit, only for the command.
# tier: gate asan
# timeout: 180
. "$TESTS/lib/truth.sh"
each truth proc forks vfork threads shorts clone_vm daemon failed_exec bad_elf bad_elf_thread odd
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
# --no-follow: the command alone; what it starts can be traced by others.
gives 7 trace --no-follow -v --json=json -- sh -c '"$0" trace -q --backend=ptrace --json=inner -- /bin/true; exit $(($? + 7))' "$KVIS"
want "len({e['pid'] for e in E}) == 1 and len(by('syscall')) > 20"
want "by('exec')[0]['program'] == '/bin/true' and S['exit_code'] == 0" inner
run trace --no-follow -v --json=json -- "$BIN/proc" clone_ptrace; status 0
want "len({e['pid'] for e in E}) == 1"
# A working directory that was renamed has its new name.
for backend in $(backends); do
    rm -rf d1 d2 d3; mkdir d1; echo hi >d1/f
    run trace --backend=$backend --json=json -- sh -c 'cd d1; mv ../d1 ../d2; cat f; mkdir h; mv ../d2 ../d3; cd -P h; cat ../f'
    want "[e['path'] for e in by('open') if e['path'].endswith('/f')] == ['$PWD/d2/f', '$PWD/d3/f']"
done
# An argv of 112 000 bytes: one long string, many short ones.
big=$(printf '%010000d' 0 | sed 's/0/abcdefghij/g')
for backend in $(backends); do
    run trace --backend=$backend --json=json -- sh -c 'exec /bin/true "$@"' sh "$big" $(yes xyz | head -n 3000)
    want "by('exec')[-1]['argv'] == ['/bin/true', 'abcdefghij' * 10000] + ['xyz'] * 3000"
done
# An exec that fails after the point of no return has its arguments.
cd bad_elf || exit 1
for backend in $(backends); do
    run trace --backend=$backend --json=json -- "$BIN/proc" bad_elf
    want "[e['argv'] for e in by('exec')][1:] == [['bad']] and by('exec')[1]['program'].endswith('/bad')"
done
for KVOPT in "" -v; do
    truth proc killed 40
done

for how in "" --no-accel; do # the daemon outlives kvis
    rm -f daemon
    gives 0 trace -q --until-exit $how --json=json -- "$BIN/proc" daemon 2000
    [ ! -s daemon ] || fail "waited for the daemon"
    until_true 5 test -s daemon || fail "the daemon did not go on"
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
    want '[c["ret"] for c in calls("clock_nanosleep")] == [0, None]'
done
KVOPT=
attached() { # attached SCENE: kvis -p ends when the scene has ended
    rm -f go; mkfifo go
    sh -c 'read -r x <go; exec "$0" "$1"' "$BIN/proc" "$1" >out 2>&1 9>&- &
    p=$!
    launch text trace -o text --json=json -p $p
    until_true 20 grep -q '(observe)' text || fail "no header"
    echo >go
    finish; status 0
}
[ "$(backends)" = ptrace ] && exit 0
# With -p, kvis ends, although BPF does not see the exit of a thread that got the process's pid.
attached bad_elf_thread
want "len(by('spawn_process')) == 1 and len(by('spawn_thread')) == 1"
# With -p, an exec that fails has its arguments from Linux 6.10 on (the tracepoint sched_prepare_exec).
case $(uname -r) in 5.* | 6.[0-9].*) exit 0 ;; esac
attached bad_elf
want "[(e['argv'], 'error' in e, e['program'][-4:]) for e in by('exec')][1:] == [(['bad'], True, '/bad')]"
