/* Used by the guest tests.
 * as_user UID COMMAND ARG...: what setpriv does, for a guest whose busybox cannot and whose /etc is empty. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    unsigned id = argc > 2 ? (unsigned)atoi(argv[1]) : 0;
    if (!id || setgroups(0, NULL) || setresgid(id, id, id) || setresuid(id, id, id)) {
        fprintf(stderr, "as_user: cannot become %u: %s\n", id, strerror(errno));
        return 125;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "as_user: %s: %s\n", argv[2], strerror(errno));
    return 127;
}
