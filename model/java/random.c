/* java.util.Random: the generator that its documentation prescribes. */
#include <math.h>

#include "engine/clock.h"
#include "model/java/lib.h"

#define MULTIPLIER UINT64_C(0x5DEECE66D)
#define SEED_MASK  ((UINT64_C(1) << 48) - 1)

static void seed_with(struct java_object *random, int64_t seed)
{
    random->random.seed = (int64_t)(((uint64_t)seed ^ MULTIPLIER) & SEED_MASK);
    random->random.has_gaussian = false;
}

static int32_t next_bits(struct java_object *random, unsigned bits)
{
    uint64_t seed = ((uint64_t)random->random.seed * MULTIPLIER + 0xB) & SEED_MASK;
    random->random.seed = (int64_t)seed;
    return (int32_t)(uint32_t)(seed >> (48 - bits));
}

static int64_t next_long(struct java_object *random)
{
    uint64_t high = (uint64_t)(int64_t)next_bits(random, 32) << 32;
    return (int64_t)(high + (uint64_t)(int64_t)next_bits(random, 32));
}

static double next_double(struct java_object *random)
{
    int64_t high = (int64_t)next_bits(random, 26) << 27;
    return (double)(high + next_bits(random, 27)) * 0x1p-53;
}

bool java_random_seed(struct java_run *run, struct java_object *random)
{
    int64_t seed;
    (void)run;
    clock_random((uint8_t *)&seed, sizeof seed);
    seed_with(random, seed);
    return true;
}

int32_t java_random_below(struct java_object *random, int32_t bound)
{
    int32_t r = next_bits(random, 31), m = bound - 1;
    if ((bound & m) == 0)
        return (int32_t)(((int64_t)bound * r) >> 31);
    for (int32_t u = r; (int64_t)u - (r = u % bound) + m > INT32_MAX;)
        u = next_bits(random, 31);
    return r;
}

JAVA_CALL(random_new)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_RANDOM)))
        return false;
    if (!method->args[0])
        return java_random_seed(run, out->o);
    seed_with(out->o, args[0].i);
    return true;
}

JAVA_CALL(random_set)
{
    JAVA_UNUSED;
    seed_with(self->o, args[0].i);
    return true;
}

JAVA_CALL(random_int)
{
    JAVA_UNUSED;
    if (method->args[0] && args[0].i <= 0)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "bound must be positive");
    out->i = method->args[0] ? java_random_below(self->o, (int32_t)args[0].i) : next_bits(self->o, 32);
    return true;
}

JAVA_CALL(random_long)
{
    JAVA_UNUSED;
    out->i = next_long(self->o);
    return true;
}

JAVA_CALL(random_real)
{
    JAVA_UNUSED;
    out->d = method->result == J_FLOAT ? (double)((float)next_bits(self->o, 24) * 0x1p-24f) : next_double(self->o);
    return true;
}

JAVA_CALL(random_boolean)
{
    JAVA_UNUSED;
    out->i = next_bits(self->o, 1) != 0;
    return true;
}

JAVA_CALL(random_bytes)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[0].o, JAVA_READ_LENGTH, "bytes") || !java_spend(run, args[0].o->array.count))
        return false;
    int32_t bits = 0;
    for (uint32_t i = 0; i < args[0].o->array.count; i++, bits >>= 8) {
        if (i % 4 == 0)
            bits = next_bits(self->o, 32);
        args[0].o->array.items[i].i = (int8_t)bits;
    }
    return true;
}

/* Two at a time, by Marsaglia's polar method. */
JAVA_CALL(random_gaussian)
{
    double a, b, s;
    JAVA_UNUSED;
    if (self->o->random.has_gaussian) {
        self->o->random.has_gaussian = false;
        out->d = self->o->random.gaussian;
        return true;
    }
    do {
        a = 2 * next_double(self->o) - 1;
        b = 2 * next_double(self->o) - 1;
        s = a * a + b * b;
    } while (s >= 1 || s == 0);
    double factor = sqrt(-2 * log(s) / s);
    self->o->random.gaussian = b * factor;
    self->o->random.has_gaussian = true;
    out->d = a * factor;
    return true;
}

const struct java_method java_random_methods[] = {
    { J_RANDOM, "<init>", J_RANDOM, { 0 }, 0, random_new, 0 },
    { J_RANDOM, "<init>", J_RANDOM, { J_LONG }, 0, random_new, 0 },
    { J_RANDOM, "setSeed", J_VOID, { J_LONG }, 0, random_set, 0 },
    { J_RANDOM, "nextInt", J_INT, { 0 }, 0, random_int, 0 },
    { J_RANDOM, "nextInt", J_INT, { J_INT }, 0, random_int, 0 },
    { J_RANDOM, "nextLong", J_LONG, { 0 }, 0, random_long, 0 },
    { J_RANDOM, "nextDouble", J_DOUBLE, { 0 }, 0, random_real, 0 },
    { J_RANDOM, "nextFloat", J_FLOAT, { 0 }, 0, random_real, 0 },
    { J_RANDOM, "nextBoolean", J_BOOLEAN, { 0 }, 0, random_boolean, 0 },
    { J_RANDOM, "nextBytes", J_VOID, { JX_BYTES }, 0, random_bytes, 0 },
    { J_RANDOM, "nextGaussian", J_DOUBLE, { 0 }, 0, random_gaussian, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
