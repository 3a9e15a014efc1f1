#ifndef SECOND_READER_CONFINE_H
#define SECOND_READER_CONFINE_H

#include "sandbox.h"

#include <sys/types.h>

/*
 * Drops every right of this process that drawing pages does not need. It must have one thread. Exits if a wall cannot be set
 * up.
 */
void confine(const struct sandbox *sandbox, pid_t parent);

#endif
