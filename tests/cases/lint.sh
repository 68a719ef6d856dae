#!/bin/sh
# timeout: 60
# plain-only: reads the source
# covers: STYLE 2.1
exec sh "$TESTS/lint.sh"
