/* cc: -m32 -static -nostdlib -fno-pie -no-pie -fno-stack-protector
 * only: x86_64
 * Opens files with the system calls of i386, without a libc. Exits with 32 if all results are right. */
#include "i386.h"

void _start(void)
{
    static const unsigned long long how[3] = { 0100000000002, 0, 0 }; /* an unused bit */
    int ok = call(5, (long)"open32", 0102, 0640, 0) == 3;               /* open O_RDWR|O_CREAT */
    ok &= call(295, -100, (long)"openat32", 0101, 0600) == 4;           /* openat */
    ok &= call(8, (long)"creat32", 0604, 0, 0) == 5;                    /* creat */
    ok &= call(437, -100, (long)"openat232", (long)how, 24) == -22;     /* openat2: EINVAL */
    ok &= call(342, -100, 0, 0, 0) == -14;                              /* open_by_handle_at: EFAULT */
    ok &= call(5, 1, 0, 0, 0) == -14;
    ok &= call(5, (long)"nothere32", 0, 0, 0) == -2;
    call(1, ok ? 32 : 1, 0, 0, 0);
}
