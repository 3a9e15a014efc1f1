/*
 * refuse landlock|seccomp|both PROGRAM ARGUMENT...
 *
 * Runs a program on a simulated kernel without Landlock, or seccomp filters, or both: their calls fail as unknown.
 */
#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NR_landlock_create_ruleset = 444 };

int main(int argc, char **argv)
{
    if (argc < 3)
        errx(2, "usage: refuse landlock|seccomp|both PROGRAM ARGUMENT...");
    unsigned no_landlock = strcmp(argv[1], "seccomp") == 0 ? ~0U : NR_landlock_create_ruleset;
    unsigned no_seccomp = strcmp(argv[1], "landlock") == 0 ? ~0U : SYS_seccomp;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, no_landlock, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, no_seccomp, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
        err(1, "seccomp");
    execv(argv[2], argv + 2);
    err(1, "%s", argv[2]);
}
