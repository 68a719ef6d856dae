#!/bin/sh
# A program that is held again and again sees no EINTR, no extra or missing signal (not even a pending SIGCONT), and no
# stops except its own. kvis holds threads with signal 33. A libc that uses this signal still works. If a program blocks the signal,
# the missing calls are counted.
# tier: quick full
# timeout: 300
# needs: root python3 musl-gcc prog:hyb
. "$TESTS/lib/truth.sh"
needs_hybrid
KVOPT="-q -v --ring=64K"
scene() { # scene SCENE ARG...
    same hyb "$@"
    tail -n 1 json >last
    grep -q '"backend":"hybrid"' last || fail "$1: not hybrid"
    grep -q '"lost":0,' last || fail "$1: lost calls"
    ! grep -q '"throttle_stops":0,' last || fail "$1: never held"
}
scene limits $(some 200 500 200)
scene jobs 12
scene cont 10
for how in blocked ignored timers; do scene calls 4 $(some 300 600 300) $how; done
for scene in stops waits rt; do same sig $scene; done # with a small ring
same sig storm 300

# glibc uses signal 33 for setgid(2), musl for pthread_cancel(3).
musl-gcc -O1 -static -pthread -idirafter /usr/include -idirafter "/usr/include/$(gcc -print-multiarch)" -o hyb-musl \
    "-DTEMP_FAILURE_RETRY(x)=({ long r_; do r_ = (long)(x); while (r_ == -1 && errno == EINTR); r_; })" \
    "$TESTS/progs/hyb.c" 2>cc.err || fail "musl-gcc: $(cat cc.err)"
mkdir bin && cp "$BIN/hyb" bin/ && mv hyb-musl bin/
BIN=$PWD/bin
for prog in hyb hyb-musl; do
    for scene in "setids $(some 60 300 60)" "cancels $(some 50 300 50)"; do
        same $prog $scene
        want "H['backend'] == 'hybrid' and S['throttle_stops'] > 0"
        want "all(e.get('code') == 'SI_TKILL' for e in by('signal'))" # the libc's own, and no other
    done
done

# This program blocks kvis's signal, so kvis cannot hold it, and a full ring loses records: an event and the summary report them.
"$BIN/hyb" deaf 3000 >alone
KVOPT="-q -v --backend=ptrace"
same hyb deaf 3000
calls=$(js "len(by('syscall'))")
mkfifo fifo
{ sleep 1; cat; } <fifo >json 9>&- &
reader=$!
kv trace -q -v --ring=64K --json=fifo -- "$BIN/hyb" deaf 3000 >got 2>err </dev/null
st=$?
wait $reader
status 0
want "S['lost'] > 0 and len(by('syscall')) + S['lost'] == $calls"
want "sum(e['count'] for e in by('lost')) == S['lost'] and S['throttle_stops'] == 0"
eq "what it sees" "$(cat alone)" "$(cat got)"
