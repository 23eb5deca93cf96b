/* BigDecimal's own: scales, division, texts. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "model/java/big.h"
#include "model/java/object_ops.h"

JAVA_CALL(decimal_of_real)
{
    JAVA_UNUSED;
    if (args[0].d != args[0].d || args[0].d - args[0].d != 0)
        return java_throw(
            run, J_NUMBER_FORMAT,
            "Character %c is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark.",
            args[0].d != args[0].d ? 'N' : 'I');
    return java_charge(run, JAVA_DECIMAL_OF_DOUBLE) && (out->o = java_new(run, J_BIG_DECIMAL)) &&
           java_ok(run, decimal_of_double(run->ctx, args[0].d, &out->o->bytes));
}

int32_t java_decimal_scale(const struct java_object *o)
{
    return o->bytes.len < 4 ? 0
                            : (int32_t)((uint32_t)o->bytes.data[0] << 24 | (uint32_t)o->bytes.data[1] << 16 |
                                        (uint32_t)o->bytes.data[2] << 8 | o->bytes.data[3]);
}

JAVA_CALL(decimal_scale)
{
    JAVA_UNUSED;
    out->i = java_decimal_scale(self->o);
    return true;
}

JAVA_CALL(decimal_unscaled)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_BIG_INTEGER)))
        return false;
    out->o->bytes = slice_skip(self->o->bytes, self->o->bytes.len < 4 ? self->o->bytes.len : 4);
    return true;
}

JAVA_CALL(decimal_of_whole)
{
    int64_t scale = method->args[1] ? args[1].i : 0;
    struct slice unscaled;
    JAVA_UNUSED;
    if (method->args[0] != J_LONG && !args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"Object.getClass()\" because \"val\" is null");
    if (method->args[0] != J_LONG)
        return java_decimal_new(run, args[0].o->bytes, scale, out);
    return java_ok(run, varint_of_i64(run->ctx, args[0].i, &unscaled)) && java_decimal_new(run, unscaled, scale, out);
}

JAVA_CALL(decimal_whole)
{
    JAVA_UNUSED;
    return (out->o = java_new(run, J_BIG_INTEGER)) &&
           java_ok(run, decimal_to_varint(run->ctx, self->o->bytes, &out->o->bytes));
}

/* ---- division and scales ---- */

enum { SHIFT_MAX = 10000 }; /* digits */

bool java_whole(struct java_run *run, enum number_op op, struct slice a, struct slice b, struct slice *out)
{
    return java_spend(run, 1 + (uint64_t)a.len * b.len / JAVA_MULTIPLIED_AT_ONCE) &&
           java_ok(run, varint_calc(run->ctx, op, a, b, out));
}

bool java_times_power_of_ten(struct java_run *run, struct slice v, int64_t power, struct slice *out)
{
    char *digits;
    struct slice ten;

    *out = v;
    if (power <= 0)
        return true;
    if (power > SHIFT_MAX)
        return java_throw(run, J_UNSUPPORTED, "a decimal of so many digits is not supported here");
    if (!(digits = java_alloc(run, (size_t)power + 1)))
        return false;
    memset(digits, '0', (size_t)power + 1);
    digits[0] = '1';
    return java_ok(run, varint_parse(run->ctx, slice_of(digits, (size_t)power + 1), &ten)) &&
           java_whole(run, NUMBER_MULTIPLY, v, ten, out);
}

struct slice java_decimal_unscaled(const struct java_object *o)
{
    return o->bytes.len < 4 ? SLICE_EMPTY : slice_skip(o->bytes, 4);
}

bool java_decimal_new(struct java_run *run, struct slice unscaled, int64_t scale, union java_value *out)
{
    struct buf bytes;
    buf_init(&bytes, run->ctx->arena);
    buf_put_u32(&bytes, (uint32_t)(int32_t)scale);
    buf_put_slice(&bytes, unscaled);
    return (out->o = java_new(run, J_BIG_DECIMAL)) && java_ok(run, buf_done(run->ctx, &bytes, &out->o->bytes));
}

/* Whether a quotient that was cut moves away from zero by one. */
static bool rounds_away(int64_t mode, int sign, int half, bool odd)
{
    switch (mode) {
    case ROUND_UP:
        return true;
    case ROUND_CEILING:
        return sign > 0;
    case ROUND_FLOOR:
        return sign < 0;
    case ROUND_HALF_UP:
        return half >= 0;
    case ROUND_HALF_DOWN:
        return half > 0;
    case ROUND_HALF_EVEN:
        return half > 0 || (half == 0 && odd);
    default:
        return false;
    }
}

