#!/bin/sh
# A FUSE server and its client can both be traced: neither waits for kvis, and kvis waits for neither.
# tier: gate asan
# timeout: 90
# needs: root /dev/fuse prog:fuse
# covers: P38
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v "-v --no-accel" "-e trace=%desc,%net" "--faults"; do
    case $KVOPT in *-e*) each same fuse process thread ;; *) each truth fuse process thread ;; esac
done
