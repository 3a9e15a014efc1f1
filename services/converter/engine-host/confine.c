#include "confine.h"

#include "descriptors.h"
#include "landlock.h"
#include "seccomp.h"
#include "warden.h"

#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct limits CHILD_LIMITS = {
    .of_process =
        {
            .address_space_bytes_max = 3UL << 30,
            .file_bytes_max = 100UL << 20,
            /* Below the usual deadline of a request, so that an idle machine refuses a costly document before it is late. */
            .cpu_seconds_max = 50,
            .descriptors_max = 256,
        },
    /* A child takes less than the rest between two looks at it, unless by one large request. */
    .watched_address_space_bytes_max = 11UL << 28,
    .threads_max = 256,
    .files_max = 20000,
    .all_files_bytes_max = 1UL << 30,
};

/*
 * Everything that LibreOffice reads outside its own directory, beside what all programs read (see ../libreoffice.mjs and
 * native/walls/landlock.c). Paths that the host lacks are skipped.
 */
static const char *const READABLE[] = {
    /* targets of the symbolic links in Debian's LibreOffice tree */
    "/etc/libreoffice",
    "/usr/share/libreoffice",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
    /* languages: tags, language guessing, numbers in words, and hyphenation, spelling and thesaurus of other packages */
    "/usr/share/liblangtag",
    "/usr/share/libexttextcat",
    "/usr/share/libnumbertext",
    "/usr/share/hyphen",
    "/usr/share/hunspell",
    "/usr/share/myspell",
    "/usr/share/mythes",
    /* ICU's data if it is not in a library, color profiles of images, the paper size of the host */
    "/usr/share/icu",
    "/usr/share/color",
    "/etc/papersize",
    "/etc/paper.config",
};
enum { READABLE_COUNT = sizeof READABLE / sizeof *READABLE };

static struct surroundings around;
static char office_dir[PATH_MAX];

void confine_within(const struct surroundings *surroundings)
{
    char tree[PATH_MAX];
    around = *surroundings;
    snprintf(tree, sizeof tree, "%s/..", around.program_dir);
    if (!realpath(tree, office_dir))
        err(1, "%s", tree);
}

void confine_child(const char *job_dir, pid_t parent, const int kept[])
{
    if (setpgid(0, 0) < 0)
        err(1, "setpgid");
    die_with_parent(parent);
    reset_signals();
    if (around.sandbox.has_seccomp)
        warden_ask();
    if (chdir(job_dir) < 0 || setenv("TMPDIR", job_dir, 1) < 0 || setenv("HOME", job_dir, 1) < 0)
        err(1, "job directory");
    separate_descriptors(kept);
    go_first();
    limit_resources(&CHILD_LIMITS.of_process);
    drop_capabilities();
    if (around.sandbox.landlock_version) {
        const char *readable[READABLE_COUNT + READABLE_DIRS_MAX + 2] = {office_dir};
        size_t next = 1;
        for (int path = 0; path < READABLE_COUNT; path++)
            readable[next++] = READABLE[path];
        for (int dir = 0; dir < READABLE_DIRS_MAX; dir++)
            if (around.readable[dir])
                readable[next++] = around.readable[dir];
        landlock_confine(around.sandbox.landlock_version, job_dir, readable);
    }
    if (around.sandbox.has_seccomp)
        seccomp_confine(WITH_THREADS);
}