/* a / b as whole numbers, rounded. *exact NULL: what does not come out even is an error where the mode says so. */
bool java_divide_whole(struct java_run *run, struct slice a, struct slice b, int64_t mode, bool *exact,
                         struct slice *out)
{
    struct slice rest, twice, one, magnitude, zero = slice_of("\0", 1);
    int sign = java_whole_sign(a) * java_whole_sign(b);

    if (!java_whole(run, NUMBER_DIVIDE, a, b, out) || !java_whole(run, NUMBER_REMAINDER, a, b, &rest))
        return false;
    bool even = java_whole_sign(rest) == 0;
    if (exact)
        *exact = even;
    if (even)
        return true;
    if (mode == ROUND_UNNECESSARY)
        return exact || java_throw(run, J_ARITHMETIC, "Rounding necessary");
    if (!java_whole(run, NUMBER_ADD, rest, rest, &twice) ||
        (java_whole_sign(twice) < 0 && !java_whole(run, NUMBER_SUBTRACT, zero, twice, &twice)))
        return false;
    magnitude = b;
    if (java_whole_sign(b) < 0 && !java_whole(run, NUMBER_SUBTRACT, zero, b, &magnitude))
        return false;
    bool odd = out->len && (out->data[out->len - 1] & 1);
    if (!rounds_away(mode, sign, varint_cmp(twice, magnitude), odd))
        return true;
    return java_ok(run, varint_of_i64(run->ctx, sign, &one)) && java_whole(run, NUMBER_ADD, *out, one, out);
}

/* BigDecimal has numbers of its own for what fits into a long, and these are divided otherwise than BigInteger's: each has its words for a zero.
 * shift: how many places the one is moved before, or with a sign the other. */
static bool throw_by_zero(struct java_run *run, const struct java_object *a, int64_t shift)
{
    enum { TABLE_LEN = 19 }; /* LONG_TEN_POWERS_TABLE */
    struct slice moved = java_decimal_unscaled(a);
    int64_t compact;
    bool is_compact = java_whole_fits(moved, J_LONG, &compact) && compact != INT64_MIN && shift < TABLE_LEN && shift > -TABLE_LEN;

    if (is_compact && shift > 0) {
        if (!java_times_power_of_ten(run, moved, shift, &moved))
            return false;
        is_compact = java_whole_fits(moved, J_LONG, &compact);
    }
    return java_throw(run, J_ARITHMETIC, is_compact ? "/ by zero" : "BigInteger divide by zero");
}

/* a / b at a scale; b NULL: a itself. */
static bool divide_at(struct java_run *run, const struct java_object *a, const struct java_object *b, int64_t scale,
                      int64_t mode, union java_value *out)
{
    int64_t shift = scale + (b ? java_decimal_scale(b) : 0) - java_decimal_scale(a);
    struct slice over = java_decimal_unscaled(a), under = slice_of("\1", 1), quotient;

    if (b) {
        if (!java_big_sign(b))
            return throw_by_zero(run, a, shift);
        under = java_decimal_unscaled(b);
    }
    return java_times_power_of_ten(run, over, shift, &over) && java_times_power_of_ten(run, under, -shift, &under) &&
           java_divide_whole(run, over, under, mode, NULL, &quotient) && java_decimal_new(run, quotient, scale, out);
}

bool java_print_digits(struct java_run *run, struct slice whole, struct slice *out)
{
    struct buf text;
    buf_init(&text, run->ctx->arena);
    varint_print(&text, whole);
    return java_ok(run, buf_done(run->ctx, &text, out)) && java_spend_digits(run, whole.len);
}

/* Without zeroes at the end, as far as the scale stays above `least`. */
bool java_strip_zeroes(struct java_run *run, struct slice whole, int64_t scale, int64_t least, union java_value *out)
{
    struct slice text;
    if (!java_print_digits(run, whole, &text))
        return false;
    while (text.len > 1 && text.data[text.len - 1] == '0' && text.data[text.len - 2] != '-' && scale > least) {
        text.len--;
        scale--;
    }
    return java_ok(run, varint_parse(run->ctx, text, &whole)) && java_decimal_new(run, whole, scale, out);
}

