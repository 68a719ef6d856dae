/* shapes SCENE: calls whose arguments have unusual shapes: invalid times, addresses and structures that are
 * shorter or longer than their families and kernels define, results of other types. All calls are raw and most
 * fail; each says how kvis must show it. */
#include "t.h"
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/msg.h>

typedef unsigned char byte;
typedef uint32_t u32;
typedef uint64_t u64;

/* Argument `arg` of the nth call of that name must be shown as the text. t_main() begins with getcwd(2); earlier calls are those of
 * the C library. */
static void shown(const char *call, int nth, int arg, const char *fmt, va_list ap)
{
    char text[4096];
    vsnprintf(text, sizeof text, fmt, ap);
    want("[c for c in calls('%s') if c['ts_ns'] > calls('getcwd')[0]['ts_ns']][%d]['args'][%d] == r'''%s'''",
         call, nth, arg, text);
}

static struct { const char *call; int made; } count[40], *last;

/* shows: an argument of the call that has returned `result`; and_shows: another argument of the same call. */
static long __attribute__((format(printf, 4, 5))) shows(long result, const char *call, int arg, const char *fmt, ...)
{
    va_list ap;
    for (last = count; last->call && strcmp(last->call, call);)
        MUST(++last < count + COUNT(count));
    last->call = call;
    va_start(ap, fmt);
    shown(call, last->made++, arg, fmt, ap);
    va_end(ap);
    return result;
}

static void __attribute__((format(printf, 2, 3))) and_shows(int arg, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    shown(last->call, last->made - 1, arg, fmt, ap);
    va_end(ap);
}

static void rang(int sig) { (void)sig; }

/* A sleep that a signal interrupts returns the remaining time. */
SCENE(sleeps)
{
    struct itimerval soon = { .it_value = { 0, 30000 } };
    t_handle(SIGALRM, rang, 0);
    for (int clock = 0; clock < 2; clock++) {
        u64 ask[2] = { 50, 0 }, left[2] = { 0, 0 };
        setitimer(ITIMER_REAL, &soon, NULL);
        if (clock)
            syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, ask, left);
        else
            syscall(SYS_nanosleep, ask, left);
        want("calls('%s')[0]['args'][%d] == '{tv_sec=%llu, tv_nsec=%llu}'", clock ? "clock_nanosleep" : "nanosleep", clock ? 3 : 1,
             (unsigned long long)left[0], (unsigned long long)left[1]);
        __builtin_memset(left, 0x55, sizeof left); /* a read that is too late finds this */
        __asm__ volatile("" : : "r"(left) : "memory");
    }
}

