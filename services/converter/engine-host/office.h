#ifndef ENGINE_HOST_OFFICE_H
#define ENGINE_HOST_OFFICE_H

#include <stddef.h>

enum outcome { OUTCOME_OK, OUTCOME_UNREADABLE, OUTCOME_FAILED };

/* Loads and initialises LibreOffice from its program directory. Exits the process with a message where it cannot. */
void office_start(const char *program_dir, const char *profile_url);

/* The product's name and version, with no spaces in it. */
const char *office_version(void);

/* Enters LibreOffice's main loop and calls `serve` from its poll callback, the one place where a fork is safe. */
void office_run(void (*serve)(void));

/* Ends LibreOffice's helper threads: only the calling thread would survive a fork. Returns 0 when one is left. */
int office_join_threads(void);

/* Tells a freshly forked copy of LibreOffice what it is, and where its user installation (embedded fonts) goes. */
void office_become_child(const char *user_installation_url);

/* Loads a text document and writes it in `format`. On failure, `error` holds LibreOffice's reason. */
enum outcome office_convert(const char *from_url, const char *to_url, const char *format, char *error, size_t error_bytes);

#endif
