/* Programs that make system calls faster than a tracer can show them. All calls must be shown, and the program
 * must not notice that kvis holds it from time to time: what it prints must be the same with and without kvis. */
#include "t.h"
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

static int zero, null_;
static volatile int stop;

static void files(void)
{
    zero = (int)CHK(open("/dev/zero", O_RDONLY));
    null_ = (int)CHK(open("/dev/null", O_WRONLY));
}

static void flood(long rounds)
{
    char b[64];
    struct stat st;
    for (long i = 0; i < rounds; i++) {
        syscall(SYS_getppid);
        syscall(SYS_getuid);
        MUST(read(zero, b, sizeof b) == sizeof b);
        MUST(write(null_, b, 7) == 7);
        MUST(lseek(null_, 0, SEEK_SET) == 0);
        int fd = openat(AT_FDCWD, "/proc/self/there is no such file", O_RDONLY);
        MUST(fd == -1 && errno == ENOENT);
        MUST(syscall(SYS_fstat, zero, &st) == 0);
        MUST(syscall(SYS_faccessat, AT_FDCWD, "/", R_OK) == 0);
    }
}

static void *flood_thread(void *rounds)
{
    flood((long)rounds);
    return NULL;
}

static void *flood_until_stop(void *unused)
{
    while (!stop)
        flood(10);
    return unused;
}

static volatile int handled;
static void on(int sig) { (void)sig, handled++; }

static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void timers(int us)
{
    struct itimerval it = { { 0, us }, { 0, us } };
    CHK(setitimer(ITIMER_REAL, &it, NULL));
    CHK(setitimer(ITIMER_PROF, &it, NULL));
}

/* calls THREADS ROUNDS [HOW]: with every signal `blocked` or `ignored`, or by `timers` that interrupt all the time. */
SCENE(calls)
{
    long n = t_arg(1, 8), rounds = t_arg(2, 1000);
    char how = t_argc > 4 ? *t_argv[4] : 0;
    files();
    if (how == 'b')
        block_all();
    for (int s = 1; how == 'i' && s < 65; s++)
        signal(s, SIG_IGN);
    if (how == 't') {
        t_handle(SIGALRM, on, SA_RESTART);
        t_handle(SIGPROF, on, SA_RESTART);
        timers(300);
    }
    t_crowd((int)n, flood_thread, (void *)rounds);
    if (how == 't') {
        for (int i = 0; i < 1000 && handled <= 10; i++) /* an untraced run may be shorter */
            usleep(1000);
        timers(0);
        say("ticks %d", handled > 10);
    }
    want("len(calls('getppid')) == %ld and len(calls('faccessat')) == %ld", n * rounds, n * rounds);
    want("S['threads'] == %ld and S['lost'] == 0", n + 1);
}

/* Two rare calls. The first one fails. */
static void *rare_thread(void *rounds)
{
    struct timespec slice;
    for (long i = 0; i < (long)rounds; i++) {
        syscall(SYS_io_destroy, 0l);
        syscall(SYS_sched_rr_get_interval, 0, &slice);
    }
    return NULL;
}

/* rare PROCESSES THREADS ROUNDS: when stdin ends, each thread makes ROUNDS of both calls. */
SCENE(rare)
{
    long n = t_arg(1, 1), each = t_arg(2, 1), rounds = t_arg(3, 1);
    char c;
    MUST(read(0, &c, 1) == 0);
    for (int i = 0; i < n; i++)
        CHILD(t_crowd((int)each, rare_thread, (void *)rounds);
              usleep(30000);
              _exit(0));
    while (wait(NULL) > 0)
        ;
}

/* Calls whose records have more than numbers and one string. */
static void *wide_thread(void *rounds)
{
    char a[8], b[8];
    for (long i = 0; i < (long)rounds; i++) {
        int p[2], s[2], n;
        struct iovec v[2] = { { a, 3 }, { b, 4 } };
        struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
        MUST(fcntl(zero, F_GETFL) >= 0);
        int d = dup(zero);
        MUST(d >= 0 && !close(d) && !pipe2(p, O_CLOEXEC));
        MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, s));
        MUST(writev(p[1], v, 2) == 7 && ioctl(p[0], FIONREAD, &n) == 0 && n == 7);
        MUST(readv(p[0], v, 2) == 7);
        MUST(sendmsg(s[0], &m, 0) == 7 && recvmsg(s[1], &m, 0) == 7);
        MUST(!close(p[0]) && !close(p[1]) && !close(s[0]) && !close(s[1]));
    }
    return NULL;
}

