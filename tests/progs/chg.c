/* Changes names, sizes, modes, owners and attributes of files with every system call that can, and prints which
 * events kvis must show. */
#include "t.h"
#include <linux/fs.h>
#include <sys/ioctl.h>

static void made(const char *type, const char *path, const char *more)
{
    want("len([e for e in by('%s', path='~/%s') if 'error' not in e%s]) == 1", type, path, more);
}

SCENE(names)
{
    umask(022);
    CHK(mkdir("d", 0755));
    int dir = (int)CHK(open("d", O_RDONLY | O_DIRECTORY));
    CHK(mkdirat(dir, "sub", 0700));
    made("mkdir", "d", " and e['mode'] == '0755'");
    made("mkdir", "d/sub", " and e['mode'] == '0700'");
    t_put("a", 1), t_put("b", 1), t_put("c", 1), t_put("d/x", 1), t_put("d/y", 1);
    CHK(unlink("a"));
    CHK(unlinkat(dir, "x", 0));
    made("unlink", "a", "");
    made("unlink", "d/x", "");
    CHK(unlinkat(dir, "sub", AT_REMOVEDIR));
    made("rmdir", "d/sub", "");
    CHK(mkdir("e", 0755));
    CHK(rmdir("e"));
    made("rmdir", "e", "");
    CHK(rename("b", "b2"));
    CHK(renameat(AT_FDCWD, "b2", dir, "b3"));
    CHK(syscall(SYS_renameat2, dir, "b3", AT_FDCWD, "b4", 1 /* RENAME_NOREPLACE */));
    want("[(e['path'], e['new_path']) for e in by('rename')] == [('~/b', '~/b2'), ('~/b2', '~/d/b3'), ('~/d/b3', '~/b4')]");
    CHK(link("c", "l1"));
    CHK(linkat(AT_FDCWD, "c", dir, "l2", 0));
    want("[(e['path'], e['new_path']) for e in by('link')] == [('~/c', '~/l1'), ('~/c', '~/d/l2')]");
    CHK(symlink("./to//there/", "s1"));
    CHK(symlinkat("to/there", dir, "s2"));
    made("symlink", "s1", " and e['target'] == './to//there/'"); /* as it is */
    made("symlink", "d/s2", " and e['target'] == 'to/there'");
    CHK(mknod("n1", S_IFIFO | 0600, 0));
    CHK(mknodat(dir, "n2", S_IFREG | 0640, 0));
    made("mknod", "n1", " and e['details'] == 'S_IFIFO|0600'");
    made("mknod", "d/n2", " and e['mode'].endswith('0640') and e['details'] == 'S_IFREG|0640'");
}

SCENE(attrs)
{
    t_put("f", 100), t_put("g", 100);
    int fd = (int)CHK(open("f", O_RDWR)), d = (int)CHK(open(".", O_RDONLY | O_DIRECTORY));
    CHK(truncate("g", 7));
    CHK(ftruncate(fd, 70000));
    made("truncate", "g", " and e['size'] == 7");
    made("truncate", "f", " and e['size'] == 70000");
    CHK(chmod("f", 0600));
    CHK(fchmod(fd, 0644));
    CHK(fchmodat(d, "f", 04755, 0));
    want("[e['mode'] for e in by('chmod', path='%sf')] == ['0600', '0644', '04755']", t_cwd);
    CHK(chown("f", getuid(), getgid()));
    CHK(fchown(fd, getuid(), (gid_t)-1));
    CHK(fchownat(d, "f", (uid_t)-1, getgid(), 0));
    CHK(lchown("f", getuid(), getgid()));
    want("len(by('chown', path='%sf')) == 4", t_cwd);
    want("(lambda a, b, *_: a['uid'] == %d and b['gid'] in (-1, None, 4294967295))(*by('chown', path='%sf'))", getuid(), t_cwd);
}

