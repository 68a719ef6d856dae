/* wire.h: the data formats that probes and kvis.c share. All fields are naturally aligned, and the compiler
 * adds no padding, so every byte of a record is defined. The assertions check this with both compilers:
 * clang -target bpf and the host's cc.
 * The including file must have defined u8 ... s64. */
#ifndef KVIS_WIRE_H
#define KVIS_WIRE_H

#define WIRE_ASSERT(x) _Static_assert(x, #x)

/* Slots of the map `lost`, one per reason (a per-CPU array of u64). */
enum wire_lost {
    LOST_RING,     /* a record, because the ring was full */
    LOST_INFLIGHT, /* a call that could not be stored at its entry */
    LOST_TREE,     /* a child that could not be added to the followed tree */
    LOST_SCHED,    /* a scheduler record, because the ring was full */
    LOST_DISK,     /* a disk request that could not be stored, or its record */
    LOST_URING,    /* an io_uring request that could not be stored, or its record */
    N_LOST
};

/* The call that opened the file. */
enum wire_open_call {
    OPEN_OPEN, OPEN_OPENAT, OPEN_OPENAT2, OPEN_CREAT, OPEN_HANDLE, OPEN_EXEC, N_OPEN_CALLS
};

/* Bits of wire_open.state. */
enum wire_open_state {
    OPEN_NAME_FAULT = 1,  /* the name could not be read; the record has none */
    OPEN_HOW_FAULT = 2,   /* openat2's struct open_how could not be read */
    OPEN_DIR = 4,         /* data holds the directory that the name is relative to */
    OPEN_DIR_CUT = 8,     /* that directory is truncated: too deep, or longer than data */
    OPEN_COMPAT = 16,     /* a call of the 32-bit ABI */
    OPEN_NAME_CHANGED = 32, /* the first OPEN_HEAD bytes of the name changed during the call */
    OPEN_DIR_OUT = 64,    /* that directory is not below the caller's root */
    OPEN_IN_ROOT = 128,   /* for this open, the directory is the root (RESOLVE_IN_ROOT) */
};

/* Maximum sizes of the name and the directory in a record, in bytes. The kernel accepts names of at most
 * 4096 bytes with the NUL (PATH_MAX). A component that fills OPEN_PART_MAX is longer than 255 bytes,
 * which some file systems allow (FUSE, vfat's UTF-8); then the directory is truncated. */
enum {
    OPEN_NAME_MAX = 4096, OPEN_DIR_MAX = 4096, OPEN_PART_MAX = 264, OPEN_DEPTH = 32, OPEN_HEAD = 64
};

/* A completed open: this header, name_len bytes of name (no NUL), dir_len bytes of directory (its
 * components from the last to the first, each with a NUL). */
struct wire_open {
    u64 ts_ns;       /* completion time: bpf_ktime_get_ns, CLOCK_MONOTONIC */
    u64 duration_ns;
    u64 flags;       /* flags that the caller passed (openat2 has 64 bits) */
    u32 mode;
    s32 ret;         /* result of the call: a descriptor, or -errno */
    s32 dirfd;       /* AT_FDCWD if the call has none */
    u32 pid, tid;    /* ids in kvis's pid namespace */
    u32 uid;
    u8 call;         /* enum wire_open_call */
    u8 state;        /* enum wire_open_state */
    u16 name_len, dir_len, unused;
    char comm[16];
};
WIRE_ASSERT(sizeof(struct wire_open) == 72);

/* An open in flight, by thread. */
struct wire_opening {
    u64 ts_ns, name, how, flags;
    u64 head[OPEN_HEAD / 8]; /* first bytes of the name at entry; zeros if they could not be read */
    u32 mode;
    s32 dirfd;
    u32 pid, tid;
    u8 call, state, unused[6];
};
WIRE_ASSERT(sizeof(struct wire_opening) == 120);

/* --- call: system calls of traced threads --- */

enum {
    CALL_NRS = 512,       /* number of specs, by the number of the call */
    CALL_OTHER = 511,     /* spec of all larger numbers; no call has this number */
    CALL_ITEMS = 6,       /* maximum number of items (data that arguments point to) of a call */
    CALL_EARLY = 2,       /* maximum number of items that are also read at entry, */
    CALL_EARLY_MAX = 16,  /* and of bytes of such an item */
    CALL_PART_MAX = 4096, /* maximum bytes of one item (a path with its NUL) */
    DNS_BYTES = 512,      /* maximum size of a DNS message over UDP (RFC 1035, 4.2.1) */
    CALL_DATA_MAX = 8192  /* size of a record after which no further items are read */
};