SCENE(wide)
{
    files();
    t_crowd(8, wide_thread, (void *)t_arg(1, 100));
}

/* last CHILDREN [THREADS]: each makes many calls and ends at once, in one of three ways. */
SCENE(last)
{
    int n = t_arg(1, 60), others = t_arg(2, 3);
    MUST(others <= 30);
    files();
    for (int i = 0; i < n; i++) {
        pthread_t t[30];
        int st;
        pid_t p = CHILD(
            t_threads(t, others, flood_until_stop, NULL);
            flood(100 + i);
            if (i % 3 == 0)
                syscall(SYS_exit_group, i);
            if (i % 3 == 1)
                kill(getpid(), SIGKILL);
            stop = 1;
            t_join(t, others);
            _exit(i));
        CHK(TEMP_FAILURE_RETRY(waitpid(p, &st, 0)));
        MUST(i % 3 == 1 ? WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL : WIFEXITED(st) && WEXITSTATUS(st) == (i & 255));
        want("len(calls('getppid', tid=%d)) == %d", p, 100 + i);
        want("len(calls('faccessat', tid=%d)) == %d", p, 100 + i);
        want("len(by('exit_process', exit_pid=%d, %s)) == 1", p, i % 3 == 1 ? "signal='SIGKILL'" : "core=None");
    }
    want("S['processes'] == %d and S['lost'] == 0", n + 1);
}

/* big ROUNDS: four threads, whose calls carry as much as a record can. */
static char long_path[4096];
static void *big_thread(void *rounds)
{
    char b[8192];
    memset(b, 'b', sizeof b);
    for (long i = 0; i < (long)rounds; i++) {
        MUST(openat(AT_FDCWD, long_path, O_RDONLY) == -1);
        MUST(renameat(AT_FDCWD, long_path, AT_FDCWD, long_path) == -1);
        MUST(write(null_, b, sizeof b) == sizeof b);
    }
    return NULL;
}

SCENE(big)
{
    long n = t_arg(1, 500);
    files();
    for (int i = 0; i < 4094; i += 2)
        memcpy(long_path + i, "n/", 2);
    t_crowd(4, big_thread, (void *)n);
    want("len(calls('renameat') + calls('renameat2')) == %ld and S['lost'] == 0", 4 * n);
    /* When kvis holds a thread at the end of a call, this is not a sleep of the call. */
    want("not [c for c in calls('openat') + calls('renameat') + calls('renameat2') if c.get('sleep_state') in ('t', 'T')]");
    want("len([c for c in calls('openat') if len(c['args'][1]) > 4000 or c['args'][1].endswith('...')]) == %ld", 4 * n);
}

/* Waiting calls with a time limit, while others flood: none may end with EINTR. */
static void *wait_thread(void *by_futex)
{
    struct epoll_event ev;
    struct timespec ms = { 0, 1000000 };
    int word = 0, e = (int)CHK(epoll_create1(0));
    long interrupted = 0;
    while (!stop) {
        long r = by_futex ? syscall(SYS_futex, &word, FUTEX_WAIT, 0, &ms, NULL, 0) : epoll_wait(e, &ev, 1, 1);
        interrupted += r == -1 && errno == EINTR;
        flood(3);
    }
    return (void *)interrupted;
}

SCENE(limits)
{
    long ms = t_arg(1, 1500);
    enum { WAITING = 2 };
    pthread_t w[WAITING], f[4];
    files();
    for (long i = 0; i < WAITING; i++)
        MUST(!pthread_create(w + i, NULL, wait_thread, (void *)i));
    t_threads(f, 4, flood_until_stop, NULL);
    poll(NULL, 0, (int)ms);
    stop = 1;
    t_join(f, 4);
    for (int i = 0; i < WAITING; i++) {
        void *n;
        pthread_join(w[i], &n);
        say("waiting call %d: %ld times EINTR", i, (long)n);
    }
}

