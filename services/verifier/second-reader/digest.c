#include "digest.h"

#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* PopplerFormFieldType of poppler-form-field.h, and PopplerActionType of poppler-action.h */
enum { BUTTON = 1, TEXT, CHOICE, SIGNATURE };
enum { REMOTE = 3, LAUNCH, URI };

static uint64_t key[2];

void choose_key(void)
{
    if (getrandom(key, sizeof key, 0) != sizeof key)
        err(1, "getrandom");
}

static inline uint64_t turned(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void mix(uint64_t v[4])
{
    v[0] += v[1], v[2] += v[3];
    v[1] = turned(v[1], 13) ^ v[0], v[3] = turned(v[3], 16) ^ v[2];
    v[0] = turned(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = turned(v[1], 17) ^ v[2], v[3] = turned(v[3], 21) ^ v[0];
    v[2] = turned(v[2], 32);
}

/* SipHash-2-4 (Aumasson and Bernstein, 2012) */
uint64_t digest_of(const unsigned char *bytes, size_t count)
{
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
                     key[1] ^ 0x7465646279746573};
    size_t rest = count % sizeof(uint64_t);
    uint64_t word;
    for (const unsigned char *end = bytes + count - rest; bytes < end; bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        v[3] ^= word;
        mix(v), mix(v);
        v[0] ^= word;
    }
    word = (uint64_t)count << 56;
    for (size_t i = 0; i < rest; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    v[3] ^= word;
    mix(v), mix(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    mix(v), mix(v), mix(v), mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void put(FILE *to, const char *text)
{
    fprintf(to, "%zu %s\n", text ? strlen(text) : 0, text ? text : "");
}

static void put_and_free(FILE *to, char *text)
{
    put(to, text);
    library.g_free(text);
}

static void put_field(FILE *to, field *field)
{
    int type = library.poppler_form_field_get_field_type(field);
    /* Later signatures are permitted. */
    if (type == SIGNATURE)
        return;
    put_and_free(to, library.poppler_form_field_get_name(field));
    if (type == TEXT)
        put_and_free(to, library.poppler_form_field_text_get_text(field));
    if (type == BUTTON)
        fprintf(to, "%d\n", library.poppler_form_field_button_get_state(field));
    if (type != CHOICE)
        return;
    put_and_free(to, library.poppler_form_field_choice_get_text(field));
    int count = library.poppler_form_field_choice_get_n_items(field);
    for (int index = 0; index < count; index++)
        if (library.poppler_form_field_choice_is_item_selected(field, index))
            put_and_free(to, library.poppler_form_field_choice_get_item(field, index));
}

static void put_link(FILE *to, const struct action *action)
{
    fprintf(to, "%d\n", action->type);
    if (action->type == URI || action->type == LAUNCH || action->type == REMOTE)
        put(to, action->target);
}

struct text text_of(page *page)
{
    struct text text = {.characters = library.poppler_page_get_text(page)};
    if (!library.poppler_page_get_text_layout(page, &text.boxes, &text.count))
        text.count = 0;
    return text;
}

void free_text(struct text *text)
{
    library.g_free(text->characters);
    library.g_free(text->boxes);
    *text = (struct text){0};
}

bool is_same_text(const struct text *text, const struct text *other)
{
    static const double ROUNDING_MAX = 0.1;
    const char *a = text->characters ? text->characters : "", *b = other->characters ? other->characters : "";
    if (text->count != other->count || strcmp(a, b) != 0)
        return false;
    if (text->count == 0 || memcmp(text->boxes, other->boxes, text->count * sizeof *text->boxes) == 0)
        return true;
    for (unsigned index = 0; index < text->count; index++)
        for (int side = 0; side < 4; side++)
            if (!(fabs(text->boxes[index][side] - other->boxes[index][side]) <= ROUNDING_MAX))
                return false;
    return true;
}

static void put_text(FILE *to, page *page)
{
    struct text text = text_of(page);
    put(to, text.characters);
    if (text.count > 0)
        fwrite(text.boxes, sizeof *text.boxes, text.count, to);
    free_text(&text);
}

static void put_values(FILE *to, page *page)
{
    struct list *fields = library.poppler_page_get_form_field_mapping(page);
    for (struct list *at = fields; at; at = at->next)
        put_field(to, ((struct field_mapping *)at->data)->field);
    library.poppler_page_free_form_field_mapping(fields);
    struct list *links = library.poppler_page_get_link_mapping(page);
    for (struct list *at = links; at; at = at->next)
        put_link(to, ((struct link_mapping *)at->data)->action);
    library.poppler_page_free_link_mapping(links);
}

static uint64_t digest_of_all(page *page, void (*put_all)(FILE *, struct page *))
{
    char *text = NULL;
    size_t count = 0;
    FILE *to = open_memstream(&text, &count);
    if (!to)
        errx(1, "no memory for the words of a page");
    put_all(to, page);
    if (fclose(to) != 0)
        errx(1, "no memory for the words of a page");
    uint64_t digest = digest_of((unsigned char *)text, count);
    free(text);
    return digest;
}

uint64_t digest_of_text(page *page)
{
    return digest_of_all(page, put_text);
}

uint64_t digest_of_values(page *page)
{
    return digest_of_all(page, put_values);
}
