#!/bin/sh
# Attaching with ptrace ends at most one call of each kind with EINTR, and detaching ends none. The observe backend ends none at all.
# tier: gate full
# timeout: 180
. "$TESTS/lib/truth.sh"
cycles=$(some 3 10 3)

begun() { attached "$tee" || gone $kvis; } # or, if kvis writes to a pipe, the reader has exited
# cycle LEAVE ARG...: attaches once, and detaches: at a signal, after a time, or because an output fails.
cycle() {
    leave=$1; shift
    rm -f err json
    case $leave in
    time) "$KVIS" trace "$@" -d 1 -p "$tee" >att.out 2>err 9>&- & ;;
    pipe) "$KVIS" trace -v --json "$@" -p "$tee" 2>err 9>&- | head -n 3 >att.out & ;;
    full) "$KVIS" trace -v --json=/dev/full "$@" -p "$tee" >att.out 2>err 9>&- & ;;
    *) "$KVIS" trace --json=json "$@" -p "$tee" >att.out 2>err 9>&- & ;;
    esac
    kvis=$!
    case $leave in
    time) ;;
    pipe | full)
        [ $backend = auto ] || until_true 10 begun || fail "not attached: $(cat err)"
        sleep 0.3
        k=$(sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$tee/status")
        [ "$k" = 0 ] || kill -INT "$k" ;;
    *)
        until_true 10 attached "$tee" || fail "not attached: $(cat err)"
        sleep 0.05
        [ $backend = ptrace ] || ! traced "$tee" || fail "it has a tracer"
        kill "-$leave" $kvis ;;
    esac
    wait $kvis
    until_true 5 untraced "$tee" || fail "still traced"
}

# most LIMIT LEAVE...: after cycles of each way to leave, at most LIMIT EINTR a cycle.
most() {
    limit=$1 rounds=0; shift
    target waits
    for leave; do
        i=0
        while [ $i -lt $cycles ]; do
            i=$((i + 1)) rounds=$((rounds + 1))
            cycle "$leave" -q --backend=$backend
            [ "$leave" = INT ] || break # once
        done
    done
    for t in /proc/"$tee"/task/*; do
        until_true 5 free "${t#/proc/}" || fail "a thread in state $(state "${t#/proc/}")"
    done
    untarget
    say "$backend: $rounds cycles: $(cat target.out)"
    sed -n 's/^EINTR: //p' target.out | tr ',' '\n' | while read -r _ times; do
        [ "$times" -ge 0 ] && [ "$times" -le $((limit * rounds)) ] || exit 1
    done || fail "EINTR"
}
backend=ptrace
most 1 INT TERM HUP time pipe full
[ "$(id -u)" = 0 ] || exit 0
run trace -d 1 -p $$
has err '\(observe\)' || skip "not by BPF: $(cat err)"
backend=auto
most 0 INT TERM HUP KILL time pipe full
