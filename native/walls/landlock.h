#ifndef WALLS_LANDLOCK_H
#define WALLS_LANDLOCK_H

/* The version of Landlock in this kernel; 0 if it has none or it is disabled, with the reason in `errno`. */
int landlock_version(void);

/*
 * Restricts this thread, and all that it starts. It may write files of `job_dir`, which NULL means for none. It may read those of
 * `readable` (ended by NULL) and of the list in landlock.c. `version` is at most what landlock_version returned. Exits on
 * failure.
 */
void landlock_confine(int version, const char *job_dir, const char *const readable[]);

#endif
