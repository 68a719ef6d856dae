/* Invalid pointers, absurd counts, and pages that only another thread can supply. */
#include "t.h"

#include <linux/userfaultfd.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

/* Counts of 2^31, 2^63, -1: the kernel refuses them, and kvis allocates and reads nothing of that size. */
SCENE(counts)
{
    static const unsigned long n[] = { 1024, 1025, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, -1ul };
    static char buf[65536];
    static struct iovec v[1024];
    int null = (int)CHK(open("/dev/null", O_RDWR)), s[2], e = (int)CHK(epoll_create1(0));
    CHK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
    for (unsigned i = 0; i < 1024; i++)
        v[i] = (struct iovec){ buf, i & 1 ? 10 : 0 };
    for (unsigned i = 0; i < COUNT(n); i++) {
        long c = (long)n[i];
        struct iovec one = { buf, n[i] };
        struct msghdr m = { .msg_iov = v, .msg_iovlen = n[i] }, m2 = { .msg_iov = &one, .msg_iovlen = 1, .msg_control = buf, .msg_controllen = n[i] };
        syscall(SYS_writev, null, v, c);
        syscall(SYS_readv, null, v, c);
        syscall(SYS_writev, null, &one, 1L);
        syscall(SYS_write, null, buf, c);
        syscall(SYS_read, null, buf, c);
        syscall(SYS_pwritev2, null, v, c, -1L, -1L, 0L);
        syscall(SYS_process_vm_readv, getpid(), v, c, v, c, 0L);
        syscall(SYS_vmsplice, null, v, c, 0L);
        syscall(SYS_sendmsg, s[0], &m, MSG_DONTWAIT);
        syscall(SYS_recvmsg, s[1], &m, MSG_DONTWAIT);
        syscall(SYS_sendmsg, s[0], &m2, MSG_DONTWAIT);
        syscall(SYS_sendto, s[0], buf, c, MSG_DONTWAIT, buf, c);
        syscall(SYS_sendmmsg, s[0], buf, c, MSG_DONTWAIT);
        syscall(SYS_recvmmsg, s[1], buf, c, MSG_DONTWAIT, NULL);
        syscall(SYS_bind, s[0], buf, c);
        syscall(SYS_setsockopt, s[0], SOL_SOCKET, SO_RCVBUF, buf, c);
        struct timespec zero = { 0, 0 };
        syscall(SYS_ppoll, buf, c, &zero, NULL, 8L);
        syscall(SYS_pselect6, c < 0 || c > 1024 ? c : 0, buf, buf, buf, &zero, NULL);
        if (c > 1024 || c < 0)
            syscall(SYS_epoll_pwait, e, buf, c, 0L, NULL, 8L);
        syscall(SYS_getdents64, null, buf, c);
        syscall(SYS_getcwd, buf, c);
        syscall(SYS_getgroups, c, buf);
        syscall(SYS_setxattr, "none", "user.x", buf, c, 0L);
        syscall(SYS_bpf, 0L, buf, c);
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, buf, c);
        syscall(SYS_sched_setaffinity, 0, c, NULL);
        syscall(SYS_mincore, buf, c, buf);
        syscall(c, c, c, c, c, c, c); /* and a call number */
    }
    want("len([c for c in calls('writev') if c['error'] == 'EINVAL']) >= %zu", COUNT(n) - 1);
    want("tot('write', 'bytes', filename='/dev/null') >= 5120");
    want("all(len(str(e)) < 1 << 20 for e in E)"); /* whatever -s says */
    want("len(calls('pselect6')) == %zu", COUNT(n));
}

