#!/bin/sh
# No call of a thread is missing in critical situations: after an incomplete record, when a thread dies, after TSYNC,
# and with a full signal queue.
# tier: gate full asan
# timeout: 120
# needs: root prog:hyb
# covers: H4 H5 P30
. "$TESTS/lib/truth.sh"
KVOPT="-q -v"
truth hyb behind
head -n 1 json | grep -q '"backend":"hybrid"' || skip "no hybrid backend: $(head -n 1 err)"
truth hyb dying 4
for scene in killed tsync unqueued; do truth hyb $scene; done
[ "${FULL-}" ] || exit 0
KVOPT="-q -v -s 4000 --ring=64K"
for scene in behind "dying 4" unqueued; do truth hyb $scene; done
