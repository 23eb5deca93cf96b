/* ByteBuffer and InetAddress. */
#include <stdio.h>

#include "engine/coding.h"
#include "model/java/lib.h"
#include "model/java/object_ops.h"
#include "model/javatext.h"
#include "model/real.h"
#include "model/type.h"

/* ---- ByteBuffer ---- */

static bool new_buffer(struct java_run *run, uint32_t len, struct java_object **out)
{
    if (!(*out = java_new(run, J_BYTE_BUFFER)) || !((*out)->buffer.data = java_alloc(run, len)))
        return false;
    (*out)->buffer.limit = (*out)->buffer.capacity = len;
    return true;
}

static unsigned width_of(int kind)
{
    return kind == J_BYTE ? 1 : kind == J_SHORT || kind == J_CHAR ? 2 : kind == J_INT || kind == J_FLOAT ? 4 : 8;
}

/* Where the next value of the kind is, or that at a place which is given. */
static bool buffer_place(struct java_run *run, struct java_object *o, int kind, const int64_t *at, bool put,
                         uint8_t **out)
{
    unsigned width = width_of(kind);
    if (at) {
        if (*at < 0 || *at + width > o->buffer.limit)
            return java_throw(run, J_INDEX, NULL);
        *out = o->buffer.data + *at;
        return true;
    }
    if (o->buffer.limit - o->buffer.position < width)
        return java_throw(run, put ? J_BUFFER_OVERFLOW : J_BUFFER_UNDERFLOW, NULL);
    *out = o->buffer.data + o->buffer.position;
    o->buffer.position += width;
    return true;
}

JAVA_CALL(buffer_get)
{
    uint8_t *p = NULL;
    uint64_t v = 0;
    JAVA_UNUSED;
    if (!buffer_place(run, self->o, method->result, method->args[0] ? &args[0].i : NULL, false, &p))
        return false;
    for (unsigned i = 0; i < width_of(method->result); i++)
        v = v << 8 | p[i];
    if (method->result == J_DOUBLE)
        out->d = double_of(v);
    else if (method->result == J_FLOAT)
        out->d = (double)float_of((uint32_t)v);
    else
        out->i = java_narrow((enum java_kind)method->result, (int64_t)v);
    return true;
}

JAVA_CALL(buffer_put)
{
    int kind = method->args[method->args[1] ? 1 : 0];
    union java_value value = args[method->args[1] ? 1 : 0];
    uint64_t v = kind == J_DOUBLE  ? double_bits(value.d)
                 : kind == J_FLOAT ? float_bits((float)value.d)
                                   : (uint64_t)value.i;
    uint8_t *p = NULL;
    JAVA_UNUSED;
    if (!buffer_place(run, self->o, kind, method->args[1] ? &args[0].i : NULL, true, &p))
        return false;
    for (unsigned n = width_of(kind), i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> 8 * (n - 1 - i));
    out->o = self->o;
    return true;
}

JAVA_CALL(buffer_get_all)
{
    struct java_object *o = self->o;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_LENGTH, "dst"))
        return false;
    if (o->buffer.limit - o->buffer.position < args[0].o->array.count)
        return java_throw(run, J_BUFFER_UNDERFLOW, NULL);
    if (!java_spend(run, args[0].o->array.count / 64))
        return false;
    for (uint32_t i = 0; i < args[0].o->array.count; i++)
        args[0].o->array.items[i].i = (int8_t)o->buffer.data[o->buffer.position++];
    out->o = o;
    return true;
}

enum { BUFFER_REMAINING, BUFFER_POSITION, BUFFER_LIMIT, BUFFER_CAPACITY, BUFFER_HAS };

JAVA_CALL(buffer_state)
{
    JAVA_UNUSED;
    uint32_t left = self->o->buffer.limit - self->o->buffer.position;
    const int64_t values[] = { left, self->o->buffer.position, self->o->buffer.limit, self->o->buffer.capacity,
                               left > 0 };
    out->i = values[method->variant];
    return true;
}

enum { BUFFER_FLIP, BUFFER_REWIND, BUFFER_CLEAR, BUFFER_DUPLICATE };

JAVA_CALL(buffer_turn)
{
    struct java_object *o = self->o;
    JAVA_UNUSED;
    out->o = o;
    if (method->variant == BUFFER_DUPLICATE) {
        if (!(out->o = java_new(run, J_BYTE_BUFFER)))
            return false;
        out->o->buffer = o->buffer;
        return true;
    }
    if (method->variant == BUFFER_FLIP)
        o->buffer.limit = o->buffer.position;
    else if (method->variant == BUFFER_CLEAR)
        o->buffer.limit = o->buffer.capacity;
    o->buffer.position = 0;
    return true;
}

JAVA_CALL(buffer_position)
{
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "newPosition < 0: (%d < 0)", (int)args[0].i);
    if (args[0].i > self->o->buffer.limit)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "newPosition > limit: (%d > %u)", (int)args[0].i,
                          self->o->buffer.limit);
    self->o->buffer.position = (uint32_t)args[0].i;
    out->o = self->o;
    return true;
}

