#!/bin/sh
# Filters, process trees, exit status and failing output of kvis proc are right.
# So are processes that were running before kvis or outlive it.
# tier: gate asan
# timeout: 150
# needs: root prog:cmd
. "$TESTS/lib/lib.sh"

shown() { # shown EXPR ARG...: the expression is true of the rows of kvis proc with these arguments
    expr=$1; shift
    run proc --json=json -o text "$@"
    want "$expr"
}
zeros=$(printf '%0500d' 0)
ctrl=$(printf '%030000d' 0 | tr 0 '\001') # six characters each: more than -l compares
shown "[e['exit_code'] for e in by('command')] == [3, 4, 5]" -l 'exit [3-5]$' -- sh -c 'for i in 1 2 3 4 5 6; do sh -c "exit $i"; done'
shown "len(by('command')) == 2" -l needle -- sh -c "/bin/true ${zeros}needle; /bin/true hay"
shown "[e['argv'][1][-6:] for e in by('command')] == ['needle']" -l '^/bin/true 0+needle$' -- sh -c "/bin/true ${zeros}needle; /bin/true hay"
shown "[e['argv'][0] for e in by('command')].count('/bin/true') == 3" -l true -- sh -c '/bin/true "$0" "$0"; /bin/true "$0" "$0"; /bin/true' "$ctrl"
shown "[e['comm'] for e in by('command')] == ['true']" -n tru -- sh -c '/bin/true; /bin/false'
shown "[e['comm'] for e in by('command')] == ['sleep', 'sh']" --min-duration=1s -- sh -c 'sleep 1.1; /bin/true'
eq "the summary's seconds: from the execve to the tree's end" "$(js "'%.3f' % (max(e['ts_ns'] for e in by('command')) / 1e9)" json)" \
    "$(sed -n 's/^kvis: .* at once, \([0-9.]*\) s, .*/\1/p' err)"
shown "len(by('exec')) == 1 and len(by('command')) == 1" --live -- /bin/true
has text 'started +- /bin/true$'
shown "[e['exit_code'] for e in by('process')] == [3] and len(by('thread')) == 3" --forks -T -- sh -c '(exit 3); /bin/true'
has text ' 3 +[0-9.]+ .B \(sh\)$'

# The summary names what failed, and nothing else
"$KVIS" proc -o text -- sh -c '/bin/false; sh -c "exit 3"; /bin/true; kill -9 $$' >out 2>err 9>&-
[ $? = 137 ] || fail "the command's end is not kvis's"
sed -n '/^failed$/,/^critical path/p' text err | sed -n 's/^ *\([0-9A-Z]*\)  *[0-9]*  *\([^ ]*\).*/\1 \2/p' >failed
printf '%s\n' '1 /bin/false' '3 sh' 'SIGKILL sh' | diff - failed >&9 || fail "what failed"

# The environment, as each command began with it: from the new program's own memory.
LONG=$(printf '%040000d' 7) EMPTY='' HOME=/h
export LONG EMPTY HOME
shown "[e['env'] for e in by('command')] == [{'HOME': '/other', 'EMPTY': '', 'A': 'q\"<\\\\'}, {'HOME': '/h', 'EMPTY': ''}, {'HOME': '/h', 'EMPTY': ''}, {}]" \
    --env=HOME,EMPTY --env A,GONE,A -- sh -c 'A="q\"<\\" HOME=/other /bin/true; exec env -i /bin/true'
unset LONG
hasnt json '"A":[^}]*"A":'
shown "'env' not in by('command')[0]" -- /bin/true

ended() { case $(state "$1") in Z | "") ;; *) return 1 ;; esac }

# A process that runs already, and what descends from it; it still runs at the end.
sh -c 'while [ ! -e stop ]; do /bin/true "$0"; sleep 0.05; done; exec sleep 30' mark 9>&- &
sh=$!
until_true 5 grep -q mark /proc/$sh/cmdline
shown "len(by('command')) > 4 and {e['ppid'] for e in by('command')} == {$sh}" -d 3 -p $sh
: >stop
until_true 10 grep -q '^sleep' /proc/$sh/cmdline # not the shell, whose script has the word, too
launch text proc --json=json -p $sh -o text # a process found in /proc: kvis shows its end, and then ends
sleep 0.3
kill $sh
until_true 5 ended $kvis || fail "it watches what has ended"
finish; status 0
want "(lambda e: e['at_start'] and e['argv'] == ['sleep', '30'] and e['signal'] == 'SIGTERM' and e['lifetime_ns'] > 10**9)(by('command', pid=$sh)[0])"
shown "len(by('command', end='running')) == 2" -d 3 -- sh -c 'sleep 20 & exec sleep 20' # ends before them
want "S['running'] == 2"
for p in $(js "' '.join(str(e['pid']) for e in by('command', end='running'))"); do kill "$p"; done

# A process that overwrote its arguments, including the final NUL; a zombie.
"$BIN/cmd" as title 0123456789 9>&- &
title=$!
until_true 5 grep -q TTTT /proc/$title/cmdline || fail "no title"
launch text proc --json=json -p $title -o text
sleep 0.2
kill -KILL $title
finish; status 0
want "[(e['argv'][0][:20], e['signal']) for e in by('command')] == [('TTTTTTTTTTTTTTTTTTTT', 'SIGKILL')]"
sh -c ': & echo $! >zombie; exec sleep 60' 9>&- &
parent=$!
until_true 5 grep -q . zombie && until_true 5 ended "$(cat zombie)" || fail "no zombie"
run proc -p "$(cat zombie)" -o text; status 125
has err "process [0-9]+ does not exist"
kill $parent

# A command without a program, and wrong arguments. (Exit status: exit_status, by_ptrace and interrupt.)
printf x >noprogram; chmod +x noprogram; run proc -o text -- ./noprogram; status 126; hasnt err ' commands'
for bad in "-l a(" "--min-duration=x" "-f xml" "-u root1" "--cgroup=/nothere" "-p 1 -- true" "--json -f json -- true" \
    "--min-duration=1 --live true" "--min-duration=1 -f execsnoop true" \
    "--env=A=B -- /bin/true" "--env=A --env=, -- /bin/true"; do
    run proc $bad; status 2
done

# A full disk: one message, and the file contains only whole lines, from the first on. (output_files has disks that are full from the
# start, output has files that cannot be opened.)
mkdir full
unshare -m sh -c 'mount -t tmpfs -o size=64k none full &&
    "$0" proc --json=full/json -o text -- sh -c "i=0; while [ \$i -lt 200 ]; do /bin/true \$i; i=\$((i + 1)); done" 2>err
    echo $? >status; cp full/json json' "$KVIS" 9>&- || fail "cannot fill a disk"
eq "full disk" 125 "$(cat status)"
eq "messages" 1 "$(grep -c 'cannot write full/json.*No space' err)"
eq "the last byte" "" "$(tail -c 1 json)"
PARTIAL=1 want "(lambda got: got == list(range(len(got))) and 20 < len(got) < 200)([int(e['argv'][1]) for e in by('command', path='/bin/true')])"
# A name with control characters cannot act on the terminal.
cp /bin/true "$(printf 'x\033[2Jy')"
run proc -o text -- "$(printf './x\033[2Jy')"
has text '\$.\./x\\x1b\[2Jy'
