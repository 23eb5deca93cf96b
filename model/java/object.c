#include "model/java/object.h"

#include <stdio.h>

#include "engine/clock.h"
#include "engine/coding.h"
#include "model/calendar.h"
#include "model/duration.h"
#include "model/javatext.h"
#include "model/number.h"
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

static bool is_real(enum java_kind kind)
{
    return kind == J_FLOAT || kind == J_DOUBLE;
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
    if (is_real(to))
        out.d = is_real(from) ? v.d : to == J_FLOAT ? (double)(float)v.i : (double)v.i;
    else
        out.i = is_real(from) ? truncated(v.d, to) : java_narrow(to, v.i);
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

static bool is_box(const struct java_object *o)
{
    return o->kind >= J_BOX_BOOLEAN && o->kind <= J_BOX_DOUBLE;
}

/* The objects that valueOf keeps are the same for the same number, and so are constant texts. */
static bool same_text(const struct java_object *a, const struct java_object *b)
{
    return a->string.len == b->string.len &&
           memcmp(a->string.units, b->string.units, a->string.len * sizeof *a->string.units) == 0;
}

bool java_same(const struct java_object *a, const struct java_object *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    if (a->kind == J_STRING)
        return a->string.constant && b->string.constant && same_text(a, b);
    if (!is_box(a) || a->made || b->made || a->kind > J_BOX_LONG || a->value.i != b->value.i)
        return false;
    return a->kind == J_BOX_CHAR ? a->value.i < 128 : a->value.i >= -128 && a->value.i < 128;
}

/* ---- equals, hashCode, compareTo ---- */

static uint64_t real_bits(const struct java_object *o)
{
    return o->kind == J_BOX_FLOAT ? float_bits((float)o->value.d) : double_bits(o->value.d);
}

static bool is_list(const struct java_object *o)
{
    return java_kind_extends(o->kind, J_LIST);
}

static bool is_set(const struct java_object *o)
{
    return java_kind_extends(o->kind, J_SET);
}

static bool is_map(const struct java_object *o)
{
    return java_kind_extends(o->kind, J_MAP);
}

static bool lists_equal(struct java_run *run, const struct java_list *a, const struct java_list *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; i < a->count && same; i++)
        same = java_equals(run, a->items[i], b->items[i]);
    return same;
}

static bool maps_equal(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    bool same = a->map.count == b->map.count, failed;
    for (uint32_t i = 0; i < a->map.used && same; i++) {
        const struct java_pair *p = &a->map.pairs[i], *q;
        if (p->gone)
            continue;
        q = java_map_find(run, b, p->key, &failed);
        same = q && java_equals(run, p->value, q->value);
    }
    return same;
}

bool java_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    if (a == b || !a || !b || !java_spend(run, 1))
        return a == b;
    if (is_list(a) && is_list(b))
        return lists_equal(run, &a->list, &b->list);
    if ((is_set(a) && is_set(b)) || (is_map(a) && is_map(b)))
        return maps_equal(run, a, b);
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case J_STRING:
        return a->string.len == b->string.len && java_spend(run, a->string.len / JAVA_COMPARED_AT_ONCE) &&
               same_text(a, b);
    case J_BOX_FLOAT:
    case J_BOX_DOUBLE:
        return real_bits(a) == real_bits(b);
    case J_BOX_BOOLEAN:
    case J_BOX_CHAR:
    case J_BOX_BYTE:
    case J_BOX_SHORT:
    case J_BOX_INT:
    case J_BOX_LONG:
    case J_DATE:
    case J_LOCAL_DATE:
        return a->value.i == b->value.i;
    case J_BIG_INTEGER:
        return varint_cmp(a->bytes, b->bytes) == 0;
    case J_BIG_DECIMAL:
    case J_UUID:
    case J_INET_ADDRESS:
    case J_DURATION:
        return slice_eq(a->bytes, b->bytes);
    case J_ENTRY:
        return java_equals(run, a->entry.key, b->entry.key) && java_equals(run, a->entry.value, b->entry.value);
    case J_BYTE_BUFFER:
        return slice_eq(slice_of(a->buffer.data + a->buffer.position, a->buffer.limit - a->buffer.position),
                        slice_of(b->buffer.data + b->buffer.position, b->buffer.limit - b->buffer.position));
    case J_TUPLE_VALUE:
    case J_UDT_VALUE: {
        bool same = type_eq_value(a->tuple.type, b->tuple.type);
        for (uint32_t i = 0; i < a->tuple.type->arg_count && same; i++)
            same = slice_is_null(a->tuple.fields[i]) == slice_is_null(b->tuple.fields[i]) &&
                   slice_eq(a->tuple.fields[i], b->tuple.fields[i]);
        return same;
    }
    default:
        return false;
    }
}

