/* Calls that spend their time in a known state: asleep, on a CPU, on a disk, or waiting for a CPU that another process uses. */
#include "t.h"
#include <sys/random.h>
#include <sys/sysmacros.h>

/* Nanoseconds of waits for a CPU that ended at no tracepoint, as measured by the case hybrid_where. */
#define UNSEEN "int(os.environ.get('UNSEEN_NS', 0))"

static char block[8 << 20] __attribute__((aligned(4096)));

/* The time in ns that this thread has waited for a CPU, from schedstat. */
static unsigned long long run_delay(void)
{
    static int f;
    char text[128] = "";
    unsigned long long cpu, delay = 0;
    if (!f)
        f = (int)CHK(open("/proc/thread-self/schedstat", O_RDONLY));
    CHK(pread(f, text, sizeof text - 1, 0));
    MUST(sscanf(text, "%llu %llu", &cpu, &delay) == 2);
    return delay;
}

/* n processes that never sleep, on the CPU of this thread. */
static void spinners(int n)
{
    static pid_t busy[3];
    static int all;
    for (; all > n; waitpid(busy[all], NULL, 0))
        kill(busy[--all], SIGKILL);
    for (; all < n; all++)
        if (!(busy[all] = (pid_t)CHK(fork())))
            for (;;)
                ;
}

/* calls: a thread shares its CPU with three processes. According to schedstat before and after each call, the calls that compute spend
 * most of their time in the run queue. */
enum { CALLS = 24, SLEEP_MS = 5 };

/* The last CALLS calls of that name waited that long for a CPU. Half of the calls may differ, because a wait may begin or end outside
 * of the call. */
static void want_waits(const char *name, const unsigned long long *waited)
{
    char list[CALLS * 24], *at = list;
    for (int i = 0; i < CALLS; i++)
        at += sprintf(at, "%llu,", waited[i]);
    want("sum(abs(c['runq_ns'] - w) > 0.02 * w + 2e5 for c, w in zip(calls('%s')[-%d:], [%s])) <= %d", name, CALLS, list, CALLS / 2);
}

SCENE(calls)
{
    unsigned long long computing[CALLS], sleeping[CALLS], all = 0, begin = run_delay();
    t_pin(sched_getcpu());
    spinners(3);
    for (int i = 0; i < CALLS; i++) {
        unsigned long long before = run_delay();
        MUST(getrandom(block, sizeof block, 0) == sizeof block);
        all += computing[i] = run_delay() - before;
    }
    for (int i = 0; i < CALLS; i++) {
        unsigned long long before = run_delay();
        CHK(poll(NULL, 0, SLEEP_MS));
        sleeping[i] = run_delay() - before;
    }
    spinners(0);
    unsigned long long waited = run_delay() - begin;
    MUST(all > 100000000);
    /* schedstat, compared with kvis's delays, which begin at 10 us */
    want("abs(sum(e['delay_ns'] for e in by('sched_delay') if e['tid'] == %d and e['ts_ns'] > calls('sched_setaffinity')[0]['ts_ns'])"
         " - %llu) < 0.05 * %llu + 5e6 + " UNSEEN, (int)getpid(), waited, waited);
    want("S['sched_waits'] > 0 and S['sched_wait_p50_ns'] <= S['sched_wait_p99_ns'] <= S['sched_wait_max_ns']");
    want_waits("getrandom", computing);
    want_waits("poll", sleeping);
    want("abs(sum(c['runq_ns'] for c in calls('getrandom')[-%d:]) - %llu) <= 0.1 * %llu + " UNSEEN, CALLS, all, all);
    want("[w['runq_ns'] + " UNSEEN " > w['on_cpu_ns'] + w['disk_ns'] + w['other_ns'] for w in S['where_time_went'] if w['name'] == 'getrandom'] == [True]");
    /* (a virtual CPU can stand still before it sleeps) */
    want("sum(c['other_ns'] <= 0.9e6 * %d for c in calls('poll')[-%d:]) <= %d", SLEEP_MS, CALLS, CALLS / 4);
}

SCENE(places)
{
    CHK(poll(NULL, 0, 200));
    want("calls('poll')[-1]['other_ns'] > 195e6 and calls('poll')[-1]['on_cpu_ns'] < 5e6");
    MUST(getrandom(block, sizeof block, 0) == sizeof block);
    want("[c['on_cpu_ns'] + c['runq_ns'] + " UNSEEN " > 0.95 * c['duration_ns'] and c['disk_ns'] == 0 and c['on_cpu_ns'] > 5e6"
         " for c in calls('getrandom') if c['ret'] == %zu] == [True]", sizeof block);
    /* O_DIRECT, because fsync may wait for requests of the kernel's flusher. */
    int f = open("file", O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0600);
    struct stat s;
    if (f >= 0 && !fstat(f, &s) && major(s.st_dev)) { /* a real disk */
        MUST(pwrite(f, block, sizeof block, 0) == sizeof block);
        want("calls('pwrite64')[-1]['disk_ns'] > 0");
    }
    want("all(c['on_cpu_ns'] + c['runq_ns'] + c['disk_ns'] + c['other_ns'] == c['duration_ns']"
         " for c in E if c.get('on_cpu_ns') is not None)");
    want("[w['name'] for w in S['where_time_went']].index('poll') >= 0");
}

T_MAIN
