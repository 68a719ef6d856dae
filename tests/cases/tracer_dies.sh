#!/bin/sh
# However kvis ends, no process remains stopped or traced, or gets ENOSYS from its calls. Nothing is lost while kvis itself is
# stopped.
# tier: gate full
# timeout: 240
. "$TESTS/lib/truth.sh"
pause() { sleep "0.$(printf '%03d' $((1 + ($1 * 7919) % 120)))"; }
# one OPT SIG: a signal ends kvis. A process given with -p continues, and its calls work. A command that kvis started ends with
# kvis, or continues untraced.
i=0
one() {
    i=$((i + 1))
    if [ "$1" = -p ]; then
        target loop
        # (What a shell starts in the background ignores SIGINT, also until kvis has a handler of its own.)
        env --default-signal=INT "$KVIS" trace -v -o text -p "$tee" >out 2>err 9>&- &
    else
        rm -f pid stop
        "$KVIS" trace -v $1 -o text -- "$BIN/att" loop >target.out 2>err 9>&- </dev/null &
    fi
    kvis=$!
    until_true 10 test -s pid || fail "not ready"
    tee=$(cat pid)
    pause $i
    kill "-$2" $kvis; wait $kvis 2>/dev/null; kst=$?
    case "$*" in "-p TERM") eq "exit status" 143 $kst ;; "-p HUP") eq "exit status" 129 $kst ;; esac
    [ "$1" = -p ] || { sleep 0.1; ! gone "$tee" || return 0; }
    until_true 3 free "$tee" || { [ "$1" != -p ] && gone "$tee"; } || fail "$*: left in state $(state "$tee")"
    : >stop
    until_true 5 gone "$tee" || fail "$*: does not end"
    [ "$1" != -p ] && [ ! -s target.out ] || has target.out '^bad 0, some 1$'
}
for sig in INT TERM HUP KILL; do
    for n in $(seq $(some 1 5 2)); do
        one -p $sig
        [ $sig = INT ] || for opt in "" --no-accel "-e trace=openat,getppid"; do one "$opt" $sig; done
    done
done
# kvis is stopped and continued
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
