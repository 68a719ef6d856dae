/* Makes connections of all kinds, and prints which addresses, bytes, errors and DNS answers kvis must show. */
#include "t.h"
#include <net/if.h>
#include <sys/ioctl.h>
#include <stdbool.h>

static union { struct sockaddr s; struct sockaddr_in in; struct sockaddr_in6 in6; struct sockaddr_un un; } a;
static socklen_t alen;

static void addr4(int port)
{
    a.in = t_loopback(port);
    alen = sizeof a.in;
}

static void addr6(int port)
{
    a.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback, .sin6_port = htons((uint16_t)port) };
    alen = sizeof a.in6;
}

static void addrun(const char *path, size_t n)
{
    memset(&a, 0, sizeof a);
    a.un.sun_family = AF_UNIX;
    memcpy(a.un.sun_path, path, n);
    alen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

static int port_of(int fd)
{
    struct sockaddr_in6 b;
    socklen_t n = sizeof b;
    CHK(getsockname(fd, (struct sockaddr *)&b, &n));
    return ntohs(b.sin6_port); /* at the same place in sockaddr_in */
}

static int sock(int af, int type) { return (int)CHK(socket(af, type, 0)); }

static int listener(int af, int *port)
{
    int fd = sock(af, SOCK_STREAM);
    af == AF_INET ? addr4(0) : addr6(0);
    if (bind(fd, &a.s, alen))
        skip("bind");
    CHK(listen(fd, 7));
    *port = port_of(fd);
    return fd;
}

static void talk(int c, int s)
{
    char b[100] = { 0 };
    MUST(CHK(send(c, b, 40, 0)) == 40);
    MUST(CHK(recv(s, b, 100, 0)) == 40);
    MUST(CHK(write(s, b, 60)) == 60);
    MUST(CHK(read(c, b, 100)) == 60);
}

static void tcp(int af, const char *type, const char *host)
{
    int port, l = listener(af, &port);
    int c = sock(af, SOCK_STREAM);
    af == AF_INET ? addr4(port) : addr6(port);
    CHK(connect(c, &a.s, alen));
    int s = (int)CHK(accept(l, NULL, NULL)), cport = port_of(c);
    talk(c, s);
    int c2 = sock(af, SOCK_STREAM);
    CHK(connect(c2, &a.s, alen));
    socklen_t n = sizeof a;
    int s2 = (int)CHK(accept4(l, &a.s, &n, SOCK_CLOEXEC | SOCK_NONBLOCK));
    MUST(fcntl(s2, F_GETFL) & O_NONBLOCK);
    talk(c2, s2);
    CHK(shutdown(c, SHUT_WR));
    CHK(shutdown(s2, SHUT_RDWR));
    want("[e['remote_addr'] for e in by('connect', sock_type='%s')] == ['%s:%d'] * 2", type, host, port);
    want("shows(one('listen', fd=%d), backlog=7) and shows(one('bind', fd=%d), sock_type='%s')", l, l, type);
    want("shows(one('accept', fd=%d), remote_addr='%s:%d')", s, host, cport);
    want("shows(one('accept', fd=%d), remote_addr='%s:%d', local_addr='%s:%d', sock_type='%s')", s2, host, port_of(c2), host, port, type);
    want("shows(one('send', fd=%d), remote_addr='%s:%d')", c, host, port);
    want("shows(one('recv', fd=%d), bytes=60)", c2);
    want("shows(one('recv', fd=%d), remote_addr='%s:%d')", s, host, cport);
    want("shows(row('peers', remote_addr='%s:%d'), bytes_sent=80, bytes_received=120)", host, port);
    want("shows(row('peers', remote_addr='%s:%d'), bytes_sent=60)", host, cport);
    want("shows(S, net_bytes_sent=200, net_bytes_received=200)");
    want("'WR' in str(one('shutdown', fd=%d)['how']).upper() or one('shutdown', fd=%d)['how'] == 1", c, c);
    want("'%s:%d' in str(S['connections'])", host, port);
}

SCENE(tcp4) { tcp(AF_INET, "tcp4", "127.0.0.1"); }
SCENE(tcp6) { tcp(AF_INET6, "tcp6", "[::1]"); }

/* A socket that is connected by its first send (tcp(7)). */
SCENE(fastopen)
{
    char b[30] = { 0 };
    struct msghdr m = { .msg_name = &a, .msg_iov = &(struct iovec){ b, 20 }, .msg_iovlen = 1 };
    int port, l = listener(AF_INET, &port);
    for (int i = 0; i < 2; i++) {
        int c = sock(AF_INET, SOCK_STREAM);
        addr4(port);
        m.msg_namelen = alen;
        ssize_t n = i ? sendmsg(c, &m, MSG_FASTOPEN) : sendto(c, b, 20, MSG_FASTOPEN, &a.s, alen);
        if (n < 0)
            skip("MSG_FASTOPEN");
        int s = (int)CHK(accept(l, NULL, NULL));
        MUST(CHK(recv(s, b, sizeof b, 0)) == 20);
        talk(c, s);
        want("shows(one('connect', fd=%d), remote_addr='127.0.0.1:%d')", c, port);
        want("[(e['bytes'], e['remote_addr']) for e in by('send', fd=%d)] == [(20, '127.0.0.1:%d'), (40, '127.0.0.1:%d')]",
             c, port, port);
        want("one('recv', fd=%d)['remote_addr'] == '127.0.0.1:%d'", c, port);
    }
    want("row('peers', remote_addr='127.0.0.1:%d')['bytes_sent'] == 120", port);
}

/* Connections that succeed or fail after connect(2) has returned: kvis learns this from the same call as the program. */
SCENE(outcome)
{
    enum { SO_ERROR_, SEND, RECV, AGAIN, WRITE, N_WAYS };
    int up, down, l = listener(AF_INET, &up), gone = listener(AF_INET, &down);
    char b = 0;
    close(gone);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 2 * N_WAYS; i++) {
        bool made = i >= N_WAYS;
        int c = sock(AF_INET, SOCK_STREAM | SOCK_NONBLOCK), e = -1;
        addr4(made ? up : down);
        MUST(connect(c, &a.s, alen) == -1 && errno == EINPROGRESS);
        struct pollfd f = { c, POLLOUT, 0 };
        MUST(CHK(poll(&f, 1, 5000)) == 1);
        socklen_t n = sizeof e;
        errno = 0;
        switch (i % N_WAYS) {
        case SO_ERROR_:
            CHK(getsockopt(c, SOL_SOCKET, SO_ERROR, &e, &n));
            errno = e;
            break;
        case SEND:
            send(c, &b, 1, MSG_NOSIGNAL);
            break;
        case RECV:
            n = sizeof a;
            made ? CHK(getpeername(c, &a.s, &n)) : recv(c, &b, 1, 0);
            break;
        case AGAIN:
            connect(c, &a.s, alen);
            break;
        case WRITE:
            write(c, &b, 1);
            break;
        }
        MUST(made ? errno != ECONNREFUSED : errno == ECONNREFUSED);
        getsockopt(c, SOL_SOCKET, SO_ERROR, &e, &n); /* kvis does not report the outcome twice */
        want("[(e.get('in_progress'), e.get('error'), 'duration_ns' in e) for e in by('connect', fd=%d)]"
             " == [(True, None, False), (None, %s, True)]", c, made ? "None" : "'ECONNREFUSED'");
        want("{e['remote_addr'] for e in by('connect', fd=%d) + by('send', fd=%d)} == {'127.0.0.1:%d'}", c, c, made ? up : down);
    }
    want("row('failed', name='connect', error='ECONNREFUSED')['count'] == %d", N_WAYS);
    want("'127.0.0.1:%d' in str(S['connections']) and '127.0.0.1:%d' not in str(S['connections'])", up, down);
    want("shows(row('peers', remote_addr='127.0.0.1:%d'), bytes_sent=2)", up);
    want("not any(str(e.get('local_addr')).endswith(':0') for e in E)");
    close(l);
}

