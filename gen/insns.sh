#!/bin/sh
# insns.sh [PROBES [OUTPUT]]: makes bpf_insns/NAME.h from each gen/probes/NAME.bpf.c, with clang and insngen.py.
# CLANG names the compiler, WORK the directory of intermediate files (tests/out/gen).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
probes=$(cd "${1-$top/gen/probes}" && pwd)
output=${2-$top/bpf_insns}
work=${WORK-$top/tests/out/gen}
clang=${CLANG:-clang}
# -fdebug... keeps paths out of the object, -nostdinc keeps headers of this machine out of the program.
flags='-target bpf -mcpu=v2 -O2 -g -std=gnu11 -Wall -Werror -nostdinc -fno-ident'

command -v "$clang" >/dev/null || { echo "insns.sh: no $clang, which makes the arrays" >&2; exit 1; }
mkdir -p "$work" "$output"
output=$(cd "$output" && pwd) work=$(cd "$work" && pwd)
cd "$probes"
for probe in *.bpf.c; do
    [ -e "$probe" ] || { echo "insns.sh: no probes in $probes" >&2; break; }
    name=${probe%.bpf.c}
    # shellcheck disable=SC2086 # a list of words
    "$clang" $flags -I "$top/gen" -I "$top/gen/probes" -fdebug-prefix-map="$probes"=. -c "$probe" -o "$work/$name.bpf.o"
    # xargs understands -MM's escapes of blanks in paths; sha256sum prints "SUM  PATH".
    # shellcheck disable=SC2086
    "$clang" $flags -I "$top/gen" -I "$top/gen/probes" -MM "$probe" | sed 's/^[^:]*://; s/\\$//' |
        xargs sha256sum | sed 's/  \(.*\)/ "\1"/' |
        xargs "$top/gen/insngen.py" --compiler="clang $("$clang" -dumpversion)" --flags="$flags" "$work/$name.bpf.o" \
            >"$work/$name.h"
    cmp -s "$work/$name.h" "$output/$name.h" || cp "$work/$name.h" "$output/$name.h"
done
