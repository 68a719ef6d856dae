#!/bin/sh
# The break and mappings are reported when they are created, shrunk, moved and protected.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth mem heap maps
