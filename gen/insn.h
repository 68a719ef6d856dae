/* Types and macros for bpf_insns/NAME.h, which contain BPF programs as data: instructions, patches,
 * maps and programs. Used by these headers, kvis.c, gen/insngen.py and the tests. Each instruction
 * form has a macro I_..., so an array of instructions reads like assembly. The macros paste the
 * names of registers, sizes, operations and helpers (##) and never expand them, because another
 * header may define macros such as `R1`, `DW` or `ADD`. Encodings:
 * Documentation/bpf/standardization/instruction-set.rst of Linux. */
#ifndef KVIS_INSN_H
#define KVIS_INSN_H

#include <linux/bpf.h>
#include <stdint.h>

/* For linux/bpf.h before Linux 5.12. */
#ifndef BPF_ATOMIC
#define BPF_ATOMIC 0xc0 /* same number as BPF_XADD */
#endif

/* -- Tables of a family of BPF programs ------------------------------------------- */

/* Kinds of values that kvis patches into instructions before it loads a BPF program. "imm" is a
 * field of the instruction. */
enum bpf_patch_kind {
    PATCH_MAP,         /* ld_imm64: descriptor of the map `name` */
    PATCH_CONST,       /* ld_imm64: value of the CFG_ constant `name` */
    PATCH_OFF,         /* off in LDX, ST and STX, else imm: byte offset of a field */
    PATCH_SIZE,        /* imm: size of a field in bytes */
    PATCH_EXISTS,      /* imm: 1 if this kernel has the field, else 0 */
    PATCH_SIGNED,      /* imm: 1 if the field is signed, else 0 */
    PATCH_TYPE_EXISTS, /* imm: 1 if this kernel has the type, else 0 */
    PATCH_TYPE_SIZE,   /* imm: size of the type in bytes */
    PATCH_ENUM,        /* imm: value of an enumerator */
    PATCH_ENUM_EXISTS, /* imm: 1 if this kernel has the enumerator, else 0 */
};

/* A patch of an instruction. name: "TYPE.member.member" or "TYPE.member[2]" for a field, without
 * anonymous structs and unions; "ENUM.VALUE"; or "TYPE" without its "___flavor". If the instruction
 * is an ld_imm64, the value has 64 bits. */
struct bpf_patch {
    uint16_t insn; /* index in insns[] */
    uint8_t kind;
    uint8_t size;  /* PATCH_OFF: field size in the source, or 0 (a struct, or over 255 bytes) */
    const char *name;
} __attribute__((packed)); /* packing saves 6 KB for 1500 patches */

struct bpf_map_row {
    const char *name;
    uint32_t type, key_size, value_size, max_entries, flags;
};

struct bpf_prog_row {
    const char *name, *attach; /* attach: tracepoint "CATEGORY/EVENT", raw tracepoint "EVENT",
                                * function "SYMBOL", or typedef "btf_trace_EVENT" (TRACING) */
    uint32_t type;             /* BPF_PROG_TYPE_... */
    uint32_t lowest;           /* KERNEL_VERSION of the oldest kernel that can load it */
    const struct bpf_insn *insns;
    const struct bpf_patch *patches;
    uint16_t n_insns, n_patches;
    uint8_t is_ret;            /* true for a kretprobe */
};

struct bpf_family {
    const char *name, *license;
    const struct bpf_prog_row *progs;
    const struct bpf_map_row *maps;
    uint16_t n_progs, n_maps;
};

/* -- BPF helper functions ----------------------------------------------------------- */

/* X(number, name, kernel): helper functions that tracing BPF programs may call, with the first
 * kernel that allows it. insngen.py rejects all others. Numbers: include/uapi/linux/bpf.h. */
#define I_HELPERS(X)                       \
    X(1, map_lookup_elem, 3, 19)           \
    X(2, map_update_elem, 3, 19)           \
    X(3, map_delete_elem, 3, 19)           \
    X(4, probe_read, 4, 1)                 \
    X(5, ktime_get_ns, 4, 1)               \
    X(6, trace_printk, 4, 1)               \
    X(7, get_prandom_u32, 4, 1)            \
    X(8, get_smp_processor_id, 4, 1)       \
    X(12, tail_call, 4, 2)                 \
    X(14, get_current_pid_tgid, 4, 2)      \
    X(15, get_current_uid_gid, 4, 2)       \
    X(16, get_current_comm, 4, 2)          \
    X(22, perf_event_read, 4, 3)           \
    X(25, perf_event_output, 4, 4)         \
    X(27, get_stackid, 4, 6)               \
    X(35, get_current_task, 4, 8)          \
    X(37, current_task_under_cgroup, 4, 9) \
    X(42, get_numa_node_id, 4, 10)         \
    X(45, probe_read_str, 4, 11)           \
    X(55, perf_event_read_value, 4, 15)    \
    X(56, perf_prog_read_value, 4, 15)     \
    X(67, get_stack, 4, 18)                \
    X(80, get_current_cgroup_id, 4, 18)    \
    X(87, map_push_elem, 5, 2)             \
    X(88, map_pop_elem, 5, 2)              \
    X(109, send_signal, 5, 3)              \
    X(112, probe_read_user, 5, 5)          \
    X(113, probe_read_kernel, 5, 5)        \
    X(114, probe_read_user_str, 5, 5)      \
    X(115, probe_read_kernel_str, 5, 5)    \
    X(117, send_signal_thread, 5, 6)       \
    X(118, jiffies64, 5, 6)                \
    X(119, read_branch_records, 5, 7)      \
    X(120, get_ns_current_pid_tgid, 5, 7)  \
    X(125, ktime_get_boot_ns, 5, 8)        \
    X(130, ringbuf_output, 5, 8)           \
    X(131, ringbuf_reserve, 5, 8)          \
    X(132, ringbuf_submit, 5, 8)           \
    X(133, ringbuf_discard, 5, 8)          \
    X(134, ringbuf_query, 5, 8)            \
    X(158, get_current_task_btf, 5, 11)    \
    X(173, get_func_ip, 5, 15)             \
    X(174, get_attach_cookie, 5, 15)       \
    X(175, task_pt_regs, 5, 15)            \
    X(208, ktime_get_tai_ns, 6, 1)

