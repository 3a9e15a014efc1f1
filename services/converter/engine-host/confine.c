#include "confine.h"

#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

const struct limits CHILD_LIMITS = {
    .address_space_bytes_max = 3UL << 30,
    .file_bytes_max = 100UL << 20,
    .cpu_seconds_max = 60,
    .descriptors_max = 256,
};

void die_with_parent(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        err(1, "PR_SET_PDEATHSIG");
    /* The parent may have ended before the request above, which then never fires. */
    if (getppid() != parent)
        _exit(1);
}

static void limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
    if (setrlimit(resource, &(struct rlimit){.rlim_cur = soft, .rlim_max = hard}) < 0)
        err(1, "setrlimit %d", (int)resource);
}

/* LibreOffice's own handlers try to save documents and write reports; a child that fails has to end. */
static void reset_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void confine_child(const char *job_dir, pid_t parent)
{
    if (setpgid(0, 0) < 0)
        err(1, "setpgid");
    die_with_parent(parent);
    reset_signals();
    if (chdir(job_dir) < 0 || setenv("TMPDIR", job_dir, 1) < 0 || setenv("HOME", job_dir, 1) < 0)
        err(1, "job directory");
    limit(RLIMIT_AS, CHILD_LIMITS.address_space_bytes_max, CHILD_LIMITS.address_space_bytes_max);
    limit(RLIMIT_FSIZE, CHILD_LIMITS.file_bytes_max, CHILD_LIMITS.file_bytes_max);
    /* SIGXCPU at the soft limit tells a spent budget from other deaths; the hard limit, a second later, is SIGKILL. */
    limit(RLIMIT_CPU, CHILD_LIMITS.cpu_seconds_max, CHILD_LIMITS.cpu_seconds_max + 1);
    limit(RLIMIT_NOFILE, CHILD_LIMITS.descriptors_max, CHILD_LIMITS.descriptors_max);
    limit(RLIMIT_CORE, 0, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        err(1, "PR_SET_NO_NEW_PRIVS");
}
