#!/bin/sh
# The break and mappings are followed as they are cut, moved and protected; totals agree with /proc/self/maps.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
each truth mem heap maps all none exec many
delta=$(sed -n 's/^delta //p' all/facts)
all=$(js "S['mmap_bytes']" all/json)
none=$(js "S['mmap_bytes']" none/json)
eq "mmap_bytes of the mappings that the program made" "$delta" $((all - none))
