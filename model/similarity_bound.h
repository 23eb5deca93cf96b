/*
 * similarity_bound.h - what the score of a vector cannot exceed, known in a tenth of the time that the score takes: whose sums have an order (similarity.c), so that no two of their steps can be
 * taken at once. Where the nearest are looked for, few vectors are left that it lets pass.
 */
#ifndef WR_MODEL_SIMILARITY_BOUND_H
#define WR_MODEL_SIMILARITY_BOUND_H

#include "engine/ctx.h"
#include "model/similarity.h"

struct similarity_bound {
    enum similarity similarity;
    uint32_t n;
    const float *wanted; /* in the machine's order of bytes; NULL: of this one nothing is told */
    float wanted_squares, slack;
    struct similarity_sums (*sum_up)(const struct similarity_bound *bound, const uint8_t *vector);
};

/* Of vectors of n floats beside this one. It lives as long as ctx's arena. */
enum wr_status similarity_bound_init(struct ctx *ctx, enum similarity similarity, struct slice wanted, uint32_t n, struct similarity_bound *out);

/* No less than similarity_score of the two; INFINITY for one that an index may not take (vector_is_indexable), and where it cannot be told. */
float similarity_at_most(const struct similarity_bound *bound, struct slice vector);

#endif
