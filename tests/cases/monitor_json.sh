#!/bin/sh
# kvis monitor prints one JSON line per interval, with rates that the kernel's own files confirm.
# tier: gate asan
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
ctxt() { sed -n "s/^$1 \([0-9]*\).*/\1/p" /proc/stat; }
before=$(ctxt ctxt) forks=$(ctxt processes)
run monitor -i 0.5 -n 4 --per-cpu --json=json --prometheus=p.prom
after=$(ctxt ctxt) forks2=$(ctxt processes)
status 0
want '[e["type"] for e in E] == ["sample"] * 4'
want 'S["intervals"] == 4'
want 'all(b["ts_ns"] - a["ts_ns"] == b["interval_ns"] for a, b in zip(E, E[1:]))'
want '1.4e9 < E[3]["ts_ns"] - E[0]["ts_ns"] + E[0]["interval_ns"]'
# The counters are between what the kernel said before and after.
between() { # between NAME LOW HIGH
    got=$(sed -n "s/^kvis_$1_total //p" p.prom)
    [ "$2" -le "$got" ] && [ "$got" -le "$3" ] || fail "$1: $got, from $2 to $3"
}
between context_switches "$before" "$after"
between forks "$forks" "$forks2"
want 'all(e["context_switches_per_second"] > 0 and e["forks_per_second"] >= 0 for e in E)'
modes='("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")'
want "all(abs(sum(c[m + '_ratio'] for m in $modes) - 1) < 1e-6 for e in E
    for c in [e] + list(e['cpu'].values()))"
want "E[0]['cpus_online'] == len(E[0]['cpu']) == $(getconf _NPROCESSORS_ONLN)"
