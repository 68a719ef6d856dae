#!/bin/sh
# Whichever bpf(2) call is denied at the start, kvis reports it and continues with ptrace or with fewer features, and the
# trace is correct.
# tier: quick full
# timeout: 300
# needs: root strace python3
# covers: H13 E7
. "$TESTS/lib/lib.sh"
needs_hybrid
printf hello >data
right="S['exit_code'] == 3 and not S['lost'] and len(by('exec')) == 3 and S['processes'] == 3
    and len(by('open', path='$PWD/data')) == 1
    and sum(e['bytes'] for e in by('read', filename='$PWD/data') + by('copy_file_range', src_name='$PWD/data')) == 5
    and len([e for e in by('open', error='ENOENT') if e['path'].endswith('/nothere')]) == 1
    and H['backend'] == S['backend'] and H['backend']"
# traced CMD...: what the program did is in the trace; a line for each thing says what is missing (two calls fail, so two at most). $by: the backend.
traced() {
    "$@" "$KVIS" trace --json=json -- sh -c 'cat data; cat nothere 2>/dev/null; exit 3' >out 2>err 9>&-
    eq "$what: exit status" 3 $?
    by=$(js "($right)" 2>&1) || { echo "$by" >&9; fail "$what"; }
    grep '^kvis: ' err >lines
    n=$(wc -l <lines)
    [ $n -le 2 ] || { cat lines >&9; fail "$what: $n lines"; }
    [ $by = hybrid ] || eq "$what: a line that says why" 1 "$(grep -c 'using ptrace only: ' lines)"
}

# With threads refused as well: kvis does everything by itself then, in one order. (strace must not follow, for
# what kvis forks is kvis's to trace.)
on() { strace -qq -o bpf.log -e signal=none "$@"; }
on -e trace=clone,clone3 "$KVIS" trace -q -- true >/dev/null 2>&1 9>&-
thread=$(sed -n 's/(.*CLONE_THREAD.*//p' bpf.log | sort -u)
[ -n "$thread" ] || fail "no threads at its start"
alone="-e inject=$thread:error=EAGAIN:when=1..3"
on -e trace=bpf,$thread $alone "$KVIS" trace -q -- true >/dev/null 2>&1 9>&-
calls=$(grep -c '^bpf' bpf.log)
[ "$calls" -gt 50 ] || fail "only $calls calls of bpf"
grep -q INJECTED bpf.log || fail "the thread was not refused"
at=1 ptrace=0 less=0
while [ $at -le "$calls" ]; do
    for e in EINVAL EPERM; do
        what="bpf call $at: $e"
        traced on -e trace=bpf,$thread $alone -e inject=bpf:error=$e:when=$at..$((at + 1))
        say "$what: $by: $(cut -c1-200 lines)"
        [ $by = hybrid ] || ptrace=$((ptrace + 1))
        [ $by = ptrace ] || [ ! -s lines ] || less=$((less + 1))
    done
    if [ $((at % 16)) = 1 ]; then # what the other thread has done goes, too
        what="bpf call $at of the first thread"
        traced on -e trace=bpf -e inject=bpf:error=EPERM:when=$at..$((at + 1))
    fi
    at=$((at + $(some 8 1 15)))
done
[ $ptrace -gt $(some 1 20 1) ] || fail "by ptrace only $ptrace times"
[ $less -gt 0 ] || fail "never without a part"

# Where bpf(2) is refused at all. Asked for by name: an error, and nothing runs. (hidden_sys: without BTF.)
PATH=$BIN:$PATH
refuse bpf "$KVIS" trace --backend=hybrid -- touch ran >out 2>err 9>&-
eq "exit status" 125 $?
eq "in one line" 1 "$(wc -l <err)"
has err '^kvis: --backend=hybrid: '
[ ! -e ran ] || fail "it ran"
what="bpf refused"
traced refuse bpf
eq "$what" ptrace $by

# Counters that cannot be read at the end: the number of losses is null, with a reason, also in a replay.
for command in trace proc open; do
    last=999 record=; [ $command = open ] || record="-w rec"
    for n in 1 2 3; do # on a busy machine, kvis makes more calls: the fewest are those of each run
        on -e trace=bpf,$thread $alone "$KVIS" $command -o /dev/null --json=json -- true >/dev/null 2>&1 9>&-
        n=$(grep -c '^bpf' bpf.log)
        [ "$n" -ge $last ] || last=$n
    done
    if [ $command != trace ]; then # one read fails during the run: the next read knows all losses
        on -e trace=bpf,$thread $alone -e inject=bpf:error=ENOMEM:when=$((last - 2)) "$KVIS" $command -o text --json=json -- sleep 2.2 >out 2>err 9>&-
        has err 'number of lost records is unknown: cannot read the counters'
        want 'S["lost"] == 0 and "lost_reason" not in S'
    fi
    on -e trace=bpf,$thread $alone -e inject=bpf:error=ENOMEM:when=$((last - 2))+ "$KVIS" $command -o text --json=json $record -- true >out 2>err 9>&-
    has err 'number of lost records is unknown: cannot read the counters'
    want 'S["lost"] is None and S["lost_reason"] and not {"lost_waits", "probe_runs_missed"} & set(S)'
    [ "$record" ] || continue
    "$KVIS" replay --json=json -o text rec 2>err 9>&-
    want 'S["lost"] is None and S["lost_reason"]'
    "$KVIS" diff --json=json rec rec >/dev/null 2>err 9>&-
    has json '"lost":null,"lost_reason":"cannot read.*"lost":null,"lost_reason":"'; hasnt json '"lost_unknown"'
done
