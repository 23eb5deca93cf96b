#include "model/java/object.h"

#include <stdio.h>

#include "engine/clock.h"
#include "model/calendar.h"
#include "model/real.h"

enum {
    RUN_BYTES_MAX = 64 << 20,
    RUN_MS_MAX = 1500,         /* user_defined_functions_fail_timeout */
    WORK_BETWEEN_LOOKS = 4096, /* at the clock */
    ALIGNED = 16,
};

/* ---- memory and failures ---- */

bool java_ok(struct java_run *run, enum wr_status st)
{
    if (st != WR_OK)
        run->thrown = NULL;
    return st == WR_OK;
}

bool java_spend(struct java_run *run, uint64_t work)
{
    if (run->exhausted)
        return false;
    if (work < WORK_BETWEEN_LOOKS && (run->spent += (uint32_t)work) < WORK_BETWEEN_LOOKS)
        return true;
    run->spent = 0;
    int64_t now_ns = clock_monotonic_ns();
    if (!run->began_ns)
        run->began_ns = now_ns;
    if (now_ns - run->began_ns <= RUN_MS_MAX * INT64_C(1000000))
        return true;
    run->exhausted = true;
    run->thrown = NULL;
    fail(run->ctx, WR_FUNCTION_FAILURE, "User defined function ran longer than %dms", RUN_MS_MAX);
    return false;
}

bool java_out_of_memory(struct java_run *run)
{
    if (!run->exhausted)
        fail(run->ctx, WR_FUNCTION_FAILURE, "%s: Java heap space", java_class_full_name(J_OUT_OF_MEMORY));
    run->exhausted = true;
    run->thrown = NULL;
    return false;
}

bool java_charge(struct java_run *run, size_t bytes)
{
    run->allocated += bytes;
    return run->allocated <= RUN_BYTES_MAX || java_out_of_memory(run);
}

void *java_alloc(struct java_run *run, size_t bytes)
{
    if (!java_charge(run, (bytes | (ALIGNED - 1)) + 1)) /* what the arena gives for it */
        return NULL;
    void *p = ctx_alloc_array(run->ctx, 1, bytes ? bytes : 1);
    if (!p)
        run->thrown = NULL;
    return p;
}

struct java_object *java_new(struct java_run *run, enum java_kind kind)
{
    struct java_object *o = java_alloc(run, sizeof *o);
    if (o)
        o->kind = kind;
    return o;
}

bool java_throw(struct java_run *run, enum java_kind kind, const char *format, ...)
{
    struct java_object *o = java_new(run, kind);
    char *text = NULL;
    va_list args;

    if (!o)
        return false;
    if (format) {
        va_start(args, format);
        text = ctx_vformat(run->ctx, format, args);
        va_end(args);
        if (!java_ok(run, text ? WR_OK : WR_NOMEM) || !java_string_of_utf8(run, slice_str(text), &o->thrown.message))
            return false;
    }
    run->thrown = o;
    return false;
}

static bool is_of_base(const char *name)
{
    return name[0] == '[' || strncmp(name, "java.", 5) == 0;
}

bool java_throw_cast(struct java_run *run, const char *from, const char *to)
{
    if (!is_of_base(from) || !is_of_base(to))
        return java_throw(run, J_CLASS_CAST, "class %s cannot be cast to class %s", from, to);
    return java_throw(run, J_CLASS_CAST,
                      "class %s cannot be cast to class %s (%s and %s are in module java.base of loader 'bootstrap')",
                      from, to, from, to);
}

/* ---- strings ---- */

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

/* ---- numbers and boxes ---- */

int64_t java_narrow(enum java_kind kind, int64_t v)
{
    switch (kind) {
    case J_CHAR:
        return (uint16_t)v;
    case J_BYTE:
        return (int8_t)v;
    case J_SHORT:
        return (int16_t)v;
    case J_INT:
        return (int32_t)v;
    default:
        return v;
    }
}

/* A real number's whole part, as far as the type goes. */
static int64_t truncated(double d, enum java_kind kind)
{
    if (d != d)
        return 0;
    if (kind == J_LONG)
        return d >= 0x1p63 ? INT64_MAX : d <= -0x1p63 ? INT64_MIN : (int64_t)d;
    return java_narrow(kind, d >= 2147483647.0 ? INT32_MAX : d <= -2147483648.0 ? INT32_MIN : (int64_t)d);
}

union java_value java_convert_primitive(enum java_kind from, enum java_kind to, union java_value v)
{
    union java_value out;
    if (java_kind_is_real(to))
        out.d = java_kind_is_real(from) ? v.d : to == J_FLOAT ? (double)(float)v.i : (double)v.i;
    else
        out.i = java_kind_is_real(from) ? truncated(v.d, to) : java_narrow(to, v.i);
    if (to == J_FLOAT)
        out.d = (double)(float)out.d;
    return out;
}

bool java_box(struct java_run *run, const struct java_type *primitive, union java_value value, struct java_object **out)
{
    struct java_object *o = java_new(run, java_boxed(primitive)->kind);
    if (!o)
        return false;
    o->value = value;
    *out = o;
    return true;
}

/* ---- toString ---- */

bool java_check_text(struct java_run *run, const struct buf *utf16)
{
    return utf16->len <= RUN_BYTES_MAX || java_out_of_memory(run);
}

void java_put_ascii(struct buf *utf16, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        uint16_t c = (uint8_t)text[i];
        buf_put(utf16, &c, sizeof c);
    }
}

