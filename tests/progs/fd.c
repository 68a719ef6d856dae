/* Duplicates, closes, shares and passes descriptors, and prints which open file each number refers to,
 * in which table, and until when. */
#include "t.h"
#include <linux/nsfs.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

/* O_APPEND: each write makes the file longer, so the size of a file is the number of bytes written. */
#define CREATE (O_RDWR | O_CREAT | O_TRUNC | O_APPEND)

static const char *numbered(const char *word, int n)
{
    static char name[16];
    snprintf(name, sizeof name, "%s%d", word, n);
    return name;
}

static int made(const char *name)
{
    return (int)CHK(open(name, CREATE, 0644));
}

static int put(const char *name, int fd)
{
    int f = made(name);
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

static void check(const char *names, int once)
{
    char list[256];
    struct stat file;
    strcpy(list, names);
    for (char *name = strtok(list, " "); name; name = strtok(NULL, " ")) {
        CHK(stat(name, &file));
        want("tot('write', 'bytes', filename='~/%s') == %ld", name, (long)file.st_size);
        if (once)
            want("one('close', path='~/%s')['bytes_written'] == %ld", name, (long)file.st_size);
    }
}

/* For these files (separated by blanks), the trace has all bytes written and, for closed_once, one close each. */
static void wrote(const char *names) { check(names, 0); }
static void closed_once(const char *names) { check(names, 1); }

/* This process was the last one that had the file open. */
static void last_holder(const char *name, pid_t p)
{
    want("{x['pid'] for x in by('close', path='~/%s') + [r for r in S['open_at_exit'] if r['path'] == '~/%s']} == {%d}",
         name, name, p);
}

SCENE(dup)
{
    int a = made("one");
    int fds[] = { a, dup(a), dup2(a, 50), dup3(a, 51, O_CLOEXEC), fcntl(a, F_DUPFD, 60),
                  fcntl(a, F_DUPFD_CLOEXEC, 70), dup2(a, a) };
    for (int i = 0; i < 7; i++)
        bytes((int)CHK(fds[i]), i + 1);
    put("two", 50); /* dup2 over an open fd closes it */
    bytes(50, 100);
    MUST(dup2(999, 51) == -1); /* a failed dup2 closes nothing */
    bytes(51, 1000);
    for (int i = 1; i < 6; i++)
        close(fds[i]);
    bytes(a, 4000);
    close(a);
    closed_once("one two");
    want("{e['fd'] for e in by('write', filename='~/one')} == {%d, %d, 50, 51, %d, %d}", a, fds[1], fds[4], fds[5]);
    want("one('close', path='~/one')['ts_ns'] >= by('write', filename='~/one')[-1]['ts_ns']");
}

/* The fate of the descriptors from 20 on: c: closed, e: closed by the exec, k: kept. */
static const char fate[] = "ekekekcccee";

static void cloexec_after(void)
{
    for (int i = 0; fate[i]; i++) {
        int kept = fate[i] == 'k', fd = 20 + i;
        MUST((fcntl(fd, F_GETFD) == -1) == !kept);
        if (!kept) {
            put(numbered("new", fd), fd);
            wrote(numbered("old", fd));
            want("tot('close', 'bytes_written', path='~/old%d') == %d", fd, fd);
        }
        if (fate[i] == 'c')
            want("one('close', path='~/old%d')['ts_ns'] <= by('exec')[-1]['ts_ns']", fd);
        bytes(fd, fd + 1000);
        wrote(numbered(kept ? "old" : "new", fd));
        want("[(e['path'], e['fd']) for e in S['open_at_exit'] if e['path'] in ('~/old%d', '~/new%d')]"
             " == [('~/%s%d', %d)]", fd, fd, kept ? "old" : "new", fd, fd);
    }
    want("[E.index(e) < E.index(by('exec')[-1]) for e in by('close', kind='memfd')] == [True] * %d", t_argc - 3);
    want("len(by('exec')) == 2");
}

SCENE(cloexec)
{
    if (t_argc > 2) {
        cloexec_after();
        return;
    }
    for (int i = 0; fate[i]; i++) {
        put(numbered("old", 20 + i), 20 + i);
        bytes(20 + i, 20 + i);
    }
    int f = (int)CHK(open("old20", O_WRONLY | O_CLOEXEC));
    CHK(dup3(f, 20, O_CLOEXEC)); /* closes the first open file of this name */
    close(f);
    CHK(fcntl(22, F_SETFD, FD_CLOEXEC));
    CHK(ioctl(24, FIOCLEX));
    CHK(fcntl(21, F_SETFD, FD_CLOEXEC));
    CHK(fcntl(21, F_SETFD, 0));
    CHK(ioctl(23, FIOCLEX));
    CHK(ioctl(23, FIONCLEX));
    CHK(syscall(SYS_close_range, 26u, 28u, 0u));
    if (syscall(SYS_close_range, 29u, 30u, CLOSE_RANGE_CLOEXEC)) /* Linux 5.11 */
        for (int fd = 29; fd < 31; fd++)
            CHK(fcntl(fd, F_SETFD, FD_CLOEXEC));
    /* memfd_secret(2), which not all kernels have, takes O_CLOEXEC, not FD_CLOEXEC (mm/secretmem.c). */
    int secret = (int)syscall(447, O_CLOEXEC);
    MUST(secret < 0 || fcntl(secret, F_GETFD) == FD_CLOEXEC);
    execl("/proc/self/exe", t_argv[0], "cloexec", "after", secret < 0 ? NULL : "secret", NULL);
}

static void *own_table(void *ports)
{
    struct sockaddr_in a = t_loopback(0);
    socklen_t n = sizeof a;
    CHK(unshare(CLONE_FILES));
    int s = (int)CHK(socket(AF_INET, SOCK_DGRAM, 0));
    CHK(dup2(s, 40)); /* in the main thread, 40 is another file */
    CHK(bind(40, (struct sockaddr *)&a, n));
    CHK(getsockname(40, (struct sockaddr *)&a, &n));
    *(int *)ports = ntohs(a.sin_port);
    return NULL;
}

/* A thread with its own descriptor table: kvis looks up the address of a socket there. */
SCENE(thread_files)
{
    struct sockaddr_in a = t_loopback(0);
    int port = 0;
    CHK(dup2((int)CHK(socket(AF_INET, SOCK_DGRAM, 0)), 40));
    CHK(bind(40, (struct sockaddr *)&a, sizeof a));
    t_thread(own_table, &port);
    want("[e['local_addr'] for e in by('bind', fd=40)][1] == '127.0.0.1:%d'", port);
}

/* A child that shares the descriptor table, but not the memory. */
SCENE(clone_files)
{
    volatile int *sh = t_shared(4096);
    put("first", 30);
    pid_t p = (pid_t)CHK(syscall(SYS_clone, (unsigned long)CLONE_FILES | SIGCHLD, 0, 0, 0, 0));
    if (!p) {
        put("second", 30); /* in the table of both */
        put("third", 31);
        sh[0] = 1;
        t_until(sh + 1);
        bytes(32, 5); /* opened by the parent meanwhile */
        CHK(syscall(SYS_close_range, 32u, 40u, CLOSE_RANGE_UNSHARE)); /* from here on, each has its own table */
        MUST(fcntl(32, F_GETFD) == -1);
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
    closed_once("first");
    wrote("second third fourth mine");
    want("{e['pid'] for e in by('write', filename='~/fourth')} == {%d, %d}", getpid(), p);
    want("one('write', filename='~/second')['pid'] == %d", getpid());
    last_holder("mine", p);
}

static void *thread_open(void *arg)
{
    put("thr", 33);
    bytes(33, 4);
    return arg;
}

/* A child has a copy of the table; a thread has the same. */
SCENE(fork_copy)
{
    volatile int *sh = t_shared(4096);
    put("common", 30);
    pid_t p = CHILD(
        put("childs", 31);
        bytes(31, 3);
        bytes(30, 4);
        close(30);
        put("childs2", 30);
        bytes(30, 5);
        sh[0] = 1;
        _exit(0));
    t_until(sh);
    put("parents", 31);
    bytes(31, 6);
    bytes(30, 7);
    t_wait(p, 0);
    close(30);
    t_thread(thread_open, NULL);
    bytes(33, 5);
    close(33);
    wrote("childs childs2 parents");
    closed_once("common thr"); /* common is open in two tables until the parent closes it */
    want("one('close', path='~/common')['pid'] == one('close', path='~/common')['opener_pid'] == %d", getpid());
    want("{e['pid'] for e in by('write', filename='~/thr')} == {%d}", getpid());
    want("len({e['tid'] for e in by('write', filename='~/thr')}) == 2");
    last_holder("childs", p);
}

/* Sends two descriptors over a socket, or takes them at the other end. */
static void pass(int sock, int *fds, int send)
{
    union { struct cmsghdr h; char b[CMSG_SPACE(2 * sizeof(int))]; } c = { 0 };
    char byte = 'x';
    struct iovec v = { &byte, 1 };
    struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof c };
    if (send) {
        c.h = (struct cmsghdr){ CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
        memcpy(CMSG_DATA(&c.h), fds, 2 * sizeof(int));
        CHK(sendmsg(sock, &m, 0));
        return;
    }
    CHK(recvmsg(sock, &m, MSG_CMSG_CLOEXEC));
    MUST(CMSG_FIRSTHDR(&m) && CMSG_FIRSTHDR(&m)->cmsg_type == SCM_RIGHTS);
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), 2 * sizeof(int));
}

