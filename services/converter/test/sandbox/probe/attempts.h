#ifndef PROBE_ATTEMPTS_H
#define PROBE_ATTEMPTS_H

/* An action that a program might try after a document has taken it over. Returns 0 on success, else -1 with `errno`. */
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
extern const struct attempt CALL_ATTEMPTS[];

#endif
