#include "serve.h"

#include "digest.h"
#include "library.h"
#include "picture.h"
#include "repairs.h"

#include <err.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 3, LINE_BYTES_MAX = 65536 };

struct revision {
    document *document;
    long end;
    /* Poppler need not repair it to open it. */
    bool is_sound;
    /* The page of the last order. */
    page *page;
    int index;
    /* The text of the last order for text. */
    struct text text;
};

static struct revision revisions[SLOTS];
static char *bytes, *password;
static long length;
/* Another version of Poppler may repair documents otherwise. */
static bool can_see_repairs;

static long spent_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000L + time.tv_nsec / 1000000L;
}

static void refuse(void)
{
    printf("unreadable %ld\n", spent_ms());
}

static char *receive(long count)
{
    char *into = calloc((size_t)count + CANARY_BYTES_MAX, 1);
    if (!into || fread(into, 1, (size_t)count, stdin) != (size_t)count)
        errx(1, "the input is too short");
    return into;
}

static void forget_page(struct revision *revision)
{
    if (revision->page)
        library.g_object_unref(revision->page);
    revision->page = NULL;
}

static void open_revision(struct revision *revision, long end)
{
    forget_page(revision);
    if (revision->document)
        library.g_object_unref(revision->document);
    revision->end = end;
    revision->is_sound = false;
    revision->document = open_document(bytes, (size_t)end, password);
    if (revision->document)
        printf("ok %ld %d %d\n", spent_ms(), library.poppler_document_get_n_pages(revision->document),
               library.poppler_document_get_n_signatures(revision->document));
    else
        refuse();
}

static page *page_of(struct revision *revision, int index)
{
    if (!revision->document)
        errx(1, "no revision is open");
    if (revision->page && revision->index == index)
        return revision->page;
    forget_page(revision);
    if (index >= 0 && index < library.poppler_document_get_n_pages(revision->document))
        revision->page = library.poppler_document_get_page(revision->document, index);
    revision->index = index;
    return revision->page;
}

static void measure(page *page)
{
    double width = 0, height = 0;
    library.poppler_page_get_size(page, &width, &height);
    printf("ok %ld %.6f %.6f\n", spent_ms(), width, height);
}

/* Hides these annotations. Poppler lists them in the order of the page. Returns the flags that all of them had. */
static int *hide(page *page, const char *indices)
{
    struct list *all = library.poppler_page_get_annot_mapping(page);
    long count = 0, index = 0;
    for (struct list *at = all; at; at = at->next)
        count++;
    int *flags = calloc((size_t)count + 1, sizeof *flags);
    bool *hidden = calloc((size_t)count + 1, sizeof *hidden);
    if (!flags || !hidden)
        errx(1, "no memory for the flags of annotations");
    for (const char *wanted = indices; *wanted; wanted += strcspn(wanted, ","), wanted += *wanted == ',') {
        long of = strtol(wanted, NULL, 10);
        if (of >= 0 && of < count)
            hidden[of] = true;
    }
    for (struct list *at = all; at; at = at->next, index++) {
        annotation *annotation = ((struct mapping *)at->data)->annotation;
        flags[index] = library.poppler_annot_get_flags(annotation);
        if (hidden[index])
            library.poppler_annot_set_flags(annotation, flags[index] | FLAG_HIDDEN);
    }
    free(hidden);
    library.poppler_page_free_annot_mapping(all);
    return flags;
}

/* Gives annotations their flags back. Some were hidden before. */
static void show(page *page, int *flags)
{
    struct list *all = library.poppler_page_get_annot_mapping(page);
    long index = 0;
    for (struct list *at = all; at; at = at->next, index++)
        library.poppler_annot_set_flags(((struct mapping *)at->data)->annotation, flags[index]);
    free(flags);
    library.poppler_page_free_annot_mapping(all);
}

static void draw(page *page, const struct view *view, const char *hidden)
{
    int *flags = *hidden == '-' ? NULL : hide(page, hidden);
    unsigned char *pixels = drawn(page, view);
    if (flags)
        show(page, flags);
    if (!pixels) {
        refuse();
        return;
    }
    printf("ok %ld\n", spent_ms());
    fwrite(pixels, 1, bytes_of(view), stdout);
    free(pixels);
}

