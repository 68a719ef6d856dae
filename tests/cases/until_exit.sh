#!/bin/sh
# kvis waits for the last descendant; with --until-exit, only for the command.
# tier: gate
# timeout: 60
# covers: P29
. "$TESTS/lib/truth.sh"
for opt in "" --no-accel; do
    rm -f daemon
    run trace -q --until-exit $opt --json=json -- "$BIN/proc" daemon 4000
    status 0
    [ ! -s daemon ] || fail "waited for the daemon"
    until_true 5 test -s daemon || fail "the daemon did not go on"
done
