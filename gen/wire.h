/* The formats of the data that BPF programs and kvis.c share. All fields are naturally aligned, and the
 * compiler adds no padding, so every byte of a record is defined. The assertions check this with both
 * compilers: clang -target bpf and the host's cc. A file that includes this one must first define u8 ...
 * s64. */
#ifndef KVIS_WIRE_H
#define KVIS_WIRE_H

#define WIRE_ASSERT(x) _Static_assert(x, #x)

/* Reasons why a BPF program lost data: slots of the map `lost` (a per-CPU array of u64). */
enum wire_lost {
    LOST_RING,     /* a record was lost because the ring was full */
    LOST_INFLIGHT, /* a call could not be stored at its entry */
    LOST_TREE,     /* a new thread or process could not be added to the followed tree */
    LOST_SCHED,    /* a scheduler record was lost because the ring was full */
    LOST_DISK,     /* a disk request could not be stored, or its record was lost */
    LOST_URING,    /* an io_uring request could not be stored, or its record was lost */
    LOST_COMPAT,   /* a call by the 32-bit ABI */
    N_LOST
};

enum wire_open_call {
    OPEN_OPEN, OPEN_OPENAT, OPEN_OPENAT2, OPEN_CREAT, OPEN_HANDLE, OPEN_EXEC, N_OPEN_CALLS
};

enum wire_open_state {
    OPEN_NAME_FAULT = 1,  /* the name could not be read and is missing in the record */
    OPEN_HOW_FAULT = 2,   /* openat2's struct open_how could not be read */
    OPEN_DIR = 4,         /* the record contains the directory in which the name starts */
    OPEN_DIR_CUT = 8,     /* the directory is truncated: too many components or bytes */
    OPEN_COMPAT = 16,     /* the call used the 32-bit ABI */
    OPEN_NAME_CHANGED = 32, /* the first OPEN_HEAD bytes of the name changed during the call */
    OPEN_DIR_OUT = 64,    /* the directory is not below the caller's root */
    OPEN_IN_ROOT = 128,   /* for this open, the directory is the root (RESOLVE_IN_ROOT) */
};

/* Maximum sizes in bytes of the name and the directory in a record. The kernel accepts names of at most 4096
 * bytes with the NUL (PATH_MAX). A directory is truncated at a component that fills OPEN_PART_MAX; some file
 * systems allow such names (FUSE, vfat's UTF-8). */
enum {
    OPEN_NAME_MAX = 4096, OPEN_DIR_MAX = 4096, OPEN_PART_MAX = 264, OPEN_DEPTH = 32, OPEN_HEAD = 64
};

/* A completed open: this header, then name_len bytes of name (without a NUL), then dir_len bytes of
 * directory (components from the last to the first, each with a NUL). */
struct wire_open {
    u64 ts_ns;       /* completion time (bpf_ktime_get_ns, CLOCK_MONOTONIC) */
    u64 duration_ns;
    u64 flags;       /* flags that the caller passed; those of openat2 have 64 bits */
    u32 mode;
    s32 ret;         /* result of the call: a descriptor or -errno */
    s32 dirfd;       /* AT_FDCWD if the call has no such argument */
    u32 pid, tid;    /* ids in the pid namespace of kvis */
    u32 uid;
    u8 call;         /* enum wire_open_call */
    u8 state;        /* enum wire_open_state */
    u16 name_len, dir_len, unused;
    char comm[16];
};
WIRE_ASSERT(sizeof(struct wire_open) == 72);

/* An open that has not returned yet; keyed by thread. */
struct wire_opening {
    u64 ts_ns, name, how, flags;
    u64 head[OPEN_HEAD / 8]; /* first bytes of the name at entry; zeros if unreadable */
    u32 mode;
    s32 dirfd;
    u32 pid, tid;
    u8 call, state, unused[6];
};
WIRE_ASSERT(sizeof(struct wire_opening) == 120);

/* --- call: system calls of traced threads --- */

