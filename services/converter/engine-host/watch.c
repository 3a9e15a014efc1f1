#include "watch.h"

#include "confine.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* LibreOffice makes no folders that deep; each level takes one descriptor of this process during a check. */
enum { DEPTH_MAX = 16, PATH_BYTES_MAX = 64, BLOCK_BYTES = 512 };

/* A busy machine needs time to end hundreds of threads, and the signal that ended a child shows the cause. */
enum { TIMES_SIGNALED_MAX = 3 };

struct usage {
    unsigned threads;
    unsigned files;
    unsigned long bytes;
    /* There is more than a check can count. */
    bool is_beyond;
};

static bool is_within_limits(const struct usage *usage)
{
    return !usage->is_beyond && usage->threads <= CHILD_LIMITS.threads_max && usage->files <= CHILD_LIMITS.files_max &&
           usage->bytes <= CHILD_LIMITS.all_files_bytes_max;
}

/* proc(5): the folder has a subfolder for each thread; every folder has two links, plus one per subfolder. */
static void count_threads(pid_t pid, struct usage *usage)
{
    char path[PATH_BYTES_MAX];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    if (stat(path, &status) == 0 && status.st_nlink > 2)
        usage->threads = (unsigned)status.st_nlink - 2;
}

/* Counts files that the process holds open and that no folder contains any more. */
static void count_unlinked(pid_t pid, struct usage *usage)
{
    char path[PATH_BYTES_MAX];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *open_ones = opendir(path);
    if (!open_ones)
        return;
    for (struct dirent *entry; (entry = readdir(open_ones));)
        if (fstatat(dirfd(open_ones), entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0)
            usage->bytes += (unsigned long)status.st_blocks * BLOCK_BYTES;
    closedir(open_ones);
}

/* Takes ownership of `fd`. Files that vanish during the check are not counted. */
static void count_files(int fd, int depth, struct usage *usage)
{
    struct stat status;
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder || depth > DEPTH_MAX) {
        usage->is_beyond |= folder || errno != ENOENT;
        if (folder)
            closedir(folder);
        return;
    }
    for (struct dirent *entry; is_within_limits(usage) && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        usage->files++;
        if (fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        usage->bytes += (unsigned long)status.st_blocks * BLOCK_BYTES;
        if (S_ISDIR(status.st_mode))
            count_files(openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth + 1, usage);
    }
    closedir(folder);
}

void watch_child(pid_t pid, const char *job_dir, unsigned *times_signaled)
{
    struct usage usage = {0};
    count_threads(pid, &usage);
    count_unlinked(pid, &usage);
    count_files(open(job_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0, &usage);
    if (is_within_limits(&usage))
        return;
    kill(pid, *times_signaled < TIMES_SIGNALED_MAX ? SIGXFSZ : SIGKILL);
    ++*times_signaled;
}

int watch_until_end(pid_t pid, const char *job_dir)
{
    int status = 0;
    unsigned times_signaled = 0;
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    if (end.fd < 0)
        err(1, "pidfd_open");
    for (int ended = 0; ended <= 0; ended = poll(&end, 1, WATCH_INTERVAL_MS))
        watch_child(pid, job_dir, &times_signaled);
    close(end.fd);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            err(1, "waitpid");
    return status;
}
