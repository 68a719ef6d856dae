#!/bin/sh
# Whichever bpf(2) call is denied at the start, kvis reports it and continues with ptrace or with fewer features, and the
# trace is correct.
# tier: gate full
# timeout: 120
# needs: root gcc strace python3
. "$TESTS/lib/lib.sh"
needs_hybrid
gcc -std=gnu11 -O0 -w -pthread -o forging "$TESTS/lib/unit.c" 2>err || fail "unit.c does not compile" # see lib/old_kernel.c
export OLD=none
printf hello >data
right="S['exit_code'] == 3 and not S['lost'] and len(by('exec')) == 3 and S['processes'] == 3
    and len(by('open', path='$PWD/data')) == 1
    and sum(e['bytes'] for e in by('read', filename='$PWD/data') + by('copy_file_range', src_name='$PWD/data')) == 5
    and len([e for e in by('open', error='ENOENT') if e['path'].endswith('/nothere')]) == 1
    and H['backend'] == S['backend'] and H['backend']"
# traced KVIS...: the trace must have what the program did, with at most two lines of warnings. Sets $by to the backend.
traced() {
    "$@" trace --json=json -- sh -c 'cat data; cat nothere 2>/dev/null; exit 3' >out 2>err 9>&-
    eq "$what: exit status" 3 $?
    by=$(js "($right)" 2>&1) || { echo "$by" >&9; fail "$what"; }
    grep '^kvis: ' err >lines
    n=$(wc -l <lines)
    [ $n -le 2 ] || { cat lines >&9; fail "$what: $n lines"; }
    [ $by = hybrid ] || eq "$what: a line that says why" 1 "$(grep -c 'using ptrace only: ' lines)"
}

BPF_LOG=$PWD/calls ./forging trace -q -- true >out 2>err 9>&-
sort -u calls >distinct
[ "$(wc -l <distinct)" -gt 40 ] || fail "only $(wc -l <distinct) calls of bpf"
awk "(NR - 1) % $(some 6 1 15) == 0" distinct >chosen
ptrace=0 less=0
while read -r call; do
    for e in 22 1; do # EINVAL, EPERM
        what="bpf call $call: errno $e"
        export REFUSE="$call $e 99"
        traced ./forging
        say "$what: $by: $(cut -c1-200 lines)"
        [ $by = hybrid ] || ptrace=$((ptrace + 1))
        [ $by = ptrace ] || [ ! -s lines ] || less=$((less + 1))
    done
done <chosen
[ $ptrace -gt $(some 1 20 1) ] || fail "by ptrace only $ptrace times"
[ $less -gt 0 ] || fail "never without a part"

# Without threads, kvis does everything in its only thread. (strace must not follow forks: kvis traces its children itself.)
strace -qq -o log -e signal=none -e trace=clone,clone3 "$KVIS" trace -q -- true >out 2>err 9>&-
thread=$(sed -n 's/(.*CLONE_THREAD.*//p' log | sort -u)
what="no threads"
traced strace -qq -o log -e signal=none -e trace="$thread" -e inject="$thread:error=EAGAIN:when=1..2" "$KVIS"
eq "threads that were refused" "2 hybrid" "$(grep -c INJECTED log) $by"

# Counters that cannot be read at the end: the number of losses is null, with a reason, also in a replay.
for command in trace proc open; do
    record=; [ $command = open ] || record="-w rec"
    if [ $command != trace ]; then # one read fails during the run: the next read knows all losses
        REFUSE="1 lost 12 1" ./forging $command -o text --json=json -- sleep 2.2 >out 2>err 9>&-
        has err 'number of lost records is unknown: cannot read the counters'
        want 'S["lost"] == 0 and "lost_reason" not in S'
    fi
    REFUSE="1 lost 12 999" ./forging $command -o text --json=json $record -- true >out 2>err 9>&-
    has err 'number of lost records is unknown: cannot read the counters'
    want 'S["lost"] is None and S["lost_reason"] and not {"lost_waits", "probe_runs_missed"} & set(S)'
    [ "$record" ] || continue
    "$KVIS" replay --json=json -o text rec 2>err 9>&-
    want 'S["lost"] is None and S["lost_reason"]'
    "$KVIS" diff --json=json rec rec >/dev/null 2>err 9>&-
    has json '"lost":null,"lost_reason":"cannot read.*"lost":null,"lost_reason":"'; hasnt json '"(lost_unknown|tables|not_run|no_major)"'
done
