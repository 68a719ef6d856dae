/* Part of lib/unit.c, which the cases old_features and hybrid_falls run as kvis.
 * With $OLD, this is a kernel that lacks what that names, separated by blanks. All else is the real kernel.
 * $OLD_RELEASE is the release that uname(2) returns. $BPF_LOG is a file: each call of bpf(2) appends a line with its command and
 * the name of its map or program. $REFUSE="COMMAND NAME ERRNO TIMES": the first TIMES calls of bpf(2) with COMMAND for the object
 * NAME fail with ERRNO. */
static int old_lacks(const char *feature)
{
    const char *all = getenv("OLD");
    const char *at = all ? strstr(all, feature) : NULL;
    size_t n = strlen(feature);
    return at && (at == all || at[-1] == ' ') && (!at[n] || at[n] == ' ');
}

/* Helpers that programs call, and which feature they are. */
static const struct { const char *feature; int from, to; } old_helpers[] = {
    { "read", 112, 115 }, /* bpf_probe_read_user and its like: Linux 5.5 */
    { "signal", 117, 117 }, /* bpf_send_signal_thread: 5.6 */
    { "ns", 120, 120 }, /* bpf_get_ns_current_pid_tgid: 5.7 */
    { "ring", 130, 134 }, /* bpf_ringbuf_output and its like: 5.8 */
};

enum { OLD_UNKNOWN = 0x7f000000 }; /* added to a helper's number, it is one that this kernel lacks, too */

static int old_lacks_helper(int number)
{
    for (unsigned k = 0; k < sizeof old_helpers / sizeof *old_helpers; k++)
        if (number >= old_helpers[k].from && number <= old_helpers[k].to && old_lacks(old_helpers[k].feature))
            return 1;
    return 0;
}

/* The verifier names in its log the number that it does not know: it shall be the helper's. */
static void old_log(char *log)
{
    char *at = strstr(log, "invalid func unknown#");
    int number = at ? atoi(strchr(at, '#') + 1) - OLD_UNKNOWN : 0;
    if (at && number > 0)
        sprintf(at, "invalid func unknown#%d\n", number);
}

/* Loads a program in which calls of missing helpers are calls of unknown ones: the verifier refuses those that it reaches. */
static long old_load(union bpf_attr *a, long size)
{
    struct bpf_insn *in = malloc(a->insn_cnt * sizeof *in);
    union bpf_attr with = { 0 };
    memcpy(in, (const void *)(unsigned long)a->insns, a->insn_cnt * sizeof *in);
    for (unsigned i = 0; i < a->insn_cnt; i++)
        if (in[i].code == (BPF_JMP | BPF_CALL) && !in[i].src_reg && old_lacks_helper(in[i].imm))
            in[i].imm += OLD_UNKNOWN;
    memcpy(&with, a, size);
    with.insns = (unsigned long)in;
    long r = syscall(SYS_bpf, BPF_PROG_LOAD, &with, size);
    int e = errno;
    free(in);
    if (r < 0 && a->log_size)
        old_log((char *)(unsigned long)a->log_buf);
    errno = e;
    return r;
}

/* bpf(2); whether this kernel would have known what it is asked for. */
static int old_bpf(int cmd, const union bpf_attr *a)
{
    switch (cmd) {
    case BPF_MAP_CREATE:
        return !(a->map_type == 27 /* BPF_MAP_TYPE_RINGBUF */ && old_lacks("ring"));
    case BPF_PROG_LOAD:
        return !(a->prog_type == BPF_PROG_TYPE_RAW_TRACEPOINT && old_lacks("raw"))
               && !(a->prog_type == 26 /* BPF_PROG_TYPE_TRACING: 5.5 */ && old_lacks("typed"));
    case 24: case 25: case 26: case 27: /* BPF_MAP_LOOKUP_BATCH and its like: 5.6 */
        return !old_lacks("batch");
    default:
        return 1;
    }
}

static void old_object_name(int cmd, const union bpf_attr *a, char *name)
{
    union { struct bpf_map_info map; struct bpf_prog_info prog; } info = { 0 };
    bool opens = cmd == BPF_RAW_TRACEPOINT_OPEN, links = cmd == 28 /* BPF_LINK_CREATE: 5.7 */;
    union bpf_attr get = { .info = { .bpf_fd = opens ? a->raw_tracepoint.prog_fd : links ? a->link_create.prog_fd : a->map_fd,
                                     .info_len = sizeof info, .info = (unsigned long)&info } };
    if (cmd > BPF_PROG_LOAD && !opens && !links)
        return;
    if (cmd == BPF_MAP_CREATE || cmd == BPF_PROG_LOAD)
        strcpy(name, cmd == BPF_MAP_CREATE ? a->map_name : a->prog_name);
    else if (!syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &get, sizeof get))
        strcpy(name, opens || links ? info.prog.name : info.map.name);
}

static bool old_refuses(int cmd, const union bpf_attr *a, int *err)
{
    static int refused;
    char name[BPF_OBJ_NAME_LEN] = "-", is[64];
    const char *log = getenv("BPF_LOG"), *refuse = getenv("REFUSE");
    int times = 0, fd = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    old_object_name(cmd, a, name);
    sprintf(is, "%d %s", cmd, name);
    if (fd >= 0)
        dprintf(fd, "%s\n", is);
    close(fd);
    if (!refuse || sscanf(refuse, "%*s %*s %d %d", err, &times) != 2)
        return false;
    return !strncmp(refuse, is, strlen(is)) && refuse[strlen(is)] == ' ' && __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED) < times;
}

/* Returns whether the old kernel answers this call; the result is -1 with an errno, or *result. */
static bool old_answers(long nr, const long *a, long *result)
{
    *result = -1;
    errno = nr == SYS_ptrace ? EIO : nr == SYS_bpf && !old_lacks("bpf") ? EINVAL : ENOSYS;
    if (nr == SYS_ptrace)
        return a[0] == PTRACE_GET_SYSCALL_INFO && old_lacks("info");
    if (nr != SYS_bpf) /* pidfd_open; fsopen and its like */
        return (nr == 434 && old_lacks("pidfd")) || (nr >= 428 && nr <= 433 && old_lacks("fsopen"));
    if (old_lacks("bpf") || (a[0] >= 0 && a[0] < 64 && a[1] && !old_bpf((int)a[0], (union bpf_attr *)a[1])))
        return true;
    if (old_refuses((int)a[0], (union bpf_attr *)a[1], &errno))
        return true;
    if (a[0] != BPF_PROG_LOAD)
        return false;
    *result = old_load((union bpf_attr *)a[1], a[2]);
    return true;
}

/* The command has no clone3, and no other of the calls that these kernels lack. */
static int old_execv(const char *path, char *const *argv)
{
    struct sock_filter f[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 435 /* clone3: 5.3 */, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog p = { sizeof f / sizeof *f, f };
    if (old_lacks("clone3") && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
        _exit(99);
    return execv(path, argv);
}

static int old_uname(struct utsname *u)
{
    const char *release = getenv("OLD_RELEASE");
    int e = uname(u);
    if (release)
        snprintf(u->release, sizeof u->release, "%s", release);
    return e;
}
