/* I/O that kvis monitor -c virtio must count: `ring reads DISK TOGETHER N` makes N times TOGETHER reads of a disk,
 * submitted by one call and awaited; `ring frames INTERFACE N` sends Ethernet frames. Prints what it did as
 * NAME=NUMBER. */
#include "t.h"

#include <linux/aio_abi.h>
#include <net/if.h>
#include <netpacket/packet.h>

/* No two next to each other, which would become one request. */
static void reads(const char *disk, int together, int n)
{
    static _Alignas(4096) char pages[64][4096];
    static struct iocb cb[64], *list[64];
    struct io_event done[64];
    char path[64];
    aio_context_t ctx = 0;
    snprintf(path, sizeof path, "/dev/%s", disk);
    int f = open(path, O_RDONLY | O_DIRECT);
    MUST(f >= 0 && together <= 64 && syscall(SYS_io_setup, 64, &ctx) == 0);
    unsigned long long t = t_ns();
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < together; k++) {
            cb[k] = (struct iocb){ .aio_fildes = (unsigned)f, .aio_lio_opcode = IOCB_CMD_PREAD,
                                   .aio_buf = (uintptr_t)pages[k], .aio_nbytes = 4096,
                                   .aio_offset = (i * 64 + k) % 4000 * 16384 };
            list[k] = &cb[k];
        }
        MUST(syscall(SYS_io_submit, ctx, together, list) == together);
        MUST(syscall(SYS_io_getevents, ctx, together, together, done, NULL) == together);
        for (int k = 0; k < together; k++)
            MUST(done[k].res == 4096);
    }
    say("reads=%d took_ns=%llu", together * n, t_ns() - t);
}

static void frames(const char *name, int n)
{
    static unsigned char frame[64] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x88, 0xb5 };
    struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(name) };
    int s = socket(AF_PACKET, SOCK_RAW, 0);
    MUST(s >= 0 && to.sll_ifindex);
    for (int i = 0; i < n; i++)
        MUST(sendto(s, frame, sizeof frame, 0, (void *)&to, sizeof to) == sizeof frame);
    say("frames=%d", n);
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "reads"))
        reads(argv[2], atoi(argv[3]), atoi(argv[4]));
    else if (argc == 4 && !strcmp(argv[1], "frames"))
        frames(argv[2], atoi(argv[3]));
    else
        return 2;
    return 0;
}
