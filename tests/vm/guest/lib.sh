# lib.sh: functions of the guest tests. A test begins with `. /tests/lib.sh`; vm.sh describes how it runs.
# Each t_ line gives a line of TAP. The host reads the JSON files after the guest has sent them.

t_name=$(basename "$0" .sh) t_n=0 st=0
trap 't_end $?' EXIT

t_end() { # t_end STATUS: a test fails if it ends early, or has tested nothing
    [ "$1" = 0 ] || t_not_ok "$t_name: exit status $1"
    [ $t_n -gt 0 ] || t_not_ok "$t_name: tested nothing"
    : >"/tests/out/$t_name/ended"
}

t_pass() { t_n=$((t_n + 1)); echo "ok $t_n - $*"; }
t_not_ok() { t_n=$((t_n + 1)); echo "not ok $t_n - $*"; }
t_skip() { t_n=$((t_n + 1)); what=$1; shift; echo "ok $t_n - $what # SKIP $*"; } # t_skip WHAT WHY
t_show() { for f; do [ ! -s "$f" ] || head -n 12 "$f" | cut -c 1-200 | sed "s/^/# $(basename "$f"): /"; done; }

# t_run CMD...: stdout in ./out, stderr in ./err, the status in $st.
t_run() { st=0; "$@" >out 2>err || st=$?; }

# t_ok WHAT CMD...: the command succeeds.
t_ok() {
    t_what=$1; shift
    t_run "$@"
    [ $st = 0 ] && { t_pass "$t_what"; return 0; }
    t_not_ok "$t_what"
    echo "# exit status $st: $*"
    t_show out err
    return 1
}

# t_fails STATUS WHAT CMD...: it fails with that status.
t_fails() {
    t_want=$1 t_what=$2; shift 2
    t_run "$@"
    t_is "$t_what" "$t_want" "$st" || t_show out err
}

t_is() { # t_is WHAT WANT GOT
    [ "$2" = "$3" ] && { t_pass "$1"; return 0; }
    t_not_ok "$1"
    printf 'want %s\ngot  %s\n' "$2" "$3" | cut -c 1-200 | sed 's/^/# /'
    return 1
}
t_has() { # t_has WHAT FILE REGEX
    grep -Eq -- "$3" "$2" && { t_pass "$1"; return 0; }
    t_not_ok "$1"
    echo "# no line matches $3"
    t_show "$2"
    return 1
}
t_hasnt() { # t_hasnt WHAT FILE REGEX
    grep -E -- "$3" "$2" >hasnt || { t_pass "$1"; return 0; }
    t_not_ok "$1"
    t_show hasnt
    return 1
}

t_within() { # t_within WHAT LOW VALUE HIGH
    awk -v l="$2" -v v="$3" -v h="$4" 'BEGIN { exit !(l <= v && v <= h) }' && { t_pass "$1 ($2 <= $3 <= $4)"; return 0; }
    t_not_ok "$1: $3 is not in $2 .. $4"
    return 1
}

# t_needs_hybrid: the test is skipped if BPF cannot record calls.
t_needs_hybrid() {
    kvis trace -q --backend=hybrid -- true 2>why || { t_skip "$t_name" "$(head -n 1 why)"; exit 0; }
}
t_mount_cgroup2() { grep -q ' /sys/fs/cgroup cgroup2' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup; }

# t_begin FILE CMD...: starts kvis in the background (its pid is in $kvis) and waits until it has written to FILE. Its own output
# must not be redirected.
# t_stop: ends it with SIGINT; its status is in $st.
t_begin() {
    t_file=$1; shift
    rm -f "$t_file"
    "$@" &
    kvis=$!
    until_true 20 test -s "$t_file" || t_not_ok "it does not begin: $*"
}
t_stop() {
    kill -INT $kvis
    st=0
    wait $kvis || st=$?
}

