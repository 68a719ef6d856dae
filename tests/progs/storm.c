/* storm N: a process of N threads, one of which executes the program again, and so on until ./over exists. */
#include "t.h"

static char **args;

static void *idle(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *again(void *unused)
{
    usleep(500);
    execv("/proc/self/exe", args);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[64];
    args = argv;
    if (argc != 2 || !access("over", F_OK))
        return 0;
    t_threads(t, atoi(argv[1]) - 1, idle, NULL);
    t_threads(t, 1, again, NULL);
    idle(NULL);
}
