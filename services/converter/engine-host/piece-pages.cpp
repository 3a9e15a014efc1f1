/* On which pages the pieces of long tables are. */
#include "table-pieces.h"
#include "writer.h"

#include <algorithm>
#include <cmath>

#include <com/sun/star/table/XCellRange.hpp>
#include <com/sun/star/table/XTableColumns.hpp>
#include <com/sun/star/text/XPageCursor.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextViewCursorSupplier.hpp>

using namespace com::sun::star;
using pieces::EvenPages;
using pieces::Indivisible;
using pieces::Piece;
using uno::Reference;
using writer::current;

namespace {

/* LibreOffice's places are multiples of 1/20 pt, 1/100 mm. */
constexpr double ROUNDING = 2;

bool is_near(double distance, double expected)
{
    return std::abs(distance - expected) <= ROUNDING;
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

    /* How far below the start of a row the last line of its texts is, 1/100 mm. */
    sal_Int32 depth_of(sal_Int32 row)
    {
        sal_Int32 top = start_of(row).top, bottom = top;
        for (sal_Int32 column = 0; column < columns; column++) {
            of(text_in(column, row)->getEnd());
            bottom = std::max(bottom, cursor->getPosition().Y);
        }
        return bottom - top;
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

} // namespace

sal_Int32 pieces::last_break_of(const Piece &piece, sal_Int32 overlap)
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

sal_Int32 pieces::first_on_later_page(const Piece &piece, sal_Int32 row)
{
    Pages pages(piece);
    sal_Int32 page = pages.of_start(row), behind = piece.rows();
    while (behind - row > 1) {
        sal_Int32 middle = row + (behind - row) / 2;
        (pages.of_start(middle) > page ? behind : row) = middle;
    }
    return behind;
}

EvenPages pieces::pages_from(const Piece &piece, sal_Int32 begin)
{
    sal_Int32 rows = first_on_later_page(piece, begin) - begin, last = begin + rows - 1;
    Pages pages(piece);
    sal_Int32 top = pages.start_of(begin).top, last_top = pages.start_of(last).top;
    sal_Int32 next_top = pages.start_of(std::min(begin + rows, piece.rows() - 1)).top;
    return {rows, last_top - top, next_top - top, pages.depth_of(last)};
}

bool pieces::are_on(const EvenPages &even, const Piece &piece, sal_Int32 begin, sal_Int32 end)
{
    if (even.rows < 2)
        return false;
    Pages pages(piece);
    /* Whether a row is on the page of the first one of its page, as far below as rows of the same height are. */
    auto is_below = [&](sal_Int32 row, sal_Int32 first, const Place &top) {
        auto place = pages.start_of(row);
        double expected = double(even.last_top) * (row - first) / (even.rows - 1);
        return place.page == top.page && is_near(place.top - top.top, expected);
    };
    auto above = pages.start_of(begin);
    for (sal_Int32 row = begin; row < end; row += even.rows) {
        auto top = row == begin ? above : pages.start_of(row);
        if (row > begin && (top.page != above.page + 1 || !is_near(top.top - above.top, even.distance)))
            return false;
        sal_Int32 last = std::min(row + even.rows, end) - 1;
        if (!is_below(std::min(row + 1, last), row, top) || !is_below(last, row, top))
            return false;
        above = top;
    }
    return true;
}

bool pieces::is_as_deep(const EvenPages &even, const Piece &piece, sal_Int32 row)
{
    return is_near(Pages(piece).depth_of(row), even.depth);
}

sal_Int32 pieces::first_on_page(const Piece &piece, sal_Int32 end)
{
    Pages pages(piece);
    sal_Int32 page = pages.of_end(end - 1), earlier = piece.heads - 1;
    while (end - earlier > 1) {
        sal_Int32 middle = earlier + (end - earlier) / 2;
        (pages.of_start(middle) < page ? earlier : end) = middle;
    }
    return end;
}

bool pieces::is_followed_by(const Piece &piece, const Piece &next)
{
    return Pages(piece).of_end(piece.rows() - 1) + 1 == Pages(next).of_start(0);
}
