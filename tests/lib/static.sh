#!/bin/sh
# Used by make check and the cases check, dist and readme.
# static.sh BINARY [STRIP]: fails if BINARY needs anything except a kernel, or is larger than 1.5 MiB although
# it is linked with musl (a static glibc alone is larger).
set -eu
bin=$1 strip=${2:-strip} max=1572864
readelf -lW "$bin" | grep INTERP && { echo "$bin: has an interpreter (PT_INTERP)"; exit 1; }
readelf -dW "$bin" 2>/dev/null | grep NEEDED && { echo "$bin: needs a library (DT_NEEDED)"; exit 1; }
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
"$strip" -s -o "$tmp" "$bin"
size=$(wc -c <"$tmp")
if grep -q GLIBC_TUNABLES "$tmp"; then
    echo "$bin: static, $size bytes stripped, with glibc"
else
    echo "$bin: static, $size bytes stripped (limit $max)"
    [ "$size" -le "$max" ]
fi
