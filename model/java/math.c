/* Math. */
#include <float.h>
#include <math.h>

#include "engine/clock.h"
#include "model/java/lib.h"
#include "model/real.h"

static int64_t whole(enum java_kind kind, uint64_t v)
{
    return kind == J_INT ? (int32_t)(uint32_t)v : (int64_t)v;
}

JAVA_CALL_PUBLIC(java_math_whole)
{
    int64_t a = args[0].i, b = args[1].i;
    JAVA_UNUSED;
    switch (method->variant) {
    case JAVA_ABS:
        out->i = whole((enum java_kind)method->args[0], a < 0 ? 0 - (uint64_t)a : (uint64_t)a);
        break;
    case JAVA_MAX:
        out->i = a > b ? a : b;
        break;
    case JAVA_MIN:
        out->i = a < b ? a : b;
        break;
    default:
        out->i = whole((enum java_kind)method->args[0], (uint64_t)a + (uint64_t)b);
        break;
    }
    return true;
}

JAVA_CALL_PUBLIC(java_math_real)
{
    double a = args[0].d, b = method->args[1] ? args[1].d : 0;
    JAVA_UNUSED;
    switch (method->variant) {
    case JAVA_ABS:
        out->d = fabs(a);
        break;
    case JAVA_MAX:
        out->d = isnan(a) ? a : isnan(b) ? b : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
        break;
    case JAVA_MIN:
        out->d = isnan(a) ? a : isnan(b) ? b : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
        break;
    case JAVA_SIGNUM:
        out->d = a > 0 ? 1 : a < 0 ? -1 : a;
        break;
    default:
        a = real_made(a + b, a, b);
        out->d = method->args[0] == J_FLOAT ? real_widen(real_narrow(a)) : a;
        break;
    }
    return true;
}

static double to_radians(double d)
{
    return d * 0.017453292519943295;
}

static double to_degrees(double d)
{
    return d * 57.29577951308232;
}

/*
 * Math.cbrt's steps, which are not always the nearest double: a third of the exponent, a rational function that is good for 23 bits, those cut to
 * 20 and made a little larger so that their square is exact, and one step of Newton's.
 */
static double java_cbrt(double d)
{
    enum { THIRD_OF_BIAS = 715094163, THIRD_OF_SUBNORMAL = 696219795, HIGH = 32 };
    double x = fabs(d), t;

    if (x == 0 || isinf(x))
        return d;
    bool subnormal = x < DBL_MIN;
    uint64_t high = double_bits(subnormal ? x * 0x1p54 : x) >> HIGH;
    t = double_of((high / 3 + (subnormal ? THIRD_OF_SUBNORMAL : THIRD_OF_BIAS)) << HIGH);
    double s = 19.0 / 35 + t * t / x * t;
    t *= 5.0 / 14 + 45.0 / 28 / (s + 99.0 / 70 + -864.0 / 1225 / s);
    t = double_of(((double_bits(t) >> HIGH) + 1) << HIGH);
    double r = x / (t * t);
    r = (r - t) / (t + t + r);
    return copysign(t + t * r, d);
}

/* As for real_log10. */
static double java_cos(double d)
{
    return (double)cosl(d);
}

static double java_sin(double d)
{
    return (double)sinl(d);
}

static double java_tan(double d)
{
    return (double)tanl(d);
}

static double (*const functions[])(double) = { sqrt, java_cbrt, exp,  expm1, log,  real_log10, log1p,
                                               java_sin, java_cos, java_tan,  asin,  acos, atan,       sinh,
                                               cosh, tanh, ceil, floor, rint, to_radians, to_degrees };
enum {
    F_SQRT,
    F_CBRT,
    F_EXP,
    F_EXPM1,
    F_LOG,
    F_LOG10,
    F_LOG1P,
    F_SIN,
    F_COS,
    F_TAN,
    F_ASIN,
    F_ACOS,
    F_ATAN,
    F_SINH,
    F_COSH,
    F_TANH,
    F_CEIL,
    F_FLOOR,
    F_RINT,
    F_RADIANS,
    F_DEGREES
};

