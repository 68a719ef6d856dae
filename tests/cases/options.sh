#!/bin/sh
# Help goes to stdout, and options that change the output of kvis trace do what they say.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/lib.sh"
run; status 2; cat out err >both; has both 'trace'
for h in help "help trace" "trace --help" "trace -h"; do
    gives 0 $h
    [ -s out ] && [ ! -s err ] || fail "$h: help is what was asked for, on stdout"
done
run --version; status 0; has out '^kvis [0-9]'
run trace --backend=ptrace -- -x; status 127 # after -- it is a command
run trace --backend=ptrace /bin/sh -c 'exit 4' -v; status 4 # after the command all is its own
run trace -qv -s5 -etrace=openat --json=json -- /bin/true; status 0
want "calls('openat')"
run trace --string-limit=5 --output=o --trace=openat --summary-only -- /bin/true; status 0 # strace's long names
run trace --backend=ptrace --json=json -- /bin/true; want "S['backend'] == 'ptrace' and H['backend'] == 'ptrace'"
run trace --backend=ptrace -E FOO=bar -E HOME -E 'SP=a b=c' -- /bin/sh -c 'echo "$FOO-${HOME-unset}-$SP"'
eq "-E" "bar-unset-a b=c" "$(cat out)"
run trace --backend=ptrace -q -- /bin/sh -c 'echo x >file'
hasnt err '^\[\+'; has err '^sh: [0-9.]+ m?s = CPU '
run trace --backend=ptrace -o text -- /bin/sh -c 'echo x >file'; has text 'open .*/file'; has text 'time in calls'; [ ! -s err ] || fail "-o: something on stderr"
run trace --backend=ptrace -o text -C -- true; has text '^true: '; has text ' execve$'; [ ! -s err ] || fail "-o -C: something on stderr"
run trace --backend=ptrace -o text --color=always -- true; hasnt text "$(printf '\033')"
run trace --backend=ptrace -qq -w r.kvis -- sh -c 'exit 3'; status 3; [ ! -s err ] || fail "-qq: something on stderr"
run replay -qq --report=r.html r.kvis; status 0; [ ! -s err ] && [ -s r.html ] || fail "replay -qq"
run replay -qq -c r.kvis; status 125
run trace -qq -c -- true; has err ' execve$'; hasnt err 'time in calls' # which was asked for
run replay -q --report=r.html r.kvis; has err "^kvis: wrote r\.html \([0-9.]+ [KM]B\)\$"
{ "$KVIS" trace --json -- touch ran 2>err 9>&-; echo $? >status; } | cat >out # a pipe
eq "--json into a pipe" 2 "$(cat status)"
for command in trace open proc; do # a file
    run $command --json -- touch ran; status 2; has err '^kvis: --json: stdout would also contain the output of touch; fix: --json=FILE, or to pipe JSON: --json=/dev/fd/3 COMMAND 3>&1 >FILE_FOR_OUTPUT$'
done
# This fix works: JSON goes into the pipe, the command's output into the file.
"$KVIS" trace -q --json=/dev/fd/3 -- echo said 3>&1 >output 2>err | cat >json
eq "output" said "$(cat output)"
want 'len(by("exec")) == 1 and S["lost"] == 0'
[ ! -e ran ] || fail "the command ran"
run trace --backend=ptrace --json=json -- /bin/sh -c 'echo x >file; echo mine'; has err '^\[\+'; eq "stdout" mine "$(cat out)"
want "S['exit_code'] == 0 and by('open', path='$PWD/file')"
sleep 30 9>&- &
"$KVIS" trace --json=- -q -p $! -d 1 >json 2>err 9>&- || fail "-p"; kill $!; [ ! -s err ] || fail "-q --json=-: something on stderr"
run trace --backend=ptrace --json=json -- /bin/true; want "H['command'] == ['/bin/true'] and H['clock'] == 'monotonic' and H['start_realtime_ns'] > 1.6e18"
run trace --json=json -- /bin/sh -c 'read x </proc/self/stat; cat /etc/passwd >/dev/null'
has err 'open /etc/passwd \(read\)'; hasnt err 'open /proc/self/stat|libc\.so|ld\.so\.cache'
run trace --backend=ptrace --no-filter -- /bin/sh -c 'cat /proc/self/stat >/dev/null'; has err '/proc/self/stat|/proc/[0-9]*/stat'
run trace -d 1 -- /bin/sleep 30; case $st in 0 | 124 | 125 | 137 | 143) ;; *) fail "-d: $st" ;; esac
