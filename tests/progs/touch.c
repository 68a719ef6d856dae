/* touch direct FILE, or touch relative FILE from its directory: uses a file by its path and by its descriptors in
 * every way that a system call can name one. Failures are ignored. */
#include "t.h"
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>

enum { FSCONFIG_NR = 431, SET_FLAG = 0, SET_PATH = 3, SET_FD = 5 };

static void by_descriptor(int fd, int other)
{
    char b[16];
    struct stat st;
    struct iovec v = { b, sizeof b };
    struct pollfd one[2] = { { other, POLLIN, 0 }, { fd, POLLIN, 0 } };
    static struct pollfd many[300];
    struct epoll_event ev = { .events = EPOLLIN };
    struct timespec now = { 0, 0 };
    fd_set r, none;
    read(fd, b, sizeof b);
    readv(fd, &v, 1);
    fstat(fd, &st);
    fcntl(fd, F_GETFL);
    ioctl(fd, 0x5401, b); /* TCGETS */
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), 4096);
    poll(one, 2, 0);
    poll(one, 1, 0); /* without the file */
    for (int i = 0; i < 300; i++)
        many[i].fd = i == 299 ? fd : -1;
    poll(many, 300, 0);
    ppoll(one, 2, &now, NULL);
    FD_ZERO(&r);
    FD_ZERO(&none);
    FD_SET(fd, &r);
    FD_SET(other, &none);
    struct timeval tv = { 0, 0 };
    syscall(SYS_pselect6, fd + 1, &r, NULL, NULL, &now, NULL);
    syscall(SYS_pselect6, fd + 1, NULL, &r, NULL, &now, NULL);
    syscall(SYS_pselect6, other + 1, &none, NULL, NULL, &now, NULL); /* without the file */
#ifdef SYS_select
    syscall(SYS_select, fd + 1, NULL, NULL, &r, &tv);
#endif
    int ep = epoll_create1(0), out = open("out", O_CREAT | O_TRUNC | O_RDWR, 0600);
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
    sendfile(out, fd, NULL, 10);
    syscall(SYS_copy_file_range, fd, NULL, out, NULL, 10, 0);
    syscall(FSCONFIG_NR, -1, SET_FD, "key", NULL, fd);
    syscall(FSCONFIG_NR, -1, SET_FLAG, "key", NULL, fd); /* here, the last argument is not a descriptor */
    syscall(FSCONFIG_NR, fd, SET_FLAG, "key", NULL, 0);
    int twin = dup(fd);
    dup2(out, twin);
    dup2(fd, -1);
    dup3(fd, fd, 0);
    fcntl(fd, F_DUPFD, 50);
    close(50);
    write(twin, "x", 1); /* now `out` */
    close(twin), close(out), close(ep);
    openat(fd, "below", O_RDONLY); /* not a directory */
    close(fd);
    close(fd); /* already closed */
    read(fd, b, 1);
}

static void by_path(const char *file)
{
    char b[256];
    struct stat st;
    stat(file, &st);
    lstat(file, &st);
    access(file, R_OK);
    readlink(file, b, sizeof b);
    chmod(file, 0600);
    truncate(file, 100);
    symlink(file, "link");
    unlink("link");
    rename(file, "moved");
    rename("moved", file);
    int in = inotify_init1(0);
    inotify_add_watch(in, file, IN_OPEN);
    close(in);
    syscall(FSCONFIG_NR, -1, SET_PATH, "key", file, AT_FDCWD);
    statx(AT_FDCWD, file, 0, STATX_MODE, (void *)&(char[256]){ 0 });
    mkdir(file, 0700);
    syscall(SYS_mount, file, "nowhere", "nosuchfs", 0, NULL);
    execl(file, file, (char *)NULL);
    close(open(file, O_RDONLY));
}

int main(int argc, char **argv)
{
    MUST(argc == 3);
    const char *slash = strrchr(argv[2], '/'), *file = argv[2];
    if (!strcmp(argv[1], "relative") && slash) {
        char dir[4096] = "";
        memcpy(dir, argv[2], (size_t)(slash - argv[2]));
        CHK(chdir(dir));
        file = slash + 1;
    }
    int other = (int)CHK(open("/dev/null", O_RDONLY));
    by_path(file);
    by_descriptor((int)CHK(open(file, O_RDWR)), other);
    return 0;
}
