#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What no conversion needs, by name. Calls above 450 are tried by their numbers: headers may be too old to name them. */
static const struct call {
    const char *name;
    long number;
} REFUSED[] = {
#define CALL(name) {#name, SYS_##name},
    CALL(ptrace) CALL(process_vm_readv) CALL(process_vm_writev) CALL(kcmp) CALL(execve) CALL(execveat) CALL(tkill)
    CALL(rt_sigqueueinfo) CALL(rt_tgsigqueueinfo) CALL(setsid) CALL(setpgid) CALL(getpgid) CALL(setpriority)
    CALL(getpriority) CALL(sched_setattr) CALL(sched_getattr) CALL(sched_setparam) CALL(sched_setscheduler)
    CALL(sched_setaffinity) CALL(sched_rr_get_interval) CALL(ioprio_set) CALL(ioprio_get) CALL(migrate_pages)
    CALL(move_pages) CALL(mbind) CALL(set_mempolicy) CALL(get_mempolicy) CALL(wait4) CALL(waitid) CALL(socket)
    CALL(socketpair) CALL(connect) CALL(bind) CALL(listen) CALL(accept) CALL(accept4) CALL(sendto) CALL(sendmsg)
    CALL(sendmmsg) CALL(recvfrom) CALL(recvmsg) CALL(recvmmsg) CALL(getsockname) CALL(getpeername) CALL(setsockopt)
    CALL(getsockopt) CALL(shutdown) CALL(shmget) CALL(shmat) CALL(shmdt) CALL(shmctl) CALL(semget) CALL(semctl)
    CALL(semop) CALL(semtimedop) CALL(msgget) CALL(msgsnd) CALL(msgrcv) CALL(msgctl) CALL(mq_open) CALL(mq_unlink)
    CALL(mq_notify) CALL(mq_timedsend) CALL(mq_timedreceive) CALL(mq_getsetattr) CALL(fchmod) CALL(fchmodat)
    CALL(fchown) CALL(fchownat) CALL(setxattr) CALL(lsetxattr) CALL(fsetxattr) CALL(getxattr) CALL(lgetxattr)
    CALL(fgetxattr) CALL(listxattr) CALL(llistxattr) CALL(flistxattr) CALL(removexattr) CALL(lremovexattr)
    CALL(fremovexattr) CALL(utimensat) CALL(truncate) CALL(linkat) CALL(symlinkat) CALL(mknodat) CALL(inotify_init1)
    CALL(inotify_add_watch) CALL(inotify_rm_watch) CALL(fanotify_init) CALL(fanotify_mark) CALL(flock) CALL(sync)
    CALL(syncfs) CALL(sync_file_range) CALL(readahead) CALL(splice) CALL(tee) CALL(vmsplice) CALL(preadv2)
    CALL(pwritev2) CALL(name_to_handle_at) CALL(open_by_handle_at) CALL(memfd_create) CALL(mlock) CALL(mlock2)
    CALL(munlock) CALL(mlockall) CALL(munlockall) CALL(remap_file_pages) CALL(pkey_mprotect) CALL(pkey_alloc)
    CALL(pkey_free) CALL(membarrier) CALL(get_robust_list) CALL(io_setup) CALL(io_destroy) CALL(io_submit)
    CALL(io_cancel) CALL(io_getevents) CALL(io_pgetevents) CALL(bpf) CALL(perf_event_open) CALL(userfaultfd)
    CALL(seccomp) CALL(add_key) CALL(request_key) CALL(keyctl) CALL(personality) CALL(lookup_dcookie)
    CALL(timer_create) CALL(timer_settime) CALL(timer_gettime) CALL(timer_getoverrun) CALL(timer_delete)
    CALL(timerfd_create) CALL(timerfd_settime) CALL(timerfd_gettime) CALL(setitimer) CALL(getitimer) CALL(signalfd4)
    CALL(mount) CALL(umount2) CALL(pivot_root) CALL(chroot) CALL(unshare) CALL(setns) CALL(init_module)
    CALL(finit_module) CALL(delete_module) CALL(kexec_load) CALL(kexec_file_load) CALL(reboot) CALL(swapon)
    CALL(swapoff) CALL(acct) CALL(quotactl) CALL(nfsservctl) CALL(syslog) CALL(settimeofday) CALL(clock_settime)
    CALL(clock_adjtime) CALL(adjtimex) CALL(sethostname) CALL(setdomainname) CALL(vhangup) CALL(setuid) CALL(setgid)
    CALL(setreuid) CALL(setregid) CALL(setresuid) CALL(setresgid) CALL(getresuid) CALL(getresgid) CALL(setgroups)
    CALL(setfsuid) CALL(setfsgid) CALL(capset) CALL(setrlimit) CALL(pidfd_send_signal) CALL(io_uring_setup)
    CALL(io_uring_enter) CALL(io_uring_register) CALL(open_tree) CALL(move_mount) CALL(fsopen) CALL(fsconfig)
    CALL(fsmount) CALL(fspick) CALL(pidfd_open) CALL(clone3) CALL(close_range)
    CALL(openat2) CALL(pidfd_getfd) CALL(process_madvise) CALL(epoll_pwait2) CALL(mount_setattr) CALL(quotactl_fd)
    CALL(landlock_create_ruleset) CALL(landlock_add_rule) CALL(landlock_restrict_self) CALL(memfd_secret)
    CALL(process_mrelease) CALL(futex_waitv)
#ifdef __x86_64__
    CALL(fork) CALL(vfork) CALL(creat) CALL(link) CALL(symlink) CALL(mknod) CALL(chmod) CALL(chown) CALL(lchown)
    CALL(utime) CALL(utimes) CALL(futimesat) CALL(inotify_init) CALL(signalfd) CALL(eventfd) CALL(epoll_create)
    CALL(iopl) CALL(ioperm) CALL(modify_ldt) CALL(arch_prctl) CALL(create_module) CALL(query_module)
    CALL(get_kernel_syms) CALL(uselib) CALL(ustat) CALL(sysfs) CALL(_sysctl) CALL(alarm)
#endif
    {NULL, 0},
};

