#!/bin/sh
# timeout: 120
# needs: strace setarch python3 prog:diff_forks
# plain-only: strace against strace
exec python3 "$TESTS/diff_strace.py" self