/* A RoundingMode, or one of BigDecimal's numbers for it. */
static bool rounding_of(struct java_run *run, const struct java_method *method, const union java_value *args, unsigned at, int64_t *out)
{
    if (method->args[at] != J_INT) {
        if (!java_check_read(run, args[at].o, "read field \"oldMode\"", "roundingMode"))
            return false;
        *out = args[at].o->value.i;
        return true;
    }
    *out = args[at].i;
    return (*out >= ROUND_UP && *out <= ROUND_UNNECESSARY) || java_throw(run, J_ILLEGAL_ARGUMENT, "Invalid rounding mode");
}

bool java_divide_exactly(struct java_run *run, const struct java_object *a, const struct java_object *b, union java_value *out)
{
    int64_t preferred = (int64_t)java_decimal_scale(a) - java_decimal_scale(b);
    struct slice digits, over, quotient;
    bool exact;

    if (!java_big_sign(b))
        return java_throw(run, J_ARITHMETIC, java_big_sign(a) ? "Division by zero" : "Division undefined");
    if (!java_big_sign(a))
        return java_decimal_new(run, slice_of("\0", 1), preferred, out);
    if (!java_print_digits(run, java_decimal_unscaled(b), &digits))
        return false;
    int64_t more =
        (int64_t)digits.len * 10 / 3 + 2; /* as many digits as a power of two of that size has behind the point */
    if (!java_times_power_of_ten(run, java_decimal_unscaled(a), more, &over) ||
        !java_divide_whole(run, over, java_decimal_unscaled(b), ROUND_UNNECESSARY, &exact, &quotient))
        return false;
    return exact ? java_strip_zeroes(run, quotient, preferred + more, preferred, out)
                 : java_throw(run, J_ARITHMETIC,
                              "Non-terminating decimal expansion; no exact representable decimal result.");
}

JAVA_CALL(decimal_divide)
{
    const struct java_object *a = self->o, *b = args[0].o;
    unsigned last = method->args[2] ? 2 : 1;
    int64_t mode;
    JAVA_UNUSED;

    if (!java_check_read(run, b, method->args[1] ? "read field \"intCompact\"" : "invoke \"java.math.BigDecimal.signum()\"", "divisor"))
        return false;
    if (!method->args[1])
        return java_divide_exactly(run, a, b, out);
    return rounding_of(run, method, args, last, &mode) && divide_at(run, a, b, last == 2 ? args[1].i : java_decimal_scale(a), mode, out);
}

JAVA_CALL(decimal_set_scale)
{
    int64_t mode = ROUND_UNNECESSARY;
    JAVA_UNUSED;
    if (method->args[1] && !rounding_of(run, method, args, 1, &mode))
        return false;
    return divide_at(run, self->o, NULL, args[0].i, mode, out);
}

static bool power_of_two(struct java_run *run, unsigned power, struct slice *out)
{
    size_t len = power / 8 + 2; /* the first one for the sign */
    uint8_t *bytes = java_alloc(run, len);
    if (!bytes)
        return false;
    memset(bytes, 0, len);
    bytes[1] = (uint8_t)(1 << power % 8);
    *out = slice_of(bytes, len);
    return true;
}

/* All that a double has: a whole number, times a power of two or divided by one. */
JAVA_CALL_PUBLIC(java_decimal_of_bits)
{
    struct slice unscaled, two;
    int power;
    JAVA_UNUSED;

    if (!isfinite(args[0].d))
        return java_throw(run, J_NUMBER_FORMAT, "Infinite or NaN");
    int64_t whole = (int64_t)ldexp(frexp(args[0].d, &power), DBL_MANT_DIG);
    power = whole ? power - DBL_MANT_DIG : 0;
    for (; whole && !(whole & 1); whole /= 2)
        power++;
    int64_t scale = power < 0 ? -power : 0;
    return java_ok(run, varint_of_i64(run->ctx, whole, &unscaled)) && power_of_two(run, (unsigned)abs(power), &two) &&
           java_times_power_of_ten(run, unscaled, scale, &unscaled) &&
           java_whole(run, power < 0 ? NUMBER_DIVIDE : NUMBER_MULTIPLY, unscaled, two, &unscaled) && java_decimal_new(run, unscaled, scale, out);
}

JAVA_CALL(decimal_whole_exactly)
{
    union java_value whole;
    JAVA_UNUSED;
    if (!divide_at(run, self->o, NULL, 0, ROUND_UNNECESSARY, &whole) || !(out->o = java_new(run, J_BIG_INTEGER)))
        return false;
    out->o->bytes = java_decimal_unscaled(whole.o);
    return true;
}

