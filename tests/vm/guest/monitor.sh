# monitor: kvis monitor agrees with the kernel's files and with a program that knows what it did: pages of a NUMA node. A CPU
# that goes offline and comes back is in no sum meanwhile.
# kernels: all
# timeout: 120
# qemu: -smp 4 -object memory-backend-ram,id=m0,size=512M -object memory-backend-ram,id=m1,size=512M -numa node,cpus=0-1,nodeid=0,memdev=m0 -numa node,cpus=2-3,nodeid=1,memdev=m1
. /tests/lib.sh

have() { [ -d /sys/devices/system/node/node1 ]; }
have || { t_skip numa "this kernel has one node"; exit 0; }

t_begin a.prom kvis monitor -i 1 --per-cpu --json=json -o text --prometheus=a.prom 2>err
look() { rm -f a.prom; until_true 20 test -s a.prom; } # waits for the next sample
cp a.prom before
# 3000 pages of node 1 for CPU 0, 2000 for CPU 2; 1000 of node 0 for CPU 1
for n in "3000 1 0" "2000 1 2" "1000 0 1"; do
    t_ok "pages $n" "$BIN/mon" pages $n
done
look && look || t_not_ok "it does not go on"
t_stop
t_is "exit status" 0 $st
value() { sed -n "s/^kvis_$2_total\({node=\"$1\"}\)\{0,1\} //p" "$3"; }
grew() { # grew WHAT NODE NAME LEAST MOST
    t_within "$1" $4 $(($(value "$2" "$3" a.prom) - $(value "$2" "$3" before))) $5
}
grew "pages to CPUs of another node" 1 memory_numa_other_node 2950 4500
grew "pages of node 0 to its CPUs" 0 memory_numa_local_node 950 100000
grew "pages of node 1 to its CPUs" 1 memory_numa_local_node 1950 100000
grew "none from node 0 to the others" 0 memory_numa_other_node 0 600
grew "faults" "" minor_faults 5900 100000
t_json "remote share" json "any(e['node']['1'].get('numa_remote_ratio', 0) > 0.3 for e in E)"
t_json "topology" json "E[0]['node']['0']['topology'].startswith('CPUs 0-1, distances 10 ')"
t_json "modes" json "all(abs(sum(e[m + '_ratio'] for m in ('user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal')) - 1) < 1e-6 for e in E)"
t_json "CPUs" json "all(len(e['cpu']) == 4 for e in E)"
t_json "no temperatures here" json "all(any(u['source'] == 'zones' for u in e['unavailable']) for e in E)"
for key in numa_hit other_node local_node; do
    t_within "$key" 0 "$(value 1 memory_numa_$key a.prom)" "$(sed -n "s/^$key //p" /sys/devices/system/node/node1/numastat)"
done

if [ -w /sys/devices/system/cpu/cpu3/online ]; then
    kvis monitor -i 0.5 -n 16 -c cpu --per-cpu --json=cpus >cpus.txt &
    pid=$!
    until_true 20 grep -q '"sample"' cpus
    echo 0 >/sys/devices/system/cpu/cpu3/online
    kvis monitor -c runq -i 1000 --prometheus=off.prom >off &
    until_true 20 test -s off.prom
    t_is "nothing of what is off" 3 "$(grep -c '^kvis_switches_total{' off.prom)"
    kill $!
    wait $!
    sleep 1.6
    echo 1 >/sys/devices/system/cpu/cpu3/online
    wait $pid
    t_json "a CPU went" cpus "min(e['cpus_online'] for e in E) == 3 and any('3' not in e['cpu'] for e in E)"
    t_json "and came" cpus "E[-1]['cpus_online'] == 4 and 'idle_ratio' in E[-1]['cpu']['3']"
    t_json "no number out of range" cpus "all(0 <= v <= 1 for e in E for c in e['cpu'].values() for k, v in c.items() if k.endswith('ratio'))"
else
    t_skip "a CPU that goes" "this kernel cannot"
fi

