#ifndef ENGINE_HOST_JOB_H
#define ENGINE_HOST_JOB_H

#include <sys/types.h>

/*
 * The life of a forked child: confines itself, warms its memory, writes "spare", waits for one byte on `order_fd`,
 * converts input.docx of its directory into output.pdf, writes its outcome to `report_fd`, ends. Never returns.
 */
_Noreturn void live_as_child(const char *job_dir, int order_fd, int report_fd, pid_t parent);

#endif
