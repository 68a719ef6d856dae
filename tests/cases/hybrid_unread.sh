#!/bin/sh
# A path that BPF cannot read is read at a stop instead, and is never shown as empty.
# tier: gate asan
# timeout: 60
# needs: root prog:hyb
# covers: E10
. "$TESTS/lib/truth.sh"
truth hyb evicted 3000
want 'S["backend"] == "hybrid" or S["lost"] == 0'
want 'S["lost"] == 0'

# What is overwritten by the result, what nests, and what the kernel alone knows.
KVOPT="-q -v"
each truth hyb absent nested unheld
KVOPT=-q
scene_in late truth hyb unheld 1
scene_in port truth hyb port
