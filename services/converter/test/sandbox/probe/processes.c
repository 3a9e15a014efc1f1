#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A signal without effect. */
enum { HARMLESS = SIGCONT };

static int send_signal(const char *pid)
{
    return kill(atoi(pid), HARMLESS);
}

static int send_to_thread(const char *pid)
{
    return (int)syscall(SYS_tgkill, atoi(pid), atoi(pid), HARMLESS);
}

static int send_to_any_thread(const char *pid)
{
    return (int)syscall(SYS_tkill, atoi(pid), HARMLESS);
}

static int send_by_owner(const char *pid)
{
    int fds[2];
    return pipe(fds) < 0 ? -1 : fcntl(fds[0], F_SETOWN, atoi(pid));
}

static int send_to_all(const char *unused)
{
    (void)unused;
    return kill(-1, HARMLESS);
}

static int signal_self(const char *unused)
{
    (void)unused;
    return raise(HARMLESS);
}

static int open_process(const char *pid)
{
    int fd = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
    return fd < 0 ? -1 : close(fd);
}

static int collect(pid_t pid)
{
    if (pid == 0)
        _exit(0);
    return pid < 0 || waitpid(pid, NULL, 0) < 0 ? -1 : 0;
}

static int fork_process(const char *unused)
{
    (void)unused;
    return collect(fork());
}

static int fork_by_clone3(const char *unused)
{
    (void)unused;
    uint64_t arguments[8] = {[4] = SIGCHLD};
    return collect((pid_t)syscall(435, arguments, sizeof arguments));
}

static int exec(const char *path)
{
    return execl(path, path, NULL);
}

static int exec_descriptor(const char *path)
{
    int fd = open(path, O_PATH);
    char *const arguments[] = {"", NULL}, *const environment[] = {NULL};
    return (int)syscall(SYS_execveat, fd, "", arguments, environment, AT_EMPTY_PATH);
}

static void *do_nothing(void *unused)
{
    return unused;
}

static int start_thread(const char *unused)
{
    (void)unused;
    pthread_t thread;
    errno = pthread_create(&thread, NULL, do_nothing, NULL);
    return errno ? -1 : pthread_join(thread, NULL);
}

static int stand_still(void *unused)
{
    (void)unused;
    return pause();
}

/* A thread whose open files are separate from those of the process, and not counted with them. */
static int start_thread_apart(const char *unused)
{
    static char stack[1 << 16];
    (void)unused;
    return clone(stand_still, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD, NULL);
}

static int take_descriptors_apart(const char *unused)
{
    (void)unused;
    enum { CLOSE_RANGE = 436, UNSHARE = 2 };
    return (int)syscall(CLOSE_RANGE, 1000, ~0U, UNSHARE);
}

static int trace(const char *pid)
{
    return ptrace(PTRACE_SEIZE, atoi(pid), NULL, NULL) < 0 ? -1 : (int)ptrace(PTRACE_DETACH, atoi(pid), NULL, NULL);
}

static int read_memory(const char *pid)
{
    char byte;
    struct iovec local = {&byte, 1}, remote = {environ, 1};
    return process_vm_readv(atoi(pid), &local, 1, &remote, 1, 0) < 0 ? -1 : 0;
}

static int leave_session(const char *unused)
{
    (void)unused;
    return setsid();
}

static int leave_group(const char *pid)
{
    return setpgid(0, getpgid(atoi(pid)));
}

static int outlive_parent(const char *unused)
{
    (void)unused;
    return prctl(PR_SET_PDEATHSIG, 0);
}

static int limit_other(const char *pid)
{
    struct rlimit limit;
    return prlimit(atoi(pid), RLIMIT_NOFILE, NULL, &limit);
}

static int slow_other(const char *pid)
{
    return setpriority(PRIO_PROCESS, (id_t)atoi(pid), getpriority(PRIO_PROCESS, (id_t)atoi(pid)));
}

static _Noreturn int stay(const char *unused)
{
    (void)unused;
    for (;;)
        pause();
}

const struct attempt PROCESS_ATTEMPTS[] = {
    {"kill", send_signal},
    {"tgkill", send_to_thread},
    {"tkill", send_to_any_thread},
    {"setown", send_by_owner},
    {"kill-all", send_to_all},
    {"raise", signal_self},
    {"pidfd", open_process},
    {"fork", fork_process},
    {"clone3", fork_by_clone3},
    {"exec", exec},
    {"execveat", exec_descriptor},
    {"thread", start_thread},
    {"thread-apart", start_thread_apart},
    {"close-range", take_descriptors_apart},
    {"ptrace", trace},
    {"vm-read", read_memory},
    {"setsid", leave_session},
    {"setpgid", leave_group},
    {"pdeathsig", outlive_parent},
    {"prlimit", limit_other},
    {"setpriority", slow_other},
    {"stay", stay},
    {NULL, NULL},
};
