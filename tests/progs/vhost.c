/* vhost [ROUNDS]: drives vhost devices as a guest does, with rings in its own memory. Each kick is one run of the handler, because the
 * next kick follows after the end of that run. Prints what it did as NAME=VALUE for a shell, and waits for the end of its standard
 * input. */
#include "t.h"

#include <dirent.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/vhost.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

enum { NUM = 64, RX = 0, TX = 1, IOMMU = 33 /* VIRTIO_F_ACCESS_PLATFORM */ };

/* The parts of a ring, aligned as they must be (virtio 1.2, 2.7). */
struct ring {
    struct vring_desc desc[NUM];
    struct { uint16_t flags, idx, ring[NUM], unused; } avail;
    struct { uint16_t flags, idx; struct vring_used_elem ring[NUM]; uint16_t unused; } used;
    char data[2048];
} __attribute__((aligned(4096)));

struct device {
    int fd, kick[2];
    unsigned first; /* the number of the first of the two queues */
    long worker;
    struct ring *ring; /* of rx, tx */
};

static int tap(void)
{
    struct ifreq r = { .ifr_name = "kvis0" };
    int f = open("/dev/net/tun", O_RDWR), s = socket(AF_INET, SOCK_DGRAM, 0), size = 12;
    if (f < 0)
        f = open("/dev/tun", O_RDWR);
    r.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
    MUST(f >= 0 && s >= 0 && ioctl(f, TUNSETIFF, &r) == 0 && ioctl(f, TUNSETVNETHDRSZ, &size) == 0);
    r.ifr_flags = IFF_UP;
    MUST(ioctl(s, SIOCSIFFLAGS, &r) == 0);
    close(s);
    return f;
}

/* The newest thread vhost-PID. Before 6.4, it is a kernel thread. */
static long newest(const char *dir)
{
    char want[32], path[320], comm[32];
    long tid = 0;
    snprintf(want, sizeof want, "vhost-%d\n", getpid());
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s/comm", dir, e->d_name);
        t_read(path, comm, sizeof comm);
        if (!strcmp(comm, want) && atol(e->d_name) > tid)
            tid = atol(e->d_name);
    }
    if (d)
        closedir(d);
    return tid;
}

/* Gives a queue another eventfd, for which the kernel waits until the worker has done its work (pollstop in vhost_vring_ioctl,
 * drivers/vhost/vhost.c). */
static void flush(struct device *d, unsigned n)
{
    int was = d->kick[n];
    struct vhost_vring_file kick = { d->first + n, d->kick[n] = eventfd(0, EFD_CLOEXEC) };
    MUST(ioctl(d->fd, VHOST_SET_VRING_KICK, &kick) == 0);
    if (was)
        close(was);
}

static void set_ring(struct device *d, unsigned n)
{
    struct ring *r = &d->ring[n];
    unsigned at_dev = d->first + n;
    struct vhost_vring_state num = { at_dev, NUM }, base = { at_dev, 0 };
    struct vhost_vring_addr at = { .index = at_dev, .desc_user_addr = (uintptr_t)r->desc,
                                   .avail_user_addr = (uintptr_t)&r->avail,
                                   .used_user_addr = (uintptr_t)&r->used };
    struct vhost_vring_file call = { at_dev, eventfd(0, EFD_CLOEXEC) };
    MUST(ioctl(d->fd, VHOST_SET_VRING_NUM, &num) == 0 && ioctl(d->fd, VHOST_SET_VRING_BASE, &base) == 0
         && ioctl(d->fd, VHOST_SET_VRING_ADDR, &at) == 0
         && ioctl(d->fd, VHOST_SET_VRING_CALL, &call) == 0);
    flush(d, n);
}

/* False: there is no such device here. */
static int begin(struct device *d, const char *path, unsigned long long features)
{
    struct { struct vhost_memory m; struct vhost_memory_region r; } mem = { { .nregions = 1 }, { 0 } };
    d->fd = open(path, O_RDWR);
    if (d->fd < 0)
        return 0;
    d->ring = (void *)t_map(2 * sizeof *d->ring);
    mem.r.guest_phys_addr = mem.r.userspace_addr = (uintptr_t)d->ring;
    mem.r.memory_size = 2 * sizeof *d->ring;
    features |= 1ull << 32; /* VIRTIO_F_VERSION_1 */
    MUST(ioctl(d->fd, VHOST_SET_OWNER) == 0);
    d->worker = newest("/proc/self/task");
    if (!d->worker)
        d->worker = newest("/proc");
    MUST(d->worker);
    MUST(ioctl(d->fd, VHOST_SET_FEATURES, &features) == 0);
    MUST(ioctl(d->fd, VHOST_SET_MEM_TABLE, &mem) == 0);
    set_ring(d, RX);
    set_ring(d, TX);
    return 1;
}

