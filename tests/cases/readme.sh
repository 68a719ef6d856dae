#!/bin/sh
# README's options are those of --help, and its events those of kvis.c.
# tier: quick
# timeout: 20
. "$TESTS/lib/lib.sh"
for cmd in trace open; do
    "$KVIS" $cmd --help >help || fail "--help: $?"
    sed 's/^\(.\)/    \1/' help >want
    awk 'NR == FNR { w[n++] = $0; next } $0 == w[k] { if (++k == n) { found = 1; exit } next } { k = $0 == w[0] }
         END { exit !found }' want "$TESTS/../README.md" || fail "README has not what $cmd --help prints"
done
sed -n 's/^    \[EK_[A-Z_]*\] = *{ "\([a-z_]*\)".*/\1/p' "$TESTS/../kvis.c" | while read -r kind; do
    grep -q "^| .*\b$kind\b" "$TESTS/../README.md" || fail "README does not know $kind"
done
