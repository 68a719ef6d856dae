#!/bin/sh
# When attaching takes long, every thread still goes on and every signal still arrives.
# strace delays each ptrace(2) of kvis to make attaching slow.
# tier: quick
# timeout: 60
# needs: strace prog:hyb
# alone: it needs a CPU that waits
# covers: P5 P17
. "$TESTS/lib/truth.sh"
backends=ptrace
[ "$(id -u)" != 0 ] || backends="ptrace hybrid"
for b in $backends; do
    rm -f pid stop
    "$BIN/hyb" urgent >target.out 2>&1 9>&- </dev/null &
    target=$!
    until_true 10 test -s pid || fail "not ready"
    say "$b: kvis trace -p $target"
    strace -qq -o log -e trace=ptrace -e signal=none -e inject=ptrace:delay_exit=60000:when=1..10 \
        "$KVIS" trace -q -v -e trace=tgkill,getuid --backend=$b --json=json -d 2 -p $target >att.out 2>err 9>&- || fail "$b: $?"
    : >stop
    wait $target || { cat target.out >&9; fail "$b: what the program saw"; }
    want "len({e['tid'] for e in by('syscall')}) == 5 and S['lost'] == 0 and H['backend'] == '$b'"
done
