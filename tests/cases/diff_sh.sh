#!/bin/sh
# timeout: 300
# needs: strace setarch python3 find seq
exec python3 "$TESTS/diff_strace.py" sh
