#!/bin/sh
# Rows of kvis open go to the requested output, and kvis ends properly if that is impossible.
# tier: gate
# timeout: 120
# needs: root python3 prog:proc
# covers: O2 O5 P34
. "$TESTS/lib/open.sh"
job='echo one >a; cat a nothere 2>/dev/null; echo done >finished; exit 0'

cannot() { # cannot WHAT ARG...
    what=$1; shift
    rm -f finished
    run open "$@" -- sh -c "$job"
    status 125
    [ -s finished ] || fail "$*: the program did not finish"
    eq "$*: messages" 1 "$(grep -c '^kvis: ' err)"
    has err "^kvis: .*$what"
}
cannot /dev/full -o /dev/full
cannot /dev/full --json=/dev/full -o rows
"$KVIS" open -- sh -c "$job" >/dev/full 2>err 9>&-
eq "stdout is full" 125 $?; has err '^kvis: .*stdout'
for to in . /nonexistent/file; do
    rm -f finished
    for opt in -o --json; do
        case $opt in -o) run open -o $to -- sh -c "$job" ;; *) run open --json=$to -o rows -- sh -c "$job" ;; esac
        status 125; has err "^kvis: cannot write $to"
    done
    [ ! -e finished ] || fail "ran without its output"
done
# a reader that goes away: quiet, and the program finishes
rm -f finished
("$KVIS" open -- sh -c "sleep 0.3; $job" 2>err 9>&-; echo $? >status) | head -n 1 >first
until_true 10 test -s finished || fail "| head -1: the program did not finish"
until_true 10 test -s status
[ ! -s err ] || { cat err >&9; fail "| head -1: something on stderr"; }
has first '^PID '
("$KVIS" open --json=/dev/fd/7 -- sh -c "sleep 0.3; $job" 7>&1 >/dev/null 2>err 9>&-; echo $? >status) | head -n 1 >first
has first '"type":"header"'
# without a command it ends
sh -c 'while :; do cat /proc/version >/dev/null; sleep 0.02; done' 9>&- &
busy=$!
(timeout 20 rm -f rows
"$KVIS" open -n cat -P /proc/version 9>&-; echo $? >status) | head -n 2 >two
until_true 10 test -s status
eq "ended by EPIPE" 0 "$(cat status)"
# -d, ^C, TERM
run open -n cat -P /proc/version -d 1; status 0; has out ' /proc/version$'
rm -f rows
"$KVIS" open -n cat -P /proc/version >rows 2>err 9>&- &
kvis=$!
until_true 10 grep -q version rows || fail "no rows"
kill -INT $kvis; wait $kvis; eq "^C" 0 $?
rm -f rows
"$KVIS" open -n cat -P /proc/version --json=json >rows 2>err 9>&- &
kvis=$!
until_true 10 grep -q version rows || fail "no rows"
kill -TERM $kvis; wait $kvis; st=$?
want "S['events'] > 0"
kill $busy; wait $busy 2>/dev/null
# closed from the start: what kvis opens does not become 0, 1 or 2
rm -f finished
"$KVIS" open -o rows --json=json -- sh -c "$job" <&- >&- 2>&- 9>&-
[ -s finished ] || fail "without 0, 1, 2: the program did not finish"
want "by('open', name='finished')"
"$KVIS" open -- sh -c "$job" >&- 2>err 9>&-; eq "stdout closed" 125 $?
# JSON alone, both, neither
run open --json -d 1 -n no-such-command; mv out json; want "not by('open') and S['events'] == 0"; [ ! -s err ] || fail "--json: something on stderr"
run open --json=json -- true; has out '^PID'; want "by('open')"
NO_COLOR=1 TERM= run open -- true; hasnt out "$(printf '\033')"

# the command's exit status, or its signal (exit_status has all of them)
run open -o rows -- "$BIN/proc" exit 7; status 7
run open -o rows -- "$BIN/proc" die 15; status 143
run open -- nosuchcommand; status 127; has err '^kvis: cannot run nosuchcommand: not found'
run open --help; status 0
for o in -T -U -x -p -t -u -n -f -P -e -F -d -o --json --ring --no-exec; do has out "(^|[ ,])$o([ ,=[]|\$)"; done
run open -- sh -c '(sleep 0.3; cat late) 2>/dev/null & exit 3'; status 3; has out ' late$' # to the end of its last child
# ^C goes to the command, as from a terminal
cat >ctrl_c.py <<'P'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL) # the shell has it ignored in what it puts behind
job = 'trap "exit 9" INT; : >ready; while :; do sleep 0.05; done'
p = subprocess.Popen([sys.argv[1], "open", "-o", "rows", "--", "sh", "-c", job], start_new_session=True)
while not os.path.exists("ready"):
    time.sleep(0.05)
os.killpg(p.pid, signal.SIGINT)
print(p.wait())
P
eq "^C is the command's" 9 "$(timeout 60 python3 ctrl_c.py "$KVIS" 9>&-)"

# bcc's names of options; -c with a line for the shell; by the name opensnoop
run open --extended_fields --flag_filter=O_RDONLY -o /dev/null -- true; status 0
run open -c 'cat /dev/null; cat /dev/zero | head -c 1'; status 0
has out ' /dev/zero$'
ln -sf "$KVIS" opensnoop
./opensnoop -- cat /dev/null >out 2>err 9>&-; st=$?
status 0
has out '^PID +COMM +FD ERR PATH$'
has out ' /dev/null$'
hasnt out ' - +0 .*/cat$' # no execve, as bcc's
run open -- cat /dev/null; status 0
has out ' - +0 .*/cat$'
run opensnoop -- cat /dev/null; status 0
has out ' /dev/null$'
hasnt out ' - +0 .*/cat$'
run help opensnoop; status 0
has out '^Usage: kvis open '

# Ctrl-C works while the reader sleeps.
mkfifo stuck
(sleep 20 <stuck) 9>&- & reader=$!
sh -c 'while :; do :  </dev/null; done' 9>&- & noisy=$!
"$KVIS" open -p $noisy >stuck 2>err 9>&- & kvis=$!
sleep 2
kill -INT $kvis
until_true 3 sh -c "! kill -0 $kvis 2>/dev/null || grep -q '^State:.Z' /proc/$kvis/status" || { kill -KILL $kvis $noisy $reader; fail "does not end while its reader sleeps"; }
kill $noisy $reader; wait $noisy $reader $kvis 2>/dev/null
true
