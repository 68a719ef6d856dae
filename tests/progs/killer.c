/* killer PARENT TRACER: kills each child of PARENT as early as possible, until PARENT is gone. It stops TRACER
 * from time to time, so a child can be dead before TRACER learns of its birth. */
#include "t.h"

static int children(const char *path, pid_t *list, int max)
{
    char text[4096];
    int n = 0;
    if (access(path, F_OK))
        return -1;
    t_read(path, text, sizeof text);
    for (char *save, *w = strtok_r(text, " \n", &save); w && n < max; w = strtok_r(NULL, " \n", &save))
        list[n++] = atoi(w);
    return n;
}

int main(int argc, char **argv)
{
    pid_t parent = argc == 3 ? atoi(argv[1]) : 0, tracer = argc == 3 ? atoi(argv[2]) : 0, list[64];
    char path[64];
    int n;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    for (unsigned i = 0; parent > 1 && tracer > 1; i++) {
        kill(tracer, SIGSTOP);
        usleep(200);
        n = children(path, list, 64);
        for (int k = 0; k < n; k++)
            kill(list[k], SIGKILL);
        usleep(200);
        kill(tracer, SIGCONT);
        if (n < 0)
            return 0;
        for (unsigned long long end = t_ns() + i * 37 % 3000 * 1000; t_ns() < end;)
            ;
    }
    return 1;
}
