# Used by the cases open_*, by_ptrace and leaves_nothing.
# Functions that the cases of `kvis open` share. A case sources this instead of lib.sh.
# Every run has a command or a filter, so that the tests do not show other processes of the host.
. "$TESTS/lib/lib.sh"

"$KVIS" open --backend=bpf -o /dev/null -- true 2>err 9>&- || skip "no BPF here: $(head -n 1 err)"

# watch ARG... -- CMD: kvis open; rows in ./rows, JSON in ./json, the command's output in ./out.
watch() { run open -o rows --json=json "$@"; }

# facts SCENE [OPTION...]: tests/progs/opens.c, in a new directory: all that it says of itself.
facts() {
    scene=$1; shift
    rm -rf "$scene"; mkdir "$scene"; cd "$scene" || exit 1
    watch "$@" -- "$BIN/opens" "$scene"
    case $st in
    77) say "$scene: $(tail -n 1 out)" ;;
    0)
        case $(head -n 1 out) in
        want*) py want json out >&9 || fail "$scene" ;;
        *) python3 "$TESTS/lib/opens.py" facts json out >&9 2>&1 || fail "opens.py: $scene" ;;
        esac
        ;;
    *) fail "$scene: exit status $st" ;;
    esac
    cd ..
}
