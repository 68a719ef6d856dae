#!/bin/sh
# Used by the cases flags and generators.
# Writes a C file that proves the values of gen/tables/flags.tbl against the headers of the machine on which it is compiled:
# gen/out/flags.h has a _Static_assert for every constant that is a macro there. Nothing runs; compiling it is the test:
#     sh tests/lib/flags_check.sh | cc -std=gnu11 -fsyntax-only -I. -x c -
# The kernel's headers come first, as libc's differ in places on purpose (glibc's O_LARGEFILE is
# 0 where all files are large), and of libc's only those that can stand beside them.
linux="blktrace_api bpf capability dm-ioctl dma-buf eventpoll fadvise falloc fanotify fcntl fiemap fs futex if_ether if_packet
    if_tun in in6 inotify input io_uring ioprio kcmp kexec keyctl loop magic membarrier memfd mempolicy mman module mount netlink
    nsfs nvme_ioctl perf_event personality prctl ptrace quota random reboot rtc sched seccomp securebits serial sockios stat tcp
    tls udp userfaultfd vhost vm_sockets wait xattr"
newer="close_range landlock openat2 lsm eventfd" # than some kernels on which kvis is built

printf '#include <%s.h>\n' sys/socket dirent stddef unistd linux/types asm/fcntl asm/ioctls asm/mman asm/poll asm/termbits
for header in $linux; do
    echo "#include <linux/$header.h>"
done
printf '#ifdef __x86_64__\n#include <asm/prctl.h>\n#include <linux/kvm.h>\n#endif\n'
for header in $newer; do
    printf '#if __has_include(<linux/%s.h>)\n#include <linux/%s.h>\n#endif\n' $header $header
done
printf '#define KVIS_CHECK_FLAGS\n#include "gen/out/flags.h"\n'
