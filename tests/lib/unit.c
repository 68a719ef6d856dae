/* Used by the case unit, which also runs it with arguments (lib/btf.c), and by the case old_features (lib/old_kernel.c).
 * Proves what no run of kvis can reach: this file includes kvis.c, calls its functions, and has one EXPECT per line. It can forge
 * results of the kernel: fake_syscall replaces syscall(2). */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <wchar.h>

#include "old_kernel.c"

/* The number and errno of the call that fails; -1: none. */
static struct { long nr; int err; } fake = { -1, 0 };

static long (*fake_bpf)(int cmd, void *attr); /* replaces bpf(2), if it is set */
static long (*fake_ptrace)(long req, void *data); /* replaces ptrace(2) */

/* Reads six arguments, even if the caller passes fewer. */
__attribute__((no_sanitize_address)) static long fake_syscall(long nr, ...)
{
    va_list ap;
    long a[6], result;
    va_start(ap, nr);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (getenv("OLD") && old_answers(nr, a, &result))
        return result;
    if (nr == fake.nr) {
        errno = fake.err;
        return -1;
    }
    if (nr == SYS_bpf && fake_bpf)
        return fake_bpf((int)a[0], (void *)a[1]);
    if (nr == SYS_ptrace && fake_ptrace)
        return fake_ptrace(a[0], (void *)a[3]);
    return syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static bool writes_nothing;
static ssize_t fake_write(int f, const void *p, size_t n)
{
    return writes_nothing ? 0 : write(f, p, n);
}

#define write fake_write
#define syscall fake_syscall
#define execv old_execv
#define uname(u) old_uname(u)
#define main kvis_main
#include "../../kvis.c"
#undef main
#undef syscall
#undef execv
#undef uname
#undef write

static int failed, passed;

static void expect(int line, const char *what, bool ok)
{
    ok ? passed++ : failed++;
    if (!ok)
        printf("unit.c:%d: not so: %s\n", line, what);
}
#define EXPECT(x) expect(__LINE__, #x, (x))

/* main runs all tests, in the order of this file. */
#define TEST(name) \
    static void name(void); \
    static void (*const test_##name)(void) __attribute__((section("tests"), used)) = name; \
    static void name(void)

/* The content of tb, which an appender has written, as a string. */
static struct buf tb;
static const char *text(void)
{
    static char s[4][8192];
    static int k;
    k = (k + 1) % 4;
    memcpy(s[k], tb.p, tb.len);
    s[k][tb.len] = 0;
    b_reset(&tb);
    return s[k];
}
#define T(call) (call, text())
#define SAME(call, want) expect(__LINE__, #call, !strcmp(T(call), want))

TEST(t_bytes)
{
    SAME(b_esc(&tb, "a\033[31mb\n\"\\", 9, '"'), "a\\x1b[31mb\\n\\\"");
    SAME(b_esc(&tb, "caf\xc3\xa9 \xe2\x80\xae \xff", 11, 0), "caf\xc3\xa9 \\xe2\\x80\\xae \\xff");
    SAME(b_esc(&tb, "\xc2\x9b" "0m", 4, 0), "\\xc2\\x9b0m"); /* C1 CSI */
    SAME(b_json(&tb, "\"\\\n\t\x7f</script>", 14), "\\\"\\\\\\n\\u0009\\u007f</script>");
    EXPECT(b_json(&tb, "\xc0\xaf", 2));       /* overlong */
    SAME((void)0, "\\ufffd\\ufffd");
    EXPECT(b_json(&tb, "\xed\xa0\x80", 3));   /* surrogate */
    b_reset(&tb);
    EXPECT(!b_json(&tb, "\xf0\x9f\x98\x80", 4));
    b_reset(&tb);
    SAME(b_size(&tb, 0), "0 B");
    SAME(b_size(&tb, 1023), "1023 B");
    SAME(b_size(&tb, 1024), "1.0 KB");
    SAME(b_size(&tb, 1048575), "1.0 MB");
    SAME(b_size(&tb, ~0ull), "16.0 EB");
    SAME(b_s64(&tb, INT64_MIN), "-9223372036854775808");
    SAME(b_hex(&tb, 0), "0x0");
    SAME(b_hex(&tb, ~0ull), "0xffffffffffffffff");
    EXPECT(!strcmp(u_signame(9), "SIGKILL"));
    EXPECT(!strcmp(u_signame(34), "SIGRT_2"));
    EXPECT(!strcmp(u_signame(99), "99"));
    struct buf small = { .max = 4 };
    b_s(&small, "abcdef");
    EXPECT(small.len == 4 && small.cut && !memcmp(small.p, "abcd", 4));
    b_free(&small);
    EXPECT(!strcmp(u_errname(ENOENT), "ENOENT") && !strcmp(u_errname(4000), "4000"));
}

/* u_plain and b_put, which copy overlapping pieces: each byte value at each place of strings up to 40 bytes. Numbers near the powers of
 * ten and two. */
TEST(t_pieces)
{
    u32 wrong = 0;
    for (size_t n = 0; n <= 40; n++)
        for (u32 c = 0; c < 256; c++)
            for (size_t at = 0; at < n; at++) {
                char *s = malloc(n), *want = "\"'\\"; /* malloc: the sanitizer detects reads beyond its end */
                memset(s, 'a' + (int)(at % 26), n);
                s[at] = (char)c;
                bool plain = c >= 0x20 && c < 0x7f && !strchr(want, (int)c);
                wrong += u_plain((u8 *)s, n) != (plain ? n : at);
                b_put(&tb, s, n);
                wrong += tb.len != n || memcmp(tb.p, s, n);
                b_reset(&tb);
                free(s);
            }
    EXPECT(!wrong);
    char number[32];
    for (u64 unit = 1; unit <= 10000000000000000000u / 10; unit *= 10)
        for (u64 k = 0; k < 64; k++) {
            u64 v = k % 2 ? unit * (k / 4) - k : (1ull << k) - unit;
            snprintf(number, sizeof number, "%llu", (unsigned long long)v);
            wrong += strcmp(T(b_u64(&tb, v)), number) != 0;
        }
    EXPECT(!wrong);
    SAME(b_u64(&tb, 0), "0");
    SAME(b_u64(&tb, ~0ull), "18446744073709551615");
}

TEST(t_addresses)
{
    struct sockaddr_un un = { AF_UNIX, "\0abs" };
    u8 in4[16] = { AF_INET };
    u8 in6[28] = { AF_INET6, 0, 0, 80 };
    SAME(fd_addr(&tb, in6, sizeof in6), "[::]:80");
    memcpy(in6 + 8, "\x20\x01\x0d\xb8\0\0\0\0\0\1\0\0\0\0\0\1", 16);
    SAME(fd_addr(&tb, in6, sizeof in6), "[2001:db8::1:0:0:1]:80");
    memcpy(in6 + 8, "\0\0\0\0\0\1\0\0\0\0\0\2\0\3\0\4", 16);
    SAME(fd_addr(&tb, in6, sizeof in6), "[::1:0:0:2:3:4]:80");
    memcpy(in6 + 8, "\0\0\0\0\0\0\0\0\0\0\xff\xff\1\2\3\4", 16);
    SAME(fd_addr(&tb, in6, sizeof in6), "[::ffff:1.2.3.4]:80");
    SAME(fd_addr(&tb, &un, 6), "@abs");
    SAME(fd_addr(&tb, in4, 1), "");
    SAME(fd_addr(&tb, in6, 10), "family 10"); /* cut short: no made-up address */
}

/* A DNS message: a header with these numbers of questions and answers, then the rest. */
static void dns(struct md_dns *m, u16 flags, u8 questions, u8 answers, const char *rest, size_t n)
{
    u8 head[12] = { 0x12, 0x34, (u8)(flags >> 8), (u8)flags, 0, questions, 0, answers };
    memcpy(m->p, head, sizeof head);
    memcpy(m->p + sizeof head, rest, n);
    m->len = (u32)(sizeof head + n);
}

#define DNS(flags, questions, answers, rest) (dns(&m, flags, questions, answers, rest, sizeof rest - 1), md_dns_question(&m))
#define NAMED(want) (m.name_len == strlen(want) && !memcmp(m.name, want, m.name_len))
#define ASK "\1a\2bc\0\0\1\0\1"          /* a.bc A, 10 bytes from 12 on */
#define RR(type, len) "\xc0\x0c\0" type "\0\1\0\0\0\x3c\0" len

TEST(t_dns)
{
    static struct md_dns m;
    static char many[DNS_BYTES];
    EXPECT(DNS(0x100, 1, 0, ASK) && NAMED("a.bc") && m.id == 0x1234 && m.type == 1);
    EXPECT(DNS(0x100, 1, 0, "\0\0\2\0\1") && NAMED(".") && m.type == 2);
    EXPECT(DNS(0x100, 1, 0, "\4a.\\b\0\0\1\0\1") && NAMED("a\\.\\\\b"));
    EXPECT(!DNS(0x100, 0, 0, ASK) && !DNS(0x100, 2, 0, ASK) && !DNS(0x2800, 1, 0, ASK));
    EXPECT(!DNS(0x100, 1, 0, "\x40" "a\0\0\1\0\1")); /* no length of a label */
    EXPECT(!DNS(0x100, 1, 0, "\xc0\x0c\0\1\0\1"));   /* leads to itself */
    EXPECT(!DNS(0x100, 1, 0, "\xc0\xff\0\1\0\1"));   /* forward */
    EXPECT(!DNS(0x100, 1, 0, "\1a\xc0\x0c\0\1\0\1")); /* round in a circle */
    for (u32 cut = 0; cut < 12 + sizeof ASK - 1; cut++) { /* it ends at every byte */
        dns(&m, 0x100, 1, 0, ASK, sizeof ASK - 1);
        m.len = cut;
        EXPECT(!md_dns_question(&m) && m.at <= m.len);
    }
    for (u32 i = 0; i < 5; i++) { /* 5 labels of 63: more than 255 bytes */
        many[i * 64] = 63;
        memset(many + i * 64 + 1, 'x', 63);
    }
    dns(&m, 0x100, 1, 0, many, 5 * 64 + 5);
    EXPECT(!md_dns_question(&m));
    dns(&m, 0x100, 1, 0, many, 3 * 64 + 5); /* the third label is followed by a zero */
    EXPECT(!md_dns_question(&m));
    many[3 * 64] = 0;
    dns(&m, 0x100, 1, 0, many, 3 * 64 + 5);
    EXPECT(md_dns_question(&m) && m.name_len == 3 * 63 + 2);
#define ANSWERS(answers, rest, want) \
    EXPECT(DNS(0x8180, 1, answers, ASK rest)), SAME(md_dns_answers(&m, &tb), want), EXPECT(m.at <= m.len)
    ANSWERS(0, "", "no records");
    ANSWERS(1, RR("\1", "\4") "\x0a\1\2\3", "10.1.2.3");
    ANSWERS(2, RR("\5", "\4") "\1d\xc0\x0c" RR("\1", "\4") "\x0a\1\2\3", "10.1.2.3"); /* by a CNAME */
    ANSWERS(1, RR("\5", "\4") "\1d\xc0\x0c", "no records");
    ANSWERS(255, RR("\1", "\4") "\x0a\1\2\3", "10.1.2.3 (truncated)"); /* the count is too high */
    ANSWERS(1, RR("\1", "\xff") "\x0a\1\2\3", "truncated");  /* the length is too large */
    ANSWERS(1, RR("\1", "\3") "\x0a\1\2", "3 bytes");
    ANSWERS(1, "\xc0\xff", "truncated");
    ANSWERS(6, RR("\1", "\4") "\1\1\1\1" RR("\1", "\4") "\1\1\1\2" RR("\1", "\4") "\1\1\1\3"
            RR("\1", "\4") "\1\1\1\4" RR("\1", "\4") "\1\1\1\5" RR("\1", "\4") "\1\1\1\6",
            "1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4 (+2)");
    EXPECT(DNS(0x8380, 1, 0, ASK));
    SAME(md_dns_answers(&m, &tb), "truncated"); /* the server says so */
    EXPECT(DNS(0x8180, 1, 1, "\1a\2bc\0\0\x0c\0\1" RR("\x0c", "\4") "\1d\xc0\x0e"));
    SAME(md_dns_answers(&m, &tb), "d.bc");
    struct event *e = ev_new(EK_CONNECT, NULL, 1);
    ev_bytes(e, EV_remote_addr, "127.0.0.53:53", 13);
    EXPECT(!out_routine_kind(e, false)); /* without a type, as in a damaged recording */
    ev_sym(e, EV_sock_type, "udp4");
    EXPECT(out_routine_kind(e, false));
    e->err = ENETUNREACH;
    EXPECT(!out_routine_kind(e, false));
    EXPECT(dec_flag(28, FAM_dnstype) && !dec_flag(0, FAM_dnstype) && !dec_flag(65535, FAM_dnstype));
}

TEST(t_histogram)
{
    static struct st_row r;
    st_hist(&r);
    for (u64 v = 0; v < 100000; v = v + 1 + v / 50) {
        u64 mid = st_bucket_value(st_bucket(v));
        EXPECT(mid + 1 + v / 30 >= v && mid <= v + v / 30 + 1);
    }
    EXPECT(st_bucket(~0ull) < ST_BUCKETS);
    for (u64 v = 1; v <= 1000; v++)
        r.hist[st_bucket(v * 1000)]++, r.calls++, r.max_ns = v * 1000;
    EXPECT(st_percentile(&r, 0.5) > 485000 && st_percentile(&r, 0.5) < 517000);
    EXPECT(st_percentile(&r, 0.99) > 960000 && st_percentile(&r, 0.99) <= 1000000);
    EXPECT(st_percentile(&r, 1) == 1000000);
}

TEST(t_paths)
{
    static struct path p;
    static const char *const row[][3] = {
        { "/a", "b", "/a/b" }, { "/", "b", "/b" }, { "/a", "/b//c/./d", "/b/c/d" }, { "/a", "./b", "/a/b" },
        { "/a", "../b", "/a/../b" }, { "/a", ".hidden", "/a/.hidden" }, { "/a", ".", "/a" }, { "/a", "", "/a" },
        { "/", "/", "/" }, { "/a", "b/", "/a/b" },
    };
    for (size_t i = 0; i < ARRAY_LEN(row); i++) {
        md_join(&p, row[i][0], (u32)strlen(row[i][0]), row[i][1], (u32)strlen(row[i][1]));
        expect(__LINE__, row[i][2], !strcmp(p.s, row[i][2]));
    }
    EXPECT(nm_noise("/lib/x86_64-linux-gnu/libc.so.6") && nm_noise("/proc/self/maps"));
    EXPECT(!nm_noise("/home/me/x.so") && !nm_noise("/etc/passwd") && !nm_noise("/usr/lib/python/os.py"));
}

static u32 free_dead(void)
{
    u32 n = 0;
    for (struct ofd *o; (o = ofd_dead()); n++)
        free(o);
    return n;
}

/* A descriptor table, compared with a plain array: 20 000 random steps reach every operation. */
TEST(t_fd_table)
{
    struct task t = { .pid = 1, .files = files_copy(NULL) };
    struct files *f = t.files;
    static struct ofd *have[512];
    u32 seed = 1, live = 0, made = 0, gone = 0;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1103515245 + 12345;
        s32 n = (s32)(seed >> 16) % 512;
        if (seed >> 8 & 1) {
            have[n] = ofd_new(&t, FK_FILE, NULL);
            made++;
            fd_put(&t, n, have[n], false);
        } else {
            fd_remove(&t, n);
            have[n] = NULL;
        }
        gone += free_dead();
    }
    for (s32 n = 0; n < 512; n++) {
        struct fdent *e = fd_find(f, n);
        EXPECT((e ? e->o : NULL) == have[n]);
        live += have[n] != NULL;
    }
    EXPECT(f->n == live && made - gone == live);
    struct files *copy = files_copy(f);
    fd_close_all(&t, 100, 400, ~0ull, false);
    for (s32 n = 0; n < 512; n++)
        EXPECT((fd_find(f, n) != NULL) == (have[n] && (n < 100 || n > 400)));
    EXPECT(copy->n == live);
    fd_mark_all(copy, 0, 50);
    t.files = copy;
    fd_close_all(&t, 0, ~0u, ~0ull, true);
    EXPECT(!fd_find(copy, 7) && !!fd_find(copy, 60) == !!have[60]);
    files_put(f);
    files_put(copy);
    EXPECT(made == gone + free_dead());
}

/* After lost records, kvis looks up unknown descriptors in /proc, unless the call failed with EBADF. */
TEST(t_fd_lost)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    static struct mem_record record;
    struct task t = { .tid = getpid(), .pid = getpid(), .files = files_copy(NULL), .record = &record };
    fdt.lost_ns = u_now();
    record.bad_fd = true;
    EXPECT(fd >= 0 && !fd_get(&t, fd));
    record.bad_fd = false;
    EXPECT(fd_get(&t, fd));
    fdt.lost_ns = 0;
    files_put(t.files);
    free_dead();
    close(fd);
}