enum {
    CALL_NRS = 512,       /* number of entries of the map `spec`; the index is the call number */
    CALL_OTHER = 511,     /* entry for all larger call numbers; not itself a call number */
    CALL_ITEMS = 6,       /* maximum number of items of a call */
    CALL_EARLY = 2,       /* maximum number of items of a call that are also read at its entry */
    CALL_EARLY_MAX = 16,  /* maximum number of bytes of an item that are read at entry */
    CALL_PART_MAX = 4096, /* maximum number of bytes of an item (a path with its NUL) */
    DNS_BYTES = 512,      /* maximum size of a DNS message over UDP (RFC 1035, 4.2.1) */
    CALL_DATA_MAX = 8192  /* number of bytes in a record after which no items are added */
};

/* How the size of an item (the memory that an argument points to) is determined. ITEM_BYTES: mul * count +
 * plus bytes. ITEM_STR: a string. ITEM_POINTED: the 32-bit number to which argument `count` points, at exit
 * and (for the first early item) at entry. ITEM_COMMAND: the entry of the map `commands` for the command in
 * `count`. ITEM_BITS: `count` bits, in 64-bit words. */
enum wire_item_kind { ITEM_BYTES, ITEM_STR, ITEM_POINTED, ITEM_COMMAND, ITEM_BITS };

/* Fields arg and count of struct wire_item are indexes in wire_thread.word. count may also be WORD_RESULT
 * (an error counts as 0) or WORD_ONE. If kvis shows more than `size` bytes, the thread is held. */
enum { CALL_WORDS = 8, WORD_RESULT = 8, WORD_ONE = 9 };
enum { FILE_CWD = 16 };   /* in wire_spec.file: the working directory */

enum wire_item_flags {
    ITEM_RESULT = 1,      /* the item is valid only if the call succeeded */
    ITEM_CUT = 2,         /* kvis shows at most `size` bytes */
    ITEM_FAILED = 4,      /* the item is valid only if the call failed */
    ITEM_EXEC = 8,        /* name of a program, which a successful call moves to another address */
    ITEM_DNS = 16         /* DNS_BYTES bytes of a DNS message are read, regardless of `size` */
};

struct wire_item {
    u8 arg, kind, count, flags;
    u16 mul, plus;
    u32 size;
};

/* An argument with nested pointers: an array of struct iovec, a struct msghdr, or an array of struct
 * mmsghdr. `count` is the number of array entries, and `size` the number of bytes of a buffer that kvis
 * shows; with ITEM_CUT, `size` also limits the number of entries. With ITEM_RESULT, the buffers contain the
 * data that the call transferred. */
enum wire_nest_kind { NEST_NONE, NEST_IOV, NEST_MSG, NEST_MMSG };
enum {
    NEST_BUFFERS = 2,      /* maximum number of buffers that a run of call_nest reads */
    NEST_NAME_MAX = 128    /* size of struct sockaddr_storage */
};

/* Key of the map `commands`, which contains the number of bytes that an argument of fcntl, ioctl or prctl
 * points to. A command in another argument determines that number. Without an entry no bytes are read. */
struct wire_command {
    u32 command;
    u16 nr;
    u16 arg;              /* index in wire_thread.word of the pointer */
};
enum { COMMAND_STR = 0x80000000 }; /* flag in values of `commands`: maximum size of a string */

/* Whether BPF programs record or count a call. BPF programs that count calls record none. */
enum wire_spec_on { CALL_UNSEEN, CALL_RECORDED, CALL_COUNTED };

/* The data that the record of a call contains, by call number. */
struct wire_spec {
    u8 on;                /* enum wire_spec_on */
    u8 n, file;           /* number of items; file: 1 + index of a descriptor whose file is described */
    u8 pair;              /* 1 + index of a pointer to two descriptors whose files are described */
    u8 unfailing;         /* the result of the call is never an error */
    u8 sock;              /* 1 + index of a descriptor whose socket is described */
    u8 early[CALL_EARLY]; /* 1 + index of an item that is also read at the call's entry */
    u8 sets;              /* the first CALL_SETS items are fd sets, also read at the call's entry */
    u8 ring;              /* the call is io_uring_enter(2), whose requests may open files */
    u8 keeps;             /* one bit for each item that the call may overwrite with a result */
    u8 over;              /* index of the pointer to that result */
    u16 over_bytes;       /* maximum size of that result */
    u16 unused;
    struct wire_item item[CALL_ITEMS], nest;
};
WIRE_ASSERT(sizeof(struct wire_spec) == 100);