JAVA_CALL(buffer_allocate)
{
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "capacity < 0: (%d < 0)", (int)args[0].i);
    return new_buffer(run, (uint32_t)args[0].i, &out->o);
}

static void copy_bytes(const struct java_object *array, uint8_t *to)
{
    for (uint32_t i = 0; i < array->array.count; i++)
        to[i] = (uint8_t)array->array.items[i].i;
}

bool java_array_bytes(struct java_run *run, const struct java_object *array, struct slice *out)
{
    uint8_t *bytes = java_alloc(run, array->array.count);
    if (!bytes || !java_spend(run, array->array.count / JAVA_COMPARED_AT_ONCE))
        return false;
    copy_bytes(array, bytes);
    *out = slice_of(bytes, array->array.count);
    return true;
}

JAVA_CALL(buffer_wrap)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_LENGTH, "array"))
        return false;
    if (!new_buffer(run, args[0].o->array.count, &out->o))
        return false;
    copy_bytes(args[0].o, out->o->buffer.data);
    return true;
}

bool java_new_bytes(struct java_run *run, struct slice bytes, struct java_object **out)
{
    if (!java_array_of_items(run, J_BYTE, NULL, (uint32_t)bytes.len, out))
        return false;
    for (size_t i = 0; i < bytes.len; i++)
        (*out)->array.items[i].i = (int8_t)bytes.data[i];
    return true;
}

JAVA_CALL(buffer_array)
{
    JAVA_UNUSED;
    return java_new_bytes(run, slice_of(self->o->buffer.data, self->o->buffer.capacity), &out->o);
}

JAVA_CALL(string_bytes)
{
    struct slice text;
    JAVA_UNUSED;
    return java_utf8(run, self->o, &text) && java_new_bytes(run, text, &out->o);
}

/* What is from the position to the limit. */
static struct slice rest_of(const struct java_object *o)
{
    return slice_of(o->buffer.data + o->buffer.position, o->buffer.limit - o->buffer.position);
}

static bool buffer_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return slice_eq(rest_of(a), rest_of(b));
}

static uint32_t buffer_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return java_hash(rest_of(o));
}

static bool buffer_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    (void)run;
    *out = java_cmp(rest_of(a), rest_of(b));
    return true;
}

static bool buffer_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    char text[100];
    (void)run;
    java_put_ascii(utf16, text,
                   (size_t)snprintf(text, sizeof text, "java.nio.HeapByteBuffer[pos=%u lim=%u cap=%u]", o->buffer.position,
                                    o->buffer.limit, o->buffer.capacity));
    return true;
}

const struct java_object_ops java_buffer_ops = {
    .equals = buffer_equals, .hash = buffer_hash, .compare = buffer_compare, .print = buffer_print
};

/* ---- InetAddress ---- */

JAVA_CALL(inet_text)
{
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    type_print_string(&text, type_native(TYPE_INET), self->o->bytes);
    return java_string_of_text(run, &text, &out->o);
}

JAVA_CALL(inet_bytes)
{
    JAVA_UNUSED;
    return java_new_bytes(run, self->o->bytes, &out->o);
}

enum { INET_LOOPBACK, INET_ANY, INET_LINK_LOCAL, INET_SITE_LOCAL, INET_MULTICAST };

/* Addresses of one kind: those that begin with the bits, of four bytes and of sixteen. */
static const struct {
    uint32_t begin, mask;
    uint16_t begin6, mask6; /* of the first two bytes; without a mask: ::, or ::1 of the loopback */
} inet_ranges[] = {
    [INET_LOOPBACK] = { 0x7f000000, 0xff000000, 1, 0 },
    [INET_ANY] = { 0, 0xffffffff, 0, 0 },
    [INET_LINK_LOCAL] = { 0xa9fe0000, 0xffff0000, 0xfe80, 0xffc0 },
    [INET_SITE_LOCAL] = { 0x0a000000, 0xff000000, 0xfec0, 0xffc0 },
    [INET_MULTICAST] = { 0xe0000000, 0xf0000000, 0xff00, 0xff00 },
};

JAVA_CALL(inet_is)
{
    struct slice a = self->o->bytes;
    int what = method->variant;
    JAVA_UNUSED;
    if (a.len == 4) {
        uint32_t v = (uint32_t)a.data[0] << 24 | (uint32_t)a.data[1] << 16 | (uint32_t)a.data[2] << 8 | a.data[3];
        out->i = (v & inet_ranges[what].mask) == inet_ranges[what].begin ||
                 (what == INET_SITE_LOCAL && ((v & 0xfff00000) == 0xac100000 || (v & 0xffff0000) == 0xc0a80000));
        return true;
    }
    unsigned first = (unsigned)a.data[0] << 8 | a.data[1], rest = 0;
    for (int i = 0; i < 15; i++)
        rest |= a.data[i];
    out->i = inet_ranges[what].mask6 ? (first & inet_ranges[what].mask6) == inet_ranges[what].begin6 : !rest && a.data[15] == inet_ranges[what].begin6;
    return true;
}

