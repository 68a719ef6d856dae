/* Duplicates, closes, shares, passes and inherits descriptors, and prints which open file each number refers to,
 * in which table, and until when. */
#include "t.h"
#include <arpa/inet.h>
#include <linux/close_range.h>
#include <linux/nsfs.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#define CREATE (O_RDWR | O_CREAT | O_TRUNC)

/* "old20" and so on. */
static const char *numbered(const char *word, int n)
{
    static char name[16];
    snprintf(name, sizeof name, "%s%d", word, n);
    return name;
}

static int put(const char *name, int fd)
{
    int f = (int)CHK(open(name, CREATE, 0644));
    if (f != fd) {
        CHK(dup2(f, fd));
        close(f);
    }
    return fd;
}

static void bytes(int fd, int n)
{
    char b[4096] = { 0 };
    MUST(write(fd, b, (size_t)n) == n);
}

static void wrote(const char *name, int n)
{
    want("tot('write', 'bytes', filename='%s%s') == %d", t_cwd, name, n);
}

static void closed_once(const char *name, int n)
{
    want("one('close', path='%s%s')['bytes_written'] == %d", t_cwd, name, n);
}

/* The last to hold the open file: who closed it, or had it open when it ended. */
static void last_holder(const char *name, pid_t p)
{
    want("{x['pid'] for x in by('close', path='%s%s') + [r for r in S['open_at_exit']"
         " if r['path'] == '%s%s']} == {%d}", t_cwd, name, t_cwd, name, p);
}

static void dup_all(void)
{
    int a = (int)CHK(open("one", CREATE, 0644));
    int fds[] = { a, dup(a), dup2(a, 50), dup3(a, 51, O_CLOEXEC), fcntl(a, F_DUPFD, 60),
                  fcntl(a, F_DUPFD_CLOEXEC, 70), dup2(a, a) };
    int sum = 0;
    for (int i = 0; i < 7; i++) {
        bytes((int)CHK(fds[i]), i + 1);
        sum += i + 1;
    }
    put("two", 50); /* dup2 over an open fd closes it */
    bytes(50, 100);
    MUST(dup2(999, 51) == -1); /* a failed dup2 closes nothing */
    bytes(51, 1000);
    for (int i = 1; i < 6; i++)
        close(fds[i]);
    bytes(a, 10000 - 6000);
    close(a);
    wrote("one", sum + 1000 + 4000);
    wrote("two", 100);
    closed_once("one", sum + 5000);
    closed_once("two", 100);
    want("{e['fd'] for e in by('write', filename='%sone')} == {%d, %d, 50, 51, %d, %d}", t_cwd,
         a, fds[1], fds[4], fds[5]);
    want("one('close', path='%sone')['ts_ns'] >= by('write', filename='%sone')[-1]['ts_ns']", t_cwd, t_cwd);
}

static void cloexec_after(void)
{
    for (int fd = 20; fd < 26; fd++) { /* 20, 22, 24 were closed by exec: these numbers are free */
        if (fcntl(fd, F_GETFD) == -1) {
            put(numbered("new", fd), fd);
            wrote(numbered("new", fd), fd + 1000);
        }
        bytes(fd, fd + 1000);
    }
    for (int fd = 20; fd < 26; fd++) {
        wrote(numbered("old", fd), fd % 2 ? fd + fd + 1000 : fd);
        if (!(fd % 2)) /* closed by exec itself, with what was written before */
            want("tot('close', 'bytes_written', path='%sold%d') == %d", t_cwd, fd, fd);
    }
    want("len(by('exec')) == 2");
    want("{e['path'] for e in S['open_at_exit']} >= {'%sold21', '%sold23', '%snew20'}", t_cwd, t_cwd, t_cwd);
    want("not {e['path'] for e in S['open_at_exit']} & {'%sold20', '%sold22', '%sold24'}", t_cwd, t_cwd, t_cwd);
}

static void cloexec(void)
{
    if (t_argc > 2) {
        cloexec_after();
        return;
    }
    for (int fd = 20; fd < 26; fd++) {
        put(numbered("old", fd), fd);
        bytes(fd, fd);
    }
    int f = (int)CHK(open("old20", O_WRONLY | O_CLOEXEC));
    CHK(dup3(f, 20, O_CLOEXEC)); /* replaces: of the two open files of that name the first is closed */
    close(f);
    CHK(fcntl(22, F_SETFD, FD_CLOEXEC));
    CHK(ioctl(24, FIOCLEX));
    CHK(fcntl(21, F_SETFD, FD_CLOEXEC)); /* and not any more */
    CHK(fcntl(21, F_SETFD, 0));
    CHK(ioctl(23, FIOCLEX));
    CHK(ioctl(23, FIONCLEX));
    execl("/proc/self/exe", t_argv[0], "cloexec", "after", NULL);
}

