#!/bin/sh
# make gen reproduces the committed arrays byte for byte, wherever and whenever it runs.
# tier: full
# timeout: 120
# needs: gcc clang
. "$TESTS/lib/lib.sh"
top=$TESTS/..
major=$(clang -dumpversion | cut -d. -f1)

build() { # build DIR: an own copy of gen/ there, its arrays in DIR/bpf_insns
    mkdir -p "$1"
    cp -r "$top/gen" "$1/gen"
    WORK=$1/work sh "$1/gen/insns.sh" "$2" "$1/bpf_insns" || fail "insns.sh"
}

# Two places, two times: the same bytes (also for the test input, which is not committed).
build "$PWD/a" "$TESTS/lib/gen"
build "$PWD/another/place" "$TESTS/lib/gen"
diff -r a/bpf_insns another/place/bpf_insns >&9 || fail "the place changes the bytes"
grep -rl "$PWD" a/bpf_insns >&9 && fail "a path in the output"
grep -n 'CFG_\|PATCH_OFF' a/bpf_insns/kinds.h >/dev/null || fail "no patches"
ls "$top"/bpf_insns/*.h >/dev/null 2>&1 || skip "the test input is right; no arrays are committed yet"
made=$(sed -n 's/^ \* compiler: clang \([0-9]*\).*/\1/p' "$top"/bpf_insns/*.h | sort -u)
[ "$made" = "$major" ] || skip "the arrays were made by clang $made, here is clang $major"
build "$PWD/real" "$top/gen/probes"
for h in "$top"/bpf_insns/*.h; do
    cmp "$h" "real/bpf_insns/$(basename "$h")" >&9 || fail "make gen changes $h"
done
for h in real/bpf_insns/*.h; do
    [ -e "$top/bpf_insns/$(basename "$h")" ] || fail "$h is not committed"
done
