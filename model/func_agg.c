/*
 * func_agg.c - count, min, max, sum and avg, with Cassandra's results: sums wrap in the type they sum, averages are of
 * it too, both are 0 of nothing.
 */
#include <math.h>

#include "engine/coding.h"
#include "model/func.h"
#include "model/number.h"
#include "model/numeric.h"
#include "model/real.h"

enum wr_status kept_put(struct ctx *ctx, struct kept *kept, struct slice value, bool *grew)
{
    if (!kept->data || value.len > kept->room) {
        size_t room = value.len > 32 ? 2 * value.len : 64;
        if (!(kept->data = ctx_alloc(ctx, room)))
            return WR_NOMEM;
        kept->room = room;
        *grew = true;
    }
    if (value.len)
        memmove(kept->data, value.data, value.len);
    kept->len = value.len;
    kept->set = true;
    return WR_OK;
}

struct slice kept_value(const struct kept *kept)
{
    return kept->set ? slice_of(kept->data, kept->len) : SLICE_NULL;
}

/* ---- count ---- */

static enum wr_status count_rows_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    (void)call, (void)args, (void)grew;
    ++*(int64_t *)state;
    return WR_OK;
}

static enum wr_status count_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    (void)call, (void)grew;
    *(int64_t *)state += !slice_is_null(args[0]);
    return WR_OK;
}

static enum wr_status count_result(const struct call *call, const void *state, struct slice *out)
{
    return numeric_put_integer(call->ctx, TYPE_BIGINT, *(const int64_t *)state, out);
}

static void count_reset(void *state)
{
    *(int64_t *)state = 0;
}

void count_rows_add_many(void *state, uint64_t rows)
{
    *(int64_t *)state += (int64_t)rows;
}

const struct func_aggregate func_count_rows = { sizeof(int64_t), count_rows_add, count_result, count_reset };
const struct func_aggregate func_count = { sizeof(int64_t), count_add, count_result, count_reset };

/* ---- min and max ---- */

static enum wr_status extreme_add(const struct call *call, void *state, const struct slice *args, bool *grew, int sign)
{
    const struct type *type = call->func->result;
    struct kept *kept = state;

    if (slice_is_null(args[0]) || (args[0].len == 0 && type->kind == TYPE_COUNTER))
        return WR_OK;
    if (kept->set && type_compare(type, args[0], kept_value(kept)) * sign <= 0)
        return WR_OK;
    return kept_put(call->ctx, kept, args[0], grew);
}

static enum wr_status min_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    return extreme_add(call, state, args, grew, -1);
}

static enum wr_status max_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    return extreme_add(call, state, args, grew, 1);
}

static enum wr_status extreme_result(const struct call *call, const void *state, struct slice *out)
{
    return ctx_copy(call->ctx, kept_value(state), out); /* the state goes on, for the next group */
}

static void extreme_reset(void *state)
{
    ((struct kept *)state)->set = false;
}

const struct func_aggregate func_min = { sizeof(struct kept), min_add, extreme_result, extreme_reset };
const struct func_aggregate func_max = { sizeof(struct kept), max_add, extreme_result, extreme_reset };

enum wr_status func_make_extreme(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                 struct func *out)
{
    (void)ctx, (void)e, (void)receiver;
    out->result = out->args[0];
    return WR_OK;
}

/* ---- of integers ---- */

struct integers {
    int64_t count;
    int64_t sum_high; /* the sum in 128 bits, so that an average never overflows */
    uint64_t sum_low;
};

static enum wr_status integers_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    struct integers *s = state;
    int64_t v = numeric_read(call->func->args[0]->kind, args[0]).integer;

    (void)grew;
    s->count++;
    s->sum_low += (uint64_t)v;
    s->sum_high += (v < 0 ? -1 : 0) + (s->sum_low < (uint64_t)v);
    return WR_OK;
}

static enum wr_status integers_sum(const struct call *call, const void *state, struct slice *out)
{
    return numeric_put_integer(call->ctx, call->func->result->kind, (int64_t)((const struct integers *)state)->sum_low,
                               out);
}

static enum wr_status integers_avg(const struct call *call, const void *state, struct slice *out)
{
    const struct integers *s = state;
    __extension__ __int128 sum = (__int128)s->sum_high * ((__int128)1 << 64) + s->sum_low;

    return numeric_put_integer(call->ctx, call->func->result->kind, s->count ? (int64_t)(sum / s->count) : 0, out);
}