SCENE(wide)
{
    /* The kernel ignores the upper half of a register if the argument is an int (see the case argument_widths), even if it is the
     * length of another argument. */
    const u64 high = 0xffffffff00000000;
    struct sockaddr_in to = t_loopback(9);
    struct { uint16_t num; int16_t op, flg; } ops = { 0, 0, 04000 };
    char buf[4096];
    int fd = (int)CHK(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    CHK(shows(syscall(SYS_sendto, fd, "wide", 4, high | MSG_DONTWAIT, &to, high | sizeof to), "sendto", 3, "MSG_DONTWAIT"));
    and_shows(4, "{sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr(\"127.0.0.1\")}");
    and_shows(5, "16");
    shows(syscall(SYS_semop, -1, &ops, high | 1), "semop", 1, "[{sem_num=0, sem_op=0, sem_flg=IPC_NOWAIT}]");
    and_shows(2, "1");
    shows(syscall(SYS_mprotect, 0, 0, high | PROT_READ), "mprotect", 2, "PROT_READ|0xffffffff00000000"); /* an unsigned long */
    /* Arguments that the call reads and then overwrites: the input is shown, never the output. */
    for (int k = 0; k < 4; k++) {
        char *path = buf + 8 * k;
        strcpy(path, "/proc/self/exe");
        CHK(shows(syscall(SYS_readlinkat, AT_FDCWD, path, buf, sizeof buf), "readlinkat", 1, "/proc/self/exe"));
        strcpy(path, "/proc/self/exe");
        CHK(shows(syscall(SYS_statx, AT_FDCWD, path, 0, 0x7ff, buf), "statx", 1, "/proc/self/exe"));
        strcpy(path, "/proc/self/none");
        shows(syscall(SYS_statfs, path, buf), "statfs", 0, "/proc/self/none");
    }
    strcpy(buf, "user.none");
    shows(syscall(SYS_getxattr, "/", buf, buf, 64), "getxattr", 1, "user.none");
    struct timespec nap = { 0, 7 };
    CHK(shows(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, &nap), "clock_nanosleep", 2, "{tv_sec=0, tv_nsec=7}"));
    unsigned long mask = 1 << (SIGUSR1 - 1);
    CHK(shows(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, &mask, 8), "rt_sigprocmask", 1, "[USR1]"));
    struct { unsigned long cur, max; } limit = { 0, 4096 };
    CHK(shows(syscall(SYS_prlimit64, 0, RLIMIT_CORE, &limit, &limit), "prlimit64", 2, "{rlim_cur=0, rlim_max=4*1024}"));
    struct itimerval every = { { 0, 0 }, { 1000, 0 } };
    CHK(shows(syscall(SYS_setitimer, ITIMER_REAL, &every, &every), "setitimer", 1,
              "{it_interval={tv_sec=0, tv_usec=0}, it_value={tv_sec=1000, tv_usec=0}}"));
    static const struct { unsigned cmd; const char *name; } commands[] = {
        { 0x81004506, "EVIOCGNAME(256)" }, { 0x80604521, "EVIOCGBIT(0x1, 96)" }, { 0x80184541, "EVIOCGABS(0x1)" },
        { 0x401845c1, "EVIOCSABS(0x1)" }, { 0x40406b00, "SPI_IOC_MESSAGE(2)" }, { 0xc040ff0b, "PIDFD_GET_INFO" },
        { 0xc048ff0b, "PIDFD_GET_INFO" }, { 0x3b71, "VFIO_IOMMU_MAP_DMA or VFIO_DEVICE_PCI_HOT_RESET" },
        { 0x80057e63, "_IOC(_IOC_READ, 0x7e, 0x63, 0x5)" }, { 0x5402, "TCSETS or SNDCTL_TMR_START" },
        { 0xc005480a, "HIDIOCGINPUT(5)" }, { 0xc0106440, "DRM_IOCTL_TEGRA_GEM_CREATE or DRM_IOCTL_QAIC_MANAGE or DRM_IOCTL_PVR_DEV_QUERY or ..." },
        { 0x89e1, "SIOCPROTOPRIVATE+1" }, { 0x89f2, "SIOCDEVPRIVATE+2" }, { 0x8bff, "SIOCIWFIRSTPRIV+31" },
        { 0x80046601, "FS_IOC_GETFLAGS" }, /* of a 32-bit program */
    };
    for (size_t k = 0; k < COUNT(commands); k++)
        shows(syscall(SYS_ioctl, -1, commands[k].cmd, buf), "ioctl", 1, "%s", commands[k].name);
    struct sockaddr_un un = { .sun_family = AF_UNIX };
    int n = snprintf(un.sun_path, sizeof un.sun_path, "%ckvis-%d%ccd", 0, (int)getpid(), 0);
    fd = (int)CHK(socket(AF_UNIX, SOCK_STREAM, 0));
    CHK(bind(fd, (struct sockaddr *)&un, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n)));
    CHK(listen(fd, 1));
    want("'@kvis-%d' + chr(92) + 'x00cd>' in calls('listen')[-1]['args'][0]", (int)getpid());
}

