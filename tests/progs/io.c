/* Moves bytes with every call that can, and prints how many kvis must count. */
#include "t.h"
#include <sys/eventfd.h>
#include <sys/sendfile.h>

#define CREATE (O_RDWR | O_CREAT | O_TRUNC)
static char buf[1 << 16];

static struct iovec *iov(size_t a, size_t b, size_t c)
{
    static struct iovec v[3];
    v[0] = (struct iovec){ buf, a };
    v[1] = (struct iovec){ buf + 8192, b };
    v[2] = (struct iovec){ buf + 16384, c };
    return v;
}

#define GOT(n, call) MUST(CHK(call) == (n))

SCENE(files)
{
    int fd = (int)CHK(open("data", CREATE, 0644));
    GOT(100, write(fd, buf, 100));
    GOT(50, pwrite(fd, buf, 50, 200));
    GOT(15, writev(fd, iov(3, 5, 7), 3));
    GOT(10, pwritev(fd, iov(1, 0, 9), 3, 300));
    GOT(20, syscall(SYS_pwritev2, fd, iov(20, 0, 0), 1, 310L, 0L, 0));
    GOT(0, write(fd, buf, 0));
    MUST(pwrite(fd, buf, 5, -1) == -1 && errno == EINVAL);
    GOT(0, lseek(fd, 0, SEEK_SET)); /* the file has 330 bytes now */
    GOT(330, read(fd, buf, 4096));
    GOT(0, read(fd, buf, 4096)); /* its end */
    GOT(30, pread(fd, buf, 4096, 300));
    CHK(lseek(fd, 10, SEEK_SET));
    GOT(60, readv(fd, iov(10, 20, 30), 3));
    GOT(25, preadv(fd, iov(5, 20, 0), 2, 100));
    GOT(7, syscall(SYS_preadv2, fd, iov(7, 0, 0), 1, 0L, 0L, 0));
    MUST(read(999, buf, 10) == -1);
    close(fd);
    want("tot('write', 'bytes', filename='%sdata') == %d", t_cwd, 100 + 50 + 15 + 10 + 20);
    want("tot('read', 'bytes', filename='%sdata') == %d", t_cwd, 330 + 30 + 60 + 25 + 7);
    want("sorted(e['bytes'] for e in by('write', filename='%sdata') if e.get('bytes')) == [10, 15, 20, 50, 100]", t_cwd);
    want("all(e['target'] == 'file' for e in by('read', filename='%sdata'))", t_cwd);
    want("shows(row('files', path='%sdata'), bytes_written=195, bytes_read=452)", t_cwd);
    want("shows(one('close', path='%sdata'), bytes_read=452)", t_cwd);
    want("S['file_bytes_read'] == sum(e['bytes'] or 0 for e in by('read', target='file') if 'error' not in e)");
    want("S['file_bytes_written'] >= 195");
    want("[e['error'] for e in by('write', filename='%sdata') if 'error' in e] in ([], ['EINVAL'])", t_cwd);
}

SCENE(pipes)
{
    int p[2], e = (int)CHK(eventfd(0, 0));
    uint64_t one = 1;
    CHK(pipe(p));
    GOT(11, write(p[1], buf, 11));
    GOT(6, writev(p[1], iov(1, 2, 3), 3));
    GOT(17, read(p[0], buf, 100));
    GOT(8, write(e, &one, 8));
    GOT(8, read(e, &one, 8));
    want("tot('write', 'bytes', fd=%d, target='pipe') == tot('read', 'bytes', fd=%d, target='pipe') == 17", p[1], p[0]);
    want("one('write', fd=%d, target='eventfd')['bytes'] == one('read', fd=%d, target='eventfd')['bytes'] == 8", e, e);
    want("S['net_bytes_sent'] == 0");
}

