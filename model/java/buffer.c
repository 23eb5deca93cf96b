/* ByteBuffer and InetAddress. */
#include <stdio.h>

#include "engine/coding.h"
#include "model/java/lib.h"
#include "model/java/object_ops.h"
#include "model/javatext.h"
#include "model/real.h"
#include "model/type.h"

/* ---- ByteBuffer ---- */

static bool new_buffer(struct java_run *run, uint32_t len, struct java_object *o)
{
    if (!(o->buffer.store = java_alloc(run, sizeof *o->buffer.store)) || !(o->buffer.store->data = java_alloc(run, len)))
        return false;
    o->buffer.store->length = o->buffer.limit = o->buffer.capacity = len;
    return true;
}

bool java_buffer_of(struct java_run *run, struct slice bytes, struct java_object *out)
{
    if (!new_buffer(run, (uint32_t)bytes.len, out))
        return false;
    if (bytes.len)
        memcpy(out->buffer.store->data, bytes.data, bytes.len);
    return true;
}

static uint8_t byte_at(const struct java_object *o, uint32_t at)
{
    const struct java_store *store = o->buffer.store;
    return store->array ? (uint8_t)store->array->array.items[o->buffer.offset + at].i : store->data[o->buffer.offset + at];
}

static void put_byte(struct java_object *o, uint32_t at, uint8_t byte)
{
    struct java_store *store = o->buffer.store;
    if (store->array)
        store->array->array.items[o->buffer.offset + at].i = (int8_t)byte;
    else
        store->data[o->buffer.offset + at] = byte;
}

static uint32_t left_of(const struct java_object *o)
{
    return o->buffer.limit - o->buffer.position;
}

/* Where they lie, or a copy of what an array has. */
static bool bytes_of(struct java_run *run, const struct java_object *o, uint32_t first, uint32_t len, struct slice *out)
{
    if (!java_spend(run, len / JAVA_COMPARED_AT_ONCE))
        return false;
    if (!o->buffer.store->array) {
        *out = slice_of(o->buffer.store->data + o->buffer.offset + first, len);
        return true;
    }
    uint8_t *bytes = java_alloc(run, len);
    if (!bytes)
        return false;
    for (uint32_t i = 0; i < len; i++)
        bytes[i] = byte_at(o, first + i);
    *out = slice_of(bytes, len);
    return true;
}

bool java_buffer_rest(struct java_run *run, const struct java_object *buffer, struct slice *out)
{
    return bytes_of(run, buffer, buffer->buffer.position, left_of(buffer), out);
}

static bool check_open(struct java_run *run, const struct java_object *o)
{
    return !o->buffer.read_only || java_throw(run, J_READ_ONLY_BUFFER, NULL);
}

/* A mark beyond the position, or beyond the limit, is none. */
static void drop_mark(struct java_object *o, uint32_t most)
{
    if (o->buffer.mark > most + 1)
        o->buffer.mark = 0;
}

static unsigned width_of(int kind)
{
    return kind == J_BYTE ? 1 : kind == J_SHORT || kind == J_CHAR ? 2 : kind == J_INT || kind == J_FLOAT ? 4 : 8;
}

/* Where the next value of the kind is, or that at a place which is given. */
static bool buffer_place(struct java_run *run, struct java_object *o, int kind, const int64_t *at, bool put, uint32_t *out)
{
    unsigned width = width_of(kind);
    if (put && !check_open(run, o))
        return false;
    if (at) {
        if (*at < 0 || *at + width > o->buffer.limit)
            return java_throw(run, J_INDEX, NULL);
        *out = (uint32_t)*at;
        return true;
    }
    if (left_of(o) < width)
        return java_throw(run, put ? J_BUFFER_OVERFLOW : J_BUFFER_UNDERFLOW, NULL);
    *out = o->buffer.position;
    o->buffer.position += width;
    return true;
}

