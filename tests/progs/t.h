/* Shared by the test programs. A program does something and prints what kvis must show of it, as Python expressions over
 * kvis's JSON (lib/want.py); its last line is `done`. Nothing here allocates memory. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char t_cwd[4096]; /* where the program was started, with a '/' at its end */

static inline void t_out(const char *head, const char *home, const char *fmt, va_list ap)
{
    char text[8192], line[16384];
    int n = snprintf(line, sizeof line, "%s", head);
    vsnprintf(text, sizeof text, fmt, ap);
    for (const char *c = text; *c && n < (int)sizeof line - 1; c++)
        if (home && c[0] == '~' && c[1] == '/') {
            n += snprintf(line + n, sizeof line - (size_t)n, "%s", home);
            c++;
        } else {
            line[n++] = *c;
        }
    line[n++] = '\n';
    if (write(1, line, (size_t)n) != n)
        _exit(98);
}

/* An expression over kvis's JSON that must be true. `~/` in it is t_cwd. */
static inline void __attribute__((format(printf, 1, 2))) want(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t_out("want ", t_cwd, fmt, ap);
    va_end(ap);
}

static inline void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t_out("", NULL, fmt, ap);
    va_end(ap);
}

/* Exit status 77: this machine cannot do it, and the case is skipped. 99: the program does not work as expected. */
static inline void __attribute__((noreturn)) skip(const char *why)
{
    say("skip: %s: %s", why, strerror(errno));
    _exit(77);
}

#define CHK(x) __extension__({ \
    long r_ = (long)(x); \
    if (r_ == -1) { \
        say("line %d: %s: %s", __LINE__, #x, strerror(errno)); \
        _exit(99); \
    } \
    r_; })
#define COUNT(array) (sizeof (array) / sizeof *(array))
#define MUST(x) do { \
    if (!(x)) { \
        say("line %d: not so: %s", __LINE__, #x); \
        _exit(99); \
    } } while (0)

static inline void *t_shared(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(p != MAP_FAILED);
    return p;
}

static inline void t_wait(pid_t p, int code)
{
    int st;
    CHK(TEMP_FAILURE_RETRY(waitpid(p, &st, __WALL)));
    MUST(WIFEXITED(st) && WEXITSTATUS(st) == code);
}

/* Starts a child that runs these statements. It exits with 98 after the last one. */
#define CHILD(...) __extension__({ \
    pid_t child_ = (pid_t)CHK(fork()); \
    if (!child_) { \
        __VA_ARGS__; \
        _exit(98); \
    } \
    child_; })

static inline unsigned long long t_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

static inline void t_pin(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    CHK(sched_setaffinity(0, sizeof one, &one));
}

static inline void *t_thread(void *(*f)(void *), void *arg)
{
    pthread_t t;
    void *result;
    MUST(!pthread_create(&t, NULL, f, arg) && !pthread_join(t, &result));
    return result;
}

/* Starts n threads with small stacks. */
static inline void t_threads(pthread_t *t, int n, void *(*f)(void *), void *arg)
{
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 64 << 10);
    for (int i = 0; i < n; i++)
        MUST(!pthread_create(t + i, &a, f, arg));
}

static inline void t_join(pthread_t *t, int n)
{
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}

/* Starts n threads with small stacks, and waits for their end. */
static inline void t_crowd(int n, void *(*f)(void *), void *arg)
{
    static pthread_t t[2000];
    MUST(n <= (int)COUNT(t));
    t_threads(t, n, f, arg);
    t_join(t, n);
}

static inline char *t_map(size_t n)
{
    char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(p != MAP_FAILED);
    return p;
}

/* A file, or its beginning, as a string; "" if it cannot be read. Returns its length. */
static inline ssize_t t_read(const char *path, char *text, size_t size)
{
    int f = open(path, O_RDONLY | O_CLOEXEC);
    size_t n = 0;
    for (ssize_t got; f >= 0 && (got = read(f, text + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    close(f);
    text[n] = 0;
    return (ssize_t)n;
}

/* The number after this text in a file, or 0. */
static inline unsigned long long t_number(const char *path, const char *key)
{
    static char text[1 << 16];
    t_read(path, text, sizeof text);
    char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key) + strspn(at + strlen(key), " \t:"), NULL, 10) : 0;
}

static inline void t_handle(int sig, void (*fn)(int), int flags)
{
    CHK(sigaction(sig, &(struct sigaction){ .sa_handler = fn, .sa_flags = flags }, NULL));
}

static inline int t_kernel_from(int major, int minor)
{
    struct utsname u;
    int is_major, is_minor;
    CHK(uname(&u));
    MUST(sscanf(u.release, "%d.%d", &is_major, &is_minor) == 2);
    return is_major > major || (is_major == major && is_minor >= minor);
}

/* The state of a process in /proc: R, S, Z ...; 0: it is gone. */
static inline char t_state(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    return t_read(path, text, sizeof text) ? strrchr(text, ')')[2] : 0;
}

static inline struct sockaddr_in t_loopback(int port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static inline void t_until(volatile int *flag)
{
    for (int i = 0; !*flag; i++) {
        MUST(i < 20000);
        usleep(1000);
    }
}

static inline void t_put(const char *path, size_t n)
{
    char b[4096] = { 0 };
    int fd = (int)CHK(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
    for (; n; n -= n < sizeof b ? n : sizeof b)
        CHK(write(fd, b, n < sizeof b ? n : sizeof b));
    close(fd);
}

/* PROG SCENE ARG...: one thing that a program can do, defined by SCENE(NAME) { ... }. */
struct scene { const char *name; void (*run)(void); };

#define SCENE(name) \
    static void scene_##name(void); \
    static const struct scene row_##name __attribute__((section("scenes"), used)) = { #name, scene_##name }; \
    static void scene_##name(void)

static int t_argc;
static char **t_argv;

/* The k-th argument of the scene (the first is 1), or a default. */
static inline long t_arg(int k, long otherwise)
{
    return t_argc > k + 1 ? atol(t_argv[k + 1]) : otherwise;
}

/* Runs the scene that the arguments name. Without arguments, nothing happens: a program may be executed so. */
static inline int t_scene(int argc, char **argv)
{
    extern const struct scene __start_scenes[], __stop_scenes[];
    t_argc = argc;
    t_argv = argv;
    MUST(getcwd(t_cwd, sizeof t_cwd - 1));
    strcat(t_cwd, t_cwd[1] ? "/" : "");
    const struct scene *s = __start_scenes;
    while (argc > 1 && s < __stop_scenes && strcmp(argv[1], s->name))
        s++;
    MUST(s < __stop_scenes); /* there is no such scene */
    if (argc > 1)
        s->run();
    return argc > 1;
}

static inline int t_main(int argc, char **argv)
{
    if (t_scene(argc, argv))
        say("done");
    return 0;
}

/* main() of a program that has only scenes. */
#define T_MAIN int main(int argc, char **argv) { return t_main(argc, argv); }
