#!/bin/sh
# The values of gen/tables/flags.tbl agree with the headers of the kernel and the libc, and kvis names every command of
# ioctl(2) in the kernel's headers.
# tier: gate
# timeout: 60
# needs: gcc
. "$TESTS/lib/lib.sh"
sh "$TESTS/lib/flags_check.sh" | gcc -std=gnu11 -fsyntax-only -I"$TESTS/.." -x c - >err 2>&1 || fail "a value differs"
python3 "$TESTS/lib/ioctls.py" || fail "a command of ioctl(2) has no name or a wrong one"
