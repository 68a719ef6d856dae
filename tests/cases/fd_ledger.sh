#!/bin/sh
# timeout: 60
# Bytes, age and opener of an open file, and what was left open.
. "$TESTS/truth.sh"
each truth fd ledger tmpfile
has ledger/err "left"
