/* Causes a fault that kvis diagnose must find, until it is killed. Prints `ill` when the fault exists.
 * `ill cpu N`: N threads that compute; `ill pinned CPU N`: the same on that CPU;
 * `ill locks N`: N threads that need one lock; `ill calls N`: N threads that make system calls; `ill forks N`: N
 * processes make children that end at once; `ill oom MB`: children that allocate this much memory;
 * `ill disk NAME N`: N threads that read at random from /dev/NAME; `ill memory MB`: writes to this much memory again and again;
 * `ill fifo CPU`: computes on that CPU as SCHED_FIFO;
 * `ill clock SECONDS`: declares the clock synchronized, with this error (0: not synchronized, and ends). The name of the
 * process (comm) is ill-SCENE. */
#include "t.h"

#include <sys/timex.h>

static int workers, at_work;

/* A thread has begun its work. Says `ill` when all have. */
static void begun(void)
{
    if (__atomic_add_fetch(&at_work, 1, __ATOMIC_SEQ_CST) == workers)
        say("ill");
}

static void *compute(void *unused)
{
    begun();
    for (volatile unsigned n = 0;; n++)
        ;
    return unused;
}

static void *call(void *unused)
{
    for (unsigned n = 0;; n++) {
        syscall(SYS_getppid);
        if (n == 1000)
            begun();
    }
    return unused;
}

static void *lock(void *unused)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    begun();
    for (;;) {
        pthread_mutex_lock(&mutex);
        usleep(10000);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void forks(size_t bytes, long loops)
{
    pid_t first = getpid();
    while (--loops > 0 && fork() > 0)
        ;
    if (getpid() != first)
        MUST(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == first);
    for (unsigned i = 0;; i++) {
        pid_t pid = fork();
        MUST(pid >= 0);
        if (!pid && bytes) {
            memset(t_map(bytes), 1, bytes);
        }
        if (!pid)
            _exit(0);
        waitpid(pid, NULL, 0);
        if (i == 5)
            say("ill");
    }
}

static void *read_disk(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    char path[64], *buf = t_map(4096);
    snprintf(path, sizeof path, "/dev/%s", t_argv[2]);
    int f = open(path, O_RDONLY | O_DIRECT);
    MUST(f >= 0);
    begun();
    for (;;)
        MUST(pread(f, buf, 4096, (off_t)(rand_r(&seed) % 4096) * 4096) == 4096);
    return arg;
}

/* All but one, which is the caller. */
static void threads(int n, void *(*fn)(void *))
{
    pthread_t t;
    workers = n;
    for (long i = 1; i < n; i++)
        MUST(pthread_create(&t, NULL, fn, (void *)i) == 0);
    fn(NULL);
}

static void memory(void)
{
    size_t bytes = (size_t)t_arg(1, 0) << 20;
    char *p = t_map(bytes);
    for (int round = 0;; round++) {
        for (size_t at = 0; at < bytes; at += 4096)
            p[at]++;
        if (!round)
            say("ill");
    }
}

static void fifo(void)
{
    struct sched_param p = { .sched_priority = 50 };
    t_pin((int)t_arg(1, 0));
    workers = 1;
    MUST(sched_setscheduler(0, SCHED_FIFO, &p) == 0);
    compute(NULL);
}

static void clock_error(void)
{
    long seconds = t_arg(1, 0);
    struct timex t = { .modes = ADJ_STATUS | ADJ_MAXERROR, .status = seconds ? STA_PLL : STA_UNSYNC, .maxerror = seconds * 1000000 };
    MUST(adjtimex(&t) >= 0);
    say("ill");
    if (seconds)
        pause();
}

/* Scenes whose numbers are arguments of the functions above. */
static void cpu(void) { threads((int)t_arg(1, 0), compute); }
static void calls(void) { threads((int)t_arg(1, 0), call); }
static void locks(void) { threads((int)t_arg(1, 0), lock); }
static void many_forks(void) { forks(0, t_arg(1, 0)); }
static void oom(void) { forks((size_t)t_arg(1, 0) << 20, 1); }
static void disk_reads(void) { threads((int)t_arg(2, 0), read_disk); }

static void pinned(void)
{
    t_pin((int)t_arg(1, 0));
    threads((int)t_arg(2, 0), compute);
}

int main(int argc, char **argv)
{
    static const struct scene s[] = {
        { "cpu", cpu }, { "pinned", pinned }, { "calls", calls }, { "forks", many_forks }, { "oom", oom },
        { "disk", disk_reads }, { "memory", memory }, { "fifo", fifo }, { "clock", clock_error }, { "locks", locks }, { NULL, NULL },
    };
    char name[16];
    snprintf(name, sizeof name, "ill-%s", argc > 1 ? argv[1] : "");
    prctl(PR_SET_NAME, name);
    MUST(setpriority(PRIO_PROCESS, 0, 10) == 0); /* or kvis takes long to begin, under emulation */
    return t_main(argc, argv, s);
}
