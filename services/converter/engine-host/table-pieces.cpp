/* Finds the pieces of long tables by the bookmarks of packages/docx-normalize/src/tables/split-tables.ts. */
#include "table-pieces.h"
#include "writer.h"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/style/BreakType.hpp>
#include <com/sun/star/table/XCellRange.hpp>
#include <com/sun/star/table/XTableColumns.hpp>
#include <com/sun/star/text/XBookmarksSupplier.hpp>
#include <com/sun/star/text/XText.hpp>

using namespace com::sun::star;
using rtl::OUString;
using uno::Any;
using uno::Reference;
using writer::current;
using writer::text_of;
using pieces::Indivisible;
using pieces::Piece;
using pieces::Pieces;

namespace {

/*
 * Begins the name of a bookmark. Then come the number of a table, the number of a piece, and the rows that it shares with the one
 * before. The last are how many pieces the table has, and whether all its rows look as high as those of the first piece.
 */
constexpr char MARK[] = "_piece_";

Pieces find_pieces()
{
    Pieces pieces;
    std::map<sal_Int32, sal_Int32> counts;
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
        auto count = numbers.getToken(0, '_', at).toInt32();
        piece.looks_even = numbers.getToken(0, '_', at) == "even";
        piece.mark.set(marks->getByName(name), uno::UNO_QUERY_THROW);
        Reference<beans::XPropertySet> anchor(piece.mark->getAnchor(), uno::UNO_QUERY_THROW);
        anchor->getPropertyValue(text_of("TextTable")) >>= piece.table;
        if (!piece.table.is())
            throw Indivisible{"a piece is not a table"};
        Reference<beans::XPropertySet> properties(piece.table, uno::UNO_QUERY_THROW);
        properties->getPropertyValue(text_of("HeaderRowCount")) >>= piece.heads;
        counts[table_number] = count;
        bool is_in_order = number >= 0 && number < count && (number == 0) == (piece.overlap == 0);
        if (!is_in_order || !pieces.emplace(std::pair(table_number, number), piece).second)
            throw Indivisible{"a piece has a mark of another one"};
    }
    sal_Int64 expected = 0;
    for (const auto &[table_number, count] : counts)
        expected += count;
    if (pieces.empty() || expected != sal_Int64(pieces.size()))
        throw Indivisible{"a piece has no mark"};
    return pieces;
}

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

void begin_on_pages(const Pieces &pieces)
{
    for (const auto &[number, piece] : pieces)
        if (number.second > 0)
            Reference<beans::XPropertySet>(piece.table, uno::UNO_QUERY_THROW)
                ->setPropertyValue(text_of("BreakType"), Any(style::BreakType_PAGE_BEFORE));
}

} // namespace

Pieces pieces::open()
{
    auto found = find_pieces();
    for (const auto &[number, piece] : found)
        require_plain_heads(piece);
    begin_on_pages(found);
    for (const auto &[number, piece] : found)
        piece.mark->getAnchor()->getText()->removeTextContent(piece.mark);
    return found;
}
