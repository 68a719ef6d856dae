/* wire.h: what a probe writes and kvis.c reads, or the other way round: one definition for both
 * sides. Every record is made of naturally aligned fields with no padding of the compiler's, so
 * that all its bytes are ours; the assertions say so to clang -target bpf and to the host's cc. Who
 * includes it has u8 ... s64 already. */
#ifndef KVIS_WIRE_H
#define KVIS_WIRE_H

#define WIRE_ASSERT(x) _Static_assert(x, #x)

/* What `lost` counts, a slot a reason (a per-CPU array of u64). */
enum wire_lost {
    LOST_RING,     /* a record for which the ring had no room */
    LOST_INFLIGHT, /* a call that could not be remembered at its entry */
    LOST_TREE,     /* a child that could not be added to the followed tree */
    LOST_SCHED,    /* a record of the scheduler's for which the ring had no room */
    LOST_DISK,     /* a disk's request that could not be remembered, or a record of one */
    LOST_URING,    /* a request of io_uring, or its record */
    N_LOST
};

/* Which call opened. */
enum wire_open_call {
    OPEN_OPEN, OPEN_OPENAT, OPEN_OPENAT2, OPEN_CREAT, OPEN_HANDLE, OPEN_EXEC, N_OPEN_CALLS
};

/* Bits of wire_open.state. */
enum wire_open_state {
    OPEN_NAME_FAULT = 1,  /* the name could not be read (what was read of it is nothing) */
    OPEN_HOW_FAULT = 2,   /* openat2's struct open_how could not be read */
    OPEN_DIR = 4,         /* data holds the directory that the name starts from */
    OPEN_DIR_CUT = 8,     /* that directory is deeper, or longer, than data */
    OPEN_COMPAT = 16,     /* a call of the 32-bit ABI */
    OPEN_NAME_CHANGED = 32, /* its first OPEN_HEAD bytes were others when the call began */
    OPEN_DIR_OUT = 64,    /* that directory is not below the caller's root */
    OPEN_IN_ROOT = 128,   /* for this open, the directory is the root (RESOLVE_IN_ROOT) */
};

/* The longest name and the longest directory that a record carries, in bytes. A name that the
 * kernel accepts has at most 4096 with its NUL (PATH_MAX). A component that fills OPEN_PART_MAX is
 * longer than 255 bytes, as some file systems allow (FUSE, vfat's UTF-8): the directory is cut. */
enum {
    OPEN_NAME_MAX = 4096, OPEN_DIR_MAX = 4096, OPEN_PART_MAX = 264, OPEN_DEPTH = 32, OPEN_HEAD = 64
};

/* An open that has ended: this head, name_len bytes of name (no NUL), dir_len bytes of directory:
 * its components from the last to the first, each with a NUL. */
struct wire_open {
    u64 ts_ns;       /* bpf_ktime_get_ns at its end: CLOCK_MONOTONIC */
    u64 duration_ns;
    u64 flags;       /* as the caller gave them (openat2 has 64 bits) */
    u32 mode;
    s32 ret;         /* a descriptor, or -errno */
    s32 dirfd;       /* AT_FDCWD where the call has none */
    u32 pid, tid;    /* in kvis's pid namespace */
    u32 uid;
    u8 call;         /* enum wire_open_call */
    u8 state;        /* enum wire_open_state */
    u16 name_len, dir_len, unused;
    char comm[16];
};
WIRE_ASSERT(sizeof(struct wire_open) == 72);

/* An open that has begun, by thread. */
struct wire_opening {
    u64 ts_ns, name, how, flags;
    u64 head[OPEN_HEAD / 8]; /* the name's first bytes at entry; zeros when it faulted */
    u32 mode;
    s32 dirfd;
    u32 pid, tid;
    u8 call, state, unused[6];
};
WIRE_ASSERT(sizeof(struct wire_opening) == 120);

/* --- call: system calls of traced threads --- */

enum {
    CALL_NRS = 512,       /* numbers that a spec may have */
    CALL_OTHER = 511,     /* the spec of all larger ones; no call has that number */
    CALL_ITEMS = 6,       /* arguments that point to something worth taking */
    CALL_EARLY = 2,       /* of them, those that are read when the call begins, too: */
    CALL_EARLY_MAX = 16,  /* so many bytes of each */
    CALL_PART_MAX = 4096, /* bytes of one of them (a path with its NUL) */
    CALL_DATA_MAX = 8192  /* beyond so many, no further one is taken */
};

