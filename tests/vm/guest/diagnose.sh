# diagnose: faults caused on purpose: kvis diagnose must rank each of them first, with the process that causes it;
# on an idle machine it must find nothing.
# kernels: x86-5.10 x86-sid arm64
# (The oldest, the newest and 6.1: the rules judge numbers that monitor, virtio and disk compare on every kernel.)
# timeout: 300
# modules: tun virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk configfs null_blk
# qemu: -drive if=none,id=a,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=a,queue-size=4,indirect_desc=off,num-queues=1 -drive if=none,id=b,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=b,queue-size=256,num-queues=1 -drive if=none,id=c,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=c,queue-size=64,packed=on,num-queues=1 -drive if=none,id=d,driver=null-co,size=67108864,throttling.iops-total=8 -device virtio-blk-pci,drive=d,num-queues=1 -netdev user,id=n,restrict=on -device virtio-net-pci,netdev=n,romfile= -chardev file,id=s,path=/dev/null -device virtio-serial-pci -device virtserialport,chardev=s
. /tests/lib.sh

sleep 2 # until the activity of the boot is over
t_ill idle none 0
t_ill cpu "run-queue-long\|cpu-pressure" 1 cpu 5
t_ill pinned run-queue-one-cpu 1 pinned 1 4 # three of four wait for CPU 1, and CPU 0 is idle
# Under emulation, the CPUs are busy with fewer forks than the threshold (1000 per second).
t_ill forks "cpu-forks\|cpu-kernel\|run-queue-long" - forks 4
# On an emulated arm64, half of the CPU time is user time: kvis finds busy CPUs and the same process. On a slow emulator, kvis itself
# uses much of a CPU, and its two threads wait.
t_ill calls "cpu-kernel\|cpu-busy\|run-queue-long" 1 calls 2
t_ill locks lock-contended 1 locks 6
t_ill listen tcp-listen-overflows 0 listen
if [ -c /dev/net/tun ]; then
    t_ill retransmits tcp-retransmits 0 retransmits
else
    t_skip retransmits "no tun devices"
fi
most=$(cat /proc/sys/fs/file-max)
t_ill files limit-files 0 files 4000
echo "$most" >/proc/sys/fs/file-max
if [ -b /dev/vdb ]; then # 50 requests per second
    t_ill reader none 0 disk vdb 1 # waits for the disk, but not for other requests
    t_ill disk disk-saturated 1 disk vdb 4
    t_ill slow disk-slow-reads 1 disk vdd 1 # 8 requests a second
    if kvis monitor -c virtio -n 1 -i 0.1 --json -o /dev/null | grep -q virtio_refused; then
        ILL_OPTIONS=--virtio
        t_ill ring virtio-queue-full 1 disk vda 8 # its ring can hold one request
        ILL_OPTIONS=
    else
        t_skip ring "no numbers of virtio rings: $(kvis monitor -c virtio -n 1 -i 0.1 -o text; tail -n 1 text)"
    fi
else
    t_skip disk "no virtio disk"
fi

# t_cgroup WHAT RULE WHO: RULE is found first, of /kvill, by WHO (regular expressions).
t_cgroup() {
    since=$(cut -d ' ' -f 1 /proc/uptime)
    kvis diagnose -d 2 --json="$1.json" -o "$1.txt" 2>err || t_show err
    echo "# $1: $(sed 's/.*"rank":1,[^}]*"rule":"\([^"]*\)".*/\1/' "$1.json"), $(t_seconds_since "$since") s after the fault began"
    t_first "$1.json"
    t_has "$1: first" first "\"rank\":1,.*\"rule\":\"($2)\"" || t_show "$1.txt"
    t_has "$1: of which cgroup" first '"cgroup":"/kvill"'
    t_is "$1: no other process" 0 "$(grep -cv "^$3\$" named)" || t_show named
    t_has "$1: who" named "^${3% (*}"
}

# The memory limit of the cgroup is below the working set of its program: the rest is swapped out and in.
t_mount_cgroup2
echo "+memory +cpu" >/sys/fs/cgroup/cgroup.subtree_control
cg=/sys/fs/cgroup/kvill
mkdir $cg
null_disk size=128 memory_backed=1 irqmode=1
swap=/dev/$name
if [ -e $cg/cpu.max ]; then
    t_cause cpu 1 # busier than the processes in the cgroup, but not the culprit
    outside=$ill
    echo "20000 100000" >$cg/cpu.max
    t_cause_in $cg cpu 2 # kvis must not be throttled
    t_cgroup quota "cgroup-throttled|cgroup-quota-used" "$ill (ill-cpu)"
    t_cure $outside $ill
    echo max >$cg/cpu.max
else
    t_skip quota "no cpu controller"
fi
if [ -e $cg/memory.max ] && mkswap $swap >/dev/null && swapon $swap; then
    echo 40M >$cg/memory.max
    # Under emulation, khugepaged uses half a CPU when a program swaps, so tasks would wait for CPUs, too.
    thp=/sys/kernel/mm/transparent_hugepage/enabled
    huge=$(sed 's/.*\[\(.*\)\].*/\1/' $thp 2>/dev/null)
    [ -z "$huge" ] || echo never >$thp
    t_cause_in $cg memory 80
    t_cgroup memory cgroup-memory-limit "$ill (ill-memory)"
    t_cure $ill
    [ -z "$huge" ] || echo "$huge" >$thp
    swapoff $swap
    until_true 5 rmdir $cg
    mkdir $cg
    echo 20M >$cg/memory.max # without swap, the kernel kills processes above the limit
    t_cause_in $cg oom 60
    t_cgroup oom cgroup-oom-kill ".* (ill-oom)"
    t_cure $ill
else
    t_skip memory "no swap here, or no memory controller"
fi
null_gone
until_true 5 rmdir $cg
