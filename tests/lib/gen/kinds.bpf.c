// SPDX-License-Identifier: MIT
/* Test input of insngen, never loaded by kvis: every kind of patch and every type of program (forms.c has every form of
 * instruction). tests/lib/gen/want.txt says what must come out. */
#include "probe.h"

extern char CFG_PID, CFG_LIMIT;

struct event {
    u64 ts, a, b, c;
};
struct map_def counts SEC("maps") = { MAP_HASH, 4, 8, 512, MAP_NO_PREALLOC };

struct inner {
    int first;
    u16 words[8];
} KERNEL;
struct outer___old { /* the flavour must not show */
    u64 head;
    union {
        struct {
            int x;
            struct inner in;  /* outer.in, for the two around it have no name */
        };
        long whole;
    };
    struct inner many[3];
    struct inner *next;
    s8 small;
    char long_name[300];
} KERNEL;
struct trace_event_raw_sys_enter {
    u64 before;
    long id;
    unsigned long args[6];
} KERNEL;
enum colour { RED = 3, BLUE = -7 };
enum wide { FAR = 0x123456789abcULL };

/* Fields: LDX, STX (the address of), arrays in structs, anonymous unions, all the questions. */
SEC("raw_tp/fields")
int fields(u64 *ctx)
{
    struct outer___old *o = (void *)ctx[0];
    struct event e = { 0 };

    e.a = (u64)READ(o, in.words[5]) + READ(o, many[2].first) + READ(o, small);
    e.b = OFFSET(struct outer___old, next) + SIZE(struct outer___old, many) +
          SIZE(struct outer___old, long_name) + EXISTS(o, in.first) +
          SIGNED(struct outer___old, small) + OFFSET(struct outer___old, long_name);
    e.c = TYPE_EXISTS(struct inner) + TYPE_SIZE(struct outer___old) + ENUM_EXISTS(enum colour, RED) +
          (s64)ENUM_VALUE(enum colour, BLUE) + ENUM_VALUE(enum wide, FAR);
    emit(&e, sizeof e);
    return 0;
}

/* A tracepoint's record is read directly; constants are compared and stored. */
SEC("tp/raw_syscalls/sys_enter")
int record(struct trace_event_raw_sys_enter *r)
{
    struct event e = { .ts = bpf_ktime_get_ns(), .a = r->id, .b = r->args[1], .c = CFG(CFG_LIMIT) };

    if (CFG(CFG_PID) && bpf_get_current_pid_tgid() >> 32 != CFG(CFG_PID))
        return 0;
    if ((s64)e.a > (s64)CFG(CFG_LIMIT) || (s64)e.b < -5 || (u32)e.a <= 3)
        emit(&e, sizeof e);
    return 0;
}

/* Of a tracepoint with typed arguments, and the classic one: two rows, one array. */
SEC("typed/raw_syscalls/sys_enter")
int forms(struct raw_tp *ctx)
{
    struct trace_event_raw_sys_enter *r = (void *)ctx;
    u32 key;

    if (CFG(CFG_RAW))
        key = (u32)KEPT(ctx->arg[1]);
    else
        key = (u32)KEPT((u64)r->id);
    bpf_map_delete_elem(&counts, &key);
    return 0;
}

/* A loop (5.3). */
SEC("perf_event")
int loop(u64 *ctx)
{
    u64 sum = ctx[0];
    u32 key = (u32)sum & 7;

#pragma clang loop unroll(disable)
    for (int i = 0; i < 100; i++)
        sum = (sum ^ sum >> 3) * 31;
    bpf_map_update_elem(&counts, &key, &sum, MAP_NOEXIST);
    return 0;
}

SEC("kprobe/do_exit")
int entered(void *ctx)
{
    u32 key = (u32)bpf_get_current_pid_tgid();

    bpf_map_delete_elem(&counts, &key);
    return 0;
}

/* Two programs in one section: each is told from the other by its symbol. */
SEC("kretprobe/do_exit")
int returned(void *ctx)
{
    return 1;
}

SEC("kretprobe/do_exit")
int returned_too(void *ctx)
{
    return 2;
}

char license_[] SEC("license") = "Dual MIT/GPL";
