/* Threads that share descriptors, a lock and memory: each writes its own file, reads another's
 * and appends to a common one; then a second generation, made by threads that are not the first. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 4, ROUNDS = 50 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared_fd;

static void work(const char *name, int rounds)
{
    int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0644);
    char buf[512];
    memset(buf, name[0], sizeof buf);
    for (int i = 0; i < rounds; i++) {
        if (write(fd, buf, sizeof buf) < 0 || pread(fd, buf, sizeof buf, i * 16) < 0)
            exit(9);
        pthread_mutex_lock(&lock);
        if (write(shared_fd, buf, 10) != 10)
            exit(9);
        pthread_mutex_unlock(&lock);
    }
    close(fd);
    if (open("not/there", O_RDONLY) >= 0)
        exit(9);
}

static void *second(void *arg)
{
    char name[16];
    snprintf(name, sizeof name, "b%d", *(int *)arg);
    work(name, ROUNDS / 2);
    return NULL;
}

static void *first(void *arg)
{
    pthread_t t;
    char name[16];
    snprintf(name, sizeof name, "a%d", *(int *)arg);
    work(name, ROUNDS);
    pthread_create(&t, NULL, second, arg);
    pthread_join(t, NULL);
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    int id[N];
    shared_fd = open("shared", O_CREAT | O_WRONLY | O_APPEND, 0644);
    for (int i = 0; i < N; i++) {
        id[i] = i;
        pthread_create(&t[i], NULL, first, &id[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 5;
}
