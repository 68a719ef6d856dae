/* io_uring requests by bare system calls, with known results. */
#include "t.h"

#include <linux/io_uring.h>
#include <stdbool.h>

static struct {
    int fd;
    unsigned *sq_head, *sq_tail, *sq_mask, *sq_array, *sq_flags, *cq_head, *cq_tail, *cq_mask;
    struct io_uring_sqe *sqe;
    struct io_uring_cqe *cqe;
    bool polled;
} r;

static void ring(unsigned flags)
{
    struct io_uring_params p = { .flags = flags, .sq_thread_idle = 50 };
    r.fd = (int)syscall(SYS_io_uring_setup, 64, &p);
    if (r.fd < 0)
        skip("no io_uring here");
    size_t sq = p.sq_off.array + p.sq_entries * 4, cq = p.cq_off.cqes + p.cq_entries * sizeof *r.cqe;
    char *s = mmap(NULL, sq, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, IORING_OFF_SQ_RING);
    char *c = mmap(NULL, cq, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, IORING_OFF_CQ_RING);
    r.sqe = mmap(NULL, p.sq_entries * sizeof *r.sqe, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd,
                 IORING_OFF_SQES);
    MUST(s != MAP_FAILED && c != MAP_FAILED && r.sqe != MAP_FAILED);
    r.sq_head = (unsigned *)(s + p.sq_off.head), r.sq_tail = (unsigned *)(s + p.sq_off.tail);
    r.sq_mask = (unsigned *)(s + p.sq_off.ring_mask), r.sq_flags = (unsigned *)(s + p.sq_off.flags);
    r.sq_array = (unsigned *)(s + p.sq_off.array);
    r.cq_head = (unsigned *)(c + p.cq_off.head), r.cq_tail = (unsigned *)(c + p.cq_off.tail);
    r.cq_mask = (unsigned *)(c + p.cq_off.ring_mask);
    r.cqe = (struct io_uring_cqe *)(c + p.cq_off.cqes);
    r.polled = flags & IORING_SETUP_SQPOLL;
}

static struct io_uring_sqe *put(int op, int fd, const void *addr, unsigned len, unsigned long long off)
{
    unsigned at = *r.sq_tail & *r.sq_mask;
    struct io_uring_sqe *e = &r.sqe[at];
    memset(e, 0, sizeof *e);
    e->opcode = (unsigned char)op;
    e->fd = fd;
    e->addr = (uintptr_t)addr;
    e->len = len;
    e->off = off;
    r.sq_array[at] = at;
    __atomic_store_n(r.sq_tail, *r.sq_tail + 1, __ATOMIC_RELEASE);
    return e;
}

/* Submits the requests, and waits for n results: res[user_data]. */
static void go(unsigned n, int *res)
{
    unsigned flags = IORING_ENTER_GETEVENTS;
    unsigned submit = *r.sq_tail - __atomic_load_n(r.sq_head, __ATOMIC_ACQUIRE);
    if (r.polled) {
        submit = 0;
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* stores the tail before it reads the flags */
        flags |= __atomic_load_n(r.sq_flags, __ATOMIC_ACQUIRE) & IORING_SQ_NEED_WAKEUP
                     ? IORING_ENTER_SQ_WAKEUP : 0;
    }
    do { /* an expired timeout ends the wait early */
        if (syscall(SYS_io_uring_enter, r.fd, submit, n, flags, NULL, 0) < 0)
            MUST(errno == EINTR);
        else
            submit = 0;
    } while (__atomic_load_n(r.cq_tail, __ATOMIC_ACQUIRE) - *r.cq_head < n);
    for (unsigned i = 0; i < n; i++) {
        unsigned at = *r.cq_head & *r.cq_mask;
        if (res)
            res[r.cqe[at].user_data] = r.cqe[at].res;
        __atomic_store_n(r.cq_head, *r.cq_head + 1, __ATOMIC_RELEASE);
    }
}

static int one(int op, int fd, const void *addr, unsigned len, unsigned long long off)
{
    int res = -1;
    put(op, fd, addr, len, off);
    go(1, &res);
    return res;
}

