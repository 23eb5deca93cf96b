/* String.format of numbers that are not whole: from the digits in which they print themselves, halves up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/java/big.h"
#include "model/java/format.h"
#include "model/real.h"

/* 0.d1d2d3... times 10^point, no zero in front; of zero, which has no digits, the exponent that it prints. */
struct digits {
    const uint8_t *d;
    int64_t count, point;
};

/* Of a text as `-12.34E-5`, without its sign. */
static bool read_digits(struct java_run *run, struct slice text, struct digits *out)
{
    uint8_t *d = java_alloc(run, text.len + 2);
    int64_t n = 0, point = 0, exponent = 0;
    bool fraction = false, down = false;
    size_t i = text.len && text.data[0] == '-';

    if (!d)
        return false;
    d++; /* room for what rounding up puts in front */
    for (; i < text.len && (text.data[i] | 32) != 'e'; i++) {
        if (text.data[i] == '.') {
            fraction = true;
            continue;
        }
        if (n || text.data[i] != '0')
            d[n++] = text.data[i];
        point += (!fraction && n) - (fraction && !n);
    }
    for (i++; i < text.len; i++) {
        down |= text.data[i] == '-';
        if (text.data[i] >= '0' && text.data[i] <= '9')
            exponent = exponent * 10 + text.data[i] - '0';
    }
    while (n && d[n - 1] == '0')
        n--;
    *out = (struct digits){ d, n, point + (down ? -exponent : exponent) };
    return true;
}

/* As many digits as that, halves up; a carry may make one more in front. */
static void round_digits(struct digits *n, int64_t count)
{
    uint8_t *d = (uint8_t *)n->d; /* read_digits' own */
    int64_t i = count;

    if (count >= n->count)
        return;
    bool up = count >= 0 && d[count] >= '5';
    n->count = count < 0 ? 0 : count;
    if (up) {
        while (i > 0 && d[i - 1] == '9')
            i--;
        if (i == 0) {
            *--d = '1';
            n->d = d;
            n->count = 1;
            n->point++;
        } else {
            d[i - 1]++;
            n->count = i;
        }
    }
    while (n->count && n->d[n->count - 1] == '0')
        n->count--;
}

static uint8_t digit_at(const struct digits *n, int64_t i)
{
    return i >= 0 && i < n->count ? n->d[i] : '0';
}

/* `123.4500`, rounded already. */
static void put_fixed(struct buf *out, const struct digits *n, int64_t places, bool point)
{
    int64_t whole = n->count ? n->point : 0;
    for (int64_t i = whole > 0 ? 0 : whole - 1; i < whole; i++)
        buf_put_u8(out, digit_at(n, i));
    if (places || point)
        buf_put_u8(out, '.');
    for (int64_t i = 0; i < places; i++)
        buf_put_u8(out, digit_at(n, whole + i));
}

/* `1.2345`, and `e+02` apart. */
static void put_scientific(struct buf *out, const struct digits *n, int64_t places, bool point, char *exponent)
{
    int64_t e = n->count ? n->point - 1 : n->point;
    struct digits mantissa = { n->d, n->count, 1 };
    put_fixed(out, &mantissa, places, point);
    snprintf(exponent, 24, "e%c%02lld", e < 0 ? '-' : '+', (long long)(e < 0 ? -e : e));
}

/* The mantissa and, where there is one, the exponent. */
static void put_decimal(const struct conversion *c, struct digits n, struct buf *mantissa, char *exponent)
{
    int64_t precision = c->precision < 0 ? 6 : c->precision;
    bool point = c->flags & FORMAT_ALTERNATE;

    *exponent = 0;
    if (c->kind == 'f') {
        round_digits(&n, n.point + precision);
        put_fixed(mantissa, &n, precision, point);
    } else if (c->kind == 'e') {
        round_digits(&n, precision + 1);
        put_scientific(mantissa, &n, precision, point, exponent);
    } else {
        precision = precision ? precision : 1;
        round_digits(&n, precision);
        if (n.count ? n.point - 1 < -4 || n.point - 1 >= precision : n.point != 0) { /* a zero with a scale does not equal zero */
            round_digits(&n, precision);
            put_scientific(mantissa, &n, precision - 1, point, exponent);
        } else {
            int64_t places = precision - (n.count ? n.point : 1);
            round_digits(&n, n.point + places);
            put_fixed(mantissa, &n, places > 0 ? places : 0, point);
        }
    }
}

enum { HEXITS = 13 }; /* of a double, behind the point */

/* The digit before the point and those behind it, rounded to even: as few as there have to be, or so many. Gives the power of two. printf's %a goes by
 * the program's locale. */
