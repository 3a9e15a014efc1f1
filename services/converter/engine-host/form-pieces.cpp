/* What a row lacks of a form (form.cpp) is removed from the loaded document. Nothing is put back. */
#include "form-pieces.h"
#include "writer.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/lang/XComponent.hpp>
#include <com/sun/star/table/XTableRows.hpp>
#include <com/sun/star/text/XBookmarksSupplier.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <com/sun/star/text/XTextDocument.hpp>
#include <com/sun/star/text/XTextRangeCompare.hpp>
#include <com/sun/star/text/XTextTable.hpp>

using namespace com::sun::star;
using rtl::OUString;
using uno::Any;
using uno::Reference;
using writer::Piece;
using writer::text_of;

namespace {

typedef Reference<frame::XModel> Model;

constexpr const char *KINDS[] = {"_rows", "_blocks", "_table"};

/* Whether a name is that of a kind, a number, and `a` or `b`. The document may have others that begin in the same way. */
bool is_mark(const OUString &name, const OUString &kind)
{
    sal_Int32 end = name.getLength() - 1;
    if (!name.startsWith(kind) || end <= kind.getLength() || (name[end] != 'a' && name[end] != 'b'))
        return false;
    for (sal_Int32 at = kind.getLength(); at < end; at++)
        if (name[at] < '0' || name[at] > '9')
            return false;
    return true;
}

void take_mark(const OUString &name, const Reference<text::XTextContent> &bookmark, std::map<size_t, Piece> &pieces)
{
    for (const char *kind : KINDS) {
        if (!is_mark(name, text_of(kind)))
            continue;
        auto from = static_cast<sal_Int32>(strlen(kind));
        auto number = static_cast<size_t>(name.copy(from, name.getLength() - from - 1).toInt32());
        auto range = bookmark->getAnchor();
        auto &piece = pieces[number];
        auto &edge = name.endsWith(text_of("a")) ? piece.first : piece.last;
        piece.is_rows = kind == KINDS[0];
        edge = {range->getText()->createTextCursorByRange(range->getStart()), kind == KINDS[2]};
        Reference<lang::XComponent>(bookmark, uno::UNO_QUERY_THROW)->dispose();
    }
}

Any property_of(const Reference<uno::XInterface> &object, const char *name)
{
    return Reference<beans::XPropertySet>(object, uno::UNO_QUERY_THROW)->getPropertyValue(text_of(name));
}

Reference<text::XTextTable> table_at(const Piece::Edge &edge)
{
    return Reference<text::XTextTable>(property_of(edge.mark, "TextTable"), uno::UNO_QUERY_THROW);
}

/* Counted from 0. The name of a cell is letters and the number of its row. */
sal_Int32 row_at(const Piece::Edge &edge)
{
    OUString name;
    property_of(Reference<uno::XInterface>(property_of(edge.mark, "Cell"), uno::UNO_QUERY_THROW), "CellName") >>= name;
    sal_Int32 digits = 0;
    while (digits < name.getLength() && (name[digits] < '0' || name[digits] > '9'))
        digits++;
    return name.copy(digits).toInt32() - 1;
}

typedef std::vector<Reference<lang::XComponent>> Contents;

Contents contents_of(const Reference<uno::XInterface> &text)
{
    auto listed = Reference<container::XEnumerationAccess>(text, uno::UNO_QUERY_THROW)->createEnumeration();
    Contents contents;
    while (listed->hasMoreElements())
        contents.emplace_back(listed->nextElement(), uno::UNO_QUERY_THROW);
    return contents;
}

bool is_at(const Reference<lang::XComponent> &content, const Piece::Edge &edge, const Reference<text::XText> &body)
{
    if (edge.is_table)
        return content == table_at(edge);
    Reference<text::XTextRange> range(content, uno::UNO_QUERY);
    Reference<text::XTextRangeCompare> compare(body, uno::UNO_QUERY_THROW);
    if (!range.is() || Reference<text::XTextTable>(content, uno::UNO_QUERY).is())
        return false;
    auto at = edge.mark->getStart();
    return compare->compareRegionStarts(range, at) >= 0 && compare->compareRegionEnds(range, at) <= 0;
}

/* The paragraphs and tables of a piece. */
Contents blocks_of(const Model &model, const Piece &piece)
{
    if (!piece.first.is_table && !piece.last.is_table) {
        auto range = piece.first.mark->getText()->createTextCursorByRange(piece.first.mark->getStart());
        range->gotoRange(piece.last.mark->getStart(), true);
        return contents_of(range);
    }
    auto body = Reference<text::XTextDocument>(model, uno::UNO_QUERY_THROW)->getText();
    auto all = contents_of(body);
    auto first = std::find_if(all.begin(), all.end(), [&](const auto &one) { return is_at(one, piece.first, body); });
    auto last = std::find_if(first, all.end(), [&](const auto &one) { return is_at(one, piece.last, body); });
    if (last == all.end())
        throw uno::RuntimeException(text_of("a piece has no end"), nullptr);
    return {first, last + 1};
}

/* Adjacent rows of a table go at once. */
struct Rows {
    Reference<text::XTextTable> table;
    sal_Int32 from, count;
};

void add_rows(std::vector<Rows> &all, const Piece &piece)
{
    auto table = table_at(piece.first);
    sal_Int32 from = row_at(piece.first), count = row_at(piece.last) - from + 1;
    if (!all.empty() && all.back().table == table && all.back().from + all.back().count == from)
        all.back().count += count;
    else
        all.push_back({table, from, count});
}

} // namespace

std::map<size_t, Piece> writer::take_pieces(const Model &model)
{
    std::map<size_t, Piece> pieces;
    auto bookmarks = Reference<text::XBookmarksSupplier>(model, uno::UNO_QUERY_THROW)->getBookmarks();
    for (const OUString &name : bookmarks->getElementNames())
        take_mark(name, Reference<text::XTextContent>(bookmarks->getByName(name), uno::UNO_QUERY_THROW), pieces);
    return pieces;
}

void writer::remove_pieces(const Model &model, std::map<size_t, Piece> &pieces, const std::vector<size_t> &gone)
{
    std::vector<Rows> rows;
    for (size_t number : gone) {
        auto &piece = pieces.at(number);
        piece.is_gone = true;
        if (piece.is_rows)
            add_rows(rows, piece);
        else
            for (const auto &block : blocks_of(model, piece))
                block->dispose();
    }
    /* From the end, so that the numbers of earlier rows stay. */
    for (auto each = rows.rbegin(); each != rows.rend(); ++each)
        each->table->getRows()->removeByIndex(each->from, each->count);
}
