/* only: x86_64
 * A 64-bit program that makes system calls of other ABIs: i386 (int $0x80) and x32. */
#include "t.h"
#include <setjmp.h>

static long int80(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
    return r;
}

/* A page whose address a 32-bit argument can have. */
static char *low_page(void)
{
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    MUST(low != MAP_FAILED);
    return low;
}

static sigjmp_buf no_gate;

static void no_int80(int sig)
{
    siglongjmp(no_gate, sig);
}

/* Without CONFIG_IA32_EMULATION the instruction faults, or the call is not getpid. */
static int has_int80(void)
{
    t_handle(SIGSEGV, no_int80, 0);
    int has = !sigsetjmp(no_gate, 1) && int80(20, 0, 0, 0) == getpid();
    t_handle(SIGSEGV, SIG_DFL, 0);
    errno = ENOSYS;
    return has;
}

static void must_int80(void)
{
    if (!has_int80())
        skip("int $0x80");
}

SCENE(i386)
{
    char *low = low_page();
    must_int80();
    strcpy(low, "made by int80");
    long fd = int80(5, (long)low, O_RDWR | O_CREAT, 0600);
    MUST(fd > 2);
    MUST(int80(4, fd, (long)low, 123) == 123);
    MUST(int80(6, fd, 0, 0) == 0);
    MUST(int80(20, 0, 0, 0) == getpid());
    want("[c['ret'] for c in calls('getpid', abi='i386')] == [%d, %d]", getpid(), getpid());
    want("not [c for c in calls('writev')]"); /* that is 20 in the 64-bit table */
    want("one('open', path='~/made by int80')['fd'] == %ld", fd);
    want("tot('write', 'bytes', filename='~/made by int80') == 123");
    want("len(calls('open', abi='i386')) == 1 and calls('open', abi='i386')[0]['ret'] == %ld", fd);
    want("all('abi' not in c for c in calls('mmap'))");
}

/* clone by int $0x80: its flags are in ebx. The upper half of rbx is not an argument, and keeps its value. */
SCENE(i386_clone)
{
    enum { UNTRACED = 0x00800000 };
    unsigned long bx = 0xabcdef12ull << 32 | UNTRACED | SIGCHLD, was = bx;
    must_int80();
    long r;
    __asm__ volatile("int $0x80" : "=a"(r), "+b"(bx) : "0"(120L), "c"(0L), "d"(0L), "S"(0L), "D"(0L)
                     : "memory", "r8", "r9", "r10", "r11");
    if (!r)
        _exit(syscall(SYS_getppid) > 1 && bx == was ? 5 : 6);
    MUST(r > 0 && bx == was);
    t_wait((pid_t)r, 5);
    want("[e['child_pid'] for e in by('spawn_process')] == [%ld]", r);
    want("one('exit_process', exit_pid=%ld)['code'] == 5", r);
}

/* socketcall(2): a datagram to itself, received with enough and with too little room for the sender's address. */
SCENE(i386_socketcall)
{
    enum { SOCKET = 1, SENDTO = 11, RECVFROM = 12 };
    char *low = low_page();
    unsigned at = (unsigned)(uintptr_t)low, *args = (unsigned *)low, *len = (unsigned *)(low + 100);
    struct sockaddr_in *a = (struct sockaddr_in *)(low + 200);
    socklen_t n = sizeof *a;
    memcpy(args, (unsigned[]){ AF_INET, SOCK_DGRAM, 0 }, 12);
    must_int80();
    long fd = int80(102, SOCKET, (long)low, 0);
    MUST(fd > 2);
    *a = t_loopback(0);
    MUST(!bind((int)fd, (void *)a, n) && !getsockname((int)fd, (void *)a, &n));
    int port = ntohs(a->sin_port);
    for (unsigned room = 3; room <= 16; room += 13) {
        *a = t_loopback(port);
        memcpy(args, (unsigned[]){ (unsigned)fd, at + 300, 40 + room, 0, at + 200, sizeof *a }, 24);
        MUST(int80(102, SENDTO, (long)low, 0) == (long)(40 + room));
        *len = room;
        memcpy(args, (unsigned[]){ (unsigned)fd, at + 300, 100, 0, at + 200, at + 100 }, 24);
        MUST(int80(102, RECVFROM, (long)low, 0) == (long)(40 + room) && *len == sizeof *a);
    }
    want("[c['args'][0] for c in calls('socketcall')][0] == 'SYS_SOCKET'");
    want("[e['bytes'] for e in by('send', fd=%ld)] == [43, 56]", fd);
    want("[e['bytes'] for e in by('recv', fd=%ld)] == [43, 56]", fd);
    want("[e.get('remote_addr') for e in by('recv', fd=%ld)] == [None, '127.0.0.1:%d']", fd, port);
}

/* The kernel ignores the upper half of 32-bit arguments, and of all arguments of int $0x80. */
SCENE(wide)
{
    long high = 0x7eadbeefl << 32;
    char *low = low_page();
    strcpy(low, "wide");
    int fd = (int)CHK(open("wide", O_RDWR | O_CREAT | O_TRUNC, 0600));
    MUST(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC | high, 100) == 100);
    MUST(syscall(SYS_fcntl, 100, F_GETFD | high) == FD_CLOEXEC);
    MUST(syscall(SYS_prctl, PR_SET_NAME | high, "broad") == 0);
    want("[c['args'][1] for c in calls('fcntl')] == ['F_DUPFD_CLOEXEC', 'F_GETFD']");
    want("calls('prctl')[0]['args'][0] == 'PR_SET_NAME'");
    CHK(close(fd));
    want("not by('close', path='~/wide', fd=%d)", fd); /* 100 is the same open file */
    if (has_int80()) {
        long g = int80(5, (long)low | high, O_RDONLY | high, 0);
        MUST(g > 2);
        want("[e['access'] for e in by('open', path='~/wide')] == ['read/write', 'read']");
    }
    CHK(close(100));
    want("one('close', path='~/wide', fd=100)");
}

SCENE(x32)
{
    errno = 0;
    long r = syscall(0x40000000 | 39);
    MUST(r == getpid() || (r == -1 && errno == ENOSYS));
    if (r > 0)
        want("[c['ret'] for c in calls('getpid', abi='x32')] == [%d]", getpid());
    else
        want("[(c['error'], c['abi']) for c in calls('getpid') if c['error']] == [('ENOSYS', 'x32')]");
    syscall(0x40000000 | 520, 0, 0, 0); /* execve of x32: 520 is nothing in the 64-bit table */
    want("len(calls('execve', abi='x32')) == 1");
    syscall(SYS_getpgid, 0);
    want("calls('getpgid')[-1]['ret'] == %d", getpgrp());
}

T_MAIN