/* The sum of its words, each of bytes with their signs. */
static uint32_t address_hash(struct java_run *run, const struct java_object *o)
{
    struct slice bytes = o->bytes;
    uint32_t h = 0, word = 0;
    (void)run;
    for (size_t i = 0; i < bytes.len; i++) {
        word = (word << 8) + (uint32_t)(int32_t)(int8_t)bytes.data[i];
        if (i % 4 == 3) {
            h += bytes.len == 4 ? read_u32(bytes.data) : word;
            word = 0;
        }
    }
    return h;
}

static bool address_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    (void)run;
    java_put_ascii(utf16, "/", 1);
    java_put_cql(utf16, TYPE_INET, o->bytes);
    return true;
}

const struct java_object_ops java_address_ops = { .equals = java_bytes_equals, .hash = address_hash, .print = address_print };

/* ---- the table ---- */

#define BUFFER(get, put, kind)                                                                                         \
    { J_BYTE_BUFFER, get, kind, { 0 }, 0, buffer_get, 0 }, { J_BYTE_BUFFER, get, kind, { J_INT }, 0, buffer_get, 0 },  \
        { J_BYTE_BUFFER, put, J_BYTE_BUFFER, { kind }, 0, buffer_put, 0 },                                             \
        { J_BYTE_BUFFER, put, J_BYTE_BUFFER, { J_INT, kind }, 0, buffer_put, 0 }

const struct java_method java_buffer_methods[] = {
    BUFFER("get", "put", J_BYTE),
    BUFFER("getShort", "putShort", J_SHORT),
    BUFFER("getChar", "putChar", J_CHAR),
    BUFFER("getInt", "putInt", J_INT),
    BUFFER("getLong", "putLong", J_LONG),
    BUFFER("getFloat", "putFloat", J_FLOAT),
    BUFFER("getDouble", "putDouble", J_DOUBLE),
    { J_BYTE_BUFFER, "get", J_BYTE_BUFFER, { JX_BYTES }, 0, buffer_get_all, 0 },
    { J_BYTE_BUFFER, "remaining", J_INT, { 0 }, 0, buffer_state, BUFFER_REMAINING },
    { J_BYTE_BUFFER, "position", J_INT, { 0 }, 0, buffer_state, BUFFER_POSITION },
    { J_BYTE_BUFFER, "limit", J_INT, { 0 }, 0, buffer_state, BUFFER_LIMIT },
    { J_BYTE_BUFFER, "capacity", J_INT, { 0 }, 0, buffer_state, BUFFER_CAPACITY },
    { J_BYTE_BUFFER, "hasRemaining", J_BOOLEAN, { 0 }, 0, buffer_state, BUFFER_HAS },
    { J_BYTE_BUFFER, "flip", J_BYTE_BUFFER, { 0 }, 0, buffer_turn, BUFFER_FLIP },
    { J_BYTE_BUFFER, "rewind", J_BYTE_BUFFER, { 0 }, 0, buffer_turn, BUFFER_REWIND },
    { J_BYTE_BUFFER, "clear", J_BYTE_BUFFER, { 0 }, 0, buffer_turn, BUFFER_CLEAR },
    { J_BYTE_BUFFER, "duplicate", J_BYTE_BUFFER, { 0 }, 0, buffer_turn, BUFFER_DUPLICATE },
    { J_BYTE_BUFFER, "position", J_BYTE_BUFFER, { J_INT }, 0, buffer_position, 0 },
    { J_BYTE_BUFFER, "array", JX_BYTES, { 0 }, 0, buffer_array, 0 },
    { J_BYTE_BUFFER, "allocate", J_BYTE_BUFFER, { J_INT }, JAVA_STATIC, buffer_allocate, 0 },
    { J_BYTE_BUFFER, "wrap", J_BYTE_BUFFER, { JX_BYTES }, JAVA_STATIC, buffer_wrap, 0 },
    { J_STRING, "getBytes", JX_BYTES, { 0 }, 0, string_bytes, 0 },
    { J_INET_ADDRESS, "getHostAddress", J_STRING, { 0 }, 0, inet_text, 0 },
    { J_INET_ADDRESS, "getAddress", JX_BYTES, { 0 }, 0, inet_bytes, 0 },
    { J_INET_ADDRESS, "isLoopbackAddress", J_BOOLEAN, { 0 }, 0, inet_is, INET_LOOPBACK },
    { J_INET_ADDRESS, "isAnyLocalAddress", J_BOOLEAN, { 0 }, 0, inet_is, INET_ANY },
    { J_INET_ADDRESS, "isLinkLocalAddress", J_BOOLEAN, { 0 }, 0, inet_is, INET_LINK_LOCAL },
    { J_INET_ADDRESS, "isSiteLocalAddress", J_BOOLEAN, { 0 }, 0, inet_is, INET_SITE_LOCAL },
    { J_INET_ADDRESS, "isMulticastAddress", J_BOOLEAN, { 0 }, 0, inet_is, INET_MULTICAST },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
