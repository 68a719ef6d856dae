#!/bin/sh
# The cross build for arm64 is static, free of warnings, and runs as far as an emulator without ptrace allows.
# tier: full
# timeout: 300
# needs: make aarch64-linux-gnu-gcc qemu-aarch64-static /usr/aarch64-linux-gnu/lib/libc.a
. "$TESTS/lib/lib.sh"
cp -r "$TESTS/../Makefile" "$TESTS/../kvis.c" "$TESTS/../gen" "$TESTS/../bpf_insns" .
make ARCH=aarch64 CFLAGS='-O2 -Werror' >out 2>err || fail "make ARCH=aarch64"
sh "$TESTS/lib/static.sh" kvis-aarch64 aarch64-linux-gnu-strip || fail "not static, or too large"
qemu-aarch64-static ./kvis-aarch64 --version >out || fail "does not run"
has out '^kvis '
qemu-aarch64-static ./kvis-aarch64 help trace >out || fail "help"
has out 'json'
"$KVIS" trace -q -w a.kvis -- true 2>err || fail "a recording"
qemu-aarch64-static ./kvis-aarch64 replay -q --report=r.html a.kvis >out 2>err || fail "a report"
has r.html '</html>'