/* The page of the offset is not in memory when the call begins, so BPF cannot read it. */
SCENE(absent)
{
    off_t at = 100;
    int from = (int)CHK(open("from", O_RDWR | O_CREAT, 0600)), to = (int)CHK(open("to", O_RDWR | O_CREAT, 0600));
    int kept = (int)CHK(open("offset", O_RDWR | O_CREAT, 0600));
    MUST(pwrite(kept, &at, sizeof at, 0) == sizeof at && ftruncate(from, 4096) == 0);
    off_t *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, kept, 0);
    MUST(map != MAP_FAILED && sendfile(to, from, map, 7) == 7 && *map == 107);
    want("calls('sendfile')[0]['args'][2] in ('[100 => 107]', '%p')", (void *)map);
}

static char *page;

static void *evict(void *unused)
{
    while (!stop)
        madvise(page, 4096, MADV_DONTNEED);
    return unused;
}

/* evicted N: opens a file N times while another thread evicts the page of the name again and again. open(2) faults the page in, but
 * BPF programs cannot. */
SCENE(evicted)
{
    long n = t_arg(1, 3000);
    int f = (int)CHK(open("name", O_RDWR | O_CREAT, 0600));
    pthread_t t;
    CHK(ftruncate(f, 4096));
    CHK(pwrite(f, "/etc/passwd", 12, 0));
    page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, f, 0);
    MUST(page != MAP_FAILED);
    t_threads(&t, 1, evict, NULL);
    for (long i = 0; i < n; i++)
        close(open(page, O_RDONLY));
    stop = 1;
    t_join(&t, 1);
    want("len(by('open', path='/etc/passwd')) == %ld", n);
    want("not [e for e in by('open') if not e.get('path')]");
}

static volatile int turns;

static void *flip(void *byte)
{
    for (unsigned i = 0; !stop; i++) {
        *(volatile char *)byte = "ab"[i & 1];
        for (int k = 0; k < turns; k++)
            ;
    }
    return NULL;
}

/* Opens a/a or a/b while another thread changes the last byte of the name; then the same with a long name, and without a file b.
 * Each open is shown as one of the two, and its event and its line agree. */
SCENE(flipped)
{
    long n = t_arg(1, 1000);
    char path[sizeof t_cwd + 200], dir[200] = "a";
    for (int k = 0; k < 6; k++) {
        pthread_t t;
        memset(dir, 'a' + k, k % 3 == 1 ? 180 : 1);
        dir[k % 3 == 1 ? 180 : 1] = 0;
        CHK(mkdir(dir, 0755));
        snprintf(path, sizeof path, "%s%s/a", t_cwd, dir);
        char *byte = path + strlen(path) - 1;
        CHK(syscall(SYS_openat, AT_FDCWD, path, O_CREAT, 0600));
        *byte = 'b';
        if (k % 3 != 2)
            CHK(syscall(SYS_openat, AT_FDCWD, path, O_CREAT, 0600));
        turns = k < 3 ? 0 : 300;
        stop = 0;
        t_threads(&t, 1, flip, byte);
        for (long i = 0; i < n; i++)
            close((int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY));
        stop = 1;
        t_join(&t, 1);
        want("[e['path'] for e in by('open') if e['path'][:-1] == '~/%s/'] == "
             "[c['args'][1] for c in calls('openat') if c['args'][1] in ('~/%s/a', '~/%s/b')]", dir, dir, dir);
        want("len([e for e in by('open') if e['path'] in ('~/%s/a', '~/%s/b')]) == %ld", dir, dir, n + (k % 3 == 2 ? 1 : 2));
    }
    want("S['lost'] == 0");
}

/* These calls do not stop, because the addresses of unix sockets and the targets of paths with ".." are in the records. unheld 1:
 * calls stop until call_nest is loaded. */