# Tests on the host, in this directory, after the run:
t_host() {
    t_n=$((t_n + 1))
    (IFS='	'; echo "$t_n	${PWD#/tests/out/}	$*") >>"/tests/out/$t_name/host"
}
t_json() { t_host json "$@"; }           # t_json WHAT FILE EXPR: the expression (lib/j.py) is true of FILE
t_facts() { t_host facts "$@"; }         # t_facts WHAT JSON FACTS: JSON has the facts that a program printed (lib/want.py)
t_replay() { t_host replay "$@"; }       # t_replay WHAT JSON RECORDING: the host's kvis replays the recording to the same JSON
t_opens() { t_host opens "$@"; }         # t_opens WHAT JSON FACTS: JSON has the opens that a program printed (lib/opens.py)

# t_scene DIR OPTIONS PROG ARG...: `kvis OPTIONS` with a test program, in the new directory DIR: its JSON agrees with what the program
# says of itself (t_how: t_facts, t_opens or, for no comparison, :). The test continues in DIR. Fails if this machine cannot run the scene
# (exit status 77).
t_how=t_facts
t_scene() {
    t_dir=$1 t_options=$2 t_prog=$3
    shift 3
    mkdir "$t_dir"
    cd "$t_dir" || exit
    t_run kvis $t_options --json=json -- "$BIN/$t_prog" "$@" </dev/null
    mv out facts
    [ $st != 77 ] || { t_skip "$t_dir" "$(tail -n 1 facts)"; return 1; }
    t_is "$t_dir: exit status" 0 "$st" || { t_show err; tail -n 3 facts; }
    $t_how "$t_dir: facts" json facts
}

# t_both DIR CMD...: runs the command three times under strace, twice under kvis and once with its ptrace backend, each time in a new
# directory DIR/run and with the same addresses. Needs "# with: strace".
t_both() {
    t_dir=$1; shift
    t_random=$(cat /proc/sys/kernel/randomize_va_space)
    echo 0 >/proc/sys/kernel/randomize_va_space
    for t_i in strace.0 strace.1 strace.2 kvis.0 kvis.1 kvis.ptrace; do
        mkdir -p "$t_dir/$t_i" "$t_dir/run"
        (cd "$t_dir/run" && case $t_i in
            strace*) exec strace -ff -o ../$t_i/log -a1 -xx -yy -s0 -e signal=all \
                -e quiet=attach,path-resolution,personality,thread-execve -- "$@" ;;
            kvis.ptrace) exec kvis trace --backend=ptrace -v --json=../$t_i/json -- "$@" ;;
            kvis*) exec kvis trace -v --json=../$t_i/json -- "$@" ;;
        esac) >"$t_dir/stdout" 2>"$t_dir/stderr"
        echo $? >"$t_dir/$t_i/status"
        mv "$t_dir/stdout" "$t_dir/stderr" "$t_dir/$t_i/"
        rm -rf "$t_dir/run"
    done
    echo $t_random >/proc/sys/kernel/randomize_va_space
    t_host strace "strace and kvis see the same: $t_dir" "$t_dir"
}

# t_both_sh N: a shell that writes N lines, with pipelines, files and a signal.
t_both_sh() {
    t_both sh sh -c 'i=0; while [ $i -lt '$1' ]; do echo $i; i=$((i + 1)); done | sort -r | tee f | wc -l
        cat f nothere; mkdir d; mv f d; mv d e; wc -c <e/f; kill -USR1 $$; exit 3'
}

# t_cause ARG...: starts `ill ARG...` and waits until its fault exists; its pid is in $ill. t_cause_in CGROUP ARG...: the same in a
# cgroup. t_cure PID...: ends them.
t_cause() { t_cause_in '' "$@"; }
t_cause_in() {
    t_group=$1; shift
    [ -z "$t_group" ] || echo $$ >"$t_group/cgroup.procs"
    "$BIN/ill" "$@" >ill.out 2>&1 &
    ill=$!
    [ -z "$t_group" ] || echo $$ >/sys/fs/cgroup/cgroup.procs
    until_true 30 grep -q '^ill' ill.out || { t_not_ok "ill $*: it does not begin"; t_show ill.out; return 1; }
}
t_cure() { { kill "$@"; wait "$@"; } 2>/dev/null || :; }