SCENE(udp)
{
    char b[100] = { 0 };
    int r = sock(AF_INET, SOCK_DGRAM), s = sock(AF_INET, SOCK_DGRAM);
    addr4(0);
    CHK(bind(r, &a.s, alen));
    int rport = port_of(r);
    addr4(rport);
    MUST(CHK(sendto(s, b, 30, 0, &a.s, alen)) == 30); /* the address is an argument */
    int sport = port_of(s);
    socklen_t n = sizeof a;
    MUST(CHK(recvfrom(r, b, 100, 0, &a.s, &n)) == 30);
    MUST(ntohs(a.in.sin_port) == sport);
    int c = sock(AF_INET, SOCK_DGRAM);
    addr4(rport);
    CHK(connect(c, &a.s, alen));
    MUST(CHK(send(c, b, 50, 0)) == 50);
    for (int msg = 0; msg < 2; msg++) { /* too little room for the address, so kvis shows none */
        int cut = sock(AF_INET, SOCK_DGRAM);
        addr4(0);
        CHK(bind(cut, &a.s, alen));
        addr4(port_of(cut));
        CHK(sendto(cut, b, 7, 0, &a.s, alen));
        addr4(9);
        n = 3;
        struct iovec v = { b, 100 };
        struct msghdr m = { .msg_name = &a, .msg_namelen = 3, .msg_iov = &v, .msg_iovlen = 1 };
        MUST(CHK(msg ? recvmsg(cut, &m, 0) : recvfrom(cut, b, 100, 0, &a.s, &n)) == 7);
        MUST((msg ? m.msg_namelen : n) == sizeof a.in);
        want("'remote_addr' not in one('recv', fd=%d) and one('recv', fd=%d)['bytes'] == 7", cut, cut);
    }
    want("shows(one('send', fd=%d), remote_addr='127.0.0.1:%d', sock_type='udp4')", s, rport);
    want("shows(one('recv', fd=%d), remote_addr='127.0.0.1:%d')", r, sport);
    want("shows(one('connect'), sock_type='udp4')");
    want("shows(one('send', fd=%d), remote_addr='127.0.0.1:%d')", c, rport);
    want("shows(row('peers', remote_addr='127.0.0.1:%d'), bytes_sent=80)", rport);
    want("shows(row('peers', remote_addr='127.0.0.1:%d'), bytes_received=30)", sport);
}

