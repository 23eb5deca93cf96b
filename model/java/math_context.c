/* MathContext: how many digits a BigDecimal's result has, and how it is rounded to them. */
#include <stdio.h>

#include "model/java/big.h"
#include "model/java/object_ops.h"
#include "model/java/temporal.h"

enum { MODES = 8 }; /* a MathContext's value is MODES times its precision and its mode */
#define CONTEXT(precision, mode) ((precision) * MODES + (mode))

static int64_t precision_of(const struct java_object *context)
{
    return context->value.i / MODES;
}

static int64_t mode_of(const struct java_object *context)
{
    return context->value.i % MODES;
}

static bool context_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    char text[64];
    (void)run;
    java_put_ascii(utf16, text,
                   (size_t)snprintf(text, sizeof text, "precision=%d roundingMode=%s", (int)precision_of(o), java_enum_text(J_ROUNDING_MODE, mode_of(o))));
    return true;
}

const struct java_object_ops java_context_ops = { .equals = java_value_equals, .print = context_print };

JAVA_CALL(context_new)
{
    JAVA_UNUSED;
    if (args[0].i < 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Digits < 0");
    if (method->args[1] && !args[1].o)
        return java_throw(run, J_NULL_POINTER, "null RoundingMode");
    if (!(out->o = java_new(run, J_MATH_CONTEXT)))
        return false;
    out->o->value.i = CONTEXT(args[0].i, method->args[1] ? args[1].o->value.i : ROUND_HALF_UP);
    return true;
}

JAVA_CALL(context_precision)
{
    JAVA_UNUSED;
    out->i = precision_of(self->o);
    return true;
}

JAVA_CALL(context_mode)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_ROUNDING_MODE)))
        return false;
    out->o->value.i = mode_of(self->o);
    return true;
}

/* ---- rounding ---- */

static bool count_digits(struct java_run *run, struct slice whole, int64_t *out)
{
    struct slice digits;
    if (!java_print_digits(run, whole, &digits))
        return false;
    *out = (int64_t)digits.len - (digits.data[0] == '-');
    return true;
}

static bool new_checked(struct java_run *run, struct slice whole, int64_t scale, union java_value *out)
{
    if (scale < INT32_MIN || scale > INT32_MAX)
        return java_throw(run, J_ARITHMETIC, scale > 0 ? "Underflow" : "Overflow");
    return java_decimal_new(run, whole, scale, out);
}

/* To as many digits as there may be; once more where 9.99 has become 10.0. */
static bool round_to(struct java_run *run, const struct java_object *context, struct java_object *o, union java_value *out)
{
    int64_t precision = precision_of(context), digits, scale = java_decimal_scale(o);
    struct slice whole = java_decimal_unscaled(o), divisor;

    out->o = o;
    if (!precision)
        return true;
    for (;;) {
        if (!count_digits(run, whole, &digits))
            return false;
        if (digits <= precision)
            return whole.data == java_decimal_unscaled(o).data || new_checked(run, whole, scale, out);
        if (!java_times_power_of_ten(run, slice_of("\1", 1), digits - precision, &divisor) ||
            !java_divide_whole(run, whole, divisor, mode_of(context), NULL, &whole))
            return false;
        scale -= digits - precision;
    }
}

static bool check_context(struct java_run *run, const struct java_object *context)
{
    return java_check_read(run, context, "read field \"precision\"", "mc");
}

enum { CONTEXT_PLUS, CONTEXT_NEGATE, CONTEXT_ABS };

JAVA_CALL(decimal_to_context)
{
    union java_value negated = *self;
    struct java_object zero = { .kind = J_BIG_DECIMAL, .bytes = slice_of("\0\0\0\0\0", 5) };
    JAVA_UNUSED;
    if (!check_context(run, args[0].o))
        return false;
    bool turns = method->variant == CONTEXT_NEGATE || (method->variant == CONTEXT_ABS && java_big_sign(self->o) < 0);
    if (turns && !java_big_calculate(run, NUMBER_SUBTRACT, &zero, self->o, &negated))
        return false;
    return round_to(run, args[0].o, negated.o, out);
}

JAVA_CALL(decimal_self)
{
    JAVA_UNUSED;
    *out = *self;
    return true;
}

JAVA_CALL(decimal_calculate)
{
    static const struct {
        const char *what, *name;
    } nulls[] = { [NUMBER_ADD] = { "invoke \"java.math.BigDecimal.signum()\"", "augend" },
                  [NUMBER_SUBTRACT] = { "invoke \"java.math.BigDecimal.negate()\"", "subtrahend" },
                  [NUMBER_MULTIPLY] = { "read field \"scale\"", "multiplicand" } };
    union java_value exact;
    JAVA_UNUSED;
    return check_context(run, args[1].o) && java_check_read(run, args[0].o, nulls[method->variant].what, nulls[method->variant].name) &&
           java_big_calculate(run, (enum number_op)method->variant, self->o, args[0].o, &exact) && round_to(run, args[1].o, exact.o, out);
}

/* new BigDecimal(..., MathContext): the same without, rounded. */
JAVA_CALL(decimal_of_rounded)
{
    union java_value exact;
    JAVA_UNUSED;
    java_call *plain = method->args[0] == J_STRING ? java_decimal_parse : method->args[0] == J_DOUBLE ? java_decimal_of_bits : java_big_of_long;
    return plain(run, method, self, args, &exact) && check_context(run, args[1].o) && round_to(run, args[1].o, exact.o, out);
}

