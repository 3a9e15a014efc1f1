#ifndef ENGINE_HOST_CONFINE_H
#define ENGINE_HOST_CONFINE_H

#include "sandbox.h"

#include <sys/types.h>

/* What one child may use. */
struct limits {
    unsigned long address_space_bytes_max;
    unsigned long file_bytes_max;
    unsigned cpu_seconds_max;
    unsigned descriptors_max;
    /* By the watch (watch.h), not the kernel, which has no such limits for one process. */
    unsigned threads_max;
    unsigned files_max;
    unsigned long all_files_bytes_max;
};

extern const struct limits CHILD_LIMITS;

/* What stays within reach of every child of this program. */
struct surroundings {
    struct sandbox sandbox;
    /* LibreOffice's program directory; the tree above it can be read. */
    const char *program_dir;
    /* A directory that can be read, or NULL. */
    const char *profile_dir;
};

/* Makes the kernel kill this process when `parent` ends. Exits at once where it already has. */
void die_with_parent(pid_t parent);

/* Says once, before the first child, what surrounds them all. */
void confine_within(const struct surroundings *surroundings);

/*
 * Takes from this process all that a conversion does not need. Called once, right after the fork or the start: before
 * the child sees any input, and before it has threads, which would stay outside. Open descriptors of `kept` (ended by -1)
 * and the standard streams are left alone. Exits where a wall that the kernel gives does not hold.
 */
void confine_child(const char *job_dir, pid_t parent, const int kept[]);

#endif
