/* opens SCENE: opens files in every way with raw system calls, and prints for each open what kvis open must show
 * (lib/opens.py), as a line
 *     open CALL NAME FLAGS MODE RESULT BASE REAL
 * NAME, BASE (the directory where a relative name starts) and REAL (the path of the open file) are in hexadecimal; - means
 * none. Between the names /opens:begin and /opens:end, kvis must show all opens and no others. */
#include "t.h"
#include "fuse.h"
#include <linux/openat2.h>

static int log_hex(char *to, const char *s)
{
    int n = 0;
    for (; s && *s && n < 8400; s++)
        n += sprintf(to + n, "%02x", (unsigned char)*s);
    return n ? n : sprintf(to, "%s", s ? "00" : "-"); /* 00: an empty one */
}

static int note(const char *call, const char *name, const char *flags, int mode, int ret,
                const char *base)
{
    static __thread char b[30000], real[4200];
    int result = ret < 0 ? -errno : ret, n = 0;
    snprintf(b, sizeof b, "/proc/self/fd/%d", ret);
    ssize_t len = ret < 0 ? 0 : readlink(b, real, sizeof real - 1);
    real[len > 0 ? len : 0] = 0;
    char m[16] = "-";
    if (mode >= 0)
        snprintf(m, sizeof m, "%d", mode);
    n += sprintf(b, "open %s ", call);
    n += log_hex(b + n, name);
    n += sprintf(b + n, " %s %s %d ", flags, m, result);
    n += log_hex(b + n, base);
    n += sprintf(b + n, " ");
    n += log_hex(b + n, real);
    n += sprintf(b + n, "\n");
    MUST(write(1, b, (size_t)n) == n); /* one write, because children and threads print, too */
    return ret;
}

#define F(x) (long)(x), #x /* flags, as a number and as a text */
static const char *squeeze(const char *s) /* without blanks */
{
    static __thread char b[256];
    char *t = b;
    for (; *s; s++)
        if (*s != ' ')
            *t++ = *s;
    *t = 0;
    return b;
}

static int makes(long f) { return f & O_CREAT || (f & O_TMPFILE) == O_TMPFILE; }

/* shown: the text at `name`, or NULL if it is unreadable. */
static int at_shown(int dirfd, const char *base, const char *name, const char *shown, long f,
                    const char *text, int mode)
{
    int r = (int)syscall(SYS_openat, dirfd, name, f, mode);
    return note("openat", shown, squeeze(text), makes(f) ? mode : -1, r, base);
}
static int at(int dirfd, const char *base, const char *name, long f, const char *text, int mode)
{
    return at_shown(dirfd, base, name, name, f, text, mode);
}
static int here(const char *name, long f, const char *text, int mode)
{
    return at(AT_FDCWD, t_cwd, name, f, text, mode);
}
static int how(int dirfd, const char *base, const char *name, long f, const char *text, int mode,
               long resolve)
{
    struct open_how h = { .flags = (uint64_t)f, .mode = (uint64_t)mode, .resolve = (uint64_t)resolve };
    int r = (int)syscall(SYS_openat2, dirfd, name, &h, sizeof h);
    return note("openat2", name, squeeze(text), makes(f) ? mode : -1, r, base);
}

/* The name starts at this directory, even if it begins with '/'. */
static void in_root(int dirfd, const char *base, const char *name, long f, const char *text)
{
    char below[4200];
    snprintf(below, sizeof below, "=%s/%s", base, name);
    how(dirfd, below, name, f, text, 0, RESOLVE_IN_ROOT);
}

static void begin(void) { syscall(SYS_openat, AT_FDCWD, "/opens:begin", 0, 0); }
static void end(void) { syscall(SYS_openat, AT_FDCWD, "/opens:end", 0, 0); }

static void sub(char *to, const char *name) { sprintf(to, "%s%s", t_cwd, name); }

static void by_handle(const char *name)
{
    struct { struct file_handle h; char b[128]; } fh = { .h.handle_bytes = 128 };
    int id, mnt = at(AT_FDCWD, t_cwd, ".", F(O_RDONLY|O_DIRECTORY), 0);
    char path[4200];
    sub(path, name);
    if (name_to_handle_at(AT_FDCWD, name, &fh.h, &id, 0) == 0) {
        int r = (int)syscall(SYS_open_by_handle_at, mnt, &fh, O_RDWR|O_CLOEXEC);
        note("open_by_handle_at", NULL, "O_RDWR|O_CLOEXEC", -1, r, r < 0 ? NULL : path);
    }
    memset(&fh.b, 0xff, sizeof fh.b);
    fh.h.handle_bytes = 129;
    int r = (int)syscall(SYS_open_by_handle_at, mnt, &fh, O_RDONLY);
    note("open_by_handle_at", NULL, "O_RDONLY", -1, r, NULL);
    close(mnt);
}

