/*
 * Forms: documents that are loaded once and written many times, with other texts at their places. A place is a text of its
 * own, a number between two characters of private use (placeText of packages/contracts/src/jobs/rows.ts).
 *
 * The text of a place carries its formatting. So a place that has been empty has no text any more, as one in a piece that was
 * removed. What follows relies on how LibreOffice edits and lays text out; ../libreoffice.mjs lists what depends on the version.
 */
#include "beside-text.h"
#include "form-pieces.h"
#include "writer.h"

#include <algorithm>
#include <fstream>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <com/sun/star/awt/Point.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/document/XUndoManagerSupplier.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/text/XPageCursor.hpp>
#include <com/sun/star/text/XParagraphCursor.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextCursor.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/text/XTextFieldsSupplier.hpp>
#include <com/sun/star/text/XTextViewCursorSupplier.hpp>
#include <com/sun/star/util/XSearchDescriptor.hpp>
#include <com/sun/star/util/XSearchable.hpp>

using namespace com::sun::star;
using rtl::OUString;
using uno::Any;
using uno::Reference;
using writer::has_moving_shapes;
using writer::has_plain_layout;
using writer::repeated_rows_of;
using writer::text_of;

namespace {

/* The text of a place in a piece that the row lacks. */
constexpr char NO_PLACE[] = "\x01";

/* With more places, it takes more time to see whether a view can remain than to open another. */
constexpr size_t SEEN_PLACES_MAX = 100;

constexpr char PLACE_PATTERN[] = "\xef\x97\x80[0-9]{1,5}\xef\x97\x81";

/*
 * Fields whose text does not depend on a place, or is not shown. Others, such as references, could show an earlier text of
 * a place.
 */
constexpr const char *INDEPENDENT_FIELDS[] = {".PageNumber", ".PageCount", ".Annotation"};

struct Place {
    size_t number;
    /* From its first to behind its last character, wherever these move. */
    Reference<text::XTextCursor> range;
    bool is_gone;
};

struct Form {
    writer::Document *document;
    std::vector<Place> places;
    std::map<size_t, writer::Piece> pieces;
    /* The layout of a heading that is higher than a page changes the document. */
    std::vector<sal_Int32> repeated_rows;
    /* It has nothing beside its text. */
    bool is_plain;
    /* It has not been filled yet. */
    bool is_new;
    /* Pages of the last texts. */
    int pages;
    /* For the last texts, on several pages; empty for one page. */
    std::vector<awt::Point> positions;
};

struct Row {
    std::vector<size_t> gone;
    std::vector<std::string> texts;
};

std::vector<Form> forms;

struct Unsuitable {
    const char *reason;
};

bool is_independent(const Reference<lang::XServiceInfo> &field)
{
    for (const auto &service : field->getSupportedServiceNames())
        for (const char *name : INDEPENDENT_FIELDS)
            if (service.endsWithIgnoreAsciiCase(text_of(name)))
                return true;
    return false;
}

bool has_only_independent_fields(const Reference<frame::XModel> &model)
{
    Reference<text::XTextFieldsSupplier> supplier(model, uno::UNO_QUERY_THROW);
    auto fields = supplier->getTextFields()->createEnumeration();
    while (fields->hasMoreElements())
        if (!is_independent(Reference<lang::XServiceInfo>(fields->nextElement(), uno::UNO_QUERY_THROW)))
            return false;
    return true;
}

/* A place may be there several times: each section has its own copy of a header. */
std::vector<Place> find_places(const Reference<frame::XModel> &model)
{
    std::vector<Place> places;
    Reference<util::XSearchable> searchable(model, uno::UNO_QUERY_THROW);
    auto descriptor = searchable->createSearchDescriptor();
    descriptor->setPropertyValue(text_of("SearchRegularExpression"), Any(true));
    descriptor->setSearchString(text_of(PLACE_PATTERN));
    auto found = searchable->findAll(descriptor);
    for (sal_Int32 i = 0; i < found->getCount(); i++) {
        Reference<text::XTextRange> range(found->getByIndex(i), uno::UNO_QUERY_THROW);
        OUString text = range->getString();
        auto number = text.copy(1, text.getLength() - 2).toInt32();
        places.push_back({static_cast<size_t>(number), range->getText()->createTextCursorByRange(range), false});
    }
    return places;
}

/* As in office.h. */
Row read_row(const char *path)
{
    Row row;
    std::ifstream file(path, std::ios::binary);
    std::string text;
    std::getline(file, text, '\0');
    for (const char *at = text.c_str(); *at;) {
        char *end;
        row.gone.push_back(strtoul(at, &end, 10));
        at = end == at ? at + strlen(at) : end + strspn(end, ",");
    }
    while (std::getline(file, text, '\0'))
        row.texts.push_back(text);
    return row;
}

/* Whether the form has a place for each text, no other ones, and what the row needs is still there. */
bool fits(const Form &form, const Row &row)
{
    const auto &texts = row.texts;
    std::vector<bool> is_there(texts.size());
    for (const auto &place : form.places) {
        if (place.number >= texts.size() || (place.is_gone && !texts[place.number].empty() && texts[place.number] != NO_PLACE))
            return false;
        is_there[place.number] = true;
    }
    return std::all_of(is_there.begin(), is_there.end(), [](bool is) { return is; }) &&
           std::all_of(row.gone.begin(), row.gone.end(), [&](size_t number) {
               auto found = form.pieces.find(number);
               return found != form.pieces.end() && !found->second.is_gone && found->second.first.mark.is() && found->second.last.mark.is();
           });
}

void remove(const Reference<text::XTextCursor> &range)
{
    if (!range->isCollapsed())
        range->setString(OUString());
}

/*
 * Makes the layout determine the scripts of a paragraph from its start. After a change it keeps those of earlier characters,
 * and a space before a place has got that of the earlier text.
 */
void forget_scripts(const Reference<text::XText> &whole, const Reference<text::XTextRange> &within)
{
    auto start = whole->createTextCursorByRange(within);
    Reference<text::XParagraphCursor>(start, uno::UNO_QUERY_THROW)->gotoStartOfParagraph(false);
    whole->insertString(Reference<text::XTextRange>(start, uno::UNO_QUERY_THROW), text_of("-"), false);
    start->goLeft(1, true);
    remove(start);
}

/*
 * The new text goes behind the old one, to get its formatting. Insertions at the end of a range extend it. A view keeps the
 * scripts of what stands before the place.
 */
void replace(const Place &place, const OUString &text, bool has_view)
{
    auto whole = place.range->getText();
    auto old = whole->createTextCursorByRange(place.range->getStart());
    auto length = static_cast<sal_Int16>(place.range->getString().getLength());
    whole->insertString(place.range->getEnd(), text, false);
    old->goRight(length, true);
    remove(old);
    if (has_view && !Reference<text::XParagraphCursor>(old, uno::UNO_QUERY_THROW)->isStartOfParagraph())
        forget_scripts(whole, place.range->getStart());
    if (place.range->getString() != text)
        throw Unsuitable{"a place does not hold its text"};
}

/*
 * Where the document ends, each place begins and ends, and each page ends, on all pages together. Empty for a single page.
 * The cursor at the end comes first: the document is laid out up to the cursor.
 */
std::vector<awt::Point> positions_of(const Form &form)
{
    Reference<text::XTextDocument> document(form.document->model, uno::UNO_QUERY_THROW);
    Reference<text::XTextViewCursorSupplier> view(form.document->controller, uno::UNO_QUERY_THROW);
    auto cursor = view->getViewCursor();
    cursor->gotoRange(document->getText()->getEnd(), false);
    int pages = writer::count_pages();
    if (pages == 1 || form.places.size() > SEEN_PLACES_MAX)
        return {};
    std::vector<awt::Point> positions = {cursor->getPosition()};
    for (const auto &place : form.places) {
        if (place.is_gone)
            continue;
        cursor->gotoRange(place.range->getStart(), false);
        positions.push_back(cursor->getPosition());
        cursor->gotoRange(place.range->getEnd(), false);
        positions.push_back(cursor->getPosition());
    }
    Reference<text::XPageCursor> paged(cursor, uno::UNO_QUERY_THROW);
    paged->jumpToFirstPage();
    for (int page = 0; page < pages; page++, paged->jumpToNextPage()) {
        paged->jumpToEndOfPage();
        positions.push_back(cursor->getPosition());
    }
    return positions;
}

/* A new view switches the recording on. */
void stop_recording(const Form &form)
{
    auto undo = Reference<document::XUndoManagerSupplier>(form.document->model, uno::UNO_QUERY_THROW)->getUndoManager();
    undo->unlock();
    undo->lock();
}

/* Removes what the row lacks, and puts its texts into all other places, before the document is laid out again. */
void change(Form &form, const Row &row, bool has_view)
{
    stop_recording(form);
    form.document->model->lockControllers();
    writer::remove_pieces(form.document->model, form.pieces, row.gone);
    if (!row.gone.empty())
        form.repeated_rows = repeated_rows_of(form.document->model);
    for (auto &place : form.places) {
        const auto &text = row.texts[place.number];
        if (place.is_gone)
            continue;
        place.is_gone = text.empty() || text == NO_PLACE;
        if (text.empty())
            remove(place.range);
        else if (!place.is_gone)
            replace(place, text_of(text.c_str()), has_view);
    }
    form.document->model->unlockControllers();
}

/* Texts of other widths move what follows in the same line, but not the paragraphs. */
bool are_as_high(const std::vector<awt::Point> &a, const std::vector<awt::Point> &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto &one, const auto &other) { return one.Y == other.Y; });
}

