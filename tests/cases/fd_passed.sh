#!/bin/sh
# Open files that come from another process (SCM_RIGHTS, pidfd_getfd) have their names.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd scm getfd flight
# The receiver can be told to have the files before the sender is told to have sent them.
for i in 1 2 3 4 5 6 7 8; do each truth fd scm; done
