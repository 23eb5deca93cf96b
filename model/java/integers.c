/* java.lang: Byte, Short, Integer and Long from texts and to them, and their bits. */
#include <stdio.h>

#include "model/java/lib.h"

static bool bad_number(struct java_run *run, const struct java_object *text, int64_t radix)
{
    struct slice utf8;
    return java_utf8(run, text, &utf8) && java_bad_number(run, utf8, radix);
}

static bool check_radix(struct java_run *run, int64_t radix)
{
    return (radix >= 2 && radix <= 36) || java_throw(run, J_NUMBER_FORMAT, "radix %d %s", (int)radix,
                                                     radix < 2 ? "less than Character.MIN_RADIX" : "greater than Character.MAX_RADIX");
}

/* Of the class's own width; the radix is the second argument where there is one. */
static bool parse_integer(struct java_run *run, const struct java_method *method, const union java_value *args,
                          int64_t *out)
{
    const struct java_object *s = args[0].o;
    enum java_kind kind = java_own_primitive(method)->kind;
    int64_t radix = method->args[1] ? args[1].i : 10;
    uint64_t v = 0, most;
    uint32_t i = 0;

    if (!s)
        return java_throw(run, J_NUMBER_FORMAT, "Cannot parse null string");
    if (!check_radix(run, radix))
        return false;
    bool negative = s->string.len && s->string.units[0] == '-';
    i = negative || (s->string.len && s->string.units[0] == '+');
    most = (kind == J_LONG ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX) + negative;
    if (i == s->string.len)
        return bad_number(run, s, radix);
    if (!java_spend(run, s->string.len / JAVA_COMPARED_AT_ONCE))
        return false;
    for (; i < s->string.len; i++) {
        int digit = java_digit(s->string.units[i], radix);
        if (digit < 0 || v > (most - (uint64_t)digit) / (uint64_t)radix)
            return bad_number(run, s, radix);
        v = v * (uint64_t)radix + (uint64_t)digit;
    }
    *out = (int64_t)(negative ? 0 - v : v);
    if ((kind == J_SHORT && *out != (int16_t)*out) || (kind == J_BYTE && *out != (int8_t)*out)) {
        struct slice utf8;
        return java_utf8(run, s, &utf8) &&
               java_throw(run, J_NUMBER_FORMAT, "Value out of range. Value:\"%.*s\" Radix:%d", SLICE_ARG(utf8),
                          (int)radix);
    }
    return true;
}

JAVA_CALL(parse_whole)
{
    union java_value v = { .i = 0 };
    JAVA_UNUSED;
    if (!parse_integer(run, method, args, &v.i))
        return false;
    if (method->result == (int)method->of)
        return java_box_of_text(run, method, v, out);
    *out = v;
    return true;
}

/* Without a sign, of all the bits that the class has. */
JAVA_CALL(parse_unsigned)
{
    const struct java_object *s = args[0].o;
    bool is_int = method->of == J_BOX_INT;
    int64_t radix = method->args[1] ? args[1].i : 10;
    uint64_t v = 0, most = is_int ? INT64_MAX : UINT64_MAX; /* an int is read as a long */
    struct slice utf8;
    JAVA_UNUSED;

    if (!s)
        return java_throw(run, J_NUMBER_FORMAT, "Cannot parse null string");
    if (!java_utf8(run, s, &utf8))
        return false;
    if (s->string.len && s->string.units[0] == '-')
        return java_throw(run, J_NUMBER_FORMAT, "Illegal leading minus sign on unsigned string %.*s.", SLICE_ARG(utf8));
    uint32_t i = s->string.len && s->string.units[0] == '+';
    if (s->string.len && !check_radix(run, radix))
        return false;
    if (i == s->string.len)
        return java_bad_number(run, utf8, radix);
    for (bool large = false; i < s->string.len; i++) {
        int digit = java_digit(s->string.units[i], radix);
        if (digit < 0)
            return java_bad_number(run, utf8, radix);
        large |= v > (most - (uint64_t)digit) / (uint64_t)radix;
        v = v * (uint64_t)radix + (uint64_t)digit;
        if (i + 1 < s->string.len)
            continue;
        if (large && is_int)
            return java_bad_number(run, utf8, radix);
        if (large || (is_int && v > UINT32_MAX))
            return java_throw(run, J_NUMBER_FORMAT, "String value %.*s exceeds range of unsigned %s.", SLICE_ARG(utf8), is_int ? "int" : "long");
    }
    out->i = is_int ? (int32_t)(uint32_t)v : (int64_t)v;
    return true;
}

