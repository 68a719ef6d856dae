/* Processes to attach kvis to: they run, wait in a call, start threads, are stopped, or have a tracer.
 * ./pid contains the process ID. When ./stop exists, the program prints what it saw, which must be the same with and without kvis,
 * and ends. */
#include "t.h"
#include <sys/epoll.h>
#include <sys/ptrace.h>

static void ready(pid_t p)
{
    int fd = (int)CHK(open("pid.new", O_WRONLY | O_CREAT | O_TRUNC, 0600));
    MUST(dprintf(fd, "%d\n", p) > 0);
    close(fd);
    CHK(rename("pid.new", "pid"));
}

static int ended(void) { return access("stop", F_OK) == 0; }

static void until_stop(void)
{
    for (int i = 0; i < 6000 && !ended(); i++)
        usleep(10000);
}

SCENE(loop)
{
    long bad = 0, n = 0;
    t_put("data", 100);
    int out = (int)CHK(open("held", O_WRONLY | O_CREAT, 0600));
    ready(getpid());
    for (int i = 0; i < 60000 && !ended(); i++, n++) {
        char b[200];
        int fd = open("data", O_RDONLY);
        bad += fd < 0 || read(fd, b, 200) != 100 || write(out, b, 10) != 10 || close(fd) || syscall(SYS_getppid) <= 0;
        usleep(1000);
    }
    say("bad %ld, some %d", bad, n > 0);
}

/* Mappings that are older than kvis's attach. When ./go exists, 100 and 50 of their pages are touched. */
SCENE(pages)
{
    CHK(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
    char *at = (char *)0x200000000000;
    MUST(mmap(at, 200 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at);
    char *heap = (char *)(((uintptr_t)sbrk(0) + 4095) & -4096ul);
    MUST(brk(heap + 100 * 4096) == 0);
    ready(getpid());
    while (!ended() && access("go", F_OK))
        usleep(1000);
    for (int i = 0; i < 100; i++)
        ((volatile char *)at)[i * 4096] = 1;
    for (int i = 0; i < 50; i++)
        ((volatile char *)heap)[i * 4096] = 1;
    t_put("touched", 1);
    until_stop();
}

static void *spawned(void *arg)
{
    CHK(close((int)CHK(open("/dev/null", O_RDONLY))));
    return arg;
}

static void *spawner(void *arg)
{
    for (; !ended(); usleep(2000))
        t_thread(spawned, NULL);
    return arg;
}

SCENE(spawn)
{
    pthread_t t[8];
    t_threads(t, 8, spawner, NULL);
    ready(getpid());
    t_join(t, 8);
}

static void *waiting(void *arg)
{
    for (int i = 0; i < 300 && !ended(); i++) /* rarely, because there may be 1000 such threads */
        usleep(200000);
    return arg;
}

SCENE(many)
{
    int n = t_arg(1, 100);
    pthread_t *t = t_shared(sizeof *t * (size_t)n);
    t_threads(t, n, waiting, NULL);
    ready(getpid());
    until_stop();
    t_join(t, n);
    say("all ended");
}

/* One of many threads executes the program again, until ./stop exists. */
static void *again(void *arg)
{
    usleep(500);
    execv("/proc/self/exe", t_argv);
    return arg;
}

SCENE(storm)
{
    pthread_t t[64];
    if (ended())
        return;
    t_threads(t, (int)t_arg(1, 60) - 1, waiting, NULL);
    t_threads(t, 1, again, NULL);
    pause();
}

/* Five threads signal themselves until ./stop exists. Each signal must arrive, however slowly kvis attaches. */
static volatile long sent, came;
static void on_usr1(int sig)
{
    (void)sig;
    __sync_fetch_and_add(&came, 1);
}

static void *signaller(void *arg)
{
    while (!ended()) {
        __sync_fetch_and_add(&sent, 1);
        CHK(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1));
    }
    return arg;
}

SCENE(signalled)
{
    pthread_t t[4];
    CHK(sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_usr1, .sa_flags = SA_RESTART }, NULL));
    t_threads(t, 4, signaller, NULL);
    ready(getpid());
    signaller(NULL);
    t_join(t, 4);
    MUST(sent == came);
}

