#!/bin/sh
# Text output groups I/O, names processes when there are several, has one line for the start of a program, and ends
# with a summary.
# tier: gate asan
# timeout: 120
# needs: gcc perl strace python3
. "$TESTS/lib/lib.sh"
export LC_ALL=C.UTF-8 # lines contain arrows
backends=$(backends)
calm=--min-sched-delay=60000000 # no lines about waits for a CPU, which depend on the load
run trace $calm --json=json -- /bin/sh -c 'for i in 1 2 3 4 5 6 7 8; do echo hello; done >many; echo x >>many'
has err '^\[\+[0-9]+\.[0-9]{3}s\] open .*/many \(write\)$'
has err '^\[\+[0-9]+\.[0-9]{3}s\] write +6 B +.*/many \(x8, 48 B total\)$'
has err "^\[\+[0-9]+\.[0-9]{3}s\] exec /bin/sh -c 'for i in .*'\$"
hasnt err '^\[\+[0-9.]+s\] \[?[0-9]' # one process: no pids
has err '^\[\+[0-9.]+s\] exit 0$'
has err '^sh: [0-9.]+ m?s = CPU [0-9.]+ m?s$'
has err '^  files +[0-9]+ read \([0-9.]+ K?B\), 1 written \(50 B\)$'
want "S['file_bytes_written'] == 50 and S['exit_code'] == 0"
want "[(f['bytes_read'], f['bytes_written']) for f in S['files'] if f['path'].endswith('/many')] == [(0, 50)]"
run trace --json=json -- python3 -SBc 'import os; os.write(os.memfd_create("m"), b"abc")' # no file
has err '^  files .* 0 written \(0 B\)$'
want "S['files_written'] == S['file_bytes_written'] == 0"
run trace -- /bin/sh -c 'cat /etc/passwd >copy; (echo x; echo y) >>copy; kill -TERM $$'
has err '^\[\+[0-9.]+s\] [0-9]+ cat      open /etc/passwd \(read\)$'
has err '^\[\+[0-9.]+s\] [0-9]+ cat      exec cat /etc/passwd$'
has err '^\[\+[0-9.]+s\] [0-9]+ sh       spawn process [0-9]+$' # the one that executes nothing
has err '^\[\+[0-9.]+s\] ([0-9]+) sh       signal SIGTERM from \1$'
hasnt err '(open|mmap|read) .*(/lib.*\.so|ld\.so\.cache)|/dev/null \('
run trace $calm -- /bin/sh -c '/bin/true; exit 0'
hasnt err 'spawn'; eq "lines of one child" "exec /bin/true|exit 0|" \
    "$(sed -nE 's/^\[[^ ]* [0-9]+ true +(exec .*|exit .*)/\1/p' err | tr '\n' '|')"
run trace -- python3 -c 'import os; os.execv("/bin/echo", ["-echo", "a b", "\x1b[31m", "x" + "ä" * 5000])'
has err "exec /bin/echo as -echo 'a b' \\$'.x1b\[31m' xä{450,500} …\$"
sh -c 'until [ -e go ]; do sleep 0.1; done; cat /etc/passwd >copy' 9>&- & # attached to: it has its name, too
shell=$!
attached() { grep -q "^kvis: pid $shell, 1 thread" err; }
(until_true 10 attached; : >go) 9>&- &
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
for more in "" --backend=ptrace; do # the program has both ends of the connection, which count as one peer: the address that it connected to
    run trace -C -w rec $more -- "$BIN/net" tcp4
    has err 'send +40 B'; has err 'recv +60 B'
    peer=$(sed -n 's/.*connect tcp4 → \(127[^ ]*\).*/\1/p' err | tail -n 1)
    eq "peers" "  network         tcp4 $peer 80 B sent, 120 B received" "$(grep -a 'sent, ' err)"
    sed -n '/^net: /,$p' err >sum
    run replay -C rec
    eq "of a recording" "$(cat sum)" "$(sed -n '/^net: /,$p' err)"
