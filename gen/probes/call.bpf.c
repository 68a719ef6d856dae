// SPDX-License-Identifier: MIT OR GPL-2.0
/* call.bpf.c: system calls of traced threads. Each call has one record, written when the call returns.
 *
 * A record contains the arguments, the result, and the memory that the arguments point to. The map `spec`
 * describes this memory by call number. ptrace handles the creation, execs, signals and exits of threads.
 * When the ring is nearly full, threads are held at the end of their calls until kvis has read the ring, so
 * no record is lost. The BPF programs never wake kvis, which has a timer and notices threads that stop.
 *
 * Since Linux 6.19, a BPF program of a raw tracepoint can be preempted. Until it continues, the kernel skips
 * the program for other tasks on that CPU, and their calls would be missing. On such kernels, calls are
 * recorded at classic tracepoints. kvis uses few classic tracepoints, because closing each one takes an RCU
 * grace period. Instead, scheduler events, in which interrupts are disabled, show which threads are new and
 * which are dead (CFG_BY_SCHED). */
#include "probe.h"
#include "hist.h"

/* Offsets in struct pt_regs, whose layout is part of the ABI (ptrace(2)). CFG_WORDS: offset of the eight
 * words that include the six arguments of a call. CFG_A1: offset of the second argument. CFG_ORIG_A0:
 * offset of the copy of the first argument if the result overwrites the argument's register (riscv64),
 * else 0. */
extern char CFG_WORDS, CFG_A1, CFG_ORIG_A0;
/* CFG_NS_INO: inode number of kvis's pid namespace, or 0 if this is the initial pid namespace. */
extern char CFG_NS_INO;
/* The command asks to be followed by passing the pointer CFG_MAGIC to call number CFG_MAGIC_NR. Threads are
 * held if the ring has at least CFG_STOP unread bytes; the rest of the ring is reserved for calls that return
 * meanwhile. */
extern char CFG_MAGIC, CFG_MAGIC_NR, CFG_STOP;

/* CFG_SCHED 1: scheduler events are recorded. CFG_DELAY: minimum duration in ns of a recorded wait for a
 * CPU. */
extern char CFG_SCHED, CFG_DELAY;
/* CFG_STACK: size of a task's kernel stack in bytes. CFG_STACK_NR: offset in this stack of the current call's
 * number, or 0 if by_whom does not need it. The number is -1 if the task did not enter the kernel through a
 * system call. With FRED (Linux 6.9), the offset is 16 bytes lower. */
extern char CFG_STACK, CFG_STACK_NR;
/* CFG_BY_SCHED 1: scheduler events show when a thread starts (its first wake-up) and when it ends (its last
 * switch). */
extern char CFG_BY_SCHED;
/* CFG_COUNT 1: calls are counted, not recorded. CFG_RESTART_NR: the number of restart_syscall(2). */
extern char CFG_COUNT, CFG_RESTART_NR;
/* CFG_EVERYONE 1: the calls of all processes are seen, except those of process CFG_SELF (kvis), and no thread
 * is followed. CFG_CGROUP 1: only threads of one cgroup and of cgroups below it are seen. */
extern char CFG_EVERYONE, CFG_SELF, CFG_CGROUP;
/* CFG_MIN_NS: minimum duration in ns of a call that is counted or recorded. CFG_STATUS 1: only successful
 * calls are counted or recorded; CFG_STATUS 2: only failed calls. */
extern char CFG_MIN_NS, CFG_STATUS;
/* CFG_OBSERVE 1: observe mode, in which calls are recorded and no thread is ever held. Records that do not
 * fit in the ring are lost. Each record names its process. */
extern char CFG_OBSERVE;
/* CFG_SETS 1: the output or the option -P needs the descriptor sets of select(2). */
extern char CFG_SETS;
/* CFG_PROC 1: the BPF programs of proc.bpf.c report new threads, execs and exits, and remove dead threads
 * from the map `traced`. */
extern char CFG_PROC;

#define STOP_SIGNAL 33
#define SIGKILL 9
#define SI_KERNEL 0x80
#define SA_RESTART 0x10000000
#define EXIT_ITEMS 2 /* number of items that call_exit appends without call_nest */
#define DOTS_WORDS 16 /* maximum number of 8-byte words of a path that goes_up checks */
#define PAGE 4096ull /* smallest page size */
#define TASK_DEAD 0x80 /* include/linux/sched.h */
/* States of a task that sleeps or is stopped, including states of PREEMPT_RT's locks (since Linux 5.15) and
 * of the freezer (since Linux 6.1). */
#define TASK_SLEEPS (0xff | 0x1000 | 0x8000)
#define EINPROGRESS 115
#define AT_FDCWD -100
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define TCP_SYN_SENT 2 /* include/net/tcp_states.h */
#define TCP_CLOSE 7
#define SOL_SOCKET 1
#define SCM_RIGHTS 1
#define EFAULT_RESULT (-14) /* -EFAULT: the caller's pointer was bad, so its memory cannot be read */

/* The traced threads, by their ids in the initial pid namespace. */
struct map_def traced SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_thread), 16384, 0 };
enum { MAP_PROG_ARRAY = 3, MAP_CGROUP_ARRAY = 8 };
static long (*const bpf_tail_call)(void *ctx, void *map, u32 index) = (void *)12;
static long (*const bpf_current_task_under_cgroup)(void *map, u32 index) = (void *)37;
/* The cgroup whose threads are seen with CFG_CGROUP. Without CFG_CGROUP, this map may be another kind of
 * array. */
struct map_def cgroup SEC("maps") = { MAP_CGROUP_ARRAY, 4, 4, 1, 0 };
struct map_def spec SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_spec), CALL_NRS, 0 };
struct map_def delays SEC("maps") = { MAP_PERCPU_ARRAY, 4, 8 * DELAY_SLOTS, 1, 0 };
/* Copies of memory that a call, such as select(2), may overwrite, made at the entry of the call. */
struct map_def sets SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_sets), 1024, 0 };
/* Element 0: the BPF program call_nest, in the form for the same kind of tracepoint as call_exit. */
struct map_def nested SEC("maps") = { MAP_PROG_ARRAY, 4, 4, 1, 0 };
/* The counts of calls. kvis sets the number of entries of the maps `table` and `hists`, and maps both into
 * its memory to read them while calls are made. If kvis read them with bpf(2), it could be preempted in
 * that call, and BPF programs could not run meanwhile. */
struct map_def table SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_count), 0, MAP_MMAPABLE };
struct map_def hists SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_hist), 0, MAP_MMAPABLE };
struct map_def commands SEC("maps") = { MAP_HASH, sizeof(struct wire_command), 4, 256, 0 };
/* Element 0: number of times that a thread was held. */
struct map_def stops SEC("maps") = { MAP_PERCPU_ARRAY, 4, 8, 1, 0 };

struct record {
    struct wire_call head;
    u8 data[CALL_DATA_MAX + CALL_PART_MAX + sizeof(struct wire_seg) + 8];
    u32 at; /* number of bytes used in data; not in a register, so the verifier does not track each value */
    u32 brief; /* number of bytes of data that are sent if the ring is nearly full */
    u32 faults; /* 1: the memory of an argument could not be read */
    u32 left_out; /* 1: kvis has to read missing data; UNREAD_NEST: data of call_nest is missing */
    u64 merged; /* used by merged() */
    u64 fds;    /* two descriptors that the call has created; -1: none */
    u32 item; /* index of the item that call_nest appends next */
    struct { /* the progress of call_nest with nested pointers */
        u64 next;    /* address of the next message, or of the only vector of buffers */
        u64 moved;   /* number of bytes that the call has transferred through the rest of the vector */
        u32 messages; /* number of messages not begun yet; a vector without a message counts as one */
        u32 vector;  /* offset in data of the rest of the vector (an array of struct iovec) */
        u32 entries; /* number of entries in the rest of the vector */
    } nest;
    struct { /* the directory that call_nest has reached on the way from an opened file to the root */
        struct vfsmount *mount;
        struct dentry *dentry; /* NULL: the path is complete or not wanted */
        u32 len; /* number of bytes of the path that have been appended */
    } walk;
};
struct map_def scratch SEC("maps") = { MAP_PERCPU_ARRAY, 4, sizeof(struct record), 2, 0 };

/* --- the kernel's structures: only the fields in use --- */