/* How the size of an item is determined. ITEM_BYTES: `count` * mul + plus bytes. ITEM_STR: a string.
 * ITEM_POINTED: the 32-bit number that `count` points to, at exit and (for the first early item) at entry.
 * ITEM_COMMAND: the entry in `commands` of the command in `count`. ITEM_BITS: `count` bits, in 64-bit
 * words. */
enum wire_item_kind { ITEM_BYTES, ITEM_STR, ITEM_POINTED, ITEM_COMMAND, ITEM_BITS };

/* arg and count are indexes in wire_thread.word; count may also be the result (0 for an error), or
 * the number 1. If more than `size` bytes would be shown, the thread is held at the end of the call. */
enum { CALL_WORDS = 8, WORD_RESULT = 8, WORD_ONE = 9 };
enum { FILE_CWD = 16 };   /* wire_spec.file: the working directory */

enum wire_item_flags {
    ITEM_RESULT = 1,      /* the item exists only if the call succeeded */
    ITEM_CUT = 2,         /* no more than `size` bytes are shown */
    ITEM_FAILED = 4,      /* the item exists only if the call failed */
    ITEM_EXEC = 8,        /* program's name; after a successful call it is at another address */
    ITEM_DNS = 16         /* DNS_BYTES of a DNS message are read, regardless of `size` */
};

struct wire_item {
    u8 arg, kind, count, flags;
    u16 mul, plus;
    u32 size;
};

/* An argument with nested pointers: an array of struct iovec, a struct msghdr, or an array of struct
 * mmsghdr. `count` is the number of array entries, `size` the number of bytes shown of a buffer;
 * with ITEM_CUT, it also limits the number of entries. With ITEM_RESULT, the buffers hold the data that
 * the call transferred. */
enum wire_nest_kind { NEST_NONE, NEST_IOV, NEST_MSG, NEST_MMSG };
enum {
    NEST_BUFFERS = 4,      /* number of buffers that one run of call_nest reads */
    NEST_NAME_MAX = 128    /* size of struct sockaddr_storage */
};

/* Key of `commands`: the number of bytes that an argument points to, by the command in another argument
 * (fcntl, ioctl, prctl). For commands without an entry, the argument is not followed. */
struct wire_command {
    u32 command;
    u16 nr;
    u16 arg;              /* index of the pointer in wire_thread.word */
};
enum { COMMAND_STR = 0x80000000 }; /* flag of the value: a string of at most that many bytes */

/* What happens with a call. If one call is counted, all are. */
enum wire_spec_on { CALL_UNSEEN, CALL_RECORDED, CALL_COUNTED };

/* The data that the record of a call contains. */
struct wire_spec {
    u8 on;                /* enum wire_spec_on */
    u8 n, file;           /* number of items; 1 + the index of a descriptor whose file is described */
    u8 pair;              /* 1 + the index of a pointer to two such descriptors */
    u8 unfailing;         /* the result of the call is never an error */
    u8 sock;              /* 1 + the index of a descriptor whose socket is described */
    u8 early[CALL_EARLY]; /* 1 + the index of an item that is also read at entry */
    u8 sets;              /* the first CALL_SETS items are fd sets: also read at entry */
    u8 ring;              /* io_uring_enter(2): its requests may open files */
    u8 unused[2];
    struct wire_item item[CALL_ITEMS], nest;
};
WIRE_ASSERT(sizeof(struct wire_spec) == 96);

/* A traced thread and its current call. word[] is the part of its registers that holds the six
 * arguments, followed by the result and the number 1. The arguments are in the architecture's register
 * order, or in call order if they come from a classic tracepoint. */
