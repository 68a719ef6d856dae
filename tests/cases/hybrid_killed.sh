#!/bin/sh
# When kvis is killed while threads are held, the tree ends with it; nothing stays stopped, traced or loaded.
# tier: quick full
# timeout: 90
# needs: root prog:hyb
# covers: H1 H10 P15
. "$TESTS/lib/truth.sh"
moments=$(some 40 200 12) lanes=4
# Programs of kvis in the kernel that no process holds (others may trace meanwhile).
no_orphans() {
    command -v bpftool >/dev/null || return 0
    cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u >held
    ! bpftool prog show | sed -n 's/^\([0-9]*\):.* name call_.*/\1/p' | grep -vxFf held >orphans
}
family() { pgrep -f "^$BIN/hyb forever.* lane$1\$" | tr '\n' ' '; } # processes of a lane's tree
none() { [ -z "$(family "$1")" ]; }

# moment LANE N: one kvis, killed.
moment() {
    rm -f ready
    # a reader that takes a little and then sleeps: the ring is full nearly all the time
    { head -c 100000 >/dev/null; exec sleep 20; } <fifo &
    reader=$!
    "$KVIS" trace -q -v --backend=hybrid --ring=64K --json=fifo -- "$BIN/hyb" forever 4 $(($2 % 2)) "lane$1" >out 2>err </dev/null &
    kvis=$!
    until_true 20 test -s ready || { echo "not ready: $(cat err)"; return 1; }
    sleep "0.$(printf '%03d' $((($2 * 7919) % 150)))"
    [ -n "$(family "$1")" ] || { echo "nothing to be killed"; return 1; }
    kill -KILL $kvis
    wait $kvis 2>/dev/null
    if ! until_true 5 none "$1"; then
        for p in $(family "$1"); do echo "$p: $(grep -E '^(State|TracerPid|SigPnd|ShdPnd)' "/proc/$p/status" | tr '\n\t' '  ')"; done
        echo "moment $2: left behind: $(family "$1")"
        return 1
    fi
    kill $reader 2>/dev/null
    wait $reader 2>/dev/null
    return 0
}
lane() {
    mkdir "lane$1" && cd "lane$1" && mkfifo fifo || return
    i=$1
    while [ $i -lt $moments ]; do
        moment "$1" $i || return 1
        i=$((i + lanes))
        echo $i >>moments
    done
}
l=0 pids=
while [ $l -lt $lanes ]; do
    lane $l >lane$l.log 2>&1 9>&- &
    pids="$pids $!"
    l=$((l + 1))
done
for p in $pids; do
    wait $p || { cat lane?.log >&9; fail "a lane"; }
done
eq "moments" $moments "$(cat lane?/moments | wc -l)"
until_true 5 no_orphans || fail "BPF programs without an owner: $(cat orphans)"

# The same while it lets go, or is told to end.
for sig in INT TERM HUP; do
    rm -f ready
    "$KVIS" trace -q -v --backend=hybrid --ring=64K --json=json -- "$BIN/hyb" forever 4 0 laneX >out 2>err 9>&- </dev/null &
    kvis=$!
    until_true 20 test -s ready || fail "not ready: $(cat err)"
    kill -$sig $kvis; sleep 0.1; kill -$sig $kvis 2>/dev/null
    until_true 10 gone $kvis || fail "$sig: does not end"
    wait $kvis 2>/dev/null
    until_true 2 none X || fail "$sig: left behind: $(family X)"
    want "S['lost'] == 0"
done
