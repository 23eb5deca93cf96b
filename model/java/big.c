/* BigInteger and BigDecimal, as values of varint and decimal: what both have, and BigInteger's own. */
#include "model/java/big.h"
#include "model/java/object_ops.h"

static bool is_decimal(const struct java_object *o)
{
    return o->kind == J_BIG_DECIMAL;
}

int java_whole_sign(struct slice v)
{
    if (v.len && v.data[0] & 0x80)
        return -1;
    for (size_t i = 0; i < v.len; i++)
        if (v.data[i])
            return 1;
    return 0;
}

bool java_whole_fits(struct slice v, enum java_kind kind, int64_t *out)
{
    struct slice shortest = varint_trim(v);
    *out = varint_to_i64(shortest);
    return shortest.len <= sizeof *out && java_narrow(kind, *out) == *out;
}

int java_big_sign(const struct java_object *o)
{
    return java_whole_sign(is_decimal(o) ? java_decimal_unscaled(o) : o->bytes);
}

/* A decimal's scale is an int. */
static bool check_product(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    int64_t scale = (int64_t)java_decimal_scale(a) + java_decimal_scale(b);
    return (scale >= INT32_MIN && scale <= INT32_MAX) || !java_big_sign(a) || !java_big_sign(b) ||
           java_throw(run, J_ARITHMETIC, scale > 0 ? "Underflow" : "Overflow");
}

bool java_big_calculate(struct java_run *run, enum number_op op, const struct java_object *a, const struct java_object *b,
                      union java_value *out)
{
    if (!java_spend(run, 1 + (uint64_t)a->bytes.len * b->bytes.len / JAVA_MULTIPLIED_AT_ONCE) ||
        (op == NUMBER_MULTIPLY && is_decimal(a) && !check_product(run, a, b)) || !(out->o = java_new(run, a->kind)))
        return false;
    return java_ok(run, is_decimal(a) ? decimal_calc(run->ctx, op, a->bytes, b->bytes, &out->o->bytes)
                                      : varint_calc(run->ctx, op, a->bytes, b->bytes, &out->o->bytes)) &&
           java_charge(run, out->o->bytes.len);
}

/* The number as an object of the kind. */
static bool new_big(struct java_run *run, enum java_kind kind, int64_t v, struct java_object **out)
{
    struct slice whole;
    if (!(*out = java_new(run, kind)) || !java_ok(run, varint_of_i64(run->ctx, v, &whole)))
        return false;
    if (kind == J_BIG_INTEGER)
        (*out)->bytes = whole;
    return kind == J_BIG_INTEGER || java_ok(run, decimal_of_varint(run->ctx, whole, &(*out)->bytes));
}

/* What is read first of the other number, and how it is called there. */
static bool check_operand(struct java_run *run, const struct java_method *method, const struct java_object *other)
{
    static const struct {
        const char *what, *name;
    } of_decimals[] = { [NUMBER_ADD] = { "read field \"intCompact\"", "augend" },
                        [NUMBER_SUBTRACT] = { "read field \"intCompact\"", "subtrahend" },
                        [NUMBER_MULTIPLY] = { "read field \"scale\"", "multiplicand" } };
    bool divides = method->variant == NUMBER_DIVIDE || method->variant == NUMBER_REMAINDER;
    if (method->of == J_BIG_DECIMAL)
        return java_check_read(run, other, of_decimals[method->variant].what, of_decimals[method->variant].name);
    return java_check_read(run, other, divides ? "read field \"mag\"" : "read field \"signum\"", "val");
}

JAVA_CALL(big_calculate)
{
    enum number_op op = (enum number_op)method->variant;
    JAVA_UNUSED;
    if (!check_operand(run, method, args[0].o))
        return false;
    if ((op == NUMBER_DIVIDE || op == NUMBER_REMAINDER) && !java_big_sign(args[0].o))
        return java_throw(run, J_ARITHMETIC, "BigInteger divide by zero");
    return java_big_calculate(run, op, self->o, args[0].o, out);
}

