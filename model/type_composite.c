/*
 * CompositeType: values of several types as one, [length u16][bytes][end of component u8] each (AbstractCompositeType). CQL has it as the class in
 * quotes alone; the value is then bytes that are checked, or a text: 'a:1'.
 */
#include <string.h>

#include "engine/coding.h"
#include "engine/order.h"
#include "model/literal.h"
#include "model/type_ops.h"
#include "model/type_parts.h"

enum { LENGTH_LEN = 2, STATIC_MARKER = 0xFFFF, COMPONENT_MAX = 0xFFFF };

/* ---- bytes ---- */

enum wr_status type_composite_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    struct slice rest = value;
    if (rest.len >= LENGTH_LEN && read_u16(rest.data) == STATIC_MARKER)
        rest = slice_skip(rest, LENGTH_LEN);
    for (unsigned i = 0; rest.len; i++) {
        if (i == type->component_count)
            return fail(ctx, WR_INVALID, "Too many bytes for comparator");
        if (rest.len < LENGTH_LEN)
            return fail(ctx, WR_INVALID, "Not enough bytes to read value size of component %u", i);
        size_t len = read_u16(rest.data);
        rest = slice_skip(rest, LENGTH_LEN);
        if (rest.len < len)
            return fail(ctx, WR_INVALID, "Not enough bytes to read value of component %u", i);
        TRY(type_validate(ctx, type->components[i], slice_of(rest.data, len)));
        rest = slice_skip(rest, len);
        if (!rest.len)
            return fail(ctx, WR_INVALID, "Not enough bytes to read the end-of-component byte of component%u", i);
        bool ends = rest.data[0] != 0;
        rest = slice_skip(rest, 1);
        if (ends && rest.len)
            return fail(ctx, WR_INVALID, "Invalid bytes remaining after an end-of-component at component%u", i);
    }
    return WR_OK;
}

void type_composite_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    type_bytes_print(buf, type, value, form);
}

/* ---- order: AbstractCompositeType.compareCustom ---- */

/*
 *     kind u8 | component ... | 0 u8              of UNSOUND: kind u8 | the bytes as a string
 *     component  1 u8 | part (type_put_part), all bits flipped where it is reversed | end of component, flipped u8
 */
enum composite_kind { COMPOSITE_EMPTY = 1, COMPOSITE_STATIC, COMPOSITE_PLAIN, COMPOSITE_UNSOUND };
enum { COMPONENTS_END, COMPONENT_NEXT };

/* A walk over the components of a value. */
struct components {
    const struct type *type;
    struct slice rest;
    uint32_t at;
    struct slice value;
    int8_t end;
};

/* A constant's bytes nobody has looked at, which may be none of the type: what has parts of its own goes by its bytes. */
static const struct type *ordered_as(const struct type *component)
{
    return type_has_parts(component) || component->kind == TYPE_DURATION ? type_native(TYPE_BLOB) : component;
}

static bool is_sound(const struct type *component, size_t len)
{
    int fixed_len = type_fixed_len(component);
    if (!len)
        return true;
    if (component->kind == TYPE_DECIMAL)
        return len > sizeof(uint32_t);
    if (component->kind == TYPE_INET)
        return len == 4 || len == 16;
    return fixed_len <= 0 || len == (size_t)fixed_len;
}

static bool next_component(struct components *c)
{
    if (c->at == c->type->component_count || c->rest.len < LENGTH_LEN)
        return false;
    size_t len = read_u16(c->rest.data);
    if (c->rest.len < LENGTH_LEN + len + 1 || !is_sound(c->type->components[c->at], len))
        return false;
    c->value = slice_of(c->rest.data + LENGTH_LEN, len);
    c->end = (int8_t)c->rest.data[LENGTH_LEN + len];
    c->rest = slice_skip(c->rest, LENGTH_LEN + len + 1);
    c->at++;
    return true;
}

static enum composite_kind open_components(struct components *c, const struct type *type, struct slice value)
{
    bool is_static = value.len >= LENGTH_LEN && read_u16(value.data) == STATIC_MARKER;
    const struct components first = { .type = type, .rest = slice_skip(value, is_static ? LENGTH_LEN : 0) };

    *c = first;
    while (next_component(c))
        ;
    bool sound = c->rest.len == 0;
    *c = first;
    return !value.len ? COMPOSITE_EMPTY : !sound ? COMPOSITE_UNSOUND : is_static ? COMPOSITE_STATIC : COMPOSITE_PLAIN;
}

static int compare_components(const struct type *component, struct slice a, struct slice b)
{
    const struct type *as = ordered_as(component);
    return component->reversed ? type_compare(as, b, a) : type_compare(as, a, b);
}

static void put_component_order(struct buf *buf, const struct type *component, struct slice value)
{
    size_t from = buf->len;

    type_put_part(buf, ordered_as(component), value);
    if (component->reversed)
        order_invert(buf, from);
}

