#!/bin/sh
# No call of a thread is missing in the critical situations: after a waiting record, at a thread's death, after TSYNC, with a
# full signal queue.
# tier: gate asan
# timeout: 180
# needs: root prog:hyb
# covers: H4 H5 P30
. "$TESTS/lib/truth.sh"
KVOPT="-q -v"
truth hyb behind
head -n 1 json | grep -q '"backend":"hybrid"' || skip "no hybrid backend: $(head -n 1 err)"
for KVOPT in "-q -v -s 4000 --ring=64K" "-q -v"; do
    truth hyb behind
    truth hyb dying
    truth hyb killed
    truth hyb dying 60
    truth hyb tsync
    truth hyb unqueued
done
