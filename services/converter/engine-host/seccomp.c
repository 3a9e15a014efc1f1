/*
 * A list of forbidden calls, not of allowed ones. LibreOffice, its many libraries and each C library use other calls in
 * each release; a call that an allow list lacks makes a document fail or come out different. The list forbids what
 * leads out of the process; Landlock covers files. Calls fail with EPERM, or as if the kernel lacked them, so that
 * LibreOffice continues without them.
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

/* Calls that the C library's headers may be too old to name; the numbers are the same on every architecture. */
enum {
    NR_open_tree = 428,
    NR_move_mount = 429,
    NR_fsopen = 430,
    NR_fsconfig = 431,
    NR_fsmount = 432,
    NR_fspick = 433,
    NR_pidfd_open = 434,
    NR_clone3 = 435,
    NR_close_range = 436,
    NR_pidfd_getfd = 438,
    NR_process_madvise = 440,
    NR_mount_setattr = 442,
    NR_quotactl_fd = 443,
    NR_memfd_secret = 447,
    NR_process_mrelease = 448,
    NR_fchmodat2 = 452,
    NR_statmount = 457,
    NR_listmount = 458,
    NR_lsm_set_self_attr = 460,
    NR_setxattrat = 463,
    NR_removexattrat = 466,
    NR_open_tree_attr = 467,
    NR_file_setattr = 469,
};

static const uint16_t FORBIDDEN[] = {
    /* other programs and processes */
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, NR_process_madvise,
    NR_process_mrelease, NR_pidfd_open, NR_pidfd_getfd, SYS_pidfd_send_signal, SYS_tkill, SYS_rt_sigqueueinfo,
    /* leaving the group that is killed at the deadline; priority or processor of another process */
    SYS_setsid, SYS_setpgid, SYS_setpriority, SYS_sched_setattr, SYS_sched_setparam, SYS_sched_setscheduler,
    SYS_sched_setaffinity, SYS_ioprio_set, SYS_migrate_pages, SYS_move_pages,
    /* connecting to a server: AF_UNIX reaches Redis and PostgreSQL too; passing open files on */
    SYS_connect, SYS_sendmsg, SYS_sendmmsg,
    /* memory and messages that processes share by name */
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semctl, SYS_semop, SYS_semtimedop, SYS_msgget, SYS_msgsnd,
    SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_mq_notify,
    /* what Landlock permits: attributes of files that the same user owns, links that the owner would follow */
    SYS_fchmod, SYS_fchmodat, NR_fchmodat2, SYS_fchown, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, NR_setxattrat, NR_removexattrat, NR_file_setattr, SYS_utimensat,
    SYS_truncate, SYS_symlinkat, SYS_mknodat, SYS_inotify_init1, SYS_inotify_add_watch, SYS_fanotify_init,
    SYS_fanotify_mark,
    /* files opened without their path; memory files would count neither for this process nor against a limit */
    SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_memfd_create, NR_memfd_secret,
    /* kernel subsystems with a history of vulnerabilities that no conversion needs */
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_io_setup, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_personality, SYS_lookup_dcookie, SYS_vmsplice,
    /* another view of the machine */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, NR_open_tree, NR_move_mount, NR_fsopen,
    NR_fsconfig, NR_fsmount, NR_fspick, NR_mount_setattr, NR_open_tree_attr, NR_statmount, NR_listmount,
    NR_lsm_set_self_attr,
    /* the machine itself */
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load, SYS_reboot, SYS_swapon,
    SYS_swapoff, SYS_acct, SYS_quotactl, NR_quotactl_fd, SYS_syslog, SYS_settimeofday, SYS_clock_settime,
    SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_vhangup, SYS_nfsservctl,
#ifdef __x86_64__
    /* the older forms of some of the above, which other architectures never had */
    SYS_fork, SYS_vfork, SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_symlink, SYS_mknod,
    SYS_inotify_init, SYS_iopl, SYS_ioperm, SYS_modify_ldt, SYS_create_module, SYS_uselib, SYS_ustat, SYS_sysfs,
#endif
};

/* The last one would hide its open files from the host. */
static const uint32_t PRCTL_OPTIONS[] = {PR_SET_PDEATHSIG, PR_SET_PTRACER, PR_SET_DUMPABLE};
/* These send signals to a chosen process, watch a directory for changes, or block writers of a file. */
static const uint32_t FCNTL_COMMANDS[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_NOTIFY, F_SETLEASE};
/*
 * The allowed ones: terminal detection, bytes available to read, and what fcntl does as well. Some of the others change
 * a file that was opened read-only, and some reveal the host's network.
 */
