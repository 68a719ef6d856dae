#!/bin/sh
# Holding a thread does not take away a pending SIGCONT.
# tier: quick
# timeout: 60
# needs: root prog:hyb
# covers: H2
. "$TESTS/lib/truth.sh"
KVOPT="-q -v --ring=64K"
same hyb cont 10
tail -n 1 json >last
has last '"lost":0,'
hasnt last '"throttle_stops":0,'
