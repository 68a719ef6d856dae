# diagnose_limits: a CPU that a SCHED_FIFO task does not give up, a swap storm, a file system with errors, and limits that are reached:
# descriptors, processes, connections. kvis diagnose must rank each of them first.
# kernels: x86-5.10 x86-6.12 x86-sid
# timeout: 300
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk configfs null_blk libcrc32c nf_defrag_ipv6 nf_defrag_ipv4 nf_conntrack fuse
# qemu: -drive if=none,id=swap,driver=null-co,size=536870912,snapshot=on -device virtio-blk-pci,drive=swap,num-queues=1
. /tests/lib.sh

ip link set lo up 2>/dev/null || ifconfig lo up
sleep 2 # until the activity of the boot is over

t_cause pinned 1 1
waits=$ill
t_ill fifo run-queue-one-cpu 1 fifo 1
t_cause fifo 1
hog=$ill
kvis monitor -c runq -n 2 -i 2 --json=wait.json
t_cure $hog
t_json "who waited longest, and who ran" wait.json "any(e.get('longest_wait', {}).get('ill-pinned ($waits)', {}).get('ran') == 'ill-fifo ($hog)' for e in E)"
t_cure $waits

t_ill descriptors limit-descriptors 1 descriptors 64

t_mount_cgroup2
echo "+pids" >/sys/fs/cgroup/cgroup.subtree_control
cg=/sys/fs/cgroup/kvill
mkdir $cg
echo 40 >$cg/pids.max
sh -c "echo \$\$ >$cg/cgroup.procs"' && exec "$0" children 39' "$BIN/ill" >children.out 2>&1 &
children=$!
until_true 30 grep -q '^ill' children.out
t_ill pids cgroup-pids -
t_cure $children
until_true 5 rmdir $cg

# A file system that is read-only after an error.
null_disk size=16 memory_backed=1 irqmode=1
mkdir fs
if mke2fs /dev/$name >/dev/null && mount -t ext4 -o errors=remount-ro /dev/$name fs; then
    if echo 1 >/sys/fs/ext4/$name/trigger_fs_error; then
        t_ill readonly "filesystem-errors\|filesystem-recent-errors" 0
    else
        t_skip readonly "no trigger_fs_error"
    fi
    umount fs
else
    t_skip readonly "no ext4"
fi
null_gone

if [ -c /dev/fuse ]; then
    mkdir mnt
    t_ill stuck tasks-stuck - fuse mnt
    umount -l mnt
else
    t_skip stuck "no FUSE"
fi

table=/proc/sys/net/netfilter/nf_conntrack_max
if rmmod nf_conntrack && insmod /modules/nf_conntrack.ko enable_hooks=1 && most=$(cat $table); then
    echo 100 >$table
    t_ill tracked limit-conntrack 0 flows 96
    t_ill untracked "conntrack-drops\|limit-conntrack" 0 flows 0
    echo "$most" >$table
    rmmod nf_conntrack
else
    t_skip tracked "no nf_conntrack"
fi
t_ill clock clock-unsynchronized 0 clock 5
"$BIN/ill" clock 0 >clock.out

# Hugepages reserve most of the memory; the program needs more than the rest.
if mkswap /dev/vda >/dev/null && swapon /dev/vda; then
    free=$(awk '/MemAvailable/ { print int($2 / 2048) - 60 }' /proc/meminfo)
    echo $free >/proc/sys/vm/nr_hugepages
    t_ill swap "memory-pressure\|swap-thrashing\|memory-direct-reclaim" 1 memory 240
    echo 0 >/proc/sys/vm/nr_hugepages
    swapoff /dev/vda
else
    t_skip swap "no disk to swap to"
fi
t_ill idle none 0
