#!/bin/sh
# Bytes, age and opener of an open file, and what was left open.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd ledger tmpfile
has ledger/err "left"
