#!/bin/sh
# The values of gen/tables/flags.tbl are those of the kernel's and the libc's headers.
# tier: gate
# timeout: 60
# needs: no-kvis gcc
. "$TESTS/lib/lib.sh"
gcc -std=gnu11 -fsyntax-only -I"$TESTS/.." "$TESTS/lib/flags_check.c" >err 2>&1 || fail "a value differs"
