#!/bin/sh
# timeout: 120
# plain-only: builds by itself
# needs: make
# What belongs to the user: CC, CFLAGS, PREFIX, DESTDIR; and what the help promises exists.
. "$TESTS/lib.sh"
cp -r "$TESTS/../Makefile" "$TESTS/../kvis.c" "$TESTS/../gen" "$TESTS/../bpf_insns" .
make CC=cc CFLAGS=-O0 kvis >out 2>err || fail "make CC=cc"
grep -q '^cc .*-O0' out || fail "CC or CFLAGS is not the user's"
make PREFIX=/p DESTDIR="$PWD/d" CC=cc CFLAGS=-O0 install >out 2>err || fail "make install"
eq "installed" d/p/bin/kvis "$(find d -type f)"
d/p/bin/kvis --version >out || fail "the installed kvis does not run"
for t in all run test check bench gen vet install clean help; do
    make help | grep -q "^$t	" || fail "make help lacks $t"
    make -n $t >/dev/null 2>err || fail "no target $t"
done
make clean >out || fail "make clean"
[ ! -e kvis ] || fail "make clean leaves kvis"
