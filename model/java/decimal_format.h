/*
 * decimal_format.h - java.text.DecimalFormat: what a pattern says, and a number as digits.
 *
 * decimal_pattern.c reads patterns, decimal_digits.c makes digits of numbers and rounds them, decimal_format.c prints and reads by the two and has the methods.
 */
#ifndef WR_MODEL_JAVA_DECIMAL_FORMAT_H
#define WR_MODEL_JAVA_DECIMAL_FORMAT_H

#include "model/java/big.h"

enum { INTEGER_DIGITS_MOST = INT32_MAX, FRACTION_DIGITS_MOST = 340 /* of a double */ };

struct affix {
    const uint16_t *units;
    uint32_t len;
};

struct number_format {
    struct affix before, behind, negative_before, negative_behind;
    int64_t integer_least, integer_most, fraction_least, fraction_most; /* digits */
    int64_t grouping, exponent_least;                                   /* 0: none */
    int64_t multiplier, mode;
    bool grouped, point_always, exponential;
    bool only_integers, gives_decimals; /* of parse */
};

/* Without zeroes before or behind: 0.d1d2... times ten to the power `point`. */
struct digits {
    uint8_t *digits; /* characters */
    int64_t count, point;
    bool negative;
    int beyond; /* the number is a little more than its digits say (1), less (-1), or just that */
};

static inline void number_put_unit(struct buf *utf16, uint16_t c)
{
    buf_put(utf16, &c, sizeof c);
}

/* All but the mode is the pattern's from here on. Throws where it is none. */
bool number_format_compile(struct java_run *run, const struct java_object *pattern, int64_t locale, struct number_format *f);

bool number_digits_of_double(struct java_run *run, double v, struct digits *d); /* a finite one */
bool number_digits_of_big(struct java_run *run, const struct java_object *o, int64_t multiplier, struct digits *d); /* of either kind */
/* To so many digits, of which there may be less than none. */
bool number_digits_round(struct java_run *run, struct digits *d, int64_t count, int64_t mode);

#endif
