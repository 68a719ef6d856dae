// SPDX-License-Identifier: MIT OR GPL-2.0
/* sched: BPF programs that count run queue latency and length, context switches and migrations.
 *
 * sched_switch is the most frequent tracepoint; therefore its BPF program does little: it uses no
 * hash table, no loop and no atomic operation. Each CPU has its own counters, and these tracepoints
 * run with interrupts off, except when the current task wakes itself, which is not counted. The
 * array `tasks`, indexed by the low bits of the pid, holds the time at which a task began to wait.
 * If two tasks with the same index wait at the same time, one of the waits is counted as `unseen`.
 *
 * A wait is what the kernel calls run_delay (kernel/sched/stats.h). It begins when a task is put on
 * a run queue (sched_wakeup; slightly later than sched_waking if another CPU does this), or when a
 * runnable task leaves its CPU. A task may be preempted while it is about to sleep, and woken before
 * it sleeps: its wait starts anew, because the arguments of the tracepoint do not show this case.
 *
 * The number of runnable tasks is the kernel's own count, which requires BTF. */
#include "probe.h"
#include "hist.h"

/* CFG_SLOTS_MASK: number of entries of the array `tasks`, minus 1. */
extern char CFG_SLOTS_MASK;
/* CFG_STATE 1: the fourth argument of sched_switch is the state of the previous task (since Linux 5.18). kvis
 * tries 1 first; the BPF program does not attach if the tracepoint has fewer arguments. */
extern char CFG_STATE;

/* An entry is one word, so that it never mixes two tasks: the pid of a waiting task in the high bits, and in
 * the low bits the time (CLOCK_MONOTONIC) at which the task began to wait; 0: no task. */
struct map_def tasks SEC("maps") = { MAP_ARRAY, 4, 8, 0, 0 };
struct map_def cpus SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_sched), 0, 0 };
struct map_def longest SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_wait), 0, 0 }; /* one per CPU */

#define NS_BITS 42 /* 42 bits of nanoseconds are 73 minutes; a pid has 22 bits (PID_MAX_LIMIT) */
#define NS_MASK ((1ULL << NS_BITS) - 1)
/* Clocks of CPUs may differ by this many ns (kernel/time/timekeeping.c, ktime_get_mono_fast_ns). */
#define NS_BACK 1000000
#define RUN_MIN 1000000 /* minimum time in ns for which a thread must run to be blamed for a long wait */
#define TASK_REPORT_MAX 0x100 /* prev_state of a preempted task (trace/events/sched.h) */

struct rq;
struct cfs_rq {
    struct rq *rq; /* exists with CONFIG_FAIR_GROUP_SCHED */
    u32 h_nr_queued, h_nr_runnable; /* since Linux 6.14, and in some 6.12 kernels */
} KERNEL;
struct rq { u32 nr_running; struct cfs_rq cfs; } KERNEL;
struct sched_entity { struct cfs_rq *cfs_rq; } KERNEL;
struct thread_info { u32 cpu; } KERNEL;
struct task_struct {
    struct thread_info thread_info;
    u32 cpu;     /* before Linux 5.16; since then, thread_info has the CPU */
    int pid;
    u32 __state; /* since Linux 5.14 */
    long state;  /* before Linux 5.14 */
    struct sched_entity se;
    char comm[16];
} KERNEL;
struct trace_event_raw_sched_switch {
    int prev_pid;
    long prev_state;
    char next_comm[16];
    int next_pid;
} KERNEL;
struct trace_event_raw_sched_wakeup { int pid; } KERNEL;
struct trace_event_raw_sched_migrate_task { int orig_cpu, dest_cpu; } KERNEL;

INLINE u64 *slot_of(u32 pid)
{
    u32 key = pid & (u32)CFG(CFG_SLOTS_MASK);
    return bpf_map_lookup_elem(&tasks, &key);
}

/* Starts the wait of a task. Without `anew`, keeps a wait that began less than NS_BACK ago. (An older
 * start is from a wake-up of the running task, and such a wake-up does not begin a wait.) */
INLINE void waits(u32 pid, u64 now, u32 anew)
{
    u64 *s = slot_of(pid);
    if (s && (anew || *s >> NS_BITS != pid || ((now - *s) & NS_MASK) > NS_BACK))
        *s = (u64)pid << NS_BITS | (now & NS_MASK);
}

