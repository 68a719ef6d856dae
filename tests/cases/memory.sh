#!/bin/sh
# The break and mappings as they are cut, moved and protected; sums as /proc/self/maps has them.
# tier: quick asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth mem heap maps all none exec
delta=$(sed -n 's/^delta //p' all/facts)
all=$(js "S['mmap_bytes']" all/json)
none=$(js "S['mmap_bytes']" none/json)
eq "mmap_bytes of the mappings that the program made" "$delta" $((all - none))
