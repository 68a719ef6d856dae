# Used by the cases proc_*.
# Functions that the cases of `kvis proc` share. A case sources this instead of lib.sh.
. "$TESTS/lib/lib.sh"

# commands SCENE: tests/progs/cmd.c under kvis proc $PROC_OPT: all that it says of itself (./facts)
# is in the records (./json).
commands() {
    kv proc ${PROC_OPT-} -x --forks --json=json -o text -- "$BIN/cmd" "$1" >facts 2>err </dev/null
    st=$?
    case $st in
    0) ;;
    77) say "$(tail -n 1 facts)"; return 77 ;;
    *) tail -n 5 facts >&9; fail "$1: exit status $st" ;;
    esac
    want "S['lost'] == 0 and S['ends_unseen'] == 0"
    # no context switches; no limits of failed execs' arguments
    case ${PROC_OPT-} in
    *ptrace*) sed -i "/_switches'\]/d; /\['m'\] \* 128/d" facts ;;
    esac
    py want json facts >&9 || fail "$1"
}

# each FUNCTION SCENE...: every scene in a directory of its own.
each() {
    how=$1; shift
    for scene; do
        rm -rf "$scene"
        mkdir "$scene"
        cd "$scene" || fail "cd $scene"
        "$how" "$scene"
        cd ..
    done
}
