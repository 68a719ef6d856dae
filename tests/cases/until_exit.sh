#!/bin/sh
# kvis waits for the last descendant; with --until-exit, only for the command.
# tier: gate
# timeout: 60
# covers: P29
. "$TESTS/lib/truth.sh"
leaves() { # leaves OPTION...: a daemon behind, which goes on
    run trace -q --until-exit "$@" --json=json -- "$BIN/proc" daemon 4000
    status 0
    [ ! -s daemon ] || fail "waited for the daemon"
    until_true 5 test -s daemon || fail "the daemon did not go on"
}
mkdir ptrace
(cd ptrace && leaves --no-accel) &
leaves
wait $! || exit 1
