#ifndef ENGINE_HOST_WATCH_H
#define ENGINE_HOST_WATCH_H

#include <sys/types.h>

enum { WATCH_INTERVAL_MS = 100 };

/*
 * Looks at what a confined child takes that no limit of the kernel bounds for one process alone: threads, files in its
 * directory, bytes of all its files together. Where that is more than CHILD_LIMITS, it gets SIGXFSZ, and SIGKILL where
 * that did not end it: `times_told` is how often it has been told, 0 at first. To be called every WATCH_INTERVAL_MS, before
 * the child is collected.
 */
void watch_child(pid_t pid, const char *job_dir, unsigned *times_told);

/* Watches a child until it ends, and collects it. Returns its status, as waitpid does. */
int watch_until_end(pid_t pid, const char *job_dir);

#endif
