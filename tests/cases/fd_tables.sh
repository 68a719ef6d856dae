#!/bin/sh
# Which open file a number stands for: dup, exec, close_range, shared and copied tables.
# tier: quick asan
# timeout: 60
# covers: P12
. "$TESTS/lib/truth.sh"
each truth fd dup cloexec range range_unshare clone_files fork_copy threads
