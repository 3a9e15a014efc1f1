#ifndef ENGINE_HOST_WATCH_H
#define ENGINE_HOST_WATCH_H

#include <sys/types.h>

enum { WATCH_INTERVAL_MS = 100 };

/*
 * Checks what a confined child uses beyond the kernel's limits for a single process. This is threads, files in its directory, and
 * the total bytes of its files, also those that no folder contains. If a value exceeds CHILD_LIMITS, or the bytes half of their
 * file system, the child gets SIGXFSZ; if that did not end it, SIGKILL. `times_signaled` counts these signals and starts at 0.
 * Call this every WATCH_INTERVAL_MS, before collecting the child.
 */
void watch_child(pid_t pid, const char *job_dir, unsigned *times_signaled);

/* Watches a child until it ends, and collects it. Returns its status, as waitpid does. */
int watch_until_end(pid_t pid, const char *job_dir);

#endif
