#ifndef SECOND_READER_REPAIRS_H
#define SECOND_READER_REPAIRS_H

#include "library.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Poppler repairs a document if it cannot follow the cross-reference table: it searches all bytes for objects. It does so when
 * it opens the document, or when it reads any object.
 */

/* Bytes that must be free behind a document for opens_repaired. */
enum { CANARY_BYTES_MAX = 256 };

/* Listens to what Poppler logs. Call it first. */
void watch_repairs(void);

/* Whether it repairs this document of so many pages to open it: then it sees a catalog behind the end, which is written there. */
bool opens_repaired(char *bytes, size_t count, const char *password, int pages);

/* Whether it has logged that it repaired any document to read an object. */
bool has_repaired(void);

document *open_document(const char *bytes, size_t count, const char *password);

#endif
