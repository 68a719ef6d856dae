#!/bin/sh
# timeout: 60
# covers: P13
# Tracees killed from outside at any point of their calls.
. "$TESTS/truth.sh"
for KVOPT in "" -v; do
    truth proc killed 40
done
