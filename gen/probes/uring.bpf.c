// SPDX-License-Identifier: MIT OR GPL-2.0
/* uring: io_uring requests of traced processes, one record per completion. kvis loads these BPF programs
 * when the first ring is created. The key of a request is its address. Before 5.19 a completion does not
 * contain the address; then the key is the ring and the user_data of the request, which several requests
 * may share. If they do, the record has URING_SHARED.
 *
 * A kernel thread may take the requests of a ring (IORING_SETUP_SQPOLL). It is a thread of the process,
 * although no fork event reports it. The maps traced, events and lost belong to the family call. */
#include "probe.h"

/* Inode of kvis's pid namespace; 0 in the initial one. */
extern char CFG_NS_INO;
/* 1: completions contain the address of their request. */
extern char CFG_BY_REQ;

struct map_def traced SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_thread), 16384, 0 };

struct key { u64 a, b; };
/* With user_data as the key, an entry stays after its last completion; the LRU evicts it when full. */
struct map_def reqs SEC("maps") = {
    MAP_LRU_HASH, sizeof(struct key), sizeof(struct wire_uring), 16384, 0
};
/* The descriptor of the request that a thread is about to submit, by thread. */
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

enum { CQE_F_MORE = 2 }; /* include/uapi/linux/io_uring.h: more completions of this request follow */
/* Requests whose result is a new descriptor (enum io_uring_op there). */
enum { ACCEPT = 13, OPENAT = 18, OPENAT2 = 28, SOCKET = 45, FIXED_FD_INSTALL = 54 };
#define MAKES_FD \
    (1ull << ACCEPT | 1ull << OPENAT | 1ull << OPENAT2 | 1ull << SOCKET | 1ull << FIXED_FD_INSTALL)

/* Sets w->tid and w->pid of the current thread; false: it is not traced. */
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

/* Deletes a stale entry: a traced request with this key ended without a completion. */
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

/* Adds a request to the entry of other requests in flight with the same user_data; false: there are
 * none. */
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

/* Some kernels call this tracepoint io_uring_submit_req, with the same record; kvis passes the name. */
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

/* Notes that a result may be a new descriptor. The probe then holds the thread at the end of its
 * io_uring_enter(2) while kvis reads /proc (ring_opened in call.bpf.c). The current thread can be a
 * worker of the kernel, which makes no calls and can be in `traced` nevertheless (CFG_BY_SCHED): therefore
 * the first thread of the process is noted as well. */
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
    } else { /* a request that fails early has its descriptor in `fds` and was not submitted */
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
