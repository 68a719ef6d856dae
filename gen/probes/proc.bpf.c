// SPDX-License-Identifier: MIT OR GPL-2.0
/* proc: BPF programs that record forks, execs and exits.
 *
 * At exec, the arguments are read from the new address space, from mm->arg_start to mm->arg_end. The pages
 * are resident, because execve has just written them, and there are no pointers to follow. Without BTF,
 * the arguments are read from the argv of execve at the entry of the call. */
#include "probe.h"

/* CFG_SELF: kvis's pid. CFG_NS_INO: inode number of kvis's pid namespace; 0: the initial one. CFG_NS_DEV: the
 * namespace's device, for the helper that looks up pids. CFG_BTF 1: the field offsets of struct task_struct
 * are known. */
extern char CFG_SELF, CFG_NS_INO, CFG_NS_DEV, CFG_BTF;
/* Call numbers of execve and execveat; offsets in struct pt_regs of the call number (CFG_NR) and the
 * arguments of 64-bit (CFG_A*) and 32-bit (CFG_B*) calls. */
extern char CFG_EXECVE, CFG_EXECVEAT, CFG_EXECVE32, CFG_EXECVEAT32, CFG_NR;
extern char CFG_A0, CFG_A1, CFG_A2, CFG_B0, CFG_B1, CFG_B2;
/* CFG_FAILED 1: record failed execs. CFG_ARGV 1: read arguments from execve's argv. CFG_ENV 1: record the
 * environment. */
extern char CFG_FAILED, CFG_ARGV, CFG_ENV;
/* CFG_FOLLOWED 1: record only threads in the map `traced`, which belongs to call.bpf.c. */
extern char CFG_FOLLOWED;

#define ERESTARTSYS 512 /* errno values from here on never reach user space (include/linux/errno.h) */
#define CLONE_THREAD 0x10000
#define CLONE_PARENT 0x8000
#define SIGNAL_GROUP_EXIT 4 /* include/linux/sched/signal.h */

struct map_def execing SEC("maps") = { MAP_HASH, 8, sizeof(struct wire_execing), 8192, 0 };

struct pid;

/* Indexes in record.nr[] and record.id[]: the caller's process, thread, parent and child. */
enum { ID_PROCESS, ID_THREAD, ID_PARENT, ID_CHILD, N_IDS };

enum step { STEP_ARGS, STEP_ENV, STEP_EXE, STEP_CWD, STEP_ARGV };

/* A record under construction; it is too large for the stack. The BPF programs that continue with
 * proc_nest share SLOT_NEST, because they run in the context of one task, without preemption. `at` and
 * other positions are kept in memory, because the verifier would track each possible value of a register. */
struct record {
    struct wire_proc head;
    char data[PROC_NAME_MAX + 2 * (PROC_DIR_MAX + PROC_PART_MAX)];
    u32 at;
    u32 step;      /* enum step */
    u64 from, end; /* address range of the strings that are not sent yet */
    u64 name;      /* address of the program's name */
    struct vfsmount *mount; /* position on the way from a file or directory to the root */
    struct dentry *dentry;
    u32 left;      /* number of steps to the root, or of pointers in argv, that are still allowed */
    u32 part_end;  /* offset in data up to which components of the path may begin */
    u32 begun;     /* offset in data at which the path begins */
    u32 args;      /* size in bytes of all arguments */
    u32 kind;      /* enum wire_proc_kind of the record that follows the arguments; PROC_ARGS: none */
    u32 argv_step; /* size of a pointer in argv */
    u64 argv;      /* address of the next pointer in argv */
    u32 nr[N_IDS];
    struct pid *id[N_IDS];
};
enum { SLOT_NEST, SLOT_EXIT, SLOT_FORK, N_SLOTS };
struct map_def proc_scratch SEC("maps") = { MAP_PERCPU_ARRAY, 4, sizeof(struct record), N_SLOTS, 0 };
enum { MAP_PROG_ARRAY = 3 };
static long (*const bpf_tail_call)(void *ctx, void *map, u32 index) = (void *)12;
/* Element 0: the BPF program proc_nest. */
struct map_def proc_nested SEC("maps") = { MAP_PROG_ARRAY, 4, 4, 1, 0 };
struct map_def traced SEC("maps") = { MAP_HASH, 4, sizeof(struct wire_thread), 0, 0 };

/* --- the kernel's structures: only the members that are used --- */

