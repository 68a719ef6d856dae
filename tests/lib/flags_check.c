/* Used by the case flags.
 * Proves the values of gen/tables/flags.tbl against the headers of the machine it is compiled on:
 * gen/out/flags.h has a _Static_assert for every constant that is a macro here. Nothing runs;
 * compiling it is the test:
 *     cc -std=gnu11 -fsyntax-only -I. tests/lib/flags_check.c
 * The kernel's headers come first, as libc's differ in places on purpose (glibc's O_LARGEFILE is
 * 0 where all files are large), and of libc's only those that can stand beside them. */
#include <sys/socket.h> /* AF_ MSG_ SOCK_ */
#include <dirent.h>     /* DT_ */
#include <stddef.h>
#include <unistd.h>     /* SEEK_ R_OK */
#include <linux/types.h>

#include <asm/fcntl.h>
#include <asm/ioctls.h>
#include <asm/mman.h>
#include <asm/poll.h>
#include <asm/termbits.h>
#include <linux/blktrace_api.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/dm-ioctl.h>
#include <linux/dma-buf.h>
#include <linux/eventpoll.h>
#include <linux/fadvise.h>
#include <linux/falloc.h>
#include <linux/fanotify.h>
#include <linux/fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/inotify.h>
#include <linux/input.h>
#include <linux/io_uring.h>
#include <linux/ioprio.h>
#include <linux/kcmp.h>
#include <linux/kexec.h>
#include <linux/keyctl.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <linux/membarrier.h>
#include <linux/memfd.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/netlink.h>
#include <linux/nsfs.h>
#include <linux/nvme_ioctl.h>
#include <linux/perf_event.h>
#include <linux/personality.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/quota.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <linux/rtc.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <linux/serial.h>
#include <linux/sockios.h>
#include <linux/stat.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <linux/udp.h>
#include <linux/userfaultfd.h>
#include <linux/vhost.h>
#include <linux/vm_sockets.h>
#include <linux/wait.h>
#include <linux/xattr.h>
#ifdef __x86_64__
#include <asm/prctl.h>
#include <linux/kvm.h>
#endif

/* Newer than some kernels on which kvis is built. */
#if __has_include(<linux/close_range.h>)
#include <linux/close_range.h>
#endif
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#if __has_include(<linux/lsm.h>)
#include <linux/lsm.h>
#endif
#if __has_include(<linux/eventfd.h>)
#include <linux/eventfd.h>
#endif

#define KVIS_CHECK_FLAGS
#include "gen/out/flags.h"
