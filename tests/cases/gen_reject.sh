#!/bin/sh
# insngen refuses what it does not understand, with file, section and offset, and prints nothing else.
# Each probe of lib/gen/bad.list breaks one rule.
# tier: full
# timeout: 120
# needs: clang python3
. "$TESTS/lib/lib.sh"
top=$TESTS/..

compile() { # compile PROBE OBJECT
    clang -target bpf -mcpu=v2 -O2 -g -std=gnu11 -nostdinc -I "$top/gen/probes" -c "$1" -o "$2" 2>err || fail "$1 does not compile"
}

refused() { # refused OBJECT REGEX
    "$top/gen/insngen.py" "$1" >out 2>err
    eq "$1: exit status" 1 $?
    [ ! -s out ] || fail "$1: output in spite of the error"
    eq "$1: lines of error" 1 "$(wc -l <err)"
    has err "^insngen: $1: $2"
}

awk '/^\/\/ want: / { n++ } n { print >("bad" n) }' "$TESTS/lib/gen/bad.list"
for probe in bad*; do
    {
        echo '#include "probe.h"'
        cat "$probe"
        grep -qx '// no license' "$probe" || echo 'char license_[] SEC("license") = "Dual MIT/GPL";'
    } >"$probe.bpf.c"
    compile "$probe.bpf.c" "$probe.o"
    refused "$probe.o" "$(sed -n '1s/^\/\/ want: //p' "$probe")"
done
[ -e bad28 ] || fail "probes are missing"

compile "$TESTS/lib/gen/kinds.bpf.c" kinds.o
"$top/gen/insngen.py" kinds.o >good.h 2>err || fail "a good object is refused"
# cut off anywhere: an error, never a crash
size=$(wc -c <kinds.o)
for i in 0 1 15 63 64 100 1000 $((size / 3)) $((size / 2)) $((size - 1000)) $((size - 1)); do
    head -c "$i" kinds.o >cut.o
    refused cut.o '.*'
done
"$top/gen/insngen.py" >out 2>err; eq "usage" 2 $?
"$top/gen/insngen.py" no_such_file.o >out 2>err; eq "no file" 1 $?
has err 'no_such_file.o: file\+0x0: cannot be opened'
