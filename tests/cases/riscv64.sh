#!/bin/sh
# The binary of make dist for riscv64 is static and free of warnings, and replays a recording of this machine to the same events.
# tier: full
# timeout: 300
# needs: make riscv64-linux-gnu-gcc qemu-riscv64-static /usr/riscv64-linux-gnu/lib/libc.a
. "$TESTS/lib/lib.sh"
mkdir source
cp -r "$TESTS/../Makefile" "$TESTS/../kvis.c" "$TESTS/../gen" "$TESTS/../bpf_insns" source
make -C source dist ARCHS=riscv64 CFLAGS='-O2 -g -Werror' >out 2>err || fail "make dist"
kvis=source/dist/kvis-0.1-riscv64
sh "$TESTS/lib/static.sh" $kvis riscv64-linux-gnu-strip || fail "not static"
qemu-riscv64-static $kvis --version >out || fail "does not run"
eq "version" "kvis 0.1 (riscv64)" "$(cat out)"
"$KVIS" trace -q -v -w a.kvis -- sh -c 'echo a >f; cat f nothere; mv f g' >out 2>err
"$KVIS" replay -q -v --json=here a.kvis 2>err || fail "replay"
qemu-riscv64-static $kvis replay -q -v --json=there --report=r.html a.kvis >out 2>err || fail "replay on riscv64"
cmp here there || fail "not the same events: $(diff here there | head -n 4)"
has here '"name":"openat"'
has r.html '</html>'
