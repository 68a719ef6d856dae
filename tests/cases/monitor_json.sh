#!/bin/sh
# kvis monitor prints one JSON line per interval, with rates that the kernel's own files confirm.
# tier: quick asan
# timeout: 60
# needs: python3
. "$TESTS/lib/lib.sh"
ctxt() { sed -n "s/^$1 \([0-9]*\).*/\1/p" /proc/stat; }
before=$(ctxt ctxt) forks=$(ctxt processes)
run monitor -i 0.5 -n 4 --per-cpu --json=json
after=$(ctxt ctxt) forks2=$(ctxt processes)
status 0
want '[e["type"] for e in E] == ["sample"] * 4'
want 'S["intervals"] == 4'
want 'all(b["ts_ns"] - a["ts_ns"] == b["interval_ns"] for a, b in zip(E, E[1:]))'
want '1.4e9 < E[3]["ts_ns"] - E[0]["ts_ns"] + E[0]["interval_ns"] < 10e9'
got=$(js 'int(sum(e["context_switches_per_second"] * e["interval_ns"] / 1e9 for e in E))')
say "context switches: $got of $((after - before)) from before to after"
# (a rate is of the time between two looks at its file, which the line's interval is only nearly)
[ "$got" -le $(((after - before) * 5 / 4)) ] || fail "more context switches than there were"
[ "$got" -ge $(((after - before) / 3)) ] || fail "context switches are missing"
got=$(js 'round(sum(e["forks_per_second"] * e["interval_ns"] / 1e9 for e in E))')
[ "$got" -le $(((forks2 - forks) * 5 / 4)) ] || fail "more forks than there were"
modes='("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")'
want "all(abs(sum(c[m + '_ratio'] for m in $modes) - 1) < 1e-6 for e in E
    for c in [e] + list(e['cpu'].values()))"
want "E[0]['cpus_online'] == len(E[0]['cpu']) == $(getconf _NPROCESSORS_ONLN)"
