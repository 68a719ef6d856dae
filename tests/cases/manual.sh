#!/bin/sh
# gen/out/texts/ is what gen/texts.py makes from gen/manual/ and the tables, kvis prints these texts unchanged, and an unknown
# {{PART}} is an error. The manual pages pass mandoc's and groff's checks, and together have every command, option, event, field,
# rule and metric.
# tier: gate
# timeout: 60
# needs: mandoc man groff python3
. "$TESTS/lib/lib.sh"
top=$TESTS/..
LC_ALL=C grep -n '[^ -~]' "$top"/gen/manual/* >&9 && fail "a tab, or no ASCII"
sed -n 's/"//g; s/ groups=.*//; s/^section \(.\) \(.*\)/\1           show \2, or go back/p' "$top/gen/tables/metrics.tbl" |
    grep -v '^o ' >want # Esc and o are on one line
grep 'or go back$' "$top/gen/manual/screen.keys" | diff want - >&9 || fail "the keys of sections are not those of metrics.tbl"
[ -s want ] || fail "metrics.tbl has no sections"

cp -r "$top/gen" gen && rm -r gen/out/texts
gen/texts.py || fail "texts.py"
diff -r gen/out/texts "$top/gen/out/texts" >&9 || fail "gen/out/texts is not what gen/texts.py makes: run make gen-tables"
for part in nosuch 'options nosuch' 'fields trace'; do
    sed "s/{{options check}}/{{$part}}/" "$top/gen/manual/kvis-check.1" >gen/manual/kvis-check.1
    gen/texts.py 2>err && fail "takes a part: $part"
    has err "kvis-check.1: there is no part \{\{$part\}\}"
done

# prints FILE ARG...: kvis prints this file of gen/out/texts, except for the line with the date and the version.
prints() {
    grep -v '^\.TH' "$top/gen/out/texts/$1" >want
    shift
    gives 0 "$@"
    [ ! -s err ] || fail "kvis $* says something"
    grep -v '^\.TH' out | cmp - want || fail "kvis $* is not what is in gen/out/texts"
    hasnt out '\{\{(date|version)'
}

# page COMMAND: its page as text in ./text.
page() {
    prints "kvis${1:+-$1}.1" help $1 --man
    cp out page.1
    mandoc -T lint page.1 >out 2>&1
    [ ! -s out ] || fail "mandoc -T lint: help $1 --man"
    MANWIDTH=100 LC_ALL=C man --warnings=w -l page.1 >page 2>err || fail "man"
    [ ! -s err ] || fail "man --warnings: help $1 --man"
    col -b <page >text 2>/dev/null || cp page text
}

# all_in LIST WHAT: each line of LIST is the first word of a line of ./text.
all_in() {
    sed -n 's/^  *\([^ ,]*\).*/\1/p' text | grep -vxFf - "$1" >missing && fail "no $2 $(cat missing)"
    [ -s "$1" ] || fail "no $2"
}

prints list.commands help
prints grafana.json monitor --grafana
for shell in bash zsh fish; do
    prints completion.$shell completion $shell
done
page ""
cp text kvis
sed -n '/define EVENT_KINDS/,$s/^    X([A-Z_]*, [A-Z]*, [^"]*"\([a-z_]*\)".*/\1/p' "$TESTS/../gen/events.h" >kinds
[ "$(wc -l <kinds)" -gt 30 ] || fail "gen/events.h has other rows"
all_in kinds "event"
for c in $(kv help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    has kvis "^ *kvis $c"
    case $c in help | completion | *snoop) continue ;; esac
    page $c
    kv $c --help | sed -n 's/^  \(-.\)*,* *\(--[a-z.-]*\)*.*/\1 \2/p' | tr -s ' ' '\n' | sed '/^$/d' >options
    awk '/^ +-/ { print $1; if ($1 ~ /^-.,$/) print $2 }' text | sed 's/[],=[].*//' | grep -vxFf - options >missing &&
        fail "help $c --man: no $(cat missing)"
    cat options >>all_options
    mv text text.$c
done
[ "$(wc -l <all_options)" -gt 150 ] || fail "only $(wc -l <all_options) options were looked for"
cp text.diagnose text
sh "$TESTS/../gen/rules.sh" list | sed 's/ .*//' >rules
all_in rules "rule"
cp text.monitor text
sh "$TESTS/../gen/metrics.sh" list | sed -E '/_(p90|p99|max)(_|$)/d' >metrics # of percentiles the first has a line of its own
all_in metrics "metric"

# The lists alone are those of the manual pages, as text.
for page in monitor.1:metrics diagnose.1:findings 1:fields; do
    list=${page#*:}
    sed -n "/^.\\\\\" list $list\$/,/^.\\\\\" end\$/p" "$top"/gen/out/texts/kvis*"${page%:*}" |
        sed -e '/^[.]SS /{ s//\n/; b text; }' -e '/^[.]TP/{ N; s/.*\n//; b text; }' -e '/^[.]/d' -e 's/^/    /' -e ': text' -e 's/\\//g' |
        sed '1{/^$/d;}' >want
    [ "$(wc -l <want)" -ge 90 ] || fail "the manual page has no list $list"
    gives 0 help $list
    diff out want >&9 || fail "help $list is not what the manual says"
done
for link in execsnoop exitsnoop opensnoop; do # they are on the pages of proc and open
    run help $link --man
    has out "kvis ($link|open) "
    has out '^\.TH KVIS-(PROC|OPEN) 1 [0-9-]+ "kvis [0-9]'
done
gives 2 help trace --man nonsense
has err "'nonsense': the only option is --man"
