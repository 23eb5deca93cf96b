/* Texts: Java's of 16-bit units, from UTF-8 and back, and a String as an object. What may be called on one: string.c. */
#include "model/java/object_ops.h"

bool java_string(struct java_run *run, const uint16_t *units, size_t len, struct java_object **out)
{
    struct java_object *o = java_new(run, J_STRING);
    uint16_t *copy = o ? java_alloc(run, (len + 1) * sizeof *copy) : NULL;
    if (!copy)
        return false;
    if (len)
        memcpy(copy, units, len * sizeof *copy);
    o->string.units = copy;
    o->string.len = (uint32_t)len;
    o->string.constant = !len; /* a text of nothing is the one that a body writes as "" */
    *out = o;
    return true;
}

bool java_string_of_units(struct java_run *run, const struct buf *utf16, struct java_object **out)
{
    struct java_object *o;

    if (!java_ok(run, utf16->failed ? fail_nomem(run->ctx) : WR_OK))
        return false;
    if (!utf16->len)
        return java_string(run, NULL, 0, out);
    if (!java_charge(run, utf16->room) || !(o = java_new(run, J_STRING)))
        return false;
    o->string.units = (const uint16_t *)(const void *)utf16->data;
    o->string.len = (uint32_t)(utf16->len / sizeof *o->string.units);
    *out = o;
    return true;
}

bool java_string_of_utf8(struct java_run *run, struct slice text, struct java_object **out)
{
    struct java_object *o = java_new(run, J_STRING);
    uint16_t *units = o ? java_alloc(run, (text.len + 1) * sizeof *units) : NULL;
    uint32_t n = 0;

    if (!units)
        return false;
    for (size_t i = 0; i < text.len;) {
        uint8_t c = text.data[i];
        size_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
        uint32_t v = more == 3 ? c & 7u : more == 2 ? c & 15u : more == 1 ? c & 31u : c;
        for (i++; more && i < text.len; i++, more--)
            v = v << 6 | (text.data[i] & 63u);
        if (v >= 0x10000) {
            units[n++] = (uint16_t)(0xd800 + ((v - 0x10000) >> 10));
            v = 0xdc00 + (v & 0x3ff);
        }
        units[n++] = (uint16_t)v;
    }
    o->string.units = units;
    o->string.len = n;
    o->string.constant = !n;
    *out = o;
    return true;
}

bool java_string_of_text(struct java_run *run, const struct buf *utf8, struct java_object **out)
{
    struct slice text = SLICE_EMPTY;
    return java_ok(run, buf_done(run->ctx, utf8, &text)) && java_string_of_utf8(run, text, out);
}

/* The code point at a place of a text, and how many units it has; a surrogate alone is a question mark. */
static uint32_t code_point_at(const struct java_object *string, uint32_t i, uint32_t *units)
{
    uint32_t c = string->string.units[i];
    *units = 1;
    if (c >= 0xd800 && c < 0xdc00 && i + 1 < string->string.len && (string->string.units[i + 1] & 0xfc00) == 0xdc00) {
        *units = 2;
        return 0x10000 + ((c & 0x3ff) << 10) + (string->string.units[i + 1] & 0x3ff);
    }
    return c >= 0xd800 && c < 0xe000 ? '?' : c;
}

static size_t utf8_len(uint32_t c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

bool java_utf8(struct java_run *run, const struct java_object *string, struct slice *out)
{
    static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    uint32_t units;
    size_t len = 0;

    for (uint32_t i = 0; i < string->string.len; i += units)
        len += utf8_len(code_point_at(string, i, &units));
    uint8_t *bytes = java_alloc(run, len), *at = bytes;
    if (!bytes)
        return false;
    for (uint32_t i = 0; i < string->string.len; i += units) {
        uint32_t c = code_point_at(string, i, &units);
        size_t n = utf8_len(c);
        for (size_t k = n - 1; k > 0; k--, c >>= 6)
            at[k] = (uint8_t)(0x80 | (c & 63));
        *at = (uint8_t)(first[n] | c);
        at += n;
    }
    *out = slice_of(bytes, len);
    return true;
}

/* ---- into a text of 16-bit units ---- */

void java_put_ascii(struct buf *utf16, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        uint16_t c = (uint8_t)text[i];
        buf_put(utf16, &c, sizeof c);
    }
}

void java_put_buf(struct buf *utf16, const struct buf *ascii)
{
    java_put_ascii(utf16, (const char *)ascii->data, ascii->len);
    utf16->failed |= ascii->failed;
}

/* ---- as objects ---- */

static bool same_units(const struct java_object *a, const struct java_object *b)
{
    return a->string.len == b->string.len &&
           memcmp(a->string.units, b->string.units, a->string.len * sizeof *a->string.units) == 0;
}

/* Constant texts are the same object. */
static bool text_same(const struct java_object *a, const struct java_object *b)
{
    return a->string.constant && b->string.constant && same_units(a, b);
}

static bool text_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    return a->string.len == b->string.len && java_spend(run, a->string.len / JAVA_COMPARED_AT_ONCE) && same_units(a, b);
}

static uint32_t text_hash(struct java_run *run, const struct java_object *o)
{
    uint32_t h = 0;
    (void)java_spend(run, o->string.len);
    for (uint32_t i = 0; i < o->string.len; i++)
        h = 31 * h + o->string.units[i];
    return h;
}

bool java_text_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    uint32_t n = a->string.len < b->string.len ? a->string.len : b->string.len, i = 0;
    if (!java_spend(run, a->string.len))
        return false;
    while (i < n && a->string.units[i] == b->string.units[i])
        i++;
    *out = i < n ? a->string.units[i] - b->string.units[i] : (int)a->string.len - (int)b->string.len;
    return true;
}

bool java_text_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    (void)run;
    buf_put(utf16, o->string.units, o->string.len * sizeof(uint16_t));
    return true;
}

const struct java_object_ops java_text_ops = {
    .same = text_same, .equals = text_equals, .hash = text_hash, .compare = java_text_compare, .print = java_text_print
};
