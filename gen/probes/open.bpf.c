// SPDX-License-Identifier: MIT OR GPL-2.0
/* open: BPF programs that write one record for each call that opens a file, when the call returns.
 *
 * Raw tracepoints are the cheapest, need no tracefs, and see the calls of every ABI. Since Linux 6.19, BPF
 * programs of raw tracepoints can be preempted. The kernel does not run a BPF program recursively, so
 * events of the preempting task would be lost. On these kernels, kvis uses classic tracepoints, whose BPF
 * programs run with preemption disabled. The arguments of an open are stored at the entry of the call. The
 * record is written at the exit, when the pages of the file name are resident, because the kernel has just
 * read it. Filters are constants: the verifier removes the code of filters that are not in use. */
#include "probe.h"

/* Offsets of the arguments of 64-bit (CFG_A*) and 32-bit (CFG_B*) calls in
 * struct pt_regs, whose layout is part of the ABI (ptrace(2)) and needs no BTF. */
extern char CFG_A0, CFG_A1, CFG_A2, CFG_A3, CFG_B0, CFG_B1, CFG_B2, CFG_B3;
/* Offset of the system call number in struct pt_regs. */
extern char CFG_NR;
/* System call numbers; -1: the architecture does not have the call. */
extern char CFG_OPEN, CFG_OPENAT, CFG_OPENAT2, CFG_CREAT, CFG_HANDLE;
extern char CFG_OPEN32, CFG_OPENAT32, CFG_OPENAT232, CFG_CREAT32, CFG_HANDLE32;
/* Mask that removes the x32 bit from a system call number. */
extern char CFG_NR_MASK;
/* Filters; a filter with value 0 is off. CFG_UID is the uid plus 1. CFG_ACC has one bit per access mode. */
extern char CFG_PID, CFG_TID, CFG_UID, CFG_SELF, CFG_FAILED, CFG_TREE, CFG_FLAGS, CFG_ACC;
/* The string that comm must contain: 16 bytes as two words, and a mask of the bytes that the string uses. */
extern char CFG_COMM0, CFG_COMM1, CFG_MASK0, CFG_MASK1;
/* CFG_NS_INO and CFG_NS_DEV: inode number of kvis's pid namespace (0: the initial one), and its device,
 * for the helper that looks up pids. CFG_NS_WALK 1: the BPF program reads pids from struct pid instead. */
extern char CFG_NS_INO, CFG_NS_DEV, CFG_NS_WALK;
/* CFG_DIR 1: records have the directories of relative names. CFG_EXEC 1: execs are recorded, too. CFG_MAGIC:
 * the pointer that a child of kvis passes as a file name to ask kvis to follow the child. */
extern char CFG_DIR, CFG_EXEC, CFG_MAGIC;

#define AT_FDCWD (-100)
#define BITS_CREAT 01101 /* O_WRONLY|O_CREAT|O_TRUNC, the flags of creat(2) on all architectures */

struct map_def opening SEC("maps") = { MAP_HASH, 8, sizeof(struct wire_opening), 8192, 0 };
struct map_def tree SEC("maps") = { MAP_HASH, 4, 4, 16384, 0 };

/* A record under construction; it is too large for the stack. Each BPF
 * program has its own slot, because one BPF program may interrupt another. */
struct record {
    struct wire_open head;
    char data[OPEN_NAME_MAX + OPEN_DIR_MAX + OPEN_PART_MAX];
    u32 at; /* end of data; in memory, because the verifier would track each possible value of a register in
             * each iteration of put_dir's loop */
};
struct map_def scratch SEC("maps") = { MAP_PERCPU_ARRAY, 4, sizeof(struct record), 2, 0 };

/* --- the kernel's structures: only the members that are used --- */

