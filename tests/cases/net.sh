#!/bin/sh
# Who talks to whom: TCP, UDP, unix and netlink sockets, refused and not yet connected.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth net tcp4 refused inprogress udp unix netlink
