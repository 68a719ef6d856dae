// SPDX-License-Identifier: MIT
/* kvis: shows what a program makes the Linux kernel do.
 *
 * One static binary that needs nothing on the machine it is copied to. This file is all of it, but
 * for the tables that gen/ makes. Data flows downwards, and so does the file: a room calls only the
 * rooms above it (there are no forward declarations, so the compiler sees to that).
 *
 *     ptrace stops ─► tr_ ─► md_ ─► struct event ─► out_ ─► text
 *     perf samples ─► pf_ ──┘  │    (event_kinds[])    └──► JSON lines
 *                              └─► st_ counts ─► tables and the summary
 *
 * To read it: start with main at the bottom, then tr_loop.
 *
 *  1 limits   headers, kernel constants that old headers lack
 *  2 types    what rooms share
 *  3 u_       errors, bounded bytes, numbers as people read them [die]
 *  4 arch_ abi_ sys_  all that depends on the CPU
 *  5 mem_     the tracee's memory
 *  6 nm_      names that the summary keeps [die: nm_init]
 *  7 fd_ ofd_ files_  what a descriptor is
 *  8 vm_      address spaces
 *  9 ps_      processes and threads
 * 10 dec_     arguments and results of calls, as people read them
 * 11 sc_      which call: numbers, names, sets
 * 12 ev_      events: what happened, as data
 * 13 out_     the sinks: text and JSON lines
 * 14 st_      counts, percentiles, the table of -c and the summary
 * 15 md_      the model: what a call means
 * 16 rec_     recordings: what a .kvis file holds
 * 17 rp_      a recording, played to the sinks
 * 18 px_      --perfetto: a trace for ui.perfetto.dev
 * 19 gz_      what the Makefile compresses
 * 20 rep_     --report: one HTML file, filled in
 * 21 df_      kvis diff: two recordings compared
 * 22 pf_      page faults, by perf_event_open
 * 23 btf_     names of the kernel's types and fields
 * 24 tfs_     tracefs: ids and record layouts of tracepoints
 * 25 bpf_     programs and maps in the kernel
 * 26 rb_      records that programs send
 * 27 sp_      starting a command [die: sp_find sp_fork sp_go sp_boot]
 * 28 hy_      calls recorded in the kernel: the hybrid backend
 * 29 tr_      the ptrace loop [die: tr_spawn tr_signals]
 * 30 open_    kvis open: every file that is opened [die: open_run]
 * 31 proc_    kvis proc: every command, with its exit [die: proc_adopt proc_begin]
 * 32 met_     metrics: the table, and their numbers now
 * 33 mfs_     metrics from files of /proc and /sys
 * 34 pmc_     what the CPUs count: cycles, caches, branches
 * 35 mk_      metrics from programs in the kernel: the scheduler, block I/O
 * 36 mout_    the monitor's sinks
 * 37 hs_      --listen: GET /metrics over HTTP/1.1
 * 38 scr_     the monitor on a terminal
 * 39 mon_     kvis monitor: what the hardware and the kernel of this box are doing
 * 40 check_   kvis check: what works here, and what mends the rest
 * 41 opt_     options, commands, help [die]
 * 42 cmd_     the commands, and main [die]
 */

/* == 1 limits: headers, kernel constants that old headers lack ==================== */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/elf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>

#ifndef KVIS_VERSION
#define KVIS_VERSION "0.1"
#endif
/* == 2 types: what rooms share ================================================= */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;

#include "gen/insn.h"
#include "gen/wire.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define NSEC ((u64)1000000000)
/* For a constant table without pointers: it lies with those that are used with it, and the Makefile
 * compresses them (gz_unpack). */
#define PACKED_IN(section_name) __attribute__((section(#section_name)))

/* Bytes that grow up to `max`; what would not fit is left out and `cut` says so. The memory stays
 * for the next use, so a buffer that is reused allocates only when it needs more than ever before.
 */
struct buf {
    char *p;
    u32 len, cap, max; /* max 0: 1 MiB */
    bool cut;
};

/* Which system-call convention a stop belongs to. A 64-bit process can make calls of several. */
enum abi { ABI_X86_64, ABI_I386, ABI_X32, ABI_ARM64, ABI_ARM32, N_ABI };

/* One argument, decoded: bytes of the tracee (ARG_STR: hostile, raw) or text that kvis made
 * (ARG_TXT: printable ASCII or UTF-8, safe on a terminal, strings inside it already escaped). */
enum arg_form { ARG_NONE, ARG_TXT, ARG_STR };
struct arg {
    u8 form;
    bool cut;     /* ARG_STR: longer in the tracee than what is kept */
    u32 off, len; /* in call.text */
};

/* Of a call that comes out of a recording: what would be looked up by its row or in the tracee. */
struct call_said {
    const char *name, *abi; /* abi NULL: the native one */
    const char *ret;        /* the result as text */
    u32 ret_len;
    u8 nargs;
    bool addr;              /* the result is an address */
};

/* A system call, from its entry on. Times are CLOCK_MONOTONIC ns. */
struct call {
    const struct call_said *said; /* NULL: it is traced now */
    bool open;        /* entered and not yet returned */
    bool known;       /* row is valid; else only the number is known */
    bool decoded;     /* args[] are filled (only when a sink shows them) */
    bool begun;       /* the text sink has printed the first `shown` arguments */
    u8 shown;
    enum abi abi;
    u16 row;          /* index in sc_rows[] */
    u16 id;           /* the first row of that name: what the model switches on */
    u64 nr;
    u64 arg[6];
    s64 ret;
    int err;          /* errno (positive) when the call failed, else 0 */
    bool noret;       /* never returned (exit, killed, exec'd away) */
    bool detached;    /* kvis let go of its thread before it returned */
    bool late;        /* began before kvis was there: how long it took is not known */
    u64 enter_ns, exit_ns;
    bool timed;       /* where the time went is known: the rest of it was spent blocked */
    u64 cpu_ns, runq_ns, disk_ns;
    pid_t waker_pid;  /* who ended its last wait; 0: not known */
    char waker_comm[16]; /* its thread's name; "": not known */
    pid_t child;      /* of fork, vfork, clone: its tid as kvis sees it */
    struct arg val[6];
    struct buf text;  /* the bytes of val[] */
    u64 outlen[2];    /* value-result lengths as they were at entry (accept's *addrlen ...) */
};

/* A name that is worth keeping for the summary: a file's path or a peer's address, once however
 * often it is used, with its totals. Lives in an arena until the end; see nm_. */
struct name {
    struct name *next;              /* in its hash chain */
    u32 hash, len;
    char cls;                       /* 'f' file, 'p' peer "tcp4 1.2.3.4:80", 'x' anything else */
    bool read, written;             /* opened so (files) or used so */
    u8 kind;                        /* enum fdkind of the last use */
    u64 in_bytes, out_bytes, opens;
    char s[];                       /* NUL-terminated; may hold any other byte */
};

enum fdkind {
    FK_UNKNOWN, FK_FILE, FK_DIR, FK_DEV, FK_TTY, FK_PIPE, FK_SOCK, FK_EVENTFD, FK_EPOLL, FK_TIMERFD,
    FK_SIGNALFD, FK_INOTIFY, FK_FANOTIFY, FK_MEMFD, FK_PIDFD, FK_URING, FK_BPF, FK_PERF, FK_UFFD,
    FK_SECCOMP, FK_ANON, N_FK
};

/* An open file description (open(2), NOTES): what dup, fork and SCM_RIGHTS share. */
struct ofd {
    struct ofd *next_free;
    u32 refs;
    u8 kind;             /* enum fdkind */
    bool writable, readable, inherited;
    const char *sock;    /* "tcp4", "unix" ...; NULL when not a socket */
    struct name *name;   /* path, or "pipe:[12]" */
    struct name *local, *peer; /* of a socket, when known */
    u64 in_bytes, out_bytes, open_ns;
    pid_t opener;
};

struct fdent {
    s32 fd; /* -1: free slot */
    bool cloexec;
    struct ofd *o;
};

/* A descriptor table: the kernel's files_struct. Open addressing by fd, so that dup2 to a large
 * number costs nothing. */
struct files {
    u32 refs, n, cap;
    u32 looked;   /* which search has seen it: a table is many threads' */
    struct fdent *slot;
};

/* The kernel's fs_struct: what CLONE_FS shares. */
struct fsinfo {
    u32 refs;
    struct name *cwd; /* NULL: unknown */
};

struct region {
    u64 start, end;
    u8 prot;          /* PROT_* */
    bool ours;        /* mapped while kvis watched: counted in the summary */
    struct name *name; /* path, "heap", "stack", "anon" */
};

/* An address space: the kernel's mm_struct. */
struct mm {
    u32 refs, n, cap;
    struct region *r;    /* sorted, disjoint */
    u64 brk_start, brk;  /* 0: not seen yet */
    bool careful;        /* a page may never come (userfaultfd, FUSE): read with a deadline */
};

/* A process (thread group). */
struct proc {
    struct proc *next;   /* in its hash chain */
    pid_t pid, ppid;
    u32 tasks;           /* its threads that are alive and known */
    struct name *program;
    u64 start_ns;
    u64 restart;         /* signals whose handler has SA_RESTART; bit n-1 */
    u64 caught;          /* signals that have a handler */
    struct stats *stats; /* --by=pid */
    int status;          /* wait status of its leader, once dead */
    u64 rss_ns, rss;     /* when its resident memory was looked at, how much there was, in bytes */
    u64 pid_ns;          /* inode of its pid namespace; 0: kvis's */
    bool new_pid_ns;     /* its children may be in another: unshare or setns */
    bool attached;       /* by -p: its state is from /proc */
};

enum run { RUN_NEW, RUN_HELD, RUN_RUNNING, RUN_LISTEN };

/* A thread under trace: a tracee. */
struct task {
    struct task *next;   /* in its hash chain */
    pid_t tid, pid;
    pid_t ns_tid;        /* tid in the thread's own pid namespace; 0: as tid */
    struct proc *proc;
    struct files *files;
    struct fsinfo *fs;
    struct mm *mm;
    u8 run;              /* enum run */
    bool seen_stop;      /* its first stop has come */
    bool full;           /* stops at every call (its own seccomp filters, or no acceleration) */
    u64 full_ns;         /* since when; 0: from its next stop on */
    u64 kept_ns;         /* when the last call began that the probe had kept */
    struct call call;
    bool restarting;     /* `call` is about to be restarted by the kernel: not counted yet */
    struct name *exec_path;     /* of the execve under way */
    struct buf exec_argv;       /* and its argv: the strings, each with its NUL */
    u64 clone_flags;            /* of the clone under way */
    bool clone_known;
    char comm[16];
    char name[16];              /* as /proc had it at name_ns: see tr_waker */
    u64 name_ns, program_ns;    /* program_ns: when its last exec was known to be over */
    u64 exec_ns;                /* when the last exec began that was shown at its event */
    u64 told_ns, told_end_ns;   /* a clone that has a record, and stopped all the same: from, to */
    u32 key;                    /* its id in the first pid namespace; 0: not known yet */
    bool pending;               /* `call` is recorded, has no record yet, and is shown already */
    bool strict;                /* kvis does for it what SECCOMP_MODE_STRICT would */
    bool masked;                /* it is being let go: its signal mask is in `mask` till then */
    u64 mask;
    int held_sig;               /* a signal of its own that it gets when it is let go */
    siginfo_t held;
    bool restore_arg0;          /* a flag was taken out of clone's: put it back at its exit */
    struct region fault_run;    /* consecutive page faults of this thread in one region */
    u64 faults, fault_addr, fault_ns; /* how many, the first's address and time */
    bool fault_major;
};

/* How a call ended, as -e status= names it (strace(1)). A result that cannot be read is one of a
 * thread that is gone: kvis has no call of the kind `unavailable`. */
enum call_end {
    CALL_SUCCESSFUL = 1, CALL_FAILED = 2, CALL_UNFINISHED = 4, CALL_UNAVAILABLE = 8,
    CALL_DETACHED = 16,
    CALL_ALL = 31
};

/* What the options say. */
struct opts {
    u32 strlen_max;
    u8 verbose, timefmt, color;
    bool quiet, count_only, count_too, by_pid, json, faults, no_filter, no_accel, same_cpu,
        until_exit, kill_on_exit;
    bool calls;   /* some sink wants every call decoded: -v, or a report */
    u8 status;    /* -z -Z -x -e status=: enum call_end */
    u64 signals;  /* -e signal=: bit n-1 */
    u32 interval_s, duration_s, ring_bytes, min_delay_us;
    bool no_ebpf, bpf_stats;
    char backend;         /* 'a', 'p', 'h' */
    const char *json_file, *out_file, *user, *sort;
    const char *record, *report, *perfetto; /* -w, --report, --perfetto */
    u32 report_events;
    const char *trace;    /* -e trace= */
    const char **paths;   /* -P */
    u32 n_paths;
    const char **env;     /* -E */
    u32 n_env;
    pid_t *pids;          /* -p */
    u32 n_pids;
    char **command;
};

static struct opts opt = {
    .strlen_max = 32, .status = CALL_ALL, .signals = ~0ull, .report_events = 2000000,
};
/* == 3 u_  errors, bounded bytes, numbers as people read them ==================
 * Errors: `die` and `xrealloc` end the program and may be called only before anything is
 * attached (options, opening files); afterwards functions return 0 or -errno, `u_warn` reports,
 * and the way out is tr_'s one detach path. A message that ends in ':' gets strerror(errno).
 * Everything that appends to a struct buf is here; escaping is here and nowhere else. */

static const char *u_progname = "kvis";

static void PRINTF_LIKE(1, 0) u_vmsg(const char *fmt, va_list ap)
{
    int e = errno;
    size_t n = strlen(fmt);
    char line[1024];
    int len = snprintf(line, sizeof line, "%s: ", u_progname);
    len += vsnprintf(line + len, sizeof line - (size_t)len, fmt, ap);
    if (len > (int)sizeof line - 80)
        len = (int)sizeof line - 80;
    if (n && fmt[n - 1] == ':')
        len += snprintf(line + len, sizeof line - (size_t)len, " %s", strerror(e));
    line[len++] = '\n';
    /* One write, so that a line is never mixed with the tracee's. */
    if (write(STDERR_FILENO, line, (size_t)len) < 0)
        return; /* stderr is gone: there is nobody left to tell */
}

static void PRINTF_LIKE(1, 2) u_warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    u_vmsg(fmt, ap);
    va_end(ap);
}

/* Exit codes of kvis's own: CONTRACT with scripts (DESIGN, Output). */
enum { EXIT_USAGE = 2, EXIT_KVIS = 125, EXIT_NOEXEC = 126, EXIT_NOTFOUND = 127 };

static void __attribute__((noreturn)) PRINTF_LIKE(2, 3) die(int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    u_vmsg(fmt, ap);
    va_end(ap);
    exit(code);
}

static void *xrealloc(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);
    if (!q)
        die(EXIT_KVIS, "out of memory (%zu bytes)", n);
    return q;
}

static u64 u_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (u64)ts.tv_sec * NSEC + (u64)ts.tv_nsec;
}

static u64 u_at; /* when what is handled now has happened; 0: it happens now */

static u64 u_when(void)
{
    return u_at ? u_at : u_now();
}

static void b_reset(struct buf *b)
{
    b->len = 0;
    b->cut = false;
}

static void b_free(struct buf *b)
{
    free(b->p);
    memset(b, 0, sizeof *b);
}

/* Makes room for n more bytes; returns how many of them fit. */
static u32 b_room(struct buf *b, size_t n)
{
    u32 max = b->max ? b->max : 1u << 20;
    if (n > max - b->len) {
        b->cut = true;
        n = max - b->len;
    }
    if (b->len + n > b->cap) {
        u32 cap = b->cap ? b->cap : 256;
        while (cap < b->len + n)
            cap *= 2;
        cap = MIN(cap, max);
        char *p = realloc(b->p, cap);
        if (!p) {
            b->cut = true;
            return b->cap - b->len;
        }
        b->p = p;
        b->cap = cap;
    }
    return (u32)n;
}

static void b_put(struct buf *b, const void *s, size_t n)
{
    n = b_room(b, n);
    if (n)
        memcpy(b->p + b->len, s, n);
    b->len += (u32)n;
}

static void b_c(struct buf *b, char c)
{
    if (b->len < b->cap) /* cap is never more than max */
        b->p[b->len++] = c;
    else
        b_put(b, &c, 1);
}

static void b_s(struct buf *b, const char *s)
{
    b_put(b, s, strlen(s));
}

static void PRINTF_LIKE(2, 3) b_f(struct buf *b, const char *fmt, ...)
{
    char tmp[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(tmp, sizeof tmp, fmt, ap);
    va_end(ap);
    if (n > 0)
        b_put(b, tmp, MIN((size_t)n, sizeof tmp - 1));
}

/* Decimal and hex without printf: these run for every argument of every call. */
static void b_u64(struct buf *b, u64 v)
{
    char tmp[20];
    int i = 20;
    do
        tmp[--i] = (char)('0' + v % 10);
    while (v /= 10);
    b_put(b, tmp + i, (size_t)(20 - i));
}

static void b_s64(struct buf *b, s64 v)
{
    if (v < 0)
        b_c(b, '-');
    b_u64(b, v < 0 ? -(u64)v : (u64)v);
}

static void b_hex(struct buf *b, u64 v)
{
    char tmp[18];
    int i = 18;
    do
        tmp[--i] = "0123456789abcdef"[v & 15];
    while (v >>= 4);
    tmp[--i] = 'x';
    tmp[--i] = '0';
    b_put(b, tmp + i, (size_t)(18 - i));
}

/* Microseconds as seconds with six places. */
static void b_us(struct buf *b, u64 us)
{
    b_u64(b, us / 1000000);
    b_c(b, '.');
    for (u32 unit = 100000; unit; unit /= 10)
        b_c(b, (char)('0' + us / unit % 10));
}

/* Length of the valid UTF-8 sequence at s (RFC 3629: no overlong forms, no surrogates, up to
 * U+10FFFF), its code point in *cp; 0 when the bytes are not one. */
static int u_utf8(const u8 *s, size_t n, u32 *cp)
{
    static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    int len = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3
            : (s[0] & 0xf8) == 0xf0 ? 4 : 0;
    if (!len || (size_t)len > n)
        return 0;
    u32 c = len == 1 ? s[0] : s[0] & (0x7fu >> len);
    for (int i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *cp = c;
    return len;
}

/* Code points that a terminal acts on instead of showing: C0, DEL, C1, and the bidirectional
 * controls and line separators with which a name can pose as another (EDGE_CASES O1). */
static bool u_acts(u32 c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || (c >= 0x200b && c <= 0x200f)
        || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff
        || (c >= 0xe0000 && c <= 0xe007f);
}

static void b_hex2(struct buf *b, u8 v)
{
    static const char digits[] = "0123456789abcdef";
    b_c(b, digits[v >> 4]), b_c(b, digits[v & 15]);
}

/* How many bytes from the start on are ASCII that stands for itself everywhere. */
static size_t u_plain(const u8 *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\' && s[i] != '\'')
        i++;
    return i;
}

/* Hostile bytes for a terminal: printable UTF-8 as it is, the rest as \n, \t, \r, \\ or \xNN. A
 * `quote` (0 for none) is escaped too. */
static void b_esc(struct buf *b, const void *bytes, size_t n, char quote)
{
    const u8 *s = bytes;
    for (size_t i = 0; i < n;) {
        u32 cp;
        size_t plain = u_plain(s + i, n - i);
        b_put(b, s + i, plain);
        if ((i += plain) == n)
            break;
        int len = u_utf8(s + i, n - i, &cp);
        const char *sc = !len ? NULL : cp == '\n' ? "\\n" : cp == '\t' ? "\\t" : cp == '\r' ? "\\r"
                       : cp == '\\' ? "\\\\" : NULL;
        if (sc)
            b_s(b, sc);
        else if (quote && s[i] == (u8)quote)
            b_c(b, '\\'), b_c(b, quote);
        else if (len && !u_acts(cp))
            b_put(b, s + i, (size_t)len);
        else
            for (int k = 0; k < MAX(len, 1); k++)
                b_s(b, "\\x"), b_hex2(b, s[i + (size_t)k]);
        i += (size_t)MAX(len, 1);
    }
}

/* A string of a traced program as -v shows it: "quoted", with ... when it was longer. */
static void b_quoted(struct buf *b, const void *bytes, size_t n, bool cut)
{
    b_c(b, '"');
    b_esc(b, bytes, n, '"');
    b_s(b, cut ? "\"..." : "\"");
}

/* The inside of a JSON string (RFC 8259). An invalid byte becomes U+FFFD; returns whether any did,
 * so that the caller can add the exact bytes as NAME_hex (DESIGN, Output). */
static bool b_json(struct buf *b, const void *bytes, size_t n)
{
    const u8 *s = bytes;
    bool bad = false;
    for (size_t i = 0; i < n;) {
        u32 cp;
        size_t plain = u_plain(s + i, n - i);
        b_put(b, s + i, plain);
        if ((i += plain) == n)
            break;
        int len = u_utf8(s + i, n - i, &cp);
        if (!len) {
            b_s(b, "\\ufffd");
            bad = true;
        } else if (cp == '"' || cp == '\\') {
            b_c(b, '\\'), b_c(b, (char)cp);
        } else if (cp == '\n') {
            b_s(b, "\\n");
        } else if (u_acts(cp) && cp < 0x10000) {
            b_s(b, "\\u"), b_hex2(b, (u8)(cp >> 8)), b_hex2(b, (u8)cp);
        } else {
            b_put(b, s + i, (size_t)len);
        }
        i += (size_t)MAX(len, 1);
    }
    return bad;
}

static void b_hexbytes(struct buf *b, const void *bytes, size_t n)
{
    const u8 *s = bytes;
    for (size_t i = 0; i < n; i++)
        b_hex2(b, s[i]);
}

/* Bytes as people read them: 517 B, 1.4 KB, 8.5 MB (1 KB = 1024 B, as Compendium prints). */
static void b_size(struct buf *b, u64 n)
{
    static const char *const unit[] = { "KB", "MB", "GB", "TB", "PB", "EB" };
    if (n < 1024) {
        b_u64(b, n), b_s(b, " B");
        return;
    }
    int i = 0;
    double v = (double)n / 1024;
    for (; v >= 1023.95 && i < 5; i++)
        v /= 1024;
    b_f(b, "%.1f %s", v, unit[i]);
}

/* The name of an errno as <asm-generic/errno.h> spells it, or NULL. */
static const char *u_errname(int e)
{
    static const char *const name[] = {
#define E(n) [n] = #n
        E(EPERM), E(ENOENT), E(ESRCH), E(EINTR), E(EIO), E(ENXIO), E(E2BIG), E(ENOEXEC), E(EBADF),
        E(ECHILD), E(EAGAIN), E(ENOMEM), E(EACCES), E(EFAULT), E(ENOTBLK), E(EBUSY), E(EEXIST),
        E(EXDEV), E(ENODEV), E(ENOTDIR), E(EISDIR), E(EINVAL), E(ENFILE), E(EMFILE), E(ENOTTY),
        E(ETXTBSY), E(EFBIG), E(ENOSPC), E(ESPIPE), E(EROFS), E(EMLINK), E(EPIPE), E(EDOM),
        E(ERANGE), E(EDEADLK), E(ENAMETOOLONG), E(ENOLCK), E(ENOSYS), E(ENOTEMPTY), E(ELOOP),
        E(ENOMSG), E(EIDRM), E(ECHRNG), E(EL2NSYNC), E(EL3HLT), E(EL3RST), E(ELNRNG), E(EUNATCH),
        E(ENOCSI), E(EL2HLT), E(EBADE), E(EBADR), E(EXFULL), E(ENOANO), E(EBADRQC), E(EBADSLT),
        E(EBFONT), E(ENOSTR), E(ENODATA), E(ETIME), E(ENOSR), E(ENONET), E(ENOPKG), E(EREMOTE),
        E(ENOLINK), E(EADV), E(ESRMNT), E(ECOMM), E(EPROTO), E(EMULTIHOP), E(EDOTDOT), E(EBADMSG),
        E(EOVERFLOW), E(ENOTUNIQ), E(EBADFD), E(EREMCHG), E(ELIBACC), E(ELIBBAD), E(ELIBSCN),
        E(ELIBMAX), E(ELIBEXEC), E(EILSEQ), E(ERESTART), E(ESTRPIPE), E(EUSERS), E(ENOTSOCK),
        E(EDESTADDRREQ), E(EMSGSIZE), E(EPROTOTYPE), E(ENOPROTOOPT), E(EPROTONOSUPPORT),
        E(ESOCKTNOSUPPORT), E(EOPNOTSUPP), E(EPFNOSUPPORT), E(EAFNOSUPPORT), E(EADDRINUSE),
        E(EADDRNOTAVAIL), E(ENETDOWN), E(ENETUNREACH), E(ENETRESET), E(ECONNABORTED),
        E(ECONNRESET), E(ENOBUFS), E(EISCONN), E(ENOTCONN), E(ESHUTDOWN), E(ETOOMANYREFS),
        E(ETIMEDOUT), E(ECONNREFUSED), E(EHOSTDOWN), E(EHOSTUNREACH), E(EALREADY),
        E(EINPROGRESS), E(ESTALE), E(EUCLEAN), E(ENOTNAM), E(ENAVAIL), E(EISNAM), E(EREMOTEIO),
        E(EDQUOT), E(ENOMEDIUM), E(EMEDIUMTYPE), E(ECANCELED), E(ENOKEY), E(EKEYEXPIRED),
        E(EKEYREVOKED), E(EKEYREJECTED), E(EOWNERDEAD), E(ENOTRECOVERABLE), E(ERFKILL),
        E(EHWPOISON),
#undef E
    };
    /* The kernel's own, seen when a call is interrupted (include/linux/errno.h): from 512 on. */
    static const char *const restart[] = {
        "ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD", "ERESTART_RESTARTBLOCK",
    };
    if (e >= 512 && e < 512 + (int)ARRAY_LEN(restart))
        return restart[e - 512];
    return e > 0 && e < (int)ARRAY_LEN(name) ? name[e] : NULL;
}

/* Appends SIGNAME; real-time signals as SIGRTMIN+n, counted from the kernel's 32. */
static void b_sig(struct buf *b, int sig)
{
    static const char *const name[] = {
#define S(n) [SIG##n] = "SIG" #n
        S(HUP), S(INT), S(QUIT), S(ILL), S(TRAP), S(ABRT), S(BUS), S(FPE), S(KILL), S(USR1),
        S(SEGV), S(USR2), S(PIPE), S(ALRM), S(TERM), [16] = "SIGSTKFLT", S(CHLD), S(CONT),
        S(STOP), S(TSTP), S(TTIN), S(TTOU), S(URG), S(XCPU), S(XFSZ), S(VTALRM), S(PROF),
        S(WINCH), S(IO), S(PWR), S(SYS),
#undef S
    };
    if (sig > 0 && sig < (int)ARRAY_LEN(name))
        b_s(b, name[sig]);
    else if (sig >= 32 && sig <= 64)
        sig == 32 ? b_s(b, "SIGRTMIN") : b_f(b, "SIGRTMIN+%d", sig - 32);
    else
        b_s64(b, sig);
}

static const char *u_signame(int sig)
{
    static char tmp[32];
    struct buf b = { .p = tmp, .cap = sizeof tmp - 1, .max = sizeof tmp - 1 };
    b_sig(&b, sig);
    tmp[b.len] = 0;
    return tmp;
}

/* glibc handles this one as soon as there is a second thread (SIGSETXID), and lets nobody else ask
 * for it: so raw calls, which a struct of four words serves on both architectures. */
enum { U_LIBC_SIGNAL = 33 };
static bool u_libc_ignored; /* it was, before that: so a command gets it, too */

/* Starts f(arg) in a thread, with all signals blocked so that ours stay with the main one. Returns
 * 0 or -errno. */
static int u_thread(pthread_t *th, void *(*f)(void *), void *arg)
{
    sigset_t all, old;
    u64 was[4] = { 0 };
    if (!syscall(SYS_rt_sigaction, U_LIBC_SIGNAL, NULL, was, 8ul))
        u_libc_ignored |= was[0] == (uintptr_t)SIG_IGN;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    int e = pthread_create(th, NULL, f, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return -e;
}

/* --- files of /proc and /sys (sscanf is 12 KB) --- */

/* Behind n words and the blanks that follow them. */
static const char *u_word(const char *s, int n)
{
    for (; n > 0; n--) {
        s += strcspn(s, " \t\n");
        s += strspn(s, " \t\n");
    }
    return s;
}

/* Reads a file of /proc or /sys, max - 1 bytes of it, and puts a NUL behind. Returns how many, 0 of
 * one that cannot be read. */
static size_t u_slurp(const char *path, char *s, size_t max)
{
    size_t n = 0;
    ssize_t r;
    int f = open(path, O_RDONLY | O_CLOEXEC);
    while (f >= 0 && n < max - 1 && (r = read(f, s + n, max - 1 - n)) > 0)
        n += (size_t)r;
    if (f >= 0)
        close(f);
    s[n] = 0;
    return n;
}

/* The number that a small file begins with; `none` when there is no such file or number. */
static long u_file_number(const char *path, long none)
{
    char line[64], *end = line;
    FILE *f = fopen(path, "re");
    long v = f && fgets(line, sizeof line, f) ? strtol(line, &end, 10) : none;
    if (f)
        fclose(f);
    return end == line ? none : v;
}

/* --- patterns: libc's regcomp and fnmatch bring 48 KB, mostly tables of wide characters --- */

/* Whether a class of bracket expressions, [:name:], has c. */
static bool u_in_class(const char *name, const char *end, u8 c)
{
    static const struct { const char *name; int (*has)(int); } row[] = {
        { "alnum", isalnum }, { "alpha", isalpha }, { "digit", isdigit }, { "lower", islower },
        { "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit },
    };
    for (size_t i = 0, n = (size_t)(end - name); i < ARRAY_LEN(row); i++)
        if (strlen(row[i].name) == n && !memcmp(name, row[i].name, n))
            return row[i].has(c);
    return false;
}

/* Whether the set at *p, behind [ or [^, has c. *p moves behind its ], or to NULL without one. */
static bool u_in_set(const char **p, u8 c)
{
    bool has = false;
    const char *s = *p, *first = s, *end;
    for (; *s && (*s != ']' || s == first); s++) {
        u8 lo = (u8)*s, hi = lo;
        if (*s == '[' && s[1] == ':' && (end = strstr(s + 2, ":]"))) {
            has |= u_in_class(s + 2, end, c);
            s = end + 1;
            continue;
        }
        if (s[1] == '-' && s[2] && s[2] != ']')
            hi = (u8)s[2], s += 2;
        has |= c >= lo && c <= hi;
    }
    *p = *s ? s + 1 : NULL;
    return has;
}

/* One element of a glob other than *. *p moves behind it. */
static bool u_glob_one(const char **p, char c)
{
    char k = *(*p)++;
    if (k == '[') {
        bool not = **p == '!' || **p == '^';
        const char *set = *p + not;
        bool has = u_in_set(&set, (u8)c);
        if (set) {
            *p = set;
            return has != not;
        }
    }
    if (k == '\\' && **p)
        return *(*p)++ == c;
    return k == '?' || k == c;
}

/* fnmatch(p, s, 0): ? and * match a / too. A * that matched too little is tried again one longer:
 * only ever the last one, for what an earlier one could do it can do as well. */
static bool u_glob(const char *p, const char *s)
{
    const char *star = NULL, *from = NULL;
    for (;;) {
        const char *next = p;
        if (*p == '*') {
            star = ++p, from = s;
        } else if (!*p && !*s) {
            return true;
        } else if (*p && *s && u_glob_one(&next, *s)) {
            p = next, s++;
        } else {
            if (!star || !*from)
                return false;
            p = star, s = ++from;
        }
    }
}

/* Places in a string: bit i of w is the one before byte i. Only the words from lo up to hi hold
 * anything, and only they are ever touched. */
enum { U_RE_MAX = 1 << 16, U_RE_DEPTH = 16 };
struct u_at { u32 lo, hi; u64 w[U_RE_MAX / 64 + 1]; };

static void u_at_add(struct u_at *to, u32 word, u64 bits)
{
    if (!bits)
        return;
    if (to->lo == to->hi)
        to->lo = to->hi = word;
    while (to->hi <= word)
        to->w[to->hi++] = 0;
    while (to->lo > word)
        to->w[--to->lo] = 0;
    to->w[word] |= bits;
}

/* Adds those of `more`, less those of `without` (or NULL). */
static void u_at_join(struct u_at *to, const struct u_at *more, const struct u_at *without)
{
    for (u32 i = more->lo; i < more->hi; i++)
        u_at_add(to, i, more->w[i] & ~(without && i >= without->lo && i < without->hi
                                           ? without->w[i] : 0));
}

/* A POSIX extended regular expression without {n}, on a string of at most U_RE_MAX bytes: it turns
 * the places where a match begins into those where it may end. So nothing is compiled, and nothing
 * is tried twice. */
struct u_re {
    const char *p; /* the expression, as far as it is read */
    const char *s;
    u32 len, depth;
    bool bad;      /* it is no expression */
};

/* Whether one element, . [set] \c or c, is c. */
static bool u_re_is(const char *elem, char c)
{
    bool not = elem[1] == '^';
    const char *set = elem + 1 + not;
    switch (*elem) {
    case '.': return true;
    case '[': return u_in_set(&set, (u8)c) != not;
    case '\\': return elem[1] == c;
    default: return *elem == c;
    }
}

/* One element: what follows the places of `from` goes to `to`. */
static void u_re_one(struct u_re *r, const struct u_at *from, struct u_at *to)
{
    const char *elem = r->p++;
    u32 only = *elem == '^' ? 0 : r->len;
    switch (*elem) {
    case '^': case '$':
        r->bad |= *r->p && strchr("*+?", *r->p);
        if (only / 64 >= from->lo && only / 64 < from->hi)
            u_at_add(to, only / 64, from->w[only / 64] & 1ull << only % 64);
        return;
    case '*': case '+': case '?': case '{':
        r->bad = true;
        break;
    case '\\':
        r->bad |= !*r->p;
        r->p += !r->bad;
        break;
    case '[':
        r->p += *r->p == '^';
        u_in_set(&r->p, 0);
        if (!r->p)
            r->bad = true, r->p = "";
    }
    for (u32 k = from->lo; k < from->hi && !r->bad; k++)
        for (u64 left = from->w[k]; left; left &= left - 1) {
            u32 i = k * 64 + (u32)__builtin_ctzll(left);
            if (i < r->len && u_re_is(elem, r->s[i]))
                u_at_add(to, (i + 1) / 64, 1ull << (i + 1) % 64);
        }
}

/* Where what is up to the next ) or the end may end: added to `to`. */
static void u_re_ends(struct u_re *r, const struct u_at *from, struct u_at *to)
{
    struct u_at at, got, fresh, next;
    at.lo = at.hi = 0;
    u_at_join(&at, from, NULL);
    r->bad |= ++r->depth > U_RE_DEPTH;
    while (*r->p && *r->p != ')' && !r->bad) {
        const char *atom = r->p;
        if (*atom == '|') {
            u_at_join(to, &at, NULL);
            at.lo = at.hi = 0, r->p++;
            u_at_join(&at, from, NULL);
            continue;
        }
        got.lo = got.hi = fresh.lo = fresh.hi = 0;
        u_at_join(&fresh, &at, NULL);
        do {
            r->p = atom + (*atom == '(');
            next.lo = next.hi = 0;
            *atom == '(' ? u_re_ends(r, &fresh, &next) : u_re_one(r, &fresh, &next);
            fresh.lo = fresh.hi = 0;
            u_at_join(&fresh, &next, &got);
            u_at_join(&got, &fresh, NULL);
            if (*atom == '(' && *r->p++ != ')')
                r->bad = true, r->p--;
        } while (fresh.lo < fresh.hi && (*r->p == '*' || *r->p == '+'));
        if (*r->p != '*' && *r->p != '?')
            at.lo = at.hi = 0;
        u_at_join(&at, &got, NULL);
        r->p += *r->p && strchr("*+?", *r->p);
    }
    u_at_join(to, &at, NULL);
    r->depth--;
}

/* Whether s has a match of the expression anywhere; -1: it is no expression. Of a longer string the
 * first U_RE_MAX bytes are looked at. */
static int u_re(const char *expr, const char *s)
{
    static struct u_at all, ends;
    struct u_re r = { .p = expr, .s = s, .len = (u32)strnlen(s, U_RE_MAX - 1) };
    all.lo = all.hi = ends.lo = ends.hi = 0;
    for (u32 i = 0; i <= r.len; i++)
        u_at_add(&all, i / 64, 1ull << i % 64);
    u_re_ends(&r, &all, &ends);
    return r.bad || *r.p ? -1 : ends.lo < ends.hi;
}
/* == 4 arch_ abi_ sys_  all that depends on the CPU =======================================
 * Registers, system-call conventions, audit numbers. Nothing outside this room mentions a register
 * or an __x86_64__. To add a CPU: an `enum abi`, its number table in gen/syscalls.tbl, and this
 * room. */

#if defined(__x86_64__)
enum { ARCH_ARG0_IS_RESULT = 0 };
#define ARCH_NATIVE ABI_X86_64
#define ARCH_COMPAT ABI_I386
#define ARCH_AUDIT AUDIT_ARCH_X86_64
/* Where a task says that it is in a 32-bit call: TS_COMPAT, arch/x86/include/asm/thread_info.h. */
#define ARCH_COMPAT_FIELD "task_struct.thread_info.status"
enum { ARCH_COMPAT_MASK = 2 };
/* Offsets in the kernel's struct pt_regs of the first arguments of a call, 64-bit and 32-bit: the
 * layout is that of user_regs_struct (arch/x86/include/uapi/asm/ptrace.h). */
#define R(reg) offsetof(struct user_regs_struct, reg)
static const u16 arch_arg_off[6] = { R(rdi), R(rsi), R(rdx), R(r10), R(r8), R(r9) };
enum { ARCH_WORDS = R(r10) }; /* from r10 to rdi there are eight words */
static const u16 arch_arg_off32[4] = { R(rbx), R(rcx), R(rdx), R(rsi) };
enum { ARCH_NR_OFF = R(orig_rax) };
/* A task's stack, and where on it that number is: THREAD_SIZE and task_pt_regs, asm/processor.h. */
enum { ARCH_STACK = 16 << 10, ARCH_STACK_NR = ARCH_STACK - 168 + ARCH_NR_OFF };
#undef R
#elif defined(__aarch64__)
enum { ARCH_ARG0_IS_RESULT = 1 };
#define ARCH_NATIVE ABI_ARM64
#define ARCH_COMPAT ABI_ARM32
#define ARCH_AUDIT AUDIT_ARCH_AARCH64
/* _TIF_32BIT, arch/arm64/include/asm/thread_info.h; x0 to x3 begin struct pt_regs. */
#define ARCH_COMPAT_FIELD "task_struct.thread_info.flags"
enum { ARCH_COMPAT_MASK = 1 << 22 };
static const u16 arch_arg_off[6] = { 0, 8, 16, 24, 32, 40 };
enum { ARCH_WORDS = 0 }; /* x0 to x7 */
static const u16 arch_arg_off32[4] = { 0, 8, 16, 24 };
enum { ARCH_NR_OFF = 280 }; /* syscallno, behind user_pt_regs and orig_x0: asm/ptrace.h */
enum { ARCH_STACK = 16 << 10, ARCH_STACK_NR = 0 }; /* or a page: THREAD_SIZE, asm/memory.h */
#else
#error "kvis knows x86_64 and aarch64"
#endif

#define ARCH_X32_BIT 0x40000000u /* __X32_SYSCALL_BIT, arch/x86/include/uapi/asm/unistd.h */

static const char *const arch_abi_name[N_ABI] = { "x86_64", "i386", "x32", "arm64", "arm" };

/* What a system-call stop says, whichever way it was read. */
struct stop {
    u8 op;          /* PTRACE_SYSCALL_INFO_* */
    enum abi abi;
    u64 nr, arg[6]; /* at entry */
    s64 ret;        /* at exit; -errno on failure */
    u32 data;       /* at a seccomp stop: SECCOMP_RET_DATA */
    u64 ip, sp;
};

/* Bytes in a pointer, a long, a size_t of that convention. */
static unsigned abi_word(enum abi a)
{
    return a == ABI_X86_64 || a == ABI_ARM64 ? 8 : 4;
}

/* The convention behind an audit number and a call number; the number loses x32's bit. */
static enum abi arch_abi(u32 audit, u64 *nr)
{
    if (audit == AUDIT_ARCH_I386)
        return ABI_I386;
    if (audit == AUDIT_ARCH_AARCH64)
        return ABI_ARM64;
    if (audit == AUDIT_ARCH_ARM)
        return ABI_ARM32;
    if (*nr != (u64)-1 && *nr & ARCH_X32_BIT) {
        *nr &= ~(u64)ARCH_X32_BIT;
        return ABI_X32;
    }
    return ABI_X86_64;
}

static long sys_ptrace(long req, pid_t tid, u64 addr, void *data)
{
    long r = syscall(SYS_ptrace, req, tid, addr, data);
    return r < 0 ? -errno : r;
}

/* General registers; returns their size in bytes (which tells a 32-bit task) or -errno. */
static long arch_regs(pid_t tid, struct user_regs_struct *r)
{
    struct iovec v = { r, sizeof *r };
    long e = sys_ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v);
    return e < 0 ? e : (long)v.iov_len;
}

#if defined(__x86_64__)
/* A 32-bit task's registers come as 17 words of 32 bits (struct user_regs_struct32,
 * arch/x86/include/asm/user_32.h): bx cx dx si di bp ax ds es fs gs orig_ax ip cs flags sp ss. */
static void arch_from_regs32(const u32 *w, struct stop *s)
{
    static const u8 order[6] = { 0, 1, 2, 3, 4, 5 };
    s->abi = ABI_I386;
    s->nr = w[11];
    for (int i = 0; i < 6; i++)
        s->arg[i] = w[order[i]];
    s->ret = (s32)w[6];
    s->ip = w[12];
    s->sp = w[15];
}

/* Kernels before 5.3 do not say which convention was used: `int $0x80` in a 64-bit process is told
 * by its two bytes before ip (cd 80; syscall is 0f 05). */
static bool arch_was_int80(pid_t tid, u64 ip)
{
    u8 insn[2] = { 0, 0 };
    struct iovec l = { insn, 2 }, r = { (void *)(uintptr_t)(ip - 2), 2 };
    return syscall(SYS_process_vm_readv, tid, &l, 1, &r, 1, 0ul) == 2
        && insn[0] == 0xcd && insn[1] == 0x80;
}

static int arch_from_regs(pid_t tid, struct stop *s)
{
    union {
        struct user_regs_struct r;
        u32 w[17];
    } u;
    long n = arch_regs(tid, &u.r);
    if (n < 0)
        return (int)n;
    if (n == 17 * 4) {
        arch_from_regs32(u.w, s);
        return 0;
    }
    const struct user_regs_struct *r = &u.r;
    bool i386 = arch_was_int80(tid, r->rip);
    u64 a64[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };
    u64 a32[6] = { (u32)r->rbx, (u32)r->rcx, (u32)r->rdx, (u32)r->rsi, (u32)r->rdi, (u32)r->rbp };
    memcpy(s->arg, i386 ? a32 : a64, sizeof s->arg);
    s->nr = r->orig_rax;
    s->abi = arch_abi(i386 ? AUDIT_ARCH_I386 : AUDIT_ARCH_X86_64, &s->nr);
    s->ret = i386 ? (s32)r->rax : (s64)r->rax;
    s->ip = r->rip;
    s->sp = r->rsp;
    return 0;
}

/* Makes the call that is about to start fail with -e instead (used at a seccomp stop). */
static int arch_skip_call(pid_t tid, int e)
{
    union {
        struct user_regs_struct r;
        u32 w[17];
    } u;
    struct iovec v = { &u, sizeof u };
    long n = sys_ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v);
    if (n < 0)
        return (int)n;
    if (v.iov_len == sizeof u.r) {
        u.r.orig_rax = (u64)-1;
        u.r.rax = (u64)(s64)-e;
    } else {
        u.w[11] = (u32)-1; /* orig_ax, ax: see arch_from_regs32 */
        u.w[6] = (u32)-e;
    }
    return (int)sys_ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &v);
}

/* Sets the first argument of the call that tid stands in. */
static int arch_set_arg0(pid_t tid, enum abi abi, u64 v)
{
    union {
        struct user_regs_struct r;
        u32 w[17];
    } u;
    struct iovec io = { &u, sizeof u };
    long n = sys_ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io);
    if (n < 0)
        return (int)n;
    if (io.iov_len != sizeof u.r)
        u.w[0] = (u32)v; /* bx */
    else if (abi == ABI_I386) /* int $0x80 in a 64-bit process: ebx; the rest is no argument */
        u.r.rbx = (u.r.rbx & ~(u64)UINT32_MAX) | (u32)v;
    else
        u.r.rdi = v;
    return (int)sys_ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io);
}
#else
static int arch_from_regs(pid_t tid, struct stop *s)
{
    union {
        struct user_regs_struct r;
        u32 w[18]; /* a 32-bit task: r0-r15, cpsr, orig_r0 (arch/arm/include/uapi/asm/ptrace.h) */
    } u;
    long n = arch_regs(tid, &u.r);
    if (n < 0)
        return (int)n;
    if (n == 18 * 4) {
        s->abi = ABI_ARM32;
        s->nr = u.w[7];
        for (int i = 0; i < 6; i++)
            s->arg[i] = i ? u.w[i] : u.w[17];
        s->ret = (s32)u.w[0];
        s->ip = u.w[15];
        s->sp = u.w[13];
        return 0;
    }
    s->abi = ABI_ARM64;
    s->nr = u.r.regs[8];
    memcpy(s->arg, u.r.regs, sizeof s->arg); /* x0 is the result already at exit */
    s->ret = (s64)u.r.regs[0];
    s->ip = u.r.pc;
    s->sp = u.r.sp;
    return 0;
}

/* Makes the call that is about to start fail with -e instead (used at a seccomp stop). */
static int arch_skip_call(pid_t tid, int e)
{
    s32 none = -1;
    struct iovec nr = { &none, sizeof none };
    long r = sys_ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &nr);
    struct user_regs_struct regs;
    if (r < 0 || (r = arch_regs(tid, &regs)) < 0)
        return (int)r;
    regs.regs[0] = (u64)(s64)-e;
    struct iovec v = { &regs, sizeof regs };
    return (int)sys_ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &v);
}

/* Sets the first argument of the call that tid stands in. */
static int arch_set_arg0(pid_t tid, enum abi abi, u64 v)
{
    struct user_regs_struct r;
    (void)abi;
    long n = arch_regs(tid, &r);
    if (n < 0)
        return (int)n;
    r.regs[0] = v;
    struct iovec io = { &r, sizeof r };
    return (int)sys_ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &io);
}
#endif

static bool arch_no_info; /* the kernel lacks PTRACE_GET_SYSCALL_INFO (Linux 5.3) */

/* Reads a system-call stop of tid. `op` is what the caller expects it to be, used where the kernel
 * does not tell. Returns 0 or -errno (-ESRCH: gone). */
static int arch_stop(pid_t tid, u8 op, struct stop *s)
{
    struct ptrace_syscall_info i;
    long r = arch_no_info ? -EIO
           : sys_ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof i, &i);
    s->op = op;
    if (r == -EIO || r == -EINVAL || r == -ENOSYS) {
        arch_no_info = true;
        if (op == PTRACE_SYSCALL_INFO_SECCOMP) {
            unsigned long msg = 0;
            sys_ptrace(PTRACE_GETEVENTMSG, tid, 0, &msg);
            s->data = (u32)msg;
        }
        return arch_from_regs(tid, s);
    }
    if (r < 0)
        return (int)r;
    s->op = i.op;
    s->ip = i.instruction_pointer;
    s->sp = i.stack_pointer;
    if (i.op == PTRACE_SYSCALL_INFO_EXIT) {
        s->ret = i.exit.rval;
        return 0;
    }
    s->nr = i.entry.nr; /* entry and seccomp begin alike */
    memcpy(s->arg, i.entry.args, sizeof s->arg);
    s->data = i.op == PTRACE_SYSCALL_INFO_SECCOMP ? i.seccomp.ret_data : 0;
    s->abi = arch_abi(i.arch, &s->nr);
    for (int k = 0; k < 6 && (s->abi == ABI_I386 || s->abi == ABI_ARM32); k++)
        s->arg[k] = (u32)s->arg[k]; /* int $0x80 leaves what is above, and the call ignores it */
    return 0;
}

/* At a stop that is no system-call stop: the call that was interrupted and will be restarted, if
 * any. Returns true and fills nr, arg, abi, ret when the thread stands behind such a call. */
static bool arch_interrupted(pid_t tid, struct stop *s)
{
    if (arch_from_regs(tid, s) < 0)
        return false;
    return s->nr != (u64)-1 && s->ret <= -512 && s->ret >= -516;
}
/* == 5 mem_  the tracee's memory ================================================
 * process_vm_readv, in such a way that a page that never comes cannot hang kvis. A fault on a page
 * that a userfaultfd or a FUSE server has to deliver sleeps in TASK_KILLABLE (fs/userfaultfd.c,
 * handle_userfault), and the one to deliver it may be a thread that we hold stopped: strace hangs
 * there for ever. So address spaces in which that can happen are marked (vm_, md_), and those are
 * read by a second thread that can be left behind: when the deadline passes, the argument is
 * `<unreadable>`, the tracee goes on, the page comes, the reader is free again. */

enum { MEM_DEADLINE_MS = 250 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t asked, done;
    bool started, busy, failed;
    pid_t tid;
    u64 addr;
    size_t n;
    s64 result;
    u8 data[4096];
    u64 unreadable; /* reads given up: shown in the summary */
} mem = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* What a record of a call holds of its thread's memory: read instead of the memory itself, which is
 * another by now. */
static struct {
    bool on, live;           /* live: the thread stands at the end of that call: read on in it */
    u32 n;
    struct { u64 addr; u32 len; bool fault; const u8 *data; } part[8];
    const struct wire_file *file;   /* of the descriptor that the call returned */
    const struct wire_times *times; /* NULL: it was on a CPU all the time */
} replay;

/* Adds bytes at *addr; NULL: forgets all of them. */
static void mem_replay(const u64 *addr, u32 len, const u8 *data, bool fault)
{
    if (!addr) {
        replay.n = 0;
        replay.file = NULL;
        replay.times = NULL;
        return;
    }
    if (replay.n < ARRAY_LEN(replay.part)) {
        replay.part[replay.n].addr = *addr;
        replay.part[replay.n].len = len;
        replay.part[replay.n].fault = fault;
        replay.part[replay.n++].data = data;
    }
}

static void mem_replay_file(const struct wire_file *f)
{
    replay.file = f;
}

/* Reads from the record. -EAGAIN: the probe could not read it (a page that was not there), and the
 * thread stands still, so its memory can be read. */
static s64 mem_from_record(u64 addr, void *dst, size_t n)
{
    for (u32 i = 0; i < replay.n; i++) {
        u64 at = addr - replay.part[i].addr;
        if (replay.part[i].fault && at < CALL_PART_MAX)
            return replay.live ? -EAGAIN : -EFAULT;
        if (at >= replay.part[i].len)
            continue;
        n = MIN(n, replay.part[i].len - at);
        memcpy(dst, replay.part[i].data + at, n);
        return (s64)n;
    }
    return -EFAULT;
}

/* Kernels without process_vm_readv (CONFIG_CROSS_MEMORY_ATTACH) still have PEEKDATA, by words. */
static s64 mem_peek(pid_t tid, u64 addr, u8 *dst, size_t n)
{
    size_t got = 0;
    while (got < n) {
        u64 word, at = (addr + got) & ~7ull;
        /* The system call, unlike libc's wrapper, stores the word at `data`. */
        if (sys_ptrace(PTRACE_PEEKDATA, tid, at, &word) < 0)
            break;
        size_t off = (size_t)(addr + got - at), k = MIN(8 - off, n - got);
        memcpy(dst + got, (u8 *)&word + off, k);
        got += k;
    }
    return got ? (s64)got : -EFAULT;
}

static s64 mem_direct(pid_t tid, u64 addr, void *dst, size_t n)
{
    struct iovec l = { dst, n }, r = { (void *)(uintptr_t)addr, n };
    /* A sixth argument is on the stack: of an int, clang leaves the upper half what it was. */
    s64 got = syscall(SYS_process_vm_readv, tid, &l, 1, &r, 1, 0ul);
    if (got >= 0)
        return got ? got : -EFAULT;
    if (errno == ENOSYS || errno == EPERM)
        return mem_peek(tid, addr, dst, n);
    return -errno;
}

static void *mem_reader(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mem.lock);
    for (;;) {
        while (!mem.busy)
            pthread_cond_wait(&mem.asked, &mem.lock);
        pid_t tid = mem.tid;
        u64 addr = mem.addr;
        size_t n = mem.n;
        pthread_mutex_unlock(&mem.lock);
        struct iovec l = { mem.data, n }, r = { (void *)(uintptr_t)addr, n };
        s64 got = syscall(SYS_process_vm_readv, tid, &l, 1, &r, 1, 0ul);
        got = got > 0 ? got : got < 0 ? -errno : -EFAULT;
        pthread_mutex_lock(&mem.lock);
        mem.result = got;
        mem.busy = false;
        pthread_cond_signal(&mem.done);
    }
    return NULL;
}

static int mem_start(void)
{
    pthread_t th;
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&mem.asked, NULL);
    pthread_cond_init(&mem.done, &a);
    int e = u_thread(&th, mem_reader, NULL);
    mem.started = !e;
    mem.failed = e != 0;
    return e;
}

/* One read of at most one page, by the reader thread. */
static s64 mem_with_deadline(pid_t tid, u64 addr, void *dst, size_t n)
{
    if (mem.failed || (!mem.started && mem_start() < 0))
        return -ETIMEDOUT;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += MEM_DEADLINE_MS * 1000000l;
    until.tv_sec += until.tv_nsec / (long)NSEC;
    until.tv_nsec %= (long)NSEC;
    s64 got = -ETIMEDOUT;
    pthread_mutex_lock(&mem.lock);
    if (!mem.busy) {
        mem.tid = tid, mem.addr = addr, mem.n = n;
        mem.busy = true;
        pthread_cond_signal(&mem.asked);
        while (mem.busy && pthread_cond_timedwait(&mem.done, &mem.lock, &until) == 0)
            ;
        if (!mem.busy && (got = mem.result) > 0)
            memcpy(dst, mem.data, (size_t)got);
    }
    if (got == -ETIMEDOUT)
        mem.unreadable++;
    pthread_mutex_unlock(&mem.lock);
    return got;
}

/* Reads up to n bytes at addr. Returns how many came (fewer: the rest is unmapped) or -errno;
 * -ETIMEDOUT when the page did not come in time. */
static s64 mem_read(struct task *t, u64 addr, void *dst, size_t n)
{
    if (!n)
        return 0;
    if (replay.on) {
        s64 r = mem_from_record(addr, dst, n);
        if (r != -EAGAIN)
            return r;
    }
    if (!t->mm || !t->mm->careful)
        return mem_direct(t->tid, addr, dst, n);
    size_t got = 0;
    while (got < n) {
        size_t k = MIN(n - got, 4096 - ((addr + got) & 4095));
        s64 r = mem_with_deadline(t->tid, addr + got, (u8 *)dst + got, k);
        if (r <= 0)
            return got ? (s64)got : r;
        got += (size_t)r;
    }
    return (s64)got;
}

/* Reads a string of at most max bytes (dst holds max + 1). Returns its length or -errno; *cut when
 * it went on beyond max or into memory that cannot be read. Never reads past the page in which it
 * ends. */
static s64 mem_str(struct task *t, u64 addr, char *dst, size_t max, bool *cut)
{
    size_t got = 0;
    *cut = false;
    while (got < max) {
        size_t k = MIN(max - got, (got ? 4096 : 256) - ((addr + got) & (got ? 4095 : 255)));
        s64 r = mem_read(t, addr + got, dst + got, k);
        if (r <= 0) {
            if (!got)
                return r;
            break;
        }
        char *nul = memchr(dst + got, 0, (size_t)r);
        if (nul)
            return nul - dst;
        got += (size_t)r;
    }
    u8 next = 1;
    if (got == max)
        mem_read(t, addr + got, &next, 1);
    dst[got] = 0;
    *cut = next != 0;
    return (s64)got;
}

/* All or nothing. */
static bool mem_get(struct task *t, u64 addr, void *dst, size_t n)
{
    return mem_read(t, addr, dst, n) == (s64)n;
}

/* An unsigned word of the tracee's convention. */
static bool mem_word(struct task *t, enum abi a, u64 addr, u64 *v)
{
    u32 w;
    if (abi_word(a) == 8)
        return mem_get(t, addr, v, 8);
    if (!mem_get(t, addr, &w, 4))
        return false;
    *v = w;
    return true;
}
/* == 6 nm_  names that the summary keeps ========================================
 * Paths and peers, each stored once in an arena that only grows, up to a limit; beyond it all new
 * names share one entry and the summary counts them. Entry points: nm_get, nm_str. */

enum { NM_BUCKETS = 1 << 14, NM_CHUNK = 1 << 18, NM_LIMIT = 256 << 20 };

static struct {
    struct name *hash[NM_BUCKETS];
    char *chunk;
    size_t left, total;
    u64 n, overflow;
    struct name *other;
} nm;

static u32 nm_hash(char cls, const char *s, size_t n)
{
    u32 h = 2166136261u ^ (u8)cls; /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (u8)s[i]) * 16777619u;
    return h;
}

static struct name *nm_alloc(size_t n)
{
    size_t need = (sizeof(struct name) + n + 1 + 15) & ~(size_t)15;
    if (need > nm.left) {
        size_t size = MAX((size_t)NM_CHUNK, need);
        char *p = nm.total + size > NM_LIMIT ? NULL : malloc(size);
        if (!p)
            return NULL;
        nm.chunk = p, nm.left = size, nm.total += size;
    }
    struct name *e = (struct name *)(void *)nm.chunk;
    nm.chunk += need, nm.left -= need;
    memset(e, 0, sizeof *e);
    return e;
}

/* Makes the entry that stands for all names beyond the limit. */
static void nm_init(void)
{
    static const char text[] = "(more names)";
    nm.other = nm_alloc(sizeof text);
    if (!nm.other)
        die(EXIT_KVIS, "out of memory");
    memcpy(nm.other->s, text, sizeof text);
    nm.other->len = sizeof text - 1;
    nm.other->cls = 'f';
}

/* The one name for these bytes; never NULL. */
static struct name *nm_get(char cls, const char *s, size_t n)
{
    u32 h = nm_hash(cls, s, n);
    struct name **slot = &nm.hash[h % NM_BUCKETS];
    for (struct name *e = *slot; e; e = e->next)
        if (e->hash == h && e->len == n && e->cls == cls && !memcmp(e->s, s, n))
            return e;
    struct name *e = nm_alloc(n);
    if (!e) {
        nm.overflow++;
        return nm.other;
    }
    memcpy(e->s, s, n);
    e->s[n] = 0;
    e->hash = h, e->len = (u32)n, e->cls = cls;
    e->next = *slot;
    *slot = e;
    nm.n++;
    return e;
}

static struct name *nm_str(char cls, const char *s)
{
    return nm_get(cls, s, strlen(s));
}

static bool nm_under(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* Shared libraries in library directories, the dynamic linker, virtual file systems: opened by
 * every program, so hidden in text (as Compendium does). */
static bool nm_noise(const char *s)
{
    static const char *const dir[] = { "/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/",
                                       "/usr/lib64/", "/usr/local/lib/", "/nix/store/" };
    if (nm_under(s, "/proc/") || nm_under(s, "/sys/") || nm_under(s, "/dev/")
        || strstr(s, "/ld.so") || strstr(s, "ld-linux") || strstr(s, "/ld-musl"))
        return true;
    const char *so = strstr(s, ".so");
    for (size_t i = 0; so && i < ARRAY_LEN(dir); i++)
        if (nm_under(s, dir[i]) && (so[3] == 0 || so[3] == '.'))
            return true;
    return false;
}

/* == 7 fd_ ofd_ files_  what a descriptor is ================================================
 * Descriptor tables with the kernel's semantics (fork copies, CLONE_FILES shares, dup shares the
 * open file, exec closes CLOEXEC), kept by what the calls say; and, where a descriptor was not seen
 * being made (inherited, attached, or calls not traced), asked of /proc/PID/fd and pidfd_getfd.
 * An open file whose last reference goes is put on fdt.dead for md_ to report. */

static struct {
    struct ofd *free;
    struct ofd *dead;  /* chained by next_free, oldest first */
    struct ofd **dead_tail;
    bool ring;         /* one of io_uring's was seen */
    bool lazy;         /* not every call that changes a table is traced: ask /proc each time */
} fdt = { .dead_tail = &fdt.dead };

static const char *const fd_kind_name[N_FK] = {
    "unknown", "file", "dir", "device", "tty", "pipe", "socket", "eventfd", "epoll", "timerfd",
    "signalfd", "inotify", "fanotify", "memfd", "pidfd", "io_uring", "bpf", "perf", "userfaultfd",
    "seccomp notify", "anon_inode",
};

static struct ofd *ofd_new(u8 kind, struct name *name, pid_t opener)
{
    struct ofd *o = fdt.free;
    if (o)
        fdt.free = o->next_free;
    else if (!(o = malloc(sizeof *o)))
        return NULL;
    fdt.ring |= kind == FK_URING;
    *o = (struct ofd){
        .refs = 1, .kind = kind, .name = name, .opener = opener, .open_ns = u_when()
    };
    return o;
}

static void ofd_put(struct ofd *o)
{
    if (!o || --o->refs)
        return;
    o->next_free = NULL;
    *fdt.dead_tail = o;
    fdt.dead_tail = &o->next_free;
}

/* Hands out one open file that was closed for good, or NULL; give it back with ofd_recycle. */
static struct ofd *ofd_dead(void)
{
    struct ofd *o = fdt.dead;
    if (o && !(fdt.dead = o->next_free))
        fdt.dead_tail = &fdt.dead;
    return o;
}

/* Takes back an open file that was only looked at and never anybody's. */
static void ofd_discard(struct ofd *o)
{
    o->next_free = fdt.free;
    fdt.free = o;
}

static void ofd_recycle(struct ofd *o)
{
    o->next_free = fdt.free;
    fdt.free = o;
}

static struct files *files_new(void)
{
    struct files *f = calloc(1, sizeof *f);
    if (f)
        f->refs = 1;
    return f;
}

static u32 fd_hash(s32 n, u32 cap)
{
    return ((u32)n * 2654435761u) & (cap - 1);
}

static struct fdent *fd_slot(const struct files *f, s32 n)
{
    if (!f->cap)
        return NULL;
    for (u32 i = fd_hash(n, f->cap);; i = (i + 1) & (f->cap - 1))
        if (f->slot[i].fd == n || f->slot[i].fd < 0)
            return &f->slot[i];
}

/* The entry of descriptor n, or NULL. */
static struct fdent *fd_find(const struct files *f, s32 n)
{
    if (!f || n < 0)
        return NULL;
    struct fdent *e = fd_slot(f, n);
    return e && e->fd == n ? e : NULL;
}

static bool fd_grow(struct files *f)
{
    u32 cap = f->cap ? f->cap * 2 : 16;
    struct fdent *old = f->slot, *s = malloc(cap * sizeof *s);
    if (!s)
        return false;
    for (u32 i = 0; i < cap; i++)
        s[i].fd = -1;
    struct files tmp = { .cap = cap, .slot = s };
    for (u32 i = 0; i < f->cap; i++)
        if (old[i].fd >= 0)
            *fd_slot(&tmp, old[i].fd) = old[i];
    free(old);
    f->slot = s;
    f->cap = cap;
    return true;
}

/* Removes descriptor n: linear probing, so the entries behind it move up (Knuth 6.4 R). */
static void fd_remove(struct files *f, s32 n)
{
    struct fdent *e = fd_find(f, n);
    if (!e)
        return;
    ofd_put(e->o);
    u32 m = f->cap - 1, hole = (u32)(e - f->slot);
    for (u32 i = (hole + 1) & m; f->slot[i].fd >= 0; i = (i + 1) & m)
        if (((i - fd_hash(f->slot[i].fd, f->cap)) & m) >= ((i - hole) & m)) {
            f->slot[hole] = f->slot[i];
            hole = i;
        }
    f->slot[hole].fd = -1;
    f->n--;
}

/* Makes descriptor n mean o, whose reference passes to the table. */
static void fd_put(struct files *f, s32 n, struct ofd *o, bool cloexec)
{
    if (!f || !o || n < 0) {
        ofd_put(o);
        return;
    }
    fd_remove(f, n);
    if ((f->n + 1) * 2 > f->cap && !fd_grow(f)) {
        ofd_put(o);
        return;
    }
    *fd_slot(f, n) = (struct fdent){ n, cloexec, o };
    f->n++;
}

static struct files *files_copy(const struct files *from)
{
    struct files *f = files_new();
    if (!f || !from || !from->cap)
        return f;
    f->slot = malloc(from->cap * sizeof *f->slot);
    if (!f->slot)
        return f;
    memcpy(f->slot, from->slot, from->cap * sizeof *f->slot);
    f->cap = from->cap;
    f->n = from->n;
    for (u32 i = 0; i < f->cap; i++)
        if (f->slot[i].fd >= 0)
            f->slot[i].o->refs++;
    return f;
}

static void files_put(struct files *f)
{
    if (!f || --f->refs)
        return;
    for (u32 i = 0; i < f->cap; i++)
        if (f->slot[i].fd >= 0)
            ofd_put(f->slot[i].o);
    free(f->slot);
    free(f);
}

/* The table for one that shares it no longer: itself, or a copy where others go on using it. */
static struct files *files_own(struct files *f)
{
    if (!f || f->refs == 1)
        return f;
    struct files *own = files_copy(f);
    files_put(f);
    return own;
}

/* Closes the descriptors of [lo, hi], or only those that are marked CLOEXEC. Removing moves an
 * entry that was not looked at yet into the hole, so that the hole is looked at again. */
static void fd_close_all(struct files *f, u32 lo, u32 hi, bool only_cloexec)
{
    for (u32 i = 0; f && i < f->cap; i++) {
        const struct fdent *e = &f->slot[i];
        if (e->fd < 0 || (u32)e->fd < lo || (u32)e->fd > hi || (only_cloexec && !e->cloexec))
            continue;
        fd_remove(f, e->fd);
        i--;
    }
}

/* Marks the descriptors of [lo, hi] CLOEXEC: close_range(2). */
static void fd_mark_all(struct files *f, u32 lo, u32 hi)
{
    for (u32 i = 0; f && i < f->cap; i++)
        if (f->slot[i].fd >= 0 && (u32)f->slot[i].fd >= lo && (u32)f->slot[i].fd <= hi)
            f->slot[i].cloexec = true;
}

/* Socket type by domain and type; the ARPANET ones as Compendium names them. */
static const char *fd_sock_type(int domain, int type, int proto)
{
    static const struct { int domain, type; const char *name; } row[] = {
        { AF_INET, SOCK_STREAM, "tcp4" }, { AF_INET, SOCK_DGRAM, "udp4" },
        { AF_INET, SOCK_RAW, "raw4" }, { AF_INET, SOCK_SEQPACKET, "sctp4" },
        { AF_INET6, SOCK_STREAM, "tcp6" }, { AF_INET6, SOCK_DGRAM, "udp6" },
        { AF_INET6, SOCK_RAW, "raw6" }, { AF_INET6, SOCK_SEQPACKET, "sctp6" },
        { AF_UNIX, SOCK_STREAM, "unix" }, { AF_UNIX, SOCK_DGRAM, "unix-dgram" },
        { AF_UNIX, SOCK_SEQPACKET, "unix-seqpacket" }, { AF_NETLINK, -1, "netlink" },
        { AF_PACKET, -1, "packet" }, { AF_VSOCK, -1, "vsock" }, { AF_ALG, -1, "alg" },
        { AF_BLUETOOTH, -1, "bluetooth" }, { AF_CAN, -1, "can" }, { 44 /* AF_XDP */, -1, "xdp" },
        { AF_KEY, -1, "key" }, { AF_TIPC, -1, "tipc" }, { AF_RDS, -1, "rds" },
        { 43 /* AF_SMC */, -1, "smc" },
    };
    if (proto == 262 /* IPPROTO_MPTCP */ && type == SOCK_STREAM)
        return domain == AF_INET6 ? "mptcp6" : "mptcp4";
    for (size_t i = 0; i < ARRAY_LEN(row); i++)
        if (row[i].domain == domain && (row[i].type == type || row[i].type < 0))
            return row[i].name;
    return "socket";
}

static void fd_addr_inet(struct buf *b, const u8 *sa, size_t len)
{
    u32 port = (u32)sa[2] << 8 | sa[3];
    if (sa[0] == AF_INET && len >= 8) {
        b_f(b, "%u.%u.%u.%u:%u", sa[4], sa[5], sa[6], sa[7], port);
        return;
    }
    /* RFC 5952: the longest run of two or more zero groups becomes "::", the first of equals. */
    u32 g[8], at = 8, run = 1;
    for (u32 i = 0; i < 8; i++)
        g[i] = (u32)sa[8 + 2 * i] << 8 | sa[9 + 2 * i];
    for (u32 i = 0, k; i < 8; i += k + 1) {
        for (k = 0; i + k < 8 && !g[i + k]; k++)
            ;
        if (k > run)
            at = i, run = k;
    }
    b_c(b, '[');
    if (!memcmp(sa + 8, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12)) {
        b_f(b, "::ffff:%u.%u.%u.%u", sa[20], sa[21], sa[22], sa[23]);
    } else {
        for (u32 i = 0; i < 8; i++)
            if (i == at)
                b_s(b, "::"), i += run - 1;
            else
                b_f(b, i && i != at + run ? ":%x" : "%x", g[i]);
    }
    b_f(b, "]:%u", port);
}

/* Appends a socket address as people write it; raw bytes for a unix path (the sinks escape). */
static void fd_addr(struct buf *b, const void *addr, size_t len)
{
    const u8 *sa = addr;
    u16 family = 0;
    u32 w[3] = { 0, 0, 0 };
    if (len < 2)
        return;
    memcpy(&family, sa, 2);
    if (len > 4)
        memcpy(w, sa + 4, MIN(len - 4, sizeof w));
    if ((family == AF_INET && len >= 8) || (family == AF_INET6 && len >= 24)) {
        fd_addr_inet(b, sa, len);
    } else if (family == AF_UNIX && len > 2 && !sa[2]) { /* abstract: all of len counts, unix(7) */
        b_c(b, '@');
        b_put(b, sa + 3, len - 3);
    } else if (family == AF_UNIX) {
        b_put(b, sa + 2, strnlen((const char *)sa + 2, len - 2));
    } else if (family == AF_NETLINK) {
        b_f(b, "pid %u groups 0x%x", w[0], w[1]);
    } else if (family == AF_VSOCK) { /* struct sockaddr_vm: u16 reserved, u32 port, u32 cid */
        b_f(b, "%u:%u", w[1], w[0]);
    } else if (family == AF_PACKET) {
        b_f(b, "if%u", w[0]);
    } else if (family) {
        b_f(b, "family %u", family);
    }
}

/* The name for a peer of that socket type: class 'p', "tcp4 1.2.3.4:80". NULL when empty. */
static struct name *fd_peer(const char *sock, const void *addr, size_t len)
{
    char tmp[256];
    struct buf b = { .p = tmp, .cap = sizeof tmp, .max = sizeof tmp };
    b_s(&b, sock);
    b_c(&b, ' ');
    u32 empty = b.len;
    fd_addr(&b, addr, len);
    return b.len == empty ? NULL : nm_get('p', b.p, b.len);
}

/* The address alone, out of a name that fd_peer made. */
static const char *fd_peer_addr(const struct name *n)
{
    const char *sp = n && n->cls == 'p' ? strchr(n->s, ' ') : NULL;
    return sp ? sp + 1 : "";
}

/* Makes our own copy of the tracee's descriptor (Linux 5.6); -errno where that is not to be had. */
static int fd_steal(pid_t pid, s32 n)
{
    int pfd = (int)syscall(434 /* SYS_pidfd_open */, pid, 0);
    if (pfd < 0)
        return -errno;
    int copy = (int)syscall(438 /* SYS_pidfd_getfd */, pfd, n, 0);
    int e = copy < 0 ? -errno : copy;
    close(pfd);
    return e;
}

/* Asks the kernel for a socket's type and addresses; what it does not tell stays as it is. */
static void fd_probe_socket(struct ofd *o, pid_t pid, s32 n)
{
    int s = fd_steal(pid, n);
    if (s < 0)
        return;
    int domain = 0, type = 0, proto = 0;
    socklen_t len = sizeof domain;
    if (!getsockopt(s, SOL_SOCKET, SO_DOMAIN, &domain, &len)) {
        len = sizeof type, getsockopt(s, SOL_SOCKET, SO_TYPE, &type, &len);
        len = sizeof proto, getsockopt(s, SOL_SOCKET, SO_PROTOCOL, &proto, &len);
        o->sock = fd_sock_type(domain, type, proto);
    }
    struct sockaddr_storage sa;
    len = sizeof sa;
    if (o->sock && !getsockname(s, (struct sockaddr *)&sa, &len))
        o->local = fd_peer(o->sock, &sa, MIN(len, sizeof sa));
    len = sizeof sa;
    if (o->sock && !getpeername(s, (struct sockaddr *)&sa, &len))
        o->peer = fd_peer(o->sock, &sa, MIN(len, sizeof sa));
    close(s);
}

/* What open flags allow. O_PATH allows neither, and musl's O_ACCMODE has it in it. */
static bool fd_writes(u64 flags)
{
    return !(flags & O_PATH) && (flags & 3) != O_RDONLY;
}

static bool fd_reads(u64 flags)
{
    return !(flags & O_PATH) && (flags & 3) != O_WRONLY;
}

/* What of struct statx (<linux/stat.h>) is used here; musl's headers do not have it. */
struct fd_stat {
    u32 unused1[7];
    u16 stx_mode, unused2;
    u64 stx_ino, unused3[11];
    u32 stx_rdev_major, stx_rdev_minor, stx_dev_major, stx_dev_minor;
    u64 unused4[14];
};
_Static_assert(sizeof(struct fd_stat) == 256 && offsetof(struct fd_stat, stx_rdev_major) == 128,
               "the kernel's layout");

/* Mode and device of a path, without asking a FUSE or network server, which may be a tracee that
 * stands still because of us (statx(2), AT_STATX_DONT_SYNC). Returns 0 or -errno. */
static int fd_statx(const char *path, struct fd_stat *sx)
{
    enum { DONT_SYNC = 0x4000, TYPE = 1 };
    return syscall(SYS_statx, AT_FDCWD, path, DONT_SYNC, TYPE, sx) < 0 ? -errno : 0;
}

/* The kind that /proc/PID/fd/N shows: by its link's text for anonymous ones, else by mode. */
static u8 fd_kind_of(const char *link, const struct fd_stat *sx)
{
    static const struct { const char *prefix; u8 kind; } anon[] = {
        { "anon_inode:[eventfd]", FK_EVENTFD }, { "anon_inode:[eventpoll]", FK_EPOLL },
        { "anon_inode:[timerfd]", FK_TIMERFD }, { "anon_inode:[signalfd]", FK_SIGNALFD },
        { "anon_inode:inotify", FK_INOTIFY }, { "anon_inode:[fanotify]", FK_FANOTIFY },
        { "anon_inode:[pidfd]", FK_PIDFD }, { "pidfd:", FK_PIDFD },
        { "anon_inode:[io_uring]", FK_URING }, { "anon_inode:bpf", FK_BPF },
        { "anon_inode:[perf_event]", FK_PERF }, { "anon_inode:[userfaultfd]", FK_UFFD },
        { "anon_inode:seccomp notify", FK_SECCOMP }, { "anon_inode:", FK_ANON },
        { "/memfd:", FK_MEMFD }, { "pipe:[", FK_PIPE },
        { "socket:[", FK_SOCK },
    };
    for (size_t i = 0; i < ARRAY_LEN(anon); i++)
        if (!strncmp(link, anon[i].prefix, strlen(anon[i].prefix)))
            return anon[i].kind;
    if (!sx)
        return FK_UNKNOWN;
    u32 mode = sx->stx_mode;
    if (S_ISCHR(mode)) /* majors: Documentation/admin-guide/devices.txt; 5:0 is /dev/tty */
        return sx->stx_rdev_major == 136 || sx->stx_rdev_major == 4
            || (sx->stx_rdev_major == 5 && !sx->stx_rdev_minor) ? FK_TTY : FK_DEV;
    return S_ISREG(mode) ? FK_FILE : S_ISDIR(mode) ? FK_DIR : S_ISBLK(mode) ? FK_DEV
         : S_ISFIFO(mode) ? FK_PIPE : S_ISSOCK(mode) ? FK_SOCK : FK_ANON;
}

/* /proc/TID/fd/N, until the next call. */
static const char *fd_proc(pid_t tid, s32 n)
{
    static char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", tid, n);
    return path;
}

static s64 fd_link_text(const char *path, char *dst, size_t n)
{
    ssize_t r = readlink(path, dst, n - 1);
    if (r < 0)
        return -errno;
    dst[r] = 0;
    return r;
}

static s64 fd_readlink(pid_t pid, const char *what, char *dst, size_t n)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
    return fd_link_text(path, dst, n);
}

/* The process of a thread, from /proc/TID/status, or -errno. */
static s64 fd_pid_of(pid_t tid)
{
    char path[64], line[128];
    int pid = -ESRCH;
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    FILE *f = fopen(path, "re");
    while (f && pid < 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, "Tgid:", 5))
            pid = atoi(line + 5);
    if (f)
        fclose(f);
    return pid;
}

/* The open flags of a descriptor from /proc/PID/fdinfo (octal), or -errno. */
static s64 fd_flags_of(pid_t tid, s32 n)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", tid, n);
    int f = open(path, O_RDONLY | O_CLOEXEC);
    if (f < 0)
        return -errno;
    ssize_t r = read(f, text, sizeof text - 1);
    close(f);
    if (r <= 0)
        return -EIO;
    text[r] = 0;
    const char *p = strstr(text, "flags:");
    return p ? (s64)strtoull(p + 6, NULL, 8) : -EINVAL;
}

/* An open file made from what /proc says about descriptor n of tid, or NULL. */
static struct ofd *fd_from_proc(pid_t tid, s32 n, bool *cloexec)
{
    char link[PATH_MAX + 1];
    struct fd_stat sx;
    s64 len = fd_link_text(fd_proc(tid, n), link, sizeof link);
    if (len < 0)
        return NULL;
    bool have = fd_statx(fd_proc(tid, n), &sx) == 0;
    u8 kind = fd_kind_of(link, have ? &sx : NULL);
    struct ofd *o = ofd_new(kind, nm_get(link[0] == '/' ? 'f' : 'x', link, (size_t)len), tid);
    s64 flags = fd_flags_of(tid, n);
    if (!o)
        return NULL;
    o->inherited = true;
    o->writable = flags >= 0 && fd_writes(flags);
    o->readable = flags < 0 || fd_reads(flags);
    *cloexec = flags >= 0 && flags & O_CLOEXEC;
    if (kind == FK_SOCK) {
        s64 pid = fd_pid_of(tid); /* pidfds are of processes (of threads only from 6.9 on) */
        fd_probe_socket(o, pid > 0 ? (pid_t)pid : tid, n);
    }
    return o;
}

/* Fills a table from /proc/TID/fd: what is open at attach, or will be after the first exec. */
static void fd_scan(struct files *f, pid_t tid, bool before_exec)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", tid);
    DIR *d = opendir(path);
    if (!d)
        return; /* no /proc, or not ours to read: descriptors stay numbers */
    for (struct dirent *e; (e = readdir(d));) {
        bool cloexec = false;
        if (!isdigit((u8)e->d_name[0]))
            continue;
        s32 n = atoi(e->d_name);
        struct ofd *o = fd_from_proc(tid, n, &cloexec);
        struct fd_stat sx; /* one that went away meanwhile had no flags to read */
        if (o && before_exec && (cloexec || fd_statx(fd_proc(tid, n), &sx) < 0)) {
            ofd_discard(o);
        } else if (o) {
            fd_put(f, n, o, cloexec);
        }
    }
    closedir(d);
}

/* Whether descriptor n of tid is open file o, which is descriptor m of the process `other`:
 * kcmp(2). */
static bool fd_same(pid_t tid, s32 n, pid_t other, s32 m)
{
    return syscall(SYS_kcmp, tid, other, 0 /* KCMP_FILE */, n, m) == 0;
}

/* The open file behind descriptor n of t, or NULL. One that was not seen being made is looked up in
 * /proc and kept. */
static struct ofd *fd_get(struct task *t, s32 n)
{
    struct fdent *e = fd_find(t->files, n);
    if ((e && !fdt.lazy) || replay.on) /* a record's descriptor may be another by now */
        return e ? e->o : NULL;
    bool cloexec = false;
    struct ofd *o = n >= 0 ? fd_from_proc(t->tid, n, &cloexec) : NULL;
    if (!o)
        return e ? e->o : NULL;
    if (e && e->o->kind == o->kind && (e->o->name == o->name || (e->o->sock && !e->o->name))) {
        ofd_discard(o);
        return e->o;
    }
    fd_put(t->files, n, o, cloexec);
    e = fd_find(t->files, n);
    return e ? e->o : NULL;
}

/* What an open file is called, as raw bytes: a path, or for a socket "local->peer". */
static void fd_describe(struct buf *b, const struct ofd *o)
{
    if (!o->sock) {
        if (o->name)
            b_put(b, o->name->s, o->name->len);
        else
            b_s(b, fd_kind_name[o->kind]);
        return;
    }
    b_s(b, o->sock);
    const char *l = fd_peer_addr(o->local), *p = fd_peer_addr(o->peer);
    if (*l || *p)
        b_c(b, ' ');
    b_s(b, l);
    if (*p)
        b_s(b, "->"), b_s(b, p);
}

/* Appends "3</etc/hosts>", escaped; "3" alone when nothing is known. */
static void fd_label(struct buf *b, struct task *t, s32 n)
{
    char raw[PATH_MAX + 64];
    struct buf r = { .p = raw, .cap = sizeof raw, .max = sizeof raw };
    b_s64(b, n);
    struct ofd *o = n >= 0 && t->files ? fd_get(t, n) : NULL;
    if (!o)
        return;
    fd_describe(&r, o);
    b_c(b, '<');
    b_esc(b, r.p, r.len, 0);
    b_c(b, '>');
}

/* == 8 vm_  address spaces ======================================================
 * The regions of each mm_struct as mmap, munmap, mremap, mprotect and brk shape them; shared by
 * CLONE_VM, copied by fork, cleared by exec. At exec (with page faults on) and at attach they are
 * read from /proc/PID/maps. Totals of what goes away are kept for the summary. */

static struct {
    u64 heap_bytes, map_bytes, map_regions; /* of address spaces that are gone */
} vm;

static struct name *vm_name(const char *s)
{
    return nm_str('x', s);
}

static struct mm *vm_new(void)
{
    struct mm *m = calloc(1, sizeof *m);
    if (m)
        m->refs = 1;
    return m;
}

/* Index of the first region that ends after addr. */
static u32 vm_at(const struct mm *m, u64 addr)
{
    u32 lo = 0, hi = m->n;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (m->r[mid].end <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The region that holds addr, or NULL. */
static struct region *vm_find(const struct mm *m, u64 addr)
{
    u32 i = vm_at(m, addr);
    return i < m->n && m->r[i].start <= addr ? &m->r[i] : NULL;
}

static bool vm_insert(struct mm *m, u32 i, struct region r)
{
    if (m->n == m->cap) {
        u32 cap = m->cap ? m->cap * 2 : 64;
        struct region *p = realloc(m->r, cap * sizeof *p);
        if (!p)
            return false;
        m->r = p;
        m->cap = cap;
    }
    memmove(m->r + i + 1, m->r + i, (m->n - i) * sizeof *m->r);
    m->r[i] = r;
    m->n++;
    return true;
}

/* Splits the region that holds addr, so that one begins there. */
static void vm_split(struct mm *m, u64 addr)
{
    struct region *r = vm_find(m, addr);
    if (!r || r->start == addr)
        return;
    struct region tail = *r;
    tail.start = addr;
    u32 i = (u32)(r - m->r);
    if (vm_insert(m, i + 1, tail))
        m->r[i].end = addr;
}

static void vm_unmap(struct mm *m, u64 start, u64 end)
{
    if (start >= end || !m->n)
        return;
    vm_split(m, start);
    vm_split(m, end);
    u32 i = vm_at(m, start), k = i;
    while (k < m->n && m->r[k].end <= end)
        k++;
    memmove(m->r + i, m->r + k, (m->n - k) * sizeof *m->r);
    m->n -= k - i;
}

static void vm_map(struct mm *m, struct region r)
{
    if (r.start >= r.end)
        return;
    vm_unmap(m, r.start, r.end);
    vm_insert(m, vm_at(m, r.start), r);
}

/* Joins neighbours that do not differ, from region i to address `end`: a program that changes its
 * mind about protections does not make the table grow. */
static void vm_merge(struct mm *m, u32 i, u64 end)
{
    for (i -= i > 0; i + 1 < m->n && m->r[i].start <= end;) {
        struct region *a = &m->r[i], *b = a + 1;
        if (a->end != b->start || a->prot != b->prot || a->name != b->name || a->ours != b->ours) {
            i++;
            continue;
        }
        a->end = b->end;
        memmove(b, b + 1, (m->n - i - 2) * sizeof *b);
        m->n--;
    }
}

static void vm_protect(struct mm *m, u64 start, u64 end, u8 prot)
{
    if (start >= end)
        return;
    vm_split(m, start);
    vm_split(m, end);
    for (u32 i = vm_at(m, start); i < m->n && m->r[i].end <= end; i++)
        m->r[i].prot = prot;
    vm_merge(m, vm_at(m, start), end);
}

/* mremap: the region at [start, end) is now to_len bytes at `to`. */
static void vm_move(struct mm *m, u64 start, u64 end, u64 to, u64 to_len)
{
    struct region *r = vm_find(m, start), moved = { 0 };
    moved = r ? *r : (struct region){ .prot = PROT_READ | PROT_WRITE, .ours = true,
                                      .name = vm_name("anon") };
    vm_unmap(m, start, end);
    moved.start = to;
    moved.end = to + to_len;
    vm_map(m, moved);
}

static struct mm *vm_copy(const struct mm *from)
{
    struct mm *m = vm_new();
    if (!m || !from)
        return m;
    *m = *from;
    m->refs = 1;
    m->cap = m->n;
    m->r = malloc(m->n * sizeof *m->r + 1);
    if (!m->r)
        m->n = m->cap = 0;
    else if (m->n)
        memcpy(m->r, from->r, m->n * sizeof *m->r);
    /* A child's copy costs nothing until it is written: the summary counts what the child maps. */
    for (u32 i = 0; i < m->n; i++)
        m->r[i].ours = false;
    m->brk_start = m->brk;
    return m;
}

static u64 vm_heap(const struct mm *m)
{
    return m->brk > m->brk_start ? m->brk - m->brk_start : 0;
}

/* Adds an address space's sizes to the totals. */
static void vm_account(const struct mm *m)
{
    vm.heap_bytes += vm_heap(m);
    for (u32 i = 0; i < m->n; i++)
        if (m->r[i].ours) {
            vm.map_bytes += m->r[i].end - m->r[i].start;
            vm.map_regions++;
        }
}

/* Drops a reference. What exec throws away is not counted; what is there at the end is. */
static void vm_put(struct mm *m, bool account)
{
    if (!m || --m->refs)
        return;
    if (account)
        vm_account(m);
    free(m->r);
    free(m);
}

/* Whether device 0:minor is, by the mounts that tid sees, a file system on which a page fault can
 * wait for a user-space server or a network. (statfs(2) would ask that server.) */
static bool vm_slow_mount(pid_t tid, u32 minor)
{
    static const char *const slow[] = { "fuse", "9p", "nfs", "cifs", "smb", "ceph", "afs" };
    char path[64], line[2048];
    bool hit = false;
    snprintf(path, sizeof path, "/proc/%d/mountinfo", tid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        const char *type = strstr(line, " - "), *dev = u_word(line, 2); /* id parent major:minor */
        if (!type || strncmp(dev, "0:", 2) || strtoul(dev + 2, NULL, 10) != minor)
            continue;
        for (size_t i = 0; i < ARRAY_LEN(slow); i++)
            hit |= !strncmp(type + 3, slow[i], strlen(slow[i]));
    }
    if (f)
        fclose(f);
    return hit;
}

/* The same of a file. Block devices have a major number; what has none is looked up once a device.
 */
static bool vm_slow_dev(pid_t tid, u32 major, u32 minor)
{
    static struct { u32 minor; bool known, slow; } cache[64];
    u32 i = minor % ARRAY_LEN(cache);
    if (major)
        return false;
    if (!cache[i].known || cache[i].minor != minor) {
        cache[i].minor = minor;
        cache[i].slow = vm_slow_mount(tid, minor);
        cache[i].known = true;
    }
    return cache[i].slow;
}

static bool vm_slow_fs(pid_t tid, const char *path)
{
    struct fd_stat sx;
    return fd_statx(path, &sx) == 0 && vm_slow_dev(tid, sx.stx_dev_major, sx.stx_dev_minor);
}

/* One line of /proc/PID/maps: "start-end rwxp offset dev inode   name". */
static void vm_maps_line(struct mm *m, const char *line)
{
    char *dash, *blank;
    struct region r = { .start = strtoull(line, &dash, 16) };
    if (*dash != '-')
        return;
    r.end = strtoull(dash + 1, &blank, 16);
    const char *perm = blank + 1, *name = u_word(line, 5);
    if (*blank != ' ' || strlen(perm) < 4)
        return;
    r.prot = (u8)((perm[0] == 'r' ? PROT_READ : 0) | (perm[1] == 'w' ? PROT_WRITE : 0)
                | (perm[2] == 'x' ? PROT_EXEC : 0));
    r.name = !strcmp(name, "[heap]")       ? vm_name("heap")
             : !strncmp(name, "[stack", 6) ? vm_name("stack")
             : *name                       ? nm_str(*name == '/' ? 'f' : 'x', name)
                                           : vm_name("anon");
    vm_map(m, r);
}

/* Reads an address space from /proc/TID/maps (or smaps, to find userfaultfd's flags um and uw,
 * Documentation/filesystems/proc.rst). Returns 0 or -errno. */
static int vm_from_proc(struct mm *m, pid_t tid, bool smaps)
{
    char path[64], line[PATH_MAX + 128];
    snprintf(path, sizeof path, "/proc/%d/%s", tid, smaps ? "smaps" : "maps");
    FILE *f = fopen(path, "re");
    if (!f)
        return -errno;
    m->n = 0;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "VmFlags:", 8))
            m->careful |= strstr(line, " um") || strstr(line, " uw");
        else if (strchr(line, '-') && isxdigit((u8)line[0]) &&
                 strchr(line, ' ') > strchr(line, '-'))
            vm_maps_line(m, line);
    }
    fclose(f);
    for (u32 i = 0; i < m->n; i++) {
        char where[PATH_MAX + 64];
        snprintf(where, sizeof where, "/proc/%d/root%s", tid, m->r[i].name->s);
        if (m->r[i].name->cls == 'f' && (!i || m->r[i - 1].name != m->r[i].name))
            m->careful |= vm_slow_fs(tid, where);
    }
    return 0;
}

/* == 9 ps_  processes and threads ===============================================
 * The table of tracees by tid and of their processes by pid. Freed when they end; the memory is
 * kept for the next ones. */

enum { PS_BUCKETS = 4096, PS_GONE = 64 };

static struct {
    struct task *task[PS_BUCKETS];
    struct proc *proc[PS_BUCKETS];
    struct task *free_task;
    struct proc *free_proc;
    u32 n_tasks, n_procs;
    u64 threads, processes; /* ever seen */
    struct {                /* of other pid namespaces, lately dead: their parents wait for them */
        u64 pid_ns;
        pid_t tid, ns_tid;
    } gone[PS_GONE];
    u32 n_gone;
} ps;

static struct task *ps_task(pid_t tid)
{
    struct task *t = ps.task[(u32)tid % PS_BUCKETS];
    while (t && t->tid != tid)
        t = t->next;
    return t;
}

/* Some thread of a process whose tables are known, or NULL. */
static struct task *ps_any_of(pid_t pid)
{
    for (u32 i = 0; i < PS_BUCKETS; i++)
        for (struct task *t = ps.task[i]; t; t = t->next)
            if (t->pid == pid && t->files)
                return t;
    return NULL;
}

static struct proc *ps_proc(pid_t pid)
{
    struct proc *p = ps.proc[(u32)pid % PS_BUCKETS];
    while (p && p->pid != pid)
        p = p->next;
    return p;
}

static struct proc *ps_new_proc(pid_t pid, pid_t ppid)
{
    struct proc *p = ps.free_proc;
    if (p)
        ps.free_proc = p->next;
    else if (!(p = malloc(sizeof *p)))
        return NULL;
    *p = (struct proc){ .pid = pid, .ppid = ppid, .start_ns = u_now() };
    struct proc **slot = &ps.proc[(u32)pid % PS_BUCKETS];
    p->next = *slot;
    *slot = p;
    ps.n_procs++;
    ps.processes++;
    return p;
}

static void ps_free_proc(struct proc *p)
{
    struct proc **slot = &ps.proc[(u32)p->pid % PS_BUCKETS];
    while (*slot != p)
        slot = &(*slot)->next;
    *slot = p->next;
    p->next = ps.free_proc;
    ps.free_proc = p;
    ps.n_procs--;
}

static void ps_link(struct task *t)
{
    struct task **slot = &ps.task[(u32)t->tid % PS_BUCKETS];
    t->next = *slot;
    *slot = t;
}

static void ps_unlink(struct task *t)
{
    struct task **slot = &ps.task[(u32)t->tid % PS_BUCKETS];
    while (*slot != t)
        slot = &(*slot)->next;
    *slot = t->next;
}

/* A tracee that nothing is known of yet but its tid. NULL when memory is out. */
static struct task *ps_new_task(pid_t tid)
{
    struct task *t = ps.free_task;
    struct buf text = { 0 };
    if (t) {
        ps.free_task = t->next;
        text = t->call.text; /* keeps its memory */
        b_reset(&text);
    } else if (!(t = malloc(sizeof *t))) {
        return NULL;
    }
    memset(t, 0, sizeof *t);
    t->tid = tid;
    t->call.text = text;
    t->call.text.max = (64u << 10) + opt.strlen_max;
    ps_link(t);
    ps.n_tasks++;
    return t;
}

/* Puts the thread into its process. */
static void ps_join(struct task *t, struct proc *p)
{
    t->proc = p;
    t->pid = p->pid;
    p->tasks++;
    ps.threads++;
}

static void ps_free_task(struct task *t)
{
    ps_unlink(t);
    files_put(t->files);
    vm_put(t->mm, true);
    if (t->fs && !--t->fs->refs)
        free(t->fs);
    if (t->proc && t->ns_tid) {
        u32 i = ps.n_gone++ % PS_GONE;
        ps.gone[i].pid_ns = t->proc->pid_ns;
        ps.gone[i].tid = t->tid, ps.gone[i].ns_tid = t->ns_tid;
    }
    if (t->proc)
        t->proc->tasks--;
    if (t->call.text.cap > 64 << 10)
        b_free(&t->call.text);
    b_free(&t->exec_argv);
    t->next = ps.free_task;
    ps.free_task = t;
    ps.n_tasks--;
}

static struct fsinfo *ps_new_fs(struct name *cwd)
{
    struct fsinfo *f = malloc(sizeof *f);
    if (f)
        *f = (struct fsinfo){ 1, cwd };
    return f;
}

/* The child of t, made with the clone(2) flags `fl`: shares or copies what they say. */
static void ps_inherit(struct task *child, struct task *t, u64 fl)
{
    if (fl & CLONE_FILES)
        (child->files = t->files) ? child->files->refs++ : 0;
    else
        child->files = files_copy(t->files);
    if (fl & CLONE_FS)
        (child->fs = t->fs) ? child->fs->refs++ : 0;
    else
        child->fs = ps_new_fs(t->fs ? t->fs->cwd : NULL);
    if (fl & CLONE_VM)
        (child->mm = t->mm) ? child->mm->refs++ : 0;
    else
        child->mm = vm_copy(t->mm);
    memcpy(child->comm, t->comm, sizeof child->comm);
    child->full = t->full; /* seccomp filters are inherited */
    child->strict = t->strict;
}

/* A number from /proc/TID/status ("Tgid:", "PPid:", "TracerPid:", "State:" as its letter); -1:
 * none. */
static s64 ps_status(pid_t tid, const char *key)
{
    char path[64], line[256];
    s64 v = -1;
    snprintf(path, sizeof path, "/proc/%d/status", tid);
    FILE *f = fopen(path, "re");
    while (f && v < 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key))) {
            const char *p = line + strlen(key) + strspn(line + strlen(key), " \t");
            v = isdigit((u8)*p) ? strtoll(p, NULL, 10) : *p;
        }
    if (f)
        fclose(f);
    return v;
}

/* Resident memory in bytes (proc_pid_statm(5)); 0: cannot be read, or has none. */
static u64 ps_resident(pid_t pid)
{
    char path[64], text[128];
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    u_slurp(path, text, sizeof text);
    return strtoull(text + strcspn(text, " "), NULL, 10) * (u64)sysconf(_SC_PAGESIZE);
}

/* --- pid namespaces --- */

/* The inode of a pid namespace, by what the kernel calls the link to it; 0: cannot be read. */
static u64 ps_ns_inode(pid_t tid, const char *link)
{
    char text[64];
    if (fd_readlink(tid, link, text, sizeof text) < 0 || !strchr(text, '['))
        return 0;
    return strtoull(strchr(text, '[') + 1, NULL, 10);
}

/* Finds out which pid namespace t lives in and what its tid is there: NSpid has a number for each
 * namespace from that of /proc down to the thread's own (proc_pid_status(5)). */
static void ps_look_ns(struct task *t)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", t->tid);
    FILE *f = fopen(path, "re");
    while (f && t->proc && fgets(line, sizeof line, f))
        if (!strncmp(line, "NSpid:\t", 7) && strchr(line + 7, '\t')) {
            t->ns_tid = atoi(strrchr(line, '\t'));
            t->proc->pid_ns = ps_ns_inode(t->tid, "ns/pid");
        }
    if (f)
        fclose(f);
}

/* kvis's number of the thread that is `n` in t's pid namespace; 0: it is the same, or not known (as
 * that of a thread which lives in a namespace below t's). */
static pid_t ps_from_ns(const struct task *t, s64 n)
{
    u64 ns = t->proc ? t->proc->pid_ns : 0;
    if (!ns || n <= 0)
        return 0;
    if (t->ns_tid == n)
        return t->tid;
    for (u32 i = 0; i < PS_BUCKETS; i++)
        for (const struct task *o = ps.task[i]; o; o = o->next)
            if (o->ns_tid == n && o->proc && o->proc->pid_ns == ns)
                return o->tid;
    for (u32 i = ps.n_gone, k = 0; k < PS_GONE && i; k++) {
        i--;
        if (ps.gone[i % PS_GONE].pid_ns == ns && ps.gone[i % PS_GONE].ns_tid == n)
            return ps.gone[i % PS_GONE].tid;
    }
    return 0;
}
/* == 10 dec_  what the arguments and results of system calls mean ===============
 * Owns the tables of gen/ (sc_rows: calls and the kinds of their arguments; families: names of
 * values) and turns a struct call into text. May call u_, b_, mem_ and fd_label. Entry points:
 * dec_enter, dec_exit, dec_ret, dec_ret_is_fd, dec_ret_is_addr, dec_nargs; dec_bits and dec_enum
 * for other rooms. To add a kind: one row in DEC_KINDS, one function dec_k_NAME, one @kind line in
 * gen/syscalls.tbl; names of values: rows in gen/flags.tbl; a structure: a table of dec_member.
 * Nothing here allocates or loops by a number of the tracee's alone: text ends at -s, arrays after
 * -s elements, structures are read into fixed buffers, and call.text has its own limit. */



/* The names of 3000 values are a quarter of the binary, so they stand in one pool without what
 * most of them begin with (O_, BPF_PROG_TYPE_), and rows hold offsets, not pointers. */
struct flag {
    u32 low; /* of the value; the rest of it is in fl_high[], by index; so are fl_prefix[] (an index
              * in fl_prefixes[]) and fl_name[] (the offset of the rest of the name in fl_names) */
};
struct family {
    u16 row, n; /* fl_rows[row] .. */
};
#include "gen/flags.h"

/* When an argument is decoded: at entry; at exit (the address when the call failed); at both (the
 * entry only remembers; shown also when the call failed); at one of them, by what is before it. */
enum dec_when { DEC_IN = 1, DEC_OUT = 2, DEC_BOTH = 3, DEC_EITHER = 7 };

/* K_name, dec_k_function, when. */
#define DEC_KINDS(X) \
    X(INT, int, IN)                          \
    X(UINT, uint, IN)                        \
    X(LONG, long, IN)                        \
    X(ULONG, ulong, IN)                      \
    X(SIZE, ulong, IN)                       \
    X(OFF, long, IN)                         \
    X(HEX, hex, IN)                          \
    X(ADDR, addr, IN)                        \
    X(MODE, mode, IN)                        \
    X(DEV, dev, IN)                          \
    X(PID, pid, IN)                          \
    X(UID, id, IN)                           \
    X(GID, id, IN)                           \
    X(SIG, sig, IN)                          \
    X(FD, fd, IN)                            \
    X(DIRFD, dirfd, IN)                      \
    X(PATH, path, IN)                        \
    X(STR, str, IN)                          \
    X(STRV, strv, IN)                        \
    X(ENVP, envp, IN)                        \
    X(WBUF, wbuf, IN)                        \
    X(RBUF, rbuf, OUT)                       \
    X(LINKBUF, linkbuf, OUT)                 \
    X(WIOV, wiov, IN)                        \
    X(RIOV, riov, OUT)                       \
    X(SA, sa, IN)                            \
    X(SAOUT, saout, OUT)                     \
    X(MSGIN, msgin, IN)                      \
    X(MSGOUT, msgout, OUT)                   \
    X(MMSGIN, mmsgin, IN)                    \
    X(MMSGOUT, mmsgout, OUT)                 \
    X(STAT, stat, OUT)                       \
    X(STATX, statx, OUT)                     \
    X(STATFS, statfs, OUT)                   \
    X(TS, ts, IN)                            \
    X(TSOUT, tsout, OUT)                     \
    X(TS2, ts2, IN)                          \
    X(TS64, ts64, IN)                        \
    X(TS64OUT, ts64out, OUT)                 \
    X(TS264, ts264, IN)                      \
    X(TV, tv, IN)                            \
    X(TVOUT, tv, OUT)                        \
    X(TV2, tv2, IN)                          \
    X(TZ, tz, IN)                            \
    X(ITIMERVAL, itimerval, IN)              \
    X(ITIMERVALOUT, itimerval, OUT)          \
    X(ITIMERSPEC, itimerspec, IN)            \
    X(ITIMERSPECOUT, itimerspec, OUT)        \
    X(ITIMERSPEC64, itimerspec64, IN)        \
    X(ITIMERSPEC64OUT, itimerspec64, OUT)    \
    X(TIMEX, timex, OUT)                     \
    X(RLIM, rlim, IN)                        \
    X(RLIMOUT, rlim, OUT)                    \
    X(RUSAGEOUT, rusage, OUT)                \
    X(SIGSET, sigset, IN)                    \
    X(PSIGSET, psigset, IN)                  \
    X(SIGSETOUT, sigset, OUT)                \
    X(SIGACT, sigact, IN)                    \
    X(SIGACTOUT, sigact, OUT)                \
    X(SIGINFO, siginfo, IN)                  \
    X(SIGINFOOUT, siginfo, OUT)              \
    X(SIGEVENT, sigevent, IN)                \
    X(SIGSTACK, sigstack, IN)                \
    X(SIGSTACKOUT, sigstack, OUT)            \
    X(EPEV, epev, IN)                        \
    X(EPEVS, epevs, OUT)                     \
    X(POLLFDS, pollfds, IN)                  \
    X(FDSET, fdset, IN)                      \
    X(WSTATUS, wstatus, OUT)                 \
    X(INT2FD, int2fd, OUT)                   \
    X(INTP, intp, BOTH)                      \
    X(INTPOUT, intpout, OUT)                 \
    X(UINTPOUT, uintpout, OUT)               \
    X(U64P, u64p, IN)                        \
    X(U64POUT, u64p, OUT)                    \
    X(SIZEP, sizep, BOTH)                    \
    X(OFFP, offp, BOTH)                      \
    X(UTSNAME, utsname, OUT)                 \
    X(SYSINFO, sysinfo, OUT)                 \
    X(DENTS, dents, OUT)                     \
    X(SOCKOPTVAL, sockoptval, IN)            \
    X(SOCKOPTVALOUT, sockoptval, OUT)        \
    X(SOCKPROTO, sockproto, IN)              \
    X(CLONEARGS, cloneargs, IN)              \
    X(OPENHOW, openhow, IN)                  \
    X(FUTEXOP, futexop, IN)                  \
    X(FUTEXVAL, futexval, IN)                \
    X(FCNTLARG, fcntlarg, EITHER)            \
    X(IOCTLCMD, ioctlcmd, IN)                \
    X(IOCTLARG, ioctlarg, EITHER)            \
    X(PRCTLOPT, prctlopt, IN)                \
    X(PRCTLARG, prctlarg, EITHER)            \
    X(BPFATTR, bpfattr, IN)                  \
    X(PERFATTR, perfattr, IN)                \
    X(URINGPARAMS, uringparams, BOTH)        \
    X(SCHEDPARAM, schedparam, IN)            \
    X(SCHEDPARAMOUT, schedparam, OUT)        \
    X(SCHEDATTR, schedattr, IN)              \
    X(SCHEDATTROUT, schedattr, OUT)          \
    X(CAPHDR, caphdr, IN)                    \
    X(CAPDATA, capdata, IN)                  \
    X(CAPDATAOUT, capdata, OUT)              \
    X(CPUSET, cpuset, IN)                    \
    X(CPUSETOUT, cpuset, OUT)                \
    X(GIDS, gids, IN)                        \
    X(GIDSOUT, gids, OUT)                    \
    X(SEMBUFS, sembufs, IN)                  \
    X(MOUNTATTR, mountattr, IN)              \
    X(RULESETATTR, rulesetattr, IN)          \
    X(TMSOUT, tms, OUT)

enum dec_kinds {
#define X(kind, fn, when) K_##kind,
    DEC_KINDS(X)
#undef X
    N_KINDS
};
/* Kinds that need no function of their own: bits or one value of a family of gen/flags.tbl. */
#define K_BITS(fam) (0x1000 + (fam))
#define K_ENUM(fam) (0x2000 + (fam))
#define K_FAM(kind) ((kind) & 0xfffu)

/* strace's -e classes. */
enum {
    CLS_FILE = 1 << 0, CLS_DESC = 1 << 1, CLS_NET = 1 << 2, CLS_MEM = 1 << 3, CLS_PROC = 1 << 4,
    CLS_SIG = 1 << 5, CLS_IPC = 1 << 6, CLS_CREDS = 1 << 7, CLS_CLOCK = 1 << 8, CLS_STAT = 1 << 9,
    CLS_LSTAT = 1 << 10, CLS_FSTAT = 1 << 11, CLS_STATFS = 1 << 12, CLS_FSTATFS = 1 << 13,
};

struct sc_row {
    u16 name : 13, nargs : 3; /* name: its offset in sc_names */
    u16 cls;
    u16 arg[6]; /* their kinds */
};
enum { SC_NAMES_MAX = 1 << 13 };
#include "gen/syscalls.h"

/* ---- the decoder at work ---- */

/* One argument being decoded into b. */
struct dec {
    struct task *t;
    const struct call *c;
    struct buf *b;
    u64 *outlen;  /* c->outlen, to be written at entry */
    int i;        /* which argument */
    bool exit;
    bool *dead;   /* a page did not come in time: read no more for this call */
    u8 form;      /* enum arg_form */
    bool cut;     /* ARG_STR: there is more in the tracee */
    u64 left;     /* bytes that the call moved and no iovec has shown yet */
};

/* Bytes that a name or string inside a structure may have, and of a structure's array at once. */
enum { DEC_PATH = 4095, DEC_CHUNK = 4096 };

static s64 dec_read(struct dec *d, u64 addr, void *dst, size_t n)
{
    s64 r = *d->dead ? -ETIMEDOUT : mem_read(d->t, addr, dst, n);
    if (r == -ETIMEDOUT)
        *d->dead = true;
    return r;
}

/* What stands for a pointer that is not, or cannot be, followed. */
static void dec_pointer(struct dec *d, u64 addr, s64 err)
{
    if (!addr)
        b_s(d->b, "NULL");
    else if (err == -ETIMEDOUT)
        b_s(d->b, "<unreadable>");
    else
        b_hex(d->b, addr);
}

/* All n bytes at addr; prints the pointer and returns false when it cannot have them. */
static bool dec_get(struct dec *d, u64 addr, void *dst, size_t n)
{
    s64 r = addr ? dec_read(d, addr, dst, n) : 0;
    if (addr && r == (s64)n)
        return true;
    dec_pointer(d, addr, r);
    return false;
}

static u64 dec_ld(const void *p, size_t size)
{
    u64 v = 0;
    memcpy(&v, p, MIN(size, sizeof v)); /* both CPUs are little-endian */
    return v;
}

static s64 dec_lds(const void *p, size_t size)
{
    unsigned drop = 64 - 8 * (unsigned)MIN(size, sizeof(u64));
    return (s64)(dec_ld(p, size) << drop) >> drop;
}

static unsigned dec_word(const struct dec *d)
{
    return abi_word(d->c->abi);
}

/* x32 has 32-bit pointers, but the kernel's 64-bit timespec, timeval, flock and long. */
static unsigned dec_long(const struct dec *d)
{
    return d->c->abi == ABI_I386 || d->c->abi == ABI_ARM32 ? 4 : 8;
}

static u64 dec_next(const struct dec *d)
{
    return d->i < 5 ? d->c->arg[d->i + 1] : 0;
}

static u32 dec_max(u32 limit)
{
    return MIN(opt.strlen_max, limit);
}

/* ---- values with names ---- */

enum { DEC_NOFAM = 0xfff }; /* no family: nothing has a name */

static u64 dec_flag_value(const struct flag *f)
{
    return (u64)fl_high[f - fl_rows] << 32 | f->low;
}

static void dec_flag_name(struct buf *b, const struct flag *f)
{
    const char *pool = (const char *)&fl_names;
    b_s(b, pool + fl_prefixes[fl_prefix[f - fl_rows]]);
    b_s(b, pool + fl_name[f - fl_rows]);
}

static const struct flag *dec_flag(u64 v, unsigned fam)
{
    if (fam == DEC_NOFAM)
        return NULL;
    bool narrow = v >> 32 == 0 || v >> 32 == 0xffffffff; /* an int, however it was extended */
    const struct flag *f = fl_rows + families[fam].row, *end = f + families[fam].n;
    for (; f < end; f++)
        if (f->low == (u32)v && (narrow || dec_flag_value(f) == v))
            return f;
    return NULL;
}

/* The value that has that name, or -1. */
static s64 dec_flag_named(const char *name, unsigned fam)
{
    const char *pool = (const char *)&fl_names;
    const struct flag *f = fl_rows + families[fam].row, *end = f + families[fam].n;
    for (; f < end; f++) {
        const char *prefix = pool + fl_prefixes[fl_prefix[f - fl_rows]];
        size_t n = strlen(prefix);
        if (!strncmp(name, prefix, n) && !strcmp(name + n, pool + fl_name[f - fl_rows]))
            return (s64)dec_flag_value(f);
    }
    return -1;
}

/* The name of a value, or ? where it has none. */
static void dec_name(struct buf *b, u64 v, unsigned fam)
{
    const struct flag *f = dec_flag(v, fam);
    f ? dec_flag_name(b, f) : b_c(b, '?');
}

static void dec_number(struct buf *b, u64 v)
{
    s64 s = v >> 32 == 0 ? (s32)v : (s64)v;
    if (s > -65536 && s < 65536)
        b_s64(b, s);
    else
        b_hex(b, v);
}

static void dec_octal(struct buf *b, u64 v)
{
    b_f(b, v ? "0%" PRIo64 : "%" PRIo64, v);
}

/* Fields of several bits inside words of flags: other names, a signal, octal permissions, log2 of a
 * huge page's size. Names stand before the flags, the rest behind them. */
enum dec_how { DEC_NAMED, DEC_SIGNAL, DEC_OCTAL, DEC_HUGE };
static const struct dec_part {
    u16 fam;
    u8 how;
    u64 mask;
    u64 arg; /* DEC_NAMED: the family; DEC_HUGE: the flag without which there is no size */
} dec_parts[] = {
    { FAM_open, DEC_NAMED, 3, FAM_openacc },
    { FAM_mqopen, DEC_NAMED, 3, FAM_openacc },
    { FAM_mmap, DEC_NAMED, 0xf, FAM_maptype },
    { FAM_mmap, DEC_HUGE, 0x3full << 26, 0x40000 },
    { FAM_memfd, DEC_HUGE, 0x3full << 26, 4 },
    { FAM_shmget, DEC_HUGE, 0x3full << 26, 04000 },
    { FAM_shmget, DEC_OCTAL, 0777, 0 },
    { FAM_ipcget, DEC_OCTAL, 0777, 0 },
    { FAM_socktype, DEC_NAMED, 0xf, FAM_sockbase },
    { FAM_clone, DEC_SIGNAL, 0xff, 0 },
    { FAM_futex2, DEC_NAMED, 3, FAM_futex2size },
    { FAM_mpolmode, DEC_NAMED, 0x1fff, FAM_mpol },
};

static void dec_sep(struct buf *b, u32 from, const char *sep)
{
    if (b->len > from)
        b_s(b, sep);
}

static bool dec_part_is(const struct dec_part *p, u64 v, unsigned fam)
{
    return p->fam == fam && (p->how != DEC_HUGE || v & p->arg);
}

static void dec_part(struct buf *b, const struct dec_part *p, u64 v, u32 from)
{
    u64 field = v & p->mask;
    const struct flag *f = p->how == DEC_NAMED ? dec_flag(field, (unsigned)p->arg) : NULL;
    if (!field && !f)
        return;
    dec_sep(b, from, "|");
    if (f)
        dec_flag_name(b, f);
    else if (p->how == DEC_SIGNAL)
        b_sig(b, (int)field);
    else if (p->how == DEC_OCTAL)
        dec_octal(b, field);
    else if (p->how == DEC_HUGE)
        b_u64(b, field >> 26), b_s(b, "<<26");
    else
        dec_number(b, field);
}

/* NAME|NAME|0x40: names as far as there are any. */
static void dec_bits(struct buf *b, u64 v, unsigned fam)
{
    const struct flag *f = fl_rows + families[fam].row, *f_end = f + families[fam].n;
    const struct dec_part *p, *end = dec_parts + ARRAY_LEN(dec_parts);
    u32 from = b->len;
    if (v >> 32 == 0xffffffff && (u32)v >> 31)
        v = (u32)v; /* a sign-extended int */
    if (v == 0xffffffff) { /* no set of flags but a -1: personality's query */
        b_hex(b, v);
        return;
    }
    u64 rest = v;
    for (p = dec_parts; p < end; p++)
        if (dec_part_is(p, v, fam)) {
            rest &= ~p->mask;
            if (p->how == DEC_NAMED)
                dec_part(b, p, v, from);
        }
    for (; f < f_end; f++) {
        u64 bits = dec_flag_value(f);
        if (bits ? (rest & bits) == bits : !v && b->len == from) {
            dec_sep(b, from, "|");
            dec_flag_name(b, f);
            rest &= ~bits;
        }
    }
    for (p = dec_parts; p < end; p++)
        if (p->how != DEC_NAMED && dec_part_is(p, v, fam))
            dec_part(b, p, v, from);
    if (rest || b->len == from) {
        dec_sep(b, from, "|");
        rest ? b_hex(b, rest) : b_c(b, '0');
    }
}

/* Single values that carry flags: those bits, and their family. */
static const struct {
    u16 fam, flags;
    u64 mask;
} dec_flagged[] = {
    { FAM_schedpolicy, FAM_schedreset, 0x40000000 },
    { FAM_mpol, FAM_mpolmode, 7 << 13 },
    { FAM_uringreg, FAM_uringreg, 0x80000000 },
};

static void dec_enum(struct buf *b, u64 v, unsigned fam)
{
    u64 flags = 0;
    unsigned flagfam = 0;
    for (unsigned k = 0; k < ARRAY_LEN(dec_flagged); k++)
        if (dec_flagged[k].fam == fam && v >> 32 == 0) {
            flags = v & dec_flagged[k].mask;
            flagfam = dec_flagged[k].flags;
        }
    v &= ~flags;
    const struct flag *f = dec_flag(v, fam);
    if (f)
        dec_flag_name(b, f);
    else
        dec_number(b, v);
    if (flags && flagfam == fam) {
        b_c(b, '|');
        dec_name(b, flags, fam);
    } else if (flags) {
        f = fl_rows + families[flagfam].row;
        for (const struct flag *end = f + families[flagfam].n; f < end; f++)
            if (flags & f->low) {
                b_c(b, '|');
                dec_flag_name(b, f);
            }
    }
}

static void dec_mode(struct buf *b, u64 mode)
{
    const struct flag *type = dec_flag(mode & S_IFMT, FAM_ifmt);
    if (type)
        dec_flag_name(b, type), b_c(b, '|');
    b_f(b, "%#03" PRIo64, type ? mode & ~(u64)S_IFMT : mode);
}

/* The kernel's new_encode_dev, and above it what glibc's 64-bit makedev adds. */
static void dec_dev(struct buf *b, u64 dev)
{
    u64 major = (dev >> 8 & 0xfff) | (dev >> 32 & ~0xfffull);
    u64 minor = (dev & 0xff) | (dev >> 12 & ~0xffull & 0xffffffff);
    b_f(b, "makedev(%#" PRIx64 ", %#" PRIx64 ")", major, minor);
}

static void dec_id(struct buf *b, u64 id)
{
    if ((u32)id == (u32)-1)
        b_s(b, "-1");
    else
        b_u64(b, (u32)id);
}

/* The kernel's sigset_t, [INT CHLD]; ~[...] when more signals are in it than not. */
static void dec_sigset(struct buf *b, u64 set)
{
    bool inverted = __builtin_popcountll(set) > 32;
    if (inverted)
        b_c(b, '~');
    set = inverted ? ~set : set;
    b_c(b, '[');
    for (int sig = 1, n = 0; sig <= 64; sig++)
        if (set >> (sig - 1) & 1) {
            b_s(b, n++ ? " " : "");
            b_s(b, u_signame(sig) + 3); /* without SIG */
        }
    b_c(b, ']');
}

static void dec_signal(struct buf *b, s64 sig)
{
    if (sig > 0 && sig <= 64)
        b_sig(b, (int)sig);
    else
        b_s64(b, sig);
}

static void dec_errno(struct buf *b, int e)
{
    const char *name = u_errname(e);
    if (name)
        b_s(b, name);
    else
        b_s64(b, e);
}

/* ---- strings and bytes ---- */

/* n bytes at addr, quoted, inside a structure; no more than -s and no more than a chunk. */
static void dec_bytes(struct dec *d, u64 addr, u64 n)
{
    u8 tmp[DEC_CHUNK];
    size_t want = MIN(n, (u64)dec_max(sizeof tmp));
    s64 r = !want ? 0 : addr ? dec_read(d, addr, tmp, want) : -EFAULT;
    if (r < 0 || (!addr && !n))
        dec_pointer(d, addr, r);
    else
        b_quoted(d->b, tmp, (size_t)r, (u64)r < n);
}

/* A NUL-terminated string at addr, quoted, inside a structure. */
static void dec_cstr(struct dec *d, u64 addr, size_t max)
{
    char tmp[DEC_PATH + 1];
    bool cut = false;
    s64 r = !addr ? -EFAULT : *d->dead ? -ETIMEDOUT
          : mem_str(d->t, addr, tmp, MIN(max, (size_t)DEC_PATH), &cut);
    if (r == -ETIMEDOUT)
        *d->dead = true;
    if (r < 0)
        dec_pointer(d, addr, r);
    else
        b_quoted(d->b, tmp, (size_t)r, cut);
}

/* A whole argument of raw bytes: what sinks escape in their own way. */
static void dec_raw(struct dec *d, u64 addr, u64 n, u64 max)
{
    u32 want = !addr ? 0 : b_room(d->b, MIN(n, max));
    s64 r = want ? dec_read(d, addr, d->b->p + d->b->len, want) : 0;
    if (!addr || r < 0) {
        dec_pointer(d, addr, r);
        return;
    }
    d->form = ARG_STR;
    d->b->len += (u32)r;
    d->cut = (u64)r < n;
}

static void dec_rawstr(struct dec *d, u64 addr, u32 max)
{
    u32 room = addr ? b_room(d->b, (size_t)max + 1) : 0;
    s64 r = !addr ? 0 : *d->dead ? -ETIMEDOUT : room < 2 ? -EFAULT
          : mem_str(d->t, addr, d->b->p + d->b->len, room - 1, &d->cut);
    if (r == -ETIMEDOUT)
        *d->dead = true;
    if (!addr || r < 0) {
        dec_pointer(d, addr, r);
        return;
    }
    d->form = ARG_STR;
    d->b->len += (u32)r;
}

/* ---- structures and arrays ---- */

/* What a member of a structure is. */
enum dec_type {
    DV_SINT, DV_UINT, DV_XINT, DV_PTR, DV_MODE, DV_DEV, DV_SIG, DV_TS, DV_TV, DV_FD,
    DV_FLAGS, DV_VALUE, DV_CHARS, DV_CSTR, DV_LIMIT, DV_STAMP, DV_IFNZ = 0x80, DV_MORE = 0x40
};
/* One member: its name, place, size, type and family. DV_IFNZ: shown only when it isn't 0; DV_MORE:
 * only with -vv, else `...` stands for it. */
struct dec_member {
    const char *name;
    u16 off;
    u8 size, type;
    u16 fam;
};

static void dec_time(struct buf *b, const u8 *p, const char *unit)
{
    b_s(b, "{tv_sec="), b_s64(b, dec_lds(p, 8));
    b_f(b, ", tv_%s=", unit), b_s64(b, dec_lds(p + 8, 8)), b_c(b, '}');
}

/* strace's way with limits: 8192*1024. */
static void dec_limit(struct buf *b, u64 v)
{
    if (v == ~0ull)
        b_s(b, "RLIM64_INFINITY");
    else if (v > 1024 && v % 1024 == 0)
        b_u64(b, v / 1024), b_s(b, "*1024");
    else
        b_u64(b, v);
}

static void dec_value(struct dec *d, const u8 *p, const struct dec_member *m)
{
    struct buf *b = d->b;
    u64 v = dec_ld(p, m->size);
    switch (m->type & 0x3f) {
    case DV_SINT: b_s64(b, dec_lds(p, m->size)); break;
    case DV_UINT: b_u64(b, v); break;
    case DV_XINT: v ? b_hex(b, v) : b_c(b, '0'); break;
    case DV_PTR: dec_pointer(d, v, 0); break;
    case DV_MODE: dec_mode(b, v); break;
    case DV_DEV: dec_dev(b, v); break;
    case DV_SIG: dec_signal(b, (s64)v); break;
    case DV_TS: dec_time(b, p, "nsec"); break;
    case DV_TV: dec_time(b, p, "usec"); break;
    case DV_FD: (s32)v < 0 ? b_s64(b, (s32)v) : fd_label(b, d->t, (int)v); break;
    case DV_FLAGS: dec_bits(b, v, m->fam); break;
    case DV_VALUE: dec_enum(b, v, m->fam); break;
    case DV_CHARS: b_quoted(b, p, strnlen((const char *)p, m->size), false); break;
    case DV_CSTR: dec_cstr(d, v, dec_max(DEC_PATH)); break;
    case DV_LIMIT: dec_limit(b, v); break;
    case DV_STAMP: /* struct statx_timestamp */
        b_s(b, "{tv_sec="), b_s64(b, dec_lds(p, 8));
        b_s(b, ", tv_nsec="), b_u64(b, dec_ld(p + 8, 4)), b_c(b, '}');
        break;
    default: b_u64(b, v);
    }
}

static bool dec_zero(const u8 *p, size_t n)
{
    while (n && !*p)
        p++, n--;
    return !n;
}

/* {name=value, ...}: the members that lie within the `have` bytes at p. */
static void dec_members(struct dec *d, const u8 *p, size_t have, const struct dec_member *m,
                        size_t n)
{
    u32 from = d->b->len + 1;
    bool more = false;
    b_c(d->b, '{');
    for (size_t k = 0; k < n; k++) {
        if ((size_t)m[k].off + m[k].size > have
            || (m[k].type & DV_IFNZ && dec_zero(p + m[k].off, m[k].size)))
            continue;
        if (m[k].type & DV_MORE && opt.verbose < 2) {
            more = true;
            continue;
        }
        dec_sep(d->b, from, ", ");
        b_s(d->b, m[k].name), b_c(d->b, '=');
        dec_value(d, p + m[k].off, &m[k]);
    }
    b_s(d->b, !more ? "}" : d->b->len > from ? ", ...}" : "...}");
}

/* A structure of `have` bytes at addr; that may be the tracee's word, so no more than 512 count. */
static void dec_struct(struct dec *d, u64 addr, u64 have, const struct dec_member *m, size_t n)
{
    u8 raw[512];
    have = MIN(have, (u64)sizeof raw);
    if (dec_get(d, addr, raw, (size_t)have))
        dec_members(d, raw, (size_t)have, m, n);
}
#define DEC_STRUCT(d, addr, have, table) dec_struct(d, addr, have, table, ARRAY_LEN(table))

/* [elem, elem, ...] of at most 64 bytes each, in the tracee; at most -s of them. */
static void dec_array(struct dec *d, u64 addr, u64 n, size_t size,
                      void (*elem)(struct dec *, const u8 *))
{
    u8 raw[64];
    for (u64 k = 0; k < n && !d->b->cut; k++) {
        u64 at = addr + k * size;
        s64 r = !addr ? -EFAULT : k < opt.strlen_max ? dec_read(d, at, raw, size) : 0;
        if (!k && r != (s64)size && opt.strlen_max) {
            dec_pointer(d, addr, r);
            return;
        }
        b_s(d->b, k ? ", " : "[");
        if (r != (s64)size) {
            b_s(d->b, "...");
            if (k < opt.strlen_max)
                b_s(d->b, " /* "), dec_pointer(d, at, r), b_s(d->b, " */");
            b_c(d->b, ']');
            return;
        }
        elem(d, raw);
    }
    b_s(d->b, n ? "]" : addr ? "[]" : "NULL");
}

/* ---- numbers ---- */

static void dec_k_int(struct dec *d, u64 v)
{
    b_s64(d->b, (s32)v);
}

/* A pid of another namespace, with what it is to kvis. */
static void dec_pid_note(struct buf *b, s64 n, pid_t ours)
{
    if (ours && ours != n)
        b_f(b, " /* %d in kvis's PID NS */", ours);
}

static void dec_k_pid(struct dec *d, u64 v)
{
    b_s64(d->b, (s32)v);
    if (d->c->id != SC_waitid) /* there it can be a descriptor */
        dec_pid_note(d->b, (s32)v, ps_from_ns(d->t, (s32)v));
}

static void dec_k_uint(struct dec *d, u64 v)
{
    b_u64(d->b, (u32)v);
}

static void dec_k_long(struct dec *d, u64 v)
{
    b_s64(d->b, dec_long(d) == 4 ? (s32)v : (s64)v);
}

static void dec_k_ulong(struct dec *d, u64 v)
{
    b_u64(d->b, dec_long(d) == 4 ? (u32)v : v);
}

static void dec_k_hex(struct dec *d, u64 v)
{
    v = dec_long(d) == 4 ? (u32)v : v;
    v ? b_hex(d->b, v) : b_c(d->b, '0');
}

static void dec_k_addr(struct dec *d, u64 v)
{
    dec_pointer(d, dec_long(d) == 4 ? (u32)v : v, 0);
}

static void dec_k_mode(struct dec *d, u64 v)
{
    dec_mode(d->b, v & 0xffff);
}

static void dec_k_dev(struct dec *d, u64 v)
{
    dec_dev(d->b, (u32)v);
}

static void dec_k_id(struct dec *d, u64 v)
{
    dec_id(d->b, v);
}

static void dec_k_sig(struct dec *d, u64 v)
{
    dec_signal(d->b, (s32)v);
}

static void dec_k_fd(struct dec *d, u64 v)
{
    const struct flag *special = (s32)v <= -10000 ? dec_flag((u32)v, FAM_pidfdspecial) : NULL;
    if (special)
        dec_flag_name(d->b, special);
    else if ((s32)v < 0)
        b_s64(d->b, (s32)v);
    else
        fd_label(d->b, d->t, (int)v);
}

static void dec_k_dirfd(struct dec *d, u64 v)
{
    if ((s32)v == -100)
        b_s(d->b, "AT_FDCWD");
    else
        dec_k_fd(d, v);
}

/* CPU clocks carry a pid or a file descriptor (include/linux/posix-timers.h): ~pid << 3 | 4 for a
 * thread's | which clock; 3 in the low bits: a descriptor of a clock device. */
static void dec_clock(struct buf *b, u64 v)
{
    s32 id = (s32)v;
    if (id >= 0)
        dec_enum(b, (u32)v, FAM_clock);
    else if ((id & 7) == 3)
        b_f(b, "FD_TO_CLOCKID(%d)", ~(id >> 3));
    else
        b_f(b, "MAKE_%s_CPUCLOCK(%d, %d)", id & 4 ? "THREAD" : "PROCESS", ~(id >> 3), id & 3);
}

/* The names of a socket option depend on the level before it (include/linux/socket.h). */
static unsigned dec_optfam(u32 level)
{
    static const struct {
        u16 level, fam;
    } map[] = {
        { 0, FAM_soip }, { 1, FAM_so }, { 6, FAM_sotcp }, { 17, FAM_soudp }, { 41, FAM_soip6 },
        { 58, FAM_soicmp6 }, { 136, FAM_soudp }, { 255, FAM_soraw }, { 263, FAM_sopacket },
        { 270, FAM_sonetlink }, { 279, FAM_soalg }, { 282, FAM_sotls }, { 283, FAM_soxdp },
        { 284, FAM_somptcp }, { 40, FAM_sovsock }, { 287, FAM_sovsock },
    };
    for (unsigned k = 0; k < ARRAY_LEN(map); k++)
        if (map[k].level == level)
            return map[k].fam;
    return DEC_NOFAM;
}

/* e:NAME. A few families need more than the table. */
static void dec_k_enum(struct dec *d, u64 v, unsigned fam)
{
    unsigned optfam = fam == FAM_so && d->i ? dec_optfam((u32)d->c->arg[d->i - 1]) : fam;
    if (fam == FAM_clock) {
        dec_clock(d->b, v);
    } else if (fam == FAM_quotactl) {
        b_s(d->b, "QCMD("), dec_enum(d->b, (u32)v >> 8 & 0xffffff, fam);
        b_s(d->b, ", "), dec_enum(d->b, v & 0xff, FAM_quotatype), b_c(d->b, ')');
    } else if (fam == FAM_semctl || fam == FAM_shmctl || fam == FAM_msgctl) {
        bool ipc64 = v & 0x100; /* IPC_64: the newer structures, i386 only */
        b_s(d->b, ipc64 ? "IPC_64|" : ""), dec_enum(d->b, (u32)v & ~0x100u, fam);
    } else {
        dec_enum(d->b, (u32)v, optfam);
    }
}

/* f:NAME. The kernel takes most flags as an int; only what is 64 bits wide there keeps its top. */
static void dec_k_bits(struct dec *d, u64 v, unsigned fam)
{
    if (dec_long(d) == 4)
        v = (u32)v;
    dec_bits(d->b, v, fam);
}

/* ---- strings ---- */

static void dec_k_path(struct dec *d, u64 v)
{
    dec_rawstr(d, v, DEC_PATH);
}

static void dec_k_str(struct dec *d, u64 v)
{
    dec_rawstr(d, v, opt.strlen_max);
}

static void dec_k_wbuf(struct dec *d, u64 v)
{
    dec_raw(d, v, dec_word(d) == 4 ? (u32)dec_next(d) : dec_next(d), opt.strlen_max);
}

static void dec_k_rbuf(struct dec *d, u64 v)
{
    u64 size = dec_word(d) == 4 ? (u32)dec_next(d) : dec_next(d), n = (u64)d->c->ret;
    if (n && !size)
        dec_pointer(d, v, 0); /* asked only how much there is (getxattr) */
    else
        dec_raw(d, v, MIN(n, size), opt.strlen_max);
}

/* A name: never cut; getcwd counts its NUL, readlink has none. */
static void dec_k_linkbuf(struct dec *d, u64 v)
{
    dec_raw(d, v, MIN((u64)d->c->ret, dec_next(d)), DEC_PATH);
    if (d->form == ARG_STR && d->b->len && d->c->ret > 0 && !d->b->p[d->b->len - 1])
        d->b->len--;
}

/* Reads up to `max` pointers of an array that ends in NULL; returns how many before it. */
static u32 dec_strings(struct dec *d, u64 addr, bool print, u32 max)
{
    u8 raw[64 * 8];
    unsigned w = dec_word(d);
    u32 n = 0;
    for (;;) {
        s64 r = dec_read(d, addr + (u64)n * w, raw, 64 * w);
        if (r < (s64)w)
            return n;
        for (s64 k = 0; k + (s64)w <= r; k += (s64)w, n++) {
            u64 s = dec_ld(raw + k, w);
            if (!s || n >= max || d->b->cut)
                return s ? n + 1 : n;
            if (print) {
                b_s(d->b, n ? ", " : "");
                dec_cstr(d, s, dec_max(DEC_PATH));
            }
        }
    }
}

static void dec_k_strv(struct dec *d, u64 v)
{
    u8 probe[8];
    if (!dec_get(d, v, probe, dec_word(d)))
        return;
    b_c(d->b, '[');
    u32 max = dec_max(DEC_CHUNK), n = dec_strings(d, v, true, max);
    b_s(d->b, n <= max ? "]" : max ? ", ...]" : "...]");
}

static void dec_k_envp(struct dec *d, u64 v)
{
    u8 probe[8];
    if (!dec_get(d, v, probe, dec_word(d)))
        return;
    u32 max = 65536, n = dec_strings(d, v, false, max);
    b_hex(d->b, v);
    b_f(d->b, " /* %s%u var%s */", n > max ? "over " : "", MIN(n, max), n == 1 ? "" : "s");
}

/* ---- times ---- */

enum { DEC_UTIME_NOW = 0x3fffffff, DEC_UTIME_OMIT = 0x3ffffffe }; /* linux/stat.h */

/* A pair of seconds and a fraction, each `size` bytes: timespec and timeval of any ABI. */
static void dec_pair(struct dec *d, const u8 *p, size_t size, const char *unit)
{
    u64 frac = dec_ld(p + size, size);
    if (size == 8 && unit[0] == 'n' && (u32)frac == DEC_UTIME_OMIT) {
        b_s(d->b, "UTIME_OMIT");
    } else if (unit[0] == 'n' && (u32)frac == DEC_UTIME_NOW) {
        b_s(d->b, "UTIME_NOW");
    } else {
        b_s(d->b, "{tv_sec="), b_s64(d->b, dec_lds(p, size));
        b_f(d->b, ", tv_%s=", unit), b_s64(d->b, dec_lds(p + size, size)), b_c(d->b, '}');
    }
}

static void dec_pairs(struct dec *d, u64 v, size_t size, const char *unit, const char *form)
{
    u8 raw[32];
    bool two = strchr(form, '2') != NULL;
    if (!dec_get(d, v, raw, size * (two ? 4 : 2)))
        return;
    for (; *form; form++)
        if (*form == '1' || *form == '2')
            dec_pair(d, raw + (*form == '2' ? size * 2 : 0), size, unit);
        else if (*form == 'i')
            b_s(d->b, "it_interval=");
        else if (*form == 'v')
            b_s(d->b, "it_value=");
        else if (*form == ',')
            b_s(d->b, ", ");
        else
            b_c(d->b, *form);
}

/* nanosleep writes what was left only when a signal ended it. */
static void dec_remaining(struct dec *d, u64 v, size_t size)
{
    unsigned base = d->c->id;
    bool sleep = base == SC_nanosleep || base == SC_clock_nanosleep
        || base == SC_clock_nanosleep_time64;
    if (sleep && !d->c->err)
        dec_pointer(d, v, 0);
    else
        dec_pairs(d, v, size, "nsec", "1");
}

/* The futex operations that do not wait have a number, or nothing, in the timeout's place. */
static bool dec_waits(const struct dec *d)
{
    unsigned base = d->c->id, op = (unsigned)d->c->arg[1] & 0x7f;
    return (base != SC_futex && base != SC_futex_time64)
        || !(op == 1 || (op >= 3 && op <= 5) || op == 7 || op == 10 || op == 12);
}

static void dec_k_ts(struct dec *d, u64 v)
{
    if (dec_waits(d))
        dec_pairs(d, v, dec_long(d), "nsec", "1");
    else
        b_u64(d->b, (u32)v);
}

static void dec_k_ts64(struct dec *d, u64 v)
{
    if (dec_waits(d))
        dec_pairs(d, v, 8, "nsec", "1");
    else
        b_u64(d->b, (u32)v);
}

static void dec_k_tsout(struct dec *d, u64 v)
{
    dec_remaining(d, v, dec_long(d));
}

static void dec_k_ts64out(struct dec *d, u64 v)
{
    dec_remaining(d, v, 8);
}

static void dec_k_ts2(struct dec *d, u64 v)
{
    dec_pairs(d, v, dec_long(d), "nsec", "[1,2]");
}

static void dec_k_ts264(struct dec *d, u64 v)
{
    dec_pairs(d, v, 8, "nsec", "[1,2]");
}

static void dec_k_tv(struct dec *d, u64 v)
{
    dec_pairs(d, v, dec_long(d), "usec", "1");
}

static void dec_k_tv2(struct dec *d, u64 v)
{
    dec_pairs(d, v, dec_long(d), "usec", "[1,2]");
}

static void dec_k_itimerval(struct dec *d, u64 v)
{
    dec_pairs(d, v, dec_long(d), "usec", "{i1,v2}");
}

static void dec_k_itimerspec(struct dec *d, u64 v)
{
    dec_pairs(d, v, dec_long(d), "nsec", "{i1,v2}");
}

static void dec_k_itimerspec64(struct dec *d, u64 v)
{
    dec_pairs(d, v, 8, "nsec", "{i1,v2}");
}

static void dec_k_tz(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        { "tz_minuteswest", 0, 4, DV_SINT, 0 },
        { "tz_dsttime", 4, 4, DV_SINT, 0 },
    };
    DEC_STRUCT(d, v, 8, tab);
}

static void dec_k_timex(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct __kernel_timex, linux/timex.h */
        { "modes", 0, 4, DV_FLAGS, FAM_adjmode },
        { "offset", 8, 8, DV_SINT, 0 },
        { "freq", 16, 8, DV_SINT, 0 },
        { "maxerror", 24, 8, DV_SINT, 0 },
        { "esterror", 32, 8, DV_SINT, 0 },
        { "status", 40, 4, DV_FLAGS, FAM_timexstatus },
        { "constant", 48, 8, DV_SINT, 0 },
        { "precision", 56, 8, DV_SINT, 0 },
        { "tolerance", 64, 8, DV_SINT, 0 },
        { "time", 72, 16, DV_TV, 0 },
        { "tick", 88, 8, DV_SINT, 0 },
        { "ppsfreq", 96, 8, DV_SINT | DV_MORE, 0 },
        { "jitter", 104, 8, DV_SINT | DV_MORE, 0 },
        { "shift", 112, 4, DV_SINT | DV_MORE, 0 },
        { "stabil", 120, 8, DV_SINT | DV_MORE, 0 },
        { "jitcnt", 128, 8, DV_SINT | DV_MORE, 0 },
        { "calcnt", 136, 8, DV_SINT | DV_MORE, 0 },
        { "errcnt", 144, 8, DV_SINT | DV_MORE, 0 },
        { "stbcnt", 152, 8, DV_SINT | DV_MORE, 0 },
        { "tai", 160, 4, DV_SINT, 0 },
    };
    DEC_STRUCT(d, v, 208, tab);
}

static void dec_k_tms(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        { "tms_utime", 0, 8, DV_SINT, 0 },
        { "tms_stime", 8, 8, DV_SINT, 0 },
        { "tms_cutime", 16, 8, DV_SINT, 0 },
        { "tms_cstime", 24, 8, DV_SINT, 0 },
    };
    if (dec_long(d) == 8)
        DEC_STRUCT(d, v, 32, tab);
    else
        dec_pointer(d, v, 0);
}

/* ---- files ---- */

#define DEC_M(type, member, how, fam) \
    { #member, offsetof(struct type, member), sizeof(((struct type *)0)->member), how, fam }

/* musl's struct stat and statfs are the kernel's, on both CPUs. */
static void dec_k_stat(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        DEC_M(stat, st_dev, DV_DEV | DV_MORE, 0),
        DEC_M(stat, st_ino, DV_UINT | DV_MORE, 0),
        DEC_M(stat, st_mode, DV_MODE, 0),
        DEC_M(stat, st_nlink, DV_UINT | DV_MORE, 0),
        DEC_M(stat, st_uid, DV_UINT | DV_MORE, 0),
        DEC_M(stat, st_gid, DV_UINT | DV_MORE, 0),
        DEC_M(stat, st_rdev, DV_DEV | DV_IFNZ, 0),
        DEC_M(stat, st_size, DV_SINT, 0),
        DEC_M(stat, st_blksize, DV_SINT | DV_MORE, 0),
        DEC_M(stat, st_blocks, DV_SINT | DV_MORE, 0),
        DEC_M(stat, st_atim, DV_TS | DV_MORE, 0),
        DEC_M(stat, st_mtim, DV_TS | DV_MORE, 0),
        DEC_M(stat, st_ctim, DV_TS | DV_MORE, 0),
    };
    DEC_STRUCT(d, v, offsetof(struct stat, st_ctim) + 16, tab);
}

static void dec_k_statx(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct statx, linux/stat.h */
        { "stx_mask", 0, 4, DV_FLAGS, FAM_statxmask },
        { "stx_blksize", 4, 4, DV_UINT | DV_MORE, 0 },
        { "stx_attributes", 8, 8, DV_FLAGS, FAM_statxattr },
        { "stx_nlink", 16, 4, DV_UINT | DV_MORE, 0 },
        { "stx_uid", 20, 4, DV_UINT | DV_MORE, 0 },
        { "stx_gid", 24, 4, DV_UINT | DV_MORE, 0 },
        { "stx_mode", 28, 2, DV_MODE, 0 },
        { "stx_ino", 32, 8, DV_UINT | DV_MORE, 0 },
        { "stx_size", 40, 8, DV_UINT, 0 },
        { "stx_blocks", 48, 8, DV_UINT | DV_MORE, 0 },
        { "stx_attributes_mask", 56, 8, DV_FLAGS | DV_MORE, FAM_statxattr },
        { "stx_atime", 64, 12, DV_STAMP | DV_MORE, 0 },
        { "stx_btime", 80, 12, DV_STAMP | DV_MORE, 0 },
        { "stx_ctime", 96, 12, DV_STAMP | DV_MORE, 0 },
        { "stx_mtime", 112, 12, DV_STAMP | DV_MORE, 0 },
        { "stx_rdev_major", 128, 4, DV_UINT | DV_MORE, 0 },
        { "stx_rdev_minor", 132, 4, DV_UINT | DV_MORE, 0 },
        { "stx_dev_major", 136, 4, DV_UINT | DV_MORE, 0 },
        { "stx_dev_minor", 140, 4, DV_UINT | DV_MORE, 0 },
        { "stx_mnt_id", 144, 8, DV_UINT | DV_MORE, 0 },
        { "stx_dio_mem_align", 152, 4, DV_UINT | DV_MORE, 0 },
        { "stx_dio_offset_align", 156, 4, DV_UINT | DV_MORE, 0 },
        { "stx_subvol", 160, 8, DV_UINT | DV_MORE, 0 },
    };
    DEC_STRUCT(d, v, 256, tab);
}

static void dec_k_statfs(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        DEC_M(statfs, f_type, DV_VALUE, FAM_fsmagic),
        DEC_M(statfs, f_bsize, DV_UINT, 0),
        DEC_M(statfs, f_blocks, DV_UINT, 0),
        DEC_M(statfs, f_bfree, DV_UINT, 0),
        DEC_M(statfs, f_bavail, DV_UINT, 0),
        DEC_M(statfs, f_files, DV_UINT, 0),
        DEC_M(statfs, f_ffree, DV_UINT, 0),
        DEC_M(statfs, f_fsid, DV_XINT, 0),
        DEC_M(statfs, f_namelen, DV_UINT, 0),
        DEC_M(statfs, f_frsize, DV_UINT, 0),
        DEC_M(statfs, f_flags, DV_FLAGS, FAM_stflags),
    };
    DEC_STRUCT(d, v, offsetof(struct statfs, f_flags) + 8, tab);
}

/* struct linux_dirent64[]: ret bytes of them. */
static void dec_k_dents(struct dec *d, u64 v)
{
    u8 raw[DEC_CHUNK];
    u64 ret = (u64)d->c->ret;
    s64 have = ret ? dec_read(d, v, raw, (size_t)MIN(ret, (u64)sizeof raw)) : 0, at = 0;
    if (have < 0) {
        dec_pointer(d, v, have);
        return;
    }
    b_c(d->b, '[');
    for (u32 n = 0; at + 19 < have && n < opt.strlen_max; n++) {
        const u8 *p = raw + at;
        u64 len = dec_ld(p + 16, 2);
        if (len < 20 || at + (s64)len > have)
            break;
        b_s(d->b, n ? ", {d_ino=" : "{d_ino="), b_u64(d->b, dec_ld(p, 8));
        b_s(d->b, ", d_type="), dec_name(d->b, p[18], FAM_dtype);
        b_s(d->b, ", d_name=");
        b_quoted(d->b, p + 19, strnlen((const char *)p + 19, len - 19), false);
        b_c(d->b, '}');
        at += (s64)len;
    }
    b_s(d->b, (u64)at >= ret ? "]" : at ? ", ...]" : "...]");
}

static void dec_k_openhow(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        { "flags", 0, 8, DV_FLAGS, FAM_open },
        { "mode", 8, 8, DV_MODE, 0 },
        { "resolve", 16, 8, DV_FLAGS, FAM_openresolve },
    };
    DEC_STRUCT(d, v, dec_next(d), tab);
}

static void dec_k_mountattr(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct mount_attr, linux/mount.h */
        { "attr_set", 0, 8, DV_FLAGS, FAM_mountattr },
        { "attr_clr", 8, 8, DV_FLAGS, FAM_mountattr },
        { "propagation", 16, 8, DV_FLAGS, FAM_mount },
        { "userns_fd", 24, 8, DV_UINT, 0 },
    };
    DEC_STRUCT(d, v, dec_next(d), tab);
}

static void dec_k_rulesetattr(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct landlock_ruleset_attr */
        { "handled_access_fs", 0, 8, DV_FLAGS, FAM_landlockfs },
        { "handled_access_net", 8, 8, DV_FLAGS, FAM_landlocknet },
        { "scoped", 16, 8, DV_FLAGS, FAM_landlockscope },
    };
    DEC_STRUCT(d, v, dec_next(d), tab);
}

/* ---- small integers behind pointers ---- */

/* Which of c->outlen an argument uses: the first or the second that points to a number. */
static unsigned dec_slot(const struct dec *d)
{
    unsigned n = 0;
    for (int i = 0; i < d->i; i++) {
        unsigned kind = sc_rows[d->c->row].arg[i];
        n += kind == K_INTP || kind == K_OFFP || kind == K_SIZEP;
    }
    return MIN(n, 1u);
}

/* A number that the call reads and writes: [128] at entry, [128 => 16] at exit if it changed. */
static void dec_inout(struct dec *d, u64 v, size_t size)
{
    u8 raw[8];
    u64 *old = &d->outlen[dec_slot(d)];
    if (!dec_get(d, v, raw, size))
        return;
    s64 now = dec_lds(raw, size);
    if (!d->exit) {
        *old = (u64)now;
        d->form = ARG_NONE;
        return;
    }
    b_c(d->b, '[');
    if ((s64)*old != now)
        b_s64(d->b, (s64)*old), b_s(d->b, " => ");
    b_s64(d->b, now), b_c(d->b, ']');
}

static void dec_k_intp(struct dec *d, u64 v)
{
    dec_inout(d, v, 4);
}

static void dec_k_offp(struct dec *d, u64 v)
{
    dec_inout(d, v, 8);
}

static void dec_k_sizep(struct dec *d, u64 v)
{
    dec_inout(d, v, dec_word(d));
}

static void dec_k_intpout(struct dec *d, u64 v)
{
    u8 raw[4];
    if (dec_get(d, v, raw, 4))
        b_c(d->b, '['), b_s64(d->b, dec_lds(raw, 4)), b_c(d->b, ']');
}

static void dec_k_uintpout(struct dec *d, u64 v)
{
    u8 raw[4];
    if (dec_get(d, v, raw, 4))
        b_c(d->b, '['), b_u64(d->b, dec_ld(raw, 4)), b_c(d->b, ']');
}

static void dec_k_u64p(struct dec *d, u64 v)
{
    u8 raw[8];
    if (dec_get(d, v, raw, 8))
        b_c(d->b, '['), b_u64(d->b, dec_ld(raw, 8)), b_c(d->b, ']');
}

static void dec_k_int2fd(struct dec *d, u64 v)
{
    s32 pair[2];
    if (!dec_get(d, v, pair, sizeof pair))
        return;
    b_c(d->b, '['), fd_label(d->b, d->t, pair[0]);
    b_s(d->b, ", "), fd_label(d->b, d->t, pair[1]), b_c(d->b, ']');
}

/* ---- processes, signals, limits ---- */

static void dec_status(struct buf *b, u32 s)
{
    b_c(b, '{');
    if ((s & 0xffff) == 0xffff) {
        b_s(b, "WIFCONTINUED(s)");
    } else if ((s & 0xff) == 0x7f) {
        b_s(b, "WIFSTOPPED(s) && WSTOPSIG(s) == "), dec_signal(b, s >> 8 & 0x7f);
        b_s(b, s >> 8 & 0x80 ? " | 0x80" : "");
    } else if (s & 0x7f) {
        b_s(b, "WIFSIGNALED(s) && WTERMSIG(s) == "), dec_signal(b, s & 0x7f);
        b_s(b, s & 0x80 ? " && WCOREDUMP(s)" : "");
    } else {
        b_s(b, "WIFEXITED(s) && WEXITSTATUS(s) == "), b_u64(b, s >> 8 & 0xff);
    }
    b_c(b, '}');
    if (s >> 16 && (s & 0xffff) != 0xffff)
        b_s(b, " | "), b_u64(b, s >> 16), b_s(b, " << 16"); /* PTRACE_EVENT_* */
}

static void dec_k_wstatus(struct dec *d, u64 v)
{
    u8 raw[4];
    if (!d->c->ret) /* WNOHANG and nobody: not written */
        dec_pointer(d, v, 0);
    else if (dec_get(d, v, raw, 4))
        b_c(d->b, '['), dec_status(d->b, (u32)dec_ld(raw, 4)), b_c(d->b, ']');
}

static void dec_k_rusage(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        DEC_M(rusage, ru_utime, DV_TV, 0),
        DEC_M(rusage, ru_stime, DV_TV, 0),
        DEC_M(rusage, ru_maxrss, DV_SINT | DV_MORE, 0),
        DEC_M(rusage, ru_minflt, DV_SINT | DV_MORE, 0),
        DEC_M(rusage, ru_majflt, DV_SINT | DV_MORE, 0),
        DEC_M(rusage, ru_inblock, DV_SINT | DV_MORE, 0),
        DEC_M(rusage, ru_oublock, DV_SINT | DV_MORE, 0),
        DEC_M(rusage, ru_nvcsw, DV_SINT | DV_MORE, 0),
        DEC_M(rusage, ru_nivcsw, DV_SINT | DV_MORE, 0),
    };
    DEC_STRUCT(d, v, offsetof(struct rusage, ru_nivcsw) + 8, tab);
}

static void dec_k_rlim(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        { "rlim_cur", 0, 8, DV_LIMIT, 0 },
        { "rlim_max", 8, 8, DV_LIMIT, 0 },
    };
    DEC_STRUCT(d, v, 16, tab);
}

static void dec_k_cloneargs(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct clone_args, linux/sched.h */
        { "flags", 0, 8, DV_FLAGS, FAM_clone3 },
        { "pidfd", 8, 8, DV_PTR | DV_IFNZ, 0 },
        { "child_tid", 16, 8, DV_PTR | DV_IFNZ, 0 },
        { "parent_tid", 24, 8, DV_PTR | DV_IFNZ, 0 },
        { "exit_signal", 32, 8, DV_SIG, 0 },
        { "stack", 40, 8, DV_PTR, 0 },
        { "stack_size", 48, 8, DV_XINT, 0 },
        { "tls", 56, 8, DV_PTR | DV_IFNZ, 0 },
        { "set_tid", 64, 8, DV_PTR | DV_IFNZ, 0 },
        { "set_tid_size", 72, 8, DV_UINT | DV_IFNZ, 0 },
        { "cgroup", 80, 8, DV_UINT | DV_IFNZ, 0 },
    };
    DEC_STRUCT(d, v, dec_next(d), tab);
}

static void dec_k_schedparam(struct dec *d, u64 v)
{
    dec_k_intpout(d, v);
}

static void dec_k_schedattr(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct sched_attr, linux/sched/types.h */
        { "size", 0, 4, DV_UINT, 0 },
        { "sched_policy", 4, 4, DV_VALUE, FAM_schedpolicy },
        { "sched_flags", 8, 8, DV_FLAGS, FAM_schedflags },
        { "sched_nice", 16, 4, DV_SINT, 0 },
        { "sched_priority", 20, 4, DV_UINT, 0 },
        { "sched_runtime", 24, 8, DV_UINT, 0 },
        { "sched_deadline", 32, 8, DV_UINT, 0 },
        { "sched_period", 40, 8, DV_UINT, 0 },
        { "sched_util_min", 48, 4, DV_UINT, 0 },
        { "sched_util_max", 52, 4, DV_UINT, 0 },
    };
    u8 raw[4];
    if (dec_get(d, v, raw, 4)) /* size 0 means 48, SCHED_ATTR_SIZE_VER0 */
        DEC_STRUCT(d, v, dec_ld(raw, 4) ? dec_ld(raw, 4) : 48, tab);
}

/* unsigned long[]: bits in the tracee's memory as the numbers of those that are set. */
static void dec_set(struct dec *d, u64 addr, u64 nbits, bool fds)
{
    u8 raw[DEC_CHUNK / 4];
    nbits = MIN(nbits, 8ull * sizeof raw);
    u32 n = 0;
    unsigned w = dec_long(d) == 8 ? 64 : 32;
    if (!dec_get(d, addr, raw, (size_t)(nbits + w - 1) / w * w / 8))
        return;
    b_c(d->b, '[');
    for (u32 k = 0; k < nbits; k++) {
        if (!(raw[k / 8] >> k % 8 & 1))
            continue;
        b_s(d->b, n ? " " : "");
        if (n++ == opt.strlen_max) {
            b_s(d->b, "...");
            break;
        }
        fds ? fd_label(d->b, d->t, (int)k) : b_u64(d->b, k);
    }
    b_c(d->b, ']');
}

/* sched_setaffinity's: its size stands before it; getaffinity's result is how much was written. */
static void dec_k_cpuset(struct dec *d, u64 v)
{
    u64 bytes = d->exit ? (u64)d->c->ret : d->c->arg[d->i ? d->i - 1 : 0];
    dec_set(d, v, MIN((u64)(u32)bytes, (u64)DEC_CHUNK) * 8 & ~63ull, false);
}

static void dec_gid(struct dec *d, const u8 *p)
{
    dec_id(d->b, dec_ld(p, 4));
}

static void dec_gid16(struct dec *d, const u8 *p)
{
    dec_id(d->b, dec_ld(p, 2));
}

static void dec_k_gids(struct dec *d, u64 v)
{
    bool old = dec_long(d) == 4 && (d->c->id == SC_getgroups || d->c->id == SC_setgroups);
    s64 n = d->exit ? d->c->ret : (s32)d->c->arg[0];
    if (n < 0 || (d->exit && !(u32)d->c->arg[0]))
        dec_pointer(d, v, 0);
    else
        dec_array(d, v, (u64)n, old ? 2 : 4, old ? dec_gid16 : dec_gid);
}

static void dec_k_caphdr(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        { "version", 0, 4, DV_VALUE, FAM_capversion },
        { "pid", 4, 4, DV_SINT, 0 },
    };
    DEC_STRUCT(d, v, 8, tab);
}

/* 1<<CAP_CHOWN|1<<CAP_KILL; a set that has nearly all as a number. */
static void dec_caps(struct buf *b, u64 set)
{
    u32 from = b->len;
    if (__builtin_popcountll(set) > 24 || !set) {
        set ? b_hex(b, set) : b_c(b, '0');
        return;
    }
    for (unsigned k = 0; k < 64; k++)
        if (set >> k & 1) {
            const struct flag *f = dec_flag(k, FAM_cap);
            dec_sep(b, from, "|");
            b_s(b, "1<<");
            f ? dec_flag_name(b, f) : b_u64(b, k);
        }
}

static void dec_k_capdata(struct dec *d, u64 v)
{
    u8 hdr[8], raw[24] = { 0 };
    s64 r = dec_read(d, d->c->arg[0], hdr, sizeof hdr);
    bool two = r != 8 || dec_ld(hdr, 4) != 0x19980330; /* _LINUX_CAPABILITY_VERSION_1 has 32 bits */
    static const char *const name[] = { "{effective=", ", permitted=", ", inheritable=" };
    if (!dec_get(d, v, raw, two ? 24 : 12))
        return;
    for (unsigned k = 0; k < 3; k++) {
        b_s(d->b, name[k]);
        dec_caps(d->b, dec_ld(raw + 4 * k, 4) | dec_ld(raw + 12 + 4 * k, 4) << 32);
    }
    b_c(d->b, '}');
}

static void dec_k_utsname(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        DEC_M(utsname, sysname, DV_CHARS, 0),
        DEC_M(utsname, nodename, DV_CHARS, 0),
        DEC_M(utsname, release, DV_CHARS, 0),
        DEC_M(utsname, version, DV_CHARS | DV_MORE, 0),
        DEC_M(utsname, machine, DV_CHARS | DV_MORE, 0),
    };
    DEC_STRUCT(d, v, 6 * 65, tab);
}

static void dec_k_sysinfo(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct sysinfo, linux/sysinfo.h */
        { "uptime", 0, 8, DV_SINT, 0 },
        { "load1", 8, 8, DV_UINT | DV_MORE, 0 },
        { "load5", 16, 8, DV_UINT | DV_MORE, 0 },
        { "load15", 24, 8, DV_UINT | DV_MORE, 0 },
        { "totalram", 32, 8, DV_UINT, 0 },
        { "freeram", 40, 8, DV_UINT, 0 },
        { "sharedram", 48, 8, DV_UINT | DV_MORE, 0 },
        { "bufferram", 56, 8, DV_UINT | DV_MORE, 0 },
        { "totalswap", 64, 8, DV_UINT, 0 },
        { "freeswap", 72, 8, DV_UINT, 0 },
        { "procs", 80, 2, DV_UINT, 0 },
        { "totalhigh", 88, 8, DV_UINT | DV_MORE, 0 },
        { "freehigh", 96, 8, DV_UINT | DV_MORE, 0 },
        { "mem_unit", 104, 4, DV_UINT, 0 },
    };
    DEC_STRUCT(d, v, 108, tab);
}

static void dec_k_sigset(struct dec *d, u64 v)
{
    u8 raw[8];
    if (dec_get(d, v, raw, 8)) /* the kernel takes no other size */
        dec_sigset(d->b, dec_ld(raw, 8));
}

/* pselect6's sixth argument: a pointer to a set, and its size. */
static void dec_k_psigset(struct dec *d, u64 v)
{
    u8 raw[16];
    unsigned w = dec_word(d);
    if (!dec_get(d, v, raw, 2 * w))
        return;
    b_s(d->b, "{sigmask="), dec_k_sigset(d, dec_ld(raw, w));
    b_s(d->b, ", sigsetsize="), b_u64(d->b, dec_ld(raw + w, w)), b_c(d->b, '}');
}

/* The kernel's struct sigaction of a 64-bit ABI: handler, flags, restorer, mask. */
static void dec_k_sigact(struct dec *d, u64 v)
{
    u8 raw[32];
    if (!dec_get(d, v, raw, sizeof raw))
        return;
    u64 handler = dec_ld(raw, 8), flags = dec_ld(raw + 8, 8);
    b_s(d->b, "{sa_handler=");
    if (handler < 2)
        b_s(d->b, handler ? "SIG_IGN" : "SIG_DFL");
    else
        b_hex(d->b, handler);
    b_s(d->b, ", sa_mask="), dec_sigset(d->b, dec_ld(raw + 24, 8));
    b_s(d->b, ", sa_flags="), dec_bits(d->b, flags, FAM_sa_flags);
    if (flags & 0x04000000) /* SA_RESTORER */
        b_s(d->b, ", sa_restorer="), dec_pointer(d, dec_ld(raw + 16, 8), 0);
    b_c(d->b, '}');
}

/* The names of si_code depend on the signal, except for those that any signal can have. */
static void dec_sicode(struct buf *b, int sig, s32 code)
{
    static const u16 fam[32] = {
        [SIGILL] = FAM_si_ill, [SIGTRAP] = FAM_si_trap, [SIGBUS] = FAM_si_bus,
        [SIGFPE] = FAM_si_fpe, [SIGSEGV] = FAM_si_segv, [SIGCHLD] = FAM_si_chld,
        [SIGIO] = FAM_si_poll, [SIGSYS] = FAM_si_sys,
    };
    bool own = code > 0 && code < 0x80 && sig > 0 && sig < 32 && fam[sig];
    dec_enum(b, (u32)code, own ? fam[sig] : FAM_si_code);
}

/* What follows si_signo, si_errno, si_code in a siginfo_t, by what sent it (siginfo.h). */
static void dec_sifields(struct dec *d, const u8 *p, int sig, s32 code)
{
    struct buf *b = d->b;
    bool kernel = code > 0 && code < 0x80;
    bool fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE
        || sig == SIGTRAP;
    if (kernel && fault) {
        b_s(b, ", si_addr="), dec_pointer(d, dec_ld(p + 16, 8), 0);
        return;
    }
    if (kernel && sig == SIGSYS) {
        b_s(b, ", si_call_addr="), dec_pointer(d, dec_ld(p + 16, 8), 0);
        b_s(b, ", si_syscall="), b_s64(b, dec_lds(p + 24, 4));
        b_s(b, ", si_arch="), b_hex(b, dec_ld(p + 28, 4));
        return;
    }
    if (kernel && sig == SIGIO) {
        b_s(b, ", si_band="), b_s64(b, dec_lds(p + 16, 8));
        b_s(b, ", si_fd="), b_s64(b, dec_lds(p + 24, 4));
        return;
    }
    b_s(b, code == -2 ? ", si_timerid=" : ", si_pid="), b_s64(b, dec_lds(p + 16, 4));
    b_s(b, code == -2 ? ", si_overrun=" : ", si_uid="), dec_id(b, dec_ld(p + 20, 4));
    if (sig == SIGCHLD && kernel) {
        s32 status = (s32)dec_ld(p + 24, 4);
        b_s(b, ", si_status=");
        code == 1 ? b_s64(b, status) : dec_signal(b, status);
        b_s(b, ", si_utime="), b_s64(b, dec_lds(p + 32, 8));
        b_s(b, ", si_stime="), b_s64(b, dec_lds(p + 40, 8));
    } else if (code < 0 && code != -6) {
        b_s(b, ", si_value="), b_hex(b, dec_ld(p + 24, 8));
    }
}

static void dec_k_siginfo(struct dec *d, u64 v)
{
    u8 raw[48];
    if (!dec_get(d, v, raw, sizeof raw))
        return;
    int sig = (int)dec_ld(raw, 4);
    s32 code = (s32)dec_ld(raw + 8, 4);
    if (d->c->id == SC_waitid && !sig) { /* WNOHANG and nobody */
        b_s(d->b, "{}");
        return;
    }
    b_s(d->b, "{si_signo="), dec_signal(d->b, sig);
    if (dec_ld(raw + 4, 4))
        b_s(d->b, ", si_errno="), dec_errno(d->b, (int)dec_ld(raw + 4, 4));
    b_s(d->b, ", si_code="), dec_sicode(d->b, sig, code);
    dec_sifields(d, raw, sig, code);
    b_c(d->b, '}');
}

static void dec_k_sigevent(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct sigevent of a 64-bit ABI */
        { "sigev_value", 0, 8, DV_XINT, 0 },
        { "sigev_signo", 8, 4, DV_SIG, 0 },
        { "sigev_notify", 12, 4, DV_VALUE, FAM_sigev },
        { "sigev_notify_thread_id", 16, 4, DV_SINT | DV_IFNZ, 0 },
    };
    u8 raw[20];
    if (!dec_get(d, v, raw, sizeof raw))
        return;
    bool thread = dec_ld(raw + 12, 4) == 4; /* SIGEV_THREAD_ID */
    dec_members(d, raw, sizeof raw, tab, ARRAY_LEN(tab) - !thread);
}

static void dec_k_sigstack(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* stack_t of a 64-bit ABI */
        { "ss_sp", 0, 8, DV_PTR, 0 },
        { "ss_flags", 8, 4, DV_FLAGS, FAM_ss_flags },
        { "ss_size", 16, 8, DV_UINT, 0 },
    };
    DEC_STRUCT(d, v, 24, tab);
}

static void dec_sembuf(struct dec *d, const u8 *p)
{
    static const struct dec_member tab[] = {
        { "sem_num", 0, 2, DV_UINT, 0 },
        { "sem_op", 2, 2, DV_SINT, 0 },
        { "sem_flg", 4, 2, DV_FLAGS, FAM_semop },
    };
    dec_members(d, p, 6, tab, ARRAY_LEN(tab));
}

static void dec_k_sembufs(struct dec *d, u64 v)
{
    dec_array(d, v, dec_next(d), 6, dec_sembuf);
}

/* ---- waiting for descriptors ---- */

/* struct epoll_event: 12 bytes, packed, on x86; 16 on arm. */
static size_t dec_epsize(const struct dec *d)
{
    return d->c->abi == ABI_ARM64 || d->c->abi == ABI_ARM32 ? 16 : 12;
}

static void dec_epoll(struct dec *d, const u8 *p)
{
    u64 data = dec_ld(p + dec_epsize(d) - 8, 8);
    b_s(d->b, "{events="), dec_bits(d->b, dec_ld(p, 4), FAM_epoll);
    b_s(d->b, ", data=");
    if (data >> 32) {
        b_hex(d->b, data);
    } else {
        b_u64(d->b, data);
    }
    b_c(d->b, '}');
}

static void dec_k_epev(struct dec *d, u64 v)
{
    u8 raw[16];
    if (d->c->arg[1] == 2) /* EPOLL_CTL_DEL looks at no event */
        dec_pointer(d, v, 0);
    else if (dec_get(d, v, raw, dec_epsize(d)))
        dec_epoll(d, raw);
}

static void dec_k_epevs(struct dec *d, u64 v)
{
    dec_array(d, v, (u64)d->c->ret, dec_epsize(d), dec_epoll);
}

static void dec_pollfd(struct dec *d, const u8 *p)
{
    s32 n = (s32)dec_ld(p, 4);
    b_s(d->b, "{fd=");
    n < 0 ? b_s64(d->b, n) : fd_label(d->b, d->t, n);
    b_s(d->b, ", events="), dec_bits(d->b, dec_ld(p + 4, 2), FAM_poll);
    b_c(d->b, '}');
}

static void dec_k_pollfds(struct dec *d, u64 v)
{
    dec_array(d, v, (u32)dec_next(d), 8, dec_pollfd);
}

static void dec_k_fdset(struct dec *d, u64 v)
{
    s32 n = (s32)d->c->arg[0];
    dec_set(d, v, n < 0 ? 0 : (u64)n, true);
}

/* ---- sockets ---- */

static void dec_inet(struct dec *d, const u8 *p, size_t n)
{
    char a[INET_ADDRSTRLEN] = "?";
    if (n < 8) {
        b_quoted(d->b, p, n, false);
        return;
    }
    inet_ntop(AF_INET, p + 4, a, sizeof a);
    b_f(d->b, "sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", p[2] << 8 | p[3], a);
}

static void dec_inet6(struct dec *d, const u8 *p, size_t n)
{
    char a[INET6_ADDRSTRLEN] = "?";
    if (n < 24) { /* SIN6_LEN_RFC2133: without the scope */
        b_quoted(d->b, p, n, false);
        return;
    }
    inet_ntop(AF_INET6, p + 8, a, sizeof a);
    b_f(d->b, "sin6_port=htons(%u), sin6_flowinfo=htonl(%u)", p[2] << 8 | p[3],
        ntohl((u32)dec_ld(p + 4, 4)));
    b_f(d->b, ", inet_pton(AF_INET6, \"%s\", &sin6_addr)", a);
    if (n >= 28)
        b_f(d->b, ", sin6_scope_id=%u", (u32)dec_ld(p + 24, 4));
}

/* unix(7): a path with or without a NUL, or a name that begins with one and takes the rest. */
static void dec_unix(struct dec *d, const u8 *p, size_t n)
{
    b_s(d->b, "sun_path=");
    if (!p[2] && n > 3) {
        b_c(d->b, '@');
        b_quoted(d->b, p + 3, n - 3, false);
    } else {
        b_quoted(d->b, p + 2, strnlen((const char *)p + 2, n - 2), false);
    }
}

static void dec_netlink(struct dec *d, const u8 *p, size_t n)
{
    if (n >= 12)
        b_f(d->b, "nl_pid=%u, nl_groups=%08x", (u32)dec_ld(p + 4, 4), (u32)dec_ld(p + 8, 4));
}

static void dec_packet(struct dec *d, const u8 *p, size_t n)
{
    if (n < 12)
        return;
    b_s(d->b, "sll_protocol=htons(");
    dec_enum(d->b, (u64)(p[2] << 8 | p[3]), FAM_ethproto);
    b_f(d->b, "), sll_ifindex=%d, sll_hatype=%u, sll_pkttype=%u, sll_halen=%u",
        (s32)dec_ld(p + 4, 4), (u32)dec_ld(p + 8, 2), p[10], p[11]);
    size_t len = MIN((size_t)p[11], MIN(n - 12, (size_t)8));
    for (size_t k = 0; k < len; k++)
        b_f(d->b, "%s%02x", k ? ":" : ", sll_addr=", p[12 + k]);
}

static void dec_vsock(struct dec *d, const u8 *p, size_t n)
{
    static const char *const well_known[] = { "HYPERVISOR", "LOCAL", "HOST" }; /* VMADDR_CID_* */
    if (n < 12)
        return;
    u32 port = (u32)dec_ld(p + 4, 4), cid = (u32)dec_ld(p + 8, 4);
    b_s(d->b, "svm_cid=");
    if (cid < 3)
        b_s(d->b, "VMADDR_CID_"), b_s(d->b, well_known[cid]);
    else
        cid == (u32)-1 ? b_s(d->b, "VMADDR_CID_ANY") : b_hex(d->b, cid);
    b_s(d->b, ", svm_port=");
    port == (u32)-1 ? b_s(d->b, "VMADDR_PORT_ANY") : b_u64(d->b, port);
}

/* A struct sockaddr of n bytes: {sa_family=AF_INET, ...}. */
static void dec_sockaddr(struct dec *d, const u8 *p, size_t n)
{
    static void (*const form[])(struct dec *, const u8 *, size_t) = {
        [AF_UNIX] = dec_unix, [AF_INET] = dec_inet, [AF_INET6] = dec_inet6,
        [AF_NETLINK] = dec_netlink, [AF_PACKET] = dec_packet, [40] = dec_vsock,
    };
    if (n < 2) {
        b_quoted(d->b, p, n, false);
        return;
    }
    unsigned af = (unsigned)dec_ld(p, 2);
    b_s(d->b, "{sa_family="), dec_enum(d->b, af, FAM_sockaf);
    if (n > 2) {
        b_s(d->b, ", ");
        if (af < ARRAY_LEN(form) && form[af])
            form[af](d, p, n);
        else
            b_s(d->b, "sa_data="), b_quoted(d->b, p + 2, n - 2, false);
    }
    b_c(d->b, '}');
}

/* A sockaddr in the tracee; the kernel takes at most 128 bytes (struct sockaddr_storage). */
static void dec_sockaddr_at(struct dec *d, u64 addr, u64 len)
{
    u8 raw[129] = { 0 };
    s32 n = (s32)len;
    if (n <= 0)
        dec_pointer(d, addr, 0);
    else if (dec_get(d, addr, raw, MIN((size_t)n, (size_t)128)))
        dec_sockaddr(d, raw, MIN((size_t)n, (size_t)128));
}

static void dec_k_sa(struct dec *d, u64 v)
{
    dec_sockaddr_at(d, v, dec_next(d));
}

/* What the kernel wrote: as much as had room. Without the length of entry (attached in the midst of
 * the call) it isn't known what is its. */
static void dec_k_saout(struct dec *d, u64 v)
{
    u8 raw[4];
    u64 room = d->outlen[dec_slot(d)];
    s64 r = v && dec_next(d) ? dec_read(d, dec_next(d), raw, 4) : 0;
    if (r == 4 && (s32)room > 0)
        dec_sockaddr_at(d, v, MIN(room, dec_ld(raw, 4)));
    else
        dec_pointer(d, v, r);
}

static void dec_iovec(struct dec *d, const u8 *p)
{
    unsigned w = dec_word(d);
    u64 base = dec_ld(p, w), len = dec_ld(p + w, w), n = MIN(len, d->left);
    b_s(d->b, "{iov_base=");
    if (!n && len && d->exit)
        b_s(d->b, "\"\""); /* the call moved nothing here */
    else
        dec_bytes(d, base, n);
    b_s(d->b, ", iov_len="), b_u64(d->b, len), b_c(d->b, '}');
    d->left -= n;
}

static void dec_iov(struct dec *d, u64 addr, u64 n, u64 bytes)
{
    d->left = bytes;
    dec_array(d, addr, n, 2 * dec_word(d), dec_iovec);
}

static void dec_k_wiov(struct dec *d, u64 v)
{
    dec_iov(d, v, dec_next(d), ~0ull);
}

static void dec_k_riov(struct dec *d, u64 v)
{
    dec_iov(d, v, dec_next(d), (u64)d->c->ret);
}

/* The data of one control message: descriptors, credentials, or bytes. */
static void dec_cmsgdata(struct dec *d, u32 level, u32 type, const u8 *p, size_t n)
{
    struct buf *b = d->b;
    if (level == SOL_SOCKET && type == SCM_RIGHTS) {
        b_c(b, '[');
        for (size_t k = 0; k + 4 <= n; k += 4) {
            b_s(b, k ? ", " : "");
            fd_label(b, d->t, (int)dec_ld(p + k, 4));
        }
        b_c(b, ']');
    } else if (level == SOL_SOCKET && type == 2 && n >= 12) { /* SCM_CREDENTIALS */
        b_f(b, "{pid=%d, uid=%u, gid=%u}", (s32)dec_ld(p, 4), (u32)dec_ld(p + 4, 4),
            (u32)dec_ld(p + 8, 4));
    } else if (n == 4) {
        b_c(b, '['), b_s64(b, dec_lds(p, 4)), b_c(b, ']');
    } else {
        b_quoted(b, p, MIN(n, (size_t)opt.strlen_max), n > opt.strlen_max);
    }
}

/* msg_control: struct cmsghdr { size_t len; int level, type; } each, aligned to a word. */
static void dec_control(struct dec *d, u64 addr, u64 len)
{
    u8 raw[1024];
    unsigned w = dec_word(d);
    size_t have = (size_t)MIN(len, (u64)sizeof raw), at = 0, head = w + 8;
    if (!len)
        dec_pointer(d, addr, 0);
    if (!len || !dec_get(d, addr, raw, have))
        return;
    b_c(d->b, '[');
    for (u32 n = 0; at + head <= have && n < opt.strlen_max; n++) {
        u64 size = dec_ld(raw + at, w);
        u32 level = (u32)dec_ld(raw + at + w, 4), type = (u32)dec_ld(raw + at + w + 4, 4);
        b_s(d->b, n ? ", {cmsg_len=" : "{cmsg_len="), b_u64(d->b, size);
        b_s(d->b, ", cmsg_level="), dec_enum(d->b, level, FAM_sol);
        b_s(d->b, ", cmsg_type=");
        dec_enum(d->b, type, level == SOL_SOCKET ? FAM_scm : dec_optfam(level));
        if (size > head && size <= have - at) {
            b_s(d->b, ", cmsg_data=");
            dec_cmsgdata(d, level, type, raw + at + head, (size_t)size - head);
        }
        b_c(d->b, '}');
        if (size < head || size > have - at)
            break;
        at += (size_t)(size + w - 1) & ~((size_t)w - 1);
    }
    b_s(d->b, at >= have && have == len ? "]" : at ? ", ...]" : "]");
}

/* A struct msghdr at p; `bytes` is what the call moved (all that is there when it goes out). */
static void dec_msg(struct dec *d, const u8 *p, u64 bytes)
{
    struct buf *b = d->b;
    unsigned w = dec_word(d);
    u32 namelen = (u32)dec_ld(p + w, 4);
    u64 name = dec_ld(p, w), control = dec_ld(p + 4 * w, w), ctllen = dec_ld(p + 5 * w, w);
    b_s(b, "{msg_name=");
    dec_sockaddr_at(d, name, namelen);
    b_s(b, ", msg_namelen=");
    if (d->exit && d->outlen[0] && d->outlen[0] != namelen)
        b_u64(b, d->outlen[0]), b_s(b, " => ");
    b_u64(b, namelen);
    b_s(b, ", msg_iov="), dec_iov(d, dec_ld(p + 2 * w, w), dec_ld(p + 3 * w, w), bytes);
    b_s(b, ", msg_iovlen="), b_u64(b, dec_ld(p + 3 * w, w));
    if (control || ctllen)
        b_s(b, ", msg_control="), dec_control(d, control, ctllen);
    b_s(b, ", msg_controllen="), b_u64(b, ctllen);
    b_s(b, ", msg_flags="), dec_bits(b, dec_ld(p + 6 * w, 4), FAM_msg), b_c(b, '}');
}

static void dec_k_msgin(struct dec *d, u64 v)
{
    u8 raw[56];
    if (dec_get(d, v, raw, 7 * dec_word(d)))
        dec_msg(d, raw, ~0ull);
}

static void dec_k_msgout(struct dec *d, u64 v)
{
    u8 raw[56];
    if (dec_get(d, v, raw, 7 * dec_word(d)))
        dec_msg(d, raw, (u64)d->c->ret);
}

/* struct mmsghdr: a msghdr and how much of it was moved. */
static void dec_mmsg(struct dec *d, const u8 *p)
{
    unsigned w = dec_word(d);
    u32 len = (u32)dec_ld(p + 7 * w, 4);
    b_s(d->b, "{msg_hdr="), dec_msg(d, p, d->exit ? len : ~0ull);
    if (d->exit)
        b_s(d->b, ", msg_len="), b_u64(d->b, len);
    b_c(d->b, '}');
}

static void dec_k_mmsgin(struct dec *d, u64 v)
{
    dec_array(d, v, (u32)dec_next(d), 8 * dec_word(d), dec_mmsg);
}

static void dec_k_mmsgout(struct dec *d, u64 v)
{
    dec_array(d, v, (u64)d->c->ret, 8 * dec_word(d), dec_mmsg);
}

/* socket's third argument, by the family in its first. */
static void dec_k_sockproto(struct dec *d, u64 v)
{
    switch ((u32)d->c->arg[0]) {
    case AF_INET: case AF_INET6: dec_enum(d->b, (u32)v, FAM_ipproto); break;
    case AF_NETLINK: dec_enum(d->b, (u32)v, FAM_nlproto); break;
    case AF_PACKET:
        b_s(d->b, "htons("), dec_enum(d->b, ntohs((u16)v), FAM_ethproto), b_c(d->b, ')');
        break;
    default: b_s64(d->b, (s32)v);
    }
}

/* Socket options that aren't a number: what they hold. */
enum dec_opt { DEC_OPT_INT, DEC_OPT_STR, DEC_OPT_LINGER, DEC_OPT_TIME, DEC_OPT_CRED, DEC_OPT_ERRNO,
               DEC_OPT_TYPE, DEC_OPT_AF, DEC_OPT_MREQ, DEC_OPT_FPROG };
static enum dec_opt dec_optform(u32 level, u32 name)
{
    static const struct {
        u16 level, name;
        u8 form;
    } tab[] = {
        { SOL_SOCKET, 3, DEC_OPT_TYPE },    /* SO_TYPE */
        { SOL_SOCKET, 4, DEC_OPT_ERRNO },   /* SO_ERROR */
        { SOL_SOCKET, 13, DEC_OPT_LINGER }, /* SO_LINGER */
        { SOL_SOCKET, 17, DEC_OPT_CRED },   /* SO_PEERCRED */
        { SOL_SOCKET, 20, DEC_OPT_TIME },   /* SO_RCVTIMEO_OLD */
        { SOL_SOCKET, 21, DEC_OPT_TIME },   /* SO_SNDTIMEO_OLD */
        { SOL_SOCKET, 25, DEC_OPT_STR },    /* SO_BINDTODEVICE */
        { SOL_SOCKET, 26, DEC_OPT_FPROG },  /* SO_ATTACH_FILTER */
        { SOL_SOCKET, 39, DEC_OPT_AF },     /* SO_DOMAIN */
        { SOL_SOCKET, 51, DEC_OPT_FPROG },  /* SO_ATTACH_REUSEPORT_CBPF */
        { SOL_SOCKET, 66, DEC_OPT_TIME },   /* SO_RCVTIMEO_NEW */
        { SOL_SOCKET, 67, DEC_OPT_TIME },   /* SO_SNDTIMEO_NEW */
        { 0, 35, DEC_OPT_MREQ },            /* IP_ADD_MEMBERSHIP */
        { 0, 36, DEC_OPT_MREQ },            /* IP_DROP_MEMBERSHIP */
        { 6, 13, DEC_OPT_STR },             /* TCP_CONGESTION */
        { 6, 31, DEC_OPT_STR },             /* TCP_ULP */
    };
    for (unsigned k = 0; k < ARRAY_LEN(tab); k++)
        if (tab[k].level == level && tab[k].name == name)
            return tab[k].form;
    return DEC_OPT_INT;
}

static void dec_optvalue(struct dec *d, enum dec_opt form, const u8 *p, size_t n)
{
    struct buf *b = d->b;
    s64 num = n >= 4 ? dec_lds(p, 4) : 0;
    if (form == DEC_OPT_LINGER && n >= 8) {
        b_f(b, "{l_onoff=%d, l_linger=%d}", (s32)num, (s32)dec_ld(p + 4, 4));
    } else if (form == DEC_OPT_TIME && n >= 8) {
        dec_pair(d, p, n >= 16 ? 8 : 4, "usec");
    } else if (form == DEC_OPT_CRED && n >= 12) {
        b_f(b, "{pid=%d, uid=%u, gid=%u}", (s32)num, (u32)dec_ld(p + 4, 4), (u32)dec_ld(p + 8, 4));
    } else if (form == DEC_OPT_MREQ && n >= 8) {
        b_f(b, "{imr_multiaddr=inet_addr(\"%u.%u.%u.%u\"), ", p[0], p[1], p[2], p[3]);
        b_f(b, "imr_interface=inet_addr(\"%u.%u.%u.%u\")}", p[4], p[5], p[6], p[7]);
    } else if (form == DEC_OPT_FPROG && n >= 2u * dec_word(d)) {
        unsigned w = dec_word(d);
        b_f(b, "{len=%u, filter=%#" PRIx64 "}", (u32)dec_ld(p, 2), dec_ld(p + w, w));
    } else if (form == DEC_OPT_STR || n != 4) {
        size_t len = form == DEC_OPT_STR ? strnlen((const char *)p, n) : n;
        b_quoted(b, p, MIN(len, (size_t)opt.strlen_max), len > opt.strlen_max);
    } else {
        b_c(b, '[');
        if (form == DEC_OPT_ERRNO)
            num ? dec_errno(b, (int)num) : b_c(b, '0');
        else if (form == DEC_OPT_TYPE || form == DEC_OPT_AF)
            dec_enum(b, (u32)num, form == DEC_OPT_AF ? FAM_sockaf : FAM_sockbase);
        else
            b_s64(b, num);
        b_c(b, ']');
    }
}

/* getsockopt's and setsockopt's: level and name are arguments 1 and 2, the length is behind. */
static void dec_k_sockoptval(struct dec *d, u64 v)
{
    u8 raw[256], len[4];
    s64 n = (s32)dec_next(d);
    if (d->exit) {
        s64 r = dec_next(d) ? dec_read(d, dec_next(d), len, 4) : -EFAULT;
        n = r == 4 ? dec_lds(len, 4) : 0;
        if (d->outlen[dec_slot(d)])
            n = MIN(n, (s64)(s32)d->outlen[dec_slot(d)]);
    }
    if (n <= 0)
        dec_pointer(d, v, 0);
    else if (dec_get(d, v, raw, MIN((size_t)n, sizeof raw)))
        dec_optvalue(d, dec_optform((u32)d->c->arg[1], (u32)d->c->arg[2]), raw,
                     MIN((size_t)n, sizeof raw));
}

/* ---- commands: what an argument means depends on another ---- */

static void dec_k_futexop(struct dec *d, u64 v)
{
    u32 op = (u32)v;
    const struct flag *f = dec_flag(op & 0x7f, FAM_futex);
    if (!f) {
        dec_number(d->b, op);
        return;
    }
    dec_flag_name(d->b, f);
    b_s(d->b, op & 0x80 ? "_PRIVATE" : "");
    if (op & ~0xffu)
        b_c(d->b, '|'), dec_bits(d->b, op & ~0xffu, FAM_futexflag);
}

/* Both of futex's values: what to compare with, and the last argument, a mask or an operation. */
static void dec_k_futexval(struct dec *d, u64 v)
{
    u32 op = (u32)d->c->arg[1] & 0x7f, w = (u32)v;
    if (d->i < 5 || !(op == 5 || op == 9 || op == 10)) {
        b_u64(d->b, w);
    } else if (op == 5) { /* FUTEX_WAKE_OP: op << 28 | cmp << 24 | oparg << 12 | cmparg */
        dec_enum(d->b, w >> 28 & 7, FAM_futexwaitop);
        b_f(d->b, "<<28|%s%#x<<12|", w >> 31 ? "FUTEX_OP_OPARG_SHIFT<<28|" : "", w >> 12 & 0xfff);
        dec_enum(d->b, w >> 24 & 15, FAM_futexcmp), b_f(d->b, "<<24|%#x", w & 0xfff);
    } else {
        w == (u32)-1 ? b_s(d->b, "FUTEX_BITSET_MATCH_ANY") : b_hex(d->b, w);
    }
}

/* struct flock; only i386's F_GETLK and kin have 32-bit offsets, and its flock64 is unpadded. */
static void dec_flock(struct dec *d, u64 v, bool is64)
{
    u8 raw[32];
    bool narrow = dec_long(d) == 4;
    size_t size = narrow && !is64 ? 4 : 8, at = narrow ? 4 : 8;
    if (!dec_get(d, v, raw, at + 2 * size + 4))
        return;
    b_s(d->b, "{l_type="), dec_enum(d->b, dec_ld(raw, 2), FAM_lktype);
    b_s(d->b, ", l_whence="), dec_enum(d->b, dec_ld(raw + 2, 2), FAM_whence);
    b_s(d->b, ", l_start="), b_s64(d->b, dec_lds(raw + at, size));
    b_s(d->b, ", l_len="), b_s64(d->b, dec_lds(raw + at + size, size));
    if (d->exit) /* F_GETLK: who has it */
        b_s(d->b, ", l_pid="), b_s64(d->b, dec_lds(raw + at + 2 * size, 4));
    b_c(d->b, '}');
}

static void dec_owner(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        { "type", 0, 4, DV_VALUE, FAM_fowner },
        { "pid", 4, 4, DV_SINT, 0 },
    };
    DEC_STRUCT(d, v, 8, tab);
}

/* DEC_EITHER: a command whose result lies behind the pointer leaves the entry empty. */
static void dec_k_fcntlarg(struct dec *d, u64 v)
{
    u32 cmd = (u32)d->c->arg[d->i - 1];
    /* F_GETLK, F_GETLK64, F_GETOWN_EX, F_OFD_GETLK */
    bool out = cmd == 5 || cmd == 12 || cmd == 16 || cmd == 36;
    if (out && !d->exit) {
        d->form = ARG_NONE;
        return;
    }
    switch (cmd) {
    case F_DUPFD: case F_DUPFD_CLOEXEC: case 8 /* F_SETOWN */: b_s64(d->b, (s32)v); break;
    case F_SETFD: dec_bits(d->b, (u32)v, FAM_fdflags); break;
    case F_SETFL: dec_bits(d->b, (u32)v, FAM_open); break;
    case 5: case 6: case 7: /* F_GETLK, F_SETLK, F_SETLKW */
        dec_flock(d, v, dec_long(d) == 8);
        break;
    case 12: case 13: case 14: case 36: case 37: case 38: /* ...64, F_OFD_... */
        dec_flock(d, v, true);
        break;
    case 10: dec_signal(d->b, (s32)v); break; /* F_SETSIG */
    case 15: case 16: dec_owner(d, v); break; /* F_SETOWN_EX, F_GETOWN_EX */
    case 1024: dec_enum(d->b, (u32)v, FAM_lktype); break; /* F_SETLEASE */
    case 1026: dec_bits(d->b, (u32)v, FAM_dnotify); break; /* F_NOTIFY */
    case 1027: fd_label(d->b, d->t, (int)v); break; /* F_DUPFD_QUERY */
    case 1031: b_u64(d->b, (u32)v); break; /* F_SETPIPE_SZ */
    case 1033: dec_bits(d->b, (u32)v, FAM_seals); break; /* F_ADD_SEALS */
    default: dec_k_hex(d, v);
    }
}

static void dec_k_ioctlcmd(struct dec *d, u64 v)
{
    u32 cmd = (u32)v;
    const struct flag *f = dec_flag(cmd, FAM_ioctl);
    if (f) {
        dec_flag_name(d->b, f);
        return;
    }
    static const char *const dir[] = {
        "_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE",
    };
    b_f(d->b, "_IOC(%s, %#x, %#x, %#x)", dir[cmd >> 30], cmd >> 8 & 0xff, cmd & 0xff,
        cmd >> 16 & 0x3fff);
}

/* What the argument of an ioctl is: for the commands that a trace shows most. */
enum dec_ioform { DEC_IO_INT, DEC_IO_FD, DEC_IO_INTP, DEC_IO_U64P, DEC_IO_TERMIOS, DEC_IO_WINSIZE,
                  DEC_IO_IFREQ, DEC_IO_NONE, DEC_IO_CSTR };
static const struct dec_io {
    u32 cmd;
    u8 form;
    bool out;
} dec_ios[] = {
    { 0x5401, DEC_IO_TERMIOS, true },  /* TCGETS */
    { 0x5402, DEC_IO_TERMIOS, false }, /* TCSETS */
    { 0x5403, DEC_IO_TERMIOS, false }, /* TCSETSW */
    { 0x5404, DEC_IO_TERMIOS, false }, /* TCSETSF */
    { 0x802c542a, DEC_IO_TERMIOS, true },  /* TCGETS2 */
    { 0x402c542b, DEC_IO_TERMIOS, false }, /* TCSETS2 */
    { 0x402c542c, DEC_IO_TERMIOS, false }, /* TCSETSW2 */
    { 0x402c542d, DEC_IO_TERMIOS, false }, /* TCSETSF2 */
    { 0x5409, DEC_IO_INT, false },     /* TCSBRK */
    { 0x540a, DEC_IO_INT, false },     /* TCXONC */
    { 0x540b, DEC_IO_INT, false },     /* TCFLSH */
    { 0x540e, DEC_IO_INT, false },     /* TIOCSCTTY */
    { 0x540f, DEC_IO_INTP, true },     /* TIOCGPGRP */
    { 0x5410, DEC_IO_INTP, false },    /* TIOCSPGRP */
    { 0x5411, DEC_IO_INTP, true },     /* TIOCOUTQ */
    { 0x5413, DEC_IO_WINSIZE, true },  /* TIOCGWINSZ */
    { 0x5414, DEC_IO_WINSIZE, false }, /* TIOCSWINSZ */
    { 0x541b, DEC_IO_INTP, true },     /* FIONREAD */
    { 0x5421, DEC_IO_INTP, false },    /* FIONBIO */
    { 0x5422, DEC_IO_NONE, false },    /* TIOCNOTTY */
    { 0x5424, DEC_IO_INTP, true },     /* TIOCGETD */
    { 0x5429, DEC_IO_INTP, true },     /* TIOCGSID */
    { 0x80045430, DEC_IO_INTP, true }, /* TIOCGPTN */
    { 0x40045431, DEC_IO_INTP, false }, /* TIOCSPTLCK */
    { 0x5441, DEC_IO_INT, false },     /* TIOCGPTPEER */
    { 0x5450, DEC_IO_NONE, false },    /* FIONCLEX */
    { 0x5451, DEC_IO_NONE, false },    /* FIOCLEX */
    { 0x5452, DEC_IO_INTP, false },    /* FIOASYNC */
    { 0x8910, DEC_IO_IFREQ, true },    /* SIOCGIFNAME */
    { 0x8913, DEC_IO_IFREQ, true },    /* SIOCGIFFLAGS */
    { 0x8914, DEC_IO_IFREQ, false },   /* SIOCSIFFLAGS */
    { 0x8915, DEC_IO_IFREQ, true },    /* SIOCGIFADDR */
    { 0x8916, DEC_IO_IFREQ, false },   /* SIOCSIFADDR */
    { 0x891b, DEC_IO_IFREQ, true },    /* SIOCGIFNETMASK */
    { 0x8921, DEC_IO_IFREQ, true },    /* SIOCGIFMTU */
    { 0x8922, DEC_IO_IFREQ, false },   /* SIOCSIFMTU */
    { 0x8927, DEC_IO_IFREQ, true },    /* SIOCGIFHWADDR */
    { 0x8933, DEC_IO_IFREQ, true },    /* SIOCGIFINDEX */
    { 0x8946, DEC_IO_IFREQ, true },    /* SIOCETHTOOL */
    { 0x400454ca, DEC_IO_IFREQ, false }, /* TUNSETIFF */
    { 0x40049409, DEC_IO_FD, false },  /* FICLONE */
    { 0x1260, DEC_IO_U64P, true },     /* BLKGETSIZE */
    { 0x1268, DEC_IO_INTP, true },     /* BLKSSZGET */
    { 0x127b, DEC_IO_INTP, true },     /* BLKPBSZGET */
    { 0x80081272, DEC_IO_U64P, true }, /* BLKGETSIZE64 */
    { 0x80086601, DEC_IO_INTP, true }, /* FS_IOC_GETFLAGS */
    { 0x40086602, DEC_IO_INTP, false }, /* FS_IOC_SETFLAGS */
    { 0x4c00, DEC_IO_FD, false },      /* LOOP_SET_FD */
    { 0x4c01, DEC_IO_NONE, false },    /* LOOP_CLR_FD */
    { 0x4c80, DEC_IO_INT, false },     /* LOOP_CTL_ADD */
    { 0x4c81, DEC_IO_INT, false },     /* LOOP_CTL_REMOVE */
    { 0x4c82, DEC_IO_NONE, false },    /* LOOP_CTL_GET_FREE */
    { 0x2400, DEC_IO_INT, false },     /* PERF_EVENT_IOC_ENABLE */
    { 0x2401, DEC_IO_INT, false },     /* PERF_EVENT_IOC_DISABLE */
    { 0x2402, DEC_IO_INT, false },     /* PERF_EVENT_IOC_REFRESH */
    { 0x2403, DEC_IO_INT, false },     /* PERF_EVENT_IOC_RESET */
    { 0x40082404, DEC_IO_U64P, false }, /* PERF_EVENT_IOC_PERIOD */
    { 0x2405, DEC_IO_FD, false },      /* PERF_EVENT_IOC_SET_OUTPUT */
    { 0x40082406, DEC_IO_CSTR, false }, /* PERF_EVENT_IOC_SET_FILTER */
    { 0x80082407, DEC_IO_U64P, true }, /* PERF_EVENT_IOC_ID */
    { 0x40042408, DEC_IO_FD, false },  /* PERF_EVENT_IOC_SET_BPF */
    { 0x80045200, DEC_IO_INTP, true }, /* RNDGETENTCNT */
};

static const struct dec_io *dec_io(u32 cmd)
{
    for (const struct dec_io *io = dec_ios; io < dec_ios + ARRAY_LEN(dec_ios); io++)
        if (io->cmd == cmd)
            return io;
    return NULL;
}

static void dec_termios(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct termios, asm-generic/termbits.h */
        { "c_iflag", 0, 4, DV_FLAGS, FAM_termiosi },
        { "c_oflag", 4, 4, DV_FLAGS, FAM_termioso },
        { "c_cflag", 8, 4, DV_XINT, 0 },
        { "c_lflag", 12, 4, DV_FLAGS, FAM_termiosl },
        { "c_line", 16, 1, DV_UINT | DV_IFNZ, 0 },
    };
    DEC_STRUCT(d, v, 36, tab);
}

static void dec_winsize(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = {
        { "ws_row", 0, 2, DV_UINT, 0 },
        { "ws_col", 2, 2, DV_UINT, 0 },
        { "ws_xpixel", 4, 2, DV_UINT, 0 },
        { "ws_ypixel", 6, 2, DV_UINT, 0 },
    };
    DEC_STRUCT(d, v, 8, tab);
}

/* struct ifreq: a name, and a union whose form the command tells. */
static void dec_ifreq(struct dec *d, u64 v, u32 cmd)
{
    u8 raw[32];
    if (!dec_get(d, v, raw, sizeof raw))
        return;
    b_s(d->b, "{ifr_name="), b_quoted(d->b, raw, strnlen((const char *)raw, 16), false);
    switch (cmd) {
    case 0x8910: case 0x8933:
        b_s(d->b, ", ifr_ifindex="), b_s64(d->b, dec_lds(raw + 16, 4));
        break;
    case 0x8921: case 0x8922: b_s(d->b, ", ifr_mtu="), b_s64(d->b, dec_lds(raw + 16, 4)); break;
    case 0x8915: case 0x8916: case 0x891b:
        b_s(d->b, ", ifr_addr="), dec_sockaddr(d, raw + 16, 16);
        break;
    case 0x8913: case 0x8914: case 0x400454ca:
        b_s(d->b, ", ifr_flags=");
        dec_bits(d->b, dec_ld(raw + 16, 2), cmd == 0x400454ca ? FAM_tunflags : FAM_ifflags);
        break;
    default: b_s(d->b, ", ...");
    }
    b_c(d->b, '}');
}

static void dec_k_ioctlarg(struct dec *d, u64 v)
{
    u32 cmd = (u32)d->c->arg[d->i - 1];
    const struct dec_io *io = dec_io(cmd);
    if (io && io->out && !d->exit) {
        d->form = ARG_NONE;
        return;
    }
    switch (io ? io->form : DEC_IO_NONE) {
    case DEC_IO_INT: b_s64(d->b, (s32)v); break;
    case DEC_IO_FD: dec_k_fd(d, v); break;
    case DEC_IO_INTP: dec_k_intpout(d, v); break;
    case DEC_IO_U64P: dec_k_u64p(d, v); break;
    case DEC_IO_TERMIOS: dec_termios(d, v); break;
    case DEC_IO_WINSIZE: dec_winsize(d, v); break;
    case DEC_IO_IFREQ: dec_ifreq(d, v, cmd); break;
    case DEC_IO_CSTR: dec_cstr(d, v, dec_max(DEC_PATH)); break;
    default: dec_k_hex(d, v);
    }
}

static void dec_k_prctlopt(struct dec *d, u64 v)
{
    dec_enum(d->b, (u32)v, FAM_prctl);
}

/* The arguments of prctl(2) by option: nargs says how many there are after the option. */
enum dec_prform { PRF_NONE, PRF_INT, PRF_HEX, PRF_SIG, PRF_SIGOUT, PRF_STR, PRF_STROUT, PRF_INTOUT,
                  PRF_PID, PRF_ENUM, PRF_BITS, PRF_U64 };
static const struct dec_pr {
    u32 option;
    u8 nargs;
    struct {
        u8 form;
        u16 fam;
    } arg[4];
} dec_prs[] = {
    { PR_SET_PDEATHSIG, 1, { { PRF_SIG, 0 } } },
    { PR_GET_PDEATHSIG, 1, { { PRF_SIGOUT, 0 } } },
    { PR_GET_DUMPABLE, 0, { { 0, 0 } } },
    { PR_SET_DUMPABLE, 1, { { PRF_INT, 0 } } },
    { PR_GET_KEEPCAPS, 0, { { 0, 0 } } },
    { PR_SET_KEEPCAPS, 1, { { PRF_INT, 0 } } },
    { PR_SET_NAME, 1, { { PRF_STR, 0 } } },
    { PR_GET_NAME, 1, { { PRF_STROUT, 0 } } },
    { PR_GET_SECCOMP, 0, { { 0, 0 } } },
    { PR_SET_SECCOMP, 2, { { PRF_ENUM, FAM_seccompmode }, { PRF_HEX, 0 } } },
    { PR_CAPBSET_READ, 1, { { PRF_ENUM, FAM_cap } } },
    { PR_CAPBSET_DROP, 1, { { PRF_ENUM, FAM_cap } } },
    { PR_GET_TSC, 1, { { PRF_INTOUT, 0 } } },
    { PR_SET_TSC, 1, { { PRF_ENUM, FAM_prtsc } } },
    { PR_GET_SECUREBITS, 0, { { 0, 0 } } },
    { PR_SET_SECUREBITS, 1, { { PRF_BITS, FAM_securebits } } },
    { PR_SET_TIMERSLACK, 1, { { PRF_U64, 0 } } },
    { PR_GET_TIMERSLACK, 0, { { 0, 0 } } },
    { PR_TASK_PERF_EVENTS_DISABLE, 0, { { 0, 0 } } },
    { PR_TASK_PERF_EVENTS_ENABLE, 0, { { 0, 0 } } },
    { PR_MCE_KILL, 2, { { PRF_ENUM, FAM_prmce }, { PRF_INT, 0 } } },
    { PR_MCE_KILL_GET, 0, { { 0, 0 } } },
    { PR_SET_MM, 3, { { PRF_ENUM, FAM_prsetmm }, { PRF_HEX, 0 }, { PRF_HEX, 0 } } },
    { 0x59616d61, 1, { { PRF_PID, 0 } } }, /* PR_SET_PTRACER */
    { PR_SET_CHILD_SUBREAPER, 1, { { PRF_INT, 0 } } },
    { PR_GET_CHILD_SUBREAPER, 1, { { PRF_INTOUT, 0 } } },
    { PR_SET_NO_NEW_PRIVS, 4, { { PRF_INT, 0 }, { PRF_INT, 0 }, { PRF_INT, 0 }, { PRF_INT, 0 } } },
    { PR_GET_NO_NEW_PRIVS, 0, { { 0, 0 } } },
    { PR_GET_TID_ADDRESS, 1, { { PRF_HEX, 0 } } },
    { PR_SET_THP_DISABLE, 2, { { PRF_INT, 0 }, { PRF_HEX, 0 } } },
    { PR_GET_THP_DISABLE, 0, { { 0, 0 } } },
    { PR_CAP_AMBIENT, 2, { { PRF_ENUM, FAM_prcapambient }, { PRF_ENUM, FAM_cap } } },
    { 52, 1, { { PRF_ENUM, FAM_prspec } } },                    /* PR_GET_SPECULATION_CTRL */
    { 53, 2, { { PRF_ENUM, FAM_prspec }, { PRF_HEX, 0 } } },    /* PR_SET_SPECULATION_CTRL */
    { 57, 1, { { PRF_INT, 0 } } },                              /* PR_SET_IO_FLUSHER */
    { 58, 0, { { 0, 0 } } },                                    /* PR_GET_IO_FLUSHER */
    { 62, 4, { { PRF_ENUM, FAM_prschedcore }, { PRF_PID, 0 }, { PRF_INT, 0 }, { PRF_HEX, 0 } } },
    { 65, 1, { { PRF_BITS, FAM_prmdwe } } },                    /* PR_SET_MDWE */
    { 66, 0, { { 0, 0 } } },                                    /* PR_GET_MDWE */
    { 67, 1, { { PRF_INT, 0 } } },                              /* PR_SET_MEMORY_MERGE */
    { 68, 0, { { 0, 0 } } },                                    /* PR_GET_MEMORY_MERGE */
    { 0x53564d41, 4, { { PRF_ENUM, FAM_prvma }, { PRF_HEX, 0 }, { PRF_U64, 0 }, { PRF_STR, 0 } } },
};

static const struct dec_pr *dec_prctl(u32 option)
{
    for (const struct dec_pr *p = dec_prs; p < dec_prs + ARRAY_LEN(dec_prs); p++)
        if (p->option == option)
            return p;
    return NULL;
}

static void dec_k_prctlarg(struct dec *d, u64 v)
{
    const struct dec_pr *p = dec_prctl((u32)d->c->arg[0]);
    int k = d->i - 1;
    u8 form = p && k >= 0 && k < 4 ? p->arg[k].form : PRF_NONE;
    if ((form == PRF_SIGOUT || form == PRF_STROUT || form == PRF_INTOUT) && !d->exit) {
        d->form = ARG_NONE;
        return;
    }
    u8 raw[4];
    switch (form) {
    case PRF_PID: case PRF_INT: b_s64(d->b, (s32)v); break;
    case PRF_SIG: dec_signal(d->b, (s32)v); break;
    case PRF_U64: dec_k_ulong(d, v); break;
    case PRF_STR: case PRF_STROUT: dec_cstr(d, v, dec_max(DEC_PATH)); break;
    case PRF_INTOUT: dec_k_intpout(d, v); break;
    case PRF_ENUM: dec_enum(d->b, v, p->arg[k].fam); break;
    case PRF_BITS: dec_bits(d->b, v, p->arg[k].fam); break;
    case PRF_SIGOUT:
        if (dec_get(d, v, raw, 4))
            b_c(d->b, '['), dec_signal(d->b, dec_lds(raw, 4)), b_c(d->b, ']');
        break;
    default: dec_k_hex(d, v);
    }
}

static const struct dec_member dec_bpf_map[] = { /* union bpf_attr, linux/bpf.h: BPF_MAP_CREATE */
    { "map_type", 0, 4, DV_VALUE, FAM_bpfmap },
    { "key_size", 4, 4, DV_UINT, 0 },
    { "value_size", 8, 4, DV_UINT, 0 },
    { "max_entries", 12, 4, DV_UINT, 0 },
    { "map_flags", 16, 4, DV_XINT, 0 },
    { "inner_map_fd", 20, 4, DV_FD | DV_IFNZ, 0 },
    { "numa_node", 24, 4, DV_UINT | DV_IFNZ, 0 },
    { "map_name", 28, 16, DV_CHARS | DV_IFNZ, 0 },
    { "map_ifindex", 44, 4, DV_UINT | DV_IFNZ, 0 },
    { "btf_fd", 48, 4, DV_FD | DV_IFNZ, 0 },
    { "btf_key_type_id", 52, 4, DV_UINT | DV_IFNZ, 0 },
    { "btf_value_type_id", 56, 4, DV_UINT | DV_IFNZ, 0 },
};
static const struct dec_member dec_bpf_elem[] = {
    { "map_fd", 0, 4, DV_FD, 0 },
    { "key", 8, 8, DV_PTR, 0 },
    { "value", 16, 8, DV_PTR, 0 },
    { "flags", 24, 8, DV_XINT, 0 },
};
static const struct dec_member dec_bpf_prog[] = {
    { "prog_type", 0, 4, DV_VALUE, FAM_bpfprog },
    { "insn_cnt", 4, 4, DV_UINT, 0 },
    { "insns", 8, 8, DV_PTR, 0 },
    { "license", 16, 8, DV_CSTR, 0 },
    { "log_level", 24, 4, DV_UINT, 0 },
    { "log_size", 28, 4, DV_UINT, 0 },
    { "log_buf", 32, 8, DV_PTR, 0 },
    { "kern_version", 40, 4, DV_XINT, 0 },
    { "prog_flags", 44, 4, DV_XINT, 0 },
    { "prog_name", 48, 16, DV_CHARS | DV_IFNZ, 0 },
    { "prog_ifindex", 64, 4, DV_UINT | DV_IFNZ, 0 },
    { "expected_attach_type", 68, 4, DV_VALUE | DV_IFNZ, FAM_bpfattach },
    { "prog_btf_fd", 72, 4, DV_FD | DV_IFNZ, 0 },
    { "attach_btf_id", 108, 4, DV_UINT | DV_IFNZ, 0 },
};
static const struct dec_member dec_bpf_obj[] = {
    { "pathname", 0, 8, DV_CSTR, 0 },
    { "bpf_fd", 8, 4, DV_FD | DV_IFNZ, 0 },
    { "file_flags", 12, 4, DV_XINT, 0 },
    { "path_fd", 16, 4, DV_FD | DV_IFNZ, 0 },
};
static const struct dec_member dec_bpf_attach[] = {
    { "target_fd", 0, 4, DV_FD, 0 },
    { "attach_bpf_fd", 4, 4, DV_FD, 0 },
    { "attach_type", 8, 4, DV_VALUE, FAM_bpfattach },
    { "attach_flags", 12, 4, DV_XINT, 0 },
};
static const struct dec_member dec_bpf_id[] = {
    { "id", 0, 4, DV_UINT, 0 },
    { "next_id", 4, 4, DV_UINT | DV_IFNZ, 0 },
    { "open_flags", 8, 4, DV_XINT | DV_IFNZ, 0 },
};
static const struct dec_member dec_bpf_info[] = {
    { "bpf_fd", 0, 4, DV_FD, 0 },
    { "info_len", 4, 4, DV_UINT, 0 },
    { "info", 8, 8, DV_PTR, 0 },
};
static const struct dec_member dec_bpf_rawtp[] = {
    { "name", 0, 8, DV_CSTR, 0 },
    { "prog_fd", 8, 4, DV_FD, 0 },
};
static const struct dec_member dec_bpf_btf[] = {
    { "btf", 0, 8, DV_PTR, 0 },
    { "btf_log_buf", 8, 8, DV_PTR, 0 },
    { "btf_size", 16, 4, DV_UINT, 0 },
    { "btf_log_size", 20, 4, DV_UINT, 0 },
    { "btf_log_level", 24, 4, DV_UINT, 0 },
};
static const struct dec_member dec_bpf_link[] = {
    { "prog_fd", 0, 4, DV_FD, 0 },
    { "target_fd", 4, 4, DV_FD, 0 },
    { "attach_type", 8, 4, DV_VALUE, FAM_bpfattach },
    { "flags", 12, 4, DV_XINT, 0 },
};

static void dec_k_bpfattr(struct dec *d, u64 v)
{
#define BPF(cmd, table) [cmd] = { table, ARRAY_LEN(table) }
    static const struct {
        const struct dec_member *tab;
        size_t n;
    } form[] = { /* by enum bpf_cmd */
        BPF(0, dec_bpf_map), BPF(1, dec_bpf_elem), BPF(2, dec_bpf_elem), BPF(3, dec_bpf_elem),
        BPF(4, dec_bpf_elem), BPF(5, dec_bpf_prog), BPF(6, dec_bpf_obj), BPF(7, dec_bpf_obj),
        BPF(8, dec_bpf_attach), BPF(9, dec_bpf_attach), BPF(11, dec_bpf_id), BPF(12, dec_bpf_id),
        BPF(13, dec_bpf_id), BPF(14, dec_bpf_id), BPF(15, dec_bpf_info), BPF(17, dec_bpf_rawtp),
        BPF(18, dec_bpf_btf), BPF(19, dec_bpf_id), BPF(21, dec_bpf_elem), BPF(22, dec_bpf_elem),
        BPF(23, dec_bpf_id), BPF(28, dec_bpf_link), BPF(30, dec_bpf_id), BPF(31, dec_bpf_id),
    };
#undef BPF
    u32 cmd = (u32)d->c->arg[0];
    if (cmd < ARRAY_LEN(form) && form[cmd].tab)
        dec_struct(d, v, (u32)dec_next(d), form[cmd].tab, form[cmd].n);
    else
        dec_pointer(d, v, 0);
}

static void dec_k_perfattr(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct perf_event_attr, linux/perf_event.h */
        { "type", 0, 4, DV_VALUE, FAM_perftype },
        { "size", 4, 4, DV_UINT, 0 },
        { "config", 8, 8, DV_XINT, 0 },
        { "sample_period", 16, 8, DV_UINT, 0 },
        { "sample_type", 24, 8, DV_FLAGS, FAM_perfsample },
        { "read_format", 32, 8, DV_FLAGS, FAM_perfread },
        { "flags", 40, 8, DV_XINT, 0 },
        { "wakeup_events", 48, 4, DV_UINT | DV_MORE, 0 },
        { "bp_type", 52, 4, DV_UINT | DV_MORE, 0 },
        { "config1", 56, 8, DV_XINT | DV_MORE, 0 },
        { "config2", 64, 8, DV_XINT | DV_MORE, 0 },
    };
    struct dec_member m[ARRAY_LEN(tab)];
    u8 raw[72];
    if (!dec_get(d, v, raw, 64)) /* PERF_ATTR_SIZE_VER0 */
        return;
    memcpy(m, tab, sizeof m);
    u64 type = dec_ld(raw, 4);
    if (type < 2) { /* PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE: config has a name */
        m[2].type = DV_VALUE;
        m[2].fam = type ? FAM_perfsw : FAM_perfhw;
    }
    if (raw[41] & 4) /* the attr's bit 10, freq: the same word is a frequency */
        m[3].name = "sample_freq";
    dec_members(d, raw, 64, m, ARRAY_LEN(m));
}

static void dec_k_uringparams(struct dec *d, u64 v)
{
    static const struct dec_member tab[] = { /* struct io_uring_params, linux/io_uring.h */
        { "flags", 8, 4, DV_FLAGS, FAM_uringsetup },
        { "sq_thread_cpu", 12, 4, DV_UINT, 0 },
        { "sq_thread_idle", 16, 4, DV_UINT, 0 },
        { "wq_fd", 24, 4, DV_FD | DV_IFNZ, 0 },
        { "sq_entries", 0, 4, DV_UINT, 0 }, /* from here on the kernel's answer */
        { "cq_entries", 4, 4, DV_UINT, 0 },
        { "features", 20, 4, DV_FLAGS, FAM_uringfeat },
    };
    if (d->exit)
        dec_struct(d, v, 120, tab, d->c->err ? 4 : ARRAY_LEN(tab));
    else
        d->form = ARG_NONE;
}

/* ---- entry points ---- */

static const struct kind {
    void (*fn)(struct dec *, u64);
    u8 when; /* enum dec_when */
} kinds[] = {
#define X(kind, fn, when) [K_##kind] = { dec_k_##fn, DEC_##when },
    DEC_KINDS(X)
#undef X
};

/* How many of the call's arguments mean anything: what is behind an optional one that isn't there
 * (open's mode, fcntl's argument, a futex's second address) is whatever the register held. */
static unsigned dec_nargs(const struct call *c)
{
    const u64 *a = c->arg;
    unsigned n = sc_rows[c->row].nargs, k = c->id == SC_openat ? 2 : 1;
    static const u8 futex[16] = { 4, 3, 3, 5, 6, 6, 4, 2, 2, 6, 6, 6, 6, 4, 6, 6 };
    const struct dec_pr *p;
    const struct dec_io *io;
    bool ctid, tls;
    switch (c->id) {
    case SC_open: case SC_openat: case SC_mq_open: /* O_CREAT, __O_TMPFILE: the same on both CPUs */
        return a[k] & (0100 | 020000000) ? n : k + 1;
    case SC_fcntl: case SC_fcntl64: {
        u32 cmd = (u32)a[1];
        return cmd == 1 || cmd == 3 || cmd == 9 || cmd == 11 || cmd == 1025 || cmd == 1028
            || cmd == 1032 || cmd == 1034 ? 2 : n;
    }
    case SC_futex: case SC_futex_time64: return (a[1] & 0x7f) < 16 ? futex[a[1] & 0x7f] : n;
    case SC_mremap: return a[3] & 6 ? n : 4; /* MREMAP_FIXED, MREMAP_DONTUNMAP */
    case SC_mknod: return S_ISCHR(a[1]) || S_ISBLK(a[1]) ? n : 2;
    case SC_mknodat: return S_ISCHR(a[2]) || S_ISBLK(a[2]) ? n : 3;
    case SC_ioctl:
        io = dec_io((u32)a[1]);
        return io && io->form == DEC_IO_NONE ? 2 : n;
    case SC_prctl:
        p = dec_prctl((u32)a[0]);
        return p ? MIN(n, 1u + p->nargs) : n;
    case SC_clone: /* CLONE_CHILD_SETTID, CHILD_CLEARTID; SETTLS; PARENT_SETTID, PIDFD */
        ctid = a[0] & 0x01200000, tls = a[0] & 0x00080000;
        if (c->row == SC_clone ? tls : ctid) /* the last two are the other way round elsewhere */
            return 5;
        return (c->row == SC_clone ? ctid : tls) ? 4 : a[0] & 0x00101000 ? 3 : 2;
    default: return n;
    }
}

/* Decodes argument i into c->text; what belongs to the other stop stays ARG_NONE. */
static void dec_one(struct task *t, struct call *c, unsigned i, bool exit, bool plain, bool *dead)
{
    struct arg *a = &c->val[i];
    unsigned kind = sc_rows[c->row].arg[i];
    struct dec d = { .t = t, .c = c, .b = &c->text, .outlen = c->outlen, .i = (int)i, .exit = exit,
                     .dead = dead, .form = ARG_TXT };
    u32 off = c->text.len;
    u64 v = dec_long(&d) == 4 ? (u32)c->arg[i] : c->arg[i];
    if (plain)
        dec_k_addr(&d, v);
    else if (kind >= K_ENUM(0))
        dec_k_enum(&d, v, K_FAM(kind));
    else if (kind >= K_BITS(0))
        dec_k_bits(&d, v, K_FAM(kind));
    else
        kinds[kind].fn(&d, v);
    if (d.form == ARG_NONE)
        c->text.len = off;
    *a = (struct arg){ .form = d.form, .cut = d.cut, .off = off, .len = c->text.len - off };
}

static unsigned dec_when(unsigned kind)
{
    return kind < N_KINDS ? kinds[kind].when : DEC_IN;
}

/* At entry: the arguments that the call reads. What exit needs to know is kept in c->outlen. */
static void dec_enter(struct task *t, struct call *c)
{
    bool dead = false;
    u32 namelen;
    b_reset(&c->text);
    memset(c->val, 0, sizeof c->val);
    c->outlen[0] = c->outlen[1] = 0;
    if (!c->known)
        return;
    for (unsigned i = 0, n = dec_nargs(c); i < n; i++) {
        unsigned kind = sc_rows[c->row].arg[i];
        if (dec_when(kind) & DEC_IN)
            dec_one(t, c, i, false, false, &dead);
        else if (kind == K_MSGOUT && c->arg[i]
                 && mem_read(t, c->arg[i] + abi_word(c->abi), &namelen, 4) == 4)
            c->outlen[0] = namelen;
    }
}

/* A call that failed wrote nothing, except a sleep that a signal ended: that says what is left. */
static bool dec_wrote(const struct call *c, unsigned kind)
{
    if (c->noret || (c->err && c->err != EINTR && c->err != 516)) /* 516: ERESTART_RESTARTBLOCK */
        return false;
    return !c->err || kind == K_TSOUT || kind == K_TS64OUT;
}

/* At exit: the arguments that the call wrote. */
static void dec_exit(struct task *t, struct call *c)
{
    bool dead = false;
    if (!c->known)
        return;
    for (unsigned i = 0, n = dec_nargs(c); i < n; i++) {
        unsigned kind = sc_rows[c->row].arg[i], when = dec_when(kind);
        bool plain = (when == DEC_OUT || when == DEC_EITHER) && !dec_wrote(c, kind);
        if (c->val[i].form == ARG_NONE)
            dec_one(t, c, i, true, plain, &dead);
    }
}

/* ---- results ---- */

/* Whether the result is an address, to be shown in hex. */
static bool dec_ret_is_addr(const struct call *c)
{
    if (!c->known)
        return false;
    switch (c->id) {
    case SC_brk: case SC_mmap: case SC_mmap2: case SC_mremap: case SC_shmat:
    case SC_map_shadow_stack:
        return true;
    default: return false;
    }
}

/* ioctls that make a descriptor: of a namespace _IO(0xb7, 1 and 2), of a pidfd _IO(0xff, 1..10);
 * KVM's VM, VCPU and statistics; a terminal's peer. */
static bool dec_ioctl_makes_fd(u32 cmd)
{
    return cmd == 0xb701 || cmd == 0xb702 || (cmd > 0xff00 && cmd <= 0xff0a) || cmd == 0xae01
        || cmd == 0xae41 || cmd == 0xaece || cmd == 0x5441;
}

/* bpf(2)'s commands that make a descriptor, as bits by enum bpf_cmd: MAP_CREATE, PROG_LOAD,
 * OBJ_GET, PROG_ and MAP_GET_FD_BY_ID, RAW_TRACEPOINT_OPEN, BTF_LOAD, BTF_GET_FD_BY_ID,
 * LINK_CREATE, LINK_GET_FD_BY_ID, ENABLE_STATS, ITER_CREATE, TOKEN_CREATE. */
static const u64 dec_bpf_fds = 1ull << 0 | 1ull << 5 | 1ull << 7 | 1ull << 13 | 1ull << 14
    | 1ull << 17 | 1ull << 18 | 1ull << 19 | 1ull << 28 | 1ull << 30 | 1ull << 32 | 1ull << 33
    | 1ull << 36;

/* Whether the result is a new descriptor. */
static bool dec_ret_is_fd(const struct call *c)
{
    if (!c->known || c->err || c->noret || c->ret < 0)
        return false;
    switch (c->id) {
    case SC_open: case SC_openat: case SC_openat2: case SC_creat: case SC_open_by_handle_at:
    case SC_open_tree: case SC_open_tree_attr: case SC_fsopen: case SC_fsmount: case SC_fspick:
    case SC_socket: case SC_accept: case SC_accept4: case SC_dup: case SC_dup2: case SC_dup3:
    case SC_epoll_create: case SC_epoll_create1: case SC_eventfd: case SC_eventfd2:
    case SC_timerfd_create: case SC_signalfd: case SC_signalfd4: case SC_inotify_init:
    case SC_inotify_init1: case SC_fanotify_init: case SC_memfd_create: case SC_memfd_secret:
    case SC_pidfd_open: case SC_pidfd_getfd: case SC_io_uring_setup: case SC_perf_event_open:
    case SC_userfaultfd: case SC_mq_open:
        return true;
    case SC_landlock_create_ruleset: return !(c->arg[2] & 3); /* else a version or errata */
    case SC_fcntl: case SC_fcntl64: return c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC;
    case SC_bpf: return c->arg[0] < 64 && dec_bpf_fds >> c->arg[0] & 1;
    case SC_seccomp: return c->arg[0] == 1 && c->arg[1] & 8; /* FILTER_FLAG_NEW_LISTENER */
    case SC_ioctl: return dec_ioctl_makes_fd((u32)c->arg[1]);
    default: return false;
    }
}

/* ([{fd=3, revents=POLLIN}]): the descriptors that are ready. */
static void dec_ret_poll(struct dec *d, u64 addr, u64 nfds)
{
    u8 raw[128 * 8];
    u32 shown = 0;
    if (!d->c->ret) {
        b_s(d->b, " (Timeout)");
        return;
    }
    for (u64 k = 0; k < MIN(nfds, (u64)65536) && shown < (u64)d->c->ret; k += 128) {
        s64 r = dec_read(d, addr + 8 * k, raw, (size_t)MIN(nfds - k, (u64)128) * 8);
        for (s64 at = 0; at + 8 <= r && shown < (u64)d->c->ret; at += 8) {
            if (!dec_ld(raw + at + 6, 2))
                continue;
            b_s(d->b, shown ? ", " : " ([");
            if (shown++ == opt.strlen_max) {
                b_s(d->b, "...])");
                return;
            }
            b_s(d->b, "{fd="), fd_label(d->b, d->t, (int)dec_ld(raw + at, 4));
            b_s(d->b, ", revents="), dec_bits(d->b, dec_ld(raw + at + 6, 2), FAM_poll);
            b_c(d->b, '}');
        }
        if (r <= 0)
            break;
    }
    b_s(d->b, shown ? "])" : "");
}

/* (in [3], out [4]): the sets that select left. */
static void dec_ret_select(struct dec *d)
{
    static const char *const name[] = { "in ", "out ", "except " };
    if (!d->c->ret) {
        b_s(d->b, " (Timeout)");
        return;
    }
    b_s(d->b, " (");
    for (int k = 0, n = 0; k < 3; k++)
        if (d->c->arg[1 + k]) {
            b_s(d->b, n++ ? ", " : ""), b_s(d->b, name[k]);
            dec_k_fdset(d, d->c->arg[1 + k]);
        }
    if (d->c->arg[4]) { /* Linux writes what is left of the timeout (select(2), BUGS) */
        bool usec = d->c->id == SC_select || d->c->id == SC__newselect;
        b_s(d->b, ", left ");
        dec_pairs(d, d->c->arg[4], d->c->id == SC_pselect6_time64 ? 8 : dec_long(d),
                  usec ? "usec" : "nsec", "1");
    }
    b_c(d->b, ')');
}

/* Results that are words of flags. */
static bool dec_ret_is_bits(const struct call *c)
{
    bool fcntl_call = c->id == SC_fcntl || c->id == SC_fcntl64;
    return (c->id == SC_personality && c->ret)
        || (fcntl_call && (c->arg[1] == F_GETFD || c->arg[1] == F_GETFL || c->arg[1] == 1034)
            && (c->ret || c->arg[1] == F_GETFL));
}

/* What a successful result says beyond its number. */
static void dec_ret_detail(struct dec *d)
{
    const struct call *c = d->c;
    unsigned fam = DEC_NOFAM;
    switch (c->id) {
    case SC_poll: case SC_ppoll: case SC_ppoll_time64:
        dec_ret_poll(d, c->arg[0], (u32)c->arg[1]);
        return;
    case SC_select:
        if (sc_rows[c->row].nargs < 5)
            return; /* i386's old select: one pointer to its arguments */
        dec_ret_select(d);
        return;
    case SC_pselect6: case SC_pselect6_time64: case SC__newselect: dec_ret_select(d); return;
    case SC_personality:
        if (c->ret)
            b_s(d->b, " ("), dec_bits(d->b, (u64)c->ret, FAM_personality), b_c(d->b, ')');
        return;
    case SC_fcntl: case SC_fcntl64:
        if (c->ret == 0 && c->arg[1] != F_GETFL)
            return;
        if (c->arg[1] == F_GETFD || c->arg[1] == F_GETFL || c->arg[1] == 1034) { /* F_GET_SEALS */
            fam = c->arg[1] == F_GETFD ? FAM_fdflags : c->arg[1] == F_GETFL ? FAM_open : FAM_seals;
            b_s(d->b, fam == FAM_seals ? " (seals " : " (flags ");
            dec_bits(d->b, (u64)c->ret, fam), b_c(d->b, ')');
        }
        return;
    case SC_rt_sigtimedwait: case SC_rt_sigtimedwait_time64:
        b_s(d->b, " ("), dec_signal(d->b, c->ret), b_c(d->b, ')');
        return;
    case SC_fork: case SC_vfork: case SC_clone: case SC_clone3:
        dec_pid_note(d->b, c->ret, c->child);
        return;
    case SC_getpid: case SC_gettid: case SC_getppid: case SC_getpgid: case SC_getpgrp:
    case SC_getsid: case SC_setsid: case SC_set_tid_address: case SC_wait4: case SC_waitpid:
        dec_pid_note(d->b, c->ret, ps_from_ns(d->t, c->ret));
        return;
    case SC_adjtimex: case SC_clock_adjtime: case SC_clock_adjtime64: fam = FAM_timexstate; break;
    case SC_sched_getscheduler: fam = FAM_schedpolicy; break;
    default: return;
    }
    b_s(d->b, " ("), dec_enum(d->b, (u64)c->ret, fam), b_c(d->b, ')');
}

/* -1 ENOENT (No such file or directory). What the kernel is about to restart has a question mark:
 * as far as the program can see the call has not ended (signal(7)). */
static void dec_ret_error(struct buf *b, int e)
{
    static const char *const restart[] = {
        [0] = "To be restarted if SA_RESTART is set",
        [1] = "To be restarted",
        [2] = "To be restarted if no handler",
        [4] = "Interrupted by signal",
    };
    const char *name = u_errname(e);
    if (e >= 512 && e <= 516 && name && restart[e - 512]) {
        b_f(b, "? %s (%s)", name, restart[e - 512]);
        return;
    }
    b_s(b, "-1 ");
    if (name)
        b_f(b, "%s (%s)", name, strerror(e));
    else
        b_f(b, "(errno %d)", e);
}

/* The result as text. */
static void dec_ret(struct buf *b, struct task *t, const struct call *c)
{
    bool dead = false;
    u64 outlen[2] = { c->outlen[0], c->outlen[1] };
    struct dec d = { .t = t, .c = c, .b = b, .outlen = outlen, .exit = true, .dead = &dead };
    if (c->noret) {
        b_c(b, '?');
    } else if (c->err) {
        dec_ret_error(b, c->err);
    } else if (dec_ret_is_fd(c)) {
        fd_label(b, t, (int)c->ret);
    } else if (dec_ret_is_addr(c)) {
        dec_k_hex(&d, (u64)c->ret);
    } else if (c->known && c->id == SC_umask) {
        dec_octal(b, (u64)c->ret);
    } else if (c->known && dec_ret_is_bits(c)) {
        b_hex(b, (u64)c->ret);
        dec_ret_detail(&d);
    } else {
        b_s64(b, c->ret);
        if (c->known)
            dec_ret_detail(&d);
    }
}
/* == 11 sc_  which call: numbers, names, sets =====================================
 * Finds a call's row by convention and number, and turns -e trace= into a set of rows. */

enum { SC_N = ARRAY_LEN(sc_rows) };

static u16 sc_id[SC_N];  /* the first row of the same name */
static bool sc_set[SC_N]; /* what -e trace= asks for (everything without it) */

static const char *sc_name(u16 row)
{
    return (const char *)&sc_names + sc_rows[row].name;
}

static void sc_init(void)
{
    for (u16 i = 0; i < SC_N; i++)
        sc_id[i] = i && sc_rows[i].name == sc_rows[i - 1].name ? sc_id[i - 1] : i;
}

/* The row of a call, or -1 when that convention has none of that number. */
static int sc_find(enum abi a, u64 nr)
{
    static const struct { const u16 *row; size_t n; } table[N_ABI] = {
        [ABI_X86_64] = { sc_nr_x86_64, ARRAY_LEN(sc_nr_x86_64) },
        [ABI_I386] = { sc_nr_i386, ARRAY_LEN(sc_nr_i386) },
        [ABI_X32] = { sc_nr_x32, ARRAY_LEN(sc_nr_x32) },
        [ABI_ARM64] = { sc_nr_arm64, ARRAY_LEN(sc_nr_arm64) },
    };
    return nr < table[a].n ? (int)table[a].row[nr] - 1 : -1;
}

/* The number of a call (SC_name), or -1 when that convention has none. */
static s64 sc_number(enum abi a, u16 id)
{
    for (u64 nr = 0; nr < 1024; nr++) {
        int row = sc_find(a, nr);
        if (row >= 0 && sc_id[row] == sc_id[id])
            return (s64)nr;
    }
    return -1;
}

/* Arguments that say what a call does and that the kernel takes as 32 bits (their SYSCALL_DEFINE):
 * what a program has left in the upper half of the register means nothing. */
static void sc_narrow(enum abi a, u64 nr, u64 *arg)
{
    static const struct { u16 id; u8 args; /* bit n: argument n */ } row[] = {
        { SC_fcntl, 2 }, { SC_fcntl64, 2 }, { SC_ioctl, 2 }, { SC_prctl, 1 }, { SC_seccomp, 3 },
        { SC_rt_sigaction, 1 }, { SC_socketcall, 1 }, { SC_shutdown, 2 }, { SC_close_range, 7 },
    };
    int r = sc_find(a, nr);
    for (size_t i = 0; r >= 0 && i < ARRAY_LEN(row); i++)
        for (int k = 0; row[i].id == sc_id[r] && k < 3; k++)
            if (row[i].args >> k & 1)
                arg[k] = (u32)arg[k];
}

static const struct { const char *name; u16 cls; } sc_classes[] = {
    { "file", CLS_FILE }, { "desc", CLS_DESC }, { "network", CLS_NET }, { "net", CLS_NET },
    { "memory", CLS_MEM }, { "process", CLS_PROC }, { "signal", CLS_SIG }, { "ipc", CLS_IPC },
    { "creds", CLS_CREDS }, { "clock", CLS_CLOCK }, { "stat", CLS_STAT }, { "lstat", CLS_LSTAT },
    { "fstat", CLS_FSTAT }, { "%stat", CLS_STAT | CLS_LSTAT | CLS_FSTAT }, { "statfs", CLS_STATFS },
    { "fstatfs", CLS_FSTATFS }, { "%statfs", CLS_STATFS | CLS_FSTATFS },
};

/* Adds the calls of a class. */
static bool sc_add_class(const char *name, bool *set)
{
    u16 cls = 0;
    for (size_t i = 0; i < ARRAY_LEN(sc_classes); i++)
        if (!strcmp(name, sc_classes[i].name))
            cls = sc_classes[i].cls;
    for (u16 i = 0; i < SC_N; i++)
        set[i] |= (sc_rows[i].cls & cls) != 0;
    return cls != 0;
}

/* Adds what one word of -e trace= names; false when it names nothing. */
static bool sc_add(const char *word, bool *set)
{
    bool hit = false;
    if (*word == '%')
        return sc_add_class(word + 1, set);
    for (u16 i = 0; i < SC_N; i++)
        if (!strcmp(word, "all") || !strcmp(word, sc_name(i))
            || (*word == '/' && u_re(word + 1, sc_name(i)) > 0))
            set[i] = hit = true;
    return hit || sc_add_class(word, set); /* strace's old spelling: trace=file */
}

/* Parses [!]word,word… of -e trace=. Returns NULL, or the word that is wrong (static). */
static const char *sc_parse(const char *expr)
{
    static char word[64];
    bool set[SC_N] = { false }, invert = *expr == '!';
    expr += invert;
    if (!*expr)
        return "";
    while (*expr) {
        size_t n = strcspn(expr, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, expr);
        bool maybe = *word == '?';
        if (n && strcmp(word, "none") && !sc_add(word + maybe, set) && !maybe)
            return word;
        expr += n + (expr[n] == ',');
    }
    for (u16 i = 0; i < SC_N; i++)
        sc_set[i] = set[i] != invert;
    return NULL;
}
/* == 12 ev_  events: what happened, as data =====================================
 * event_kinds[] is the model that every sink walks: to add a kind, add its row (name, how a line of
 * text reads, category, fields) and the function in md_ that fills it; a field that is new is one
 * row of EV_FIELDS. Text templates: {field}, {field:8} right-aligned; alternatives separated by
 * '|', the first whose fields are all present is used; NULL: never in text, only in JSON. */

enum ev_type { VT_STR, VT_NUM, VT_DUR, VT_SIZE, VT_ADDR, VT_BOOL, VT_SYM, VT_ARGV };

union ev_val {
    s64 n;
    const char *sym; /* constant text of ours */
    struct {
        const char *p; /* bytes of the tracee; valid while the event is handled */
        u32 len;
    } s;
};

#define EV_FIELDS(X) \
    X(path, STR) X(new_path, STR) X(target, STR) X(writable, BOOL) X(access, SYM) X(fd, NUM) \
    X(kind, SYM) X(bytes_read, SIZE) X(bytes_written, SIZE) X(age_ns, NUM) X(opener_pid, NUM) \
    X(sock_type, SYM) X(remote_addr, STR) X(local_addr, STR) X(in_progress, BOOL) \
    X(backlog, NUM) X(how, SYM) X(growth_bytes, SIZE) X(addr, ADDR) X(end_addr, ADDR) \
    X(size, SIZE) X(prot, SYM) X(map_type, STR) X(old_addr, ADDR) X(old_size, SIZE) \
    X(bytes, SIZE) X(filename, STR) X(fd_kind, SYM) X(src_name, STR) X(dst_name, STR) \
    X(to_network, BOOL) X(mode, SYM) X(uid, NUM) X(gid, NUM) X(child_pid, NUM) X(child_tid, NUM) \
    X(ns_pid, NUM) X(comm, STR) X(program, STR) X(argv, ARGV) X(argv_cut, BOOL) X(exit_pid, NUM) \
    X(code, NUM) X(signal, SYM) X(core, BOOL) X(code_name, SYM) X(sender_pid, NUM) \
    X(region_name, STR) X(region_start, ADDR) X(count, NUM) X(dir, BOOL) X(name, STR) \
    X(call, SYM) X(flags, STR) X(duration_ns, DUR) X(mode_bits, NUM) X(abi, SYM) \
    X(delay_ns, DUR) X(cpu, NUM) X(name_changed, BOOL) X(path_from, SYM) X(cpu_ns, DUR) \
    X(max_rss_bytes, SIZE) X(op, SYM) X(device, STR) X(queue_ns, NUM)

#define F(name, type) EV_##name,
enum ev_field { EV_FIELDS(F) N_EV_FIELDS };
#undef F

#define F(name, type) { #name, VT_##type },
static const struct { const char *name; u8 type; } ev_fields[N_EV_FIELDS] = { EV_FIELDS(F) };
#undef F

enum ev_cat { CAT_FILE, CAT_NET, CAT_MEM, CAT_PROC, CAT_SIG, CAT_CALL, N_CAT };

enum ev_kind {
    EK_OPEN, EK_CLOSE, EK_CONNECT, EK_ACCEPT, EK_BIND, EK_LISTEN, EK_SHUTDOWN, EK_BRK, EK_MMAP,
    EK_MUNMAP, EK_MREMAP, EK_MPROTECT, EK_READ, EK_WRITE, EK_SEND, EK_RECV, EK_COPY, EK_SENDFILE,
    EK_SPLICE, EK_TEE, EK_VMSPLICE, EK_UNLINK, EK_RMDIR, EK_RENAME, EK_LINK, EK_SYMLINK, EK_MKDIR,
    EK_MKNOD, EK_TRUNCATE, EK_CHMOD, EK_CHOWN, EK_SPAWN, EK_THREAD, EK_EXEC, EK_EXIT_THREAD,
    EK_EXIT_PROCESS, EK_SIGNAL, EK_FAULT, EK_FAULT_GROUP, EK_SCHED, EK_LOST, EK_SYSCALL, EK_BLOCK,
    EK_URING, EK_RSS, N_EK
};

struct event_kind {
    const char *name, *text;
    u8 cat;
    u8 n;
    u8 field[16];
};

#define FIELDS(...) \
    .n = sizeof((u8[]){ __VA_ARGS__ }), .field = { __VA_ARGS__ }
static const struct event_kind event_kinds[N_EK] = {
    [EK_OPEN] = { "open", "open {path} ({access})", CAT_FILE,
                  FIELDS(EV_path, EV_writable, EV_access, EV_fd, EV_dir, EV_name, EV_comm, EV_uid,
                         EV_call, EV_flags, EV_mode_bits, EV_duration_ns, EV_abi, EV_name_changed,
                         EV_path_from) },
    [EK_CLOSE] = { "close", NULL, CAT_FILE,
                   FIELDS(EV_fd, EV_path, EV_kind, EV_bytes_read, EV_bytes_written, EV_age_ns,
                          EV_opener_pid) },
    [EK_CONNECT] = { "connect", "connect {sock_type} → {remote_addr}", CAT_NET,
                     FIELDS(EV_sock_type, EV_remote_addr, EV_local_addr, EV_fd, EV_in_progress) },
    [EK_ACCEPT] = { "accept", "accept {sock_type} ← {remote_addr}|accept {sock_type}", CAT_NET,
                    FIELDS(EV_sock_type, EV_remote_addr, EV_local_addr, EV_fd) },
    [EK_BIND] = { "bind", "bind {sock_type} {local_addr}", CAT_NET,
                  FIELDS(EV_sock_type, EV_local_addr, EV_fd) },
    [EK_LISTEN] = { "listen", "listen {sock_type} {local_addr}|listen {sock_type}", CAT_NET,
                    FIELDS(EV_sock_type, EV_local_addr, EV_backlog, EV_fd) },
    [EK_SHUTDOWN] = { "shutdown", "shutdown {sock_type} {remote_addr} ({how})|shutdown ({how})",
                      CAT_NET, FIELDS(EV_sock_type, EV_remote_addr, EV_how, EV_fd) },
    [EK_BRK] = { "brk", "brk {growth_bytes:8} heap", CAT_MEM, FIELDS(EV_growth_bytes) },
    [EK_MMAP] = { "mmap",
                  "mmap {addr}-{end_addr} {prot} {size:8} {map_type}|mmap {size} {map_type}",
                  CAT_MEM, FIELDS(EV_addr, EV_end_addr, EV_size, EV_prot, EV_map_type) },
    [EK_MUNMAP] = { "munmap", "munmap {addr}-{end_addr} {size:8}", CAT_MEM,
                    FIELDS(EV_addr, EV_end_addr, EV_size) },
    [EK_MREMAP] = { "mremap", "mremap {old_addr} {old_size} → {addr} {size}|mremap {old_addr}",
                    CAT_MEM, FIELDS(EV_addr, EV_end_addr, EV_size, EV_old_addr, EV_old_size) },
    [EK_MPROTECT] = { "mprotect", "mprotect {addr}-{end_addr} {prot} {size:8}", CAT_MEM,
                      FIELDS(EV_addr, EV_end_addr, EV_size, EV_prot) },
    [EK_READ] = { "read", "read {bytes:9}  {filename}", CAT_FILE,
                  FIELDS(EV_bytes, EV_filename, EV_fd, EV_fd_kind) },
    [EK_WRITE] = { "write", "write {bytes:8}  {filename}", CAT_FILE,
                   FIELDS(EV_bytes, EV_filename, EV_fd, EV_fd_kind) },
    [EK_SEND] = { "send", "send {bytes:8} → {remote_addr}|send {bytes:8}", CAT_NET,
                  FIELDS(EV_bytes, EV_fd, EV_sock_type, EV_remote_addr) },
    [EK_RECV] = { "recv", "recv {bytes:8} ← {remote_addr}|recv {bytes:8}", CAT_NET,
                  FIELDS(EV_bytes, EV_fd, EV_sock_type, EV_remote_addr) },
    [EK_COPY] = { "copy_file_range", "copy {bytes:8}  {src_name} → {dst_name}", CAT_FILE,
                  FIELDS(EV_bytes, EV_src_name, EV_dst_name) },
    [EK_SENDFILE] = { "sendfile", "sendfile {bytes:8}  {src_name} → {dst_name}", CAT_FILE,
                      FIELDS(EV_bytes, EV_src_name, EV_dst_name, EV_to_network) },
    [EK_SPLICE] = { "splice", "splice {bytes:8}  {src_name} → {dst_name}", CAT_FILE,
                    FIELDS(EV_bytes, EV_src_name, EV_dst_name) },
    [EK_TEE] = { "tee", "tee {bytes:8}  {src_name} → {dst_name}", CAT_FILE,
                 FIELDS(EV_bytes, EV_src_name, EV_dst_name) },
    [EK_VMSPLICE] = { "vmsplice", "vmsplice {bytes:8}  {filename}", CAT_FILE,
                      FIELDS(EV_bytes, EV_filename, EV_fd) },
    [EK_UNLINK] = { "unlink", "unlink {path}", CAT_FILE, FIELDS(EV_path) },
    [EK_RMDIR] = { "rmdir", "rmdir {path}", CAT_FILE, FIELDS(EV_path) },
    [EK_RENAME] = { "rename", "rename {path} → {new_path}", CAT_FILE,
                    FIELDS(EV_path, EV_new_path) },
    [EK_LINK] = { "link", "link {path} → {new_path}", CAT_FILE, FIELDS(EV_path, EV_new_path) },
    [EK_SYMLINK] = { "symlink", "symlink {path} → {target}", CAT_FILE,
                     FIELDS(EV_path, EV_target) },
    [EK_MKDIR] = { "mkdir", "mkdir {path} ({mode})", CAT_FILE, FIELDS(EV_path, EV_mode) },
    [EK_MKNOD] = { "mknod", "mknod {path} ({mode})", CAT_FILE, FIELDS(EV_path, EV_mode) },
    [EK_TRUNCATE] = { "truncate", "truncate {path} to {size}", CAT_FILE, FIELDS(EV_path, EV_size) },
    [EK_CHMOD] = { "chmod", "chmod {path} {mode}", CAT_FILE, FIELDS(EV_path, EV_mode) },
    [EK_CHOWN] = { "chown", "chown {path} {uid}:{gid}", CAT_FILE, FIELDS(EV_path, EV_uid, EV_gid) },
    [EK_SPAWN] = { "spawn_process",
                   "spawn process {child_pid} ({ns_pid} in its PID NS)|spawn process {child_pid}",
                   CAT_PROC, FIELDS(EV_child_pid, EV_ns_pid, EV_comm) },
    [EK_THREAD] = { "spawn_thread",
                    "spawn thread {child_tid} ({ns_pid} in its PID NS)|spawn thread {child_tid}",
                    CAT_PROC, FIELDS(EV_child_tid, EV_ns_pid) },
    [EK_EXEC] = { "exec", "─── {comm} exec ───|exec {program}", CAT_PROC,
                  FIELDS(EV_program, EV_argv, EV_argv_cut, EV_uid) },
    [EK_EXIT_THREAD] = { "exit_thread", NULL, CAT_PROC,
                         FIELDS(EV_exit_pid, EV_code, EV_signal, EV_cpu_ns) },
    [EK_EXIT_PROCESS] = { "exit_process", "exit {code}|killed by {signal}|exit", CAT_PROC,
                          FIELDS(EV_exit_pid, EV_code, EV_signal, EV_core, EV_cpu_ns,
                                 EV_max_rss_bytes, EV_bytes_read, EV_bytes_written, EV_comm) },
    [EK_SIGNAL] = { "signal",
                    "signal {signal} from {sender_pid} ({ns_pid} in its PID NS)"
                    "|signal {signal} from {sender_pid}|signal {signal} ({code_name})",
                    CAT_SIG, FIELDS(EV_signal, EV_code_name, EV_sender_pid, EV_ns_pid, EV_addr) },
    [EK_FAULT] = { "fault", "{kind} fault in {region_name} @ {addr} ({prot})"
                            "|fault in {region_name} @ {addr} ({prot})", CAT_MEM,
                   FIELDS(EV_addr, EV_region_name, EV_prot, EV_kind) },
    [EK_FAULT_GROUP] = { "fault_group",
                         "{count} {kind} faults in {region_name} @ {region_start} ({prot})"
                         "|{count} faults in {region_name} @ {region_start} ({prot})", CAT_MEM,
                         FIELDS(EV_count, EV_region_name, EV_region_start, EV_addr, EV_prot,
                                EV_kind) },
    [EK_SCHED] = { "sched_delay", "waited {delay_ns} for CPU {cpu}", CAT_PROC,
                   FIELDS(EV_delay_ns, EV_cpu) },
    [EK_BLOCK] = { "block_io",
                   "block I/O {duration_ns} ({bytes}) {device} {op}|block I/O {duration_ns} {op}",
                   CAT_FILE,
                   FIELDS(EV_device, EV_op, EV_bytes, EV_duration_ns, EV_queue_ns) },
    [EK_URING] = { "io_uring",
                   "io_uring {op} {bytes}  {filename}|io_uring {op} {filename}|io_uring {op}",
                   CAT_FILE,
                   FIELDS(EV_op, EV_fd, EV_filename, EV_fd_kind, EV_bytes, EV_code,
                          EV_duration_ns) },
    [EK_RSS] = { "rss", NULL, CAT_MEM, FIELDS(EV_bytes) },
    [EK_LOST] = { "lost", "{count} {how}", CAT_MEM, FIELDS(EV_count, EV_how) },
    [EK_SYSCALL] = { "syscall", NULL, CAT_CALL, .n = 0 }, /* its shape is out_'s: arguments nest */
};
#undef FIELDS

struct event {
    u8 kind;
    u8 cat;              /* as in event_kinds[] unless the maker says otherwise */
    bool noise;          /* hidden in text unless --no-filter */
    bool unasked;        /* of a call that -e trace= leaves out: for nobody */
    int err;             /* errno, 0 on success */
    s32 row;             /* of the call that it tells of; -1: none */
    pid_t pid, tid;
    u64 ts_ns;           /* CLOCK_MONOTONIC */
    u64 set[(N_EV_FIELDS + 63) / 64]; /* which v[] are present */
    const struct ofd *o; /* of an I/O event: what text groups by */
    struct task *task;
    struct call *call;   /* EK_SYSCALL */
    union ev_val v[N_EV_FIELDS];
};

static struct event *ev_new(u8 kind, struct task *t, u64 ts_ns)
{
    static struct event e; /* one at a time: handled before the next is made */
    e.kind = kind;
    e.cat = event_kinds[kind].cat;
    e.noise = e.unasked = false;
    e.err = 0;
    e.row = -1;
    memset(e.set, 0, sizeof e.set);
    e.o = NULL;
    e.call = NULL;
    e.task = t;
    e.pid = t ? t->pid : 0;
    e.tid = t ? t->tid : 0;
    e.ts_ns = ts_ns;
    return &e;
}

static void ev_mark(struct event *e, enum ev_field f)
{
    e->set[f / 64] |= 1ull << f % 64;
}

static void ev_num(struct event *e, enum ev_field f, s64 n)
{
    e->v[f].n = n;
    ev_mark(e, f);
}

static void ev_sym(struct event *e, enum ev_field f, const char *s)
{
    e->v[f].sym = s;
    if (s)
        ev_mark(e, f);
}

static void ev_bytes(struct event *e, enum ev_field f, const char *p, u32 len)
{
    e->v[f].s.p = p;
    e->v[f].s.len = len;
    ev_mark(e, f);
}

static void ev_name(struct event *e, enum ev_field f, const struct name *n)
{
    if (n)
        ev_bytes(e, f, n->s, n->len);
}

/* The address of a peer; absent when there is none. */
static void ev_peer(struct event *e, enum ev_field f, const struct name *n)
{
    const char *s = fd_peer_addr(n);
    if (*s)
        ev_bytes(e, f, s, n->len - (u32)(s - n->s));
}

static bool ev_has(const struct event *e, enum ev_field f)
{
    return e->set[f / 64] >> f % 64 & 1;
}

/* == 13 out_  the sinks: text and JSON lines ====================================
 * Knows events and event_kinds[], never where an event came from. Two writers, each a buffer that
 * is flushed when it is full and whenever kvis is about to wait. A sink that breaks (EPIPE, ENOSPC)
 * is reported once and closed; the tracee goes on. Entry points: out_event,
 * out_call_enter, out_call_exit, out_flush. */

enum { OUT_BUF = 64 << 10, OUT_PATIENCE = 4 };

struct writer {
    int fd[2];          /* -1: none; the second is -o's file */
    const char *name[2];
    struct buf b;
    bool strip[2];      /* take the colours out */
};

/* What else wants all that happens: a recording, a report. */
struct out_tap {
    void (*event)(const struct event *e);
    void (*enter)(struct task *t); /* a line of -v begins */
    void (*exit)(struct task *t);  /* a call is over */
    void (*gone)(const struct task *t, const struct ofd *o); /* either is about to go away */
    void (*idle)(void);            /* I/O that was held back is printed */
    void (*flush)(void);
};

static struct {
    struct writer text, json;
    const struct out_tap *tap[4];
    u32 n_taps;
    bool json_on, events_on, colour;
    int failed;          /* errno of a sink that could not be written */
    bool (*give_up)(void); /* asked while a reader is slow: stop writing to it? */
    u64 start_ns, start_real_ns, events, last_line_ns;
    bool many;           /* more than one thread was seen: lines name theirs */
    struct task *partial; /* whose line has begun and not ended (-v) */
    u32 line_at;  /* where in text.b the line began, behind its prefix */
    u32 line_col; /* columns of it that were flushed before */
    struct {             /* consecutive I/O of one kind on one descriptor, not yet printed */
        u64 count, bytes, each, ts_ns;
        u8 kind;
        pid_t tid;
        const struct ofd *o;
        struct buf label;
    } run;
    struct {             /* consecutive block I/O of one kind, not yet printed */
        u64 count, each, sum_ns, max_ns, ts_ns, last_ns;
        pid_t tid;
        int err;
        char op[16], device[32];
    } disk;
} out = { .text.fd = { -1, -1 }, .json.fd = { -1, -1 } };

/* Of a file that nothing more can be written to: the line that was begun goes, so that those before
 * it are all that a reader finds. */
static void out_cut_line(int f, const char *all, const char *end)
{
    const char *line = end;
    while (line > all && line[-1] != '\n')
        line--;
    off_t at = f > STDERR_FILENO && line < end ? lseek(f, 0, SEEK_CUR) : -1;
    if (at >= end - line && ftruncate(f, at - (end - line)) < 0)
        return; /* a device: it has what it has */
}

/* Writes all of it; a slow reader blocks us, and with us the tracee: that is the back-pressure.
 * tr_'s tick interrupts it; when nothing has moved for OUT_PATIENCE ticks and kvis is to end, it
 * gives up. Returns 0 or -errno; -EINTR: given up. */
static int out_write_all(int f, const char *p, size_t n)
{
    const char *all = p;
    for (int stuck = 0; n;) {
        ssize_t w = write(f, p, n);
        if (w > 0) {
            p += w, n -= (size_t)w;
            stuck = 0;
        } else if (errno == EAGAIN) { /* a terminal or pipe that someone made O_NONBLOCK */
            nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
            if (++stuck >= OUT_PATIENCE * 50 && out.give_up && out.give_up())
                return -EINTR;
        } else if (errno != EINTR) {
            int e = errno;
            out_cut_line(f, all, p);
            return -e;
        } else if (++stuck >= OUT_PATIENCE && out.give_up && out.give_up()) {
            return -EINTR;
        }
    }
    return 0;
}

/* As out_write_all, without our own colours; a tracee's ESC never gets here unescaped. */
static int out_write_plain(int f, const char *p, size_t n)
{
    static char plain[OUT_BUF];
    size_t k = 0;
    bool colour = false;
    int e = 0;
    for (size_t i = 0; i < n && !e; i++) {
        if (colour)
            colour = p[i] != 'm';
        else if (p[i] == '\033')
            colour = true;
        else
            plain[k++] = p[i];
        if (k == sizeof plain || i + 1 == n) {
            e = out_write_all(f, plain, k);
            k = 0;
        }
    }
    return e;
}

static void out_writer_flush(struct writer *w)
{
    for (int i = 0; i < 2; i++) {
        if (w->fd[i] < 0 || !w->b.len)
            continue;
        int e = (w->strip[i] ? out_write_plain : out_write_all)(w->fd[i], w->b.p, w->b.len);
        if (e == 0)
            continue;
        if (e != -EPIPE && e != -EINTR) { /* EPIPE ends quietly: the reader has seen enough */
            errno = -e;
            u_warn("cannot write %s, output to it ends here:", w->name[i]);
            out.failed = -e;
        }
        w->fd[i] = -1;
    }
    if (w == &out.text) {
        out.line_col += w->b.len - out.line_at;
        out.line_at = 0;
    }
    b_reset(&w->b);
}

static void out_flush(void)
{
    if (out.text.b.len)
        out_writer_flush(&out.text);
    if (out.json.b.len)
        out_writer_flush(&out.json);
    for (u32 i = 0; i < out.n_taps; i++)
        if (out.tap[i]->flush)
            out.tap[i]->flush();
}

static void out_full(struct writer *w)
{
    if (w->b.len > OUT_BUF)
        out_writer_flush(w);
}

/* --- text --- */

static const char *const out_colour[N_CAT] = { "32", "36", "33", "35", "31", "0" };

static void out_sgr(const char *code)
{
    if (out.colour)
        b_f(&out.text.b, "\033[%sm", code);
}

/* The time in front of a line: [+0.003s], or as -t, -tt, -ttt, -r say. */
static void out_time(struct buf *b, u64 ts_ns)
{
    u64 real = out.start_real_ns + (ts_ns - out.start_ns);
    u64 rel = ts_ns > out.last_line_ns ? ts_ns - out.last_line_ns : 0;
    time_t sec = (time_t)(real / NSEC);
    struct tm tm;
    switch (opt.timefmt) {
    case 0:
        rel = (ts_ns - out.start_ns) / 1000000;
        b_s(b, "[+"), b_u64(b, rel / 1000), b_c(b, '.');
        b_c(b, (char)('0' + rel / 100 % 10));
        b_c(b, (char)('0' + rel / 10 % 10));
        b_c(b, (char)('0' + rel % 10));
        b_s(b, "s] ");
        break;
    case 'r':
        b_f(b, "%6" PRIu64 ".%06" PRIu64 " ", out.last_line_ns ? rel / NSEC : 0,
            out.last_line_ns ? rel % NSEC / 1000 : 0);
        break;
    case 3:
        b_us(b, real / 1000), b_c(b, ' ');
        break;
    default:
        if (!localtime_r(&sec, &tm)) /* a year that int does not hold */
            memset(&tm, 0, sizeof tm);
        b_f(b, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
        if (opt.timefmt == 2)
            b_f(b, ".%06" PRIu64, real % NSEC / 1000);
        b_c(b, ' ');
    }
    out.last_line_ns = ts_ns;
}

static void out_line_begin(u64 ts_ns, pid_t tid)
{
    out_sgr("2");
    out_time(&out.text.b, ts_ns);
    if (out.many) {
        b_c(&out.text.b, '[');
        b_s64(&out.text.b, tid);
        b_s(&out.text.b, "] ");
    }
    out_sgr("0");
    out.line_at = out.text.b.len;
    out.line_col = 0;
}

static void out_line_end(void)
{
    b_c(&out.text.b, '\n');
    out_full(&out.text);
}

/* A line that another thread's call has begun ends here for now, as strace users know it. */
static void out_break_partial(void)
{
    if (!out.partial)
        return;
    b_s(&out.text.b, " <unfinished ...>");
    out_line_end();
    out.partial = NULL;
}

static void out_size(struct buf *b, s64 n, int width)
{
    char tmp[32];
    struct buf s = { .p = tmp, .cap = sizeof tmp - 1, .max = sizeof tmp - 1 };
    if (n < 0)
        b_c(&s, '-');
    b_size(&s, n < 0 ? -(u64)n : (u64)n);
    for (int i = (int)s.len; i < width; i++)
        b_c(b, ' ');
    b_put(b, s.p, s.len);
}

static void out_text_field(struct buf *b, const struct event *e, u32 f, int width)
{
    const union ev_val *v = &e->v[f];
    switch (ev_fields[f].type) {
    case VT_STR:
        b_esc(b, v->s.p, v->s.len, 0);
        break;
    case VT_NUM:
        b_s64(b, v->n);
        break;
    case VT_DUR:
        b_f(b, "%" PRId64 ".%02d ms", v->n / 1000000, (int)(v->n / 10000 % 100));
        break;
    case VT_SIZE:
        out_size(b, v->n, width);
        break;
    case VT_ADDR:
        b_f(b, "%" PRIx64, (u64)v->n);
        break;
    case VT_BOOL:
        b_s(b, v->n ? "yes" : "no");
        break;
    case VT_SYM:
        b_s(b, v->sym);
        break;
    }
}

/* Field number of a name that ends at '}' or ':'; the templates are ours, so it exists. */
static u32 out_template_field(const char *p, size_t n)
{
    for (u32 f = 0; f < N_EV_FIELDS; f++)
        if (strlen(ev_fields[f].name) == n && !memcmp(ev_fields[f].name, p, n))
            return f;
    return N_EV_FIELDS;
}

/* Appends one alternative of a template up to '|' or the end; false (and nothing appended) when a
 * field of it is absent. */
static bool out_template(struct buf *b, const struct event *e, const char *p)
{
    u32 was = b->len;
    for (; *p && *p != '|'; p++) {
        if (*p != '{') {
            b_c(b, *p);
            continue;
        }
        size_t n = strcspn(++p, ":}");
        u32 f = out_template_field(p, n);
        if (f == N_EV_FIELDS || !ev_has(e, f)) {
            b->len = was;
            return false;
        }
        p += n;
        int width = *p == ':' ? atoi(p + 1) : 0;
        out_text_field(b, e, f, width);
        p += strcspn(p, "}");
    }
    return true;
}

static void out_template_any(struct buf *b, const struct event *e)
{
    for (const char *p = event_kinds[e->kind].text; p;
         p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (out_template(b, e, p))
            return;
}

/* Prints the I/O that was held back to be grouped. */
static void out_run_flush(void)
{
    if (!out.run.count)
        return;
    u64 n = out.run.count;
    out.run.count = 0;
    out_break_partial();
    out_line_begin(out.run.ts_ns, out.run.tid);
    out_sgr(out_colour[event_kinds[out.run.kind].cat]);
    b_put(&out.text.b, out.run.label.p, out.run.label.len);
    if (n > 1) {
        b_f(&out.text.b, " (x%" PRIu64 ", ", n);
        b_size(&out.text.b, out.run.bytes);
        b_s(&out.text.b, " total)");
    }
    out_sgr("0");
    out_line_end();
}

/* Holds an I/O event back while the next ones are alike: same kind, descriptor and size. */
static void out_run_add(const struct event *e)
{
    u64 bytes = (u64)e->v[EV_bytes].n;
    if (out.run.count && out.run.kind == e->kind && out.run.tid == e->tid && out.run.o == e->o
        && e->o && out.run.each == bytes) {
        out.run.count++;
        out.run.bytes += bytes;
        return;
    }
    out_run_flush();
    out.run.count = 1;
    out.run.bytes = out.run.each = bytes;
    out.run.kind = e->kind;
    out.run.tid = e->tid;
    out.run.o = e->o;
    out.run.ts_ns = e->ts_ns;
    b_reset(&out.run.label);
    out_template_any(&out.run.label, e);
}

/* A latency as people read it: 5.2ms. */
static void out_latency(struct buf *b, u64 ns)
{
    if (ns < 1000000)
        b_f(b, "%" PRIu64 "us", ns / 1000);
    else
        b_f(b, "%" PRIu64 ".%" PRIu64 "ms", ns / 1000000, ns / 100000 % 10);
}

/* Prints the block I/O that was held back; other I/O first, so that the order of lines does not
 * depend on when that was printed. */
static void out_disk_flush(void)
{
    struct buf *b = &out.text.b;
    u64 n = out.disk.count;
    if (!n)
        return;
    out.disk.count = 0;
    out_run_flush();
    out_break_partial();
    out_line_begin(out.disk.ts_ns, out.disk.tid);
    out_sgr(out.disk.err ? "31" : "36");
    b_s(b, "block I/O ");
    out_latency(b, out.disk.sum_ns / n);
    if (n > 1)
        b_s(b, " avg, "), out_latency(b, out.disk.max_ns), b_s(b, " max");
    b_s(b, " ("), b_size(b, out.disk.each);
    if (n > 1)
        b_f(b, " x%" PRIu64 ", ", n), b_size(b, out.disk.each * n), b_s(b, " total");
    b_s(b, ") "), b_esc(b, out.disk.device, strlen(out.disk.device), 0);
    b_c(b, ' '), b_esc(b, out.disk.op, strlen(out.disk.op), 0);
    if (out.disk.err)
        b_s(b, " failed: "), b_s(b, u_errname(out.disk.err) ? u_errname(out.disk.err) : "?");
    out_sgr("0");
    out_line_end();
}

/* Holds block I/O back while the next one is of the same thread, size, kind and disk. */
static void out_disk_add(const struct event *e)
{
    char device[sizeof out.disk.device] = "?", op[sizeof out.disk.op];
    u64 ns = (u64)e->v[EV_duration_ns].n, bytes = (u64)e->v[EV_bytes].n;
    if (ev_has(e, EV_device))
        snprintf(device, sizeof device, "%.*s", (int)e->v[EV_device].s.len, e->v[EV_device].s.p);
    snprintf(op, sizeof op, "%s", e->v[EV_op].sym);
    if (out.disk.tid != e->tid || out.disk.each != bytes || out.disk.err != e->err
        || strcmp(out.disk.op, op) || strcmp(out.disk.device, device))
        out_disk_flush();
    if (!out.disk.count++) {
        out.disk.ts_ns = e->ts_ns, out.disk.tid = e->tid, out.disk.each = bytes;
        out.disk.err = e->err;
        memcpy(out.disk.op, op, sizeof op), memcpy(out.disk.device, device, sizeof device);
        out.disk.sum_ns = out.disk.max_ns = 0;
    }
    out.disk.sum_ns += ns;
    out.disk.max_ns = MAX(out.disk.max_ns, ns);
    out.disk.last_ns = e->ts_ns;
}

static bool out_is_io(u8 kind)
{
    return kind == EK_READ || kind == EK_WRITE || kind == EK_SEND || kind == EK_RECV;
}

static void out_text(const struct event *e)
{
    const struct event_kind *k = &event_kinds[e->kind];
    if (!k->text || (e->noise && !opt.no_filter))
        return;
    if (e->kind == EK_SCHED || (e->kind == EK_EXIT_PROCESS && e->pid == out.disk.tid)
        || e->ts_ns > out.disk.last_ns + NSEC)
        out_disk_flush();
    if (out_is_io(e->kind) && !e->err) {
        out_run_add(e);
        return;
    }
    if (e->kind == EK_BLOCK && ev_has(e, EV_op)) {
        out_disk_add(e);
        return;
    }
    out_run_flush();
    out_break_partial();
    out_line_begin(e->ts_ns, e->tid);
    out_sgr(e->err ? "31" : out_colour[e->cat]);
    out_template_any(&out.text.b, e);
    if (e->err) {
        const char *name = u_errname(e->err);
        b_f(&out.text.b, " failed: %s", name ? name : "?");
    }
    out_sgr("0");
    out_line_end();
}

/* --- calls as text (-v) --- */

static u32 out_nargs(const struct call *c)
{
    return c->said ? c->said->nargs : c->known ? dec_nargs(c) : 6;
}

/* The convention's name where it is not the usual one, else NULL. */
static const char *out_call_abi(const struct call *c)
{
    return c->said ? c->said->abi : c->abi != ARCH_NATIVE ? arch_abi_name[c->abi] : NULL;
}

static bool out_ret_is_addr(const struct call *c)
{
    return c->said ? c->said->addr : dec_ret_is_addr(c);
}

static void out_call_bare_name(struct buf *b, const struct call *c)
{
    if (c->said)
        b_json(b, c->said->name, strlen(c->said->name)); /* of a file: who knows what it holds */
    else if (c->known)
        b_s(b, sc_name(c->row));
    else
        b_s(b, "syscall_"), b_hex(b, c->nr);
}

/* Arguments from number `from` on; at entry up to the first that only the kernel can fill.
 * Returns the number of the first that was not printed. */
static u32 out_args(struct buf *b, const struct call *c, u32 from, bool at_exit)
{
    u32 n = out_nargs(c);
    u32 i = from;
    for (; i < n; i++) {
        const struct arg *a = &c->val[i];
        if (a->form == ARG_NONE && !at_exit)
            break;
        if (i)
            b_s(b, ", ");
        if (a->form == ARG_STR)
            b_quoted(b, c->text.p + a->off, a->len, a->cut);
        else if (a->form == ARG_TXT)
            b_put(b, c->text.p + a->off, a->len);
        else
            b_hex(b, c->arg[i]);
    }
    return i;
}

static void out_call_name(struct buf *b, const struct call *c)
{
    const char *abi = out_call_abi(c);
    if (abi) {
        b_s(b, abi);
        b_c(b, ':');
    }
    out_call_bare_name(b, c);
}

static void out_call_text_begin(struct task *t, u32 *next)
{
    out_run_flush();
    out_break_partial();
    out_line_begin(t->call.enter_ns, t->tid);
    out_call_name(&out.text.b, &t->call);
    b_c(&out.text.b, '(');
    *next = out_args(&out.text.b, &t->call, 0, false);
}

/* A duration as people read it: 8.21 ms. */
static void out_ms(struct buf *b, const char *what, u64 ns)
{
    if (ns >= 10000)
        b_f(b, " %s %" PRIu64 ".%02" PRIu64, what, ns / 1000000, ns / 10000 % 100);
}

/* The time in the call, and where it went, in ms, when that was not all on a CPU. */
static void out_call_time(struct buf *b, const struct call *c)
{
    u64 ns = c->exit_ns - c->enter_ns, us = ns / 1000;
    b_s(b, " <");
    b_us(b, us);
    u64 rest = c->timed ? ns - c->cpu_ns - c->runq_ns - c->disk_ns : 0;
    if (c->timed && ns - c->cpu_ns >= 100000) {
        b_s(b, ": ms");
        out_ms(b, "disk", c->disk_ns);
        out_ms(b, "blocked", rest);
        out_ms(b, "cpu", c->cpu_ns);
        out_ms(b, "runq", c->runq_ns);
    }
    b_c(b, '>');
}

/* Pads to strace's column 40 (after the prefix), then the result and the time in the call. */
static void out_call_text_end(struct task *t)
{
    struct buf *b = &out.text.b;
    struct call *c = &t->call;
    b_c(b, ')');
    for (u32 n = out.line_col + b->len - out.line_at; n < 39; n++)
        b_c(b, ' ');
    b_s(b, " = ");
    if (c->err && !c->noret)
        out_sgr("31");
    if (c->said)
        b_put(b, c->said->ret, c->said->ret_len);
    else
        dec_ret(b, t, c);
    if (c->err && !c->noret)
        out_sgr("0");
    if (!c->noret && !c->late && c->exit_ns >= c->enter_ns)
        out_call_time(b, c);
    out_line_end();
}

/* --- JSON --- */

/* "key":"value" for bytes of the tracee, and key_hex when they are not UTF-8. */
static void out_json_str(struct buf *b, const char *key, const char *p, u32 n)
{
    b_c(b, '"'), b_s(b, key), b_s(b, "\":\"");
    bool bad = b_json(b, p, n);
    b_c(b, '"');
    if (bad) {
        b_s(b, ",\""), b_s(b, key), b_s(b, "_hex\":\"");
        b_hexbytes(b, p, n);
        b_c(b, '"');
    }
}

/* A list of NUL-terminated strings, end to end in [p, p + n). */
static void out_json_argv(struct buf *b, const char *key, const char *p, u32 n)
{
    bool bad = false;
    b_c(b, '"'), b_s(b, key), b_s(b, "\":[");
    for (const char *s = p; s < p + n; s += strnlen(s, (size_t)(p + n - s)) + 1) {
        b_s(b, s == p ? "\"" : ",\"");
        bad |= b_json(b, s, strnlen(s, (size_t)(p + n - s)));
        b_c(b, '"');
    }
    b_c(b, ']');
    if (!bad)
        return;
    b_s(b, ",\""), b_s(b, key), b_s(b, "_hex\":[");
    for (const char *s = p; s < p + n; s += strnlen(s, (size_t)(p + n - s)) + 1) {
        b_s(b, s == p ? "\"" : ",\"");
        b_hexbytes(b, s, strnlen(s, (size_t)(p + n - s)));
        b_c(b, '"');
    }
    b_c(b, ']');
}

/* Numbers beyond 2^53 lose digits in JavaScript and jq: those are strings. */
static void out_json_num(struct buf *b, s64 n)
{
    if (n > (1ll << 53) || n < -(1ll << 53))
        b_c(b, '"'), b_s64(b, n), b_c(b, '"');
    else
        b_s64(b, n);
}

/* The name of a field in JSON: what Compendium calls the target is our fd_kind. */
static const char *out_json_key(u8 kind, u32 f)
{
    return kind == EK_URING && f == EV_code ? "result"
           : f == EV_fd_kind                ? "target"
           : f == EV_code_name              ? "code"
           : f == EV_mode_bits              ? "mode"
                                            : ev_fields[f].name;
}

static void out_json_field(struct buf *b, const struct event *e, u32 f)
{
    const union ev_val *v = &e->v[f];
    const char *key = out_json_key(e->kind, f);
    b_c(b, ',');
    if (ev_fields[f].type == VT_STR) {
        out_json_str(b, key, v->s.p, v->s.len);
        return;
    }
    if (ev_fields[f].type == VT_ARGV) {
        out_json_argv(b, key, v->s.p, v->s.len);
        return;
    }
    b_c(b, '"'), b_s(b, key), b_s(b, "\":");
    switch (ev_fields[f].type) {
    case VT_NUM:
    case VT_DUR:
    case VT_SIZE:
        out_json_num(b, v->n);
        break;
    case VT_ADDR:
        b_c(b, '"'), b_hex(b, (u64)v->n), b_c(b, '"');
        break;
    case VT_BOOL:
        b_s(b, v->n ? "true" : "false");
        break;
    case VT_SYM:
        b_c(b, '"'), b_json(b, v->sym, strlen(v->sym)), b_c(b, '"');
        break;
    }
}

static void out_json_args(struct buf *b, const struct call *c)
{
    u32 n = out_nargs(c);
    bool bad = false;
    b_s(b, ",\"args\":[");
    for (u32 i = 0; i < n; i++) {
        const struct arg *a = &c->val[i];
        b_s(b, i ? ",\"" : "\"");
        if (a->form == ARG_NONE)
            b_hex(b, c->arg[i]);
        else
            bad |= b_json(b, c->text.p + a->off, a->len);
        if (a->form == ARG_STR && a->cut)
            b_s(b, "...");
        b_c(b, '"');
    }
    b_c(b, ']');
    if (!bad)
        return;
    b_s(b, ",\"args_hex\":[");
    for (u32 i = 0; i < n; i++) {
        const struct arg *a = &c->val[i];
        b_s(b, i ? "," : "");
        if (a->form != ARG_STR) {
            b_s(b, "null");
            continue;
        }
        b_c(b, '"'), b_hexbytes(b, c->text.p + a->off, a->len), b_c(b, '"');
    }
    b_c(b, ']');
}

static void out_json_call(struct buf *b, const struct call *c)
{
    const char *abi = out_call_abi(c);
    b_s(b, ",\"name\":\"");
    out_call_bare_name(b, c);
    b_c(b, '"');
    if (abi)
        b_s(b, ",\"abi\":\""), b_json(b, abi, strlen(abi)), b_c(b, '"');
    out_json_args(b, c);
    b_s(b, ",\"ret\":");
    if (c->noret || (c->ret <= -512 && c->ret >= -516))
        b_s(b, "null");
    else if (c->err)
        b_s(b, "-1");
    else if (out_ret_is_addr(c) || c->ret > (1ll << 53) || c->ret < -(1ll << 53))
        b_c(b, '"'), b_hex(b, (u64)c->ret), b_c(b, '"');
    else
        b_s64(b, c->ret);
    if (c->child && c->child != c->ret && !c->err)
        b_s(b, ",\"child_pid\":"), b_s64(b, c->child);
    b_s(b, ",\"error\":");
    const char *name = c->err ? u_errname(c->err) : NULL;
    if (name)
        b_c(b, '"'), b_s(b, name), b_c(b, '"');
    else if (c->err)
        b_c(b, '"'), b_u64(b, (u64)c->err), b_c(b, '"');
    else
        b_s(b, "null");
    b_s(b, ",\"duration_ns\":");
    c->noret || c->late ? b_s(b, "null") : b_u64(b, c->exit_ns - c->enter_ns);
    if (!c->timed || c->noret)
        return;
    b_s(b, ",\"on_cpu_ns\":"), b_u64(b, c->cpu_ns);
    b_s(b, ",\"runq_ns\":"), b_u64(b, c->runq_ns);
    b_s(b, ",\"disk_ns\":"), b_u64(b, c->disk_ns);
    b_s(b, ",\"other_ns\":");
    b_u64(b, c->exit_ns - c->enter_ns - c->cpu_ns - c->runq_ns - c->disk_ns);
    if (c->waker_pid)
        b_s(b, ",\"waker_pid\":"), b_s64(b, c->waker_pid);
    if (*c->waker_comm) {
        b_c(b, ',');
        out_json_str(b, "waker_comm", c->waker_comm,
                     (u32)strnlen(c->waker_comm, sizeof c->waker_comm));
    }
}

static void out_json(const struct event *e)
{
    const struct event_kind *k = &event_kinds[e->kind];
    struct buf *b = &out.json.b;
    b_s(b, "{\"ts_ns\":"), b_u64(b, e->ts_ns - out.start_ns);
    b_s(b, ",\"pid\":"), b_s64(b, e->pid);
    b_s(b, ",\"tid\":"), b_s64(b, e->tid);
    b_s(b, ",\"type\":\""), b_s(b, k->name), b_c(b, '"');
    for (u32 i = 0; i < k->n; i++)
        if (ev_has(e, k->field[i]))
            out_json_field(b, e, k->field[i]);
    if (e->call)
        out_json_call(b, e->call);
    else if (e->err)
        b_s(b, ",\"error\":\""), b_s(b, u_errname(e->err) ? u_errname(e->err) : "?"), b_c(b, '"');
    b_s(b, "}\n");
    out_full(&out.json);
}

/* --- the entry points --- */

/* Hands an event to every sink that is on. */
static void out_event(const struct event *e)
{
    out.events++;
    for (u32 i = 0; i < out.n_taps; i++)
        out.tap[i]->event(e);
    if (out.json_on)
        out_json(e);
    if (out.events_on && (!opt.verbose || e->cat == CAT_SIG || e->kind == EK_EXIT_PROCESS
                          || e->kind == EK_FAULT_GROUP || e->kind == EK_FAULT
                          || e->kind == EK_URING))
        out_text(e);
}

/* A call has begun: with -v its line does too, unless a filter needs to see the result first. */
static void out_call_enter(struct task *t, bool whole_only)
{
    u32 next;
    for (u32 i = 0; !whole_only && i < out.n_taps; i++)
        if (out.tap[i]->enter)
            out.tap[i]->enter(t);
    if (!out.events_on || whole_only || !opt.verbose)
        return;
    out_call_text_begin(t, &next);
    t->call.shown = (u8)next;
    t->call.begun = true;
    out.partial = t;
}

/* The call has ended (or never will): the rest of its line, and its JSON object. */
static void out_call_exit(struct task *t)
{
    struct call *c = &t->call;
    struct buf *b = &out.text.b;
    for (u32 i = 0; i < out.n_taps; i++)
        if (out.tap[i]->exit)
            out.tap[i]->exit(t);
    if (!opt.verbose)
        return;
    out.events++;
    if (out.json_on) {
        struct event *e = ev_new(EK_SYSCALL, t, c->enter_ns);
        e->call = c;
        out_json(e);
    }
    if (!out.events_on)
        return;
    u32 next = c->shown;
    if (!c->begun) {
        out_call_text_begin(t, &next);
    } else if (out.partial != t) {
        out_run_flush();
        out_break_partial();
        out_line_begin(c->exit_ns, t->tid);
        b_s(b, "<... "), out_call_name(b, c), b_s(b, " resumed>");
    }
    out.partial = NULL;
    out_args(b, c, next, true);
    out_call_text_end(t);
}

/* Nothing happens: what was held back is printed. */
static void out_idle(void)
{
    for (u32 i = 0; out.run.count && i < out.n_taps; i++)
        if (out.tap[i]->idle)
            out.tap[i]->idle();
    out_run_flush();
}

/* An open file is about to go away, and its memory to another. */
static void out_forget_file(const struct ofd *o)
{
    for (u32 i = 0; i < out.n_taps; i++)
        if (out.tap[i]->gone)
            out.tap[i]->gone(NULL, o);
    if (out.run.count && out.run.o == o)
        out_run_flush();
}

/* A task is about to go away: nothing may point to it any more. */
static void out_forget(const struct task *t)
{
    for (u32 i = 0; i < out.n_taps; i++)
        if (out.tap[i]->gone)
            out.tap[i]->gone(t, NULL);
    if (out.partial == t)
        out_break_partial();
}
/* == 14 st_  counts, percentiles, the table of -c and the summary ==================
 * Times go into log-linear histograms, 16 buckets an octave, so that a percentile is within 1/32 of
 * the truth (DESIGN, "Maps only for aggregates"). Entry points: st_call, st_io, st_open_at_exit,
 * st_table, st_summary. */

enum { ST_BUCKETS = 16 + 60 * 16, ST_ERRNOS = 256, ST_LEFT_OPEN = 256, ST_TABLES = 1024,
       ST_WHERE = 512 };

struct st_row {
    u64 calls, errors, time_ns, max_ns;
    u32 hist[ST_BUCKETS];
};

/* Calls of one name on one file, and where their time went. */
struct st_where {
    u16 row;
    const struct name *on;
    u64 calls, ns, cpu, runq, disk;
};

/* Where the time of a call's name went, over all calls of which that is known. */
struct st_waits { u64 calls, ns, cpu, runq, disk; };

/* Waits for a CPU, as the kernel counted them; max_ns 0: none was long enough to be a record. */
struct st_delays {
    u64 count, sum_ns, max_ns;
    u32 hist[DELAY_BUCKETS];
};

/* What a disk did meanwhile, for whomever: diskstats' numbers (Documentation/admin-guide/iostats).
 */
enum { ST_DISKS = 32, ST_DISK_NAME = 32 };
struct st_disk {
    char name[ST_DISK_NAME];
    u64 v[7];
};

/* The requests that the program's threads made of disks. */
struct st_io {
    struct st_delays took;
    u64 read, written, lost;
    struct st_disk disk[ST_DISKS];
    u32 n_disks;
};

/* A table of calls: the whole run's, or one process's (--by=pid). */
struct stats {
    struct stats *next;
    pid_t pid;
    char comm[16];
    struct st_row *row[ARRAY_LEN(sc_rows)];
};

static struct {
    struct stats all;
    struct stats counted; /* of the whole run, too: in the kernel */
    struct stats *procs; /* newest first */
    u32 n_tables;
    bool untabled;       /* there were more processes than tables */
    u64 syscalls, file_in, file_out, net_in, net_out, other_in, other_out, uring, faults,
        major_faults, no_major, fault_lost, uring_done, uring_lost; /* no_major: cannot be seen */
    struct { u16 row; u16 err; u64 count; } failed[ST_ERRNOS]; /* open addressing; count 0: free */
    u64 failed_other;
    struct {
        pid_t pid;
        s32 fd;
        u8 kind;
        char comm[16];
        const char *sock;
        struct name *name;
    } left[ST_LEFT_OPEN];
    u64 n_left;
    struct st_where where[ST_WHERE];
    struct st_waits waits[ARRAY_LEN(sc_rows)];
    struct name *program[64]; /* of the commands run, each once */
    u32 n_programs;
} st;

static u32 st_bucket(u64 v)
{
    if (v < 16)
        return (u32)v;
    u32 e = 63 - (u32)__builtin_clzll(v);
    return 16 + (e - 4) * 16 + (u32)(v >> (e - 4) & 15);
}

/* The middle of a bucket. */
static u64 st_bucket_value(u32 i)
{
    if (i < 16)
        return i;
    u32 e = (i - 16) / 16 + 4;
    u64 low = (16 + (u64)(i - 16) % 16) << (e - 4);
    return low + (1ull << (e - 4)) / 2;
}

/* The value below which the share `p` (0..1) of the counts lies; never above the maximum seen. */
static u64 st_percentile(const struct st_row *r, double p)
{
    u64 want = (u64)(p * (double)r->calls), seen = 0;
    for (u32 i = 0; i < ST_BUCKETS; i++)
        if ((seen += r->hist[i]) > want)
            return MIN(st_bucket_value(i), r->max_ns);
    return r->max_ns;
}

static struct st_row *st_row_of(struct stats *s, u16 row)
{
    if (!s->row[row])
        s->row[row] = calloc(1, sizeof *s->row[row]); /* once a call name, not once a call */
    return s->row[row];
}

/* A connect under way has not failed; what sigreturn "returns" is the register of whatever the
 * signal interrupted (sigreturn(2)). */
static bool st_has_failed(const struct call *c)
{
    return c->err && !c->noret && c->err != EINPROGRESS && c->id != SC_rt_sigreturn
        && c->id != SC_sigreturn;
}

static void st_add(struct stats *s, const struct call *c, u64 ns)
{
    struct st_row *r = st_row_of(s, c->row);
    if (!r)
        return;
    r->calls++;
    r->errors += st_has_failed(c);
    r->time_ns += ns;
    r->max_ns = MAX(r->max_ns, ns);
    r->hist[st_bucket(ns)]++;
}

static void st_failed(u16 row, int err)
{
    for (u32 i = (row * 31u + (u32)err) % ST_ERRNOS, k = 0; k < ST_ERRNOS; k++) {
        u32 at = (i + k) % ST_ERRNOS;
        if (!st.failed[at].count) {
            st.failed[at].row = row;
            st.failed[at].err = (u16)err;
        }
        if (st.failed[at].row == row && st.failed[at].err == err) {
            st.failed[at].count++;
            return;
        }
    }
    st.failed_other++;
}

/* The table of one process, made when it is first needed. */
static struct stats *st_of_proc(struct task *t)
{
    if (!t->proc)
        return NULL;
    if (!t->proc->stats) {
        struct stats *s = st.n_tables < ST_TABLES ? calloc(1, sizeof *s) : NULL;
        if (!s) {
            st.untabled = true;
            return NULL;
        }
        st.n_tables++;
        s->pid = t->pid;
        s->next = st.procs;
        st.procs = t->proc->stats = s;
    }
    memcpy(t->proc->stats->comm, t->comm, sizeof t->comm);
    return t->proc->stats;
}

/* Books a call by its name and what it was about, when it is known where its time went. A table
 * that is full keeps what it has. */
static void st_where(struct task *t, const struct call *c)
{
    bool on_fd = c->known && sc_rows[c->row].nargs && sc_rows[c->row].arg[0] == K_FD;
    struct fdent *e = on_fd ? fd_find(t->files, (s32)c->arg[0]) : NULL;
    const struct name *on = e && e->o ? e->o->name : NULL;
    u32 h = (u32)(c->row * 31u + (on ? on->hash : 0));
    for (u32 i = 0; i < 16; i++) {
        struct st_where *w = &st.where[(h + i) % ST_WHERE];
        if (w->calls && (w->row != c->row || w->on != on))
            continue;
        w->row = c->row, w->on = on;
        w->calls++;
        w->ns += c->exit_ns - c->enter_ns;
        w->cpu += c->cpu_ns, w->runq += c->runq_ns, w->disk += c->disk_ns;
        return;
    }
}

static void st_waits(const struct call *c)
{
    struct st_waits *w = &st.waits[c->row];
    w->calls++;
    w->ns += c->exit_ns - c->enter_ns;
    w->cpu += c->cpu_ns, w->runq += c->runq_ns, w->disk += c->disk_ns;
}

/* Counts a call that has returned. A call that the kernel restarts (ERESTART*) is counted when it
 * finally returns (EDGE_CASES P20). */
static void st_call(struct task *t, const struct call *c)
{
    if (c->known && !sc_set[c->row])
        return; /* it stopped for kvis's own sake */
    st.syscalls++;
    if (!c->known)
        return;
    if (st_has_failed(c))
        st_failed(c->row, c->err);
    if (c->timed && !c->noret)
        st_where(t, c), st_waits(c);
    if ((!opt.count_only && !opt.count_too) || c->late)
        return;
    u64 ns = c->noret ? 0 : c->exit_ns - c->enter_ns;
    st_add(&st.all, c, ns);
    struct stats *p = opt.by_pid ? st_of_proc(t) : NULL;
    if (p)
        st_add(p, c, ns);
}

/* Books bytes that moved through an open file. in: read or received. */
static void st_io(struct ofd *o, struct name *peer, u64 bytes, bool in)
{
    bool net = o->kind == FK_SOCK, file = o->kind == FK_FILE || o->kind == FK_MEMFD;
    *(in ? (net ? &st.net_in : file ? &st.file_in : &st.other_in)
         : (net ? &st.net_out : file ? &st.file_out : &st.other_out)) += bytes;
    struct name *n = net ? (peer ? peer : o->peer) : o->name;
    *(in ? &o->in_bytes : &o->out_bytes) += bytes;
    if (n)
        *(in ? &n->in_bytes : &n->out_bytes) += bytes;
    if (n && !net)
        n->kind = o->kind;
}

static void st_program(struct name *n)
{
    for (u32 i = 0; i < st.n_programs; i++)
        if (st.program[i] == n)
            return;
    if (st.n_programs < ARRAY_LEN(st.program))
        st.program[st.n_programs++] = n;
}

/* Notes what a process that ends has opened itself and not closed. */
static void st_open_at_exit(const struct task *t)
{
    const struct files *f = t->files;
    for (u32 i = 0; f && f->refs == 1 && i < f->cap; i++) {
        const struct ofd *o = f->slot[i].fd >= 0 ? f->slot[i].o : NULL;
        if (!o || o->inherited || o->opener != t->pid)
            continue;
        if (st.n_left < ST_LEFT_OPEN) {
            u32 k = (u32)st.n_left;
            st.left[k].pid = t->pid;
            st.left[k].fd = f->slot[i].fd;
            st.left[k].kind = o->kind;
            st.left[k].sock = o->sock;
            st.left[k].name = o->peer ? o->peer : o->local ? o->local : o->name;
            memcpy(st.left[k].comm, t->comm, sizeof t->comm);
        }
        st.n_left++;
    }
}

/* --- the table of -c --- */

static struct { const struct stats *s; const char *key; } st_sort;

static double st_key(const struct st_row *r, const char *key)
{
    return !strcmp(key, "calls") ? (double)r->calls
         : !strcmp(key, "errors") ? (double)r->errors
         : !strcmp(key, "max") ? (double)r->max_ns
         : !strcmp(key, "p99") ? (double)st_percentile(r, 0.99)
         : !strcmp(key, "p50") ? (double)st_percentile(r, 0.5)
         : !strcmp(key, "avg-time") ? (double)r->time_ns / (double)r->calls
         : (double)r->time_ns;
}

static int st_compare(const void *pa, const void *pb)
{
    u16 a = *(const u16 *)pa, b = *(const u16 *)pb;
    double ka = st_key(st_sort.s->row[a], st_sort.key), kb = st_key(st_sort.s->row[b], st_sort.key);
    if (strcmp(st_sort.key, "name") && ka != kb)
        return ka < kb ? 1 : -1;
    return strcmp(sc_name(a), sc_name(b));
}

static void st_table_row(struct buf *b, const struct st_row *r, u64 total_ns, const char *name)
{
    char errors[24] = "";
    if (r->errors)
        snprintf(errors, sizeof errors, "%" PRIu64, r->errors);
    b_f(b, "%6.2f %11.6f %11" PRIu64 " %9" PRIu64 " %9s %8.1f %8.1f %9.1f %s\n",
        total_ns ? 100.0 * (double)r->time_ns / (double)total_ns : 0, (double)r->time_ns / 1e9,
        r->calls ? r->time_ns / r->calls / 1000 : 0, r->calls, errors,
        (double)st_percentile(r, 0.5) / 1e3, (double)st_percentile(r, 0.99) / 1e3,
        (double)r->max_ns / 1e3, name);
}

static void st_row_add(struct st_row *to, const struct st_row *r)
{
    to->calls += r->calls, to->errors += r->errors, to->time_ns += r->time_ns;
    to->max_ns = MAX(to->max_ns, r->max_ns);
    for (u32 k = 0; k < ST_BUCKETS; k++)
        to->hist[k] += r->hist[k];
}

/* Appends strace's table, with percentiles: times are wall-clock time in the call, in seconds and
 * µs. */
static void st_one_table(struct buf *b, const struct stats *s)
{
    static struct st_row total; /* 4 KB: not on the stack */
    u16 order[ARRAY_LEN(sc_rows)];
    u32 n = 0;
    memset(&total, 0, sizeof total);
    for (u16 i = 0; i < ARRAY_LEN(sc_rows); i++) {
        const struct st_row *r = s->row[i];
        if (!r || !r->calls)
            continue;
        order[n++] = i;
        st_row_add(&total, r);
    }
    st_sort.s = s;
    st_sort.key = opt.sort ? opt.sort : "time";
    qsort(order, n, sizeof *order, st_compare);
    b_s(b,
        "% time     seconds  usecs/call     calls    errors   p50 us   p99 us    max us syscall\n"
        "------ ----------- ----------- --------- --------- -------- -------- --------- "
        "----------------\n");
    for (u32 i = 0; i < n; i++)
        st_table_row(b, s->row[order[i]], total.time_ns, sc_name(order[i]));
    b_s(b, "------ ----------- ----------- --------- --------- -------- -------- --------- "
           "----------------\n");
    st_table_row(b, &total, total.time_ns, "total");
}

/* What kvis has counted and what the kernel has. */
static const struct stats *st_both(void)
{
    static struct stats both, sums;
    for (u16 i = 0; i < ARRAY_LEN(sc_rows); i++) {
        struct st_row *a = st.all.row[i], *k = st.counted.row[i],
                      *sum = a && k ? st_row_of(&sums, i) : NULL;
        both.row[i] = sum ? sum : k ? k : a;
        if (sum) {
            *sum = *a;
            st_row_add(sum, k);
        }
    }
    return &both;
}

static void st_table(struct buf *b)
{
    for (const struct stats *s = st.procs; opt.by_pid && s; s = s->next) {
        b_f(b, "\nprocess %d ", s->pid);
        b_esc(b, s->comm, strnlen(s->comm, sizeof s->comm), 0);
        b_c(b, '\n');
        st_one_table(b, s);
    }
    if (st.untabled)
        b_f(b, "\n(more than %d processes: the rest is in the last table only)\n", ST_TABLES);
    if (opt.by_pid)
        b_s(b, "\nall processes\n");
    st_one_table(b, st_both());
}

/* --- the summary --- */

#define ST_PROC "proc" /* the backend that kvis proc is in a recording */

struct st_end {
    int status; /* wait status of the command; -1: none (attached, or detached before its end) */
    u64 duration_ns;
    const char *backend;
    const struct st_delays *delays; /* NULL: not known */
    const struct st_io *io;         /* the same */
    u64 records, throttled; /* calls recorded by BPF, stops for its ring's sake */
    u64 lost;               /* calls that are missing */
    u64 commands;           /* kvis proc: how many; its recordings have no calls */
    u64 bpf_ns, bpf_runs;   /* of the BPF programs, for the whole box; 0: not asked for */
    u64 cpu_ns;             /* kvis proc: what all used; 0: not known */
};

/* Collects the names of a class that match, most bytes first; returns how many (at most max). */
static u32 st_names(struct name **list, u32 max, bool (*want)(const struct name *))
{
    u32 n = 0;
    for (u32 i = 0; i < NM_BUCKETS; i++)
        for (struct name *e = nm.hash[i]; e; e = e->next) {
            if (!want(e))
                continue;
            u64 bytes = e->in_bytes + e->out_bytes;
            u32 k = MIN(n, max - 1);
            if (n >= max && list[k]->in_bytes + list[k]->out_bytes >= bytes)
                continue;
            for (; k && list[k - 1]->in_bytes + list[k - 1]->out_bytes < bytes; k--)
                list[k] = list[k - 1];
            list[k] = e;
            n += n < max;
        }
    return n;
}

static bool st_is_file(const struct name *n)
{
    return n->cls == 'f' && (n->opens || n->in_bytes || n->out_bytes);
}

static bool st_is_file_with_bytes(const struct name *n)
{
    return n->cls == 'f' && (n->in_bytes || n->out_bytes)
        && (n->kind == FK_FILE || n->kind == FK_MEMFD) && (opt.no_filter || !nm_noise(n->s));
}

static bool st_is_peer(const struct name *n)
{
    return n->cls == 'p' && (n->opens || n->in_bytes || n->out_bytes);
}

/* A peer that connect(2) was asked for (or accept gave), other than this machine itself. */
static bool st_is_connection(const struct name *n)
{
    return n->cls == 'p' && n->opens;
}

static bool st_is_remote(const struct name *n)
{
    const char *a = fd_peer_addr(n);
    return st_is_connection(n)
        && (opt.no_filter || (strncmp(a, "127.", 4) && strncmp(a, "[::1]", 5)));
}

static u64 st_count(bool read)
{
    u64 n = 0;
    for (u32 i = 0; i < NM_BUCKETS; i++)
        for (struct name *e = nm.hash[i]; e; e = e->next)
            n += e->cls == 'f' && e->kind == FK_FILE && (read ? e->read : e->written);
    return n;
}

static void st_line(struct buf *b, const char *label, u64 bytes)
{
    b_f(b, "   %-15s", label);
    out_size(b, (s64)bytes, 10);
    b_c(b, '\n');
}

static void st_text_lists(struct buf *b)
{
    struct name *list[10];
    u32 n = st_names(list, 10, st_is_file_with_bytes);
    if (n)
        b_s(b, " Top files:\n");
    for (u32 i = 0; i < n; i++) {
        b_s(b, "   ");
        out_size(b, (s64)list[i]->in_bytes, 9), b_s(b, " in ");
        out_size(b, (s64)list[i]->out_bytes, 9), b_s(b, " out  ");
        b_esc(b, list[i]->s, list[i]->len, 0);
        b_c(b, '\n');
    }
    n = st_names(list, 10, st_is_remote);
    if (n)
        b_s(b, " Network connections:\n");
    for (u32 i = 0; i < n; i++) {
        const char *a = fd_peer_addr(list[i]);
        b_s(b, "   ");
        b_put(b, list[i]->s, (size_t)(a - list[i]->s));
        b_s(b, "→ ");
        b_esc(b, a, list[i]->len - (u32)(a - list[i]->s), 0);
        b_s(b, "  ");
        b_size(b, list[i]->out_bytes), b_s(b, " sent, ");
        b_size(b, list[i]->in_bytes), b_s(b, " received\n");
    }
}

/* --- where the time went --- */

static int st_where_cmp(const void *a, const void *b)
{
    const struct st_where *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

/* Sorts the table, most time first; returns how many rows are worth showing. */
static u32 st_where_top(void)
{
    u32 n = 0;
    qsort(st.where, ST_WHERE, sizeof st.where[0], st_where_cmp);
    while (n < 10 && st.where[n].ns >= 1000000)
        n++;
    return n;
}

static void st_text_where(struct buf *b)
{
    u32 n = st_where_top();
    if (n)
        b_s(b, " Where time went (ms):  total     cpu    runq    disk  blocked\n");
    for (u32 i = 0; i < n; i++) {
        const struct st_where *w = &st.where[i];
        u64 part[] = { w->ns, w->cpu, w->runq, w->disk, w->ns - w->cpu - w->runq - w->disk };
        b_f(b, "   %-16s", sc_name(w->row));
        for (size_t k = 0; k < ARRAY_LEN(part); k++)
            b_f(b, k ? " %5" PRIu64 ".%01" PRIu64 : " %8" PRIu64 ".%01" PRIu64, part[k] / 1000000,
                part[k] / 100000 % 10);
        b_s(b, "   ");
        if (w->on)
            b_esc(b, w->on->s, w->on->len, 0);
        b_f(b, " (%" PRIu64 " calls)\n", w->calls);
    }
}

static void st_json_where(struct buf *b)
{
    u32 n = st_where_top();
    b_s(b, ",\"where_time_went\":[");
    for (u32 i = 0; i < n; i++) {
        const struct st_where *w = &st.where[i];
        b_f(b, "%s{\"name\":\"%s\",\"calls\":%" PRIu64 ",\"duration_ns\":%" PRIu64
            ",\"on_cpu_ns\":%" PRIu64 ",\"runq_ns\":%" PRIu64 ",\"disk_ns\":%" PRIu64
            ",\"other_ns\":%" PRIu64, i ? "," : "", sc_name(w->row), w->calls, w->ns, w->cpu,
            w->runq, w->disk, w->ns - w->cpu - w->runq - w->disk);
        if (w->on)
            b_c(b, ','), out_json_str(b, "on", w->on->s, w->on->len);
        b_c(b, '}');
    }
    b_c(b, ']');
}

/* The same of all calls of which it is known. */
static void st_json_call_time(struct buf *b)
{
    struct st_waits all = { 0 };
    for (u16 i = 0; i < SC_N; i++) {
        const struct st_waits *w = &st.waits[i];
        all.calls += w->calls, all.ns += w->ns;
        all.cpu += w->cpu, all.runq += w->runq, all.disk += w->disk;
    }
    b_f(b, ",\"call_time\":{\"calls\":%" PRIu64 ",\"on_cpu_ns\":%" PRIu64 ",\"runq_ns\":%" PRIu64
        ",\"disk_ns\":%" PRIu64 ",\"other_ns\":%" PRIu64 "}", all.calls, all.cpu, all.runq,
        all.disk, all.ns - all.cpu - all.runq - all.disk);
}

/* The value below which the share p of the waits for a CPU lies. */
static u64 st_delay_at(const struct st_delays *d, double p)
{
    u64 want = (u64)(p * (double)d->count), seen = 0;
    for (u32 i = 0; i < DELAY_BUCKETS; i++)
        if ((seen += d->hist[i]) > want)
            return MIN(st_bucket_value(i), d->max_ns ? d->max_ns : ~0ull);
    return d->max_ns;
}

static void st_text_delays(struct buf *b, const char *what, const struct st_delays *d)
{
    u64 v[] = { d->sum_ns / d->count, st_delay_at(d, 0.5), st_delay_at(d, 0.99), d->max_ns };
    static const char *const name[] = { "avg", "p50", "p99", "max" };
    b_f(b, " %s,", what);
    for (size_t i = 0; i < ARRAY_LEN(v); i++)
        if (v[i] || i < 3)
            b_f(b, "%s %s %" PRIu64 ".%03" PRIu64 " ms", i ? "," : "", name[i], v[i] / 1000000,
                v[i] / 1000 % 1000);
}

static void st_text_waits(struct buf *b, const struct st_delays *d)
{
    char what[64];
    if (!d || !d->count)
        return;
    snprintf(what, sizeof what, "Scheduler: %" PRIu64 " waits for a CPU", d->count);
    st_text_delays(b, what, d);
    b_c(b, '\n');
}

static void st_json_delays(struct buf *b, const char *count, const char *what,
                           const struct st_delays *d)
{
    if (!d || !d->count)
        return;
    b_f(b, ",\"%s\":%" PRIu64 ",\"%s_ns\":%" PRIu64 ",\"%s_p50_ns\":%" PRIu64 ",\"%s_p99_ns\":%"
        PRIu64, count, d->count, what, d->sum_ns, what, st_delay_at(d, 0.5), what,
        st_delay_at(d, 0.99));
    if (d->max_ns)
        b_f(b, ",\"%s_max_ns\":%" PRIu64, what, d->max_ns);
}

/* --- block I/O --- */

static const char *const st_disk_key[] = {
    "reads", "read_bytes", "writes", "written_bytes", "discards", "discarded_bytes", "flushes"
};

/* A request that is done. */
static void st_request(struct st_io *io, u64 ns, u64 read, u64 written)
{
    io->took.count++;
    io->took.sum_ns += ns;
    io->took.max_ns = MAX(io->took.max_ns, ns);
    io->took.hist[st_bucket(ns)]++;
    io->read += read;
    io->written += written;
}

static void st_text_io_of(struct buf *b, const struct st_io *io)
{
    char what[64];
    if (!io->took.count)
        return;
    snprintf(what, sizeof what, "Block I/O: %" PRIu64 " requests", io->took.count);
    st_text_delays(b, what, &io->took);
    b_s(b, " ("), b_size(b, io->read), b_s(b, " read, ");
    b_size(b, io->written), b_s(b, " written)\n");
}

static void st_text_disks(struct buf *b, const struct st_io *io)
{
    if (!io)
        return;
    st_text_io_of(b, io);
    if (io->n_disks)
        b_s(b, " Disks meanwhile, for all programs (diskstats):\n");
    for (u32 i = 0; i < io->n_disks; i++) {
        const struct st_disk *d = &io->disk[i];
        b_s(b, "   "), b_esc(b, d->name, strlen(d->name), 0);
        for (u32 k = 0; k < ARRAY_LEN(d->v); k += 2) {
            b_f(b, "%s %" PRIu64 " %s", k ? "," : "", d->v[k], st_disk_key[k]);
            if (k + 1 < ARRAY_LEN(d->v) && d->v[k])
                b_c(b, ' '), b_size(b, d->v[k + 1]);
        }
        b_c(b, '\n');
    }
}

static void st_json_disks(struct buf *b, const struct st_io *io)
{
    b_f(b, ",\"block_read_bytes\":%" PRIu64 ",\"block_written_bytes\":%" PRIu64
        ",\"lost_block_ios\":%" PRIu64 ",\"disks\":[", io->read, io->written, io->lost);
    for (u32 i = 0; i < io->n_disks; i++) {
        b_s(b, i ? ",{" : "{");
        out_json_str(b, "device", io->disk[i].name, strlen(io->disk[i].name));
        for (u32 k = 0; k < ARRAY_LEN(io->disk[i].v); k++)
            b_f(b, ",\"%s\":%" PRIu64, st_disk_key[k], io->disk[i].v[k]);
        b_c(b, '}');
    }
    b_c(b, ']');
}

static void st_text_failed(struct buf *b)
{
    bool used[ST_ERRNOS] = { false }, first = true;
    for (u32 k = 0; k < 8; k++) {
        s32 best = -1;
        for (u32 i = 0; i < ST_ERRNOS; i++)
            if (!used[i] && st.failed[i].count
                && (best < 0 || st.failed[i].count > st.failed[best].count))
                best = (s32)i;
        if (best < 0)
            break;
        used[best] = true;
        const char *e = u_errname(st.failed[best].err);
        b_f(b, "%s   %-12s %6" PRIu64 "  %s\n", first ? " Failed calls:\n" : "", e ? e : "?",
            st.failed[best].count, sc_name(st.failed[best].row));
        first = false;
    }
}

static void st_text_left(struct buf *b)
{
    if (st.n_left)
        b_s(b, " Still open at exit:\n");
    for (u32 i = 0; i < MIN(st.n_left, 8); i++) {
        b_f(b, "   [%d ", st.left[i].pid);
        b_esc(b, st.left[i].comm, strnlen(st.left[i].comm, 16), 0);
        b_f(b, "] %d %s ", st.left[i].fd, fd_kind_name[st.left[i].kind]);
        if (st.left[i].name)
            b_esc(b, st.left[i].name->s, st.left[i].name->len, 0);
        b_c(b, '\n');
    }
    if (st.n_left > 8)
        b_f(b, "   ... and %" PRIu64 " more\n", st.n_left - 8);
}

static void st_text_exit(struct buf *b, int status)
{
    if (status == -1)
        b_s(b, " Exit: still running\n");
    else if (WIFSIGNALED(status))
        b_f(b, " Exit: killed by %s%s\n", u_signame(WTERMSIG(status)),
            WCOREDUMP(status) ? " (core dumped)" : "");
    else
        b_f(b, " Exit: %d\n", WEXITSTATUS(status));
}

/* The command line as one line of text, escaped. */
static void st_command(struct buf *b)
{
    for (char **a = opt.command; a && *a; a++) {
        b_s(b, a == opt.command ? "" : " ");
        b_esc(b, *a, MIN(strlen(*a), 200), 0);
    }
    for (u32 i = 0; i < opt.n_pids; i++)
        b_f(b, "%s%d", i ? ", " : "pid ", opt.pids[i]);
}

static void st_rule(struct buf *b)
{
    for (int i = 0; i < 64; i++)
        b_s(b, "━");
    b_c(b, '\n');
}

static void st_text_trouble(struct buf *b, const struct st_end *end)
{
    if (mem.unreadable)
        b_f(b, " Unreadable: %" PRIu64 " arguments whose pages did not come in time\n",
            mem.unreadable);
    if (nm.overflow)
        b_f(b, " Names: %" PRIu64 " more than fit are counted as one\n", nm.overflow);
    if (st.uring_done)
        b_f(b, " io_uring: %" PRIu64 " results\n", st.uring_done);
    else if (st.uring)
        b_f(b, " io_uring: %" PRIu64 " requests submitted; what they did is not seen by ptrace\n",
            st.uring);
    b_f(b, " Lost: %" PRIu64 " calls", end->lost);
    if (end->io && end->io->lost)
        b_f(b, ", %" PRIu64 " requests of disks", end->io->lost);
    if (st.uring_lost)
        b_f(b, ", %" PRIu64 " of io_uring's", st.uring_lost);
    if (opt.faults)
        b_f(b, ", %" PRIu64 " page-fault samples", st.fault_lost);
    b_c(b, '\n');
}

/* Whether all calls are traced that a part of the summary counts: else it would be too small. */
static bool st_all_asked(const u16 *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!sc_set[rows[i]])
            return false;
    return true;
}

static bool st_knows_memory(void)
{
    static const u16 rows[] = { SC_brk, SC_mmap, SC_munmap, SC_mremap };
    return st_all_asked(rows, ARRAY_LEN(rows));
}

static bool st_knows_io(void)
{
    static const u16 rows[] = { SC_read,     SC_write,  SC_pread64,        SC_pwrite64, SC_readv,
                                SC_writev,   SC_sendto, SC_recvfrom,       SC_sendmsg,  SC_recvmsg,
                                SC_sendfile, SC_splice, SC_copy_file_range };
    return st_all_asked(rows, ARRAY_LEN(rows));
}

static void st_text_memory(struct buf *b)
{
    if (!st_knows_memory()) {
        b_s(b, " Memory: n/a (-e trace= leaves out some of its calls)\n");
        return;
    }
    b_s(b, " Memory:\n");
    st_line(b, "Heap:", vm.heap_bytes);
    b_f(b, "   %-15s", "Mmap:"), out_size(b, (s64)vm.map_bytes, 10);
    b_f(b, " (%" PRIu64 " regions)\n", vm.map_regions);
    st_line(b, "Total:", vm.heap_bytes + vm.map_bytes);
}

static void st_text_io(struct buf *b)
{
    if (!st_knows_io()) {
        b_s(b, " I/O: n/a (-e trace= leaves out some of its calls)\n");
        return;
    }
    b_s(b, " I/O:\n");
    st_line(b, "Files read:", st.file_in);
    st_line(b, "Files written:", st.file_out);
    st_line(b, "Net sent:", st.net_out);
    st_line(b, "Net received:", st.net_in);
    if (st.other_in | st.other_out) {
        st_line(b, "Other read:", st.other_in);
        st_line(b, "Other written:", st.other_out);
    }
}

/* Of a recording by kvis proc. */
static bool st_no_calls(const struct st_end *end)
{
    return !strcmp(end->backend, ST_PROC);
}

static void st_text_calls(struct buf *b, const struct st_end *end)
{
    st_text_memory(b);
    if (opt.faults)
        b_f(b, "   %-15s%10" PRIu64 " (heap and anon)\n", "Page faults:", st.faults);
    if (opt.faults && !st.no_major)
        b_f(b, "   %-15s%10" PRIu64 "\n", "Major faults:", st.major_faults);
    st_text_io(b);
    b_f(b, " Files: %" PRIu64 " read, %" PRIu64 " written\n", st_count(true), st_count(false));
    st_text_lists(b);
    st_text_failed(b);
    st_text_left(b);
    st_text_where(b);
    st_text_waits(b, end->delays);
    st_text_disks(b, end->io);
    b_f(b, " Processes: %" PRIu64 ", threads: %" PRIu64 ", calls traced: %" PRIu64 "\n",
        ps.processes, ps.threads, st.syscalls);
    b_f(b, " Backend: %s", end->backend);
    if (end->records)
        b_f(b, " (%" PRIu64 " calls recorded, threads held %" PRIu64 " times at their end)",
            end->records, end->throttled);
    b_c(b, '\n');
    if (end->bpf_runs)
        b_f(b, " BPF programs: %" PRIu64 ".%03" PRIu64 " ms in %" PRIu64 " runs\n",
            end->bpf_ns / 1000000, end->bpf_ns / 1000 % 1000, end->bpf_runs);
    st_text_trouble(b, end);
}

static void st_text_summary(struct buf *b, const struct st_end *end)
{
    b_c(b, '\n');
    st_rule(b);
    b_s(b, " FINAL: ");
    st_command(b);
    b_f(b, " (%.2fs)\n", (double)end->duration_ns / 1e9);
    st_rule(b);
    if (st_no_calls(end))
        b_f(b, " Commands: %" PRIu64 ", processes: %" PRIu64 "\n Lost: %" PRIu64 " records\n",
            end->commands, ps.processes, end->lost);
    else
        st_text_calls(b, end);
    st_text_exit(b, end->status);
    st_rule(b);
}

/* Between two items of the summary: a thousand long names of bytes that are no UTF-8 are more than
 * the sink's buffer holds. */
static void st_json_room(const struct buf *b)
{
    if (b == &out.json.b)
        out_full(&out.json);
}

static void st_json_names(struct buf *b)
{
    static struct name *list[1000];
    u32 n = st_names(list, 1000, st_is_file);
    b_s(b, ",\"files\":[");
    for (u32 i = 0; i < n; i++) {
        st_json_room(b);
        b_s(b, i ? ",{" : "{");
        out_json_str(b, "path", list[i]->s, list[i]->len);
        b_f(b,
            ",\"kind\":\"%s\",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64
            ",\"opens\":%" PRIu64 "}",
            fd_kind_name[list[i]->kind], list[i]->in_bytes, list[i]->out_bytes, list[i]->opens);
    }
    b_s(b, "],\"peers\":[");
    n = st_names(list, 1000, st_is_peer);
    for (u32 i = 0; i < n; i++) {
        st_json_room(b);
        const char *a = fd_peer_addr(list[i]);
        u32 k = (u32)(a - list[i]->s);
        b_s(b, i ? ",{" : "{");
        out_json_str(b, "sock_type", list[i]->s, k - 1);
        b_c(b, ',');
        out_json_str(b, "remote_addr", a, list[i]->len - k);
        b_f(b, ",\"bytes_sent\":%" PRIu64 ",\"bytes_received\":%" PRIu64 "}", list[i]->out_bytes,
            list[i]->in_bytes);
    }
    b_s(b, "],\"connections\":[");
    n = st_names(list, 1000, st_is_connection);
    for (u32 i = 0; i < n; i++) {
        st_json_room(b);
        b_s(b, i ? ",\"" : "\"");
        u32 k = (u32)(fd_peer_addr(list[i]) - list[i]->s);
        b_json(b, list[i]->s, k), b_s(b, "→ "), b_json(b, list[i]->s + k, list[i]->len - k);
        b_c(b, '"');
    }
    b_c(b, ']');
}

static void st_json_rest(struct buf *b)
{
    bool first = true;
    b_s(b, ",\"subprocesses\":[");
    for (u32 i = 0; i < st.n_programs; i++) {
        st_json_room(b);
        b_s(b, i ? ",\"" : "\"");
        b_json(b, st.program[i]->s, st.program[i]->len);
        b_c(b, '"');
    }
    b_s(b, "],\"failed\":[");
    for (u32 i = 0; i < ST_ERRNOS; i++) {
        if (!st.failed[i].count)
            continue;
        const char *e = u_errname(st.failed[i].err);
        b_f(b, "%s{\"name\":\"%s\",\"error\":\"%s\",\"count\":%" PRIu64 "}", first ? "" : ",",
            sc_name(st.failed[i].row), e ? e : "?", st.failed[i].count);
        first = false;
    }
    b_s(b, "],\"open_at_exit\":[");
    for (u32 i = 0; i < MIN(st.n_left, ST_LEFT_OPEN); i++) {
        b_f(b, "%s{\"pid\":%d,\"fd\":%d,\"kind\":\"%s\"", i ? "," : "", st.left[i].pid,
            st.left[i].fd, fd_kind_name[st.left[i].kind]);
        if (st.left[i].sock)
            b_f(b, ",\"sock_type\":\"%s\"", st.left[i].sock);
        if (st.left[i].name)
            b_c(b, ','), out_json_str(b, "path", st.left[i].name->s, st.left[i].name->len);
        b_c(b, '}');
    }
    b_f(b, "],\"open_at_exit_count\":%" PRIu64, st.n_left);
}

static void st_json_summary(struct buf *b, const struct st_end *end)
{
    bool calls = !st_no_calls(end), memory = calls && st_knows_memory(),
         io = calls && st_knows_io(), opens = calls && sc_set[SC_openat] && sc_set[SC_open];
    const struct { const char *key; u64 v; bool known; } num[] = {
        { "duration_ns", end->duration_ns, true },
        { "heap_bytes", vm.heap_bytes, memory },
        { "mmap_bytes", vm.map_bytes, memory },
        { "mmap_regions", vm.map_regions, memory },
        { "file_bytes_read", st.file_in, io },
        { "file_bytes_written", st.file_out, io },
        { "net_bytes_sent", st.net_out, io },
        { "net_bytes_received", st.net_in, io },
        { "other_bytes_read", st.other_in, io },
        { "other_bytes_written", st.other_out, io },
        { "files_read", st_count(true), opens },
        { "files_written", st_count(false), opens },
        { "syscalls", st.syscalls, calls },
        { "events", out.events, true },
        { "lost", end->lost, true },
        { "processes", ps.processes, true },
        { "threads", ps.threads, calls },
        { "commands", end->commands, !calls },
        { "cpu_ns", end->cpu_ns, end->cpu_ns > 0 },
        { "page_faults", st.faults, opt.faults },
        { "page_fault_bytes", st.faults * (u64)sysconf(_SC_PAGESIZE), opt.faults },
        { "major_faults", st.major_faults, opt.faults && !st.no_major },
        { "lost_faults", st.fault_lost, opt.faults },
        { "unreadable", mem.unreadable, calls },
        { "io_uring_submitted", st.uring, calls && sc_set[SC_io_uring_enter] },
        { "io_uring_results", st.uring_done, st.uring_done | st.uring_lost },
        { "lost_io_uring", st.uring_lost, st.uring_done | st.uring_lost },
        { "names_overflow", nm.overflow, calls },
        { "failed_other", st.failed_other, calls },
    };
    b_s(b, "{\"type\":\"summary\"");
    if (end->status != -1 && WIFSIGNALED(end->status))
        b_f(b, ",\"exit_signal\":\"%s\"", u_signame(WTERMSIG(end->status)));
    else if (end->status != -1)
        b_f(b, ",\"exit_code\":%d", WEXITSTATUS(end->status));
    for (size_t i = 0; i < ARRAY_LEN(num); i++)
        if (num[i].known)
            b_f(b, ",\"%s\":%" PRIu64, num[i].key, num[i].v);
    b_f(b, ",\"backend\":\"%s\"", end->backend);
    if (calls) {
        b_f(b, ",\"records\":%" PRIu64 ",\"throttle_stops\":%" PRIu64, end->records,
            end->throttled);
        if (end->bpf_runs)
            b_f(b, ",\"bpf_ns\":%" PRIu64 ",\"bpf_runs\":%" PRIu64, end->bpf_ns, end->bpf_runs);
        st_json_names(b);
        st_json_rest(b);
    }
    if (end->delays)
        st_json_where(b), st_json_call_time(b);
    st_json_delays(b, "sched_waits", "sched_wait", end->delays);
    if (end->io) {
        st_json_delays(b, "block_ios", "block_io", &end->io->took);
        st_json_disks(b, end->io);
    }
    b_s(b, "}\n");
}

/* The end of it all, to every sink. text: also to the terminal. */
static void st_report(const struct st_end *end, bool text)
{
    static struct buf b;
    b_reset(&b);
    if (opt.count_only || opt.count_too)
        st_table(&b);
    if (!opt.count_only)
        st_text_summary(&b, end);
    if (text)
        b_put(&out.text.b, b.p, b.len);
    if (out.json_on)
        st_json_summary(&out.json.b, end);
    out_flush();
}

/* == 15 md_  the model: what a call means =======================================
 * A call that has returned comes in; tables of descriptors, memory and processes change and events
 * go out. md_calls[] is the one list of calls that mean something: to teach kvis another, add its
 * row and the function. Nothing here knows ptrace or prints. Entry points: md_enter, md_exit,
 * md_wants. */

/* --- paths --- */

struct path { /* an absolute path, bytes of the tracee */
    char s[PATH_MAX * 2 + 2];
    u32 len;
    bool ok; /* could be read */
};

/* Joins a directory and a name and takes out "//" and "/./". ".." stays: what it means depends on
 * symbolic links. */
static void md_join(struct path *p, const char *dir, u32 dir_len, const char *s, u32 n)
{
    u32 k = 0;
    if (!n || s[0] != '/') {
        k = MIN(dir_len, (u32)PATH_MAX);
        memcpy(p->s, dir, k);
        if (n && (!k || p->s[k - 1] != '/'))
            p->s[k++] = '/';
    }
    u32 i = 0;
    for (; i < n && k < sizeof p->s - 1; i++) {
        bool slash = k && p->s[k - 1] == '/';
        if (slash && s[i] == '/')
            continue;
        if (slash && s[i] == '.' && (i + 1 == n || s[i + 1] == '/')) {
            i++;
            continue;
        }
        p->s[k++] = s[i];
    }
    if (k > 1 && p->s[k - 1] == '/')
        k--;
    p->s[k] = 0;
    p->len = k;
    p->ok = i >= n && dir_len <= PATH_MAX; /* nothing was cut off */
}

/* The directory that relative names of t start from. */
static struct name *md_base(struct task *t, s32 dirfd)
{
    if (dirfd != AT_FDCWD) {
        struct ofd *o = fd_get(t, dirfd);
        return o ? o->name : NULL;
    }
    return t->fs ? t->fs->cwd : NULL;
}

/* The absolute path that (dirfd, string at addr) name, as the tracee wrote it. */
static void md_path(struct task *t, s32 dirfd, u64 addr, struct path *p)
{
    char raw[PATH_MAX + 1];
    bool cut;
    s64 n = mem_str(t, addr, raw, PATH_MAX, &cut);
    p->ok = false;
    p->len = 0;
    p->s[0] = 0;
    if (n < 0)
        return;
    struct name *base = n && raw[0] == '/' ? NULL : md_base(t, dirfd);
    md_join(p, base ? base->s : "", base ? base->len : 0, raw, (u32)n);
    if (!base && n && raw[0] != '/') /* unknown directory: the name as it is */
        md_join(p, "", 0, raw, (u32)n), memmove(p->s, p->s + 1, p->len--);
}

/* --- filters --- */

/* -P: whether a path matches one of the globs; a pattern without wildcards also matches what is
 * below. */
static bool md_path_wanted(const char *s, u32 n)
{
    for (u32 i = 0; i < opt.n_paths; i++) {
        size_t k = strlen(opt.paths[i]);
        if (u_glob(opt.paths[i], s))
            return true;
        if (n > k && !strncmp(s, opt.paths[i], k) && s[k] == '/')
            return true;
    }
    return !opt.n_paths;
}

/* -z, -x, -e status=: by the result. */
static bool md_status_wanted(const struct call *c)
{
    return opt.status & (c->detached ? CALL_DETACHED
                         : c->noret  ? CALL_UNFINISHED
                         : c->err    ? CALL_FAILED
                                     : CALL_SUCCESSFUL);
}

static void md_emit(struct event *e)
{
    static const u8 path_field[] = { EV_path, EV_new_path, EV_filename, EV_src_name, EV_dst_name,
                                     EV_program, EV_remote_addr, EV_local_addr, EV_map_type };
    if (e->unasked || !(opt.status & (e->err ? CALL_FAILED : CALL_SUCCESSFUL)))
        return;
    bool hit = !opt.n_paths;
    for (size_t i = 0; !hit && i < ARRAY_LEN(path_field); i++)
        if (ev_has(e, path_field[i])) {
            char s[PATH_MAX * 2 + 2];
            u32 n = MIN(e->v[path_field[i]].s.len, (u32)sizeof s - 1);
            memcpy(s, e->v[path_field[i]].s.p, n);
            s[n] = 0;
            hit = md_path_wanted(s, n);
        }
    if (hit)
        out_event(e);
}

/* An event of the call that t has just made. */
static struct event *md_event(u8 kind, struct task *t, const struct call *c)
{
    struct event *e = ev_new(kind, t, c->noret ? c->enter_ns : c->exit_ns);
    e->err = c->noret ? 0 : c->err;
    e->row = c->known ? c->row : -1;
    e->unasked = !sc_set[c->row];
    return e;
}

/* Reports the open files whose last descriptor has gone. */
static void md_closed(struct task *t, s32 n)
{
    for (struct ofd *o; (o = ofd_dead()); ofd_recycle(o)) {
        out_forget_file(o);
        struct event *e = ev_new(EK_CLOSE, t, u_when());
        e->row = SC_close;
        e->unasked = !sc_set[SC_close];
        if (n >= 0)
            ev_num(e, EV_fd, n);
        char text[PATH_MAX + 64];
        struct buf b = { .p = text, .cap = sizeof text, .max = sizeof text };
        fd_describe(&b, o);
        ev_bytes(e, EV_path, b.p, b.len);
        ev_sym(e, EV_kind, fd_kind_name[o->kind]);
        ev_num(e, EV_bytes_read, (s64)o->in_bytes);
        ev_num(e, EV_bytes_written, (s64)o->out_bytes);
        ev_num(e, EV_age_ns, (s64)(e->ts_ns - o->open_ns));
        if (!o->inherited)
            ev_num(e, EV_opener_pid, o->opener);
        md_emit(e);
    }
}

/* --- descriptors --- */

static void md_install(struct task *t, s32 n, struct ofd *o, bool cloexec)
{
    fd_put(t->files, n, o, cloexec);
    md_closed(t, n);
}

/* O_CREAT and its kin differ between CPUs only where <fcntl.h> of this CPU knows. */
static u64 md_open_flags(struct task *t, const struct call *c)
{
    u64 how = 0;
    switch (c->id) {
    case SC_open:
        return c->arg[1];
    case SC_creat:
        return O_CREAT | O_WRONLY | O_TRUNC;
    case SC_openat2: /* struct open_how: flags first */
        return mem_get(t, c->arg[2], &how, 8) ? how : 0;
    default:
        return c->arg[2];
    }
}

/* Whether that is the file which the record of a call describes. (A file system gives a free inode
 * number away again: a directory that is gone may be a file now.) */
static bool md_is_file(const struct fd_stat *sx, const struct wire_file *f)
{
    return f && sx->stx_ino == f->ino && sx->stx_dev_major == f->dev >> 20
           && sx->stx_dev_minor == (f->dev & 0xfffff)
           && (sx->stx_mode & S_IFMT) == (f->mode & S_IFMT);
}

/* What kind of file a record describes. */
static u8 md_recorded_kind(const struct wire_file *f)
{
    struct fd_stat sx = { .stx_mode = (u16)f->mode, .stx_rdev_major = f->rdev >> 20,
                          .stx_rdev_minor = f->rdev & 0xfffff };
    return fd_kind_of("/", &sx);
}

/* Resolves a recorded path with ".." in it (or names a file without a name): the descriptor may be
 * closed by now, so the path is walked again, from the tracee's root if it is still there, and the
 * answer taken if it is the file of the record. */
static void md_resolve_recorded(struct task *t, struct path *p, const struct wire_file *f,
                                bool unnamed)
{
    static char at[PATH_MAX * 2 + 64];
    struct fd_stat sx;
    if (unnamed) { /* O_TMPFILE: as /proc/PID/fd shows it */
        int n = snprintf(p->s + p->len, sizeof p->s - p->len, "/#%" PRIu64 " (deleted)", f->ino);
        p->len = MIN(p->len + (u32)n, (u32)sizeof p->s - 1);
        return;
    }
    if (vm_slow_dev(t->tid, f->dev >> 20, f->dev & 0xfffff))
        return;
    snprintf(at, sizeof at, "/proc/%d/root%s", t->tid, p->s);
    int fd = open(at, O_PATH | O_CLOEXEC);
    if (fd < 0)
        fd = open(p->s, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    snprintf(at, sizeof at, "/proc/self/fd/%d", fd);
    s64 len =
        fd_statx(at, &sx) == 0 && md_is_file(&sx, f) ? fd_link_text(at, p->s, sizeof p->s) : 0;
    if (len > 0)
        p->len = (u32)len;
    close(fd);
}

/* What an opened path turned out to be; the kernel knows. `..` in it is resolved by the kernel as
 * well. */
static u8 md_opened_kind(struct task *t, s32 n, u64 flags, struct path *p)
{
    struct fd_stat sx;
    bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    bool ask = strstr(p->s, "/..") || !p->ok || unnamed;
    if (replay.on && replay.file) {
        if (ask && p->ok)
            md_resolve_recorded(t, p, replay.file, unnamed);
        return md_recorded_kind(replay.file);
    }
    if (ask) {
        s64 len = fd_link_text(fd_proc(t->tid, n), p->s, sizeof p->s);
        if (len > 0)
            p->len = (u32)len, p->ok = true;
    }
    if (fd_statx(fd_proc(t->tid, n), &sx) < 0)
        return flags & O_DIRECTORY ? FK_DIR : FK_FILE;
    return fd_kind_of("/", &sx);
}

static void md_open(struct task *t, struct call *c)
{
    static struct path p;
    bool at = c->id == SC_openat || c->id == SC_openat2;
    u64 flags = md_open_flags(t, c);
    md_path(t, at ? (s32)c->arg[0] : AT_FDCWD, c->arg[at], &p);
    bool w = fd_writes(flags), r = fd_reads(flags);
    u8 kind = FK_UNKNOWN;
    if (!c->err) {
        kind = md_opened_kind(t, (s32)c->ret, flags, &p);
        struct name *n = nm_get('f', p.s, p.len);
        n->opens++, n->kind = kind, n->read |= r, n->written |= w;
        struct ofd *o = ofd_new(kind, n, t->pid);
        if (o)
            o->writable = w, o->readable = r;
        md_install(t, (s32)c->ret, o, flags & O_CLOEXEC);
    }
    struct event *e = md_event(EK_OPEN, t, c);
    ev_bytes(e, EV_path, p.s, p.len);
    ev_num(e, EV_writable, w);
    ev_sym(e, EV_access, w && r ? "read/write" : w ? "write" : "read");
    if (!c->err)
        ev_num(e, EV_fd, c->ret);
    if (kind == FK_DIR)
        ev_num(e, EV_dir, 1);
    /* A failed look-up of a library or of a program's parts is search, not news. */
    e->noise = nm_noise(p.s) || kind == FK_DIR || (c->err == ENOENT && strstr(p.s, ".so"));
    md_emit(e);
}

/* Calls that make one descriptor of a kind that the call's name tells. */
static void md_make(struct task *t, struct call *c)
{
    static const struct { u16 row; u8 kind, flags_arg; u32 cloexec; } how[] = {
        { SC_eventfd, FK_EVENTFD, 6, 0 }, { SC_eventfd2, FK_EVENTFD, 1, O_CLOEXEC },
        { SC_epoll_create, FK_EPOLL, 6, 0 }, { SC_epoll_create1, FK_EPOLL, 0, O_CLOEXEC },
        { SC_timerfd_create, FK_TIMERFD, 1, O_CLOEXEC }, { SC_signalfd, FK_SIGNALFD, 6, 0 },
        { SC_signalfd4, FK_SIGNALFD, 3, O_CLOEXEC }, { SC_inotify_init, FK_INOTIFY, 6, 0 },
        { SC_inotify_init1, FK_INOTIFY, 0, O_CLOEXEC }, { SC_fanotify_init, FK_FANOTIFY, 0, 1 },
        { SC_memfd_create, FK_MEMFD, 1, 1 }, { SC_pidfd_open, FK_PIDFD, 7, 0 },
        { SC_io_uring_setup, FK_URING, 7, 0 }, { SC_perf_event_open, FK_PERF, 4, 8 },
        { SC_userfaultfd, FK_UFFD, 0, O_CLOEXEC }, { SC_memfd_secret, FK_MEMFD, 0, 1 },
    };
    if (c->err)
        return;
    if (c->id == SC_userfaultfd && t->mm)
        t->mm->careful = true;
    for (size_t i = 0; i < ARRAY_LEN(how); i++) {
        if (how[i].row != c->id)
            continue;
        bool cloexec = how[i].flags_arg == 7 || (how[i].flags_arg < 6
                       && c->arg[how[i].flags_arg] & how[i].cloexec);
        char name[300] = "memfd:";
        bool cut;
        if (c->id == SC_memfd_create)
            mem_str(t, c->arg[0], name + 6, 250, &cut);
        struct ofd *o = fd_find(t->files, (s32)c->ret) ? fd_find(t->files, (s32)c->ret)->o : NULL;
        if (o && o->kind == how[i].kind && o->kind == FK_SIGNALFD)
            return; /* signalfd4 on a descriptor that is one changes its mask */
        o = ofd_new(how[i].kind, nm_str('x', c->id == SC_memfd_create ? name
                                             : fd_kind_name[how[i].kind]), t->pid);
        md_install(t, (s32)c->ret, o, cloexec);
        return;
    }
}

/* Files on their way through a socket: their sender may have closed them before they arrive. */
enum { MD_FLYING = 64 };
static struct {
    struct ofd *o[MD_FLYING];
    u32 n;
} md_flying;

static void md_launch(struct ofd *o)
{
    if (md_flying.n == MD_FLYING) { /* the oldest was never received */
        ofd_put(md_flying.o[0]);
        memmove(md_flying.o, md_flying.o + 1, --md_flying.n * sizeof *md_flying.o);
    }
    o->refs++;
    md_flying.o[md_flying.n++] = o;
}

static bool md_alike(const struct ofd *a, const struct ofd *b)
{
    return a->kind == b->kind && a->writable == b->writable;
}

/* The file that descriptor n of t is, among those that other tracees have open; NULL: none of them.
 */
static struct ofd *md_find_open(struct task *t, s32 n, const struct ofd *like)
{
    static u32 search;
    search++;
    for (u32 i = 0; i < PS_BUCKETS; i++)
        for (struct task *o = ps.task[i]; o; o = o->next) {
            if (!o->files || o->files == t->files || o->files->looked == search)
                continue;
            o->files->looked = search;
            for (u32 k = 0; k < o->files->cap; k++) {
                struct fdent *e = &o->files->slot[k];
                if (e->fd >= 0 && md_alike(e->o, like) && fd_same(t->tid, n, o->tid, e->fd))
                    return e->o;
            }
        }
    return NULL;
}

/* Installs descriptor n of t, which came from another process: the same open file when that process
 * is a tracee too, so that its bytes and its opener stay one. */
static void md_adopt(struct task *t, s32 n, bool cloexec)
{
    bool unused;
    struct ofd *probe = fd_from_proc(t->tid, n, &unused), *o = NULL;
    if (!probe)
        return;
    o = md_find_open(t, n, probe);
    for (u32 i = 0; !o && i < md_flying.n; i++)
        if (md_flying.o[i]->name == probe->name && md_alike(md_flying.o[i], probe))
            o = md_flying.o[i];
    if (!o) {
        md_install(t, n, probe, cloexec);
        return;
    }
    o->refs++;
    md_install(t, n, o, cloexec);
    for (u32 i = 0; i < md_flying.n; i++)
        if (md_flying.o[i] == o) { /* it has landed */
            ofd_put(o);
            memmove(md_flying.o + i, md_flying.o + i + 1,
                    (--md_flying.n - i) * sizeof *md_flying.o);
            break;
        }
    ofd_discard(probe);
}

/* Calls that return a descriptor of which /proc knows more than the arguments. */
static void md_make_any(struct task *t, struct call *c)
{
    bool cloexec = false;
    if (c->err || c->ret < 0 )
        return;
    struct ofd *o = fd_from_proc(t->tid, (s32)c->ret, &cloexec);
    if (o)
        o->inherited = false, o->opener = t->pid;
    md_install(t, (s32)c->ret, o, cloexec);
}

/* pidfd_getfd: a descriptor of another process. */
static void md_getfd(struct task *t, struct call *c)
{
    if (!c->err)
        md_adopt(t, (s32)c->ret, true);
}

static void md_dup_to(struct task *t, s32 from, s32 to, bool cloexec)
{
    struct ofd *o = fd_get(t, from);
    if (from == to)
        return;
    if (o)
        o->refs++;
    else
        fd_remove(t->files, to);
    md_install(t, to, o, cloexec);
}

static void md_dup(struct task *t, struct call *c)
{
    if (!c->err)
        md_dup_to(t, (s32)c->arg[0], (s32)c->ret, c->id == SC_dup3 && c->arg[2] & O_CLOEXEC);
}

static void md_fcntl(struct task *t, struct call *c)
{
    if (c->err)
        return;
    if (c->arg[1] == F_DUPFD || c->arg[1] == F_DUPFD_CLOEXEC)
        md_dup_to(t, (s32)c->arg[0], (s32)c->ret, c->arg[1] == F_DUPFD_CLOEXEC);
    struct fdent *e = c->arg[1] == F_SETFD ? fd_find(t->files, (s32)c->arg[0]) : NULL;
    if (e)
        e->cloexec = c->arg[2] & FD_CLOEXEC;
}

static void md_ioctl(struct task *t, struct call *c)
{
    enum {
        KV_FIOCLEX = 0x5451,
        KV_FIONCLEX = 0x5450,
        KV_UFFD_NEW = 0xaa00
    }; /* asm-generic/ioctls.h */
    struct fdent *e = fd_find(t->files, (s32)c->arg[0]);
    if (c->err)
        return;
    if (e && ((u32)c->arg[1] == KV_FIOCLEX || (u32)c->arg[1] == KV_FIONCLEX))
        e->cloexec = (u32)c->arg[1] == KV_FIOCLEX;
    if ((u32)c->arg[1] == KV_UFFD_NEW && t->mm)
        t->mm->careful = true;
}

static void md_close(struct task *t, struct call *c)
{
    /* Whatever close(2) returns but EBADF, the descriptor is gone (close(2), NOTES). */
    if (c->err == EBADF || !t->files)
        return;
    fd_remove(t->files, (s32)c->arg[0]);
    md_closed(t, (s32)c->arg[0]);
}

static void md_close_range(struct task *t, struct call *c)
{
    enum { UNSHARE = 2, CLOEXEC = 4 }; /* <linux/close_range.h> */
    if (c->err || !t->files)
        return;
    if (c->arg[2] & UNSHARE)
        t->files = files_own(t->files);
    if (c->arg[2] & CLOEXEC)
        fd_mark_all(t->files, (u32)c->arg[0], (u32)c->arg[1]);
    else
        fd_close_all(t->files, (u32)c->arg[0], (u32)c->arg[1], false);
    md_closed(t, -1);
}

static void md_pair(struct task *t, struct call *c)
{
    s32 n[2];
    bool sock = c->id == SC_socketpair, cloexec = c->id == SC_pipe2 && c->arg[1] & O_CLOEXEC;
    if (c->err || !mem_get(t, c->arg[sock ? 3 : 0], n, sizeof n))
        return;
    for (int i = 0; i < 2; i++) {
        char link[64];
        if (fd_link_text(fd_proc(t->tid, n[i]), link, sizeof link) < 0)
            strcpy(link, sock ? "socketpair" : "pipe");
        struct ofd *o = ofd_new(sock ? FK_SOCK : FK_PIPE, nm_str('x', link), t->pid);
        if (o && sock)
            o->sock = fd_sock_type((int)c->arg[0], (int)c->arg[1] & 0xf, (int)c->arg[2]);
        if (o)
            o->readable = sock || !i, o->writable = sock || i;
        md_install(t, n[i], o, sock ? c->arg[1] & SOCK_CLOEXEC : cloexec);
    }
}

/* --- sockets --- */

static void md_socket(struct task *t, struct call *c)
{
    if (c->err)
        return;
    struct ofd *o = ofd_new(FK_SOCK, NULL, t->pid);
    if (o) {
        o->sock = fd_sock_type((int)c->arg[0], (int)c->arg[1] & 0xf, (int)c->arg[2]);
        o->readable = o->writable = true;
    }
    md_install(t, (s32)c->ret, o, c->arg[1] & SOCK_CLOEXEC);
}

/* Reads a socket address; returns its length, 0 when there is none. */
static u32 md_sockaddr(struct task *t, u64 addr, u64 len, struct sockaddr_storage *sa)
{
    memset(sa, 0, sizeof *sa);
    if (!addr || len < 2)
        return 0;
    s64 n = mem_read(t, addr, sa, MIN(len, sizeof *sa));
    return n < 2 ? 0 : (u32)n;
}

static void md_connect(struct task *t, struct call *c)
{
    struct sockaddr_storage sa;
    struct ofd *o = c->err == EBADF ? NULL : fd_get(t, (s32)c->arg[0]);
    u32 len = md_sockaddr(t, c->arg[1], (u32)c->arg[2], &sa);
    if (!o || !o->sock)
        return;
    struct name *peer = sa.ss_family == AF_UNSPEC ? NULL : fd_peer(o->sock, &sa, len);
    bool going = c->err == EINPROGRESS;
    if (!c->err || going) {
        o->peer = peer;
        if (peer)
            peer->opens++;
        if (peer && (sa.ss_family == AF_INET || sa.ss_family == AF_INET6)) {
            fd_probe_socket(o, t->pid, (s32)c->arg[0]);
            o->peer = peer; /* what was asked for, also while it is under way */
        }
    }
    struct event *e = md_event(EK_CONNECT, t, c);
    ev_sym(e, EV_sock_type, o->sock);
    ev_peer(e, EV_remote_addr, peer);
    ev_peer(e, EV_local_addr, o->local);
    ev_num(e, EV_fd, (s32)c->arg[0]);
    if (going) {
        e->err = 0;
        ev_num(e, EV_in_progress, 1);
    }
    if (peer)
        md_emit(e);
}

static void md_accept(struct task *t, struct call *c)
{
    struct ofd *l = fd_get(t, (s32)c->arg[0]), *o = NULL;
    struct event *e;
    if (c->err == EAGAIN)
        return;
    if (!c->err && (o = ofd_new(FK_SOCK, NULL, t->pid))) {
        struct sockaddr_storage sa;
        u32 len = 0;
        o->sock = l && l->sock ? l->sock : "socket";
        o->readable = o->writable = true;
        fd_probe_socket(o, t->pid, (s32)c->ret);
        if (!o->peer && mem_get(t, c->arg[2], &len, 4)
            && (len = md_sockaddr(t, c->arg[1], len, &sa)))
            o->peer = fd_peer(o->sock, &sa, len);
        if (o->peer)
            o->peer->opens++;
        md_install(t, (s32)c->ret, o, c->id == SC_accept4 && c->arg[3] & SOCK_CLOEXEC);
    }
    e = md_event(EK_ACCEPT, t, c);
    ev_sym(e, EV_sock_type, o ? o->sock : l && l->sock ? l->sock : "socket");
    if (o)
        ev_peer(e, EV_remote_addr, o->peer), ev_peer(e, EV_local_addr, o->local),
            ev_num(e, EV_fd, c->ret);
    md_emit(e);
}

static void md_bind_listen(struct task *t, struct call *c)
{
    struct ofd *o = c->err == EBADF ? NULL : fd_get(t, (s32)c->arg[0]);
    struct sockaddr_storage sa;
    if (!o || !o->sock)
        return;
    struct name *local = o->local;
    if (c->id == SC_bind) {
        u32 len = md_sockaddr(t, c->arg[1], (u32)c->arg[2], &sa);
        local = fd_peer(o->sock, &sa, len);
        if (!c->err)
            o->local = local;
    }
    if (!c->err) { /* port 0 and unix autobind: the kernel has chosen */
        fd_probe_socket(o, t->pid, (s32)c->arg[0]);
        local = o->local;
    }
    struct event *e = md_event(c->id == SC_bind ? EK_BIND : EK_LISTEN, t, c);
    ev_sym(e, EV_sock_type, o->sock);
    ev_peer(e, EV_local_addr, local);
    ev_num(e, EV_fd, (s32)c->arg[0]);
    if (c->id == SC_listen)
        ev_num(e, EV_backlog, (s32)c->arg[1]);
    md_emit(e);
}

static void md_shutdown(struct task *t, struct call *c)
{
    static const char *const how[] = { "read", "write", "both" };
    struct ofd *o = c->err == EBADF ? NULL : fd_get(t, (s32)c->arg[0]);
    struct event *e = md_event(EK_SHUTDOWN, t, c);
    ev_sym(e, EV_sock_type, o ? o->sock : NULL);
    ev_peer(e, EV_remote_addr, o ? o->peer : NULL);
    ev_sym(e, EV_how, c->arg[1] < 3 ? how[c->arg[1]] : "?");
    ev_num(e, EV_fd, (s32)c->arg[0]);
    md_emit(e);
}

/* --- bytes --- */

/* Books bytes on descriptor n and reports them: file or network by what the descriptor is. */
static void md_moved(struct task *t, struct call *c, s32 n, struct name *peer, s64 bytes, bool in)
{
    struct ofd *o = fd_get(t, n);
    bool net = o && o->kind == FK_SOCK;
    if (o && bytes > 0)
        st_io(o, peer, (u64)bytes, in);
    if (bytes <= 0)
        return;
    struct event *e = md_event(net ? (in ? EK_RECV : EK_SEND) : in ? EK_READ : EK_WRITE, t, c);
    e->err = 0;
    e->o = o;
    ev_num(e, EV_bytes, bytes);
    ev_num(e, EV_fd, n);
    if (net) {
        ev_sym(e, EV_sock_type, o->sock);
        ev_peer(e, EV_remote_addr, peer ? peer : o->peer);
    } else {
        ev_name(e, EV_filename, o ? o->name : nm_str('x', "?"));
        ev_sym(e, EV_fd_kind, fd_kind_name[o ? o->kind : FK_UNKNOWN]);
        e->noise = o && o->name && nm_noise(o->name->s) && o->kind != FK_TTY;
    }
    md_emit(e);
}

static void md_read(struct task *t, struct call *c)
{
    if (!c->err)
        md_moved(t, c, (s32)c->arg[0], NULL, c->ret, true);
}

static void md_write(struct task *t, struct call *c)
{
    if (!c->err)
        md_moved(t, c, (s32)c->arg[0], NULL, c->ret, false);
}

/* The peer that a datagram names itself; NULL: the connected one. */
static struct name *md_named_peer(struct task *t, s32 n, u64 addr, u64 len)
{
    struct sockaddr_storage sa;
    struct ofd *o = addr ? fd_get(t, n) : NULL;
    u32 k = o && o->sock ? md_sockaddr(t, addr, len, &sa) : 0;
    return k ? fd_peer(o->sock, &sa, k) : NULL;
}

static void md_sendto(struct task *t, struct call *c)
{
    if (!c->err)
        md_moved(t, c, (s32)c->arg[0],
                 md_named_peer(t, (s32)c->arg[0], c->arg[4], (u32)c->arg[5]), c->ret, false);
}

static void md_recvfrom(struct task *t, struct call *c)
{
    u32 len = 0;
    if (c->err)
        return;
    bool named = c->arg[4] && mem_get(t, c->arg[5], &len, 4);
    md_moved(t, c, (s32)c->arg[0],
             named ? md_named_peer(t, (s32)c->arg[0], c->arg[4], len) : NULL, c->ret, true);
}

/* struct msghdr in the tracee's layout: name, namelen, iov, iovlen, control, controllen, flags. */
struct msg {
    u64 name, namelen, control, controllen;
};

static bool md_msghdr(struct task *t, enum abi a, u64 addr, struct msg *m)
{
    unsigned w = abi_word(a);
    u64 v[6];
    for (u32 i = 0; i < 6; i++)
        if (!mem_word(t, a, addr + i * w, &v[i]))
            return false;
    *m = (struct msg){ v[0], (u32)v[1], v[4], v[5] };
    return true;
}

/* The descriptors that a message carries with SCM_RIGHTS: unix(7), cmsg(3). */
static void md_rights(struct task *t, const struct call *c, const struct msg *m, u64 flags,
                      bool in)
{
    unsigned w = abi_word(c->abi);
    u8 ctl[4096];
    s64 n = m->control ? mem_read(t, m->control, ctl, MIN(m->controllen, sizeof ctl)) : 0;
    for (s64 at = 0; at + (s64)w + 8 <= n;) {
        u64 len = 0;
        s32 what[2];
        memcpy(&len, ctl + at, w);
        memcpy(what, ctl + at + w, 8);
        if (len < w + 8 || len > (u64)(n - at))
            return;
        for (u64 k = w + 8; what[0] == SOL_SOCKET && what[1] == SCM_RIGHTS && k + 4 <= len;
             k += 4) {
            s32 got;
            memcpy(&got, ctl + at + k, 4);
            if (in)
                md_adopt(t, got, flags & MSG_CMSG_CLOEXEC);
            else if (fd_get(t, got))
                md_launch(fd_get(t, got));
        }
        at += (s64)((len + w - 1) & ~(u64)(w - 1));
    }
}

static void md_sendmsg(struct task *t, struct call *c)
{
    struct msg m;
    if (c->err || !md_msghdr(t, c->abi, c->arg[1], &m))
        return;
    md_moved(t, c, (s32)c->arg[0], md_named_peer(t, (s32)c->arg[0], m.name, m.namelen), c->ret,
             false);
    md_rights(t, c, &m, 0, false);
}

static void md_recvmsg(struct task *t, struct call *c)
{
    struct msg m;
    if (c->err || !md_msghdr(t, c->abi, c->arg[1], &m))
        return;
    md_moved(t, c, (s32)c->arg[0], md_named_peer(t, (s32)c->arg[0], m.name, m.namelen), c->ret,
             true);
    md_rights(t, c, &m, c->arg[2], true);
}

/* sendmmsg and recvmmsg: `ret` messages, each with the bytes that it moved behind its header. */
static void md_mmsg(struct task *t, struct call *c)
{
    unsigned w = abi_word(c->abi);
    u64 size = 7 * w + (w == 8 ? 8 : 4); /* struct mmsghdr */
    bool in = c->id != SC_sendmmsg;
    for (s64 i = 0; !c->err && i < MIN(c->ret, 1024 /* UIO_MAXIOV */); i++) {
        struct msg m;
        u32 len = 0;
        u64 at = c->arg[1] + (u64)i * size;
        if (!md_msghdr(t, c->abi, at, &m) || !mem_get(t, at + 7 * w, &len, 4))
            return;
        md_moved(t, c, (s32)c->arg[0], md_named_peer(t, (s32)c->arg[0], m.name, m.namelen), len,
                 in);
        md_rights(t, c, &m, c->arg[3], in);
    }
}

/* Bytes from one descriptor to another without passing through the program. */
static void md_copy(struct task *t, struct call *c)
{
    static const struct { u16 row; u8 kind, src, dst; bool moves; } how[] = {
        { SC_copy_file_range, EK_COPY, 0, 2, true }, { SC_sendfile, EK_SENDFILE, 1, 0, true },
        { SC_sendfile64, EK_SENDFILE, 1, 0, true }, { SC_splice, EK_SPLICE, 0, 2, true },
        { SC_tee, EK_TEE, 0, 1, false },
    };
    for (size_t i = 0; i < ARRAY_LEN(how); i++) {
        if (how[i].row != c->id || c->err || c->ret <= 0)
            continue;
        struct ofd *src = fd_get(t, (s32)c->arg[how[i].src]);
        struct ofd *dst = fd_get(t, (s32)c->arg[how[i].dst]);
        if (src && how[i].moves)
            st_io(src, NULL, (u64)c->ret, true);
        if (dst)
            st_io(dst, NULL, (u64)c->ret, false);
        char a[PATH_MAX + 64], b[PATH_MAX + 64];
        struct buf sn = { .p = a, .cap = sizeof a, .max = sizeof a };
        struct buf dn = { .p = b, .cap = sizeof b, .max = sizeof b };
        src ? fd_describe(&sn, src) : b_c(&sn, '?');
        dst ? fd_describe(&dn, dst) : b_c(&dn, '?');
        struct event *e = md_event(how[i].kind, t, c);
        ev_num(e, EV_bytes, c->ret);
        ev_bytes(e, EV_src_name, sn.p, sn.len);
        ev_bytes(e, EV_dst_name, dn.p, dn.len);
        if (how[i].kind == EK_SENDFILE)
            ev_num(e, EV_to_network, dst && dst->kind == FK_SOCK);
        md_emit(e);
    }
}

static void md_vmsplice(struct task *t, struct call *c)
{
    struct ofd *o = fd_get(t, (s32)c->arg[0]);
    if (c->err || c->ret <= 0)
        return;
    if (o)
        st_io(o, NULL, (u64)c->ret, !o->writable);
    struct event *e = md_event(EK_VMSPLICE, t, c);
    ev_num(e, EV_bytes, c->ret);
    ev_name(e, EV_filename, o ? o->name : nm_str('x', "?"));
    ev_num(e, EV_fd, (s32)c->arg[0]);
    md_emit(e);
}

/* --- files that change --- */

enum {
    P_CWD = -1,
    P_FD = -2,
    P_NONE = -3
}; /* where a path's directory comes from; else an argument's number */

struct md_change {
    u16 row;
    u8 kind;
    s8 dir, path, dir2, path2; /* argument numbers; path P_FD: the file behind descriptor arg 0 */
    s8 a, b;                   /* mode or size; uid then gid; P_NONE */
};

static const struct md_change md_changes[] = {
    /* call            event        dir    path  dir2    path2   a       b */
    { SC_unlink,      EK_UNLINK,   P_CWD, 0,    P_NONE, P_NONE, P_NONE, P_NONE },
    { SC_unlinkat,    EK_UNLINK,   0,     1,    P_NONE, P_NONE, P_NONE, P_NONE },
    { SC_rmdir,       EK_RMDIR,    P_CWD, 0,    P_NONE, P_NONE, P_NONE, P_NONE },
    { SC_rename,      EK_RENAME,   P_CWD, 0,    P_CWD,  1,      P_NONE, P_NONE },
    { SC_renameat,    EK_RENAME,   0,     1,    2,      3,      P_NONE, P_NONE },
    { SC_renameat2,   EK_RENAME,   0,     1,    2,      3,      P_NONE, P_NONE },
    { SC_link,        EK_LINK,     P_CWD, 0,    P_CWD,  1,      P_NONE, P_NONE },
    { SC_linkat,      EK_LINK,     0,     1,    2,      3,      P_NONE, P_NONE },
    { SC_symlink,     EK_SYMLINK,  P_CWD, 1,    P_NONE, 0,      P_NONE, P_NONE },
    { SC_symlinkat,   EK_SYMLINK,  1,     2,    P_NONE, 0,      P_NONE, P_NONE },
    { SC_mkdir,       EK_MKDIR,    P_CWD, 0,    P_NONE, P_NONE, 1,      P_NONE },
    { SC_mkdirat,     EK_MKDIR,    0,     1,    P_NONE, P_NONE, 2,      P_NONE },
    { SC_mknod,       EK_MKNOD,    P_CWD, 0,    P_NONE, P_NONE, 1,      P_NONE },
    { SC_mknodat,     EK_MKNOD,    0,     1,    P_NONE, P_NONE, 2,      P_NONE },
    { SC_truncate,    EK_TRUNCATE, P_CWD, 0,    P_NONE, P_NONE, 1,      P_NONE },
    { SC_ftruncate,   EK_TRUNCATE, P_NONE, P_FD, P_NONE, P_NONE, 1,     P_NONE },
    { SC_truncate64,  EK_TRUNCATE, P_CWD, 0,    P_NONE, P_NONE, 1,      P_NONE },
    { SC_ftruncate64, EK_TRUNCATE, P_NONE, P_FD, P_NONE, P_NONE, 1,     P_NONE },
    { SC_chmod,       EK_CHMOD,    P_CWD, 0,    P_NONE, P_NONE, 1,      P_NONE },
    { SC_fchmod,      EK_CHMOD,    P_NONE, P_FD, P_NONE, P_NONE, 1,     P_NONE },
    { SC_fchmodat,    EK_CHMOD,    0,     1,    P_NONE, P_NONE, 2,      P_NONE },
    { SC_fchmodat2,   EK_CHMOD,    0,     1,    P_NONE, P_NONE, 2,      P_NONE },
    { SC_chown,       EK_CHOWN,    P_CWD, 0,    P_NONE, P_NONE, 1,      2 },
    { SC_lchown,      EK_CHOWN,    P_CWD, 0,    P_NONE, P_NONE, 1,      2 },
    { SC_fchown,      EK_CHOWN,    P_NONE, P_FD, P_NONE, P_NONE, 1,     2 },
    { SC_fchownat,    EK_CHOWN,    0,     1,    P_NONE, P_NONE, 2,      3 },
};

static void md_change_path(struct task *t, const struct call *c, s8 dir, s8 path, struct path *p)
{
    if (path == P_FD) {
        struct ofd *o = fd_get(t, (s32)c->arg[0]);
        p->ok = o && o->name;
        p->len = p->ok ? MIN(o->name->len, (u32)sizeof p->s - 1) : 0;
        if (p->ok)
            memcpy(p->s, o->name->s, p->len);
        p->s[p->len] = 0;
    } else {
        md_path(t, dir < 0 ? AT_FDCWD : (s32)c->arg[dir], c->arg[path], p);
    }
}

/* A symbolic link's target is text, not a path of anybody's. */
static void md_raw(struct task *t, u64 addr, struct path *p)
{
    bool cut;
    s64 n = mem_str(t, addr, p->s, PATH_MAX, &cut);
    p->len = n < 0 ? 0 : (u32)n;
}

static void md_change(struct task *t, struct call *c)
{
    static struct path p, q;
    static char mode[16];
    const struct md_change *m = NULL;
    for (size_t i = 0; i < ARRAY_LEN(md_changes); i++)
        if (md_changes[i].row == c->id)
            m = &md_changes[i];
    if (!m)
        return;
    md_change_path(t, c, m->dir, m->path, &p);
    bool rmdir = c->id == SC_unlinkat && c->arg[2] & AT_REMOVEDIR;
    struct event *e = md_event(rmdir ? EK_RMDIR : m->kind, t, c);
    ev_bytes(e, EV_path, p.s, p.len);
    if (m->kind == EK_SYMLINK) {
        md_raw(t, c->arg[m->path2], &q);
        ev_bytes(e, EV_target, q.s, q.len);
    } else if (m->path2 != P_NONE) {
        md_change_path(t, c, m->dir2, m->path2, &q);
        ev_bytes(e, EV_new_path, q.s, q.len);
    }
    if (m->kind == EK_TRUNCATE) {
        bool split = c->id == SC_truncate64 || c->id == SC_ftruncate64; /* i386: two halves */
        ev_num(e, EV_size, (s64)(c->arg[m->a] | (split ? c->arg[m->a + 1] << 32 : 0)));
    } else if (m->kind == EK_CHOWN) {
        ev_num(e, EV_uid, (s32)c->arg[m->a]);
        ev_num(e, EV_gid, (s32)c->arg[m->b]);
    } else if (m->a != P_NONE) {
        snprintf(mode, sizeof mode, "0%03o", (u32)c->arg[m->a] & 0177777);
        ev_sym(e, EV_mode, mode);
    }
    e->noise = nm_noise(p.s);
    md_emit(e);
}

/* cwd after chdir, fchdir, chroot, pivot_root: as the kernel sees it. */
static void md_chdir(struct task *t, struct call *c)
{
    char link[PATH_MAX + 1];
    static struct path p;
    if (c->err || !t->fs)
        return;
    s64 n = fd_readlink(t->tid, "cwd", link, sizeof link);
    if (n > 0)
        t->fs->cwd = nm_get('f', link, (size_t)n);
    else if (c->id == SC_chdir && (md_path(t, AT_FDCWD, c->arg[0], &p), p.ok))
        t->fs->cwd = nm_get('f', p.s, p.len);
}

/* --- memory --- */

static const char *md_prot_text(u64 prot)
{
    static const char *const rwx[] = { "---", "r--", "-w-", "rw-", "--x", "r-x", "-wx", "rwx" };
    return rwx[prot & 7];
}

static u64 md_page_up(u64 n)
{
    u64 page = (u64)sysconf(_SC_PAGESIZE);
    return (n + page - 1) & ~(page - 1);
}

static void md_range(struct event *e, u64 addr, u64 size)
{
    ev_num(e, EV_addr, (s64)addr);
    ev_num(e, EV_end_addr, (s64)(addr + size));
    ev_num(e, EV_size, (s64)size);
}

static void md_brk(struct task *t, struct call *c)
{
    struct mm *m = t->mm;
    u64 now = (u64)c->ret;
    if (!m || c->noret || c->err)
        return;
    if (!m->brk) { /* the first answer says where the heap begins */
        m->brk_start = m->brk = now;
        return;
    }
    s64 growth = (s64)(now - m->brk);
    if (growth > 0)
        vm_map(m, (struct region){ m->brk, now, PROT_READ | PROT_WRITE, false, vm_name("heap") });
    else if (growth < 0)
        vm_unmap(m, now, m->brk);
    m->brk = now;
    if (growth) {
        struct event *e = md_event(EK_BRK, t, c);
        ev_num(e, EV_growth_bytes, growth);
        md_emit(e);
    }
}

static void md_mapped(struct task *t, struct call *c, const u64 *arg)
{
    bool anon = arg[3] & MAP_ANONYMOUS;
    struct ofd *o = anon ? NULL : fd_get(t, (s32)arg[4]);
    struct name *name = o && o->name ? o->name : vm_name(anon ? "anon" : "file");
    struct event *e = md_event(EK_MMAP, t, c);
    u64 size = md_page_up(arg[1]);
    if (!c->err && t->mm) {
        vm_map(t->mm, (struct region){ (u64)c->ret, (u64)c->ret + size, arg[2] & 7, true, name });
        if (o)
            t->mm->careful |= !replay.on ? vm_slow_fs(t->tid, fd_proc(t->tid, (s32)arg[4]))
                              : replay.file && vm_slow_dev(t->tid, replay.file->dev >> 20,
                                                           replay.file->dev & 0xfffff);
    }
    if (c->err)
        ev_num(e, EV_size, (s64)arg[1]);
    else
        md_range(e, (u64)c->ret, arg[1]);
    ev_sym(e, EV_prot, md_prot_text(arg[2]));
    ev_name(e, EV_map_type, name);
    e->noise = !anon && nm_noise(name->s);
    md_emit(e);
}

/* i386's first mmap takes a pointer to its six arguments. */
static void md_mmap(struct task *t, struct call *c)
{
    u32 w[6];
    u64 arg[6];
    if (c->row != SC_mmap_i386) {
        md_mapped(t, c, c->arg);
        return;
    }
    if (!mem_get(t, c->arg[0], w, sizeof w))
        return;
    for (int i = 0; i < 6; i++)
        arg[i] = w[i];
    md_mapped(t, c, arg);
}

static void md_munmap(struct task *t, struct call *c)
{
    if (c->err)
        return;
    struct region *r = t->mm ? vm_find(t->mm, c->arg[0]) : NULL;
    bool file = r && r->name->cls == 'f' && nm_noise(r->name->s);
    if (t->mm)
        vm_unmap(t->mm, c->arg[0], c->arg[0] + md_page_up(c->arg[1]));
    struct event *e = md_event(EK_MUNMAP, t, c);
    md_range(e, c->arg[0], c->arg[1]);
    e->noise = file;
    md_emit(e);
}

static void md_mremap(struct task *t, struct call *c)
{
    enum { DONTUNMAP = 4 }; /* MREMAP_DONTUNMAP, <linux/mman.h> */
    u64 old = c->arg[0], old_size = md_page_up(c->arg[1]), size = md_page_up(c->arg[2]);
    if (!c->err && t->mm) {
        struct region *r = vm_find(t->mm, old), was = r ? *r : (struct region){ 0 };
        vm_move(t->mm, old, old + old_size, (u64)c->ret, size); /* old_size 0: a second mapping */
        if (r && c->arg[3] & DONTUNMAP) { /* the old range stays */
            was.start = old;
            was.end = old + old_size;
            vm_map(t->mm, was);
        }
    }
    struct event *e = md_event(EK_MREMAP, t, c);
    if (!c->err)
        md_range(e, (u64)c->ret, c->arg[2]);
    ev_num(e, EV_old_addr, (s64)old);
    ev_num(e, EV_old_size, (s64)c->arg[1]);
    md_emit(e);
}

static void md_mprotect(struct task *t, struct call *c)
{
    if (!c->err && t->mm)
        vm_protect(t->mm, c->arg[0], c->arg[0] + md_page_up(c->arg[1]), c->arg[2] & 7);
    struct event *e = md_event(EK_MPROTECT, t, c);
    md_range(e, c->arg[0], c->arg[1]);
    ev_sym(e, EV_prot, md_prot_text(c->arg[2]));
    e->noise = true;
    md_emit(e);
}

/* --- processes --- */

/* At entry: the flags with which a child will share or copy (fork(2), vfork(2), clone(2)). */
static void md_clone_enter(struct task *t, struct call *c)
{
    u64 flags = 0;
    t->clone_known = true;
    if (c->id == SC_vfork)
        flags = CLONE_VM | CLONE_VFORK;
    else if (c->id == SC_clone3)
        t->clone_known = mem_get(t, c->arg[0], &flags, 8); /* struct clone_args: flags first */
    else if (c->id != SC_fork)
        flags = c->arg[0];
    t->clone_flags = flags;
}

/* The strings that an array of pointers at `at` names, each with its NUL, end to end in b: argv. */
static void md_strings(struct task *t, enum abi a, u64 at, struct buf *b)
{
    u64 ptr;
    for (; !b->cut && mem_word(t, a, at, &ptr) && ptr; at += abi_word(a)) {
        char chunk[4096 + 1];
        bool more = true;
        for (u64 off = 0; more && !b->cut;) {
            s64 n = mem_str(t, ptr + off, chunk, sizeof chunk - 1, &more);
            if (n < 0)
                break;
            b_put(b, chunk, (size_t)n);
            off += (u64)n;
        }
        b_c(b, 0);
    }
}

/* At entry, while the old memory is still there: the program's path, and argv whole (up to 3 MiB).
 */
static void md_exec_enter(struct task *t, struct call *c)
{
    static struct path p;
    bool at = c->id == SC_execveat;
    md_path(t, at ? (s32)c->arg[0] : AT_FDCWD, c->arg[at], &p);
    t->exec_path = p.ok ? nm_get('x', p.s, p.len) : NULL;
    b_reset(&t->exec_argv);
    t->exec_argv.max = 3 << 20; /* in JSON a byte can take 8 */
    md_strings(t, c->abi, c->arg[at ? 2 : 1], &t->exec_argv);
}

/* Puts program and argv of the exec under way into its event. */
static void md_exec_fields(struct event *e, struct task *t)
{
    ev_name(e, EV_program, t->exec_path);
    ev_bytes(e, EV_argv, t->exec_argv.p ? t->exec_argv.p : "", t->exec_argv.len);
    if (t->exec_argv.cut)
        ev_num(e, EV_argv_cut, 1);
}

/* An exec that failed; one that succeeded is reported when the new program stands (tr_). */
static void md_exec(struct task *t, struct call *c)
{
    if (!c->err || c->noret)
        return;
    struct event *e = md_event(EK_EXEC, t, c);
    md_exec_fields(e, t);
    e->noise = c->err == ENOENT; /* a search along PATH */
    md_emit(e);
}

/* setns(2): kvis cannot tell the kind of namespace from the descriptor alone, so it looks at each
 * child to come. */
static void md_setns(struct task *t, struct call *c)
{
    if (!c->err && t->proc)
        t->proc->new_pid_ns = true;
}

static void md_unshare(struct task *t, struct call *c)
{
    if (c->err)
        return;
    if (c->arg[0] & CLONE_NEWPID && t->proc)
        t->proc->new_pid_ns = true;
    if (c->arg[0] & CLONE_FILES)
        t->files = files_own(t->files);
    if (c->arg[0] & (CLONE_FS | CLONE_NEWNS | CLONE_NEWUSER) && t->fs && t->fs->refs > 1) {
        t->fs->refs--;
        t->fs = ps_new_fs(t->fs->cwd);
    }
}

/* The tracee's own seccomp filters decide before ours is asked: from now on every call stops, so
 * that a call that they deny is seen all the same (EDGE_CASES P23). */
static void md_seccomp(struct task *t, struct call *c)
{
    enum { TSYNC = 1, NEW_LISTENER = 8 }; /* SECCOMP_FILTER_FLAG_*, <linux/seccomp.h> */
    bool set = c->id == SC_prctl ? c->arg[0] == PR_SET_SECCOMP : c->arg[0] <= 1;
    u64 flags = c->id == SC_seccomp && c->arg[0] == 1 ? c->arg[1] : 0;
    if (c->err || !set)
        return;
    t->full = true;
    if (flags & NEW_LISTENER)
        md_install(t, (s32)c->ret,
                   ofd_new(FK_SECCOMP, nm_str('x', fd_kind_name[FK_SECCOMP]), t->pid), true);
    if (flags & TSYNC)
        for (u32 i = 0; i < PS_BUCKETS; i++)
            for (struct task *o = ps.task[i]; o; o = o->next)
                o->full |= o->proc == t->proc;
}

/* Which signals have a handler, and which handlers let calls go on (SA_RESTART): with that a call
 * that is interrupted is known to end with EINTR or to go on. */
static void md_sigaction(struct task *t, struct call *c)
{
    u64 handler = 0, flags = 0, bit = 1ull << ((c->arg[0] - 1) & 63);
    unsigned w = abi_word(c->abi);
    if (c->err || !c->arg[1] || !t->proc || c->arg[0] < 1 || c->arg[0] > 64)
        return;
    if (!mem_word(t, c->abi, c->arg[1], &handler) || !mem_word(t, c->abi, c->arg[1] + w, &flags))
        return;
    t->proc->caught = handler > 1 ? t->proc->caught | bit : t->proc->caught & ~bit;
    t->proc->restart = flags & SA_RESTART ? t->proc->restart | bit : t->proc->restart & ~bit;
}

static void md_uring(struct task *t, struct call *c)
{
    (void)t;
    if (!c->err)
        st.uring += (u64)c->ret;
}

/* What a request of io_uring's moves, by its number (include/uapi/linux/io_uring.h). */
enum { RING_NONE, RING_IN, RING_OUT, RING_FD };
static const struct { const char *name; u8 moves; } md_ring_op[] = {
#define R(name) { #name, RING_NONE },
#define R_IN(name) { #name, RING_IN },
#define R_OUT(name) { #name, RING_OUT },
#define R_FD(name) { #name, RING_FD },
    R(nop) R_IN(readv) R_OUT(writev) R(fsync) R_IN(read_fixed) R_OUT(write_fixed) R(poll_add)
    R(poll_remove) R(sync_file_range) R_OUT(sendmsg) R_IN(recvmsg) R(timeout) R(timeout_remove)
    R_FD(accept) R(async_cancel) R(link_timeout) R(connect) R(fallocate) R_FD(openat) R(close)
    R(files_update) R(statx) R_IN(read) R_OUT(write) R(fadvise) R(madvise) R_OUT(send) R_IN(recv)
    R_FD(openat2) R(epoll_ctl) R(splice) R(provide_buffers) R(remove_buffers) R(tee) R(shutdown)
    R(renameat) R(unlinkat) R(mkdirat) R(symlinkat) R(linkat) R(msg_ring) R(fsetxattr) R(setxattr)
    R(fgetxattr) R(getxattr) R_FD(socket) R(uring_cmd) R_OUT(send_zc) R_OUT(sendmsg_zc)
    R_IN(read_multishot) R(waitid) R(futex_wait) R(futex_wake) R(futex_waitv) R(fixed_fd_install)
    R(ftruncate) R(bind) R(listen) R_IN(recv_zc) R(epoll_wait) R_IN(readv_fixed)
    R_OUT(writev_fixed) R(pipe)
#undef R
#undef R_IN
#undef R_OUT
#undef R_FD
};

/* A result of io_uring's, of a process of which t is a thread. */
static void md_ring(struct task *t, const struct wire_uring *w)
{
    bool known = w->op < ARRAY_LEN(md_ring_op);
    u8 moves = known ? md_ring_op[w->op].moves : RING_NONE;
    struct ofd *o = w->fd >= 0 ? fd_get(t, w->fd) : NULL;
    if (moves == RING_FD && w->res > 0) { /* if that was another file, a ring has closed it */
        fd_remove(t->files, w->res);
        md_closed(t, w->res);
    }
    bool data = (moves == RING_IN || moves == RING_OUT) && w->res >= 0;
    if (data && o && w->res)
        st_io(o, NULL, (u64)w->res, moves == RING_IN);
    struct event *e = ev_new(EK_URING, t, w->ts_ns);
    e->err = w->res < 0 && w->res >= -4095 ? -w->res : 0;
    ev_sym(e, EV_op, known ? md_ring_op[w->op].name : "unknown");
    ev_num(e, EV_code, w->res);
    if (w->fd >= 0)
        ev_num(e, EV_fd, w->fd);
    if (o) {
        ev_name(e, EV_filename, o->name);
        ev_sym(e, EV_fd_kind, fd_kind_name[o->kind]);
    }
    if (data)
        ev_num(e, EV_bytes, w->res);
    if (w->submit_ns && !(w->flags & (URING_SHARED | URING_MORE)))
        ev_num(e, EV_duration_ns, (s64)(w->ts_ns - w->submit_ns));
    md_emit(e);
}

/* --- the table --- */

/* MD_ALWAYS: without it kvis loses track of the tracees themselves. MD_FDS: it changes what a
 * descriptor means. MD_EVENT: it only reports. */
enum md_need { MD_NO, MD_EVENT, MD_FDS, MD_ALWAYS };

struct md_call {
    void (*enter)(struct task *, struct call *);
    void (*exit)(struct task *, struct call *);
    u8 need;
};

static const struct { u16 id; struct md_call m; } md_calls[] = {
#define MD(name, enter, exit, need) { SC_##name, { enter, exit, need } },
    MD(open, NULL, md_open, MD_FDS)
    MD(openat, NULL, md_open, MD_FDS)
    MD(openat2, NULL, md_open, MD_FDS)
    MD(creat, NULL, md_open, MD_FDS)
    MD(close, NULL, md_close, MD_FDS)
    MD(close_range, NULL, md_close_range, MD_FDS)
    MD(dup, NULL, md_dup, MD_FDS)
    MD(dup2, NULL, md_dup, MD_FDS)
    MD(dup3, NULL, md_dup, MD_FDS)
    MD(fcntl, NULL, md_fcntl, MD_FDS)
    MD(fcntl64, NULL, md_fcntl, MD_FDS)
    MD(pipe, NULL, md_pair, MD_FDS)
    MD(pipe2, NULL, md_pair, MD_FDS)
    MD(socketpair, NULL, md_pair, MD_FDS)
    MD(socketcall, NULL, NULL, MD_FDS) /* i386: md_socketcall */
    MD(socket, NULL, md_socket, MD_FDS)
    MD(connect, NULL, md_connect, MD_FDS)
    MD(accept, NULL, md_accept, MD_FDS)
    MD(accept4, NULL, md_accept, MD_FDS)
    MD(bind, NULL, md_bind_listen, MD_EVENT)
    MD(listen, NULL, md_bind_listen, MD_EVENT)
    MD(shutdown, NULL, md_shutdown, MD_EVENT)
    MD(eventfd, NULL, md_make, MD_FDS)
    MD(eventfd2, NULL, md_make, MD_FDS)
    MD(epoll_create, NULL, md_make, MD_FDS)
    MD(epoll_create1, NULL, md_make, MD_FDS)
    MD(timerfd_create, NULL, md_make, MD_FDS)
    MD(signalfd, NULL, md_make, MD_FDS)
    MD(signalfd4, NULL, md_make, MD_FDS)
    MD(inotify_init, NULL, md_make, MD_FDS)
    MD(inotify_init1, NULL, md_make, MD_FDS)
    MD(fanotify_init, NULL, md_make, MD_FDS)
    MD(memfd_create, NULL, md_make, MD_FDS)
    MD(memfd_secret, NULL, md_make, MD_FDS)
    MD(pidfd_open, NULL, md_make, MD_FDS)
    MD(io_uring_setup, NULL, md_make, MD_FDS)
    MD(perf_event_open, NULL, md_make, MD_FDS)
    MD(userfaultfd, NULL, md_make, MD_ALWAYS)
    MD(pidfd_getfd, NULL, md_getfd, MD_FDS)
    MD(open_by_handle_at, NULL, md_make_any, MD_FDS)
    MD(open_tree, NULL, md_make_any, MD_FDS)
    MD(fsopen, NULL, md_make_any, MD_FDS)
    MD(fsmount, NULL, md_make_any, MD_FDS)
    MD(mq_open, NULL, md_make_any, MD_FDS)
    MD(ioctl, NULL, md_ioctl, MD_NO) /* by its argument: tr_'s filter stops for UFFD_NEW */
    MD(read, NULL, md_read, MD_EVENT)
    MD(pread64, NULL, md_read, MD_EVENT)
    MD(readv, NULL, md_read, MD_EVENT)
    MD(preadv, NULL, md_read, MD_EVENT)
    MD(preadv2, NULL, md_read, MD_EVENT)
    MD(write, NULL, md_write, MD_EVENT)
    MD(pwrite64, NULL, md_write, MD_EVENT)
    MD(writev, NULL, md_write, MD_EVENT)
    MD(pwritev, NULL, md_write, MD_EVENT)
    MD(pwritev2, NULL, md_write, MD_EVENT)
    MD(sendto, NULL, md_sendto, MD_EVENT)
    MD(recvfrom, NULL, md_recvfrom, MD_EVENT)
    MD(sendmsg, NULL, md_sendmsg, MD_EVENT)
    MD(recvmsg, NULL, md_recvmsg, MD_FDS)
    MD(sendmmsg, NULL, md_mmsg, MD_EVENT)
    MD(recvmmsg, NULL, md_mmsg, MD_FDS)
    MD(recvmmsg_time64, NULL, md_mmsg, MD_FDS)
    MD(sendfile, NULL, md_copy, MD_EVENT)
    MD(sendfile64, NULL, md_copy, MD_EVENT)
    MD(copy_file_range, NULL, md_copy, MD_EVENT)
    MD(splice, NULL, md_copy, MD_EVENT)
    MD(tee, NULL, md_copy, MD_EVENT)
    MD(vmsplice, NULL, md_vmsplice, MD_EVENT)
    MD(chdir, NULL, md_chdir, MD_FDS)
    MD(fchdir, NULL, md_chdir, MD_FDS)
    MD(chroot, NULL, md_chdir, MD_FDS)
    MD(pivot_root, NULL, md_chdir, MD_FDS)
    MD(unshare, NULL, md_unshare, MD_ALWAYS) /* also tells where children have other pids */
    MD(setns, NULL, md_setns, MD_ALWAYS)
    MD(brk, NULL, md_brk, MD_EVENT)
    MD(mmap, NULL, md_mmap, MD_EVENT)
    MD(mmap2, NULL, md_mmap, MD_EVENT)
    MD(munmap, NULL, md_munmap, MD_EVENT)
    MD(mremap, NULL, md_mremap, MD_EVENT)
    MD(mprotect, NULL, md_mprotect, MD_EVENT)
    MD(pkey_mprotect, NULL, md_mprotect, MD_EVENT)
    MD(fork, md_clone_enter, NULL, MD_ALWAYS)
    MD(vfork, md_clone_enter, NULL, MD_ALWAYS)
    MD(clone, md_clone_enter, NULL, MD_ALWAYS)
    MD(clone3, md_clone_enter, NULL, MD_ALWAYS)
    MD(execve, md_exec_enter, md_exec, MD_ALWAYS)
    MD(execveat, md_exec_enter, md_exec, MD_ALWAYS)
    MD(ptrace, NULL, NULL, MD_ALWAYS) /* tr_ says when it fails because of us */
    MD(prctl, NULL, md_seccomp, MD_ALWAYS)
    MD(seccomp, NULL, md_seccomp, MD_ALWAYS)
    MD(rt_sigaction, NULL, md_sigaction, MD_EVENT)
    MD(io_uring_enter, NULL, md_uring, MD_EVENT)
#undef MD
};

/* By row, all rows of a name alike; made from md_calls[] and md_changes[]. */
static struct md_call md_of[ARRAY_LEN(sc_rows)];

static void md_init(void)
{
    static const struct md_call change = { NULL, md_change, MD_EVENT };
    for (size_t i = 0; i < ARRAY_LEN(md_calls); i++)
        md_of[md_calls[i].id] = md_calls[i].m;
    for (size_t i = 0; i < ARRAY_LEN(md_changes); i++)
        md_of[md_changes[i].row] = change;
    for (size_t i = 1; i < ARRAY_LEN(sc_rows); i++)
        if (sc_id[i] != i)
            md_of[i] = md_of[sc_id[i]];
}

/* Whether the model wants to see calls of that row. Failures of calls that take a path are in the
 * summary. */
static bool md_wants(u16 row, bool only_always)
{
    return only_always ? md_of[row].need == MD_ALWAYS
                       : md_of[row].need != MD_NO || sc_rows[row].cls & CLS_FILE;
}

static bool md_is_about_fds(u16 row)
{
    return md_of[row].need >= MD_FDS;
}

/* i386 makes its socket calls through socketcall(2), whose arguments lie in memory (net/socket.c):
 * turns such a call into the one it stands for. */
static bool md_socketcall(struct task *t, struct call *c)
{
    static const struct { u16 id; u8 args;
    } call[] = {
        [1] = { SC_socket, 3 },    [2] = { SC_bind, 3 },      [3] = { SC_connect, 3 },
        [4] = { SC_listen, 2 },    [5] = { SC_accept, 3 },    [8] = { SC_socketpair, 4 },
        [9] = { SC_sendto, 4 },    [10] = { SC_recvfrom, 4 }, [11] = { SC_sendto, 6 },
        [12] = { SC_recvfrom, 6 }, [13] = { SC_shutdown, 2 }, [16] = { SC_sendmsg, 3 },
        [17] = { SC_recvmsg, 3 },  [18] = { SC_accept4, 4 },  [19] = { SC_recvmmsg, 5 },
        [20] = { SC_sendmmsg, 4 },
    };
    u32 w[6] = { 0 };
    u64 n = c->arg[0];
    if (n >= ARRAY_LEN(call) || !call[n].args ||
        !mem_get(t, c->arg[1], w, call[n].args * sizeof *w))
        return false;
    c->id = call[n].id;
    for (int i = 0; i < 6; i++)
        c->arg[i] = w[i];
    return true;
}

/* A call begins. */
static void md_enter(struct task *t, struct call *c)
{
    if (c->known && md_of[c->row].enter)
        md_of[c->row].enter(t, c);
}

/* A call has returned: updates the tables, emits what it means. */
static void md_exit(struct task *t, struct call *c)
{
    if (!c->known)
        return;
    if (c->id == SC_socketcall) {
        struct call as = *c;
        if (md_socketcall(t, &as) && md_of[as.id].exit)
            md_of[as.id].exit(t, &as);
    } else if (md_of[c->row].exit) {
        md_of[c->row].exit(t, c);
    }
}

/* -P on a call as a whole: any of its paths or descriptors. */
static bool md_call_wanted(struct task *t, const struct call *c)
{
    static struct path p;
    if (!opt.n_paths)
        return true;
    for (u32 i = 0; c->known && i < sc_rows[c->row].nargs; i++) {
        u16 kind = sc_rows[c->row].arg[i];
        if (kind == K_PATH) {
            bool at = i && sc_rows[c->row].arg[i - 1] == K_DIRFD;
            md_path(t, at ? (s32)c->arg[i - 1] : AT_FDCWD, c->arg[i], &p);
            if (p.ok && md_path_wanted(p.s, p.len))
                return true;
        } else if (kind == K_FD || kind == K_DIRFD) {
            struct ofd *o = c->err == EBADF ? NULL : fd_get(t, (s32)c->arg[i]);
            if (o && o->name && md_path_wanted(o->name->s, o->name->len))
                return true;
        }
    }
    return false;
}
/* == 16 rec_  recordings: what a .kvis file holds ==================================
 * A head (magic, version, crc), then blocks {u32 bytes, u32 crc of them and of the block's number},
 * little-endian; the last block ends with REC_END. A block holds records: a type, then varints
 * (7 bits a byte, low ones first; signed ones zigzag) and strings. A string that is short comes
 * once: it is put into the slot that its hash names, and is the slot's number from then on, until
 * another takes the slot. So neither side grows with the number of events. Fields and kinds of
 * events are numbered as the file's own REC_FIELD and REC_KIND say. Whatever is wrong with a block
 * makes it the end: all before it is whole. Entry points: rec_start, rec_finish (writing);
 * rec_open, rec_next and the rec_get_ functions (reading). */

enum {
    REC_VERSION = 2, REC_HEAD = 16, REC_BLOCK = 64 << 10, REC_MAX = 16 << 20, REC_SLOTS = 4096,
    REC_KEEP = 512 /* longest string that gets a slot */
};

enum rec_type {
    REC_META = 1, REC_WORD, REC_PID, REC_FIELD, REC_KIND, REC_UNASKED, /* the run */
    REC_EVENT, REC_ENTER, REC_CALL, REC_IDLE,                          /* what happens */
    REC_NUM, REC_NAME, REC_TABLE, REC_ROW, REC_FAILED, REC_LEFT, REC_PROGRAM, REC_WHERE,
    REC_DELAYS, REC_END, REC_WAITS, REC_IO, REC_DISK                   /* what it came to */
};

enum { REC_SAME = 1, REC_NOISE = 2, REC_ERR = 4, REC_MANY = 8, REC_FILE = 16, REC_OTHER_FILE = 32,
       REC_CAT = 64, REC_OF_CALL = 128 };
enum { REC_NORET = 2, REC_DETACHED = 4, REC_LATE = 8, REC_CERR = 16, REC_CMANY = 32,
       REC_CHILD = 64, REC_ADDR = 128, REC_TIMED = 256, REC_ABI = 512, REC_RET = 1024,
       REC_KNOWN = 2048, REC_PATHS = 4096, REC_WAKER = 8192 };

static const u8 rec_magic[8] = { 0x89, 'k', 'v', 'i', 's', '\r', '\n', 0x1a };

/* Which run it is that the sinks are told of. */
static struct { const char *version, *host, *kernel, *arch, *backend; } rec_run;

static struct st_end rec_end;

/* The numbers of the summary: written and read back by name. */
static const struct { const char *name; u64 *v; } rec_nums[] = {
    { "duration_ns", &rec_end.duration_ns }, { "records", &rec_end.records },
    { "throttled", &rec_end.throttled }, { "lost", &rec_end.lost },
    { "commands", &rec_end.commands }, { "cpu_ns", &rec_end.cpu_ns },
    { "bpf_ns", &rec_end.bpf_ns }, { "bpf_runs", &rec_end.bpf_runs },
    { "heap_bytes", &vm.heap_bytes }, { "map_bytes", &vm.map_bytes },
    { "map_regions", &vm.map_regions }, { "syscalls", &st.syscalls }, { "file_in", &st.file_in },
    { "file_out", &st.file_out }, { "net_in", &st.net_in }, { "net_out", &st.net_out },
    { "other_in", &st.other_in }, { "other_out", &st.other_out }, { "uring", &st.uring },
    { "uring_done", &st.uring_done }, { "uring_lost", &st.uring_lost },
    { "faults", &st.faults }, { "fault_lost", &st.fault_lost },
    { "major_faults", &st.major_faults }, { "no_major", &st.no_major },
    { "failed_other", &st.failed_other }, { "processes", &ps.processes },
    { "threads", &ps.threads }, { "unreadable", &mem.unreadable },
    { "names_overflow", &nm.overflow },
};

/* The first line of JSON. */
static void rec_json_header(struct buf *b, const char *backend)
{
    b_s(b, "{\"type\":\"header\",\"version\":\"");
    b_json(b, rec_run.version, strlen(rec_run.version)), b_s(b, "\",\"command\":");
    b_s(b, opt.command ? "[" : "null");
    bool bad = false;
    for (char **a = opt.command; a && *a; a++) {
        b_s(b, a == opt.command ? "\"" : ",\"");
        bad |= b_json(b, *a, strlen(*a));
        b_c(b, '"');
    }
    b_s(b, opt.command ? "]" : "");
    if (bad) {
        b_s(b, ",\"command_hex\":[");
        for (char **a = opt.command; *a; a++)
            b_s(b, a == opt.command ? "\"" : ",\""), b_hexbytes(b, *a, strlen(*a)), b_c(b, '"');
        b_c(b, ']');
    }
    for (u32 i = 0; i < opt.n_pids; i++)
        b_f(b, "%s%d%s", i ? "," : ",\"pids\":[", opt.pids[i], i + 1 == opt.n_pids ? "]" : "");
    b_s(b, ",\"host\":\""), b_json(b, rec_run.host, strlen(rec_run.host));
    b_s(b, "\",\"kernel\":\""), b_json(b, rec_run.kernel, strlen(rec_run.kernel));
    b_s(b, "\",\"arch\":\""), b_json(b, rec_run.arch, strlen(rec_run.arch));
    b_f(b, "\",\"start_realtime_ns\":%" PRIu64 ",\"clock\":\"monotonic\",\"backend\":\"",
        out.start_real_ns);
    b_json(b, backend, strlen(backend)), b_s(b, "\"}\n");
}

/* CRC-32 (ISO 3309). */
static u32 rec_crc(u32 crc, const void *bytes, size_t n)
{
    static u32 table[256];
    const u8 *p = bytes;
    for (u32 i = 1; !table[255] && i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 1 ? 0xedb88320u ^ table[i] >> 1 : table[i] >> 1;
    }
    for (crc = ~crc; n--; p++)
        crc = table[(crc ^ *p) & 255] ^ crc >> 8;
    return ~crc;
}

static void rec_le32(u8 *p, u32 v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (u8)(v >> 8 * i);
}

static u32 rec_ld32(const u8 *p)
{
    return p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

/* --- writing --- */

struct rec_slot { char *p; u32 len, cap; };

static struct {
    int (*write)(const char *p, size_t n); /* 0 or -errno */
    struct buf b;              /* the block that is being filled */
    struct rec_slot slot[REC_SLOTS];
    u64 last_ns;
    pid_t pid, tid;            /* of the record before */
    const struct ofd *o;       /* of the I/O event before */
    struct task *enter;        /* whose line began, and nothing was written since */
    bool enter_many;
    u32 blocks;
    int fd;
    const char *name;
} rout; /* zeros, so that its slots are no part of the file */

static void rec_put(u64 v)
{
    u8 tmp[10];
    if (v < 128 && rout.b.len < rout.b.cap) {
        rout.b.p[rout.b.len++] = (char)v;
        return;
    }
    u32 n = 0;
    do {
        tmp[n++] = (u8)((v & 127) | (v > 127 ? 128 : 0));
        v >>= 7;
    } while (v);
    b_put(&rout.b, tmp, n);
}

static void rec_putz(s64 v)
{
    rec_put((u64)v << 1 ^ (u64)(v >> 63));
}

static void rec_str(const char *p, size_t n)
{
    u32 at = nm_hash('r', p, n) % REC_SLOTS;
    struct rec_slot *s = &rout.slot[at];
    if (n <= REC_KEEP && s->p && s->len == n && !memcmp(s->p, p, n)) {
        rec_put(at << 1);
        return;
    }
    if (n <= REC_KEEP && n + 1 > s->cap) {
        char *q = realloc(s->p, n + 33);
        if (q)
            s->p = q, s->cap = (u32)n + 33;
    }
    bool keep = n <= REC_KEEP && s->cap > n;
    if (keep)
        memcpy(s->p, p, s->len = (u32)n);
    rec_put((keep ? at : REC_SLOTS) << 1 | 1);
    rec_put(n);
    b_put(&rout.b, p, n);
}

static void rec_text(const char *s)
{
    rec_str(s, strlen(s));
}

/* Ends the block. What cannot be written ends the recording, said once. */
static void rec_block(void)
{
    u8 head[8], number[4];
    if (!rout.b.len)
        return;
    rec_le32(number, rout.blocks++);
    rec_le32(head, rout.b.len);
    rec_le32(head + 4, rec_crc(rec_crc(0, number, 4), rout.b.p, rout.b.len));
    int e = rout.write ? rout.write((char *)head, 8) : 0;
    if (rout.write && !e)
        e = rout.write(rout.b.p, rout.b.len);
    if (e) {
        errno = -e;
        if (e != -EPIPE && e != -EINTR) {
            u_warn("cannot write %s, it ends here:", rout.name);
            out.failed = -e;
        }
        rout.write = NULL;
    }
    b_reset(&rout.b);
}

static int rec_write_fd(const char *p, size_t n)
{
    return out_write_all(rout.fd, p, n);
}

static void rec_task(const struct task *t, bool same)
{
    if (same)
        return;
    rec_putz(t->pid), rec_putz(t->tid);
    rout.pid = t->pid, rout.tid = t->tid;
}

static void rec_time(u64 ns)
{
    rec_putz((s64)(ns - rout.last_ns));
    rout.last_ns = ns;
}

/* Arguments as they are decoded so far: two bits each for their forms, then what they hold. */
static void rec_args(const struct call *c)
{
    u32 n = out_nargs(c), forms = 0;
    for (u32 i = 0; i < n; i++)
        forms |= (c->val[i].form + (c->val[i].form == ARG_STR && c->val[i].cut)) * (1u << 2 * i);
    rec_put(n);
    rec_put(forms);
    for (u32 i = 0; i < n; i++)
        if (c->val[i].form == ARG_NONE)
            rec_put(c->arg[i]);
        else
            rec_str(c->text.p + c->val[i].off, c->val[i].len);
}

static void rec_call_name(const struct call *c)
{
    char tmp[64];
    struct buf b = { .p = tmp, .cap = sizeof tmp, .max = sizeof tmp };
    out_call_bare_name(&b, c);
    rec_str(b.p, b.len);
    if (out_call_abi(c))
        rec_text(out_call_abi(c));
}

/* The line of a call that began, now that something else comes before its end. */
static void rec_enter_due(void)
{
    struct task *t = rout.enter;
    if (!t)
        return;
    bool same = t->pid == rout.pid && t->tid == rout.tid;
    rout.enter = NULL;
    rec_put(REC_ENTER);
    rec_put((same ? REC_SAME : 0) | (rout.enter_many ? REC_CMANY : 0)
            | (out_call_abi(&t->call) ? REC_ABI : 0));
    rec_task(t, same);
    rec_time(t->call.enter_ns);
    rec_call_name(&t->call);
    rec_args(&t->call);
}

static void rec_done(void)
{
    if (rout.b.len >= REC_BLOCK)
        rec_block();
}

static void rec_value(const struct event *e, u32 f)
{
    const union ev_val *v = &e->v[f];
    switch (ev_fields[f].type) {
    case VT_STR: case VT_ARGV: rec_str(v->s.p, v->s.len); break;
    case VT_SYM: rec_text(v->sym); break;
    case VT_ADDR: rec_put((u64)v->n); break;
    default: rec_putz(v->n); break;
    }
}

/* Which fields an event has: a bit for each of its kind's, one more when there are others, and how
 * many. */
static u64 rec_mask(const struct event *e, u32 *others)
{
    const struct event_kind *k = &event_kinds[e->kind];
    u64 mask = 0;
    *others = 0;
    for (u32 i = 0; i < ARRAY_LEN(e->set); i++)
        *others += (u32)__builtin_popcountll(e->set[i]);
    for (u32 i = 0; i < k->n; i++)
        mask |= (u64)ev_has(e, k->field[i]) << i;
    *others -= (u32)__builtin_popcountll(mask);
    return mask | (*others ? 1ull << k->n : 0);
}

/* The fields that an event's kind does not have, each with its number. */
static void rec_others(const struct event *e)
{
    const struct event_kind *k = &event_kinds[e->kind];
    for (u32 f = 0; f < N_EV_FIELDS; f++)
        if (ev_has(e, (enum ev_field)f) && !(k->n && memchr(k->field, (int)f, k->n)))
            rec_put(f), rec_value(e, f);
}

static void rec_event(const struct event *e)
{
    const struct event_kind *k = &event_kinds[e->kind];
    struct task t = { .pid = e->pid, .tid = e->tid };
    rec_enter_due();
    bool same = e->pid == rout.pid && e->tid == rout.tid, other_cat = e->cat != k->cat;
    u32 others;
    u64 mask = rec_mask(e, &others);
    u32 flags = (same ? REC_SAME : 0) | (e->noise ? REC_NOISE : 0) | (e->err ? REC_ERR : 0)
        | (out.many ? REC_MANY : 0) | (e->o ? REC_FILE : 0)
        | (e->o && e->o != rout.o ? REC_OTHER_FILE : 0) | (other_cat ? REC_CAT : 0)
        | (e->row >= 0 ? REC_OF_CALL : 0);
    rec_put(REC_EVENT);
    b_c(&rout.b, (char)flags);
    rec_put(e->kind);
    rec_put(mask);
    if (others)
        rec_put(others);
    rec_task(&t, same);
    rec_time(e->ts_ns);
    if (e->err)
        rec_put((u64)e->err);
    if (other_cat)
        rec_put(e->cat);
    if (e->row >= 0)
        rec_text(sc_name((u16)e->row));
    for (u32 i = 0; i < k->n; i++)
        if (mask >> i & 1)
            rec_value(e, k->field[i]);
    if (others)
        rec_others(e);
    if (e->o)
        rout.o = e->o;
    rec_done();
}

static void rec_enter(struct task *t)
{
    rec_enter_due();
    rout.enter = t;
    rout.enter_many = out.many;
    if (t->call.said)
        rec_enter_due(); /* its strings are of the record at hand */
}

/* The paths that -P would look at: of arguments, and of descriptors (as md_call_wanted). */
static void rec_paths(struct task *t, const struct call *c)
{
    static struct path p;
    const char *s[6];
    u32 len[6], n = 0;
    for (u32 i = 0; c->known && i < sc_rows[c->row].nargs && n < 6; i++) {
        u16 kind = sc_rows[c->row].arg[i];
        const struct arg *a = &c->val[i];
        struct name *on = NULL;
        if (kind == K_PATH && a->form == ARG_STR && !p.ok) {
            bool at = i && sc_rows[c->row].arg[i - 1] == K_DIRFD;
            struct name *base = md_base(t, at ? (s32)c->arg[i - 1] : AT_FDCWD);
            md_join(&p, base ? base->s : "", base ? base->len : 0, c->text.p + a->off, a->len);
            s[n] = p.s, len[n++] = p.len;
        } else if (kind == K_PATH && a->form == ARG_STR) {
            s[n] = c->text.p + a->off, len[n++] = a->len; /* a second one: as it is written */
        } else if ((kind == K_FD || kind == K_DIRFD) && c->err != EBADF) {
            struct fdent *f = fd_find(t->files, (s32)c->arg[i]);
            on = f && f->o ? f->o->name : NULL;
        }
        if (on)
            s[n] = on->s, len[n++] = on->len;
    }
    p.ok = false;
    rec_put(n);
    for (u32 i = 0; i < n; i++)
        rec_str(s[i], len[i]);
}

/* The result's text, where that is more than its number. */
static bool rec_ret(struct buf *b, struct task *t, const struct call *c)
{
    static struct buf plain;
    b_reset(b);
    b_reset(&plain);
    if (c->said)
        b_put(b, c->said->ret, c->said->ret_len);
    else
        dec_ret(b, t, c);
    b_s64(&plain, c->ret);
    return b->len != plain.len || memcmp(b->p, plain.p, b->len);
}

static u32 rec_call_flags(const struct task *t, bool many)
{
    const struct call *c = &t->call;
    bool same = t->pid == rout.pid && t->tid == rout.tid;
    return (same ? REC_SAME : 0) | (c->noret ? REC_NORET : 0) | (c->detached ? REC_DETACHED : 0)
        | (c->late ? REC_LATE : 0) | (c->err ? REC_CERR : 0) | (many ? REC_CMANY : 0)
        | (c->child ? REC_CHILD : 0) | (out_ret_is_addr(c) ? REC_ADDR : 0)
        | (c->timed ? REC_TIMED : 0) | (out_call_abi(c) ? REC_ABI : 0)
        | (*c->waker_comm ? REC_WAKER : 0)
        | (c->known ? REC_KNOWN | (c->said ? 0 : REC_PATHS) : 0);
}

static void rec_exit(struct task *t)
{
    static struct buf ret;
    struct call *c = &t->call;
    bool many = rout.enter == t ? rout.enter_many : out.many;
    if (rout.enter == t)
        rout.enter = NULL; /* one record says both */
    rec_enter_due();
    u32 flags = rec_call_flags(t, many) | (rec_ret(&ret, t, c) ? REC_RET : 0);
    rec_put(REC_CALL);
    rec_put(flags);
    rec_task(t, flags & REC_SAME);
    rec_time(c->enter_ns);
    rec_time(c->exit_ns);
    rec_call_name(c);
    rec_args(c);
    rec_putz(c->ret);
    if (c->err)
        rec_put((u64)c->err);
    if (c->child)
        rec_putz(c->child);
    if (c->timed)
        rec_put(c->cpu_ns), rec_put(c->runq_ns), rec_put(c->disk_ns), rec_putz(c->waker_pid);
    if (*c->waker_comm)
        rec_str(c->waker_comm, strnlen(c->waker_comm, sizeof c->waker_comm));
    if (flags & REC_RET)
        rec_str(ret.p, ret.len);
    if (flags & REC_PATHS)
        rec_paths(t, c);
    rec_done();
}

static void rec_gone(const struct task *t, const struct ofd *o)
{
    if (t && rout.enter == t)
        rec_enter_due();
    if (o && rout.o == o)
        rout.o = NULL;
}

static void rec_idle(void)
{
    rec_enter_due();
    rec_put(REC_IDLE);
}

static void rec_flush(void)
{
    rec_enter_due();
    rec_block();
}

static const struct out_tap rec_tap = { rec_event, rec_enter, rec_exit, rec_gone, rec_idle,
                                        rec_flush };

static void rec_meta(const char *key, const char *value)
{
    rec_put(REC_META);
    rec_text(key), rec_text(value);
}

static void rec_meta_num(const char *key, u64 v)
{
    char tmp[24];
    snprintf(tmp, sizeof tmp, "%" PRIu64, v);
    rec_meta(key, tmp);
}

static void rec_schema(void)
{
    for (u32 f = 0; f < N_EV_FIELDS; f++) {
        rec_put(REC_FIELD), rec_text(ev_fields[f].name);
        rec_put(ev_fields[f].type);
    }
    for (u32 k = 0; k < N_EK; k++) {
        rec_put(REC_KIND), rec_text(event_kinds[k].name);
        rec_put(event_kinds[k].n);
        for (u32 i = 0; i < event_kinds[k].n; i++)
            rec_put(event_kinds[k].field[i]);
    }
}

/* The first block: which run this is, and how its events are laid out. */
static void rec_begin(void)
{
    rout.last_ns = out.start_ns;
    rec_meta("version", rec_run.version), rec_meta("host", rec_run.host);
    rec_meta("kernel", rec_run.kernel), rec_meta("arch", rec_run.arch);
    rec_meta("backend", rec_run.backend);
    rec_meta_num("start_ns", out.start_ns), rec_meta_num("start_real_ns", out.start_real_ns);
    rec_meta_num("faults", opt.faults), rec_meta_num("calls", opt.calls);
    rec_meta_num("page_bytes", (u64)sysconf(_SC_PAGESIZE));
    for (char **a = opt.command; a && *a; a++)
        rec_put(REC_WORD), rec_text(*a);
    for (u32 i = 0; i < opt.n_pids; i++)
        rec_put(REC_PID), rec_putz(opt.pids[i]);
    for (u16 i = 0; i < SC_N; i++)
        if (!sc_set[i] && sc_id[i] == i)
            rec_put(REC_UNASKED), rec_text(sc_name(i));
    rec_schema();
    rec_block();
}

/* Begins to record, by `write`. */
static void rec_start(int (*write)(const char *, size_t), const char *name)
{
    u8 head[REC_HEAD] = { 0 };
    rout.write = write;
    rout.name = name;
    rout.b.max = REC_MAX;
    rout.blocks = 0;
    rout.pid = rout.tid = 0;
    rout.o = NULL;
    for (u32 i = 0; i < REC_SLOTS; i++)
        rout.slot[i].len = ~0u; /* of a recording before */
    memcpy(head, rec_magic, 8);
    rec_le32(head + 8, REC_VERSION);
    rec_le32(head + 12, rec_crc(0, head, 12));
    int e = write((char *)head, sizeof head);
    if (e) {
        errno = -e;
        u_warn("cannot write %s:", name);
        out.failed = -e;
        rout.write = NULL;
    }
    rec_begin();
    out.tap[out.n_taps++] = &rec_tap;
}

/* --- writing: the summary's numbers --- */

/* Names, those of a bucket from the back, so that reading them back gives the same order. */
static void rec_names(void)
{
    for (u32 i = 0; i < NM_BUCKETS; i++) {
        struct name *back = NULL;
        for (struct name *e = nm.hash[i], *next; e; e = next)
            next = e->next, e->next = back, back = e;
        nm.hash[i] = NULL;
        for (struct name *e = back, *next; e; e = next) {
            next = e->next, e->next = nm.hash[i], nm.hash[i] = e;
            if (e->cls != 'f' && e->cls != 'p')
                continue;
            rec_put(REC_NAME), b_c(&rout.b, e->cls);
            rec_str(e->s, e->len);
            rec_put(e->kind), rec_put(e->read | e->written << 1);
            rec_put(e->in_bytes), rec_put(e->out_bytes), rec_put(e->opens);
            rec_done();
        }
    }
}

static void rec_hist(const u32 *hist, u32 n)
{
    u32 used = 0, last = 0;
    for (u32 i = 0; i < n; i++)
        used += hist[i] != 0;
    rec_put(used);
    for (u32 i = 0; i < n; i++)
        if (hist[i])
            rec_put(i - last), rec_put(hist[i]), last = i;
}

/* A row is told by its name and which of that name it is. */
static void rec_row_name(u16 row)
{
    rec_text(sc_name(row));
    rec_put((u64)(row - sc_id[row]));
}

static void rec_table(const struct stats *s)
{
    rec_put(REC_TABLE), rec_putz(s->pid);
    rec_str(s->comm, strnlen(s->comm, sizeof s->comm));
    for (u16 i = 0; i < SC_N; i++) {
        const struct st_row *r = s->row[i];
        if (!r || !r->calls)
            continue;
        rec_put(REC_ROW), rec_row_name(i);
        rec_put(r->calls), rec_put(r->errors), rec_put(r->time_ns), rec_put(r->max_ns);
        rec_hist(r->hist, ST_BUCKETS);
        rec_done();
    }
}

static void rec_left(void)
{
    rec_put(REC_LEFT), rec_put(st.n_left);
    rec_put(MIN(st.n_left, ST_LEFT_OPEN));
    for (u32 i = 0; i < MIN(st.n_left, ST_LEFT_OPEN); i++) {
        const struct name *n = st.left[i].name;
        rec_putz(st.left[i].pid), rec_putz(st.left[i].fd), rec_put(st.left[i].kind);
        rec_str(st.left[i].comm, strnlen(st.left[i].comm, 16));
        rec_text(st.left[i].sock ? st.left[i].sock : "");
        b_c(&rout.b, n ? n->cls : '-');
        rec_str(n ? n->s : "", n ? n->len : 0);
        rec_done();
    }
}

static void rec_where(void)
{
    for (u32 i = 0; i < ST_WHERE; i++) {
        const struct st_where *w = &st.where[i];
        if (!w->calls)
            continue;
        rec_put(REC_WHERE), rec_put(i);
        rec_row_name(w->row);
        b_c(&rout.b, w->on ? w->on->cls : '-');
        rec_str(w->on ? w->on->s : "", w->on ? w->on->len : 0);
        rec_put(w->calls), rec_put(w->ns), rec_put(w->cpu), rec_put(w->runq), rec_put(w->disk);
        rec_done();
    }
}

static void rec_waits(void)
{
    for (u16 i = 0; i < SC_N; i++) {
        const struct st_waits *w = &st.waits[i];
        if (!w->calls)
            continue;
        rec_put(REC_WAITS), rec_row_name(i);
        rec_put(w->calls), rec_put(w->ns), rec_put(w->cpu), rec_put(w->runq), rec_put(w->disk);
        rec_done();
    }
}

static void rec_io(void)
{
    const struct st_io *io = rec_end.io;
    if (!io)
        return;
    rec_put(REC_IO), rec_put(io->took.count), rec_put(io->took.sum_ns), rec_put(io->took.max_ns);
    rec_put(io->read), rec_put(io->written), rec_put(io->lost);
    rec_hist(io->took.hist, DELAY_BUCKETS);
    for (u32 i = 0; i < io->n_disks; i++) {
        rec_put(REC_DISK), rec_str(io->disk[i].name, strlen(io->disk[i].name));
        for (u32 k = 0; k < ARRAY_LEN(io->disk[i].v); k++)
            rec_put(io->disk[i].v[k]);
        rec_done();
    }
}

static void rec_trailer(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rec_nums); i++)
        rec_put(REC_NUM), rec_text(rec_nums[i].name), rec_put(*rec_nums[i].v);
    rec_names();
    if (opt.count_only || opt.count_too) {
        for (const struct stats *s = st.procs; s; s = s->next)
            rec_table(s);
        rec_table(&st.all);
    }
    for (u32 i = 0; i < ST_ERRNOS; i++)
        if (st.failed[i].count)
            rec_put(REC_FAILED), rec_row_name(st.failed[i].row), rec_put(st.failed[i].err),
                rec_put(st.failed[i].count);
    rec_left();
    for (u32 i = 0; i < st.n_programs; i++)
        rec_put(REC_PROGRAM), rec_str(st.program[i]->s, st.program[i]->len), rec_done();
    rec_where();
    rec_waits();
    if (rec_end.delays) {
        const struct st_delays *d = rec_end.delays;
        rec_put(REC_DELAYS), rec_put(d->count), rec_put(d->sum_ns), rec_put(d->max_ns);
        rec_hist(d->hist, DELAY_BUCKETS);
    }
    rec_io();
    rec_put(REC_END), rec_putz(rec_end.status);
}

/* The end of a recording that has events only. */
static void rec_end_events(void)
{
    rec_enter_due();
    rec_put(REC_END), rec_putz(0);
    rec_block();
    rout.write = NULL;
}

/* The run is over: the numbers of the summary, and the end. */
static void rec_finish(void)
{
    if (!rout.b.max)
        return;
    rec_enter_due();
    rec_trailer();
    rec_block();
    rout.write = NULL;
    for (u32 i = 0; i < out.n_taps; i++)
        if (out.tap[i] == &rec_tap)
            out.tap[i] = out.tap[--out.n_taps];
}

/* --- reading --- */

static struct {
    int fd;
    const char *name;          /* for messages */
    bool again;                /* which run it is is known already */
    u64 at;                    /* where the block begins in the file */
    u32 blocks;
    struct buf b;
    const u8 *p, *end;         /* what is left of the block */
    struct rec_slot slot[REC_SLOTS];
    char wrong[160];           /* what is wrong with the file, "": nothing */
    bool torn;                 /* it stops in the middle */
    struct buf text;           /* strings of the record at hand, each with a NUL */
    u64 last_ns;
    pid_t pid, tid;
    struct { s8 own; u8 type; } field[96];
    struct { s8 own; u8 n, field[64]; } kind[64];
    u32 n_fields, n_kinds;
} rin; /* zeros, as rout */

static void PRINTF_LIKE(1, 2) rec_bad(const char *fmt, ...)
{
    va_list ap;
    if (*rin.wrong)
        return; /* the first is what counts */
    va_start(ap, fmt);
    vsnprintf(rin.wrong, sizeof rin.wrong, fmt, ap);
    va_end(ap);
    rin.p = rin.end;
}

/* Reads n bytes unless the file ends before. Returns how many it were, or -errno. */
static s64 rec_read(void *p, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t r = read(rin.fd, (char *)p + got, n - got);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0)
            return -errno;
        if (r == 0)
            break;
        got += (size_t)r;
    }
    return (s64)got;
}

/* The next block that is whole; false at the end of what can be read. */
static bool rec_read_block(void)
{
    u8 head[8], number[4];
    rin.at += rin.blocks ? 8 + rin.b.len : REC_HEAD;
    rin.p = rin.end = NULL;
    s64 n = rec_read(head, 8);
    u32 len = rec_ld32(head);
    b_reset(&rin.b);
    if (n == 8 && (!len || len > REC_MAX))
        rec_bad("damaged at offset %" PRIu64 " (a block of %u bytes)", rin.at, len);
    else if (n == 8 && b_room(&rin.b, len) < len)
        rec_bad("out of memory (%u bytes)", len);
    if (*rin.wrong)
        return false;
    s64 m = n == 8 ? rec_read(rin.b.p, len) : n < 0 ? n : 0;
    if (n < 0 || m < 0)
        rec_bad("cannot be read: %s", strerror((int)-m));
    else if (n < 8 || m < (s64)len)
        rin.torn = true, rec_bad("torn at offset %" PRIu64, rin.at);
    if (*rin.wrong)
        return false;
    rec_le32(number, rin.blocks++);
    rin.b.len = len;
    if (rec_crc(rec_crc(0, number, 4), rin.b.p, len) != rec_ld32(head + 4))
        rec_bad("damaged at offset %" PRIu64 " (checksum)", rin.at);
    rin.p = (const u8 *)rin.b.p;
    rin.end = *rin.wrong ? rin.p : rin.p + len;
    return !*rin.wrong;
}

static u64 rec_get(void)
{
    u64 v = 0;
    for (u32 shift = 0; rin.p < rin.end && shift < 64; shift += 7) {
        u8 c = *rin.p++;
        v |= (u64)(c & 127) << shift;
        if (c < 128)
            return v;
    }
    rec_bad("damaged at offset %" PRIu64 " (a number)", rin.at + 8);
    return 0;
}

static s64 rec_getz(void)
{
    u64 v = rec_get();
    return (s64)(v >> 1 ^ (0 - (v & 1)));
}

/* A number that must be below `limit`. */
static u32 rec_below(u32 limit, const char *what)
{
    u64 v = rec_get();
    if (v < limit)
        return (u32)v;
    rec_bad("damaged at offset %" PRIu64 " (%s %" PRIu64 ")", rin.at + 8, what, v);
    return 0;
}

static u8 rec_byte(void)
{
    if (rin.p == rin.end) {
        rec_bad("damaged at offset %" PRIu64 " (a record is cut)", rin.at + 8);
        return 0;
    }
    return *rin.p++;
}

/* A string of the record: where it is in rin.text, with a NUL behind it. */
static struct arg rec_gets(void)
{
    u32 ref = rec_below(REC_SLOTS * 2 + 2, "string"), at = ref >> 1;
    struct arg a = { .off = rin.text.len };
    const char *p = "";
    if (!(ref & 1)) {
        if (at == REC_SLOTS || !rin.slot[at].p) {
            rec_bad("damaged at offset %" PRIu64 " (string %u is not there)", rin.at + 8, at);
            a.len = 0;
        } else {
            p = rin.slot[at].p, a.len = rin.slot[at].len;
        }
    } else {
        u64 n = rec_get();
        if (n > (u64)(rin.end - rin.p) || (at < REC_SLOTS && n > REC_KEEP)) {
            rec_bad("damaged at offset %" PRIu64 " (a string of %" PRIu64 ")", rin.at + 8, n);
            n = 0;
        }
        p = (const char *)rin.p, a.len = (u32)n;
        rin.p += n;
        if (at < REC_SLOTS && !*rin.wrong) {
            struct rec_slot *s = &rin.slot[at];
            if (n >= s->cap) {
                char *q = realloc(s->p, n + 33);
                if (!q) {
                    rec_bad("out of memory");
                    return (struct arg){ 0 };
                }
                s->p = q, s->cap = (u32)n + 33;
            }
            memcpy(s->p, p, n);
            s->len = (u32)n;
        }
    }
    b_put(&rin.text, p, a.len);
    b_c(&rin.text, 0);
    if (rin.text.cut)
        rec_bad("damaged at offset %" PRIu64 " (a record is too long)", rin.at + 8);
    return *rin.wrong ? (struct arg){ .off = 0, .len = 0 } : a;
}

/* The bytes of a string; only when all of the record is read, as the buffer moves. */
static char *rec_at(struct arg a)
{
    static char none[1];
    return rin.text.len > a.off + a.len ? rin.text.p + a.off : none;
}

/* Text that kvis made is printed as it is: a file can hold anything, so what a terminal would act
 * on becomes '?', also behind a NUL. */
static char *rec_clean(struct arg a)
{
    char *s = rec_at(a);
    u32 len = rin.text.len > a.off + a.len ? a.len : 0;
    for (u32 i = 0; i < len;) {
        u32 cp;
        int n = u_utf8((u8 *)s + i, len - i, &cp);
        if (!n || u_acts(cp))
            memset(s + i, '?', (size_t)MAX(n, 1));
        i += (u32)MAX(n, 1);
    }
    return s;
}

/* The row of a call's name: the k-th of that name; -1: this kvis knows no such call. */
static s32 rec_row(const char *name, u64 k)
{
    static struct { char name[40]; s32 row; } seen[64]; /* the same few come again and again */
    u32 h = nm_hash('c', name, strlen(name)) % ARRAY_LEN(seen);
    if (strlen(name) >= sizeof seen[h].name)
        return -1;
    if (strcmp(seen[h].name, name) || !*name) {
        s32 row = -1;
        for (u16 i = 0; row < 0 && i < SC_N; i++)
            row = strcmp(sc_name(i), name) ? -1 : i;
        snprintf(seen[h].name, sizeof seen[h].name, "%s", name);
        seen[h].row = row;
    }
    s32 row = seen[h].row;
    return row >= 0 && k && row + (s64)MIN(k, (u64)SC_N) < SC_N && sc_id[row + (s32)k] == row
               ? row + (s32)k : row;
}

/* --- reading: which run --- */

static char *rec_keep(const char *s)
{
    return nm_str('x', s)->s;
}

static void rec_get_meta(void)
{
    struct arg k = rec_gets(), v = rec_gets();
    const char *key = rec_at(k), *value = rec_clean(v);
    const struct { const char *key; const char **to; } text[] = {
        { "version", &rec_run.version }, { "host", &rec_run.host }, { "kernel", &rec_run.kernel },
        { "arch", &rec_run.arch }, { "backend", &rec_run.backend },
    };
    for (size_t i = 0; i < ARRAY_LEN(text); i++)
        if (!strcmp(key, text[i].key))
            *text[i].to = rec_keep(value);
    u64 n = strtoull(value, NULL, 10);
    if (!strcmp(key, "start_ns"))
        out.start_ns = rin.last_ns = n;
    else if (!strcmp(key, "start_real_ns"))
        out.start_real_ns = n;
    else if (!strcmp(key, "faults"))
        opt.faults = n != 0;
    else if (!strcmp(key, "calls"))
        opt.calls = n != 0;
}

static void rec_get_word(void)
{
    static u32 n;
    struct arg a = rec_gets();
    if (n >= 100000 || rin.again)
        return;
    char **list = realloc(opt.command, (n + 2) * sizeof *list);
    char *word = strdup(rec_at(a));
    if (!list || !word) {
        rec_bad("out of memory");
        return;
    }
    opt.command = list;
    list[n++] = word;
    list[n] = NULL;
}

static void rec_get_pid(void)
{
    pid_t pid = (pid_t)rec_getz();
    if (rin.again)
        return;
    pid_t *list = realloc(opt.pids, (opt.n_pids + 1) * sizeof *list);
    if (!list) {
        rec_bad("out of memory");
        return;
    }
    opt.pids = list;
    list[opt.n_pids++] = pid;
}

static void rec_get_field(void)
{
    struct arg a = rec_gets();
    u8 type = (u8)rec_below(VT_ARGV + 1, "type");
    if (rin.n_fields == ARRAY_LEN(rin.field)) {
        rec_bad("damaged: more than 96 fields");
        return;
    }
    rin.field[rin.n_fields].type = type;
    rin.field[rin.n_fields].own = -1;
    for (u32 f = 0; f < N_EV_FIELDS; f++)
        if (!strcmp(ev_fields[f].name, rec_at(a)) && ev_fields[f].type == type)
            rin.field[rin.n_fields].own = (s8)f;
    rin.n_fields++;
}

static void rec_get_kind(void)
{
    struct arg a = rec_gets();
    u32 n = rec_below(64, "fields");
    if (rin.n_kinds == ARRAY_LEN(rin.kind)) {
        rec_bad("damaged: more than 64 kinds");
        return;
    }
    for (u32 i = 0; i < n; i++)
        rin.kind[rin.n_kinds].field[i] = (u8)rec_below(rin.n_fields, "field");
    rin.kind[rin.n_kinds].n = (u8)n;
    rin.kind[rin.n_kinds].own = -1;
    for (u32 k = 0; k < N_EK; k++)
        if (!strcmp(event_kinds[k].name, rec_at(a)))
            rin.kind[rin.n_kinds].own = (s8)k;
    rin.n_kinds++;
}

static void rec_get_unasked(void)
{
    struct arg a = rec_gets();
    s32 row = rec_row(rec_at(a), 0);
    for (u16 i = 0; row >= 0 && i < SC_N; i++)
        if (sc_id[i] == row)
            sc_set[i] = false;
}

/* Opens a recording ("-": stdin). Returns 0, or -1 with rin.wrong. */
static int rec_open_fd(int f, const char *name)
{
    u8 head[REC_HEAD];
    rin.fd = f;
    rin.name = name;
    rin.at = rin.blocks = 0;
    *rin.wrong = 0;
    rin.torn = false;
    rin.p = rin.end = NULL;
    rin.b.max = rin.text.max = REC_MAX;
    rin.n_fields = rin.n_kinds = 0;
    rin.pid = rin.tid = 0;
    for (u32 i = 0; i < REC_SLOTS; i++)
        free(rin.slot[i].p), rin.slot[i] = (struct rec_slot){ 0 };
    s64 n = rec_read(head, sizeof head);
    if (n < 0)
        rec_bad("cannot be read: %s", strerror((int)-n));
    else if (n < 8 || memcmp(head, rec_magic, 8))
        rec_bad("is not a recording of kvis");
    else if (n < REC_HEAD || rec_crc(0, head, 12) != rec_ld32(head + 12))
        rec_bad("damaged at offset 8 (its head)");
    else if (rec_ld32(head + 8) != REC_VERSION)
        rec_bad("is of version %u, and this kvis reads version %d", rec_ld32(head + 8),
                REC_VERSION);
    return *rin.wrong ? -1 : 0;
}

/* --- reading: the summary's numbers --- */

static void rec_get_num(void)
{
    struct arg a = rec_gets();
    u64 v = rec_get();
    for (size_t i = 0; i < ARRAY_LEN(rec_nums); i++)
        if (!strcmp(rec_nums[i].name, rec_at(a)))
            *rec_nums[i].v = v;
}

/* A name of class c, or NULL: a peer has a kind and an address. */
static struct name *rec_name(char c, struct arg a)
{
    const char *s = rec_at(a);
    if ((c != 'f' && c != 'p' && c != 'x') || (c == 'p' && !strchr(s, ' ')) || *rin.wrong)
        return NULL;
    return nm_get(c, s, a.len);
}

static void rec_get_name(void)
{
    char c = (char)rec_byte();
    struct arg a = rec_gets();
    u8 kind = (u8)rec_below(N_FK, "kind"), how = (u8)rec_below(4, "use");
    u64 in = rec_get(), written = rec_get(), opens = rec_get();
    struct name *n = rec_name(c, a);
    if (!n)
        return;
    n->kind = kind;
    n->read = how & 1, n->written = how >> 1;
    n->in_bytes = in, n->out_bytes = written, n->opens = opens;
}

static void rec_get_hist(u32 *hist, u32 n)
{
    u32 used = rec_below(n + 1, "buckets"), at = 0;
    for (u32 i = 0; i < used && !*rin.wrong; i++) {
        at += rec_below(n - at, "bucket");
        u64 count = rec_get();
        hist[at] = (u32)MIN(count, (u64)UINT32_MAX);
    }
}

static s32 rec_get_row_name(void)
{
    struct arg a = rec_gets();
    u64 k = rec_get();
    return rec_row(rec_at(a), k);
}

static struct stats *rec_stats = &st.all; /* the table that rows go to */

static void rec_get_table(void)
{
    pid_t pid = (pid_t)rec_getz();
    struct arg a = rec_gets();
    struct stats **last = &st.procs, *s = &st.all;
    if (pid) {
        s = st.n_tables++ < ST_TABLES ? calloc(1, sizeof *s) : NULL;
        if (!s) {
            rec_bad("damaged at offset %" PRIu64 " (too many tables)", rin.at + 8);
            return;
        }
        while (*last)
            last = &(*last)->next;
        *last = s;
        s->pid = pid;
        memcpy(s->comm, rec_at(a), MIN(a.len, (u32)sizeof s->comm));
    }
    rec_stats = s;
}

static void rec_get_row(void)
{
    static struct st_row other;
    s32 row = rec_get_row_name();
    struct st_row *r = row < 0 ? &other : st_row_of(rec_stats, (u16)row);
    if (!r)
        r = &other;
    r->calls = rec_get(), r->errors = rec_get(), r->time_ns = rec_get(), r->max_ns = rec_get();
    rec_get_hist(r->hist, ST_BUCKETS);
}

static void rec_get_failed(void)
{
    s32 row = rec_get_row_name();
    u32 err = rec_below(65536, "errno");
    u64 count = rec_get();
    for (u32 i = 0, at = (u32)(row * 31 + (s32)err) % ST_ERRNOS; row >= 0 && i < ST_ERRNOS; i++) {
        u32 k = (at + i) % ST_ERRNOS;
        if (st.failed[k].count)
            continue;
        st.failed[k].row = (u16)row, st.failed[k].err = (u16)err, st.failed[k].count = count;
        return;
    }
}

static void rec_get_left(void)
{
    st.n_left = rec_get();
    u32 n = rec_below(ST_LEFT_OPEN + 1, "open files");
    if (n != MIN(st.n_left, (u64)ST_LEFT_OPEN))
        rec_bad("damaged at offset %" PRIu64 " (open files)", rin.at + 8);
    for (u32 i = 0; i < n && !*rin.wrong; i++) {
        b_reset(&rin.text);
        st.left[i].pid = (pid_t)rec_getz(), st.left[i].fd = (s32)rec_getz();
        st.left[i].kind = (u8)rec_below(N_FK, "kind");
        struct arg comm = rec_gets(), sock = rec_gets();
        char c = (char)rec_byte();
        struct arg name = rec_gets();
        memset(st.left[i].comm, 0, sizeof st.left[i].comm);
        memcpy(st.left[i].comm, rec_at(comm), MIN(comm.len, (u32)sizeof st.left[i].comm));
        st.left[i].sock = sock.len ? rec_keep(rec_clean(sock)) : NULL;
        st.left[i].name = c == '-' ? NULL : rec_name(c, name);
    }
}

static void rec_get_program(void)
{
    struct arg a = rec_gets();
    if (st.n_programs < ARRAY_LEN(st.program) && !*rin.wrong)
        st.program[st.n_programs++] = nm_get('f', rec_at(a), a.len);
}

static void rec_get_where(void)
{
    u32 at = rec_below(ST_WHERE, "row");
    s32 row = rec_get_row_name();
    char c = (char)rec_byte();
    struct arg a = rec_gets();
    struct st_where w = { .row = (u16)MAX(row, 0), .on = c == '-' ? NULL : rec_name(c, a) };
    w.calls = rec_get(), w.ns = rec_get();
    w.cpu = rec_get(), w.runq = rec_get(), w.disk = rec_get();
    if (row >= 0)
        st.where[at] = w;
}

static void rec_get_waits(void)
{
    s32 row = rec_get_row_name();
    struct st_waits w;
    w.calls = rec_get(), w.ns = rec_get();
    w.cpu = rec_get(), w.runq = rec_get(), w.disk = rec_get();
    if (row >= 0)
        st.waits[row] = w;
}

static void rec_get_delays(void)
{
    static struct st_delays d;
    memset(&d, 0, sizeof d);
    d.count = rec_get(), d.sum_ns = rec_get(), d.max_ns = rec_get();
    rec_get_hist(d.hist, DELAY_BUCKETS);
    rec_end.delays = &d;
}

static struct st_io rec_read_io;

static void rec_get_io(void)
{
    struct st_io *io = &rec_read_io;
    memset(io, 0, sizeof *io);
    io->took.count = rec_get(), io->took.sum_ns = rec_get(), io->took.max_ns = rec_get();
    io->read = rec_get(), io->written = rec_get(), io->lost = rec_get();
    rec_get_hist(io->took.hist, DELAY_BUCKETS);
    rec_end.io = io;
}

static void rec_get_disk(void)
{
    struct st_disk d = { .v = { 0 } };
    struct arg name = rec_gets();
    memcpy(d.name, rec_at(name), MIN(name.len, (u32)sizeof d.name - 1));
    for (u32 k = 0; k < ARRAY_LEN(d.v); k++)
        d.v[k] = rec_get();
    if (rec_read_io.n_disks < ST_DISKS)
        rec_read_io.disk[rec_read_io.n_disks++] = d;
}
/* == 17 rp_  a recording, played to the sinks ======================================
 * The same sinks as when it was traced; what -e, -P and -z leave out is left out here. Entry
 * points: rp_head, rp_play. */

static struct {
    struct task *task[256];  /* with a line that began and has not ended, by tid */
    u32 n_tasks;
    struct call_said said;
    struct stats counted;    /* the calls that were played: what -c shows when there are filters */
    struct ofd file[2];      /* two that are not the same: text groups by them */
    u8 which;
    bool tables, ended, calls; /* REC_ROW, REC_END, REC_CALL were there */
    bool again;              /* the numbers are there already: only the events */
} rp;

static struct task *rp_find(pid_t tid)
{
    struct task *t = rp.task[(u32)tid % ARRAY_LEN(rp.task)];
    while (t && t->tid != tid)
        t = t->next;
    return t;
}

static struct task *rp_begin_task(pid_t tid)
{
    struct task **slot = &rp.task[(u32)tid % ARRAY_LEN(rp.task)];
    struct task *t = rp_find(tid);
    if (t)
        return t;
    if (rp.n_tasks == 1 << 16 || !(t = calloc(1, sizeof *t))) {
        rec_bad("damaged at offset %" PRIu64 " (too many calls that do not end)", rin.at + 8);
        return NULL;
    }
    rp.n_tasks++;
    t->next = *slot;
    return *slot = t;
}

static void rp_end_task(struct task *t)
{
    struct task **slot = &rp.task[(u32)t->tid % ARRAY_LEN(rp.task)];
    while (*slot != t)
        slot = &(*slot)->next;
    *slot = t->next;
    rp.n_tasks--;
    out_forget(t);
    free(t);
}

static void rp_ids(u32 flags)
{
    if (flags & REC_SAME)
        return;
    rin.pid = (pid_t)rec_getz();
    rin.tid = (pid_t)rec_getz();
}

static u64 rp_time(void)
{
    return rin.last_ns += (u64)rec_getz();
}

/* --- events --- */

union rp_val { s64 n; struct arg a; };

static union rp_val rp_value(u8 type)
{
    union rp_val v = { 0 };
    if (type == VT_STR || type == VT_ARGV || type == VT_SYM)
        v.a = rec_gets();
    else
        v.n = type == VT_ADDR ? (s64)rec_get() : rec_getz();
    return v;
}

static void rp_set(struct event *e, u32 f, union rp_val v)
{
    if (ev_fields[f].type == VT_SYM)
        ev_sym(e, (enum ev_field)f, rec_clean(v.a));
    else if (ev_fields[f].type == VT_STR || ev_fields[f].type == VT_ARGV)
        ev_bytes(e, (enum ev_field)f, rec_at(v.a), v.a.len);
    else
        ev_num(e, (enum ev_field)f, v.n);
}

/* Reads the values of an event's fields: which are in v[], by the file's numbers. */
static void rp_values(u32 kind, u64 mask, u32 others, union rp_val *v, bool *there)
{
    u32 n = rin.kind[kind].n;
    for (u32 i = 0; i < n + others && !*rin.wrong; i++) {
        if (i < n && !(mask >> i & 1))
            continue;
        u32 f = i < n ? rin.kind[kind].field[i] : rec_below(rin.n_fields, "field");
        if (*rin.wrong)
            return;
        v[f] = rp_value(rin.field[f].type);
        there[f] = true;
    }
}

static bool rp_signal_wanted(const struct event *e)
{
    for (int sig = 1; ev_has(e, EV_signal) && sig <= 64; sig++)
        if (!strcmp(u_signame(sig), e->v[EV_signal].sym))
            return opt.signals >> (sig - 1) & 1;
    return true;
}

/* What the options of this run make of an event. */
static void rp_judge(struct event *e)
{
    if (e->kind == EK_SIGNAL && ev_has(e, EV_signal) && !strcmp(e->v[EV_signal].sym, "SIGCHLD"))
        e->noise = !opt.verbose;
    if (e->kind == EK_SCHED && opt.min_delay_us && ev_has(e, EV_delay_ns))
        e->noise = e->v[EV_delay_ns].n < (s64)opt.min_delay_us * 1000;
    e->unasked = (e->row >= 0 && !sc_set[e->row])
        || (e->kind == EK_SIGNAL && !rp_signal_wanted(e));
}

static void rp_event(void)
{
    static union rp_val v[ARRAY_LEN(rin.field)];
    bool there[ARRAY_LEN(rin.field)] = { false };
    u32 flags = rec_byte(), kind = rec_below(rin.n_kinds, "kind");
    u64 mask = rec_get();
    u32 others = mask >> rin.kind[kind].n & 1 ? rec_below(rin.n_fields + 1, "fields") : 0;
    rp_ids(flags);
    u64 ts = rp_time();
    int err = flags & REC_ERR ? (int)rec_below(4096, "errno") : 0;
    u8 cat = flags & REC_CAT ? (u8)rec_below(N_CAT, "category") : 0;
    struct arg call = { 0 };
    if (flags & REC_OF_CALL)
        call = rec_gets();
    rp_values(kind, mask, others, v, there);
    s8 own = rin.kind[kind].own;
    if (*rin.wrong || own < 0 || own == EK_SYSCALL)
        return;
    struct event *e = ev_new((u8)own, NULL, ts);
    e->pid = rin.pid, e->tid = rin.tid;
    e->err = err;
    e->cat = flags & REC_CAT ? cat : e->cat;
    e->noise = flags & REC_NOISE;
    e->row = flags & REC_OF_CALL ? rec_row(rec_at(call), 0) : -1;
    rp.which ^= (flags & REC_OTHER_FILE) != 0;
    e->o = flags & REC_FILE ? &rp.file[rp.which] : NULL;
    for (u32 i = 0; i < rin.n_fields; i++)
        if (there[i] && rin.field[i].own >= 0)
            rp_set(e, (u32)rin.field[i].own, v[i]);
    out.many = flags & REC_MANY;
    rp_judge(e);
    md_emit(e);
}

/* --- calls --- */

struct rp_name { struct arg name, abi; };

static struct rp_name rp_name(u32 flags)
{
    struct rp_name n = { .name = rec_gets() };
    if (flags & REC_ABI)
        n.abi = rec_gets();
    return n;
}

static void rp_args(struct call *c)
{
    static const u8 form[] = { ARG_NONE, ARG_TXT, ARG_STR, ARG_STR };
    u32 n = rec_below(7, "arguments"), forms = rec_below(1 << 12, "forms");
    rp.said.nargs = (u8)n;
    for (u32 i = 0; i < n; i++) {
        u32 f = forms >> 2 * i & 3;
        if (f)
            c->val[i] = rec_gets();
        else
            c->arg[i] = rec_get();
        c->val[i].form = form[f];
        c->val[i].cut = f == 3;
    }
}

/* All of the record is read: points the call to its strings. */
static void rp_text(struct call *c, struct rp_name n, u32 flags)
{
    c->text = rin.text;
    for (u32 i = 0; i < rp.said.nargs; i++)
        if (c->val[i].form == ARG_TXT)
            rec_clean(c->val[i]);
    rp.said.name = rec_clean(n.name);
    rp.said.abi = flags & REC_ABI ? rec_clean(n.abi) : NULL;
    rp.said.addr = flags & REC_ADDR;
    c->said = &rp.said;
    s32 row = rec_row(rp.said.name, 0);
    c->known = row >= 0;
    c->row = c->id = c->known ? (u16)row : 0;
}

static bool rp_whole_only(void)
{
    return opt.status != CALL_ALL || opt.n_paths;
}

static bool rp_shown(const struct call *c)
{
    return !c->known || sc_set[c->row];
}

static void rp_enter(void)
{
    struct call c = { 0 };
    u32 flags = rec_below(1 << 13, "flags");
    rp_ids(flags);
    c.enter_ns = rp_time();
    struct rp_name n = rp_name(flags);
    rp_args(&c);
    struct task *t = *rin.wrong ? NULL : rp_begin_task(rin.tid);
    if (!t)
        return;
    rp_text(&c, n, flags);
    c.begun = false;
    t->tid = rin.tid, t->pid = rin.pid;
    t->call = c;
    out.many = flags & REC_CMANY;
    if (rp_shown(&c))
        out_call_enter(t, rp_whole_only());
    t->call.text = (struct buf){ 0 }; /* it is the record's */
}

/* -P: by the paths that were noted with the call. */
static bool rp_path_wanted(u32 n, const struct arg *paths)
{
    for (u32 i = 0; i < n; i++)
        if (md_path_wanted(rec_at(paths[i]), paths[i].len))
            return true;
    return !opt.n_paths;
}

static void rp_numbers(struct call *c, u32 flags)
{
    c->ret = rec_getz();
    c->err = flags & REC_CERR ? (int)rec_below(4096, "errno") : 0;
    c->child = flags & REC_CHILD ? (pid_t)rec_getz() : 0;
    c->noret = flags & REC_NORET, c->detached = flags & REC_DETACHED, c->late = flags & REC_LATE;
    c->timed = flags & REC_TIMED;
    if (c->timed) {
        c->cpu_ns = rec_get(), c->runq_ns = rec_get(), c->disk_ns = rec_get();
        c->waker_pid = (pid_t)rec_getz();
    }
    if (flags & REC_WAKER) {
        struct arg name = rec_gets();
        memcpy(c->waker_comm, rec_at(name), MIN(name.len, (u32)sizeof c->waker_comm - 1));
    }
}

static void rp_result(const struct call *c, u32 flags, struct arg ret)
{
    static char plain[24];
    snprintf(plain, sizeof plain, "%" PRId64, c->ret);
    rp.said.ret = flags & REC_RET ? rec_clean(ret) : plain;
    rp.said.ret_len = flags & REC_RET ? ret.len : (u32)strlen(plain);
}

static void rp_done(struct task *t, bool wanted)
{
    struct call *c = &t->call;
    rp.calls = true;
    if (!rp_shown(c) || !(c->begun || wanted))
        return;
    if (c->known && !c->late)
        st_add(&rp.counted, c, c->noret ? 0 : c->exit_ns - c->enter_ns);
    out_call_exit(t);
}

static void rp_call(void)
{
    static struct task one;
    struct arg paths[6], ret = { 0 };
    struct call c = { 0 };
    u32 flags = rec_below(1 << 14, "flags"), n_paths = 0;
    rp_ids(flags);
    c.enter_ns = rp_time();
    c.exit_ns = rp_time();
    struct rp_name n = rp_name(flags);
    rp_args(&c);
    rp_numbers(&c, flags);
    if (flags & REC_RET)
        ret = rec_gets();
    if (flags & REC_PATHS)
        n_paths = rec_below(7, "paths");
    for (u32 i = 0; i < n_paths; i++)
        paths[i] = rec_gets();
    if (*rin.wrong)
        return;
    rp_text(&c, n, flags);
    rp_result(&c, flags, ret);
    struct task *begun = rp_find(rin.tid), *t = begun ? begun : &one;
    c.begun = t->call.begun, c.shown = t->call.shown;
    t->pid = rin.pid, t->tid = rin.tid;
    t->call = c;
    out.many = flags & REC_CMANY;
    rp_done(t, md_status_wanted(&c) && rp_path_wanted(n_paths, paths));
    t->call.text = (struct buf){ 0 };
    t->call.begun = false;
    if (begun)
        rp_end_task(begun);
}

/* --- the whole --- */

static void rp_idle(void)
{
    out_idle();
}

static void rp_end(void)
{
    s64 status = rec_getz();
    rp.ended = true;
    if (rp.again)
        return;
    rec_end.status = (int)status;
    rec_end.backend = rec_run.backend;
}

static void rp_row(void)
{
    rp.tables = true;
    rec_get_row();
}

static void (*const rp_reader[])(void) = {
    [REC_META] = rec_get_meta, [REC_WORD] = rec_get_word, [REC_PID] = rec_get_pid,
    [REC_FIELD] = rec_get_field, [REC_KIND] = rec_get_kind, [REC_UNASKED] = rec_get_unasked,
    [REC_EVENT] = rp_event, [REC_ENTER] = rp_enter, [REC_CALL] = rp_call, [REC_IDLE] = rp_idle,
    [REC_NUM] = rec_get_num, [REC_NAME] = rec_get_name, [REC_TABLE] = rec_get_table,
    [REC_ROW] = rp_row, [REC_FAILED] = rec_get_failed, [REC_LEFT] = rec_get_left,
    [REC_PROGRAM] = rec_get_program, [REC_WHERE] = rec_get_where,
    [REC_DELAYS] = rec_get_delays, [REC_END] = rp_end, [REC_WAITS] = rec_get_waits,
    [REC_IO] = rec_get_io, [REC_DISK] = rec_get_disk,
};

/* Reads one record; `events`: not those that begin the file. False at the end, whatever that is. */
static bool rp_record(u8 from, u8 to)
{
    b_reset(&rin.text);
    if (rin.p == rin.end && !rec_read_block())
        return false;
    u8 type = *rin.p;
    if (rp.again && type > REC_IDLE)
        rp.ended = true; /* the numbers are there already */
    if (type < from || type > to || rp.ended)
        return false;
    rin.p++;
    if (!type || type >= ARRAY_LEN(rp_reader))
        rec_bad("damaged at offset %" PRIu64 " (a record of type %u)", rin.at + 8, type);
    else
        rp_reader[type]();
    return !*rin.wrong && !rp.ended;
}

/* Which run it is. False when that cannot be read. */
static bool rp_head(void)
{
    static const char none[] = "?";
    rec_run.version = rec_run.host = rec_run.kernel = rec_run.arch = rec_run.backend = none;
    rp.ended = false;
    while (rp_record(REC_META, REC_UNASKED))
        ;
    if (!*rin.wrong && (!rin.n_kinds || *rin.p > REC_UNASKED))
        return rin.n_kinds > 0;
    return false;
}

/* All that happened, to the sinks. Returns whether the end was reached. */
static bool rp_play(void)
{
    rp.ended = false;
    while (rp_record(REC_EVENT, 255))
        ;
    out_run_flush();
    out_disk_flush();
    out_break_partial();
    if (!rp.ended && !*rin.wrong)
        rec_bad("damaged at offset %" PRIu64 " (a record of the head behind it)", rin.at + 8);
    return rp.ended;
}
/* == 18 px_  --perfetto: a trace for ui.perfetto.dev ================================
 * Chrome's trace JSON, as it happens (docs/getting-started/other-formats.md of Perfetto): calls are
 * X slices of their thread, what can overlap (waits for a CPU, open files) is async b and e, events
 * are instants, forks and wake-ups arrows; times are in us with the ns behind the point. A pid that
 * is used again must not continue the track of the one before, so that pid and tid are numbers of
 * ours, and the names have the real ones. Entry points: px_open, px_close, px_tap. */

enum { PX_HASH = 4096, PX_DEAD = 1024, PX_STEP_NS = 100000 };

enum px_counter { PX_HEAP, PX_MAPPED, PX_READ, PX_WRITTEN, PX_RECEIVED, PX_SENT, PX_FILES, PX_RSS,
                  PX_MAX_RSS, N_PX };
static const struct { const char *track, *series; } px_counters[N_PX] = {
    [PX_HEAP] = { "heap", "bytes" }, [PX_MAPPED] = { "mapped", "bytes" },
    [PX_READ] = { "bytes read", "bytes" }, [PX_WRITTEN] = { "bytes written", "bytes" },
    [PX_RECEIVED] = { "bytes received", "bytes" }, [PX_SENT] = { "bytes sent", "bytes" },
    [PX_FILES] = { "open files", "files" }, [PX_RSS] = { "RSS", "bytes" },
    [PX_MAX_RSS] = { "max RSS", "bytes" },
};

/* A thread; of a process's first one also the process. */
struct px_track {
    struct px_track *next;
    pid_t pid, tid;
    u64 upid, utid;       /* ours, never used twice */
    u64 flow;             /* an arrow that ends at its first record; 0: none */
    bool dead;
    bool runs;            /* a slice of it has begun */
    s64 count[N_PX];      /* of a process */
    u64 told_ns[N_PX];
    bool due[N_PX];
};

static struct {
    bool on;
    struct writer w;
    struct px_track *track[PX_HASH], *dead[PX_DEAD];
    u32 n_dead;
    u64 ids, events;
} px; /* zeros: its tables are no part of the file */

/* us since the start, three digits behind the point. */
static void px_us(struct buf *b, u64 ns)
{
    char tmp[4] = { (char)('0' + ns % 1000 / 100), (char)('0' + ns % 100 / 10),
                    (char)('0' + ns % 10), 0 };
    b_u64(b, ns / 1000), b_c(b, '.'), b_s(b, tmp);
}

static u64 px_rel(u64 ns)
{
    return ns > out.start_ns ? ns - out.start_ns : 0;
}

/* Begins an event: {"ph":"X","pid":1,"tid":1,"ts":0.001 */
static struct buf *px_event(const char *ph, const struct px_track *t, u64 ns)
{
    struct buf *b = &px.w.b;
    b_s(b, px.events++ ? ",\n{\"ph\":\"" : "{\"ph\":\"");
    b_s(b, ph), b_s(b, "\",\"pid\":"), b_u64(b, t->upid);
    b_s(b, ",\"tid\":"), b_u64(b, t->utid);
    b_s(b, ",\"ts\":"), px_us(b, px_rel(ns));
    return b;
}

static void px_name(struct buf *b, const char *name, size_t n, const char *cat)
{
    b_s(b, ",\"name\":\""), b_json(b, name, n);
    b_s(b, "\",\"cat\":\""), b_s(b, cat), b_c(b, '"');
}

static void px_end(void)
{
    b_c(&px.w.b, '}');
    out_full(&px.w);
}

/* Names a process or a thread, with the real number. */
static void px_call_it(const struct px_track *t, bool process, const char *name, size_t n)
{
    struct buf *b = px_event("M", t, out.start_ns);
    b_s(b, process ? ",\"name\":\"process_name\"" : ",\"name\":\"thread_name\"");
    b_s(b, ",\"args\":{\"name\":\"");
    b_json(b, name, n);
    b_f(b, "%s%d\"}", n ? " " : "", process ? t->pid : t->tid);
    px_end();
    if (!process)
        return;
    b = px_event("M", t, out.start_ns);
    b_f(b, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%" PRIu64 "}", t->upid);
    px_end();
}

static struct px_track *px_find(pid_t tid)
{
    struct px_track *t = px.track[(u32)tid % PX_HASH];
    while (t && t->tid != tid)
        t = t->next;
    return t;
}

static void px_free(struct px_track *t)
{
    struct px_track **slot = &px.track[(u32)t->tid % PX_HASH];
    while (*slot && *slot != t)
        slot = &(*slot)->next;
    if (*slot)
        *slot = t->next;
    free(t);
}

/* It stays for a while: records of a thread can come behind its end. */
static void px_dead(struct px_track *t)
{
    struct px_track **slot = &px.dead[px.n_dead++ % PX_DEAD];
    if (t->dead)
        return;
    t->dead = true;
    if (*slot)
        px_free(*slot);
    *slot = t;
}

/* The track of a thread, made when it is first seen. Never NULL: without memory all share one. */
static struct px_track *px_track(pid_t pid, pid_t tid)
{
    static struct px_track other = { .upid = 1, .utid = 1 };
    struct px_track *t = px_find(tid);
    if (t)
        return t;
    struct px_track *leader = pid == tid ? NULL : px_track(pid, pid);
    if (!(t = calloc(1, sizeof *t)))
        return &other;
    struct px_track **slot = &px.track[(u32)tid % PX_HASH];
    t->next = *slot;
    *slot = t;
    t->pid = pid, t->tid = tid;
    t->utid = ++px.ids;
    t->upid = leader ? leader->upid : t->utid;
    if (!leader)
        px_call_it(t, true, "", 0);
    px_call_it(t, false, leader ? "thread" : "main", leader ? 6 : 4);
    return t;
}

static void px_flow(const char *ph, const struct px_track *t, u64 ns, u64 id, const char *name)
{
    struct buf *b = px_event(ph, t, ns);
    px_name(b, name, strlen(name), "flow");
    b_s(b, ",\"id\":"), b_u64(b, id);
    if (*ph == 'f')
        b_s(b, ",\"bp\":\"e\"");
    px_end();
}

/* The track of a record, with the arrow that ends at its first one. */
static struct px_track *px_of(pid_t pid, pid_t tid, u64 ns)
{
    struct px_track *t = px_track(pid, tid);
    if (t->flow)
        px_flow("f", t, ns, t->flow, "fork");
    t->flow = 0;
    return t;
}

/* --- counters --- */

/* A file can be closed by another process, whose records come in their own order: no step back. */
static void px_count_out(struct px_track *p, u32 k, u64 ns)
{
    ns = MAX(ns, p->told_ns[k]);
    struct buf *b = px_event("C", p, ns);
    px_name(b, px_counters[k].track, strlen(px_counters[k].track), "counter");
    b_f(b, ",\"args\":{\"%s\":%" PRId64 "}", px_counters[k].series, p->count[k]);
    px_end();
    p->told_ns[k] = ns;
    p->due[k] = false;
}

/* Adds to a counter of the process; not every step is told. */
static void px_count(pid_t pid, u32 k, s64 n, u64 ns)
{
    struct px_track *p = px_track(pid, pid);
    p->count[k] = MAX(p->count[k] + n, 0);
    p->due[k] = true;
    if (!p->told_ns[k] || ns >= p->told_ns[k] + PX_STEP_NS)
        px_count_out(p, k, ns);
}

static void px_counts(const struct event *e)
{
    enum { IS = 2 }; /* what the event says is the number itself */
    static const struct { u8 kind, counter, field; s8 sign; } row[] = {
        { EK_BRK, PX_HEAP, EV_growth_bytes, 1 }, { EK_MMAP, PX_MAPPED, EV_size, 1 },
        { EK_MUNMAP, PX_MAPPED, EV_size, -1 }, { EK_MREMAP, PX_MAPPED, EV_size, 1 },
        { EK_MREMAP, PX_MAPPED, EV_old_size, -1 }, { EK_READ, PX_READ, EV_bytes, 1 },
        { EK_WRITE, PX_WRITTEN, EV_bytes, 1 }, { EK_RECV, PX_RECEIVED, EV_bytes, 1 },
        { EK_SEND, PX_SENT, EV_bytes, 1 }, { EK_OPEN, PX_FILES, EV_fd, 0 },
        { EK_ACCEPT, PX_FILES, EV_fd, 0 }, { EK_RSS, PX_RSS, EV_bytes, IS },
        { EK_EXIT_PROCESS, PX_MAX_RSS, EV_max_rss_bytes, IS },
    };
    for (size_t i = 0; !e->err && i < ARRAY_LEN(row); i++) {
        if (row[i].kind != e->kind || !ev_has(e, row[i].field))
            continue;
        s64 n = row[i].sign ? e->v[row[i].field].n : 1;
        n = row[i].sign == IS ? n - px_track(e->pid, e->pid)->count[row[i].counter]
            : row[i].sign < 0 ? -n : n;
        px_count(e->pid, row[i].counter, n, e->ts_ns);
    }
    if (e->kind == EK_CLOSE && ev_has(e, EV_opener_pid))
        px_count((pid_t)e->v[EV_opener_pid].n, PX_FILES, -1, e->ts_ns);
}

/* --- events --- */

/* What lasted and may overlap others of its kind. */
static void px_async(const struct px_track *t, const char *cat, const char *name, size_t n,
                     u64 from, u64 to)
{
    u64 id = ++px.ids;
    for (int end = 0; end < 2; end++) {
        struct buf *b = px_event(end ? "e" : "b", t, end ? to : from);
        px_name(b, name, n, cat);
        b_s(b, ",\"id\":"), b_u64(b, id);
        px_end();
    }
}

static void px_instant(const struct px_track *t, const struct event *e)
{
    static const char *const cat[N_CAT] = { "file", "net", "memory", "process", "signal", "call" };
    const struct event_kind *k = &event_kinds[e->kind];
    struct buf *b = px_event("i", t, e->ts_ns);
    px_name(b, k->name, strlen(k->name), cat[e->cat]);
    b_s(b, ",\"s\":\"t\",\"args\":{\"error\":");
    const char *err = e->err ? u_errname(e->err) : NULL;
    b_s(b, err ? "\"" : ""), b_s(b, err ? err : "null"), b_s(b, err ? "\"" : "");
    for (u32 i = 0; i < k->n; i++)
        if (ev_has(e, k->field[i]))
            out_json_field(b, e, k->field[i]);
    b_c(b, '}');
    px_end();
}

/* Without calls, what the main thread's slices tell is which program it runs; NULL: it ended. */
static void px_program(struct px_track *t, u64 ns, const char *name, size_t n,
                       const struct event *e)
{
    if (opt.calls)
        return;
    if (t->runs)
        px_event("E", t, ns), px_end();
    t->runs = name;
    if (!name)
        return;
    struct buf *b = px_event("B", t, ns);
    px_name(b, name, n, "command");
    b_f(b, ",\"args\":{\"pid\":%d", t->pid);
    if (e && ev_has(e, EV_argv))
        out_json_field(b, e, EV_argv);
    b_c(b, '}');
    px_end();
}

/* A process or a thread begins: its number is nobody else's from here on. */
static void px_spawn(struct px_track *t, const struct event *e)
{
    bool thread = e->kind == EK_THREAD;
    pid_t child = (pid_t)e->v[thread ? EV_child_tid : EV_child_pid].n;
    struct px_track *old = px_find(child);
    if (old == t)
        return; /* a damaged file says anything */
    if (old && old->dead) {
        for (u32 i = 0; i < PX_DEAD; i++)
            if (px.dead[i] == old)
                px.dead[i] = NULL;
        px_free(old);
        old = NULL;
    }
    if (old)
        return; /* its first records came before its parent's */
    struct px_track *c = px_track(thread ? e->pid : child, child);
    c->flow = ++px.ids;
    px_flow("s", t, e->ts_ns, c->flow, "fork");
    if (!thread)
        px_program(c, e->ts_ns, "(forked)", 8, NULL);
}

static void px_exit_process(pid_t pid, u64 ns)
{
    struct px_track *p = px_find(pid);
    if (!p)
        return;
    for (u32 k = 0; k < N_PX; k++)
        if (p->due[k])
            px_count_out(p, k, ns);
    px_program(p, ns, NULL, 0, NULL);
    px_dead(p);
}

static void px_exec(const struct event *e)
{
    struct px_track *p = px_track(e->pid, e->pid);
    if (e->err || !ev_has(e, EV_program))
        return;
    const char *s = e->v[EV_program].s.p, *slash = memrchr(s, '/', e->v[EV_program].s.len);
    const char *base = slash ? slash + 1 : s;
    size_t n = e->v[EV_program].s.len - (size_t)(base - s);
    for (u32 k = PX_HEAP; k <= PX_MAPPED; k++) /* its memory went with the old program */
        if (p->count[k])
            p->count[k] = 0, px_count_out(p, k, e->ts_ns);
    px_call_it(p, true, base, n);
    px_program(p, e->ts_ns, base, n, e);
}

/* A disk's request, or io_uring's: from its issue to its end, and before that in the queue. */
static void px_block(struct px_track *t, const struct event *e)
{
    char tmp[64];
    struct buf name = { .p = tmp, .cap = sizeof tmp, .max = sizeof tmp };
    u64 issue = e->ts_ns - (u64)e->v[EV_duration_ns].n;
    if (ev_has(e, EV_device))
        b_put(&name, e->v[EV_device].s.p, e->v[EV_device].s.len), b_c(&name, ' ');
    if (ev_has(e, EV_op))
        b_s(&name, e->v[EV_op].sym), b_c(&name, ' ');
    if (ev_has(e, EV_bytes))
        b_size(&name, (u64)e->v[EV_bytes].n);
    px_async(t, e->kind == EK_URING ? "io_uring" : "block I/O", name.p, name.len, issue,
             e->ts_ns);
    if (ev_has(e, EV_queue_ns))
        px_async(t, "block queue", name.p, name.len, issue - (u64)e->v[EV_queue_ns].n, issue);
}

static void px_on_event(const struct event *e)
{
    struct px_track *t = px_of(e->pid, e->tid, e->ts_ns);
    if (e->kind == EK_SCHED && ev_has(e, EV_delay_ns))
        px_async(t, "sched", "waits for CPU", 13, e->ts_ns - (u64)e->v[EV_delay_ns].n, e->ts_ns);
    else if ((e->kind == EK_BLOCK || e->kind == EK_URING) && ev_has(e, EV_duration_ns))
        px_block(t, e);
    else
        px_instant(t, e);
    if (e->kind == EK_CLOSE && ev_has(e, EV_age_ns) && ev_has(e, EV_path))
        px_async(t, "open file", e->v[EV_path].s.p, e->v[EV_path].s.len,
                 e->ts_ns - (u64)e->v[EV_age_ns].n, e->ts_ns);
    px_counts(e);
    if ((e->kind == EK_SPAWN && ev_has(e, EV_child_pid))
        || (e->kind == EK_THREAD && ev_has(e, EV_child_tid)))
        px_spawn(t, e);
    else if (e->kind == EK_EXEC)
        px_exec(e);
    else if (e->kind == EK_EXIT_PROCESS)
        px_exit_process(e->pid, e->ts_ns);
    else if (e->kind == EK_EXIT_THREAD && t->tid != t->pid)
        px_dead(t);
}

/* --- calls --- */

static void px_call_args(struct buf *b, const struct call *c)
{
    static struct buf text;
    b_reset(&text);
    out_args(&text, c, 0, true);
    b_s(b, ",\"args\":{\"args\":\""), b_json(b, text.p, text.len);
    b_s(b, "\",\"ret\":\""), b_s64(b, c->ret), b_c(b, '"');
    const char *err = c->err ? u_errname(c->err) : NULL;
    if (err)
        b_s(b, ",\"error\":\""), b_s(b, err), b_c(b, '"');
    if (c->timed)
        b_f(b, ",\"on_cpu_ns\":%" PRIu64 ",\"runq_ns\":%" PRIu64 ",\"disk_ns\":%" PRIu64,
            c->cpu_ns, c->runq_ns, c->disk_ns);
    b_c(b, '}');
}

/* A wait that another thread ended: an arrow from it to where this one ran on. */
static void px_woken(const struct px_track *t, const struct call *c)
{
    struct px_track *waker = c->waker_pid && c->timed ? px_find(c->waker_pid) : NULL;
    if (!waker || waker == t || waker->dead || c->exit_ns <= c->enter_ns)
        return;
    u64 id = ++px.ids, end = c->exit_ns - 1;
    px_flow("s", waker, MAX(end - MIN(c->runq_ns, end), c->enter_ns), id, "wake");
    px_flow("f", t, end, id, "wake");
}

static void px_on_call(struct task *task)
{
    const struct call *c = &task->call;
    struct px_track *t = px_of(task->pid, task->tid, c->enter_ns);
    char tmp[64];
    struct buf name = { .p = tmp, .cap = sizeof tmp, .max = sizeof tmp };
    out_call_bare_name(&name, c);
    struct buf *b = px_event("X", t, c->enter_ns);
    px_name(b, name.p, name.len, "syscall");
    b_s(b, ",\"dur\":");
    px_us(b, px_rel(c->exit_ns) > px_rel(c->enter_ns) ? px_rel(c->exit_ns) - px_rel(c->enter_ns)
                                                      : 0);
    px_call_args(b, c);
    px_end();
    px_woken(t, c);
}

static void px_flush(void)
{
    if (px.w.b.len)
        out_writer_flush(&px.w);
}

static const struct out_tap px_tap = { px_on_event, NULL, px_on_call, NULL, NULL, px_flush };

static void px_open(int fd, const char *name)
{
    px.on = true;
    px.w.fd[0] = fd;
    px.w.fd[1] = -1;
    px.w.name[0] = name;
    px.w.b.max = 32 << 20;
    b_s(&px.w.b, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    out.tap[out.n_taps++] = &px_tap;
}

/* The end: counters as they stand, and what the run was. */
static void px_close(void)
{
    struct buf *b = &px.w.b;
    if (!px.on)
        return;
    b_s(b, "\n],\"otherData\":{\"kvis\":\""), b_json(b, rec_run.version, strlen(rec_run.version));
    b_s(b, "\",\"host\":\""), b_json(b, rec_run.host, strlen(rec_run.host));
    b_s(b, "\",\"kernel\":\""), b_json(b, rec_run.kernel, strlen(rec_run.kernel));
    b_s(b, "\",\"backend\":\""), b_json(b, rec_run.backend, strlen(rec_run.backend));
    b_s(b, "\"}}\n");
    px_flush();
}
/* == 19 gz_  what the Makefile compresses =========================================
 * The page of --report (gen/report.page), BPF arrays and large tables are in the file as gzip makes
 * them (RFC 1951, RFC 1952), where there was one. Entry points: gz_is, gz_inflate; gz_unpack. */

enum { GZ_HEAD = 10, GZ_TAIL = 8, GZ_LONGEST = 15, GZ_CODES = 1 << GZ_LONGEST };

/* What the next bits (mask: as many as its longest code has) mean, whatever follows: symbol << 4 |
 * how many of them. 0: no code is so. */
static struct gz_table {
    u32 mask;
    u16 code[GZ_CODES];
} gz_literal, gz_distance;

struct gz {
    const u8 *p, *end;
    u32 bits, n;       /* read, not yet taken: the lowest first */
    u32 beyond;        /* bytes of them that were not there */
    u8 *out;
    u32 len, size;
    bool bad;
};

static void gz_need(struct gz *z, u32 n)
{
    for (; z->n < n; z->n += 8)
        if (z->p < z->end)
            z->bits |= (u32)*z->p++ << z->n;
        else
            z->beyond++;
}

/* At most 16. */
static u32 gz_take(struct gz *z, u32 n)
{
    gz_need(z, n);
    u32 v = z->bits & ((1u << n) - 1);
    z->bits >>= n;
    z->n -= n;
    z->bad |= z->beyond * 8 > z->n;
    return v;
}

/* The codes of n symbols, by their lengths alone (RFC 1951, 3.2.2). Too many of them: bad. */
static void gz_codes(struct gz *z, struct gz_table *table, const u8 *len, u32 n)
{
    u32 code = 0, longest = 0;
    for (u32 i = 0; i < n; i++)
        longest = MAX(longest, len[i]);
    table->mask = (1u << longest) - 1;
    memset(table->code, 0, sizeof *table->code << longest);
    for (u32 l = 1; l <= longest; l++, code <<= 1)
        for (u32 i = 0; i < n; i++) {
            if (len[i] != l)
                continue;
            if (code >> l) {
                z->bad = true;
                return;
            }
            u32 at = 0; /* codes come highest bit first */
            for (u32 k = 0; k < l; k++)
                at |= (code >> k & 1) << (l - 1 - k);
            for (; at <= table->mask; at += 1u << l)
                table->code[at] = (u16)(i << 4 | l);
            code++;
        }
}

static u32 gz_symbol(struct gz *z, const struct gz_table *table)
{
    gz_need(z, GZ_LONGEST);
    u32 e = table->code[z->bits & table->mask];
    z->bits >>= e & 15;
    z->n -= e & 15;
    z->bad |= !e || z->beyond * 8 > z->n;
    return e >> 4;
}

/* A length or a distance, from 0 (3.2.5): 2 << k symbols are what they say; of the rest, 1 << k at
 * a time have one bit more behind them. */
static u32 gz_value(struct gz *z, u32 symbol, u32 k)
{
    if (symbol < 2u << k)
        return symbol;
    u32 more = (symbol >> k) - 1, high = (1u << k) + (symbol & ((1u << k) - 1));
    return (high << more) + gz_take(z, more);
}

static void gz_repeat(struct gz *z, u32 symbol)
{
    u32 n = 3 + (symbol == 285 ? 255 : gz_value(z, symbol - 257, 2));
    u32 d = 1 + gz_value(z, gz_symbol(z, &gz_distance), 1);
    z->bad |= symbol > 285 || d > z->len || n > z->size - z->len;
    for (; !z->bad && n; n--, z->len++)
        z->out[z->len] = z->out[z->len - d];
}

/* What is compressed, by the codes in both tables, to the end of the block. */
static void gz_compressed(struct gz *z)
{
    for (u32 s; s = gz_symbol(z, &gz_literal), !z->bad && s != 256;) {
        if (s > 256)
            gz_repeat(z, s);
        else if (z->len < z->size)
            z->out[z->len++] = (u8)s;
        else
            z->bad = true;
    }
}

static void gz_stored(struct gz *z)
{
    gz_take(z, z->n & 7);
    u32 n = gz_take(z, 16);
    z->bad |= (n ^ gz_take(z, 16)) != 0xffff || n > z->size - z->len;
    for (; !z->bad && n; n--)
        z->out[z->len++] = (u8)gz_take(z, 8);
}

/* 3.2.6 */
static void gz_fixed(struct gz *z)
{
    u8 len[288];
    for (u32 i = 0; i < 288; i++)
        len[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    gz_codes(z, &gz_literal, len, 288);
    memset(len, 5, 30);
    gz_codes(z, &gz_distance, len, 30);
}

/* Codes that the block brings, compressed by codes of their own (3.2.7). */
static void gz_dynamic(struct gz *z)
{
    static const u8 order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1,
                                  15 };
    u8 len[286 + 30], first[19] = { 0 };
    u32 literals = gz_take(z, 5) + 257, distances = gz_take(z, 5) + 1, n = gz_take(z, 4) + 4;
    z->bad |= literals > 286 || distances > 30;
    for (u32 i = 0; i < n; i++)
        first[order[i]] = (u8)gz_take(z, 3);
    gz_codes(z, &gz_literal, first, 19);
    for (u32 i = 0; !z->bad && i < literals + distances;) {
        u32 s = gz_symbol(z, &gz_literal);
        u32 times = s < 16 ? 1 : s < 18 ? 3 + gz_take(z, s - 14) : 11 + gz_take(z, 7);
        z->bad |= (s == 16 && !i) || times > literals + distances - i;
        u8 v = s < 16 ? (u8)s : s == 16 && i ? len[i - 1] : 0;
        for (; !z->bad && times; times--)
            len[i++] = v;
    }
    if (z->bad)
        return;
    gz_codes(z, &gz_literal, len, literals);
    gz_codes(z, &gz_distance, len + literals, distances);
}

static void gz_blocks(struct gz *z)
{
    for (bool last = false; !last && !z->bad;) {
        last = gz_take(z, 1);
        u32 kind = gz_take(z, 2);
        if (kind == 0)
            gz_stored(z);
        else if (kind == 1)
            gz_fixed(z);
        else if (kind == 2)
            gz_dynamic(z);
        z->bad |= kind == 3;
        if (kind && !z->bad)
            gz_compressed(z);
    }
}

/* Whether gzip made these n bytes; *size: how many they unpack to, as they say. (Deflate cannot
 * do better than 1032 to one.) */
static bool gz_is(const u8 *p, size_t n, u32 *size)
{
    if (n < GZ_HEAD + GZ_TAIL || memcmp(p, "\x1f\x8b\x08", 4))
        return false; /* the fourth: no name, comment or such in the header */
    *size = rec_ld32(p + n - 4);
    return *size / 1032 <= n;
}

/* Unpacks what gz_is has accepted into `size` bytes. False: it is damaged. */
static bool gz_inflate(const u8 *p, size_t n, u8 *to, u32 size)
{
    const u8 *tail = p + n - GZ_TAIL;
    struct gz z = { .p = p + GZ_HEAD, .end = tail, .out = to, .size = size };
    gz_blocks(&z);
    return !z.bad && z.p - z.n / 8 + z.beyond == tail && z.len == size
           && rec_crc(0, to, size) == rec_ld32(tail);
}

/* Sections: the BPF arrays (I_PACKED in gen/insn.h) and tables (PACKED_IN). Where the Makefile
 * finds objcopy and gzip, the program's file does not have them, but those that are called the same
 * with _gz; else these are not there. */
#define GZ_WEAK __attribute__((weak))
extern u8 __start_bpf_arrays[] GZ_WEAK, __stop_bpf_arrays[] GZ_WEAK;
extern u8 __start_call_tables[] GZ_WEAK, __stop_call_tables[] GZ_WEAK;
extern u8 __start_met_tables[] GZ_WEAK, __stop_met_tables[] GZ_WEAK;
extern const u8 __start_bpf_arrays_gz[] GZ_WEAK, __stop_bpf_arrays_gz[] GZ_WEAK;
extern const u8 __start_call_tables_gz[] GZ_WEAK, __stop_call_tables_gz[] GZ_WEAK;
extern const u8 __start_met_tables_gz[] GZ_WEAK, __stop_met_tables_gz[] GZ_WEAK;

enum gz_section { GZ_BPF, GZ_CALLS, GZ_METRICS, N_GZ };

/* Before anyone looks at what is in it. 0, or -EBADMSG: the program's file is damaged. */
static int gz_unpack(enum gz_section section)
{
    static const struct { u8 *to, *end; const u8 *gz, *gz_end; } sections[N_GZ] = {
#define S(name) { __start_##name, __stop_##name, __start_##name##_gz, __stop_##name##_gz }
        [GZ_BPF] = S(bpf_arrays), [GZ_CALLS] = S(call_tables), [GZ_METRICS] = S(met_tables),
#undef S
    };
    static bool done[N_GZ];
    const u8 *p = sections[section].gz;
    size_t n = (size_t)(sections[section].gz_end - p);
    u32 size = (u32)(sections[section].end - sections[section].to), says;
    if (!p || done[section])
        return 0;
    done[section] = gz_is(p, n, &says) && says == size
                    && gz_inflate(p, n, sections[section].to, size);
    return done[section] ? 0 : -EBADMSG;
}

/* == 20 rep_  --report: one HTML file, filled in ==================================
 * The page is gen/report/, which the Makefile makes one file and compresses; its data are the run,
 * the summary (both as --json has them) and the events: a recording in base64, which report.js
 * reads as rec_ does. The events come out of a recording, so that nothing is kept in memory; when
 * they are too many, the most telling stay. kvis monitor has its own part of the page, which it
 * fills in itself. Entry points: rep_begin, rep_end; rep_temporary; rep_open, rep_page, rep_skip,
 * rep_json, rep_write, rep_close. */

/* --- the page --- */

/* gen/report/, as the Makefile has packed it: by gzip, or not at all. A test that includes kvis.c
 * has none. */
#ifdef main
static const u8 rep_packed[1], *const rep_packed_end = rep_packed;
#else
/* Never called: what it holds is for the assembler. */
static void __attribute__((used, noinline)) rep_pack(void)
{
    __asm__(".pushsection .rodata\nrep_packed:\n.incbin \"gen/report.page\"\n"
            "rep_packed_end:\n.popsection\n");
}

extern const u8 rep_packed[], rep_packed_end[];
#endif

enum { REP_SCORES = 64, REP_CHUNK = 96 << 10 /* of three bytes each: whole base64 */ };

static struct {
    struct writer w;
    const char *page, *page_end; /* what is not yet written of it */
    struct buf raw;          /* of the recording, not yet written */
    u64 score[REP_SCORES];   /* events by how telling they are */
    u64 seen, kept, at_least; /* at_least: with the score that only some of stay */
    u32 least;
    u64 some;                /* how many of those stay */
} rep;

static u32 rep_log2(u64 v)
{
    return v ? 63 - (u32)__builtin_clzll(v) : 0;
}

/* How telling an event is: processes, signals and the network before all, then what failed, then
 * what took long or moved much. */
static u32 rep_score(const struct event *e)
{
    if (e->cat == CAT_SIG || e->kind == EK_LOST || (e->cat == CAT_PROC && e->kind != EK_SCHED))
        return REP_SCORES - 1;
    if (e->kind == EK_SCHED && ev_has(e, EV_delay_ns))
        return MIN(rep_log2((u64)e->v[EV_delay_ns].n), 40u);
    if (e->kind == EK_BLOCK && ev_has(e, EV_duration_ns))
        return MIN(rep_log2((u64)e->v[EV_duration_ns].n), 40u);
    u32 s = e->cat == CAT_NET ? 30 : e->err ? 24 : e->kind == EK_OPEN ? 20 : 10;
    if (ev_has(e, EV_bytes))
        s += rep_log2((u64)e->v[EV_bytes].n) / 2;
    return e->noise ? s / 2 : MIN(s, REP_SCORES - 2u);
}

static u32 rep_call_score(const struct call *c)
{
    return MIN(rep_log2(c->exit_ns - c->enter_ns) + (c->err ? 4 : 0) + (c->noret ? 10 : 0), 60u);
}

static void rep_count(u32 score)
{
    rep.score[score]++;
    rep.seen++;
}

static void rep_count_event(const struct event *e)
{
    rep_count(rep_score(e));
}

static void rep_count_call(struct task *t)
{
    rep_count(rep_call_score(&t->call));
}

/* Counts what there is, while it is traced or played. */
static const struct out_tap rep_counter = { rep_count_event, NULL, rep_count_call, NULL, NULL,
                                            NULL };

/* From which score on events stay, so that there are at most `max`. */
static void rep_choose(u64 max)
{
    u64 n = 0;
    rep.kept = rep.at_least = 0;
    for (rep.least = REP_SCORES - 1; rep.least && n + rep.score[rep.least] <= max; rep.least--)
        n += rep.score[rep.least];
    rep.some = MIN(max - n, rep.score[rep.least]);
}

/* Of those that just reach it, some: evenly over the run. */
static bool rep_keep(u32 score)
{
    if (score == rep.least && rep.score[score]) {
        u64 before = rep.at_least++ * rep.some / rep.score[score];
        if (rep.at_least * rep.some / rep.score[score] == before)
            return false;
    }
    rep.kept += score >= rep.least;
    return score >= rep.least;
}

static void rep_event(const struct event *e)
{
    if (rep_keep(rep_score(e)))
        rec_event(e);
}

static void rep_call(struct task *t)
{
    if (rep_keep(rep_call_score(&t->call)))
        rec_exit(t);
}

static const struct out_tap rep_tap = { rep_event, NULL, rep_call, rec_gone, NULL, NULL };

/* --- the file --- */

static void rep_put(const char *p, size_t n)
{
    b_put(&rep.w.b, p, n);
    out_full(&rep.w);
}

static void rep_text(const char *s)
{
    rep_put(s, strlen(s));
}

static void rep_base64(const u8 *p, u32 n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (u32 i = 0; i < n; i += 3) {
        u32 left = n - i, v = (u32)p[i] << 16;
        v |= left > 1 ? (u32)p[i + 1] << 8 : 0;
        v |= left > 2 ? p[i + 2] : 0;
        char q[4] = { digit[v >> 18], digit[v >> 12 & 63], left > 1 ? digit[v >> 6 & 63] : '=',
                      left > 2 ? digit[v & 63] : '=' };
        b_put(&rep.w.b, q, 4);
    }
}

/* One script element with a piece of the recording. */
static void rep_chunk(u32 n)
{
    rep_text("<script type=\"application/octet-stream\">");
    rep_base64((const u8 *)rep.raw.p, n);
    rep_text("</script>\n");
    rep.raw.len -= n;
    memmove(rep.raw.p, rep.raw.p + n, rep.raw.len);
}

/* What rec_ writes its blocks by. */
static int rep_write(const char *p, size_t n)
{
    b_put(&rep.raw, p, n);
    while (rep.raw.len >= REP_CHUNK)
        rep_chunk(REP_CHUNK);
    return rep.w.fd[0] < 0 ? -EPIPE : 0; /* the writer has said why */
}

/* JSON inside of a script element: < could end it, or begin a comment. */
static void rep_json(const char *id, const struct buf *b)
{
    rep_text("<script type=\"application/json\" id=\""), rep_text(id), rep_text("\">");
    for (u32 i = 0; i < b->len; i++)
        b->p[i] == '<' ? rep_text("\\u003c") : rep_put(b->p + i, 1);
    rep_text("</script>\n");
}

/* Names, texts and categories of the kinds, which the page makes its lines of. */
static void rep_kinds(struct buf *b)
{
    b_s(b, "[");
    for (u32 k = 0; k < N_EK; k++) {
        b_s(b, k ? ",[\"" : "[\""), b_s(b, event_kinds[k].name), b_s(b, "\",");
        b_u64(b, event_kinds[k].cat), b_s(b, ",\"");
        if (event_kinds[k].text)
            b_json(b, event_kinds[k].text, strlen(event_kinds[k].text));
        b_s(b, "\"]");
    }
    b_s(b, "]");
}

static void rep_errnos(struct buf *b)
{
    b_s(b, "{");
    for (int e = 1, n = 0; e < 4096; e++)
        if (u_errname(e))
            b_f(b, "%s\"%d\":\"%s\"", n++ ? "," : "", e, u_errname(e));
    b_s(b, "}");
}

/* The small data: the run, its summary ("null": it is not known), the kinds, what was left out. */
static void rep_facts(bool whole)
{
    static struct buf b;
    b.max = 64 << 20;
    b_reset(&b);
    rec_json_header(&b, rec_run.backend);
    rep_json("run", &b);
    b_reset(&b);
    if (whole)
        st_json_summary(&b, &rec_end);
    else
        b_s(&b, "null");
    rep_json("summary", &b);
    b_reset(&b);
    b_f(&b, "{\"events\":%" PRIu64 ",\"kept\":%" PRIu64 ",\"whole\":%s,\"kinds\":", rep.seen,
        MIN(rep.seen, (u64)opt.report_events), whole ? "true" : "false");
    rep_kinds(&b);
    b_s(&b, ",\"errors\":"), rep_errnos(&b), b_c(&b, '}');
    rep_json("facts", &b);
}

/* Unpacks the page; 0 or -errno. */
static int rep_unpack(void)
{
    size_t n = (size_t)(rep_packed_end - rep_packed);
    u32 size;
    rep.page = (const char *)rep_packed;
    rep.page_end = rep.page + n;
    if (!gz_is(rep_packed, n, &size))
        return 0;
    u8 *p = malloc(size + 1);
    if (!p)
        return -ENOMEM;
    rep.page = (const char *)p;
    rep.page_end = rep.page + size;
    return gz_inflate(rep_packed, n, p, size) ? 0 : -EBADMSG;
}

/* Leaves out what there is of the page up to one of its marks, {{facts}} or such. Returns the bytes
 * before that. */
static size_t rep_skip(const char *mark)
{
    const char *from = rep.page;
    const char *at = memmem(from, (size_t)(rep.page_end - from), mark, strlen(mark));
    rep.page = at ? at + strlen(mark) : from;
    return at ? (size_t)(at - from) : 0;
}

/* The page up to a mark. */
static void rep_page(const char *mark)
{
    const char *from = rep.page;
    rep_put(from, rep_skip(mark));
}

/* The page, and where it goes. */
static bool rep_open(int to)
{
    int e = rep_unpack();
    if (e) {
        u_warn("%s: the page in kvis cannot be unpacked: %s", opt.report, strerror(-e));
        out.failed = -e;
        return false;
    }
    rep.w.fd[0] = to;
    rep.w.fd[1] = -1;
    rep.w.name[0] = opt.report;
    rep.w.b.max = 32 << 20;
    return true;
}

static void rep_close(void)
{
    rep_put(rep.page, (size_t)(rep.page_end - rep.page));
    out_writer_flush(&rep.w);
}

/* Reads the recording again, from its beginning, into the page. */
static void rep_events(int fd, const char *name)
{
    out.n_taps = 0;
    out.json_on = out.events_on = false;
    rp.again = rin.again = true;
    if (lseek(fd, 0, SEEK_SET) < 0 || rec_open_fd(fd, name) < 0 || !rp_head()) {
        u_warn("%s: cannot be read again: %s", name, rin.wrong);
        out.failed = EIO;
        return;
    }
    rep_choose(opt.report_events);
    rep.raw.max = REC_MAX * 2;
    rec_start(rep_write, rep.w.name[0]);
    out.tap[0] = &rep_tap;
    rp_play();
    out.n_taps = 0;
    rec_end_events();
    if (rep.raw.len)
        rep_chunk(rep.raw.len);
}

static void rep_begin(void)
{
    out.tap[out.n_taps++] = &rep_counter;
}

/* Makes the report of the recording in fd. whole: its end was reached. */
static void rep_end(int fd, const char *name, int to, bool whole)
{
    if (!rep_open(to))
        return;
    rep_page("{{monitor}}");
    rep_skip("{{trace}}");
    rep_page("{{facts}}");
    rep_facts(whole);
    rep_page("{{events}}");
    rep_events(fd, name);
    rep_close();
}

/* A file without a name, in TMPDIR or /tmp, for the recording of a live report; -errno. */
static int rep_temporary(const char *dir)
{
    char path[PATH_MAX];
    int f = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (f >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return f >= 0 ? f : -errno;
    snprintf(path, sizeof path, "%s/kvis-%d-%" PRIu64, dir, getpid(), u_now());
    f = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (f < 0 || unlink(path) < 0)
        return -errno;
    return f;
}
/* == 21 df_  kvis diff: two recordings compared =====================================
 * Both are played to nobody, and the numbers of their summaries are set side by side. Entry points:
 * df_load, df_text, df_json. */

enum { DF_LEAST_NS = 100000 }; /* below, 0.0 ms would be all that a row says */

struct df_name { struct name *n; u64 in, out, opens; }; /* as A has it */

static struct {
    struct df_name *name;    /* of A, sorted by address: a name is the same in both */
    u32 n_names;
    u64 num[2][ARRAY_LEN(rec_nums)];
    bool counted[2];         /* the calls are known */
    struct stats calls[2];
    bool timed[2];           /* and where their time went */
    struct st_waits waits[2][ARRAY_LEN(sc_rows)];
    const char *backend[2];
    bool delayed[2];
    struct st_delays delays[2];
    struct st_io io[2];
    u32 n_programs[2];
    struct name *program[2][ARRAY_LEN(st.program)];
    struct { u16 row, err; u64 count; } failed[2][ST_ERRNOS];
    const char *file[2];
} df;

static int df_by_address(const void *a, const void *b)
{
    const struct df_name *x = a, *y = b;
    return x->n < y->n ? -1 : x->n > y->n;
}

/* Keeps A's totals of all names, and clears them for B's. Returns 0 or -ENOMEM. */
static int df_keep_names(void)
{
    df.name = calloc(nm.n + 1, sizeof *df.name);
    for (u32 i = 0; df.name && i < NM_BUCKETS; i++)
        for (struct name *e = nm.hash[i]; e; e = e->next) {
            if (!e->opens && !e->in_bytes && !e->out_bytes)
                continue;
            df.name[df.n_names++] = (struct df_name){ e, e->in_bytes, e->out_bytes, e->opens };
            e->in_bytes = e->out_bytes = e->opens = 0;
        }
    if (df.name)
        qsort(df.name, df.n_names, sizeof *df.name, df_by_address);
    return df.name ? 0 : -ENOMEM;
}

static bool df_in_a(struct name *n)
{
    struct df_name key = { .n = n };
    return bsearch(&key, df.name, df.n_names, sizeof key, df_by_address) != NULL;
}

/* Takes what is in the globals now as recording k's. */
static void df_take(u32 k)
{
    for (size_t i = 0; i < ARRAY_LEN(rec_nums); i++)
        df.num[k][i] = *rec_nums[i].v, *rec_nums[i].v = 0;
    df.counted[k] = rp.tables || rp.calls;
    df.calls[k] = rp.tables ? st.all : rp.counted;
    memcpy(df.waits[k], st.waits, sizeof st.waits);
    for (u32 i = 0; i < SC_N; i++)
        df.timed[k] |= st.waits[i].calls != 0;
    df.backend[k] = rec_run.backend;
    df.delayed[k] = rec_end.delays != NULL;
    if (rec_end.delays)
        df.delays[k] = *rec_end.delays;
    rec_end.delays = NULL;
    if (rec_end.io)
        df.io[k] = *rec_end.io;
    rec_end.io = NULL;
    df.n_programs[k] = st.n_programs;
    memcpy(df.program[k], st.program, sizeof st.program);
    for (u32 i = 0; i < ST_ERRNOS; i++) {
        df.failed[k][i].row = st.failed[i].row, df.failed[k][i].err = st.failed[i].err;
        df.failed[k][i].count = st.failed[i].count;
    }
    memset(&st, 0, sizeof st);
    memset(&rp.counted, 0, sizeof rp.counted);
    rec_stats = &st.all;
    rp.tables = rp.calls = false;
}

/* Plays a recording. Returns whether it is whole; else rin.wrong says why not. */
static bool df_load(u32 k, int fd, const char *name)
{
    df.file[k] = name;
    rin.again = k > 0;
    if (rec_open_fd(fd, name) < 0 || !rp_head() || !rp_play())
        return false;
    df_take(k);
    return k || df_keep_names() == 0;
}

static u64 df_num(u32 k, const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(rec_nums); i++)
        if (!strcmp(rec_nums[i].name, name))
            return df.num[k][i];
    return 0;
}

/* --- what only one has --- */

struct df_only { const struct name *n; u64 bytes, opens; };

static int df_most_first(const void *a, const void *b)
{
    const struct df_only *x = a, *y = b;
    return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : strcmp(x->n->s, y->n->s);
}

/* The names of a class that only recording k has, most bytes first; *n how many. NULL: no memory.
 */
static struct df_only *df_only(u32 k, char cls, bool noise, u32 *n)
{
    struct df_only *list = calloc(nm.n + 1, sizeof *list);
    *n = 0;
    for (u32 i = 0; list && k == 0 && i < df.n_names; i++) {
        const struct df_name *a = &df.name[i];
        bool in_b = a->n->opens || a->n->in_bytes || a->n->out_bytes;
        if (a->n->cls == cls && !in_b && (noise || !nm_noise(a->n->s)))
            list[(*n)++] = (struct df_only){ a->n, a->in + a->out, a->opens };
    }
    for (u32 i = 0; list && k == 1 && i < NM_BUCKETS; i++)
        for (struct name *e = nm.hash[i]; e; e = e->next)
            if (e->cls == cls && (e->opens || e->in_bytes || e->out_bytes) && !df_in_a(e)
                && (noise || !nm_noise(e->s)))
                list[(*n)++] = (struct df_only){ e, e->in_bytes + e->out_bytes, e->opens };
    if (list)
        qsort(list, *n, sizeof *list, df_most_first);
    return list;
}

static bool df_ran(u32 k, const struct name *program)
{
    for (u32 i = 0; i < df.n_programs[k]; i++)
        if (df.program[k][i] == program)
            return true;
    return false;
}

static u64 df_failed(u32 k, u16 row, u16 err)
{
    for (u32 i = 0; i < ST_ERRNOS; i++)
        if (df.failed[k][i].count && df.failed[k][i].row == row && df.failed[k][i].err == err)
            return df.failed[k][i].count;
    return 0;
}

/* --- calls --- */

static u64 df_ns(u32 k, u16 row)
{
    return df.calls[k].row[row] ? df.calls[k].row[row]->time_ns : 0;
}

/* By how much the times of a call differ: all of it, or where that is not known, what it waited. */
static u64 df_moved(u16 row)
{
    u64 a = df_ns(0, row), b = df_ns(1, row);
    if (!df.counted[0] || !df.counted[1])
        a = df.waits[0][row].ns, b = df.waits[1][row].ns;
    return a > b ? a - b : b - a;
}

static int df_moved_most(const void *a, const void *b)
{
    u16 x = *(const u16 *)a, y = *(const u16 *)b;
    u64 p = df_moved(x), q = df_moved(y);
    return p < q ? 1 : p > q ? -1 : x - y;
}

/* The calls of either, those first whose time differs most; timed: where enough of it is known that
 * a table shows it. */
static u32 df_rows(u16 *row, bool timed)
{
    u32 n = 0;
    for (u16 i = 0; i < SC_N; i++) {
        bool has = false;
        for (u32 k = 0; k < 2; k++) {
            const struct st_row *r = df.calls[k].row[i];
            const struct st_waits *w = &df.waits[k][i];
            has |= timed ? w->ns >= DF_LEAST_NS : w->calls || (r && r->calls);
        }
        if (has)
            row[n++] = i;
    }
    qsort(row, n, sizeof *row, df_moved_most);
    return n;
}

static const struct st_row *df_row(u32 k, u16 row)
{
    static struct st_row none; /* not const: zeros are no part of the file then */
    return df.calls[k].row[row] ? df.calls[k].row[row] : &none;
}

/* --- text --- */

static void df_text_only(struct buf *b, u32 k, char cls, const char *what)
{
    u32 n;
    struct df_only *list = df_only(k, cls, opt.no_filter, &n);
    if (n)
        b_f(b, " %s only in %c:\n", what, 'A' + (int)k);
    for (u32 i = 0; list && i < MIN(n, 20u); i++) {
        b_s(b, "   ");
        out_size(b, (s64)list[i].bytes, 9), b_s(b, "  ");
        b_esc(b, list[i].n->s, list[i].n->len, 0), b_c(b, '\n');
    }
    if (n > 20)
        b_f(b, "   ... and %u more\n", n - 20);
    free(list);
}

static void df_text_programs(struct buf *b)
{
    for (u32 k = 0; k < 2; k++)
        for (u32 i = 0, first = 1; i < df.n_programs[k]; i++) {
            if (df_ran(!k, df.program[k][i]))
                continue;
            if (first)
                b_f(b, " Commands only in %c:\n", 'A' + (int)k);
            first = 0;
            b_s(b, "   "), b_esc(b, df.program[k][i]->s, df.program[k][i]->len, 0), b_c(b, '\n');
        }
}

static void df_text_failed(struct buf *b)
{
    bool said = false;
    for (u32 k = 0; k < 2; k++)
        for (u32 i = 0; i < ST_ERRNOS; i++) {
            u16 row = df.failed[k][i].row, err = df.failed[k][i].err;
            u64 here = df.failed[k][i].count, there = df_failed(!k, row, err);
            if (!here || here == there || (k && there))
                continue;
            if (!said)
                b_s(b, " Failed calls:                     A         B\n");
            said = true;
            b_f(b, "   %-12s %-14s %6" PRIu64 " %9" PRIu64 "\n",
                u_errname(err) ? u_errname(err) : "?", sc_name(row), k ? there : here,
                k ? here : there);
        }
}

/* A time in the unit `ns`, in 10 columns. */
static void df_time(struct buf *b, bool known, u64 v, u64 ns)
{
    if (known)
        b_f(b, "%8" PRIu64 ".%c", v / ns, (char)('0' + v / (ns / 10) % 10));
    else
        b_s(b, "       n/a");
}

static void df_count(struct buf *b, bool known, u64 v)
{
    if (known)
        b_f(b, "%9" PRIu64, v);
    else
        b_s(b, "      n/a");
}

static void df_text_call(struct buf *b, u16 row)
{
    const struct st_row *r[2] = { df_row(0, row), df_row(1, row) };
    b_f(b, "   %-16s", sc_name(row));
    for (u32 k = 0; k < 2; k++)
        df_count(b, df.counted[k], r[k]->calls);
    for (u32 k = 0; k < 2; k++)
        df_time(b, df.counted[k], r[k]->time_ns, 1000);
    for (u32 k = 0; k < 4; k++)
        df_time(b, df.counted[k & 1], st_percentile(r[k & 1], k < 2 ? .5 : .99), 1000);
    b_c(b, '\n');
}

/* The rest, neither on a CPU nor waiting for one or for a disk: blocked. */
static u64 df_other(const struct st_waits *w)
{
    return w->ns - MIN(w->ns, w->cpu + w->runq + w->disk);
}

static void df_text_wait(struct buf *b, u16 row)
{
    const struct st_waits *w[2] = { &df.waits[0][row], &df.waits[1][row] };
    b_f(b, "   %-16s", sc_name(row));
    for (u32 k = 0; k < 2; k++)
        df_count(b, df.timed[k], w[k]->calls);
    for (u32 i = 0; i < 8; i++) {
        const struct st_waits *x = w[i & 1];
        u64 v[] = { x->cpu, x->runq, x->disk, df_other(x) };
        df_time(b, df.timed[i & 1], v[i / 2], 1000000);
    }
    b_c(b, '\n');
}

/* A table of at most 20 rows, or why there is none. */
static void df_text_rows(struct buf *b, bool timed, const char *head, const char *none)
{
    u16 row[SC_N];
    u32 n = df_rows(row, timed), known = timed ? df.timed[0] + df.timed[1]
                                               : df.counted[0] + df.counted[1];
    if (!known)
        n = 0, b_s(b, none);
    if (n)
        b_s(b, head);
    for (u32 i = 0; i < MIN(n, 20u); i++)
        (timed ? df_text_wait : df_text_call)(b, row[i]);
    if (n > 20)
        b_f(b, "   ... and %u more\n", n - 20);
}

static void df_text_times(struct buf *b)
{
    df_text_rows(b, false,
                 " Calls:             calls A  calls B   total A   total B     p50 A     p50 B"
                 "     p99 A     p99 B  (times in us)\n",
                 " Calls: n/a (not recorded: record with -v, -c or -C)\n");
    df_text_rows(b, true,
                 " Where time went:   timed A  timed B     cpu A     cpu B    runq A    runq B"
                 "    disk A    disk B   other A   other B  (times in ms)\n",
                 " Where time went: n/a (only the hybrid backend knows it)\n");
    for (u32 k = 0; k < 2; k++) {
        b_f(b, " %c", 'A' + (int)k);
        if (df.delays[k].count)
            st_text_waits(b, &df.delays[k]);
        else
            b_f(b, " Scheduler: %s\n", df.delayed[k] ? "no waits for a CPU"
                : "n/a (only the hybrid backend counts waits for a CPU)");
    }
}

static void df_text(struct buf *b)
{
    for (u32 k = 0; k < 2; k++) {
        b_f(b, " %c: ", 'A' + (int)k), b_esc(b, df.file[k], strlen(df.file[k]), 0);
        b_f(b, " (%.3f s, %" PRIu64 " calls, %" PRIu64 " processes, ",
            (double)df_num(k, "duration_ns") / 1e9, df_num(k, "syscalls"),
            df_num(k, "processes"));
        b_esc(b, df.backend[k], strlen(df.backend[k]), 0), b_s(b, ")\n");
    }
    for (u32 k = 0; k < 2; k++)
        df_text_only(b, k, 'f', "Files");
    for (u32 k = 0; k < 2; k++)
        df_text_only(b, k, 'p', "Peers");
    df_text_programs(b);
    df_text_failed(b);
    df_text_times(b);
    for (u32 k = 0; k < 2; k++)
        if (df.io[k].took.count) {
            b_f(b, " %c", 'A' + (int)k);
            st_text_io_of(b, &df.io[k]);
        }
}

/* --- JSON --- */

static void df_json_only(struct buf *b, char cls, const char *key)
{
    for (u32 k = 0; k < 2; k++) {
        u32 n;
        struct df_only *list = df_only(k, cls, true, &n);
        b_f(b, ",\"%s_only_%c\":[", key, 'a' + (int)k);
        for (u32 i = 0; list && i < n; i++) {
            st_json_room(b);
            b_s(b, i ? ",{" : "{");
            out_json_str(b, "name", list[i].n->s, list[i].n->len);
            b_f(b, ",\"bytes\":%" PRIu64 ",\"opens\":%" PRIu64 "}", list[i].bytes, list[i].opens);
        }
        b_c(b, ']');
        free(list);
    }
}

static void df_json_programs(struct buf *b)
{
    for (u32 k = 0; k < 2; k++) {
        b_f(b, ",\"commands_only_%c\":[", 'a' + (int)k);
        for (u32 i = 0, n = 0; i < df.n_programs[k]; i++)
            if (!df_ran(!k, df.program[k][i])) {
                b_s(b, n++ ? ",\"" : "\"");
                b_json(b, df.program[k][i]->s, df.program[k][i]->len), b_c(b, '"');
            }
        b_c(b, ']');
    }
}

static void df_json_failed(struct buf *b)
{
    u32 n = 0;
    b_s(b, ",\"failed\":[");
    for (u32 k = 0; k < 2; k++)
        for (u32 i = 0; i < ST_ERRNOS; i++) {
            u16 row = df.failed[k][i].row, err = df.failed[k][i].err;
            u64 here = df.failed[k][i].count, there = df_failed(!k, row, err);
            if (!here || here == there || (k && there))
                continue;
            b_f(b, "%s{\"name\":\"%s\",\"error\":\"%s\",\"a\":%" PRIu64 ",\"b\":%" PRIu64 "}",
                n++ ? "," : "", sc_name(row), u_errname(err) ? u_errname(err) : "?",
                k ? there : here, k ? here : there);
        }
    b_c(b, ']');
}

/* What recording k knows of a call; what it does not know is absent. */
static void df_json_call(struct buf *b, u32 k, u16 row)
{
    const struct st_row *r = df_row(k, row);
    const struct st_waits *w = &df.waits[k][row];
    b_f(b, ",\"%c\":{", 'a' + (int)k);
    if (df.counted[k])
        b_f(b, "\"calls\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"total_ns\":%" PRIu64
            ",\"p50_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64, r->calls,
            r->errors, r->time_ns, st_percentile(r, .5), st_percentile(r, .99), r->max_ns);
    if (df.timed[k])
        b_f(b, "%s\"timed\":%" PRIu64 ",\"on_cpu_ns\":%" PRIu64 ",\"runq_ns\":%" PRIu64
            ",\"disk_ns\":%" PRIu64 ",\"other_ns\":%" PRIu64, df.counted[k] ? "," : "",
            w->calls, w->cpu, w->runq, w->disk, df_other(w));
    b_c(b, '}');
}

static void df_json_calls(struct buf *b)
{
    u16 row[SC_N];
    u32 n = df_rows(row, false);
    b_s(b, ",\"calls\":[");
    for (u32 i = 0; i < n; i++) {
        b_f(b, "%s{\"name\":\"%s\"", i ? "," : "", sc_name(row[i]));
        df_json_call(b, 0, row[i]), df_json_call(b, 1, row[i]);
        b_c(b, '}');
    }
    b_c(b, ']');
}

static void df_json(struct buf *b)
{
    b_s(b, "{\"type\":\"diff\"");
    for (u32 k = 0; k < 2; k++) {
        b_f(b, ",\"%c\":{", 'a' + (int)k);
        out_json_str(b, "file", df.file[k], strlen(df.file[k]));
        b_c(b, ','), out_json_str(b, "backend", df.backend[k], strlen(df.backend[k]));
        for (size_t i = 0; i < ARRAY_LEN(rec_nums); i++)
            b_f(b, ",\"%s\":%" PRIu64, rec_nums[i].name, df.num[k][i]);
        st_json_delays(b, "sched_waits", "sched_wait", &df.delays[k]);
        st_json_delays(b, "block_ios", "block_io", &df.io[k].took);
        b_c(b, '}');
    }
    df_json_only(b, 'f', "files"), df_json_only(b, 'p', "peers");
    df_json_programs(b), df_json_failed(b), df_json_calls(b);
    b_s(b, "}\n");
}
/* == 22 pf_  page faults, by perf_event_open =====================================
 * Software events that sample every fault of the tracees, with its address: one the minor ones, and
 * one, where it finds room for its rings, those that wait for a disk (major). Inherited by threads
 * and children, which the kernel allows for a mapped ring only with one event a CPU
 * (perf_mmap in kernel/events/core.c). Faults of one thread in one region, one after the other and
 * within PF_RUN_NS, are one event. The rings are merged by time, and read up to whatever is told
 * next (pf_upto): so an address finds the region it fell into. */

enum { PF_MAX_CPUS = 1024, PF_RUN_NS = 50000000 };

/* A ring for each CPU and kind: 2 * CPU + is_major. */
enum { PF_RINGS = 2 * PF_MAX_CPUS };

static struct {
    struct perf_event_mmap_page *ring[PF_RINGS];
    int fd[PF_RINGS];
    u32 n;
    size_t page, pages; /* of a ring: what perf_event_mlock_kb allows */
    u64 next[PF_RINGS]; /* when the next sample of a ring was taken; 0: not looked */
    u64 oldest;     /* no run that is open began before this; 0: none is open */
    bool user_only; /* perf_event_paranoid: faults that the kernel takes for the program are not
                       seen */
} pf;

static int pf_open_cpu(pid_t tid, int cpu, bool major, bool on_exec)
{
    struct perf_event_attr a = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof a,
        .config = major ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN,
        .sample_period = 1, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR,
        .disabled = on_exec, .enable_on_exec = on_exec, .inherit = 1, .exclude_hv = 1,
        .exclude_kernel = pf.user_only, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
        .watermark = 1, .wakeup_watermark = 64 << 10,
    };
    int f = (int)syscall(SYS_perf_event_open, &a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (f < 0 && errno == EACCES && !pf.user_only) {
        pf.user_only = true;
        a.exclude_kernel = 1;
        f = (int)syscall(SYS_perf_event_open, &a, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    }
    return f < 0 ? -errno : f;
}

/* Maps a ring, as large as is allowed; a signal says when it fills (it interrupts tr_'s waiting).
 */
static int pf_map(int at, int f)
{
    void *p = MAP_FAILED;
    for (pf.pages = pf.pages ? pf.pages : 512; pf.pages >= 16; pf.pages /= 2) {
        p = mmap(NULL, (pf.pages + 1) * pf.page, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
        if (p != MAP_FAILED || pf.n) /* all rings are of one size */
            break;
    }
    if (p == MAP_FAILED)
        return -errno;
    pf.ring[at] = p;
    pf.fd[at] = f;
    if (fcntl(f, F_SETOWN, getpid()) < 0 || fcntl(f, F_SETFL, O_ASYNC | O_NONBLOCK) < 0)
        return -errno;
    return 0;
}

/* Opens an event for one thread on one CPU; the rings of the first thread are those of the rest. */
static int pf_open_at(pid_t tid, int cpu, bool major, bool on_exec)
{
    int at = 2 * cpu + major, e = 0, f = pf_open_cpu(tid, cpu, major, on_exec);
    if (f < 0)
        return f;
    /* The descriptor must live as long as the event: it is closed when kvis ends. */
    if (!pf.ring[at])
        e = pf_map(at, f);
    else if (syscall(SYS_ioctl, f, PERF_EVENT_IOC_SET_OUTPUT, pf.fd[at]) < 0)
        e = -errno;
    pf.n = e ? pf.n : MAX(pf.n, (u32)at + 1);
    return e;
}

/* Opens the events for one thread on every CPU. Returns 0 or -errno. */
static int pf_open(pid_t tid, bool on_exec)
{
    int cpus = MIN((int)sysconf(_SC_NPROCESSORS_CONF), (int)PF_MAX_CPUS), got = 0;
    pf.page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < 2 * cpus; i++) {
        bool major = i >= cpus;
        int e = major && st.no_major ? 0 : pf_open_at(tid, i % cpus, major, on_exec);
        if (e == -ENODEV) /* that CPU is off */
            continue;
        if (e && !major)
            return e;
        st.no_major |= e != 0;
        got++;
    }
    return got ? 0 : -ENODEV;
}

/* Says why page faults are off, and what mends it. */
static void pf_explain(int e)
{
    long level = u_file_number("/proc/sys/kernel/perf_event_paranoid", -1);
    if ((e == -EACCES || e == -EPERM) && level > 1)
        u_warn("page faults off: perf_event_paranoid is %ld (sysctl kernel.perf_event_paranoid=1, "
               "or run as root)", level);
    else if (e == -EPERM)
        u_warn("page faults off: perf_event_open is not permitted (a container's seccomp profile? "
               "allow perf_event_open, or add CAP_PERFMON)");
    else if (e == -ENOENT || e == -ENOSYS || e == -ENODEV)
        u_warn("page faults off: this kernel has no perf software events (CONFIG_PERF_EVENTS)");
    else
        u_warn("page faults off: perf_event_open: %s", strerror(-e));
}

static bool pf_ours(const struct name *n)
{
    return !strcmp(n->s, "heap") || !strcmp(n->s, "anon");
}

/* Reports the run of faults that a thread has had in one region. */
static void pf_flush(struct task *t)
{
    u64 n = t->faults;
    struct region *r = &t->fault_run;
    if (!n)
        return;
    t->faults = 0;
    struct event *e = ev_new(n > 1 ? EK_FAULT_GROUP : EK_FAULT, t, t->fault_ns);
    ev_name(e, EV_region_name, r->name);
    ev_num(e, EV_addr, (s64)t->fault_addr);
    if (n > 1) {
        ev_num(e, EV_count, (s64)n);
        ev_num(e, EV_region_start, (s64)r->start);
    }
    ev_sym(e, EV_prot, md_prot_text(r->prot));
    if (t->fault_major)
        ev_sym(e, EV_kind, "major");
    e->noise = !pf_ours(r->name) && !t->fault_major;
    md_emit(e);
}

static void pf_sample(pid_t tid, u64 ns, u64 addr, bool major)
{
    struct task *t = ps_task(tid);
    if (!t || !t->mm)
        return;
    struct region *r = vm_find(t->mm, addr);
    struct region none = { .name = vm_name("unknown") };
    if (!r)
        r = &none;
    if (t->faults && (t->fault_run.name != r->name || t->fault_run.start != r->start
                      || t->fault_major != major))
        pf_flush(t);
    if (!t->faults++) {
        t->fault_major = major;
        t->fault_run = *r;
        t->fault_addr = addr;
        t->fault_ns = ns;
        pf.oldest = pf.oldest ? pf.oldest : ns;
    }
    st.major_faults += major;
    if (pf_ours(r->name) && !major)
        st.faults++;
}

static void pf_lost(u64 n)
{
    st.fault_lost += n;
    struct event *e = ev_new(EK_LOST, NULL, u_when());
    ev_num(e, EV_count, (s64)n);
    ev_sym(e, EV_how, "page-fault samples lost");
    out_event(e);
}

/* A record, as far as it is of use: of a sample tid, time and address, of a loss how many. */
struct pf_record {
    struct perf_event_header h;
    union {
        struct { u32 pid, tid; u64 ns, addr; } s;
        struct { u64 id, lost; } l;
    };
};

/* The record at the tail of a ring; false: there is none. */
static bool pf_look(struct perf_event_mmap_page *m, struct pf_record *r)
{
    u64 head = __atomic_load_n(&m->data_head, __ATOMIC_ACQUIRE), tail = m->data_tail;
    const u8 *data = (const u8 *)m + pf.page;
    u64 size = pf.pages * pf.page;
    if (tail >= head)
        return false;
    for (size_t i = 0; i < sizeof *r; i++) /* what is behind a short one is not looked at */
        ((u8 *)r)[i] = data[(tail + i) & (size - 1)];
    return r->h.size >= sizeof r->h; /* the kernel never writes less: stop rather than loop */
}

static void pf_take(struct perf_event_mmap_page *m, const struct pf_record *r)
{
    __atomic_store_n(&m->data_tail, m->data_tail + r->h.size, __ATOMIC_RELEASE);
}

static bool pf_is_sample(const struct pf_record *r)
{
    return r->h.type == PERF_RECORD_SAMPLE && r->h.size >= sizeof r->h + sizeof r->s;
}

/* When the next sample of a ring was taken; ~0: there is none. What is no sample is taken on the
 * way. */
static u64 pf_next(u32 at)
{
    struct perf_event_mmap_page *m = pf.ring[at];
    struct pf_record r;
    if (!m || pf.next[at])
        return m ? pf.next[at] : ~0ull;
    while (__atomic_load_n(&m->data_head, __ATOMIC_RELAXED) != m->data_tail && pf_look(m, &r)) {
        if (pf_is_sample(&r))
            return pf.next[at] = r.s.ns;
        if (r.h.type == PERF_RECORD_LOST && r.h.size >= sizeof r.h + sizeof r.l)
            pf_lost(r.l.lost);
        pf_take(m, &r);
    }
    return ~0ull;
}

/* Reports the runs that began so long ago that they are over. */
static void pf_flush_old(u64 ns)
{
    u64 oldest = 0;
    for (u32 i = 0; i < PS_BUCKETS; i++)
        for (struct task *t = ps.task[i]; t; t = t->next) {
            if (t->faults && ns - t->fault_ns > PF_RUN_NS)
                pf_flush(t);
            if (t->faults && (!oldest || t->fault_ns < oldest))
                oldest = t->fault_ns;
        }
    pf.oldest = oldest;
}

/* Tells the faults up to a time; cheap when there is nothing to tell. */
static void pf_upto(u64 ns)
{
    for (struct pf_record r; pf.n;) {
        u32 first = 0;
        for (u32 i = 1; i < pf.n; i++)
            if (pf_next(i) < pf_next(first))
                first = i;
        if (pf_next(first) >= ns || !pf_look(pf.ring[first], &r))
            break;
        if (pf.oldest && r.s.ns > pf.oldest + PF_RUN_NS)
            pf_flush_old(r.s.ns);
        pf.next[first] = 0;
        pf_take(pf.ring[first], &r);
        pf_sample((pid_t)r.s.tid, r.s.ns, r.s.addr, first & 1);
    }
    if (pf.oldest && ns > pf.oldest + PF_RUN_NS)
        pf_flush_old(ns);
}
/* == 23 btf_  names of the kernel's types and fields ===========================================
 * Answers "where is task_struct.pid here?" from /sys/kernel/btf/vmlinux (Documentation/bpf/btf.rst
 * is the format), for a batch of names at a time. The file has megabytes and kvis little memory:
 * it is read once, by windows, and only this stays: where in the string section the wanted words
 * are, the types that bear a wanted name, and the position of every 32nd type. With these the
 * members are then walked. A module's BTF is split: ids and string offsets continue vmlinux's.
 * The file is hostile: every length is checked against its section, every chain and every search
 * has a bound, and what does not fit is -EBADMSG with a reason. Entry: btf_resolve. */

enum {
    WHY_LEN = 256,          /* of every `char why[]` */
    BTF_MAGIC = 0xeb9f, BTF_MAGIC_SWAPPED = 0x9feb,
    BTF_WINDOW = 16384,
    BTF_NEAR = 4096,        /* sysfs gives no more than a page at a time */
    BTF_STRIDE = 32,
    BTF_MAX_FILE = 64 << 20,
    BTF_DEPTH = 32,         /* typedefs of typedefs, structs in structs; the kernel's own bound */
    BTF_STEPS = 16,
    BTF_WORD = 255,         /* the kernel's KSYM_NAME_LEN is 512, with Rust's in mind */
    BTF_MAX_CANDS = 4096,
    BTF_BUCKETS = 1024,
    BTF_LAYOUTS = 128,      /* kinds have 7 bits */
};

static const char *btf_dir = "/sys/kernel/btf";

/* A field, a type or an enumerator of this kernel. `size` is the whole array's. */
struct kfield {
    u32 off, size;
    bool is_signed, exists;
    u32 count; /* of array elements; 0: a flexible array, 1: not an array */
    u64 value; /* of an enumerator */
};

/* A question: "TYPE.member.array[2].member", "TYPE" or "ENUM.VALUE"; anonymous structs and unions
 * are left out. err: 0; -ENOENT this kernel does not have it; -EOPNOTSUPP it is a bit-field (and
 * exists); -EINVAL no such name can be; -EBADMSG damaged BTF. */
struct btf_want {
    const char *name;
    u8 kind; /* the caller's */
    struct kfield f;
    int err;
};

enum btf_kind {
    BTF_VOID, BTF_INT, BTF_PTR, BTF_ARRAY, BTF_STRUCT, BTF_UNION, BTF_ENUM, BTF_FWD, BTF_TYPEDEF,
    BTF_VOLATILE, BTF_CONST, BTF_RESTRICT, BTF_FUNC, BTF_FUNC_PROTO, BTF_VAR, BTF_DATASEC,
    BTF_FLOAT, BTF_DECL_TAG, BTF_TYPE_TAG, BTF_ENUM64, BTF_KINDS
};

/* What follows the 12 bytes that all kinds begin with: `body` bytes and `each` for each of vlen.
 * named: a name of this kind is a type's. */
static const struct { u8 body, each; bool named; } btf_kinds[BTF_KINDS + 1] = {
    [BTF_INT] = { 4, 0, true },      [BTF_ARRAY] = { 12, 0, false },
    [BTF_STRUCT] = { 0, 12, true },  [BTF_UNION] = { 0, 12, true },
    [BTF_ENUM] = { 0, 8, true },     [BTF_ENUM64] = { 0, 12, true },
    [BTF_TYPEDEF] = { 0, 0, true },  [BTF_FLOAT] = { 0, 0, true },
    [BTF_FUNC_PROTO] = { 0, 8, false }, [BTF_VAR] = { 4, 0, false },
    [BTF_DATASEC] = { 0, 12, false },   [BTF_DECL_TAG] = { 4, 0, false },
    [BTF_KINDS] = { 0, 0, false }, /* one of a newer kernel */
};

/* One file. Positions are from its start. */
struct btf_blob {
    const char *name;
    int fd;
    u32 size, type_pos, type_end, str_pos, str_len;
    u32 first_id, n_ids, str_base; /* of this file's own; what is lower is vmlinux's */
    u32 *index;                    /* where type first_id + i * BTF_STRIDE is */
    struct { u8 body, each; } layout[BTF_LAYOUTS]; /* sizes of kinds we do not know */
    u32 n_layouts;
    const u8 *map; /* all of it, where the kernel maps it */
    u32 ahead, win_pos, win_len;
    u8 win[BTF_WINDOW];
};

struct btf_type {
    struct btf_blob *b;
    u32 id, name, vlen, body, next; /* body, next: positions */
    u32 size;                       /* or the type that it refers to */
    u8 kind;
    bool flag;
};

struct btf_word { const char *s; u32 len, next; };
struct btf_step { u32 n; bool is_index; }; /* n: the member's word, or the index */
struct btf_path { u32 type, n; struct btf_step step[BTF_STEPS]; };
struct btf_hit { u32 type; u64 off; bool bits; };

/* One batch at work. Words are numbered from 1. */
static struct {
    struct btf_blob blob[2]; /* vmlinux, the module */
    u32 n_blobs;
    struct btf_word *words;
    u32 n_words, bucket[BTF_BUCKETS];
    struct { u32 off, word; } *strs; /* open addressing by string offset */
    u32 strs_mask, n_strs;
    struct { u32 word, id; } *cands; /* types that bear a wanted name, as they come */
    u32 n_cands, cands_cap, base_cands;
    u64 lookups, members; /* what may still be spent */
    char *why;
} btf;

/* --- the file, by windows --- */

static int PRINTF_LIKE(2, 3) btf_bad(const struct btf_blob *b, const char *fmt, ...)
{
    va_list ap;
    if (btf.why[0])
        return -EBADMSG; /* the first reason is the one */
    int n = snprintf(btf.why, WHY_LEN, "BTF of %s: ", b->name);
    va_start(ap, fmt);
    if (n > 0 && n < WHY_LEN)
        vsnprintf(btf.why + n, WHY_LEN - (size_t)n, fmt, ap);
    va_end(ap);
    return -EBADMSG;
}

static u32 btf_u32(const u8 *p)
{
    u32 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The n bytes at pos, n <= BTF_NEAR or BTF_WINDOW as `ahead` says; until the next call. NULL: the
 * file does not have them. */
static const u8 *btf_at(struct btf_blob *b, u32 pos, u32 n)
{
    if (pos > b->size || n > b->size - pos)
        return NULL;
    if (b->map)
        return b->map + pos;
    if (pos < b->win_pos || pos - b->win_pos > b->win_len ||
        n > b->win_len - (pos - b->win_pos)) {
        u32 want = MIN(b->ahead, b->size - pos);
        b->win_pos = pos;
        b->win_len = 0;
        while (b->win_len < want) {
            ssize_t r = pread(b->fd, b->win + b->win_len, want - b->win_len, pos + b->win_len);
            if (r < 0 && errno == EINTR)
                continue;
            if (r <= 0)
                break;
            b->win_len += (u32)r;
        }
        if (n > b->win_len)
            return NULL;
    }
    return b->win + (pos - b->win_pos);
}

/* Since 7.1 a file may say how long each kind is (struct btf_layout, include/uapi/linux/btf.h), so
 * that a kind that came later can be passed over. */
static int btf_layouts(struct btf_blob *b, u32 hdr_len)
{
    const u8 *p = btf_at(b, 24, 8);
    u32 off = p ? btf_u32(p) : 0, len = p ? btf_u32(p + 4) : 0, rest = b->size - hdr_len;
    if (off > rest || len > rest - off)
        return btf_bad(b, "layouts reach behind its end");
    b->n_layouts = MIN(len / 4, BTF_LAYOUTS);
    for (u32 i = 0; i < b->n_layouts && (p = btf_at(b, hdr_len + off + 4 * i, 4)); i++) {
        b->layout[i].body = p[0];
        b->layout[i].each = p[1];
    }
    return 0;
}

static int btf_header(struct btf_blob *b)
{
    struct { u16 magic; u8 version, flags; u32 len, type_off, type_len, str_off, str_len; } h;
    const u8 *p = btf_at(b, 0, sizeof h);
    if (!p)
        return btf_bad(b, "no header: %u bytes", b->size);
    memcpy(&h, p, sizeof h);
    if (h.magic == BTF_MAGIC_SWAPPED)
        return btf_bad(b, "it is of the other byte order");
    if (h.magic != BTF_MAGIC)
        return btf_bad(b, "magic 0x%x, not 0x%x", h.magic, BTF_MAGIC);
    if (h.version != 1 || h.flags)
        return btf_bad(b, "version %u, flags 0x%x: not known", h.version, h.flags);
    /* A longer header is a newer kernel's: what it adds beyond layouts is not needed here. */
    if (h.len < sizeof h || h.len > b->size)
        return btf_bad(b, "header of %u bytes", h.len);
    u32 rest = b->size - h.len;
    if (h.type_off > rest || h.type_len > rest - h.type_off)
        return btf_bad(b, "types reach behind its end");
    if (h.str_off > rest || h.str_len > rest - h.str_off)
        return btf_bad(b, "strings reach behind its end");
    b->type_pos = h.len + h.type_off;
    b->type_end = b->type_pos + h.type_len;
    b->str_pos = h.len + h.str_off;
    b->str_len = h.str_len;
    /* A module may add no string of its own. */
    const u8 *last = h.str_len ? btf_at(b, b->str_pos + h.str_len - 1, 1) : NULL;
    if (last ? *last : b->first_id == 1 || h.str_len)
        return btf_bad(b, "strings do not end in NUL");
    return h.len >= sizeof h + 8 ? btf_layouts(b, h.len) : 0;
}

/* --- words: the parts of the wanted names --- */

/* The first, middle and last byte tell most names apart and cost less than all. len > 0. */
static u32 btf_hash(const char *s, u32 len)
{
    u32 h = (u8)s[0] + 31u * (u8)s[len / 2] + 961u * (u8)s[len - 1] + 7u * len;
    return (h ^ h >> 7) % BTF_BUCKETS;
}

/* The number of a word; 0: nobody wants it. */
static u32 btf_word_find(const char *s, u32 len)
{
    if (!len)
        return 0;
    for (u32 w = btf.bucket[btf_hash(s, len)]; w; w = btf.words[w].next)
        if (btf.words[w].len == len && !memcmp(btf.words[w].s, s, len))
            return w;
    return 0;
}

static u32 btf_word_add(const char *s, u32 len)
{
    u32 w = btf_word_find(s, len);
    if (w || !len)
        return w;
    u32 *head = &btf.bucket[btf_hash(s, len)];
    w = ++btf.n_words;
    btf.words[w] = (struct btf_word){ s, len, *head };
    *head = w;
    return w;
}

static u32 *btf_str_slot(u32 off, u32 **word)
{
    u32 i = off * 2654435761u >> 12 & btf.strs_mask;
    while (btf.strs[i].word && btf.strs[i].off != off)
        i = (i + 1) & btf.strs_mask;
    *word = &btf.strs[i].word;
    return &btf.strs[i].off;
}

/* The wanted word that stands at a string offset; 0: none. */
static u32 btf_word_at(u32 off)
{
    u32 *word;
    btf_str_slot(off, &word);
    return *word;
}

static int btf_str_add(struct btf_blob *b, u32 off, u32 w)
{
    if (btf.n_strs >= btf.strs_mask / 2)
        return btf_bad(b, "the same strings again and again (%.40s)", btf.words[w].s);
    u32 *word, *at = btf_str_slot(off, &word);
    *at = off;
    *word = w;
    btf.n_strs++;
    return 0;
}

/* Looks for the words in a string section. */
static int btf_scan_strings(struct btf_blob *b)
{
    for (u32 pos = 0, used; pos < b->str_len; pos += used) {
        u32 n = MIN(b->str_len - pos, BTF_WINDOW);
        const char *p = (const char *)btf_at(b, b->str_pos + pos, n), *z;
        if (!p)
            return btf_bad(b, "shorter than it says");
        for (used = 0; used < n && (z = memchr(p + used, 0, n - used));) {
            u32 w = btf_word_find(p + used, (u32)(z - p) - used);
            int e = w ? btf_str_add(b, b->str_base + pos + used, w) : 0;
            if (e)
                return e;
            used = (u32)(z - p) + 1;
        }
        if (!used)
            used = n; /* longer than any name */
    }
    return 0;
}

/* --- types --- */

/* The type at a position. */
static int btf_head(struct btf_blob *b, u32 pos, u32 id, struct btf_type *t)
{
    const u8 *p = b->type_end - pos < 12 ? NULL : btf_at(b, pos, 12);
    if (!p)
        return btf_bad(b, "type %u is cut off", id);
    u32 info = btf_u32(p + 4);
    /* 16 bits of vlen and 5 of kind; the bits above either are 0 so far, and reserved to them. */
    *t = (struct btf_type){ .b = b, .id = id, .name = btf_u32(p), .size = btf_u32(p + 8),
                            .vlen = info & 0xffffff, .kind = info >> 24 & 0x7f,
                            .flag = info >> 31, .body = pos + 12 };
    u64 len;
    if (t->kind != BTF_VOID && t->kind < BTF_KINDS)
        len = btf_kinds[t->kind].body + (u64)btf_kinds[t->kind].each * t->vlen;
    else if (t->kind != BTF_VOID && t->kind < b->n_layouts)
        len = b->layout[t->kind].body + (u64)b->layout[t->kind].each * t->vlen;
    else
        return btf_bad(b, "type %u is of kind %u, which this kvis does not know", id, t->kind);
    if (len > b->type_end - t->body)
        return btf_bad(b, "type %u (kind %u, %u parts) is cut off", id, t->kind, t->vlen);
    if (t->name && t->name >= b->str_base + b->str_len)
        return btf_bad(b, "type %u: its name is outside the strings", id);
    t->next = t->body + (u32)len;
    return 0;
}

static int btf_cand_add(struct btf_blob *b, u32 word, u32 id)
{
    if (btf.n_cands >= BTF_MAX_CANDS)
        return btf_bad(b, "too many types of one name (%.40s)", btf.words[word].s);
    if (btf.n_cands == btf.cands_cap) {
        u32 cap = btf.cands_cap ? 2 * btf.cands_cap : 64;
        void *p = realloc(btf.cands, cap * sizeof *btf.cands);
        if (!p)
            return -ENOMEM;
        btf.cands = p;
        btf.cands_cap = cap;
    }
    btf.cands[btf.n_cands].word = word;
    btf.cands[btf.n_cands++].id = id;
    return 0;
}

/* Indexes the types, and notes those that bear a wanted name. */
static int btf_scan_types(struct btf_blob *b)
{
    u32 most = (b->type_end - b->type_pos) / 12;
    b->index = malloc((most / BTF_STRIDE + 1) * sizeof *b->index);
    if (!b->index)
        return -ENOMEM;
    struct btf_type t;
    for (u32 pos = b->type_pos; pos < b->type_end; pos = t.next) {
        u32 n = b->n_ids++;
        if (n % BTF_STRIDE == 0)
            b->index[n / BTF_STRIDE] = pos;
        int e = btf_head(b, pos, b->first_id + n, &t);
        u32 w = !e && btf_kinds[MIN(t.kind, BTF_KINDS)].named ? btf_word_at(t.name) : 0;
        if (w)
            e = btf_cand_add(b, w, t.id);
        if (e)
            return e;
    }
    return 0;
}

static int btf_get(u32 id, struct btf_type *t)
{
    struct btf_blob *b = &btf.blob[btf.n_blobs > 1 && id >= btf.blob[1].first_id];
    if (!id) {
        *t = (struct btf_type){ .b = b };
        return 0;
    }
    if (id < b->first_id || id - b->first_id >= b->n_ids)
        return btf_bad(b, "there is no type %u", id);
    if (!btf.lookups--) {
        btf.lookups = 0;
        return btf_bad(b, "its types are tangled");
    }
    u32 n = id - b->first_id, at = id - n % BTF_STRIDE, pos = b->index[n / BTF_STRIDE];
    int e = 0;
    for (; !e && at <= id; at++, pos = t->next)
        e = btf_head(b, pos, at, t);
    return e;
}

/* Follows typedefs and qualifiers. */
static int btf_strip(u32 id, struct btf_type *t)
{
    for (u32 i = 0; i < BTF_DEPTH; i++) {
        int e = btf_get(id, t);
        if (e)
            return e;
        if (t->kind != BTF_TYPEDEF && t->kind != BTF_VOLATILE && t->kind != BTF_CONST &&
            t->kind != BTF_RESTRICT && t->kind != BTF_TYPE_TAG)
            return 0;
        id = t->size;
    }
    return btf_bad(t->b, "type %u: qualifiers without end", id);
}

static int btf_array(const struct btf_type *t, u32 *elem, u32 *n)
{
    const u8 *p = btf_at(t->b, t->body, 12);
    if (!p)
        return btf_bad(t->b, "shorter than it says");
    *elem = btf_u32(p);
    *n = btf_u32(p + 8);
    return 0;
}

/* Size and sign of what is not an array. */
static int btf_scalar(const struct btf_type *t, struct kfield *f)
{
    const u8 *p;
    switch (t->kind) {
    case BTF_PTR:
        f->size = sizeof(void *);
        return 0;
    case BTF_INT:
        if (!(p = btf_at(t->b, t->body, 4)))
            return btf_bad(t->b, "shorter than it says");
        f->size = t->size;
        f->is_signed = btf_u32(p) >> 24 & 1;
        /* How BTF spelled a bit-field before members had a width of their own. */
        return (btf_u32(p) & 0xff00ff) == t->size * 8 ? 0 : -EOPNOTSUPP;
    case BTF_STRUCT: case BTF_UNION: case BTF_ENUM: case BTF_ENUM64: case BTF_FLOAT:
        f->size = t->size;
        f->is_signed = t->flag && (t->kind == BTF_ENUM || t->kind == BTF_ENUM64);
        return 0;
    default:
        return btf_bad(t->b, "type %u (kind %u) has no size", t->id, t->kind);
    }
}

/* Size, count and sign of a type. */
static int btf_sized(u32 id, struct kfield *f)
{
    struct btf_type t = { .b = &btf.blob[0] };
    u64 count = 1;
    for (u32 i = 0; i < BTF_DEPTH; i++) {
        u32 n = 0;
        int e = btf_strip(id, &t);
        if (!e && t.kind != BTF_ARRAY && !(e = btf_scalar(&t, f))) {
            if (f->size * count > INT32_MAX)
                return btf_bad(t.b, "type %u: %u bytes, %llu times", t.id, f->size,
                               (unsigned long long)count);
            f->count = (u32)count;
            f->size *= (u32)count;
            return 0;
        }
        if (e || (e = btf_array(&t, &id, &n)))
            return e;
        if ((count *= n) > INT32_MAX)
            return btf_bad(t.b, "type %u: an array of %llu", t.id, (unsigned long long)count);
    }
    return btf_bad(t.b, "type %u: arrays without end", t.id);
}

/* --- members --- */

static bool btf_composite(const struct btf_type *t)
{
    return t->kind == BTF_STRUCT || t->kind == BTF_UNION;
}

/* Part i of a struct or an enum: its first word is a name. */
static const u8 *btf_part(const struct btf_type *t, u32 i, int *err)
{
    u32 each = btf_kinds[t->kind].each;
    const u8 *p = btf.members ? btf_at(t->b, t->body + i * each, each) : NULL;
    if (!p)
        *err = btf_bad(t->b, btf.members ? "shorter than it says" : "its types are tangled");
    else if (btf_u32(p) && btf_u32(p) >= t->b->str_base + t->b->str_len)
        *err = btf_bad(t->b, "type %u: a name is outside the strings", t->id);
    else
        return btf.members--, p;
    return NULL;
}

/* A member of a struct or of the anonymous ones in it. h->off is in bits. */
static int btf_find(const struct btf_type *t, u32 word, u32 depth, struct btf_hit *h)
{
    int e = depth < BTF_DEPTH ? 0 : btf_bad(t->b, "type %u: structs without end", t->id);
    for (u32 i = 0; !e && i < t->vlen; i++) {
        const u8 *p = btf_part(t, i, &e);
        if (!p)
            return e;
        u32 name = btf_u32(p), type = btf_u32(p + 4), off = btf_u32(p + 8);
        u32 width = t->flag ? off >> 24 : 0;
        off = t->flag ? off & 0xffffff : off;
        if (name && btf_word_at(name) == word) {
            *h = (struct btf_hit){ .type = type, .off = off, .bits = width };
            return 0;
        }
        struct btf_type in;
        if (name || (e = btf_strip(type, &in)) || !btf_composite(&in))
            continue;
        e = btf_find(&in, word, depth + 1, h);
        if (e != -ENOENT) {
            h->off += off;
            return e;
        }
        e = 0;
    }
    return e ? e : -ENOENT;
}

static int btf_member(u32 id, u32 word, struct btf_hit *h)
{
    struct btf_type t;
    int e = btf_strip(id, &t);
    if (e || (e = btf_composite(&t) ? btf_find(&t, word, 0, h) : -ENOENT))
        return e;
    if (h->bits)
        return -EOPNOTSUPP;
    struct kfield f;
    e = btf_sized(h->type, &f);
    if (e)
        return e;
    if (h->off % 8 || h->off / 8 + f.size > t.size)
        return btf_bad(t.b, "type %u: a member at bit %llu of %u bytes", t.id,
                       (unsigned long long)h->off, t.size);
    h->off /= 8;
    return 0;
}

static int btf_element(u32 id, u32 i, struct btf_hit *h)
{
    struct btf_type t;
    struct kfield f;
    u32 elem = 0, n = 0;
    int e = btf_strip(id, &t);
    if (e || (e = t.kind == BTF_ARRAY ? btf_array(&t, &elem, &n) : -ENOENT))
        return e;
    if (n && i >= n) /* n is 0: a flexible array */
        return -ENOENT;
    e = btf_sized(elem, &f);
    *h = (struct btf_hit){ .type = elem, .off = (u64)i * f.size };
    return e;
}

static int btf_enumerator(const struct btf_type *t, u32 word, struct kfield *f)
{
    int e = 0;
    for (u32 i = 0; i < t->vlen; i++) {
        const u8 *p = btf_part(t, i, &e);
        if (!p)
            return e;
        if (btf_word_at(btf_u32(p)) != word)
            continue;
        u32 low = btf_u32(p + 4);
        f->value = t->kind == BTF_ENUM64 ? low | (u64)btf_u32(p + 8) << 32
                 : t->flag ? (u64)(s64)(s32)low : low;
        f->count = 1;
        return btf_scalar(t, f);
    }
    return -ENOENT;
}

/* The path from one type that bears its first name. */
static int btf_walk(u32 id, const struct btf_path *p, struct kfield *f)
{
    struct btf_type t;
    u64 off = 0;
    int e = btf_strip(id, &t);
    if (!e && (t.kind == BTF_ENUM || t.kind == BTF_ENUM64) && p->n == 1 && !p->step[0].is_index)
        return btf_enumerator(&t, p->step[0].n, f);
    for (u32 i = 0; !e && i < p->n; i++) {
        struct btf_hit h = { 0 };
        e = p->step[i].is_index ? btf_element(id, p->step[i].n, &h)
                                : btf_member(id, p->step[i].n, &h);
        off += h.off;
        id = h.type;
    }
    if (!e && off > INT32_MAX)
        e = btf_bad(t.b, "type %u: a member at %llu", t.id, (unsigned long long)off);
    f->off = (u32)off;
    return e ? e : btf_sized(id, f);
}

/* --- names --- */

/* One step of a path at *s: ".member" or "[2]". */
static int btf_step(const char **s, struct btf_step *step)
{
    const char *p = *s + 1;
    step->is_index = **s == '[';
    if (step->is_index) {
        char *end;
        unsigned long v = isdigit((u8)*p) ? strtoul(p, &end, 10) : ULONG_MAX;
        if (v > INT32_MAX || *end != ']')
            return -EINVAL;
        step->n = (u32)v;
        *s = end + 1;
        return 0;
    }
    u32 len = (u32)strcspn(p, ".[");
    if (**s != '.' || !len || len > BTF_WORD)
        return -EINVAL;
    step->n = btf_word_add(p, len);
    *s = p + len;
    return 0;
}

/* "T.a.b[2]" as a path of words; it adds them. */
static int btf_parse(const char *s, struct btf_path *p)
{
    u32 len = (u32)strcspn(s, ".[");
    if (!len || len > BTF_WORD)
        return -EINVAL;
    p->type = btf_word_add(s, len);
    s += len;
    for (p->n = 0; *s; p->n++)
        if (p->n == BTF_STEPS || btf_step(&s, &p->step[p->n]))
            return -EINVAL;
    return 0;
}

/* Of several types of one name the first that has the member: the module's before vmlinux's. */
static void btf_answer(struct btf_want *w)
{
    struct btf_path p;
    w->err = btf_parse(w->name, &p) ? -EINVAL : -ENOENT;
    for (u32 k = 0; w->err == -ENOENT && k < btf.n_cands; k++) {
        u32 i = (k + btf.base_cands) % btf.n_cands;
        if (btf.cands[i].word == p.type)
            w->err = btf_walk(btf.cands[i].id, &p, &w->f);
    }
    w->f.exists = !w->err || w->err == -EOPNOTSUPP;
}

static int btf_words(struct btf_want *w, u32 n)
{
    u32 parts = 1, size = 64;
    for (u32 i = 0; i < n; i++)
        for (const char *s = w[i].name; s && parts < UINT32_MAX / 64; parts++)
            s = (s = strchr(s, '.')) ? s + 1 : NULL;
    while (size < parts * 8)
        size *= 2;
    btf.words = calloc(parts, sizeof *btf.words);
    btf.strs = calloc(size, sizeof *btf.strs);
    btf.strs_mask = size - 1;
    struct btf_path p;
    for (u32 i = 0; btf.words && btf.strs && i < n; i++)
        btf_parse(w[i].name, &p);
    return btf.words && btf.strs ? 0 : -ENOMEM;
}

/* Maps the whole file, which sysfs allows since 6.16 (kernel/bpf/sysfs_btf.c); otherwise it hands
 * it out page by page. Of another file system it could shrink under us. */
static void btf_map(struct btf_blob *b)
{
    enum { SYSFS = 0x62656572 };
    struct statfs fs;
    if (fstatfs(b->fd, &fs) < 0 || fs.f_type != SYSFS)
        return;
    void *p = mmap(NULL, b->size, PROT_READ, MAP_PRIVATE, b->fd, 0);
    b->map = p == MAP_FAILED ? NULL : p;
}

/* Takes in one more file: the first is vmlinux's. */
static int btf_load(int fd, const char *name)
{
    struct btf_blob *b = &btf.blob[btf.n_blobs], *base = &btf.blob[0];
    struct stat s;
    b->name = name;
    b->fd = fd;
    b->ahead = BTF_WINDOW;
    if (fstat(fd, &s) < 0)
        return -errno;
    if (s.st_size > BTF_MAX_FILE)
        return btf_bad(b, "%lld bytes", (long long)s.st_size);
    b->size = (u32)MAX(s.st_size, 0);
    b->first_id = btf.n_blobs ? base->first_id + base->n_ids : 1;
    b->str_base = btf.n_blobs ? base->str_len : 0;
    btf.base_cands = btf.n_cands;
    btf.n_blobs++;
    btf_map(b);
    int e = btf_header(b);
    if (!e && !(e = btf_scan_strings(b)))
        e = btf_scan_types(b);
    b->ahead = BTF_NEAR;
    return e;
}

/* module_fd < 0: vmlinux alone. */
static int btf_resolve_fds(int fd, int module_fd, const char *module, struct btf_want *w, u32 n,
                           char why[])
{
    memset(&btf, 0, sizeof btf);
    btf.why = why;
    why[0] = 0;
    btf.lookups = 1000 + 256 * (u64)n;
    btf.members = (1 << 20) + 4096 * (u64)n;
    int e = btf_words(w, n);
    if (!e && !(e = btf_load(fd, "vmlinux")) && module_fd >= 0)
        e = btf_load(module_fd, module);
    for (u32 i = 0; i < n; i++)
        if (e)
            w[i].err = e;
        else
            btf_answer(&w[i]);
    free(btf.words);
    free(btf.strs);
    free(btf.cands);
    for (u32 i = 0; i < btf.n_blobs; i++) {
        free(btf.blob[i].index);
        if (btf.blob[i].map)
            munmap((void *)(uintptr_t)btf.blob[i].map, btf.blob[i].size);
    }
    return e;
}

static int btf_open(const char *name, char why[])
{
    char path[PATH_MAX];
    bool odd = !*name || *name == '.' || strchr(name, '/');
    int n = odd ? -1 : snprintf(path, sizeof path, "%s/%s", btf_dir, name);
    if (n < 0 || n >= (int)sizeof path) {
        snprintf(why, WHY_LEN, "no module has the name %.60s", name);
        return -EINVAL;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC), e = fd < 0 ? -errno : 0;
    if (e == -ENOENT && !strcmp(name, "vmlinux"))
        snprintf(why, WHY_LEN, "no %.180s: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)", path);
    else if (e)
        snprintf(why, WHY_LEN, "%.200s: %s%s", path, strerror(-e),
                 e == -ENOENT ? " (module not loaded, or without BTF)" : "");
    return e ? e : fd;
}

/* Answers all of w[] from vmlinux's BTF, and a module's when one is named. Each answer has its own
 * err. Returns 0 or, when the BTF cannot be read at all, -errno (also in each err) and why; `why`
 * also says what was damaged when an err is -EBADMSG. */
static int btf_resolve(const char *module, struct btf_want *w, u32 n,
                                               char why[])
{
    why[0] = 0;
    int fd = btf_open("vmlinux", why), mod = -1;
    int e = fd < 0 ? fd : 0;
    if (!e && module && strcmp(module, "vmlinux") && (mod = btf_open(module, why)) < 0)
        e = mod;
    if (!e)
        e = btf_resolve_fds(fd, mod, module, w, n, why);
    else
        for (u32 i = 0; i < n; i++)
            w[i].err = e;
    if (fd >= 0)
        close(fd);
    if (mod >= 0)
        close(mod);
    return e;
}
/* == 24 tfs_  tracefs: ids and record layouts of tracepoints ==================================
 * tracefs is reached by a mount that no path shows and that ends with its descriptor (fsopen,
 * fsmount: Linux 5.2), else where it is mounted. events/CATEGORY/EVENT/format (its text: kernel
 * source, kernel/trace/trace_events.c f_show) says where each field of a record is; it is hostile:
 * a field is where the file says so in full, or it is an error. Entries: tfs_dir, tfs_event_id,
 * tfs_fields; tfs.why has the reason of the last failure. */

enum {
    TFS_MAGIC = 0x74726163,        /* TRACEFS_MAGIC, linux/magic.h */
    TFS_MAX_FORMAT = 256 << 10,
    TFS_MAX_RECORD = 65535,        /* an instruction's offset has 16 bits; records are < 1 page */
    TFS_FSOPEN = 430, TFS_FSCONFIG = 431, TFS_FSMOUNT = 432, /* the same on every CPU */
};

static struct {
    const char *mounted[2]; /* where to look when fsopen fails */
    int fd, err;            /* -1: no descriptor; the error is remembered too */
    char why[WHY_LEN], no_root[WHY_LEN];
} tfs = { .mounted = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" }, .fd = -1 };

/* The event and the field that a format line describes. */
struct tfs_field {
    const char *name;
    u32 len, off, size, count;
    bool is_signed, data_loc;
};

static int PRINTF_LIKE(2, 3) tfs_fail(int e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(tfs.why, sizeof tfs.why, fmt, ap);
    va_end(ap);
    return e;
}

/* --- the root --- */

static bool tfs_is_tracefs(int fd)
{
    struct statfs s;
    return !fstatfs(fd, &s) && (u32)s.f_type == TFS_MAGIC;
}

/* A mount of its own, in no namespace. O_PATH, as fsmount makes it. */
static int tfs_mount(const char *type)
{
    enum { CLOEXEC = 1, CMD_CREATE = 6, NOSUID_NODEV_NOEXEC = 2 | 4 | 8 };
    int fs = (int)syscall(TFS_FSOPEN, type, CLOEXEC);
    if (fs < 0)
        return -errno;
    int fd = syscall(TFS_FSCONFIG, fs, CMD_CREATE, NULL, NULL, 0) < 0 ? -errno : 0;
    if (!fd && (fd = (int)syscall(TFS_FSMOUNT, fs, CLOEXEC, NOSUID_NODEV_NOEXEC)) < 0)
        fd = -errno;
    close(fs);
    return fd;
}

/* Lockdown leaves tracefs empty (security/lockdown: LOCKDOWN_TRACEFS), and then Linux 7.2 crashes
 * when the last mount of it goes (tracefs_destroy_inode: list_del of what is on no list).
 * securityfs says whether it is on, mounted or not; its words go to s. */
static bool tfs_lockdown(char s[128])
{
    int dir = -1, f = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
    if (f < 0 && (dir = tfs_mount("securityfs")) >= 0)
        f = openat(dir, "lockdown", O_RDONLY | O_CLOEXEC);
    ssize_t n = f < 0 ? 0 : read(f, s, 127);
    s[MAX(n, 0)] = 0;
    s[strcspn(s, "\n")] = 0;
    if (f >= 0)
        close(f);
    if (dir >= 0)
        close(dir);
    return strstr(s, "[confidentiality]");
}

static bool tfs_locked_down(void)
{
    char s[128];
    return tfs_lockdown(s);
}

static int tfs_open_mounted(const char *path)
{
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (tfs_is_tracefs(fd))
        return fd;
    close(fd); /* the empty directory that sysfs keeps for it */
    return -ENOENT;
}

static const char *tfs_mend(int e)
{
    return e == -EPERM || e == -EACCES ? " (needs root: CAP_SYS_ADMIN in the first user namespace)"
         : e == -ENODEV ? " (CONFIG_TRACING is off)"
         : e == -ENOSYS ? " (before Linux 5.2, or a seccomp filter)" : "";
}

static int tfs_find_root(void)
{
    if (tfs_locked_down())
        return tfs_fail(-EPERM, "no tracefs: the kernel is locked down (confidentiality)");
    int first = tfs_mount("tracefs"), e = first;
    for (u32 i = 0; e < 0 && i < ARRAY_LEN(tfs.mounted); i++)
        e = tfs_open_mounted(tfs.mounted[i]);
    if (e >= 0 && tfs_is_tracefs(e))
        return e;
    if (e >= 0)
        close(e);
    e = MIN(first, -1);
    return tfs_fail(e, "no tracefs: fsopen: %s%s; it is not mounted on %s or %s either",
                    strerror(-e), tfs_mend(e), tfs.mounted[0], tfs.mounted[1]);
}

/* tracefs' root (O_PATH; kvis keeps it), or -errno and why. Looked for once. */
static int tfs_dir(char why[])
{
    if (tfs.fd < 0 && !tfs.err) {
        tfs.fd = tfs_find_root();
        tfs.err = tfs.fd < 0 ? tfs.fd : 0;
        snprintf(tfs.no_root, sizeof tfs.no_root, "%s", tfs.err ? tfs.why : "");
    }
    snprintf(why, WHY_LEN, "%s", tfs.no_root);
    return tfs.err ? tfs.err : tfs.fd;
}

/* --- files of an event --- */

/* "sched/sched_process_exec": two names, and nothing that leaves events/. */
static bool tfs_event_name(const char *event)
{
    const char *slash = strchr(event, '/');
    for (const char *p = event; *p; p++)
        if (!isalnum((u8)*p) && *p != '_' && *p != '-' && p != slash)
            return false;
    return slash && slash > event && slash[1] && strlen(event) < 200;
}

static int tfs_open_event(const char *event, const char *file)
{
    char path[256], why[WHY_LEN];
    if (!tfs_event_name(event))
        return tfs_fail(-EINVAL, "%.80s: not a CATEGORY/EVENT", event);
    int dir = tfs_dir(why);
    if (dir < 0)
        return tfs_fail(dir, "%s", why);
    snprintf(path, sizeof path, "events/%s/%s", event, file);
    int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), e = fd < 0 ? -errno : fd;
    if (e == -ENOENT)
        return tfs_fail(e, "this kernel has no tracepoint %s", event);
    if (e == -EPERM)
        return tfs_fail(e, "tracefs %s: Operation not permitted (lockdown=confidentiality?)", path);
    return e < 0 ? tfs_fail(e, "tracefs %s: %s%s", path, strerror(-e), tfs_mend(e)) : e;
}

/* The whole file, with a NUL that does not count. */
static int tfs_read(const char *event, const char *file, struct buf *b)
{
    int fd = tfs_open_event(event, file), e = 0;
    if (fd < 0)
        return fd;
    char part[4096];
    ssize_t r = 0;
    b->max = TFS_MAX_FORMAT;
    while (!b->cut && ((r = read(fd, part, sizeof part)) > 0 || (r < 0 && errno == EINTR)))
        if (r > 0)
            b_put(b, part, (size_t)r);
    if (r < 0)
        e = tfs_fail(-errno, "tracefs events/%s/%s: %s", event, file, strerror(errno));
    close(fd);
    b_c(b, 0);
    if (!e && b->cut)
        e = tfs_fail(-EFBIG, "tracefs events/%s/%s: over %d KiB", event, file,
                     TFS_MAX_FORMAT >> 10);
    b->len -= !b->cut;
    return e;
}

/* A number of at most 9 digits at *p, then `end`; behind both. Anything else: -1. */
static s32 tfs_number(const char **p, char end)
{
    const char *s = *p;
    s32 v = 0;
    for (; isdigit((u8)*s) && s - *p < 9; s++)
        v = v * 10 + (*s - '0');
    if (s == *p || *s != end)
        return -1;
    *p = s + 1;
    return v;
}

/* The number by which perf_event_open(2) knows the event, or -errno. */
static int tfs_event_id(const char *event)
{
    struct buf b = { 0 };
    int e = tfs_read(event, "id", &b);
    const char *p = b.p;
    if (!e && ((e = tfs_number(&p, '\n')) <= 0 || *p))
        e = tfs_fail(-EBADMSG, "tracefs events/%s/id: not a number", event);
    b_free(&b);
    return e;
}

/* --- formats --- */

/* The declaration "TYPE NAME", "TYPE NAME[N]" or "__data_loc TYPE[] NAME", up to `end`. */
static bool tfs_declaration(const char *s, const char *end, struct tfs_field *f)
{
    const char *name_end = end, *p;
    f->data_loc = end - s > 11 && (!memcmp(s, "__data_loc ", 11) || !memcmp(s, "__rel_loc ", 10));
    f->count = 1;
    if (end > s && end[-1] == ']') {
        name_end = memrchr(s, '[', (size_t)(end - s));
        if (!name_end)
            return false;
        p = name_end + 1;
        s32 n = tfs_number(&p, ']');
        /* Old kernels print the source: "char comm[TASK_COMM_LEN]". Then only the size is known. */
        f->count = n >= 0 && p == end ? (u32)n : 0;
    }
    for (p = name_end; p > s && (isalnum((u8)p[-1]) || p[-1] == '_');)
        p--;
    f->name = p;
    f->len = (u32)(name_end - p);
    return f->len && p > s && (p[-1] == ' ' || p[-1] == '*');
}

static bool tfs_key(const char **p, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(*p, key, n) != 0)
        return false;
    *p += n;
    return true;
}

/* "\tfield:DECL;\toffset:O;\tsize:S;\tsigned:B;" and whatever a later kernel adds, up to the line's
 * end at `end`. */
static bool tfs_line(const char *s, const char *end, struct tfs_field *f)
{
    const char *semi;
    s32 off, size, sign;
    if (!tfs_key(&s, "\tfield:") || !(semi = memchr(s, ';', (size_t)(end - s))) ||
        !tfs_declaration(s, semi, f))
        return false;
    s = semi + 1;
    if (!tfs_key(&s, "\toffset:") || (off = tfs_number(&s, ';')) < 0 ||
        !tfs_key(&s, "\tsize:") || (size = tfs_number(&s, ';')) < 0 ||
        !tfs_key(&s, "\tsigned:") || (sign = tfs_number(&s, ';')) < 0)
        return false;
    f->off = (u32)off;
    f->size = (u32)size;
    f->is_signed = sign;
    return s <= end && (s == end || (*s == '\t' && end[-1] == ';')) && sign <= 1 &&
           off + size <= TFS_MAX_RECORD && (!f->count || !(f->size % f->count));
}

/* Whether `name` (a want's, without its struct) is this field. BTF spells a record's header "ent"
 * and a dynamic array "__data_loc_NAME"; formats say common_NAME and __data_loc TYPE[] NAME. */
static bool tfs_is(const struct tfs_field *f, const char *name, u32 len)
{
    static const char *const loc[] = { "__data_loc_", "__rel_loc_" };
    if (f->len == len && !memcmp(f->name, name, len))
        return true;
    if (len > 4 && !memcmp(name, "ent.", 4))
        return f->len == len - 4 + 7 && !memcmp(f->name, "common_", 7) &&
               !memcmp(f->name + 7, name + 4, len - 4);
    for (u32 i = 0; f->data_loc && i < ARRAY_LEN(loc); i++)
        if (!strncmp(name, loc[i], strlen(loc[i])) && len == strlen(loc[i]) + f->len)
            return !memcmp(name + len - f->len, f->name, f->len);
    return false;
}

/* Answers one want from the field that it names: "args", "args[2]". */
static int tfs_take(const struct tfs_field *f, const char *bracket, struct kfield *k)
{
    *k = (struct kfield){ .off = f->off, .size = f->size, .is_signed = f->is_signed,
                          .exists = true, .count = f->count };
    if (!*bracket)
        return 0;
    const char *p = bracket + 1;
    s32 i = tfs_number(&p, ']');
    if (i < 0 || *p)
        return -EINVAL;
    if ((u32)i >= f->count || f->count == 1)
        return -ENOENT;
    k->size = f->size / f->count;
    k->off += (u32)i * k->size;
    k->count = 1;
    return 0;
}

static void tfs_match(const struct tfs_field *f, struct btf_want *w, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        const char *dot = strchr(w[i].name, '.');
        u32 len = dot ? (u32)strcspn(dot + 1, "[") : 0;
        if (!len)
            w[i].err = -EINVAL;
        else if (tfs_is(f, dot + 1, len))
            /* Twice in one record: which of the two is not ours to guess. */
            w[i].err = w[i].err == -ENOENT ? tfs_take(f, dot + 1 + len, &w[i].f) : -EBADMSG;
        w[i].f.exists = !w[i].err;
    }
}

/* The text of a format file. It begins with the event's name, and ends with how to print it. */
static int tfs_format(const char *event, const char *text, u32 len, struct btf_want *w, u32 n)
{
    const char *p = text, *end = text + len, *nl, *name = strchr(event, '/') + 1;
    bool fields = false, whole = false;
    if (!tfs_key(&p, "name: ") || !tfs_key(&p, name) || *p != '\n')
        return tfs_fail(-EBADMSG, "the format of %s is not its own", event);
    for (u32 line = 1; p < end && !whole; line++, p = nl + 1) {
        struct tfs_field f;
        nl = memchr(p, '\n', (size_t)(end - p));
        if (nl && fields && tfs_line(p, nl, &f))
            tfs_match(&f, w, n);
        else if (nl && !strncmp(p, "format:\n", 8) && !fields)
            fields = true;
        else if (nl && !strncmp(p, "print fmt:", 10) && fields)
            whole = true;
        else if (!nl || (fields ? p != nl : line > 2))
            return tfs_fail(-EBADMSG, "the format of %s, line %u, is not understood", event, line);
    }
    return whole ? 0 : tfs_fail(-EBADMSG, "the format of %s is cut off", event);
}

/* Answers w[] from the text of a format file, which has a NUL behind its len bytes. */
static int tfs_answer(const char *event, const char *text, u32 len, struct btf_want *w, u32 n)
{
    for (u32 i = 0; i < n; i++)
        w[i].err = -ENOENT, w[i].f = (struct kfield){ 0 };
    int e = strlen(text) == len ? tfs_format(event, text, len, w, n)
          : tfs_fail(-EBADMSG, "the format of %s has a NUL", event);
    for (u32 i = 0; e && i < n; i++)
        w[i].err = e, w[i].f = (struct kfield){ 0 };
    return e;
}

/* Answers "trace_event_raw_X.FIELD" (the struct's name is not looked at) from the format of an
 * event; size of a __data_loc field is that of its 4-byte locator. Returns 0, or -errno (also in
 * each err; tfs.why says why) when there is no such event, or its format is not understood. */
static int tfs_fields(const char *event, struct btf_want *w, u32 n)
{
    struct buf b = { 0 };
    int e = tfs_read(event, "format", &b);
    for (u32 i = 0; e && i < n; i++)
        w[i].err = e, w[i].f = (struct kfield){ 0 };
    if (!e)
        e = tfs_answer(event, b.p, b.len, w, n);
    b_free(&b);
    return e;
}
/* == 25 bpf_  programs and maps in the kernel =====================================
 * Loads the families of bpf_insns/: makes their maps, fills in what their patch tables name
 * (descriptors, constants, offsets of this kernel's fields), hands them to the verifier, attaches
 * them. Whatever is made is a descriptor that only kvis holds, so it is gone when kvis is, however
 * kvis ends. Functions return 0 or a descriptor, or -errno with the reason in obj.why. Entry
 * points: bpf_load, bpf_attach, bpf_close, bpf_lost, bpf_missed; bpf_explain for -EPERM. */

enum { BPF_MAX_MAPS = 16, BPF_MAX_PROGS = 24, BPF_POISON = 0x0bad0000 };

struct bpf_cfg { const char *name; u64 val; }; /* a CFG_ constant and its value */

struct bpf_cfgs {
    struct bpf_cfg v[64];
    u32 n;
};

/* A family that is in the kernel. -1: not made. */
struct bpf_obj {
    const struct bpf_family *fam;
    struct bpf_obj *lender;  /* NULL, or whose maps this one uses where it has the same */
    const struct bpf_family *lodger; /* NULL, or the family that will be lent to: its fields are
                                      * looked up along with these */
    const struct bpf_cfg *cfg;
    u32 n_cfg, ring_bytes;
    int map[BPF_MAX_MAPS], prog[BPF_MAX_PROGS], link[BPF_MAX_PROGS];
    u32 loaded;              /* programs, bit by bit */
    bool ring;               /* `events` is a ring buffer, not an array of perf rings */
    u32 (*entries)(const char *map); /* of maps that leave it open; NULL: 1 */
    u32 processed;           /* instructions that the verifier went through, where it says so */
    struct btf_want *want;   /* the fields of all patches, by bpf_want_at */
    u32 n_want;
    char why[512];
};

#define BPF_ATTR_TO(field) \
    (offsetof(union bpf_attr, field) + sizeof(((union bpf_attr *)0)->field))

/* bpf(2), with only as much of the attributes as is meant: an older kernel refuses what it does not
 * know unless it is 0 or not there. EAGAIN: the verifier was interrupted by a signal. */
static int bpf_call(int cmd, union bpf_attr *a, size_t size)
{
    long r;
    int tries = 8;
    do
        r = syscall(SYS_bpf, cmd, a, size);
    while (r < 0 && errno == EAGAIN && --tries);
    return r < 0 ? -errno : (int)r;
}

static int PRINTF_LIKE(3, 4) bpf_fail(struct bpf_obj *o, int e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(o->why, sizeof o->why, fmt, ap);
    va_end(ap);
    return e;
}

/* --- constants --- */

static void bpf_set(struct bpf_cfgs *c, const char *name, u64 val)
{
    if (c->n < ARRAY_LEN(c->v))
        c->v[c->n++] = (struct bpf_cfg){ name, val };
}

/* Where a task says that it is in a call of the 32-bit ABI: looked up with the programs' fields. */
#define BPF_COMPAT_WANT { .name = ARCH_COMPAT_FIELD, .kind = PATCH_OFF, .err = -ENOENT }

static void bpf_set_compat(struct bpf_cfgs *c, const struct btf_want *w)
{
    if (w->err || !w->f.exists)
        return;
    bpf_set(c, "CFG_COMPAT_OFF", w->f.off);
    bpf_set(c, "CFG_COMPAT_MASK", ARCH_COMPAT_MASK);
}

/* The inode of kvis's pid namespace, 0 when it is the first one (PROC_PID_INIT_INO), and the device
 * that the inode is on. */
static u64 bpf_pid_ns(u64 *dev)
{
    struct stat s;
    if (dev)
        *dev = 0;
    if (stat("/proc/self/ns/pid", &s) < 0 || s.st_ino == 0xeffffffc)
        return 0;
    if (dev)
        *dev = s.st_dev;
    return s.st_ino;
}

/* A pointer that no program passes: outside of what either architecture gives to processes. */
static u64 bpf_magic(void)
{
    u64 r = 0;
    if (syscall(SYS_getrandom, &r, sizeof r, 1 /* GRND_NONBLOCK */) != (long)sizeof r)
        r = u_now() * 0x9e3779b97f4a7c15;
    return r | 1ull << 63 | 1;
}

/* --- CPUs --- */

/* The largest number of a list like 0,3-7, plus one, or its first number; -1: no such file. */
static int bpf_cpus(const char *which, bool first)
{
    char path[64], s[4096];
    int max = -1;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", which);
    FILE *f = fopen(path, "re");
    if (!f || !fgets(s, sizeof s, f))
        s[0] = 0;
    if (f)
        fclose(f);
    for (char *p = s, *end; isdigit((u8)*p); p = *end ? end + 1 : end) {
        int n = (int)strtol(p, &end, 10);
        if (first)
            return n;
        max = MAX(max, n);
    }
    return first ? -1 : max + 1;
}

/* How many values a per-CPU map has: one for each CPU that could ever be (not only those that are
 * on: kernel/bpf/arraymap.c). */
static u32 bpf_possible(void)
{
    static u32 n; /* fixed at boot */
    int possible = n ? 0 : bpf_cpus("possible", false);
    if (!n)
        n = possible > 0 ? (u32)possible : (u32)MAX(sysconf(_SC_NPROCESSORS_CONF), 1);
    return n;
}

/* A CPU that is on, for what is attached "on a CPU" but means all of them. */
static int bpf_online_cpu(void)
{
    return MAX(bpf_cpus("online", true), 0);
}

/* --- maps --- */

static struct {
    bool memlock_raised;
    struct rlimit memlock; /* as it was: the command gets it back */
} bpf;

/* Before 5.11 maps and programs count as locked memory. Returns whether it was raised now. */
static bool bpf_raise_memlock(void)
{
    struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    if (bpf.memlock_raised || getrlimit(RLIMIT_MEMLOCK, &bpf.memlock) < 0)
        return false;
    return bpf.memlock_raised = setrlimit(RLIMIT_MEMLOCK, &all) == 0;
}

static int bpf_map_create(const struct bpf_map_row *m)
{
    union bpf_attr a;
    int f;
    do {
        memset(&a, 0, sizeof a);
        a.map_type = m->type;
        a.key_size = m->key_size;
        a.value_size = m->value_size;
        a.max_entries = m->max_entries;
        a.map_flags = m->flags;
        snprintf(a.map_name, sizeof a.map_name, "%s", m->name);
        f = bpf_call(BPF_MAP_CREATE, &a, BPF_ATTR_TO(map_name));
    } while (f == -EPERM && bpf_raise_memlock());
    return f;
}

/* flags: BPF_ANY, or of an update BPF_NOEXIST, BPF_EXIST. */
static int bpf_map_flagged(int cmd, int map, const void *key, const void *val, u64 flags)
{
    union bpf_attr a;
    memset(&a, 0, sizeof a);
    a.map_fd = (u32)map;
    a.key = (uintptr_t)key;
    a.value = (uintptr_t)val;
    a.flags = flags;
    return bpf_call(cmd, &a, BPF_ATTR_TO(flags));
}

static int bpf_map_do(int cmd, int map, const void *key, const void *val)
{
    return bpf_map_flagged(cmd, map, key, val, BPF_ANY);
}

/* Reads or writes all n elements of an array; val has them one after the other. By one call where
 * the kernel can (arrays: 5.6, per-CPU arrays: 5.13), else one by one. */
static int bpf_map_all(bool write, int map, u32 n, void *val, size_t size)
{
    int one = write ? BPF_MAP_UPDATE_ELEM : BPF_MAP_LOOKUP_ELEM;
    int all = write ? BPF_MAP_UPDATE_BATCH : BPF_MAP_LOOKUP_BATCH, e = -ENOMEM;
    u32 *keys = realloc(NULL, n * sizeof *keys), after;
    union bpf_attr a;
    memset(&a, 0, sizeof a);
    a.batch.map_fd = (u32)map;
    a.batch.count = n;
    a.batch.keys = (uintptr_t)keys;
    a.batch.values = (uintptr_t)val;
    a.batch.out_batch = (uintptr_t)&after;
    for (u32 i = 0; keys && i < n; i++)
        keys[i] = i;
    if (keys)
        e = bpf_call(all, &a, BPF_ATTR_TO(batch));
    free(keys);
    if (a.batch.count == n && (!e || e == -ENOENT)) /* ENOENT: there are no more */
        return 0;
    e = 0;
    for (u32 i = 0; i < n && !e; i++)
        e = bpf_map_do(one, map, &i, (u8 *)val + i * size);
    return e;
}

/* Records come by a ring buffer where the kernel has one (5.8), else by a ring for each CPU. */
static int bpf_events_create(struct bpf_obj *o)
{
    struct bpf_map_row ring = { .name = "events", .type = BPF_MAP_TYPE_RINGBUF,
                                .max_entries = o->ring_bytes };
    struct bpf_map_row perf = { .name = "events", .type = BPF_MAP_TYPE_PERF_EVENT_ARRAY,
                                .key_size = 4, .value_size = 4, .max_entries = bpf_possible() };
    int f = o->ring ? bpf_map_create(&ring) : -EINVAL;
    o->ring = f >= 0;
    return f == -EINVAL ? bpf_map_create(&perf) : f;
}

static int bpf_map(const struct bpf_obj *o, const char *name)
{
    for (u32 i = 0; o->fam && i < o->fam->n_maps; i++)
        if (!strcmp(o->fam->maps[i].name, name))
            return o->map[i];
    return -1;
}

/* Maps an array (MAP_MMAPABLE) to read it. NULL: errno says why. */
static const void *bpf_map_view(int map, size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, map, 0);
    return p == MAP_FAILED ? NULL : p;
}

static int bpf_make_maps(struct bpf_obj *o)
{
    for (u32 i = 0; i < o->fam->n_maps; i++) {
        struct bpf_map_row m = o->fam->maps[i];
        int lent = o->lender ? bpf_map(o->lender, m.name) : -1;
        if (!m.max_entries)
            m.max_entries = o->entries ? o->entries(m.name) : 1;
        int f = lent >= 0                   ? fcntl(lent, F_DUPFD_CLOEXEC, 3)
                : strcmp(m.name, "events") ? bpf_map_create(&m)
                                            : bpf_events_create(o);
        f = f < 0 && lent >= 0 ? -errno : f;
        if (f < 0)
            return bpf_fail(o, f, "cannot make the map %s: %s", m.name, strerror(-f));
        o->map[i] = f;
    }
    return 0;
}

/* --- patches --- */

static bool bpf_is_field(const struct bpf_patch *p)
{
    return p->kind != PATCH_MAP && p->kind != PATCH_CONST;
}

/* Tracepoint records are in tracefs, everything else is in BTF. */
static bool bpf_is_record(const struct bpf_patch *p)
{
    return !strncmp(p->name, "trace_event_raw_", strlen("trace_event_raw_"));
}

/* Whether a program looks at a field: one that hangs on a raw tracepoint gets no record. */
static bool bpf_looks_at(const struct bpf_prog_row *r, const struct bpf_patch *p)
{
    return bpf_is_field(p) && (r->type == BPF_PROG_TYPE_TRACEPOINT || !bpf_is_record(p));
}

static struct btf_want *bpf_find_want(struct bpf_obj *o, const struct bpf_patch *p)
{
    for (; o; o = o->lender)
        for (u32 i = 0; i < o->n_want; i++)
            if (o->want[i].kind == p->kind && !strcmp(o->want[i].name, p->name))
                return &o->want[i];
    return NULL;
}

/* False when there is no memory: then it counts as a field that is not there. */
static bool bpf_add_want(struct bpf_obj *o, const char *name, u8 kind)
{
    struct btf_want *w = realloc(o->want, (o->n_want + 1) * sizeof *w);
    if (!w)
        return false;
    o->want = w;
    o->want[o->n_want++] = (struct btf_want){ .name = name, .kind = kind };
    return true;
}

/* Adds the fields of the family's patches to o->want: those of BTF (record false), or those of one
 * program's tracepoint. Each name is asked once. Returns the first that it added. */
static u32 bpf_collect(struct bpf_obj *o, const struct bpf_prog_row *r, bool record)
{
    u32 from = o->n_want;
    for (u32 i = 0; i < r->n_patches; i++) {
        const struct bpf_patch *p = &r->patches[i];
        if (!bpf_is_field(p) || bpf_is_record(p) != record || bpf_find_want(o, p))
            continue;
        bpf_add_want(o, p->name, p->kind);
    }
    return from;
}

/* Looks up the fields that the family's programs name, and one more of the caller's. What is not
 * found is an answer (bpf_patch deals with it), not an error. */
static void bpf_find_fields(struct bpf_obj *o, struct btf_want *also)
{
    char why[WHY_LEN];
    for (u32 i = 0; i < o->fam->n_progs; i++)
        bpf_collect(o, &o->fam->progs[i], false);
    for (u32 i = 0; o->lodger && i < o->lodger->n_progs; i++)
        bpf_collect(o, &o->lodger->progs[i], false);
    bool added = also && bpf_add_want(o, also->name, also->kind);
    btf_resolve(NULL, o->want, o->n_want, why);
    if (added)
        *also = o->want[o->n_want - 1];
}

/* Looks up the tracepoint records of the programs in `mask`. */
static void bpf_find_records(struct bpf_obj *o, u32 mask)
{
    for (u32 i = 0; i < o->fam->n_progs; i++) {
        const struct bpf_prog_row *r = &o->fam->progs[i];
        if (!(mask >> i & 1) || r->type != BPF_PROG_TYPE_TRACEPOINT)
            continue;
        u32 from = bpf_collect(o, r, true);
        if (o->n_want > from)
            tfs_fields(r->attach, o->want + from, o->n_want - from);
    }
}

/* Whether the family's programs can reach a field of this kernel. */
static bool bpf_has_field(const struct bpf_obj *o, const char *name)
{
    for (u32 i = 0; i < o->n_want; i++)
        if (!strcmp(o->want[i].name, name) && !o->want[i].err)
            return o->want[i].f.exists;
    return false;
}

/* An instruction that the verifier refuses if it is ever reached: a dead branch may name what this
 * kernel does not have. The number says which patch it was. */
static void bpf_poison(struct bpf_insn *in, u32 patch)
{
    bool wide = in->code == (BPF_LD | BPF_DW | BPF_IMM);
    *in = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = (s32)(BPF_POISON + patch) };
    if (wide) /* its second half: a no-op */
        in[1] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
}

static void bpf_set_imm(struct bpf_insn *in, u64 v)
{
    in->imm = (s32)(u32)v;
    if (in->code == (BPF_LD | BPF_DW | BPF_IMM))
        in[1].imm = (s32)(u32)(v >> 32);
}

/* A load of a field takes as many bytes as the field has here. An array without a length (count 0)
 * is only ever a place: struct pid's numbers[1] became one in 6.5. */
static bool bpf_set_off(struct bpf_insn *in, const struct bpf_patch *p, const struct kfield *f)
{
    static const u8 size[9] = { [1] = BPF_B, [2] = BPF_H, [4] = BPF_W, [8] = BPF_DW };
    u8 class = BPF_CLASS(in->code);
    bool whole = f->size == p->size || !p->size || !f->count;
    if (class != BPF_LDX && class != BPF_ST && class != BPF_STX) {
        bpf_set_imm(in, f->off);
        return whole;
    }
    if (f->off > INT16_MAX || !f->size || f->size > 8 || f->size & (f->size - 1)
        || (!whole && class != BPF_LDX))
        return false;
    in->off = (int16_t)f->off;
    in->code = (u8)((in->code & ~0x18) | size[f->size]); /* BPF_SIZE's bits */
    return true;
}

static bool bpf_patch_field(struct bpf_obj *o, struct bpf_insn *in, const struct bpf_patch *p)
{
    const struct btf_want *w = bpf_find_want(o, p);
    bool here = w && !w->err;
    switch (p->kind) {
    case PATCH_EXISTS:
    case PATCH_TYPE_EXISTS:
    case PATCH_ENUM_EXISTS:
        bpf_set_imm(in, here && w->f.exists);
        return true;
    case PATCH_OFF:
        return here && bpf_set_off(in, p, &w->f);
    case PATCH_SIGNED:
        bpf_set_imm(in, here && w->f.is_signed);
        return here;
    case PATCH_ENUM:
        bpf_set_imm(in, here ? w->f.value : 0);
        return here;
    default:
        bpf_set_imm(in, here ? w->f.size : 0);
        return here;
    }
}

static void bpf_patch_const(struct bpf_obj *o, const struct bpf_prog_row *r, struct bpf_insn *in,
                            const struct bpf_patch *p)
{
    bpf_set_imm(in, 0);
    if (!strcmp(p->name, "CFG_RAW"))
        bpf_set_imm(in, r->type == BPF_PROG_TYPE_RAW_TRACEPOINT);
    if (!strcmp(p->name, "CFG_RINGBUF"))
        bpf_set_imm(in, o->ring);
    if (!strcmp(p->name, "CFG_WAKE"))
        bpf_set_imm(in, o->ring_bytes / 4);
    for (u32 i = 0; i < o->n_cfg; i++)
        if (!strcmp(o->cfg[i].name, p->name))
            bpf_set_imm(in, o->cfg[i].val);
}

static void bpf_patch(struct bpf_obj *o, const struct bpf_prog_row *r, struct bpf_insn *insns)
{
    for (u32 i = 0; i < r->n_patches; i++) {
        const struct bpf_patch *p = &r->patches[i];
        struct bpf_insn *in = insns + p->insn;
        if (p->kind == PATCH_MAP)
            bpf_set_imm(in, (u32)bpf_map(o, p->name));
        else if (p->kind == PATCH_CONST)
            bpf_patch_const(o, r, in, p);
        else if (!bpf_patch_field(o, in, p))
            bpf_poison(in, i);
    }
}

/* --- programs --- */

/* Before 5.0 a kprobe program must name the kernel that runs. */
static u32 bpf_kernel_version(void)
{
    struct utsname u;
    u32 v[3] = { 0, 0, 0 };
    char *s = u.release;
    for (int i = 0, e = uname(&u); !e && i < 3; i++, s += *s == '.')
        v[i] = (u32)strtoul(s, &s, 10);
    return v[0] << 16 | v[1] << 8 | MIN(v[2], 255);
}

/* log NULL and log_level 0: none. Returns a descriptor or -errno. */
static int bpf_prog_load(const struct bpf_family *fam, const struct bpf_prog_row *r,
                         const struct bpf_insn *insns, u32 log_level, char *log, u32 log_size)
{
    union bpf_attr a;
    memset(&a, 0, sizeof a);
    a.prog_type = r->type;
    a.insns = (uintptr_t)insns;
    a.insn_cnt = r->n_insns;
    a.license = (uintptr_t)fam->license;
    a.kern_version = bpf_kernel_version();
    a.log_level = log_level;
    a.log_size = log_size;
    a.log_buf = (uintptr_t)log;
    snprintf(a.prog_name, sizeof a.prog_name, "%s", r->name);
    return bpf_call(BPF_PROG_LOAD, &a, BPF_ATTR_TO(prog_name));
}

/* The verifier's last words, and what in them is ours: a poisoned instruction is a field that this
 * kernel does not have. */
static int bpf_refused(struct bpf_obj *o, const struct bpf_prog_row *r, int e, char *log)
{
    for (const char *p = log; (p = strstr(p, "unknown#")) || (p = NULL); p++) {
        u32 n = (u32)strtoul(p + strlen("unknown#"), NULL, 10) - BPF_POISON;
        if (n >= r->n_patches)
            continue;
        const char *name = r->patches[n].name; /* those of tracepoints are tracefs's */
        bool no_btf = strncmp(name, "trace_event_raw_", 16)
                      && access("/sys/kernel/btf/vmlinux", R_OK) < 0;
        return bpf_fail(o, e, "%s: this kernel has no %s%s", r->name,
                        no_btf ? "BTF (CONFIG_DEBUG_INFO_BTF), so no usable " : "usable ", name);
    }
    if (strstr(log, "unknown func bpf_probe_read_") /* bpf_tracing_func_proto; from 6.13 on: */
        || strstr(log, "cannot use helper bpf_probe_read_"))
        return bpf_fail(o, e, "%s: programs may not read memory here: lockdown=confidentiality, "
                        "or Linux before 5.5", r->name);
    size_t n = strlen(log);
    while (n && isspace((u8)log[n - 1]))
        log[--n] = 0;
    const char *tail = log + n;
    for (int lines = 0; tail > log && lines < 4; tail--)
        lines += tail[-1] == '\n';
    return bpf_fail(o, e, "%s: the verifier refuses it: %s%s%s", r->name, strerror(-e),
                    n ? "\n" : "", tail);
}

/* Loads it again for the verifier's log, in a buffer that grows until the log fits. */
static int bpf_prog_why(struct bpf_obj *o, const struct bpf_prog_row *r,
                        const struct bpf_insn *insns, int e)
{
    for (u32 size = 64 << 10; size <= 16 << 20; size *= 4) {
        char *log = realloc(NULL, size);
        if (!log)
            break;
        log[0] = 0;
        int f = bpf_prog_load(o->fam, r, insns, 1, log, size);
        if (f == -ENOSPC && size < 16 << 20) {
            free(log);
            continue;
        }
        if (f >= 0) { /* now it does: a signal's doing */
            free(log);
            return f;
        }
        bpf_refused(o, r, e, log);
        free(log);
        return e;
    }
    return bpf_fail(o, e, "%s: %s", r->name, strerror(-e));
}

static int bpf_load_one(struct bpf_obj *o, u32 i)
{
    const struct bpf_prog_row *r = &o->fam->progs[i];
    struct bpf_insn insns[BPF_MAXINSNS];
    int f;
    if (r->n_insns > BPF_MAXINSNS)
        return bpf_fail(o, -E2BIG, "%s: too long", r->name);
    memcpy(insns, r->insns, r->n_insns * sizeof *insns);
    bpf_patch(o, r, insns);
    do
        f = bpf_prog_load(o->fam, r, insns, 0, NULL, 0);
    while (f == -EPERM && bpf_raise_memlock());
    if (f == -EPERM)
        bpf_fail(o, f, "%s: %s", r->name, strerror(-f));
    else if (f < 0)
        f = bpf_prog_why(o, r, insns, f);
    if (f < 0)
        return f;
    o->prog[i] = f;
    o->loaded |= 1u << i;
    return 0;
}

/* Makes the family's maps. o is filled with what the caller wants: fam, cfg, ring_bytes, ring. */
static int bpf_open(struct bpf_obj *o)
{
    memset(o->map, -1, sizeof o->map);
    memset(o->prog, -1, sizeof o->prog);
    memset(o->link, -1, sizeof o->link);
    int e = gz_unpack(GZ_BPF);
    return e ? bpf_fail(o, e, "the BPF programs in kvis cannot be unpacked: this file is damaged")
             : bpf_make_maps(o);
}

/* Loads the programs of `mask` (bits are rows of fam->progs). */
static int bpf_load(struct bpf_obj *o, u32 mask)
{
    int e = 0;
    for (u32 i = 0; i < o->fam->n_progs && !e; i++)
        if (mask >> i & 1)
            e = bpf_load_one(o, i);
    return e;
}

/* --- attaching --- */

/* Whether raw tracepoints see everything: not where their programs can be preempted, for a task
 * that runs on that CPU meanwhile goes unseen (a program is not run within itself; seen on 7.2: one
 * open in ten of eight threads, and not on 6.18). Nothing tells which it is but the version. */
static bool bpf_raw_is_whole(void)
{
    return bpf_kernel_version() < (6u << 16 | 19u << 8);
}

static int bpf_attach_raw(const char *name, int prog)
{
    union bpf_attr a;
    memset(&a, 0, sizeof a);
    a.raw_tracepoint.name = (uintptr_t)name;
    a.raw_tracepoint.prog_fd = (u32)prog;
    return bpf_call(BPF_RAW_TRACEPOINT_OPEN, &a, BPF_ATTR_TO(raw_tracepoint));
}

/* A perf event that runs a program. It is opened on one CPU and its program runs on all of them:
 * the kernel keeps it with the tracepoint (perf_event_set_bpf_prog), so it must only be a CPU that
 * is on now (EDGE_CASES E17). */
static int bpf_attach_perf(struct perf_event_attr *a, int prog)
{
    int f = (int)syscall(SYS_perf_event_open, a, -1, bpf_online_cpu(), -1, PERF_FLAG_FD_CLOEXEC);
    if (f < 0)
        return -errno;
    if (syscall(SYS_ioctl, f, PERF_EVENT_IOC_SET_BPF, prog) < 0
        || syscall(SYS_ioctl, f, PERF_EVENT_IOC_ENABLE, 0) < 0) {
        int e = -errno;
        close(f);
        return e;
    }
    return f;
}

static int bpf_attach_tp(const char *event, int prog)
{
    int id = tfs_event_id(event);
    struct perf_event_attr a = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof a,
                                 .config = (u64)id };
    return id < 0 ? id : bpf_attach_perf(&a, prog);
}

/* --- kprobes --- */

/* By the kprobe PMU (4.17): the probe is the descriptor's own, and gone with it. */
static int bpf_attach_kprobe_pmu(const char *symbol, bool is_ret, int prog)
{
    int type = (int)u_file_number("/sys/bus/event_source/devices/kprobe/type", -ENOENT), bit = 0;
    char line[32];
    FILE *f = fopen("/sys/bus/event_source/devices/kprobe/format/retprobe", "re");
    if (f && fgets(line, sizeof line, f) && !strncmp(line, "config:", 7))
        bit = atoi(line + 7);
    if (f)
        fclose(f);
    struct perf_event_attr a = { .type = (u32)type, .size = sizeof a,
                                 .config = (u64)is_ret << (bit & 63),
                                 .config1 = (uintptr_t)symbol };
    return type < 0 ? type : bpf_attach_perf(&a, prog);
}

/* Writes a line to tracefs' kprobe_events. */
static int bpf_kprobe_line(const char *line)
{
    char why[WHY_LEN];
    int dir = tfs_dir(why);
    int f = dir < 0 ? dir : openat(dir, "kprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
    if (dir >= 0 && f < 0)
        return -errno;
    if (f < 0)
        return f;
    ssize_t n = write(f, line, strlen(line));
    int e = n < 0 ? -errno : 0;
    close(f);
    return e;
}

/* A name in kprobe_events outlives who made it, so a child takes it out again when kvis is gone,
 * however it went: the pipe's other end is kvis's alone. */
static int bpf_kprobe_guard(const char *name)
{
    char line[96], c, why[WHY_LEN];
    int end[2], dir = tfs_dir(why); /* which the child keeps: by now its mount may be gone */
    if (dir < 0 || pipe2(end, O_CLOEXEC) < 0)
        return dir < 0 ? dir : -errno;
    pid_t pid = fork();
    if (pid) {
        close(end[0]);
        return pid < 0 ? -errno : end[1];
    }
    setsid(); /* what is meant for kvis's group is not for it */
    for (int f = 3; f < 256; f++)
        if (f != end[0] && f != dir)
            close(f);
    while (read(end[0], &c, 1) < 0 && errno == EINTR)
        ;
    snprintf(line, sizeof line, "-:%s\n", name);
    for (int i = 0; i < 100 && bpf_kprobe_line(line) == -EBUSY; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    _exit(0);
}

/* By name, where there is no such PMU. */
static int bpf_attach_kprobe_events(const char *symbol, bool is_ret, int prog)
{
    static u32 n;
    char name[64], line[256];
    snprintf(name, sizeof name, "kvis/k%d_%u", getpid(), n++);
    snprintf(line, sizeof line, "%c:%s %s\n", is_ret ? 'r' : 'p', name, symbol);
    int guard = bpf_kprobe_guard(name); /* first: it must be there whenever we are killed */
    int e = guard < 0 ? guard : bpf_kprobe_line(line);
    return e < 0 ? e : bpf_attach_tp(name, prog);
}

static int bpf_attach_kprobe(const char *symbol, bool is_ret, int prog)
{
    int f = bpf_attach_kprobe_pmu(symbol, is_ret, prog);
    return f == -ENOENT ? bpf_attach_kprobe_events(symbol, is_ret, prog) : f;
}

/* Attaches a loaded program to what its row names. */
static int bpf_attach_one(struct bpf_obj *o, u32 i)
{
    const struct bpf_prog_row *r = &o->fam->progs[i];
    int f = r->type == BPF_PROG_TYPE_RAW_TRACEPOINT ? bpf_attach_raw(r->attach, o->prog[i])
            : r->type == BPF_PROG_TYPE_TRACEPOINT   ? bpf_attach_tp(r->attach, o->prog[i])
            : r->type == BPF_PROG_TYPE_KPROBE
                ? bpf_attach_kprobe(r->attach, r->is_ret, o->prog[i])
                : -EOPNOTSUPP;
    if (f < 0)
        return bpf_fail(o, f, "cannot attach to %s: %s", r->attach, strerror(-f));
    o->link[i] = f;
    return 0;
}

static int bpf_attach(struct bpf_obj *o, u32 mask)
{
    int e = 0;
    for (u32 i = 0; i < o->fam->n_progs && !e; i++)
        if (mask >> i & 1)
            e = bpf_attach_one(o, i);
    return e;
}

static void bpf_close_all(int *f, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        if (f[i] >= 0)
            close(f[i]);
        f[i] = -1;
    }
}

static void *bpf_closer(void *f)
{
    close((int)(intptr_t)f);
    return NULL;
}

/* Detaches everything; the maps stay readable until bpf_close. Each perf event's last close waits
 * for an RCU grace period (80 ms here): they wait together, in threads. */
static void bpf_detach(struct bpf_obj *o)
{
    pthread_t th[BPF_MAX_PROGS];
    u32 n = 0;
    for (u32 i = 0; o->fam && i < o->fam->n_progs; i++)
        if (o->link[i] >= 0 && o->fam->progs[i].type != BPF_PROG_TYPE_RAW_TRACEPOINT
            && pthread_create(&th[n], NULL, bpf_closer, (void *)(intptr_t)o->link[i]) == 0)
            n++, o->link[i] = -1;
    bpf_close_all(o->link, BPF_MAX_PROGS);
    while (n)
        pthread_join(th[--n], NULL);
}

static void bpf_close(struct bpf_obj *o)
{
    bpf_detach(o);
    bpf_close_all(o->prog, BPF_MAX_PROGS);
    bpf_close_all(o->map, BPF_MAX_MAPS);
    free(o->want);
    o->want = NULL;
    o->n_want = o->loaded = 0;
}

/* --- why not --- */

/* Effective capabilities of kvis, bit by bit (capget(2), version 3: two words). */
static u64 bpf_caps(void)
{
    struct { u32 version; s32 pid; } head = { 0x20080522, 0 };
    struct { u32 effective, permitted, inheritable; } d[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    if (syscall(SYS_capget, &head, d) < 0)
        return 0;
    return d[0].effective | (u64)d[1].effective << 32;
}

/* Whether a file's first line holds a word. */
static bool bpf_says(const char *path, const char *word)
{
    char line[256] = "";
    FILE *f = fopen(path, "re");
    bool yes = f && fgets(line, sizeof line, f) && strstr(line, word);
    if (f)
        fclose(f);
    return yes;
}

/* Why the kernel may have refused a BPF program or map, with what mends it: "" when it cannot be
 * told. e is what the call returned. */
static const char *bpf_denied(int e)
{
    enum { SYS_ADMIN = 1 << 21 };
    static const u64 bpf_cap = 1ull << 39, perfmon = 1ull << 38; /* 5.8; capability.h */
    u64 caps = bpf_caps();
    if (e == -ENOSYS)
        return "this kernel has no bpf(2) (CONFIG_BPF_SYSCALL)";
    if (tfs_locked_down())
        return "the kernel is locked down (confidentiality): programs may not read its memory; "
               "boot with lockdown=integrity, or without Secure Boot's lockdown";
    if (e != -EPERM && e != -EACCES)
        return "";
    if (!(caps & SYS_ADMIN) && (caps & (bpf_cap | perfmon)) != (bpf_cap | perfmon))
        return !(caps & (bpf_cap | perfmon))
                   ? "it takes root, or CAP_BPF and CAP_PERFMON (run it with sudo)"
               : caps & bpf_cap ? "CAP_PERFMON is missing (CAP_BPF is there)"
                                : "CAP_BPF is missing (CAP_PERFMON is there)";
    if (!bpf_says("/proc/self/uid_map", " 4294967295"))
        return "root of a user namespace has no right to it: run it outside";
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2)
        return "a seccomp filter forbids bpf(2), as a container's profile does: allow bpf and "
               "perf_event_open, or run with --privileged";
    struct rlimit r;
    if (!(caps >> 24 & 1) && getrlimit(RLIMIT_MEMLOCK, &r) == 0 && r.rlim_cur < 16 << 20)
        return "RLIMIT_MEMLOCK is small, counts before Linux 5.11, and may not be raised without "
               "CAP_SYS_RESOURCE: ulimit -l unlimited";
    return "";
}

/* --- what went missing --- */

/* The sum over all CPUs of a per-CPU counter; 0 when it cannot be read. */
static u64 bpf_sum(int map, u32 key)
{
    u32 n = bpf_possible();
    u64 sum = 0, *v = realloc(NULL, n * sizeof *v);
    if (v && bpf_map_do(BPF_MAP_LOOKUP_ELEM, map, &key, v) == 0)
        for (u32 i = 0; i < n; i++)
            sum += v[i];
    free(v);
    return sum;
}

/* The same for all n counters of an array. */
static void bpf_sums(int map, u32 n, u64 *sum)
{
    u32 cpus = bpf_possible();
    u64 *v = calloc((size_t)n * cpus, sizeof *v);
    bool ok = v && bpf_map_all(false, map, n, v, cpus * sizeof *v) == 0;
    for (u32 i = 0; i < n; i++) {
        sum[i] = 0;
        for (u32 cpu = 0; ok && cpu < cpus; cpu++)
            sum[i] += v[(size_t)i * cpus + cpu];
    }
    free(v);
}

/* What the programs counted under one reason (enum wire_lost). */
static u64 bpf_lost(const struct bpf_obj *o, u32 why)
{
    int map = bpf_map(o, "lost");
    return map < 0 ? 0 : bpf_sum(map, why);
}

/* Offsets in struct bpf_prog_info: run_time_ns, run_cnt (5.1), recursion_misses (5.12). */
enum { BPF_INFO_NS = 192, BPF_INFO_RUNS = 200, BPF_INFO_MISSES = 208, BPF_INFO_MAX = 216 };

/* What the kernel says of the programs of `mask`: the sum of a number at an offset of struct
 * bpf_prog_info (its newer fields are not in older headers). */
static u64 bpf_info(const struct bpf_obj *o, u32 mask, u32 at)
{
    u64 sum = 0;
    for (u32 i = 0; i < o->fam->n_progs; i++) {
        u8 info[BPF_INFO_MAX] = { 0 };
        union bpf_attr a;
        u64 n;
        memset(&a, 0, sizeof a);
        a.info.bpf_fd = (u32)o->prog[i];
        a.info.info_len = sizeof info;
        a.info.info = (uintptr_t)info;
        if (!(mask >> i & 1) || o->prog[i] < 0
            || bpf_call(BPF_OBJ_GET_INFO_BY_FD, &a, BPF_ATTR_TO(info)) < 0)
            continue;
        memcpy(&n, info + at, sizeof n);
        sum += a.info.info_len > at ? n : 0;
    }
    return sum;
}

/* How often a program of `mask` was not run because it, or another one, was running on that CPU
 * (EDGE_CASES 0.6). */
static u64 bpf_missed(const struct bpf_obj *o, u32 mask)
{
    return bpf_info(o, mask, BPF_INFO_MISSES);
}

/* Has the kernel take the time of programs, as long as kvis lives (bpf(2), BPF_ENABLE_STATS: 5.8).
 * Returns 0 or -errno. */
static int bpf_take_time(void)
{
    union bpf_attr a;
    memset(&a, 0, sizeof a); /* BPF_STATS_RUN_TIME is 0 */
    int f = bpf_call(BPF_ENABLE_STATS, &a, BPF_ATTR_TO(enable_stats));
    return MIN(f, 0);
}

/* == 26 rb_  records that programs send =============================================
 * A ring buffer (one for all CPUs, 5.8) or a perf ring for each CPU: the same records, the same
 * function that takes them. Every record begins with its time (u64 ns), by which the rings of the
 * CPUs are merged. Entry points: rb_open, rb_wait, rb_mark, rb_drain, rb_drained. */

enum { RB_MAX_CPUS = 1024, RB_RECORD_MAX = 16 << 10 };

struct rb_cpu {
    struct perf_event_mmap_page *m;
    int fd;
    u64 mark;
};

static struct {
    int epoll;
    size_t page, size;       /* of the data, a power of two */
    volatile u64 *consumer;  /* ring buffer: positions, and the data twice in a row */
    volatile u64 *producer;
    const u8 *data;
    u64 mark;
    struct rb_cpu *cpu;      /* perf rings */
    u32 n_cpu;
    u64 lost;                /* that the kernel said it lost (perf rings) */
} rb = { .epoll = -1 };

static u8 rb_copied[RB_RECORD_MAX]; /* a record of a perf ring, in one piece */

/* Takes a record; false: not yet, it and those behind it stay. */
typedef bool rb_fn(const void *record, u32 size);

static int rb_watch(int f)
{
    struct epoll_event ev = { .events = EPOLLIN, .data.fd = f };
    return epoll_ctl(rb.epoll, EPOLL_CTL_ADD, f, &ev) < 0 ? -errno : 0;
}

/* The layout of a ring buffer's mapping: kernel/bpf/ringbuf.c, bpf_map_mmap. */
static int rb_open_ring(int map, u32 bytes)
{
    rb.size = bytes;
    void *c = mmap(NULL, rb.page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    u8 *p = mmap(NULL, rb.page + 2 * rb.size, PROT_READ, MAP_SHARED, map, (off_t)rb.page);
    if (c == MAP_FAILED || p == MAP_FAILED)
        return -errno;
    rb.consumer = c;
    rb.producer = (volatile u64 *)(void *)p;
    rb.data = p + rb.page;
    return rb_watch(map);
}

static int rb_open_cpu(int map, u32 cpu)
{
    struct perf_event_attr a = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_BPF_OUTPUT,
        .sample_type = PERF_SAMPLE_RAW, .sample_period = 1, .watermark = 1,
        .wakeup_watermark = (u32)rb.size / 4,
    };
    int f = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (f < 0)
        return -errno;
    void *m = mmap(NULL, rb.page + rb.size, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    if (m == MAP_FAILED)
        return -errno;
    rb.cpu[rb.n_cpu++] = (struct rb_cpu){ m, f, 0 };
    int e = bpf_map_do(BPF_MAP_UPDATE_ELEM, map, &cpu, &f);
    if (!e && syscall(SYS_ioctl, f, PERF_EVENT_IOC_ENABLE, 0) < 0)
        e = -errno;
    return e ? e : rb_watch(f);
}

/* A ring for every CPU that is on. One that comes later has none: its records are counted as lost
 * by the program. */
static int rb_open_cpus(int map, u32 bytes)
{
    u32 n = MIN(bpf_possible(), (u32)RB_MAX_CPUS);
    rb.size = MAX(bytes / n, 16 * (u32)rb.page);
    while (rb.size & (rb.size - 1))
        rb.size &= rb.size - 1;
    rb.cpu = calloc(n, sizeof *rb.cpu);
    for (u32 cpu = 0; cpu < n && rb.cpu; cpu++) {
        int e = rb_open_cpu(map, cpu);
        if (e && e != -ENODEV) /* that CPU is off */
            return e;
    }
    return rb.n_cpu ? 0 : rb.cpu ? -ENODEV : -ENOMEM;
}

/* Opens the reader of o's map `events`. Returns 0 or -errno. */
static int rb_open(struct bpf_obj *o)
{
    int map = bpf_map(o, "events");
    rb.page = (size_t)sysconf(_SC_PAGESIZE);
    rb.epoll = epoll_create1(EPOLL_CLOEXEC);
    int e = rb.epoll < 0 ? -errno
            : o->ring    ? rb_open_ring(map, o->ring_bytes)
                         : rb_open_cpus(map, o->ring_bytes);
    return e ? bpf_fail(o, e, "cannot map the records' ring: %s", strerror(-e)) : 0;
}

/* Waits for records, at most ms. With sigmask as in epoll_pwait(2): a signal ends it. */
static void rb_wait(int ms, const sigset_t *mask)
{
    struct epoll_event ev[16];
    if (epoll_pwait(rb.epoll, ev, ARRAY_LEN(ev), ms, mask) < 0)
        return; /* EINTR: the caller looks why */
}

/* Notes where the writers stand: the next rb_drain goes so far and no further, however fast they
 * are. */
static void rb_mark(void)
{
    if (rb.consumer)
        rb.mark = __atomic_load_n(rb.producer, __ATOMIC_ACQUIRE);
    for (u32 i = 0; i < rb.n_cpu; i++)
        rb.cpu[i].mark = __atomic_load_n(&rb.cpu[i].m->data_head, __ATOMIC_ACQUIRE);
}

/* Whether all that was there at the mark has been taken. */
static bool rb_drained(void)
{
    bool yes = !rb.consumer || *rb.consumer >= rb.mark;
    for (u32 i = 0; i < rb.n_cpu; i++)
        yes &= rb.cpu[i].m->data_tail >= rb.cpu[i].mark;
    return yes;
}

/* One record: a length with two flags in its top bits, four bytes that are the kernel's, the data,
 * padded to 8. Busy: its writer is not done, and those behind it have to wait too. */
static u32 rb_drain_ring(rb_fn *take)
{
    u64 at = *rb.consumer;
    u32 n = 0;
    while (at < rb.mark) {
        const u8 *rec = rb.data + (at & (rb.size - 1));
        u32 len = __atomic_load_n((const u32 *)(const void *)rec, __ATOMIC_ACQUIRE);
        if (len & BPF_RINGBUF_BUSY_BIT)
            break;
        u32 size = len & ~(u32)(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
        if (!(len & BPF_RINGBUF_DISCARD_BIT) && !take(rec + BPF_RINGBUF_HDR_SZ, size))
            break;
        n++;
        at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
        __atomic_store_n(rb.consumer, at, __ATOMIC_RELEASE);
    }
    return n;
}

static void rb_copy(const struct rb_cpu *c, u64 at, void *to, size_t n)
{
    const u8 *data = (const u8 *)c->m + rb.page;
    size_t from = at & (rb.size - 1), part = MIN(n, rb.size - from);
    memcpy(to, data + from, part);
    memcpy((u8 *)to + part, data, n - part);
}

/* The next record of a CPU, without taking it: its time, and ~0 when there is none. What is no
 * sample is taken on the way. */
static u64 rb_peek(struct rb_cpu *c, struct perf_event_header *h)
{
    u64 ts, lost[2];
    while (c->m->data_tail < c->mark) {
        rb_copy(c, c->m->data_tail, h, sizeof *h);
        if (h->size < sizeof *h)
            break; /* the kernel never writes that: stop rather than loop */
        if (h->type == PERF_RECORD_SAMPLE && h->size >= sizeof *h + 4 + sizeof ts) {
            rb_copy(c, c->m->data_tail + sizeof *h + 4, &ts, sizeof ts);
            return ts;
        }
        if (h->type == PERF_RECORD_LOST && h->size >= sizeof *h + sizeof lost) {
            rb_copy(c, c->m->data_tail + sizeof *h, lost, sizeof lost);
            rb.lost += lost[1];
        }
        __atomic_store_n(&c->m->data_tail, c->m->data_tail + h->size, __ATOMIC_RELEASE);
    }
    return ~0ull;
}

/* The oldest record of all CPUs, again and again. A raw sample: its size, its bytes. */
static u32 rb_drain_cpus(rb_fn *take)
{
    u32 n = 0;
    for (;;) {
        struct rb_cpu *oldest = NULL;
        struct perf_event_header h, first = { 0 };
        u64 best = ~0ull;
        for (u32 i = 0; i < rb.n_cpu; i++) {
            u64 ts = rb_peek(&rb.cpu[i], &h);
            if (ts < best)
                best = ts, oldest = &rb.cpu[i], first = h;
        }
        if (!oldest)
            return n;
        u32 size;
        u64 at = oldest->m->data_tail;
        rb_copy(oldest, at + sizeof first, &size, sizeof size);
        size = MIN(size, MIN((u32)sizeof rb_copied, (u32)(first.size - sizeof first - 4)));
        rb_copy(oldest, at + sizeof first + 4, rb_copied, size);
        if (!take(rb_copied, size))
            return n;
        __atomic_store_n(&oldest->m->data_tail, at + first.size, __ATOMIC_RELEASE);
        n++;
    }
}

/* Hands the records before the mark to `take`. Returns how many. */
static u32 rb_drain(rb_fn *take)
{
    return rb.consumer ? rb_drain_ring(take) : rb_drain_cpus(take);
}
/* How many records were lost for a reason of enum wire_lost; N_LOST: runs that the kernel skipped.
 * A perf ring tells the reader what it lost, and since 5.2 the program as well: the same ones, so
 * they are not added up. */
static u64 rb_lost(const struct bpf_obj *o, u32 why)
{
    return why == N_LOST      ? bpf_missed(o, o->loaded)
           : why == LOST_RING ? MAX(bpf_lost(o, why), rb.lost)
                              : bpf_lost(o, why);
}

/* == 27 sp_  starting a command =====================================================
 * A child that waits until kvis is ready for it, and then becomes the command as if kvis were not
 * there: its signals, its descriptors and its limits are as kvis found them. Dies only before
 * anything is attached. Entry points: sp_signals, sp_find, sp_fork, sp_go, sp_error; sp_boot. */

/* What a command is started with. The hooks run in the child: `early` before it becomes -u's user,
 * `late` right before its exec. */
struct sp {
    pid_t pid;
    int go, err;             /* pipes: its leave to go on; why it could not */
    void (*early)(int err), (*late)(void);
};

static const int sp_sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGIO };

static struct { /* signals as kvis found them */
    sigset_t mask;
    struct sigaction action[ARRAY_LEN(sp_sigs)], pipe, xfsz, chld;
} sp;

/* From here on kvis's signals go to `note`, and interrupt whatever kvis waits in. sigaction and
 * sigprocmask fail only for signals and pointers that are none (their ERRORS), and these are
 * constants: they are not checked. */
static void sp_signals(void (*note)(int, siginfo_t *, void *))
{
    struct sigaction ign = { .sa_handler = SIG_IGN }, dfl = { .sa_handler = SIG_DFL };
    struct sigaction act = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
    sigfillset(&act.sa_mask);
    sigprocmask(SIG_SETMASK, NULL, &sp.mask);
    sigset_t ours = sp.mask;
    for (size_t i = 0; i < ARRAY_LEN(sp_sigs); i++) {
        sigaction(sp_sigs[i], &act, &sp.action[i]);
        sigdelset(&ours, sp_sigs[i]);
    }
    sigprocmask(SIG_SETMASK, &ours, NULL);
    sigaction(SIGPIPE, &ign, &sp.pipe);
    sigaction(SIGXFSZ, &ign, &sp.xfsz);
    sigaction(SIGCHLD, &dfl, &sp.chld); /* ignored, our children would be reaped unseen */
}

/* The handler (and what asks it) of commands that watch until somebody ends them. */
static volatile sig_atomic_t sp_told;

static void sp_note(int sig, siginfo_t *si, void *unused)
{
    static bool asked;
    (void)si, (void)unused;
    if (sig == SIGALRM || sig == SIGIO)
        return;
    if (sig != SIGINT || !opt.command || asked) /* the first ^C is the command's */
        sp_told = sig;
    asked = true;
    if (sp_told) /* and soon again and again, to get out of a write that nobody reads */
        setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 50000 }, { 0, 50000 } }, NULL);
}

static bool sp_gives_up(void)
{
    return sp_told;
}

/* Gives the command the signals as kvis found them. */
static void sp_restore_signals(void)
{
    for (size_t i = 0; i < ARRAY_LEN(sp_sigs); i++)
        sigaction(sp_sigs[i], &sp.action[i], NULL);
    sigaction(SIGPIPE, &sp.pipe, NULL);
    sigaction(SIGXFSZ, &sp.xfsz, NULL);
    sigaction(SIGCHLD, &sp.chld, NULL);
    if (u_libc_ignored)
        syscall(SYS_rt_sigaction, U_LIBC_SIGNAL, (u64[4]){ (uintptr_t)SIG_IGN }, NULL, 8ul);
    sigprocmask(SIG_SETMASK, &sp.mask, NULL);
}

/* Finds the command as execvp would; dies with 127 or 126 when it cannot be run. */
static const char *sp_find(const char *cmd)
{
    static char path[PATH_MAX];
    const char *dirs = getenv("PATH");
    struct stat s;
    bool found = false;
    if (strchr(cmd, '/')) {
        if (stat(cmd, &s) < 0)
            die(errno == ENOENT ? EXIT_NOTFOUND : EXIT_NOEXEC, "cannot run %s:", cmd);
        if (S_ISDIR(s.st_mode))
            die(EXIT_NOEXEC, "cannot run %s: it is a directory", cmd);
        return cmd;
    }
    for (const char *d = dirs ? dirs : "/usr/local/bin:/bin:/usr/bin"; *cmd; d++) {
        size_t n = strcspn(d, ":");
        int k = snprintf(path, sizeof path, "%.*s%s%s", (int)n, d, n ? "/" : "./", cmd);
        if (k < (int)sizeof path && stat(path, &s) == 0 && S_ISREG(s.st_mode)) {
            if (access(path, X_OK) == 0)
                return path;
            found = true;
        }
        d += n;
        if (!*d)
            break;
    }
    if (found)
        die(EXIT_NOEXEC, "cannot run %s: it is not executable", cmd);
    die(EXIT_NOTFOUND, "cannot run %s: not found%s", cmd, dirs ? " in PATH" : "");
}

static void sp_child_fail(int fdn, int stage)
{
    int msg[2] = { stage, errno };
    if (write(fdn, msg, sizeof msg) < 0)
        _exit(EXIT_KVIS);
    _exit(EXIT_KVIS);
}

/* Field k of a line of /etc/passwd or /etc/group, as a number. */
static u32 sp_colon_field(const char *line, int k)
{
    while (k-- && *line)
        line += strcspn(line, ":") + 1;
    return (u32)strtoul(line, NULL, 10);
}

/* Finds -u's user in /etc/passwd, by name or number; read here because a static glibc's look-up
 * would want its shared libraries. Fills name (at most 64 bytes), uid, gid. */
static bool sp_passwd(char *name, u32 *uid, u32 *gid)
{
    char line[1024], *end;
    u32 number = (u32)strtoul(opt.user, &end, 10);
    bool by_number = *opt.user && !*end, found = false;
    FILE *f = fopen("/etc/passwd", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        size_t n = strcspn(line, ":");
        *uid = sp_colon_field(line, 2);
        *gid = sp_colon_field(line, 3);
        found = by_number ? *uid == number
                          : strlen(opt.user) == n && !strncmp(line, opt.user, n);
        snprintf(name, 64, "%.*s", (int)MIN(n, 63), line);
    }
    if (f)
        fclose(f);
    return found;
}

/* The groups of /etc/group that list the user. Returns how many. */
static size_t sp_groups(const char *name, gid_t *list, size_t max)
{
    char line[8192];
    size_t n = 0;
    FILE *f = fopen("/etc/group", "re");
    while (f && n < max && fgets(line, sizeof line, f)) {
        char *who = strrchr(line, ':'), *save;
        for (char *w = who ? strtok_r(who + 1, ",\n", &save) : NULL; w;
             w = strtok_r(NULL, ",\n", &save))
            if (!strcmp(w, name) && n < max)
                list[n++] = sp_colon_field(line, 2);
    }
    if (f)
        fclose(f);
    return n;
}

static void sp_become(int fdn)
{
    char name[64];
    u32 uid, gid;
    gid_t group[256];
    if (!sp_passwd(name, &uid, &gid))
        sp_child_fail(fdn, 'n');
    group[0] = gid;
    size_t n = 1 + sp_groups(name, group + 1, ARRAY_LEN(group) - 1);
    if (setgroups(n, group) < 0 || setgid(gid) < 0 || setuid(uid) < 0)
        sp_child_fail(fdn, 'u');
}

/* The child, up to its exec: everything as kvis found it, and nothing of kvis's left open. */
static void __attribute__((noreturn)) sp_child_main(const struct sp *s, const char *path,
                                                    const int *sync, int err)
{
    char go;
    ssize_t r;
    close(sync[1]); /* else a killed kvis would be waited for here for ever */
    do
        r = read(sync[0], &go, 1);
    while (r < 0 && errno == EINTR);
    if (r != 1)
        _exit(EXIT_KVIS);
    for (u32 i = 0; i < opt.n_env; i++)
        strchr(opt.env[i], '=') ? putenv((char *)(uintptr_t)opt.env[i]) : unsetenv(opt.env[i]);
    if (s->early)
        s->early(err);
    if (opt.user)
        sp_become(err);
    sp_restore_signals();
    if (s->late)
        s->late();
    execv(path, opt.command);
    sp_child_fail(err, 'x');
    _exit(EXIT_KVIS);
}

/* Reads why the child could not become the command, and says it. Returns the exit status to use,
 * 0: it could. */
static int sp_error(const struct sp *s)
{
    int msg[2];
    if (s->err < 0 || read(s->err, msg, sizeof msg) != (ssize_t)sizeof msg)
        return 0;
    errno = msg[1];
    if (msg[0] == 'n')
        u_warn("no user %s in /etc/passwd", opt.user);
    else if (msg[0] == 'u')
        u_warn("cannot become user %s:", opt.user);
    else if (msg[0] == 's')
        u_warn("cannot install the seccomp filter (--no-accel does without):");
    else if (msg[1] == ENOEXEC)
        u_warn("cannot run %s: not a program (no #! line, or for another CPU)", opt.command[0]);
    else
        u_warn("cannot run %s:", opt.command[0]);
    return msg[0] != 'x' ? EXIT_KVIS : msg[1] == ENOENT ? EXIT_NOTFOUND : EXIT_NOEXEC;
}

/* Makes the child, which waits for sp_go. Descriptors 3 and up that kvis opened are CLOEXEC and so
 * not the program's. */
static void sp_fork(struct sp *s)
{
    const char *path = sp_find(opt.command[0]);
    int sync[2], err[2];
    if (pipe2(sync, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC | O_NONBLOCK) < 0)
        die(EXIT_KVIS, "pipe:");
    s->pid = fork();
    if (s->pid < 0)
        die(EXIT_KVIS, "fork:");
    if (!s->pid)
        sp_child_main(s, path, sync, err[1]);
    close(sync[0]), close(err[1]);
    s->go = sync[1];
    s->err = err[0];
}

/* Lets it go; kvis ends, and the child with it, when that fails. */
static void sp_go(struct sp *s)
{
    if (write(s->go, "", 1) != 1) {
        kill(s->pid, SIGKILL);
        die(EXIT_KVIS, "pipe:");
    }
    close(s->go);
}

/* --- the first process of a machine ---
 * init=/kvis: the command that kvis was given is to be process 1, which systemd and others insist
 * on. So kvis becomes that, and what watches is a child. That one has mounts of its own: init
 * finds the machine as the kernel left it. It ends as all others do that init ends: by SIGTERM. */

static int sp_ready = -1; /* the watching child's: closed when it watches, or cannot */

static void sp_own_mounts(void)
{
    static const char *const of[][2] = {
        { "proc", "/proc" }, { "sysfs", "/sys" }, { "devtmpfs", "/dev" },
    };
    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        u_warn("cannot have mounts of its own: %s", strerror(errno));
    for (size_t i = 0; i < ARRAY_LEN(of); i++)
        if (mkdir(of[i][1], 0755) < 0 && errno != EEXIST && errno != EROFS)
            u_warn("cannot make %s: %s", of[i][1], strerror(errno));
        else if (mount(of[i][0], of[i][1], of[i][0], 0, NULL) < 0 && errno != EBUSY)
            u_warn("cannot mount %s: %s", of[i][1], strerror(errno));
}

/* Where kvis is process 1 and has a command: becomes it, and returns in the child that is to watch,
 * without a command. The machine boots whatever happens to that child. */
static void sp_boot(void)
{
    int ready[2];
    if (!opt.command || getpid() != 1 || bpf_pid_ns(NULL)) /* or process 1 of a container */
        return;
    const char *path = sp_find(opt.command[0]);
    pid_t pid = pipe2(ready, O_CLOEXEC) < 0 ? -1 : fork();
    if (pid) {
        struct pollfd p = { .fd = pid < 0 ? -1 : ready[0], .events = POLLIN };
        if (pid < 0)
            u_warn("nothing is watched: %s", strerror(errno));
        else
            close(ready[1]);
        poll(&p, 1, pid < 0 ? 0 : 10000);
        execv(path, opt.command);
        die(EXIT_NOEXEC, "cannot run %s:", path);
    }
    close(ready[0]);
    sp_ready = ready[1];
    opt.command = NULL;
    setsid();
    sp_own_mounts();
}

/* kvis watches: the machine may go on. */
static void sp_boot_on(void)
{
    if (sp_ready >= 0)
        close(sp_ready);
}

/* == 28 hy_  calls recorded in the kernel: the hybrid backend ===========================
 * ptrace keeps control of the threads (births, execs, signals, deaths, and the calls whose
 * arguments nest); the calls of hy_hot[] do not stop any more: the probe (gen/probes/call.bpf.c)
 * records each with what its arguments point to. What that is comes from the kinds in
 * gen/syscalls.tbl by way of hy_kinds[]: to record another call, add it to hy_hot[]; a kind, its
 * row in hy_kinds[]. A record is played to the model as the two stops that it stands for
 * (tr_record), mem_ reading from the record. Entry points: hy_why_not, hy_start, hy_drain, hy_ours.
 */

#include "bpf_insns/call.h"
#include "bpf_insns/disk.h"
#include "bpf_insns/uring.h"

/* Rows of call_progs[]. */
enum {
    HY_ENTER,
    HY_ENTER_TP,
    HY_EXIT,
    HY_EXIT_TP,
    HY_FORK,
    HY_EXEC,
    HY_GONE,
    HY_SWITCH,
    HY_WAKE,
    HY_NEW,
    HY_WAKING,
    HY_BIO,
    N_HY
};
_Static_assert(ARRAY_LEN(call_progs) == N_HY, "a program without a number");
_Static_assert(ARRAY_LEN(call_maps) <= BPF_MAX_MAPS, "a map without a place");

/* A row of disk_progs[]: those before it are asked what arguments there are. */
enum { HY_DISK_ISSUE = 4 };
_Static_assert(ARRAY_LEN(disk_progs) == HY_DISK_ISSUE + 2, "the last two: issue, complete");

enum { HY_MIN_DELAY_NS = 10000 }; /* shorter waits for a CPU are only counted */

/* What stays behind the probe's `counts`. */
enum { HY_STOPS_SOFT = 1, HY_STOPS_HARD, HY_STOPS_FAILED };

static struct {
    bool on;
    struct bpf_obj obj;
    struct bpf_obj disk;   /* of the disks' requests; its fam is NULL: there is none */
    struct bpf_obj uring;  /* of io_uring; loaded when there is a ring */
    bool ring_tried;
    struct st_io io;
    struct { u32 dev; char name[ST_DISK_NAME]; } disk_name[16];
    char *diskstats;       /* as they were at the start */
    u64 magic;
    const char *why_not;   /* the backend is ptrace alone because ... */
    bool in_ns;            /* kvis is in a pid namespace: its tids are not the map's keys */
    bool all;              /* no call stops at its entry: what is not recorded stops at its end */
    bool in_order;         /* the probe's words are the arguments */
    bool sched;            /* what the scheduler does is recorded too */
    bool count;            /* calls are counted in the kernel, and there are no records */
    const struct wire_count *table; /* as the probe has them, when it counts */
    const struct wire_hist *hists;
    u64 strays;            /* records that are damaged, or of threads that kvis did not know */
    u64 max_delay_ns;      /* the longest wait for a CPU that was a record */
    bool row[SC_N];        /* recorded, so that they do not stop */
    u64 records, told_lost;
    u64 healed;            /* of LOST_TREE: threads that are traced all the same */
} hy;

/* How what an argument of a kind points to is measured: a string, or count * mul bytes. A kind
 * without a row nests, or means something only at the call's entry: calls with one stop. */
enum hy_count { HY_NESTS, HY_PLAIN, HY_STRING, HY_ONE, HY_NEXT, HY_RESULT };

static const struct hy_kind {
    u8 count; /* enum hy_count; HY_NEXT: the argument behind says how many */
    u8 result; /* written by the kernel: there when the call succeeded */
    bool short_; /* no more of it than -s is shown */
    u16 mul;
} hy_kinds[N_KINDS] = {
    [K_INT] = { HY_PLAIN, 0, 0, 0 },      [K_UINT] = { HY_PLAIN, 0, 0, 0 },
    [K_LONG] = { HY_PLAIN, 0, 0, 0 },     [K_ULONG] = { HY_PLAIN, 0, 0, 0 },
    [K_SIZE] = { HY_PLAIN, 0, 0, 0 },     [K_OFF] = { HY_PLAIN, 0, 0, 0 },
    [K_HEX] = { HY_PLAIN, 0, 0, 0 },      [K_ADDR] = { HY_PLAIN, 0, 0, 0 },
    [K_MODE] = { HY_PLAIN, 0, 0, 0 },     [K_DEV] = { HY_PLAIN, 0, 0, 0 },
    [K_PID] = { HY_PLAIN, 0, 0, 0 },      [K_UID] = { HY_PLAIN, 0, 0, 0 },
    [K_GID] = { HY_PLAIN, 0, 0, 0 },      [K_SIG] = { HY_PLAIN, 0, 0, 0 },
    [K_FD] = { HY_PLAIN, 0, 0, 0 },       [K_DIRFD] = { HY_PLAIN, 0, 0, 0 },
    [K_FUTEXOP] = { HY_PLAIN, 0, 0, 0 },  [K_FUTEXVAL] = { HY_PLAIN, 0, 0, 0 },
    [K_PATH] = { HY_STRING, 0, 0, 0 },    [K_STR] = { HY_STRING, 0, 1, 0 },
    [K_WBUF] = { HY_NEXT, 0, 1, 1 },      [K_RBUF] = { HY_RESULT, 1, 1, 1 },
    [K_LINKBUF] = { HY_RESULT, 1, 0, 1 }, [K_DENTS] = { HY_RESULT, 1, 0, 1 },
    [K_STAT] = { HY_ONE, 1, 0, sizeof(struct stat) }, [K_STATX] = { HY_ONE, 1, 0, 256 },
    [K_STATFS] = { HY_ONE, 1, 0, 120 },   [K_TS] = { HY_ONE, 0, 0, 16 },
    [K_TSOUT] = { HY_ONE, 0, 0, 16 },     [K_TVOUT] = { HY_ONE, 1, 0, 16 },
    [K_TZ] = { HY_ONE, 1, 0, 8 },         [K_TS2] = { HY_ONE, 0, 0, 32 },
    [K_RLIM] = { HY_ONE, 0, 0, 16 },      [K_RLIMOUT] = { HY_ONE, 1, 0, 16 },
    [K_RUSAGEOUT] = { HY_ONE, 1, 0, 144 }, [K_SIGSET] = { HY_ONE, 0, 0, 8 },
    [K_SIGSETOUT] = { HY_ONE, 1, 0, 8 },  [K_WSTATUS] = { HY_ONE, 1, 0, 4 },
    [K_UTSNAME] = { HY_ONE, 1, 0, 390 },  [K_SYSINFO] = { HY_ONE, 1, 0, 112 },
    [K_TMSOUT] = { HY_ONE, 1, 0, 32 },    [K_EPEV] = { HY_ONE, 0, 0, 16 },
    [K_EPEVS] = { HY_RESULT, 1, 0, 16 },  [K_POLLFDS] = { HY_NEXT, 0, 0, 8 },
    [K_SIGACT] = { HY_ONE, 0, 0, 32 },    [K_SIGACTOUT] = { HY_ONE, 1, 0, 32 },
    [K_CLONEARGS] = { HY_NEXT, 0, 0, 1 },
    [K_OPENHOW] = { HY_ONE, 0, 0, 24 },   [K_CPUSETOUT] = { HY_RESULT, 1, 0, 1 },
};

/* The calls that are recorded: what programs do often, that needs nothing which only a stopped
 * thread can tell. file: the record describes the file of that argument (1 + n), or of the result.
 */
enum { FILE_OF_RESULT = 100 };
/* HY_RAW: raw tracepoints, in the first pid namespace. There a bpf(2) of ours keeps no program from
 * running (see tr_follow) and finds a thread at once. (Not here: exit_group. Its record, made when
 * the thread dies, cannot be kept with it till there is room.) */
enum { HY_ATTACHED = 1, HY_RAW };
static const struct hy_call { u16 id; u8 file; bool memory; u8 only;
} hy_hot[] = {
#define H(name) { SC_##name, 0, 0, 0 }
#define H_FD(name) { SC_##name, FILE_OF_RESULT, 0, 0 }
#define H_MEM(name) { SC_##name, 0, 1, 0 } /* page faults must find the regions as they are */
#define H_P(name) { SC_##name, 0, 0, HY_ATTACHED } /* -p: a libc blocks all signals around them */
    H(read),
    H(write),
    H(pread64),
    H(pwrite64),
    H(lseek),
    H(close),
    H_FD(open),
    H_FD(openat),
    H_FD(openat2),
    H_FD(creat),
    H(stat),
    H(lstat),
    H(fstat),
    H(newfstatat),
    H(statx),
    H(access),
    H(faccessat),
    H(faccessat2),
    H(readlink),
    H(readlinkat),
    H(getdents64),
    H(statfs),
    H(fstatfs),
    { SC_mmap, 1 + 4, 1, 0 }, /* of its descriptor: whether the pages may never come (mem_) */
    H_MEM(munmap),
    H_MEM(mprotect),
    H_MEM(brk),
    H_MEM(madvise),
    H(msync),
    H(futex),
    H(getpid),
    H(gettid),
    H(getppid),
    H(getuid),
    H(geteuid),
    H(getgid),
    H(getegid),
    H(getpgrp),
    H(getpgid),
    H(getsid),
    H(sched_yield),
    H(clock_gettime),
    H(clock_getres),
    H(gettimeofday),
    H(time),
    H(times),
    H(getrusage),
    H(getrlimit),
    H(prlimit64),
    H(sysinfo),
    H(uname),
    H(getrandom),
    H(nanosleep),
    H(clock_nanosleep),
    H(rt_sigprocmask),
    H(poll),
    H(epoll_wait),
    H(epoll_ctl),
    H(fsync),
    H(fdatasync),
    H(ftruncate),
    H(fallocate),
    H(fadvise64),
    H(umask),
    H(getcwd),
    H(unlink),
    H(unlinkat),
    H(rename),
    H(renameat),
    H(renameat2),
    H(mkdir),
    H(mkdirat),
    H(rmdir),
    H(chmod),
    H(fchmod),
    H(fchmodat),
    H(utimensat),
    H(wait4),
    H(set_robust_list),
    H(set_tid_address),
    H(rseq),
    H(arch_prctl),
    H(sched_getaffinity),
    H(alarm),
    H(pause),
    H(sync),
    H(rt_sigreturn),
    { SC_clone, 0, 0, HY_RAW }, /* its event looks for its flags; CLONE_UNTRACED: tr_filter */
    H_P(clone3),
    H(fork),
    H(vfork),
#undef H
#undef H_FD
#undef H_MEM
#undef H_P
};

/* --- what the probe is told --- */

/* The kind behind an argument, as hy_kinds[] has it. Bits and values of a family are plain. */
static struct hy_kind hy_kind_of(u16 kind)
{
    struct hy_kind plain = { HY_PLAIN, 0, 0, 0 };
    return kind < N_KINDS ? hy_kinds[kind] : plain;
}

/* How many bytes of it are taken at most: of a path all, else what -s shows and one more, by which
 * the decoder sees that there is more. Without -v nobody looks into buffers. */
static u32 hy_bytes(const struct hy_kind *k)
{
    if (k->short_)
        return opt.calls ? MIN(opt.strlen_max + 2, (u32)CALL_PART_MAX) : 0;
    return CALL_PART_MAX;
}

/* Whether only -v wants to see what a kind points to. */
static bool hy_needs_verbose(u16 kind)
{
    return kind != K_PATH && kind != K_OPENHOW && kind != K_SIGACT;
}

/* Where the probe's words have an argument. */
static u8 hy_word(u8 arg)
{
    return hy.in_order ? arg : (u8)((arch_arg_off[arg % 6] - ARCH_WORDS) / 8);
}

/* The six arguments, from the probe's words. */
static void hy_args(u64 *arg, const u64 *word)
{
    for (u8 i = 0; i < 6; i++)
        arg[i] = word[hy_word(i)];
}

/* A row's `file`, as the probe has it. */
static u8 hy_file(u8 file)
{
    return !file ? 0 : file == FILE_OF_RESULT ? 1 + WORD_RESULT : (u8)(1 + hy_word((u8)(file - 1)));
}

/* Fills in the record of a row; false when an argument nests, or there are too many. */
static bool hy_spec(const struct sc_row *r, struct wire_spec *s)
{
    for (u8 i = 0; i < r->nargs; i++) {
        struct hy_kind k = hy_kind_of(r->arg[i]);
        if (k.count == HY_NESTS)
            return false;
        if (k.count == HY_PLAIN || (hy_needs_verbose(r->arg[i]) && !opt.calls)
            || !hy_bytes(&k))
            continue;
        if (s->n == CALL_ITEMS)
            return false;
        s->item[s->n++] = (struct wire_item){
            .arg = hy_word(i), .kind = k.count == HY_STRING ? ITEM_STR : ITEM_BYTES,
            .count = k.count == HY_NEXT     ? hy_word((u8)(i + 1))
                     : k.count == HY_RESULT ? WORD_RESULT
                                            : WORD_ONE,
            .result = k.result, .mul = k.mul, .size = hy_bytes(&k),
        };
    }
    return true;
}

/* How a number's calls are counted by the probe: but for those that have to stop anyway, which tr_
 * counts. */
static struct wire_spec hy_counted(int row)
{
    struct wire_spec s = { .on = CALL_UNSEEN };
    if (row < 0)
        return s;
    hy.row[row] = hy.all || !md_wants((u16)row, true);
    s.unfailing = sc_id[row] == SC_rt_sigreturn;
    if (hy.row[row] && (sc_set[row] || sc_id[row] == SC_restart_syscall))
        s.on = CALL_COUNTED;
    return s;
}

/* How a number's calls are seen by the probe. */
static struct wire_spec hy_spec_of(int row, const bool *need)
{
    if (hy.count)
        return hy_counted(row);
    struct wire_spec s = { .on = CALL_UNSEEN }, none = s;
    bool hot = false;
    for (size_t i = 0; row >= 0 && i < ARRAY_LEN(hy_hot); i++)
        if (hy_hot[i].id == sc_id[row] && !(hy_hot[i].memory && opt.faults)
            && (hy_hot[i].only != HY_ATTACHED || hy.all)
            && (hy_hot[i].only != HY_RAW || (!hy.in_ns && !hy.in_order)))
            hot = true, s.file = hy_file(hy_hot[i].file);
    hot = hot && hy_spec(&sc_rows[row], &s);
    if (row >= 0)
        hy.row[row] = hot || hy.all;
    s.on = hot ? CALL_RECORDED : hy.all ? CALL_STOPS : CALL_UNSEEN;
    return row < 0 || need[row] ? s : none; /* a call newer than our table: let it be seen */
}

static struct wire_spec hy_specs[CALL_NRS];

/* Marks the calls that are recorded instead of stopping: `need` says which ones anybody wants. */
static void hy_choose(const bool *need)
{
    for (u32 nr = 0; nr < CALL_NRS; nr++)
        hy_specs[nr] = hy_spec_of(sc_find(ARCH_NATIVE, nr), need);
}

/* From now on they are. Returns 0 or -errno. */
static int hy_watch(void)
{
    return bpf_map_all(true, bpf_map(&hy.obj, "spec"), CALL_NRS, hy_specs, sizeof *hy_specs);
}

/* How many entries the maps have that count. */
static u32 hy_entries(const char *map)
{
    return !hy.count ? 1 : strcmp(map, "table") ? CALL_NRS : CALL_NRS * bpf_possible();
}

static int hy_view(void)
{
    if (!hy.count)
        return 0;
    hy.table = bpf_map_view(bpf_map(&hy.obj, "table"), hy_entries("table") * sizeof *hy.table);
    hy.hists = bpf_map_view(bpf_map(&hy.obj, "hists"), hy_entries("hists") * sizeof *hy.hists);
    return hy.table && hy.hists ? 0 : bpf_fail(&hy.obj, -errno, "cannot map what is counted");
}

/* What the kernel has counted, as rows of the table. */
static void hy_counts(void)
{
    for (u32 nr = 0; hy.count && nr < CALL_NRS; nr++) {
        struct wire_count sum = { 0, 0, 0, 0 };
        int row = sc_find(ARCH_NATIVE, nr);
        for (u32 cpu = 0; cpu < bpf_possible(); cpu++) {
            const struct wire_count *c = hy.table + cpu * CALL_NRS + nr;
            sum.calls += c->calls, sum.errors += c->errors, sum.time_ns += c->time_ns;
            sum.max_ns = MAX(sum.max_ns, c->max_ns);
        }
        struct st_row *r = sum.calls && row >= 0 ? st_row_of(&st.counted, (u16)row) : NULL;
        if (!r)
            continue;
        r->calls = sum.calls, r->errors = sum.errors;
        r->time_ns = sum.time_ns, r->max_ns = sum.max_ns;
        memcpy(r->hist, hy.hists[nr].n, sizeof r->hist);
    }
}

/* Where threads are gone only when the scheduler leaves them for good (CFG_BY_SCHED), that can be
 * after their deaths were told: a moment for the calls that they were in to be counted. */
static void hy_settle(void)
{
    u32 key;
    int map = bpf_map(&hy.obj, "traced");
    for (int i = 0; hy.count && hy.in_order && i < 100; i++) {
        if (bpf_map_do(BPF_MAP_GET_NEXT_KEY, map, NULL, &key))
            break;
        nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
    }
}

/* The programs that this kernel and the options want, as bits. */
static u32 hy_programs(bool sched)
{
    bool raw = bpf_raw_is_whole();
    u32 mask = raw ? 1u << HY_ENTER | 1u << HY_EXIT | 1u << HY_FORK | 1u << HY_GONE
                   : 1u << HY_ENTER_TP | 1u << HY_EXIT_TP | 1u << HY_SWITCH | 1u << HY_NEW;
    mask |= 1u << HY_EXEC;
    if (sched)
        mask |= 1u << HY_SWITCH | 1u << HY_WAKE | 1u << HY_NEW | 1u << HY_WAKING;
    return mask;
}

static void *hy_find_fields(void *compat)
{
    bpf_find_fields(&hy.obj, compat);
    return NULL;
}

/* The maps, and the types of this kernel, which are read meanwhile: each takes some ms. */
static int hy_open_beside(struct bpf_obj *o, struct btf_want *compat)
{
    pthread_t th;
    gz_unpack(GZ_BPF); /* bpf_open says what is wrong with it */
    bool alone = u_thread(&th, hy_find_fields, compat) < 0;
    int e = bpf_open(o);
    if (alone)
        hy_find_fields(compat);
    else
        pthread_join(th, NULL);
    return e;
}

/* Everything but the programs. */
static int hy_open(u32 ring_bytes)
{
    static struct bpf_cfgs c;
    struct btf_want compat = BPF_COMPAT_WANT;
    struct bpf_obj *o = &hy.obj;
    hy.sched = !opt.no_ebpf && !hy.count;
    *o = (struct bpf_obj){ .fam = &call_family, .ring = true, .ring_bytes = ring_bytes,
                           .entries = hy_entries,
                           .lodger = hy.sched ? &disk_family : NULL };
    int e = hy_open_beside(o, &compat);
    if (e || !o->ring)
        return e ? e : bpf_fail(o, -EINVAL, "this kernel has no ring buffer (Linux 5.8)");
    bpf_set(&c, "CFG_WORDS", ARCH_WORDS);
    bpf_set(&c, "CFG_A1", arch_arg_off[1]);
    bpf_set_compat(&c, &compat);
    bpf_set(&c, "CFG_MAGIC", hy.magic);
    bpf_set(&c, "CFG_MAGIC_NR", (u64)SYS_openat);
    u64 ns = bpf_pid_ns(NULL);
    hy.in_ns = ns != 0;
    bpf_set(&c, "CFG_NS_INO", ns);
    bpf_set(&c, "CFG_STOP_SOFT", ring_bytes / 4 * 3);
    bpf_set(&c, "CFG_STOP_RT", !opt.n_pids);
    bpf_set(&c, "CFG_STOP_HARD", ring_bytes / 16 * 15);
    hy.in_order = !bpf_raw_is_whole();
    bpf_set(&c, "CFG_SCHED", hy.sched);
    bpf_set(&c, "CFG_COUNT", hy.count);
    bpf_set(&c, "CFG_RESTART_NR", (u64)SYS_restart_syscall);
    bpf_set(&c, "CFG_DELAY", HY_MIN_DELAY_NS);
    bpf_set(&c, "CFG_BY_SCHED", hy.in_order);
    bpf_set(&c, "CFG_STACK", (u64)MAX((long)ARCH_STACK, sysconf(_SC_PAGESIZE)));
    bpf_set(&c, "CFG_STACK_NR", ARCH_STACK_NR);
    o->cfg = c.v;
    o->n_cfg = c.n;
    bpf_find_records(o, hy_programs(hy.sched));
    return 0;
}

static int hy_load(void)
{
    struct bpf_obj *o = &hy.obj;
    u32 mask = hy_programs(hy.sched);
    int e = bpf_load(o, mask);
    if (e || (e = rb_open(o)))
        return e;
    if (opt.bpf_stats && (e = bpf_take_time()))
        return bpf_fail(o, e, "BPF_ENABLE_STATS: %s", strerror(-e));
    return bpf_attach(o, mask);
}

/* Loads and attaches a program of the disks'. Where the queue may come first (CFG_SECOND), it asks
 * for a second argument, and attaches where there is one; not the last two, which need not be
 * asked: a request is issued with what it is inserted with (one class of events,
 * include/trace/events/block.h). */
static int hy_load_at(struct bpf_obj *o, struct bpf_cfg *second, u32 i)
{
    bool old = bpf_kernel_version() < (5u << 16 | 11u << 8);
    int e;
    for (second->val |= old && i < HY_DISK_ISSUE;; second->val = 0) {
        if ((e = bpf_load(o, 1u << i)) || (e = bpf_attach(o, 1u << i)) != -EINVAL || !second->val)
            return e;
        close(o->prog[i]);
        o->prog[i] = -1;
    }
}

/* /proc/diskstats, as text: NULL when it cannot be had. */
static char *hy_diskstats(void)
{
    enum { MOST = 256 << 10 };
    char *s = malloc(MOST);
    size_t n = s ? u_slurp("/proc/diskstats", s, MOST) : 0;
    if (!n) {
        free(s);
        return NULL;
    }
    return realloc(s, n + 1);
}

/* The disks' requests too. err: an int, 0 or -errno. */
static void *hy_load_disk(void *err)
{
    static struct bpf_cfg cfg[] = { { "CFG_SECOND", 0 }, { "CFG_NS_INO", 0 } };
    struct bpf_obj *o = &hy.disk;
    cfg[1].val = bpf_pid_ns(NULL);
    *o = (struct bpf_obj){ .fam = &disk_family, .lender = &hy.obj, .ring = true,
                           .cfg = cfg, .n_cfg = ARRAY_LEN(cfg) };
    int e = bpf_open(o);
    for (u32 i = 0; i < disk_family.n_progs && !e; i++)
        e = hy_load_at(o, cfg, i);
    *(int *)err = e;
    return NULL;
}

/* Does without a family beside that of the calls. */
static void hy_drop(struct bpf_obj *o)
{
    bpf_close(o);
    o->fam = NULL;
}

/* With the programs of the disks (disk: how loading them has ended), or without: the rest goes on,
 * and who asks a disk is seen by a program of the family call. (Not both: to take one of two
 * programs from a tracepoint waits for an RCU grace period, 12 ms here; kernel/tracepoint.c.) */
static int hy_with_disk(int disk)
{
    u32 bio = 1u << HY_BIO;
    int e;
    if (!disk) {
        hy.diskstats = hy_diskstats();
        return 0;
    }
    u_warn("block I/O off: %s", hy.disk.why);
    hy_drop(&hy.disk);
    return (e = bpf_load(&hy.obj, bio)) ? e : bpf_attach(&hy.obj, bio);
}

/* All programs, those of the disks by a second thread: the verifier takes its time for each, and
 * several at a time. (Not before 5.11, where they count as locked memory, and the limit of that may
 * have to be raised on the way.) */
static int hy_load_all(void)
{
    pthread_t th;
    int disk = 0;
    bool late = bpf_kernel_version() < (5u << 16 | 11u << 8), want = hy.sched;
    late = late || (want && u_thread(&th, hy_load_disk, &disk) < 0);
    int e = hy_load();
    if (want && !late)
        pthread_join(th, NULL);
    else if (want && !e)
        hy_load_disk(&disk);
    return e || !want ? e : hy_with_disk(disk);
}

/* The family, with the events as this kernel calls them. */
static const struct bpf_family *hy_uring_family(void)
{
    static struct bpf_prog_row row[ARRAY_LEN(uring_progs)];
    static struct bpf_family fam;
    fam = uring_family;
    memcpy(row, uring_progs, sizeof row);
    fam.progs = row;
    if (tfs_event_id("io_uring/io_uring_submit_req") >= 0) /* 6.4 */
        row[0].attach = "io_uring/io_uring_submit_req";
    return &fam;
}

static int hy_load_uring(struct bpf_obj *o)
{
    static struct bpf_cfg cfg[] = { { "CFG_NS_INO", 0 }, { "CFG_BY_REQ", 0 } };
    u32 all = (1u << ARRAY_LEN(uring_progs)) - 1;
    *o = (struct bpf_obj){ .fam = hy_uring_family(), .lender = &hy.obj, .ring = true, .cfg = cfg,
                           .n_cfg = ARRAY_LEN(cfg) };
    int e = bpf_open(o);
    bpf_find_records(o, all);
    cfg[0].val = bpf_pid_ns(NULL);
    cfg[1].val = bpf_has_field(o, "trace_event_raw_io_uring_complete.req");
    return e || (e = bpf_load(o, all)) ? e : bpf_attach(o, all);
}

/* There is a ring of io_uring's, or will be when the call returns that a stopped thread is in: what
 * goes through it is seen from now on. */
static void hy_start_uring(void)
{
    if (!hy.on || !hy.sched || hy.ring_tried)
        return;
    hy.ring_tried = true;
    sigset_t all, was; /* the verifier gives up when a signal comes, and our tick does */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &was);
    int e = hy_load_uring(&hy.uring);
    sigprocmask(SIG_SETMASK, &was, NULL);
    if (e) {
        u_warn("io_uring off: %s", hy.uring.why);
        hy_drop(&hy.uring);
    }
}

/* Loads and attaches. Returns NULL, or why it cannot be (static). */
static const char *hy_start(const bool *need, u32 ring_bytes)
{
    static char why[800];
    hy.magic = bpf_magic();
    int e = hy_open(ring_bytes);
    if (!e && !(e = hy_load_all()))
        e = hy_view();
    hy_choose(need);
    if (!e && (!hy.count || hy.all) && (e = hy_watch()))
        bpf_fail(&hy.obj, e, "cannot fill the map spec: %s", strerror(-e));
    if (!e) {
        hy.on = true;
        if (fdt.ring)
            hy_start_uring();
        return NULL;
    }
    const char *mend = bpf_denied(e);
    snprintf(why, sizeof why, "%s%s%s%s", hy.obj.why, *mend ? " (" : "", mend, *mend ? ")" : "");
    bpf_close(&hy.obj);
    if (hy.disk.fam)
        hy_drop(&hy.disk);
    memset(hy.row, 0, sizeof hy.row); /* they have to stop, then */
    return why;
}

/* In the child: the call by which the probe begins to follow it. */
static void hy_child(void)
{
    if (bpf.memlock_raised)
        setrlimit(RLIMIT_MEMLOCK, &bpf.memlock);
    if (hy.on)
        syscall(SYS_openat, AT_FDCWD, hy.magic, O_RDONLY, 0);
}

/* A bpf(2) on the map of threads. One that is preempted keeps the programs of classic tracepoints
 * from running on that CPU till it has its turn again (bpf_disable_instrumentation,
 * kernel/bpf/syscall.c), and the calls of those that run meanwhile are missing: so it has no turns.
 * Where that is refused (CAP_SYS_NICE, a cgroup without real time), they are counted. */
static int hy_map(int cmd, const u32 *key, const void *val, u64 flags)
{
    static const struct sched_param first = { .sched_priority = 1 }, own = { 0 };
    long policy = hy.in_order ? syscall(SYS_sched_getscheduler, 0) : -1;
    bool normal = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
    bool undisturbed = normal && !syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &first);
    int e = bpf_map_flagged(cmd, bpf_map(&hy.obj, "traced"), key, val, flags);
    if (undisturbed)
        syscall(SYS_sched_setscheduler, 0, (int)policy, &own);
    return e;
}

/* A thread's key in `traced`: its id in the first pid namespace, which its records tell; 0: not
 * known. */
static u32 hy_key(const struct task *t)
{
    return t->key ? t->key : hy.in_ns ? 0 : (u32)t->tid;
}

/* What the probe knows of a thread, and of the call that it is in (in_call). */
static bool hy_thread(const struct task *t, struct wire_thread *th)
{
    u32 key = hy_key(t);
    memset(th, 0, sizeof *th);
    return key && hy_map(BPF_MAP_LOOKUP_ELEM, &key, th, 0) == 0
           && th->nr < CALL_NRS && th->tid == (u32)t->tid;
}

/* Sees to it that the probe follows a thread: one that is attached, or whose birth it has missed.
 * Returns 1: it does now, 0: it did, -errno. */
static int hy_follow(pid_t tid)
{
    u32 key = (u32)tid;
    struct wire_thread th = { .tid = key };
    int e = hy_map(BPF_MAP_UPDATE_ELEM, &key, &th, BPF_NOEXIST);
    return e == -EEXIST ? 0 : e ? e : 1;
}

/* From now on all calls of a thread stop, so they must not be counted in the kernel as well. */
static void hy_full(const struct task *t)
{
    struct wire_thread th = { 0 };
    u32 key = hy_key(t);
    if (!hy.count || !key || hy_map(BPF_MAP_LOOKUP_ELEM, &key, &th, 0))
        return;
    th.full = 1;
    hy_map(BPF_MAP_UPDATE_ELEM, &key, &th, BPF_EXIST);
}

/* Before a thread is let go: no signal may come to it any more. */
static void hy_leave(struct task *t)
{
    u32 key = hy_key(t);
    if (hy.on && key)
        hy_map(BPF_MAP_DELETE_ELEM, &key, NULL, 0);
}

/* A thread has taken its leader's id by an exec: the probe has seen it as well, unless it was kept
 * from it (see bpf_raw_is_whole). */
static void hy_moved(const struct task *t, u32 was)
{
    if (hy.on && !hy.in_ns && hy_follow(t->tid) == 1)
        hy_map(BPF_MAP_DELETE_ELEM, &was, NULL, 0);
}

/* Takes the call that the probe has kept with a stopped thread, because the ring had no room. Not
 * of one that was killed at this stop: the probe has sent it after all, and its row is gone. */
static bool hy_take_kept(const struct task *t, struct wire_thread *th)
{
    u32 key = hy_key(t);
    if (!hy_thread(t, th) || !th->kept)
        return false;
    struct wire_thread taken = *th;
    taken.kept = 0;
    return hy_map(BPF_MAP_UPDATE_ELEM, &key, &taken, BPF_EXIST) == 0;
}

/* Whether a signal is the probe's, to hold a thread while the ring is emptied. */
static bool hy_ours(const siginfo_t *si)
{
    if (!hy.on || si->si_pid)
        return false;
    /* Over RLIMIT_SIGPENDING a real-time signal comes without its siginfo (kernel/signal.c). */
    if (si->si_signo == 33 && si->si_code == SI_USER && !si->si_uid)
        return true;
    return (si->si_signo == SIGURG || si->si_signo == SIGSTOP || si->si_signo == 33)
           && si->si_code == SI_KERNEL;
}

/* How often threads were stopped for the ring's sake. */
static u64 hy_stops(void)
{
    int map = bpf_map(&hy.obj, "counts");
    return hy.on ? bpf_sum(map, HY_STOPS_SOFT) + bpf_sum(map, HY_STOPS_HARD) : 0;
}

/* Waits for a CPU, from the probe's per-CPU histogram; NULL where that was not asked for. */
static const struct st_delays *hy_delays(void)
{
    static struct st_delays d;
    u64 slot[DELAY_SLOTS];
    if (!hy.on || !hy.sched)
        return NULL;
    bpf_sums(bpf_map(&hy.obj, "delays"), DELAY_SLOTS, slot);
    d.sum_ns = slot[DELAY_SUM];
    d.count = 0;
    for (u32 i = 0; i < DELAY_BUCKETS; i++)
        d.count += d.hist[i] = (u32)slot[i];
    d.max_ns = hy.max_delay_ns;
    return &d;
}

/* A disk's name, or MAJOR:MINOR where sysfs does not tell. */
static const char *hy_disk_name(u32 dev)
{
    static u32 next;
    char path[64], to[PATH_MAX];
    for (size_t i = 0; i < ARRAY_LEN(hy.disk_name); i++)
        if (hy.disk_name[i].dev == dev && *hy.disk_name[i].name)
            return hy.disk_name[i].name;
    u32 at = next++ % ARRAY_LEN(hy.disk_name);
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
    ssize_t n = readlink(path, to, sizeof to - 1);
    to[MAX(n, 0)] = 0;
    const char *slash = strrchr(to, '/'), *name = slash ? slash + 1 : strrchr(path, '/') + 1;
    hy.disk_name[at].dev = dev;
    snprintf(hy.disk_name[at].name, ST_DISK_NAME, "%s", name);
    return hy.disk_name[at].name;
}

/* The numbers of a line of diskstats that are shown: requests, and their 512-byte sectors. */
static void hy_disk_numbers(const char *p, u64 *v)
{
    static const u8 which[17] = { 0, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0, 5, 0, 6, 0, 7 };
    char *end;
    memset(v, 0, sizeof ((struct st_disk *)0)->v);
    for (u32 i = 1; i < ARRAY_LEN(which); i++, p = end) {
        u64 n = strtoull(p, &end, 10);
        if (end == p || memchr(p, '\n', (size_t)(end - p)))
            return;
        if (which[i])
            v[which[i] - 1] = which[i] % 2 || which[i] == 7 ? n : n * 512;
    }
}

/* What the disk of a line of diskstats has done since the start; false: nothing, or it is a
 * partition of one. */
static bool hy_disk_did(const char *line, struct st_disk *d)
{
    u64 was[ARRAY_LEN(d->v)], sum = 0;
    size_t n = strspn(line, " 0123456789"), len = strcspn(line + n, " \n");
    char path[64];
    snprintf(d->name, sizeof d->name, "%.*s", (int)len, line + n);
    size_t head = n + len;
    const char *before = hy.diskstats;
    while (before && *before && strncmp(before, line, head + 1))
        before = strchr(before, '\n') ? strchr(before, '\n') + 1 : NULL;
    hy_disk_numbers(line + head, d->v);
    memset(was, 0, sizeof was);
    if (before && *before)
        hy_disk_numbers(before + head, was);
    for (size_t k = 0; k < ARRAY_LEN(was); k++)
        sum |= d->v[k] -= d->v[k] < was[k] ? 0 : was[k]; /* fewer: it was made anew */
    snprintf(path, sizeof path, "/sys/block/%s", d->name);
    for (char *p = path + strlen("/sys/block/"); *p; p++)
        *p = *p == '/' ? '!' : *p;
    return sum && access(path, F_OK) == 0;
}

/* The disks' requests, and what the disks did for all; NULL where that was not asked for. */
static const struct st_io *hy_io(void)
{
    struct st_io *io = &hy.io;
    if (!hy.on || !hy.disk.fam)
        return NULL;
    io->lost = bpf_lost(&hy.obj, LOST_DISK) + bpf_missed(&hy.disk, ~0u);
    if (hy.uring.fam)
        st.uring_lost = bpf_lost(&hy.obj, LOST_URING) + bpf_missed(&hy.uring, ~0u);
    char *now = hy.diskstats ? hy_diskstats() : NULL;
    io->n_disks = 0;
    for (char *p = now; p && *p && io->n_disks < ST_DISKS;) {
        io->n_disks += hy_disk_did(p, &io->disk[io->n_disks]);
        p = strchr(p, '\n');
        p += p != NULL;
    }
    free(now);
    return io;
}

/* The errno of a request's error (blk_status_to_errno, block/blk-core.c). */
static int hy_io_errno(s32 error)
{
    static const u8 known[] = {
        0, EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK, EREMOTEIO, EBADE, ENODATA, EILSEQ, ENOMEM, EIO,
        EREMCHG, EAGAIN
    };
    return error < 0 ? MIN(-error, 4095) : (size_t)error < ARRAY_LEN(known) ? known[error] : EIO;
}

/* What a request is: its number in include/linux/blk_types.h. */
static const char *hy_io_op(u32 op)
{
    static const char *const name[] = { [0] = "read", [1] = "write", [2] = "flush", [3] = "discard",
                                        [5] = "secure erase", [9] = "write zeroes" };
    return op >= 32 ? "passthrough" : op < ARRAY_LEN(name) && name[op] ? name[op] : "other";
}

/* Calls that are missing in spite of everything. */
static u64 hy_lost(void)
{
    u64 tree = hy.on ? bpf_lost(&hy.obj, LOST_TREE) : 0;
    return hy.on ? bpf_lost(&hy.obj, LOST_RING) + tree - MIN(tree, hy.healed)
                       + bpf_missed(&hy.obj, hy_programs(false)) + hy.strays : 0;
}

/* A record, checked: its segments become what mem_ reads from. NULL: it is damaged. */
static const struct wire_call *hy_record(const void *p, u32 size)
{
    const struct wire_call *w = p;
    const u8 *at = (const u8 *)(w + 1), *end = (const u8 *)p + size;
    mem_replay(NULL, 0, NULL, 0);
    if (size < sizeof *w || w->nr >= CALL_NRS)
        return NULL;
    while (at + sizeof(struct wire_seg) <= end) {
        const struct wire_seg *seg = (const void *)at;
        const u8 *data = at + sizeof *seg;
        u32 len = seg->len;
        if (data + len > end)
            return NULL;
        if (seg->arg == SEG_FILE && len == sizeof(struct wire_file))
            mem_replay_file((const void *)data);
        else if (seg->arg == SEG_TIMES && len == sizeof(struct wire_times))
            replay.times = (const void *)data;
        else if (seg->arg < CALL_WORDS)
            mem_replay(w->word + seg->arg, len, data, seg->fault);
        at = data + ((len + 7) & ~7u);
    }
    return w;
}

/* == 29 tr_  the ptrace loop =====================================================
 * PTRACE_SEIZE; system-call stops only for calls that somebody asked about (a seccomp filter, where
 * that changes nothing for the program); every other stop handed on as it would have been untraced.
 * From the first attach on nothing here ends the program: errors are counted or reported once, and
 * the way out is tr_finish. man ptrace(2) is the contract; EDGE_CASES P1-P40 are its traps.
 *
 * Order: what is told, is told in the order of its ends. The ring's records come as they lie in it,
 * which is that order but for the microseconds between a record's clock and its place; before each,
 * what the other sources know of the time before it (tr_upto: page faults, and calls kept with
 * threads that found the ring full). Stops are looked at when the ring is empty up to a mark, and
 * happened at that mark (tr.seen_ns), so that what other threads do meanwhile comes behind them.
 * Only a run of page faults is up to PF_RUN_NS late: its time is that of its first. */

enum { TR_TICK_US = 100000, TR_FAST_US = 2000, TR_UNREAD_NS = 50000000, TR_LASTS_NS = 50000000 };
enum { TR_MARK = 0x4b56 }; /* SECCOMP_RET_DATA of our filter: "KV" */
enum {
    TR_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                 PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC
};

static struct {
    pid_t child;          /* the command; 0 when attached */
    int status;           /* its wait status, -1 until it is known */
    struct sp cmd;        /* the command */
    bool accel, started, detaching, killing, ending;
    bool bound;           /* the tree ends with kvis, however that ends */
    const char *no_accel; /* why there is none */
    int quit_sig;         /* the signal that ends kvis */
    u32 interrupts;
    volatile sig_atomic_t tick;             /* TR_TICK has passed, or a signal has come */
    volatile sig_atomic_t n_queued, n_done; /* signals that came, and those acted on */
    siginfo_t queued[8];
    u64 start_ns, next_table_ns, deadline_ns, detach_ns;
    struct name *cwd;
    struct {              /* whether polling waitpid pays: see tr_poll_or_not */
        u64 since, cost[2];          /* ns a stop: without, with */
        u32 stops, window, length, hold;
        bool on, trial;
    } poll;
    struct {              /* deaths of threads that no parent had announced yet: a ring */
        pid_t tid;
        int status;
    } early[64];
    u32 n_early;
    volatile sig_atomic_t attaching, n_reaped; /* what tr_reap_dead took */
    u64 seen_ns;          /* the stops in hand are of before it, and so is all that is told */
    u64 collected;        /* stops that went through tr_batch[] */
    u32 kept_n;           /* of tr_kept[] */
    u64 stops, stops_at_tick, idle_since, lost_ns;
    u32 n_resident;      /* processes whose memory was looked at in this tick */
    bool tty;             /* a person looks on: print at once */
    pid_t stopped_tid;    /* whose stop is about to be handled */
    u32 batch_next, batch_n; /* of tr_batch[], those still to be handled */
    u32 quiet_drains;     /* in a row that found no record */
    bool fast;            /* the tick is fast: records are coming */
    u32 options;
    bool need[SC_N];      /* rows that stop */
} tr = { .status = -1, .cmd.err = -1, .poll.length = 8 };

/* What wait4 has said already: see tr_collect, tr_reap_dead. */
static struct tr_stopped {
    pid_t tid;
    int status;
} tr_batch[8192], tr_reaped[ARRAY_LEN(tr_batch)];

/* Calls that were kept with threads which stand now, the last that ended first. */
static struct wire_thread tr_kept[1024];

/* The row of tr_batch[] that waits to be handled for a thread, or NULL. */
static struct tr_stopped *tr_batched(pid_t tid)
{
    for (u32 i = tr.batch_next; i < tr.batch_n; i++)
        if (tr_batch[i].tid == tid)
            return &tr_batch[i];
    return NULL;
}

/* --- which calls stop --- */

/* Fills tr.need: what the sinks were asked for and what the model cannot do without. */
static void tr_choose(void)
{
    bool all = opt.calls || opt.count_only || opt.count_too, limited = opt.trace != NULL;
    for (u16 i = 0; i < SC_N; i++) {
        bool asked = sc_set[i] && (all || md_wants(i, false));
        tr.need[i] = asked || md_wants(i, true) || (hy.on && md_is_about_fds(i));
        if (hy.on && sc_id[i] == SC_mmap)
            tr.need[i] = true; /* tells which memory must be read with care: see mem_ */
        if (sc_id[i] == SC_rt_sigaction && (opt.count_only || opt.count_too))
            tr.need[i] = true; /* tells an interrupted call that goes on from one that ends */
        if (limited && !tr.need[i] && md_is_about_fds(i))
            fdt.lazy = tr.accel && !hy.on;
    }
}

/* --- the seccomp filter --- */

struct tr_prog {
    struct sock_filter f[2048];
    u16 n;
};

static void tr_insn(struct tr_prog *p, u16 code, u32 k, u8 jt, u8 jf)
{
    if (p->n < ARRAY_LEN(p->f))
        p->f[p->n++] = (struct sock_filter){ code, jt, jf, k };
}

static bool tr_nr_wanted(u32 nr)
{
    int row = sc_find(ARCH_NATIVE, nr);
    return row < 0 ||
           (tr.need[row] && !hy.row[row]); /* a call newer than our table: let it be seen */
}

/* Code that decides for numbers [lo, hi), as a binary search over the places where the answer
 * changes. */
static void tr_tree(struct tr_prog *p, const u32 *edge, u32 lo, u32 hi)
{
    if (hi - lo == 1) {
        tr_insn(p, BPF_RET | BPF_K, tr_nr_wanted(edge[lo]) ? SECCOMP_RET_TRACE | TR_MARK
                                                           : SECCOMP_RET_ALLOW, 0, 0);
        return;
    }
    u32 mid = lo + (hi - lo) / 2;
    tr_insn(p, BPF_JMP | BPF_JGE | BPF_K, edge[mid], 0, 1);
    u16 far = p->n; /* jumps of BPF_JGE reach 255 instructions: a BPF_JA reaches any */
    tr_insn(p, BPF_JMP | BPF_JA, 0, 0, 0);
    tr_tree(p, edge, lo, mid);
    p->f[far].k = (u32)(p->n - far - 1);
    tr_tree(p, edge, mid, hi);
}

/* The filter: TRACE for what tr.need says and for every call of another convention, else ALLOW. */
static void tr_filter(struct tr_prog *p)
{
    enum { UFFD_NEW = 0xaa00 }; /* USERFAULTFD_IOC_NEW, <linux/userfaultfd.h> */
    u32 edge[1024], n = 0;
    bool was = false;
    int ioctl_row = SC_ioctl, mmap_row = SC_mmap, clone_row = SC_clone;
    p->n = 0;
    for (u32 nr = 0; nr < 1000 && n < ARRAY_LEN(edge) - 1; nr++)
        if (!n || tr_nr_wanted(nr) != was) {
            edge[n++] = nr;
            was = tr_nr_wanted(nr);
        }
    tr_insn(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    tr_insn(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0);
    tr_insn(p, BPF_RET | BPF_K, SECCOMP_RET_TRACE | TR_MARK, 0, 0);
    tr_insn(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    if (!tr.need[mmap_row]) { /* files may be mapped whose pages never come: see mem_ */
        tr_insn(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4);
        tr_insn(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3]), 0, 0);
        tr_insn(p, BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 1, 0);
        tr_insn(p, BPF_RET | BPF_K, SECCOMP_RET_TRACE | TR_MARK, 0, 0);
        tr_insn(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    }
    if (hy.row[clone_row]) { /* see tr_no_untraced */
        tr_insn(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
        tr_insn(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]), 0, 0);
        tr_insn(p, BPF_JMP | BPF_JSET | BPF_K, CLONE_UNTRACED, 0, 1);
        tr_insn(p, BPF_RET | BPF_K, SECCOMP_RET_TRACE | TR_MARK, 0, 0);
        tr_insn(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    }
    if (!tr.need[ioctl_row]) {
        tr_insn(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 4);
        tr_insn(p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]), 0, 0);
        tr_insn(p, BPF_JMP | BPF_JEQ | BPF_K, UFFD_NEW, 0, 1);
        tr_insn(p, BPF_RET | BPF_K, SECCOMP_RET_TRACE | TR_MARK, 0, 0);
        tr_insn(p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    }
    tr_tree(p, edge, 0, n);
}

#define TR_ALL_ASKED "every call is asked for"

/* Why a filter may not be used here, or NULL. It must not change what the program is: without
 * CAP_SYS_ADMIN it would take no_new_privs, and under another filter (a container's) ours would not
 * see the calls that that one denies (seccomp(2), NOTES: the first match of the highest precedence
 * wins). */
static const char *tr_accel_why_not(void)
{
    if (opt.no_accel)
        return "--no-accel";
    if (opt.n_pids)
        return "attached with -p";
    if (opt.until_exit && !opt.kill_on_exit)
        return "--until-exit lets go of what is left";
    if (!hy.on && (opt.calls || opt.count_only || opt.count_too))
        if (!opt.trace)
            return TR_ALL_ASKED;
    if (ps_status(getpid(), "Seccomp:") > 0)
        return "kvis runs under a seccomp filter itself";
    if (geteuid() != 0)
        return "it would set no_new_privs";
    return NULL;
}

/* Whether what a process executes is a program of 32 bits. */
static bool tr_runs_32(pid_t pid)
{
    char exe[64];
    u8 ident[EI_NIDENT] = { 0 };
    snprintf(exe, sizeof exe, "/proc/%d/exe", pid);
    int f = open(exe, O_RDONLY | O_CLOEXEC);
    bool whole = f >= 0 && read(f, ident, sizeof ident) == (ssize_t)sizeof ident;
    if (f >= 0)
        close(f);
    return whole && ident[EI_CLASS] != ELFCLASS64;
}

/* The same for -p. Calls of another convention have no record, and there is no filter that would
 * stop them; and only in the first pid namespace does kvis know the threads as the probe does. */
static const char *tr_attach_why_not(void)
{
    if (opt.no_accel)
        return "--no-accel";
    if (bpf_pid_ns(NULL))
        return "-p in a pid namespace";
    for (u32 i = 0; i < opt.n_pids; i++) {
        if (tr_runs_32(opt.pids[i]))
            return "a 32-bit program";
        if (ps_status(opt.pids[i], "Seccomp:") > 0)
            return "a program with seccomp filters";
    }
    return NULL;
}

/* Whether nothing is wanted but the table of all: then nobody need know more of a call than its
 * number, its result and its time. */
static bool tr_only_counts(void)
{
    return opt.count_only && !opt.calls && !opt.by_pid && !opt.json && !opt.record && !opt.n_paths
           && !opt.faults;
}

/* Why the hybrid backend may not be used, before it is tried; NULL: it may. It goes with the
 * filter: what is not recorded stops by it. */
static const char *tr_hybrid_why_not(void)
{
    if (opt.backend == 'p')
        return "--backend=ptrace";
    if (geteuid() != 0)
        return "BPF needs root";
    if (opt.n_pids) /* unasked only where no thread need ever be held: any can block SIGURG any
                       time, and where a handler's sa_mask does, no call tells */
        return opt.backend == 'h' || tr_only_counts() ? tr_attach_why_not() : "attached with -p";
    hy.on = true; /* so asked, what is asked for is no reason */
    const char *why = tr_accel_why_not();
    hy.on = false;
    return why;
}

/* Decides how calls are seen: recorded by BPF, counted by it, stopping by a filter, or stopping
 * all. */
static void tr_backend(void)
{
    hy.why_not = tr_hybrid_why_not();
    if (!hy.why_not) {
        hy.on = true;
        hy.all = opt.n_pids > 0;
        hy.count = tr_only_counts();
        tr_choose();
        hy.on = false;
        u32 ring = hy.count ? 64 << 10 : 4 << 20;
        hy.why_not = hy_start(tr.need, opt.ring_bytes ? opt.ring_bytes : ring);
    }
    hy.all &= hy.on;
    hy.count &= hy.on;
    tr.no_accel = tr_accel_why_not();
    tr.accel = !tr.no_accel;
    tr.bound = tr.accel || opt.kill_on_exit;
    tr_choose();
}

static const char *tr_backend_name(void)
{
    return hy.on ? "hybrid" : "ptrace";
}

/* --- small ptrace helpers --- */

static void tr_each(void (*f)(struct task *))
{
    for (u32 i = 0; i < PS_BUCKETS; i++)
        for (struct task *t = ps.task[i], *next; t; t = next) {
            next = t->next;
            f(t);
        }
}

/* Lets a stopped tracee go on, with `sig` delivered when not 0. */
static void tr_resume(struct task *t, int sig)
{
    bool every = t->full || !(tr.accel || hy.all) || (t->call.open && !t->pending);
    t->run = RUN_RUNNING;
    if (t->full && !t->full_ns) {
        t->full_ns = u_now();
        hy_full(t);
    }
    /* ESRCH: it was killed meanwhile; its end is reported by waitpid. */
    sys_ptrace(every && tr.started ? PTRACE_SYSCALL : PTRACE_CONT, t->tid, 0, (void *)(long)sig);
}

static s64 tr_eventmsg(struct task *t)
{
    unsigned long msg = 0;
    long e = sys_ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &msg);
    return e < 0 ? e : (s64)msg;
}

/* --- calls --- */

static bool tr_shown(const struct call *c)
{
    return opt.calls && (!c->known || sc_set[c->row]);
}

/* The result decides whether the line is wanted: it can only be printed whole. */
static bool tr_whole_only(void)
{
    return opt.status != CALL_ALL || opt.n_paths;
}

/* A call that the kernel restarts by itself continues the one that was interrupted. */
static bool tr_continues(struct task *t, const struct stop *s)
{
    struct call *c = &t->call;
    if (!t->restarting)
        return false;
    t->restarting = false;
    int row = sc_find(s->abi, s->nr);
    if (row >= 0 && sc_id[row] == SC_restart_syscall)
        return true;
    if (s->nr == c->nr && s->abi == c->abi && !memcmp(s->arg, c->arg, sizeof c->arg))
        return true;
    c->err = EINTR; /* it ended with that after all */
    st_call(t, c);
    return false;
}

static void tr_enter(struct task *t, const struct stop *s, u64 ns)
{
    struct call *c = &t->call;
    if (tr_continues(t, s)) {
        c->open = true;
        c->noret = c->detached = c->begun = false;
        c->shown = 0;
    } else {
        struct buf text = c->text;
        *c = (struct call){ .open = true, .abi = s->abi, .nr = s->nr, .enter_ns = ns };
        c->text = text;
        memcpy(c->arg, s->arg, sizeof c->arg);
        int row = sc_find(s->abi, s->nr);
        c->known = row >= 0;
        c->row = c->known ? (u16)row : 0;
        c->id = sc_id[c->row];
        md_enter(t, c);
    }
    if (tr_shown(c)) {
        dec_enter(t, c);
        out_call_enter(t, replay.on || tr_whole_only());
    }
}

/* Whether the kernel counts a call that has stopped all the same (see tr_filter). */
static bool tr_counted(const struct task *t)
{
    const struct call *c = &t->call;
    return hy.count && !t->full_ns && c->known && c->abi == ARCH_NATIVE && hy.row[c->row];
}

/* The call in t->call is over; ret and err stand in it. */
static void tr_done(struct task *t)
{
    struct call *c = &t->call;
    bool again = c->ret <= -512 && c->ret >= -516;
    c->open = false;
    t->restarting = again && !c->noret;
    if (fdt.dead)
        md_closed(t, -1); /* descriptors that /proc showed to be others by now */
    if (!c->noret && !t->restarting
        && (!c->known || tr.need[c->row] || md_is_about_fds(c->row) || c->id == SC_mmap))
        md_exit(t, c);
    if (fdt.ring)
        hy_start_uring();
    if (!t->restarting && !tr_counted(t))
        st_call(t, c);
    if (!tr_shown(c))
        return;
    if (!c->noret)
        dec_exit(t, c);
    if (c->begun || (md_status_wanted(c) && md_call_wanted(t, c)))
        out_call_exit(t);
}

/* Gives back the thread's share of its descriptors; `closed`: the kernel has done so too, and the
 * last ones are reported in its name. */
static void tr_put_files(struct task *t, bool closed)
{
    files_put(t->files);
    t->files = NULL;
    if (closed)
        md_closed(t, -1);
    for (struct ofd *o; (o = ofd_dead()); ofd_recycle(o))
        out_forget_file(o);
}

/* Forgets a tracee, and its process with the last one. */
static void tr_drop(struct task *t, bool closed)
{
    struct proc *p = t->proc;
    tr_put_files(t, closed);
    out_forget(t);
    pf_flush(t);
    ps_free_task(t);
    if (p && !p->tasks)
        ps_free_proc(p);
}

/* Only one can trace a process: a debugger that kvis traces cannot trace what kvis traces (P30). */
static void tr_other_tracer(struct task *t, const struct call *c)
{
    static bool said;
    if (said || !c->known || c->id != SC_ptrace || c->err != EPERM)
        return;
    said = true;
    u_warn("pid %d gets EPERM from ptrace: what it wants to trace is traced by kvis", t->pid);
}

/* A thread that has got seccomp filters by another one's TSYNC runs on until something stops it. */
static void tr_make_full(struct task *t)
{
    if (t->full && !t->full_ns && t->run == RUN_RUNNING)
        sys_ptrace(PTRACE_INTERRUPT, t->tid, 0, NULL);
}

static void tr_exit(struct task *t, const struct stop *s)
{
    struct call *c = &t->call;
    if (!c->open)
        return; /* its entry was before us: fork's child, exec seen late, attach */
    c->exit_ns = u_when();
    c->ret = s->ret;
    c->err = s->ret < 0 && s->ret >= -4095 ? (int)-s->ret : 0;
    tr_other_tracer(t, c);
    tr_done(t);
    if (t->full && !t->full_ns)
        tr_each(tr_make_full);
}

/* Closes the call of a thread that will not come back from it. */
static void tr_abandon(struct task *t)
{
    if (t->restarting) {
        t->restarting = false;
        t->call.noret = true;
        st_call(t, &t->call);
    }
    if (!t->call.open)
        return;
    t->call.noret = true;
    t->call.err = 0;
    t->call.exit_ns = u_when();
    tr_done(t);
}

static bool tr_set_clone_flags(struct task *t, const struct call *c, u64 flags)
{
    struct iovec l = { &flags, 8 }, r = { (void *)(uintptr_t)c->arg[0], 8 };
    if (c->id == SC_clone3) /* struct clone_args begins with them */
        return syscall(SYS_process_vm_writev, t->tid, &l, 1, &r, 1, 0ul) == 8;
    return arch_set_arg0(t->tid, c->abi, flags) >= 0;
}

/* CLONE_UNTRACED would give a child that carries our filter and has no tracer: each filtered call
 * of it would fail with ENOSYS (EDGE_CASES P11). The flag means nothing to a program that is not
 * traced, so it is taken out. */
static void tr_no_untraced(struct task *t, const struct call *c)
{
    if (!t->clone_known || !(t->clone_flags & CLONE_UNTRACED))
        return;
    t->told_ns = c->enter_ns;
    t->told_end_ns = ~0ull;
    t->restore_arg0 = tr_set_clone_flags(t, c, t->clone_flags & ~(u64)CLONE_UNTRACED);
    if (!t->restore_arg0)
        u_warn("pid %d makes a child that cannot be traced (CLONE_UNTRACED)", t->tid);
}

/* The program finds its argument as it left it. */
static void tr_restore_untraced(struct task *t)
{
    if (t->told_end_ns == ~0ull)
        t->told_end_ns = u_now();
    if (!t->restore_arg0)
        return;
    t->restore_arg0 = false;
    if (t->call.id == SC_clone3 || !ARCH_ARG0_IS_RESULT)
        tr_set_clone_flags(t, &t->call, t->clone_flags);
}

/* SECCOMP_MODE_STRICT cannot follow on our filter (kernel/seccomp.c, seccomp_may_assign_mode), so
 * kvis does what it would do: read, write, exit and sigreturn, or the end. */
static void tr_strict(struct task *t)
{
    enum { SET_SECCOMP = 22, STRICT = 1, SET_MODE_STRICT = 0 };
    const struct call *c = &t->call;
    bool asks = c->known && ((c->id == SC_prctl && c->arg[0] == SET_SECCOMP && c->arg[1] == STRICT)
                             || (c->id == SC_seccomp && c->arg[0] == SET_MODE_STRICT));
    if (t->strict && c->id != SC_read && c->id != SC_write && c->id != SC_exit
        && c->id != SC_rt_sigreturn && c->id != SC_sigreturn)
        kill(t->tid, SIGKILL);
    else if (asks && tr.accel && arch_skip_call(t->tid, 0) >= 0)
        t->strict = t->full = true;
}

static void tr_syscall_stop(struct task *t, u8 expect)
{
    struct stop s = { 0 };
    if (arch_stop(t->tid, expect, &s) < 0)
        return; /* killed meanwhile */
    if (s.op == PTRACE_SYSCALL_INFO_EXIT) {
        tr_exit(t, &s);
        tr_restore_untraced(t);
    } else if (s.op == PTRACE_SYSCALL_INFO_ENTRY || s.op == PTRACE_SYSCALL_INFO_SECCOMP) {
        sc_narrow(s.abi, s.nr, s.arg);
        bool foreign = s.op == PTRACE_SYSCALL_INFO_SECCOMP && s.data != TR_MARK;
        if (!t->call.open)
            tr_enter(t, &s, u_now()); /* it goes on from now, not from when it stopped */
        tr_strict(t);
        if (foreign) /* the program's own RET_TRACE: untraced it gets ENOSYS, seccomp(2) */
            arch_skip_call(t->tid, ENOSYS);
        else if (t->call.known && (t->call.id == SC_clone || t->call.id == SC_clone3))
            tr_no_untraced(t, &t->call);
    }
}

/* A call that a thread is in, and that nothing has stopped: shown when it lasts, as its record
 * comes only at its end. */
static void tr_pending_at(struct task *t, bool event)
{
    struct wire_thread th;
    if (t->call.open || t->full || !hy_thread(t, &th) || !th.in_call)
        return;
    if (!event && tr.seen_ns < th.ts_ns + TR_LASTS_NS)
        return; /* records from before it may still be in the ring */
    struct stop s = { .abi = ARCH_NATIVE, .nr = th.nr };
    hy_args(s.arg, th.word);
    sc_narrow(s.abi, s.nr, s.arg);
    u64 at = u_at;
    u_at = th.ts_ns;
    tr_enter(t, &s, th.ts_ns);
    u_at = at;
    t->pending = true;
}

static void tr_pending(struct task *t)
{
    tr_pending_at(t, false);
}

/* Whether a record has to wait for its thread's stop: the probe could not read all of it and stops
 * the thread, at the end of that call, so that kvis can. A thread that blocks the signal does not
 * stop: then it stays unread. */
static bool tr_must_wait(const struct wire_call *w)
{
    pid_t tid = (pid_t)w->tid;
    replay.live = w->unread && (tid == tr.stopped_tid || tr_batched(tid));
    if (!w->unread || replay.live)
        return false;
    return u_now() - w->end_ns < TR_UNREAD_NS;
}

/* The name of the thread that ended a wait, as /proc has it about when kvis learns of that. So it
 * is told only of one that is traced and has not executed another program since: of others
 * nothing says whether they have. */
static void tr_waker(struct call *c, pid_t tid)
{
    enum { FRESH_NS = 10000000 };
    struct task *t = hy.all ? NULL : ps_task(tid);
    bool execs = t && t->call.open && (t->call.id == SC_execve || t->call.id == SC_execveat);
    if (!t || execs || t->pid != c->waker_pid || t->program_ns >= c->enter_ns)
        return;
    if (u_now() - t->name_ns > FRESH_NS) {
        char path[64], line[32];
        snprintf(path, sizeof path, "/proc/%d/comm", tid);
        size_t n = u_slurp(path, line, sizeof line);
        snprintf(t->name, sizeof t->name, "%.*s", (int)n - 1, n ? line : ""); /* no newline */
        t->name_ns = u_now();
    }
    memcpy(c->waker_comm, t->name, sizeof t->name);
}

/* Where the time of a call of ns went; m NULL: all of it on a CPU. */
static void tr_times(struct call *c, u64 ns, const struct wire_times *m)
{
    c->timed = true;
    c->cpu_ns = m ? MIN(m->cpu_ns, ns) : ns;
    c->runq_ns = m ? MIN(m->runq_ns, ns - c->cpu_ns) : 0;
    c->disk_ns = m ? MIN(m->disk_ns, ns - c->cpu_ns - c->runq_ns) : 0;
    c->waker_pid = m && !hy.in_ns ? (pid_t)m->waker_pid : 0; /* its number is another one here */
    if (c->waker_pid && tr_shown(c) && (opt.json || opt.record))
        tr_waker(c, (pid_t)m->waker_tid);
}

/* The entry of a recorded call, unless it is shown already (pending). */
static void tr_at_entry(struct task *t, const struct stop *s, u64 ts_ns)
{
    bool shown = t->pending && t->call.enter_ns == ts_ns;
    u_at = ts_ns;
    if (t->pending && !shown) /* how that one ended was lost */
        tr_abandon(t);
    t->pending = false;
    if (!shown)
        tr_enter(t, s, ts_ns);
}

static void tr_play(struct task *t, const struct wire_call *w)
{
    struct stop s = { .abi = ARCH_NATIVE, .nr = w->nr, .ret = w->ret };
    hy_args(s.arg, w->word);
    sc_narrow(s.abi, s.nr, s.arg);
    replay.on = true;
    tr_at_entry(t, &s, w->ts_ns);
    u_at = w->end_ns;
    if (hy.sched && w->over)
        tr_times(&t->call, w->end_ns - w->ts_ns, replay.times);
    w->over ? tr_exit(t, &s) : tr_abandon(t);
    u_at = 0;
    replay.on = replay.live = false;
}

/* Plays the call that found no room in the ring: its thread stands at the end of it, so its memory
 * is read as at a stop of the call itself. */
static void tr_play_kept(struct task *t, const struct wire_thread *th)
{
    struct stop s = { .abi = ARCH_NATIVE, .nr = th->nr, .ret = th->ret };
    hy_args(s.arg, th->word);
    sc_narrow(s.abi, s.nr, s.arg);
    hy.records++;
    t->kept_ns = th->ts_ns;
    tr_at_entry(t, &s, th->ts_ns);
    u_at = th->end_ns;
    if (hy.sched)
        tr_times(&t->call, th->end_ns - th->ts_ns, &(struct wire_times){
            th->cpu_ns, th->runq_ns, th->disk_ns, th->waker_tid, th->waker_pid });
    tr_exit(t, &s);
    u_at = 0;
}

/* Takes the call that was kept with a thread which has just stopped by a signal, if there is one.
 */
static void tr_take_kept(pid_t tid, int status)
{
    struct task *t = WIFSTOPPED(status) && !(status >> 16) ? ps_task(tid) : NULL;
    struct wire_thread th;
    siginfo_t si = { 0 };
    u32 at = tr.kept_n;
    if (!hy.on || hy.count || !tr.started || !t || t->run == RUN_HELD
        || at == ARRAY_LEN(tr_kept))
        return;
    if (hy.in_order) /* another signal than ours may come first; but see tr_follow */
        sys_ptrace(PTRACE_GETSIGINFO, tid, 0, &si);
    if ((hy.in_order && !hy_ours(&si)) || !hy_take_kept(t, &th) || th.ts_ns == t->exec_ns
        || (t->full_ns && th.ts_ns >= t->full_ns))
        return;
    for (; at && tr_kept[at - 1].end_ns < th.end_ns; at--)
        tr_kept[at] = tr_kept[at - 1];
    tr_kept[at] = th;
    tr.kept_n++;
}

/* Tells what other sources than the ring know of the time before ns. (A thread's records in the
 * ring come before the call that was kept with it: who reserved room before them did it before the
 * kept call's end, so that no record in front of them ended later.) */
static void tr_upto(u64 ns)
{
    while (tr.kept_n && tr_kept[tr.kept_n - 1].end_ns < ns) {
        const struct wire_thread *th = &tr_kept[--tr.kept_n];
        struct task *t = ps_task((pid_t)th->tid);
        mem_replay(NULL, 0, NULL, 0);
        pf_upto(th->end_ns);
        if (t)
            tr_play_kept(t, th);
    }
    pf_upto(ns);
}

/* Of a thread that is let go: a call that was kept with it although it could not be stopped. */
static void tr_last_kept(struct task *t)
{
    struct wire_thread th;
    if (!hy.on || hy.count || !tr.started || !t->proc || !hy_take_kept(t, &th))
        return;
    u64 now = u_at;
    mem_replay(NULL, 0, NULL, 0);
    tr_play_kept(t, &th);
    u_at = now;
}

static void tr_detach_one(struct task *t, int sig)
{
    struct call *c = &t->call;
    tr_last_kept(t);
    hy_leave(t);
    sys_ptrace(PTRACE_DETACH, t->tid, 0, (void *)(long)sig);
    c->noret = c->detached = true;
    c->exit_ns = u_when();
    if (c->open && tr_shown(c)
        && (c->begun || (md_status_wanted(c) && md_call_wanted(t, c))))
        out_call_exit(t);
    tr_drop(t, false);
}

/* A thread has waited for a CPU. */
static void tr_delay(const struct wire_delay *d)
{
    struct task *t = ps_task((pid_t)d->tid);
    if (!t || !tr.started || opt.trace)
        return;
    hy.max_delay_ns = MAX(hy.max_delay_ns, d->delay_ns);
    tr_upto(d->ts_ns);
    struct event *e = ev_new(EK_SCHED, t, d->ts_ns);
    ev_num(e, EV_delay_ns, (s64)d->delay_ns);
    ev_num(e, EV_cpu, d->cpu);
    e->noise = d->delay_ns < (u64)(opt.min_delay_us ? opt.min_delay_us : 100) * 1000;
    md_emit(e);
}

/* A disk is done with a request of a thread, which may be gone by now. */
static void tr_io(const struct wire_io *w)
{
    struct task *t = ps_task((pid_t)w->tid);
    if (!tr.started)
        return;
    tr_upto(w->ts_ns);
    st_request(&hy.io, w->ts_ns - w->issue_ns, w->op == 0 ? w->bytes : 0,
               w->op == 1 ? w->bytes : 0);
    if (opt.trace || (!t && !w->pid))
        return;
    struct event *e = ev_new(EK_BLOCK, t, w->ts_ns);
    if (!t)
        e->pid = (pid_t)w->pid, e->tid = (pid_t)w->tid;
    e->err = hy_io_errno(w->error);
    ev_sym(e, EV_op, hy_io_op(w->op));
    ev_num(e, EV_bytes, w->bytes);
    ev_num(e, EV_duration_ns, (s64)(w->ts_ns - w->issue_ns));
    const char *disk = w->dev ? hy_disk_name(w->dev) : NULL;
    if (disk)
        ev_bytes(e, EV_device, disk, (u32)strlen(disk));
    if (w->insert_ns)
        ev_num(e, EV_queue_ns, (s64)(w->issue_ns - w->insert_ns));
    md_emit(e);
}

static void tr_uring(const struct wire_uring *w)
{
    struct task *t = ps_task((pid_t)w->tid);
    if (!t)
        t = ps_task((pid_t)w->pid);
    if (!tr.started || !t)
        return;
    tr_upto(w->ts_ns);
    st.uring_done++;
    if (!opt.trace)
        md_ring(t, w);
}

/* A call that the probe has recorded, as the two stops that it stands for. */
static bool tr_record(const void *p, u32 size)
{
    if (size == sizeof(struct wire_delay)) {
        tr_delay(p);
        return true;
    }
    if (size == sizeof(struct wire_io)) {
        tr_io(p);
        return true;
    }
    if (size == sizeof(struct wire_uring)) {
        tr_uring(p);
        return true;
    }
    if (size >= sizeof(struct wire_call))
        tr_upto(((const struct wire_call *)p)->end_ns);
    const struct wire_call *w = hy_record(p, size);
    struct task *t = w ? ps_task((pid_t)w->tid) : NULL;
    if (!w || (!t && w->over && tr.started))
        hy.strays++;
    if (!t || !tr.started || (t->full_ns && w->ts_ns >= t->full_ns) || w->ts_ns == t->kept_ns
        || w->ts_ns == t->exec_ns || (w->ts_ns > t->told_ns && w->ts_ns < t->told_end_ns))
        return true; /* told already: by a stop of the call, as a kept one, at the exec event */
    if (tr_must_wait(w))
        return false;
    t->key = w->key;
    hy.records++;
    tr_play(t, w);
    return true;
}

/* How often the tick comes: often while there are records, which the ring has no room for long. */
static void tr_set_tick(bool fast)
{
    long us = fast ? TR_FAST_US : TR_TICK_US;
    struct itimerval tick = { { 0, us }, { 0, us } };
    if (fast != tr.fast && setitimer(ITIMER_REAL, &tick, NULL) == 0)
        tr.fast = fast;
}

/* Notes a stop that is to be handled in its turn. */
static void tr_set_aside(pid_t tid, int status)
{
    struct tr_stopped *s = tr_batched(tid);
    if (!s)
        s = &tr_batch[tr.batch_n++];
    *s = (struct tr_stopped){ tid, status };
    tr_take_kept(tid, status);
    tr.collected++;
}

/* wait4(-1) looks at the tracees in the order of their list, the newest first (kernel/ptrace.c,
 * ptrace_link; kernel/exit.c, do_wait_thread): where those stop again as fast as we can look, an
 * older one would never have its turn. So all that stand are asked for before the first goes on.
 * One that comes twice was killed at its first stop, which is void by that: the second takes its
 * place, as if it had been killed before we looked. */
static void tr_collect(void)
{
    int status;
    pid_t tid;
    tr.batch_n -= tr.batch_next;
    memmove(tr_batch, tr_batch + tr.batch_next, tr.batch_n * sizeof *tr_batch);
    tr.batch_next = 0;
    while (tr.batch_n < ARRAY_LEN(tr_kept)
           && (tid = (pid_t)syscall(SYS_wait4, -1, &status, __WALL | WNOHANG, NULL)) > 0)
        tr_set_aside(tid, status);
}

/* Of a thread whose stop is about to be handled, what has come since takes the stop's place. */
static void tr_collected_again(pid_t tid, int *status)
{
    struct tr_stopped *again = tr_batched(tid);
    if (!again)
        return;
    *status = again->status;
    *again = tr_batch[--tr.batch_n];
}

/* Takes the records before rb_mark. */
static void tr_drain(void)
{
    u32 n = rb_drain(tr_record);
    tr.stops += n;
    tr.quiet_drains = n ? 0 : tr.quiet_drains + 1;
    if (n || tr.quiet_drains > 50)
        tr_set_tick(n > 0);
}

/* Takes the records before the mark; false: not all. One that is being written on another CPU, or
 * waits for its thread to stop (tr_must_wait), is in the way of those behind it: a moment later it
 * is not. */
static bool tr_drain_marked(void)
{
    tr_drain();
    for (u64 end = 0; !rb_drained(); tr_drain()) {
        end = end ? end : u_now() + 4 * TR_UNREAD_NS;
        if (u_now() >= end)
            return false;
        tr_collect();
        nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
    }
    return true;
}

/* Tells all from before now, which comes before the stops that are looked at next. */
static void tr_drain_all(void)
{
    u64 n = tr.collected;
    tr.seen_ns = u_now();
    if (!hy.on)
        return;
    rb_mark();
    while (tr_drain_marked() && n != tr.collected) { /* those have records behind the mark */
        n = tr.collected;
        tr.seen_ns = u_now();
        rb_mark();
    }
    tr_upto(tr.seen_ns);
}

/* --- processes --- */

static struct proc *tr_proc(pid_t pid, pid_t ppid)
{
    struct proc *p = ps_proc(pid);
    return p ? p : ps_new_proc(pid, ppid);
}

static void tr_many(void)
{
    out.many |= ps.threads > 1;
}

/* Whether tid is still a tracee of ours that nobody has reaped: so long it can be no stranger's. */
static bool tr_ours(pid_t tid)
{
    siginfo_t si;
    return syscall(SYS_waitid, P_PID, tid, &si, WEXITED | WNOHANG | WNOWAIT | __WALL, NULL) == 0;
}

/* The child has a copy of the registers and perhaps of the memory: its argument is put back at its
 * first stop. */
static void tr_inherit_untraced(struct task *child, const struct task *t)
{
    child->restore_arg0 = t->restore_arg0;
    child->clone_flags = t->clone_flags;
    child->call.abi = t->call.abi;
    child->call.id = t->call.id;
    memcpy(child->call.arg, t->call.arg, sizeof child->call.arg);
}

/* The probe follows children by itself, but for those of a thread that was just being attached.
 * Where its map has no room they stop at every call. Only with -p: a bpf(2) of ours that is
 * preempted keeps the programs of classic tracepoints from running on that CPU
 * (bpf_disable_instrumentation, kernel/bpf/syscall.c). */
static void tr_follow(struct task *t)
{
    int e = hy.all && !hy.in_ns && tr_ours(t->tid) ? hy_follow(t->tid) : 0;
    hy.healed += e < 0; /* the probe had found no room either, and counted it */
    t->full |= e < 0;
}

/* The event of a fork, vfork or clone: parent is stopped in it. */
static struct task *tr_new_child(struct task *t, int event)
{
    s64 tid = tr_eventmsg(t);
    if (tid <= 0)
        return NULL; /* killed in that moment: tr_orphan takes its child */
    if (hy.all || !hy.in_order)
        tr_pending_at(t, true); /* its flags */
    struct task *child = ps_task((pid_t)tid);
    bool held = child != NULL;
    if (child && child->run != RUN_HELD)
        return NULL; /* tr_orphan has taken it meanwhile */
    if (!child && !(child = ps_new_task((pid_t)tid)))
        return NULL;
    u64 fl = t->clone_known                ? t->clone_flags
             : event == PTRACE_EVENT_VFORK ? CLONE_VM | CLONE_VFORK
                                           : 0;
    if (!t->clone_known && ps_status((pid_t)tid, "Tgid:") == t->pid)
        fl = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_THREAD;
    bool thread = fl & CLONE_THREAD;
    ps_inherit(child, t, fl);
    if (t->restore_arg0)
        tr_inherit_untraced(child, t);
    struct proc *p = tr_proc(thread ? t->pid : (pid_t)tid, t->pid);
    if (p) {
        ps_join(child, p);
        if (!thread)
            p->caught = t->proc->caught, p->restart = t->proc->restart,
            p->program = t->proc->program;
        if (fl & CLONE_NEWPID || (t->proc && (t->proc->pid_ns || t->proc->new_pid_ns)))
            ps_look_ns(child);
    }
    t->call.child = (pid_t)tid;
    t->clone_known = false;
    tr_follow(child);
    tr_many();
    struct event *e = ev_new(thread ? EK_THREAD : EK_SPAWN, t, u_when());
    ev_num(e, thread ? EV_child_tid : EV_child_pid, tid);
    if (child->ns_tid)
        ev_num(e, EV_ns_pid, child->ns_tid);
    md_emit(e);
    child->run = held ? RUN_HELD : RUN_NEW;
    return child;
}

static void tr_comm(struct task *t)
{
    const char *s = t->exec_path ? t->exec_path->s : "?", *base = strrchr(s, '/');
    snprintf(t->comm, sizeof t->comm, "%s", base ? base + 1 : s);
    t->name_ns = 0;
    t->program_ns = u_now();
}

/* The program that has just been exec'd, as the caller named it. */
static void tr_exec_event(struct task *t)
{
    tr_comm(t);
    struct event *e = ev_new(EK_EXEC, t, u_when());
    ev_bytes(e, EV_comm, t->comm, (u32)strlen(t->comm));
    md_exec_fields(e, t);
    if (t->exec_path)
        st_program(t->exec_path);
    md_emit(e);
    b_free(&t->exec_argv);
}

/* After exec the thread has a new address space, a descriptor table of its own without what was
 * CLOEXEC, and no handlers; the other threads are gone. */
static void tr_exec_state(struct task *t)
{
    t->files = files_own(t->files);
    fd_close_all(t->files, 0, ~0u, true);
    md_closed(t, -1);
    vm_put(t->mm, false);
    t->mm = vm_new();
    if (t->proc)
        t->proc->caught = 0, t->proc->program = t->exec_path;
    char exe[64];
    snprintf(exe, sizeof exe, "/proc/%d/exe", t->tid);
    if (t->mm) {
        t->mm->careful = vm_slow_fs(t->tid, exe);
        if (opt.faults)
            vm_from_proc(t->mm, t->tid, false);
    }
}

/* exec by a thread that is not the leader: it takes over the leader's tid, and the leader vanishes
 * without a report (ptrace(2), "execve(2) under ptrace"). */
static struct task *tr_exec_takeover(struct task *leader, pid_t former)
{
    struct task *t = ps_task(former);
    if (!t || t == leader)
        return leader;
    pid_t tid = leader->tid, ns_tid = leader->ns_tid;
    tr_abandon(leader);
    tr_drop(leader, true);
    ps_unlink(t);
    t->tid = tid;
    t->ns_tid = ns_tid;
    t->key = 0;
    ps_link(t);
    hy_moved(t, (u32)former);
    return t;
}

/* The value of a key in the auxiliary vector of a process; 0: not there. */
static u64 tr_auxv(pid_t pid, u64 key)
{
    char path[64];
    u64 pair[2], v = 0;
    snprintf(path, sizeof path, "/proc/%d/auxv", pid);
    int f = open(path, O_RDONLY | O_CLOEXEC);
    while (f >= 0 && !v && read(f, pair, sizeof pair) == (ssize_t)sizeof pair && pair[0])
        v = pair[0] == key ? pair[1] : 0;
    if (f >= 0)
        close(f);
    return v;
}

/* An exec whose entry did not stop: the program's name as the caller gave it is on the new stack
 * (AT_EXECFN), its arguments are there too (/proc/PID/cmdline); the caller's memory is gone. */
static void tr_exec_unseen(struct task *t)
{
    enum { EXECFN = 31 };
    struct wire_thread th;
    struct path p;
    char name[PATH_MAX + 1], path[64], chunk[4096];
    bool cut;
    s64 n = mem_str(t, tr_auxv(t->pid, EXECFN), name, PATH_MAX, &cut);
    if (hy_thread(t, &th) && th.in_call) {
        struct stop s = { .abi = ARCH_NATIVE, .nr = th.nr };
        hy_args(s.arg, th.word);
        u64 at = s.arg[th.nr != SYS_execve];
        mem_replay(NULL, 0, NULL, 0);
        if (n > 0)
            mem_replay(&at, (u32)n + 1, (const u8 *)name, false);
        u64 now = u_at;
        replay.on = true;
        u_at = th.ts_ns;
        tr_enter(t, &s, th.ts_ns);
        u_at = now;
        replay.on = false;
        t->pending = true;
    } else if (n > 0) {
        md_join(&p, t->fs && t->fs->cwd ? t->fs->cwd->s : "",
                t->fs && t->fs->cwd ? t->fs->cwd->len : 0, name, (u32)n);
        t->exec_path = nm_get('x', p.s, p.len);
    }
    b_reset(&t->exec_argv);
    t->exec_argv.max = 3 << 20;
    snprintf(path, sizeof path, "/proc/%d/cmdline", t->pid);
    int f = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t r; f >= 0 && (r = read(f, chunk, sizeof chunk)) > 0;)
        b_put(&t->exec_argv, chunk, (size_t)r);
    if (f >= 0)
        close(f);
}

/* That exec has succeeded: its result is known before it returns, so it need not stop then, unless
 * every call of the thread does. */
static void tr_exec_done(struct task *t)
{
    struct stop s = { .abi = t->call.abi, .nr = t->call.nr };
    if (t->pending)
        t->exec_ns = t->call.enter_ns;
    else if (t->full || !tr.accel)
        return;
    t->pending = false;
    tr_exit(t, &s);
}

static struct task *tr_exec(struct task *t)
{
    s64 former = tr_eventmsg(t);
    if (former > 0 && former != t->tid)
        t = tr_exec_takeover(t, (pid_t)former);
    pf_flush(t);
    if (hy.all)
        tr_exec_unseen(t);
    tr_exec_state(t);
    tr_exec_event(t);
    tr_exec_done(t);
    t->full |= hy.all && tr_runs_32(t->tid); /* the probe leaves its calls alone: is_compat */
    return t;
}

static void tr_exit_events(struct task *t, int status, bool last)
{
    for (int process = 0; process <= (int)last; process++) {
        int end_of = process && t->proc ? t->proc->status : status;
        struct event *e = ev_new(process ? EK_EXIT_PROCESS : EK_EXIT_THREAD, t, u_when());
        ev_num(e, EV_exit_pid, process ? t->pid : t->tid);
        if (WIFSIGNALED(end_of))
            ev_sym(e, EV_signal, u_signame(WTERMSIG(end_of)));
        else
            ev_num(e, EV_code, WEXITSTATUS(end_of));
        if (process && WIFSIGNALED(end_of))
            ev_num(e, EV_core, WCOREDUMP(end_of));
        if (process && !out.many && !opt.verbose)
            e->noise = true; /* the summary says it */
        md_emit(e);
    }
}

/* A tracee is no more. */
static void tr_gone(struct task *t, int status)
{
    struct proc *p = t->proc;
    bool last = p && p->tasks == 1;
    tr_abandon(t);
    pf_flush(t);
    if (p && t->tid == t->pid)
        p->status = status;
    if (last)
        st_open_at_exit(t);
    tr_put_files(t, true);
    if (p)
        tr_exit_events(t, status, last);
    tr_drop(t, true);
}

/* The status of a thread that died before it was announced, which can only be by SIGKILL or with
 * its whole process. */
static int tr_early_status(pid_t tid)
{
    for (u32 i = tr.n_early, k = 0; i && k < ARRAY_LEN(tr.early); k++)
        if (tr.early[--i % ARRAY_LEN(tr.early)].tid == tid)
            return tr.early[i % ARRAY_LEN(tr.early)].status;
    return SIGKILL;
}

static void tr_child_event(struct task *t, int event)
{
    struct task *child = tr_new_child(t, event);
    if (!child)
        return;
    if (child->run == RUN_HELD) {
        tr_restore_untraced(child);
        tr_resume(child, 0);
    } else if (!tr_ours(child->tid)) {
        tr_gone(child, tr_early_status(child->tid));
    }
}

/* --- signals --- */

static const char *tr_si_code(const siginfo_t *si)
{
    static const struct { int sig, code; const char *name; } row[] = {
        { 0, SI_USER, "SI_USER" }, { 0, SI_QUEUE, "SI_QUEUE" }, { 0, SI_TIMER, "SI_TIMER" },
        { 0, SI_TKILL, "SI_TKILL" }, { 0, SI_MESGQ, "SI_MESGQ" }, { 0, SI_ASYNCIO, "SI_ASYNCIO" },
        { 0, SI_SIGIO, "SI_SIGIO" }, { 0, SI_KERNEL, "SI_KERNEL" },
        { SIGCHLD, CLD_EXITED, "CLD_EXITED" }, { SIGCHLD, CLD_KILLED, "CLD_KILLED" },
        { SIGCHLD, CLD_DUMPED, "CLD_DUMPED" }, { SIGCHLD, CLD_TRAPPED, "CLD_TRAPPED" },
        { SIGCHLD, CLD_STOPPED, "CLD_STOPPED" }, { SIGCHLD, CLD_CONTINUED, "CLD_CONTINUED" },
        { SIGSEGV, SEGV_MAPERR, "SEGV_MAPERR" }, { SIGSEGV, SEGV_ACCERR, "SEGV_ACCERR" },
        { SIGBUS, BUS_ADRALN, "BUS_ADRALN" }, { SIGBUS, BUS_ADRERR, "BUS_ADRERR" },
        { SIGFPE, FPE_INTDIV, "FPE_INTDIV" }, { SIGTRAP, TRAP_BRKPT, "TRAP_BRKPT" },
        { SIGILL, ILL_ILLOPN, "ILL_ILLOPN" }, { SIGILL, ILL_ILLOPC, "ILL_ILLOPC" },
        { SIGSYS, 1, "SYS_SECCOMP" }, { SIGSYS, 2, "SYS_USER_DISPATCH" },
    };
    static char number[16];
    for (size_t i = 0; i < ARRAY_LEN(row); i++)
        if ((!row[i].sig || row[i].sig == si->si_signo) && row[i].code == si->si_code)
            return row[i].name;
    snprintf(number, sizeof number, "%d", si->si_code);
    return number;
}

/* A handler without SA_RESTART will make the interrupted call return EINTR: it is over now. */
static void tr_interrupted_by(struct task *t, int sig)
{
    u64 bit = 1ull << ((sig - 1) & 63);
    if (!t->restarting || !t->proc || !(t->proc->caught & bit) || t->call.ret == -513)
        return;
    if (t->call.ret != -512 || !(t->proc->restart & bit)) {
        t->restarting = false;
        t->call.err = EINTR;
        st_call(t, &t->call);
    }
}

/* Whether t belongs to the init of a pid namespace that has no handler for a fault which is its
 * own. Untraced, the kernel lifts its immunity and it dies; traced, it does not (kernel/signal.c,
 * force_sig_info_to_task), and faults for ever (EDGE_CASES 0.7, P31). */
static bool tr_immune(struct task *t, const siginfo_t *si)
{
    static const u64 fault = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1)
                           | 1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1);
    u64 bit = 1ull << ((si->si_signo - 1) & 63);
    char path[64], line[256];
    bool init = false;
    if (si->si_code <= 0 || !(fault & bit) || !t->proc)
        return false;
    snprintf(path, sizeof path, "/proc/%d/status", t->tid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (!strncmp(line, "NSpid:", 6) && strchr(line + 7, '\t'))
            init = atoi(strrchr(line, '\t')) == 1;
        else if (!strncmp(line, "SigCgt:", 7) && strtoull(line + 7, NULL, 16) & bit)
            init = false;
    }
    if (f)
        fclose(f);
    return init;
}

/* Who sent a signal: siginfo has it as the receiver's namespace numbers it. */
static void tr_sender(struct event *e, const struct task *t, pid_t pid)
{
    pid_t ours = ps_from_ns(t, pid);
    ev_num(e, EV_sender_pid, ours ? ours : pid);
    if (ours && ours != pid)
        ev_num(e, EV_ns_pid, pid);
}

static void tr_signal_event(struct task *t, int sig, const siginfo_t *si)
{
    if (!tr.started || !(opt.signals >> ((sig - 1) & 63) & 1))
        return;
    struct event *e = ev_new(EK_SIGNAL, t, u_when());
    ev_sym(e, EV_signal, u_signame(sig));
    ev_sym(e, EV_code_name, tr_si_code(si));
    if (si->si_code == SI_USER || si->si_code == SI_QUEUE || si->si_code == SI_TKILL ||
        sig == SIGCHLD)
        tr_sender(e, t, si->si_pid);
    else if (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL)
        ev_num(e, EV_addr, (s64)(uintptr_t)si->si_addr);
    e->noise = sig == SIGCHLD && !opt.verbose;
    md_emit(e);
}

static void tr_signal_stop(struct task *t, int sig)
{
    siginfo_t si = { 0 };
    sys_ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si);
    if (t->tid == tr.child && !tr.started && sig == SIGSTOP) {
        tr.started = true; /* the child stands before its exec: from here on it is watched */
        if (!tr.bound) /* so far it would have been left stopped */
            sys_ptrace(PTRACE_SETOPTIONS, t->tid, 0, (void *)(uintptr_t)TR_OPTIONS);
        if (hy.count && hy_watch())
            u_warn("cannot fill the map spec: nothing is counted");
        tr_resume(t, 0);
        return;
    }
    if (hy_ours(&si)) { /* the ring was full, and is empty now */
        tr_resume(t, 0);
        return;
    }
    tr_interrupted_by(t, sig);
    tr_signal_event(t, sig, &si);
    if (tr_immune(t, &si)) { /* let go of it, it faults once more and dies as it would have */
        sys_ptrace(PTRACE_DETACH, t->tid, 0, (void *)(long)sig);
        tr_gone(t, sig);
        return;
    }
    tr_resume(t, sig);
}

static bool tr_is_stop_signal(int sig)
{
    return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* --- dispatch --- */

/* The first stop of a thread that was attached: the call that it stands in goes on by itself. */
static void tr_first_stop(struct task *t)
{
    struct stop s = { 0 };
    t->seen_stop = true;
    tr_restore_untraced(t);
    if (opt.n_pids && arch_interrupted(t->tid, &s)) {
        int row = sc_find(s.abi, s.nr);
        struct call *c = &t->call;
        c->abi = s.abi, c->nr = s.nr, c->known = row >= 0, c->row = row >= 0 ? (u16)row : 0;
        c->id = sc_id[c->row], c->ret = s.ret, c->enter_ns = u_now();
        memcpy(c->arg, s.arg, sizeof c->arg);
        t->restarting = c->known;
        c->late = true;
    }
}

static void tr_event_stop(struct task *t, int event, int sig)
{
    switch (event) {
    case PTRACE_EVENT_STOP:
        if (!t->seen_stop)
            tr_first_stop(t);
        if (tr_is_stop_signal(sig)) { /* a group-stop: stay stopped until SIGCONT */
            t->run = RUN_LISTEN;
            sys_ptrace(PTRACE_LISTEN, t->tid, 0, NULL);
            return;
        }
        break;
    case PTRACE_EVENT_SECCOMP:
        if (tr.started)
            tr_syscall_stop(t, PTRACE_SYSCALL_INFO_SECCOMP);
        break;
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
        tr_child_event(t, event);
        break;
    case PTRACE_EVENT_EXEC:
        t = tr_exec(t);
        break;
    }
    tr_resume(t, 0);
}

/* A stop of a thread that no parent has announced yet: hold it until the announcement comes. */
static void tr_unknown(pid_t tid)
{
    struct task *t = ps_new_task(tid);
    if (t) {
        t->run = RUN_HELD;
        t->seen_stop = true;
    }
}

/* The signal of the probe's that is pending for a stopped thread; 0: there is none. */
static int tr_ours_pending(pid_t tid)
{
    siginfo_t si[8];
    struct ptrace_peeksiginfo_args a = { .off = 0, .flags = 0, .nr = ARRAY_LEN(si) };
    for (long n; (n = sys_ptrace(PTRACE_PEEKSIGINFO, tid, (uintptr_t)&a, si)) > 0; a.off += (u64)n)
        for (long i = 0; i < n; i++)
            if (hy_ours(si + i))
                return si[i].si_signo;
    return 0;
}

/* At a stop of a thread that is to be let go: takes back a signal of the probe's that has not come
 * yet, as it would come to the program now. With all others blocked, the thread goes on (true) to
 * its delivery, which is a stop; a signal of the program's own waits for that. */
static bool tr_take_back(struct task *t, int sig)
{
    siginfo_t si = { 0 };
    int ours = hy.on ? tr_ours_pending(t->tid) : 0;
    if (sig && hy.on)
        sys_ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si);
    if (sig && !hy_ours(&si) && (ours || t->masked)) {
        if (t->held_sig) /* SIGSTOP, which cannot be blocked, behind another one */
            syscall(SYS_tgkill, t->pid, t->tid, t->held_sig);
        t->held = si;
        t->held_sig = sig;
    }
    if (ours) {
        u64 others = ~(1ull << (ours - 1));
        if (!t->masked)
            t->masked = !sys_ptrace(PTRACE_GETSIGMASK, t->tid, sizeof t->mask, &t->mask);
        sys_ptrace(PTRACE_SETSIGMASK, t->tid, sizeof others, &others);
        sys_ptrace(PTRACE_CONT, t->tid, 0, NULL);
    }
    return ours;
}

/* Lets go of a stopped thread: what it gets of signals is what it would have got without kvis. */
static void tr_let_go(struct task *t, int sig)
{
    siginfo_t si = { 0 };
    if (tr_take_back(t, sig))
        return;
    if (t->masked)
        sys_ptrace(PTRACE_SETSIGMASK, t->tid, sizeof t->mask, &t->mask);
    if (sig && hy.on)
        sys_ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si);
    if (sig && t->held_sig) {
        sys_ptrace(PTRACE_SETSIGINFO, t->tid, 0, &t->held);
        sig = t->held_sig;
    } else if (hy_ours(&si)) {
        sig = 0;
    } else if (t->held_sig) { /* it comes when the thread goes on */
        syscall(SYS_tgkill, t->pid, t->tid, t->held_sig);
    }
    tr_detach_one(t, sig);
}

static void tr_stopped(struct task *t, int status)
{
    int sig = WSTOPSIG(status), event = status >> 16;
    if (tr.detaching) {
        bool signal = !event && sig != (SIGTRAP | 0x80);
        if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
            event == PTRACE_EVENT_CLONE)
            tr_child_event(t, event); /* its child is to be let go too */
        else if (event == PTRACE_EVENT_EXEC)
            t = tr_exec(t);
        tr_restore_untraced(t);
        tr_let_go(t, signal ? sig : 0);
        return;
    }
    if (sig == (SIGTRAP | 0x80)) {
        if (tr.started)
            tr_syscall_stop(t, t->call.open ? PTRACE_SYSCALL_INFO_EXIT : PTRACE_SYSCALL_INFO_ENTRY);
        tr_resume(t, 0);
    } else if (event) {
        tr_event_stop(t, event, sig);
    } else {
        tr_signal_stop(t, sig);
    }
}

static void tr_status(pid_t tid, int status)
{
    struct task *t = ps_task(tid);
    if (WIFSTOPPED(status)) {
        if (t && t->run != RUN_HELD)
            tr_stopped(t, status);
        else if (!t && tr.detaching)
            sys_ptrace(PTRACE_DETACH, tid, 0, NULL);
        else if (!t)
            tr_unknown(tid);
        return;
    }
    if (!t || t->run == RUN_HELD) {
        u32 i = tr.n_early++ % ARRAY_LEN(tr.early);
        tr.early[i].tid = tid, tr.early[i].status = status;
    }
    if (t)
        tr_gone(t, status);
    if (tid == tr.child)
        tr.status = status;
}

/* What a thread has when kvis first meets it: descriptors and directory from /proc. */
static void tr_first_state(struct task *t, pid_t pid)
{
    char link[PATH_MAX + 1];
    struct proc *p = tr_proc(pid, getpid());
    t->files = files_new();
    fd_scan(t->files, t->tid, !opt.n_pids);
    if (fdt.ring)
        hy_start_uring();
    s64 n = fd_readlink(t->tid, "cwd", link, sizeof link);
    t->fs = ps_new_fs(n > 0 ? nm_get('f', link, (size_t)n) : tr.cwd);
    t->mm = vm_new();
    if (p) {
        ps_join(t, p);
        ps_look_ns(t);
        p->new_pid_ns = ps_ns_inode(t->tid, "ns/pid_for_children") != ps_ns_inode(t->tid, "ns/pid");
    }
}

/* A thread that waits for its announcement in vain, because its parent was killed while it made it:
 * what it is comes from its process, its parent or /proc. */
static void tr_orphan(struct task *t)
{
    if (t->run != RUN_HELD)
        return;
    s64 pid = ps_status(t->tid, "Tgid:"), ppid = ps_status(t->tid, "PPid:");
    bool thread = pid > 0 && pid != t->tid;
    struct task *of = pid > 0 ? ps_task((pid_t)(thread ? pid : ppid)) : NULL;
    if (of && of->proc) {
        ps_inherit(t, of, thread ? CLONE_VM | CLONE_FS | CLONE_FILES : 0);
        ps_join(t, thread ? of->proc : tr_proc(t->tid, (pid_t)ppid));
        ps_look_ns(t);
    } else {
        tr_first_state(t, pid > 0 ? (pid_t)pid : t->tid);
    }
    tr_many();
    tr_resume(t, 0);
}

/* --- leaving --- */

static void tr_interrupt_one(struct task *t)
{
    if (t->run == RUN_HELD)
        tr_detach_one(t, 0);
    else
        sys_ptrace(PTRACE_INTERRUPT, t->tid, 0, NULL);
}

/* Lets everything go on as if nothing had been: each tracee is detached at its next stop. */
static void tr_detach_all(void)
{
    if (tr.detaching)
        return;
    tr.detaching = true;
    tr.detach_ns = u_now();
    tr_each(tr_interrupt_one);
}

static void tr_kill_one(struct task *t)
{
    if (tr_ours(t->tid))
        kill(t->pid ? t->pid : t->tid, SIGKILL);
}

static void tr_kill_all(void)
{
    tr.killing = true;
    tr_each(tr_kill_one);
}

/* Asked while a reader of ours is slow: whether the signals that have come mean that kvis is to
 * end. */
static bool tr_give_up(void)
{
    u32 ends = tr.interrupts;
    for (sig_atomic_t i = tr.n_done; i < tr.n_queued; i++) {
        int sig = tr.queued[i % (sig_atomic_t)ARRAY_LEN(tr.queued)].si_signo;
        ends += !tr.child || sig == SIGTERM || sig == SIGHUP ? 2 : 1;
    }
    return ends > 1;
}

/* A signal to kvis. In spawn mode the first ^C is the program's own (the terminal has sent it to
 * both), the second ends it. TERM and HUP end the tree when it carries our filter, which must not
 * outlive us, and with --kill-on-exit; else they let it go. */
static void tr_on_signal(const siginfo_t *si)
{
    int sig = si->si_signo;
    if (!tr.child) {
        tr.quit_sig = sig;
        tr_detach_all();
        return;
    }
    bool tty = si->si_code == SI_KERNEL;
    if ((sig == SIGINT || sig == SIGQUIT) && !tr.interrupts++) {
        if (!tty && tr.status == -1)
            kill(tr.child, sig);
        return;
    }
    tr.quit_sig = sig;
    if (tr.bound || sig == SIGINT || sig == SIGQUIT || tr.killing)
        tr_kill_all();
    else
        tr_detach_all();
}

/* --- waiting --- */

static void tr_tables(void)
{
    static struct buf b;
    b_reset(&b);
    b_c(&b, '\n');
    hy_counts();
    st_table(&b);
    b_put(&out.text.b, b.p, b.len);
    out_writer_flush(&out.text);
}

/* The time of what hangs on no stop: all before it has been told. */
static u64 tr_when(void)
{
    return tr.seen_ns ? tr.seen_ns : u_when();
}

/* Tells how many calls have got lost since this was last told. */
static void tr_tell_lost(void)
{
    u64 n = hy_lost();
    if (hy.count || n <= hy.told_lost)
        return;
    struct event *e = ev_new(EK_LOST, NULL, tr_when());
    ev_num(e, EV_count, (s64)(n - hy.told_lost));
    ev_sym(e, EV_how, "calls lost");
    out_event(e);
    hy.told_lost = n;
}

/* Resident memory, for what draws it over time: no call tells it. */
static void tr_resident(struct task *t)
{
    enum { EVERY_NS = 100000000, A_TICK = 16 };
    struct proc *p = t->proc;
    u64 now = tr_when();
    if (!p || t->tid != t->pid || now < p->rss_ns + EVERY_NS || tr.n_resident == A_TICK)
        return;
    u64 was = p->rss;
    p->rss = ps_resident(t->pid);
    p->rss_ns = now;
    tr.n_resident++;
    if (p->rss == was || !p->rss)
        return;
    struct event *e = ev_new(EK_RSS, t, now);
    ev_num(e, EV_bytes, (s64)p->rss);
    e->noise = true;
    md_emit(e);
}

/* Everything that does not hang on a stop: what is due by time, signals, and, when nothing has
 * happened for a tick, I/O that was held back to be grouped and threads that wait for their
 * announcement. */
static void tr_on_tick(void)
{
    u64 now = u_now();
    bool idle = now - tr.idle_since > TR_TICK_US * (u64)1000;
    tr.tick = 0;
    if (tr.stops != tr.stops_at_tick)
        idle = false, tr.idle_since = now;
    tr.stops_at_tick = tr.stops;
    while (tr.n_done != tr.n_queued)
        tr_on_signal(&tr.queued[tr.n_done++ % (sig_atomic_t)ARRAY_LEN(tr.queued)]);
    if (tr.next_table_ns && now >= tr.next_table_ns) {
        tr_tables();
        tr.next_table_ns += opt.interval_s * NSEC;
    }
    if (tr.deadline_ns && now >= tr.deadline_ns && !tr.ending) {
        tr.ending = true;
        tr.child && tr.bound ? tr_kill_all() : tr_detach_all();
    }
    pf_upto(tr.seen_ns);
    tr.n_resident = 0;
    if ((opt.record || opt.report || opt.perfetto) && !opt.trace)
        tr_each(tr_resident);
    if (hy.on && !hy.in_order && now - tr.lost_ns > NSEC) /* see tr_follow */
        tr.lost_ns = now, tr_tell_lost();
    if (idle) {
        out_idle();
        tr_each(tr_orphan);
    }
    if (hy.on && opt.calls && (idle || !hy.in_order)) /* see tr_follow */
        tr_each(tr_pending);
    out_flush();
}

/* Most of a stop's price can be two wake-ups across CPUs, which polling saves; where the scheduler
 * keeps both on one CPU, or others want it, polling only takes time, and spoils that. So it is
 * measured: TR_WINDOW stops make a window; some windows without polling, some with, then the better
 * for longer and longer. */
enum { TR_WINDOW = 256, TR_PROBE = 4, TR_HOLD = 64, TR_POLL_NS = 50000 };

static void tr_poll_or_not(void)
{
    u64 now = u_now(), *cost = &tr.poll.cost[tr.poll.on];
    u64 each = (now - tr.poll.since) / TR_WINDOW;
    tr.poll.since = now;
    tr.poll.stops = 0;
    if (++tr.poll.window > 1) /* the first after a change is between the two */
        *cost = tr.poll.window == 2 ? each : (*cost * 3 + each) / 4;
    if (tr.poll.window < tr.poll.length)
        return;
    tr.poll.window = 0;
    if (ps.n_tasks > 16 || each > 200000) { /* each waitpid looks at all; or nobody waits for us */
        tr.poll.on = tr.poll.trial = false;
        tr.poll.length = TR_HOLD;
    } else if ((tr.poll.trial = !tr.poll.trial)) {
        tr.poll.on = !tr.poll.on;
        tr.poll.length = TR_PROBE;
    } else {
        tr.poll.on = tr.poll.cost[1] * 100 < tr.poll.cost[0] * 85;
        tr.poll.hold = MIN(MAX(2 * tr.poll.hold, (u32)TR_HOLD), 4096u);
        tr.poll.length = tr.poll.hold;
    }
}

/* Waits for a tracee. Returns its tid, with *status; 0: a signal or the tick; -errno. */
static pid_t tr_wait_one(int *status)
{
    u64 end = tr.poll.on && !opt.same_cpu && !tr.fast ? u_now() + TR_POLL_NS : 0;
    pid_t tid = 0;
    if (++tr.poll.stops == TR_WINDOW)
        tr_poll_or_not();
    while (end || tr.tty) {
        tid = (pid_t)syscall(SYS_wait4, -1, status, __WALL | WNOHANG, NULL);
        if (tid || !end || tr.tick || u_now() >= end)
            break;
    }
    if (tid == 0 && tr.tty)
        out_flush();
    if (tid == 0 && !tr.tick)
        tid = (pid_t)syscall(SYS_wait4, -1, status, __WALL, NULL);
    return tid >= 0 ? tid : errno == EINTR ? 0 : -errno;
}

/* As tr_wait_one; of all that wait, each has its turn. What they did before they stopped has been
 * told when this returns: once for all of them, for those that go on fill the ring again. */
static pid_t tr_wait(int *status)
{
    if (tr.batch_next < tr.batch_n) {
        if (!hy.on)
            tr.seen_ns = u_now();
        *status = tr_batch[tr.batch_next].status;
        return tr_batch[tr.batch_next++].tid;
    }
    pid_t tid = tr_wait_one(status);
    if (tid > 0)
        tr_take_kept(tid, *status);
    if (tid > 0 && ps.n_tasks > 1)
        tr_collect();
    tr.stopped_tid = tid > 0 ? tid : 0;
    tr_drain_all();
    tr.stopped_tid = 0;
    if (tid > 0)
        tr_collected_again(tid, status);
    return tid;
}

static void tr_loop(void)
{
    tr.poll.since = u_now();
    if (tr.batch_n) /* from tr_attach_all */
        tr_drain_all();
    for (;;) {
        int status;
        pid_t tid = tr_wait(&status);
        if (tid > 0) {
            tr.stops++;
            pf_upto(tr.seen_ns);
            u_at = tr.seen_ns;
            tr_status(tid, status);
            u_at = 0;
            if (tr.killing)
                tr_each(tr_kill_one);
        } else if (tid < 0) {
            break; /* ECHILD: the last one is gone */
        }
        if (tr.tick)
            tr_on_tick();
        if (tr.detaching && (!ps.n_tasks || u_now() - tr.detach_ns > 5 * NSEC))
            break;
        if (tr.status != -1 && opt.until_exit && !tr.killing)
            tr.bound ? tr_kill_all() : tr_detach_all();
    }
    tr_drain_all();
    pf_upto(~0ull);
}

/* --- signals of kvis's own --- */

/* In the tick, while PTRACE_SEIZE waits for an exec of that process to end (both take
 * cred_guard_mutex, kernel/ptrace.c), and the exec waits until the dead threads which are traced
 * already are reaped, by us: reaps them, so that all go on (EDGE_CASES P5). Stops of those that
 * live come along, whatever is asked for (kernel/exit.c, wait_task_stopped: "we see ptrace'd
 * stopped tasks regardless of options"). Only calls that a handler may make. */
static void tr_reap_dead(void)
{
    int e = errno, status;
    pid_t tid;
    while ((u32)tr.n_reaped + tr.batch_n < ARRAY_LEN(tr_batch)
           && (tid = (pid_t)syscall(SYS_wait4, -1, &status, __WALL | WNOHANG, NULL)) > 0) {
        tr_reaped[tr.n_reaped] = (struct tr_stopped){ tid, status };
        tr.n_reaped = tr.n_reaped + 1;
    }
    errno = e;
}

static void tr_handler(int sig, siginfo_t *si, void *unused)
{
    (void)unused;
    if (tr.attaching)
        tr_reap_dead();
    bool room = tr.n_queued - tr.n_done < (sig_atomic_t)ARRAY_LEN(tr.queued);
    if (sig != SIGALRM && sig != SIGIO && room) {
        tr.queued[tr.n_queued % (sig_atomic_t)ARRAY_LEN(tr.queued)] = *si;
        tr.n_queued = tr.n_queued + 1;
    }
    tr.tick = 1;
}

/* Signals are noted, and interrupt whatever kvis waits in. One that comes just before the waiting
 * begins is seen at the next tick: a timer, which the command does not inherit (execve(2),
 * fork(2)). */
static void tr_signals(void)
{
    struct itimerval tick = { { 0, TR_TICK_US }, { 0, TR_TICK_US } };
    sp_signals(tr_handler);
    if (setitimer(ITIMER_REAL, &tick, NULL) < 0)
        die(EXIT_KVIS, "setitimer:");
}

/* --- starting: a command --- */

static struct tr_prog tr_spawn_prog;

/* In the child: the filter that makes only what is asked about stop. */
static void tr_child_early(int err)
{
    struct sock_fprog fprog = { tr_spawn_prog.n, tr_spawn_prog.f };
    if (fprog.len && syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog) < 0)
        sp_child_fail(err, 's');
}

/* tr_signal_stop starts watching here. */
static void tr_child_late(void)
{
    hy_child();
    kill(getpid(), SIGSTOP);
}

static void tr_spawn(void)
{
    struct sp *s = &tr.cmd;
    s->early = tr_child_early;
    s->late = tr_child_late;
    if (tr.accel)
        tr_filter(&tr_spawn_prog);
    sp_fork(s);
    u32 options = TR_OPTIONS | (tr.accel ? PTRACE_O_TRACESECCOMP : 0) | PTRACE_O_EXITKILL;
    long e = sys_ptrace(PTRACE_SEIZE, s->pid, 0, (void *)(uintptr_t)options);
    if (e < 0) {
        kill(s->pid, SIGKILL);
        errno = (int)-e;
        die(EXIT_KVIS, "ptrace is refused here (a container's seccomp profile? another tracer?):");
    }
    struct task *t = ps_new_task(s->pid);
    if (!t)
        die(EXIT_KVIS, "out of memory");
    t->run = RUN_RUNNING;
    tr.child = s->pid;
    tr_first_state(t, s->pid);
    snprintf(t->comm, sizeof t->comm, "%s", "kvis");
    if (opt.faults && (e = pf_open(s->pid, true)) < 0) {
        pf_explain((int)e);
        opt.faults = false;
    }
    sp_go(s);
}

/* --- starting: a process that runs --- */

/* Why a process cannot be attached, with what mends it. */
static void tr_explain(pid_t pid, int e)
{
    s64 tracer = ps_status(pid, "TracerPid:"), state = ps_status(pid, "State:");
    long yama = u_file_number("/proc/sys/kernel/yama/ptrace_scope", 0);
    char why[160];
    if (e == -ESRCH && state < 0)
        snprintf(why, sizeof why, "there is no such process");
    else if (state == 'Z')
        snprintf(why, sizeof why, "it is a zombie: it has ended and waits for its parent");
    else if (tracer > 0)
        snprintf(why, sizeof why, "it is traced already, by pid %d", (int)tracer);
    else if (ps_status(pid, "Kthread:") == 1 || (ps_status(pid, "PPid:") == 2 && pid != 1))
        snprintf(why, sizeof why, "it is a kernel thread");
    else if (ps_status(pid, "Uid:") != (s64)geteuid() && geteuid())
        snprintf(why, sizeof why,
                 "it belongs to another user (run as root, or with CAP_SYS_PTRACE)");
    else if (yama)
        snprintf(why, sizeof why,
                 "kernel.yama.ptrace_scope is %ld (sysctl kernel.yama.ptrace_scope=0, "
                 "or run as root)",
                 yama);
    else
        snprintf(why, sizeof why,
                 "%s (a set-uid or non-dumpable program, a seccomp profile or a missing "
                 "CAP_SYS_PTRACE; run as root)",
                 strerror(-e));
    u_warn("cannot attach to pid %d: %s", pid, why);
}

/* Whether pid is kvis itself or one of its ancestors: tracing those would stop whoever resumes us.
 */
static bool tr_is_ancestor(pid_t pid)
{
    for (s64 p = getpid(), k = 0; p > 0 && k < 100; p = ps_status((pid_t)p, "PPid:"), k++)
        if (p == pid)
            return true;
    return false;
}

static int tr_attach_thread(pid_t pid, pid_t tid)
{
    long e = opt.faults ? pf_open(tid, false) : 0; /* first, so that who is traced is sampled too */
    if (e < 0 && e != -ESRCH) {
        pf_explain((int)e);
        opt.faults = false;
    }
    e = sys_ptrace(PTRACE_SEIZE, tid, 0, (void *)(uintptr_t)TR_OPTIONS);
    if (e < 0)
        return (int)e;
    struct task *other = ps_any_of(pid), *t = ps_new_task(tid);
    if (!t)
        return -ENOMEM;
    t->run = RUN_RUNNING;
    if (other) {
        ps_inherit(t, other, CLONE_FILES | CLONE_FS | CLONE_VM);
        ps_join(t, other->proc);
        if (other->proc->pid_ns)
            ps_look_ns(t);
    } else {
        tr_first_state(t, pid);
        if (t->mm && (vm_from_proc(t->mm, tid, true) < 0 || t->mm->careful))
            t->mm->careful = true;
        for (u32 i = 0; t->mm && i < t->mm->n; i++)
            if (!strcmp(t->mm->r[i].name->s, "heap"))
                t->mm->brk = t->mm->brk_start = t->mm->r[i].end;
    }
    char comm[64];
    snprintf(comm, sizeof comm, "/proc/%d/comm", tid);
    FILE *f = fopen(comm, "re");
    if (f && fgets(t->comm, sizeof t->comm, f))
        t->comm[strcspn(t->comm, "\n")] = 0;
    if (f)
        fclose(f);
    if (hy.all && hy_follow(tid) >= 0)
        t->seen_stop = true; /* it goes on: nothing has to stop it */
    else
        sys_ptrace(PTRACE_INTERRUPT, tid, 0, NULL);
    return 0;
}

/* Of what tr_reap_dead took, the dead are forgotten, and the stops are for tr_loop to handle. */
static void tr_after_reaping(void)
{
    for (sig_atomic_t i = 0; i < tr.n_reaped; i++) {
        struct tr_stopped *s = &tr_reaped[i];
        struct task *t = ps_task(s->tid);
        if (WIFSTOPPED(s->status)) {
            tr_set_aside(s->tid, s->status);
            continue;
        }
        tr_collected_again(s->tid, &s->status);
        if (t)
            tr_drop(t, false);
    }
    tr.n_reaped = 0;
}

/* Attaches one of a process's threads that /proc names, unless that is done. Returns 1: it is new,
 * 0: it was there, -errno. */
static int tr_attach_listed(pid_t pid, pid_t tid)
{
    tr_after_reaping();
    struct task *t = ps_task(tid);
    if (t && tr_ours(tid))
        return 0;
    if (t) /* an untraced thread has executed a program and has the leader's tid now */
        tr_drop(t, false);
    tr.attaching = 1;
    int e = tr_attach_thread(pid, tid);
    tr.attaching = 0;
    return e < 0 ? e : 1;
}

/* Attaches every thread; looks again until no new one appears, because they can make more
 * meanwhile. */
static int tr_attach(pid_t pid)
{
    char path[64];
    int got = 0, fresh = 1, err = -ESRCH;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    for (int round = 0; fresh && round < 1000; round++) {
        DIR *d = opendir(path);
        fresh = 0;
        if (!d)
            return got ? 0 : tr_attach_thread(pid, pid);
        for (struct dirent *e; (e = readdir(d));) {
            pid_t tid = atoi(e->d_name);
            int r = tid > 0 ? tr_attach_listed(pid, tid) : 0;
            if (r > 0)
                got++;
            else if (r < 0 && (r != -ESRCH || !got))
                err = r;
            fresh |= r > 0 || r == -ESRCH; /* gone since it was listed: look again */
        }
        closedir(d);
    }
    return got ? 0 : err;
}

/* Attaches all of -p; returns how many processes. */
static u32 tr_attach_all(void)
{
    u32 n = 0;
    tr.started = true;
    for (u32 i = 0; i < opt.n_pids; i++) {
        pid_t pid = opt.pids[i];
        s64 tgid = ps_status(pid, "Tgid:");
        if (ps_task(pid))
            continue; /* named twice */
        if (tr_is_ancestor(pid)) {
            u_warn("cannot attach to pid %d: it is kvis itself or an ancestor of it", pid);
            continue;
        }
        if (tgid > 0 && tgid != pid)
            u_warn("%d is a thread of process %d: tracing all of that", pid, (int)tgid);
        int e = tr_attach(tgid > 0 ? (pid_t)tgid : pid);
        if (e < 0)
            tr_explain(pid, e);
        else
            n++;
    }
    tr_after_reaping();
    tr_many();
    return n;
}

/* --- the whole run --- */

/* One CPU for both, so that a stop needs no wake-up across CPUs. */
static void tr_same_cpu(void)
{
    cpu_set_t set;
    u32 cpu;
    CPU_ZERO(&set);
    if (syscall(SYS_getcpu, &cpu, NULL, NULL) < 0) {
        u_warn("--same-cpu: getcpu:");
        return;
    }
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) < 0)
        u_warn("--same-cpu: sched_setaffinity:");
}

static void tr_report(const char *backend, bool text)
{
    tr_tell_lost();
    struct st_end end = { tr.status, u_now() - tr.start_ns, backend, hy_delays(), hy_io(),
                          hy.records, hy_stops(), hy_lost(), 0, 0, 0, 0 };
    if (hy.on && opt.bpf_stats) {
        end.bpf_ns = bpf_info(&hy.obj, ~0u, BPF_INFO_NS);
        end.bpf_runs = bpf_info(&hy.obj, ~0u, BPF_INFO_RUNS);
    }
    out_run_flush();
    out_disk_flush();
    out_break_partial();
    tr_each(pf_flush);
    for (u32 i = 0; i < PS_BUCKETS; i++) /* address spaces of tracees that are still there */
        for (struct task *t = ps.task[i]; t; t = t->next)
            if (t->mm && t->mm->refs == 1)
                vm_account(t->mm);
    rec_end = end;
    rec_finish();
    px_close();
    hy_settle();
    hy_counts();
    st_report(&end, text);
}

/* The one way out: nothing stays stopped, the sinks are complete. Returns kvis's exit status; with
 * *sig the signal that kvis shall die by. */
static int tr_finish(int *sig)
{
    int failed = sp_error(&tr.cmd);
    tr_report(tr_backend_name(), !failed); /* a command that never ran has nothing to sum up */
    bpf_detach(&hy.obj);
    bpf_detach(&hy.uring);
    *sig = 0;
    if (out.failed)
        return EXIT_KVIS;
    if (failed)
        return failed;
    if (tr.quit_sig && (tr.child || tr.quit_sig != SIGINT))
        return 128 + tr.quit_sig;
    if (tr.status == -1)
        return 0;
    if (WIFSIGNALED(tr.status))
        *sig = WTERMSIG(tr.status);
    return WIFSIGNALED(tr.status) ? 128 + WTERMSIG(tr.status) : WEXITSTATUS(tr.status);
}
/* == 30 open_  kvis open: every file that is opened ===================================
 * The probe (gen/probes/open.bpf.c) sends one record an open; the filters are constants in it. Here
 * the path is put together, -P looks at it, and a row or an event is printed. Columns and letters
 * are those of bcc's opensnoop (tools/opensnoop.py). Entry points: the option functions, open_run.
 */

#include "bpf_insns/open.h"

enum { /* rows of open_progs[] */
    OPEN_P_ENTER, OPEN_P_ENTER_TP, OPEN_P_EXIT, OPEN_P_EXIT_TP, OPEN_P_EXEC, OPEN_P_EXEC_TP,
    OPEN_P_FORK, OPEN_P_FORK_TP, OPEN_P_GONE, OPEN_P_GONE_TP, N_OPEN_P
};
_Static_assert(ARRAY_LEN(open_progs) == N_OPEN_P, "a program without a number");

/* What the options of `kvis open` say, beside what is in opt. */
static struct {
    bool time, print_uid, failed, extended, full, no_exec, perf_rings, shell;
    u32 pid, tid;
    u64 uid;         /* + 1; 0: all */
    u64 flags;       /* -f: any of these bits */
    u32 accmodes;    /* -f: or any of these access modes, a bit each */
    u64 comm[2], comm_mask[2];
} oo;

static struct {
    struct bpf_obj obj;
    struct sp cmd;            /* the command, when there is one */
    u64 magic;                /* the pointer by which the command says that it is to be followed */
    bool walks;               /* directories come with the records */
    bool no_exec;             /* execve's own opens are not seen */
    u64 first_ns, rows;
    u64 unknown, told_unknown; /* opens that -P left out because their path is not known */
    u64 lost[N_LOST + 1];     /* as last told: reasons of the probe, missed runs */
} op = { .cmd.err = -1 };

/* One record with all that is derived from it. */
struct open_rec {
    const struct wire_open *w;
    const char *name;
    struct path path;  /* absolute where that is known: ok */
    bool from_proc;    /* its directory was read from /proc after the fact */
};

/* --- options --- */

static const char *open_opt_flag(const char *v)
{
    char name[32];
    snprintf(name, sizeof name, "O_%s", strncmp(v, "O_", 2) ? v : v + 2);
    s64 acc = dec_flag_named(name, FAM_openacc), bits = dec_flag_named(name, FAM_open);
    if (acc >= 0 && acc < 3)
        oo.accmodes |= 1u << acc;
    else if (bits == O_SYNC || bits == O_TMPFILE) /* the bit that only they have */
        oo.flags |= (u64)bits & ~(u64)(O_DSYNC | O_DIRECTORY);
    else if (bits > 0)
        oo.flags |= (u64)bits;
    else
        return "not a flag of open(2), like O_WRONLY or O_CREAT";
    return NULL;
}

static const char *open_opt_uid(const char *v)
{
    char *end;
    unsigned long n = strtoul(v, &end, 10);
    if (!*v || *end || *v == '-' || n > UINT32_MAX - 1)
        return "not a user id";
    oo.uid = n + 1;
    return NULL;
}

/* The kernel compares comm with these bytes wherever they may begin in it. */
static const char *open_opt_name(const char *v)
{
    size_t n = strlen(v);
    if (!n || n > 15)
        return "a command name has 1 to 15 bytes (TASK_COMM_LEN)";
    memset(oo.comm, 0, sizeof oo.comm);
    memset(oo.comm_mask, 0, sizeof oo.comm_mask);
    memcpy(oo.comm, v, n);
    memset(oo.comm_mask, 0xff, n);
    return NULL;
}

/* --- what the probe is told --- */

static bool open_has_all(const struct bpf_obj *o, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!bpf_has_field(o, names[i]))
            return false;
    return true;
}

static bool open_can_walk(const struct bpf_obj *o)
{
    static const char *const names[] = {
        "task_struct.fs", "task_struct.files", "fs_struct.pwd", "fs_struct.root.mnt",
        "dentry.d_parent", "dentry.d_name.name", "vfsmount.mnt_root", "mount.mnt",
        "mount.mnt_parent", "mount.mnt_mountpoint", "file.f_path", "fdtable.fd",
    };
    return open_has_all(o, names, ARRAY_LEN(names));
}

static bool open_can_see_ns(const struct bpf_obj *o)
{
    static const char *const names[] = { "task_struct.thread_pid", "pid.numbers", "pid.level",
                                         "upid.ns", "pid_namespace.ns.inum" };
    return open_has_all(o, names, ARRAY_LEN(names));
}

/* Call numbers and where the arguments are, for 64-bit calls and for those of the 32-bit ABI. */
static void open_cfg_abi(struct bpf_cfgs *c, const struct btf_want *compat)
{
    static const struct { const char *name, *name32; u16 id; } nr[] = {
        { "CFG_OPEN", "CFG_OPEN32", SC_open }, { "CFG_OPENAT", "CFG_OPENAT32", SC_openat },
        { "CFG_OPENAT2", "CFG_OPENAT232", SC_openat2 }, { "CFG_CREAT", "CFG_CREAT32", SC_creat },
        { "CFG_HANDLE", "CFG_HANDLE32", SC_open_by_handle_at },
    };
    static const char *const arg[] = { "CFG_A0", "CFG_A1", "CFG_A2", "CFG_A3" };
    static const char *const arg32[] = { "CFG_B0", "CFG_B1", "CFG_B2", "CFG_B3" };
    for (size_t i = 0; i < ARRAY_LEN(nr); i++) {
        bpf_set(c, nr[i].name, (u64)sc_number(ARCH_NATIVE, nr[i].id));
        bpf_set(c, nr[i].name32, (u64)sc_number(ARCH_COMPAT, nr[i].id));
    }
    for (size_t i = 0; i < 4; i++) {
        bpf_set(c, arg[i], arch_arg_off[i]);
        bpf_set(c, arg32[i], arch_arg_off32[i]);
    }
    bpf_set(c, "CFG_NR", ARCH_NR_OFF);
    bpf_set(c, "CFG_NR_MASK", ~(u64)ARCH_X32_BIT);
    bpf_set_compat(c, compat);
}

static void open_configure(struct bpf_cfgs *c, struct bpf_obj *o, const struct btf_want *compat)
{
    u64 dev, ino = bpf_pid_ns(&dev);
    op.walks = open_can_walk(o);
    open_cfg_abi(c, compat);
    bpf_set(c, "CFG_PID", oo.pid);
    bpf_set(c, "CFG_TID", oo.tid);
    bpf_set(c, "CFG_UID", oo.uid);
    bpf_set(c, "CFG_SELF", (u64)getpid());
    bpf_set(c, "CFG_FAILED", oo.failed);
    bpf_set(c, "CFG_FLAGS", oo.flags);
    bpf_set(c, "CFG_ACC", oo.accmodes);
    bpf_set(c, "CFG_COMM0", oo.comm[0]);
    bpf_set(c, "CFG_COMM1", oo.comm[1]);
    bpf_set(c, "CFG_MASK0", oo.comm_mask[0]);
    bpf_set(c, "CFG_MASK1", oo.comm_mask[1]);
    bpf_set(c, "CFG_NS_INO", ino);
    bpf_set(c, "CFG_NS_DEV", dev);
    bpf_set(c, "CFG_NS_WALK", open_can_see_ns(o));
    bpf_set(c, "CFG_DIR", op.walks && (oo.full || opt.json || opt.n_paths));
    bpf_set(c, "CFG_EXEC", !op.no_exec);
    bpf_set(c, "CFG_TREE", opt.command != NULL);
    bpf_set(c, "CFG_MAGIC", op.magic);
    o->cfg = c->v;
    o->n_cfg = c->n;
}

/* Which programs this run needs: each is there for the raw and for the classic tracepoint. Classic
 * ones want tracefs, and take 80 ms longer to detach (an RCU grace period). Of execs and forks raw
 * ones can tell only with BTF; without either, execs are not seen and a command's tree cannot be
 * followed. Returns 0 or -errno. */
static int open_choose(struct bpf_obj *o, bool command, u32 *mask)
{
    bool types = bpf_has_field(o, "linux_binprm.filename") && bpf_has_field(o, "task_struct.pid");
    bool raw = bpf_raw_is_whole();
    op.no_exec = oo.no_exec;
    bool tree = command || !op.no_exec;
    int dir = raw && (types || !tree) ? 0 : tfs_dir(o->why);
    raw |= dir < 0;
    if (dir < 0 && tree && !types) {
        op.no_exec = true;
        if (command)
            return dir;
    }
    bool raw_tree = types && raw;
    *mask = (raw ? 1u << OPEN_P_ENTER | 1u << OPEN_P_EXIT | 1u << OPEN_P_GONE
                 : 1u << OPEN_P_ENTER_TP | 1u << OPEN_P_EXIT_TP | 1u << OPEN_P_GONE_TP);
    if (!op.no_exec || command)
        *mask |= 1u << (raw_tree ? OPEN_P_EXEC : OPEN_P_EXEC_TP);
    if (command)
        *mask |= 1u << (raw_tree ? OPEN_P_FORK : OPEN_P_FORK_TP);
    return 0;
}

/* Loads and attaches; -errno with op.obj.why. */
static int open_start(void)
{
    static struct bpf_cfgs cfg;
    struct btf_want compat = BPF_COMPAT_WANT;
    struct bpf_obj *o = &op.obj;
    u32 mask;
    o->fam = &open_family;
    o->ring = !oo.perf_rings;
    o->ring_bytes = opt.ring_bytes ? opt.ring_bytes : 1 << 20;
    int e = bpf_open(o);
    if (e)
        return e;
    bpf_find_fields(o, &compat);
    if ((e = open_choose(o, opt.command, &mask)))
        return e;
    bpf_find_records(o, mask);
    open_configure(&cfg, o, &compat);
    if ((e = bpf_load(o, mask)) || (e = rb_open(o)))
        return e;
    return bpf_attach(o, mask);
}

/* --- a record --- */

/* Puts the components, which come from the last to the first, in order behind the root. */
static void open_dir(struct path *p, const char *parts, u32 n, bool outside)
{
    p->len = 0;
    if (outside)
        memcpy(p->s, "(unreachable)", p->len = 13);
    p->s[p->len] = '/';
    for (u32 end = n; end;) {
        u32 from = --end; /* the NUL of a component */
        while (from && parts[from - 1])
            from--;
        if (p->len + 1 + (end - from) >= sizeof p->s)
            break;
        p->s[p->len++] = '/';
        memcpy(p->s + p->len, parts + from, end - from);
        p->len += end - from;
        end = from;
    }
    p->len += !p->len;
}

/* Where a relative name starts, from /proc: right unless the process has moved on since. A thread
 * that has ended shared both with its process, as all do but for clone(2)'s oddest callers. */
static bool open_dir_proc(struct path *p, const struct wire_open *w)
{
    char what[32] = "cwd";
    if (w->dirfd != AT_FDCWD)
        snprintf(what, sizeof what, "fd/%d", w->dirfd);
    s64 n = fd_readlink((pid_t)w->tid, what, p->s, sizeof p->s);
    if (n < 0 && w->tid != w->pid)
        n = fd_readlink((pid_t)w->pid, what, p->s, sizeof p->s);
    p->len = n > 0 ? (u32)n : 0;
    return n > 0 && p->s[0] == '/';
}

/* Whether a path that /proc has told ends with what the record knows of it. */
static bool open_ends_with(const struct path *p, const struct path *end)
{
    return end->len <= p->len && !memcmp(p->s + p->len - end->len, end->s, end->len);
}

static void open_path(struct open_rec *r)
{
    static struct path dir, known;
    const struct wire_open *w = r->w;
    r->path.ok = r->from_proc = false;
    if (w->state & OPEN_NAME_FAULT || (w->call == OPEN_HANDLE && !(w->state & OPEN_DIR)))
        return;
    bool in_root = w->state & OPEN_IN_ROOT; /* then a leading '/' is the directory itself */
    u32 skip = in_root && w->name_len && r->name[0] == '/';
    if (w->name_len && r->name[0] == '/' && !in_root) {
        md_join(&r->path, "", 0, r->name, w->name_len);
        return;
    }
    if (w->state & OPEN_DIR)
        open_dir(&known, r->name + w->name_len, w->dir_len, w->state & OPEN_DIR_OUT);
    if (!(w->state & OPEN_DIR) || w->state & OPEN_DIR_CUT) {
        if (!open_dir_proc(&dir, w) || (w->state & OPEN_DIR && !open_ends_with(&dir, &known)))
            return;
        r->from_proc = true;
    }
    const struct path *from = r->from_proc ? &dir : &known;
    md_join(&r->path, from->s, from->len, r->name + skip, w->name_len - skip);
}

/* --- text --- */

static void open_col_time(struct buf *b, const struct open_rec *r)
{
    b_f(b, "%-14.9f", (double)(s64)(r->w->ts_ns - op.first_ns) / 1e9);
}

static void open_col_uid(struct buf *b, const struct open_rec *r)
{
    b_f(b, "%-6u", r->w->uid);
}

static void open_col_pid(struct buf *b, const struct open_rec *r)
{
    b_f(b, "%-6u ", oo.tid ? r->w->tid : r->w->pid);
}

static void open_col_comm(struct buf *b, const struct open_rec *r)
{
    u32 from = b->len;
    b_esc(b, r->w->comm, strnlen(r->w->comm, sizeof r->w->comm), 0);
    do
        b_c(b, ' ');
    while (b->len - from < 17);
}

/* execve's file has no descriptor. */
static void open_col_fd(struct buf *b, const struct open_rec *r)
{
    s32 ret = r->w->ret;
    r->w->call == OPEN_EXEC ? b_s(b, "   -   0 ")
                            : b_f(b, "%4d %3d ", ret < 0 ? -1 : ret, ret < 0 ? -ret : 0);
}

static bool open_makes(const struct wire_open *w)
{
    return w->flags & O_CREAT || (w->flags & O_TMPFILE) == O_TMPFILE;
}

static void open_col_flags(struct buf *b, const struct open_rec *r)
{
    if (r->w->state & OPEN_HOW_FAULT) {
        b_s(b, "?        ?    ");
        return;
    }
    b_f(b, "%08" PRIo64 " ", r->w->flags);
    open_makes(r->w) ? b_f(b, "%04o ", r->w->mode & 07777) : b_s(b, "n/a  ");
}

static void open_col_path(struct buf *b, const struct open_rec *r)
{
    if (r->w->state & OPEN_NAME_FAULT)
        b_s(b, r->w->ret == -EFAULT ? "(bad address)" : "(not read)");
    else if ((oo.full || r->w->call == OPEN_HANDLE) && r->path.ok)
        b_esc(b, r->path.s, r->path.len, 0);
    else if (r->w->call == OPEN_HANDLE)
        b_s(b, "(file handle)");
    else
        b_esc(b, r->name, r->w->name_len, 0);
    b_c(b, '\n');
}

/* on NULL: always. */
static const struct {
    const bool *on;
    const char *head;
    void (*put)(struct buf *, const struct open_rec *);
} open_cols[] = {
    { &oo.time, "TIME(s)       ", open_col_time },
    { &oo.print_uid, "UID   ", open_col_uid },
    { NULL, "PID    ", open_col_pid },
    { NULL, "COMM             ", open_col_comm },
    { NULL, "  FD ERR ", open_col_fd },
    { &oo.extended, "FLAGS    MODE ", open_col_flags },
    { NULL, "PATH\n", open_col_path },
};

static void open_header(void)
{
    for (size_t i = 0; i < ARRAY_LEN(open_cols); i++)
        if (!open_cols[i].on || *open_cols[i].on)
            b_s(&out.text.b, open_cols[i].put == open_col_pid && oo.tid ? "TID    "
                                                                         : open_cols[i].head);
    out_flush();
}

static void open_text(const struct open_rec *r)
{
    for (size_t i = 0; i < ARRAY_LEN(open_cols); i++)
        if (!open_cols[i].on || *open_cols[i].on)
            open_cols[i].put(&out.text.b, r);
    out_full(&out.text);
}

/* --- JSON --- */

static const char *const open_call_name[N_OPEN_CALLS] = {
    [OPEN_OPEN] = "open", [OPEN_OPENAT] = "openat", [OPEN_OPENAT2] = "openat2",
    [OPEN_CREAT] = "creat", [OPEN_HANDLE] = "open_by_handle_at", [OPEN_EXEC] = "execve",
};

static void open_event(const struct open_rec *r)
{
    static struct buf flags;
    const struct wire_open *w = r->w;
    struct event *e = ev_new(EK_OPEN, NULL, MAX(w->ts_ns, out.start_ns));
    bool wr = fd_writes(w->flags), rd = fd_reads(w->flags);
    bool known = !(w->state & OPEN_HOW_FAULT); /* its flags */
    e->pid = (pid_t)w->pid;
    e->tid = (pid_t)w->tid;
    e->err = w->ret < 0 ? -w->ret : 0;
    if (r->path.ok)
        ev_bytes(e, EV_path, r->path.s, r->path.len);
    if (w->call != OPEN_HANDLE && !(w->state & OPEN_NAME_FAULT))
        ev_bytes(e, EV_name, r->name, w->name_len);
    if (known) {
        ev_num(e, EV_writable, wr);
        ev_sym(e, EV_access, wr && rd ? "read/write" : wr ? "write" : "read");
    }
    if (w->ret >= 0 && w->call != OPEN_EXEC)
        ev_num(e, EV_fd, w->ret);
    ev_bytes(e, EV_comm, w->comm, (u32)strnlen(w->comm, sizeof w->comm));
    ev_num(e, EV_uid, w->uid);
    ev_sym(e, EV_call, open_call_name[w->call]);
    if (w->call != OPEN_EXEC && known) {
        b_reset(&flags);
        dec_bits(&flags, w->flags, FAM_open);
        ev_bytes(e, EV_flags, flags.p, flags.len);
    }
    if (w->call != OPEN_EXEC)
        ev_num(e, EV_duration_ns, (s64)w->duration_ns);
    if (open_makes(w))
        ev_num(e, EV_mode_bits, w->mode);
    if (w->state & OPEN_COMPAT)
        ev_sym(e, EV_abi, arch_abi_name[ARCH_COMPAT]);
    if (w->state & OPEN_NAME_CHANGED)
        ev_num(e, EV_name_changed, 1);
    if (r->from_proc)
        ev_sym(e, EV_path_from, "proc");
    out_json(e); /* the row is open_text's */
}

/* Takes a record of the probe: checks it, as everything that comes from outside, and prints it. */
static bool open_record(const void *p, u32 size)
{
    static struct open_rec r;
    const struct wire_open *w = p;
    if (size < sizeof *w || size < sizeof *w + w->name_len + w->dir_len || w->call >= N_OPEN_CALLS)
        return true;
    r.w = w;
    r.name = (const char *)(w + 1);
    r.path.ok = false;
    if (oo.full || opt.json || opt.n_paths || w->call == OPEN_HANDLE)
        open_path(&r);
    op.unknown += opt.n_paths && !r.path.ok;
    if (opt.n_paths && !(r.path.ok && md_path_wanted(r.path.s, r.path.len)))
        return true;
    op.first_ns = op.first_ns ? op.first_ns : w->ts_ns;
    op.rows++;
    if (out.json_on)
        open_event(&r);
    if (out.events_on)
        open_text(&r);
    return true;
}

/* --- losses --- */

static const char *const open_lost_why[N_LOST + 1] = {
    [LOST_RING] = "opens lost: the ring was full (--ring=SIZE makes it larger)",
    [LOST_INFLIGHT] = "opens lost: too many at once",
    [LOST_TREE] = "processes not followed: too many at once",
    [N_LOST] = "runs of the probe skipped: another BPF program ran on that CPU",
};

/* Says what went missing since it was last asked. */
static void open_tell_losses(void)
{
    if (op.unknown > op.told_unknown)
        u_warn("%" PRIu64 " opens left out by -P: their absolute path could not be found out",
               op.unknown - op.told_unknown);
    op.told_unknown = op.unknown;
    for (u32 i = 0; i <= N_LOST; i++) {
        u64 n = rb_lost(&op.obj, i), more = n - op.lost[i];
        op.lost[i] = n;
        if (!more)
            continue;
        u_warn("%" PRIu64 " %s", more, open_lost_why[i]);
        struct event *e = ev_new(EK_LOST, NULL, u_now());
        ev_num(e, EV_count, (s64)more);
        ev_sym(e, EV_how, open_lost_why[i]);
        if (out.json_on)
            out_json(e);
    }
}

static void open_json_summary(void)
{
    u64 lost = op.lost[LOST_RING] + op.lost[LOST_INFLIGHT];
    b_f(&out.json.b, "{\"type\":\"summary\",\"events\":%" PRIu64 ",\"lost\":%" PRIu64
        ",\"probe_runs_missed\":%" PRIu64 ",\"processes_not_followed\":%" PRIu64
        ",\"path_unknown\":%" PRIu64 ",\"duration_ns\":%" PRIu64 "}\n", op.rows, lost,
        op.lost[N_LOST], op.lost[LOST_TREE], op.unknown, u_now() - out.start_ns);
}

/* --- the run --- */

/* In the child: its limits as they were, and the call by which the probe begins to follow it. The
 * pointer is nobody's memory, so the call does nothing else. */
static void open_child_late(void)
{
    if (bpf.memlock_raised)
        setrlimit(RLIMIT_MEMLOCK, &bpf.memlock);
    syscall(SYS_openat, AT_FDCWD, op.magic, O_RDONLY, 0);
}

/* Whether nobody of the command's tree lives any more. A thread whose end the probe has missed
 * (bpf_missed) must not be waited for; its id can be asked only in the first pid namespace. */
static bool open_tree_gone(void)
{
    u32 tid;
    u64 dev;
    union bpf_attr a;
    int map = bpf_map(&op.obj, "tree");
    memset(&a, 0, sizeof a);
    a.map_fd = (u32)map;
    a.next_key = (uintptr_t)&tid;
    if (bpf_call(BPF_MAP_GET_NEXT_KEY, &a, BPF_ATTR_TO(next_key)) == -ENOENT)
        return true;
    if (!bpf_pid_ns(&dev) && syscall(SYS_sched_getscheduler, tid) < 0 && errno == ESRCH)
        bpf_map_do(BPF_MAP_DELETE_ELEM, map, &tid, NULL);
    return false;
}

/* Whether nobody reads any more what kvis writes. */
static bool open_unread(void)
{
    return out.failed || (out.text.fd[0] < 0 && !out.json_on)
           || (out.json_on && out.json.fd[0] < 0);
}

/* Records until the end that was asked for; a command is waited for, read or not. The reader comes
 * by itself every few milliseconds, more seldom while nothing happens. Returns the command's wait
 * status, -1 without one. */
static int open_loop(u64 end_ns)
{
    int ms = 1, status = -1;
    u64 tell = u_now() + NSEC;
    bool over = false;
    while (!over) {
        rb_wait(ms, NULL);
        over = sp_told || (end_ns && u_now() >= end_ns) || (!op.cmd.pid && open_unread());
        if (op.cmd.pid && status == -1)
            syscall(SYS_wait4, op.cmd.pid, &status, WNOHANG, NULL);
        over |= op.cmd.pid && status != -1 && open_tree_gone();
        rb_mark();
        u32 n = rb_drain(open_record);
        out_flush();
        ms = n ? 2 : MIN(ms * 2, 32);
        if (u_now() > tell || over)
            open_tell_losses(), tell = u_now() + NSEC;
    }
    return status;
}

/* Everything between the sinks and the exit status. */
static int open_run(u64 end_ns)
{
    if (opt.command) {
        op.magic = bpf_magic();
        op.cmd.late = open_child_late;
        sp_fork(&op.cmd);
    }
    int e = open_start();
    if (e) {
        const char *mend = bpf_denied(e);
        if (op.cmd.pid)
            kill(op.cmd.pid, SIGKILL);
        die(EXIT_KVIS, "cannot watch opens: %s%s%s%s", op.obj.why, *mend ? " (" : "", mend,
            *mend ? ")" : "");
    }
    if ((oo.full || opt.json || opt.n_paths) && !op.walks)
        u_warn("directories are looked up in /proc after the fact (this kernel has no BTF: "
               "CONFIG_DEBUG_INFO_BTF)");
    if (op.no_exec && !oo.no_exec)
        u_warn("execve's own opens are not seen: %s", tfs.why);
    if (out.events_on)
        open_header();
    if (op.cmd.pid)
        sp_go(&op.cmd);
    out.give_up = sp_gives_up;
    int status = open_loop(end_ns);
    bpf_detach(&op.obj);
    rb_mark();
    rb_drain(open_record);
    open_tell_losses();
    if (out.json_on)
        open_json_summary();
    out_flush();
    bpf_close(&op.obj);
    return status;
}

/* == 31 proc_  kvis proc: every command, with its exit =================================
 * The probe (gen/probes/proc.bpf.c) sends forks, execs, exits and, piece by piece, arguments. Here
 * they are joined: a life is a process from its fork to its end, a command what it executes; a life
 * can have several, one after the other. A row (struct proc_row) says what happened to a command,
 * and each format (proc_formats[]) writes those that it wants. Filters are applied here: execs are
 * rare. Entry points: the option functions, proc_run. */

#include "bpf_insns/proc.h"

/* Rows of proc_progs[]: each program for a raw tracepoint, and behind it for the classic one. */
enum { PROC_P_FORK = 0, PROC_P_EXEC = 2, PROC_P_EXIT = 4, PROC_P_CALL = 6, PROC_P_RETURN = 8 };
_Static_assert(ARRAY_LEN(proc_progs) == 10, "a program without a number");

enum { PROC_BUCKETS = 4096, PROC_BARS = 100, PROC_SLOWEST = 10, PROC_NAME = 80 };
enum { PROC_STEPS = 1 << 16 }; /* children of processes that have not ended */

/* What a row tells of its command. */
enum proc_what {
    PROC_STARTED, PROC_ENDED, PROC_REPLACED, /* by another exec of the same process */
    PROC_RUNNING,                            /* at kvis's end */
    PROC_FAILED,                             /* an exec that failed */
    PROC_THREAD                              /* a thread ended */
};

struct proc_text { char *p; u32 len; };

/* A process. Its times are CLOCK_MONOTONIC. */
struct proc_life {
    struct proc_life *next;      /* in its bucket */
    u32 pid, ppid, ns_pid, uid, gid;
    s32 threads;                 /* that live; meaningful when `counted` */
    bool counted;                /* seen since its fork */
    bool at_start;               /* was there before kvis, as known from /proc */
    bool execed;                 /* its command is one that kvis saw begin */
    bool mine;                   /* of the tree that is followed */
    bool ending;                 /* its last thread was seen to end, others are on their way */
    bool cut;                    /* there were more arguments than argv has */
    bool walked;                 /* paths are the kernel's, not /proc's after the fact */
    u64 fork_ns, begin_ns, end_ns; /* begin: of the command */
    u64 boot_ns;                 /* when it was made, CLOCK_BOOTTIME; 0: not known */
    u64 cgroup, max_rss;
    s32 status;                  /* wait status, -1: not known */
    u32 arg_len;                 /* of all arguments, in bytes; argv may have fewer */
    struct proc_text argv, path, exe, cwd;
    struct proc_text env;        /* of it what --env names: NAME=VALUE, each with a NUL */
    char comm[16];
    struct wire_usage own, all;  /* own: the sum of the threads that have ended */
    struct proc_step *children;  /* that have ended, the last first */
};

struct proc_row {
    u8 what;                     /* enum proc_what */
    const struct proc_life *l;
    u64 ts_ns;
    u32 tid;                     /* PROC_THREAD */
    s32 err;                     /* PROC_FAILED */
    const char *comm;
    const struct wire_usage *used;
};

/* What the options say, beside what is in opt. */
static struct {
    bool live, failed, forks, threads, quote, perf_rings;
    bool time, clock, print_uid;     /* columns of execsnoop and exitsnoop */
    u32 pid, only_pid, max_args;
    u64 uid;                         /* + 1; 0: all */
    u64 min_ns, cgroup;
    const char *name, *line, *format, *gantt;
    const char **env;                /* names; n_env of them */
    u32 n_env;
} po = { .format = "text" };

/* A command that has ended, as far as the chart and the summary want it. */
struct proc_bar {
    u64 begin_ns, end_ns;
    u32 pid;
    bool bad;
    char name[PROC_NAME];
};

/* A process that has ended, as far as the critical path wants it. */
struct proc_step {
    struct proc_step *next;      /* a sibling that ended before it */
    struct proc_step *waited;    /* children on the path, the last first */
    u64 begin_ns, end_ns, self_ns; /* self: when it waited for none of those */
    u32 pid;
    char name[PROC_NAME];
};

static struct {
    struct bpf_obj obj;
    struct sp cmd;
    struct rusage rusage;         /* the command's, with that of all whose end was waited for */
    bool btf, argv;               /* fields of the kernel's structs; arguments by execve's argv */
    bool no_forks;                /* forks cannot be seen: whose child a process is, /proc knows */
    bool used[10];                /* by proc_usage[]: the kernel has that */
    bool whole;                   /* the list of processes is that of the box, not of a tree */
    s64 boot_off;                 /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
    u64 first_ns, scan_ns, page, lost[N_LOST + 1];
    u32 lives, mine, ending, peak;
    u64 commands, forks, failed, exec_failed, cpu_ns, unsure;
    u32 n_bars;
    struct { u32 pid; u64 boot_ns; } gone[64]; /* the last that ended */
    u32 n_gone;
    int gantt;                    /* --gantt's file */
} pp = { .cmd.err = -1, .gantt = -1 };

static struct proc_life *proc_lives[PROC_BUCKETS]; /* by pid */
static struct proc_bar proc_bars[PROC_BARS];       /* pp.n_bars are used */
static struct { struct proc_bar bar; char how[20]; } proc_failures[PROC_SLOWEST]; /* the first */
static struct proc_step *proc_path_end;            /* the command, when it has ended */
static u32 proc_steps;                             /* that there are; over PROC_STEPS: no path */

/* --- options --- */

static const char *proc_opt_uid(const char *v)
{
    const char *wrong = open_opt_uid(v);
    po.uid = oo.uid;
    return wrong;
}

static const char *proc_opt_line(const char *v)
{
    po.line = v;
    return u_re(v, "") < 0 ? "not a regular expression" : NULL;
}

static const char *proc_opt_min(const char *v)
{
    static const struct { const char *unit; u64 ns; } units[] = {
        { "", 1000000 }, { "ms", 1000000 }, { "s", NSEC }, { "us", 1000 }, { "ns", 1 },
    };
    char *end;
    unsigned long long n = strtoull(v, &end, 10);
    for (size_t i = 0; i < ARRAY_LEN(units) && isdigit((u8)*v); i++)
        if (!strcmp(end, units[i].unit) && n < UINT64_MAX / units[i].ns) {
            po.min_ns = n * units[i].ns;
            return NULL;
        }
    return "not a duration, like 10ms, 2s or 500us";
}

static bool proc_is_cgroup2(const char *path)
{
    struct statfs s;
    return statfs(path, &s) == 0 && (u32)s.f_type == 0x63677270; /* linux/magic.h */
}

/* Where cgroups of version 2 are mounted, alone or beside those of version 1; NULL: not here. */
static const char *proc_cgroup_root(void)
{
    static const char *const at[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
    for (size_t i = 0; i < ARRAY_LEN(at); i++)
        if (proc_is_cgroup2(at[i]))
            return at[i];
    return NULL;
}

/* A cgroup's id is the inode of its directory. */
static const char *proc_opt_cgroup(const char *v)
{
    char path[PATH_MAX];
    struct stat s;
    const char *root = strncmp(v, "/sys/", 5) ? proc_cgroup_root() : "";
    if (!root)
        return "there are no cgroups of version 2 in /sys/fs/cgroup";
    snprintf(path, sizeof path, "%s%s%s", root, *root && *v != '/' ? "/" : "", v);
    if (stat(path, &s) < 0)
        return strerror(errno);
    po.cgroup = s.st_ino;
    return proc_is_cgroup2(path) ? NULL : "not a cgroup of version 2";
}

/* --- what the probe is told --- */

/* What a thread uses, and the kernel's field that has it: not every configuration counts I/O
 * (CONFIG_TASK_IO_ACCOUNTING). The first row is the two numbers that proc_cpu makes. */
enum { PROC_CPU, PROC_READ = 5, PROC_WRITTEN };
#define USED(key, member, field) { key, "task_struct." field, offsetof(struct wire_usage, member) }
static const struct { const char *key, *field; u32 at; } proc_usage[] = {
    USED("", run_ns, "se.sum_exec_runtime"),
    USED("minor_faults", minor, "min_flt"),
    USED("major_faults", major, "maj_flt"),
    USED("voluntary_switches", waits, "nvcsw"),
    USED("involuntary_switches", preempted, "nivcsw"),
    [PROC_READ] = USED("read_bytes", read_bytes, "ioac.read_bytes"),
    [PROC_WRITTEN] = USED("written_bytes", write_bytes, "ioac.write_bytes"),
    USED("read_chars", read_chars, "ioac.rchar"),
    USED("written_chars", write_chars, "ioac.wchar"),
};
_Static_assert(ARRAY_LEN(proc_usage) <= sizeof pp.used, "numbers that are never known");

static bool proc_has_fields(const struct bpf_obj *o)
{
    static const char *const names[] = {
        "task_struct.mm", "mm_struct.arg_start", "mm_struct.arg_end", "task_struct.signal",
        "signal_struct.live", "signal_struct.flags", "signal_struct.group_exit_code",
        "task_struct.exit_code", "task_struct.real_parent", "task_struct.tgid", "task_struct.pid",
        "mm_struct.exe_file", "task_struct.fs", "fs_struct.pwd", "fs_struct.root.mnt",
        "dentry.d_parent", "dentry.d_name.name", "vfsmount.mnt_root", "mount.mnt",
        "mount.mnt_parent", "mount.mnt_mountpoint", "file.f_path", "signal_struct.maxrss",
    };
    return open_has_all(o, names, ARRAY_LEN(names)) && open_can_see_ns(o);
}

static void proc_cfg_abi(struct bpf_cfgs *c, const struct btf_want *compat)
{
    static const char *const arg[] = { "CFG_A0", "CFG_A1", "CFG_A2" };
    static const char *const arg32[] = { "CFG_B0", "CFG_B1", "CFG_B2" };
    for (size_t i = 0; i < 3; i++) {
        bpf_set(c, arg[i], arch_arg_off[i]);
        bpf_set(c, arg32[i], arch_arg_off32[i]);
    }
    bpf_set(c, "CFG_EXECVE", (u64)sc_number(ARCH_NATIVE, SC_execve));
    bpf_set(c, "CFG_EXECVEAT", (u64)sc_number(ARCH_NATIVE, SC_execveat));
    bpf_set(c, "CFG_EXECVE32", (u64)sc_number(ARCH_COMPAT, SC_execve));
    bpf_set(c, "CFG_EXECVEAT32", (u64)sc_number(ARCH_COMPAT, SC_execveat));
    bpf_set(c, "CFG_NR", ARCH_NR_OFF);
    bpf_set_compat(c, compat);
}

static void proc_configure(struct bpf_cfgs *c, struct bpf_obj *o, const struct btf_want *compat)
{
    u64 dev, ino = bpf_pid_ns(&dev);
    proc_cfg_abi(c, compat);
    bpf_set(c, "CFG_SELF", (u64)getpid());
    bpf_set(c, "CFG_NS_INO", ino);
    bpf_set(c, "CFG_NS_DEV", dev);
    bpf_set(c, "CFG_BTF", pp.btf);
    bpf_set(c, "CFG_ARGV", pp.argv);
    bpf_set(c, "CFG_FAILED", po.failed);
    bpf_set(c, "CFG_ENV", po.n_env);
    o->cfg = c->v;
    o->n_cfg = c->n;
}

/* The programs of this run: raw ones need BTF to look into what they are given. */
static u32 proc_choose(const struct bpf_obj *o)
{
    u32 mask = 1u << PROC_P_FORK | 1u << PROC_P_EXEC | 1u << PROC_P_EXIT;
    pp.btf = proc_has_fields(o);
    pp.argv = !pp.btf;
    for (size_t i = 0; i < ARRAY_LEN(proc_usage); i++)
        pp.used[i] = pp.btf && bpf_has_field(o, proc_usage[i].field);
    if (po.failed || pp.argv)
        mask |= 1u << PROC_P_CALL | 1u << PROC_P_RETURN;
    pp.no_forks = !pp.btf && bpf_pid_ns(NULL);
    return pp.btf && bpf_has_field(o, "linux_binprm.filename") && bpf_raw_is_whole() ? mask
                                                                                   : mask << 1;
}

/* Loads and attaches; -errno with pp.obj.why. */
static int proc_start(void)
{
    static struct bpf_cfgs cfg;
    struct btf_want compat = BPF_COMPAT_WANT;
    struct bpf_obj *o = &pp.obj;
    o->fam = &proc_family;
    o->ring = !po.perf_rings;
    o->ring_bytes = opt.ring_bytes ? opt.ring_bytes : 4 << 20; /* a second of short processes */
    int e = bpf_open(o);
    if (e)
        return e;
    bpf_find_fields(o, &compat);
    u32 mask = proc_choose(o);
    bpf_find_records(o, mask);
    proc_configure(&cfg, o, &compat);
    if ((e = bpf_load(o, mask)) || (e = rb_open(o)))
        return e;
    return bpf_attach(o, mask);
}

/* --- lives --- */

static struct proc_life **proc_bucket(u32 pid)
{
    return &proc_lives[pid % PROC_BUCKETS];
}

static struct proc_life *proc_find(u32 pid)
{
    struct proc_life *l = *proc_bucket(pid);
    while (l && l->pid != pid)
        l = l->next;
    return l;
}

/* Takes a copy of bytes; nothing when there is no memory for them. */
static void proc_keep(struct proc_text *t, const char *p, u32 n)
{
    char *copy = realloc(t->p, n + 1);
    if (!copy)
        n = 0;
    t->p = copy ? copy : t->p;
    t->len = n;
    if (copy && n)
        memcpy(copy, p, n);
    if (copy)
        copy[n] = 0;
}

static void proc_forget(struct proc_life *l)
{
    struct proc_life **at = proc_bucket(l->pid);
    while (*at && *at != l)
        at = &(*at)->next;
    if (*at)
        *at = l->next;
    pp.lives--;
    pp.mine -= l->mine;
    pp.ending -= l->ending;
    free(l->argv.p), free(l->path.p), free(l->exe.p), free(l->cwd.p), free(l->env.p);
    free(l);
}

/* A new life; whoever had its number before is gone, without having been seen to go. NULL: no
 * memory. */
static struct proc_life *proc_new(u32 pid, bool mine)
{
    struct proc_life *was = proc_find(pid), *l = calloc(1, sizeof *l);
    if (was)
        pp.unsure += was->execed, proc_forget(was);
    if (!l)
        return NULL;
    l->pid = pid;
    l->status = -1;
    l->mine = mine;
    l->next = *proc_bucket(pid);
    *proc_bucket(pid) = l;
    pp.lives++;
    pp.mine += mine;
    pp.peak = MAX(pp.peak, pp.mine);
    return l;
}

/* Whether a child of ppid belongs to what is watched. */
static bool proc_is_mine(u32 ppid)
{
    const struct proc_life *parent = proc_find(ppid);
    return pp.whole || (parent && parent->mine);
}

/* The same of a process of which forks cannot tell: its parents, as far as /proc still has them. */
static bool proc_descends(u32 pid)
{
    for (int i = 0; i < 64 && (s32)pid > 0; i++) {
        if (proc_is_mine(pid))
            return true;
        pid = (u32)ps_status((pid_t)pid, "PPid:");
    }
    return false;
}

/* What every record of a process knows of it. */
static void proc_who(struct proc_life *l, const struct wire_proc *h)
{
    l->uid = h->uid;
    l->gid = h->gid;
    l->cgroup = h->cgroup;
    if (h->ppid && !l->ppid)
        l->ppid = h->ppid;
    if (h->ns_pid)
        l->ns_pid = h->ns_pid;
    if (h->start_ns)
        l->boot_ns = h->start_ns;
    memcpy(l->comm, h->comm, sizeof l->comm);
    if (!l->fork_ns)
        l->fork_ns = h->start_ns ? (u64)((s64)h->start_ns - pp.boot_off) : h->ts_ns;
}

/* --- lives from /proc --- */

/* A small file of /proc/PID, as u_slurp has it. */
static u32 proc_slurp(u32 pid, const char *name, char *s, size_t max)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/%s", pid, name);
    return (u32)u_slurp(path, s, max);
}

static void proc_link(u32 pid, const char *name, struct proc_text *t)
{
    char s[PATH_MAX];
    s64 n = fd_readlink((pid_t)pid, name, s, sizeof s);
    if (n > 0)
        proc_keep(t, s, (u32)n);
}

/* The arguments, directory and executable of a process as they are now. */
static void proc_look(struct proc_life *l)
{
    static char s[PROC_PIECE * PROC_PIECES + 1];
    u32 n = proc_slurp(l->pid, "cmdline", s, sizeof s);
    if (n)
        proc_keep(&l->argv, s, n), l->arg_len = n;
    proc_link(l->pid, "cwd", &l->cwd);
    proc_link(l->pid, "exe", &l->exe);
    if (!l->ppid)
        l->ppid = (u32)MAX(ps_status((pid_t)l->pid, "PPid:"), 0);
}

/* After an exec of which the probe could tell little: arguments are from /proc when those that
 * execve was given could not be read. */
static void proc_look_late(struct proc_life *l)
{
    struct proc_text had = l->argv;
    u32 len = l->arg_len;
    bool cut = l->cut || !had.len;
    l->argv = (struct proc_text){ NULL, 0 };
    proc_look(l);
    if (cut && l->argv.len) {
        free(had.p);
        l->cut = false;
        return;
    }
    free(l->argv.p);
    l->argv = had;
    l->arg_len = len;
}

/* A process that is there when kvis starts. Behind the last ) of /proc/PID/stat: state, ppid, and
 * how many threads as the 18th word, its start as the 20th, in clock ticks since boot. */
static void proc_scan_one(u32 pid)
{
    char path[32], s[1024];
    struct stat about;
    proc_slurp(pid, "stat", s, sizeof s);
    const char *comm = strchr(s, '('), *end = strrchr(s, ')');
    if (!comm || !end || end[1] != ' ' || pid == (u32)getpid() || proc_find(pid))
        return;
    if (end[2] == 'Z' && strtoul(u_word(end + 2, 17), NULL, 10) < 2)
        return; /* it has ended; with more threads only its first one has */
    struct proc_life *l = proc_new(pid, !po.pid || po.pid == pid);
    if (!l)
        return;
    memcpy(l->comm, comm + 1, MIN((size_t)(end - comm - 1), sizeof l->comm - 1));
    l->at_start = true;
    l->ppid = (u32)strtoul(u_word(end + 2, 1), NULL, 10);
    l->boot_ns = strtoull(u_word(end + 2, 19), NULL, 10) * (NSEC / (u64)sysconf(_SC_CLK_TCK));
    l->fork_ns = l->begin_ns = (u64)MAX((s64)l->boot_ns - pp.boot_off, 1);
    snprintf(path, sizeof path, "/proc/%u", pid);
    if (stat(path, &about) == 0)
        l->uid = about.st_uid, l->gid = about.st_gid;
    proc_look(l);
    proc_keep(&l->path, l->exe.p ? l->exe.p : "", l->exe.len);
}

/* -p: who descends from the process belongs to it, however deep. */
static void proc_mark_tree(void)
{
    for (bool more = po.pid; more;) {
        more = false;
        for (u32 i = 0; i < PROC_BUCKETS; i++)
            for (struct proc_life *l = proc_lives[i]; l; l = l->next)
                if (!l->mine && proc_is_mine(l->ppid))
                    l->mine = more = true, pp.mine++;
    }
}

static void proc_scan(void)
{
    pp.scan_ns = u_now();
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));)
        if (isdigit((u8)e->d_name[0]))
            proc_scan_one((u32)strtoul(e->d_name, NULL, 10));
    if (d)
        closedir(d);
    proc_mark_tree();
}

/* --- arguments that wait for their exec --- */

/* They come before it, from the same thread. */
struct proc_args {
    struct proc_args *next;
    u64 ts_ns; /* of all pieces; that of their exec too, unless they are from execve's argv */
    u32 tid;
    bool cut;
    struct buf b, env;
};
static struct proc_args *proc_pending;

static struct proc_args **proc_args_of(u32 tid)
{
    struct proc_args **a = &proc_pending;
    while (*a && (*a)->tid != tid)
        a = &(*a)->next;
    return a;
}

static void proc_args_drop(struct proc_args **at)
{
    struct proc_args *a = *at;
    if (!a)
        return;
    *at = a->next;
    b_free(&a->b);
    b_free(&a->env);
    free(a);
}

/* A piece of the arguments, or, behind them, of the environment. One that does not follow the last
 * is left out, and so is all behind it. */
static void proc_args_add(const struct wire_proc *h, const char *data)
{
    struct proc_args **at = proc_args_of(h->tid);
    struct buf *b;
    if (*at && (*at)->ts_ns != h->ts_ns) /* those of one whose record was lost */
        proc_args_drop(at);
    if (!*at && !h->at) {
        at = &proc_pending;
        struct proc_args *a = calloc(1, sizeof *a);
        if (!a)
            return;
        a->tid = h->tid;
        a->ts_ns = h->ts_ns;
        a->next = *at;
        *at = a;
    }
    if (!*at || (b = h->kind == PROC_ENV ? &(*at)->env : &(*at)->b)->len != h->at)
        return;
    b_put(b, data, h->arg_len);
    (*at)->cut = h->flags;
}

/* Keeps of the environment what --env names, in its order there. */
static void proc_env_take(struct proc_life *l, const struct buf *env)
{
    static struct buf b;
    b.len = 0;
    for (u32 at = 0, n; at < env->len; at += n + 1) {
        const char *s = env->p + at;
        n = (u32)strnlen(s, env->len - at);
        for (u32 i = 0; i < po.n_env; i++) {
            size_t len = strlen(po.env[i]);
            if (len < n && s[len] == '=' && !memcmp(s, po.env[i], len))
                b_put(&b, s, n), b_c(&b, 0);
        }
    }
    proc_keep(&l->env, b.len ? b.p : "", b.len);
}

static void proc_args_take(struct proc_life *l, const struct wire_proc *h)
{
    struct proc_args **at = proc_args_of(h->tid);
    if (!*at && h->was)
        at = proc_args_of(h->was);
    if (*at && pp.btf && (*at)->ts_ns != h->ts_ns) {
        proc_args_drop(at);
        at = proc_args_of(h->tid); /* that has none now */
    }
    l->arg_len = h->arg_len;
    if (*at)
        proc_keep(&l->argv, (*at)->b.p, (*at)->b.len);
    else
        proc_keep(&l->argv, "", 0);
    if (*at && po.n_env)
        proc_env_take(l, &(*at)->env);
    l->arg_len = MAX(l->arg_len, l->argv.len);
    l->cut = l->argv.len < l->arg_len || (*at && (*at)->cut);
    proc_args_drop(at);
}

/* --- what was used --- */

static void proc_usage_add(struct wire_usage *to, const struct wire_usage *u)
{
    u64 *d = (u64 *)to;
    const u64 *s = (const u64 *)u;
    for (size_t i = 0; i < sizeof *u / sizeof *s; i++)
        d[i] += s[i];
}

static void proc_usage_max(struct wire_usage *to, const struct wire_usage *u)
{
    u64 *d = (u64 *)to;
    const u64 *s = (const u64 *)u;
    for (size_t i = 0; i < sizeof *u / sizeof *s; i++)
        d[i] = MAX(d[i], s[i]);
}

/* The kernel counts ticks of user and system time, and exactly how long a task ran: it divides the
 * latter as the former stand to each other (kernel/sched/cputime.c, cputime_adjust). */
static void proc_cpu(const struct wire_usage *u, u64 *user, u64 *sys)
{
    *user = u->run_ns, *sys = 0;
    if (u->system_ns && !u->user_ns)
        *user = 0, *sys = u->run_ns;
    else if (u->system_ns)
        *sys = (u64)((double)u->run_ns * (double)u->system_ns
                     / ((double)u->system_ns + (double)u->user_ns));
    *user = u->run_ns - *sys;
}

/* --- text that all formats share --- */

static u64 proc_real(u64 ts_ns)
{
    return out.start_real_ns + (ts_ns - out.start_ns);
}

/* HH:MM:SS of the clock on the wall, with milliseconds. */
static void proc_clock(struct buf *b, u64 ts_ns, bool ms)
{
    u64 real = proc_real(ts_ns);
    time_t sec = (time_t)(real / NSEC);
    struct tm tm;
    if (!localtime_r(&sec, &tm))
        memset(&tm, 0, sizeof tm);
    b_f(b, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (ms)
        b_f(b, ".%03u", (u32)(real % NSEC / 1000000));
}

/* Adds blanks up to a width, counted from `from`. */
static void proc_pad(struct buf *b, u32 from, u32 width)
{
    while (b->len - from < width)
        b_c(b, ' ');
}

static void proc_esc_pad(struct buf *b, const char *comm, u32 width)
{
    u32 from = b->len;
    b_esc(b, comm, strnlen(comm, 16), 0);
    proc_pad(b, from, width);
    b_c(b, ' ');
}

/* A word as a shell reads it back: bare, 'quoted', or $'with \n' where there are bytes that a
 * terminal would act on. */
static void proc_shell_word(struct buf *b, const char *s, u32 n)
{
    bool bare = n > 0, plain = true;
    for (u32 i = 0; i < n;) {
        u32 cp;
        int len = u_utf8((const u8 *)s + i, n - i, &cp);
        bool safe = len == 1 && (isalnum((u8)s[i]) || strchr("_-./=:,+@%^", s[i]));
        bare &= safe || len > 1;
        plain &= len && !u_acts(cp) && cp != '\'';
        i += (u32)MAX(len, 1);
    }
    if (bare && plain) {
        b_put(b, s, n);
    } else if (plain) {
        b_c(b, '\''), b_put(b, s, n), b_c(b, '\'');
    } else {
        b_s(b, "$'");
        b_esc(b, s, n, '\'');
        b_c(b, '\'');
    }
}

/* Calls `word` for each argument; returns how many there were, at most max (0: all). */
static u32 proc_words(struct buf *b, const struct proc_text *argv, u32 max,
                      void (*word)(struct buf *, const char *, u32))
{
    u32 n = 0;
    for (u32 at = 0; at < argv->len; n++) {
        u32 len = (u32)strnlen(argv->p + at, argv->len - at);
        if (max && n == max) {
            b_s(b, " ...");
            break;
        }
        if (n)
            b_c(b, ' ');
        word(b, argv->p + at, len);
        at += len + 1;
    }
    return n;
}

static void proc_plain_word(struct buf *b, const char *s, u32 n)
{
    b_esc(b, s, n, 0);
}

static void proc_quoted_word(struct buf *b, const char *s, u32 n)
{
    b_quoted(b, s, n, false);
}

/* The command line; of what never called exec the name. */
static void proc_line(struct buf *b, const struct proc_life *l)
{
    if (!l->argv.len)
        b_c(b, '('), b_esc(b, l->comm, strnlen(l->comm, sizeof l->comm), 0), b_c(b, ')');
    else
        proc_words(b, &l->argv, 0, proc_shell_word);
    if (l->argv.len < l->arg_len)
        b_f(b, "... (%u bytes in all)", l->arg_len);
    else if (l->cut)
        b_s(b, " ...");
}

/* The path of a cgroup in the tree of version 2, by its id: kernfs takes that for a file handle of
 * type FILEID_KERNFS (include/linux/exportfs.h). Asked once for each. "" when it is not known. */
static const char *proc_cgroup(u64 id)
{
    static struct { u64 id; char name[256]; } known[32];
    static u32 n;
    struct { u32 bytes; int type; u64 id; } handle = { sizeof id, 0xfe, id };
    char link[64];
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (known[i].id == id)
            return known[i].name;
    char *name = known[n % ARRAY_LEN(known)].name;
    known[n++ % ARRAY_LEN(known)].id = id;
    name[0] = 0;
    const char *at = proc_cgroup_root();
    int root = at ? open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int f = root < 0 ? -1 : (int)syscall(SYS_open_by_handle_at, root, &handle, O_PATH | O_CLOEXEC);
    snprintf(link, sizeof link, "/proc/self/fd/%d", f);
    s64 len = f < 0 ? -1 : fd_link_text(link, name, sizeof known[0].name);
    size_t top = at ? strlen(at) : 0;
    if (len < (s64)top || !at || strncmp(name, at, top))
        name[0] = 0;
    else if (len == (s64)top)
        memcpy(name, "/", 2);
    else
        memmove(name, name + top, (size_t)len - top + 1);
    if (root >= 0)
        close(root);
    if (f >= 0)
        close(f);
    return name;
}

/* --- filters --- */

static bool proc_line_matches(const struct proc_life *l)
{
    static struct buf b;
    b_reset(&b);
    b.max = U_RE_MAX - 1;
    proc_words(&b, &l->argv, 0, proc_plain_word);
    b.max = U_RE_MAX;
    b_c(&b, 0);
    return u_re(po.line, b.p) > 0;
}

static bool proc_wanted(const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    if (!l->mine || (po.uid && (u64)l->uid + 1 != po.uid))
        return false;
    if (po.name && !strstr(r->comm, po.name))
        return false;
    if (po.only_pid && l->pid != po.only_pid)
        return false;
    if (po.cgroup && l->cgroup != po.cgroup)
        return false;
    if (po.min_ns && r->what != PROC_FAILED && r->ts_ns - l->begin_ns < po.min_ns)
        return false;
    return !po.line || proc_line_matches(l);
}

/* --- the formats of text --- */

static void proc_col_end(struct buf *b, const struct proc_row *r)
{
    s32 status = r->l->status;
    u32 from = b->len;
    if (r->what == PROC_FAILED)
        u_errname(r->err) ? b_s(b, u_errname(r->err)) : b_s64(b, r->err);
    else if (r->what != PROC_ENDED)
        b_s(b, r->what == PROC_STARTED ? "started" : r->what == PROC_REPLACED ? "exec"
               : r->what == PROC_THREAD ? "thread" : "running");
    else if (status < 0)
        b_c(b, '?');
    else if (WIFSIGNALED(status))
        b_sig(b, WTERMSIG(status)), b_s(b, WCOREDUMP(status) ? "+core" : "");
    else
        b_s64(b, WEXITSTATUS(status));
    proc_pad(b, from, 8);
    b_c(b, ' ');
}

static void proc_text_head(struct buf *b)
{
    b_s(b, "TIME         PID     PPID    UID      SECONDS EXIT          RSS COMMAND\n");
}

static void proc_text(struct buf *b, const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    proc_clock(b, r->ts_ns, true);
    b_f(b, " %-7u %-7u %-6u ", r->what == PROC_THREAD ? r->tid : l->pid, l->ppid, l->uid);
    if (r->what == PROC_STARTED || r->what == PROC_FAILED)
        b_s(b, "        - ");
    else
        b_f(b, "%9.3f ", (double)(r->ts_ns - l->begin_ns) / 1e9);
    proc_col_end(b, r);
    u32 from = b->len;
    static struct buf rss;
    b_reset(&rss);
    l->max_rss && r->what != PROC_THREAD ? b_size(&rss, l->max_rss * pp.page) : b_c(&rss, '-');
    proc_pad(b, from, 8 - MIN(rss.len, 8));
    b_put(b, rss.p, rss.len);
    b_c(b, ' ');
    r->what == PROC_THREAD ? b_esc(b, r->comm, strnlen(r->comm, 16), 0) : proc_line(b, l);
    b_c(b, '\n');
}

/* bcc's execsnoop: libbpf-tools/execsnoop.c. */
static void proc_exec_head(struct buf *b)
{
    if (po.clock)
        b_s(b, "TIME      ");
    if (po.time)
        b_s(b, "TIME(s)  ");
    if (po.print_uid)
        b_s(b, "UID    ");
    b_s(b, "PCOMM            PID    PPID   RET ARGS\n");
}

static void proc_exec_row(struct buf *b, const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    u32 from = b->len;
    if (po.clock)
        proc_clock(b, r->ts_ns, false), proc_pad(b, from, 10);
    if (po.time)
        b_f(b, "%-8.3f ", (double)(r->ts_ns - pp.first_ns) / 1e9);
    if (po.print_uid)
        b_f(b, "%-6u ", l->uid);
    proc_esc_pad(b, r->comm, 16);
    b_f(b, "%-6u %-6u %3d ", l->pid, l->ppid, -r->err);
    proc_words(b, &l->argv, po.max_args, po.quote ? proc_quoted_word : proc_plain_word);
    b_s(b, l->cut ? " ...\n" : "\n");
}

/* bcc's exitsnoop: libbpf-tools/exitsnoop.c. */
static void proc_exit_head(struct buf *b)
{
    if (po.time)
        b_s(b, "TIME(s)  ");
    b_s(b, "PCOMM            PID     PPID    TID     AGE(s)  EXIT_CODE\n");
}

/* A signal's name without SIG. */
static const char *proc_short_sig(int sig)
{
    const char *name = u_signame(sig);
    return strncmp(name, "SIG", 3) ? name : name + 3;
}

static void proc_exit_row(struct buf *b, const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    u32 from = b->len;
    s32 status = l->status;
    if ((po.failed && status <= 0) || po.threads != (r->what == PROC_THREAD))
        return;
    if (po.time)
        proc_clock(b, r->ts_ns, false), proc_pad(b, from, 9);
    proc_esc_pad(b, r->comm, 16);
    b_f(b, "%-7u %-7u %-7u %-7.2f ", l->pid, l->ppid, r->tid ? r->tid : l->pid,
        (double)(r->ts_ns - l->fork_ns) / 1e9);
    if (status < 0)
        b_c(b, '?');
    else if (WIFSIGNALED(status))
        b_f(b, "signal %d (%s)%s", WTERMSIG(status), proc_short_sig(WTERMSIG(status)),
            WCOREDUMP(status) ? ", core dumped" : "");
    else
        b_f(b, WEXITSTATUS(status) ? "code %d" : "%d", WEXITSTATUS(status));
    b_c(b, '\n');
}

/* --- JSON --- */

static void proc_json_num(struct buf *b, const char *key, u64 n)
{
    b_s(b, ",\""), b_s(b, key), b_s(b, "\":"), b_u64(b, n);
}

static void proc_json_path(struct buf *b, const char *key, const struct proc_text *t)
{
    if (t->len)
        b_c(b, ','), out_json_str(b, key, t->p, t->len);
}

/* How it ended: exit_code is null for what was killed, replaced, or still runs. */
static void proc_json_end(struct buf *b, const struct proc_row *r)
{
    s32 status = r->what == PROC_ENDED ? r->l->status : -1;
    bool killed = status >= 0 && WIFSIGNALED(status);
    static const char *const how[] = { [PROC_STARTED] = "running", [PROC_ENDED] = "exit",
                                       [PROC_REPLACED] = "exec", [PROC_RUNNING] = "running",
                                       [PROC_THREAD] = "exit" };
    b_f(b, ",\"end\":\"%s\",\"exit_code\":", killed ? "signal" : how[r->what]);
    status >= 0 && !killed ? b_s64(b, WEXITSTATUS(status)) : b_s(b, "null");
    b_s(b, ",\"signal\":");
    killed ? b_c(b, '"'), b_sig(b, WTERMSIG(status)), b_c(b, '"') : b_s(b, "null");
    b_s(b, killed && WCOREDUMP(status) ? ",\"core\":true" : ",\"core\":false");
}

static void proc_json_usage(struct buf *b, const struct wire_usage *u)
{
    u64 user, sys;
    proc_cpu(u, &user, &sys);
    if (pp.used[PROC_CPU]) {
        proc_json_num(b, "cpu_user_ns", user);
        proc_json_num(b, "cpu_system_ns", sys);
    }
    for (size_t i = PROC_CPU + 1; i < ARRAY_LEN(proc_usage); i++) {
        const void *v = (const char *)u + proc_usage[i].at;
        if (pp.used[i])
            proc_json_num(b, proc_usage[i].key, *(const u64 *)v);
    }
}

static void proc_json_who(struct buf *b, const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    b_f(b, ",\"ts_ns\":%" PRIi64 ",\"pid\":%u", (s64)(r->ts_ns - out.start_ns), l->pid);
    if (r->what == PROC_THREAD)
        b_f(b, ",\"tid\":%u", r->tid);
    if (l->ns_pid && l->ns_pid != l->pid)
        b_f(b, ",\"ns_pid\":%u", l->ns_pid);
    b_f(b, ",\"ppid\":%u,\"uid\":%u,\"gid\":%u,", l->ppid, l->uid, l->gid);
    out_json_str(b, "comm", r->comm, (u32)strnlen(r->comm, 16));
}

/* What --env names of the environment that the command began with; null: it is not known. */
static void proc_json_env(struct buf *b, const struct proc_text *env)
{
    const char *sep = "";
    b_s(b, env->p ? ",\"env\":{" : ",\"env\":null");
    for (u32 at = 0; at < env->len; sep = ",") {
        const char *s = env->p + at, *value = strchr(s, '=') + 1;
        b_s(b, sep);
        b_c(b, '"'), b_json(b, s, (size_t)(value - s) - 1), b_s(b, "\":\"");
        b_json(b, value, strlen(value)), b_c(b, '"');
        at += (u32)strlen(s) + 1;
    }
    if (env->p)
        b_c(b, '}');
}

static void proc_json_what(struct buf *b, const struct proc_life *l)
{
    proc_json_path(b, "path", &l->path);
    b_c(b, ',');
    out_json_argv(b, "argv", l->argv.len ? l->argv.p : "", l->argv.len);
    b_f(b, ",\"argv_bytes\":%u,\"argv_truncated\":%s", l->arg_len,
        l->cut ? "true" : "false");
    proc_json_path(b, "exe", &l->exe);
    proc_json_path(b, "cwd", &l->cwd);
    if (l->cgroup) {
        const char *name = proc_cgroup(l->cgroup);
        if (*name)
            b_c(b, ','), out_json_str(b, "cgroup", name, (u32)strlen(name));
        proc_json_num(b, "cgroup_id", l->cgroup);
    }
    if (po.n_env)
        proc_json_env(b, &l->env);
    if (!l->walked && l->argv.len)
        b_s(b, ",\"from\":\"proc\"");
}

static void proc_json(struct buf *b, const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    if (r->what == PROC_STARTED && !po.live)
        return;
    b_f(b, "{\"type\":\"%s\"", r->what == PROC_FAILED    ? "exec_failed"
                               : r->what == PROC_THREAD  ? "thread"
                               : r->what == PROC_STARTED ? "exec"
                               : !l->execed && !l->at_start ? "process" : "command");
    proc_json_who(b, r);
    if (r->what != PROC_THREAD)
        proc_json_what(b, l);
    if (r->what == PROC_FAILED) {
        const char *name = u_errname(r->err);
        b_f(b, ",\"error\":\"%s\"}\n", name ? name : "unknown");
        return;
    }
    if (r->what != PROC_THREAD) {
        b_s(b, l->at_start ? ",\"at_start\":true" : ",\"at_start\":false");
        if (!pp.no_forks)
            b_f(b, ",\"fork_ns\":%" PRIi64, (s64)(l->fork_ns - out.start_ns));
        b_f(b, ",\"start_ns\":%" PRIi64, (s64)(l->begin_ns - out.start_ns));
        proc_json_num(b, "start_realtime_ns", proc_real(l->begin_ns));
    }
    if (r->what != PROC_STARTED && r->what != PROC_THREAD) {
        proc_json_num(b, "duration_ns", r->ts_ns - l->begin_ns);
        if (!pp.no_forks)
            proc_json_num(b, "lifetime_ns", r->ts_ns - l->fork_ns);
    }
    proc_json_end(b, r);
    if (r->used)
        proc_json_usage(b, r->used);
    if (l->max_rss && r->what != PROC_THREAD)
        proc_json_num(b, "max_rss_bytes", l->max_rss * pp.page);
    b_s(b, "}\n");
}

/* The words as they are read by the CI action: always a list. */
static void proc_json_args(struct buf *b, const struct proc_life *l)
{
    b_s(b, ",\"args\":[");
    for (u32 at = 0; at < l->argv.len;) {
        u32 n = (u32)strnlen(l->argv.p + at, l->argv.len - at);
        b_s(b, at ? ",\"" : "\"");
        b_json(b, l->argv.p + at, n);
        b_c(b, '"');
        at += n + 1;
    }
    b_c(b, ']');
}

static void proc_json_plain(struct buf *b, const char *key, const char *s, size_t n)
{
    b_c(b, '"'), b_s(b, key), b_s(b, "\":\""), b_json(b, s, n), b_c(b, '"');
}

/* 128 + N for a signal, as a shell has it. A command that became another did not fail. -1: not
 * known (without BTF), for readers want a number. */
static int proc_exit_code(const struct proc_row *r)
{
    s32 status = r->what == PROC_ENDED ? r->l->status : 0;
    return status < 0 ? -1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* CompletedCommand of workflow-telemetry-action's fork (src/interfaces/index.ts): one object a
 * line and no other line; args never null. */
static void proc_workflow(struct buf *b, const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    if (r->what != PROC_ENDED && r->what != PROC_REPLACED)
        return;
    b_c(b, '{');
    proc_json_plain(b, "name", r->comm, strnlen(r->comm, 16));
    b_f(b, ",\"uid\":%u,\"pid\":%u,\"ppid\":%u,\"startTimeNs\":%" PRIu64 ",", l->uid, l->pid,
        l->ppid, proc_real(l->begin_ns));
    proc_json_plain(b, "fileName", l->path.len ? l->path.p : "", l->path.len);
    proc_json_args(b, l);
    b_f(b, ",\"durationNs\":%" PRIu64 ",\"exitCode\":%d", r->ts_ns - l->begin_ns,
        proc_exit_code(r));
    if (r->what == PROC_ENDED && l->status >= 0 && WIFSIGNALED(l->status))
        b_s(b, ",\"signal\":\""), b_sig(b, WTERMSIG(l->status)), b_c(b, '"');
    if (r->what == PROC_REPLACED)
        b_s(b, ",\"replaced\":true");
    b_s(b, "}\n");
}

/* The pairs of events of the action's first version: times in ms. */
static void proc_events(struct buf *b, const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    bool start = r->what == PROC_STARTED;
    if (!start && (r->what != PROC_ENDED || !l->execed))
        return;
    b_s(b, "{\"ts\":\"");
    proc_clock(b, r->ts_ns, false);
    b_s(b, start ? "\",\"event\":\"EXEC\"," : "\",\"event\":\"EXIT\",");
    proc_json_plain(b, "name", r->comm, strnlen(r->comm, 16));
    b_f(b, ",\"uid\":%u,\"pid\":%u,\"ppid\":%u", l->uid, l->pid, l->ppid);
    if (start) {
        b_f(b, ",\"startTime\":%" PRIu64 ",", proc_real(l->begin_ns) / 1000000);
        proc_json_plain(b, "fileName", l->path.len ? l->path.p : "", l->path.len);
        proc_json_args(b, l);
    } else {
        b_f(b, ",\"duration\":%" PRIu64 ",\"exitCode\":%d", (r->ts_ns - l->begin_ns) / 1000000,
            proc_exit_code(r));
    }
    b_s(b, "}\n");
}

/* --- the formats --- */

#define PROC_BIT(what) (1u << (what))
enum {
    PROC_ENDS = PROC_BIT(PROC_ENDED) | PROC_BIT(PROC_REPLACED) | PROC_BIT(PROC_RUNNING),
    PROC_ALL = PROC_ENDS | PROC_BIT(PROC_STARTED) | PROC_BIT(PROC_FAILED) | PROC_BIT(PROC_THREAD)
};

static const struct proc_format {
    const char *name;
    bool json, whole;  /* whole: with processes that were there before kvis */
    u32 rows;          /* by enum proc_what, a bit each */
    void (*head)(struct buf *);
    void (*row)(struct buf *, const struct proc_row *);
} proc_formats[] = {
    { "text", false, true, PROC_ALL, proc_text_head, proc_text },
    { "json", true, true, PROC_ENDS, NULL, proc_workflow },
    { "json-v2", true, false, PROC_BIT(PROC_STARTED) | PROC_BIT(PROC_ENDED), NULL, proc_events },
    { "execsnoop", false, false, PROC_BIT(PROC_STARTED) | PROC_BIT(PROC_FAILED), proc_exec_head,
      proc_exec_row },
    { "exitsnoop", false, false, PROC_BIT(PROC_ENDED) | PROC_BIT(PROC_THREAD), proc_exit_head,
      proc_exit_row },
};

static const struct proc_format *proc_format(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(proc_formats); i++)
        if (!strcmp(proc_formats[i].name, name))
            return &proc_formats[i];
    return NULL;
}

static const char *proc_opt_format(const char *v)
{
    po.format = v;
    return proc_format(v) ? NULL : "not text, json, json-v2, execsnoop or exitsnoop";
}

/* Whether text shows a row: --live says when commands begin, --forks what never calls exec. */
static bool proc_shown(const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    if (r->what == PROC_STARTED && !po.live && !strcmp(po.format, "text"))
        return false;
    if (r->what == PROC_RUNNING)
        return l->execed;
    return r->what == PROC_FAILED || r->what == PROC_THREAD || l->execed || l->at_start || po.forks;
}

static void proc_emit(struct proc_row r)
{
    const struct proc_format *f = proc_format(po.format);
    if (!r.comm)
        r.comm = r.l->comm;
    pp.first_ns = pp.first_ns ? pp.first_ns : r.ts_ns;
    if (!proc_shown(&r) || !proc_wanted(&r))
        return;
    if (out.events_on && f->rows & PROC_BIT(r.what)) {
        f->row(&out.text.b, &r);
        out_full(&out.text);
    }
    if (out.json_on) {
        proc_json(&out.json.b, &r);
        out_full(&out.json);
    }
}

/* A command line, as much of it as fits. */
static void proc_name(char to[PROC_NAME], const struct proc_life *l)
{
    static struct buf name;
    b_reset(&name);
    proc_line(&name, l);
    u32 n = MIN(name.len, (u32)PROC_NAME - 1);
    while (n < name.len && n && (name.p[n] & 0xc0) == 0x80) /* no half of a UTF-8 character */
        n--;
    memcpy(to, name.p, n);
    to[n] = 0;
}

/* --- the chart --- */

static struct proc_bar proc_bar_of(const struct proc_row *r)
{
    const struct proc_life *l = r->l;
    struct proc_bar bar = { l->begin_ns, r->ts_ns, l->pid, r->what == PROC_ENDED && l->status > 0,
                            "" };
    proc_name(bar.name, l);
    return bar;
}

/* Keeps the longest ones. */
static void proc_bar(const struct proc_row *r)
{
    struct proc_bar *to = proc_bars;
    const struct proc_life *l = r->l;
    for (u32 i = 1; i < pp.n_bars; i++)
        if (proc_bars[i].end_ns - proc_bars[i].begin_ns < to->end_ns - to->begin_ns)
            to = &proc_bars[i];
    if (pp.n_bars < PROC_BARS)
        to = &proc_bars[pp.n_bars++];
    else if (to->end_ns - to->begin_ns >= r->ts_ns - l->begin_ns)
        return;
    *to = proc_bar_of(r);
}

/* A command that failed: the first ones are kept. */
static void proc_failure(const struct proc_row *r)
{
    static struct buf how;
    if (pp.failed++ >= PROC_SLOWEST)
        return;
    b_reset(&how);
    proc_col_end(&how, r);
    snprintf(proc_failures[pp.failed - 1].how, sizeof proc_failures[0].how, "%.*s",
             (int)strcspn(how.p, " "), how.p);
    proc_failures[pp.failed - 1].bar = proc_bar_of(r);
}

static int proc_by_begin(const void *a, const void *b)
{
    const struct proc_bar *x = a, *y = b;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static int proc_by_length(const void *a, const void *b)
{
    const struct proc_bar *x = a, *y = b;
    u64 p = x->end_ns - x->begin_ns, q = y->end_ns - y->begin_ns;
    return p > q ? -1 : p < q;
}

/* A task's name in mermaid's syntax: a word in front, since some first words mean something, and
 * entities for what would end the name or be read as HTML. Names have no control characters. */
static void proc_mermaid_name(struct buf *b, const struct proc_bar *bar)
{
    static const struct { char c; const char *entity; } special[] = {
        { ':', "#colon;" }, { '#', "#35;" }, { ';', "#59;" }, { '<', "#lt;" }, { '>', "#gt;" },
        { '"', "#quot;" }, { '%', "#37;" }, { '&', "#amp;" },
    };
    b_f(b, "\t[%u] ", bar->pid);
    for (const char *p = bar->name; *p; p++) {
        const char *entity = NULL;
        for (size_t i = 0; i < ARRAY_LEN(special); i++)
            entity = special[i].c == *p ? special[i].entity : entity;
        entity ? b_s(b, entity) : b_c(b, *p);
    }
}

/* A Gantt chart of the longest commands, as workflow-telemetry-action draws it. */
static void proc_mermaid(struct buf *b)
{
    b_s(b, "gantt\n\ttitle Commands\n\tdateFormat x\n\taxisFormat %H:%M:%S\n");
    qsort(proc_bars, pp.n_bars, sizeof *proc_bars, proc_by_begin);
    for (u32 i = 0; i < pp.n_bars; i++) {
        const struct proc_bar *bar = &proc_bars[i];
        proc_mermaid_name(b, bar);
        b_f(b, " : %s%" PRIu64 ", %" PRIu64 "\n", bar->bad ? "crit, " : "",
            proc_real(bar->begin_ns) / 1000000, proc_real(bar->end_ns) / 1000000);
    }
}

static void proc_write_gantt(void)
{
    static struct buf b;
    if (pp.gantt < 0)
        return;
    proc_mermaid(&b);
    int e = out_write_all(pp.gantt, b.p, b.len);
    if (e < 0) {
        errno = -e;
        u_warn("cannot write %s:", po.gantt);
        out.failed = -e;
    }
}

/* --- events: to a recording, the report, --perfetto --- */

/* All that is followed, whatever rows the filters leave: a tree with holes has no critical path.
 * NULL: nobody wants any. */
static struct event *proc_event(u8 kind, u32 pid, u32 tid, u64 ts_ns)
{
    struct event *e = ev_new(kind, NULL, ts_ns);
    e->pid = (pid_t)pid;
    e->tid = (pid_t)tid;
    return out.n_taps ? e : NULL;
}

/* Not to the sinks of text and JSON: their rows are commands. */
static void proc_tell(const struct event *e)
{
    out.events++;
    for (u32 i = 0; i < out.n_taps; i++)
        out.tap[i]->event(e);
}

/* The name of a process that was there before kvis, since no event of its own has told it. */
static void proc_tell_name(struct event *e, const struct proc_life *l)
{
    if (l && l->at_start)
        ev_bytes(e, EV_comm, l->comm, (u32)strnlen(l->comm, sizeof l->comm));
}

static void proc_tell_fork(const struct wire_proc *h, const struct proc_life *l)
{
    bool thread = h->tid != h->pid;
    u32 by = thread ? h->pid : l->ppid;
    struct event *e = proc_event(thread ? EK_THREAD : EK_SPAWN, by, by, thread ? h->ts_ns
                                                                              : l->fork_ns);
    if (!e || !l->mine || (thread && !po.threads))
        return;
    ev_num(e, thread ? EV_child_tid : EV_child_pid, h->tid);
    if (!thread && l->ns_pid && l->ns_pid != l->pid)
        ev_num(e, EV_ns_pid, l->ns_pid);
    proc_tell_name(e, thread ? NULL : proc_find(by));
    proc_tell(e);
}

static void proc_tell_exec(const struct proc_life *l, u64 ts_ns, int err)
{
    struct event *e = proc_event(EK_EXEC, l->pid, l->pid, ts_ns);
    if (!e || !l->mine)
        return;
    e->err = err;
    ev_bytes(e, EV_program, l->path.len ? l->path.p : "", l->path.len);
    ev_bytes(e, EV_argv, l->argv.len ? l->argv.p : "", l->argv.len);
    if (l->cut)
        ev_num(e, EV_argv_cut, true);
    ev_num(e, EV_uid, l->uid);
    if (!err && l->path.len)
        st_program(nm_get('f', l->path.p, l->path.len));
    proc_tell(e);
}

static void proc_tell_end(const struct proc_life *l)
{
    struct event *e = proc_event(EK_EXIT_PROCESS, l->pid, l->pid, l->end_ns);
    s32 status = l->status;
    if (!e || !l->mine)
        return;
    ev_num(e, EV_exit_pid, l->pid);
    if (status >= 0 && WIFSIGNALED(status)) {
        ev_sym(e, EV_signal, u_signame(WTERMSIG(status)));
        ev_num(e, EV_core, WCOREDUMP(status) != 0);
    } else if (status >= 0) {
        ev_num(e, EV_code, WEXITSTATUS(status));
    }
    if (l->max_rss)
        ev_num(e, EV_max_rss_bytes, (s64)(l->max_rss * pp.page));
    if (pp.used[PROC_CPU])
        ev_num(e, EV_cpu_ns, (s64)l->all.run_ns);
    if (pp.used[PROC_READ])
        ev_num(e, EV_bytes_read, (s64)l->all.read_bytes);
    if (pp.used[PROC_WRITTEN])
        ev_num(e, EV_bytes_written, (s64)l->all.write_bytes);
    proc_tell_name(e, l);
    proc_tell(e);
}

static void proc_tell_thread_end(const struct proc_life *l, const struct wire_proc *h)
{
    struct event *e = proc_event(EK_EXIT_THREAD, h->pid, h->tid, h->ts_ns);
    if (!e || !l->mine)
        return;
    ev_num(e, EV_exit_pid, h->tid);
    if (pp.used[PROC_CPU])
        ev_num(e, EV_cpu_ns, (s64)h->own.run_ns);
    proc_tell(e);
}

/* --- records --- */

/* A process or a thread is made. */
static void proc_forked(const struct wire_proc *h)
{
    struct proc_life *l = proc_find(h->pid);
    if (h->tid != h->pid) {
        if (l)
            l->threads++, proc_tell_fork(h, l);
        return;
    }
    /* kvis itself makes none: its child is one that the command made its brother (CLONE_PARENT) */
    bool brother = pp.cmd.pid && h->ppid == (u32)getpid();
    l = brother || proc_is_mine(h->ppid) ? proc_new(h->pid, true) : NULL;
    if (!l)
        return;
    pp.forks++;
    l->counted = true;
    l->threads = 1;
    l->begin_ns = l->fork_ns = h->ts_ns;
    proc_who(l, h);
    proc_tell_fork(h, l);
}

/* One of the paths behind an exec's head; where it is cut, what /proc says now. */
static void proc_path(u32 pid, struct proc_text *to, const char *parts, u32 n, u8 state,
                      const char *link)
{
    static struct path p;
    open_dir(&p, parts, n, state & WALK_OUT);
    proc_keep(to, p.s, (state & (WALK_DONE | WALK_CUT)) == WALK_DONE ? p.len : 0);
    if (state & WALK_CUT)
        proc_link(pid, link, to);
}

/* A name that is relative starts from the directory. */
static void proc_paths(struct proc_life *l, const struct wire_proc *h, const char *data)
{
    static struct path p;
    const char *exe = data + h->name_len, *cwd = exe + h->exe_len;
    l->walked = h->cwd_state & WALK_DONE;
    proc_path(h->pid, &l->exe, exe, h->exe_len, h->exe_state, "exe");
    proc_path(h->pid, &l->cwd, cwd, h->cwd_len, h->cwd_state, "cwd");
    if ((h->name_len && data[0] == '/') || l->cwd.len) {
        md_join(&p, l->cwd.len ? l->cwd.p : "", l->cwd.len, data, h->name_len);
        proc_keep(&l->path, p.s, p.len);
    } else {
        proc_keep(&l->path, data, h->name_len);
    }
}

/* The command of a life is over. */
static void proc_over(struct proc_life *l, u8 what, u64 ts_ns)
{
    struct proc_row r = { .what = what, .l = l, .ts_ns = ts_ns, .used = &l->all };
    if ((l->execed || l->at_start) && l->mine) {
        if (what != PROC_RUNNING)
            proc_bar(&r);
        if (what == PROC_ENDED && l->status > 0)
            proc_failure(&r);
    }
    proc_emit(r);
}

static void proc_execed(const struct wire_proc *h, const char *data)
{
    struct proc_life *l = proc_find(h->pid);
    if (!l) {
        if (!proc_is_mine(h->ppid) && !(pp.no_forks && proc_descends(h->pid)))
            return;
        l = proc_new(h->pid, true);
        if (!l)
            return;
    }
    struct wire_usage used = h->dead;
    proc_usage_add(&used, &h->own);
    if (l->execed || (l->at_start && h->ts_ns > pp.scan_ns)) {
        l->all = used;
        l->max_rss = h->max_rss;
        proc_over(l, PROC_REPLACED, h->ts_ns);
    }
    proc_who(l, h);
    l->execed = true;
    l->at_start = false;
    l->begin_ns = h->ts_ns;
    l->max_rss = 0;
    proc_args_take(l, h);
    proc_paths(l, h, data);
    if (!pp.btf)
        proc_look_late(l);
    pp.commands += l->mine;
    proc_tell_exec(l, h->ts_ns, 0);
    proc_emit((struct proc_row){ .what = PROC_STARTED, .l = l, .ts_ns = h->ts_ns });
}

/* An execve that failed is a row of its own: its process goes on as it was. */
static void proc_exec_failed(const struct wire_proc *h, const char *data)
{
    static struct path p;
    struct proc_life *by = proc_find(h->pid), l = { .pid = h->pid, .ppid = h->ppid };
    l.mine = by ? by->mine : proc_is_mine(h->ppid);
    proc_who(&l, h);
    l.walked = true;
    l.begin_ns = h->ts_ns;
    proc_args_take(&l, h);
    if (by && by->cwd.len && h->name_len && data[0] != '/') {
        md_join(&p, by->cwd.p, by->cwd.len, data, h->name_len);
        proc_keep(&l.path, p.s, p.len);
    } else {
        proc_keep(&l.path, data, h->name_len);
    }
    pp.exec_failed += l.mine;
    proc_tell_exec(&l, h->ts_ns, -h->ret);
    proc_emit((struct proc_row){ .what = PROC_FAILED, .l = &l, .ts_ns = h->ts_ns, .err = -h->ret });
    free(l.argv.p), free(l.path.p);
}

static u64 proc_lost(void)
{
    return pp.lost[LOST_RING] + pp.lost[LOST_INFLIGHT] + pp.lost[LOST_TREE] + pp.lost[N_LOST];
}

/* --- the critical path: what the end of the command waited for ---
 * From its end backwards: the child that ended last is what it waited for, before that child began
 * the one that had ended last by then, and so on; of each child the same. The rest of its time is
 * its own. */

/* Takes the first of a list, with what it waited for put in its place. */
static struct proc_step *proc_step_next(struct proc_step **list)
{
    struct proc_step *s = *list, **end = &s->waited;
    while (*end)
        end = &(*end)->next;
    *end = s->next;
    *list = s->waited;
    return s;
}

static void proc_steps_drop(struct proc_step *list)
{
    for (; list; proc_steps--)
        free(proc_step_next(&list));
}

/* Of the children of a process that ends, those that it waited for; the others go. */
static void proc_step_choose(struct proc_step *s, struct proc_step *child)
{
    struct proc_step **kept = &s->waited, *next;
    u64 t = s->end_ns;
    for (; child; child = next) {
        next = child->next;
        child->next = NULL;
        if (child->end_ns > t || child->begin_ns < s->begin_ns) {
            proc_steps_drop(child);
            continue;
        }
        s->self_ns -= child->end_ns - child->begin_ns;
        t = child->begin_ns;
        *kept = child;
        kept = &child->next;
    }
}

/* A process of the command's tree has ended. */
static void proc_step_end(struct proc_life *l)
{
    struct proc_life *parent = proc_find(l->ppid);
    bool root = l->pid == (u32)pp.cmd.pid;
    struct proc_step *s = NULL;
    if (pp.cmd.pid && l->mine && (root || parent) && proc_steps <= PROC_STEPS)
        s = calloc(1, sizeof *s);
    if (!s) {
        proc_steps_drop(l->children);
        return;
    }
    proc_steps++;
    s->begin_ns = l->fork_ns;
    s->end_ns = MAX(l->end_ns, l->fork_ns);
    s->self_ns = s->end_ns - s->begin_ns;
    s->pid = l->pid;
    proc_name(s->name, l);
    proc_step_choose(s, l->children);
    struct proc_step **at = root ? &proc_path_end : &parent->children;
    s->next = *at;
    *at = s;
}

static int proc_step_by_begin(const void *a, const void *b)
{
    const struct proc_step *const *x = a, *const *y = b;
    return (*x)->begin_ns < (*y)->begin_ns ? -1 : (*x)->begin_ns > (*y)->begin_ns;
}

/* The steps of the path by the time they began: n of them, NULL when it is not known. The list
 * is made once, for it takes the tree apart. */
static struct proc_step **proc_critical(u32 *n)
{
    static struct proc_step **list;
    static u32 count;
    struct proc_step *rest = list ? NULL : proc_path_end;
    if (rest && proc_steps <= PROC_STEPS && !proc_lost() && !pp.no_forks && pp.commands)
        list = realloc(NULL, proc_steps * sizeof *list);
    while (list && rest)
        list[count++] = proc_step_next(&rest);
    if (list)
        qsort(list, count, sizeof *list, proc_step_by_begin);
    *n = count;
    return list;
}

/* --- ends --- */

/* Its last thread has ended. */
static void proc_end(struct proc_life *l)
{
    u64 user, sys;
    proc_usage_max(&l->all, &l->own);
    proc_cpu(&l->all, &user, &sys);
    pp.cpu_ns += l->mine ? user + sys : 0;
    proc_over(l, PROC_ENDED, l->end_ns);
    proc_step_end(l);
    proc_tell_end(l);
    pp.gone[pp.n_gone++ % ARRAY_LEN(pp.gone)].pid = l->pid;
    pp.gone[(pp.n_gone - 1) % ARRAY_LEN(pp.gone)].boot_ns = l->boot_ns;
    proc_forget(l);
}

/* Whether a process has ended already: threads that end at the same time are all the last one. */
static bool proc_is_gone(const struct wire_proc *h)
{
    for (size_t i = 0; i < ARRAY_LEN(pp.gone); i++)
        if (pp.gone[i].pid == h->pid && pp.gone[i].boot_ns == h->start_ns)
            return true;
    return false;
}

/* The process of a thread that ends; one that nobody knew yet is made when that is its leader. */
static struct proc_life *proc_ending(const struct wire_proc *h)
{
    struct proc_life *l = proc_find(h->pid);
    if (l || h->tid != h->pid || !proc_is_mine(h->ppid) || proc_is_gone(h))
        return l;
    if ((l = proc_new(h->pid, true))) {
        proc_who(l, h);
        l->begin_ns = l->fork_ns;
    }
    return l;
}

static void proc_exited(const struct wire_proc *h)
{
    struct proc_life *l = proc_ending(h);
    proc_args_drop(proc_args_of(h->tid));
    if (!l)
        return;
    struct wire_usage used = h->dead;
    proc_usage_add(&used, &h->own);
    proc_usage_add(&l->own, &h->own);
    l->all = used;
    l->end_ns = h->ts_ns;
    l->threads--;
    l->max_rss = MAX(l->max_rss, h->max_rss);
    l->status = h->ret >= 0 ? h->ret : l->status;
    if (h->tid == h->pid)
        proc_who(l, h);
    if (po.threads) {
        proc_tell_thread_end(l, h);
        proc_emit((struct proc_row){ .what = PROC_THREAD, .l = l, .ts_ns = h->ts_ns, .tid = h->tid,
                                     .comm = h->comm, .used = &h->own });
    }
    bool known = h->live != ~0u, last = known ? !h->live : h->tid == h->pid;
    if (l->counted ? l->threads <= 0 && (last || !known) : last)
        proc_end(l);
    else if (last && !l->ending)
        l->ending = true, pp.ending++;
}

/* Takes a record of the probe: checks it, as everything that comes from outside. */
static bool proc_record(const void *p, u32 size)
{
    const struct wire_proc *h = p;
    const char *data = (const char *)(h + 1);
    if (size < sizeof *h)
        return true;
    u32 left = size - (u32)sizeof *h;
    bool whole = (u32)h->name_len + h->exe_len + h->cwd_len <= left;
    if ((h->kind == PROC_ARGS || h->kind == PROC_ENV) && h->arg_len <= left)
        proc_args_add(h, data);
    else if (h->kind == PROC_FORK)
        proc_forked(h);
    else if (h->kind == PROC_EXEC && whole)
        proc_execed(h, data);
    else if (h->kind == PROC_FAIL && whole)
        proc_exec_failed(h, data);
    else if (h->kind == PROC_EXIT)
        proc_exited(h);
    return true;
}

/* --- losses --- */

static const char *const proc_lost_why[N_LOST + 1] = {
    [LOST_RING] = "records lost: the ring was full (--ring=SIZE makes it larger)",
    [LOST_INFLIGHT] = "failed execs lost: too many at once",
    [LOST_TREE] = "processes not followed",
    [N_LOST] = "runs of the probe skipped: another BPF program ran on that CPU",
};

/* Says what went missing since it was last asked. */
static void proc_tell_losses(void)
{
    for (u32 i = 0; i <= N_LOST; i++) {
        u64 n = rb_lost(&pp.obj, i), more = n - pp.lost[i];
        pp.lost[i] = n;
        if (!more)
            continue;
        u_warn("%" PRIu64 " %s", more, proc_lost_why[i]);
        if (out.json_on)
            b_f(&out.json.b, "{\"type\":\"lost\",\"ts_ns\":%" PRIu64 ",\"count\":%" PRIu64
                ",\"how\":\"%s\"}\n", u_now() - out.start_ns, more, proc_lost_why[i]);
        struct event *e = proc_event(EK_LOST, 0, 0, u_now());
        if (!e)
            continue;
        ev_num(e, EV_count, (s64)more);
        ev_sym(e, EV_how, proc_lost_why[i]);
        proc_tell(e);
    }
}

/* Ends what waits for threads whose records do not come, and, when the command itself has ended,
 * processes of its tree that are gone unseen: both only after records were lost. */
static void proc_sweep(bool all)
{
    for (u32 i = 0; i < PROC_BUCKETS; i++)
        for (struct proc_life *l = proc_lives[i], *next; l; l = next) {
            next = l->next;
            if (l->ending && u_now() - l->end_ns > NSEC / 10)
                proc_end(l);
            else if (all && l->mine && kill((pid_t)l->pid, 0) < 0 && errno == ESRCH)
                pp.unsure++, proc_forget(l);
        }
}

/* --- the end --- */

static int proc_by_pid(const void *a, const void *b)
{
    const struct proc_life *const *x = a, *const *y = b;
    return (*x)->begin_ns < (*y)->begin_ns ? -1 : (*x)->begin_ns > (*y)->begin_ns;
}

/* Those that still run, by the time they began. Returns how many commands. */
static u32 proc_list_running(void)
{
    struct proc_life **list = realloc(NULL, (pp.lives + 1) * sizeof *list);
    u32 n = 0, commands = 0;
    u64 now = u_now();
    for (u32 i = 0; i < PROC_BUCKETS && list; i++)
        for (struct proc_life *l = proc_lives[i]; l; l = l->next)
            if (n < pp.lives)
                list[n++] = l;
    if (list)
        qsort(list, n, sizeof *list, proc_by_pid);
    for (u32 i = 0; i < n; i++) {
        commands += list[i]->execed && list[i]->mine;
        proc_emit((struct proc_row){ .what = PROC_RUNNING, .l = list[i], .ts_ns = now });
    }
    free(list);
    return commands;
}

static void proc_json_critical(struct buf *b)
{
    u32 n;
    struct proc_step **list = proc_critical(&n);
    b_s(b, list ? ",\"critical_path\":[" : ",\"critical_path\":null");
    for (u32 i = 0; i < n; i++) {
        const struct proc_step *s = list[i];
        b_f(b, "%s{\"pid\":%u,\"start_ns\":%" PRIi64 ",\"end_ns\":%" PRIi64 ",\"self_ns\":%"
            PRIu64 ",", i ? "," : "", s->pid, (s64)(s->begin_ns - out.start_ns),
            (s64)(s->end_ns - out.start_ns), s->self_ns);
        out_json_str(b, "name", s->name, (u32)strlen(s->name));
        b_c(b, '}');
    }
    if (list)
        b_c(b, ']');
}

/* The kernel knows what a process used when that leaves its CPU for the last time, which is after
 * the end of its record: of one shorter than a tick, most can be missing. Of those that the command
 * and its children waited for, wait4 told all; not of others. Both are too small, if anything. */
static void proc_sum_cpu(void)
{
    const struct timeval *u = &pp.rusage.ru_utime, *s = &pp.rusage.ru_stime;
    u64 told = (u64)(u->tv_sec + s->tv_sec) * NSEC + (u64)(u->tv_usec + s->tv_usec) * 1000;
    pp.cpu_ns = MAX(pp.cpu_ns, told);
}

/* The recording's summary, and the end of it and of --perfetto. */
static void proc_tell_all(int status)
{
    proc_sum_cpu();
    rec_end = (struct st_end){ .status = status, .duration_ns = u_now() - out.start_ns,
                               .backend = ST_PROC, .lost = proc_lost(), .commands = pp.commands,
                               .cpu_ns = pp.cpu_ns };
    ps.processes += pp.forks;
    rec_finish();
    px_close();
}

static void proc_json_summary(u32 running)
{
    struct buf *b = &out.json.b;
    const struct { const char *key; u64 v; bool known; } num[] = {
        { "commands", pp.commands, true },
        { "forks", pp.forks, !pp.no_forks },
        { "failed", pp.failed, pp.btf },
        { "exec_failed", pp.exec_failed, po.failed },
        { "running", running, true },
        { "peak_processes", pp.peak, !pp.no_forks },
        { "cpu_ns", pp.cpu_ns, pp.cpu_ns > 0 },
        { "lost", proc_lost(), true },
        { "ends_unseen", pp.unsure, true },
        { "duration_ns", u_now() - out.start_ns, true },
    };
    b_s(b, "{\"type\":\"summary\"");
    for (size_t i = 0; i < ARRAY_LEN(num); i++)
        if (num[i].known)
            proc_json_num(b, num[i].key, num[i].v);
    if (pp.cmd.pid)
        proc_json_critical(b);
    b_s(b, "}\n");
}

/* The steps that took a hundredth of it or more. */
static void proc_text_critical(struct buf *b)
{
    u32 n, shown = 0;
    struct proc_step **list = proc_critical(&n);
    u64 all = list ? proc_path_end->end_ns - proc_path_end->begin_ns : 0;
    if (list)
        b_f(b, "critical path, %u processes: each's own share of it\n", n);
    for (u32 i = 0; i < n && shown < 2 * PROC_SLOWEST; i++) {
        if (list[i]->self_ns < all / 100)
            continue;
        b_f(b, "%10.3f s  %-7u %s\n", (double)list[i]->self_ns / 1e9, list[i]->pid,
            list[i]->name);
        shown++;
    }
}

/* Of a command's tree, to stderr. */
static void proc_summary(u32 running)
{
    static struct buf b;
    b_f(&b, "kvis: %" PRIu64 " commands", pp.commands);
    if (!pp.no_forks)
        b_f(&b, ", %" PRIu64 " forks, at most %u processes at once", pp.forks, pp.peak);
    b_f(&b, ", %.3f s, %.3f s of CPU", (double)(u_now() - out.start_ns) / 1e9,
        (double)pp.cpu_ns / 1e9);
    if (pp.btf)
        b_f(&b, "; %" PRIu64 " failed", pp.failed);
    if (po.failed)
        b_f(&b, ", %" PRIu64 " could not be executed", pp.exec_failed);
    if (running)
        b_f(&b, ", %u still running", running);
    b_c(&b, '\n');
    qsort(proc_bars, pp.n_bars, sizeof *proc_bars, proc_by_length);
    for (u32 i = 0; i < MIN(pp.n_bars, (u32)PROC_SLOWEST); i++)
        b_f(&b, "%10.3f s  %-7u %s\n", (double)(proc_bars[i].end_ns - proc_bars[i].begin_ns) / 1e9,
            proc_bars[i].pid, proc_bars[i].name);
    for (u32 i = 0; i < MIN(pp.failed, (u64)PROC_SLOWEST); i++)
        b_f(&b, "%s%10s    %-7u %s\n", i ? "" : "failed\n", proc_failures[i].how,
            proc_failures[i].bar.pid, proc_failures[i].bar.name);
    proc_text_critical(&b);
    out_write_all(STDERR_FILENO, b.p, b.len);
}

/* --- the run --- */

static void proc_child_late(void)
{
    if (bpf.memlock_raised)
        setrlimit(RLIMIT_MEMLOCK, &bpf.memlock);
}

/* Records until the end that was asked for. Returns the command's wait status, -1 without one. */
static int proc_loop(u64 end_ns)
{
    int ms = 1, status = -1;
    u64 tell = u_now() + NSEC;
    bool over = false;
    while (!over) {
        rb_wait(ms, NULL);
        over = sp_told || (end_ns && u_now() >= end_ns) || out.failed
               || (out.text.fd[0] < 0 && out.json.fd[0] < 0 && pp.gantt < 0 && !out.n_taps);
        if (pp.cmd.pid && status == -1)
            syscall(SYS_wait4, pp.cmd.pid, &status, WNOHANG, &pp.rusage);
        rb_mark();
        u32 n = rb_drain(proc_record);
        over |= !pp.whole && !pp.mine && (!pp.cmd.pid || status != -1);
        if (pp.ending)
            proc_sweep(false);
        out_flush();
        ms = n ? 2 : MIN(ms * 2, pp.cmd.pid ? 32 : 100);
        if (u_now() > tell || over) {
            proc_tell_losses();
            if (status != -1 && proc_lost())
                proc_sweep(true);
            tell = u_now() + NSEC;
        }
    }
    return status;
}

/* The command that waits to be let go, as a life. */
static void proc_adopt(u32 pid)
{
    struct proc_life *l = proc_new(pid, true);
    if (!l)
        die(EXIT_KVIS, "out of memory");
    l->counted = true;
    l->threads = 1;
    l->ppid = (u32)getpid();
    l->fork_ns = l->begin_ns = u_now();
    l->uid = getuid(), l->gid = getgid();
    snprintf(l->comm, sizeof l->comm, "kvis");
}

static void proc_begin(void)
{
    struct timespec boot, mono;
    clock_gettime(CLOCK_BOOTTIME, &boot);
    clock_gettime(CLOCK_MONOTONIC, &mono);
    pp.boot_off = (boot.tv_sec - mono.tv_sec) * (s64)NSEC + boot.tv_nsec - mono.tv_nsec;
    pp.page = (u64)sysconf(_SC_PAGESIZE);
    pp.whole = !opt.command && !po.pid;
    if (opt.command) {
        pp.cmd.late = proc_child_late;
        sp_fork(&pp.cmd);
        proc_adopt((u32)pp.cmd.pid);
    }
    int e = proc_start();
    if (e) {
        const char *mend = bpf_denied(e);
        if (pp.cmd.pid)
            kill(pp.cmd.pid, SIGKILL);
        die(EXIT_KVIS, "cannot watch processes: %s%s%s%s", pp.obj.why, *mend ? " (" : "", mend,
            *mend ? ")" : "");
    }
    if (!pp.btf)
        u_warn("exit codes, times and sizes are not known, and arguments are those that execve was "
               "given: this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
    if (pp.no_forks)
        u_warn("forks are not seen, so short processes can be missing: it is a pid namespace, and "
               "there is no BTF");
    if (!opt.command && (po.pid || out.json_on || proc_format(po.format)->whole))
        proc_scan();
    if (po.pid && !proc_find(po.pid))
        die(EXIT_KVIS, "no process %u that runs", po.pid);
    ps.processes = pp.mine; /* so far */
}

/* Everything between the sinks and the exit status. */
static int proc_run(u64 end_ns)
{
    proc_begin();
    const struct proc_format *f = proc_format(po.format);
    if (out.events_on && f->head)
        f->head(&out.text.b);
    out_flush();
    sp_boot_on();
    if (pp.cmd.pid) {
        struct proc_life *l = proc_find((u32)pp.cmd.pid);
        l->fork_ns = l->begin_ns = u_now();
        l->counted = !pp.no_forks;
        sp_go(&pp.cmd);
    }
    out.give_up = sp_gives_up;
    int status = proc_loop(end_ns);
    bpf_detach(&pp.obj);
    rb_mark();
    rb_drain(proc_record);
    proc_sweep(false);
    proc_tell_losses();
    u32 running = proc_list_running();
    proc_tell_all(status);
    if (out.json_on)
        proc_json_summary(running);
    out_flush();
    proc_write_gantt();
    if (pp.cmd.pid && out.events_on && !f->json)
        proc_summary(running);
    bpf_close(&pp.obj);
    return status;
}

/* == 32 met_  metrics: the table, and their numbers now ================================
 * All that `kvis monitor` shows is a row of metrics[]: its name, whence it comes, what form its
 * number has (met_forms[]: unit and scale) and what it is counted by (met_dims[]: CPU, node ...).
 * A source reads and calls met_count, met_set or met_raw; the sinks walk the table. They know no
 * source, and a source knows no sink. To add a metric: a row of MET_ROWS; where the source takes
 * rows by their key (met_keys, met_files, met_columns) nothing else. To add a source: its SRC_ here
 * and its row in mon_sources[], with the function that reads it; to add a thing to count by: its
 * DIM_ and its row in met_dims[]. Memory is all static: MET_INSTS things, MET_SERIES numbers. */

enum {
    MET_INSTS = 8192, MET_SERIES = 1 << 19, MET_NAME = 40, MET_INFO = 40, MET_IDS = 1024,
    MET_DIR = PATH_MAX - 64 /* of a directory, so that its files' paths fit */
};

/* Rows of mon_sources[]. */
enum met_src {
    SRC_STAT, SRC_FREQ, SRC_PMC, SRC_LOAD, SRC_PSI, SRC_SCHEDSTAT, SRC_MEMINFO, SRC_VMSTAT,
    SRC_HUGE,
    SRC_KHUGE, SRC_NUMASTAT, SRC_NODEMEM, SRC_BALANCE, SRC_DISK, SRC_ZONE, SRC_HWMON,
    SRC_THROTTLE, SRC_PROC, SRC_CGROUP, SRC_CGFILES, SRC_RUNQ, SRC_DEPTH, SRC_ESTIMATE, SRC_BLOCK,
    N_SRC
};

enum met_dim {
    DIM_NONE, DIM_CPU, DIM_PMU, DIM_PID, DIM_CGROUP, DIM_NODE, DIM_POOL, DIM_DISK, DIM_ZONE,
    DIM_SENSOR, N_DIM,
    DIM_PMC /* of a metric: counted by each of the first five */
};

/* In JSON a thing's numbers are in an object under `json`; Prometheus has a label. `info`: what
 * met_inst.info is, NULL: nothing. */
static const struct { const char *json, *label, *info; } met_dims[N_DIM] = {
    [DIM_CPU] = { "cpu", "cpu", NULL },
    [DIM_PMU] = { "pmu", "pmu", "cpus" }, /* where there are several: hybrid, big.LITTLE */
    [DIM_PID] = { "pid", "pid", "comm" },
    [DIM_CGROUP] = { "cgroup", "cgroup", NULL }, /* there is one, without a name */
    [DIM_NODE] = { "node", "node", "distance" },
    [DIM_POOL] = { "hugepages", "pagesize", NULL },
    [DIM_DISK] = { "device", "device", "on" }, /* the disk of a partition, the parts of dm and md */
    [DIM_ZONE] = { "zone", "zone", "type" },
    [DIM_SENSOR] = { "sensor", "sensor", "label" },
};

enum met_form {
    /* counters: of things, USER_HZ, s, ms, us, ns, bytes, KiB, sectors, pages */
    F_COUNT, F_TICKS, F_CMS, F_CUS, F_CNS, F_CKB, F_CSECT, F_CPAGES,
    /* numbers as they are now: of things, KiB, pages; ratio, seconds, millidegrees, kHz */
    F_NUM, F_KB, F_PAGES, F_BYTES, F_RATIO, F_SECONDS, F_MILLI, F_TREND, F_KHZ, F_NS,
    F_BITS,
    N_FORM
};

enum met_unit {
    U_NUM, U_RATE, U_RATIO, U_BYTES, U_BYTE_RATE, U_SECONDS, U_CELSIUS, U_HERTZ, U_NS
};

/* What is behind a metric's name: in JSON, where a counter is a rate (of seconds: a ratio), and in
 * Prometheus, where it counts on. */
static struct met_form_row {
    bool counter;
    u8 unit; /* enum met_unit, for text */
    const char *json, *prom;
    double scale; /* what the kernel's number is to be multiplied by */
} met_forms[N_FORM] = {
    [F_COUNT] = { true, U_RATE, "_per_second", "_total", 1 },
    [F_TICKS] = { true, U_RATIO, "_ratio", "_seconds_total", 0.01 /* USER_HZ: met_init */ },
    [F_CMS] = { true, U_RATIO, "_ratio", "_seconds_total", 1e-3 },
    [F_CUS] = { true, U_RATIO, "_ratio", "_seconds_total", 1e-6 },
    [F_CNS] = { true, U_RATIO, "_ratio", "_seconds_total", 1e-9 },
    [F_CKB] = { true, U_BYTE_RATE, "_bytes_per_second", "_bytes_total", 1024 },
    [F_CSECT] = { true, U_BYTE_RATE, "_bytes_per_second", "_bytes_total", 512 },
    [F_CPAGES] = { true, U_BYTE_RATE, "_bytes_per_second", "_bytes_total", 4096 /* met_init */ },
    [F_NUM] = { false, U_NUM, "", "", 1 },
    [F_KB] = { false, U_BYTES, "_bytes", "_bytes", 1024 },
    [F_PAGES] = { false, U_BYTES, "_bytes", "_bytes", 4096 /* met_init */ },
    [F_BYTES] = { false, U_BYTES, "_bytes", "_bytes", 1 },
    [F_RATIO] = { false, U_RATIO, "_ratio", "_ratio", 1 },
    [F_SECONDS] = { false, U_SECONDS, "_seconds", "_seconds", 1 },
    [F_MILLI] = { false, U_CELSIUS, "_celsius", "_celsius", 1e-3 },
    [F_TREND] = { false, U_NUM, "_celsius_per_second", "_celsius_per_second", 1 },
    [F_KHZ] = { false, U_HERTZ, "_hertz", "_hertz", 1000 },
    [F_NS] = { false, U_NS, "_ns", "_ns", 1 },
    [F_BITS] = { false, U_NUM, "_bits", "_bits", 1 },
};

/* Of a distribution, in this interval; Prometheus has all of it (met_hist_rows[]) instead. */
#define MET_PARTS(X, id, name, src, form, dim) \
    X(id##_P50, name "_p50", "", src, form, dim, "-", "") \
    X(id##_P90, name "_p90", "", src, form, dim, "-", "") \
    X(id##_P99, name "_p99", "", src, form, dim, "-", "") \
    X(id##_MAX, name "_max", "", src, form, dim, "-", "")

/* id; name; key: its name in the source's file, or its column; source; form; dimension; name in
 * Prometheus where it is not kvis_NAME with the form's ending (rows of one name are neighbours);
 * help. Names that node_exporter has too are its own, but for the prefix. */
#define MET_ROWS(X) \
    X(USER, "user", "1", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"user\"", \
      "Time of CPUs in each mode (user and nice include what guests took)") \
    X(NICE, "nice", "2", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"nice\"", "") \
    X(SYSTEM, "system", "3", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"system\"", "") \
    X(IDLE, "idle", "4", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"idle\"", "") \
    X(IOWAIT, "iowait", "5", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"iowait\"", "") \
    X(IRQ, "irq", "6", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"irq\"", "") \
    X(SOFTIRQ, "softirq", "7", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"softirq\"", "") \
    X(STEAL, "steal", "8", STAT, TICKS, CPU, "cpu_seconds_total{mode=\"steal\"", "") \
    X(GUEST, "guest", "9", STAT, TICKS, CPU, "cpu_guest_seconds_total{mode=\"user\"", \
      "Time of CPUs in guests") \
    X(GUEST_NICE, "guest_nice", "10", STAT, TICKS, CPU, "cpu_guest_seconds_total{mode=\"nice\"", \
      "") \
    X(CPUS, "cpus_online", "", STAT, NUM, NONE, "", "CPUs that are online") \
    X(CTXT, "context_switches", "ctxt", STAT, COUNT, NONE, "", "Context switches") \
    X(INTR, "interrupts", "intr", STAT, COUNT, NONE, "intr_total", "Interrupts serviced") \
    X(FORKS, "forks", "processes", STAT, COUNT, NONE, "", "Processes and threads created") \
    X(RUNNING, "procs_running", "procs_running", STAT, NUM, NONE, "", "Tasks that can run") \
    X(BLOCKED, "procs_blocked", "procs_blocked", STAT, NUM, NONE, "", \
      "Tasks that wait for I/O") \
    X(CYCLES, "cycles", "", PMC, COUNT, PMC, "", "Cycles of CPUs that were not halted") \
    X(INSNS, "instructions", "", PMC, COUNT, PMC, "", "Instructions retired") \
    X(REF_CYCLES, "ref_cycles", "", PMC, COUNT, PMC, "", \
      "Cycles of CPUs that were not halted, of a clock that never changes") \
    X(BRANCHES, "branches", "", PMC, COUNT, PMC, "", "Branches retired") \
    X(BRANCH_MISSES, "branch_misses", "", PMC, COUNT, PMC, "", "Those mispredicted") \
    X(L1D, "l1d_accesses", "", PMC, COUNT, PMC, "", \
      "Accesses to the L1 data cache (kvis check cpu names the event: loads alone on Intel)") \
    X(L1D_MISSES, "l1d_misses", "", PMC, COUNT, PMC, "", "Those that missed") \
    X(L2, "l2_accesses", "", PMC, COUNT, PMC, "", "Accesses to the L2 cache, for data") \
    X(L2_MISSES, "l2_misses", "", PMC, COUNT, PMC, "", "Those that missed") \
    X(LLC, "llc_accesses", "", PMC, COUNT, PMC, "", "Accesses to the last-level cache") \
    X(LLC_MISSES, "llc_misses", "", PMC, COUNT, PMC, "", "Those that missed") \
    X(DTLB_MISSES, "dtlb_misses", "", PMC, COUNT, PMC, "", \
      "Data accesses that missed the first-level TLB") \
    X(DTLB_WALKS, "dtlb_walks", "", PMC, COUNT, PMC, "", "Page walks for data") \
    X(ITLB_MISSES, "itlb_misses", "", PMC, COUNT, PMC, "", \
      "Fetches of code that missed the first-level TLB") \
    X(ITLB_WALKS, "itlb_walks", "", PMC, COUNT, PMC, "", "Page walks for code") \
    X(STALLED_FRONT, "stalled_cycles_frontend", "", PMC, COUNT, PMC, "", \
      "Cycles in which the frontend gave nothing") \
    X(STALLED_BACK, "stalled_cycles_backend", "", PMC, COUNT, PMC, "", \
      "Cycles in which the backend took nothing") \
    X(STALLED, "stalled_cycles", "", PMC, COUNT, PMC, "", "Cycles without work done") \
    X(IPC, "ipc", "", PMC, NUM, PMC, "", "Instructions per cycle") \
    X(STALL, "stall", "", PMC, RATIO, PMC, "", "Share of the cycles without work done") \
    X(STALL_FRONT, "stall_frontend", "", PMC, RATIO, PMC, "", \
      "Share of the cycles in which the frontend gave nothing") \
    X(STALL_BACK, "stall_backend", "", PMC, RATIO, PMC, "", \
      "Share of the cycles in which the backend took nothing") \
    X(BRANCH_MISS, "branch_miss", "", PMC, RATIO, PMC, "", "Share of branches mispredicted") \
    X(BRANCH_MPKI, "branch_mpki", "", PMC, NUM, PMC, "", \
      "Branches mispredicted, of 1000 instructions") \
    X(L1D_MISS, "l1d_miss", "", PMC, RATIO, PMC, "", "Share of the accesses that missed") \
    X(L1D_MPKI, "l1d_mpki", "", PMC, NUM, PMC, "", "L1 data misses in 1000 instructions") \
    X(L2_MISS, "l2_miss", "", PMC, RATIO, PMC, "", "Share of the accesses that missed") \
    X(L2_MPKI, "l2_mpki", "", PMC, NUM, PMC, "", "L2 misses in 1000 instructions") \
    X(LLC_MISS, "llc_miss", "", PMC, RATIO, PMC, "", "Share of the accesses that missed") \
    X(LLC_MPKI, "llc_mpki", "", PMC, NUM, PMC, "", \
      "Last-level cache misses in 1000 instructions") \
    X(DTLB_MPKI, "dtlb_mpki", "", PMC, NUM, PMC, "", "dTLB misses in 1000 instructions") \
    X(DTLB_WPKI, "dtlb_walks_pki", "", PMC, NUM, PMC, "", "Walks in 1000 instructions") \
    X(ITLB_MPKI, "itlb_mpki", "", PMC, NUM, PMC, "", "iTLB misses in 1000 instructions") \
    X(ITLB_WPKI, "itlb_walks_pki", "", PMC, NUM, PMC, "", "Walks in 1000 instructions") \
    X(TD_RETIRING, "topdown_retiring", "", PMC, RATIO, PMC, "", \
      "Share of the pipeline's slots whose work was of use (Topdown, level 1)") \
    X(TD_BAD, "topdown_bad_speculation", "", PMC, RATIO, PMC, "", "Those of wrong paths") \
    X(TD_FRONT, "topdown_frontend", "", PMC, RATIO, PMC, "", \
      "Those empty because the frontend gave nothing") \
    X(TD_BACK, "topdown_backend", "", PMC, RATIO, PMC, "", \
      "Those empty because the backend took nothing") \
    X(PMC_SHARE, "pmc_running", "", PMC, RATIO, PMC, "", \
      "Share of the time in which the least of these events was counted: they are scaled by it") \
    X(LOAD1, "load1", "", LOAD, NUM, NONE, "", "Load average of 1 minute") \
    X(LOAD5, "load5", "", LOAD, NUM, NONE, "", "Load average of 5 minutes") \
    X(LOAD15, "load15", "", LOAD, NUM, NONE, "", "Load average of 15 minutes") \
    X(PSI_CPU, "pressure_cpu_waiting", "cpu some", PSI, CUS, NONE, "", \
      "Time in which some task waited for a CPU") \
    X(PSI_CPU_ALL, "pressure_cpu_stalled", "cpu full", PSI, CUS, NONE, "", \
      "Time in which all tasks waited for a CPU") \
    X(PSI_MEM, "pressure_memory_waiting", "memory some", PSI, CUS, NONE, "", \
      "Time in which some task waited for memory") \
    X(PSI_MEM_ALL, "pressure_memory_stalled", "memory full", PSI, CUS, NONE, "", \
      "Time in which all tasks waited for memory") \
    X(PSI_IO, "pressure_io_waiting", "io some", PSI, CUS, NONE, "", \
      "Time in which some task waited for I/O") \
    X(PSI_IO_ALL, "pressure_io_stalled", "io full", PSI, CUS, NONE, "", \
      "Time in which all tasks waited for I/O") \
    X(PSI_IRQ_ALL, "pressure_irq_stalled", "irq full", PSI, CUS, NONE, "", \
      "Time in which all tasks waited for interrupts") \
    X(FREQ, "frequency", "scaling_cur_freq", FREQ, KHZ, CPU, "cpu_scaling_frequency_hertz", \
      "What the CPU runs at now") \
    X(FREQ_LIMIT, "frequency_limit", "scaling_max_freq", FREQ, KHZ, CPU, \
      "cpu_scaling_frequency_max_hertz", "What it may run at now") \
    X(FREQ_MIN, "frequency_min", "cpuinfo_min_freq", FREQ, KHZ, CPU, "cpu_frequency_min_hertz", \
      "What it can run at, at least") \
    X(FREQ_MAX, "frequency_max", "cpuinfo_max_freq", FREQ, KHZ, CPU, "cpu_frequency_max_hertz", \
      "What it can run at, at most") \
    X(SS_RUN, "schedstat_running", "7", SCHEDSTAT, CNS, CPU, "", "Time in which tasks ran") \
    X(SS_WAIT, "schedstat_waiting", "8", SCHEDSTAT, CNS, CPU, "", \
      "Time for which tasks waited to run, added up") \
    X(SS_SLICES, "schedstat_timeslices", "9", SCHEDSTAT, COUNT, CPU, "", "Timeslices run") \
    X(MEM_TOTAL, "memory_total", "MemTotal", MEMINFO, KB, NONE, "", "") \
    X(MEM_FREE, "memory_free", "MemFree", MEMINFO, KB, NONE, "", "") \
    X(MEM_AVAIL, "memory_available", "MemAvailable", MEMINFO, KB, NONE, "", \
      "What can be had without swapping, by the kernel's guess") \
    X(MEM_CACHED, "memory_cached", "Cached", MEMINFO, KB, NONE, "", "") \
    X(MEM_ANON, "memory_anon", "AnonPages", MEMINFO, KB, NONE, "", "") \
    X(MEM_THP, "memory_anon_huge", "AnonHugePages", MEMINFO, KB, NONE, "", \
      "Anonymous memory in transparent hugepages") \
    X(MEM_SHMEM, "memory_shmem", "Shmem", MEMINFO, KB, NONE, "", "") \
    X(MEM_DIRTY, "memory_dirty", "Dirty", MEMINFO, KB, NONE, "", "") \
    X(MEM_WRITEBACK, "memory_writeback", "Writeback", MEMINFO, KB, NONE, "", \
      "") \
    X(MEM_RECLAIMABLE, "memory_slab_reclaimable", "SReclaimable", MEMINFO, KB, NONE, "", \
      "") \
    X(MEM_UNRECLAIM, "memory_slab_unreclaimable", "SUnreclaim", MEMINFO, KB, NONE, "", \
      "") \
    X(MEM_TABLES, "memory_page_tables", "PageTables", MEMINFO, KB, NONE, "", \
      "") \
    X(MEM_COMMITTED, "memory_committed", "Committed_AS", MEMINFO, KB, NONE, "", \
      "") \
    X(SWAP_TOTAL, "swap_total", "SwapTotal", MEMINFO, KB, NONE, "", "") \
    X(SWAP_FREE, "swap_free", "SwapFree", MEMINFO, KB, NONE, "", "") \
    X(THP_RATIO, "thp", "", MEMINFO, RATIO, NONE, "", \
      "Share of anonymous memory in transparent hugepages") \
    X(FAULTS, "page_faults", "pgfault", VMSTAT, COUNT, NONE, "", "Page faults, of both kinds") \
    X(FAULTS_MINOR, "minor_faults", "", VMSTAT, COUNT, NONE, "", \
      "Page faults without a read from disk") \
    X(FAULTS_MAJOR, "major_faults", "pgmajfault", VMSTAT, COUNT, NONE, "", \
      "Page faults with a read from disk") \
    X(PAGED_IN, "paged_in", "pgpgin", VMSTAT, CKB, NONE, "", "Read from disks") \
    X(PAGED_OUT, "paged_out", "pgpgout", VMSTAT, CKB, NONE, "", "Written to disks") \
    X(SWAP_IN, "swap_in", "pswpin", VMSTAT, CPAGES, NONE, "", "Read from swap") \
    X(SWAP_OUT, "swap_out", "pswpout", VMSTAT, CPAGES, NONE, "", "Written to swap") \
    X(SCAN_KSWAPD, "pages_scanned_kswapd", "pgscan_kswapd", VMSTAT, COUNT, NONE, "", \
      "Pages looked at for reclaim, by kswapd") \
    X(SCAN_DIRECT, "pages_scanned_direct", "pgscan_direct", VMSTAT, COUNT, NONE, "", \
      "Pages looked at for reclaim, by who wanted memory") \
    X(STEAL_KSWAPD, "pages_reclaimed_kswapd", "pgsteal_kswapd", VMSTAT, COUNT, NONE, "", \
      "Pages reclaimed by kswapd") \
    X(STEAL_DIRECT, "pages_reclaimed_direct", "pgsteal_direct", VMSTAT, COUNT, NONE, "", \
      "Pages reclaimed by who wanted memory") \
    X(STALLS, "allocation_stalls", "allocstall_*", VMSTAT, COUNT, NONE, "", \
      "Allocations that had to reclaim first") \
    X(REFAULTS, "workingset_refaults", "workingset_refault*", VMSTAT, COUNT, NONE, "", \
      "Pages that were needed again soon after their reclaim") \
    X(OOM, "oom_kills", "oom_kill", VMSTAT, COUNT, NONE, "", "Kills for want of memory") \
    X(COMPACT, "compaction_stalls", "compact_stall", VMSTAT, COUNT, NONE, "", \
      "Allocations that had to compact memory first") \
    X(COMPACT_OK, "compaction_successes", "compact_success", VMSTAT, COUNT, NONE, "", "") \
    X(COMPACT_FAIL, "compaction_failures", "compact_fail", VMSTAT, COUNT, NONE, "", "") \
    X(THP_FAULT, "thp_fault_allocs", "thp_fault_alloc", VMSTAT, COUNT, NONE, "", \
      "Page faults that got a transparent hugepage") \
    X(THP_FALLBACK, "thp_fault_fallbacks", "thp_fault_fallback", VMSTAT, COUNT, NONE, "", \
      "Page faults that should have got one") \
    X(THP_COLLAPSE, "thp_collapses", "thp_collapse_alloc", VMSTAT, COUNT, NONE, "", \
      "Hugepages that khugepaged got for a collapse") \
    X(THP_COLLAPSE_FAIL, "thp_collapse_failures", "thp_collapse_alloc_failed", VMSTAT, COUNT, \
      NONE, "", "Hugepages that it did not get") \
    X(THP_SPLIT, "thp_splits", "thp_split_page", VMSTAT, COUNT, NONE, "", \
      "Transparent hugepages that were split") \
    X(KHUGE, "khugepaged_pages_collapsed", "pages_collapsed", KHUGE, COUNT, NONE, "", "") \
    X(KHUGE_SCANS, "khugepaged_full_scans", "full_scans", KHUGE, COUNT, NONE, "", "") \
    X(POOL, "hugepages", "nr_hugepages", HUGE, NUM, POOL, "", "Hugepages of a pool") \
    X(POOL_FREE, "hugepages_free", "free_hugepages", HUGE, NUM, POOL, "", "") \
    X(POOL_RESERVED, "hugepages_reserved", "resv_hugepages", HUGE, NUM, POOL, "", \
      "Free ones that are promised to a mapping") \
    X(POOL_SURPLUS, "hugepages_surplus", "surplus_hugepages", HUGE, NUM, POOL, "", \
      "Those over the pool's size") \
    X(POOL_OVERCOMMIT, "hugepages_overcommit", "nr_overcommit_hugepages", HUGE, NUM, POOL, "", \
      "How many surplus ones there may be") \
    X(POOL_RATIO, "hugepage_pool", "", HUGE, RATIO, POOL, "", \
      "Share of the pool that is in use") \
    X(NUMA_HIT, "numa_hit", "numa_hit", NUMASTAT, COUNT, NODE, "memory_numa_numa_hit_total", \
      "Pages taken from the node that was wanted") \
    X(NUMA_MISS, "numa_miss", "numa_miss", NUMASTAT, COUNT, NODE, "memory_numa_numa_miss_total", \
      "Pages taken from this node though another was wanted") \
    X(NUMA_FOREIGN, "numa_foreign", "numa_foreign", NUMASTAT, COUNT, NODE, \
      "memory_numa_numa_foreign_total", "Pages wanted here and taken from another") \
    X(NUMA_INTERLEAVE, "interleave_hit", "interleave_hit", NUMASTAT, COUNT, NODE, \
      "memory_numa_interleave_hit_total", "Pages interleaved as wanted") \
    X(NUMA_LOCAL, "local_node", "local_node", NUMASTAT, COUNT, NODE, \
      "memory_numa_local_node_total", "Pages taken from here by a CPU of this node") \
    X(NUMA_OTHER, "other_node", "other_node", NUMASTAT, COUNT, NODE, \
      "memory_numa_other_node_total", "Pages taken from here by a CPU of another node") \
    X(NUMA_REMOTE, "numa_remote", "", NUMASTAT, RATIO, NODE, "", \
      "Share of the pages taken that went to a CPU of another node") \
    X(NODE_TOTAL, "memory_total", "MemTotal", NODEMEM, KB, NODE, "memory_numa_total_bytes", "") \
    X(NODE_FREE, "memory_free", "MemFree", NODEMEM, KB, NODE, "memory_numa_free_bytes", "") \
    X(NODE_USED, "memory_used", "MemUsed", NODEMEM, KB, NODE, "memory_numa_used_bytes", "") \
    X(NODE_ANON, "memory_anon", "AnonPages", NODEMEM, KB, NODE, "memory_numa_anon_bytes", "") \
    X(NODE_FILE, "memory_file", "FilePages", NODEMEM, KB, NODE, "memory_numa_file_bytes", "") \
    X(NODE_SHMEM, "memory_shmem", "Shmem", NODEMEM, KB, NODE, "memory_numa_shmem_bytes", "") \
    X(NODE_THP, "memory_anon_huge", "AnonHugePages", NODEMEM, KB, NODE, \
      "memory_numa_anon_huge_bytes", "") \
    X(NODE_HUGE, "hugepages", "HugePages_Total", NODEMEM, NUM, NODE, \
      "memory_numa_hugepages", "Hugepages of the usual size") \
    X(NODE_HUGE_FREE, "hugepages_free", "HugePages_Free", NODEMEM, NUM, NODE, \
      "memory_numa_hugepages_free", "") \
    X(NODE_HUGE_SURP, "hugepages_surplus", "HugePages_Surp", NODEMEM, NUM, NODE, \
      "memory_numa_hugepages_surplus", "") \
    X(MIGRATE, "page_migrations", "pgmigrate_success", BALANCE, COUNT, NONE, "", \
      "Pages moved, between nodes or by compaction") \
    X(MIGRATE_FAIL, "page_migration_failures", "pgmigrate_fail", BALANCE, COUNT, NONE, "", "") \
    X(NUMA_PTES, "numa_pte_updates", "numa_pte_updates", BALANCE, COUNT, NONE, "", \
      "Pages unmapped to see who uses them") \
    X(NUMA_FAULTS, "numa_hint_faults", "numa_hint_faults", BALANCE, COUNT, NONE, "", \
      "Faults on them") \
    X(NUMA_FAULTS_LOCAL, "numa_hint_faults_local", "numa_hint_faults_local", BALANCE, COUNT, \
      NONE, "", "Those from the page's own node") \
    X(NUMA_MOVED, "numa_pages_migrated", "numa_pages_migrated", BALANCE, COUNT, NONE, "", \
      "Pages moved to who uses them") \
    X(DISK_READS, "disk_reads", "3", DISK, COUNT, DISK, "disk_reads_completed_total", \
      "Reads completed") \
    X(DISK_WRITES, "disk_writes", "7", DISK, COUNT, DISK, "disk_writes_completed_total", \
      "Writes completed") \
    X(DISK_DISCARDS, "disk_discards", "14", DISK, COUNT, DISK, "disk_discards_completed_total", \
      "Discards completed") \
    X(DISK_FLUSHES, "disk_flushes", "18", DISK, COUNT, DISK, "disk_flush_requests_total", \
      "Flushes completed") \
    X(DISK_READ, "disk_read", "5", DISK, CSECT, DISK, "", "Bytes read") \
    X(DISK_WRITTEN, "disk_written", "9", DISK, CSECT, DISK, "", "Bytes written") \
    X(DISK_DISCARDED, "disk_discarded", "16", DISK, CSECT, DISK, "", "Bytes discarded") \
    X(DISK_READ_TIME, "disk_read_time", "6", DISK, CMS, DISK, "", \
      "Time that reads took, added up") \
    X(DISK_WRITE_TIME, "disk_write_time", "10", DISK, CMS, DISK, "", \
      "Time that writes took, added up") \
    X(DISK_BUSY, "disk_io_time", "12", DISK, CMS, DISK, "", \
      "Time with a request under way") \
    X(DISK_QUEUE, "disk_io_time_weighted", "13", DISK, CMS, DISK, "", \
      "Time of all requests, added up: as a ratio, how many were under way") \
    X(DISK_NOW, "disk_io_now", "11", DISK, NUM, DISK, "", "Requests under way") \
    X(DISK_IOPS, "block_iops", "", DISK, NUM, DISK, "", "Reads and writes per second") \
    X(DISK_READ_MEAN, "disk_read_mean", "", DISK, SECONDS, DISK, "", \
      "What a read took in this interval, on average") \
    X(DISK_WRITE_MEAN, "disk_write_mean", "", DISK, SECONDS, DISK, "", \
      "What a write took in this interval, on average") \
    X(TEMP, "thermal", "temp", ZONE, MILLI, ZONE, "thermal_zone_temp", \
      "Temperature of a thermal zone") \
    X(TRIP_PASSIVE, "thermal_passive", "passive", ZONE, MILLI, ZONE, "", \
      "Its lowest passive trip point: the CPU is slowed down") \
    X(TRIP_HOT, "thermal_hot", "hot", ZONE, MILLI, ZONE, "", "Its lowest hot trip point") \
    X(TRIP_CRITICAL, "thermal_critical", "critical", ZONE, MILLI, ZONE, "", \
      "Its lowest critical trip point: the machine is shut down") \
    X(TEMP_ROOM, "thermal_headroom", "", ZONE, MILLI, ZONE, "", \
      "From the temperature to the lowest of these") \
    X(TEMP_TREND, "thermal_trend", "", ZONE, TREND, ZONE, "", \
      "Change of the temperature over the last 30 seconds") \
    X(SENSOR, "sensor", "_input", HWMON, MILLI, SENSOR, "hwmon_temp_celsius", \
      "Temperature of a sensor") \
    X(SENSOR_MAX, "sensor_max", "_max", HWMON, MILLI, SENSOR, "hwmon_temp_max_celsius", \
      "Its maximum, as the chip says") \
    X(SENSOR_CRIT, "sensor_critical", "_crit", HWMON, MILLI, SENSOR, \
      "hwmon_temp_crit_celsius", "Its critical temperature") \
    X(SENSOR_ROOM, "sensor_headroom", "", HWMON, MILLI, SENSOR, "", \
      "From the temperature to the critical one") \
    X(THROTTLE_CORE, "core_throttles", "core_throttle_count", THROTTLE, COUNT, CPU, \
      "cpu_core_throttles_total", "Times the core was too hot, counted by each of its CPUs") \
    X(THROTTLE_PKG, "package_throttles", "package_throttle_count", THROTTLE, COUNT, CPU, \
      "cpu_package_throttles_total", "Times the package was too hot, counted by each of its CPUs") \
    X(P_USER, "process_user", "11", PROC, TICKS, PID, "", "CPU time of a process by itself") \
    X(P_SYSTEM, "process_system", "12", PROC, TICKS, PID, "", "CPU time of it in the kernel") \
    X(P_MINOR, "process_minor_faults", "7", PROC, COUNT, PID, "", \
      "Its page faults without a read from disk") \
    X(P_MAJOR, "process_major_faults", "9", PROC, COUNT, PID, "", "Those with one") \
    X(P_THREADS, "process_threads", "17", PROC, NUM, PID, "", "Its threads") \
    X(P_RSS, "process_resident", "21", PROC, PAGES, PID, "", "Its memory that is there") \
    X(P_VOLUNTARY, "process_voluntary_switches", "", PROC, COUNT, PID, "", \
      "Switches away from its threads because they waited") \
    X(P_FORCED, "process_involuntary_switches", "", PROC, COUNT, PID, "", \
      "Switches away from its threads though they could run") \
    X(P_RUN, "process_running", "", PROC, CNS, PID, "", "Time on a CPU of its threads") \
    X(P_WAIT, "process_waiting", "", PROC, CNS, PID, "", \
      "Time for which its threads waited for a CPU") \
    X(CG_CPU, "cgroup_cpu", "usage_usec", CGROUP, CUS, NONE, "", "CPU time of the cgroup") \
    X(CG_USER, "cgroup_cpu_user", "user_usec", CGROUP, CUS, NONE, "", "") \
    X(CG_SYSTEM, "cgroup_cpu_system", "system_usec", CGROUP, CUS, NONE, "", "") \
    X(CG_THROTTLES, "cgroup_throttles", "nr_throttled", CGROUP, COUNT, NONE, "", \
      "Periods in which it has used up its CPU quota") \
    X(CG_THROTTLED, "cgroup_throttled", "throttled_usec", CGROUP, CUS, NONE, "", \
      "Time for which it then had to wait") \
    X(CG_ANON, "cgroup_memory_anon", "anon", CGROUP, BYTES, NONE, "", "") \
    X(CG_FILE, "cgroup_memory_file", "file", CGROUP, BYTES, NONE, "", "") \
    X(CG_FAULTS, "cgroup_page_faults", "pgfault", CGROUP, COUNT, NONE, "", "") \
    X(CG_MAJOR, "cgroup_major_faults", "pgmajfault", CGROUP, COUNT, NONE, "", "") \
    X(CG_OOM, "cgroup_oom_kills", "oom_kill", CGROUP, COUNT, NONE, "", "") \
    X(CG_MEMORY, "cgroup_memory", "memory.current", CGFILES, BYTES, NONE, "", "") \
    X(CG_SWAP, "cgroup_swap", "memory.swap.current", CGFILES, BYTES, NONE, "", "") \
    X(CG_PIDS, "cgroup_pids", "pids.current", CGFILES, NUM, NONE, "", "") \
    X(SWITCHES, "switches", "", RUNQ, COUNT, CPU, "", "Context switches of a CPU") \
    X(INVOLUNTARY, "involuntary_switches", "", RUNQ, COUNT, CPU, "", \
      "Context switches away from a task that could go on") \
    X(IDLES, "idle_switches", "", RUNQ, COUNT, CPU, "", \
      "Context switches to nothing: there was no task that could run") \
    X(MIGRATIONS, "migrations", "", RUNQ, COUNT, CPU, "sched_migrations_total", \
      "Tasks moved to another CPU, by the CPU that did it") \
    X(UNSEEN, "runq_waits_unseen", "", RUNQ, COUNT, CPU, "", \
      "Waits for a CPU of which the beginning is not known") \
    MET_PARTS(X, WAIT, "runq_wait", RUNQ, NS, NONE) \
    MET_PARTS(X, DEPTH, "runq_depth", DEPTH, NUM, NONE) \
    MET_PARTS(X, EST, "runq_depth_estimate", ESTIMATE, NUM, NONE) \
    X(ENTROPY, "block_entropy", "", BLOCK, BITS, DISK, "block_entropy", \
      "How spread reads and writes are over the 16ths of the disk: 0 (one of them) to 4 bits") \
    X(SEQUENTIAL, "block_sequential", "", BLOCK, RATIO, DISK, "", \
      "Share of reads and writes that begin where the one before ended") \
    MET_PARTS(X, RQUEUE, "block_read_queue", BLOCK, NS, DISK) \
    MET_PARTS(X, RDISK, "block_read_device", BLOCK, NS, DISK) \
    MET_PARTS(X, WQUEUE, "block_write_queue", BLOCK, NS, DISK) \
    MET_PARTS(X, WDISK, "block_write_device", BLOCK, NS, DISK) \
    MET_PARTS(X, DISCARD, "block_discard_device", BLOCK, NS, DISK) \
    MET_PARTS(X, FLUSH, "block_flush_device", BLOCK, NS, DISK) \
    MET_PARTS(X, RSIZE, "block_read_size", BLOCK, BYTES, DISK) \
    MET_PARTS(X, WSIZE, "block_write_size", BLOCK, BYTES, DISK) \
    X(BLK_MISSED, "block_requests_missed", "", BLOCK, COUNT, NONE, "", \
      "Requests that the programs in the kernel could not follow")

enum {
#define X(id, name, key, src, form, dim, prom, help) M_##id,
    MET_ROWS(X)
#undef X
    N_METRICS
};

/* Its words, one behind the other. */
static const struct met_words {
#define X(id, name, key, src, form, dim, prom, help) \
    char w_##id[sizeof(key "\0" name "\0" prom "\0" help)];
    MET_ROWS(X)
#undef X
} met_words PACKED_IN(met_tables) = {
#define X(id, name, key, src, form, dim, prom, help) key "\0" name "\0" prom "\0" help,
    MET_ROWS(X)
#undef X
};
_Static_assert(sizeof met_words <= 0x10000, "metric.words is too narrow");

static const struct metric {
    u16 words; /* their offset in met_words */
    u8 src, form, dim;
} metrics[] PACKED_IN(met_tables) = {
#define X(id, name, key, src, form, dim, prom, help) \
    { offsetof(struct met_words, w_##id), SRC_##src, F_##form, DIM_##dim },
    MET_ROWS(X)
#undef X
};

/* "" : it has none. */
static const char *met_key_of(u32 m)
{
    return (const char *)&met_words + metrics[m].words;
}

static const char *met_word_behind(const char *s)
{
    return s + strlen(s) + 1;
}

static const char *met_name(u32 m)
{
    return met_word_behind(met_key_of(m));
}

/* In Prometheus: "": as mout_prom_name says; "-": it is not there. */
static const char *met_prom(u32 m)
{
    return met_word_behind(met_name(m));
}

static const char *met_help(u32 m)
{
    return met_word_behind(met_prom(m));
}

/* A thing that metrics are counted by: a CPU, a disk. Without a name: the sum of its kind. */
struct met_inst {
    char name[MET_NAME], info[MET_INFO];
    u32 at;    /* when it was seen last: met.tick */
    u32 base;  /* its numbers: met_series[base + met.slot[dim][metric]] */
    u32 reused; /* met.tick in which it took the place of another that had gone; 0: none */
    u16 next;  /* of its dimension, + 1; 0: the last */
    u8 dim;
};

struct met_series {
    u64 raw, total; /* of a counter: as last read; the same without steps back or wraps */
    double v;       /* now; of a counter: per second, since the reading before */
    u32 at, since;  /* met.tick of the last reading; of the first without a gap before it */
};

static struct met_inst met_insts[MET_INSTS];
static struct met_series met_series[MET_SERIES];

static struct {
    u32 tick;                /* number of this interval, from 1 */
    u32 n_insts, n_series;
    u16 first[N_DIM], last[N_DIM], hint[N_DIM]; /* + 1 */
    u16 slot[N_DIM][N_METRICS], width[N_DIM];
    u32 seen[N_METRICS];     /* tick in which some thing had this metric */
    const char *no[N_METRICS]; /* why the machine has not this one; NULL: its source says */
    u64 backwards;           /* counters that went back: shown as no change */
    u64 dropped;             /* things for which there was no room */
    struct met_inst *all;    /* the one thing of DIM_NONE */
    bool over;               /* nothing is left to watch */
    u8 cur;                  /* source that is read now */
    struct {
        u64 at_ns;           /* when its reading began */
        double elapsed_s;    /* since the reading before; 0: there was none */
        u32 wrong;           /* what it could not read this time */
        u32 no_room;         /* things of it for which there was no room this time */
        char why[160];       /* the first of that */
        u16 from, to;        /* its metrics are among these */
    } src[N_SRC];
} met;

/* What the options of `kvis monitor` say, beside what is in opt. */
static struct {
    const char *procfs, *sysfs, *rootfs;
    u64 interval_ns;
    u32 count;
    u64 off;                 /* sources that -c leaves out: bits */
    bool per_cpu, csv, hist;
    const char *csv_file, *prom_file, *cgroup;
    struct sockaddr_storage listen; /* ss_family 0: none */
} mo = { .interval_ns = NSEC, .rootfs = "" };

/* Whether things of this dimension have the metric. */
static bool met_of(u32 m, u8 dim)
{
    return metrics[m].dim == dim || (metrics[m].dim == DIM_PMC && dim <= DIM_CGROUP);
}

/* What is in front of its name, where it is counted for a part of the machine, too: two numbers of
 * one name would be added up. */
static const char *met_prefix(u32 m, u8 dim)
{
    return metrics[m].dim != DIM_PMC ? "" : dim == DIM_PID ? "process_"
           : dim == DIM_CGROUP ? "cgroup_" : "";
}

/* --- distributions --- */

enum { MET_HISTS = 640, MET_OCTAVES = 65 };

/* Each is a row; what it is of is met_hist.inst. p50: the first of its metrics (MET_PARTS). Places
 * (prom NULL) have no such ones, and none in Prometheus: what is made of them. */
enum met_hist_id {
    HIST_WAIT, HIST_DEPTH, HIST_EST, HIST_BLK, HIST_PLACE = HIST_BLK + N_BLK_HISTS, N_HIST
};

static const struct met_hist_row {
    const char *name, *unit, *prom, *help; /* unit: of what is counted, as bcc has it */
    double scale;                          /* from that to Prometheus's unit */
    u16 p50;
    u8 low, high;                          /* octaves that Prometheus gets: to 2^n - 1 */
} met_hist_rows[N_HIST] = {
    [HIST_WAIT] = { "runq_wait", "nsecs", "runq_wait_seconds",
                    "How long tasks waited for a CPU", 1e-9, M_WAIT_P50, 10, 34 },
    [HIST_DEPTH] = { "runq_depth", "tasks", "runq_depth",
                     "Tasks that could run on a CPU, at each context switch", 1, M_DEPTH_P50, 0,
                     12 },
    [HIST_EST] = { "runq_depth_estimate", "tasks", "runq_depth_estimate",
                   "Tasks that were woken on a CPU and had not run yet, at each context switch", 1,
                   M_EST_P50, 0, 12 },
#define MET_BLK(hist, name, labels, p50) \
    [HIST_BLK + (hist)] = { name, "nsecs", "block_request_seconds{" labels, \
                            "How long requests were in the queue and in the disk", 1e-9, p50, 10, \
                            35 }
    MET_BLK(BLK_READ_QUEUE, "block_read_queue", "op=\"read\",in=\"queue\"", M_RQUEUE_P50),
    MET_BLK(BLK_READ_DISK, "block_read_device", "op=\"read\",in=\"device\"", M_RDISK_P50),
    MET_BLK(BLK_WRITE_QUEUE, "block_write_queue", "op=\"write\",in=\"queue\"", M_WQUEUE_P50),
    MET_BLK(BLK_WRITE_DISK, "block_write_device", "op=\"write\",in=\"device\"", M_WDISK_P50),
    MET_BLK(BLK_DISCARD, "block_discard_device", "op=\"discard\",in=\"device\"", M_DISCARD_P50),
    MET_BLK(BLK_FLUSH, "block_flush_device", "op=\"flush\",in=\"device\"", M_FLUSH_P50),
#undef MET_BLK
    [HIST_BLK + BLK_READ_SIZE] = { "block_read_size", "bytes", "block_size_bytes{op=\"read\"",
                                   "How large requests are", 1, M_RSIZE_P50, 9, 25 },
    [HIST_BLK + BLK_WRITE_SIZE] = { "block_write_size", "bytes", "block_size_bytes{op=\"write\"",
                                    "How large requests are", 1, M_WSIZE_P50, 9, 25 },
    [HIST_PLACE] = { "block_position", "16ths", NULL, NULL, 1, M_ENTROPY, 0, 0 },
};

/* In buckets of 16 an octave (st_bucket). */
struct met_hist {
    const struct met_inst *inst;
    u8 row;
    u32 at;                      /* met.tick of the last reading */
    u64 count, all, sum;         /* in this interval; since the start; all values added up */
    u64 octave[MET_OCTAVES];     /* since the start: [n] those below 2^n that are not in [n - 1] */
    u32 now[ST_BUCKETS];         /* in this interval */
    u32 last[ST_BUCKETS];        /* as the kernel's counters were read */
};

static struct { struct met_hist *h[MET_HISTS]; u32 n; } met_hists;

/* NULL: there are too many. */
static struct met_hist *met_hist(u8 row, const struct met_inst *i)
{
    for (u32 k = 0; k < met_hists.n; k++)
        if (met_hists.h[k]->row == row && met_hists.h[k]->inst == i)
            return met_hists.h[k];
    struct met_hist *h = i && met_hists.n < MET_HISTS ? calloc(1, sizeof *h) : NULL;
    if (!h)
        return NULL;
    h->row = row;
    h->inst = i;
    return met_hists.h[met_hists.n++] = h;
}

/* The octave of a bucket: its values are below 2^n. */
static u32 met_octave(u32 bucket)
{
    return bucket < 16 ? (bucket ? 32 - (u32)__builtin_clz(bucket) : 0) : 5 + (bucket - 16) / 16;
}

static u64 met_bucket_low(u32 i)
{
    return i < 16 ? i : (16 + (u64)(i - 16) % 16) << ((i - 16) / 16);
}

/* The value below which the share p of this interval's counts lies: of times the middle of its
 * bucket, as st_percentile; of sizes and lengths, which are round numbers, the lowest of it. */
static double met_hist_part(const struct met_hist *h, double p)
{
    u64 want = (u64)(p * (double)h->count), seen = 0;
    u32 last = 0;
    for (u32 i = 0; i < ST_BUCKETS; i++)
        if (h->now[i]) {
            last = i;
            if ((seen += h->now[i]) > want)
                break;
        }
    bool time = met_forms[metrics[met_hist_rows[h->row].p50].form].unit == U_NS;
    return (double)(time ? st_bucket_value(last) : met_bucket_low(last));
}

static void met_init(void)
{
    long hz = sysconf(_SC_CLK_TCK);
    met_forms[F_TICKS].scale = 1.0 / (double)MAX(hz, 1);
    met_forms[F_CPAGES].scale = met_forms[F_PAGES].scale = (double)sysconf(_SC_PAGESIZE);
    for (u32 m = N_METRICS; m-- > 0;)
        met.src[metrics[m].src].from = (u16)m;
    for (u32 m = 0; m < N_METRICS; m++) {
        for (u8 d = 0; d < N_DIM; d++)
            if (met_of(m, d))
                met.slot[d][m] = met.width[d]++;
        met.src[metrics[m].src].to = (u16)(m + 1);
    }
}

/* --- things --- */

static struct met_inst *met_next(const struct met_inst *i)
{
    return i->next ? &met_insts[i->next - 1] : NULL;
}

static struct met_inst *met_first(u8 dim)
{
    return met.first[dim] ? &met_insts[met.first[dim] - 1] : NULL;
}

/* One that has gone, for another to take its place. */
static struct met_inst *met_gone(u8 dim)
{
    for (struct met_inst *i = met_first(dim); i; i = met_next(i))
        if (i->at + 1 < met.tick && i->name[0])
            return i;
    met.dropped++;
    met.src[met.cur].no_room++;
    return NULL;
}

static struct met_inst *met_new(u8 dim)
{
    if (met.n_insts == MET_INSTS || met.n_series + met.width[dim] > MET_SERIES)
        return met_gone(dim);
    struct met_inst *i = &met_insts[met.n_insts++];
    i->base = met.n_series;
    i->dim = dim;
    met.n_series += met.width[dim];
    if (met.last[dim])
        met_insts[met.last[dim] - 1].next = (u16)met.n_insts;
    else
        met.first[dim] = (u16)met.n_insts;
    met.last[dim] = (u16)met.n_insts;
    return i;
}

/* The thing of that name, which is there now; NULL: too many. A file names them in the same order
 * each time, so the one behind the last that was asked for is tried first. */
static struct met_inst *met_inst(u8 dim, const char *name)
{
    struct met_inst *i = met.hint[dim] ? met_next(&met_insts[met.hint[dim] - 1]) : NULL;
    if (met.src[met.cur].no_room > 100) { /* to look for each among all would take for ever */
        met.dropped++;
        return NULL;
    }
    if (!i || strncmp(i->name, name, MET_NAME - 1))
        for (i = met_first(dim); i && strncmp(i->name, name, MET_NAME - 1);)
            i = met_next(i);
    if (!i) {
        if (!(i = met_new(dim)))
            return NULL;
        i->reused = i->name[0] ? met.tick : 0;
        snprintf(i->name, sizeof i->name, "%s", name);
        i->info[0] = 0;
        memset(&met_series[i->base], 0, met.width[dim] * sizeof *met_series);
    }
    i->at = met.tick;
    met.hint[dim] = (u16)(i - met_insts + 1);
    return i;
}

/* --- numbers --- */

static struct met_series *met_at(const struct met_inst *i, u32 m)
{
    return &met_series[i->base + met.slot[i->dim][m]];
}

/* Takes one for read now. */
static struct met_series *met_touch(const struct met_inst *i, u32 m)
{
    struct met_series *s = met_at(i, m);
    if (!s->since || s->at + 1 < met.tick)
        s->since = met.tick;
    s->at = met.seen[m] = met.tick;
    return s;
}

static void met_set(const struct met_inst *i, u32 m, double v)
{
    if (i)
        met_touch(i, m)->v = v;
}

/* A counter's reading. One that went back counts as no change (proc_stat(5): iowait may; a disk
 * that was taken out and put in begins anew). Of those that the kernel has in 32 bits, milliseconds
 * of disks come round (Documentation/admin-guide/iostats.rst), and go on. */
static void met_count(const struct met_inst *i, u32 m, u64 raw)
{
    if (!i)
        return;
    struct met_series *s = met_touch(i, m);
    u64 d = raw - s->raw; /* the first: all */
    if (raw < s->raw) {
        bool wrapped = metrics[m].form == F_CMS && s->raw <= UINT32_MAX && s->raw - raw > 1u << 31;
        d = wrapped ? (u32)d : 0;
        met.backwards += !wrapped;
    }
    double t = met.src[met.cur].elapsed_s;
    s->total += d;
    s->raw = raw;
    s->v = t > 0 ? (double)d * met_forms[metrics[m].form].scale / t : 0;
}

/* The kernel's number, as the metric's form says. A count below 0 is none. */
static void met_raw(const struct met_inst *i, u32 m, s64 raw)
{
    const struct met_form_row *f = &met_forms[metrics[m].form];
    if (!f->counter)
        met_set(i, m, (double)raw * f->scale);
    else if (raw >= 0)
        met_count(i, m, (u64)raw);
}

/* Whether there is a value now: of a counter, two readings. */
static bool met_has(const struct met_inst *i, u32 m)
{
    const struct met_series *s = met_at(i, m);
    return s->at == met.tick && (!met_forms[metrics[m].form].counter || s->since < met.tick);
}

/* Gives the thing without a name what the others of its kind have in sum, or on average: of the
 * source's metrics, those from `from` to `to`. */
static void met_sum_or_mean(u8 dim, u32 from, u32 to, bool (*counts)(const struct met_inst *),
                            bool mean)
{
    struct met_inst *all = met_inst(dim, "");
    for (u32 m = from; all && m <= to; m++) {
        double sum = 0;
        u32 n = 0;
        for (struct met_inst *i = met_first(dim); i; i = met_next(i))
            if (i->name[0] && i->at == met.tick && met_has(i, m) && (!counts || counts(i)))
                sum += met_at(i, m)->v, n++;
        if (!n)
            continue;
        met_set(all, m, mean ? sum / n : sum);
        met_at(all, m)->since = 1; /* a sum of rates is one at once */
    }
}

static void met_sum(u8 dim, u32 from, u32 to, bool (*counts)(const struct met_inst *))
{
    met_sum_or_mean(dim, from, to, counts, false);
}

/* Takes a reading of a distribution's counters (they come round at 2^32), and sets its metrics. */
static void met_hist_read(struct met_hist *h, const u32 *n, u32 n_buckets, u64 sum)
{
    static const double part[] = { 0.5, 0.9, 0.99, 1 };
    if (!h)
        return;
    h->count = 0;
    for (u32 i = 0; i < n_buckets; i++) {
        h->now[i] = n[i] - h->last[i];
        h->last[i] = n[i];
        h->count += h->now[i];
        h->octave[met_octave(i)] += h->now[i];
    }
    h->all += h->count;
    h->sum = sum;
    h->at = met.tick;
    const struct met_hist_row *r = &met_hist_rows[h->row];
    for (u32 k = 0; r->prom && k < 4 && h->count && met.src[met.cur].elapsed_s > 0; k++)
        met_set(h->inst, r->p50 + k, met_hist_part(h, part[k]));
}

/* v of a metric, 0 without one. */
static double met_v(const struct met_inst *i, u32 m)
{
    return met_has(i, m) ? met_at(i, m)->v : 0;
}

/* part / all, where there is anything. */
static void met_share(const struct met_inst *i, u32 m, double part, double all)
{
    if (all > 0)
        met_set(i, m, part / all);
}

/* --- files --- */

/* A path of /proc or /sys, under the roots that the options name; the next takes its place. */
static const char *PRINTF_LIKE(1, 2) met_path(const char *fmt, ...)
{
    static char path[PATH_MAX];
    char tail[PATH_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(tail, sizeof tail, fmt, ap);
    va_end(ap);
    const char *root = !strncmp(tail, "/proc", 5)  ? mo.procfs
                       : !strncmp(tail, "/sys", 4) ? mo.sysfs : NULL;
    if (root)
        snprintf(path, sizeof path, "%s%s", root, tail + (tail[1] == 'p' ? 5 : 4));
    else
        snprintf(path, sizeof path, "%s%s", mo.rootfs, tail);
    return path;
}

/* What the source that is read now cannot give, and why. */
static void met_wrong(const char *path, int e)
{
    const char *name = u_errname(e);
    if (!met.src[met.cur].wrong++)
        snprintf(met.src[met.cur].why, sizeof met.src[met.cur].why, "%.140s: %s", path,
                 name ? name : "no number");
}

/* The same, of what is no file. */
static void met_off(const char *why)
{
    if (!met.src[met.cur].wrong++)
        snprintf(met.src[met.cur].why, sizeof met.src[met.cur].why, "%.150s", why);
}

/* A file that is read line by line; one at a time. No number of bytes makes it take more room or
 * for ever. */
static struct {
    int fd;
    u32 at, len;
    bool skip; /* what comes is the rest of a line that was cut */
    u64 bytes;
    char path[160], buf[16 << 10];
} met_file;

enum { MET_FILE_MAX = 8 << 20 };

static bool met_open(const char *path)
{
    met_file.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    met_file.at = met_file.len = 0;
    met_file.skip = false;
    met_file.bytes = 0;
    snprintf(met_file.path, sizeof met_file.path, "%s", path);
    if (met_file.fd < 0)
        met_wrong(path, errno);
    return met_file.fd >= 0;
}

/* More of it behind what is left. */
static bool met_fill(void)
{
    memmove(met_file.buf, met_file.buf + met_file.at, met_file.len -= met_file.at);
    met_file.at = 0;
    ssize_t n = met_file.bytes > MET_FILE_MAX ? 0
                : read(met_file.fd, met_file.buf + met_file.len,
                       sizeof met_file.buf - 1 - met_file.len);
    if (n < 0)
        met_wrong(met_file.path, errno);
    if (n <= 0)
        return false;
    met_file.len += (u32)n;
    met_file.bytes += (u64)n;
    return true;
}

/* The next line, without its end; of one that is too long, the beginning. NULL: that was the last,
 * and the file is closed. */
static char *met_line(void)
{
    for (;;) {
        char *from = met_file.buf + met_file.at;
        u32 n = met_file.len - met_file.at, full = sizeof met_file.buf - 1;
        char *end = memchr(from, '\n', n);
        if (!end && n < full && met_fill())
            continue;
        if (!n) {
            close(met_file.fd);
            return NULL;
        }
        bool skip = met_file.skip;
        met_file.skip = !end && n == full;
        end = end ? end : from + n;
        *end = 0;
        met_file.at = MIN(met_file.len, (u32)(end - met_file.buf) + 1);
        if (!skip)
            return from;
    }
}

/* A whole word that is a number. */
static bool met_number(const char *s, s64 *v)
{
    char *end;
    errno = 0;
    s += strspn(s, " \t");
    *v = strtoll(s, &end, 10);
    return end > s && !errno && (!*end || strchr(" \t\n", *end)) && *s != '+';
}

/* A small file; false: it says why. */
static bool met_read(const char *path, char *s, size_t n)
{
    int f = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = f < 0 ? -1 : read(f, s, n - 1);
    int e = errno;
    if (f >= 0)
        close(f);
    if (got < 0)
        met_wrong(path, e);
    s[MAX(got, 0)] = 0;
    return got >= 0;
}

/* Its first line. */
static bool met_text(const char *path, char *s, size_t n)
{
    bool got = met_read(path, s, n);
    s[strcspn(s, "\n")] = 0;
    return got;
}

static bool met_file_number(const char *path, s64 *v)
{
    char s[32];
    bool got = met_text(path, s, sizeof s);
    if (got && !met_number(s, v))
        met_wrong(path, 0), got = false;
    return got;
}

/* Numbers N of the names PRE N POST in a directory, from the lowest on; a missing directory is
 * said. */
static u32 met_ids(const char *path, const char *pre, const char *post, u32 *id, u32 max)
{
    u32 n = 0;
    DIR *d = opendir(path);
    if (!d)
        met_wrong(path, errno);
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *s = e->d_name;
        char *end = NULL;
        if (strncmp(s, pre, strlen(pre)) || !isdigit((u8)*(s += strlen(pre))))
            continue;
        unsigned long v = strtoul(s, &end, 10);
        if (strcmp(end, post) || v > INT_MAX || n == max)
            continue;
        u32 k = n++;
        for (; k && id[k - 1] > v; k--)
            id[k] = id[k - 1];
        id[k] = (u32)v;
    }
    if (d)
        closedir(d);
    return n;
}

static bool met_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* --- rows by their keys --- */

static bool met_mine(u32 m, const struct met_inst *i)
{
    return metrics[m].src == met.cur && metrics[m].dim == i->dim && *met_key_of(m);
}

/* Columns of a line, the first word being number 0. */
static void met_columns(const struct met_inst *i, const char *line)
{
    for (u32 m = met.src[met.cur].from; i && m < met.src[met.cur].to; m++) {
        s64 v;
        if (met_mine(m, i) && isdigit((u8)*met_key_of(m))
            && met_number(u_word(line, atoi(met_key_of(m))), &v))
            met_raw(i, m, v);
    }
}

static struct { s64 v; bool got; } met_sums[N_METRICS]; /* of keys that end with a * */

/* A line of a key, maybe with a ':', and a number. */
static void met_key(const struct met_inst *i, const char *line)
{
    size_t n = strcspn(line, ": \t");
    s64 v;
    for (u32 m = met.src[met.cur].from; i && m < met.src[met.cur].to; m++) {
        const char *key = met_key_of(m);
        if (!met_mine(m, i) || *key != *line)
            continue;
        size_t len = strlen(key), star = key[len - 1] == '*';
        if ((star ? n < len - 1 : n != len) || strncmp(key, line, len - star)
            || !met_number(line + n + (line[n] == ':'), &v))
            continue;
        if (star)
            met_sums[m].v += v, met_sums[m].got = true;
        else
            met_raw(i, m, v);
    }
}

/* All lines of a file, each behind `skip` words. */
static void met_keys(const struct met_inst *i, const char *path, int skip)
{
    char *line;
    memset(met_sums, 0, sizeof met_sums);
    if (!met_open(path))
        return;
    while ((line = met_line()))
        met_key(i, u_word(line, skip));
    for (u32 m = met.src[met.cur].from; i && m < met.src[met.cur].to; m++)
        if (met_sums[m].got)
            met_raw(i, m, met_sums[m].v);
}

/* Files with a number each, in a directory. */
static void met_files(const struct met_inst *i, const char *dir)
{
    char path[PATH_MAX];
    s64 v;
    for (u32 m = met.src[met.cur].from; i && m < met.src[met.cur].to; m++) {
        if (!met_mine(m, i))
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, met_key_of(m));
        if (met_file_number(path, &v))
            met_raw(i, m, v);
    }
}

/* == 33 mfs_  metrics from files of /proc and /sys =====================================
 * A function a source; what one cannot read is said by met_wrong and costs nothing else. Sources
 * that go by the rows' keys (met_keys, met_columns, met_files) have no code for a single metric. */

/* --- /proc/stat --- */

/* The modes as shares of what this CPU's clock has counted, which is what they add up to. */
static void mfs_shares(const struct met_inst *i)
{
    double sum = 0;
    for (u32 m = M_USER; i && m <= M_STEAL; m++)
        sum += met_has(i, m) ? met_at(i, m)->v : 0;
    for (u32 m = M_USER; sum > 0 && m <= M_GUEST_NICE; m++)
        met_at(i, m)->v /= sum;
}

/* "cpu  1 2 3 ..." is the sum of all, and has no name here. */
static void mfs_stat(void)
{
    double cpus = 0;
    char *line, name[16];
    if (!met_open(met_path("/proc/stat")))
        return;
    while ((line = met_line())) {
        if (strncmp(line, "cpu", 3)) {
            met_key(met.all, line);
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 3, " "), line + 3);
        if (strspn(name, "0123456789") != strlen(name))
            continue;
        struct met_inst *i = met_inst(DIM_CPU, name);
        met_columns(i, line);
        mfs_shares(i);
        cpus += *name != 0;
    }
    if (cpus > 0)
        met_set(met.all, M_CPUS, cpus);
}

/* --- /proc/loadavg, /proc/pressure --- */

/* "0.52", in hundredths. */
static void mfs_load(void)
{
    char s[64];
    if (!met_text(met_path("/proc/loadavg"), s, sizeof s))
        return;
    for (u32 k = 0; k < 3; k++) {
        const char *p = u_word(s, (int)k);
        char *end;
        unsigned long whole = strtoul(p, &end, 10);
        if (isdigit((u8)*p) && *end == '.' && isdigit((u8)end[1]) && isdigit((u8)end[2]))
            met_set(met.all, M_LOAD1 + k,
                    (double)whole + (end[1] - '0') / 10.0 + (end[2] - '0') / 100.0);
    }
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123": the total alone tells this interval. */
static void mfs_psi(void)
{
    for (u32 m = M_PSI_CPU; m <= M_PSI_IRQ_ALL; m++) {
        const char *what = met_key_of(m), *how = strchr(what, ' ') + 1;
        char *line;
        s64 v;
        if (!met_open(met_path("/proc/pressure/%.*s", (int)(how - what - 1), what)))
            continue;
        while ((line = met_line())) {
            const char *total = strstr(line, " total=");
            if (!strncmp(line, how, 4) && total && met_number(total + 7, &v))
                met_raw(met.all, m, v);
        }
    }
}

/* --- CPUs --- */

/* Calls fn for each CPU that has this directory under its own. */
static void mfs_each_cpu(const char *sub, void (*fn)(struct met_inst *, const char *dir))
{
    static u32 id[MET_INSTS];
    char dir[MET_DIR], name[16];
    u32 n = met_ids(met_path("/sys/devices/system/cpu"), "cpu", "", id, ARRAY_LEN(id)), any = 0;
    for (u32 k = 0; k < n; k++) {
        snprintf(dir, sizeof dir, "%s", met_path("/sys/devices/system/cpu/cpu%u/%s", id[k], sub));
        snprintf(name, sizeof name, "%u", id[k]);
        if (!met_there(dir))
            continue;
        any++;
        fn(met_inst(DIM_CPU, name), dir);
    }
    if (n && !any)
        met_wrong(dir, ENOENT);
}

static void mfs_numbers(struct met_inst *i, const char *dir)
{
    met_files(i, dir);
}

static void mfs_throttle(void)
{
    mfs_each_cpu("thermal_throttle", mfs_numbers);
    met_sum(DIM_CPU, M_THROTTLE_CORE, M_THROTTLE_PKG, NULL);
}

static void mfs_freq(void)
{
    mfs_each_cpu("cpufreq", mfs_numbers);
    met_sum_or_mean(DIM_CPU, M_FREQ, M_FREQ_MAX, NULL, true);
}

/* "cpu0 0 0 0 0 0 0 RUN WAIT SLICES" (Documentation/scheduler/sched-stats.rst). */
static void mfs_schedstat(void)
{
    char *line, name[16];
    if (!met_open(met_path("/proc/schedstat")))
        return;
    while ((line = met_line())) {
        if (strncmp(line, "cpu", 3) || !isdigit((u8)line[3]))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 3, " "), line + 3);
        met_columns(met_inst(DIM_CPU, name), line);
    }
    met_sum(DIM_CPU, M_SS_RUN, M_SS_SLICES, NULL);
}

/* --- memory --- */

static void mfs_meminfo(void)
{
    met_keys(met.all, met_path("/proc/meminfo"), 0);
    met_share(met.all, M_THP_RATIO, met_v(met.all, M_MEM_THP), met_v(met.all, M_MEM_ANON));
}

static void mfs_balance(void)
{
    met_keys(met.all, met_path("/proc/vmstat"), 0);
}

static void mfs_vmstat(void)
{
    met_keys(met.all, met_path("/proc/vmstat"), 0);
    const struct met_series *s = met_at(met.all, M_FAULTS);
    const struct met_series *major = met_at(met.all, M_FAULTS_MAJOR);
    if (s->at == met.tick && major->at == met.tick && s->raw >= major->raw)
        met_count(met.all, M_FAULTS_MINOR, s->raw - major->raw);
}

static void mfs_khuge(void)
{
    met_files(met.all, met_path("/sys/kernel/mm/transparent_hugepage/khugepaged"));
}

static void mfs_huge(void)
{
    u32 id[32], n = met_ids(met_path("/sys/kernel/mm/hugepages"), "hugepages-", "kB", id, 32);
    for (u32 k = 0; k < n; k++) {
        char name[24];
        snprintf(name, sizeof name, "%ukB", id[k]);
        struct met_inst *i = met_inst(DIM_POOL, name);
        met_files(i, met_path("/sys/kernel/mm/hugepages/hugepages-%s", name));
        if (i && met_has(i, M_POOL) && met_has(i, M_POOL_FREE) /* the pool may shrink in between */
            && met_v(i, M_POOL_FREE) <= met_v(i, M_POOL))
            met_share(i, M_POOL_RATIO, met_v(i, M_POOL) - met_v(i, M_POOL_FREE),
                      met_v(i, M_POOL));
    }
}

/* Calls fn for each NUMA node. */
static void mfs_each_node(void (*fn)(struct met_inst *, u32 node))
{
    u32 id[MET_IDS], n = met_ids(met_path("/sys/devices/system/node"), "node", "", id, MET_IDS);
    for (u32 k = 0; k < n; k++) {
        char name[16];
        snprintf(name, sizeof name, "%u", id[k]);
        struct met_inst *i = met_inst(DIM_NODE, name);
        if (i)
            fn(i, id[k]);
    }
}

/* The share of what was taken from this node, and of all that was taken, that is remote memory to
 * the CPU that took it (Documentation/admin-guide/numastat.rst). */
static void mfs_remote(const struct met_inst *i)
{
    double other = met_v(i, M_NUMA_OTHER);
    met_share(i, M_NUMA_REMOTE, other, other + met_v(i, M_NUMA_LOCAL));
}

static void mfs_node_stat(struct met_inst *i, u32 node)
{
    met_keys(i, met_path("/sys/devices/system/node/node%u/numastat", node), 0);
    mfs_remote(i);
}

static void mfs_numastat(void)
{
    mfs_each_node(mfs_node_stat);
    met_sum(DIM_NODE, M_NUMA_HIT, M_NUMA_OTHER, NULL);
    struct met_inst *all = met_inst(DIM_NODE, "");
    if (all)
        mfs_remote(all);
}

/* "Node 0 MemTotal:  123 kB" */
static void mfs_node_mem(struct met_inst *i, u32 node)
{
    if (!i->info[0])
        met_text(met_path("/sys/devices/system/node/node%u/distance", node), i->info, MET_INFO);
    met_keys(i, met_path("/sys/devices/system/node/node%u/meminfo", node), 2);
}

static void mfs_nodemem(void)
{
    mfs_each_node(mfs_node_mem);
}

/* --- disks --- */

/* The names in a directory, joined by commas; "..." where there are more. */
static void mfs_names(const char *dir, char *s, size_t n)
{
    DIR *d = opendir(dir);
    *s = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t len = strlen(s);
        if (e->d_name[0] != '.'
            && snprintf(s + len, n - len, "%s%s", len ? "," : "", e->d_name) >= (int)(n - len))
            memcpy(s + n - 4, "...", 4);
    }
    if (d)
        closedir(d);
}

/* What a block device lies on: a partition on its disk, dm and md on their parts. In sysfs a '/' of
 * its name is a '!'; a partition's directory is in that of its disk. */
static void mfs_disk_on(struct met_inst *i, const char *name)
{
    char sys[MET_NAME], link[512];
    snprintf(sys, sizeof sys, "%s", name);
    for (char *s = sys; (s = strchr(s, '/'));)
        *s = '!';
    if (!met_there(met_path("/sys/class/block/%s/partition", sys))) {
        mfs_names(met_path("/sys/class/block/%s/slaves", sys), i->info, MET_INFO);
        return;
    }
    ssize_t n = readlink(met_path("/sys/class/block/%s", sys), link, sizeof link - 1);
    link[MAX(n, 0)] = 0;
    char *slash = strrchr(link, '/');
    if (slash)
        *slash = 0;
    if (slash && (slash = strrchr(link, '/')))
        snprintf(i->info, MET_INFO, "%s", slash + 1);
}

/* Whether it counts in the sum of all: what lies on others would count twice. */
static bool mfs_disk_counts(const struct met_inst *i)
{
    return !i->info[0] && strncmp(i->name, "loop", 4) && strncmp(i->name, "zram", 4)
           && strncmp(i->name, "ram", 3);
}

static void mfs_disk_means(const struct met_inst *i)
{
    double reads = met_v(i, M_DISK_READS), writes = met_v(i, M_DISK_WRITES);
    if (!met_has(i, M_DISK_READS) || !met_has(i, M_DISK_WRITES))
        return;
    met_set(i, M_DISK_IOPS, reads + writes);
    met_share(i, M_DISK_READ_MEAN, met_v(i, M_DISK_READ_TIME), reads);
    met_share(i, M_DISK_WRITE_MEAN, met_v(i, M_DISK_WRITE_TIME), writes);
}

static u32 mfs_disks_at; /* met.tick when all of /proc/diskstats was read */

/* One that was left out, or not there, an interval ago: what it has done, it has done since.
 * (Unless there was no place for it.) */
static void mfs_disk_new(const struct met_inst *i)
{
    if (mfs_disks_at + 1 != met.tick || met.dropped)
        return;
    struct met_series *s = &met_series[i->base];
    for (u32 k = 0; k < met.width[DIM_DISK]; k++)
        s[k] = (struct met_series){ .at = met.tick - 1, .since = met.tick - 1 };
}

/* A line of /proc/diskstats (Documentation/admin-guide/iostats.rst). A device that never did
 * anything is left out: there are many of them. One whose reads go back is another of that name. */
static void mfs_disk_line(const char *line)
{
    char name[MET_NAME];
    const char *at = u_word(line, 2), *rest = u_word(at, 1);
    s64 reads;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
    if (!*name || strspn(rest, "0 ") == strlen(rest) || !met_number(rest, &reads))
        return;
    struct met_inst *i = met_inst(DIM_DISK, name);
    if (!i)
        return;
    struct met_series *s = met_at(i, M_DISK_READS);
    bool new = !s->since, same = !new && s->raw <= (u64)reads;
    if (new)
        mfs_disk_new(i);
    else if (!same)
        memset(&met_series[i->base], 0, met.width[DIM_DISK] * sizeof *s);
    if (!same)
        i->info[0] = 0, mfs_disk_on(i, name);
    met_columns(i, line);
    mfs_disk_means(i);
}

static void mfs_disks(void)
{
    char *line;
    if (!met_open(met_path("/proc/diskstats")))
        return;
    while ((line = met_line()))
        mfs_disk_line(line + strspn(line, " "));
    mfs_disks_at = met.tick;
    met_sum(DIM_DISK, M_DISK_READS, M_DISK_IOPS, mfs_disk_counts);
    struct met_inst *all = met_inst(DIM_DISK, "");
    if (all)
        mfs_disk_means(all);
}

/* --- temperatures --- */

/* Drivers say "not known" in many ways: -274000 (include/linux/thermal.h), 0, INT_MAX, an error. */
static bool mfs_temp(const char *path, s64 *v)
{
    if (!met_file_number(path, v))
        return false;
    if (*v > -273150 && *v && *v < 1000000)
        return true;
    met_wrong(path, ERANGE);
    return false;
}

/* The lowest trip point of each type that stops the machine or slows it down. */
static void mfs_trips(const struct met_inst *i, const char *dir)
{
    char path[PATH_MAX], type[16];
    u32 id[32], n = met_ids(dir, "trip_point_", "_temp", id, 32), m;
    for (u32 k = 0; k < n; k++) {
        s64 v = 0;
        snprintf(path, sizeof path, "%s/trip_point_%u_type", dir, id[k]);
        if (!met_text(path, type, sizeof type))
            continue;
        for (m = M_TRIP_PASSIVE; m <= M_TRIP_CRITICAL && strcmp(type, met_key_of(m));)
            m++;
        snprintf(path, sizeof path, "%s/trip_point_%u_temp", dir, id[k]);
        if (m <= M_TRIP_CRITICAL && mfs_temp(path, &v) && v > 0
            && (!met_has(i, m) || met_v(i, m) > (double)v / 1e3))
            met_raw(i, m, v);
    }
}

enum { MFS_ZONES = 64, MFS_PAST = 16 };

/* A zone's temperatures of the last 30 s, one at least 2 s after the other. */
static struct mfs_past {
    struct { u64 ns; double v; } at[MFS_PAST];
    u32 n;
} mfs_past[MFS_ZONES];

static void mfs_trend(const struct met_inst *i, struct mfs_past *p)
{
    u64 now = met.src[met.cur].at_ns;
    u32 old = p->n > MFS_PAST ? p->n - MFS_PAST : 0;
    while (old < p->n && now - p->at[old % MFS_PAST].ns > 31 * NSEC)
        old++;
    if (old < p->n && now - p->at[old % MFS_PAST].ns >= NSEC)
        met_set(i, M_TEMP_TREND, (met_v(i, M_TEMP) - p->at[old % MFS_PAST].v)
                                 * 1e9 / (double)(now - p->at[old % MFS_PAST].ns));
    if (old == p->n || now - p->at[(p->n - 1) % MFS_PAST].ns >= 2 * NSEC - NSEC / 20) {
        p->at[p->n % MFS_PAST].ns = now;
        p->at[p->n++ % MFS_PAST].v = met_v(i, M_TEMP);
    }
}

static void mfs_zone(struct met_inst *i, const char *dir)
{
    char path[PATH_MAX];
    s64 v;
    snprintf(path, sizeof path, "%s/type", dir);
    if (!i->info[0])
        met_text(path, i->info, MET_INFO);
    snprintf(path, sizeof path, "%s/temp", dir);
    if (!mfs_temp(path, &v))
        return;
    met_raw(i, M_TEMP, v);
    mfs_trips(i, dir);
    double lowest = INFINITY;
    for (u32 m = M_TRIP_PASSIVE; m <= M_TRIP_CRITICAL; m++)
        if (met_has(i, m))
            lowest = MIN(lowest, met_v(i, m));
    if (lowest < INFINITY)
        met_set(i, M_TEMP_ROOM, lowest - met_v(i, M_TEMP));
}

static void mfs_zones(void)
{
    u32 id[MET_IDS], n = met_ids(met_path("/sys/class/thermal"), "thermal_zone", "", id, MET_IDS);
    struct met_inst *all = NULL;
    for (u32 k = 0; k < n; k++) {
        char name[16], dir[MET_DIR];
        snprintf(name, sizeof name, "%u", id[k]);
        snprintf(dir, sizeof dir, "%s", met_path("/sys/class/thermal/thermal_zone%u", id[k]));
        struct met_inst *i = met_inst(DIM_ZONE, name);
        if (i)
            mfs_zone(i, dir);
        if (i && met_has(i, M_TEMP) && id[k] < MFS_ZONES)
            mfs_trend(i, &mfs_past[id[k]]);
    }
    /* Without a name: the zone that has the least headroom. */
    for (const struct met_inst *i = met_first(DIM_ZONE); i; i = met_next(i))
        if (i->name[0] && met_has(i, M_TEMP_ROOM) && (all = met_inst(DIM_ZONE, ""))
            && (!met_has(all, M_TEMP_ROOM) || met_v(all, M_TEMP_ROOM) > met_v(i, M_TEMP_ROOM))) {
            met_set(all, M_TEMP_ROOM, met_v(i, M_TEMP_ROOM));
            met_set(all, M_TEMP, met_v(i, M_TEMP));
        }
}

/* Of a chip: hwmonN/temp1_input, temp1_label, temp1_max, temp1_crit
 * (Documentation/hwmon/sysfs-interface.rst). */
static void mfs_chip(u32 chip)
{
    char dir[MET_DIR], path[PATH_MAX], name[MET_NAME], label[MET_INFO];
    u32 id[256];
    snprintf(dir, sizeof dir, "%s", met_path("/sys/class/hwmon/hwmon%u", chip));
    u32 n = met_ids(dir, "temp", "_input", id, 256);
    for (u32 k = 0; k < n; k++) {
        snprintf(name, sizeof name, "hwmon%u/temp%u", chip, id[k]);
        struct met_inst *i = met_inst(DIM_SENSOR, name);
        for (u32 m = M_SENSOR; i && m <= M_SENSOR_CRIT; m++) {
            s64 v;
            snprintf(path, sizeof path, "%s/temp%u%s", dir, id[k], met_key_of(m));
            if ((m == M_SENSOR || met_there(path)) && mfs_temp(path, &v))
                met_raw(i, m, v);
        }
        if (!i || i->info[0])
            continue;
        snprintf(path, sizeof path, "%s/name", dir);
        met_text(path, i->info, MET_INFO);
        snprintf(path, sizeof path, "%s/temp%u_label", dir, id[k]);
        if (met_there(path) && met_text(path, label, sizeof label))
            snprintf(i->info + strlen(i->info), MET_INFO - strlen(i->info), " %s", label);
    }
}

static void mfs_hwmon(void)
{
    u32 id[MET_IDS], n = met_ids(met_path("/sys/class/hwmon"), "hwmon", "", id, MET_IDS);
    for (u32 k = 0; k < n; k++)
        mfs_chip(id[k]);
    for (const struct met_inst *i = met_first(DIM_SENSOR); i; i = met_next(i))
        if (met_has(i, M_SENSOR) && met_has(i, M_SENSOR_CRIT))
            met_set(i, M_SENSOR_ROOM, met_v(i, M_SENSOR_CRIT) - met_v(i, M_SENSOR));
}

/* --- processes and a cgroup --- */

enum { MFS_PIDS = 256 };

/* What only threads are asked for: M_P_VOLUNTARY and those behind it. */
enum { MFS_COUNTS = 4 };

static struct {
    u64 born, count[MFS_COUNTS];
    bool gone;
} mfs_pids[MFS_PIDS]; /* by place in opt.pids */

/* Of a thread, as read last. What it has counted stays in its process's sum when it ends. */
static struct mfs_thread {
    u32 tid, at; /* at: met.tick */
    u64 count[MFS_COUNTS];
} mfs_threads[MET_INSTS];

/* Its place, or one for it of somebody who is gone; NULL: there are too many. */
static struct mfs_thread *mfs_thread(u32 tid)
{
    struct mfs_thread *empty = NULL;
    for (u32 k = 0; k < 64; k++) {
        struct mfs_thread *t = &mfs_threads[(tid + k) % ARRAY_LEN(mfs_threads)];
        bool gone = !t->tid || t->at + 1 < met.tick;
        if (t->tid == tid && !gone)
            return t;
        if (gone && !empty)
            empty = t;
    }
    if (empty)
        *empty = (struct mfs_thread){ .tid = tid };
    return empty;
}

/* Which of its counts there are: bits. */
static u32 mfs_thread_counts(pid_t pid, u32 tid, u64 *count)
{
    static const char *const keys[] = { "\nvoluntary_ctxt_switches:",
                                        "\nnonvoluntary_ctxt_switches:" };
    char text[8192], *end;
    u32 got = 0;
    u_slurp(met_path("/proc/%d/task/%u/status", pid, tid), text, sizeof text);
    for (u32 k = 0; k < 2; k++) {
        const char *at = strstr(text, keys[k]);
        count[k] = at ? strtoull(at + strlen(keys[k]), NULL, 10) : 0;
        got |= (u32)(at != NULL) << k;
    }
    u_slurp(met_path("/proc/%d/task/%u/schedstat", pid, tid), text, sizeof text);
    count[2] = strtoull(text, &end, 10);
    count[3] = strtoull(end, NULL, 10);
    return got | (isdigit((u8)*text) ? 12 : 0);
}

static void mfs_process_threads(const struct met_inst *i, u32 process)
{
    static u32 id[ARRAY_LEN(mfs_threads)];
    pid_t pid = opt.pids[process];
    u64 now[MFS_COUNTS], *sum = mfs_pids[process].count;
    u32 n = met_ids(met_path("/proc/%d/task", pid), "", "", id, ARRAY_LEN(id)), any = 0;
    for (u32 k = 0; k < n; k++) {
        u32 got = mfs_thread_counts(pid, id[k], now);
        struct mfs_thread *t = got ? mfs_thread(id[k]) : NULL;
        if (got && !t)
            met.dropped++;
        if (!t)
            continue;
        for (u32 c = 0; c < MFS_COUNTS; c++)
            sum[c] += now[c] - (now[c] < t->count[c] ? 0 : t->count[c]);
        memcpy(t->count, now, sizeof now);
        t->at = met.tick;
        any |= got;
    }
    for (u32 c = 0; c < MFS_COUNTS; c++)
        if (any >> c & 1)
            met_count(i, M_P_VOLUNTARY + c, sum[c]);
}

/* "PID (COMM) S ...": COMM may hold anything; behind its last ')' is field 3 (proc_pid_stat(5)). A
 * pid that was born at another time is another process. */
static bool mfs_process(u32 k)
{
    char text[1024], name[16];
    s64 born;
    pid_t pid = opt.pids[k];
    if (mfs_pids[k].gone || !met_read(met_path("/proc/%d/stat", pid), text, sizeof text))
        return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open || close[1] != ' '
        || !met_number(u_word(close + 2, 19), &born))
        return false;
    if (mfs_pids[k].born && mfs_pids[k].born != (u64)born + 1)
        return false;
    mfs_pids[k].born = (u64)born + 1;
    snprintf(name, sizeof name, "%d", pid);
    struct met_inst *i = met_inst(DIM_PID, name);
    if (!i)
        return true;
    *close = 0;
    snprintf(i->info, sizeof i->info, "%s", open + 1);
    met_columns(i, close + 2);
    mfs_process_threads(i, k);
    return true;
}

/* When none of them is left, the monitor ends. */
static void mfs_procs(void)
{
    u32 left = 0;
    for (u32 k = 0; k < opt.n_pids; k++) {
        mfs_pids[k].gone = !mfs_process(k);
        left += !mfs_pids[k].gone;
    }
    met.over |= !left;
}

static void mfs_cgroup(void)
{
    static const char *const file[] = { "cpu.stat", "memory.stat", "memory.events" };
    for (size_t k = 0; k < ARRAY_LEN(file); k++)
        met_keys(met.all, met_path("/sys/fs/cgroup/%s/%s", mo.cgroup, file[k]), 0);
}

static void mfs_cgfiles(void)
{
    char dir[MET_DIR];
    snprintf(dir, sizeof dir, "%s", met_path("/sys/fs/cgroup/%s", mo.cgroup));
    met_files(met.all, dir);
}

/* == 34 pmc_  what the CPUs count: cycles, caches, branches ===============================
 * Which core it is (cpuinfo, MIDR), which of its events are what metrics[] wants (pmc_events[], or
 * the names in the PMU's own events/, or the kernel's generic events), and their counting: for all
 * CPUs, some processes or a cgroup. The types and fields of events are those
 * that sysfs says; the two ABI types of generic events aside. Events are opened in groups
 * (pmc_groups[]), which the kernel counts all at once or not at all: every ratio is of one group,
 * so of one window of time. A unit is what a group is opened for: a CPU, a cgroup on a CPU, or a
 * thread on one PMU. To add a core: a row in pmc_cores[], and its bit in the rows of pmc_events[].
 * Entry points: pmc_begin, pmc_read, pmc_look. */

/* What is counted: one of these. The kernel gives counters to CPUs' events first and to tasks' last
 * (ctx_resched in kernel/events/core.c), so beside the machine's a process's would get none. */
enum pmc_scope { PS_ALL, PS_TASK, PS_CGROUP };

enum { PMC_PMUS = 8, PMC_TASKS = 64, PMC_MEMBERS = 5, PMC_CPUS = 8192, PMC_SPARE_FDS = 128 };

/* What an event is for. Those up to PR_STALLED are metrics: M_CYCLES + role. */
enum pmc_role {
    PR_CYC, PR_INS, PR_REF, PR_BR, PR_BRM, PR_L1, PR_L1M, PR_L2, PR_L2M, PR_LL, PR_LLM, PR_DTM,
    PR_DTW, PR_ITM, PR_ITW, PR_FRONT, PR_BACK, PR_STALLED,
    PR_DTH, PR_ITH,                      /* misses that the second-level TLB has: DTM - DTW */
    PR_SLOTS, PR_RET, PR_BAD, PR_FE, PR_BE,      /* Intel's Topdown */
    PR_SFE, PR_SBE, PR_SLOT, PR_OPR, PR_OPS,     /* AMD's and Arm's: slots, operations */
    N_PR, PR_METRICS = PR_DTH, PR_NONE = 255
};
_Static_assert(M_STALLED - M_CYCLES == PR_STALLED, "roles and metrics differ");

/* name; the kernel's generic event (PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE); names in a PMU's
 * events/, the best first: x86's (arch/x86/events/core.c), then Arm's (drivers/perf/arm_pmuv3.c,
 * which lists only what the core says it has; Arm DDI 0487, table D14-2). */
static const struct {
    const char *name;
    u8 type;
    u32 config;
    const char *alias;
} pmc_roles[N_PR] = {
#define HW(n) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##n
#define CACHE(n, miss) PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##n | (miss) << 16
#define ONLY PR_NONE, 0
    [PR_CYC] = { "cycles", HW(CPU_CYCLES), "cpu-cycles cpu_cycles" },
    [PR_INS] = { "instructions", HW(INSTRUCTIONS), "instructions inst_retired" },
    [PR_REF] = { "ref_cycles", HW(REF_CPU_CYCLES), "ref-cycles cnt_cycles" },
    [PR_BR] = { "branches", HW(BRANCH_INSTRUCTIONS), "branch-instructions br_retired br_pred" },
    [PR_BRM] = { "branch_misses", HW(BRANCH_MISSES),
                 "branch-misses br_mis_pred_retired br_mis_pred" },
    [PR_L1] = { "l1d_accesses", CACHE(L1D, 0), "l1d_cache" },
    [PR_L1M] = { "l1d_misses", CACHE(L1D, 1), "l1d_cache_refill" },
    [PR_L2] = { "l2_accesses", ONLY, "l2d_cache" },
    [PR_L2M] = { "l2_misses", ONLY, "l2d_cache_refill" },
    [PR_LL] = { "llc_accesses", CACHE(LL, 0), "ll_cache_rd l3d_cache" },
    [PR_LLM] = { "llc_misses", CACHE(LL, 1), "ll_cache_miss_rd l3d_cache_refill" },
    [PR_DTM] = { "dtlb_misses", CACHE(DTLB, 1), "l1d_tlb_refill" },
    [PR_DTW] = { "dtlb_walks", ONLY, "dtlb_walk" },
    [PR_ITM] = { "itlb_misses", CACHE(ITLB, 1), "l1i_tlb_refill" },
    [PR_ITW] = { "itlb_walks", ONLY, "itlb_walk" },
    [PR_FRONT] = { "stalled_frontend", HW(STALLED_CYCLES_FRONTEND),
                   "stalled-cycles-frontend stall_frontend" },
    [PR_BACK] = { "stalled_backend", HW(STALLED_CYCLES_BACKEND),
                  "stalled-cycles-backend stall_backend" },
    [PR_STALLED] = { "stalled_cycles", ONLY, "stall" },
    [PR_DTH] = { "dtlb_second_level", ONLY, "" },
    [PR_ITH] = { "itlb_second_level", ONLY, "" },
    [PR_SLOTS] = { "slots", ONLY, "slots" },
    [PR_RET] = { "slots_retiring", ONLY, "topdown-retiring" },
    [PR_BAD] = { "slots_bad_speculation", ONLY, "topdown-bad-spec" },
    [PR_FE] = { "slots_frontend", ONLY, "topdown-fe-bound" },
    [PR_BE] = { "slots_backend", ONLY, "topdown-be-bound" },
    [PR_SFE] = { "empty_slots_frontend", ONLY, "stall_slot_frontend" },
    [PR_SBE] = { "empty_slots_backend", ONLY, "stall_slot_backend" },
    [PR_SLOT] = { "empty_slots", ONLY, "stall_slot" },
    [PR_OPR] = { "operations_retired", ONLY, "op_retired" },
    [PR_OPS] = { "operations_issued", ONLY, "op_spec" },
#undef HW
#undef CACHE
#undef ONLY
};

/* In the order in which descriptors go to them, where there are not enough for all. The first
 * member is what the others are divided by. */
enum {
    PG_BASE, PG_BRANCH, PG_LLC, PG_L1, PG_L2, PG_STALL, PG_DTLB, PG_ITLB, PG_TD, PG_SLOTS, PG_OPS,
    N_PG
};
static const u8 pmc_groups[N_PG][PMC_MEMBERS] = {
#define P(r) PR_##r + 1 /* 0: none */
    [PG_BASE] = { P(CYC), P(INS), P(REF) }, [PG_BRANCH] = { P(INS), P(BR), P(BRM) },
    [PG_LLC] = { P(INS), P(LL), P(LLM) }, [PG_L1] = { P(INS), P(L1), P(L1M) },
    [PG_L2] = { P(INS), P(L2), P(L2M) }, [PG_STALL] = { P(CYC), P(FRONT), P(BACK), P(STALLED) },
    [PG_DTLB] = { P(INS), P(DTW), P(DTM), P(DTH) }, [PG_ITLB] = { P(INS), P(ITW), P(ITM), P(ITH) },
    [PG_TD] = { P(SLOTS), P(RET), P(BAD), P(FE), P(BE) }, [PG_SLOTS] = { P(CYC), P(SFE), P(SBE) },
    [PG_OPS] = { P(CYC), P(OPR), P(OPS), P(SLOT) },
#undef P
};

/* --- the cores, and what they call it --- */

/* Cores whose events are the same: bits of pmc_events[].cores. */
enum {
    C_SKL = 1, C_ICL = 2, C_GLC = 4, C_LNC = 8, C_INTEL_P = 15,
    C_TNT = 16, C_GRT = 32, C_CMT = 64, C_SKT = 128, C_INTEL_E = 240,
    C_Z1 = 256, C_Z2 = 512, C_Z3 = 1024, C_Z4 = 2048, C_Z5 = 4096, C_Z6 = 8192,
    C_ZEN = 0x3f00, C_Z45 = C_Z4 | C_Z5, C_Z456 = C_Z4 | C_Z5 | C_Z6,
};

/* Intel: family 6, the model; AMD: family 23 to 26, any model in these sixteens (bits). The PMU
 * that they are in, where there are several. Models: intel/perfmon's mapfile.csv; perf's, of Linux
 * 7.2 (tools/perf/pmu-events/arch/x86/mapfile.csv), for AMD. Source: whose list has the events
 * that pmc_events[] took: intel/perfmon, or that of Linux 7.2's perf, made from AMD's Processor
 * Programming References. */
enum { PMC_MAIN, PMC_ATOM, PMC_LOWPOWER };
static const struct pmc_core {
    u16 bit;
    u8 family, pmu, slots;     /* slots: of AMD's pipeline a cycle */
    u16 sixteens;
    const char *models, *name, *source;
} pmc_cores[] = {
    { C_SKL, 6, 0, 0, 0, "\x4e\x5e\x8e\x9e\xa5\xa6", "Skylake, Kaby/Coffee/Comet Lake",
      "perfmon SKL" },
    { C_SKL, 6, 0, 0, 0, "\x55", "Skylake-SP, Cascade Lake, Cooper Lake", "perfmon SKX, CLX" },
    { C_ICL, 6, 0, 0, 0, "\x7d\x7e\x8c\x8d\xa7", "Ice, Tiger, Rocket Lake",
      "perfmon ICL, TGL, RKL" },
    { C_ICL, 6, 0, 0, 0, "\x6a\x6c", "Ice Lake-SP", "perfmon ICX" },
    { C_GLC, 6, 0, 0, 0, "\x97\x9a\xb7\xba\xbf", "Golden Cove (Alder, Raptor Lake)",
      "perfmon ADL" },
    { C_GLC, 6, 0, 0, 0, "\x8f\xcf", "Sapphire, Emerald Rapids", "perfmon SPR, EMR" },
    { C_GLC, 6, 0, 0, 0, "\xaa\xac\xb5", "Redwood Cove (Meteor Lake)", "perfmon MTL" },
    { C_GLC, 6, 0, 0, 0, "\xad\xae", "Granite Rapids", "perfmon GNR" },
    { C_LNC, 6, 0, 0, 0, "\xbd\xc5\xc6", "Lion Cove (Lunar, Arrow Lake)", "perfmon LNL, ARL" },
    { C_LNC, 6, 0, 0, 0, "\xcc\xd5", "Cougar Cove (Panther Lake)", "perfmon PTL" },
    { C_TNT, 6, 0, 0, 0, "\x86\x96\x9c", "Tremont (Snow Ridge, Elkhart, Jasper Lake)",
      "perfmon SNR, EHL" },
    { C_GRT, 6, PMC_ATOM, 0, 0, "\x97\x9a\xb7\xba\xbf", "Gracemont (Alder, Raptor Lake)",
      "perfmon ADL" },
    { C_GRT, 6, 0, 0, 0, "\xbe", "Gracemont (Alder Lake-N)", "perfmon ADL" },
    { C_CMT, 6, PMC_ATOM, 0, 0, "\xaa\xac\xb5", "Crestmont (Meteor Lake)", "perfmon MTL" },
    { C_CMT, 6, 0, 0, 0, "\xaf\xb6", "Crestmont (Sierra Forest, Grand Ridge)", "perfmon SRF, GRR" },
    { C_CMT, 6, PMC_LOWPOWER, 0, 0, "\xc5", "Crestmont (Arrow Lake)", "perfmon ARL" },
    { C_SKT, 6, PMC_ATOM, 0, 0, "\xbd\xc5\xc6", "Skymont (Lunar, Arrow Lake)", "perfmon LNL, ARL" },
    { C_SKT, 6, PMC_ATOM, 0, 0, "\xcc\xd5", "Darkmont (Panther Lake)", "perfmon PTL" },
    { C_SKT, 6, 0, 0, 0, "\xdd", "Darkmont (Clearwater Forest)", "perfmon CWF" },
    { C_Z1, 23, 0, 0, 0x0007, NULL, "Zen 1", "amdzen1" },
    { C_Z2, 23, 0, 0, 0xfff8, NULL, "Zen 2", "amdzen2" },
    { C_Z1, 24, 0, 0, 0xffff, NULL, "Dhyana (Zen 1)", "amdzen1" },
    { C_Z3, 25, 0, 0, 0x0035, NULL, "Zen 3", "amdzen3" },
    { C_Z4, 25, 0, 6, 0xffca, NULL, "Zen 4", "amdzen4" },
    { C_Z5, 26, 0, 8, 0x00d7, NULL, "Zen 5", "amdzen5" },
    { C_Z6, 26, 0, 8, 0xff28, NULL, "Zen 6", "amdzen6" },
};

/* role (two: of both); event; umask; cmask; cores; the vendor's name */
static const struct pmc_event {
    u8 role, role2;
    u16 event, umask;
    u8 cmask;
    u16 cores;
    const char *name;
} pmc_events[] = {
#define E(role, event, umask, cmask, cores, name) \
    { PR_##role, PR_NONE, event, umask, cmask, cores, name }
#define E2(role, role2, event, umask, cores, name) \
    { PR_##role, PR_##role2, event, umask, 0, cores, name }
    E(L1, 0xd0, 0x81, 0, C_INTEL_P, "MEM_INST_RETIRED.ALL_LOADS"),
    E2(L1M, L2, 0xd1, 0x08, C_INTEL_P, "MEM_LOAD_RETIRED.L1_MISS"),
    E2(L2M, LL, 0xd1, 0x10, C_INTEL_P, "MEM_LOAD_RETIRED.L2_MISS"),
    E(LLM, 0xd1, 0x20, 0, C_INTEL_P, "MEM_LOAD_RETIRED.L3_MISS"),
    E(DTH, 0x08, 0x20, 0, C_SKL | C_ICL | C_TNT | C_CMT | C_SKT, "DTLB_LOAD_MISSES.STLB_HIT"),
    E(DTH, 0x12, 0x20, 0, C_GLC, "DTLB_LOAD_MISSES.STLB_HIT"),
    E(DTH, 0x12, 0x320, 0, C_LNC, "DTLB_LOAD_MISSES.STLB_HIT"),
    E(DTW, 0x08, 0x0e, 0, C_SKL | C_ICL | C_INTEL_E, "DTLB_LOAD_MISSES.WALK_COMPLETED"),
    E(DTW, 0x12, 0x0e, 0, C_GLC | C_LNC, "DTLB_LOAD_MISSES.WALK_COMPLETED"),
    E(ITH, 0x85, 0x20, 0, C_SKL | C_ICL | C_TNT | C_CMT | C_SKT, "ITLB_MISSES.STLB_HIT"),
    E(ITH, 0x11, 0x20, 0, C_GLC, "ITLB_MISSES.STLB_HIT"),
    E(ITH, 0x11, 0x120, 0, C_LNC, "ITLB_MISSES.STLB_HIT"),
    E(ITW, 0x85, 0x0e, 0, C_SKL | C_ICL | C_INTEL_E, "ITLB_MISSES.WALK_COMPLETED"),
    E(ITW, 0x11, 0x0e, 0, C_GLC | C_LNC, "ITLB_MISSES.WALK_COMPLETED"),
    E(FRONT, 0x9c, 0x01, 4, C_SKL, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE"),
    E(FRONT, 0x9c, 0x01, 5, C_ICL, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE"),
    E(FRONT, 0x9c, 0x01, 6, C_GLC, "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE"),
    E(FRONT, 0x9c, 0x01, 8, C_LNC, "IDQ_BUBBLES.STARVATION_CYCLES"),
    E(BACK, 0xa2, 0x01, 0, C_SKL, "RESOURCE_STALLS.ANY"),
    E(STALLED, 0xa3, 0x04, 4, C_INTEL_P, "CYCLE_ACTIVITY.STALLS_TOTAL"),
    E(L1, 0xd0, 0x81, 0, C_INTEL_E, "MEM_UOPS_RETIRED.ALL_LOADS"),
    E2(L1M, L2, 0xd1, 0x08, C_TNT | C_GRT, "MEM_LOAD_UOPS_RETIRED.L1_MISS"),
    E2(L1M, L2, 0xd1, 0x40, C_CMT | C_SKT, "MEM_LOAD_UOPS_RETIRED.L1_MISS"),
    E2(L2M, LL, 0xd1, 0x10, C_TNT | C_GRT, "MEM_LOAD_UOPS_RETIRED.L2_MISS"),
    E(L2M, 0xd1, 0x80, 0, C_CMT | C_SKT, "MEM_LOAD_UOPS_RETIRED.L2_MISS"),
    E(LL, 0x2e, 0x4f, 0, C_CMT | C_SKT, "LONGEST_LAT_CACHE.REFERENCE"),
    E(LLM, 0x2e, 0x41, 0, C_CMT | C_SKT, "LONGEST_LAT_CACHE.MISS"),
    E(LLM, 0xd1, 0x80, 0, C_TNT | C_GRT, "MEM_LOAD_UOPS_RETIRED.DRAM_HIT"),
    E(L1, 0x29, 0x07, 0, C_ZEN, "LsDispatch: all"),
    E2(L1M, L2, 0x60, 0xc8, C_Z1 | C_Z2, "L2RequestG1: from DC misses"),
    E2(L1M, L2, 0x60, 0xe8, C_Z3 | C_Z4, "L2RequestG1: from DC misses"),
    E2(L1M, L2, 0x60, 0xe0, C_Z5 | C_Z6, "L2RequestG1: all DC"),
    E(L2M, 0x64, 0x08, 0, C_ZEN, "L2CacheReqStat: LsRdBlkC"),
    E(LL, 0x43, 0x5a, 0, C_Z2, "LsRefillsFromSys: all but L2"),
    E(LLM, 0x43, 0x58, 0, C_Z2, "LsRefillsFromSys: DRAM, other caches"),
    E(LL, 0x43, 0x5e, 0, C_Z3, "LsDmndFillsFromSys: all but L2"),
    E(LLM, 0x43, 0x5c, 0, C_Z3, "LsDmndFillsFromSys: from beyond the CCX"),
    E(LL, 0x43, 0xde, 0, C_Z456, "LsDmndFillsFromSys: all but L2"),
    E(LLM, 0x43, 0xdc, 0, C_Z456, "LsDmndFillsFromSys: from beyond the CCX"),
    E(DTM, 0x45, 0xff, 0, C_ZEN, "LsL1DTlbMiss: all"),
    E(DTW, 0x45, 0xf0, 0, C_ZEN, "LsL1DTlbMiss: L2 TLB misses"),
    E(ITH, 0x84, 0x00, 0, C_ZEN, "BpL1TlbMissL2TlbHit"),
    E(ITW, 0x85, 0x00, 0, C_Z1, "BpL1TlbMissL2TlbMiss"),
    E(ITW, 0x85, 0xff, 0, C_Z2 | C_Z3, "BpL1TlbMissL2TlbMiss"),
    E(ITW, 0x85, 0x0f, 0, C_Z456, "BpL1TlbMissL2TlbMiss: all"),
    E(FRONT, 0xa9, 0x00, 0, C_ZEN & ~C_Z1, "DeOpQueueEmpty"),
    E(STALLED, 0xd6, 0x1b, 0, C_Z45, "ExNoRetire: all"),
    E(SFE, 0x1a0, 0x01, 0, C_Z456, "DeNoDispatchPerSlot: no ops from frontend"),
    E(SBE, 0x1a0, 0x1e, 0, C_Z456, "DeNoDispatchPerSlot: backend stalls"),
    E(OPR, 0xc1, 0x00, 0, C_Z456, "ExRetOps"),
    E(OPS, 0xaa, 0x07, 0, C_Z456, "DeSrcOpDisp: all"),
#undef E
#undef E2
};

/* Arm's and others' cores: implementer and part of the MIDR (arch/arm64/include/asm/cputype.h of
 * Linux 7.0, Arm's and the vendors' technical reference manuals). Their events need no table: the
 * kernel lists those that the core has. */
static const char pmc_midr[] =
    "41d02 Cortex-A34;41d03 Cortex-A53;41d04 Cortex-A35;41d05 Cortex-A55;41d06 Cortex-A65;"
    "41d07 Cortex-A57;41d08 Cortex-A72;41d09 Cortex-A73;41d0a Cortex-A75;41d0b Cortex-A76;"
    "41d0c Neoverse-N1;41d0d Cortex-A77;41d0e Cortex-A76AE;41d40 Neoverse-V1;41d41 Cortex-A78;"
    "41d42 Cortex-A78AE;41d44 Cortex-X1;41d46 Cortex-A510;41d47 Cortex-A710;41d48 Cortex-X2;"
    "41d49 Neoverse-N2;41d4a Neoverse-E1;41d4b Cortex-A78C;41d4c Cortex-X1C;41d4d Cortex-A715;"
    "41d4e Cortex-X3;41d4f Neoverse-V2;41d80 Cortex-A520;41d81 Cortex-A720;41d82 Cortex-X4;"
    "41d83 Neoverse-V3AE;41d84 Neoverse-V3;41d85 Cortex-X925;41d87 Cortex-A725;41d8e Neoverse-N3;"
    "42516 ThunderX2;430af ThunderX2;46001 A64FX;48d01 Kunpeng 920;51001 Oryon;"
    "c0ac3 Ampere-1;c0ac4 Ampere-1A;";

/* --- state --- */

struct pmc_code {              /* an event as perf_event_open wants it */
    u32 type;
    u64 config, config1, config2;
    const char *name;          /* the vendor's, the kernel's; NULL: there is none */
    bool generic, alias;       /* alias: name is the first word */
};

static struct pmc_pmu {
    char name[MET_NAME], cpus[MET_INFO], core[64];
    const char *source;        /* of its events */
    u32 type, slots;
    u16 bit;                   /* C_; 0: not known */
    bool known, all;           /* all: its CPUs are all there are */
    u8 mask[PMC_CPUS / 8];
    struct pmc_code code[N_PR];
    int err[N_PR];             /* why it cannot be opened; 0: it can, or is not tried yet */
} pmc_pmus[PMC_PMUS];

struct pmc_unit {
    int cpu;
    pid_t tid;                 /* 0: all of that CPU's, or the cgroup's */
    u8 pmu, task;
    bool on;
    u64 at_ns;                 /* when it was read last; 0: never */
    struct { int fd[PMC_MEMBERS]; u64 enabled, running, v[PMC_MEMBERS]; } g[N_PG];
};

/* What the units of a thing have counted since the reading before. */
struct pmc_sum {
    double d[N_PG][N_PR], cap[N_PG], rate[PR_METRICS];
    u32 has[N_PG], lack[N_PG]; /* roles; lack: not of all units */
    double share;              /* the least */
    bool any, fresh;           /* fresh: no unit was read before */
};

static struct {
    u32 n_pmus, n_units, cap_units, hint;
    struct pmc_unit *unit;
    bool ended[PMC_TASKS], gone[PMC_TASKS]; /* of opt.pids; ended: this reading is the last */
    u32 n_tasks;
    int cgroup;                /* its directory; 0: none */
    enum pmc_scope scope;
    u8 online[PMC_CPUS / 8];
    bool begun, user_only;
    u32 off;                   /* groups for which there were no descriptors: bits */
    const char *none;          /* why nothing is counted; NULL: something is */
    struct pmc_sum all, group, pmu[PMC_PMUS], one[PMC_TASKS], cpu;
    char why[N_PR][96], vendor[24], model[64];
    u32 family, model_nr, stepping;
} pmc;

/* --- which CPU it is --- */

/* "0-3,8": bits; false: no such list. */
static bool pmc_list(const char *path, u8 *mask, char *text, size_t n)
{
    char s[4096], *end;
    memset(mask, 0, PMC_CPUS / 8);
    if (!met_there(path) || !met_text(path, s, sizeof s))
        return false;
    if (text)
        snprintf(text, n, "%.*s", (int)n - 1, s);
    for (char *p = s; isdigit((u8)*p); p = *end == ',' ? end + 1 : end) {
        unsigned long a = strtoul(p, &end, 10), b = a;
        if (*end == '-')
            b = strtoul(end + 1, &end, 10);
        for (; a <= b && a < PMC_CPUS; a++)
            mask[a / 8] |= (u8)(1 << a % 8);
    }
    return true;
}

static bool pmc_in(const u8 *mask, u32 cpu)
{
    return cpu < PMC_CPUS && mask[cpu / 8] >> cpu % 8 & 1;
}

/* What names of PMUs and vendors are made of: they go into messages as they are. */
#define PMC_PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+"

/* The value of a line "key : value", if that is its key. */
static const char *pmc_value(const char *line, const char *key)
{
    size_t n = strlen(key);
    const char *p = line + n;
    if (strncmp(line, key, n))
        return NULL;
    p += strspn(p, " \t");
    return *p == ':' ? p + 1 + strspn(p + 1, " \t") : NULL;
}

/* cpuinfo's first processor (x86), or the one asked for (arm64); its MIDR, 0 without one. */
static u64 pmc_cpuinfo(u32 cpu)
{
    u32 part = 0, imp = 0, at = 0;
    char *line;
    const char *v;
    if (!met_open(met_path("/proc/cpuinfo")))
        return 0;
    while ((line = met_line())) {
        if ((v = pmc_value(line, "processor")))
            at = (u32)strtoul(v, NULL, 10);
        if ((v = pmc_value(line, "CPU implementer")) && (at == cpu || !imp))
            imp = (u32)strtoul(v, NULL, 16);
        if ((v = pmc_value(line, "CPU part")) && (at == cpu || !part))
            part = (u32)strtoul(v, NULL, 16);
        if ((v = pmc_value(line, "vendor_id")) && !pmc.vendor[0])
            snprintf(pmc.vendor, sizeof pmc.vendor, "%.*s", (int)strspn(v, PMC_PLAIN), v);
        if ((v = pmc_value(line, "model name")) && !pmc.model[0])
            snprintf(pmc.model, sizeof pmc.model, "%s", v);
        if ((v = pmc_value(line, "cpu family")))
            pmc.family = (u32)strtoul(v, NULL, 10);
        if ((v = pmc_value(line, "model")))
            pmc.model_nr = (u32)strtoul(v, NULL, 10);
        if ((v = pmc_value(line, "stepping")))
            pmc.stepping = (u32)strtoul(v, NULL, 10);
    }
    return (u64)imp << 24 | (u64)part << 4;
}

/* MIDR_EL1 of the PMU's first CPU that has it in sysfs, or by cpuinfo. */
static u64 pmc_read_midr(const struct pmc_pmu *p)
{
    char s[32];
    u32 first = 0;
    for (u32 c = PMC_CPUS; c-- > 0;)
        if (pmc_in(p->mask, c)) {
            const char *path = met_path("/sys/devices/system/cpu/cpu%u/regs/identification/"
                                        "midr_el1", c);
            first = c;
            if (met_there(path) && met_text(path, s, sizeof s) && strtoull(s, NULL, 16))
                return strtoull(s, NULL, 16);
        }
    return pmc_cpuinfo(first);
}

static void pmc_arm_core(struct pmc_pmu *p)
{
    char id[8];
    u64 midr = pmc_read_midr(p);
    snprintf(id, sizeof id, "%02x%03x ", (u32)(midr >> 24) & 0xff, (u32)(midr >> 4) & 0xfff);
    const char *at = midr ? strstr(pmc_midr, id) : NULL;
    if (at)
        snprintf(p->core, sizeof p->core, "%.*s", (int)strcspn(at + 6, ";"), at + 6);
    else if (midr)
        snprintf(p->core, sizeof p->core, "implementer 0x%.2s part 0x%.3s", id, id + 2);
    if (midr)
        snprintf(p->core + strlen(p->core), sizeof p->core - strlen(p->core), " (MIDR 0x%08"
                 PRIx64 ")", midr);
    p->known = at != NULL;
}

static bool pmc_is_core(const struct pmc_core *c, const struct pmc_pmu *p)
{
    u8 kind = !strcmp(p->name, "cpu_atom") ? PMC_ATOM
              : !strcmp(p->name, "cpu_lowpower") ? PMC_LOWPOWER : PMC_MAIN;
    const char *vendor = c->family == 6 ? "GenuineIntel"
                         : c->family == 24 ? "HygonGenuine" : "AuthenticAMD";
    if (c->family != pmc.family || strcmp(vendor, pmc.vendor) || c->pmu != kind
        || pmc.model_nr > 255)
        return false;
    return c->models ? pmc.model_nr && strchr(c->models, (int)pmc.model_nr)
                     : c->sixteens >> (pmc.model_nr >> 4) & 1;
}

static void pmc_x86_core(struct pmc_pmu *p)
{
    for (u32 k = 0; k < ARRAY_LEN(pmc_cores); k++)
        if (pmc_is_core(&pmc_cores[k], p)) {
            snprintf(p->core, sizeof p->core, "%s", pmc_cores[k].name);
            p->bit = pmc_cores[k].bit;
            p->slots = pmc_cores[k].slots;
            p->source = pmc_cores[k].source;
            p->known = true;
            return;
        }
}

/* --- which events --- */

/* Puts a value into the bits that the PMU's format says, as "config:0-7,32-35"; 0 or -errno. */
static int pmc_field(const struct pmc_pmu *p, struct pmc_code *c, const char *name, u64 v)
{
    char s[64], *end;
    const char *path = met_path("/sys/bus/event_source/devices/%s/format/%.32s", p->name, name);
    u64 *to = !strcmp(name, "config") ? &c->config : !strcmp(name, "config1") ? &c->config1
              : !strcmp(name, "config2") ? &c->config2 : NULL;
    if (to)
        return *to = v, 0;
    if (!met_there(path) || !met_text(path, s, sizeof s))
        return -ENOENT;
    const char *at = strchr(s, ':');
    to = !strncmp(s, "config1:", 8) ? &c->config1 : !strncmp(s, "config2:", 8) ? &c->config2
         : !strncmp(s, "config:", 7) ? &c->config : NULL;
    for (at = at ? at + 1 : s; to && isdigit((u8)*at); at = *end == ',' ? end + 1 : end) {
        unsigned long a = strtoul(at, &end, 10), b = a;
        if (*end == '-')
            b = strtoul(end + 1, &end, 10);
        for (; a <= b && a < 64; a++, v >>= 1)
            *to |= (v & 1) << a;
    }
    return v || !to ? -EOVERFLOW : 0; /* bits that an older kernel's format has no place for */
}

/* "event=0xd1,umask=0x8,inv": as the files of events/ are. */
static int pmc_terms(const struct pmc_pmu *p, struct pmc_code *c, const char *s)
{
    while (*s) {
        char name[32];
        size_t n = strcspn(s, "=,"), end = strcspn(s, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, s);
        int e = pmc_field(p, c, name, s[n] == '=' ? strtoull(s + n + 1, NULL, 0) : 1);
        if (e)
            return e;
        s += end + (s[end] == ',');
    }
    return 0;
}

/* The first of these names that is in the PMU's events/. */
static int pmc_alias(const struct pmc_pmu *p, struct pmc_code *c, const char *names)
{
    char name[40], s[128];
    for (; *names; names += strcspn(names, " "), names += *names == ' ') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        const char *path = met_path("/sys/bus/event_source/devices/%s/events/%s", p->name, name);
        if (!met_there(path) || !met_text(path, s, sizeof s))
            continue;
        c->name = names;
        c->alias = true;
        return pmc_terms(p, c, s);
    }
    return -ENOENT;
}

static int pmc_row(const struct pmc_pmu *p, struct pmc_code *c, const struct pmc_event *e)
{
    int err = pmc_field(p, c, "event", e->event);
    if (!err)
        err = pmc_field(p, c, "umask", e->umask);
    if (!err && e->cmask)
        err = pmc_field(p, c, "cmask", e->cmask);
    c->name = e->name;
    return err;
}

/* The kernel's own choice: by PERF_TYPE_HARDWARE, with the PMU's type above where there are several
 * (Linux 5.12). Where the core is known, only what no other list says better. */
static int pmc_generic(const struct pmc_pmu *p, struct pmc_code *c, u32 role)
{
    u8 type = pmc_roles[role].type;
    if (type == PR_NONE || (p->known && type == PERF_TYPE_HW_CACHE))
        return -ENOENT;
    c->type = type;
    c->config = pmc_roles[role].config | (pmc.n_pmus > 1 ? (u64)p->type << 32 : 0);
    c->name = pmc_roles[role].name;
    c->generic = true;
    return 0;
}

/* Returns 0, or -errno. */
static int pmc_choose(struct pmc_pmu *p, u32 role)
{
    struct pmc_code *c = &p->code[role];
    *c = (struct pmc_code){ .type = p->type };
    for (u32 k = 0; k < ARRAY_LEN(pmc_events); k++)
        if (pmc_events[k].cores & p->bit
            && (pmc_events[k].role == role || pmc_events[k].role2 == role))
            return pmc_row(p, c, &pmc_events[k]);
    int e = pmc_alias(p, c, pmc_roles[role].alias);
    return e == -ENOENT ? pmc_generic(p, c, role) : e;
}

/* A PMU of cores is "cpu", or has a file cpus (as perf tells them from others). */
static void pmc_add_pmu(const char *name)
{
    s64 type;
    if (pmc.n_pmus == PMC_PMUS)
        return;
    struct pmc_pmu *p = &pmc_pmus[pmc.n_pmus];
    bool cpus = pmc_list(met_path("/sys/bus/event_source/devices/%s/cpus", name), p->mask, p->cpus,
                         sizeof p->cpus);
    if ((!cpus && strcmp(name, "cpu"))
        || !met_file_number(met_path("/sys/bus/event_source/devices/%s/type", name), &type))
        return;
    snprintf(p->name, sizeof p->name, "%.*s", MET_NAME - 1, name);
    p->type = (u32)type;
    p->all = !cpus;
    const char *path = met_path("/sys/bus/event_source/devices/%s/caps/slots", name);
    char s[24];
    if (met_there(path) && met_text(path, s, sizeof s)) /* drivers/perf/arm_pmuv3.c: 0x5 */
        p->slots = (u32)strtoul(s, NULL, 0);
    pmc.n_pmus++;
}

/* Finds the CPU, its PMUs and their events; nothing is opened. */
static void pmc_look(void)
{
    pmc_cpuinfo(0);
    DIR *d = opendir(met_path("/sys/bus/event_source/devices"));
    for (struct dirent *de; d && (de = readdir(d));)
        if (de->d_name[0] != '.' && strlen(de->d_name) < MET_NAME
            && !de->d_name[strspn(de->d_name, PMC_PLAIN)])
            pmc_add_pmu(de->d_name);
    if (d)
        closedir(d);
    else
        pmc.none = "/sys/bus/event_source/devices: ENOENT (no /sys, or no perf events)";
    for (u32 k = 0; k < pmc.n_pmus; k++) {
        struct pmc_pmu *p = &pmc_pmus[k];
        pmc.vendor[0] ? pmc_x86_core(p) : pmc_arm_core(p);
        for (u32 r = 0; r < N_PR; r++)
            p->err[r] = pmc_choose(p, r);
    }
}

/* --- opening --- */

static int pmc_open_as(const struct pmc_code *c, const struct pmc_unit *u, int leader, bool group)
{
    struct perf_event_attr a = {
        .type = c->type, .size = sizeof a, .config = c->config, .config1 = c->config1,
        .config2 = c->config2, .disabled = leader < 0, .inherit = u->tid != 0,
        .exclude_kernel = pmc.user_only, .exclude_hv = pmc.user_only,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED
                       | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    pid_t pid = u->tid ? u->tid : group ? pmc.cgroup : -1;
    unsigned long flags = PERF_FLAG_FD_CLOEXEC | (group ? PERF_FLAG_PID_CGROUP : 0);
    int f = (int)syscall(SYS_perf_event_open, &a, pid, u->cpu, leader, flags);
    return f < 0 ? -errno : f;
}

static int pmc_open_event(const struct pmc_code *c, const struct pmc_unit *u, int leader)
{
    return pmc_open_as(c, u, leader, pmc.scope == PS_CGROUP);
}

/* A descriptor of an event, or -errno; with rights for user mode alone, that is counted. */
static int pmc_open_one(const struct pmc_code *c, const struct pmc_unit *u, int leader)
{
    struct rlimit r = { 0, 0 };
    int f = pmc_open_event(c, u, leader);
    if (f == -EACCES && u->tid && !pmc.user_only) {
        pmc.user_only = true;
        f = pmc_open_event(c, u, leader);
    }
    getrlimit(RLIMIT_NOFILE, &r);
    if (f < 0 || (u64)f + PMC_SPARE_FDS < r.rlim_cur)
        return f;
    close(f);
    return -EMFILE;
}

static void pmc_close(struct pmc_unit *u, u32 g)
{
    for (u32 k = 0; k < PMC_MEMBERS; k++)
        if (u->g[g].fd[k] > 0) {
            close(u->g[g].fd[k]);
            u->g[g].fd[k] = 0;
        }
}

static void pmc_close_unit(struct pmc_unit *u)
{
    for (u32 g = 0; g < N_PG; g++)
        pmc_close(u, g);
    u->on = false;
    u->at_ns = 0;
}

/* An event that will not join its group may be good for itself: then the group is too large. One
 * that there is for the CPU, but not for the cgroup: that is without perf_event (of version 2,
 * before any controller was switched on: css_tryget_online_from_dir, Linux 6.1). */
static int pmc_why_not(const struct pmc_code *c, const struct pmc_unit *u, int e)
{
    bool absent = e == -ENOENT && pmc.scope == PS_CGROUP;
    int f = e == -EINVAL ? pmc_open_event(c, u, -1) : absent ? pmc_open_as(c, u, -1, false) : e;
    if (f < 0)
        return e;
    close(f);
    return absent ? -ENODATA : -E2BIG;
}

static bool pmc_passing(int e)
{
    return e == -EMFILE || e == -ENFILE || e == -ENODEV || e == -ESRCH;
}

/* Opens the events of a group that can be had; without any but the first it is for nothing. */
static int pmc_open_group(struct pmc_unit *u, u32 g)
{
    struct pmc_pmu *p = &pmc_pmus[u->pmu];
    int *err = p->err;
    int leader = -1, n = 0;
    for (u32 k = g != PG_BASE; k < PMC_MEMBERS && pmc_groups[g][k]; k++)
        n += !err[pmc_groups[g][k] - 1];
    if (!n)
        return 0;
    n = 0;
    for (u32 k = 0; k < PMC_MEMBERS && pmc_groups[g][k]; k++) {
        u32 role = pmc_groups[g][k] - 1u;
        int f = err[role] ? err[role] : pmc_open_one(&p->code[role], u, leader);
        if (pmc_passing(f)) {
            pmc_close(u, g);
            return f;
        }
        if (f < 0 && !err[role])
            err[role] = pmc_why_not(&p->code[role], u, f);
        if (f < 0)
            continue;
        u->g[g].fd[k] = f;
        leader = leader < 0 ? f : leader;
        n += k > 0 || g == PG_BASE;
    }
    if (!n)
        pmc_close(u, g);
    else
        ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
    return 0;
}

/* Does without the last group that is on, for all units; returns which that was. */
static u32 pmc_without(void)
{
    u32 g = N_PG - 1;
    while (pmc.off >> g & 1)
        g--;
    for (u32 k = 0; k < pmc.n_units; k++)
        pmc_close(&pmc.unit[k], g);
    pmc.off |= 1u << g;
    return g;
}

/* Opens a group for a unit; out of descriptors, the last groups are done without. */
static void pmc_open(struct pmc_unit *u, u32 g)
{
    int e;
    do {
        e = pmc.off >> g & 1 ? 0 : pmc_open_group(u, g);
    } while ((e == -EMFILE || e == -ENFILE) && pmc_without() > g);
    if (e == -ESRCH || e == -ENODEV)
        pmc_close_unit(u);
}

/* NULL: no memory. */
static struct pmc_unit *pmc_add_unit(struct pmc_unit unit)
{
    if (pmc.n_units == pmc.cap_units) {
        u32 cap = pmc.cap_units ? 2 * pmc.cap_units : 16;
        void *more = realloc(pmc.unit, cap * sizeof *pmc.unit);
        if (!more) {
            met.dropped++;
            return NULL;
        }
        pmc.unit = more;
        pmc.cap_units = cap;
    }
    pmc.unit[pmc.n_units] = unit;
    return &pmc.unit[pmc.n_units++];
}

/* The unit of a CPU: the one behind that which was asked for last, most often. NULL: no memory. */
static struct pmc_unit *pmc_cpu_unit(u32 pmu, u32 cpu)
{
    for (u32 n = 0; n < pmc.n_units; n++) {
        u32 k = (pmc.hint + n) % pmc.n_units;
        struct pmc_unit *u = &pmc.unit[k];
        if (u->cpu == (int)cpu && u->pmu == pmu) {
            pmc.hint = k + 1;
            return u;
        }
    }
    return pmc_add_unit((struct pmc_unit){ .cpu = (int)cpu, .pmu = (u8)pmu });
}

/* A unit for each CPU that is on now and has none, an end to those of CPUs that are off. */
static void pmc_cpus(bool open)
{
    pmc_list(met_path("/sys/devices/system/cpu/online"), pmc.online, NULL, 0);
    for (u32 k = 0; k < pmc.n_units; k++)
        if (pmc.unit[k].on && !pmc_in(pmc.online, (u32)pmc.unit[k].cpu))
            pmc_close_unit(&pmc.unit[k]);
    for (u32 p = 0; p < pmc.n_pmus; p++)
        for (u32 c = 0; c < PMC_CPUS; c++) {
            struct pmc_unit *u = NULL;
            if (pmc_in(pmc.online, c) && (pmc_pmus[p].all || pmc_in(pmc_pmus[p].mask, c)))
                u = pmc_cpu_unit(p, c);
            if (!u || u->on)
                continue;
            u->on = true;
            for (u32 g = 0; open && g < N_PG; g++)
                pmc_open(u, g);
        }
}

static u32 pmc_threads(pid_t pid, u32 *id)
{
    return met_ids(met_path("/proc/%d/task", pid), "", "", id, PMC_CPUS);
}

/* Units for the threads of a process; those to come are inherited. A thread that came while the
 * others were opened may be inherited or not: then all is done again. */
static void pmc_open_task(u32 task)
{
    static u32 before[PMC_CPUS], after[PMC_CPUS];
    u32 from = pmc.n_units, n = pmc_threads(opt.pids[task], before), m;
    for (u32 tries = 0; tries < 5; tries++) {
        for (u32 t = 0; t < n; t++)
            for (u32 p = 0; p < pmc.n_pmus; p++)
                pmc_add_unit((struct pmc_unit){ .cpu = -1, .tid = (pid_t)before[t], .pmu = (u8)p,
                                                .task = (u8)task, .on = true });
        for (u32 g = 0; g < N_PG; g++)
            for (u32 k = from; k < pmc.n_units; k++)
                if (pmc.unit[k].on)
                    pmc_open(&pmc.unit[k], g);
        m = pmc_threads(opt.pids[task], after);
        if (m == n && !memcmp(before, after, n * sizeof *after))
            return;
        for (u32 k = from; k < pmc.n_units; k++)
            pmc_close_unit(&pmc.unit[k]);
        pmc.n_units = from;
        memcpy(before, after, (n = m) * sizeof *after);
    }
}

static void pmc_raise_limit(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
        r.rlim_cur = r.rlim_max;
        setrlimit(RLIMIT_NOFILE, &r);
    }
}

/* Opens the cgroup, while a relative path is what it was. */
static void pmc_begin(void)
{
    pmc.n_tasks = MIN(opt.n_pids, PMC_TASKS);
    if (mo.cgroup)
        pmc.cgroup = open(met_path("/sys/fs/cgroup/%s", mo.cgroup),
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    pmc.scope = pmc.n_tasks ? PS_TASK : mo.cgroup ? PS_CGROUP : PS_ALL;
}

static const char *pmc_reason(u32 role, int e)
{
    char *why = pmc.why[role];
    size_t n = sizeof pmc.why[role];
    if (e == -ENOENT || e == -EOPNOTSUPP || e == -ENODEV || e == -ENXIO)
        snprintf(why, n, "this CPU or its hypervisor has no event for it");
    else if (e == -EACCES || e == -EPERM)
        snprintf(why, n, "perf_event_open: %s (perf_event_paranoid is %ld: CAP_PERFMON or root)",
                 strerror(-e), u_file_number("/proc/sys/kernel/perf_event_paranoid", -1));
    else if (e == -ENODATA)
        snprintf(why, n, "the cgroup has no perf_event: any of cgroup.subtree_control begins it");
    else if (e == -E2BIG)
        snprintf(why, n, "the CPU has not as many counters as its group wants");
    else if (e == -EOVERFLOW)
        snprintf(why, n, "this kernel cannot encode the event");
    else
        snprintf(why, n, "perf_event_open: %s", strerror(-e));
    return why;
}

/* What is counted that is less than one would think. */
static void pmc_warn(void)
{
    for (u32 k = 0; k < pmc.n_pmus; k++)
        if (pmc.vendor[0] && !pmc_pmus[k].known)
            u_warn("pmc: no list of events for this core (%s family %u model %u, PMU %s): the "
                   "kernel's generic events", pmc.vendor, pmc.family, pmc.model_nr,
                   pmc_pmus[k].name);
    if (pmc.n_pmus && pmc.scope == PS_TASK && mo.cgroup)
        u_warn("pmc: nothing of the cgroup: the counters are those of -p");
    if (opt.n_pids > PMC_TASKS)
        u_warn("pmc: of the processes, the first %d", PMC_TASKS);
    if (pmc.user_only)
        u_warn("pmc: user mode only: perf_event_paranoid is %ld (CAP_PERFMON or root for all)",
               u_file_number("/proc/sys/kernel/perf_event_paranoid", -1));
}

static void pmc_start(void)
{
    pmc_look();
    pmc_raise_limit();
    if (!pmc.n_pmus && !pmc.none)
        pmc.none = "no PMU of the CPU in /sys/bus/event_source/devices (a virtual machine without "
                   "one?)";
    if (!pmc.n_pmus)
        return;
    for (u32 k = 0; k < pmc.n_tasks; k++)
        pmc_open_task(k);
    if (pmc.scope == PS_TASK)
        return;
    pmc_cpus(false);
    for (u32 g = 0; g < N_PG; g++)
        for (u32 k = 0; k < pmc.n_units; k++)
            if (pmc.unit[k].on)
                pmc_open(&pmc.unit[k], g);
}

/* --- reading --- */

/* What a group has counted since the reading before, into d by role; false: nothing was counted,
 * though there was time to. Scaled by enabled/running (perf_event_open(2)). */
static bool pmc_delta(struct pmc_unit *u, u32 g, double *d, double *share)
{
    u64 v[3 + PMC_MEMBERS];
    u32 n = 0, k = 0;
    while (k < PMC_MEMBERS && u->g[g].fd[k] <= 0)
        k++;
    for (u32 i = k; i < PMC_MEMBERS; i++)
        n += u->g[g].fd[i] > 0;
    ssize_t got = read(u->g[g].fd[k], v, sizeof v);
    if (got < (ssize_t)((3 + n) * sizeof *v) || v[0] != n)
        return false;
    u64 enabled = v[1] - u->g[g].enabled, running = v[2] - u->g[g].running;
    *share = enabled ? (double)running / (double)enabled : 1;
    double scale = running ? (double)enabled / (double)running : 1;
    u->g[g].enabled = v[1];
    u->g[g].running = v[2];
    if (u->at_ns && enabled && !running)
        return false;
    for (u32 i = 3; k < PMC_MEMBERS; k++) {
        if (u->g[g].fd[k] <= 0)
            continue;
        bool back = v[i] < u->g[g].v[k];
        met.backwards += back;
        d[pmc_groups[g][k] - 1] = back ? 0 : (double)(v[i] - u->g[g].v[k]) * scale;
        u->g[g].v[k] = v[i++];
    }
    return true;
}

static u32 pmc_home(u32 role)
{
    for (u32 g = 0; g < N_PG; g++)
        for (u32 k = g ? 1 : 0; k < PMC_MEMBERS; k++)
            if (pmc_groups[g][k] == role + 1)
                return g;
    return 0;
}

/* First-level misses are those that the second level has and those that it has not. */
static u32 pmc_tlb(u32 g, double *d, u32 has)
{
    static const struct { u8 g, miss, hit, walk; } tlb[] = {
        { PG_DTLB, PR_DTM, PR_DTH, PR_DTW }, { PG_ITLB, PR_ITM, PR_ITH, PR_ITW },
    };
    for (u32 k = 0; k < ARRAY_LEN(tlb); k++)
        if (g == tlb[k].g && !(has >> tlb[k].miss & 1) && has >> tlb[k].hit & 1
            && has >> tlb[k].walk & 1) {
            d[tlb[k].miss] = d[tlb[k].hit] + d[tlb[k].walk];
            has |= 1u << tlb[k].miss;
        }
    return has;
}

/* Neoverse N2 and V2 with 5 slots count one of the frontend's too many each cycle (perf's list for
 * them, arch/arm64/arm/neoverse-n2-v2/metrics.json of Linux 7.0). */
static void pmc_empty_slots(const struct pmc_pmu *p, double *d)
{
    if (p->slots != 5
        || (strncmp(p->core, "Neoverse-N2 ", 12) && strncmp(p->core, "Neoverse-V2 ", 12)))
        return;
    d[PR_SFE] = MAX(d[PR_SFE] - d[PR_CYC], 0);
    d[PR_SLOT] = MAX(d[PR_SLOT] - d[PR_CYC], 0);
}

static void pmc_add(struct pmc_sum *s, u32 g, const double *d, u32 has, u32 slots, double seconds)
{
    s->any = true;
    s->lack[g] |= ~has;
    s->has[g] |= has;
    s->cap[g] += d[PR_CYC] * slots;
    for (u32 r = 0; r < N_PR; r++) {
        if (!(has >> r & 1))
            continue;
        s->d[g][r] += d[r];
        if (r < PR_METRICS && seconds > 0 && pmc_home(r) == g)
            s->rate[r] += d[r] / seconds;
    }
}

/* Whether a CPU was off and on again since: its events count no more. */
static bool pmc_stuck(const struct pmc_unit *u)
{
    u64 v[3 + PMC_MEMBERS];
    return pmc.scope == PS_ALL && u->at_ns && u->g[0].fd[0] > 0
           && read(u->g[0].fd[0], v, sizeof v) > (ssize_t)(2 * sizeof *v)
           && v[1] == u->g[0].enabled;
}

static void pmc_read_unit(struct pmc_unit *u, struct pmc_sum **to, u32 n_to)
{
    u64 now = u_now();
    double seconds = u->at_ns ? (double)(now - u->at_ns) / 1e9 : 0;
    for (u32 g = 0; g < N_PG; g++) {
        double d[N_PR] = { 0 }, share = 1;
        u32 has = 0;
        for (u32 k = 0; k < PMC_MEMBERS; k++)
            if (u->g[g].fd[k] > 0)
                has |= 1u << (pmc_groups[g][k] - 1);
        bool counted = has && pmc_delta(u, g, d, &share);
        has = counted ? pmc_tlb(g, d, has) : 0;
        pmc_empty_slots(&pmc_pmus[u->pmu], d);
        for (u32 k = 0; k < n_to; k++) {
            if (u->g[g].fd[0] > 0 || counted)
                to[k]->share = MIN(to[k]->share, share);
            to[k]->fresh &= !u->at_ns;
            pmc_add(to[k], g, u->at_ns ? d : (double[N_PR]){ 0 }, has, pmc_pmus[u->pmu].slots,
                    seconds);
        }
    }
    u->at_ns = now;
}

/* --- what there is to tell --- */

static const struct pmc_ratio {
    u8 metric_off, group, num, den; /* metric: M_IPC + this */
    u16 times;
} pmc_ratios[] = {
#define R(m, g, num, den, times) { M_##m - M_IPC, PG_##g, PR_##num, PR_##den, times }
    R(IPC, BASE, INS, CYC, 1), R(STALL, STALL, STALLED, CYC, 1),
    R(STALL_FRONT, STALL, FRONT, CYC, 1), R(STALL_BACK, STALL, BACK, CYC, 1),
    R(BRANCH_MISS, BRANCH, BRM, BR, 1), R(BRANCH_MPKI, BRANCH, BRM, INS, 1000),
    R(L1D_MISS, L1, L1M, L1, 1), R(L1D_MPKI, L1, L1M, INS, 1000),
    R(L2_MISS, L2, L2M, L2, 1), R(L2_MPKI, L2, L2M, INS, 1000),
    R(LLC_MISS, LLC, LLM, LL, 1), R(LLC_MPKI, LLC, LLM, INS, 1000),
    R(DTLB_MPKI, DTLB, DTM, INS, 1000), R(DTLB_WPKI, DTLB, DTW, INS, 1000),
    R(ITLB_MPKI, ITLB, ITM, INS, 1000), R(ITLB_WPKI, ITLB, ITW, INS, 1000),
    R(TD_RETIRING, TD, RET, NONE, 1), R(TD_BAD, TD, BAD, NONE, 1), R(TD_FRONT, TD, FE, NONE, 1),
    R(TD_BACK, TD, BE, NONE, 1),
#undef R
};

static bool pmc_has(const struct pmc_sum *s, u32 g, u32 roles)
{
    return (s->has[g] & ~s->lack[g] & roles) == roles;
}

/* Topdown, level 1, from what there is: slots by their kind (Intel; they add up to all); empty
 * slots and operations (AMD: Zen 4's PPR; Arm: perf's arch/arm64/sbsa.json of Linux 7.0). */
static void pmc_topdown(const struct met_inst *i, const struct pmc_sum *s)
{
    const double *td = s->d[PG_TD], *sl = s->d[PG_SLOTS], *ops = s->d[PG_OPS];
    double cap = s->cap[PG_SLOTS], ocap = s->cap[PG_OPS];
    u32 both = 1u << PR_OPR | 1u << PR_OPS;
    if (pmc_has(s, PG_TD, 15u << PR_RET))
        for (u32 k = 0; k < 4; k++)
            met_share(i, M_TD_RETIRING + k, td[PR_RET + k],
                      td[PR_RET] + td[PR_BAD] + td[PR_FE] + td[PR_BE]);
    if (pmc_has(s, PG_SLOTS, 1u << PR_SFE))
        met_share(i, M_TD_FRONT, sl[PR_SFE], cap);
    if (pmc_has(s, PG_SLOTS, 1u << PR_SBE))
        met_share(i, M_TD_BACK, sl[PR_SBE], cap);
    if (!pmc_has(s, PG_OPS, both) || ocap <= 0)
        return;
    if (!pmc_has(s, PG_OPS, 1u << PR_SLOT)) {
        met_share(i, M_TD_RETIRING, ops[PR_OPR], ocap);
        met_share(i, M_TD_BAD, MAX(ops[PR_OPS] - ops[PR_OPR], 0), ocap);
    } else if (ops[PR_OPS] > 0) {
        double used = 1 - ops[PR_SLOT] / ocap, kept = ops[PR_OPR] / ops[PR_OPS];
        met_set(i, M_TD_RETIRING, kept * used);
        met_set(i, M_TD_BAD, (1 - kept) * used);
    }
}

static void pmc_publish(const struct met_inst *i, const struct pmc_sum *s)
{
    u32 counted = 0;
    if (!i || !s->any)
        return;
    for (u32 r = 0; r < PR_METRICS; r++) {
        u32 g = pmc_home(r);
        counted |= s->has[g];
        if (s->has[g] >> r & 1)
            met_at(i, M_CYCLES + r)->total += (u64)(s->d[g][r] + 0.5);
        if (!pmc_has(s, g, 1u << r))
            continue;
        struct met_series *series = met_touch(i, M_CYCLES + r);
        series->v = s->rate[r];
        if (!s->fresh)
            series->since = MIN(series->since, met.tick - 1);
    }
    if (s->fresh)
        return;
    for (u32 k = 0; k < ARRAY_LEN(pmc_ratios); k++) {
        const struct pmc_ratio *q = &pmc_ratios[k];
        if (q->den != PR_NONE && pmc_has(s, q->group, 1u << q->num | 1u << q->den))
            met_share(i, M_IPC + q->metric_off, s->d[q->group][q->num] * q->times,
                      s->d[q->group][q->den]);
    }
    pmc_topdown(i, s);
    if (counted)
        met_set(i, M_PMC_SHARE, s->share);
}

/* --- why not --- */

/* Why there is no number for a role; NULL: there is one. */
static const char *pmc_why(u32 role)
{
    u32 g = pmc_home(role), hit = role == PR_DTM ? PR_DTH : role == PR_ITM ? PR_ITH : role;
    if (pmc.off >> g & 1)
        return "too few descriptors for its events (RLIMIT_NOFILE; fewer CPUs, threads or "
               "collectors)";
    for (u32 p = 0; p < pmc.n_pmus; p++)
        if (pmc_pmus[p].err[role] && (hit == role || pmc_pmus[p].err[hit]))
            return pmc_reason(role, pmc_pmus[p].err[role]);
    return NULL;
}

static const char *pmc_metric_why(u32 m)
{
    const char *why = NULL;
    if (pmc.none)
        return pmc.none;
    if (m < M_IPC || m == M_PMC_SHARE)
        why = pmc_why(m < M_IPC ? m - M_CYCLES : PR_CYC);
    for (u32 k = 0; k < ARRAY_LEN(pmc_ratios) && !why; k++) {
        const struct pmc_ratio *q = &pmc_ratios[k];
        if (q->metric_off != m - M_IPC)
            continue;
        why = pmc_why(q->num);
        if (!why && q->den != PR_NONE)
            why = pmc_why(q->den);
    }
    return why ? why : "not counted in this interval: nothing ran, or others have the counters";
}

static void pmc_reset(struct pmc_sum *s)
{
    *s = (struct pmc_sum){ .share = 1, .fresh = true };
}

static void pmc_tasks(void)
{
    char name[16];
    for (u32 t = 0; t < pmc.n_tasks; t++) {
        snprintf(name, sizeof name, "%d", opt.pids[t]);
        if (!pmc.gone[t])
            pmc_publish(met_inst(DIM_PID, name), &pmc.one[t]);
        pmc.gone[t] = pmc.ended[t];
    }
}

/* A CPU that was off for less than an interval. */
static void pmc_again(struct pmc_unit *u)
{
    pmc_close_unit(u);
    u->on = true;
    for (u32 g = 0; g < N_PG; g++)
        pmc_open(u, g);
}

/* One CPU's numbers are told as soon as they are read; what it adds to is told at the end. */
static void pmc_read_all(void)
{
    char name[16];
    for (u32 k = 0; k < pmc.n_units; k++) {
        struct pmc_unit *u = &pmc.unit[k];
        struct pmc_sum *machine[] = { &pmc.all, &pmc.cpu, &pmc.pmu[u->pmu] };
        struct pmc_sum *part = u->tid ? &pmc.one[u->task] : &pmc.group;
        if (u->on && pmc_stuck(u))
            pmc_again(u);
        if (!u->on || (u->tid && pmc.gone[u->task]))
            continue;
        if (pmc.scope != PS_ALL) {
            pmc_read_unit(u, &part, 1);
            continue;
        }
        pmc_reset(&pmc.cpu);
        pmc_read_unit(u, machine, 3);
        snprintf(name, sizeof name, "%d", u->cpu);
        pmc_publish(met_inst(DIM_CPU, name), &pmc.cpu);
    }
}

static void pmc_read(void)
{
    static const char *const others[] = { /* why the machine has not what is counted */
        [PS_TASK] = "the counters are those of -p", [PS_CGROUP] = "the counters are --cgroup's"
    };
    if (!pmc.begun)
        pmc_start(), pmc_warn();
    else if (pmc.n_pmus && pmc.scope != PS_TASK)
        pmc_cpus(true);
    pmc.begun = true;
    pmc_reset(&pmc.all);
    pmc_reset(&pmc.group);
    for (u32 k = 0; k < PMC_PMUS; k++)
        pmc_reset(&pmc.pmu[k]);
    for (u32 k = 0; k < pmc.n_tasks; k++) {
        pmc_reset(&pmc.one[k]);
        pmc.ended[k] = mfs_pids[k].gone || !met_there(met_path("/proc/%d", opt.pids[k]));
    }
    pmc_read_all();
    pmc_publish(met.all, &pmc.all);
    if (pmc.group.any)
        pmc_publish(met_inst(DIM_CGROUP, ""), &pmc.group);
    for (u32 k = 0; pmc.n_pmus > 1 && k < pmc.n_pmus; k++) {
        struct met_inst *i = met_inst(DIM_PMU, pmc_pmus[k].name);
        if (i)
            memcpy(i->info, pmc_pmus[k].cpus, MET_INFO);
        pmc_publish(i, &pmc.pmu[k]);
    }
    pmc_tasks();
    for (u32 m = M_CYCLES; m <= M_PMC_SHARE; m++)
        met.no[m] = met.seen[m] != met.tick ? pmc_metric_why(m) : others[pmc.scope];
}

/* == 35 mk_  metrics from programs in the kernel: the scheduler, block I/O ===================
 * The families sched and blk (gen/probes) add up in the kernel, and are read once an interval; no
 * record is sent. Where one does not load, that costs its own sources only. Entry points: mk_start,
 * mk_runq, mk_depth, mk_estimate, mk_block. */

#include "bpf_insns/sched.h"
#include "bpf_insns/blk.h"

static const char mk_sched_field[] = "task_struct.pid", mk_blk_field[] = "request.start_time_ns";

/* A family (obj.fam NULL: obj.why says why it is not there), and when it was last read. */
struct mk_family {
    struct bpf_obj obj;
    u32 at;
};

/* A program of which the first constant is 1 where its tracepoint has one more argument: it does
 * not attach where that is not so, and is loaded again without. */
static int mk_load_one(struct bpf_obj *o, struct bpf_cfgs *c, u32 i)
{
    int e;
    for (c->v[0].val = 1;; c->v[0].val = 0) {
        if ((e = bpf_load(o, 1u << i)) || (e = bpf_attach(o, 1u << i)) != -EINVAL || !c->v[0].val)
            return e;
        close(o->prog[i]);
        o->prog[i] = -1;
    }
}

/* Where BTF has a field, the raw forms of a family's programs; else the classic ones, if there are
 * any: bits. */
static u32 mk_programs(const struct bpf_obj *o, const char *field)
{
    u32 raw = 0, all = (1u << o->fam->n_progs) - 1;
    for (u32 i = 0; i < o->fam->n_progs; i++)
        raw |= (u32)(o->fam->progs[i].type == BPF_PROG_TYPE_RAW_TRACEPOINT) << i;
    return bpf_has_field(o, field) || raw == all ? raw : all & ~raw;
}

/* 0, or -errno and obj.why. */
static int mk_load(struct bpf_obj *o, struct bpf_cfgs *c, const char *field)
{
    int e = bpf_open(o);
    if (e)
        return e;
    bpf_find_fields(o, NULL);
    u32 mask = mk_programs(o, field);
    bpf_find_records(o, mask);
    o->cfg = c->v;
    o->n_cfg = c->n;
    for (u32 i = 0; i < o->fam->n_progs && !e; i++)
        if (mask >> i & 1)
            e = mk_load_one(o, c, i);
    return e;
}

/* Why a family is not there: what the loader said, and what mends it. */
static void mk_why(struct bpf_obj *o, int e)
{
    const char *mend = bpf_denied(e);
    size_t n = strcspn(o->why, "\n");
    if (*mend)
        snprintf(o->why, sizeof o->why, "%s", mend);
    else
        o->why[n] = 0;
    bpf_close(o);
    o->fam = NULL;
}

/* --- the scheduler --- */

static struct {
    struct mk_family f;
    bool own;                /* the depth is the kernel's own count */
    struct wire_sched cpu;   /* as read; the sum of all: */
    u32 wait[DELAY_BUCKETS], depth[DEPTH_BUCKETS];
    u64 wait_ns, depth_sum;
} mk_sched;

/* Slots for all numbers that tasks can have, within reason. */
static u32 mk_slots(void)
{
    s64 max = u_file_number("/proc/sys/kernel/pid_max", TASK_SLOTS_MAX);
    u32 n = 1 << 10;
    while (n < TASK_SLOTS_MAX && n < max)
        n *= 2;
    return n;
}

static u32 mk_sched_entries(const char *map)
{
    return !strcmp(map, "tasks") ? mk_slots() : bpf_possible();
}

static void mk_sched_start(void)
{
    static struct bpf_cfgs c;
    struct bpf_obj *o = &mk_sched.f.obj;
    *o = (struct bpf_obj){ .fam = &sched_family, .entries = mk_sched_entries };
    bpf_set(&c, "CFG_STATE", 1);
    bpf_set(&c, "CFG_SLOTS_MASK", mk_slots() - 1);
    int e = mk_load(o, &c, mk_sched_field);
    mk_sched.own = !e && (o->loaded & 1) && bpf_has_field(o, "task_struct.se.cfs_rq");
    if (!e)
        mo.off |= 1ull << (mk_sched.own ? SRC_ESTIMATE : SRC_DEPTH);
    if (e)
        mk_why(o, e);
}

static void mk_sched_cpu(u32 cpu)
{
    const struct wire_sched *w = &mk_sched.cpu;
    char name[16];
    snprintf(name, sizeof name, "%u", cpu);
    struct met_inst *i = met_inst(DIM_CPU, name);
    met_count(i, M_SWITCHES, w->switches);
    met_count(i, M_INVOLUNTARY, w->involuntary);
    met_count(i, M_IDLES, w->idle);
    met_count(i, M_MIGRATIONS, w->migrations);
    met_count(i, M_UNSEEN, w->unseen);
}

/* Reads what the programs have counted, once an interval, whichever source asks first. */
static bool mk_sched_read(void)
{
    struct bpf_obj *o = &mk_sched.f.obj;
    if (!o->fam)
        met_off(o->why);
    if (!o->fam || mk_sched.f.at == met.tick)
        return o->fam;
    mk_sched.f.at = met.tick;
    memset(mk_sched.wait, 0, sizeof mk_sched.wait);
    memset(mk_sched.depth, 0, sizeof mk_sched.depth);
    mk_sched.wait_ns = mk_sched.depth_sum = 0;
    pmc_list(met_path("/sys/devices/system/cpu/online"), pmc.online, NULL, 0);
    for (u32 cpu = 0; cpu < bpf_possible(); cpu++) {
        if (bpf_map_do(BPF_MAP_LOOKUP_ELEM, bpf_map(o, "cpus"), &cpu, &mk_sched.cpu)
            || (!mk_sched.cpu.switches && !pmc_in(pmc.online, cpu))) /* it was never on */
            continue;
        if (!(mo.off >> SRC_RUNQ & 1))
            mk_sched_cpu(cpu);
        mk_sched.wait_ns += mk_sched.cpu.wait_ns;
        mk_sched.depth_sum += mk_sched.cpu.depth_sum;
        for (u32 b = 0; b < DELAY_BUCKETS; b++)
            mk_sched.wait[b] += mk_sched.cpu.wait[b];
        for (u32 b = 0; b < DEPTH_BUCKETS; b++)
            mk_sched.depth[b] += mk_sched.cpu.depth[b];
    }
    return true;
}

static void mk_runq(void)
{
    if (!mk_sched_read())
        return;
    met_sum(DIM_CPU, M_SWITCHES, M_UNSEEN, NULL);
    met_hist_read(met_hist(HIST_WAIT, met.all), mk_sched.wait, DELAY_BUCKETS, mk_sched.wait_ns);
}

static void mk_depth_as(u8 row)
{
    met_hist_read(met_hist(row, met.all), mk_sched.depth, DEPTH_BUCKETS, mk_sched.depth_sum);
}

static void mk_depth(void)
{
    if (mk_sched_read() && mk_sched.own)
        mk_depth_as(HIST_DEPTH);
}

static void mk_estimate(void)
{
    if (mk_sched_read() && !mk_sched.own)
        mk_depth_as(HIST_EST);
}

/* --- disks --- */

enum { MK_DISKS = 64, MK_DISKS_MORE = 8 };

static struct {
    struct mk_family f;
    u32 n, slots;            /* disks; places that there are */
    u64 missed;
    struct mk_disk {
        u32 dev;
        u64 sectors;
        char name[MET_NAME];     /* as in /sys/block */
        u64 position[16], sequential; /* as read last */
    } disk[MK_DISKS];
    struct wire_blk now;
} mk_blk;

/* The disks of this box, in a directory's order; those that have a place already keep it. */
static u32 mk_find_disk(u32 dev)
{
    u32 k = 0;
    while (k < mk_blk.n && mk_blk.disk[k].dev != dev)
        k++;
    return k;
}

/* What there is now under a name: false, if nothing. */
static bool mk_disk_now(const char *sys, struct mk_disk *d)
{
    char text[32], *end;
    s64 sectors;
    if (!met_text(met_path("/sys/block/%s/dev", sys), text, sizeof text)
        || !met_file_number(met_path("/sys/block/%s/size", sys), &sectors) || sectors <= 0)
        return false;
    d->dev = (u32)strtoul(text, &end, 10) << 20;
    d->sectors = (u64)sectors;
    if (*end != ':')
        return false;
    d->dev |= (u32)strtoul(end + 1, NULL, 10);
    return true;
}

/* Tells the programs of a disk: its place, and how large it is now. */
static void mk_add_disk(const char *sys, int map)
{
    struct mk_disk now;
    if (!mk_disk_now(sys, &now))
        return;
    u32 k = mk_find_disk(now.dev);
    if (k == (mk_blk.slots ? mk_blk.slots : MK_DISKS))
        return;
    struct mk_disk *d = &mk_blk.disk[k];
    mk_blk.n = MAX(mk_blk.n, k + 1);
    d->dev = now.dev;
    d->sectors = now.sectors;
    snprintf(d->name, sizeof d->name, "%.*s", MET_NAME - 1, sys);
    struct wire_disk w = { MAX(d->sectors / 16, 1), k, 0 };
    if (map >= 0)
        bpf_map_do(BPF_MAP_UPDATE_ELEM, map, &d->dev, &w);
}

static void mk_add_disks(int map)
{
    DIR *d = opendir(met_path("/sys/block"));
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            mk_add_disk(e->d_name, map);
    if (d)
        closedir(d);
}

static u32 mk_blk_entries(const char *map)
{
    (void)map;
    return mk_blk.slots;
}

static void mk_blk_start(void)
{
    static struct bpf_cfgs c;
    struct bpf_obj *o = &mk_blk.f.obj;
    mk_add_disks(-1);
    mk_blk.slots = MIN(mk_blk.n + MK_DISKS_MORE, MK_DISKS);
    *o = (struct bpf_obj){ .fam = &blk_family, .entries = mk_blk_entries };
    bpf_set(&c, "CFG_SECOND", 1);
    int e = mk_load(o, &c, mk_blk_field);
    if (!e)
        mk_add_disks(bpf_map(o, "disks"));
    if (e)
        mk_why(o, e);
}

/* log2(x), 0 < x <= 1, to 24 digits after the point: a square has twice the logarithm. (The C
 * library's is in a library of its own in some.) */
static double mk_log2(double x)
{
    double log = 0;
    for (; x < 1; x *= 2)
        log--;
    for (double digit = 0.5; digit > 3e-8; digit /= 2)
        if ((x *= x) >= 2)
            x /= 2, log += digit;
    return log;
}

/* Shannon's, in bits, and the share of what is sequential, of the requests of this interval. */
static void mk_places(const struct met_inst *i, struct mk_disk *d, const struct wire_blk *w)
{
    struct met_hist *h = met_hist(HIST_PLACE, i);
    double all = 0, bits = 0;
    u32 place[16];
    for (u32 k = 0; k < 16; k++) {
        all += (double)(w->position[k] - d->position[k]);
        place[k] = (u32)w->position[k];
    }
    met_hist_read(h, place, 16, 0);
    for (u32 k = 0; k < 16; k++) {
        double p = all > 0 ? (double)(w->position[k] - d->position[k]) / all : 0;
        bits -= p > 0 ? p * mk_log2(p) : 0;
    }
    struct mk_disk now;
    bool same = mk_disk_now(d->name, &now) && now.dev == d->dev && now.sectors == d->sectors;
    if (all > 0 && !same) {
        mk_add_disks(bpf_map(&mk_blk.f.obj, "disks")); /* these were 16ths of another one */
        if (h)
            h->at = 0;
    } else if (all > 0 && met.src[met.cur].elapsed_s > 0) {
        met_set(i, M_ENTROPY, MAX(bits, 0));
        met_share(i, M_SEQUENTIAL, (double)(w->sequential - d->sequential), all);
    }
    memcpy(d->position, w->position, sizeof d->position);
    d->sequential = w->sequential;
}

static void mk_disk_read(struct mk_disk *d)
{
    const struct wire_blk *w = &mk_blk.now;
    u32 slot = (u32)(d - mk_blk.disk);
    u64 any = 0;
    if (bpf_map_do(BPF_MAP_LOOKUP_ELEM, bpf_map(&mk_blk.f.obj, "stats"), &slot, &mk_blk.now))
        return;
    char name[MET_NAME];
    for (u32 k = 0; k < N_BLK_HISTS; k++)
        any |= w->sum[k];
    memcpy(name, d->name, sizeof name);
    for (char *s = name; (s = strchr(s, '!'));)
        *s = '/';
    struct met_inst *i = any ? met_inst(DIM_DISK, name) : NULL;
    if (!i)
        return;
    mk_places(i, d, w);
    for (u8 k = 0; k < N_BLK_HISTS; k++)
        if (w->sum[k])
            met_hist_read(met_hist((u8)(HIST_BLK + k), i), w->hist + k * DELAY_BUCKETS,
                          DELAY_BUCKETS, w->sum[k]);
}

static void mk_block(void)
{
    struct bpf_obj *o = &mk_blk.f.obj;
    if (!o->fam) {
        met_off(o->why);
        return;
    }
    u64 missed = bpf_lost(o, LOST_DISK) + bpf_missed(o, ~0u);
    if (missed != mk_blk.missed) /* a disk that is new, maybe */
        mk_add_disks(bpf_map(o, "disks"));
    mk_blk.missed = missed;
    met_count(met.all, M_BLK_MISSED, missed);
    for (u32 k = 0; k < mk_blk.n; k++)
        mk_disk_read(&mk_blk.disk[k]);
}

/* Loads what the sources that are on need: before anything is read, for it takes its time. */
static void mk_start(void)
{
    const u64 sched = 1ull << SRC_RUNQ | 1ull << SRC_DEPTH | 1ull << SRC_ESTIMATE;
    met.cur = SRC_BLOCK;
    if (~mo.off & sched)
        mk_sched_start();
    if (!(mo.off >> SRC_BLOCK & 1))
        mk_blk_start();
}

/* == 36 mout_  the monitor's sinks ======================================================
 * Each walks metrics[] and prints what has a value in this interval; a new metric or source needs
 * nothing here. Entry points: mout_interval, mout_end; mout_page_begin, mout_page_end. */

/* Rows of sources, as mon_ has them: what the sinks need of each. */
struct met_source {
    const char *group, *name; /* -c takes either */
    const char *lack;         /* why a kernel may have none of it */
    void (*read)(void);
};

static struct {
    const struct met_source *src;
    u64 ts_ns, real_ns, interval_ns, intervals;
    u32 told[N_SRC];      /* which reasons the text has told: a hash */
    struct writer csv;
    struct buf prom;      /* the exposition of prom_tick */
    u32 prom_tick;
    bool screen;          /* the text is scr_'s */
    bool prom_wrong;      /* FILE could not be written the last time */
} mout = { .csv.fd = { -1, -1 } };

static void mout_num(struct buf *b, double v)
{
    if (v > -9e15 && v < 9e15 && v == (double)(s64)v)
        b_s64(b, (s64)v);
    else
        b_f(b, "%.9g", v);
}

static const struct met_form_row *mout_form(u32 m)
{
    return &met_forms[metrics[m].form];
}

static bool mout_shown(u8 dim)
{
    return dim != DIM_CPU || mo.per_cpu;
}

/* Why a source has not all of its metrics; NULL: it has. */
static const char *mout_lack(u32 src)
{
    static char why[sizeof met.src[0].why + 80];
    const char *lack = mout.src[src].lack;
    bool some = false, all = true;
    for (u32 m = 0; m < N_METRICS; m++)
        if (metrics[m].src == src)
            met.seen[m] == met.tick ? (some = true) : (all = false);
    if (mo.off >> src & 1 || (all && !met.src[src].wrong))
        return NULL;
    if (!met.src[src].wrong)
        return lack;
    bool wants = !some && !strncmp(lack, "a kernel", 8);
    snprintf(why, sizeof why, "%s%s%s%s", met.src[src].why, wants ? " (wants " : "",
             wants ? lack : "", wants ? ")" : "");
    return why;
}

/* Whether a source has not this metric, for this reason; NULL: for the source's. */
static bool mout_lacks(u32 m, u32 src, const char *no)
{
    if (metrics[m].src != src || (met.seen[m] == met.tick && !met.no[m]) || mo.off >> src & 1)
        return false;
    return no ? met.no[m] && !strcmp(met.no[m], no) : !met.no[m];
}

/* Calls fn for each reason for which a source has not all of its metrics. */
static void mout_each_lack(struct buf *b, u32 src, void (*fn)(struct buf *, u32, const char *no,
                                                              const char *why))
{
    bool all = true;
    for (u32 m = 0; m < N_METRICS; m++)
        all &= !mout_lacks(m, src, NULL);
    const char *why = mout_lack(src);
    if (why && (!all || met.src[src].wrong))
        fn(b, src, NULL, why);
    for (u32 m = 0; m < N_METRICS; m++) {
        u32 first = 0;
        while (first < m && !(met.no[m] && mout_lacks(first, src, met.no[m])))
            first++;
        if (met.no[m] && first == m && mout_lacks(m, src, met.no[m]))
            fn(b, src, met.no[m], met.no[m]);
    }
}

/* --- text: a line a source, and a line a thing that it counts by --- */

static void mout_text_num(struct buf *b, u32 m, double v)
{
    char size[32];
    struct buf s = { .p = size, .cap = sizeof size, .max = sizeof size };
    u8 unit = mout_form(m)->unit;
    switch (unit) {
    case U_RATIO: b_f(b, "%.1f%%", v * 100); break;
    case U_RATE: b_f(b, v < 1000 ? "%.4g/s" : "%.0f/s", v); break;
    case U_SECONDS: b_f(b, "%.3gms", v * 1e3); break;
    case U_NS: b_f(b, v < 1e6 ? "%.3gus" : "%.4gms", v < 1e6 ? v / 1e3 : v / 1e6); break;
    case U_CELSIUS: b_f(b, "%.1fC", v); break;
    case U_HERTZ: b_f(b, "%.0fMHz", v / 1e6); break;
    case U_BYTES:
    case U_BYTE_RATE:
        b_size(&s, v > 0 ? (u64)v : 0);
        for (u32 k = 0; k < s.len; k++)
            if (size[k] != ' ')
                b_c(b, size[k]);
        b_s(b, unit == U_BYTES ? "" : "/s");
        break;
    default: b_f(b, "%.6g", v);
    }
}

static void mout_text_line(struct buf *b, u32 src, const struct met_inst *i)
{
    u32 was = b->len;
    b_f(b, "%-10s", mout.src[src].name);
    if (i->name[0])
        b_f(b, " %s=", met_dims[i->dim].label), b_esc(b, i->name, strlen(i->name), 0);
    if (i->info[0]) {
        b_f(b, " %s=\"", met_dims[i->dim].info);
        b_esc(b, i->info, strlen(i->info), '"'), b_c(b, '"');
    }
    u32 empty = b->len;
    for (u32 m = 0; m < N_METRICS; m++)
        if (metrics[m].src == src && met_of(m, i->dim) && met_has(i, m)) {
            b_c(b, ' '), b_s(b, met_prefix(m, i->dim)), b_s(b, met_name(m)), b_c(b, '=');
            mout_text_num(b, m, met_at(i, m)->v);
        }
    if (b->len == empty)
        b->len = was;
    else
        b_c(b, '\n');
}

static void mout_text_why(struct buf *b, u32 src, const char *no, const char *why)
{
    b_f(b, "%-10s n/a", mout.src[src].name);
    for (u32 m = 0; m < N_METRICS; m++)
        if (mout_lacks(m, src, no))
            b_c(b, ' '), b_s(b, met_name(m));
    b_s(b, ": "), b_esc(b, why, strlen(why), 0), b_c(b, '\n');
}

/* What there is not, and why: the first time, and when the reason is another. */
static void mout_text_lack(struct buf *b, u32 src)
{
    u32 was = b->len, hash = 0;
    mout_each_lack(b, src, mout_text_why);
    for (u32 k = was; k < b->len; k++)
        hash = hash * 31 + (u8)b->p[k];
    if (hash == mout.told[src])
        b->len = was;
    mout.told[src] = hash;
}

static void mout_text(struct buf *b)
{
    time_t sec = (time_t)(mout.real_ns / NSEC);
    struct tm tm;
    if (!localtime_r(&sec, &tm))
        memset(&tm, 0, sizeof tm);
    b_f(b, "%stime       %02d:%02d:%02d interval=%.3fs\n", mout.intervals > 1 ? "\n" : "",
        tm.tm_hour, tm.tm_min, tm.tm_sec, (double)mout.interval_ns / 1e9);
    for (u32 s = 0; s < N_SRC; s++) {
        for (u8 d = 0; d < N_DIM; d++)
            for (const struct met_inst *i = met_first(d); i; i = met_next(i))
                if (i->at == met.tick && (mout_shown(d) || !i->name[0]))
                    mout_text_line(b, s, i);
        mout_text_lack(b, s);
    }
}

/* --- distributions, as bcc prints them: a row an octave, or a place --- */

static bool mout_places(const struct met_hist *h)
{
    return !met_hist_rows[h->row].prom;
}

/* Its octaves in this interval; the largest of them, and the first and last that are not 0. */
static u64 mout_octaves(const struct met_hist *h, u64 *n, u32 *first, u32 *last)
{
    u64 most = 0;
    memset(n, 0, MET_OCTAVES * sizeof *n);
    for (u32 i = 0; i < ST_BUCKETS; i++)
        n[mout_places(h) ? MIN(i, 15u) : met_octave(i)] += h->now[i];
    for (u32 o = *last = 0; o < MET_OCTAVES; o++) {
        if (n[o] && !most)
            *first = o;
        if (n[o])
            *last = o;
        most = MAX(most, n[o]);
    }
    return most;
}

static void mout_hist(struct buf *b, const struct met_hist *h)
{
    static const char bar[] = "****************************************";
    const struct met_hist_row *r = &met_hist_rows[h->row];
    u64 n[MET_OCTAVES];
    u32 first = 0, last;
    u64 most = mout_octaves(h, n, &first, &last);
    b_f(b, "\nhistogram  %s", r->name);
    if (h->inst->name[0])
        b_f(b, " %s=", met_dims[h->inst->dim].label),
            b_esc(b, h->inst->name, strlen(h->inst->name), 0);
    b_f(b, " count=%" PRIu64 " p50=%.0f p90=%.0f p99=%.0f max=%.0f\n", h->count,
        met_hist_part(h, 0.5), met_hist_part(h, 0.9), met_hist_part(h, 0.99),
        met_hist_part(h, 1));
    b_f(b, "%20s %-6s : count    distribution\n", "", r->unit);
    for (u32 o = first; o <= last; o++)
        b_f(b, "%12" PRIu64 " -> %-12" PRIu64 ": %-9" PRIu64 "|%-40.*s|\n",
            mout_places(h) || !o ? (u64)o : (u64)1 << (o - 1),
            mout_places(h) || !o ? (u64)o : (u64)-1 >> (64 - o), n[o],
            (int)(n[o] * 40 / most), bar);
}

static void mout_hists(struct buf *b)
{
    for (u8 row = 0; row < N_HIST; row++)
        for (u32 k = 0; k < met_hists.n; k++)
            if (met_hists.h[k]->row == row && met_hists.h[k]->at == met.tick
                && met_hists.h[k]->count)
                mout_hist(b, met_hists.h[k]);
}

/* --- CSV: a row a number --- */

static void mout_csv_word(struct buf *b, const char *s)
{
    if (!s[strcspn(s, ",\"\r\n")]) {
        b_s(b, s);
        return;
    }
    b_c(b, '"');
    for (; *s; s++)
        b_s(b, *s == '"' ? "\"" : ""), b_c(b, *s);
    b_c(b, '"');
}

static void mout_csv(struct buf *b)
{
    if (mout.intervals == 1)
        b_s(b, "time_ns,interval_ns,metric,of,name,value\n");
    for (u32 n = 0; n < N_METRICS * N_DIM; n++) {
        u32 m = n / N_DIM;
        const struct met_inst *i = met_of(m, n % N_DIM) ? met_first(n % N_DIM) : NULL;
        for (; i; i = met_next(i)) {
            if (i->at != met.tick || !met_has(i, m) || (i->name[0] && !mout_shown(i->dim)))
                continue;
            b_f(b, "%" PRIu64 ",%" PRIu64 ",%s%s%s,%s,", mout.real_ns, mout.interval_ns,
                met_prefix(m, i->dim), met_name(m), mout_form(m)->json,
                i->name[0] ? met_dims[i->dim].label : "");
            mout_csv_word(b, i->name), b_c(b, ',');
            mout_num(b, met_at(i, m)->v), b_c(b, '\n');
        }
    }
}

/* --- Prometheus: text exposition 0.0.4 --- */

/* UTF-8 with \\, \" and \n: what a label's value may hold. */
static void mout_prom_label(struct buf *b, const char *s)
{
    u32 cp;
    for (size_t n = strlen(s); n;) {
        int len = u_utf8((const u8 *)s, n, &cp);
        if (!len)
            b_s(b, "\xef\xbf\xbd");
        else if (*s == '"' || *s == '\\')
            b_c(b, '\\'), b_c(b, *s);
        else if (*s == '\n')
            b_s(b, "\\n");
        else
            b_put(b, s, (size_t)len);
        s += MAX(len, 1), n -= (size_t)MAX(len, 1);
    }
}

/* The metric's name there, without its labels. */
static int mout_prom_name(u32 m, u8 dim, char *s, size_t n)
{
    const char *own = met_prom(m);
    return *own ? snprintf(s, n, "kvis_%.*s", (int)strcspn(own, "{"), own)
               : snprintf(s, n, "kvis_%s%.48s%.32s", met_prefix(m, dim), met_name(m),
                          mout_form(m)->prom);
}

static void mout_prom_head(struct buf *b, u32 m, const char *name)
{
    b_f(b, "# HELP %s ", name);
    if (*met_help(m))
        b_s(b, met_help(m));
    else
        b_f(b, "%s, in %s", met_key_of(m), mout.src[metrics[m].src].name);
    b_f(b, "\n# TYPE %s %s\n", name, mout_form(m)->counter ? "counter" : "gauge");
}

/* {a="b",c="d" without the end. Returns what another label begins with. */
static const char *mout_prom_labels(struct buf *b, const char *own, const struct met_inst *i)
{
    const char *sep = "{";
    if (own)
        b_s(b, own), sep = ",";
    if (i->name[0]) {
        b_f(b, "%s%s=\"", sep, met_dims[i->dim].label);
        mout_prom_label(b, i->name), b_c(b, '"'), sep = ",";
    }
    if (i->info[0]) {
        b_f(b, "%s%s=\"", sep, met_dims[i->dim].info);
        mout_prom_label(b, i->info), b_c(b, '"'), sep = ",";
    }
    return sep;
}

static void mout_prom_line(struct buf *b, u32 m, const struct met_inst *i, const char *name)
{
    const struct met_series *s = met_at(i, m);
    const char *own = strchr(met_prom(m), '{');
    double scale = mout_form(m)->scale;
    b_s(b, name);
    b_s(b, *mout_prom_labels(b, own, i) == ',' ? "} " : " ");
    if (!mout_form(m)->counter)
        mout_num(b, s->v);
    else if (scale >= 1 && s->total < UINT64_MAX / (u64)scale)
        b_u64(b, s->total * (u64)scale);
    else
        b_f(b, "%.15g", (double)s->total * scale);
    b_c(b, '\n');
}

/* The things of one kind that have a metric: those with a name, or their sum. */
static u32 mout_prom_dim(struct buf *b, u32 m, u8 dim, bool sum, bool head)
{
    char name[96];
    u32 n = 0;
    mout_prom_name(m, dim, name, sizeof name);
    for (const struct met_inst *i = met_first(dim); i; i = met_next(i)) {
        if (met_at(i, m)->at != met.tick || sum == (i->name[0] != 0))
            continue;
        if (!n++ && head)
            mout_prom_head(b, m, name);
        mout_prom_line(b, m, i, name);
    }
    return n;
}

/* All things that have a metric under one name, that of `of`. The sum of all things is left to who
 * asks, where there are things; so is that of each PMU's CPUs. Returns whether there are any. */
static bool mout_prom_family(struct buf *b, u32 m, u8 of, bool head)
{
    u32 n = 0;
    for (u32 k = 0; k < 2 * N_DIM; k++) {
        u8 d = (u8)(k % N_DIM);
        bool sum = k >= N_DIM;
        if (met_of(m, d) && (d != DIM_PMU || metrics[m].dim == d) && !(sum && n)
            && !strcmp(met_prefix(m, d), met_prefix(m, of)))
            n += mout_prom_dim(b, m, d, sum, !n && head);
    }
    return n;
}

/* A counter is there from its first reading on. */
static void mout_prom(struct buf *b)
{
    static const u8 of[] = { DIM_NONE, DIM_PID, DIM_CGROUP };
    char name[96], last[96] = "";
    for (u32 m = 0; m < N_METRICS; m++)
        for (u32 k = 0; k < (metrics[m].dim == DIM_PMC ? ARRAY_LEN(of) : 1); k++) {
            if (*met_prom(m) == '-')
                continue;
            mout_prom_name(m, of[k], name, sizeof name);
            if (mout_prom_family(b, m, of[k], strcmp(name, last)))
                memcpy(last, name, sizeof last);
        }
}

/* NAME_bucket{...,le="0.001"} 12 ... NAME_sum, NAME_count: since the start. */
static void mout_prom_hist(struct buf *b, const struct met_hist *h, const char *name)
{
    const struct met_hist_row *r = &met_hist_rows[h->row];
    const char *own = strchr(r->prom, '{');
    u64 n = 0;
    for (u32 o = 0; o < MET_OCTAVES && o <= r->high; o++) {
        n += h->octave[o];
        if (o < r->low)
            continue;
        b_f(b, "%s_bucket", name), b_s(b, mout_prom_labels(b, own, h->inst));
        b_f(b, "le=\"%.12g\"} %" PRIu64 "\n", (double)((1ull << o) - 1) * r->scale, n);
    }
    b_f(b, "%s_bucket", name), b_s(b, mout_prom_labels(b, own, h->inst));
    b_f(b, "le=\"+Inf\"} %" PRIu64 "\n", h->all);
    b_f(b, "%s_sum", name), b_s(b, *mout_prom_labels(b, own, h->inst) == ',' ? "} " : " ");
    b_f(b, "%.15g\n", (double)h->sum * r->scale);
    b_f(b, "%s_count", name), b_s(b, *mout_prom_labels(b, own, h->inst) == ',' ? "} " : " ");
    b_f(b, "%" PRIu64 "\n", h->all);
}

static void mout_prom_hists(struct buf *b)
{
    char name[96], last[96] = "";
    for (u8 row = 0; row < N_HIST; row++)
        for (u32 k = 0; k < met_hists.n; k++) {
            const struct met_hist *h = met_hists.h[k];
            const struct met_hist_row *r = &met_hist_rows[row];
            if (h->row != row || h->at != met.tick || !r->prom)
                continue;
            snprintf(name, sizeof name, "kvis_%.*s", (int)strcspn(r->prom, "{"), r->prom);
            if (strcmp(name, last))
                b_f(b, "# HELP %s %s\n# TYPE %s histogram\n", name, r->help, name);
            memcpy(last, name, sizeof last);
            mout_prom_hist(b, h, name);
        }
}

/* The exposition of this interval; it stays until the next. */
static const struct buf *mout_exposition(void)
{
    mout.prom.max = 64 << 20;
    if (mout.prom_tick != met.tick) {
        b_reset(&mout.prom);
        mout_prom(&mout.prom);
        mout_prom_hists(&mout.prom);
        mout.prom_tick = met.tick;
    }
    return &mout.prom;
}

/* Puts it into the file in one step: who reads it sees all of it or all of the one before. */
static void mout_prom_file(const char *file)
{
    char tmp[PATH_MAX];
    const struct buf *b = mout_exposition();
    snprintf(tmp, sizeof tmp, "%.4000s.%d.tmp", file, (int)getpid());
    int f = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    int e = f < 0 ? -errno : out_write_all(f, b->p, b->len);
    if (f >= 0 && close(f) < 0 && !e)
        e = -errno;
    if (!e && rename(tmp, file) < 0)
        e = -errno;
    if (e && f >= 0)
        unlink(tmp);
    errno = -e;
    if (e && !mout.prom_wrong)
        u_warn("cannot write %s:", file);
    mout.prom_wrong = e;
    if (e && met.tick == 1)
        out.failed = -e;
}

/* --- JSON --- */

static void mout_json_key(struct buf *b, u32 m, u8 dim)
{
    b_f(b, "\"%s%s%s\"", met_prefix(m, dim), met_name(m), mout_form(m)->json);
}

/* "name":1,"name":2, */
static void mout_json_inst(struct buf *b, const struct met_inst *i)
{
    for (u32 m = 0; m < N_METRICS; m++)
        if (met_of(m, i->dim) && met_has(i, m)) {
            mout_json_key(b, m, i->dim), b_c(b, ':');
            mout_num(b, met_at(i, m)->v);
            b_c(b, ',');
        }
}

/* "cpu":{"0":{...},"1":{...}}, */
static void mout_json_dim(struct buf *b, u8 dim)
{
    u32 was = b->len;
    b_f(b, "\"%s\":{", met_dims[dim].json);
    u32 empty = b->len;
    for (const struct met_inst *i = met_first(dim); i; i = met_next(i)) {
        if (i->at != met.tick || !i->name[0])
            continue;
        b_c(b, '"'), b_json(b, i->name, strlen(i->name)), b_s(b, "\":{");
        if (i->info[0])
            out_json_str(b, met_dims[dim].info, i->info, (u32)strlen(i->info)), b_c(b, ',');
        mout_json_inst(b, i);
        b->len -= b->p[b->len - 1] == ',';
        b_s(b, "},");
    }
    if (b->len == empty)
        b->len = was;
    else
        b->len--, b_s(b, "},");
}

/* {"source":"psi","metrics":["..."],"reason":"..."}, */
static void mout_json_why(struct buf *b, u32 src, const char *no, const char *why)
{
    b_f(b, "{\"source\":\"%s\",\"metrics\":[", mout.src[src].name);
    u32 empty = b->len;
    for (u32 m = 0; m < N_METRICS; m++)
        if (mout_lacks(m, src, no))
            mout_json_key(b, m, DIM_NONE), b_c(b, ',');
    b->len -= b->len > empty;
    b_s(b, "],"), out_json_str(b, "reason", why, (u32)strlen(why)), b_s(b, "},");
}

/* "histograms":[{"name":"runq_wait","unit":"nsecs","count":2,"buckets":[[16384,1],[17408,1]]}], by
 * the lowest value of each bucket that is not empty. */
static void mout_json_hists(struct buf *b)
{
    b_s(b, "\"histograms\":[");
    u32 empty = b->len;
    for (u32 k = 0; k < met_hists.n; k++) {
        const struct met_hist *h = met_hists.h[k];
        const struct met_hist_row *r = &met_hist_rows[h->row];
        if (h->at != met.tick || !h->count)
            continue;
        b_f(b, "{\"name\":\"%s\",\"unit\":\"%s\",", r->name, r->unit);
        if (h->inst->name[0])
            out_json_str(b, met_dims[h->inst->dim].json, h->inst->name,
                         (u32)strlen(h->inst->name)), b_c(b, ',');
        b_f(b, "\"count\":%" PRIu64 ",\"buckets\":[", h->count);
        for (u32 i = 0; i < ST_BUCKETS; i++)
            if (h->now[i])
                b_f(b, "[%" PRIu64 ",%u],", met_bucket_low(i), h->now[i]);
        b->len--, b_s(b, "]},");
    }
    b->len -= b->len > empty;
    b_s(b, "],");
}

static void mout_json(struct buf *b)
{
    b_f(b, "{\"type\":\"sample\",\"ts_ns\":%" PRIu64 ",\"time_ns\":%" PRIu64 ",\"interval_ns\":%"
           PRIu64 ",", mout.ts_ns, mout.real_ns, mout.interval_ns);
    for (u8 d = 0; d < N_DIM; d++)
        for (const struct met_inst *i = met_first(d); i; i = met_next(i))
            if (!i->name[0] && i->at == met.tick)
                mout_json_inst(b, i);
    for (u8 d = 1; d < N_DIM; d++)
        if (mout_shown(d))
            mout_json_dim(b, d);
    if (met.backwards)
        b_f(b, "\"counters_backwards\":%" PRIu64 ",", met.backwards);
    if (met.dropped)
        b_f(b, "\"dropped\":%" PRIu64 ",", met.dropped);
    if (mo.hist)
        mout_json_hists(b);
    b_s(b, "\"unavailable\":[");
    u32 empty = b->len;
    for (u32 s = 0; s < N_SRC; s++)
        mout_each_lack(b, s, mout_json_why);
    b->len -= b->len > empty;
    b_s(b, "]}\n");
}

/* --- the report: a page with a line a number, and a heat map a distribution ---
 * Each interval is a row in a file without a name; the page (gen/report/monitor.js) gets these rows
 * as they are, in base64. When they are many, two become one: of each number the least, the
 * greatest, the mean and how often it was there; counts of distributions are added up. A row is
 * words of 32 bits: struct mout_row; then, for each run of series that are neighbours, the first,
 * how many, and as many values (of one interval) or struct mout_point (of several); for each
 * distribution, its number | MOUT_DIST, how many, and as many pairs of a cell and its count. */

enum {
    MOUT_ROWS = 2048, MOUT_BYTES = 64 << 20, MOUT_CELLS = 16 + (ST_BUCKETS - 16) / 4
};
static const u32 MOUT_DIST = 1u << 31;

struct mout_row {
    u32 words, n, tick;    /* of all this; intervals; met.tick of the first */
    u32 from[2], to[2];    /* ns since the start, the low half first */
};

struct mout_point {
    float lo, hi, mean;
    u32 n;
};

/* What the next row will hold. */
static struct mout_point mout_points[MET_SERIES];
static u32 mout_cells[MET_HISTS][MOUT_CELLS]; /* UINT32_MAX: that, or more */
/* Which series (bits) and distributions there have been. */
static u8 mout_series[MET_SERIES / 8], mout_dists[MET_HISTS];

static struct {
    struct mout_file {
        int fd;
        u32 every, n;      /* intervals in a row; rows in the file */
        u64 bytes;         /* of whole rows in it */
    } file;
    const char *dir;       /* where it is */
    struct mout_row head;
    struct buf row, old;
} mout_rows = { .file.every = 1, .row.max = 64 << 20, .old.max = 64 << 20 };

static void mout_point_add(u32 id, const struct mout_point *q)
{
    struct mout_point *p = &mout_points[id];
    if (!p->n) {
        *p = *q;
        return;
    }
    p->lo = MIN(p->lo, q->lo);
    p->hi = MAX(p->hi, q->hi);
    p->n += q->n;
    p->mean += (q->mean - p->mean) * (float)q->n / (float)p->n;
}

/* 16 cells, then four an octave: as many of the buckets of struct met_hist as can be told apart. */
static u32 mout_cell(u32 bucket)
{
    return bucket < 16 ? bucket : 16 + (bucket - 16) / 4;
}

static void mout_cell_add(u32 hist, u32 cell, u32 n)
{
    mout_cells[hist][cell] += MIN(n, UINT32_MAX - mout_cells[hist][cell]);
}

static void mout_gather_inst(const struct met_inst *i)
{
    for (u32 m = 0; m < N_METRICS; m++) {
        if (!met_of(m, i->dim) || !met_has(i, m))
            continue;
        u32 id = (u32)(met_at(i, m) - met_series);
        float v = (float)met_at(i, m)->v;
        mout_point_add(id, &(struct mout_point){ v, v, v, 1 });
        mout_series[id / 8] |= (u8)(1 << id % 8);
    }
}

static void mout_gather(void)
{
    for (u8 d = 0; d < N_DIM; d++)
        for (const struct met_inst *i = met_first(d); i; i = met_next(i))
            if (i->at == met.tick && (mout_shown(d) || !i->name[0]))
                mout_gather_inst(i);
    for (u32 k = 0; k < met_hists.n; k++) {
        const struct met_hist *h = met_hists.h[k];
        bool any = h->at == met.tick && h->count;
        for (u32 i = 0; any && i < ST_BUCKETS; i++)
            mout_cell_add(k, mout_cell(i), h->now[i]);
        mout_dists[k] |= any;
    }
}

static void mout_row_word(u32 v)
{
    b_put(&mout_rows.row, &v, sizeof v);
}

/* Into the row, and out of what is to come. */
static void mout_row_points(void)
{
    struct buf *b = &mout_rows.row;
    u32 run = 0; /* where its length is */
    for (u32 id = 0; id < met.n_series; id++) {
        struct mout_point *p = &mout_points[id];
        if (!p->n) {
            run = 0;
            continue;
        }
        if (!run) {
            mout_row_word(id);
            run = b->len;
            mout_row_word(0);
        }
        ++*(u32 *)(void *)(b->p + run);
        b_put(b, p, mout_rows.head.n == 1 ? sizeof p->lo : sizeof *p);
        memset(p, 0, sizeof *p);
    }
}

static void mout_row_hists(void)
{
    for (u32 k = 0; k < met_hists.n; k++) {
        u32 n = 0;
        for (u32 c = 0; c < MOUT_CELLS; c++)
            n += mout_cells[k][c] > 0;
        if (!n)
            continue;
        mout_row_word(k | MOUT_DIST), mout_row_word(n);
        for (u32 c = 0; c < MOUT_CELLS; c++)
            if (mout_cells[k][c])
                mout_row_word(c), mout_row_word(mout_cells[k][c]);
        memset(mout_cells[k], 0, sizeof mout_cells[k]);
    }
}

static void mout_row_end(void)
{
    struct mout_row *h = &mout_rows.head;
    struct buf *b = &mout_rows.row;
    b_reset(b);
    b_put(b, h, sizeof *h);
    mout_row_points();
    mout_row_hists();
    h->words = b->len / 4;
    memcpy(b->p, h, sizeof h->words);
    memset(h, 0, sizeof *h);
    int f = mout_rows.file.fd;
    int e = f < 0 ? f : b->cut ? -ENOMEM : out_write_all(f, b->p, b->len);
    if (!e) {
        mout_rows.file.bytes += b->len;
        mout_rows.file.n++;
        return;
    }
    errno = -e;
    u_warn("cannot write a temporary file in %s (TMPDIR=DIR chooses another), the report ends "
           "here:", mout_rows.dir);
    out.failed = -e;
}

/* One value of `size` words, the k-th behind id. */
static void mout_row_value(u32 id, u32 k, const u32 *w, u32 size)
{
    struct mout_point p = { .n = 1 };
    if (id & MOUT_DIST) {
        mout_cell_add(id & ~MOUT_DIST, w[0], w[1]);
        return;
    }
    memcpy(&p, w, size * 4);
    if (size == 1)
        p.hi = p.mean = p.lo;
    mout_point_add(id + k, &p);
}

/* Takes what is behind a row's head. */
static void mout_row_take(const u32 *w)
{
    const struct mout_row *h = (const void *)w;
    for (u32 at = sizeof *h / 4; at < h->words;) {
        u32 id = w[at], n = w[at + 1], size = id & MOUT_DIST ? 2 : h->n == 1 ? 1 : 4;
        at += 2;
        for (u32 k = 0; k < n; k++, at += size)
            mout_row_value(id, k, w + at, size);
    }
}

static void mout_row_span(const struct mout_row *q)
{
    struct mout_row *h = &mout_rows.head;
    if (!h->n)
        *h = *q, h->n = 0;
    h->n += q->n;
    memcpy(h->to, q->to, sizeof h->to);
}

/* The next row of the file; NULL: there is none. */
static const u32 *mout_row_read(int fd)
{
    struct buf *b = &mout_rows.old;
    u32 words;
    b_reset(b);
    if (read(fd, &words, 4) != 4 || b_room(b, (size_t)words * 4) < words * 4)
        return NULL;
    memcpy(b->p, &words, 4);
    size_t more = (size_t)words * 4 - 4;
    return read(fd, b->p + 4, more) == (ssize_t)more ? (const void *)b->p : NULL;
}

/* A file of the rows, two in one, for the old one; where it cannot be written, that stays. */
static void mout_thin(void)
{
    struct mout_file old = mout_rows.file;
    u32 k = 0;
    mout_rows.file = (struct mout_file){ rep_temporary(mout_rows.dir), old.every * 2, 0, 0 };
    lseek(old.fd, 0, SEEK_SET);
    for (const u32 *w; !out.failed && (w = mout_row_read(old.fd));) {
        mout_row_span((const void *)w);
        mout_row_take(w);
        if (++k % 2 == 0)
            mout_row_end();
    }
    if (mout_rows.head.n)
        mout_row_end();
    struct mout_file gone = out.failed ? mout_rows.file : old;
    mout_rows.file = out.failed ? old : mout_rows.file;
    close(gone.fd);
}

static void mout_sample(void)
{
    u64 from = mout.ts_ns - mout.interval_ns, to = mout.ts_ns;
    mout_row_span(&(struct mout_row){ 0, 1, met.tick, { (u32)from, (u32)(from >> 32) },
                                      { (u32)to, (u32)(to >> 32) } });
    mout_gather();
    const struct mout_file *f = &mout_rows.file;
    if (mout_rows.head.n < f->every)
        return;
    mout_row_end();
    while (!out.failed && f->n > 1 && (f->n >= MOUT_ROWS || f->bytes > MOUT_BYTES))
        mout_thin();
}

/* [4711,"cpu","0"] and what it is, of each line that a chart has. */
static void mout_chart_lines(struct buf *b, u32 m, u8 dim)
{
    for (const struct met_inst *i = met_first(dim); i; i = met_next(i)) {
        u32 id = (u32)(met_at(i, m) - met_series);
        if (!(mout_series[id / 8] >> id % 8 & 1))
            continue;
        b_f(b, "[%u,%u,\"%s\",\"", id, i->reused, i->name[0] ? met_dims[dim].label : "");
        b_json(b, i->name, strlen(i->name)), b_s(b, "\",\"");
        b_json(b, i->info, strlen(i->info)), b_s(b, "\"],");
    }
}

/* {"name":"user_ratio","unit":2,"source":"stat","help":"...","lines":[...]}, if it has any. */
static void mout_chart(struct buf *b, u32 m, u8 of)
{
    u32 was = b->len;
    b_s(b, "{\"name\":"), mout_json_key(b, m, of);
    b_f(b, ",\"unit\":%u,\"source\":\"%s\",", mout_form(m)->unit,
        mout.src[metrics[m].src].name);
    const char *help = *met_help(m) ? met_help(m) : met_key_of(m);
    out_json_str(b, "help", help, (u32)strlen(help));
    b_s(b, ",\"lines\":[");
    u32 empty = b->len;
    for (u8 d = 0; d < N_DIM; d++)
        if (met_of(m, d) && !strcmp(met_prefix(m, d), met_prefix(m, of)))
            mout_chart_lines(b, m, d);
    if (b->len == empty)
        b->len = was;
    else
        b->len--, b_s(b, "]},");
}

static void mout_charts(struct buf *b)
{
    static const u8 of[] = { DIM_NONE, DIM_PID, DIM_CGROUP };
    for (u32 m = 0; m < N_METRICS; m++)
        for (u32 k = 0; k < (metrics[m].dim == DIM_PMC ? ARRAY_LEN(of) : 1); k++)
            mout_chart(b, m, of[k]);
}

static void mout_heat_maps(struct buf *b)
{
    for (u32 k = 0; k < met_hists.n; k++) {
        const struct met_hist *h = met_hists.h[k];
        const struct met_hist_row *r = &met_hist_rows[h->row];
        if (!mout_dists[k])
            continue;
        b_f(b, "[%u,%u,\"%s\",\"%s\",\"%s\",\"%s\",\"", k, h->inst->reused, r->name, r->unit,
            mout.src[metrics[r->p50].src].name,
            h->inst->name[0] ? met_dims[h->inst->dim].label : "");
        b_json(b, h->inst->name, strlen(h->inst->name)), b_s(b, "\"],");
    }
}

/* What the rows are of. */
static void mout_facts(struct buf *b)
{
    b_f(b, "{\"intervals\":%" PRIu64 ",\"interval_ns\":%" PRIu64 ",\"every\":%u,\"backwards\":%"
           PRIu64 ",\"dropped\":%" PRIu64 ",\"sources\":{", mout.intervals, mo.interval_ns,
        mout_rows.file.every, met.backwards, met.dropped);
    for (u32 s = 0; s < N_SRC; s++)
        b_f(b, "%s\"%s\":\"%s\"", s ? "," : "", mout.src[s].name, mout.src[s].group);
    b_s(b, "},\"charts\":[");
    mout_charts(b);
    b->len -= b->p[b->len - 1] == ',', b_s(b, "],\"heat\":[");
    mout_heat_maps(b);
    b->len -= b->p[b->len - 1] == ',', b_s(b, "],\"unavailable\":[");
    for (u32 s = 0; s < N_SRC; s++)
        mout_each_lack(b, s, mout_json_why);
    b->len -= b->p[b->len - 1] == ',', b_s(b, "]}");
}

/* Begins the report: its rows go to a file in dir. 0 or -errno. */
static int mout_page_begin(const char *dir)
{
    mout_rows.dir = dir;
    mout_rows.file.fd = rep_temporary(dir);
    return MIN(mout_rows.file.fd, 0);
}

static void mout_page_end(int to)
{
    static struct buf b = { .max = 256 << 20 };
    static char part[64 << 10];
    if (mout_rows.head.n)
        mout_row_end();
    if (!rep_open(to))
        return;
    rep_page("{{monitor}}");
    rep_page("{{samples}}");
    rec_json_header(&b, "monitor");
    rep_json("run", &b);
    b_reset(&b);
    mout_facts(&b);
    rep_json("facts", &b);
    rep.raw.max = REC_MAX * 2;
    struct mout_file *f = &mout_rows.file;
    lseek(f->fd, 0, SEEK_SET);
    for (ssize_t n; f->bytes && (n = read(f->fd, part, sizeof part)) > 0; f->bytes -= (u64)n) {
        n = (ssize_t)MIN((u64)n, f->bytes); /* of the last row, a full disk may have a part */
        rep_write(part, (size_t)n);
    }
    if (rep.raw.len)
        rep_chunk(rep.raw.len);
    rep_page("{{trace}}");
    rep_skip("{{events}}");
    rep_close();
}

/* --- the entry points --- */

static void mout_interval(void)
{
    mout.intervals++;
    if (out.json_on)
        mout_json(&out.json.b);
    if (out.events_on && !mout.screen)
        mout_text(&out.text.b);
    if (out.events_on && !mout.screen && mo.hist)
        mout_hists(&out.text.b);
    if (mout.csv.fd[0] >= 0)
        mout_csv(&mout.csv.b), out_writer_flush(&mout.csv);
    if (mo.prom_file)
        mout_prom_file(mo.prom_file);
    if (opt.report)
        mout_sample();
    out_flush();
}

static void mout_end(void)
{
    if (out.json_on)
        b_f(&out.json.b, "{\"type\":\"summary\",\"intervals\":%" PRIu64 "}\n", mout.intervals);
    out_flush();
}

/* == 37 hs_  --listen: GET /metrics over HTTP/1.1 ======================================
 * Part of the monitor's loop: hs_wait serves whoever comes until it is time for the next interval.
 * A fixed number of clients, of which the one that has said least for longest gives way to a new
 * one; a fixed size for what they say, a fixed time for it and for taking the answer. Entry points:
 * hs_opt_listen, hs_open, hs_wait. */

enum { HS_CLIENTS = 32, HS_REQUEST = 2048, HS_PATIENCE_S = 5, HS_ANSWERS = 96 << 20 };

static struct {
    int fd;
    struct hs_client {
        int fd;                  /* 0: free (kvis has 0, 1 and 2 open) */
        u64 since_ns;            /* when it came; when its answer began to be sent */
        u32 len, sent;           /* of its request; of `answer` */
        bool asked, done;        /* its request is whole; its answer is sent */
        u8 polled;               /* its place in what is polled */
        struct buf answer;
        char req[HS_REQUEST];
    } client[HS_CLIENTS];
} hs;

/* [ADDR:]PORT, [IPV6]:PORT: without an address, this machine alone can ask. */
static const char *hs_opt_listen(const char *v)
{
    struct sockaddr_in *in = (void *)&mo.listen;
    struct sockaddr_in6 *in6 = (void *)&mo.listen;
    const char *colon = strrchr(v, ':'), *port = colon ? colon + 1 : v;
    char addr[64] = "127.0.0.1", *end;
    unsigned long n = strtoul(port, &end, 10);
    size_t len = colon ? (size_t)(colon - v) : 0;
    bool six = *v == '[';
    if (!isdigit((u8)*port) || *end || n > 65535 || len >= sizeof addr || (six && colon[-1] != ']'))
        return "not ADDR:PORT";
    if (len)
        snprintf(addr, sizeof addr, "%.*s", (int)len - 2 * six, v + six);
    memset(&mo.listen, 0, sizeof mo.listen);
    in->sin_family = six ? AF_INET6 : AF_INET;
    in->sin_port = htons((u16)n); /* at the same place in both */
    if (inet_pton(in->sin_family, addr, six ? (void *)&in6->sin6_addr : &in->sin_addr) != 1)
        return "not ADDR:PORT (an address in numbers; IPv6 in [ ])";
    return NULL;
}

/* 0 or -errno. */
static int hs_open(void)
{
    socklen_t n = mo.listen.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                  : sizeof(struct sockaddr_in);
    int on = 1;
    hs.fd = socket(mo.listen.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (hs.fd < 0)
        return -errno;
    setsockopt(hs.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(hs.fd, (void *)&mo.listen, n) < 0 || listen(hs.fd, 128) < 0
        || getsockname(hs.fd, (void *)&mo.listen, &n) < 0)
        return -errno;
    u_warn("listening on port %u", ntohs(((struct sockaddr_in *)&mo.listen)->sin_port));
    return 0;
}

static void hs_close(struct hs_client *c)
{
    close(c->fd);
    b_free(&c->answer);
    c->fd = 0;
}

/* Lets go of who has waited longest without a request; NULL: all are being answered. */
static struct hs_client *hs_let_go(void)
{
    struct hs_client *old = NULL;
    for (struct hs_client *c = hs.client; c < hs.client + HS_CLIENTS; c++)
        if (c->fd && (!c->asked || c->done) && (!old || c->since_ns < old->since_ns))
            old = c;
    if (old)
        hs_close(old);
    return old;
}

/* A place for a new client. */
static struct hs_client *hs_place(void)
{
    for (struct hs_client *c = hs.client; c < hs.client + HS_CLIENTS; c++)
        if (!c->fd)
            return c;
    return hs_let_go();
}

static void hs_accept(void)
{
    for (u32 n = 0; n < HS_CLIENTS; n++) {
        int f = accept4(hs.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (f < 0 && (errno == EMFILE || errno == ENFILE))
            hs_let_go();
        struct hs_client *c = f < 0 ? NULL : hs_place();
        if (!c) { /* none, or all are being answered */
            if (f >= 0)
                close(f);
            return;
        }
        memset(c, 0, sizeof *c);
        c->fd = f;
        c->since_ns = u_now();
    }
}

static void hs_answer(struct hs_client *c, const char *status, const char *type, const char *body,
                      u32 n)
{
    c->answer.max = 65 << 20;
    b_f(&c->answer, "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %u\r\n"
                    "Connection: close\r\n\r\n", status, type, n);
    if (strncmp(c->req, "HEAD ", 5))
        b_put(&c->answer, body, n);
    c->asked = true;
    c->since_ns = u_now();
}

static void hs_answer_text(struct hs_client *c, const char *status)
{
    hs_answer(c, status, "text/plain", status, (u32)strlen(status));
}

/* Each client has its own copy, for it takes it while the next is made: there may be too many of a
 * large one. */
static void hs_metrics(struct hs_client *c)
{
    const struct buf *b = mout_exposition();
    u64 held = b->len;
    for (u32 i = 0; i < HS_CLIENTS; i++)
        held += hs.client[i].answer.len;
    if (held > HS_ANSWERS)
        hs_answer_text(c, "503 Service Unavailable");
    else
        hs_answer(c, "200 OK", "text/plain; version=0.0.4", b->p, b->len);
}

/* Its request line is all that is looked at. */
static void hs_request(struct hs_client *c)
{
    static const char page[] = "<!doctype html><title>kvis</title><a href=/metrics>metrics</a>\n";
    char *line = c->req;
    line[strcspn(line, "\r\n")] = 0;
    char *path = strchr(line, ' ');
    char *version = path ? strstr(path, " HTTP/1.") : NULL;
    if (!version || path[1] != '/') {
        hs_answer_text(c, "400 Bad Request");
        return;
    }
    *version = 0;
    path[1 + strcspn(path + 1, "?#")] = 0;
    if (strncmp(line, "GET ", 4) && strncmp(line, "HEAD ", 5)) {
        hs_answer_text(c, "405 Method Not Allowed\r\nAllow: GET, HEAD");
    } else if (!strcmp(path + 1, "/metrics")) {
        hs_metrics(c);
    } else if (!strcmp(path + 1, "/")) {
        hs_answer(c, "200 OK", "text/html", page, sizeof page - 1);
    } else {
        hs_answer_text(c, "404 Not Found");
    }
}

static void hs_read(struct hs_client *c)
{
    char waste[4096];
    ssize_t n = c->asked ? read(c->fd, waste, sizeof waste)
                         : read(c->fd, c->req + c->len, sizeof c->req - 1 - c->len);
    if (n <= 0) {
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            hs_close(c);
        return;
    }
    if (c->asked)
        return;
    c->len += (u32)n;
    c->req[c->len] = 0;
    if (strstr(c->req, "\r\n\r\n") || strstr(c->req, "\n\n") || strlen(c->req) < c->len)
        hs_request(c);
    else if (c->len == sizeof c->req - 1)
        hs_answer_text(c, "431 Request Header Fields Too Large");
}

/* Once it is sent, the other side is to close first: what it still sends would otherwise reset the
 * connection, and the answer with it. */
static void hs_write(struct hs_client *c)
{
    ssize_t n = send(c->fd, c->answer.p + c->sent, c->answer.len - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        hs_close(c);
        return;
    }
    c->sent += (u32)MAX(n, 0);
    if (c->sent == c->answer.len) {
        shutdown(c->fd, SHUT_WR);
        c->done = true;
        c->since_ns = u_now() - (HS_PATIENCE_S - 1) * NSEC;
    }
}

static void hs_serve(const struct pollfd *p)
{
    u64 now = u_now();
    for (u32 i = 0; i < HS_CLIENTS; i++) {
        struct hs_client *c = &hs.client[i];
        if (c->fd && p[c->polled].revents & (POLLIN | POLLERR | POLLHUP))
            hs_read(c);
        if (c->fd && c->asked && !c->done)
            hs_write(c);
        if (c->fd && now > c->since_ns + HS_PATIENCE_S * NSEC)
            hs_close(c);
    }
}

/* Until then, or a signal (true), or something to read from `also` (true; -1: none). */
static bool hs_wait(u64 until, int also)
{
    struct pollfd p[HS_CLIENTS + 2];
    for (u64 now = u_now(); now < until && !sp_told; now = u_now()) {
        u64 ms = (until - now + 999999) / 1000000;
        u8 n = 2; /* only those that there are: poll(2) takes no more than RLIMIT_NOFILE */
        p[0] = (struct pollfd){ .fd = hs.fd ? hs.fd : -1, .events = POLLIN };
        p[1] = (struct pollfd){ .fd = also, .events = POLLIN };
        for (struct hs_client *c = hs.client; c < hs.client + HS_CLIENTS; c++)
            if (c->fd) {
                c->polled = n;
                p[n++] = (struct pollfd){ c->fd, c->asked && !c->done ? POLLOUT : POLLIN, 0 };
                ms = MIN(ms, 250);
            }
        if (poll(p, n, (int)MIN(ms, 1000000)) < 0)
            return true;
        hs_serve(p);
        if (p[0].revents)
            hs_accept();
        if (p[1].revents)
            return true;
    }
    return false;
}

/* == 38 scr_  the monitor on a terminal ==================================================
 * Another sink over the table: sections by group; in each the sums as cells with their past, then a
 * line a thing. What is 0 and has been is left out. The terminal is put back as it was by scr_end,
 * by a crash too. Entry points: scr_begin, scr_draw, scr_keys, scr_end. */

enum { SCR_PAST = 32, SCR_SPARK = 8, SCR_CELL = 40 };

static struct {
    bool on, paused, help, sorted, zeros, utf8, resized;
    u16 rows, cols, line;    /* lines drawn; those behind rows are only counted */
    u16 bars, hists;         /* lines of bars for a distribution; distributions there are */
    u32 hidden;              /* sections: bits */
    struct termios was;
    float past[N_METRICS][SCR_PAST]; /* by met.tick; 0: none, too */
} scr;

/* Above (or, where bad is less than odd, below) these a number is yellow, or red. */
static const struct { u16 m; float odd, bad; } scr_limits[] = {
    { M_STEAL, 0.05f, 0.10f }, { M_NUMA_REMOTE, 0.2f, 0.5f }, { M_POOL_RATIO, 0.9f, 0.98f },
    { M_THP_RATIO, 0.1f, 0 }, { M_LLC_MPKI, 5, 10 }, { M_DTLB_MPKI, 5, 10 },
    { M_TEMP_ROOM, 10, 3 }, { M_SENSOR_ROOM, 10, 3 },
    { M_OOM, 0, 0 }, { M_THROTTLE_CORE, 0, 0 }, { M_THROTTLE_PKG, 0, 0 },
};

static const char scr_enter[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char scr_leave[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static void scr_restore(void)
{
    ssize_t n = write(STDOUT_FILENO, scr_leave, sizeof scr_leave - 1);
    (void)n; /* there is nobody left to tell */
    tcsetattr(STDIN_FILENO, TCSANOW, &scr.was);
}

/* Takes the terminal, and has it drawn anew. */
static void scr_take(int sig)
{
    int e = errno;
    struct termios raw = scr.was;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    ssize_t n = write(STDOUT_FILENO, scr_enter, sizeof scr_enter - 1);
    (void)sig, (void)n;
    scr.resized = true;
    errno = e;
}

/* Gives it back, and dies, or is stopped till somebody wants it to go on. */
static void scr_give(int sig)
{
    struct sigaction act = { .sa_handler = scr_give, .sa_flags = SA_RESETHAND | SA_NODEFER };
    scr_restore();
    raise(sig); /* SA_RESETHAND: its default now */
    sigaction(sig, &act, NULL);
    scr_take(sig);
}

static void scr_resize(int sig)
{
    (void)sig;
    scr.resized = true;
}

/* Both ends must be the same terminal, which is not checked: of another, keys are keys as well. */
static void scr_begin(void)
{
    static const int gives[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGXCPU,
                                 SIGUSR1, SIGUSR2, SIGTSTP };
    struct sigaction give = { .sa_handler = scr_give, .sa_flags = SA_RESETHAND | SA_NODEFER };
    struct sigaction take = { .sa_handler = scr_take }, size = { .sa_handler = scr_resize };
    const char *lang = getenv("LC_ALL"), *ctype = getenv("LC_CTYPE");
    lang = lang && *lang ? lang : ctype && *ctype ? ctype : getenv("LANG");
    scr.utf8 = lang && (strstr(lang, "UTF-8") || strstr(lang, "utf8"));
    if (tcgetattr(STDIN_FILENO, &scr.was) < 0)
        return;
    for (size_t i = 0; i < ARRAY_LEN(gives); i++)
        sigaction(gives[i], &give, NULL);
    sigaction(SIGWINCH, &size, NULL);
    sigaction(SIGCONT, &take, NULL); /* stopped by force, it had no time to give it back */
    scr_take(0);
    scr.on = true;
}

static void scr_end(void)
{
    if (scr.on)
        scr_restore();
    scr.on = false;
}

/* --- a line --- */

/* Ends the line, if there is one to end; what is below the screen is only counted. */
static void scr_line(struct buf *b, u32 from)
{
    if (++scr.line >= scr.rows)
        b->len = from;
    else
        b_s(b, "\033[K\r\n");
}

static const char *scr_colour(u32 m, double v)
{
    for (size_t i = 0; i < ARRAY_LEN(scr_limits); i++) {
        float odd = scr_limits[i].odd, bad = scr_limits[i].bad;
        if (scr_limits[i].m != m)
            continue;
        if (bad < odd)
            return v < bad ? "31" : v < odd ? "33" : NULL;
        return v > bad ? "31" : v > odd ? "33" : NULL;
    }
    return NULL;
}

/* The number, in `width` columns at least. */
static void scr_num(struct buf *b, u32 m, double v, u32 width)
{
    static struct buf s;
    const char *colour = scr_colour(m, v);
    b_reset(&s);
    mout_text_num(&s, m, v);
    for (u32 n = s.len; n < width; n++)
        b_c(b, ' ');
    out_sgr(colour ? colour : "1");
    b_put(b, s.p, s.len);
    out_sgr("0");
}

/* One of nine heights. */
static void scr_bar(struct buf *b, u32 k)
{
    static const char plain[] = " .:-=+*%#";
    char bar[] = { '\xe2', '\x96', (char)(0x80 + k) }; /* U+2581 to U+2588 */
    k && scr.utf8 ? b_put(b, bar, 3) : b_c(b, plain[k]);
}

static void scr_spark(struct buf *b, u32 m)
{
    double top = mout_form(m)->unit == U_RATIO ? 1 : 0;
    for (u32 t = 0; t < SCR_SPARK; t++)
        top = MAX(top, (double)scr.past[m][(met.tick - t) % SCR_PAST]);
    for (u32 t = SCR_SPARK; t-- > 0;) {
        double v = met.tick > t ? (double)scr.past[m][(met.tick - t) % SCR_PAST] : 0;
        u32 k = v <= 0 || top <= 0 ? 0 : 1 + (u32)(v / top * 7.99);
        scr_bar(b, MIN(k, 8));
    }
}

/* --- sections --- */

/* Whether a sum is worth a cell: it is, or has been, something. */
static bool scr_lively(u32 m)
{
    for (u32 t = 0; t < SCR_PAST; t++)
        if (scr.past[m][t] != 0)
            return true;
    return scr.zeros;
}

static bool scr_of(u32 m, const char *group)
{
    return !strcmp(mout.src[metrics[m].src].group, group);
}

/* The sum of a metric over all its things, or the metric that has none. */
static const struct met_inst *scr_sum(u32 m)
{
    u8 dim = metrics[m].dim == DIM_PMC ? DIM_NONE : metrics[m].dim;
    for (const struct met_inst *i = met_first(dim); i; i = met_next(i))
        if (!i->name[0])
            return i->at == met.tick && met_has(i, m) ? i : NULL;
    return NULL;
}

static void scr_cells(struct buf *b, const char *group)
{
    u32 per = MAX(scr.cols / SCR_CELL, 1), n = 0, from = b->len;
    for (u32 m = 0; m < N_METRICS; m++) {
        const struct met_inst *i = scr_of(m, group) ? scr_sum(m) : NULL;
        if (!i || !scr_lively(m))
            continue;
        b_f(b, "%-20.20s", met_name(m));
        scr_num(b, m, met_at(i, m)->v, 10);
        b_c(b, ' '), scr_spark(b, m), b_c(b, ' ');
        if (++n % per == 0)
            scr_line(b, from), from = b->len;
    }
    if (n % per)
        scr_line(b, from);
}

static void scr_thing(struct buf *b, const struct met_inst *i, const char *group)
{
    u32 from = b->len, n = 0;
    b_f(b, i->name[0] ? "%s " : "%s", met_dims[i->dim].label);
    b_esc(b, i->name, strlen(i->name), 0);
    if (i->info[0])
        b_s(b, " ("), b_esc(b, i->info, strlen(i->info), 0), b_c(b, ')');
    b_c(b, ':');
    for (u32 m = 0; m < N_METRICS; m++)
        if (met_of(m, i->dim) && scr_of(m, group) && met_has(i, m)
            && (scr.zeros || met_at(i, m)->v != 0)) {
            b_c(b, ' '), b_s(b, met_name(m)), b_c(b, ' ');
            scr_num(b, m, met_at(i, m)->v, 0), n++;
        }
    n ? scr_line(b, from) : (void)(b->len = from);
}

/* Bars for the octaves of a distribution of times, and below them from when to when they reach. */
static void scr_hist(struct buf *b, const struct met_hist *h)
{
    static struct buf name;
    const struct met_hist_row *r = &met_hist_rows[h->row];
    u64 n[MET_OCTAVES];
    u32 first = 0, last;
    u64 most = mout_octaves(h, n, &first, &last);
    b_reset(&name);
    b_s(&name, r->name), b_c(&name, ' ');
    b_esc(&name, h->inst->name, strlen(h->inst->name), 0), b_c(&name, 0);
    u32 wide = (u32)MAX(scr.cols - 31, 0) / (last - first + 1), from = b->len;
    wide = MIN(MAX(wide, 1), 4);
    for (u32 line = scr.bars; line-- > 0; from = b->len) {
        b_f(b, "%-30.30s ", line ? "" : name.p);
        for (u32 o = first; o <= last; o++) {
            u64 k = n[o] ? MAX(n[o] * scr.bars * 8 / most, 1) : 0;
            for (u32 w = 0; w < wide; w++)
                scr_bar(b, k > line * 8 ? (u32)MIN(k - line * 8, 8) : 0);
        }
        scr_line(b, from);
    }
    b_f(b, "%31s", "");
    mout_text_num(b, r->p50, first ? (double)(1ull << (first - 1)) : 0), b_s(b, " to ");
    mout_text_num(b, r->p50, (double)(1ull << last));
    scr_line(b, from);
}

/* Those of a group, if there is room for them; how many there are is counted. */
static void scr_hists(struct buf *b, const char *group)
{
    for (u32 k = 0; k < met_hists.n; k++) {
        const struct met_hist *h = met_hists.h[k];
        u32 m = met_hist_rows[h->row].p50;
        if (h->at != met.tick || !h->count || mout_form(m)->unit != U_NS || !scr_of(m, group))
            continue;
        scr.hists++;
        if (scr.bars)
            scr_hist(b, h);
    }
}

/* What things are sorted by. */
static double scr_key(const struct met_inst *i)
{
    static const u16 by[N_DIM] = { [DIM_CPU] = M_IDLE, [DIM_PMU] = M_CYCLES,
                                   [DIM_PID] = M_P_USER, [DIM_NODE] = M_NUMA_HIT,
                                   [DIM_POOL] = M_POOL, [DIM_DISK] = M_DISK_IOPS,
                                   [DIM_ZONE] = M_TEMP, [DIM_SENSOR] = M_SENSOR };
    double v = met_v(i, by[i->dim]);
    return i->dim == DIM_CPU ? -v : v;
}

/* The next in order behind `last` (NULL: the first): as they come, or the largest key first. */
static const struct met_inst *scr_next(u8 dim, const struct met_inst *last)
{
    const struct met_inst *best = NULL;
    if (!scr.sorted)
        return last ? met_next(last) : met_first(dim);
    for (const struct met_inst *i = met_first(dim); i; i = met_next(i)) {
        double v = scr_key(i), l = last ? scr_key(last) : 0;
        if (last && (v > l || (v >= l && i <= last)))
            continue;
        if (!best || v > scr_key(best))
            best = i;
    }
    return best;
}

static void scr_section(struct buf *b, u32 nr, const char *group)
{
    u32 from = b->len;
    out_sgr("7");
    b_f(b, " %u %s ", nr + 1, group);
    out_sgr("0");
    scr_line(b, from);
    scr_cells(b, group);
    scr_hists(b, group);
    for (u8 d = 1; d < N_DIM; d++)
        for (const struct met_inst *i = scr_next(d, NULL); i; i = scr_next(d, i)) {
            if ((i->name[0] || d == DIM_CGROUP) && i->at == met.tick && mout_shown(d))
                scr_thing(b, i, group);
            if (scr.sorted && scr.line > scr.rows)
                break;
        }
    from = b->len;
    u32 n = 0;
    b_s(b, "n/a:");
    for (u32 s = 0; s < N_SRC; s++)
        if (!strcmp(mout.src[s].group, group) && mout_lack(s))
            b_c(b, ' '), b_s(b, mout.src[s].name), n++;
    n ? scr_line(b, from) : (void)(b->len = from);
}

static void scr_help(struct buf *b)
{
    static const char *const text[] = {
        "q      end", "p      pause: the screen stays, counting goes on", "h      this, or not",
        "1 - 9  a section, or not", "s      things sorted by what they do, or as they come",
        "z      what is 0, too", "",
        "Each cell has its last 8 intervals beside it. What is n/a is told by --json, with why.",
    };
    for (size_t i = 0; i < ARRAY_LEN(text); i++) {
        u32 from = b->len;
        b_s(b, text[i]);
        scr_line(b, from);
    }
}

/* --- the screen --- */

static void scr_remember(void)
{
    for (u32 m = 0; m < N_METRICS; m++) {
        const struct met_inst *i = scr_sum(m);
        scr.past[m][met.tick % SCR_PAST] = i ? (float)met_at(i, m)->v : 0;
    }
}

static void scr_sections(struct buf *b)
{
    u32 nr = 0;
    scr.hists = 0;
    for (u32 s = 0; s < N_SRC; s++) {
        bool again = false;
        for (u32 k = 0; k < s; k++)
            again |= !strcmp(mout.src[k].group, mout.src[s].group);
        if (!again && !(scr.hidden >> nr++ & 1))
            scr_section(b, nr - 1, mout.src[s].group);
    }
}

/* The sections, and, in the lines that are left below them, bars. */
static void scr_body(struct buf *b)
{
    u32 from = b->len;
    u16 line = scr.line;
    scr.bars = 0;
    scr_sections(b);
    if (scr.hists && scr.line < scr.rows)
        scr.bars = (u16)MIN((scr.rows - scr.line - 1) / scr.hists, 5);
    if (scr.bars < 2)
        return;
    scr.bars--; /* the last one says what the bars are of */
    b->len = from;
    scr.line = line;
    scr_sections(b);
}

static void scr_draw(void)
{
    struct buf *b = &out.text.b;
    struct winsize w = { 24, 80, 0, 0 };
    time_t sec = (time_t)(mout.real_ns / NSEC);
    struct tm tm;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_row || !w.ws_col)
        w = (struct winsize){ 24, 80, 0, 0 };
    scr.rows = w.ws_row, scr.cols = w.ws_col, scr.line = 0, scr.resized = false;
    if (!localtime_r(&sec, &tm))
        memset(&tm, 0, sizeof tm);
    b_s(b, "\033[H");
    u32 from = b->len;
    b_f(b, "kvis monitor  %02d:%02d:%02d  interval %.1f s%s", tm.tm_hour, tm.tm_min, tm.tm_sec,
        (double)mout.interval_ns / 1e9, scr.paused ? "  PAUSED" : "");
    scr_line(b, from);
    scr.help ? scr_help(b) : scr_body(b);
    b_s(b, "\033[J");
    b_f(b, "\033[%u;1H", scr.rows);
    out_sgr("2");
    b_s(b, "q end  p pause  h help  1-9 sections  s sort  z zeros");
    if (scr.line >= scr.rows)
        b_f(b, "  (%u lines more)", scr.line - scr.rows + 1);
    out_sgr("0");
    out_flush();
}

/* An interval is over. */
static void scr_interval(void)
{
    scr_remember();
    if (!scr.paused)
        scr_draw();
}

/* What was typed; a terminal that is gone ends it, as q does. */
static void scr_keys(void)
{
    char keys[64];
    struct pollfd p = { STDIN_FILENO, POLLIN, 0 };
    ssize_t n = poll(&p, 1, 0) > 0 ? read(STDIN_FILENO, keys, sizeof keys) : 0;
    if (p.revents && n <= 0)
        sp_told = SIGHUP;
    for (ssize_t i = 0; i < n; i++)
        switch (keys[i]) {
        case 'q': sp_told = SIGINT; break;
        case 'p': scr.paused = !scr.paused; break;
        case 'h': case '?': scr.help = !scr.help; break;
        case 's': scr.sorted = !scr.sorted; break;
        case 'z': scr.zeros = !scr.zeros; break;
        case '1' ... '9': scr.hidden ^= 1u << (keys[i] - '1'); break;
        }
    if (mout.intervals && (n > 0 || scr.resized))
        scr_draw();
}

/* == 39 mon_  kvis monitor: what the hardware and the kernel of this box are doing ===========
 * One loop: every source is read, every sink writes, and then it waits for the next of the times
 * that were fixed at the start; an interval that took too long leaves out times, and moves none.
 * Entry points: the option functions, mon_run. */

static const struct met_source mon_sources[] = {
    [SRC_STAT] = { "cpu", "stat", "not in /proc/stat of this kernel", mfs_stat },
    [SRC_FREQ] = { "cpu", "cpufreq", "this machine's clock is not the kernel's to see", mfs_freq },
    [SRC_PMC] = { "cpu", "pmc", "not counted", pmc_read },
    [SRC_LOAD] = { "sched", "load", "not in /proc/loadavg", mfs_load },
    [SRC_PSI] = { "sched", "psi", "a kernel with CONFIG_PSI, psi=1", mfs_psi },
    [SRC_SCHEDSTAT] = { "sched", "schedstat", "a kernel with CONFIG_SCHEDSTATS", mfs_schedstat },
    [SRC_MEMINFO] = { "mem", "meminfo", "not in /proc/meminfo of this kernel", mfs_meminfo },
    [SRC_VMSTAT] = { "mem", "vmstat", "not in /proc/vmstat of this kernel", mfs_vmstat },
    [SRC_HUGE] = { "mem", "hugepages", "no pool of hugepages", mfs_huge },
    [SRC_KHUGE] = { "mem", "khugepaged", "no transparent hugepages in this kernel", mfs_khuge },
    [SRC_NUMASTAT] = { "numa", "numastat", "no pages were taken", mfs_numastat },
    [SRC_NODEMEM] = { "numa", "nodes", "not in the nodes' meminfo of this kernel", mfs_nodemem },
    [SRC_BALANCE] = { "numa", "balancing", "no NUMA balancing in this kernel", mfs_balance },
    [SRC_DISK] = { "io", "disks", "no such I/O", mfs_disks },
    [SRC_ZONE] = { "thermal", "zones", "no thermal zone has one", mfs_zones },
    [SRC_HWMON] = { "thermal", "hwmon", "no sensor has one", mfs_hwmon },
    [SRC_THROTTLE] = { "thermal", "throttle", "not counted by this CPU", mfs_throttle },
    [SRC_PROC] = { "proc", "process", "not counted by this kernel", mfs_procs },
    [SRC_CGROUP] = { "cgroup", "cgroup", "not in its files of this kernel", mfs_cgroup },
    [SRC_CGFILES] = { "cgroup", "cgroup", "not in its files of this kernel", mfs_cgfiles },
    [SRC_RUNQ] = { "sched", "runq", "no task waited for a CPU", mk_runq },
    [SRC_DEPTH] = { "sched", "depth", "no CPU switched tasks", mk_depth },
    [SRC_ESTIMATE] = { "sched", "estimate", "no task was woken", mk_estimate },
    [SRC_BLOCK] = { "io", "block", "no such requests in this interval", mk_block },
};
_Static_assert(ARRAY_LEN(mon_sources) == N_SRC, "a source without a row");

/* --- options --- */

/* Seconds, maybe with a fraction, from 10 ms on. */
static const char *mon_opt_interval(const char *v)
{
    char *end;
    u64 ns = 0, unit = NSEC / 10;
    unsigned long long s = strtoull(v, &end, 10);
    if (*end == '.')
        for (end++; isdigit((u8)*end); end++, unit /= 10)
            ns += unit * (u64)(*end - '0');
    if (!isdigit((u8)*v) || *end || s > 100000000 || (ns += s * NSEC) < 10000000)
        return "not a number of seconds from 0.01 to 100000000";
    mo.interval_ns = ns;
    return NULL;
}

/* A path below /sys/fs/cgroup, with that in front or without. */
static const char *mon_opt_cgroup(const char *v)
{
    static const char mount[] = "/sys/fs/cgroup";
    mo.cgroup = v + (strncmp(v, mount, sizeof mount - 1) ? 0 : sizeof mount - 1);
    return NULL;
}

static const char *mon_opt_csv(const char *v)
{
    mo.csv = true;
    mo.csv_file = v && strcmp(v, "-") ? v : NULL;
    return v && !*v ? "a file's name is missing" : NULL;
}

/* GROUP or source,...: all others are off. */
static const char *mon_opt_collectors(const char *v)
{
    u64 on = 0;
    while (*v) {
        size_t n = strcspn(v, ",");
        u64 was = on;
        for (u32 s = 0; s < N_SRC; s++) {
            const char *name[] = { mon_sources[s].group, mon_sources[s].name };
            for (u32 k = 0; k < 2; k++)
                if (n && !strncmp(name[k], v, n) && !name[k][n])
                    on |= 1ull << s;
        }
        if (on == was)
            break;
        v += n + (v[n] == ',');
    }
    mo.off = ~on;
    return *v || !on ? "allowed are cpu, sched, mem, numa, io, thermal, or a source" : NULL;
}

/* --- the loop --- */

/* -p and --cgroup turn their sources on, whatever -c says. Whether any is. */
static bool mon_sources_on(void)
{
    u64 p = 1ull << SRC_PROC, cg = 1ull << SRC_CGROUP | 1ull << SRC_CGFILES;
    mo.off = (mo.off & ~(p | cg)) | (opt.n_pids ? 0 : p) | (mo.cgroup ? 0 : cg);
    return ~mo.off & ((1ull << N_SRC) - 1);
}

static void mon_collect(void)
{
    met.tick++;
    met.all->at = met.tick;
    for (u32 s = 0; s < N_SRC; s++) {
        u64 now = u_now(), before = met.src[s].at_ns;
        if (mo.off >> s & 1)
            continue;
        met.cur = (u8)s;
        met.src[s].at_ns = now;
        met.src[s].elapsed_s = before ? (double)(now - before) / 1e9 : 0;
        met.src[s].wrong = met.src[s].no_room = 0;
        mon_sources[s].read();
    }
}

static void mon_interval(void)
{
    struct timespec ts;
    u64 before = mout.ts_ns + out.start_ns;
    mon_collect();
    clock_gettime(CLOCK_REALTIME, &ts);
    mout.real_ns = (u64)ts.tv_sec * NSEC + (u64)ts.tv_nsec;
    mout.ts_ns = u_now() - out.start_ns;
    mout.interval_ns = mout.ts_ns + out.start_ns - before;
    mout_interval();
    if (scr.on)
        scr_interval();
}

/* Until then, or the end. */
static void mon_wait(u64 until)
{
    while (u_now() < until && !sp_told)
        if (hs_wait(until, scr.on ? STDIN_FILENO : -1) && scr.on)
            scr_keys();
}

/* Whether nobody reads any more. */
static bool mon_unread(void)
{
    return out.text.fd[0] < 0 && out.json.fd[0] < 0 && mout.csv.fd[0] < 0 && !mo.prom_file
           && !hs.fd && !opt.report;
}

/* Nothing of what was asked for is here: that is an error, which the reason of one source tells. */
static bool mon_nothing(void)
{
    for (u32 m = 0; m < N_METRICS; m++)
        if (met.seen[m])
            return false;
    for (u32 m = 0; m < N_METRICS; m++) {
        const char *why = mout_lacks(m, metrics[m].src, met.no[m]) ? met.no[m] : NULL;
        if (!why && !(why = mout_lack(metrics[m].src)))
            continue;
        u_warn("there is nothing to show: %s", why);
        break;
    }
    return true;
}

static int mon_run(u64 end_ns)
{
    u64 next;
    mout.src = mon_sources;
    met_init();
    met.all = met_inst(DIM_NONE, "");
    mk_start();
    if (mout.screen)
        scr_begin();
    mout.screen = scr.on;
    out.give_up = sp_gives_up;
    out_flush();
    mon_collect();
    if (mo.prom_file)
        mout_prom_file(mo.prom_file);
    mout.ts_ns = u_now() - out.start_ns;
    next = u_now();
    if (end_ns) /* to load the programs is no part of it */
        end_ns += next - out.start_ns;
    while (!sp_told && !out.failed && !met.over && !mon_unread()) {
        u64 now = u_now();
        next += ((now - next) / mo.interval_ns + 1) * mo.interval_ns;
        bool last = end_ns && next > end_ns;
        mon_wait(last ? end_ns : next);
        if (!(last || sp_told) || !mout.intervals)
            mon_interval();
        if (mout.intervals == 1 && mon_nothing())
            out.failed = ENODATA;
        if (last || mout.intervals == mo.count)
            break;
    }
    mout_end();
    scr_end();
    return 0;
}

/* == 40 check_  kvis check: what works here, and what mends the rest ====================
 * Every ability is found by trying it: a program that is loaded, a tracepoint that is attached, a
 * child that is traced; the files that say what is allowed are only read for the reason. To add an
 * ability: a row of check_rows[] and its function, which fills in c->detail and, where it does not
 * work, c->mend. */

enum { CHECK_TRACE = 1, CHECK_OPEN = 2, CHECK_PROC = 4, CHECK_MONITOR = 8 }; /* by command: bits */

struct check {
    char detail[256], mend[256];
};

static bool PRINTF_LIKE(3, 4) check_say(struct check *c, bool works, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->detail, sizeof c->detail, fmt, ap);
    va_end(ap);
    return works;
}

static bool PRINTF_LIKE(2, 3) check_mend(struct check *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->mend, sizeof c->mend, fmt, ap);
    va_end(ap);
    return false;
}

/* --- the kernel and the rights --- */

static bool check_kernel(struct check *c)
{
    struct utsname u;
    if (uname(&u) < 0)
        return check_say(c, false, "uname: %s", strerror(errno));
    return check_say(c, true, "%s %s %s", u.sysname, u.release, u.machine);
}

static bool check_caps(struct check *c)
{
    static const struct { u8 bit; const char *name; } want[] = {
        { 19, "sys_ptrace" }, { 21, "sys_admin" }, { 38, "perfmon" }, { 39, "bpf" },
    };
    u64 caps = bpf_caps();
    int n = 0;
    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        n += snprintf(c->detail + n, sizeof c->detail - (size_t)n, "%s%c%s", i ? " " : "",
                      caps >> want[i].bit & 1 ? '+' : '-', want[i].name);
    if (caps >> 21 & 1 || (caps >> 38 & 3) == 3)
        return true;
    return check_mend(c, "run it as root (or with CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE)");
}

/* Calls made so that they fail early, each with an errno that no filter gives; 0: it succeeds. */
static const struct { const char *name; long nr, arg[5]; int err; } check_calls[] = {
    { "ptrace", SYS_ptrace, { PTRACE_CONT, INT_MAX, 0, 0, 0 }, ESRCH },
    { "process_vm_readv", SYS_process_vm_readv, { 1, 0, 0, 0, 0 }, 0 },
    { "perf_event_open", SYS_perf_event_open, { 0, 0, 0, -1, -1 }, EINVAL },
    { "seccomp", SYS_seccomp, { INT_MAX, 0, 0, 0, 0 }, EINVAL },
    { "bpf", SYS_bpf, { INT_MAX, 0, 0, 0, 0 }, EINVAL },
};

static bool check_seccomp(struct check *c)
{
    int mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0), n = 0;
    u32 calls = ARRAY_LEN(check_calls) - !(bpf_caps() >> 21 & 1); /* bpf: EPERM means no root */
    char no[128] = "";
    for (u32 i = 0; mode == 2 && i < calls; i++) {
        const long *a = check_calls[i].arg;
        if (syscall(check_calls[i].nr, a[0], a[1], a[2], a[3], a[4], 0L) < 0
            && errno != check_calls[i].err)
            n += snprintf(no + n, sizeof no - (size_t)n, " %s", check_calls[i].name);
    }
    check_say(c, !n, "%s%s", mode < 0   ? "not known: prctl is refused"
                             : mode < 2 ? "no filter on kvis"
                             : n        ? "a filter, as a container's, refuses"
                                        : "a filter, as a container's, but for other calls", no);
    return !n || check_mend(c, "allow these calls in the container's seccomp profile, or run it "
                               "with --privileged");
}

/* --- trace --- */

/* What ptrace can do is tried on a child that stops in a call. */
static bool check_on_child(struct check *c, bool (*try)(struct check *c, pid_t pid))
{
    pid_t pid = fork();
    if (pid < 0)
        return check_say(c, false, "fork: %s", strerror(errno));
    if (!pid)
        for (;;)
            pause();
    bool works = try(c, pid);
    kill(pid, SIGKILL);
    syscall(SYS_wait4, pid, NULL, __WALL, NULL);
    return works;
}

static bool check_seize(struct check *c, pid_t pid)
{
    int status;
    long e = sys_ptrace(PTRACE_SEIZE, pid, 0, NULL);
    if (e < 0) {
        check_mend(c, "allow ptrace in the container's seccomp profile, or --cap-add SYS_PTRACE");
        return check_say(c, false, "PTRACE_SEIZE: %s", strerror((int)-e));
    }
    sys_ptrace(PTRACE_INTERRUPT, pid, 0, NULL);
    syscall(SYS_wait4, pid, &status, __WALL, NULL);
    return check_say(c, true, "PTRACE_SEIZE works");
}

static bool check_ptrace(struct check *c)
{
    return check_on_child(c, check_seize);
}

static bool check_info_of(struct check *c, pid_t pid)
{
    u8 info[88];
    if (!check_seize(c, pid))
        return false;
    long e = sys_ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, info);
    check_mend(c, "nothing needs to be: it is slower (Linux 5.3 has it)");
    return check_say(c, e >= 0, e >= 0 ? "PTRACE_GET_SYSCALL_INFO works"
                                       : "registers are read instead");
}

static bool check_info(struct check *c)
{
    return check_on_child(c, check_info_of);
}

static bool check_memory_of(struct check *c, pid_t pid)
{
    static char word[8] = "kvis";
    char got[8] = "";
    struct iovec to = { got, sizeof got }, from = { word, sizeof word };
    bool works = syscall(SYS_process_vm_readv, pid, &to, 1, &from, 1, 0ul) == sizeof got;
    check_mend(c, "allow process_vm_readv in the container's profile (CONFIG_CROSS_MEMORY_ATTACH)");
    return check_say(c, works, works ? "process_vm_readv works"
                                     : "process_vm_readv: %s; words are read by ptrace instead",
                     strerror(errno));
}

static bool check_memory(struct check *c)
{
    return check_on_child(c, check_memory_of);
}

/* Starts a process that is nobody's descendant of ours; it ends when *end is closed. Its pid, or
 * -errno. */
static pid_t check_stranger(int *end)
{
    int sv[2];
    pid_t pid = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0)
        return -errno;
    pid_t child = fork();
    if (child == 0 && fork() == 0) {
        close(sv[0]);
        pid = getpid();
        for (ssize_t n = write(sv[1], &pid, sizeof pid); n > 0; n = read(sv[1], &pid, sizeof pid))
            ;
    }
    if (child == 0)
        _exit(0);
    close(sv[1]);
    *end = sv[0];
    syscall(SYS_wait4, child, NULL, 0, NULL);
    return child > 0 && read(sv[0], &pid, sizeof pid) == sizeof pid ? pid : -EAGAIN;
}

/* Attaches to one, as -p does. */
static bool check_attach(struct check *c)
{
    long scope = u_file_number("/proc/sys/kernel/yama/ptrace_scope", -1);
    int end = -1;
    pid_t pid = check_stranger(&end);
    long e = pid < 0 ? pid : sys_ptrace(PTRACE_SEIZE, pid, 0, NULL);
    if (end >= 0)
        close(end);
    if (pid > 0)
        syscall(SYS_wait4, pid, NULL, __WALL, NULL);
    check_say(c, true, scope < 0 ? "%s (no Yama)" : "%s (ptrace_scope is %ld)",
              e < 0 ? strerror((int)-e) : "another process of this user", scope);
    return e >= 0 || check_mend(c, "for -p: sysctl kernel.yama.ptrace_scope=0, or run it as root");
}

static bool check_accel(struct check *c)
{
    const char *why = tr_accel_why_not();
    return check_say(c, !why || !strcmp(why, TR_ALL_ASKED), "%s",
                     why && strcmp(why, TR_ALL_ASKED) ? why : "calls nobody asked for do not stop");
}

static bool check_faults(struct check *c)
{
    struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof a, .exclude_hv = 1,
                                 .config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .exclude_kernel = 1 };
    int f = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    long level = u_file_number("/proc/sys/kernel/perf_event_paranoid", -1);
    if (f >= 0)
        close(f);
    check_say(c, true, f < 0 ? "perf_event_open: %s (perf_event_paranoid is %ld)" : "%s%ld",
              f < 0 ? strerror(errno) : "perf_event_paranoid is ", level);
    return f >= 0 || check_mend(c, level > 2 ? "sysctl kernel.perf_event_paranoid=2, or root"
                                             : "allow perf_event_open in the container's profile");
}

/* --- BPF --- */

/* Loads a program of a few instructions; its descriptor or -errno. */
static int check_load_as(u32 type, const struct bpf_insn *insns, u16 n)
{
    static const struct bpf_family none = { .license = "GPL" };
    struct bpf_prog_row r = { .name = "kvis_check", .type = type, .n_insns = n };
    int f;
    do
        f = bpf_prog_load(&none, &r, insns, 0, NULL, 0);
    while (f == -EPERM && bpf_raise_memlock());
    return f;
}

static int check_load(const struct bpf_insn *insns, u16 n)
{
    return check_load_as(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, n);
}

static const struct bpf_insn check_nothing[] = { I_MOV64_IMM(R0, 0), I_EXIT() };

static bool check_denied(struct check *c, const char *what, int e)
{
    check_say(c, false, "%s: %s", what, strerror(-e));
    return check_mend(c, "%s", bpf_denied(e));
}

static bool check_unsupported(int e)
{
    return e == -EINVAL || e == -E2BIG || e == -ENOENT || e == -EOPNOTSUPP;
}

static bool check_bpf(struct check *c)
{
    int f = check_load(check_nothing, ARRAY_LEN(check_nothing));
    if (f < 0)
        return check_denied(c, "bpf(BPF_PROG_LOAD)", f);
    close(f);
    return check_say(c, true, "programs load");
}

static bool check_unprivileged(struct check *c)
{
    long closed = u_file_number("/proc/sys/kernel/unprivileged_bpf_disabled", -1);
    return check_say(c, true, closed < 0 ? "not known (no /proc/sys)"
                              : closed   ? "closed to users without capabilities"
                                         : "open to users (for what kvis does they need more)");
}

/* Reads kernel memory, which lockdown=confidentiality forbids. */
static bool check_lockdown(struct check *c)
{
    static const struct bpf_insn insns[] = {
        I_MOV64_REG(R1, R10), I_ALU64_IMM(ADD, R1, -8), I_MOV64_IMM(R2, 8), I_MOV64_IMM(R3, 0),
        I_CALL(probe_read_kernel), I_MOV64_IMM(R0, 0), I_EXIT(),
    };
    char said[128];
    bool confidential = tfs_lockdown(said);
    int f = check_load(insns, ARRAY_LEN(insns));
    if (f >= 0)
        close(f);
    check_say(c, true, "%s", said[0] ? said : "none");
    return f >= 0 || !confidential
           || check_mend(c, "boot with lockdown=integrity or none: BPF may not read the kernel");
}

/* struct bpf_prog_info.jited_prog_len, which the kernel shows to who may load programs. */
static bool check_jit(struct check *c)
{
    u32 info[6] = { 0 };
    int f = check_load(check_nothing, ARRAY_LEN(check_nothing));
    union bpf_attr a;
    memset(&a, 0, sizeof a);
    a.info.bpf_fd = (u32)f;
    a.info.info_len = sizeof info;
    a.info.info = (uintptr_t)info;
    int e = f < 0 ? f : bpf_call(BPF_OBJ_GET_INFO_BY_FD, &a, BPF_ATTR_TO(info));
    if (f >= 0)
        close(f);
    if (e < 0)
        return check_denied(c, "a program to look at", e);
    check_say(c, true, info[4] ? "programs are compiled" : "off: programs are interpreted");
    return info[4] || check_mend(c, "sysctl net.core.bpf_jit_enable=1");
}

static bool check_raw_tp(struct check *c)
{
    int prog = check_load(check_nothing, ARRAY_LEN(check_nothing));
    int link = prog < 0 ? prog : bpf_attach_raw("sched_process_exit", prog);
    if (prog >= 0)
        close(prog);
    if (link < 0)
        return check_denied(c, "BPF_RAW_TRACEPOINT_OPEN", link);
    close(link);
    return check_say(c, true, "attached to one");
}

static bool check_send_signal(struct check *c)
{
    static const struct bpf_insn insns[] = { I_MOV64_IMM(R1, 0), I_CALL(send_signal_thread),
                                             I_MOV64_IMM(R0, 0), I_EXIT() };
    int f = check_load(insns, ARRAY_LEN(insns));
    if (f < 0 && check_unsupported(f)) {
        check_mend(c, "Linux 5.6 has it; without it -v is by ptrace");
        return check_say(c, false, "bpf_send_signal_thread: %s", strerror(-f));
    }
    if (f < 0)
        return check_denied(c, "bpf_send_signal_thread", f);
    close(f);
    return check_say(c, true, "bpf_send_signal_thread loads");
}

static bool check_ring(struct check *c)
{
    struct bpf_map_row ring = { .name = "kvis_check", .type = BPF_MAP_TYPE_RINGBUF,
                                .max_entries = (u32)sysconf(_SC_PAGESIZE) };
    int f = bpf_map_create(&ring);
    if (f < 0 && check_unsupported(f)) {
        check_mend(c, "Linux 5.8 has it; a perf ring for each CPU is taken instead");
        return check_say(c, false, "%s", strerror(-f));
    }
    if (f < 0)
        return check_denied(c, "a map", f);
    close(f);
    return check_say(c, true, "works");
}

/* A perf ring: an event that programs write to, and its place in a map. */
static bool check_perf_rings(struct check *c)
{
    struct bpf_map_row row = { .name = "kvis_check", .type = BPF_MAP_TYPE_PERF_EVENT_ARRAY,
                               .key_size = 4, .value_size = 4, .max_entries = bpf_possible() };
    struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof a,
                                 .config = PERF_COUNT_SW_BPF_OUTPUT,
                                 .sample_type = PERF_SAMPLE_RAW, .sample_period = 1 };
    u32 cpu = (u32)bpf_online_cpu();
    int map = bpf_map_create(&row);
    int f = map < 0 ? map : (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, 8);
    int e = map < 0 ? map : f < 0 ? -errno : bpf_map_do(BPF_MAP_UPDATE_ELEM, map, &cpu, &f);
    if (map >= 0)
        close(map);
    if (f >= 0)
        close(f);
    return e < 0 ? check_denied(c, map < 0 ? "a map" : "perf_event_open", e)
                 : check_say(c, true, "work");
}

static bool check_btf(struct check *c)
{
    struct btf_want w = { .name = "task_struct.pid" };
    char why[WHY_LEN] = "";
    if (btf_resolve(NULL, &w, 1, why) == 0 && !w.err)
        return check_say(c, true, "/sys/kernel/btf/vmlinux");
    check_mend(c, "a kernel with CONFIG_DEBUG_INFO_BTF");
    return check_say(c, false, "%s", why[0] ? why : "no task_struct.pid in it");
}

static bool check_tracefs(struct check *c)
{
    char why[WHY_LEN] = "";
    int dir = tfs_dir(why);
    int id = dir < 0 ? dir : tfs_event_id("sched/sched_process_exec");
    check_mend(c, "root, and a kernel with CONFIG_FTRACE that is not locked down");
    return check_say(c, id > 0, "%s", dir < 0 ? why : id < 0 ? tfs.why : "reached");
}

/* Attaches an empty program at the entry and at the return of a function that every kernel has. */
static bool check_kprobe(struct check *c)
{
    static const char symbol[] = "do_exit";
    int prog = check_load_as(BPF_PROG_TYPE_KPROBE, check_nothing, ARRAY_LEN(check_nothing));
    int at = prog < 0 ? prog : bpf_attach_kprobe(symbol, false, prog);
    int ret = at < 0 ? at : bpf_attach_kprobe(symbol, true, prog);
    if (prog >= 0)
        close(prog);
    if (at >= 0)
        close(at);
    if (ret == -ENOENT) {
        check_mend(c, "a kernel with CONFIG_KPROBES");
        return check_say(c, false, "%s: no kprobes", symbol);
    }
    if (ret < 0)
        return check_denied(c, symbol, ret);
    close(ret);
    return check_say(c, true, "attached to %s and its return", symbol);
}

/* A program that runs when a counter overflows. */
static bool check_perf_program(struct check *c)
{
    struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof a,
                                 .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000000000 };
    int prog = check_load_as(BPF_PROG_TYPE_PERF_EVENT, check_nothing, ARRAY_LEN(check_nothing));
    int f = prog < 0 ? prog : bpf_attach_perf(&a, prog);
    if (prog >= 0)
        close(prog);
    if (f < 0)
        return check_denied(c, "a program on a perf event", f);
    close(f);
    return check_say(c, true, "attached to a clock");
}

/* Fields that a family's programs name and this kernel has not: "" when all are there. */
static void check_missing(const struct bpf_obj *o, const struct bpf_prog_row *r, char *s, size_t n)
{
    s[0] = 0;
    for (u32 i = 0; i < r->n_patches; i++)
        if (bpf_looks_at(r, &r->patches[i]) && !bpf_has_field(o, r->patches[i].name)
            && !strstr(s, r->patches[i].name))
            snprintf(s + strlen(s), n - strlen(s), " %s", r->patches[i].name);
}

static struct bpf_obj check_obj; /* the family that was tried last: for its programs' rows */

/* Loads all programs of a family, each by itself. */
static int check_family(struct check *c, const struct bpf_family *fam)
{
    struct bpf_obj *o = &check_obj;
    u32 n = 0;
    *o = (struct bpf_obj){ .fam = fam, .ring = true, .ring_bytes = 64 << 10 };
    if (fam == &sched_family || fam == &blk_family)
        o->entries = mk_sched_entries;
    int e = bpf_open(o);
    if (e) {
        check_say(c, false, "%.200s", o->why);
        check_mend(c, "%s", bpf_denied(e));
        return e;
    }
    bpf_find_fields(o, NULL);
    bpf_find_records(o, (1u << fam->n_progs) - 1);
    for (u32 i = 0; i < fam->n_progs; i++)
        n += bpf_load_one(o, i) == 0;
    check_say(c, true, n == fam->n_progs ? "all %u load" : "%u of %u load", n, fam->n_progs);
    return 0;
}

/* Whether those load that a run would take here. */
static bool check_loaded(struct check *c, u32 must)
{
    if ((check_obj.loaded & must) == must)
        return true;
    u32 missing = must & ~check_obj.loaded, i = 0;
    while (!(missing >> i & 1))
        i++;
    bpf_load_one(&check_obj, i); /* again, for its reason */
    return check_mend(c, "%.200s", check_obj.why);
}

static bool check_open_programs(struct check *c)
{
    u32 must = 0;
    if (check_family(c, &open_family) < 0)
        return false;
    if (open_choose(&check_obj, true, &must) < 0)
        return check_mend(c, "%.200s", check_obj.why);
    return check_loaded(c, must);
}

static bool check_proc_programs(struct check *c)
{
    return check_family(c, &proc_family) == 0 && check_loaded(c, proc_choose(&check_obj));
}

static bool check_call_programs(struct check *c)
{
    return check_family(c, &call_family) == 0 && check_loaded(c, hy_programs(true));
}

static bool check_disk_programs(struct check *c)
{
    return check_family(c, &disk_family) == 0
           && check_loaded(c, (1u << ARRAY_LEN(disk_progs)) - 1);
}

static bool check_uring_programs(struct check *c)
{
    return check_family(c, hy_uring_family()) == 0
           && check_loaded(c, (1u << ARRAY_LEN(uring_progs)) - 1);
}

static bool check_sched_programs(struct check *c)
{
    return check_family(c, &sched_family) == 0
           && check_loaded(c, mk_programs(&check_obj, mk_sched_field));
}

static bool check_blk_programs(struct check *c)
{
    return check_family(c, &blk_family) == 0
           && check_loaded(c, mk_programs(&check_obj, mk_blk_field));
}

/* Attaches a program that does nothing to where one of the family's would go. */
static int check_place(const struct bpf_prog_row *r)
{
    int prog = check_load_as(r->type, check_nothing, ARRAY_LEN(check_nothing));
    int f = prog;
    if (prog >= 0)
        f = r->type == BPF_PROG_TYPE_RAW_TRACEPOINT ? bpf_attach_raw(r->attach, prog)
            : r->type == BPF_PROG_TYPE_TRACEPOINT   ? bpf_attach_tp(r->attach, prog)
                                                    : bpf_attach_kprobe(r->attach, r->is_ret, prog);
    if (prog >= 0)
        close(prog);
    if (f >= 0)
        close(f);
    return MIN(f, 0);
}

/* A program's row: its place, and which of the fields that it names are not here. */
static bool check_program(struct check *c, u32 i)
{
    const struct bpf_prog_row *r = &check_obj.fam->progs[i];
    char lack[160];
    u32 fields = 0;
    int e = check_place(r);
    for (u32 k = 0; k < r->n_patches; k++) {
        u32 first = 0;
        while (strcmp(r->patches[first].name, r->patches[k].name))
            first++;
        fields += first == k && bpf_looks_at(r, &r->patches[k]);
    }
    check_missing(&check_obj, r, lack, sizeof lack);
    bool works = check_obj.loaded >> i & 1 && !e;
    if (e)
        check_say(c, works, "%s: %s", r->attach, strerror(-e));
    else
        check_say(c, works, "%s, %u fields%s%s", r->attach, fields,
                  *lack ? ", not here:" : "", lack);
    if (!works && !e && bpf_load_one(&check_obj, i) < 0)
        check_mend(c, "%.200s", check_obj.why);
    return works;
}

/* --- hardware --- */

static bool check_pmu(struct check *c)
{
    struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE, .size = sizeof a,
                                 .config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1 };
    int f = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    int e = errno, n = 0;
    DIR *d = opendir("/sys/bus/event_source/devices");
    for (struct dirent *de; d && (de = readdir(d));)
        if (de->d_name[0] != '.' && n < (int)sizeof c->detail - 64)
            n += snprintf(c->detail + n, sizeof c->detail - (size_t)n, "%s%s", n ? " " : "",
                          de->d_name);
    if (d)
        closedir(d);
    snprintf(c->detail + n, sizeof c->detail - (size_t)n, "%s%s", f < 0 ? "; cycles: " : "",
             f < 0 ? strerror(e) : "");
    if (f >= 0)
        close(f);
    bool denied = e == EACCES || e == EPERM;
    return f >= 0 || check_mend(c, denied ? "sysctl kernel.perf_event_paranoid=2, or root"
                                          : "of a virtual machine: let it have a PMU");
}

/* needed: without it the command does not work; useful: it does less, or is slower. Neither: told
 * for who looks for the reason of something. */
static const struct check_row {
    const char *name;
    u8 needed, useful;
    bool (*fn)(struct check *);
} check_rows[] = {
    { "kernel", 0, 0, check_kernel },
    { "capabilities", 0, CHECK_OPEN | CHECK_PROC | CHECK_MONITOR, check_caps },
    { "lockdown", CHECK_OPEN | CHECK_PROC, CHECK_TRACE | CHECK_MONITOR, check_lockdown },
    { "seccomp", 0, CHECK_OPEN | CHECK_TRACE | CHECK_PROC | CHECK_MONITOR, check_seccomp },
    { "ptrace", CHECK_TRACE, 0, check_ptrace },
    { "ptrace_syscall_info", 0, CHECK_TRACE, check_info },
    { "tracee_memory", 0, CHECK_TRACE, check_memory },
    { "attach", 0, CHECK_TRACE, check_attach },
    { "seccomp_accel", 0, CHECK_TRACE, check_accel },
    { "page_faults", 0, CHECK_TRACE, check_faults },
    { "bpf", CHECK_OPEN | CHECK_PROC, CHECK_TRACE | CHECK_MONITOR, check_bpf },
    { "unprivileged_bpf", 0, 0, check_unprivileged },
    { "bpf_jit", 0, CHECK_OPEN | CHECK_TRACE | CHECK_PROC | CHECK_MONITOR, check_jit },
    { "raw_tracepoints", CHECK_OPEN, CHECK_TRACE | CHECK_PROC | CHECK_MONITOR, check_raw_tp },
    { "ring_buffer", 0, CHECK_OPEN | CHECK_TRACE | CHECK_PROC, check_ring },
    { "perf_rings", 0, CHECK_OPEN | CHECK_PROC, check_perf_rings },
    { "btf", 0, CHECK_OPEN | CHECK_TRACE | CHECK_PROC | CHECK_MONITOR, check_btf },
    { "tracefs", 0, CHECK_OPEN | CHECK_PROC | CHECK_MONITOR, check_tracefs },
    { "open_programs", CHECK_OPEN, 0, check_open_programs },
    { "proc_programs", CHECK_PROC, 0, check_proc_programs },
    { "call_programs", 0, CHECK_TRACE, check_call_programs },
    { "disk_programs", 0, CHECK_TRACE, check_disk_programs },
    { "uring_programs", 0, CHECK_TRACE, check_uring_programs },
    { "sched_programs", 0, CHECK_MONITOR, check_sched_programs },
    { "block_programs", 0, CHECK_MONITOR, check_blk_programs },
    { "send_signal", 0, CHECK_TRACE, check_send_signal },
    { "kprobes", 0, 0, check_kprobe },
    { "perf_programs", 0, 0, check_perf_program },
    { "pmu", 0, CHECK_MONITOR, check_pmu },
};

static const struct { const char *name; u8 bit; } check_commands[] = {
    { "trace", CHECK_TRACE }, { "open", CHECK_OPEN }, { "proc", CHECK_PROC },
    { "monitor", CHECK_MONITOR },
};

/* The commands behind a set of bits, separated; "-" for none. */
static void check_names(struct buf *b, u8 bits, const char *quote, const char *none)
{
    u32 from = b->len;
    for (size_t i = 0; i < ARRAY_LEN(check_commands); i++)
        if (bits & check_commands[i].bit)
            b_f(b, "%s%s%s%s", b->len > from ? "," : "", quote, check_commands[i].name, quote);
    if (b->len == from)
        b_s(b, none);
}

static void check_text(struct buf *b, const struct check_row *r, const struct check *c, bool works)
{
    static struct buf names;
    b_reset(&names);
    check_names(&names, r->needed | r->useful, "", "-");
    b_f(b, "%-20s %-5s %.*s%*s ", r->name, works ? "yes" : r->needed ? "NO" : "no", (int)names.len,
        names.p, (int)MAX(0, 11 - (int)names.len), "");
    b_esc(b, c->detail, strlen(c->detail), 0);
    if (!works && c->mend[0])
        b_s(b, "\n                           mend: "), b_esc(b, c->mend, strlen(c->mend), 0);
    b_c(b, '\n');
}

static void check_json(struct buf *b, const struct check_row *r, const struct check *c, bool works)
{
    b_f(b, "{\"type\":\"check\",\"name\":\"%s\",\"works\":%s,\"needed_by\":[", r->name,
        works ? "true" : "false");
    check_names(b, r->needed, "\"", "");
    b_s(b, "],\"useful_for\":[");
    check_names(b, r->useful, "\"", "");
    b_s(b, "],");
    out_json_str(b, "detail", c->detail, (u32)strlen(c->detail));
    if (!works && c->mend[0])
        b_c(b, ','), out_json_str(b, "mend", c->mend, (u32)strlen(c->mend));
    b_s(b, "}\n");
}

static void check_tell(struct buf *b, bool json, const struct check_row *r, const struct check *c,
                       bool works)
{
    json ? check_json(b, r, c, works) : check_text(b, r, c, works);
}

/* The programs of the family that a row was about, each with its tracepoint and fields. A kernel
 * need not have all: there are several for one purpose. */
static void check_programs(struct buf *b, bool json, const struct check_row *family)
{
    for (u32 i = 0; i < check_obj.fam->n_progs && check_obj.map[0] >= 0; i++) {
        struct check c = { "", "" };
        struct check_row r = { check_obj.fam->progs[i].name, 0, family->needed | family->useful,
                               NULL };
        bool works = check_program(&c, i);
        check_tell(b, json, &r, &c, works);
    }
    bpf_close(&check_obj);
    check_obj.fam = NULL;
}

/* --- kvis check cpu: which CPU it is, and which of its events are counted for what --- */

static bool check_cpu_id(struct check *c)
{
    if (pmc.vendor[0])
        check_say(c, true, "%s family %u model %u stepping %u: %s", pmc.vendor, pmc.family,
                  pmc.model_nr, pmc.stepping, pmc.model);
    else
        check_say(c, true, "%s", pmc.n_pmus && pmc_pmus[0].core[0] ? pmc_pmus[0].core
                                                                    : "not known");
    return pmc.n_pmus || check_mend(c, "no PMU of the CPU in %s (of a virtual machine: let it have "
                                    "one)", met_path("/sys/bus/event_source/devices"));
}

static bool check_cpu_pmu(struct check *c, const struct pmc_pmu *p)
{
    const char *from = p->source ? p->source : "what the PMU's events/ lists";
    if (!p->known && pmc.vendor[0])
        from = "no list for this core: the kernel's generic events";
    return check_say(c, p->known, "%s, type %u, CPUs %s; %s", p->core[0] ? p->core : "unknown core",
                     p->type, p->all ? "all" : p->cpus, from);
}

/* An event is tried by counting kvis itself. */
static bool check_cpu_event(struct check *c, struct pmc_pmu *p, u32 role)
{
    const struct pmc_code *code = &p->code[role];
    struct pmc_unit self = { .cpu = -1, .tid = getpid() };
    int e = p->err[role], n = 0;
    if (!e) {
        e = pmc_open_one(code, &self, -1);
        if (e >= 0)
            close(e);
    }
    if (code->name)
        n = snprintf(c->detail, sizeof c->detail, "%.*s",
                     (int)strcspn(code->name, code->alias ? " " : ""), code->name);
    if (code->name)
        snprintf(c->detail + n, sizeof c->detail - (size_t)n, "%s type %u config 0x%" PRIx64,
                 code->generic ? " (generic)" : "", code->type, code->config);
    return e >= 0 || check_mend(c, "%s", pmc_reason(role, e));
}

static bool check_cpu(struct buf *b, bool json)
{
    struct check c = { "", "" };
    struct check_row row = { "processor", 0, 0, NULL };
    bool works = (pmc_look(), check_cpu_id(&c));
    check_tell(b, json, &row, &c, works);
    for (u32 k = 0; k < pmc.n_pmus; k++) {
        struct pmc_pmu *p = &pmc_pmus[k];
        char name[MET_NAME + 32];
        row.name = p->name;
        c = (struct check){ "", "" };
        bool known = check_cpu_pmu(&c, p);
        check_tell(b, json, &row, &c, known);
        for (u32 r = 0; r < N_PR; r++) {
            if (r >= PR_METRICS && !p->code[r].name)
                continue;
            c = (struct check){ "", "" };
            snprintf(name, sizeof name, "%.*s%s%s", MET_NAME, pmc.n_pmus > 1 ? p->name : "",
                     pmc.n_pmus > 1 ? "/" : "", pmc_roles[r].name);
            row.name = name;
            bool got = check_cpu_event(&c, p, r);
            check_tell(b, json, &row, &c, got);
            works &= got || r > PR_INS;
        }
    }
    if (json)
        b_f(b, "{\"type\":\"summary\",\"works\":%s}\n", works ? "true" : "false");
    return works;
}

/* Tries everything that the commands of `bits` can use, and tells it as rows or as JSON lines.
 * Returns whether all that they need works. */
static bool check_run(u8 bits, bool json, struct buf *b)
{
    bool all = true;
    if (!json)
        b_f(b, "%-20s %-5s %-11s %s\n", "ABILITY", "WORKS", "FOR", "DETAIL");
    for (size_t i = 0; i < ARRAY_LEN(check_rows); i++) {
        const struct check_row *r = &check_rows[i];
        struct check c = { "", "" };
        if ((r->needed | r->useful) && !((r->needed | r->useful) & bits))
            continue;
        bool works = r->fn(&c);
        all &= works || !(r->needed & bits);
        check_tell(b, json, r, &c, works);
        if (check_obj.fam)
            check_programs(b, json, r);
    }
    if (json)
        b_f(b, "{\"type\":\"summary\",\"works\":%s}\n", all ? "true" : "false");
    return all;
}

/* == 41 opt_  options, commands, help ===========================================
 * One row an option: the parser, --help, `kvis help` and the error messages all read it. To add an
 * option, add its row; to add a command, its row in cmds[]. */

enum opt_kind {
    OPT_FLAG, /* bool: set */
    OPT_COUNT, /* u8: one more each time */
    OPT_U32,  /* u32 in min..max */
    OPT_STR,
    OPT_FN,   /* fn(value) returns NULL or what is wrong with it */
    OPT_NONE, /* accepted for strace's sake: kvis does it anyway */
};

struct opt_row {
    u16 in; /* commands that have it: IN_ bits */
    char s; /* letter, 0: none */
    const char *l, *arg; /* arg: NULL none; "[=X]" optional */
    u8 kind;
    void *dest;
    const char *(*fn)(const char *);
    u32 min, max;
    const char *help;
};

struct cmd {
    const char *name, *alias; /* alias: the same by argv[0], NULL: none */
    const char *args, *brief;
    u16 in; /* its bit in opt_rows[] */
    int (*run)(void);
    bool mixed; /* options may also stand behind the words: they are not a command's */
};

static const char *opt_push(const char ***list, u32 *n, const char *v)
{
    *list = xrealloc(*list, (*n + 1) * sizeof **list);
    (*list)[(*n)++] = v;
    return NULL;
}

static const char *opt_pid(const char *v)
{
    while (*v) { /* -p 1,2 3 as strace: numbers with anything between that is none */
        char *end;
        long pid = strtol(v, &end, 10);
        if (end == v || pid <= 0 || pid > INT_MAX || (*end && !strchr(", \t\n", *end)))
            return "not a process id";
        u32 k = 0;
        while (k < opt.n_pids && opt.pids[k] != pid)
            k++;
        if (k == opt.n_pids)
            opt.pids = xrealloc(opt.pids, ++opt.n_pids * sizeof *opt.pids);
        opt.pids[k] = (pid_t)pid;
        v = end + strspn(end, ", \t\n");
    }
    return opt.n_pids ? NULL : "not a process id";
}

static const char *opt_path(const char *v)
{
    static char cwd[PATH_MAX];
    if (*v != '/' && *v != '*' && getcwd(cwd, sizeof cwd)) {
        size_t n = strlen(cwd) + strlen(v) + 2;
        char *abs = xrealloc(NULL, n);
        snprintf(abs, n, "%s/%s", cwd, !strncmp(v, "./", 2) ? v + 2 : v);
        v = abs;
    }
    return opt_push(&opt.paths, &opt.n_paths, v);
}

static const char *opt_env(const char *v)
{
    return *v && *v != '=' ? opt_push(&opt.env, &opt.n_env, v) : "not NAME=VALUE or NAME";
}

/* NAME,NAME... */
static const char *opt_proc_env(const char *v)
{
    char *names = strdup(v);
    const char *wrong = names ? NULL : "out of memory";
    for (char *name = names; !wrong && (name = strtok(name, ",")); name = NULL)
        wrong = strchr(name, '=') ? "names of variables, please, without their values"
                                  : opt_push(&po.env, &po.n_env, name);
    if (wrong)
        return wrong;
    return po.n_env ? NULL : "a name is missing";
}

static const char *opt_ok_only(const char *v)
{
    (void)v;
    opt.status = CALL_SUCCESSFUL;
    return NULL;
}

static const char *opt_failed_only(const char *v)
{
    (void)v;
    opt.status = CALL_FAILED;
    return NULL;
}

/* Reads [!]WORD,WORD... or all or none into a set of bits; bit_of gives a word's, 0: there is no
 * such word. False when one is wrong. */
static bool opt_set(const char *v, u64 all, u64 (*bit_of)(const char *), u64 *set)
{
    bool invert = *v == '!';
    char word[32];
    *set = 0;
    v += invert;
    if (!strcmp(v, "all") || !strcmp(v, "none")) {
        *set = *v == 'a' ? all : 0;
        v = "";
    } else if (!*v) {
        return false;
    }
    while (*v) {
        size_t n = strcspn(v, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, v);
        u64 bit = bit_of(word);
        if (!bit)
            return false;
        *set |= bit;
        v += n + (v[n] == ',');
    }
    if (invert)
        *set = all & ~*set;
    return true;
}

static u64 opt_status_bit(const char *word)
{
    static const struct { const char *name; u8 bit; } row[] = {
        { "successful", CALL_SUCCESSFUL }, { "failed", CALL_FAILED },
        { "unfinished", CALL_UNFINISHED }, { "unavailable", CALL_UNAVAILABLE },
        { "detached", CALL_DETACHED },
    };
    for (size_t i = 0; i < ARRAY_LEN(row); i++)
        if (!strcmp(word, row[i].name))
            return row[i].bit;
    return 0;
}

static const char *opt_status(const char *v)
{
    u64 set;
    if (!opt_set(v, CALL_ALL, opt_status_bit, &set))
        return "allowed are successful, failed, unfinished, unavailable, detached, all, none";
    opt.status = (u8)set;
    return NULL;
}

/* A signal's number, or its name with SIG or without, in any case. */
static u64 opt_signal_bit(const char *word)
{
    char *end;
    long n = isdigit((u8)*word) ? strtol(word, &end, 10) : 0;
    if (n && !*end && n <= 64)
        return 1ull << (n - 1);
    for (int sig = 1; sig <= 64 && !n; sig++) {
        const char *name = u_signame(sig);
        if (!strcasecmp(word, name) || !strcasecmp(word, name + 3))
            return 1ull << (sig - 1);
    }
    return 0;
}

static const char *opt_signal(const char *v)
{
    u64 set;
    if (!opt_set(v, ~0ull, opt_signal_bit, &set))
        return "allowed are [!]SIGNAL,... by name or number, all, none";
    opt.signals = set;
    return NULL;
}

static const char *opt_trace(const char *v)
{
    static char msg[128];
    const char *wrong = sc_parse(v);
    opt.trace = v;
    if (wrong)
        snprintf(msg, sizeof msg, "no call or class is named '%s' (`?%s` ignores that)", wrong,
                 wrong);
    return wrong ? msg : NULL;
}

static const char *opt_expr(const char *v)
{
    static const struct { const char *key; const char *(*fn)(const char *); } form[] = {
        { "trace=", opt_trace }, { "t=", opt_trace }, { "status=", opt_status },
        { "signal=", opt_signal }, { "signals=", opt_signal }, { "s=", opt_signal },
    };
    for (size_t i = 0; i < ARRAY_LEN(form); i++)
        if (!strncmp(v, form[i].key, strlen(form[i].key)))
            return form[i].fn(v + strlen(form[i].key));
    if (strchr(v, '='))
        return "allowed are trace=, status=, signal=";
    return opt_trace(v);
}

static const char *opt_json(const char *v)
{
    opt.json = true;
    opt.json_file = v && strcmp(v, "-") ? v : NULL;
    return v && !*v ? "a file's name is missing" : NULL;
}

static const char *opt_report(const char *v)
{
    opt.report = v && *v ? v : "report.html";
    return NULL;
}

static const char *opt_color(const char *v)
{
    opt.color = !strcmp(v, "always")  ? 'a'
                : !strcmp(v, "never") ? 'n'
                : !strcmp(v, "auto")  ? 0
                                      : 'x';
    return opt.color == 'x' ? "allowed are auto, always, never" : NULL;
}

static const char *opt_by(const char *v)
{
    opt.by_pid = !strcmp(v, "pid");
    return opt.by_pid ? NULL : "allowed is pid";
}

static const char *opt_sort(const char *v)
{
    static const char *const key[] = { "time", "calls", "errors", "name",
                                       "max",  "p50",   "p99",    "avg-time" };
    for (size_t i = 0; i < ARRAY_LEN(key); i++)
        if (!strcmp(v, key[i])) {
            opt.sort = key[i];
            return NULL;
        }
    return "allowed are time, calls, errors, name, avg-time, p50, p99, max";
}

static const char *opt_backend(const char *v)
{
    opt.backend = *v;
    return !strcmp(v, "auto") || !strcmp(v, "ptrace") || !strcmp(v, "hybrid")
               ? NULL : "allowed are auto, ptrace, hybrid";
}

static const char *opt_ring(const char *v)
{
    char *end;
    unsigned long kb = strtoul(v, &end, 10);
    kb *= *end == 'M' ? 1024 : 1;
    end += *end == 'K' || *end == 'M';
    if (!*v || *end || kb < 64 || kb > 64 << 10 || kb & (kb - 1))
        return "not a power of two from 64K to 64M";
    opt.ring_bytes = (u32)kb << 10;
    return NULL;
}

static const char *opt_relative(const char *v)
{
    (void)v;
    opt.timefmt = 'r';
    return NULL;
}

/* Which commands have an option. VIEW: what a trace and its recording can both be shown as. */
enum {
    IN_TRACE = 1,
    IN_REPLAY = 2,
    IN_VIEW = IN_TRACE | IN_REPLAY,
    IN_DIFF = 4,
    IN_OPEN = 8,
    IN_CHECK = 16,
    IN_PROC = 32,
    IN_EXECS = 64,
    IN_EXITS = 128,
    IN_PROCS = IN_PROC | IN_EXECS | IN_EXITS,
    IN_MONITOR = 256,
    IN_ALL = 511
};

static const struct opt_row opt_rows[] = {
    { IN_TRACE, 'p', "attach", "PID", OPT_FN, NULL, opt_pid, 0, 0,
      "trace a running process and its threads; repeatable" },
    { IN_TRACE, 'v', "verbose", NULL, OPT_COUNT, &opt.verbose, NULL, 0, 0,
      "every call, decoded, with result and time" },
    { IN_REPLAY, 'v', "verbose", NULL, OPT_COUNT, &opt.verbose, NULL, 0, 0,
      "every call (when it was recorded with -v)" },
    { IN_VIEW, 'q', "quiet", NULL, OPT_FLAG, &opt.quiet, NULL, 0, 0, "the summary only" },
    { IN_VIEW, 'c', "summary-only", NULL, OPT_FLAG, &opt.count_only, NULL, 0, 0,
      "only a table: calls, errors, time, p50, p99, max" },
    { IN_VIEW, 'C', "summary", NULL, OPT_FLAG, &opt.count_too, NULL, 0, 0, "the table as well" },
    { IN_TRACE, 'i', "interval", "SECS", OPT_U32, &opt.interval_s, NULL, 1, 86400,
      "print the table every SECS (with -c or -C)" },
    { IN_VIEW, 0, "by", "pid", OPT_FN, NULL, opt_by, 0, 0, "a table for each process too" },
    { IN_VIEW, 'S', "summary-sort-by", "KEY", OPT_FN, NULL, opt_sort, 0, 0,
      "sort the table by time, calls, errors, name, avg-time, p50, p99 or max" },
    { IN_VIEW, 'e', "trace", "EXPR", OPT_FN, NULL, opt_expr, 0, 0,
      "trace=NAME,%class,/regex,?maybe or !set; status=failed,...; signal=NAME,..." },
    { IN_VIEW, 'P', "trace-path", "GLOB", OPT_FN, NULL, opt_path, 0, 0,
      "only what touches such a path; repeatable" },
    { IN_VIEW, 'z', "successful-only", NULL, OPT_FN, NULL, opt_ok_only, 0, 0,
      "only what succeeded" },
    { IN_VIEW, 'Z', "failed-only", NULL, OPT_FN, NULL, opt_failed_only, 0, 0, "only what failed" },
    { IN_VIEW, 'x', NULL, NULL, OPT_FN, NULL, opt_failed_only, 0, 0, "the same (bcc's letter)" },
    { IN_TRACE, 's', "string-limit", "N", OPT_U32, &opt.strlen_max, NULL, 0, 65536,
      "show N bytes of strings (32)" },
    { IN_VIEW, 't', "absolute-timestamps", NULL, OPT_COUNT, &opt.timefmt, NULL, 0, 0,
      "time of day; -tt with microseconds, -ttt as seconds since 1970" },
    { IN_VIEW, 'r', "relative-timestamps", NULL, OPT_FN, NULL, opt_relative, 0, 0,
      "time since the line before" },
    { IN_VIEW, 0, "json", "[=FILE]", OPT_FN, NULL, opt_json, 0, 0,
      "JSON lines to FILE; without, to stdout and no text events" },
    { IN_VIEW, 'o', "output", "FILE", OPT_STR, &opt.out_file, NULL, 0, 0,
      "the text to FILE as well as to stderr" },
    { IN_PROC, 'w', "write", "FILE", OPT_STR, &opt.record, NULL, 0, 0,
      "record all processes to FILE, for kvis replay" },
    { IN_TRACE, 'w', "write", "FILE", OPT_STR, &opt.record, NULL, 0, 0,
      "record to FILE what is traced, for kvis replay (with -v: every call)" },
    { IN_REPLAY, 'w', "write", "FILE", OPT_STR, &opt.record, NULL, 0, 0,
      "a recording of what is left by -e, -P, -z" },
    { IN_VIEW | IN_PROC, 0, "report", "[=FILE]", OPT_FN, NULL, opt_report, 0, 0,
      "an HTML page of it all (report.html)" },
    { IN_VIEW | IN_PROC, 0, "max-report-events", "N", OPT_U32, &opt.report_events, NULL, 1,
      100000000, "the report holds N events, the most telling (2000000)" },
    { IN_TRACE, 0, "perfetto", "FILE", OPT_STR, &opt.perfetto, NULL, 0, 0,
      "a trace for ui.perfetto.dev, of every call" },
    { IN_REPLAY | IN_PROC, 0, "perfetto", "FILE", OPT_STR, &opt.perfetto, NULL, 0, 0,
      "a trace for ui.perfetto.dev" },
    { IN_TRACE, 0, "faults", NULL, OPT_FLAG, &opt.faults, NULL, 0, 0, "page faults, by region" },
    { IN_TRACE, 0, "page-faults", NULL, OPT_FLAG, &opt.faults, NULL, 0, 0, "the same" },
    { IN_VIEW, 0, "no-filter", NULL, OPT_FLAG, &opt.no_filter, NULL, 0, 0,
      "show also libraries, /proc, /sys, /dev and loopback peers in text" },
    { IN_VIEW, 0, "color", "WHEN", OPT_FN, NULL, opt_color, 0, 0, "auto, always or never" },
    { IN_TRACE, 'u', "user", "USER", OPT_STR, &opt.user, NULL, 0, 0, "run the command as USER" },
    { IN_TRACE, 'E', "env", "VAR[=VAL]", OPT_FN, NULL, opt_env, 0, 0,
      "set VAR for the command, or remove it" },
    { IN_TRACE, 'd', "duration", "SECS", OPT_U32, &opt.duration_s, NULL, 1, 86400 * 365,
      "stop after SECS" },
    { IN_TRACE, 0, "until-exit", NULL, OPT_FLAG, &opt.until_exit, NULL, 0, 0,
      "end with the command, not with its last descendant" },
    { IN_TRACE, 0, "kill-on-exit", NULL, OPT_FLAG, &opt.kill_on_exit, NULL, 0, 0,
      "what is traced is killed when kvis ends or is killed" },
    { IN_TRACE, 0, "no-accel", NULL, OPT_FLAG, &opt.no_accel, NULL, 0, 0,
      "no seccomp filter: every call stops" },
    { IN_TRACE, 0, "same-cpu", NULL, OPT_FLAG, &opt.same_cpu, NULL, 0, 0,
      "kvis and the command on one CPU: faster, but it is seen by the command" },
    { IN_TRACE, 0, "backend", "NAME", OPT_FN, NULL, opt_backend, 0, 0,
      "auto, ptrace (every call stops) or hybrid (BPF records them)" },
    { IN_TRACE, 0, "no-ebpf", NULL, OPT_FLAG, &opt.no_ebpf, NULL, 0, 0,
      "hybrid: without what the scheduler and the disks did behind the calls" },
    { IN_TRACE, 0, "bpf-stats", NULL, OPT_FLAG, &opt.bpf_stats, NULL, 0, 0,
      "hybrid: the time that its programs take, which this makes longer" },
    { IN_TRACE, 0, "min-sched-delay", "US", OPT_U32, &opt.min_delay_us, NULL, 1, 1000000000,
      "hybrid: show waits for a CPU from US microseconds on (100)" },
    { IN_REPLAY, 0, "min-sched-delay", "US", OPT_U32, &opt.min_delay_us, NULL, 1, 1000000000,
      "show waits for a CPU from US microseconds on" },
    { IN_TRACE, 0, "ring", "SIZE", OPT_FN, NULL, opt_ring, 0, 0,
      "hybrid: room for calls that are not yet handled (4M)" },
    { IN_TRACE, 'f', "follow-forks", NULL, OPT_NONE, NULL, NULL, 0, 0, "(always on)" },
    { IN_TRACE, 'y', "decode-fds", NULL, OPT_NONE, NULL, NULL, 0, 0, "(always on)" },
    { IN_TRACE, 'T', "syscall-times", NULL, OPT_NONE, NULL, NULL, 0, 0, "(always on with -v)" },
    { IN_DIFF, 0, "json", "[=FILE]", OPT_FN, NULL, opt_json, 0, 0,
      "one JSON object, to stdout or FILE" },
    { IN_DIFF, 'o', "output", "FILE", OPT_STR, &opt.out_file, NULL, 0, 0, "the text to FILE" },
    { IN_DIFF, 0, "no-filter", NULL, OPT_FLAG, &opt.no_filter, NULL, 0, 0,
      "show also libraries, /proc, /sys and /dev in text" },
    { IN_OPEN, 'T', "timestamp", NULL, OPT_FLAG, &oo.time, NULL, 0, 0,
      "seconds since the first row, in front" },
    { IN_OPEN, 'U', "print-uid", NULL, OPT_FLAG, &oo.print_uid, NULL, 0, 0, "the user's id" },
    { IN_OPEN, 'x', "failed", NULL, OPT_FLAG, &oo.failed, NULL, 0, 0, "only opens that failed" },
    { IN_OPEN, 'p', "pid", "PID", OPT_U32, &oo.pid, NULL, 1, INT_MAX, "only this process" },
    { IN_OPEN, 't', "tid", "TID", OPT_U32, &oo.tid, NULL, 1, INT_MAX, "only this thread" },
    { IN_OPEN, 'u', "uid", "UID", OPT_FN, NULL, open_opt_uid, 0, 0, "only this user" },
    { IN_OPEN, 'n', "name", "NAME", OPT_FN, NULL, open_opt_name, 0, 0,
      "only commands whose name holds NAME" },
    { IN_OPEN, 'f', "flag-filter", "FLAG", OPT_FN, NULL, open_opt_flag, 0, 0,
      "only opens with this flag, like O_WRONLY; repeated: with any of them" },
    { IN_OPEN, 'P', "path", "GLOB", OPT_FN, NULL, opt_path, 0, 0,
      "only such absolute paths; repeatable" },
    { IN_OPEN, 'e', "extended-fields", NULL, OPT_FLAG, &oo.extended, NULL, 0, 0,
      "flags and mode, in octal" },
    { IN_OPEN, 'F', "full-path", NULL, OPT_FLAG, &oo.full, NULL, 0, 0, "absolute paths" },
    { IN_OPEN | IN_PROCS, 'd', "duration", "SECS", OPT_U32, &opt.duration_s, NULL, 1, 86400 * 365,
      "end after SECS" },
    { IN_OPEN, 'c', "command", NULL, OPT_FLAG, &oo.shell, NULL, 0, 0,
      "before COMMAND (it needs no option): one word with blanks is a line for the shell" },
    { IN_OPEN | IN_CHECK | IN_PROC, 0, "json", "[=FILE]", OPT_FN, NULL, opt_json, 0, 0,
      "JSON lines, to stdout or FILE" },
    { IN_OPEN | IN_PROCS, 'o', "output", "FILE", OPT_STR, &opt.out_file, NULL, 0, 0,
      "the rows to FILE" },
    { IN_OPEN, 0, "no-exec", NULL, OPT_FLAG, &oo.no_exec, NULL, 0, 0,
      "without the programs that execve itself opens" },
    { IN_OPEN, 0, "ring", "SIZE", OPT_FN, NULL, opt_ring, 0, 0,
      "room for opens that are not yet printed (1M)" },
    { IN_OPEN, 0, "perf-rings", NULL, OPT_FLAG, &oo.perf_rings, NULL, 0, 0,
      "a ring for each CPU, as before Linux 5.8" },
    { IN_PROC, 0, "live", NULL, OPT_FLAG, &po.live, NULL, 0, 0,
      "a row when a command begins, too" },
    { IN_EXECS, 'T', "time", NULL, OPT_FLAG, &po.clock, NULL, 0, 0, "the time of day, in front" },
    { IN_EXECS, 't', "timestamp", NULL, OPT_FLAG, &po.time, NULL, 0, 0,
      "seconds since the first row, in front" },
    { IN_EXITS, 't', "timestamp", NULL, OPT_FLAG, &po.time, NULL, 0, 0,
      "the time of day, in front" },
    { IN_EXECS, 'U', "print-uid", NULL, OPT_FLAG, &po.print_uid, NULL, 0, 0, "the user's id" },
    { IN_PROC, 'x', "failed", NULL, OPT_FLAG, &po.failed, NULL, 0, 0, "execs that failed, too" },
    { IN_EXECS, 'x', "fails", NULL, OPT_FLAG, &po.failed, NULL, 0, 0, "execs that failed, too" },
    { IN_EXITS, 'x', "failed", NULL, OPT_FLAG, &po.failed, NULL, 0, 0, "only what failed" },
    { IN_PROC, 0, "forks", NULL, OPT_FLAG, &po.forks, NULL, 0, 0,
      "processes that never call exec, too" },
    { IN_PROC, 'T', "threads", NULL, OPT_FLAG, &po.threads, NULL, 0, 0, "threads, too" },
    { IN_EXITS, 'T', "threaded", NULL, OPT_FLAG, &po.threads, NULL, 0, 0, "a row a thread" },
    { IN_EXECS, 'q', "quote", NULL, OPT_FLAG, &po.quote, NULL, 0, 0,
      "\"quotes\" around the arguments" },
    { IN_EXECS, 0, "max-args", "N", OPT_U32, &po.max_args, NULL, 1, INT_MAX,
      "no more than N arguments (all of them)" },
    { IN_PROC, 'p', "pid", "PID", OPT_U32, &po.pid, NULL, 1, INT_MAX,
      "only this process and what descends from it" },
    { IN_EXITS, 'p', "pid", "PID", OPT_U32, &po.only_pid, NULL, 1, INT_MAX,
      "only this process" },
    { IN_PROCS, 'u', "uid", "UID", OPT_FN, NULL, proc_opt_uid, 0, 0, "only this user" },
    { IN_PROCS, 'n', "name", "NAME", OPT_STR, &po.name, NULL, 0, 0, "only names that hold NAME" },
    { IN_PROC | IN_EXECS, 'l', "line", "REGEX", OPT_FN, NULL, proc_opt_line, 0, 0,
      "only such command lines" },
    { IN_PROC, 0, "min-duration", "TIME", OPT_FN, NULL, proc_opt_min, 0, 0,
      "only what took so long: 10ms, 2s, 500us" },
    { IN_PROC, 0, "cgroup", "PATH", OPT_FN, NULL, proc_opt_cgroup, 0, 0,
      "only this cgroup (version 2)" },
    { IN_EXECS | IN_EXITS, 'c', "cgroup", "PATH", OPT_FN, NULL, proc_opt_cgroup, 0, 0,
      "only this cgroup (version 2)" },
    { IN_PROC, 'f', "format", "FORMAT", OPT_FN, NULL, proc_opt_format, 0, 0,
      "of the rows: text; json, json-v2 (what workflow-telemetry-action reads)" },
    { IN_PROC, 0, "env", "NAME,...", OPT_FN, NULL, opt_proc_env, 0, 0,
      "with --json: these variables of each command's environment" },
    { IN_PROC, 0, "gantt", "FILE", OPT_STR, &po.gantt, NULL, 0, 0,
      "a chart of the 100 longest, for mermaid" },
    { IN_PROCS, 0, "ring", "SIZE", OPT_FN, NULL, opt_ring, 0, 0, "room for records (4M)" },
    { IN_PROCS, 0, "perf-rings", NULL, OPT_FLAG, &po.perf_rings, NULL, 0, 0,
      "a ring for each CPU, as before Linux 5.8" },
    { IN_MONITOR, 'i', "interval", "SECS", OPT_FN, NULL, mon_opt_interval, 0, 0,
      "look every SECS (1)" },
    { IN_MONITOR, 'n', "count", "COUNT", OPT_U32, &mo.count, NULL, 1, UINT32_MAX,
      "end after COUNT intervals" },
    { IN_MONITOR, 'd', "duration", "SECS", OPT_U32, &opt.duration_s, NULL, 1, 86400 * 365,
      "end after SECS" },
    { IN_MONITOR, 'c', "collectors", "LIST", OPT_FN, NULL, mon_opt_collectors, 0, 0,
      "only these: cpu, sched, mem, numa, io, thermal, or sources by name" },
    { IN_MONITOR, 'p', "pid", "PID", OPT_FN, NULL, opt_pid, 0, 0,
      "this process's numbers, too; repeatable" },
    { IN_MONITOR, 0, "cgroup", "PATH", OPT_FN, NULL, mon_opt_cgroup, 0, 0,
      "this cgroup's numbers, too (version 2)" },
    { IN_MONITOR, 0, "per-cpu", NULL, OPT_FLAG, &mo.per_cpu, NULL, 0, 0,
      "each CPU's numbers, too" },
    { IN_MONITOR, 0, "histogram", NULL, OPT_FLAG, &mo.hist, NULL, 0, 0,
      "distributions, too: waits for a CPU, depths of run queues, requests of disks" },
    { IN_MONITOR, 0, "json", "[=FILE]", OPT_FN, NULL, opt_json, 0, 0,
      "a JSON line an interval, to stdout or FILE" },
    { IN_MONITOR, 0, "csv", "[=FILE]", OPT_FN, NULL, mon_opt_csv, 0, 0,
      "a CSV row a number, to stdout or FILE" },
    { IN_MONITOR, 0, "report", "[=FILE]", OPT_FN, NULL, opt_report, 0, 0,
      "an HTML page of it all, with heat maps of the distributions (report.html)" },
    { IN_MONITOR, 0, "prometheus", "FILE", OPT_STR, &mo.prom_file, NULL, 0, 0,
      "an exposition for Prometheus in FILE, each interval (node_exporter's textfile: .prom)" },
    { IN_MONITOR, 0, "listen", "[ADDR:]PORT", OPT_FN, NULL, hs_opt_listen, 0, 0,
      "the same over HTTP, at /metrics; without ADDR, to this machine alone" },
    { IN_MONITOR, 'o', "output", "FILE", OPT_STR, &opt.out_file, NULL, 0, 0, "the text to FILE" },
    { IN_MONITOR | IN_CHECK, 0, "path.procfs", "DIR", OPT_STR, &mo.procfs, NULL, 0, 0,
      "what is mounted at /proc is at DIR" },
    { IN_MONITOR | IN_CHECK, 0, "path.sysfs", "DIR", OPT_STR, &mo.sysfs, NULL, 0, 0,
      "what is mounted at /sys is at DIR" },
    { IN_MONITOR | IN_CHECK, 0, "path.rootfs", "DIR", OPT_STR, &mo.rootfs, NULL, 0, 0,
      "the root of the box is at DIR, and so are /proc and /sys" },
    { IN_ALL, 'h', "help", NULL, OPT_NONE, NULL, NULL, 0, 0, "this text" },
};

/* --- help --- */

static void opt_help_rows(struct buf *b, const struct cmd *c)
{
    for (size_t i = 0; i < ARRAY_LEN(opt_rows); i++) {
        const struct opt_row *r = &opt_rows[i];
        char name[64];
        if (!(r->in & c->in))
            continue;
        const char *sep = r->arg && *r->arg != '[' ? (r->l ? "=" : " ") : "";
        snprintf(name, sizeof name, "%c%c%s%s%s%s%s", r->s ? '-' : ' ', r->s ? r->s : ' ',
                 r->s && r->l ? ", " : r->l ? "  " : "", r->l ? "--" : "", r->l ? r->l : "", sep,
                 r->arg ? r->arg : "");
        b_f(b, "  %-32s %s\n", name, r->help);
    }
}

static void opt_print(int f, struct buf *b)
{
    if (out_write_all(f, b->p, b->len) < 0)
        exit(EXIT_KVIS);
    b_reset(b);
}

static void opt_help_cmd(const struct cmd *c, int f)
{
    static struct buf b;
    b_f(&b, "Usage: kvis %s %s\n%s.\n\n", c->name, c->args, c->brief);
    opt_help_rows(&b, c);
    opt_print(f, &b);
}

/* --- the parser --- */

static void __attribute__((noreturn))
opt_bad(const struct cmd *c, const struct opt_row *r, const char *v, const char *why)
{
    char name[64];
    r->l ? snprintf(name, sizeof name, "--%s", r->l) : snprintf(name, sizeof name, "-%c", r->s);
    die(EXIT_USAGE, "%s: '%s': %s (see kvis %s --help)", name, v, why, c->name);
}

static void opt_set_u32(const struct cmd *c, const struct opt_row *r, const char *v)
{
    char *end, why[80];
    errno = 0;
    unsigned long long n = strtoull(v, &end, 10);
    if (!*v || *end || errno || *v == '-' || n < r->min || n > r->max) {
        snprintf(why, sizeof why, "not a number from %u to %u", r->min, r->max);
        opt_bad(c, r, v, why);
    }
    *(u32 *)r->dest = (u32)n;
}

static void opt_apply(const struct cmd *c, const struct opt_row *r, const char *v)
{
    const char *wrong;
    if (r->s == 'h') {
        opt_help_cmd(c, STDOUT_FILENO);
        exit(0);
    }
    switch (r->kind) {
    case OPT_FLAG:
        *(bool *)r->dest = true;
        break;
    case OPT_COUNT:
        ++*(u8 *)r->dest;
        break;
    case OPT_U32:
        opt_set_u32(c, r, v);
        break;
    case OPT_STR:
        *(const char **)r->dest = v;
        break;
    case OPT_FN:
        if ((wrong = r->fn(v)))
            opt_bad(c, r, v ? v : "", wrong);
        break;
    }
}

/* Whether the n bytes at s are that name; bcc's tools write some of theirs with '_'. */
static bool opt_is(const char *name, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name[i] != (s[i] == '_' ? '-' : s[i]))
            return false;
    return !name[n];
}

static const struct opt_row *opt_find(const struct cmd *c, char s, const char *l, size_t n)
{
    for (const struct opt_row *r = opt_rows; r < opt_rows + ARRAY_LEN(opt_rows); r++)
        if (r->in & c->in
            && (s ? r->s == s : r->l && opt_is(r->l, l, n)))
            return r;
    return NULL;
}

/* --name, --name=value, --name value. Returns how many words it took. */
static int opt_long(const struct cmd *c, char **argv)
{
    const char *name = argv[0] + 2, *eq = strchr(name, '=');
    size_t n = eq ? (size_t)(eq - name) : strlen(name);
    const struct opt_row *r = opt_find(c, 0, name, n);
    if (!r)
        die(EXIT_USAGE, "no option '%s' (see kvis %s --help)", argv[0], c->name);
    if (!r->arg || *r->arg == '[') {
        if (eq && !r->arg)
            opt_bad(c, r, eq + 1, "takes no value");
        opt_apply(c, r, eq ? eq + 1 : NULL);
        return 1;
    }
    const char *v = eq ? eq + 1 : argv[1];
    if (!v)
        opt_bad(c, r, "", "a value is missing");
    opt_apply(c, r, v);
    return eq ? 1 : 2;
}

/* -abc, -sN, -s N. Returns how many words it took. */
static int opt_short(const struct cmd *c, char **argv)
{
    for (const char *p = argv[0] + 1; *p; p++) {
        const struct opt_row *r = opt_find(c, *p, NULL, 0);
        if (!r)
            die(EXIT_USAGE, "no option '-%c' (see kvis %s --help)", *p, c->name);
        if (!r->arg) {
            opt_apply(c, r, NULL);
            continue;
        }
        const char *v = p[1] ? p + 1 : argv[1];
        if (!v)
            opt_bad(c, r, "", "a value is missing");
        opt_apply(c, r, v);
        return p[1] ? 1 : 2;
    }
    return 1;
}

/* Reads the options; returns the words behind them (or, mixed, between them). */
static char **opt_parse(const struct cmd *c, char **argv)
{
    char **words = argv;
    u32 n = 0;
    while (*argv && (c->mixed || (**argv == '-' && (*argv)[1]))) {
        if (!strcmp(*argv, "--"))
            return argv + 1;
        if (**argv != '-' || !(*argv)[1])
            words[n++] = *argv++;
        else
            argv += (*argv)[1] == '-' ? opt_long(c, argv) : opt_short(c, argv);
    }
    if (!c->mixed)
        return argv;
    words[n] = NULL;
    return words;
}

/* == 42 cmd_  the commands ======================================================
 * What each command sets up and in which order; the list that everything reads is cmds[]. */

/* Descriptors 0, 1, 2 that are closed would become something of ours, and be written to. CLOEXEC,
 * so that the command finds them closed as it would have. */
static void cmd_std_fds(void)
{
    for (int f = 0; f < 3; f++)
        if (fcntl(f, F_GETFD) < 0 && errno == EBADF && open("/", O_RDONLY | O_CLOEXEC) != f)
            exit(EXIT_KVIS);
}

static bool cmd_colour(int f)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (opt.color)
        return opt.color == 'a';
    return isatty(f) && !(no && *no) && term && strcmp(term, "dumb");
}

static int cmd_open_file(const char *name)
{
    /* a device that is not there: a file of its name would be found by nobody */
    bool device = !strncmp(name, "/dev/", 5) && strncmp(name, "/dev/shm/", 9);
    int f = open(name, O_WRONLY | O_TRUNC | O_CLOEXEC | (device ? 0 : O_CREAT), 0666);
    if (f < 0)
        die(EXIT_KVIS, "cannot write %s:", name);
    return f;
}

static void cmd_open_sinks(void)
{
    bool json_stdout = opt.json && !opt.json_file;
    out.text.b.max = out.json.b.max = 32 << 20;
    out.events_on = !opt.quiet && !opt.count_only && !json_stdout;
    out.colour = cmd_colour(STDERR_FILENO) && !opt.count_only;
    out.text.fd[0] = json_stdout && opt.quiet ? -1 : STDERR_FILENO;
    out.text.name[0] = "stderr";
    if (opt.out_file) {
        out.text.fd[1] = cmd_open_file(opt.out_file);
        out.text.name[1] = opt.out_file;
        out.text.strip[1] = out.colour;
    }
    if (opt.json) {
        out.json_on = true;
        out.json.fd[0] = opt.json_file ? cmd_open_file(opt.json_file) : STDOUT_FILENO;
        out.json.name[0] = opt.json_file ? opt.json_file : "stdout";
    }
}

static void cmd_json_header(const char *backend)
{
    rec_json_header(&out.json.b, backend);
}

/* What the header and a recording say of this run. */
static void cmd_this_run(const char *backend)
{
    static struct utsname u;
    if (uname(&u) < 0) /* a seccomp profile can refuse even that */
        memset(&u, 0, sizeof u);
    rec_run.version = KVIS_VERSION;
    rec_run.host = u.nodename, rec_run.kernel = u.release, rec_run.arch = u.machine;
    rec_run.backend = backend;
}

static const char *cmd_temporary_dir(void)
{
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

/* -w, and where the report comes from. */
static void cmd_recording(void)
{
    static char name[PATH_MAX];
    const char *dir = cmd_temporary_dir();
    if (opt.record) {
        rout.fd = open(opt.record, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        snprintf(name, sizeof name, "%s", opt.record);
    } else {
        rout.fd = rep_temporary(dir);
        errno = -rout.fd;
        snprintf(name, sizeof name, "a temporary file in %s (TMPDIR=DIR chooses another)", dir);
    }
    if (rout.fd < 0)
        die(EXIT_KVIS, "cannot write %s:", name);
    if (opt.record && opt.report && lseek(rout.fd, 0, SEEK_SET) < 0)
        die(EXIT_KVIS, "-w %s: a report wants a recording that is a file", opt.record);
    rec_start(rec_write_fd, name);
}

static int cmd_report_fd = -1;

/* -w, --perfetto, --report. */
static void cmd_record(bool live)
{
    if (opt.report)
        cmd_report_fd = cmd_open_file(opt.report), rep_begin();
    if (opt.perfetto)
        px_open(cmd_open_file(opt.perfetto), opt.perfetto);
    if (opt.record || (opt.report && live))
        cmd_recording();
}

static void cmd_report(int fd, const char *name, bool whole)
{
    if (!opt.report)
        return;
    rep_end(fd, name, cmd_report_fd, whole);
    if (rep.kept < rep.seen)
        u_warn("%s has %" PRIu64 " of %" PRIu64 " events, the most telling "
               "(--max-report-events)", opt.report, rep.kept, rep.seen);
}

static void cmd_start_text(void)
{
    struct buf *b = &out.text.b;
    if (!out.events_on)
        return;
    b_s(b, "kvis: tracing ");
    st_command(b);
    b_c(b, '\n');
    if (opt.verbose && tr.no_accel && strcmp(tr.no_accel, TR_ALL_ASKED))
        b_f(b, "kvis: every call stops (%s)\n", tr.no_accel);
    if (!opt.backend && hy.why_not && geteuid() == 0 && !opt.n_pids)
        b_f(b, "kvis: by ptrace alone: %s\n", hy.why_not);
}

static void cmd_start_clock(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    out.start_real_ns = (u64)ts.tv_sec * NSEC + (u64)ts.tv_nsec;
    tr.start_ns = out.start_ns = u_now();
    if (opt.interval_s)
        tr.next_table_ns = tr.start_ns + opt.interval_s * NSEC;
    if (opt.duration_s)
        tr.deadline_ns = tr.start_ns + opt.duration_s * NSEC;
}

/* Dies by the signal that the command died by, without a core of our own. */
static void __attribute__((noreturn)) cmd_die_by(int sig, int status)
{
    sigset_t set;
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none); /* to lower a limit needs no right; prctl has the last word */
    prctl(PR_SET_DUMPABLE, 0); /* a piped core_pattern does not ask the limit (fs/coredump.c) */
    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(sig);
    exit(status); /* a signal that does not kill us: the shell's number for it */
}

static int cmd_trace(void)
{
    static char cwd[PATH_MAX];
    int sig;
    if (!opt.command && !opt.n_pids)
        die(EXIT_USAGE, "nothing to trace: a command or -p PID (see kvis trace --help)");
    if (opt.command && opt.n_pids)
        die(EXIT_USAGE, "a command and -p PID do not go together");
    if (opt.kill_on_exit && opt.n_pids)
        die(EXIT_USAGE, "--kill-on-exit is for a command that kvis starts, not for -p PID");
    if (opt.user && geteuid())
        die(EXIT_KVIS, "-u %s: only root can run a command as another user", opt.user);
    if (opt.interval_s && !opt.count_only)
        opt.count_too = true;
    opt.calls = opt.verbose || opt.perfetto || opt.report;
    nm_init();
    md_init();
    tr.cwd = getcwd(cwd, sizeof cwd) ? nm_str('f', cwd) : NULL;
    tr_backend();
    if (opt.backend == 'h' && !hy.on)
        die(EXIT_KVIS, "--backend=hybrid: %s", hy.why_not);
    if (opt.bpf_stats && !hy.on)
        die(EXIT_KVIS, "--bpf-stats: no BPF programs: %s", hy.why_not);
    cmd_open_sinks();
    tr_signals();
    out.give_up = tr_give_up;
    tr.tty = out.events_on && isatty(STDERR_FILENO);
    if (opt.same_cpu)
        tr_same_cpu();
    cmd_start_clock();
    if (opt.command)
        tr_spawn();
    else if (!tr_attach_all())
        return 1;
    cmd_this_run(tr_backend_name());
    if (out.json_on)
        cmd_json_header(tr_backend_name());
    cmd_record(true);
    cmd_start_text();
    tr_loop();
    int status = tr_finish(&sig);
    cmd_report(rout.fd, rout.name, !sp_error(&tr.cmd));
    if (out.failed)
        return EXIT_KVIS;
    if (sig)
        cmd_die_by(sig, status);
    return status;
}

/* The status of kvis itself for a command's wait status; dies by its signal. */
static int cmd_status(int status)
{
    if (WIFSIGNALED(status))
        cmd_die_by(WTERMSIG(status), 128 + WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* The sinks, signals and clock of commands that print rows to stdout. */
static void cmd_rows_begin(const char *backend)
{
    out.text.b.max = out.json.b.max = 32 << 20;
    out.json_on = opt.json;
    out.events_on = !(opt.json && !opt.json_file);
    out.text.fd[0] = !out.events_on ? -1
                     : opt.out_file ? cmd_open_file(opt.out_file)
                                    : STDOUT_FILENO;
    out.text.name[0] = opt.out_file ? opt.out_file : "stdout";
    if (opt.json)
        out.json.fd[0] = opt.json_file ? cmd_open_file(opt.json_file) : STDOUT_FILENO;
    out.json.name[0] = opt.json_file ? opt.json_file : "stdout";
    sp_signals(sp_note);
    cmd_start_clock();
    if (out.json_on)
        cmd_this_run(backend), cmd_json_header(backend);
}

/* kvis's exit status: its own failure's, or the command's. */
static int cmd_rows_end(int failed, int status)
{
    if (out.failed || failed)
        return failed ? failed : EXIT_KVIS;
    return status == -1 ? 0 : cmd_status(status);
}

static int cmd_open(void)
{
    static char sh[] = "/bin/sh", c[] = "-c", *line[] = { sh, c, NULL, NULL };
    if (opt.command && (oo.pid || oo.tid))
        die(EXIT_USAGE, "a command and -p or -t do not go together");
    if (oo.shell && opt.command && !opt.command[1] && strchr(opt.command[0], ' ')) {
        line[2] = opt.command[0];
        opt.command = line;
    }
    cmd_rows_begin("bpf");
    int status = open_run(tr.deadline_ns);
    return cmd_rows_end(sp_error(&op.cmd), status);
}

static int cmd_proc(void)
{
    static pid_t pid;
    sp_boot();
    pid = (pid_t)po.pid;
    if (opt.command && (po.pid || po.only_pid))
        die(EXIT_USAGE, "a command and -p do not go together");
    if (opt.json && !opt.json_file && strcmp(po.format, "text"))
        die(EXIT_USAGE, "--format=%s and --json both want stdout: --json=FILE", po.format);
    if (po.gantt)
        pp.gantt = cmd_open_file(po.gantt);
    opt.pids = &pid;
    opt.n_pids = po.pid > 0;
    cmd_rows_begin("bpf");
    nm_init();
    cmd_this_run(ST_PROC);
    out.many = true; /* a recording's lines of text name their processes */
    cmd_record(true);
    int status = proc_run(tr.deadline_ns), failed = sp_error(&pp.cmd);
    cmd_report(rout.fd, rout.name, !failed);
    return cmd_rows_end(failed, status);
}

static int cmd_execsnoop(void)
{
    po.format = "execsnoop";
    return cmd_proc();
}

static int cmd_exitsnoop(void)
{
    po.format = "exitsnoop";
    po.forks = true;
    return cmd_proc();
}

/* Where /proc and /sys are. */
static void cmd_roots(void)
{
    static char proc[PATH_MAX], sys[PATH_MAX];
    snprintf(proc, sizeof proc, "%s/proc", mo.rootfs);
    snprintf(sys, sizeof sys, "%s/sys", mo.rootfs);
    mo.procfs = mo.procfs ? mo.procfs : proc;
    mo.sysfs = mo.sysfs ? mo.sysfs : sys;
}

static void cmd_monitor_report(void)
{
    const char *dir = cmd_temporary_dir();
    cmd_report_fd = cmd_open_file(opt.report);
    cmd_this_run("none");
    errno = -mout_page_begin(dir);
    if (errno)
        die(EXIT_KVIS, "cannot write a temporary file in %s (TMPDIR=DIR chooses another):", dir);
}

static int cmd_monitor(void)
{
    if (opt.command)
        die(EXIT_USAGE, "'%s': monitor takes no command (see kvis monitor --help)", *opt.command);
    if (!mon_sources_on())
        die(EXIT_USAGE, "-c: proc wants -p PID, cgroup --cgroup PATH");
    if (opt.n_pids > MFS_PIDS)
        die(EXIT_USAGE, "-p: at most %d processes", MFS_PIDS);
    cmd_roots();
    for (u32 i = 0; i < opt.n_pids; i++)
        if (!met_there(met_path("/proc/%d/stat", opt.pids[i])))
            die(EXIT_KVIS, "no process %d", opt.pids[i]);
    if (mo.cgroup && !met_there(met_path("/sys/fs/cgroup/%s/cgroup.procs", mo.cgroup)))
        die(EXIT_KVIS, "--cgroup %s: no cgroup (of version 2) has this path", mo.cgroup);
    pmc_begin();
    if (mo.csv && !mo.csv_file && opt.json && !opt.json_file)
        die(EXIT_USAGE, "--csv and --json both want stdout: --json=FILE");
    if (mo.listen.ss_family) {
        int e = hs_open();
        errno = -e;
        if (e)
            die(EXIT_KVIS, "--listen: port %u:",
                ntohs(((struct sockaddr_in *)&mo.listen)->sin_port));
    }
    cmd_rows_begin("none");
    if (!opt.out_file && (mo.listen.ss_family || mo.prom_file || (mo.csv && !mo.csv_file)))
        out.events_on = false;
    mout.screen = out.events_on && !opt.out_file && isatty(STDOUT_FILENO)
                  && isatty(STDIN_FILENO) && getenv("TERM") && strcmp(getenv("TERM"), "dumb");
    if (!out.events_on)
        out.text.fd[0] = -1;
    out.colour = mout.screen && cmd_colour(STDOUT_FILENO);
    if (mo.csv)
        mout.csv.fd[0] = mo.csv_file ? cmd_open_file(mo.csv_file) : STDOUT_FILENO;
    mout.csv.name[0] = mo.csv_file ? mo.csv_file : "stdout";
    mout.csv.b.max = 32 << 20;
    if (opt.report)
        cmd_monitor_report();
    mon_run(tr.deadline_ns);
    if (opt.report)
        mout_page_end(cmd_report_fd);
    return out.failed ? EXIT_KVIS : 0;
}

static int cmd_check(void)
{
    static struct buf b;
    u8 bits = 0;
    bool cpu = opt.command && *opt.command && !strcmp(*opt.command, "cpu") && !opt.command[1];
    cmd_roots();
    for (char **a = opt.command; a && *a && !cpu; a++) {
        u8 bit = 0;
        for (size_t i = 0; i < ARRAY_LEN(check_commands); i++)
            if (!strcmp(*a, check_commands[i].name))
                bit = check_commands[i].bit;
        if (!bit)
            die(EXIT_USAGE, "no command '%s' (see kvis help)", *a);
        bits |= bit;
    }
    if (opt.json) {
        out.json.b.max = 1 << 20;
        cmd_start_clock();
        cmd_this_run("none"), cmd_json_header("none");
        b_put(&b, out.json.b.p, out.json.b.len);
    }
    bool works = cpu ? check_cpu(&b, opt.json) : check_run(bits ? bits : 0xff, opt.json, &b);
    int f = opt.json_file ? cmd_open_file(opt.json_file) : STDOUT_FILENO;
    int e = out_write_all(f, b.p, b.len);
    if (e < 0 && e != -EPIPE) {
        errno = -e;
        die(EXIT_KVIS, "cannot write %s:", opt.json_file ? opt.json_file : "stdout");
    }
    return !works;
}

/* A table from the calls that are left by the filters, or the one that was recorded. */
static void cmd_replay_table(void)
{
    bool filtered = opt.trace || opt.n_paths || opt.status != CALL_ALL;
    if (!opt.count_only && !opt.count_too)
        return;
    if (!rp.calls && !rp.tables)
        die(EXIT_KVIS, "%s has no calls: record with -v, -c or -C", rin.name);
    if (rp.calls && (filtered || !rp.tables))
        st.all = rp.counted, opt.by_pid = false;
    else if (filtered)
        u_warn("-e, -P, -z: the table is of all calls (record with -v)");
}

static void cmd_open_recording(const char *name)
{
    int f = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (f < 0)
        die(EXIT_KVIS, "cannot read %s:", name);
    if (rec_open_fd(f, strcmp(name, "-") ? name : "stdin") < 0 || !rp_head())
        die(EXIT_KVIS, "%s: %s", rin.name, *rin.wrong ? rin.wrong : "damaged (no events)");
    if (opt.report && lseek(f, 0, SEEK_CUR) < 0)
        die(EXIT_KVIS, "%s: a report wants a recording that is a file, no pipe", rin.name);
}

static int cmd_replay(void)
{
    char **words = opt.command;
    if (!words || words[1])
        die(EXIT_USAGE, "one recording, please (see kvis replay --help)");
    opt.command = NULL;
    nm_init();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    cmd_open_recording(*words);
    cmd_open_sinks();
    if (out.json_on)
        cmd_json_header(rec_run.backend);
    cmd_record(false);
    cmd_start_text();
    bool whole = rp_play();
    if (!whole)
        u_warn("%s: %s: what came before is shown, the summary is missing", rin.name, rin.wrong);
    whole ? rec_finish() : rec_flush();
    px_close();
    cmd_replay_table();
    if (whole)
        st_report(&rec_end, true);
    out_flush();
    cmd_report(rin.fd, rin.name, whole);
    return out.failed ? EXIT_KVIS : !whole;
}

static int cmd_diff(void)
{
    char **words = opt.command;
    if (!words || !words[1] || words[2])
        die(EXIT_USAGE, "two recordings, please (see kvis diff --help)");
    opt.command = NULL;
    nm_init();
    signal(SIGPIPE, SIG_IGN);
    for (u32 k = 0; k < 2; k++) {
        int f = open(words[k], O_RDONLY | O_CLOEXEC);
        if (f < 0)
            die(EXIT_KVIS, "cannot read %s:", words[k]);
        if (!df_load(k, f, words[k]))
            die(EXIT_KVIS, "%s: %s", words[k], *rin.wrong ? rin.wrong : "out of memory");
        close(f);
    }
    bool text = !opt.json || opt.json_file;
    out.text.b.max = out.json.b.max = 32 << 20;
    out.text.fd[0] = opt.out_file ? cmd_open_file(opt.out_file) : STDOUT_FILENO;
    out.text.name[0] = opt.out_file ? opt.out_file : "stdout";
    out.json.fd[0] = opt.json_file ? cmd_open_file(opt.json_file) : STDOUT_FILENO;
    out.json.name[0] = opt.json_file ? opt.json_file : "stdout";
    if (text)
        df_text(&out.text.b);
    if (opt.json)
        df_json(&out.json.b);
    out_flush();
    return out.failed ? EXIT_KVIS : 0;
}

static const struct cmd cmds[] = {
    { "trace", NULL, "[options] [--] COMMAND [ARG...]  |  -p PID [options]",
      "Shows the files, sockets, memory and processes that a program asks the kernel for",
      IN_TRACE, cmd_trace, false },
    { "open", "opensnoop", "[options] [[--] COMMAND [ARG...]]",
      "Shows every file that is opened on this machine, or by COMMAND and its children",
      IN_OPEN, cmd_open, false },
    { "replay", NULL, "[options] FILE.kvis",
      "Shows a recording (kvis trace -w FILE.kvis) as the run itself was shown, or otherwise",
      IN_REPLAY, cmd_replay, true },
    { "diff", NULL, "[options] A.kvis B.kvis",
      "Compares two recordings: what only one of them did, and where the time has moved",
      IN_DIFF, cmd_diff, true },
    { "proc", NULL, "[options] [[--] COMMAND [ARG...]]",
      "Shows every command of this machine, or of COMMAND and its children: arguments, time, exit",
      IN_PROC, cmd_proc, false },
    { "execsnoop", "execsnoop", "[options]", "proc as bcc's execsnoop: execs as they happen",
      IN_EXECS, cmd_execsnoop, false },
    { "exitsnoop", "exitsnoop", "[options]", "proc as bcc's exitsnoop: exits as they happen",
      IN_EXITS, cmd_exitsnoop, false },
    { "monitor", NULL, "[options]",
      "Shows what the CPUs, the memory, the disks and the scheduler of this machine do",
      IN_MONITOR, cmd_monitor, false },
    { "check", NULL, "[options] [COMMAND...]",
      "Tries what the commands need on this machine, and says what mends the rest",
      IN_CHECK, cmd_check, true },
};

static void cmd_usage(int f)
{
    static struct buf b;
    b_s(&b, "kvis shows what a program makes the kernel do.\n\nUsage: kvis COMMAND [options]\n\n");
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++)
        b_f(&b, "  %-10s %s\n", cmds[i].name, cmds[i].brief);
    b_s(&b, "  help       [COMMAND]: this text, or a command's options\n\n"
            "kvis --version prints the version.\n");
    opt_print(f, &b);
}

static const struct cmd *cmd_find(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LEN(cmds); i++)
        if (!strcmp(cmds[i].name, name))
            return &cmds[i];
    return NULL;
}

static int cmd_help(const char *name)
{
    const struct cmd *c = cmd_find(name);
    if (name && !c)
        die(EXIT_USAGE, "no command '%s' (see kvis help)", name);
    c ? opt_help_cmd(c, STDOUT_FILENO) : cmd_usage(STDOUT_FILENO);
    return 0;
}

/* The command that kvis is run as, by the name of a link to it. */
static const struct cmd *cmd_by_link(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < ARRAY_LEN(cmds); i++)
        if (cmds[i].alias && !strcmp(cmds[i].alias, name))
            return &cmds[i];
    return NULL;
}

/* Unpacks the tables that the command reads. */
static void cmd_tables(const struct cmd *c)
{
    bool metrics_only = c->in == IN_MONITOR;
    if (gz_unpack(metrics_only ? GZ_METRICS : GZ_CALLS))
        die(EXIT_KVIS, "the tables in kvis cannot be unpacked: this file is damaged");
    if (metrics_only)
        return;
    sc_init();
    sc_parse("all");
}

static int cmd_run(const struct cmd *c, char **argv)
{
    cmd_tables(c);
    char **rest = opt_parse(c, argv);
    opt.command = *rest ? rest : NULL;
    return c->run();
}

int main(int argc, char **argv)
{
    cmd_std_fds();
    const struct cmd *link = cmd_by_link(argc ? argv[0] : "");
    if (link) {
        oo.no_exec = true; /* bcc's opensnoop has no rows of execve */
        return cmd_run(link, argv + 1);
    }
    if (argc < 2) {
        cmd_usage(STDERR_FILENO);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("kvis %s (%s)\n", KVIS_VERSION, arch_abi_name[ARCH_NATIVE]);
        return 0;
    }
    if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return cmd_help(argv[2]);
    const struct cmd *c = cmd_find(argv[1]);
    if (!c)
        die(EXIT_USAGE, "no command '%s' (see kvis help)", argv[1]);
    return cmd_run(c, argv + 2);
}
