/* java.text.DecimalFormat and NumberFormat, in English. */
#include "model/java/decimal_format.h"

#include <stdio.h>

#include "model/java/object_ops.h"
#include "model/java/temporal.h"

/* ---- printing ---- */

static void put_digit(struct buf *out, const struct digits *d, int64_t at)
{
    number_put_unit(out, at >= 0 && at < d->count ? d->digits[at] : '0');
}

static bool put_plain(struct java_run *run, const struct number_format *f, const struct digits *d, struct buf *out)
{
    int64_t count = d->point > f->integer_least ? d->point : f->integer_least;
    count = count > f->integer_most ? f->integer_most : count;
    bool fraction = f->fraction_least > 0 || d->count > (d->point > 0 ? d->point : 0);

    if (!java_spend(run, (uint64_t)(count + f->fraction_least)) || !java_charge(run, (size_t)(count + f->fraction_least) * 2 * sizeof(uint16_t)))
        return false;
    for (int64_t i = count; i > 0; i--) {
        put_digit(out, d, d->point - i);
        if (f->grouped && f->grouping && i > 1 && (i - 1) % f->grouping == 0)
            number_put_unit(out, ',');
    }
    if (!fraction && !count)
        number_put_unit(out, '0');
    if (fraction || f->point_always)
        number_put_unit(out, '.');
    for (int64_t i = 0; i < f->fraction_most && (i < f->fraction_least || d->point + i < d->count); i++)
        put_digit(out, d, d->point + i);
    return true;
}

/* Of a count, the digits of the exponent are multiples where the pattern has more of the integer than it has to. */
static bool put_exponential(struct java_run *run, const struct number_format *f, const struct digits *d, struct buf *out)
{
    char text[24];
    int64_t exponent = d->point, repeat = f->integer_most, least = f->integer_least;

    if (repeat > 1 && repeat > least) {
        exponent = floor_div(exponent - 1, repeat) * repeat;
        least = 1;
    } else {
        exponent -= least;
    }
    int64_t integer = d->count ? d->point - exponent : least, total = f->integer_least + f->fraction_least;
    total = total < integer ? integer : total;
    total = total < d->count ? d->count : total;
    if (!java_spend(run, (uint64_t)(total + f->exponent_least)) || !java_charge(run, (size_t)(total + f->exponent_least) * sizeof(uint16_t)))
        return false;
    for (int64_t i = 0; i < total; i++) {
        if (i == integer)
            number_put_unit(out, '.');
        put_digit(out, d, i);
    }
    if (f->point_always && total == integer)
        number_put_unit(out, '.');
    exponent = d->count ? exponent : 0;
    java_put_ascii(out, exponent < 0 ? "E-" : "E", exponent < 0 ? 2 : 1);
    int len = snprintf(text, sizeof text, "%lld", (long long)(exponent < 0 ? -exponent : exponent));
    for (int64_t i = len; i < f->exponent_least; i++)
        number_put_unit(out, '0');
    java_put_ascii(out, text, (size_t)len);
    return true;
}

/* How many digits are kept. */
static int64_t digits_kept(const struct number_format *f, const struct digits *d)
{
    int64_t most = f->integer_most + f->fraction_most;
    return !f->exponential ? d->point + f->fraction_most : most > 0 ? most : d->count;
}

static bool put_number(struct java_run *run, const struct number_format *f, struct digits *d, union java_value *out)
{
    struct buf text;
    if (!number_digits_round(run, d, digits_kept(f, d), f->mode))
        return false;
    if (!d->count)
        d->point = 0;
    struct affix before = d->negative ? f->negative_before : f->before, behind = d->negative ? f->negative_behind : f->behind;
    buf_init(&text, run->ctx->arena);
    buf_put(&text, before.units, before.len * sizeof *before.units);
    if (!(f->exponential ? put_exponential : put_plain)(run, f, d, &text))
        return false;
    buf_put(&text, behind.units, behind.len * sizeof *behind.units);
    return java_check_text(run, &text) && java_give_text(run, &text, out);
}

/* NaN alone; what is endless between what stands around numbers. */
static bool put_special(struct java_run *run, const struct number_format *f, double v, union java_value *out)
{
    enum { ENDLESS = 0x221e };
    struct buf text;
    buf_init(&text, run->ctx->arena);
    if (v != v) {
        java_put_ascii(&text, "NaN", 3);
        return java_give_text(run, &text, out);
    }
    struct affix before = v < 0 ? f->negative_before : f->before, behind = v < 0 ? f->negative_behind : f->behind;
    buf_put(&text, before.units, before.len * sizeof *before.units);
    number_put_unit(&text, ENDLESS);
    buf_put(&text, behind.units, behind.len * sizeof *behind.units);
    return java_give_text(run, &text, out);
}

