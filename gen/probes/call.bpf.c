// SPDX-License-Identifier: MIT OR GPL-2.0
/* call: the system calls of the threads that kvis traces, one record a call, when it returns.
 *
 * What a call's record holds beside its arguments and its result is data, not code: `spec` says for
 * each number which arguments point to what. The tracer's ptrace keeps control of the threads; when
 * the ring fills, a thread is stopped at the end of its call until the tracer has caught up, so
 * that nothing is lost. The reader is never woken: it has a timer, and those stops. */
#include "probe.h"

/* Where struct pt_regs, which is ABI (ptrace(2)), has the eight words among which the six arguments
 * are, and the second of them. */
extern char CFG_WORDS, CFG_A1;
/* Where a task says that it is in a call of the 32-bit ABI; mask 0: there are none. */
extern char CFG_COMPAT_OFF, CFG_COMPAT_MASK;
/* kvis's pid namespace when that is not the first one: its inode. */
extern char CFG_NS_INO;
/* The pointer by which the command says "follow me"; the bytes that may wait in the ring before a
 * thread is stopped by SIGURG, and by SIGSTOP. */
extern char CFG_MAGIC, CFG_MAGIC_NR, CFG_STOP_SOFT, CFG_STOP_HARD;

#define SIGURG 23
#define SIGSTOP 19

/* The threads, by their id in the first pid namespace. */
struct map_def traced SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_thread), 16384, 0 };
struct map_def spec SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_spec), CALL_NRS, 0 };
/* [0]: calls of traced threads that nobody asked about; [1]: stops asked for by SIGURG, [2]: by
 * SIGSTOP, [3]: stops that could not be asked for. */
struct map_def counts SEC("maps") = { MAP_PERCPU_ARRAY, 4, 8, 8, 0 };

struct record {
    struct wire_call head;
    u8 data[CALL_DATA_MAX + CALL_PART_MAX + sizeof(struct wire_seg)];
    u32 at; /* the end of data, in memory: the verifier need not follow its values */
};
struct map_def scratch SEC("maps") = { MAP_PERCPU_ARRAY, 4, sizeof(struct record), 2, 0 };

/* --- the kernel's structures, as far as they are used --- */

struct ns_common { u32 inum; } KERNEL;
struct pid_namespace { struct ns_common ns; } KERNEL;
struct upid { int nr; struct pid_namespace *ns; } KERNEL;
struct pid { u32 level; struct upid numbers[1]; } KERNEL;
struct super_block { u32 s_dev; u64 s_magic; } KERNEL;
struct inode { u16 i_mode; u32 i_rdev; u64 i_ino; struct super_block *i_sb; } KERNEL;
struct file { struct inode *f_inode; } KERNEL;
struct fdtable { u32 max_fds; struct file **fd; } KERNEL;
struct files_struct { struct fdtable *fdt; } KERNEL;
struct task_struct {
    int pid;
    struct pid *thread_pid;
    struct files_struct *files;
} KERNEL;

INLINE void count(u32 what)
{
    u64 *n = bpf_map_lookup_elem(&counts, &what);
    if (n)
        __sync_fetch_and_add(n, 1);
}

/* A task's number in kvis's pid namespace; 0: it has none there. */
INLINE u32 tid_here(struct task_struct *t)
{
    if (!CFG(CFG_NS_INO))
        return (u32)READ(t, pid);
    struct pid *pid = READ(t, thread_pid);
    u32 level = READ(pid, level);
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < 32 && i <= level; i++) { /* MAX_PID_NS_LEVEL */
        struct upid *up = (void *)&pid->numbers + i * 16; /* int, pad, pointer: on 64 bits */
        struct pid_namespace *ns = READ(up, ns);
        if (READ(ns, ns.inum) == CFG(CFG_NS_INO))
            return (u32)READ(up, nr);
    }
    return 0;
}

INLINE void follow(u32 key, struct task_struct *t)
{
    struct wire_thread th = { 0 };
    th.tid = tid_here(t);
    if (bpf_map_update_elem(&traced, &key, &th, MAP_ANY))
        count_lost(LOST_TREE);
}

