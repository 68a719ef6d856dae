#!/bin/sh
# timeout: 300
# needs: strace setarch python3 perl
exec python3 "$TESTS/diff_strace.py" perl
