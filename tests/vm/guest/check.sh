# check: the output of `kvis check` agrees with the known features of this kernel.
# kernels: x86-5.10 x86-sid arm64
# (The oldest, the newest and 6.1: on the others, verify shows that each program loads.)
# timeout: 150
# modules: virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk
# qemu: -drive if=none,id=slow,driver=null-co,size=67108864,throttling.iops-total=20 -device virtio-blk-pci,drive=slow
. /tests/lib.sh
rings=yes virt='full|works'
# RISC-V has no KPROBES_ON_FTRACE.
[ "$(uname -m)" != riscv64 ] || rings='no .*no kprobe' virt='does not work: .*no kprobe'
t_ok "all that trace and open need is there" "$KVIS" check -v
cp out checked
t_has "programs of monitor: virtio, by kprobes" checked "^virtio_programs +($rings)"
for row in btf open_programs proc_programs call_programs disk_programs uring_programs observe sched_programs block_programs; do
    t_has "$row" checked "^$row +yes " # uring_programs: by tracefs, which is not mounted
done
t_has "programs of monitor: vhost" checked '^vhost_programs +(yes |no .*no vhost driver is loaded)'
t_hasnt "no program of this kernel asks for a report" checked 'fix: report it'
t_hasnt "no mount is left" /proc/mounts 'tracefs|debugfs'
t_is "no program is left" 0 "$(grep -l '^prog_type' /proc/[0-9]*/fdinfo/* 2>/dev/null | wc -l)"

umount /proc
t_ok "without /proc" "$KVIS" check open
mount -t proc proc /proc
t_ok "the verdicts" "$KVIS" check
for verdict in 'trace +full: hybrid$' 'open +full$' 'proc +full$' "virt +($virt)"; do t_has "${verdict%% *}" out "^$verdict"; done
