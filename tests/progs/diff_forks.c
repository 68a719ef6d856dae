/* A tree of processes, three levels deep: fork, vfork and exec, posix_spawn, pipes between parent and child, exit
 * codes and deaths by signal that the parent reads. Each parent waits, so the order is fixed. */
#include "t.h"
#include <spawn.h>

extern char **environ;

static void child(int depth, int nth, int out);

static void tree(int depth)
{
    for (int i = 0; i < 2 && depth < 3; i++) {
        int p[2], st;
        char buf[64];
        if (pipe(p) < 0)
            exit(99);
        pid_t pid = CHILD(close(p[0]); child(depth + 1, i, p[1]));
        close(p[1]);
        waitpid(pid, &st, 0); /* first: then what a read returns does not depend on timing */
        while (read(p[0], buf, sizeof buf) > 0)
            ;
        close(p[0]);
    }
}

static void child(int depth, int nth, int out)
{
    static const int deaths[] = { SIGKILL, SIGTERM, SIGSEGV };
    for (int i = 0; i < 10 * depth; i++)
        if (write(out, "hello from below", 16) < 0)
            exit(98);
    tree(depth);
    if (nth == 1)
        raise(deaths[depth - 1]);
    _exit(10 * depth + nth);
}

int main(void)
{
    static char *const spawned[] = { "true", "nothere" };
    pid_t pid;
    int st;
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    tree(0);
    if ((pid = vfork()) == 0) {
        execlp("false", "true", (char *)NULL);
        _exit(97);
    }
    waitpid(pid, &st, 0);
    for (int i = 0; i < 2; i++)
        if (posix_spawnp(&pid, spawned[i], NULL, NULL, (char *[]){ spawned[i], NULL }, environ) == 0)
            waitpid(pid, &st, 0);
    execlp("sh", "sh", "-c", "echo last; exit 6", (char *)NULL);
    return 96;
}