struct ns_common { u32 inum; } KERNEL;
struct pid_namespace { struct ns_common ns; } KERNEL;
struct upid { int nr; struct pid_namespace *ns; } KERNEL;
struct pid { u32 level; struct upid numbers[1]; } KERNEL;
struct qstr { const u8 *name; } KERNEL;
struct dentry { struct dentry *d_parent; struct qstr d_name; } KERNEL;
struct vfsmount { struct dentry *mnt_root; } KERNEL;
struct mount { struct mount *mnt_parent; struct dentry *mnt_mountpoint; struct vfsmount mnt; } KERNEL;
struct path { struct vfsmount *mnt; struct dentry *dentry; } KERNEL;
struct file { struct path f_path; } KERNEL;
struct fdtable { u32 max_fds; struct file **fd; } KERNEL;
struct files_struct { struct fdtable *fdt; } KERNEL;
struct fs_struct { struct path root, pwd; } KERNEL;
struct linux_binprm { const char *filename; } KERNEL;
struct task_struct {
    int pid;
    struct task_struct *group_leader;
    struct pid *thread_pid;
    struct fs_struct *fs;
    struct files_struct *files;
} KERNEL;
struct trace_event_raw_sys_enter { long id; u64 args[6]; } KERNEL;
struct trace_event_raw_sys_exit { long id, ret; } KERNEL;
struct trace_event_raw_sched_process_exec { u32 filename; int old_pid; } KERNEL;
struct trace_event_raw_sched_process_fork { int child_pid; } KERNEL;

/* --- who --- */

struct who { u32 pid, tid; };

/* Returns the number of a struct pid in kvis's pid namespace, or 0 if struct pid has no number there. */
INLINE u32 nr_here(struct pid *pid)
{
    u32 level = READ(pid, level);
    for (u32 i = 0; i < 32 && i <= level; i++) { /* 32: MAX_PID_NS_LEVEL */
        struct upid *up = (void *)&pid->numbers + i * 16; /* 16: size of struct upid on 64 bits */
        struct pid_namespace *ns = READ(up, ns);
        if (READ(ns, ns.inum) == CFG(CFG_NS_INO))
            return (u32)READ(up, nr);
    }
    return 0;
}

/* Stores the caller's ids in kvis's pid namespace. Returns false if the caller has no ids there. */
INLINE bool who_is_it(struct who *w)
{
    u64 id = bpf_get_current_pid_tgid();
    w->pid = (u32)(id >> 32);
    w->tid = (u32)id;
    if (CFG(CFG_NS_INO) == 0)
        return 1;
    if (CFG(CFG_NS_WALK)) {
        struct task_struct *t = (void *)bpf_get_current_task();
        struct task_struct *leader = READ(t, group_leader);
        w->tid = nr_here(READ(t, thread_pid));
        w->pid = nr_here(READ(leader, thread_pid));
        return w->pid && w->tid;
    }
    struct { u32 pid, tgid; } in = { 0, 0 };
    if (bpf_get_ns_current_pid_tgid(CFG(CFG_NS_DEV), CFG(CFG_NS_INO), &in, sizeof in))
        return 0;
    w->pid = in.tgid;
    w->tid = in.pid;
    return 1;
}

/* Returns whether comm contains the string of the filter. The
 * bytes after comm's NUL are 0 and therefore never match. */
INLINE bool comm_matches(void)
{
    u64 c[2] = { 0, 0 }, m0 = CFG(CFG_MASK0), m1 = CFG(CFG_MASK1);
    bpf_get_current_comm(c, sizeof c);
    u64 lo = c[0], hi = c[1];
#pragma clang loop unroll(disable)
    for (int i = 0; i < 16; i++) {
        if ((lo & m0) == CFG(CFG_COMM0) && (hi & m1) == CFG(CFG_COMM1))
            return 1;
        lo = lo >> 8 | hi << 56;
        hi >>= 8;
    }
    return 0;
}

/* Returns whether the caller passes the filters that depend only on the caller. */
INLINE bool wanted(const struct who *w)
{
    u32 tid = (u32)bpf_get_current_pid_tgid();
    if (CFG(CFG_TREE) && !bpf_map_lookup_elem(&tree, &tid))
        return 0;
    if (CFG(CFG_PID) && w->pid != CFG(CFG_PID))
        return 0;
    if (CFG(CFG_TID) && w->tid != CFG(CFG_TID))
        return 0;
    if (CFG(CFG_SELF) && w->pid == CFG(CFG_SELF))
        return 0;
    if (CFG(CFG_UID) && (u64)(u32)bpf_get_current_uid_gid() + 1 != CFG(CFG_UID))
        return 0;
    return !CFG(CFG_MASK0) || comm_matches();
}

