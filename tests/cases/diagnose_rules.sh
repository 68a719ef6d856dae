#!/bin/sh
# kvis diagnose --rules: a rule from a file finds what it describes, a mistake in the file is reported with its line and
# column, and files that are not rule files are refused.
# tier: gate asan
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
cat >rules <<'END'
# local rules
rule my-threads
    resource LIMIT
    kind     saturation
    tried    machine
    when     threads_used_ratio >= 0.0001%
    and      all threads >= 2
    and?     all BUSY <= 1e9
    blames   all busy_cpu_seconds_per_second
    finding  There are threads on this machine
    source   this test
    next     ps -eLf

rule my-quiet
    when     threads >= 1e9
    finding  There are far too many threads
END
gives 0 diagnose -d 0.1 --threshold my-threads=0.0002% --rules rules --json=json -v -o text
has text 'There are threads on this machine'
has text 'rule: my-threads .saturation of kernel limits.'
hasnt text 'my-quiet'
want_json "[(f['next'], f['severity'], [(e['metric'], round(e['threshold'], 9)) for e in f['evidence'][:2]]) for f in J['findings']
    if f['rule'] == 'my-threads'] == [('ps -eLf', 'saturation', [('threads_used_ratio', 2e-6), ('threads', 2)])]" json
mistake() { # mistake MESSAGE < FILE
    cat >wrong
    gives 2 diagnose -d 0.1 --rules wrong
    has err "--rules: 'wrong': $1"
    [ ! -s out ] || fail "it ran"
}
# A file of rules (\n ends a line), and the error message.
while IFS='~' read -r file message; do printf "$file" | mistake "$message" || exit 1; done <<'END'
rule a\n when no_such >= 1\n~line 2, column 7: no metric 'no_such' .kvis help metrics
rule a\n when threads > 1\n~line 2, column 15: '>' is not allowed here
rule a\n when threads >= much\n~line 2, column 18: not a number above 0
rule a\n unless  RAM\n~line 2, column 10: no resource 'RAM'
rule a\n when threads >= 1\n colour red\n~line 3, column 2: 'colour' is not allowed here
rule a\n when threads >= 1\n and  all threads >= 1\n and  all threads >= 1\n and  all threads >= 1\n and  all threads >= 1\n~line 6, column 7: a rule can have at most 3 'and' columns
rule cpu-busy\n~line 1, column 6: rule cpu-busy already exists
rule a\n when threads >= 1\nrule b\n~line 3, column 1: rule a has no finding
rule a\n when threads >= 1\n~line 3, column 1: rule a has no finding
rule a\n when threads >= 1\n cost threads 1x\n finding x\n~line 3, column 15: not a factor
rule a\n when threads >= 1\n resource CPU MEM\n finding x\n~line 3, column 11: no resource 'CPU MEM'
~empty
when threads >= 1\n~line 1, column 1: expected rule NAME
rule a\n finding x\033[1m\n~line 2, column 11: not a printable ASCII character
rule a\000b\n~not a text file
END
head -c 70000 /dev/zero | tr '\0' '#' | mistake "larger than 64 KiB" || exit 1
seq 300 | sed 's/.*/rule r&\n when threads >= 1\n finding x/' | mistake "line [0-9]*, column 6: too many rules" || exit 1
echo 'rule a' >wrong
run diagnose --rules rules --rules wrong; status 2; has err "'wrong': line 2, column 1: rule a has no finding" # in the second file
run diagnose --rules /nosuch; status 2; has err 'No such file'
# bytes of a file cut or changed anywhere: never a crash
for n in $(some "10 60 150 200 333" "$(seq 500)" "10 200"); do
    head -c "$n" rules >cut
    "$KVIS" diagnose -d 0.01 --rules cut >/dev/null 2>err 9>&-
    st=$?; [ $st = 0 ] || [ $st = 2 ] || fail "cut at $n: exit $st"
    { head -c "$n" rules; printf '%%>= %s' "$n"; tail -c +$((n + 3)) rules; } >changed
    "$KVIS" diagnose -d 0.01 --rules changed >/dev/null 2>err 9>&-
    st=$?; [ $st = 0 ] || [ $st = 2 ] || fail "changed at $n: exit $st"
done
