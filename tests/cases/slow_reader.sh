#!/bin/sh
# A slow reader of the output slows the program; nothing is lost, and memory stays bounded.
# tier: quick
# timeout: 60
. "$TESTS/lib/lib.sh"
mkfifo fifo
python3 -c "
import time
with open('fifo', 'rb', buffering=0) as f, open('json', 'wb') as out:
    end = time.time() + 3
    while time.time() < end: # 10 KB/s for 3 s, then all of it
        out.write(f.read(1000)); time.sleep(0.1)
    while b := f.read(65536): out.write(b)
" 9>&- &
reader=$!
"$KVIS" trace -q -v --json=fifo -- "$BIN/loop" 3000 >out 2>err 9>&- &
kvis=$!
sleep 2
rss=$(sed -n 's/VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$kvis/status)
[ "${rss:-0}" -lt 40000 ] || fail "$rss kB with a slow reader"
wait $kvis; st=$?
status 0
wait $reader
want "S['lost'] == 0 and S['events'] > 0"
want "len([e for e in E if e['type'] == 'syscall']) == S['syscalls']"
# TERM goes to the command, and the rest of the output is complete
(sleep 2; cat) <fifo >json 9>&- & reader=$!
"$KVIS" trace --backend=ptrace -q -v --json=fifo -- sh -c 'trap "echo got; exit 7" TERM; i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); : </dev/null; done' >out 2>err 9>&- &
kvis=$!
sleep 1
kill -TERM $kvis
wait $kvis; st=$?
status 7
wait $reader
want "S['exit_code'] == 7 and any(e['type'] == 'signal' for e in E)"
# Ctrl-C works meanwhile
(sleep 20 <fifo) 9>&- & reader=$!
sh -c 'echo $$ >kpid; exec "$0" "$@"' "$KVIS" trace -q -v --json=fifo -- /bin/sh -c 'while :; do :  </dev/null; done' >out 2>err 9>&- &
kvis=$!
sleep 1.5
kill -INT $kvis; sleep 0.1; kill -INT $kvis
until_true 3 sh -c "! kill -0 $kvis" || { kill -KILL $kvis $reader; fail "does not end while its reader sleeps"; }
kill $reader 2>/dev/null; wait $reader $kvis 2>/dev/null
true
