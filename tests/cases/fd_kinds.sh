#!/bin/sh
# Every call that makes a descriptor gives it the right kind and name.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd kinds sockets made