/* Extensible structures that are partly unreadable, or longer than in any kernel. */
SCENE(ext)
{
    static const unsigned long size[] = { 0, 8, 24, 25, 64, 160, 161, 4096, 4097, 8192, 1ul << 32 | 24 };
    char *p = t_map(3 * 4096), *edge = p + 8192; /* the first byte that is not readable */
    CHK(mprotect(edge, 4096, PROT_NONE));
    for (unsigned i = 0; i < 2 * COUNT(size); i++) {
        char *how = i & 1 ? edge - 24 : p, *attr = i & 1 ? edge - 32 : p, *task = i & 1 ? edge - 64 : p;
        unsigned n = (unsigned)size[i / 2];
        memset(p, 0, 8192);
        p[200] = 1;
        syscall(SYS_openat2, -1, "x", how, size[i / 2]);
        syscall(442 /* mount_setattr */, -1, "x", 0, attr, size[i / 2]);
        syscall(SYS_sched_setattr, -1, memcpy(attr, &n, 4), 0);
        memcpy(attr, "\6\0\0", 4);
        syscall(SYS_perf_event_open, (char *)memcpy(attr + 4, &n, 4) - 4, -2, -1, -1, 0);
        memset(task, 255, 8);
        syscall(SYS_clone3, task, size[i / 2]);
    }
    /* Arrays and bytes that continue in memory that is not readable. */
    memset(edge - 48, 1, 48);
    for (unsigned n = 1; n < 48; n += 5) {
        syscall(SYS_ppoll, edge - n, 3, 0, 0, 8);
        syscall(SYS_semop, -1, edge - n, 3);
        syscall(SYS_setgroups, 3, edge - n);
        syscall(SYS_write, -1, edge - n, 50);
        syscall(SYS_fsetxattr, -1, "user.a", edge - n, 50, 0);
        syscall(SYS_pwritev2, -1, edge - n, 3, 0, 0, 8);
    }
    want("'4097' in [c['args'][3] for c in calls('openat2')"
         " if re.match('{flags=O_RDONLY, mode=000, resolve=0, .* bytes 24..4095 ', c['args'][2])]");
    want("any(c['args'][0].startswith('[{fd=16843009, events=') and '}, ... /* 0x' in c['args'][0] for c in calls('ppoll'))");
    want("calls('fsetxattr')[0]['args'][2:4] == [chr(1) + '...', '50']");
}

static int u;
static char *page;
static volatile int *served;

static void *server(void *arg)
{
    struct uffd_msg m;
    static char src[4096] __attribute__((aligned(4096)));
    for (;;) {
        if (read(u, &m, sizeof m) != sizeof m || m.event != UFFD_EVENT_PAGEFAULT)
            return arg;
        strcpy(src, "/etc/passwd");
        usleep(10000);
        struct uffdio_copy c = { .dst = m.arg.pagefault.address & -4096ull, .src = (unsigned long)src, .len = 4096 };
        ++*served;
        if (ioctl(u, UFFDIO_COPY, &c))
            return NULL;
    }
}

/* Makes a page that is missing until the reader of the userfaultfd `made` supplies it. */
static void watch(int made, size_t size)
{
    u = made;
    struct uffdio_api a = { .api = UFFD_API };
    if (u < 0 || ioctl(u, UFFDIO_API, &a))
        skip("userfaultfd");
    page = t_map(size);
    struct uffdio_register r = { .range = { (unsigned long)page, size }, .mode = UFFDIO_REGISTER_MODE_MISSING };
    CHK(ioctl(u, UFFDIO_REGISTER, &r));
}

/* The page of open's argument comes from another thread of the program. */
static void uffd_of(int made)
{
    pthread_t t;
    served = t_shared(4096);
    watch(made, 3 * 4096);
    t_threads(&t, 1, server, NULL);
    usleep(20000);
    int fd = (int)CHK(syscall(SYS_openat, AT_FDCWD, page, O_RDONLY));
    MUST(*served == 1);
    CHK(syscall(SYS_openat, AT_FDCWD, page + 4096, O_RDONLY));
    CHK(syscall(SYS_openat, AT_FDCWD, page + 4096, O_RDONLY)); /* now it is there */
    MUST(*served == 2);
    want("'/etc/passwd' in [e['path'] for e in by('open', fd=%d)] or S.get('unreadable', 0)", fd);
    want("by('open', fd=%d)[0]['path'] == '/etc/passwd'", fd + 2);
    want("S['exit_code'] == 0");
}

SCENE(uffd)
{
    uffd_of((int)syscall(SYS_userfaultfd, O_CLOEXEC));
    want("len([c for c in calls('openat') if c['ret'] == %d]) == 1", u + 1);
}

/* The same by an ioctl(2) on /dev/userfaultfd (6.1). */
SCENE(uffd_new)
{
    enum { NEW = 0xaa00 }; /* USERFAULTFD_IOC_NEW */
    uffd_of(ioctl(open("/dev/userfaultfd", O_RDWR | O_CLOEXEC), NEW, O_CLOEXEC));
}

static void *late_page(void *src)
{
    struct uffd_msg m;
    MUST(read(u, &m, sizeof m) == sizeof m);
    puts("in execve");
    fflush(stdout);
    while (access("go", F_OK))
        usleep(10000);
    struct uffdio_copy c = { .dst = (unsigned long)page, .src = (unsigned long)src, .len = 4096 };
    ioctl(u, UFFDIO_COPY, &c);
    pause();
    return NULL;
}

