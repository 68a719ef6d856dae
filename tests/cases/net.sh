#!/bin/sh
# TCP, UDP, unix and netlink peers are named, also those that refuse or are not connected yet.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth net tcp4 refused inprogress udp unix netlink peek
