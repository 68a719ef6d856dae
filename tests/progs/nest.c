/* Calls whose arguments point to further arguments: vectors, messages, and vectors of messages. The case nest compares how
 * strace and kvis show them. The program first waits for a line on its standard input. `nest short` makes only calls that
 * fit into a record. */
#include "t.h"

enum { BYTES = 12000 };
static char bytes[BYTES], room[BYTES];
static int pipes[2], pair[2];

/* n parts of `from`, of `len` bytes each. */
static struct iovec *parts(char *from, int n, size_t len)
{
    static struct iovec v[2][1024];
    static int turn;
    struct iovec *to = v[turn++ & 1];
    for (int i = 0; i < n; i++)
        to[i] = (struct iovec){ from + (size_t)i * len % 9000, len };
    return to;
}

static struct msghdr message(char *from, int n, size_t len)
{
    return (struct msghdr){ .msg_iov = parts(from, n, len), .msg_iovlen = (size_t)n };
}

/* All calls that take a vector. */
static void vector(int n, size_t len)
{
    int f = (int)CHK(open("file", O_RDWR | O_CREAT | O_TRUNC, 0600));
    writev(f, parts(bytes, n, len), n);
    pwritev(f, parts(bytes, n, len), n, 2);
    pwritev2(f, parts(bytes, n, len), n, 4, 0);
    preadv(f, parts(room, n, len), n, 3);
    preadv2(f, parts(room, n, len), n, 5, 0);
    lseek(f, 1, SEEK_SET);
    readv(f, parts(room, n, len), n);
    close(f);
    vmsplice(pipes[1], parts(bytes, n, len), (size_t)n, 0);
    while (readv(pipes[0], parts(room, n, len + 1), n) > 0)
        ;
    process_vm_writev(getpid(), parts(bytes, n, len), (unsigned long)n, &(struct iovec){ room, BYTES }, 1, 0);
    process_vm_readv(getpid(), parts(room, n, len), (unsigned long)n, &(struct iovec){ bytes, BYTES }, 1, 0);
}

static void vectors(void)
{
    static const struct { int n; size_t len; } shape[] = {
        { 1, 5 }, { 2, 40 }, { 8, 3 }, { 9, 3 }, { 31, 2 }, { 32, 2 }, { 33, 2 }, { 40, 7 }, { 300, 3 },
        { 3, 0 }, { 2, 4000 }, { 1, 6000 }, { 0, 0 }, { 1024, 1 }
    };
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        vector(shape[i].n, shape[i].len);
    /* Vectors that cannot be read, and invalid ones. */
    char *two = t_map(8192);
    CHK(munmap(two + 4096, 4096));
    memset(two, 'x', 4096);
    struct iovec *last = (struct iovec *)(two + 4096 - 2 * sizeof *last);
    last[0] = last[1] = (struct iovec){ bytes, 3 };
    writev(pipes[1], last, 2);
    writev(pipes[1], last, 3);
    readv(pipes[0], (struct iovec[]){ { room, 4 }, { room + 50, 40 }, { room + 100, 3 } }, 3);
    writev(pipes[1], (struct iovec[]){ { bytes, 2 }, { two + 4090, 20 }, { bytes, 2 } }, 3);
    readv(pipes[0], (struct iovec[]){ { room, 40 } }, 1);
    writev(pipes[1], (struct iovec[]){ { bytes, 2 }, { NULL, 5 } }, 2);
    readv(pipes[0], (struct iovec[]){ { room, 40 } }, 1);
    writev(pipes[1], (struct iovec[]){ { bytes, 2 } }, 1);
    readv(pipes[0], (struct iovec[]){ { NULL, 0 }, { room, 40 } }, 2);
    syscall(SYS_writev, pipes[1], NULL, 2);
    syscall(SYS_writev, pipes[1], 16, 2);
    syscall(SYS_writev, pipes[1], last, -1);
    readv(pipes[1], last, 2);
    readv(-1, last, 2);
}

/* Adds two control messages: a descriptor, and the credentials of the caller. */
static void passed(struct msghdr *m, char *control, size_t n)
{
    memset(control, 0, n);
    m->msg_control = control;
    m->msg_controllen = CMSG_SPACE(4) + CMSG_SPACE(sizeof(struct ucred));
    struct cmsghdr *c = CMSG_FIRSTHDR(m);
    *c = (struct cmsghdr){ CMSG_LEN(4), SOL_SOCKET, SCM_RIGHTS };
    memcpy(CMSG_DATA(c), &pipes[0], 4);
    c = CMSG_NXTHDR(m, c);
    *c = (struct cmsghdr){ CMSG_LEN(sizeof(struct ucred)), SOL_SOCKET, SCM_CREDENTIALS };
    memcpy(CMSG_DATA(c), &(struct ucred){ getpid(), getuid(), getgid() }, sizeof(struct ucred));
}

/* Sends n parts, and receives them in `to` parts. */
static void exchange(int n, size_t len, int to, size_t room_len, int flags)
{
    struct msghdr m = message(bytes, n, len);
    sendmsg(pair[0], &m, 0);
    m = message(room, to, room_len);
    recvmsg(pair[1], &m, flags | MSG_DONTWAIT);
}

