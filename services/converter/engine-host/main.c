/*
 * engine-host PARENT_PID PROGRAM_DIR WORK_DIR SANDBOX IMPORT_FILTER PDF_FILTER WARM_UP_DOCUMENT...
 *
 * Starts LibreOffice once, converts the warm-up documents, then forks a child for each job. The owner communicates over
 * standard input and output (serve.h). The host ends when its standard input ends, and dies with its parent. SANDBOX is
 * required or degraded (sandbox.h). IMPORT_FILTER is the name of the filter that reads the documents, or - if LibreOffice
 * detects it (office.h). PDF_FILTER writes the warm-up documents as PDF. The environment may name a folder with more fonts, FONTS_DIR.
 */
#include "confine.h"
#include "descriptors.h"
#include "namespaces.h"
#include "office.h"
#include "prefault.h"
#include "serve.h"
#include "warden.h"

#include <err.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES_MAX = 4096, URL_BYTES_MAX = 4200, HEAP_SPARE_BYTES = 64 << 20 };

static const char *work_dir, *pdf_filter;
static char *const *warm_ups;
static struct surroundings surroundings;

static void convert_warm_up(const char *path, const char *to_dir)
{
    char from[URL_BYTES_MAX], to[URL_BYTES_MAX];
    struct conversion_report report;
    snprintf(from, sizeof from, "file://%s", path);
    snprintf(to, sizeof to, "file://%s/warm-up.pdf", to_dir);
    struct conversion conversion = {.from_url = from,
                                    .to_url = to,
                                    .export_filter = pdf_filter,
                                    .format = "pdf",
                                    .options = "{\"UseTaggedPDF\":{\"type\":\"boolean\",\"value\":\"true\"}}"};
    if (office_convert(&conversion, &report) != OUTCOME_OK)
        errx(1, "cannot convert the warm-up document %s: %s", path, report.text);
}

/* Runs within the walls of every job. Standard error stays open, to report why a conversion fails. */
static _Noreturn void scout(const char *dir, const char *document, pid_t host)
{
    char url[URL_BYTES_MAX];
    snprintf(url, sizeof url, "file://%s", dir);
    prefault_begin();
    confine_child(dir, host, (const int[]){prefault_descriptor(), -1});
    office_become_child(url);
    convert_warm_up(document, dir);
    prefault_learn();
    _exit(0);
}

/*
 * Runs one conversion in a child, as every job will run, and learns which memory it touches. Also proves that it works.
 */
static void learn(void)
{
    char dir[PATH_BYTES_MAX], document[URL_BYTES_MAX];
    int status;
    snprintf(dir, sizeof dir, "%s/scout", work_dir);
    snprintf(document, sizeof document, "%s/warm-up.docx", dir);
    if (mkdir(dir, 0700) < 0 || link(warm_ups[0], document) < 0)
        err(1, "%s", dir);
    if (office_join_threads() < 0)
        errx(1, "LibreOffice's threads did not end");
    pid_t host = getpid();
    pid_t pid = fork();
    if (pid == 0)
        scout(dir, document, host);
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        errx(1, "a forked child cannot convert the warm-up document");
    prefault_keep();
}

/* Everything runs in LibreOffice's main loop: with unipoll, loading a document outside of it crashes. */
static void warm_up_and_serve(void)
{
    for (char *const *path = warm_ups; *path; path++)
        convert_warm_up(*path, work_dir);
    prefault_prepare();
    learn();
    serve(sandbox_describe(&surroundings.sandbox));
}

/* One arena that never shrinks: memory that is returned and allocated again causes page faults again. */
static void keep_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, HEAP_SPARE_BYTES);
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP_SPARE_BYTES);
    mallopt(M_TOP_PAD, HEAP_SPARE_BYTES);
}

int main(int argc, char **argv)
{
    if (argc < 8)
        errx(2, "usage: engine-host PARENT_PID PROGRAM_DIR WORK_DIR SANDBOX IMPORT_FILTER PDF_FILTER WARM_UP_DOCUMENT...");
    die_with_parent((pid_t)atoi(argv[1]));
    close_inherited();
    signal(SIGPIPE, SIG_IGN);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    work_dir = argv[3];
    pdf_filter = argv[6];
    warm_ups = argv + 7;
    char profile_dir[PATH_BYTES_MAX], profile_url[URL_BYTES_MAX];
    snprintf(profile_dir, sizeof profile_dir, "%s/profile", work_dir);
    snprintf(profile_url, sizeof profile_url, "file://%s", profile_dir);
    surroundings = (struct surroundings){
        .sandbox = sandbox_probe(argv[4], SANDBOX_ADVICE), .program_dir = argv[2],
        .readable = {profile_dir, getenv("FONTS_DIR"), getenv("METRIC_FONTS_DIR")}};
    surroundings.sandbox.has_namespaces = namespaces_enter();
    confine_within(&surroundings);
    if (surroundings.sandbox.has_seccomp)
        warden_start();

    keep_heap();
    office_start(argv[2], profile_url, strcmp(argv[5], "-") == 0 ? NULL : argv[5]);
    office_run(warm_up_and_serve);
    return 1;
}
