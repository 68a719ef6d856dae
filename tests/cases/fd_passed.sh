#!/bin/sh
# Open files that come from elsewhere: SCM_RIGHTS, pidfd_getfd.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd scm getfd flight
