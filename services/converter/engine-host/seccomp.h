#ifndef ENGINE_HOST_SECCOMP_H
#define ENGINE_HOST_SECCOMP_H

#include <stdbool.h>

/* Whether this kernel filters system calls, and this program knows those of its architecture. `errno` says why not. */
bool seccomp_available(void);

/* Forbids this process, and all its threads to come, what seccomp.c lists. Exits where it fails. */
void seccomp_confine(void);

#endif
