/* A FUSE file system (<linux/fuse.h>), in a mount namespace of its own, and a client of it. Untraced, they cannot
 * wait for each other; a tracer that uses the file system while it holds the server would wait forever. */
#include "t.h"
#include "fuse.h"

enum { ROOT = FUSE_ROOT_ID, HELLO, DIRECTORY };
static char content[4096]; /* of mnt/hello: a path, then NULs */
static int dev;

static struct fuse_attr attr(uint64_t node)
{
    return (struct fuse_attr){ .ino = node, .nlink = 1, .size = node == HELLO ? sizeof content : 0,
                               .mode = node == HELLO ? S_IFREG | 0644 : S_IFDIR | 0755 };
}

static void serve_one(const struct fuse_in_header *h, const void *arg)
{
    uint64_t node = h->opcode == FUSE_LOOKUP && !strcmp(arg, "dir") ? DIRECTORY : HELLO;
    struct fuse_entry_out entry = { .nodeid = node, .attr = attr(node) };
    struct fuse_attr_out at = { .attr = attr(h->nodeid) };
    struct fuse_open_out op = { .fh = 1 };
    const struct fuse_read_in *rd = arg;
    switch (h->opcode) {
    case FUSE_INIT: fuse_answer(dev, h->unique, 0, &fuse_version, sizeof fuse_version); break;
    case FUSE_LOOKUP: strcmp(arg, "hello") && node == HELLO ? fuse_answer(dev, h->unique, ENOENT, NULL, 0)
                                           : fuse_answer(dev, h->unique, 0, &entry, sizeof entry); break;
    case FUSE_GETATTR: fuse_answer(dev, h->unique, 0, &at, sizeof at); break;
    case FUSE_OPEN: case FUSE_OPENDIR: fuse_answer(dev, h->unique, 0, &op, sizeof op); break;
    case FUSE_READ:
        fuse_answer(dev, h->unique, 0, content + (rd->offset < sizeof content ? rd->offset : sizeof content),
               rd->offset < sizeof content ? sizeof content - rd->offset : 0);
        break;
    case FUSE_FLUSH: case FUSE_RELEASE: case FUSE_RELEASEDIR: fuse_answer(dev, h->unique, 0, NULL, 0); break;
    case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: break;
    default: fuse_answer(dev, h->unique, ENOSYS, NULL, 0);
    }
}

static void *serve(void *unused)
{
    static char buf[1 << 17] __attribute__((aligned(8)));
    for (;;) {
        ssize_t n = read(dev, buf, sizeof buf);
        if (n >= (ssize_t)sizeof(struct fuse_in_header))
            serve_one((const void *)buf, buf + sizeof(struct fuse_in_header));
        else if (errno != EINTR && errno != ENOENT && errno != EAGAIN)
            return unused; /* ENODEV: unmounted */
    }
}

static void client(void)
{
    char path[4200], got[sizeof content];
    struct stat s;
    snprintf(path, sizeof path, "%smnt/hello", t_cwd);
    int fd = (int)CHK(open(path, O_RDONLY));
    CHK(fstat(fd, &s));
    MUST(read(fd, got, sizeof got) == (ssize_t)sizeof got && !memcmp(got, content, sizeof got));
    want("one('open', path='%s', fd=%d)", path, fd);
    want("tot('read', 'bytes', filename='%s') == %zu", path, sizeof got);
    want("one('open', path='%smnt/absent')['error'] == 'ENOENT'", t_cwd);
    MUST(open("mnt/absent", O_RDONLY) == -1 && errno == ENOENT);
    /* An argument whose page the server has to bring, and has not brought yet. */
    const char *map = mmap(NULL, sizeof content, PROT_READ, MAP_PRIVATE, fd, 0);
    MUST(map != MAP_FAILED);
    CHK(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
    CHK(open(map, O_RDONLY | O_CREAT, 0600));
    want("by('open', fd=%d)", fd + 1);
    CHK(close(fd));
    want("one('close', path='%s')['bytes_read'] == %zu", path, sizeof got);
}

static void mounted(void)
{
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        skip("a mount namespace");
    CHK(mkdir("mnt", 0700));
    snprintf(content, sizeof content, "%stold", t_cwd);
    dev = fuse_mount("mnt", "");
    if (dev < 0)
        skip("mount fuse");
}

static pid_t server(void)
{
    mounted();
    return CHILD(serve(NULL));
}

static void process(void)
{
    pid_t p = server();
    client();
    CHK(umount2("mnt", MNT_DETACH));
    CHK(close(dev));
    int st;
    for (int i = 0; !CHK(waitpid(p, &st, WNOHANG)); i++) { /* the mapping keeps it mounted */
        usleep(10000);
        if (i == 20)
            CHK(kill(p, SIGKILL));
    }
}

static void thread(void)
{
    pthread_t t;
    mounted();
    MUST(!pthread_create(&t, NULL, serve, NULL));
    client();
    CHK(umount2("mnt", MNT_DETACH));
}

/* fuse hung: the server is stopped, with a file of it mapped and a path through it just opened, until there is a file
 * "stop". */
static void hung(void)
{
    pid_t p = server();
    int fd = (int)CHK(open("mnt/hello", O_RDONLY));
    const volatile char *map = mmap(NULL, sizeof content, PROT_READ, MAP_PRIVATE, fd, 0);
    MUST(map != MAP_FAILED && map[0] == '/');
    t_put("told", 1);
    CHK(open("mnt/dir/../../told", O_RDONLY));
    CHK(mount("none", "mnt/dir", "tmpfs", 0, NULL)); /* the way to it leads through the server */
    CHK(kill(p, SIGSTOP));
    CHK(open("/dev/null", O_RDONLY));
    FILE *f = fopen("pid", "w");
    MUST(f && fprintf(f, "%d\n", getpid()) > 0 && !fclose(f));
    for (int i = 0; i < 2000 && access("stop", F_OK); i++)
        usleep(10000);
    CHK(kill(p, SIGCONT)); /* closing asks it */
    CHK(munmap((char *)(uintptr_t)map, sizeof content));
    CHK(close(fd));
    CHK(umount2("mnt", MNT_DETACH));
    CHK(close(dev));
    CHK(kill(p, SIGKILL));
}

SCENES({ "process", process }, { "thread", thread }, { "hung", hung })
