#include "library.h"

#include <dlfcn.h>

struct library library;

struct entry {
    const char *name;
    size_t offset;
};

#define ENTRY(name) {#name, offsetof(struct library, name)}

static const struct entry ENTRIES[] = {
    ENTRY(poppler_get_version),
    ENTRY(poppler_document_new_from_bytes),
    ENTRY(poppler_document_get_n_pages),
    ENTRY(poppler_document_get_n_signatures),
    ENTRY(poppler_document_get_page),
    ENTRY(poppler_page_get_size),
    ENTRY(poppler_page_render),
    ENTRY(poppler_page_render_for_printing),
    ENTRY(poppler_page_get_annot_mapping),
    ENTRY(poppler_page_free_annot_mapping),
    ENTRY(poppler_annot_get_flags),
    ENTRY(poppler_annot_set_flags),
    ENTRY(poppler_page_get_text),
    ENTRY(poppler_page_get_text_layout),
    ENTRY(poppler_page_get_form_field_mapping),
    ENTRY(poppler_page_free_form_field_mapping),
    ENTRY(poppler_page_get_link_mapping),
    ENTRY(poppler_page_free_link_mapping),
    ENTRY(poppler_form_field_get_field_type),
    ENTRY(poppler_form_field_get_name),
    ENTRY(poppler_form_field_text_get_text),
    ENTRY(poppler_form_field_button_get_state),
    ENTRY(poppler_form_field_choice_get_text),
    ENTRY(poppler_form_field_choice_get_n_items),
    ENTRY(poppler_form_field_choice_is_item_selected),
    ENTRY(poppler_form_field_choice_get_item),
    ENTRY(g_free),
    ENTRY(g_log_set_default_handler),
    ENTRY(g_bytes_new_static),
    ENTRY(g_bytes_unref),
    ENTRY(g_object_unref),
    ENTRY(cairo_image_surface_create_for_data),
    ENTRY(cairo_surface_destroy),
    ENTRY(cairo_surface_flush),
    ENTRY(cairo_create),
    ENTRY(cairo_destroy),
    ENTRY(cairo_status),
    ENTRY(cairo_translate),
    ENTRY(cairo_scale),
};

bool library_open(void)
{
    /* It brings GLib and Cairo. */
    void *opened = dlopen("libpoppler-glib.so.8", RTLD_NOW | RTLD_GLOBAL);
    if (!opened)
        return false;
    for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; i++) {
        void *function = dlsym(opened, ENTRIES[i].name);
        if (!function)
            return false;
        *(void **)((char *)&library + ENTRIES[i].offset) = function;
    }
    return true;
}