static void integers_reset(void *state)
{
    *(struct integers *)state = (struct integers){ 0, 0, 0 };
}

static const uint8_t zeroes[5]; /* a decimal 0; its last byte a varint 0 */

/* a / count at a's own scale, to the nearest, halves to even. */
static enum wr_status divide_even(struct ctx *ctx, struct slice a, int64_t count, struct slice *out)
{
    struct slice unscaled = slice_skip(a, 4), divisor, quotient, rest, one, twice;
    struct buf buf;
    int64_t step = 0;

    TRY(varint_of_i64(ctx, count, &divisor));
    TRY(varint_calc(ctx, NUMBER_DIVIDE, unscaled, divisor, &quotient));
    TRY(varint_calc(ctx, NUMBER_REMAINDER, unscaled, divisor, &rest));
    bool negative = (unscaled.data[0] & 0x80) != 0;
    if (negative)
        TRY(varint_calc(ctx, NUMBER_SUBTRACT, slice_of(zeroes, 1), rest, &rest));
    TRY(varint_calc(ctx, NUMBER_ADD, rest, rest, &twice));
    int half = varint_cmp(twice, divisor);
    if (half > 0 || (half == 0 && (quotient.data[quotient.len - 1] & 1)))
        step = negative ? -1 : 1;
    TRY(varint_of_i64(ctx, step, &one));
    TRY(varint_calc(ctx, NUMBER_ADD, quotient, one, &quotient));
    buf_init(&buf, ctx->arena);
    buf_put(&buf, a.data, 4);
    buf_put_slice(&buf, quotient);
    return buf_done(ctx, &buf, out);
}

/* ---- of reals: Kahan's sum, and what Cassandra makes of overflows ---- */

struct reals {
    int64_t count;
    double sum, compensation, simple;
    double nan; /* one that was added, or 0: what is computed of it is no other NaN, as on a server that has warmed up */
    struct kept big; /* avg, once the sum has overflowed: a decimal */
};

static void reals_accumulate(struct reals *s, double d)
{
    double term = d - s->compensation, rounded = s->sum + term;

    s->simple += d;
    if (isnan(d))
        s->nan = d;
    s->compensation = rounded - s->sum - term;
    s->sum = rounded;
}

/* Infinities of one sign make the compensation a NaN, and the sum with it. */
static double reals_total(const struct reals *s)
{
    double total = s->sum + s->compensation;

    if (isnan(total) && isinf(s->simple))
        return s->simple;
    return isnan(s->nan) && isnan(total) ? s->nan : real_made(total, 0, 0);
}

static enum wr_status reals_sum_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    (void)grew;
    reals_accumulate(state, numeric_read(call->func->args[0]->kind, args[0]).real);
    return WR_OK;
}

static enum wr_status big_add(struct ctx *ctx, struct kept *big, double a, double b, bool first, bool *grew)
{
    struct slice x, y;

    TRY(decimal_of_double(ctx, b, &y));
    if (first)
        TRY(decimal_of_double(ctx, a, &x));
    else
        x = kept_value(big);
    TRY(decimal_calc(ctx, NUMBER_ADD, x, y, &x));
    return kept_put(ctx, big, x, grew);
}

static enum wr_status reals_avg_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    double d = numeric_read(call->func->args[0]->kind, args[0]).real;
    struct reals *s = state;
    double before = s->sum;

    s->count++;
    if (s->big.set)
        return big_add(call->ctx, &s->big, 0, d, false, grew);
    reals_accumulate(s, d);
    if (isinf(s->sum) && !isinf(d))
        return isinf(before) || isnan(before) ? WR_OK : big_add(call->ctx, &s->big, before, d, true, grew);
    return WR_OK;
}

static enum wr_status reals_sum(const struct call *call, const void *state, struct slice *out)
{
    return numeric_put_real(call->ctx, call->func->result->kind, reals_total(state), out);
}

static enum wr_status reals_avg(const struct call *call, const void *state, struct slice *out)
{
    const struct reals *s = state;
    double total = reals_total(s), avg = s->count ? real_made(total / (double)s->count, total, 0) : 0;
    struct slice quotient;

    if (s->big.set) {
        TRY(divide_even(call->ctx, kept_value(&s->big), s->count, &quotient));
        TRY(decimal_to_double(call->ctx, quotient, &avg));
    }
    return numeric_put_real(call->ctx, call->func->result->kind, avg, out);
}