static void range_after(void)
{
    /* 20..24 closed at once, 25..27 by exec, 28 lives */
    for (int fd = 20; fd < 29; fd++) {
        MUST((fcntl(fd, F_GETFD) == -1) == (fd < 28));
        if (fd < 28) {
            put(numbered("new", fd), fd);
            wrote(numbered("new", fd), 500);
        }
        bytes(fd, 500);
    }
    for (int fd = 20; fd < 28; fd++) {
        closed_once(numbered("old", fd), fd);
        wrote(numbered("old", fd), fd);
    }
    wrote("old28", 528);
    want("by('close', path='%sold24')[0]['ts_ns'] < by('exec')[-1]['ts_ns'] + 1", t_cwd);
    want("row('open_at_exit', path='%sold28')['fd'] == 28", t_cwd);
}

static void range(void)
{
    if (t_argc > 2) {
        range_after();
        return;
    }
    for (int fd = 20; fd < 29; fd++) {
        put(numbered("old", fd), fd);
        bytes(fd, fd);
    }
    if (syscall(SYS_close_range, 20u, 24u, 0u))
        skip("close_range");
    CHK(syscall(SYS_close_range, 25u, 27u, CLOSE_RANGE_CLOEXEC));
    bytes(1, 0);
    execl("/proc/self/exe", t_argv[0], "range", "after", NULL);
}

static void *own_table(void *ports)
{
    struct sockaddr_in a = t_loopback(0);
    socklen_t n = sizeof a;
    CHK(unshare(CLONE_FILES));
    int s = (int)CHK(socket(AF_INET, SOCK_DGRAM, 0));
    CHK(dup2(s, 40)); /* another file than 40 is in the process's first thread */
    CHK(bind(40, (struct sockaddr *)&a, n));
    CHK(getsockname(40, (struct sockaddr *)&a, &n));
    *(int *)ports = ntohs(a.sin_port);
    return NULL;
}

/* A thread with descriptors of its own: a socket's address is asked of them, not of the process's. */
static void thread_files(void)
{
    struct sockaddr_in a = t_loopback(0);
    int port = 0;
    CHK(dup2((int)CHK(socket(AF_INET, SOCK_DGRAM, 0)), 40));
    CHK(bind(40, (struct sockaddr *)&a, sizeof a));
    t_thread(own_table, &port);
    want("[e['local_addr'] for e in by('bind', fd=40)][1] == '127.0.0.1:%d'", port);
}

/* A child in the same table (CLONE_FILES, memory not shared). */
static pid_t sharer(int flags)
{
    return (pid_t)CHK(syscall(SYS_clone, (unsigned long)flags | SIGCHLD, 0, 0, 0, 0));
}

static void range_unshare(void)
{
    put("keep", 30);
    pid_t p = sharer(CLONE_FILES);
    if (!p) { /* leaves the shared table, then closes in its own copy */
        if (syscall(SYS_close_range, 30u, 40u, CLOSE_RANGE_UNSHARE))
            _exit(77);
        put("childs", 30);
        bytes(30, 7);
        _exit(0);
    }
    t_wait(p, 0);
    bytes(30, 11);
    wrote("keep", 11);
    wrote("childs", 7);
    want("one('write', filename='%schilds')['pid'] == %d", t_cwd, p);
    want("by('write', filename='%skeep')[0]['pid'] == %d", t_cwd, getpid());
}

static void clone_files(void)
{
    volatile int *sh = t_shared(4096);
    put("first", 30);
    pid_t p = sharer(CLONE_FILES);
    if (!p) {
        put("second", 30); /* in the table of both */
        put("third", 31);
        sh[0] = 1;
        t_until(sh + 1);
        bytes(32, 5); /* opened by the parent meanwhile */
        CHK(unshare(CLONE_FILES)); /* from here on each has its own */
        put("mine", 32);
        bytes(32, 9);
        _exit(0);
    }
    t_until(sh);
    bytes(30, 3);
    bytes(31, 4);
    put("fourth", 32);
    sh[1] = 1;
    t_wait(p, 0);
    bytes(32, 6);
    wrote("first", 0);
    wrote("second", 3);
    wrote("third", 4);
    wrote("fourth", 11);
    wrote("mine", 9);
    want("{e['pid'] for e in by('write', filename='%sfourth')} == {%d, %d}", t_cwd, getpid(), p);
    want("one('write', filename='%ssecond')['pid'] == %d", t_cwd, getpid());
    want("one('close', path='%sfirst')['bytes_written'] == 0", t_cwd);
    last_holder("mine", p);
}