JAVA_CALL(big_mod)
{
    union java_value rest;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "read field \"signum\"", "m"))
        return false;
    if (java_big_sign(args[0].o) <= 0)
        return java_throw(run, J_ARITHMETIC, "BigInteger: modulus not positive");
    if (!java_big_calculate(run, NUMBER_REMAINDER, self->o, args[0].o, &rest))
        return false;
    *out = rest;
    return java_big_sign(rest.o) >= 0 || java_big_calculate(run, NUMBER_ADD, rest.o, args[0].o, out);
}

enum { BIG_NEGATE, BIG_ABS };

JAVA_CALL(big_sign_change)
{
    struct java_object zero = { .kind = self->o->kind };
    uint8_t bytes[5] = { 0 }; /* of the number's own scale */
    JAVA_UNUSED;
    out->o = self->o;
    if (method->variant == BIG_ABS && java_big_sign(self->o) >= 0)
        return true;
    if (is_decimal(self->o) && self->o->bytes.len >= 4)
        memcpy(bytes, self->o->bytes.data, 4);
    zero.bytes = is_decimal(self->o) ? slice_of(bytes, 5) : slice_of(bytes, 1);
    return java_big_calculate(run, NUMBER_SUBTRACT, &zero, self->o, out);
}

JAVA_CALL(big_signum)
{
    JAVA_UNUSED;
    out->i = java_big_sign(self->o);
    return true;
}

JAVA_CALL(big_pow)
{
    int64_t n = args[0].i;
    union java_value v;
    JAVA_UNUSED;
    if (n < 0 || n > 999999999)
        return java_throw(run, J_ARITHMETIC, is_decimal(self->o) ? "Invalid operation" : n < 0 ? "Negative exponent" : JAVA_TOO_LARGE);
    if ((uint64_t)n * self->o->bytes.len > 4096)
        return java_throw(run, J_UNSUPPORTED, "a power of so many digits is not supported here");
    if (!new_big(run, self->o->kind, 1, &v.o))
        return false;
    for (; n > 0; n--)
        if (!java_big_calculate(run, NUMBER_MULTIPLY, v.o, self->o, &v))
            return false;
    *out = v;
    return true;
}

enum { BIG_MAX, BIG_MIN };

JAVA_CALL(big_extreme)
{
    int c;
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, method->of == J_BIG_DECIMAL ? "read field \"scale\"" : "read field \"signum\"", "val") ||
        !java_compare(run, self->o, args[0].o, &c))
        return false;
    out->o = (method->variant == BIG_MAX ? c >= 0 : c <= 0) ? self->o : args[0].o;
    return true;
}

JAVA_CALL_PUBLIC(java_big_of_long)
{
    JAVA_UNUSED;
    return new_big(run, method->of, args[0].i, &out->o);
}

bool java_spend_digits(struct java_run *run, size_t bytes)
{
    return java_spend(run, 1 + (uint64_t)bytes * bytes / JAVA_MULTIPLIED_AT_ONCE);
}

bool java_new_whole(struct java_run *run, struct slice bytes, union java_value *out)
{
    bytes = varint_trim(bytes);
    if (bytes.len > NUMBER_BYTES_MAX)
        return java_throw(run, J_ARITHMETIC, JAVA_TOO_LARGE);
    if (!(out->o = java_new(run, J_BIG_INTEGER)))
        return false;
    out->o->bytes = bytes;
    return true;
}

JAVA_CALL(integer_gcd)
{
    struct slice a = self->o->bytes, b, rest, zero = slice_of("\0", 1);
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot read field \"signum\" because \"val\" is null");
    for (b = args[0].o->bytes; java_whole_sign(b); b = rest) {
        if (!java_whole(run, NUMBER_REMAINDER, a, b, &rest))
            return false;
        a = b;
    }
    if (java_whole_sign(a) < 0 && !java_whole(run, NUMBER_SUBTRACT, zero, a, &a))
        return false;
    return java_new_whole(run, a, out);
}

