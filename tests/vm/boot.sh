#!/bin/sh
# Used by vm/vm.sh.
# boot.sh KERNEL ROOT DIR [-t SECONDS] [-c CPUS] [-a PARAMETER]... [-- QEMU-ARGUMENT...]
# Boots a kernel of the cache (fetch.sh) with ROOT as its initramfs, without KVM, network or disk.
# DIR gets
#   console   the output of the first serial line: the kernel's messages and the guest's output
#   back/     the files that the guest wrote, as a gzipped tar, to the second serial line (/dev/$back)
#   seconds   the duration
# Exit status: 0 the guest has ended (back/ is complete), 1 it has not (the end of the console is printed), 77 it cannot be booted here.
# PARAMETER: for the kernel's command line, such as lockdown=confidentiality. SECONDS: after this time, QEMU is killed.
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
    *) sed -n '3,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
    shift 2
done
cached=${KVIS_VM_CACHE:-$OUT/vm/cache}/$kernel

rm -rf "${dir:?}"
mkdir -p "$dir/back" || exit 1
[ -s "$cached/vmlinuz" ] || { echo "no $cached/vmlinuz"; exit 77; }
(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) >"$dir/initrd" || exit 1

# The second serial line of a PC is ttyS1; the other boards have only one, so there it is a PCI card.
threads=multi line=ttyAMA0 back=ttyS0 serial="-device pci-serial,chardev=back"
case $kernel in
arm64*) qemu=qemu-system-aarch64 machine="virt -cpu max,pauth-impdef=on" ;;
armv7*) qemu=qemu-system-arm machine="virt,highmem=off -cpu cortex-a15" ;;
riscv64*) qemu=qemu-system-riscv64 machine="virt -cpu rv64" line=ttyS0 back=ttyS1 ;;
*)
    qemu=qemu-system-x86_64 machine="pc -cpu max,cx16=off" line=ttyS0 back=ttyS1 serial="-serial chardev:back"
    # Two bugs of QEMU 7.2 kill a guest now and then: cmpxchg16b leaves garbage in EFLAGS when two CPUs execute it at the same time
    # (in kmem_cache_alloc), and with a thread for each CPU, code runs while it is being patched (the call in a tracepoint).
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