static unsigned long inode(int fd)
{
    struct stat st;
    CHK(fstat(fd, &st));
    return (unsigned long)st.st_ino;
}

static void un(const char *path, size_t n, const char *shown, int type, const char *name)
{
    addrun(path, n);
    int l = sock(AF_UNIX, type), c = sock(AF_UNIX, type);
    CHK(bind(l, &a.s, alen));
    if (type == SOCK_DGRAM) {
        MUST(CHK(sendto(c, path, n, 0, &a.s, alen)) == (ssize_t)n);
        want("one('send', fd=%d)['remote_addr'] == '%s'", c, shown);
    } else {
        CHK(listen(l, 3));
        CHK(connect(c, &a.s, alen));
        int s = (int)CHK(accept(l, NULL, NULL));
        talk(c, s);
        want("shows(one('connect', fd=%d), remote_addr='%s', sock_type=lambda t: t in (%s))", c, shown, name);
        want("shows(one('send', fd=%d), bytes=40, remote_addr='%s')", c, shown);
        /* the accepted socket: the address of its server, and the peer's inode */
        want("[(e['remote_addr'], e['path']) for e in (one('accept', fd=%d), one('recv', fd=%d), one('send', fd=%d))]"
             " == [('socket:[%lu]', '%s')] * 3", s, s, s, inode(c), shown);
        want("one('accept', fd=%d)['sock_type'] in (%s)", s, name);
    }
    want("shows(one('bind', fd=%d), local_addr='%s', sock_type=lambda t: t in (%s))", l, shown, name);
}