SCENE(times)
{
    static struct { u64 sec, nsec; } now = { 0, UTIME_NOW }, omit = { 0, UTIME_OMIT }, pair[2] = { { 5, 7 }, { 1, UTIME_OMIT } },
        odd[2] = { { 0, UTIME_NOW | 1ull << 32 }, { 0, UTIME_NOW } };
    shows(syscall(SYS_clock_nanosleep, 1, 0, &now, NULL), "clock_nanosleep", 2, "{tv_sec=0, tv_nsec=1073741823}");
    shows(syscall(SYS_nanosleep, &omit, NULL), "nanosleep", 0, "{tv_sec=0, tv_nsec=1073741822}");
    shows(syscall(SYS_utimensat, AT_FDCWD, "none", pair, 0), "utimensat", 2, "[{tv_sec=5, tv_nsec=7}, UTIME_OMIT]");
    shows(syscall(SYS_utimensat, AT_FDCWD, "none", odd, 0), "utimensat", 2,
          "[{tv_sec=0, tv_nsec=%lld}, UTIME_NOW]", UTIME_NOW | 1ll << 32);
    shows(syscall(SYS_ppoll, (void *)8, 1, &now, NULL, 8), "ppoll", 2, "{tv_sec=0, tv_nsec=1073741823}");
}

/* bind without a descriptor: the kernel does not look at the address. */
#define bound(sa, len, ...) shows(syscall(SYS_bind, -1, sa, len), "bind", 1, __VA_ARGS__)

SCENE(sockaddrs)
{
    static const struct {
        int af;
        const char *name, *decoded; /* of 128 bytes, by what fill() puts there */
        int least;
        const char *shorter; /* of one byte less than the least */
    } of[] = {
        { 1, "AF_UNIX", "sun_path=\"abcdefghijklmnopqrstuvwxyz{|}~\"", 3, NULL },
        { 2, "AF_INET", "sin_port=htons(24930), sin_addr=inet_addr(\"99.100.101.102\")", 8, "abcde" },
        { 10, "AF_INET6", "sin6_port=htons(24930), sin6_flowinfo=htonl(1667523942), inet_pton(AF_INET6, "
          "\"6768:696a:6b6c:6d6e:6f70:7172:7374:7576\", &sin6_addr), sin6_scope_id=2054781047", 24,
          "abcdefghijklmnopqrstu" },
        { 16, "AF_NETLINK", "nl_pid=1717920867, nl_groups=0x6a696867", 12, "abcdefghi" },
        { 17, "AF_PACKET", "sll_protocol=htons(24930), sll_ifindex=1717920867, sll_hatype=26727, sll_pkttype=105, "
          "sll_halen=106, sll_addr=6b:6c:6d:6e:6f:70:71:72", 12, "abcdefghi" },
        { 38, "AF_ALG", "salg_type=\"abcdefghijklmn\", salg_feat=0x7271706f, salg_mask=0x76757473, "
          "salg_name=\"wxyz{|}~\"", 88, NULL },
        { 40, "AF_VSOCK", "svm_cid=0x6a696867, svm_port=1717920867", 12, "abcdefghi" },
        { 44, "AF_XDP", "sxdp_flags=0x6261, sxdp_ifindex=1717920867, sxdp_queue_id=1785292903, "
          "sxdp_shared_umem_fd=1852664939", 16, "abcdefghijklm" },
    };
    static byte sa[256];
    for (int i = 0; i < 30; i++)
        sa[2 + i] = (byte)('a' + i);
    for (unsigned i = 0; i < COUNT(of); i++) {
        sa[0] = (byte)of[i].af;
        bound(sa, 0, "%p", (void *)sa);
        bound(sa, -1, "%p", (void *)sa);
        bound(sa, 2, "{sa_family=%s}", of[i].name);
        bound(sa, 128, "{sa_family=%s, %s}", of[i].name, of[i].decoded);
        bound(sa, 140, "{sa_family=%s, %s}", of[i].name, of[i].decoded); /* no more than 128 count */
        if (of[i].shorter)
            bound(sa, of[i].least - 1, "{sa_family=%s, sa_data=\"%s\"}", of[i].name, of[i].shorter);
    }
    sa[0] = 10; /* without a scope (RFC 2133) */
    bound(sa, 24, "{sa_family=AF_INET6, sin6_port=htons(24930), sin6_flowinfo=htonl(1667523942), "
          "inet_pton(AF_INET6, \"6768:696a:6b6c:6d6e:6f70:7172:7374:7576\", &sin6_addr)}");
    sa[0] = 99;
    bound(sa, 5, "{sa_family=99, sa_data=\"abc\"}");
    memset(sa, 0, sizeof sa);
    sa[0] = 16;
    bound(sa, 4, "{sa_family=AF_NETLINK, sa_data=\"\\x00\\x00\"}");
    bound(sa, 12, "{sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}");
    sa[0] = 1;
    bound(sa, 3, "{sa_family=AF_UNIX, sun_path=@\"\"}");
    bound(sa, 5, "{sa_family=AF_UNIX, sun_path=@\"\\x00\\x00\"}");
    memcpy(sa + 3, "name", 4);
    bound(sa, 7, "{sa_family=AF_UNIX, sun_path=@\"name\"}");
    bound((void *)8, 16, "0x8");
}

