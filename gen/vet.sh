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

# Prints the lines from "begin program" to "end program", without source lines (// comments).
block() { # block FILE PROGRAM
    awk -v name="$2" '$0 == "/* begin program " name { on = 1 }
        on && !/^    \/\/ / { print }
        $0 == "/* end program " name " */" { exit }' "$1"
}

lowest() { # lowest FILE PROGRAM: 4.17
    sed -n '/{ \.name = "'"$2"'", /,/\.lowest/s/.*I_KERNEL(\([0-9]*\), \([0-9]*\)).*/\1.\2/p' "$1"
}

for file; do
    [ -e "$file" ] || continue
    for name in $(sed -n 's/^\/\* begin program \([A-Za-z0-9_]*\)$/\1/p' "$file"); do
        sha=$(block "$file" "$name" | sha256sum | cut -d' ' -f1)
        row="$sha  $(basename "$file" .h)/$name  $(lowest "$file" "$name")"
        n=$((n + 1))
        if [ $rows = 1 ]; then
            echo "$row"
        elif ! grep -Eq "^$(echo "$row" | sed 's/\./\\./g')  $who" "$vetted"; then
            echo "vet: not in VETTED: $row  KERNELS  WHO  DATE" >&2
            bad=$((bad + 1))
        fi
    done
done
[ $rows = 1 ] || echo "vet: $((n - bad)) of $n programs are vetted"
[ $bad = 0 ]