struct wire_thread {
    u64 ts_ns;
    u64 word[16];
    u32 nr, tid;          /* tid: in kvis's pid namespace */
    u32 in_call;
    u32 where;            /* enum wire_where, since `since_ns` */
    u64 since_ns;
    u64 cpu_ns, runq_ns, disk_ns; /* parts of the time of the current call, so far */
    u32 switched;         /* the thread was switched out during this call */
    u32 bios;             /* the thread queued a disk request in this call */
    u32 waker_tid, waker_pid; /* the thread that ended its last wait: see wire_times */
    char waker_comm[16];
    u64 state;
    /* If calls are counted: a call that a signal has interrupted. The kernel may restart it. */
    u64 int_ns, int_end_ns; /* int_ns 0: there is none */
    u64 int_sum;          /* checksum of the interrupted call's arguments */
    u32 int_nr, int_over; /* int_over: another call has begun since */
    u64 early[CALL_EARLY * CALL_EARLY_MAX / 8]; /* contents of the early items at entry */
    u32 early_read;       /* a bit for each early item that could be read */
    u16 full;             /* the thread stops at its calls, which are not counted here */
    u16 opened;           /* an io_uring request has opened a file: see wire_spec.ring */
};
WIRE_ASSERT(sizeof(struct wire_thread) == 296);

/* The fd sets of a select(2) call at entry, by thread. */
enum { CALL_SETS = 3, CALL_SET_BYTES = 128 /* fd_set */ };
struct wire_sets {
    u64 set[CALL_SETS][CALL_SET_BYTES / 8];
    u64 ts_ns;            /* start of the call */
    u32 bytes;            /* size of each set */
    s32 error[CALL_SETS]; /* not 0: the set could not be read */
};
WIRE_ASSERT(sizeof(struct wire_sets) == 408);

/* Counters of one call number on one CPU. The map `table` has CALL_NRS entries per CPU. */
struct wire_count {
    u64 calls, errors, time_ns, max_ns;
};
WIRE_ASSERT(sizeof(struct wire_count) == 32);

enum wire_where { UNKNOWN, RUNS, WAITS, BLOCKED, ON_DISK };

/* A call: this header, then segments, each padded to 8 bytes. */
struct wire_call {
    u64 ts_ns, end_ns;
    s64 ret;
    u64 word[CALL_WORDS];
    u32 nr, tid;
    u32 over;             /* 0: the thread exited during the call */
    u32 unread;           /* incomplete: the thread stops so that kvis can read the rest */
    u32 key;              /* the thread's key in `traced`: its id in the initial pid namespace */
    u32 kind;             /* 0: a call; at the same offset as wire_proc.kind */
};
WIRE_ASSERT(sizeof(struct wire_call) == 112);

/* wire_seg.arg: a struct wire_file, wire_times, wire_sock, wire_who or wire_unix; SEG_AT: an address,
 * then its bytes; SEG_PATH: the path of an opened file below the caller's root, the last component
 * first, each with a NUL. */
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
    u8 fault;             /* 1: the bytes could not be read */
    u8 early;             /* 1: the bytes were read at entry */
    u8 unused[3];
};
WIRE_ASSERT(sizeof(struct wire_seg) == 8);

/* Where the time of a call went, if the thread was switched out during it. In the remaining time the
 * thread was blocked on something other than a disk. */
struct wire_times {
    u64 cpu_ns, runq_ns, disk_ns;
    u64 state;            /* the kernel's task state in the last sleep; 0: the task did not sleep */
    u32 waker_tid, waker_pid; /* the thread that ended its last wait; pid 0: not known or an interrupt */
    char waker_comm[16];  /* the waker's name at that time, if waker_pid is not 0 */
};
WIRE_ASSERT(sizeof(struct wire_times) == 56);
enum { WAKER_INTERRUPT = 0xffffffff }; /* waker_tid */

/* A runnable thread waited for a CPU. Shorter than the record of any call. */
struct wire_delay {
    u64 ts_ns, delay_ns;  /* ts_ns: end of the wait */
    u32 tid, cpu;
};
WIRE_ASSERT(sizeof(struct wire_delay) == 24);

/* A completed disk request. The length is between those of a delay's and a call's record. */
struct wire_io {
    u64 ts_ns;            /* completion time */
    u64 issue_ns, insert_ns; /* insert_ns 0: the request bypassed the queue */
    u32 bytes;
    u32 dev;              /* major << 20 | minor; 0: none */
    u32 op;               /* REQ_OP_...: include/linux/blk_types.h */
    s32 error;            /* -errno; since 5.16 a blk_status_t, which is positive */
    u32 tid;
    u32 pid;              /* 0: not known, because kvis is in a pid namespace */
};
WIRE_ASSERT(sizeof(struct wire_io) == 48);

