/*
 * func_arith.c - the operators: + - * / % on numbers, + on texts, + and - of a time and a duration, and negation.
 */
#include <math.h>

#include "engine/coding.h"
#include "model/calendar.h"
#include "model/duration.h"
#include "model/failure.h"
#include "model/func.h"
#include "model/number.h"
#include "model/numeric.h"
#include "model/real.h"

/* Puts Cassandra's words before what went wrong in an operation. */
static enum wr_status failed(const struct call *call, enum wr_status st)
{
    const struct func *func = call->func;
    struct ctx *ctx = call->ctx;
    char *why;

    if (st != WR_FUNCTION_FAILURE)
        return st;
    if (!(why = ctx_format(ctx, "%s", ctx->error)))
        return WR_NOMEM;
    fail(ctx, st, "the operation '%s %c %s' failed: %s", type_name(ctx, func->args[0]), func->variant,
         type_name(ctx, func->args[1]), why);
    return failure_of_function(ctx, func);
}

static enum wr_status on_integers(const struct call *call, int64_t a, int64_t b, struct slice *out)
{
    uint64_t r = 0;

    switch (call->func->variant) {
    case '+':
        r = (uint64_t)a + (uint64_t)b;
        break;
    case '-':
        r = (uint64_t)a - (uint64_t)b;
        break;
    case '*':
        r = (uint64_t)a * (uint64_t)b;
        break;
    case '/':
    case '%':
        if (b == 0)
            return failed(call, fail(call->ctx, WR_FUNCTION_FAILURE, "/ by zero"));
        if (b == -1) /* the least number by -1 does not trap in Java */
            r = call->func->variant == '/' ? 0 - (uint64_t)a : 0;
        else
            r = (uint64_t)(call->func->variant == '/' ? a / b : a % b);
        break;
    }
    return numeric_put_integer(call->ctx, call->func->result->kind, (int64_t)r, out);
}

static double on_doubles(int op, double a, double b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return fmod(a, b);
    }
}

static enum number_op number_op_of(int op)
{
    switch (op) {
    case '+':
        return NUMBER_ADD;
    case '-':
        return NUMBER_SUBTRACT;
    case '*':
        return NUMBER_MULTIPLY;
    case '/':
        return NUMBER_DIVIDE;
    default:
        return NUMBER_REMAINDER;
    }
}

static enum wr_status on_big(const struct call *call, const struct numeric *a, const struct numeric *b,
                             struct slice *out)
{
    enum number_op op = number_op_of(call->func->variant);
    struct ctx *ctx = call->ctx;
    struct slice left, right;

    if (call->func->result->kind == TYPE_VARINT) {
        TRY(numeric_to_varint(ctx, a, &left));
        TRY(numeric_to_varint(ctx, b, &right));
        return varint_calc(ctx, op, left, right, out);
    }
    TRY(numeric_to_decimal(ctx, a, &left));
    TRY(numeric_to_decimal(ctx, b, &right));
    return decimal_calc(ctx, op, left, right, out);
}

enum wr_status func_arithmetic(const struct call *call, const struct slice *args, struct slice *out)
{
    const struct func *func = call->func;
    struct numeric a = numeric_read(func->args[0]->kind, args[0]), b = numeric_read(func->args[1]->kind, args[1]);
    double x, y;
    float f, g;

    switch (func->result->kind) {
    case TYPE_FLOAT:
        TRY(numeric_to_float(call->ctx, &a, &f));
        TRY(numeric_to_float(call->ctx, &b, &g));
        x = (double)(float)on_doubles(func->variant, (double)f, (double)g); /* a double's 53 bits round to a float's 24 as the operation itself would */
        return numeric_put_real(call->ctx, TYPE_FLOAT, real_made(x, real_widen(f), real_widen(g)), out);
    case TYPE_DOUBLE:
        TRY(numeric_to_double(call->ctx, &a, &x));
        TRY(numeric_to_double(call->ctx, &b, &y));
        return numeric_put_real(call->ctx, TYPE_DOUBLE, real_made(on_doubles(func->variant, x, y), x, y), out);
    case TYPE_VARINT:
    case TYPE_DECIMAL:
        return failed(call, on_big(call, &a, &b, out));
    default:
        return on_integers(call, a.integer, b.integer, out);
    }
}

enum wr_status func_negate(const struct call *call, const struct slice *args, struct slice *out)
{
    static const uint8_t minus_one[] = { 0, 0, 0, 0, 0xFF }; /* a decimal of scale 0; behind that the varint */
    enum type_kind kind = call->func->result->kind;
    struct numeric n = numeric_read(kind, args[0]);

    if (kind == TYPE_VARINT)
        return varint_calc(call->ctx, NUMBER_MULTIPLY, n.bytes, slice_of(minus_one + 4, 1), out);
    if (kind == TYPE_DECIMAL)
        return decimal_calc(call->ctx, NUMBER_MULTIPLY, n.bytes, slice_of(minus_one, 5), out);
    if (numeric_is_real(kind))
        return numeric_put_real(call->ctx, kind, -n.real, out);
    return numeric_put_integer(call->ctx, kind, (int64_t)(0 - (uint64_t)n.integer), out);
}

enum wr_status func_concatenate(const struct call *call, const struct slice *args, struct slice *out)
{
    struct buf buf;

    buf_init(&buf, call->ctx->arena);
    buf_put_slice(&buf, args[0]);
    buf_put_slice(&buf, args[1]);
    return buf_done(call->ctx, &buf, out);
}

enum wr_status func_shift_time(const struct call *call, const struct slice *args, struct slice *out)
{
    bool date = call->func->result->kind == TYPE_DATE;
    struct ctx *ctx = call->ctx;
    struct duration d;
    int64_t ms;

    TRY(duration_decode(ctx, args[1], &d));
    if (d.nanos % (date ? NANOS_PER_DAY : 1000000) != 0 || (date && d.nanos)) {
        struct buf text;
        buf_init(&text, ctx->arena);
        duration_print(&text, d);
        return failed(call, fail(ctx, WR_FUNCTION_FAILURE, "The duration must have a %s precision. Was: %.*s",
                                 date ? "day" : "millisecond", SLICE_ARG(buf_slice(&text))));
    }
    if (call->func->variant == '-')
        d = duration_negate(d);
    if (!date) {
        ms = duration_add_to_ms(d, (int64_t)read_u64(args[0].data));
        return numeric_put_integer(ctx, TYPE_BIGINT, ms, out);
    }
    ms = ((int64_t)read_u32(args[0].data) - DATE_EPOCH) * MS_PER_DAY;
    ms = duration_add_to_ms(d, ms);
    return numeric_put_integer(ctx, TYPE_INT, floor_div(ms, MS_PER_DAY) + DATE_EPOCH, out);
}