/* How the bytes are measured that an argument points to: a string; as many times mul bytes as `count`
 * says, and `plus`; as many as the 32-bit number has that `count` points to, now and (the first of the
 * early ones) when the call began; as `commands` says of the command that `count` is; so many bits,
 * in words of 64. */
enum wire_item_kind { ITEM_BYTES, ITEM_STR, ITEM_POINTED, ITEM_COMMAND, ITEM_BITS };

/* arg and count are places in wire_thread.word; count may also be the result (0 for an error), or
 * the number 1. A thread is held at the end of a call of which more than `size` would be shown. */
enum { CALL_WORDS = 8, WORD_RESULT = 8, WORD_ONE = 9 };
enum { FILE_CWD = 16 };   /* wire_spec.file: the working directory */

enum wire_item_flags {
    ITEM_RESULT = 1,      /* there only when the call succeeded */
    ITEM_CUT = 2,         /* no more than size is shown */
    ITEM_FAILED = 4,      /* there only when the call failed */
    ITEM_EXEC = 8         /* of a call that has succeeded: elsewhere, the program's name */
};

struct wire_item {
    u8 arg, kind, count, flags;
    u16 mul, plus;
    u32 size;
};

/* An argument that leads on: to an array of struct iovec, to a struct msghdr, or to an array of struct
 * mmsghdr. `count` says how many entries the array has, `size` how many bytes of a buffer are shown;
 * with ITEM_CUT, no more entries than that are, either. With ITEM_RESULT, buffers hold what the call
 * has moved. */
enum wire_nest_kind { NEST_NONE, NEST_IOV, NEST_MSG, NEST_MMSG };
enum {
    NEST_BUFFERS = 4,      /* that are read in one run of call_nest */
    NEST_NAME_MAX = 128    /* bytes of an address: struct sockaddr_storage */
};

/* `commands`: how many bytes an argument points to, by the command that another argument is (fcntl,
 * ioctl, prctl). What is not in it points to nothing that is shown. */
struct wire_command {
    u32 command;
    u16 nr;
    u16 arg;              /* place in wire_thread.word of what points */
};
enum { COMMAND_STR = 0x80000000 }; /* of the value: a string of at most so many bytes */

/* A call is recorded; or it is counted, and then all calls are. */
enum wire_spec_on { CALL_UNSEEN, CALL_RECORDED, CALL_COUNTED };

/* What a call's record holds. */
struct wire_spec {
    u8 on;                /* enum wire_spec_on */
    u8 n, file;           /* file: 1 + the place of a descriptor whose file is described */
    u8 pair;              /* 1 + the place of a pointer to two of them */
    u8 unfailing;         /* its result tells nothing */
    u8 sock;              /* 1 + the place of a descriptor whose socket is described */
    u8 early[CALL_EARLY]; /* 1 + an item that the call writes over: read when it begins, too */
    u8 sets;              /* the first CALL_SETS items are sets: read when it begins, too */
    u8 ring;              /* io_uring_enter(2): its requests may open files */
    u8 unused[2];
    struct wire_item item[CALL_ITEMS], nest;
};
WIRE_ASSERT(sizeof(struct wire_spec) == 96);

/* A traced thread, and the call it is in: word[] is the part of its registers that has the six
 * arguments (in which order, kvis knows by the architecture; in order where a classic tracepoint
 * gave them), and behind them the result and 1. */
struct wire_thread {
    u64 ts_ns;
    u64 word[16];
    u32 nr, tid;          /* tid: in kvis's pid namespace */
    u32 in_call;
    u32 where;            /* enum wire_where, since `since_ns` */
    u64 since_ns;
    u64 cpu_ns, runq_ns, disk_ns; /* of this call, so far */
    u32 switched;         /* it was not on a CPU all the time */
    u32 bios;             /* it has asked a disk for something in this call */
    u32 waker_tid, waker_pid; /* who ended its last wait: see wire_times */
    char waker_comm[16];
    u64 state;
    /* Of calls that are counted: one that a signal has interrupted. The kernel may restart it. */
    u64 int_ns, int_end_ns; /* int_ns 0: there is none */
    u64 int_sum;          /* of its arguments */
    u32 int_nr, int_over; /* int_over: another call has begun since */
    u64 early[CALL_EARLY * CALL_EARLY_MAX / 8]; /* what the early items were then */
    u32 early_read;       /* bits: which of them could be read */
    u16 full;             /* its calls stop, and are not counted here */
    u16 opened;           /* an io_uring request has opened a file: see wire_spec.ring */
};
WIRE_ASSERT(sizeof(struct wire_thread) == 296);