static void scm_(int in_flight)
{
    int s[2], fds[2];
    volatile int *sh = t_shared(4096);
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    pid_t p = CHILD(
        for (int i = 0; i < 5; i++)
            CHK(open("/dev/null", O_RDONLY)); /* other numbers than the sender's */
        if (in_flight)
            t_until(sh); /* the sender has closed them: only the message refers to them */
        pass(s[1], fds, 0);
        sh[3] = 1;
        t_until(sh);
        bytes(fds[0], 21);
        bytes(fds[1], 22);
        sh[1] = fds[0], sh[2] = fds[1];
        close(fds[0]);
        _exit(0));
    fds[0] = made("sent0");
    fds[1] = made("sent1");
    bytes(fds[0], 100);
    pass(s[0], fds, 1);
    if (!in_flight)
        t_until(sh + 3);
    close(fds[0]);
    close(fds[1]);
    sh[0] = 1;
    t_wait(p, 0);
    MUST(sh[1] != fds[0]);
    wrote("sent0 sent1");
    for (int i = 0; i < 2; i++)
        want("one('write', filename='~/sent%d', pid=%d)['fd'] == %d", i, p, sh[1 + i]);
    want("sorted((e['pid'], e['bytes_written']) for e in by('close', path='~/sent0')) == sorted([(%d, 100), (%d, 21)])",
         getpid(), p);
    want("one('close', path='~/sent0', pid=%d)['opener_pid'] == %d", getpid(), getpid());
    want("[(f['bytes_written'], f['opens']) for f in S['files'] if f['path'] == '~/sent0'] == [(121, 1)]");
    want("one('close', path='~/sent1', pid=%d)['bytes_written'] == 22", p);
}

