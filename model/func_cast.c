/*
 * func_cast.c - cast(x AS type): numbers to numbers as Java narrows them, and most native types to text.
 */
#include <math.h>

#include "model/func.h"
#include "model/number.h"
#include "model/numeric.h"
#include "model/real.h"

/* BigDecimal.valueOf and its kin: integers keep scale 0, reals the digits they print with. */
static enum wr_status to_decimal(struct ctx *ctx, const struct numeric *n, struct slice *out)
{
    struct slice varint, written;
    struct buf text;

    if (numeric_is_real(n->kind) && !isfinite(n->real))
        return fail(ctx, WR_SERVER_ERROR,
                    "java.lang.NumberFormatException: Character %c is neither a decimal digit number, decimal "
                    "point, nor \"e\" notation exponential mark.",
                    isnan(n->real) ? 'N' : 'I');
    if (n->kind == TYPE_DOUBLE)
        return decimal_of_double(ctx, n->real, out);
    if (n->kind == TYPE_FLOAT) {
        buf_init(&text, ctx->arena);
        float_print(&text, (float)n->real);
        TRY(buf_done(ctx, &text, &written));
        return decimal_parse(ctx, written, out);
    }
    TRY(numeric_to_varint(ctx, n, &varint));
    return decimal_of_varint(ctx, varint, out);
}

/* A varint of a varint is no cast; of all others it has 64 bits. */
enum wr_status func_cast_number(const struct call *call, const struct slice *args, struct slice *out)
{
    enum type_kind to = call->func->result->kind;
    struct numeric n = numeric_read(call->func->args[0]->kind, args[0]);
    struct ctx *ctx = call->ctx;
    int64_t integer;
    double real;
    float single;

    switch (to) {
    case TYPE_FLOAT:
        TRY(numeric_to_float(ctx, &n, &single));
        return numeric_put_real(ctx, to, real_widen(single), out);
    case TYPE_DOUBLE:
        TRY(numeric_to_double(ctx, &n, &real));
        return numeric_put_real(ctx, to, real, out);
    case TYPE_DECIMAL:
        return to_decimal(ctx, &n, out);
    case TYPE_VARINT:
        return numeric_to_varint(ctx, &n, out);
    default:
        TRY(numeric_to_integer(ctx, &n, to, &integer));
        return numeric_put_integer(ctx, to, integer, out);
    }
}

enum wr_status func_cast_text(const struct call *call, const struct slice *args, struct slice *out)
{
    struct buf buf;

    buf_init(&buf, call->ctx->arena);
    type_print_string(&buf, call->func->args[0], args[0]);
    return buf_done(call->ctx, &buf, out);
}

enum wr_status func_cast_same(const struct call *call, const struct slice *args, struct slice *out)
{
    (void)call;
    *out = args[0];
    return WR_OK;
}
