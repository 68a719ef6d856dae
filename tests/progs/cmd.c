/* Starts commands (`cmd as WHAT ...` is one) whose arguments, end, CPU time, memory and I/O are known, and prints
 * what kvis proc must show of them. */
#include "t.h"
#include "exec.h"
#include <linux/sched.h>

static char path[4096]; /* of this program */

#define RUN(...) CHILD(execv(path, (char *[]){ "cmd", "as", __VA_ARGS__, NULL }))

static int reap(pid_t p, struct rusage *ru)
{
    int st;
    CHK(wait4(p, &st, __WALL, ru));
    return st;
}

/* Prints an expression about e, which is the process's only command or, with ", end='exit'", its last one. */
static void __attribute__((format(printf, 3, 4))) want_of(pid_t p, const char *which, const char *fmt, ...)
{
    char b[2048];
    va_list ap;
    va_start(ap, fmt);
    MUST(vsnprintf(b, sizeof b, fmt, ap) < (int)sizeof b);
    va_end(ap);
    want("(lambda e: %s)(one('command', pid=%d%s))", b, p, which);
}

#define ENDED(pid, ...) do { \
    pid_t p_ = (pid); \
    reap(p_, NULL); \
    want_of(p_, "", __VA_ARGS__); } while (0)

static void burn(long ms)
{
    struct timespec t;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

static void *burner(void *ms)
{
    burn((long)ms);
    return NULL;
}

static void *ender(void *go)
{
    t_until(go);
    return NULL;
}

static void *execer(void *argv)
{
    execv(path, argv);
    _exit(98);
}

static void *outliver(void *unused)
{
    (void)unused;
    usleep(50000);
    _exit(5);
}

static long long real_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int as(int argc, char **argv)
{
    const char *what = argv[2];
    if (!strcmp(what, "exit"))
        return atoi(argv[3]);
    if (!strcmp(what, "raise"))
        return raise(atoi(argv[3]));
    if (!strcmp(what, "burn"))
        burn(atol(argv[3]));
    if (!strcmp(what, "touch"))
        memset(malloc((size_t)atol(argv[3])), 1, (size_t)atol(argv[3]));
    if (!strcmp(what, "nap"))
        for (int i = 0; i < atoi(argv[3]); i++)
            usleep(1000);
    if (!strcmp(what, "burn") || !strcmp(what, "touch") || !strcmp(what, "nap")) {
        struct rusage r; /* kvis's counts lie between the context switches until now and those of wait4 */
        CHK(getrusage(RUSAGE_SELF, &r));
        want_of(getpid(), ", end='exit'", "H['backend'] == 'ptrace' or e['voluntary_switches'] >= %ld and e['involuntary_switches'] >= %ld", r.ru_nvcsw, r.ru_nivcsw);
    }
    if (!strcmp(what, "write"))
        t_put("written", (size_t)atol(argv[3]));
    if (!strcmp(what, "clock")) {
        long long began = real_ns();
        usleep(20000);
        want_of(getpid(), "", "e['start_realtime_ns'] <= %lld + 5e6 and %lld - 5e6 <= e['start_realtime_ns'] + e['duration_ns']",
                began, real_ns());
    }
    if (!strcmp(what, "title")) { /* overwrites the final NUL of its arguments: /proc/PID/cmdline may show any part */
        memset(argv[0], 'T', (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 - argv[0]));
        t_put("titled", 1);
        pause();
    }
    if (!strcmp(what, "exec"))
        execv(path, argv + 2);
    if (!strcmp(what, "threads")) {
        static volatile int go;
        pthread_t burning[2], ending[14];
        t_threads(burning, 2, burner, (void *)60L);
        t_threads(ending, 14, ender, (void *)&go);
        t_join(burning, 2);
        go = 1;
        _exit(0);
    }
    pthread_t t;
    if (!strcmp(what, "texec")) {
        static char *next[] = { "cmd", "as", "exit", "4", NULL };
        t_thread(execer, next);
    }
    if (!strcmp(what, "leader")) { /* the main thread ends before the other one */
        pthread_create(&t, NULL, outliver, NULL);
        pthread_exit(NULL);
    }
    (void)argc;
    return 0;
}

SCENE(ends)
{
    static const struct { const char *how, *arg, *shown; } end[] = {
        { "exit", "0", "0, None, 'exit'" }, { "exit", "1", "1, None, 'exit'" }, { "exit", "7", "7, None, 'exit'" },
        { "exit", "127", "127, None, 'exit'" }, { "exit", "255", "255, None, 'exit'" },
        { "raise", "15", "None, 'SIGTERM', 'signal'" }, { "raise", "9", "None, 'SIGKILL', 'signal'" },
        { "raise", "6", "None, 'SIGABRT', 'signal'" }, { "raise", "35", "None, 'SIGRT_3', 'signal'" },
    };
    for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
        pid_t p = RUN((char *)end[i].how, (char *)end[i].arg);
        int st = reap(p, NULL);
        want_of(p, "", "[e['exit_code'], e['signal'], e['end'], e['core'], e['ppid']] == [%s, %s, %d]", end[i].shown,
                WIFSIGNALED(st) && WCOREDUMP(st) ? "True" : "False", getpid());
    }
}

