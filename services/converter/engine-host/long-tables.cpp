/*
 * Joins the pieces of long tables. LibreOffice lays a table out in a time that grows with the square of its rows: each page
 * moves all further rows. So a long table arrives in pieces, which overlap (packages/sanitizer/src/tables/split-tables.ts).
 * Each piece but the first begins on a page, with the rows that the table repeats there. This looks like the whole table if
 * the piece before ends where a page ends. So here it gives up the rows of its last, partial page, and the next piece gives
 * up the others of its copy.
 */
#include "writer.h"

#include <algorithm>
#include <map>
#include <optional>

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

/*
 * In front of the number of a table, the number of a piece, the rows that it shares with the one before, and whether all rows of
 * the table look as high as those of the first piece.
 */
constexpr char MARK[] = "_piece_";

/* LibreOffice's places are multiples of 1/20 pt, 1/100 mm. */
constexpr double ROUNDING = 2;

/*
 * The pages of a table whose rows have the same height: each has as many rows, at the same places. With other rows of the
 * table in front, it still has.
 */
struct EvenPages {
    sal_Int32 rows;
    /* How far below the first row of a page its last row begins, and the first row of the next page, 1/100 mm. */
    sal_Int32 last_top, distance;
};

struct Piece {
    Reference<text::XTextTable> table;
    Reference<text::XTextContent> mark;
    sal_Int32 heads, overlap;
    bool looks_even;
    /* The rows that it shares with the one before and gives up. */
    sal_Int32 given_up = 0;
    /* The rows of its last, partial page, which it gives up. */
    sal_Int32 spare = 0;
    /* The first row that begins on its last page. */
    sal_Int32 last_page = 0;
    /* As which its pages are, if they are even. */
    std::optional<EvenPages> pages;

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
        piece.looks_even = numbers.getToken(0, '_', at) == "even";
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

/* A page, and a distance from its top and that of all pages before, 1/100 mm. */
struct Place {
    sal_Int32 page, top;
};

/* On which pages the rows of a table are. */
class Pages {
public:
    explicit Pages(const Piece &piece) : cells(piece.table, uno::UNO_QUERY_THROW), columns(piece.table->getColumns()->getCount())
    {
        Reference<text::XTextViewCursorSupplier> view(current->controller, uno::UNO_QUERY_THROW);
        cursor = view->getViewCursor();
    }

    sal_Int32 of_start(sal_Int32 row) { return of(text_in(0, row)->getStart()); }

