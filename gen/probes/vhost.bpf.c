// SPDX-License-Identifier: MIT OR GPL-2.0
/* vhost: BPF programs for virtqueues of devices that vhost_net, vhost_vsock and vhost_scsi emulate.
 *
 * A guest's kick wakes the worker of the device, which runs a handler for the virtqueue. When the handler
 * begins, a BPF program counts the kick and reads the ring; when it ends, another BPF program checks whether
 * the ring still has buffers. Only one worker at a time handles a virtqueue, so its counters need no atomic
 * operations. A virtqueue is stalled if it has buffers but no handler runs: the device waits for something
 * other than the guest (a full socket, a closed backend). A virtqueue on which the guest receives never
 * stalls: its ring normally holds empty buffers.
 *
 * The ring is in the memory of the VMM, whose address space the worker uses (drivers/vhost/vhost.c). With a
 * virtual IOMMU, the ring has a guest address and is not read. If the module has no BTF (Linux 5.10), kicks
 * and gaps between handlers are counted, but not whether a gap is a stall. */
#include "probe.h"
#include "hist.h"
#include "../wire_vh.h"

extern char CFG_ARG0, CFG_ARG3; /* offsets of the arguments of a function in struct pt_regs */
extern char CFG_DEEP;           /* 1: BTF has the offsets of the kernel's fields below */
/* The handler to which the BPF program is attached: its device, and the index of its virtqueue. */
extern char CFG_DEVICE, CFG_QUEUE;
extern char CFG_KICK;           /* 1: the handler runs when the guest kicks; 0: when the device is ready */
extern char CFG_GAPS;           /* 1: the virtqueue carries requests of the guest */

struct map_def queues SEC("maps") = { MAP_HASH, sizeof(struct wire_vh_key), 4, 4 * VH_QUEUES, 0 };
struct map_def slots SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_vh_key), VH_QUEUES, 0 };
struct map_def stats SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_vh), VH_QUEUES, 0 };

/* Running handlers, by tid of the worker. */
struct at_work { u64 vq; u32 slot, unused; };
struct map_def working SEC("maps") = { MAP_HASH, 4, sizeof(struct at_work), 1024, 0 };
/* The time at which a struct vhost_work was queued, by its address. */
struct map_def woken SEC("maps") = { MAP_LRU_HASH, 8, 8, 1024, 0 };

struct vhost_virtqueue;
struct vhost_work { u32 flags; } KERNEL;
struct wait_queue_entry { u32 flags; } KERNEL;
struct vhost_dev { struct vhost_virtqueue **vqs; int nvqs; } KERNEL;
struct vhost_poll {
    struct wait_queue_entry wait;
    struct vhost_work work;
    u32 mask;
    struct vhost_dev *dev;
    struct vhost_virtqueue *vq; /* since Linux 6.4 */
} KERNEL;
struct vhost_virtqueue {
    struct vhost_dev *dev;
    u32 num;
    void *avail;
    struct vhost_poll poll;
    u16 last_avail_idx;
    void *iotlb;
    bool is_le;
} KERNEL;

enum { UNREAD = 0x10000, AVAIL_IDX = 2 /* struct vring_avail: uapi/linux/virtio_ring.h */ };

INLINE u64 argument(void *ctx, u64 off)
{
    u64 v = 0;
    bpf_probe_read_kernel(&v, sizeof v, ctx + off);
    return v;
}

/* Returns the number of available buffers that the device has not taken yet, or UNREAD if it is unknown. */
INLINE u32 waiting(struct vhost_virtqueue *vq)
{
    u16 idx = 0;
    u64 avail = (u64)READ(vq, avail);
    if (!avail || READ(vq, iotlb) || !READ(vq, is_le)
        || bpf_probe_read_user(&idx, sizeof idx, (void *)(avail + AVAIL_IDX)))
        return UNREAD;
    u32 n = (u16)(idx - READ(vq, last_avail_idx));
    return n <= READ(vq, num) ? n : UNREAD;
}

/* Returns the index of a virtqueue in its device, which has an array of its virtqueues. */
INLINE u32 number_of(struct vhost_virtqueue *vq)
{
    struct vhost_dev *d = READ(vq, dev);
    u64 vqs = (u64)READ(d, vqs), two[2] = { 0, 0 }, at = 0;
    if (bpf_probe_read_kernel(two, sizeof two, (void *)vqs) || two[1] <= two[0]
        || (u64)vq < two[0])
        return VH_UNKNOWN;
    u64 n = ((u64)vq - two[0]) / (two[1] - two[0]);
    if (n >= (u32)READ(d, nvqs)
        || bpf_probe_read_kernel(&at, sizeof at, (void *)(vqs + n * 8)) || at != (u64)vq)
        return VH_UNKNOWN;
    return (u32)n;
}

/* Returns the virtqueue of a vhost_work. The vhost_work of a kick is part of the virtqueue. The vhost_work of
 * a socket is part of a vhost_poll, which points to the virtqueue. */
