# diagnose: faults caused on purpose: kvis diagnose must rank each of them first, with the process that causes it;
# on an idle machine it must find nothing.
# kernels: x86-5.10 x86-sid arm64
# (The oldest, the newest and 6.1: the rules judge numbers that monitor, virtio and disk compare on every kernel.)
# timeout: 240
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk
# qemu: -drive if=none,id=a,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=a,queue-size=4,indirect_desc=off,num-queues=1 -drive if=none,id=b,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=b,queue-size=256,num-queues=1 -drive if=none,id=c,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=c,queue-size=64,packed=on,num-queues=1 -drive if=none,id=d,driver=null-co,size=67108864,throttling.iops-total=8 -device virtio-blk-pci,drive=d,num-queues=1 -netdev user,id=n,restrict=on -device virtio-net-pci,netdev=n,romfile= -chardev file,id=s,path=/dev/null -device virtio-serial-pci -device virtserialport,chardev=s
. /tests/lib.sh

sleep 2 # till what the boot has begun is over
t_ill idle none 0
t_ill cpu "run-queue-long\|cpu-pressure" 1 cpu 5
t_ill pinned run-queue-one-cpu 1 pinned 1 4 # three of four wait for CPU 1, and CPU 0 is idle
# Under emulation, fewer forks than the threshold (1000 a second) fill the CPUs.
t_ill forks "cpu-forks\|cpu-kernel\|run-queue-long" - forks 4
# On an emulated arm64 half of its time is the program: then the CPUs are found busy, by the same process. On a slow
# emulator kvis itself uses much of a CPU, and its two threads wait.
t_ill calls "cpu-kernel\|cpu-busy\|run-queue-long" 1 calls 2
t_ill locks lock-contended 1 locks 6
if [ -b /dev/vdb ]; then # 50 requests a second, however many are waiting
    t_ill reader none 0 disk vdb 1 # waits for the disk, but for nobody else
    t_ill disk disk-saturated 1 disk vdb 4
    t_ill slow disk-slow-reads 1 disk vdd 1 # 8 requests a second
    if kvis monitor -c virtio -n 1 -i 0.1 --json -o /dev/null | grep -q virtio_refused; then
        ILL_OPTIONS=--virtio
        t_ill ring virtio-queue-full 1 disk vda 8 # its ring has room for one
        ILL_OPTIONS=
    else
        t_skip ring "no numbers of virtio rings: $(kvis monitor -c virtio -n 1 -i 0.1 -o text; tail -n 1 text)"
    fi
else
    t_skip disk "no virtio disk"
fi

# A cgroup that may have less memory than its program wants, and no swap. (cases/diagnose.sh has the other rules of cgroups, and
# monitor_cgroup compares their files.)
t_mount_cgroup2
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
cg=/sys/fs/cgroup/kvill
mkdir $cg
if [ -e $cg/memory.max ]; then
    echo 20M >$cg/memory.max
    t_cause_in $cg oom 60
    t_ill oom cgroup-oom-kill -
    t_has "oom: of which cgroup" first '"cgroup":"/kvill"'
    t_has "oom: who" named ' \(ill-oom\)$'
    t_cure $ill
else
    t_skip memory "no memory controller"
fi
until_true 5 rmdir $cg
