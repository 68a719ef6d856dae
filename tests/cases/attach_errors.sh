#!/bin/sh
# Each pid that cannot be attached to gives one line that says why, and exit status 1.
# tier: gate
# timeout: 60
. "$TESTS/lib/truth.sh"
no() { # no REGEX ARG...
    regex=$1; shift
    gives 1 trace -d 3 "$@"
    eq "$*: lines" 1 "$(grep '^kvis: ' err | grep -vc '^kvis: tracing')"
    has err "^kvis: .*($regex)"
}
no 'no such process|does not exist|No such process' -p 4194000
target thread
gives 0 trace -d 1 -p "$tee" # the ID of a thread selects its process, with a message
has err "^kvis: .*$tee is a thread of (process )?$target"
: >stop; wait $target; rm stop pid
target traced
no "pid ($target|att) already traces it" --backend=ptrace -p "$tee"
untarget
# The child ends after its parent has become sleep(1), which never waits for it.
sh -c 'until grep -q sleep /proc/$$/comm; do sleep 0.1; done & echo $! >zombie; exec sleep 60' 9>&- & parent=$!
until_true 20 eval '[ "$(state "$(cat zombie)")" = Z ]' || fail "no zombie"
no 'zombie|has ended|exited' -p "$(cat zombie)"
kill $parent
no 'ancestor|parent|started it' --backend=ptrace -p $$
self() { exec "$KVIS" trace -d 3 -p "$(sh -c 'echo $PPID')"; }
(self) >out 2>err 9>&-
st=$?
status 1
has err '^kvis: .*(itself|self)'
if grep -q '^Name:.kthreadd' /proc/2/status 2>/dev/null; then no 'kernel thread' -p 2; fi
for bad in 0 -1 x 99999999999 ''; do
    run trace -d 3 -p "$bad"
    case $st in 1 | 2) ;; *) fail "-p '$bad': $st" ;; esac
    has err '^kvis: '
done
# kvis lists the processes that it attached: no threads, no duplicates, no failed attaches
target thread
gives 0 trace -d 1 --backend=ptrace --json=json -w rec -p 4194000,$$ -p "$tee" -p "$target" -p "$tee"
eq "lines" 3 "$(grep '^kvis: ' err | grep -Evc '^kvis: (tracing|pid)')"
has err "^kvis: tracing pid $target \\("
eq "command lines" 1 "$(grep -c '^kvis: pid ' err)"
want "H['pids'] == [$target]"
run replay --json=json rec
want "H['pids'] == [$target]"
untarget
