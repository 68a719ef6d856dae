#!/bin/sh
# libFuzzer finds no error in the readers of BTF and of event formats.
# tier: fuzz
# timeout: 120
# needs: clang python3
# covers: E1 E3
. "$TESTS/lib/lib.sh"
inc=$(gcc -print-multiarch 2>/dev/null)
clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -pthread -Wno-unused-function \
    -DFUZZ ${inc:+-idirafter /usr/include/$inc} -o fuzz "$TESTS/lib/btf.c" 2>err ||
    { cat err; skip "this clang has no libFuzzer (libclang-rt-dev)"; }
python3 "$TESTS/lib/btf_hostile.py" corpus && python3 "$TESTS/lib/format_hostile.py" corpus || fail "no corpus"
./fuzz -max_total_time="${FUZZ_SECONDS:-15}" -timeout=5 -max_len=8192 -rss_limit_mb=1024 -print_final_stats=1 corpus \
    >out 2>&1 || fail "a crash: see what it left here"
has out 'number_of_executed_units: [0-9]{4}'
