# Used by most cases.
# Functions that shell cases share; lib.py has them for Python. A case starts with `. "$TESTS/lib/lib.sh"`.
set -u
exec 9>&1 # the log, also where a helper's output is redirected

say() { echo "$*" >&9; }

# Ends the case; the output of the last `run` says what happened.
fail() {
    for f in out err; do
        [ -s "$f" ] || continue
        say "--- $f:"
        cut -c1-300 "$f" | sed -n '1,12p;13s/.*/.../p' >&9
        [ "$(wc -l <"$f")" -le 12 ] || tail -n 12 "$f" | cut -c1-300 >&9
    done
    say "FAIL: $*"
    exit 1
}

skip() { say "$*"; exit 77; }

# kv ARG...: kvis, its command line in the log. 9 is closed: the tracee must not see our fds.
kv() {
    say "\$ kvis $*"
    "$KVIS" "$@" 9>&-
}

# run ARG...: kvis with stdout in ./out, stderr in ./err, status in $st.
run() {
    kv "$@" >out 2>err
    st=$?
}

# launch FILE ARG...: starts kvis in the background ($kvis), and waits until kvis or its command has written something to FILE.
# finish [SIGNAL]: sends SIGNAL to that kvis, if given, and waits for its end; status in $st.
launch() {
    first=$1; shift
    rm -f "$first"
    say "\$ kvis $* &"
    "$KVIS" "$@" >out 2>err 8>&- 9>&- &
    kvis=$!
    until_true 30 test -s "$first" || fail "nothing is in $first"
}
finish() {
    [ $# = 0 ] || kill "-$1" $kvis
    wait $kvis 2>/dev/null
    st=$?
}

# for_nobody: makes ./kvis-copy, which every user may run here. $user CMD... runs CMD as nobody; as_user ARG... runs kvis so.
user="setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all"
for_nobody() { cp "$KVIS" kvis-copy && chmod 755 kvis-copy && chmod 777 . || fail "no copy of kvis"; }
as_user() {
    say "\$ (nobody) kvis $*"
    $user ./kvis-copy "$@" >out 2>err 9>&-
    st=$?
}

status() { [ "$st" = "$1" ] || fail "exit status: want $1, got $st"; } # status WANT
gives() { gives=$1; shift; run "$@"; status "$gives"; }                    # gives WANT ARG...: run; the exit status must be WANT

# needs_hybrid: skips the case where BPF cannot record calls. backends: those that work here.
needs_hybrid() {
    run trace -q --backend=hybrid -- /bin/true
    [ $st = 0 ] || skip "$(head -n 1 err)"
}
backends() { "$KVIS" trace -q --backend=hybrid -- /bin/true >&9 2>&1 9>&- && echo ptrace hybrid || echo ptrace; }

# js EXPR FILE: evaluates a python expression over FILE's JSON lines (see j.py) and prints its value.
js() { py j "$1" "${2:-json}"; }

# py j|want ARG...: lib/j.py or lib/want.py; the runner has started one Python for all calls of this case (lib/serve.py).
py() {
    if [ ! -p "${SERVE:-/dev/null}/ask" ]; then
        py_module=$1; shift
        python3 "$TESTS/lib/$py_module.py" "$@"
        return
    fi
    printf '%s\0' "$PWD" "${PARTIAL-}" "$@" >"$SERVE/ask"
    {
        read -r py_status
        while IFS= read -r py_line; do
            case $py_line in
            1*) printf '%s\n' "${py_line#1}" ;;
            2*) printf '%s\n' "${py_line#2}" >&2 ;;
            esac
        done
    } <"$SERVE/answer"
    return "$py_status"
}

# want EXPR [FILE]: the expression must be true of FILE (./json).
want() {
    js "$1" "${2:-json}" >/dev/null 2>want.err || fail "not so in ${2:-json}: $1
$(cat want.err)"
}

