#ifndef PROBE_ATTEMPTS_H
#define PROBE_ATTEMPTS_H

/* Something that a program taken over by a document might try. Returns 0 where it works, else -1 with `errno` set. */
struct attempt {
    const char *name;
    int (*make)(const char *argument);
};

/* Each list ends with a NULL name. */
extern const struct attempt FILE_ATTEMPTS[];
extern const struct attempt SOCKET_ATTEMPTS[];
extern const struct attempt PROCESS_ATTEMPTS[];
extern const struct attempt KERNEL_ATTEMPTS[];
extern const struct attempt LIMIT_ATTEMPTS[];

#endif