struct ns_common { u32 inum; } KERNEL;
struct pid_namespace { struct ns_common ns; } KERNEL;
struct upid { int nr; struct pid_namespace *ns; } KERNEL;
struct pid { u32 level; struct upid numbers[0]; } KERNEL; /* numbers[1] or numbers[] in the kernel */
struct qstr { const u8 *name; } KERNEL;
struct dentry { struct dentry *d_parent; struct qstr d_name; } KERNEL;
struct vfsmount { struct dentry *mnt_root; } KERNEL;
struct mount {
    struct mount *mnt_parent;
    struct dentry *mnt_mountpoint;
    struct vfsmount mnt;
} KERNEL;
struct path { struct vfsmount *mnt; struct dentry *dentry; } KERNEL;
struct file { struct path f_path; } KERNEL;
struct fs_struct { struct path root, pwd; } KERNEL;
struct linux_binprm { const char *filename; } KERNEL;
struct percpu_counter { s64 count; } KERNEL;
struct mm_struct {
    u64 arg_start, arg_end, env_start, env_end, hiwater_rss;
    struct percpu_counter rss_stat[4];
    struct file *exe_file;
} KERNEL;
struct task_io_accounting { u64 rchar, wchar, read_bytes, write_bytes; } KERNEL;
struct sched_entity { u64 sum_exec_runtime; } KERNEL;
typedef struct { int counter; } atomic_t;
struct list_head { struct list_head *prev; } KERNEL;
struct signal_struct {
    atomic_t live;
    struct list_head thread_head;
    int group_exit_code;
    u32 flags;
    u64 utime, stime, sum_sched_runtime;
    u64 nvcsw, nivcsw, min_flt, maj_flt, maxrss;
    struct task_io_accounting ioac;
} KERNEL;
struct task_struct {
    int pid, tgid;
    int exit_code;
    struct task_struct *group_leader, *real_parent;
    struct pid *thread_pid;
    struct mm_struct *mm;
    struct fs_struct *fs;
    struct signal_struct *signal;
    struct list_head children, sibling, thread_node;
    u64 start_boottime;
    u64 utime, stime, nvcsw, nivcsw, min_flt, maj_flt;
    struct sched_entity se;
    struct task_io_accounting ioac;
} KERNEL;
struct task_struct___old { u64 real_start_time; } KERNEL; /* before Linux 5.5 */
struct trace_event_raw_sched_process_exec { u32 filename; int old_pid; } KERNEL;
struct trace_event_raw_sched_prepare_exec { u32 filename; } KERNEL;
struct trace_event_raw_task_newtask { int pid; u64 clone_flags; } KERNEL;
struct trace_event_raw_sys_enter { long id; u64 args[6]; } KERNEL;
struct trace_event_raw_sys_exit { long id, ret; } KERNEL;

/* --- who --- */

INLINE bool followed(u64 tid)
{
    return !CFG(CFG_FOLLOWED) || bpf_map_lookup_elem(&traced, &tid);
}

INLINE u32 nr_inside(struct pid *pid)
{
    u32 level = READ(pid, level);
    struct upid *up = (void *)&pid->numbers;
    return level < 32 ? (u32)READ(up + level, nr) : 0; /* 32: MAX_PID_NS_LEVEL */
}

/* Sets r->nr[] to the numbers of r->id[] in kvis's pid namespace (0: none). Four separate loops would take
 * four times as many instructions. */
INLINE void numbers(struct record *r)
{
#pragma clang loop unroll(disable)
    for (u32 k = 0; k < N_IDS; k++) {
        struct pid *pid = r->id[k];
        u32 level = READ(pid, level);
        r->nr[k] = 0;
#pragma clang loop unroll(disable)
        for (u32 i = 0; i < 32 && i <= level; i++) {
            struct upid *u = (void *)&pid->numbers + i * 16; /* 16: size of struct upid on 64 bits */
            struct pid_namespace *ns = READ(u, ns);
            if (READ(ns, ns.inum) == CFG(CFG_NS_INO))
                r->nr[k] = (u32)READ(u, nr);
        }
    }
}

/* Sets the caller's ids. Returns false if the caller is kvis or is not in kvis's pid namespace. */
INLINE bool who_is_it(struct record *r, struct task_struct *child)
{
    struct wire_proc *h = &r->head;
    u64 id = bpf_get_current_pid_tgid();
    h->pid = (u32)(id >> 32);
    h->tid = (u32)id;
    h->ppid = h->ns_pid = 0;
    if (CFG(CFG_BTF)) {
        struct task_struct *t = (void *)bpf_get_current_task();
        struct task_struct *leader = READ(t, group_leader), *parent = READ(leader, real_parent);
        h->ppid = (u32)READ(parent, tgid);
        r->id[ID_PROCESS] = READ(leader, thread_pid);
        h->ns_pid = nr_inside(r->id[ID_PROCESS]);
        if (CFG(CFG_NS_INO)) {
            parent = READ(parent, group_leader);
            r->id[ID_THREAD] = READ(t, thread_pid);
            r->id[ID_PARENT] = READ(parent, thread_pid);
            r->id[ID_CHILD] = READ(child, thread_pid);
            numbers(r);
            h->pid = r->nr[ID_PROCESS];
            h->tid = r->nr[ID_THREAD];
            h->ppid = r->nr[ID_PARENT];
        }
    } else if (CFG(CFG_NS_INO)) {
        struct { u32 pid, tgid; } in = { 0, 0 };
        if (bpf_get_ns_current_pid_tgid(CFG(CFG_NS_DEV), CFG(CFG_NS_INO), &in, sizeof in))
            return 0;
        h->pid = in.tgid;
        h->tid = in.pid;
    }
    return h->pid && h->tid && h->pid != CFG(CFG_SELF);
}