void require_repeated_rows(const Form &form)
{
    if (repeated_rows_of(form.document->model) != form.repeated_rows)
        throw Unsuitable{"the document has lost a repeated row"};
}

/*
 * Fills a form without any effect of earlier texts on the layout. Paragraphs that have moved from page to page may lie elsewhere
 * than in a document that is loaded with their texts. What has grown may not shrink again. On a single page without anything
 * beside the text, nothing moves from page to page.
 */
void fill_as_new(Form &form, const Row &row)
{
    bool is_seen = form.is_plain && form.places.size() <= SEEN_PLACES_MAX;
    bool keeps = !form.is_new && is_seen && (form.pages == 1 || row.gone.empty());
    if (!keeps)
        writer::close_view();
    change(form, row, keeps);
    if (keeps) {
        auto before = std::move(form.positions);
        form.positions = positions_of(form);
        form.pages = writer::count_pages();
        require_repeated_rows(form);
        if (are_as_high(before, form.positions))
            return;
        writer::close_view();
    }
    require_repeated_rows(form);
    writer::reopen_view();
    form.is_new = false;
    form.positions = is_seen ? positions_of(form) : std::vector<awt::Point>();
    form.pages = writer::count_pages();
}

bool fails(struct conversion_report *report, const char *reason)
{
    snprintf(report->text, sizeof report->text, "%s", reason);
    return false;
}

} // namespace

