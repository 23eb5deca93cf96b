#include "model/explog.h"

#include <math.h>

#include "engine/coding.h"
#include "model/big.h"
#include "model/number.h"

/*
 * Fixed point: a number is an integer in units of 10^-places. There are more places than digits in the result, so that
 * what is cut off on the way stays behind them.
 */
enum { DIGITS_MIN = 32, DIGITS_MAX = 10000, GUARD = 16, DOUBLE_DIGITS = 15, EXPONENT_DIGITS_MAX = 10 };

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        mp_err err_ = (call);                                                                                          \
        if (err_ != MP_OKAY)                                                                                           \
            return err_;                                                                                               \
    } while (0)

struct fixed {
    uint32_t places;
    mp_int one, ten_log, a, b, c, d; /* ten_log: ln(10); the others for whoever works */
};

static mp_err fixed_init(struct fixed *f, uint32_t places)
{
    f->places = places;
    OK(mp_init_multi(&f->one, &f->ten_log, &f->a, &f->b, &f->c, &f->d, NULL));
    mp_set_u32(&f->one, 1);
    return big_times_pow10(&f->one, places);
}

static void fixed_release(struct fixed *f)
{
    mp_clear_multi(&f->one, &f->ten_log, &f->a, &f->b, &f->c, &f->d, NULL);
}

static mp_err multiply(const struct fixed *f, const mp_int *x, const mp_int *y, mp_int *out)
{
    OK(mp_mul(x, y, out));
    return mp_div(out, &f->one, out, NULL);
}

static mp_err divide(const struct fixed *f, const mp_int *x, const mp_int *y, mp_int *out)
{
    mp_int scaled;
    OK(mp_init(&scaled));
    mp_err err = mp_mul(x, &f->one, &scaled);
    if (err == MP_OKAY)
        err = mp_div(&scaled, y, out, NULL);
    mp_clear(&scaled);
    return err;
}

/* atanh(1/n) by its series; uses a and b. */
static mp_err atanh_of_inverse(struct fixed *f, uint32_t n, mp_int *out)
{
    OK(mp_div_d(&f->one, (mp_digit)n, &f->a, NULL));
    OK(mp_copy(&f->a, out));
    for (uint32_t k = 3; !mp_iszero(&f->a); k += 2) {
        OK(mp_div_d(&f->a, (mp_digit)n * n, &f->a, NULL));
        OK(mp_div_d(&f->a, (mp_digit)k, &f->b, NULL));
        OK(mp_add(out, &f->b, out));
    }
    return MP_OKAY;
}

/* ln 10 = 3 ln 2 + ln(5/4) = 6 atanh(1/3) + 2 atanh(1/9). */
static mp_err make_ten_log(struct fixed *f)
{
    OK(atanh_of_inverse(f, 3, &f->c));
    OK(mp_mul_d(&f->c, 6, &f->c));
    OK(atanh_of_inverse(f, 9, &f->d));
    OK(mp_mul_d(&f->d, 2, &f->d));
    return mp_add(&f->c, &f->d, &f->ten_log);
}

/* e^x for |x| of a few units: the series of x / 2^n, squared n times. Uses a and b. */
static mp_err exponential(struct fixed *f, const mp_int *x, mp_int *out)
{
    int halvings = 8 + (int)sqrt((double)f->places);

    OK(mp_div_2d(x, halvings, &f->a, NULL));
    OK(mp_copy(&f->one, &f->b));
    OK(mp_copy(&f->one, out));
    for (uint32_t k = 1; !mp_iszero(&f->b); k++) {
        OK(multiply(f, &f->b, &f->a, &f->b));
        OK(mp_div_d(&f->b, (mp_digit)k, &f->b, NULL));
        OK(mp_add(out, &f->b, out));
    }
    for (int i = 0; i < halvings; i++)
        OK(multiply(f, out, out, out));
    return MP_OKAY;
}

/* ln(m) for 1 <= m < 10, from a guess good to 15 places, which each step makes three times as good:
 * y + 2 (m - e^y) / (m + e^y). Uses a to d. */
static mp_err logarithm(struct fixed *f, const mp_int *m, double guess, mp_int *out)
{
    mp_set_i64(out, (int64_t)llround(guess * 1e15));
    OK(big_times_pow10(out, f->places - DOUBLE_DIGITS));
    for (uint32_t good = DOUBLE_DIGITS - 1; good < f->places; good *= 3) {
        OK(exponential(f, out, &f->c));
        OK(mp_sub(m, &f->c, &f->d));
        OK(mp_mul_d(&f->d, 2, &f->d));
        OK(mp_add(m, &f->c, &f->c));
        OK(divide(f, &f->d, &f->c, &f->d));
        OK(mp_add(out, &f->d, out));
    }
    return MP_OKAY;
}