SCENE(socks)
{
    int s[2];
    CHK(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
    struct msghdr m = { .msg_iov = iov(4, 5, 6), .msg_iovlen = 3 };
    struct iovec one = { buf, 100 };
    struct mmsghdr mm[3] = { { .msg_hdr = m }, { .msg_hdr = m }, { .msg_hdr = m } };
    mm[1].msg_hdr.msg_iovlen = 1; /* 15 + 4 + 9 */
    mm[2].msg_hdr.msg_iovlen = 2;
    GOT(10, send(s[0], buf, 10, 0));
    GOT(12, sendto(s[0], buf, 12, MSG_DONTWAIT, NULL, 0));
    GOT(15, sendmsg(s[0], &m, 0));
    GOT(3, sendmmsg(s[0], mm, 3, 0));
    GOT(20, write(s[0], buf, 20));
    GOT(11, writev(s[0], iov(5, 6, 0), 2));
    GOT(10, recv(s[1], buf, 100, 0));
    GOT(12, recvfrom(s[1], buf, 100, 0, NULL, NULL));
    m.msg_iov = &one, m.msg_iovlen = 1;
    GOT(15, recvmsg(s[1], &m, 0));
    struct iovec r[2] = { { buf, 100 }, { buf + 200, 100 } };
    struct mmsghdr rr[2] = { { .msg_hdr = { .msg_iov = r, .msg_iovlen = 1 } }, { .msg_hdr = { .msg_iov = r + 1, .msg_iovlen = 1 } } };
    GOT(2, recvmmsg(s[1], rr, 2, 0, NULL));
    MUST(rr[0].msg_len == 15 && rr[1].msg_len == 4);
    GOT(9, recv(s[1], buf, 100, MSG_PEEK));
    GOT(9, recv(s[1], buf, 100, 0));
    GOT(20, read(s[1], buf, 100));
    GOT(11, readv(s[1], iov(5, 50, 0), 2));
    MUST(recv(s[1], buf, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    int all = 10 + 12 + 15 + 28 + 20 + 11;
    want("tot('send', 'bytes', fd=%d) == %d", s[0], all);
    want("tot('recv', 'bytes', fd=%d) in (%d, %d)", s[1], all, all + 9);
    want("{e['sock_type'] for e in by('send', fd=%d)} == {'unix-dgram'}", s[0]);
    want("S['net_bytes_sent'] == %d", all);
    want("S['net_bytes_received'] in (%d, %d)", all, all + 9);
    want("S['net_bytes_received'] == sum(e.get('bytes') or 0 for e in by('recv') if 'error' not in e)");
    want("not by('write', fd=%d) and not by('read', fd=%d)", s[0], s[1]);
}

SCENE(moves)
{
    int p[2], q[2], s[2];
    off_t off = 0;
    loff_t in = 0, out = 0;
    t_put("src", 10000);
    int src = (int)CHK(open("src", O_RDONLY)), dst = (int)CHK(open("dst", CREATE, 0644));
    int dst2 = (int)CHK(open("dst2", CREATE, 0644)), dst3 = (int)CHK(open("dst3", CREATE, 0644));
    CHK(pipe(p));
    CHK(pipe(q));
    CHK(socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    GOT(10000, sendfile(dst, src, NULL, 20000));
    GOT(400, sendfile(s[0], src, &off, 400));
    GOT(5000, syscall(SYS_copy_file_range, src, &in, dst2, &out, 5000L, 0));
    in = 100;
    GOT(3000, syscall(SYS_splice, src, &in, p[1], NULL, 3000L, 0));
    GOT(1200, syscall(SYS_tee, p[0], q[1], 1200L, 0));
    GOT(3000, syscall(SYS_splice, p[0], NULL, dst3, NULL, 4000L, 0));
    struct iovec v[2] = { { buf, 700 }, { buf + 4096, 300 } };
    GOT(1000, syscall(SYS_vmsplice, p[1], v, 2L, 0));
    GOT(1200, read(q[0], buf, 8192));
    GOT(1000, read(p[0], buf, 8192));
    want("one('sendfile', dst_name='%sdst')['bytes'] == 10000 and tot('sendfile', 'bytes') == 10400", t_cwd);
    want("len(by('sendfile', src_name='%ssrc')) == 2", t_cwd);
    want("one('copy_file_range', src_name='%ssrc', dst_name='%sdst2')['bytes'] == 5000", t_cwd, t_cwd);
    want("one('splice', src_name='%ssrc')['bytes'] == one('splice', dst_name='%sdst3')['bytes'] == 3000", t_cwd, t_cwd);
    want("one('tee')['bytes'] == 1200 and one('vmsplice')['bytes'] == 1000");
    want("shows(row('files', path='%ssrc'), bytes_read=%d, bytes_written=10000)", t_cwd, 10000 + 400 + 5000 + 3000);
    want("[row('files', path='%s' + f)['bytes_written'] for f in ('dst', 'dst2', 'dst3')] == [10000, 5000, 3000]", t_cwd);
    want("S['net_bytes_sent'] == 400");
}

SCENE(short)
{
    int fd = (int)CHK(open("v", CREATE, 0644));
    char *edge = t_map(8192);
    CHK(munmap(edge + 4096, 4096));
    struct iovec v[2] = { { edge + 4000, 96 }, { edge + 4096, 500 } };
    GOT(96, writev(fd, v, 2)); /* a short write: the second part is not there */
    GOT(96, write(fd, edge + 4000, 5000));
    want("tot('write', 'bytes', filename='%sv') == 192", t_cwd);
}

T_MAIN
