#ifndef ENGINE_HOST_OFFICE_H
#define ENGINE_HOST_OFFICE_H

#include <stdbool.h>

enum { REPORT_TEXT_BYTES_MAX = 3072 };

/* Indivisible: the document has a long table in pieces, which cannot be joined. */
enum outcome { OUTCOME_OK, OUTCOME_UNREADABLE, OUTCOME_FAILED, OUTCOME_INDIVISIBLE };

/* Which computed texts of a document are updated. Page numbers and references are updated on every load. */
enum update { UPDATE_NONE, UPDATE_INDEXES, UPDATE_ALL };

struct conversion {
    const char *from_url, *to_url;
    const char *export_filter;
    /* The suffix by which LibreOfficeKit finds that filter. */
    const char *format;
    /* The export filter's options; NULL for its defaults. */
    const char *options;
    enum update update;
    bool comments_in_margin;
    /* Whether its long tables are in pieces (loader.h). */
    bool in_pieces;
};

struct conversion_report {
    /* Page count after layout; 0 if the document did not load. */
    int pages;
    double load_ms, update_ms, export_ms;
    /* On success, a JSON object that names the replaced fonts, or empty; otherwise the reason. */
    char text[REPORT_TEXT_BYTES_MAX];
};

/*
 * Loads and initializes LibreOffice from its program directory. On failure, exits the process with a message. `import_filter`
 * reads all documents, and must itself refuse other formats. With NULL, LibreOffice detects a filter for each document.
 */
void office_start(const char *program_dir, const char *profile_url, const char *import_filter);

/* The product's name and version, without spaces. */
const char *office_version(void);

/* The name of the way in which documents are loaded (loader.h): `writer`, or `libreofficekit` where that is missing. */
const char *office_loader(void);

/* Enters LibreOffice's main loop and calls `serve` from its poll callback, the only place where a fork is safe. */
void office_run(void (*serve)(void));

/* Ends LibreOffice's helper threads: only the calling thread would survive a fork. Returns 0 when one is left. */
int office_join_threads(void);

/* Sets a forked copy of LibreOffice up as a child, with its user installation and temporary files in `job_url`. */
void office_become_child(const char *job_url);

/* Loads a text document and writes it in another format. */
enum outcome office_convert(const struct conversion *conversion, struct conversion_report *report);

/*
 * Loads a form: a text document in which a text of its own stands at each place (form.cpp). The forms of a process are
 * numbered from 0 in the order in which they were loaded.
 */
enum outcome office_open_form(const char *url, struct conversion_report *report);

/*
 * Removes pieces of a form, puts texts into its places, and writes it in another format. The form remains open for other texts,
 * without these pieces. A zero byte ends each entry of the file. The first has the numbers of the pieces with commas between
 * them. The others have the text of each place in order, or the byte 1 for a place in what was removed. The layout is that of a
 * document that is loaded with these texts.
 */
enum outcome office_fill(unsigned form, const char *texts_path, const struct conversion *conversion,
                         struct conversion_report *report);

#endif