/* In a base of 2, 8 or 16 without a sign, or in any with one. */
JAVA_CALL(integer_text)
{
    enum java_kind kind = java_own_primitive(method)->kind;
    uint64_t base = method->variant ? (uint64_t)method->variant : (uint64_t)args[1].i, v = (uint64_t)args[0].i;
    bool negative = !method->variant && args[0].i < 0;
    char digits[68];
    size_t at = sizeof digits;
    JAVA_UNUSED;

    if (base < 2 || base > 36)
        base = 10;
    if (negative)
        v = 0 - v;
    else if (kind == J_INT)
        v = (uint32_t)v;
    do
        digits[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
    while (v /= base);
    if (negative)
        digits[--at] = '-';
    return java_string_of_utf8(run, slice_of(digits + at, sizeof digits - at), &out->o);
}

enum { BITS_COUNT, BITS_LEADING, BITS_TRAILING, BITS_SIGN, BITS_HIGHEST, BITS_LOWEST, BITS_REVERSE, BITS_SWAP };

static uint64_t reversed_bits(uint64_t v, unsigned width)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < width; i++, v >>= 1)
        r = r << 1 | (v & 1);
    return r;
}

static int64_t signed_bits(bool is_int, uint64_t v)
{
    return is_int ? (int32_t)(uint32_t)v : (int64_t)v;
}

JAVA_CALL(integer_bits)
{
    bool is_int = java_own_primitive(method)->kind == J_INT;
    uint64_t v = is_int ? (uint32_t)args[0].i : (uint64_t)args[0].i;
    JAVA_UNUSED;
    switch (method->variant) {
    case BITS_COUNT:
        out->i = __builtin_popcountll(v);
        break;
    case BITS_LEADING:
        out->i = v ? __builtin_clzll(v) - (is_int ? 32 : 0) : is_int ? 32 : 64;
        break;
    case BITS_TRAILING:
        out->i = v ? __builtin_ctzll(v) : is_int ? 32 : 64;
        break;
    case BITS_HIGHEST:
        out->i = signed_bits(is_int, v ? UINT64_C(1) << (63 - __builtin_clzll(v)) : 0);
        break;
    case BITS_LOWEST:
        out->i = signed_bits(is_int, v & (0 - v));
        break;
    case BITS_REVERSE:
        out->i = signed_bits(is_int, reversed_bits(v, is_int ? 32 : 64));
        break;
    case BITS_SWAP:
        out->i = signed_bits(is_int, __builtin_bswap64(v) >> (is_int ? 32 : 0));
        break;
    default:
        out->i = (args[0].i > 0) - (args[0].i < 0);
        break;
    }
    return true;
}

enum { ROTATE_LEFT, ROTATE_RIGHT };

JAVA_CALL(integer_rotate)
{
    bool is_int = java_own_primitive(method)->kind == J_INT;
    unsigned width = is_int ? 32 : 64, by = (unsigned)args[1].i & (width - 1);
    uint64_t v = is_int ? (uint32_t)args[0].i : (uint64_t)args[0].i;
    JAVA_UNUSED;
    if (method->variant == ROTATE_RIGHT)
        by = (width - by) & (width - 1);
    out->i = signed_bits(is_int, by ? v << by | v >> (width - by) : v);
    return true;
}

enum { UNSIGNED_COMPARE, UNSIGNED_DIVIDE, UNSIGNED_REMAINDER, UNSIGNED_LONG };

JAVA_CALL(integer_unsigned)
{
    bool is_int = java_own_primitive(method)->kind == J_INT;
    uint64_t a = (uint64_t)args[0].i, b = method->args[1] ? (uint64_t)args[1].i : 1;
    JAVA_UNUSED;
    if (is_int) {
        a = (uint32_t)a;
        b = (uint32_t)b;
    }
    if (!b && method->variant != UNSIGNED_COMPARE)
        return java_throw(run, J_ARITHMETIC, "/ by zero");
    switch (method->variant) {
    case UNSIGNED_COMPARE:
        out->i = (a > b) - (a < b);
        break;
    case UNSIGNED_LONG:
        out->i = (int64_t)a;
        break;
    default:
        out->i = signed_bits(is_int, method->variant == UNSIGNED_DIVIDE ? a / b : a % b);
        break;
    }
    return true;
}

