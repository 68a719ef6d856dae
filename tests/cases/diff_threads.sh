#!/bin/sh
# timeout: 300
# needs: strace setarch python3 prog:diff_threads
exec python3 "$TESTS/diff_strace.py" threads
