# monitor_cgroup: kvis monitor --cgroup agrees with the cgroup's own files, with the controllers on: CPU time,
# throttling, memory, faults, tasks.
# kernels: all
# timeout: 60
. /tests/lib.sh

t_mount_cgroup2
top=/sys/fs/cgroup cg=/sys/fs/cgroup/kvwork
for c in cpu memory pids; do echo +$c >$top/cgroup.subtree_control; done 2>err
mkdir $cg
[ -e $cg/cpu.max ] && [ -e $cg/memory.current ] && [ -e $cg/pids.current ] ||
    { t_skip cgroup "no controllers: $(cat $top/cgroup.controllers)"; rmdir $cg; exit 0; }
echo "20000 100000" >$cg/cpu.max
mkfifo go hold
sh -c "echo \$\$ >$cg/cgroup.procs; read x <go; '$BIN/mon' naps 1 >naps; exec '$BIN/mon' faults 5000 hold <hold >faults" &
until_true 5 grep -q . $cg/cgroup.procs
t_begin p.prom kvis monitor --cgroup kvwork -c cgroup,load -i 1000 --prometheus=p.prom --json=json -o text 2>err
cp p.prom before
echo >go
exec 7>hold
until_true 30 grep -q touched faults
sleep 4 # the kernel updates memory.stat every 2 s
t_stop
t_is "exit" 0 $st
key() { awk -v k="$2" '$1 == k { print $2 }' $cg/$1; }
micro() { sed -n "s/^kvis_cgroup_$1_seconds_total //p" p.prom | awk '{ printf "%.0f\n", $1 * 1e6 }'; }
prom() { sed -n "s/^kvis_cgroup_$1 //p" p.prom; }
t_is "CPU time" "$(key cpu.stat usage_usec)" "$(micro cpu)"
t_is "of it user" "$(key cpu.stat user_usec)" "$(micro cpu_user)"
t_is "of it system" "$(key cpu.stat system_usec)" "$(micro cpu_system)"
t_is "times throttled" "$(key cpu.stat nr_throttled)" "$(prom throttles_total)"
t_within "it was" 3 "$(prom throttles_total)" 1000000
t_is "time throttled" "$(key cpu.stat throttled_usec)" "$(micro throttled)"
t_is "anonymous memory" "$(key memory.stat anon)" "$(prom memory_anon_bytes)"
t_within "of 5000 pages, without what CPUs have not added yet (5.10)" 20000000 "$(prom memory_anon_bytes)" 1000000000
t_is "memory" "$(cat $cg/memory.current)" "$(prom memory_bytes)"
t_is "faults" "$(key memory.stat pgfault)" "$(prom page_faults_total)"
t_within "5000 of them" 5000 "$(prom page_faults_total)" 10000000
t_is "tasks" "$(cat $cg/pids.current)" "$(prom pids)"
t_json "the same in JSON" json "E[0]['cgroup_pids'] == 1 and E[0]['cgroup_throttled_seconds_per_second'] > 0 and E[0]['cgroup_memory_bytes'] == $(prom memory_bytes)"
# The cgroup is removed while kvis monitors it.
kvis monitor --cgroup kvwork -c load -i 0.5 -n 6 --json=gone -o /dev/null 2>err 7>&- &
kvis=$!
until_true 10 grep -q '"sample"' gone
exec 7>&-
until_true 5 rmdir $cg
wait $kvis
t_is "exit, when the cgroup has gone" 0 $?
t_json "it was there" gone "E[0]['cgroup_pids'] == 1"
t_json "and has gone" gone "len(E) == 6 and not any(k.startswith('cgroup_') for k in E[-1]) and E[-1]['load1'] >= 0"
t_json "which it says" gone "any('cgroup_pids' in u['metrics'] and 'ENOENT' in u['reason'] for u in E[-1]['unavailable'])"
for c in cpu memory pids; do echo -$c >$top/cgroup.subtree_control; done
