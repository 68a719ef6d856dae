#!/bin/sh
# Tracees that are killed from outside at any point of a call are reported as killed.
# tier: quick asan
# timeout: 60
# covers: P13
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v; do
    truth proc killed 40
done