/* A traced thread and its current call. word[] contains the registers with the six arguments, followed by
 * the result and the number 1. The arguments are in the architecture's register order, or in call order if a
 * classic tracepoint provided them. */
struct wire_thread {
    u64 ts_ns;
    u64 word[16];
    u32 nr, tid;          /* tid: in the pid namespace of kvis */
    u32 in_call;
    u32 where;            /* enum wire_where, since the time since_ns */
    u64 since_ns;
    u64 cpu_ns, runq_ns, disk_ns; /* parts of the duration of the current call */
    u32 switched;         /* the thread was switched out during this call */
    u32 bios;             /* the thread queued a disk request in this call */
    u32 waker_tid, waker_pid; /* thread that ended the last wait: see wire_times */
    char waker_comm[16];
    u64 state;
    /* Used if calls are counted: a call that a signal interrupted, and that the kernel may restart. */
    u64 int_ns, int_end_ns; /* int_ns 0: no call was interrupted */
    u64 int_sum;          /* checksum of the interrupted call's arguments */
    u32 int_nr, int_over; /* int_over: another call has begun since */
    u64 early[CALL_EARLY * CALL_EARLY_MAX / 8]; /* contents of the early items at entry */
    u32 early_read;       /* one bit for each early item that could be read, and EARLY_KEPT */
    u16 full;             /* the thread stops at its calls, which BPF does not count */
    u16 opened;           /* an io_uring request has opened a file: see wire_spec.ring */
};
WIRE_ASSERT(sizeof(struct wire_thread) == 296);

/* The fd sets that a select(2) call has at its entry, keyed by thread. If early_read contains EARLY_KEPT,
 * set[] instead contains `bytes` bytes of the memory of argument error[0], which the call may overwrite, as
 * in stat(buf, buf). */
enum { CALL_SETS = 3, CALL_SET_BYTES = 128 /* size of fd_set */, EARLY_KEPT = 1 << CALL_EARLY };
struct wire_sets {
    u64 set[CALL_SETS][CALL_SET_BYTES / 8];
    u64 ts_ns;            /* start of the call */
    u32 bytes;            /* number of bytes of each set */
    s32 error[CALL_SETS]; /* not 0: this set could not be read */
};
WIRE_ASSERT(sizeof(struct wire_sets) == 408);

/* Counters of one call number on one CPU. The map `table` has CALL_NRS such entries per CPU. */
struct wire_count {
    u64 calls, errors, time_ns, max_ns;
};
WIRE_ASSERT(sizeof(struct wire_count) == 32);

enum wire_where { UNKNOWN, RUNS, WAITS, BLOCKED, ON_DISK };

/* UNREAD_HELD: the record is incomplete, and the thread stops to let kvis read the rest. UNREAD_NEST: the
 * record would be complete if call_nest were loaded. */
enum wire_unread { UNREAD_HELD = 1, UNREAD_NEST = 2 };

/* The record of a system call: this header, then segments that are each padded to 8 bytes. */
struct wire_call {
    u64 ts_ns, end_ns;
    s64 ret;
    u64 word[CALL_WORDS];
    u32 nr, tid;
    u32 over;             /* 0: the thread exited during the call */
    u32 unread;           /* enum wire_unread */
    u32 key;              /* key of the thread in the map `traced`: id in the initial pid namespace */
    u32 kind;             /* 0: a system call; at the same offset as wire_proc.kind */
};
WIRE_ASSERT(sizeof(struct wire_call) == 112);

