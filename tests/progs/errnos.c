/* errnos FROM TO: one call, getpriority(FROM .. TO), that fails with the errno that is its first argument:
 * a seccomp filter of the program's own sees to that. */
#include "t.h"
#include <linux/filter.h>
#include <linux/seccomp.h>

int main(int argc, char **argv)
{
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    struct sock_fprog p = { sizeof f / sizeof *f, f };
    MUST(argc == 3);
    CHK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p));
    for (int e = atoi(argv[1]); e <= atoi(argv[2]); e++)
        MUST(syscall(SYS_getpriority, e, 0) == -1 && errno == e);
    return 0;
}