struct ns_common { u32 inum; } KERNEL;
struct pid_namespace { struct ns_common ns; } KERNEL;
struct upid { int nr; struct pid_namespace *ns; } KERNEL;
struct pid { u32 level; struct upid numbers[1]; } KERNEL;
struct super_block { u32 s_dev; u64 s_magic; } KERNEL;
struct inode { u16 i_mode; u32 i_rdev; u64 i_ino; struct super_block *i_sb; } KERNEL;
struct qstr { const char *name; } KERNEL;
struct dentry { struct dentry *d_parent; struct qstr d_name; struct inode *d_inode; } KERNEL;
struct vfsmount { struct dentry *mnt_root; } KERNEL;
struct mount { struct mount *mnt_parent; struct dentry *mnt_mountpoint; struct vfsmount mnt; } KERNEL;
struct path { struct vfsmount *mnt; struct dentry *dentry; } KERNEL;
struct sock_common {
    u16 skc_family, skc_num, skc_dport;
    u8 skc_state;
    u32 skc_daddr, skc_rcv_saddr;
    u64 skc_v6_daddr[2], skc_v6_rcv_saddr[2];
} KERNEL;
struct sock { struct sock_common __sk_common; u16 sk_type, sk_protocol; struct socket *sk_socket; } KERNEL;
struct socket { struct file *file; struct sock *sk; } KERNEL;
struct unix_address { int len; u8 name[UNIX_ADDR_MAX]; } KERNEL;
struct unix_sock { struct unix_address *addr; struct sock *peer; } KERNEL;
struct file { struct inode *f_inode; struct path f_path; void *private_data; } KERNEL;
struct fdtable { u32 max_fds; struct file **fd; } KERNEL;
struct files_struct { struct fdtable *fdt; } KERNEL;
struct sigset { u64 sig[1]; } KERNEL;
struct sigpending { struct sigset signal; } KERNEL;
struct atomic { int counter; } KERNEL;
struct mm_struct { struct atomic mm_users; u64 env_end; } KERNEL;
struct fs_struct { struct path root, pwd; } KERNEL;
struct task_struct {
    int pid;
    struct mm_struct *mm;
    u32 ptrace;
    struct sigset blocked;
    struct sigpending pending;
    u32 __state; /* since Linux 5.14 */
    long state;  /* before Linux 5.14 */
    struct pid *thread_pid;
    struct files_struct *files;
    struct fs_struct *fs;
    void *stack;
} KERNEL;

struct trace_event_raw_sys_enter { long id; u64 args[6]; } KERNEL;
struct trace_event_raw_sys_exit { long id, ret; } KERNEL;
struct sigaction { u64 sa_handler, sa_flags; } KERNEL;
struct k_sigaction { struct sigaction sa; } KERNEL;
struct trace_event_raw_signal_generate { int sig, code, pid; } KERNEL;
struct trace_event_raw_signal_deliver { int sig, code; u64 sa_handler, sa_flags; } KERNEL;

/* Returns the id of a task in the pid namespace of kvis, or 0 if the task has no id there. */
INLINE u32 tid_here(struct task_struct *t)
{
    if (!CFG(CFG_NS_INO))
        return (u32)READ(t, pid);
    struct pid *pid = READ(t, thread_pid);
    u32 level = READ(pid, level);
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < 32 && i <= level; i++) { /* 32: MAX_PID_NS_LEVEL */
        struct upid *up = (void *)&pid->numbers + i * 16; /* struct upid: int, padding, 64-bit pointer */
        struct pid_namespace *ns = READ(up, ns);
        if (READ(ns, ns.inum) == CFG(CFG_NS_INO))
            return (u32)READ(up, nr);
    }
    return 0;
}

/* Begins to follow a thread. wire_thread.tid is set at the first call of the thread, when it is the current
 * thread. born: the thread is new, and waits for a CPU from its creation on. */
INLINE void follow(u64 key, bool born)
{
    struct wire_thread th = { 0 };
    if (CFG(CFG_SCHED) && born) {
        th.where = WAITS;
        th.since_ns = bpf_ktime_get_ns();
    }
    if (bpf_map_update_elem(&traced, &key, &th, MAP_ANY))
        count_lost(LOST_TREE);
}

/* --- the entry of a call --- */

/* Returns whether the current thread is not traced: it belongs to kvis, or to another cgroup. */
INLINE bool outside(void)
{
    if (bpf_get_current_pid_tgid() >> 32 == CFG(CFG_SELF))
        return 1;
    return CFG(CFG_CGROUP) && bpf_current_task_under_cgroup(&cgroup, 0) != 1;
}

INLINE u64 arg(u64 regs, u64 offset)
{
    u64 v = 0;
    bpf_probe_read_kernel(&v, sizeof v, (void *)(regs + offset));
    return v;
}

INLINE void times(struct wire_times *w, const struct wire_thread *th, u64 cpu_ns)
{
    w->cpu_ns = cpu_ns;
    w->runq_ns = th->runq_ns;
    w->disk_ns = th->disk_ns;
    w->state = th->state;
    w->waker_tid = th->waker_tid;
    w->waker_pid = th->waker_pid;
    __builtin_memcpy(w->waker_comm, th->waker_comm, sizeof w->waker_comm);
}

INLINE u32 slot_of(u32 nr)
{
    return nr < CALL_NRS ? nr : CALL_OTHER;
}

INLINE struct wire_spec *spec_of(u32 nr)
{
    u64 slot = slot_of(nr);
    return bpf_map_lookup_elem(&spec, &slot);
}

/* Returns item k of the items that are read at a call's entry, or NULL if the call has fewer such items. */
INLINE const struct wire_item *early_item(const struct wire_spec *s, u32 k)
{
    u64 i = s->early[k] - 1ull;
    if (i >= CALL_ITEMS)
        return 0;
    asm volatile("" : "+r"(i)); /* the verifier needs the index in the checked register */
    return &s->item[i];
}

INLINE u32 early_bytes(const struct wire_item *it)
{
    return it->size > CALL_EARLY_MAX ? CALL_EARLY_MAX : it->size;
}

/* Copies the memory to which arguments point, because the call will overwrite this memory. */
INLINE void note_early(struct wire_thread *th, const struct wire_spec *s)
{
#pragma clang loop unroll(full)
    for (u32 k = 0; k < CALL_EARLY; k++) {
        const struct wire_item *it = early_item(s, k);
        if (it && !bpf_probe_read_user(th->early + 2 * k, early_bytes(it),
                                       (void *)th->word[it->arg & 15]))
            th->early_read |= 1 << k;
    }
}

/* Returns the size in bytes of a set of `bits` bits, rounded up to whole words, which the kernel reads. */
INLINE u64 bit_bytes(u64 bits)
{
    return (s32)bits < 0 ? 0 : ((u32)bits + 63ull) / 64 * 8;
}

/* Copies the descriptor sets that select(2) will overwrite. */
INLINE void note_sets(const struct wire_thread *th, const struct wire_spec *s)
{
    u64 slot = 1, key = (u32)bpf_get_current_pid_tgid();
    struct record *r = bpf_map_lookup_elem(&scratch, &slot); /* this slot is not in use at a call's entry */
    u64 bytes = bit_bytes(th->word[s->item[0].count & 15]);
    if (!r)
        return;
    struct wire_sets *w = (void *)r->data;
    if (bytes > CALL_SET_BYTES)
        bytes = CALL_SET_BYTES;
    w->ts_ns = th->ts_ns;
    w->bytes = (u32)bytes;
#pragma clang loop unroll(full)
    for (u32 i = 0; i < CALL_SETS; i++)
        w->error[i] = (s32)bpf_probe_read_user(w->set[i], (u32)bytes,
                                               (void *)th->word[s->item[i].arg & 15]);
    bpf_map_update_elem(&sets, &key, w, MAP_ANY);
}

/* Returns v after a store and a load. The verifier then does not know from which branch the value came, and
 * continues with one state instead of one state per branch. In the loop of put_item, this saves nine tenths
 * of the verifier's work. For the same reason, that loop sets whole words of the stack before it passes them
 * to helpers: otherwise, the verifier assumes that a helper reads the old contents of a word, and keeps
 * states with different contents apart. */
INLINE u64 merged(struct record *r, u64 v)
{
    *(volatile u64 *)&r->merged = v;
    return *(volatile u64 *)&r->merged;
}

/* Copies the first item that the call may overwrite with a result, as stat(buf, buf) does. Does not keep a
 * string that fills the copy, because the end of the string may be missing. */
INLINE void note_kept(struct wire_thread *th, const struct wire_spec *s)
{
    u64 slot = 1, key = (u32)bpf_get_current_pid_tgid(), i = 0;
    struct record *r = bpf_map_lookup_elem(&scratch, &slot); /* this slot is not in use at a call's entry */
    u64 to = th->word[s->over & 15];
#pragma clang loop unroll(disable)
    for (; i < CALL_ITEMS; i++)
        if (s->keeps >> i & 1 && th->word[s->item[i].arg & 15] - to < s->over_bytes)
            break;
    if (!r)
        return;
    i = merged(r, i);
    if (i >= CALL_ITEMS)
        return;
    const struct wire_item *it = &s->item[i];
    struct wire_sets *w = (void *)r->data;
    u64 from = th->word[it->arg & 15], size = it->size;
    s64 n;
    if (it->kind == ITEM_STR)
        n = bpf_probe_read_user_str(w->set, sizeof w->set, (void *)from);
    else if (size >= sizeof w->set)
        n = 0;
    else
        n = bpf_probe_read_user(w->set, (u32)size, (void *)from) ? 0 : (s64)size;
    if (n <= 0 || n >= (s64)sizeof w->set)
        return;
    w->ts_ns = th->ts_ns;
    w->bytes = (u32)n;
    w->error[0] = it->arg;
    if (!bpf_map_update_elem(&sets, &key, w, MAP_ANY))
        th->early_read |= EARLY_KEPT;
}

INLINE void note(struct wire_thread *th)
{
    struct wire_spec *s = spec_of(th->nr);
    th->early_read = 0;
    if (!s)
        return;
    if (s->early[0])
        note_early(th, s);
    if (CFG(CFG_SETS) && s->sets)
        note_sets(th, s);
    if (s->keeps)
        note_kept(th, s);
}

