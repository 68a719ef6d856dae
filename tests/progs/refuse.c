/* refuse CALL[,CALL...] COMMAND [ARG...]: runs it under a seccomp filter that refuses these calls with EPERM,
 * as a container's profile does. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const struct { const char *name; unsigned nr; } calls[] = {
        { "bpf", SYS_bpf }, { "perf_event_open", SYS_perf_event_open }, { "ptrace", SYS_ptrace },
        { "process_vm_readv", SYS_process_vm_readv }, { "fsopen", 430 },
    };
    struct sock_filter f[16] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
    unsigned short n = 1;
    if (argc < 3)
        return 99;
    for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ","))
        for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
            if (!strcmp(name, calls[i].name)) {
                f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, 1);
                f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
            }
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog p = { n, f };
    if (n < 4 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
        return 99;
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 98;
}
