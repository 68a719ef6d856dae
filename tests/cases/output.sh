#!/bin/sh
# Output that cannot be written gives one message with its name and a failing status, and the program finishes. Truncated JSON
# consists of whole lines; after a signal that can be caught, it ends with the summary.
# tier: gate asan
# timeout: 90
. "$TESTS/lib/truth.sh"
job="echo one >a; cat a >b; echo done >finished; exit 0"
mkdir dir
for to in dir /nonexistent/dir/file; do # cannot be opened: nothing is run
    rm -f finished
    gives 125 trace --backend=ptrace -o "$to" -- /bin/sh -c "$job"
    has err "^kvis: .*$to"
    gives 125 trace --backend=ptrace --json="$to" -- /bin/sh -c "$job"
    has err "^kvis: .*$to"
    [ ! -e finished ] || fail "ran without its output"
done
# a reader that goes away: quiet, the program finishes
rm -f finished
("$KVIS" trace -v --json=/dev/fd/7 -- /bin/sh -c "sleep 0.3; $job" 7>&1 >/dev/null 2>err 9>&-; echo $? >status) | head -n 1 >first
[ -s finished ] || fail "| head -1: the program did not finish"
hasnt err '^kvis: [^t]'
grep -q '"type":"header"' first || fail "no header first"
rm -f finished
("$KVIS" trace -v -- /bin/sh -c "sleep 0.3; $job" 2>&1 9>&-; echo $? >status) | head -n 1 >first
[ -s finished ] || fail "2>&1 | head -1: the program did not finish"
# closed from the start: fds 0, 1, 2 are not taken by kvis's own files
rm -f finished
"$KVIS" trace -q -o text --json=json -- /bin/sh -c "$job" <&- >&- 2>&- 9>&-
[ -s finished ] || fail "without 0, 1, 2: the program did not finish"
js True json >/dev/null || fail "without 0, 1, 2: bad JSON"
"$KVIS" trace -q --json=json -- /bin/sh -c 'ls /proc/self/fd >fds' <&- >&- 2>&- 9>&-
"$KVIS" trace -q --backend=ptrace --json -- /bin/sh -c "$job" >&- 2>err 9>&-
eq "stdout closed, JSON for it" 125 $?
# a size limit
(ulimit -f 1; rm -f finished; "$KVIS" trace -v --json=limited -q -- /bin/sh -c "ls -lR /etc >/dev/null; $job" >out 2>err 9>&-; echo $? >status)
[ -s finished ] || fail "RLIMIT_FSIZE: the program did not finish"
grep -q '^kvis: .*limited' err || fail "RLIMIT_FSIZE: no message"
eq "RLIMIT_FSIZE" 125 "$(cat status)"
for sig in TERM HUP KILL; do
    target loop
    launch json trace -q -v --json=json -p "$tee"
    until_true 10 has_lines json '"type":"open"' 40 || fail "its calls are not seen"
    finish $sig
    untarget
    case $sig in
    KILL) PARTIAL=1 js "len(E) > 0 or S" json >/dev/null || fail "cut by SIGKILL" ;;
    *) want "len(by('open')) > 10 and S['syscalls'] > 100" ;;
    esac
done
