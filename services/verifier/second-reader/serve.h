#ifndef SECOND_READER_SERVE_H
#define SECOND_READER_SERVE_H

/*
 * Reads a line with the length of a password and that of the PDF, in bytes, then both, and obeys orders until its input ends.
 * Each order is a line, and each answer begins with one. MS is the processor time of this process.
 *
 * open SLOT LENGTH                      the revision of so many bytes, in place of what was open in this slot
 *     ok MS PAGES SIGNATURE_FIELDS | unreadable MS
 * page SLOT INDEX                       size in points, as displayed
 *     ok MS WIDTH HEIGHT | unreadable MS
 * draw SLOT INDEX WIDTH HEIGHT X Y W H PRINTED HIDDEN
 *     the part of W by H pixels at X and Y of the page in WIDTH by HEIGHT pixels, four bytes each; PRINTED is 0 or 1, HIDDEN a
 *     list of annotations by their index, or -
 *     ok MS, and the pixels | unreadable MS
 * compare SLOT OTHER_SLOT INDEX WIDTH HEIGHT PRINTED
 *     the region in which the page of two revisions differs; without a width if it does not
 *     ok MS X Y W H | unreadable MS
 * text SLOT INDEX HIDDEN                keeps the text of a page without these annotations
 *     ok MS | unreadable MS
 * same SLOT OTHER_SLOT                  whether the texts that were kept of two revisions are the same (digest.h), 0 or 1
 *     ok MS SAME
 * look SLOT INDEX DRAWN                 digests of the size and the pictures of a page, displayed and printed, of its text, and
 *     of its values; DRAWN is 0 for no pictures: the others tell nothing if Poppler repairs the document (repairs.h)
 *     ok MS PICTURES TEXT VALUES | unreadable MS | repaired MS
 *
 * Ends the process at anything else.
 */
_Noreturn void serve(void);

/* Draws a page of its own: what libraries load then, children need not. */
void warm_up(void);

#endif