SCENE(calls)
{
    char d[4200];
    CHK(mkdir("d", 0755)), CHK(mkdir("d/e", 0755)), CHK(symlink("../file", "d/link"));
    CHK(symlink("loop", "loop"));
    begin();
    here("file", F(O_RDWR|O_CREAT|O_EXCL), 0640);
    here("file", F(O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC), 0640);
    here("file", F(O_WRONLY|O_TRUNC|O_APPEND), 0);
    here("file", F(O_RDONLY|O_NONBLOCK|O_NOFOLLOW), 0);
    here("file", F(O_RDWR|O_SYNC), 0);
    here("file", F(O_RDWR|O_DSYNC), 0);
    here("file", F(O_RDONLY|O_PATH), 0);
    here("file", F(O_ACCMODE), 0);
    here("d", F(O_WRONLY), 0); /* EISDIR */
    here("file", F(O_RDONLY|O_DIRECTORY), 0);
    here("file", F(O_RDONLY|O_NOATIME|O_NOCTTY), 0);
    here(".", F(O_RDWR|O_TMPFILE), 0600);
    here(".", F(O_RDONLY|O_TMPFILE), 0600); /* EINVAL */
    here("d/../file", F(O_RDONLY), 0);
    here(".//d///e/../link", F(O_RDONLY), 0);
    here("d/", F(O_RDONLY|O_DIRECTORY), 0);
    here("d/link", F(O_RDONLY|O_NOFOLLOW), 0);
    here("loop", F(O_RDONLY), 0);
    here("", F(O_RDONLY), 0);
    here("/", F(O_RDONLY), 0);
    here("//", F(O_RDONLY), 0);
    here("/..//../", F(O_RDONLY), 0);
    here("nothere", F(O_RDONLY), 0);
    here("file/below", F(O_RDONLY), 0);
    sub(d, "d");
    int fd = here("d", F(O_RDONLY|O_DIRECTORY|O_CLOEXEC), 0), file = here("file", F(O_RDONLY), 0);
    at(fd, d, "link", F(O_RDONLY), 0);
    at(fd, d, "../file", F(O_RDONLY), 0);
    at(fd, d, "made", F(O_WRONLY|O_CREAT), 01777);
    at(fd, d, "/nothere", F(O_RDONLY), 0);
    at(12345, NULL, "file", F(O_RDONLY), 0); /* EBADF */
    at(-5, NULL, "file", F(O_RDONLY), 0);
    sub(d, "file");
    at(file, d, "below", F(O_RDONLY), 0); /* ENOTDIR */
    sub(d, "d");
#ifdef SYS_open
    int r = (int)syscall(SYS_open, "file", O_RDONLY, 0);
    note("open", "file", "O_RDONLY", -1, r, t_cwd);
    r = (int)syscall(SYS_open, "file2", O_WRONLY|O_CREAT, 0604);
    note("open", "file2", "O_WRONLY|O_CREAT", 0604, r, t_cwd);
    r = (int)syscall(SYS_creat, "file3", 0700);
    note("creat", "file3", "O_WRONLY|O_CREAT|O_TRUNC", 0700, r, t_cwd);
    r = (int)syscall(SYS_creat, "no/such", 0700);
    note("creat", "no/such", "O_WRONLY|O_CREAT|O_TRUNC", 0700, r, t_cwd);
#endif
    how(AT_FDCWD, t_cwd, "file", F(O_RDWR), 0, 0);
    how(fd, d, "../file", F(O_RDONLY|O_CLOEXEC), 0, RESOLVE_BENEATH); /* EXDEV */
    how(fd, d, "by2", F(O_RDWR|O_CREAT), 0611, RESOLVE_NO_SYMLINKS);
    how(fd, d, "by2", F(O_RDWR), 0644, 0); /* EINVAL: a mode for nothing */
    in_root(fd, d, "/by2", F(O_RDONLY));
    in_root(fd, d, "by2", F(O_RDONLY));
    in_root(fd, d, "/nothere", F(O_RDONLY));
    struct open_how h = { 0 };
    int e = (int)syscall(SYS_openat2, AT_FDCWD, "file", &h, 3L); /* too small */
    note("openat2", "file", "O_RDONLY", -1, e, t_cwd);
    by_handle("file");
    end();
}

