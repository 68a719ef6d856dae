#!/bin/sh
# timeout: 60
# Every call that moves bytes, to the byte.
. "$TESTS/truth.sh"
each truth io files pipes socks moves short
