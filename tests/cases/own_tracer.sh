#!/bin/sh
# timeout: 60
# covers: P30
# A program that traces its own child: it cannot here, but all goes on, and kvis says it once.
. "$TESTS/truth.sh"
each same sec tracer
eq "lines that say so" 1 "$(grep -ci '^kvis: .*ptrace' tracer/err)"
want "'went on' in str(by('open'))" tracer/json
