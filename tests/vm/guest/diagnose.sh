# diagnose: made-up illnesses, which kvis diagnose must find, each first and with who is behind it; and an
# idle machine, in which there is nothing to find.
# kernels: all
# timeout: 200
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk configfs null_blk
# qemu: -drive if=none,id=a,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=a,queue-size=4,indirect_desc=off,num-queues=1 -drive if=none,id=b,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=b,queue-size=256,num-queues=1 -drive if=none,id=c,driver=null-co,size=67108864,throttling.iops-total=50 -device virtio-blk-pci,drive=c,queue-size=64,packed=on,num-queues=1 -netdev user,id=n,restrict=on -device virtio-net-pci,netdev=n -chardev file,id=s,path=/dev/null -device virtio-serial-pci -device virtserialport,chardev=s
. /tests/lib.sh

sleep 2 # till what the boot has begun is over
t_ill idle "nothing saturated" 0
t_ill cpu "run-queue-long\|cpu-pressure" 1 cpu 5
t_ill listen tcp-listen-overflows 0 listen
if [ -b /dev/vdb ]; then # 50 requests a second, however many are waiting
    t_ill disk disk-saturated 1 disk vdb 4
    if kvis monitor -c virtio -n 1 -i 0.1 --json -o /dev/null | grep -q virtio_refused; then
        t_ill ring virtio-queue-full 1 disk vda 8 # its ring has room for one
    else
        t_skip ring "no numbers of virtio rings: $(kvis monitor -c virtio -n 1 -i 0.1 -o text; tail -n 1 text)"
    fi
else
    t_skip disk "no virtio disk"
fi

# A cgroup that may have less memory than its program goes through: the rest goes to swap and comes back.
grep -q ' /sys/fs/cgroup cgroup2' /proc/mounts || mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mount -t configfs none /sys/kernel/config
cg=/sys/fs/cgroup/kvill dir=/sys/kernel/config/nullb/kvswap
mkdir $cg $dir
ls /sys/block >before
for a in size=128 memory_backed=1 power=1; do echo "${a#*=}" >"$dir/${a%%=*}"; done
swap=/dev/$(ls /sys/block | grep -vxFf before)
until_true 2 test -b $swap
if [ -e $cg/memory.max ] && mkswap $swap >/dev/null && swapon $swap; then
    echo 40M >$cg/memory.max
    echo $$ >$cg/cgroup.procs # the program inherits it; its pages are its own
    t_ill memory "memory-pressure\|swap-thrashing\|cgroup-memory-limit" 1 memory 80
    echo $$ >/sys/fs/cgroup/cgroup.procs
    swapoff $swap
else
    t_skip memory "no swap here, or no memory controller"
fi
echo 0 >$dir/power
rmdir $dir $cg
umount /sys/kernel/config
