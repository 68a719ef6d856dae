#!/bin/sh
# coverage.sh [NAME...]: what part of kvis.c the cases run. Builds it for gcov (tests/out/cov), runs the cases NAME
# (without one: all) with that once, and prints the share of lines, and the functions that nothing has called.
# It is no test: this build is slow, larger than 512 KB and writes its counts when it ends, so a case may fail that
# looks at such things; the list says which. What a killed kvis has run is not counted, nor what runs in a guest.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$PWD/tests/out/cov
for tool in gcc gcov python3; do command -v $tool >/dev/null || { echo "coverage: no $tool"; exit 77; }; done
rm -rf "$dir"
mkdir -p "$dir"
make -s gen/report.page || exit 1
flags='-std=gnu11 -pthread -O0 -g --coverage -fprofile-update=atomic'
# shellcheck disable=SC2086 # a list of words
gcc $flags -DKVIS_VERSION='"0.1"' -c -o "$dir/kvis.o" kvis.c && gcc $flags -no-pie -o "$dir/kvis" "$dir/kvis.o" || exit 1
chmod 1777 "$dir" # another user's kvis writes there too
umask 0
ONCE=1 KVIS="$dir/kvis" tests/run.sh "$@"
(cd "$dir" && gcov -i -t kvis.gcda) >"$dir/counts.json" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
python3 - "$dir/counts.json" <<'END'
import json, sys
file = next(f for f in json.load(open(sys.argv[1]))["files"] if f["file"] == "kvis.c")
ran = {}
for l in file["lines"]: # a line is there once for each function that has it
    ran[l["line_number"]] = ran.get(l["line_number"], 0) + l["count"]
never = sorted((f["start_line"], f["end_line"], f["name"]) for f in file["functions"] if not f["execution_count"])
print("functions that nothing called:")
for first, last, name in never:
    print(f"  {first:6}  {name} ({last - first + 1} lines)")
rest = sum(not n for l, n in ran.items() if not any(a <= l <= b for a, b, _ in never))
print(f"coverage of kvis.c: {100 * sum(map(bool, ran.values())) / len(ran):.1f} % of {len(ran)} lines, "
      f"{len(file['functions']) - len(never)} of {len(file['functions'])} functions; {rest} lines not run in those")
END
