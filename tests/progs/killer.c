/* killer PARENT TRACER: kills every child of PARENT with SIGKILL as early as it can, until PARENT is
 * gone. It halts TRACER now and then, so that a death can be there before the news of the birth. */
#include "t.h"

static int children(const char *path, pid_t *list, int max)
{
    char text[4096];
    int f = open(path, O_RDONLY | O_CLOEXEC), n = 0;
    ssize_t len = f < 0 ? -1 : read(f, text, sizeof text - 1);
    close(f);
    if (len < 0)
        return -1;
    text[len] = 0;
    for (char *save, *w = strtok_r(text, " \n", &save); w && n < max; w = strtok_r(NULL, " \n", &save))
        list[n++] = atoi(w);
    return n;
}

static void spin(long us)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    do
        clock_gettime(CLOCK_MONOTONIC, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
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
        spin(i * 37 % 3000);
    }
    return 1;
}