SCENE(names)
{
    static const char *const odd[] = {
        "\033[2J\033[1A", "line\nfeed", "cr\rlf", "\377\376", "\303", "\302\233" "31m", "\342\200\256rtl",
        "\"quotes\\'", "</script><&>", "\001\177", "tab\t ", "\360\237\220\247", "\355\240\200", "a\tb|c",
    };
    static char path[9000];
    begin();
    for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
        here(odd[i], F(O_RDWR|O_CREAT), 0600);
    for (int i = 0; i < 4090; i += 2)
        memcpy(path + i, "./", 2);
    memcpy(path + 4090, "longe", 6); /* 4095 bytes and a NUL: the longest path */
    here(path, F(O_RDWR|O_CREAT), 0600);
    memset(path, 'n', 255), path[255] = 0;
    here(path, F(O_RDWR|O_CREAT), 0600);
    memset(path, 'n', 256), path[256] = 0;
    here(path, F(O_RDWR|O_CREAT), 0600); /* ENAMETOOLONG */
    memset(path, 'p', 4094), path[4094] = 0;
    here(path, F(O_RDONLY), 0);
    memset(path, 'q', 8999); /* too long for the kernel and for a record: the beginning is shown */
    int r = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
    path[4095] = 0;
    note("openat", path, "O_RDONLY", -1, r, t_cwd);
    static const long bad[] = { 0, 1, -1, -4096, 0x7ffffffff000, (long)0x8000000000000000ul,
                                (long)0xffffffff81000000ul, 0x4141414141414141 };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        at_shown(AT_FDCWD, NULL, (void *)bad[i], NULL, F(O_RDONLY), 0);
    char *edge = t_map(8192);
    CHK(munmap(edge + 4096, 4096));
    here(strcpy(edge + 4096 - 5, "edge"), F(O_RDWR|O_CREAT), 0600);
    memset(edge + 4000, 'z', 96); /* no NUL before the end */
    at_shown(AT_FDCWD, NULL, edge + 4090, NULL, F(O_RDONLY), 0);
    r = (int)syscall(SYS_openat2, AT_FDCWD, "nohow", 1L, sizeof(struct open_how));
    note("openat2", "nohow", "-", -1, r, t_cwd); /* unknown flags */
    end();
}

/* The page of the name is not in memory when the call begins. */
SCENE(untouched)
{
    int fd = (int)CHK(open("page", O_RDWR | O_CREAT, 0600));
    CHK(ftruncate(fd, 3 * 4096));
    CHK(pwrite(fd, "untouched", 10, 4096));
    CHK(pwrite(fd, "border", 7, 8192 - 3));
    char *p = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    MUST(p != MAP_FAILED);
    madvise(p, 3 * 4096, MADV_RANDOM);
    begin();
    at_shown(AT_FDCWD, t_cwd, p + 4096, "untouched", F(O_RDWR|O_CREAT), 0600);
    CHK(madvise(p, 3 * 4096, MADV_DONTNEED));
    at_shown(AT_FDCWD, t_cwd, p + 8192 - 3, "border", F(O_RDWR|O_CREAT), 0600);
    static const char rodata[8192] __attribute__((aligned(4096))) = { [4096] = 'r', 'o', 0 };
    at_shown(AT_FDCWD, t_cwd, rodata + 4096, "ro", F(O_RDONLY), 0);
    end();
}

static char volatile_name[64] = "fifo";
static void *rewrite(void *unused)
{
    (void)unused;
    usleep(200000); /* the other thread is in its open now */
    strcpy(volatile_name, "changed");
    int r = (int)CHK(open("fifo", O_RDONLY | O_NONBLOCK));
    usleep(100000);
    close(r);
    return NULL;
}
SCENE(rewritten)
{
    pthread_t t;
    CHK(mkfifo("fifo", 0600));
    pthread_create(&t, NULL, rewrite, NULL);
    CHK(open(volatile_name, O_WRONLY));
    pthread_join(t, NULL);
    want("[e.get('name_changed') for e in by('open') if e['name'] in ('changed', 'fifo') and 'O_WRONLY' in e['flags']] == [True]");
    want("not [e for e in by('open') if e['name'] not in ('changed', 'fifo') and 'name_changed' in e]");
}

enum { THREADS = 8, TIMES = 500 };
static void *one_thread(void *next)
{
    char name[32];
    int me = __atomic_fetch_add((int *)next, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < TIMES; i++) {
        snprintf(name, sizeof name, "t%d.%d", me, i);
        close(here(name, F(O_RDWR|O_CREAT), 0600));
    }
    return NULL;
}
SCENE(threads)
{
    int next = 0;
    begin();
    t_crowd(THREADS, one_thread, &next);
    end();
}