/* Returns whether the flags of an open pass the filter -f: a flag of the filter is set, or the access mode
 * matches. */
INLINE bool flags_wanted(u64 flags)
{
    if (!CFG(CFG_FLAGS) && !CFG(CFG_ACC))
        return 1;
    return (flags & CFG(CFG_FLAGS)) || (CFG(CFG_ACC) >> (flags & 3) & 1);
}

/* --- the entry --- */

INLINE u64 arg(void *regs, u64 offset)
{
    u64 v = 0;
    bpf_probe_read_kernel(&v, sizeof v, regs + offset);
    return v;
}

/* Returns the enum wire_open_call of a system call number,
 * or N_OPEN_CALLS. 32-bit calls have no x32 bit. */
INLINE u32 which(u64 nr, bool compat)
{
    if (compat)
        return nr == CFG(CFG_OPENAT32)    ? OPEN_OPENAT
               : nr == CFG(CFG_OPEN32)    ? OPEN_OPEN
               : nr == CFG(CFG_OPENAT232) ? OPEN_OPENAT2
               : nr == CFG(CFG_CREAT32)   ? OPEN_CREAT
               : nr == CFG(CFG_HANDLE32)  ? OPEN_HANDLE
                                          : N_OPEN_CALLS;
    nr &= CFG(CFG_NR_MASK);
    return nr == CFG(CFG_OPENAT)    ? OPEN_OPENAT
           : nr == CFG(CFG_OPEN)    ? OPEN_OPEN
           : nr == CFG(CFG_OPENAT2) ? OPEN_OPENAT2
           : nr == CFG(CFG_CREAT)   ? OPEN_CREAT
           : nr == CFG(CFG_HANDLE)  ? OPEN_HANDLE
                                    : N_OPEN_CALLS;
}

/* Reads the first bytes of a file name into head, which is already zeroed. */
INLINE void name_head(u64 *head, u64 name)
{
    bpf_probe_read_user_str(head, OPEN_HEAD, (void *)name);
}

INLINE void set_args(struct wire_opening *o, const u64 *a)
{
    o->dirfd = AT_FDCWD;
    if (o->call == OPEN_OPEN) {
        o->name = a[0], o->flags = (u32)a[1], o->mode = (u32)a[2];
    } else if (o->call == OPEN_CREAT) {
        o->name = a[0], o->flags = BITS_CREAT, o->mode = (u32)a[1];
    } else if (o->call == OPEN_HANDLE) {
        o->dirfd = (s32)a[0], o->flags = (u32)a[2];
    } else {
        o->dirfd = (s32)a[0], o->name = a[1];
        if (o->call == OPEN_OPENAT2)
            o->how = a[2];
        else
            o->flags = (u32)a[2], o->mode = (u32)a[3];
    }
}

INLINE void entered(struct wire_opening *o, const u64 *a)
{
    struct who w;
    u64 id = bpf_get_current_pid_tgid();
    u32 tid = (u32)id;
    set_args(o, a);
    if (CFG(CFG_MAGIC) && o->name == CFG(CFG_MAGIC)) {
        if (bpf_map_update_elem(&tree, &tid, &tid, 0))
            count_lost(LOST_TREE);
        return;
    }
    if (!who_is_it(&w) || !wanted(&w))
        return;
    if (o->call != OPEN_OPENAT2 && !flags_wanted(o->flags)) {
        bpf_map_delete_elem(&opening, &id); /* an earlier open whose exit was missed may have left an entry */
        return;
    }
    o->pid = w.pid;
    o->tid = w.tid;
    if (o->name)
        name_head(o->head, o->name);
    o->ts_ns = bpf_ktime_get_ns();
    if (bpf_map_update_elem(&opening, &id, o, 0))
        count_lost(LOST_INFLIGHT);
}

