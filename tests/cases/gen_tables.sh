#!/bin/sh
# insngen's patch tables, sizes and lowest kernels agree with those that were read by hand from the source (lib/gen/want.txt).
# tier: full
# timeout: 60
# needs: gcc clang
. "$TESTS/lib/lib.sh"
top=$TESTS/..
cp -r "$top/gen" gen
WORK=$PWD/work sh gen/insns.sh "$TESTS/lib/gen" bpf_insns || fail "insns.sh"
awk '/^\/\* begin program/ { prog = $4 }
    prog && /^ \* lowest kernel/ { print prog, "lowest", $4 }
    /^    \{ [0-9]+, PATCH_/ { gsub(/[",]/, ""); print prog, $3, $4, $5 }' bpf_insns/kinds.h | sort -u >got
grep -v '^#' "$TESTS/lib/gen/want.txt" | sort -u | diff - got >&9 || fail "< wanted, > got"
has bpf_insns/kinds.h '^      \.type = BPF_PROG_TYPE_KPROBE, \.is_ret = 1, \.lowest = I_KERNEL\(4, 1\),$'
# both forms of a tracepoint, the raw one with typed arguments: two rows, one array
awk '/\.name = "forms/ { print $4, $7; getline; print $3; getline; print $3 }' bpf_insns/kinds.h |
    tr -d '",' >rows
printf '%s\n' 'forms btf_trace_sys_enter' BPF_PROG_TYPE_TRACING forms_insns \
    'forms_tp raw_syscalls/sys_enter' BPF_PROG_TYPE_TRACEPOINT forms_insns | diff - rows >&9 ||
    fail "rows of both forms: < wanted, > got"
has bpf_insns/kinds.h '^ \* map counts: HASH, key 4, value 8, entries 512, flags 0x1$'
has bpf_insns/kinds.h "^ \*   sha256 $(sha256sum "$TESTS/lib/gen/kinds.bpf.c" | cut -d' ' -f1)\$"
awk 'length > 100 { exit 1 }' bpf_insns/*.h || fail "a line over 100 columns"
cat >use.c <<'END'
#include <linux/filter.h>
#include <stddef.h>
#include "bpf_insns/kinds.h"
int main(void)
{
    return kinds_family.n_progs == 8 && kinds_family.n_maps == 3 && kinds_progs[0].n_patches == I_LEN(fields_patches) ? 0 : 1;
}
END
arch=$(uname -m)
for cc in gcc clang musl-gcc; do
    command -v $cc >/dev/null || continue
    inc=
    [ $cc != musl-gcc ] || inc="-idirafter /usr/include -idirafter /usr/include/$arch-linux-gnu"
    # shellcheck disable=SC2086 # a list of flags
    $cc -std=gnu11 -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wwrite-strings -Wcast-align -Wpointer-arith \
        -Wundef -Wmissing-prototypes -Wunused -Werror $inc -o use use.c || fail "$cc"
    ./use || fail "$cc: counts"
done
