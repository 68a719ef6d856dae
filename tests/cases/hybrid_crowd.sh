#!/bin/sh
# Hundreds of threads that only make calls, hundreds of processes, and storms of vfork and exec are recorded completely.
# tier: quick full
# timeout: 120
# needs: root prog:hyb
# covers: P1 P2 P28 H5
. "$TESTS/lib/truth.sh"
many=$(some 50 2000 300)
for KVOPT in "-q -v" "-q -v --ring=64K"; do
    truth hyb crowd $(some 30 500 200) 20
    truth hyb bomb $many
    truth hyb execs 40
done
truth hyb relay 12
KVOPT=-q
truth proc children $many
