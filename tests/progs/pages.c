/* Takes pages, and says how many: `pages N NODE CPU`: N pages of anonymous memory, strictly from that
 * NUMA node, touched on that CPU; `pages huge N`: so many hugepages, held until stdin ends; `pages thp N`:
 * so many that the kernel makes of ordinary ones, if it will. */
#define _GNU_SOURCE
#include "t.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/mman.h>

static void touch(char *p, long n, long step)
{
    for (long i = 0; i < n; i++)
        p[i * step] = 1;
}

int main(int argc, char **argv)
{
    long n = atol(argv[argc > 3 ? 1 : 2]), page = sysconf(_SC_PAGESIZE);
    if (!strcmp(argv[1], "huge")) {
        char *p = mmap(NULL, (size_t)n << 21, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
        MUST(p != MAP_FAILED);
        touch(p, n / 2, 1 << 21); /* the other half stays reserved */
        puts("held");
        fflush(stdout);
        return getchar() != EOF;
    }
    if (!strcmp(argv[1], "thp")) {
        size_t huge = 1 << 21;
        char *p = mmap(NULL, (size_t)(n + 1) * huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(p != MAP_FAILED);
        p += -(unsigned long)p & (huge - 1);
        MUST(madvise(p, (size_t)n * huge, MADV_HUGEPAGE) == 0);
        touch(p, n, (long)huge);
        puts("held");
        fflush(stdout);
        return getchar() != EOF;
    }
    unsigned long nodes = 1UL << atoi(argv[2]);
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET(atoi(argv[3]), &cpu);
    MUST(sched_setaffinity(0, sizeof cpu, &cpu) == 0);
    char *p = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(p != MAP_FAILED);
    madvise(p, (size_t)(n * page), MADV_NOHUGEPAGE);
    MUST(syscall(SYS_mbind, p, n * page, MPOL_BIND, &nodes, 64, 0) == 0);
    touch(p, n, page);
    printf("%ld\n", n);
    return 0;
}
