#include "warden.h"

#include "confine.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* More children than a host has. */
enum { WARDS_MAX = 64, PATH_BYTES_MAX = 64 };

struct ward {
    pid_t pid;
    /* The listener of its filter; -1 if the place is free. */
    int fd;
};

/* A kernel may know longer structures than this program. */
union request {
    struct seccomp_notif fields;
    char room[512];
};

union answer {
    struct seccomp_notif_resp fields;
    char room[512];
};

static struct ward wards[WARDS_MAX];
static int host_fd = -1;

static unsigned threads_of(pid_t pid)
{
    char path[PATH_BYTES_MAX];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return stat(path, &status) == 0 && status.st_nlink > 2 ? (unsigned)status.st_nlink - 2 : 0;
}

/* The call goes on as its registers say: the other filter (seccomp.c) has checked them. */
static void judge(const struct ward *ward)
{
    union request request = {0};
    union answer answer = {0};
    if (ioctl(ward->fd, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
        return;
    answer.fields.id = request.fields.id;
    if (threads_of(ward->pid) < CHILD_LIMITS.threads_max) {
        answer.fields.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    } else {
        answer.fields.error = -EAGAIN;
        kill(ward->pid, SIGXFSZ);
    }
    (void)!ioctl(ward->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void take_ward(int socket_fd)
{
    struct ward ward = {.fd = -1};
    char control[CMSG_SPACE(sizeof(int))];
    struct iovec bytes = {&ward.pid, sizeof ward.pid};
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC) <= 0)
        _exit(0);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS)
        return;
    memcpy(&ward.fd, CMSG_DATA(header), sizeof ward.fd);
    for (struct ward *place = wards; place < wards + WARDS_MAX; place++)
        if (place->fd < 0) {
            *place = ward;
            return;
        }
    close(ward.fd);
}

static _Noreturn void keep_watch(int socket_fd, pid_t host)
{
    struct pollfd polled[1 + WARDS_MAX];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    /* It must not hold the host's pipes open: their readers would not notice the host's end. */
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    die_with_parent(host);
    prctl(PR_SET_NAME, "warden");
    for (;;) {
        polled[0] = (struct pollfd){.fd = socket_fd, .events = POLLIN};
        for (int i = 0; i < WARDS_MAX; i++)
            polled[1 + i] = (struct pollfd){.fd = wards[i].fd, .events = POLLIN};
        if (poll(polled, 1 + WARDS_MAX, -1) < 0 && errno != EINTR)
            _exit(1);
        for (int i = 0; i < WARDS_MAX; i++)
            if (polled[1 + i].revents & POLLIN) {
                judge(&wards[i]);
            } else if (polled[1 + i].revents) {
                close(wards[i].fd);
                wards[i].fd = -1;
            }
        if (polled[0].revents)
            take_ward(socket_fd);
    }
}

void warden_start(void)
{
    int fds[2];
    for (int i = 0; i < WARDS_MAX; i++)
        wards[i].fd = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        err(1, "warden");
    pid_t host = getpid(), pid = fork();
    if (pid < 0)
        err(1, "warden");
    if (pid == 0) {
        close(fds[0]);
        keep_watch(fds[1], host);
    }
    close(fds[1]);
    host_fd = fds[0];
}

int warden_descriptor(void)
{
    return host_fd;
}

static int listen_for_threads(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        err(1, "PR_SET_NO_NEW_PRIVS");
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

void warden_ask(void)
{
    if (host_fd < 0)
        return;
    pid_t pid = getpid();
    /* A container whose own filter has a listener allows no second one. Then the watch counts alone. */
    int listener = listen_for_threads();
    if (listener >= 0) {
        char control[CMSG_SPACE(sizeof(int))] = "";
        struct iovec bytes = {&pid, sizeof pid};
        struct msghdr message = {
            .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
        memcpy(CMSG_DATA(header), &listener, sizeof listener);
        if (sendmsg(host_fd, &message, 0) < 0)
            err(1, "warden");
        close(listener);
    }
    close(host_fd);
    host_fd = -1;
}
