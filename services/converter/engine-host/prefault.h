#ifndef ENGINE_HOST_PREFAULT_H
#define ENGINE_HOST_PREFAULT_H

/*
 * A forked child shares its parent's memory and pays a page fault at the first touch of each page. One page of text takes about
 * four thousand. Three measures spare the job these faults:
 *
 * - code: a fork copies the page table of a file mapping only if one of its pages was written. The host unmaps what it
 *   used to start, and maps again what a conversion used. It writes one byte of each such mapping back onto itself. So a
 *   child starts with the code mapped that it needs, and no other;
 * - data: the host lets one child convert a warm-up document and learns which pages it wrote. Every later child copies
 *   those by the range before its job arrives;
 * - heap: it is put into huge pages, which shortens the fork itself.
 *
 * All of it is advice to the kernel: if it is refused (before Linux 5.14, 6.1 for the heap), jobs take longer.
 */

/* In the warm host, before the learning child: prepares its memory for forking. */
void prefault_prepare(void);

/* In the learning child, right after the fork: records the mappings that it shares with its parent. */
void prefault_begin(void);

/* The descriptor that prefault_learn reads from: a confined child cannot open it. -1 if there is none. */
int prefault_descriptor(void);

/* In the learning child, after its conversion: records the pages that it used and wrote. */
void prefault_learn(void);

/* In the host, after that child: moves the record out of reach of all later children, and maps the used code. */
void prefault_keep(void);

/* In every other child: copies the recorded pages. */
void prefault_learned(void);

#endif