static void fork_copy(void)
{
    volatile int *sh = t_shared(4096);
    put("common", 30);
    pid_t p = (pid_t)CHK(fork());
    if (!p) {
        put("childs", 31);
        bytes(31, 3);
        bytes(30, 4);
        close(30);
        put("childs2", 30);
        bytes(30, 5);
        sh[0] = 1;
        _exit(0);
    }
    t_until(sh);
    put("parents", 31);
    bytes(31, 6);
    bytes(30, 7);
    t_wait(p, 0);
    close(30);
    wrote("common", 11);
    wrote("childs", 3);
    wrote("childs2", 5);
    wrote("parents", 6);
    closed_once("common", 11); /* one open file, two tables: it goes with the parent's close */
    want("one('close', path='%scommon')['pid'] == %d", t_cwd, getpid());
    want("one('close', path='%scommon')['opener_pid'] == %d", t_cwd, getpid());
    last_holder("childs", p);
}

static void *thread_open(void *arg)
{
    put("thr", 33);
    bytes(33, 4);
    return arg;
}

static void threads(void)
{
    t_thread(thread_open, NULL);
    bytes(33, 5);
    close(33);
    wrote("thr", 9);
    closed_once("thr", 9);
    want("len({e['tid'] for e in by('write', filename='%sthr')}) == 2", t_cwd);
    want("{e['pid'] for e in by('write', filename='%sthr')} == {%d}", t_cwd, getpid());
}

/* Sends fds over a socket, or takes them at the other end. */
static void pass(int sock, int *fds, int n, int send)
{
    union { struct cmsghdr h; char b[CMSG_SPACE(sizeof(int) * 8)]; } c = { 0 };
    char byte = 'x';
    struct iovec v = { &byte, 1 };
    struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &c,
                        .msg_controllen = send ? CMSG_SPACE(sizeof(int) * (size_t)n) : sizeof c };
    if (send) {
        struct cmsghdr *h = CMSG_FIRSTHDR(&m);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n);
        memcpy(CMSG_DATA(h), fds, sizeof(int) * (size_t)n);
        CHK(sendmsg(sock, &m, 0));
        return;
    }
    CHK(recvmsg(sock, &m, MSG_CMSG_CLOEXEC));
    MUST(CMSG_FIRSTHDR(&m) && CMSG_FIRSTHDR(&m)->cmsg_type == SCM_RIGHTS);
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int) * (size_t)n);
}

static void scm_(int in_flight)
{
    int s[2], fds[2];
    volatile int *sh = t_shared(4096);
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    pid_t p = (pid_t)CHK(fork());
    if (!p) {
        for (int i = 0; i < 5; i++)
            CHK(open("/dev/null", O_RDONLY)); /* other numbers than the sender's */
        if (in_flight)
            t_until(sh); /* the sender has closed its own: only the message holds them */
        pass(s[1], fds, 2, 0);
        sh[3] = 1;
        t_until(sh);
        bytes(fds[0], 21);
        bytes(fds[1], 22);
        sh[1] = fds[0], sh[2] = fds[1];
        close(fds[0]);
        _exit(0);
    }
    fds[0] = (int)CHK(open("sent0", CREATE, 0644));
    fds[1] = (int)CHK(open("sent1", CREATE, 0644));
    bytes(fds[0], 100);
    pass(s[0], fds, 2, 1);
    if (!in_flight)
        t_until(sh + 3);
    close(fds[0]);
    close(fds[1]);
    sh[0] = 1;
    t_wait(p, 0);
    MUST(sh[1] != fds[0]);
    wrote("sent0", 121);
    wrote("sent1", 22);
    want("one('write', filename='%ssent0', pid=%d)['fd'] == %d", t_cwd, p, sh[1]);
    want("one('write', filename='%ssent1', pid=%d)['fd'] == %d", t_cwd, p, sh[2]);
    want("[e['bytes_written'] for e in by('close', path='%ssent0', pid=%d)] == [100]", t_cwd, getpid());
    want("[e['bytes_written'] for e in by('close', path='%ssent0', pid=%d)] == [21]", t_cwd, p);
    want("one('close', path='%ssent0', pid=%d)['opener_pid'] == %d", t_cwd, getpid(), getpid());
    want("row('files', path='%ssent0')['bytes_written'] == 121", t_cwd);
    want("row('files', path='%ssent0')['opens'] == 1", t_cwd);
    want("one('close', path='%ssent1', pid=%d)['bytes_written'] == 22", t_cwd, p);
}