/* Returns the entry in `traced` of the current thread, or NULL if the thread's call is neither recorded nor
 * counted. begins: the thread is followed from now on. */
INLINE struct wire_thread *entered(u32 nr, bool begins)
{
    u64 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th && !begins && !CFG(CFG_EVERYONE))
        return 0;
    struct wire_spec *s = spec_of(nr);
    bool seen = 1;
    if (CFG(CFG_EVERYONE))
        seen = s && s->on && !outside();
    if (CFG(CFG_EVERYONE) && !th) /* if the map is full, each call of this thread is counted as lost */
        begins = seen && !is_compat();
    if (begins) {
        follow(tid, 0);
        th = bpf_map_lookup_elem(&traced, &tid);
    }
    if (!th)
        return 0;
    bool wants = seen && s && s->on && !th->full, compat = wants && is_compat();
    if (compat)
        count_lost(LOST_COMPAT);
    th->in_call = wants && !compat;
    if (CFG(CFG_COUNT) && !th->in_call)
        th->int_over = 1;
    if (!th->in_call)
        return 0;
    if (!th->tid)
        th->tid = tid_here((void *)bpf_get_current_task());
    th->nr = nr;
    th->ts_ns = bpf_ktime_get_ns();
    if (CFG(CFG_SCHED)) {
        th->where = RUNS;
        th->since_ns = th->ts_ns;
        th->cpu_ns = th->runq_ns = th->disk_ns = 0;
        th->switched = th->bios = 0;
        th->waker_tid = th->waker_pid = 0;
        th->state = 0;
    }
    return th;
}

SEC("both/raw_syscalls/sys_enter")
int call_enter(struct raw_tp *ctx)
{
    struct trace_event_raw_sys_enter *record = (void *)ctx;
    u64 regs = 0, first = 0;
    bool begins = 0;
    u32 nr;
    if (CFG(CFG_RAW)) {
        regs = KEPT(ctx->arg[0]);
        nr = (u32)KEPT(ctx->arg[1]);
    } else {
        nr = (u32)KEPT((u64)record->id);
    }
    if (CFG(CFG_MAGIC) && nr == CFG(CFG_MAGIC_NR)) {
        if (CFG(CFG_RAW))
            first = arg(regs, CFG(CFG_A1));
        else
            first = KEPT(record->args[1]);
        begins = first == CFG(CFG_MAGIC);
    }
    struct wire_thread *th = entered(nr, begins);
    if (!th)
        return 0;
    if (CFG(CFG_RAW)) {
        bpf_probe_read_kernel(th->word, CALL_WORDS * 8, (void *)(regs + CFG(CFG_WORDS)));
        if (CFG(CFG_ORIG_A0))
            th->word[0] = arg(regs, CFG(CFG_ORIG_A0));
    } else {
        th->word[0] = record->args[0], th->word[1] = record->args[1];
        th->word[2] = record->args[2], th->word[3] = record->args[3];
        th->word[4] = record->args[4], th->word[5] = record->args[5];
    }
    if (!CFG(CFG_COUNT))
        note(th);
    return 0;
}

/* --- counting calls --- */

INLINE void tally(u32 nr, bool failed, u64 ns)
{
    u64 slot = slot_of(nr), key = bpf_get_smp_processor_id() * CALL_NRS + slot;
    u64 b = bucket(ns, DELAY_BUCKETS);
    struct wire_count *c = bpf_map_lookup_elem(&table, &key);
    struct wire_hist *h = bpf_map_lookup_elem(&hists, &slot);
    asm volatile("" : "+r"(b)); /* the verifier of Linux 5.10 needs the checked register as the index */
    if (!c || !h || b >= DELAY_BUCKETS) {
        count_lost(LOST_RING);
        return;
    }
    __sync_fetch_and_add(&c->calls, 1);
    __sync_fetch_and_add(&c->errors, failed);
    __sync_fetch_and_add(&c->time_ns, ns);
    if (ns > c->max_ns)
        c->max_ns = ns;
    __sync_fetch_and_add(&h->n[b], 1);
}

/* Returns whether the options select a call with this duration and result. ended: the call has returned. */
INLINE bool wanted(bool ended, bool failed, u64 ns)
{
    if (CFG(CFG_MIN_NS) && ns < CFG(CFG_MIN_NS))
        return 0;
    return !CFG(CFG_STATUS) || (ended && failed == (CFG(CFG_STATUS) == 2));
}

/* Returns whether a call failed, as st_has_failed of kvis.c does. A connect(2) in progress has not failed.
 * The result of rt_sigreturn(2) is a register of the interrupted code, and not an error. */
INLINE bool has_failed(s64 ret, const struct wire_spec *s)
{
    return ret < 0 && ret >= -4095 && ret != -EINPROGRESS && !s->unfailing;
}

/* Returns a checksum of a call's arguments, to distinguish calls with the same number. */
INLINE u64 args_sum(const struct wire_thread *th)
{
    u64 sum = 0;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < CALL_WORDS; i++)
        sum = sum * 31 + th->word[i];
    return sum;
}

/* Counts a call that has returned (over 1) or in which the thread has exited (over 0). A call that a
 * signal interrupts is counted when the next call begins or ends, because the kernel may restart the
 * interrupted call, or call restart_syscall(2). If another call follows, a signal handler has run, and the
 * interrupted call has failed with EINTR. */
INLINE void counted(struct wire_thread *th, const struct wire_spec *s, s64 ret, bool over)
{
    u64 now = bpf_ktime_get_ns(), sum = 0, from = th->ts_ns;
    u32 nr = th->nr;
    bool in_call = th->in_call, again = 0, broken = over && ret <= -512 && ret >= -516;
    bool failed = over && has_failed(ret, s);
    if (broken || th->int_ns)
        sum = args_sum(th);
    if (in_call && th->int_ns && !th->int_over)
        again = nr == CFG(CFG_RESTART_NR) || (nr == th->int_nr && sum == th->int_sum);
    if (again) {
        from = th->int_ns;
        nr = th->int_nr;
        sum = th->int_sum;
    }
#pragma clang loop unroll(disable)
    for (int now_it = 0; now_it < 2; now_it++) {
        asm volatile("" : "+r"(now_it)); /* otherwise clang makes two copies of the loop's body */
        if (now_it ? in_call && !broken : th->int_ns && !again) {
            bool ended = now_it ? over : in_call || th->int_over;
            bool error = now_it ? failed : ended;
            u64 ns = !ended ? 0 : now_it ? now - from : th->int_end_ns - th->int_ns;
            if (wanted(ended, error, ns))
                tally(now_it ? nr : th->int_nr, error, ns);
        }
    }
    th->int_ns = broken ? from : 0;
    th->int_end_ns = now;
    th->int_sum = sum;
    th->int_nr = nr;
    th->int_over = 0;
    th->in_call = 0;
}

/* --- the end of a call --- */

/* Returns the address of the record's next segment, or NULL if the record is full. The caller keeps this
 * pointer instead of an offset, because old verifiers forget the bounds of a number on the stack. Segments
 * begin at multiples of 8. If the CPU needs aligned stores (riscv64), the verifier must see this
 * alignment. */
INLINE struct wire_seg *next_seg(struct record *r)
{
    u32 at = *(volatile u32 *)&r->at;
    asm volatile("" : "+r"(at));
    at &= 0x3ff8;
    return at > CALL_DATA_MAX ? 0 : (void *)(r->data + at);
}

INLINE void end_seg(struct record *r, u32 bytes)
{
    *(volatile u32 *)&r->at += sizeof(struct wire_seg) + ((bytes + 7) & ~7u);
}

/* Writes the header of a segment. Returns the address of the segment's data. */
INLINE void *begin_seg(struct wire_seg *seg, u8 arg, u16 len)
{
    seg->arg = arg;
    seg->fault = 0;
    seg->len = len;
    seg->early = 0;
    seg->unused[0] = seg->unused[1] = seg->unused[2] = 0;
    return seg + 1;
}

/* Appends the items that were read at the call's entry, with their contents at that time. Items that could
 * not be read are empty. */
INLINE void put_early(struct record *r, const struct wire_thread *th, const struct wire_spec *s)
{
#pragma clang loop unroll(full)
    for (u32 k = 0; k < CALL_EARLY; k++) {
        const struct wire_item *it = early_item(s, k);
        if (!it)
            return;
        struct wire_seg *seg = next_seg(r);
        if (!seg)
            return;
        bool known = th->early_read >> k & 1;
        u32 bytes = (u32)merged(r, known ? early_bytes(it) : 0);
        u64 *to = begin_seg(seg, it->arg, (u16)bytes);
        to[0] = th->early[2 * k];
        to[1] = th->early[2 * k + 1];
        seg->fault = !known;
        seg->early = 1;
        end_seg(r, bytes);
    }
}

/* Appends the descriptor sets that were read at the entry of select(2). */
INLINE void put_sets(struct record *r, const struct wire_thread *th, const struct wire_spec *s)
{
    u64 key = (u32)bpf_get_current_pid_tgid();
    const struct wire_sets *w = bpf_map_lookup_elem(&sets, &key);
    bool known = merged(r, w && w->ts_ns == th->ts_ns);
#pragma clang loop unroll(full)
    for (u32 i = 0; i < CALL_SETS; i++) {
        struct wire_seg *seg = next_seg(r);
        if (!seg)
            return;
        u64 *to = begin_seg(seg, s->item[i].arg, 0);
        seg->early = seg->fault = 1;
        if (w && known && !w->error[i]) {
            __builtin_memcpy(to, w->set[i], CALL_SET_BYTES);
            seg->len = (u16)w->bytes;
            seg->fault = 0;
        }
        end_seg(r, *(volatile u16 *)&seg->len);
    }
}

