/* Memory: the break, mappings as they are cut and moved, page faults counted by region. */
#include "t.h"

#define PAGE 4096ul
#define RW (PROT_READ | PROT_WRITE)

static char *map(size_t pages, int prot)
{
    char *p = mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(p != MAP_FAILED);
    return p;
}

static void *brk_(void *to) { return (void *)syscall(SYS_brk, to); }

/* Field 47 of /proc/self/stat: where the heap begins. */
static unsigned long start_brk(void)
{
    char b[2048];
    int fd = (int)CHK(open("/proc/self/stat", O_RDONLY));
    ssize_t n = CHK(read(fd, b, sizeof b - 1));
    close(fd);
    b[n] = 0;
    char *p = strrchr(b, ')') + 1;
    for (int i = 2; i < 46; i++)
        p = strchr(p + 1, ' ');
    return strtoul(p, NULL, 10);
}

static void heap(int argc, char **argv)
{
    (void)argc, (void)argv;
    char *at = brk_(NULL), *was = at;
    static const long step[] = { 1 << 20, -(600 << 10), 100, 800 << 10, 3 };
    for (unsigned i = 0; i < sizeof step / sizeof *step; i++) {
        MUST(brk_(at + step[i]) == at + step[i]);
        at += step[i];
        want("len(by('brk', growth_bytes=%ld)) == 1", step[i]);
    }
    MUST(brk_((void *)-1L) == at); /* refused */
    want("tot('brk', 'growth_bytes') == %lu", (unsigned long)at - start_brk());
    want("tot('brk', 'growth_bytes') >= %ld", (long)(at - was));
    want("S['heap_bytes'] == %lu", (unsigned long)at - start_brk());
}

static void region(const char *type, void *p, size_t pages, const char *more)
{
    want("len([e for e in by('%s') if 'error' not in e and num(e['addr']) == %#lx and num(e['end_addr']) == %#lx"
         " and e['size'] == %lu%s]) == 1", type, (long)p, (long)p + (long)(pages * PAGE), pages * PAGE, more);
}