SCENE(scm) { scm_(0); }
SCENE(flight) { scm_(1); }

SCENE(getfd)
{
    volatile int *sh = t_shared(4096);
    pid_t p = CHILD(
        sh[1] = made("theirs");
        bytes(sh[1], 3);
        sh[0] = 1;
        t_until(sh + 2);
        _exit(0));
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
    wrote("theirs");
    want("one('write', filename='~/theirs', pid=%d)['fd'] == %d", getpid(), fd);
    want("[e['bytes_written'] for e in by('close', path='~/theirs', pid=%d)] == [5]", getpid());
    want("row('files', path='~/theirs')['bytes_written'] == 8");
    want("row('open_at_exit', path='~/theirs', pid=%d)", p);
}

/* Makes a file in the directory `dir`. `place` is its path relative to the program's first directory. */
static void opened(int dir, const char *place)
{
    CHK(openat(dir, strrchr(place, '/') + 1, CREATE, 0644));
    want("len([e for e in by('open') if os.path.normpath(e['path']) == '~/%s' and 'error' not in e]) == 1", place);
}

/* A call shows the names that directories have at that time, whichever process renames them. (The case places changes the working
 * directory in every other way.) */
SCENE(renamed)
{
    static const char *const top[] = { "a", "c", "d" };
    char from[sizeof t_cwd + 8], to[sizeof t_cwd + 8], place[16];
    CHK(mkdir("a", 0755));
    CHK(mkdir("a/b", 0755));
    CHK(chdir("a/b"));
    int b = (int)CHK(open(".", O_RDONLY | O_DIRECTORY)), p = (int)CHK(open("..", O_PATH | O_DIRECTORY));
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            snprintf(place, sizeof place, "%s/%s%d%d", top[i], k < 2 ? "b/" : "", i, k);
            opened(k == 0 ? AT_FDCWD : k == 1 ? b : p, place);
        }
        if (i == 2)
            break;
        snprintf(from, sizeof from, "%s%s", t_cwd, top[i]);
        snprintf(to, sizeof to, "%s%s", t_cwd, top[i + 1]);
        if (i) {
            CHK(rename(from, to));
        } else {
            t_wait(CHILD(_exit(rename(from, to) != 0)), 0);
        }
    }
    CHK(syscall(SYS_renameat2, p, "b", AT_FDCWD, "../../e", 0u));
    opened(AT_FDCWD, "e/y");
    opened(AT_FDCWD, "e/gone");
    CHK(mkdir("z (deleted)", 0755)); /* a name that looks like a mark of /proc */
    CHK(chdir("z (deleted)"));
    CHK(rename("../z (deleted)", "../z"));
    opened(AT_FDCWD, "e/z/m");
    CHK(rename("../z", "../z (deleted)"));
    opened(AT_FDCWD, "e/z (deleted)/n");
}

