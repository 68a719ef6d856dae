/* A FUSE file system (fuse.h) in its own mount namespace, and its client. A tracer that used the file system while it held the
 * server would wait forever. */
#include "t.h"
#include "fuse.h"

static int dev;

static void client(void)
{
    char path[4200], got[sizeof fuse_content];
    struct stat s;
    snprintf(path, sizeof path, "%smnt/hello", t_cwd);
    int fd = (int)CHK(open(path, O_RDONLY));
    CHK(fstat(fd, &s));
    MUST(read(fd, got, sizeof got) == (ssize_t)sizeof got && !memcmp(got, fuse_content, sizeof got));
    want("one('open', path='%s', fd=%d)", path, fd);
    want("tot('read', 'bytes', filename='%s') == %zu", path, sizeof got);
    want("one('open', path='%smnt/absent')['error'] == 'ENOENT'", t_cwd);
    MUST(open("mnt/absent", O_RDONLY) == -1 && errno == ENOENT);
    /* The server must supply the page of this argument. */
    const char *map = mmap(NULL, sizeof fuse_content, PROT_READ, MAP_PRIVATE, fd, 0);
    MUST(map != MAP_FAILED);
    CHK(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
    CHK(open(map, O_RDONLY | O_CREAT, 0600));
    want("by('open', fd=%d)", fd + 1);
    CHK(close(fd));
    want("one('close', path='%s')['bytes_read'] == %zu", path, sizeof got);
}

static void mounted(void)
{
    MUST(snprintf(fuse_content, sizeof fuse_content, "%stold", t_cwd) < (int)sizeof fuse_content);
    dev = fuse_mounted();
}

static pid_t server(void)
{
    mounted();
    return CHILD(fuse_serve(&dev));
}

SCENE(process)
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

SCENE(thread)
{
    pthread_t t;
    mounted();
    MUST(!pthread_create(&t, NULL, fuse_serve, &dev));
    client();
    CHK(umount2("mnt", MNT_DETACH));
}

/* The server is stopped until a file "stop" exists. The program has mapped one of its files, and has just opened a path through it. */
SCENE(hung)
{
    pid_t p = server();
    int fd = (int)CHK(open("mnt/hello", O_RDONLY));
    const volatile char *map = mmap(NULL, sizeof fuse_content, PROT_READ, MAP_PRIVATE, fd, 0);
    MUST(map != MAP_FAILED && map[0] == '/');
    t_put("told", 1);
    CHK(open("mnt/dir/../../told", O_RDONLY));
    CHK(mount("none", "mnt/dir", "tmpfs", 0, NULL)); /* its path leads through the server */
    CHK(kill(p, SIGSTOP));
    CHK(open("/dev/null", O_RDONLY));
    FILE *f = fopen("pid", "w");
    MUST(f && fprintf(f, "%d\n", getpid()) > 0 && !fclose(f));
    for (int i = 0; i < 2000 && access("stop", F_OK); i++)
        usleep(10000);
    CHK(kill(p, SIGCONT)); /* closing needs the server */
    CHK(munmap((char *)(uintptr_t)map, sizeof fuse_content));
    CHK(close(fd));
    CHK(umount2("mnt", MNT_DETACH));
    CHK(close(dev));
    CHK(kill(p, SIGKILL));
}

T_MAIN
