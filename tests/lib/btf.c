/* Part of lib/unit.c, which the case unit also runs with arguments.
 * Runs only kvis's readers of BTF and of event formats.
 *   unit DIR MODULE <names     each name with its answer, from DIR/vmlinux (MODULE "-": it alone)
 *   unit -t DIR N <names       ns that the whole batch takes: the least of N, and the RSS in KiB
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

static void answers(void)
{
    for (u32 i = 0; i < n_want; i++) {
        struct kfield *f = &want[i].f;
        if (want[i].err)
            printf("%s %s\n", want[i].name, u_errname(-want[i].err));
        else
            printf("%s %u %u %u %d %lld\n", want[i].name, f->off, f->size, f->count, f->is_signed,
                   (long long)f->value);
    }
}

static int by_value(const void *a, const void *b)
{
    return (*(const u64 *)a > *(const u64 *)b) - (*(const u64 *)a < *(const u64 *)b);
}

static long rss_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmHWM: %ld", &kib);
    return kib;
}

/* The CPU time of this process: other processes do not change it. */
static u64 cpu_time(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (u64)ts.tv_sec * NSEC + (u64)ts.tv_nsec;
}

static int timed(u32 n)
{
    static u64 ns[1000];
    char why[WHY_LEN];
    n = MIN(n, 1000u);
    for (u32 i = 0; i < n; i++) {
        u64 t = cpu_time();
        if (btf_resolve(NULL, want, n_want, why))
            return 1;
        ns[i] = cpu_time() - t;
    }
    qsort(ns, n, sizeof *ns, by_value);
    printf("%llu %ld\n", (unsigned long long)ns[0], rss_kib());
    return 0;
}

static int from_file(const char *event, const char *file)
{
    static char text[TFS_MAX_FORMAT + 1];
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    int e = tfs_answer(event, text, (u32)n, want, n_want);
    answers();
    if (e)
        printf("! %d %s\n", e, tfs.why);
    return 0;
}

static int btf_main(int argc, char **argv)
{
    char why[WHY_LEN] = "";
    int e = 0;
    if (argc == 4 && !strcmp(argv[1], "-t")) {
        names();
        btf_dir = argv[2];
        return timed((u32)atoi(argv[3]));
    }
    if (argc == 4 && !strcmp(argv[1], "-F")) {
        names();
        return from_file(argv[2], argv[3]);
    }
    if (argc >= 2 && !strcmp(argv[1], "-m")) {
        if (argc > 2) {
            fake.nr = SYS_fsopen;
            fake.err = atoi(argv[2]);
        }
        int fd = tfs_dir();
        printf("%d %d %s\n", fd, tfs_event_id("sched/sched_process_exec"), tfs.why);
        return 0;
    }
    if (argc != 3)
        return 2;
    names();
    if (!strcmp(argv[1], "-f")) {
        e = tfs_fields(argv[2], want, n_want);
        answers();
        if (e)
            printf("! %d %s\n", e, tfs.why);
        return 0;
    }
    btf_dir = argv[1];
    e = btf_resolve(strcmp(argv[2], "-") ? argv[2] : NULL, want, n_want, why);
    answers();
    if (e || why[0])
        printf("! %d %s\n", e, why);
    return 0;
}
