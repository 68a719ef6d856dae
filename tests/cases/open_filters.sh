#!/bin/sh
# Filters and columns of kvis open are those of bcc's opensnoop, evaluated in the kernel.
# tier: gate asan
# timeout: 120
# needs: root python3 prog:opens prog:loop setpriv
. "$TESTS/lib/open.sh"

cat >job <<'E2'
: <there
cat nothere 2>/dev/null
echo x >out1
echo y >>out1
"$BIN/opens" flags
E2
: >there
names() { js "sorted({e['name'] for e in by('open') if e['path'].startswith('$PWD')})"; }
only() { # only NAMES ARG...: just these files of ours are seen, and no event more has come
    names=$1; shift
    rm -rf out1 sync dsync
    watch "$@" -- sh job
    status 0
    eq "$* names" "$names" "$(names)"
    want "S['events'] == len(by('open')) and S['lost'] == 0"
    eq "rows" "$(js "S['events']")" "$(tail -n +2 rows | wc -l)"
}
only "['.', 'dsync', 'job', 'nothere', 'out1', 'sync', 'there']"
all=$(js "S['events']")
only "['nothere']" -x; want "all('error' in e for e in by('open'))"
only "['dsync', 'out1']" -f O_WRONLY
only "['dsync', 'out1']" -f WRONLY
only "['.', 'sync']" -f O_RDWR
only "['.', 'job', 'nothere', 'there']" -f O_RDONLY # (the directory, not the O_TMPFILE)
want "[e for e in by('open') if e['call'] == 'execve'] and all('O_RDONLY' in e['flags'] for e in by('open') if 'flags' in e)"
only "['dsync', 'out1', 'sync']" -f O_CREAT
only "['sync']" -f O_SYNC
only "['dsync', 'sync']" -f O_DSYNC
only "['.']" -f O_TMPFILE
only "['out1', 'sync']" -f O_APPEND -f O_SYNC
only "['dsync', 'out1']" -f O_APPEND -f O_WRONLY
only "['.']" -f O_DIRECTORY -f O_TMPFILE
only "[]" -x -f O_CREAT
only "['out1', 'sync']" -P "$PWD/out?" -P '*/sync'
only "['.', 'dsync', 'job', 'nothere', 'out1', 'sync', 'there']" -P "$PWD"
only "['nothere']" -n cat -P "$PWD/*"
only "['job', 'out1', 'there']" -n sh
want "all('sh' in e['comm'] for e in by('open'))"
only "['.', 'dsync', 'sync']" -n pens -P "$PWD"
only "[]" -n nobodyhasit; eq "events" 0 "$(js "S['events']")"
only "['.', 'dsync', 'job', 'nothere', 'out1', 'sync', 'there']" -u 0
only "[]" -u 4242; eq "events" 0 "$(js "S['events']")"
only "['.', 'dsync', 'job', 'nothere', 'out1', 'sync', 'there']" --no-exec
want "not by('open', call='execve')"
# kvis is stopped, and its ring holds only a few records: opens that do not match the filters cause no loss.
stopped() {
    watch --ring=64 "$@" -- sh -c 'kill -STOP $PPID; "$1" 5000; kill -CONT $PPID' sh "$BIN/loop"
    status 0
    lost=$(js "S['lost']")
}
stopped
[ "$lost" -gt 1000 ] || fail "only $lost lost: this tests nothing"
for filter in -x "-n nobody" "-f O_CREAT" "-u 4242"; do
    stopped $filter
    eq "lost with $filter" 0 "$lost"
done
chmod 777 .
watch -u 4242 -- setpriv --reuid=4242 --regid=4242 --clear-groups cat there
want "[e['name'] for e in by('open', uid=4242)][-1] == 'there' and S['events'] == len(by('open', uid=4242))"
# invalid flags, such as 8 (O_NONBLOCK on some machines), are errors
for bad in "-f O_NOSUCH" "-f 8" "-f" "-u root" "-u -1" "-u" "-n" "-n 1234567890123456" "-p 0" "-p x" "-t -3" "-d 0" \
    "--ring=3" "--ring=100" "--json=" "-W" "--nosuch" "-p 1 -- true" "-t 1 -- true"; do
    gives 2 open -o /dev/null $bad
    has err '^kvis: '
done

# -p and -t: a process of ours with two threads
python3 -c '
import os, threading, time
def f(n):
    os.write(1, b"%s %d %d\n" % (n.encode(), os.getpid(), threading.get_native_id()))
    while not os.path.exists("stop"):
        os.close(os.open("by" + n, os.O_RDONLY | os.O_CREAT)); time.sleep(0.01)
threading.Thread(target=f, args=["2"]).start()
f("1")' >ids 2>/dev/null 9>&- &
victim=$!
until_true 10 grep -q '^2' ids && until_true 10 grep -q '^1' ids || fail "no threads"
other=$(sed -n 's/^2 [0-9]* //p' ids)
watch -p $victim -d 1
status 0
want "{e['name'] for e in by('open')} == {'by1', 'by2'} and {e['pid'] for e in by('open')} == {$victim}"
want "{e['tid'] for e in by('open')} == {$victim, $other} and S['events'] == len(by('open'))"
has rows '^PID    COMM               FD ERR PATH$'
watch -t $other -d 1
want "{(e['name'], e['pid'], e['tid']) for e in by('open')} == {('by2', $victim, $other)}"
has rows '^TID    COMM               FD ERR PATH$'
has rows "^$(printf '%-6s' $other) python3 "
for command in open proc exitsnoop; do
    gives 125 $command -p $other -d 1
    has err "^kvis: -p $other: this is a thread of process $victim; fix: -p $victim\$"
done
run open -p $victim -d 1 -T -U -e # bcc: "%-14.9f" "%-6d" "%-6d %-16s %4d %3d " "%08o %04o " name
eq "header" "TIME(s)       UID   PID    COMM               FD ERR FLAGS    MODE PATH" "$(head -n 1 out)"
has out "^0\\.000000000   0     $(printf '%-6s' $victim) python3             [3-9]   0 02000100 0777 by[12]\$"
run open -p $victim -d 1 -F
has out "^$(printf '%-6s' $victim) python3             [3-9]   0 $PWD/by1\$"
: >stop; wait $victim
# a failed one, n/a, a name with control characters, execve's
name=$(printf 'b\033[2Jc\nd')
run open -e -o rows -- sh -c 'cat nothere; cat "$1"' sh "$name"
has rows "^[0-9]+ +cat                -1   2 00000000 n/a  nothere\$"
has rows '^[0-9]+ +cat                -1   2 00000000 n/a  b\\33\[2Jc\\nd$|b\\x1b|b\\033'
hasnt rows "$(printf '\033')"
has rows '^[0-9]+ +cat                 -   0 00000000 n/a  /.*/cat$'
eq "all lines have a pid" 0 "$(tail -n +2 rows | grep -vc '^[0-9]')"
