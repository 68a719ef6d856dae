#!/bin/sh
# Bytes, age and opener of each open file are right, and files left open are listed.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd ledger tmpfile
has ledger/err "left"
