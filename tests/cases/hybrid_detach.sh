#!/bin/sh
# kvis detaches while the ring is full and threads are held, and the program gets its own SIGURGs and none of kvis's.
# tier: quick asan
# timeout: 120
# needs: root prog:hyb prog:loop
# covers: H3 H7
. "$TESTS/lib/truth.sh"
needs_hybrid
tries=6
case $KVIS in *asan*) tries=2 ;; esac
mkfifo fifo
for blocked in "" blocked; do # also while a handler blocks it
    i=0
    while [ $i -lt $tries ]; do
        i=$((i + 1))
        rm -f pid stop
        "$BIN/hyb" urgent $blocked >target.out 2>&1 9>&- </dev/null &
        target=$!
        until_true 10 test -s pid || fail "not ready"
        case $i in 1) to=json ;; *) to=/dev/null ;; esac
        { head -c 200000; sleep 0.$((i % 3)); cat; } <fifo >$to 9>&- &
        reader=$!
        "$KVIS" trace -v -C --backend=hybrid --ring=64K --json=fifo -p $target >att.out 2>err 9>&- &
        kvis=$!
        until_true 20 traced $target || fail "not attached" # sooner, INT is ignored, as the shell has it here
        sleep 0.$((3 + i % 5))
        until_true 10 eval '[ "$(sed -n "s/^wchar: //p" /proc/$kvis/io)" -gt 600000 ]' || fail "it writes too little"
        detach INT 0
        : >stop
        wait $target || { cat target.out >&9; fail "$blocked try $i: what the program saw"; }
        wait $reader
        held=$(sed -n 's/.*held \([0-9]*\) times.*/\1/p' err)
        [ "${held:-0}" -gt 0 ] || fail "never held"
        [ -n "$blocked" ] || grep -q '^ Lost: 0 calls' err || fail "lost calls"
        [ $i = 1 ] || continue
        sed -n 's/.*"ts_ns":\([0-9]*\),"pid":[0-9]*,"tid":\([0-9]*\),"type":"syscall".*/\1 \2/p' json | sort | uniq -d >twice
        [ ! -s twice ] || fail "$(wc -l <twice) calls told twice"
    done
done

# What got lost (of the thread that nothing can hold) is told while it happens, in every sink.
rm -f pid stop
"$BIN/hyb" urgent blocked >target.out 2>&1 9>&- </dev/null &
target=$!
until_true 10 test -s pid || fail "not ready"
run trace -e trace=getuid --backend=hybrid --ring=64K -w rec.kvis --chrome-json=p.json --json=json -d 3 -p $target
: >stop
wait $target
kv replay --json=again rec.kvis 2>text
for f in json again; do
    want "S['lost'] == sum(e['count'] for e in by('lost')) > 0 and {e['how'] for e in by('lost')} == {'calls lost'}" $f
    want "len([e for e in by('lost') if e['ts_ns'] < S['duration_ns'] - 500e6]) > 0" $f
done
for f in err text p.json; do has $f 'calls lost'; done
python3 "$TESTS/lib/order.py" json 100000000 >&9 || fail "not in order"

# Counting holds nobody, so there it needs no asking.
mkfifo go
for how in "" --backend=ptrace; do
    rm -f ready
    sh -c ': >ready; read x <go; exec "$0" 3000' "$BIN/loop" 9>&- &
    target=$!
    until_true 10 eval '[ -e ready ] && [ "$(state $target)" = S ]' || fail "the shell does not wait" # its start is not counted
    "$KVIS" trace -c $how -o table -p $target >out 2>err 9>&- &
    kvis=$!
    until_true 10 traced $target || fail "not attached: $(cat err)"
    sleep 0.3
    programs=$(cat /proc/$kvis/fdinfo/* 2>/dev/null | grep -c '^prog_id')
    echo >go
    wait $target || fail "the loop: $?"
    wait $kvis || fail "kvis: $?"
    [ "$how" ] && want=0 || want=1
    [ $((programs > 0)) = $want ] || fail "$how: $programs BPF programs"
    awk '/^ *[0-9]/ { print $NF, $4, NF == 9 ? $5 : 0 }' table | sort >"rows$how"
done
grep -q '^read 600[0-9] 0$' rows || fail "not counted"
diff rows--backend=ptrace rows >&9 || fail "counted otherwise"
