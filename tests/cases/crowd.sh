#!/bin/sh
# timeout: 180
# covers: P28
# 1000 threads at once, 5000 short ones, 5000 children: all seen, memory bounded.
. "$TESTS/truth.sh"
KVOPT=-q
truth proc children 5000
truth proc shorts 5000
truth proc threads 1000
