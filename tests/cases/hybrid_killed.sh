#!/bin/sh
# timeout: 90
# needs: root prog:hyb
# covers: H1 H10 P15
# kvis is killed at any moment while the ring is full and threads are held: the tree dies with it, nothing
# stays stopped or traced, and no program stays in the kernel.
. "$TESTS/truth.sh"
moments=60
case $KVIS in *asan*) moments=10 ;; esac
# Programs of kvis in the kernel that no process holds (others may trace meanwhile).
no_orphans() {
    command -v bpftool >/dev/null || return 0
    cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u >held
    ! bpftool prog show | sed -n 's/^\([0-9]*\):.* name call_.*/\1/p' | grep -vxFf held >orphans
}
family() { pgrep -f "^$BIN/hyb forever" | tr '\n' ' '; } # threads and children of a tree
none() { [ -z "$(family)" ]; }
mkfifo fifo
end=$(($(date +%s) + 40))
i=0
while [ $i -lt $moments ] && [ "$(date +%s)" -lt $end ]; do
    i=$((i + 1))
    rm -f ready
    # a reader that takes a little and then sleeps: the ring is full nearly all the time
    { head -c 100000 >/dev/null; exec sleep 20; } <fifo 9>&- &
    reader=$!
    "$KVIS" trace -q -v --backend=hybrid --ring=64K --json=fifo -- "$BIN/hyb" forever 4 $((i % 2)) >out 2>err 9>&- </dev/null &
    kvis=$!
    until_true 20 test -s ready || fail "not ready: $(cat err)"
    sleep "0.$(printf '%03d' $(((i * 7919) % 150)))"
    [ -n "$(family)" ] || fail "nothing to be killed"
    kill -KILL $kvis
    wait $kvis 2>/dev/null
    if ! until_true 2 none; then
        for p in $(family); do say "$p is in state $(state "$p")"; grep -E '^(State|TracerPid|SigPnd|ShdPnd)' "/proc/$p/status" >&9; done
        fail "moment $i: left behind: $(family)"
    fi
    kill $reader 2>/dev/null
    wait $reader 2>/dev/null
done
say "$i moments"
[ $i -ge 8 ] || fail "only $i moments in 40 s"
until_true 5 no_orphans || fail "BPF programs without an owner: $(cat orphans)"

# The same while it lets go, or is told to end.
for sig in INT TERM HUP; do
    rm -f ready
    "$KVIS" trace -q -v --backend=hybrid --ring=64K --json=json -- "$BIN/hyb" forever 4 >out 2>err 9>&- </dev/null &
    kvis=$!
    until_true 20 test -s ready || fail "not ready: $(cat err)"
    kill -$sig $kvis; sleep 0.1; kill -$sig $kvis 2>/dev/null
    until_true 10 gone $kvis || fail "$sig: does not end"
    wait $kvis 2>/dev/null
    until_true 2 none || fail "$sig: left behind: $(family)"
    want "S['lost'] == 0"
done