/* What is narrower than an int, as if it had no sign. */
JAVA_CALL(narrow_unsigned)
{
    JAVA_UNUSED;
    out->i = args[0].i & (method->of == J_BOX_BYTE ? UINT8_MAX : UINT16_MAX);
    return true;
}

/* How far they are apart, so. */
JAVA_CALL(narrow_compare)
{
    int64_t most = method->of == J_BOX_BYTE ? UINT8_MAX : UINT16_MAX;
    JAVA_UNUSED;
    out->i = (args[0].i & most) - (args[1].i & most);
    return true;
}

JAVA_CALL(short_swap)
{
    JAVA_UNUSED;
    out->i = (int16_t)__builtin_bswap16((uint16_t)args[0].i);
    return true;
}

/* 0x1F, #1F, 017 and their negatives. */
JAVA_CALL(integer_decode)
{
    struct java_object text;
    union java_value plain[2] = { { .o = &text }, { .i = 10 } };
    struct java_method parse = { .of = method->of, .args = { J_STRING, J_INT } };
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.isEmpty()\" because \"nm\" is null");
    const struct java_object *s = args[0].o;
    if (!s->string.len)
        return java_throw(run, J_NUMBER_FORMAT, "Zero length string");
    const uint16_t *units = s->string.units;
    bool sign = units[0] == '-' || units[0] == '+';
    uint32_t at = sign, len = s->string.len;
    if (len > at + 1 && units[at] == '0' && (units[at + 1] | 32) == 'x')
        at += 2, plain[1].i = 16;
    else if (len > at && units[at] == '#')
        at++, plain[1].i = 16;
    else if (len > at + 1 && units[at] == '0')
        at++, plain[1].i = 8;
    if (at < len && (units[at] == '-' || units[at] == '+') && at > 0)
        return java_throw(run, J_NUMBER_FORMAT, "Sign character in wrong position");
    uint16_t *rest = java_alloc(run, (len + 1) * sizeof *rest);
    if (!rest)
        return false;
    bool negative = sign && units[0] == '-';
    rest[0] = '-';
    memcpy(rest + negative, units + at, (len - at) * sizeof *rest);
    text = (struct java_object){ .kind = J_STRING };
    text.string.units = rest;
    text.string.len = len - at + negative;
    union java_value v;
    return parse_integer(run, &parse, plain, &v.i) && java_box(run, java_own_primitive(method), v, &out->o);
}

JAVA_CALL(integer_unsigned_text)
{
    char digits[24];
    uint64_t v = java_own_primitive(method)->kind == J_INT ? (uint32_t)args[0].i : (uint64_t)args[0].i;
    JAVA_UNUSED;
    return java_string_of_utf8(run, slice_of((const uint8_t *)digits, (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)v)), &out->o);
}

/* ---- the table ---- */

#define WHOLE(box, primitive, parse)                                                                                   \
    { box, parse, primitive, { J_STRING }, JAVA_STATIC, parse_whole, 0 },                                              \
        { box, parse, primitive, { J_STRING, J_INT }, JAVA_STATIC, parse_whole, 0 },                         \
        { box, "<init>", box, { J_STRING }, 0, parse_whole, 0 },                                                \
        { box, "valueOf", box, { J_STRING }, JAVA_STATIC, parse_whole, 0 },                                    \
    {                                                                                                                  \
        box, "valueOf", box, { J_STRING, J_INT }, JAVA_STATIC, parse_whole, 0                                  \
    }
