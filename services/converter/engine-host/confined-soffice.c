/*
 * confined-soffice [ARGUMENTS OF SOFFICE...]
 *
 * Runs LibreOffice as a program, within the same walls as a child of the engine host. HOME is its job directory, the
 * only one that it can write. PROGRAM_DIR is LibreOffice's program directory; SANDBOX is as in sandbox.h. FONTS_DIR may
 * name a folder with more fonts. LibreOffice
 * runs in a forked child as a library, because a confined process cannot start programs. Without arguments, prints the
 * walls.
 */
#include "confine.h"
#include "descriptors.h"
#include "namespaces.h"
#include "warden.h"
#include "watch.h"

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The following functions precede those of the C library, for LibreOffice too. It makes a socket by which later starts
 * find it, and ends if that fails. The filter allows no sockets, so this one is an event counter that no one reaches:
 * `accept` waits until LibreOffice shuts the socket down.
 */
#define INSTEAD __attribute__((visibility("default")))

INSTEAD int socket(int domain, int type, int protocol)
{
    (void)type, (void)protocol;
    if (domain == AF_UNIX)
        return eventfd(0, EFD_CLOEXEC);
    errno = EAFNOSUPPORT;
    return -1;
}

INSTEAD int bind(int fd, const struct sockaddr *address, socklen_t bytes)
{
    (void)fd, (void)address, (void)bytes;
    return 0;
}

INSTEAD int listen(int fd, int backlog)
{
    (void)fd, (void)backlog;
    return 0;
}

INSTEAD int accept(int fd, struct sockaddr *address, socklen_t *bytes)
{
    eventfd_t count;
    (void)address, (void)bytes;
    (void)!eventfd_read(fd, &count);
    errno = EINVAL;
    return -1;
}

INSTEAD int shutdown(int fd, int how)
{
    (void)how;
    return eventfd_write(fd, 1);
}

/* desktop/source/inc/exithelper.h of LibreOffice: the first start sets up a new profile, and the second uses it. */
enum { CRASH_WITH_RESTART = 79, NORMAL_RESTART = 81, STARTS_MAX = 3 };

static bool is_restart(int exit_code)
{
    return exit_code == CRASH_WITH_RESTART || exit_code == NORMAL_RESTART;
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    if (!value || !*value)
        errx(2, "%s is not set", name);
    return value;
}

static void *open_library(const char *program_dir, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", program_dir, name);
    return dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
}

static void *find(void *library, const char *name)
{
    void *function = library ? dlsym(library, name) : NULL;
    if (!function)
        errx(1, "LibreOffice lacks %s: %s", name, dlerror());
    return function;
}

/* What the program soffice.bin consists of (desktop/source/app/main.c of LibreOffice; see ../libreoffice.mjs). */
static int run_office(const char *program_dir, int argc, char **argv)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/soffice.bin", program_dir);
    argv[0] = name;
    void *sal = open_library(program_dir, "libuno_sal.so.3");
    void *office = open_library(program_dir, "libmergedlo.so");
    if (!office)
        office = open_library(program_dir, "libsofficeapp.so");
    void (*initialize)(int, char **) = (void (*)(int, char **))find(sal, "sal_detail_initialize");
    void (*deinitialize)(void) = (void (*)(void))find(sal, "sal_detail_deinitialize");
    int (*soffice_main)(void) = (int (*)(void))find(office, "soffice_main");
    initialize(argc, argv);
    int status = soffice_main();
    deinitialize();
    return status;
}

static pid_t fork_office(const char *job_dir, const char *program_dir, int argc, char **argv)
{
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        err(1, "fork");
    if (pid > 0)
        return pid;
    confine_child(job_dir, parent, (const int[]){-1});
    /* For hosts without a writable /tmp and /var/tmp. Relative, because the path of a socket has at most 107 bytes. */
    setenv("OSL_SOCKET_PATH", ".", 1);
    _exit(run_office(program_dir, argc, argv));
}

/* Ends with the child's exit code or signal. */
static _Noreturn void end_like(int status)
{
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(int argc, char **argv)
{
    const char *job_dir = setting("HOME"), *program_dir = setting("PROGRAM_DIR");
    struct surroundings surroundings = {.sandbox = sandbox_probe(setting("SANDBOX"), SANDBOX_ADVICE),
                                       .program_dir = program_dir,
                                       .readable = {getenv("FONTS_DIR"), getenv("METRIC_FONTS_DIR")}};
    if (argc == 1) {
        surroundings.sandbox.has_namespaces = namespaces_enter();
        return puts(sandbox_describe(&surroundings.sandbox)) == EOF;
    }
    die_with_parent(getppid());
    close_inherited();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    namespaces_enter();
    confine_within(&surroundings);
    if (surroundings.sandbox.has_seccomp)
        warden_start();
    int status = 0, starts = 0;
    do {
        status = watch_until_end(fork_office(job_dir, program_dir, argc, argv), job_dir);
    } while (WIFEXITED(status) && is_restart(WEXITSTATUS(status)) && ++starts < STARTS_MAX);
    end_like(status);
}
