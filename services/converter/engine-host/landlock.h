#ifndef ENGINE_HOST_LANDLOCK_H
#define ENGINE_HOST_LANDLOCK_H

/* The version of Landlock that this kernel has, 0 where it has none or it is switched off; `errno` says why. */
int landlock_version(void);

/*
 * Leaves this thread, and all that it starts, the files of `job_dir` to write, and those of `readable` (ended by NULL)
 * and of the list in landlock.c to read. `version` is what landlock_version gave, or less. Exits where it fails.
 */
void landlock_confine(int version, const char *job_dir, const char *const readable[]);

#endif