/* The sets of descriptors that a thread's call had when it began (select(2)), by thread. */
enum { CALL_SETS = 3, CALL_SET_BYTES = 128 /* fd_set */ };
struct wire_sets {
    u64 set[CALL_SETS][CALL_SET_BYTES / 8];
    u64 ts_ns;            /* when it began */
    u32 bytes;            /* of each */
    s32 error[CALL_SETS]; /* not 0: it could not be read */
};
WIRE_ASSERT(sizeof(struct wire_sets) == 408);

/* The calls of one number on one CPU: `table`, CALL_NRS a CPU. */
struct wire_count {
    u64 calls, errors, time_ns, max_ns;
};
WIRE_ASSERT(sizeof(struct wire_count) == 32);

enum wire_where { UNKNOWN, RUNS, WAITS, BLOCKED, ON_DISK };

/* A call: this head, then segments, each padded to 8 bytes. */
struct wire_call {
    u64 ts_ns, end_ns;
    s64 ret;
    u64 word[CALL_WORDS];
    u32 nr, tid;
    u32 over;             /* 0: its thread ended in it */
    u32 unread;           /* it is not whole: the thread stops so that kvis can read the rest */
    u32 key;              /* of the thread in `traced`: its id in the first pid namespace */
    u32 kind;             /* 0: a call; at the same place as wire_proc has its kind */
};
WIRE_ASSERT(sizeof(struct wire_call) == 112);

/* wire_seg.arg: a struct wire_file, wire_times, wire_sock, wire_who, wire_unix; bytes after their
 * address; the path of an opened file below the caller's root, its components last first, each with a
 * NUL */
enum {
    SEG_FILE = 0xff, SEG_TIMES = 0xfe, SEG_SOCK = 0xfd, SEG_AT = 0xfc, SEG_WHO = 0xfb,
    SEG_UNIX = 0xfa, SEG_PATH = 0xf9
};
enum {
    WALK_STEPS = 8,       /* directories that one run of call_nest goes up */
    WALK_PART_MAX = 264   /* bytes of a component: see OPEN_PART_MAX */
};

struct wire_seg {
    u16 len;
    u8 arg;               /* the word that points to these bytes, or SEG_... */
    u8 fault;             /* they could not be read */
    u8 early;             /* as it was when the call began */
    u8 unused[3];
};
WIRE_ASSERT(sizeof(struct wire_seg) == 8);

/* Where the time of a call went that was not on a CPU throughout; the rest of its duration it was
 * blocked on something else than a disk. */
struct wire_times {
    u64 cpu_ns, runq_ns, disk_ns;
    u64 state;            /* of the task in its last sleep, as the kernel has it; 0: it did not sleep */
    u32 waker_tid, waker_pid; /* who ended its last wait; waker_pid 0: not known, or an interrupt */
    char waker_comm[16];  /* the waker's name then, if waker_pid is not 0 */
};
WIRE_ASSERT(sizeof(struct wire_times) == 56);
enum { WAKER_INTERRUPT = 0xffffffff }; /* waker_tid */

/* A thread that could run waited for a CPU. Shorter than any call's record. */
struct wire_delay {
    u64 ts_ns, delay_ns;  /* ts_ns: when it got one */
    u32 tid, cpu;
};
WIRE_ASSERT(sizeof(struct wire_delay) == 24);

/* A request that a disk has done. In length between a delay's and a call's. */
struct wire_io {
    u64 ts_ns;            /* when it was complete */
    u64 issue_ns, insert_ns; /* insert_ns 0: it went past the queue */
    u32 bytes;
    u32 dev;              /* major << 20 | minor; 0: none */
    u32 op;               /* REQ_OP_...: include/linux/blk_types.h */
    s32 error;            /* -errno; from 5.16 on a blk_status_t, which is positive */
    u32 tid;
    u32 pid;              /* 0: not known, for kvis is in a pid namespace */
};
WIRE_ASSERT(sizeof(struct wire_io) == 48);

