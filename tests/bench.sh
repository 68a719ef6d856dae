#!/bin/sh
# bench.sh [RUNS]: kvis against strace, wall time side by side. Runs (5) are interleaved, so that a
# machine that gets slower slows both; printed are medians, their share of strace's, and the range.
# KVIS=path: another binary than ./kvis. LOOPS, FORKS: smaller workloads, for a try.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-5} kvis=${KVIS:-$PWD/kvis}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v strace >/dev/null || { echo "bench: no strace"; exit 1; }
${CC:-cc} -O2 -o "$dir/loop" tests/progs/loop.c

# The workload is $1: sh -c's first argument.
cat >"$dir/rows" <<END
native|
strace -f -o /dev/null|strace -f -o /dev/null
kvis trace -q|$kvis trace -q
kvis trace -v -o /dev/null|$kvis trace -v -o /dev/null
strace -f --seccomp-bpf -e trace=openat|strace -f --seccomp-bpf -e trace=openat -o /dev/null
kvis trace -e trace=openat|$kvis trace -e trace=openat -o /dev/null
kvis trace -q --same-cpu|$kvis trace -q --same-cpu
END

now() { date +%s%N; }

workload() { # workload NAME COMMAND...: times every row RUNS times
    name=$1; shift
    i=0
    while [ $i -lt "$runs" ]; do
        row=0
        while IFS='|' read -r label tracer; do
            row=$((row + 1))
            t=$(now)
            $tracer "$@" >/dev/null 2>&1 </dev/null || echo failed >"$dir/failed.$row"
            echo $((($(now) - t) / 1000)) >>"$dir/$name.$row"
        done <"$dir/rows"
        i=$((i + 1))
    done
    printf '\n%-42s %9s %9s   %s\n' "$name" "seconds" "of strace" "fastest-slowest"
    row=0
    while IFS='|' read -r label tracer; do
        row=$((row + 1))
        [ ! -e "$dir/failed.$row" ] || { echo "$label: failed"; rm "$dir/failed.$row"; continue; }
        base=2
        case $label in *openat*) base=5 ;; esac
        sort -n "$dir/$name.$row" >"$dir/a"; sort -n "$dir/$name.$base" >"$dir/b"
        paste "$dir/a" "$dir/b" | awk -v label="$label" '
            { a[NR] = $1; b[NR] = $2 }
            function median(v) { return NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }
            END { printf "%-42s %9.3f %9.2f   %.3f-%.3f\n", label, median(a) / 1e6, median(a) / median(b), a[1] / 1e6, a[NR] / 1e6 }'
    done <"$dir/rows"
}

echo "$(uname -srm), $(getconf _NPROCESSORS_ONLN) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo "$(strace --version | head -n 1 | sed 's/ -- / /'); $("$kvis" --version 2>&1 | head -n 1); medians of $runs runs"
workload loop "$dir/loop" "${LOOPS:-100000}"
workload forks sh -c "i=0; while [ \$i -lt ${FORKS:-500} ]; do (:); i=\$((i + 1)); done"
