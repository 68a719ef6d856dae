#!/bin/sh
# Each BPF program has a row in bpf_insns/VETTED with its hash and lowest kernel, and a changed program voids it.
# tier: gate
# timeout: 60
# needs: no-kvis
. "$TESTS/lib/lib.sh"
top=$TESTS/..
sh "$top/gen/vet.sh" >&9 2>&1 || fail "make vet"

# vet.sh itself, with a header and a VETTED of its own
cp "$TESTS/lib/gen/sample.h" sample.h
export VETTED="$PWD/VETTED"
sh "$top/gen/vet.sh" --rows sample.h | sed 's/$/  5.10: 9, 6.1: 9  somebody  2026-01-02/' >VETTED
eq "rows" 2 "$(wc -l <VETTED)"
sh "$top/gen/vet.sh" sample.h >out || fail "a vetted array is refused"
sed 's,// sample.bpf.c:8 ,// sample.bpf.c:9 ,' sample.h >moved.h
cmp -s moved.h sample.h && fail "no source line to change"

refused() { # refused WHAT SED-SCRIPT
    mkdir -p bad
    sed "$2" sample.h >bad/sample.h
    cmp -s bad/sample.h sample.h && fail "$1: nothing changed"
    sh "$top/gen/vet.sh" bad/sample.h >out 2>err && fail "$1 is not seen"
    has err '^vet: not in VETTED: [0-9a-f]{64}  sample/'
}
mkdir -p ok && cp moved.h ok/sample.h
sh "$top/gen/vet.sh" ok/sample.h >out 2>err || fail "a moved source line voids a row"
refused "a changed instruction" 's/I_MOV64_IMM(R0, 0)/I_MOV64_IMM(R0, 1)/'
refused "a changed patch" 's/PATCH_CONST, 0, "CFG_PID"/PATCH_CONST, 0, "CFG_TID"/'
refused "another lowest kernel" 's/I_KERNEL(4, 7)/I_KERNEL(4, 8)/'
refused "another program" 's/first/fourth/g'
for column in 's/  5.10: 9, 6.1: 9//' 's/  somebody//' 's/  2026-01-02//' 's/: 9//g'; do
    sed "$column" VETTED >less
    VETTED=$PWD/less sh "$top/gen/vet.sh" sample.h >out 2>err && fail "a row that is not whole: $column"
done
sed 1d VETTED >less && mv less VETTED
sh "$top/gen/vet.sh" sample.h >out 2>err && fail "a program without a row is not seen"
has err 'sample/first  4\.7'
