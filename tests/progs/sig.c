/* Signals, stops and the calls that they interrupt. What the program prints (order, counts, siginfo, results of
 * interrupted calls) must be the same with and without kvis. */
#include "t.h"
#include <setjmp.h>
#include <sys/signalfd.h>

static volatile int *times; /* how often each signal has come; shared with children */

static void act(int sig, void (*fn)(int, siginfo_t *, void *), int flags)
{
    struct sigaction a = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO | flags };
    times = times ? times : t_shared(4096);
    CHK(sigaction(sig, &a, NULL));
}

static sigset_t set_of(const int *signals)
{
    sigset_t s;
    sigemptyset(&s);
    while (*signals)
        sigaddset(&s, *signals++);
    return s;
}
#define SET(...) set_of((int[]){ __VA_ARGS__, 0 })

static void block(sigset_t s) { CHK(sigprocmask(SIG_BLOCK, &s, NULL)); }

static struct { int sig, code, value; } got[400];
static volatile int n_got;

static void note(int sig, siginfo_t *i, void *u)
{
    (void)u;
    if (n_got < 400) {
        got[n_got].sig = sig;
        got[n_got].code = i->si_code;
        got[n_got].value = i->si_value.sival_int;
    }
    n_got++;
}

static void count(int sig, siginfo_t *i, void *u) { (void)i, (void)u, times[sig]++; }

/* Real-time signals arrive in order, with their values. */
SCENE(rt)
{
    sigset_t s = SET(SIGRTMIN + 1, SIGRTMIN + 2, SIGRTMIN + 3, SIGRTMIN + 4);
    for (int k = 1; k < 5; k++)
        act(SIGRTMIN + k, note, 0);
    block(s);
    for (int i = 0; i < 200; i++)
        CHK(sigqueue(getpid(), SIGRTMIN + 1 + i * 7 % 4, (union sigval){ .sival_int = i }));
    CHK(sigprocmask(SIG_UNBLOCK, &s, NULL));
    say("%d signals", n_got);
    for (int i = 0; i < n_got; i++)
        say("RTMIN+%d code %d value %d", got[i].sig - SIGRTMIN, got[i].code, got[i].value);
    want("sorted(int(e['value'], 16) & 0xffffffff for e in by('signal') if e['code'] == 'SI_QUEUE') == list(range(200))");
    act(SIGCHLD, note, SA_RESTART);
    CHK(waitpid(CHILD(_exit(7)), NULL, 0));
    CHK(waitpid(CHILD(raise(SIGKILL)), NULL, 0));
    want("[(e.get('child_code'), e.get('child_signal')) for e in by('signal', signal='SIGCHLD')] == [(7, None), (None, 'SIGKILL')]");
}

/* SIGALRM every ms milliseconds: one arrives during the next call, however late it begins. 0: no more. */
static void each_ms(int ms)
{
    struct itimerval t = { { 0, ms * 1000 }, { 0, ms * 1000 } };
    CHK(setitimer(ITIMER_REAL, &t, NULL));
}

/* The same read, interrupted, with and without SA_RESTART. */
SCENE(restart)
{
    for (int flags = 0; flags < 2; flags++) {
        int p[2];
        char c = 0;
        act(SIGALRM, count, flags ? SA_RESTART : 0);
        CHK(pipe(p));
        times[SIGALRM] = 0;
        /* without SA_RESTART, the signal must end the read, so the child writes nothing */
        pid_t kid = CHILD(while (times[SIGALRM] < 5) usleep(1000);
                          MUST(!flags || write(p[1], "x", 1) == 1);
                          _exit(0));
        each_ms(40);
        ssize_t n = read(p[0], &c, 1);
        say("SA_RESTART %d: read %zd %s", flags, n, n < 0 ? strerror(errno) : "ok");
        t_wait(kid, 0);
        each_ms(100); /* long calls: on a busy machine, the signal may be late */
        struct timespec ts = { 100, 0 }, rem = { 0, 0 };
        int r = nanosleep(&ts, &rem);
        say("nanosleep %d %s, rest %d", r, r ? strerror(errno) : "", rem.tv_sec > 0);
        r = poll(NULL, 0, 100000);
        say("poll %d %s", r, r < 0 ? strerror(errno) : "");
        each_ms(0);
    }
}

/* An ignored signal interrupts a read: under a tracer, the kernel restarts the read, which continues for long and has one result. */
SCENE(again)
{
    int p[2];
    char c = 0;
    CHK(pipe(p));
    pid_t kid = CHILD(usleep(100000);
                      CHK(kill(getppid(), SIGWINCH));
                      usleep(400000);
                      MUST(write(p[1], "x", 1) == 1);
                      _exit(0));
    MUST(read(p[0], &c, 1) == 1);
    t_wait(kid, 0);
    want("[c['ret'] for c in calls('read') if c['args'][0].startswith('%d<pipe') and not c['error']] == [1]", p[0]);
}

