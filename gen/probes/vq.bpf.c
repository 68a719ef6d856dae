// SPDX-License-Identifier: MIT OR GPL-2.0
/* vq: BPF programs that count, for each virtio ring, buffers added and completed, failed additions,
 * notifications and interrupts, and measure how full the ring is and how long buffers stay in it.
 *
 * The BPF programs are attached to functions that drivers call, and to the functions that notify the device.
 * The arguments of a call are stored until it returns, with the stack pointer at entry as the key, which is
 * unique among running calls even if an interrupt nests. If functions are nested (virtqueue_get_buf calls
 * virtqueue_get_buf_ctx, jumps to it or contains it inline, depending on the compiler), only the outer call
 * counts.
 *
 * If an interrupt arrives while a BPF program runs on a CPU, calls in the interrupt handler run no BPF
 * program (kprobe_running, bpf_prog_active). The counters of a split ring reveal missed calls. With other
 * rings, a call was missed if a buffer is added that seems to be in the ring. If a ring has its own
 * interrupt, a tracepoint without this restriction counts the interrupts.
 *
 * kvis knows the offsets of registers on each architecture, so only names, sizes and depths need BTF. When a
 * ring is deleted (vring_del_virtqueue), so is the entry of its address, which a new ring may get.
 *
 * Linux: drivers/virtio/virtio_ring.c. */
#include "probe.h"
#include "hist.h"
#include "../wire_vq.h"

/* Offsets of registers in struct pt_regs. CFG_POP is the number of bytes that a return instruction pops off
 * the stack. */
extern char CFG_ARG0, CFG_ARG3, CFG_ARG4, CFG_SP, CFG_RET, CFG_POP;

enum { MAP_STACK = 23 };
static long (*const bpf_map_push_elem)(void *map, const void *value, u64 flags) = (void *)87;
static long (*const bpf_map_pop_elem)(void *map, void *value) = (void *)88;

struct map_def slots SEC("maps") = { MAP_STACK, 0, 4, VQ_QUEUES, 0 }; /* free slots */
struct map_def queues SEC("maps") = { MAP_HASH, 8, 4, VQ_QUEUES, 0 }; /* slots of rings, by ring address */
struct map_def stats SEC("maps") = { MAP_ARRAY, 4, sizeof(struct wire_vq), VQ_QUEUES, 0 };

struct call { u64 vq, data; };
struct map_def calls SEC("maps") = { MAP_HASH, 8, sizeof(struct call), 4096, 0 };

/* The time at which a buffer was added to a ring. The map is LRU, because receive rings always hold all their
 * buffers, and the entries of deleted rings are never removed. */
struct map_def flying SEC("maps") = { MAP_LRU_HASH, sizeof(struct call), 8, 65536, 0 };

/* The outermost running calls on a CPU: a call that takes a buffer, and a call that notifies the device. */
enum outer_kind { OUTER_GET, OUTER_KICK, N_OUTER };
struct outer { u64 sp, vq; };
struct map_def outers SEC("maps") = { MAP_PERCPU_ARRAY, 4, sizeof(struct outer), N_OUTER, 0 };

/* FRAME: a nested call's stack pointer is less than FRAME bytes below that of the outer call. RESET: a
 * counter that grows by more than RESET was reset. */
enum { FRAME = 256, NO_SPACE = 28, HANDLED = 1, RESET = 64 };

struct kobject { const char *name; } KERNEL;
struct device_driver { const char *name; } KERNEL;
struct device { struct kobject kobj; struct device_driver *driver; } KERNEL;
struct virtio_device { struct device dev; } KERNEL;
struct virtqueue {
    const char *name;
    struct virtio_device *vdev;
    u32 index, num_free;
} KERNEL;
struct vring { u32 num; } KERNEL;
struct vring_virtqueue_split { struct vring vring; u16 avail_idx_shadow; } KERNEL;
enum vq_layout { VQ_LAYOUT_PACKED = 1, VQ_LAYOUT_PACKED_IN_ORDER = 3 };
struct vring_virtqueue {
    struct virtqueue vq;
    bool packed_ring;                   /* before Linux 7.0 */
    enum vq_layout layout;
    u16 last_used_idx;
    struct vring_virtqueue_split split; /* packed rings have the size at this offset, too */
} KERNEL;
struct irqaction { void *dev_id; } KERNEL;

/* Reads a saved register with a helper, because a load from the
 * context would need an offset that is known at compile time. */