static uint32_t fold_hash(uint64_t v)
{
    return (uint32_t)(v ^ v >> 32);
}

/* InetAddress's: the sum of its words, each of bytes with their signs. */
static uint32_t hash_address(struct slice bytes)
{
    uint32_t h = 0, word = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        word = (word << 8) + (uint32_t)(int32_t)(int8_t)bytes.data[i];
        if (i % 4 == 3) {
            h += bytes.len == 4 ? read_u32(bytes.data) : word;
            word = 0;
        }
    }
    return h;
}

static uint32_t hash_duration(struct java_run *run, struct slice bytes)
{
    struct duration d = { 0 };
    (void)java_ok(run, duration_decode(run->ctx, bytes, &d));
    return ((31u + (uint32_t)d.days) * 31u + (uint32_t)d.months) * 31u + fold_hash((uint64_t)d.nanos);
}

/* BigInteger's: over the words of the magnitude. */
static uint32_t hash_integer(struct slice v)
{
    bool negative = v.len && v.data[0] & 0x80;
    uint32_t h = 0, word = 0;
    size_t last = v.len; /* the byte that is not 0: those before it are turned over, it is negated */

    while (last > 0 && !v.data[last - 1])
        last--;
    for (size_t i = 0; i < v.len; i++) {
        word = word << 8 | (uint8_t)(!negative ? v.data[i] : i + 1 < last ? ~v.data[i] : -v.data[i]);
        if ((v.len - i - 1) % 4 == 0) {
            h = 31 * h + word;
            word = 0;
        }
    }
    return negative ? 0 - h : h;
}

/* AbstractData's, of what the codecs read. */
static uint32_t hash_fields(struct java_run *run, const struct java_object *o)
{
    uint32_t h = 31;
    for (uint32_t i = 0; i < o->tuple.type->arg_count; i++) {
        struct java_object *field = NULL;
        bool is_null = slice_is_null(o->tuple.fields[i]);
        if (!is_null && !java_object_from_value(run, o->tuple.type->args[i], o->tuple.fields[i], &field))
            return 0;
        h += is_null ? 1 : (uint32_t)java_hash_code(run, field);
    }
    return h;
}

int32_t java_hash_code(struct java_run *run, const struct java_object *o)
{
    uint32_t h = 0;
    if (!o || !java_spend(run, 1))
        return 0;
    if (is_list(o)) {
        h = 1;
        for (uint32_t i = 0; i < o->list.count; i++)
            h = 31 * h + (uint32_t)java_hash_code(run, o->list.items[i]);
        return (int32_t)h;
    }
    if (is_set(o) || is_map(o)) {
        for (uint32_t i = 0; i < o->map.used; i++)
            if (!o->map.pairs[i].gone)
                h += (uint32_t)java_hash_code(run, o->map.pairs[i].key) ^
                     (uint32_t)java_hash_code(run, o->map.pairs[i].value);
        return (int32_t)h;
    }
    switch (o->kind) {
    case J_STRING:
        (void)java_spend(run, o->string.len);
        for (uint32_t i = 0; i < o->string.len; i++)
            h = 31 * h + o->string.units[i];
        return (int32_t)h;
    case J_BOX_BOOLEAN:
        return o->value.i ? 1231 : 1237;
    case J_BOX_CHAR:
    case J_BOX_BYTE:
    case J_BOX_SHORT:
    case J_BOX_INT:
        return (int32_t)o->value.i;
    case J_BOX_LONG:
    case J_DATE:
        return (int32_t)fold_hash((uint64_t)o->value.i);
    case J_BOX_FLOAT:
        return (int32_t)real_bits(o);
    case J_BOX_DOUBLE:
        return (int32_t)fold_hash(real_bits(o));
    case J_UUID:
        for (size_t i = 0; i + 4 <= o->bytes.len; i += 4)
            h ^= (uint32_t)o->bytes.data[i] << 24 | (uint32_t)o->bytes.data[i + 1] << 16 |
                 (uint32_t)o->bytes.data[i + 2] << 8 | o->bytes.data[i + 3];
        return (int32_t)h;
    case J_BIG_INTEGER:
        return (int32_t)hash_integer(o->bytes);
    case J_BIG_DECIMAL:
        if (o->bytes.len < 4)
            return 0;
        return (int32_t)(31 * hash_integer(slice_skip(o->bytes, 4)) +
                         ((uint32_t)o->bytes.data[0] << 24 | (uint32_t)o->bytes.data[1] << 16 |
                          (uint32_t)o->bytes.data[2] << 8 | o->bytes.data[3]));
    case J_ENTRY:
        return java_hash_code(run, o->entry.key) ^ java_hash_code(run, o->entry.value);
    case J_BYTE_BUFFER:
        return (int32_t)java_hash(slice_of(o->buffer.data + o->buffer.position, o->buffer.limit - o->buffer.position));
    case J_INET_ADDRESS:
        return (int32_t)hash_address(o->bytes);
    case J_DURATION:
        return (int32_t)hash_duration(run, o->bytes);
    case J_TUPLE_VALUE:
    case J_UDT_VALUE:
        return (int32_t)hash_fields(run, o);
    case J_LOCAL_DATE:
        return (int32_t)o->value.i;
    default:
        return 1;
    }
}