/* Appends the item that note_kept copied at the call's entry. */
INLINE void put_kept(struct record *r)
{
    u64 key = (u32)bpf_get_current_pid_tgid();
    const struct wire_sets *w = bpf_map_lookup_elem(&sets, &key);
    struct wire_seg *seg = next_seg(r);
    if (!w || !seg)
        return;
    void *to = begin_seg(seg, (u8)w->error[0], (u16)w->bytes);
    seg->early = 1;
    bpf_probe_read_kernel(to, sizeof w->set, w->set); /* an inline copy would take 768 instructions */
    end_seg(r, *(volatile u16 *)&seg->len);
}

/* Returns the 32-bit number at address `at`, but at most the number that this memory contained at the call's
 * entry. */
INLINE u64 pointed(const struct wire_thread *th, u64 at)
{
    u64 len = 0; /* the whole word is set for the verifier: see merged() */
    bpf_probe_read_user(&len, 4, (void *)at);
    if ((s32)len < 0)
        len = 0;
    return th->early_read & 1 && len > (u32)th->early[0] ? (u32)th->early[0] : len;
}

/* Returns the size in bytes of the memory that an argument points to, which depends on the call's command. */
INLINE u64 command_bytes(const struct wire_item *it, const struct wire_thread *th, u64 command)
{
    u64 key = (u32)command | (u64)(u16)th->nr << 32 | (u64)it->arg << 48; /* see struct wire_command */
    u32 *bytes = bpf_map_lookup_elem(&commands, &key);
    return bytes ? *bytes : 0;
}

/* Returns the size of an item in bytes; for a string, the maximum size with the flag COMMAND_STR. */
INLINE u64 item_bytes(struct record *r, const struct wire_item *it, const struct wire_thread *th)
{
    u64 by = th->word[it->count & 15], bytes = by * it->mul + it->plus;
    u8 kind = it->kind;
    if (kind == ITEM_STR)
        bytes = COMMAND_STR | it->size;
    else if (kind == ITEM_COMMAND)
        bytes = command_bytes(it, th, by);
    else if (kind == ITEM_POINTED)
        bytes = pointed(th, by);
    else if (kind == ITEM_BITS)
        bytes = bit_bytes(by);
    else if (bytes >= COMMAND_STR)
        bytes = COMMAND_STR - 1;
    return merged(r, bytes);
}

/* Reads a string of at most `bytes` bytes. Returns the string's size with the NUL, or a negative error
 * number. */
INLINE s64 take_str(struct record *r, const struct wire_item *it, char *to, u64 bytes, const void *from)
{
    if (bytes > CALL_PART_MAX)
        return 0;
    *to = 0; /* older kernels neither copy nor count the NUL of an empty string */
    s64 n = bpf_probe_read_user_str(to, (u32)bytes, from);
    if (n == CALL_PART_MAX && !(it->flags & ITEM_CUT))
        r->left_out = 1;
    return n ? n : 1;
}

/* Returns how many bytes of a buffer to copy: as many as kvis shows, but at least DNS_BYTES (the maximum
 * size of a DNS message over UDP) if the buffer begins with the header of a DNS query with one question
 * (RFC 1035, 4.1.1). */
INLINE u64 most_bytes(u8 flags, u64 shown, u64 bytes, const void *from)
{
    enum { HEADER = 12, OPCODE = 0x78, ONE_QUESTION = 0x0100 }; /* values as little-endian CPUs load them */
    u64 head = 0; /* the whole word is set for the verifier: see merged() */
    if (!(flags & ITEM_DNS) || shown >= DNS_BYTES || bytes <= HEADER
        || bpf_probe_read_user(&head, sizeof head, from))
        return shown;
    return (u16)(head >> 32) == ONE_QUESTION && !(head >> 16 & OPCODE) ? DNS_BYTES : shown;
}

/* Reads as many bytes of an item as fit or, if this faults, only the bytes before the next page. Returns the
 * number of bytes read, or -1 if no bytes can be read. */
INLINE s64 take_bytes(struct record *r, const struct wire_item *it, void *to, u64 bytes,
                      const void *from)
{
    u64 most = most_bytes(it->flags, it->size, bytes, from);
    if (bytes > most) {
        if (!(it->flags & ITEM_CUT))
            r->left_out = 1;
        bytes = most;
    }
    bytes = merged(r, bytes);
    if (bytes > CALL_PART_MAX)
        return 0;
    if (!bpf_probe_read_user(to, (u32)bytes, from))
        return (s64)bytes;
    u64 rest = merged(r, PAGE - ((u64)from & (PAGE - 1)));
    if (rest >= bytes || rest > CALL_PART_MAX || bpf_probe_read_user(to, (u32)rest, from))
        return -1;
    r->faults = 1;
    return (s64)rest;
}

/* Returns the address of the path that was passed to execve(2). The stack of the new program contains the
 * path after the environment (copy_string_kernel of bprm->filename, fs/exec.c). */
INLINE const void *exec_name(void)
{
    struct task_struct *t = (void *)bpf_get_current_task();
    struct mm_struct *mm = READ(t, mm);
    return (void *)READ(mm, env_end);
}

/* Returns whether the call succeeded. The result is loaded from memory for the verifier: see merged(). */
INLINE bool succeeded(const struct record *r)
{
    return *(volatile const s64 *)&r->head.ret >= 0;
}

/* Appends the memory that an argument points to. If the memory cannot be read, the segment is empty and has
 * `fault` set. Returns false if the record is full. */
INLINE bool put_item(struct record *r, const struct wire_item *it, const struct wire_thread *th)
{
    const void *from = (void *)th->word[it->arg & 15];
    if (CFG(CFG_OBSERVE) && it->flags & ITEM_EXEC && succeeded(r))
        from = exec_name();
    if (!from)
        return 1;
    struct wire_seg *seg = next_seg(r);
    if (!seg) {
        r->left_out = 1;
        return 0;
    }
    u64 n, bytes = item_bytes(r, it, th);
    if (bytes & COMMAND_STR)
        n = (u64)take_str(r, it, (char *)(seg + 1), bytes & (COMMAND_STR - 1), from);
    else
        n = (u64)take_bytes(r, it, seg + 1, bytes, from);
    n = merged(r, n);
    if (!n)
        return 1;
    if (n > CALL_PART_MAX) { /* a negative number: the read faulted */
        begin_seg(seg, it->arg, 0);
        seg->fault = 1;
        r->faults = 1;
        end_seg(r, 0);
        return 1;
    }
    begin_seg(seg, it->arg, (u16)n);
    end_seg(r, (u32)n);
    return 1;
}

INLINE struct file *file_of(s64 fd)
{
    struct task_struct *t = (void *)bpf_get_current_task();
    struct files_struct *files = READ(t, files);
    struct fdtable *fdt = READ(files, fdt);
    struct file *f = 0;
    if (fd >= 0 && fd < READ(fdt, max_fds))
        bpf_probe_read_kernel(&f, sizeof f, READ(fdt, fd) + fd);
    return f;
}

/* Copies the address that a Unix socket is bound to. Returns the address's length. */
INLINE u16 unix_name(u8 *to, struct sock *sk)
{
    struct unix_sock *u = (void *)sk;
    struct unix_address *a = READ(u, addr);
    u64 len = (u32)READ(a, len);
    asm volatile("" : "+r"(len)); /* the verifier needs the size in the checked register */
    if (len > UNIX_ADDR_MAX)
        return 0;
    return bpf_probe_read_kernel(to, (u32)len, &a->name) ? 0 : (u16)len;
}

/* Returns the inode number of a socket, or 0 if the socket has no file (not accepted yet, or closed). */
INLINE u64 sock_ino(struct sock *sk)
{
    struct socket *socket = READ(sk, sk_socket);
    struct file *f = READ(socket, file);
    struct inode *inode = READ(f, f_inode);
    return READ(inode, i_ino);
}

/* Appends the addresses and inode numbers of a Unix socket and of its peer. */
INLINE void put_unix(struct record *r, struct sock *sk)
{
    struct unix_sock *u = (void *)sk;
    struct sock *peer = READ(u, peer);
    struct wire_seg *seg = next_seg(r);
    if (!seg) {
        r->left_out = 1;
        return;
    }
    struct wire_unix *w = begin_seg(seg, SEG_UNIX, sizeof *w);
    w->type = READ(sk, sk_type);
    w->unused = 0;
    w->local_len = unix_name(w->local, sk);
    w->local_ino = sock_ino(sk);
    w->peer_len = unix_name(w->peer, peer);
    w->peer_ino = sock_ino(peer);
    end_seg(r, sizeof *w);
}

