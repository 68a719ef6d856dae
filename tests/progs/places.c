/* Changes its directory, root, descriptors, memory and user, and makes calls of every class at each place. Each
 * directory has a file "f" that contains its own path as the host sees it, so the label of a descriptor can be
 * checked by the bytes that are read from it. Needs root and an empty directory. No result depends on time. */
#include "t.h"
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/shm.h>

static void put(const char *dir)
{
    char path[64], text[sizeof t_cwd + sizeof path];
    snprintf(path, sizeof path, "%sf", dir);
    snprintf(text, sizeof text, "%s%s", t_cwd, path);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    CHK(write(fd, text, strlen(text)));
    close(fd);
}

/* One call of each class, at the file `name`. */
static void visit(const char *name)
{
    char text[4096];
    struct stat st;
    struct timespec ts;
    int fd = (int)CHK(openat(AT_FDCWD, name, O_RDONLY));
    CHK(fstat(fd, &st));
    CHK(read(fd, text, sizeof text));
    CHK(lseek(fd, 0, SEEK_SET));
    char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    CHK(mprotect(map, 4096, PROT_NONE));
    CHK(munmap(map, 4096));
    CHK(stat(name, &st));
    CHK(access(name, R_OK));
    CHK(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts));
    sigset_t none;
    sigemptyset(&none);
    CHK(sigprocmask(SIG_SETMASK, &none, NULL));
    CHK(getegid());
    CHK(fcntl(fd, F_GETFD));
    close(fd);
}

/* Runs f in a child by clone(2) with these flags. */
static void in_child(unsigned long flags, void (*f)(void))
{
    pid_t pid = (pid_t)CHK(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));
    if (!pid) {
        f();
        _exit(0);
    }
    t_wait(pid, 0);
}

static void enter_d(void)
{
    CHK(chdir("d"));
}

static void enter_and_visit(void)
{
    CHK(chdir("d/e"));
    visit("f");
}

static void *enter_in_thread(void *dir)
{
    CHK(chdir(dir));
    return NULL;
}

/* Names that are relative to a descriptor; a change of the directory by another thread, and one that fails. */
static void relative(void)
{
    int up = (int)CHK(open("..", O_RDONLY | O_DIRECTORY)), e = (int)CHK(openat(up, "d/e", O_PATH | O_DIRECTORY));
    CHK(openat(e, "f", O_RDONLY));
    CHK(openat(up, "./d/../f", O_RDONLY));
    CHK(openat(e, "/dev/null", O_RDONLY)); /* the descriptor means nothing for an absolute name */
    t_thread(enter_in_thread, "..");
    visit("f");
    MUST(chdir("nowhere") == -1);
    visit("f");
}

static void open_unshared(void)
{
    CHK(syscall(SYS_unshare, CLONE_FS | CLONE_FILES));
    CHK(chdir("e"));
    visit("f");
    close(9);
}

static void change_root(void)
{
    CHK(chroot("d"));
    visit("/f"); /* the working directory is outside of the new root */
    visit("f");
    CHK(chdir("/e"));
    visit("f");
    visit("/e/f");
    visit("../f");
}

static void change_user(void)
{
    CHK(setgid(65534));
    CHK(setuid(65534));
    visit("f");
    prctl(PR_SET_DUMPABLE, 1); /* otherwise root owns its /proc files, and strace sees no names */
    visit("f");
}

static void change_namespace(void)
{
    int was = (int)CHK(open("/proc/self/ns/mnt", O_RDONLY));
    CHK(syscall(SYS_unshare, CLONE_NEWNS));
    CHK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
    CHK(mount("d", "d", NULL, MS_BIND, NULL));
    CHK(chdir("d"));
    CHK(syscall(SYS_pivot_root, ".", "."));
    visit("f");
    CHK(umount2(".", MNT_DETACH));
    visit("/f");
    CHK(chdir("/e"));
    visit("f");
    CHK(syscall(SYS_setns, was, CLONE_NEWNS)); /* to the root of that one */
    close(was);
    CHK(chdir(t_cwd));
    visit("f");
}