/* Of a sign and a magnitude. */
JAVA_CALL(integer_of_magnitude)
{
    struct slice bytes, zero = slice_of("\0", 1);
    int64_t sign = args[0].i;
    bool any = false;
    JAVA_UNUSED;
    if (!java_check_read(run, args[1].o, JAVA_READ_LENGTH, "magnitude") || !java_array_bytes(run, args[1].o, &bytes))
        return false;
    if (sign < -1 || sign > 1)
        return java_throw(run, J_NUMBER_FORMAT, "Invalid signum value");
    uint8_t *positive = java_alloc(run, bytes.len + 1);
    if (!positive)
        return false;
    for (size_t i = 0; i < bytes.len; i++) {
        positive[i + 1] = bytes.data[i];
        any |= bytes.data[i] != 0;
    }
    if (!any)
        return java_new_whole(run, zero, out);
    if (!sign)
        return java_throw(run, J_NUMBER_FORMAT, "signum-magnitude mismatch");
    bytes = slice_of(positive, bytes.len + 1);
    return (sign > 0 || java_whole(run, NUMBER_SUBTRACT, zero, bytes, &bytes)) && java_new_whole(run, bytes, out);
}

JAVA_CALL(integer_divide_both)
{
    union java_value parts[2];
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, "read field \"mag\"", "val"))
        return false;
    if (!java_big_sign(args[0].o))
        return java_throw(run, J_ARITHMETIC, "BigInteger divide by zero");
    if (!java_big_calculate(run, NUMBER_DIVIDE, self->o, args[0].o, &parts[0]) ||
        !java_big_calculate(run, NUMBER_REMAINDER, self->o, args[0].o, &parts[1]))
        return false;
    return java_array_of_items(run, J_BIG_INTEGER, (struct java_object *[]){ parts[0].o, parts[1].o }, 2, &out->o);
}

JAVA_CALL(integer_of_bytes)
{
    struct slice bytes;
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot read the array length because \"val\" is null");
    if (!args[0].o->array.count)
        return java_throw(run, J_NUMBER_FORMAT, "Zero length BigInteger");
    return java_array_bytes(run, args[0].o, &bytes) && java_new_whole(run, bytes, out);
}

JAVA_CALL(integer_to_bytes)
{
    JAVA_UNUSED;
    return java_new_bytes(run, varint_trim(self->o->bytes), &out->o);
}

/* longValueExact() and kin. */
JAVA_CALL(integer_exact)
{
    JAVA_UNUSED;
    if (java_whole_fits(self->o->bytes, (enum java_kind)method->result, &out->i))
        return true;
    int kind_len = (int)(strlen(method->name) - strlen("ValueExact"));
    return java_throw(run, J_ARITHMETIC, "BigInteger out of %.*s range", kind_len, method->name);
}

JAVA_CALL(integer_bit_length)
{
    struct slice v = varint_trim(self->o->bytes);
    JAVA_UNUSED;
    uint8_t first = v.len ? (uint8_t)(v.data[0] ^ (v.data[0] & 0x80 ? 0xff : 0)) : 0;
    out->i = v.len ? (int64_t)(v.len - 1) * 8 + (first ? 32 - __builtin_clz(first) : 0) : 0;
    return true;
}

/* ---- a BigInteger's bits, of which its sign's go on for ever ---- */

static unsigned sign_byte(struct slice v)
{
    return v.len && v.data[0] & 0x80 ? 0xff : 0;
}

static unsigned low_byte(struct slice v, int64_t i) /* the i-th from the end; zeroes are behind it */
{
    return i < 0 ? 0 : (uint64_t)i < v.len ? v.data[v.len - 1 - (size_t)i] : sign_byte(v);
}

enum { BITS_AND, BITS_OR, BITS_XOR, BITS_AND_NOT };

enum { BIT_SET, BIT_CLEAR, BIT_FLIP };

