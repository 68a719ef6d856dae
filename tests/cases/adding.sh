#!/bin/sh
# Adding an event, an option, or a probe with a metric takes one row and one function. lib/adding.py adds one of each to a copy of
# the source; each must appear in every output, and the lint must still pass.
# tier: full
# timeout: 180
# needs: gcc clang python3 flock
. "$TESTS/lib/lib.sh"
top=$TESTS/..
mkdir -p src/tests/lib
cp -r "$top/kvis.c" "$top/gen" "$top/bpf_insns" "$top/Makefile" src/ || fail "the copy"
cp "$TESTS/lib/lint.sh" src/tests/lib/
python3 "$TESTS/lib/adding.py" src || fail "an anchor is gone"
cd src
for make in 'sh gen/tables.sh' 'sh gen/options.sh' 'sh gen/metrics.sh' gen/texts.py 'make -s gen/out/texts.page'; do
    $make >../out 2>../err || fail "$make"
done
WORK=$PWD/work sh gen/insns.sh >../out 2>../err || fail "the probe does not compile"
sh gen/vet.sh >../out 2>../err && fail "an array that nobody has read is taken"
sh tests/lib/lint.sh kvis.c >../out 2>../err || fail "the lint"
gcc -std=gnu11 -pthread -Wall -Wextra -Werror -o ../new kvis.c >../out 2>../err || fail "it does not compile"
cd ..
KVIS=$PWD/new

# The event: in text, as JSON, in a recording, in the report.
: >lockfile
gives 0 trace --json=json -w run.kvis -- flock lockfile true
has err 'lock .*/lockfile'
want 'by("flock")[0]["path"].endswith("/lockfile")'
run replay --json=json run.kvis
want 'by("flock")[0]["path"].endswith("/lockfile")'
run trace --backend=ptrace -e trace=flock --json=json -- flock lockfile true
want 'len(by("flock")) == 1'

# The option: parsed, with its values, in the help, the manual and the completions.
run check -v --only=yes
has out '^kernel +yes'
hasnt out ' NO '
gives 2 check --only=perhaps
has err '--only.*yes.*no'
for as in 'check --help' 'help --man' 'completion bash'; do
    run $as
    has out 'only'
done

# The probe sees at least the forks that this script makes meanwhile, and at most those that the kernel counts.
[ "$(id -u)" = 0 ] || exit 0
forks() { awk '$1 == "processes" { print $2 }' /proc/stat; }
rm -f json # of the runs above
before=$(forks)
"$KVIS" monitor -n 4 -i 0.5 -c sched --json=json 9>&- >out 2>err &
until_true 10 grep -q '"sample"' json || fail "no sample"
for k in $(seq 200); do /bin/true; done
wait $! || fail "kvis"
after=$(forks)
seen=$(python3 -c 'import json, sys
print(round(sum(e["forks_seen_per_second"] * e["interval_ns"] / 1e9 for e in map(json.loads, open("json"))
                if "forks_seen_per_second" in e)))')
say "forks: 200 here, $seen seen, $((after - before)) in all"
[ "$seen" -ge 200 ] && [ "$seen" -le $((after - before)) ] || fail "forks"
