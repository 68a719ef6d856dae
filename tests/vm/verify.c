/* Loads every program of every family with all that the options can ask for, and prints what the
 * verifier had to do: FAMILY/PROGRAM INSTRUCTIONS. For bpf_insns/VETTED, and as a test that every
 * program that a kernel wants is taken by its verifier.
 * cc: -w */
#define main kvis_main
#include "../../kvis.c"
#undef main

enum { LOG_STATS = 4 }; /* the log's last line only: BPF_LOG_STATS, 5.2 */

static char verify_log[1 << 20];

static int verify(struct bpf_obj *o)
{
    static struct bpf_insn insns[BPF_MAXINSNS];
    int failed = 0;
    for (u32 i = 0; i < o->fam->n_progs; i++) {
        const struct bpf_prog_row *r = &o->fam->progs[i];
        memcpy(insns, r->insns, r->n_insns * sizeof *insns);
        bpf_patch(o, r, insns);
        verify_log[0] = 0;
        int f = bpf_prog_load(o->fam, r, insns, LOG_STATS, verify_log, sizeof verify_log);
        const char *p = strstr(verify_log, "processed ");
        printf("%s/%s %s%.*s\n", o->fam->name, r->name, f < 0 ? "refused " : "",
               p ? (int)strcspn(p + 10, " ") : 0, p ? p + 10 : "");
        failed |= f < 0;
        if (f >= 0)
            close(f);
    }
    return failed;
}

int main(void)
{
    static struct bpf_cfgs c, d, e;
    char *words[] = { "x", NULL };
    struct btf_want compat = BPF_COMPAT_WANT;
    struct bpf_obj *o = &op.obj, *h = &hy.obj;
    sc_init();
    bpf_raise_memlock();
    opt.command = words;
    oo.full = true;
    oo.pid = oo.tid = 1, oo.uid = 2, oo.flags = O_CREAT, oo.accmodes = 1;
    oo.comm[0] = 'a', oo.comm_mask[0] = 0xff;
    op.magic = bpf_magic();
    *o = (struct bpf_obj){ .fam = &open_family, .ring = true, .ring_bytes = 1 << 16 };
    if (bpf_open(o) < 0)
        return 1;
    bpf_find_fields(o, &compat);
    bpf_find_records(o, ~0u);
    open_configure(&c, o, &compat);
    int failed = verify(o);
    hy.magic = op.magic, hy.sched = true;
    *h = (struct bpf_obj){ .fam = &call_family, .ring = true, .ring_bytes = 1 << 16 };
    if (bpf_open(h) < 0)
        return 1;
    bpf_find_fields(h, &compat);
    bpf_find_records(h, ~0u);
    static const char *const on[] = { "CFG_MAGIC", "CFG_MAGIC_NR", "CFG_SCHED", "CFG_BY_SCHED",
                                      "CFG_STOP_RT", "CFG_NS_INO" };
    for (size_t i = 0; i < ARRAY_LEN(on); i++)
        bpf_set(&d, on[i], 1);
    bpf_set_compat(&d, &compat);
    h->cfg = d.v, h->n_cfg = d.n;
    failed |= verify(h);
    struct bpf_obj *p = &pp.obj;
    *p = (struct bpf_obj){ .fam = &proc_family, .ring = true, .ring_bytes = 1 << 16 };
    if (bpf_open(p) < 0)
        return 1;
    bpf_find_fields(p, &compat);
    bpf_find_records(p, ~0u);
    po.failed = true, po.n_env = 1;
    proc_choose(p);
    pp.argv = true;
    proc_configure(&e, p, &compat);
    bpf_set(&e, "CFG_NS_INO", 1);
    return verify(p) | failed;
}
