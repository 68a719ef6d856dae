#!/bin/sh
# kvis waits for the last descendant; with --until-exit, for the command alone.
# tier: quick
# timeout: 60
# covers: P29
. "$TESTS/lib/truth.sh"
for opt in "" --no-accel; do
    rm -f daemon
    start=$(date +%s%N)
    run trace -q --until-exit $opt --json=json -- "$BIN/proc" daemon 2000
    ms=$((($(date +%s%N) - start) / 1000000))
    status 0
    [ $ms -lt 1500 ] || fail "waited $ms ms for the daemon"
    until_true 5 test -s daemon || fail "the daemon did not go on"
done
