/*
 * number.h - varint and decimal in their serialized bytes: text, order, arithmetic, as java.math has them.
 *
 *     varint    the two's complement, big-endian, mostly the shortest (any length is read)
 *     decimal   i32 scale | varint unscaled; the value is unscaled * 10^-scale
 *
 * 1. What is given as a value has passed type_validate and is not empty; results have the shortest bytes.
 * 2. No value is longer than NUMBER_BYTES_MAX (type_validate, too, refuses longer ones): work on digits takes quadratic
 * time.
 * 3. A decimal never is written out to its scale: 1E+2000000000 costs as much as 1. Where Java would try to (or would
 * fail after a long while), the answer is WR_FUNCTION_FAILURE with "BigInteger would overflow supported range".
 * 4. Failures of arithmetic are WR_FUNCTION_FAILURE with the text of Java's exception ("Division by zero"); who knows
 * the operator puts Cassandra's words before.
 */
#ifndef WR_MODEL_NUMBER_H
#define WR_MODEL_NUMBER_H

#include "engine/buf.h"
#include "engine/coding.h"

enum {
    NUMBER_BYTES_MAX = 65535,
    NUMBER_TEXT_MAX = NUMBER_BYTES_MAX / 2 * 5
}; /* five digits hold more than two bytes */

enum number_op { NUMBER_ADD, NUMBER_SUBTRACT, NUMBER_MULTIPLY, NUMBER_DIVIDE, NUMBER_REMAINDER };

/* ---- varint ---- */

enum wr_status varint_parse(struct ctx *ctx, struct slice text, struct slice *out); /* null: not a number */
void varint_print(struct buf *buf, struct slice value);
int varint_cmp(struct slice a, struct slice b);
struct slice varint_trim(struct slice value); /* without bytes that only repeat the sign; borrows */
enum wr_status varint_calc(struct ctx *ctx, enum number_op op, struct slice a, struct slice b, struct slice *out);
enum wr_status varint_of_i64(struct ctx *ctx, int64_t v, struct slice *out);
static inline int64_t varint_to_i64(struct slice value) /* its low 64 bits, as longValue */
{
    return read_signed(value);
}
double varint_to_double(struct slice value);
float varint_to_float(struct slice value);

/* ---- decimal ---- */

enum wr_status decimal_parse(struct ctx *ctx, struct slice text, struct slice *out); /* null: not a number */
enum wr_status decimal_of_digits(struct ctx *ctx, bool negative, struct slice digits, int64_t scale,
                                 struct slice *out);                                 /* null: none is that large or small */
void decimal_print(struct buf *buf, struct slice value);                             /* BigDecimal.toString */
int decimal_cmp(struct slice a, struct slice b);                                     /* numeric: 1.0 is 1.00 */

/* + - * keep 10,000 digits, rounding half up; / gives at least 32 significant digits, without zeros at the end. */
enum wr_status decimal_calc(struct ctx *ctx, enum number_op op, struct slice a, struct slice b, struct slice *out);
/* With all digits: what is too long for a value is WR_FUNCTION_FAILURE. */
enum wr_status decimal_add_exactly(struct ctx *ctx, struct slice a, struct slice b, struct slice *out);
enum wr_status decimal_subtract_exactly(struct ctx *ctx, struct slice a, struct slice b, struct slice *out);
enum wr_status decimal_round(struct ctx *ctx, struct slice value,
                             struct slice *out); /* to a whole number, half away from zero */
enum wr_status decimal_of_varint(struct ctx *ctx, struct slice varint, struct slice *out);
enum wr_status decimal_of_double(struct ctx *ctx, double v,
                                 struct slice *out); /* the digits Java prints; WR_SERVER_ERROR: NaN */
enum wr_status decimal_to_varint(struct ctx *ctx, struct slice value, struct slice *out); /* toward zero */
enum wr_status decimal_to_i64(struct ctx *ctx, struct slice value, int64_t *out); /* toward zero, its low 64 bits */
enum wr_status decimal_to_double(struct ctx *ctx, struct slice value, double *out);
enum wr_status decimal_to_float(struct ctx *ctx, struct slice value, float *out);

/* Comparable bytes (order.h): the numeric order, so a decimal comes back as the same number with a scale of our
 * choosing. */
void varint_put_order(struct buf *buf, struct slice value);
enum wr_status varint_get_order(struct ctx *ctx, struct slice *from, struct slice *out);
void decimal_put_order(struct buf *buf, struct slice value);
enum wr_status decimal_get_order(struct ctx *ctx, struct slice *from, struct slice *out);

#endif