INLINE u64 start_of(struct task_struct *t)
{
    struct task_struct *leader = READ(t, group_leader);
    if (EXISTS(leader, start_boottime))
        return READ(leader, start_boottime);
    struct task_struct___old *old = (void *)leader;
    return EXISTS(old, real_start_time) ? READ(old, real_start_time) : 0;
}

/* Starts a record about the caller. Returns NULL if the caller is not to be recorded. */
INLINE struct record *new_record(u64 slot, u32 kind, struct task_struct *child)
{
    struct record *r = bpf_map_lookup_elem(&proc_scratch, &slot);
    if (!r || !who_is_it(r, child))
        return 0;
    struct wire_proc *h = &r->head;
    u64 ids = bpf_get_current_uid_gid();
    h->ts_ns = bpf_ktime_get_ns();
    h->kind = kind;
    h->uid = (u32)ids;
    h->gid = (u32)(ids >> 32);
    h->cgroup = bpf_get_current_cgroup_id();
    h->start_ns = h->flags = h->max_rss = h->own_rss = 0;
    h->was = h->at = h->arg_len = 0;
    h->ret = -1;
    h->live = ~0U;
    h->name_len = h->exe_len = h->cwd_len = 0;
    h->exe_state = h->cwd_state = 0;
    bpf_get_current_comm(h->comm, sizeof h->comm);
    r->at = 0;
    if (CFG(CFG_BTF))
        h->start_ns = start_of(child ? child : (void *)bpf_get_current_task());
    return r;
}

/* --- what was used --- */

/* Reads a 64-bit field; yields 0 if the kernel does not have it. */
#define USED(dst, p, member)                                          \
    do {                                                              \
        if (EXISTS(p, member))                                        \
            bpf_probe_read_kernel(&(dst), 8, &(p)->member);           \
        else                                                          \
            (dst) = 0;                                                \
    } while (0)
/* Reads a field of the resource usage of a thread, and the same field for the dead threads of its process. */
#define USED_BOTH(field, own, dead) \
    do {                            \
        USED(o->field, t, own);     \
        USED(d->field, s, dead);    \
    } while (0)

INLINE void put_usage(struct wire_proc *h, struct task_struct *t)
{
    struct signal_struct *s = READ(t, signal);
    struct wire_usage *o = &h->own, *d = &h->dead;
    USED_BOTH(run_ns, se.sum_exec_runtime, sum_sched_runtime);
    USED_BOTH(user_ns, utime, utime);
    USED_BOTH(system_ns, stime, stime);
    USED_BOTH(minor, min_flt, min_flt);
    USED_BOTH(major, maj_flt, maj_flt);
    USED_BOTH(waits, nvcsw, nvcsw);
    USED_BOTH(preempted, nivcsw, nivcsw);
    USED_BOTH(read_bytes, ioac.read_bytes, ioac.read_bytes);
    USED_BOTH(write_bytes, ioac.write_bytes, ioac.write_bytes);
    USED_BOTH(read_chars, ioac.rchar, ioac.rchar);
    USED_BOTH(write_chars, ioac.wchar, ioac.wchar);
}

/* --- forks --- */

/* Returns the task with the given pid that the caller has just created, which copy_process() added at the end
 * of a list. Returns NULL if other threads have added too many tasks since. */
INLINE struct task_struct *find_child(u32 pid, u64 flags)
{
    struct task_struct *t = (void *)bpf_get_current_task(), *parent = t;
    struct signal_struct *s = READ(t, signal);
    u64 off = flags & CLONE_THREAD ? OFFSET(struct task_struct, thread_node)
                                   : OFFSET(struct task_struct, sibling);
    if (flags & CLONE_PARENT)
        parent = READ(t, real_parent);
    struct list_head *head = flags & CLONE_THREAD ? &s->thread_head : &parent->children;
    struct list_head *at = READ(head, prev);
#pragma clang loop unroll(disable)
    for (int i = 0; i < 16 && at != head; i++) {
        struct task_struct *child = (void *)at - off;
        if ((u32)READ(child, pid) == pid)
            return child;
        at = READ(at, prev);
    }
    return 0;
}

