/* probe.h: definitions for all BPF programs. probe.h includes no system headers, so the generated arrays
 * do not depend on the version of these headers. Numbers of helpers, map types and flags:
 * include/uapi/linux/bpf.h. */
#ifndef KVIS_PROBE_H
#define KVIS_PROBE_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
typedef _Bool bool;

#include "../wire.h"

#define NULL ((void *)0)
#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

/* Marks a partial declaration of a kernel struct or tracepoint record. The loader replaces the field offsets
 * with those of the running kernel. */
#define KERNEL __attribute__((preserve_access_index))

/* Properties of the running kernel. The loader inserts them as constants, so branches
 * on them cost nothing. (The numbers are those of clang's BPFCoreSharedInfo.h.) */
#define OFFSET(type, member) __builtin_preserve_field_info(((type *)0)->member, 0)
#define SIZE(type, member) __builtin_preserve_field_info(((type *)0)->member, 1)
#define EXISTS(p, member) __builtin_preserve_field_info((p)->member, 2)
#define SIGNED(type, member) __builtin_preserve_field_info(((type *)0)->member, 3)
#define TYPE_EXISTS(type) __builtin_preserve_type_info(*(type *)0, 0)
#define TYPE_SIZE(type) __builtin_preserve_type_info(*(type *)0, 1)
#define ENUM_EXISTS(type, value) __builtin_preserve_enum_value(*(type *)value, 0)
#define ENUM_VALUE(type, value) __builtin_preserve_enum_value(*(type *)value, 1)

/* Reads a member of a kernel struct; yields 0 if the pointer is invalid. Sets a whole word of the stack: if
 * only a part were set, the verifier would also track the old contents of the rest. (The CPU is
 * little-endian.) */
#define READ(p, member)                                                           \
    ({                                                                            \
        u64 read_ = 0;                                                            \
        bpf_probe_read_kernel(&read_, sizeof (p)->member, &(p)->member);          \
        (typeof((p)->member))read_;                                               \
    })

/* -- Constants that kvis patches in: `extern char CFG_PID;`, then CFG(CFG_PID) ------ */

/* Yields a constant that kvis patches in: the address of an undefined symbol, which is a 64-bit immediate
 * that the loader replaces. The asm hides from clang that addresses are never 0, and keeps clang from
 * moving the load. */
#define CFG(name)                        \
    ({                                   \
        u64 cfg_ = (u64)&(name);         \
        asm volatile("" : "+r"(cfg_)); \
        cfg_;                            \
    })

extern char CFG_WAKE; /* number of unread bytes at which to wake the reader; 0: at each record */

/* -- Both forms of a tracepoint ---------------------------------------------------- */

/* SEC("both/CATEGORY/EVENT"): a BPF program for the raw or the classic form of a
 * tracepoint. The context of the raw form has the arguments of the kernel's trace_EVENT();
 * the context of the classic form is the record that tracefs describes. CFG_RAW, which the
 * loader sets, tells the forms apart; the verifier sees only one branch. */
extern char CFG_RAW;

struct raw_tp { u64 arg[3]; };

/* SEC("typed/CATEGORY/EVENT"): like both/, but the raw tracepoint has typed arguments, which the kernel's BTF
 * describes (Linux 5.5). The verifier knows the types of pointers, so members are loaded without a helper.
 * A load through an invalid pointer yields 0. */

/* Loads a value in the branch where KEPT is written. clang would merge the loads of both branches into
 * one load from a computed address, but the verifier requires a constant offset from the context. */
#define KEPT(value)                      \
    ({                                   \
        typeof(value) kept_ = (value);   \
        asm volatile("" : "+r"(kept_)); \
        kept_;                           \
    })

/* Reads a member of a kernel struct through a typed argument of a raw tracepoint. */
#define FOLLOW(p, member) KEPT((p)->member)

/* -- Maps -------------------------------------------------------------------------- */

struct map_def {
    u32 type, key_size, value_size, max_entries, flags;
};

enum {
    MAP_HASH = 1,
    MAP_ARRAY = 2,
    MAP_PERCPU_HASH = 5,
    MAP_PERCPU_ARRAY = 6,
    MAP_STACK_TRACE = 7,
    MAP_LRU_HASH = 9,
    MAP_LRU_PERCPU_HASH = 10,
    MAP_RINGBUF = 27,
};
enum { MAP_ANY, MAP_NOEXIST, MAP_EXIST }; /* flags of map_update_elem */
#define MAP_NO_PREALLOC 1                 /* flag for hash maps */
#define MAP_MMAPABLE 1024                 /* flag for array maps (Linux 5.5) */

/* gen/insngen.py omits the maps that no BPF program of a family uses. */

/* Ring buffer of the records for kvis, which chooses the size when it creates the map. */
struct map_def events SEC("maps") = { .type = MAP_RINGBUF };

/* Number of lost records, by reason (enum wire_lost). */
struct map_def lost SEC("maps") = {
    .type = MAP_PERCPU_ARRAY, .key_size = 4, .value_size = 8, .max_entries = 8
};

