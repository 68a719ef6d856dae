/* Used by the guest test verify.
 * Loads every program of every family with all options, and prints how many instructions the verifier has processed, for
 * bpf_insns/VETTED: FAMILY/PROGRAM INSTRUCTIONS. The kernel's verifier must accept all programs that kvis loads on it.
 * cc: -w */
#define main kvis_main
#include "../../kvis.c"
#undef main

enum { LOG_STATS = 4 }; /* the log's last line only: BPF_LOG_STATS, 5.2 */

static char verify_log[1 << 20];

enum { MOST = BPF_MAX_PROGS }; /* programs of a family */

/* An array of programs accepts only the type of those that used it first (bpf_prog_array_compatible in kernel/bpf/core.c),
 * but all types are tried: each gets an array of its own. */
static void renew_arrays(struct bpf_obj *o)
{
    for (u32 i = 0; i < o->fam->n_maps; i++)
        if (o->fam->maps[i].type == BPF_MAP_TYPE_PROG_ARRAY) {
            close(o->map[i]);
            o->map[i] = bpf_map_create(&o->fam->maps[i]);
        }
}

/* Loads each program as it is configured. Updates most[], the maximum of the verifier's instructions. Returns the number of programs
 * that are refused. */
static int verify(struct bpf_obj *o, u32 *most)
{
    static struct bpf_insn insns[BPF_MAXINSNS];
    int refused = 0;
    for (u32 i = 0; i < o->fam->n_progs; i++) {
        const struct bpf_prog_row *r = &o->fam->progs[i];
        bool begun = o->fam == &proc_family && i >= PROG_PROC_BEGUN;
        if (begun && tfs_event_id("sched/sched_prepare_exec") < 0)
            continue; /* kvis does not load it there */
        memcpy(insns, r->insns, r->n_insns * sizeof *insns);
        renew_arrays(o);
        bpf_patch(o, r, insns);
        verify_log[0] = 0;
        int f = bpf_prog_load(o, r, insns, LOG_STATS, verify_log, sizeof verify_log);
        const char *p = strstr(verify_log, "processed ");
        u32 n = p ? (u32)strtoul(p + 10, NULL, 10) : 0;
        most[i] = MAX(most[i], n);
        if (f < 0 && r->type == BPF_PROG_TYPE_TRACING && strstr(verify_log, "bpf_context access"))
            continue; /* this kernel lacks an argument, as in mk_load */
        if (f < 0)
            printf("%s/%s refused: %s\n", o->fam->name, r->name, verify_log), refused++;
        else
            close(f);
    }
    return refused;
}

static void tell(const struct bpf_obj *o, const u32 *most)
{
    for (u32 i = 0; i < o->fam->n_progs; i++)
        printf("%s/%s %u\n", o->fam->name, o->fam->progs[i].name, most[i]);
}

/* Loads the programs with this constant as 0 and as 1. */
static int verify_both(struct bpf_obj *o, const char *name)
{
    u32 most[MOST] = { 0 };
    int refused = 0;
    for (u64 on = 0; on < 2; on++) {
        if (name)
            bpf_set(o, name, on);
        refused += verify(o, most);
    }
    tell(o, most);
    return refused;
}

static int verify_open(void)
{
    struct bpf_obj *o = &open_session.obj;
    open_opt.full = true;
    open_opt.pid = open_opt.tid = 1, open_opt.uid = 2, open_opt.flags = O_CREAT, open_opt.accmodes = 1;
    open_opt.comm[0] = 'a';
    sp_command.magic = bpf_magic();
    *o = (struct bpf_obj){ .fam = &open_family, .ring_bytes = 1 << 16 };
    if (bpf_open(o) < 0)
        return 1;
    bpf_find_records(o, ~0u);
    open_configure(o);
    return verify_both(o, "CFG_NS_INO");
}

