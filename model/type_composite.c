/*
 * CompositeType: values of several types as one, [length u16][bytes][end of component u8] each (AbstractCompositeType). CQL has it as the class in
 * quotes alone; the value is then bytes that are checked, or a text: 'a:1'.
 */
#include <string.h>

#include "engine/coding.h"
#include "model/literal.h"
#include "model/type_ops.h"

enum { LENGTH_LEN = 2, STATIC_MARKER = 0xFFFF, COMPONENT_MAX = 0xFFFF };

/* What stands between the parentheses of a CompositeType's class; null: it is another class. */
static struct slice components_of(const struct type *type)
{
    static const char prefix[] = MARSHAL "CompositeType(";
    size_t len = sizeof prefix - 1;
    if (type->name.len <= len || memcmp(type->name.data, prefix, len) != 0)
        return SLICE_NULL;
    return slice_of(type->name.data + len, type->name.len - len - 1);
}

/* The next of them, off the list. */
static enum wr_status next_component(struct ctx *ctx, struct slice *list, const struct type **out)
{
    size_t len = 0;
    for (int depth = 0; len < list->len && (depth || list->data[len] != ','); len++)
        depth += list->data[len] == '(' ? 1 : list->data[len] == ')' ? -1 : 0;
    TRY(type_parse_class(ctx, slice_of(list->data, len), out));
    *list = slice_skip(*list, len < list->len ? len + 1 : len);
    return WR_OK;
}

/* ---- bytes ---- */

enum wr_status type_custom_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    struct slice list = components_of(type), rest = value;
    if (slice_is_null(list))
        return WR_OK;
    if (rest.len >= LENGTH_LEN && read_u16(rest.data) == STATIC_MARKER)
        rest = slice_skip(rest, LENGTH_LEN);
    for (unsigned i = 0; rest.len; i++) {
        const struct type *part;
        if (!list.len)
            return fail(ctx, WR_INVALID, "Too many bytes for comparator");
        TRY(next_component(ctx, &list, &part));
        if (rest.len < LENGTH_LEN)
            return fail(ctx, WR_INVALID, "Not enough bytes to read value size of component %u", i);
        size_t len = read_u16(rest.data);
        rest = slice_skip(rest, LENGTH_LEN);
        if (rest.len < len)
            return fail(ctx, WR_INVALID, "Not enough bytes to read value of component %u", i);
        TRY(type_validate(ctx, part, slice_of(rest.data, len)));
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

/* AbstractCompositeType.fromString (a text that is empty has been taken before it): "!" and "_" say that the value is behind, or before, all that begin with the components before them. */
enum wr_status type_custom_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    struct slice list = components_of(type), rest = text;
    unsigned count = 0;
    bool more = true;
    uint8_t end = 0;
    struct buf buf;

    if (slice_is_null(list))
        return type_bytes_from_string(ctx, type, text, out);
    buf_init(&buf, ctx->arena);
    if (!text.len) {
        *out = SLICE_EMPTY;
        return WR_OK;
    }
    while (more) {
        const struct type *component;
        struct slice part = type_split_field(&rest, &more);
        end = slice_eq_str(part, "!") ? 1 : slice_eq_str(part, "_") ? 0xFF : 0;
        if (count)
            buf_put_u8(&buf, end); /* of the component before */
        if (end)
            break;
        if (!list.len)
            return fail(ctx, WR_SERVER_ERROR, "java.lang.ArrayIndexOutOfBoundsException: Index %u out of bounds for length %u", count, count);
        TRY(next_component(ctx, &list, &component));
        TRY(put_component(ctx, component, part, &buf));
        count++;
    }
    if (end && !count)
        return fail(ctx, WR_SERVER_ERROR, "java.lang.IndexOutOfBoundsException: -1");
    if (!end)
        buf_put_u8(&buf, end);
    return buf_done(ctx, &buf, out);
}
