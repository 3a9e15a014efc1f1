/*
 * confined-soffice [ARGUMENTS OF SOFFICE...]
 *
 * Runs LibreOffice as a program, within the same walls as a child of the engine host. HOME is its job directory, the
 * only one that it can write. PROGRAM_DIR is LibreOffice's program directory; SANDBOX is as in sandbox.h. LibreOffice
 * runs in a forked child as a library, because a confined process cannot start programs. Without arguments, prints the
 * walls.
 */
#include "confine.h"
#include "descriptors.h"
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
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Precedes the C library's function, for LibreOffice too. LibreOffice makes a socket in /tmp or /var/tmp if access()
 * allows it, else in OSL_SOCKET_PATH, and ends if that fails. Landlock forbids /tmp, but access() does not consider
 * Landlock.
 */
__attribute__((visibility("default"))) int access(const char *path, int mode)
{
    if ((mode & W_OK) && (strcmp(path, "/tmp") == 0 || strcmp(path, "/var/tmp") == 0)) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
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
    /* Relative, because the path of a socket has at most 107 bytes. */
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
    struct surroundings surroundings = {.sandbox = sandbox_probe(setting("SANDBOX")), .program_dir = program_dir};
    if (argc == 1)
        return puts(sandbox_describe(&surroundings.sandbox)) == EOF;
    die_with_parent(getppid());
    close_inherited();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    confine_within(&surroundings);
    int status = 0, starts = 0;
    do {
        status = watch_until_end(fork_office(job_dir, program_dir, argc, argv), job_dir);
    } while (WIFEXITED(status) && is_restart(WEXITSTATUS(status)) && ++starts < STARTS_MAX);
    end_like(status);
}
