#ifndef ENGINE_HOST_CONFINE_H
#define ENGINE_HOST_CONFINE_H

#include "rights.h"
#include "sandbox.h"

/* What one child may use. */
struct limits {
    struct resource_limits of_process;
    /* Enforced by the watch (watch.h): the kernel has no such limits for a single process, or shows no cause. */
    unsigned long watched_address_space_bytes_max;
    unsigned threads_max;
    unsigned files_max;
    unsigned long all_files_bytes_max;
};

extern const struct limits CHILD_LIMITS;

/* What an operator can do about a missing wall; see sandbox.h. */
static const char SANDBOX_ADVICE[] = "SANDBOX=degraded converts without it; do not use it for untrusted documents";

enum { READABLE_DIRS_MAX = 3 };

/* What every child of this program can read. */
struct surroundings {
    struct sandbox sandbox;
    /* LibreOffice's program directory; its parent tree is readable. */
    const char *program_dir;
    /* Readable directories; NULL is none. */
    const char *readable[READABLE_DIRS_MAX];
};

/* Sets the surroundings of all children. Called once, before the first child. */
void confine_within(const struct surroundings *surroundings);

/*
 * Drops every right of this process that a conversion does not need. Call it once, right after the fork or the start:
 * before the child sees input, and before it has threads, which would stay unconfined. Open descriptors of `kept`
 * (ended by -1) and the standard streams stay open. Exits if a wall that the kernel supports cannot be set up.
 */
void confine_child(const char *job_dir, pid_t parent, const int kept[]);

#endif
