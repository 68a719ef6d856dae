#!/bin/sh
# timeout: 60
# needs: gcc
# plain-only: nothing of it runs
# The values of gen/flags.tbl are those of the kernel's and the libc's headers.
. "$TESTS/lib.sh"
gcc -std=gnu11 -fsyntax-only -I"$TESTS/.." "$TESTS/flags_check.c" >err 2>&1 || fail "a value differs"
