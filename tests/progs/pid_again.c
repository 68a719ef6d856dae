/* Two children have the same process ID, one after the other (clone3 with set_tid, Linux 5.5; as root). Each opens
 * a file of its own: first, second. Exits with 77 if the kernel has no set_tid or the ID is in use. */
#include "t.h"

struct args { uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size; };

static pid_t child(pid_t want, const char *file)
{
    pid_t ids[1] = { want };
    struct args a = { .exit_signal = SIGCHLD, .set_tid = want ? (uint64_t)(uintptr_t)ids : 0, .set_tid_size = want != 0 };
    pid_t pid = (pid_t)syscall(435, &a, sizeof a); /* clone3 */
    if (pid)
        return pid;
    int f = open(file, O_CREAT | O_WRONLY, 0600);
    _exit(f < 0 || write(f, file, strlen(file)) < 0);
}

int main(void)
{
    int status;
    pid_t pid = child(0, "first");
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
        return 1;
    if (child(pid, "second") != pid)
        return errno == EPERM || errno == ENOSYS || errno == EINVAL || errno == EEXIST ? 77 : 1;
    if (waitpid(pid, &status, 0) != pid || status)
        return 1;
    printf("%d\n", (int)pid);
    return 0;
}