JAVA_CALL(integer_set_bit)
{
    struct slice a = self->o->bytes;
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ARITHMETIC, "Negative bit address");
    size_t at = (size_t)args[0].i / 8, len = a.len > at + 2 ? a.len : at + 2; /* a byte more, for the sign */
    uint8_t *bytes = java_alloc(run, len), bit = (uint8_t)(1u << args[0].i % 8);
    if (!bytes || !java_spend(run, len / JAVA_MULTIPLIED_AT_ONCE))
        return false;
    for (size_t i = 0; i < len; i++)
        bytes[len - 1 - i] = (uint8_t)low_byte(a, (int64_t)i);
    uint8_t *byte = &bytes[len - 1 - at];
    *byte = method->variant == BIT_SET ? *byte | bit : method->variant == BIT_CLEAR ? *byte & (uint8_t)~bit : *byte ^ bit;
    return java_new_whole(run, slice_of(bytes, len), out);
}

JAVA_CALL(integer_bitwise) /* of a number, or of -1 for not() */
{
    static const uint8_t all = 0xff;
    struct slice a = self->o->bytes, b = slice_of(&all, 1);
    JAVA_UNUSED;
    if (method->args[0]) {
        if (!args[0].o)
            return java_throw(run, J_NULL_POINTER, "Cannot invoke \"java.math.BigInteger.intLength()\" because \"val\" is null");
        b = args[0].o->bytes;
    }
    size_t len = a.len > b.len ? a.len : b.len;
    uint8_t *bytes = java_alloc(run, len);
    if (!bytes)
        return false;
    for (size_t i = 0; i < len; i++) {
        unsigned x = low_byte(a, (int64_t)i), y = low_byte(b, (int64_t)i);
        bytes[len - 1 - i] = (uint8_t)(method->variant == BITS_AND   ? x & y
                                       : method->variant == BITS_OR  ? x | y
                                       : method->variant == BITS_XOR ? x ^ y
                                                                     : x & ~y);
    }
    return java_new_whole(run, slice_of(bytes, len), out);
}

enum { SHIFT_LEFT, SHIFT_RIGHT };

JAVA_CALL(integer_shift)
{
    struct slice v = self->o->bytes;
    int64_t by = method->variant == SHIFT_LEFT ? args[0].i : -args[0].i; /* to the left */
    JAVA_UNUSED;
    if (!java_big_sign(self->o)) {
        out->o = self->o;
        return true;
    }
    if (by > INT32_MAX - (int64_t)v.len * 8)
        return java_throw(run, J_ARITHMETIC, JAVA_TOO_LARGE);
    int64_t whole = by >= 0 ? by / 8 : -((7 - by) / 8); /* as many bytes, and then less than eight bits more */
    unsigned rest = (unsigned)(by - whole * 8);
    int64_t len = (int64_t)v.len + whole + 1;
    len = len > 0 ? len : 1;
    uint8_t *bytes = java_alloc(run, (size_t)len);
    if (!bytes)
        return false;
    for (int64_t i = 0; i < len; i++)
        bytes[len - 1 - i] = (uint8_t)(low_byte(v, i - whole) << rest | low_byte(v, i - whole - 1) >> (8 - rest));
    return java_new_whole(run, slice_of(bytes, (size_t)len), out);
}

JAVA_CALL(integer_test_bit)
{
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ARITHMETIC, "Negative bit address");
    out->i = low_byte(self->o->bytes, args[0].i / 8) >> args[0].i % 8 & 1;
    return true;
}

JAVA_CALL(integer_bit_count) /* of those that differ from the sign */
{
    struct slice v = self->o->bytes;
    JAVA_UNUSED;
    out->i = 0;
    for (size_t i = 0; i < v.len; i++)
        out->i += __builtin_popcount(v.data[i] ^ sign_byte(v));
    return true;
}

JAVA_CALL(integer_lowest_bit)
{
    struct slice v = self->o->bytes;
    JAVA_UNUSED;
    out->i = -1;
    for (int64_t i = 0; out->i < 0 && i < (int64_t)v.len; i++)
        if (low_byte(v, i))
            out->i = i * 8 + __builtin_ctz(low_byte(v, i));
    return true;
}