static void map_at(struct mm *m, u64 start, u64 end, u8 prot, struct name *name)
{
    vm_set(m, (struct region){ start, end, name, prot });
}

struct page { u8 mapped, prot, name; };
enum { PAGES = 96 };

static bool same_pages(const struct mm *m, const struct page *p, struct name **names)
{
    for (u64 k = 0; k < PAGES; k++) {
        const struct region *r = vm_find(m, k << 12);
        if (!r != !p[k].mapped || (r && (r->prot != p[k].prot || r->name != names[p[k].name])))
            return false;
    }
    return true;
}

/* A random operation on the memory map and on the model, an array of pages. */
static void one_change(struct mm *m, struct page *p, struct name **names)
{
    u64 a = (u64)rand() % PAGES, n = 1 + (u64)rand() % (rand() % 4 ? 4 : PAGES), end = MIN(a + n, (u64)PAGES);
    struct page one = { 1, (u8)(rand() % 3), (u8)(rand() % 2) };
    switch (rand() % 4) {
    case 0:
        map_at(m, a << 12, end << 12, 0, NULL);
        one.mapped = 0;
        break;
    case 1: /* as mremap does, to a place that may overlap nothing */
        if (!vm_find(m, a << 12) || end + (end - a) > PAGES)
            return;
        one = p[a];
        vm_move(m, a << 12, end << 12, end << 12, (end + end - a) << 12);
        memset(p + a, 0, (end - a) * sizeof *p);
        n = end - a;
        a = end;
        end += n;
        break;
    case 2:
        vm_protect(m, a << 12, end << 12, one.prot);
        for (; a < end; a++)
            p[a].prot = one.prot;
        return;
    default: map_at(m, a << 12, end << 12, one.prot, names[one.name]);
    }
    for (; a < end; a++)
        p[a] = one;
}

