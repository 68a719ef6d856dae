/* Allocates pages and prints how many: `pages N NODE CPU`: N pages of anonymous memory, only from that NUMA node, touched on
 * that CPU; `pages huge N`: N hugepages, held until the standard input ends; `pages thp N`: N transparent hugepages;
 * `pages move N NODE NODE`: N pages of the first node, which the kernel then moves to the second. */
#include "t.h"

#include <linux/mempolicy.h>

static void touch(char *p, long n, long step)
{
    for (long i = 0; i < n; i++)
        p[i * step] = 1;
}

/* N pages of memory that come from that node only. */
static char *from_node(long n, long page, int node)
{
    unsigned long nodes = 1UL << node;
    char *p = t_map((size_t)(n * page));
    madvise(p, (size_t)(n * page), MADV_NOHUGEPAGE);
    MUST(syscall(SYS_mbind, p, n * page, MPOL_BIND, &nodes, 64, 0) == 0);
    return p;
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
    if (!strcmp(argv[1], "move")) {
        unsigned long to = 1UL << atoi(argv[4]);
        char *p = from_node(n, page, atoi(argv[3]));
        touch(p, n, page);
        MUST(syscall(SYS_mbind, p, n * page, MPOL_BIND, &to, 64, MPOL_MF_MOVE | MPOL_MF_STRICT) == 0);
        printf("%ld\n", n);
        return 0;
    }
    t_pin(atoi(argv[3]));
    touch(from_node(n, page, atoi(argv[2])), n, page);
    printf("%ld\n", n);
    return 0;
}