/* Bytes from and to disks; wait4 counts blocks of 512 bytes. */
static void io_of(pid_t p, const struct rusage *r)
{
    want_of(p, ", end='exit'", "[e.get(k, 0) // 512 for k in ('read_bytes', 'written_bytes')] == [%ld, %ld]", r->ru_inblock, r->ru_oublock);
}

static long long cpu_ns(const struct rusage *r)
{
    return (r->ru_utime.tv_sec + r->ru_stime.tv_sec) * 1000000000LL + (r->ru_utime.tv_usec + r->ru_stime.tv_usec) * 1000LL;
}

/* Compares kvis's numbers with wait4's rusage, which the kernel completes after the process has freed its memory, and with ticks, which
 * a busy host can delay in a VM. Returns wait4's CPU time in ns. */
static long long usage_of(pid_t p)
{
    static const char exit[] = ", end='exit'";
    struct rusage r;
    reap(p, &r);
    long long cpu = cpu_ns(&r);
    /* The kernel splits CPU time by ticks: below 100 ms, kvis omits the parts. */
    want_of(p, exit, "0 < e['cpu_ns'] < %lld + 10500000 and (e['cpu_user_ns'] + e['cpu_system_ns'] == e['cpu_ns'] and "
            "abs(e['cpu_user_ns'] - %lld) < 21000000 + %lld / 3 if e['cpu_ns'] >= 100000000 else 'cpu_user_ns' not in e and "
            "'cpu_system_ns' not in e)", cpu, r.ru_utime.tv_sec * 1000000000LL + r.ru_utime.tv_usec * 1000LL, cpu);
    /* Before 6.16, a process has no memory left when the tracepoint of its end runs: the peak may be unknown. */
    /* The kernel counts pages on each CPU; ptrace gets the exact peak, wait4 lacks unflushed counts (lib/percpu_counter.c). */
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), untold = 3 * cpus * (cpus > 16 ? 2 * cpus : 32) * sysconf(_SC_PAGESIZE);
    want_of(p, exit, "abs(e.get('max_rss_bytes', %ld) - %ld) <= (%ld if H['backend'] == 'ptrace' else 0)",
            t_kernel_from(6, 16) ? -1 : r.ru_maxrss * 1024, r.ru_maxrss * 1024, untold);
    want_of(p, exit, "0 <= %ld - e['minor_faults'] <= 2 and e['major_faults'] == %ld", r.ru_minflt, r.ru_majflt);
    want_of(p, exit, "H['backend'] == 'ptrace' or e['voluntary_switches'] <= %ld and e['involuntary_switches'] <= %ld", r.ru_nvcsw, r.ru_nivcsw);
    io_of(p, &r);
    return cpu;
}

SCENE(usage)
{
    pid_t burn[3];
    long long cpu[3];
    for (int i = 0; i < 3; i++)
        cpu[i] = usage_of(burn[i] = RUN("burn", "150"));
    /* (a tick may be late) */
    want("any(abs(one('command', pid=p, end='exit')['cpu_ns'] - cpu) < 10500000 + cpu / 10 for p, cpu in ((%d, %lld), (%d, %lld), (%d, %lld)))",
         burn[0], cpu[0], burn[1], cpu[1], burn[2], cpu[2]);
    usage_of(RUN("touch", "30000000"));
    usage_of(RUN("nap", "20"));
    usage_of(RUN("exec", "as", "burn", "30"));
    long long before = real_ns();
    pid_t p = RUN("clock");
    reap(p, NULL);
    long long after = real_ns();
    /* in this order: fork, exec, the program's first and last time, exit, wait4 (the clock may be corrected meanwhile) */
    want_of(p, "", "%lld - 5e6 <= e['start_realtime_ns'] - e['start_ns'] + e['fork_ns'] <= e['start_realtime_ns'] and "
            "e['start_realtime_ns'] + e['duration_ns'] <= %lld + 5e6 and e['lifetime_ns'] <= %lld", before, after,
            after - before + 5000000);
    p = RUN("write", "1000000");
    struct rusage r;
    reap(p, &r);
    io_of(p, &r);
    want_of(p, "", "1000000 <= e['written_chars'] < 1010000");
    ENDED(RUN("nap", "100"), "90e6 < e['duration_ns'] <= e['lifetime_ns']");
}