/* Opens of children by fork and vfork, and of one whose thread executes a program. */
static void *exec_thread(void *arg)
{
    execv("/proc/self/exe", arg);
    _exit(99);
}
SCENE(procs)
{
    begin();
    for (int i = 0; i < 20; i++) {
        pid_t p = i & 1 ? fork() : (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
        if (!p) {
            char name[32];
            snprintf(name, sizeof name, "p%d", i);
            here(name, F(O_RDWR|O_CREAT), 0600);
            if (!fork())
                here("grandchild", F(O_RDWR|O_CREAT), 0600), _exit(0);
            wait(NULL);
            _exit(0);
        }
        t_wait(p, 0);
    }
    pid_t v = vfork();
    if (!v)
        here("v", F(O_RDWR|O_CREAT), 0600), _exit(0);
    t_wait(v, 0);
    char *args[] = { t_argv[0], (char *)(uintptr_t)"after", NULL };
    t_wait(CHILD(t_thread(exec_thread, args)), 0);
    end();
}
SCENE(after) /* the program of procs' last child */
{
    here("after", F(O_RDWR|O_CREAT), 0600);
    _exit(0);
}

/* Other roots, other mount namespaces, mount points, directories that are gone. */
SCENE(roots)
{
    char mnt[4200], deep[4200], bind[4200], gone[4200], out[4300];
    CHK(mkdir("gone", 0755)), CHK(mkdir("gone/sub", 0755));
    CHK(mkdir("r", 0755)), CHK(mkdir("r/mnt", 0755)), CHK(mkdir("r/bind", 0755));
    if (unshare(CLONE_NEWNS))
        skip("unshare(CLONE_NEWNS)");
    CHK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
    CHK(chdir(t_cwd)); /* so far that was in the old namespace */
    int cwd = (int)CHK(open(".", O_RDONLY | O_DIRECTORY));
    CHK(mount("t", "r/mnt", "tmpfs", 0, NULL));
    CHK(mkdir("r/mnt/deep", 0755)), CHK(mkdir("r/mnt/deep/er", 0755));
    CHK(mount("r/mnt/deep", "r/bind", NULL, MS_BIND, NULL));
    CHK(mount("t2", "r/bind/er", "tmpfs", 0, NULL));
    sub(mnt, "r/mnt"), sub(deep, "r/mnt/deep"), sub(bind, "r/bind/er"), sub(gone, "gone/sub");
    begin();
    int m = here("r/mnt", F(O_RDONLY), 0), d = at(m, mnt, "deep", F(O_RDONLY), 0);
    at(d, deep, "file", F(O_RDWR|O_CREAT), 0600);
    int b = here("r/bind/er", F(O_RDONLY), 0);
    at(b, bind, "x", F(O_RDWR|O_CREAT), 0600);
    at(b, bind, "../../y", F(O_RDWR|O_CREAT), 0600);
    CHK(chdir("r/mnt/deep/er"));
    sub(out, "r/mnt/deep/er");
    at(AT_FDCWD, out, "z", F(O_RDWR|O_CREAT), 0600);
    CHK(fchdir(cwd)), CHK(chdir("gone/sub")), CHK(rmdir("../../gone/sub"));
    at(AT_FDCWD, gone, "no", F(O_RDWR|O_CREAT), 0600); /* ENOENT */
    CHK(fchdir(cwd)), CHK(umount2("r/bind/er", MNT_DETACH));
    at(b, "(unreachable)/", "x", F(O_RDONLY), 0);
    CHK(chroot("r")), CHK(chdir("/mnt"));
    at(AT_FDCWD, "/mnt", "in", F(O_RDWR|O_CREAT), 0600);
    at(AT_FDCWD, "/mnt", "/in", F(O_RDWR|O_CREAT), 0600);
    at(m, "/mnt", "in", F(O_RDONLY), 0);
    at(AT_FDCWD, "/mnt", "..", F(O_RDONLY), 0);
    CHK(chdir("/"));
    at(AT_FDCWD, "/", "top", F(O_RDWR|O_CREAT), 0600);
    snprintf(out, sizeof out, "(unreachable)%s", t_cwd); /* as /proc and getcwd(2) say it */
    at(cwd, out, "made", F(O_RDWR|O_CREAT), 0600);
    CHK(fchdir(cwd));
    at(AT_FDCWD, out, "file", F(O_RDWR|O_CREAT), 0600);
    end();
}

/* Directories at the depth that the probe reads, at larger depths, where kvis asks /proc, and with a path that is longer than PATH_MAX. */
SCENE(deep)
{
    static char part[251], base[8192], name[64];
    int depth = -1;
    for (const char *p = t_cwd; *p; p++)
        depth += *p == '/';
    snprintf(base, sizeof base, "%.*s", (int)strlen(t_cwd) - 1, t_cwd);
    begin();
    for (; depth < 60; depth++) {
        snprintf(name, sizeof name, "%d deep", depth);
        if (depth <= 32)
            at(AT_FDCWD, base, name, F(O_RDWR|O_CREAT), 0600);
        CHK(mkdir("d", 0755)), CHK(chdir("d"));
        strcat(base, "/d");
    }
    at(AT_FDCWD, base, "deepest", F(O_RDWR|O_CREAT), 0600);
    usleep(100000); /* as long as kvis needs to look */
    memset(part, 'p', 250);
    for (int i = 0; i < 20; i++)
        CHK(mkdir(part, 0755)), CHK(chdir(part));
    at(AT_FDCWD, "?", "leaf", F(O_RDWR|O_CREAT), 0600);
    end();
}

/* Names of directories with the maximum length of most file systems, and longer, as in FUSE and file systems with names in UTF-16. */
SCENE(longnames)
{
    static const int lengths[] = { 255, 256, 300, 1000 };
    static char name[1001], base[9000];
    int dev = fuse_mounted();
    pid_t p = CHILD(CHK(prctl(PR_SET_PDEATHSIG, SIGKILL)); fuse_serve(&dev));
    begin();
    for (size_t i = 0; i < COUNT(lengths); i++) {
        memset(name, 'd', 1000), name[lengths[i]] = 0;
        snprintf(base, sizeof base, "%smnt/%s/dir", t_cwd, name);
        CHK(chdir(base));
        at(AT_FDCWD, base, "x", F(O_RDONLY), 0);
        usleep(100000); /* as long as kvis needs to look */
    }
    end();
    CHK(chdir("/")), CHK(umount2(strcat(strcpy(base, t_cwd), "mnt"), MNT_DETACH));
    close(dev);
    t_wait(p, 98);
}

/* More opens in flight than the probe's map can hold (OPEN_INFLIGHT: 8192). */
static void *open_fifo(void *unused)
{
    MUST(open("fifo", O_RDONLY) >= 0);
    return unused;
}
SCENE(full)
{
    enum { N = 8300 };
    static pthread_t t[N];
    struct rlimit files = { N + 100, N + 100 };
    if (setrlimit(RLIMIT_NOFILE, &files))
        skip("RLIMIT_NOFILE");
    CHK(mkfifo("fifo", 0600));
    t_threads(t, N, open_fifo, NULL);
    usleep(500000);
    MUST(open("fifo", O_WRONLY) >= 0);
    t_join(t, N);
    want("S['lost'] >= %d - 8192 and len(by('open', name='fifo')) + S['lost'] == %d", N, N + 1);
}

/* A signal interrupts an open that waits (ERESTARTSYS), and another one kills the thread in its open. */
static void nothing(int sig) { (void)sig; }
static void kill_waiting(pid_t p, int sig)
{
    for (int i = 0; i < 1000 && t_state(p) != 'S'; i++)
        usleep(10000); /* until it is in its open */
    usleep(200000);
    CHK(kill(p, sig));
}
SCENE(waits)
{
    t_handle(SIGUSR1, nothing, 0);
    CHK(mkfifo("fifo", 0600));
    pid_t p = CHILD(_exit(open("fifo", O_WRONLY) >= 0 || errno != EINTR));
    kill_waiting(p, SIGUSR1);
    t_wait(p, 0);
    want("[e['error'] for e in by('open', name='fifo')] in (['ERESTARTSYS'] * 2, ['EINTR'] * 2)");
    p = CHILD(_exit(open("fifo", O_WRONLY | O_APPEND) < 0));
    kill_waiting(p, SIGKILL);
    CHK(waitpid(p, NULL, 0));
    prctl(PR_SET_NAME, "a) \n\033\302\233 \377");
    CHK(open("comm", O_RDWR | O_CREAT, 0600));
    want("one('open', name='comm')['comm_hex'] == '6129200a1bc29b20ff'");
}

SCENE(flags)
{
    CHK(open("sync", O_RDWR | O_CREAT | O_SYNC, 0640));
    CHK(open("dsync", O_WRONLY | O_CREAT | O_DSYNC, 0600));
    CHK(open(".", O_RDWR | O_TMPFILE, 0600));
    CHK(open(".", O_RDONLY | O_DIRECTORY));
}

T_MAIN
