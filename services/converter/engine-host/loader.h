#ifndef ENGINE_HOST_LOADER_H
#define ENGINE_HOST_LOADER_H

#include "office.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A way to load a text document and to write it in another format. A process keeps what it loaded until it ends. Functions
 * without a document use the one that was loaded or filled last.
 */
struct loader {
    /* One word, for the health of the service. */
    const char *name;
    /*
     * On success, the report names the replaced fonts; otherwise it has the reason. A document whose long tables are in pieces is
     * complete after `join_pieces` only.
     */
    bool (*load)(const char *url, bool in_pieces, struct conversion_report *report);
    /* Runs these commands in turn; NULL ends them. Each has run before the next one starts. */
    void (*run)(const char *const *commands);
    /* On failure, the report has the reason. */
    bool (*save)(const struct conversion *conversion, struct conversion_report *report);
    /* The pages of the document, after layout. */
    int (*count_pages)(void);
    /* As office_open_form and office_fill (office.h), without the export; NULL if this way has no forms. */
    bool (*open_form)(const char *url, struct conversion_report *report);
    enum outcome (*fill)(unsigned form, const char *texts_path, struct conversion_report *report);
    /*
     * Joins the pieces of long tables (long-tables.cpp). NULL if this way cannot. The report is as that
     * of `load`. On failure, the document is of no use.
     */
    bool (*join_pieces)(struct conversion_report *report);
};

/*
 * The loader of writer.cpp. `find` returns the address of a symbol of LibreOffice. NULL if this LibreOffice lacks one.
 * `import_filter` is that of office_start (office.h).
 */
typedef const struct loader *writer_loader_function(void *(*find)(const char *symbol), const char *import_filter);
__attribute__((visibility("default"))) writer_loader_function writer_loader;

#ifdef __cplusplus
}
#endif

#endif
