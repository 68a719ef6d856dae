/* A FUSE file system by hand (<linux/fuse.h>): its mount and its answers. fuse.c and opens.c include this file after t.h. */
#include <linux/fuse.h>
#include <sys/mount.h>

static const struct fuse_init_out fuse_version = { .major = 7, .minor = 26, .max_write = 4096 };

/* Mounts a file system on DIR, and returns the descriptor of its server, or -1. */
static int fuse_mount(const char *dir, const char *more_options)
{
    char options[128];
    int dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0%s", dev, more_options);
    return dev < 0 || mount("kvis", dir, "fuse", MS_NOSUID | MS_NODEV, options) ? -1 : dev;
}

/* The requester may be gone (ENOENT), and the file system unmounted (ENODEV). */
static void fuse_answer(int dev, uint64_t request, int err, const void *data, size_t n)
{
    struct fuse_out_header h = { .len = (uint32_t)(sizeof h + n), .error = -err, .unique = request };
    struct iovec v[2] = { { &h, sizeof h }, { (void *)(uintptr_t)data, n } };
    if (writev(dev, v, 2) < 0 && errno != ENOENT && errno != ENODEV)
        _exit(98);
}
