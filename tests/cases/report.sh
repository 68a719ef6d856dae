#!/bin/sh
# The report of kvis trace works in Chromium: every control, hostile names, a million events.
# tier: browser
# timeout: 400
# needs: chromium gcc python3 perl prog:loop prog:diff_threads prog:cmd prog:net prog:uring
. "$TESTS/lib/lib.sh"
export HOME="$PWD"
echo 'int main(void) { return 0; }' >a.c
kv trace -v --report=small.html --json=small.json -- gcc -o /dev/null a.c 2>err || fail "small"
kv trace -q --report=empty.html --json=empty.json -e trace=none -- true 2>err || fail "empty"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do echo "int f$i(void) { return $i; }" >m$i.c; done
kv trace -v -q --report=many.html --json=many.json -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do gcc -c m$i.c & [ $((i % 4)) != 0 ] || wait; done
    wait; gcc -shared -o m.so m*.o; "$0"; exit 0' "$BIN/diff_threads" 2>err >out || fail "many"
kv trace -v -q --report=again.html -- "$BIN/cmd" pid_again >out 2>err
again=$? # 77: no clone3 with set_tid here
kv trace -v -q --report=net.html --json=net.json -- "$BIN/net" tcp4 >out 2>err || fail "net"
# (numbers that a double would round; where a file can be that large, a place in it, too)
kv trace -v -q --report=wide.html --json=wide.json -- perl -e 'syscall(1000, -1, (1 << 62) + 1); open F, "+>", "f"; sysseek(F, (1 << 53) + 3, 0);
    $n = "f"; syscall(76, $n, (1 << 62) + 1); open F, "/dev/zero"; sysseek(F, (1 << 53) + 3, 0); exit 0' 2>err || fail "wide"
kv trace -v -q --report=burst.html --json=burst.json -- perl -e 'for (1..20) { syscall(110) for 1..40; select undef, undef, undef, .02 }' 2>err ||
    fail "burst"
uring=
kv trace -v -q --backend=hybrid --report=uring.html --json=uring.json -- "$BIN/uring" slow >out 2>err && grep -q '"type":"io_uring"' uring.json &&
    uring=uring
# what does not fit is left out, and said
run trace -q --report=few.html --max-report-events 100 -- gcc -o /dev/null a.c
status 0; has err 'few.html contains the 100 most important of [0-9]+ events'
has few.html '"kept":100,'
mkdir h
for name in '<img src=x onerror=alert(1)>' '"><svg onload=alert(2)>' "$(printf 'a\033[31m\377b')"; do : >"h/$name"; done
mkdir -p 'h/<' && : >'h/</script><script>window.owned=1<' 2>/dev/null
mkdir -p 'h/<!--<script>' && : >'h/<!--<script>/x'
cp /bin/true '<svg onload=alert(4)>'
kv trace -q --report=hostile.html -- sh -c 'for f in h/*; do cat "$f"; done; "./$0"; exec perl -e "exec {q(true)} q(<b>x</b>), q(</script>)"' \
    '<svg onload=alert(4)>' >out 2>err
kv trace -q -v --report=large.html -- "$BIN/loop" 143000 2>err >out || fail "large"
python3 "$TESTS/lib/report.py" small many $([ $again = 77 ] || echo again) net burst $uring few empty hostile large >out 2>err || { cat out err >&9; fail "report.py"; }
cat out >&9
