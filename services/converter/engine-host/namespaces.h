#ifndef ENGINE_HOST_NAMESPACES_H
#define ENGINE_HOST_NAMESPACES_H

#include <stdbool.h>

/*
 * Moves this process, which must have one thread, into its own namespaces of the network, System V memory and host names.
 * Returns whether the kernel and the container allow that; otherwise nothing changes.
 */
bool namespaces_enter(void);

#endif
