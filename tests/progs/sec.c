/* Programs that filter, redirect or strictly limit their own system calls. What they print must be the same with
 * and without kvis. */
#include "t.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>

static long install(struct sock_filter *f, unsigned short n, unsigned flags)
{
    struct sock_fprog p = { n, f };
    CHK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    return CHK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &p));
}

static long filter(int nr, unsigned act, unsigned flags)
{
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, act),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return install(f, 4, flags);
}

static void ask(const char *what)
{
    errno = 0;
    long r = syscall(SYS_getpgid, 0);
#ifdef SYS_getpgrp
    long pgrp = syscall(SYS_getpgrp);
#else
    long pgrp = r != -1 && r != 4242 ? r : 0; /* aarch64 has getpgid only, which is what we deny */
#endif
    say("%s: %s %s", what, r == pgrp ? "pgrp" : r == -1 ? "-1" : r == 4242 ? "4242" : "other",
        r == -1 ? strerror(errno) : "");
}

/* Runs f in a child, which exits with 6 if f returns. Prints how the child ended. */
static pid_t child(void (*f)(int), int arg)
{
    int st;
    pid_t p = CHILD(
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        f(arg);
        _exit(6));
    CHK(waitpid(p, &st, 0));
    say("end %x", st & 0xff7f);
    return p;
}

SCENE(errno)
{
    ask("before");
    filter(SYS_getpgid, SECCOMP_RET_ERRNO | EPERM, 0);
    ask("denied");
    filter(SYS_getpgid, SECCOMP_RET_ERRNO | EXDEV, 0); /* the newest of equals wins */
    ask("denied twice");
    want("[c['error'] for c in calls('getpgid')] == [None, 'EPERM', 'EXDEV']");
    filter(SYS_gettid, SECCOMP_RET_ERRNO | 0, 0); /* not done, and 0 */
    say("gettid %ld", syscall(SYS_gettid));
    want("[c['ret'] for c in calls('gettid')][-1] == 0");
}

/* brk is denied: its result is an error, not an address. */
SCENE(nobrk)
{
    filter(SYS_brk, SECCOMP_RET_ERRNO | ENOSYS, 0);
    for (int i = 0; i < 5; i++)
        syscall(SYS_brk, 0x1000L * i);
    want("all(0 < e['growth_bytes'] < 1 << 30 for e in by('brk'))");
}

/* errnos FROM TO: getpriority(FROM .. TO) fails with the errno that is its first argument, and mkdirat with 1000. */
SCENE(errnos)
{
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_STMT(BPF_ALU | BPF_OR | BPF_K, SECCOMP_RET_ERRNO),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    install(f, sizeof f / sizeof *f, 0);
    for (long e = t_arg(1, 1); e <= t_arg(2, 133); e++)
        MUST(syscall(SYS_getpriority, e, 0) == -1 && errno == e);
    filter(SYS_mkdirat, SECCOMP_RET_ERRNO | 1000, 0);
    MUST(syscall(SYS_mkdirat, AT_FDCWD, "nodir", 0777) == -1 && errno == 1000);
}

SCENE(log)
{
    filter(SYS_getpgid, SECCOMP_RET_LOG, 0);
    ask("logged");
}

static void on_sys(int sig, siginfo_t *i, void *u)
{
    (void)u;
    say("signal %d code %d call %d errno %d", sig, i->si_code, i->si_syscall == SYS_getpgid, i->si_errno);
}

SCENE(trap)
{
    struct sigaction a = { .sa_sigaction = on_sys, .sa_flags = SA_SIGINFO };
    CHK(sigaction(SIGSYS, &a, NULL));
    filter(SYS_getpgid, SECCOMP_RET_TRAP | 77, 0);
    for (int k = 0; k < 3; k++)
        syscall(SYS_getpgid, 0);
    say("goes on");
    want("len(calls('getpgid')) == 3");
    want("[e['call'] for e in by('signal') if e['signal'] == 'SIGSYS'] == ['getpgid'] * 3");
}

static void *kill_thread(void *arg)
{
    filter(SYS_getpgid, SECCOMP_RET_KILL_THREAD, 0);
    syscall(SYS_getpgid, 0);
    say("alive");
    return arg;
}

static void killed(int thread)
{
    pthread_t t;
    if (thread) {
        t_threads(&t, 1, kill_thread, NULL);
        usleep(100000); /* only the thread is killed, and pthread_join would wait forever */
        return;
    }
    filter(SYS_getpgid, SECCOMP_RET_KILL_PROCESS, 0);
    syscall(SYS_getpgid, 0);
}

SCENE(kill)
{
    pid_t p = child(killed, 0);
    want("one('exit_process', exit_pid=%d)['signal'] == 'SIGSYS'", p);
    want("len([c for c in calls('getpgid') if c['pid'] == %d]) == 1", p);
    want("one('exit_process', exit_pid=%d)['code'] == 6", child(killed, 1));
}

static void for_a_tracer(int data)
{
    filter(SYS_getpgid, SECCOMP_RET_TRACE | (unsigned)data, 0);
    ask("for a tracer");
    say("open %d", open("/dev/null", O_RDONLY) >= 0);
}

/* RET_TRACE without a tracer of the program's own is ENOSYS, whatever the data. */
SCENE(trace)
{
    static const int data[] = { 0, 1, 0x7777, 0xffff, 0x6b76 };
    for (unsigned k = 0; k < COUNT(data); k++)
        child(for_a_tracer, data[k]);
    filter(SYS_openat, SECCOMP_RET_TRACE | 5, 0);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
    say("openat %d %s", fd >= 0, fd < 0 ? strerror(errno) : "");
    want("{c['error'] for c in calls('getpgid')} == {'ENOSYS'}");
}

