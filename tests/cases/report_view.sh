#!/bin/sh
# What the report of kvis trace says of a part of a run is what its JSON lines come to: names, totals, failures, rows.
# tier: browser
# timeout: 200
# needs: chromium gcc python3 prog:diff_threads
. "$TESTS/lib/lib.sh"
export HOME="$PWD"
for i in 1 2 3 4; do echo "int f$i(void) { return $i; }" >m$i.c; done
echo 'int main(void) { return 0; }' >m1.c
pages=
for backend in ptrace hybrid; do
    kv trace -v -q --backend=$backend --report=$backend.html --json=$backend.json --folded=$backend.folded -- sh -c 'for i in 1 2 3 4; do gcc -c m$i.c & done; wait
        cat /nonexistent 2>/dev/null; python3 -c "
import socket
s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()
c = socket.socket(); c.setblocking(False); c.connect_ex(s.getsockname()); a = s.accept()[0]; a.send(b\"x\" * 4000)"; "$0"; exit 0' \
        "$BIN/diff_threads" 2>err >out && pages="$pages $backend"
done
[ "$pages" ] || fail "no recording"
kv proc --report=proc.html --folded=proc.folded -o rows -- sh -c 'gcc -c m1.c; gcc -c m2.c; true' 2>err && pages="$pages proc"
python3 "$TESTS/lib/report_view.py" . $pages >out 2>err || { cat out err >&9; fail "report_view.py"; }
cat out >&9
