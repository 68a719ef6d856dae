/* flip FILE A B COUNT [GAP]: one thread changes a byte of a path between A and B, which differ in one byte, while
 * another opens the path COUNT times. Each of A and B is the name of a file or of nothing. FILE gets a letter per
 * open: the file that the kernel opened, in lower case if the open failed. GAP is the number of loop turns between
 * two changes. */
#include "t.h"
#include <stdbool.h>

static char path[4096];
static size_t at;
static char byte[2];
static volatile int stop;
static volatile unsigned long turns;

static void *flipper(void *gap)
{
    for (unsigned i = 0; !stop; i++) {
        ((volatile char *)path)[at] = byte[i & 1];
        for (unsigned long k = 0; k < *(unsigned long *)gap; k++)
            turns++;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    MUST(argc >= 5 && strlen(argv[2]) == strlen(argv[3]));
    long count = atol(argv[4]);
    unsigned long gap = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
    char *which = t_shared((size_t)count);
    struct stat a = { 0 }, st;
    bool there = !stat(argv[2], &a);
    pthread_t th;
    strcpy(path, argv[2]);
    while (argv[2][at] == argv[3][at])
        at++;
    byte[0] = argv[3][at], byte[1] = argv[2][at];
    MUST(!pthread_create(&th, NULL, flipper, &gap));
    for (long i = 0; i < count; i++) {
        int fd = open(path, O_RDONLY);
        if (fd < 0) {
            which[i] = there ? 'b' : 'a'; /* at most one of them is missing */
            continue;
        }
        CHK(fstat(fd, &st));
        which[i] = st.st_ino == a.st_ino && st.st_dev == a.st_dev ? 'A' : 'B';
        close(fd);
    }
    stop = 1;
    pthread_join(th, NULL);
    int out = (int)CHK(open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644));
    MUST(write(out, which, (size_t)count) == count);
    return 0;
}
