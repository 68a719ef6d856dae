#!/bin/sh
# No call of a thread is missing in critical situations: after an incomplete record, when a thread dies, after TSYNC,
# and with a full signal queue. A path that BPF cannot read is read at a stop instead, and is never shown as empty. A path
# that another thread changes during the open is shown as one of its two values, in the event and in the line of the call.
# tier: gate full asan
# timeout: 150
# needs: root prog:hyb
. "$TESTS/lib/truth.sh"
KVOPT="-q -v"
truth hyb behind
head -n 1 json | grep -q '"backend":"hybrid"' || skip "no hybrid backend: $(head -n 1 err)"
for scene in "dying 4" tsync unqueued; do truth hyb $scene; done

KVOPT=
truth hyb evicted 3000
want 'S["lost"] == 0'
KVOPT="-q -v -e trace=openat"
each truth hyb flipped
KVOPT="-q -v"
each truth hyb absent blocked unheld
KVOPT=-q
scene_in late truth hyb unheld 1
scene_in port truth hyb blocked 1
[ "${FULL-}" ] || exit 0
KVOPT="-q -v -s 4000 --ring=64K"
for scene in behind "dying 4" unqueued; do truth hyb $scene; done