/* Records the creation of a task by the caller. child: NULL
 * if only its tid in the initial namespace is known. */
INLINE void forked(struct task_struct *child, u32 tid, u64 flags)
{
    if (!followed((u32)bpf_get_current_pid_tgid()))
        return;
    struct record *r = new_record(SLOT_FORK, PROC_FORK, child);
    if (!r)
        return;
    if (!child && CFG(CFG_NS_INO)) {
        count_lost(LOST_TREE);
        return;
    }
    struct wire_proc *h = &r->head;
    h->flags = flags;
    h->was = h->tid;
    if (!(flags & CLONE_PARENT))
        h->ppid = h->pid;
    h->tid = tid;
    if (child && CFG(CFG_BTF)) {
        h->tid = CFG(CFG_NS_INO) ? r->nr[ID_CHILD] : (u32)READ(child, pid);
        h->ns_pid = nr_inside(READ(child, thread_pid));
    } else {
        h->ns_pid = 0;
        h->start_ns = 0;
    }
    if (flags & CLONE_THREAD)
        h->ns_pid = 0;
    else
        h->pid = h->tid;
    if (h->tid)
        emit(h, sizeof *h);
}

SEC("both/task/task_newtask")
int proc_fork(struct raw_tp *ctx)
{
    struct trace_event_raw_task_newtask *record = (void *)ctx;
    struct task_struct *child;
    u64 flags;
    u32 tid = 0;
    if (CFG(CFG_RAW)) {
        child = (void *)KEPT(ctx->arg[0]);
        flags = KEPT(ctx->arg[1]);
    } else {
        tid = KEPT((u32)record->pid);
        flags = KEPT((u64)record->clone_flags);
        child = CFG(CFG_BTF) ? find_child(tid, flags) : 0;
    }
    forked(child, tid, flags);
    return 0;
}

/* --- proc_nest: work that needs several runs of a BPF program --- */

enum { EXE_END = PROC_NAME_MAX + PROC_DIR_MAX, CWD_END = EXE_END + PROC_PART_MAX + PROC_DIR_MAX };

/* Continues with proc_nest. Hides from the verifier that the index is always 0: for a constant index, the
 * kernel patches this program when kvis sets that element of the map. */
INLINE void go_on(void *ctx, const struct record *r)
{
    bpf_tail_call(ctx, &proc_nested, *(volatile const u32 *)&r->step >> 31);
}

/* Sends a record that ends with the program's name. The name has n bytes in r->data; if n <= 0, it is
 * unknown. */
INLINE void put_named(struct record *r, u32 kind, u32 args, long n)
{
    struct wire_proc *h = &r->head;
    h->kind = kind;
    h->arg_len = args;
    if (n <= 0 || n > PROC_NAME_MAX)
        n = 1;
    h->name_len = (u16)(n - 1);
    emit(r, sizeof *h + (u32)n - 1);
}

/* --- paths --- */

/* Appends a name with its NUL. Returns false if data is full or the name exceeds PROC_PART_MAX. */
INLINE bool put_part(struct record *r, const u8 *name)
{
    u64 at = *(volatile u32 *)&r->at;
    if (at > CWD_END || at > *(volatile u32 *)&r->part_end)
        return 0;
    long n = bpf_probe_read_kernel_str(r->data + at, PROC_PART_MAX, name);
    if (n <= 0 || n >= PROC_PART_MAX)
        return 0;
    r->at = (u32)at + (u32)n;
    return 1;
}

INLINE void begin_path(struct record *r, struct path *p, u32 step)
{
    struct wire_proc *h = &r->head;
    *(step == STEP_EXE ? &h->exe_state : &h->cwd_state) = WALK_DONE | WALK_CUT;
    r->step = step;
    r->mount = READ(p, mnt);
    r->dentry = READ(p, dentry);
    r->begun = *(volatile u32 *)&r->at;
    r->part_end = step == STEP_EXE ? EXE_END : CWD_END;
    r->left = PROC_PATH_DEPTH / WALK_STEPS;
}

/* Appends the next components of a path, last component first. Goes up at most WALK_STEPS parent directories
 * and mount points, and not beyond the caller's root directory. Returns bits of enum wire_walk; 0: the path
 * goes on. */
