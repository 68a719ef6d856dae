#!/bin/sh
# make dist gives the same bytes from git and from its own source archive, even in another directory and later.
# The binaries of all four CPUs are static, build without a warning, and print the same events when they replay a
# recording of this machine.
# tier: full
# timeout: 900
# needs: arch:x86_64 make git musl-gcc aarch64-linux-gnu-gcc qemu-aarch64-static riscv64-linux-gnu-gcc qemu-riscv64-static /usr/riscv64-linux-gnu/lib/libc.a arm-linux-gnueabihf-gcc qemu-arm-static /usr/arm-linux-gnueabihf/lib/libc.a
. "$TESTS/lib/lib.sh"
top=$TESTS/.. cache=${KVIS_VM_CACHE:-$OUT/vm/cache}
"$TESTS/vm/fetch.sh" musl-arm64 >fetch 2>&1 || skip "no musl for arm64: $(cat fetch)"
export MUSL_ARM64="$cache/musl-arm64"
unset SOURCE_DATE_EPOCH CFLAGS LDFLAGS CC ARCHS

mkdir a
(cd "$top" && git -c safe.directory='*' ls-files -z | tar -c --null -T -) | tar -x -C a || fail "a copy"
cd a
git init -q . && git add -A && git -c user.name=n -c user.email=e -c commit.gpgsign=false commit -qm copy ||
    fail "git commit"
make dist CFLAGS='-O2 -g -Werror' >../out 2>../err || fail "make dist"
cd ..
[ -z "$(cd a && git status --porcelain)" ] || fail "make dist leaves files that git would take"
(cd a/dist && sha256sum -c --quiet SHA256SUMS) || fail "SHA256SUMS"
archs="aarch64 armv7 riscv64 x86_64"
eq "files" "SHA256SUMS SIZES $(for arch in $archs; do echo "kvis-0.1-$arch kvis-0.1-$arch.debug"; done | xargs) kvis-0.1.tar.gz" \
    "$(echo $(ls a/dist))"

mkdir "b c"
tar -x -C "b c" -f a/dist/kvis-0.1.tar.gz
eq "source" "$(cd a && git ls-files | sort)" "$(cd "b c/kvis-0.1" && find . -type f ! -name .version | sed 's,^\./,,' | LC_ALL=C sort)"
cd "b c/kvis-0.1"
(
    umask 077
    TZ=Asia/Kolkata LC_ALL=C.UTF-8 USER=other make dist >../../out 2>../../err
) || fail "make dist from the archive"
cd ../..
cmp a/dist/SHA256SUMS "b c/kvis-0.1/dist/SHA256SUMS" || fail "not the same bytes:
$(diff a/dist/SHA256SUMS "b c/kvis-0.1/dist/SHA256SUMS")"

"$KVIS" trace -q -v -w a.kvis -- sh -c 'echo a >f; cat f nothere; mv f g' >out 2>err
"$KVIS" replay -q -v --json=here a.kvis 2>err || fail "replay"
has here '"name":"openat"'
while read -r arch name tools emulator; do
    bin=a/dist/kvis-0.1-$arch
    sh "$TESTS/lib/static.sh" $bin ${tools#native-}strip >&9 || fail "$arch: not static"
    case $arch in # those with musl; glibc alone is larger
    x86_64 | aarch64) [ "$(wc -c <$bin)" -le 1572864 ] || fail "$arch: over 1.5 MiB" ;;
    esac
    ! grep -aF "$PWD" $bin >/dev/null || fail "$arch: this directory's name is in it"
    ! grep -aF "$PWD" $bin.debug >/dev/null || fail "$arch: this directory's name is in the symbols"
    has a/dist/SIZES "^$(wc -c <$bin) kvis-0.1-$arch\$"
    readelf -SW $bin >elf; hasnt elf '\.(symtab|debug_info)'; has elf '\.gnu_debuglink'
    readelf -SW $bin.debug >elf; has elf '\.symtab'; has elf '\.debug_info'
    $emulator $bin --version >out || fail "$arch does not run"
    eq "version" "kvis 0.1 ($name)" "$(cat out)"
    $emulator $bin replay -q -v --json=there --report=r.html a.kvis >out 2>err || fail "replay on $arch"
    cmp here there || fail "$arch: not the same events: $(diff here there | head -n 4)"
    has r.html '</html>'
done <<END
x86_64 x86_64 native-
aarch64 arm64 aarch64-linux-gnu- qemu-aarch64-static
riscv64 riscv64 riscv64-linux-gnu- qemu-riscv64-static
armv7 arm arm-linux-gnueabihf- qemu-arm-static
END
has "$top/README.md" "static binary of about $(wc -c <a/dist/kvis-0.1-x86_64 | awk '{ printf "%.1f", $1 / 1e6 }') MB"
a/dist/kvis-0.1-x86_64 help --man >man; has man "KVIS 1 $(cd a && git log -1 --format=%cs) .kvis 0.1"
