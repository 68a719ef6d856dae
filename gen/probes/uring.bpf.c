// SPDX-License-Identifier: MIT OR GPL-2.0
/* uring: BPF programs that write a record for each completion of a traced process's io_uring request. kvis
 * loads them when the first ring is created. A request is identified by its address. Before Linux 5.19,
 * completions do not contain the address, so the key is the ring and the user_data of the request. Several
 * requests may have the same user_data; their records have the flag URING_SHARED.
 *
 * With IORING_SETUP_SQPOLL, a kernel thread takes the requests of a ring. This is a thread of the process,
 * but no fork event reports it. The maps `traced`, `events` and `lost` belong to the programs of
 * call.bpf.c. */
#include "probe.h"

/* CFG_NS_INO: inode number of kvis's pid namespace, or 0 if this is the initial pid namespace. */
extern char CFG_NS_INO;
/* CFG_BY_REQ 1: the tracepoint of completions has the address of the request. */
extern char CFG_BY_REQ;

struct map_def traced SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_thread), 16384, 0 };

struct key { u64 a, b; };
/* The map is LRU, because the entry of a completed request is not deleted if the key contains user_data. */
struct map_def reqs SEC("maps") = {
    MAP_LRU_HASH, sizeof(struct key), sizeof(struct wire_uring), 16384, 0
};
/* The file descriptor of the request that a thread is about to submit, by tid. */
struct map_def fds SEC("maps") = { MAP_HASH, 4, 4, 4096, 0 };

struct trace_event_raw_io_uring_submit_sqe {
    void *ctx, *req;
    u64 user_data;
    u8 opcode;
} KERNEL;
struct trace_event_raw_io_uring_file_get { void *req; int fd; } KERNEL;
struct trace_event_raw_io_uring_complete {
    void *ctx, *req;
    u64 user_data;
    int res;
    u32 cflags;
} KERNEL;

enum { CQE_F_MORE = 2 }; /* more completions of the request follow (include/uapi/linux/io_uring.h) */
/* Requests that return a new descriptor (enum io_uring_op in io_uring.h). */
enum { ACCEPT = 13, OPENAT = 18, OPENAT2 = 28, SOCKET = 45, FIXED_FD_INSTALL = 54 };
#define MAKES_FD \
    (1ull << ACCEPT | 1ull << OPENAT | 1ull << OPENAT2 | 1ull << SOCKET | 1ull << FIXED_FD_INSTALL)

/* Sets w->tid and w->pid to those of the current thread. Returns false if its process is not traced. */
INLINE bool whose(struct wire_uring *w)
{
    u64 id = bpf_get_current_pid_tgid();
    u32 tid = (u32)id, pid = (u32)(id >> 32);
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (th)
        w->tid = CFG(CFG_NS_INO) ? th->tid : tid;
    struct wire_thread *leader = bpf_map_lookup_elem(&traced, &pid);
    if (leader)
        w->pid = CFG(CFG_NS_INO) ? leader->tid : pid;
    return th || leader;
}

INLINE void put(const struct key *k, const struct wire_uring *w)
{
    if (bpf_map_update_elem(&reqs, k, w, MAP_ANY))
        count_lost(LOST_URING);
}

/* Deletes the stale entry of a traced request that ended without a completion. */
INLINE void forget(const struct key *k)
{
    if (bpf_map_lookup_elem(&reqs, k))
        bpf_map_delete_elem(&reqs, k);
}

INLINE s32 fd_taken(u32 tid)
{
    s32 *p = bpf_map_lookup_elem(&fds, &tid), fd = p ? *p : -1;
    bpf_map_delete_elem(&fds, &tid);
    return fd;
}

/* Adds a request to the entry of the requests in flight with the same user_data. Returns false if no
 * such request is in flight. */
INLINE bool joins(const struct key *k, const struct wire_uring *w)
{
    struct wire_uring *was = bpf_map_lookup_elem(&reqs, k);
    if (!was || !was->flying)
        return 0;
    __sync_fetch_and_add(&was->flying, 1);
    was->flags |= URING_SHARED;
    if (was->op != w->op)
        was->op = URING_OP_UNKNOWN;
    if (was->fd != w->fd)
        was->fd = -1;
    return 1;
}