/* The resources of 16 threads that end at the same time count for their process. */
SCENE(crowd)
{
    for (int i = 0; i < 20; i++) {
        struct rusage r;
        pid_t p = RUN("threads");
        reap(p, &r);
        want_of(p, "", "abs(e['cpu_ns'] - %lld) < 60000000 + S['cpu_ns'] / 40 and 0 <= %ld - e['minor_faults'] <= 40",
                cpu_ns(&r), r.ru_minflt);
    }
}

SCENE(args)
{
    static char big[70001], huge[100001], *many[3001], shown[2048];
    memset(big, 'b', 60000);
    memset(huge, 'h', sizeof huge - 1);
    char *some[] = { "cmd", "as", "exit", "0", "", "a b", "c'd\"e\\", "\n\r\t\033[2J\007", "",
                     "\xe2\x80\xae\xc3\xa9", "$(x)", NULL };
    for (char **a = some, *at = shown; *a; a++, at += sprintf(at, " 00 "))
        for (const char *s = *a; *s; s++)
            at += sprintf(at, "%02x", (unsigned char)*s);
    ENDED(CHILD(execv(path, some)), "''.join(x + chr(0) for x in e['argv']).encode() == bytes.fromhex('%s')", shown);
    ENDED(RUN("exit", "0", "\xff\xfe""bad"), "e['argv_hex'][4] == 'fffe626164'");
    ENDED(RUN("exit", "0", big), "e['argv'][4] == 'b' * 60000 and not e['argv_truncated']");
    ENDED(RUN("exit", "0", huge),
          "e['argv_truncated'] and e['argv_bytes'] == %d and e['argv'][4] == 'h' * len(e['argv'][4]) and "
          "sum(len(a) + 1 for a in e['argv'][:4]) + len(e['argv'][4]) == 65536", 4 + 3 + 5 + 2 + 100001);
    for (int i = 0; i < 3000; i++)
        many[i] = i < 3 ? some[i] : "0";
    ENDED(CHILD(execv(path, many)), "e['argv'] == ['cmd', 'as', 'exit'] + ['0'] * 2997");
}

/* An empty argv: from 5.18 on, the kernel adds one empty string. */
SCENE(no_args)
{
    ENDED(CHILD(execv(path, (char *[]){ NULL })), "e['argv'] in ([], ['']) and e['argv_bytes'] in (0, 1)");
}

SCENE(chain)
{
    pid_t p = RUN("exec", "as", "exec", "as", "exit", "3");
    reap(p, NULL);
    want("[(e['argv'][0], e['end'], e['exit_code']) for e in by('command', pid=%d)] == "
         "[('cmd', 'exec', None), ('exec', 'exec', None), ('exec', 'exit', 3)]", p);
    want("(lambda a, b, c: a['start_ns'] < b['start_ns'] < c['start_ns'] and a['ts_ns'] == "
         "b['start_ns'] and b['ts_ns'] == c['start_ns'] and a['fork_ns'] == c['fork_ns'])"
         "(*by('command', pid=%d))", p);
}

SCENE(threads)
{
    pid_t p = RUN("texec");
    int st = reap(p, NULL);
    MUST(WEXITSTATUS(st) == 4);
    want("[(e['argv'][2], e['end'], e['exit_code']) for e in by('command', pid=%d)] == "
         "[('texec', 'exec', None), ('exit', 'exit', 4)]", p);
    p = RUN("leader");
    st = reap(p, NULL);
    MUST(WEXITSTATUS(st) == 5);
    want_of(p, "", "e['exit_code'] == 5 and e['duration_ns'] >= 50000000");
}

