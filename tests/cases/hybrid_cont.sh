#!/bin/sh
# A SIGCONT that is pending while the ring fills, in a process with threads that block every signal, is
# still there afterwards: to hold a thread by SIGSTOP would take it away.
# tier: quick asan
# timeout: 60
# needs: root prog:hyb
# covers: H2
. "$TESTS/lib/truth.sh"
KVOPT="-q -v --ring=64K"
same hyb cont 10
want "S['throttle_stops'] > 0 and S['lost'] == 0" json
