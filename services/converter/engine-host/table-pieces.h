#ifndef ENGINE_HOST_TABLE_PIECES_H
#define ENGINE_HOST_TABLE_PIECES_H

#include <map>
#include <utility>

#include <com/sun/star/table/XTableRows.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <com/sun/star/text/XTextTable.hpp>

namespace pieces {

/*
 * The pages of a table whose rows have the same height: each has as many rows, at the same places. With other rows of the
 * table in front, it still has.
 */
struct EvenPages {
    sal_Int32 rows;
    /*
     * How far below the first row of a page its last row begins, and the first row of the next page. The third is how far below
     * its start the last row has its last line. 1/100 mm.
     */
    sal_Int32 last_top, distance, depth;
};

struct Indivisible {
    const char *reason;
};

struct Piece {
    com::sun::star::uno::Reference<com::sun::star::text::XTextTable> table;
    com::sun::star::uno::Reference<com::sun::star::text::XTextContent> mark;
    sal_Int32 heads, overlap;
    bool looks_even;
    /* The rows that it shares with the one before and gives up. */
    sal_Int32 given_up = 0;
    /* The rows of its last, partial page, which it gives up. */
    sal_Int32 spare = 0;
    /* The first row that begins on its last page. */
    sal_Int32 last_page = 0;

    sal_Int32 rows() const { return table->getRows()->getCount(); }
    void remove(sal_Int32 row, sal_Int32 count) const
    {
        if (count <= 0)
            return;
        sal_Int32 before = rows();
        table->getRows()->removeByIndex(row, count);
        if (rows() != before - count)
            throw Indivisible{"rows cannot be removed"};
    }
};

/* By the numbers of the table and the piece. */
typedef std::map<std::pair<sal_Int32, sal_Int32>, Piece> Pieces;

/*
 * The pieces of the long tables of the current document, each of which begins on a page of its own from here on. Throws
 * `Indivisible`.
 */
Pieces open();

/* The last row with which a page begins, among those that the next piece has, too. Throws `Indivisible`. */
sal_Int32 last_break_of(const Piece &piece, sal_Int32 overlap);

/* The first row from `row` on that begins on a later page, or the number of rows. */
sal_Int32 first_on_later_page(const Piece &piece, sal_Int32 row);

/* The first row that begins on the page on which the row before `end` ends, or `end`. */
sal_Int32 first_on_page(const Piece &piece, sal_Int32 end);

/* Whether the next piece begins on the page behind that on which the piece ends. */
bool is_followed_by(const Piece &piece, const Piece &next);

/* Its pages from a row on that begins a page, if they are even. */
EvenPages pages_from(const Piece &piece, sal_Int32 begin);

/* Whether the rows from `begin`, which begins a page, until `end` are on such pages. */
bool are_on(const EvenPages &even, const Piece &piece, sal_Int32 begin, sal_Int32 end);

/* Whether a row is as deep as the last one of these pages. */
bool is_as_deep(const EvenPages &even, const Piece &piece, sal_Int32 row);

} // namespace pieces

#endif
