# Used by the cases open_* and leaves_nothing.
# Functions that the cases of `kvis open` share. A case sources this instead of lib.sh.
# Every run has a command or a filter, so that the tests do not show other processes of the host.
. "$TESTS/lib/lib.sh"

"$KVIS" open --backend=bpf -o /dev/null -- true 2>err 9>&- || skip "no BPF here: $(head -n 1 err)"
OPENS=open,openat,openat2,creat,open_by_handle_at

# opens HOW ARG...: tests/lib/opens.py, with ./json.
opens() {
    how=$1; shift
    python3 "$TESTS/lib/opens.py" "$how" json "$@" >differ 2>&1 || { cat differ >&9; fail "opens.py $how $*"; }
}

# watch ARG... -- CMD: kvis open; rows in ./rows, JSON in ./json, the command's output in ./out.
watch() { run open -o rows --json=json "$@"; }

# facts SCENE [OPTION...]: tests/progs/opens.c, in a new directory: all that it says of itself.
facts() {
    scene=$1; shift
    rm -rf "$scene"; mkdir "$scene"; cd "$scene" || exit 1
    watch "$@" -- "$BIN/opens" "$scene"
    [ $st = 77 ] && { say "$scene: $(tail -n 1 out)"; cd ..; return; }
    status 0
    opens facts out
    cd ..
}
