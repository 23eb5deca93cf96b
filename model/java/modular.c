/* BigInteger over a modulus, and its roots. */
#include "model/java/big.h"

#define WHOLE_0 SLICE_LIT("\0")
#define WHOLE_1 SLICE_LIT("\1")

static bool is_one(struct slice v)
{
    return varint_cmp(v, WHOLE_1) == 0;
}

static bool is_odd(struct slice v)
{
    return v.len && v.data[v.len - 1] & 1;
}

static bool check_modulus(struct java_run *run, const struct java_object *m)
{
    if (!java_check_read(run, m, "read field \"signum\"", "m"))
        return false;
    return java_big_sign(m) > 0 || java_throw(run, J_ARITHMETIC, "BigInteger: modulus not positive");
}

static bool modulo(struct java_run *run, struct slice v, struct slice m, struct slice *out)
{
    if (!java_whole(run, NUMBER_REMAINDER, v, m, out))
        return false;
    return java_whole_sign(*out) >= 0 || java_whole(run, NUMBER_ADD, *out, m, out);
}

static bool product(struct java_run *run, struct slice a, struct slice b, struct slice m, struct slice *out)
{
    struct slice whole;
    return java_whole(run, NUMBER_MULTIPLY, a, b, &whole) && modulo(run, whole, m, out);
}

/* Euclid's algorithm, with what each remainder has of v. */
static bool invert(struct java_run *run, struct slice v, struct slice m, struct slice *out)
{
    struct slice last, rest, had = WHOLE_0, has = WHOLE_1, quotient, next, part;

    if (!modulo(run, v, m, &rest))
        return false;
    for (last = m; java_whole_sign(rest); had = has, has = part, last = rest, rest = next)
        if (!java_whole(run, NUMBER_DIVIDE, last, rest, &quotient) || !java_whole(run, NUMBER_REMAINDER, last, rest, &next) ||
            !java_whole(run, NUMBER_MULTIPLY, quotient, has, &part) || !java_whole(run, NUMBER_SUBTRACT, had, part, &part))
            return false;
    if (!is_one(last))
        return java_throw(run, J_ARITHMETIC, "BigInteger not invertible.");
    return modulo(run, had, m, out);
}

JAVA_CALL(integer_invert)
{
    struct slice v;
    JAVA_UNUSED;
    return check_modulus(run, args[0].o) && invert(run, self->o->bytes, args[0].o->bytes, &v) && java_new_whole(run, v, out);
}

/* Bit after bit of the exponent, which is not negative, from the greatest. */
static bool raise(struct java_run *run, struct slice base, struct slice exponent, struct slice m, struct slice *out)
{
    struct slice v = WHOLE_1;

    if (!modulo(run, WHOLE_1, m, &v) || !modulo(run, base, m, &base))
        return false;
    for (size_t i = 0; i < exponent.len * 8; i++) {
        bool is_set = exponent.data[i / 8] & 0x80 >> i % 8;
        if (!product(run, v, v, m, &v) || (is_set && !product(run, v, base, m, &v)))
            return false;
    }
    *out = v;
    return true;
}

static bool is_unit(struct slice v)
{
    static const uint8_t minus_one = 0xff;
    return is_one(v) || varint_cmp(v, slice_of(&minus_one, 1)) == 0;
}

/* BigInteger.modPow inverts what a negative exponent gives, but for 1, and -1 of an even one, which it looks at first. */
JAVA_CALL(integer_mod_pow)
{
    struct slice exponent, v, m;
    JAVA_UNUSED;
    if (!check_modulus(run, args[1].o) || !java_check_read(run, args[0].o, "read field \"signum\"", "exponent"))
        return false;
    exponent = args[0].o->bytes;
    m = args[1].o->bytes;
    bool inverts = java_whole_sign(exponent) < 0 && !(is_unit(self->o->bytes) && (is_one(self->o->bytes) || !is_odd(exponent)));
    if (java_whole_sign(exponent) < 0 && !java_whole(run, NUMBER_SUBTRACT, WHOLE_0, exponent, &exponent))
        return false;
    if (!raise(run, self->o->bytes, exponent, m, &v) || (inverts && !is_one(m) && !invert(run, v, m, &v)))
        return false;
    return java_new_whole(run, v, out);
}

/* Newton's way, from above: a power of two that is no less than the root. */
static bool root(struct java_run *run, struct slice v, struct slice *out)
{
    struct slice next, two = SLICE_LIT("\2");
    size_t len = v.len / 2 + 2;
    uint8_t *first = java_alloc(run, len);

    if (!first)
        return false;
    if (!java_whole_sign(v)) {
        *out = v;
        return true;
    }
    memset(first, 0, len);
    first[0] = 1;
    next = slice_of(first, len);
    do {
        *out = next;
        if (!java_whole(run, NUMBER_DIVIDE, v, *out, &next) || !java_whole(run, NUMBER_ADD, next, *out, &next) ||
            !java_whole(run, NUMBER_DIVIDE, next, two, &next))
            return false;
    } while (varint_cmp(next, *out) < 0);
    return true;
}

JAVA_CALL(integer_root)
{
    struct slice v;
    JAVA_UNUSED;
    if (java_big_sign(self->o) < 0)
        return java_throw(run, J_ARITHMETIC, "Negative BigInteger");
    return root(run, self->o->bytes, &v) && java_new_whole(run, v, out);
}

const struct java_method java_modular_methods[] = {
    { J_BIG_INTEGER, "modPow", J_BIG_INTEGER, { J_BIG_INTEGER, J_BIG_INTEGER }, 0, integer_mod_pow, 0 },
    { J_BIG_INTEGER, "modInverse", J_BIG_INTEGER, { J_BIG_INTEGER }, 0, integer_invert, 0 },
    { J_BIG_INTEGER, "sqrt", J_BIG_INTEGER, { 0 }, 0, integer_root, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
