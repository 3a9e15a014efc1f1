/* What a document has beside its running text. */
#include "beside-text.h"
#include "writer.h"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/drawing/XDrawPageSupplier.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/text/TextContentAnchorType.hpp>
#include <com/sun/star/text/WrapTextMode.hpp>
#include <com/sun/star/text/XTextContent.hpp>
#include <com/sun/star/text/XEndnotesSupplier.hpp>
#include <com/sun/star/text/XFootnotesSupplier.hpp>
#include <com/sun/star/text/XTextFrame.hpp>
#include <com/sun/star/text/XTextSectionsSupplier.hpp>
#include <com/sun/star/text/XTextTablesSupplier.hpp>

using namespace com::sun::star;
using uno::Reference;
using writer::text_of;

namespace {

bool is_in_line(const Reference<beans::XPropertySet> &shape)
{
    text::TextContentAnchorType anchor;
    return (shape->getPropertyValue(text_of("AnchorType")) >>= anchor) && anchor == text::TextContentAnchorType_AS_CHARACTER;
}

/* A header or a footer keeps its place when the text of the body moves. Not every shape has an anchor in a text. */
bool is_in_page_style(const Reference<text::XTextContent> &shape)
{
    auto anchor = shape->getAnchor();
    Reference<lang::XServiceInfo> text(anchor.is() ? anchor->getText() : nullptr, uno::UNO_QUERY);
    return text.is() && text->getImplementationName() == text_of("SwXHeadFootText");
}

bool is_empty(const Reference<container::XIndexAccess> &list)
{
    return list->getCount() == 0;
}

/* Writer has no other interface to its shapes than the deprecated one. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
Reference<container::XIndexAccess> shapes_of(const Reference<frame::XModel> &model)
{
    Reference<drawing::XDrawPageSupplier> drawn(model, uno::UNO_QUERY_THROW);
    return Reference<container::XIndexAccess>(drawn->getDrawPage(), uno::UNO_QUERY_THROW);
}
#pragma GCC diagnostic pop

} // namespace

std::vector<sal_Int32> writer::repeated_rows_of(const Reference<frame::XModel> &model)
{
    std::vector<sal_Int32> repeated;
    Reference<text::XTextTablesSupplier> supplier(model, uno::UNO_QUERY_THROW);
    Reference<container::XIndexAccess> tables(supplier->getTextTables(), uno::UNO_QUERY_THROW);
    for (sal_Int32 i = 0; i < tables->getCount(); i++) {
        Reference<beans::XPropertySet> table(tables->getByIndex(i), uno::UNO_QUERY_THROW);
        sal_Int32 rows = 0;
        table->getPropertyValue(text_of("HeaderRowCount")) >>= rows;
        repeated.push_back(rows);
    }
    return repeated;
}

bool writer::has_moving_shapes(const Reference<frame::XModel> &model)
{
    auto shapes = shapes_of(model);
    for (sal_Int32 i = 0; i < shapes->getCount(); i++) {
        Reference<beans::XPropertySet> shape(shapes->getByIndex(i), uno::UNO_QUERY_THROW);
        if (!is_in_line(shape) && !is_in_page_style(Reference<text::XTextContent>(shape, uno::UNO_QUERY_THROW)))
            return true;
    }
    return false;
}

bool writer::has_text_around_pictures_in_headers(const Reference<frame::XModel> &model)
{
    auto shapes = shapes_of(model);
    bool has_picture = false;
    for (sal_Int32 i = 0; i < shapes->getCount(); i++) {
        Reference<beans::XPropertySet> shape(shapes->getByIndex(i), uno::UNO_QUERY_THROW);
        if (is_in_line(shape) || !is_in_page_style(Reference<text::XTextContent>(shape, uno::UNO_QUERY_THROW)))
            continue;
        if (Reference<text::XTextFrame>(shape, uno::UNO_QUERY).is())
            return false;
        text::WrapTextMode wrap;
        has_picture |= (shape->getPropertyValue(text_of("TextWrap")) >>= wrap) && wrap != text::WrapTextMode_THROUGH;
    }
    return has_picture;
}

bool writer::has_plain_layout(const Reference<frame::XModel> &model)
{
    auto shapes = shapes_of(model);
    for (sal_Int32 i = 0; i < shapes->getCount(); i++)
        if (!is_in_line(Reference<beans::XPropertySet>(shapes->getByIndex(i), uno::UNO_QUERY_THROW)))
            return false;
    return !Reference<text::XTextSectionsSupplier>(model, uno::UNO_QUERY_THROW)->getTextSections()->hasElements() &&
           is_empty(Reference<text::XFootnotesSupplier>(model, uno::UNO_QUERY_THROW)->getFootnotes()) &&
           is_empty(Reference<text::XEndnotesSupplier>(model, uno::UNO_QUERY_THROW)->getEndnotes());
}