SCENE(unheld)
{
    enum { N = 50 };
    struct sockaddr_un a = { AF_UNIX, "unheld" };
    int l = (int)CHK(socket(AF_UNIX, SOCK_STREAM, 0)), type;
    socklen_t len = sizeof type;
    CHK(bind(l, (struct sockaddr *)&a, sizeof a));
    CHK(mkdir("dir", 0700));
    for (int i = 0; i < N; i++) {
        int c = (int)CHK(socket(AF_UNIX, SOCK_STREAM, 0));
        CHK(listen(l, 8));
        CHK(connect(c, (struct sockaddr *)&a, sizeof a));
        int s = (int)CHK(accept(l, NULL, NULL)), f = (int)CHK(open("dir/../file", O_RDWR | O_CREAT, 0600));
        CHK(getsockopt(s, SOL_SOCKET, SO_TYPE, &type, &len));
        CHK(unlink("file"));
        close(c);
        close(s);
        close(f);
    }
    want("len(by('accept', sock_type='unix', local_addr='unheld')) == %d", N);
    want("len(by('listen', local_addr='unheld')) == len(by('open', path='%sfile')) == %d", t_cwd, N);
    if (t_arg(1, 0)) /* without -v, kvis loads call_nest when the first call lacks it */
        want("S['backend'] != 'hybrid' or S['throttle_stops']");
    else
        want("S['backend'] != 'hybrid' or max(S['stops'], S['throttle_stops']) < %d", N);
}

/* The thread blocks the signal that would hold it: the port that the kernel chooses and nested arguments are in the records. */
SCENE(blocked)
{
    uint64_t rt33 = 1ull << 32;
    struct sockaddr_in a = { .sin_family = AF_INET };
    socklen_t len = sizeof a;
    char text[] = "all that was sent", got[64];
    struct iovec iov = { text, sizeof text - 1 };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
    int s = (int)CHK(socket(AF_INET, SOCK_STREAM, 0)), pair[2];
    CHK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &rt33, NULL, 8L));
    CHK(bind(s, (struct sockaddr *)&a, sizeof a));
    CHK(getsockname(s, (struct sockaddr *)&a, &len));
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    MUST(sendmsg(pair[0], &m, 0) == sizeof text - 1);
    iov = (struct iovec){ got, sizeof got };
    MUST(recvmsg(pair[1], &m, 0) == sizeof text - 1);
    want("by('bind')[0]['local_addr'] == '0.0.0.0:%d'", ntohs(a.sin_port));
    if (!t_arg(1, 0)) /* with -v */
        want("['%s' in calls(c)[0]['args'][1] for c in ('sendmsg', 'recvmsg')] == [True, True]", text);
}