INLINE u8 put_path(struct record *r, struct fs_struct *fs)
{
    struct vfsmount *vfs = r->mount, *root_vfs = READ(fs, root.mnt);
    struct dentry *d = r->dentry, *root = READ(fs, root.dentry);
#pragma clang loop unroll(disable)
    for (int i = 0; i < WALK_STEPS; i++) {
        if (d == root && vfs == root_vfs)
            return WALK_DONE;
        struct dentry *up = READ(d, d_parent), *top = READ(vfs, mnt_root);
        if (d != top) {
            if (!put_part(r, READ(d, d_name.name)))
                return WALK_DONE | WALK_CUT;
            if (d == up) /* a file without a directory, such as a file of memfd_create(2) */
                return WALK_DONE | WALK_OUT;
            d = up;
            continue;
        }
        struct mount *m = (void *)vfs - OFFSET(struct mount, mnt);
        struct mount *over = READ(m, mnt_parent);
        if (m == over)
            return WALK_DONE | WALK_OUT;
        d = READ(m, mnt_mountpoint);
        vfs = (void *)over + OFFSET(struct mount, mnt);
    }
    r->mount = vfs;
    r->dentry = d;
    r->left--;
    return *(volatile u32 *)&r->left ? 0 : WALK_DONE | WALK_CUT;
}

/* Appends the next components of the path of the executable file or of the working directory. Returns whether
 * both paths are complete. */
INLINE bool put_paths(struct record *r)
{
    struct wire_proc *h = &r->head;
    struct task_struct *t = (void *)bpf_get_current_task();
    struct fs_struct *fs = READ(t, fs);
    u8 state = put_path(r, fs);
    if (!state)
        return 0;
    u32 len = *(volatile u32 *)&r->at - *(volatile u32 *)&r->begun;
    if (*(volatile u32 *)&r->step == STEP_EXE) {
        h->exe_state = state;
        h->exe_len = (u16)len;
        begin_path(r, &fs->pwd, STEP_CWD);
        return 0;
    }
    h->cwd_state = state;
    h->cwd_len = (u16)len;
    return 1;
}

/* --- exec --- */

/* Begins the record of an exec, which follows the records of its arguments. */
INLINE void begin_exec(struct record *r)
{
    struct wire_proc *h = &r->head;
    struct task_struct *t = (void *)bpf_get_current_task();
    h->kind = PROC_EXEC;
    h->at = 0;
    h->arg_len = r->args;
    long n = bpf_probe_read_kernel_str(r->data, PROC_NAME_MAX, (void *)r->name);
    r->at = 0;
    if (n > 0 && n <= PROC_NAME_MAX) {
        h->name_len = (u16)(n - 1);
        r->at = (u32)n - 1;
    }
    struct mm_struct *mm = READ(t, mm);
    struct file *exe = READ(mm, exe_file);
    struct fs_struct *fs = READ(t, fs);
    if (exe)
        begin_path(r, &exe->f_path, STEP_EXE);
    else
        begin_path(r, &fs->pwd, STEP_CWD);
}

INLINE void begin_strings(struct record *r, u32 step, u64 from, u64 end)
{
    r->step = step;
    r->from = from;
    r->end = end;
    r->left = PROC_PIECES;
    r->head.kind = step == STEP_ENV ? PROC_ENV : PROC_ARGS;
    r->head.at = 0;
}

/* Sends the next piece of the arguments or of the environment, unless it cannot be read. */
INLINE void put_piece(struct record *r)
{
    struct wire_proc *h = &r->head;
    u64 from = *(volatile u64 *)&r->from, size = *(volatile u64 *)&r->end - from;
    if (from < r->end && *(volatile u32 *)&r->left) {
        asm volatile("" : "+r"(size)); /* the verifier needs the bounds check on this register */
        if (size > PROC_PIECE)
            size = PROC_PIECE;
        if (!bpf_probe_read_user(r->data, size, (void *)from)) {
            h->arg_len = (u32)size;
            emit(r, sizeof *h + size);
        }
        h->at += (u32)size;
        r->from = from + size;
        r->left--;
    } else if (CFG(CFG_ENV) && *(volatile u32 *)&r->step == STEP_ARGS) {
        struct task_struct *t = (void *)bpf_get_current_task();
        struct mm_struct *mm = READ(t, mm);
        begin_strings(r, STEP_ENV, READ(mm, env_start), READ(mm, env_end));
    } else {
        begin_exec(r);
    }
}

INLINE void send_exec(struct record *r)
{
    u64 at = *(volatile u32 *)&r->at;
    if (at <= sizeof r->data)
        emit(r, sizeof r->head + at);
}

/* Records an exec. name: the program's name, in kernel memory. was: tid before the exec. In an exec, a thread
 * other than the leader gets the leader's tid. */
