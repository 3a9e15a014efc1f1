#include "office.h"

#include "kit-loader.h"
#include "loader.h"

#include <LibreOfficeKit/LibreOfficeKitInit.h>

#include <dirent.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JOIN_ATTEMPTS_MAX = 200, JOIN_PAUSE_MS = 5, NESTED_POLL_US = 500 };

static LibreOfficeKit *office;
static const struct loader *loader;
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

/* std::set_new_handler. */
static void (*(*set_new_handler)(void (*)(void)))(void);

static void find_new_handler(const char *program_dir)
{
    void *library = open_loaded(program_dir, "libstdc++.so.6");
    if (library)
        set_new_handler = (void (*(*)(void (*)(void)))(void))dlsym(library, "_ZSt15set_new_handlerPFvvE");
}

/* LibreOffice would call the document damaged. The signal is that of the watch for a limit. */
static void end_without_memory(void)
{
    raise(SIGXFSZ);
    _exit(1);
}

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

static void *merged;

static void *find_symbol(const char *symbol)
{
    return dlsym(merged, symbol);
}

/* The loader of writer.so beside this program; NULL if it was not built, or if LibreOffice lacks what it uses. */
static const struct loader *open_writer(const char *program_dir, const char *import_filter)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "writer.so");
    merged = open_loaded(program_dir, "libmergedlo.so");
    if (length < 0 || !merged)
        return NULL;
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, "writer.so");
    void *library = dlopen(path, RTLD_NOW);
    writer_loader_function *find_loader = library ? (writer_loader_function *)dlsym(library, "writer_loader") : NULL;
    return find_loader ? find_loader(find_symbol, import_filter) : NULL;
}

void office_start(const char *program_dir, const char *profile_url, const char *import_filter)
{
    office = lok_init_2(program_dir, profile_url);
    if (!office)
        errx(1, "LibreOffice in %s did not start", program_dir);
    if (!LIBREOFFICEKIT_HAS(office, setForkedChild) || !office->pClass->joinThreads || !office->pClass->setForkedChild)
        errx(1, "LibreOffice in %s cannot be forked: it lacks joinThreads or setForkedChild", program_dir);
    find_bootstrap_functions(program_dir);
    find_temp_base(program_dir);
    find_new_handler(program_dir);
    find_kit_switch(program_dir);
    char *info = office->pClass->getVersionInfo(office);
    append_json_string(info, "ProductName");
    append_json_string(info, "ProductVersion");
    append_json_string(info, "ProductExtension");
    free(info);
    loader = open_writer(program_dir, import_filter);
    if (!loader)
        loader = kit_loader(office);
}

const char *office_version(void)
{
    return version;
}

const char *office_loader(void)
{
    return loader->name;
}

/*
 * Some import filters, as that of XLSX, run LibreOffice's main loop while threads of theirs read sheets. This call then
 * comes from within a document, and only gives those threads the time to go on.
 */
static int on_poll(void *serve, int timeout_us)
{
    static bool is_serving;
    (void)timeout_us;
    if (is_serving) {
        nanosleep(&(struct timespec){.tv_nsec = NESTED_POLL_US * 1000L}, NULL);
        return 0;
    }
    is_serving = true;
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
    if (set_new_handler)
        set_new_handler(end_without_memory);
    office->pClass->setForkedChild(office, true);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
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

/* An index that grows moves the content it lists: only the second update gets the page numbers right. */
static const char *const UPDATE_COMMANDS[] = {".uno:UpdateFields", ".uno:UpdateAllIndexes", ".uno:UpdateAllIndexes", NULL};

/* The document stays open: the process ends with its jobs, and the kernel reclaims everything at once. */
static enum outcome save(const struct conversion *conversion, struct conversion_report *report)
{
    double started_ms = now_ms();
    bool is_saved = loader->save(conversion, report);
    report->export_ms = now_ms() - started_ms;
    report->pages = loader->count_pages();
    return is_saved ? OUTCOME_OK : OUTCOME_FAILED;
}

enum outcome office_convert(const struct conversion *conversion, struct conversion_report *report)
{
    *report = (struct conversion_report){.pages = 0};
    double started_ms = now_ms();
    if (!loader->load(conversion->from_url, conversion->in_pieces, report))
        return OUTCOME_UNREADABLE;
    if (conversion->in_pieces && !(loader->join_pieces && loader->join_pieces(report)))
        return OUTCOME_INDIVISIBLE;
    double loaded_ms = now_ms();
    if (conversion->update != UPDATE_NONE)
        loader->run(conversion->update == UPDATE_ALL ? UPDATE_COMMANDS : UPDATE_COMMANDS + 1);
    double updated_ms = now_ms();
    if (conversion->comments_in_margin && !lay_comments_out()) {
        snprintf(report->text, sizeof report->text, "this LibreOffice does not lay comments out");
        return OUTCOME_FAILED;
    }
    report->load_ms = loaded_ms - started_ms;
    report->update_ms = updated_ms - loaded_ms;
    return save(conversion, report);
}

enum outcome office_open_form(const char *url, struct conversion_report *report)
{
    *report = (struct conversion_report){.pages = 0};
    if (!loader->open_form) {
        snprintf(report->text, sizeof report->text, "no forms without the library beside this program");
        return OUTCOME_FAILED;
    }
    double started_ms = now_ms();
    if (!loader->open_form(url, report))
        return OUTCOME_UNREADABLE;
    report->load_ms = now_ms() - started_ms;
    report->pages = loader->count_pages();
    return OUTCOME_OK;
}

enum outcome office_fill(unsigned form, const char *texts_path, const struct conversion *conversion,
                         struct conversion_report *report)
{
    *report = (struct conversion_report){.pages = 0};
    double started_ms = now_ms();
    enum outcome outcome = loader->fill ? loader->fill(form, texts_path, report) : OUTCOME_UNREADABLE;
    if (outcome != OUTCOME_OK)
        return outcome;
    report->update_ms = now_ms() - started_ms;
    return save(conversion, report);
}
