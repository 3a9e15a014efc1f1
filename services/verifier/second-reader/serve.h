#ifndef SECOND_READER_SERVE_H
#define SECOND_READER_SERVE_H

/*
 * Reads a line with the length of a password and that of the PDF, in bytes, then both, and obeys orders until its input ends.
 * Each order is a line, and each answer begins with one. MS is the processor time of this process.
 *
 * open SLOT LENGTH                      the revision of so many bytes, in place of what was open in this slot
 *     ok MS PAGES | unreadable MS
 * page SLOT INDEX                       size in points, as displayed
 *     ok MS WIDTH HEIGHT | unreadable MS
 * draw SLOT INDEX WIDTH HEIGHT PRINTED HIDDEN
 *     the page in pixels, four bytes each; PRINTED is 0 or 1, HIDDEN a list of annotations by their index, or -
 *     ok MS ROWS, a byte for each row of pixels, and the ROWS rows whose byte is 1: others are as in the picture before, or white
 *     if that had another size | unreadable MS
 *
 * Ends the process at anything else.
 */
_Noreturn void serve(void);

/* Draws a page of its own: what libraries load then, children need not. */
void warm_up(void);

#endif
