#!/bin/sh
# Functions of kvis.c handle forged kernel errors (lib/unit.c includes kvis.c).
# tier: quick
# timeout: 120
# needs: gcc
# covers: O1 P27
. "$TESTS/lib/lib.sh"
gcc -std=gnu11 -g -O0 -fsanitize=address,undefined -fno-sanitize-recover -pthread -Wall -Wextra \
    -Wno-unused-function -o unit "$TESTS/lib/unit.c" >err 2>&1 || fail "unit.c does not compile"
[ ! -s err ] || fail "warnings"
timeout 60 ./unit >out 2>&1 || fail "unit"
# what else includes kvis.c, and runs rarely, follows it
gcc -std=gnu11 -w -fsyntax-only "$TESTS/fuzz/fuzz.c" 2>err || fail "fuzz.c does not compile"
