/* cc: -m32 -static -nostdlib -fno-pie -no-pie -fno-stack-protector
 * only: x86_64
 * A 32-bit program without a libc. Makes a file with the system calls of i386, writes 321 bytes and reads 32. Exits with 32. */
#include "i386.h"

static char buf[512];

void _start(void)
{
    long fd = call(5, (long)"made32", 0102, 0600, 0); /* open O_RDWR|O_CREAT */
    long n = call(4, fd, (long)buf, 321, 0);          /* write */
    call(19, fd, 0, 0, 0);                            /* lseek */
    long m = call(3, fd, (long)buf, 32, 0);           /* read */
    long p = call(20, 0, 0, 0, 0) > 0;                /* getpid: the number of writev in x86_64 */
    call(6, fd, 0, 0, 0);
    call(1, n == 321 && m == 32 && p ? 32 : 1, 0, 0, 0);
}
