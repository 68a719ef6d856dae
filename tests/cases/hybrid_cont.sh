#!/bin/sh
# Holding a thread does not take away a pending SIGCONT.
# tier: quick
# timeout: 60
# needs: root prog:hyb
# covers: H2
. "$TESTS/lib/truth.sh"
KVOPT="-q -v --ring=64K"
same hyb cont 10
want "S['throttle_stops'] > 0 and S['lost'] == 0" json