INLINE void exec(void *ctx, const void *name, u32 was)
{
    if (!followed((u32)bpf_get_current_pid_tgid()) && !followed(was))
        return;
    struct record *r = new_record(SLOT_NEST, PROC_EXEC, 0);
    if (!r)
        return;
    struct wire_proc *h = &r->head;
    u64 key = (bpf_get_current_pid_tgid() >> 32 << 32) | was;
    struct task_struct *t = (void *)bpf_get_current_task();
    if (CFG(CFG_FAILED) || CFG(CFG_ARGV))
        bpf_map_delete_elem(&execing, &key);
    h->was = CFG(CFG_NS_INO) ? 0 : was; /* `was` is a tid of the initial pid namespace */
    r->name = (u64)name;
    r->args = 0;
    if (CFG(CFG_BTF)) {
        put_usage(h, t);
        struct signal_struct *s = READ(t, signal);
        h->max_rss = READ(s, maxrss);
        struct mm_struct *mm = READ(t, mm);
        u64 from = READ(mm, arg_start), end = READ(mm, arg_end);
        r->args = end > from ? (u32)(end - from) : 0;
        begin_strings(r, STEP_ARGS, from, end);
        go_on(ctx, r);
    }
    put_named(r, PROC_EXEC, r->args, bpf_probe_read_kernel_str(r->data, PROC_NAME_MAX, name));
}

SEC("both/sched/sched_process_exec")
int proc_exec(struct raw_tp *ctx)
{
    struct trace_event_raw_sched_process_exec *record = (void *)ctx;
    const char *name;
    u32 was;
    if (CFG(CFG_RAW)) {
        struct linux_binprm *bprm = (void *)ctx->arg[2];
        name = READ(bprm, filename);
        was = (u32)KEPT(ctx->arg[1]);
    } else { /* the low half of __data_loc is the string's offset */
        name = KEPT((char *)ctx + (record->filename & 0xffff));
        was = KEPT((u32)record->old_pid);
    }
    exec(ctx, name, was);
    return 0;
}

/* --- exit --- */

enum { MM_FILEPAGES, MM_ANONPAGES, MM_SHMEMPAGES = 3 }; /* include/linux/mm_types_task.h */

/* Returns the resident pages of one kind, except per-CPU counts that the kernel has not yet added. */
#define PAGES(mm, kind) ({                       \
    s64 pages_ = READ(mm, rss_stat[kind].count); \
    pages_ > 0 ? (u64)pages_ : 0;                \
})

/* Returns the peak resident pages of an exiting process since its last exec; 0: unknown. Before
 * Linux 6.16, the memory is already released, because exit_mm() runs before the tracepoint. */
INLINE u64 own_peak(struct mm_struct *mm)
{
    if (!mm || !EXISTS(mm, rss_stat[MM_FILEPAGES].count))
        return 0;
    u64 now = PAGES(mm, MM_FILEPAGES) + PAGES(mm, MM_ANONPAGES) + PAGES(mm, MM_SHMEMPAGES);
    u64 peak = READ(mm, hiwater_rss);
    return now > peak ? now : peak;
}

/* Returns the wait status of a process, as wait_task_zombie() does. */
INLINE s32 status_of(struct task_struct *t, struct signal_struct *s)
{
    struct task_struct *leader = READ(t, group_leader);
    return READ(s, flags) & SIGNAL_GROUP_EXIT ? READ(s, group_exit_code) : READ(leader, exit_code);
}

SEC("both/sched/sched_process_exit")
int proc_exit(void *ctx)
{
    u64 id = bpf_get_current_pid_tgid();
    (void)ctx;
    if (CFG(CFG_FAILED) || CFG(CFG_ARGV))
        bpf_map_delete_elem(&execing, &id);
    u64 tid = (u32)id;
    if (!followed(tid))
        return 0;
    if (CFG(CFG_FOLLOWED))
        bpf_map_delete_elem(&traced, &tid);
    struct record *r = new_record(SLOT_EXIT, PROC_EXIT, 0);
    if (!r)
        return 0;
    struct wire_proc *h = &r->head;
    if (CFG(CFG_BTF)) {
        struct task_struct *t = (void *)bpf_get_current_task();
        struct signal_struct *s = READ(t, signal);
        h->live = (u32)READ(s, live.counter);
        h->ret = status_of(t, s);
        h->max_rss = READ(s, maxrss);
        h->own_rss = own_peak(READ(t, mm));
        put_usage(h, t);
    }
    emit(h, sizeof *h);
    return 0;
}

/* --- the entry and exit of execve --- */

/* Returns 1 for execve, 2 for execveat, and 0 for other calls. */
INLINE u32 which(u32 nr, bool compat)
{
    if (compat)
        return nr == CFG(CFG_EXECVE32) ? 1 : nr == CFG(CFG_EXECVEAT32) ? 2 : 0;
    return nr == CFG(CFG_EXECVE) ? 1 : nr == CFG(CFG_EXECVEAT) ? 2 : 0;
}

/* Lets proc_nest write the strings of an argv to a record and, unless `kind` is PROC_ARGS, the program's name
 * to a record of that kind. If an execve fails early, the kernel has not read the strings; strings whose
 * pages are not resident are then missing from the record. */