static void maps(int argc, char **argv)
{
    (void)argc, (void)argv;
    char *p = map(10, RW);
    region("mmap", p, 10, " and e['prot'] == 'rw-' and e['map_type'].startswith('anon')");
    CHK(munmap(p + 4 * PAGE, 2 * PAGE)); /* out of the middle */
    region("munmap", p + 4 * PAGE, 2, "");
    CHK(munmap(p + 9 * PAGE, 5)); /* any byte of a page is the page */
    CHK(munmap(p + 4 * PAGE, PAGE)); /* nothing there: succeeds */
    CHK(mprotect(p + PAGE, 2 * PAGE, PROT_READ));
    region("mprotect", p + PAGE, 2, " and e['prot'] == 'r--'");
    char *q = map(4, RW), *big = map(64, PROT_NONE);
    char *r = mremap(q, 4 * PAGE, 40 * PAGE, MREMAP_MAYMOVE);
    MUST(r != MAP_FAILED);
    want("len([e for e in by('mremap') if num(e['old_addr']) == %#lx and num(e['addr']) == %#lx and e['size'] == %lu"
         " and e['old_size'] == %lu]) == 1", (long)q, (long)r, 40 * PAGE, 4 * PAGE);
    char *s = mremap(r, 40 * PAGE, 40 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, big); /* over a part of big */
    MUST(s == big);
    CHK(mremap(s, 40 * PAGE, 30 * PAGE, 0));
    t_put("file", 3 * PAGE);
    int fd = (int)CHK(open("file", O_RDONLY));
    char *f = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    MUST(f != MAP_FAILED);
    want("[(num(e['addr']), e['prot']) for e in by('mmap', map_type='%sfile')] == [(%#lx, 'r--')]", t_cwd, (long)f);
    MUST(mmap(NULL, 0, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    want("len(by('mmap', error='EINVAL')) == 1");
    MUST(mmap(NULL, 5000, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    map(1000, RW); /* so that the end is the most there was at any time */
    say("delta %lu", (7 + 24 + 30 + 3 + 2 + 1000) * PAGE);
}

/* What the kernel shows of the mappings that were made by mmap: all but [..], what exec itself mapped
 * (the program, the dynamic linker) and the bss behind those. */
static unsigned long mapped(void)
{
    static char b[1 << 16];
    size_t n = 0;
    ssize_t got;
    unsigned long sum = 0, lo, hi, last = 0, auxv[64] = { 0 }, interp = 0, exe = 0;
    int fd = (int)CHK(open("/proc/self/auxv", O_RDONLY));
    CHK(read(fd, auxv, sizeof auxv));
    close(fd);
    for (int i = 0; auxv[i]; i += 2) {
        interp = auxv[i] == 7 ? auxv[i + 1] : interp; /* AT_BASE */
        exe = auxv[i] == 9 ? auxv[i + 1] : exe;       /* AT_ENTRY */
    }
    fd = (int)CHK(open("/proc/self/maps", O_RDONLY));
    while ((got = CHK(read(fd, b + n, sizeof b - n - 1))) > 0)
        n += (size_t)got;
    close(fd);
    static char from_exec[2][512];
    for (int pass = 0; pass < 2; pass++)
        for (char *l = b, *end; (end = strchr(l, '\n')); l = end + 1) {
            char name[512] = "";
            *end = 0;
            sscanf(l, "%lx-%lx %*s %*s %*s %*s %511[^\n]", &lo, &hi, name);
            *end = '\n';
            if (!pass && interp >= lo && interp < hi)
                strcpy(from_exec[0], name);
            if (!pass && exe >= lo && exe < hi)
                strcpy(from_exec[1], name);
            if (!pass)
                continue;
            if (name[0] == '[' || (*name && (!strcmp(name, from_exec[0]) || !strcmp(name, from_exec[1])))
                || (!*name && lo == last))
                last = hi;
            else
                sum += hi - lo;
        }
    return sum;
}

/* mem none: the same without mappings of its own, for the difference. */
static void none(int argc, char **argv)
{
    (void)argc, (void)argv;
    t_put("file", 3 * PAGE);
    want("S['mmap_bytes'] == %lu", mapped());
}

static void all(int argc, char **argv)
{
    maps(argc, argv);
    want("S['mmap_bytes'] == %lu", mapped());
}

/* mem exec: the mappings go with the old program. */
static void execs(int argc, char **argv)
{
    (void)argc;
    map(5000, RW);
    brk_((char *)brk_(NULL) + (1 << 20));
    execl("/proc/self/exe", argv[0], "none", NULL);
}

/* mem many: every second page of a mapping protected, every second of another mapped anew from its end downwards; a
 * child with a copy of it all cuts a hole; and what is there at the end. */
static void many(int argc, char **argv)
{
    enum { N = 10000 };
    (void)argc, (void)argv;
    char *a = map(2 * N, RW), *b = map(2 * N, PROT_NONE);
    for (size_t i = 0; i < N; i++)
        CHK(mprotect(a + (2 * i + 1) * PAGE, PAGE, PROT_READ));
    for (size_t i = N; i-- > 0;)
        MUST(mmap(b + 2 * i * PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
    pid_t child = (pid_t)CHK(fork());
    if (!child)
        _exit(munmap(a + N / 2 * PAGE, N * PAGE) != 0);
    int status;
    CHK(waitpid(child, &status, 0));
    MUST(status == 0);
    CHK(munmap(a + N * PAGE, N * PAGE));
    want("0 <= S['mmap_regions'] - %d < 40", 3 * N); /* the rest is libc's */
    want("0 <= S['mmap_bytes'] - %lu < 4 << 20", 3 * N * PAGE);
    want("S.get('mappings_overflow', 0) == 0");
}

/* Touches n pages of p; the kernel's own count of faults must agree. */
static void touch(volatile char *p, int n)
{
    struct rusage a, b;
    getrusage(RUSAGE_THREAD, &a);
    getrusage(RUSAGE_THREAD, &b); /* the stack and this code are here now */
    getrusage(RUSAGE_THREAD, &a);
    for (int i = 0; i < n; i++)
        p[(unsigned long)i * PAGE] = 1;
    getrusage(RUSAGE_THREAD, &b);
    MUST(b.ru_minflt - a.ru_minflt == n);
}

/* A region that has no neighbours, at an address of its own. */
static char *island(int i, size_t pages)
{
    char *at = (char *)0x200000000000 + (long)i * 0x10000000;
    char *p = mmap(at, pages * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    MUST(p == at);
    return p;
}

static void faulted(char *p, size_t pages, int pid, int n, const char *name)
{
    want("sum(e['count'] for e in by('fault_group', pid=%d) if num(e['region_start']) == %#lx) == %d", pid, (long)p, n);
    want("sum(%#lx <= num(e['addr']) < %#lx for e in by('fault', pid=%d)) in (0, %d)", (long)p,
         (long)(p + pages * PAGE), pid, n);
    want("{(e['region_name'], e['prot']) for e in by('fault_group') if num(e['region_start']) == %#lx} == {('%s', 'rw-')}",
         (long)p, name);
}

static void *toucher(void *p)
{
    touch(p, 33);
    return island(3, 20);
}

static void faults(int argc, char **argv)
{
    (void)argc, (void)argv;
    CHK(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
    char *p = island(0, 300), *q = island(1, 100), *s = island(2, 50);
    void *u;
    pthread_t t;
    touch(p, 217);
    MUST(!pthread_create(&t, NULL, toucher, q));
    pthread_join(t, &u);
    touch(u, 11); /* a region that the thread has made */
    pid_t c = (pid_t)CHK(fork());
    if (!c) {
        touch(s, 40); /* a region from before the fork */
        _exit(0);
    }
    t_wait(c, 0);
    CHK(munmap(s, 50 * PAGE));
    char *heap = brk_(NULL);
    heap = (char *)(((uintptr_t)heap + PAGE - 1) & -PAGE);
    MUST(brk_(heap + 64 * PAGE) == heap + 64 * PAGE);
    touch(heap, 60);
    char *none = island(4, 30);
    CHK(mprotect(none, 30 * PAGE, PROT_NONE));
    CHK(mprotect(none + 10 * PAGE, 10 * PAGE, RW)); /* three regions, of which one can be touched */
    touch(none + 12 * PAGE, 7);
    faulted(none + 10 * PAGE, 10, getpid(), 7, "anon");
    faulted(p, 300, getpid(), 217, "anon");
    faulted(q, 100, getpid(), 33, "anon");
    faulted(u, 20, getpid(), 11, "anon");
    faulted(s, 50, c, 40, "anon");
    want("sum(e['count'] for e in by('fault_group', region_name='heap', pid=%d)) >= 60", getpid());
    want("S['page_faults'] >= %d", 217 + 33 + 11 + 40 + 60);
    want("S['page_faults'] * 4096 == S['page_fault_bytes']");
    want("S['lost_faults'] == 0");
}

/* Faults per region exactly, and their sum against what the kernel counted for the process. */
static void total(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct rusage r;
    CHK(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
    touch(island(0, 3000), 3000);
    getrusage(RUSAGE_SELF, &r);
    /* The kernel's count has those of exec itself, before perf was there, and misses those after this line. */
    want("%ld - 400 <= S['page_faults'] <= %ld + 100", r.ru_minflt, r.ru_minflt);
    want("S['page_faults'] >= 3000");
}

int main(int argc, char **argv)
{
    static const struct scene s[] = {
        { "heap", heap }, { "maps", maps }, { "all", all }, { "none", none }, { "exec", execs },
        { "many", many },
        { "faults", faults }, { "total", total }, { NULL, NULL },
    };
    return t_main(argc, argv, s);
}
