# monitor_numa4: four NUMA nodes with different distances, one of them without a CPU: allocated pages and
# their nodes agree with a program that knows them.
# kernels: x86-5.10 x86-sid arm64
# (The oldest, the newest and 6.1: the files of NUMA nodes did not change in between.)
# timeout: 60
# qemu: -smp 4 -object memory-backend-ram,id=m0,size=256M -object memory-backend-ram,id=m1,size=256M -object memory-backend-ram,id=m2,size=256M -object memory-backend-ram,id=m3,size=256M -numa node,cpus=0-1,nodeid=0,memdev=m0 -numa node,cpus=2,nodeid=1,memdev=m1 -numa node,cpus=3,nodeid=2,memdev=m2 -numa node,nodeid=3,memdev=m3 -numa dist,src=0,dst=1,val=15 -numa dist,src=0,dst=2,val=20 -numa dist,src=0,dst=3,val=40 -numa dist,src=1,dst=2,val=25 -numa dist,src=1,dst=3,val=45 -numa dist,src=2,dst=3,val=50
# covers: S4
. /tests/lib.sh

[ -d /sys/devices/system/node/node3 ] || { t_skip numa "this kernel has not four nodes"; exit 0; }

t_begin a.prom kvis monitor -i 1 -c numa,mem --json=json --prometheus=a.prom -o text 2>err
cp a.prom before
# PAGES NODE CPU
for n in "3000 3 0" "1500 3 3" "2000 2 3" "1000 2 2" "2500 1 1" "4000 0 2"; do
    t_ok "pages $n" "$BIN/pages" $n
done
t_ok "pages move" "$BIN/pages" move 700 0 2
sleep 2.2
t_stop
t_is "exit status" 0 $st
count() { sed -n "s/^kvis_memory_numa_$2_total{node=\"$1\".* //p" "$3"; } # count NODE WHAT FILE
gain() { echo $(($(count $1 $2 a.prom) - $(count $1 $2 before))); }
# Others take pages, too, from the node that they are on.
t_within "node 3: to other nodes" 4500 "$(gain 3 other_node)" 4700
t_is "node 3: it has no CPU" 0 "$(gain 3 local_node)"
t_within "node 2: to CPU 2, and maybe those that were moved" 1000 "$(gain 2 other_node)" 2300
t_within "node 2: to its CPU" 2000 "$(gain 2 local_node)" 6700
t_within "node 1: to CPU 1" 2500 "$(gain 1 other_node)" 3100
t_within "node 0: to CPU 2, and maybe those to be moved" 4000 "$(gain 0 other_node)" 5300
moved() { sed -n 's/^kvis_vmstat_pgmigrate_success //p' $1; }
if [ "$(moved a.prom)" ]; then
    t_within "pages that the kernel moved" 700 $(($(moved a.prom) - $(moved before))) 800
else
    t_not_ok "no pgmigrate_success: $(grep migrat a.prom | tail -n 2)"
fi
for node in 0 1 2 3; do
    [ "$(gain $node numa_hit)" -ge 0 ] || t_not_ok "node $node: fewer hits than before"
    dist=$(cat /sys/devices/system/node/node$node/distance)
    t_json "node $node: distances" json "all(e['node']['$node']['topology'].endswith(', distances $dist') for e in E)"
    kb=$(sed -n 's/.* MemTotal: *\([0-9]*\) kB/\1/p' /sys/devices/system/node/node$node/meminfo)
    t_json "node $node: memory" json "E[0]['node']['$node']['node_memory_total_bytes'] == $kb * 1024"
done
t_is "distances are those of QEMU" "40 45 50 10" "$(cat /sys/devices/system/node/node3/distance)"
t_json "node 3: all remote" json "1 in [e['node']['3'].get('numa_remote_ratio') for e in E]"
t_json "the share of all" json "all(abs(e['numa_remote_ratio'] - sum(n['other_node_per_second'] for n in e['node'].values()) / sum(n['other_node_per_second'] + n['local_node_per_second'] for n in e['node'].values())) < 1e-6 for e in E if 'numa_remote_ratio' in e)"
