#!/bin/sh
# timeout: 60
# What is behind an fd, by every call that makes one.
. "$TESTS/truth.sh"
each truth fd kinds sockets
