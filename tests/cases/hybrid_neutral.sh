#!/bin/sh
# timeout: 120
# needs: root prog:hyb
# covers: H3 H7 P6 P21
# What a program sees of itself while it is held for the ring again and again: no EINTR, no signal too
# many or too few, stopped when somebody stops it, and only then.
. "$TESTS/truth.sh"
KVOPT="-q -v --ring=64K"
held() { want "S['throttle_stops'] > 0 and S['lost'] == 0" "$1"; }
same hyb limits 1500; held json
same hyb urg 200; held json
same hyb jobs 30; held json
same hyb masked 2000; held json
same hyb itimers 3000; held json
for scene in stops group waits rt flood; do same sig $scene; done # with a small ring
same sig storm 300
