#!/bin/sh
# A sum of memory controllers or resctrl groups has all of its parts, or there is none and the reason is told.
# tier: quick asan
# timeout: 60
# needs: root python3
# covers: S6 S7
. "$TESTS/lib/lib.sh"
monitor() { "$KVIS" monitor -c uncore -i 0.05 -n 2 --json=json --prometheus=p.prom --path.rootfs=t -o /dev/null 9>&- || fail "exit $?"; }
why='{m: u["reason"] for u in E[-1]["unavailable"] for m in u["metrics"]}'

# resctrl: a group with a long name, and as many groups as are read.
python3 "$TESTS/lib/mon_uncore.py" counting t || fail "no tree"
long=pod-0123456789-0123456789-0123456789-0123456789
put() { mkdir -p "t/sys/fs/resctrl/$1/mon_data/mon_L3_00" && echo 100 >"t/sys/fs/resctrl/$1/mon_data/mon_L3_00/mbm_total_bytes"; }
put $long
n=2 # and web
while [ $n -lt 128 ]; do put g$n; n=$((n + 1)); done
monitor
has p.prom "^kvis_mbm_total_bytes_total.l3=\"$long/00\". 100"
want '"mbm_total_bytes_per_second" in E[-1]'
want "not any('more groups' in v for v in ($why).values())"
put g128
monitor
want '"mbm_total_bytes_per_second" not in E[-1]'
want "any('more groups than are read' in u['reason'] for u in E[-1]['unavailable'])"

# A table of the firmware that cannot be read.
rm t/sys/firmware/dmi/tables/DMI
mkdir t/sys/firmware/dmi/tables/DMI
monitor
want "($why)['memory_bandwidth_utilisation_ratio'].endswith('tables/DMI: EISDIR')"

# More PMUs than are read: those that do not fit are missing in any sum.
[ "$(ulimit -Hn)" -gt 4096 ] || skip "too few descriptors: $(ulimit -Hn)"
d=t/sys/bus/event_source/devices
echo 0 >$d/uncore_imc_0/cpumask
n=1
rm -r $d/uncore_imc_1
while [ $n -lt 1030 ]; do ln -s uncore_imc_0 $d/uncore_imc_$n; n=$((n + 1)); done
monitor
want '"memory_read_bytes_per_second" not in E[-1]'
want "($why)['memory_read_bytes_per_second'].startswith('more memory controllers than')"
rm $d/uncore_imc_10??
monitor
want '"memory_read_bytes_per_second" in E[-1]'
