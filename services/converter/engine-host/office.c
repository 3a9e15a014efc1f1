#include "office.h"

#define LOK_USE_UNSTABLE_API
#include <LibreOfficeKit/LibreOfficeKit.h>
#include <LibreOfficeKit/LibreOfficeKitInit.h>

#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * LibreOfficeKit sets the macro security level itself on each load, to 1 by default, whatever the profile says. Batch
 * turns a dialog, which would wait forever, into a failure.
 */
static const char LOAD_OPTIONS[] = "Batch=true,MacroSecurityLevel=3";

/* LOK_DOCTYPE_TEXT and LOK_CALLBACK_FONTS_MISSING of LibreOfficeKitEnums.h, which is C++ only. */
enum { DOCUMENT_TYPE_TEXT = 0, EVENT_FONTS_MISSING = 57 };

enum { JOIN_ATTEMPTS_MAX = 200, JOIN_PAUSE_MS = 5 };

static LibreOfficeKit *office;
static char version[128];

/* An rtl::OUString that a C++ function returns through memory of the caller, which C does only for a large struct. */
struct returned_string {
    void *string, *unused[3];
};

/* LibreOffice functions that LibreOfficeKit does not wrap. ../libreoffice.mjs lists what depends on the version. */
static void (*string_from_ascii)(void **target, const char *ascii);
static void (*bootstrap_set)(void *name, void *value);
static struct returned_string (*set_temp_base)(void *const *url);

static void *open_loaded(const char *program_dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", program_dir, name);
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    return library ? library : dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
}

/* comphelper::LibreOfficeKit::setActive of LibreOffice's C++ libraries; NULL if they lack it. */
static void (*set_kit_active)(bool is_active);

static void find_bootstrap_functions(const char *program_dir)
{
    void *sal = open_loaded(program_dir, "libuno_sal.so.3");
    if (!sal)
        errx(1, "libuno_sal.so.3 is not loaded: %s", dlerror());
    string_from_ascii = (void (*)(void **, const char *))dlsym(sal, "rtl_uString_newFromAscii");
    bootstrap_set = (void (*)(void *, void *))dlsym(sal, "rtl_bootstrap_set");
    if (!string_from_ascii || !bootstrap_set)
        errx(1, "libuno_sal.so.3 lacks rtl_bootstrap_set");
}

/* utl::SetTempNameBaseDirectory(rtl::OUString const &); in older releases a static member of utl::TempFile. */
static void find_temp_base(const char *program_dir)
{
    void *unotools = open_loaded(program_dir, "libmergedlo.so");
    if (!unotools)
        unotools = open_loaded(program_dir, "libutllo.so");
    if (!unotools)
        errx(1, "neither libmergedlo.so nor libutllo.so is loaded: %s", dlerror());
    void *found = dlsym(unotools, "_ZN3utl24SetTempNameBaseDirectoryERKN3rtl8OUStringE");
    if (!found)
        found = dlsym(unotools, "_ZN3utl8TempFile24SetTempNameBaseDirectoryERKN3rtl8OUStringE");
    if (!found)
        errx(1, "LibreOffice in %s lacks SetTempNameBaseDirectory", program_dir);
    set_temp_base = (struct returned_string (*)(void *const *))found;
}

/* Copies the value of one string member of a flat JSON object without its spaces. */
static void append_json_string(const char *json, const char *member)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", member);
    const char *at = strstr(json, key);
    at = at ? strchr(at + strlen(key), '"') : NULL;
    size_t length = strlen(version);
    for (at = at ? at + 1 : ""; *at && *at != '"' && length + 1 < sizeof version; at++)
        if (*at > ' ')
            version[length++] = *at;
    version[length] = '\0';
}

static void find_kit_switch(const char *program_dir)
{
    void *library = open_loaded(program_dir, "libmergedlo.so");
    if (!library)
        library = open_loaded(program_dir, "libcomphelper.so");
    if (library)
        set_kit_active = (void (*)(bool))dlsym(library, "_ZN10comphelper14LibreOfficeKit9setActiveEb");
}

void office_start(const char *program_dir, const char *profile_url)
{
    office = lok_init_2(program_dir, profile_url);
    if (!office)
        errx(1, "LibreOffice in %s did not start", program_dir);
    if (!LIBREOFFICEKIT_HAS(office, setForkedChild) || !office->pClass->joinThreads || !office->pClass->setForkedChild)
        errx(1, "LibreOffice in %s cannot be forked: it lacks joinThreads or setForkedChild", program_dir);
    find_bootstrap_functions(program_dir);
    find_temp_base(program_dir);
    find_kit_switch(program_dir);
    char *info = office->pClass->getVersionInfo(office);
    append_json_string(info, "ProductName");
    append_json_string(info, "ProductVersion");
    append_json_string(info, "ProductExtension");
    free(info);
}

