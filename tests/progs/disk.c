/* disk SCENE NAME [NS]: makes a known number of requests of known size to the disk /dev/NAME, which takes NS for each, and prints
 * which block I/O events kvis must show. */
#include "t.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

static const char *name;
static char *buf;
static int threads_meet;
static unsigned long long was[17], is[17];

/* The kernel's own counts. */
static void stat_of(unsigned long long *v)
{
    char path[300], text[1024], *at = text;
    snprintf(path, sizeof path, "/sys/block/%s/stat", name);
    MUST(t_read(path, text, sizeof text));
    for (int i = 0; i < 17; i++) /* older kernels have fewer: 0 */
        v[i] = strtoull(at, &at, 10);
}

static int disk(int flags)
{
    char path[300];
    snprintf(path, sizeof path, "/dev/%s", name);
    int f = open(path, flags);
    MUST(f >= 0);
    return f;
}

/* From 6.19 on, BPF programs on raw tracepoints can be preempted, and do not run for a thread that hits the tracepoint meanwhile. If
 * threads do so, as many events may be missing as the summary counts as lost. */
static const char *may_miss(void)
{
    return threads_meet && t_kernel_from(6, 19) ? " + S['lost_block_ios']" : "";
}

/* The events and the summary match the kernel's counts of requests and bytes. The kernel counts a flush as an empty write. */
static void want_stat(unsigned empty)
{
    static const struct { const char *op; int at; } is_a[] = { { "read", 0 }, { "write", 4 }, { "discard", 11 } };
    usleep(20000); /* the kernel counts a request after it has reported the completion */
    stat_of(is);
    for (int i = 0; i < 3; i++) {
        unsigned long long n = is[is_a[i].at] - was[is_a[i].at],
                           bytes = 512 * (is[is_a[i].at + 2] - was[is_a[i].at + 2]);
        want("0 <= %llu - len(by('block_io', op='%s', device='%s')) <= 0%s",
             n - (i == 1 ? empty : 0), is_a[i].op, name, may_miss());
        want("tot('block_io', 'bytes', op='%s') == %llu or 0%s", is_a[i].op, bytes, may_miss());
    }
    want("S['lost'] == 0 and S['lost_block_ios'] <= 0%s", may_miss());
    want("S['block_ios'] == len(by('block_io')) and S['block_io_ns'] == tot('block_io', 'duration_ns')");
    want("S['block_io_max_ns'] == max(e['duration_ns'] for e in by('block_io'))");
    want("S['block_io_p50_ns'] <= S['block_io_p99_ns'] <= S['block_io_max_ns']");
}

/* The duration of each read is at least that of the disk, and at most what this program measures. */
SCENE(latency)
{
    enum { N = 15 };
    unsigned long long ns = (unsigned long long)t_arg(2, 0);
    unsigned long long sum = 0, took[N];
    char each[N * 24] = "";
    int f = disk(O_RDONLY | O_DIRECT);
    stat_of(was);
    for (int i = 0; i < N; i++) {
        unsigned long long at = t_ns();
        MUST(pread(f, buf, 4096, 4096 * 7 * i) == 4096);
        sum += took[i] = t_ns() - at;
        sprintf(each + strlen(each), "%llu, ", took[i]);
    }
    want("all(e['duration_ns'] <= took for e, took in zip(by('block_io'), [%s]))", each);
    want("[e['bytes'] for e in by('block_io', op='read', device='%s')] == [4096] * %d", name, N);
    if (ns) { /* (only the shortest has an upper limit: an emulator's timer is late on a busy host) */
        want("all(e['duration_ns'] >= %llu for e in by('block_io'))", ns);
        want("min(e['duration_ns'] for e in by('block_io')) <= %llu", ns + ns / 20 + 300000);
    }
    want("tot('block_io', 'duration_ns') <= %llu", sum);
    if (!ns) /* (the median, because the CPU of an emulator stands still now and then) */
        want("sorted(took * .95 - e['duration_ns'] for e, took in zip(by('block_io'), [%s]))[%d] <= 500000", each, N / 2);
    want("abs(S['block_io_p50_ns'] / sorted(e['duration_ns'] for e in by('block_io'))[%d] - 1) < .032",
         N / 2);
    want_stat(0);
    close(f);
}

