#!/bin/sh
# Used by make fuzz and the case fuzz.
# run.sh [TARGET...]: fuzzes kvis with FUZZ_RUNS (1700000) executions of each target of fuzz.c (default: all), and prints
# their number. Works in a directory below tests/out/fuzz (FUZZ_DIR), where corpora are kept for the next run.
# KVIS (./kvis) makes the first recordings. Exits with 1 at a finding, 77 if the fuzzers cannot be built.
set -eu
cd "$(dirname "$0")/../.."
top=$PWD
kvis=${KVIS:-$top/kvis} runs=${FUZZ_RUNS:-1700000} dir=${FUZZ_DIR:-$top/tests/out/fuzz}
[ $# -gt 0 ] || set -- replay diff btf format files http
mkdir -p "$dir"
cd "$dir"

# See fuzz.c: all variables of kvis between two symbols.
build() {
    inc=$(gcc -print-multiarch 2>/dev/null)
    san=-fsanitize=fuzzer,address,undefined
    echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n > n + 1; }' >empty.c
    clang -w $san -o empty empty.c 2>/dev/null || { echo "this clang has no libFuzzer (libclang-rt-dev)"; exit 77; }
    clang -std=gnu11 -g -O1 $san -fno-sanitize-recover=all -pthread -Wno-unused-function -Wno-unused-variable \
        ${inc:+-idirafter /usr/include/$inc} -c -o fuzz.o "$top/tests/fuzz/fuzz.c"
    objcopy --rename-section .bss=kvis_bss --rename-section .data=kvis_data fuzz.o
    clang $san -pthread -o fuzz fuzz.o
}
[ -e fuzz ] && [ -z "$(find "$top/kvis.c" "$top/tests/fuzz" "$top/gen" "$top/bpf_insns" -newer fuzz)" ] || build

# The initial corpora.
for target in replay diff btf format http files; do mkdir -p corpus/$target; done
python3 "$top/tests/lib/hostile.py" corpus
"$kvis" trace -C -w a.kvis -- sh -c 'ls / >/dev/null; cat <nothing; kill -USR1 $$' >record.out 2>&1 || :
"$kvis" trace -v -w b.kvis -e trace=file,process -- sh -c 'ls /' >record.out 2>&1 || :
PYTHONPATH=$top/tests/lib python3 - <<'END'
import recording
a, b = (b"".join(len(block).to_bytes(2, "little") + block for _, block in recording.blocks(open(f"{name}.kvis", "rb").read())
                 if len(block) < 65536) for name in "ab")
for i, one in enumerate((a, b)):
    open(f"corpus/replay/{i}", "wb").write(b"\1" + one)
    if len(one) < 65536:
        open(f"corpus/diff/{i}", "wb").write(len(one).to_bytes(2, "little") + one + a)
for i, lines in enumerate((b"GET /metrics HTTP/1.1\r\n\r\n", b"HEAD / HTTP/1.0\n\n", b"POST /x HTTP/1.1\r\nA: b\r\n\r\n")):
    open(f"corpus/http/{i}", "wb").write(lines)
for i in range(0, 400, 7):
    open(f"corpus/files/{i}", "wb").write(i.to_bytes(2, "little") + b"\x0c\x00some 1 2 3 4\xff\xff\0\0")
END
FUZZ_TREE=$dir/tree # written to: in memory where there is such a directory
[ ! -w /dev/shm ] || FUZZ_TREE=$(mktemp -d /dev/shm/kvis-fuzz.XXXXXX)
trap 'rm -rf "$FUZZ_TREE"' EXIT
trap 'exit 1' INT TERM
python3 "$top/tests/lib/mon_tree.py" "$FUZZ_TREE" a
# The reports go to the log of the target, whatever the runner has set.
export FUZZ_TREE ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

for target; do
    case $target in replay | diff) max=20000 ;; *) max=8192 ;; esac
    FUZZ_TARGET=$target ./fuzz -runs="$runs" -timeout=10 -max_len=$max -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$target-" "corpus/$target" >"$target.log" 2>&1 || {
        tail -n 40 "$target.log"
        echo "fuzz $target: a finding: $dir/$target-* (FUZZ_TARGET=$target $dir/fuzz FILE runs it again)"
        exit 1
    }
    echo "fuzz $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$target.log") executions, no finding"
done
