/* Pages of presentations. LibreOffice does not export hidden slides, but counts them in a range of pages. */
#include "writer.h"

#include <algorithm>
#include <vector>

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/drawing/XDrawPage.hpp>
#include <com/sun/star/drawing/XDrawPages.hpp>
#include <com/sun/star/drawing/XDrawPagesSupplier.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>

using namespace com::sun::star;
using rtl::OUString;
using uno::Reference;
using writer::current;
using writer::text_of;

namespace {

/* How formats.ts begins the range in the options of the PDF export. */
constexpr char RANGE[] = "\"PageRange\":{\"type\":\"string\",\"value\":\"";

/* The numbers of the slides that are shown, from 1 on. */
std::vector<sal_Int32> shown_slides()
{
    std::vector<sal_Int32> numbers;
    Reference<drawing::XDrawPagesSupplier> supplier(current->model, uno::UNO_QUERY_THROW);
    auto slides = supplier->getDrawPages();
    for (sal_Int32 i = 0; i < slides->getCount(); i++) {
        bool is_visible = true;
        Reference<beans::XPropertySet>(slides->getByIndex(i), uno::UNO_QUERY_THROW)->getPropertyValue(text_of("Visible")) >>= is_visible;
        if (is_visible)
            numbers.push_back(i + 1);
    }
    return numbers;
}

/* The slides of a range of pages: `1-3,5`, or `7-` up to the last one. */
OUString slides_of(const OUString &range, const std::vector<sal_Int32> &shown)
{
    OUString slides;
    sal_Int32 at = 0, last = static_cast<sal_Int32>(shown.size());
    while (at >= 0) {
        OUString part = range.getToken(0, ',', at);
        sal_Int32 dash = part.indexOf('-'), from = part.toInt32(), to = from;
        if (dash >= 0)
            to = dash + 1 < part.getLength() ? std::min(part.copy(dash + 1).toInt32(), last) : last;
        for (sal_Int32 page = std::max<sal_Int32>(from, 1); page <= std::min(to, last); page++)
            slides += (slides.isEmpty() ? OUString() : OUString(",")) + OUString::number(shown[static_cast<size_t>(page - 1)]);
    }
    return slides;
}

} // namespace

bool writer::is_presentation()
{
    Reference<lang::XServiceInfo> info(current->model, uno::UNO_QUERY_THROW);
    return info->supportsService(text_of("com.sun.star.presentation.PresentationDocument"));
}

int writer::count_slides()
{
    return static_cast<int>(shown_slides().size());
}

OUString writer::options_for_slides(const OUString &options)
{
    sal_Int32 start = options.indexOf(text_of(RANGE));
    if (start < 0 || !is_presentation())
        return options;
    start += sizeof RANGE - 1;
    sal_Int32 end = options.indexOf('"', start);
    OUString slides = slides_of(options.copy(start, end - start), shown_slides());
    return slides.isEmpty() ? options : options.copy(0, start) + slides + options.copy(end);
}
