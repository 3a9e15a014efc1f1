#include "job.h"

#include "confine.h"
#include "office.h"
#include "prefault.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { URL_BYTES_MAX = 4200, REPORT_BYTES_MAX = 256 };

static const char *const OUTCOME_WORDS[] = {
    [OUTCOME_OK] = "ok",
    [OUTCOME_UNREADABLE] = "unreadable",
    [OUTCOME_FAILED] = "failed",
};

static void report(int fd, const char *word, const char *reason)
{
    char line[REPORT_BYTES_MAX];
    int length = snprintf(line, sizeof line - 1, "%s %s", word, reason);
    if (length > (int)sizeof line - 2)
        length = sizeof line - 2;
    for (int i = 0; i < length; i++)
        if (line[i] < ' ' || line[i] > '~')
            line[i] = '?';
    line[length] = '\n';
    if (write(fd, line, length + 1) != length + 1)
        _exit(1);
}

/* A child must not hold the host's own pipes: their other end would not see the host die. */
static void drop_standard_streams(void)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
        _exit(1);
    close(null);
}

static void await_order(int fd)
{
    char order;
    ssize_t got;
    do
        got = read(fd, &order, 1);
    while (got < 0 && errno == EINTR);
    if (got != 1)
        _exit(0);
}

_Noreturn void live_as_child(const char *job_dir, int order_fd, int report_fd, pid_t parent)
{
    char home[URL_BYTES_MAX], from[URL_BYTES_MAX], to[URL_BYTES_MAX], error[REPORT_BYTES_MAX] = "";
    snprintf(home, sizeof home, "file://%s/profile", job_dir);
    snprintf(from, sizeof from, "file://%s/input.docx", job_dir);
    snprintf(to, sizeof to, "file://%s/output.pdf", job_dir);

    drop_standard_streams();
    office_become_child(home);
    confine_child(job_dir, parent);
    prefault_learned();
    report(report_fd, "spare", "");
    await_order(order_fd);
    enum outcome outcome = office_convert(from, to, "pdf", error, sizeof error);
    report(report_fd, OUTCOME_WORDS[outcome], error);
    /* Killed when the owner has its answer out. No exit: LibreOffice's handlers would tear the whole office down. */
    for (;;)
        pause();
}