/* Ends the wait of a task. Returns its entry in `tasks`, or 0 if no wait is known. */
INLINE u64 began(u32 pid)
{
    u64 *s = slot_of(pid), was = s ? *s : 0;
    if (!was || was >> NS_BITS != pid)
        return 0;
    *s = 0;
    return was;
}

INLINE void add_wait(struct wire_sched *c, u64 ns)
{
    u32 b = bucket(ns, DELAY_BUCKETS);
    asm volatile("" : "+r"(b)); /* the verifier of Linux 5.10 needs the bounds check next to the access */
    if (b < DELAY_BUCKETS)
        c->wait[b]++;
    c->wait_ns += ns;
}

INLINE void add_depth(struct wire_sched *c, u32 n)
{
    u32 b = bucket(n, DEPTH_BUCKETS);
    asm volatile("" : "+r"(b));
    if (b < DEPTH_BUCKETS)
        c->depth[b]++;
    c->depth_sum += n;
}

/* Returns the kernel's count of runnable tasks on a CPU. Since Linux 6.12, a sleeping task may stay on the
 * queue until its negative lag is gone (sched_delayed in kernel/sched/fair.c); such tasks are subtracted. */
INLINE u32 running_on(struct rq *rq)
{
    u32 n = FOLLOW(rq, nr_running);
    if (!EXISTS(rq, cfs.h_nr_runnable))
        return n;
    u32 delayed = FOLLOW(rq, cfs.h_nr_queued) - FOLLOW(rq, cfs.h_nr_runnable);
    return delayed <= n ? n - delayed : 0;
}

/* Reasons why a task leaves its CPU. FORCED: the task is still runnable. WOKEN: the task was about to
 * sleep, but has been woken. */
enum leaves { FORCED, SLEEPS, WOKEN };

/* Stores the run of the current task, which leaves the CPU, if the run was long, and longer than the run
 * stored earlier. The longer ago the stored run ended, the less it counts. Ignores the run during which
 * kvis attached, because the start of this run is not known. */
INLINE void keep_run(struct wire_sched *c, u32 pid, u64 now)
{
    u64 was = c->switched, ran = now - was;
    c->switched = now;
    if (!pid || !was || ran < RUN_MIN || ran + (now - c->run_end) < c->run_ns)
        return;
    c->run_ns = ran;
    c->run_end = now;
    c->run_pid = pid;
    bpf_get_current_comm(c->run_comm, sizeof c->run_comm);
}

/* Counts a context switch. prev and next are pids (0: idle task). Returns how long the next task waited, or 0
 * if unknown. */
INLINE u64 switched(struct wire_sched *c, u32 prev, enum leaves how, u32 next)
{
    u64 now = bpf_ktime_get_ns();
    c->switches++;
    keep_run(c, prev, now);
    if (prev && how == FORCED)
        c->involuntary++;
    if (prev && how == SLEEPS)
        began(prev); /* discards a wait that began because the task was woken while it ran */
    else if (prev)
        waits(prev, now, how == FORCED); /* for WOKEN, a wake-up may have started the wait already */
    if (!next) {
        c->idle++;
        return 0;
    }
    u64 since = began(next), ns = (now - since) & NS_MASK;
    if (!since) {
        c->unseen++;
        return 0;
    }
    if (ns > NS_MASK - NS_BACK)
        ns = 0;
    add_wait(c, ns);
    return ns;
}

/* Stores a wait if it is the longest one on this CPU, with the thread to blame: the thread that ran for at
 * least half of the wait or, if no such thread is known, the thread that leaves the CPU. next_comm is the
 * address of the next task's name. */
INLINE void keep_longest(struct wire_sched *c, u32 cpu, u64 ns, u32 prev, u32 next, const void *next_comm)
{
    struct wire_wait *w = bpf_map_lookup_elem(&longest, &cpu);
    if (!w || ns <= w->ns)
        return;
    w->ns = ns;
    w->pid = next;
    bpf_probe_read_kernel_str(w->comm, sizeof w->comm, next_comm);
    if (c->run_ns * 2 >= ns && (c->switched - c->run_end) * 2 <= ns) {
        w->ran = c->run_pid;
        bpf_probe_read_kernel_str(w->ran_comm, sizeof w->ran_comm, c->run_comm);
    } else {
        w->ran = prev;
        bpf_get_current_comm(w->ran_comm, sizeof w->ran_comm);
    }
}

