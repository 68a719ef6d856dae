#!/bin/sh
# fork, vfork, clone, clone3, threads, all kinds of exec, daemons and zombies are followed: exec by a thread other than
# the main thread, a main thread that exits before the others, children with an unusual parent or CLONE_UNTRACED. No
# process gets ENOSYS from the seccomp filter.
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
# --no-follow: the command alone; what it starts can be traced by others.
run trace --no-follow -v --json=json -- sh -c '"$0" trace -q --backend=ptrace --json=inner -- /bin/true; exit $(($? + 7))' "$KVIS"
status 7
want "len({e['pid'] for e in E}) == 1 and len(by('syscall')) > 20"
want "by('exec')[0]['program'] == '/bin/true' and S['exit_code'] == 0" inner
run trace --no-follow -p $$; status 2; has err '^kvis: --no-follow needs a command'
# An exec that fails after the point of no return has its arguments.
cd bad_elf || exit 1
for backend in $(backends); do
    run trace --backend=$backend --json=json -- "$BIN/proc" bad_elf
    want "[e['argv'] for e in by('exec')][1:] == [['bad']] and by('exec')[1]['program'].endswith('/bad')"
done
# With -p, too, from Linux 6.10 on (the tracepoint sched_prepare_exec).
case $(backends):$(uname -r) in *:5.* | *:6.[0-9].* | ptrace:*) exit 0 ;; esac
mkfifo go
sh -c 'read -r x <go; exec "$0" bad_elf' "$BIN/proc" >out 2>&1 9>&- &
p=$!
"$KVIS" trace -o text --json=json -p $p 2>err 9>&- &
kvis=$!
until_true 20 grep -q '(observe)' text || fail "no header"
echo >go
wait $kvis
want "[(e['argv'], 'error' in e, e['program'][-4:]) for e in by('exec')][1:] == [(['bad'], True, '/bad')]"
