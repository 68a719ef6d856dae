#!/bin/sh
# timeout: 60
# Relative names become absolute: cwd, dirfd, threads and children that move.
. "$TESTS/truth.sh"
each truth fd relative