static void keep_text(struct revision *revision, page *page, const char *hidden)
{
    int *flags = hide(page, *hidden == '-' ? "" : hidden);
    free_text(&revision->text);
    revision->text = text_of(page);
    show(page, flags);
    printf("ok %ld\n", spent_ms());
}

static void compare(page *page, struct page *other, const struct view *view)
{
    unsigned char *pixels = drawn(page, view), *others = pixels ? drawn(other, view) : NULL;
    if (others) {
        struct region found = difference(pixels, others, view);
        printf("ok %ld %d %d %d %d\n", spent_ms(), found.x, found.y, found.width, found.height);
    } else {
        refuse();
    }
    free(pixels);
    free(others);
}

/* Digest of the picture at 50 dpi, or less if the page is large. 0 if it cannot be drawn. */
static uint64_t digest_of_picture(page *page, double width, double height, bool is_printed)
{
    enum { PIXELS_MAX = 1000000 };
    double scale = 50.0 / 72;
    while (width * scale * height * scale > PIXELS_MAX)
        scale /= 2;
    int across = 1 + (int)(width * scale), down = 1 + (int)(height * scale);
    struct view view = {across, down, {0, 0, across, down}, is_printed};
    unsigned char *pixels = is_view(&view) ? drawn(page, &view) : NULL;
    uint64_t digest = pixels ? digest_of(pixels, bytes_of(&view)) : 0;
    free(pixels);
    return digest;
}

static bool is_sound(struct revision *revision)
{
    int pages = library.poppler_document_get_n_pages(revision->document);
    if (!revision->is_sound)
        revision->is_sound = !opens_repaired(bytes, (size_t)revision->end, password, pages);
    return can_see_repairs && revision->is_sound && !has_repaired();
}

/* Only annotations are printed otherwise than they are displayed. */
static bool has_annotations(page *page)
{
    struct list *all = library.poppler_page_get_annot_mapping(page);
    bool has = all;
    library.poppler_page_free_annot_mapping(all);
    return has;
}

static void look(struct revision *revision, page *page, bool is_drawn)
{
    double width = 0, height = 0;
    library.poppler_page_get_size(page, &width, &height);
    uint64_t displayed = is_drawn ? digest_of_picture(page, width, height, false) : 1, printed = displayed;
    if (is_drawn && has_annotations(page))
        printed = digest_of_picture(page, width, height, true);
    uint64_t text = digest_of_text(page), values = digest_of_values(page);
    if (!is_drawn && !is_sound(revision))
        printf("repaired %ld\n", spent_ms());
    else if (displayed && printed)
        printf("ok %ld %g:%g:%016" PRIx64 ":%016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n", spent_ms(), width, height,
               displayed, printed, text, values);
    else
        refuse();
}

static page *page_in(int slot, int index)
{
    return slot >= 0 && slot < SLOTS ? page_of(&revisions[slot], index) : NULL;
}

static bool is_open_order(const char *line)
{
    int slot;
    long end;
    if (sscanf(line, "open %d %ld", &slot, &end) != 2 || slot < 0 || slot >= SLOTS || end < 0 || end > length)
        return false;
    open_revision(&revisions[slot], end);
    return true;
}

static bool is_page_order(const char *line)
{
    int slot, index;
    if (sscanf(line, "page %d %d", &slot, &index) != 2)
        return false;
    page *page = page_in(slot, index);
    if (page)
        measure(page);
    else
        refuse();
    return true;
}

static bool is_text_order(const char *line)
{
    static char hidden[LINE_BYTES_MAX];
    int slot, index;
    if (sscanf(line, "text %d %d %65535[0-9,-]", &slot, &index, hidden) != 3)
        return false;
    /* An open page keeps the text that it had. */
    if (slot >= 0 && slot < SLOTS)
        forget_page(&revisions[slot]);
    page *page = page_in(slot, index);
    if (page)
        keep_text(&revisions[slot], page, hidden);
    else
        refuse();
    return true;
}