struct raw_switch { u64 preempt; struct task_struct *prev, *next; u64 state; };

INLINE u64 state_of(struct task_struct *t)
{
    return EXISTS(t, __state) ? FOLLOW(t, __state) : (u64)FOLLOW(t, state);
}

/* Returns why the previous task leaves its CPU. Since Linux 6.12, the run queue lock may be released after a
 * task has decided to sleep; another CPU can wake the task before the switch. */
INLINE enum leaves leaves(struct raw_switch *ctx)
{
    if (ctx->preempt & 1)
        return FORCED;
    if (!CFG(CFG_STATE))
        return state_of(ctx->prev) ? SLEEPS : FORCED;
    if (!(u32)KEPT(ctx->state))
        return FORCED;
    return state_of(ctx->prev) ? SLEEPS : WOKEN;
}

SEC("typed/sched/sched_switch")
int sched_switch(struct raw_switch *ctx)
{
    struct trace_event_raw_sched_switch *record = (void *)ctx;
    u32 cpu = bpf_get_smp_processor_id(), prev, next;
    struct wire_sched *c = bpf_map_lookup_elem(&cpus, &cpu);
    struct task_struct *t = NULL;
    enum leaves how;
    if (!c)
        return 0;
    if (CFG(CFG_RAW)) {
        t = ctx->next;
        prev = (u32)FOLLOW(ctx->prev, pid);
        next = (u32)FOLLOW(t, pid);
        how = leaves(ctx);
    } else {
        prev = (u32)KEPT(record->prev_pid);
        next = (u32)KEPT(record->next_pid);
        u64 state = (u64)KEPT(record->prev_state);
        how = !state || state & TASK_REPORT_MAX ? FORCED : SLEEPS;
    }
    u64 ns = switched(c, prev, how, next);
    if (CFG(CFG_RAW))
        keep_longest(c, cpu, ns, prev, next, &t->comm);
    else
        keep_longest(c, cpu, ns, prev, next, &record->next_comm);
    if (CFG(CFG_RAW) && EXISTS(t, se.cfs_rq)) {
        struct cfs_rq *q = FOLLOW(t, se.cfs_rq);
        add_depth(c, running_on(FOLLOW(q, rq)));
    }
    return 0;
}

INLINE u32 cpu_of(struct task_struct *t)
{
    return EXISTS(t, cpu) ? FOLLOW(t, cpu) : FOLLOW(t, thread_info.cpu);
}

struct raw_task { struct task_struct *t; u64 cpu; };

/* Starts the wait of a task that is put on a run queue. (If the task is already running, the BPF program of
 * sched_switch discards the wait.) */
INLINE void woken(struct raw_task *ctx)
{
    struct trace_event_raw_sched_wakeup *record = (void *)ctx;
    u32 pid = CFG(CFG_RAW) ? (u32)FOLLOW(ctx->t, pid) : (u32)KEPT(record->pid);
    waits(pid, bpf_ktime_get_ns(), 1);
}

SEC("typed/sched/sched_wakeup")
int sched_wakeup(struct raw_task *ctx)
{
    woken(ctx);
    return 0;
}

SEC("typed/sched/sched_wakeup_new")
int sched_new(struct raw_task *ctx)
{
    woken(ctx);
    return 0;
}

/* Counts a migration only if the CPU changes, as the kernel does in set_task_cpu(). */
SEC("typed/sched/sched_migrate_task")
int sched_migrate(struct raw_task *ctx)
{
    struct trace_event_raw_sched_migrate_task *record = (void *)ctx;
    u32 cpu = bpf_get_smp_processor_id(), from, to;
    struct wire_sched *c = bpf_map_lookup_elem(&cpus, &cpu);
    if (CFG(CFG_RAW)) {
        from = cpu_of(ctx->t);
        to = (u32)KEPT(ctx->cpu);
    } else {
        from = (u32)KEPT(record->orig_cpu);
        to = (u32)KEPT(record->dest_cpu);
    }
    if (c && from != to)
        c->migrations++;
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
