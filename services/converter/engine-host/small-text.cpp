/* The distances of letters on slides. */
#include "writer.h"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/drawing/XDrawPages.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/table/XCellRange.hpp>
#include <com/sun/star/table/XTable.hpp>

using namespace com::sun::star;
using uno::Any;
using uno::Reference;
using writer::current;
using writer::text_of;

namespace {

/* What presentations have by default (`kern`, ECMA-376-1 21.1.2.3.9): PowerPoint kerns no letters below. */
constexpr float KERNED_POINTS_MIN = 12;

void unkern_text(const Reference<container::XEnumerationAccess> &text)
{
    auto paragraphs = text->createEnumeration();
    while (paragraphs->hasMoreElements()) {
        Reference<container::XEnumerationAccess> paragraph(paragraphs->nextElement(), uno::UNO_QUERY);
        auto portions = paragraph.is() ? paragraph->createEnumeration() : nullptr;
        while (portions.is() && portions->hasMoreElements()) {
            Reference<beans::XPropertySet> portion(portions->nextElement(), uno::UNO_QUERY_THROW);
            float points = KERNED_POINTS_MIN;
            portion->getPropertyValue(text_of("CharHeight")) >>= points;
            if (points < KERNED_POINTS_MIN)
                portion->setPropertyValue(text_of("CharAutoKerning"), Any(false));
        }
    }
}

void unkern_table(const Reference<table::XTable> &table)
{
    Reference<table::XCellRange> cells(table, uno::UNO_QUERY_THROW);
    for (sal_Int32 row = 0; row < table->getRowCount(); row++)
        for (sal_Int32 column = 0; column < table->getColumnCount(); column++)
            unkern_text(Reference<container::XEnumerationAccess>(cells->getCellByPosition(column, row), uno::UNO_QUERY_THROW));
}

void unkern_shapes(const Reference<container::XIndexAccess> &shapes)
{
    for (sal_Int32 i = 0; i < shapes->getCount(); i++) {
        Any shape = shapes->getByIndex(i);
        Reference<container::XIndexAccess> group(shape, uno::UNO_QUERY);
        Reference<container::XEnumerationAccess> text(shape, uno::UNO_QUERY);
        Reference<beans::XPropertySet> properties(shape, uno::UNO_QUERY_THROW);
        Reference<table::XTable> table;
        if (properties->getPropertySetInfo()->hasPropertyByName(text_of("Model")))
            properties->getPropertyValue(text_of("Model")) >>= table;
        if (group.is())
            unkern_shapes(group);
        else if (table.is())
            unkern_table(table);
        else if (text.is())
            unkern_text(text);
    }
}

} // namespace

void writer::unkern_small_text()
{
    Reference<drawing::XDrawPagesSupplier> supplier(current->model, uno::UNO_QUERY_THROW);
    auto slides = supplier->getDrawPages();
    current->model->lockControllers();
    for (sal_Int32 i = 0; i < slides->getCount(); i++)
        unkern_shapes(Reference<container::XIndexAccess>(slides->getByIndex(i), uno::UNO_QUERY_THROW));
    current->model->unlockControllers();
}