JAVA_CALL(buffer_get)
{
    uint32_t at = 0;
    uint64_t v = 0;
    JAVA_UNUSED;
    if (!buffer_place(run, self->o, method->result, method->args[0] ? &args[0].i : NULL, false, &at))
        return false;
    for (unsigned i = 0; i < width_of(method->result); i++)
        v = v << 8 | byte_at(self->o, at + i);
    if (method->result == J_DOUBLE)
        out->d = double_of(v);
    else if (method->result == J_FLOAT)
        out->d = real_widen(float_of((uint32_t)v));
    else
        out->i = java_narrow((enum java_kind)method->result, (int64_t)v);
    return true;
}

JAVA_CALL(buffer_put)
{
    int kind = method->args[method->args[1] ? 1 : 0];
    union java_value value = args[method->args[1] ? 1 : 0];
    uint64_t v = kind == J_DOUBLE  ? double_bits(value.d)
                 : kind == J_FLOAT ? float_bits(real_narrow(value.d))
                                   : (uint64_t)value.i;
    uint32_t at = 0;
    JAVA_UNUSED;
    if (!buffer_place(run, self->o, kind, method->args[1] ? &args[0].i : NULL, true, &at))
        return false;
    for (unsigned n = width_of(kind), i = 0; i < n; i++)
        put_byte(self->o, at + i, (uint8_t)(v >> 8 * (n - 1 - i)));
    out->o = self->o;
    return true;
}

/* ---- many bytes at once ---- */

static bool check_range(struct java_run *run, int64_t from, int64_t size, uint32_t length)
{
    return (from >= 0 && size >= 0 && from + size <= length) ||
           java_throw(run, J_INDEX, "Range [%d, %d + %d) out of bounds for length %u", (int)from, (int)from, (int)size, length);
}

/* What get and put move: between a place of the buffer, its position where none is given, and a part of an array, or all of it. */
struct buffer_move {
    struct java_object *array;
    int64_t at, from, size;
    bool placed;
};

static bool read_move(struct java_run *run, const struct java_method *method, const union java_value *self, const union java_value *args, const char *name,
                      struct buffer_move *m)
{
    unsigned array = method->args[0] == J_INT;
    m->placed = array;
    m->array = args[array].o;
    if (!java_check_read(run, m->array, JAVA_READ_LENGTH, name))
        return false;
    bool part = method->args[array + 1];
    m->from = part ? args[array + 1].i : 0;
    m->size = part ? args[array + 2].i : m->array->array.count;
    m->at = m->placed ? args[0].i : self->o->buffer.position;
    return (!m->placed || check_range(run, m->at, m->size, self->o->buffer.limit)) && check_range(run, m->from, m->size, m->array->array.count) &&
           java_spend(run, (uint64_t)m->size / JAVA_COMPARED_AT_ONCE);
}

JAVA_CALL(buffer_get_all)
{
    struct buffer_move m;
    JAVA_UNUSED;
    if (!read_move(run, method, self, args, "dst", &m))
        return false;
    if (!m.placed && m.size > left_of(self->o))
        return java_throw(run, J_BUFFER_UNDERFLOW, NULL);
    for (int64_t i = 0; i < m.size; i++)
        m.array->array.items[m.from + i].i = (int8_t)byte_at(self->o, (uint32_t)(m.at + i));
    self->o->buffer.position += m.placed ? 0 : (uint32_t)m.size;
    out->o = self->o;
    return true;
}

JAVA_CALL(buffer_put_all)
{
    struct buffer_move m;
    JAVA_UNUSED;
    if (!read_move(run, method, self, args, "src", &m) || !check_open(run, self->o))
        return false;
    if (!m.placed && m.size > left_of(self->o))
        return java_throw(run, J_BUFFER_OVERFLOW, NULL);
    for (int64_t i = 0; i < m.size; i++)
        put_byte(self->o, (uint32_t)(m.at + i), (uint8_t)m.array->array.items[m.from + i].i);
    self->o->buffer.position += m.placed ? 0 : (uint32_t)m.size;
    out->o = self->o;
    return true;
}

