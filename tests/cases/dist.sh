#!/bin/sh
# make dist gives the same bytes from git and from its own source archive, elsewhere and later; the binaries run.
# tier: full
# timeout: 600
# needs: make git musl-gcc aarch64-linux-gnu-gcc qemu-aarch64-static
. "$TESTS/lib/lib.sh"
top=$TESTS/.. cache=${KVIS_VM_CACHE:-$OUT/vm/cache}
ARCHS="x86_64 aarch64"
[ "$(uname -m)" = x86_64 ] || skip "the archive is made on x86_64"
"$TESTS/vm/fetch.sh" musl-arm64 >fetch 2>&1 || skip "no musl for arm64: $(cat fetch)"
export MUSL_ARM64="$cache/musl-arm64" ARCHS
unset SOURCE_DATE_EPOCH CFLAGS LDFLAGS CC

mkdir a
(cd "$top" && git -c safe.directory='*' ls-files -z | tar -c --null -T -) | tar -x -C a || fail "a copy"
cd a
git init -q . && git add -A && git -c user.name=n -c user.email=e -c commit.gpgsign=false commit -qm copy ||
    fail "git commit"
make dist >../out 2>../err || fail "make dist"
cd ..
[ -z "$(cd a && git status --porcelain)" ] || fail "make dist leaves files that git would take"
(cd a/dist && sha256sum -c --quiet SHA256SUMS) || fail "SHA256SUMS"
eq "files" "SHA256SUMS SIZES kvis-0.1-aarch64 kvis-0.1-aarch64.debug kvis-0.1-x86_64 \
kvis-0.1-x86_64.debug kvis-0.1.tar.gz" "$(echo $(ls a/dist))"

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

for arch in $ARCHS; do
    readelf -lW a/dist/kvis-0.1-$arch >elf; hasnt elf INTERP
    readelf -dW a/dist/kvis-0.1-$arch >elf; hasnt elf NEEDED
    ! grep -aF "$PWD" a/dist/kvis-0.1-$arch >/dev/null || fail "$arch: this directory's name is in it"
    ! grep -aF "$PWD" a/dist/kvis-0.1-$arch.debug >/dev/null || fail "$arch: this directory's name is in the symbols"
    has a/dist/SIZES "^$(wc -c <a/dist/kvis-0.1-$arch) kvis-0.1-$arch\$"
    readelf -SW a/dist/kvis-0.1-$arch >elf; hasnt elf '\.(symtab|debug_info)'; has elf '\.gnu_debuglink'
    readelf -SW a/dist/kvis-0.1-$arch.debug >elf; has elf '\.symtab'; has elf '\.debug_info'
    [ "$(wc -c <a/dist/kvis-0.1-$arch)" -le 1572864 ] || fail "$arch: over 1.5 MiB"
done
a/dist/kvis-0.1-x86_64 --version >out || fail "x86_64 does not run"
qemu-aarch64-static a/dist/kvis-0.1-aarch64 --version >>out || fail "aarch64 does not run"
eq "versions" "kvis 0.1 (x86_64) kvis 0.1 (arm64)" "$(echo $(cat out))"
a/dist/kvis-0.1-x86_64 help --man >man; has man "KVIS 1 $(cd a && git log -1 --format=%cs) .kvis 0.1"