/* Paths with ".." have the normalized name of their file, even if the file and the directories are removed at once. */
SCENE(dotdot)
{
    char b[] = "..x../", names[4][12] = { "b/../f0", "b/./../f1", "l/../f2", "..x../../f3" };
    CHK(mkdir("b", 0755));
    CHK(mkdir("s", 0755));
    CHK(mkdir("s/t", 0755));
    CHK(mkdir(b, 0755));
    CHK(symlink("s/t", "l")); /* l/.. is s */
    for (int i = 0; i < 4; i++) {
        const char *real = i == 2 ? "s/f2" : strrchr(names[i], '/') + 1;
        int f = made(names[i]);
        bytes(f, 10);
        CHK(unlink(real));
        close(f);
        f = made(real);
        bytes(f, 7);
        close(f);
        CHK(unlink(names[i]));
        want("tot('write', 'bytes', filename='~/%s') == 17", real);
        want("[e['path'] for e in by('open', path='~/%s')] == ['~/%s'] * 2", real, real);
        want("row('files', path='~/%s')['bytes_written'] == 17", real);
        if (i == 2) /* with hybrid, kvis may resolve the link after the program has removed it */
            want("S['backend'] == 'hybrid' or len(by('unlink', path='~/s/f2')) == 2");
    }
    int f = (int)CHK(creat("b/../made", 0644));
    CHK(unlink("made"));
    CHK(rmdir("b"));
    want("one('open', fd=%d, writable=True, path='~/made')", f);
}

