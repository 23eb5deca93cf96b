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

static enum wr_status similarity(const struct call *call, const struct slice *args, struct slice *out)
{
    uint32_t n = call->func->args[0]->dimension;
    double dot = 0, a_squared = 0, b_squared = 0, distance = 0, result;

    if (call->func->variant == SIMILARITY_COSINE && (is_zero(args[0], n) || is_zero(args[1], n)))
        return fail(call->ctx, WR_INVALID, "Function system.%s doesn't support all-zero vectors.", call->func->name);
    for (uint32_t i = 0; i < n; i++) {
        double a = (double)element(args[0], i), b = (double)element(args[1], i);
        dot += a * b;
        a_squared += a * a;
        b_squared += b * b;
        distance += (a - b) * (a - b);
    }
    switch (call->func->variant) {
    case SIMILARITY_COSINE:
        result = (1 + (double)(float)(dot / sqrt(a_squared * b_squared))) / 2;
        break;
    case SIMILARITY_EUCLIDEAN:
        result = 1 / (1 + (double)(float)distance);
        break;
    default:
        result = (1 + (double)(float)dot) / 2;
    }
    return numeric_put_real(call->ctx, TYPE_FLOAT, result, out);
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
