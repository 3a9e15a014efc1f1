#include "watch.h"

#include "confine.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* LibreOffice makes no folders that deep; each level takes one descriptor of this process during a check. */
enum { DEPTH_MAX = 16, PATH_BYTES_MAX = 64, BLOCK_BYTES = 512 };

/* One child may use this share of its file system at most. Below the other share of free bytes, the system is short. */
enum { SHARE = 2, SHORT_SHARE = 4 };

/* More than LibreOffice ever has; the lines of its mappings are shorter than a line of the buffer. */
enum { HIDDEN_MAX = 64, MAPS_LINE_BYTES = PATH_MAX + 128 };

/* A busy machine needs time to end hundreds of threads, and the signal that ended a child shows the cause. */
enum { TIMES_SIGNALED_MAX = 3 };

struct usage {
    unsigned threads;
    unsigned files;
    unsigned long bytes;
    unsigned long bytes_max;
    unsigned long address_space_bytes;
    /* There is more than a check can count. */
    bool is_beyond;
};

static bool is_within_limits(const struct usage *usage)
{
    return !usage->is_beyond && usage->threads <= CHILD_LIMITS.threads_max && usage->files <= CHILD_LIMITS.files_max &&
           usage->bytes <= usage->bytes_max && usage->address_space_bytes <= CHILD_LIMITS.watched_address_space_bytes_max;
}

/* Sets the limit on bytes. Returns whether the file system is short of them. */
static bool look_at_disk(const char *job_dir, struct usage *usage)
{
    struct statvfs disk;
    usage->bytes_max = CHILD_LIMITS.all_files_bytes_max;
    if (statvfs(job_dir, &disk) < 0)
        return false;
    unsigned long total = disk.f_blocks * disk.f_frsize, left = disk.f_bavail * disk.f_frsize;
    if (total / SHARE < usage->bytes_max)
        usage->bytes_max = total / SHARE;
    return left < total / SHORT_SHARE;
}

/*
 * Counts files of the job that are mapped, and neither open nor in a folder. The system does not show their sizes, so each
 * counts as the largest file that a child can write.
 */
static void count_mapped(pid_t pid, const char *job_dir, struct usage *usage)
{
    static const char GONE[] = " (deleted)\n";
    static char line[MAPS_LINE_BYTES];
    char path[PATH_BYTES_MAX];
    unsigned long seen[HIDDEN_MAX];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return;
    while (count < HIDDEN_MAX && fgets(line, sizeof line, maps)) {
        size_t length = strlen(line);
        unsigned long inode = 0;
        int start = 0;
        if (length < sizeof GONE || strcmp(line + length - (sizeof GONE - 1), GONE) != 0 ||
            sscanf(line, "%*s %*s %*s %*s %lu %n", &inode, &start) != 1 ||
            strncmp(line + start, job_dir, strlen(job_dir)) != 0)
            continue;
        bool is_known = false;
        for (unsigned i = 0; i < count; i++)
            is_known |= seen[i] == inode;
        if (!is_known)
            seen[count++] = inode;
    }
    fclose(maps);
    usage->bytes += count * CHILD_LIMITS.of_process.file_bytes_max;
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

/* A program that gets no more memory ends in any way, or calls its document damaged. So it is stopped before. */
static void measure_memory(pid_t pid, struct usage *usage)
{
    char path[PATH_BYTES_MAX];
    unsigned long pages;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *statm = fopen(path, "re");
    if (!statm)
        return;
    if (fscanf(statm, "%lu", &pages) == 1)
        usage->address_space_bytes = pages * (unsigned long)sysconf(_SC_PAGESIZE);
    fclose(statm);
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
    if (look_at_disk(job_dir, &usage))
        count_mapped(pid, job_dir, &usage);
    count_threads(pid, &usage);
    measure_memory(pid, &usage);
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
