#!/bin/sh
# A number stands for the right open file after dup, exec, close_range, and with shared and copied tables.
# tier: gate asan
# timeout: 60
# covers: P12
. "$TESTS/lib/truth.sh"
each truth fd dup cloexec range range_unshare clone_files fork_copy threads