/* A result of io_uring's. Shorter than a disk's record, longer than a delay's. */
enum wire_uring_flags {
    URING_SHARED = 1,     /* others on their way have the same number: which one it is is not known */
    URING_MORE = 2        /* not its only result */
};
enum { URING_OP_UNKNOWN = 255 };

struct wire_uring {
    u64 ts_ns, submit_ns; /* submit_ns 0: it was not seen to be submitted */
    s32 res;
    s32 fd;               /* -1: not known, or none */
    u32 tid, pid;         /* tid 0: not known; not of a thread that kvis knows: a ring's own */
    u8 op, flags;         /* op: IORING_OP_... */
    u16 unused;
    u32 flying;           /* how many are on their way under this number */
};
WIRE_ASSERT(sizeof(struct wire_uring) == 40);

/* A signal is delivered, or sent. Shorter than the record of a call. */
struct wire_signal {
    u64 ts_ns;
    u64 info[4];          /* siginfo(2) from si_pid on; sent: the process that sends it */
    u32 tid;
    s32 code;             /* si_code */
    u8 sig, known;        /* known 0: info is not (a classic tracepoint) */
    u8 caught, restarts;  /* it has a handler; with SA_RESTART */
    u32 sent;             /* 1: the thread's process is sent it */
};
WIRE_ASSERT(sizeof(struct wire_signal) == 56);

/* Whose call it is, where nothing stops, and how many records its CPU had lost until then. */
struct wire_who {
    u32 pid, cpu;
    u64 lost;             /* records that this CPU had lost until then */
    char comm[16];
};
WIRE_ASSERT(sizeof(struct wire_who) == 32);

/* `delays`: how long threads waited for a CPU: 64-bit counters of 16 buckets an octave, the sum and
 * the longest wait in ns. One element of all, because each element costs a system call to read. */
enum { DELAY_BUCKETS = 976, DELAY_SUM = 976, DELAY_MAX, DELAY_SLOTS };

/* `hists`: how long calls of a number took, with the same buckets. */
struct wire_hist {
    u32 n[DELAY_BUCKETS];
};

/* --- sched: what the scheduler does on each CPU, since the start; `cpus`, by CPU --- */

enum {
    DEPTH_BUCKETS = 160,     /* to 8191, and what is more */
    TASK_SLOTS_MAX = 1 << 18 /* of `tasks` */
};

struct wire_sched {
    u64 switches, involuntary, migrations;
    u64 wait_ns, depth_sum; /* all waits for a CPU, and all of `depth`, added up */
    u64 unseen;           /* waits of which the beginning is not known */
    u64 idle;             /* switches to the idle task */
    s32 queue;            /* by our own count: woken and not yet running; may be below 0 */
    u32 unused;
    u32 wait[DELAY_BUCKETS]; /* in ns, 16 buckets an octave */
    u32 depth[DEPTH_BUCKETS]; /* tasks that can run, at each switch; the same buckets */
};
WIRE_ASSERT(sizeof(struct wire_sched) == 4608);

/* --- blk: requests of disks; `disks`, the slot by major << 20 | minor, and `stats`, by slot --- */

/* Its distributions: times in ns, in the queue (from when the request was made to when the disk got it)
 * and in the disk; bytes. */
enum wire_blk_hist {
    BLK_READ_QUEUE, BLK_READ_DISK, BLK_WRITE_QUEUE, BLK_WRITE_DISK, BLK_DISCARD, BLK_FLUSH,
    BLK_READ_SIZE, BLK_WRITE_SIZE, N_BLK_HISTS
};

struct wire_blk {
    u64 sum[N_BLK_HISTS];
    u64 requests;         /* reads and writes */
    u64 sequential;       /* those that begin where the one before ended */
    u64 next;             /* where that is: a sector */
    u32 hist[N_BLK_HISTS * DELAY_BUCKETS];
};
WIRE_ASSERT(sizeof(struct wire_blk) == 88 + N_BLK_HISTS * DELAY_BUCKETS * 4);