SCENE(flush)
{
    int f = disk(O_RDWR | O_DIRECT);
    unsigned long long range[2] = { 1 << 20, 2 << 20 };
    stat_of(was);
    for (int i = 0; i < 3; i++) {
        MUST(pwrite(f, buf, 4096, 0) == 4096);
        MUST(fsync(f) == 0);
    }
    stat_of(is);
    want("[e['bytes'] for e in by('block_io', op='flush')] == [0] * 3");
    want("len(by('block_io', op='flush', device='%s')) == %llu", name, is[15] - was[15]);
    want("all(e['pid'] == %d and e['device'] == '%s' for e in by('block_io'))", getpid(), name);
    MUST(ioctl(f, BLKDISCARD, range) == 0);
    want("tot('block_io', 'bytes', op='discard') == 2 << 20 and S['block_written_bytes'] == 3 * 4096");
    want_stat(3);
    close(f);
}

/* A kernel worker writes the pages of the page cache. kvis does not count these requests for this program. */
SCENE(writeback)
{
    int f = disk(O_RDWR);
    stat_of(was);
    MUST(pwrite(f, buf, 1 << 20, 0) == 1 << 20);
    do {
        usleep(50000);
        stat_of(is);
    } while (is[6] - was[6] < 2048);
    want("by('block_io') == []");
    want("'block_ios' not in S and S['block_written_bytes'] == 0");
    close(f);
}

static void *hammer(void *arg)
{
    int f = *(int *)arg;
    char *mine = aligned_alloc(4096, 4096);
    pid_t tid = (pid_t)syscall(SYS_gettid);
    for (int i = 0; i < 20; i++) /* odd: the same block for all threads; even: blocks that cannot merge */
        MUST(pread(f, mine, 4096, i & 1 ? 0 : 12288 * (1 + tid % 64)) == 4096);
    want("0 <= 20 - len(by('block_io', op='read', tid=%d, pid=%d)) <= 0%s", tid, getpid(), may_miss());
    return NULL;
}

SCENE(crowd)
{
    int f = disk(O_RDONLY | O_DIRECT);
    threads_meet = 1;
    stat_of(was);
    t_crowd(8, hammer, &f);
    want_stat(0);
    close(f);
}

/* Faults that need several requests, from a disk that completes them at once. Before 6.13, the kernel issues the last part first. */
SCENE(split)
{
    int f = disk(O_RDONLY);
    stat_of(was);
    for (int i = 1; i <= 10; i++) {
        volatile char *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, f, (off_t)i << 22);
        MUST(m != MAP_FAILED && !m[0]);
    }
    want("len(by('block_io', op='read', device='%s')) >= 10", name);
    want_stat(0);
    close(f);
}

/* A request for a bad block fails; then a page fault reads from the disk. */
SCENE(bad)
{
    int f = disk(O_RDONLY | O_DIRECT), g = disk(O_RDONLY);
    stat_of(was);
    MUST(pread(f, buf, 4096, 0) == 4096);
    MUST(pread(f, buf, 4096, 1 << 20) == -1 && errno == EIO);
    want("[e.get('error') for e in by('block_io')][:2] == [None, 'EIO']");
    want("by('block_io')[1]['bytes'] == 4096");
    volatile char *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, g, 4 << 20);
    MUST(m != MAP_FAILED);
    want("tot('block_io', 'bytes', op='read') >= 8192 + 4096 + %d", m[0]);
    want_stat(0);
    close(f);
    close(g);
}

static void wait_for(const char *file)
{
    while (access(file, F_OK))
        usleep(20000);
}

static void use(int f, int n)
{
    for (int i = 0; i < n; i++)
        MUST(pread(f, buf, 4096, 65536 * i) == 4096);
    MUST(pwrite(f, buf, 4096, 0) == 4096 && fsync(f) == 0);
}

/* The next requests on this CPU come from another program, whose bios get the addresses of this program's bios. */
SCENE(before)
{
    int f = disk(O_RDWR | O_DIRECT);
    t_pin(0);
    use(f, 20);
    close(open("/tmp/begun", O_CREAT | O_WRONLY, 0644));
    wait_for("/tmp/ended");
    want("[len(by('block_io', op=o)) for o in ('read', 'write', 'flush')] == [20, 1, 1]");
    want("S['lost_block_ios'] == 0");
    close(f);
}

SCENE(stranger)
{
    int f = disk(O_RDWR | O_DIRECT);
    t_pin(0);
    wait_for("/tmp/begun");
    use(f, 50);
    close(open("/tmp/ended", O_CREAT | O_WRONLY, 0644));
    close(f);
}

int main(int argc, char **argv)
{
    MUST(argc >= 3);
    name = argv[2];
    MUST((buf = aligned_alloc(4096, 4 << 20)) != NULL);
    memset(buf, 'k', 4 << 20);
    return t_main(argc, argv);
}
