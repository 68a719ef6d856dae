/* storm N SECS: a process of N threads, one of which executes the program again, and so on for SECS or until
 * ./over exists. */
#include "t.h"

static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static char **args;
static void *again(void *unused)
{
    usleep(500);
    execv("/proc/self/exe", args);
    return unused;
}

int main(int argc, char **argv)
{
    static char end[32];
    struct timespec now;
    static char *list[5];
    pthread_t t;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (argc == 3)
        snprintf(end, sizeof end, "%ld", (long)now.tv_sec + atoi(argv[2]));
    list[0] = argv[0], list[1] = argv[1], list[2] = argc == 3 ? end : argv[2], list[3] = argv[0];
    args = list;
    if (argc < 3 || (argc == 4 && (now.tv_sec >= atol(argv[2]) || !access("over", F_OK))))
        return 0;
    for (int k = atoi(argv[1]); k--;)
        MUST(!pthread_create(&t, NULL, k ? idle : again, NULL));
    idle(NULL);
}
