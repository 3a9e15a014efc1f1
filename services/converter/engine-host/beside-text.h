#ifndef ENGINE_HOST_BESIDE_TEXT_H
#define ENGINE_HOST_BESIDE_TEXT_H

#include <vector>

#include <com/sun/star/frame/XModel.hpp>

namespace writer {

/* How many rows each page repeats of each table. */
std::vector<sal_Int32> repeated_rows_of(const com::sun::star::uno::Reference<com::sun::star::frame::XModel> &model);

/*
 * Whether the body has shapes, pictures or tables around which text runs. Such a one keeps the position that it had with
 * earlier texts, also in a new layout.
 */
bool has_moving_shapes(const com::sun::star::uno::Reference<com::sun::star::frame::XModel> &model);

/* Whether headers or footers have pictures around which text runs, and no text frames, such as those of page numbers. */
bool has_text_around_pictures_in_headers(const com::sun::star::uno::Reference<com::sun::star::frame::XModel> &model);

/*
 * Whether the document has nothing beside its text and tables: no floating tables, text frames and pictures, around which text
 * runs. It has no sections, which may have columns, and no notes, which take room from the text.
 */
bool has_plain_layout(const com::sun::star::uno::Reference<com::sun::star::frame::XModel> &model);

} // namespace writer

#endif
