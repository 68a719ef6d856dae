#!/bin/sh
# Nothing is lost while kvis itself is stopped.
# tier: gate
# timeout: 60
# covers: P15
. "$TESTS/lib/truth.sh"
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
python3 "$TESTS/lib/want.py" json facts >&9 || fail "events are missing"
