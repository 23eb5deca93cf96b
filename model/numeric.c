#include "model/numeric.h"

#include <math.h>

#include "engine/coding.h"
#include "model/number.h"
#include "model/real.h"

static int width(enum type_kind kind) /* of an integer type, in bytes */
{
    switch (kind) {
    case TYPE_TINYINT:
        return 1;
    case TYPE_SMALLINT:
        return 2;
    case TYPE_INT:
        return 4;
    default:
        return 8;
    }
}

bool numeric_is_integer(enum type_kind kind)
{
    return kind == TYPE_TINYINT || kind == TYPE_SMALLINT || kind == TYPE_INT || kind == TYPE_BIGINT ||
           kind == TYPE_COUNTER;
}

bool numeric_is_real(enum type_kind kind)
{
    return kind == TYPE_FLOAT || kind == TYPE_DOUBLE;
}

struct numeric numeric_read(enum type_kind kind, struct slice value)
{
    struct numeric n = { .kind = kind, .bytes = value };

    switch (kind) {
    case TYPE_TINYINT:
        n.integer = (int8_t)value.data[0];
        break;
    case TYPE_SMALLINT:
        n.integer = (int16_t)read_u16(value.data);
        break;
    case TYPE_INT:
        n.integer = (int32_t)read_u32(value.data);
        break;
    case TYPE_BIGINT:
    case TYPE_COUNTER:
        n.integer = (int64_t)read_u64(value.data);
        break;
    case TYPE_FLOAT:
        n.real = real_widen(float_of(read_u32(value.data)));
        break;
    case TYPE_DOUBLE:
        n.real = double_of(read_u64(value.data));
        break;
    default:
        break;
    }
    return n;
}

static int64_t saturate(double v, double limit, int64_t min, int64_t max)
{
    if (isnan(v))
        return 0;
    if (v >= limit)
        return max;
    if (v < -limit)
        return min;
    return (int64_t)v;
}

static enum wr_status to_i64(struct ctx *ctx, const struct numeric *n, int64_t *out)
{
    if (n->kind == TYPE_DECIMAL)
        return decimal_to_i64(ctx, n->bytes, out);
    if (n->kind == TYPE_VARINT)
        *out = varint_to_i64(n->bytes);
    else
        *out = numeric_is_real(n->kind) ? saturate(n->real, 0x1p63, INT64_MIN, INT64_MAX) : n->integer;
    return WR_OK;
}

static int64_t wrap(int64_t v, enum type_kind kind)
{
    switch (width(kind)) {
    case 1:
        return (int8_t)(uint8_t)v;
    case 2:
        return (int16_t)(uint16_t)v;
    case 4:
        return (int32_t)(uint32_t)v;
    default:
        return v;
    }
}

enum wr_status numeric_to_integer(struct ctx *ctx, const struct numeric *n, enum type_kind kind, int64_t *out)
{
    if (numeric_is_real(n->kind) && width(kind) < 8)
        *out = saturate(n->real, 0x1p31, INT32_MIN, INT32_MAX);
    else
        TRY(to_i64(ctx, n, out));
    *out = wrap(*out, kind);
    return WR_OK;
}

enum wr_status numeric_to_double(struct ctx *ctx, const struct numeric *n, double *out)
{
    if (n->kind == TYPE_DECIMAL)
        return decimal_to_double(ctx, n->bytes, out);
    if (n->kind == TYPE_VARINT)
        *out = varint_to_double(n->bytes);
    else
        *out = numeric_is_real(n->kind) ? n->real : (double)n->integer;
    return WR_OK;
}

enum wr_status numeric_to_float(struct ctx *ctx, const struct numeric *n, float *out)
{
    if (n->kind == TYPE_DECIMAL)
        return decimal_to_float(ctx, n->bytes, out);
    if (n->kind == TYPE_VARINT)
        *out = varint_to_float(n->bytes);
    else
        *out = numeric_is_real(n->kind) ? real_narrow(n->real) : (float)n->integer;
    return WR_OK;
}

enum wr_status numeric_to_varint(struct ctx *ctx, const struct numeric *n, struct slice *out)
{
    if (n->kind == TYPE_VARINT) {
        *out = n->bytes;
        return WR_OK;
    }
    int64_t v;
    TRY(to_i64(ctx, n, &v));
    return varint_of_i64(ctx, v, out);
}

enum wr_status numeric_to_decimal(struct ctx *ctx, const struct numeric *n, struct slice *out)
{
    double v;

    if (n->kind == TYPE_DECIMAL) {
        *out = n->bytes;
        return WR_OK;
    }
    if (n->kind == TYPE_VARINT)
        return decimal_of_varint(ctx, n->bytes, out);
    TRY(numeric_to_double(ctx, n, &v));
    if (isnan(v))
        return fail(ctx, WR_FUNCTION_FAILURE, "A NaN cannot be converted into a decimal");
    if (isinf(v))
        return fail(ctx, WR_FUNCTION_FAILURE, "An infinite number cannot be converted into a decimal");
    return decimal_of_double(ctx, v, out);
}

static enum wr_status put(struct ctx *ctx, uint64_t v, int bytes, struct slice *out)
{
    uint8_t *data = ctx_alloc(ctx, (size_t)bytes);

    if (!data)
        return WR_NOMEM;
    for (int i = 0; i < bytes; i++)
        data[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
    *out = slice_of(data, (size_t)bytes);
    return WR_OK;
}

enum wr_status numeric_put_integer(struct ctx *ctx, enum type_kind kind, int64_t v, struct slice *out)
{
    return put(ctx, (uint64_t)v, width(kind), out);
}

enum wr_status numeric_put_real(struct ctx *ctx, enum type_kind kind, double v, struct slice *out)
{
    float f = real_narrow(v);
    uint32_t single;
    uint64_t bits;

    /* not double_bits: a NaN stays as the arithmetic made it */
    if (kind == TYPE_FLOAT) {
        memcpy(&single, &f, sizeof single);
        return put(ctx, single, 4, out);
    }
    memcpy(&bits, &v, sizeof bits);
    return put(ctx, bits, 8, out);
}
