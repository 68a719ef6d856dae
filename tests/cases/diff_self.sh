#!/bin/sh
# tier: quick
# timeout: 120
# needs: strace setarch python3 prog:diff_forks
exec python3 "$TESTS/lib/diff_strace.py" self