/* --- the entry --- */

struct raw_tp { u64 arg[3]; };

INLINE u64 arg(u64 regs, u64 offset)
{
    u64 v = 0;
    bpf_probe_read_kernel(&v, sizeof v, (void *)(regs + offset));
    return v;
}

/* Whether this is a call of the 32-bit ABI, whose numbers are others: those stop. */
INLINE bool is_compat(void)
{
    u32 bits = 0;
    if (!CFG(CFG_COMPAT_MASK))
        return 0;
    bpf_probe_read_kernel(&bits, sizeof bits,
                          (void *)(bpf_get_current_task() + CFG(CFG_COMPAT_OFF)));
    return bits & CFG(CFG_COMPAT_MASK);
}

SEC("raw_tp/sys_enter")
int call_enter(struct raw_tp *ctx)
{
    u32 tid = (u32)bpf_get_current_pid_tgid(), nr = (u32)ctx->arg[1];
    u64 regs = ctx->arg[0];
    if (CFG(CFG_MAGIC) && nr == CFG(CFG_MAGIC_NR) && arg(regs, CFG(CFG_A1)) == CFG(CFG_MAGIC)) {
        follow(tid, (void *)bpf_get_current_task());
        return 0;
    }
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th)
        return 0;
    struct wire_spec *s = bpf_map_lookup_elem(&spec, &nr);
    if (!s || !s->on || is_compat()) {
        th->in_call = 0;
        return 0;
    }
    bpf_probe_read_kernel(th->word, CALL_WORDS * 8, (void *)(regs + CFG(CFG_WORDS)));
    th->nr = nr;
    th->in_call = 1;
    th->ts_ns = bpf_ktime_get_ns();
    return 0;
}

/* --- the exit --- */

/* How many bytes an item has: count times mul, no more than size. */
INLINE u32 item_bytes(const struct wire_item *it, const struct wire_thread *th)
{
    u64 n = th->word[it->count & 15] * it->mul;
    if (n > it->size)
        n = it->size;
    return n > CALL_PART_MAX ? CALL_PART_MAX : (u32)n;
}

/* Appends what an argument points to. A read that faults leaves a segment of no bytes that says
 * so. Returns false when there is no room. */
INLINE bool put_item(struct record *r, const struct wire_item *it, const struct wire_thread *th)
{
    u32 at = *(volatile u32 *)&r->at;
    if (at > CALL_DATA_MAX)
        return 0;
    struct wire_seg *seg = (void *)(r->data + at);
    void *to = r->data + at + sizeof *seg;
    const void *from = (void *)th->word[it->arg & 15];
    long n;
    if (it->kind == ITEM_STR) {
        u32 max = it->size > CALL_PART_MAX ? CALL_PART_MAX : it->size;
        n = bpf_probe_read_user_str(to, max, from);
    } else {
        u32 bytes = item_bytes(it, th);
        n = bpf_probe_read_user(to, bytes, from) ? -1 : (long)bytes;
    }
    seg->arg = it->arg;
    seg->fault = n < 0;
    seg->len = n < 0 ? 0 : (u16)n;
    if (n < 0)
        n = 0;
    if (n > CALL_PART_MAX)
        return 0;
    r->at = at + sizeof *seg + (((u32)n + 7) & ~7u);
    return 1;
}

/* Appends what file a new descriptor is. */
INLINE void put_file(struct record *r, s64 fd)
{
    u32 at = *(volatile u32 *)&r->at;
    struct task_struct *t = (void *)bpf_get_current_task();
    struct files_struct *files = READ(t, files);
    struct fdtable *fdt = READ(files, fdt);
    struct file *f = 0;
    if (at > CALL_DATA_MAX || fd < 0 || fd >= READ(fdt, max_fds))
        return;
    bpf_probe_read_kernel(&f, sizeof f, READ(fdt, fd) + fd);
    struct inode *ino = READ(f, f_inode);
    struct super_block *sb = READ(ino, i_sb);
    struct wire_seg *seg = (void *)(r->data + at);
    struct wire_file *w = (void *)(r->data + at + sizeof *seg);
    seg->arg = SEG_FILE;
    seg->fault = !f;
    seg->len = sizeof *w;
    w->ino = READ(ino, i_ino);
    w->magic = READ(sb, s_magic);
    w->dev = READ(sb, s_dev);
    w->rdev = READ(ino, i_rdev);
    w->mode = READ(ino, i_mode);
    w->unused = 0;
    r->at = at + sizeof *seg + sizeof *w;
}

