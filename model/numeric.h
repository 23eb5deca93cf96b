/*
 * numeric.h - a value of any numeric type, and its conversions as java.lang.Number has them.
 *
 * 1. Reading does not fail: the bytes have passed type_validate and are not empty.
 * 2. Narrowing is Java's: floats to integers saturate (NaN is 0), to anything narrower than an int by way of an int;
 * varints and decimals keep their low bits.
 */
#ifndef WR_MODEL_NUMERIC_H
#define WR_MODEL_NUMERIC_H

#include "model/type.h"

struct numeric {
    enum type_kind kind;
    int64_t integer;    /* tinyint, smallint, int, bigint, counter */
    double real;        /* float, double */
    struct slice bytes; /* varint, decimal */
};

bool numeric_is_integer(enum type_kind kind); /* of a fixed width */
bool numeric_is_real(enum type_kind kind);

struct numeric numeric_read(enum type_kind kind, struct slice value);

/* As a value of that integer type. */
enum wr_status numeric_to_integer(struct ctx *ctx, const struct numeric *n, enum type_kind kind, int64_t *out);
enum wr_status numeric_to_double(struct ctx *ctx, const struct numeric *n, double *out);
enum wr_status numeric_to_float(struct ctx *ctx, const struct numeric *n, float *out);
enum wr_status numeric_to_varint(struct ctx *ctx, const struct numeric *n, struct slice *out);
/* As DecimalType.toBigDecimal: what is neither varint nor decimal goes by way of a double. WR_FUNCTION_FAILURE for NaN
 * and infinities. */
enum wr_status numeric_to_decimal(struct ctx *ctx, const struct numeric *n, struct slice *out);

/* Values. */
enum wr_status numeric_put_integer(struct ctx *ctx, enum type_kind kind, int64_t v, struct slice *out); /* wraps */
enum wr_status numeric_put_real(struct ctx *ctx, enum type_kind kind, double v, struct slice *out);

#endif
