#ifndef ENGINE_HOST_WRITER_H
#define ENGINE_HOST_WRITER_H

#include "loader.h"

#include <cstdio>
#include <cstring>

#include <com/sun/star/frame/XController.hpp>
#include <com/sun/star/frame/XFrame.hpp>
#include <com/sun/star/frame/XModel.hpp>

namespace writer {

struct Document {
    com::sun::star::uno::Reference<com::sun::star::frame::XModel> model;
    com::sun::star::uno::Reference<com::sun::star::frame::XController> controller;
    com::sun::star::uno::Reference<com::sun::star::frame::XFrame> frame;
};

/* The document that was loaded or filled last. Never released: to close a document takes time. */
extern Document *current;

inline rtl::OUString text_of(const char *utf8)
{
    return rtl::OUString(utf8, static_cast<sal_Int32>(strlen(utf8)), RTL_TEXTENCODING_UTF8);
}

inline void write_text(char *target, const rtl::OUString &text)
{
    snprintf(target, REPORT_TEXT_BYTES_MAX, "%s", rtl::OUStringToOString(text, RTL_TEXTENCODING_UTF8).getStr());
}

/* Loads a document. On success, the report names the replaced fonts; otherwise it has the reason. */
bool load(const char *url, bool in_pieces, struct conversion_report *report);

/* Names the fonts that were replaced since the document was loaded, for a document in pieces. */
void report_tracked_fonts(struct conversion_report *report);

/* Closes the view of the document, and with it the layout. The document remains, because it was loaded as a hidden one. */
void close_view();

/* Lays the document out anew, after `close_view`. */
void reopen_view();

/* A view that lays out the pages that it is asked for and those before, and no others, as LibreOffice does on a screen. */
void open_partial_view();
void close_partial_view();

/* Loads the document in pieces anew, without a view. */
bool load_again(struct conversion_report *report);

bool is_presentation();

/* Counts the slides of the loaded presentation, without the hidden ones. */
int count_slides();

/* Takes the kerning from small letters of the loaded presentation, as PowerPoint shows them. LibreOffice ignores what a PPTX says of it. */
void unkern_small_text();

/* The options of the PDF export, with the numbers of slides instead of pages if this is a presentation. */
rtl::OUString options_for_slides(const rtl::OUString &options);

/* As in loader.h. */
int count_pages();
bool join_pieces(struct conversion_report *report);
bool open_form(const char *url, struct conversion_report *report);
enum outcome fill(unsigned form, const char *texts_path, struct conversion_report *report);

} // namespace writer

#endif
