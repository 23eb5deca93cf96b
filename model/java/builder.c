/* StringBuilder and StringBuffer, which differ in their name. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"

/* For n more. A builder's units are its own, so they may be written to. */
static bool make_room(struct java_run *run, struct java_object *b, uint32_t n, uint16_t **units)
{
    *units = (uint16_t *)(void *)b->string.units;
    if (b->string.len + n <= b->string.room)
        return true;
    uint32_t room = 2 * (b->string.len + n) + 16;
    if (!(*units = java_alloc(run, room * sizeof **units)))
        return false;
    if (b->string.len)
        memcpy(*units, b->string.units, b->string.len * sizeof **units);
    b->string.units = *units;
    b->string.room = room;
    return true;
}

bool java_builder_put(struct java_run *run, struct java_object *b, uint32_t at, const struct buf *text)
{
    uint32_t n = (uint32_t)(text->len / sizeof(uint16_t));
    uint16_t *units;

    if (text->failed) {
        fail_nomem(run->ctx);
        return false;
    }
    if (!make_room(run, b, n, &units))
        return false;
    if (!n)
        return true;
    if (!java_spend(run, (b->string.len - at + n) / JAVA_COMPARED_AT_ONCE))
        return false;
    memmove(units + at + n, units + at, (b->string.len - at) * sizeof *units);
    memcpy(units + at, text->data, n * sizeof *units);
    b->string.len += n;
    return true;
}

static bool put_argument(struct java_run *run, struct buf *text, int kind, union java_value v)
{
    if (kind < J_KIND_COUNT && java_is_primitive(java_simple((enum java_kind)kind))) {
        java_print_primitive(text, java_simple((enum java_kind)kind), v);
        return true;
    }
    if (kind != JX_CHARS)
        return java_print(run, text, v.o);
    if (!java_check_read(run, v.o, JAVA_READ_LENGTH, "str"))
        return false;
    for (uint32_t i = 0; i < v.o->array.count; i++)
        java_print_primitive(text, java_simple(J_CHAR), v.o->array.items[i]);
    return java_spend(run, v.o->array.count / JAVA_COMPARED_AT_ONCE);
}

JAVA_CALL(builder_new)
{
    struct buf text;
    JAVA_UNUSED;
    if (!(out->o = java_new(run, (enum java_kind)self->i)))
        return false;
    if (method->args[0] == J_INT && args[0].i < 0)
        return java_throw(run, J_NEGATIVE_SIZE, "%d", (int)args[0].i);
    if (method->args[0] != J_STRING)
        return true;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"str\" is null");
    buf_init(&text, run->ctx->arena);
    return java_print(run, &text, args[0].o) && java_builder_put(run, out->o, 0, &text);
}

JAVA_CALL(builder_append)
{
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    out->o = self->o;
    return put_argument(run, &text, method->args[0], args[0]) &&
           java_builder_put(run, self->o, self->o->string.len, &text);
}

/* Of a text a part; of none, of "null". */
JAVA_CALL(builder_append_part)
{
    struct java_object *o = args[0].o;
    struct buf text;
    JAVA_UNUSED;
    if (!o && !java_string_of_utf8(run, SLICE_LIT("null"), &o))
        return false;
    if (args[1].i < 0 || args[1].i > args[2].i || args[2].i > o->string.len)
        return java_throw(run, J_INDEX, "start %d, end %d, length %u", (int)args[1].i, (int)args[2].i, (unsigned)o->string.len);
    buf_init(&text, run->ctx->arena);
    buf_put(&text, o->string.units + args[1].i, (size_t)(args[2].i - args[1].i) * sizeof *o->string.units);
    out->o = self->o;
    return java_builder_put(run, self->o, self->o->string.len, &text);
}

/* Some characters of an array. */
JAVA_CALL(builder_append_chars)
{
    struct buf text;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_LENGTH, "str"))
        return false;
    int64_t from = args[1].i, end = from + args[2].i;
    if (from < 0 || from > end || end > args[0].o->array.count)
        return java_throw(run, J_INDEX, "start %d, end %d, length %u", (int)from, (int)end, args[0].o->array.count);
    buf_init(&text, run->ctx->arena);
    for (int64_t i = from; i < end; i++)
        java_print_primitive(&text, java_simple(J_CHAR), args[0].o->array.items[i]);
    out->o = self->o;
    return java_spend(run, (uint64_t)(end - from) / JAVA_COMPARED_AT_ONCE) && java_builder_put(run, self->o, self->o->string.len, &text);
}

