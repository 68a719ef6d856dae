/* refuse CALL[,CALL...] COMMAND [ARG...]: runs COMMAND under a seccomp filter that refuses these calls with EPERM, as
 * the profile of a container does. The name docker stands for those of the calls that matter here that Docker's default
 * profile does not allow a container without further capabilities on Linux 4.8 or later
 * (docs.docker.com/engine/security/seccomp): ptrace and process_vm_readv are allowed there, and clone3 gives ENOSYS. */
#include "t.h"
#include <linux/filter.h>
#include <linux/seccomp.h>

enum { CALLS_MAX = 40 };

int main(int argc, char **argv)
{
    static const struct { const char *name; unsigned nr, docker; } calls[] = {
        { "bpf", SYS_bpf, EPERM }, { "perf_event_open", SYS_perf_event_open, EPERM }, { "ptrace", SYS_ptrace, 0 },
        { "process_vm_readv", SYS_process_vm_readv, 0 }, { "fsopen", 430, EPERM }, { "fsconfig", 431, EPERM },
        { "fsmount", 432, EPERM }, { "open_tree", 428, EPERM }, { "move_mount", 429, EPERM },
        { "mount", SYS_mount, EPERM }, { "umount2", SYS_umount2, EPERM }, { "setns", SYS_setns, EPERM },
        { "unshare", SYS_unshare, EPERM }, { "clone3", 435, ENOSYS }, { "io_uring_setup", 425, EPERM },
        { "userfaultfd", SYS_userfaultfd, EPERM }, { "open_by_handle_at", SYS_open_by_handle_at, EPERM },
        { "fanotify_init", SYS_fanotify_init, EPERM }, { "syslog", SYS_syslog, EPERM }, { "keyctl", SYS_keyctl, EPERM },
        { "pivot_root", SYS_pivot_root, EPERM }, { "init_module", SYS_init_module, EPERM },
    };
    struct sock_filter f[2 + 2 * CALLS_MAX] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
    unsigned short n = 1;
    _Static_assert(sizeof calls / sizeof *calls <= CALLS_MAX, "more calls than the filter has room for");
    if (argc < 3)
        return 99;
    for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ","))
        for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
            unsigned err = !strcmp(name, "docker") ? calls[i].docker : !strcmp(name, calls[i].name) ? EPERM : 0;
            if (!err || n + 3u > sizeof f / sizeof *f)
                continue;
            f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, 1);
            f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err);
        }
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog p = { n, f };
    if (n < 4 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
        return 99;
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 98;
}