/* The path of the working directory is too long for /proc: "…" marks the part that is missing. */
SCENE(deep)
{
    char name[251] = { 0 };
    for (int i = 0; i < 20; i++) {
        memset(name, 'a' + i, 250);
        CHK(mkdir(name, 0755));
        CHK(chdir(name));
    }
    int f = made("f"), d = (int)CHK(open(".", O_RDONLY | O_DIRECTORY));
    bytes(f, 5);
    int g = (int)CHK(openat(d, "../g", CREATE, 0644));
    want("one('open', fd=%d, writable=True)['path'] == '…/f'", f);
    want("one('open', fd=%d, writable=True)['path'] == '…/../g'", g);
    want("tot('write', 'bytes', filename='…/f') == 5");
    want("row('files', path='…/f')['bytes_written'] == 5");
    want("by('mkdir')[0]['path'] == '~/' + 'a' * 250");
    want("[e['path'] in ('…/' + chr(97 + i) * 250, '~/' + '/'.join(chr(97 + k) * 250 for k in range(i + 1)))"
         " for i, e in enumerate(by('mkdir'))] == [True] * 20");
    want("by('mkdir')[-1]['path'].startswith('…/')");
}

/* The kind of each of these descriptors at the end, and a part of its name. */
struct kind { int fd; const char *kind, *like; };

static void are(const struct kind *k, size_t n)
{
    for (; n-- > 0; k++) {
        if (k->fd < 0) /* not in this kernel */
            continue;
        want("[e.get('sock_type', e['kind']) for e in S['open_at_exit'] if e['pid'] == %d and e['fd'] == %d] == ['%s']",
             getpid(), k->fd, k->kind);
        if (k->like)
            want("'%s' in row('open_at_exit', fd=%d)['path']", k->like, k->fd);
    }
}

SCENE(kinds)
{
    int p[2], q[2], u[2];
    char name[250] = { 0 }, ring[256] = { 0 };
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    memset(name, 'm', 248);
    CHK(pipe(p));
    CHK(pipe2(q, O_CLOEXEC));
    CHK(mkfifo("fifo", 0600));
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, u));
    const struct kind all[] = {
        { p[0], "pipe", NULL }, { p[1], "pipe", NULL }, { q[1], "pipe", NULL },
        { (int)CHK(eventfd(0, 0)), "eventfd", NULL },
        { (int)CHK(epoll_create1(0)), "epoll", NULL },
        { (int)CHK(timerfd_create(CLOCK_MONOTONIC, 0)), "timerfd", NULL },
        { (int)CHK(signalfd(-1, &set, 0)), "signalfd", NULL },
        { (int)CHK(inotify_init1(0)), "inotify", NULL },
        { (int)CHK(syscall(SYS_memfd_create, "my memory", 0)), "memfd", "my memory" },
        { (int)CHK(syscall(SYS_memfd_create, name, 0)), "memfd", name },
        { (int)syscall(SYS_pidfd_open, getpid(), 0), "pidfd", NULL },
        { (int)syscall(SYS_io_uring_setup, 1, ring), "io_uring", NULL },
        { made("f"), "file", "/f" },
        { (int)CHK(open(".", O_RDONLY | O_DIRECTORY)), "dir", NULL },
        { (int)CHK(open("/dev/null", O_RDWR)), "device", "/dev/null" },
        { (int)CHK(open("fifo", O_RDWR)), "pipe", "fifo" },
        { u[0], "unix", NULL }, { u[1], "unix", NULL },
    };
    are(all, COUNT(all));
}

