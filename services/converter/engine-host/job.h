#ifndef ENGINE_HOST_JOB_H
#define ENGINE_HOST_JOB_H

#include <sys/types.h>

enum { ORDER_BYTES_MAX = 2048 };

/*
 * The life of a forked child: confines itself, warms its memory, writes "spare", waits for one line on `order_fd`,
 * does what that says (serve.h) in its directory, writes its outcome to `report_fd`, ends. Never returns.
 */
_Noreturn void live_as_child(const char *job_dir, int order_fd, int report_fd, pid_t parent);

#endif
