#!/bin/sh
# tier: quick
# timeout: 60
# covers: STYLE 2.1
exec sh "$TESTS/lib/lint.sh"