SCENE(sockets)
{
    const struct kind all[] = {
        { socket(AF_INET, SOCK_STREAM, 0), "tcp4", NULL },
        { socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0), "tcp6", NULL },
        { socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "udp4", NULL },
        { socket(AF_INET6, SOCK_DGRAM, 0), "udp6", NULL },
        { socket(AF_UNIX, SOCK_STREAM, 0), "unix", NULL },
        { socket(AF_UNIX, SOCK_DGRAM, 0), "unix-dgram", NULL },
        { socket(AF_UNIX, SOCK_SEQPACKET, 0), "unix-seqpacket", NULL },
        { socket(AF_NETLINK, SOCK_RAW, 0), "netlink", NULL },
        { socket(AF_INET, SOCK_RAW, 1), "raw4", NULL },
        { socket(AF_PACKET, SOCK_RAW, 0), "packet", NULL },
        { socket(AF_VSOCK, SOCK_STREAM, 0), "vsock", NULL },
    };
    are(all, COUNT(all));
}

/* Descriptors that kvis must look up in /proc, and their duplicates. */
SCENE(made)
{
    enum { BPF_MAP_CREATE, BPF_MAP_TYPE_ARRAY = 2 };
    unsigned map[16] = { BPF_MAP_TYPE_ARRAY, 4, 4, 1 };
    unsigned long long ruleset = 1; /* LANDLOCK_ACCESS_FS_EXECUTE */
    int pt = (int)CHK(open("/dev/ptmx", O_RDWR | O_NOCTTY)), no = 0;
    CHK(ioctl(pt, TIOCSPTLCK, &no));
    const struct { int fd; const char *like; } d[] = {
        { ioctl(pt, TIOCGPTPEER, O_RDWR | O_NOCTTY), "/dev/pts/" },
        { ioctl((int)CHK(open("/proc/self/ns/net", O_RDONLY)), NS_GET_USERNS), "user:[" },
        { (int)syscall(SYS_bpf, BPF_MAP_CREATE, map, sizeof map), "bpf-map" },
        { (int)syscall(433 /* fspick */, AT_FDCWD, "/", 0), "fscontext" },
        { (int)syscall(444 /* landlock_create_ruleset */, &ruleset, sizeof ruleset, 0), "landlock" },
    };
    for (unsigned i = 0; i < COUNT(d); i++)
        if (d[i].fd >= 0) {
            int over = made("over");
            CHK(dup2(d[i].fd, over));
            for (int k = 0; k < 2; k++)
                want("'%s' in row('open_at_exit', fd=%d)['path']", d[i].like, k ? over : d[i].fd);
        }
    if (d[0].fd >= 0 && write(d[0].fd, "tty", 3) == 3)
        want("one('write', fd=%d)['filename'].startswith('/dev/pts/')", d[0].fd);
}

SCENE(ledger)
{
    char b[100];
    int fd = made("led");
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
    want("[(e['bytes_read'], e['bytes_written'], e['kind'], e['opener_pid']) for e in by('close', path='~/led')]"
         " == [(60, 100, 'file', %d), (100, 0, 'file', %d)]", getpid(), getpid());
    want("30e6 <= by('close', path='~/led')[0]['age_ns'] < 20e9");
    want("[(f['bytes_read'], f['bytes_written'], f['opens']) for f in S['files'] if f['path'] == '~/led'] == [(160, 100, 2)]");
    want("[(e['fd'], e['pid']) for e in S['open_at_exit'] if e['path'] in ('~/left', '~/led')] == [(40, %d)]", getpid());
}

/* Descriptors that are closed by calls that -e excludes. */
SCENE(closed)
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

static volatile int is_closed;

static void *close_slowly(void *fd)
{
    close(*(int *)fd);
    is_closed = 1;
    return NULL;
}

