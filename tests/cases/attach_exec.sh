#!/bin/sh
# kvis attaches while one of many threads executes a program, without a deadlock: the exec waits until kvis reaps its
# dead siblings, and kvis's next attach waits for the exec. If kvis attaches in the middle of an exec, it finds out
# which program is executed.
# tier: quick full asan
# timeout: 120
# needs: prog:ptr
. "$TESTS/lib/lib.sh"
tries=$(some 4 10 4)
"$BIN/att" storm 60 >storm.out 2>&1 9>&- &
storm=$!
sleep 0.2
attached=0 i=0
while [ $i -lt $tries ] || [ $attached = 0 ]; do # any number of attempts may meet an exec
    i=$((i + 1))
    timeout -k 1 60 "$KVIS" trace -d 1 --json=json -p $storm >out 2>err 9>&- &
    wait $!; st=$?
    case $st in
    0) attached=$((attached + 1)) ;;
    1) has err 'cannot attach' ;; # every thread that it tried was gone
    *) kill -KILL $storm; fail "attach $i: exit status $st" ;;
    esac
    kill -0 $storm 2>/dev/null || break
done
[ $attached -gt 0 ] || fail "never attached"
: >stop
wait $storm; eq "the program's exit status" 0 $?
# kvis attaches during an execve.
rm -f go
"$BIN/ptr" exec_page >ptr.out 2>&1 9>&- &
p=$!
until_true 10 grep -qE 'in execve|userfaultfd' ptr.out || fail "no execve"
grep -q 'in execve' ptr.out || exit 0
launch json trace --backend=ptrace --json=json -p $p
: >go
finish
has err '\] (.* )?exec (named|/bin/sleep|sleep) .*0\.3'
want "by('exec')[0]['program'] == '/bin/sleep' and by('exec')[0]['argv'] == ['named', '0.3']"
