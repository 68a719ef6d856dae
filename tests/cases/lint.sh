#!/bin/sh
# kvis.c keeps its structure: sections in order, prefixes, callees above callers, short functions.
# tier: quick
# timeout: 60
# covers: STYLE 2.1
exec sh "$TESTS/lib/lint.sh"
