#ifndef ENGINE_HOST_OFFICE_H
#define ENGINE_HOST_OFFICE_H

#include <stdbool.h>

enum { REPORT_TEXT_BYTES_MAX = 3072 };

enum outcome { OUTCOME_OK, OUTCOME_UNREADABLE, OUTCOME_FAILED };

/* Which of a document's computed texts are made anew. Page numbers and references are so on every load. */
enum update { UPDATE_NONE, UPDATE_INDEXES, UPDATE_ALL };

struct conversion {
    const char *from_url, *to_url;
    /* The suffix that LibreOfficeKit finds the export filter by. */
    const char *format;
    /* The export filter's options; NULL for its defaults. */
    const char *options;
    enum update update;
    bool comments_in_margin;
};

struct conversion_report {
    /* Of the laid out document; 0 where it was not loaded. */
    int pages;
    double load_ms, update_ms, export_ms;
    /* Where it went well, a JSON object that names the fonts that were replaced, or nothing; otherwise the reason. */
    char text[REPORT_TEXT_BYTES_MAX];
};

/* Loads and initialises LibreOffice from its program directory. Exits the process with a message where it cannot. */
void office_start(const char *program_dir, const char *profile_url);

/* The product's name and version, with no spaces in it. */
const char *office_version(void);

/* Enters LibreOffice's main loop and calls `serve` from its poll callback, the one place where a fork is safe. */
void office_run(void (*serve)(void));

/* Ends LibreOffice's helper threads: only the calling thread would survive a fork. Returns 0 when one is left. */
int office_join_threads(void);

/* Tells a freshly forked copy of LibreOffice what it is, and where its user installation and temporary files go. */
void office_become_child(const char *job_url);

/* Loads a text document and writes it in another format. */
enum outcome office_convert(const struct conversion *conversion, struct conversion_report *report);

#endif
