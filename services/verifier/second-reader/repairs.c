#include "repairs.h"

#include <string.h>

static const char CANARY[] = "\n7999999 0 obj\n<</Type/Catalog/Pages 7999998 0 R>>\nendobj\n"
                             "7999998 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"
                             "trailer\n<</Root 7999999 0 R/Size 8000000>>\n";
_Static_assert(sizeof CANARY <= CANARY_BYTES_MAX, "CANARY_BYTES_MAX");

static bool has_said_so;

static void on_message(const char *domain, int level, const char *message, void *data)
{
    (void)domain, (void)level, (void)data;
    if (message && strstr(message, "reconstruct"))
        has_said_so = true;
}

void watch_repairs(void)
{
    library.g_log_set_default_handler(on_message, NULL);
}

document *open_document(const char *bytes, size_t count, const char *password)
{
    octets *octets = library.g_bytes_new_static(bytes, count);
    document *document = library.poppler_document_new_from_bytes(octets, password, NULL);
    library.g_bytes_unref(octets);
    return document;
}

bool has_repaired(void)
{
    return has_said_so;
}

bool opens_repaired(char *bytes, size_t count, const char *password, int pages)
{
    /* Other revisions are open, and read on. */
    char rest[sizeof CANARY];
    memcpy(rest, bytes + count, sizeof rest);
    memcpy(bytes + count, CANARY, sizeof CANARY);
    document *document = open_document(bytes, count + sizeof CANARY - 1, password);
    bool is_same = document && library.poppler_document_get_n_pages(document) == pages;
    if (document)
        library.g_object_unref(document);
    memcpy(bytes + count, rest, sizeof rest);
    return !is_same;
}
