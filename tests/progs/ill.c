/* Makes a machine ill in a way that kvis diagnose is to name, until it is killed; says `ill` when it is:
 * `ill cpu N`: N threads that compute; `ill disk NAME N`: N threads that read anywhere on /dev/NAME;
 * `ill memory MB`: goes through that much memory, again and again; `ill far MB NODE CPU`: so much memory
 * of one NUMA node, used on a CPU of another; `ill listen`: accepts none of many connections. Its name
 * (comm) is ill-SCENE. */
#include "t.h"

#include <linux/mempolicy.h>
#include <netinet/in.h>

static const char *disk;

static void *compute(void *unused)
{
    for (volatile unsigned n = 0;; n++)
        ;
    return unused;
}

static void *read_disk(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;
    char path[64], *buf = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    snprintf(path, sizeof path, "/dev/%s", disk);
    int f = open(path, O_RDONLY | O_DIRECT);
    MUST(f >= 0 && buf != MAP_FAILED);
    for (;;)
        MUST(pread(f, buf, 4096, (off_t)(rand_r(&seed) % 4096) * 4096) == 4096);
    return arg;
}

/* All but one, which is the caller. */
static void threads(int n, void *(*fn)(void *))
{
    pthread_t t;
    for (long i = 1; i < n; i++)
        MUST(pthread_create(&t, NULL, fn, (void *)i) == 0);
    say("ill");
    fn(NULL);
}

static void memory(size_t bytes)
{
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(p != MAP_FAILED);
    for (int round = 0;; round++) {
        for (size_t at = 0; at < bytes; at += 4096)
            p[at]++;
        if (!round)
            say("ill");
    }
}

static void far(size_t bytes, int node, int cpu)
{
    unsigned long nodes = 1ul << node;
    cpu_set_t one;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    MUST(p != MAP_FAILED && sched_setaffinity(0, sizeof one, &one) == 0);
    MUST(syscall(SYS_mbind, p, bytes, MPOL_BIND, &nodes, 64ul, 0ul) == 0);
    for (int round = 0;; round++) {
        for (size_t at = 0; at < bytes; at += 64)
            p[at]++;
        if (!round)
            say("ill");
    }
}

static void deaf(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof to;
    int l = socket(AF_INET, SOCK_STREAM, 0), s[64] = { 0 };
    MUST(bind(l, (void *)&to, len) == 0 && listen(l, 1) == 0);
    MUST(getsockname(l, (void *)&to, &len) == 0);
    for (unsigned i = 0;; i++) {
        int *at = &s[i % 64];
        if (*at)
            close(*at);
        *at = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        MUST(*at > 0);
        connect(*at, (void *)&to, len);
        if (i == 5)
            say("ill");
        usleep(50000);
    }
}

int main(int argc, char **argv)
{
    char name[16];
    const char *scene = argc > 1 ? argv[1] : "";
    long n[3] = { 0 };
    disk = argc > 2 ? argv[2] : "";
    for (int i = 2; i < argc && i < 5; i++)
        n[i - 2] = atol(argv[i]);
    snprintf(name, sizeof name, "ill-%s", scene);
    prctl(PR_SET_NAME, name);
    MUST(setpriority(PRIO_PROCESS, 0, 10) == 0); /* or kvis takes long to begin, under emulation */
    if (!strcmp(scene, "cpu"))
        threads((int)n[0], compute);
    else if (!strcmp(scene, "disk"))
        threads((int)n[1], read_disk);
    else if (!strcmp(scene, "memory"))
        memory((size_t)n[0] << 20);
    else if (!strcmp(scene, "far"))
        far((size_t)n[0] << 20, (int)n[1], (int)n[2]);
    else if (!strcmp(scene, "listen"))
        deaf();
    return 2;
}
