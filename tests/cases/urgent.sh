#!/bin/sh
# Every SIGURG of the program's own arrives, and none that is kvis's: kvis uses the same signal to hold threads.
# tier: quick full
# timeout: 300
# needs: prog:hyb
# covers: H3 P21
. "$TESTS/lib/truth.sh"
rounds=$(some 15 100 10)

# slow_reader FILE: reads a fifo so that kvis's ring is full again and again.
slow_reader() {
    { for i in 1 2 3 4 5 6 7 8; do head -c 150000 >/dev/null; sleep 0.2; done; cat >/dev/null; } <"$1" 9>&- &
    reader=$!
}

# A command that kvis starts: 33 holds its threads, or SIGURG where 33 is blocked.
mkfifo fifo
for block in - raw; do
    "$BIN/hyb" urgents $rounds $block >native.$block 2>&1 </dev/null || fail "without kvis: $(cat native.$block)"
    grep -q 'lost [^0]\|others [^0]' native.$block && fail "without kvis: $(cat native.$block)"
    for how in "-q --ring=4M" "-v --ring=64K" "-v --ring=64K -c" "-v --backend=ptrace"; do
        slow_reader fifo
        case $how in *-c) to= ;; *) to=--json=fifo ;; esac
        [ "$to" ] || echo >fifo
        kv trace $how $to -- "$BIN/hyb" urgents $rounds $block >got 2>err </dev/null || fail "$how: exit status $?"
        wait $reader
        diff native.$block got >&9 || fail "$block $how: other signals than without kvis"
    done
done