static void scm(void) { scm_(0); }
static void flight(void) { scm_(1); }

static void getfd(void)
{
    volatile int *sh = t_shared(4096);
    pid_t p = (pid_t)CHK(fork());
    if (!p) {
        sh[1] = (int)CHK(open("theirs", CREATE, 0644));
        bytes(sh[1], 3);
        sh[0] = 1;
        t_until(sh + 2);
        _exit(0);
    }
    t_until(sh);
    for (int i = 0; i < 5; i++)
        CHK(open("/dev/null", O_RDONLY));
    int pfd = (int)syscall(SYS_pidfd_open, p, 0);
    int fd = pfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pfd, sh[1], 0);
    if (fd < 0) {
        sh[2] = 1;
        skip("pidfd_getfd");
    }
    MUST(fd != sh[1]);
    bytes(fd, 5);
    sh[2] = 1;
    t_wait(p, 0);
    close(fd);
    wrote("theirs", 8);
    want("one('write', filename='%stheirs', pid=%d)['fd'] == %d", t_cwd, getpid(), fd);
    want("[e['bytes_written'] for e in by('close', path='%stheirs', pid=%d)] == [5]", t_cwd, getpid());
    want("row('files', path='%stheirs')['bytes_written'] == 8", t_cwd);
    want("row('open_at_exit', path='%stheirs', pid=%d)", t_cwd, p);
}

/* fd inherit IN SEVEN OUT: the names of what the case has opened as 0, 7 and 1. */
static void inherit(void)
{
    char b[64];
    MUST(t_argc == 5);
    MUST(read(0, b, 6) == 6);
    MUST(read(7, b, 9) == 9);
    close(8); /* never used, but it has a name */
    want("one('close', fd=8)['path'] == '%s'", t_argv[3]);
    bytes(2, 13); /* what kvis says on stderr goes to another file */
    want("tot('read', 'bytes', filename='%s', fd=0) == 6", t_argv[2]);
    want("tot('read', 'bytes', filename='%s', fd=7) == 9", t_argv[3]);
    want("tot('write', 'bytes', filename='%s', fd=1) > 100", t_argv[4]);
    want("tot('write', 'bytes', fd=2) == 13");
    want("row('files', path='%s')['bytes_read'] == 9", t_argv[3]);
}

static void *chdir_thread(void *arg)
{
    CHK(chdir((char *)arg));
    return NULL;
}

static void opened(const char *name, const char *abs)
{
    say("note %s is %s%s", name, t_cwd, abs);
    want("len([e for e in by('open') if os.path.normpath(e['path']) == '%s%s' and 'error' not in e]) == 1", t_cwd, abs);
}

static void relative(void)
{
    CHK(mkdir("d", 0755));
    CHK(mkdir("d/e", 0755));
    CHK(open("a", CREATE, 0644));
    CHK(chdir("d"));
    CHK(open("b", CREATE, 0644));
    int up = (int)CHK(open("..", O_RDONLY | O_DIRECTORY));
    int e = (int)CHK(openat(up, "d/e", O_PATH | O_DIRECTORY));
    CHK(openat(e, "c", CREATE, 0644));
    CHK(openat(up, "./d/../f", CREATE, 0644));
    CHK(fchdir(e));
    CHK(open("g", CREATE, 0644));
    CHK(openat(e, "/dev/null", O_RDONLY)); /* dirfd means nothing for an absolute name */
    pid_t q = (pid_t)CHK(fork());
    if (!q) { /* its own cwd */
        CHK(chdir("/"));
        CHK(open("etc/passwd", O_RDONLY));
        _exit(0);
    }
    t_wait(q, 0);
    CHK(open("h", CREATE, 0644));
    t_thread(chdir_thread, "../..");
    CHK(open("i", CREATE, 0644)); /* the thread moved all of us */
    pid_t p = sharer(CLONE_FS);
    if (!p) {
        CHK(chdir("d"));
        _exit(0);
    }
    t_wait(p, 0);
    CHK(open("j", CREATE, 0644));
    MUST(chdir("nowhere") == -1);
    CHK(open("k", CREATE, 0644));
    CHK(chdir("/"));
    CHK(open("etc/group", O_RDONLY));
    opened("a", "a");
    opened("b", "d/b");
    opened("c", "d/e/c");
    opened("f", "f");
    opened("g", "d/e/g");
    opened("h", "d/e/h");
    opened("i", "i");
    opened("j", "d/j");
    opened("k", "d/k");
    want("len(by('open', path='/etc/passwd', pid=%d)) == 1", q);
    want("len(by('open', path='/etc/group')) == 1");
}

