/*
 * real.h - float and double to text and back, as Java does it.
 *
 * 1. Printing gives the characters of Double.toString and Float.toString of JDK 17, the server's: mostly, but not
 * always, the shortest that read back (2.0E-3 is one digit, 2^-44 two more than it needs), at least one digit after the
 * point, and an exponent outside of [10^-3, 10^7). NaN, Infinity, -Infinity.
 * 2. Reading takes what Double.parseDouble takes: blanks around, a sign, digits with a point, an exponent, one of f F d
 * D behind, NaN, Infinity, hexadecimal with a binary exponent; rounded to the nearest, ties to even; too large is
 * Infinity.
 * 3. A NaN that arithmetic makes, and no operand brought, is the negative one of x86-64, on which the answers were recorded; other
 *    processors make it positive. One that an operand brought keeps its sign, on all of them.
 */
#ifndef WR_MODEL_REAL_H
#define WR_MODEL_REAL_H

#include <math.h>
#include <string.h>

#include "engine/buf.h"

double double_of(uint64_t bits);
static inline float float_of(uint32_t bits) /* inline: vectors have many */
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
uint64_t double_bits(double v); /* every NaN as the one canonical, as Double.doubleToLongBits */
uint32_t float_bits(float v);

/* What came of a and b (of a alone: b is 0), by an operation of the processor's or of libm. */
static inline double real_made(double result, double a, double b)
{
    return !isnan(result) ? result : isnan(a) ? a : isnan(b) ? b : -(double)NAN;
}

/* From one kind to the other. RISC-V's own ways there know but one NaN. */
static inline float real_narrow(double v)
{
#ifdef __riscv
    if (isnan(v))
        return signbit(v) ? -NAN : NAN;
#endif
    return (float)v;
}
static inline double real_widen(float v)
{
#ifdef __riscv
    if (isnan(v))
        return signbit(v) ? -(double)NAN : (double)NAN;
#endif
    return (double)v;
}

/* Rounded once: a server's is nearly always the nearest double, a C library's one of fourteen times the one beside it. */
static inline double real_log10(double v)
{
    return (double)log10l(v);
}

void double_print(struct buf *buf, double v);
void float_print(struct buf *buf, float v);

bool double_parse(struct slice text, double *out);
bool float_parse(struct slice text, float *out);

#endif
