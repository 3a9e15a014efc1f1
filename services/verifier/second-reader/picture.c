#include "picture.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS_MAX = 40000000, BYTES_OF_PIXEL = 4 };

bool is_view(const struct view *view)
{
    const struct region *part = &view->part;
    return part->width > 0 && part->height > 0 && part->width <= PIXELS_MAX / part->height && part->x >= 0 && part->y >= 0 &&
           part->x <= view->width - part->width && part->y <= view->height - part->height;
}

size_t bytes_of(const struct view *view)
{
    return (size_t)view->part.width * (size_t)view->part.height * BYTES_OF_PIXEL;
}

unsigned char *drawn(page *page, const struct view *view)
{
    const struct region *part = &view->part;
    unsigned char *pixels = malloc(bytes_of(view));
    if (!pixels)
        errx(1, "no memory for a picture");
    memset(pixels, 0xff, bytes_of(view));
    double points_x = 0, points_y = 0;
    library.poppler_page_get_size(page, &points_x, &points_y);
    surface *surface = library.cairo_image_surface_create_for_data(pixels, FORMAT_RGB24, part->width, part->height,
                                                                   BYTES_OF_PIXEL * part->width);
    context *context = library.cairo_create(surface);
    library.cairo_translate(context, -part->x, -part->y);
    library.cairo_scale(context, view->width / points_x, view->height / points_y);
    (view->is_printed ? library.poppler_page_render_for_printing : library.poppler_page_render)(page, context);
    bool is_done = library.cairo_status(context) == 0;
    library.cairo_destroy(context);
    library.cairo_surface_flush(surface);
    library.cairo_surface_destroy(surface);
    if (is_done)
        return pixels;
    free(pixels);
    return NULL;
}

struct region difference(const unsigned char *pixels, const unsigned char *others, const struct view *view)
{
    int width = view->part.width, left = width, right = -1, top = 0, bottom = -1;
    size_t stride = (size_t)width * BYTES_OF_PIXEL;
    for (int row = 0; row < view->part.height; row++) {
        const unsigned char *a = pixels + row * stride, *b = others + row * stride;
        if (memcmp(a, b, stride) == 0)
            continue;
        if (bottom < 0)
            top = row;
        bottom = row;
        int first = 0, last = width - 1;
        while (memcmp(a + first * BYTES_OF_PIXEL, b + first * BYTES_OF_PIXEL, BYTES_OF_PIXEL) == 0)
            first++;
        while (memcmp(a + last * BYTES_OF_PIXEL, b + last * BYTES_OF_PIXEL, BYTES_OF_PIXEL) == 0)
            last--;
        left = first < left ? first : left;
        right = last > right ? last : right;
    }
    if (bottom < 0)
        return (struct region){0};
    return (struct region){.x = left, .y = top, .width = right - left + 1, .height = bottom - top + 1};
}