/* Directories are called what they are called now, whoever renames them; and a call shows what they were called then. */
static void renamed(void)
{
    char from[sizeof t_cwd + 8], to[sizeof t_cwd + 8];
    CHK(mkdir("a", 0755));
    CHK(mkdir("a/b", 0755));
    CHK(chdir("a/b"));
    int b = (int)CHK(open(".", O_RDONLY | O_DIRECTORY)), p = (int)CHK(open("..", O_PATH | O_DIRECTORY));
    for (int i = 0; i < 3; i++) {
        char name[] = { (char)('p' + i), 0 }, fd[] = { (char)('s' + i), 0 }, up[] = { (char)('v' + i), 0 };
        CHK(open(name, CREATE, 0644));
        CHK(openat(b, fd, CREATE, 0644));
        CHK(openat(p, up, CREATE, 0644));
        snprintf(from, sizeof from, "%c/b/%s", "acd"[i], name);
        opened(name, from);
        snprintf(from, sizeof from, "%c/b/%s", "acd"[i], fd);
        opened(fd, from);
        snprintf(from, sizeof from, "%c/%s", "acd"[i], up);
        opened(up, from);
        if (i == 2)
            break;
        snprintf(from, sizeof from, "%s%c", t_cwd, "ac"[i]);
        snprintf(to, sizeof to, "%s%c", t_cwd, "cd"[i]);
        pid_t q = i ? 0 : (pid_t)CHK(fork());
        if (!q)
            CHK(rename(from, to));
        if (!i && !q)
            _exit(0);
        if (q)
            t_wait(q, 0);
    }
    CHK(syscall(SYS_renameat2, p, "b", AT_FDCWD, "../../e", 0u));
    CHK(open("y", CREATE, 0644));
    opened("y", "e/y");
    CHK(open("gone", CREATE, 0644));
    opened("gone", "e/gone");
    CHK(mkdir("z (deleted)", 0755)); /* a name, and no mark of /proc */
    CHK(chdir("z (deleted)"));
    CHK(rename("../z (deleted)", "../z"));
    CHK(open("m", CREATE, 0644));
    opened("m", "e/z/m");
    CHK(rename("../z", "../z (deleted)"));
    CHK(open("n", CREATE, 0644));
    opened("n", "e/z (deleted)/n");
}

/* A path with ".." in it leads to one file with one name, even when that file and the directories are gone at once. */
static void dotdot(void)
{
    char b[] = "..x../", names[4][12] = { "b/../f0", "b/./../f1", "l/../f2", "..x../../f3" };
    CHK(mkdir("b", 0755));
    CHK(mkdir("s", 0755));
    CHK(mkdir("s/t", 0755));
    CHK(mkdir(b, 0755));
    CHK(symlink("s/t", "l")); /* l/.. is s */
    for (int i = 0; i < 4; i++) {
        const char *real = i == 2 ? "s/f2" : strrchr(names[i], '/') + 1;
        int f = (int)CHK(open(names[i], CREATE, 0644));
        bytes(f, 10);
        CHK(unlink(real));
        close(f);
        f = (int)CHK(open(real, CREATE, 0644));
        bytes(f, 7);
        close(f);
        CHK(unlink(names[i]));
        wrote(real, 17);
        want("[e['path'] for e in by('open', path='%s%s')] == ['%s%s'] * 2", t_cwd, real, t_cwd, real);
        want("row('files', path='%s%s')['bytes_written'] == 17", t_cwd, real);
        if (i == 2) /* BPF's record of an unlink can be read after the program has ended: then nobody knows the link */
            want("S['backend'] == 'hybrid' or len(by('unlink', path='%ss/f2')) == 2", t_cwd);
    }
    int f = (int)CHK(creat("b/../made", 0644));
    CHK(unlink("made"));
    CHK(rmdir("b"));
    want("one('open', fd=%d, writable=True, path='%smade')", f, t_cwd);
}

