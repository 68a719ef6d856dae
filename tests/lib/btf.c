/* Part of lib/unit.c, which the case unit also runs with arguments.
 * Runs only kvis's readers of BTF and of event formats.
 *   unit DIR MODULE <names     each name with its answer, from DIR/vmlinux (MODULE "-": it alone)
 *   unit -f CAT/EVENT <names   the fields of an event (trace_event_raw_X.FIELD)
 *   unit -F CAT/EVENT FILE <names  the same, from a file
 *   unit -m [ERRNO]            tracefs' root, and an id read through it; fsopen fails with ERRNO */
static struct btf_want *want;
static u32 n_want;

static void names(void)
{
    char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        want = xrealloc(want, (n_want + 1) * sizeof *want);
        want[n_want++] = (struct btf_want){ .name = strdup(line) };
    }
}

static int answers(int e, const char *why)
{
    for (u32 i = 0; i < n_want; i++) {
        struct kfield *f = &want[i].f;
        if (want[i].err)
            printf("%s %s\n", want[i].name, u_errname(-want[i].err));
        else
            printf("%s %u %u %u %d %lld\n", want[i].name, f->off, f->size, f->count, f->is_signed,
                   (long long)f->value);
    }
    if (e || *why)
        printf("! %d %s\n", e, why);
    return 0;
}

static int from_file(const char *event, const char *file)
{
    static char text[TFS_MAX_FORMAT + 1];
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    int e = tfs_format(event, text, (u32)n, want, n_want);
    for (u32 i = 0; e && i < n_want; i++)
        want[i].err = e;
    return answers(e, tfs.why);
}

static int btf_main(int argc, char **argv)
{
    char why[WHY_LEN] = "";
    if (!strcmp(argv[1], "-m")) {
        if (argc > 2) {
            fake.nr = SYS_fsopen;
            fake.err = atoi(argv[2]);
        }
        int fd = tfs_dir();
        printf("%d %d %s\n", fd, tfs_event_id("sched/sched_process_exec"), tfs.why);
        return 0;
    }
    names();
    if (!strcmp(argv[1], "-F"))
        return from_file(argv[2], argv[3]);
    if (!strcmp(argv[1], "-f"))
        return answers(tfs_fields(argv[2], want, n_want), tfs.why);
    btf_dir = argv[1];
    int e = btf_resolve(strcmp(argv[2], "-") ? argv[2] : NULL, want, n_want, why);
    return answers(e, why);
}
