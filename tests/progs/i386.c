/* cc: -m32 -static -nostdlib -fno-pie -no-pie -fno-stack-protector
 * only: x86_64
 * A 32-bit program without a libc. With the system calls of i386, it opens files in every way, writes 321 bytes and reads 32, and
 * makes calls whose arguments have unusual shapes. Exits with 32 if all results are right. */
static long call(long n, long a, long b, long c, long d)
{
    long r;
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c), "S"(d) : "memory");
    return r;
}

static char buf[512];

static int opens(void)
{
    static const unsigned long long how[3] = { 0100000000002, 0, 0 };   /* an unused bit */
    long fd = call(5, (long)"open32", 0102, 0640, 0);                   /* open O_RDWR|O_CREAT */
    int ok = fd > 0;
    ok &= call(295, -100, (long)"openat32", 0101, 0600) == fd + 1;      /* openat */
    ok &= call(8, (long)"creat32", 0604, 0, 0) == fd + 2;               /* creat */
    ok &= call(437, -100, (long)"openat232", (long)how, 24) == -22;     /* openat2: EINVAL */
    ok &= call(342, -100, 0, 0, 0) < 0;                                 /* open_by_handle_at: EFAULT, or EPERM for a user */
    ok &= call(5, 1, 0, 0, 0) == -14;                                   /* EFAULT */
    return ok & (call(5, (long)"nothere32", 0, 0, 0) == -2);            /* ENOENT */
}

static int moves_bytes(void)
{
    long fd = call(5, (long)"made32", 0102, 0600, 0); /* open O_RDWR|O_CREAT */
    int ok = call(4, fd, (long)buf, 321, 0) == 321;   /* write */
    call(19, fd, 0, 0, 0);                            /* lseek */
    ok &= call(3, fd, (long)buf, 32, 0) == 32;        /* read */
    ok &= call(20, 0, 0, 0, 0) > 0;                   /* getpid: the number of writev in x86_64 */
    call(6, fd, 0, 0, 0);
    return ok;
}

static int fails(void)
{
    enum { NOW = 0x3fffffff, OMIT = 0x3ffffffe };
    static const int ts[4] = { 0, OMIT, 0, NOW }, sleep[2] = { 0, NOW };
    static const unsigned long long ts64[4] = { 0, 7ull << 32 | OMIT, 3, 9ull << 32 | 5 };
    static const unsigned char netlink[4] = { 16 };
    static const struct { int type; char text[4]; } msg = { 7, "abc" };
    int ok = call(320, -100, (long)"none", (long)ts, 0) == -2; /* utimensat: ENOENT */
    ok &= call(412, -100, (long)"none", (long)ts64, 0) == -2;  /* utimensat_time64 */
    ok &= call(162, (long)sleep, 0, 0, 0) == -22;              /* nanosleep: EINVAL */
    ok &= call(361, -1, (long)netlink, 4, 0) == -9;            /* bind: EBADF */
    ok &= call(400, -1, (long)&msg, 3, 0) < 0;                 /* msgsnd */
    ok &= call(212, (long)"none", 5, 6, 0) == -2;              /* chown32: ENOENT */
    ok &= call(182, (long)"none", -1, 0x10007, 0) == -2;       /* chown, ids of 16 bits: ENOENT */
    ok &= call(95, -1, 0xffff, 0xfffe, 0) == -9;               /* fchown: EBADF */
    return ok & (call(81, 70000, (long)"ids", 0, 0) < 0);      /* setgroups */
}

void _start(void)
{
    int ok = opens();
    ok &= moves_bytes();
    ok &= fails();
    call(1, ok ? 32 : 1, 0, 0, 0);
}
