#ifndef SECOND_READER_DIGEST_H
#define SECOND_READER_DIGEST_H

#include "library.h"

#include <stddef.h>
#include <stdint.h>

/* Takes a key by chance: documents cannot be made so that two of their pages have one digest. Call it before the walls. */
void choose_key(void);

uint64_t digest_of(const unsigned char *bytes, size_t count);

/* The text of a page and its annotations, and the box of each character in points. */
struct text {
    char *characters;
    double (*boxes)[4];
    unsigned count;
};

struct text text_of(page *page);
void free_text(struct text *text);

/* Some writers round the sizes of pages, so boxes may differ by a tenth of a point. */
bool is_same_text(const struct text *text, const struct text *other);

/* Digest of the text of a page, with its boxes. */
uint64_t digest_of_text(page *page);

/* Digest of the values of its fields but for signatures, and where its links lead. */
uint64_t digest_of_values(page *page);

#endif
