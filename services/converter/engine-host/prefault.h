#ifndef ENGINE_HOST_PREFAULT_H
#define ENGINE_HOST_PREFAULT_H

/*
 * A forked child shares its parent's memory and pays a page fault at the first touch of each page: some four thousand
 * for one page of text. They are spared to the job, in three ways:
 *
 * - code: a fork copies the page table of a file mapping only where a page of it was once written. The host writes
 *   one byte of each back onto itself, so that a child starts with all the code mapped that the host ever ran;
 * - data: the host lets one child convert a warm-up document and learns which pages that wrote. Every later child
 *   copies those by the range before its job arrives;
 * - the heap is put into huge pages, which shortens the fork itself.
 *
 * Advice to the kernel, all of it: where it is refused (before Linux 5.14, 6.1 for the heap), jobs take longer.
 */

/* In the host, once warm: prepares its memory for being forked. */
void prefault_prepare(void);

/* In the learning child, right after the fork: notes the mappings that it shares with its parent. */
void prefault_begin(void);

/* The descriptor that prefault_learn reads from: a confined child cannot open it any more. -1 where there is none. */
int prefault_descriptor(void);

/* In the learning child, after its conversion: writes down the pages that it wrote. */
void prefault_learn(void);

/* In the host, after that child: takes what was written down out of reach of every child to come. */
void prefault_keep(void);

/* In every other child: copies those pages. */
void prefault_learned(void);

#endif