/* Appends the addresses of an IP or Unix socket. kvis itself asks the kernel for those of other sockets. */
INLINE void put_sock(struct record *r, s64 fd)
{
    struct file *f = file_of(fd);
    if (!f)
        return;
    struct socket *socket = READ(f, private_data);
    struct sock *sk = READ(socket, sk);
    u16 family = READ(sk, __sk_common.skc_family);
    if (family == AF_UNIX && EXISTS((struct unix_sock *)sk, peer)) { /* needs CONFIG_UNIX=y */
        put_unix(r, sk);
        return;
    }
    if (family != AF_INET && family != AF_INET6) {
        r->left_out = 1;
        return;
    }
    struct wire_seg *seg = next_seg(r);
    if (!seg) {
        r->left_out = 1;
        return;
    }
    struct wire_sock *w = begin_seg(seg, SEG_SOCK, sizeof *w);
    u8 state = READ(sk, __sk_common.skc_state);
    u16 port = READ(sk, __sk_common.skc_num);
    w->family = family;
    w->type = READ(sk, sk_type);
    w->protocol = READ(sk, sk_protocol);
    w->local_port = (u16)(port << 8 | port >> 8);
    w->peer_port = READ(sk, __sk_common.skc_dport);
    w->has_peer = w->peer_port && state != TCP_SYN_SENT && state != TCP_CLOSE;
    w->unused = 0;
    u64 *local = (u64 *)w->local, *peer = (u64 *)w->peer;
    local[0] = local[1] = peer[0] = peer[1] = 0;
    if (family == AF_INET) {
        local[0] = READ(sk, __sk_common.skc_rcv_saddr);
        peer[0] = READ(sk, __sk_common.skc_daddr);
    } else if (EXISTS(sk, __sk_common.skc_v6_daddr)) { /* needs CONFIG_IPV6 */
        bpf_probe_read_kernel(local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
        bpf_probe_read_kernel(peer, 16, &sk->__sk_common.skc_v6_daddr);
    }
    end_seg(r, sizeof *w);
}

/* Appends a description of a descriptor's file, or of the working directory (AT_FDCWD). */
INLINE void put_file(struct record *r, s32 fd)
{
    struct task_struct *t = (void *)bpf_get_current_task();
    struct fs_struct *fs = READ(t, fs);
    struct file *f = file_of(fd);
    struct path *p = (void *)merged(r, (u64)(fd == AT_FDCWD ? &fs->pwd : f ? &f->f_path : 0));
    struct wire_seg *seg = next_seg(r);
    if (!p || !seg)
        return;
    struct dentry *d = READ(p, dentry);
    struct inode *ino = READ(d, d_inode);
    struct super_block *sb = READ(ino, i_sb);
    struct wire_file *w = begin_seg(seg, SEG_FILE, sizeof *w);
    seg->fault = !d;
    __builtin_memset(w->name, 0, sizeof w->name);
    bpf_probe_read_kernel_str(w->name, sizeof w->name, READ(d, d_name.name));
    w->ino = READ(ino, i_ino);
    w->magic = READ(sb, s_magic);
    w->dev = READ(sb, s_dev);
    w->rdev = READ(ino, i_rdev);
    w->mode = READ(ino, i_mode);
    w->unused = 0;
    end_seg(r, sizeof *w);
}

/* Appends descriptions of the files whose descriptors a call has created, or of the working directory. */
INLINE void put_files(struct record *r, const struct wire_thread *th, const struct wire_spec *s)
{
    u64 fds = 0;
    if (!s->pair)
        fds = ~0ull << 32 | (u32)(s->file == FILE_CWD ? AT_FDCWD : th->word[(s->file - 1) & 15]);
    else if (bpf_probe_read_user(&fds, sizeof fds, (void *)th->word[(s->pair - 1) & 15]))
        return;
    r->fds = fds;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < 2; i++) {
        put_file(r, (s32)*(volatile u64 *)&r->fds);
        r->fds >>= 32;
    }
}

/* Appends how long the thread ran, waited for a CPU and waited for a disk during the call. */
INLINE void put_times(struct record *r, const struct wire_thread *th, u64 now)
{
    struct wire_seg *seg = next_seg(r);
    if (!seg)
        return;
    struct wire_times *w = begin_seg(seg, SEG_TIMES, sizeof *w);
    times(w, th, th->cpu_ns + now - th->since_ns);
    end_seg(r, sizeof *w);
}

/* Begins a record's data with the current process, and with the number of records lost on this CPU so far. */
INLINE void put_who(struct record *r)
{
    u64 ring = LOST_RING;
    struct wire_who *w = begin_seg((void *)r->data, SEG_WHO, sizeof *w);
    u64 *n = bpf_map_lookup_elem(&lost, &ring);
    w->pid = bpf_get_current_pid_tgid() >> 32;
    w->cpu = bpf_get_smp_processor_id();
    w->lost = n ? *n : 0;
    bpf_get_current_comm(w->comm, sizeof w->comm);
    end_seg(r, sizeof *w);
}

INLINE bool holds(u64 set, int sig)
{
    return set >> (sig - 1) & 1;
}

/* Holds the current thread at the end of a call with a signal that the tracee cannot notice: number 33, which
 * no libc lets a program block (libcs reserve 32 to 34). Real-time signals queue, so this signal does not
 * replace a signal 33 that was sent to the tracee; if one is already pending, the thread stops for that one.
 * Returns false if the thread will not stop, because it has blocked the signal by a direct system call, or
 * because it has no tracer that would remove the signal. */
INLINE bool stop(void)
{
    struct task_struct *t = (void *)bpf_get_current_task();
    u64 first = 0;
    if (CFG(CFG_OBSERVE) || !READ(t, ptrace) || holds(READ(t, blocked.sig[0]), STOP_SIGNAL))
        return 0;
    if (holds(READ(t, pending.signal.sig[0]), STOP_SIGNAL))
        return 1;
    if (bpf_send_signal_thread(STOP_SIGNAL))
        return 0;
    u64 *n = bpf_map_lookup_elem(&stops, &first);
    if (n)
        __sync_fetch_and_add(n, 1);
    return 1;
}

/* Returns whether an item with the given flags is valid, which depends on the result of the call. */
INLINE bool applies(const struct record *r, u8 flags)
{
    if (flags & ITEM_FAILED)
        return !succeeded(r);
    return !(flags & ITEM_RESULT) || succeeded(r);
}

/* --- vectors and messages, which contain more pointers (readv(2), sendmsg(2), sendmmsg(2)) --- */

struct iovec { u64 base, len; };
struct msghdr { u64 name; s32 name_len, pad; u64 vector, entries, control, control_len, flags; };
struct mmsghdr { struct msghdr head; u32 len, pad; };
struct cmsghdr { u64 len; u32 level, type; };

/* Appends an address and as many of the `bytes` bytes at that address as fit. Returns the copy in the record,
 * or NULL if there is no copy. */
INLINE void *put_at(struct record *r, u64 from, u64 bytes)
{
    if (!from || !bytes)
        return 0;
    struct wire_seg *seg = next_seg(r);
    if (!seg || bytes > CALL_PART_MAX)
        r->left_out = 1;
    if (!seg)
        return 0;
    bytes = bytes > CALL_PART_MAX ? CALL_PART_MAX : bytes;
    u64 *at = begin_seg(seg, SEG_AT, (u16)(8 + bytes));
    *at = from;
    bytes = merged(r, bytes); /* used at once: old verifiers forget the bounds of numbers on the stack */
    if (bytes > CALL_PART_MAX)
        return 0;
    if (bpf_probe_read_user(at + 1, (u32)bytes, (void *)from)) {
        seg->len = 8;
        seg->fault = 1;
        r->left_out = 1; /* kvis itself may be able to read some of the bytes */
    }
    end_seg(r, *(volatile u16 *)&seg->len);
    return *(volatile u8 *)&seg->fault ? 0 : at + 1;
}

INLINE void begin_nest(struct record *r, const struct wire_thread *th, const struct wire_spec *s)
{
    u64 count = (u32)th->word[s->nest.count & 15];
    r->nest.next = th->word[s->nest.arg & 15];
    r->nest.messages = 1;
    if (s->nest.kind != NEST_MMSG)
        return;
    /* kvis shows only `shown` messages, but tracks descriptors and addresses in all transferred messages
     * (`moved`). */
    u64 shown = count > s->nest.size ? s->nest.size : count, moved = th->word[WORD_RESULT];
    r->nest.messages = (u32)(shown > moved ? shown : moved);
}

/* Appends the entries of a vector; put_buffer appends its buffers. moved: number of transferred bytes. */
INLINE void put_vector(struct record *r, const struct wire_spec *s, u64 from, u64 entries, u64 moved)
{
    u64 most = s->nest.flags & ITEM_CUT ? s->nest.size : ~0ull;
    if (entries > most)
        entries = most;
    if (entries > CALL_PART_MAX / sizeof(struct iovec)) {
        r->left_out = 1;
        entries = CALL_PART_MAX / sizeof(struct iovec);
    }
    u32 at = *(volatile u32 *)&r->at;
    if (!put_at(r, from, entries * sizeof(struct iovec)) || !s->nest.size)
        return;
    r->nest.vector = at + sizeof(struct wire_seg) + 8;
    r->nest.entries = (u32)(entries > s->nest.size ? s->nest.size : entries);
    r->nest.moved = moved;
}

/* Returns whether the control messages (cmsg(3)) at offset `at` of a record's data contain descriptors. The
 * kernel writes fewer than eight messages of other kinds before descriptors: times (net/socket.c),
 * credentials, a security label, a pidfd (scm_recv, include/net/scm.h). */
