/* Used by fuzz/run.sh.
 * fuzz.c: libFuzzer targets for the input of kvis. It includes kvis.c. FUZZ_TARGET chooses:
 *   replay  recordings, to all sinks     diff    two of them compared
 *   btf     BTF files                    format  tracefs' formats of events
 *   files   /proc and /sys, below FUZZ_TREE (a copy of what tests/lib/mon_tree.py makes)
 *   http    requests to --listen
 * Each execution begins with the state of a process that has just started: tests/fuzz/run.sh has objcopy rename the
 * sections of this file. All variables of kvis, including static ones in functions, then lie between two symbols, and are
 * reset. Its memory is freed, and its descriptors are closed. Therefore, a finding needs only its own input. */
#define _GNU_SOURCE 1
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The harness's own variables, which are not reset. */
#define KEPT __attribute__((section("fuzz_kept"), used))

static void *kept_alloc(void *old, size_t n);
static void kept_free(void *p);
static char *kept_strndup(const char *s, size_t most);
#define malloc(n) kept_alloc(NULL, n)
#define calloc(k, n) memset(kept_alloc(NULL, (size_t)(k) * (n)), 0, (size_t)(k) * (n))
#define realloc(p, n) kept_alloc(p, n)
#define free(p) kept_free(p)
#define strdup(s) kept_strndup(s, SIZE_MAX)
#define strndup(s, n) kept_strndup(s, n)
#define main kvis_main
#include "../../kvis.c"
#undef main
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef strdup
#undef strndup

/* The header of each block. The block ends where ASan's redzone begins. */
struct block { struct block *next, *before; size_t n, unused; };
static KEPT struct block blocks = { &blocks, &blocks, 0, 0 };

static void kept_free(void *p)
{
    struct block *b = p ? (struct block *)p - 1 : NULL;
    if (!b)
        return;
    b->before->next = b->next;
    b->next->before = b->before;
    free(b);
}

static void *kept_alloc(void *old, size_t n)
{
    struct block *b = malloc(sizeof *b + n);
    if (!b)
        abort();
    *b = (struct block){ blocks.next, &blocks, n, 0 };
    b->next->before = b;
    blocks.next = b;
    if (old)
        memcpy(b + 1, old, MIN(n, ((struct block *)old - 1)->n));
    kept_free(old);
    return b + 1;
}

static char *kept_strndup(const char *s, size_t most)
{
    size_t n = strnlen(s, most);
    char *copy = memcpy(kept_alloc(NULL, n + 1), s, n);
    copy[n] = 0;
    return copy;
}

extern u8 __start_kvis_data[], __stop_kvis_data[], __start_kvis_bss[], __stop_kvis_bss[];
static KEPT u8 *first_data;
static KEPT int first_fd;

/* For functions that also access the bytes between variables, which are ASan's redzones. */
#define RAW __attribute__((no_sanitize("address", "undefined", "coverage"), noinline))

/* Zeroes memory. Returns whole pages to the kernel, which is fast if few of them were used. */
RAW static void clear(u8 *from, u8 *to)
{
    u8 *page = (u8 *)(((uintptr_t)from + 4095) & ~4095ul), *end = (u8 *)((uintptr_t)to & ~4095ul);
    if (page < end && madvise(page, (size_t)(end - page), MADV_DONTNEED) < 0)
        abort();
    for (volatile u8 *p = from; p < MIN(page, to); p++)
        *p = 0;
    for (volatile u8 *p = MAX(end, from); p < to; p++)
        *p = 0;
}

/* volatile prevents a call of ASan's memcpy. Both addresses are multiples of 8. */
RAW static void copy(void *to, const void *from, size_t n)
{
    volatile u64 *t = to;
    const volatile u64 *f = from;
    for (size_t i = 0; i < n / 8; i++)
        t[i] = f[i];
    for (size_t i = n & ~7ul; i < n; i++)
        ((volatile u8 *)to)[i] = ((const volatile u8 *)from)[i];
}

static void reset(void)
{
    size_t n = (size_t)(__stop_kvis_data - __start_kvis_data);
    if (!first_data) { /* the first time: keep it as it is */
        first_data = malloc(n + 1);
        first_fd = dup(0);
        close(first_fd);
        copy(first_data, __start_kvis_data, n);
        return;
    }
    while (blocks.next != &blocks)
        kept_free(blocks.next + 1);
    close_range((unsigned)first_fd, ~0u, 0);
    copy(__start_kvis_data, first_data, n);
    clear(__start_kvis_bss, __stop_kvis_bss);
}

