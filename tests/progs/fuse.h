/* A FUSE file system without libfuse. fuse.c, ill.c and opens.c include this file after t.h. */
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

/* Mounts a file system on the new directory mnt, in a new mount namespace or, with FUSE_HERE, in that of its tracer. */
static inline int fuse_mounted(void)
{
    if ((!getenv("FUSE_HERE") && unshare(CLONE_NEWNS)) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        skip("a mount namespace");
    CHK(chdir(t_cwd)); /* so far, it is the directory in the old namespace */
    CHK(mkdir("mnt", 0700));
    int dev = fuse_mount("mnt", "");
    if (dev < 0)
        skip("mount fuse");
    return dev;
}

enum { FUSE_HELLO = 2 };
static char fuse_content[4096]; /* of the file hello: a path, then NULs */

/* The file system has a file hello, and a directory for each name that begins with d. */
static inline void fuse_serve_one(int dev, const struct fuse_in_header *h, const void *arg)
{
    int hello = h->opcode == FUSE_LOOKUP ? !strcmp(arg, "hello") : h->nodeid == FUSE_HELLO;
    uint64_t node = h->opcode != FUSE_LOOKUP ? h->nodeid : hello ? FUSE_HELLO : h->nodeid * 1024 + strlen(arg);
    struct fuse_attr attr = { .ino = node, .nlink = 1, .size = hello ? sizeof fuse_content : 0,
                              .mode = hello ? S_IFREG | 0644 : S_IFDIR | 0755 };
    struct fuse_entry_out entry = { .nodeid = node, .attr = attr };
    struct fuse_attr_out at = { .attr = attr };
    struct fuse_open_out op = { .fh = 1 };
    const struct fuse_read_in *rd = arg;
    switch (h->opcode) {
    case FUSE_INIT: fuse_answer(dev, h->unique, 0, &fuse_version, sizeof fuse_version); break;
    case FUSE_LOOKUP:
        if (hello || *(const char *)arg == 'd')
            fuse_answer(dev, h->unique, 0, &entry, sizeof entry);
        else
            fuse_answer(dev, h->unique, ENOENT, NULL, 0);
        break;
    case FUSE_GETATTR: fuse_answer(dev, h->unique, 0, &at, sizeof at); break;
    case FUSE_OPEN: case FUSE_OPENDIR: fuse_answer(dev, h->unique, 0, &op, sizeof op); break;
    case FUSE_READ:
        fuse_answer(dev, h->unique, 0, fuse_content, rd->offset ? 0 : sizeof fuse_content);
        break;
    case FUSE_FLUSH: case FUSE_RELEASE: case FUSE_RELEASEDIR: fuse_answer(dev, h->unique, 0, NULL, 0); break;
    case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: break;
    default: fuse_answer(dev, h->unique, ENOSYS, NULL, 0);
    }
}

/* Serves at *dev until it is unmounted; for a process or a thread. */
static inline void *fuse_serve(void *dev)
{
    static char buf[1 << 17] __attribute__((aligned(8)));
    for (int fd = *(int *)dev;;) {
        ssize_t n = read(fd, buf, sizeof buf);
        if (n >= (ssize_t)sizeof(struct fuse_in_header))
            fuse_serve_one(fd, (const void *)buf, buf + sizeof(struct fuse_in_header));
        else if (errno != EINTR && errno != ENOENT && errno != EAGAIN)
            return NULL; /* ENODEV: unmounted */
    }
}
