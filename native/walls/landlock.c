#include "landlock.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * From include/uapi/linux/landlock.h; repeated here because a distribution's headers are often older than its kernel.
 */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

enum {
    FS_EXECUTE = 1 << 0,
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_REFER = 1 << 13,
    FS_TRUNCATE = 1 << 14,
    FS_IOCTL_DEV = 1 << 15,

    FS_ALL_OF_VERSION_1 = (1 << 13) - 1,
    /* The rights that apply to files that are not directories. */
    FS_FILE = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
    FS_READ = FS_READ_FILE | FS_READ_DIR,
    /* No symbolic link, pipe or socket: the owner, which is unconfined, opens what it finds in the directory. */
    FS_JOB = FS_READ | FS_WRITE_FILE | FS_TRUNCATE | FS_REFER | FS_MAKE_REG | FS_MAKE_DIR | FS_REMOVE_FILE | FS_REMOVE_DIR,
};

enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1, SCOPE_ABSTRACT_UNIX = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

struct ruleset {
    uint64_t fs, net, scoped;
};

struct __attribute__((packed)) path_beneath {
    uint64_t allowed;
    int32_t parent_fd;
};

struct readable {
    const char *path;
    uint32_t access;
};

/* What programs read that draw text. Paths that the host lacks are skipped. */
static const struct readable READABLE[] = {
    /* libraries: many are loaded only when a document first needs them */
    {"/usr/lib", FS_READ},
    {"/usr/lib64", FS_READ},
    {"/lib", FS_READ},
    {"/lib64", FS_READ},
    {"/usr/local/lib", FS_READ},
    {"/etc/ld.so.cache", FS_READ},
    /* fonts: fontconfig's default folders, its configuration and its cache */
    {"/usr/share/fonts", FS_READ},
    {"/usr/local/share/fonts", FS_READ},
    {"/usr/share/texmf/fonts", FS_READ},
    {"/usr/share/ghostscript/fonts", FS_READ},
    {"/usr/share/X11/fonts", FS_READ},
    {"/etc/fonts", FS_READ},
    {"/usr/share/fontconfig", FS_READ},
    {"/var/cache/fontconfig", FS_READ},
    /* the C library: locales, character sets, time zones, the processor count */
    {"/usr/share/locale", FS_READ},
    {"/etc/locale.alias", FS_READ},
    {"/usr/share/i18n", FS_READ},
    {"/usr/share/zoneinfo", FS_READ},
    {"/etc/localtime", FS_READ},
    {"/sys/devices/system/cpu", FS_READ},
    /* randomness for names and seeds; the standard streams of a child */
    {"/dev/urandom", FS_READ},
    {"/dev/random", FS_READ},
    {"/dev/null", FS_READ | FS_WRITE_FILE},
    {"/dev/zero", FS_READ},
};

int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

static uint64_t handled_fs(int version)
{
    uint64_t handled = FS_ALL_OF_VERSION_1;
    if (version >= 2)
        handled |= FS_REFER;
    if (version >= 3)
        handled |= FS_TRUNCATE;
    if (version >= 5)
        handled |= FS_IOCTL_DEV;
    return handled;
}

static int create_ruleset(int version)
{
    struct ruleset ruleset = {.fs = handled_fs(version)};
    size_t bytes = sizeof ruleset.fs;
    if (version >= 4) {
        ruleset.net = NET_BIND_TCP | NET_CONNECT_TCP;
        bytes += sizeof ruleset.net;
    }
    if (version >= 6) {
        ruleset.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
        bytes += sizeof ruleset.scoped;
    }
    int fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, bytes, 0);
    if (fd < 0)
        err(1, "landlock_create_ruleset");
    return fd;
}

/* Returns false if the path does not exist. */
static bool allow(int ruleset, int version, const char *path, uint64_t access)
{
    struct stat status;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &status) < 0)
        err(1, "%s", path);
    if (!S_ISDIR(status.st_mode))
        access &= FS_FILE;
    struct path_beneath rule = {.allowed = access & handled_fs(version), .parent_fd = fd};
    if (syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) < 0)
        err(1, "landlock_add_rule %s", path);
    close(fd);
    return true;
}

void landlock_confine(int version, const char *job_dir, const char *const readable[])
{
    int ruleset = create_ruleset(version);
    for (size_t i = 0; i < sizeof READABLE / sizeof *READABLE; i++)
        allow(ruleset, version, READABLE[i].path, READABLE[i].access);
    for (; *readable; readable++)
        allow(ruleset, version, *readable, FS_READ);
    if (job_dir && !allow(ruleset, version, job_dir, FS_JOB))
        err(1, "%s", job_dir);
    if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
        err(1, "landlock_restrict_self");
    close(ruleset);
}
