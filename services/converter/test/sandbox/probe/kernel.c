#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int mount_memory(const char *path)
{
    return mount("probe", path, "tmpfs", 0, NULL);
}

static int new_user(const char *unused)
{
    (void)unused;
    return unshare(CLONE_NEWUSER);
}

static int join(const char *path)
{
    return setns(open(path, O_RDONLY), 0);
}

static int change_root(const char *path)
{
    return chroot(path);
}

static int call(long number)
{
    return syscall(number, 0, 0, 0, 0, 0, 0) < 0 ? -1 : 0;
}

static int keys(const char *unused)
{
    (void)unused;
    return syscall(SYS_keyctl, 0, -3, 1) < 0 ? -1 : 0;
}

static int bpf(const char *unused)
{
    (void)unused;
    return call(SYS_bpf);
}

static int io_uring(const char *unused)
{
    (void)unused;
    char parameters[120] = "";
    return syscall(SYS_io_uring_setup, 1, parameters) < 0 ? -1 : 0;
}

static int perf(const char *unused)
{
    (void)unused;
    return call(SYS_perf_event_open);
}

static int faults(const char *unused)
{
    (void)unused;
    return syscall(SYS_userfaultfd, 1) < 0 ? -1 : 0;
}

static int shared_memory(const char *unused)
{
    (void)unused;
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    return id < 0 ? -1 : shmctl(id, IPC_RMID, NULL);
}

static int memory_file(const char *unused)
{
    (void)unused;
    return (int)syscall(SYS_memfd_create, "probe", 0);
}

static int handle(const char *path)
{
    struct file_handle handle = {.handle_bytes = 0};
    int mount_id;
    /* With EOVERFLOW the kernel reports the length of the handle. */
    return name_to_handle_at(AT_FDCWD, path, &handle, &mount_id, 0) < 0 && errno != EOVERFLOW ? -1 : 0;
}

/* Waits for the disks of the host. */
static int write_disks(const char *unused)
{
    (void)unused;
    sync();
    return errno == EPERM ? -1 : 0;
}

/* Options of the process itself: its memory map, an anonymous mapping's name, a filter of its own, its core scheduling. */
static int control(const char *option)
{
    return prctl(atoi(option), 0, 0, 0, 0) < 0 && errno == EPERM ? -1 : 0;
}

static int timer(const char *unused)
{
    timer_t timer;
    (void)unused;
    return timer_create(CLOCK_PROCESS_CPUTIME_ID, NULL, &timer) < 0 ? -1 : timer_delete(timer);
}

static int restart(const char *unused)
{
    (void)unused;
    return call(SYS_reboot);
}

/* Whether any capability is left. */
static int capability(const char *unused)
{
    (void)unused;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) < 0)
        return -1;
    errno = EPERM;
    return data[0].effective | data[0].permitted | data[1].effective | data[1].permitted ? 0 : -1;
}

#ifdef __x86_64__
/* Calls by the numbers of i386, where 20 is getpid. */
static int as_i386(const char *unused)
{
    (void)unused;
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    return result < 0 ? -1 : 0;
}

static int as_x32(const char *unused)
{
    (void)unused;
    return call(0x40000000 | SYS_getpid);
}
#endif

const struct attempt KERNEL_ATTEMPTS[] = {
    {"mount", mount_memory},
    {"unshare", new_user},
    {"setns", join},
    {"chroot", change_root},
    {"keyctl", keys},
    {"bpf", bpf},
    {"io_uring", io_uring},
    {"perf", perf},
    {"userfaultfd", faults},
    {"shm", shared_memory},
    {"memfd", memory_file},
    {"handle", handle},
    {"sync", write_disks},
    {"prctl", control},
    {"timer", timer},
    {"reboot", restart},
    {"capability", capability},
#ifdef __x86_64__
    {"i386", as_i386},
    {"x32", as_x32},
#endif
    {NULL, NULL},
};
