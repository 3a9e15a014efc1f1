#ifndef ENGINE_HOST_WARDEN_H
#define ENGINE_HOST_WARDEN_H

/*
 * Starts a process that the kernel asks before a confined child gets another thread. The watch (watch.h) looks ten times a
 * second, and between two looks a child could start thousands. Call it at program start, before there are threads. Without
 * it, only the watch counts.
 */
void warden_start(void);

/* A descriptor that reports POLLHUP when the warden has ended; -1 if there is none. Then children get no threads. */
int warden_descriptor(void);

/* In a child that confines itself, before it has threads: has the kernel ask the warden. */
void warden_ask(void);

#endif
