/* Work that kvis monitor must count. Prints what it did as NAME=NUMBER.
 *   mon sums                       reads the kernel's own counts of all tasks
 *   mon spin N SECS                N busy processes on each CPU
 *   mon naps SECS                  sleeps and runs on a CPU beside a busy process
 *   mon hop N                      moves N times to another CPU
 *   mon faults N [hold]            touches N pages, and keeps them until the standard input ends
 *   mon pages N NODE CPU           touches N pages of one NUMA node, on one CPU
 *   mon disk NAME HOW N            N reads of a disk
 *   mon reads DISK TOGETHER N      N times TOGETHER reads of a disk at the same time
 *   mon frames INTERFACE N         sends N Ethernet frames */
#include "t.h"

#include <dirent.h>
#include <linux/aio_abi.h>
#include <linux/mempolicy.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <sys/ioctl.h>

struct sums { unsigned long long voluntary, forced, wait_ns, moved; };
#define SUMS "voluntary=%llu forced=%llu wait_ns=%llu moved=%llu"

/* Adds the values of a task, from its directory below /proc. */
static void add(struct sums *s, const char *dir)
{
    char path[512], text[128] = "", *end;
    snprintf(path, sizeof path, "%s/status", dir);
    s->voluntary += t_number(path, "\nvoluntary_ctxt_switches:");
    s->forced += t_number(path, "\nnonvoluntary_ctxt_switches:");
    snprintf(path, sizeof path, "%s/sched", dir);
    s->moved += t_number(path, "se.nr_migrations");
    snprintf(path, sizeof path, "%s/schedstat", dir);
    t_read(path, text, sizeof text);
    strtoull(text, &end, 10);
    s->wait_ns += strtoull(end, NULL, 10);
}

/* Sums over all tasks except this one. */
SCENE(sums)
{
    struct sums s = { 0, 0, 0, 0 };
    char path[512];
    DIR *d = opendir("/proc"), *t;
    for (struct dirent *p; d && (p = readdir(d));) {
        if (p->d_name[0] < '0' || p->d_name[0] > '9' || atoi(p->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/%s/task", p->d_name);
        t = opendir(path);
        for (struct dirent *e; t && (e = readdir(t));) {
            snprintf(path, sizeof path, "/proc/%s/task/%s", p->d_name, e->d_name);
            if (e->d_name[0] != '.')
                add(&s, path);
        }
        if (t)
            closedir(t);
    }
    say(SUMS, s.voluntary, s.forced, s.wait_ns, s.moved);
}

SCENE(spin)
{
    int n = (int)t_arg(1, 1), secs = (int)t_arg(2, 1);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct sums *s = t_shared(4096);
    unsigned long long end = t_ns() + (unsigned long long)secs * 1000000000;
    MUST(n * cpus < 64);
    for (int i = 0; i < n * cpus; i++) {
        if (fork())
            continue;
        t_pin((int)(i % cpus));
        while (t_ns() < end)
            ;
        add(&s[1 + i], "/proc/self");
        _exit(0);
    }
    while (wait(NULL) > 0)
        ;
    for (int i = 1; i <= n * cpus; i++) {
        s->voluntary += s[i].voluntary;
        s->forced += s[i].forced;
        s->wait_ns += s[i].wait_ns;
        s->moved += s[i].moved;
    }
    say(SUMS, s->voluntary, s->forced, s->wait_ns, s->moved);
}

/* Alternately runs for 2 ms of CPU time and sleeps for 2 ms, on CPU 0, where a child spins: its share is a quarter of the CPU, and it
 * wants more. */
SCENE(naps)
{
    struct timespec nap = { 0, 2000000 };
    struct rusage u;
    int n = 0;
    t_pin(0);
    pid_t child = fork();
    for (; child == 0;)
        ;
    MUST(child > 0 && setpriority(PRIO_PROCESS, 0, 5) == 0);
    unsigned long long end = t_ns() + (unsigned long long)t_arg(1, 1) * 1000000000;
    do {
        struct timespec c0, c;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &c0);
        do
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &c);
        while ((c.tv_sec - c0.tv_sec) * 1000000000 + c.tv_nsec - c0.tv_nsec < 2000000);
        nanosleep(&nap, NULL);
        n++;
    } while (t_ns() < end);
    getrusage(RUSAGE_SELF, &u);
    kill(child, SIGKILL);
    wait(NULL);
    say("naps=%d forced=%ld", n, u.ru_nivcsw);
}