struct wire_file {
    u64 ino, magic;
    u32 dev, rdev;        /* as the kernel has them: major << 20 | minor */
    u32 mode, unused;
    char name[32];        /* the last one of its path, or as much of it as has room */
};
WIRE_ASSERT(sizeof(struct wire_file) == 64);

/* The addresses of a socket of AF_INET or AF_INET6. Ports as the network has them. */
struct wire_sock {
    u16 family, type, protocol, has_peer;
    u16 local_port, peer_port;
    u32 unused;
    u8 local[16], peer[16];
};
WIRE_ASSERT(sizeof(struct wire_sock) == 48);

/* The addresses of a Unix socket: so many bytes of a struct sockaddr_un; 0: it has none. */
enum { UNIX_ADDR_MAX = 110 };
struct wire_unix {
    u16 type, local_len, peer_len, unused;
    u8 local[112], peer[112];
};
WIRE_ASSERT(sizeof(struct wire_unix) == 232);

/* --- proc: commands, from fork to exit --- */

/* What a record tells; 0 is for calls. */
enum wire_proc_kind {
    PROC_FORK = 1, /* a process or thread was made: pid and tid are its own */
    PROC_ARGS, /* arg_len bytes of the arguments, from `at` on; the record that they belong to
                  follows (from the same thread) */
    PROC_ENV,  /* the same of the environment */
    PROC_EXEC, /* an execve that succeeded; behind it name, exe and cwd */
    PROC_FAIL, /* one that failed; behind it the name */
    PROC_EXIT, /* a thread ended */
    N_PROC_KINDS
};

/* What of the arguments is missing, where execve's own argv was read. */
enum wire_proc_args { ARGS_MORE = 1, ARGS_CUT = 2 }; /* those behind the last; the end of one */

/* What is known of a path that comes as components, from the last to the first, each with a NUL. */
enum wire_walk { WALK_DONE = 1, WALK_CUT = 2, WALK_OUT = 4 };

enum {
    PROC_NAME_MAX = 4096, PROC_DIR_MAX = 4096, PROC_PART_MAX = 264,
    PROC_EXE_DEPTH = 16, PROC_CWD_DEPTH = 20, /* each step costs the verifier 0.2 ms */
    PROC_PIECE = 4096,  /* bytes of arguments that a record carries */
    PROC_PIECES = 16,   /* and so many records: 64 KiB */
    PROC_POINTERS = 128 /* arguments that are read one by one (execve's argv, where it failed) */
};

/* What a thread used, or the threads of its process that are gone (struct signal_struct). */
struct wire_usage {
    u64 run_ns, user_ns, system_ns;
    u64 minor, major, waits, preempted;
    u64 read_bytes, write_bytes, read_chars, write_chars;
};

struct wire_proc {
    u64 ts_ns;           /* CLOCK_MONOTONIC */
    u64 start_ns;        /* CLOCK_BOOTTIME of the process's fork; 0: not known */
    u64 cgroup;          /* of cgroup v2: its id */
    u64 flags;           /* fork: those of clone. args, fail: enum wire_proc_args */
    u64 max_rss;         /* exec, exit: in pages, the peak of all programs that it has executed */
    char comm[16];
    u32 pid, tid, ppid;  /* in kvis's pid namespace; ppid 0: not known */
    u32 ns_pid;          /* pid as the process itself has it; 0: not known */
    u32 uid, gid;
    u32 was;             /* exec, fork: the thread that called it; 0: not known in this namespace */
    s32 ret;             /* exit: the wait status, -1: not known. fail: -errno */
    u32 live;            /* exit: threads that have not ended; ~0: not known */
    u32 at;              /* args: where these belong */
    u32 arg_len;         /* args: bytes here; else: bytes that there were in all */
    u16 name_len, exe_len, cwd_len;
    u8 exe_state, cwd_state; /* enum wire_walk */
    u32 kind;            /* enum wire_proc_kind */
    u64 own_rss;         /* exit: of the last one; by ptrace also exec: of the one before. 0: n/a */
    struct wire_usage own, dead; /* exec, exit */
};
WIRE_ASSERT(__builtin_offsetof(struct wire_proc, kind) == __builtin_offsetof(struct wire_call, kind));
WIRE_ASSERT(sizeof(struct wire_proc) == 296);

/* An execve that has begun, by thread. */
struct wire_execing {
    u64 name, argv;
    u32 compat, unused;
};

#endif
