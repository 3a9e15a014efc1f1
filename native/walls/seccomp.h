#ifndef WALLS_SECCOMP_H
#define WALLS_SECCOMP_H

#include <stdbool.h>

/*
 * Whether this kernel filters system calls and this program knows those of its architecture; else `errno` has the
 * reason.
 */
bool seccomp_available(void);

enum threads { WITHOUT_THREADS, WITH_THREADS };

/* Allows this process, and its future threads if it may have any, only the calls that seccomp.c lists. Exits on failure. */
void seccomp_confine(enum threads threads);

#endif
