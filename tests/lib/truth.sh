# Used by the cases whose program reports what kvis must show.
# Runs programs that print what kvis must show (progs/t.h, lib/want.py), and programs that must behave the same with and without
# kvis. A case sources this instead of lib.sh.
. "$TESTS/lib/lib.sh"
own_uid=$(id -u)

# truth PROG ARG...: runs PROG under `kvis trace $KVOPT`, or another $command. What PROG prints about itself (./facts) must be in
# the trace (./json). Returns 77 when this machine cannot do it.
truth() {
    prog=$1; shift
    kv ${command-trace} ${KVOPT-} --json=json -- "$BIN/$prog" "$@" >facts 2>err </dev/null
    st=$?
    case $st in
    0) ;;
    77) say "$(tail -n 1 facts)"; return 77 ;;
    *) tail -n 5 facts >&9; fail "$prog $*: exit status $st" ;;
    esac
    case $prog in
    opens) python3 "$TESTS/lib/opens.py" traced json facts >&9 ;;
    *) py want json facts >&9 ;;
    esac || fail "$prog $*"
}

# same PROG ARG...: the same output and the same exit status, traced or not. What the program wants
# of the trace holds as well.
same() {
    prog=$1; shift
    rm -rf native traced; mkdir native traced
    (cd native && exec "$BIN/$prog" "$@" >../want.out 2>../want.err 9>&- </dev/null)
    native=$?
    [ $native = 99 ] && { cat want.out >&9; fail "$prog $*: does not work here without kvis"; }
    [ $native = 77 ] && { say "$(tail -n 1 want.out)"; return 77; }
    (cd traced && kv trace ${KVOPT-} --json=../json -- "$BIN/$prog" "$@" >../got.out 2>../err </dev/null)
    st=$?
    grep -v '^want ' want.out >want.said
    grep -v '^want ' got.out >got.said
    diff want.said got.said >&9 || fail "$prog $*: another output when traced"
    [ $st = $native ] || fail "$prog $*: exit status $st, untraced $native"
    if grep -q '^want ' got.out; then
        py want json got.out >&9 || fail "$prog $*"
    else
        js True json >/dev/null || fail "$prog $*: bad JSON"
    fi
}

# each truth|same PROG SCENE...: every scene in a directory of its own; a skip if none can be done. What
# must be seen is seen by the ptrace backend as well, where the options leave a choice (in ./ptrace).
each() {
    how=$1 of=$2 done=0; shift 2
    for scene; do
        scene_in "$scene" "$how" "$of" "$scene" && done=$((done + 1))
        case "$how ${KVOPT-} $KVIS $own_uid" in
        same* | *--backend* | *--no-accel* | *-asan* | *[1-9]) continue ;; # not twice
        esac
        KVOPT="${KVOPT-} --backend=ptrace"
        scene_in "ptrace/$scene" "$how" "$of" "$scene"
        KVOPT=${KVOPT% --backend=ptrace}
    done
    [ $done -gt 0 ] || skip "$of: $(tail -n 1 "$scene/facts" 2>/dev/null || tail -n 1 "$scene/want.out")"
}
scene_in() { # scene_in DIR CMD...: in a new directory; the command's status
    home=$PWD
    rm -rf "$1"
    mkdir -p "$1"
    cd "$1" || fail "cd $1"
    shift
    "$@"
    in=$?
    cd "$home" || exit
    return $in
}

# target ARG...: tests/progs/att.c in the background (its pid in $target), ready in $tee.
target() {
    rm -f pid stop
    "$BIN/att" "$@" >target.out 2>&1 9>&- </dev/null &
    target=$!
    until_true 10 test -s pid || fail "$* is not ready"
    tee=$(cat pid)
}

# untarget: ends it, and shows that it saw nothing (its exit status is in $st).
untarget() {
    : >stop
    wait $target
    st=$?
    rm -f stop
    [ $st = 0 ] && [ "$(tail -n 1 target.out)" = done ] || { cat target.out >&9; fail "the program that was attached to: exit $st"; }
}

# attach ARG...: kvis on $tee in the background (its pid in $kvis), until it traces. Its header tells that it
# watches: in err, or with -q in ./json.
attach() {
    say "\$ kvis trace $* -p $tee &"
    rm -f json err
    "$KVIS" trace "$@" -p "$tee" >att.out 2>err 9>&- &
    kvis=$!
    until_true 20 attached "$tee" || fail "kvis does not attach"
}
detach() { finish "$1"; status "$2"; } # detach SIGNAL WANT: ends kvis; its exit status must be WANT
attached() { traced "$1" || grep -qs '(observe)' err || grep -qs '"backend":"observe"' json; }
traced() { ! grep -q 'TracerPid:[[:space:]]*0$' "/proc/$1/status"; }
untraced() { grep -q 'TracerPid:[[:space:]]*0$' "/proc/$1/status"; }
# Runs or sleeps, as anybody's business: no t, and T only if the case has stopped it.
free() { case $(state "$1") in R | S | D) untraced "$1" ;; *) return 1 ;; esac; }
gone() { [ ! -e "/proc/$1" ] || [ "$(state "$1")" = Z ]; }