INLINE u64 word(void *ctx, u64 off)
{
    u64 v = 0;
    bpf_probe_read_kernel(&v, sizeof v, (u8 *)ctx + off);
    return v;
}

INLINE void say(char *to, const char *from)
{
    bpf_probe_read_kernel_str(to, VQ_WORD, from);
}

INLINE u32 size_of(u64 vq)
{
    struct vring_virtqueue *r = (void *)vq;
    return EXISTS(r, split.vring.num) ? READ(r, split.vring.num) : 0;
}

/* Returns the bits of the ring's format: VQ_PACKED, VQ_COUNTS or 0. */
INLINE u32 layout_of(u64 vq)
{
    struct vring_virtqueue *r = (void *)vq;
    bool counts = EXISTS(r, last_used_idx) && EXISTS(r, split.avail_idx_shadow);
    if (EXISTS(r, packed_ring))
        return READ(r, packed_ring) ? VQ_PACKED : counts ? VQ_COUNTS : 0;
    if (EXISTS(r, layout)) {
        u32 l = READ(r, layout);
        if (l == ENUM_VALUE(enum vq_layout, VQ_LAYOUT_PACKED)
            || (ENUM_EXISTS(enum vq_layout, VQ_LAYOUT_PACKED_IN_ORDER)
                && l == ENUM_VALUE(enum vq_layout, VQ_LAYOUT_PACKED_IN_ORDER)))
            return VQ_PACKED;
        return l == 0 && counts ? VQ_COUNTS : 0;
    }
    return 0;
}

INLINE u32 avail_of(u64 vq)
{
    struct vring_virtqueue *r = (void *)vq;
    return EXISTS(r, split.avail_idx_shadow) ? READ(r, split.avail_idx_shadow) : 0;
}

INLINE u32 used_of(u64 vq)
{
    struct vring_virtqueue *r = (void *)vq;
    return EXISTS(r, last_used_idx) ? READ(r, last_used_idx) : 0;
}

/* Initializes the slot of a ring: its names and its counters' first values. */
INLINE void describe(struct wire_vq *q, u64 vq)
{
    struct virtqueue *v = (void *)vq;
    struct vring_virtqueue *r = (void *)vq;
    q->born_ns = bpf_ktime_get_ns();
    if (EXISTS(v, num_free) && EXISTS(r, split.vring.num)) {
        struct virtio_device *d = READ(v, vdev);
        struct device_driver *driver = READ(d, dev.driver);
        say(q->dev, READ(d, dev.kobj.name));
        say(q->driver, READ(driver, name));
        say(q->name, READ(v, name));
        q->index = READ(v, index);
        q->size = size_of(vq);
        q->avail = avail_of(vq);
        q->used = used_of(vq);
        q->state = VQ_SEEN | VQ_NAMED | layout_of(vq);
    } else {
        q->state = VQ_SEEN;
    }
}

/* Assigns a slot to a new ring. Two CPUs may do this for a ring at the same time. */
INLINE void found(u64 vq)
{
    u32 slot = 0;
    if (bpf_map_pop_elem(&slots, &slot)) {
        count_lost(LOST_INFLIGHT);
        return;
    }
    struct wire_vq *q = bpf_map_lookup_elem(&stats, &slot);
    if (!q)
        return;
    if (bpf_map_update_elem(&queues, &vq, &slot, MAP_NOEXIST))
        bpf_map_push_elem(&slots, &slot, 0);
    else
        describe(q, vq);
}

INLINE struct wire_vq *queue(u64 vq)
{
    u32 *known = bpf_map_lookup_elem(&queues, &vq);
    if (!known) {
        found(vq);
        known = bpf_map_lookup_elem(&queues, &vq);
    }
    if (!known)
        return NULL;
    u32 slot = *known;
    return bpf_map_lookup_elem(&stats, &slot);
}

INLINE void count(u64 *n)
{
    __sync_fetch_and_add(n, 1);
}

INLINE void add(struct wire_vq *q, u32 hist, u64 value)
{
    u32 at = hist * DELAY_BUCKETS + bucket(value, DELAY_BUCKETS);
    asm volatile("" : "+r"(at)); /* the verifier of Linux 5.10 needs the bounds check next to the access */
    if (at >= N_VQ_HISTS * DELAY_BUCKETS)
        return;
    __sync_fetch_and_add(&q->hist[at], 1);
    __sync_fetch_and_add(&q->sum[hist], value);
}

