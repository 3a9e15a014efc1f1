/*
 * Loads documents by UNO into a frame that has no user interface. Toolbars, status bar and sidebar take half of the time in which
 * LibreOfficeKit loads a page.
 *
 * This is a library of its own, because it needs LibreOffice's C++ headers to build, and LibreOffice's libraries to load.
 */
#include "beside-text.h"
#include "writer.h"

#include <algorithm>
#include <map>
#include <string>

#include <com/sun/star/awt/WindowClass.hpp>
#include <com/sun/star/awt/XFontMappingUse.hpp>
#include <com/sun/star/awt/XToolkit.hpp>
#include <com/sun/star/awt/XWindow.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/document/MacroExecMode.hpp>
#include <com/sun/star/document/UpdateDocMode.hpp>
#include <com/sun/star/document/XTypeDetection.hpp>
#include <com/sun/star/frame/XController2.hpp>
#include <com/sun/star/frame/XDispatchHelper.hpp>
#include <com/sun/star/frame/XDispatchProvider.hpp>
#include <com/sun/star/frame/XLoadable.hpp>
#include <com/sun/star/frame/XModel2.hpp>
#include <com/sun/star/frame/XStorable.hpp>
#include <com/sun/star/lang/XMultiComponentFactory.hpp>
#include <com/sun/star/lang/XMultiServiceFactory.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>
#include <com/sun/star/util/XCloseable.hpp>
#include <com/sun/star/view/XRenderable.hpp>

using namespace com::sun::star;
using rtl::OUString;
using uno::Any;
using uno::Reference;
using writer::Document;
using writer::current;
using writer::text_of;
using writer::write_text;

Document *writer::current;

