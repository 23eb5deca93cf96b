/* BigInteger and BigDecimal from texts, with what is thrown of those that are none; and a BigInteger's text in any base. */
#include "model/java/big.h"

enum { RADIX_MIN = 2, RADIX_MAX = 36 };

/* So many digits are a number of 31 bits whatever they are: a BigInteger reads and prints them at once. */
static uint32_t group_digits(int64_t radix, int64_t *power)
{
    uint32_t n = 0;
    for (*power = 1; *power * radix <= INT32_MAX; *power *= radix)
        n++;
    return n;
}

static bool calculate(struct java_run *run, enum number_op op, struct slice a, struct slice b, struct slice *out)
{
    enum { MULTIPLIED_AT_ONCE = 256 }; /* bytes by bytes that cost what a comparison does */
    return java_spend(run, 1 + (uint64_t)a.len * b.len / MULTIPLIED_AT_ONCE) && java_ok(run, varint_calc(run->ctx, op, a, b, out)) &&
           java_charge(run, out->len);
}

/* ---- BigInteger from a text ---- */

/* What stands before the digits and whether there are any; of a sign elsewhere it throws. */
static bool read_sign(struct java_run *run, const struct java_object *s, bool *negative, uint32_t *digits)
{
    *negative = s->string.len && s->string.units[0] == '-';
    *digits = *negative || (s->string.len && s->string.units[0] == '+');
    for (uint32_t i = 1; i < s->string.len; i++)
        if (s->string.units[i] == '-' || s->string.units[i] == '+')
            return java_throw(run, J_NUMBER_FORMAT, "Illegal embedded sign character");
    return *digits < s->string.len || java_throw(run, J_NUMBER_FORMAT, "Zero length BigInteger");
}

static bool bad_group(struct java_run *run, const struct java_object *s, uint32_t at, uint32_t len, int64_t radix)
{
    struct java_object part = { .kind = J_STRING, .string = { .units = s->string.units + at, .len = len } };
    struct slice utf8;
    return java_utf8(run, &part, &utf8) && java_bad_number(run, utf8, radix);
}

/* Of the digits group by group, of which the first takes what is over: throws where one has something else. */
static bool read_digits(struct java_run *run, const struct java_object *s, uint32_t at, int64_t radix, struct slice *out)
{
    int64_t power;
    uint32_t most = group_digits(radix, &power);
    struct slice factor, group;
    while (at < s->string.len && java_digit(s->string.units[at], radix) == 0)
        at++;
    uint32_t len = (s->string.len - at) % most;
    len = len || at == s->string.len ? len : most;
    if (!java_ok(run, varint_of_i64(run->ctx, 0, out)))
        return false;
    for (; at < s->string.len; at += len, len = most) {
        int64_t v = 0;
        power = 1;
        for (uint32_t i = at; i < at + len; i++, power *= radix) {
            int digit = java_digit(s->string.units[i], radix);
            if (digit < 0)
                return bad_group(run, s, at, len, radix);
            v = v * radix + digit;
        }
        if (!java_ok(run, varint_of_i64(run->ctx, power, &factor)) || !java_ok(run, varint_of_i64(run->ctx, v, &group)) ||
            !calculate(run, NUMBER_MULTIPLY, *out, factor, out) || !calculate(run, NUMBER_ADD, *out, group, out))
            return false;
    }
    return true;
}

JAVA_CALL(integer_parse)
{
    int64_t radix = method->args[1] ? args[1].i : 10;
    struct slice text, zero;
    bool negative;
    uint32_t at;
    JAVA_UNUSED;

    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"val\" is null");
    if (radix < RADIX_MIN || radix > RADIX_MAX)
        return java_throw(run, J_NUMBER_FORMAT, "Radix out of range");
    if (!read_sign(run, args[0].o, &negative, &at) || !(out->o = java_new(run, J_BIG_INTEGER)))
        return false;
    if (radix == 10) { /* the quick way, which also knows other scripts' digits */
        if (!java_utf8(run, args[0].o, &text) || !java_ok(run, varint_parse(run->ctx, text, &out->o->bytes)) || !java_spend_digits(run, text.len / 2))
            return false;
        if (!slice_is_null(out->o->bytes))
            return true;
    }
    if (!read_digits(run, args[0].o, at, radix, &out->o->bytes))
        return false;
    return !negative ||
           (java_ok(run, varint_of_i64(run->ctx, 0, &zero)) && calculate(run, NUMBER_SUBTRACT, zero, out->o->bytes, &out->o->bytes));
}

/* ---- and to one ---- */

