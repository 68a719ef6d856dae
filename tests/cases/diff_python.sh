#!/bin/sh
# timeout: 600
# needs: strace setarch python3
# What differs by chance (how a pipe is cut into reads on a busy machine) does not differ twice.
python3 "$TESTS/diff_strace.py" python || { rm -rf ./* && exec python3 "$TESTS/diff_strace.py" python; }
