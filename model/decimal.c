#include <assert.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>

#include "engine/coding.h"
#include "model/big.h"
#include "model/number.h"
#include "model/real.h"
#include "model/unicode.h"

enum { SUM_DIGITS_MAX = 10000, QUOTIENT_DIGITS = 32, QUOTIENT_SCALE_MAX = 1000 };

static const double log10_of_2 = 0.30102999566398119521;

/* n * 10^-scale; n is the library's memory and must be cleared. */
struct decimal {
    mp_int n;
    int64_t scale; /* wider than Java's int, which is checked where a value is made of it */
};

enum { SCALE_BYTES = 4 };

/* Bytes that are no decimal, as a damaged file may have them, are 0. */
static int64_t scale_of(struct slice value)
{
    return value.len < SCALE_BYTES ? 0 : (int32_t)read_u32(value.data);
}

static struct slice unscaled_of(struct slice value)
{
    static const uint8_t zero[1];
    return value.len <= SCALE_BYTES ? slice_of(zero, sizeof zero) : slice_skip(value, SCALE_BYTES);
}

static enum wr_status decimal_open(struct ctx *ctx, struct decimal *d, struct slice value)
{
    TRY(big_ok(ctx, mp_init(&d->n)));
    if (big_from_bytes(&d->n, unscaled_of(value)) != MP_OKAY) {
        mp_clear(&d->n);
        return fail_nomem(ctx);
    }
    d->scale = scale_of(value);
    return WR_OK;
}

static int64_t scale_within(int64_t scale)
{
    return scale > INT32_MAX ? INT32_MAX : scale < INT32_MIN ? INT32_MIN : scale;
}

/* BigDecimal.checkScale: a zero may have any scale, and gets the nearest that there is. */
static enum wr_status check_scale(struct ctx *ctx, const mp_int *n, int64_t scale)
{
    if (scale == scale_within(scale) || mp_iszero(n))
        return WR_OK;
    return fail(ctx, WR_FUNCTION_FAILURE, scale > 0 ? "Underflow" : "Overflow");
}

static enum wr_status write_decimal(struct ctx *ctx, const struct decimal *d, struct slice *out)
{
    TRY(check_scale(ctx, &d->n, d->scale));
    if (big_len(&d->n) + 4 > NUMBER_BYTES_MAX)
        return big_fail_overflow(ctx);
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u32(&buf, (uint32_t)scale_within(d->scale));
    big_put_bytes(&buf, &d->n);
    return buf_done(ctx, &buf, out);
}

static enum wr_status times_pow10(struct ctx *ctx, mp_int *n, int64_t power)
{
    if (power < 0 || power > BIG_POW10_MAX)
        return big_fail_overflow(ctx);
    return big_ok(ctx, big_times_pow10(n, (uint32_t)power));
}

/* Digits of n without writing them out: guessed from its bits, then settled by comparing. */
static enum wr_status precision_of(struct ctx *ctx, const mp_int *n, int64_t *out)
{
    if (mp_iszero(n)) {
        *out = 1;
        return WR_OK;
    }
    int64_t low = (int64_t)floor((mp_count_bits(n) - 1) * log10_of_2 - 1e-9) + 1;
    if (low < 1)
        low = 1;
    mp_int power;
    TRY(big_ok(ctx, mp_init_set(&power, 1)));
    enum wr_status st = big_ok(ctx, big_times_pow10(&power, (uint32_t)low));
    while (st == WR_OK && mp_cmp_mag(n, &power) != MP_LT) {
        low++;
        st = big_ok(ctx, mp_mul_d(&power, 10, &power));
    }
    mp_clear(&power);
    if (st == WR_OK)
        *out = low;
    return st;
}

static enum wr_status drop_digits(struct ctx *ctx, struct decimal *d, int64_t count, bool half_up)
{
    mp_int power, rest;
    enum wr_status st;
    TRY(big_ok(ctx, mp_init_multi(&power, &rest, NULL)));
    bool negative = mp_isneg(&d->n);
    mp_set(&power, 1);
    TRY_OUT(times_pow10(ctx, &power, count));
    TRY_OUT(big_ok(ctx, mp_div(&d->n, &power, &d->n, &rest)));
    d->scale -= count;
    if (half_up) {
        TRY_OUT(big_ok(ctx, mp_mul_2(&rest, &rest)));
        if (mp_cmp_mag(&rest, &power) != MP_LT)
            st = big_ok(ctx, negative ? mp_sub_d(&d->n, 1, &d->n) : mp_add_d(&d->n, 1, &d->n));
    }
out:
    mp_clear_multi(&power, &rest, NULL);
    return st;
}