enum {
#define I_HELPER_ENUM(number, name, major, minor) I_FN_##name = number,
    I_HELPERS(I_HELPER_ENUM)
#undef I_HELPER_ENUM
};

/* I_KERNEL is KERNEL_VERSION of <linux/version.h> with patch level 0. */
#define I_KERNEL(major, minor) ((uint32_t)(major) << 16 | (uint32_t)(minor) << 8)
#define I_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* -- Instructions ---------------------------------------------------------------- */

enum { I_R0, I_R1, I_R2, I_R3, I_R4, I_R5, I_R6, I_R7, I_R8, I_R9, I_R10 };

#define I_RAW(op, d, s, o, i) \
    { .code = (op), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

/* dst = dst OP src. OP: ADD SUB MUL DIV OR AND LSH RSH MOD XOR ARSH. */
#define I_ALU64_REG(op, d, s) I_RAW(BPF_ALU64 | BPF_##op | BPF_X, I_##d, I_##s, 0, 0)
#define I_ALU64_IMM(op, d, i) I_RAW(BPF_ALU64 | BPF_##op | BPF_K, I_##d, 0, 0, i)
#define I_MOV64_REG(d, s) I_ALU64_REG(MOV, d, s)
#define I_MOV64_IMM(d, i) I_ALU64_IMM(MOV, d, i)
#define I_NEG64(d) I_RAW(BPF_ALU64 | BPF_NEG, I_##d, 0, 0, 0)
/* dst = the low 16, 32 or 64 bits of dst in little-endian (LE) or big-endian (BE) order. */
#define I_ENDIAN(order, d, bits) I_RAW(BPF_ALU | BPF_END | BPF_TO_##order, I_##d, 0, 0, bits)

/* size: B 1 byte, H 2, W 4, DW 8. */
#define I_LDX_MEM(size, d, s, off) I_RAW(BPF_LDX | BPF_##size | BPF_MEM, I_##d, I_##s, off, 0)
#define I_STX_MEM(size, d, off, s) I_RAW(BPF_STX | BPF_##size | BPF_MEM, I_##d, I_##s, off, 0)
#define I_XADD(size, d, off, s) I_RAW(BPF_STX | BPF_##size | BPF_ATOMIC, I_##d, I_##s, off, BPF_ADD)

/* Instructions with a 64-bit immediate take two slots. I_LD_CONST and I_LD_MAP ignore their name,
 * which is only for readers, because the patch table has it. */
#define I_LD_WIDE(d, s, i)                                                    \
    I_RAW(BPF_LD | BPF_DW | BPF_IMM, d, s, 0, (int32_t)(uint32_t)(uint64_t)(i)), \
    I_RAW(0, 0, 0, 0, (int32_t)(uint32_t)((uint64_t)(i) >> 32))
#define I_LD_IMM64(d, i) I_LD_WIDE(I_##d, 0, i)
#define I_LD_CONST(d, name) I_LD_WIDE(I_##d, 0, 0)
#define I_LD_MAP(d, name) I_LD_WIDE(I_##d, BPF_PSEUDO_MAP_FD, 0)

/* Jump offsets are relative to the next slot. OP: JEQ JNE JSET JGT JGE JLT JLE JSGT JSGE JSLT
 * JSLE. */
#define I_JMP_REG(op, d, s, off) I_RAW(BPF_JMP | BPF_##op | BPF_X, I_##d, I_##s, off, 0)
#define I_JMP_IMM(op, d, i, off) I_RAW(BPF_JMP | BPF_##op | BPF_K, I_##d, 0, off, i)
#define I_JA(off) I_RAW(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define I_CALL(name) I_RAW(BPF_JMP | BPF_CALL, 0, 0, 0, I_FN_##name)
#define I_EXIT() I_RAW(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

#endif
