#!/bin/sh
# Relative paths become absolute, also in threads and children that change directory.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd relative