static void requests(bool polled)
{
    static char buf[8192];
    int f = open("data", O_RDWR | O_CREAT | O_TRUNC, 0644), pair[2];
    MUST(f >= 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    ring(polled ? IORING_SETUP_SQPOLL : 0);
    MUST(one(IORING_OP_NOP, -1, NULL, 0, 0) == 0);
    MUST(one(IORING_OP_WRITE, f, buf, 5000, 0) == 5000);
    MUST(one(IORING_OP_READ, f, buf, 8192, 1000) == 4000);
    MUST(one(IORING_OP_FSYNC, f, NULL, 0, 0) == 0);
    MUST(one(IORING_OP_SEND, pair[0], buf, 77, 0) == 77);
    MUST(one(IORING_OP_RECV, pair[1], buf, 100, 0) == 77);
    MUST(one(IORING_OP_READ, 999, buf, 10, 0) == -EBADF);
    int g = one(IORING_OP_OPENAT, AT_FDCWD, "data", 0, 0);
    MUST(g > f);
    MUST(one(IORING_OP_READ, g, buf, 10, 0) == 10);
    MUST(close(g) == 0);
    /* Before 5.19, a request without a valid file completes before it is submitted. */
    want("[e['op'] for e in by('io_uring')] in ["
         "('nop write read fsync send recv %%s openat read' %% bad).split() for bad in ('read', 'unknown')]");
    want("[(e['result'], e.get('error')) for e in by('io_uring')] == [(n, 'EBADF' if n < 0 else None) for n in "
         "(0, 5000, 4000, 0, 77, 77, -9, %d, 10)]", g);
    want("[e.get('fd') for e in by('io_uring')][:6] == [None] + [%d, %d, %d, %d, %d]", f, f, f, pair[0], pair[1]);
    want("all(e['pid'] == %d and ('error' in e or e['duration_ns'] > 0) for e in by('io_uring'))", getpid());
    want("{e['filename'] for e in by('io_uring', fd=%d) + [one('io_uring', fd=%d)]} == {'%sdata'}", f, g, t_cwd);
    want("shows(one('close', fd=%d), path='%sdata')", g, t_cwd);
    want("shows(row('files', path='%sdata'), bytes_read=4010, bytes_written=5000)", t_cwd);
    want("shows(S, io_uring_results=9, lost_io_uring=0)");
}

SCENE(basic) { requests(false); }
SCENE(polled) { requests(true); }

/* A request lasts until the peer of a socket writes. (A pipe would need a worker thread, and on 6.1, any ptracer can prevent its
 * creation: ECANCELED.) */
SCENE(slow)
{
    char c;
    int p[2], begun[2], res[2];
    struct __kernel_timespec ts = { 0, 50000000 };
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0);
    ring(0);
    unsigned long long at = t_ns();
    put(IORING_OP_RECV, p[0], &c, 1, 0);
    put(IORING_OP_TIMEOUT, -1, &ts, 1, 0)->user_data = 1;
    MUST(pipe(begun) == 0);
    pid_t child = CHILD(MUST(read(begun[0], &c, 1) == 1);
                        usleep(100000);
                        _exit(write(p[1], "x", 1) != 1));
    MUST(syscall(SYS_io_uring_enter, r.fd, 2, 0, 0, NULL, 0) == 2);
    MUST(write(begun[1], "x", 1) == 1); /* the 100 ms begin after the requests */
    go(2, res);
    at = t_ns() - at;
    MUST(res[0] == 1 && res[1] == -ETIME && waitpid(child, NULL, 0) == child);
    want("100_000_000 <= one('io_uring', op='recv')['duration_ns'] <= %llu", at);
    want("shows(one('io_uring', op='timeout'), error='ETIME', duration_ns=lambda n: 50_000_000 <= n <= %llu)", at);
    want("shows(one('io_uring', op='recv'), fd=%d, target='socket')", p[0]);
}

