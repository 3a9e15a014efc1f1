#include "rights.h"

#include <err.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* OOM_SCORE_ADJ_MAX of include/uapi/linux/oom.h */
static const char OOM_SCORE_MAX[] = "1000";

void die_with_parent(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        err(1, "PR_SET_PDEATHSIG");
    /* The parent may have ended before the request above, which then never fires. */
    if (getppid() != parent)
        _exit(1);
}

void reset_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void go_first(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (write(fd, OOM_SCORE_MAX, strlen(OOM_SCORE_MAX)) < 0)
        warn("oom_score_adj");
    close(fd);
}

static void limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
    if (setrlimit(resource, &(struct rlimit){.rlim_cur = soft, .rlim_max = hard}) < 0)
        err(1, "setrlimit %d", (int)resource);
}

void limit_resources(const struct resource_limits *limits)
{
    limit(RLIMIT_AS, limits->address_space_bytes_max, limits->address_space_bytes_max);
    limit(RLIMIT_FSIZE, limits->file_bytes_max, limits->file_bytes_max);
    /* SIGXCPU at the soft limit identifies an exhausted budget; the hard limit, a second later, is SIGKILL. */
    limit(RLIMIT_CPU, limits->cpu_seconds_max, limits->cpu_seconds_max + 1);
    limit(RLIMIT_NOFILE, limits->descriptors_max, limits->descriptors_max);
    limit(RLIMIT_CORE, 0, 0);
}

void drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        err(1, "PR_SET_NO_NEW_PRIVS");
    if (syscall(SYS_capset, &header, none) < 0)
        err(1, "capset");
}