JAVA_CALL(integer_text)
{
    int64_t radix = args[0].i, power, part;
    struct slice rest = self->o->bytes, base, group;
    struct buf text, reversed;
    bool negative = rest.len && rest.data[0] & 0x80;
    JAVA_UNUSED;

    if (radix < RADIX_MIN || radix > RADIX_MAX)
        radix = 10;
    uint32_t digits = group_digits(radix, &power);
    buf_init(&reversed, run->ctx->arena);
    buf_init(&text, run->ctx->arena);
    if (!java_ok(run, varint_of_i64(run->ctx, power, &base)))
        return false;
    do {
        if (!calculate(run, NUMBER_REMAINDER, rest, base, &group) || !calculate(run, NUMBER_DIVIDE, rest, base, &rest))
            return false;
        part = varint_to_i64(group);
        part = part < 0 ? -part : part;
        bool last = varint_to_i64(rest) == 0 && varint_trim(rest).len <= 1;
        for (uint32_t i = 0; last ? part || !i : i < digits; i++, part /= radix)
            buf_put_u8(&reversed, (uint8_t)"0123456789abcdefghijklmnopqrstuvwxyz"[part % radix]);
        if (last)
            break;
    } while (!reversed.failed);
    if (negative)
        buf_put_u8(&reversed, '-');
    for (size_t i = reversed.len; i > 0; i--)
        buf_put_u8(&text, reversed.data[i - 1]);
    text.failed |= reversed.failed;
    return java_string_of_text(run, &text, &out->o);
}

/* ---- BigDecimal from a text ---- */

/* What it throws of the exponent that begins behind the `e`; NULL: no message. */
static const char *exponent_fault(const uint16_t *units, uint32_t len)
{
    enum { EXPONENT_DIGITS = 10 };
    int64_t exponent = 0;
    bool negative = len && units[0] == '-';
    uint32_t i = negative || (len && units[0] == '+');
    if (i == len)
        return NULL;
    while (len - i > EXPONENT_DIGITS && units[i] == '0')
        i++;
    if (len - i > EXPONENT_DIGITS)
        return "Too many nonzero exponent digits.";
    for (; i < len; i++) {
        int digit = java_digit(units[i], 10);
        if (digit < 0)
            return "Not a digit.";
        exponent = 10 * exponent + digit;
    }
    return exponent > (int64_t)INT32_MAX + negative ? "Exponent overflow." : "Scale out of range.";
}

static bool bad_decimal(struct java_run *run, const struct java_object *s)
{
    enum { DIGITS_IN_A_LONG = 18 }; /* texts no longer than that are read another way, with another complaint */
    const uint16_t *units = s->string.units;
    uint32_t i = s->string.len && (units[0] == '-' || units[0] == '+'), len = s->string.len - i;
    bool digits = false, dot = false;

    if (!s->string.len)
        return java_throw(run, J_NUMBER_FORMAT, NULL);
    for (; i < s->string.len; i++) {
        uint16_t c = units[i];
        if (java_digit(c, 10) >= 0) {
            digits = true;
        } else if (c == '.') {
            if (dot)
                return java_throw(run, J_NUMBER_FORMAT, "Character array contains more than one decimal point.");
            dot = true;
        } else if (c == 'e' || c == 'E') {
            const char *fault = exponent_fault(units + i + 1, s->string.len - i - 1);
            bool told = fault && strcmp(fault, "Scale out of range.") != 0;
            return !fault ? java_throw(run, J_NUMBER_FORMAT, NULL)
                          : java_throw(run, J_NUMBER_FORMAT, "%s", told || digits ? fault : "No digits found.");
        } else if (len > DIGITS_IN_A_LONG) {
            return java_throw(run, J_NUMBER_FORMAT, "Character array is missing \"e\" notation exponential mark.");
        } else {
            struct java_object one = { .kind = J_STRING, .string = { .units = &units[i], .len = 1 } };
            struct slice utf8;
            return java_utf8(run, &one, &utf8) &&
                   java_throw(run, J_NUMBER_FORMAT,
                              "Character %.*s is neither a decimal digit number, decimal point, nor \"e\" notation exponential mark.",
                              SLICE_ARG(utf8));
        }
    }
    return java_throw(run, J_NUMBER_FORMAT, digits ? NULL : "No digits found.");
}

JAVA_CALL_PUBLIC(java_decimal_parse)
{
    struct slice text;
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.toCharArray()\" because \"val\" is null");
    if (!java_utf8(run, args[0].o, &text) || !(out->o = java_new(run, J_BIG_DECIMAL)) ||
        !java_ok(run, decimal_parse(run->ctx, text, &out->o->bytes)) || !java_spend_digits(run, text.len / 2))
        return false;
    return !slice_is_null(out->o->bytes) || bad_decimal(run, args[0].o);
}

/* ---- the table ---- */

const struct java_method java_big_text_methods[] = {
    { J_BIG_INTEGER, "<init>", J_BIG_INTEGER, { J_STRING }, 0, integer_parse, 0 },
    { J_BIG_INTEGER, "<init>", J_BIG_INTEGER, { J_STRING, J_INT }, 0, integer_parse, 0 },
    { J_BIG_INTEGER, "toString", J_STRING, { J_INT }, 0, integer_text, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_STRING }, 0, java_decimal_parse, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