/* Many requests at the same time with the same user_data: none is missing. */
SCENE(many)
{
    int f = open("/dev/zero", O_RDONLY), n = 0;
    static char buf[64];
    ring(0);
    for (int i = 0; i < 50; i++, n += 32) {
        for (int k = 0; k < 32; k++)
            put(IORING_OP_READ, f, buf, 64, 0);
        go(32, NULL);
    }
    want("len(by('io_uring', op='read', fd=%d, result=64, bytes=64)) == %d", f, n);
    want("S['io_uring_results'] == %d and S['lost_io_uring'] == 0 and S['lost'] == 0", n);
    want("max(S['stops'], S['throttle_stops']) < 50"); /* fewer than the calls of io_uring_enter */
    want("tot('io_uring', 'bytes') == row('files', path='/dev/zero')['bytes_read'] == %d", n * 64);
}

/* The result of a request has the descriptor number of its own file, which was closed before. */
SCENE(same)
{
    struct sockaddr_un a = { AF_UNIX, "same" };
    int c = socket(AF_UNIX, SOCK_STREAM, 0), l = socket(AF_UNIX, SOCK_STREAM, 0), res;
    ring(0);
    MUST(c >= 0 && l >= 0 && bind(l, (struct sockaddr *)&a, sizeof a) == 0 && listen(l, 1) == 0);
    put(IORING_OP_ACCEPT, l, NULL, 0, 0);
    MUST(syscall(SYS_io_uring_enter, r.fd, 1, 0, 0, NULL, 0) == 1 && close(l) == 0);
    MUST(connect(c, (struct sockaddr *)&a, sizeof a) == 0);
    go(1, &res);
    MUST(res == l && close(res) == 0);
    want("[e['result'] for e in by('io_uring')] == [%d]", l);
    want("[e['kind'] for e in by('close', fd=%d)] == ['socket'] * 2", l);
}

/* A connection that only requests make and use. */
SCENE(connected)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, from;
    char name[100], b[100] = { 0 };
    socklen_t n = sizeof a;
    int c = (int)CHK(socket(AF_INET, SOCK_STREAM, 0)), l = (int)CHK(socket(AF_INET, SOCK_STREAM, 0));
    CHK(bind(l, (struct sockaddr *)&a, sizeof a)), CHK(listen(l, 1));
    CHK(getsockname(l, (struct sockaddr *)&a, &n));
    ring(0);
    MUST(one(IORING_OP_CONNECT, c, &a, 0, sizeof a) == 0);
    CHK(getsockname(c, (struct sockaddr *)&from, &n));
    MUST(one(IORING_OP_SEND, c, b, 44, 0) == 44);
    snprintf(name, sizeof name, "tcp4 127.0.0.1:%d->127.0.0.1:%d", ntohs(from.sin_port), ntohs(a.sin_port));
    want("[(e['op'], e['filename'], e.get('bytes')) for e in by('io_uring')] == [('connect', '%s', None), ('send', '%s', 44)]",
         name, name);
    want("row('peers', remote_addr='127.0.0.1:%d')['bytes_sent'] == 44", ntohs(a.sin_port));
}

/* io_uring_enter(2) for 2, 3 and no requests: kvis counts submitted requests even if it does not see their results. */
SCENE(submitted)
{
    int f = (int)CHK(open("ringed", O_RDWR | O_CREAT | O_TRUNC, 0600));
    struct stat st;
    ring(0);
    for (unsigned k = 0; k < 5; k++)
        put(IORING_OP_WRITE, f, "ringed", 6, 6 * k);
    MUST(syscall(SYS_io_uring_enter, r.fd, 2, 2, IORING_ENTER_GETEVENTS, NULL, 0) == 2);
    MUST(syscall(SYS_io_uring_enter, r.fd, 3, 3, IORING_ENTER_GETEVENTS, NULL, 0) == 3);
    MUST(syscall(SYS_io_uring_enter, r.fd, 0, 5, IORING_ENTER_GETEVENTS, NULL, 0) == 0);
    MUST(!fstat(f, &st) && st.st_size == 30);
    want("S['io_uring_submitted'] == 5");
    want("not by('write', filename='%sringed')", t_cwd);
    want("one('open', path='%sringed')", t_cwd);
}

T_MAIN
