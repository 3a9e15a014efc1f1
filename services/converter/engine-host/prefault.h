#ifndef ENGINE_HOST_PREFAULT_H
#define ENGINE_HOST_PREFAULT_H

/*
 * A forked child shares its parent's memory and pays a page fault at the first touch of each page: some ten thousand
 * for a conversion. The host lets one child convert a warm-up document, learns which pages that touched, and every
 * later child faults the same pages in by the range before its job arrives.
 */

/* Makes room for what is learned, in memory that the learning child shares with the host. */
void prefault_init(void);

/* In the learning child, right after the fork: notes the mappings that it shares with its parent. */
void prefault_begin(void);

/* In the learning child, after its conversion: writes down the pages that it touched. */
void prefault_learn(void);

/* In every other child: faults those pages in. */
void prefault_learned(void);

#endif