/* It has the room that it needs, whatever is asked for. */
JAVA_CALL(builder_fit)
{
    JAVA_UNUSED;
    return true;
}

JAVA_CALL(builder_insert)
{
    struct buf text;
    JAVA_UNUSED;
    if (args[0].i < 0 || args[0].i > self->o->string.len)
        return java_throw(run, J_STRING_INDEX, "offset %d, length %u", (int)args[0].i, self->o->string.len);
    buf_init(&text, run->ctx->arena);
    out->o = self->o;
    return put_argument(run, &text, method->args[1], args[1]) &&
           java_builder_put(run, self->o, (uint32_t)args[0].i, &text);
}

JAVA_CALL(builder_reverse)
{
    uint16_t *units = (uint16_t *)(void *)self->o->string.units;
    uint32_t n = self->o->string.len;
    JAVA_UNUSED;
    if (!java_spend(run, n / JAVA_COMPARED_AT_ONCE))
        return false;
    for (uint32_t i = 0; i < n / 2; i++) {
        uint16_t c = units[i];
        units[i] = units[n - 1 - i];
        units[n - 1 - i] = c;
    }
    for (uint32_t i = 0; i + 1 < n; i++)
        if ((units[i] & 0xfc00) == 0xdc00 && (units[i + 1] & 0xfc00) == 0xd800) { /* pairs stay pairs */
            uint16_t c = units[i];
            units[i] = units[i + 1];
            units[++i] = c;
        }
    out->o = self->o;
    return true;
}

/* The end of a range, which may lie behind that of the text. */
static bool end_of_range(struct java_run *run, const struct java_object *b, int64_t from, int64_t *to)
{
    uint32_t n = b->string.len;
    *to = *to > n ? n : *to;
    return (from >= 0 && from <= *to) || java_throw(run, J_STRING_INDEX, "start %d, end %d, length %u", (int)from, (int)*to, n);
}

static bool cut(struct java_run *run, struct java_object *b, int64_t from, int64_t to)
{
    uint16_t *units = (uint16_t *)(void *)b->string.units;
    size_t behind = b->string.len - (size_t)to;
    if (!java_spend(run, behind / JAVA_COMPARED_AT_ONCE))
        return false;
    if (behind)
        memmove(units + from, units + to, behind * sizeof *units);
    b->string.len -= (uint32_t)(to - from);
    return true;
}

JAVA_CALL(builder_delete)
{
    int64_t from = args[0].i, to = method->args[1] ? args[1].i : from + 1;
    uint32_t n = self->o->string.len;
    JAVA_UNUSED;
    if (!method->args[1] && (from < 0 || from >= n))
        return java_throw(run, J_STRING_INDEX, "index %d, length %u", (int)from, n);
    out->o = self->o;
    return end_of_range(run, self->o, from, &to) && cut(run, self->o, from, to);
}

JAVA_CALL(builder_replace)
{
    int64_t from = args[0].i, to = args[1].i;
    struct buf text;
    JAVA_UNUSED;
    if (!end_of_range(run, self->o, from, &to) || !java_check_read(run, args[2].o, JAVA_READ_TEXT, "str"))
        return false;
    buf_init(&text, run->ctx->arena);
    out->o = self->o;
    return java_print(run, &text, args[2].o) && cut(run, self->o, from, to) && java_builder_put(run, self->o, (uint32_t)from, &text);
}

JAVA_CALL(builder_append_point)
{
    uint32_t c = (uint32_t)args[0].i;
    struct buf text;
    JAVA_UNUSED;
    if (c > 0x10ffff)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Not a valid Unicode code point: 0x%X", c);
    bool two = c > 0xffff;
    uint16_t units[] = { (uint16_t)(two ? 0xd7c0 + (c >> 10) : c), (uint16_t)(0xdc00 | (c & 0x3ff)) };
    buf_init(&text, run->ctx->arena);
    buf_put(&text, units, (two ? 2 : 1) * sizeof *units);
    out->o = self->o;
    return java_builder_put(run, self->o, self->o->string.len, &text);
}

JAVA_CALL(builder_set)
{
    JAVA_UNUSED;
    if (args[0].i < 0 || args[0].i >= self->o->string.len)
        return java_throw(run, J_STRING_INDEX, "index %d, length %u", (int)args[0].i, self->o->string.len);
    ((uint16_t *)(void *)self->o->string.units)[args[0].i] = (uint16_t)args[1].i;
    return true;
}