/* BigDecimal.doRound for a MathContext of SUM_DIGITS_MAX digits; a carry to one digit more is one more round. */
static enum wr_status keep_digits(struct ctx *ctx, struct decimal *d)
{
    for (;;) {
        int64_t precision;
        if (mp_count_bits(&d->n) * log10_of_2 < SUM_DIGITS_MAX - 1)
            return WR_OK;
        TRY(precision_of(ctx, &d->n, &precision));
        if (precision <= SUM_DIGITS_MAX)
            return WR_OK;
        TRY(drop_digits(ctx, d, precision - SUM_DIGITS_MAX, true));
    }
}

/* Zeros at the end go as long as the scale stays at or above least. */
static enum wr_status strip_zeros(struct ctx *ctx, struct decimal *d, int64_t least)
{
    mp_int q;
    mp_digit rest;
    enum wr_status st = WR_OK;
    if (mp_iszero(&d->n))
        return WR_OK;
    TRY(big_ok(ctx, mp_init(&q)));
    while (d->scale > least && mp_iseven(&d->n)) {
        TRY_OUT(big_ok(ctx, mp_div_d(&d->n, 10, &q, &rest)));
        if (rest)
            break;
        mp_exch(&d->n, &q);
        d->scale--;
    }
out:
    mp_clear(&q);
    return st;
}

static enum wr_status add_zero(struct ctx *ctx, struct decimal *x, int64_t other_scale)
{
    int64_t scale = x->scale > other_scale ? x->scale : other_scale, precision;
    if (mp_iszero(&x->n)) {
        x->scale = scale;
        return WR_OK;
    }
    TRY(keep_digits(ctx, x)); /* which lowers its scale, if anything */
    TRY(precision_of(ctx, &x->n, &precision));
    int64_t more = scale - x->scale;
    if (more > SUM_DIGITS_MAX - precision)
        more = SUM_DIGITS_MAX - precision;
    x->scale += more;
    return times_pow10(ctx, &x->n, more);
}

/* What lies wholly below the digits that are kept counts by its sign alone (BigDecimal.preAlign), whatever its scale.
 */
static enum wr_status condense(struct ctx *ctx, const struct decimal *big, struct decimal *small)
{
    int64_t big_digits, small_digits;
    TRY(precision_of(ctx, &big->n, &big_digits));
    TRY(precision_of(ctx, &small->n, &small_digits));
    int64_t ulp = big->scale - big_digits + SUM_DIGITS_MAX;
    int64_t highest = small->scale - small_digits + 1;
    if (highest <= big->scale + 2 || highest <= ulp + 2)
        return WR_OK;
    mp_set_i64(&small->n, mp_isneg(&small->n) ? -1 : 1);
    small->scale = (big->scale > ulp ? big->scale : ulp) + 3;
    return check_scale(ctx, &small->n, small->scale);
}

/* x + y into x */
static enum wr_status add(struct ctx *ctx, struct decimal *x, struct decimal *y)
{
    if (mp_iszero(&x->n)) {
        int64_t scale = x->scale;
        mp_exch(&x->n, &y->n);
        x->scale = y->scale;
        return add_zero(ctx, x, scale);
    }
    if (mp_iszero(&y->n))
        return add_zero(ctx, x, y->scale);
    if (x->scale != y->scale) {
        struct decimal *big = x->scale < y->scale ? x : y, *small = big == x ? y : x;
        TRY(condense(ctx, big, small));
        /* condensing may have turned the order of the scales around */
        struct decimal *coarse = x->scale < y->scale ? x : y, *fine = coarse == x ? y : x;
        TRY(times_pow10(ctx, &coarse->n, fine->scale - coarse->scale));
        coarse->scale = fine->scale;
    }
    TRY(big_ok(ctx, mp_add(&x->n, &y->n, &x->n)));
    return keep_digits(ctx, x);
}