static bool put_double(struct java_run *run, const struct number_format *f, double v, union java_value *out)
{
    struct number_format bounded = *f;
    struct digits d = { 0 };
    v *= (double)f->multiplier;
    if (v != v || v - v != 0)
        return put_special(run, f, v, out);
    bounded.fraction_most = f->fraction_most < FRACTION_DIGITS_MOST ? f->fraction_most : FRACTION_DIGITS_MOST;
    bounded.fraction_least = f->fraction_least < FRACTION_DIGITS_MOST ? f->fraction_least : FRACTION_DIGITS_MOST;
    return number_digits_of_double(run, v, &d) && put_number(run, &bounded, &d, out);
}

static bool put_whole(struct java_run *run, const struct number_format *f, int64_t v, union java_value *out)
{
    struct java_object o = { .kind = J_BIG_INTEGER };
    struct digits d = { 0 };
    return java_ok(run, varint_of_i64(run->ctx, v, &o.bytes)) && number_digits_of_big(run, &o, f->multiplier, &d) && put_number(run, f, &d, out);
}

JAVA_CALL(format_number)
{
    struct digits d = { 0 };
    struct number_format *f = self->o->number_format;
    const struct java_object *o = args[0].o;
    JAVA_UNUSED;

    if (method->args[0] != J_OBJECT)
        return method->args[0] == J_LONG ? put_whole(run, f, args[0].i, out) : put_double(run, f, args[0].d, out);
    if (!o || !java_kind_extends(o->kind, J_NUMBER))
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Cannot format given Object as a Number");
    if (o->kind == J_BIG_INTEGER || o->kind == J_BIG_DECIMAL)
        return number_digits_of_big(run, o, f->multiplier, &d) && put_number(run, f, &d, out);
    return java_kind_is_real(java_unboxed(java_simple(o->kind))->kind) ? put_double(run, f, o->value.d, out) : put_whole(run, f, o->value.i, out);
}

/* ---- reading ---- */

static bool stands(const struct java_object *text, uint32_t at, struct affix affix)
{
    return at + affix.len <= text->string.len && (!affix.len || memcmp(&text->string.units[at], affix.units, affix.len * sizeof *affix.units) == 0);
}

/* Digits, separators among them, a point and an exponent, as they are written without the separators. false: there are no digits. */
static bool read_number(const struct number_format *f, const struct java_object *text, uint32_t *at, struct buf *out)
{
    bool digits = false, point = false;
    for (; *at < text->string.len; ++*at) {
        uint16_t c = text->string.units[*at];
        if (c >= '0' && c <= '9') {
            buf_put_u8(out, (uint8_t)c);
            digits = true;
        } else if (c == '.' && !point && !f->only_integers) {
            point = true;
            buf_put_u8(out, '.');
        } else if (!(c == ',' && f->grouped && !point)) {
            break;
        }
    }
    uint32_t e = *at + 1;
    if (!digits || *at >= text->string.len || text->string.units[*at] != 'E')
        return digits;
    bool negative = e < text->string.len && text->string.units[e] == '-';
    e += negative;
    if (e >= text->string.len || text->string.units[e] < '0' || text->string.units[e] > '9')
        return true;
    buf_put_str(out, negative ? "E-" : "E");
    for (unsigned n = 0; e < text->string.len && text->string.units[e] >= '0' && text->string.units[e] <= '9'; e++)
        if (n++ < 6)
            buf_put_u8(out, (uint8_t)text->string.units[e]);
    *at = e;
    return true;
}