static int verify_call(void)
{
    struct bpf_obj *o = &hy.obj;
    static const char *const on[] = { "CFG_MAGIC", "CFG_MAGIC_NR", "CFG_SCHED", "CFG_BY_SCHED",
                                      "CFG_NS_INO", "CFG_STACK", "CFG_STACK_NR", "CFG_SELF",
                                      "CFG_CGROUP", "CFG_MIN_NS", "CFG_STATUS", "CFG_SETS" };
    hy.sched = true;
    opt.cgroup = "/"; /* the map is a CGROUP_ARRAY */
    *o = (struct bpf_obj){ .fam = &call_family, .ring_bytes = 1 << 16,
                           .entries = hy_entries, .lodger = &disk_family };
    int e = bpf_open(o);
    opt.cgroup = NULL;
    if (e < 0)
        return 1;
    bpf_find_records(o, ~0u);
    for (size_t i = 0; i < ARRAY_LEN(on); i++)
        bpf_set(o, on[i], 1);
    bpf_set(o, "CFG_STOP", 3 << 14);
    bpf_set(o, "CFG_RESTART_NR", (u64)SYS_restart_syscall);
    static const struct { u64 count, observe, everyone, proc; } form[] = {
        { 0, 0, 0, 0 }, { 0, 1, 0, 1 }, { 0, 1, 1, 0 }, { 1, 0, 0, 0 }, { 1, 0, 1, 0 }
    };
    u32 most[MOST] = { 0 };
    int refused = 0;
    for (size_t i = 0; i < ARRAY_LEN(form); i++) {
        bpf_set(o, "CFG_COUNT", form[i].count);
        bpf_set(o, "CFG_OBSERVE", form[i].observe);
        bpf_set(o, "CFG_EVERYONE", form[i].everyone);
        bpf_set(o, "CFG_PROC", form[i].proc);
        refused += verify(o, most);
    }
    tell(o, most);
    for (u32 i = 0; i < o->n_want; i++) /* like a kernel without CONFIG_IPV6 */
        if (strstr(o->want[i].name, "skc_v6_"))
            o->want[i].err = -ENOENT;
    bpf_set(o, "CFG_COUNT", 0);
    bpf_set(o, "CFG_EVERYONE", 0);
    return refused + verify(o, (u32[MOST]){ 0 });
}

/* Families that use the maps of the family call. */
static int verify_lodgers(void)
{
    struct bpf_obj *o = &hy.disk, *u = &hy.uring;
    *o = (struct bpf_obj){ .fam = &disk_family, .lender = &hy.obj };
    *u = (struct bpf_obj){ .fam = hy_uring_family(), .lender = &hy.obj };
    if (bpf_open(o) < 0 || bpf_open(u) < 0)
        return 1;
    bpf_find_records(u, ~0u);
    bpf_set(o, "CFG_NS_INO", 1);
    bpf_set(u, "CFG_NS_INO", 1);
    bool by_req = bpf_field(u, "trace_event_raw_io_uring_complete.req");
    int refused = verify_both(o, "CFG_SECOND");
    return refused + verify_both(u, by_req ? "CFG_BY_REQ" : NULL);
}

static int verify_proc(void)
{
    struct bpf_obj *o = &proc_session.obj;
    u32 mask;
    *o = (struct bpf_obj){ .fam = &proc_family, .ring_bytes = 1 << 16 };
    if (bpf_open(o) < 0)
        return 1;
    bpf_find_records(o, ~0u);
    proc_opt.failed = true, proc_opt.n_env = 1;
    proc_plan(o, &mask);
    bpf_set(o, "CFG_FOLLOWED", 1);
    bpf_set(o, "CFG_ARGV", 1);
    return verify_both(o, "CFG_NS_INO");
}

/* The families sched and blk, with and without an argument that not all kernels have. */
static int verify_monitor(const struct bpf_family *fam, const char *tried)
{
    struct bpf_obj o = { .fam = fam, .entries = mk_entries };
    if (bpf_open(&o) < 0)
        return 1;
    bpf_find_records(&o, ~0u);
    bpf_set(&o, "CFG_SLOTS_MASK", mk_entries("tasks") - 1);
    return verify_both(&o, tried);
}

/* All branches if the module has BTF, for each kind of handler. */
static int verify_vhost(void)
{
    struct bpf_obj o = { .fam = &vhost_family, .module = "vhost" };
    if (bpf_open(&o) < 0)
        return 1;
    bool deep = bpf_field(&o, "vhost_virtqueue.last_avail_idx");
    printf("# rings of vhost are%s read\n", deep ? "" : " not");
    bpf_set(&o, "CFG_DEEP", deep);
    bpf_set(&o, "CFG_QUEUE", VH_UNKNOWN);
    bpf_set(&o, "CFG_GAPS", 1);
    return verify_both(&o, "CFG_KICK");
}

static int verify_vq(void)
{
    struct bpf_obj o = { .fam = &vq_family, .module = "virtio_ring" };
    if (bpf_open(&o) < 0)
        return 1;
    bpf_set(&o, "CFG_SP", ARCH_SP_OFF);
    bpf_set(&o, "CFG_RET", 8u * arch_layouts[0].ret);
    bpf_set(&o, "CFG_POP", ARCH_RET_POPS);
    return verify_both(&o, NULL);
}

int main(void)
{
    char *words[] = { "x", NULL };
    sc_init();
    bpf_raise_memlock();
    opt.command = words;
    return (verify_open() + verify_call() + verify_lodgers() + verify_proc()
            + verify_monitor(&sched_family, "CFG_STATE")
            + verify_monitor(&blk_family, "CFG_SECOND") + verify_vq() + verify_vhost()) != 0;
}
