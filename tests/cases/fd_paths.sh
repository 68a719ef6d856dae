#!/bin/sh
# Relative names become absolute: cwd, dirfd, threads and children that move.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd relative
