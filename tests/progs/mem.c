/* Moves the program break, cuts and moves mappings, and touches a known number of pages in each region. */
#include "t.h"
#include <sys/shm.h>

#define PAGE 4096ul
#define RW (PROT_READ | PROT_WRITE)

static void *brk_(void *to) { return (void *)syscall(SYS_brk, to); }

/* Field 47 of /proc/self/stat: where the heap begins. */
static unsigned long start_brk(void)
{
    char b[2048];
    t_read("/proc/self/stat", b, sizeof b);
    char *p = strrchr(b, ')') + 1;
    for (int i = 2; i < 46; i++)
        p = strchr(p + 1, ' ');
    return strtoul(p, NULL, 10);
}

SCENE(heap)
{
    char *at = brk_(NULL), *was = at;
    static const long step[] = { 1 << 20, -(600 << 10), 100, 800 << 10, 3 };
    for (unsigned i = 0; i < COUNT(step); i++) {
        MUST(brk_(at + step[i]) == at + step[i]);
        at += step[i];
        want("len(by('brk', growth_bytes=%ld)) == 1", step[i]);
    }
    MUST(brk_((void *)-1L) == at); /* refused */
    want("tot('brk', 'growth_bytes') == %lu", (unsigned long)at - start_brk());
    want("tot('brk', 'growth_bytes') >= %ld", (long)(at - was));
}

static void region(const char *type, void *p, size_t pages, const char *more)
{
    want("len([e for e in by('%s') if 'error' not in e and num(e['addr']) == %#lx and num(e['end_addr']) == %#lx"
         " and e['size'] == %lu%s]) == 1", type, (long)p, (long)p + (long)(pages * PAGE), pages * PAGE, more);
}

SCENE(maps)
{
    char *p = t_map(10 * PAGE);
    region("mmap", p, 10, " and e['prot'] == 'rw-' and e['map_type'].startswith('anon')");
    CHK(munmap(p + 4 * PAGE, 2 * PAGE)); /* out of the middle */
    region("munmap", p + 4 * PAGE, 2, "");
    CHK(munmap(p + 9 * PAGE, 5)); /* the whole page */
    CHK(munmap(p + 4 * PAGE, PAGE)); /* nothing is mapped: succeeds */
    CHK(mprotect(p + PAGE, 2 * PAGE, PROT_READ));
    region("mprotect", p + PAGE, 2, " and e['prot'] == 'r--'");
    CHK(mprotect(p + PAGE, 0, PROT_READ | PROT_WRITE));
    CHK(mprotect(p + PAGE, PAGE, PROT_READ | PROT_WRITE));
    CHK(mprotect(p + PAGE, PAGE, PROT_READ));
    want("len(by('mprotect')) >= 3 and not [e for e in by('mprotect') if 'error' in e]");
    char *q = t_map(4 * PAGE), *big = mmap(NULL, 64 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
    want("[(num(e['addr']), e['prot']) for e in by('mmap', map_type='~/file')] == [(%#lx, 'r--')]", (long)f);
    MUST(mmap(NULL, 0, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    want("len(by('mmap', error='EINVAL')) == 1");
    MUST(mmap(NULL, 5000, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

/* Touches n pages of p; the kernel's own count of faults must agree. */
static void touch(volatile char *p, int n)
{
    struct rusage a, b;
    getrusage(RUSAGE_THREAD, &a);
    getrusage(RUSAGE_THREAD, &b); /* faults in the stack and this code */
    getrusage(RUSAGE_THREAD, &a);
    for (int i = 0; i < n; i++)
        p[(unsigned long)i * PAGE] = 1;
    getrusage(RUSAGE_THREAD, &b);
    MUST(b.ru_minflt - a.ru_minflt == n);
}

/* Protects every second page of a mapping, and maps every second page of another one anew, from its end downwards. A child cuts a
 * hole into its copy. The regions at the end are known to the page. */
SCENE(many)
{
    enum { N = 4000 };
    CHK(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
    char *a = t_map(2 * N * PAGE), *b = mmap(NULL, 2 * N * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < N; i++)
        CHK(mprotect(a + (2 * i + 1) * PAGE, PAGE, PROT_READ));
    for (size_t i = N; i-- > 0;)
        MUST(mmap(b + 2 * i * PAGE, PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
    t_wait(CHILD(_exit(munmap(a + N / 2 * PAGE, N * PAGE) != 0)), 0);
    CHK(munmap(a + N * PAGE, N * PAGE));
    CHK(mprotect(b, N * PAGE, RW)); /* now one region */
    for (size_t i = 2; i < 20; i += 2)
        touch(a + (N - i) * PAGE, 1);
    touch(b, 60);
    for (size_t i = 2; i < 20; i += 2)
        want("[(e['region_name'], e['prot']) for e in by('fault') if num(e['addr']) == %#lx] == [('anon', 'rw-')]",
             (long)(a + (N - i) * PAGE));
    want("sum(e['count'] for e in by('fault_group', region_name='anon') if num(e.get('region_start', '0')) == %#lx) == 60", (long)b);
}

/* A mapping without neighbors. */
static char *island(int i, size_t pages)
{
    char *at = (char *)0x200000000000 + (long)i * 0x10000000;
    char *p = mmap(at, pages * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    MUST(p == at);
    return p;
}

static void faulted(char *p, size_t pages, int pid, int n, const char *name)
{
    /* An event of another thread ends a group, so a fault can be outside of the groups. */
    want("sum(e['count'] for e in by('fault_group', pid=%d) if num(e.get('region_start', '0')) == %#lx)"
         " + sum(%#lx <= num(e['addr']) < %#lx for e in by('fault', pid=%d)) == %d",
         pid, (long)p, (long)p, (long)(p + pages * PAGE), pid, n);
    want("{(e['region_name'], e['prot']) for e in by('fault_group') if num(e.get('region_start', '0')) == %#lx} == {('%s', 'rw-')}",
         (long)p, name);
}

static void *toucher(void *p)
{
    touch(p, 33);
    return island(3, 20);
}

static void stack(size_t n)
{
    volatile char page[PAGE];
    page[0] = 1;
    if (n)
        stack(n - 1);
    page[1] = page[0];
}

SCENE(faults)
{
    CHK(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
    char *p = island(0, 300), *q = island(1, 100), *s = island(2, 50);
    touch(p, 217);
    void *u = t_thread(toucher, q);
    touch(u, 11); /* a region that the thread has made */
    pid_t c = CHILD(
        touch(s, 40); /* a region from before the fork */
        _exit(0));
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
    stack(100);
    int id = (int)CHK(shmget(IPC_PRIVATE, 20 * PAGE, 0600)); /* kvis finds it only in /proc */
    char *shm = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    MUST(shm != (void *)-1);
    touch(shm, 20);
    faulted(shm, 20, getpid(), 20, "/SYSV00000000 (deleted)");
    want("sum(e['count'] for e in by('fault_group', region_name='stack', pid=%d)) >= 90", getpid());
    want("not [e for e in E if e.get('region_name') == 'unmapped']");
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

T_MAIN
