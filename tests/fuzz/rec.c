/* Used by the case fuzz_rec.
 * rec.c: a libFuzzer target for the reader of recordings; kvis.c included. The input is blocks of
 * {u16 bytes, bytes}; their checksums are made here, so that the reader gets to what is in them. All
 * sinks are on, and write to /dev/null. */
#define _GNU_SOURCE 1
#define main kvis_main
#include "../../kvis.c"
#undef main

static void block(int f, const u8 *p, u32 n, u32 number)
{
    u8 head[8], num[4];
    rec_le32(num, number);
    rec_le32(head, n);
    rec_le32(head + 4, rec_crc(rec_crc(0, num, 4), p, n));
    if (write(f, head, 8) != 8 || write(f, p, n) != (ssize_t)n)
        abort();
}

static void once(void)
{
    sc_init();
    nm_init();
    opt.verbose = 1;
    out.text.b.max = out.json.b.max = 32 << 20;
    out.json_on = out.events_on = true;
    out.text.fd[0] = out.json.fd[0] = open("/dev/null", O_WRONLY);
    px_open(out.text.fd[0], "null");
    rep_begin();
}

static void reset(void)
{
    memset(&st, 0, sizeof st);
    memset(&rp, 0, sizeof rp);
    rec_stats = &st.all;
    rec_end.delays = NULL;
    opt.n_pids = 0;
    rec_run.backend = "?";
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    static int f = -1;
    u8 head[REC_HEAD] = { 0 };
    if (f < 0)
        f = memfd_create("recording", 0), once();
    sc_parse("all");
    reset();
    memcpy(head, rec_magic, 8);
    rec_le32(head + 8, REC_VERSION);
    rec_le32(head + 12, rec_crc(0, head, 12));
    if (ftruncate(f, 0) || lseek(f, 0, SEEK_SET) || write(f, head, sizeof head) != sizeof head)
        abort();
    for (u32 i = 0; size > 2; i++) {
        u32 n = MIN((u32)(data[0] | data[1] << 8), (u32)size - 2);
        block(f, data + 2, n, i);
        data += 2 + n, size -= 2 + n;
    }
    lseek(f, 0, SEEK_SET);
    if (rec_open_fd(f, "fuzz") == 0 && rp_head()) {
        if (rp_play())
            opt.count_too = true, st_report(&rec_end, true);
        else if (!*rin.wrong)
            abort();
    }
    out_flush();
    return 0;
}
