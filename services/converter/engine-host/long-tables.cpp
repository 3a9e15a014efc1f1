/*
 * Joins the pieces of long tables. LibreOffice lays a table out in a time that grows with the square of its rows: each page
 * moves all further rows. So a long table arrives in pieces, which overlap (packages/docx-normalize/src/tables/split-tables.ts).
 * Each piece but the first begins on a page, with the rows that the table repeats there. This looks like the whole table if
 * the piece before ends where a page ends. So here it gives up the rows of its last, partial page, and the next piece gives
 * up the others of its copy.
 */
#include "table-pieces.h"
#include "writer.h"

#include <algorithm>
#include <optional>

using namespace com::sun::star;
using namespace pieces;
using writer::current;

namespace {

/* Calls `join` for each piece that has a next one, in order, until it returns false. */
template <class Join> bool for_each_joint(Pieces &all, Join join)
{
    for (auto at = all.begin(), next = at; ++next != all.end(); at = next)
        if (next->first.second > 0 && !join(at->second, next->second))
            return false;
    return true;
}

/* The rows from `end` on, with which a page begins, become those of the next piece. Both pieces have them. */
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
 * Finds the ends of all pieces of one table by the layout of the first one, if its pages are even. Takes those of the others as
 * even, too. Returns these pages, or nothing if they are not even.
 */
std::optional<EvenPages> set_even_ends(Pieces &all)
{
    const Piece &first = all.begin()->second;
    sal_Int32 first_begin = begin_of_even_pages(first);
    if (first_begin == first.rows())
        return {};
    auto pages = pages_from(first, first_begin);
    if (!are_on(pages, first, first_begin, first.rows()))
        return {};
    bool are_set = for_each_joint(all, [&](Piece &piece, Piece &next) {
        sal_Int32 begin = piece.overlap == 0 ? first_begin : piece.heads + piece.given_up;
        sal_Int32 end = begin + (piece.rows() - 1 - begin) / pages.rows * pages.rows;
        if (end == begin || end <= piece.rows() - next.overlap)
            return false;
        piece.last_page = end - pages.rows - piece.given_up;
        set_end(piece, next, end);
        return true;
    });
    return are_set ? std::optional(pages) : std::nullopt;
}

/*
 * Whether all pages of the joined pieces are as the first ones. Then each piece ends where the first row of the next one would
 * not fit.
 */
bool are_even(Pieces &all, const EvenPages &pages)
{
    return for_each_joint(all, [&](Piece &piece, Piece &next) {
        return are_on(pages, piece, begin_of_even_pages(piece), piece.rows()) &&
               is_as_deep(pages, piece, piece.rows() - 1) &&
               are_on(pages, next, next.heads, std::min(next.heads + 2, next.rows()));
    });
}

/*
 * Finds the ends in turn: each new beginning moves all pages of its piece. The spare rows of a piece stay until all pieces
 * are joined: without them, all pages behind would move. The next piece begins on a page of its own, with them and without
 * them.
 */
void set_ends_in_turn(Pieces &all)
{
    for_each_joint(all, [](Piece &piece, Piece &next) {
        writer::count_pages();
        sal_Int32 end = last_break_of(piece, next.overlap);
        piece.last_page = first_on_page(piece, end);
        set_end(piece, next, end);
        next.remove(next.heads, next.given_up);
        next.given_up = 0;
        return true;
    });
}

void remove_rows(const Pieces &all)
{
    for (const auto &[number, piece] : all) {
        piece.remove(piece.rows() - piece.spare, piece.spare);
        piece.remove(piece.heads, piece.given_up);
    }
}

/* In a new layout, each piece must end with the same page, on the page before that of the next one. */
void require_joints(Pieces &all)
{
    /* A view that sees its cursor come into another table walks through all tables. */
    current->model->lockControllers();
    for_each_joint(all, [](Piece &piece, Piece &next) {
        if (!is_followed_by(piece, next))
            throw Indivisible{"a piece ends on another page than before"};
        if (first_on_page(piece, piece.rows()) != piece.last_page)
            throw Indivisible{"the last page of a piece begins with another row than before"};
        return true;
    });
    current->model->unlockControllers();
}

/* With the ends set. */
void join(Pieces &all)
{
    remove_rows(all);
    writer::reopen_view();
    writer::count_pages();
    require_joints(all);
}

/* The place of a second table is known only when the first one is joined. */
bool look_even(const Pieces &all)
{
    sal_Int32 table = all.begin()->first.first;
    return std::all_of(all.begin(), all.end(), [&](const auto &entry) {
        return entry.first.first == table && entry.second.looks_even;
    });
}

/* By a view that lays out the first piece only: ../libreoffice.mjs lists what depends on the version. */
std::optional<EvenPages> find_even_ends(Pieces &all)
{
    if (!look_even(all))
        return {};
    writer::open_partial_view();
    auto pages = set_even_ends(all);
    writer::close_partial_view();
    return pages;
}

/* False if not all pages are as the first ones. Then the document is of no use. */
bool join_evenly(Pieces &all, const EvenPages &pages)
{
    try {
        join(all);
        return are_even(all, pages);
    } catch (const Indivisible &) {
        return false;
    }
}

void join_in_turn(Pieces &all)
{
    writer::reopen_view();
    set_ends_in_turn(all);
    writer::close_view();
    join(all);
}

} // namespace

bool writer::join_pieces(struct conversion_report *report)
{
    try {
        auto all = pieces::open();
        auto pages = find_even_ends(all);
        if (pages && !join_evenly(all, *pages)) {
            close_view();
            if (!load_again(report))
                return false;
            all = pieces::open();
            pages.reset();
        }
        if (!pages)
            join_in_turn(all);
        report_tracked_fonts(report);
        return true;
    } catch (const uno::Exception &failure) {
        write_text(report->text, failure.Message);
    } catch (const Indivisible &indivisible) {
        snprintf(report->text, sizeof report->text, "%s", indivisible.reason);
    }
    return false;
}
