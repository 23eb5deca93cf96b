#include "model/foreign_order.h"

#include "engine/coding.h"
#include "model/failure.h"

typedef enum wr_status orderer(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order);

/* Of a compiled method, which says no more. */
static enum wr_status fail_compared_null(struct ctx *ctx)
{
    return fail(ctx, WR_SERVER_ERROR, "java.lang.NullPointerException");
}

/* A vector's, element by element. */
static enum wr_status elements_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    struct elements x, y;
    struct slice p, q;

    *order = 0;
    elements_open(&x, type, a);
    elements_open(&y, type, b);
    for (uint32_t i = 0; *order == 0 && elements_next(&x, &p) && elements_next(&y, &q); i++)
        TRY(foreign_order(ctx, type->args[i % type->arg_count], p, q, order));
    if (x.failed || y.failed) /* there an exception of the serializer's */
        return type_validate(ctx, type, x.failed ? a : b);
    if (*order == 0)
        *order = (x.count > y.count) - (x.count < y.count);
    return WR_OK;
}

static enum wr_status take_element(struct ctx *ctx, struct slice *from, size_t len, struct slice *out)
{
    if (from->len < len)
        return fail(ctx, WR_SERVER_ERROR, "java.lang.IndexOutOfBoundsException: Attempted to read %zu, but the size is %zu", len, from->len);
    *out = slice_of(from->data, len);
    *from = slice_skip(*from, len);
    return WR_OK;
}

static enum wr_status fail_no_size(struct ctx *ctx)
{
    return fail(ctx, WR_SERVER_ERROR, "java.lang.AssertionError: Invalidate data at offset 0; saw size of -1 but only >= 0 is expected");
}

/* VectorType.VariableLengthSerializer.compareCustom. Of no bytes it takes a size, too. */
static enum wr_status sized_elements_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    struct elements x;
    struct slice first;

    if (!a.len)
        return fail_no_size(ctx);
    if (b.len)
        return elements_order(ctx, type, a, b, order);
    elements_open(&x, type, a);
    return elements_next(&x, &first) ? fail_no_size(ctx) : type_validate(ctx, type, a);
}

/* Its FixedLengthSerializer's: so many elements, and nothing behind them. */
static enum wr_status fixed_elements_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    const size_t len = (size_t)type_fixed_len(type->args[0]);
    struct slice x, y;

    *order = 0;
    for (uint32_t i = 0; i < type->dimension && *order == 0; i++) {
        TRY(take_element(ctx, &a, len, &x));
        TRY(take_element(ctx, &b, len, &y));
        TRY(foreign_order(ctx, type->args[0], x, y, order));
    }
    return WR_OK;
}

static enum wr_status vectors_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    return (type_fixed_len(type->args[0]) < 0 ? sized_elements_order : fixed_elements_order)(ctx, type, a, b, order);
}

/* A count, or the size of what follows; negative: it is null. */
static enum wr_status take_size(struct ctx *ctx, struct slice *from, int32_t *out)
{
    if (from->len < 4)
        return fail_no_bytes(ctx);
    *out = (int32_t)read_u32(from->data);
    *from = slice_skip(*from, 4);
    return WR_OK;
}

static enum wr_status take_sized(struct ctx *ctx, struct slice *from, struct slice *out)
{
    int32_t size = 0;

    TRY(take_size(ctx, from, &size));
    *out = SLICE_NULL;
    return size < 0 ? WR_OK : take_element(ctx, from, (size_t)size, out);
}

/* CollectionType.compareListOrSet and compareMaps: part by part, then the lesser count first; what lies behind them is not looked at. */
static enum wr_status collection_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    int32_t a_count = 0, b_count = 0;
    struct slice x, y;

    *order = 0;
    TRY(take_size(ctx, &a, &a_count));
    TRY(take_size(ctx, &b, &b_count));
    for (int32_t i = 0; i < a_count && i < b_count && *order == 0; i++)
        for (uint32_t part = 0; part < type->arg_count && *order == 0; part++) {
            TRY(take_sized(ctx, &a, &x));
            TRY(take_sized(ctx, &b, &y));
            if (slice_is_null(x) || slice_is_null(y))
                return fail_compared_null(ctx);
            TRY(foreign_order(ctx, type->args[part], x, y, order));
        }
    if (*order == 0)
        *order = (a_count > b_count) - (a_count < b_count);
    return WR_OK;
}

static enum wr_status only_nulls(struct ctx *ctx, struct slice rest, bool *out)
{
    int32_t size = -1;

    while (rest.len && size < 0)
        TRY(take_size(ctx, &rest, &size));
    *out = size < 0;
    return WR_OK;
}

/* TupleType.compareCustom: component by component as far as both have some, a null before all others; those that are missing are null. */
static enum wr_status fields_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    struct slice x, y;
    int32_t x_len = 0, y_len = 0;
    bool none_in_a, none_in_b;

    *order = 0;
    for (uint32_t i = 0; a.len && b.len && i < type->arg_count && *order == 0; i++) {
        TRY(take_size(ctx, &a, &x_len));
        TRY(take_size(ctx, &b, &y_len));
        if (x_len < 0 || y_len < 0) {
            *order = (x_len >= 0) - (y_len >= 0);
            continue;
        }
        TRY(take_element(ctx, &a, (size_t)x_len, &x));
        TRY(take_element(ctx, &b, (size_t)y_len, &y));
        TRY(foreign_order(ctx, type->args[i], x, y, order));
    }
    if (*order)
        return WR_OK;
    TRY(only_nulls(ctx, a, &none_in_a));
    TRY(only_nulls(ctx, b, &none_in_b));
    *order = none_in_a && none_in_b ? 0 : a.len == 0 ? -1 : none_in_a ? 0 : 1;
    return WR_OK;
}