/* The quotient's digits are as many as there may be, rounded; where it comes out even it has no zeroes at its end that the scales of both do not ask for. */
static bool divide(struct java_run *run, const struct java_object *a, const struct java_object *b, const struct java_object *context, union java_value *out)
{
    int64_t preferred = (int64_t)java_decimal_scale(a) - java_decimal_scale(b), precision = precision_of(context), over_digits, under_digits, digits;
    struct slice over, under, quotient;
    bool exact;

    if (!java_big_sign(b))
        return java_throw(run, J_ARITHMETIC, java_big_sign(a) ? "Division by zero" : "Division undefined");
    if (!java_big_sign(a))
        return new_checked(run, slice_of("\0", 1), preferred < INT32_MIN ? INT32_MIN : preferred > INT32_MAX ? INT32_MAX : preferred, out);
    if (!count_digits(run, java_decimal_unscaled(a), &over_digits) || !count_digits(run, java_decimal_unscaled(b), &under_digits))
        return false;
    int64_t shift = precision - over_digits + under_digits; /* so that there are precision digits or one more */
    for (;; shift--) {
        if (!java_times_power_of_ten(run, java_decimal_unscaled(a), shift, &over) ||
            !java_times_power_of_ten(run, java_decimal_unscaled(b), -shift, &under) || !java_whole(run, NUMBER_DIVIDE, over, under, &quotient) ||
            !count_digits(run, quotient, &digits))
            return false;
        if (digits <= precision)
            break;
    }
    if (!java_divide_whole(run, over, under, ROUND_UNNECESSARY, &exact, &quotient))
        return false;
    if (exact)
        return java_strip_zeroes(run, quotient, preferred + shift, preferred, out);
    return java_divide_whole(run, over, under, mode_of(context), NULL, &quotient) && new_checked(run, quotient, preferred + shift, out) &&
           round_to(run, context, out->o, out);
}

JAVA_CALL(decimal_divide_to)
{
    JAVA_UNUSED;
    if (!check_context(run, args[1].o) || !java_check_read(run, args[0].o, "read field \"scale\"", "divisor"))
        return false;
    return precision_of(args[1].o) ? divide(run, self->o, args[0].o, args[1].o, out) : java_divide_exactly(run, self->o, args[0].o, out);
}

/* ---- the table ---- */

const struct java_method java_context_methods[] = {
    { J_MATH_CONTEXT, "<init>", J_MATH_CONTEXT, { J_INT }, 0, context_new, 0 },
    { J_MATH_CONTEXT, "<init>", J_MATH_CONTEXT, { J_INT, J_ROUNDING_MODE }, 0, context_new, 0 },
    { J_MATH_CONTEXT, "getPrecision", J_INT, { 0 }, 0, context_precision, 0 },
    { J_MATH_CONTEXT, "getRoundingMode", J_ROUNDING_MODE, { 0 }, 0, context_mode, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_STRING, J_MATH_CONTEXT }, 0, decimal_of_rounded, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_DOUBLE, J_MATH_CONTEXT }, 0, decimal_of_rounded, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_INT, J_MATH_CONTEXT }, 0, decimal_of_rounded, 0 },
    { J_BIG_DECIMAL, "<init>", J_BIG_DECIMAL, { J_LONG, J_MATH_CONTEXT }, 0, decimal_of_rounded, 0 },
    { J_BIG_DECIMAL, "round", J_BIG_DECIMAL, { J_MATH_CONTEXT }, 0, decimal_to_context, CONTEXT_PLUS },
    { J_BIG_DECIMAL, "plus", J_BIG_DECIMAL, { J_MATH_CONTEXT }, 0, decimal_to_context, CONTEXT_PLUS },
    { J_BIG_DECIMAL, "plus", J_BIG_DECIMAL, { 0 }, 0, decimal_self, 0 },
    { J_BIG_DECIMAL, "negate", J_BIG_DECIMAL, { J_MATH_CONTEXT }, 0, decimal_to_context, CONTEXT_NEGATE },
    { J_BIG_DECIMAL, "abs", J_BIG_DECIMAL, { J_MATH_CONTEXT }, 0, decimal_to_context, CONTEXT_ABS },
    { J_BIG_DECIMAL, "add", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_MATH_CONTEXT }, 0, decimal_calculate, NUMBER_ADD },
    { J_BIG_DECIMAL, "subtract", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_MATH_CONTEXT }, 0, decimal_calculate, NUMBER_SUBTRACT },
    { J_BIG_DECIMAL, "multiply", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_MATH_CONTEXT }, 0, decimal_calculate, NUMBER_MULTIPLY },
    { J_BIG_DECIMAL, "divide", J_BIG_DECIMAL, { J_BIG_DECIMAL, J_MATH_CONTEXT }, 0, decimal_divide_to, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

const struct java_constant java_context_constants[] = {
    { J_MATH_CONTEXT, "UNLIMITED", J_MATH_CONTEXT, { .i = CONTEXT(0, ROUND_HALF_UP) }, NULL },
    { J_MATH_CONTEXT, "DECIMAL32", J_MATH_CONTEXT, { .i = CONTEXT(7, ROUND_HALF_EVEN) }, NULL },
    { J_MATH_CONTEXT, "DECIMAL64", J_MATH_CONTEXT, { .i = CONTEXT(16, ROUND_HALF_EVEN) }, NULL },
    { J_MATH_CONTEXT, "DECIMAL128", J_MATH_CONTEXT, { .i = CONTEXT(34, ROUND_HALF_EVEN) }, NULL },
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
