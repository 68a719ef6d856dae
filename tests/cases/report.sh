#!/bin/sh
# timeout: 400
# needs: chromium gcc python3 prog:loop prog:diff_threads prog:pid_again
# plain-only: the page is the same
# covers: O1 O4
# --report in a real browser: cards, timeline, table, filters, tabs, the fragment; hostile names; a million events.
. "$TESTS/lib.sh"
export HOME="$PWD"
echo 'int main(void) { return 0; }' >a.c
kv trace -v --report=small.html --json=small.json -- gcc -o /dev/null a.c 2>err || fail "small"
kv trace -q --report=empty.html --json=empty.json -e trace=none -- true 2>err || fail "empty"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do echo "int f$i(void) { return $i; }" >m$i.c; done
kv trace -v -q --report=many.html --json=many.json -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do gcc -c m$i.c & [ $((i % 4)) != 0 ] || wait; done
    wait; gcc -shared -o m.so m*.o; "$0"; exit 0' "$BIN/diff_threads" 2>err >out || fail "many"
kv trace -v -q --report=again.html -- "$BIN/pid_again" >out 2>err
again=$? # 77: no clone3 with set_tid here
mkdir h
for name in '<img src=x onerror=alert(1)>' '"><svg onload=alert(2)>' "$(printf 'a\033[31m\377b')"; do : >"h/$name"; done
mkdir -p 'h/<' && : >'h/</script><script>window.owned=1<' 2>/dev/null
mkdir -p 'h/<!--<script>' && : >'h/<!--<script>/x'
kv trace -q --report=hostile.html -- sh -c 'for f in h/*; do cat "$f"; done; exec -a "<b>x</b>" true' >out 2>err
kv trace -q -v --report=large.html -- "$BIN/loop" 143000 2>err >out || kv trace -q --report=large.html -- sh -c : 2>err
[ -s large.html ] || fail "large"
python3 "$TESTS/report.py" . small many $([ $again = 77 ] || echo again) empty hostile large >out 2>err || { cat out err >&9; fail "report.py"; }
cat out >&9
# what does not fit is left out, and said
run trace -q --report=few.html --max-report-events 100 -- gcc -o /dev/null a.c
status 0; has err 'few.html has 100 of [0-9]+ events'
has few.html '"kept":100,'
TMPDIR=/nonexistent run trace --report=x.html -- true; status 125; has err 'temporary file in /nonexistent .*No such'
run trace --report=/dev/full -- true; status 125; has err '/dev/full.*No space'
