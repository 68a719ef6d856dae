#!/bin/sh
# kvis monitor survives nonsense in every file of /proc and /sys, and 4096 CPUs.
# tier: gate full asan
# timeout: 600
# needs: python3 promtool mkfifo
. "$TESTS/lib/lib.sh"
look() { # look WHAT ARG...: in every form of output
    what=$1; shift
    timeout 40 "$KVIS" monitor -i 0.05 -n 2 --per-cpu --path.rootfs="$PWD/t" --json=json --csv=csv \
        --prometheus=p.prom -o text -c cpu,sched,mem,numa,io,thermal,net,limits,busy,uncore "$@" >out 2>err 9>&-
    st=$?
    [ $st = 125 ] && grep -q 'nothing to show' err && return
    [ $st = 0 ] || fail "$what: exit $st"
    want 'len(E) == 2 and "NaN" not in str(E)' || fail "$what"
    promtool_takes p.prom
    LC_ALL=C grep -n "$(printf '[\001-\010\013-\037\177]')" text csv && fail "$what: control characters"
    python3 -c 'import csv; rows = list(csv.reader(open("csv", newline=""))); at = rows[0].index
assert {len(r) for r in rows} == {7}
odd = [r for r in rows if r[at("metric")].endswith(("_ratio", "_per_second")) and not float(r[at("value")]) >= 0]
assert not odd, odd[:3]' ||
        fail "$what: csv"
}
for n in $(seq 0 $(some 12 1 12) 36); do
    rm -rf t
    python3 "$TESTS/lib/mon_uncore.py" counting t || fail "no PMUs"
    mkdir t/sys/bus/event_source/devices/cpu
    cp -r t/sys/bus/event_source/devices/uncore_imc_0/* t/sys/bus/event_source/devices/cpu
    python3 "$TESTS/lib/mon_tree.py" t "hostile:$n" || fail "no tree"
    look "nonsense $n"
    "$KVIS" check cpu --path.rootfs=t >out 2>err 9>&-
    [ $? -le 1 ] && [ ! -s err ] || fail "nonsense $n: check cpu"
    [ $n -gt 24 ] || want '"memory_read_bytes_per_second" not in E[-1]' # of nonsense alone there is no bandwidth
done
rm -rf t
mkdir -p t/proc
echo 0.50 1.00 1.50 1/2 3 >t/proc/loadavg
look "next to nothing there"
want 'E[0]["load15"] == 1.5'
# these come from the kernel that runs, or have other reasons too
live='("runq", "depth", "block", "tcp", "limits", "busy", "descriptors", "ports", "bonds", "tables", "stuck", "locks")'
want "all(len(u['metrics']) and 'ENOENT' in u['reason'] for u in E[0]['unavailable'] if u['source'] not in $live)"
want "len(E[0]['unavailable']) > 10"
look "nothing" --path.procfs=/nowhere --path.sysfs=/dev/null -c cpu,load,psi,schedstat,mem,numa,disks,thermal
want 'len(E) == 1 and len(E[0]["unavailable"]) > 10'
has err 'there is nothing to show: /nowhere/stat: ENOENT'
has err 'there is nothing to show: /nowhere/loadavg: ENOENT'
eq "no number: status" 125 $st

python3 "$TESTS/lib/mon_tree.py" t huge || fail "no tree"
gives 0 monitor -i 0.3 -n 3 --per-cpu --json=json --prometheus=p.prom --path.rootfs="$PWD/t" -o /dev/null
want 'len(E) == 3 and all(len(e["cpu"]) == 4096 and e["cpus_online"] == 4096 for e in E)'
want 'all(e["frequency_hertz"] == 1e9 and e["cpu"]["4095"]["frequency_max_hertz"] for e in E)'
eq "CPUs" 4096 "$(grep -c '^kvis_cpu_seconds_total.mode="irq"' p.prom)"