/* Returns how many buffers were added to a ring (or taken from it) since the last buffer that a BPF program
 * saw. `at`: the ring's counter. Returns 1 if the counter has not changed, or if the ring was reset. */
INLINE u64 steps(struct wire_vq *q, u32 *last, u32 at)
{
    u64 n = (at - *last) & 0xffff;
    *last = at;
    if (n == 0 || n > RESET)
        return 1;
    if (n > 1)
        __sync_fetch_and_add(&q->missed, n - 1);
    return n;
}

INLINE void enter(void *ctx, u64 data)
{
    u64 sp = word(ctx, CFG(CFG_SP));
    struct call c = { word(ctx, CFG(CFG_ARG0)), data };
    if (bpf_map_update_elem(&calls, &sp, &c, MAP_ANY))
        count_lost(LOST_INFLIGHT);
}

/* Takes the arguments that enter() stored for the returning call. Returns false if none are stored. */
INLINE bool leave(void *ctx, struct call *c)
{
    u64 sp = word(ctx, CFG(CFG_SP)) - CFG(CFG_POP);
    struct call *kept = bpf_map_lookup_elem(&calls, &sp);
    if (!kept) {
        count_lost(LOST_INFLIGHT);
        return 0;
    }
    *c = *kept;
    bpf_map_delete_elem(&calls, &sp);
    return 1;
}

INLINE bool outermost(void *ctx, u32 kind)
{
    u64 sp = word(ctx, CFG(CFG_SP)), vq = word(ctx, CFG(CFG_ARG0));
    struct outer *o = bpf_map_lookup_elem(&outers, &kind);
    if (!o || (o->vq == vq && o->sp - sp < FRAME))
        return 0;
    o->sp = sp;
    o->vq = vq;
    return 1;
}

/* Ends the call of outermost() at its return. Returns whether enter() stored its arguments. */
INLINE bool outermost_ends(void *ctx, u32 kind)
{
    u64 sp = word(ctx, CFG(CFG_SP)) - CFG(CFG_POP);
    struct outer *o = bpf_map_lookup_elem(&outers, &kind);
    if (!o)
        return 0;
    if (o->sp == sp)
        o->sp = o->vq = 0;
    return bpf_map_lookup_elem(&calls, &sp) != NULL;
}

/* --- adding --- */

SEC("kprobe/virtqueue_add_sgs")
int vq_add_sgs(void *ctx)
{
    enter(ctx, word(ctx, CFG(CFG_ARG4)));
    return 0;
}

SEC("kprobe/virtqueue_add_outbuf")
int vq_add(void *ctx)
{
    enter(ctx, word(ctx, CFG(CFG_ARG3)));
    return 0;
}

INLINE void added(struct wire_vq *q, const struct call *c, u64 now)
{
    struct virtqueue *v = (void *)c->vq;
    u64 since = q->full_since;
    u64 *was = bpf_map_lookup_elem(&flying, c);
    u64 n = q->state & VQ_COUNTS ? steps(q, &q->avail, avail_of(c->vq)) : 1;
    __sync_fetch_and_add(&q->added, n);
    if (was && *was >= q->born_ns && !(q->state & VQ_COUNTS)) { /* the buffer's completion was missed */
        count(&q->completed);
        count(&q->missed);
    }
    if (bpf_map_update_elem(&flying, c, &now, MAP_ANY))
        count_lost(LOST_INFLIGHT);
    if (since) {
        q->full_since = 0;
        add(q, VQ_STALL, now > since ? now - since : 0);
    }
    if (!(q->state & VQ_NAMED))
        return;
    u32 size = size_of(c->vq), free = EXISTS(v, num_free) ? READ(v, num_free) : 0;
    q->size = size; /* stored again, because drivers may change the size */
    add(q, VQ_DEPTH, size > free ? size - free : 0);
}

SEC("kretprobe/virtqueue_add_sgs")
int vq_added(void *ctx)
{
    struct call c = { 0, 0 };
    if (!leave(ctx, &c))
        return 0;
    s32 err = (s32)word(ctx, CFG(CFG_RET));
    struct wire_vq *q = queue(c.vq);
    u64 now = bpf_ktime_get_ns(); /* read after queue() may have set born_ns */
    if (!q)
        return 0;
    if (!err) {
        added(q, &c, now);
    } else if (err == -NO_SPACE) {
        count(&q->refused);
        if (!q->full_since)
            q->full_since = now;
    } else {
        count(&q->failed);
    }
    return 0;
}