static int put_hexits(struct buf *out, double d, int precision)
{
    const uint64_t fraction = (UINT64_C(1) << 4 * HEXITS) - 1;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const int exponent = (int)(bits >> 4 * HEXITS & 0x7FF);
    uint64_t hexits = (bits & fraction) | (exponent ? fraction + 1 : 0);
    int power = exponent ? exponent - 1023 : hexits ? -1022 : 0, count = HEXITS;

    if (precision >= 0 && precision < HEXITS && hexits) {
        for (; hexits <= fraction; power--) /* Java rounds no other */
            hexits <<= 1;
        const unsigned cut = 4 * (unsigned)(HEXITS - precision);
        const uint64_t rest = hexits & ((UINT64_C(1) << cut) - 1), half = UINT64_C(1) << (cut - 1);
        hexits >>= cut;
        hexits += rest > half || (rest == half && (hexits & 1));
        count = precision;
    }
    for (; count > 1 && precision < 0 && !(hexits & 15); count--)
        hexits >>= 4;
    unsigned first = (unsigned)(hexits >> 4 * count);
    power += first == 2; /* rounded up */
    buf_printf(out, "%u.", first == 2 ? 1 : first);
    while (count-- > 0)
        buf_put_u8(out, (uint8_t)"0123456789abcdef"[hexits >> 4 * count & 15]);
    return power;
}

/* Without sign: `0x1.8p0`. */
static void put_hexadecimal(struct buf *text, const struct conversion *c, double d)
{
    char digits[16];
    int precision = c->precision == 0 ? 1 : c->precision;
    struct buf all;

    buf_init(&all, text->arena);
    int power = put_hexits(&all, d, d == 0 || precision >= HEXITS ? -1 : precision);
    size_t least = all.len; /* zeroes in front are reckoned by the digits that are needed */
    while (least > 3 && all.data[least - 1] == '0')
        least--;
    for (int64_t n = (int64_t)all.len - 2; n < precision; n++)
        buf_put_u8(&all, '0');
    least += (size_t)snprintf(digits, sizeof digits, "p%d", power);
    buf_put_str(&all, digits);
    java_put_ascii(text, "0x", 2);
    for (int64_t n = (int64_t)(text->len / sizeof(uint16_t) + least); c->flags & FORMAT_ZERO && n < c->width; n++)
        java_put_ascii(text, "0", 1);
    java_put_ascii(text, (const char *)all.data, all.len);
    text->failed |= all.failed;
}

static bool put_finite(struct java_run *run, struct buf *text, const struct conversion *c, const struct java_object *o,
                       bool negative)
{
    bool of_double = o->kind != J_BIG_DECIMAL;
    struct buf printed, mantissa;
    struct digits n;
    char exponent[24];

    buf_init(&printed, run->ctx->arena);
    buf_init(&mantissa, run->ctx->arena);
    if (of_double)
        double_print(&printed, o->value.d);
    else
        decimal_print(&printed, o->bytes);
    if (!java_ok(run, printed.failed ? fail_nomem(run->ctx) : WR_OK) || !java_spend_digits(run, printed.len / 2) || !read_digits(run, buf_slice(&printed), &n))
        return false;
    if (c->kind != 'e' && (n.point > FORMAT_SIZE_MAX || n.point < -FORMAT_SIZE_MAX))
        return java_out_of_memory(run);
    if (!n.count && of_double)
        n.point = 0;
    put_decimal(c, n, &mantissa, exponent);
    buf_put_u8(&mantissa, 0);
    if (!java_ok(run, mantissa.failed ? fail_nomem(run->ctx) : WR_OK) || !java_charge(run, mantissa.len))
        return false;
    format_put_magnitude(text, c, (const char *)mantissa.data, negative, (int)strlen(exponent));
    java_put_ascii(text, exponent, strlen(exponent));
    return true;
}

bool format_put_real(struct java_run *run, struct buf *out, const struct conversion *c, const struct java_object *o)
{
    bool decimal = o->kind == J_BIG_DECIMAL && c->kind != 'a';
    struct buf text, sign;

    if (o->kind != J_BOX_FLOAT && o->kind != J_BOX_DOUBLE && !decimal)
        return format_bad_class(run, c, o);
    buf_init(&text, run->ctx->arena);
    buf_init(&sign, run->ctx->arena);
    if (decimal)
        decimal_print(&sign, o->bytes);
    bool negative = decimal ? sign.len && sign.data[0] == '-' : signbit(o->value.d) && !isnan(o->value.d);
    if (decimal || !isnan(o->value.d))
        format_put_sign(&text, c, negative);
    if (!decimal && !isfinite(o->value.d)) {
        const char *name = isnan(o->value.d) ? "NaN" : "Infinity";
        java_put_ascii(&text, name, strlen(name));
    } else if (c->kind == 'a') {
        put_hexadecimal(&text, c, fabs(o->value.d));
    } else if (!put_finite(run, &text, c, o, negative)) {
        return false;
    }
    format_put_end_sign(&text, c, negative);
    for (size_t i = 0; c->upper && i < text.len / sizeof(uint16_t); i++) {
        uint16_t *unit = (uint16_t *)(void *)text.data + i;
        *unit = (uint16_t)(*unit >= 'a' && *unit <= 'z' ? *unit - 32 : *unit);
    }
    format_put_padded(out, c, &text);
    return true;
}