/* SIGCONT is pending while the thread floods. Its handler must run once per SIGCONT. */
static void pending_cont(const char *how, int n)
{
    sigset_t set, old;
    handled = 0;
    t_handle(SIGCONT, on, SA_RESTART);
    if (*how == 'a')
        sigfillset(&set);
    else
        sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    sigprocmask(SIG_BLOCK, &set, &old);
    for (int i = 0; i < n; i++) {
        raise(SIGCONT);
        flood(300);
        sigprocmask(SIG_SETMASK, &old, NULL);
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    say("%s: SIGCONT handled %d times", how, handled);
}

SCENE(cont)
{
    int n = t_arg(1, 30);
    pthread_t t[3];
    sigset_t before;
    files();
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    block_all();
    t_threads(t, 3, flood_until_stop, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pending_cont("SIGCONT blocked", n);
    pending_cont("all blocked", n);
    stop = 1;
    t_join(t, 3);
}

static void stopped_child(volatile int *sh)
{
    pthread_t t[3];
    setpgid(0, 0);
    files();
    t_threads(t, 3, flood_until_stop, NULL);
    while (!sh[0])
        flood(5), sh[1]++;
    stop = 1;
    t_join(t, 3);
    _exit(44);
}

/* A flooding child is stopped, really stops, and is continued, again and again. */
SCENE(jobs)
{
    static const int sigs[] = { SIGSTOP, SIGTSTP, SIGSTOP, SIGTTIN };
    int n = t_arg(1, 40), still = 0, told = 0, went = 0, st;
    volatile int *sh = t_shared(4096);
    pid_t p = CHILD(stopped_child(sh));
    t_until(sh + 1);
    for (int i = 0; i < n; i++) {
        siginfo_t si;
        CHK(kill(p, sigs[i % 4]));
        CHK(TEMP_FAILURE_RETRY(waitid(P_PID, (id_t)p, &si, WSTOPPED)));
        told += si.si_code == CLD_STOPPED && si.si_status == sigs[i % 4];
        usleep(3000);
        int was = sh[1];
        usleep(10000);
        still += sh[1] == was;
        CHK(kill(p, SIGCONT));
        CHK(TEMP_FAILURE_RETRY(waitid(P_PID, (id_t)p, &si, WCONTINUED)));
        for (int k = 0; sh[1] == was && k < 5000; k++)
            usleep(1000);
        went += sh[1] != was;
    }
    sh[0] = 1;
    CHK(TEMP_FAILURE_RETRY(waitpid(p, &st, 0)));
    say("told %d, stood still %d, went on %d, end %x", told, still, went, st);
}

/* A tree that doubles until it has N processes, which end after their children. */
static void bomb_at(int *count, int n)
{
    for (int k = 0; k < 2; k++) {
        if (__atomic_add_fetch(count, 1, __ATOMIC_RELAXED) > n)
            return;
        pid_t p = fork();
        if (!p) {
            syscall(SYS_getppid);
            bomb_at(count, n);
            while (wait(NULL) > 0)
                ;
            _exit(0);
        }
        MUST(p > 0);
    }
}

SCENE(bomb)
{
    int n = t_arg(1, 2000);
    bomb_at(t_shared(4096), n);
    while (wait(NULL) > 0)
        ;
    want("len(calls('getppid')) == %d and len(by('spawn_process')) == %d", n, n);
    want("len(by('exit_process')) == %d and S['processes'] == %d and S['lost'] == 0", n + 1, n + 1);
}

static void *vforks(void *rounds)
{
    for (long i = (long)rounds; i > 0; i--) {
        pid_t p = vfork();
        if (!p) {
            execl("/proc/self/exe", "hyb", "leaf", (char *)NULL);
            _exit(1);
        }
        t_wait(p, 0);
    }
    return NULL;
}

SCENE(leaf)
{
    files();
    flood(10);
    _exit(0);
}

SCENE(execs)
{
    long n = t_arg(1, 60);
    t_crowd(4, vforks, (void *)n);
    want("len(by('exec')) == %ld and len(calls('getppid')) == %ld", 4 * n + 1, 40 * n);
    want("len(calls('faccessat')) == %ld and S['processes'] == %ld and S['lost'] == 0", 40 * n, 4 * n + 1);
}

/* Again and again, a thread other than the main thread executes the program while the others flood. */
static char left[16];
static void *exec_thread(void *unused)
{
    flood(20);
    execl("/proc/self/exe", "hyb", "relay", left, (char *)NULL);
    return unused;
}

SCENE(relay)
{
    int n = t_arg(1, 30);
    pthread_t t[4];
    files();
    flood(20);
    if (n || t_argc <= 2)
        want("len([e for e in by('exec') if '%d' in e['argv']]) == 1", n - 1);
    if (!n) {
        want("S['processes'] == 1 and S['lost'] == 0 and len(by('exec', pid=%d)) == len(by('exec'))", getpid());
        return;
    }
    snprintf(left, sizeof left, "%d", n - 1);
    t_threads(t, 3, flood_until_stop, NULL);
    t_threads(t + 3, 1, exec_thread, NULL);
    pause();
}

SCENE(forever)
{
    int n = t_arg(1, 4);
    files();
    if (t_arg(2, 0))
        block_all();
    t_put("ready", 1);
    fork();
    t_crowd(n, flood_until_stop, NULL);
}

/* Writes from pages that are not in memory, with all signals blocked: kvis cannot stop the thread. */
static void *write_untouched(void *unused)
{
    uint64_t all = ~0ull;
    char *p = mmap(NULL, 64 << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(p != MAP_FAILED);
    CHK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8L));
    for (int i = 0; i < 64 && !stop; i++) {
        syscall(SYS_write, -1, p + (i << 12), 10L);
        usleep(20000);
    }
    return unused;
}

/* Threads that start and exit after a record that cannot be completed. */
SCENE(behind)
{
    int n = t_arg(1, 300);
    pthread_t writer;
    files();
    t_threads(&writer, 1, write_untouched, NULL);
    for (int i = 0; i < n; i++)
        t_crowd(1, flood_thread, (void *)2);
    stop = 1;
    t_join(&writer, 1);
    want("len(calls('getppid')) == %d and S['lost'] == 0", 2 * n);
}

static int log_fd;

static void *write_log(void *unused)
{
    static char page[4000];
    for (;;)
        MUST(write(log_fd, page, sizeof page) == sizeof page);
    return unused;
}

/* Threads die during writes while the ring is full. The trace must have each write that is in the file. */
SCENE(dying)
{
    int ms = t_arg(1, 20);
    pthread_t t[20];
    struct stat file;
    log_fd = (int)CHK(open("log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600));
    pid_t p = CHILD(t_threads(t, 20, write_log, NULL);
                    usleep((useconds_t)ms * 1000);
                    syscall(SYS_exit_group, 0));
    t_wait(p, 0);
    CHK(fstat(log_fd, &file));
    want("len(calls('write', pid=%d, ret=4000)) == %ld and S['lost'] == 0", p, (long)file.st_size / 4000);
}

static volatile int go;

static void *call_when_told(void *unused)
{
    while (!go)
        ;
    for (int i = 0; i < 1000; i++)
        syscall(SYS_getppid);
    return unused;
}

/* A thread sets a seccomp filter for another thread, which is running (TSYNC). */
SCENE(tsync)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog prog = { 1, &allow };
    pthread_t t;
    t_threads(&t, 1, call_when_told, NULL);
    usleep(50000);
    CHK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog));
    go = 1;
    t_join(&t, 1);
    want("len(calls('getppid')) == 1000 and S['lost'] == 0");
}

