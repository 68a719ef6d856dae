#!/bin/sh
# A call that blocks while kvis attaches and detaches continues undisturbed, and kvis reports which call it is.
# tier: quick
# timeout: 120
. "$TESTS/lib/truth.sh"
blocks() { [ "$(state "$tee")" = S ]; }
# Each program, and the last line that it prints untraced. 20: seconds for which it sleeps, if it does: kvis attaches twice meanwhile.
while read -r how ends; do
    target blocked $how 20
    until_true 5 blocks || fail "$how: it does not wait"
    # The kernel says which call it is (proc_pid_syscall(5)): its number, and its arguments.
    for backend in ptrace $([ "$(id -u)" != 0 ] || echo observe); do
        read -r nr rest <"/proc/$tee/syscall" # before kvis comes: ptrace restarts the call
        name=$(echo '#include <asm/unistd.h>' | gcc -dM -E - | awk -v nr="$nr" '$2 ~ /^__NR_/ && $3 == nr { print substr($2, 6) }')
        attach --backend=$backend --json=json
        until_true 5 has_lines json '"type":"blocked"' 1 || fail "$how: $backend: nothing is blocked"
        detach INT 0
        until_true 2 free "$tee" || fail "$how: left in state $(state "$tee")"
        want "[e['call'] for e in by('blocked', tid=$tee)] == ['$name']"
        case $how in read)
            want "[(e['fd'], e['filename']) for e in by('blocked', call='$name', tid=$tee)] == [($((${rest%% *})), '$(readlink "/proc/$tee/fd/$((${rest%% *}))")')]"
            grep -qF " in $name $(readlink "/proc/$tee/fd/$((${rest%% *}))")" err || fail "$how: $backend: the text lacks the call" ;;
        esac
    done
    untarget
    eq "$how" "$ends done" "$(xargs <target.out)"
done <<'END'
read read 5
poll poll 1
select select 1
sleep slept long enough 1 sleep 0
END
for only in '' -z --backend=ptrace; do
    target blocked read # and its end is seen
    attach -v $only --json=json
    [ "$only" = -z ] || until_true 2 grep -Eq "read\\(|restart_syscall\\(" err || fail "not the call in progress"
    until_true 10 has_lines json '"name":"(clock_)?nanosleep"' 5 || fail "its other thread is not seen"
    : >stop
    wait $kvis; st=$?
    status 0
    wait $target
    want "[c['ret'] for c in calls('read') + calls('restart_syscall') if c['ret'] == 5] == [5]"
    want "len(by('read', bytes=5)) == 1"
    want "not [e for e in E if 'ERESTART' in str(e.get('error'))]"
done
