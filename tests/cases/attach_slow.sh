#!/bin/sh
# When attaching takes long, every thread still goes on and every signal still arrives.
# strace delays each ptrace(2) of kvis to make attaching slow.
# tier: quick
# timeout: 60
# needs: strace prog:hyb
# covers: P5 P17
. "$TESTS/lib/truth.sh"
backends=ptrace
[ "$(id -u)" != 0 ] || backends="ptrace hybrid"
all_call() { [ "$(sed -n '/"type":"syscall"/s/.*"tid":\([0-9]*\).*/\1/p' json | sort -u | wc -l)" -ge 5 ]; }
for b in $backends; do
    rm -f pid stop json
    "$BIN/hyb" urgent >target.out 2>&1 9>&- </dev/null &
    target=$!
    until_true 10 test -s pid || fail "not ready"
    say "$b: kvis trace -p $target"
    strace -D -qq -o log -e trace=ptrace -e signal=none -e inject=ptrace:delay_exit=60000:when=1..10 \
        "$KVIS" trace -q -v -e trace=tgkill,getuid --backend=$b --json=json -p $target >att.out 2>err 9>&- &
    kvis=$! # with -D, strace is a process of its own
    until_true 20 all_call || fail "not all threads are seen to call"
    kill -INT $kvis
    wait $kvis || fail "$b: $?"
    : >stop
    wait $target || { cat target.out >&9; fail "$b: what the program saw"; }
    want "len({e['tid'] for e in by('syscall')}) == 5 and S['lost'] == 0 and H['backend'] == '$b'"
done
