#include "kit-loader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * LibreOfficeKit sets the macro security level itself on each load, to 1 by default, whatever the profile says. Batch
 * turns a dialog, which would wait forever, into a failure.
 */
static const char LOAD_OPTIONS[] = "Batch=true,MacroSecurityLevel=3";

/*
 * LOK_DOCTYPE_TEXT to LOK_DOCTYPE_PRESENTATION and LOK_CALLBACK_FONTS_MISSING of LibreOfficeKitEnums.h, which is C++ only;
 * see ../libreoffice.mjs.
 */
enum { DOCUMENT_TYPE_TEXT = 0, DOCUMENT_TYPE_SPREADSHEET = 1, DOCUMENT_TYPE_PRESENTATION = 2, EVENT_FONTS_MISSING = 57 };

enum { URL_BYTES_MAX = 4200 };
#define FILE_SCHEME "file://"

static LibreOfficeKit *office;
static LibreOfficeKitDocument *document;

static void read_error(struct conversion_report *report)
{
    char *reason = office->pClass->getError(office);
    snprintf(report->text, sizeof report->text, "%s", reason ? reason : "");
    office->pClass->freeError(reason);
}

static void on_event(int type, const char *payload, void *report)
{
    if (type == EVENT_FONTS_MISSING)
        snprintf(((struct conversion_report *)report)->text, REPORT_TEXT_BYTES_MAX, "%s", payload);
}

/* LibreOffice reports the fonts that it replaced while loading only to the first caller. */
static void read_missing_fonts(struct conversion_report *report)
{
    document->pClass->registerCallback(document, on_event, report);
    document->pClass->registerCallback(document, NULL, NULL);
}

static bool load(const char *url, bool in_pieces, struct conversion_report *report)
{
    (void)in_pieces;
    document = office->pClass->documentLoadWithOptions(office, url, LOAD_OPTIONS);
    if (!document) {
        read_error(report);
        return false;
    }
    /* A file that is detected as a drawing or as anything else without pages. */
    int type = document->pClass->getDocumentType(document);
    if (type < DOCUMENT_TYPE_TEXT || type > DOCUMENT_TYPE_PRESENTATION) {
        snprintf(report->text, sizeof report->text, "not a document with pages");
        return false;
    }
    read_missing_fonts(report);
    return true;
}

static void run(const char *const *commands)
{
    /*
     * Commands go to the active frame. LibreOfficeKit activates a document's frame when its view becomes the current
     * one, and does nothing if it already is. Hence the detour over a second view.
     */
    int view = document->pClass->getView(document);
    document->pClass->createView(document);
    document->pClass->setView(document, view);
    /* With notification, the command runs before the call returns. */
    for (; *commands; commands++)
        document->pClass->postUnoCommand(document, *commands, NULL, true);
}

/* What the last call of `save` wrote, as far as it shows the pages of the whole document; otherwise what shall be written. */
static struct {
    char url[URL_BYTES_MAX];
    bool is_whole;
} pdf;

static bool save(const struct conversion *conversion, struct conversion_report *report)
{
    pdf.is_whole = strcmp(conversion->format, "pdf") == 0 && !(conversion->options && strstr(conversion->options, "PageRange"));
    snprintf(pdf.url, sizeof pdf.url, "%s%s", conversion->to_url, pdf.is_whole ? "" : ".pages");
    if (document->pClass->saveAs(document, conversion->to_url, conversion->format, conversion->options))
        return true;
    read_error(report);
    return false;
}

/* The page tree of a PDF that LibreOffice wrote: one object, not compressed (../src/engines/pdf.ts). */
static int pages_of_tree(const char *bytes, size_t size)
{
    static const char tree[] = "/Type/Pages", count[] = "/Count ";
    const char *at = memmem(bytes, size, tree, sizeof tree - 1);
    const char *end = bytes + size;
    const char *found = at ? memmem(at, (size_t)(end - at), count, sizeof count - 1) : NULL;
    char digits[16] = "";
    if (!found)
        return 0;
    found += sizeof count - 1;
    memcpy(digits, found, end - found < 15 ? (size_t)(end - found) : 15);
    return atoi(digits);
}

static int pages_of_pdf(const char *path)
{
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) || status.st_size == 0)
        return 0;
    size_t size = (size_t)status.st_size;
    char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    return bytes == MAP_FAILED ? 0 : pages_of_tree(bytes, size);
}

/*
 * LibreOfficeKit counts the pages of a text only. The parts of a spreadsheet are its sheets, and those of a presentation have the
 * hidden slides, too. So the others are counted in a PDF, which is written for that if none was.
 */
static int count_pages(void)
{
    if (document->pClass->getDocumentType(document) == DOCUMENT_TYPE_TEXT)
        return document->pClass->getParts(document);
    if (!pdf.is_whole && !document->pClass->saveAs(document, pdf.url, "pdf", NULL))
        return 0;
    return pages_of_pdf(pdf.url + sizeof FILE_SCHEME - 1);
}

const struct loader *kit_loader(LibreOfficeKit *kit)
{
    static const struct loader loader = {"libreofficekit", load, run, save, count_pages, NULL, NULL, NULL};
    office = kit;
    return &loader;
}