JAVA_CALL(math_function)
{
    JAVA_UNUSED;
    double a = args[0].d; /* NaN stays what it is: musl's sinh and cosh drop its sign */
    out->d = isnan(a) ? a : real_made(functions[method->variant](a), a, 0);
    return true;
}

/* Math.pow of what C's takes for 1, and Java's not. */
static double java_pow(double a, double b)
{
    if (isnan(b))
        return b;
    return fabs(a) == 1 && isinf(b) ? NAN : real_made(pow(a, b), a, b);
}

static double java_remainder(double a, double b)
{
    return real_made(remainder(a, b), a, b);
}

static double (*const functions2[])(double, double) = { java_pow, atan2, hypot, copysign, java_remainder };
enum { F_POW, F_ATAN2, F_HYPOT, F_COPYSIGN, F_REMAINDER };

JAVA_CALL(math_function2)
{
    JAVA_UNUSED;
    out->d = functions2[method->variant](args[0].d, args[1].d);
    return true;
}

JAVA_CALL(math_round)
{
    double d = floor(args[0].d), rest = args[0].d - d;
    JAVA_UNUSED;
    *out = java_convert_primitive(J_DOUBLE, (enum java_kind)method->result,
                                  (union java_value){ .d = rest >= 0.5        ? d + 1
                                                           : isnan(args[0].d) ? NAN
                                                                              : d });
    return true;
}

JAVA_CALL(math_random)
{
    uint64_t bits;
    JAVA_UNUSED;
    clock_random((uint8_t *)&bits, sizeof bits);
    out->d = (double)(bits >> 11) * 0x1p-53;
    return true;
}

/* What is beside a number, of its own kind. */
enum { NEAR_UP, NEAR_DOWN, NEAR_ULP };

static double beside(bool is_float, double d, double to)
{
    return is_float ? (double)nextafterf((float)d, (float)to) : nextafter(d, to);
}

JAVA_CALL(math_near)
{
    bool is_float = method->args[0] == J_FLOAT;
    double d = args[0].d;
    JAVA_UNUSED;
    if (isnan(d))
        out->d = d;
    else if (method->variant != NEAR_ULP)
        out->d = beside(is_float, d, method->variant == NEAR_UP ? INFINITY : -INFINITY);
    else if (isinf(d))
        out->d = INFINITY;
    else { /* the way down from the largest, which has nothing finite above it */
        double a = fabs(d), up = beside(is_float, a, INFINITY);
        out->d = isinf(up) ? a - beside(is_float, a, 0) : up - a;
    }
    return true;
}

enum { EXACT_ADD, EXACT_SUBTRACT, EXACT_MULTIPLY, EXACT_INT, EXACT_NEGATE, EXACT_INCREMENT, EXACT_DECREMENT };

JAVA_CALL(math_exact)
{
    bool is_int = method->result == J_INT, over;
    int64_t a = args[0].i, b = method->args[1] ? args[1].i : 0, v = a;
    JAVA_UNUSED;
    over = method->variant == EXACT_ADD        ? __builtin_add_overflow(a, b, &v)
           : method->variant == EXACT_SUBTRACT ? __builtin_sub_overflow(a, b, &v)
           : method->variant == EXACT_MULTIPLY ? __builtin_mul_overflow(a, b, &v)
           : method->variant == EXACT_NEGATE    ? __builtin_sub_overflow((int64_t)0, a, &v)
           : method->variant == EXACT_INCREMENT ? __builtin_add_overflow(a, 1, &v)
           : method->variant == EXACT_DECREMENT ? __builtin_sub_overflow(a, 1, &v)
                                               : false;
    if (over || (is_int && v != (int32_t)v))
        return java_throw(run, J_ARITHMETIC, is_int ? "integer overflow" : "long overflow");
    out->i = v;
    return true;
}

