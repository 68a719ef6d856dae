#!/bin/sh
# What differs by chance (how a pipe is cut into reads on a busy machine) does not differ twice.
# tier: quick asan
# timeout: 600
# needs: strace setarch python3 gcc
python3 "$TESTS/lib/diff_strace.py" gcc || { rm -rf ./* && exec python3 "$TESTS/lib/diff_strace.py" gcc; }
