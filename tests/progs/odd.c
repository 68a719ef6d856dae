/* Programs that could harm their tracer: memory that changes while kvis reads it, descriptors without content,
 * useless calls. */
#include "t.h"

/* A second thread changes the length of a control message while the first sends it: what kvis reads
 * may be anything. */
static struct { struct cmsghdr h; int fd[2]; } ctl;
static volatile int stop;

static void *flip(void *a)
{
    while (!stop) {
        ctl.h.cmsg_len = ~0ul;
        ctl.h.cmsg_len = CMSG_LEN(sizeof(int));
    }
    return a;
}

static void cmsg(void)
{
    int s[2], sent = 0, rounds = t_arg(1, 3000);
    pthread_t t;
    char byte = 0, junk[256];
    struct iovec v = { &byte, 1 }, in = { junk, sizeof junk };
    struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &ctl, .msg_controllen = sizeof ctl };
    struct msghdr r = { .msg_iov = &in, .msg_iovlen = 1 };
    CHK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
    ctl.h = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
    MUST(!pthread_create(&t, NULL, flip, NULL));
    for (int i = 0; i < rounds; i++)
        if (sendmsg(s[0], &m, MSG_DONTWAIT) == 1) {
            sent++;
            recvmsg(s[1], &r, 0);
        }
    stop = 1;
    pthread_join(t, NULL);
    want("tot('send', 'bytes', fd=%d) == %d", s[0], sent);
}

/* O_PATH reads and writes nothing; mprotect to and fro is no failure. */
static void paths(void)
{
    int fd = (int)CHK(open("/etc/passwd", O_PATH));
    want("one('open', fd=%d, path='/etc/passwd')['writable'] is False", fd);
    char *p = mmap(NULL, 8 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(p != MAP_FAILED);
    for (int i = 0; i < 200; i++) {
        CHK(mprotect(p + 4096 * (i % 8), 4096, PROT_READ | PROT_WRITE));
        CHK(mprotect(p + 4096 * (i % 8), 4096, PROT_READ));
        CHK(mprotect(p, 0, PROT_READ | PROT_WRITE));
    }
    want("S['files_written'] <= 1");
}

int main(int argc, char **argv)
{
    static const struct scene s[] = {
        { "cmsg", cmsg }, { "paths", paths }, { NULL, NULL },
    };
    return t_main(argc, argv, s);
}
