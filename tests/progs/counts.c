/* Makes a known number of calls of known duration; some are interrupted, restarted or never return. Prints, as
 * Python expressions, which numbers the table of `kvis trace -c` must have. */
#include "t.h"

static void on(int sig) { (void)sig; }
static void on_child(int sig)
{
    (void)sig;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* Twenty calls of 5 ms and one of 50 ms: their p50, p99 and maximum. */
static void lengths(void)
{
    struct timespec t = { 0, 5000000 };
    double longest = 0;
    int shorter = 0; /* calls below 45 ms by the program's own clock */
    for (int i = 0; i < 21; i++) {
        t.tv_nsec = i == 10 ? 50000000 : 5000000;
        unsigned long long begin = t_ns();
        CHK(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &t, NULL));
        double us = (double)(t_ns() - begin) / 1e3;
        longest = us > longest ? us : longest;
        shorter += us < 45000;
    }
    want("pselect6['calls'] == 21 and pselect6['errors'] == 0");
    want("4840 < pselect6['p50'] and 48000 < pselect6['p99']");
    if (shorter > 11)
        want("pselect6['p50'] < 46500"); /* percentiles are rounded up to bucket limits */
    want("pselect6['p99'] <= pselect6['max'] <= %f", longest + 0.1);
    want("pselect6['max'] >= 50000 and pselect6['time'] >= 0.15");
}

/* Returns 20 ms after the process has fallen asleep. */
static void until_asleep(pid_t p)
{
    usleep(20000);
    for (int i = 0; i < 1000 && t_state(p) != 'S'; i++)
        usleep(20000);
    usleep(20000);
}

/* A read of an empty pipe, three times with EINTR. */
static void ends_with_eintr(void)
{
    int p[2];
    char c;
    double s = 0;
    CHK(pipe(p));
    t_handle(SIGALRM, on, 0);
    for (int i = 0; i < 3; i++) {
        pid_t kid = CHILD(until_asleep(getppid());
                          CHK(kill(getppid(), SIGALRM));
                          _exit(0));
        unsigned long long begin = t_ns();
        MUST(syscall(SYS_readv, p[0], &(struct iovec){ &c, 1 }, 1) == -1 && errno == EINTR);
        s += (double)(t_ns() - begin) / 1e9;
        t_wait(kid, 0);
    }
    want("readv['calls'] == 3 and readv['errors'] == 3 and 0.059 < readv['time'] <= %f", s + 0.001);
}

/* A call that is stopped and continued counts once: the kernel restarts it. */
static void goes_on(void)
{
    struct timespec t = { 0, 300000000 }, u = t;
    pid_t p = CHILD(CHK(syscall(SYS_ppoll, NULL, 0L, &t, NULL, 8L));
                    CHK(syscall(SYS_nanosleep, &u, NULL)); /* by restart_syscall */
                    _exit(0));
    for (int i = 0; i < 4; i++) {
        usleep(100000);
        kill(p, SIGSTOP);
        usleep(20000);
        kill(p, SIGCONT);
    }
    t_wait(p, 0);
    want("ppoll['calls'] == 1 and ppoll['errors'] == 0 and ppoll['time'] > 0.29");
    want("nanosleep['calls'] == 1 and nanosleep['errors'] == 0 and nanosleep['time'] > 0.29");
}

/* A signal interrupts waitid, and its handler waits, too. */
static void same_in_handler(void)
{
    t_handle(SIGCHLD, on_child, 0);
    CHILD(usleep(50000); _exit(0));
    int r = (int)syscall(SYS_waitid, P_PGID, 0, NULL, WSTOPPED, NULL);
    MUST(r == -1 && (errno == EINTR || errno == ECHILD));
    want("waitid['calls'] == 1 and waitid['errors'] == 1");
    signal(SIGCHLD, SIG_DFL);
}

/* A call in which the program is killed counts as a call without an error and without time. */
static void never_returns(void)
{
    pid_t p = CHILD(pause());
    until_asleep(p);
    kill(p, SIGTERM);
    MUST(TEMP_FAILURE_RETRY(waitpid(p, NULL, 0)) == p);
    want("pause['calls'] == 1 and pause['errors'] == 0 and pause['time'] == 0");
}

int main(void)
{
    lengths();
    ends_with_eintr();
    same_in_handler();
    goes_on();
    never_returns();
    return 0;
}
