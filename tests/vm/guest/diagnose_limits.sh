# diagnose_limits: a CPU that a SCHED_FIFO task does not give up, a swap storm, and a wrong clock.
# kvis diagnose must rank each of them first.
# kernels: x86-5.10 x86-6.12 x86-sid
# timeout: 200
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk
# qemu: -drive if=none,id=swap,driver=null-co,size=536870912,snapshot=on -device virtio-blk-pci,drive=swap,num-queues=1
. /tests/lib.sh

sleep 2 # till what the boot has begun is over

# A program waits for CPU 1, which another does not give up.
t_cause pinned 1 1
waits=$ill
t_ill fifo run-queue-one-cpu 1 fifo 1
t_cause fifo 1
hog=$ill
kvis monitor -c runq -n 2 -i 2 --json=wait.json
t_cure $hog
t_json "who waited longest, and who ran" wait.json "any(e.get('longest_wait', {}).get('ill-pinned ($waits)', {}).get('ran') == 'ill-fifo ($hog)' for e in E)"
t_cure $waits

t_ill clock clock-unsynchronized 0 clock 5
"$BIN/ill" clock 0 >clock.out

# Hugepages take most of the memory; the program wants more than what is left.
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