SCENE(unix)
{
    char abs[200], shown[200], rel[sizeof t_cwd + 8];
    int n = snprintf(abs, sizeof abs, "%ssock", t_cwd);
    if (n > 100)
        skip("the directory's name is too long for a socket");
    un(abs, (size_t)n + 1, abs, SOCK_STREAM, "'unix', 'unix-stream'");
    n = snprintf(abs, sizeof abs, "%ca%cbs%d", 0, 0, getpid());
    snprintf(shown, sizeof shown, "@a\\x00bs%d", getpid());
    un(abs, (size_t)n, shown, SOCK_STREAM, "'unix', 'unix-stream'");
    un("seq", 3, "seq", SOCK_SEQPACKET, "'unix-seqpacket',"); /* no NUL at its end, relative */
    snprintf(rel, sizeof rel, "%sdgram", t_cwd);
    un(rel, strlen(rel) + 1, rel, SOCK_DGRAM, "'unix-dgram',");
    int c = sock(AF_UNIX, SOCK_STREAM);
    addrun("absent", 7);
    MUST(connect(c, &a.s, alen) == -1 && errno == ENOENT);
    want("one('connect', fd=%d)['error'] == 'ENOENT'", c);
}

/* kvis knows the peers of a pair, even in a child. (The sockets stay open, so no descriptor number is used twice.) */
SCENE(pair)
{
    char b[8];
    static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
    for (int i = 0; i < 3; i++) {
        int p[2];
        CHK(socketpair(AF_UNIX, types[i], 0, p));
        pid_t child = CHILD(close(p[0]); send(p[1], "hello", 5, 0));
        MUST(CHK(recv(p[0], b, sizeof b, 0)) == 5);
        MUST(CHK(waitpid(child, NULL, 0)) == child);
        want("one('recv', fd=%d)['remote_addr'] == 'socket:[%lu]'", p[0], inode(p[1]));
        want("one('send', fd=%d)['remote_addr'] == 'socket:[%lu]'", p[1], inode(p[0]));
    }
}

/* A DNS message with one question, and answer records if they are given. Returns its length. */
static size_t dns(uint8_t *b, int id, const char *name, int type, const char *records, size_t n, int answers, int code)
{
    uint8_t head[12] = { 0, (uint8_t)id, records ? 0x81 : 1, (uint8_t)code, 0, 1, 0, (uint8_t)answers };
    memcpy(b, head, sizeof head);
    size_t at = sizeof head;
    for (const char *p = name; *p;) {
        size_t k = strcspn(p, ".");
        b[at++] = (uint8_t)k;
        memcpy(b + at, p, k);
        at += k;
        p += k + (p[k] == '.');
    }
    memcpy(b + at, "\0\0\0\0\1", 5);
    b[at + 2] = (uint8_t)type;
    at += 5;
    if (records)
        memcpy(b + at, records, n);
    return at + n;
}

static int server = -1; /* at port 53 */

static void answer(int id, const char *name, int type, const char *records, size_t n, int answers, int code)
{
    uint8_t b[512];
    socklen_t len = sizeof a;
    CHK(recvfrom(server, b, sizeof b, 0, &a.s, &len));
    size_t k = dns(b, id, name, type, records, n, answers, code);
    CHK(sendto(server, b, k, 0, &a.s, len));
}

/* Asks for the address of a name: ask() by a connected socket, ask_at() at 127.0.0.1 + more. */
static void ask(int fd, int id, const char *name)
{
    uint8_t b[512];
    CHK(send(fd, b, dns(b, id, name, 1, NULL, 0, 0, 0), 0));
}

