// SPDX-License-Identifier: MIT OR GPL-2.0
/* disk: BPF programs that write a record for each completed disk request of a traced thread.
 *
 * Any thread may issue a request to the disk, even a kernel worker, but threads queue their own
 * bios. Therefore, the owner of a request is the thread that queued its first bio. The keys of
 * the map `ios` are kernel addresses. The map has an entry for
 *   - a bio, from its queueing to its completion;
 *   - a disk, while the disk must flush its cache for such a bio;
 *   - a request, from its insertion (without an I/O scheduler: its issue) to its completion.
 *
 * Linux: block/blk-mq.c, blk-flush.c, bio.c. The maps `traced`, `events` and `lost` belong to the
 * programs of call.bpf.c. */
#include "probe.h"

/* CFG_SECOND 1: the first argument of the block tracepoints is the queue, the second the request or bio
 * (before Linux 5.11, except some 5.10 kernels). kvis tries 1 first; attaching then fails if there is no
 * queue. */
extern char CFG_SECOND;
/* CFG_NS_INO: inode number of kvis's pid namespace, or 0 if this is the initial pid namespace. */
extern char CFG_NS_INO;

struct map_def traced SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_thread), 16384, 0 };

struct io {
    u64 insert_ns, issue_ns;
    u64 life;    /* start time of the request; a later request at the same address has another one */
    u32 bytes, dev, op;
    s32 error;
    u32 tid, pid;
};
struct map_def ios SEC("maps") = { MAP_HASH, 8, sizeof(struct io), 4096, 0 };

struct gendisk { int major, first_minor; } KERNEL;
struct request_queue { struct gendisk *disk; } KERNEL;
struct block_device { struct gendisk *bd_disk; } KERNEL;
struct bio {
    u32 bi_opf;
    struct gendisk *bi_disk;      /* before Linux 5.12 */
    struct block_device *bi_bdev; /* since Linux 5.12 */
    struct bio *bi_next;          /* next bio of the request */
    void *bi_private;
} KERNEL;
struct request {
    struct request_queue *q;
    struct gendisk *rq_disk; /* before Linux 5.17 */
    struct bio *bio;
    u64 start_time_ns;
    u32 cmd_flags, __data_len;
    void *end_io;
} KERNEL;
enum req_flag_bits { __REQ_FUA = 17, __REQ_PREFLUSH = 18 };

/* At most this many bios of a request lose their entries; other entries stay until their addresses are
 * reused. */
enum { MOST_BIOS = 64 };
enum { OP_MASK = 0xff, OP_FLUSH = 2, OP_PASSTHROUGH = 32 }; /* include/linux/blk_types.h */

/* Returns the request or bio that a tracepoint passes. (The asm prevents clang from merging the two loads
 * into one, because the verifier requires a constant offset.) */
INLINE u64 subject(const struct raw_tp *ctx)
{
    u64 v;
    if (CFG(CFG_SECOND)) {
        v = ctx->arg[1];
        asm volatile("" : "+r"(v));
    } else {
        v = ctx->arg[0];
    }
    return v;
}

/* Makes the current thread the owner of a request or bio. Returns false if the thread is not traced. */
INLINE bool mine(struct io *io)
{
    u64 id = bpf_get_current_pid_tgid();
    u64 tid = (u32)id;
    struct wire_thread *th = bpf_map_lookup_elem(&traced, &tid);
    if (!th)
        return 0;
    th->bios = 1;
    io->tid = CFG(CFG_NS_INO) ? th->tid : (u32)tid;
    io->pid = CFG(CFG_NS_INO) ? 0 : (u32)(id >> 32);
    return 1;
}

INLINE void put(u64 key, const struct io *io)
{
    if (bpf_map_update_elem(&ios, &key, io, MAP_ANY))
        count_lost(LOST_DISK);
}

INLINE struct gendisk *disk_of_bio(struct bio *b)
{
    if (EXISTS(b, bi_disk))
        return READ(b, bi_disk);
    struct block_device *d = READ(b, bi_bdev);
    return READ(d, bd_disk);
}

INLINE struct gendisk *disk_of(struct request *rq)
{
    if (EXISTS(rq, rq_disk))
        return READ(rq, rq_disk);
    struct request_queue *q = READ(rq, q);
    return READ(q, disk);
}

/* --- bios --- */

/* Deletes the entry of a bio and, if its disk has to flush for this bio, the entry of the disk. */
INLINE void forget(struct bio *b)
{
    u64 key = (u64)b, disk;
    struct io *io = bpf_map_lookup_elem(&ios, &key);
    if (!io)
        return;
    u32 flushes = io->op, tid = io->tid;
    bpf_map_delete_elem(&ios, &key);
    if (!flushes)
        return;
    disk = (u64)disk_of_bio(b);
    io = bpf_map_lookup_elem(&ios, &disk);
    if (io && io->tid == tid)
        bpf_map_delete_elem(&ios, &disk);
}