bool java_big_value(struct java_run *run, const struct java_object *number, enum java_kind to, union java_value *out)
{
    float narrow;
    union java_value v = { .i = 0 };
    bool good = true;

    if (is_decimal(number)) {
        if (!java_charge(run, JAVA_DECIMAL_OF_DOUBLE) || !java_spend_digits(run, number->bytes.len))
            return false;
        if (to == J_FLOAT) {
            good = java_ok(run, decimal_to_float(run->ctx, number->bytes, &narrow));
            v.d = good ? (double)narrow : 0;
        } else {
            good = java_ok(run, to == J_DOUBLE ? decimal_to_double(run->ctx, number->bytes, &v.d)
                                               : decimal_to_i64(run->ctx, number->bytes, &v.i));
        }
    } else if (to == J_FLOAT) {
        v.d = (double)varint_to_float(number->bytes);
    } else if (to == J_DOUBLE) {
        v.d = varint_to_double(number->bytes);
    } else {
        v.i = varint_to_i64(number->bytes);
    }
    if (to < J_FLOAT)
        v.i = java_narrow(to, v.i);
    *out = v;
    return good;
}

/* ---- as objects ---- */

uint32_t java_whole_hash(struct slice v)
{
    bool negative = v.len && v.data[0] & 0x80;
    uint32_t h = 0, word = 0;
    size_t last = v.len; /* the byte that is not 0: those before it are turned over, it is negated */

    while (last > 0 && !v.data[last - 1])
        last--;
    for (size_t i = 0; i < v.len; i++) {
        word = word << 8 | (uint8_t)(!negative ? v.data[i] : i + 1 < last ? ~v.data[i] : -v.data[i]);
        if ((v.len - i - 1) % 4 == 0) {
            h = 31 * h + word;
            word = 0;
        }
    }
    return negative ? 0 - h : h;
}

static bool integer_equals(struct java_run *run, const struct java_object *a, const struct java_object *b)
{
    (void)run;
    return varint_cmp(a->bytes, b->bytes) == 0;
}

static uint32_t integer_hash(struct java_run *run, const struct java_object *o)
{
    (void)run;
    return java_whole_hash(o->bytes);
}

static bool integer_compare(struct java_run *run, const struct java_object *a, const struct java_object *b, int *out)
{
    *out = varint_cmp(a->bytes, b->bytes);
    return java_spend(run, a->bytes.len);
}

static bool integer_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    java_put_cql(utf16, TYPE_VARINT, o->bytes);
    return java_spend_digits(run, o->bytes.len);
}

const struct java_object_ops java_big_integer_ops = {
    .equals = integer_equals, .hash = integer_hash, .compare = integer_compare, .print = integer_print
};

/* ---- the table ---- */

#define BIG(kind)                                                                                                      \
    { kind, "valueOf", kind, { J_LONG }, JAVA_STATIC, java_big_of_long, 0 },                                                \
        { kind, "add", kind, { kind }, 0, big_calculate, NUMBER_ADD },                                                 \
        { kind, "subtract", kind, { kind }, 0, big_calculate, NUMBER_SUBTRACT },                                       \
        { kind, "multiply", kind, { kind }, 0, big_calculate, NUMBER_MULTIPLY },                                       \
        { kind, "negate", kind, { 0 }, 0, big_sign_change, BIG_NEGATE },                                               \
        { kind, "abs", kind, { 0 }, 0, big_sign_change, BIG_ABS }, { kind, "signum", J_INT, { 0 }, 0, big_signum, 0 }, \
        { kind, "pow", kind, { J_INT }, 0, big_pow, 0 }, { kind, "max", kind, { kind }, 0, big_extreme, BIG_MAX },     \
    {                                                                                                                  \
        kind, "min", kind, { kind }, 0, big_extreme, BIG_MIN                                                           \
    }

