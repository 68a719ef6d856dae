#!/bin/sh
# --bpf-stats reports the time that bpftool reports for the same programs.
# tier: quick
# timeout: 60
# needs: root python3 bpftool prog:loop
. "$TESTS/lib/lib.sh"
needs_hybrid
before=$(cat /proc/sys/kernel/bpf_stats_enabled)
cat >both <<'E2'
"$BIN/loop" 10000
cat /proc/$PPID/fdinfo/* 2>/dev/null | sed -n 's/^prog_id:[[:space:]]*//p' | sort -u >ids
for id in $(cat ids); do bpftool -j prog show id $id; echo; done >progs
E2
run trace -q --bpf-stats --json=json -- sh both
status 0
sum() { python3 -c "
import json
print(sum(json.loads(l).get('$1', 0) for l in open('progs') if l.strip()))"; }
ns=$(sum run_time_ns) runs=$(sum run_cnt)
say "bpftool: $ns ns in $runs runs, kvis: $(js "S['bpf_ns'], S['bpf_runs']")"
want "S['bpf_runs'] >= 2 * S['records'] >= 80000"
# bpftool looks when the loop has ended and kvis a little later: bpftool's own calls run the programs, too.
want "40000 <= $runs <= S['bpf_runs'] and 0 < $ns <= S['bpf_ns']"
has err '^  BPF programs +[0-9]+\.[0-9]+ m?s in [0-9]+ runs$'

# Nobody's time is taken unasked, nor any longer than asked.
eq "kernel.bpf_stats_enabled" "$before" "$(cat /proc/sys/kernel/bpf_stats_enabled)"
run trace --json=json -- /bin/true
want "'bpf_ns' not in S"
hasnt err 'BPF programs'
run trace --bpf-stats --backend=ptrace -- touch ran
status 125
has err '^kvis: --bpf-stats: no BPF programs run: --backend=ptrace$'
[ ! -e ran ] || fail "it ran"