/* Values of wire_seg.arg. Most mean that a struct wire_file, wire_times, wire_sock, wire_who or wire_unix
 * follows. SEG_AT: an address and then its bytes. SEG_PATH: the path of an opened file below the caller's
 * root, last component first, each component with a NUL. */
enum {
    SEG_FILE = 0xff, SEG_TIMES = 0xfe, SEG_SOCK = 0xfd, SEG_AT = 0xfc, SEG_WHO = 0xfb,
    SEG_UNIX = 0xfa, SEG_PATH = 0xf9
};
enum {
    WALK_STEPS = 4,       /* number of directories that a run of call_nest goes up */
    WALK_PART_MAX = 264   /* maximum number of bytes of a component: see OPEN_PART_MAX */
};

struct wire_seg {
    u16 len;
    u8 arg;               /* index of the word that points to these bytes, or SEG_... */
    u8 fault;             /* 1: the bytes could not be read */
    u8 early;             /* 1: the bytes were read at the call's entry */
    u8 unused[3];
};
WIRE_ASSERT(sizeof(struct wire_seg) == 8);

/* The times that a thread spent during a call, if the thread was switched out. For the rest of the call the
 * thread was blocked, but not by a disk. */
struct wire_times {
    u64 cpu_ns, runq_ns, disk_ns;
    u64 state;            /* the kernel's task state during the last sleep; 0: the task did not sleep */
    u32 waker_tid, waker_pid; /* thread that ended the last wait; pid 0: unknown, or an interrupt */
    char waker_comm[16];  /* name of the waking thread, if waker_pid is not 0 */
};
WIRE_ASSERT(sizeof(struct wire_times) == 56);
enum { WAKER_INTERRUPT = 0xffffffff }; /* value of waker_tid */

/* The record of a runnable thread's wait for a CPU. kvis recognizes such records by their size. */
struct wire_delay {
    u64 ts_ns, delay_ns;  /* ts_ns: end of the wait */
    u32 tid, cpu;
};
WIRE_ASSERT(sizeof(struct wire_delay) == 24);

/* The record of a completed disk request, which kvis recognizes by its size. */
struct wire_io {
    u64 ts_ns;            /* completion time of the request */
    u64 issue_ns, insert_ns; /* insert_ns 0: the request bypassed the queue */
    u32 bytes;
    u32 dev;              /* major << 20 | minor of the disk; 0: none */
    u32 op;               /* REQ_OP_... of include/linux/blk_types.h */
    s32 error;            /* -errno; since Linux 5.16 a blk_status_t, which is positive */
    u32 tid;
    u32 pid;              /* 0: not known, because kvis is in a pid namespace */
};
WIRE_ASSERT(sizeof(struct wire_io) == 48);

/* The record of a completed io_uring request, which kvis recognizes by its size. */
enum wire_uring_flags {
    URING_SHARED = 1,     /* any of several requests in flight with this user_data may be meant */
    URING_MORE = 2        /* the request completes more than once */
};
enum { URING_OP_UNKNOWN = 255 };

struct wire_uring {
    u64 ts_ns, submit_ns; /* submit_ns 0: BPF has not seen the submission */
    s32 res;
    s32 fd;               /* descriptor of the request; -1: not known, or none */
    u32 tid, pid;         /* tid 0: not known, for example a kernel thread of the ring */
    u8 op, flags;         /* op: IORING_OP_... */
    u16 unused;
    u32 flying;           /* number of requests in flight with this user_data */
};
WIRE_ASSERT(sizeof(struct wire_uring) == 40);

/* The record of a signal that was delivered or sent. kvis recognizes this record by its size. */
struct wire_signal {
    u64 ts_ns;
    u64 info[4];          /* siginfo_t from si_pid on; for a sent signal, the pid of the sender */
    u32 tid;
    s32 code;             /* si_code */
    u8 sig, known;        /* known 0: info is not valid (a classic tracepoint) */
    u8 caught, restarts;  /* the signal has a handler; the handler has SA_RESTART */
    u32 sent;             /* 1: the signal was sent to the thread's process, and not delivered yet */
};
WIRE_ASSERT(sizeof(struct wire_signal) == 56);