static void backend(struct device *d, int fd)
{
    struct vhost_vring_file f = { TX, fd };
    MUST(ioctl(d->fd, VHOST_NET_SET_BACKEND, &f) == 0);
}

/* Makes n buffers of `len` bytes available to the device. */
static void give(struct device *d, unsigned q, unsigned n, unsigned len)
{
    struct ring *r = &d->ring[q];
    for (unsigned i = 0; i < n; i++) {
        unsigned at = (uint16_t)(r->avail.idx + i) % NUM;
        r->desc[at] = (struct vring_desc){ (uintptr_t)r->data, len, q == RX ? VRING_DESC_F_WRITE : 0, 0 };
        r->avail.ring[at] = (uint16_t)at;
    }
    __atomic_store_n(&r->avail.idx, (uint16_t)(r->avail.idx + n), __ATOMIC_RELEASE);
}

static void until_used(struct device *d, unsigned q)
{
    while (__atomic_load_n(&d->ring[q].used.idx, __ATOMIC_ACQUIRE) != d->ring[q].avail.idx)
        usleep(500);
}

/* A kick with n more buffers; waits until its work is done. */
static void kick(struct device *d, unsigned q, unsigned n, unsigned len)
{
    unsigned long long one = 1;
    give(d, q, n, len);
    MUST(write(d->kick[q], &one, sizeof one) == sizeof one);
    flush(d, q);
}

/* Pauses with a ring that is not empty, because the tap is removed. */
static void pauses(struct device *d, int tapfd)
{
    unsigned long long from = 0, least = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        backend(d, -1);
        from = t_ns();
        kick(d, TX, 5, 72);
        least -= t_ns();
        usleep(100000);
        least += t_ns();
        backend(d, tapfd);
        until_used(d, TX);
        most += t_ns() - from;
        flush(d, TX);
    }
    say("stalls=3 stalled_least=%llu stalled_most=%llu", least, most);
}

static void net(int rounds)
{
    static struct device d, mmu;
    if (!begin(&d, "/dev/vhost-net", 0))
        skip("no /dev/vhost-net");
    int tapfd = tap();
    unsigned long long from = t_ns(), idle = 0;
    backend(&d, tapfd);
    flush(&d, TX);
    for (int i = 0; i < rounds; i++) {
        kick(&d, TX, i % 10 ? 3 : 20, 72);
        until_used(&d, TX);
        idle -= t_ns();
        usleep(2000);
        idle += t_ns();
    }
    pauses(&d, tapfd);
    say("tx_kicks=%d tx_20=%d tx_3=%d idle_least=%llu whole=%llu", rounds + 3, (rounds + 9) / 10,
        rounds - (rounds + 9) / 10, idle, t_ns() - from);
    for (int i = 0; i < 4; i++) /* the buffers stay in the ring: 2, 4, 6, 8 */
        kick(&d, RX, 2, 512);
    say("net_worker=%ld rx_kicks=4", d.worker);
    MUST(begin(&mmu, "/dev/vhost-net", 1ull << IOMMU));
    for (int i = 0; i < 3; i++)
        kick(&mmu, TX, 1, 72);
    say("mmu_worker=%ld mmu_kicks=3", mmu.worker);
}

static void vsock(void)
{
    static struct device d;
    unsigned long long cid = 42;
    int on = 1;
    if (!begin(&d, "/dev/vhost-vsock", 0)) {
        say("vsock_worker=0");
        return;
    }
    MUST(ioctl(d.fd, VHOST_VSOCK_SET_GUEST_CID, &cid) == 0);
    MUST(ioctl(d.fd, VHOST_VSOCK_SET_RUNNING, &on) == 0);
    flush(&d, TX); /* some kernels read the ring now, which is a separate run */
    for (int i = 0; i < 5; i++) {
        kick(&d, TX, 7, 44);
        until_used(&d, TX);
    }
    say("vsock_worker=%ld vsock_kicks=5", d.worker);
}

/* The first request queue of a device without a target: requests stay in the ring. */
static void scsi(void)
{
    static struct device d = { .first = 2 };
    if (!begin(&d, "/dev/vhost-scsi", 0)) {
        say("scsi_worker=0");
        return;
    }
    for (int i = 0; i < 3; i++)
        kick(&d, 0, 4, 64);
    say("scsi_worker=%ld scsi_kicks=3", d.worker);
}

int main(int argc, char **argv)
{
    char c;
    net(argc > 1 ? atoi(argv[1]) : 50);
    vsock();
    scsi();
    say("pid=%d done=1", getpid());
    while (read(0, &c, 1) > 0)
        ;
    return 0;
}