const char *office_version(void)
{
    return version;
}

static int on_poll(void *serve, int timeout_us)
{
    (void)timeout_us;
    ((void (*)(void))serve)();
    return 0;
}

static void on_wake(void *data)
{
    (void)data;
}

void office_run(void (*serve)(void))
{
    office->pClass->runLoop(office, on_poll, on_wake, (void *)serve);
}

static int count_threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        err(1, "/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks));)
        count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

int office_join_threads(void)
{
    for (int attempt = 0; attempt < JOIN_ATTEMPTS_MAX; attempt++) {
        office->pClass->joinThreads(office);
        if (count_threads() == 1)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = JOIN_PAUSE_MS * 1000000L}, NULL);
    }
    return -1;
}

static void *make_string(const char *ascii)
{
    void *string = NULL;
    string_from_ascii(&string, ascii);
    return string;
}

void office_become_child(const char *job_url)
{
    char user_installation_url[4200];
    void *base = make_string(job_url);
    snprintf(user_installation_url, sizeof user_installation_url, "%s/profile", job_url);
    bootstrap_set(make_string("UserInstallation"), make_string(user_installation_url));
    /* The host's temporary folder is already set: parts of a document would be written and left there. */
    set_temp_base(&base);
    office->pClass->setForkedChild(office, true);
}

static void read_error(struct conversion_report *report)
{
    char *reason = office->pClass->getError(office);
    snprintf(report->text, sizeof report->text, "%s", reason ? reason : "");
    office->pClass->freeError(reason);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void on_event(int type, const char *payload, void *report)
{
    if (type == EVENT_FONTS_MISSING)
        snprintf(((struct conversion_report *)report)->text, REPORT_TEXT_BYTES_MAX, "%s", payload);
}

/* LibreOffice reports the fonts that it replaced while loading only to the first caller. */
static void read_missing_fonts(LibreOfficeKitDocument *document, struct conversion_report *report)
{
    document->pClass->registerCallback(document, on_event, report);
    document->pClass->registerCallback(document, NULL, NULL);
}

static void update(LibreOfficeKitDocument *document, enum update update)
{
    if (update == UPDATE_NONE)
        return;
    /*
     * Commands go to the active frame. LibreOfficeKit activates a document's frame when its view becomes the current
     * one, and does nothing if it already is. Hence the detour over a second view.
     */
    int view = document->pClass->getView(document);
    document->pClass->createView(document);
    document->pClass->setView(document, view);
    /* With notification, the command runs before the call returns. */
    if (update == UPDATE_ALL)
        document->pClass->postUnoCommand(document, ".uno:UpdateFields", NULL, true);
    /* An index that grows moves the content it lists: only the second update gets the page numbers right. */
    document->pClass->postUnoCommand(document, ".uno:UpdateAllIndexes", NULL, true);
    document->pClass->postUnoCommand(document, ".uno:UpdateAllIndexes", NULL, true);
}

/*
 * LibreOfficeKit lays comments out for an editor that draws them itself, so their text is cut off on paper. This
 * process only runs this export, so it can switch that mode off.
 */
static bool lay_comments_out(void)
{
    if (set_kit_active)
        set_kit_active(false);
    return set_kit_active != NULL;
}

enum outcome office_convert(const struct conversion *conversion, struct conversion_report *report)
{
    *report = (struct conversion_report){.pages = 0};
    double started_ms = now_ms();
    LibreOfficeKitDocument *document =
        office->pClass->documentLoadWithOptions(office, conversion->from_url, LOAD_OPTIONS);
    if (!document) {
        read_error(report);
        return OUTCOME_UNREADABLE;
    }
    /*
     * LibreOfficeKit has no option that forces the import filter: it detects the type from the content. A file that is
     * detected as anything but a text document is refused here.
     */
    if (document->pClass->getDocumentType(document) != DOCUMENT_TYPE_TEXT) {
        snprintf(report->text, sizeof report->text, "not a text document");
        return OUTCOME_UNREADABLE;
    }
    read_missing_fonts(document, report);
    double loaded_ms = now_ms();
    update(document, conversion->update);
    double updated_ms = now_ms();
    if (conversion->comments_in_margin && !lay_comments_out()) {
        snprintf(report->text, sizeof report->text, "this LibreOffice does not lay comments out");
        return OUTCOME_FAILED;
    }
    int saved = document->pClass->saveAs(document, conversion->to_url, conversion->format, conversion->options);
    report->load_ms = loaded_ms - started_ms;
    report->update_ms = updated_ms - loaded_ms;
    report->export_ms = now_ms() - updated_ms;
    report->pages = document->pClass->getParts(document);
    if (!saved) {
        read_error(report);
        return OUTCOME_FAILED;
    }
    /* The document stays open: the process ends with its job, and the kernel reclaims everything at once. */
    return OUTCOME_OK;
}
