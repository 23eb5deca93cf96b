#include "model/real.h"

#include <assert.h>

double double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

uint64_t double_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return isnan(v) ? UINT64_C(0x7ff8000000000000) : bits;
}

uint32_t float_bits(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return isnan(v) ? UINT32_C(0x7fc00000) : bits;
}

/* ---- a natural number wide enough for every double's digits: 5^324 * 2^64 and ten times that ---- */

enum { WIDE_WORDS = 40, FRACTION_BITS = 52 };

struct wide {
    uint32_t words[WIDE_WORDS]; /* least first */
    int used;
};

static void wide_set(struct wide *w, uint64_t v)
{
    w->words[0] = (uint32_t)v;
    w->words[1] = (uint32_t)(v >> 32);
    w->used = 2;
}

static void wide_times(struct wide *w, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < w->used; i++) {
        carry += (uint64_t)w->words[i] * factor;
        w->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(w->used < WIDE_WORDS);
        w->words[w->used++] = (uint32_t)carry;
    }
}

static void wide_shift(struct wide *w, int bits)
{
    for (; bits >= 31; bits -= 31)
        wide_times(w, UINT32_C(1) << 31);
    wide_times(w, UINT32_C(1) << bits);
}

static void wide_times_pow52(struct wide *w, int fives, int twos)
{
    for (; fives >= 13; fives -= 13)
        wide_times(w, 1220703125); /* 5^13, the greatest in 32 bits */
    for (; fives > 0; fives--)
        wide_times(w, 5);
    wide_shift(w, twos);
}

static uint32_t wide_word(const struct wide *w, int i)
{
    return i < w->used ? w->words[i] : 0;
}

