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

# label|whose time it is a share of (a row)|command in front of the workload
perf=
command -v perf >/dev/null && perf="perf trace|2|unshare -m perf trace -o /dev/null" # it mounts tracefs
cat >"$dir/rows" <<END
native|2|
strace -f -o /dev/null|2|strace -f -o /dev/null
kvis trace -q|2|$kvis trace -q
kvis trace -v -o /dev/null|2|$kvis trace -v -o /dev/null
kvis trace -v -q --json=/dev/null|2|$kvis trace -v -q --json=/dev/null
kvis trace -q --no-ebpf|2|$kvis trace -q --no-ebpf
kvis trace -q --backend=ptrace|2|$kvis trace -q --backend=ptrace
kvis trace -v -o /dev/null --backend=ptrace|2|$kvis trace -v -o /dev/null --backend=ptrace
strace -f --seccomp-bpf -e trace=openat|9|strace -f --seccomp-bpf -e trace=openat -o /dev/null
kvis trace -e trace=openat|9|$kvis trace -e trace=openat -o /dev/null
kvis trace -e trace=openat --backend=ptrace|9|$kvis trace -e trace=openat --backend=ptrace -o /dev/null
kvis proc|2|$kvis proc -o /dev/null
${perf}
END

now() { date +%s%N; }

workload() { # workload NAME COMMAND...: times every row RUNS times
    name=$1; shift
    i=0
    while [ $i -lt "$runs" ]; do
        row=0
        while IFS='|' read -r label base tracer; do
            [ -n "$label" ] || continue
            row=$((row + 1))
            t=$(now)
            $tracer "$@" >/dev/null 2>&1 </dev/null || echo failed >"$dir/failed.$row"
            echo $((($(now) - t) / 1000)) >>"$dir/$name.$row"
        done <"$dir/rows"
        i=$((i + 1))
    done
    printf '\n%-44s %9s %9s %9s   %s\n' "$name" "seconds" "of strace" "of native" "fastest-slowest"
    row=0
    while IFS='|' read -r label base tracer; do
        [ -n "$label" ] || continue
        row=$((row + 1))
        [ ! -e "$dir/failed.$row" ] || { echo "$label: failed"; rm "$dir/failed.$row"; continue; }
        sort -n "$dir/$name.$row" >"$dir/a"; sort -n "$dir/$name.$base" >"$dir/b"
        sort -n "$dir/$name.1" >"$dir/c"
        paste "$dir/a" "$dir/b" "$dir/c" | awk -v label="$label" '
            { a[NR] = $1; b[NR] = $2; c[NR] = $3 }
            function median(v) { return NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }
            END { printf "%-44s %9.3f %9.2f %9.2f   %.3f-%.3f\n", label, median(a) / 1e6,
                median(a) / median(b), median(a) / median(c), a[1] / 1e6, a[NR] / 1e6 }'
    done <"$dir/rows"
}

# running NAME COMMAND...: the workload while `kvis proc` watches the whole machine, without its begin and end.
running() {
    name=$1 i=0; shift
    while [ $i -lt "$runs" ]; do
        t=$(now)
        "$@" >/dev/null 2>&1 </dev/null
        echo $((($(now) - t) / 1000)) >>"$dir/alone"
        "$kvis" proc -o /dev/null --json=/dev/null 2>/dev/null &
        sleep 0.5
        t=$(now)
        "$@" >/dev/null 2>&1 </dev/null
        echo $((($(now) - t) / 1000)) >>"$dir/beside"
        kill -INT $!
        wait $! || echo "kvis proc: exit status $?"
        i=$((i + 1))
    done
    sort -n "$dir/alone" >"$dir/a"; sort -n "$dir/beside" >"$dir/b"
    paste "$dir/a" "$dir/b" | awk -v name="$name" '
        { a[NR] = $1; b[NR] = $2 }
        function median(v) { return NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }
        END { printf "\n%-44s %9.3f %9s %9.2f   %.3f-%.3f\n", name ", kvis proc watches the box", median(b) / 1e6, "",
            median(b) / median(a), b[1] / 1e6, b[NR] / 1e6 }'
    rm "$dir/alone" "$dir/beside"
}

echo "$(uname -srm), $(getconf _NPROCESSORS_ONLN) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo "$(strace --version | head -n 1 | sed 's/ -- / /'); $("$kvis" --version 2>&1 | head -n 1); medians of $runs runs"
workload loop "$dir/loop" "${LOOPS:-100000}"
workload forks sh -c "i=0; while [ \$i -lt ${FORKS:-500} ]; do (:); i=\$((i + 1)); done"
workload programs sh -c "i=0; while [ \$i -lt ${FORKS:-500} ]; do /bin/true; i=\$((i + 1)); done"
running programs sh -c "i=0; while [ \$i -lt ${FORKS:-500} ]; do /bin/true; i=\$((i + 1)); done"
running forks sh -c "i=0; while [ \$i -lt ${FORKS:-500} ]; do (:); i=\$((i + 1)); done"
