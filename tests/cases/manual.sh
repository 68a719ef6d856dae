#!/bin/sh
# The manual pages pass mandoc's and groff's checks, and together have every command, option, event, field, rule and metric.
# tier: gate
# timeout: 30
# needs: mandoc man groff
. "$TESTS/lib/lib.sh"

# page COMMAND: its page as text in ./text.
page() {
    kv help $1 --man >"page.1" 2>err || fail "help $1 --man: $?"
    [ ! -s err ] || fail "help $1 --man says something"
    mandoc -T lint page.1 >out 2>&1
    [ ! -s out ] || fail "mandoc -T lint: help $1 --man"
    MANWIDTH=100 LC_ALL=C man --warnings=w -l page.1 >page 2>err || fail "man"
    [ ! -s err ] || fail "man --warnings: help $1 --man"
    col -b <page >text 2>/dev/null || cp page text
    for s in NAME SYNOPSIS DESCRIPTION 'SEE ALSO'; do
        has text "^$s\$"
    done
}

# all_in LIST WHAT: each line of LIST is the first word of a line of ./text.
all_in() {
    sed -n 's/^  *\([^ ,]*\).*/\1/p' text | grep -vxFf - "$1" >missing && fail "no $2 $(cat missing)"
    [ -s "$1" ] || fail "no $2"
}

page ""
for s in COMMANDS REQUIREMENTS 'JSON OUTPUT' 'EXIT STATUS' ENVIRONMENT EXAMPLES OVERHEAD NOTES; do
    has text "^$s\$"
done
cp text kvis
sed -n '/define EVENT_KINDS/,$s/^    X([A-Z_]*, [A-Z]*, [^"]*"\([a-z_]*\)".*/\1/p' "$TESTS/../gen/events.h" >kinds
[ "$(wc -l <kinds)" -gt 30 ] || fail "gen/events.h has other rows"
all_in kinds "event"
for c in $(kv help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    has kvis "^ *kvis $c"
    case $c in help | completion) continue ;; esac
    page $c
    has text "^ *kvis $c"
    has text "^OPTIONS"
    kv $c --help | sed -n 's/^  \(-.\)*,* *\(--[a-z.-]*\)*.*/\1 \2/p' | tr -s ' ' '\n' | sed '/^$/d' >options
    awk '/^ +-/ { print $1; if ($1 ~ /^-.,$/) print $2 }' text | sed 's/[],=[].*//' | grep -vxFf - options >missing &&
        fail "help $c --man: no $(cat missing)"
    cat options >>all_options
    mv text text.$c
done
[ "$(wc -l <all_options)" -gt 150 ] || fail "only $(wc -l <all_options) options were looked for"
cp text.diagnose text
sh "$TESTS/../gen/rules.sh" list >rules || fail "rules.sh list"
sed -i 's/ .*//' rules
all_in rules "rule"
cp text.monitor text
has text '^METRICS$'
sh "$TESTS/../gen/metrics.sh" list >metrics || fail "metrics.sh list"
sed -E '/_(p90|p99|max)(_|$)/d' metrics >first # of percentiles the first has a line of its own
all_in first "metric"
kv help trace --man nonsense 2>err
st=$?
[ $st = 2 ] || fail "help trace --man nonsense: $st"
has err "'nonsense': the only option is --man"