/* x + y into x with all of its digits (BigDecimal.add without a MathContext); the result has the finer scale also where one is zero. */
static enum wr_status add_exactly(struct ctx *ctx, struct decimal *x, struct decimal *y)
{
    struct decimal *coarse = x->scale < y->scale ? x : y, *fine = coarse == x ? y : x;
    int64_t places = fine->scale - coarse->scale;
    TRY(check_scale(ctx, &coarse->n, places));
    if (!mp_iszero(&coarse->n))
        TRY(places > NUMBER_TEXT_MAX ? big_fail_overflow(ctx) : times_pow10(ctx, &coarse->n, places));
    coarse->scale = fine->scale;
    return big_ok(ctx, mp_add(&x->n, &y->n, &x->n));
}

static enum wr_status multiply(struct ctx *ctx, struct decimal *x, struct decimal *y)
{
    TRY(big_ok(ctx, mp_mul(&x->n, &y->n, &x->n)));
    x->scale += y->scale;
    TRY(check_scale(ctx, &x->n, x->scale));
    return keep_digits(ctx, x);
}

/* By `to - from` places, which are an int there and wrap around; by less than one the digits stay as they are. */
static enum wr_status raise_scale(struct ctx *ctx, mp_int *n, int64_t from, int64_t to)
{
    int32_t places = (int32_t)((uint32_t)to - (uint32_t)from);
    return places > 0 ? times_pow10(ctx, n, places) : WR_OK;
}

/* BigDecimal.divide: x's digits or y's, so that a whole quotient of them has that scale. */
static enum wr_status scale_for_quotient(struct ctx *ctx, struct decimal *x, struct decimal *y, int64_t scale)
{
    int64_t x_scale = scale + y->scale, y_scale = x->scale - scale;
    TRY(check_scale(ctx, &x->n, x_scale));
    if (scale_within(x_scale) > x->scale)
        return raise_scale(ctx, &x->n, x->scale, x_scale);
    TRY(check_scale(ctx, &y->n, y_scale));
    return raise_scale(ctx, &y->n, y->scale, y_scale);
}

/* DecimalType.divide: a scale for 32 digits, but no less than the operands', no less than 32, no more than 1000. */
static enum wr_status divide(struct ctx *ctx, struct decimal *x, struct decimal *y)
{
    int64_t x_digits, y_digits;
    mp_int rest;
    if (mp_iszero(&y->n))
        return fail(ctx, WR_FUNCTION_FAILURE, "BigInteger divide by zero");
    TRY(precision_of(ctx, &x->n, &x_digits));
    TRY(precision_of(ctx, &y->n, &y_digits));
    int64_t scale = (int32_t)((uint32_t)QUOTIENT_DIGITS - ((uint32_t)(x_digits - x->scale) - (uint32_t)(y_digits - y->scale))); /* of ints, as there */
    scale = scale > x->scale ? scale : x->scale;
    scale = scale > y->scale ? scale : y->scale;
    scale = scale > QUOTIENT_DIGITS ? scale : QUOTIENT_DIGITS;
    scale = scale < QUOTIENT_SCALE_MAX ? scale : QUOTIENT_SCALE_MAX;
    TRY(scale_for_quotient(ctx, x, y, scale));
    bool negative = mp_isneg(&x->n) != mp_isneg(&y->n);
    TRY(big_ok(ctx, mp_init(&rest)));
    enum wr_status st;
    TRY_OUT(big_ok(ctx, mp_div(&x->n, &y->n, &x->n, &rest)));
    x->scale = scale;
    TRY_OUT(big_ok(ctx, mp_mul_2(&rest, &rest)));
    if (mp_cmp_mag(&rest, &y->n) != MP_LT)
        TRY_OUT(big_ok(ctx, negative ? mp_sub_d(&x->n, 1, &x->n) : mp_add_d(&x->n, 1, &x->n)));
    if (mp_iszero(&x->n))
        x->scale = 0;
    st = strip_zeros(ctx, x, INT32_MIN);
out:
    mp_clear(&rest);
    return st;
}

