/* Causes a fault that kvis diagnose must find, until it is killed. Prints `ill` when the fault exists. The name of the process
 * (comm) is ill-SCENE. Arguments of the scenes:
 *   cpu, calls, locks, forks, children, files, descriptors, flows N; pinned CPU N; fifo, packets CPU; disk NAME N; fuse DIR
 *   memory, oom MB; far MB NODE CPU; clock SECONDS (of error; 0: not synchronized, and ends) */
#include "t.h"
#include "fuse.h"

#include <linux/if_tun.h>
#include <linux/mempolicy.h>
#include <net/if.h>
#include <sys/timex.h>

static void is_ill(void)
{
    say("ill");
    pause();
}

static int workers, at_work;

/* Prints `ill` when all threads have begun their work. */
static void begun(void)
{
    if (__atomic_add_fetch(&at_work, 1, __ATOMIC_SEQ_CST) == workers)
        say("ill");
}

static void *compute(void *unused)
{
    begun();
    for (volatile unsigned n = 0;; n++)
        ;
    return unused;
}

static void *call(void *unused)
{
    for (unsigned n = 0;; n++) {
        syscall(SYS_getppid);
        if (n == 1000)
            begun();
    }
    return unused;
}

static void *lock(void *unused)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    begun();
    for (;;) {
        pthread_mutex_lock(&mutex);
        usleep(10000);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

/* Starts N children, which die with their parent. Returns 0 in the parent, and 1 to N in the children. */
static long children(long n)
{
    pid_t first = getpid();
    for (long i = 1; i <= n; i++) {
        pid_t pid = fork();
        MUST(pid >= 0);
        if (pid)
            continue;
        MUST(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == first);
        return i;
    }
    return 0;
}

static void forks(size_t bytes, long loops)
{
    children(loops - 1);
    for (unsigned i = 0;; i++) {
        pid_t pid = fork();
        MUST(pid >= 0);
        if (!pid && bytes)
            memset(t_map(bytes), 1, bytes);
        if (!pid)
            _exit(0);
        waitpid(pid, NULL, 0);
        if (i == 5)
            say("ill");
    }
}

SCENE(retransmits)
{
    struct ifreq r = { .ifr_flags = IFF_TUN | IFF_NO_PI };
    struct sockaddr_in *a = (void *)&r.ifr_addr, to = { .sin_family = AF_INET, .sin_port = htons(9) };
    int tun = open("/dev/net/tun", O_RDWR), s = socket(AF_INET, SOCK_DGRAM, 0);
    MUST(tun >= 0 && s >= 0 && ioctl(tun, TUNSETIFF, &r) == 0);
    *a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a636301) };
    MUST(ioctl(s, SIOCSIFADDR, &r) == 0);
    *a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(0xffffff00) };
    MUST(ioctl(s, SIOCSIFNETMASK, &r) == 0);
    r.ifr_flags = IFF_UP | IFF_RUNNING;
    MUST(ioctl(s, SIOCSIFFLAGS, &r) == 0);
    to.sin_addr.s_addr = htonl(0x0a636302);
    for (unsigned i = 0; i < 600; i++) { /* each sends again after 1, 3, 7 ... seconds */
        MUST((s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) > 0);
        connect(s, (void *)&to, sizeof to);
        if (i == 60)
            say("ill");
        usleep(20000);
    }
    pause();
}

/* The kernel's count is off by up to 32 files for each CPU (fs/file_table.c: percpu_counter). */
SCENE(files)
{
    long n = t_arg(1, 0);
    struct rlimit most = { (rlim_t)n + 100, (rlim_t)n + 100 };
    long open_now = 0;
    FILE *f = fopen("/proc/sys/fs/file-nr", "r");
    MUST(f && setrlimit(RLIMIT_NOFILE, &most) == 0);
    while (n-- > 0)
        MUST(open("/dev/null", O_RDONLY) >= 0);
    MUST(fscanf(f, "%ld", &open_now) == 1 && open_now > 0);
    f = fopen("/proc/sys/fs/file-max", "w");
    MUST(f && fprintf(f, "%ld", open_now * 100 / 96) > 0 && fclose(f) == 0);
    is_ill();
}

