#!/bin/sh
# However kvis ends, no process remains stopped or traced, or gets ENOSYS from its calls. Nothing is lost while kvis itself is
# stopped.
# tier: gate full
# timeout: 240
# covers: P14 P15
. "$TESTS/lib/truth.sh"
pause() { sleep "0.$(printf '%03d' $((1 + ($1 * 7919) % 120)))"; }
i=0
for sig in INT TERM HUP KILL; do # attached: it goes on, and its calls work
    for n in $(seq $(some 1 5 2)); do
        i=$((i + 1))
        target loop
        # (What a shell starts in the background ignores SIGINT, also until kvis has a handler of its own.)
        env --default-signal=INT "$KVIS" trace -v -o text -p "$tee" >out 2>err 9>&- &
        kvis=$!
        pause $i
        kill -$sig $kvis; wait $kvis; kst=$?
        until_true 3 free "$tee" || fail "$sig: left in state $(state "$tee")"
        untarget
        has target.out '^bad 0, some 1$'
        case $sig in
        TERM) eq "exit status" 143 $kst ;;
        HUP) eq "exit status" 129 $kst ;;
        esac
    done
done
for opt in "" --no-accel "-e trace=openat,getppid"; do # spawned: it ends with kvis, or goes on as if untraced
    for sig in TERM HUP KILL; do
        for n in $(seq $(some 1 4 1)); do
            i=$((i + 1))
            rm -f pid stop
            "$KVIS" trace -v $opt -o text -- "$BIN/att" loop >target.out 2>err 9>&- </dev/null &
            kvis=$!
            until_true 10 test -s pid || fail "not ready"
            tee=$(cat pid)
            pause $i
            kill -$sig $kvis; wait $kvis 2>/dev/null
            sleep 0.1
            if gone "$tee"; then continue; fi
            until_true 3 free "$tee" || gone "$tee" || fail "$sig $opt: left in state $(state "$tee")"
            : >stop
            until_true 5 gone "$tee" || fail "$sig $opt: does not end"
            [ ! -s target.out ] || has target.out '^bad 0'
        done
    done
done
# kvis is stopped and goes on
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
py want json facts >&9 || fail "events are missing"
