/* Makes one disk of several: `stack linear NAME DEVICE...` with device mapper, which `stack unlinear NAME` undoes;
 * `stack raid0 DEVICE...` as /dev/md127, without superblocks, which `stack stop` undoes. */
#include "t.h"

#include <linux/dm-ioctl.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <linux/raid/md_p.h>
#include <linux/raid/md_u.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

static struct { struct dm_ioctl io; char more[4096]; } dm;

static unsigned long long sectors(const char *path, dev_t *dev)
{
    unsigned long long bytes;
    struct stat s;
    int f = open(path, O_RDONLY);
    MUST(f >= 0 && ioctl(f, BLKGETSIZE64, &bytes) == 0 && fstat(f, &s) == 0);
    close(f);
    *dev = s.st_rdev;
    return bytes / 512;
}

static void dm_do(unsigned long what, const char *name, unsigned targets)
{
    char path[] = "/dev/mapper/control";
    int f = open(path, O_RDWR);
    MUST(f >= 0);
    dm.io.version[0] = DM_VERSION_MAJOR;
    dm.io.data_size = sizeof dm;
    dm.io.data_start = sizeof dm.io;
    dm.io.target_count = targets;
    snprintf(dm.io.name, sizeof dm.io.name, "%s", name);
    if (ioctl(f, what, &dm)) {
        perror("device mapper");
        exit(1);
    }
    close(f);
    memset(&dm.io, 0, sizeof dm.io);
}

static void linear(const char *name, int n, char **path)
{
    unsigned long long at = 0;
    char *p = dm.more;
    dm_do(DM_DEV_CREATE, name, 0);
    memset(&dm, 0, sizeof dm);
    for (int i = 0; i < n; i++) {
        struct dm_target_spec *t = (void *)p;
        dev_t dev;
        t->length = sectors(path[i], &dev);
        t->sector_start = at;
        at += t->length;
        strcpy(t->target_type, "linear");
        int len = sprintf(p + sizeof *t, "%u:%u 0", major(dev), minor(dev));
        t->next = (unsigned)(sizeof *t + (size_t)len + 8) & ~7u;
        p += t->next;
    }
    dm_do(DM_TABLE_LOAD, name, (unsigned)n);
    dm_do(DM_DEV_SUSPEND, name, 0); /* without its flag: resumes */
}

static int md(void)
{
    mknod("/dev/md127", S_IFBLK | 0600, makedev(MD_MAJOR, 127));
    return open("/dev/md127", O_RDWR);
}

static void raid0(int n, char **path)
{
    int f = md();
    mdu_array_info_t a = { .level = 0, .size = 0, .nr_disks = n, .raid_disks = n, .md_minor = 127,
                           .not_persistent = 1, .state = 1, .active_disks = n, .working_disks = n,
                           .chunk_size = 65536 };
    if (f < 0 || ioctl(f, SET_ARRAY_INFO, &a)) {
        perror("/dev/md127");
        exit(1);
    }
    for (int i = 0; i < n; i++) {
        dev_t dev;
        sectors(path[i], &dev);
        mdu_disk_info_t d = { .number = i, .major = (int)major(dev), .minor = (int)minor(dev),
                              .raid_disk = i, .state = 1 << MD_DISK_ACTIVE | 1 << MD_DISK_SYNC };
        MUST(ioctl(f, ADD_NEW_DISK, &d) == 0);
    }
    if (ioctl(f, RUN_ARRAY, NULL)) {
        perror("RUN_ARRAY");
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[1], "linear"))
        linear(argv[2], argc - 3, argv + 3);
    else if (argc > 2 && !strcmp(argv[1], "unlinear"))
        dm_do(DM_DEV_REMOVE, argv[2], 0);
    else if (argc > 2 && !strcmp(argv[1], "raid0"))
        raid0(argc - 2, argv + 2);
    else
        return ioctl(md(), STOP_ARRAY, NULL) != 0;
    return 0;
}
