#!/bin/sh
# Without privileges, kvis monitor shows what any user may read, as the kernel's files have it, and prints how to get the rest; no missing
# metric is 0.
# tier: gate asan
# timeout: 60
# needs: root python3 setpriv
. "$TESTS/lib/lib.sh"
for_nobody
stat() { sed -n "s/^$1 \([0-9]*\).*/\1/p" /proc/stat; }
nobody() { # nobody WHAT CMD...
    what=$1; shift
    ctxt=$(stat ctxt) processes=$(stat processes)
    "$@" ./kvis-copy monitor -i 0.3 -n 2 --per-cpu --prometheus=p.prom --json -o /dev/null >json 2>err 9>&-
    st=$?
    [ $st = 0 ] || fail "$what: exit $st"
    for m in "context_switches $ctxt $(stat ctxt)" "forks $processes $(stat processes)"; do # between what the kernel said before and after
        set -- $m $(sed -n "s/^kvis_${m%% *}_total //p" p.prom)
        [ "$2" -le "$4" ] && [ "$4" -le "$3" ] || fail "$what: $1: $4, from $2 to $3"
    done
    want 'S["intervals"] == 2 and E[1]["ts_ns"] - E[0]["ts_ns"] == E[1]["interval_ns"] and 0.4e9 < E[1]["ts_ns"] - E[0]["ts_ns"] + E[0]["interval_ns"]'
    want "all(e['cpus_online'] == len(e['cpu']) == $(getconf _NPROCESSORS_ONLN) and e['context_switches_per_second'] > 0 for e in E)"
    want 'len(E) == 2 and all(e["load1"] >= 0 and e["memory_total_bytes"] > 0 for e in E)' ||
        fail "$what"
    want 'all(abs(sum(e[m + "_ratio"] for m in ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")) - 1) < 1e-6
        for e in E for e in [e, *e["cpu"].values()])'
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
# A process of another user: only metrics that every user may read.
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