/* The path of the working directory is too long for /proc: what a limit has left out is marked. */
static void deep(void)
{
    char name[251] = { 0 };
    for (int i = 0; i < 20; i++) {
        memset(name, 'a' + i, 250);
        CHK(mkdir(name, 0755));
        CHK(chdir(name));
    }
    int f = (int)CHK(open("f", CREATE, 0644)), d = (int)CHK(open(".", O_RDONLY | O_DIRECTORY));
    bytes(f, 5);
    int g = (int)CHK(openat(d, "../g", CREATE, 0644));
    want("one('open', fd=%d, writable=True)['path'] == '…/f'", f);
    want("one('open', fd=%d, writable=True)['path'] == '…/../g'", g);
    want("tot('write', 'bytes', filename='…/f') == 5");
    want("by('mkdir')[0]['path'] == '%s' + 'a' * 250", t_cwd);
    want("[e['path'] in ('…/' + chr(97 + i) * 250, '%s' + '/'.join(chr(97 + k) * 250 for k in range(i + 1)))"
         " for i, e in enumerate(by('mkdir'))] == [True] * 20", t_cwd);
    want("by('mkdir')[-1]['path'].startswith('…/')");
}

static void kind(int fd, const char *kinds, const char *like)
{
    want("[e['kind'] in (%s) or e for e in S['open_at_exit'] if e['pid'] == %d and e['fd'] == %d] == [True]",
         kinds, getpid(), fd);
    if (like)
        want("'%s' in row('open_at_exit', fd=%d)['path']", like, fd);
}

static void kinds(void)
{
    int p[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHK(pipe(p));
    kind(p[0], "'pipe',", NULL);
    kind(p[1], "'pipe',", NULL);
    CHK(pipe2(p, O_CLOEXEC));
    kind(p[1], "'pipe',", NULL);
    kind((int)CHK(eventfd(0, 0)), "'eventfd',", NULL);
    kind((int)CHK(epoll_create1(0)), "'epoll',", NULL);
    kind((int)CHK(timerfd_create(CLOCK_MONOTONIC, 0)), "'timerfd',", NULL);
    kind((int)CHK(signalfd(-1, &set, 0)), "'signalfd',", NULL);
    kind((int)CHK(inotify_init1(0)), "'inotify',", NULL);
    kind((int)CHK(syscall(SYS_memfd_create, "my memory", 0)), "'memfd',", "my memory");
    char name[250] = { 0 };
    memset(name, 'm', 248);
    kind((int)CHK(syscall(SYS_memfd_create, name, 0)), "'memfd',", name);
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (fd >= 0)
        kind(fd, "'pidfd',", NULL);
    char ring[256] = { 0 };
    fd = (int)syscall(SYS_io_uring_setup, 1, ring);
    if (fd >= 0)
        kind(fd, "'io_uring',", NULL);
    kind((int)CHK(open("f", CREATE, 0644)), "'file',", "kinds/f");
    kind((int)CHK(open(".", O_RDONLY | O_DIRECTORY)), "'dir', 'directory'", NULL);
    kind((int)CHK(open("/dev/null", O_RDWR)), "'device',", "/dev/null");
    CHK(mkfifo("fifo", 0600));
    kind((int)CHK(open("fifo", O_RDWR)), "'pipe', 'fifo'", "fifo");
}

/* Descriptors that only /proc can tell, and what is duplicated of them. */
static void made(void)
{
    enum { BPF_MAP_CREATE, BPF_MAP_TYPE_ARRAY = 2 };
    unsigned map[16] = { BPF_MAP_TYPE_ARRAY, 4, 4, 1 };
    unsigned long long ruleset = 1; /* LANDLOCK_ACCESS_FS_EXECUTE */
    int pt = (int)CHK(open("/dev/ptmx", O_RDWR | O_NOCTTY)), no = 0;
    CHK(ioctl(pt, TIOCSPTLCK, &no));
    struct { int fd; const char *like; } d[] = {
        { ioctl(pt, TIOCGPTPEER, O_RDWR | O_NOCTTY), "/dev/pts/" },
        { ioctl((int)CHK(open("/proc/self/ns/net", O_RDONLY)), NS_GET_USERNS), "user:[" },
        { (int)syscall(SYS_bpf, BPF_MAP_CREATE, map, sizeof map), "bpf-map" },
        { (int)syscall(433 /* fspick */, AT_FDCWD, "/", 0), "fscontext" },
        { (int)syscall(444 /* landlock_create_ruleset */, &ruleset, sizeof ruleset, 0), "landlock" },
    };
    for (unsigned i = 0; i < sizeof d / sizeof *d; i++)
        if (d[i].fd >= 0) {
            int over = (int)CHK(open("over", O_CREAT | O_RDWR, 0600));
            CHK(dup2(d[i].fd, over));
            for (int k = 0; k < 2; k++)
                want("'%s' in row('open_at_exit', fd=%d)['path']", d[i].like, k ? over : d[i].fd);
        }
    if (d[0].fd >= 0 && write(d[0].fd, "tty", 3) == 3)
        want("one('write', fd=%d)['filename'].startswith('/dev/pts/')", d[0].fd);
}

static void sockets(void)
{
    static const struct { int af, type, proto; const char *name; } s[] = {
        { AF_INET, SOCK_STREAM, 0, "'tcp4'," },
        { AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0, "'tcp6'," },
        { AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0, "'udp4'," },
        { AF_INET6, SOCK_DGRAM, 0, "'udp6'," },
        { AF_UNIX, SOCK_STREAM, 0, "'unix', 'unix-stream'" },
        { AF_UNIX, SOCK_DGRAM, 0, "'unix-dgram',"},
        { AF_UNIX, SOCK_SEQPACKET, 0, "'unix-seqpacket'," },
        { AF_NETLINK, SOCK_RAW, 0, "'netlink'," },
        { AF_INET, SOCK_RAW, 1, "'raw4'," },
        { AF_PACKET, SOCK_RAW, 0, "'packet'," },
        { AF_VSOCK, SOCK_STREAM, 0, "'vsock'," },
    };
    for (unsigned i = 0; i < sizeof s / sizeof *s; i++) {
        int fd = socket(s[i].af, s[i].type, s[i].proto);
        if (fd >= 0)
            want("[e.get('sock_type', e['kind']) in (%s) or e for e in S['open_at_exit'] if e['fd'] == %d] == [True]",
                 s[i].name, fd);
    }
    int p[2];
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, p));
    for (int i = 0; i < 2; i++)
        want("[e.get('sock_type', e['kind']) in ('unix', 'unix-stream') or e for e in S['open_at_exit'] if e['fd'] == %d] == [True]", p[i]);
}