/* Of a least number there is none above zero. */
JAVA_CALL(math_abs_exact)
{
    bool is_int = method->result == J_INT;
    JAVA_UNUSED;
    if (args[0].i == (is_int ? INT32_MIN : INT64_MIN))
        return java_throw(run, J_ARITHMETIC, "Overflow to represent absolute value of %s.MIN_VALUE", is_int ? "Integer" : "Long");
    out->i = args[0].i < 0 ? -args[0].i : args[0].i;
    return true;
}

/* Of two longs the upper half of all their product's bits; of two ints all of them. */
JAVA_CALL(math_wide)
{
    __extension__ __int128 product = (__int128)args[0].i * args[1].i;
    JAVA_UNUSED;
    out->i = (int64_t)(method->args[0] == J_LONG ? product >> 64 : product);
    return true;
}

JAVA_CALL(math_fma)
{
    JAVA_UNUSED;
    out->d = method->result == J_FLOAT ? (double)fmaf((float)args[0].d, (float)args[1].d, (float)args[2].d) : fma(args[0].d, args[1].d, args[2].d);
    return true;
}

JAVA_CALL(math_exponent)
{
    bool is_float = method->args[0] == J_FLOAT;
    int most = is_float ? 127 : 1023;
    double d = fabs(args[0].d);
    JAVA_UNUSED;
    out->i = !isfinite(d) ? most + 1 : d < (is_float ? 0x1p-126 : 0x1p-1022) ? -most : ilogb(d);
    return true;
}

JAVA_CALL(math_scalb)
{
    JAVA_UNUSED;
    out->d = method->result == J_FLOAT ? (double)ldexpf((float)args[0].d, (int)args[1].i) : ldexp(args[0].d, (int)args[1].i);
    return true;
}

JAVA_CALL(math_after)
{
    double from = args[0].d, to = args[1].d;
    JAVA_UNUSED;
    out->d = isnan(from) || isnan(to) ? NAN : from == to ? to : beside(method->result == J_FLOAT, from, to > from ? INFINITY : -INFINITY);
    return true;
}

enum { FLOOR_DIV, FLOOR_MOD };

JAVA_CALL(math_floor)
{
    int64_t a = args[0].i, b = args[1].i;
    JAVA_UNUSED;
    if (!b)
        return java_throw(run, J_ARITHMETIC, "/ by zero");
    int64_t rest = b == -1 ? 0 : a % b;
    int64_t part = b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    bool down = rest && (rest < 0) != (b < 0);
    out->i = whole((enum java_kind)method->result,
                   (uint64_t)(method->variant == FLOOR_DIV ? part - down : rest + (down ? b : 0)));
    return true;
}

/* ---- the table ---- */

#define EACH_NUMBER(name, call, variant)                                                                               \
    { J_MATH, name, J_INT, { J_INT, J_INT }, JAVA_STATIC, java_math_whole, variant },                                  \
        { J_MATH, name, J_LONG, { J_LONG, J_LONG }, JAVA_STATIC, java_math_whole, variant },                           \
        { J_MATH, name, J_FLOAT, { J_FLOAT, J_FLOAT }, JAVA_STATIC, java_math_real, variant },                         \
    {                                                                                                                  \
        J_MATH, name, J_DOUBLE, { J_DOUBLE, J_DOUBLE }, JAVA_STATIC, java_math_real, variant                           \
    }
#define NEAR(name, which)                                                                                              \
    { J_MATH, name, J_FLOAT, { J_FLOAT }, JAVA_STATIC, math_near, which },                                             \
    {                                                                                                                  \
        J_MATH, name, J_DOUBLE, { J_DOUBLE }, JAVA_STATIC, math_near, which                                            \
    }