/* close(2) frees the number before it waits until the data of the socket is sent; another thread reuses the number meanwhile. */
SCENE(reused)
{
    static const struct linger wait = { 1, 2 };
    static char full[1 << 16];
    struct sockaddr_in a = t_loopback(0);
    socklen_t len = sizeof a;
    int l = (int)CHK(socket(AF_INET, SOCK_STREAM, 0)), fd = (int)CHK(socket(AF_INET, SOCK_STREAM, 0)), sent = 0;
    pthread_t th;
    CHK(bind(l, (struct sockaddr *)&a, sizeof a));
    CHK(listen(l, 1));
    CHK(getsockname(l, (struct sockaddr *)&a, &len));
    CHK(connect(fd, (struct sockaddr *)&a, sizeof a));
    CHK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &wait, sizeof wait));
    for (ssize_t n; (n = send(fd, full, sizeof full, MSG_DONTWAIT)) > 0;)
        sent += (int)n;
    t_threads(&th, 1, close_slowly, &fd);
    for (int i = 0; i < 2000 && fcntl(fd, F_GETFD) != -1; i++)
        usleep(1000);
    MUST(made("new") == fd);
    bytes(fd, 100);
    MUST(!is_closed);
    t_join(&th, 1);
    bytes(fd, 1000);
    close(fd);
    closed_once("new");
    want("one('close', kind='socket', fd=%d)['bytes_written'] == %d", fd, sent);
    want("'127.0.0.1:' in [e['args'][0] for e in by('syscall', name='close') if e['args'][0].startswith('%d<')][0]", fd);
    want("[e['args'][0] for e in by('syscall', name='write')].count('%d<~/new>') == 2", fd);
}

SCENE(tmpfile)
{
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    if (fd < 0)
        skip("O_TMPFILE");
    bytes(fd, 12);
    close(fd);
    want("tot('write', 'bytes', fd=%d) == 12", fd);
    want("len(by('close', bytes_written=12)) == 1");
}

/* An open by a link of /proc or /dev to an open file has the name of that file. */
SCENE(linked)
{
    static const char *const dir[] = { "/dev/fd", "/proc/self/fd", "/proc/thread-self/fd" };
    char name[64], b[8];
    struct stat st;
    int p[2], f = made("f"), g = made("g");
    CHK(pipe(p));
    CHK(fstat(p[0], &st));
    for (size_t i = 0; i < COUNT(dir); i++) {
        snprintf(name, sizeof name, "%s/%d", dir[i], p[0]);
        int n = (int)CHK(open(name, O_RDONLY));
        bytes(p[1], (int)i + 1);
        MUST(CHK(read(n, b, sizeof b)) == (int)i + 1);
        want("one('read', fd=%d)['filename'] == one('open', fd=%d)['path'] == 'pipe:[%lu]'", n, n, (unsigned long)st.st_ino);
        want("one('read', fd=%d)['target'] == 'pipe'", n);
        snprintf(name, sizeof name, "%s/%d", dir[i], f);
        n = (int)CHK(open(name, O_WRONLY));
        bytes(n, 5);
        want("one('open', fd=%d)['path'] == one('write', fd=%d)['filename'] == '~/f'", n, n);
        CHK(chmod(name, 0601));
        int m = (int)CHK(open(name, O_PATH | O_NOFOLLOW));
        want("one('open', fd=%d)['path'] == '%s'", m, name);
        MUST(open(strcat(name, "999"), O_RDONLY) < 0);
        want("one('open', path='%s')['error'] == 'ENOENT'", name);
    }
    want("[e['mode'] for e in by('chmod', path='~/f')] == ['0601'] * 3");
    if (!access("/dev/stdin", F_OK)) {
        CHK(dup2(g, 0));
        int n = (int)CHK(open("/dev/stdin", O_WRONLY));
        bytes(n, 9);
        want("one('open', fd=%d)['path'] == one('write', fd=%d)['filename'] == '~/g'", n, n);
    }
    CHK(syscall(SYS_renameat2, AT_FDCWD, "f", AT_FDCWD, "g", 2u /* RENAME_EXCHANGE */));
    want("one('rename', path='~/f', new_path='~/g')['how'] == 'exchange'");
}

T_MAIN
