#!/bin/sh
# What is behind an fd, by every call that makes one.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth fd kinds sockets
