#!/bin/sh
# The parts into which kvis divides the time of calls agree with the program's own clocks and the scheduler's statistics.
# tier: quick
# timeout: 120
# needs: root perf python3 unshare prog:where
# alone: it times waits
. "$TESTS/lib/truth.sh"
# watched ARG...: the program's waits whose end hit no tracepoint (see lib/waits.py) are not asked of kvis.
watched() {
    say "\$ kvis trace -v -q --json=json -- where $*"
    unshare -m perf record -q -a -e sched:sched_switch --filter 'prev_comm == "where" || next_comm == "where"' -e sched:sched_wakeup \
        --filter 'comm == "where"' -o perf.data "$KVIS" trace -v -q --json=json -- "$BIN/where" "$@" >facts 2>err 9>&-
    st=$?
    [ $st != 77 ] || { say "$(tail -n 1 facts)"; return; }
    status 0
    perf script -i perf.data --ns -F time,event,trace >records 2>err || fail "perf script"
    UNSEEN_NS=$(python3 "$TESTS/lib/waits.py" records "$(js 'E[0]["pid"]')") || fail "perf's records"
    export UNSEEN_NS
    say "up to $UNSEEN_NS ns of waits ended at no tracepoint"
    # (By itself: the server of the case does not see UNSEEN_NS.)
    python3 "$TESTS/lib/want.py" json facts >&9 || fail "where $*"
}
watched places
watched calls
# A process that an interrupt stopped is not the waker; a process that writes to a pipe is.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -c "$cpu" sh -c 'while :; do :; done' &
busy=$!
run trace -v --json=json -- taskset -c "$cpu" sh -c 'sleep 0.05; sleep 0.05; (sleep 0.3; echo x) | cat'
kill $busy
status 0
want "[(e.get('waker_pid'), e.get('waker_comm'), e['sleep_state']) for e in calls('clock_nanosleep')] == [(None, None, 'S')] * 3"
want "all(e['sleep_state'] == 'S' for e in calls('read') if e['ret'] == 2)"
want "[e['waker_pid'] for e in calls('read') if e['ret'] == 2] == [e['pid'] for e in calls('write') if e['ret'] == 2][:1]"
# The waker's name: as it called itself then, traced or not.
cat >names.py <<'P'
import ctypes, os, threading
def renamed(w):
    ctypes.CDLL(None).prctl(15, b'na"me\xff', 0, 0, 0) # PR_SET_NAME
    threading.Event().wait(0.2)
    os.write(w, b"1")
r, w = os.pipe()
t = threading.Thread(target=renamed, args=(w,))
t.start()
assert os.read(r, 2) == b"1"
open("in").read(3)
P
mkfifo in
sh -c 'printf "not tra<ed" >/proc/$$/comm; sleep 0.5; echo 22; sleep 1; exec true' >in &
sh=$!
gives 0 trace -v --json=json -w rec -- python3 names.py
wait $sh
want "[(c['waker_comm'], c['waker_comm_hex']) for c in calls('read') if c['ret'] == 1 and c['args'][1] == '1'] == [('na\"me\ufffd', '6e61226d65ff')]"
want "[(c['waker_pid'], c.get('waker_comm')) for c in calls('read') if c['ret'] == 3] == [($sh, 'not tra<ed')]"
"$KVIS" replay -q -v --json=again rec >out 2>err || fail "replay"
for f in json again; do grep '"\(sleep_state\|waker_[a-z]*\)":' $f >$f.slept; done
[ -s json.slept ] || fail "nobody sleeps"
cmp json.slept again.slept || fail "sleeps in a recording"
"$KVIS" replay -v rec >out 2>err || fail "replay as text"
has err " read\\(5<$PWD/in>, .* = 3 <[0-9.]*: m?s blocked .*; S, woken by not tra<ed $sh>$"
say '$ unshare -pf --mount-proc kvis trace -v --json=json -- sh -c ...'
unshare -pf --mount-proc "$KVIS" trace -v --json=json -- sh -c '(sleep 0.3; echo x) | cat' >out 2>err 9>&-
want "not [e for e in E if 'waker_pid' in e] and [e['waker_comm'] for e in calls('read') if e['ret'] == 2] == ['sh']"