/* A number of so many bytes; what is behind it is not looked at. */
static enum wr_status real_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    const size_t len = (size_t)type_fixed_len(type);

    if (a.len < len || b.len < len)
        return fail_no_bytes(ctx);
    *order = type_compare(type, slice_of(a.data, len), slice_of(b.data, len));
    return WR_OK;
}

static enum wr_status check_decimal(struct ctx *ctx, const struct type *type, struct slice value)
{
    const size_t scale = 4;

    if (value.len < scale)
        return fail_no_bytes(ctx);
    if (value.len == scale)
        return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: Zero length BigInteger");
    return type_validate(ctx, type, value);
}

static enum wr_status decimals_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    TRY(check_decimal(ctx, type, a));
    TRY(check_decimal(ctx, type, b));
    *order = type_compare(type, a, b);
    return WR_OK;
}

static enum wr_status check_timeuuid(struct ctx *ctx, const struct type *type, struct slice value)
{
    uint32_t version = value.data[6] >> 4;

    if (type->kind != TYPE_TIMEUUID || version == 1)
        return WR_OK;
    return fail(ctx, WR_SERVER_ERROR, "org.apache.cassandra.serializers.MarshalException: Invalid UUID version %u for timeuuid", version);
}

/* UUIDType.compareCustom and AbstractTimeUUIDType's: other numbers of bytes are all one. */
static enum wr_status uuids_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    const size_t len = 16;

    if (a.len != len || b.len != len) {
        *order = (a.len == len) - (b.len == len);
        return WR_OK;
    }
    TRY(check_timeuuid(ctx, type, a));
    TRY(check_timeuuid(ctx, type, b));
    *order = type_compare(type, a, b);
    return WR_OK;
}

/* ByteType's and ShortType's compareCustom ask for a first byte. */
static bool asks_empty(const struct type *type)
{
    return type->kind == TYPE_TINYINT || type->kind == TYPE_SMALLINT;
}

static enum wr_status bytes_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    (void)ctx, (void)type;
    *order = slice_cmp(a, b);
    return WR_OK;
}

/* Int32Type's and others': the first bytes have a sign. */
static enum wr_status numbers_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    (void)ctx, (void)type;
    *order = (int8_t)a.data[0] - (int8_t)b.data[0];
    if (!*order)
        *order = slice_cmp(a, b);
    return WR_OK;
}

static enum wr_status tinyint_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    (void)ctx, (void)type;
    *order = (int8_t)a.data[0] - (int8_t)b.data[0];
    return WR_OK;
}

static enum wr_status boolean_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    (void)ctx, (void)type;
    *order = (a.data[0] != 0) - (b.data[0] != 0);
    return WR_OK;
}

static orderer *const orderers[TYPE_KIND_COUNT] = { /* NULL: of values that pass for the type */
    [TYPE_ASCII] = bytes_order,        [TYPE_BIGINT] = numbers_order,  [TYPE_BLOB] = bytes_order,         [TYPE_BOOLEAN] = boolean_order,
    [TYPE_DATE] = bytes_order,         [TYPE_DECIMAL] = decimals_order, [TYPE_DOUBLE] = real_order,       [TYPE_FLOAT] = real_order,
    [TYPE_INET] = bytes_order,         [TYPE_INT] = numbers_order,     [TYPE_LIST] = collection_order,    [TYPE_MAP] = collection_order,
    [TYPE_SET] = collection_order,     [TYPE_SMALLINT] = numbers_order, [TYPE_TEXT] = bytes_order,        [TYPE_TIME] = bytes_order,
    [TYPE_TIMESTAMP] = numbers_order,  [TYPE_TIMEUUID] = uuids_order,  [TYPE_TINYINT] = tinyint_order,    [TYPE_TUPLE] = fields_order,
    [TYPE_UDT] = fields_order,         [TYPE_UUID] = uuids_order,      [TYPE_VECTOR] = vectors_order,
};

enum wr_status foreign_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    bool takes_empty = type->kind == TYPE_UUID || type->kind == TYPE_TIMEUUID || type->kind == TYPE_VECTOR;

    if ((a.len == 0 || b.len == 0) && !takes_empty) {
        *order = type_compare(type, a, b);
        return asks_empty(type) ? fail_no_bytes(ctx) : WR_OK;
    }
    if (orderers[type->kind])
        return orderers[type->kind](ctx, type, a, b, order);
    TRY(type_validate(ctx, type, a));
    TRY(type_validate(ctx, type, b));
    *order = type_compare(type, a, b);
    return WR_OK;
}

/* Whether to find the order of two lists is to look at a null: a bound one may have some, which ListType takes for values. */
static bool order_meets_null(const struct type *type, struct slice a, struct slice b)
{
    struct elements x, y;
    struct slice p, q;

    elements_open(&x, type, a);
    elements_open(&y, type, b);
    while (elements_next(&x, &p) && elements_next(&y, &q)) {
        if (slice_is_null(p) || slice_is_null(q))
            return true;
        if (type_compare(type->args[0], p, q) != 0)
            return false;
    }
    return false;
}

enum wr_status lists_order(struct ctx *ctx, const struct type *type, struct slice a, struct slice b, int *order)
{
    if (order_meets_null(type, a, b))
        return fail_compared_null(ctx);
    *order = type_compare(type, a, b);
    return WR_OK;
}