INLINE bool brings_files(struct record *r, u64 at)
{
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < 8; i++) {
        at = merged(r, at);
        if (at >= *(volatile u32 *)&r->at)
            return 0;
        asm volatile("" : "+r"(at)); /* the verifier needs the offset in the checked register */
        at &= 0x3ff8;
        if (at > CALL_DATA_MAX + CALL_PART_MAX)
            return 0;
        const struct cmsghdr *h = (void *)(r->data + at);
        if (h->level == SOL_SOCKET && h->type == SCM_RIGHTS)
            return 1;
        at += (h->len + 7) & 0x1ff8;
    }
    return 0;
}

/* Appends the next message, without the buffers of its vector. */
INLINE void put_message(struct record *r, const struct wire_spec *s)
{
    bool many = s->nest.kind == NEST_MMSG;
    u64 moved = ~0ull;
    struct mmsghdr *m = put_at(r, r->nest.next, many ? sizeof *m : sizeof m->head);
    if (!m) {
        r->nest.messages = 0;
        return;
    }
    if (s->nest.flags & ITEM_RESULT)
        moved = many ? m->len : (u64)r->head.ret;
    s32 name_len = m->head.name_len;
    u64 name_bytes = name_len < 0 ? 0 : name_len > NEST_NAME_MAX ? NEST_NAME_MAX : name_len;
    u64 control_bytes = m->head.control_len;
    if (control_bytes > CALL_PART_MAX) /* kvis does not use more bytes */
        control_bytes = CALL_PART_MAX;
    put_at(r, m->head.name, name_bytes);
    u32 at = *(volatile u32 *)&r->at + sizeof(struct wire_seg) + 8;
    bool control = put_at(r, m->head.control, control_bytes);
    if (!CFG(CFG_OBSERVE) && control && s->nest.flags & ITEM_RESULT && brings_files(r, at))
        r->left_out = 1; /* kvis reads from /proc what the new descriptors refer to */
    put_vector(r, s, m->head.vector, m->head.entries, moved);
    r->nest.next += sizeof *m;
}

INLINE void put_buffer(struct record *r, const struct wire_spec *s)
{
    u32 at = *(volatile u32 *)&r->nest.vector;
    asm volatile("" : "+r"(at));
    at &= 0x3ff8;
    if (at > CALL_DATA_MAX + CALL_PART_MAX)
        return;
    const struct iovec *v = (void *)(r->data + at);
    u64 bytes = v->len > r->nest.moved ? r->nest.moved : v->len;
    r->nest.moved -= bytes;
    u64 most = most_bytes(s->nest.flags, s->nest.size, bytes, (void *)v->base);
    put_at(r, v->base, bytes > most ? most : bytes);
    r->nest.vector = at + sizeof *v;
    r->nest.entries = r->nest.moved ? r->nest.entries - 1 : 0;
}

/* Returns whether to append more to a record. Outside observe mode, a thread whose record lacks data is held,
 * and kvis reads the memory of the whole call anyway. */
INLINE bool goes_on(const struct record *r)
{
    return CFG(CFG_OBSERVE) || !r->left_out;
}

/* Appends the next message or vector, or up to NEST_BUFFERS more buffers of the current vector. */
INLINE void put_nest(struct record *r, const struct wire_thread *th, const struct wire_spec *s)
{
    if (!r->nest.entries) {
        r->nest.messages--;
        if (s->nest.kind == NEST_IOV)
            put_vector(r, s, r->nest.next, th->word[s->nest.count & 15],
                       s->nest.flags & ITEM_RESULT ? (u64)r->head.ret : ~0ull);
        else
            put_message(r, s);
    }
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < NEST_BUFFERS && *(volatile u32 *)&r->nest.entries && goes_on(r); i++)
        put_buffer(r, s);
}

/* --- further items of a call --- */

/* Appends the next item that call_exit has left for call_nest. */
INLINE void put_next_item(struct record *r, const struct wire_thread *th, const struct wire_spec *s)
{
    u64 i = *(volatile u32 *)&r->item;
    asm volatile("" : "+r"(i)); /* the verifier needs the index in the checked register */
    r->item = (u32)i + 1;
    if (i >= CALL_ITEMS)
        return;
    const struct wire_item *it = &s->item[i];
    if (applies(r, it->flags))
        put_item(r, it, th);
}

/* --- the path of an opened file --- */

/* Begins the path of an opened file. call_nest appends the path's components. */
INLINE void begin_walk(struct record *r, s64 fd)
{
    struct file *f = file_of(fd);
    struct wire_seg *seg = next_seg(r);
    if (!f || !seg || !TYPE_EXISTS(struct mount)) {
        r->left_out = 1;
        return;
    }
    begin_seg(seg, SEG_PATH, 0);
    r->walk.mount = READ(f, f_path.mnt);
    r->walk.dentry = READ(f, f_path.dentry);
    r->walk.len = 0;
}

/* Ends the path of an opened file. Unless `whole` is set, kvis reads the path from /proc instead. */
INLINE void end_walk(struct record *r, bool whole)
{
    u32 len = *(volatile u32 *)&r->walk.len;
    struct wire_seg *seg = next_seg(r);
    r->walk.dentry = 0;
    if (!whole || !seg) {
        r->left_out = 1;
        return;
    }
    seg->len = (u16)len;
    end_seg(r, len);
}

INLINE bool put_part(struct record *r, const void *name)
{
    u32 len = *(volatile u32 *)&r->walk.len, at = *(volatile u32 *)&r->at;
    at += sizeof(struct wire_seg) + len;
    asm volatile("" : "+r"(at)); /* the verifier needs the offset in the checked register */
    if (len > CALL_PART_MAX - WALK_PART_MAX || at > CALL_DATA_MAX + CALL_PART_MAX - WALK_PART_MAX)
        return 0;
    s64 n = bpf_probe_read_kernel_str(r->data + at, WALK_PART_MAX, name);
    if (n <= 0 || n >= WALK_PART_MAX)
        return 0;
    r->walk.len = len + (u32)n;
    return 1;
}

/* Appends the next components of a path. Goes up at most WALK_STEPS parents and mount points, and not beyond
 * the root of the current process. */
INLINE void put_path(struct record *r)
{
    struct task_struct *t = (void *)bpf_get_current_task();
    struct fs_struct *fs = READ(t, fs);
    struct dentry *root = READ(fs, root.dentry), *d = r->walk.dentry;
    struct vfsmount *root_mount = READ(fs, root.mnt), *vfs = r->walk.mount;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < WALK_STEPS; i++) {
        if (d == root && vfs == root_mount) {
            end_walk(r, 1);
            return;
        }
        struct dentry *up = READ(d, d_parent), *top = READ(vfs, mnt_root);
        if (d != top && d != up) {
            if (!put_part(r, READ(d, d_name.name))) {
                end_walk(r, 0);
                return;
            }
            d = up;
            continue;
        }
        struct mount *m = (void *)vfs - OFFSET(struct mount, mnt);
        struct mount *over = READ(m, mnt_parent);
        if (m == over || d != top) { /* the file is not below the caller's root */
            end_walk(r, 0);
            return;
        }
        d = READ(m, mnt_mountpoint);
        vfs = (void *)over + OFFSET(struct mount, mnt);
    }
    r->walk.dentry = d;
    r->walk.mount = vfs;
}

/* Returns whether the path at offset `at` of a record's data contains two successive dots, or is too long to
 * check. Checks eight bytes at a time: a byte of `pair` is 0 if it and the byte before it are dots. */
INLINE bool goes_up(struct record *r, u32 at)
{
    const u64 ones = 0x0101010101010101, dots = 0x2e2e2e2e2e2e2e2e;
    u64 before = ~0ull, found = 0;
    asm volatile("" : "+r"(at));
    at &= 0x3ff8;
    if (at > CALL_DATA_MAX)
        return 0;
    const struct wire_seg *seg = (const void *)(r->data + at);
    const u64 *word = (const void *)(seg + 1);
    u64 words = (seg->len + 7ull) / 8;
#pragma clang loop unroll(disable)
    for (u64 i = 0; i < DOTS_WORDS && i < words; i++) {
        u64 x = word[i] ^ dots, pair = x | x << 8 | before >> 56;
        found |= (pair - ones) & ~pair & ones << 7;
        before = x;
    }
    return found || words > DOTS_WORDS;
}

/* Returns whether io_uring requests have opened files since the last io_uring_enter(2). (A kernel worker
 * notes this in the entry of the process's main thread: see note_opened in uring.bpf.c.) */
INLINE bool ring_opened(struct wire_thread *th)
{
    u64 pid = bpf_get_current_pid_tgid() >> 32;
    struct wire_thread *leader = bpf_map_lookup_elem(&traced, &pid);
    bool opened = th->opened || (leader && leader->opened);
    th->opened = 0;
    if (leader)
        leader->opened = 0;
    return opened;
}

/* When a call returns, appends the memory of its arguments and results to its record. Leaves the items after
 * the first EXIT_ITEMS to call_nest, because each iteration costs the verifier 0.7 ms (Linux 6.18). */
