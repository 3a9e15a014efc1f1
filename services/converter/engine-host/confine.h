#ifndef ENGINE_HOST_CONFINE_H
#define ENGINE_HOST_CONFINE_H

#include <sys/types.h>

/* What one child may use. */
struct limits {
    unsigned long address_space_bytes_max;
    unsigned long file_bytes_max;
    unsigned cpu_seconds_max;
    unsigned descriptors_max;
};

extern const struct limits CHILD_LIMITS;

/* Makes the kernel kill this process when `parent` ends. Exits at once where it already has. */
void die_with_parent(pid_t parent);

/* Takes from this process all that a conversion does not need. Called once, before the child sees any input. */
void confine_child(const char *job_dir, pid_t parent);

#endif