INLINE void args_of_regs(u64 a[4], void *regs, bool compat)
{
    if (compat) {
        a[0] = (u32)arg(regs, CFG(CFG_B0)), a[1] = (u32)arg(regs, CFG(CFG_B1));
        a[2] = (u32)arg(regs, CFG(CFG_B2)), a[3] = (u32)arg(regs, CFG(CFG_B3));
    } else {
        a[0] = arg(regs, CFG(CFG_A0)), a[1] = arg(regs, CFG(CFG_A1));
        a[2] = arg(regs, CFG(CFG_A2)), a[3] = arg(regs, CFG(CFG_A3));
    }
}

/* Reads the arguments from the record of the classic tracepoint, in which the arguments of 32-bit calls are
 * already in the usual order. */
INLINE void args_of_record(u64 a[4], struct trace_event_raw_sys_enter *ctx, bool compat)
{
    u64 mask = compat ? (u32)~0 : ~0ULL;
    a[0] = ctx->args[0] & mask, a[1] = ctx->args[1] & mask;
    a[2] = ctx->args[2] & mask, a[3] = ctx->args[3] & mask;
}

SEC("both/raw_syscalls/sys_enter")
int open_enter(struct raw_tp *ctx)
{
    struct wire_opening o = { 0 };
    struct trace_event_raw_sys_enter *record = (void *)ctx;
    u64 a[4], nr;
    if (CFG(CFG_RAW))
        nr = KEPT(ctx->arg[1]);
    else
        nr = KEPT((u64)record->id);
    bool compat = is_compat();
    u32 call = which(nr, compat);
    if (call == N_OPEN_CALLS)
        return 0;
    o.call = (u8)call;
    if (compat)
        o.state = OPEN_COMPAT;
    if (CFG(CFG_RAW))
        args_of_regs(a, (void *)ctx->arg[0], compat);
    else
        args_of_record(a, record, compat);
    entered(&o, a);
    return 0;
}

/* --- the exit --- */

INLINE struct file *file_of(struct task_struct *t, s32 fd)
{
    struct file *f = 0;
    struct files_struct *files = READ(t, files);
    struct fdtable *fdt = READ(files, fdt);
    if (fd < 0 || (u32)fd >= READ(fdt, max_fds))
        return 0;
    bpf_probe_read_kernel(&f, sizeof f, READ(fdt, fd) + fd);
    return f;
}

/* Appends a name with its NUL. Returns false if data is full or the name exceeds OPEN_PART_MAX. */
INLINE bool put_part(struct record *r, const u8 *name)
{
    u32 at = *(volatile u32 *)&r->at;
    if (at > OPEN_NAME_MAX + OPEN_DIR_MAX)
        return 0;
    long n = bpf_probe_read_kernel_str(r->data + at, OPEN_PART_MAX, name);
    if (n <= 0 || n >= OPEN_PART_MAX)
        return 0;
    r->at = at + (u32)n;
    return 1;
}

/* Appends the components of a path, last component first, by walking up through
 * parent directories and mount points to the caller's root directory. */
INLINE void put_dir(struct record *r, struct vfsmount *vfs, struct dentry *d,
                    struct vfsmount *root_vfs, struct dentry *root)
{
#pragma clang loop unroll(disable)
    for (int i = 0; i <= OPEN_DEPTH; i++) { /* the last pass only checks whether the root is reached */
        if (d == root && vfs == root_vfs)
            return;
        struct dentry *up = READ(d, d_parent), *top = READ(vfs, mnt_root);
        if (d != top && d != up) {
            if (!put_part(r, READ(d, d_name.name)))
                break;
            d = up;
            continue;
        }
        struct mount *m = (void *)vfs - OFFSET(struct mount, mnt);
        struct mount *over = READ(m, mnt_parent);
        if (m == over || d != top) { /* the walk ended at the top mount, or at a disconnected dentry */
            r->head.state |= OPEN_DIR_OUT;
            return;
        }
        d = READ(m, mnt_mountpoint);
        vfs = (void *)over + OFFSET(struct mount, mnt);
    }
    r->head.state |= OPEN_DIR_CUT;
}

