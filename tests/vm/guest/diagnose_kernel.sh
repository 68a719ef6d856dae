# diagnose_kernel: faults in the kernel that take no program's time: interrupts on one CPU, fragmented memory.
# kvis diagnose must rank each of them first.
# kernels: x86-5.10 x86-sid arm64
# (As diagnose.)
# timeout: 90
. /tests/lib.sh

sleep 2 # until the activity of the boot is over
thp=/sys/kernel/mm/transparent_hugepage
if [ -e $thp/enabled ]; then
    was=$(sed 's/.*\[\(.*\)\].*/\1/' $thp/enabled) defrag=$(sed 's/.*\[\(.*\)\].*/\1/' $thp/defrag)
    echo always >$thp/enabled
    # Otherwise, the kernel compacts memory, at a page fault or in advance.
    echo never >$thp/defrag
    proactive=/proc/sys/vm/compaction_proactiveness
    was_proactive=$(cat $proactive 2>/dev/null)
    [ ! -e $proactive ] || echo 0 >$proactive
    t_ill fragments hugepages-refused 1 fragments
    echo "$was" >$thp/enabled
    echo "$defrag" >$thp/defrag
    [ ! -e $proactive ] || echo "$was_proactive" >$proactive
else
    t_skip fragments "no transparent hugepages"
fi

ip link set lo up 2>/dev/null || ifconfig lo up
# CPU 1 handles the packets that CPU 0 sends, and a program waits for CPU 1.
if echo 2 >/sys/class/net/lo/queues/rx-0/rps_cpus; then
    t_cause pinned 1 1
    waits=$ill
    t_ill interrupts "cpu-interrupts\|cpu-interrupts-full" 0 packets 0
    t_cure $waits
    echo 0 >/sys/class/net/lo/queues/rx-0/rps_cpus
else
    t_skip interrupts "no RPS in this kernel"
fi
