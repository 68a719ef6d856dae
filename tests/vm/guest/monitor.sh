# monitor: kvis monitor agrees with the kernel's files and with programs that know what they did: pages
# from a NUMA node, hugepages, requests to a disk.
# kernels: all
# timeout: 120
# qemu: -smp 4 -object memory-backend-ram,id=m0,size=512M -object memory-backend-ram,id=m1,size=512M -numa node,cpus=0-1,nodeid=0,memdev=m0 -numa node,cpus=2-3,nodeid=1,memdev=m1
# modules: configfs null_blk
# covers: S4
. /tests/lib.sh

have() { [ -d /sys/devices/system/node/node1 ]; }
have || { t_skip numa "this kernel has one node"; exit 0; }

t_begin a.prom kvis monitor -i 1 --per-cpu --json=json -o text --prometheus=a.prom 2>err
look() { rm -f a.prom; until_true 20 test -s a.prom; } # waits for the next
cp a.prom before
# 3000 pages of node 1 for CPU 0, 2000 for CPU 2; 1000 of node 0 for CPU 1
for n in "3000 1 0" "2000 1 2" "1000 0 1"; do
    t_ok "pages $n" "$BIN/pages" $n
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

# a CPU that goes, and comes
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

# hugepages: 10 in the pool, 8 mapped, 4 of them touched
if echo 10 >/proc/sys/vm/nr_hugepages && [ "$(cat /proc/sys/vm/nr_hugepages)" = 10 ]; then
    mkfifo hold
    "$BIN/pages" huge 8 <hold >held &
    exec 7>hold
    until_true 10 grep -q held held
    t_ok "hugepages" kvis monitor -i 0.2 -n 1 -c mem --json=huge
    exec 7>&-
    t_json "the pool" huge "[E[0]['hugepages']['2048kB'][k] for k in ('hugepages', 'hugepages_free', 'hugepages_reserved', 'hugepage_pool_ratio')] == [10, 6, 4, 0.4]"
    echo 0 >/proc/sys/vm/nr_hugepages
else
    t_skip hugepages "no room for them"
fi

# 20 pages of 2 MB that the kernel makes by itself where it is asked to
have=$(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)
case $have in
*'[madvise]'* | *'[always]'*)
    mkfifo thp
    t_begin thp.prom kvis monitor -i 0.5 -c mem --json=thps --prometheus=thp.prom -o /dev/null
    # 5.10 adds up what each CPU has counted now and then: at once, by stat_refresh.
    cat /proc/sys/vm/stat_refresh
    sleep 1.2
    cp thp.prom thp.before
    "$BIN/pages" thp 20 <thp >held2 &
    exec 7>thp
    until_true 10 grep -q held held2
    cat /proc/sys/vm/stat_refresh
    sleep 1.2
    t_stop
    exec 7>&-
    gain() { echo $(($(sed -n "s/^kvis_$1 //p" thp.prom) - $(sed -n "s/^kvis_$1 //p" thp.before))); }
    t_within "THP: hugepages" 19 $(($(gain memory_AnonHugePages_bytes) >> 21)) 21
    t_is "THP: faults" 20 "$(gain vmstat_thp_fault_alloc)"
    t_json "THP: their share" thps "abs(E[-1]['thp_ratio'] - E[-1]['memory_anon_huge_bytes'] / E[-1]['memory_anon_bytes']) < 1e-9 and E[-1]['thp_ratio'] > 0.3"
    ;;
*) t_skip THP "none by madvise: $have" ;;
esac

# a disk: 1000 reads of 4 KB and 500 writes of 64 KB, past the cache
null_disk completion_nsec=500000
disk=$name
t_begin io.prom kvis monitor -i 1 -c io --json=io --prometheus=io.prom -o io.txt
dd if=/dev/$disk of=/dev/null bs=4k count=1000 iflag=direct 2>/dev/null
dd if=/dev/zero of=/dev/$disk bs=64k count=500 oflag=direct 2>/dev/null
sleep 2.2
t_stop
stat() { awk "{ print \$$1 }" "/sys/block/$disk/stat"; }
prom() { sed -n "s/^kvis_disk_$1_total{device=\"$disk\"} //p" io.prom; }
t_is "reads" "$(stat 1)" "$(prom reads_completed)"
t_is "writes" "$(stat 5)" "$(prom writes_completed)"
t_is "bytes read" "$(($(stat 3) * 512))" "$(prom read_bytes)"
t_is "bytes written" "$(($(stat 7) * 512))" "$(prom written_bytes)"
t_within "1000 reads" 1000 "$(prom reads_completed)" 1000000
dev="e['device'].get('$disk', {})"
t_json "reads took their 0.5 ms" io "any(0.0003 < $dev.get('disk_read_mean_seconds', 0) < 0.02 for e in E)"
t_json "in sum" io "abs(sum($dev.get('disk_writes_per_second', 0) * e['interval_ns'] for e in E) / 1e9 - 500) < 100"
null_gone