static void *read_disk(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    char path[64], *buf = t_map(4096);
    snprintf(path, sizeof path, "/dev/%s", t_argv[2]);
    int f = open(path, O_RDONLY | O_DIRECT);
    MUST(f >= 0);
    begun();
    for (;;)
        MUST(pread(f, buf, 4096, (off_t)(rand_r(&seed) % 4096) * 4096) == 4096);
    return arg;
}

/* The caller is one of the n threads. */
static void threads(int n, void *(*fn)(void *))
{
    pthread_t t;
    workers = n;
    for (long i = 1; i < n; i++)
        MUST(pthread_create(&t, NULL, fn, (void *)i) == 0);
    fn(NULL);
}

static void use(char *p, size_t bytes, size_t step)
{
    for (int round = 0;; round++) {
        for (size_t at = 0; at < bytes; at += step)
            p[at]++;
        if (!round)
            say("ill");
    }
}

SCENE(memory)
{
    size_t bytes = (size_t)t_arg(1, 0) << 20;
    use(t_map(bytes), bytes, 4096);
}

SCENE(far)
{
    size_t bytes = (size_t)t_arg(1, 0) << 20;
    unsigned long nodes = 1ul << t_arg(2, 0);
    char *p = t_map(bytes);
    t_pin((int)t_arg(3, 0));
    MUST(syscall(SYS_mbind, p, bytes, MPOL_BIND, &nodes, 64ul, 0ul) == 0);
    use(p, bytes, 64);
}

SCENE(listen)
{
    struct sockaddr_in to = t_loopback(0);
    socklen_t len = sizeof to;
    int l = socket(AF_INET, SOCK_STREAM, 0), s[64] = { 0 };
    MUST(bind(l, (void *)&to, len) == 0 && listen(l, 1) == 0);
    MUST(getsockname(l, (void *)&to, &len) == 0);
    for (unsigned i = 0;; i++) {
        int *at = &s[i % 64];
        if (*at)
            close(*at);
        *at = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        MUST(*at > 0);
        connect(*at, (void *)&to, len);
        if (i == 5)
            say("ill");
        usleep(50000);
    }
}

/* A socket that shares its port with others. */
static int udp(struct sockaddr_in *a)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
    MUST(s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    MUST(setsockopt(s, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) == 0);
    MUST(bind(s, (void *)a, sizeof *a) == 0);
    return s;
}

SCENE(packets)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(9999) }, to = at;
    to.sin_addr.s_addr = htonl(0x7fffffff);
    for (int i = 0; i < 64; i++)
        udp(&at);
    at.sin_port = 0;
    t_pin((int)t_arg(1, 0));
    for (unsigned i = 0, s = (unsigned)udp(&at);; i++) {
        sendto((int)s, "", 1, 0, (void *)&to, sizeof to);
        if (i == 1000)
            say("ill");
    }
}

/* N: how many; 0: without end. */
SCENE(flows)
{
    struct sockaddr_in to = t_loopback(9);
    long n = t_arg(1, 0);
    for (long i = 0; !n || i < n; i++) {
        int s = socket(AF_INET, SOCK_DGRAM, 0);
        MUST(s >= 0 && connect(s, (void *)&to, sizeof to) == 0);
        MUST(send(s, "", 1, 0) == 1 || !n);
        if (n)
            continue;
        close(s);
        if (i == 500)
            say("ill");
        usleep(2000);
    }
    is_ill();
}

SCENE(fifo)
{
    struct sched_param p = { .sched_priority = 50 };
    t_pin((int)t_arg(1, 0));
    MUST(sched_setscheduler(0, SCHED_FIFO, &p) == 0);
    threads(1, compute);
}