/* A supervisor answers the calls. */
SCENE(notify)
{
    int fd = (int)filter(SYS_getpgid, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    pid_t p = CHILD(
        for (int k = 0; k < 3; k++) {
            errno = 0;
            long r = syscall(SYS_getpgid, 0);
            say("answer %ld %s", r, strerror(errno));
        }
        _exit(0));
    for (int k = 0; k < 3; k++) {
        struct seccomp_notif n = { 0 };
        CHK(ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &n));
        struct seccomp_notif_resp r = { .id = n.id, .val = k == 1 ? 4242 : 0, .error = k == 2 ? -EBUSY : 0 };
        say("asked %d by the child %d", n.data.nr == SYS_getpgid, n.pid == (unsigned)p);
        usleep(20000);
        CHK(ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &r));
    }
    t_wait(p, 0);
    CHK(close(fd));
    want("one('close', kind='seccomp notify')['fd'] == %d and one('close', kind='seccomp notify')['opener_pid'] == %d",
         fd, getpid());
    want("[(c['ret'], c['error']) for c in calls('getpgid')][1:] == [(4242, None), (-1, 'EBUSY')]"
         " or [c['error'] for c in calls('getpgid')] == [None, None, 'EBUSY']");
}

static void set_strict(void)
{
    MUST(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
}

static void *strict_thread(void *unused)
{
    set_strict();
    MUST(write(1, "a thread\n", 9) == 9);
    syscall(SYS_getpid);
    (void)!write(1, "still there\n", 12);
    return unused;
}

static void writes(int too_many)
{
    set_strict();
    for (int i = 0; i < 5; i++)
        if (write(1, "strict\n", 7) != 7)
            syscall(SYS_exit, 1);
    if (too_many)
        syscall(SYS_getpid);
    syscall(SYS_exit, 9);
}

/* Strict mode allows only read, write, exit and sigreturn; any other call kills. */
SCENE(strict)
{
    for (int k = 0; k < 2; k++) {
        pid_t p = child(writes, k);
        want("len(calls('write', pid=%d)) == 5", p);
        want("by('exit_process', exit_pid=%d)[0].get('%s') == %s", p, k ? "signal" : "code", k ? "'SIGKILL'" : "9");
    }
}

/* The kernel's answers about seccomp to a program without seccomp, with a filter, and in strict mode. A forbidden call kills only its
 * own thread. */
static void answer(int k)
{
    pthread_t t;
    unsigned short sizes[3];
    switch (k) {
    case 0:
        say("none: %d", prctl(PR_GET_SECCOMP));
        say("speculation: %d", prctl(PR_GET_SPECULATION_CTRL, 0, 0, 0, 0));
        say("sizes: %ld", syscall(SYS_seccomp, 3 /* GET_NOTIF_SIZES */, 0, sizes));
        say("flags: %ld %d", syscall(SYS_seccomp, 0 /* SET_MODE_STRICT */, 1, NULL), errno);
        say("argument: %ld %d", syscall(SYS_seccomp, 0, 0, "x"), errno);
        say("none: %d", prctl(PR_GET_SECCOMP));
        return;
    case 1:
        filter(SYS_getpgid, SECCOMP_RET_ALLOW, 0);
        say("a filter: %d", prctl(PR_GET_SECCOMP));
        say("strict after it: %d %d", prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0), errno);
        return;
    case 2:
        MUST(!syscall(SYS_seccomp, 0, 0, NULL));
        syscall(SYS_exit, 4);
        return;
    case 3:
        set_strict();
        prctl(PR_GET_SECCOMP);
        return;
    case 4:
        t_threads(&t, 1, strict_thread, NULL);
        usleep(200000);
        say("the others: %d", prctl(PR_GET_SECCOMP));
    }
}

SCENE(answers)
{
    for (int k = 0; k < 5; k++)
        child(answer, k);
}

#ifdef __x86_64__
static volatile char selector;
static volatile int dispatched;

static void on_sud(int sig, siginfo_t *i, void *u)
{
    (void)sig, (void)i, (void)u;
    selector = 0; /* allow, for the return from here, too */
    dispatched++;
}

SCENE(sud)
{
    struct sigaction a = { .sa_sigaction = on_sud, .sa_flags = SA_SIGINFO };
    CHK(sigaction(SIGSYS, &a, NULL));
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0L, 0L, &selector))
        skip("syscall user dispatch");
    for (int k = 0; k < 5; k++) {
        selector = 1;
        syscall(SYS_getpgid, 12345);
        selector = 1;
        long r;
        __asm__ volatile("syscall" : "=a"(r) : "a"(5000L) : "rcx", "r11", "memory");
        say("%ld", r);
    }
    say("dispatched %d", dispatched);
    want("len(calls('getpgid')) == 0"); /* the kernel itself has not seen a call */
}
#else
SCENE(sud) { errno = ENOSYS; skip("syscall user dispatch"); }
#endif

static void traced(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) /* under kvis, this fails, and must not hang */
        t_put("went on", 5);
    else
        raise(SIGSTOP);
    _exit(5);
}

SCENE(tracer)
{
    int st;
    pid_t p = CHILD(traced());
    CHK(waitpid(p, &st, 0));
    if (WIFSTOPPED(st)) {
        CHK(ptrace(PTRACE_CONT, p, NULL, NULL));
        CHK(waitpid(p, &st, 0));
    }
    say("end %x", st);
    volatile int *sh = t_shared(4096);
    p = CHILD(sh[0] = 1; for (;;) pause());
    t_until(sh);
    ptrace(PTRACE_ATTACH, p, NULL, NULL);
    CHK(kill(p, SIGKILL));
    while (waitpid(p, &st, 0) == p && !WIFSIGNALED(st))
        ;
    say("end %x", st);
}

T_MAIN
