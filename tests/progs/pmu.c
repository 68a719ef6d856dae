/* Runs a known number of instructions, and competes for the hardware counters of the CPU. Used by vm/guest/pmc.sh.
 * only: aarch64
 *   pmu loop STEPS [THREADS]   waits for a byte on stdin, then executes STEPS times LOOP instructions in the main thread and in each of
 *                              THREADS; prints "did N", the number of all these instructions, and "counted N", the number that
 *                              its own event counts; waits for the end of stdin
 *   pmu hog N PID              opens N user-mode events of PID, until it is killed; prints "hogs N", the number of open events */
#include "t.h"
#include <linux/perf_event.h>

enum { LOOP = 10 };
static unsigned long steps;

static void loop(unsigned long n)
{
    __asm__ volatile("1: nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nsubs %0, %0, #1\nb.ne 1b" : "+r"(n) : : "cc");
}

static void *work(void *arg)
{
    (void)arg;
    loop(steps);
    return NULL;
}

/* An event of all instructions of a process in user mode, or -1. */
static int counter(pid_t pid, int inherit)
{
    char type[16] = "";
    if (!t_read("/sys/bus/event_source/devices/armv8_pmuv3/type", type, sizeof type))
        t_read("/sys/bus/event_source/devices/armv8_pmuv3_0/type", type, sizeof type);
    struct perf_event_attr a = { .type = (unsigned)atoi(type), .size = sizeof a, .config = 8,
                                 .exclude_kernel = 1, .exclude_hv = 1, .inherit = inherit };
    return (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, 0);
}

static int hog(int n, pid_t pid)
{
    int got = 0;
    for (int i = 0; i < n; i++)
        got += counter(pid, 0) >= 0;
    printf("hogs %d\n", got);
    fflush(stdout);
    pause();
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t t[64];
    char c;
    if (argc > 3 && !strcmp(argv[1], "hog"))
        return hog(atoi(argv[2]), atoi(argv[3]));
    int threads = argc > 3 ? atoi(argv[3]) : 0;
    steps = strtoul(argv[2], NULL, 10);
    if (read(0, &c, 1) != 1)
        return 1;
    int own = counter(0, 1);
    unsigned long counted = 0;
    t_threads(t, threads, work, NULL);
    loop(steps);
    t_join(t, threads);
    if (own >= 0 && read(own, &counted, sizeof counted) == sizeof counted)
        printf("counted %lu\n", counted);
    printf("did %lu\n", steps * LOOP * (unsigned long)(threads + 1));
    fflush(stdout);
    while (read(0, &c, 1) > 0)
        ;
    return 0;
}