#define WIDE(box, primitive, parse, unsigned_name)                                                                                    \
    WHOLE(box, primitive, parse), { box, "toString", J_STRING, { primitive, J_INT }, JAVA_STATIC, integer_text, 0 },   \
        { box, "toHexString", J_STRING, { primitive }, JAVA_STATIC, integer_text, 16 },                                \
        { box, "toBinaryString", J_STRING, { primitive }, JAVA_STATIC, integer_text, 2 },                              \
        { box, "toOctalString", J_STRING, { primitive }, JAVA_STATIC, integer_text, 8 },                               \
        { box, "bitCount", J_INT, { primitive }, JAVA_STATIC, integer_bits, BITS_COUNT },                              \
        { box, "numberOfLeadingZeros", J_INT, { primitive }, JAVA_STATIC, integer_bits, BITS_LEADING },                \
        { box, "numberOfTrailingZeros", J_INT, { primitive }, JAVA_STATIC, integer_bits, BITS_TRAILING },              \
        { box, "signum", J_INT, { primitive }, JAVA_STATIC, integer_bits, BITS_SIGN },                                 \
        { box, "highestOneBit", primitive, { primitive }, JAVA_STATIC, integer_bits, BITS_HIGHEST },                   \
        { box, "lowestOneBit", primitive, { primitive }, JAVA_STATIC, integer_bits, BITS_LOWEST },                     \
        { box, "reverse", primitive, { primitive }, JAVA_STATIC, integer_bits, BITS_REVERSE },                         \
        { box, "reverseBytes", primitive, { primitive }, JAVA_STATIC, integer_bits, BITS_SWAP },                       \
        { box, "rotateLeft", primitive, { primitive, J_INT }, JAVA_STATIC, integer_rotate, ROTATE_LEFT },              \
        { box, "rotateRight", primitive, { primitive, J_INT }, JAVA_STATIC, integer_rotate, ROTATE_RIGHT },            \
        { box, "compareUnsigned", J_INT, { primitive, primitive }, JAVA_STATIC, integer_unsigned, UNSIGNED_COMPARE },  \
        { box, "divideUnsigned", primitive, { primitive, primitive }, JAVA_STATIC, integer_unsigned, UNSIGNED_DIVIDE },\
        { box, "remainderUnsigned", primitive, { primitive, primitive }, JAVA_STATIC, integer_unsigned, UNSIGNED_REMAINDER },\
        { box, "decode", box, { J_STRING }, JAVA_STATIC, integer_decode, 0 },                                          \
        { box, "toUnsignedString", J_STRING, { primitive }, JAVA_STATIC, integer_unsigned_text, 0 },                   \
        { box, "parseUnsigned" unsigned_name, primitive, { J_STRING }, JAVA_STATIC, parse_unsigned, 0 },                \
        { box, "parseUnsigned" unsigned_name, primitive, { J_STRING, J_INT }, JAVA_STATIC, parse_unsigned, 0 },         \
        { box, "max", primitive, { primitive, primitive }, JAVA_STATIC, java_math_whole, JAVA_MAX },                   \
        { box, "min", primitive, { primitive, primitive }, JAVA_STATIC, java_math_whole, JAVA_MIN },                   \
    {                                                                                                                  \
        box, "sum", primitive, { primitive, primitive }, JAVA_STATIC, java_math_whole, JAVA_SUM                        \
    }

const struct java_method java_integer_methods[] = {
    WHOLE(J_BOX_BYTE, J_BYTE, "parseByte"),
    WHOLE(J_BOX_SHORT, J_SHORT, "parseShort"),
    WIDE(J_BOX_INT, J_INT, "parseInt", "Int"),
    WIDE(J_BOX_LONG, J_LONG, "parseLong", "Long"),
    { J_BOX_BYTE, "compareUnsigned", J_INT, { J_BYTE, J_BYTE }, JAVA_STATIC, narrow_compare, 0 },
    { J_BOX_SHORT, "compareUnsigned", J_INT, { J_SHORT, J_SHORT }, JAVA_STATIC, narrow_compare, 0 },
    { J_BOX_SHORT, "reverseBytes", J_SHORT, { J_SHORT }, JAVA_STATIC, short_swap, 0 },
    { J_BOX_BYTE, "toUnsignedInt", J_INT, { J_BYTE }, JAVA_STATIC, narrow_unsigned, 0 },
    { J_BOX_BYTE, "toUnsignedLong", J_LONG, { J_BYTE }, JAVA_STATIC, narrow_unsigned, 0 },
    { J_BOX_SHORT, "toUnsignedInt", J_INT, { J_SHORT }, JAVA_STATIC, narrow_unsigned, 0 },
    { J_BOX_SHORT, "toUnsignedLong", J_LONG, { J_SHORT }, JAVA_STATIC, narrow_unsigned, 0 },
    { J_BOX_INT, "toUnsignedLong", J_LONG, { J_INT }, JAVA_STATIC, integer_unsigned, UNSIGNED_LONG },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
