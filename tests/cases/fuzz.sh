#!/bin/sh
# libFuzzer finds no error in the parsers of external input (tests/fuzz/fuzz.c), in FUZZ_RUNS (2000) executions of each target.
# tier: fuzz
# timeout: 900
# needs: clang python3 objcopy
. "$TESTS/lib/lib.sh"
FUZZ_DIR=$PWD FUZZ_RUNS=${FUZZ_RUNS:-2000} KVIS=$KVIS "$TESTS/fuzz/run.sh" >out 2>&1 9>&-
st=$?
[ $st != 77 ] || skip "$(tail -n 1 out)"
[ $st = 0 ] || fail "a finding: see what it left here"
grep '^fuzz' out >&9
eq "targets that ran" 6 "$(grep -c '^fuzz .*: [0-9]* executions, no finding' out)"
