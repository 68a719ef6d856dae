#!/bin/sh
# Stopped stays stopped, continued goes on, whatever the order and however many threads.
# tier: quick asan
# timeout: 120
# covers: P6 P7 P8
. "$TESTS/lib/truth.sh"
for KVOPT in "" "-v --no-accel"; do
    each same sig stops group
done
KVOPT=
same sig storm 1000
KVOPT=-v same sig storm 300
