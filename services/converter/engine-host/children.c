#include "children.h"

#include "job.h"
#include "office.h"
#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct child children[CHILDREN_MAX];

struct child *child_find(unsigned long id)
{
    for (struct child *child = children; child < children + CHILDREN_MAX; child++)
        if (child->state != CHILD_NONE && child->id == id)
            return child;
    return NULL;
}

static struct child *free_place(void)
{
    for (struct child *child = children; child < children + CHILDREN_MAX; child++)
        if (child->state == CHILD_NONE)
            return child;
    return NULL;
}

static void close_siblings(void)
{
    for (struct child *child = children; child < children + CHILDREN_MAX; child++)
        if (child->state != CHILD_NONE) {
            close(child->pid_fd);
            close(child->order_fd);
            close(child->report_fd);
        }
}

static bool open_pipes(int order[2], int report[2])
{
    if (pipe2(order, O_CLOEXEC) < 0)
        return false;
    /* The host never waits for a child: a child that writes half a line must not block the others. */
    if (pipe2(report, O_CLOEXEC) == 0 && fcntl(report[0], F_SETFL, O_NONBLOCK) == 0)
        return true;
    close(order[0]);
    close(order[1]);
    return false;
}

bool child_spawn(unsigned long id, const char *job_dir)
{
    int order[2], report[2];
    struct child *child = free_place();
    if (!child || office_join_threads() < 0 || !open_pipes(order, report))
        return false;
    pid_t host = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        close(order[1]);
        close(report[0]);
        close_siblings();
        live_as_child(job_dir, order[0], report[1], host);
    }
    close(order[0]);
    close(report[1]);
    int pid_fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (pid_fd < 0) {
        if (pid > 0) {
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
        }
        close(order[1]);
        close(report[0]);
        return false;
    }
    *child = (struct child){
        .state = CHILD_PREPARING, .id = id, .pid = pid, .pid_fd = pid_fd, .order_fd = order[1], .report_fd = report[0]};
    snprintf(child->job_dir, sizeof child->job_dir, "%s", job_dir);
    return true;
}

void child_order(struct child *child, const char *verb, const char *argument)
{
    char line[ORDER_BYTES_MAX + 1];
    int length = snprintf(line, sizeof line, "%s %s\n", verb, argument);
    /* A single write of at most PIPE_BUF bytes is atomic. */
    if (length < (int)sizeof line && write(child->order_fd, line, (size_t)length) == length)
        child->state = CHILD_RUNNING;
    else
        child_kill(child);
}

void child_kill(const struct child *child)
{
    /* The child leads its own group once it has confined itself; before that there is only the child. */
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
}

void child_yield(const struct child *child)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)child->pid);
    DIR *threads = opendir(path);
    if (!threads)
        return;
    /* A thread that starts meanwhile inherits the policy, or is one of the next. A failure leaves the usual policy. */
    for (struct dirent *thread; (thread = readdir(threads));)
        if (thread->d_name[0] != '.')
            (void)sched_setscheduler((pid_t)atoi(thread->d_name), SCHED_IDLE, &(struct sched_param){0});
    closedir(threads);
}

static bool has_job(const struct child *child)
{
    return child->state == CHILD_RUNNING || child->state == CHILD_DONE;
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

int children_watch(void)
{
    static long due_ms;
    bool is_due = due_ms != 0 && now_ms() >= due_ms, has_any = false;
    for (struct child *child = children; child < children + CHILDREN_MAX; child++) {
        has_any |= has_job(child);
        if (is_due && has_job(child))
            watch_child(child->pid, child->job_dir, &child->times_signaled);
    }
    if (!has_any)
        due_ms = 0;
    else if (is_due || due_ms == 0)
        due_ms = now_ms() + WATCH_INTERVAL_MS;
    /* At least 1 ms: a check that is due in this millisecond would otherwise make a busy loop. */
    long left_ms = due_ms - now_ms();
    return has_any ? (int)(left_ms > 0 ? left_ms : 1) : -1;
}

static void relay(struct child *child, const char *line)
{
    if (child->state == CHILD_PREPARING && strcmp(line, "spare ") == 0) {
        child->state = CHILD_SPARE;
        printf("spare %lu %d\n", child->id, (int)child->pid);
    } else if (child->state == CHILD_RUNNING) {
        child->state = CHILD_DONE;
        /* The child stays for its next job, or until the owner sends kill: ending it now would delay the answer. */
        printf("done %lu %s\n", child->id, line);
    } else {
        child_kill(child);
    }
}

void child_hear(struct child *child)
{
    ssize_t got = read(child->report_fd, child->line + child->line_bytes, sizeof child->line - 1 - child->line_bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        /* End of file: the child ended, which `pid_fd` reports, or it violates the protocol. */
        child_kill(child);
        close(child->report_fd);
        child->report_fd = -1;
        return;
    }
    child->line_bytes += (size_t)got;
    child->line[child->line_bytes] = '\0';
    char *end = strchr(child->line, '\n');
    if (!end && child->line_bytes == sizeof child->line - 1) {
        child_kill(child);
        child->line_bytes = 0;
    }
    if (!end)
        return;
    *end = '\0';
    relay(child, child->line);
    child->line_bytes = 0;
}

void child_bury(struct child *child)
{
    int status = 0;
    /* Its last lines may still be in the pipe. */
    if (child->state == CHILD_RUNNING && child->report_fd >= 0)
        child_hear(child);
    /* Before the wait, while the process id cannot be reused. */
    kill(-child->pid, SIGKILL);
    if (waitpid(child->pid, &status, 0) < 0)
        status = 0;
    const char *use = has_job(child) ? "used" : "unused";
    if (WIFSIGNALED(status))
        printf("gone %lu signal %d %s\n", child->id, WTERMSIG(status), use);
    else
        printf("gone %lu exit %d %s\n", child->id, WEXITSTATUS(status), use);
    close(child->pid_fd);
    close(child->order_fd);
    if (child->report_fd >= 0)
        close(child->report_fd);
    child->state = CHILD_NONE;
}