static long ask_at(int fd, unsigned more, int id, const char *name)
{
    uint8_t b[512];
    addr4(53);
    a.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + more);
    return sendto(fd, b, dns(b, id, name, 1, NULL, 0, 0, 0), 0, &a.s, alen);
}

/* A socket that is connected to port 53 of 127.0.0.1 + more. */
static int asker(unsigned more)
{
    int fd = sock(AF_INET, SOCK_DGRAM);
    addr4(53);
    a.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + more);
    CHK(connect(fd, &a.s, alen));
    return fd;
}

#define RECORD "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" /* A, 4 bytes */
#define ANSWER(id, name, type, records, answers, code) answer(id, name, type, records, sizeof records - 1, answers, code)

/* DNS queries in a new network namespace; the program is also the server. */
SCENE(resolve)
{
    uint8_t q[2][512], b[512];
    if (unshare(CLONE_NEWNET))
        skip("unshare(CLONE_NEWNET)");
    server = sock(AF_INET, SOCK_DGRAM);
    struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
    CHK(ioctl(server, SIOCSIFFLAGS, &lo));
    addr4(53);
    CHK(bind(server, &a.s, alen));
    int c = asker(0), u = sock(AF_INET, SOCK_DGRAM);
    /* as glibc asks: two questions in one call */
    struct iovec v[2] = { { q[0], dns(q[0], 1, "two.example", 1, NULL, 0, 0, 0) },
                          { q[1], dns(q[1], 2, "two.example", 28, NULL, 0, 0, 0) } };
    struct mmsghdr m[2] = { { .msg_hdr = { .msg_iov = &v[0], .msg_iovlen = 1 } },
                            { .msg_hdr = { .msg_iov = &v[1], .msg_iovlen = 1 } } };
    MUST(CHK(sendmmsg(c, m, 2, 0)) == 2);
    ANSWER(1, "two.example", 1, RECORD "\x0a\1\2\3" RECORD "\x0a\1\2\4", 2, 0);
    ANSWER(2, "two.example", 28, "", 0, 0);
    CHK(recv(c, b, sizeof b, 0));
    CHK(recv(c, b, sizeof b, 0));
    /* as musl does: without connect, and twice */
    CHK(ask_at(u, 0, 3, "absent.example"));
    CHK(ask_at(u, 0, 3, "absent.example"));
    ANSWER(3, "absent.example", 1, "", 0, 3);
    socklen_t len = sizeof a;
    struct iovec w = { b, sizeof b };
    struct msghdr h = { .msg_name = &a, .msg_namelen = len, .msg_iov = &w, .msg_iovlen = 1 };
    CHK(recvmsg(u, &h, 0));
    CHK(recv(server, b, sizeof b, 0));
    /* without a buffer for the sender's address; an answer that is not read completely */
    CHK(ask_at(u, 0, 10, "plain.example"));
    CHK(ask_at(u, 0, 11, "short.example"));
    ANSWER(10, "plain.example", 1, RECORD "\x0a\1\2\7", 1, 0);
    CHK(recv(u, b, sizeof b, 0));
    ANSWER(11, "short.example", 1, RECORD "\x0a\1\2\7", 1, 0);
    CHK(recv(u, b, 12, 0));
    want("not any(one('resolve', name='short.example').get(k) for k in ('answer', 'failure', 'error', 'duration_ns'))");
    /* as musl does: the same query to two servers, of which one answers */
    CHK(ask_at(u, 2, 12, "both.example"));
    CHK(ask_at(u, 0, 12, "both.example"));
    ANSWER(12, "both.example", 1, RECORD "\x0a\1\2\7", 1, 0);
    CHK(recvfrom(u, b, sizeof b, 0, &a.s, &len));
    /* as Go does */
    MUST(CHK(write(c, b, dns(b, 4, "a\x1b[2J.example", 1, NULL, 0, 0, 0))) > 0);
    ANSWER(4, "a\x1b[2J.example", 1, RECORD "\x0a\1\2\5", 1, 0);
    CHK(read(c, b, sizeof b));
    /* a record that extends beyond its message, and a name that points to itself */
    ask(c, 5, "bad.example");
    ANSWER(5, "bad.example", 1, "\xc0\x1d\0\1\0\1\0\0\0\x3c\xff\xff", 200, 0);
    CHK(recv(c, b, sizeof b, 0));
    /* no listener; no route; no answer; an answer to another query */
    int r = asker(1);
    ask(r, 6, "refused.example");
    MUST(recv(r, b, sizeof b, 0) == -1 && errno == ECONNREFUSED);
    MUST(ask_at(u, 0xc0000201 - INADDR_LOOPBACK, 7, "far.example") == -1 && errno == ENETUNREACH);
    ask(c, 8, "silent.example");
    ANSWER(9, "silent.example", 1, RECORD "\x0a\1\2\6", 1, 0);
    CHK(recv(c, b, sizeof b, 0));
    close(c);
    want("[e.get('failure') for e in by('resolve', name='silent.example')] == [None, 'no answer']");
    memset(b, 'x', sizeof b); /* no question: shown as bytes */
    addr4(53);
    CHK(sendto(u, b, 20, 0, &a.s, alen));
    want("one('send', fd=%d, bytes=20)['remote_addr'] == '127.0.0.1:53'", u);
    CHK(setsockopt(u, IPPROTO_IP, IP_RECVERR, &(int){ 1 }, sizeof(int)));
    CHK(ask_at(u, 2, 13, "gone.example"));
    MUST(recv(u, b, sizeof b, 0) == -1 && errno == ECONNREFUSED);
    /* an error comes before an answer that is already there */
    int there = sock(AF_INET, SOCK_DGRAM);
    a.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 3);
    CHK(bind(there, &a.s, alen));
    c = asker(3);
    ask(c, 16, "first.example");
    int known = server;
    server = there;
    ANSWER(16, "first.example", 1, RECORD "\x0a\1\2\x08", 1, 0);
    server = known;
    close(there);
    ask(c, 17, "second.example");
    MUST(CHK(poll(&(struct pollfd){ .fd = c }, 1, -1)) == 1); /* POLLERR */
    MUST(recv(c, b, sizeof b, 0) == -1 && errno == ECONNREFUSED);
    CHK(recv(c, b, sizeof b, 0));
    close(c);
    /* a query that is not sent says nothing about the one before it */
    c = asker(0);
    CHK(recv(server, b, sizeof b, 0)); /* the 20 bytes */
    ask(c, 14, "asked.example");
    ANSWER(14, "asked.example", 1, RECORD "\x0a\1\2\7", 1, 0);
    MUST(send(c, b, dns(b, 15, "denied.example", 1, NULL, 0, 0, 0), MSG_OOB) == -1 && errno == EOPNOTSUPP); /* not by UDP */
    CHK(recv(c, b, sizeof b, 0));
    static const struct { const char *name, *shown; } names[] = {
        { "two.example', kind='A", "answer='10.1.2.3, 10.1.2.4', server='127.0.0.1', duration_ns=lambda t: t > 0" },
        { "two.example', kind='AAAA", "answer='no records'" }, { "absent.example", "failure='NXDOMAIN'" },
        { "plain.example", "answer='10.1.2.7'" }, { "both.example", "server='127.0.0.1'" },
        { "a\\x1b[2J.example", "answer='10.1.2.5'" }, { "bad.example", "answer='truncated'" },
        { "refused.example", "error='ECONNREFUSED'" }, { "far.example", "error='ENETUNREACH', server='192.0.2.1'" },
        { "gone.example", "error='ECONNREFUSED'" }, { "first.example", "answer='10.1.2.8'" },
        { "second.example", "error='ECONNREFUSED'" }, { "asked.example", "answer='10.1.2.7'" },
        { "denied.example", "error='EOPNOTSUPP'" },
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        want("shows(one('resolve', name='%s'), %s)", names[i].name, names[i].shown);
    want("len(by('resolve')) == 17");
    want("'127.0.0.1:53' in [p['remote_addr'] for p in S['peers']]");
}