INLINE void begin_argv(struct record *r, u64 argv, bool compat, u32 kind, const void *name)
{
    struct wire_proc *h = &r->head;
    h->kind = PROC_ARGS;
    h->at = 0;
    h->flags = argv ? ARGS_MORE : 0; /* put_argv clears this flag at the end of argv */
    r->at = 0;
    r->argv = argv;
    r->argv_step = compat ? 4 : 8;
    r->left = PROC_POINTERS;
    r->kind = kind;
    r->name = (u64)name;
    r->step = STEP_ARGV;
}

/* Appends the next strings of an argv, each with its NUL. Returns true at
 * the end of argv, or if no more strings can be copied. */
INLINE bool put_argv(struct record *r)
{
    struct wire_proc *h = &r->head;
#pragma clang loop unroll(disable)
    for (u32 i = 0; i < ARGV_STEPS; i++) {
        u64 p = 0, from = *(volatile u64 *)&r->argv, step = *(volatile u32 *)&r->argv_step & 12;
        u64 at = *(volatile u32 *)&r->at;
        asm volatile("" : "+r"(step));
        r->argv = from + step;
        if (!bpf_probe_read_user(&p, (step >> 1 & 4) + 4, (void *)from) && !p) {
            h->flags &= ARGS_CUT;
            return 1;
        }
        if (!p || at > EXE_END || !*(volatile u32 *)&r->left)
            return 1;
        r->left--;
        r->data[at] = 0; /* on older kernels, the helper returns 0 for an empty string and writes no NUL */
        long n = bpf_probe_read_user_str(r->data + at, PROC_STRING, (void *)p);
        if (n < 0)
            return 1;
        n += (u64)(n - 1) >> 63; /* an empty string takes one byte, for its NUL */
        h->flags |= (u64)n / PROC_STRING * ARGS_CUT; /* buffer full: the string is truncated, or just fits */
        r->at = (u32)at + (u32)n;
    }
    return 0;
}

INLINE void send_argv(struct record *r)
{
    u64 len = *(volatile u32 *)&r->at;
    long n = -1;
    r->head.arg_len = (u32)len;
    if (len <= sizeof r->data)
        emit(r, sizeof r->head + len);
    u32 kind = *(volatile u32 *)&r->kind;
    if (kind == PROC_BEGUN)
        n = bpf_probe_read_kernel_str(r->data, PROC_NAME_MAX, (void *)r->name);
    else if (kind == PROC_FAIL)
        n = bpf_probe_read_user_str(r->data, PROC_NAME_MAX, (void *)r->name);
    if (kind != PROC_ARGS)
        put_named(r, kind, (u32)len, n);
}

/* Does one step of a long record in each of a chain of tail calls. A single run for all steps would cost the
 * verifier 6 ms (Linux 6.18). The kernel limits a chain to 32 or 33 tail calls; a record that needs more is
 * incomplete. */
SEC("both/raw_syscalls/sys_exit")
int proc_nest(void *ctx)
{
    u64 slot = SLOT_NEST;
    struct record *r = bpf_map_lookup_elem(&proc_scratch, &slot);
    if (!r)
        return 0;
    bool over = 0;
    u32 step = *(volatile u32 *)&r->step;
    if (step == STEP_ARGV)
        over = put_argv(r);
    else if (CFG(CFG_BTF) && step >= STEP_EXE)
        over = put_paths(r);
    else if (CFG(CFG_BTF))
        put_piece(r);
    if (!over)
        go_on(ctx, r);
    if (*(volatile u32 *)&r->step == STEP_ARGV)
        send_argv(r);
    else
        send_exec(r);
    return 0;
}

INLINE void called(void *ctx, u32 what, const u64 a[3], bool compat)
{
    struct wire_execing e = { 0 };
    u64 id = bpf_get_current_pid_tgid();
    e.name = what == 1 ? a[0] : a[1];
    e.argv = what == 1 ? a[1] : a[2];
    e.compat = compat;
    if (bpf_map_update_elem(&execing, &id, &e, 0))
        count_lost(LOST_INFLIGHT);
    if (!CFG(CFG_ARGV))
        return;
    struct record *r = new_record(SLOT_NEST, PROC_ARGS, 0);
    if (!r)
        return;
    begin_argv(r, e.argv, compat, PROC_ARGS, 0);
    go_on(ctx, r);
}

INLINE u64 arg(u64 regs, u64 offset)
{
    u64 v = 0;
    bpf_probe_read_kernel(&v, sizeof v, (void *)(regs + offset));
    return v;
}

