#!/bin/sh
# libFuzzer finds no error in the reader of recordings.
# tier: fuzz
# timeout: 120
# needs: clang python3
# covers: E1 O1
. "$TESTS/lib/lib.sh"
inc=$(gcc -print-multiarch 2>/dev/null)
clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -pthread -Wno-unused-function \
    ${inc:+-idirafter /usr/include/$inc} -o fuzz "$TESTS/fuzz/rec.c" 2>err ||
    { cat err; skip "this clang has no libFuzzer (libclang-rt-dev)"; }
mkdir corpus
kv trace -C -w a.kvis -- sh -c 'ls / >/dev/null; cat <nothing; kill -USR1 $$' >out 2>err
kv trace -v -w b.kvis -e trace=file,process -- sh -c 'ls /' >out 2>err
# a corpus of blocks without their heads, the file's head away
python3 - <<'END'
for name in "ab":
    data, at, out = open(name + ".kvis", "rb").read(), 16, b""
    while at < len(data):
        n = int.from_bytes(data[at:at + 4], "little")
        out += n.to_bytes(2, "little") + data[at + 8:at + 8 + n] if n < 65536 else b""
        at += 8 + n
    open("corpus/" + name, "wb").write(out)
END
ASAN_OPTIONS=detect_leaks=0 ./fuzz -detect_leaks=0 -max_total_time="${FUZZ_SECONDS:-15}" -timeout=5 -max_len=20000 -rss_limit_mb=1024 \
    -print_final_stats=1 corpus >out 2>&1 || fail "a crash: see what it left here"
has out 'number_of_executed_units: [0-9]{3}'
