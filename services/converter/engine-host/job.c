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

enum { URL_BYTES_MAX = 4200, NAME_BYTES_MAX = 64, LINE_BYTES_MAX = CHILD_LINE_BYTES_MAX - 1 };

static const char *const OUTCOME_WORDS[] = {
    [OUTCOME_OK] = "ok",
    [OUTCOME_UNREADABLE] = "unreadable",
    [OUTCOME_FAILED] = "failed",
    [OUTCOME_INDIVISIBLE] = "indivisible",
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

static void locate(char *url, const char *job_dir, const char *file)
{
    snprintf(url, URL_BYTES_MAX, "file://%s/%s", job_dir, file);
}

/* The suffix of the file, and the filter's name with its spaces; the options "-" mean none. */
static void set_target(struct conversion *conversion, const char *url, char *filter, const char *options)
{
    for (char *at = filter; (at = strchr(at, '+')); *at = ' ')
        ;
    conversion->to_url = url;
    conversion->format = strrchr(url, '.') ? strrchr(url, '.') + 1 : "";
    conversion->export_filter = filter;
    conversion->options = strcmp(options, "-") == 0 ? NULL : options;
}

static enum outcome run(const char *order, const char *job_dir, struct conversion_report *report)
{
    char input[NAME_BYTES_MAX], output[NAME_BYTES_MAX], filter[NAME_BYTES_MAX], update[8], comments[8], tables[8];
    char options[ORDER_BYTES_MAX], from[URL_BYTES_MAX], to[URL_BYTES_MAX];
    struct conversion conversion = {.from_url = from};
    if (sscanf(order, "run %63[a-z0-9.-] %63[a-z0-9.-] %63[!-~] %7[a-z] %7[a-z] %7[a-z] %2047[!-~]", input, output, filter, update,
               comments, tables, options) != 7)
        _exit(1);
    locate(from, job_dir, input);
    locate(to, job_dir, output);
    set_target(&conversion, to, filter, options);
    conversion.comments_in_margin = strcmp(comments, "margin") == 0;
    conversion.in_pieces = strcmp(tables, "pieces") == 0;
    while (conversion.update < UPDATE_ALL && strcmp(update, UPDATE_WORDS[conversion.update]) != 0)
        conversion.update++;
    return office_convert(&conversion, report);
}

static enum outcome open_form(const char *order, const char *job_dir, struct conversion_report *report)
{
    char input[NAME_BYTES_MAX], from[URL_BYTES_MAX];
    if (sscanf(order, "form %63[a-z0-9.-]", input) != 1)
        _exit(1);
    locate(from, job_dir, input);
    return office_open_form(from, report);
}

static enum outcome fill(const char *order, const char *job_dir, struct conversion_report *report)
{
    char texts[NAME_BYTES_MAX], output[NAME_BYTES_MAX], filter[NAME_BYTES_MAX], options[ORDER_BYTES_MAX];
    char path[URL_BYTES_MAX], to[URL_BYTES_MAX];
    unsigned form;
    struct conversion conversion = {.update = UPDATE_NONE};
    if (sscanf(order, "fill %u %63[a-z0-9.-] %63[a-z0-9.-] %63[!-~] %2047[!-~]", &form, texts, output, filter, options) != 5)
        _exit(1);
    snprintf(path, sizeof path, "%s/%s", job_dir, texts);
    locate(to, job_dir, output);
    set_target(&conversion, to, filter, options);
    return office_fill(form, path, &conversion, report);
}

static enum outcome obey(const char *order, const char *job_dir, struct conversion_report *report)
{
    if (strncmp(order, "form ", 5) == 0)
        return open_form(order, job_dir, report);
    return strncmp(order, "fill ", 5) == 0 ? fill(order, job_dir, report) : run(order, job_dir, report);
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
    /* The owner kills it after the last answer. It must not exit: LibreOffice's handlers would shut the whole office down. */
    for (;;) {
        await_order(order_fd, order);
        enum outcome outcome = obey(order, job_dir, &done);
        report(report_fd, outcome, &done);
    }
}
