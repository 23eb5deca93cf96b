/* Vectors: a fixed number of elements, end to end where all are equally long, else each behind its length as a vint. */
#include "model/duration.h"
#include "model/type_ops.h"
#include "model/type_parts.h"

/* Bytes of an element that needs no length; 0: it needs one. */
static size_t fixed_element(const struct type *element)
{
    if (element->kind == TYPE_VECTOR)
        return fixed_element(element->args[0]) * element->dimension;
    const struct type_ops *ops = type_ops(element);
    return ops->flags & LENGTH_FIXED ? (size_t)ops->fixed_len : 0;
}

/* Whether an element is right by its length alone, as most that need none are. */
static bool is_any_bytes(const struct type *element)
{
    return element->kind == TYPE_VECTOR ? is_any_bytes(element->args[0]) : fixed_element(element) && !type_ops(element)->validate;
}

bool type_is_fixed(const struct type *type)
{
    return type->kind == TYPE_VECTOR ? type_is_fixed(type->args[0]) : type_ops(type)->flags & LENGTH_FIXED;
}

bool vector_is_fixed(const struct type *type)
{
    return type_is_fixed(type->args[0]);
}

struct slice vector_read(const struct type *type, struct reader *r)
{
    uint64_t len = fixed_element(type->args[0]);
    if (!vector_is_fixed(type)) {
        struct slice rest = reader_rest(r);
        r->failed |= !vint_read(&rest, &len);
        if (!r->failed)
            r->at += vint_len(len); /* VectorType.VariableLengthSerializer steps over as many bytes as it would have written, be there more */
    }
    if (len > reader_left(r))
        r->failed = true;
    return read_bytes(r, (size_t)len);
}

void vector_put(struct buf *buf, const struct type *type, struct slice element)
{
    if (!vector_is_fixed(type))
        vint_put(buf, element.len);
    buf_put_slice(buf, element);
}

/* Why the element at the front of rest cannot be read: VectorType.VariableLengthSerializer checks little, and what it lets through is what clients see. */
static enum wr_status fail_element(struct ctx *ctx, const struct type *type, struct slice value, struct slice rest)
{
    struct slice behind = rest;
    uint64_t len;
    if (!rest.len || vector_is_fixed(type))
        return fail(ctx, WR_INVALID, "Not enough bytes to read a %s", type_name(ctx, type));
    if (!vint_read(&behind, &len) || len == UINT64_MAX) /* what it reads of too few bytes is -1, too */
        return fail(ctx, WR_SERVER_ERROR, "java.lang.AssertionError: Invalidate data at offset %zu; saw size of -1 but only >= 0 is expected",
                    value.len - rest.len);
    if (len > INT32_MAX)
        return fail(ctx, WR_SERVER_ERROR,
                    "org.apache.cassandra.utils.vint.VIntCoding$VIntOutOfRangeException: %lld is out of range for a 32-bit integer", (long long)len);
    return fail(ctx, WR_SERVER_ERROR, "java.lang.IndexOutOfBoundsException: Attempted to read %d, but the size is %zu", (int)len,
                rest.len - vint_len(len));
}

enum wr_status type_vector_validate(struct ctx *ctx, const struct type *type, struct slice value)
{
    struct elements e;
    struct slice element, rest;
    if (value.len == 0)
        return fail(ctx, WR_INVALID, "Invalid empty vector value");
    if (is_any_bytes(type) && value.len == fixed_element(type))
        return WR_OK;
    elements_open(&e, type, value);
    while (rest = e.rest, elements_next(&e, &element))
        TRY(type_validate(ctx, type->args[0], element));
    if (e.failed)
        return fail_element(ctx, type, value, rest);
    if (e.rest.len)
        return fail(ctx, WR_INVALID, "Unexpected %zu extraneous bytes after %s value", e.rest.len,
                    type_name(ctx, type));
    return WR_OK;
}

int type_vector_compare(const struct type *type, struct slice a, struct slice b)
{
    return type_sequence_compare(type, a, b);
}

void type_vector_print(struct buf *buf, const struct type *type, struct slice value, enum text_form form)
{
    struct elements e;
    struct slice element;
    buf_put_u8(buf, '[');
    for (elements_open(&e, type, value); elements_next(&e, &element);) {
        if (e.at > 1)
            buf_put_str(buf, ", ");
        type_print(buf, type->args[0], element, form);
    }
    buf_put_u8(buf, ']');
}

enum wr_status type_vector_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out)
{
    return type_bytes_from_string(ctx, type, text, out);
}

/* The number of elements is the type's, so no end is marked; an element of a fixed length needs no mark of its own. */
void type_vector_put_order(struct buf *buf, const struct type *type, struct slice value)
{
    bool fixed = vector_is_fixed(type);
    struct elements e;
    struct slice element;
    for (elements_open(&e, type, value); elements_next(&e, &element);) {
        if (fixed)
            type_put_order(buf, type->args[0], element);
        else
            type_put_part(buf, type->args[0], element);
    }
}

enum wr_status type_vector_get_order(struct ctx *ctx, const struct type *type, struct slice *from, struct slice *out)
{
    bool fixed = vector_is_fixed(type);
    struct buf buf;
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < type->dimension; i++) {
        struct slice element;
        if (fixed)
            TRY(type_ops(type->args[0])->get_order(ctx, type->args[0], from, &element));
        else
            TRY(type_get_part(ctx, type->args[0], from, &element));
        vector_put(&buf, type, element);
    }
    return buf_done(ctx, &buf, out);
}
