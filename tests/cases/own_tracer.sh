#!/bin/sh
# A program that traces its own child cannot do so under kvis, goes on, and kvis says it once.
# tier: gate
# timeout: 60
# covers: P30
. "$TESTS/lib/truth.sh"
each same sec tracer
eq "lines that say so" 1 "$(grep -ci '^kvis: .*ptrace' tracer/err)"
want "'went on' in str(by('open'))" tracer/json
