/*
 * A list of allowed calls. LibreOffice made them while it converted a large collection of documents from each source format into
 * each target format. Others are those by which the C library does the same on other kernels. Everything else fails:
 *
 * - a call that the unified table of all architectures numbers from 424 on fails as if the kernel lacked it. So does each
 *   call that is newer than this list. The C library then uses an older one;
 * - other calls fail with EPERM, and LibreOffice continues without them.
 *
 * Poppler (services/verifier/second-reader) needs fewer of them.
 *
 * No socket, no program, no process, no call that names another process, no change of a file without its path.
 */
#include "seccomp.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

bool seccomp_available(void)
{
#ifdef ARCHITECTURE
    uint32_t action = SECCOMP_RET_KILL_PROCESS;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
    errno = ENOSYS;
    return false;
#endif
}

#ifdef ARCHITECTURE

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ARGUMENT reads the low half of an argument");

/* The numbers from here on are the same on every architecture. Headers may be too old to name them. */
enum { UNIFIED_FIRST = 424, NR_faccessat2 = 439 };

static const uint32_t ALLOWED[] = {
    /* memory */
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_msync, SYS_mincore,
    /* threads, and the end of a process */
    SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_set_tid_address, SYS_gettid, SYS_sched_yield, SYS_sched_getaffinity,
    SYS_sched_getparam, SYS_sched_getscheduler, SYS_getcpu, SYS_exit, SYS_exit_group,
    /* signals to itself */
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
    SYS_sigaltstack, SYS_restart_syscall,
    /* open files */
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_lseek, SYS_close,
    SYS_dup, SYS_dup3, SYS_fstat, SYS_fstatfs, SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate, SYS_fadvise64,
    SYS_sendfile, SYS_copy_file_range, SYS_getdents64, SYS_fchdir,
    /* paths, as Landlock permits */
    SYS_openat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_faccessat, NR_faccessat2, SYS_readlinkat, SYS_getcwd, SYS_chdir,
    SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_umask,
    /* waiting within the process */
    SYS_pipe2, SYS_eventfd2, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
    SYS_nanosleep, SYS_clock_nanosleep,
    /* time, randomness, and what it is itself */
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_times, SYS_getrandom, SYS_getpid, SYS_getppid, SYS_getuid,
     SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_capget, SYS_uname, SYS_sysinfo,
    SYS_getrusage, SYS_getrlimit,
#ifdef __x86_64__
    /* the older forms of some of the above, which other architectures never had */
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename, SYS_getdents,
    SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_wait, SYS_pause, SYS_time, SYS_getpgrp,
#endif
};

static const uint32_t PRCTL_OPTIONS[] = {PR_SET_NAME, PR_GET_NAME};
/* Not those that send signals to a process, watch a directory for changes, or block writers of a file. */
static const uint32_t FCNTL_COMMANDS[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK,
                                          F_SETLKW};
/*
 * Terminal detection, bytes available to read, and what fcntl does as well. Some of the others change a file that was
 * opened read-only, and some reveal the host's network.
 */
static const uint32_t IOCTL_REQUESTS[] = {TCGETS, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
/* pthread_create(3) of the C library. A thread with its own table of descriptors could hold another 256. */
static const uint32_t CLONE_FLAGS[] = {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                                       CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID};

enum { PROGRAM_MAX = 512, X32_BIT = 0x40000000 };

struct program {
    uint16_t length;
    struct sock_filter code[PROGRAM_MAX];
};

static void emit(struct program *program, struct sock_filter instruction)
{
    if (program->length == PROGRAM_MAX)
        errx(1, "the filter of system calls is too long");
    program->code[program->length++] = instruction;
}

#define STATEMENT(code, k) emit(program, (struct sock_filter)BPF_STMT(code, k))
#define JUMP(test, k, yes, no) emit(program, (struct sock_filter)BPF_JUMP(BPF_JMP | (test) | BPF_K, k, yes, no))
#define LOAD(offset) STATEMENT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ARGUMENT(index) (offsetof(struct seccomp_data, args) + (index) * sizeof(uint64_t))
#define RETURN(action) STATEMENT(BPF_RET | BPF_K, action)
#define FAIL(number) RETURN(SECCOMP_RET_ERRNO | (number))

static void only_native_calls(struct program *program)
{
    LOAD(offsetof(struct seccomp_data, arch));
    JUMP(BPF_JEQ, ARCHITECTURE, 1, 0);
    RETURN(SECCOMP_RET_KILL_PROCESS);
    LOAD(offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    JUMP(BPF_JGE, X32_BIT, 0, 1);
    RETURN(SECCOMP_RET_KILL_PROCESS);
#endif
}

/* Allows a call only if its argument is one of the values. */
static void allow_values(struct program *program, uint32_t call, int argument, const uint32_t *values, uint8_t count)
{
    JUMP(BPF_JEQ, call, 0, 2 * count + 2);
    LOAD(ARGUMENT(argument));
    for (uint8_t i = 0; i < count; i++) {
        JUMP(BPF_JEQ, values[i], 0, 1);
        RETURN(SECCOMP_RET_ALLOW);
    }
    FAIL(EPERM);
}

static void refuse_others(struct program *program)
{
    JUMP(BPF_JEQ, SYS_socket, 1, 0);
    JUMP(BPF_JEQ, SYS_socketpair, 0, 1);
    FAIL(EAFNOSUPPORT);
    JUMP(BPF_JGE, UNIFIED_FIRST, 0, 1);
    FAIL(ENOSYS);
    FAIL(EPERM);
}

#define VALUES(list) (list), sizeof(list) / sizeof *(list)

/*
 * The kernel remembers which calls this allows whatever their arguments are, and does not run it for them. So those with
 * arguments come first. clone3 hides its flags from a filter; without it, the C library uses clone.
 */
static void write_program(struct program *program, enum threads threads)
{
    /* The process group consists of this process only. */
    const uint32_t self[] = {(uint32_t)getpid(), 0};
    only_native_calls(program);
    allow_values(program, SYS_fcntl, 1, VALUES(FCNTL_COMMANDS));
    allow_values(program, SYS_ioctl, 1, VALUES(IOCTL_REQUESTS));
    if (threads == WITH_THREADS)
        allow_values(program, SYS_clone, 0, VALUES(CLONE_FLAGS));
    allow_values(program, SYS_prctl, 0, VALUES(PRCTL_OPTIONS));
    allow_values(program, SYS_prlimit64, 0, VALUES(self));
    allow_values(program, SYS_kill, 0, VALUES(self));
    allow_values(program, SYS_tgkill, 0, self, 1);
    for (size_t i = 0; i < sizeof ALLOWED / sizeof *ALLOWED; i++) {
        JUMP(BPF_JEQ, ALLOWED[i], 0, 1);
        RETURN(SECCOMP_RET_ALLOW);
    }
    refuse_others(program);
}

void seccomp_confine(enum threads threads)
{
    struct program program = {0};
    write_program(&program, threads);
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
        err(1, "seccomp");
}

#else

void seccomp_confine(enum threads threads)
{
    (void)threads;
    errx(1, "no filter of system calls for this architecture");
}

#endif
