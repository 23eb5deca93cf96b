/*
 * big.h - what the rooms of BigInteger and BigDecimal share (big.c, big_decimal.c, math_context.c). A whole number is a varint's bytes, and a decimal
 * its scale, in four bytes, and such a number.
 */
#ifndef WR_MODEL_JAVA_BIG_H
#define WR_MODEL_JAVA_BIG_H

#include "model/java/lib.h"
#include "model/number.h"

enum { JAVA_DECIMAL_OF_DOUBLE = 256 };  /* bytes that one takes to be made of the other */
#define JAVA_TOO_LARGE "BigInteger would overflow supported range"
enum { JAVA_MULTIPLIED_AT_ONCE = 256 }; /* bytes by bytes that cost what a comparison does */

/* RoundingMode's, in its order. */
enum {
    ROUND_UP,
    ROUND_DOWN,
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_UP,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_UNNECESSARY
};

int java_big_sign(const struct java_object *o); /* of either */
int java_whole_sign(struct slice v);
bool java_whole_fits(struct slice v, enum java_kind kind, int64_t *out); /* into such an integer; out: its low bits, whether it does or not */
uint32_t java_whole_hash(struct slice v); /* BigInteger's: over the words of the magnitude */
int32_t java_decimal_scale(const struct java_object *o);
struct slice java_decimal_unscaled(const struct java_object *o);

/* false, as everywhere: something is thrown. Both of a kind. */
bool java_big_calculate(struct java_run *run, enum number_op op, const struct java_object *a, const struct java_object *b, union java_value *out);
bool java_spend_digits(struct java_run *run, size_t bytes); /* for a number of so many to its text, or back */
bool java_new_whole(struct java_run *run, struct slice v, union java_value *out); /* a BigInteger */
bool java_whole(struct java_run *run, enum number_op op, struct slice a, struct slice b, struct slice *out);
bool java_times_power_of_ten(struct java_run *run, struct slice v, int64_t power, struct slice *out); /* v itself where power is not above 0 */
/* a / b as whole numbers, rounded. exact NULL: what does not come out even is thrown where the mode says so. */
bool java_divide_whole(struct java_run *run, struct slice a, struct slice b, int64_t mode, bool *exact, struct slice *out);
bool java_decimal_new(struct java_run *run, struct slice unscaled, int64_t scale, union java_value *out);
bool java_print_digits(struct java_run *run, struct slice whole, struct slice *out);
/* Without zeroes at the end, as far as the scale stays above `least`. */
bool java_strip_zeroes(struct java_run *run, struct slice whole, int64_t scale, int64_t least, union java_value *out);
/* a / b with all digits that it has; of endlessly many it throws. */
bool java_divide_exactly(struct java_run *run, const struct java_object *a, const struct java_object *b, union java_value *out);
JAVA_CALL_PUBLIC(java_big_of_long);
JAVA_CALL_PUBLIC(java_decimal_parse);
JAVA_CALL_PUBLIC(java_decimal_of_bits);

#endif