/* Appends the directory of a relative name, or the path of a file that was opened by handle. */
INLINE void put_base(struct record *r, s32 fd)
{
    struct task_struct *t = (void *)bpf_get_current_task();
    struct fs_struct *fs = READ(t, fs);
    struct path *p = &fs->pwd;
    if (fd != AT_FDCWD) {
        struct file *f = file_of(t, fd);
        if (!f)
            return;
        p = &f->f_path;
    }
    r->head.state |= OPEN_DIR;
    put_dir(r, READ(p, mnt), READ(p, dentry), READ(fs, root.mnt), READ(fs, root.dentry));
}

INLINE void send(struct record *r, u32 len)
{
    struct wire_open *h = &r->head;
    bool handle = h->call == OPEN_HANDLE;
    h->name_len = (u16)len;
    r->at = len;
    bool from_dir = r->data[0] != '/' || h->state & OPEN_IN_ROOT;
    if (CFG(CFG_DIR) && (handle ? h->ret >= 0 : from_dir))
        put_base(r, handle ? h->ret : h->dirfd);
    u32 at = *(volatile u32 *)&r->at;
    if (at - len > OPEN_DIR_MAX)
        h->state |= OPEN_DIR_CUT;
    h->dir_len = (u16)(at - len);
    h->uid = (u32)bpf_get_current_uid_gid();
    bpf_get_current_comm(h->comm, sizeof h->comm);
    if (at <= sizeof r->data)
        emit(r, sizeof *h + at);
}

#define RESOLVE_IN_ROOT 0x10 /* include/uapi/linux/openat2.h */

/* Reads struct open_how of openat2(2): flags, mode and resolve, 64 bits each. */
INLINE void get_how(struct wire_open *h, u64 how)
{
    u64 v[3] = { 0, 0, 0 };
    if (bpf_probe_read_user(v, sizeof v, (void *)how))
        h->state |= OPEN_HOW_FAULT;
    if (v[2] & RESOLVE_IN_ROOT)
        h->state |= OPEN_IN_ROOT;
    h->flags = v[0];
    h->mode = (u32)v[1];
}

INLINE bool changed(const u64 *was, u64 name)
{
    u64 is[OPEN_HEAD / 8] = { 0 }, diff = 0;
    name_head(is, name);
    for (int i = 0; i < OPEN_HEAD / 8; i++)
        diff |= is[i] ^ was[i];
    return was[0] && diff;
}

/* Fills in the record of a completed open. Returns false if a filter rejects the call. */
INLINE bool fill(struct record *r, const struct wire_opening *o, s64 ret)
{
    struct wire_open *h = &r->head;
    if (CFG(CFG_FAILED) && (s32)ret >= 0) /* a 32-bit call sets 32 bits of ret (arm64 before Linux 5.14) */
        return 0;
    h->ts_ns = bpf_ktime_get_ns();
    h->duration_ns = h->ts_ns - o->ts_ns;
    h->flags = o->flags;
    h->mode = o->mode;
    h->ret = (s32)ret;
    h->dirfd = o->dirfd;
    h->pid = o->pid;
    h->tid = o->tid;
    h->call = o->call;
    h->state = o->state;
    if (o->call != OPEN_OPENAT2)
        return 1;
    get_how(h, o->how);
    return h->state & OPEN_HOW_FAULT ? !CFG(CFG_FLAGS) && !CFG(CFG_ACC) : flags_wanted(h->flags);
}

/* Reads the file name at the exit, and returns its length. For an empty name,
 * the helper returns 0 on older kernels and 1 (the NUL) on newer ones. */
INLINE u32 put_name(struct record *r, const struct wire_opening *o)
{
    r->data[0] = 0;
    if (o->call == OPEN_HANDLE)
        return 0;
    if (changed(o->head, o->name))
        r->head.state |= OPEN_NAME_CHANGED;
    long n = bpf_probe_read_user_str(r->data, OPEN_NAME_MAX, (void *)o->name);
    if (n < 0 || n > OPEN_NAME_MAX)
        r->head.state |= OPEN_NAME_FAULT;
    else if (n > 0)
        return (u32)n - 1;
    return 0;
}