namespace {

typedef const Reference<uno::XComponentContext> &context_function();

/* comphelper::getProcessComponentContext(), which is not public. ../libreoffice.mjs lists what depends on the version. */
constexpr char CONTEXT_SYMBOL[] = "_ZN10comphelper26getProcessComponentContextEv";

/*
 * comphelper::LibreOfficeKit::setActive(bool). While LibreOfficeKit is active, Writer takes the whole document as visible, and
 * lays it out at once.
 */
constexpr char KIT_SYMBOL[] = "_ZN10comphelper14LibreOfficeKit9setActiveEb";

constexpr char TEXT_DOCUMENT[] = "com.sun.star.text.TextDocument";
constexpr const char *DOCUMENTS[] = {TEXT_DOCUMENT, "com.sun.star.sheet.SpreadsheetDocument",
                                     "com.sun.star.presentation.PresentationDocument"};

context_function *context;

/* NULL if this LibreOffice has none: a view then lays out all pages. */
void (*set_kit_active)(bool is_active);

/* NULL to detect it. */
const char *named_filter;

/* Address of the document in pieces. */
Reference<awt::XFontMappingUse> tracked_fonts;
std::string url_in_pieces;

beans::PropertyValue property(const char *name, const Any &value)
{
    return beans::PropertyValue(text_of(name), 0, value, beans::PropertyState_DIRECT_VALUE);
}

uno::Sequence<beans::PropertyValue> properties_of(std::initializer_list<beans::PropertyValue> list)
{
    return uno::Sequence<beans::PropertyValue>(list.begin(), static_cast<sal_Int32>(list.size()));
}

template <class Interface> Reference<Interface> create(const char *service)
{
    return Reference<Interface>(context()->getServiceManager()->createInstanceWithContext(text_of(service), context()),
                                uno::UNO_QUERY_THROW);
}

uno::Sequence<beans::PropertyValue> load_properties(const char *url, const OUString &filter)
{
    return properties_of({
        property("URL", Any(text_of(url))),
        property("FilterName", Any(filter)),
        property("Hidden", Any(true)),
        property("Silent", Any(true)),
        property("MacroExecutionMode", Any(document::MacroExecMode::NEVER_EXECUTE)),
        property("UpdateDocMode", Any(document::UpdateDocMode::NO_UPDATE)),
    });
}

Any value_of(const uno::Sequence<beans::PropertyValue> &properties, const char *name)
{
    auto found = std::find_if(properties.begin(), properties.end(),
                              [&](const beans::PropertyValue &value) { return value.Name == text_of(name); });
    return found == properties.end() ? Any() : found->Value;
}

uno::Sequence<beans::PropertyValue> registered(const Reference<uno::XInterface> &registry, const OUString &name)
{
    uno::Sequence<beans::PropertyValue> properties;
    Reference<container::XNameAccess>(registry, uno::UNO_QUERY_THROW)->getByName(name) >>= properties;
    return properties;
}

struct Import {
    OUString filter, service;
};

/*
 * The filter that reads a document, by its content: some filters read any bytes as a document of their format. The
 * profile of this process has removed the types of all other formats. Empty if no filter for documents with pages
 * reads it.
 */
Import detect_filter(const char *url)
{
    OUString filter, service;
    auto types = create<document::XTypeDetection>("com.sun.star.document.TypeDetection");
    auto descriptor = properties_of({property("URL", Any(text_of(url)))});
    OUString type = types->queryTypeByDescriptor(descriptor, true);
    if (type.isEmpty())
        return {};
    value_of(registered(types, type), "PreferredFilter") >>= filter;
    auto filters = create<container::XNameAccess>("com.sun.star.document.FilterFactory");
    value_of(registered(filters, filter), "DocumentService") >>= service;
    bool has_pages = std::any_of(std::begin(DOCUMENTS), std::end(DOCUMENTS),
                                 [&](const char *name) { return service == text_of(name); });
    return has_pages ? Import{filter, service} : Import{};
}

/*
 * In headers and footers, text runs around pictures only with the rules of OpenOffice.org 1, which move text frames. Word's text
 * does so everywhere. An OpenDocument has its own setting.
 */
void wrap_in_headers(const Reference<frame::XModel> &model, const Import &import)
{
    bool is_of_word = import.filter.startsWith("MS Word") || import.filter == "Rich Text Format";
    if (!is_of_word || !writer::has_text_around_pictures_in_headers(model))
        return;
    Reference<lang::XMultiServiceFactory> factory(model, uno::UNO_QUERY_THROW);
    Reference<beans::XPropertySet> settings(factory->createInstance(text_of("com.sun.star.document.Settings")),
                                            uno::UNO_QUERY_THROW);
    settings->setPropertyValue(text_of("UseFormerTextWrapping"), Any(true));
}

Reference<frame::XFrame> frame_without_interface(const Reference<awt::XToolkit> &toolkit)
{
    awt::WindowDescriptor descriptor;
    descriptor.Type = awt::WindowClass_TOP;
    descriptor.WindowServiceName = text_of("window");
    descriptor.ParentIndex = -1;
    descriptor.Bounds = awt::Rectangle(0, 0, 800, 600);
    Reference<awt::XWindow> window(toolkit->createWindow(descriptor), uno::UNO_QUERY_THROW);
    auto frame = create<frame::XFrame>("com.sun.star.frame.Frame");
    frame->initialize(window);
    Reference<beans::XPropertySet> properties(frame, uno::UNO_QUERY_THROW);
    properties->setPropertyValue(text_of("LayoutManager"), Any(Reference<uno::XInterface>()));
    return frame;
}

/* Documents have pages only in a view. */
Document open_view(const Reference<frame::XModel> &model, const Reference<awt::XToolkit> &toolkit)
{
    auto frame = frame_without_interface(toolkit);
    Reference<frame::XModel2> views(model, uno::UNO_QUERY_THROW);
    Reference<frame::XController> controller(views->createDefaultViewController(frame), uno::UNO_QUERY_THROW);
    Reference<frame::XController2> windowed(controller, uno::UNO_QUERY_THROW);
    controller->attachModel(model);
    model->connectController(controller);
    frame->setComponent(windowed->getComponentWindow(), controller);
    controller->attachFrame(frame);
    model->setCurrentController(controller);
    return {model, controller, frame};
}

/* Whether the font that was used, `Family` or `Family/Style`, is the one asked for. */
bool is_same_font(const OUString &asked, const OUString &used)
{
    return used == asked || used.startsWith(asked + "/");
}

/* The family of the font that was used first, `Family` or `Family/Style`. */
OUString first_family(const uno::Sequence<OUString> &used)
{
    if (!used.hasElements())
        return OUString();
    sal_Int32 style = used[0].indexOf('/');
    return style < 0 ? used[0] : used[0].copy(0, style);
}

/*
 * Writes the same JSON as LibreOfficeKit's event about missing fonts, but also fonts that others of the same widths replace. After
 * a tab, each name has the font that was used, or nothing if it is that of the name before.
 */
void report_fonts(const uno::Sequence<awt::XFontMappingUseItem> &uses, struct conversion_report *report)
{
    std::map<OUString, OUString> missing;
    for (const auto &use : uses) {
        bool has_style = use.originalFont.indexOf('/') >= 0;
        bool is_there = !has_style && std::any_of(use.usedFonts.begin(), use.usedFonts.end(), [&](const OUString &used) {
            return is_same_font(use.originalFont, used);
        });
        if (!is_there)
            missing.emplace(use.originalFont, first_family(use.usedFonts));
    }
    OUString names, last;
    for (const auto &[asked, used] : missing) {
        names += (names.isEmpty() ? OUString("\"") : OUString(", \"")) + asked.replace('"', '\'') + "\t" +
                 (used == last ? OUString() : used.replace('"', '\'')) + "\"";
        last = used;
    }
    if (!missing.empty())
        write_text(report->text, "{ \"fontsmissing\": [ " + names + " ] }");
}

} // namespace

