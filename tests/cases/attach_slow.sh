#!/bin/sh
# If attaching takes long, every thread still continues and every signal still arrives.
# strace delays each ptrace(2) of kvis to make attaching slow.
# tier: quick
# timeout: 60
# needs: strace prog:att
# alone: it needs a CPU that waits
. "$TESTS/lib/truth.sh"
target signalled
say "kvis trace -p $tee"
strace -qq -o log -e trace=ptrace -e signal=none -e inject=ptrace:delay_exit=60000:when=1..10 \
    "$KVIS" trace -q -v -e trace=tgkill --backend=ptrace --json=json -d 2 -p "$tee" >att.out 2>err 9>&- || fail "kvis: $?"
untarget
want "len({e['tid'] for e in by('syscall')}) == 5 and S['lost'] == 0 and H['backend'] == 'ptrace'"
