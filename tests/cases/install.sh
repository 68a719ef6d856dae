#!/bin/sh
# make install and uninstall honor CC, CFLAGS, PREFIX, DESTDIR and LINKS.
# tier: full
# timeout: 120
# needs: make readelf strip
. "$TESTS/lib/lib.sh"
cp -r "$TESTS/../Makefile" "$TESTS/../kvis.c" "$TESTS/../gen" "$TESTS/../bpf_insns" .
make CC=cc CFLAGS=-O0 kvis >out 2>err || fail "make CC=cc"
grep -q '^cc .*-O0' out || fail "CC or CFLAGS is not the user's"
make PREFIX=/p DESTDIR="$PWD/d" CC=cc CFLAGS=-O0 install >out 2>err || fail "make install"
cat >want <<END
d/p/bin/kvis
d/p/share/bash-completion/completions/kvis
d/p/share/fish/vendor_completions.d/kvis.fish
$(cd gen/out/texts && printf 'd/p/share/man/man1/%s\n' *.1)
d/p/share/zsh/site-functions/_kvis
END
eq "installed" "$(cat want)" "$(find d ! -type d | sort)"
readelf -SW kvis >elf; has elf '\.symtab'
readelf -SW d/p/bin/kvis >elf; hasnt elf '\.(symtab|debug_info)'
d/p/bin/kvis --version >out || fail "the installed kvis does not run"
d/p/bin/kvis help --man | cmp - d/p/share/man/man1/kvis.1 || fail "the manual"
d/p/bin/kvis help trace --man | cmp - d/p/share/man/man1/kvis-trace.1 || fail "the manual of trace"
for s in bash zsh fish; do
    grep -rlxF "$(./kvis completion $s | sed -n 2p)" d/p/share | grep -q $s || fail "the completion for $s"
done
eq "modes" "755 644" "$(echo $(stat -c %a d/p/bin/kvis d/p/share/man/man1/kvis.1))"
# uninstall keeps files of others, including a link named execsnoop to another program
mkdir "d e"
echo mine >"d e/mine"
cp -r d/p "d e/p" && ln -s elsewhere "d e/p/bin/execsnoop"
make PREFIX=/p DESTDIR="$PWD/d" CC=cc CFLAGS=-O0 LINKS=1 install >out 2>err || fail "make install LINKS=1"
for l in opensnoop execsnoop exitsnoop; do
    d/p/bin/$l --help >out 2>err || fail "$l: $?"
    has out "^Usage: kvis (${l%snoop}|$l) "
done
make PREFIX=/p DESTDIR="$PWD/d" CC=cc uninstall >out 2>err || fail "make uninstall"
eq "uninstall leaves" "" "$(find d ! -type d)"
make PREFIX=/p DESTDIR="$PWD/d e" CC=cc uninstall >out 2>err || fail "make uninstall"
eq "uninstall, others' files" "d e/mine d e/p/bin/execsnoop" "$(echo $(find "d e" ! -type d | sort))"
make clean >out || fail "make clean"
[ ! -e kvis ] || fail "make clean leaves kvis"