INLINE struct vhost_virtqueue *queue_of(u64 work)
{
    if (CFG(CFG_KICK))
        return (void *)(work - OFFSET(struct vhost_virtqueue, poll.work));
    struct vhost_poll *p = (void *)(work - OFFSET(struct vhost_poll, work));
    if (EXISTS(p, vq))
        return READ(p, vq);
    struct vhost_dev *d = READ(p, dev);
    u64 vq = 0;
    bpf_probe_read_kernel(&vq, sizeof vq, (void *)((u64)READ(d, vqs) + 8 * CFG(CFG_QUEUE)));
    return (void *)vq;
}

INLINE void add(struct wire_vh *q, u32 hist, u64 value)
{
    u32 at = hist * DELAY_BUCKETS + bucket(value, DELAY_BUCKETS);
    asm volatile("" : "+r"(at)); /* the verifier of Linux 5.10 needs the bounds check next to the access */
    if (hist >= N_VH_HISTS || at >= N_VH_HISTS * DELAY_BUCKETS)
        return;
    q->hist[at]++;
    q->sum[hist] += value;
}

/* Returns the slot of a virtqueue. If the virtqueue has no slot, assigns the first free one. Returns
 * VH_QUEUES if no slot is free. */
INLINE u32 slot_of(const struct wire_vh_key *k)
{
    u32 *at = bpf_map_lookup_elem(&queues, k);
    if (at)
        return *at;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < VH_QUEUES; i++) {
        u32 slot = i;
        if (bpf_map_update_elem(&slots, &slot, k, MAP_NOEXIST))
            continue;
        bpf_map_update_elem(&queues, k, &slot, MAP_ANY);
        return slot;
    }
    return VH_QUEUES;
}

INLINE void looked_at(struct wire_vh *q, u64 work, u64 vq, u64 now)
{
    u64 *since = bpf_map_lookup_elem(&woken, &work);
    if (since) {
        if (CFG(CFG_KICK))
            add(q, VH_WAKE, now > *since ? now - *since : 0);
        bpf_map_delete_elem(&woken, &work);
    }
    if (!CFG(CFG_KICK))
        return;
    u32 n = waiting((void *)vq);
    if (n == UNREAD)
        q->unread++;
    else
        add(q, VH_DEPTH, n);
}

SEC("kprobe/handle_tx_kick")
int vhost_begin(void *ctx)
{
    u64 now = bpf_ktime_get_ns(), id = bpf_get_current_pid_tgid(), vq = 0;
    u64 work = argument(ctx, CFG(CFG_ARG0));
    struct wire_vh_key key = { (u32)id, (u16)CFG(CFG_DEVICE), (u16)CFG(CFG_QUEUE) };
    if (CFG(CFG_DEEP)) {
        vq = (u64)queue_of(work);
        if (key.queue == VH_UNKNOWN)
            key.queue = (u16)number_of((void *)vq);
    }
    struct at_work w = { vq, slot_of(&key), 0 };
    struct wire_vh *q = bpf_map_lookup_elem(&stats, &w.slot);
    if (!q) {
        count_lost(LOST_INFLIGHT);
        return 0;
    }
    if (!q->key.worker) {
        q->key = key;
        q->group = (u32)(id >> 32);
        bpf_get_current_comm(q->comm, sizeof q->comm);
    }
    if (q->end_ns)
        add(q, q->last, now > q->end_ns ? now - q->end_ns : 0);
    q->end_ns = 0;
    q->kicks += CFG(CFG_KICK);
    if (CFG(CFG_DEEP))
        looked_at(q, work, vq, now);
    if (CFG(CFG_GAPS) && bpf_map_update_elem(&working, &key.worker, &w, MAP_ANY))
        count_lost(LOST_INFLIGHT);
    return 0;
}

SEC("kretprobe/handle_tx_kick")
int vhost_end(void *ctx)
{
    u32 worker = (u32)bpf_get_current_pid_tgid(), last = VH_PROXY;
    struct at_work *w = bpf_map_lookup_elem(&working, &worker);
    if (!w)
        return 0;
    u32 slot = w->slot;
    struct wire_vh *q = bpf_map_lookup_elem(&stats, &slot);
    if (q) {
        if (CFG(CFG_DEEP)) {
            u32 n = waiting((void *)w->vq);
            last = n == UNREAD ? VH_PROXY : n ? VH_STALLED : VH_IDLE;
            q->known += n != UNREAD;
        }
        q->last = last;
        q->end_ns = bpf_ktime_get_ns();
    }
    bpf_map_delete_elem(&working, &worker);
    return 0;
}

/* Runs when an eventfd or a socket becomes ready. The fourth argument has the poll events. Of several
 * wake-ups before the worker runs, only the first is stored. */
SEC("kprobe/vhost_poll_wakeup")
int vhost_wake(void *ctx)
{
    if (!CFG(CFG_DEEP))
        return 0;
    u64 now = bpf_ktime_get_ns();
    u64 poll = argument(ctx, CFG(CFG_ARG0)) - OFFSET(struct vhost_poll, wait);
    u64 work = poll + OFFSET(struct vhost_poll, work);
    if (argument(ctx, CFG(CFG_ARG3)) & READ((struct vhost_poll *)poll, mask))
        bpf_map_update_elem(&woken, &work, &now, MAP_NOEXIST);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
