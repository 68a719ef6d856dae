#!/bin/sh
# Without PTRACE_GET_SYSCALL_INFO, the registers give the same calls, arguments and results.
# tier: quick
# timeout: 120
# needs: gcc arch:x86_64 prog:abi setarch
# covers: P27
. "$TESTS/lib/lib.sh"
gcc -std=gnu11 -O0 -pthread -I"$TESTS/.." -o old "$TESTS/lib/old_kernel.c" >err 2>&1 || fail "does not compile"
calls() { # calls KVIS: the calls of a shell, a pipe and a child. Left out is what varies with the moment of SIGCHLD.
    setarch -R "$1" trace -v $opt --json=json -- /bin/sh -c 'cat /etc/passwd | wc -l; exit 3' >out 2>err 9>&-
    eq "$1: exit status" 3 $?
    cat >expr <<'P'
'\n'.join(sorted('%s %s %d %s' % (c['name'], c['error'], len(c['args']), c['args'][1:2] if c['name'] in ('openat', 'execve') else '') for c in E if c['type'] == 'syscall' and c['name'] not in ('rt_sigreturn', 'rt_sigsuspend', 'rt_sigprocmask') and (c['name'] != 'wait4' or (c['ret'] or 0) > 0)))
P
    python3 "$TESTS/lib/j.py" "$(cat expr)" <json
}
for opt in "" -etrace=openat,read,exit_group; do
    calls "$KVIS" >want
    calls ./old >got
    [ "$(wc -l <want)" -gt 10 ] || fail "too few calls"
    diff want got || fail "another trace"
done
setarch -R ./old trace -v --json=json -- "$BIN/abi" i386 >out 2>err 9>&- # i386 and x32 calls in a 64-bit process
st=$?
setarch -R "$KVIS" trace -v --json=json2 -- "$BIN/abi" i386 >out2 2>err 9>&-
eq "exit status" $? $st
[ $st != 77 ] || { say "no i386 calls: $(cat out)"; exit 0; }
for f in json json2; do
    cat >expr <<'P'
'\n'.join('%s %s %s' % (c['name'], c['abi'], c['ret'] if c['name'] != 'getpid' else '') for c in E if c['type'] == 'syscall' and 'abi' in c)
P
    js "$(cat expr)" $f >$f.abi
done
grep -q i386 json.abi || fail "no i386 call"
diff json.abi json2.abi || fail "another convention"
