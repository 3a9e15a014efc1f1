#ifndef ENGINE_HOST_CHILDREN_H
#define ENGINE_HOST_CHILDREN_H

#include <stdbool.h>
#include <sys/types.h>

enum { CHILDREN_MAX = 8, CHILD_LINE_BYTES_MAX = 4096, JOB_DIR_BYTES_MAX = 4096 };

enum child_state { CHILD_NONE, CHILD_PREPARING, CHILD_SPARE, CHILD_RUNNING, CHILD_DONE };

struct child {
    enum child_state state;
    unsigned long id;
    pid_t pid;
    int pid_fd;
    int order_fd;
    int report_fd;
    size_t line_bytes;
    char line[CHILD_LINE_BYTES_MAX];
    char job_dir[JOB_DIR_BYTES_MAX];
    /* That it takes too much; see watch.h. */
    unsigned times_told;
};

extern struct child children[CHILDREN_MAX];

/* The child of that id, or NULL. */
struct child *child_find(unsigned long id);

/* Forks a child for the job directory. Returns false when the table is full or the fork failed. */
bool child_spawn(unsigned long id, const char *job_dir);

/* Gives a child that waits for it its job: `order` as serve.h says what follows `run ID`. */
void child_order(struct child *child, const char *order);

/* Kills the child's process group. Its end is seen through `pid_fd`. */
void child_kill(const struct child *child);

/* Looks after those that have a job, if it is time to. Returns the milliseconds until it is again; -1 where none has. */
int children_watch(void);

/* Reads what the child reports and relays it, if it is its turn to say that. */
void child_hear(struct child *child);

/* Collects a child that ended, says so, and frees its place. */
void child_bury(struct child *child);

#endif
