#ifndef WALLS_DESCRIPTORS_H
#define WALLS_DESCRIPTORS_H

/*
 * Closes all descriptors except the standard streams. Call it at program start: inherited descriptors are not needed.
 */
void close_inherited(void);

/*
 * Separates a forked child's open descriptors from those of its host and siblings. The standard streams and `kept`
 * (ended by -1) stay. Files are reopened read-only, event counters are recreated, and everything else is closed.
 */
void separate_descriptors(const int kept[]);

#endif
