#include "job.h"

#include "children.h"
#include "confine.h"
#include "office.h"
#include "prefault.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { URL_BYTES_MAX = 4200, FILTER_BYTES_MAX = 64, LINE_BYTES_MAX = CHILD_LINE_BYTES_MAX - 1 };

static const char *const OUTCOME_WORDS[] = {
    [OUTCOME_OK] = "ok",
    [OUTCOME_UNREADABLE] = "unreadable",
    [OUTCOME_FAILED] = "failed",
};

static const char *const UPDATE_WORDS[] = {
    [UPDATE_NONE] = "none",
    [UPDATE_INDEXES] = "toc",
    [UPDATE_ALL] = "all",
};

static void say(int fd, char *line, size_t length)
{
    line[length++] = '\n';
    if (write(fd, line, length) != (ssize_t)length)
        _exit(1);
}

/* Text that does not fit is omitted. */
static void report(int fd, enum outcome outcome, const struct conversion_report *report)
{
    char line[LINE_BYTES_MAX];
    size_t length = (size_t)snprintf(line, sizeof line, "%s %d %.1f %.1f %.1f ", OUTCOME_WORDS[outcome], report->pages,
                                     report->load_ms, report->update_ms, report->export_ms);
    for (const char *at = report->text; *at && length + 4 < sizeof line; at++)
        if (*at < ' ' || *at > '~' || *at == '%')
            length += (size_t)sprintf(line + length, "%%%02X", (unsigned char)*at);
        else
            line[length++] = *at;
    say(fd, line, length);
}

/* A child must not hold the host's pipes open: their readers would not notice the host's end. */
static void drop_standard_streams(void)
{
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
        _exit(1);
    close(null);
}

static void await_order(int fd, char *order)
{
    ssize_t got;
    do
        got = read(fd, order, ORDER_BYTES_MAX);
    while (got < 0 && errno == EINTR);
    if (got < 1)
        _exit(0);
    order[got - 1] = '\0';
}

static enum outcome obey(const char *order, const char *job_dir, struct conversion_report *report)
{
    char from_suffix[8], to_suffix[8], export_filter[FILTER_BYTES_MAX], update[8], comments[8], options[ORDER_BYTES_MAX];
    char from[URL_BYTES_MAX], to[URL_BYTES_MAX];
    if (sscanf(order, "%7[a-z] %7[a-z] %63[!-~] %7[a-z] %7[a-z] %2047[!-~]", from_suffix, to_suffix, export_filter, update,
               comments, options) != 6)
        _exit(1);
    for (char *at = export_filter; (at = strchr(at, '+')); *at = ' ')
        ;
    snprintf(from, sizeof from, "file://%s/input.%s", job_dir, from_suffix);
    snprintf(to, sizeof to, "file://%s/output.%s", job_dir, to_suffix);
    struct conversion conversion = {
        .from_url = from,
        .to_url = to,
        .export_filter = export_filter,
        .format = to_suffix,
    };
    conversion.options = strcmp(options, "-") == 0 ? NULL : options;
    conversion.comments_in_margin = strcmp(comments, "margin") == 0;
    while (conversion.update < UPDATE_ALL && strcmp(update, UPDATE_WORDS[conversion.update]) != 0)
        conversion.update++;
    return office_convert(&conversion, report);
}

_Noreturn void live_as_child(const char *job_dir, int order_fd, int report_fd, pid_t parent)
{
    char home[URL_BYTES_MAX], order[ORDER_BYTES_MAX], spare[] = "spare ";
    struct conversion_report done;
    snprintf(home, sizeof home, "file://%s", job_dir);

    drop_standard_streams();
    confine_child(job_dir, parent, (const int[]){order_fd, report_fd, -1});
    office_become_child(home);
    prefault_learned();
    say(report_fd, spare, sizeof spare - 1);
    await_order(order_fd, order);
    enum outcome outcome = obey(order, job_dir, &done);
    report(report_fd, outcome, &done);
    /* The owner kills it after answering. It must not exit: LibreOffice's handlers would shut the whole office down. */
    for (;;)
        pause();
}