/* A completion of an io_uring request. Shorter than a disk's record, longer than a delay's. */
enum wire_uring_flags {
    URING_SHARED = 1,     /* several requests in flight share the user_data: it may be any of them */
    URING_MORE = 2        /* the request has several completions */
};
enum { URING_OP_UNKNOWN = 255 };

struct wire_uring {
    u64 ts_ns, submit_ns; /* submit_ns 0: the submission was not seen */
    s32 res;
    s32 fd;               /* -1: not known, or none */
    u32 tid, pid;         /* tid 0: not known, for example the ring's own kernel thread */
    u8 op, flags;         /* op: IORING_OP_... */
    u16 unused;
    u32 flying;           /* number of requests in flight with this user_data */
};
WIRE_ASSERT(sizeof(struct wire_uring) == 40);

/* A signal was delivered or sent. Shorter than the record of a call. */
struct wire_signal {
    u64 ts_ns;
    u64 info[4];          /* siginfo(2) from si_pid on; sent: the sending process */
    u32 tid;
    s32 code;             /* si_code */
    u8 sig, known;        /* known 0: info is not valid (a classic tracepoint) */
    u8 caught, restarts;  /* the signal has a handler; the handler has SA_RESTART */
    u32 sent;             /* 1: the signal was sent to the thread's process */
};
WIRE_ASSERT(sizeof(struct wire_signal) == 56);

/* The process of a call, if threads are not stopped, and the lost records of its CPU so far. */
struct wire_who {
    u32 pid, cpu;
    u64 lost;             /* records that this CPU has lost so far */
    char comm[16];
};
WIRE_ASSERT(sizeof(struct wire_who) == 32);

/* The map `delays` is a histogram of waits for a CPU: 64-bit counters with 16 buckets per octave, the sum
 * and the longest wait in ns. It is a single map element, because reading each element costs a system
 * call. */
enum { DELAY_BUCKETS = 976, DELAY_SUM = 976, DELAY_MAX, DELAY_SLOTS };

/* The map `hists` has a histogram of the durations of each call number, with the same buckets. */
struct wire_hist {
    u32 n[DELAY_BUCKETS];
};

/* --- sched: counters of the scheduler since the start; `cpus`, by CPU --- */

enum {
    DEPTH_BUCKETS = 160,     /* up to 8191; the last one includes larger values */
    TASK_SLOTS_MAX = 1 << 18 /* slots of `tasks` */
};

struct wire_sched {
    u64 switches, involuntary, migrations;
    u64 wait_ns, depth_sum; /* sum of all waits for a CPU, and of all values in `depth` */
    u64 unseen;           /* number of waits whose start is not known */
    u64 idle;             /* number of switches to the idle task */
    u32 wait[DELAY_BUCKETS]; /* histogram of waits in ns, 16 buckets per octave */
    u32 depth[DEPTH_BUCKETS]; /* histogram of runnable tasks at each switch; the same buckets */
};
WIRE_ASSERT(sizeof(struct wire_sched) == 4600);

/* --- blk: disk requests; `disks` maps major << 20 | minor to a slot, `stats` is indexed by slot --- */

/* The histograms of a disk: time in the queue (from creation of the request to its issue) and time in the
 * disk, both in ns; size in bytes. */
enum wire_blk_hist {
    BLK_READ_QUEUE, BLK_READ_DISK, BLK_WRITE_QUEUE, BLK_WRITE_DISK, BLK_DISCARD, BLK_FLUSH,
    BLK_READ_SIZE, BLK_WRITE_SIZE, N_BLK_HISTS
};

struct wire_blk {
    u64 sum[N_BLK_HISTS];
    u64 requests;         /* number of reads and writes */
    u64 sequential;       /* number of requests that begin where the previous one ended */
    u64 next;             /* sector at which the last request ended */
    u32 hist[N_BLK_HISTS * DELAY_BUCKETS];
};
WIRE_ASSERT(sizeof(struct wire_blk) == 88 + N_BLK_HISTS * DELAY_BUCKETS * 4);

struct wire_file {
    u64 ino, magic;
    u32 dev, rdev;        /* in the kernel's format: major << 20 | minor */
    u32 mode, unused;
    char name[32];        /* last component of the file's path, possibly truncated */
};
WIRE_ASSERT(sizeof(struct wire_file) == 64);