static const uint32_t IOCTL_REQUESTS[] = {TCGETS, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};

enum { PROGRAM_MAX = 512, SOCKET_TYPE_MASK = 0xf, X32_BIT = 0x40000000 };

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

static void forbid(struct program *program, uint32_t call, uint32_t error)
{
    JUMP(BPF_JEQ, call, 0, 1);
    FAIL(error);
}

/* Forbids a call if its argument is one of the values. */
static void forbid_values(struct program *program, uint32_t call, int argument, const uint32_t *values, uint8_t count)
{
    JUMP(BPF_JEQ, call, 0, 2 * count + 2);
    LOAD(ARGUMENT(argument));
    for (uint8_t i = 0; i < count; i++) {
        JUMP(BPF_JEQ, values[i], 0, 1);
        FAIL(EPERM);
    }
    RETURN(SECCOMP_RET_ALLOW);
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

/* Allows a call only if its first argument, a process, names this one. */
static void allow_self(struct program *program, uint32_t call, uint32_t self, bool is_zero_self)
{
    JUMP(BPF_JEQ, call, 0, 5);
    LOAD(ARGUMENT(0));
    JUMP(BPF_JEQ, self, 2, 0);
    JUMP(BPF_JEQ, is_zero_self ? 0 : self, 1, 0);
    FAIL(EPERM);
    RETURN(SECCOMP_RET_ALLOW);
}

/*
 * Allows new threads, but no new processes, and no thread with its own table of descriptors, which could hold another
 * 256. clone3 hides its flags from a filter; without it, the C library uses clone.
 */
static void only_threads(struct program *program)
{
    forbid(program, NR_clone3, ENOSYS);
    forbid(program, NR_close_range, ENOSYS);
    JUMP(BPF_JEQ, SYS_clone, 0, 5);
    LOAD(ARGUMENT(0));
    STATEMENT(BPF_ALU | BPF_AND | BPF_K, CLONE_THREAD | CLONE_FILES);
    JUMP(BPF_JEQ, CLONE_THREAD | CLONE_FILES, 1, 0);
    FAIL(EPERM);
    RETURN(SECCOMP_RET_ALLOW);
}

/* Allows sockets within the machine that cannot send to an address: datagram sockets can do so without connect. */
static void only_unix_streams(struct program *program, uint32_t call)
{
    JUMP(BPF_JEQ, call, 0, 8);
    LOAD(ARGUMENT(0));
    JUMP(BPF_JEQ, AF_UNIX, 0, 4);
    LOAD(ARGUMENT(1));
    STATEMENT(BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE_MASK);
    JUMP(BPF_JEQ, SOCK_STREAM, 2, 0);
    JUMP(BPF_JEQ, SOCK_SEQPACKET, 1, 0);
    FAIL(EAFNOSUPPORT);
    RETURN(SECCOMP_RET_ALLOW);
}

#define VALUES(list) (list), sizeof(list) / sizeof *(list)

static void write_program(struct program *program)
{
    uint32_t self = (uint32_t)getpid();
    only_native_calls(program);
    for (size_t i = 0; i < sizeof FORBIDDEN / sizeof *FORBIDDEN; i++)
        forbid(program, FORBIDDEN[i], EPERM);
    only_threads(program);
    only_unix_streams(program, SYS_socket);
    only_unix_streams(program, SYS_socketpair);
    /* The process group consists of this process only. */
    allow_self(program, SYS_kill, self, true);
    allow_self(program, SYS_tgkill, self, false);
    allow_self(program, SYS_rt_tgsigqueueinfo, self, false);
    allow_self(program, SYS_prlimit64, self, true);
    forbid_values(program, SYS_prctl, 0, VALUES(PRCTL_OPTIONS));
    forbid_values(program, SYS_fcntl, 1, VALUES(FCNTL_COMMANDS));
    allow_values(program, SYS_ioctl, 1, VALUES(IOCTL_REQUESTS));
    RETURN(SECCOMP_RET_ALLOW);
}

void seccomp_confine(void)
{
    struct program program = {0};
    write_program(&program);
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
        err(1, "seccomp");
}

#else

void seccomp_confine(void)
{
    errx(1, "no filter of system calls for this architecture");
}

#endif