static void ledger(void)
{
    char b[100];
    int fd = (int)CHK(open("led", CREATE, 0644));
    bytes(fd, 70);
    bytes(fd, 30);
    lseek(fd, 0, SEEK_SET);
    MUST(read(fd, b, 60) == 60);
    usleep(30000);
    close(fd);
    fd = (int)CHK(open("led", O_RDONLY)); /* another open file of the same name */
    MUST(read(fd, b, 100) == 100);
    close(fd);
    put("left", 40);
    bytes(40, 17);
    volatile int *sh = t_shared(4096);
    put("given", 41);
    pid_t p = (pid_t)CHK(fork());
    if (!p) {
        t_until(sh);
        bytes(41, 2);
        _exit(0); /* the last reference goes with the child */
    }
    close(41);
    sh[0] = 1;
    t_wait(p, 0);
    want("[(e['bytes_read'], e['bytes_written']) for e in by('close', path='%sled')] == [(60, 100), (100, 0)]", t_cwd);
    want("all(e['kind'] == 'file' and e['opener_pid'] == %d for e in by('close', path='%sled'))", getpid(), t_cwd);
    want("30e6 <= by('close', path='%sled')[0]['age_ns'] < 20e9", t_cwd);
    want("row('files', path='%sled')['bytes_read'] == 160", t_cwd);
    want("row('files', path='%sled')['bytes_written'] == 100", t_cwd);
    want("row('files', path='%sled')['opens'] == 2", t_cwd);
    want("row('open_at_exit', path='%sleft')['fd'] == 40", t_cwd);
    want("row('open_at_exit', path='%sleft')['pid'] == %d", t_cwd, getpid());
    want("not [e for e in S['open_at_exit'] if e['path'] == '%sled']", t_cwd);
    last_holder("given", p);
}

/* Descriptors that were closed by calls that kvis was not asked for (-e). */
static void closed(void)
{
    char b[4];
    int full = (int)CHK(open("/dev/full", O_RDONLY)), zero = (int)CHK(open("/dev/zero", O_RDONLY));
    CHK(dup2(full, 40));
    close(40);
    MUST(read(40, b, 1) == -1 && errno == EBADF);
    CHK(dup3(zero, 40, O_CLOEXEC));
    CHK(syscall(SYS_close_range, 40u, 41u, 0u));
    CHK(dup2(zero, 40));
    MUST(read(40, b, 4) == 4);
    close(zero);
    MUST(read(zero, b, 1) == -1 && errno == EBADF);
    want("[e['args'][:2] for e in by('syscall') if e['name'] in ('dup2', 'dup3')]"
         " == [['%d</dev/full>', '40'], ['%d</dev/zero>', '40'], ['%d</dev/zero>', '40']]", full, zero, zero);
    int event = (int)CHK(syscall(SYS_eventfd2, 0, EFD_NONBLOCK)), mem = (int)CHK(syscall(SYS_memfd_create, "mine", 0u));
    MUST(read(event, b, 4) == -1 && read(mem, b, 4) == 0);
    want("[e['args'][0] for e in by('syscall') if e['name'] == 'read'][-5:] == ['40', '40</dev/zero>', '%d', '%d<eventfd>',"
         " '%d<memfd:mine>']", zero, event, mem);
}

