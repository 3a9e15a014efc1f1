/*
 * Joins the pieces of long tables. LibreOffice lays a table out in a time that grows with the square of its rows: each page
 * moves all further rows. So a long table arrives in pieces, which overlap (packages/sanitizer/src/tables/split-tables.ts).
 * Each piece but the first begins on a page, with the rows that the table repeats there. This looks like the whole table if
 * the piece before ends where a page ends. So here it gives up the rows of its last, partial page, and the next piece gives
 * up the others of its copy.
 */
#include "writer.h"

#include <map>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/style/BreakType.hpp>
#include <com/sun/star/table/XCellRange.hpp>
#include <com/sun/star/table/XTableColumns.hpp>
#include <com/sun/star/table/XTableRows.hpp>
#include <com/sun/star/text/XBookmarksSupplier.hpp>
#include <com/sun/star/text/XPageCursor.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <com/sun/star/text/XTextTable.hpp>
#include <com/sun/star/text/XTextViewCursorSupplier.hpp>

using namespace com::sun::star;
using rtl::OUString;
using uno::Any;
using uno::Reference;
using writer::current;
using writer::text_of;

namespace {

/* In front of the number of a table, the number of a piece, and the rows that it shares with the one before. */
constexpr char MARK[] = "_piece_";

struct Piece {
    Reference<text::XTextTable> table;
    Reference<text::XTextContent> mark;
    sal_Int32 heads, overlap;
    /* The rows of its last, partial page, which it gives up. */
    sal_Int32 spare = 0;
    /* The first row that begins on its last page. */
    sal_Int32 last_page = 0;

    sal_Int32 rows() const { return table->getRows()->getCount(); }
    void remove(sal_Int32 row, sal_Int32 count) const
    {
        if (count > 0)
            table->getRows()->removeByIndex(row, count);
    }
};

struct Indivisible {
    const char *reason;
};

/* By the numbers of the table and the piece. */
typedef std::map<std::pair<sal_Int32, sal_Int32>, Piece> Pieces;

Pieces find_pieces()
{
    Pieces pieces;
    Reference<text::XBookmarksSupplier> supplier(current->model, uno::UNO_QUERY_THROW);
    auto marks = supplier->getBookmarks();
    for (const auto &name : marks->getElementNames()) {
        if (!name.startsWith(text_of(MARK)))
            continue;
        sal_Int32 at = 0;
        OUString numbers = name.copy(sizeof MARK - 1);
        auto table_number = numbers.getToken(0, '_', at).toInt32(), number = numbers.getToken(0, '_', at).toInt32();
        Piece piece;
        piece.overlap = numbers.getToken(0, '_', at).toInt32();
        piece.mark.set(marks->getByName(name), uno::UNO_QUERY_THROW);
        Reference<beans::XPropertySet> anchor(piece.mark->getAnchor(), uno::UNO_QUERY_THROW);
        anchor->getPropertyValue(text_of("TextTable")) >>= piece.table;
        if (!piece.table.is())
            throw Indivisible{"a piece is not a table"};
        Reference<beans::XPropertySet> properties(piece.table, uno::UNO_QUERY_THROW);
        properties->getPropertyValue(text_of("HeaderRowCount")) >>= piece.heads;
        pieces[{table_number, number}] = piece;
    }
    return pieces;
}

/* On which pages the rows of a table are. */
class Pages {
public:
    explicit Pages(const Piece &piece) : cells(piece.table, uno::UNO_QUERY_THROW), columns(piece.table->getColumns()->getCount())
    {
        Reference<text::XTextViewCursorSupplier> view(current->controller, uno::UNO_QUERY_THROW);
        cursor = view->getViewCursor();
    }

    sal_Int32 of_start(sal_Int32 row) { return of(text_in(0, row)->getStart()); }

    sal_Int32 of_end(sal_Int32 row)
    {
        sal_Int32 last = 0;
        for (sal_Int32 column = 0; column < columns; column++)
            last = std::max(last, of(text_in(column, row)->getEnd()));
        return last;
    }

private:
    Reference<table::XCellRange> cells;
    sal_Int32 columns;
    Reference<text::XTextViewCursor> cursor;

    Reference<text::XText> text_in(sal_Int32 column, sal_Int32 row)
    {
        return Reference<text::XText>(cells->getCellByPosition(column, row), uno::UNO_QUERY_THROW);
    }

