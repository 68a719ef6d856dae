#!/bin/sh
# Relative paths become absolute, also in threads and children that change directory.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd relative