TEST(t_memory_map)
{
    struct name *names[] = { nm_str('x', "anon"), nm_str('x', "file") };
    struct mm *m = vm_copy(NULL);
    struct page p[PAGES] = { { 0 } };
    bool good = true;
    srand(1);
    for (int i = 0; i < 20000 && good; i++) {
        one_change(m, p, names);
        good = same_pages(m, p, names) && m->n <= PAGES;
        if (i % 100 == 99) { /* fork; the parent ends */
            struct mm *child = vm_copy(m);
            vm_put(m);
            m = child;
            good &= same_pages(m, p, names);
        }
    }
    EXPECT(good && m->n);
    vm_put(m);
}

/* Lines of /proc/PID/maps, and a growing stack. */
TEST(t_memory_lines)
{
    struct region r;
    u32 major, minor;
    EXPECT(vm_line("7f00-8f00 r-xp 00000000 fd:1a2 131   /usr/bin/a b", &r, &major, &minor) && r.start == 0x7f00
           && r.end == 0x8f00 && r.prot == (PROT_READ | PROT_EXEC) && !strcmp(r.name->s, "/usr/bin/a b")
           && major == 0xfd && minor == 0x1a2);
    EXPECT(vm_line("1000-2000 rw-p 00000000 00:00 0 ", &r, &major, &minor) && r.name == nm_str('x', "anon") && !major && !minor);
    EXPECT(!vm_line("AnonHugePages:         0 kB", &r, &major, &minor) && !vm_line("", &r, &major, &minor)
           && !vm_line("Size:   4 kB", &r, &major, &minor) && !vm_line("1000-", &r, &major, &minor));
    struct mm *m = vm_copy(NULL);
    map_at(m, 0x1000000, 0x1001000, 3, nm_str('x', "stack"));
    EXPECT(vm_grow_stack(m, 0xff8123) && vm_find(m, 0xff8000) && !vm_find(m, 0xff7fff) && !vm_grow_stack(m, 0x1001000));
    map_at(m, 0x20000000, 0x20001000, 3, nm_str('x', "stack"));
    EXPECT(!vm_grow_stack(m, 0x2000000)); /* too far below */
    vm_put(m);
}

TEST(t_calls)
{
    u32 names = 0;
    for (u16 i = 0; i < SC_N; i++) {
        for (u32 k = sc_rows[i].nargs; k < 6; k++)
            EXPECT(!sc_rows[i].arg[k]);
        names += sc_id[i] == i;
    }
    EXPECT(names > 400);
    EXPECT(sc_find(ARCH_NATIVE, CALL_OTHER) < 0);
    EXPECT(sc_find(ABI_ARM64, 56) == SC_openat && sc_find(ABI_ARM64, 99999) < 0);
}

#ifdef __x86_64__
/* gen/tables/arch.tbl agrees with the headers. */
TEST(t_registers)
{
    struct user_regs_struct r = { .orig_rax = 1, .rdi = 2, .rsi = 3, .rdx = 4, .r10 = 5, .r8 = 6, .r9 = 7, .rax = 8, .rip = 9,
                                  .rbx = 10, .rbp = 11, .rcx = 12 };
    static const u8 want[][6] = { { 2, 3, 4, 5, 6, 7 }, { 10, 12, 4, 3, 2, 11 } };
    union arch_regs u = { { 0 } };
    memcpy(&u, &r, sizeof r);
    for (u32 i = 0; i < 2; i++) {
        const struct arch_layout *l = &arch_layouts[i];
        EXPECT(arch_reg(&u, l, l->nr) == 1 && arch_reg(&u, l, l->ret) == 8 && l->size * l->n == sizeof r);
        for (u32 k = 0; k < 6; k++)
            EXPECT(arch_reg(&u, l, l->arg[k]) == want[i][k]);
    }
    EXPECT(u.w64[ARCH_X86_IP] == 9 && u.w64[ARCH_FN_ARG3] == 12);
    EXPECT(ARCH_SP_OFF == offsetof(struct user_regs_struct, rsp) && ARCH_WORDS == offsetof(struct user_regs_struct, r10));
    EXPECT(ARCH_NR_OFF == offsetof(struct user_regs_struct, orig_rax));
}
#endif

/* A template with a misspelled field would never print it. */
TEST(t_templates)
{
    for (u32 k = 0; k < N_EK; k++)
        for (const char *p = event_kinds[k].text; p && (p = strchr(p, '{')); p++) {
            size_t n = strcspn(p + 1, ":}");
            u32 f = out_template_field(p + 1, n);
            bool listed = k == EK_LIST && f == EV_how; /* JSON has no use for it */
            for (u32 i = 0; i < event_kinds[k].n; i++)
                listed |= event_kinds[k].field[i] == f;
            EXPECT(f < N_EV_FIELDS && listed);
        }
}

/* Runs our filter on a call, as the kernel would. */
static u32 filter(const struct tr_prog *p, u32 arch, u32 nr, u64 arg1)
{
    struct seccomp_data d = { .nr = (int)nr, .arch = arch, .args = { 0, arg1 } };
    u32 a = 0;
    for (u32 pc = 0; pc < p->n; pc++) {
        const struct sock_filter *f = &p->f[pc];
        if (f->code == (BPF_LD | BPF_W | BPF_ABS))
            memcpy(&a, (u8 *)&d + f->k, 4);
        else if (f->code == (BPF_JMP | BPF_JEQ | BPF_K))
            pc += a == f->k ? f->jt : f->jf;
        else if (f->code == (BPF_JMP | BPF_JGE | BPF_K))
            pc += a >= f->k ? f->jt : f->jf;
        else if (f->code == (BPF_JMP | BPF_JA))
            pc += f->k;
        else
            return f->k;
    }
    return 0xdead;
}

TEST(t_filter)
{
    static struct tr_prog p;
    tr.accel = true;
    tr_choose();
    tr_filter(&p);
    EXPECT(p.n < 1000);
    for (u32 nr = 0; nr < 1100; nr++) {
        int row = sc_find(ARCH_NATIVE, nr);
        bool want = row < 0 || tr.need[row];
        EXPECT((filter(&p, ARCH_AUDIT, nr, 0) == (SECCOMP_RET_TRACE | TR_MARK)) == want);
    }
    EXPECT(filter(&p, ARCH_AUDIT, SYS_ioctl, 0xaa00) == (SECCOMP_RET_TRACE | TR_MARK));
    EXPECT(filter(&p, ARCH_AUDIT, SYS_ioctl, 0x5401) == SECCOMP_RET_ALLOW);
    EXPECT(filter(&p, AUDIT_ARCH_I386, 20, 0) == (SECCOMP_RET_TRACE | TR_MARK));
    EXPECT(filter(&p, ARCH_AUDIT, 39 | ARCH_X32_BIT, 0) == (SECCOMP_RET_TRACE | TR_MARK));
}

/* The expected reasons for the mode, and for running without a filter, are substrings. NULL: no reason is expected. */
static const char ANY[] = "";

static bool reason_is(const char *want, const char *got)
{
    return want == ANY || (want && got ? strstr(got, want) != NULL : want == got);
}

static void decides(int line, struct tr_facts f, enum tr_mode mode, const char *why, const char *no_filter)
{
    struct tr_choice c = tr_decide(&f);
    expect(line, "the mode", c.mode == mode);
    expect(line, "why not another mode", reason_is(why, c.why));
    expect(line, "why no filter", reason_is(no_filter, c.no_filter));
}

#define MODE(mode, why, no_filter, ...) decides(__LINE__, (struct tr_facts){ __VA_ARGS__ }, TR_##mode, why, no_filter)
#define AS_ROOT .may_bpf = true, .may_filter = true

TEST(t_mode)
{
    MODE(HYBRID, NULL, NULL, AS_ROOT);
    MODE(HYBRID, NULL, NULL, AS_ROOT, .every_call = true);
    MODE(PTRACE, "no BTF", TR_ALL_ASKED, AS_ROOT, .every_call = true, .unloadable = "no BTF");
    MODE(PTRACE, "--backend=ptrace", NULL, AS_ROOT, .backend = 'p');
    MODE(PTRACE, "seccomp filter", "seccomp filter", AS_ROOT, .own_filter = true);
    MODE(PTRACE, ANY, ANY, AS_ROOT, .lets_go = true);
    MODE(PTRACE, ANY, "--no-accel", AS_ROOT, .no_accel = true);
    MODE(PTRACE, "CAP_BPF", "CAP_SYS_ADMIN", 0);
    /* -p */
    MODE(OBSERVE, NULL, "no thread stops", AS_ROOT, .attach = true);
    MODE(PTRACE, "--faults", "attached with -p", AS_ROOT, .attach = true, .faults = true);
    MODE(PTRACE, "no BTF", ANY, AS_ROOT, .attach = true, .unloadable = "no BTF");
    MODE(PTRACE, "child PID namespace", ANY, AS_ROOT, .attach = true, .pid_ns = true);
    MODE(PTRACE, ANY, ANY, AS_ROOT, .attach = true, .bits32 = true);
    MODE(PTRACE, "CAP_SYS_PTRACE", ANY, AS_ROOT, .attach = true, .files_hidden = true);
    MODE(PTRACE, "--backend=ptrace", ANY, AS_ROOT, .attach = true, .backend = 'p');
    MODE(PTRACE, ANY, ANY, AS_ROOT, .attach = true, .backend = 'h');
    MODE(PTRACE, "CAP_BPF", ANY, .attach = true);
    /* --all and --cgroup */
    MODE(OBSERVE, "cannot be combined", ANY, AS_ROOT, .everyone = true);
    MODE(OBSERVE, NULL, ANY, AS_ROOT, .everyone = true, .only_calls = true);
    MODE(OBSERVE, "need --backend=observe", ANY, AS_ROOT, .everyone = true, .only_calls = true, .backend = 'h');
    MODE(OBSERVE, NULL, ANY, AS_ROOT, .everyone = true, .only_counts = true);
    MODE(OBSERVE, "CAP_BPF", ANY, .may_filter = true, .everyone = true, .only_counts = true);
    /* --backend=observe */
    MODE(OBSERVE, "--backend=observe", ANY, AS_ROOT, .backend = 'o', .only_counts = true);
    MODE(OBSERVE, NULL, ANY, AS_ROOT, .backend = 'o', .only_counts = true, .attach = true);
    MODE(OBSERVE, "a process given with -p runs a 32-bit program", ANY, AS_ROOT, .backend = 'o', .attach = true, .bits32 = true);
    MODE(OBSERVE, "no BTF", ANY, AS_ROOT, .backend = 'o', .attach = true, .unloadable = "no BTF");
}

