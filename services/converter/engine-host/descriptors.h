#ifndef ENGINE_HOST_DESCRIPTORS_H
#define ENGINE_HOST_DESCRIPTORS_H

/* Closes all but the standard streams. For the start of a program: what its owner left open is not meant for it. */
void close_inherited(void);

/*
 * Takes from a forked child what it shares with its host and its siblings through open descriptors, but for the standard
 * streams and `kept` (ended by -1): files are opened anew to be read only, event counters are made new, all else is closed.
 */
void separate_descriptors(const int kept[]);

#endif