/* No signal can be queued for this user, not even by kvis. */
SCENE(unqueued)
{
    long n = t_arg(1, 3000);
    files();
    CHK(setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){ 0, 0 }));
    flood(n);
    want("len(calls('getppid')) == %ld and S['lost'] == 0 and not by('signal')", n);
}

/* setids N: all threads change the group. The libc sends each of them a signal (33 with glibc, 34 with musl). */
static volatile int ids_done;
static void *group_at_end(void *unused)
{
    while (!ids_done)
        flood(5);
    say("a thread: group %ld", syscall(SYS_getgid));
    return unused;
}

SCENE(setids)
{
    enum { THREADS = 8 };
    int n = t_arg(1, 100);
    pthread_t t[THREADS];
    files();
    t_threads(t, THREADS, group_at_end, NULL);
    for (int i = 1; i <= n; i++)
        CHK(setresgid((gid_t)i, (gid_t)i, (gid_t)i));
    ids_done = 1;
    t_join(t, THREADS);
    want("len([c for c in calls('setresgid') if c['error'] is None]) == %d", (THREADS + 1) * n);
    want("S['lost'] == 0");
}

/* cancels N: cancels running threads. The libc sends each of them a signal (32 with glibc, 33 with musl). */
static void count_cleanup(void *cleaned) { __atomic_add_fetch((int *)cleaned, 1, __ATOMIC_RELAXED); }

static void *flood_until_cancelled(void *cleaned)
{
    pthread_cleanup_push(count_cleanup, cleaned);
    for (;;)
        flood(1);
    pthread_cleanup_pop(0);
    return NULL;
}

SCENE(cancels)
{
    int n = t_arg(1, 100), cleaned = 0, cancelled = 0;
    pthread_t t[4];
    files();
    for (int i = 0; i < n; i++) {
        t_threads(t, 4, flood_until_cancelled, &cleaned);
        for (int k = 0; k < 4; k++)
            MUST(!pthread_cancel(t[k]));
        for (int k = 0; k < 4; k++) {
            void *end;
            MUST(!pthread_join(t[k], &end));
            cancelled += end == PTHREAD_CANCELED;
        }
    }
    say("cancelled %d, cleaned up %d", cancelled, cleaned);
    want("S['lost'] == 0 and S['threads'] == %d", 4 * n + 1);
}

/* deaf N: floods with all signals blocked, including 33, which the libc would not block. */
SCENE(deaf)
{
    uint64_t all = ~0ull, pending = 0;
    long n = t_arg(1, 3000);
    files();
    CHK(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, 8L));
    flood(n);
    CHK(syscall(SYS_rt_sigpending, &pending, 8L));
    say("pending %llx", (unsigned long long)pending);
}

T_MAIN
