#!/bin/sh
# A stopped program stays stopped and a continued one runs, in any order and with any number of threads.
# tier: gate
# timeout: 120
# covers: P6 P7 P8
. "$TESTS/lib/truth.sh"
for KVOPT in "" "-v --no-accel"; do
    each same sig stops group
done
KVOPT=
same sig storm 1000
KVOPT=-v same sig storm 300
