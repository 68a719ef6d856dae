# Used by the cases armv7 and riscv64.
# elsewhere.sh: a binary for an architecture that qemu-user runs. A case sources it behind lib.sh.

# runs_elsewhere ARCH NAME TOOLS QEMU: the binary of make dist for ARCH is static and free of warnings, calls itself NAME, and
# replays a recording of this machine to the same events. TOOLS-strip and QEMU are for its binaries.
runs_elsewhere() {
    arch=$1 name=$2 tools=$3 qemu=$4
    mkdir source
    cp -r "$TESTS/../Makefile" "$TESTS/../kvis.c" "$TESTS/../gen" "$TESTS/../bpf_insns" source
    make -C source dist ARCHS="$arch" CFLAGS='-O2 -g -Werror' >out 2>err || fail "make dist"
    kvis=source/dist/kvis-0.1-$arch
    sh "$TESTS/lib/static.sh" "$kvis" "$tools-strip" || fail "not static"
    $qemu "$kvis" --version >out || fail "does not run"
    eq "version" "kvis 0.1 ($name)" "$(cat out)"
    "$KVIS" trace -q -v -w a.kvis -- sh -c 'echo a >f; cat f nothere; mv f g' >out 2>err
    "$KVIS" replay -q -v --json=here a.kvis 2>err || fail "replay"
    $qemu "$kvis" replay -q -v --json=there --report=r.html a.kvis >out 2>err || fail "replay on $arch"
    cmp here there || fail "not the same events: $(diff here there | head -n 4)"
    has here '"name":"openat"'
    has r.html '</html>'
}