/* Bytes of another buffer, or of the same. */
static bool move_bytes(struct java_run *run, struct java_object *to, uint32_t at, const struct java_object *from, uint32_t first, uint32_t len)
{
    struct slice bytes;

    if (!bytes_of(run, from, first, len, &bytes))
        return false;
    if (!to->buffer.store->array) {
        if (len)
            memmove(to->buffer.store->data + to->buffer.offset + at, bytes.data, len);
        return true;
    }
    for (uint32_t i = 0; i < len; i++)
        put_byte(to, at + i, bytes.data[i]);
    return true;
}

JAVA_CALL(buffer_put_buffer)
{
    struct java_object *from = args[0].o;
    JAVA_UNUSED;
    if (from == self->o)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "The source buffer is this buffer");
    if (!check_open(run, self->o) || !java_check_read(run, from, "invoke \"java.nio.ByteBuffer.position()\"", "src"))
        return false;
    uint32_t len = left_of(from);
    if (len > left_of(self->o))
        return java_throw(run, J_BUFFER_OVERFLOW, NULL);
    if (!move_bytes(run, self->o, self->o->buffer.position, from, from->buffer.position, len))
        return false;
    self->o->buffer.position += len;
    from->buffer.position += len;
    out->o = self->o;
    return true;
}

JAVA_CALL(buffer_put_part)
{
    const struct java_object *from = args[1].o;
    JAVA_UNUSED;
    out->o = self->o;
    return check_range(run, args[0].i, args[3].i, self->o->buffer.limit) && java_check_read(run, from, "invoke \"java.nio.ByteBuffer.limit()\"", "src") &&
           check_range(run, args[2].i, args[3].i, from->buffer.limit) && check_open(run, self->o) &&
           move_bytes(run, self->o, (uint32_t)args[0].i, from, (uint32_t)args[2].i, (uint32_t)args[3].i);
}

/* ---- where it is ---- */

enum { BUFFER_REMAINING, BUFFER_POSITION, BUFFER_LIMIT, BUFFER_CAPACITY, BUFFER_HAS, BUFFER_IS_DIRECT, BUFFER_IS_READ_ONLY, BUFFER_HAS_ARRAY };

JAVA_CALL(buffer_state)
{
    const struct java_object *o = self->o;
    JAVA_UNUSED;
    const int64_t values[] = { left_of(o), o->buffer.position, o->buffer.limit,     o->buffer.capacity,
                               left_of(o) > 0, false,          o->buffer.read_only, !o->buffer.read_only };
    out->i = values[method->variant];
    return true;
}

enum { BUFFER_FLIP, BUFFER_REWIND, BUFFER_CLEAR };

JAVA_CALL(buffer_turn)
{
    struct java_object *o = self->o;
    JAVA_UNUSED;
    out->o = o;
    if (method->variant == BUFFER_FLIP)
        o->buffer.limit = o->buffer.position;
    else if (method->variant == BUFFER_CLEAR)
        o->buffer.limit = o->buffer.capacity;
    o->buffer.position = o->buffer.mark = 0;
    return true;
}

enum { BUFFER_DUPLICATE, BUFFER_READ_ONLY, BUFFER_SLICE };

/* Another buffer of the same bytes. */
JAVA_CALL(buffer_share)
{
    const struct java_object *o = self->o;
    JAVA_UNUSED;
    bool part = method->args[0];
    uint32_t first = part ? (uint32_t)args[0].i : o->buffer.position;
    if ((part && !check_range(run, args[0].i, args[1].i, o->buffer.limit)) || !(out->o = java_new(run, J_BYTE_BUFFER)))
        return false;
    out->o->buffer = o->buffer;
    out->o->buffer.read_only |= method->variant == BUFFER_READ_ONLY;
    if (method->variant != BUFFER_SLICE)
        return true;
    out->o->buffer.offset += first;
    out->o->buffer.position = out->o->buffer.mark = 0;
    out->o->buffer.limit = out->o->buffer.capacity = part ? (uint32_t)args[1].i : left_of(o);
    return true;
}