SCENE(messages)
{
    static struct { long type; char text[8]; } m = { 1, "abcd" };
    int q = (int)CHK(msgget(IPC_PRIVATE, 0600 | IPC_CREAT));
    CHK(shows(syscall(SYS_msgsnd, q, &m, 4, 0), "msgsnd", 1, "{mtype=1, mtext=\"abcd\"}"));
    m.type = -5;
    shows(syscall(SYS_msgsnd, q, &m, 0, 0), "msgsnd", 1, "{mtype=-5, mtext=\"\"}");
    shows(syscall(SYS_msgsnd, q, 8, 5, 0), "msgsnd", 1, "0x8");
    MUST(shows(syscall(SYS_msgrcv, q, &m, 8, 0, 0), "msgrcv", 1, "{mtype=1, mtext=\"abcd\"}") == 4);
    shows(syscall(SYS_msgrcv, q, &m, 8, 0, IPC_NOWAIT), "msgrcv", 1, "%p", (void *)&m);
    CHK(msgctl(q, IPC_RMID, NULL));

    /* A name that is longer than its buffer: bytes after the buffer are not part of it. */
    struct sockaddr_un sa = { .sun_family = AF_UNIX, .sun_path = "a-name-of-a-socket" };
    char text[4], room[sizeof sa];
    struct iovec v = { text, sizeof text };
    struct msghdr msg = { .msg_name = room, .msg_namelen = 10, .msg_iov = &v, .msg_iovlen = 1 };
    int pair[2];
    memset(room, 'x', sizeof room);
    CHK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    CHK(bind(pair[0], (struct sockaddr *)&sa, sizeof sa.sun_family + strlen(sa.sun_path) + 1));
    MUST(write(pair[0], "abcd", 4) == 4 && recvmsg(pair[1], &msg, 0) == 4 && msg.msg_namelen > 10);
    want("calls('recvmsg')[0]['args'][1].startswith('{msg_name={sa_family=AF_UNIX, sun_path=\"a-name-o\"}, msg_namelen=10 => ')");
}

