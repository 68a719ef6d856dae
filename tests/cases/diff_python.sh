#!/bin/sh
# timeout: 300
# needs: strace setarch python3
exec python3 "$TESTS/diff_strace.py" python