# want_json EXPR FILE: EXPR, a Python expression over J (the JSON value in FILE), must be true.
want_json() { python3 -c 'import json, sys; J = json.load(open(sys.argv[2])); sys.exit(not eval(sys.argv[1]))' "$@" || fail "not so in $2: $1"; }

eq() { [ "$2" = "$3" ] || fail "$1: want '$2', got '$3'"; }                      # eq WHAT WANT GOT
has() { grep -Eq -- "$2" "$1" || fail "$1: nothing matches: $2"; }               # has FILE REGEX
hasnt() { ! grep -En -- "$2" "$1" >&9 || fail "$1: something matches: $2"; }     # hasnt FILE REGEX

# rows TABLE [6]: the rows of -c (6: of strace -c) without the last, as `name calls errors`.
rows() { awk '/^ *[0-9]/ && $NF != "total" { print $NF, $4, NF == n ? $5 : 0 }' n="${2:-9}" "$1" | LC_ALL=C sort; }

# some FEW FULL ASAN: how many of something: in the tiers gate and quick, with FULL=1 (tier full), with the sanitizers.
some() {
    case "$KVIS ${FULL-}" in
    *asan*) echo "$3" ;;
    *" 1") echo "$2" ;;
    *) echo "$1" ;;
    esac
}

# until_true SECS CMD...: tries the command every 0.05 s until it succeeds. SECS are enough on a machine that has
# nothing else to do; six times that passes before it fails.
until_true() {
    n=$(($1 * 20 * 6)); shift
    while ! "$@" 2>/dev/null; do
        n=$((n - 1)); [ $n -gt 0 ] || return 1
        sleep 0.05
    done
}

# has_lines FILE REGEX N: at least N lines of FILE match.
has_lines() { [ "$(grep -Ec -- "$2" "$1" 2>/dev/null)" -ge "$3" ]; }

# promtool_takes FILE: promtool and lib/prom.py accept FILE; names of node_exporter need not be in snake case.
promtool_takes() {
    python3 "$TESTS/lib/prom.py" "$1" >&9 || fail "the text format of $1"
    promtool check metrics <"$1" >tool 2>&1 ||
        ! grep -v "metric names should be written in 'snake_case' not 'camelCase'" tool >&9 || fail "promtool: $1"
}

# state PID: R, S, T, t, Z ... of a process, nothing when it is gone.
state() { sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null; }

# report OUT CMD...: with odd signals, limits, umask, descriptors and nice, as the caller may have them.
report() {
    to=$1; shift
    (
        umask 027
        ulimit -n 512
        ulimit -l 64
        ulimit -c unlimited 2>/dev/null
        trap '' HUP USR2 TTOU
        exec 5</etc/passwd 6>>six 9>&-
        exec nice -n 3 "$@" >"$to" 2>err.$to </dev/null
    )
    st=$?
}

# in_pid_ns: starts a shell in a new pid namespace, which runs sleeps until ./stop exists: $ns_init. Its parent is
# $ns_outer, a child of this shell.
in_pid_ns() {
    unshare -pf --mount-proc /bin/sh -c 'while [ ! -e stop ]; do /bin/sleep 0.05; done' 9>&- &
    ns_outer=$!
    until_true 5 eval '[ "$(cat /proc/$ns_outer/task/$ns_outer/children)" ]'
    ns_init=$(cat /proc/$ns_outer/task/$ns_outer/children)
    ns_init=${ns_init% }
}

# bpf_ids PID: the programs, maps and links that this process holds in the kernel, one a line: `prog 12`.
bpf_ids() { cat /proc/$1/fdinfo/* 2>/dev/null | sed -nE 's/^(prog|map|link)_id:[^0-9]*/\1 /p' | sort -u; }
# bpf_gone FILE: no BPF object listed in FILE exists in the kernel any more.
bpf_gone() {
    while read -r kind id; do
        ! bpftool "$kind" show id "$id" >/dev/null 2>&1 || return 1
    done <"$1"
}
