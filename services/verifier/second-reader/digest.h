#ifndef SECOND_READER_DIGEST_H
#define SECOND_READER_DIGEST_H

#include "library.h"

#include <stddef.h>
#include <stdint.h>

/* Takes a key by chance: documents cannot be made so that two of their pages have one digest. Call it before the walls. */
void choose_key(void);

uint64_t digest_of(const unsigned char *bytes, size_t count);

/* Of the text of a page, the values of its fields but for signatures, and where its links lead. */
uint64_t digest_of_words(page *page);

#endif
