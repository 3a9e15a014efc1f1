#include "confine.h"

#include "descriptors.h"
#include "landlock.h"
#include "seccomp.h"
#include "warden.h"

#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* OOM_SCORE_ADJ_MAX of include/uapi/linux/oom.h */
static const char OOM_SCORE_MAX[] = "1000";

const struct limits CHILD_LIMITS = {
    .address_space_bytes_max = 3UL << 30,
    /* A child takes less than the rest between two looks at it, unless by one large request. */
    .watched_address_space_bytes_max = 11UL << 28,
    .file_bytes_max = 100UL << 20,
    /* Below the usual deadline of a request, so that an idle machine refuses a costly document before it is late. */
    .cpu_seconds_max = 50,
    .descriptors_max = 256,
    .threads_max = 256,
    .files_max = 20000,
    .all_files_bytes_max = 1UL << 30,
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

/* LibreOffice's own handlers try to save documents and write reports; a failing child must end instead. */
static void reset_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static struct surroundings around;
static char office_dir[PATH_MAX];

void confine_within(const struct surroundings *surroundings)
{
    char tree[PATH_MAX];
    around = *surroundings;
    snprintf(tree, sizeof tree, "%s/..", around.program_dir);
    if (!realpath(tree, office_dir))
        err(1, "%s", tree);
}

static void limit_resources(void)
{
    limit(RLIMIT_AS, CHILD_LIMITS.address_space_bytes_max, CHILD_LIMITS.address_space_bytes_max);
    limit(RLIMIT_FSIZE, CHILD_LIMITS.file_bytes_max, CHILD_LIMITS.file_bytes_max);
    /* SIGXCPU at the soft limit identifies an exhausted budget; the hard limit, a second later, is SIGKILL. */
    limit(RLIMIT_CPU, CHILD_LIMITS.cpu_seconds_max, CHILD_LIMITS.cpu_seconds_max + 1);
    limit(RLIMIT_NOFILE, CHILD_LIMITS.descriptors_max, CHILD_LIMITS.descriptors_max);
    limit(RLIMIT_CORE, 0, 0);
}

/*
 * If the host runs out of memory, the kernel ends this process before the service. Best effort: systems may refuse it.
 */
static void go_first(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, OOM_SCORE_MAX, strlen(OOM_SCORE_MAX)) < 0)
        warn("oom_score_adj");
    close(fd);
}

/* A service that runs as root, usually in a container, does not pass its capabilities on. */
static void drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        err(1, "PR_SET_NO_NEW_PRIVS");
    if (syscall(SYS_capset, &header, none) < 0)
        err(1, "capset");
}

void confine_child(const char *job_dir, pid_t parent, const int kept[])
{
    if (setpgid(0, 0) < 0)
        err(1, "setpgid");
    die_with_parent(parent);
    reset_signals();
    if (around.sandbox.has_seccomp)
        warden_ask();
    if (chdir(job_dir) < 0 || setenv("TMPDIR", job_dir, 1) < 0 || setenv("HOME", job_dir, 1) < 0)
        err(1, "job directory");
    separate_descriptors(kept);
    go_first();
    limit_resources();
    drop_capabilities();
    if (around.sandbox.landlock_version) {
        const char *readable[READABLE_DIRS_MAX + 2] = {office_dir};
        for (int dir = 0, next = 1; dir < READABLE_DIRS_MAX; dir++)
            if (around.readable[dir])
                readable[next++] = around.readable[dir];
        landlock_confine(around.sandbox.landlock_version, job_dir, readable);
    }
    if (around.sandbox.has_seccomp)
        seccomp_confine();
}