static sigjmp_buf back;
static volatile long fault_at;

static void on_fault(int sig, siginfo_t *i, void *u)
{
    (void)u;
    say("signal %d code %d at %lx", sig, i->si_code,
        sig == SIGSEGV || sig == SIGBUS ? (long)i->si_addr - fault_at : 0L);
    siglongjmp(back, 1);
}

static void on_trap(int sig, siginfo_t *i, void *u)
{
    (void)u;
    say("signal %d code %d pid %d", sig, i->si_code, i->si_code <= 0 && i->si_pid == getpid());
}

#define FAULT(...) do { if (!sigsetjmp(back, 1)) { __VA_ARGS__; } } while (0)

SCENE(faults)
{
    stack_t ss = { .ss_sp = t_shared(65536), .ss_size = 65536 };
    CHK(sigaltstack(&ss, NULL));
    act(SIGSEGV, on_fault, SA_ONSTACK);
    act(SIGBUS, on_fault, 0);
    act(SIGILL, on_fault, 0);
    act(SIGFPE, on_fault, 0);
    act(SIGTRAP, on_trap, 0);
    char *ro = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (volatile int i = 0; i < 3; i++) {
        fault_at = (long)ro;
        FAULT(ro[i] = 1);
        fault_at = 0;
        FAULT(*(volatile char *)(long)(i + 1) = 1);
    }
    want("[num(e['addr']) for e in by('signal', signal='SIGSEGV', code='SEGV_MAPERR')] == [1, 2, 3]");
#ifdef __x86_64__
    FAULT(*(volatile char *)(1ull << 63) = 1); /* not a canonical address, so the kernel gives none */
    want("['addr' in e for e in by('signal', signal='SIGSEGV', code='SI_KERNEL')] == [False]");
#endif
    int fd = (int)CHK(open("empty", O_RDWR | O_CREAT, 0600));
    char *m = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    fault_at = (long)m;
    FAULT(fault_at += m[0]);
#ifdef __x86_64__
    FAULT(__asm__ volatile("ud2"));
    for (volatile int i = 0; i < 3; i++)
        __asm__ volatile("int3");
    /* the trap flag: one SIGTRAP after the next instruction */
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; nop; nop; pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
#elif defined(__aarch64__)
    FAULT(__asm__ volatile(".word 0"));
#elif defined(__arm__)
    FAULT(__asm__ volatile("udf #0"));
#elif defined(__riscv)
    FAULT(__asm__ volatile("unimp"));
#endif
    raise(SIGTRAP);
    CHK(kill(getpid(), SIGTRAP));
    CHK(syscall(SYS_tgkill, getpid(), getpid(), SIGTRAP));
    sigqueue(getpid(), SIGTRAP, (union sigval){ 0 });
    raise(SIGURG); /* ignored */
    say("end");
}

/* Blocked and ignored signals; sigtimedwait and signalfd. */
SCENE(waits)
{
    siginfo_t i;
    sigset_t s = SET(SIGUSR1, SIGRTMIN + 3, SIGCHLD), p;
    signal(SIGUSR2, SIG_IGN);
    block(s);
    for (int k = 0; k < 3; k++) {
        raise(SIGUSR1);
        raise(SIGUSR2);
        sigqueue(getpid(), SIGRTMIN + 3, (union sigval){ .sival_int = k });
    }
    sigpending(&p);
    say("pending %d %d %d", sigismember(&p, SIGUSR1), sigismember(&p, SIGUSR2), sigismember(&p, SIGRTMIN + 3));
    struct timespec zero = { 0, 0 };
    for (int r; (r = sigtimedwait(&s, &i, &zero)) > 0;)
        say("took %d code %d value %d", r > 31 ? r - SIGRTMIN : r, i.si_code, r > 31 ? i.si_value.sival_int : 0);
    int fd = (int)CHK(signalfd(-1, &s, 0));
    for (int k = 0; k < 2; k++) {
        pid_t kid = CHILD(if (k) kill(getpid(), SIGKILL);
                          _exit(17));
        struct signalfd_siginfo f;
        MUST(CHK(read(fd, &f, sizeof f)) == sizeof f);
        say("signalfd %d code %d status %d pid %d", f.ssi_signo, f.ssi_code, f.ssi_status, f.ssi_pid == (unsigned)kid);
        CHK(waitpid(kid, NULL, 0));
    }
    struct timespec t = { 0, 100000000 };
    int r = sigtimedwait(&s, &i, &t);
    say("sigtimedwait %d %s", r, strerror(errno));
}

