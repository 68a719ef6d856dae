#!/bin/sh
# Every call of the newest kernel headers is in gen/tables/syscalls.tbl with its number, for each ABI.
# tier: full
# timeout: 180
# needs: /usr/arm-linux-gnueabihf/include/asm/unistd-eabi.h
. "$TESTS/lib/lib.sh"
top=$TESTS/..
cp -r "$top/gen" gen
(cd gen && ./tables.sh) || fail "gen/tables.sh"
for f in syscalls.h flags.h; do cmp "gen/out/$f" "$top/gen/out/$f" || fail "gen/out/$f is not what its table makes"; done
gen/tables.sh check /usr/include >out 2>&1 || fail "the installed headers"
arm=/usr/arm-linux-gnueabihf/include
gen/tables.sh check $arm >out 2>&1 || fail "the installed headers of 32-bit ARM"
sed 's/^read  */read2 /' gen/tables/syscalls.tbl >t && cp t gen/tables/syscalls.tbl
gen/tables.sh check /usr/include >out 2>&1 && fail "a missing call is not seen"
# the newest release of the headers that the machine's own package archive has
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 0
uri=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
key=$(sed -n 's/^Signed-By: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
[ -n "$uri" ] || exit 0
mkdir -p lists/partial headers
echo "deb ${key:+[signed-by=$key]} $uri sid main" >sid.list
apt="-o Dir::Etc::sourcelist=$PWD/sid.list -o Dir::Etc::sourceparts=/dev/null -o Dir::State::Lists=$PWD/lists"
if apt-get -qq $apt update >apt.log 2>&1 && apt-get -qq $apt download linux-libc-dev >>apt.log 2>&1; then
    dpkg -x linux-libc-dev_*.deb headers
    "$top/gen/tables.sh" check headers/usr/include >out 2>&1 || fail "the newest headers"
    cat out >&9
    say "checked against $(ls linux-libc-dev_*.deb | cut -d_ -f2)"
fi