JAVA_CALL(buffer_compact)
{
    struct java_object *o = self->o;
    uint32_t left = left_of(o);
    JAVA_UNUSED;
    out->o = o;
    if (!check_open(run, o) || !move_bytes(run, o, 0, o, o->buffer.position, left))
        return false;
    o->buffer.position = left;
    o->buffer.limit = o->buffer.capacity;
    o->buffer.mark = 0;
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
    drop_mark(self->o, self->o->buffer.position);
    out->o = self->o;
    return true;
}

JAVA_CALL(buffer_limit)
{
    struct java_object *o = self->o;
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "newLimit < 0: (%d < 0)", (int)args[0].i);
    if (args[0].i > o->buffer.capacity)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "newLimit > capacity: (%d > %u)", (int)args[0].i, o->buffer.capacity);
    o->buffer.limit = (uint32_t)args[0].i;
    if (o->buffer.position > o->buffer.limit)
        o->buffer.position = o->buffer.limit;
    drop_mark(o, o->buffer.limit);
    out->o = o;
    return true;
}

enum { BUFFER_MARK, BUFFER_RESET };

JAVA_CALL(buffer_mark)
{
    struct java_object *o = self->o;
    JAVA_UNUSED;
    out->o = o;
    if (method->variant == BUFFER_MARK) {
        o->buffer.mark = o->buffer.position + 1;
        return true;
    }
    if (!o->buffer.mark)
        return java_throw(run, J_INVALID_MARK, NULL);
    o->buffer.position = o->buffer.mark - 1;
    return true;
}

/* ---- made, and as an array ---- */

JAVA_CALL(buffer_allocate)
{
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "capacity < 0: (%d < 0)", (int)args[0].i);
    return (out->o = java_new(run, J_BYTE_BUFFER)) && new_buffer(run, (uint32_t)args[0].i, out->o);
}

bool java_array_bytes(struct java_run *run, const struct java_object *array, struct slice *out)
{
    uint8_t *bytes = java_alloc(run, array->array.count);
    if (!bytes || !java_spend(run, array->array.count / JAVA_COMPARED_AT_ONCE))
        return false;
    for (uint32_t i = 0; i < array->array.count; i++)
        bytes[i] = (uint8_t)array->array.items[i].i;
    *out = slice_of(bytes, array->array.count);
    return true;
}

JAVA_CALL(buffer_wrap)
{
    struct java_object *array = args[0].o;
    bool part = method->args[1];
    JAVA_UNUSED;
    if (!java_check_read(run, array, JAVA_READ_LENGTH, part ? "buf" : "array"))
        return false;
    uint32_t count = array->array.count;
    int64_t from = part ? args[1].i : 0, size = part ? args[2].i : count;
    if (from < 0 || size < 0 || from + size > count)
        return java_throw(run, J_INDEX, NULL);
    if (!(out->o = java_new(run, J_BYTE_BUFFER)) || !(out->o->buffer.store = java_alloc(run, sizeof *out->o->buffer.store)))
        return false;
    *out->o->buffer.store = (struct java_store){ .array = array, .length = count };
    out->o->buffer.capacity = count;
    out->o->buffer.position = (uint32_t)from;
    out->o->buffer.limit = (uint32_t)(from + size);
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

/* The array that it is of, which whoever has it may change: from now on the store is that. */
JAVA_CALL(buffer_array)
{
    struct java_store *store = self->o->buffer.store;
    JAVA_UNUSED;
    if (!check_open(run, self->o) || (!store->array && !java_new_bytes(run, slice_of(store->data, store->length), &store->array)))
        return false;
    out->o = store->array;
    return true;
}

JAVA_CALL(buffer_array_offset)
{
    JAVA_UNUSED;
    out->i = self->o->buffer.offset;
    return check_open(run, self->o);
}

JAVA_CALL(string_bytes)
{
    struct slice text;
    JAVA_UNUSED;
    return java_utf8(run, self->o, &text) && java_new_bytes(run, text, &out->o);
}

/* ---- compared, from the position to the limit ---- */

static bool buffer_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    struct slice x, y;
    return java_buffer_rest(run, a, &x) && java_buffer_rest(run, b, &y) && slice_eq(x, y);
}