static int wide_cmp(const struct wide *a, const struct wide *b)
{
    for (int i = a->used > b->used ? a->used : b->used; i-- > 0;) {
        uint32_t x = wide_word(a, i), y = wide_word(b, i);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static void wide_add(struct wide *a, const struct wide *b)
{
    uint64_t carry = 0;
    int n = a->used > b->used ? a->used : b->used;
    for (int i = 0; i < n || carry; i++) {
        carry += (uint64_t)wide_word(a, i) + wide_word(b, i);
        assert(i < WIDE_WORDS);
        a->words[i] = (uint32_t)carry;
        carry >>= 32;
        if (i >= a->used)
            a->used = i + 1;
    }
}

static void wide_subtract(struct wide *a, const struct wide *b) /* a >= b */
{
    int64_t borrow = 0;
    for (int i = 0; i < a->used; i++) {
        borrow += (int64_t)a->words[i] - wide_word(b, i);
        a->words[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
}

/* ---- digits ---- */

enum { DIGITS_MAX = 24, EXPONENT_FORM_BELOW = -3, EXPONENT_FORM_FROM = 8 };

struct digits {
    char text[DIGITS_MAX];
    int count;
    int exponent; /* the value is 0.d1d2d3... * 10^exponent */
};

static void digits_round_up(struct digits *d)
{
    int i = d->count - 1;
    for (; i > 0 && d->text[i] == '9'; i--)
        d->text[i] = '0';
    if (d->text[i] == '9') {
        d->exponent++;
        d->text[i] = '1';
        return;
    }
    d->text[i]++;
}

/* Whole numbers of at most 64 bits: all digits, without the last ones that lie below the type's precision. */
static void digits_of_whole(struct digits *d, uint64_t v, int dropped)
{
    uint64_t power = 1;
    char text[24];
    int n = 0, zeros = 0;
    for (int i = 0; i < dropped; i++)
        power *= 10;
    if (dropped) {
        uint64_t residue = v % power;
        v = v / power + (residue >= power / 2);
    }
    for (; v % 10 == 0; v /= 10)
        zeros++;
    for (; v; v /= 10)
        text[n++] = (char)('0' + v % 10);
    for (int i = 0; i < n; i++)
        d->text[i] = text[n - 1 - i];
    d->count = n;
    d->exponent = n + zeros + dropped;
}

static int pow5_bits(int n)
{
    static const uint8_t exact[] = { 0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                                     33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61 };
    return n < (int)sizeof exact ? exact[n] : n * 3;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int at_least_0(int n)
{
    return n > 0 ? n : 0;
}

/* Ends the digits: tie is how twice the rest compares with a whole unit of the last digit. */
static void digits_end(struct digits *d, int decimal, bool low, bool high, int tie)
{
    d->exponent = decimal + 1;
    if (high && (!low || tie > 0 || (tie == 0 && (d->text[d->count - 1] & 1))))
        digits_round_up(d);
}

/* Java's signed arithmetic, which wraps around. */
static int64_t wrapped(uint64_t v, bool in_32)
{
    return in_32 ? (int32_t)(uint32_t)v : (int64_t)v;
}

/*
 * The digits of b / s, one at a time, until what is left is within m of the last one. Java computes in int or long
 * where the numbers fit, and b + m may not: then "high" is missed and the last digit stays too low (2^83 as a float
 * ends in ..65, not
 * ..66). Users have seen these digits, so they are kept.
 */
static void digits_narrow(struct digits *d, int decimal, bool in_32, uint64_t b0, uint64_t s0, uint64_t m0)
{
    int64_t b = wrapped(b0, in_32), s = wrapped(s0, in_32), m = wrapped(m0, in_32);
    int64_t ten_s = wrapped((uint64_t)s * 10, in_32);
    bool low = false, high = false;
    d->count = 0;
    for (bool first = true; first || (!low && !high && d->count < DIGITS_MAX); first = false) {
        int64_t q = b / s;
        b = wrapped((uint64_t)(b % s) * 10, in_32);
        m = wrapped((uint64_t)m * 10, in_32);
        low = high = true;
        if (first || m > 0) {
            low = b < m;
            high = wrapped((uint64_t)b + (uint64_t)m, in_32) > ten_s;
        }
        if (first && q == 0 && !high)
            decimal--;
        else
            d->text[d->count++] = (char)('0' + q);
        if (first && (decimal < EXPONENT_FORM_BELOW || decimal >= EXPONENT_FORM_FROM))
            low = high = false;
    }
    int64_t difference = wrapped(((uint64_t)b << 1) - (uint64_t)ten_s, in_32);
    digits_end(d, decimal, low, high, (difference > 0) - (difference < 0));
}

struct powers { /* b is a number times 5^b5 2^b2, s is 5^s5 2^s2, m is 5^b5 2^m2 */
    int b5, b2, s5, s2, m2;
};

/* The same in numbers of any size, where nothing is missed; here the bound itself counts as reached. */
static void digits_wide(struct digits *d, int decimal, uint64_t odd, const struct powers *p)
{
    struct wide b, s, m, ten_s, sum;
    wide_set(&b, odd);
    wide_times_pow52(&b, p->b5, p->b2);
    wide_set(&s, 1);
    wide_times_pow52(&s, p->s5, p->s2);
    wide_set(&m, 1);
    wide_times_pow52(&m, p->b5, p->m2);
    ten_s = s;
    wide_times(&ten_s, 10);
    bool low = false, high = false;
    d->count = 0;
    for (bool first = true; first || (!low && !high && d->count < DIGITS_MAX); first = false) {
        int q = 0;
        for (; wide_cmp(&b, &s) >= 0; q++)
            wide_subtract(&b, &s);
        assert(q < 10);
        wide_times(&b, 10);
        wide_times(&m, 10);
        sum = b;
        wide_add(&sum, &m);
        low = wide_cmp(&b, &m) < 0;
        high = wide_cmp(&sum, &ten_s) >= 0;
        if (first && q == 0 && !high)
            decimal--;
        else
            d->text[d->count++] = (char)('0' + q);
        if (first && (decimal < EXPONENT_FORM_BELOW || decimal >= EXPONENT_FORM_FROM))
            low = high = false;
    }
    wide_times(&b, 2);
    digits_end(d, decimal, low, high, wide_cmp(&b, &ten_s));
}

static uint64_t pow5(int n) /* n < 27 */
{
    uint64_t v = 1;
    while (n-- > 0)
        v *= 5;
    return v;
}

/*
 * Steele and White's generation with the early stop of FloatingDecimal: fraction holds its first bit at bit 52, the
 * value is fraction / 2^52 * 2^exponent, of which `precision` bits count. It stops at the first digit after which the
 * rest is within half a unit of the type's last bit; the form with an exponent always gets two digits, which is why
 * some come out longer than need be.
 */
static void digits_make(struct digits *d, int exponent, uint64_t fraction, int precision)
{
    int tail = __builtin_ctzll(fraction);
    int bits = FRACTION_BITS + 1 - tail;
    int tiny = at_least_0(bits - exponent - 1);
    if (exponent <= 62 && exponent >= -21 && tiny == 0 && bits < 64) {
        int insignificant = exponent > precision ? exponent - precision - 1 : 0;
        uint64_t whole =
            exponent >= FRACTION_BITS ? fraction << (exponent - FRACTION_BITS) : fraction >> (FRACTION_BITS - exponent);
        digits_of_whole(d, whole, insignificant > 1 ? (int)(insignificant * 0.30102999566398) : 0);
        return;
    }
    double mantissa = double_of(UINT64_C(0x3ff0000000000000) | (fraction & ((UINT64_C(1) << FRACTION_BITS) - 1)));
    int decimal = (int)floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981);
    int b5 = at_least_0(-decimal), s5 = at_least_0(decimal);
    int b2 = b5 + tiny + exponent, s2 = s5 + tiny, m2 = b2 - precision;
    b2 -= bits - 1;
    int common = min_int(b2, s2);
    b2 -= common;
    s2 -= common;
    m2 -= common;
    if (bits == 1)
        m2--; /* below a power of two the next number is only half as far away */
    if (m2 < 0) {
        b2 -= m2;
        s2 -= m2;
        m2 = 0;
    }
    uint64_t odd = fraction >> tail;
    int b_bits = bits + b2 + pow5_bits(b5), ten_s_bits = s2 + 1 + pow5_bits(s5 + 1);
    if (b_bits < 64 && ten_s_bits < 64)
        digits_narrow(d, decimal, b_bits < 32 && ten_s_bits < 32, odd * pow5(b5) << b2, pow5(s5) << s2, pow5(b5) << m2);
    else
        digits_wide(d, decimal, odd, &(struct powers){ b5, b2, s5, s2, m2 });
}

static void digits_print(struct buf *buf, bool negative, const struct digits *d)
{
    if (negative)
        buf_put_u8(buf, '-');
    if (d->exponent > 0 && d->exponent < 8) {
        int whole = min_int(d->count, d->exponent);
        buf_put(buf, d->text, (size_t)whole);
        for (int i = whole; i < d->exponent; i++)
            buf_put_u8(buf, '0');
        buf_put_u8(buf, '.');
        if (d->count > whole)
            buf_put(buf, d->text + whole, (size_t)(d->count - whole));
        else
            buf_put_u8(buf, '0');
    } else if (d->exponent <= 0 && d->exponent > -3) {
        buf_put_str(buf, "0.");
        for (int i = d->exponent; i < 0; i++)
            buf_put_u8(buf, '0');
        buf_put(buf, d->text, (size_t)d->count);
    } else {
        buf_put_u8(buf, (uint8_t)d->text[0]);
        buf_put_u8(buf, '.');
        if (d->count > 1)
            buf_put(buf, d->text + 1, (size_t)(d->count - 1));
        else
            buf_put_u8(buf, '0');
        buf_printf(buf, "E%d", d->exponent - 1);
    }
}

/* What is not a number of digits; true when printed. */
static bool print_special(struct buf *buf, double v)
{
    const char *text = isnan(v) ? "NaN" : isinf(v) ? v < 0 ? "-Infinity" : "Infinity" : NULL;
    if (!text && v == 0)
        text = signbit(v) ? "-0.0" : "0.0";
    if (text)
        buf_put_str(buf, text);
    return text != NULL;
}

/* IEEE 754's bits, with so many for fraction and exponent. */
static void print_bits(struct buf *buf, uint64_t all, int fraction_bits, int exponent_bits)
{
    uint64_t fraction = all & ((UINT64_C(1) << fraction_bits) - 1);
    int exponent = (int)(all >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1)), precision = fraction_bits + 1;
    if (exponent == 0) {
        int zeros = __builtin_clzll(fraction), shift = zeros - (63 - fraction_bits);
        fraction <<= shift;
        exponent = 1 - shift;
        precision = 64 - zeros;
    } else {
        fraction |= UINT64_C(1) << fraction_bits;
    }
    struct digits d;
    digits_make(&d, exponent - ((1 << (exponent_bits - 1)) - 1), fraction << (FRACTION_BITS - fraction_bits), precision);
    digits_print(buf, all >> (fraction_bits + exponent_bits), &d);
}

void double_print(struct buf *buf, double v)
{
    if (!print_special(buf, v))
        print_bits(buf, double_bits(v), FRACTION_BITS, 11);
}

void float_print(struct buf *buf, float v)
{
    if (!print_special(buf, v))
        print_bits(buf, float_bits(v), 23, 8);
}
