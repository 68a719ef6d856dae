/* Makes processes and threads in every way, and prints the parent, the program and the end of each. */
#include "t.h"
#include "exec.h"
#include <linux/sched.h>

static pid_t raw_clone(unsigned long flags)
{
    return (pid_t)CHK(syscall(SYS_clone, flags, 0, 0, 0, 0));
}

static void mark(const char *name)
{
    t_put(name, 5);
    want("one('open', path='%s%s')['pid'] == %d", t_cwd, name, getpid());
}

/* Waits for a process that a signal kills, and returns the signal. */
static int killer(pid_t p)
{
    int st;
    CHK(waitpid(p, &st, 0));
    MUST(WIFSIGNALED(st));
    want("one('exit_process', exit_pid=%d)['signal'] == 'SIG%s'", p, sigabbrev_np(WTERMSIG(st)));
    return WTERMSIG(st);
}

/* p is the result of fork, clone ...: the child opens a file and ends with this code, the parent waits for it. */
static pid_t child(long p, int code)
{
    if (!p) {
        char name[16];
        snprintf(name, sizeof name, "child%d", code);
        mark(name);
        _exit(code);
    }
    t_wait((pid_t)CHK(p), code);
    want("one('spawn_process', child_pid=%ld)['pid'] == %d", p, getpid());
    want("one('exit_process', exit_pid=%ld)['code'] == %d", p, code);
    return (pid_t)p;
}

SCENE(forks)
{
    struct clone_args ca = { .exit_signal = SIGCHLD };
    child(fork(), 7);
#ifdef SYS_fork
    child(syscall(SYS_fork), 8);
#endif
    child(raw_clone(SIGCHLD), 9);
    child(raw_clone(0), 10); /* without an exit signal, which needs __WCLONE */
    long p = syscall(SYS_clone3, &ca, sizeof ca);
    if (p >= 0)
        child(p, 11);
    MUST(killer(CHILD(child(fork(), 13); kill(getpid(), SIGUSR1))) == SIGUSR1);
    want("S['processes'] == len(by('spawn_process')) + 1");
    want("len(by('exit_process')) == S['processes']");
}

SCENE(vfork)
{
    if (t_argc > 2)
        _exit((int)t_arg(1, 0));
    for (volatile int i = 0; i < 5; i++) {
        pid_t p = vfork();
        if (!p) {
            execl(self, "kid", "vfork", i == 4 ? "44" : "33", "two words", NULL);
            _exit(98);
        }
        child(p, i == 4 ? 44 : 33);
        want("one('exec', pid=%d)['argv'] == ['kid', 'vfork', '%d', 'two words']", p, i == 4 ? 44 : 33);
    }
    child(vfork(), 3); /* without exec */
    want("len(by('exec')) == 6");
    want("len(S['subprocesses']) >= 1");
}

static pthread_barrier_t bar;

static void *thread(void *tids)
{
    static int next;
    ((pid_t *)tids)[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED)] = (pid_t)syscall(SYS_gettid);
    pthread_barrier_wait(&bar);
    MUST(write(1, "", 0) == 0);
    pthread_barrier_wait(&bar);
    return NULL;
}

SCENE(threads)
{
    int n = t_arg(1, 10);
    pthread_t *t = t_shared(sizeof *t * (size_t)n);
    pid_t *tid = t_shared(sizeof *tid * (size_t)n);
    pthread_barrier_init(&bar, NULL, (unsigned)n + 1);
    t_threads(t, n, thread, tid);
    pthread_barrier_wait(&bar);
    pthread_barrier_wait(&bar);
    t_join(t, n);
    want("{e['child_tid'] for e in by('spawn_thread')} >= {%d, %d, %d}", tid[0], tid[n / 2], tid[n - 1]);
    want("len(by('spawn_thread')) == %d == len({e['child_tid'] for e in by('spawn_thread')})", n);
    want("len({e['exit_pid'] for e in by('exit_thread')}) >= %d", n);
    want("S['threads'] in (%d, %d)", n, n + 1);
    want("S['processes'] == 1");
}

static void *nothing(void *arg) { return arg; }

SCENE(shorts)
{
    int n = t_arg(1, 10);
    for (int i = 0; i < n; i++)
        t_thread(nothing, NULL);
    want("len(by('spawn_thread')) == %d", n);
    want("len({(e['exit_pid'], e['ts_ns']) for e in by('exit_thread')}) >= %d", n);
}

