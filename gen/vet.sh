#!/bin/sh
# vet.sh [FILE.h...]: checks that each program of these headers (of all in bpf_insns/) has a row in VETTED with
# its sha256 and its lowest kernel. For each program without a row, prints one to fill in, and fails.
#   VETTED=FILE  use FILE instead of bpf_insns/VETTED
#   --rows       print such rows for all programs, without reading VETTED
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
vetted=${VETTED-$top/bpf_insns/VETTED}
rows=0 bad=0 n=0
who='([0-9.]+( arm64| riscv64)?: [0-9]+(, |  ))+[^ :0-9][^:]*  20[0-9]{2}-[0-9]{2}-[0-9]{2}$' # KERNELS  WHO  DATE
[ "${1-}" != --rows ] || { rows=1; shift; }
[ $# -gt 0 ] || set -- "$top"/bpf_insns/*.h

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes the lines from "begin program" to "end program" into a file of their own, without source lines (// comments), and
# prints FILE  HEADER/PROGRAM  LOWEST for each program.
programs() {
    awk -v work="$work" -v header="$(basename "$1" .h)" '
        /^\/\* begin program [A-Za-z0-9_]*$/ { name = $4; file = work "/" header "." name; names[++n] = name }
        name != "" && !/^    \/\// { print > file }
        /^\/\* end program / { close(file); name = "" }
        /{ \.name = "/ { of = $0; sub(/.*{ \.name = "/, "", of); sub(/".*/, "", of) }
        /\.lowest.*I_KERNEL/ && !(of in lowest) { v = $0; sub(/.*I_KERNEL\(/, "", v); sub(/\).*/, "", v); sub(/, /, ".", v); lowest[of] = v }
        END { for (i = 1; i <= n; i++) print work "/" header "." names[i] "  " header "/" names[i] "  " lowest[names[i]] }' "$1"
}

for file; do
    [ ! -e "$file" ] || programs "$file"
done >"$work/programs"
if [ -s "$work/programs" ]; then
    cut -d' ' -f1 "$work/programs" | xargs sha256sum | cut -d' ' -f1 | paste -d' ' - "$work/programs" |
        sed 's/ [^ ]*//' >"$work/rows"
else
    : >"$work/rows"
fi
if [ $rows = 1 ]; then
    cat "$work/rows"
else
    grep -E "^[0-9a-f]{64}  [^ ]+  [0-9.]+  $who" "$vetted" >"$work/whole" || :
    while read -r sha program lowest; do
        n=$((n + 1))
        grep -Fq "$sha  $program  $lowest  " "$work/whole" && continue
        echo "vet: not in VETTED: $sha  $program  $lowest  KERNELS  WHO  DATE" >&2
        bad=$((bad + 1))
    done <"$work/rows"
fi
[ $rows = 1 ] || echo "vet: $((n - bad)) of $n programs are vetted"
[ $bad = 0 ]