/* ---- decimals in and out ---- */

struct parts { /* 0.digits-like: digits * 10^-scale */
    struct slice digits;
    bool negative;
    int64_t scale;
    uint32_t wanted; /* significant digits of the result */
};

static enum wr_status take_apart(struct ctx *ctx, struct slice value, struct parts *out)
{
    enum wr_status st;
    struct buf digits;
    mp_int n;

    buf_init(&digits, ctx->arena);
    TRY(big_ok(ctx, mp_init(&n)));
    TRY_OUT(big_ok(ctx, big_from_bytes(&n, slice_skip(value, 4))));
    TRY_OUT(big_ok(ctx, big_put_digits(&digits, &n)));
    out->negative = mp_isneg(&n);
    out->digits = buf_slice(&digits);
    out->scale = (int32_t)read_u32(value.data);
    out->wanted = out->digits.len < DIGITS_MIN   ? DIGITS_MIN
                  : out->digits.len > DIGITS_MAX ? DIGITS_MAX
                                                 : (uint32_t)out->digits.len;
out:
    mp_clear(&n);
    return st;
}

static bool is_zero(const struct parts *p)
{
    return p->digits.len == 1 && p->digits.data[0] == '0';
}

/* digits * 10^exponent to `wanted` significant digits. */
static enum wr_status put_together(struct ctx *ctx, const mp_int *n, int64_t exponent, uint32_t wanted,
                                   struct slice *out)
{
    struct slice written;
    struct buf text;
    uint8_t *digits;
    size_t len;

    buf_init(&text, ctx->arena);
    buf_put_u8(&text, mp_isneg(n) ? '-' : '+');
    buf_put_u8(&text, '0'); /* room for a carry */
    TRY(big_ok(ctx, big_put_digits(&text, n)));
    digits = text.data + 2;
    len = text.len - 2;
    if (len > wanted) {
        bool up = digits[wanted] >= '5';
        exponent += (int64_t)(len - wanted);
        for (size_t i = wanted; up;
             i--) { /* a tie would need all places behind it to be zero: these results are irrational */
            uint8_t *digit = digits + i - 1;
            up = *digit == '9';
            *digit = up ? '0' : (uint8_t)(*digit + 1);
        }
        text.len = 2 + wanted;
        if (text.data[1] == '1') { /* carried: one digit more than wanted, a zero */
            text.len--;
            exponent++;
        }
    }
    buf_printf(&text, "E%lld", (long long)exponent);
    TRY(buf_done(ctx, &text, &written));
    return decimal_parse(ctx, written, out); /* e to an int, and logarithms, are far from the ends of a scale */
}

static enum wr_status put_integer(struct ctx *ctx, int64_t v, struct slice *out)
{
    struct slice varint;

    TRY(varint_of_i64(ctx, v, &varint));
    return decimal_of_varint(ctx, varint, out);
}

static enum wr_status put_zero(struct ctx *ctx, int32_t scale, struct slice *out)
{
    struct buf bytes;

    buf_init(&bytes, ctx->arena);
    buf_put_u32(&bytes, (uint32_t)scale);
    buf_put_u8(&bytes, 0);
    return buf_done(ctx, &bytes, out);
}

/* digits[0].digits[1..] * 10^shift in fixed point. */
static mp_err to_fixed(const struct fixed *f, const struct parts *p, int64_t shift, mp_int *out)
{
    int64_t power = (int64_t)f->places + shift - ((int64_t)p->digits.len - 1);
    size_t take = p->digits.len;

    if (power < 0) { /* digits behind the last place */
        take = power + (int64_t)take > 0 ? (size_t)(power + (int64_t)take) : 0;
        power = 0;
    }
    OK(big_from_digits(out, p->digits.data, take));
    if (p->negative)
        OK(mp_neg(out, out));
    return big_times_pow10(out, (uint32_t)power);
}

/* ---- the functions ---- */