/* How many digits the number has behind its scale. */
static bool precision_of(struct java_run *run, const struct java_object *o, int64_t *out)
{
    struct slice digits;
    if (!java_print_digits(run, java_decimal_unscaled(o), &digits))
        return false;
    *out = (int64_t)digits.len - (digits.data[0] == '-');
    return true;
}

/* longValueExact() and kin: what is too large is told before what is no whole number. */
JAVA_CALL(decimal_exact)
{
    enum { LONG_DIGITS = 19 };
    union java_value whole;
    int64_t precision;
    JAVA_UNUSED;

    out->i = 0;
    if (!java_big_sign(self->o))
        return true;
    if (!precision_of(run, self->o, &precision))
        return false;
    if (precision - java_decimal_scale(self->o) > LONG_DIGITS)
        return java_throw(run, J_ARITHMETIC, "Overflow");
    if (precision <= java_decimal_scale(self->o))
        return java_throw(run, J_ARITHMETIC, "Rounding necessary");
    return divide_at(run, self->o, NULL, 0, ROUND_UNNECESSARY, &whole) &&
           (java_whole_fits(java_decimal_unscaled(whole.o), (enum java_kind)method->result, &out->i) || java_throw(run, J_ARITHMETIC, "Overflow"));
}

JAVA_CALL(decimal_strip)
{
    JAVA_UNUSED;
    if (!java_big_sign(self->o))
        return java_decimal_new(run, slice_of("\0", 1), 0, out);
    return java_strip_zeroes(run, java_decimal_unscaled(self->o), java_decimal_scale(self->o), INT32_MIN, out);
}

JAVA_CALL(decimal_precision)
{
    JAVA_UNUSED;
    return precision_of(run, self->o, &out->i);
}

/* BigDecimal.toPlainString */
static bool put_plain(struct java_run *run, const struct java_object *o, struct buf *text)
{
    struct slice digits;
    int64_t scale = java_decimal_scale(o), whole;

    if (scale > SHIFT_MAX || scale < -SHIFT_MAX)
        return java_throw(run, J_UNSUPPORTED, "a decimal of so many digits is not supported here");
    if (!java_print_digits(run, java_decimal_unscaled(o), &digits))
        return false;
    if (digits.data[0] == '-') {
        buf_put_u8(text, '-');
        digits = slice_skip(digits, 1);
    }
    whole = (int64_t)digits.len - scale;
    buf_put_str(text, whole <= 0 ? "0." : "");
    for (int64_t i = whole; i < 0; i++)
        buf_put_u8(text, '0');
    for (int64_t i = 0; i < (int64_t)digits.len; i++) {
        buf_put_str(text, i && i == whole ? "." : "");
        buf_put_u8(text, digits.data[i]);
    }
    for (int64_t i = scale; i < 0 && java_big_sign(o); i++)
        buf_put_u8(text, '0');
    return true;
}

JAVA_CALL(decimal_plain)
{
    struct buf text;
    JAVA_UNUSED;
    buf_init(&text, run->ctx->arena);
    return put_plain(run, self->o, &text) && java_string_of_text(run, &text, &out->o);
}

/* movePointLeft and movePointRight: the scale does not stay below 0. */
JAVA_CALL(decimal_move)
{
    int64_t scale = (int64_t)java_decimal_scale(self->o) - method->variant * args[0].i;
    JAVA_UNUSED;
    out->o = self->o;
    if (!args[0].i)
        return true;
    if (!java_big_sign(self->o)) /* is nothing whatever its scale, so that goes as far as it can */
        return java_decimal_new(run, java_decimal_unscaled(self->o), scale < 0 ? 0 : scale > INT32_MAX ? INT32_MAX : scale, out);
    if (scale < INT32_MIN || scale > INT32_MAX)
        return java_throw(run, J_ARITHMETIC, scale > 0 ? "Underflow" : "Overflow");
    if (!java_decimal_new(run, java_decimal_unscaled(self->o), scale, out))
        return false;
    return scale >= 0 || divide_at(run, out->o, NULL, 0, ROUND_UNNECESSARY, out);
}

JAVA_CALL(decimal_by_ten)
{
    int64_t scale = (int64_t)java_decimal_scale(self->o) - args[0].i;
    JAVA_UNUSED;
    if (scale < INT32_MIN || scale > INT32_MAX)
        return java_throw(run, J_ARITHMETIC, scale > 0 ? "Underflow" : "Overflow");
    return java_decimal_new(run, java_decimal_unscaled(self->o), scale, out);
}