    Place start_of(sal_Int32 row)
    {
        sal_Int32 page = of_start(row);
        return {page, cursor->getPosition().Y};
    }

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

/* The first row from `row` on that begins on a later page, or the number of rows. */
sal_Int32 first_on_later_page(const Piece &piece, sal_Int32 row)
{
    Pages pages(piece);
    sal_Int32 page = pages.of_start(row), behind = piece.rows();
    while (behind - row > 1) {
        sal_Int32 middle = row + (behind - row) / 2;
        (pages.of_start(middle) > page ? behind : row) = middle;
    }
    return behind;
}

/* Its pages from a row on that begins a page, if they are even. */
EvenPages pages_from(const Piece &piece, sal_Int32 begin)
{
    sal_Int32 rows = first_on_later_page(piece, begin) - begin;
    Pages pages(piece);
    sal_Int32 top = pages.start_of(begin).top, last = pages.start_of(begin + rows - 1).top;
    return {rows, last - top, pages.start_of(std::min(begin + rows, piece.rows() - 1)).top - top};
}

/* Whether the rows from `begin`, which begins a page, until `end` are on such pages. */
bool are_on(const EvenPages &even, const Piece &piece, sal_Int32 begin, sal_Int32 end)
{
    Pages pages(piece);
    auto first = pages.start_of(begin);
    auto is_in_place = [&](sal_Int32 row) {
        sal_Int32 at = row - begin, page = at / even.rows;
        double top = double(even.distance) * page + double(even.last_top) * (at % even.rows) / (even.rows - 1);
        auto place = pages.start_of(row);
        return place.page == first.page + page && std::abs(place.top - first.top - top) <= ROUNDING * (page + 1);
    };
    if (even.rows < 2 || (begin + 1 < end && !is_in_place(begin + 1)) || !is_in_place(end - 1))
        return false;
    for (sal_Int32 row = begin + even.rows; row < end; row += even.rows)
        if (!is_in_place(row - 1) || !is_in_place(row))
            return false;
    return true;
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

/* Calls `join` for each piece that has a next one, in order, until it returns false. */
template <class Join> bool for_each_joint(Pieces &pieces, Join join)
{
    for (auto at = pieces.begin(), next = at; ++next != pieces.end(); at = next)
        if (next->first.second > 0 && !join(at->second, next->second))
            return false;
    return true;
}

/* Of the rows that both pieces have, those from `end` on, with which a page begins, are those of the next one. */
void set_end(Piece &piece, Piece &next, sal_Int32 end)
{
    piece.spare = piece.rows() - end;
    next.given_up = next.overlap - piece.spare;
}

/* Where even pages begin in a piece: in the first one of a table behind its first page. */
sal_Int32 begin_of_even_pages(const Piece &piece)
{
    return piece.overlap == 0 ? first_on_later_page(piece, piece.heads) : piece.heads;
}

/*
 * Finds the ends of all pieces by the layout of the first one of each table, if its pages are even, as if those of the others
 * were so, too. False if they are not even.
 */
bool set_even_ends(Pieces &pieces)
{
    return for_each_joint(pieces, [](Piece &piece, Piece &next) {
        sal_Int32 begin = piece.given_up + begin_of_even_pages(piece);
        if (piece.overlap == 0) {
            if (begin == piece.rows())
                return false;
            piece.pages = pages_from(piece, begin);
            if (!are_on(*piece.pages, piece, begin, piece.rows()))
                return false;
        }
        next.pages = piece.pages;
        sal_Int32 rows = piece.pages->rows, end = begin + (piece.rows() - 1 - begin) / rows * rows;
        if (end == begin || end <= piece.rows() - next.overlap)
            return false;
        piece.last_page = end - rows - piece.given_up;
        set_end(piece, next, end);
        return true;
    });
}

/* In the layout of the joined pieces: whether all pages are as the first ones. */
bool are_even(Pieces &pieces)
{
    return for_each_joint(pieces, [](Piece &piece, Piece &next) {
        return are_on(*piece.pages, piece, begin_of_even_pages(piece), piece.rows()) &&
               are_on(*piece.pages, next, next.heads, std::min(next.heads + 2, next.rows()));
    });
}

/*
 * Finds the ends in turn: each new beginning moves all pages of its piece. The spare rows of a piece stay until all pieces
 * are joined: without them, all pages behind would move. The next piece begins on a page of its own, with them and without
 * them.
 */
void set_ends_in_turn(Pieces &pieces)
{
    for_each_joint(pieces, [](Piece &piece, Piece &next) {
        piece.remove(piece.heads, piece.given_up);
        piece.given_up = 0;
        writer::count_pages();
        sal_Int32 end = last_break_of(piece, next.overlap);
        piece.last_page = first_on_page(piece, end);
        set_end(piece, next, end);
        return true;
    });
}

void remove_rows(const Pieces &pieces)
{
    for (const auto &[number, piece] : pieces) {
        piece.remove(piece.rows() - piece.spare, piece.spare);
        piece.remove(piece.heads, piece.given_up);
    }
}

/* In a new layout, each piece must end with the same page, on the page before that of the next one. */
void require_joints(Pieces &pieces)
{
    /* A view that sees its cursor come into another table walks through all tables. */
    current->model->lockControllers();
    for_each_joint(pieces, [](Piece &piece, Piece &next) {
        if (Pages(piece).of_end(piece.rows() - 1) + 1 != Pages(next).of_start(0))
            throw Indivisible{"a piece ends on another page than before"};
        if (first_on_page(piece, piece.rows()) != piece.last_page)
            throw Indivisible{"the last page of a piece begins with another row than before"};
        return true;
    });
    current->model->unlockControllers();
}

void begin_on_pages(const Pieces &pieces)
{
    for (const auto &[number, piece] : pieces)
        if (number.second > 0)
            Reference<beans::XPropertySet>(piece.table, uno::UNO_QUERY_THROW)
                ->setPropertyValue(text_of("BreakType"), Any(style::BreakType_PAGE_BEFORE));
}

Pieces open_pieces()
{
    auto pieces = find_pieces();
    for (const auto &[number, piece] : pieces)
        require_plain_heads(piece);
    begin_on_pages(pieces);
    for (const auto &[number, piece] : pieces)
        piece.mark->getAnchor()->getText()->removeTextContent(piece.mark);
    return pieces;
}

/* With the ends set. */
void join(Pieces &pieces)
{
    remove_rows(pieces);
    writer::reopen_view();
    writer::count_pages();
    require_joints(pieces);
}

bool find_even_ends(Pieces &pieces)
{
    if (std::any_of(pieces.begin(), pieces.end(), [](const auto &entry) { return !entry.second.looks_even; }))
        return false;
    writer::open_partial_view();
    bool are_set = set_even_ends(pieces);
    writer::close_partial_view();
    return are_set;
}

/* False if not all pages are as the first ones. Then the document is of no use. */
bool join_evenly(Pieces &pieces)
{
    try {
        join(pieces);
        return are_even(pieces);
    } catch (const Indivisible &) {
        return false;
    }
}

void join_in_turn(Pieces &pieces)
{
    writer::reopen_view();
    set_ends_in_turn(pieces);
    writer::close_view();
    join(pieces);
}

} // namespace

bool writer::join_pieces(struct conversion_report *report)
{
    try {
        auto pieces = open_pieces();
        bool is_even = find_even_ends(pieces);
        if (is_even && !join_evenly(pieces)) {
            close_view();
            if (!load_again(report))
                return false;
            pieces = open_pieces();
            is_even = false;
        }
        if (!is_even)
            join_in_turn(pieces);
        report_tracked_fonts(report);
        return true;
    } catch (const uno::Exception &failure) {
        write_text(report->text, failure.Message);
    } catch (const Indivisible &indivisible) {
        snprintf(report->text, sizeof report->text, "%s", indivisible.reason);
    }
    return false;
}