/* Structures that say their size, or whose size is an argument. */
SCENE(sizes)
{
    static u64 how[6] = { 0, 0, 0, 1 }, clone[20] = { 0x80000000000 }, mnt[6] = { 1, 2, 0, 3 }, rules[6] = { 1, 3 };
#define KNOWN "flags=O_RDONLY, mode=000, resolve=0"
    shows(syscall(SYS_openat2, AT_FDCWD, "none", how, 0), "openat2", 2, "%p", (void *)how);
    shows(syscall(SYS_openat2, AT_FDCWD, "none", how, 16), "openat2", 2, "{flags=O_RDONLY, mode=000}");
    shows(syscall(SYS_openat2, AT_FDCWD, "none", how, 24), "openat2", 2, "{" KNOWN "}");
    shows(syscall(SYS_openat2, AT_FDCWD, "none", how, 32), "openat2", 2,
          "{" KNOWN ", /* bytes 24..31 */ \"\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}");
    static u64 zero[600];
    shows(syscall(SYS_openat2, AT_FDCWD, "none", zero, 48), "openat2", 2, "{" KNOWN "}");
    shows(syscall(SYS_openat2, AT_FDCWD, "none", zero, 4800), "openat2", 2,
          "{" KNOWN ", ...}"); /* the kernel takes at most a page */
    byte *end = (byte *)t_map(8192);
    CHK(munmap(end + 4096, 4096));
    shows(syscall(SYS_openat2, AT_FDCWD, "none", end + 4096 - 16, 24), "openat2", 2, "%p", (void *)(end + 4096 - 16));

    static u32 cpus[3] = { 0x80000001, 0, 2 }; /* sets of 4 and 12 bytes, for a process that does not exist */
    shows(syscall(SYS_sched_setaffinity, 0x7ffffff0, 4, cpus), "sched_setaffinity", 2, "[0 31]");
    shows(syscall(SYS_sched_setaffinity, 0x7ffffff0, 12, cpus), "sched_setaffinity", 2, "[0 31 65]");

    clone[12] = 7;
    shows(syscall(SYS_clone3, clone, 104), "clone3", 0,
          "{flags=0x80000000000, exit_signal=0, stack=NULL, stack_size=0, /* bytes 88..103 */ "
          "\"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}");
    shows(syscall(SYS_clone3, clone, 88), "clone3", 0, "{flags=0x80000000000, exit_signal=0, stack=NULL, stack_size=0}");
    shows(syscall(SYS_clone3, clone, 32), "clone3", 0, "{flags=0x80000000000}");

    mnt[4] = 'x';
    shows(syscall(442, -1, "x", 0, mnt, 40), "mount_setattr", 3,
          "{attr_set=MOUNT_ATTR_RDONLY, attr_clr=MOUNT_ATTR_NOSUID, propagation=0, userns_fd=3, /* bytes 32..39 */ "
          "\"x\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}");
    rules[4] = 'y';
    shows(syscall(444, rules, 40, 0), "landlock_create_ruleset", 0,
          "{handled_access_fs=LANDLOCK_ACCESS_FS_EXECUTE, "
          "handled_access_net=LANDLOCK_ACCESS_NET_BIND_TCP|LANDLOCK_ACCESS_NET_CONNECT_TCP, scoped=0, /* bytes 24..39 */ "
          "\"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00y\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}");
    shows(syscall(444, rules, 8, 0), "landlock_create_ruleset", 0, "{handled_access_fs=LANDLOCK_ACCESS_FS_EXECUTE}");
    u64 port[2] = { 1, 8080 };
    shows(syscall(445, -1, 2, port, 0), "landlock_add_rule", 2, "{allowed_access=LANDLOCK_ACCESS_NET_BIND_TCP, port=8080}");

    u32 sched[32] = { 64 };
    sched[14] = 'z';
#define SCHED "sched_policy=SCHED_OTHER, sched_flags=0, sched_nice=0, sched_priority=0, sched_runtime=0, " \
    "sched_deadline=0, sched_period=0"
    shows(syscall(SYS_sched_setattr, 0, sched, 1), "sched_setattr", 1, "{size=64, " SCHED ", sched_util_min=0, "
          "sched_util_max=0, /* bytes 56..63 */ \"z\\x00\\x00\\x00\\x00\\x00\\x00\\x00\"}");
    sched[0] = 0;
    shows(syscall(SYS_sched_setattr, 0, sched, 1), "sched_setattr", 1, "{size=0, " SCHED "}");

    u32 file[6] = { 1, 0, 2, 3, 4, 5 };
    shows(syscall(469, -1, "x", file, 24, 0), "file_setattr", 2,
          "{fa_xflags=0x1, fa_extsize=2, fa_nextents=3, fa_projid=4, fa_cowextsize=5}");
    u64 xattr[2] = { 0, 3 | 1ull << 32 };
    shows(syscall(463, -1, "x", 0, "user.x", xattr, 16), "setxattrat", 4, "{value=NULL, size=3, flags=XATTR_CREATE}");
    u32 mount[8] = { 32, 0, 9, 0, 6, 0, 0, 0 };
    shows(syscall(457, mount, NULL, 0, 0x100), "statmount", 0, "{size=32, mnt_id=0x9, param=0x6, mnt_ns_id=0}");
}

