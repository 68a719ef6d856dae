/* Used by the case old_kernel.
 * old_kernel.c: kvis on a kernel that lacks what Linux 5.3 and 5.6 brought: PTRACE_GET_SYSCALL_INFO and
 * pidfds. All else is the real kernel. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <linux/ptrace.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static long old_syscall(long nr, ...)
{
    va_list ap;
    long a[6];
    va_start(ap, nr);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (nr == SYS_ptrace && a[0] == PTRACE_GET_SYSCALL_INFO) {
        errno = EIO;
        return -1;
    }
    if (nr == 434 /* pidfd_open */) {
        errno = ENOSYS;
        return -1;
    }
    return syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#define syscall old_syscall
#include "../../kvis.c"
