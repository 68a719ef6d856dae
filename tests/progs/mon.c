/* Work that kvis monitor must count: `mon spin N SECS`: N busy processes on each CPU; `mon sums`: the kernel's own counts of
 * all tasks; `mon disk NAME HOW N`: N reads of a disk; `mon naps SECS`: sleeps and runs on a CPU beside a busy process;
 * `mon hop N`: moves N times to another CPU; `mon faults N [hold]`: touches N pages, and keeps them until the standard input
 * ends. Prints what it did as NAME=NUMBER. */
#include "t.h"

#include <dirent.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

struct sums { unsigned long long voluntary, forced, wait_ns, moved; };
#define SUMS "voluntary=%llu forced=%llu wait_ns=%llu moved=%llu"

static unsigned long long field(const char *path, const char *key)
{
    static char text[65536];
    t_read(path, text, sizeof text);
    char *at = strstr(text, key);
    at = at ? at + strlen(key) : NULL;
    return at ? strtoull(at + strspn(at, " \t:"), NULL, 10) : 0;
}

/* Adds the values of a task, from its directory below /proc. */
static void add(struct sums *s, const char *dir)
{
    char path[512], text[128] = "", *end;
    snprintf(path, sizeof path, "%s/status", dir);
    s->voluntary += field(path, "\nvoluntary_ctxt_switches:");
    s->forced += field(path, "\nnonvoluntary_ctxt_switches:");
    snprintf(path, sizeof path, "%s/sched", dir);
    s->moved += field(path, "se.nr_migrations");
    snprintf(path, sizeof path, "%s/schedstat", dir);
    t_read(path, text, sizeof text);
    strtoull(text, &end, 10);
    s->wait_ns += strtoull(end, NULL, 10);
}

/* Sums over all tasks except this one. */
static void all(void)
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

static void spin(int n, int secs)
{
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

/* On CPU 0, where a child spins: runs for 2 ms of CPU time, sleeps for 2 ms, and again. It may have a
 * quarter of the CPU and wants more. */
static void naps(int secs)
{
    struct timespec nap = { 0, 2000000 };
    struct rusage u;
    int n = 0;
    t_pin(0);
    pid_t child = fork();
    for (; child == 0;)
        ;
    MUST(child > 0 && setpriority(PRIO_PROCESS, 0, 5) == 0);
    unsigned long long end = t_ns() + (unsigned long long)secs * 1000000000;
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

/* From CPU 0 to 1 and back, by its own wish. */
static void hop(int n)
{
    struct sums before = { 0, 0, 0, 0 }, after = before;
    for (int i = 0; i <= n; i++) {
        t_pin(i % 2);
        if (i == 0)
            add(&before, "/proc/self");
    }
    add(&after, "/proc/self");
    say("hops=%d own=%llu", n, after.moved - before.moved);
}

static void faults(int n, int hold)
{
    size_t size = (size_t)n * 4096;
    char *p = t_map(size);
    madvise(p, size, MADV_NOHUGEPAGE);
    for (int i = 0; i < n; i++)
        p[(size_t)i * 4096] = 1;
    say("touched=%d", n);
    if (hold)
        getchar();
}

static int by_size(const void *a, const void *b)
{
    unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;
    return x < y ? -1 : x > y;
}

/* first: all within the first 16th; spread: the 16ths by turns; seq: sequential. */
static void disk(const char *name, const char *how, int n)
{
    char path[300];
    static unsigned long long took[4096];
    unsigned long long bytes, at = 0;
    void *buf = t_map(4096);
    snprintf(path, sizeof path, "/dev/%s", name);
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

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "spin"))
        spin(atoi(argv[2]), atoi(argv[3]));
    else if (argc == 3 && !strcmp(argv[1], "naps"))
        naps(atoi(argv[2]));
    else if (argc == 5 && !strcmp(argv[1], "disk"))
        disk(argv[2], argv[3], atoi(argv[4]));
    else if (argc == 3 && !strcmp(argv[1], "hop"))
        hop(atoi(argv[2]));
    else if (argc >= 3 && !strcmp(argv[1], "faults"))
        faults(atoi(argv[2]), argc > 3);
    else
        all();
    return 0;
}
