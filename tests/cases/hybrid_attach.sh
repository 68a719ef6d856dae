#!/bin/sh
# With -p and hybrid, a program goes on unharmed when kvis is killed while the ring is full.
# Also: a program of another pid namespace, and 32-bit programs that an attached one executes.
# tier: quick full asan
# timeout: 240
# needs: root unshare prog:hyb
# covers: H1 H10 P15 P26 E8
. "$TESTS/lib/truth.sh"
needs_hybrid
moments=$(some 30 200 12)

# moment N: attached, and killed with the ring full: what holds a thread now goes to nobody.
moment() {
    { head -c 100000 >/dev/null; exec sleep 20; } <fifo &
    reader=$!
    "$KVIS" trace -q -v --backend=hybrid --ring=64K --json=fifo -p $target >out 2>err </dev/null &
    kvis=$!
    until_true 20 traced $target || { echo "not attached: $(cat err)"; return 1; }
    sleep "0.$(printf '%03d' $((($1 * 7919) % 200)))"
    kill -KILL $kvis
    wait $kvis 2>/dev/null
    kill $reader
    wait $reader 2>/dev/null
    for t in /proc/$target/task/*; do
        until_true 5 free "${t#/proc/}" || { echo "moment $1: $t: $(grep -E '^(State|TracerPid|SigPnd)' "$t/status")"; return 1; }
    done
}
for blocked in 0 1; do # 1: with SIGURG and all else blocked
    mkdir lane$blocked && cd lane$blocked && mkfifo fifo || fail "a fifo"
    "$BIN/hyb" forever 2 $blocked >target.out 2>&1 </dev/null 9>&- &
    target=$!
    until_true 10 test -s ready || fail "not ready"
    pkill -KILL -P $target # its twin
    i=0
    while [ $i -lt $((moments / 2)) ]; do
        moment $i >log 2>&1 9>&- || { kill -KILL $target; cat log >&9; fail "left behind"; }
        i=$((i + 1))
    done
    cpu() { cat /proc/$target/task/*/stat | awk '{ print $14 + $15 }' | tr '\n' ' '; }
    was=$(cpu)
    all_run() { # but the first, which waits for the others
        for t in $was / $(cpu); do echo $t; done | awk '/\// { at = NR; next } !at { was[NR] = $1; next }
            NR - at > 1 && $1 <= was[NR - at] { exit 1 }'
    }
    until_true 10 all_run || { say "CPU time of its threads $was, then $(cpu)"; kill -KILL $target; fail "a thread stands still"; }
    kill -KILL $target
    wait $target 2>/dev/null
    cd ..
done

# A process that has been in another pid namespace before kvis came.
in_pid_ns
run trace -v -d 3 --backend=hybrid --json=json -p "$ns_init"
: >stop
wait $ns_outer
want "H['backend'] == 'hybrid' and S['lost'] == 0 and S['records'] > 50"
want "by('spawn_process') and all(1 < e['ns_pid'] != e['child_pid'] for e in by('spawn_process'))"
want "{e['pid'] for e in by('exec')} <= {e['child_pid'] for e in by('spawn_process')} and len(by('exec')) > 3"
want "all(len([c for c in calls('clock_nanosleep') if c['tid'] == e['pid']]) == 1 for e in by('exec')[:-1])"

# Programs of 32 bits: no probe records their calls and no filter stops them.
"$BIN/open32" >out32 2>&1 9>&-
if [ $? = 32 ]; then # this kernel runs them
    mkfifo go
    for b in hybrid ptrace; do
        sh -c 'read x <go; for i in 1 2 3; do "$0"; done; cat /etc/hostname; exec "$0"' "$BIN/open32" >/dev/null 2>&1 9>&- &
        tee=$!
        attach -q -v --backend=$b --json=$b
        sleep 0.5
        echo >go
        wait $tee
        wait $kvis || fail "kvis: $?"
        js "'\n'.join('%s %s %s' % (c['name'], c.get('abi'), c['error']) for c in by('syscall') if c.get('abi') or c['args'][1:2] == ['/etc/hostname'])" $b | sort >$b.calls
    done
    [ "$(grep -c i386 hybrid.calls)" -gt 20 ] || fail "no i386 calls"
    diff ptrace.calls hybrid.calls >&9 || fail "by ptrace: other calls of 32 bits"
    want "S['lost'] == 0" hybrid
fi
