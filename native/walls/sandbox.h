#ifndef WALLS_SANDBOX_H
#define WALLS_SANDBOX_H

#include <stdbool.h>

/* The walls that this kernel lets a process put around itself. */
struct sandbox {
    /* 0 for none */
    int landlock_version;
    bool has_seccomp;
    /* Namespaces of its own, which a container may refuse: never required. */
    bool has_namespaces;
};

/*
 * Detects the walls. `demand` is "required" or "degraded". If it is "required" and a wall is missing, this ends the program with
 * EX_CONFIG of sysexits.h. A message names the wall and the remedy, and ends with `advice`.
 */
struct sandbox sandbox_probe(const char *demand, const char *advice);

/* "enforced" or "degraded", a space, and the available walls separated by commas; "-" for none. Static. */
const char *sandbox_describe(const struct sandbox *sandbox);

#endif
