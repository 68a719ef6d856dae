/* wire_vh.h: what the programs of gen/probes/vhost.bpf.c add up, a slot a virtqueue: `stats`. */
#ifndef KVIS_WIRE_VH_H
#define KVIS_WIRE_VH_H

enum { VH_QUEUES = 64, VH_UNKNOWN = 0xffff /* a virtqueue's number */ };

enum wire_vh_device { VH_NET, VH_VSOCK, VH_SCSI, N_VH_DEVICES };

/* Its distributions: buffers that wait at a kick; in ns: from the kick till its handler runs, and from
 * the end of its work till it runs again: with an empty ring, with one that was not, not known which. */
enum wire_vh_hist { VH_DEPTH, VH_WAKE, VH_IDLE, VH_STALLED, VH_PROXY, N_VH_HISTS };

/* Which one: `queues` has its slot, `slots` has it by its slot. */
struct wire_vh_key {
    u32 worker;           /* the thread that works for it, as the first pid namespace has it */
    u16 device, queue;    /* enum wire_vh_device; its number in the device */
};
WIRE_ASSERT(sizeof(struct wire_vh_key) == 8);

struct wire_vh {
    struct wire_vh_key key;
    u32 group;            /* of that thread: the owner, or the thread itself (before 6.4) */
    u32 last;             /* enum wire_vh_hist of the gap that began at end_ns */
    char comm[16];        /* of that thread */
    u64 kicks;
    u64 unread;           /* kicks at which the ring could not be read */
    u64 known;            /* ends of its work at which it could */
    u64 end_ns;           /* when its work ended last; 0: it is at it, or nobody looks */
    u64 sum[N_VH_HISTS];
    u32 hist[N_VH_HISTS * DELAY_BUCKETS];
};
WIRE_ASSERT(sizeof(struct wire_vh) == 64 + N_VH_HISTS * (8 + DELAY_BUCKETS * 4));

#endif