/* Files without a name any more. */
static volatile int is_closed;

static void *close_slowly(void *fd)
{
    close(*(int *)fd);
    is_closed = 1;
    return NULL;
}

/* Closes descriptor *fd of a socket in another thread, which waits until all data is sent. Returns the number of bytes. */
static int closes_slowly(pthread_t *th, int *fd, const struct sockaddr_in *a)
{
    static const struct linger wait = { 1, 2 };
    static char full[1 << 16];
    int sent = 0;
    *fd = (int)CHK(socket(AF_INET, SOCK_STREAM, 0));
    CHK(connect(*fd, (const struct sockaddr *)a, sizeof *a));
    CHK(setsockopt(*fd, SOL_SOCKET, SO_LINGER, &wait, sizeof wait));
    for (ssize_t n; (n = send(*fd, full, sizeof full, MSG_DONTWAIT)) > 0;)
        sent += (int)n;
    MUST(pthread_create(th, NULL, close_slowly, fd) == 0);
    for (int i = 0; i < 2000 && fcntl(*fd, F_GETFD) != -1; i++)
        usleep(1000);
    return sent;
}

/* close(2) frees the number first and then waits until the socket's data is sent: another thread reuses the number meanwhile,
 * and so it does with more numbers than kvis keeps for this. */
static void reused(void)
{
    enum { N = 6 };
    struct sockaddr_in a = t_loopback(0);
    socklen_t len = sizeof a;
    int l = (int)CHK(socket(AF_INET, SOCK_STREAM, 0)), fd[N], sent[N];
    pthread_t th[N];
    CHK(bind(l, (struct sockaddr *)&a, sizeof a));
    CHK(listen(l, N));
    CHK(getsockname(l, (struct sockaddr *)&a, &len));
    for (int i = 0; i < N; i++) {
        sent[i] = closes_slowly(th + i, fd + i, &a);
        MUST(open(i ? "more" : "new", CREATE, 0644) == fd[i]);
        bytes(fd[0], 100);
    }
    MUST(!is_closed);
    for (int i = 0; i < N; i++)
        MUST(pthread_join(th[i], NULL) == 0);
    bytes(fd[0], 1000);
    close(fd[0]);
    wrote("new", 1000 + 100 * N);
    closed_once("new", 1000 + 100 * N);
    for (int i = 0; i < N; i++)
        want("%d in [e['fd'] for e in by('close', kind='socket', bytes_written=%d)]", fd[i], sent[i]);
    want("'127.0.0.1:' in [e['args'][0] for e in by('syscall', name='close') if e['args'][0].startswith('%d<')][-1]", fd[N - 1]);
    want("[e['args'][0] for e in by('syscall', name='write')].count('%d<%snew>') == 1 + %d", fd[0], t_cwd, N);
}

static void tmpfile_(void)
{
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    if (fd < 0)
        skip("O_TMPFILE");
    bytes(fd, 12);
    close(fd);
    fd = (int)CHK(open("gone", CREATE, 0600));
    CHK(unlink("gone"));
    bytes(fd, 14);
    close(fd);
    want("tot('write', 'bytes', fd=%d) == 26", fd);
    want("one('close', path='%sgone')['bytes_written'] == 14", t_cwd);
    want("len(by('close', bytes_written=12)) == 1");
}

int main(int argc, char **argv)
{
    static const struct scene s[] = {
        { "dup", dup_all }, { "cloexec", cloexec }, { "range", range }, { "range_unshare", range_unshare },
        { "clone_files", clone_files }, { "fork_copy", fork_copy }, { "threads", threads }, { "thread_files", thread_files }, { "scm", scm }, { "flight", flight },
        { "getfd", getfd }, { "inherit", inherit }, { "relative", relative }, { "kinds", kinds },
        { "sockets", sockets }, { "made", made }, { "ledger", ledger }, { "tmpfile", tmpfile_ },
        { "closed", closed }, { "reused", reused }, { "renamed", renamed }, { "dotdot", dotdot }, { "deep", deep }, { NULL, NULL },
    };
    return t_main(argc, argv, s);
}