SCENE(hop)
{
    int n = (int)t_arg(1, 1);
    struct sums before = { 0, 0, 0, 0 }, after = before;
    for (int i = 0; i <= n; i++) {
        t_pin(i % 2);
        if (i == 0)
            add(&before, "/proc/self");
    }
    add(&after, "/proc/self");
    say("hops=%d own=%llu", n, after.moved - before.moved);
}

/* A mapping of n pages that have not been touched. */
static char *untouched(int n)
{
    char *p = t_map((size_t)n * 4096);
    madvise(p, (size_t)n * 4096, MADV_NOHUGEPAGE);
    return p;
}

static void touch(char *p, int n)
{
    for (int i = 0; i < n; i++)
        p[(size_t)i * 4096] = 1;
    say("touched=%d", n);
}

SCENE(faults)
{
    int n = (int)t_arg(1, 1);
    touch(untouched(n), n);
    if (t_argc > 3)
        getchar();
}

SCENE(pages)
{
    int n = (int)t_arg(1, 1);
    unsigned long nodes = 1UL << t_arg(2, 0);
    char *p = untouched(n);
    CHK(syscall(SYS_mbind, p, (size_t)n * 4096, MPOL_BIND, &nodes, 64, 0));
    t_pin((int)t_arg(3, 0));
    touch(p, n);
}

static int by_size(const void *a, const void *b)
{
    unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;
    return x < y ? -1 : x > y;
}

/* first: within the first 16th of the disk; spread: the 16ths by turns; seq: sequential. */
SCENE(disk)
{
    const char *how = t_argv[3];
    int n = (int)t_arg(3, 1);
    char path[300];
    static unsigned long long took[4096];
    unsigned long long bytes, at = 0;
    void *buf = t_map(4096);
    snprintf(path, sizeof path, "/dev/%s", t_argv[2]);
    int f = open(path, O_RDONLY | O_DIRECT);
    MUST(f >= 0 && ioctl(f, BLKGETSIZE64, &bytes) == 0);
    MUST(n <= 4096);
    for (int i = 0; i < n; i++) {
        if (!strcmp(how, "first"))
            at = (unsigned long long)(i * 7 % 16) * 8192;
        else if (!strcmp(how, "spread"))
            at = bytes / 16 * (unsigned long long)(i * 5 % 16) + (unsigned long long)(i / 16) * 8192;
        else
            at = (unsigned long long)i * 4096;
        took[i] = t_ns();
        MUST(pread(f, buf, 4096, (off_t)at) == 4096);
        took[i] = t_ns() - took[i];
    }
    close(f);
    qsort(took, (size_t)n, sizeof *took, by_size);
    say("reads=%d p50_ns=%llu p99_ns=%llu max_ns=%llu", n, took[n / 2], took[n * 99 / 100],
        took[n - 1]);
}

/* Reads that are submitted by one call and awaited. No two are adjacent, because adjacent ones would become one request. */
SCENE(reads)
{
    int together = (int)t_arg(2, 1), n = (int)t_arg(3, 1);
    static _Alignas(4096) char pages[64][4096];
    static struct iocb cb[64], *list[64];
    struct io_event done[64];
    char path[64];
    aio_context_t ctx = 0;
    snprintf(path, sizeof path, "/dev/%s", t_argv[2]);
    int f = open(path, O_RDONLY | O_DIRECT);
    MUST(f >= 0 && together <= 64 && syscall(SYS_io_setup, 64, &ctx) == 0);
    unsigned long long t = t_ns();
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < together; k++) {
            cb[k] = (struct iocb){ .aio_fildes = (unsigned)f, .aio_lio_opcode = IOCB_CMD_PREAD,
                                   .aio_buf = (uintptr_t)pages[k], .aio_nbytes = 4096,
                                   .aio_offset = (i * 64 + k) % 4000 * 16384 };
            list[k] = &cb[k];
        }
        MUST(syscall(SYS_io_submit, ctx, together, list) == together);
        MUST(syscall(SYS_io_getevents, ctx, together, together, done, NULL) == together);
        for (int k = 0; k < together; k++)
            MUST(done[k].res == 4096);
    }
    say("reads=%d took_ns=%llu", together * n, t_ns() - t);
}

SCENE(frames)
{
    int n = (int)t_arg(2, 1);
    static unsigned char frame[64] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x88, 0xb5 };
    struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(t_argv[2]) };
    int s = socket(AF_PACKET, SOCK_RAW, 0);
    MUST(s >= 0 && to.sll_ifindex);
    for (int i = 0; i < n; i++)
        MUST(sendto(s, frame, sizeof frame, 0, (void *)&to, sizeof to) == sizeof frame);
    say("frames=%d", n);
}

int main(int argc, char **argv)
{
    return !t_scene(argc, argv);
}
