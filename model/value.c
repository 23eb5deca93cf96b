#include "model/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/coding.h"
#include "model/literal.h"
#include "model/number.h"

#define NANOS_A_DAY INT64_C(86400000000000)

enum shape { SHAPE_NONE, SHAPE_INT, SHAPE_DATE, SHAPE_BOOLEAN, SHAPE_FLOAT, SHAPE_DOUBLE, SHAPE_TEXT };

static const struct {
    enum shape shape;
    int bytes;
} shapes[TYPE_KIND_COUNT] = {
    [TYPE_TINYINT] = { SHAPE_INT, 1 },   [TYPE_SMALLINT] = { SHAPE_INT, 2 }, [TYPE_INT] = { SHAPE_INT, 4 },
    [TYPE_BIGINT] = { SHAPE_INT, 8 },    [TYPE_COUNTER] = { SHAPE_INT, 8 },  [TYPE_TIME] = { SHAPE_INT, 8 },
    [TYPE_TIMESTAMP] = { SHAPE_INT, 8 }, [TYPE_DATE] = { SHAPE_DATE, 4 },    [TYPE_BOOLEAN] = { SHAPE_BOOLEAN, 1 },
    [TYPE_FLOAT] = { SHAPE_FLOAT, 4 },   [TYPE_DOUBLE] = { SHAPE_DOUBLE, 8 }, [TYPE_VARINT] = { SHAPE_TEXT, 0 },
    [TYPE_DECIMAL] = { SHAPE_TEXT, 0 },
};

static enum wr_status does_not_suit(struct ctx *ctx, const struct type *type)
{
    return fail(ctx, WR_INVALID, "The number does not suit a value of type %s", type_name(ctx, type));
}

static enum wr_status copy_bytes(struct ctx *ctx, const uint8_t *bytes, size_t len, struct slice *out)
{
    return ctx_copy(ctx, slice_of(bytes, len), out);
}

static enum wr_status put_int(struct ctx *ctx, const struct type *type, int64_t number, int bytes, struct slice *out)
{
    uint8_t be[8];
    if (bytes < 8 && (number < -(INT64_C(1) << (bytes * 8 - 1)) || number >= INT64_C(1) << (bytes * 8 - 1)))
        return does_not_suit(ctx, type);
    put_u64(be, (uint64_t)number);
    return copy_bytes(ctx, be + 8 - bytes, (size_t)bytes, out);
}

static enum wr_status put_real(struct ctx *ctx, enum shape shape, double number, struct slice *out)
{
    uint8_t be[8];
    if (shape == SHAPE_FLOAT) {
        float f = (float)number;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        put_u32(be, bits);
        return copy_bytes(ctx, be, 4, out);
    }
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_u64(be, bits);
    return copy_bytes(ctx, be, 8, out);
}

enum wr_status value_from_int(struct ctx *ctx, const struct type *type, int64_t number, struct slice *out)
{
    char text[32];
    uint8_t be[4];
    switch (shapes[type->kind].shape) {
    case SHAPE_INT:
        if (type->kind == TYPE_TIME && (number < 0 || number >= NANOS_A_DAY))
            return does_not_suit(ctx, type);
        return put_int(ctx, type, number, shapes[type->kind].bytes, out);
    case SHAPE_DATE:
        if (number < INT32_MIN || number > INT32_MAX)
            return does_not_suit(ctx, type);
        put_u32(be, (uint32_t)(int32_t)number ^ 0x80000000u);
        return copy_bytes(ctx, be, 4, out);
    case SHAPE_BOOLEAN:
        be[0] = (uint8_t)number;
        return number == 0 || number == 1 ? copy_bytes(ctx, be, 1, out) : does_not_suit(ctx, type);
    case SHAPE_FLOAT:
    case SHAPE_DOUBLE:
        return put_real(ctx, shapes[type->kind].shape, (double)number, out);
    case SHAPE_TEXT:
        snprintf(text, sizeof text, "%lld", (long long)number);
        return literal_from_string(ctx, type, slice_str(text), out);
    case SHAPE_NONE:
        break;
    }
    return does_not_suit(ctx, type);
}

enum wr_status value_from_double(struct ctx *ctx, const struct type *type, double number, struct slice *out)
{
    switch (shapes[type->kind].shape) {
    case SHAPE_FLOAT:
    case SHAPE_DOUBLE:
        return put_real(ctx, shapes[type->kind].shape, number, out);
    case SHAPE_TEXT:
        if (type->kind != TYPE_DECIMAL || !isfinite(number))
            break;
        return decimal_of_double(ctx, number, out);
    default:
        break;
    }
    return does_not_suit(ctx, type);
}

static double read_real(struct slice value)
{
    if (value.len == 4) {
        uint32_t bits = read_u32(value.data);
        float f;
        memcpy(&f, &bits, sizeof f);
        return (double)f;
    }
    uint64_t bits = read_u64(value.data);
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static int64_t saturate(double d)
{
    if (isnan(d))
        return 0;
    if (d >= 9223372036854775808.0)
        return INT64_MAX;
    return d <= -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

/* Of a varint or decimal. */
static double read_number(const struct type *type, struct slice value)
{
    struct arena arena;
    struct ctx ctx;
    double number;

    if (type->kind != TYPE_DECIMAL)
        return varint_to_double(value);
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    if (decimal_to_double(&ctx, value, &number) != WR_OK)
        number = 0.0;
    arena_release(&arena);
    return number;
}

static int64_t saturate_varint(struct slice value)
{
    value = varint_trim(value);
    if (value.len > 8)
        return value.data[0] & 0x80 ? INT64_MIN : INT64_MAX;
    return varint_to_i64(value);
}

/* Its whole part: what is far too large, or less than 1, has not all its digits written out for that. */
static int64_t saturate_decimal(struct slice value)
{
    struct arena arena;
    struct ctx ctx;
    struct slice whole;
    double number = read_number(type_native(TYPE_DECIMAL), value);

    if (fabs(number) < 0.5 || fabs(number) > 1e19)
        return saturate(number);
    arena_init(&arena);
    ctx_init(&ctx, &arena);
    int64_t out = decimal_to_varint(&ctx, value, &whole) == WR_OK ? saturate_varint(whole) : 0;
    arena_release(&arena);
    return out;
}

int64_t value_to_int(const struct type *type, struct slice value)
{
    enum shape shape = shapes[type->kind].shape;
    if (slice_is_null(value) || !value.len)
        return 0;
    switch (shape) {
    case SHAPE_INT:
        return read_signed(value);
    case SHAPE_DATE:
        return (int32_t)(read_u32(value.data) ^ 0x80000000u);
    case SHAPE_BOOLEAN:
        return value.data[0] != 0;
    case SHAPE_FLOAT:
    case SHAPE_DOUBLE:
        return saturate(read_real(value));
    case SHAPE_TEXT:
        return type->kind == TYPE_VARINT ? saturate_varint(value) : saturate_decimal(value);
    case SHAPE_NONE:
        break;
    }
    return 0;
}

double value_to_double(const struct type *type, struct slice value)
{
    enum shape shape = shapes[type->kind].shape;
    if (slice_is_null(value) || !value.len || shape == SHAPE_NONE)
        return 0.0;
    if (shape == SHAPE_FLOAT || shape == SHAPE_DOUBLE)
        return read_real(value);
    if (shape != SHAPE_TEXT)
        return (double)value_to_int(type, value);
    return read_number(type, value);
}
