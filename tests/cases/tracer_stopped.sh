#!/bin/sh
# timeout: 60
# covers: P15
# kvis itself is stopped for a while: nothing is lost.
. "$TESTS/truth.sh"
"$KVIS" trace -q --json=json -- "$BIN/proc" children 300 >facts 2>err 9>&- </dev/null &
kvis=$!
for n in 1 2 3; do
    sleep 0.03
    kill -STOP $kvis
    sleep 0.5
    kill -CONT $kvis
done
wait $kvis; st=$?
status 0
python3 "$TESTS/want.py" json facts >&9 || fail "events are missing"