bool java_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    if (!a || !b)
        return java_throw(run, J_NULL_POINTER, NULL);
    if (a->kind != b->kind || !java_kind_extends(a->kind, J_COMPARABLE)) {
        const char *from = java_class_text(run, b),
                   *to = a->kind == b->kind ? java_class_full_name(J_COMPARABLE) : java_class_text(run, a);
        return java_throw_cast(run, from, to);
    }
    if (!java_spend(run, 1 + (a->kind == J_STRING                                    ? a->string.len
                              : a->kind == J_BIG_INTEGER || a->kind == J_BIG_DECIMAL ? a->bytes.len
                                                                                     : 0)))
        return false;
    switch (a->kind) {
    case J_STRING: {
        uint32_t n = a->string.len < b->string.len ? a->string.len : b->string.len, i = 0;
        while (i < n && a->string.units[i] == b->string.units[i])
            i++;
        *out = i < n ? a->string.units[i] - b->string.units[i] : (int)a->string.len - (int)b->string.len;
        return true;
    }
    case J_BOX_FLOAT:
    case J_BOX_DOUBLE: {
        int64_t x = (int64_t)double_bits(a->value.d), y = (int64_t)double_bits(b->value.d);
        *out = a->value.d < b->value.d ? -1 : a->value.d > b->value.d ? 1 : (x > y) - (x < y);
        return true;
    }
    case J_BOX_BYTE:
    case J_BOX_SHORT:
    case J_BOX_CHAR:
        *out = (int)(a->value.i - b->value.i);
        return true;
    case J_BIG_INTEGER:
        *out = varint_cmp(a->bytes, b->bytes);
        return true;
    case J_BIG_DECIMAL:
        *out = decimal_cmp(a->bytes, b->bytes);
        return true;
    case J_UUID: { /* two numbers with signs */
        int half = memcmp(a->bytes.data, b->bytes.data, 8) == 0 ? 8 : 0;
        int signs = (int)(int8_t)a->bytes.data[half] - (int)(int8_t)b->bytes.data[half];
        int rest = signs ? signs : memcmp(a->bytes.data + half, b->bytes.data + half, 8);
        *out = (rest > 0) - (rest < 0);
        return true;
    }
    case J_BYTE_BUFFER:
        *out = java_cmp(slice_of(a->buffer.data + a->buffer.position, a->buffer.limit - a->buffer.position),
                        slice_of(b->buffer.data + b->buffer.position, b->buffer.limit - b->buffer.position));
        return true;
    default:
        *out = (a->value.i > b->value.i) - (a->value.i < b->value.i);
        return true;
    }
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

static void print_date(struct buf *utf16, int64_t ms)
{
    struct buf text;
    buf_init(&text, utf16->arena);
    java_put_date(&text, ms);
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
    if (is_map(o))
        return print_map(run, utf16, o);
    if (is_box(o)) {
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
        print_date(utf16, o->value.i);
        return true;
    case J_LOCAL_DATE: {
        struct civil day = civil_of_days(o->value.i);
        java_put_ascii(utf16, text,
                       (size_t)snprintf(text, sizeof text, "%lld-%02d-%02d", (long long)day.year, day.month, day.day));
        return true;
    }
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
