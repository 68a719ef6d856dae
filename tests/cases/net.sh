#!/bin/sh
# timeout: 60
# Who talks to whom: TCP, UDP, unix and netlink sockets, refused and not yet connected.
. "$TESTS/truth.sh"
each truth net tcp4 refused inprogress udp unix netlink
