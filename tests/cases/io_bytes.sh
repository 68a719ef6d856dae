#!/bin/sh
# Every call that moves bytes is counted, to the byte.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth io files pipes socks moves short
