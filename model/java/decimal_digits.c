/* A number as digits, rounded as a RoundingMode says. */
#include "model/java/decimal_format.h"

#include <stdio.h>

#include "model/java/object_ops.h"

static bool rounds_up(const struct digits *d, int64_t at, int64_t mode)
{
    bool half = at == d->count - 1 && at >= 0 && d->digits[at] == '5';
    bool above = at >= 0 && at < d->count && (half ? d->beyond > 0 : d->digits[at] >= '5'), tie = half && !d->beyond;
    bool rest = at < d->count; /* of what is cut off by its digits */

    switch (mode) {
    case ROUND_UP:
        return rest;
    case ROUND_DOWN:
        return false;
    case ROUND_CEILING:
        return rest && !d->negative;
    case ROUND_FLOOR:
        return rest && d->negative;
    case ROUND_HALF_UP:
        return above || tie;
    case ROUND_HALF_DOWN:
        return above;
    case ROUND_HALF_EVEN:
        return above || (tie && at > 0 && (d->digits[at - 1] & 1));
    default:
        return false;
    }
}

bool number_digits_round(struct java_run *run, struct digits *d, int64_t count, int64_t mode)
{
    if (count >= d->count)
        return true;
    if (mode == ROUND_UNNECESSARY)
        return java_throw(run, J_ARITHMETIC, "Rounding needed with the rounding mode being set to RoundingMode.UNNECESSARY");
    bool up = rounds_up(d, count, mode);
    d->count = count > 0 ? count : 0;
    if (up && count < 0) { /* so small that the last digit is before all of its own */
        d->digits[0] = '1';
        d->point += 1 - count;
        d->count = 1;
    } else if (up) {
        while (d->count && d->digits[d->count - 1] == '9')
            d->count--;
        if (d->count) {
            d->digits[d->count - 1]++;
        } else {
            d->digits[d->count++] = '1';
            d->point++;
        }
    }
    while (d->count && d->digits[d->count - 1] == '0')
        d->count--;
    return true;
}

/* Of a text as "-12.50E3". */
static bool take_digits(struct java_run *run, struct slice text, struct digits *d)
{
    int64_t exponent = 0, behind = 0;
    bool point = false;
    size_t i = 0;

    d->negative = text.len && text.data[0] == '-';
    if (!(d->digits = java_alloc(run, text.len + 1)))
        return false;
    d->count = 0;
    for (i = d->negative; i < text.len && text.data[i] != 'E'; i++)
        if (text.data[i] == '.') {
            point = true;
        } else {
            behind += point;
            if (d->count || text.data[i] != '0')
                d->digits[d->count++] = text.data[i];
        }
    if (i < text.len) {
        bool negative = text.data[i + 1] == '-';
        for (i += 1 + negative; i < text.len; i++)
            exponent = exponent * 10 + text.data[i] - '0';
        exponent = negative ? -exponent : exponent;
    }
    d->point = d->count - behind + exponent;
    while (d->count && d->digits[d->count - 1] == '0')
        d->count--;
    if (!d->count)
        d->point = 0;
    return true;
}

/* Whether a double is more or less than what it prints as, which rounding goes by where that ends in 5. */
static bool find_beyond(struct java_run *run, double v, struct slice printed, struct digits *d)
{
    union java_value exact, given = { .d = v };
    struct java_object shown = { .kind = J_BIG_DECIMAL };
    int order;
    if (!d->count || d->digits[d->count - 1] != '5')
        return true;
    if (!java_decimal_of_bits(run, NULL, NULL, &given, &exact) || !java_ok(run, decimal_parse(run->ctx, printed, &shown.bytes)) ||
        !java_compare(run, exact.o, &shown, &order))
        return false;
    d->beyond = d->negative ? -order : order;
    return true;
}

bool number_digits_of_double(struct java_run *run, double v, struct digits *d)
{
    struct buf units;
    struct slice text;
    buf_init(&units, run->ctx->arena);
    java_print_primitive(&units, java_simple(J_DOUBLE), (union java_value){ .d = v });
    struct java_object printed = { .kind = J_STRING,
                                   .string = { (const uint16_t *)(const void *)units.data, (uint32_t)(units.len / sizeof(uint16_t)), 0, false } };
    return java_ok(run, units.failed ? fail_nomem(run->ctx) : WR_OK) && java_utf8(run, &printed, &text) && take_digits(run, text, d) &&
           find_beyond(run, v, text, d);
}

bool number_digits_of_big(struct java_run *run, const struct java_object *o, int64_t multiplier, struct digits *d)
{
    struct java_object by = { .kind = o->kind };
    union java_value product = { .o = (struct java_object *)(uintptr_t)o };
    struct slice text;
    char factor[24];
    int64_t scale = 0;

    if (multiplier != 1) {
        (void)snprintf(factor, sizeof factor, "%lld", (long long)multiplier);
        struct slice number = slice_str(factor);
        if (!java_ok(run, o->kind == J_BIG_INTEGER ? varint_parse(run->ctx, number, &by.bytes) : decimal_parse(run->ctx, number, &by.bytes)) ||
            !java_big_calculate(run, NUMBER_MULTIPLY, o, &by, &product))
            return false;
    }
    struct slice whole = product.o->bytes;
    if (o->kind == J_BIG_DECIMAL) {
        whole = java_decimal_unscaled(product.o);
        scale = java_decimal_scale(product.o);
    }
    if (!java_print_digits(run, whole, &text) || !take_digits(run, text, d))
        return false;
    d->point -= d->count ? scale : 0;
    return true;
}
