#include "descriptors.h"

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Documentation/admin-guide/devices.txt of the Linux kernel: null, zero, random, urandom. */
enum { MEMORY_DEVICES_MAJOR = 1 };

static bool is_kept(int fd, const int kept[])
{
    for (; *kept >= 0; kept++)
        if (*kept == fd)
            return true;
    return fd <= STDERR_FILENO;
}

static bool is_event_counter(const char *path)
{
    char target[64];
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    return strcmp(target, "anon_inode:[eventfd]") == 0;
}

static void replace(int fd, int by)
{
    if (by < 0 || dup3(by, fd, O_CLOEXEC) < 0)
        close(fd);
    if (by >= 0)
        close(by);
}

static void reopen(int fd, const char *path)
{
    off_t position = lseek(fd, 0, SEEK_CUR);
    int anew = open(path, O_RDONLY | O_CLOEXEC);
    if (anew >= 0)
        lseek(anew, position, SEEK_SET);
    replace(fd, anew);
}

static void separate(int fd)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fstat(fd, &status) < 0)
        return;
    if (S_ISREG(status.st_mode))
        reopen(fd, path);
    else if (is_event_counter(path))
        replace(fd, eventfd(0, EFD_CLOEXEC | (fcntl(fd, F_GETFL) & O_NONBLOCK)));
    else if (!S_ISCHR(status.st_mode) || major(status.st_rdev) != MEMORY_DEVICES_MAJOR)
        close(fd);
}

static void for_each_open(void (*act)(int fd), const int kept[])
{
    DIR *open_ones = opendir("/proc/self/fd");
    if (!open_ones)
        err(1, "/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(open_ones));) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fd != dirfd(open_ones) && !is_kept(fd, kept))
            act(fd);
    }
    closedir(open_ones);
}

static void shut(int fd)
{
    close(fd);
}

void close_inherited(void)
{
    for_each_open(shut, (const int[]){-1});
}

void separate_descriptors(const int kept[])
{
    for_each_open(separate, kept);
}