/* Prints the SIGCHLD of the last change of the child's state, and the result of waitid. */
static void see(pid_t p, const char *what)
{
    siginfo_t i;
    sigset_t s = SET(SIGCHLD);
    struct timespec t = { 5, 0 };
    block(s);
    CHK(sigtimedwait(&s, &i, &t));
    say("SIGCHLD code %d status %d", i.si_code, i.si_status);
    memset(&i, 0, sizeof i);
    CHK(TEMP_FAILURE_RETRY(waitid(P_PID, (id_t)p, &i, WSTOPPED | WCONTINUED | WEXITED)));
    say("%s: code %d status %d", what, i.si_code, i.si_status);
}

static void *counting(void *at)
{
    for (;;) {
        ++*(volatile long *)at;
        usleep(500);
    }
    return NULL;
}

/* All threads of the process have stopped; SIGCONT continues all. */
static void stopped_until_cont(pid_t p, volatile long *counts, volatile int *ran_on)
{
    long was[8];
    int moved = 0;
    see(p, "stopped");
    usleep(50000);
    memcpy(was, (void *)counts, sizeof was);
    usleep(50000);
    say("all stopped %d, ran on %d", !memcmp(was, (void *)counts, sizeof was), *ran_on);
    CHK(kill(p, SIGCONT));
    see(p, "continued"); /* before the next change, because SIGCHLD is not queued */
    for (int tries = 0; moved < 8 && tries < 100; tries++) { /* an emulated CPU takes its time */
        usleep(20000);
        moved = 0;
        for (int i = 0; i < 8; i++)
            moved += counts[i] > was[i];
    }
    say("went on %d", moved);
}

/* A child with nine threads stops itself and is stopped by its parent, and is continued each time; another one is killed while stopped. */
SCENE(stops)
{
    static const int stop[] = { SIGSTOP, SIGTSTP, SIGTTIN };
    sigset_t chld = SET(SIGCHLD);
    block(chld);
    volatile int *sh = t_shared(4096);
    volatile long *counts = t_shared(4096);
    pthread_t t;
    pid_t p = CHILD(setpgid(0, 0); /* SIGTSTP and SIGTTIN do not stop an orphaned process group */
                    for (int i = 0; i < 8; i++) MUST(!pthread_create(&t, NULL, counting, (void *)(counts + i)));
                    for (int i = 0; i < 3; i++) {
                        raise(stop[i]);
                        sh[0] = i + 1;
                        t_until(sh + i + 1);
                    }
                    for (;;) pause());
    for (int i = 1; i <= 3; i++) {
        stopped_until_cont(p, counts, sh);
        sh[i] = 1;
    }
    while (sh[0] < 3)
        usleep(1000);
    CHK(kill(p, SIGSTOP));
    stopped_until_cont(p, counts, sh);
    CHK(kill(p, SIGSTOP));
    see(p, "stopped");
    CHK(kill(p, SIGTERM)); /* pending until SIGCONT */
    usleep(20000);
    CHK(kill(p, SIGCONT));
    int st;
    CHK(waitpid(p, &st, 0));
    say("end %x", st);
    CHK(sigwaitinfo(&chld, NULL)); /* one or two, for CLD_CONTINUED and the end */
    sigtimedwait(&chld, NULL, &(struct timespec){ 0, 20000000 });
    p = CHILD(for (;;) pause());
    usleep(20000);
    CHK(kill(p, SIGSTOP));
    see(p, "stopped");
    CHK(kill(p, SIGKILL));
    see(p, "killed while stopped");
}

/* Many SIGSTOP and SIGCONT in a short time: the last signal decides. */
SCENE(storm)
{
    int n = t_arg(1, 300);
    volatile int *sh = t_shared(4096);
    for (int last = 0; last < 2; last++) {
        sh[0] = sh[1] = sh[2] = 0;
        pid_t p = CHILD(act(SIGCONT, count, 0);
                        for (; !sh[0]; usleep(100))
                            sh[1]++;
                        _exit(times[SIGCONT] ? 21 : 22));
        t_until(sh + 1);
        for (int i = 0; i < n; i++) {
            CHK(kill(p, SIGSTOP));
            if (i % 3 == 0)
                usleep((unsigned)(i % 500));
            CHK(kill(p, SIGCONT));
            if (i % 5 == 0)
                usleep((unsigned)(i % 300));
        }
        if (last) {
            CHK(kill(p, SIGSTOP));
            usleep(100000);
            int was = sh[1];
            usleep(100000);
            say("stopped at the end: %d", was == sh[1]);
            CHK(kill(p, SIGCONT));
        }
        sh[0] = 1;
        int st;
        CHK(waitpid(p, &st, 0));
        say("end %x", st);
    }
}

T_MAIN
