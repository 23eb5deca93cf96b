#include "model/recompose.h"

#include "model/number.h"
#include "model/type_parts.h"

static enum wr_status recompose_varint(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    (void)ctx, (void)type;
    *out = varint_trim(value);
    return WR_OK;
}

static enum wr_status recompose_decimal(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    const size_t scale = sizeof(uint32_t);
    struct slice digits = slice_skip(value, value.len < scale ? value.len : scale), shorter = varint_trim(digits);
    (void)type;
    *out = value;
    if (shorter.len == digits.len)
        return WR_OK;
    uint8_t *bytes = NEW_ARRAY(ctx, uint8_t, scale + shorter.len);
    if (!bytes)
        return WR_NOMEM;
    memcpy(bytes, value.data, scale);
    memcpy(bytes + scale, shorter.data, shorter.len);
    *out = slice_of(bytes, scale + shorter.len);
    return WR_OK;
}

static enum wr_status recompose_boolean(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    static const uint8_t yes = 1;
    (void)ctx, (void)type;
    *out = value.data[0] ? slice_of(&yes, 1) : value;
    return WR_OK;
}

static enum wr_status recompose_inet(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    (void)ctx, (void)type;
    *out = inet_unmapped(value);
    return WR_OK;
}

static enum wr_status recompose_parts(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out);

typedef enum wr_status recomposer(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out);

static recomposer *const recomposers[TYPE_KIND_COUNT] = { /* NULL: a value has one form only */
    [TYPE_BOOLEAN] = recompose_boolean, [TYPE_DECIMAL] = recompose_decimal, [TYPE_INET] = recompose_inet, [TYPE_VARINT] = recompose_varint,
    [TYPE_LIST] = recompose_parts,      [TYPE_SET] = recompose_parts,       [TYPE_MAP] = recompose_parts, [TYPE_VECTOR] = recompose_parts,
};

/* Then a list of such is as it should be. */
static bool has_one_form(const struct type *type)
{
    return type->kind == TYPE_VECTOR ? has_one_form(type->args[0]) : !recomposers[type->kind];
}

enum wr_status element_recompose(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    *out = value;
    return value.len && recomposers[type->kind] ? recomposers[type->kind](ctx, type, value, out) : WR_OK;
}

/* UserTypes.Value: split into its fields and put together again, so that any length below zero becomes -1. */
static enum wr_status recompose_udt(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, type->arg_count);
    struct elements e;
    uint32_t n = 0;

    *out = value;
    if (!values)
        return WR_NOMEM;
    for (elements_open(&e, type, value); n < type->arg_count && elements_next(&e, &values[n]); n++)
        ;
    return n ? type_pack(ctx, type, values, n, out) : WR_OK;
}

/* Of a collection, or of a vector in one. */
static enum wr_status recompose_parts(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    struct slice *values, one;
    struct elements e;
    bool keyed = type_is_keyed(type), changed = false;

    *out = value;
    if (slice_is_null(value) || (!keyed && has_one_form(type->args[0])))
        return WR_OK;
    uint32_t step = type->arg_count, n = 0;
    elements_open(&e, type, value);
    if (!(values = NEW_ARRAY(ctx, struct slice, e.count)))
        return WR_NOMEM;
    for (; elements_next(&e, &one); n++) {
        TRY(element_recompose(ctx, type->args[n % step], one, &values[n]));
        changed |= values[n].data != one.data || values[n].len != one.len ||
                   (keyed && n >= step && n % step == 0 && type_compare(type->args[0], values[n - step], values[n]) >= 0);
    }
    if (!changed)
        return WR_OK;
    return type_pack(ctx, type, values, keyed ? type_sort_unique(type, values, n / step) : n, out);
}

/* Lists.Value: an element without a value, which an empty int is, becomes null; that of a list in the list is written as it was. */
static enum wr_status nulls_recompose(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    uint32_t count = type_collection_count(value), n = 0;
    struct slice *values, one;
    struct elements e;
    int each = type_fixed_len(type->args[0]);
    bool any = false;

    *out = value;
    if (each > 0 && value.len == 4 + (size_t)count * (4 + (size_t)each)) /* every one is there */
        return WR_OK;
    for (elements_open(&e, type, value); !any && elements_next(&e, &one);)
        any = type_reads_null(type->args[0], one);
    if (!any)
        return WR_OK;
    if (!(values = NEW_ARRAY(ctx, struct slice, count)))
        return WR_NOMEM;
    for (elements_open(&e, type, value); n < count && elements_next(&e, &one); n++)
        values[n] = type_reads_null(type->args[0], one) ? SLICE_NULL : one;
    return type_pack(ctx, type, values, n, out);
}

enum wr_status value_recompose(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out)
{
    *out = value;
    if (type->kind == TYPE_UDT)
        return recompose_udt(ctx, type, value, out);
    if (!type_is_collection(type))
        return WR_OK;
    TRY(recompose_parts(ctx, type, value, out));
    return type->kind == TYPE_LIST ? nulls_recompose(ctx, type, *out, out) : WR_OK;
}