    sal_Int32 of(const Reference<text::XTextRange> &place)
    {
        cursor->gotoRange(place, false);
        return Reference<text::XPageCursor>(cursor, uno::UNO_QUERY_THROW)->getPage();
    }
};

/* Each piece has the heading rows. A number in them would go on from piece to piece. */
void require_plain_heads(const Piece &piece)
{
    Reference<table::XCellRange> cells(piece.table, uno::UNO_QUERY_THROW);
    sal_Int32 columns = piece.table->getColumns()->getCount();
    for (sal_Int32 at = 0; at < piece.heads * columns; at++) {
        Reference<container::XEnumerationAccess> cell(cells->getCellByPosition(at % columns, at / columns), uno::UNO_QUERY_THROW);
        auto paragraphs = cell->createEnumeration();
        while (paragraphs->hasMoreElements()) {
            Reference<beans::XPropertySet> paragraph(paragraphs->nextElement(), uno::UNO_QUERY_THROW);
            OUString label;
            paragraph->getPropertyValue(text_of("ListLabelString")) >>= label;
            if (!label.isEmpty())
                throw Indivisible{"a heading row has numbers"};
        }
    }
}

/* The last row with which a page begins, among those that the next piece has, too. */
sal_Int32 last_break_of(const Piece &piece, sal_Int32 overlap)
{
    Pages pages(piece);
    sal_Int32 last = piece.rows() - 1, page = pages.of_start(last);
    for (sal_Int32 row = last; row > piece.rows() - overlap && row > piece.heads + 1; row--) {
        sal_Int32 before = pages.of_start(row - 1);
        if (before < page && pages.of_end(row - 1) < page)
            return row;
        page = before;
    }
    throw Indivisible{"a piece has no row with which a page begins"};
}

/* The first row that begins on the page on which the row before `end` ends, or `end`. */
sal_Int32 first_on_page(const Piece &piece, sal_Int32 end)
{
    Pages pages(piece);
    sal_Int32 page = pages.of_end(end - 1), earlier = piece.heads - 1;
    while (end - earlier > 1) {
        sal_Int32 middle = earlier + (end - earlier) / 2;
        (pages.of_start(middle) < page ? earlier : end) = middle;
    }
    return end;
}

/*
 * The spare rows of the piece stay until all pieces are joined: without them, all pages behind would move. The next piece
 * begins on a page of its own, with them and without them.
 */
void join(Piece &piece, const Piece &next)
{
    sal_Int32 end = last_break_of(piece, next.overlap);
    piece.spare = piece.rows() - end;
    piece.last_page = first_on_page(piece, end);
    next.remove(next.heads, next.overlap - piece.spare);
}

void remove_spare_rows(const Pieces &pieces)
{
    for (const auto &[number, piece] : pieces)
        piece.remove(piece.rows() - piece.spare, piece.spare);
}

/* In a new layout, each piece must end with the same page, on the page before that of the next one. */
void require_joints(const Pieces &pieces)
{
    for (auto at = pieces.begin(), next = at; ++next != pieces.end(); at = next) {
        if (next->first.second == 0)
            continue;
        const Piece &piece = at->second;
        if (Pages(piece).of_end(piece.rows() - 1) + 1 != Pages(next->second).of_start(0))
            throw Indivisible{"a piece ends on another page than before"};
        if (first_on_page(piece, piece.rows()) != piece.last_page)
            throw Indivisible{"the last page of a piece begins with another row than before"};
    }
}

void begin_on_pages(const Pieces &pieces)
{
    for (const auto &[number, piece] : pieces)
        if (number.second > 0)
            Reference<beans::XPropertySet>(piece.table, uno::UNO_QUERY_THROW)
                ->setPropertyValue(text_of("BreakType"), Any(style::BreakType_PAGE_BEFORE));
}

} // namespace

bool writer::join_pieces(struct conversion_report *report)
{
    try {
        auto pieces = find_pieces();
        for (const auto &[number, piece] : pieces)
            require_plain_heads(piece);
        begin_on_pages(pieces);
        for (const auto &[number, piece] : pieces)
            piece.mark->getAnchor()->getText()->removeTextContent(piece.mark);
        reopen_view();
        for (auto at = pieces.begin(), next = at; ++next != pieces.end(); at = next) {
            if (next->first.second == 0)
                continue;
            count_pages();
            join(at->second, next->second);
        }
        close_view();
        remove_spare_rows(pieces);
        reopen_view();
        count_pages();
        require_joints(pieces);
        report_tracked_fonts(report);
        return true;
    } catch (const uno::Exception &failure) {
        write_text(report->text, failure.Message);
    } catch (const Indivisible &indivisible) {
        snprintf(report->text, sizeof report->text, "%s", indivisible.reason);
    }
    return false;
}
