#ifndef ENGINE_HOST_SECCOMP_H
#define ENGINE_HOST_SECCOMP_H

#include <stdbool.h>

/*
 * Whether this kernel filters system calls and this program knows those of its architecture; else `errno` has the
 * reason.
 */
bool seccomp_available(void);

/* Forbids this process and its future threads the calls that seccomp.c lists. Exits on failure. */
void seccomp_confine(void);

#endif
