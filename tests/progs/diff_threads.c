/* Threads share descriptors, a lock and memory: each writes a file of its own, reads it and appends to a common
 * one; then threads of the threads do the same. Barriers and small stacks, which glibc's cache can hold, make
 * descriptors and mappings the same in each run. */
#include "t.h"

enum { N = 4, ROUNDS = 50 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static int shared_fd;

static void *work(void *nth)
{
    long n = (long)nth; /* N and above: threads of the threads */
    char name[] = { n < N ? 'a' : 'b', (char)('0' + n % N), 0 }, buf[512];
    int fd = (int)CHK(open(name, O_CREAT | O_RDWR | O_TRUNC, 0644));
    memset(buf, name[0], sizeof buf);
    pthread_barrier_wait(&all);
    for (int i = 0; i < (n < N ? ROUNDS : ROUNDS / 2); i++) {
        CHK(write(fd, buf, sizeof buf));
        CHK(pread(fd, buf, sizeof buf, i * 16));
        pthread_mutex_lock(&lock);
        CHK(write(shared_fd, buf, 10));
        pthread_mutex_unlock(&lock);
    }
    MUST(open("not/there", O_RDONLY) < 0);
    pthread_barrier_wait(&all);
    close(fd);
    pthread_barrier_wait(&all);
    pthread_t t;
    if (n < N) {
        t_threads(&t, 1, work, (void *)(n + N));
        t_join(&t, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    pthread_barrier_init(&all, NULL, N);
    shared_fd = open("shared", O_CREAT | O_WRONLY | O_APPEND, 0644);
    for (long i = 0; i < N; i++)
        t_threads(t + i, 1, work, (void *)i);
    t_join(t, N);
    puts("done");
    return 5;
}
