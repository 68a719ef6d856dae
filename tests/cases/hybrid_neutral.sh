#!/bin/sh
# A program that is held again and again sees no EINTR, no extra or missing signal (not even a pending SIGCONT), and no
# stops except its own.
# tier: quick full
# timeout: 120
# needs: root prog:hyb
. "$TESTS/lib/truth.sh"
KVOPT="-q -v --ring=64K"
scene() { # scene SCENE ARG...
    same hyb "$@"
    tail -n 1 json >last
    grep -q '"backend":"hybrid"' last || skip "$(head -n 1 err)"
    grep -q '"lost":0,' last || fail "$1: lost calls"
    ! grep -q '"throttle_stops":0,' last || fail "$1: never held"
}
scene limits $(some 200 500 200)
scene jobs 12
scene cont 10
for how in blocked ignored timers; do scene calls 4 $(some 300 600 300) $how; done
for scene in stops waits rt; do same sig $scene; done # with a small ring
same sig storm 300
