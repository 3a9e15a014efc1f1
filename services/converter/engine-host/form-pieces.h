#ifndef ENGINE_HOST_FORM_PIECES_H
#define ENGINE_HOST_FORM_PIECES_H

#include <map>
#include <vector>

#include <com/sun/star/frame/XModel.hpp>
#include <com/sun/star/text/XTextCursor.hpp>

namespace writer {

/*
 * What can be removed of a form at once: adjacent rows of a table, or adjacent paragraphs and tables. Two bookmarks without
 * extent stand in its first and its last paragraph, `_rows7a` and `_rows7b`, or `_blocks7a` and `_blocks7b`. `_table7a` stands in
 * a table of the body that is itself the first of such paragraphs and tables.
 */
struct Piece {
    struct Edge {
        com::sun::star::uno::Reference<com::sun::star::text::XTextCursor> mark;
        bool is_table = false;
    };
    bool is_rows = false;
    bool is_gone = false;
    Edge first, last;
};

/* By their number. The bookmarks are replaced by cursors. */
std::map<size_t, Piece> take_pieces(const com::sun::star::uno::Reference<com::sun::star::frame::XModel> &model);

/* Removes pieces that are there, none in another one. Throws uno::Exception. */
void remove_pieces(const com::sun::star::uno::Reference<com::sun::star::frame::XModel> &model, std::map<size_t, Piece> &pieces,
                   const std::vector<size_t> &gone);

} // namespace writer

#endif
