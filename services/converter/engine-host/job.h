#ifndef ENGINE_HOST_JOB_H
#define ENGINE_HOST_JOB_H

#include <sys/types.h>

enum { ORDER_BYTES_MAX = 2048 };

/*
 * Runs a forked child: confines itself, warms its memory, writes "spare", and waits for a line on `order_fd`. Then it runs that
 * job (serve.h) in its directory, writes the outcome to `report_fd`, and waits for the next line. Never returns.
 */
_Noreturn void live_as_child(const char *job_dir, int order_fd, int report_fd, pid_t parent);

#endif
