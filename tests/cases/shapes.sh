#!/bin/sh
# Unusual arguments are shown as the kernel interprets them: invalid times, socket addresses and structures that are
# shorter or longer than known, results of another type. (The case abis has those of 32-bit programs.)
# tier: gate asan
# timeout: 120
. "$TESTS/lib/truth.sh"
KVOPT="-v -s 4096" each truth shapes sleeps wide times sockaddrs messages sizes larger others
! grep -q 'ppoll(' others/err || has others/err 'ppoll\(.*= 1 \(\[\.\.\.\]\)'
