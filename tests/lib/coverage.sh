#!/bin/sh
# Used by make coverage.
# coverage.sh [NAME...]: measures which part of kvis.c the cases run. Builds it for gcov (tests/out/cov), runs the cases NAME
# (default: all) once with this build, including the guests of this architecture, and prints the share of lines that ran, the
# functions that were never called, and the number of lines of each section that did not run (tests/out/cov/rest lists them).
# This is not a test: the build is slow, larger than 1.5 MiB and writes its counts at exit, so cases that check speed,
# size or files may fail; the list names them. Code run by a kvis that was killed is not counted.
set -u
cd "$(dirname "$0")/../.." || exit 1
OUT=$PWD/tests/out dir=$PWD/tests/out/cov
for tool in gcc gcov gcov-tool; do command -v $tool >/dev/null || { echo "coverage: no $tool"; exit 77; }; done
rm -rf "$dir"
mkdir -p "$dir"
make -s gen/out/texts.page || exit 1
flags='-std=gnu11 -pthread -O0 -g --coverage -fprofile-update=atomic'
gcc $flags -DKVIS_VERSION='"0.1"' -c -o "$dir/kvis.o" kvis.c &&
    gcc $flags -static -Wl,-u,pthread_mutex_init -o "$dir/kvis" "$dir/kvis.o" || exit 1 # -u: libgcov's reference to it is weak
chmod 1777 "$dir" # another user's kvis writes there too
umask 0
[ $# -gt 0 ] || set -- --tier all
KVIS="$dir/kvis" tests/run.sh "$@"
# Each guest has written the counts of its boot where its kvis was built, and sent them home (tests/vm/init).
n=0
for guest in "$OUT"/work/*/boot*/back/out/cov/kvis.gcda "$OUT"/vm/*/boot*/back/out/cov/kvis.gcda; do
    [ -e "$guest" ] || continue
    n=$((n + 1))
    rm -rf "$OUT/merged"
    gcov-tool merge "$dir" "${guest%/*}" -o "$OUT/merged" >"$dir/err" 2>&1 || { cat "$dir/err"; exit 1; }
    mv "$OUT/merged/kvis.gcda" "$dir/"
done
echo "with what ran in $n boots of guests"
gcov -t -o "$dir" kvis.gcda >"$dir/counts" 2>"$dir/err" && (cd "$dir" && gcov -f kvis.gcda) >"$dir/functions" 2>>"$dir/err" ||
    { cat "$dir/err"; exit 1; }
echo "functions that nothing called:"
awk -F"'" '/^Function/ { name = $2 } /^Lines executed:0.00/ && name { print "  " name } /^$/ { name = "" }' "$dir/functions"
echo "lines that nothing ran, by section:"
awk -F: -v rest="$dir/rest" '{ line = $0; sub(/^[^:]*:[^:]*:/, "", line) }
    line ~ /^\/\* == [0-9]+ / { split(line, w, " "); section = w[4]; order[++n] = section }
    $1 ~ /[0-9#]/ { lines[section]++; all++ }
    $1 ~ /#/ { missed[section]++; not_run++; printf "%6d %s\n", $2, line >rest }
    END {
        for (i = 1; i <= n; i++) printf "  %-8s %5d of %d\n", order[i], missed[order[i]], lines[order[i]]
        printf "coverage of kvis.c: %.1f %% of %d lines\n", 100 * (all - not_run) / all, all
    }' "$dir/counts"
