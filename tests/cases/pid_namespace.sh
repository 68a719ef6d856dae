#!/bin/sh
# timeout: 60
# needs: root
# covers: P31
# The init of a pid namespace dies of its own fault: finite output, all children reaped.
. "$TESTS/truth.sh"
for KVOPT in "" -v; do
    each truth proc pidns
    [ "$(wc -c <pidns/err)" -lt 300000 ] || fail "$(wc -c <pidns/err) bytes of text"
done
