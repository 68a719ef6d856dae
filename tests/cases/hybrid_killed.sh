#!/bin/sh
# When kvis is killed while threads are held, the tree ends with it; nothing stays stopped, traced or loaded.
# tier: quick full
# timeout: 90
# needs: root pgrep prog:hyb
. "$TESTS/lib/truth.sh"
moments=$(some 40 200 12)
# Programs of kvis in the kernel that no process holds (others may trace meanwhile).
no_orphans() {
    command -v bpftool >/dev/null || return 0
    cat /proc/[0-9]*/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u >held
    ! bpftool prog show | sed -n 's/^\([0-9]*\):.* name call_.*/\1/p' | grep -vxFf held >orphans
}
family() { pgrep -f "^$BIN/hyb forever.* tree$$\$" | tr '\n' ' '; } # processes of the tree
none() { [ -z "$(family)" ]; }
# begin JSON BLOCKED: kvis, and a tree that fills its ring.
begin() {
    rm -f ready
    "$KVIS" trace -q -v --backend=hybrid --ring=64K --json=$1 -- "$BIN/hyb" forever 4 $2 tree$$ >out 2>err 9>&- </dev/null &
    kvis=$!
    until_true 20 test -s ready || fail "not ready: $(cat err)"
}
mkfifo fifo
i=0
while [ $i -lt $moments ]; do
    # a reader that takes a little and then sleeps: the ring is full nearly all the time
    { head -c 100000 >/dev/null; exec sleep 20; } <fifo 9>&- &
    reader=$!
    begin fifo $((i % 2))
    sleep "0.$(printf '%03d' $((i * 7919 % 150)))"
    none && fail "nothing to be killed"
    kill -KILL $kvis
    wait $kvis 2>/dev/null
    until_true 5 none || fail "moment $i: left behind: $(for p in $(family); do cat "/proc/$p/status"; done)"
    kill $reader 2>/dev/null
    wait $reader 2>/dev/null
    i=$((i + 1))
done
until_true 5 no_orphans || fail "BPF programs without an owner: $(cat orphans)"
