/* only: x86_64
 * Calls of other conventions inside a 64-bit program: int $0x80 (i386) and x32 numbers. */
#include "t.h"

static long int80(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
    return r;
}

static void i386(int argc, char **argv)
{
    (void)argc, (void)argv;
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    MUST(low != MAP_FAILED);
    if (int80(20, 0, 0, 0) != getpid()) {
        errno = ENOSYS;
        skip("int $0x80");
    }
    strcpy(low, "made by int80");
    long fd = int80(5, (long)low, O_RDWR | O_CREAT, 0600);
    MUST(fd > 2);
    MUST(int80(4, fd, (long)low, 123) == 123);
    MUST(int80(6, fd, 0, 0) == 0);
    MUST(int80(20, 0, 0, 0) == getpid());
    want("[c['ret'] for c in calls('getpid', abi='i386')] == [%d, %d]", getpid(), getpid());
    want("not [c for c in calls('writev')]"); /* that is 20 in the 64-bit table */
    want("one('open', path='%smade by int80')['fd'] == %ld", t_cwd, fd);
    want("tot('write', 'bytes', filename='%smade by int80') == 123", t_cwd);
    want("len(calls('open', abi='i386')) == 1 and calls('open', abi='i386')[0]['ret'] == %ld", fd);
    want("all('abi' not in c for c in calls('mmap'))");
}

static void x32(int argc, char **argv)
{
    (void)argc, (void)argv;
    errno = 0;
    long r = syscall(0x40000000 | 39);
    MUST(r == getpid() || (r == -1 && errno == ENOSYS));
    if (r > 0)
        want("[c['ret'] for c in calls('getpid', abi='x32')] == [%d]", getpid());
    else
        want("[(c['error'], c['abi']) for c in calls('getpid') if c['error']] == [('ENOSYS', 'x32')]");
    syscall(0x40000000 | 520, 0, 0, 0); /* execve of x32: 520 is nothing in the 64-bit table */
    want("len(calls('execve', abi='x32')) == 1");
    syscall(SYS_getpgid, 0);
    want("calls('getpgid')[-1]['ret'] == %d", getpgrp());
}

int main(int argc, char **argv)
{
    static const struct scene s[] = { { "i386", i386 }, { "x32", x32 }, { NULL, NULL } };
    return t_main(argc, argv, s);
}