/* The result of a call is not always the number of bytes received: MSG_PEEK, truncated messages, discarded TCP bytes, and messages
 * that were returned because they could not be delivered. */
SCENE(peek)
{
    static char b[100];
    struct iovec v[2] = { { b, 10 }, { b + 10, 5 } };
    struct msghdr none = { 0 }, two = { .msg_iov = v, .msg_iovlen = 2 };
    struct mmsghdr many[2] = { { .msg_hdr = two }, { .msg_hdr = two } };
    int port, l = listener(AF_INET, &port), c = sock(AF_INET, SOCK_STREAM);
    addr4(port);
    CHK(connect(c, &a.s, alen));
    int s = (int)CHK(accept(l, NULL, NULL));
    MUST(CHK(send(c, b, 40, 0)) == 40);
    MUST(CHK(recv(s, b, 100, MSG_PEEK)) == 40);
    MUST(CHK(recv(s, b, 100, 0)) == 40);
    MUST(CHK(send(c, b, 30, 0)) == 30);
    MUST(CHK(recv(s, b, 30, MSG_TRUNC)) == 30); /* tcp(7): thrown away */
    int r = sock(AF_INET, SOCK_DGRAM), u = sock(AF_INET, SOCK_DGRAM);
    addr4(0);
    CHK(bind(r, &a.s, alen));
    addr4(port_of(r));
    CHK(connect(u, &a.s, alen));
    for (int i = 0; i < 5; i++)
        MUST(CHK(send(u, b, 50, 0)) == 50);
    MUST(CHK(recv(r, NULL, 0, MSG_PEEK | MSG_TRUNC)) == 50);
    MUST(CHK(recv(r, b, 20, MSG_TRUNC)) == 50); /* 20 */
    MUST(CHK(recvmsg(r, &none, MSG_PEEK | MSG_TRUNC)) == 50);
    MUST(CHK(recvmsg(r, &two, 0)) == 15); /* 15 */
    MUST(CHK(recvmsg(r, &two, MSG_TRUNC)) == 50); /* 15 */
    MUST(CHK(recvmmsg(r, many, 1, MSG_PEEK | MSG_DONTWAIT, NULL)) == 1 && many[0].msg_len == 15);
    many[0].msg_hdr = many[1].msg_hdr = two;
    MUST(CHK(recvmmsg(r, many, 2, MSG_TRUNC | MSG_DONTWAIT, NULL)) == 2 && many[1].msg_len == 50); /* 30 */
    int on = 1; /* a port without a listener: the kernel returns the message */
    CHK(setsockopt(u, IPPROTO_IP, IP_RECVERR, &on, sizeof on));
    close(r);
    MUST(CHK(send(u, b, 25, 0)) == 25);
    MUST(CHK(recv(u, b, 100, MSG_ERRQUEUE)) == 25);
    int p[2];
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, p));
    MUST(CHK(send(p[0], b, 12, 0)) == 12);
    MUST(CHK(recv(p[1], b, 100, MSG_TRUNC)) == 12); /* 12: no effect on a unix stream */
    want("S['net_bytes_received'] == %d", 40 + 20 + 15 + 15 + 30 + 12);
    want("sum(e['bytes'] for e in by('recv')) == %d", 40 + 20 + 15 + 15 + 30 + 12);
    want("sum(e['bytes'] for e in by('recv', fd=%d)) == 40", s);
    want("S['net_bytes_sent'] == %d", 40 + 30 + 250 + 25 + 12);
}

T_MAIN