static void reals_reset(void *state)
{
    struct reals *s = state;
    struct kept big = s->big;

    *s = (struct reals){ .big = big };
    s->big.set = false;
}

/* ---- of varints and decimals ---- */

struct bigs {
    int64_t count;
    struct kept value; /* the sum; of avg(decimal) the average so far */
};

static struct slice big_so_far(const struct bigs *s, enum type_kind kind)
{
    if (s->value.set)
        return kept_value(&s->value);
    return kind == TYPE_VARINT ? slice_of(zeroes, 1) : slice_of(zeroes, 5);
}

/* What goes wrong in an aggregate is told by its exception alone. */
static enum wr_status thrown(struct ctx *ctx, enum wr_status st)
{
    if (st != WR_FUNCTION_FAILURE)
        return st;
    const char *why = ctx_format(ctx, "%s", ctx->error);
    return why ? fail(ctx, WR_SERVER_ERROR, "java.lang.ArithmeticException: %s", why) : WR_NOMEM;
}

static enum wr_status bigs_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    enum type_kind kind = call->func->result->kind;
    struct bigs *s = state;
    struct slice sum;

    s->count++;
    TRY(thrown(call->ctx, kind == TYPE_VARINT ? varint_calc(call->ctx, NUMBER_ADD, big_so_far(s, kind), args[0], &sum)
                                              : decimal_add_exactly(call->ctx, big_so_far(s, kind), args[0], &sum)));
    return kept_put(call->ctx, &s->value, sum, grew);
}

/* avg = avg + (value - avg) / count, as Cassandra's running average; its rounding depends on the order of rows. */
static enum wr_status decimal_avg_add(const struct call *call, void *state, const struct slice *args, bool *grew)
{
    struct bigs *s = state;
    struct slice avg = big_so_far(s, TYPE_DECIMAL), d;

    s->count++;
    TRY(thrown(call->ctx, decimal_subtract_exactly(call->ctx, args[0], avg, &d)));
    TRY(divide_even(call->ctx, d, s->count, &d));
    TRY(thrown(call->ctx, decimal_add_exactly(call->ctx, avg, d, &avg)));
    return kept_put(call->ctx, &s->value, avg, grew);
}

static enum wr_status bigs_value(const struct call *call, const void *state, struct slice *out)
{
    return ctx_copy(call->ctx, big_so_far(state, call->func->result->kind), out);
}

static enum wr_status varint_avg(const struct call *call, const void *state, struct slice *out)
{
    const struct bigs *s = state;
    struct slice count;

    if (!s->count)
        return bigs_value(call, state, out);
    TRY(varint_of_i64(call->ctx, s->count, &count));
    return varint_calc(call->ctx, NUMBER_DIVIDE, kept_value(&s->value), count, out);
}

static void bigs_reset(void *state)
{
    struct bigs *s = state;

    s->count = 0;
    s->value.set = false;
}

/* ---- by type ---- */

const struct func_aggregate *func_sum_of(enum type_kind kind)
{
    static const struct func_aggregate integers = { sizeof(struct integers), integers_add, integers_sum,
                                                    integers_reset };
    static const struct func_aggregate reals = { sizeof(struct reals), reals_sum_add, reals_sum, reals_reset };
    static const struct func_aggregate bigs = { sizeof(struct bigs), bigs_add, bigs_value, bigs_reset };

    if (!func_is_numeric(kind))
        return NULL;
    return numeric_is_integer(kind) ? &integers : numeric_is_real(kind) ? &reals : &bigs;
}

const struct func_aggregate *func_avg_of(enum type_kind kind)
{
    static const struct func_aggregate integers = { sizeof(struct integers), integers_add, integers_avg,
                                                    integers_reset };
    static const struct func_aggregate reals = { sizeof(struct reals), reals_avg_add, reals_avg, reals_reset };
    static const struct func_aggregate varints = { sizeof(struct bigs), bigs_add, varint_avg, bigs_reset };
    static const struct func_aggregate decimals = { sizeof(struct bigs), decimal_avg_add, bigs_value, bigs_reset };

    if (!func_is_numeric(kind))
        return NULL;
    return numeric_is_integer(kind) ? &integers
           : numeric_is_real(kind)  ? &reals
           : kind == TYPE_VARINT    ? &varints
                                    : &decimals;
}