static bool give_number(struct java_run *run, const struct number_format *f, struct slice text, union java_value *out)
{
    struct java_object decimal = { .kind = J_BIG_DECIMAL };
    union java_value v = { .d = 0 };
    if (!java_ok(run, decimal_parse(run->ctx, text, &decimal.bytes)))
        return false;
    if (!decimal.bytes.data)
        return java_throw(run, J_UNSUPPORTED, "numbers of so many digits are not supported here");
    if (f->multiplier != 1) {
        struct java_object by = { .kind = J_BIG_DECIMAL };
        union java_value quotient;
        if (!java_ok(run, decimal_parse(run->ctx, f->multiplier == 100 ? SLICE_LIT("0.01") : SLICE_LIT("0.001"), &by.bytes)) ||
            !java_big_calculate(run, NUMBER_MULTIPLY, &decimal, &by, &quotient))
            return false;
        decimal = *quotient.o;
    }
    if (f->gives_decimals) {
        if (!(out->o = java_new(run, J_BIG_DECIMAL)))
            return false;
        out->o->bytes = decimal.bytes;
        return true;
    }
    struct digits d = { 0 };
    if (!number_digits_of_big(run, &decimal, 1, &d))
        return false;
    int64_t whole = 0;
    bool no_zero = text.data[0] != '-' || d.count, fits = d.count <= d.point && d.point <= 19 && no_zero; /* -0 is none of a long's */
    for (int64_t i = 0; fits && i < d.point; i++)
        fits = !__builtin_mul_overflow(whole, 10, &whole) && !__builtin_sub_overflow(whole, i < d.count ? d.digits[i] - '0' : 0, &whole); /* below zero there is one more */
    fits = fits && !(!d.negative && whole == INT64_MIN);
    if (fits)
        return java_box(run, java_simple(J_LONG), (union java_value){ .i = d.negative ? whole : -whole }, &out->o);
    if (!no_zero)
        return java_box(run, java_simple(J_DOUBLE), (union java_value){ .d = -0.0 }, &out->o);
    return java_big_value(run, &decimal, J_DOUBLE, &v) && java_box(run, java_simple(J_DOUBLE), v, &out->o);
}

/* With what stands around it, the longer where both fit; what follows is nobody's. */
JAVA_CALL(parse_number)
{
    const struct number_format *f = self->o->number_format;
    struct java_object *text = args[0].o;
    struct slice shown;
    struct buf number;
    JAVA_UNUSED;

    if (!java_check_argument(run, text) || !java_spend(run, text->string.len))
        return false;
    bool negative = stands(text, 0, f->negative_before), positive = stands(text, 0, f->before);
    if (positive && negative) {
        positive = f->before.len >= f->negative_before.len;
        negative = f->negative_before.len >= f->before.len;
    }
    uint32_t at = positive ? f->before.len : f->negative_before.len;
    buf_init(&number, run->ctx->arena);
    buf_put_str(&number, "-");
    bool good = (positive || negative) && read_number(f, text, &at, &number);
    if (good) {
        positive = positive && stands(text, at, f->behind);
        negative = negative && stands(text, at, f->negative_behind);
        if (positive && negative && f->behind.len != f->negative_behind.len) {
            positive = f->behind.len > f->negative_behind.len;
            negative = !positive;
        }
        good = positive != negative;
    }
    if (!java_ok(run, number.failed ? fail_nomem(run->ctx) : WR_OK))
        return false;
    if (good)
        return give_number(run, f, positive ? slice_skip(buf_slice(&number), 1) : buf_slice(&number), out);
    if (!java_utf8(run, text, &shown))
        return false;
    (void)java_throw(run, J_PARSE_EXCEPTION, "Unparseable number: \"%.*s\"", SLICE_ARG(shown));
    if (run->thrown)
        run->thrown->thrown.index = number.len > 1 ? (int32_t)at : 0; /* where it goes wrong behind the digits */
    return false;
}

/* ---- making and setting ---- */

static bool format_new(struct java_run *run, const struct java_object *pattern, int64_t locale, union java_value *out)
{
    struct number_format *f;
    if (!(out->o = java_new(run, J_DECIMAL_FORMAT)) || !(f = java_alloc(run, sizeof *f)))
        return false;
    f->mode = ROUND_HALF_EVEN;
    out->o->number_format = f;
    return number_format_compile(run, pattern, locale, f);
}

#define PLAIN_PATTERN "#,##0.###"

JAVA_CALL(decimal_format_new)
{
    struct java_object *pattern = method->args[0] ? args[0].o : NULL;
    JAVA_UNUSED;
    if (!method->args[0] && !java_string_of_utf8(run, SLICE_LIT(PLAIN_PATTERN), &pattern))
        return false;
    if (!java_check_read(run, pattern, JAVA_READ_TEXT, "pattern") || (method->args[1] && !java_check_argument(run, args[1].o)))
        return false;
    return format_new(run, pattern, method->args[1] ? java_ordinal(args[1].o) : JAVA_LOCALE_ENGLISH, out);
}

