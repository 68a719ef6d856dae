#!/bin/sh
# Without privileges, kvis monitor shows what any user may read and prints how to get the rest; no missing metric is 0.
# tier: gate asan
# timeout: 60
# needs: root python3 setpriv
# covers: S5
. "$TESTS/lib/lib.sh"
chmod 755 .
cp "$KVIS" kvis-copy && chmod 755 kvis-copy || fail "no copy"
nobody() { # nobody WHAT CMD...
    what=$1; shift
    "$@" ./kvis-copy monitor -i 0.3 -n 2 --json -o /dev/null >json 2>err 9>&-
    st=$?
    [ $st = 0 ] || fail "$what: exit $st"
    want 'len(E) == 2 and all(e["load1"] >= 0 and e["memory_total_bytes"] > 0 for e in E)' ||
        fail "$what"
    want 'all(abs(sum(e[m + "_ratio"] for m in ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")) - 1) < 1e-6 for e in E)'
    for m in switches_per_second runq_depth_p50 block_sequential_ratio; do
        want "all('$m' not in e for e in E)"
        want "all(any('$m' in u['metrics'] and 'CAP_BPF' in u['reason'] for u in e['unavailable']) for e in E)"
    done
}
nobody "nobody" $user
run monitor -c runq,block -n 1 -i 0.1
[ $st = 0 ] || [ $st = 125 ] || fail "exit $st"
$user ./kvis-copy monitor -c runq,block -n 1 -i 0.1 >out 2>err 9>&-
eq "only what it may not" 125 $?
has err 'nothing to show: .*CAP_BPF'
# Another one's process: what all may read of it.
sleep 30 9>&- &
other=$!
trap 'kill $other' EXIT
$user ./kvis-copy monitor -c proc -p $other -i 0.2 -n 2 --json -o /dev/null >json 2>err 9>&-
eq "a process of root" 0 $?
want "E[1]['pid']['$other']['process_threads'] == 1 and E[1]['pid']['$other']['process_user_seconds_per_second'] == 0"
# /proc with hidepid=2; a mount namespace of our own
hide='mount -t proc -o hidepid=2 p /proc && exec "$@"'
unshare -m true 2>/dev/null || { say "no unshare"; exit 0; }
nobody "hidepid=2" unshare -m sh -c "$hide" sh $user
unshare -m sh -c "$hide" sh $user ./kvis-copy monitor -c proc -p $other -i 0.2 -n 2 >out 2>err 9>&-
eq "a process that is hidden" 125 $?
has err "no process $other"
# subset=pid: not one of the files that this is all about; what /sys has is there, and -p
unshare -m sh -c 'mount -t proc -o subset=pid p /proc && exec "$@"' sh \
    ./kvis-copy monitor -c load,stat,proc -p $other -i 0.2 -n 2 --json -o /dev/null >json 2>err 9>&-
eq "subset=pid" 0 $?
want "all('load1' not in e and e['pid']['$other']['process_threads'] == 1 for e in E)"
want "all(any('load1' in u['metrics'] and '/proc/loadavg: ENOENT' in u['reason'] for u in e['unavailable']) for e in E)"
