#!/bin/sh
# timeout: 300
# needs: strace setarch python3 prog:diff_forks
exec python3 "$TESTS/diff_strace.py" forks