SCENE(failing)
{
    t_put("here", 1);
    MUST(unlink("absent") == -1 && mkdir("here", 0700) == -1 && rmdir("here") == -1);
    want("[one(how, path='~/' + path)['error'] for how, path in (('unlink', 'absent'), ('mkdir', 'here'), ('rmdir', 'here'))] == "
         "['ENOENT', 'EEXIST', 'ENOTDIR']");
    for (int i = 0; i < 2; i++)
        MUST(open("here/under", O_RDONLY) == -1 && errno == ENOTDIR);
    want("len([f for f in S['failed'] if f['name'] in ('open', 'openat') and f['error'] == 'ENOTDIR' and f['count'] == 2]) == 1");
    want("S['files_written'] >= 1");
}

/* Calls that change something else than a file's contents or attributes; most of them fail. */
SCENE(others)
{
    static const char failed[] = "len([e for e in by('change', call='%s') if e.get('path') == %s and 'error' in e%s]) == 1";
    t_put("f", 1), t_put("g", 1);
    int f = (int)CHK(open("f", O_RDWR)), g = (int)CHK(open("g", O_RDWR)), flags = 0;
    int r = (int)CHK(open("f", O_RDONLY));
    const struct { const char *name, *path; long nr, args[5]; const char *details; } calls[] = {
        { "mq_unlink", "'kvis-no-such-queue'", SYS_mq_unlink, { (long)"kvis-no-such-queue" }, "None" },
        { "mq_open", "'kvis-no-such-queue'", SYS_mq_open, { (long)"kvis-no-such-queue", O_RDWR }, "'O_RDWR'" },
        { "chroot", "'~/f'", SYS_chroot, { (long)"f" }, "None" },
        { "pivot_root", "'~/f'", SYS_pivot_root, { (long)"f", (long)"g" }, "'\"g\"'" },
        { "move_mount", "'~/nowhere/dir'", SYS_move_mount, { -1, (long)"", AT_FDCWD, (long)"nowhere/dir", 4 },
          "'-1, \"\", MOVE_MOUNT_F_EMPTY_PATH'" },
        { "delete_module", "'kvis_no_such_module'", SYS_delete_module, { (long)"kvis_no_such_module", O_NONBLOCK }, "'O_NONBLOCK'" },
        { "init_module", "None", SYS_init_module, { 0, 0, (long)"x\ny" }, "'NULL, 0, \"x\\\\ny\"'" },
        { "sethostname", "None", SYS_sethostname, { 8, 3 }, "'0x8, 3'" },
        { "unshare", "None", SYS_unshare, { 1 }, "'0x1'" },
        { "setns", "'~/f'", SYS_setns, { f, 0x4000000 /* CLONE_NEWUTS */ }, "'CLONE_NEWUTS'" },
        { "fallocate", "'~/f'", SYS_fallocate, { r, 3, 0, 4096 }, "'FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 0, 4096'" },
        { "mount", "'~/nowhere'", SYS_mount, { (long)"none", (long)"nowhere", (long)"tmpfs", 2, (long)"size=1m" },
          "'\"none\", \"tmpfs\", MS_NOSUID, \"size=1m\"'" },
        { "umount2", "'~/nowhere'", SYS_umount2, { (long)"nowhere", 2 }, "'MNT_DETACH'" },
        { "fsetxattr", "'~/f'", SYS_fsetxattr, { f, (long)"kvis", (long)"v\t", 2, 2 }, "'\"kvis\", \"v\\\\t\", 2, XATTR_REPLACE'" },
    };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        const long *args = calls[i].args;
        MUST(syscall(calls[i].nr, args[0], args[1], args[2], args[3], args[4]) < 0);
        want(failed, calls[i].name, calls[i].path, "");
        want("[e.get('details') for e in by('change', call='%s')] == [%s]", calls[i].name, calls[i].details);
    }
    MUST(ioctl(g, FICLONE, 1000) < 0);
    if (errno == EBADF)
        want(failed, "ioctl", "'~/g'", " and e['op'] == 'FICLONE'");
    if (!ioctl(f, FS_IOC_GETFLAGS, &flags) && !ioctl(f, FS_IOC_SETFLAGS, &flags))
        want("by('change', path='%sf', op='FS_IOC_SETFLAGS')", t_cwd);
}

T_MAIN