/* --- taking completed buffers --- */

SEC("kprobe/virtqueue_get_buf")
int vq_get(void *ctx)
{
    if (outermost(ctx, OUTER_GET))
        enter(ctx, 0);
    return 0;
}

SEC("kretprobe/virtqueue_get_buf")
int vq_got(void *ctx)
{
    u64 now = bpf_ktime_get_ns();
    struct call c = { 0, 0 };
    if (!outermost_ends(ctx, OUTER_GET) || !leave(ctx, &c))
        return 0;
    c.data = word(ctx, CFG(CFG_RET));
    struct wire_vq *q = c.data ? queue(c.vq) : NULL;
    if (!q)
        return 0;
    u64 n = q->state & VQ_COUNTS ? steps(q, &q->used, used_of(c.vq)) : 1;
    __sync_fetch_and_add(&q->completed, n);
    u64 *t = bpf_map_lookup_elem(&flying, &c);
    if (!t)
        return 0;
    if (*t >= q->born_ns)
        add(q, VQ_TIME, now > *t ? now - *t : 0);
    bpf_map_delete_elem(&flying, &c);
    return 0;
}

/* --- notifications --- */

SEC("kprobe/virtqueue_kick")
int vq_kick(void *ctx)
{
    struct wire_vq *q = outermost(ctx, OUTER_KICK) ? queue(word(ctx, CFG(CFG_ARG0))) : NULL;
    if (q)
        count(&q->kicks);
    return 0;
}

SEC("kretprobe/virtqueue_kick")
int vq_kicked(void *ctx)
{
    outermost_ends(ctx, OUTER_KICK);
    return 0;
}

SEC("kprobe/vp_notify")
int vq_notify(void *ctx)
{
    struct wire_vq *q = queue(word(ctx, CFG(CFG_ARG0)));
    if (q)
        count(&q->notified);
    return 0;
}

/* --- interrupts --- */

/* Arguments of vring_interrupt: int irq, void *vq (the ring). */
extern char CFG_ARG1;

SEC("kprobe/vring_interrupt")
int vq_irq(void *ctx)
{
    u64 sp = word(ctx, CFG(CFG_SP));
    struct call c = { word(ctx, CFG(CFG_ARG1)), (u32)word(ctx, CFG(CFG_ARG0)) };
    if (bpf_map_update_elem(&calls, &sp, &c, MAP_ANY))
        count_lost(LOST_INFLIGHT);
    return 0;
}

SEC("kretprobe/vring_interrupt")
int vq_irq_done(void *ctx)
{
    struct call c = { 0, 0 };
    struct wire_vq *q = leave(ctx, &c) ? queue(c.vq) : NULL;
    if (!q || q->state & VQ_OWN_IRQ)
        return 0;
    q->irq = (u32)c.data;
    count((u32)word(ctx, CFG(CFG_RET)) == HANDLED ? &q->handled : &q->idle);
    return 0;
}

/* Arguments of the tracepoint: int irq, struct irqaction *action, int ret. The first event resets the
 * counters of vq_irq_done. */
SEC("raw_tp/irq_handler_exit")
int vq_irq_own(struct raw_tp *ctx)
{
    struct irqaction *a = (void *)ctx->arg[1];
    u64 vq = (u64)READ(a, dev_id);
    u32 *known = bpf_map_lookup_elem(&queues, &vq);
    if (!known)
        return 0;
    u32 slot = *known;
    struct wire_vq *q = bpf_map_lookup_elem(&stats, &slot);
    if (!q)
        return 0;
    if (!(q->state & VQ_OWN_IRQ)) {
        q->irq = (u32)ctx->arg[0];
        q->handled = q->idle = 0;
        q->state |= VQ_OWN_IRQ;
    }
    count((u32)ctx->arg[2] == HANDLED ? &q->handled : &q->idle);
    return 0;
}

/* --- the end of a ring --- */

SEC("kprobe/vring_del_virtqueue")
int vq_del(void *ctx)
{
    u64 vq = word(ctx, CFG(CFG_ARG0));
    u32 *known = bpf_map_lookup_elem(&queues, &vq);
    if (!known)
        return 0;
    u32 slot = *known;
    struct wire_vq *q = bpf_map_lookup_elem(&stats, &slot);
    if (q)
        q->state |= VQ_GONE;
    bpf_map_delete_elem(&queues, &vq);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