#define FUNCTION(name, which) { J_MATH, name, J_DOUBLE, { J_DOUBLE }, JAVA_STATIC, math_function, which }
#define EXACT(name, which)                                                                                             \
    { J_MATH, name, J_INT, { J_INT, J_INT }, JAVA_STATIC, math_exact, which },                                         \
    {                                                                                                                  \
        J_MATH, name, J_LONG, { J_LONG, J_LONG }, JAVA_STATIC, math_exact, which                                       \
    }

const struct java_method java_math_methods[] = {
    { J_MATH, "abs", J_INT, { J_INT }, JAVA_STATIC, java_math_whole, JAVA_ABS },
    { J_MATH, "abs", J_LONG, { J_LONG }, JAVA_STATIC, java_math_whole, JAVA_ABS },
    { J_MATH, "abs", J_FLOAT, { J_FLOAT }, JAVA_STATIC, java_math_real, JAVA_ABS },
    { J_MATH, "abs", J_DOUBLE, { J_DOUBLE }, JAVA_STATIC, java_math_real, JAVA_ABS },
    EACH_NUMBER("max", 0, JAVA_MAX),
    EACH_NUMBER("min", 0, JAVA_MIN),
    { J_MATH, "signum", J_DOUBLE, { J_DOUBLE }, JAVA_STATIC, java_math_real, JAVA_SIGNUM },
    { J_MATH, "signum", J_FLOAT, { J_FLOAT }, JAVA_STATIC, java_math_real, JAVA_SIGNUM },
    FUNCTION("sqrt", F_SQRT),
    FUNCTION("cbrt", F_CBRT),
    FUNCTION("exp", F_EXP),
    FUNCTION("expm1", F_EXPM1),
    FUNCTION("log", F_LOG),
    FUNCTION("log10", F_LOG10),
    FUNCTION("log1p", F_LOG1P),
    FUNCTION("sin", F_SIN),
    FUNCTION("cos", F_COS),
    FUNCTION("tan", F_TAN),
    FUNCTION("asin", F_ASIN),
    FUNCTION("acos", F_ACOS),
    FUNCTION("atan", F_ATAN),
    FUNCTION("sinh", F_SINH),
    FUNCTION("cosh", F_COSH),
    FUNCTION("tanh", F_TANH),
    FUNCTION("ceil", F_CEIL),
    FUNCTION("floor", F_FLOOR),
    FUNCTION("rint", F_RINT),
    FUNCTION("toRadians", F_RADIANS),
    FUNCTION("toDegrees", F_DEGREES),
    { J_MATH, "pow", J_DOUBLE, { J_DOUBLE, J_DOUBLE }, JAVA_STATIC, math_function2, F_POW },
    { J_MATH, "atan2", J_DOUBLE, { J_DOUBLE, J_DOUBLE }, JAVA_STATIC, math_function2, F_ATAN2 },
    { J_MATH, "hypot", J_DOUBLE, { J_DOUBLE, J_DOUBLE }, JAVA_STATIC, math_function2, F_HYPOT },
    { J_MATH, "copySign", J_DOUBLE, { J_DOUBLE, J_DOUBLE }, JAVA_STATIC, math_function2, F_COPYSIGN },
    { J_MATH, "copySign", J_FLOAT, { J_FLOAT, J_FLOAT }, JAVA_STATIC, math_function2, F_COPYSIGN },
    { J_MATH, "IEEEremainder", J_DOUBLE, { J_DOUBLE, J_DOUBLE }, JAVA_STATIC, math_function2, F_REMAINDER },
    NEAR("nextUp", NEAR_UP),
    NEAR("nextDown", NEAR_DOWN),
    NEAR("ulp", NEAR_ULP),
    { J_MATH, "round", J_INT, { J_FLOAT }, JAVA_STATIC, math_round, 0 },
    { J_MATH, "round", J_LONG, { J_DOUBLE }, JAVA_STATIC, math_round, 0 },
    { J_MATH, "random", J_DOUBLE, { 0 }, JAVA_STATIC, math_random, 0 },
    EXACT("addExact", EXACT_ADD),
    EXACT("subtractExact", EXACT_SUBTRACT),
    EXACT("multiplyExact", EXACT_MULTIPLY),
    { J_MATH, "toIntExact", J_INT, { J_LONG }, JAVA_STATIC, math_exact, EXACT_INT },
    { J_MATH, "negateExact", J_INT, { J_INT }, JAVA_STATIC, math_exact, EXACT_NEGATE },
    { J_MATH, "negateExact", J_LONG, { J_LONG }, JAVA_STATIC, math_exact, EXACT_NEGATE },
    { J_MATH, "incrementExact", J_INT, { J_INT }, JAVA_STATIC, math_exact, EXACT_INCREMENT },
    { J_MATH, "incrementExact", J_LONG, { J_LONG }, JAVA_STATIC, math_exact, EXACT_INCREMENT },
    { J_MATH, "decrementExact", J_INT, { J_INT }, JAVA_STATIC, math_exact, EXACT_DECREMENT },
    { J_MATH, "decrementExact", J_LONG, { J_LONG }, JAVA_STATIC, math_exact, EXACT_DECREMENT },
    { J_MATH, "absExact", J_INT, { J_INT }, JAVA_STATIC, math_abs_exact, 0 },
    { J_MATH, "absExact", J_LONG, { J_LONG }, JAVA_STATIC, math_abs_exact, 0 },
    { J_MATH, "multiplyHigh", J_LONG, { J_LONG, J_LONG }, JAVA_STATIC, math_wide, 0 },
    { J_MATH, "multiplyFull", J_LONG, { J_INT, J_INT }, JAVA_STATIC, math_wide, 0 },
    { J_MATH, "fma", J_DOUBLE, { J_DOUBLE, J_DOUBLE, J_DOUBLE }, JAVA_STATIC, math_fma, 0 },
    { J_MATH, "fma", J_FLOAT, { J_FLOAT, J_FLOAT, J_FLOAT }, JAVA_STATIC, math_fma, 0 },
    { J_MATH, "getExponent", J_INT, { J_FLOAT }, JAVA_STATIC, math_exponent, 0 },
    { J_MATH, "getExponent", J_INT, { J_DOUBLE }, JAVA_STATIC, math_exponent, 0 },
    { J_MATH, "scalb", J_DOUBLE, { J_DOUBLE, J_INT }, JAVA_STATIC, math_scalb, 0 },
    { J_MATH, "scalb", J_FLOAT, { J_FLOAT, J_INT }, JAVA_STATIC, math_scalb, 0 },
    { J_MATH, "nextAfter", J_DOUBLE, { J_DOUBLE, J_DOUBLE }, JAVA_STATIC, math_after, 0 },
    { J_MATH, "nextAfter", J_FLOAT, { J_FLOAT, J_DOUBLE }, JAVA_STATIC, math_after, 0 },
    { J_MATH, "multiplyExact", J_LONG, { J_LONG, J_INT }, JAVA_STATIC, math_exact, EXACT_MULTIPLY },
    { J_MATH, "floorDiv", J_LONG, { J_LONG, J_INT }, JAVA_STATIC, math_floor, FLOOR_DIV },
    { J_MATH, "floorMod", J_INT, { J_LONG, J_INT }, JAVA_STATIC, math_floor, FLOOR_MOD },
    { J_MATH, "floorDiv", J_INT, { J_INT, J_INT }, JAVA_STATIC, math_floor, FLOOR_DIV },
    { J_MATH, "floorDiv", J_LONG, { J_LONG, J_LONG }, JAVA_STATIC, math_floor, FLOOR_DIV },
    { J_MATH, "floorMod", J_INT, { J_INT, J_INT }, JAVA_STATIC, math_floor, FLOOR_MOD },
    { J_MATH, "floorMod", J_LONG, { J_LONG, J_LONG }, JAVA_STATIC, math_floor, FLOOR_MOD },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
