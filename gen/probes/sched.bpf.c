// SPDX-License-Identifier: MIT OR GPL-2.0
/* sched: how long tasks wait for a CPU, how many can run, how often they are switched and moved.
 *
 * sched_switch is the most frequent of all tracepoints, so that its program does one thing an event:
 * no hash, no loop, no atomic operation. A CPU's numbers are its own, and all of these tracepoints
 * have interrupts off, but for a wake-up of the current task by itself, which counts nothing. When a
 * task began to wait is in an array by its number, so that two tasks of the same slot that wait at the
 * same time are in each other's way: then the wait of one is `unseen`.
 *
 * A wait is what the kernel calls run_delay (kernel/sched/stats.h): from when the task is on a run
 * queue, by sched_wakeup, which is a little after sched_waking where another CPU has to put it there,
 * or from when it left its CPU though it could go on. (One that was preempted on its way to sleep and is
 * woken before it got on with that begins to wait anew: which of both this is no argument tells.)
 *
 * How many tasks can run is the kernel's own count, which takes BTF. */
#include "probe.h"
#include "hist.h"

/* Slots of `tasks`, less one. */
extern char CFG_SLOTS_MASK;
/* 1: sched_switch tells the state in which its task decided to go (5.18). kvis tries that first, for
 * it only attaches where there are so many arguments. */
extern char CFG_STATE;

/* By a task's number: its number, and below it when it began to wait (the low bits of
 * CLOCK_MONOTONIC); 0: it does not wait. One word, so that it is never half of one task's. */
struct map_def tasks SEC("maps") = { MAP_ARRAY, 4, 8, 0, 0 };
struct map_def cpus SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_sched), 0, 0 };

#define NS_BITS 42 /* 73 minutes; numbers of tasks have 22 bits (PID_MAX_LIMIT) */
#define NS_MASK ((1ULL << NS_BITS) - 1)
/* A CPU's clock may be behind what another has read: kernel/time/timekeeping.c, ktime_get_mono_fast_ns. */
#define NS_BACK 1000000
#define TASK_REPORT_MAX 0x100 /* in the record: preempted (trace/events/sched.h) */

struct rq;
struct cfs_rq {
    struct rq *rq; /* CONFIG_FAIR_GROUP_SCHED */
    u32 h_nr_queued, h_nr_runnable; /* 6.14, some 6.12 */
} KERNEL;
struct rq { u32 nr_running; struct cfs_rq cfs; } KERNEL;
struct sched_entity { struct cfs_rq *cfs_rq; } KERNEL;
struct thread_info { u32 cpu; } KERNEL;
struct task_struct {
    struct thread_info thread_info;
    u32 cpu;     /* before 5.16: not in thread_info */
    int pid;
    u32 __state; /* 5.14 */
    long state;  /* before */
    struct sched_entity se;
} KERNEL;
struct trace_event_raw_sched_switch { int prev_pid; long prev_state; int next_pid; } KERNEL;
struct trace_event_raw_sched_wakeup { int pid; } KERNEL;
struct trace_event_raw_sched_migrate_task { int orig_cpu, dest_cpu; } KERNEL;

INLINE u64 *slot_of(u32 pid)
{
    u32 key = pid & (u32)CFG(CFG_SLOTS_MASK);
    return bpf_map_lookup_elem(&tasks, &key);
}

/* A task begins to wait now; without anew: if it did not just before. (What is older is of a wake-up
 * while it ran, which is no wait.) */
INLINE void waits(u32 pid, u64 now, u32 anew)
{
    u64 *s = slot_of(pid);
    if (s && (anew || *s >> NS_BITS != pid || ((now - *s) & NS_MASK) > NS_BACK))
        *s = (u64)pid << NS_BITS | (now & NS_MASK);
}

/* Ends its wait. 0: it was not known to wait. */
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
    asm volatile("" : "+r"(b)); /* the verifier (5.10) wants the check where the use is */
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

/* The kernel's own count of this CPU: since 6.12 without those that sleep and only stay on the queue till
 * they have paid for what they had too much of (kernel/sched/fair.c, sched_delayed). */
INLINE u32 running_on(struct rq *rq)
{
    u32 n = FOLLOW(rq, nr_running);
    if (!EXISTS(rq, cfs.h_nr_runnable))
        return n;
    u32 delayed = FOLLOW(rq, cfs.h_nr_queued) - FOLLOW(rq, cfs.h_nr_runnable);
    return delayed <= n ? n - delayed : 0;
}

/* A task leaves its CPU: it could go on, it sleeps, or it was to sleep and is woken already. Another
 * one comes. 0: the idle task. */
enum leaves { FORCED, SLEEPS, WOKEN };

INLINE void switched(struct wire_sched *c, u32 prev, enum leaves how, u32 next)
{
    u64 now = bpf_ktime_get_ns();
    c->switches++;
    if (prev && how == FORCED)
        c->involuntary++;
    if (prev && how == SLEEPS)
        began(prev); /* it was woken while it ran */
    else if (prev)
        waits(prev, now, how == FORCED); /* not anew: a signal has kept it, nobody woke it */
    if (!next) {
        c->idle++;
        return;
    }
    u64 since = began(next), ns = (now - since) & NS_MASK;
    if (!since)
        c->unseen++;
    else
        add_wait(c, ns > NS_MASK - NS_BACK ? 0 : ns);
}

struct raw_switch { u64 preempt; struct task_struct *prev, *next; u64 state; };

INLINE u64 state_of(struct task_struct *t)
{
    return EXISTS(t, __state) ? FOLLOW(t, __state) : (u64)FOLLOW(t, state);
}

/* From 6.12 on the run queue's lock may be let go between a task's decision to sleep, which is what the
 * kernel counts by, and its switch. */
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
    switched(c, prev, how, next);
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

/* A task is put on a run queue. (One that runs is not: its switch-out tells.) */
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

/* The kernel counts it only when the CPU is another one (set_task_cpu). */
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