enum { WHOLE_QUOTIENT, WHOLE_REMAINDER };

static bool at_scale_near(struct java_run *run, struct slice whole, int64_t preferred, union java_value *out)
{
    if (!java_whole_sign(whole))
        return java_decimal_new(run, whole, preferred, out);
    if (preferred <= 0)
        return java_strip_zeroes(run, whole, 0, preferred, out);
    return java_decimal_new(run, whole, 0, out) && divide_at(run, out->o, NULL, preferred, ROUND_UNNECESSARY, out);
}

/* How often the other goes into it as a whole, at a scale as near as may be to the difference of both, and what is left. */
JAVA_CALL(decimal_whole_part)
{
    const struct java_object *a = self->o, *b = args[0].o;
    struct slice over, under, quotient;
    union java_value times, product;
    JAVA_UNUSED;

    if (!java_check_read(run, b, "read field \"scale\"", "divisor"))
        return false;
    int64_t preferred = (int64_t)java_decimal_scale(a) - java_decimal_scale(b), shift = -preferred;
    if (!java_big_sign(b))
        return java_throw(run, J_ARITHMETIC, java_big_sign(a) ? "Division by zero" : "Division undefined");
    if (!java_times_power_of_ten(run, java_decimal_unscaled(a), shift, &over) ||
        !java_times_power_of_ten(run, java_decimal_unscaled(b), -shift, &under) ||
        !java_whole(run, NUMBER_DIVIDE, over, under, &quotient))
        return false;
    if (!at_scale_near(run, quotient, preferred, &times))
        return false;
    *out = times;
    if (method->variant == WHOLE_QUOTIENT)
        return true;
    return java_big_calculate(run, NUMBER_MULTIPLY, times.o, b, &product) && java_big_calculate(run, NUMBER_SUBTRACT, a, product.o, out);
}

JAVA_CALL(decimal_divide_both)
{
    struct java_method quotient = *method, remainder = *method;
    union java_value parts[2];
    quotient.variant = WHOLE_QUOTIENT;
    remainder.variant = WHOLE_REMAINDER;
    JAVA_UNUSED;
    if (!decimal_whole_part(run, &quotient, self, args, &parts[0]) || !decimal_whole_part(run, &remainder, self, args, &parts[1]))
        return false;
    return java_array_of_items(run, J_BIG_DECIMAL, (struct java_object *[]){ parts[0].o, parts[1].o }, 2, &out->o);
}

/* One of its last digit. */
JAVA_CALL(decimal_ulp)
{
    JAVA_UNUSED;
    return java_decimal_new(run, slice_of("\1", 1), java_decimal_scale(self->o), out);
}

/* ---- as objects ---- */

static uint32_t decimal_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return o->bytes.len < 4 ? 0 : 31 * java_whole_hash(java_decimal_unscaled(o)) + (uint32_t)java_decimal_scale(o);
}

static bool decimal_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    *out = decimal_cmp(a->bytes, b->bytes);
    return java_spend(run, a->bytes.len);
}

static bool decimal_text(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    java_put_cql(utf16, TYPE_DECIMAL, o->bytes);
    return java_spend_digits(run, o->bytes.len);
}

const struct java_object_ops java_big_decimal_ops = {
    .equals = java_bytes_equals, .hash = decimal_hash, .compare = decimal_compare, .print = decimal_text
};

/* ---- the table ---- */

