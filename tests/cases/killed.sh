#!/bin/sh
# Tracees killed from outside at any point of their calls.
# tier: quick asan
# timeout: 60
# covers: P13
. "$TESTS/lib/truth.sh"
for KVOPT in "" -v; do
    truth proc killed 40
done