static struct files *files_of(u32 n)
{
    struct task t = { .pid = 1, .files = files_copy(NULL) };
    for (u32 k = 0; k < n; k++)
        fd_put(&t, (s32)k, ofd_new(&t, FK_FILE, NULL), false);
    return t.files;
}

/* Descriptors of a detached tracee stay open. */
TEST(t_tasks)
{
    enum { THREADS = 20, FDS = 5 };
    struct task *t = ps_new_task(1 << 30), *one[THREADS];
    struct files *f = files_of(FDS);
    t->files = files_copy(NULL);
    for (int i = 0; i < THREADS; i++) {
        one[i] = ps_new_task((1 << 30) + 1 + i);
        one[i]->files = f;
        f->refs += i > 0;
    }
    u64 events = out.events;
    for (int i = 0; i < THREADS; i++)
        tr_detach_one(one[i], 0);
    EXPECT(!ofd_dead() && out.events == events);
    files_put(t->files);
    t->files = files_of(FDS);
    tr_drop(t, true);
    EXPECT(!ofd_dead() && out.events == events + FDS && !ps.n_tasks);
}

/* getcpu(2) fails only with a seccomp filter. */
TEST(t_refused)
{
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    fake.nr = SYS_getcpu, fake.err = EPERM;
    tr_same_cpu();
    fake.nr = -1;
    sched_getaffinity(0, sizeof after, &after);
    EXPECT(CPU_EQUAL(&before, &after));
}

/* A verifier that is interrupted, needs a larger log, refuses a program, or needs a higher RLIMIT_MEMLOCK. */
static struct verifier {
    int loads, interrupted, denied, err;
    size_t log_needs;
    const char *log;
} verifier;

static long verify(int cmd, void *attr)
{
    union bpf_attr *a = attr;
    EXPECT(cmd == BPF_PROG_LOAD);
    verifier.loads++;
    char *log = (void *)(uintptr_t)a->log_buf;
    errno = verifier.interrupted-- > 0 ? EAGAIN
            : verifier.denied-- > 0    ? EPERM
            : log && a->log_size < verifier.log_needs ? ENOSPC
                                                      : verifier.err;
    if (log && verifier.log && errno == verifier.err)
        strcpy(log, verifier.log);
    return errno ? -1 : 55;
}

#define VERIFIED(...) verified((struct verifier){ __VA_ARGS__ })

static const char *verified(struct verifier v)
{
    static struct bpf_obj o;
    o = (struct bpf_obj){ .fam = &open_family };
    memset(o.map, -1, sizeof o.map);
    memset(o.prog, -1, sizeof o.prog);
    verifier = v;
    fake_bpf = verify;
    int e = bpf_load_one(&o, PROG_OPEN_FORK);
    fake_bpf = NULL;
    return e ? o.why : o.prog[PROG_OPEN_FORK] == 55 ? "loaded" : "?";
}

TEST(t_loader)
{
    static char name[300];
    struct rlimit was, is;
    EXPECT(!strcmp(VERIFIED(.err = 0), "loaded") && verifier.loads == 1);
    EXPECT(!strcmp(VERIFIED(.interrupted = 3), "loaded") && verifier.loads == 4);
    /* a second load, with a log: the reason has its last lines */
    const char *why = VERIFIED(.err = EINVAL, .log_needs = 1 << 20,
                               .log = "1: x\n2: x\n3: x\nR1 type=scalar\n4: (85)\nexpected=ctx\n\n");
    EXPECT(verifier.loads == 2 && strstr(why, "open_fork: ") == why && strstr(why, "expected=ctx"));
    EXPECT(!strstr(why, "1: x"));
    /* the reason names the field of a poisoned instruction */
    const struct bpf_prog_row *r = &open_family.progs[PROG_OPEN_FORK];
    u32 field = 0;
    while (!bpf_is_field(&r->patches[field]))
        field++;
    snprintf(name, sizeof name, "5: (85) call unknown#%u\ninvalid func unknown#%u\n", BPF_POISON + field, BPF_POISON + field);
    why = VERIFIED(.err = EINVAL, .log = name);
    EXPECT(strstr(why, "this kernel has no usable ") && strstr(why, r->patches[field].name));
    EXPECT(strstr(VERIFIED(.err = EACCES, .log = "unknown func bpf_probe_read_kernel#113\n"), "lockdown"));
    /* kvis raises RLIMIT_MEMLOCK once, if it may, and the command gets the old limit */
    struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    EXPECT(!getrlimit(RLIMIT_MEMLOCK, &was));
    bool may = !setrlimit(RLIMIT_MEMLOCK, &all) && bpf_is_locked();
    EXPECT(!setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ 65536, was.rlim_max }));
    bpf.memlock_raised = false;
    EXPECT(!strcmp(VERIFIED(.denied = 1), "loaded") == may && verifier.loads == 1 + may);
    EXPECT(!getrlimit(RLIMIT_MEMLOCK, &is) && (is.rlim_cur == RLIM_INFINITY) == may);
    EXPECT(!may || bpf.memlock.rlim_cur == 65536);
    setrlimit(RLIMIT_MEMLOCK, &was);
}

/* Forged maps: the counter `lost_reason` of map 77, and map 78 with delays. */
static u32 lost_reason;
static bool fail_delays;

static long lost_and_delays(int cmd, void *attr)
{
    union bpf_attr *a = attr;
    const u32 *key = (const void *)(uintptr_t)a->key;
    u64 *of_cpu = (void *)(uintptr_t)a->value;
    bool delays = a->map_fd == 78;
    if (cmd == BPF_MAP_LOOKUP_ELEM && delays && fail_delays) {
        errno = EPERM;
        return -1;
    }
    for (u32 i = 0; cmd == BPF_MAP_LOOKUP_ELEM && i < MIN(bpf_possible(), 2u); i++)
        if (delays)
            of_cpu[i * DELAY_SLOTS + 5] = of_cpu[i * DELAY_SLOTS + DELAY_SUM] = of_cpu[i * DELAY_SLOTS + DELAY_MAX] = 10 + i;
        else
            of_cpu[i] = *key == lost_reason ? 3 : 0;
    return 0;
}

/* Waits for a CPU are unknown if their map cannot be read. Waits without a record are counted as lost; the maximum is that of all CPUs.
 * Lost results of io_uring are reported even without block I/O. */
TEST(t_lost)
{
    struct bpf_obj obj = hy.obj, uring = hy.uring;
    struct summary was = st;
    bool on = hy.on, sched = hy.sched;
    u32 cpus = MIN(bpf_possible(), 2u), sum = cpus > 1 ? 21 : 10;
    hy.obj.fam = &call_family, hy.uring.fam = &uring_family, hy.on = hy.sched = true;
    memset(hy.uring.prog, -1, sizeof hy.uring.prog);
    for (u32 i = 0; i < call_family.n_maps; i++)
        hy.obj.map[i] = strcmp(call_family.maps[i].name, "delays") ? 77 : 78;
    fake_bpf = lost_and_delays;
    lost_reason = LOST_SCHED;
    hy_delays();
    EXPECT(st.n_delays == 1 && st.delays.count == sum && st.delays.sum_ns == sum && st.delays.hist[5] == sum);
    EXPECT(st.delays.max_ns == (cpus > 1 ? 11 : 10) && st.waits_lost == 3 * cpus);
    st = was;
    fail_delays = true;
    hy_delays();
    EXPECT(!st.n_delays && !st_knows(&st, ST_TIMES) && !hy.disk.fam);
    lost_reason = LOST_URING;
    st.not_run = 1; /* no text */
    tr_report();
    EXPECT(st.uring_lost == 3 * cpus);
    fake_bpf = NULL;
    hy.obj = obj, hy.uring = uring, hy.on = on, hy.sched = sched, st = was;
}

