#ifndef SECOND_READER_HOST_H
#define SECOND_READER_HOST_H

#include "sandbox.h"

/*
 * Listens at an abstract name for processes of the same user, and prints "ready". Each connection is a document, for which a
 * child is forked: it confines itself, and obeys the orders on the connection (serve.h). The child is killed when the
 * connection ends. If the child ends before, the connection gets a last line:
 *
 *     gone SIGNAL MS                    how it ended, 0 for an exit, and its processor time
 */
_Noreturn void host(const struct sandbox *sandbox, const char *name);

#endif
