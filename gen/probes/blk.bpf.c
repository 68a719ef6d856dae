// SPDX-License-Identifier: MIT OR GPL-2.0
/* blk: BPF programs that count latencies, sizes and positions of each disk's requests.
 *
 * A request is identified by its address from its last issue to its completion. If the start time in an
 * entry is not that of the request, the entry belongs to an earlier request at the same address, because
 * an issue or a completion was missed. Since Linux 6.19, a BPF program may be preempted, and until it
 * finishes, the kernel does not run it again on that CPU (bpf_missed). All CPUs share the counters of a
 * disk, so updates are atomic. Passthrough requests (such as SCSI commands from user space) have no
 * sector, and are counted neither here nor in /proc/diskstats.
 *
 * Linux: block/blk-mq.c. */
#include "probe.h"
#include "hist.h"

/* CFG_SECOND 1: the first argument of block_rq_issue is the queue, the second the request (before Linux 5.11,
 * except some 5.10 kernels). kvis tries 1 first; attaching then fails if there is only one argument. */
extern char CFG_SECOND;

struct map_def disks SEC("maps") = { MAP_HASH, 4, 4, 256, 0 };
struct map_def stats SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_blk), 0, 0 };

struct flying {
    u64 issue_ns, start_ns; /* start_ns is 0 if the disk has no I/O statistics */
    u32 slot, op, bytes, unused;
};
struct map_def flying SEC("maps") = { MAP_HASH, 8, sizeof(struct flying), 16384, 0 };

struct gendisk { int major, first_minor; } KERNEL;
struct request_queue { struct gendisk *disk; } KERNEL;
struct request {
    struct request_queue *q;
    struct gendisk *rq_disk; /* before Linux 5.17 */
    u64 start_time_ns;
    u32 cmd_flags, __data_len;
    u64 __sector;
} KERNEL;

enum { OP_MASK = 0xff, OP_FLUSH = 2, OP_DISCARD = 3, OP_PASSTHROUGH = 32 }; /* blk_types.h */

INLINE struct gendisk *disk_of(struct request *rq)
{
    if (EXISTS(rq, rq_disk))
        return READ(rq, rq_disk);
    struct request_queue *q = READ(rq, q);
    return READ(q, disk);
}

INLINE void add(struct wire_blk *b, u32 hist, u64 value)
{
    u32 at = hist * DELAY_BUCKETS + bucket(value, DELAY_BUCKETS);
    asm volatile("" : "+r"(at)); /* the verifier of Linux 5.10 needs the bounds check next to the access */
    if (hist >= N_BLK_HISTS || at >= N_BLK_HISTS * DELAY_BUCKETS)
        return;
    __sync_fetch_and_add(&b->hist[at], 1);
    __sync_fetch_and_add(&b->sum[hist], value);
}

/* Counts a request, and whether the request starts where the previous one ended. If two CPUs issue requests
 * at the same time, either request may count as the previous one. */
INLINE void place(struct wire_blk *b, u64 sector, u32 bytes)
{
    __sync_fetch_and_add(&b->requests, 1);
    if (sector && sector == b->next)
        __sync_fetch_and_add(&b->sequential, 1);
    b->next = sector + bytes / 512;
}

INLINE void issued(struct request *rq)
{
    u64 key = (u64)rq;
    u32 op = READ(rq, cmd_flags) & OP_MASK;
    struct gendisk *g = disk_of(rq);
    u32 dev = (u32)READ(g, major) << 20 | (u32)READ(g, first_minor);
    u32 *known = bpf_map_lookup_elem(&disks, &dev);
    struct flying *was = bpf_map_lookup_elem(&flying, &key), f = { 0 };
    if (op >= OP_PASSTHROUGH)
        return;
    u32 slot = known ? *known : 0;
    struct wire_blk *b = bpf_map_lookup_elem(&stats, &slot);
    if (!known || !b) {
        count_lost(LOST_DISK);
        return;
    }
    f.issue_ns = bpf_ktime_get_ns();
    f.start_ns = READ(rq, start_time_ns);
    f.slot = slot;
    f.op = op;
    f.bytes = READ(rq, __data_len);
    if (op != OP_FLUSH && op != OP_DISCARD && !(was && was->start_ns == f.start_ns && f.start_ns))
        place(b, READ(rq, __sector), f.bytes);
    if (bpf_map_update_elem(&flying, &key, &f, MAP_ANY))
        count_lost(LOST_DISK);
}

SEC("raw_tp/block_rq_issue")
int blk_issue(struct raw_tp *ctx)
{
    u64 rq;
    if (CFG(CFG_SECOND))
        rq = KEPT(ctx->arg[1]);
    else
        rq = KEPT(ctx->arg[0]);
    issued((void *)rq);
    return 0;
}

INLINE void done(struct wire_blk *b, const struct flying *f)
{
    u64 now = bpf_ktime_get_ns();
    u64 disk_ns = now > f->issue_ns ? now - f->issue_ns : 0; /* the clocks of two CPUs may differ slightly */
    u32 write = f->op & 1; /* read or write, as op_stat_group() decides; discards and flushes follow below */
    if (f->op == OP_FLUSH || f->op == OP_DISCARD) {
        add(b, f->op == OP_FLUSH ? BLK_FLUSH : BLK_DISCARD, disk_ns);
        return;
    }
    add(b, write * 2 + BLK_READ_DISK, disk_ns);
    add(b, write + BLK_READ_SIZE, f->bytes);
    if (f->start_ns && f->start_ns <= f->issue_ns)
        add(b, write * 2 + BLK_READ_QUEUE, f->issue_ns - f->start_ns);
}

/* Handles the completion of all or some bytes of a request. */
SEC("raw_tp/block_rq_complete")
int blk_done(struct raw_tp *ctx)
{
    u64 key = ctx->arg[0];
    struct request *rq = (void *)key;
    struct flying *f = bpf_map_lookup_elem(&flying, &key);
    if (!f || (u32)ctx->arg[2] < READ(rq, __data_len))
        return 0;
    u32 slot = f->slot;
    struct wire_blk *b = bpf_map_lookup_elem(&stats, &slot);
    if (b && f->start_ns == READ(rq, start_time_ns))
        done(b, f);
    bpf_map_delete_elem(&flying, &key);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