/* Writes the record of an open. An entry with another call number is stale, because the exit of the call that
 * created the entry was missed. */
INLINE void left(u64 nr, s64 ret)
{
    u64 id = bpf_get_current_pid_tgid();
    u32 slot = 0;
    struct wire_opening *o = bpf_map_lookup_elem(&opening, &id);
    if (!o)
        return;
    struct record *r = bpf_map_lookup_elem(&scratch, &slot);
    if (r && which(nr, o->state & OPEN_COMPAT) == o->call && fill(r, o, ret))
        send(r, put_name(r, o));
    bpf_map_delete_elem(&opening, &id);
}

SEC("both/raw_syscalls/sys_exit")
int open_exit(struct raw_tp *ctx)
{
    struct trace_event_raw_sys_exit *record = (void *)ctx;
    u64 nr;
    s64 ret;
    if (CFG(CFG_RAW)) {
        nr = arg((void *)ctx->arg[0], CFG(CFG_NR));
        ret = (s64)KEPT(ctx->arg[1]);
    } else {
        nr = KEPT((u64)record->id);
        ret = KEPT((s64)record->ret);
    }
    left((u32)nr, ret);
    return 0;
}

/* --- exec: the kernel opens the program --- */

/* Records an exec. name: the program's name, in kernel memory. was: tid before the exec. In an exec, a thread
 * other than the leader gets the leader's tid. */
INLINE void exec(const void *name, u32 was)
{
    struct who w;
    u32 tid = (u32)bpf_get_current_pid_tgid(), slot = 1;
    if (CFG(CFG_TREE) && was != tid && bpf_map_lookup_elem(&tree, &was)) {
        if (bpf_map_update_elem(&tree, &tid, &tid, 0))
            count_lost(LOST_TREE);
        bpf_map_delete_elem(&tree, &was); /* no thread has the old tid now; kvis would wait for its exit */
    }
    if (!CFG(CFG_EXEC) || CFG(CFG_FAILED) || !who_is_it(&w) || !wanted(&w) || !flags_wanted(0))
        return;
    struct record *r = bpf_map_lookup_elem(&scratch, &slot);
    if (!r)
        return;
    struct wire_open *h = &r->head;
    h->ts_ns = bpf_ktime_get_ns();
    h->duration_ns = h->flags = 0;
    h->mode = 0;
    h->ret = 0;
    h->dirfd = AT_FDCWD;
    h->pid = w.pid;
    h->tid = w.tid;
    h->call = OPEN_EXEC;
    h->state = 0;
    r->data[0] = 0;
    long n = bpf_probe_read_kernel_str(r->data, OPEN_NAME_MAX, name);
    if (n > 0 && n <= OPEN_NAME_MAX)
        send(r, (u32)n - 1);
}

SEC("both/sched/sched_process_exec")
int open_exec(struct raw_tp *ctx)
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
    exec(name, was);
    return 0;
}

/* --- the tree --- */

INLINE void forked(u32 child)
{
    u32 tid = (u32)bpf_get_current_pid_tgid();
    if (bpf_map_lookup_elem(&tree, &tid) && bpf_map_update_elem(&tree, &child, &child, 0))
        count_lost(LOST_TREE);
}

SEC("both/sched/sched_process_fork")
int open_fork(struct raw_tp *ctx)
{
    struct trace_event_raw_sched_process_fork *record = (void *)ctx;
    u32 child;
    if (CFG(CFG_RAW)) {
        struct task_struct *t = (void *)ctx->arg[1];
        child = (u32)READ(t, pid);
    } else {
        child = KEPT((u32)record->child_pid);
    }
    forked(child);
    return 0;
}

/* Deletes the entries of an exiting thread, because the kernel may reuse its tid. */
SEC("both/sched/sched_process_exit")
int open_gone(void *ctx)
{
    u64 id = bpf_get_current_pid_tgid();
    u32 tid = (u32)id;
    (void)ctx;
    bpf_map_delete_elem(&opening, &id);
    if (CFG(CFG_TREE))
        bpf_map_delete_elem(&tree, &tid);
    return 0;
}

char license_[] SEC("license") = "Dual MIT/GPL";