/* How two magnitudes compare; exact, but sizes that differ clearly are not brought to one scale. */
static mp_err cmp_magnitude(const struct decimal *x, const struct decimal *y, int *out)
{
    double x_low = (mp_count_bits(&x->n) - 1) * log10_of_2 - (double)x->scale, x_high = x_low + log10_of_2;
    double y_low = (mp_count_bits(&y->n) - 1) * log10_of_2 - (double)y->scale, y_high = y_low + log10_of_2;
    const double slack = 1e-5;
    if (mp_iszero(&x->n) || mp_iszero(&y->n) || x_low > y_high + slack || y_low > x_high + slack) {
        *out = mp_iszero(&x->n) ? -!mp_iszero(&y->n) : mp_iszero(&y->n) || x_low > y_low ? 1 : -1;
        return MP_OKAY;
    }
    const struct decimal *coarse = x->scale < y->scale ? x : y, *fine = coarse == x ? y : x;
    mp_int n;
    mp_err err = mp_init_copy(&n, &coarse->n);
    if (err != MP_OKAY)
        return err;
    /* Both are about equal, so the difference of the scales is that of their digits. */
    err = big_times_pow10(&n, (uint32_t)(fine->scale - coarse->scale));
    int c = mp_cmp_mag(&n, &fine->n);
    *out = coarse == x ? c : -c;
    mp_clear(&n);
    return err;
}

/* BigDecimal.remainder: x - (x / y, cut to a whole number) * y, and its scale. */
static enum wr_status remainder_of(struct ctx *ctx, struct decimal *x, struct decimal *y)
{
    int c = 0;
    if (mp_iszero(&y->n))
        return fail(ctx, WR_FUNCTION_FAILURE, mp_iszero(&x->n) ? "Division undefined" : "Division by zero");
    TRY(big_ok(ctx, cmp_magnitude(x, y, &c)));
    if (c < 0)
        return WR_OK;
    int64_t x_scale = x->scale, quotient_scale = x->scale - y->scale;
    struct decimal *coarse = x->scale < y->scale ? x : y, *fine = coarse == x ? y : x;
    TRY(times_pow10(ctx, &coarse->n, fine->scale - coarse->scale));
    coarse->scale = fine->scale;

    struct decimal q = { .scale = 0 };
    TRY(big_ok(ctx, mp_init(&q.n)));
    enum wr_status st;
    int64_t scale;
    TRY_OUT(big_ok(ctx, mp_div(&x->n, &y->n, &q.n, &x->n)));
    TRY_OUT(strip_zeros(ctx, &q, quotient_scale < 0 ? quotient_scale : 0));
    if (q.scale < quotient_scale)
        q.scale = quotient_scale;
    /* y's own scale is quotient_scale below x's */
    scale = q.scale + (x_scale - quotient_scale);
    scale = scale > x_scale ? scale : x_scale;
    assert(scale <= x->scale); /* the finer of the two */
    if (scale < x->scale)
        TRY_OUT(drop_digits(ctx, x, x->scale - scale, false)); /* zeros only */
out:
    mp_clear(&q.n);
    return st;
}

typedef enum wr_status calculation(struct ctx *ctx, struct decimal *x, struct decimal *y);

static enum wr_status calculate(struct ctx *ctx, calculation *into_x, struct slice a, struct slice b, bool negate, struct slice *out)
{
    struct decimal x, y;
    enum wr_status st;
    TRY(decimal_open(ctx, &x, a));
    if ((st = decimal_open(ctx, &y, b)) != WR_OK) {
        mp_clear(&x.n);
        return st;
    }
    if (negate)
        TRY_OUT(big_ok(ctx, mp_neg(&y.n, &y.n)));
    TRY_OUT(into_x(ctx, &x, &y));
    st = write_decimal(ctx, &x, out);
out:
    mp_clear_multi(&x.n, &y.n, NULL);
    return st;
}

enum wr_status decimal_calc(struct ctx *ctx, enum number_op op, struct slice a, struct slice b, struct slice *out)
{
    static calculation *const calculations[] = {
        [NUMBER_ADD] = add,       [NUMBER_SUBTRACT] = add,           [NUMBER_MULTIPLY] = multiply,
        [NUMBER_DIVIDE] = divide, [NUMBER_REMAINDER] = remainder_of,
    };
    return calculate(ctx, calculations[op], a, b, op == NUMBER_SUBTRACT, out);
}

