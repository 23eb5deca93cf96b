/* real.h: text to float and double. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/digit.h"
#include "model/javatext.h"
#include "model/real.h"

/* ---- short ones ---- */

/* What most texts are: at most fifteen digits, which a double holds, and a power of ten that it holds, too, so that one operation rounds them once. */
static bool read_short(struct slice s, double *out)
{
    static const double powers[] = { 1E0,  1E1,  1E2,  1E3,  1E4,  1E5,  1E6,  1E7,  1E8,  1E9,  1E10, 1E11,
                                     1E12, 1E13, 1E14, 1E15, 1E16, 1E17, 1E18, 1E19, 1E20, 1E21, 1E22 };
    enum { DIGITS_MAX = 15, POWER_MAX = sizeof powers / sizeof *powers - 1 };
    const uint8_t *at = s.data, *end = s.data + s.len;
    bool negative = at < end && *at == '-', point = false;
    unsigned digits = 0, kept = 0;
    int64_t mantissa = 0, scale = 0;

    at += negative;
    for (; at < end; at++) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*at))
            break;
        mantissa = mantissa * 10 + (*at - '0');
        digits++;
        kept += mantissa != 0;
        scale -= point;
        if (kept > DIGITS_MAX)
            return false;
    }
    if (!digits)
        return false;
    if (at < end && (*at | 0x20) == 'e') {
        bool down = ++at < end && *at == '-';
        int64_t exponent = 0;
        at += at < end && (*at == '-' || *at == '+');
        if (at == end || end - at > 3)
            return false;
        for (; at < end && is_digit(*at); at++)
            exponent = exponent * 10 + (*at - '0');
        scale += down ? -exponent : exponent;
    }
    if (at < end || scale > POWER_MAX || scale < -POWER_MAX)
        return false;
    double v = scale < 0 ? (double)mantissa / powers[-scale] : (double)mantissa * powers[scale];
    *out = negative ? -v : v;
    return true;
}

/* Whether it lies just between two floats: the text may be a little more or less. */
static bool is_between_floats(double v)
{
    enum { MORE_BITS = 29 }; /* than a float has */
    return (double_bits(v) & ((UINT64_C(1) << MORE_BITS) - 1)) == UINT64_C(1) << (MORE_BITS - 1);
}

/* ---- all others ---- */

enum { SIGNIFICANT_MAX = 800, EXPONENT_MAX = 100000 }; /* more digits only matter by not all being zero */

/* What strtod is to read, once the text is known to be Java's: at most SIGNIFICANT_MAX digits and an exponent. */
struct plain {
    char text[SIGNIFICANT_MAX + 32];
    size_t len;
};

/* [sign] digits to the end of s; a huge one is held at EXPONENT_MAX, far beyond every finite value. */
static bool read_exponent(struct slice s, long *out)
{
    bool negative = s.len && s.data[0] == '-';
    if (s.len && (s.data[0] == '-' || s.data[0] == '+'))
        s = slice_skip(s, 1);
    if (!s.len)
        return false;
    long n = 0;
    for (; s.len; s = slice_skip(s, 1)) {
        if (!is_digit(s.data[0]))
            return false;
        n = n * 10 + (s.data[0] - '0');
        if (n > EXPONENT_MAX)
            n = EXPONENT_MAX;
    }
    *out = negative ? -n : n;
    return true;
}

/* s: digits, a point among them, an exponent after `mark`; each place after the point counts `step` in the exponent. */
static bool read_digits(struct slice s, bool hex, struct plain *out)
{
    const int step = hex ? 4 : 1;
    const char mark = hex ? 'p' : 'e';
    size_t digits = 0, kept = 0, i = 0;
    bool point = false, more = false;
    long scale = 0, exponent = 0;
    for (; i < s.len; i++) {
        uint8_t c = s.data[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!(hex ? hex_digit(c) >= 0 : is_digit(c)))
            break;
        digits++;
        if (kept == SIGNIFICANT_MAX) {
            more |= c != '0';
            scale += point ? 0 : step;
        } else {
            scale -= point ? step : 0;
            if (kept || c != '0')
                out->text[out->len + kept++] = (char)c;
        }
    }
    bool has_exponent = i < s.len && (s.data[i] | 0x20) == mark;
    if (!digits || (i < s.len && !has_exponent) || (hex && !has_exponent))
        return false;
    if (has_exponent && !read_exponent(slice_skip(s, i + 1), &exponent))
        return false;
    if (!kept)
        out->text[out->len + kept++] = '0';
    if (more) {
        out->text[out->len + kept++] = '1';
        scale -= step;
    }
    out->len += kept;
    /* The digits themselves may be more than EXPONENT_MAX places away from the point. */
    const long most = 2L * EXPONENT_MAX;
    scale = scale > most ? most : scale < -most ? -most : scale;
    int n = snprintf(out->text + out->len, sizeof out->text - out->len, "%c%ld", mark, exponent + scale);
    out->len += (size_t)n;
    return true;
}

/* Java's text to one that strtod reads the same. */
static bool make_plain(struct slice text, struct plain *out)
{
    struct slice s = java_trim(text);
    out->len = 0;
    if (s.len && (s.data[0] == '-' || s.data[0] == '+')) {
        if (s.data[0] == '-')
            out->text[out->len++] = '-';
        s = slice_skip(s, 1);
    }
    if (slice_eq_str(s, "NaN") || slice_eq_str(s, "Infinity")) {
        memcpy(out->text + out->len, s.data, s.len);
        out->len += s.len;
        out->text[out->len] = '\0';
        return true;
    }
    if (s.len && strchr("fFdD", s.data[s.len - 1]))
        s.len--; /* in a hexadecimal the exponent, which must be there, ends in a decimal digit */
    bool hex = s.len > 2 && s.data[0] == '0' && (s.data[1] | 0x20) == 'x';
    if (hex) {
        memcpy(out->text + out->len, "0x", 2);
        out->len += 2;
        s = slice_skip(s, 2);
    }
    return read_digits(s, hex, out);
}

bool double_parse(struct slice text, double *out)
{
    struct plain plain;
    if (read_short(text, out))
        return true;
    if (!make_plain(text, &plain))
        return false;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* the program's own may have a comma for the point */
    if (!c)
        return false;
    *out = double_of(double_bits(strtod_l(plain.text, NULL, c)));
    freelocale(c);
    return true;
}

bool float_parse(struct slice text, float *out)
{
    struct plain plain;
    double near;
    if (read_short(text, &near) && !is_between_floats(near)) {
        *out = (float)near;
        return true;
    }
    if (!make_plain(text, &plain))
        return false;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return false;
    *out = float_of(float_bits(strtof_l(plain.text, NULL, c)));
    freelocale(c);
    return true;
}