const struct java_method java_big_methods[] = {
    BIG(J_BIG_INTEGER),
    BIG(J_BIG_DECIMAL),
    { J_BIG_INTEGER, "divide", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, big_calculate, NUMBER_DIVIDE },
    { J_BIG_INTEGER, "remainder", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, big_calculate, NUMBER_REMAINDER },
    { J_BIG_INTEGER, "mod", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, big_mod, 0 },
    { J_BIG_INTEGER, "bitLength", J_INT, { 0 }, 0, integer_bit_length, 0 },
    { J_BIG_INTEGER, "and", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, integer_bitwise, BITS_AND },
    { J_BIG_INTEGER, "or", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, integer_bitwise, BITS_OR },
    { J_BIG_INTEGER, "xor", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, integer_bitwise, BITS_XOR },
    { J_BIG_INTEGER, "andNot", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, integer_bitwise, BITS_AND_NOT },
    { J_BIG_INTEGER, "not", J_BIG_INTEGER, { 0 }, 0, integer_bitwise, BITS_XOR },
    { J_BIG_INTEGER, "shiftLeft", J_BIG_INTEGER, { J_INT }, 0, integer_shift, SHIFT_LEFT },
    { J_BIG_INTEGER, "shiftRight", J_BIG_INTEGER, { J_INT }, 0, integer_shift, SHIFT_RIGHT },
    { J_BIG_INTEGER, "testBit", J_BOOLEAN, { J_INT }, 0, integer_test_bit, 0 },
    { J_BIG_INTEGER, "bitCount", J_INT, { 0 }, 0, integer_bit_count, 0 },
    { J_BIG_INTEGER, "getLowestSetBit", J_INT, { 0 }, 0, integer_lowest_bit, 0 },
    { J_BIG_INTEGER, "gcd", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, integer_gcd, 0 },
    { J_BIG_INTEGER, "setBit", J_BIG_INTEGER, { J_INT }, 0, integer_set_bit, BIT_SET },
    { J_BIG_INTEGER, "clearBit", J_BIG_INTEGER, { J_INT }, 0, integer_set_bit, BIT_CLEAR },
    { J_BIG_INTEGER, "flipBit", J_BIG_INTEGER, { J_INT }, 0, integer_set_bit, BIT_FLIP },
    { J_BIG_INTEGER, "divideAndRemainder", JX_ARRAY_OF_SELF, { J_BIG_INTEGER }, 0, integer_divide_both, 0 },
    { J_BIG_INTEGER, "<init>", J_BIG_INTEGER, { J_INT, JX_BYTES }, 0, integer_of_magnitude, 0 },
    { J_BIG_INTEGER, "<init>", J_BIG_INTEGER, { JX_BYTES }, 0, integer_of_bytes, 0 },
    { J_BIG_INTEGER, "toByteArray", JX_BYTES, { 0 }, 0, integer_to_bytes, 0 },
    { J_BIG_INTEGER, "longValueExact", J_LONG, { 0 }, 0, integer_exact, 0 },
    { J_BIG_INTEGER, "intValueExact", J_INT, { 0 }, 0, integer_exact, 0 },
    { J_BIG_INTEGER, "shortValueExact", J_SHORT, { 0 }, 0, integer_exact, 0 },
    { J_BIG_INTEGER, "byteValueExact", J_BYTE, { 0 }, 0, integer_exact, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_INT }, 0, java_big_of_long, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_LONG }, 0, java_big_of_long, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_constant java_big_constants[] = {
    { J_BIG_INTEGER, "ZERO", J_BIG_INTEGER, { .i = 0 }, "0" },
    { J_BIG_INTEGER, "ONE", J_BIG_INTEGER, { .i = 0 }, "1" },
    { J_BIG_INTEGER, "TWO", J_BIG_INTEGER, { .i = 0 }, "2" },
    { J_BIG_INTEGER, "TEN", J_BIG_INTEGER, { .i = 0 }, "10" },
    { J_BIG_DECIMAL, "ZERO", J_BIG_DECIMAL, { .i = 0 }, "0" },
    { J_BIG_DECIMAL, "ONE", J_BIG_DECIMAL, { .i = 0 }, "1" },
    { J_BIG_DECIMAL, "TEN", J_BIG_DECIMAL, { .i = 0 }, "10" },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