enum wr_status decimal_add_exactly(struct ctx *ctx, struct slice a, struct slice b, struct slice *out)
{
    return calculate(ctx, add_exactly, a, b, false, out);
}

enum wr_status decimal_subtract_exactly(struct ctx *ctx, struct slice a, struct slice b, struct slice *out)
{
    return calculate(ctx, add_exactly, a, b, true, out);
}

/* ---- text ---- */

enum { EXPONENT_DIGITS_MAX = 10 };

/* [sign] digits: no more than ten after zeros, and an int, as Java's BigDecimal has it. */
static bool parse_exponent(struct slice s, int64_t *out)
{
    bool negative = s.len && s.data[0] == '-';
    if (s.len && (s.data[0] == '-' || s.data[0] == '+'))
        s = slice_skip(s, 1);
    if (!s.len)
        return false;
    while (s.len > EXPONENT_DIGITS_MAX && s.data[0] == '0')
        s = slice_skip(s, 1);
    if (s.len > EXPONENT_DIGITS_MAX)
        return false;
    int64_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
        v = v * 10 + (s.data[i] - '0');
    }
    *out = negative ? -v : v;
    return *out >= INT32_MIN && *out <= INT32_MAX;
}

enum wr_status decimal_of_digits(struct ctx *ctx, bool negative, struct slice digits, int64_t scale, struct slice *out)
{
    struct decimal d = { .scale = scale };
    *out = SLICE_NULL;
    if (d.scale > INT32_MAX || d.scale < INT32_MIN)
        return WR_OK;
    enum wr_status st;
    TRY(big_ok(ctx, mp_init(&d.n)));
    TRY_OUT(big_ok(ctx, big_from_digits(&d.n, digits.data, digits.len)));
    if (negative)
        TRY_OUT(big_ok(ctx, mp_neg(&d.n, &d.n)));
    if (big_len(&d.n) + 4 <= NUMBER_BYTES_MAX)
        st = write_decimal(ctx, &d, out);
out:
    mp_clear(&d.n);
    return st;
}

