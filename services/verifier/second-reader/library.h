#ifndef SECOND_READER_LIBRARY_H
#define SECOND_READER_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What is used of Poppler's library for GLib and of Cairo. Their interfaces are stable, so they are opened at run time, and
 * building needs no headers of theirs.
 */
typedef struct octets octets;
typedef struct document document;
typedef struct page page;
typedef struct annotation annotation;
typedef struct field field;
typedef struct surface surface;
typedef struct context context;

/* GList of GLib */
struct list {
    void *data;
    struct list *next, *before;
};

/* PopplerAnnotMapping of poppler-annot.h */
struct mapping {
    double area[4];
    annotation *annotation;
};

/* PopplerFormFieldMapping of poppler-page.h */
struct field_mapping {
    double area[4];
    field *field;
};

/* PopplerActionUri, PopplerActionLaunch and PopplerActionGotoRemote begin so (poppler-action.h). */
struct action {
    int type;
    char *title, *target;
};

/* PopplerLinkMapping of poppler-page.h */
struct link_mapping {
    double area[4];
    struct action *action;
};

/* PopplerAnnotFlag of poppler-annot.h, and CAIRO_FORMAT_RGB24 of cairo.h: blue, green, red, unused. */
enum { FLAG_HIDDEN = 1 << 1, FORMAT_RGB24 = 1 };

struct library {
    const char *(*poppler_get_version)(void);
    /* In version 22.12, it crashes at a wrong password. */
    document *(*poppler_document_new_from_bytes)(octets *, const char *password, void **error);
    int (*poppler_document_get_n_pages)(document *);
    int (*poppler_document_get_n_signatures)(document *);
    page *(*poppler_document_get_page)(document *, int index);
    void (*poppler_page_get_size)(page *, double *width, double *height);
    void (*poppler_page_render)(page *, context *);
    void (*poppler_page_render_for_printing)(page *, context *);
    struct list *(*poppler_page_get_annot_mapping)(page *);
    void (*poppler_page_free_annot_mapping)(struct list *);
    int (*poppler_annot_get_flags)(annotation *);
    void (*poppler_annot_set_flags)(annotation *, int flags);
    char *(*poppler_page_get_text)(page *);
    /* Four numbers for each character of the text. */
    int (*poppler_page_get_text_layout)(page *, double (**boxes)[4], unsigned *count);
    struct list *(*poppler_page_get_form_field_mapping)(page *);
    void (*poppler_page_free_form_field_mapping)(struct list *);
    struct list *(*poppler_page_get_link_mapping)(page *);
    void (*poppler_page_free_link_mapping)(struct list *);
    int (*poppler_form_field_get_field_type)(field *);
    char *(*poppler_form_field_get_name)(field *);
    char *(*poppler_form_field_text_get_text)(field *);
    int (*poppler_form_field_button_get_state)(field *);
    char *(*poppler_form_field_choice_get_text)(field *);
    int (*poppler_form_field_choice_get_n_items)(field *);
    int (*poppler_form_field_choice_is_item_selected)(field *, int index);
    char *(*poppler_form_field_choice_get_item)(field *, int index);
    void (*g_free)(void *);
    void *(*g_log_set_default_handler)(void (*)(const char *domain, int level, const char *message, void *data), void *data);
    octets *(*g_bytes_new_static)(const void *, size_t length);
    void (*g_bytes_unref)(octets *);
    void (*g_object_unref)(void *);
    surface *(*cairo_image_surface_create_for_data)(unsigned char *, int format, int width, int height, int stride);
    void (*cairo_surface_destroy)(surface *);
    void (*cairo_surface_flush)(surface *);
    context *(*cairo_create)(surface *);
    void (*cairo_destroy)(context *);
    int (*cairo_status)(context *);
    void (*cairo_translate)(context *, double x, double y);
    void (*cairo_scale)(context *, double x, double y);
};

extern struct library library;

/* Opens the libraries. Returns false if this host does not have them. */
bool library_open(void);

#endif
