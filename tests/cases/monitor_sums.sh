#!/bin/sh
# A sum over memory controllers or resctrl groups includes all of its parts, or is n/a with the reason. Items that do not fit
# are counted, once for each item of a source, and every output has their number.
# tier: quick asan
# timeout: 60
# needs: root python3
. "$TESTS/lib/lib.sh"
monitor() { "$KVIS" monitor -c uncore -i 0.05 -n 2 --json=json --prometheus=p.prom --path.rootfs=t -o /dev/null 9>&- || fail "exit $?"; }
why='{m: u["reason"] for u in E[-1]["unavailable"] for m in u["metrics"]}'

# resctrl: a group with a long name, and many groups.
python3 "$TESTS/lib/mon_uncore.py" counting t || fail "no tree"
long=pod-0123456789-0123456789-0123456789-0123456789
put() { mkdir -p "t/sys/fs/resctrl/$1/mon_data/mon_L3_00" && echo 100 >"t/sys/fs/resctrl/$1/mon_data/mon_L3_00/mbm_total_bytes"; }
put $long
for n in $(seq 2 127); do put g$n; done # and web
monitor
has p.prom "^kvis_mbm_total_bytes_total.l3=\"$long/00\". 100"
want '"mbm_total_bytes_per_second" in E[-1]'
want "not any('too many instances' in v for v in ($why).values())"
# as many domains as are read, and one more
mkdir $(seq -f t/sys/fs/resctrl/web/mon_data/mon_L3_%02.0f 2 255)
monitor
want '"mbm_total_bytes_per_second" in E[-1] and "dropped" not in E[-1]'
mkdir t/sys/fs/resctrl/web/mon_data/mon_L3_256
monitor
want '"mbm_total_bytes_per_second" not in E[-1] and E[-1]["dropped"] == 1'
want "any('(left out: 1); the sum is unknown, because' in u['reason'] for u in E[-1]['unavailable'])"

# More disks than instances that fit: 8192, of which the machine is one. There is no sum without a part.
mkdir -p disks/proc
for n in $(seq 1 9000); do echo "259 $n d$n 1 0 8 0 1 0 8 0 0 0 0"; done >disks/proc/diskstats
gives 0 monitor -c disks -i 0.05 -n 3 --json=json --csv=csv --prometheus=p.prom --report=r.html --path.rootfs=disks -o text
want 'len(E[-1]["device"]) == 8191 and [e["dropped"] for e in E] == [809] * 3 and "disk_reads_per_second" not in E[-1]'
want '[u["reason"] for u in E[-1]["unavailable"] if "disk_rotational" in u["metrics"]] == ["no space for more devices or processes (left out: 809)"]'
eq "the text says so once" 1 "$(grep -c 'left out: 809' text)"
eq "CSV" 3 "$(grep -c ',things_left_out,source,disks,809,$' csv)"
has p.prom '^kvis_collector_left_out[{]collector="disks"} 809$'
has p.prom '^kvis_collector_success[{]collector="disks"} 0$'
has r.html '"dropped":809,'

# A socket that a source counts by several numbers is left out once, and so is a cgroup with two limits.
mkdir -p many/proc many/sys/fs/cgroup/g
cp disks/proc/diskstats many/proc
ln -s "$PWD/t/sys/bus" "$PWD/t/sys/devices" many/sys
: >many/sys/fs/cgroup/cgroup.controllers
echo '1000 100000' >many/sys/fs/cgroup/g/cpu.max
echo 4096 >many/sys/fs/cgroup/g/memory.max
"$KVIS" monitor -c disks,membw,power,cgroups -i 0.05 -n 1 --json=json --path.rootfs=many -o /dev/null 9>&- || fail "exit $?"
sockets=$(cat t/sys/devices/system/cpu/cpu*/topology/physical_package_id | sort -u | wc -l)
want "E[-1]['dropped'] == 809 + 2 * $sockets + 1"

# A table of the firmware that cannot be read.
rm t/sys/firmware/dmi/tables/DMI
mkdir t/sys/firmware/dmi/tables/DMI
monitor
want "($why)['memory_bandwidth_utilization_ratio'].endswith('tables/DMI: EISDIR')"

# More PMUs than are read: those that do not fit are missing in any sum.
[ "$(ulimit -Hn)" -gt 4096 ] || skip "too few descriptors: $(ulimit -Hn)"
d=t/sys/bus/event_source/devices
echo 0 >$d/uncore_imc_0/cpumask
rm -r $d/uncore_imc_1
for n in $(seq 1029); do ln -s uncore_imc_0 $d/uncore_imc_$n; done
monitor
want '"memory_read_bytes_per_second" not in E[-1]'
want "($why)['memory_read_bytes_per_second'].startswith('more memory controllers than')"
rm $d/uncore_imc_10??
monitor
want '"memory_read_bytes_per_second" in E[-1]'

# More cgroups than are looked at: those are in no number, and are counted.
mkdir -p groups/sys/fs/cgroup && : >groups/sys/fs/cgroup/cgroup.controllers
groups() { # groups N: kvis monitor with so many
    (cd groups/sys/fs/cgroup && seq -f c%.0f "$1" | xargs mkdir -p)
    "$KVIS" monitor -c cgroups,load -i 0.05 -n 1 --json=json --path.sysfs=groups/sys -o text 9>&- || fail "exit $?"
}
groups 1024
want '"dropped" not in E[-1]'
groups 1027
want 'E[-1]["dropped"] == 3'
has text '^cgroups +n/a: no space .*left out: 3'
# Cgroups that are too deep.
rm -r groups/sys/fs/cgroup/c[0-9]*
mkdir -p groups/sys/fs/cgroup/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19
groups 1
want 'E[-1]["dropped"] == 1'