static enum wr_status get_component_order(struct ctx *ctx, const struct type *component, struct slice *from, struct slice *out)
{
    return (component->reversed ? type_get_part_inverted : type_get_part)(ctx, ordered_as(component), from, out);
}

int type_composite_compare(const struct type *type, struct slice a, struct slice b)
{
    struct components x, y;
    enum composite_kind p = open_components(&x, type, a), q = open_components(&y, type, b);

    if (p != q)
        return p < q ? -1 : 1;
    if (p == COMPOSITE_UNSOUND)
        return type_bytes_compare(type, a, b);
    for (;;) {
        bool more = next_component(&x), others = next_component(&y);
        if (!more || !others)
            return (int)more - (int)others;
        int c = compare_components(type->components[x.at - 1], x.value, y.value);
        if (c || x.end != y.end)
            return c ? c : x.end < y.end ? -1 : 1;
    }
}

void type_composite_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    struct components c;
    enum composite_kind kind = open_components(&c, type, value);

    buf_put_u8(buf, (uint8_t)kind);
    if (kind == COMPOSITE_UNSOUND) {
        type_bytes_put_order(buf, type, value);
        return;
    }
    while (next_component(&c)) {
        buf_put_u8(buf, COMPONENT_NEXT);
        put_component_order(buf, type->components[c.at - 1], c.value);
        buf_put_u8(buf, (uint8_t)((uint8_t)c.end ^ 0x80));
    }
    buf_put_u8(buf, COMPONENTS_END);
}

static bool take_byte(struct slice *from, uint8_t *out)
{
    if (!from->len)
        return false;
    *out = from->data[0];
    *from = slice_skip(*from, 1);
    return true;
}

enum wr_status type_composite_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    uint8_t kind = 0, mark = COMPONENT_NEXT, end = 0;
    struct slice part;
    struct buf buf;

    if (!take_byte(from, &kind) || kind < COMPOSITE_EMPTY || kind > COMPOSITE_UNSOUND)
        return fail_corrupt(ctx, "order: a composite's kind");
    if (kind == COMPOSITE_UNSOUND)
        return type_bytes_get_order(ctx, type, from, out);
    buf_init(&buf, ctx->arena);
    if (kind == COMPOSITE_STATIC)
        buf_put_u16(&buf, STATIC_MARKER);
    for (uint32_t i = 0; take_byte(from, &mark) && mark == COMPONENT_NEXT; i++) {
        if (i == type->component_count)
            return fail_corrupt(ctx, "order: a composite's components");
        TRY(get_component_order(ctx, type->components[i], from, &part));
        if (part.len > COMPONENT_MAX || !take_byte(from, &end))
            return fail_corrupt(ctx, "order: a composite's component");
        buf_put_u16(&buf, (uint16_t)part.len);
        buf_put_slice(&buf, part);
        buf_put_u8(&buf, end ^ 0x80);
    }
    if (mark != COMPONENTS_END)
        return fail_corrupt(ctx, "order: a composite's end");
    return buf_done(ctx, &buf, out);
}

/* ---- texts ---- */

static enum wr_status put_component(struct ctx *ctx, const struct type *type, struct slice part, struct buf *buf)
{
    struct slice text, value = SLICE_EMPTY;
    TRY(type_unescape_field(ctx, part, ":", &text));
    if (text.len && text.data[text.len - 1] == '!') /* there to part what stands before it from the ':' */
        text.len--;
    TRY(literal_from_string(ctx, type, text, &value));
    if (value.len > COMPONENT_MAX)
        return fail(ctx, WR_SERVER_ERROR, "java.lang.AssertionError: Attempted serializing to buffer exceeded maximum of %d bytes: %zu",
                    COMPONENT_MAX, value.len);
    buf_put_u16(buf, (uint16_t)value.len);
    buf_put_slice(buf, value);
    return WR_OK;
}

/* AbstractCompositeType.fromString (a text that is empty has been taken before it): "!" and "_" say that the value is behind, or before, all that begin with
 * the components before them. */
enum wr_status type_composite_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    struct slice rest = text;
    unsigned count = 0;
    bool more = true;
    uint8_t end = 0;
    struct buf buf;

    buf_init(&buf, ctx->arena);
    if (!text.len) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    while (more) {
        struct slice part = type_split_field(&rest, &more);
        end = slice_eq_str(part, "!") ? 1 : slice_eq_str(part, "_") ? 0xFF : 0;
        if (count)
            buf_put_u8(&buf, end); /* of the component before */
        if (end)
            break;
        if (count == type->component_count)
            return fail(ctx, WR_SERVER_ERROR, "java.lang.ArrayIndexOutOfBoundsException: Index %u out of bounds for length %u", count, count);
        TRY(put_component(ctx, type->components[count], part, &buf));
        count++;
    }
    if (end && !count)
        return fail(ctx, WR_SERVER_ERROR, "java.lang.IndexOutOfBoundsException: -1");
    if (!end)
        buf_put_u8(&buf, end);
    return buf_done(ctx, &buf, out);
}