/* With E2BIG, the kernel overwrites the size in the structure with the size that it knows. */
SCENE(larger)
{
    u32 perf[58] = { 1 /* PERF_TYPE_SOFTWARE */, sizeof perf }, sched[50] = { sizeof sched };
    perf[57] = sched[49] = 1;
    MUST(syscall(SYS_perf_event_open, perf, 0, -1, -1, 0) < 0);
    MUST(errno != E2BIG || perf[1] != sizeof perf);
    want("'size=232, ' in calls('perf_event_open')[0]['args'][0]");
    MUST(syscall(SYS_sched_setattr, 0, sched, 0) < 0 && errno == E2BIG && sched[0] != sizeof sched);
    want("calls('sched_setattr')[0]['args'][1].startswith('{size=200, ')");

    /* The readable part of an argument is shown, with a mark. */
    char *end = t_map(8192);
    CHK(munmap(end + 4096, 4096));
    char **list = (char **)(end + 4096) - 2;
    list[0] = "one", list[1] = "two";
    char *one[] = { "one", NULL };
    MUST(shows(syscall(SYS_execve, "/bin/true", list, NULL), "execve", 1, "[\"one\", \"two\", ...]") < 0);
    MUST(shows(syscall(SYS_execve, "/bin/true", one, list), "execve", 2, "%p /* 2 vars, then unreadable */", (void *)list) < 0);
}