enum { FORMAT_NUMBER, FORMAT_INTEGER, FORMAT_PERCENT, FORMAT_CURRENCY };

JAVA_CALL(number_format_of)
{
    static const char *const patterns[] = {
        [FORMAT_NUMBER] = PLAIN_PATTERN, [FORMAT_INTEGER] = "#,##0", [FORMAT_PERCENT] = "#,##0%", [FORMAT_CURRENCY] = "\xc2\xa4#,##0.00"
    };
    int64_t locale = JAVA_LOCALE_ENGLISH;
    struct java_object *pattern;
    JAVA_UNUSED;
    if (method->args[0]) {
        if (!java_check_argument(run, args[0].o))
            return false;
        locale = java_ordinal(args[0].o);
    }
    if (method->variant == FORMAT_CURRENCY && locale != JAVA_LOCALE_US && locale != JAVA_LOCALE_UK)
        return java_throw(run, J_UNSUPPORTED, "amounts of money are supported here for Locale.US and Locale.UK");
    if (!java_string_of_utf8(run, slice_str(patterns[method->variant]), &pattern) || !format_new(run, pattern, locale, out))
        return false;
    out->o->number_format->only_integers = method->variant == FORMAT_INTEGER;
    return true;
}

JAVA_CALL(symbols_new)
{
    JAVA_UNUSED;
    if (method->args[0] && !java_check_argument(run, args[0].o))
        return false;
    if (!(out->o = java_new(run, J_DECIMAL_SYMBOLS)))
        return false;
    out->o->value.i = method->args[0] ? java_ordinal(args[0].o) : JAVA_LOCALE_ENGLISH;
    return true;
}

enum { INTEGER_MOST, INTEGER_LEAST, FRACTION_MOST, FRACTION_LEAST };

static int64_t *count_of(struct number_format *f, int which)
{
    int64_t *const counts[] = { &f->integer_most, &f->integer_least, &f->fraction_most, &f->fraction_least };
    return counts[which];
}

/* The other bound gives way. */
JAVA_CALL(format_set_count)
{
    struct number_format *f = self->o->number_format;
    int64_t *count = count_of(f, method->variant), *other = count_of(f, method->variant ^ 1);
    JAVA_UNUSED;
    *count = args[0].i > 0 ? args[0].i : 0;
    if (method->variant & 1 ? *other < *count : *other > *count)
        *other = *count;
    return true;
}

JAVA_CALL(format_count)
{
    JAVA_UNUSED;
    out->i = *count_of(self->o->number_format, method->variant);
    return true;
}

enum { SET_GROUPED, SET_GROUPING, SET_ONLY_INTEGERS, SET_DECIMALS, SET_POINT_ALWAYS, SET_MULTIPLIER };

JAVA_CALL(format_set)
{
    struct number_format *f = self->o->number_format;
    int64_t v = args[0].i;
    JAVA_UNUSED;
    switch (method->variant) {
    case SET_GROUPED:
        f->grouped = v;
        return true;
    case SET_GROUPING:
        if (v < 0 || v > INT8_MAX)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "newValue is out of valid range. value: %d", (int)v);
        f->grouping = v;
        return true;
    case SET_ONLY_INTEGERS:
        f->only_integers = v;
        return true;
    case SET_DECIMALS:
        f->gives_decimals = v;
        return true;
    case SET_POINT_ALWAYS:
        f->point_always = v;
        return true;
    default:
        f->multiplier = v;
        return true;
    }
}

JAVA_CALL(format_mode)
{
    JAVA_UNUSED;
    if (!method->args[0])
        return java_enum_new(run, J_ROUNDING_MODE, self->o->number_format->mode, &out->o);
    if (!java_check_argument(run, args[0].o))
        return false;
    self->o->number_format->mode = java_ordinal(args[0].o);
    return true;
}

JAVA_CALL(format_apply)
{
    struct number_format *f = self->o->number_format;
    JAVA_UNUSED;
    return java_check_read(run, args[0].o, JAVA_READ_TEXT, "pattern") && number_format_compile(run, args[0].o, JAVA_LOCALE_ENGLISH, f);
}

/* ---- the table ---- */