enum wr_status decimal_parse(struct ctx *ctx, struct slice text, struct slice *out)
{
    TRY(unicode_digits(ctx, text, &text));
    bool negative = text.len && text.data[0] == '-', point = false;
    size_t i = negative || (text.len && text.data[0] == '+');
    int64_t scale = 0, exponent = 0;
    struct buf digits;
    *out = SLICE_NULL;
    if (text.len > NUMBER_TEXT_MAX)
        return WR_OK;
    buf_init(&digits, ctx->arena);
    for (; i < text.len && (text.data[i] | 0x20) != 'e'; i++) {
        if (text.data[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text.data[i] < '0' || text.data[i] > '9')
            return WR_OK;
        buf_put_u8(&digits, text.data[i]);
        scale += point;
    }
    if (digits.failed)
        return fail_nomem(ctx);
    if (digits.len == 0 || (i < text.len && !parse_exponent(slice_skip(text, i + 1), &exponent)))
        return WR_OK;
    return decimal_of_digits(ctx, negative, buf_slice(&digits), scale - exponent, out);
}

void decimal_print(struct buf *buf, struct slice value)
{
    struct buf text;
    int64_t scale = scale_of(value);
    buf_init(&text, buf->arena);
    varint_print(&text, unscaled_of(value));
    if (text.failed) {
        buf->failed = true;
        return;
    }
    struct slice digits = buf_slice(&text);
    if (digits.data[0] == '-') {
        buf_put_u8(buf, '-');
        digits = slice_skip(digits, 1);
    }
    int64_t count = (int64_t)digits.len, adjusted = count - 1 - scale;
    if (scale == 0) {
        buf_put_slice(buf, digits);
    } else if (scale > 0 && adjusted >= -6) {
        if (scale >= count) {
            buf_put_str(buf, "0.");
            for (int64_t i = count; i < scale; i++)
                buf_put_u8(buf, '0');
            buf_put_slice(buf, digits);
        } else {
            buf_put(buf, digits.data, (size_t)(count - scale));
            buf_put_u8(buf, '.');
            buf_put_slice(buf, slice_skip(digits, (size_t)(count - scale)));
        }
    } else {
        buf_put_u8(buf, digits.data[0]);
        if (count > 1) {
            buf_put_u8(buf, '.');
            buf_put_slice(buf, slice_skip(digits, 1));
        }
        if (adjusted)
            buf_printf(buf, "E%+lld", (long long)adjusted);
    }
}

/* ---- order ---- */

/* Of one sign and no redundant byte; the lower end of what the logarithm of the magnitude can be, which is less than log10_of_2 wide. */
static double low_log(struct slice unscaled, int64_t scale)
{
    uint8_t first = unscaled.data[0] & 0x80 ? (uint8_t)~unscaled.data[0] : unscaled.data[0];
    size_t bits = unscaled.len * 8;
    for (uint8_t bit = 0x80; bit && !(first & bit); bit >>= 1)
        bits--;
    return ((double)bits - 1) * log10_of_2 - (double)scale;
}

struct order {
    struct slice coarse, fine; /* unscaled, about equal with their scales */
    int64_t apart;             /* of which the second is so much greater */
};

/* In room for two numbers of so many digits, which are zeroes. */
static int cmp_in(mp_digit *room, int digits, const struct order *o)
{
    mp_int coarse, fine;
    mp_err err;

    big_borrow(&coarse, room, digits);
    big_borrow(&fine, room + digits, digits);
    err = big_from_bytes(&coarse, o->coarse);
    err |= big_from_bytes(&fine, o->fine);
    for (int64_t left = o->apart; left > 0; left -= BIG_POW10_AT_ONCE)
        err |= big_times_pow10(&coarse, left < BIG_POW10_AT_ONCE ? (uint32_t)left : BIG_POW10_AT_ONCE);
    assert(err == MP_OKAY);
    (void)err;
    return mp_cmp_mag(&coarse, &fine);
}

/* One at a time, and only where there is no memory: who compares cannot fail. */
static int cmp_in_reserve(int digits, const struct order *o)
{
    static mp_digit reserve[2 * (NUMBER_BYTES_MAX * 8 / MP_DIGIT_BIT + 3)];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

    if (2 * (size_t)digits > sizeof reserve / sizeof *reserve)
        return slice_cmp(o->coarse, o->fine); /* of a damaged file */
    pthread_mutex_lock(&lock);
    memset(reserve, 0, 2 * (size_t)digits * sizeof *reserve);
    int c = cmp_in(reserve, digits, o);
    pthread_mutex_unlock(&lock);
    return c;
}

static int cmp_exactly(const struct order *o)
{
    enum { USUAL_DIGITS = 16 };
    int digits = big_room(o->coarse.len > o->fine.len ? o->coarse.len : o->fine.len);
    if (digits <= USUAL_DIGITS) {
        mp_digit room[2 * USUAL_DIGITS] = { 0 };
        return cmp_in(room, digits, o);
    }
    mp_digit *room = mem_alloc(2 * (size_t)digits * sizeof *room);
    int c = room ? cmp_in(room, digits, o) : cmp_in_reserve(digits, o);
    mem_free(room);
    return c;
}

static int cmp_magnitudes(struct slice a, int64_t a_scale, struct slice b, int64_t b_scale)
{
    const double slack = 1e-5;
    bool a_zero = a.len == 1 && !a.data[0], b_zero = b.len == 1 && !b.data[0];
    if (a_zero || b_zero)
        return b_zero - a_zero;
    double a_low = low_log(a, a_scale), b_low = low_log(b, b_scale);
    if (a_low > b_low + log10_of_2 + slack)
        return 1;
    if (b_low > a_low + log10_of_2 + slack)
        return -1;
    if (a_scale < b_scale)
        return cmp_exactly(&(struct order){ a, b, b_scale - a_scale });
    return -cmp_exactly(&(struct order){ b, a, a_scale - b_scale });
}

int decimal_cmp(struct slice a, struct slice b)
{
    struct slice na = varint_trim(unscaled_of(a)), nb = varint_trim(unscaled_of(b));
    if (scale_of(a) == scale_of(b))
        return varint_cmp(na, nb);
    bool a_negative = na.data[0] & 0x80, b_negative = nb.data[0] & 0x80;
    if (a_negative != b_negative)
        return a_negative ? -1 : 1;
    int c = cmp_magnitudes(na, scale_of(a), nb, scale_of(b));
    return a_negative ? -c : c;
}

/* ---- to and from other numbers ---- */

/* Whether the magnitude is below one. */
static enum wr_status is_fraction(struct ctx *ctx, const struct decimal *d, bool *out)
{
    int64_t digits;
    TRY(precision_of(ctx, &d->n, &digits));
    *out = digits <= d->scale;
    return WR_OK;
}

/* Toward zero, to scale 0. */
static enum wr_status make_whole(struct ctx *ctx, struct decimal *d)
{
    bool fraction;
    TRY(is_fraction(ctx, d, &fraction));
    if (mp_iszero(&d->n) || fraction) {
        mp_zero(&d->n);
        d->scale = 0;
        return WR_OK;
    }
    if (d->scale > 0)
        return drop_digits(ctx, d, d->scale, false);
    TRY(times_pow10(ctx, &d->n, -d->scale));
    d->scale = 0;
    return WR_OK;
}

enum wr_status decimal_round(struct ctx *ctx, struct slice value, struct slice *out)
{
    struct decimal d;
    int64_t digits;
    enum wr_status st;
    TRY(decimal_open(ctx, &d, value));
    TRY_OUT(precision_of(ctx, &d.n, &digits));
    if (d.scale > digits || mp_iszero(&d.n)) { /* below a tenth */
        mp_zero(&d.n);
        d.scale = 0;
    }
    if (d.scale > 0)
        TRY_OUT(drop_digits(ctx, &d, d.scale, true));
    else
        TRY_OUT(make_whole(ctx, &d));
    st = write_decimal(ctx, &d, out);
out:
    mp_clear(&d.n);
    return st;
}

enum wr_status decimal_of_varint(struct ctx *ctx, struct slice varint, struct slice *out)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u32(&buf, 0);
    buf_put_slice(&buf, varint_trim(varint));
    return buf_done(ctx, &buf, out);
}