/* An execve waits for the page of its name until a file "go" exists. */
SCENE(exec_page)
{
    static char name[4096] __attribute__((aligned(4096))) = "/bin/sleep";
    pthread_t t;
    watch((int)syscall(SYS_userfaultfd, O_CLOEXEC), 4096);
    t_threads(&t, 1, late_page, name);
    execl(page, "named", "0.3", NULL);
}

/* Another thread changes the length of a control message while it is sent, so kvis may read any length. */
static struct { struct cmsghdr h; int fd[2]; } ctl;
static volatile int cmsg_over;

static void *change_length(void *a)
{
    while (!cmsg_over) {
        ctl.h.cmsg_len = ~0ul;
        ctl.h.cmsg_len = CMSG_LEN(sizeof(int));
    }
    return a;
}

SCENE(cmsg)
{
    int s[2], sent = 0, rounds = t_arg(1, 3000);
    pthread_t t;
    char byte = 0, junk[256];
    struct iovec v = { &byte, 1 }, in = { junk, sizeof junk };
    struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &ctl, .msg_controllen = sizeof ctl };
    struct msghdr r = { .msg_iov = &in, .msg_iovlen = 1 };
    CHK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
    ctl.h = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
    t_threads(&t, 1, change_length, NULL);
    for (int i = 0; i < rounds; i++)
        if (sendmsg(s[0], &m, MSG_DONTWAIT) == 1) {
            sent++;
            recvmsg(s[1], &r, 0);
        }
    cmsg_over = 1;
    t_join(&t, 1);
    want("tot('send', 'bytes', fd=%d) == %d", s[0], sent);
}

/* Names with terminal escapes, and with special characters of JSON and HTML. */
SCENE(hostile)
{
    static const char *const name[] = {
        "esc\033[31mred", "cursor\033[Aup", "new\nline", "cr\rback", "tab\there", "bell\a", "del\177", "quote\"double",
        "quote'single", "back\\slash", "bad\xff\xfeutf", "cut\xe2\x82", "over\xc0\xaflong", "sur\xed\xa0\x80rogate",
        "c1\xc2\x9b" "31m", "bidi\xe2\x80\xaetxt.exe", "zero\xe2\x80\x8bwidth", "<script>alert(1)<", "html&amp;<b>", "osc\033]52;c;eA==\a",
        "line\xe2\x80\xa8sep", "bom\xef\xbb\xbf", "fine \xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x9f", " lead", "trail ", "percent%s%n",
    };
    CHK(mkdir("<", 0755));
    CHK(open("/dev/null", O_RDONLY)); /* the dynamic linker has used 3 */
    for (unsigned i = 0; i < COUNT(name); i++) {
        char hex[512] = "";
        int fd = (int)CHK(open(name[i], O_CREAT | O_RDWR, 0600));
        MUST(write(fd, "x", 1) == 1);
        for (const char *c = name[i]; *c; c++)
            sprintf(hex + strlen(hex), "%02x", (unsigned char)*c);
        /* the exact bytes, by the JSON text, or for a name that is not valid UTF-8, by its _hex field */
        want("[(bytes.fromhex(e['path_hex']) if 'path_hex' in e else e['path'].encode()) == b'%s' + bytes.fromhex('%s')"
             " for e in by('open', fd=%d)] == [True]", t_cwd, hex, fd);
        want("('path_hex' in one('open', fd=%d)) == (bytes.fromhex('%s') != bytes.fromhex('%s').decode(errors='replace').encode())",
             fd, hex, hex);
        want("one('write', fd=%d)['bytes'] == 1", fd);
    }
    CHK(open("</script>", O_CREAT | O_RDWR, 0600));
    pid_t p = CHILD(
        execl("/bin/true", "true\033[2J", "\xff\xfe", "a\nb", "</script>", NULL);
        _exit(0));
    t_wait(p, 0);
    want("one('exec', pid=%d)['argv'][0] == 'true\\x1b[2J'", p);
    want("one('exec', pid=%d)['argv'][2:] == ['a\\nb', '</script>']", p);
    want("one('exec', pid=%d)['argv'][1] == '\\ufffd\\ufffd'", p);
    want("'fffe' in str(one('exec', pid=%d).get('argv_hex'))", p);
    struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "\0na\0me\033[1m" };
    int s = (int)CHK(socket(AF_UNIX, SOCK_STREAM, 0));
    CHK(bind(s, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 10)));
    want("one('bind')['local_addr'] == '@na\\0me\\x1b[1m'");
}

T_MAIN