#define OF_LOCALE(name, which)                                                                                         \
    { J_FORMAT_OF_NUMBER, name, J_FORMAT_OF_NUMBER, { 0 }, JAVA_STATIC, number_format_of, which },                    \
    { J_FORMAT_OF_NUMBER, name, J_FORMAT_OF_NUMBER, { J_LOCALE }, JAVA_STATIC, number_format_of, which }
#define COUNT(what, which)                                                                                             \
    { J_FORMAT_OF_NUMBER, "set" what "Digits", J_VOID, { J_INT }, 0, format_set_count, which },                       \
    { J_FORMAT_OF_NUMBER, "get" what "Digits", J_INT, { 0 }, 0, format_count, which }

const struct java_method java_decimal_format_methods[] = {
    { J_DECIMAL_FORMAT, "<init>", J_DECIMAL_FORMAT, { 0 }, 0, decimal_format_new, 0 },
    { J_DECIMAL_FORMAT, "<init>", J_DECIMAL_FORMAT, { J_STRING }, 0, decimal_format_new, 0 },
    { J_DECIMAL_FORMAT, "<init>", J_DECIMAL_FORMAT, { J_STRING, J_DECIMAL_SYMBOLS }, 0, decimal_format_new, 0 },
    { J_DECIMAL_SYMBOLS, "<init>", J_DECIMAL_SYMBOLS, { 0 }, 0, symbols_new, 0 },
    { J_DECIMAL_SYMBOLS, "<init>", J_DECIMAL_SYMBOLS, { J_LOCALE }, 0, symbols_new, 0 },
    { J_DECIMAL_SYMBOLS, "getInstance", J_DECIMAL_SYMBOLS, { 0 }, JAVA_STATIC, symbols_new, 0 },
    { J_DECIMAL_SYMBOLS, "getInstance", J_DECIMAL_SYMBOLS, { J_LOCALE }, JAVA_STATIC, symbols_new, 0 },
    OF_LOCALE("getInstance", FORMAT_NUMBER),
    OF_LOCALE("getNumberInstance", FORMAT_NUMBER),
    OF_LOCALE("getIntegerInstance", FORMAT_INTEGER),
    OF_LOCALE("getPercentInstance", FORMAT_PERCENT),
    OF_LOCALE("getCurrencyInstance", FORMAT_CURRENCY),
    { J_FORMAT_OF_NUMBER, "format", J_STRING, { J_LONG }, 0, format_number, 0 },
    { J_FORMAT_OF_NUMBER, "format", J_STRING, { J_DOUBLE }, 0, format_number, 0 },
    { J_FORMAT_OF_NUMBER, "format", J_STRING, { J_OBJECT }, 0, format_number, 0 },
    { J_FORMAT_OF_NUMBER, "parse", J_NUMBER, { J_STRING }, JAVA_THROWS(J_PARSE_EXCEPTION), parse_number, 0 },
    COUNT("MaximumInteger", INTEGER_MOST),
    COUNT("MinimumInteger", INTEGER_LEAST),
    COUNT("MaximumFraction", FRACTION_MOST),
    COUNT("MinimumFraction", FRACTION_LEAST),
    { J_FORMAT_OF_NUMBER, "setGroupingUsed", J_VOID, { J_BOOLEAN }, 0, format_set, SET_GROUPED },
    { J_FORMAT_OF_NUMBER, "setParseIntegerOnly", J_VOID, { J_BOOLEAN }, 0, format_set, SET_ONLY_INTEGERS },
    { J_FORMAT_OF_NUMBER, "setRoundingMode", J_VOID, { J_ROUNDING_MODE }, 0, format_mode, 0 },
    { J_FORMAT_OF_NUMBER, "getRoundingMode", J_ROUNDING_MODE, { 0 }, 0, format_mode, 0 },
    { J_DECIMAL_FORMAT, "setGroupingSize", J_VOID, { J_INT }, 0, format_set, SET_GROUPING },
    { J_DECIMAL_FORMAT, "setParseBigDecimal", J_VOID, { J_BOOLEAN }, 0, format_set, SET_DECIMALS },
    { J_DECIMAL_FORMAT, "setDecimalSeparatorAlwaysShown", J_VOID, { J_BOOLEAN }, 0, format_set, SET_POINT_ALWAYS },
    { J_DECIMAL_FORMAT, "setMultiplier", J_VOID, { J_INT }, 0, format_set, SET_MULTIPLIER },
    { J_DECIMAL_FORMAT, "applyPattern", J_VOID, { J_STRING }, 0, format_apply, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