static uint32_t buffer_hash(struct java_run *run, const struct java_object *o)
{
    struct slice bytes;
    return java_buffer_rest(run, o, &bytes) ? java_hash(bytes) : 0;
}

static bool buffer_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    struct slice x, y;
    if (!java_buffer_rest(run, a, &x) || !java_buffer_rest(run, b, &y))
        return false;
    *out = java_cmp(x, y);
    return true;
}

JAVA_CALL(buffer_mismatch)
{
    struct slice x, y;
    size_t n = 0;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "invoke \"java.nio.ByteBuffer.position()\"", "that") || !java_buffer_rest(run, self->o, &x) ||
        !java_buffer_rest(run, args[0].o, &y) || !java_spend(run, x.len / JAVA_COMPARED_AT_ONCE))
        return false;
    while (n < x.len && n < y.len && x.data[n] == y.data[n])
        n++;
    out->i = n == x.len && n == y.len ? -1 : (int64_t)n;
    return true;
}

static bool buffer_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    char text[100];
    (void)run;
    java_put_ascii(utf16, text,
                   (size_t)snprintf(text, sizeof text, "java.nio.HeapByteBuffer%s[pos=%u lim=%u cap=%u]", o->buffer.read_only ? "R" : "",
                                    o->buffer.position, o->buffer.limit, o->buffer.capacity));
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
    { J_BYTE_BUFFER, "get", J_BYTE_BUFFER, { JX_BYTES, J_INT, J_INT }, 0, buffer_get_all, 0 },
    { J_BYTE_BUFFER, "get", J_BYTE_BUFFER, { J_INT, JX_BYTES }, 0, buffer_get_all, 0 },
    { J_BYTE_BUFFER, "get", J_BYTE_BUFFER, { J_INT, JX_BYTES, J_INT, J_INT }, 0, buffer_get_all, 0 },
    { J_BYTE_BUFFER, "put", J_BYTE_BUFFER, { J_BYTE_BUFFER }, 0, buffer_put_buffer, 0 },
    { J_BYTE_BUFFER, "put", J_BYTE_BUFFER, { J_INT, J_BYTE_BUFFER, J_INT, J_INT }, 0, buffer_put_part, 0 },
    { J_BYTE_BUFFER, "put", J_BYTE_BUFFER, { JX_BYTES }, 0, buffer_put_all, 0 },
    { J_BYTE_BUFFER, "put", J_BYTE_BUFFER, { JX_BYTES, J_INT, J_INT }, 0, buffer_put_all, 0 },
    { J_BYTE_BUFFER, "put", J_BYTE_BUFFER, { J_INT, JX_BYTES }, 0, buffer_put_all, 0 },
    { J_BYTE_BUFFER, "put", J_BYTE_BUFFER, { J_INT, JX_BYTES, J_INT, J_INT }, 0, buffer_put_all, 0 },
    { J_BYTE_BUFFER, "remaining", J_INT, { 0 }, 0, buffer_state, BUFFER_REMAINING },
    { J_BYTE_BUFFER, "position", J_INT, { 0 }, 0, buffer_state, BUFFER_POSITION },
    { J_BYTE_BUFFER, "limit", J_INT, { 0 }, 0, buffer_state, BUFFER_LIMIT },
    { J_BYTE_BUFFER, "capacity", J_INT, { 0 }, 0, buffer_state, BUFFER_CAPACITY },
    { J_BYTE_BUFFER, "hasRemaining", J_BOOLEAN, { 0 }, 0, buffer_state, BUFFER_HAS },
    { J_BYTE_BUFFER, "isDirect", J_BOOLEAN, { 0 }, 0, buffer_state, BUFFER_IS_DIRECT },
    { J_BYTE_BUFFER, "isReadOnly", J_BOOLEAN, { 0 }, 0, buffer_state, BUFFER_IS_READ_ONLY },
    { J_BYTE_BUFFER, "hasArray", J_BOOLEAN, { 0 }, 0, buffer_state, BUFFER_HAS_ARRAY },
    { J_BYTE_BUFFER, "flip", J_BYTE_BUFFER, { 0 }, 0, buffer_turn, BUFFER_FLIP },
    { J_BYTE_BUFFER, "rewind", J_BYTE_BUFFER, { 0 }, 0, buffer_turn, BUFFER_REWIND },
    { J_BYTE_BUFFER, "clear", J_BYTE_BUFFER, { 0 }, 0, buffer_turn, BUFFER_CLEAR },
    { J_BYTE_BUFFER, "duplicate", J_BYTE_BUFFER, { 0 }, 0, buffer_share, BUFFER_DUPLICATE },
    { J_BYTE_BUFFER, "asReadOnlyBuffer", J_BYTE_BUFFER, { 0 }, 0, buffer_share, BUFFER_READ_ONLY },
    { J_BYTE_BUFFER, "slice", J_BYTE_BUFFER, { 0 }, 0, buffer_share, BUFFER_SLICE },
    { J_BYTE_BUFFER, "slice", J_BYTE_BUFFER, { J_INT, J_INT }, 0, buffer_share, BUFFER_SLICE },
    { J_BYTE_BUFFER, "compact", J_BYTE_BUFFER, { 0 }, 0, buffer_compact, 0 },
    { J_BYTE_BUFFER, "position", J_BYTE_BUFFER, { J_INT }, 0, buffer_position, 0 },
    { J_BYTE_BUFFER, "limit", J_BYTE_BUFFER, { J_INT }, 0, buffer_limit, 0 },
    { J_BYTE_BUFFER, "mark", J_BYTE_BUFFER, { 0 }, 0, buffer_mark, BUFFER_MARK },
    { J_BYTE_BUFFER, "reset", J_BYTE_BUFFER, { 0 }, 0, buffer_mark, BUFFER_RESET },
    { J_BYTE_BUFFER, "mismatch", J_INT, { J_BYTE_BUFFER }, 0, buffer_mismatch, 0 },
    { J_BYTE_BUFFER, "array", JX_BYTES, { 0 }, 0, buffer_array, 0 },
    { J_BYTE_BUFFER, "arrayOffset", J_INT, { 0 }, 0, buffer_array_offset, 0 },
    { J_BYTE_BUFFER, "order", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_BYTE_ORDER },
    { J_BYTE_BUFFER, "asCharBuffer", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_CHAR_BUFFER },
    { J_BYTE_BUFFER, "asShortBuffer", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_SHORT_BUFFER },
    { J_BYTE_BUFFER, "asIntBuffer", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_INT_BUFFER },
    { J_BYTE_BUFFER, "asLongBuffer", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_LONG_BUFFER },
    { J_BYTE_BUFFER, "asFloatBuffer", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_FLOAT_BUFFER },
    { J_BYTE_BUFFER, "asDoubleBuffer", J_OBJECT, { 0 }, JAVA_MISSING, NULL, JAVA_MISSING_DOUBLE_BUFFER },
    { J_BYTE_BUFFER, "allocate", J_BYTE_BUFFER, { J_INT }, JAVA_STATIC, buffer_allocate, 0 },
    { J_BYTE_BUFFER, "allocateDirect", J_BYTE_BUFFER, { J_INT }, JAVA_STATIC | JAVA_REFUSED, NULL, 0 },
    { J_BYTE_BUFFER, "wrap", J_BYTE_BUFFER, { JX_BYTES }, JAVA_STATIC, buffer_wrap, 0 },
    { J_BYTE_BUFFER, "wrap", J_BYTE_BUFFER, { JX_BYTES, J_INT, J_INT }, JAVA_STATIC, buffer_wrap, 0 },
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