SEC("raw_tp/block_bio_queue")
int disk_bio(struct raw_tp *ctx)
{
    struct io io = { 0 };
    struct bio *b = (void *)subject(ctx);
    if (!mine(&io)) {
        forget(b); /* a stale entry of an earlier bio whose end was missed */
        return 0;
    }
    u32 flushes = 1u << ENUM_VALUE(enum req_flag_bits, __REQ_PREFLUSH)
                  | 1u << ENUM_VALUE(enum req_flag_bits, __REQ_FUA);
    io.op = READ(b, bi_opf) & flushes;
    put((u64)b, &io);
    if (io.op)
        put((u64)disk_of_bio(b), &io);
    return 0;
}

/* Handles the completion of a bio that was never in a request. (For the bios of requests,
 * blk_update_request suppresses this event.) */
SEC("raw_tp/block_bio_complete")
int disk_bio_done(struct raw_tp *ctx)
{
    forget((void *)ctx->arg[1]);
    return 0;
}

/* Handles the split of a bio. The front part has no queue event, and may become
 * a request even after the rest, which is the original bio, has completed. */
SEC("raw_tp/block_split")
int disk_split(struct raw_tp *ctx)
{
    struct bio *part = (void *)subject(ctx);
    u64 key = (u64)READ(part, bi_private);
    struct io *io = bpf_map_lookup_elem(&ios, &key), of;
    if (CFG(CFG_SECOND)) /* the tracepoint has three arguments with the queue, two without */
        KEPT(ctx->arg[2]);
    if (!io) {
        forget(part);
        return 0;
    }
    of = *io;
    of.op = 0;
    put((u64)part, &of);
    return 0;
}

/* --- requests --- */

/* Finds the owner of a request: the owner of its first bio, or of the bio from which its first bio was split;
 * for a flush, which has no bio, the owner in the disk's entry; for a passthrough request, the current
 * thread. */
INLINE bool owner(struct request *rq, u32 op, struct io *io)
{
    struct bio *b = READ(rq, bio);
    u64 key = (u64)b;
    struct io *o = bpf_map_lookup_elem(&ios, &key);
    if (op >= OP_PASSTHROUGH)
        return mine(io);
    if (!o) {
        key = op == OP_FLUSH ? (u64)disk_of(rq) : (u64)READ(b, bi_private);
        o = bpf_map_lookup_elem(&ios, &key);
    }
    if (!o)
        return 0;
    io->tid = o->tid;
    io->pid = o->pid;
    return 1;
}

INLINE void seen(struct request *rq, bool issued)
{
    u64 key = (u64)rq, life = READ(rq, start_time_ns);
    u32 op = READ(rq, cmd_flags) & OP_MASK;
    struct io *was = bpf_map_lookup_elem(&ios, &key), io = { 0 };
    if (was && was->life == life) {
        io = *was;
    } else if (!owner(rq, op, &io)) {
        if (was) /* the entry is stale: the earlier request was merged into another */
            bpf_map_delete_elem(&ios, &key);
        return;
    }
    io.life = life;
    if (issued) {
        struct gendisk *d = disk_of(rq);
        io.issue_ns = bpf_ktime_get_ns();
        io.bytes = READ(rq, __data_len);
        io.dev = (u32)READ(d, major) << 20 | (u32)READ(d, first_minor);
        io.op = op;
    } else {
        io.insert_ns = bpf_ktime_get_ns();
    }
    put(key, &io);
}

SEC("raw_tp/block_rq_insert")
int disk_insert(struct raw_tp *ctx)
{
    seen((void *)subject(ctx), 0);
    return 0;
}

SEC("raw_tp/block_rq_issue")
int disk_issue(struct raw_tp *ctx)
{
    seen((void *)subject(ctx), 1);
    return 0;
}

/* Deletes the entries of a completed request's bios. If end_io is set, the disk still has to flush, and
 * the completion event comes again after the flush. A bio that requires a flush is alone in its request
 * (REQ_NOMERGE_FLAGS), so only the first bio can have an entry for its disk. */
INLINE void forget_bios(struct request *rq)
{
    u64 key = (u64)READ(rq, bio);
    if (READ(rq, end_io))
        return;
    forget((void *)key);
#pragma clang loop unroll(disable)
    for (u64 i = 1; i < MOST_BIOS && key; i++) {
        bpf_probe_read_kernel(&key, sizeof key, &((struct bio *)key)->bi_next); /* sets key to 0 on failure */
        bpf_map_delete_elem(&ios, &key);
    }
}

/* Handles the completion of all or some bytes of a request. */
SEC("raw_tp/block_rq_complete")
int disk_done(struct raw_tp *ctx)
{
    u64 key = ctx->arg[0];
    struct request *rq = (void *)key;
    struct io *io = bpf_map_lookup_elem(&ios, &key);
    forget_bios(rq);
    if (!io)
        return 0;
    if ((s32)ctx->arg[1])
        io->error = (s32)ctx->arg[1];
    if ((u32)ctx->arg[2] < READ(rq, __data_len))
        return 0;
    struct wire_io w = {
        bpf_ktime_get_ns(), io->issue_ns, io->insert_ns,
        io->bytes, io->dev, io->op, io->error, io->tid, io->pid,
    };
    if (io->issue_ns && bpf_ringbuf_output(&events, &w, sizeof w, RB_NO_WAKEUP))
        count_lost(LOST_DISK);
    bpf_map_delete_elem(&ios, &key);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
