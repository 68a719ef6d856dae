#!/bin/sh
# Used by vm/vm.sh.
# boot.sh KERNEL ROOT DIR [-t SECONDS] [-c CPUS] [-a PARAMETER]... [-- QEMU-ARGUMENT...]
# Boots a kernel of the cache (fetch.sh) with ROOT as its initramfs, without KVM, network or disk.
# DIR gets
#   console   what came over the first serial line: the kernel's messages and the guest's output
#   back/     what the guest wrote, as a gzipped tar, to the second one (/dev/$back)
#   seconds   how long it took
# Exit status: 0 the guest came to its end (back/ is whole), 1 it did not: the end of the console is
# printed, 77 it cannot be booted here.
# PARAMETER: for the kernel's command line, as lockdown=confidentiality. SECONDS: when QEMU is killed.
set -u
vm=$(cd "$(dirname "$0")" && pwd)
OUT=${OUT:-$(dirname "$vm")/out}
kernel=$1 root=$2 dir=$3 seconds=120 cpus=2 append=
shift 3
while [ $# -gt 0 ]; do
    case $1 in
    -t) seconds=$2 ;;
    -c) cpus=$2 ;;
    -a) append="$append $2" ;;
    --) shift; break ;;
    *) sed -n '3,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
    shift 2
done
cached=${KVIS_VM_CACHE:-$OUT/vm/cache}/$kernel

rm -rf "${dir:?}"
mkdir -p "$dir/back" || exit 1
[ -s "$cached/vmlinuz" ] || { echo "no $cached/vmlinuz"; exit 77; }
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) >"$dir/initrd" || exit 1

# No cmpxchg16b: QEMU 7.2 returns from it with a part of a pointer in the flags when two CPUs meet in
# it, and 6.12's allocator died of that (double fault, EFLAGS 41c373c2 beside RAX ..41c37180).
# The second line is ttyS1 of a PC; the other boards have one line of their own, so there it is a PCI card.
threads=multi line=ttyAMA0 back=ttyS0 serial="-device pci-serial,chardev=back"
case $kernel in
arm64*) qemu=qemu-system-aarch64 machine="virt -cpu max,pauth-impdef=on" ;;
armv7*) qemu=qemu-system-arm machine="virt,highmem=off -cpu cortex-a15" ;;
riscv64*) qemu=qemu-system-riscv64 machine="virt -cpu rv64" line=ttyS0 back=ttyS1 ;;
*)
    qemu=qemu-system-x86_64 machine="pc -cpu max,cx16=off" line=ttyS0 back=ttyS1 serial="-serial chardev:back"
    # Two faults of QEMU 7.2 that kill a guest now and then: garbage in EFLAGS after a cmpxchg16b
    # (kmem_cache_alloc's), and, with a thread for each CPU, code run while it is being patched (a
    # tracepoint's call).
    threads=single
    append="no_timer_check $append" # a busy host fails the check
    ;;
esac
case " $* " in *' -icount '*) threads=single ;; esac # one clock of instructions for all CPUs
command -v $qemu >/dev/null || { echo "no $qemu"; exit 77; }
start=$(date +%s%N)
timeout -k 5 "$seconds" $qemu -M $machine -accel tcg,thread=$threads -m 1024 -smp "$cpus" -nodefaults -no-user-config \
    -display none -no-reboot -nic none -chardev file,id=back,path="$dir/back.tgz" \
    -serial file:"$dir/console" $serial "$@" -kernel "$cached/vmlinuz" -initrd "$dir/initrd" \
    -append "console=$line panic=-1 quiet back=$back $append" </dev/null >"$dir/qemu" 2>&1
st=$?
echo $((($(date +%s%N) - start) / 1000000)) | sed 's/...$/.&/' >"$dir/seconds"
rm -f "$dir/initrd"
[ $st = 0 ] && tar xzf "$dir/back.tgz" -C "$dir/back" 2>>"$dir/qemu" && rm -f "$dir/back.tgz" && exit 0
[ $st = 124 ] && echo "did not end within $seconds s" || echo "did not come to its end; QEMU's exit status is $st"
tail -n 5 "$dir/qemu"
echo "the end of $dir/console:"
tr -d '\r' <"$dir/console" | tail -n 40 | sed 's/^/  | /'
exit 1