static void messages(void)
{
    char control[1000] __attribute__((aligned(8)));
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    struct msghdr m;
    exchange(1, 5, 1, 20, 0);
    exchange(2, 40, 3, 9, 0);
    exchange(9, 3, 20, 2, 0);
    exchange(40, 7, 1, 1000, 0);
    exchange(300, 3, 300, 4, 0);
    exchange(3, 100, 2, 10, 0);
    exchange(3, 100, 2, 10, MSG_TRUNC);
    exchange(1, 6000, 1, 7000, 0);
    exchange(0, 0, 1, 10, 0);
    recvmsg(pair[1], &(struct msghdr){ 0 }, MSG_DONTWAIT);
    syscall(SYS_sendmsg, pair[0], NULL, 0);
    syscall(SYS_recvmsg, pair[1], 16, MSG_DONTWAIT);
    m = message(bytes, 2, 4);
    passed(&m, control, sizeof control);
    sendmsg(pair[0], &m, MSG_NOSIGNAL);
    m = message(room, 1, 400);
    m.msg_control = control;
    m.msg_controllen = sizeof control;
    recvmsg(pair[1], &m, MSG_CMSG_CLOEXEC);
    /* The sender's name, with too little room for it. */
    int named = (int)CHK(socket(AF_UNIX, SOCK_DGRAM, 0)), other = (int)CHK(socket(AF_UNIX, SOCK_DGRAM, 0));
    strcpy(name.sun_path, "a name that is rather long");
    CHK(bind(named, (struct sockaddr *)&name, sizeof name));
    strcpy(name.sun_path, "of the one that sends");
    CHK(bind(other, (struct sockaddr *)&name, sizeof name));
    for (unsigned room_for = 0; room_for < 140; room_for += 10) {
        struct sockaddr_storage got = { 0 };
        strcpy(name.sun_path, "a name that is rather long");
        m = message(bytes, 1, 7);
        m.msg_name = &name;
        m.msg_namelen = sizeof name;
        sendmsg(other, &m, 0);
        m = message(room, 1, 70);
        m.msg_name = &got;
        m.msg_namelen = room_for;
        recvmsg(named, &m, 0);
    }
    close(named);
    close(other);
}

static void at_once(unsigned n, int of, size_t len, unsigned wanted)
{
    static struct mmsghdr m[100];
    for (unsigned i = 0; i < n; i++)
        m[i] = (struct mmsghdr){ .msg_hdr = message(bytes + i, of, len) };
    sendmmsg(pair[0], m, n, MSG_DONTWAIT);
    for (unsigned i = 0; i < wanted; i++)
        m[i] = (struct mmsghdr){ .msg_hdr = message(room + i * 64, 1, 50) };
    recvmmsg(pair[1], m, wanted, MSG_DONTWAIT, &(struct timespec){ 1, 0 });
    while (recv(pair[1], room, 100, MSG_DONTWAIT) >= 0)
        ;
}

static void many(void)
{
    at_once(1, 1, 5, 1);
    at_once(2, 3, 20, 5);
    at_once(5, 10, 2, 3);
    at_once(8, 1, 60, 8);
    at_once(20, 2, 3, 20);
    at_once(50, 1, 3, 50);
    at_once(0, 1, 3, 2);
    syscall(SYS_sendmmsg, pair[0], NULL, 2, 0);
}

/* Sets of descriptors, which the calls overwrite. */
static void sets(void)
{
    fd_set in, out, except;
    static const int top[] = { 1, 63, 64, 65, 200, 1024 };
    for (size_t i = 0; i < sizeof top / sizeof *top; i++) {
        uint64_t none = 0;
        struct { void *set; size_t size; } mask = { &none, 8 };
        for (int turn = 0; turn < 2; turn++) {
            FD_ZERO(&in);
            FD_ZERO(&out);
            FD_ZERO(&except);
            if (pair[1] < top[i]) {
                FD_SET(pair[1], &in);
                FD_SET(pipes[1], &out);
                FD_SET(pair[0], &except);
            }
            if (turn)
                syscall(SYS_pselect6, top[i], &in, &out, &except, &(struct timespec){ 0, 5000 }, &mask);
            else
                select(top[i], &in, &out, NULL, &(struct timeval){ 0, 7 });
        }
        syscall(SYS_pselect6, top[i], NULL, NULL, NULL, &(struct timespec){ 0, 1 }, NULL);
    }
    syscall(SYS_pselect6, 8, 16, NULL, NULL, &(struct timespec){ 0, 1 }, NULL);
}

/* Calls that fit into a record, and whose memory is present, so no stop is needed. */
static void short_ones(int n)
{
    for (int i = 0; i < n; i++) {
        exchange(2, 20, 1, 50, 0);
        writev(pipes[1], parts(bytes, 3, 10), 3);
        readv(pipes[0], parts(room, 2, 20), 2);
        at_once(2, 1, 20, 2);
        sets();
    }
}

int main(int argc, char **argv)
{
    if (read(0, room, 1) < 0)
        return 1;
    memset(room, 'r', sizeof room);
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (char)('a' + i % 26);
    CHK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    CHK(pipe2(pipes, O_NONBLOCK));
    if (argc > 1 && !strcmp(argv[1], "short")) {
        short_ones(50);
    } else {
        vectors();
        messages();
        many();
        sets();
    }
    say("done");
    return 0;
}
