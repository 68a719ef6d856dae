#!/bin/sh
# The pseudo-C in each BPF array agrees with the output of another disassembler, lib/bpf_dis.py, which shares no code with insngen.
# tier: quick
# timeout: 120
# needs: no-kvis gcc python3
. "$TESTS/lib/lib.sh"
top=$TESTS/..

dump() { # dump HEADER: the words of its compiled arrays, to ./words
    family=$(basename "$1" .h)
    cat >dump.c <<END
#include "$1"
#include <stdio.h>
int main(void)
{
    const struct bpf_family *f = &${family}_family;
    for (unsigned i = 0; i < f->n_progs; i++) {
        const struct bpf_prog_row *p = &f->progs[i];
        printf("program %s\n", p->name);
        for (unsigned k = 0; k < p->n_insns; k++) {
            const unsigned char *b = (const void *)&p->insns[k];
            for (int j = 0; j < 8; j++)
                printf("%02x", b[j]);
            putchar('\n');
        }
    }
}
END
    gcc -std=gnu11 -Wall -Wextra -Werror -o dump dump.c || fail "$1 does not compile"
    ./dump >words || fail "dump of $1"
}

check() { # check HOW FILE
    python3 "$TESTS/lib/bpf_dis.py" "$1" words "$2" >&9 2>err || fail "$1 $2"
}

for h in "$top"/bpf_insns/*.h; do
    [ -e "$h" ] || continue
    dump "$(realpath "$h")"
    check words "$h"
done
command -v clang >/dev/null || skip "the committed arrays are right; no clang for the test input"
mkdir bpf_insns
cp -r "$top/gen" gen
cp -r "$TESTS/lib/gen" probes
WORK=$PWD/work sh gen/insns.sh probes bpf_insns || fail "insns.sh"
clang -target bpf -mcpu=v2 -O2 -g -std=gnu11 -c "$TESTS/lib/gen/forms.c" -o work/forms.bpf.o || fail "forms.c"
"$top/gen/insngen.py" work/forms.bpf.o >bpf_insns/forms.h || fail "insngen forms.bpf.o"
for name in forms kinds; do
    dump "$PWD/bpf_insns/$name.h"
    check words "bpf_insns/$name.h"
    check object "work/$name.bpf.o"
done
# the check itself: a comment that lies, a word that changed
sed 's/r0 >>= 32/r0 >>= 31/' bpf_insns/kinds.h >lie.h
cmp -s lie.h bpf_insns/kinds.h && fail "nothing to change"
python3 "$TESTS/lib/bpf_dis.py" words words lie.h 2>/dev/null && fail "a comment that lies is not seen"
sed '3s/^../b7/;3s/..$/77/' words >words2
python3 "$TESTS/lib/bpf_dis.py" object words2 work/kinds.bpf.o 2>/dev/null && fail "a changed word is not seen"
true