/* Executes a program in memory by its descriptor, through vfork, and by a script with a relative name. */
SCENE(ways)
{
    char *a[] = { "cmd", "as", "exit", "6", NULL };
    pid_t p = CHILD(syscall(SYS_execveat, copy_of_self(), "", a, NULL, AT_EMPTY_PATH);
                    _exit(errno == ENOENT ? 77 : 98)); /* on 5.10, with or without kvis */
    int st = WEXITSTATUS(reap(p, NULL));
    MUST(st == 6 || st == 77);
    if (st == 6)
        want_of(p, "", "e['exit_code'] == 6 and 'memfd:hidden' in e['exe'] and e['path'].startswith('/dev/fd/')");
    p = vfork();
    if (!p) {
        execv(path, a);
        _exit(98);
    }
    reap(p, NULL);
    want_of(p, "", "e['exit_code'] == 6 and e['exe'] == '%s'", path);
    int f = (int)CHK(open("script", O_WRONLY | O_CREAT | O_TRUNC, 0755));
    MUST(write(f, "#!../me as\n", 11) == 11); /* the path of an interpreter cannot contain blanks */
    close(f);
    CHK(symlink(path, "me"));
    CHK(mkdir("dir", 0755));
    ENDED(CHILD(CHK(chdir("dir")); execl("../script", "x", "y", NULL)),
          "e['argv'] == ['../me', 'as', '../script', 'y'] and e['cwd'] == '%sdir' and e['exe'] == '%s' and "
          "e['path'] == '%sdir/../script'", t_cwd, path, t_cwd);
}

static void *late(void *argv)
{
    execv("./bad", argv);
    _exit(97);
}

SCENE(late_failed)
{
    char *a[] = { "bad", "with", "two words", NULL };
    if (!t_kernel_from(6, 10)) { /* the tracepoint sched_prepare_exec */
        say("an execve that fails late has no arguments before Linux 6.10");
        _exit(77);
    }
    bad_elf_write();
    for (int thread = 0; thread < 2; thread++) {
        pthread_t t;
        pid_t p = CHILD(if (thread && !pthread_create(&t, NULL, late, a)) pause();
                        late(a));
        MUST(WIFSIGNALED(reap(p, NULL)));
        want_of(p, "", "e['argv'] == ['bad', 'with', 'two words'] and e['path'] in ('./bad', '%sbad') and "
                "e['signal'] in ('SIGSEGV', 'SIGKILL') and not e['argv_truncated']", t_cwd);
    }
}

/* A grandchild executes a program after its parent has ended. */
static pid_t orphan(char *code)
{
    pid_t *child = t_shared(sizeof *child);
    pid_t p = CHILD(pid_t middle = getpid();
                    *child = CHILD(while (getppid() == middle) usleep(1000);
                                   execv(path, (char *[]){ "cmd", "as", "exit", code, NULL }));
                    _exit(0));
    reap(p, NULL);
    want_of(*child, "", "e['ppid'] == %d and e['exit_code'] == %s", p, code);
    return *child;
}