const struct java_method java_decimal_methods[] = {
    { J_BIG_DECIMAL, "valueOf", J_BIG_DECIMAL, { J_DOUBLE }, JAVA_STATIC, decimal_of_real, 0 },
    { J_BIG_DECIMAL, "valueOf", J_BIG_DECIMAL, { J_LONG, J_INT }, JAVA_STATIC, decimal_of_whole, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_DOUBLE }, 0, java_decimal_of_bits, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_BIG_INTEGER }, 0, decimal_of_whole, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_BIG_INTEGER, J_INT }, 0, decimal_of_whole, 0 },
    { J_BIG_DECIMAL, "divide", J_BIG_DECIMAL, { J_BIG_DECIMAL }, 0, decimal_divide, 0 },
    { J_BIG_DECIMAL, "divide", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_ROUNDING_MODE }, 0, decimal_divide, 0 },
    { J_BIG_DECIMAL, "divide", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_INT, J_ROUNDING_MODE }, 0, decimal_divide, 0 },
    { J_BIG_DECIMAL, "setScale", J_BIG_DECIMAL, { J_INT }, 0, decimal_set_scale, 0 },
    { J_BIG_DECIMAL, "setScale", J_BIG_DECIMAL, { J_INT, J_ROUNDING_MODE }, 0, decimal_set_scale, 0 },
    { J_BIG_DECIMAL, "stripTrailingZeros", J_BIG_DECIMAL, { 0 }, 0, decimal_strip, 0 },
    { J_BIG_DECIMAL, "precision", J_INT, { 0 }, 0, decimal_precision, 0 },
    { J_BIG_DECIMAL, "toPlainString", J_STRING, { 0 }, 0, decimal_plain, 0 },
    { J_BIG_DECIMAL, "scale", J_INT, { 0 }, 0, decimal_scale, 0 },
    { J_BIG_DECIMAL, "unscaledValue", J_BIG_INTEGER, { 0 }, 0, decimal_unscaled, 0 },
    { J_BIG_DECIMAL, "toBigInteger", J_BIG_INTEGER, { 0 }, 0, decimal_whole, 0 },
    { J_BIG_DECIMAL, "toBigIntegerExact", J_BIG_INTEGER, { 0 }, 0, decimal_whole_exactly, 0 },
    { J_BIG_DECIMAL, "longValueExact", J_LONG, { 0 }, 0, decimal_exact, 0 },
    { J_BIG_DECIMAL, "intValueExact", J_INT, { 0 }, 0, decimal_exact, 0 },
    { J_BIG_DECIMAL, "shortValueExact", J_SHORT, { 0 }, 0, decimal_exact, 0 },
    { J_BIG_DECIMAL, "byteValueExact", J_BYTE, { 0 }, 0, decimal_exact, 0 },
    { J_BIG_DECIMAL, "divide", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_INT }, 0, decimal_divide, 0 },
    { J_BIG_DECIMAL, "divide", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_INT, J_INT }, 0, decimal_divide, 0 },
    { J_BIG_DECIMAL, "setScale", J_BIG_DECIMAL, { J_INT, J_INT }, 0, decimal_set_scale, 0 },
    { J_BIG_DECIMAL, "movePointLeft", J_BIG_DECIMAL, { J_INT }, 0, decimal_move, -1 },
    { J_BIG_DECIMAL, "movePointRight", J_BIG_DECIMAL, { J_INT }, 0, decimal_move, 1 },
    { J_BIG_DECIMAL, "scaleByPowerOfTen", J_BIG_DECIMAL, { J_INT }, 0, decimal_by_ten, 0 },
    { J_BIG_DECIMAL, "remainder", J_BIG_DECIMAL, { J_BIG_DECIMAL }, 0, decimal_whole_part, WHOLE_REMAINDER },
    { J_BIG_DECIMAL, "divideAndRemainder", JX_ARRAY_OF_SELF, { J_BIG_DECIMAL }, 0, decimal_divide_both, 0 },
    { J_BIG_DECIMAL, "ulp", J_BIG_DECIMAL, { 0 }, 0, decimal_ulp, 0 },
    { J_BIG_DECIMAL, "divideToIntegralValue", J_BIG_DECIMAL, { J_BIG_DECIMAL }, 0, decimal_whole_part, WHOLE_QUOTIENT },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_constant java_decimal_constants[] = {
    { J_BIG_DECIMAL, "ROUND_UP", J_INT, { .i = ROUND_UP }, NULL },
    { J_BIG_DECIMAL, "ROUND_DOWN", J_INT, { .i = ROUND_DOWN }, NULL },
    { J_BIG_DECIMAL, "ROUND_CEILING", J_INT, { .i = ROUND_CEILING }, NULL },
    { J_BIG_DECIMAL, "ROUND_FLOOR", J_INT, { .i = ROUND_FLOOR }, NULL },
    { J_BIG_DECIMAL, "ROUND_HALF_UP", J_INT, { .i = ROUND_HALF_UP }, NULL },
    { J_BIG_DECIMAL, "ROUND_HALF_DOWN", J_INT, { .i = ROUND_HALF_DOWN }, NULL },
    { J_BIG_DECIMAL, "ROUND_HALF_EVEN", J_INT, { .i = ROUND_HALF_EVEN }, NULL },
    { J_BIG_DECIMAL, "ROUND_UNNECESSARY", J_INT, { .i = ROUND_UNNECESSARY }, NULL },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