/* On some kernels, the tracepoint io_uring_submit_sqe is called io_uring_submit_req and has the same fields;
 * kvis uses either name. */
SEC("tp/io_uring/io_uring_submit_sqe")
int uring_submit(struct trace_event_raw_io_uring_submit_sqe *ctx)
{
    struct wire_uring w = { .fd = -1, .flying = 1 };
    struct key k = { (u64)ctx->req, 0 };
    if (!CFG(CFG_BY_REQ)) {
        k.a = (u64)ctx->ctx;
        k.b = ctx->user_data;
    }
    if (!whose(&w)) {
        forget(&k);
        return 0;
    }
    w.submit_ns = bpf_ktime_get_ns();
    w.op = ctx->opcode;
    if (!CFG(CFG_BY_REQ)) {
        w.fd = fd_taken((u32)bpf_get_current_pid_tgid());
        if (joins(&k, &w))
            return 0;
    }
    put(&k, &w);
    return 0;
}

SEC("tp/io_uring/io_uring_file_get")
int uring_file(struct trace_event_raw_io_uring_file_get *ctx)
{
    u32 tid = (u32)bpf_get_current_pid_tgid();
    s32 fd = ctx->fd;
    if (CFG(CFG_BY_REQ)) {
        struct key k = { (u64)ctx->req, 0 };
        struct wire_uring *w = bpf_map_lookup_elem(&reqs, &k);
        if (w)
            w->fd = fd;
        return 0;
    }
    struct wire_uring w = { 0 };
    if (whose(&w))
        bpf_map_update_elem(&fds, &tid, &fd, MAP_ANY);
    return 0;
}

/* Marks a thread whose request may have opened a file. At the end of the thread's
 * io_uring_enter(2), a BPF program holds the thread while kvis reads /proc (ring_opened in
 * call.bpf.c). The current thread may be a kernel worker that makes no system calls but is
 * in `traced` (CFG_BY_SCHED); therefore the main thread of the process is also marked. */
INLINE void note_opened(const struct wire_uring *w)
{
    u64 id = bpf_get_current_pid_tgid();
    u32 tid = (u32)id, pid = (u32)(id >> 32);
    bool makes = w->op == URING_OP_UNKNOWN || (w->op < 64 && MAKES_FD >> w->op & 1);
    if (w->res <= 0 || !makes)
        return;
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    struct wire_thread *leader = bpf_map_lookup_elem(&traced, &pid);
    if (th)
        th->opened = 1;
    if (leader)
        leader->opened = 1;
}

SEC("tp/io_uring/io_uring_complete")
int uring_done(struct trace_event_raw_io_uring_complete *ctx)
{
    struct wire_uring w = { .fd = -1, .op = URING_OP_UNKNOWN };
    struct key k = { 0, 0 };
    if (CFG(CFG_BY_REQ)) {
        k.a = (u64)ctx->req;
    } else { /* a request that failed early has an entry in `fds` only */
        w.fd = fd_taken((u32)bpf_get_current_pid_tgid());
        k.a = (u64)ctx->ctx;
        k.b = ctx->user_data;
    }
    struct wire_uring *r = bpf_map_lookup_elem(&reqs, &k);
    u32 more = ctx->cflags & CQE_F_MORE;
    if (r && r->flying) {
        if (more)
            r->flags |= URING_MORE;
        w = *r;
        if (!more && CFG(CFG_BY_REQ))
            bpf_map_delete_elem(&reqs, &k);
        else if (!more)
            __sync_fetch_and_add(&r->flying, (u32)-1);
    } else if (!whose(&w)) {
        return 0;
    }
    w.ts_ns = bpf_ktime_get_ns();
    w.res = ctx->res;
    note_opened(&w);
    if (bpf_ringbuf_output(&events, &w, sizeof w, RB_NO_WAKEUP))
        count_lost(LOST_URING);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
