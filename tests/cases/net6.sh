#!/bin/sh
# timeout: 60
# needs: /proc/net/if_inet6
. "$TESTS/truth.sh"
each truth net tcp6
