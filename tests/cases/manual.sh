#!/bin/sh
# The manual page passes mandoc's and groff's checks and has every command and option.
# tier: quick
# timeout: 20
# needs: mandoc man groff
. "$TESTS/lib/lib.sh"
kv help --man >kvis.1 2>err || fail "help --man: $?"
[ ! -s err ] || fail "help --man says something"
mandoc -T lint kvis.1 >out 2>&1; [ ! -s out ] || fail "mandoc -T lint"
MANWIDTH=100 LC_ALL=C man --warnings -l kvis.1 >page 2>err || fail "man"
[ ! -s err ] || fail "man --warnings"
groff -man -ww -Tascii -P -c kvis.1 >/dev/null 2>err; [ ! -s err ] || fail "groff -ww"
col -b <page >text 2>/dev/null || cp page text
for s in NAME SYNOPSIS DESCRIPTION REQUIREMENTS OPTIONS FIELDS FINDINGS 'EXIT STATUS' ENVIRONMENT EXAMPLES OVERHEAD NOTES 'SEE ALSO'; do
    has text "^$s\$"
done
n=0
for c in $(kv help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    has text "^ *kvis $c"
    case $c in help | completion) continue ;; esac
    has text "^   kvis $c"
    for o in $(kv $c --help | sed -n 's/^  \(-.\)*,* *\(--[a-z.-]*\)*.*/\1 \2/p'); do
        sed -n "/^   kvis $c/,/^   kvis\|^FIELDS/p" text >part
        has part "^ +(-., )?$o([], =[]|\$)"
        n=$((n + 1))
    done
done
sh "$TESTS/../gen/rules.sh" list >rules || fail "rules.sh list"
while read -r rule _; do has text "^ +$rule( |\$)"; done <rules
[ $n -gt 150 ] || fail "only $n options were looked for"
