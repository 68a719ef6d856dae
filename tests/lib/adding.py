"""Used by the case adding.
adding.py SRC: adds to the copy of kvis in SRC one event, one option, and one probe with a metric, as the tables and the banners of
their sections describe. Each piece is inserted before an existing line or text."""
import re
import sys

EVENT = [  # banners of ev_ and md_
    ("gen/events.h", "    X(RSS, MEM, ", '    X(FLOCK, FILE, 0, "flock", "lock {path}", EV_path, EV_fd) \\\n'),
    ("gen/tables/syscalls.tbl", "\nfork  ", " model=event:flock"),
    ("kvis.c", "static const struct md_call {", """static void md_flock(struct task *t, struct call *c)
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
    ("kvis.c", "        (json ? check_json : check_text)(b, d);\n",
     """        if (!check_only || d->c.works == !strcmp(check_only, "yes"))
"""),
    ("gen/tables/options.tbl", "argument DIR ", "argument WHICH words\n"),
    ("gen/tables/options.tbl", "option -h, --help", """option --only=WHICH
  of      check
  sets    string check_only
  values  yes|no
  help    only what works: {values}

"""),
]
PROBE = [  # banner of mk_
    ("gen/probes/sched.bpf.c", "char license_[]", """SEC("typed/sched/sched_process_fork")
int sched_fork(void *ctx)
{
    u32 cpu = bpf_get_smp_processor_id();
    struct wire_sched *c = bpf_map_lookup_elem(&cpus, &cpu);
    if (c)
        c->forks++;
    return 0;
}

"""),
    ("gen/wire.h", "    u64 idle;             /* number of switches", "    u64 forks;\n"),
    ("gen/tables/metrics.tbl", "metric UNSEEN ", """metric FORKED forks_seen source=runq unit=count of=cpu all=sum wire=forks
    Forks that a program has seen
"""),
]


top = sys.argv[1] + "/"
for file, before, piece in EVENT + OPTION + PROBE:
    text = open(top + file).read()
    if text.count(before) != 1:
        sys.exit(f"{file} has '{before.strip()}' {text.count(before)} times")
    at = text.index(before)
    if piece.endswith("\n"):
        at = text.rindex("\n", 0, at) + 1  # before its line
    open(top + file, "w").write(text[:at] + piece + text[at:])
# The size that programs and kvis agree on is asserted.
wire = open(top + "gen/wire.h").read()
old = re.search(r"WIRE_ASSERT\(sizeof\(struct wire_sched\) == (\d+)\);", wire)
wire = wire[:old.start(1)] + str(int(old[1]) + 8) + wire[old.end(1):]
open(top + "gen/wire.h", "w").write(wire)