enum wr_status decimal_of_double(struct ctx *ctx, double v, struct slice *out)
{
    if (isnan(v))
        return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: A NaN cannot be converted into a decimal");
    if (isinf(v))
        return fail(ctx, WR_SERVER_ERROR,
                    "java.lang.NumberFormatException: An infinite number cannot be converted into a decimal");
    struct buf text;
    buf_init(&text, ctx->arena);
    double_print(&text, v);
    if (text.failed)
        return fail_nomem(ctx);
    return decimal_parse(ctx, buf_slice(&text), out);
}

enum wr_status decimal_to_varint(struct ctx *ctx, struct slice value, struct slice *out)
{
    struct decimal d;
    struct slice whole = SLICE_NULL;
    enum wr_status st;
    TRY(decimal_open(ctx, &d, value));
    TRY_OUT(make_whole(ctx, &d));
    TRY_OUT(write_decimal(ctx, &d, &whole));
    *out = unscaled_of(whole);
out:
    mp_clear(&d.n);
    return st;
}

enum wr_status decimal_to_i64(struct ctx *ctx, struct slice value, int64_t *out)
{
    struct slice whole;
    if (scale_of(value) <= -64) { /* 2^64 divides it */
        *out = 0;
        return WR_OK;
    }
    TRY(decimal_to_varint(ctx, value, &whole));
    *out = varint_to_i64(whole);
    return WR_OK;
}

enum wr_status decimal_to_double(struct ctx *ctx, struct slice value, double *out)
{
    struct buf text;
    buf_init(&text, ctx->arena);
    decimal_print(&text, value);
    if (text.failed)
        return fail_nomem(ctx);
    bool parsed = double_parse(buf_slice(&text), out);
    return parsed ? WR_OK : fail_nomem(ctx);
}

enum wr_status decimal_to_float(struct ctx *ctx, struct slice value, float *out)
{
    struct buf text;
    buf_init(&text, ctx->arena);
    decimal_print(&text, value);
    if (text.failed)
        return fail_nomem(ctx);
    bool parsed = float_parse(buf_slice(&text), out);
    return parsed ? WR_OK : fail_nomem(ctx);
}
