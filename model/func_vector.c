/*
 * func_vector.c - similarity of two vectors of floats, between 0 and 1 (the dot product of any vectors: unbounded).
 */
#include <math.h>

#include "engine/coding.h"
#include "model/func.h"
#include "model/numeric.h"
#include "model/real.h"

static float element(struct slice vector, uint32_t i)
{
    return float_of(read_u32(vector.data + 4 * (size_t)i));
}

static bool is_zero(struct slice vector, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (element(vector, i) != 0)
            return false;
    return true;
}

/*
 * Sums of floats are rounded after each step, so the order of the steps shows in the last digits: it is that of
 * DefaultVectorUtilSupport of jvector, which SAI and these functions share. Runs of eight are summed first, then added:
 * of a product those behind the odd ones, of a distance those before.
 */
enum { RUN = 8 };

static float product(struct slice a, struct slice b, uint32_t i)
{
    return element(a, i) * element(b, i);
}

static float square_of_difference(struct slice a, struct slice b, uint32_t i)
{
    float d = element(a, i) - element(b, i);
    return d * d;
}

typedef float term(struct slice a, struct slice b, uint32_t i);

static float sum_run(term *of, struct slice a, struct slice b, uint32_t from)
{
    float sum = of(a, b, from);

    for (uint32_t i = 1; i < RUN; i++)
        sum += of(a, b, from + i);
    return sum;
}

static float dot_product(struct slice a, struct slice b, uint32_t n)
{
    float sum = 0;
    uint32_t i = 0;

    for (; i < n % RUN; i++)
        sum += product(a, b, i);
    for (; i < n; i += RUN)
        sum += sum_run(product, a, b, i);
    return sum;
}

static float square_distance(struct slice a, struct slice b, uint32_t n)
{
    float sum = 0;
    uint32_t i = 0;

    for (; i + RUN <= n; i += RUN)
        sum += sum_run(square_of_difference, a, b, i);
    for (; i < n; i++)
        sum += square_of_difference(a, b, i);
    return sum;
}

static float cosine(struct slice a, struct slice b, uint32_t n)
{
    float dot = 0, a_squared = 0, b_squared = 0;

    for (uint32_t i = 0; i < n; i++) {
        dot += product(a, b, i);
        a_squared += product(a, a, i);
        b_squared += product(b, b, i);
    }
    return (float)((double)dot / sqrt((double)a_squared * (double)b_squared));
}

static enum wr_status similarity(const struct call *call, const struct slice *args, struct slice *out)
{
    uint32_t n = call->func->args[0]->dimension;
    float result;

    switch (call->func->variant) {
    case SIMILARITY_COSINE:
        if (is_zero(args[0], n) || is_zero(args[1], n))
            return fail(call->ctx, WR_INVALID, "Function system.%s doesn't support all-zero vectors.",
                        call->func->name);
        result = (1 + cosine(args[0], args[1], n)) / 2;
        break;
    case SIMILARITY_EUCLIDEAN:
        result = 1 / (1 + square_distance(args[0], args[1], n));
        break;
    default:
        result = (1 + dot_product(args[0], args[1], n)) / 2;
    }
    return numeric_put_real(call->ctx, TYPE_FLOAT, (double)result, out);
}

enum wr_status func_make_similarity(struct ctx *ctx, const struct func_entry *e, const struct type *receiver,
                                    struct func *out)
{
    (void)e, (void)receiver;
    if (out->args[0]->dimension != out->args[1]->dimension)
        return fail(ctx, WR_INVALID, "All arguments must have the same vector dimensions");
    out->result = type_native(TYPE_FLOAT);
    out->call = similarity;
    return WR_OK;
}