/* -- Helpers: name, number --------------------------------------------------------- */

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value,
                                   u64 flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static long (*const bpf_probe_read)(void *dst, u32 size, const void *src) = (void *)4;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*const bpf_get_prandom_u32)(void) = (void *)7;
static u32 (*const bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static u64 (*const bpf_get_current_uid_gid)(void) = (void *)15;
static long (*const bpf_get_current_comm)(void *buf, u32 size) = (void *)16;
static u64 (*const bpf_perf_event_read)(void *map, u64 flags) = (void *)22;
static long (*const bpf_get_stackid)(void *ctx, void *map, u64 flags) = (void *)27;
static void *(*const bpf_get_current_task)(void) = (void *)35;
static long (*const bpf_get_numa_node_id)(void) = (void *)42;
static long (*const bpf_probe_read_str)(void *dst, u32 size, const void *src) = (void *)45;
static long (*const bpf_perf_event_read_value)(void *map, u64 flags, void *buf,
                                               u32 size) = (void *)55;
static long (*const bpf_perf_prog_read_value)(void *ctx, void *buf, u32 size) = (void *)56;
static long (*const bpf_get_stack)(void *ctx, void *buf, u32 size, u64 flags) = (void *)67;
static u64 (*const bpf_get_current_cgroup_id)(void) = (void *)80;
static long (*const bpf_send_signal)(u32 sig) = (void *)109;
static long (*const bpf_probe_read_user)(void *dst, u32 size, const void *src) = (void *)112;
static long (*const bpf_probe_read_kernel)(void *dst, u32 size, const void *src) = (void *)113;
static long (*const bpf_probe_read_user_str)(void *dst, u32 size, const void *src) = (void *)114;
static long (*const bpf_probe_read_kernel_str)(void *dst, u32 size, const void *src) = (void *)115;
static long (*const bpf_send_signal_thread)(u32 sig) = (void *)117;
static u64 (*const bpf_jiffies64)(void) = (void *)118;
static long (*const bpf_get_ns_current_pid_tgid)(u64 dev, u64 ino, void *info,
                                                 u32 size) = (void *)120;
static u64 (*const bpf_ktime_get_boot_ns)(void) = (void *)125;
static long (*const bpf_ringbuf_output)(void *map, void *data, u64 size, u64 flags) = (void *)130;
static void *(*const bpf_ringbuf_reserve)(void *map, u64 size, u64 flags) = (void *)131;
static void (*const bpf_ringbuf_submit)(void *data, u64 flags) = (void *)132;
static void (*const bpf_ringbuf_discard)(void *data, u64 flags) = (void *)133;
static u64 (*const bpf_ringbuf_query)(void *map, u64 what) = (void *)134;
static void *(*const bpf_get_current_task_btf)(void) = (void *)158;
static u64 (*const bpf_get_attach_cookie)(void *ctx) = (void *)174;
static u64 (*const bpf_task_pt_regs)(void *task) = (void *)175;

enum { RB_NO_WAKEUP = 1, RB_FORCE_WAKEUP = 2 }; /* flags of bpf_ringbuf_output and _submit */
enum { RB_AVAIL_DATA = 0 };                     /* argument `what` of bpf_ringbuf_query */

/* -- The current task -------------------------------------------------------------- */

/* Offset in task_struct of the flag for 32-bit system calls, and the mask
 * of this flag; 0: unknown, or the kernel has no 32-bit calls. */
extern char CFG_COMPAT_OFF, CFG_COMPAT_MASK;

/* Returns whether the current call uses the 32-bit ABI, which the call number does not show. */
INLINE bool is_compat(void)
{
    u32 bits = 0;
    if (!CFG(CFG_COMPAT_MASK))
        return 0;
    bpf_probe_read_kernel(&bits, sizeof bits, (void *)(bpf_get_current_task() + CFG(CFG_COMPAT_OFF)));
    return bits & CFG(CFG_COMPAT_MASK);
}

/* -- Records ----------------------------------------------------------------------- */

/* Counts a lost record. Atomic, because one BPF program may interrupt another on the same CPU. */
INLINE void count_lost(u32 why)
{
    u64 key = why; /* 8 bytes, because the verifier explores more states with 4 */
    u64 *n = bpf_map_lookup_elem(&lost, &key);

    if (n)
        __sync_fetch_and_add(n, 1);
}

/* Wakes the reader rarely; the reader also has a timer. Forces the wake-up, because without
 * flags the kernel wakes only a reader that had read everything before this record. */
INLINE u64 wake_flags(void)
{
    u64 waiting = bpf_ringbuf_query(&events, RB_AVAIL_DATA);

    return waiting >= CFG(CFG_WAKE) ? RB_FORCE_WAKEUP : RB_NO_WAKEUP;
}

/* Sends a record of `size` bytes to kvis, or counts the record as lost. The verifier must know the bounds of
 * `size`. */
INLINE void emit(void *record, u64 size)
{
    if (bpf_ringbuf_output(&events, record, size, wake_flags()))
        count_lost(LOST_RING);
}

#endif