bool writer::load(const char *url, bool in_pieces, struct conversion_report *report)
{
    try {
        /* Only the filter of a text document is ever named (formats.ts). */
        Import import = named_filter ? Import{text_of(named_filter), text_of(TEXT_DOCUMENT)} : detect_filter(url);
        if (import.filter.isEmpty()) {
            snprintf(report->text, sizeof report->text, "not a document of this format");
            return false;
        }
        auto toolkit = create<awt::XToolkit>("com.sun.star.awt.Toolkit");
        Reference<awt::XFontMappingUse> fonts(toolkit, uno::UNO_QUERY_THROW);
        fonts->startTrackingFontMappingUse();
        auto loadable = create<frame::XLoadable>(
            rtl::OUStringToOString(import.service, RTL_TEXTENCODING_UTF8).getStr());
        loadable->load(load_properties(url, import.filter));
        Reference<frame::XModel> model(loadable, uno::UNO_QUERY_THROW);
        wrap_in_headers(model, import);
        if (in_pieces) {
            /* Its view, and with it the layout, comes later. */
            current = new Document{model, {}, {}};
            url_in_pieces = url;
            tracked_fonts = fonts;
            return true;
        }
        current = new Document(open_view(model, toolkit));
        report_fonts(fonts->finishTrackingFontMappingUse(), report);
        return true;
    } catch (const uno::Exception &failure) {
        write_text(report->text, failure.Message);
        return false;
    }
}

void writer::report_tracked_fonts(struct conversion_report *report)
{
    report_fonts(tracked_fonts->finishTrackingFontMappingUse(), report);
}

void writer::close_view()
{
    Reference<util::XCloseable> frame(current->frame, uno::UNO_QUERY_THROW);
    current->controller.clear();
    current->frame.clear();
    frame->close(true);
}

void writer::reopen_view()
{
    *current = open_view(current->model, create<awt::XToolkit>("com.sun.star.awt.Toolkit"));
}

