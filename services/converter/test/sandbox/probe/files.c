#include "attempts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

static int read_file(const char *path)
{
    char bytes[16];
    int fd = open(path, O_RDONLY);
    return fd < 0 || read(fd, bytes, sizeof bytes) < 0 ? -1 : close(fd);
}

static int write_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    return fd < 0 ? -1 : close(fd);
}

static int list(const char *path)
{
    DIR *dir = opendir(path);
    return dir ? closedir(dir) : -1;
}

static int make_directory(const char *path)
{
    return mkdir(path, 0700);
}

static int cut(const char *path)
{
    return truncate(path, 1);
}

static int open_cut(const char *path)
{
    int fd = open(path, O_RDONLY | O_TRUNC);
    return fd < 0 ? -1 : close(fd);
}

static int symbolic_link_to(const char *path)
{
    return symlink(path, "symbolic-link");
}

static int hard_link_to(const char *path)
{
    return link(path, "hard-link");
}

static int move_here(const char *path)
{
    return rename(path, "moved");
}

static int move_within(const char *name)
{
    return write_file(name) < 0 || mkdir("below", 0700) < 0 ? -1 : rename(name, "below/moved");
}

static int change_mode(const char *path)
{
    return chmod(path, 0644);
}

static int set_attribute(const char *path)
{
    return setxattr(path, "user.probe", "1", 1, 0);
}

static int set_time(const char *path)
{
    return utimensat(AT_FDCWD, path, NULL, 0);
}

static int make_pipe(const char *path)
{
    return mkfifo(path, 0600);
}

static int watch(const char *path)
{
    int fd = inotify_init1(0);
    return fd < 0 ? -1 : inotify_add_watch(fd, path, IN_ALL_EVENTS);
}

/* Sets the file's own attributes again, through a read-only descriptor. */
static int set_flags(const char *path)
{
    int flags = 0, fd = open(path, O_RDONLY);
    return fd < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0 || ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0 ? -1 : close(fd);
}

/* Other processes that write the file would wait for this process. */
static int take_lease(const char *path)
{
    int fd = open(path, O_RDONLY);
    return fd < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) < 0 ? -1 : close(fd);
}

/* Nested folders, until no path can name the last one. */
static int nest(const char *count)
{
    char name[250];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    for (int i = atoi(count); i > 0; i--)
        if (mkdir(name, 0700) < 0 || chdir(name) < 0)
            return -1;
    return write_file("innermost");
}

static int is_harmless(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return 0;
    /* /dev/null and similar devices, or a read-only file. */
    return S_ISCHR(status.st_mode) ? major(status.st_rdev) == 1
                                   : S_ISREG(status.st_mode) && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

/* Whether the host left a writable descriptor beside the standard streams. */
static int find_descriptor(const char *unused)
{
    (void)unused;
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0 && !is_harmless(fd))
            return 0;
    errno = EBADF;
    return -1;
}

const struct attempt FILE_ATTEMPTS[] = {
    {"read", read_file},
    {"write", write_file},
    {"list", list},
    {"mkdir", make_directory},
    {"truncate", cut},
    {"open-truncate", open_cut},
    {"symlink", symbolic_link_to},
    {"link", hard_link_to},
    {"rename", move_here},
    {"rename-within", move_within},
    {"chmod", change_mode},
    {"setxattr", set_attribute},
    {"utime", set_time},
    {"mkfifo", make_pipe},
    {"inotify", watch},
    {"nest", nest},
    {"flags", set_flags},
    {"lease", take_lease},
    {"descriptor", find_descriptor},
    {NULL, NULL},
};
