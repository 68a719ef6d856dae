"""Used by the case adding.
adding.py SRC: adds to the copy of kvis in SRC one event, one option, one metric and one probe, as the banners of
their sections say. Each piece goes in front of a line that is there; SRC/added says how many lines each took."""
import sys

EVENT = [  # banners of ev_ and md_
    ("kvis.c", "    EK_URING, EK_RSS, N_EK\n", "    EK_FLOCK,\n"),
    ("kvis.c", '    [EK_RSS] = { "rss"', '    [EK_FLOCK] = { "flock", "lock {path}", CAT_FILE, FIELDS(EV_path, EV_fd) },\n'),
    ("kvis.c", "    MD(io_uring_enter, NULL", "    MD(flock, NULL, md_flock, MD_EVENT)\n"),
    ("kvis.c", "/* What the model needs a call for", """static void md_flock(struct task *t, struct call *c)
{
    struct event *e = md_event(EK_FLOCK, t, c);
    struct ofd *o = fd_get(t, (s32)c->arg[0]);
    ev_num(e, EV_fd, (s32)c->arg[0]);
    ev_name(e, EV_path, o ? o->name : NULL);
    md_emit(e);
}

"""),
]
OPTION = [  # gen/README.md, "To add"
    ("kvis.c", "static void check_table(struct buf *b, bool json)\n", "static const char *check_only;\n\n"),
    ("kvis.c", "        check_tell(b, json, &d->row, &d->c, d->works);\n",
     """        if (check_only && d->works != !strcmp(check_only, "yes"))
            continue;
"""),
    ("gen/tables/options.tbl", "argument DIR ", "argument WHICH words\n"),
    ("gen/tables/options.tbl", "option -h, --help", """option --only=WHICH
  of      check
  sets    string check_only
  values  yes|no
  help    only what works: {values}

"""),
]
METRIC = [  # banner of met_
    ("kvis.c", "    X(FAULTS_MINOR, ",
     '    X(ALLOC_NORMAL, "pages_allocated_normal", "pgalloc_normal", VMSTAT, COUNT, NONE, "", \\\n'
     '      "Pages taken from the zone Normal") \\\n'),
]
PROBE = [  # banner of mk_
    ("gen/probes/sched.bpf.c", "char license_[]", """SEC("all/sched/sched_process_fork")
int sched_fork(void *ctx)
{
    u32 cpu = bpf_get_smp_processor_id();
    struct wire_sched *c = bpf_map_lookup_elem(&cpus, &cpu);
    if (c)
        c->forks++;
    return 0;
}

"""),
    ("gen/wire.h", "    u64 idle;             /* switches", "    u64 forks;\n"),
    ("kvis.c", "    X(UNSEEN, ", '    X(FORKED, "forks_seen", "", RUNQ, COUNT, CPU, "", "Forks that a program has seen") \\\n'),
    ("kvis.c", "    met_count(i, M_UNSEEN, ", "    met_count(i, M_FORKED, w->forks);\n"),
]


top = sys.argv[1] + "/"
with open(top + "added", "w") as told:
    for name, pieces in ("event", EVENT), ("option", OPTION), ("metric", METRIC), ("probe", PROBE):
        for file, before, piece in pieces:
            text = open(top + file).read()
            if text.count(before) != 1:
                sys.exit(f"{name}: {file} has '{before.strip()}' {text.count(before)} times")
            at = text.index(before)
            at = text.rindex("\n", 0, at) + 1  # before its line
            open(top + file, "w").write(text[:at] + piece + text[at:])
        print(f"{name}: {sum(p.count(chr(10)) for _, _, p in pieces)} lines in {len(pieces)} places", file=told)
# The size that programs and kvis agree on is asserted.
wire = open(top + "gen/wire.h").read()
old = "WIRE_ASSERT(sizeof(struct wire_sched) == 4608);"
assert old in wire
open(top + "gen/wire.h", "w").write(wire.replace(old, old.replace("4608", "4616")))