SCENE(children)
{
    int n = t_arg(1, 10), live = 0, sum = 0;
    for (int i = 0, st; i < n || live;) {
        if (i < n && live < 50) {
            if (!CHK(fork()))
                _exit(i & 0xff);
            sum += i++ & 0xff;
            live++;
            continue;
        }
        CHK(wait(&st));
        live--;
        sum -= WEXITSTATUS(st);
    }
    MUST(sum == 0);
    want("len(by('spawn_process')) == %d", n);
    want("len(by('exit_process')) == %d", n + 1);
    want("sorted(e['code'] for e in by('exit_process')) == sorted([i & 255 for i in range(%d)] + [0])", n);
    want("S['processes'] == %d", n + 1);
    want("len(E) < %d * 40 + 1000", n);
}

static void start(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    MUST(!pthread_create(&t, NULL, fn, arg));
}

static void *pauses(void *arg)
{
    pause();
    return arg;
}

static void *execs(void *arg)
{
    usleep(30000);
    execl(self, "x", t_argv[1], "after", NULL);
    return arg;
}

/* After an exec by any thread, one thread remains, with the main thread's ID. */
static void after(int threads)
{
    mark("after");
    want("one('open', path='%safter')['tid'] == %d", t_cwd, getpid());
    want("len(by('exec', pid=%d)) == 2 and by('exec')[-1]['argv'][1] == '%s'", getpid(), t_argv[1]);
    want("len(by('exit_process')) == 1 and by('exit_process')[0].get('code') == 0");
    want("S['processes'] == 1 and len(by('spawn_thread')) == %d", threads);
}

SCENE(exec_thread)
{
    if (t_argc > 2) {
        after(4);
        want("not [e for e in by('exit_thread') if e['exit_pid'] == %d and e['ts_ns'] < by('exec')[-1]['ts_ns']]", getpid());
        return;
    }
    for (int i = 0; i < 3; i++)
        start(pauses, NULL);
    start(execs, NULL);
    pause();
}

static void *survivor(void *next)
{
    usleep(60000);
    for (int i = 0; i < 100 && t_state(getpid()) != 'Z'; i++)
        usleep(60000); /* until the leader is a zombie */
    MUST(t_state(getpid()) == 'Z');
    if (next)
        execs(NULL);
    mark("later");
    want("one('exit_process', exit_pid=%d)['code'] == 0", getpid());
    want("one('exit_process', exit_pid=%d)['ts_ns'] >= by('open', path='%slater')[0]['ts_ns']", getpid(), t_cwd);
    want("S['exit_code'] == 0");
    say("done");
    exit(0);
}

SCENE(leader_exit)
{
    start(survivor, NULL);
    pthread_exit(NULL);
}

SCENE(leader_exec)
{
    if (t_argc > 2) {
        after(1);
        return;
    }
    start(survivor, t_argv);
    pthread_exit(NULL);
}

/* A daemon, which forks twice: kvis waits for it. */
SCENE(daemon)
{
    int ms = t_arg(1, 300);
    pid_t p = CHILD(
        CHK(setsid());
        pid_t q = (pid_t)CHK(fork());
        if (q)
            _exit(0);
        usleep((unsigned)ms * 1000);
        t_put("daemon", 23);
        _exit(33));
    t_wait(p, 0);
    want("tot('write', 'bytes', filename='%sdaemon') == 23", t_cwd);
    want("[e['code'] for e in by('exit_process')] == [0, 0, 33]");
    want("S['exit_code'] == 0");
    want("S['processes'] == 3");
}

/* The child's parent is kvis, which must not mistake the child's exit for the command's. */
SCENE(clone_parent)
{
    volatile int *sh = t_shared(4096);
    sh[1] = getppid();
    pid_t p = raw_clone(CLONE_PARENT | SIGCHLD);
    if (!p) {
        MUST(getppid() == sh[1]);
        t_put("sibling", 5);
        sh[0] = 1;
        _exit(42);
    }
    t_until(sh);
    usleep(100000);
    mark("still here");
    want("one('exit_process', exit_pid=%d)['code'] == 42", p);
    want("one('open', path='%ssibling')['pid'] == %d", t_cwd, p);
    want("S['exit_code'] == 0");
}

static void clone_flag(unsigned long flag)
{
    pid_t p = raw_clone(flag | SIGCHLD);
    if (!p) {
        errno = 0;
        MUST(syscall(SYS_getppid) > 0 || errno == 0);
        t_put("escaped", 5);
        t_put("again", 5);
        pid_t q = CHILD(
            t_put("grandchild", 5);
            _exit(4));
        t_wait(q, 4);
        _exit(6);
    }
    t_wait(p, 6);
    mark("parent");
    want("one('exit_process', exit_pid=%d)['code'] == 0", getpid());
}

SCENE(clone_untraced)
{
    clone_flag(CLONE_UNTRACED);
}

SCENE(clone_ptrace)
{
    clone_flag(CLONE_PTRACE);
    want("tot('write', 'bytes', filename='%sgrandchild') == 5", t_cwd);
}

