#ifndef ENGINE_HOST_CHILDREN_H
#define ENGINE_HOST_CHILDREN_H

#include <stdbool.h>
#include <sys/types.h>

enum { CHILDREN_MAX = 24, CHILD_LINE_BYTES_MAX = 4096, JOB_DIR_BYTES_MAX = 4096 };

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
    /* How often it was signaled for excessive use; see watch.h. */
    unsigned times_signaled;
};

extern struct child children[CHILDREN_MAX];

/* The child with that id, or NULL. */
struct child *child_find(unsigned long id);

/* Forks a child for the job directory. Returns false when the table is full or the fork failed. */
bool child_spawn(unsigned long id, const char *job_dir);

/* Sends a job to a waiting child: its verb, and what follows the id in serve.h. */
void child_order(struct child *child, const char *verb, const char *argument);

/* Kills the child's process group. `pid_fd` reports its end. */
void child_kill(const struct child *child);

/* Lets the child run only while a processor is idle: SCHED_IDLE of sched(7). */
void child_yield(const struct child *child);

/*
 * Checks the children that have a job, if a check is due. Returns the milliseconds until the next one; -1 without jobs.
 */
int children_watch(void);

/* Reads what the child reports, and relays it if the child's state allows that message. */
void child_hear(struct child *child);

/* Collects a child that ended, reports it, and frees its slot. */
void child_bury(struct child *child);

#endif