INLINE void args_of_regs(u64 a[3], u64 regs, bool compat)
{
    if (compat) {
        a[0] = (u32)arg(regs, CFG(CFG_B0)), a[1] = (u32)arg(regs, CFG(CFG_B1));
        a[2] = (u32)arg(regs, CFG(CFG_B2));
    } else {
        a[0] = arg(regs, CFG(CFG_A0)), a[1] = arg(regs, CFG(CFG_A1));
        a[2] = arg(regs, CFG(CFG_A2));
    }
}

/* Reads the arguments from the record of the classic tracepoint, in which the arguments of 32-bit calls are
 * already in the usual order. */
INLINE void args_of_record(u64 a[3], struct trace_event_raw_sys_enter *ctx, bool compat)
{
    u64 mask = compat ? (u32)~0 : ~0ULL;
    a[0] = ctx->args[0] & mask, a[1] = ctx->args[1] & mask, a[2] = ctx->args[2] & mask;
}

SEC("both/raw_syscalls/sys_enter")
int proc_call(struct raw_tp *ctx)
{
    struct trace_event_raw_sys_enter *record = (void *)ctx;
    u64 a[3], nr;
    if (CFG(CFG_RAW))
        nr = KEPT(ctx->arg[1]);
    else
        nr = KEPT((u64)record->id);
    bool compat = is_compat();
    u32 what = which((u32)nr, compat);
    if (!what)
        return 0;
    if (CFG(CFG_RAW))
        args_of_regs(a, ctx->arg[0], compat);
    else
        args_of_record(a, record, compat);
    called(ctx, what, a, compat);
    return 0;
}

/* Handles the return of execve. The entry of a successful execve is already deleted. An entry is stale if the
 * return of the call that created it was missed, for example because kvis attached in between. */
INLINE void returned(void *ctx, u32 nr, s32 ret)
{
    u64 id = bpf_get_current_pid_tgid();
    struct wire_execing *e = bpf_map_lookup_elem(&execing, &id);
    if (!e)
        return;
    struct wire_execing was = *e;
    bpf_map_delete_elem(&execing, &id);
    if (!CFG(CFG_FAILED) || ret >= 0 || ret <= -ERESTARTSYS || !which(nr, was.compat))
        return;
    struct record *r = new_record(SLOT_NEST, PROC_FAIL, 0);
    if (!r)
        return;
    r->head.ret = ret;
    begin_argv(r, was.argv, was.compat, PROC_FAIL, (void *)was.name);
    go_on(ctx, r);
}

SEC("both/raw_syscalls/sys_exit")
int proc_return(struct raw_tp *ctx)
{
    struct trace_event_raw_sys_exit *record = (void *)ctx;
    u64 nr;
    s64 ret;
    if (CFG(CFG_RAW)) {
        nr = arg(ctx->arg[0], CFG(CFG_NR));
        ret = (s64)KEPT(ctx->arg[1]);
    } else {
        nr = KEPT((u64)record->id);
        ret = KEPT((s64)record->ret);
    }
    returned(ctx, (u32)nr, (s32)ret); /* a 32-bit call sets only 32 bits of ret (arm64 before Linux 5.14) */
    return 0;
}

/* --- an execve that passes its point of no return --- */

/* Records an execve that has passed its point of no return: the execve succeeds, or ends the process. The
 * return of this execve is therefore not recorded. name: the program's name, in kernel memory. */
INLINE void begun(void *ctx, const void *name)
{
    u64 id = bpf_get_current_pid_tgid();
    if (!followed((u32)id))
        return;
    if (CFG(CFG_FAILED))
        bpf_map_delete_elem(&execing, &id);
    struct record *r = new_record(SLOT_NEST, PROC_BEGUN, 0);
    if (!r)
        return;
    struct wire_proc *h = &r->head;
    struct task_struct *t = (void *)bpf_get_current_task();
    struct signal_struct *s = READ(t, signal);
    put_usage(h, t);
    h->max_rss = READ(s, maxrss);
    u64 regs = bpf_task_pt_regs(bpf_get_current_task_btf()), a[3];
    bool compat = is_compat();
    u32 what = which((u32)arg(regs, CFG(CFG_NR)), compat);
    args_of_regs(a, regs, compat);
    begin_argv(r, what == 1 ? a[1] : what ? a[2] : 0, compat, PROC_BEGUN, name);
    go_on(ctx, r);
}

SEC("both/sched/sched_prepare_exec") /* since Linux 6.10 */
int proc_begun(struct raw_tp *ctx)
{
    struct trace_event_raw_sched_prepare_exec *record = (void *)ctx;
    const char *name;
    if (CFG(CFG_RAW)) {
        struct linux_binprm *bprm = (void *)ctx->arg[1];
        name = READ(bprm, filename);
    } else { /* the low half of __data_loc is the string's offset */
        name = KEPT((char *)ctx + (record->filename & 0xffff));
    }
    begun(ctx, name);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