static int shared_vm;

static int vm_child(void *arg)
{
    shared_vm = 1;
    t_put("vm", 5);
    (void)arg;
    return 12;
}

SCENE(clone_vm)
{
    static char stack[65536] __attribute__((aligned(16)));
    pid_t p = (pid_t)CHK(clone(vm_child, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL));
    child(p, 12);
    MUST(shared_vm);
    want("tot('write', 'bytes', filename='%svm', pid=%d) == 5", t_cwd, p);
}

/* Children in a loop of calls, killed from outside at any point of them. */
SCENE(killed)
{
    int n = t_arg(1, 40);
    volatile int *sh = t_shared(4096);
    unsigned seed = (unsigned)getpid();
    for (int i = 0; i < n; i++) {
        sh[0] = 0;
        pid_t p = (pid_t)CHK(fork());
        if (!p) {
            start(nothing, NULL);
            for (sh[0] = 1;;) {
                int fd = open("/dev/null", O_WRONLY);
                if (write(fd, &p, 4) == 4)
                    close(fd);
                if (rand_r(&seed) % 16 == 0 && vfork() == 0)
                    _exit(0);
            }
        }
        t_until(sh);
        usleep((unsigned)rand_r(&seed) % 5000);
        CHK(kill(p, SIGKILL));
        MUST(killer(p) == SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
    }
    want("S['exit_code'] == 0");
}

SCENE(failed_exec)
{
    char *av[] = { "a", "b c", NULL }, *none[] = { NULL };
    const struct { const char *name, *error; char **argv; int number; mode_t mode; } rows[] = {
        { "/nonexistent/x", "ENOENT", av, ENOENT, 0 }, { "noexec", "EACCES", av, EACCES, 0644 },
        { "noexec", "ENOEXEC", av, ENOEXEC, 0755 }, { "/bin/sh", "EFAULT", (char **)8, EFAULT, 0 },
    };
    t_put("noexec", 10);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].mode)
            CHK(chmod(rows[i].name, rows[i].mode));
        MUST(execve(rows[i].name, rows[i].argv, none) == -1 && errno == rows[i].number);
        want("one('exec', error='%s')['program'].endswith('%s')", rows[i].error, rows[i].name);
    }
    want("one('exec', error='ENOENT')['argv'] == ['a', 'b c']");
    want("len([e for e in by('exec') if 'error' not in e]) == 1");
    mark("goes on");
}

static void *loads_bad(void *arg)
{
    execl("./bad", "bad", arg);
    _exit(97);
}

static void bad(int thread)
{
    bad_elf_write();
    killer(CHILD(if (thread) t_thread(loads_bad, NULL);
                 loads_bad(NULL)));
}

SCENE(bad_elf) { bad(0); }
SCENE(bad_elf_thread) { bad(1); }

static char *none[] = { NULL };
static char *okay[] = { "odd", "okay", NULL };

static void empty(void) { execve(self, none, none); }
static void at_empty(void) { syscall(SYS_execveat, copy_of_self(), "", okay, none, AT_EMPTY_PATH); }
static void at_dir(void) { syscall(SYS_execveat, open(".", O_RDONLY), "here", okay, none, 0); }
static void by_proc(void)
{
    char n[32];
    snprintf(n, sizeof n, "/proc/self/fd/%d", copy_of_self());
    execve(n, okay, none);
}
static void script(void) { execve("script", okay, none); }

/* argc 0, a program in memory, by a descriptor and by a link of /proc, and a script. */
SCENE(odd)
{
    const struct { void (*run)(void); const char *argv, *program; } rows[] = {
        { empty, "[], ['']", "" }, { at_empty, "['odd', 'okay']", "" }, { at_dir, "['odd', 'okay']", "/here" },
        { by_proc, "['odd', 'okay']", "" }, { script, "['odd', 'okay']", "script" },
    };
    char me[4096] = { 0 };
    CHK(readlink(self, me, sizeof me - 1));
    CHK(symlink(me, "here"));
    int fd = (int)CHK(open("script", O_WRONLY | O_CREAT | O_CLOEXEC, 0755));
    MUST(write(fd, "#!./here okay\n", 14) == 14); /* the path of an interpreter cannot contain blanks */
    close(fd);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pid_t p = CHILD(
            rows[i].run();
            say("exec %zu: %s", i, strerror(errno));
            _exit(97));
        t_wait(p, 0);
        want("one('exec', pid=%d)['argv'] in (%s,)", p, rows[i].argv);
        want("'%s' in one('exec', pid=%d)['program']", rows[i].program, p);
    }
    want("S['processes'] == 6");
}

