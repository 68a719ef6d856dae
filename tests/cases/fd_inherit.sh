#!/bin/sh
# Descriptors that the program inherits have their names: 0, 1, 2 and 7.
# tier: gate asan
# timeout: 60
. "$TESTS/lib/truth.sh"
echo "stdin of the program" >in
echo "and a seventh" >seven
kv trace --json=json -o text -- "$BIN/fd" inherit "$PWD/in" "$PWD/seven" "$PWD/facts" >facts 2>err <in 7<seven 8<seven
st=$?
status 0
python3 "$TESTS/lib/want.py" json facts >&9 || fail "inherited fds"
has text "read .*/seven"
