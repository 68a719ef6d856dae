#!/bin/sh
# timeout: 120
# needs: root prog:where
# plain-only: it is about time
# covers: E14
# Where the time of calls went, against what the program knows and the scheduler's own count.
. "$TESTS/truth.sh"
KVOPT="-v -q" truth where