/* The last number of this list, and a number beyond any kernel. */
enum { NAMED_MAX = 450, NUMBER_MAX = 1100, PRCTL_MAX = 200, FCNTL_MAX = 1100, IOCTL_MAX = 1 << 16 };

static int has_been_refused(long number)
{
    long result = syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
    return result < 0 && (errno == EPERM || errno == ENOSYS || errno == EAFNOSUPPORT);
}

static int say_number(const char *what, unsigned long number)
{
    printf("%s-%lu passes\n", what, number);
    return 0;
}

/* Prints a line for each call: its name, and the error. */
static int each_call(const char *unused)
{
    (void)unused;
    for (const struct call *call = REFUSED; call->name; call++)
        printf("%s %s\n", call->name, has_been_refused(call->number) ? strerrorname_np(errno) : "passes");
    return 0;
}

/* Prints the numbers of newer calls that the filter lets pass. */
static int newer_calls(const char *unused)
{
    (void)unused;
    for (long number = NAMED_MAX; number <= NUMBER_MAX; number++)
        if (!has_been_refused(number))
            say_number("call", (unsigned long)number);
    return 0;
}

/* Prints the operations that the filter lets pass: with these arguments, none succeeds. */
static int operations(const char *unused)
{
    (void)unused;
    for (int option = 0; option <= PRCTL_MAX; option++)
        if (prctl(option, -1L, -1L, -1L, -1L) >= 0 || errno != EPERM)
            say_number("prctl", (unsigned long)option);
    for (int command = 0; command <= FCNTL_MAX; command++)
        if (fcntl(-1, command, 0) >= 0 || errno != EPERM)
            say_number("fcntl", (unsigned long)command);
    for (unsigned long request = 0; request <= IOCTL_MAX; request++)
        if (syscall(SYS_ioctl, -1, request, 0) >= 0 || errno != EPERM)
            say_number("ioctl", request);
    return 0;
}

const struct attempt CALL_ATTEMPTS[] = {
    {"each-call", each_call},
    {"newer-calls", newer_calls},
    {"operations", operations},
    {NULL, NULL},
};
