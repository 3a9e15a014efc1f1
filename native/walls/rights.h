#ifndef WALLS_RIGHTS_H
#define WALLS_RIGHTS_H

#include <sys/types.h>

/* What the kernel limits for one process. */
struct resource_limits {
    unsigned long address_space_bytes_max;
    unsigned long file_bytes_max;
    unsigned cpu_seconds_max;
    unsigned descriptors_max;
};

/* Makes the kernel kill this process when `parent` ends. Exits at once if the parent has ended already. */
void die_with_parent(pid_t parent);

/* Handlers of libraries try to save documents and write reports; a failing process must end instead. */
void reset_signals(void);

/*
 * If the host runs out of memory, the kernel ends this process before the service. Best effort: systems may refuse it.
 */
void go_first(void);

/* No core file either. */
void limit_resources(const struct resource_limits *limits);

/* A service that runs as root, usually in a container, does not pass its capabilities on. */
void drop_capabilities(void);

#endif
