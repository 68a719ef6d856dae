#!/bin/sh
# timeout: 60
# Open files that come from elsewhere: SCM_RIGHTS, pidfd_getfd.
. "$TESTS/truth.sh"
each truth fd scm getfd flight
