#!/bin/sh
# The pseudo-C in each BPF array agrees with the output of another disassembler, llvm-objdump.
# tier: full
# timeout: 120
# needs: no-kvis gcc clang llvm-objdump python3
. "$TESTS/lib/lib.sh"
top=$TESTS/..

# words HEADER: the words of its compiled arrays as an object, words.o. NAME_tp and NAME_bt are other forms of NAME's tracepoint, and
# have its words.
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

for h in "$top"/bpf_insns/*.h; do
    words "$(realpath "$h")"
    check "$h" words.o || fail "$h"
done
mkdir bpf_insns
cp -r "$top/gen" gen
cp -r "$TESTS/lib/gen" probes
WORK=$PWD/work sh gen/insns.sh probes bpf_insns || fail "insns.sh"
clang -target bpf -mcpu=v2 -O2 -g -std=gnu11 -c "$TESTS/lib/gen/forms.c" -o work/forms.bpf.o || fail "forms.c"
"$top/gen/insngen.py" work/forms.bpf.o >bpf_insns/forms.h || fail "insngen forms.bpf.o"
for name in forms kinds; do
    words "$PWD/bpf_insns/$name.h"
    check "bpf_insns/$name.h" words.o "work/$name.bpf.o" || fail "$name"
done
# the check itself: a comment that lies, a word that changed
sed 's/r0 >>= 32/r0 >>= 31/' bpf_insns/kinds.h >lie.h
cmp -s lie.h bpf_insns/kinds.h && fail "nothing to change"
check lie.h words.o && fail "a comment that lies is not seen"
check bpf_insns/kinds.h words.o work/forms.bpf.o && fail "another object is not seen"
true