struct input { const u8 *p; size_t n; };

static u32 in_number(struct input *in, u32 bytes)
{
    u32 v = 0;
    for (u32 i = 0; i < bytes && in->n; i++, in->p++, in->n--)
        v |= (u32)*in->p << 8 * i;
    return v;
}

static struct input in_part(struct input *in, size_t n)
{
    struct input part = { in->p, MIN(n, in->n) };
    in->p += part.n;
    in->n -= part.n;
    return part;
}

static int in_file(const char *name)
{
    int f = memfd_create(name, MFD_CLOEXEC);
    if (f < 0)
        abort();
    return f;
}

static void in_write(int f, const void *p, size_t n)
{
    if (write(f, p, n) != (ssize_t)n)
        abort();
}

/* {u16 bytes, bytes} is a block. The checksums are computed here; otherwise the reader would reject all blocks. */
static int recording(struct input in)
{
    struct rec_head first = { .version = REC_VERSION };
    int f = in_file("recording");
    memcpy(first.magic, rec_magic, sizeof rec_magic);
    first.crc = rec_crc(0, &first, offsetof(struct rec_head, crc));
    in_write(f, &first, sizeof first);
    for (u32 i = 0; in.n > 2; i++) {
        u32 n = in_number(&in, 2);
        struct input block = in_part(&in, n);
        u32 head[] = { (u32)block.n, rec_crc(rec_crc(0, &i, sizeof i), block.p, block.n) };
        in_write(f, head, sizeof head);
        in_write(f, block.p, block.n);
    }
    lseek(f, 0, SEEK_SET);
    return f;
}

static void sinks(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    opt.strlen_max = 32;
    opt.status = CALL_ALL;
    opt.signals = ~0ull;
    sc_init();
    sc_parse("all");
    nm_init();
    out.text.b.max = out.json.b.max = 32 << 20;
    out.json_on = out.events_on = true;
    out.text.fd = out.json.fd = null;
}

/* The first byte sets options. */
static void fuzz_replay(struct input in)
{
    u32 options = in_number(&in, 1);
    sinks();
    opt.verbose = options & 1;
    opt.no_filter = options & 2;
    opt.status = options & 4 ? CALL_FAILED : CALL_ALL;
    opt.by_pid = options & 8;
    opt.count_too = true;
    px_open(out.text.fd, -1);
    out.tap[out.n_taps++] = &rep_tap;
    if (rec_open_fd(recording(in), "fuzz", &st) == 0 && rp_head()) {
        if (rp_play())
            st_report(&st);
        else if (!*rec_in.wrong)
            abort();
    }
    px_close();
    out_flush();
}

/* A u16 has the size of the first recording; the rest is the second one. */
static void fuzz_diff(struct input in)
{
    u32 first = in_number(&in, 2);
    struct input a = in_part(&in, first);
    sinks();
    if (!df_load(0, recording(a), "a") || !df_load(1, recording(in), "b"))
        return;
    df_text(&out.text.b);
    df_json(&out.json.b);
    out_flush();
}

static const char *const names[] = { "s", "s.m", "s.x[1]", "s.m.x", "s.m[2].m", "t.x.m", "e.A", "u" };

/* If bit 1 of the first byte is set, the second byte says where the BTF of the module begins. */
static void fuzz_btf(struct input in)
{
    struct btf_want w[ARRAY_LEN(names)];
    char why[WHY_LEN];
    bool split = in_number(&in, 1) & 2 && in.n;
    struct input whole = in;
    size_t n = split ? (size_t)in_number(&whole, 1) * 4 : in.n;
    struct input vmlinux = in_part(&in, n);
    int fd[2] = { in_file("vmlinux"), in_file("module") };
    for (u32 i = 0; i < ARRAY_LEN(w); i++)
        w[i] = (struct btf_want){ .name = names[i] };
    in_write(fd[0], vmlinux.p, vmlinux.n);
    in_write(fd[1], in.p, in.n);
    btf_resolve_fds(fd[0], split ? fd[1] : -1, "module", w, ARRAY_LEN(w), why);
    if (!memchr(why, 0, WHY_LEN))
        abort();
}