SCENE(others)
{
    static u32 perf[36];
    perf[1] = 128;                       /* size; type 0: hardware */
    perf[14] = 3;                        /* config1 */
    perf[16] = 0x1234;                   /* config2 */
    syscall(SYS_perf_event_open, perf, 0, -1, -5, 0);
    want("', config1=0x3, config2=0x1234' in calls('perf_event_open')[0]['args'][0]");
    perf[1] = 64;
    syscall(SYS_perf_event_open, perf, 0, -1, -5, 0);
    want("'config1=0x3' in calls('perf_event_open')[1]['args'][0]");
    want("'config2' not in calls('perf_event_open')[1]['args'][0]");
    perf[0] = 5, perf[1] = 72; /* PERF_TYPE_BREAKPOINT */
    syscall(SYS_perf_event_open, perf, 0, -1, -5, 0);
    want("', bp_type=0, bp_addr=0x3, bp_len=4660, ...}' in calls('perf_event_open')[2]['args'][0]");

    static u32 ring[30];
    ring[7] = 9;
    shows(syscall(425, 4, ring), "io_uring_setup", 1, "{flags=0, sq_thread_cpu=0, sq_thread_idle=0, resv[0]=0x9}");
    u64 wait[3] = { 0, 8, 0 }, set = 1;
    shows(syscall(426, -1, 1, 2, 9, wait, 24), "io_uring_enter", 4, "{sigmask=NULL, sigmask_sz=8, ts=NULL}");
    shows(syscall(426, -1, 1, 2, 1, &set, 8), "io_uring_enter", 4, "[HUP]");

    u64 range[2] = { 0, 4096 };
    shows(syscall(451, -1, range, NULL, 0), "cachestat", 1, "{off=0, len=4096}");
    u64 waiter[3] = { 1, 0, 2 };
    shows(syscall(449, waiter, 1, 1, NULL, 0), "futex_waitv", 0, "[{val=0x1, uaddr=NULL, flags=FUTEX2_SIZE_U32}]");

    shows(syscall(SYS_keyctl, 10 /* KEYCTL_SEARCH */, -3, "user", "kvis: no such key", 0), "keyctl", 1, "KEY_SPEC_SESSION_KEYRING");
    and_shows(2, "user");
    and_shows(3, "kvis: no such key");
    shows(syscall(SYS_keyctl, 3 /* KEYCTL_REVOKE */, 0x7ffffff0), "keyctl", 1, "2147483632"); /* decimal, as in results */
    shows(syscall(SYS_reboot, 1, 2, 0xa1b2c3d4 /* LINUX_REBOOT_CMD_RESTART2 */, "again"), "reboot", 3, "again");
    struct iocb block = { .aio_data = 7, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = 99, .aio_nbytes = 16, .aio_offset = 3 };
#define BLOCK "{aio_data=0x7, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=99, aio_buf=NULL, aio_nbytes=16, aio_offset=3}"
    shows(syscall(SYS_io_cancel, 0, &block, &range), "io_cancel", 1, BLOCK);
    syscall(SYS_io_submit, 0, 2, (void *[]){ &block, NULL });
    want("calls('io_submit')[0]['args'][2] == ('[%p, NULL]' if H['backend'] == 'hybrid' else '[" BLOCK ", NULL]')", (void *)&block);
    char *two = t_map(8192), *both[] = { two, two + 4096 };
    int nodes[2] = { 1, 2 };
    byte in[2] = { 9, 9 };
    two[0] = 1;
    shows(syscall(SYS_move_pages, 0x7ffffff0, 2, both, nodes, in, 0), "move_pages", 2, "[%p, %p]", (void *)both[0], (void *)both[1]);
    and_shows(3, "[1, 2]");
    long made = CHK(syscall(SYS_mincore, two, 4097, in));
    shows(made, "mincore", 2, "[%d, %d]", in[0], in[1]);

    /* waitid(2) leaves si_utime and si_stime as they are. */
    siginfo_t info;
    memset(&info, 'x', sizeof info);
    pid_t child = CHILD(_exit(3));
    shows(CHK(waitid(P_PID, (id_t)child, &info, WEXITED)), "waitid", 2,
          "{si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=%d, si_uid=%d, si_status=3}", child, getuid());

    /* Arguments beyond kvis's limits are marked as cut. */
    static byte set_of_fds[1500], value[300];
    set_of_fds[9000 / 8] = 1;
    memset(value, 'v', sizeof value);
    struct { u64 sec, nsec; } now = { 0, 0 };
    MUST(shows(syscall(SYS_pselect6, 8 * sizeof set_of_fds, set_of_fds, NULL, NULL, &now, NULL), "pselect6", 1, "[...]") == 0);
    shows(syscall(SYS_setsockopt, -1, 0, 999, value, sizeof value), "setsockopt", 3, "\"%.256s\"...", value);
    static struct pollfd many[65538];
    struct rlimit files = { 70000, 70000 };
    for (size_t i = 0; i < 65537; i++)
        many[i].fd = -1;
    many[65537] = (struct pollfd){ .fd = (int)CHK(open("/dev/null", O_RDONLY)), .events = POLLIN };
    if (setrlimit(RLIMIT_NOFILE, &files) == 0)
        MUST(ppoll(many, 65538, NULL, NULL) == 1);

    int pair[2];
    siginfo_t si;
    set = 1ull << (40 - 1);
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8) == 0);
    MUST(fcntl(pair[0], 10 /* F_SETSIG */, 40) == 0 && fcntl(pair[0], F_SETOWN, getpid()) == 0);
    MUST(fcntl(pair[0], F_SETFL, O_ASYNC) == 0 && write(pair[1], "x", 1) == 1);
    long sig = CHK(syscall(SYS_rt_sigtimedwait, &set, &si, NULL, 8));
    shows(sig, "rt_sigtimedwait", 1, "{si_signo=SIGRT_8, si_code=POLL_IN, si_band=%ld, si_fd=%d}", si.si_band, pair[0]);

#ifdef SYS_modify_ldt
    /* The result is an unsigned int, so it is not an error for the program. */
    uint32_t ldt[4] = { 7, 0x1000, 0xfff, 1 | 2 << 1 | 1 << 5 };
    long r = syscall(SYS_modify_ldt, 0x55, NULL, 0);
    MUST(syscall(SYS_modify_ldt, 2, NULL, 0) == 0);
    syscall(SYS_modify_ldt, 0x77, ldt, sizeof ldt);
    want("calls('modify_ldt')[2]['args'][1] == "
         "'{entry_number=7, base_addr=0x1000, limit=0xfff, seg_32bit=1, contents=2, read_exec_only=0, limit_in_pages=0, "
          "seg_not_present=1, useable=0, lm=0}'");
    want("[(c['ret'], c['error']) for c in calls('modify_ldt')] == [(%ld, None), (0, None), (%ld, None)]", r, r);
#endif
}

T_MAIN
