/* Threads share descriptors, a lock and memory: each writes a file of its own, reads it and appends to a common
 * one; then threads of the threads do the same. Barriers and small stacks, which glibc's cache can hold, make
 * descriptors and mappings the same in each run. */
#include "t.h"

enum { N = 4, ROUNDS = 50 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static pthread_attr_t small;
static int shared_fd;

static void work(const char *name, int rounds)
{
    int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
    char buf[512];
    memset(buf, name[0], sizeof buf);
    pthread_barrier_wait(&all);
    for (int i = 0; i < rounds; i++) {
        if (write(fd, buf, sizeof buf) < 0 || pread(fd, buf, sizeof buf, i * 16) < 0)
            exit(9);
        pthread_mutex_lock(&lock);
        if (write(shared_fd, buf, 10) != 10)
            exit(9);
        pthread_mutex_unlock(&lock);
    }
    if (open("not/there", O_RDONLY) >= 0)
        exit(9);
    pthread_barrier_wait(&all);
    close(fd);
    pthread_barrier_wait(&all);
}

static void *second(void *arg)
{
    char name[] = { 'b', (char)('0' + *(int *)arg), 0 };
    work(name, ROUNDS / 2);
    return NULL;
}

static void *first(void *arg)
{
    pthread_t t;
    char name[] = { 'a', (char)('0' + *(int *)arg), 0 };
    work(name, ROUNDS);
    pthread_create(&t, &small, second, arg);
    pthread_join(t, NULL);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    int id[N];
    pthread_barrier_init(&all, NULL, N);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 * 1024);
    shared_fd = open("shared", O_CREAT | O_WRONLY | O_APPEND, 0644);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], &small, first, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 5;
}
