/*
 * similarity_bound.h - what the score of a vector cannot exceed, known in a tenth of the time that the score takes: whose sums have an order (similarity.c),
 * so that no two of their steps can be taken at once. Where the nearest are looked for, few vectors are left that it lets pass.
 */
#ifndef WR_MODEL_SIMILARITY_BOUND_H
#define WR_MODEL_SIMILARITY_BOUND_H

#include "engine/ctx.h"
#include "model/similarity.h"

struct similarity_bound {
    enum similarity similarity;
    uint32_t n;
    const float *wanted; /* in the machine's order of bytes; NULL: of this one nothing is told */
    float wanted_length, slack; /* slack: what floats may have been rounded by, of 1 (of the lengths, where they are not divided by) */
    struct similarity_sums (*sum_up)(const struct similarity_bound *bound, const uint8_t *vector);
};

/* Squares whose sum is within these are of numbers that an index takes, none of them lost for smallness; that of a NaN is not. */
static inline bool similarity_squares_are_usual(float squares)
{
    return squares >= 1E-30f && squares <= 1E34f;
}

/* Of vectors of n floats beside this one. It lives as long as ctx's arena. */
enum wr_status similarity_bound_init(struct ctx *ctx, enum similarity similarity, struct slice wanted, uint32_t n, struct similarity_bound *out);

/* No less than similarity_score of the two; INFINITY for one that an index may not take (vector_is_indexable), and where it cannot be told. */
float similarity_at_most(const struct similarity_bound *bound, struct slice vector);

#endif
