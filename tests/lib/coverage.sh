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
for tool in gcc gcov gcov-tool python3; do command -v $tool >/dev/null || { echo "coverage: no $tool"; exit 77; }; done
rm -rf "$dir"
mkdir -p "$dir"
make -s gen/out/texts.page || exit 1
flags='-std=gnu11 -pthread -O0 -g --coverage -fprofile-update=atomic'
# shellcheck disable=SC2086 # a list of words
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
(cd "$dir" && gcov -i -t kvis.gcda) >"$dir/counts.json" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
python3 - "$dir" <<'END'
import json, re, sys
dir = sys.argv[1]
file = next(f for f in json.load(open(dir + "/counts.json"))["files"] if f["file"] == "kvis.c")
ran, section, sections = {}, "", {}
for l in file["lines"]: # a line is there once for each function that has it
    ran[l["line_number"]] = ran.get(l["line_number"], 0) + l["count"]
never = sorted((f["start_line"], f["end_line"], f["name"]) for f in file["functions"] if not f["execution_count"])
with open(dir + "/rest", "w") as rest:
    for n, line in enumerate(open("kvis.c"), 1):
        banner = re.match(r"/\* == \d+ (\S+_|\w+)", line)
        section = banner[1] if banner else section
        if n in ran:
            lines, missed = sections.get(section, (0, 0))
            sections[section] = lines + 1, missed + (not ran[n])
        if not ran.get(n, 1):
            rest.write(f"{n:6} {line}")
print("functions that nothing called:")
for first, last, name in never:
    print(f"  {first:6}  {name} ({last - first + 1} lines)")
print("lines that nothing ran, by section:")
for name, (lines, missed) in sections.items():
    print(f"  {name:8} {missed:5} of {lines}")
print(f"coverage of kvis.c: {100 * sum(map(bool, ran.values())) / len(ran):.1f} % of {len(ran)} lines, "
      f"{len(file['functions']) - len(never)} of {len(file['functions'])} functions")
END
