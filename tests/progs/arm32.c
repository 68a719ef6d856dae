/* cc: -marm -nostdlib -fno-pie -no-pie -fno-stack-protector
 * only: arm
 * A 32-bit ARM program (EABI) without a libc, for an arm64 kernel. It makes a file, writes 321 bytes, reads 32, and makes the calls
 * that ARM has for itself: 64-bit offsets that start in an even register, send and recv, and ARM-only calls. Exits with 32 if all
 * results are right. With `strict`, it ends in strict seccomp mode. Its child is CLONE_UNTRACED, except with `traced`. */
static inline __attribute__((always_inline)) long call(long n, long a, long b, long c, long d, long e, long f)
{
    register long r7 __asm__("r7") = n, r0 __asm__("r0") = a, r1 __asm__("r1") = b, r2 __asm__("r2") = c;
    register long r3 __asm__("r3") = d, r4 __asm__("r4") = e, r5 __asm__("r5") = f;
    __asm__ volatile("svc 0" : "+r"(r0), "+r"(r1) : "r"(r7), "r"(r2), "r"(r3), "r"(r4), "r"(r5) : "memory");
    return r1 == b ? r0 : -9999; /* the kernel keeps the arguments after the first, and a tracer must, too */
}

static char buf[512];

/* Exits with 100 plus the number of the check that failed. */
static void must(int so)
{
    static int step = 100;
    step++;
    if (!so)
        call(1, step, 0, 0, 0, 0, 0);
}

static void files(void)
{
    static const struct { short type, whence; int pad; long long start, len; int pid; } lock = { 1, 0, 0, 1ll << 33, 5, 0 };
    long fd = call(5, (long)"made32", 0400102, 0600, 0, 0, 0);       /* open O_RDWR|O_CREAT|O_LARGEFILE */
    must(call(4, fd, (long)buf, 321, 0, 0, 0) == 321);               /* write */
    must(call(19, fd, 0, 0, 0, 0, 0) == 0);                          /* lseek */
    must(call(3, fd, (long)buf, 32, 0, 0, 0) == 32);                 /* read */
    must(call(181, fd, (long)buf, 7, 0, 321, 0) == 7);               /* pwrite64: a register is left out */
    must(call(180, fd, (long)buf, 9, 0, 300, 0) == 9);               /* pread64 */
    must(call(194, fd, 0, 1000, 1, 0, 0) == 0);                      /* ftruncate64: 4 GB and 1000 bytes */
    must(call(221, fd, 13, (long)&lock, 0, 0, 0) == 0);              /* fcntl64 F_SETLK64 */
    must(call(322, -100, (long)"nothere32", 0, 0, 0, 0) == -2);      /* openat */
    must(call(6, fd, 0, 0, 0, 0, 0) == 0);
    static const char *const argv[] = { "no", "such", 0 };
    must(call(11, (long)"nothere32", (long)argv, 0, 0, 0, 0) == -2); /* execve */
}

static void sockets(void)
{
    int sv[2];
    must(call(288, 1, 1, 0, (long)sv, 0, 0) == 0);                   /* socketpair */
    must(call(289, sv[0], (long)buf, 11, 0, -1, -1) == 11);          /* send: r4 and r5 are no address */
    must(call(291, sv[1], (long)buf, 64, 0, -1, -1) == 11);          /* recv */
}

static void processes(long flags)
{
    int status = 0;
    long sp;
    __asm__("mov %0, sp" : "=r"(sp));                                /* the current stack, because r1 must not be 0 */
    long pid = call(120, flags, sp, 0, 0, 0, 0);         /* clone */
    if (!pid)
        call(1, 5, 0, 0, 0, 0, 0);
    must(pid > 0);
    must(call(114, pid, (long)&status, 0, 0, 0, 0) == pid);          /* wait4 */
    must(status == 5 << 8);
}

/* argc and argv are on the stack. */
__attribute__((naked)) void _start(void)
{
    __asm__("ldr r0, [sp]\n add r1, sp, #4\n b start");
}

__attribute__((used)) static void start(int argc, char **argv)
{
    enum { UNTRACED = 0x00800000, SIGCHLD = 17 };
    static const int sleep[2] = { 0, 1000 };
    char how = argc > 1 ? argv[1][0] : 0;
    files();
    sockets();
    processes(how == 't' ? SIGCHLD : UNTRACED | SIGCHLD);
    must(call(20, 0, 0, 0, 0, 0, 0) > 0);                            /* getpid */
    must(call(162, (long)sleep, 0, 0, 0, 0, 0) == 0);                /* nanosleep */
    must(call(0xf0005, 0x1234, 0, 0, 0, 0, 0) == 0);                 /* set_tls */
    must(call(0xf0002, (long)buf, (long)buf + 64, 0, 0, 0, 0) == 0); /* cacheflush */
    if (how == 's') {
        must(call(172, 22, 1, 0, 0, 0, 0) == 0);                     /* prctl: PR_SET_SECCOMP, STRICT */
        must(call(4, 1, (long)"strict\n", 7, 0, 0, 0) == 7);
    }
    call(1, 32, 0, 0, 0, 0, 0); /* exit */
}