INLINE void put_call(struct record *r, struct wire_thread *th, const struct wire_spec *s)
{
    if (s->early[0])
        put_early(r, th, s);
    if (CFG(CFG_SETS) && s->sets)
        put_sets(r, th, s);
    if (th->early_read & EARLY_KEPT)
        put_kept(r);
    r->brief = *(volatile u32 *)&r->at;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < EXIT_ITEMS && i < s->n; i++)
        if (applies(r, s->item[i].flags) && !put_item(r, &s->item[i], th))
            break;
    u64 file = *(volatile const u8 *)&s->file, sock;
    if ((file | s->pair) && succeeded(r))
        put_files(r, th, s);
    file = *(volatile const u8 *)&s->file; /* loaded again: the verifier forgets which branch was taken */
    if (file == 1 + WORD_RESULT && succeeded(r) && goes_up(r, r->brief))
        begin_walk(r, r->head.ret);
    sock = *(volatile const u8 *)&s->sock;
    if (sock && (succeeded(r) || r->head.ret == -EINPROGRESS))
        put_sock(r, (s32)th->word[(sock - 1) & 15]);
    if (!CFG(CFG_OBSERVE) && s->ring && ring_opened(th))
        r->left_out = 1; /* kvis reads the new files from /proc while the thread is held */
    if (s->nest.kind && applies(r, s->nest.flags))
        begin_nest(r, th, s);
}

/* Begins the record of a call. over: the call has returned; otherwise, the thread exits in the call. */
INLINE struct record *begin_record(struct wire_thread *th, s64 ret, bool over)
{
    u64 slot = !over;
    struct record *r = bpf_map_lookup_elem(&scratch, &slot);
    if (!r)
        return 0;
    struct wire_call *h = &r->head;
    h->ts_ns = th->ts_ns;
    h->end_ns = bpf_ktime_get_ns();
    h->ret = ret;
    __builtin_memcpy(h->word, th->word, sizeof h->word);
    h->nr = th->nr;
    h->tid = th->tid;
    h->over = over;
    r->at = 0;
    r->faults = 0;
    r->left_out = 0;
    r->item = EXIT_ITEMS;
    r->nest.messages = r->nest.entries = 0;
    r->walk.dentry = 0;
    u64 failed = (u64)(ret >> 63);
    asm volatile("" : "+r"(failed)); /* avoids a branch: see merged() */
    th->word[WORD_RESULT] = (u64)ret & ~failed;
    th->word[WORD_ONE] = 1;
    if (CFG(CFG_OBSERVE))
        put_who(r);
    if (over && CFG(CFG_SCHED) && th->switched) /* first: memory of arguments may fill the record */
        put_times(r, th, h->end_ns);
    r->brief = *(volatile u32 *)&r->at;
    return r;
}

/* Sends a record. The thread is held if the ring is nearly full, or if the record lacks memory that the call
 * has read or written. `unread`: kvis waits until the thread stops, and then reads this memory. A record in
 * the reserved part of the ring is brief, because every thread may send one at the same time; kvis reads the
 * omitted memory of a brief record, too. */
INLINE void send(struct record *r, s64 ret, bool over)
{
    struct wire_call *h = &r->head;
    bool lacks = r->left_out || (r->faults && ret != EFAULT_RESULT);
    u64 waiting = CFG(CFG_OBSERVE) ? 0 : bpf_ringbuf_query(&events, RB_AVAIL_DATA);
    bool tight = waiting + sizeof *h + *(volatile u32 *)&r->at >= CFG(CFG_STOP);
    bool held = over && (tight || lacks) && stop();
    if (held && tight && r->brief < *(volatile u32 *)&r->at) {
        *(volatile u32 *)&r->at = r->brief;
        lacks = 1;
    }
    h->unread = (held && lacks) | (r->left_out & UNREAD_NEST);
    h->key = (u32)bpf_get_current_pid_tgid();
    h->kind = 0;
    u32 at = *(volatile u32 *)&r->at;
    if (at > sizeof r->data || bpf_ringbuf_output(&events, r, sizeof *h + at, RB_NO_WAKEUP))
        count_lost(LOST_RING);
}

/* Returns whether a call gets a record. A call that a signal interrupts counts as failed, even if the kernel
 * restarts the call. */
INLINE bool wanted_record(const struct wire_thread *th, const struct wire_spec *s, s64 ret)
{
    u64 ns = CFG(CFG_MIN_NS) ? bpf_ktime_get_ns() - th->ts_ns : 0;
    return wanted(1, has_failed(ret, s), ns);
}

/* Continues with call_nest. Hides from the verifier that the index is always 0: for a constant index, the
 * kernel patches this program when kvis sets that element of the map, which interrupts every CPU several
 * times. */
INLINE void go_on(void *ctx, struct record *r)
{
    bpf_tail_call(ctx, &nested, (u32)merged(r, 0));
}

INLINE void left(void *ctx, s64 ret, s64 nr)
{
    u64 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th || !th->in_call)
        return;
    struct wire_spec *s = spec_of(th->nr);
    if (!s || (nr >= 0 && nr != th->nr)) { /* this BPF program missed the start of the call */
        th->in_call = 0;
        count_lost(LOST_RING);
        return;
    }
    if (CFG(CFG_COUNT)) {
        counted(th, s, ret, 1);
        return;
    }
    th->in_call = 0;
    if (CFG(CFG_OBSERVE) && !wanted_record(th, s, ret))
        return;
    struct record *r = begin_record(th, ret, 1);
    if (!r)
        return;
    put_call(r, th, s);
    if (r->item < s->n || r->nest.messages || r->walk.dentry) {
        go_on(ctx, r);
        r->left_out = UNREAD_NEST; /* a tail call returns only if it fails */
    }
    send(r, ret, 1);
}

SEC("both/raw_syscalls/sys_exit")
int call_exit(struct raw_tp *ctx)
{
    struct trace_event_raw_sys_exit *record = (void *)ctx;
    s64 ret, nr = -1;
    if (CFG(CFG_RAW)) {
        ret = (s64)KEPT(ctx->arg[1]);
    } else {
        ret = KEPT((s64)record->ret);
        nr = KEPT((s64)record->id);
    }
    left(ctx, ret, nr);
    return 0;
}

/* Appends further items, follows nested pointers, or goes up the path of an opened file: one step in each of
 * a chain of tail calls. A single run for all steps would cost the verifier 20 ms per message (Linux 6.18).
 * The kernel limits a chain to 32 or 33 tail calls; a record that needs more is incomplete. */
SEC("both/raw_syscalls/sys_exit")
int call_nest(void *ctx)
{
    u64 over = 0, tid = (u32)bpf_get_current_pid_tgid();
    struct record *r = bpf_map_lookup_elem(&scratch, &over);
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!r || !th)
        return 0;
    struct wire_spec *s = spec_of(th->nr);
    if (!s)
        return 0;
    if (r->item < s->n)
        put_next_item(r, th, s);
    else if (r->walk.dentry)
        put_path(r);
    else
        put_nest(r, th, s);
    if (goes_on(r) && (r->item < s->n || r->nest.entries || r->nest.messages || r->walk.dentry)) {
        go_on(ctx, r);
        r->left_out = 1;
    }
    send(r, r->head.ret, 1);
    return 0;
}

/* --- threads that start, exec or exit --- */

INLINE void forked(u32 child)
{
    u64 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (th && !th->full)
        follow(child, 1);
}

SEC("raw_tp/sched_process_fork")
int call_fork(struct raw_tp *ctx)
{
    struct task_struct *child = (void *)ctx->arg[1];
    forked((u32)READ(child, pid));
    return 0;
}

/* Moves the entry of a thread that takes its leader's id in an exec to the key of the leader. The thread
 * still needs the entry, because it is in a call. */
INLINE void execed(u64 was)
{
    u64 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &was);
    if (!th || was == tid)
        return;
    th->tid = tid_here((void *)bpf_get_current_task());
    if (bpf_map_update_elem(&traced, &tid, th, MAP_ANY))
        count_lost(LOST_TREE);
    bpf_map_delete_elem(&traced, &was);
    bpf_map_delete_elem(&sets, &was);
}

SEC("raw_tp/sched_process_exec")
int call_exec(struct raw_tp *ctx)
{
    execed((u32)ctx->arg[1]);
    return 0;
}

/* Handles the exit of a thread. If the thread is in a call, that call will not return. */
INLINE void gone(u64 tid)
{
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th)
        return;
    struct wire_spec none = { 0 };
    if (CFG(CFG_COUNT))
        counted(th, &none, 0, 0);
    else if (th->in_call && !CFG(CFG_MIN_NS)) { /* a call that does not return has no duration to compare */
        struct record *r = begin_record(th, 0, 0);
        if (r)
            send(r, 0, 0);
    }
    th->in_call = 0;
    if (!CFG(CFG_PROC))
        bpf_map_delete_elem(&traced, &tid);
    bpf_map_delete_elem(&sets, &tid);
}

SEC("both/sched/sched_process_exit")
int call_gone(void *ctx)
{
    (void)ctx;
    gone((u32)bpf_get_current_pid_tgid());
    return 0;
}

/* --- signals --- */

/* Records a signal that the thread handles, ignores or dies of. The kernel does not deliver signals that were
 * ignored when they were sent. SIGKILL has no record, because each thread of a process gets a SIGKILL when
 * the process exits. */
