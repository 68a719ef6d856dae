/* loop [N]: 4 N system calls (N = 100 000): open, read, close of a file, read of /dev/zero. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000, zero = open("/dev/zero", O_RDONLY);
    char buf[64];
    for (int i = 0; i < n; i++) {
        int fd = open("/etc/passwd", O_RDONLY);
        if (read(fd, buf, sizeof buf) < 0)
            return 1;
        close(fd);
        if (read(zero, buf, sizeof buf) != sizeof buf)
            return 1;
    }
    return 0;
}