static volatile pid_t init_of_ns;

static void end_init(int sig)
{
    (void)sig;
    kill(init_of_ns, SIGKILL);
}

static void *fault(void *unused)
{
    *(volatile int *)8 = 1;
    return unused;
}

/* The init of a pid namespace crashes by a fault of its main thread, or of another thread. */
SCENE(pidns)
{
    int thread = t_argc > 2 && !strcmp(t_argv[2], "thread");
    if (unshare(CLONE_NEWPID))
        skip("unshare(CLONE_NEWPID)");
    pid_t p = CHILD(
        MUST(getpid() == 1);
        t_put("inside", 5);
        pid_t q = CHILD(for (;;) raise(SIGSTOP)); /* stopped when it is killed */
        MUST(q == 2 && waitpid(q, NULL, WUNTRACED) == q);
        if (thread)
            t_thread(fault, NULL);
        fault(NULL));
    /* With a simple tracer, init would fault forever. */
    init_of_ns = p;
    CHK((long)signal(SIGALRM, end_init));
    alarm(20);
    MUST(killer(p) == SIGSEGV);
    alarm(0);
    want("one('open', path='%sinside')['pid'] == %d", t_cwd, p);
    want("len(by('exit_process')) == 3");
    want("len(E) < 2000");
}

/* Children that the case killed_early kills, some before kvis knows of them. */
SCENE(early)
{
    int n = t_arg(1, 100);
    for (int i = 0; i < n; i++) {
        int st;
        pid_t p = CHILD(for (;;) pause());
        MUST(waitpid(p, &st, 0) == p && WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL);
    }
    want("len(by('spawn_process')) == %d and len(by('exit_process')) == %d", n + 1, n + 2);
    want("[e['signal'] for e in by('exit_process') if 'signal' in e] == ['SIGKILL'] * %d", n);
    want("{e['child_pid'] for e in by('spawn_process')} <= {e['exit_pid'] for e in by('exit_process')}");
    want("S['processes'] == %d and S['threads'] == %d", n + 2, n + 2);
}

/* Processes in two nested pid namespaces: kvis reads their pids from NSpid in /proc. */
SCENE(nspid)
{
    if (unshare(CLONE_NEWPID))
        skip("unshare(CLONE_NEWPID)");
    pid_t first = CHILD(
        MUST(syscall(SYS_getpid) == 1);
        pid_t q = CHILD(
            MUST(syscall(SYS_getppid) == 1);
            syscall(SYS_gettid);
            _exit(7));
        MUST(q == 2 && waitpid(q, NULL, 0) == 2);
        CHK(kill(1, 0));
        CHK(unshare(CLONE_NEWPID));
        pid_t r = CHILD(_exit(syscall(SYS_getpid) != 1));
        t_wait(r, 0);
        _exit(r != 3));
    t_wait(first, 0);
    want("one('spawn_process', child_pid=%d)['ns_pid'] == 1", first);
    want("[e['ns_pid'] for e in by('spawn_process', pid=%d)] == [2, 1]", first);
    want("[e['ret'] for e in calls('getpid', pid=%d)] == [1]", first);
    want("by('signal', pid=%d)[0]['ns_pid'] == 2", first);
    want("by('signal', pid=%d)[0]['sender_pid'] == by('spawn_process', pid=%d)[0]['child_pid']", first, first);
    want("{(e['ret'], e['child_pid']) for e in E if e.get('child_pid') and e['type'] == 'syscall'}"
         " == {(i + 2, e['child_pid']) for i, e in enumerate(by('spawn_process', pid=%d))}", first);
    want("not [e for e in E if 'ns_pid' in e and e['pid'] == %d and e['type'] != 'spawn_process']", getpid());
}

/* argv APART N: a failing execve with N strings, which alternate between two places that are APART bytes apart (on different pages,
 * kvis must read each string alone). Then one with a short argv. */
SCENE(argv)
{
    size_t apart = (size_t)t_arg(1, 0), n = (size_t)t_arg(2, 0);
    char *strings = t_map(2 * 4096), **list = calloc(n + 1, sizeof *list);
    MUST(list);
    for (size_t i = 0; i < n; i++)
        list[i] = strings + i % 2 * apart;
    execv("/nonexistent/long", list);
    execv("/nonexistent/short", (char *[]){ "one", "two", NULL });
}

SCENE(okay) { _exit(0); }
SCENE(exit) { _exit((int)t_arg(1, 0)); }

SCENE(die)
{
    int sig = (int)t_arg(1, 0);
    signal(sig, SIG_DFL);
    struct rlimit r = { 0, 0 };
    setrlimit(RLIMIT_CORE, &r);
    kill(getpid(), sig);
    pause();
}

T_MAIN