SCENE(daemons)
{
    orphan("9");
    CHK(prctl(PR_SET_CHILD_SUBREAPER, 1));
    MUST(WEXITSTATUS(reap(orphan("10"), NULL)) == 10);
    CHK(prctl(PR_SET_CHILD_SUBREAPER, 0));
    pid_t p = (pid_t)CHK(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
    if (!p) {
        execv(path, (char *[]){ "cmd", "as", "exit", "8", NULL });
        _exit(98);
    }
    want_of(p, "", "e['ppid'] == %d and e['exit_code'] == 8", getppid());
    /* The duration ends with the exit, although the zombie stays for a while. */
    siginfo_t si;
    p = RUN("exit", "11");
    CHK(waitid(P_PID, (id_t)p, &si, WEXITED | WNOWAIT));
    long long t = real_ns();
    usleep(100000);
    reap(p, NULL);
    want_of(p, "", "e['exit_code'] == 11 and e['start_realtime_ns'] + e['duration_ns'] <= %lld + 5e6", t);
}

static void try(const char *name, const char *error)
{
    char a[] = "tried\0\0with this"; /* on the stack: execve may fail before it reads them */
    pid_t p = CHILD(CHK(chdir("/")); /* BPF does not see it: a relative name stays relative */
                    execv(name, (char *[]){ a, a + 6, a + 7, NULL });
                    _exit(0));
    reap(p, NULL);
    want("(lambda e: e['error'] == '%s' and e['path'] in ('%s', '/%s') and e['argv'] == ['tried', '', "
         "'with this'])(one('exec_failed', pid=%d))", error, name, name, p);
}

/* An argument that is cut is marked as truncated. A NULL argv is shown as an empty list. */
static void fail_args(void)
{
    static char fits[4095], large[5001], m[2], *most[129], *more[130];
    memset(fits, 'f', sizeof fits - 1), memset(large, 'l', sizeof large - 1);
    m[0] = 'm'; /* the page must be in memory, because these execs fail before they read it */
    for (int i = 0; i < 129; i++)
        more[i] = i < 128 ? most[i] = m : m;
    pid_t p = CHILD(execv("/nothing", (char *[]){ "a", fits, "b", NULL });
                    execv("/nothing", (char *[]){ "a", large, "b", NULL });
                    execv("/nothing", NULL);
                    execv("/nothing", most);
                    execv("/nothing", more));
    reap(p, NULL);
    want("H['backend'] == 'ptrace' or " /* ptrace: no limit */
         "(lambda f, l, n, m, t: f['argv'] == ['a', 'f' * 4094, 'b'] and not f['argv_truncated'] and "
         "l['argv'] == ['a', 'l' * 4095, 'b'] and l['argv_truncated'] and n['argv'] == [] and "
         "not n['argv_truncated'] and m['argv'] == ['m'] * 128 == t['argv'] and "
         "not m['argv_truncated'] and t['argv_truncated'])(*by('exec_failed', pid=%d))", p);
}

/* execve by the 32-bit ABI; the kernel ignores the upper halves of the registers. */
static void fail_compat(void)
{
#ifdef __x86_64__
    pid_t p = CHILD(
        char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
                         -1, 0);
        MUST(low != MAP_FAILED);
        unsigned at = (unsigned)(unsigned long)low;
        memcpy(low, "/nothing\0there", 15);
        memcpy(low + 64, (unsigned[]){ at, at + 9, 0 }, 12);
        long r, more = 0x700000000;
        __asm__ volatile("int $0x80" : "=a"(r) : "a"(11), "b"(at + more), "c"(at + 64 + more), "d"(0)
                         : "memory");
        _exit(r == -ENOENT ? 0 : 1));
    if (!reap(p, NULL)) /* this kernel has such calls */
        want("(lambda e: e['path'] == '/nothing' and e['argv'] == ['/nothing', 'there'])"
             "(one('exec_failed', pid=%d))", p);
#endif
}

SCENE(failed)
{
    fail_args();
    fail_compat();
    t_put("notexec", 10);
    t_put("garbage", 100);
    CHK(chmod("garbage", 0755));
    try("/nothing/there", "ENOENT");
    try("nothing/here", "ENOENT");
    try("/proc/self/exe/x", "ENOTDIR");
    CHK(mkdir("d", 0755));
    pid_t p = CHILD(execv(NULL, NULL); syscall(SYS_execveat, 999, "x", (char *[]){ "y", NULL }, NULL, 0));
    reap(p, NULL);
    want("[e['error'] for e in by('exec_failed', pid=%d)] == ['EFAULT', 'EBADF']", p);
    p = CHILD(execv("./notexec", (char *[]){ "a", NULL });
              execv("./garbage", (char *[]){ "b", NULL });
              execv("./d", (char *[]){ "c", NULL }));
    reap(p, NULL);
    want("[(e['error'], e['argv']) for e in by('exec_failed', pid=%d)] == [('EACCES', ['a']), "
         "('ENOEXEC', ['b']), ('EACCES', ['c'])]", p);
}

static pid_t numbered(pid_t number, const char *file)
{
    struct clone_args a = { .exit_signal = SIGCHLD, .set_tid = number ? (uint64_t)(uintptr_t)&number : 0, .set_tid_size = number != 0 };
    pid_t pid = (pid_t)syscall(SYS_clone3, &a, sizeof a);
    if (!pid) {
        t_put(file, strlen(file));
        _exit(0);
    }
    return pid;
}

/* Two children have the same process ID, one after the other (set_tid, Linux 5.5). Each writes its own file. */
SCENE(pid_again)
{
    pid_t pid = (pid_t)CHK(numbered(0, "first"));
    t_wait(pid, 0);
    if (numbered(pid, "second") != pid)
        skip("clone3 with set_tid");
    t_wait(pid, 0);
    say("pid %d", pid);
    want("[(e['exit_code'], e['type']) for e in by('process', pid=%d)] == [(0, 'process')] * 2", pid);
    want("(lambda a, b: a['ts_ns'] <= b['fork_ns'] and a['fork_ns'] < b['fork_ns'])(*by('process', pid=%d))", pid);
    want("S['forks'] == 2");
}

int main(int argc, char **argv)
{
    ssize_t n = readlink(self, path, sizeof path - 1);
    MUST(n > 0);
    path[n] = 0;
    if (argc > 2 && !strcmp(argv[1], "as"))
        return as(argc, argv);
    return t_main(argc, argv);
}
