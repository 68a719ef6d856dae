/* argv HOW N: one failing execve whose argv has N strings: `empty` (all at one place) or `scattered` (two by two on
 * other pages, so that reading one gives nothing of the next). Then one failing execve with a short argv.
 * argv poll N: one poll of N closed descriptors. */
#include "t.h"

int main(int argc, char **argv)
{
    if (argc != 3)
        return 99;
    size_t n = strtoul(argv[2], NULL, 10), page = 4096;
    if (!strcmp(argv[1], "poll")) {
        struct pollfd *fds = calloc(n, sizeof *fds);
        for (size_t i = 0; fds && i < n; i++)
            fds[i] = (struct pollfd){ .fd = 1000 + (int)i, .events = POLLIN };
        return poll(fds, n, 0) < 0;
    }
    char *strings = calloc(2, page), **list = calloc(n + 1, sizeof *list);
    if (!strings || !list)
        return 99;
    for (size_t i = 0; i < n; i++)
        list[i] = strings + (!strcmp(argv[1], "scattered") ? i % 2 * page : 0);
    execv("/nonexistent/long", list);
    execv("/nonexistent/short", (char *[]){ "one", "two", NULL });
    return 0;
}