/* e^x = 10^k * e^(x - k ln 10). */
static mp_err exp_work(struct fixed *f, const struct parts *p, int64_t adjusted, mp_int *x, mp_int *k, mp_int *out)
{
    OK(make_ten_log(f));
    OK(to_fixed(f, p, adjusted, x));
    OK(mp_div(x, &f->ten_log, k, NULL));
    OK(mp_mul(k, &f->ten_log, out));
    OK(mp_sub(x, out, x));
    return exponential(f, x, out);
}

/* BigDecimalMath.exp raises e to its whole part, which has to be an int (intValueExact): a lower one overflows too. */
static bool whole_is_int(const struct parts *p, int64_t adjusted)
{
    int64_t whole = 0;

    if (adjusted >= EXPONENT_DIGITS_MAX)
        return false;
    for (int64_t i = 0; i <= adjusted; i++)
        whole = whole * 10 + (i < (int64_t)p->digits.len ? p->digits.data[i] - '0' : 0);
    return whole <= INT32_MAX + (int64_t)p->negative;
}

enum wr_status decimal_exp(struct ctx *ctx, struct slice value, struct slice *out)
{
    enum wr_status st;
    struct parts p;
    struct fixed f;
    mp_int x, k, result;
    int64_t adjusted;

    TRY(take_apart(ctx, value, &p));
    if (is_zero(&p))
        return put_integer(ctx, 1, out);
    adjusted = (int64_t)p.digits.len - 1 - p.scale; /* |x| is from 10^adjusted */
    if (!whole_is_int(&p, adjusted))
        return fail(ctx, WR_SERVER_ERROR, "java.lang.ArithmeticException: Overflow");
    if (adjusted < -(int64_t)(p.wanted + GUARD))
        adjusted = -(int64_t)(p.wanted + GUARD); /* too small to be seen beside 1 */

    TRY(big_ok(ctx, mp_init_multi(&x, &k, &result, NULL)));
    if ((st = big_ok(ctx, fixed_init(&f, p.wanted + GUARD + p.wanted / 50 + EXPONENT_DIGITS_MAX))) != WR_OK)
        goto cleared;
    TRY_OUT(big_ok(ctx, exp_work(&f, &p, adjusted, &x, &k, &result)));
    TRY_OUT(put_together(ctx, &result, mp_get_i64(&k) - (int64_t)f.places, p.wanted, out));
out:
    fixed_release(&f);
cleared:
    mp_clear_multi(&x, &k, &result, NULL);
    return st;
}

/* The first digits as a number from 1 to 10. */
static double leading(const struct parts *p)
{
    double v = 0, unit = 1;

    for (size_t i = 0; i < p->digits.len && i < 18; i++, unit /= 10)
        v += (p->digits.data[i] - '0') * unit;
    return v;
}

static bool is_power_of_ten(const struct parts *p)
{
    for (size_t i = 0; i < p->digits.len; i++)
        if (p->digits.data[i] != (i ? '0' : '1'))
            return false;
    return true;
}

/* How many zeroes stand behind the point of x - 1, for an x from 1 to 10 or just below 1. */
static uint32_t zeroes_to_one(const struct parts *p, int64_t exponent)
{
    uint32_t n = 0;

    if (exponent == 0 && p->digits.data[0] == '1')
        while (n + 1 < p->digits.len && p->digits.data[n + 1] == '0')
            n++;
    else if (exponent == -1)
        while (n < p->digits.len && p->digits.data[n] == '9')
            n++;
    return n;
}

/* out = n / 10^places, to the nearest. */
static mp_err cut(const mp_int *n, uint32_t places, mp_int *out)
{
    mp_int unit, half;

    OK(mp_init_multi(&unit, &half, NULL));
    mp_set_u32(&unit, 1);
    mp_err err = big_times_pow10(&unit, places);
    if (err == MP_OKAY)
        err = mp_div_2(&unit, &half);
    if (err == MP_OKAY)
        err = mp_add(n, &half, out);
    if (err == MP_OKAY)
        err = mp_div(out, &unit, out, NULL);
    mp_clear_multi(&unit, &half, NULL);
    return err;
}

/* log10(10^k) is k, but Cassandra divides k ln 10 by ln 10, both with two digits more than are wanted: where these are
 * not exactly k to 1 the result is k with all of its places. Whether they are. */