/* The texts of tests/lib/hostile.py describe an event `ev`. */
static void fuzz_format(struct input in)
{
    static const char *const fields[] = { "x.m", "x.filename", "x.args[5]", "x.comm", "x.common_pid", "x.rel",
                                          "x.args[" };
    struct btf_want w[ARRAY_LEN(fields)];
    in_number(&in, 1);
    char *text = kept_alloc(NULL, in.n + 1);
    memcpy(text, in.p, in.n);
    text[in.n] = 0;
    for (u32 i = 0; i < ARRAY_LEN(w); i++)
        w[i] = (struct btf_want){ .name = fields[i] };
    tfs_format("cat/ev", text, (u32)in.n, w, ARRAY_LEN(w));
}

static KEPT struct tree_file { char *path; u8 *data; size_t n; bool changed; } tree[1024];
static KEPT u32 tree_files;

static int tree_add(const char *path, const struct stat *st_, int type, struct FTW *where)
{
    (void)where;
    if (type != FTW_F || !S_ISREG(st_->st_mode) || tree_files == ARRAY_LEN(tree))
        return 0;
    int f = open(path, O_RDONLY | O_CLOEXEC);
    u8 *data = malloc((size_t)st_->st_size + 1);
    size_t n = (size_t)MAX(read(f, data, (size_t)st_->st_size), 0);
    tree[tree_files++] = (struct tree_file){ strdup(path), data, n, false };
    close(f);
    return 0;
}

static void tree_write(u32 i, const u8 *p, size_t n)
{
    int f = open(tree[i].path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    in_write(f, p, n);
    close(f);
}

/* The sources that only read files: no CPU counters, no BPF programs. */
static void monitor_begin(void)
{
    sinks();
    mo.rootfs = getenv("FUZZ_TREE") ? getenv("FUZZ_TREE") : "/nowhere";
    mo.interval_ns = NSEC;
    cmd_roots();
    opt_collectors("stat,cpufreq,load,psi,schedstat,meminfo,vmstat,hugepages,khugepaged,numastat,nodes,balancing,"
                       "disks,zones,hwmon,throttle,interfaces,tcp,softnet,limits,busy,pages,cgroups");
    mout.csv.b.max = 32 << 20;
    mout.csv.fd = out.text.fd;
    met_init();
    met.all = met_inst(DIM_NONE, "");
}

/* {u16 which file, u16 bytes, bytes}; file 65535: an interval passes. */
static void fuzz_files(struct input in)
{
    if (!tree_files && (nftw(getenv("FUZZ_TREE"), tree_add, 16, FTW_PHYS) || !tree_files))
        abort();
    monitor_begin();
    mon_collect();
    for (u32 i = 0; in.n && i < 16; i++) {
        u32 which = in_number(&in, 2), n = in_number(&in, 2);
        struct input text = in_part(&in, n);
        tree_write(which % tree_files, text.p, text.n);
        tree[which % tree_files].changed = true;
        if (which == 65535)
            mon_interval();
    }
    mon_interval();
    out_flush();
    for (u32 i = 0; i < tree_files; i++) {
        if (tree[i].changed)
            tree_write(i, tree[i].data, tree[i].n);
        tree[i].changed = false;
    }
}

/* All bytes that a client sends before it closes the connection. */
static void fuzz_http(struct input in)
{
    char answer[4096];
    int s[2];
    monitor_begin();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s) < 0)
        abort();
    in_write(s[1], in.p, MIN(in.n, 16384));
    shutdown(s[1], SHUT_WR);
    hs_serve(s[0]);
    close(s[0]);
    ssize_t got = read(s[1], answer, sizeof answer);
    if (got > 0 && (got < 9 || memcmp(answer, "HTTP/1.1 ", 9)))
        abort();
    close(s[1]);
}

static const struct { const char *name; void (*run)(struct input); } targets[] = {
    { "replay", fuzz_replay }, { "diff", fuzz_diff }, { "btf", fuzz_btf },
    { "format", fuzz_format }, { "files", fuzz_files }, { "http", fuzz_http },
};

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    const char *target = getenv("FUZZ_TARGET");
    for (size_t i = 0; target && i < ARRAY_LEN(targets); i++)
        if (!strcmp(targets[i].name, target)) {
            reset();
            targets[i].run((struct input){ data, size });
            return 0;
        }
    fprintf(stderr, "FUZZ_TARGET: replay, diff, btf, format, files or http\n");
    exit(2);
}
