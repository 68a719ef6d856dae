#!/bin/sh
# Open files that come from another process (SCM_RIGHTS, pidfd_getfd) have their names.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd scm getfd flight