static mp_err is_multiple(struct fixed *f, uint32_t k, uint32_t wanted, bool *out)
{
    uint32_t digits = wanted + 2, whole = 1;
    double size = k * 2.302585092994046;

    for (; size >= 10; size /= 10)
        whole++;
    OK(make_ten_log(f));
    OK(mp_mul_d(&f->ten_log, (mp_digit)k, &f->a));
    OK(cut(&f->a, f->places - (digits - whole), &f->a));
    OK(cut(&f->ten_log, f->places - (digits - 1), &f->b));
    OK(mp_mul_d(&f->b, (mp_digit)k, &f->b));
    OK(big_times_pow10(&f->a, whole - 1));
    *out = mp_cmp(&f->a, &f->b) == MP_EQ;
    return MP_OKAY;
}

static enum wr_status log10_of_power(struct ctx *ctx, int64_t k, uint32_t wanted, struct slice *out)
{
    enum wr_status st;
    struct fixed f;
    mp_int n;
    bool exact = false;
    struct slice written;
    struct buf text;

    if (k == 0)
        return put_zero(ctx, -(int32_t)(wanted + 1), out); /* ZERO divided by ln 10 with wanted + 1 places: the scale of a quotient */
    TRY(big_ok(ctx, mp_init(&n)));
    if ((st = big_ok(ctx, fixed_init(&f, wanted + GUARD + EXPONENT_DIGITS_MAX))) != WR_OK)
        goto cleared;
    TRY_OUT(big_ok(ctx, is_multiple(&f, (uint32_t)(k < 0 ? -k : k), wanted, &exact)));
    if (exact) {
        buf_init(&text, ctx->arena);
        int zeroes = 0;
        for (; k % 10 == 0; k /= 10)
            zeroes++;
        buf_printf(&text, "%lldE%d", (long long)k, zeroes);
        TRY_OUT(buf_done(ctx, &text, &written));
        TRY_OUT(decimal_parse(ctx, written, out));
    } else {
        mp_set_i64(&n, k);
        TRY_OUT(big_ok(ctx, mp_mul(&n, &f.one, &n)));
        TRY_OUT(put_together(ctx, &n, -(int64_t)f.places, wanted, out));
    }
out:
    fixed_release(&f);
cleared:
    mp_clear(&n);
    return st;
}

static mp_err log_work(struct fixed *f, const struct parts *p, int64_t exponent, bool by_ten, mp_int *m, mp_int *out)
{
    mp_int tens;

    OK(make_ten_log(f));
    OK(to_fixed(f, p, 0, m));
    OK(logarithm(f, m, log(leading(p)), out));
    OK(mp_init(&tens));
    mp_set_i64(&tens, exponent);
    mp_err err = mp_mul(&f->ten_log, &tens, &tens);
    if (err == MP_OKAY)
        err = mp_add(out, &tens, out);
    mp_clear(&tens);
    OK(err);
    return by_ten ? divide(f, out, &f->ten_log, out) : MP_OKAY;
}

static enum wr_status take_log(struct ctx *ctx, struct slice value, bool by_ten, struct slice *out)
{
    enum wr_status st;
    struct parts p;
    struct fixed f;
    mp_int m, result;
    int64_t exponent;

    TRY(take_apart(ctx, value, &p));
    if (p.negative || is_zero(&p))
        return fail(ctx, WR_SERVER_ERROR, "java.lang.ArithmeticException: %s of number zero or less",
                    by_ten ? "Log10" : "Natural log");
    exponent = (int64_t)p.digits.len - 1 - p.scale;
    if (is_power_of_ten(&p) && by_ten)
        return log10_of_power(ctx, exponent, p.wanted, out);
    if (is_power_of_ten(&p) && exponent == 0)
        return put_integer(ctx, 0, out);

    TRY(big_ok(ctx, mp_init_multi(&m, &result, NULL)));
    uint32_t places = p.wanted + GUARD + p.wanted / 50 + 2 * EXPONENT_DIGITS_MAX + zeroes_to_one(&p, exponent);
    if ((st = big_ok(ctx, fixed_init(&f, places))) != WR_OK)
        goto cleared;
    TRY_OUT(big_ok(ctx, log_work(&f, &p, exponent, by_ten, &m, &result)));
    TRY_OUT(put_together(ctx, &result, -(int64_t)f.places, p.wanted, out));
out:
    fixed_release(&f);
cleared:
    mp_clear_multi(&m, &result, NULL);
    return st;
}

enum wr_status decimal_log(struct ctx *ctx, struct slice value, struct slice *out)
{
    return take_log(ctx, value, false, out);
}

enum wr_status decimal_log10(struct ctx *ctx, struct slice value, struct slice *out)
{
    return take_log(ctx, value, true, out);
}
