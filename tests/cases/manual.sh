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
    MANWIDTH=100 LC_ALL=C man --warnings -l page.1 >page 2>err || fail "man"
    [ ! -s err ] || fail "man --warnings: help $1 --man"
    groff -man -ww -Tascii -P -c page.1 >/dev/null 2>err
    [ ! -s err ] || fail "groff -ww: help $1 --man"
    col -b <page >text 2>/dev/null || cp page text
    for s in NAME SYNOPSIS DESCRIPTION 'SEE ALSO'; do
        has text "^$s\$"
    done
}

n=0
page ""
for s in COMMANDS REQUIREMENTS 'JSON OUTPUT' 'EXIT STATUS' ENVIRONMENT EXAMPLES OVERHEAD NOTES; do
    has text "^$s\$"
done
cp text kvis
sed -n '/define EVENT_KINDS/,$s/^    X([A-Z_]*, [A-Z]*, [^"]*"\([a-z_]*\)".*/\1/p' "$TESTS/../gen/events.h" >kinds
[ "$(wc -l <kinds)" -gt 30 ] || fail "gen/events.h has other rows"
while read -r kind; do
    has kvis "^ +$kind( |\$)"
done <kinds
for c in $(kv help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    has kvis "^ *kvis $c"
    case $c in help | completion) continue ;; esac
    page $c
    has text "^ *kvis $c"
    has text "^OPTIONS"
    for o in $(kv $c --help | sed -n 's/^  \(-.\)*,* *\(--[a-z.-]*\)*.*/\1 \2/p'); do
        has text "^ +(-., )?$o([], =[]|\$)"
        n=$((n + 1))
    done
done
[ $n -gt 150 ] || fail "only $n options were looked for"
page diagnose
sh "$TESTS/../gen/rules.sh" list >rules || fail "rules.sh list"
while read -r rule _; do
    has text "^ +$rule( |\$)"
done <rules
page monitor
has text '^METRICS$'
sh "$TESTS/../gen/metrics.sh" list >metrics || fail "metrics.sh list"
while read -r metric; do # of percentiles the first has a line of its own
    case $metric in *_p90_* | *_p99_* | *_p90 | *_p99 | *_max_* | *_max) continue ;; esac
    has text "^ +$metric(,| |\$)"
done <metrics
kv help trace nonsense 2>err
st=$?
[ $st = 2 ] || fail "help trace nonsense: $st"
has err "the only option is --man"
kv help trace --man nonsense 2>err
st=$?
[ $st = 2 ] || fail "help trace --man nonsense: $st"
has err "'nonsense': the only option is --man"
