/* Prints everything that a program can find out about how it was started. This must be the same with and without
 * kvis, except for what a tracer cannot hide: getppid, TracerPid, and the Seccomp fields while kvis's own filter
 * is installed. */
#include "t.h"
#include <sys/auxv.h>
#include <sys/personality.h>

extern char **environ;

static void fds(void)
{
    for (int fd = 0; fd < 20000; fd++) {
        char l[32], to[512] = { 0 };
        int fl = fcntl(fd, F_GETFD);
        if (fl == -1)
            continue;
        snprintf(l, sizeof l, "/proc/self/fd/%d", fd);
        if (fd != 1 && fd != 2) /* they differ between the runs */
            CHK(readlink(l, to, sizeof to - 1));
        say("fd %d flags %d %d %s", fd, fl, fcntl(fd, F_GETFL), to);
    }
}

/* The lines of a file, except those that begin with one of these words. */
static void status_lines(const char *file, const char *const *without)
{
    char b[8192];
    t_read(file, b, sizeof b);
    for (char *l = strtok(b, "\n"); l; l = strtok(NULL, "\n")) {
        const char *const *k = without;
        while (*k && strncmp(l, *k, strlen(*k)))
            k++;
        if (!*k)
            say("%s %s", file, l);
    }
}

int main(int argc, char **argv)
{
    /* ids, sizes, counts; and TracerPid, which cannot be hidden */
    static const char *const varies[] = { "Pid", "Tgid", "Ngid", "PPid", "NStgid", "NSpid", "NSpgid", "NSsid", "TracerPid", "SigQ",
        "Vm", "Rss", "voluntary_", "nonvoluntary_", "HugetlbPages", "CoreDumping", NULL };
    static const char *const none[] = { NULL };
    static const char *const files[] = { "oom_score_adj", "coredump_filter", "timerslack_ns", "cgroup", "loginuid" };
    for (int i = 1; i < argc; i++)
        say("argv %s", argv[i]);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "_=", 2) && strncmp(*e, "PWD=", 4) && strncmp(*e, "OLDPWD=", 7))
            say("env %s", *e);
    fds();
    status_lines("/proc/self/status", varies);
    for (unsigned i = 0; i < COUNT(files); i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/%s", files[i]);
        status_lines(path, none);
    }
    for (int r = 0; r < 16; r++) {
        struct rlimit l;
        if (!getrlimit(r, &l))
            say("rlimit %d %ld %ld", r, (long)l.rlim_cur, (long)l.rlim_max);
    }
    for (int sig = 1; sig < 65; sig++) {
        struct sigaction a;
        if (!sigaction(sig, NULL, &a) && (a.sa_handler != SIG_DFL || a.sa_flags))
            say("signal %d ignored %d flags %x", sig, a.sa_handler == SIG_IGN, a.sa_flags);
    }
    stack_t ss;
    CHK(sigaltstack(NULL, &ss));
    struct itimerval it[3];
    for (int i = 0; i < 3; i++)
        CHK(getitimer(i, it + i));
    cpu_set_t cpus;
    CHK(sched_getaffinity(0, sizeof cpus, &cpus));
    int v = 0;
    CHK(prctl(PR_GET_PDEATHSIG, &v));
    say("nice %d sched %d cpus %d ioprio %ld pdeathsig %d", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0),
        CPU_COUNT(&cpus), syscall(SYS_ioprio_get, 1, 0), v);
    CHK(prctl(PR_GET_CHILD_SUBREAPER, &v));
    say("dumpable %d keepcaps %d subreaper %d securebits %d timerslack %d nnp %d personality %x", prctl(PR_GET_DUMPABLE),
        prctl(PR_GET_KEEPCAPS), v, prctl(PR_GET_SECUREBITS), prctl(PR_GET_TIMERSLACK), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
        personality(0xffffffff));
    say("pgrp is mine %d, sid is mine %d, tty %d, altstack %x, timers %ld", getpgrp() == getpid(), getsid(0) == getpid(),
        open("/dev/tty", O_RDWR) >= 0, ss.ss_flags, it[0].it_value.tv_sec + it[1].it_value.tv_sec + it[2].it_value.tv_sec);
    say("uid %d %d gid %d %d secure %lu umask %o", getuid(), geteuid(), getgid(), getegid(), getauxval(AT_SECURE), umask(0));
    struct rusage ru;
    getrusage(RUSAGE_CHILDREN, &ru);
    say("children %ld %d", ru.ru_minflt, waitpid(-1, NULL, WNOHANG));
    char name[32];
    prctl(PR_GET_NAME, name);
    say("comm %s, execfn %s", name, strrchr((char *)getauxval(AT_EXECFN), '/') + 1);
    struct utsname un;
    uname(&un);
    say("host %s domain %s", un.nodename, un.domainname);
    return 0;
}