/* Descriptors that are replaced and duplicated. */
static void shuffle(void)
{
    int a = (int)CHK(open("f", O_RDONLY)), b = (int)CHK(open("d/f", O_RDONLY | O_CLOEXEC)), p[2];
    char text[4096];
    CHK(dup2(b, a));
    CHK(read(a, text, sizeof text));
    CHK(fcntl(a, F_DUPFD, 20));
    CHK(dup3(a, 21, O_CLOEXEC));
    CHK(pipe2(p, 0));
    CHK(write(p[1], "x", 1));
    CHK(read(p[0], text, 1));
    CHK(syscall(SYS_close_range, p[0], p[1], 0));
    int c = (int)CHK(openat(AT_FDCWD, "d/e/f", O_RDONLY));
    CHK(read(c, text, sizeof text));
    close(a), close(b), close(c), close(20), close(21);
}

/* Names of open files change with a rename; of a file with two names, kvis follows the one that was opened. */
static void rename_open(void)
{
    int one = (int)CHK(open("f", O_RDONLY)), below = (int)CHK(open("d/e/f", O_RDONLY)), two = (int)CHK(creat("g", 0600));
    const struct { const char *from, *to; unsigned flags; } name[] = {
        { "f", "d/moved", 0 }, { "d", "k", 0 }, { "h", "i", 0 }, { "g", "h", 0 }, { "k/moved", "i", 2 /* RENAME_EXCHANGE */ },
        { "i", "f", 0 }, { "k", "d", 0 },
    };
    CHK(link("g", "h"));
    CHK(dup2(one, 22));
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        CHK(syscall(SYS_renameat2, AT_FDCWD, name[i].from, AT_FDCWD, name[i].to, name[i].flags));
        CHK(fsync(one));
        CHK(lseek(below, 0, SEEK_SET));
        CHK(fcntl(two, F_GETFD));
        CHK(fchmod(22, 0644));
    }
    close(one), close(below), close(two), close(22);
    CHK(unlink("h")), CHK(unlink("d/moved"));
}

static void use_memory_and_ipc(void)
{
    int shm = (int)CHK(shmget(IPC_PRIVATE, 4096, 0600)), msg = (int)CHK(msgget(IPC_PRIVATE, 0600));
    void *at = shmat(shm, NULL, 0);
    CHK(shmdt(at));
    CHK(shmctl(shm, IPC_RMID, NULL));
    CHK(msgctl(msg, IPC_RMID, NULL));
    char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map = mremap(map, 8192, 4096, 0);
    CHK(munmap(map, 4096));
}

int main(int argc, char **argv)
{
    MUST(getcwd(t_cwd, sizeof t_cwd - 1));
    strcat(t_cwd, "/");
    if (argc > 1) { /* exec'd: 9 is as it was left, 10 is gone */
        char text[4096];
        CHK(read(9, text, sizeof text));
        visit("f");
        return 0;
    }
    CHK(mkdir("d", 0755)), CHK(mkdir("d/e", 0755));
    put(""), put("d/"), put("d/e/");
    visit("f");
    int top = (int)CHK(open(".", O_RDONLY | O_DIRECTORY));
    CHK(chdir("d"));
    visit("f");
    CHK(fchdir(top));
    visit("f");
    in_child(0, enter_and_visit);
    visit("f");
    in_child(CLONE_FS, enter_d); /* changes the parent's directory */
    visit("f");
    in_child(0, relative);
    CHK(dup2(top, 9));
    in_child(CLONE_FS | CLONE_FILES, open_unshared); /* does not change it */
    visit("f");
    CHK(fchdir(9));
    CHK(rename("d/e", "d/g")), CHK(rename("d/g", "d/e"));
    shuffle();
    rename_open();
    use_memory_and_ipc();
    in_child(0, change_root);
    in_child(0, change_user);
    in_child(0, change_namespace);
    visit("f");
    CHK(dup2((int)CHK(open("d/f", O_RDONLY)), 9));
    CHK(dup3(9, 10, O_CLOEXEC));
    CHK(chdir("d/e"));
    char *again[] = { argv[0], "again", NULL };
    execv(argv[0], again);
    return 99;
}
