#!/bin/sh
# TCP and UDP peers over IPv6 are named.
# tier: gate asan
# timeout: 60
# needs: /proc/net/if_inet6
. "$TESTS/lib/truth.sh"
each truth net tcp6