JAVA_CALL(builder_set_length)
{
    uint32_t len = self->o->string.len, more = 0;
    uint16_t *units;
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_STRING_INDEX, "String index out of range: %d", (int)args[0].i);
    if (args[0].i > 16 << 20)
        return java_out_of_memory(run);
    if (args[0].i > len)
        more = (uint32_t)args[0].i - len;
    if (!make_room(run, self->o, more, &units) || !java_spend(run, more / JAVA_COMPARED_AT_ONCE))
        return false;
    if (more)
        memset(units + len, 0, more * sizeof *units);
    self->o->string.len = (uint32_t)args[0].i;
    return true;
}

/* ---- the table ---- */

#define APPEND(of, type) { of, "append", of, { type }, 0, builder_append, 0 }
#define INSERT(of, type) { of, "insert", of, { J_INT, type }, 0, builder_insert, 0 }
#define BUILDER(of)                                                                                                    \
    { of, "<init>", of, { 0 }, 0, builder_new, 0 }, { of, "<init>", of, { J_STRING }, 0, builder_new, 0 },             \
        { of, "<init>", of, { J_INT }, 0, builder_new, 0 }, APPEND(of, J_OBJECT), APPEND(of, J_STRING),                \
        APPEND(of, J_CHAR_SEQUENCE), APPEND(of, JX_CHARS), APPEND(of, J_BOOLEAN), APPEND(of, J_CHAR), APPEND(of, J_INT), APPEND(of, J_LONG), \
        APPEND(of, J_FLOAT), APPEND(of, J_DOUBLE), INSERT(of, J_OBJECT), INSERT(of, J_STRING), INSERT(of, JX_CHARS), INSERT(of, J_CHAR_SEQUENCE), INSERT(of, J_BOOLEAN), \
        INSERT(of, J_CHAR), INSERT(of, J_INT), INSERT(of, J_LONG), INSERT(of, J_FLOAT), INSERT(of, J_DOUBLE),          \
        { of, "append", of, { J_CHAR_SEQUENCE, J_INT, J_INT }, 0, builder_append_part, 0 },                            \
        { of, "append", of, { JX_CHARS, J_INT, J_INT }, 0, builder_append_chars, 0 },                                  \
        { of, "ensureCapacity", J_VOID, { J_INT }, 0, builder_fit, 0 }, { of, "trimToSize", J_VOID, { 0 }, 0, builder_fit, 0 }, \
        { of, "appendCodePoint", of, { J_INT }, 0, builder_append_point, 0 },                                          \
        { of, "replace", of, { J_INT, J_INT, J_STRING }, 0, builder_replace, 0 },                                      \
        { of, "subSequence", J_CHAR_SEQUENCE, { J_INT, J_INT }, 0, java_substring, 0 },                                \
        { of, "indexOf", J_INT, { J_STRING, J_INT }, 0, java_string_find, JAVA_FIND_FIRST },                           \
        { of, "lastIndexOf", J_INT, { J_STRING }, 0, java_string_find, JAVA_FIND_LAST },                               \
        { of, "lastIndexOf", J_INT, { J_STRING, J_INT }, 0, java_string_find, JAVA_FIND_LAST },                        \
        { of, "reverse", of, { 0 }, 0, builder_reverse, 0 },                                                           \
        { of, "delete", of, { J_INT, J_INT }, 0, builder_delete, 0 },                                                  \
        { of, "deleteCharAt", of, { J_INT }, 0, builder_delete, 0 },                                                   \
        { of, "replace", of, { J_INT, J_INT, J_STRING }, 0, builder_replace, 0 },                                      \
        { of, "setCharAt", J_VOID, { J_INT, J_CHAR }, 0, builder_set, 0 },                                             \
        { of, "setLength", J_VOID, { J_INT }, 0, builder_set_length, 0 },                                              \
        { of, "compareTo", J_INT, { of }, 0, java_compare_to, 0 },                                                     \
        { of, "substring", J_STRING, { J_INT }, 0, java_substring, 0 },                                                \
        { of, "substring", J_STRING, { J_INT, J_INT }, 0, java_substring, 0 },                                         \
    {                                                                                                                  \
        of, "indexOf", J_INT, { J_STRING }, 0, java_string_find, JAVA_FIND_FIRST                                       \
    }

const struct java_method java_builder_methods[] = {
    BUILDER(J_STRING_BUILDER),
    BUILDER(J_STRING_BUFFER),
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_object_ops java_builder_ops = { .compare = java_text_compare, .print = java_text_print };