/* The addresses of an AF_INET or AF_INET6 socket. Ports are in network byte order. */
struct wire_sock {
    u16 family, type, protocol, has_peer;
    u16 local_port, peer_port;
    u32 unused;
    u8 local[16], peer[16];
};
WIRE_ASSERT(sizeof(struct wire_sock) == 48);

/* A Unix socket and its peer. Each address has the length of its struct sockaddr_un, or 0 if the socket
 * is not bound; the inode number is 0 if that socket has no file. */
enum { UNIX_ADDR_MAX = 110 };
struct wire_unix {
    u16 type, local_len, peer_len, unused;
    u64 local_ino, peer_ino;
    u8 local[112], peer[112];
};
WIRE_ASSERT(sizeof(struct wire_unix) == 248);

/* --- proc: commands, from fork to exit --- */

/* Kinds of records; calls have 0. */
enum wire_proc_kind {
    PROC_FORK = 1, /* a process or thread was created: pid and tid are those of the new one */
    PROC_ARGS, /* arg_len bytes of the arguments, from offset `at` on; the record that they belong
                  to follows (from the same thread) */
    PROC_ENV,  /* arg_len bytes of the environment; otherwise like PROC_ARGS */
    PROC_EXEC, /* an execve succeeded; name, exe and cwd follow */
    PROC_FAIL, /* an execve failed; the name follows */
    PROC_EXIT, /* a thread exited */
    N_PROC_KINDS
};

/* How the arguments are incomplete, if they were read from execve's argv. */
enum wire_proc_args { ARGS_MORE = 1, ARGS_CUT = 2 }; /* more arguments follow; an argument is truncated */

/* State of a path that is stored as components, from the last to the first, each with a NUL. */
enum wire_walk { WALK_DONE = 1, WALK_CUT = 2, WALK_OUT = 4 };

enum {
    PROC_NAME_MAX = 4096, PROC_DIR_MAX = 4096, PROC_PART_MAX = 264,
    PROC_EXE_DEPTH = 16, PROC_CWD_DEPTH = 20, /* each step costs the verifier 0.2 ms */
    PROC_PIECE = 4096,  /* maximum bytes of arguments in a record */
    PROC_PIECES = 16,   /* maximum number of records with arguments of an exec: 64 KiB */
    PROC_POINTERS = 128 /* maximum number of arguments that are read from execve's argv */
};

/* Resource usage of a thread, or of the exited threads of its process (struct signal_struct). */
struct wire_usage {
    u64 run_ns, user_ns, system_ns;
    u64 minor, major, waits, preempted;
    u64 read_bytes, write_bytes, read_chars, write_chars;
};

struct wire_proc {
    u64 ts_ns;           /* CLOCK_MONOTONIC */
    u64 start_ns;        /* CLOCK_BOOTTIME of the process's fork; 0: not known */
    u64 cgroup;          /* id of the cgroup (v2) */
    u64 flags;           /* fork: clone flags. args, fail: enum wire_proc_args */
    u64 max_rss;         /* exec, exit: peak resident pages over all programs the process executed */
    char comm[16];
    u32 pid, tid, ppid;  /* ids in kvis's pid namespace; ppid 0: not known */
    u32 ns_pid;          /* pid in the process's own pid namespace; 0: not known */
    u32 uid, gid;
    u32 was;             /* exec, fork: the calling thread; 0: not known in this namespace */
    s32 ret;             /* exit: the wait status, -1: not known. fail: -errno */
    u32 live;            /* exit: number of threads that have not exited; ~0: not known */
    u32 at;              /* args: offset of the record's bytes in all arguments */
    u32 arg_len;         /* args: size of the record's bytes; others: size of all arguments */
    u16 name_len, exe_len, cwd_len;
    u8 exe_state, cwd_state; /* enum wire_walk */
    u32 kind;            /* enum wire_proc_kind */
    u64 own_rss;         /* exit: peak pages of the last program; 0: not known. With ptrace also exec */
    struct wire_usage own, dead; /* exec, exit: usage of this thread and of the exited ones */
};
WIRE_ASSERT(__builtin_offsetof(struct wire_proc, kind) == __builtin_offsetof(struct wire_call, kind));
WIRE_ASSERT(sizeof(struct wire_proc) == 296);

/* An execve in flight, by thread. */
struct wire_execing {
    u64 name, argv;
    u32 compat, unused;
};

#endif
