#ifndef SECOND_READER_PICTURE_H
#define SECOND_READER_PICTURE_H

#include "library.h"

#include <stdbool.h>
#include <stddef.h>

/* In pixels, from the upper left corner. */
struct region {
    int x, y, width, height;
};

/* A part of a page that has this size in pixels. */
struct view {
    int width, height;
    struct region part;
    bool is_printed;
};

/* Whether the part is in the page, and within the bound of pixels. */
bool is_view(const struct view *view);

size_t bytes_of(const struct view *view);

/* The pixels of the part, four bytes each, which the caller frees; NULL if Poppler fails. */
unsigned char *drawn(page *page, const struct view *view);

/* The part in which two pictures of one view differ; without a width if they are equal. */
struct region difference(const unsigned char *pixels, const unsigned char *others, const struct view *view);

#endif
