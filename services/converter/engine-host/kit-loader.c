#include "kit-loader.h"

#include <stdio.h>

/*
 * LibreOfficeKit sets the macro security level itself on each load, to 1 by default, whatever the profile says. Batch
 * turns a dialog, which would wait forever, into a failure.
 */
static const char LOAD_OPTIONS[] = "Batch=true,MacroSecurityLevel=3";

/* LOK_DOCTYPE_TEXT and LOK_CALLBACK_FONTS_MISSING of LibreOfficeKitEnums.h, which is C++ only; see ../libreoffice.mjs. */
enum { DOCUMENT_TYPE_TEXT = 0, EVENT_FONTS_MISSING = 57 };

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

static bool load(const char *url, struct conversion_report *report)
{
    document = office->pClass->documentLoadWithOptions(office, url, LOAD_OPTIONS);
    if (!document) {
        read_error(report);
        return false;
    }
    /* A file that is detected as anything but a text document. */
    if (document->pClass->getDocumentType(document) != DOCUMENT_TYPE_TEXT) {
        snprintf(report->text, sizeof report->text, "not a text document");
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

static bool save(const struct conversion *conversion, struct conversion_report *report)
{
    if (document->pClass->saveAs(document, conversion->to_url, conversion->format, conversion->options))
        return true;
    read_error(report);
    return false;
}

static int count_pages(void)
{
    return document->pClass->getParts(document);
}

const struct loader *kit_loader(LibreOfficeKit *kit)
{
    static const struct loader loader = {"libreofficekit", load, run, save, count_pages, NULL, NULL};
    office = kit;
    return &loader;
}
