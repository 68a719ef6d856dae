#!/bin/sh
# libFuzzer finds no error in insngen, which reads clang's object files.
# tier: fuzz
# timeout: 90
# needs: clang
. "$TESTS/lib/lib.sh"
top=$TESTS/..
echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return !p || n > n + 1; }' >empty.c
clang -fsanitize=fuzzer,address,undefined -o empty empty.c 2>/dev/null ||
    skip "clang without its sanitizers' libraries (libclang-rt-dev)"
mkdir corpus
for probe in "$TESTS"/lib/gen/kinds.bpf.c "$TESTS"/lib/gen/sample.bpf.c "$top"/gen/probes/*.bpf.c; do
    [ -e "$probe" ] || continue
    name=$(basename "$probe" .bpf.c)
    clang -target bpf -mcpu=v2 -O2 -g -std=gnu11 -nostdinc -I "$top/gen" -I "$top/gen/probes" -c "$probe" \
        -o "corpus/$name" || fail "$probe"
    # without what insngen does not read: smaller is faster
    ! command -v llvm-objcopy >/dev/null || llvm-objcopy -R '.debug*' -R '.rel.debug*' "corpus/$name"
done
clang -std=c11 -g -O1 -DINSNGEN_FUZZ -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=all -o fuzz "$top/gen/insngen.c" || fail "the fuzzer does not compile"
./fuzz -runs="${FUZZ_RUNS:-3000}" -timeout=10 \
    -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 corpus >out 2>&1 || fail "see crash-* here"
grep -E 'number_of_executed_units|cov:' out | tail -n 2 >&9