/* In observe mode: the process of a call, and the CPU on which it ended. */
struct wire_who {
    u32 pid, cpu;
    u64 lost;             /* number of records that this CPU has lost so far */
    char comm[16];
};
WIRE_ASSERT(sizeof(struct wire_who) == 32);

/* The map `delays` contains a histogram of waits for a CPU: 64-bit counters with 16 buckets per octave, then
 * the sum and the maximum in ns. The map has a single element, because reading each element costs a system
 * call. */
enum { DELAY_BUCKETS = 976, DELAY_SUM = 976, DELAY_MAX, DELAY_SLOTS };

/* An entry of the map `hists`: a histogram of a call's durations, with the buckets of `delays`. */
struct wire_hist {
    u32 n[DELAY_BUCKETS];
};

/* --- sched: counters of the scheduler since the start; the map `cpus` has one struct per CPU --- */

enum {
    DEPTH_BUCKETS = 160,     /* buckets for up to 8191 tasks; the last one includes larger values */
    TASK_SLOTS_MAX = 1 << 18 /* maximum number of slots of the map `tasks` */
};

struct wire_sched {
    u64 switches, involuntary, migrations;
    u64 wait_ns, depth_sum; /* sum of all waits for a CPU; sum of all values in `depth` */
    u64 unseen;           /* number of waits whose start is not known */
    u64 idle;             /* number of switches to the idle task */
    u64 switched;         /* time of the last switch */
    u64 run_ns, run_end;  /* a long run of a thread: its length, and the time of its end */
    u32 run_pid, unused;
    char run_comm[16];
    u32 wait[DELAY_BUCKETS]; /* histogram of waits for a CPU in ns, 16 buckets per octave */
    u32 depth[DEPTH_BUCKETS]; /* histogram of the runnable tasks at each switch, 16 buckets per octave */
};
WIRE_ASSERT(sizeof(struct wire_sched) == 4648);

/* The longest wait for a CPU since kvis last set ns to 0: the thread that waited, and the thread that ran on
 * that CPU meanwhile. */
struct wire_wait {
    u64 ns;
    u32 pid, ran;
    char comm[16], ran_comm[16];
};
WIRE_ASSERT(sizeof(struct wire_wait) == 48);

/* --- blk: disk requests; the map `disks` maps major << 20 | minor to an index of the map `stats` --- */

/* The histograms of a disk: QUEUE is the time from the creation of a request to its issue, DISK the time
 * from its issue to its completion, both in ns. SIZE is in bytes. */
enum wire_blk_hist {
    BLK_READ_QUEUE, BLK_READ_DISK, BLK_WRITE_QUEUE, BLK_WRITE_DISK, BLK_DISCARD, BLK_FLUSH,
    BLK_READ_SIZE, BLK_WRITE_SIZE, N_BLK_HISTS
};

struct wire_blk {
    u64 sum[N_BLK_HISTS];
    u64 requests;         /* number of reads and writes */
    u64 sequential;       /* number of requests that begin where the previous request ended */
    u64 next;             /* sector after the last request */
    u32 hist[N_BLK_HISTS * DELAY_BUCKETS];
};
WIRE_ASSERT(sizeof(struct wire_blk) == 88 + N_BLK_HISTS * DELAY_BUCKETS * 4);

