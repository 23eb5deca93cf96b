/*
 * func_math.c - abs, exp, log, log10 and round, each with a result of its argument's type: log(10) of an int is 2.
 */
#include <math.h>

#include "model/explog.h"
#include "model/func.h"
#include "model/number.h"
#include "model/numeric.h"
#include "model/real.h"
#include "model/recompose.h"

/* The logarithm of a varint goes by way of a decimal, and is cut. */
static enum wr_status on_decimal(struct ctx *ctx, int op, struct slice value, struct slice *out)
{
    switch (op) {
    case MATH_EXP:
        return decimal_exp(ctx, value, out);
    case MATH_LOG:
        return decimal_log(ctx, value, out);
    case MATH_LOG10:
        return decimal_log10(ctx, value, out);
    default:
        return decimal_round(ctx, value, out);
    }
}

static enum wr_status absolute(const struct call *call, struct slice value, struct slice *out)
{
    bool decimal = call->func->result->kind == TYPE_DECIMAL;
    struct slice unscaled = decimal ? slice_skip(value, 4) : value;

    if (unscaled.len && (unscaled.data[0] & 0x80))
        return func_negate(call, &value, out);
    return element_recompose(call->ctx, call->func->result, value, out); /* as Java writes it, whatever bytes were sent */
}

static enum wr_status on_big(const struct call *call, struct slice value, struct slice *out)
{
    int op = call->func->variant;
    struct ctx *ctx = call->ctx;
    struct slice decimal;

    if (op == MATH_ABS)
        return absolute(call, value, out);
    if (call->func->result->kind == TYPE_DECIMAL)
        return on_decimal(ctx, op, value, out);
    if (op == MATH_ROUND)
        return element_recompose(ctx, call->func->result, value, out);
    TRY(decimal_of_varint(ctx, value, &decimal));
    TRY(on_decimal(ctx, op, decimal, &decimal));
    return decimal_to_varint(ctx, decimal, out);
}

/* Math.round: half up, which is toward the positive; a long for doubles, an int for floats, saturating. */
static double round_half_up(double v, enum type_kind kind)
{
    struct numeric n = { .kind = TYPE_DOUBLE, .real = floor(v) };
    int64_t whole = 0;

    if (v - n.real >= 0.5)
        n.real += 1;
    /* a double saturates without a failure */
    (void)numeric_to_integer(NULL, &n, kind == TYPE_FLOAT ? TYPE_INT : TYPE_BIGINT, &whole);
    return kind == TYPE_FLOAT ? (double)(float)whole : (double)whole;
}

static double on_real(int op, double v, enum type_kind kind)
{
    switch (op) {
    case MATH_ABS:
        return fabs(v);
    case MATH_EXP:
        return real_made(exp(v), v, 0);
    case MATH_LOG:
        return real_made(log(v), v, 0);
    case MATH_LOG10:
        return real_made(real_log10(v), v, 0);
    default:
        return round_half_up(v, kind);
    }
}

enum wr_status func_math(const struct call *call, const struct slice *args, struct slice *out)
{
    enum type_kind kind = call->func->result->kind;
    struct numeric n = numeric_read(kind, args[0]), result = { .kind = TYPE_DOUBLE };
    int64_t integer = n.integer;

    if (!numeric_is_integer(kind) && !numeric_is_real(kind))
        return on_big(call, args[0], out);
    if (numeric_is_real(kind))
        return numeric_put_real(call->ctx, kind, on_real(call->func->variant, n.real, kind), out);
    if (call->func->variant == MATH_ABS && integer < 0)
        integer = (int64_t)(0 - (uint64_t)integer);
    if (call->func->variant != MATH_ABS && call->func->variant != MATH_ROUND) {
        result.real = on_real(call->func->variant, (double)n.integer, TYPE_DOUBLE);
        TRY(numeric_to_integer(call->ctx, &result, kind, &integer));
    }
    return numeric_put_integer(call->ctx, kind, integer, out);
}
