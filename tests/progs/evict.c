/* Opens files by a name whose page another thread takes out of the page table all the time: the
 * kernel brings it back for open, but a BPF program finds it gone. Knows how often it opened what. */
#include "t.h"

static char *page;
static volatile int done;

static void *take(void *unused)
{
    while (!done)
        madvise(page, 4096, MADV_DONTNEED);
    return unused;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000, f = (int)CHK(open("name", O_RDWR | O_CREAT, 0600));
    pthread_t th;
    CHK(ftruncate(f, 4096));
    CHK(pwrite(f, "/etc/hostname", 14, 0));
    page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, f, 0);
    MUST(page != MAP_FAILED && !pthread_create(&th, NULL, take, NULL));
    for (int i = 0; i < n; i++) {
        int g = open(page, O_RDONLY);
        if (g >= 0)
            close(g);
    }
    done = 1;
    pthread_join(th, NULL);
    want("len(by('open', path='/etc/hostname')) == %d", n);
    want("not [e for e in by('open') if not e.get('path')]");
    return 0;
}
