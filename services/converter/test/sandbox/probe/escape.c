/*
 * escape JOB_DIR PROGRAM_DIR LANDLOCK SECCOMP [ATTEMPT[=ARGUMENT]...]
 *
 * Forks a child and confines it like the engine host: Landlock up to that version (0: none), with a seccomp filter (1) or without
 * (0). The child runs the attempts in turn and is watched as usual. Each prints a line: the attempt, and "done" or the error
 * name. The last line is "ended exit|signal NUMBER". Without arguments, prints the Landlock version.
 */
#include "attempts.h"
#include "confine.h"
#include "landlock.h"
#include "warden.h"
#include "watch.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct attempt *const LISTS[] = {FILE_ATTEMPTS, SOCKET_ATTEMPTS, PROCESS_ATTEMPTS, KERNEL_ATTEMPTS,
                                              LIMIT_ATTEMPTS, CALL_ATTEMPTS};

static const struct attempt *find(const char *name, size_t length)
{
    for (size_t list = 0; list < sizeof LISTS / sizeof *LISTS; list++)
        for (const struct attempt *attempt = LISTS[list]; attempt->name; attempt++)
            if (strlen(attempt->name) == length && strncmp(attempt->name, name, length) == 0)
                return attempt;
    errx(2, "no such attempt: %s", name);
}

static void make(const char *text)
{
    size_t length = strcspn(text, "=");
    const struct attempt *attempt = find(text, length);
    errno = 0;
    int outcome = attempt->make(text[length] ? text + length + 1 : "");
    printf("%s %s\n", attempt->name, outcome < 0 ? strerrorname_np(errno) : "done");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return printf("%d\n", landlock_version()) < 0;
    if (argc < 5)
        errx(2, "usage: escape JOB_DIR PROGRAM_DIR LANDLOCK SECCOMP [ATTEMPT[=ARGUMENT]...]");
    int version = atoi(argv[3]) < landlock_version() ? atoi(argv[3]) : landlock_version();
    struct surroundings surroundings = {
        .sandbox = {.landlock_version = version, .has_seccomp = atoi(argv[4])}, .program_dir = argv[2]};
    confine_within(&surroundings);
    if (surroundings.sandbox.has_seccomp)
        warden_start();
    /* Like a host: its own pipe, and a file that it writes. */
    int pipes[2], file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    if (pipe(pipes) < 0 || file < 0)
        err(1, "descriptors");
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        confine_child(argv[1], parent, (const int[]){-1});
        for (char **attempt = argv + 5; *attempt; attempt++)
            make(*attempt);
        _exit(0);
    }
    if (child < 0)
        err(1, "child");
    int status = watch_until_end(child, argv[1]);
    if (WIFSIGNALED(status))
        printf("ended signal %d\n", WTERMSIG(status));
    else
        printf("ended exit %d\n", WEXITSTATUS(status));
    return 0;
}
