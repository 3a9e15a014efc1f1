#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int allocate(const char *bytes)
{
    void *memory =
        mmap(NULL, strtoul(bytes, NULL, 10), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? -1 : munmap(memory, strtoul(bytes, NULL, 10));
}

static int write_at(const char *offset)
{
    int fd = open("large", O_WRONLY | O_CREAT, 0600);
    return fd < 0 || pwrite(fd, "x", 1, strtol(offset, NULL, 10)) < 0 ? -1 : close(fd);
}

/* Spins, with the CPU time limit lowered from a minute to a second. */
static int spin(const char *unused)
{
    (void)unused;
    if (setrlimit(RLIMIT_CPU, &(struct rlimit){1, 2}) < 0)
        return -1;
    for (volatile unsigned long turns = 0;; turns++)
        ;
}

static int raise_limit(const char *unused)
{
    (void)unused;
    return setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
}

static int open_many(const char *count)
{
    for (int i = atoi(count); i > 0; i--)
        if (open("/dev/null", O_RDONLY) < 0)
            return -1;
    return 0;
}

static void *stand_still(void *unused)
{
    pause();
    return unused;
}

static int many_threads(const char *count)
{
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (int i = atoi(count); i > 0; i--)
        if ((errno = pthread_create(&thread, &small, stand_still, NULL)))
            return -1;
    return 0;
}

static int many_files(const char *count)
{
    char name[16];
    for (int i = atoi(count); i > 0; i--) {
        snprintf(name, sizeof name, "%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || close(fd) < 0)
            return -1;
    }
    return 0;
}

static int large_files(int count, int is_unlinked)
{
    char name[16];
    for (int i = count; i > 0; i--) {
        snprintf(name, sizeof name, "%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || posix_fallocate(fd, 0, 100 << 20) || (is_unlinked ? unlink(name) : close(fd)) < 0)
            return -1;
    }
    return 0;
}

static int fill(const char *count)
{
    return large_files(atoi(count), 0);
}

static int fill_unlinked(const char *count)
{
    return large_files(atoi(count), 1);
}

/* Files that are mapped, and neither open nor in a folder. */
static int fill_mapped(const char *count)
{
    char name[16];
    for (int i = atoi(count); i > 0; i--) {
        snprintf(name, sizeof name, "%d", i);
        int fd = open(name, O_RDWR | O_CREAT, 0600);
        if (fd < 0 || posix_fallocate(fd, 0, 100 << 20) || unlink(name) < 0 ||
            mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED || close(fd) < 0)
            return -1;
    }
    return 0;
}

/* Ignores the first signal. */
static int fill_stubbornly(const char *count)
{
    signal(SIGXFSZ, SIG_IGN);
    return large_files(atoi(count), 0);
}

/* Waits for several checks of the watch. */
static int linger(const char *unused)
{
    (void)unused;
    return usleep(400000);
}

static int dump_core(const char *unused)
{
    (void)unused;
    abort();
}

const struct attempt LIMIT_ATTEMPTS[] = {
    {"memory", allocate},
    {"file-size", write_at},
    {"cpu", spin},
    {"raise-limit", raise_limit},
    {"descriptors", open_many},
    {"threads", many_threads},
    {"files", many_files},
    {"fill", fill},
    {"fill-unlinked", fill_unlinked},
    {"fill-mapped", fill_mapped},
    {"fill-stubbornly", fill_stubbornly},
    {"linger", linger},
    {"core", dump_core},
    {NULL, NULL},
};