static bool is_same_order(const char *line)
{
    int slot, other;
    if (sscanf(line, "same %d %d", &slot, &other) != 2 || slot < 0 || slot >= SLOTS || other < 0 || other >= SLOTS)
        return false;
    printf("ok %ld %d\n", spent_ms(), is_same_text(&revisions[slot].text, &revisions[other].text));
    return true;
}

static bool is_look_order(const char *line)
{
    int slot, index, is_drawn;
    if (sscanf(line, "look %d %d %d", &slot, &index, &is_drawn) != 3)
        return false;
    page *page = page_in(slot, index);
    if (page)
        look(&revisions[slot], page, is_drawn);
    else
        refuse();
    return true;
}

static bool is_draw_order(const char *line)
{
    static char hidden[LINE_BYTES_MAX];
    int slot, index, is_printed;
    struct view view;
    struct region *part = &view.part;
    if (sscanf(line, "draw %d %d %d %d %d %d %d %d %d %65535[0-9,-]", &slot, &index, &view.width, &view.height, &part->x,
               &part->y, &part->width, &part->height, &is_printed, hidden) != 10 ||
        !is_view(&view))
        return false;
    view.is_printed = is_printed;
    page *page = page_in(slot, index);
    if (page)
        draw(page, &view, hidden);
    else
        refuse();
    return true;
}

static bool is_compare_order(const char *line)
{
    int slot, other, index, width, height, is_printed;
    if (sscanf(line, "compare %d %d %d %d %d %d", &slot, &other, &index, &width, &height, &is_printed) != 6)
        return false;
    struct view view = {width, height, {0, 0, width, height}, is_printed};
    if (!is_view(&view))
        return false;
    page *page = page_in(slot, index), *second = page_in(other, index);
    if (page && second)
        compare(page, second, &view);
    else
        refuse();
    return true;
}

static void obey(const char *line)
{
    if (!is_open_order(line) && !is_page_order(line) && !is_draw_order(line) && !is_compare_order(line) &&
        !is_look_order(line) && !is_text_order(line) && !is_same_order(line))
        errx(1, "unknown order");
}

void warm_up(void)
{
    static const char PDF[] = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 99 99]>>endobj\n"
                        "3 0 obj<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R/G 6 0 R>>>>>>endobj\n"
                        "4 0 obj<</Length 43>>stream\nBT /F 9 Tf 9 9 Td (Aa) Tj /G 9 Tf (Aa) Tj ET\nendstream endobj\n"
                        "5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n"
                        "6 0 obj<</Type/Font/Subtype/TrueType/BaseFont/Arial>>endobj\n"
                        "trailer<</Root 1 0 R/Size 7>>\n";
    enum { SIDE = 99 };
    struct view view = {SIDE, SIDE, {0, 0, SIDE, SIDE}, false};
    watch_repairs();
    document *document = open_document(PDF, sizeof PDF - 1, NULL);
    page *page = document ? library.poppler_document_get_page(document, 0) : NULL;
    unsigned char *pixels = page ? drawn(page, &view) : NULL;
    if (!pixels)
        errx(1, "Poppler does not draw");
    digest_of_text(page);
    free(pixels);
    library.g_object_unref(page);
    library.g_object_unref(document);
    /* This one has no cross-reference table. */
    static char copy[sizeof PDF + CANARY_BYTES_MAX];
    memcpy(copy, PDF, sizeof PDF);
    can_see_repairs = opens_repaired(copy, sizeof PDF - 1, NULL, 1);
}

_Noreturn void serve(void)
{
    static char line[LINE_BYTES_MAX];
    long password_length;
    if (!fgets(line, sizeof line, stdin))
        exit(0);
    if (sscanf(line, "%ld %ld", &password_length, &length) != 2 || password_length < 0 || length < 0 || length > INT_MAX)
        errx(1, "unknown lengths");
    password = receive(password_length);
    if (!*password)
        password = NULL;
    bytes = receive(length);
    while (fgets(line, sizeof line, stdin)) {
        obey(line);
        if (fflush(stdout) != 0)
            _exit(1);
    }
    /* Without the ends of libraries, which find walls. */
    _exit(0);
}
