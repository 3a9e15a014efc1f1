#include "confine.h"

#include "descriptors.h"
#include "landlock.h"
#include "rights.h"
#include "seccomp.h"

#include <err.h>
#include <unistd.h>

static const struct resource_limits LIMITS = {
    .address_space_bytes_max = 512UL << 20,
    .file_bytes_max = 0,
    .cpu_seconds_max = 10,
    .descriptors_max = 64,
};

/* Character collections of fonts that are not embedded, beside what all programs read (native/walls/landlock.c). */
static const char *const READABLE[] = {"/usr/share/poppler", NULL};

void confine(const struct sandbox *sandbox, pid_t parent)
{
    if (setpgid(0, 0) < 0)
        err(1, "setpgid");
    die_with_parent(parent);
    reset_signals();
    close_inherited();
    if (chdir("/") < 0)
        err(1, "/");
    go_first();
    limit_resources(&LIMITS);
    drop_capabilities();
    landlock_confine(sandbox->landlock_version, NULL, READABLE);
    seccomp_confine(WITHOUT_THREADS);
}