void java_print_primitive(struct buf *utf16, const struct java_type *type, union java_value value)
{
    struct buf text;
    uint16_t c = (uint16_t)value.i;

    buf_init(&text, utf16->arena);
    switch (type->kind) {
    case J_BOOLEAN:
        buf_put_str(&text, value.i ? "true" : "false");
        break;
    case J_CHAR:
        buf_put(utf16, &c, sizeof c);
        return;
    case J_FLOAT:
        float_print(&text, (float)value.d);
        break;
    case J_DOUBLE:
        double_print(&text, value.d);
        break;
    default:
        buf_printf(&text, "%lld", (long long)value.i);
        break;
    }
    java_put_ascii(utf16, (const char *)text.data, text.len);
    utf16->failed |= text.failed;
}

const char *java_class_text(struct java_run *run, const struct java_object *o)
{
    struct java_type array = { J_ARRAY, { o->kind == J_ARRAY ? o->array.element : NULL, NULL }, false };
    return o->kind == J_ARRAY ? java_binary_name(run->ctx, &array) : java_class_full_name(o->kind);
}

static bool print_items(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct java_object **items;
    uint32_t count;

    if (!java_items(run, o, &items, &count))
        return false;
    java_put_ascii(utf16, "[", 1);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            java_put_ascii(utf16, ", ", 2);
        if (!java_check_text(run, utf16) || !java_print(run, utf16, items[i]))
            return false;
    }
    java_put_ascii(utf16, "]", 1);
    return true;
}

static bool print_map(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    struct java_pair **pairs;

    if (!java_map_pairs(run, o, &pairs))
        return false;
    java_put_ascii(utf16, "{", 1);
    for (uint32_t i = 0; i < o->map.count; i++) {
        if (i)
            java_put_ascii(utf16, ", ", 2);
        if (!java_check_text(run, utf16) || !java_print(run, utf16, pairs[i]->key))
            return false;
        java_put_ascii(utf16, "=", 1);
        if (!java_print(run, utf16, pairs[i]->value))
            return false;
    }
    java_put_ascii(utf16, "}", 1);
    return true;
}

/* As the CQL type's value reads. */
static void print_value(struct buf *utf16, enum type_kind kind, struct slice value, const char *before)
{
    struct buf text;
    buf_init(&text, utf16->arena);
    buf_put_str(&text, before);
    type_print_string(&text, type_native(kind), value);
    java_put_ascii(utf16, (const char *)text.data, text.len);
    utf16->failed |= text.failed;
}

static void print_time(struct buf *utf16, void (*put)(struct buf *text, int64_t time), int64_t time)
{
    struct buf text;
    buf_init(&text, utf16->arena);
    put(&text, time);
    java_put_ascii(utf16, (const char *)text.data, text.len);
    utf16->failed |= text.failed;
}

bool java_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    char text[160];

    if (!o) {
        java_put_ascii(utf16, "null", 4);
        return true;
    }
    if (!java_spend(run, 1))
        return false;
    if (java_kind_extends(o->kind, J_COLLECTION))
        return print_items(run, utf16, o);
    if (java_kind_extends(o->kind, J_MAP))
        return print_map(run, utf16, o);
    if (java_is_box(o)) {
        java_print_primitive(utf16, java_unboxed(java_simple(o->kind)), o->value);
        return true;
    }
    switch (o->kind) {
    case J_STRING:
    case J_STRING_BUILDER:
    case J_STRING_BUFFER:
        buf_put(utf16, o->string.units, o->string.len * sizeof(uint16_t));
        return true;
    case J_BIG_INTEGER:
        print_value(utf16, TYPE_VARINT, o->bytes, "");
        return true;
    case J_BIG_DECIMAL:
        print_value(utf16, TYPE_DECIMAL, o->bytes, "");
        return true;
    case J_UUID:
        print_value(utf16, TYPE_UUID, o->bytes, "");
        return true;
    case J_INET_ADDRESS:
        print_value(utf16, TYPE_INET, o->bytes, "/");
        return true;
    case J_DURATION:
        print_value(utf16, TYPE_DURATION, o->bytes, "");
        return true;
    case J_DATE:
        print_time(utf16, java_put_date, o->value.i);
        return true;
    case J_LOCAL_DATE:
        print_time(utf16, java_put_local_date, o->value.i);
        return true;
    case J_ENTRY:
        if (!java_print(run, utf16, o->entry.key))
            return false;
        java_put_ascii(utf16, "=", 1);
        return java_print(run, utf16, o->entry.value);
    case J_BYTE_BUFFER:
        java_put_ascii(utf16, text,
                       (size_t)snprintf(text, sizeof text, "java.nio.HeapByteBuffer[pos=%u lim=%u cap=%u]",
                                        o->buffer.position, o->buffer.limit, o->buffer.capacity));
        return true;
    case J_TUPLE_VALUE:
    case J_UDT_VALUE:
        return java_print_tuple(run, utf16, o);
    case J_PATTERN:
    case J_MATCHER:
        java_print_regex(utf16, o);
        return true;
    case J_CLASS:
        return java_print_class(run, utf16, o);
    case J_MATH_CONTEXT:
    case J_ROUNDING_MODE:
        java_print_context(utf16, o);
        return true;
    case J_LOCALE:
        java_print_locale(utf16, o);
        return true;
    case J_OPTIONAL:
        return java_print_optional(run, utf16, o);
    case J_JOINER:
        return java_print_joiner(run, utf16, o);
    default:
        break;
    }
    if (java_kind_extends(o->kind, J_THROWABLE)) {
        const char *name = java_class_full_name(o->kind);
        java_put_ascii(utf16, name, strlen(name));
        if (!o->thrown.message)
            return true;
        java_put_ascii(utf16, ": ", 2);
        return java_print(run, utf16, o->thrown.message);
    }
    java_put_ascii(utf16, text, (size_t)snprintf(text, sizeof text, "%.100s@%x", java_class_text(run, o), 1u));
    return true;
}
