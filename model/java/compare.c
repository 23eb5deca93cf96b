/* Which objects are the same, which are equal, what they hash to, which comes first. */
#include "model/java/object.h"

#include "engine/coding.h"
#include "model/duration.h"
#include "model/java/calendar.h"
#include "model/javatext.h"
#include "model/number.h"
#include "model/real.h"

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
    if (a->kind == J_ROUNDING_MODE || a->kind == J_LOCALE)
        return a->value.i == b->value.i;
    if (a->kind == J_CLASS)
        return java_type_eq(a->described, b->described);
    if (a->kind == J_STRING)
        return a->string.constant && b->string.constant && same_text(a, b);
    if (!java_is_box(a) || a->made || b->made || a->kind > J_BOX_LONG || a->value.i != b->value.i)
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
    case J_MATH_CONTEXT:
    case J_ROUNDING_MODE:
    case J_LOCALE:
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
    case J_CLASS:
        return java_same(a, b);
    case J_GREGORIAN:
        return java_calendar_time(a->calendar) == java_calendar_time(b->calendar) && a->calendar->zone->zone.offset_ms == b->calendar->zone->zone.offset_ms;
    case J_OPTIONAL:
        return java_equals(run, a->entry.value, b->entry.value);
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
    case J_OPTIONAL:
        return java_hash_code(run, o->entry.value);
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
