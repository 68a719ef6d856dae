/* wire_vq.h: counters that gen/probes/vq.bpf.c keeps in `stats`, one slot per virtio ring. */
#ifndef KVIS_WIRE_VQ_H
#define KVIS_WIRE_VQ_H

enum { VQ_QUEUES = 256, VQ_WORD = 32 };

enum wire_vq_state {
    VQ_SEEN = 1,   /* the slot is in use */
    VQ_NAMED = 2,  /* dev, driver, name, index and size are known (with BTF) */
    VQ_PACKED = 4, /* a packed ring */
    VQ_GONE = 8,   /* the kernel has deleted the ring */
    VQ_COUNTS = 16, /* a split ring, whose own counters increase by 1 for each buffer */
    VQ_OWN_IRQ = 32, /* the ring does not share its interrupt */
};

/* The histograms of a ring: descriptors in use after each add; time that the ring was full, in ns; time
 * that a buffer was in the ring, in ns. */
enum wire_vq_hist { VQ_DEPTH, VQ_STALL, VQ_TIME, N_VQ_HISTS };

struct wire_vq {
    u64 born_ns;
    u64 added, completed;
    u64 refused, failed;     /* adds that failed with -ENOSPC, and with other errors */
    u64 kicks, notified;     /* notifications requested by drivers, and sent to the device */
    u64 handled, idle;       /* interrupts that found a buffer, and that found none */
    u64 missed;              /* buffers for which no program ran, detected later */
    u64 full_since;          /* time of the first add refused since the last successful one, or 0 */
    u64 sum[N_VQ_HISTS];
    u32 state;               /* enum wire_vq_state */
    u32 size, index, irq;    /* irq: number of the last interrupt */
    u32 avail, used;         /* VQ_COUNTS: last seen values of the ring's counters, modulo 2^16 */
    char dev[VQ_WORD], driver[VQ_WORD], name[VQ_WORD];
    u32 hist[N_VQ_HISTS * DELAY_BUCKETS];
};
WIRE_ASSERT(sizeof(struct wire_vq) == 232 + N_VQ_HISTS * DELAY_BUCKETS * 4);

#endif
