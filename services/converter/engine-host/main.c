/*
 * engine-host PARENT_PID PROGRAM_DIR WORK_DIR WARM_UP_DOCUMENT...
 *
 * Starts LibreOffice once, converts the warm-up documents, then forks a child for each job. The owner speaks to it over
 * standard input and output (serve.h). It ends when its standard input ends, and dies with its parent.
 */
#include "confine.h"
#include "office.h"
#include "prefault.h"
#include "serve.h"

#include <err.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { URL_BYTES_MAX = 4200, HEAP_SPARE_BYTES = 64 << 20 };

static const char *work_dir;
static char *const *warm_ups;

static void convert_warm_up(const char *path)
{
    char from[URL_BYTES_MAX], to[URL_BYTES_MAX];
    struct conversion_report report;
    snprintf(from, sizeof from, "file://%s", path);
    snprintf(to, sizeof to, "file://%s/warm-up.pdf", work_dir);
    if (office_convert(&(struct conversion){.from_url = from, .to_url = to, .format = "pdf"}, &report) != OUTCOME_OK)
        errx(1, "the warm-up document %s does not convert: %s", path, report.text);
}

/* Runs one conversion in a child, as every job will be, to learn what memory it touches. Also a proof that it works. */
static void learn(void)
{
    char profile[URL_BYTES_MAX];
    int status;
    snprintf(profile, sizeof profile, "file://%s/scout", work_dir);
    if (office_join_threads() < 0)
        errx(1, "LibreOffice's threads do not end");
    pid_t host = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        prefault_begin();
        office_become_child(profile);
        confine_child(work_dir, host);
        convert_warm_up(warm_ups[0]);
        prefault_learn();
        _exit(0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        errx(1, "a forked child does not convert the warm-up document");
}

/* Everything happens in LibreOffice's main loop: with unipoll, a document that is loaded outside of it crashes. */
static void warm_up_and_serve(void)
{
    for (char *const *path = warm_ups; *path; path++)
        convert_warm_up(*path);
    prefault_prepare();
    learn();
    serve();
}

/* One arena that keeps what it has: memory that is given back and asked for again is faulted in again. */
static void keep_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, HEAP_SPARE_BYTES);
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP_SPARE_BYTES);
    mallopt(M_TOP_PAD, HEAP_SPARE_BYTES);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        errx(2, "usage: engine-host PARENT_PID PROGRAM_DIR WORK_DIR WARM_UP_DOCUMENT...");
    die_with_parent((pid_t)atoi(argv[1]));
    signal(SIGPIPE, SIG_IGN);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    work_dir = argv[3];
    warm_ups = argv + 4;
    char profile_url[URL_BYTES_MAX];
    snprintf(profile_url, sizeof profile_url, "file://%s/profile", work_dir);

    keep_heap();
    office_start(argv[2], profile_url);
    office_run(warm_up_and_serve);
    return 1;
}