/* Stops the thread when the ring is nearly full: at the end of a call, where a stop changes
 * nothing for the program. SIGURG first: ignored by default, so harmless if the tracer dies now;
 * SIGSTOP, which cannot be blocked, only when the ring fills on regardless. */
INLINE void throttle(void)
{
    u64 waiting = bpf_ringbuf_query(&events, RB_AVAIL_DATA);
    if (waiting < CFG(CFG_STOP_SOFT))
        return;
    bool hard = waiting >= CFG(CFG_STOP_HARD);
    count(bpf_send_signal_thread(hard ? SIGSTOP : SIGURG) ? 3 : hard ? 2 : 1);
}

INLINE void send(struct wire_thread *th, const struct wire_spec *s, s64 ret, bool over)
{
    u32 slot = !over;
    struct record *r = bpf_map_lookup_elem(&scratch, &slot);
    if (!r)
        return;
    struct wire_call *h = &r->head;
    h->ts_ns = th->ts_ns;
    h->end_ns = bpf_ktime_get_ns();
    h->ret = ret;
    __builtin_memcpy(h->word, th->word, sizeof h->word);
    h->nr = th->nr;
    h->tid = th->tid;
    h->over = over;
    h->unused = 0;
    r->at = 0;
    th->word[WORD_RESULT] = ret < 0 ? 0 : (u64)ret;
    th->word[WORD_ONE] = 1;
    if (over) {
#pragma clang loop unroll(disable)
        for (u32 i = 0; i < CALL_ITEMS && i < s->n; i++)
            if ((ret >= 0 || !s->item[i].result) && !put_item(r, &s->item[i], th))
                break;
        if (s->file && ret >= 0)
            put_file(r, (s32)th->word[(s->file - 1) & 15]);
    }
    u32 at = *(volatile u32 *)&r->at;
    if (at <= sizeof r->data
        && bpf_ringbuf_output(&events, r, sizeof *h + at, RB_NO_WAKEUP))
        count_lost(LOST_RING);
}

SEC("raw_tp/sys_exit")
int call_exit(struct raw_tp *ctx)
{
    u32 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th || !th->in_call)
        return 0;
    struct wire_spec *s = bpf_map_lookup_elem(&spec, &th->nr);
    th->in_call = 0;
    if (!s)
        return 0;
    send(th, s, (s64)ctx->arg[1], 1);
    throttle();
    return 0;
}

/* --- threads come, change their number, and go --- */

SEC("raw_tp/sched_process_fork")
int call_fork(struct raw_tp *ctx)
{
    u32 tid = (u32)bpf_get_current_pid_tgid();
    struct task_struct *child = (void *)ctx->arg[1];
    if (bpf_map_lookup_elem(&traced, &tid))
        follow((u32)READ(child, pid), child);
    return 0;
}

/* A thread that execs takes the number of its process's leader. */
SEC("raw_tp/sched_process_exec")
int call_exec(struct raw_tp *ctx)
{
    u32 tid = (u32)bpf_get_current_pid_tgid(), was = (u32)ctx->arg[1];
    if (was != tid && bpf_map_lookup_elem(&traced, &was)) {
        follow(tid, (void *)bpf_get_current_task());
        bpf_map_delete_elem(&traced, &was);
    }
    return 0;
}

/* A thread ends; a call that it was in does not return any more. */
SEC("raw_tp/sched_process_exit")
int call_gone(void *ctx)
{
    (void)ctx;
    u32 tid = (u32)bpf_get_current_pid_tgid();
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th)
        return 0;
    if (th->in_call) {
        struct wire_spec none = { 0 };
        send(th, &none, 0, 0);
    }
    bpf_map_delete_elem(&traced, &tid);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
