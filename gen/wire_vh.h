/* wire_vh.h: counters that gen/probes/vhost.bpf.c keeps in `stats`, one slot per virtqueue. */
#ifndef KVIS_WIRE_VH_H
#define KVIS_WIRE_VH_H

enum { VH_QUEUES = 64, VH_UNKNOWN = 0xffff /* the virtqueue's number is unknown */ };

enum wire_vh_device { VH_NET, VH_VSOCK, VH_SCSI, N_VH_DEVICES };

/* The histograms of a virtqueue. VH_DEPTH: number of buffers waiting at a kick. The others are times in ns.
 * VH_WAKE: from a kick to the handler's start. VH_IDLE, VH_STALLED: from a handler's end to its next start,
 * with an empty and with a non-empty ring; VH_PROXY: the same if this is not known. */
enum wire_vh_hist { VH_DEPTH, VH_WAKE, VH_IDLE, VH_STALLED, VH_PROXY, N_VH_HISTS };

/* Identifies a virtqueue: `queues` maps it to a slot, `slots` maps the slot to it. */
struct wire_vh_key {
    u32 worker;           /* the worker thread's id in the initial pid namespace */
    u16 device, queue;    /* enum wire_vh_device; the queue's number in the device */
};
WIRE_ASSERT(sizeof(struct wire_vh_key) == 8);

struct wire_vh {
    struct wire_vh_key key;
    u32 group;            /* the worker's tgid: that of the owner, or the worker's own (before Linux 6.4) */
    u32 last;             /* enum wire_vh_hist of the gap that began at end_ns */
    char comm[16];
    u64 kicks;
    u64 unread;           /* kicks at which the ring could not be read */
    u64 known;            /* handler ends at which the ring could be read */
    u64 end_ns;           /* when the handler last ended; 0: it is running, or its end is not probed */
    u64 sum[N_VH_HISTS];
    u32 hist[N_VH_HISTS * DELAY_BUCKETS];
};
WIRE_ASSERT(sizeof(struct wire_vh) == 64 + N_VH_HISTS * (8 + DELAY_BUCKETS * 4));

#endif
