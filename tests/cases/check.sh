#!/bin/sh
# make check passes with every compiler on this machine, and rejects a binary that is dynamic or too large.
# tier: full
# timeout: 300
# needs: make readelf
. "$TESTS/lib/lib.sh"
make -s -C "$TESTS/.." check || fail "make check"
echo 'int main(void) { return 0; }' >a.c
${CC:-cc} -o dynamic a.c || skip "no compiler"
! sh "$TESTS/lib/static.sh" ./dynamic || fail "a dynamic binary passes"
echo 'char big[1700000] = "x"; int main(void) { return big[0]; }' >b.c
musl-gcc -static -o large b.c || skip "no musl-gcc"
! sh "$TESTS/lib/static.sh" ./large || fail "a binary of 1.7 MB passes"
