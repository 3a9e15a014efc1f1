#include "host.h"

#include "confine.h"
#include "digest.h"
#include "serve.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* After SLOW_MS, a child runs only while no other process wants its processor, nearly. */
enum { CHILDREN_MAX = 512, LOOK_MS = 250, SLOW_MS = 1000, NICE_MAX = 19, LINE_BYTES_MAX = 64 };

/* The places up to `count` are taken. */
struct child {
    pid_t pid;
    int pid_fd;
    int connection;
    long started_ms;
    bool gave_way;
};

static struct child children[CHILDREN_MAX];
static int count;

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (length >= sizeof address.sun_path)
        errx(2, "%s is too long", name);
    memcpy(address.sun_path + 1, name, length);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + length) < 0 ||
        listen(fd, CHILDREN_MAX) < 0)
        err(1, "%s", name);
    return fd;
}

static bool is_of_same_user(int connection)
{
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

static _Noreturn void live_as_child(const struct sandbox *sandbox, int connection, pid_t parent)
{
    if (dup2(connection, STDIN_FILENO) < 0 || dup2(connection, STDOUT_FILENO) < 0)
        _exit(1);
    choose_key();
    confine(sandbox, parent);
    serve();
}

static void take(const struct sandbox *sandbox, int listener)
{
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return;
    pid_t host = getpid(), pid = -1;
    if (count < CHILDREN_MAX && is_of_same_user(connection))
        pid = fork();
    if (pid == 0)
        live_as_child(sandbox, connection, host);
    int pid_fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (pid_fd >= 0) {
        children[count++] =
            (struct child){.pid = pid, .pid_fd = pid_fd, .connection = connection, .started_ms = now_ms()};
        return;
    }
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close(connection);
}

static void bury(int index)
{
    struct child *child = &children[index];
    struct rusage used = {0};
    int status = 0;
    char line[LINE_BYTES_MAX];
    while (wait4(child->pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    long ms = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000L + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000L;
    int length = snprintf(line, sizeof line, "gone %d %ld\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0, ms);
    /* The host does not wait. */
    (void)!send(child->connection, line, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(child->connection);
    close(child->pid_fd);
    *child = children[--count];
}

static void look_after(struct child *child)
{
    if (child->gave_way || now_ms() - child->started_ms < SLOW_MS)
        return;
    child->gave_way = true;
    (void)setpriority(PRIO_PROCESS, (id_t)child->pid, NICE_MAX);
}

_Noreturn void host(const struct sandbox *sandbox, const char *name)
{
    static struct pollfd polled[1 + 2 * CHILDREN_MAX];
    int listener = listen_at(name);
    if (puts("ready") == EOF || fflush(stdout) != 0)
        err(1, "ready");
    for (;;) {
        polled[0] = (struct pollfd){.fd = listener, .events = POLLIN};
        for (int i = 0; i < count; i++) {
            polled[1 + 2 * i] = (struct pollfd){.fd = children[i].connection, .events = POLLRDHUP};
            polled[2 + 2 * i] = (struct pollfd){.fd = children[i].pid_fd, .events = POLLIN};
        }
        if (poll(polled, 1 + 2 * (nfds_t)count, count > 0 ? LOOK_MS : -1) < 0 && errno != EINTR)
            err(1, "poll");
        /* From the last one: a place that becomes free gets the child of the last place. */
        for (int i = count - 1; i >= 0; i--) {
            if (polled[2 + 2 * i].revents) {
                bury(i);
                continue;
            }
            if (polled[1 + 2 * i].revents)
                kill(children[i].pid, SIGKILL);
            look_after(&children[i]);
        }
        if (polled[0].revents)
            take(sandbox, listener);
    }
}