/* A call that waits until another thread releases it, when ./stop exists. */
static int p[2];

static void *releaser(void *arg)
{
    until_stop();
    CHK(write(p[1], "hello", 5));
    return arg;
}

SCENE(blocked)
{
    pthread_t t;
    char b[32];
    const char *how = t_argc > 2 ? t_argv[2] : "read";
    CHK(pipe(p));
    MUST(!pthread_create(&t, NULL, releaser, NULL));
    ready(getpid());
    struct pollfd f = { p[0], POLLIN, 0 };
    long r = -2;
    errno = 0;
    if (!strcmp(how, "read"))
        r = read(p[0], b, sizeof b);
    else if (!strcmp(how, "poll"))
        r = poll(&f, 1, 60000);
    else if (!strcmp(how, "select")) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(p[0], &set);
        r = select(p[0] + 1, &set, NULL, NULL, NULL);
    } else if (!strcmp(how, "sleep")) {
        struct timespec ts = { t_arg(2, 1), 500000000 };
        unsigned long long begin = t_ns();
        r = nanosleep(&ts, NULL);
        say("slept long enough %d", t_ns() - begin >= (unsigned long long)ts.tv_sec * 1000000000 + 500000000);
    }
    say("%s %ld %s", how, r, r == -1 ? strerror(errno) : "");
}

SCENE(stopped)
{
    pthread_t t;
    pid_t c = CHILD(MUST(!pthread_create(&t, NULL, waiting, NULL));
                    usleep(20000);
                    raise(SIGSTOP);
                    pthread_join(t, NULL);
                    _exit(8));
    int st;
    CHK(waitpid(c, &st, WUNTRACED));
    ready(c);
    until_stop();
    CHK(waitpid(c, &st, WUNTRACED));
    say("end %x", st);
}

/* ./pid is a child that this process traces. */
SCENE(traced)
{
    pid_t c = CHILD(until_stop(); _exit(0));
    CHK(ptrace(PTRACE_SEIZE, c, NULL, NULL));
    ready(c);
    int st;
    CHK(waitpid(c, &st, 0));
    say("end %x", st);
}

static void *thread_ready(void *arg)
{
    ready((pid_t)syscall(SYS_gettid));
    until_stop();
    return arg;
}

/* ./pid is a thread other than the main thread, or with an argument, a process whose main thread has ended. */
SCENE(thread)
{
    pthread_t t;
    if (t_argc > 2) {
        MUST(!pthread_create(&t, NULL, waiting, NULL));
        ready(getpid());
        pthread_exit(NULL);
    }
    t_thread(thread_ready, NULL);
}

/* Two threads wait in calls that a stop ends with EINTR even without a handler, and a third one makes calls. Prints the number of EINTR. */
static volatile int eintr[2];

static void *interrupted(void *by_recv)
{
    struct epoll_event ev;
    struct timeval hour = { 3600, 0 };
    int e = (int)CHK(epoll_create1(0)), s[2];
    char c;
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    CHK(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof hour));
    while ((by_recv ? recv(s[0], &c, 1, 0) : epoll_wait(e, &ev, 1, 86400000)) == -1 && errno == EINTR)
        eintr[by_recv != NULL]++;
    eintr[by_recv != NULL] = -1; /* another error */
    return NULL;
}

static void *calling(void *unused)
{
    for (;; usleep(200))
        syscall(SYS_getppid);
    return unused;
}

SCENE(waits)
{
    pthread_t t[3];
    t_threads(t, 1, interrupted, NULL);
    t_threads(t + 1, 1, interrupted, t);
    t_threads(t + 2, 1, calling, NULL);
    usleep(100000);
    ready(getpid());
    until_stop();
    say("EINTR: epoll_wait %d, recv %d", eintr[0], eintr[1]);
}

T_MAIN
