#include "serve.h"

#include "library.h"

#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 3, LINE_BYTES_MAX = 65536, PIXELS_MAX = 40000000, BYTES_OF_PIXEL = 4 };

struct revision {
    document *document;
    /* The page of the last order. */
    page *page;
    int index;
};

static struct revision revisions[SLOTS];
static char *bytes, *password;
static long length;

/* The last picture, which the other side has as well. */
static struct {
    unsigned char *pixels;
    int width, height;
} known;

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
    char *into = malloc((size_t)count + 1);
    if (!into || fread(into, 1, (size_t)count, stdin) != (size_t)count)
        errx(1, "the input is too short");
    into[count] = '\0';
    return into;
}

static void forget_page(struct revision *revision)
{
    if (revision->page)
        library.g_object_unref(revision->page);
    revision->page = NULL;
}

static document *open_document(const char *from, size_t count, const char *with)
{
    octets *octets = library.g_bytes_new_static(from, count);
    document *document = library.poppler_document_new_from_bytes(octets, with, NULL);
    library.g_bytes_unref(octets);
    return document;
}

static void open_revision(struct revision *revision, long end)
{
    forget_page(revision);
    if (revision->document)
        library.g_object_unref(revision->document);
    revision->document = open_document(bytes, (size_t)end, *password ? password : NULL);
    if (revision->document)
        printf("ok %ld %d\n", spent_ms(), library.poppler_document_get_n_pages(revision->document));
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

static bool draw_on(unsigned char *pixels, page *page, int width, int height, bool is_printed)
{
    double points_x = 0, points_y = 0;
    library.poppler_page_get_size(page, &points_x, &points_y);
    surface *surface =
        library.cairo_image_surface_create_for_data(pixels, FORMAT_RGB24, width, height, BYTES_OF_PIXEL * width);
    context *context = library.cairo_create(surface);
    library.cairo_scale(context, width / points_x, height / points_y);
    (is_printed ? library.poppler_page_render_for_printing : library.poppler_page_render)(page, context);
    bool is_done = library.cairo_status(context) == 0;
    library.cairo_destroy(context);
    library.cairo_surface_flush(surface);
    library.cairo_surface_destroy(surface);
    return is_done;
}

static unsigned char *white(int width, int height)
{
    size_t count = (size_t)width * (size_t)height * BYTES_OF_PIXEL;
    unsigned char *pixels = malloc(count);
    if (!pixels)
        errx(1, "no memory for a picture");
    return memset(pixels, 0xff, count);
}

/* Takes ownership of the pixels. */
static void answer(unsigned char *pixels, int width, int height)
{
    size_t stride = (size_t)width * BYTES_OF_PIXEL;
    unsigned char *marks = calloc((size_t)height, 1);
    int rows = 0;
    if (!known.pixels || known.width != width || known.height != height) {
        free(known.pixels);
        known.pixels = white(width, height);
    }
    if (!marks)
        errx(1, "no memory for an answer");
    for (int row = 0; row < height; row++) {
        marks[row] = memcmp(pixels + row * stride, known.pixels + row * stride, stride) != 0;
        rows += marks[row];
    }
    printf("ok %ld %d\n", spent_ms(), rows);
    fwrite(marks, 1, (size_t)height, stdout);
    for (int row = 0; row < height; row++)
        if (marks[row])
            fwrite(pixels + row * stride, 1, stride, stdout);
    free(marks);
    free(known.pixels);
    known.pixels = pixels;
    known.width = width;
    known.height = height;
}

static void draw(page *page, int width, int height, bool is_printed, const char *hidden)
{
    if (width < 1 || height < 1 || width > PIXELS_MAX / height)
        errx(1, "a picture of %d x %d", width, height);
    unsigned char *pixels = white(width, height);
    int *flags = *hidden == '-' ? NULL : hide(page, hidden);
    bool is_done = draw_on(pixels, page, width, height, is_printed);
    if (flags)
        show(page, flags);
    if (is_done) {
        answer(pixels, width, height);
    } else {
        free(pixels);
        refuse();
    }
}

static void obey(const char *line)
{
    static char hidden[LINE_BYTES_MAX];
    int slot, index, width, height, is_printed;
    long end;
    if (sscanf(line, "open %d %ld", &slot, &end) == 2 && slot >= 0 && slot < SLOTS && end >= 0 && end <= length) {
        open_revision(&revisions[slot], end);
        return;
    }
    bool is_drawn = sscanf(line, "draw %d %d %d %d %d %65535[0-9,-]", &slot, &index, &width, &height, &is_printed, hidden) == 6;
    if (!is_drawn && sscanf(line, "page %d %d", &slot, &index) != 2)
        errx(1, "unknown order");
    page *page = slot >= 0 && slot < SLOTS ? page_of(&revisions[slot], index) : NULL;
    if (!page)
        refuse();
    else if (is_drawn)
        draw(page, width, height, is_printed, hidden);
    else
        measure(page);
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
    static unsigned char pixels[SIDE * SIDE * BYTES_OF_PIXEL];
    document *document = open_document(PDF, sizeof PDF - 1, NULL);
    page *page = document ? library.poppler_document_get_page(document, 0) : NULL;
    if (!page || !draw_on(pixels, page, SIDE, SIDE, false))
        errx(1, "Poppler does not draw");
    library.g_object_unref(page);
    library.g_object_unref(document);
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
    bytes = receive(length);
    while (fgets(line, sizeof line, stdin)) {
        obey(line);
        if (fflush(stdout) != 0)
            _exit(1);
    }
    /* Without the ends of libraries, which find walls. */
    _exit(0);
}
