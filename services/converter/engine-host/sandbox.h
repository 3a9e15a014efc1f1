#ifndef ENGINE_HOST_SANDBOX_H
#define ENGINE_HOST_SANDBOX_H

#include <stdbool.h>

/* Which walls this kernel gives a process to put around itself. */
struct sandbox {
    /* 0 for none */
    int landlock_version;
    bool has_seccomp;
};

/*
 * Finds out. `demand` is "required" or "degraded"; where it is "required" and a wall is missing, this ends the program
 * with a message that names what is missing and what to do.
 */
struct sandbox sandbox_probe(const char *demand);

/* "enforced" or "degraded", a space, and the walls that there are, with commas between; "-" for none. Static. */
const char *sandbox_describe(const struct sandbox *sandbox);

#endif
