#!/bin/sh
# Records of 4 to 12 KB pass through a ring of 64 KB.
# tier: quick asan
# timeout: 60
# needs: root prog:hyb
# covers: H4 H12
. "$TESTS/lib/truth.sh"
KVOPT="-q -v -s 8000 --ring=64K"
for n in 1 2 3; do truth hyb big 500; done
want "S['throttle_stops'] > 0"