bool writer::open_form(const char *url, struct conversion_report *report)
{
    if (!load(url, false, report))
        return false;
    try {
        if (!has_only_independent_fields(current->model))
            return fails(report, "the form has fields that may depend on its places");
        if (has_moving_shapes(current->model))
            return fails(report, "the form has shapes that its texts move");
        Reference<document::XUndoManagerSupplier>(current->model, uno::UNO_QUERY_THROW)->getUndoManager()->lock();
        auto places = find_places(current->model);
        forms.push_back({current, places, take_pieces(current->model), repeated_rows_of(current->model),
                         has_plain_layout(current->model), true, 0, {}});
        return true;
    } catch (const uno::Exception &failure) {
        write_text(report->text, failure.Message);
        return false;
    }
}

enum outcome writer::fill(unsigned number, const char *texts_path, struct conversion_report *report)
{
    try {
        auto row = read_row(texts_path);
        if (number >= forms.size() || !fits(forms[number], row)) {
            fails(report, "the form lacks a place, or has one too many");
            return OUTCOME_UNREADABLE;
        }
        auto &form = forms[number];
        current = form.document;
        fill_as_new(form, row);
        return OUTCOME_OK;
    } catch (const uno::Exception &failure) {
        write_text(report->text, failure.Message);
    } catch (const Unsuitable &unsuitable) {
        fails(report, unsuitable.reason);
    }
    return OUTCOME_UNREADABLE;
}
