/* Used by the case torn.
 * torn.c: `torn FILE.kvis WHOLE BYTES`: what `kvis replay -v --json` makes of a recording that ends at each of its
 * last BYTES bytes, and of one with a bit flipped in each of the last 3/8 of them, where a block begins; kvis.c included, and forked for each. WHOLE is
 * the JSON of the whole recording. All of the blocks before the damage must be shown, nothing else, and no summary. */
#define _GNU_SOURCE 1
#define main kvis_main
#include "../../kvis.c"
#undef main

static struct { int in, json, err; } fd;
static char in_path[32], json_arg[48];
static u8 *data;
static size_t size;
static struct buf whole, want, got, said; /* want: of the blocks that were whole in the run before */
static size_t want_end;
static int failed;

static void slurp(int f, struct buf *b)
{
    off_t n = lseek(f, 0, SEEK_END);
    b_reset(b);
    b->max = 1u << 30;
    b_room(b, (u32)n + 1);
    if (pread(f, b->p, (size_t)n, 0) != n)
        abort();
    b->len = (u32)n;
    b->p[n] = 0;
}

/* Replays p; its output is in `got` and `said`. Returns the exit status, -1 for a signal. */
static int play(const u8 *p, size_t n)
{
    int status;
    if (ftruncate(fd.in, 0) || ftruncate(fd.json, 0) || ftruncate(fd.err, 0)
        || pwrite(fd.in, p, n, 0) != (ssize_t)n)
        abort();
    lseek(fd.err, 0, SEEK_SET);
    pid_t child = fork();
    if (!child) {
        char *argv[] = { "kvis", "replay", "-v", "-q", json_arg, in_path, NULL };
        dup2(fd.err, 2);
        exit(kvis_main(6, argv));
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    slurp(fd.json, &got), slurp(fd.err, &said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void not_so(const char *what, const char *how, size_t at)
{
    if (failed++ < 5)
        printf("%s at %zu: %s: %.300s\n", how, at, what, said.p), fflush(stdout); /* or the children print it */
}

/* Where the last block ends that is whole in the first n bytes. */
static size_t boundary(size_t n)
{
    size_t at = REC_HEAD;
    while (at + 8 <= n && at + 8 + rec_ld32(data + at) <= n)
        at += 8 + rec_ld32(data + at);
    return n < REC_HEAD ? 0 : at;
}

static void check(int status, const char *how, size_t at)
{
    u64 offset;
    const char *p = strstr(said.p, "at offset ");
    if (status != 1 && status != 125)
        not_so("exit status", how, at);
    else if (!strstr(said.p, in_path) || (!p && at >= REC_HEAD))
        not_so("not told", how, at);
    else if (p && (sscanf(p, "at offset %" SCNu64, &offset) != 1 || offset > at + 8 || offset + (16 << 20) < at))
        not_so("another offset", how, at);
    if (status == 125)
        b_reset(&got);
    if (got.len > whole.len || memcmp(got.p, whole.p, got.len) || (got.len && got.p[got.len - 1] != '\n'))
        not_so("an event that was not there", how, at);
}

/* Of blocks that are whole before `at`, everything is shown; the first time says what that is. */
static void check_all(const char *how, size_t at)
{
    size_t end = boundary(at);
    if (end != want_end) {
        if (want.len && got.len > want.len) /* blocks come off from the end */
            not_so("more than of the longer one", how, at);
        b_reset(&want);
        b_put(&want, got.p, got.len);
        want_end = end;
    } else if (got.len != want.len) {
        not_so("not all that came before", how, at);
    }
}

int main(int argc, char **argv)
{
    u64 start = u_now();
    int f = open(argv[1], O_RDONLY), w = open(argv[2], O_RDONLY);
    static struct buf file;
    if (argc != 4 || f < 0 || w < 0)
        return 2;
    slurp(f, &file), slurp(w, &whole);
    data = (u8 *)file.p, size = file.len;
    size_t last = MIN(strtoul(argv[3], NULL, 10), size), flipped = last * 3 / 8, blocks = 0, heads = 0;
    fd.in = memfd_create("in", 0), fd.json = memfd_create("json", 0), fd.err = memfd_create("err", 0);
    snprintf(in_path, sizeof in_path, "/proc/self/fd/%d", fd.in);
    snprintf(json_arg, sizeof json_arg, "--json=/proc/self/fd/%d", fd.json);
    want.max = 1u << 30, want_end = ~(size_t)0;
    if (play(data, size) != 0 || got.len != whole.len || memcmp(got.p, whole.p, got.len))
        return printf("the whole one: %.300s\n", said.p), 1;
    for (size_t n = size - 1; n + last >= size && n < size; n--) {
        size_t before = want_end;
        check(play(data, n), "cut", n);
        check_all("cut", n);
        blocks += want_end != before;
    }
    for (size_t n = size - flipped; n < size; n++) {
        heads += boundary(n) == n;
        data[n] ^= (u8)(1 << n % 8);
        check(play(data, size), "flipped", n);
        data[n] ^= (u8)(1 << n % 8);
    }
    printf("%s: %zu bytes, cut at each of the last %zu (%zu blocks), flipped at each of %zu (%zu begin), in %.1f s; "
           "%d wrong\n", argv[1], size, last, blocks, flipped, heads, (double)(u_now() - start) / 1e9, failed);
    return failed != 0;
}