SCENE(descriptors)
{
    rlim_t n = (rlim_t)t_arg(1, 0);
    struct rlimit most = { n, n };
    MUST(setrlimit(RLIMIT_NOFILE, &most) == 0);
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
    MUST(errno == EMFILE);
    is_ill();
}

/* All processes look up the same name: one waits for the server, and the others wait for that one in state D. */
SCENE(fuse)
{
    const char *dir = t_argv[2];
    static char in[1 << 17] __attribute__((aligned(8)));
    const struct fuse_in_header *h = (const void *)in;
    char path[256];
    int dev = fuse_mount(dir, ",allow_other");
    snprintf(path, sizeof path, "%s/x", dir);
    MUST(dev >= 0 && read(dev, in, sizeof in) >= (ssize_t)sizeof *h && h->opcode == FUSE_INIT);
    fuse_answer(dev, h->unique, 0, &fuse_version, sizeof fuse_version);
    if (children(6)) {
        close(dev);
        access(path, F_OK);
        _exit(0);
    }
    MUST(read(dev, in, sizeof in) > 0);
    is_ill();
}

SCENE(clock)
{
    long seconds = t_arg(1, 0);
    struct timex t = { .modes = ADJ_STATUS | ADJ_MAXERROR, .status = seconds ? STA_PLL : STA_UNSYNC, .maxerror = seconds * 1000000 };
    MUST(adjtimex(&t) >= 0);
    say("ill");
    if (seconds)
        pause();
}

enum { HUGE = 2 << 20 };

/* Touches a page of each hugepage. */
static void touch(char *p, size_t bytes)
{
    for (char *at = p + HUGE - (uintptr_t)p % HUGE; at + HUGE <= p + bytes; at += HUGE)
        *at = 1;
}

SCENE(fragments)
{
    unsigned long kb = t_number("/proc/meminfo", "MemAvailable:");
    size_t bytes = kb / 4 * 3 * 1024, page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = t_map(bytes);
    MUST(madvise(p, bytes / page * page, MADV_NOHUGEPAGE) == 0);
    for (size_t at = 0; at < bytes; at += page)
        p[at] = 1;
    for (size_t at = 0; at + page <= bytes; at += 2 * page)
        MUST(madvise(p + at, page, MADV_DONTNEED) == 0);
    for (unsigned long was, refused = 0; refused < 16;) { /* uses up the remaining hugepages */
        was = t_number("/proc/vmstat", "thp_fault_fallback ");
        touch(t_map(17 * HUGE), 17 * HUGE);
        refused = t_number("/proc/vmstat", "thp_fault_fallback ") - was;
    }
    say("ill");
    for (;;) {
        p = t_map(17 * HUGE);
        touch(p, 17 * HUGE);
        munmap(p, 17 * HUGE);
        usleep(20000);
    }
}

SCENE(cpu) { threads((int)t_arg(1, 0), compute); }
SCENE(calls) { threads((int)t_arg(1, 0), call); }
SCENE(locks) { threads((int)t_arg(1, 0), lock); }
SCENE(forks) { forks(0, t_arg(1, 0)); }
SCENE(oom) { forks((size_t)t_arg(1, 0) << 20, 1); }
SCENE(disk) { threads((int)t_arg(2, 0), read_disk); }

SCENE(pinned)
{
    t_pin((int)t_arg(1, 0));
    threads((int)t_arg(2, 0), compute);
}

SCENE(children)
{
    if (!children(t_arg(1, 0)))
        say("ill");
    pause();
}

int main(int argc, char **argv)
{
    char name[16];
    snprintf(name, sizeof name, "ill-%s", argc > 1 ? argv[1] : "");
    prctl(PR_SET_NAME, name);
    MUST(setpriority(PRIO_PROCESS, 0, 10) == 0); /* otherwise kvis starts slowly under emulation */
    return t_main(argc, argv);
}