done
run trace -v --backend=ptrace -- "$BIN/att" blocked read & # a call that another thread's calls interrupt
until_true 5 test -s pid; sleep 0.1; : >stop; wait
has err '(futex|read)\(.*<unfinished \.\.\.>$'
has err '<\.\.\. (wait4|read|futex|clock_nanosleep) resumed>'
lines() { # lines COMMAND...: its lines without times, paths and what a busy machine adds
    run trace "$@"
    sed -n "/^\$/q; /waited\|block I/d; s/^\[[^ ]* //; s,$PWD/,,; p" err >lines
}
# Start-up is one line: as many libraries as the loader says.
LC_ALL=C
export LC_ALL
printf '#include <stdio.h>\nint main(void) { puts("x"); return 0; }\n' >a.c
gcc -static -o static a.c || fail "gcc -static"
mkdir dir big
(cd dir && touch a b .c; cd ../big && seq 1000 | xargs touch)
for backend in $backends; do
    lines --backend=$backend -- /bin/ls dir
    n=$(LD_TRACE_LOADED_OBJECTS=1 /bin/ls | grep -c '=> /')
    eq "lines of ls" "exec /bin/ls dir|started: $n libraries|list dir|write|exit 0|" \
        "$(sed 's/ ([0-9].*//; s/^write.*/write/' lines | tr '\n' '|')"
    lines --backend=$backend -- /bin/ls /etc # the loader's file is in there, too
    eq "lines of ls /etc" "exec /bin/ls /etc|started: $n libraries|list /etc|write|exit 0|" \
        "$(sed 's/ ([0-9].*//; s/^write.*/write/' lines | tr '\n' '|')"
    lines --backend=$backend -- sh -c 'read x <a.c; exec cat /proc/version'
    eq "lines of sh and cat" "exec|started:|open a.c|read|exec|started:|open /proc/version|read|write|exit 0|" \
        "$(sed -E 's/^(open [^ ]*|exit 0|[^ ]*).*/\1/' lines | uniq | tr '\n' '|')"
    lines --backend=$backend -- ./static # one without libraries has no such line
    eq "lines of a static program" "exec ./static|write|exit 0|" "$(sed 's/^\(write\).*/\1/' lines | tr '\n' '|')"
    lines --backend=$backend -- perl -MPOSIX -e 'open F, "<", "a.c"; print <F>'
    has lines '^started: [0-9]+ libraries, .*[0-9]+ files below /usr/.*perl'; hasnt lines '\.pm'
    eq "first of perl" "open a.c (read)" "$(sed -n '/^started/{n;p;}' lines)"
    lines --backend=$backend -- perl -MFcntl -e 'sysopen F, "l.so", $_ for O_CREAT, O_TRUNC; unlink "l.so"' # can change the file
    eq "opens" "open l.so (read)|open l.so (read)|unlink l.so|" "$(sed '1,/^started/d; /^exit/d' lines | tr '\n' '|')"
    run trace --backend=$backend --json=json -P l.so -- perl -MFcntl -e 'sysopen F, "l.so", $_ for O_CREAT, O_TRUNC, 0; unlink "l.so"'
    want "[(e['writable'], e.get('creates')) for e in by('open')] == [(False, True), (False, True), (False, None)]"
    lines --backend=$backend -- cat l.so # an argument is no library of the start-up
    has lines '^open l.so \(read\) failed: ENOENT$'
    lines --backend=$backend -- gcc -c -o a.o a.c
    n=$(strace -f -qq -e trace=openat gcc -c -o a.o a.c 2>&1 | sed -n 's/.*"\(\/usr\/include\/.*\)".* = [0-9].*/\1/p' | sort -u | wc -l)
    has lines "cc1 +read $n headers below /usr/include, .* \\([0-9.]+ KB\\)$"; hasnt lines '/usr/include/.*\.h'
done
has err '^[0-9]+ routine events hidden \(start-up, memory, libraries\); see --no-filter$'
run trace --no-filter -- /bin/true; has err 'mmap .* anon \(rw-\) at 0x[0-9a-f]+-0x[0-9a-f]+$'; hasnt err 'hidden|started'
# Calls selected by name are shown; the opens equal those of strace.
run trace -e trace=openat -- /bin/ls /
eq "opens" "$(strace -qq -e trace=openat /bin/ls / 2>&1 >/dev/null | sed 's/[^"]*"\([^"]*\).*/\1/')" \
    "$(sed -n 's/.* open \([^ ]*\) (.*/\1/p' err)"
run trace -P /etc/ld.so.cache -- /bin/true; has err 'open /etc/ld.so.cache'
run trace -e 'trace=!openat' -- /bin/true; hasnt err '^\[.*(mmap|brk)'
export LC_ALL=C.UTF-8
for backend in $backends; do # a directory that a program lists is named
    run trace --backend=$backend --json=json -- ls -f dir big
    has err "list $PWD/dir \(3 entries\)$"; has err "list $PWD/big \([0-9]+ entries or more\)$"
    want "[('more' in e, e['count'] in (3, *range(100, 1000))) for e in by('list')] == [(False, True), (True, True)]"
    run trace --backend=$backend --json=json -P "$PWD/dir" -- find dir -quit # closes it, unread
    want "not by('list')"
done
# A child's lines follow the one about its creation. A name that is cut ends in "…"; a path can have almost 8 KB.
mkdir -p site-packages/ab
x=$(printf 'x%.0s' $(seq 200)) d=$PWD/site-packages
touch site-packages/a site-packages/ab/c "site-packages/$x"
cat >deep.py <<'P'
import os
for i in range(14):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)
os.makedirs("/".join(["e" * 250] * 14))
f = os.open("/".join(["e" * 250] * 14 + ["f"]), os.O_RDWR | os.O_CREAT)
os.write(f, b"12345")
os.sendfile(f, f, 0, 5)
os.close(f)
P
for backend in $backends; do
    run trace $calm --backend=$backend -- perl -e 'for (@ARGV) {
        fork or do { open F, "<", "site-packages/$_" for split /,/; exit };
        wait }' a a,ab/c a,a "$x"
    eq "lines of children" "spawn|read $d/a|exit|spawn|read 2 files below $d|exit|spawn|read $d/a|exit|spawn|read $(
        printf %.160s "$d/$x")…|exit|" \
        "$(sed -nE "/ ([0-9]+) perl +exec/d; s,^\[.* perl +(spawn|read.* $d[^ ]*|read $d.*|exit).*,\1,p" err | sed '$d' | tr '\n' '|')"
    run trace --backend=$backend -v --json=json -e trace=sendfile,close -- python3 -SB deep.py
    has err 'sendfile\(3<(/.*/e{250}/f)>, 3<\1>, '
    want "one('sendfile')['src_name'] == one('sendfile')['dst_name'] == max((e['path'] for e in by('close')), key=len)"
    want "len(one('sendfile')['dst_name']) > 7000"
    rm -rf dddd*
done
run trace -- perl -e 'for (1..150) { # at once, more than kvis keeps as processes
    fork or do { sleep 1; open F, "<", "a.c"; exit }
}
1 while wait > 0'
has err '^\[[^ ]* [0-9]+ perl     exit 0$'; hasnt err '^\[[^ ]* [0-9]+ +exit 0$'
