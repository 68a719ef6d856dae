/* wire_vq.h: rings of virtio devices; `stats`, by slot. (See wire.h.) */
#ifndef KVIS_WIRE_VQ_H
#define KVIS_WIRE_VQ_H

enum { VQ_QUEUES = 256, VQ_WORD = 32 };

enum wire_vq_state {
    VQ_SEEN = 1,   /* the slot is in use */
    VQ_NAMED = 2,  /* dev, driver, name, index and size are known: by BTF */
    VQ_PACKED = 4, /* its ring is a packed one */
    VQ_GONE = 8,   /* the kernel has taken it away */
    VQ_COUNTS = 16, /* it has counters of its own, which go on by 1 for each buffer: a split ring */
    VQ_OWN_IRQ = 32, /* its interrupts are no other's */
};

/* Its distributions: descriptors in use at each add, with those of it; ns that it was full; ns that a
 * buffer was in it. */
enum wire_vq_hist { VQ_DEPTH, VQ_STALL, VQ_TIME, N_VQ_HISTS };

struct wire_vq {
    u64 born_ns;
    u64 added, completed;
    u64 refused, failed;     /* adds: -ENOSPC, and all other errors */
    u64 kicks, notified;     /* notifications wanted; those that were sent to the device */
    u64 handled, idle;       /* interrupts that found a buffer, and that found none */
    u64 missed;              /* buffers that no program was run for, found by those that were */
    u64 full_since;          /* the first add refused since the last that was not; 0: there is none */
    u64 sum[N_VQ_HISTS];
    u32 state;               /* enum wire_vq_state */
    u32 size, index, irq;    /* irq: the last that came */
    u32 avail, used;         /* of VQ_COUNTS: how far they were, modulo 2^16 */
    char dev[VQ_WORD], driver[VQ_WORD], name[VQ_WORD];
    u32 hist[N_VQ_HISTS * DELAY_BUCKETS];
};
WIRE_ASSERT(sizeof(struct wire_vq) == 232 + N_VQ_HISTS * DELAY_BUCKETS * 4);

#endif
