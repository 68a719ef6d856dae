#!/bin/sh
# Rows of kvis open go to the requested output, and kvis ends properly if that is impossible.
# tier: gate
# timeout: 120
# needs: root python3 prog:proc
. "$TESTS/lib/open.sh"
job='echo one >a; cat a nothere 2>/dev/null; echo done >finished; exit 0'

# a reader that goes away: quiet, and the program finishes
("$KVIS" open -- sh -c "sleep 0.3; $job" 2>err 9>&-; echo $? >status) | head -n 1 >first
until_true 10 test -s finished || fail "| head -1: the program did not finish"
until_true 10 test -s status
[ ! -s err ] || { cat err >&9; fail "| head -1: something on stderr"; }
has first '^PID '
# without a command it ends
sh -c 'while :; do cat /proc/version >/dev/null; sleep 0.02; done' 9>&- &
busy=$!
("$KVIS" open -n cat -P /proc/version 9>&-; echo $? >ended) | head -n 2 >two
until_true 10 test -s ended
eq "ended by EPIPE" 0 "$(cat ended)"
# -d, ^C, TERM
run open -n cat -P /proc/version -d 1; status 0; has out ' /proc/version$'
for end in INT:0 TERM:143; do
    launch rows open -n cat -P /proc/version --json=json -o rows
    until_true 10 grep -q version rows || fail "no rows"
    finish ${end%:*}; status ${end#*:}
    want "S['events'] > 0"
done
kill $busy; wait $busy 2>/dev/null
# JSON alone, both, neither
run open --json -d 1 -n no-such-command; mv out json; want "not by('open') and S['events'] == 0"; [ ! -s err ] || fail "--json: something on stderr"
run open --json=json -- true; has out '^PID'; want "by('open')"
NO_COLOR=1 TERM= run open -- true; hasnt out "$(printf '\033')"
# the command's exit status, or its signal (exit_status and interrupt have all of them)
run open -o rows -- "$BIN/proc" die 15; status 143
run open -- nosuchcommand; status 127; has err '^kvis: cannot run nosuchcommand: not found'
run open -- sh -c '(sleep 0.3; cat late) 2>/dev/null & exit 3'; status 3; has out ' late$' # to the end of its last child

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