# t_first JSON: writes the first finding of kvis diagnose to ./first, and its processes to ./named.
t_first() {
    sed 's/.*"findings":\[//; s/"rank":2,.*//; s/\],"busiest".*//' "$1" >first
    sed 's/.*"culprits":\[//' first | grep -o '{"pid":[0-9]*,"comm":"[^"]*"' |
        sed 's/{"pid":\([0-9]*\),"comm":"\([^"]*\)"/\1 (\2)/' >named
}

# t_ill WHAT RULE WHO ARG...: `ill ARG...` causes a fault (without ARG: none), and the first finding of kvis diagnose is of RULE (a
# regular expression for the rule's name, or "none"). WHO: 1: its first culprit is the program, 0: it has no culprit, -: any.
# ILL_OPTIONS: more options of diagnose. The TAP has the seconds from the fault to the finding, which the manual gives.
t_ill() {
    t_ill=$1 t_rule=$2 t_who=$3 t_run=1
    shift 3
    [ $# = 0 ] || t_cause "$@" || return
    t_since=$(cut -d ' ' -f 1 /proc/uptime)
    while kvis diagnose ${ILL_OPTIONS-} -d 2 --json="$t_ill.$t_run.json" -o "$t_ill.txt" 2>err || t_show err; do
        t_first "$t_ill.$t_run.json"
        t_first=$(sed -n 's/.*"rank":1,.*"rule":"\([^"]*\)".*/\1/p' first)
        # When the host takes a CPU from the emulator, tasks of the guest wait, too. The guest cannot tell this from waits that its own
        # tasks cause: the run is void.
        [ "$t_first" = run-queue-latency ] && [ $t_run -le 3 ] || break
        echo "# $t_ill, run $t_run is void: long waits for a CPU"
        t_run=$((t_run + 1))
    done
    t_culprit=$(head -n 1 named)
    case $t_who in 0) t_want= ;; -) t_want=$t_culprit ;; *) t_want="$ill (ill-$1)" ;; esac
    t_is "$t_ill: who" "$t_want" "$t_culprit"
    if expr "${t_first:-none}" : "\($t_rule\)\$" >/dev/null; then
        t_pass "$t_ill: ${t_first:-no finding}, $(t_seconds_since "$t_since") s after the fault began"
    else
        t_not_ok "$t_ill: ${t_first:-nothing} is first, not $t_rule"
        t_show "$t_ill.txt"
    fi
    [ $# = 0 ] || t_cure $ill
}

t_seconds_since() { awk -v since="$1" '{ printf "%.1f", $1 - since }' /proc/uptime; }

# null_disk ATTRIBUTE=VALUE...: makes a null_blk disk, by default with 64 MB and timer interrupts (irqmode=2); its name is in $name.
# Needs "# modules: configfs null_blk". null_gone: removes all of them.
null_disk() {
    [ -d /tmp/null/nullb ] || { mkdir -p /tmp/null && mount -t configfs none /tmp/null; } || t_not_ok "no configfs"
    t_disks=$((${t_disks-0} + 1))
    t_disk=/tmp/null/nullb/$t_name$t_disks
    ls /sys/block >disks.before
    mkdir $t_disk
    for t_a in size=64 irqmode=2 "$@" power=1; do
        echo "${t_a#*=}" >"$t_disk/${t_a%%=*}" || t_not_ok "null_blk: $t_a"
    done
    name=$(ls /sys/block | grep -vxFf disks.before)
    until_true 5 test -b "/dev/$name"
}
null_gone() {
    for t_disk in /tmp/null/nullb/*/; do
        echo 0 >$t_disk/power
        rmdir $t_disk
    done
    umount /tmp/null
}

# user CMD...: as an ordinary user (uid and gid 1000, no groups).
user() { as_user 1000 "$@"; }

# until_true SECS CMD...: tries the command every 0.1 s until it succeeds.
until_true() {
    t_tries=$(($1 * 10)); shift
    while ! "$@" 2>/dev/null; do
        t_tries=$((t_tries - 1)); [ $t_tries -gt 0 ] || return 1
        usleep 100000
    done
}