bool writer::load_again(struct conversion_report *report)
{
    /* A copy, because loading sets it. */
    std::string url = url_in_pieces;
    return load(url.c_str(), true, report);
}

void writer::open_partial_view()
{
    if (set_kit_active)
        set_kit_active(false);
    reopen_view();
}

void writer::close_partial_view()
{
    close_view();
    if (set_kit_active)
        set_kit_active(true);
}

namespace {

void run(const char *const *commands)
{
    Reference<frame::XDispatchProvider> provider(current->frame, uno::UNO_QUERY_THROW);
    auto helper = create<frame::XDispatchHelper>("com.sun.star.frame.DispatchHelper");
    for (; *commands; commands++)
        helper->executeDispatch(provider, text_of(*commands), OUString(), 0, {});
}

/* Formats with document statistics store them, and this property counts anew. */
void count_words()
{
    Reference<beans::XPropertySet> properties(current->model, uno::UNO_QUERY_THROW);
    properties->getPropertyValue(text_of("WordCount"));
}

bool shows_slides_of_powerpoint(const char *format)
{
    OUString filter;
    value_of(current->model->getArgs(), "FilterName") >>= filter;
    return (strcmp(format, "pdf") == 0 || strcmp(format, "png") == 0) && filter == text_of("Impress MS PowerPoint 2007 XML");
}

bool save(const struct conversion *conversion, struct conversion_report *report)
{
    try {
        /* ODT, whose suffix stands for a filter that cannot read (formats.ts), and DOCX. */
        if (strcmp(conversion->format, "epub") == 0 || strcmp(conversion->format, "docx") == 0)
            count_words();
        if (shows_slides_of_powerpoint(conversion->format))
            writer::unkern_small_text();
        Reference<frame::XStorable> storable(current->model, uno::UNO_QUERY_THROW);
        storable->storeToURL(text_of(conversion->to_url),
                             properties_of({
                                 property("FilterName", Any(text_of(conversion->export_filter))),
                                 property("FilterOptions", Any(writer::options_for_slides(text_of(conversion->options ? conversion->options : "")))),
                                 property("Overwrite", Any(true)),
                             }));
        return true;
    } catch (const uno::Exception &failure) {
        write_text(report->text, failure.Message);
        return false;
    }
}

} // namespace

namespace {

bool is_text()
{
    Reference<lang::XServiceInfo> info(current->model, uno::UNO_QUERY_THROW);
    return info->supportsService(text_of(TEXT_DOCUMENT));
}

} // namespace

/* Sheets have pages only for a printer. */
int writer::count_pages()
{
    sal_Int32 pages = 0;
    if (is_presentation())
        return count_slides();
    if (!is_text()) {
        Reference<view::XRenderable> renderable(current->model, uno::UNO_QUERY_THROW);
        return renderable->getRendererCount(Any(current->model), properties_of({property("IsPrinter", Any(true))}));
    }
    Reference<beans::XPropertySet> view(current->controller, uno::UNO_QUERY_THROW);
    view->getPropertyValue(text_of("PageCount")) >>= pages;
    return pages;
}

extern "C" const struct loader *writer_loader(void *(*find)(const char *symbol), const char *import_filter)
{
    static const struct loader loader = {"writer", writer::load, run, save, writer::count_pages, writer::open_form, writer::fill, writer::join_pieces};
    named_filter = import_filter;
    context = reinterpret_cast<context_function *>(find(CONTEXT_SYMBOL));
    set_kit_active = reinterpret_cast<void (*)(bool)>(find(KIT_SYMBOL));
    try {
        if (!context || !context().is())
            return nullptr;
        Reference<awt::XFontMappingUse>(create<awt::XToolkit>("com.sun.star.awt.Toolkit"), uno::UNO_QUERY_THROW);
        return &loader;
    } catch (const uno::Exception &) {
        return nullptr;
    }
}
