#!/bin/sh
# Text output groups I/O, shows pids when there are several, leaves out noise, and ends with a summary.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/lib.sh"
echo ptrace >backends
! "$KVIS" trace --backend=hybrid -q true 2>probe || echo hybrid >>backends
run trace -C -- /bin/sh -c 'for i in 1 2 3 4 5 6 7 8; do echo hello; done >many; echo x >>many'
has err '^\[\+0\.[0-9]{3}s\] open .*/many \(write\)$'
has err '^\[\+0\.[0-9]{3}s\] write +6 B +.*/many \(x8, 48 B total\)$'
has err "^\[\+0\.[0-9]{3}s\] exec /bin/sh -c 'for i in .*'\$"
hasnt err '^\[\+[0-9.]+s\] \[?[0-9]' # one process: no pids
has err '^\[\+[0-9.]+s\] exit 0$'
has err '^ FINAL: /bin/sh -c .*\([0-9.]+s\)$'
has err 'Heap:'; has err 'Mmap:.*regions'; has err 'Files written: +50 B'; has err '^ Exit: 0$'
has err '^ +0 B in +50 B out +.*/many$' # of the top files
hasnt err '0 B in +0 B out'
run trace -- /bin/sh -c 'cat /etc/passwd >copy; (echo x; echo y) >>copy; kill -TERM $$'
has err '^\[\+[0-9.]+s\] [0-9]+ cat      open /etc/passwd \(read\)$'
has err '^\[\+[0-9.]+s\] [0-9]+ cat      exec cat /etc/passwd$'
has err '^\[\+[0-9.]+s\] [0-9]+ sh       spawn process [0-9]+$' # the one that executes nothing
has err '^\[\+[0-9.]+s\] [0-9]+ sh       signal SIGTERM'
hasnt err '(open|mmap|read) .*(/lib.*\.so|ld\.so\.cache)|/dev/null \('
run trace -- /bin/sh -c '/bin/true; exit 0'
hasnt err 'spawn'; eq "lines of one child" "exec /bin/true|exit 0|" \
    "$(sed -nE 's/^\[[^ ]* [0-9]+ true +(exec .*|exit .*)/\1/p' err | tr '\n' '|')"
run trace -- python3 -c 'import os; os.execv("/bin/echo", ["-echo", "a b", "\x1b[31m", "x" * 5000])'
has err "exec /bin/echo as -echo 'a b' \\$'.x1b\[31m' x{900,1000} …\$"
run trace -- /bin/sh -c '/nonexistent/program a'; has err 'exec /nonexistent/program failed: ENOENT|not found'
sh -c 'until [ -e go ]; do sleep 0.1; done; cat /etc/passwd >copy' 9>&- & # attached to: it has its name, too
shell=$!
(sleep 0.5; : >go) &
run trace -p $shell; wait
has err '^\[[^ ]* [0-9]+ sh       signal|^\[[^ ]* [0-9]+ sh       exit 0'
has err '^\[[^ ]* [0-9]+ cat      exec cat /etc/passwd$'
mkdir lib
LD_LIBRARY_PATH=$PWD/lib run trace --json=json -- /bin/true
hasnt err "open $PWD/lib" # the search for a library, and not found there
want "any(e['path'].startswith('$PWD/lib/') and e['error'] == 'ENOENT' for e in by('open'))"
LD_LIBRARY_PATH=$PWD/lib run trace --no-filter -- /bin/true
has err "open $PWD/lib/.*ENOENT"; has err 'open .*libc'
run trace -C -- cat /nonexistent/file
has err 'open /nonexistent/file .*ENOENT|open /nonexistent/file.*No such'
has err 'ENOENT +[0-9]+ +.*open'
run trace -C -- "$BIN/net" tcp4
has err 'connect tcp4 → 127\.0\.0\.1:[0-9]+'
has err 'send +40 B'; has err 'recv +60 B'
sed -n '/FINAL/,$p' err >sum
hasnt sum 'tcp4 → 127' # of connections, localhost is noise
run trace -C --no-filter -- "$BIN/net" tcp4
sed -n '/FINAL/,$p' err >sum
has sum 'tcp4 → 127\.0\.0\.1'
run trace -v --backend=ptrace -- "$BIN/att" blocked wait & # a call that another thread's calls interrupt
until_true 5 test -s pid; sleep 0.1; : >stop; wait
has err '(wait4|futex|read)\(.*<unfinished \.\.\.>$'
has err '<\.\.\. (wait4|read|futex|clock_nanosleep) resumed>'
mkdir dir big
(cd dir && : >a >b >.c; cd ../big && seq 1000 | xargs touch)
for backend in $(cat backends); do # a directory that a program lists is named
    run trace --backend=$backend --json=json -- ls -f dir big
    has err "list $PWD/dir \(3 entries\)$"; has err "list $PWD/big \([0-9]+ entries or more\)$"
    want "[('more' in e, e['count'] in (3, *range(100, 1000))) for e in by('list')] == [(False, True), (True, True)]"
    run trace --backend=$backend --json=json -P "$PWD/dir" -- find dir -quit # closes it, unread
    want "not by('list')"
done
for opt in "" -v; do # what cannot be written must not look as if it had been
    run trace $opt -- /bin/sh -c 'echo x >/dev/full' 
    has err 'ENOSPC'
done