SEC("both/signal/signal_deliver")
int call_signal(struct raw_tp *ctx)
{
    struct trace_event_raw_signal_deliver *record = (void *)ctx;
    struct wire_signal w = { 0 };
    u64 handler, flags, info[6] = { 0 }; /* the words of siginfo: si_signo and si_errno; si_code; data */
    u64 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th)
        return 0;
    if (CFG(CFG_RAW)) {
        struct k_sigaction *ka = (void *)KEPT(ctx->arg[2]);
        w.sig = (u8)KEPT(ctx->arg[0]);
        w.known = !bpf_probe_read_kernel(info, sizeof info, (void *)KEPT(ctx->arg[1]));
        w.code = (s32)info[1];
        handler = READ(ka, sa.sa_handler);
        flags = READ(ka, sa.sa_flags);
    } else {
        w.sig = (u8)KEPT((u32)record->sig);
        w.code = KEPT((s32)record->code);
        handler = KEPT((u64)record->sa_handler);
        flags = KEPT((u64)record->sa_flags);
    }
    if (w.sig == SIGKILL)
        return 0;
    w.ts_ns = bpf_ktime_get_ns();
    __builtin_memcpy(w.info, info + 2, sizeof w.info);
    w.tid = tid;
    w.caught = handler > 1;
    w.restarts = (flags & SA_RESTART) != 0;
    if (bpf_ringbuf_output(&events, &w, sizeof w, RB_NO_WAKEUP))
        count_lost(LOST_RING);
    return 0;
}

/* Records who sent a signal, because a signal that kills a process at once is never delivered
 * (complete_signal, kernel/signal.c). */
SEC("both/signal/signal_generate")
int call_sent(struct raw_tp *ctx)
{
    struct trace_event_raw_signal_generate *record = (void *)ctx;
    struct wire_signal w = { 0 };
    if (CFG(CFG_RAW)) {
        u64 info = KEPT(ctx->arg[1]);
        struct task_struct *t = (void *)KEPT(ctx->arg[2]);
        w.sig = (u8)KEPT(ctx->arg[0]);
        w.tid = (u32)READ(t, pid);
        if (info > 1) /* else SEND_SIG_NOINFO (si_code of kill(2)) or SEND_SIG_PRIV (the kernel) */
            bpf_probe_read_kernel(&w.code, sizeof w.code, (void *)(info + 8));
        else
            w.code = info ? SI_KERNEL : 0;
    } else {
        w.sig = (u8)KEPT((u32)record->sig);
        w.code = KEPT((s32)record->code);
        w.tid = KEPT((u32)record->pid);
    }
    if (!bpf_map_lookup_elem(&traced, &w.tid))
        return 0;
    w.ts_ns = bpf_ktime_get_ns();
    w.info[0] = bpf_get_current_pid_tgid() >> 32;
    w.known = w.sent = 1;
    if (bpf_ringbuf_output(&events, &w, sizeof w, RB_NO_WAKEUP))
        count_lost(LOST_RING);
    return 0;
}

/* --- scheduler events of the traced threads --- */

/* Counts the wait of a thread that has just got a CPU, and records the wait if it was long. */
INLINE void delayed(const struct wire_thread *th, u64 now, u64 ns)
{
    u64 slot = 0;
    u64 at = bucket(ns, DELAY_BUCKETS), *n = bpf_map_lookup_elem(&delays, &slot);
    asm volatile("" : "+r"(at)); /* the verifier needs the index in the checked register */
    if (n && at < DELAY_BUCKETS) {
        n[at]++;
        n[DELAY_SUM] += ns;
        if (ns > n[DELAY_MAX])
            n[DELAY_MAX] = ns;
    }
    if (ns < CFG(CFG_DELAY))
        return;
    struct wire_delay d = { now, ns, th->tid, bpf_get_smp_processor_id() };
    u64 most = CFG(CFG_STOP) / 6 * 7; /* half of the reserved part of the ring is kept for records of calls */
    if (bpf_ringbuf_query(&events, RB_AVAIL_DATA) >= most
        || bpf_ringbuf_output(&events, &d, sizeof d, RB_NO_WAKEUP))
        count_lost(LOST_SCHED);
}

/* Handles a thread that leaves its CPU. blocked: the state in which the thread sleeps, or 0 if it can
 * continue. A thread in uninterruptible sleep that has queued disk I/O counts as waiting for the disk. */
INLINE void switch_out(u64 tid, u64 blocked)
{
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    u64 now = bpf_ktime_get_ns();
    if (!th)
        return;
    if (th->in_call) {
        if (th->where == RUNS)
            th->cpu_ns += now - th->since_ns;
        if (blocked)
            th->state = blocked;
        th->switched = 1;
    }
    th->since_ns = now;
    th->where = !blocked ? WAITS : (blocked & 2) && th->bios ? ON_DISK : BLOCKED;
}

/* Returns the time since `since`, or 0 if the clock of another CPU has set `since` slightly ahead. */
INLINE u64 passed(u64 now, u64 since)
{
    return now > since ? now - since : 0;
}

/* Handles the end of a thread's sleep: from now on the thread waits for a CPU. */
INLINE void end_wait(struct wire_thread *th, u64 now)
{
    if (th->where == ON_DISK && th->in_call)
        th->disk_ns += passed(now, th->since_ns);
    th->where = WAITS;
    th->since_ns = now;
}

INLINE void switch_in(u64 tid)
{
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    u64 now = bpf_ktime_get_ns();
    if (!th)
        return;
    if (th->where == ON_DISK || th->where == BLOCKED) /* no BPF program saw the thread's wake-up */
        end_wait(th, now);
    if (th->where == WAITS) {
        u64 ns = passed(now, th->since_ns);
        if (th->in_call)
            th->runq_ns += ns;
        delayed(th, now, ns);
    }
    th->where = RUNS;
    th->since_ns = now;
}

INLINE void wake(u64 tid)
{
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (th && th->where != RUNS && th->where != WAITS)
        end_wait(th, bpf_ktime_get_ns());
}

/* Returns whether the current task or an interrupt caused the current event. Interrupts have their own stack,
 * except on x86 if they arrive in user mode (call_on_irqstack_cond, arch/x86/include/asm/irq_stack.h). In
 * that case the event may also come from the task itself on its way back to user mode (for example, a signal
 * kills the task and its parent is woken), and the two cases look the same. BPF programs run on the current
 * stack (since Linux 6.13, on a stack of their own if they use 64 bytes or more). */
enum by { BY_UNKNOWN, BY_CALLER, BY_INTERRUPT };

INLINE enum by by_whom(void)
{
    struct task_struct *t = (void *)bpf_get_current_task();
    u64 stack = (u64)READ(t, stack), here = 0, slot;
    slot = (u64)&slot;
    bpf_probe_read_kernel(&here, sizeof here, &slot);
    if (here - stack >= CFG(CFG_STACK))
        return BY_INTERRUPT;
    if (!CFG(CFG_STACK_NR))
        return BY_CALLER;
    stack += CFG(CFG_STACK_NR);
    return arg(stack, 0) != ~0ull && arg(stack, -16) != ~0ull ? BY_CALLER : BY_UNKNOWN;
}

INLINE void waking(u64 tid)
{
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th || !th->in_call)
        return;
    enum by by = by_whom();
    u64 id = by == BY_CALLER ? bpf_get_current_pid_tgid() : 0;
    th->waker_tid = by == BY_INTERRUPT ? WAKER_INTERRUPT : (u32)id;
    th->waker_pid = (u32)(id >> 32);
    if (by == BY_CALLER)
        bpf_get_current_comm(th->waker_comm, sizeof th->waker_comm);
}

INLINE u64 state_of(struct task_struct *t)
{
    return EXISTS(t, __state) ? READ(t, __state) : (u64)READ(t, state);
}

struct raw_switch { u64 preempt; struct task_struct *prev, *next; };

SEC("raw_tp/sched_switch")
int call_switch(struct raw_switch *ctx)
{
    struct task_struct *prev = ctx->prev, *next = ctx->next;
    u64 state = ctx->preempt & 1 ? 0 : state_of(prev);
    u64 tid = (u32)READ(prev, pid);
    if (CFG(CFG_BY_SCHED) && state & TASK_DEAD) {
        gone(tid);
        if (CFG(CFG_PROC)) /* needed if the kernel has skipped the BPF program of proc.bpf.c */
            bpf_map_delete_elem(&traced, &tid);
    }
    if (CFG(CFG_SCHED)) {
        switch_out(tid, state & TASK_SLEEPS ? state : 0);
        switch_in((u32)READ(next, pid));
    }
    return 0;
}

struct raw_task { struct task_struct *t; };

SEC("raw_tp/sched_wakeup")
int call_wake(struct raw_task *ctx)
{
    struct task_struct *t = ctx->t;
    wake((u32)READ(t, pid));
    return 0;
}

/* With CFG_BY_SCHED, follows a new thread, whose parent is the current thread. */
SEC("raw_tp/sched_wakeup_new")
int call_new(struct raw_task *ctx)
{
    struct task_struct *t = ctx->t;
    forked((u32)READ(t, pid));
    return 0;
}

SEC("raw_tp/sched_waking")
int call_waking(struct raw_task *ctx)
{
    struct task_struct *t = ctx->t;
    waking((u32)READ(t, pid));
    return 0;
}

INLINE void asks_disk(void)
{
    u64 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (th)
        th->bios++;
}

SEC("raw_tp/block_bio_queue")
int call_bio(void *ctx)
{
    (void)ctx;
    asks_disk();
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