/* If the setup of an event fails, no descriptor and no mapping is left. */
TEST(t_nothing_left)
{
    signal(SIGIO, SIG_IGN); /* a ring asks for it */
    fake.nr = SYS_ioctl, fake.err = EINVAL;
    int f = pf_open_at(getpid(), 0, false, false); /* the first makes a ring, the second joins it */
    EXPECT(!f || f == -EPERM || f == -EACCES || f == -ENOENT);
    if (!f) {
        int joined = dup(0);
        close(joined);
        EXPECT(pf_open_at(getpid(), 0, false, false) == -EINVAL);
        int after = dup(0);
        close(after);
        EXPECT(after == joined);
        close(pf_rings.fd[0]);
        memset(&pf_rings, 0, sizeof pf_rings);
    }
    fake.nr = -1;
}

/* Widths agree with wcwidth(3) of glibc; text is cut and padded by columns, never inside a character. */
TEST(t_columns)
{
    const char *wide = "\xe6\xbc\xa2\xe5\xad\x97", *mark = "e\xcc\x81" "f"; /* two wide ones; e with an accent, f */
    u32 n, columns = 3, differ = 0;
    if (setlocale(LC_CTYPE, "C.UTF-8"))
        for (u32 c = 0xa0; c < 0x110000; c++) {
            char s[8];
            int len = c >= 0xd800 && c < 0xe000 ? 0 : wctomb(s, (wchar_t)c), w = wcwidth((wchar_t)c);
            if (len > 0 && w >= 0)
                differ += u_character(s, (u32)len, &n) != (u32)w || n != (u32)len;
        }
    EXPECT(!differ);
    setlocale(LC_CTYPE, "C");
    EXPECT(u_width(wide, 6) == 4 && u_width(mark, 4) == 2 && u_width("\033[31mab\033[0m", 11) == 2 && u_width("\xff", 1) == 1);
    EXPECT(u_fit(wide, 6, &columns) == 3 && columns == 2);
    columns = 1;
    EXPECT(u_fit(mark, 4, &columns) == 3 && u_skip(wide, 6, 3) == 3 && u_skip("abc", 3, 2) == 1);
    const struct { const char *s; size_t n, have, whole; } part[] = {
        { "a\xc3", 2, 2, 1 }, { "a\xe2\x82", 3, 3, 1 }, { "a\xf0\x9f\x90", 4, 4, 1 }, { "a\xc3\xa4", 3, 3, 3 },
        { "\xff\xc3", 2, 2, 2 }, { "a\x82", 2, 2, 2 }, { "a\xc0", 2, 2, 2 }, { "\xc3", 1, 1, 0 }, { "", 0, 0, 0 },
        { "a\xc3\0", 2, 3, 2 }, { "a\xc3\xa4", 2, 3, 1 }, { "a\xe2\x82" "b", 2, 4, 2 }, { "a\xe2\x82\xac", 2, 4, 1 },
    };
    for (size_t i = 0; i < ARRAY_LEN(part); i++)
        EXPECT(u_whole((const u8 *)part[i].s, part[i].n, part[i].have) == part[i].whole);
    EXPECT(u_cut(wide, 6, 5) == 3 && u_cut(wide, 6, 6) == 6 && u_cut("abc", 3, 2) == 2);
    EXPECT(u_cut("\xff" "ab\xc3\xa9", 5, 4) == 3);
    SAME((b_s(&tb, wide), b_pad(&tb, 0, 5)), "\xe6\xbc\xa2\xe5\xad\x97 ");
    SAME(df_put_rest(&tb, 9, "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 15), "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2...");
}

/* Different names stay different, even if they are not valid UTF-8. */
TEST(t_names_apart)
{
    SAME(mout_quoted(&tb, "a\xff", false), "a\\\\xff");
    SAME(mout_quoted(&tb, "a\xfe", false), "a\\\\xfe");
    SAME(mout_quoted(&tb, "a\\xff", false), "a\\\\x5cxff");
    SAME(mout_quoted(&tb, "a\"\n\\", false), "a\\\"\\\\x0a\\\\");
    SAME(mout_quoted(&tb, "a\"\xff", true), "a\"\"\\xff");
    SAME(mout_json_name(&tb, "a\xff"), "a\\\\xff");
    SAME(mout_json_name(&tb, "caf\xc3\xa9"), "caf\xc3\xa9");
    mo.procfs = "/p", mo.sysfs = "/s", mo.rootfs = "/r";
    EXPECT(!strcmp(met_path("/proc"), "/p") && !strcmp(met_path("/sys/a"), "/s/a"));
    EXPECT(!strcmp(met_path("/sysroot/a"), "/r/sysroot/a") && !strcmp(met_path("/processes"), "/r/processes"));
    mo.procfs = mo.sysfs = NULL, mo.rootfs = "";
}

/* The hash of names depends on every bit of its start value. */
TEST(t_name_hash)
{
    /* These names have the same hash for one start value, and different ones for all others. */
    EXPECT(nm_hash('f', "/01f027", 7) == nm_hash('f', "/00ff34", 7));
    for (u32 i = 0; i < 64; i++)
        EXPECT(nm_hash('f' ^ 1ull << i, "/01f027", 7) != nm_hash('f' ^ 1ull << i, "/00ff34", 7));
}

/* Processes with the same place in the table keep their own names. */
TEST(t_two_names)
{
    out_name(5, "five", 4);
    for (int i = 1; i < 5; i++)
        out_name(5 + i * OUT_NAMES, "more", 4);
    EXPECT(!strcmp(out_comm(5), "five") && !strcmp(out_comm(5 + OUT_NAMES), "more"));
    for (int i = 5; i < 50; i++) /* the table is full: the name that is used stays */
        out_name(5 + i * OUT_NAMES, out_comm(5), 4);
    EXPECT(!strcmp(out_comm(5), "five") && !*out_comm(5 + 20 * OUT_NAMES));
}

static u32 pending(void)
{
    u32 n = 0;
    for (u32 i = 0; i < HY_PENDING; i++)
        n += hy_pending[i].tid != 0;
    return n;
}

/* Arguments wait for their own exec, even if the records of an earlier exec are lost. */
TEST(t_arguments)
{
    struct wire_proc a = { .kind = PROC_ARGS, .ts_ns = 1, .tid = 7, .arg_len = 4 };
    struct wire_proc x = { .kind = PROC_EXEC, .ts_ns = 1, .tid = 7, .was = 7, .arg_len = 4 };
    struct proc_life l = { .pid = 7 };
    proc_state.btf = true;
    hy_args_add(&a, "one");
    proc_args_take(&l, &x);
    EXPECT(l.argv.len == 4 && !strcmp(l.argv.p, "one") && !l.cut && !pending());
    hy_args_add(&a, "one"); /* the exec is lost, and the next one's arguments */
    x.ts_ns = 2;
    proc_args_take(&l, &x);
    EXPECT(l.argv.len == 0 && l.cut && l.arg_len == 4 && !pending());
    hy_args_add(&a, "one"); /* the exec is lost, and the next one's first piece */
    a.ts_ns = x.ts_ns = 3;
    a.at = 4, x.arg_len = 8;
    hy_args_add(&a, "two");
    proc_args_take(&l, &x);
    EXPECT(l.argv.len == 0 && l.cut && l.arg_len == 8 && !pending());
    a.at = 0, a.ts_ns = 4; /* without BTF, they have the time of the call */
    proc_state.btf = false;
    hy_args_add(&a, "two");
    proc_args_take(&l, &x);
    EXPECT(l.argv.len == 4 && !strcmp(l.argv.p, "two"));
    free(l.argv.p);
}

/* The number of arguments without an exec is limited. */
TEST(t_pending)
{
    struct wire_proc h = { .kind = PROC_ARGS, .ts_ns = 1 };
    char record[sizeof h + 8] = { 0 };
    h.arg_len = 8;
    for (u32 tid = 1; tid < 5000; tid++) {
        h.tid = tid;
        memcpy(record, &h, sizeof h);
        proc_record(record, sizeof record);
    }
    EXPECT(pending() == HY_PENDING);
    EXPECT(hy_args_of(4999) && !hy_args_of(1));
    for (u32 i = 0; i < HY_PENDING; i++)
        hy_args_drop(&hy_pending[i]);
    EXPECT(!pending());
}

/* A session of kvis proc whose first process is ROOT; its JSON stays in the buffer. */
enum { ROOT = 1000, FIRST };
static struct writer json_was;

static struct proc_life *begin_session(void)
{
    json_was = out.json;
    out.json = (struct writer){ .fd = -1, .b.max = 32 << 20 };
    proc_state.btf = true;
    proc_state.root = ROOT;
    proc_state.last_ns = 0;
    proc_session.status = -1;
    struct proc_life *root = proc_new(ROOT, true);
    root->begin_ns = root->fork_ns = 1;
    return root;
}

static void end_session(void)
{
    EXPECT(!proc_state.lives);
    b_free(&out.json.b);
    out.json = json_was;
    proc_state.root = proc_state.commands = proc_state.last_ns = proc_state.forks = 0;
}

/* A process's fork and end, as the probe sends them. */
static void one_process(u32 pid, u32 ppid, u64 from, u64 to)
{
    struct wire_proc h = { .kind = PROC_FORK, .ts_ns = from, .pid = pid, .tid = pid, .ppid = ppid };
    if (from)
        proc_record(&h, sizeof h);
    h.kind = PROC_EXIT;
    h.ts_ns = to;
    if (to)
        proc_record(&h, sizeof h);
}

/* The critical path has a step for each process that the end waited for, even if there are 70 000. */
TEST(t_critical_path)
{
    enum { MAKER = FIRST, LAST, SECOND, MANY = 70000 };
    u32 steps = 0;
    struct proc_life *root = begin_session();
    proc_tree.on = true;
    proc_state.commands = 1;
    root->node = proc_tree_new(0);
    root->counted = true;
    root->threads = 1;
    one_process(MAKER, ROOT, 2, 0);
    for (u32 i = 0; i < MANY; i++)
        one_process(SECOND + i, MAKER, 10 * i + 10, 10 * i + 19);
    one_process(MAKER, ROOT, 0, 10 * MANY + 10);
    one_process(LAST, ROOT, 10 * MANY + 20, 10 * MANY + 29);
    root->status = 0;
    one_process(ROOT, 1, 0, 10 * MANY + 30);
    proc_json_summary(0);
    b_c(&out.json.b, 0);
    for (const char *p = out.json.b.p; (p = strstr(p, "\"self_ns\":")); p++)
        steps++;
    EXPECT(steps == MANY + 3);
    proc_tree.on = false;
    end_session();
}

/* The kernel may not have accounted for a short process yet: its CPU time is unknown, not 0. */
TEST(t_cpu_unknown)
{
    struct wire_usage u = { .minor = 5 };
    bool cpu = proc_state.used[PROC_CPU], minor = proc_state.used[1];
    proc_state.used[PROC_CPU] = proc_state.used[1] = true;
    const char *s = T(proc_json_usage(&tb, &u));
    EXPECT(strstr(s, ",\"minor_faults\":5") && !strstr(s, "cpu"));
    proc_state.used[PROC_CPU] = cpu;
    proc_state.used[1] = minor;
}

/* Names that differ by chance are compared as one: pids of the recording, numbers after /proc/, and names of temporary files. */
TEST(t_shapes)
{
    static const struct { const char *name, *shape; } row[] = {
        { "/srv/001.sql", "/srv/001.sql" }, { "/srv/4711.log", "/srv/*.log" }, { "/srv/47110.log", "/srv/47110.log" },
        { "/proc/7/stat", "/proc/*/stat" }, { "kill 4711", "kill *" }, { "/tmp/ccAbCdEf.s", "/tmp/cc*.s" },
    };
    static u8 pids[REC_PIDS / 8];
    df.pids[0] = pids;
    pids[4711 / 8] |= 1 << 4711 % 8;
    for (size_t i = 0; i < ARRAY_LEN(row); i++)
        SAME(df_shape(&tb, row[i].name, 0), row[i].shape);
    df.pids[0] = NULL;
}

/* The witness has seen more signals than kvis keeps; the last signal was sent to kvis alone. */
TEST(t_group_signals)
{
    struct sp_signal at = { .info = { .si_signo = SIGTERM, .si_pid = 7 } };
    sp_command.ended = true; /* it was in kvis's group */
    for (at.ns = 0; at.ns <= SP_CAME; at.ns++)
        sp_group[sp_n_group++ % ARRAY_LEN(sp_group)] = at;
    for (u32 i = 0; i <= SP_CAME; i++, at.ns++)
        EXPECT(sp_is_groups(&at));
    EXPECT(!sp_is_groups(&at));
    memset(sp_group, 0, sizeof sp_group);
    sp_command.ended = false;
}

/* The exit of a process without a fork record, and then another process with its pid. */
TEST(t_pid_reused)
{
    begin_session();
    struct proc_life *first = proc_new(FIRST, true);
    first->begin_ns = first->fork_ns = 2;
    u64 unsure = proc_state.unsure;
    first->execed = true;
    one_process(FIRST, ROOT, 0, 100);
    EXPECT(proc_find(FIRST) == first && first->ending);
    one_process(FIRST, ROOT, 101, 0);
    EXPECT(proc_state.unsure == unsure && proc_state.last_ns == 100);
    EXPECT(proc_find(FIRST)->counted && !proc_find(FIRST)->ending);
    proc_forget(proc_find(FIRST));
    proc_forget(proc_find(ROOT));
    EXPECT(!proc_state.ending);
    end_session();
}

/* A summary is complete even if it is larger than the buffer. */
TEST(t_large_summary)
{
    static char path[8000];
    st.duration_ns = 1, st.backend = "ptrace";
    int f = memfd_create("json", MFD_CLOEXEC);
    struct writer was = out.json;
    out.json = (struct writer){ .fd = f, .b.max = 32 << 20 };
    memset(path, 0xff, sizeof path);
    for (int i = 0; i < 1000; i++) {
        memcpy(path, &i, sizeof i);
        path[0] = '/', path[4] = (char)i;
        nm_get('f', path, sizeof path)->opens = 1;
    }
    st_json_summary(&out.json.b, &st);
    EXPECT(!out.json.b.cut);
    out_writer_flush(&out.json);
    off_t n = lseek(f, 0, SEEK_END);
    char tail[2] = "";
    EXPECT(n > 32 << 20 && pread(f, tail, 2, n - 2) == 2 && !memcmp(tail, "}\n", 2));
    close(f);
    b_free(&out.json.b);
    out.json = was;
}

TEST(t_errors)
{
    struct task t = { .tid = getpid() };
    struct stop s = { 0 };
    char dst[64];
    bool cut;
    static char str[] = "hello";
    EXPECT(mem_str(&t, (u64)(uintptr_t)str, dst, 63, 63, &cut) == 5 && !strcmp(dst, "hello") && !cut);
    EXPECT(mem_str(&t, (u64)(uintptr_t)str, dst, 3, 3, &cut) == 3 && !strcmp(dst, "hel") && cut);
    EXPECT(mem_str(&t, (u64)(uintptr_t)str, dst, 5, 5, &cut) == 5 && !cut);
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page + 4096, 4096);
    for (u32 after = 0; after < 3; after++) { /* bytes between the NUL and unmapped memory */
        strcpy(page + 4090 - after, "hello");
        EXPECT(mem_str(&t, (u64)(uintptr_t)page + 4090 - after, dst, 5, 5, &cut) == 5 && !cut);
        EXPECT(mem_str(&t, (u64)(uintptr_t)page + 4090 - after, dst, 9, 2, &cut) == 5 && !cut);
    }
    memset(page + 4090, 'x', 6); /* no NUL: no string, unless more than is shown is there */
    for (u32 max = 4; max < 9; max++)
        EXPECT(mem_str(&t, (u64)(uintptr_t)page + 4090, dst, max, max, &cut)
               == (max < 6 ? (s64)max : -EFAULT) && cut == (max < 6));
    EXPECT(mem_str(&t, (u64)(uintptr_t)page + 4090, dst, 8, 5, &cut) == 6 && cut);
    EXPECT(mem_str(&t, (u64)(uintptr_t)page + 4096, dst, 8, 0, &cut) == -EFAULT && !cut);
    munmap(page, 4096);
    EXPECT(mem_read(&t, 8, dst, 8) == -EFAULT);
    EXPECT(mem_read(&t, ~0ull - 7, dst, 8) < 0);
    fake.nr = SYS_process_vm_readv, fake.err = ENOSYS; /* CONFIG_CROSS_MEMORY_ATTACH=n: by ptrace(2), of which this is no tracee */
    EXPECT(mem_read(&t, (u64)(uintptr_t)str, dst, 5) == -EFAULT);
    fake.err = ESRCH;
    EXPECT(mem_read(&t, (u64)(uintptr_t)str, dst, 5) == -ESRCH);
    fake.nr = SYS_ptrace, fake.err = EIO; /* before 5.3 */
    EXPECT(arch_stop(getpid(), 1, &s) == -EIO && arch_no_info);
    arch_no_info = false;
    fake.err = ESRCH;
    EXPECT(arch_stop(getpid(), 1, &s) == -ESRCH && !arch_no_info);
    fake.nr = 434, fake.err = ENOSYS; /* before 5.3: no pidfd_open */
    EXPECT(fd_steal(getpid(), 0) == -ENOSYS);
    fake.nr = SYS_perf_event_open, fake.err = EACCES;
    EXPECT(pf_open(getpid(), false) == -EACCES);
    fake.nr = -1;
    EXPECT(out_write_all(-1, "x", 1) == -EBADF);
}

/* The count of the group's first event after pmc_read_group has read these values; -1: none. */
static double counted(struct pmc_unit *u, int to, u64 enabled, u64 running, u64 n)
{
    u64 v[] = { 1, enabled, running, n };
    struct pmc_reading r = { .share = 0 };
    if (write(to, v, sizeof v) == sizeof v)
        pmc_read_group(u, PG_BASE, &r);
    return r.has[PR_CYCLES] ? r.value[PR_CYCLES] : -1;
}

TEST(t_pmc)
{
    int p[2];
    struct pmc_unit u = { .at_ns = 1 };
    struct pmc_pmu n2 = { .core = "Neoverse-N2 (MIDR 0x410fd490)", .slots = 5 };
    double d[N_PR] = { [PR_CYCLES] = 100, [PR_EMPTY_SLOTS_FRONTEND] = 130, [PR_EMPTY_SLOTS] = 99,
                       [PR_EMPTY_SLOTS_BACKEND] = 50 };
    EXPECT(pipe(p) == 0);
    memset(u.g[PG_BASE].fd, -1, sizeof u.g[PG_BASE].fd);
    u.g[PG_BASE].fd[0] = p[0];
    EXPECT(counted(&u, p[1], 100, 100, 50) == 50);
    EXPECT(counted(&u, p[1], 200, 150, 100) == 100); /* half the time: twice as many */
    EXPECT(counted(&u, p[1], 400, 150, 100) == -1);  /* others had the counters */
    EXPECT(counted(&u, p[1], 500, 250, 170) == 70);  /* of this time alone */
    EXPECT(counted(&u, p[1], 600, 350, 160) == 0 && met.backwards == 1);
    met.backwards = 0;
    pmc_close(&u, PG_BASE); /* a CPU that was off: its new events begin at 0 */
    u.g[PG_BASE].fd[0] = dup(p[1]);
    close(p[0]), close(p[1]);
    EXPECT(pipe(p) == 0 && dup2(p[0], u.g[PG_BASE].fd[0]) >= 0);
    EXPECT(counted(&u, p[1], 100, 100, 10) == 10 && met.backwards == 0);
    close(p[0]), close(p[1]), pmc_close(&u, PG_BASE);
    EXPECT(strstr(pf_why_not(-EPERM, PF_LEVEL_CPU), "perf_event_open: EPERM; fix: allow "));
    EXPECT(!strstr(pf_why_not(-EPERM, PF_LEVEL_CPU), "paranoid"));
    EXPECT(!strcmp(pf_why_not(-EBUSY, PF_LEVEL_CPU), "perf_event_open: EBUSY"));
    EXPECT(strstr(pf_why_not(-EMFILE, PF_LEVEL_CPU), "perf_event_open: EMFILE; fix: raise the limit on open files"));
    pmc_empty_slots(&n2, d);
    EXPECT(d[PR_EMPTY_SLOTS_FRONTEND] == 30 && d[PR_EMPTY_SLOTS] == 0);
    EXPECT(d[PR_EMPTY_SLOTS_BACKEND] == 50 && d[PR_CYCLES] == 100);
    n2.slots = 8;
    pmc_empty_slots(&n2, d);
    EXPECT(d[PR_EMPTY_SLOTS_FRONTEND] == 30);
}

/* The rate of a counter after its reading in the next interval of a second; -1: none. */
static double counts(u32 m, u64 raw)
{
    met.all->at = ++met.tick;
    met.read_ns = met.tick * NSEC;
    met_count(met.all, m, raw);
    return met_has(met.all, m) ? met_at(met.all, m)->v : -1;
}

TEST(t_metrics)
{
    static const struct { u32 metric; double v; const char *text; } row[] = {
        { M_FILES_MAX, 2466170, "2466170" }, { M_IPC, 1.23456789, "1.23457" }, { M_DISK_READ_MEAN, 0.0123, "12.3ms" },
        { M_DISK_READ_MEAN, 1.5, "1.5s" }, { M_DISK_READ_MEAN, 0.9999, "1000ms" }, { M_DISK_READ_MEAN, 12345, "12345s" },
        { M_WAIT_MAX, 999700, "1000us" }, { M_WAIT_MAX, 1.234e10, "12.34s" }, { M_WAIT_MAX, 5e6, "5ms" },
        { M_CTXT, 999.96, "1000/s" }, { M_PW_PACKAGE, 23456.7, "23457W" }, { M_TEMP_TREND, 0.25, "0.25C/s" },
    };
    for (size_t k = 0; k < ARRAY_LEN(row); k++)
        SAME(b_s(&tb, mout_value(&tb, row[k].metric, row[k].v)), row[k].text);
    met_init();
    met.tick = 0;
    met.all = met_inst(DIM_NONE, "");
    EXPECT(counts(M_CTXT, 3000000000) == -1);
    EXPECT(counts(M_CTXT, 10) == 0 && met.backwards == 1); /* not of 32 bits */
    EXPECT(counts(M_CTXT, 110) == 100 && met_at(met.all, M_CTXT)->total == 3000000100);
    met.tick++; /* it cannot be read */
    EXPECT(counts(M_CTXT, 120) == -1 && counts(M_CTXT, 125) == 5);
    met_raw(met.all, M_CTXT, -1);
    EXPECT(met_at(met.all, M_CTXT)->raw == 125);
    /* In a full table, a new instance replaces one that is gone, even of another dimension. */
    char name[16];
    for (u32 k = 1; k < MET_INSTS; k++) {
        snprintf(name, sizeof name, "d%u", k);
        met_inst(DIM_DISK, name);
    }
    EXPECT(met_inst(DIM_DISK, "d1") && !met_inst(DIM_GROUP, "/pod") && met_left_out_now() == 1);
    met.tick++;
    EXPECT(met_inst(DIM_DISK, "d1") && !met_inst(DIM_GROUP, "/pod"));
    met.tick++;
    struct met_inst *d1 = met_inst(DIM_DISK, "d1"), *pod = met_inst(DIM_GROUP, "/pod");
    EXPECT(pod && pod->next == NULL && met_inst(DIM_GROUP, "/pod") == pod && met_inst(DIM_DISK, "d1") == d1);
    EXPECT(met.first[DIM_DISK] == d1 && strcmp(d1->next->name, "d2"));
    for (u32 k = 0; k < 2 * MET_INSTS; k++) { /* pods that come and go */
        snprintf(name, sizeof name, "/pod%u", k);
        met.tick += k % 16 == 0;
        EXPECT(met_inst(DIM_GROUP, name));
    }
    met.src[met.cur].left_out = 0;
    EXPECT(met.n_insts == MET_INSTS && counts(M_CTXT, 125) == -1);
}

/* Judges an interval with these numbers. */
struct number { u8 dim; const char *name; u32 metric; double v; };
#define JUDGE(...) judge((const struct number[]){ __VA_ARGS__, { .name = NULL } })

static void judge(const struct number *n)
{
    met.tick += 9;
    met.all->at = met.tick;
    dg.n_found = 0;
    for (; n->name; n++) {
        const struct met_inst *i = met_inst(n->dim, n->name);
        met_set(i, n->metric, n->v);
        met_at(i, n->metric)->since = 0;
    }
    dg_judge();
}

static const struct dg_finding *found(const char *rule)
{
    for (u32 k = 0; k < dg.n_found; k++)
        if (!strcmp(dg_found[k].rule->name, rule))
            return &dg_found[k];
    return NULL;
}

/* A machine with 64 CPUs. `busy` is the share of busy CPUs; programs wait for memory. */
static void stalls(double busy, double policy)
{
    JUDGE({ DIM_CPU, "", M_IDLE, 1 - busy }, { DIM_CPU, "", M_IOWAIT, 0 }, { DIM_NONE, "", M_CPUS, 64 },
          { DIM_NONE, "", M_STALL_BACK, 0.55 }, { DIM_NONE, "", M_LLC_MPKI, 20 }, { DIM_NONE, "", M_DTLB_WPKI, 12 },
          { DIM_NONE, "", M_THP_POLICY, policy });
}

/* A process whose threads waited and ran for this time, in seconds per second. */
static bool waits(double waited, double ran)
{
    JUDGE({ DIM_PID, "1", M_P_WAIT, waited }, { DIM_PID, "1", M_P_RUN, ran });
    return found("process-waits-for-cpu");
}

static bool measured(const char *rule, double wait, double queue, double refused, double bandwidth)
{
    JUDGE({ DIM_NONE, "", M_WAIT_P99, wait }, { DIM_CPU, "", M_SS_WAIT, 4 }, { DIM_NONE, "", M_CPUS, 16 },
          { DIM_NONE, "", M_BLOCKED, 1 }, { DIM_DISK, "d", M_RQUEUE_P99, queue }, { DIM_DISK, "d", M_DISK_QUEUE, 4 },
          { DIM_QUEUE, "d", M_VQ_REFUSED, refused }, { DIM_QUEUE, "d", M_VQ_STALLED, 0.5 },
          { DIM_QUEUE, "d", M_VQ_FAILED, refused }, { DIM_SOCKET, "d", M_MEM_USED, bandwidth });
    return found(rule);
}

/* Rules about metrics that are not in files. */
TEST(t_diagnose)
{
    dg_tasks = xcalloc(DG_TASKS, sizeof *dg_tasks);
    stalls(0.02, 0);
    EXPECT(!dg.n_found); /* 2 % of its CPUs wait, and not 35 of them */
    stalls(0.75, 0);
    const struct dg_finding *f = found("memory-stalls");
    EXPECT(f && fabs(f->cost - 0.55 * 0.75 * 64) < 1e-6 && found("hugepages-off") && !found("tlb-misses"));
    stalls(0.75, 1);
    EXPECT(found("tlb-misses") && !found("hugepages-off"));
    static const char *const rules[] = { "run-queue-latency", "disk-queue", "virtio-queue-full", "virtio-adds-fail", "memory-bandwidth-full" };
    for (u32 k = 0; k < ARRAY_LEN(rules); k++)
        expect(__LINE__, rules[k], measured(rules[k], 30e6, 60e6, 9, 0.8) && !measured(rules[k], 9e6, 9e6, 0.1, 0.7));
    EXPECT(!waits(40 * 0.004, 40 * 0.3) && waits(0.6, 0.4) && !waits(0.05, 0.01));
}

/* Thresholds are parsed as they are printed; other units and numbers are refused. */
TEST(t_thresholds)
{
    static const char *const wrong[] = { "", "9", "9/s", "%", "-9%", "nan%", "inf%", "1e999%", "9%%", "9 k%", "9 KM%" };
    float v;
    for (const struct dg_rule *r = dg_rules; r->name; r++) {
        const char *s = T(dg_bare(&tb, r->value, (double)r->limit));
        if (r->below || r->limit >= DG_ANY)
            expect(__LINE__, r->name, dg_parse(r->value, s, &v) && fabsf(v - r->limit) <= r->limit / 100);
    }
    EXPECT(u_wrap("ab cd", 5, 4) == 2 && u_wrap("a 50 %", 6, 5) == 1 && u_wrap("abc", 3, 0) == 1);
    EXPECT(u_wrap("€ € €", 11, 3) == 7 && !u_wrap("", 0, 9));
    EXPECT(dg_parse(M_WAIT_P99, "50ms", &v) && fabsf(v - 50e6f) < 1);
    EXPECT(dg_parse(M_WAIT_P99, "2 s", &v) && fabsf(v - 2e9f) < 1);
    EXPECT(dg_parse(M_B_RSS, "1.5MB", &v) && fabsf(v - 1.5f * (1 << 20)) < 1);
    for (u32 k = 0; k < ARRAY_LEN(wrong); k++)
        expect(__LINE__, wrong[k], !dg_parse(M_IDLE, wrong[k], &v));
    EXPECT(!dg_threshold("cpu-busy=12.5%") && strstr(dg_threshold("cpu-busy="), "such as 12.5 %"));
}

/* Forged maps: `stats` has one entry, slot 0, which updates replace; loss counters are 0. Updates and deletions in other maps are
 * counted. */
enum { STATS_FD = 81, OTHER_FD = 80 };
static struct { void *entry; size_t size; u32 changes; } forged;

static long forged_maps(int cmd, void *attr)
{
    union bpf_attr *a = attr;
    const u32 *slot = (const void *)(uintptr_t)a->key;
    void *value = (void *)(uintptr_t)a->value;
    bool stats = a->map_fd == STATS_FD;
    if (cmd == BPF_MAP_LOOKUP_ELEM && stats && *slot)
        return errno = ENOENT, -1;
    if (cmd == BPF_MAP_LOOKUP_ELEM && stats)
        memcpy(value, forged.entry, forged.size);
    else if (cmd == BPF_MAP_LOOKUP_ELEM)
        memset(value, 0, bpf_possible() * sizeof(u64));
    else if (cmd == BPF_MAP_UPDATE_ELEM && stats)
        memcpy(forged.entry, value, forged.size);
    else
        forged.changes++;
    return 0;
}

/* Makes o look like a loaded object of this family, with forged maps. */
static void forge_maps(struct bpf_obj *o, const struct bpf_family *family, void *entry, size_t size)
{
    *o = (struct bpf_obj){ .fam = family };
    memset(o->prog, -1, sizeof o->prog);
    for (u32 i = 0; i < family->n_maps; i++)
        o->map[i] = strcmp(family->maps[i].name, "stats") ? OTHER_FD : STATS_FD;
    forged.entry = entry, forged.size = size, forged.changes = 0;
    fake_bpf = forged_maps;
}

static void next_interval(void (*read)(void))
{
    met.tick++;
    met.all->at = met.tick;
    met.read_ns = met.src[met.cur].at_ns = met.tick * NSEC;
    met.src[met.cur].elapsed_s = 1;
    met.src[met.cur].wrong = 0;
    read();
}

static struct met_inst *known(u8 dim, const char *name)
{
    for (struct met_inst *i = met.first[dim]; i; i = i->next)
        if (!strcmp(i->name, name) && i->at == met.tick)
            return i;
    return NULL;
}

/* A ring whose names lack a NUL, and a removed ring, which frees its slot. (The guest tests virtio and vhost check the counts.) */
TEST(t_virtio)
{
    static struct wire_vq w = { .born_ns = 5, .added = 100, .kicks = 60, .notified = 40, .state = VQ_SEEN | VQ_NAMED,
                                .size = 128, .index = 1, .missed = 3 };
    memset(w.dev, 'd', sizeof w.dev), memset(w.driver, 'r', sizeof w.driver), memset(w.name, 'n', sizeof w.name);
    forge_maps(&vq.obj, &vq_family, &w, sizeof w);
    next_interval(vq_read);
    struct met_inst *i = known(DIM_QUEUE, "dddddddddddddd/1:nnnnnnnnnnnnn");
    EXPECT(i && strstr(i->info, "rrr") && strstr(i->info, "split") && met_at(i, M_VQ_SIZE)->v == 128 && vq.missed == 3);
    w.added += 10, w.kicks += 9, w.notified += 4, w.sum[VQ_DEPTH] += 640, w.hist[VQ_DEPTH * DELAY_BUCKETS + 64] += 10;
    next_interval(vq_read);
    EXPECT(met_at(i, M_VQ_SUPPRESSED)->v == 5 && met_at(i, M_VQ_USED)->v == 0.5); /* 64 of 128 descriptors at each add */
    w.state |= VQ_GONE; /* its slot is freed, and its missed runs stay counted */
    next_interval(vq_read);
    EXPECT(!known(DIM_QUEUE, "dddddddddddddd/1:nnnnnnnnnnnnn") && !w.state && forged.changes == 1);
    next_interval(vq_read);
    EXPECT(vq.missed == 3);
    fake_bpf = NULL;
    vq.obj.fam = NULL;
}

TEST(t_vhost)
{
    static struct wire_vh w = { .kicks = 100, .known = 50, .comm = "vhost-x" };
    char name[64];
    w.key = (struct wire_vh_key){ .worker = (u32)getpid(), .device = VH_NET, .queue = 1 }; /* a worker must be alive */
    snprintf(name, sizeof name, "net/%d/tx", getpid());
    forge_maps(&vh.obj, &vhost_family, &w, sizeof w);
    vh.deep = true;
    next_interval(vh_read);
    EXPECT(known(DIM_VHOST, name) && !forged.changes);
    w.key.worker = 0x7fffffff; /* it has ended: no pid is this large (include/linux/threads.h) */
    next_interval(vh_read);
    EXPECT(!w.key.worker && (forged.changes == 2 || bpf_pid_ns(NULL)));
    fake_bpf = NULL;
    vh.obj.fam = NULL;
}

/* A JSON list whose beginning did not fit into memory. */
TEST(t_json_end)
{
    struct buf none = { 0 };
    mout_json_end(&none, "");
    EXPECT(!none.len);
    b_free(&none);
}

TEST(t_listen)
{
    static const char *const right[] = { "[::1]:9100", "9100", ":9100", "10.0.0.1:1" };
    static const char *const wrong[] = { "[::1:9100", "[:1", "[]:1", "::1:1", "1.2.3:1", "1:", "" };
    for (u32 k = 0; k < ARRAY_LEN(right); k++)
        expect(__LINE__, right[k], !hs_opt_listen(right[k]));
    for (u32 k = 0; k < ARRAY_LEN(wrong); k++)
        expect(__LINE__, wrong[k], hs_opt_listen(wrong[k]));
}

/* PTRACE_SYSCALL_INFO_NONE */
static long info_none(long req, void *data)
{
    (void)req;
    memset(data, 0, offsetof(struct ptrace_syscall_info, entry));
    return offsetof(struct ptrace_syscall_info, entry);
}

TEST(t_stop_without_call)
{
    struct stop s = { .nr = 99, .arg = { 1, 2, 3, 4, 5, 6 }, .abi = ARCH_NATIVE }, was = s;
    fake_ptrace = info_none;
    EXPECT(arch_stop(1, PTRACE_SYSCALL_INFO_ENTRY, &s) == 0);
    fake_ptrace = NULL;
    EXPECT(s.op == PTRACE_SYSCALL_INFO_NONE && s.nr == 99 && !memcmp(s.arg, was.arg, sizeof s.arg) && s.abi == was.abi);
}

/* One binary for both, because compiling kvis.c with the sanitizers needs ten seconds. */
#include "btf.c"

/* A write that returns 0 is an error with its own errno. */
TEST(t_write)
{
    writes_nothing = true;
    errno = EACCES;
    EXPECT(out_write_all(STDERR_FILENO, "x", 1) == -ENOSPC);
    writes_nothing = false;
}

/* A BTF file that is truncated while it is in use: with a mapping, this would be SIGBUS. */
TEST(t_btf_cut)
{
    struct btf_file b = { .size = 3 << 12 };
    int fd = open(".", O_TMPFILE | O_RDWR, 0600);
    EXPECT(fd >= 0 && ftruncate(fd, b.size) == 0 && pwrite(fd, "x", 1, 2 << 12) == 1);
    EXPECT(btf_read(&b, fd) == 0);
    EXPECT(ftruncate(fd, 0) == 0 && b.p[2 << 12] == 'x');
    munmap((void *)(uintptr_t)b.p, b.size);
    close(fd);
}

int main(int argc, char **argv)
{
    extern void (*const __start_tests[])(void), (*const __stop_tests[])(void);
    if (getenv("OLD"))
        return kvis_main(argc, argv);
    if (argc > 1)
        return btf_main(argc, argv);
    nm_init();
    sc_init();
    sc_parse("all");
    st.duration_ns = 1;
    st.backend = "hybrid"; /* needed for a summary */
    for (void (*const *test)(void) = __start_tests; test < __stop_tests; test++)
        (*test)();
    printf("unit: %d expectations hold, %d do not\n", passed, failed);
    return failed != 0;
}