struct wire_file {
    u64 ino, magic;
    u32 dev, rdev;        /* major << 20 | minor, as in the kernel */
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

/* A Unix socket and its peer. local_len and peer_len are the lengths of struct sockaddr_un; 0: the socket is
 * not bound. An inode number of 0 means that the socket has no file. */
enum { UNIX_ADDR_MAX = 110 };
struct wire_unix {
    u16 type, local_len, peer_len, unused;
    u64 local_ino, peer_ino;
    u8 local[112], peer[112];
};
WIRE_ASSERT(sizeof(struct wire_unix) == 248);

/* --- proc: processes from their fork to their exit --- */

/* Kinds of records. Records of calls have kind 0. */
enum wire_proc_kind {
    PROC_FORK = 1, /* a process or thread with the ids pid and tid was created */
    PROC_ARGS, /* arg_len bytes of the program's arguments, from offset `at` on; the record of the exec
                * follows, from the same thread */
    PROC_ENV,  /* arg_len bytes of the program's environment, as PROC_ARGS */
    PROC_EXEC, /* an execve succeeded; name, exe and cwd follow */
    PROC_FAIL, /* an execve failed; the name follows */
    PROC_EXIT, /* a thread exited */
    PROC_BEGUN, /* an execve has passed its point of no return: it succeeds, or ends the process; the
                 * name follows */
    N_PROC_KINDS
};

/* Reasons why arguments read from execve's argv are incomplete. */
enum wire_proc_args { ARGS_MORE = 1, ARGS_CUT = 2 }; /* arguments are missing; an argument is truncated */

/* State of a path, which is stored as components from the last to the first, each with a NUL. */
enum wire_walk { WALK_DONE = 1, WALK_CUT = 2, WALK_OUT = 4 };

enum {
    PROC_NAME_MAX = 4096, PROC_DIR_MAX = 4096, PROC_PART_MAX = 264,
    PROC_PATH_DEPTH = 32,    /* maximum number of components and mount points of a path, plus one */
    PROC_STRING = 4096, /* maximum number of bytes of an argument that is read before the exec */
    PROC_PIECE = 8192,  /* maximum number of bytes of arguments in a record */
    PROC_PIECES = 8,    /* maximum number of records with arguments of one exec (64 KiB) */
    PROC_POINTERS = 128, /* maximum number of arguments read from execve's argv */
    ARGV_STEPS = 5       /* number of arguments that a run of proc_nest reads */
};

/* Resource usage of a thread, or of all exited threads of a process (struct signal_struct). */
struct wire_usage {
    u64 run_ns, user_ns, system_ns;
    u64 minor, major, waits, preempted;
    u64 read_bytes, write_bytes, read_chars, write_chars;
};

struct wire_proc {
    u64 ts_ns;           /* time by CLOCK_MONOTONIC */
    u64 start_ns;        /* time of the process's fork by CLOCK_BOOTTIME; 0: not known */
    u64 cgroup;          /* id of the cgroup (v2) */
    u64 flags;           /* PROC_FORK: flags of clone(2); PROC_ARGS, PROC_FAIL, PROC_BEGUN: enum
                          * wire_proc_args */
    u64 max_rss;         /* exec, exit: peak resident pages of the process over all its programs */
    char comm[16];
    u32 pid, tid, ppid;  /* ids in the pid namespace of kvis; ppid 0: not known */
    u32 ns_pid;          /* pid in the process's own pid namespace; 0: not known */
    u32 uid, gid;
    u32 was;             /* exec, fork: tid of the calling thread; 0: none in kvis's pid namespace */
    s32 ret;             /* PROC_EXIT: wait status, -1: not known; PROC_FAIL: -errno */
    u32 live;            /* PROC_EXIT: number of threads that have not exited; ~0: not known */
    u32 at;              /* PROC_ARGS: offset of the record's bytes in all arguments */
    u32 arg_len;         /* PROC_ARGS: number of bytes in the record; others: of all arguments */
    u16 name_len, exe_len, cwd_len;
    u8 exe_state, cwd_state; /* enum wire_walk */
    u32 kind;            /* enum wire_proc_kind */
    u64 own_rss; /* PROC_EXIT, with ptrace also PROC_EXEC: peak pages of the last program; 0: not known */
    struct wire_usage own, dead; /* exec, exit: usage of this thread; usage of the exited threads */
};
WIRE_ASSERT(__builtin_offsetof(struct wire_proc, kind) == __builtin_offsetof(struct wire_call, kind));
WIRE_ASSERT(sizeof(struct wire_proc) == 296);

/* An execve that has not returned yet; keyed by thread. */
struct wire_execing {
    u64 name, argv;
    u32 compat, unused;
};

#endif
