/* `pages N NODE CPU`: touches N pages of anonymous memory, only from that NUMA node, on that CPU, and prints N. */
#include "t.h"

#include <linux/mempolicy.h>

int main(int argc, char **argv)
{
    MUST(argc == 4);
    long n = atol(argv[1]), page = sysconf(_SC_PAGESIZE);
    unsigned long nodes = 1UL << atoi(argv[2]);
    char *p = t_map((size_t)(n * page));
    madvise(p, (size_t)(n * page), MADV_NOHUGEPAGE);
    MUST(syscall(SYS_mbind, p, n * page, MPOL_BIND, &nodes, 64, 0) == 0);
    t_pin(atoi(argv[3]));
    for (long i = 0; i < n; i++)
        p[i * page] = 1;
    printf("%ld\n", n);
    return 0;
}
