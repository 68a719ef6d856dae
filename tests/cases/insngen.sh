#!/bin/sh
# insngen's arrays are what clang made, and their pseudo-C agrees with another disassembler, llvm-objdump.
# Its patch tables and lowest kernels agree with those that were read by hand from the source (lib/gen/want.txt). It refuses what
# it does not understand, with file, section and offset: each probe of lib/gen/bad.list breaks one rule.
# tier: full
# timeout: 120
# needs: no-kvis gcc clang llvm-objdump python3
. "$TESTS/lib/lib.sh"
top=$TESTS/..

# words HEADER: the words of its compiled arrays as an object, words.o. The other form of a tracepoint has the same words.
words() {
    family=$(basename "$1" .h)
    cat >dump.c <<END
#include "$1"
#include <stdio.h>
int main(void)
{
    const struct bpf_family *f = &${family}_family;
    for (unsigned i = 0; i < f->n_progs; i++) {
        const struct bpf_prog_row *p = &f->progs[i];
        if (i && p->insns == p[-1].insns)
            continue;
        printf(".section .text.%s,\"ax\"\n.type %s,@function\n%s:\n", p->name, p->name, p->name);
        for (unsigned k = 0; k < p->n_insns; k++)
            printf(".quad 0x%llx\n", *(const unsigned long long *)&p->insns[k]);
    }
}
END
    gcc -std=gnu11 -Wall -Wextra -Werror -fno-strict-aliasing -o dump dump.c || fail "$1 does not compile"
    ./dump >words.s && clang -target bpf -c words.s -o words.o || fail "dump of $1"
}
check() { python3 "$TESTS/lib/bpf_dis.py" "$@" >&9 2>err; } # check HEADER WORDS [OBJECT]
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

for h in "$top"/bpf_insns/*.h; do
    words "$(realpath "$h")"
    check "$h" words.o || fail "$h"
done
cp -r "$top/gen" gen
WORK=$PWD/work sh gen/insns.sh "$TESTS/lib/gen" bpf_insns || fail "insns.sh"
compile "$TESTS/lib/gen/forms.c" work/forms.bpf.o
"$top/gen/insngen.py" work/forms.bpf.o >bpf_insns/forms.h || fail "insngen forms.bpf.o"
for name in forms kinds; do
    words "$PWD/bpf_insns/$name.h"
    check "bpf_insns/$name.h" words.o "work/$name.bpf.o" || fail "$name"
done
# the check itself: a comment that lies, a word that changed
sed 's/r0 >>= 32/r0 >>= 31/' bpf_insns/kinds.h >lie.h
cmp -s lie.h bpf_insns/kinds.h && fail "nothing to change"
check lie.h words.o && fail "a comment that lies is not seen"
sed 's/^.quad 0xb7$/.quad 0xbf/' words.s >changed.s
clang -target bpf -c changed.s -o changed.o || fail "changed.s"
check bpf_insns/kinds.h words.o changed.o && fail "a changed word is not seen"

# These rows were read by hand.
awk '/^\/\* begin program/ { prog = $4 }
    prog && /^ \* lowest kernel/ { print prog, "lowest", $4 }
    /^    \{ [0-9]+, PATCH_/ { gsub(/[",]/, ""); print prog, $3, $4, $5 }' bpf_insns/kinds.h | sort -u >got
grep -v '^#' "$TESTS/lib/gen/want.txt" | sort -u | diff - got >&9 || fail "< wanted, > got"
has bpf_insns/kinds.h '^      \.type = BPF_PROG_TYPE_KPROBE, \.is_ret = 1, \.lowest = I_KERNEL\(4, 1\),$'
# both forms of a tracepoint, the raw one with typed arguments: two rows, one array
awk '/\.name = "forms/ { print $4, $7; getline; print $3; getline; print $3 }' bpf_insns/kinds.h | tr -d '",' >rows
printf '%s\n' 'forms btf_trace_sys_enter' BPF_PROG_TYPE_TRACING forms_insns \
    'forms_tp raw_syscalls/sys_enter' BPF_PROG_TYPE_TRACEPOINT forms_insns | diff - rows >&9 ||
    fail "rows of both forms: < wanted, > got"
awk 'length > 100 { exit 1 }' bpf_insns/*.h || fail "a line over 100 columns"

# Objects that are refused; an object that is cut off anywhere gives an error, too.
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
[ -e bad24.o ] || fail "probes are missing"
size=$(wc -c <work/kinds.bpf.o)
for i in 0 1 15 63 64 100 1000 $((size / 3)) $((size / 2)) $((size - 1000)) $((size - 1)); do
    head -c "$i" work/kinds.bpf.o >cut.o
    refused cut.o '.*'
done
"$top/gen/insngen.py" >out 2>err; eq "usage" 2 $?
refused no_such_file.o 'file\+0x0: cannot be opened'
