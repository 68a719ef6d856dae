/* Allocates pages and prints how many: `pages N NODE CPU`: N pages of anonymous memory, only from that NUMA node, touched on
 * that CPU; `pages huge N`: N hugepages, held until the standard input ends; `pages thp N`: N transparent hugepages. */
#include "t.h"

#include <linux/mempolicy.h>

static void touch(char *p, long n, long step)
{
    for (long i = 0; i < n; i++)
        p[i * step] = 1;
}

int main(int argc, char **argv)
{
    long n = atol(argv[argc == 4 ? 1 : 2]), page = sysconf(_SC_PAGESIZE);
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
        char *p = t_map((size_t)(n + 1) * huge);
        p += -(unsigned long)p & (huge - 1);
        MUST(madvise(p, (size_t)n * huge, MADV_HUGEPAGE) == 0);
        touch(p, n, (long)huge);
        puts("held");
        fflush(stdout);
        return getchar() != EOF;
    }
    unsigned long nodes = 1UL << atoi(argv[2]);
    char *p = t_map((size_t)(n * page));
    madvise(p, (size_t)(n * page), MADV_NOHUGEPAGE);
    MUST(syscall(SYS_mbind, p, n * page, MPOL_BIND, &nodes, 64, 0) == 0);
    t_pin(atoi(argv[3]));
    touch(p, n, page);
    printf("%ld\n", n);
    return 0;
}
