/* func_vector.c - similarity of two vectors of floats. */
#include "model/func.h"
#include "model/numeric.h"
#include "model/real.h"
#include "model/similarity.h"

static enum wr_status similarity(const struct call *call, const struct slice *args, struct slice *out)
{
    enum similarity of = (enum similarity)call->func->variant;
    uint32_t n = call->func->args[0]->dimension;
    double score;

    for (int i = 0; i < 2; i++)
        if (args[i].len != sizeof(float) * n)
            return fail_corrupt(call->ctx, "a vector");
    if (of == SIMILARITY_COSINE && (vector_is_zero(args[0], n) || vector_is_zero(args[1], n)))
        return fail(call->ctx, WR_INVALID, "Function system.%s doesn't support all-zero vectors.", call->func->name);
    score = real_made((double)similarity_score(of, args[0], args[1], n), vector_nan(args[0], n), vector_nan(args[1], n));
    return numeric_put_real(call->ctx, TYPE_FLOAT, score, out);
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
