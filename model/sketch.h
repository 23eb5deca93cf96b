/*
 * sketch.h - what an index keeps of a vector: a byte for each of its floats, which say where it is but for a rest whose length is known. A quarter of the
 * vector's own bytes, side by side in the index, tell of most rows that they are not among the nearest.
 *
 *     [scale f32][length f32][rest f32][a code i8 for each float]     length: the vector's own. rest: no less than the length of what is left of it without codes * scale
 *     empty: nothing is known of it
 */
#ifndef WR_MODEL_SKETCH_H
#define WR_MODEL_SKETCH_H

#include "model/similarity_bound.h"

/* Of n floats in the protocol's order (a damaged file may have others: empty); its bytes in ctx's memory. They depend on the vector's bytes alone, on all machines. */
enum wr_status sketch_make(struct ctx *ctx, struct slice vector, uint32_t n, struct slice *out);

struct sketch_bound {
    const struct similarity_bound *of;
    const int16_t *wanted; /* codes of the vector that is looked for; NULL: nothing is told */
    float scale, rest;     /* and what a sketch says beside its codes */
    int64_t (*sum)(const int8_t *codes, const int16_t *wanted, uint32_t n);
};

/* It lives as long as ctx's arena, and what it is of. */
enum wr_status sketch_bound_init(struct ctx *ctx, const struct similarity_bound *of, struct sketch_bound *out);

/* No less than similarity_score of the vector that it was made of; INFINITY where that cannot be told. */
float sketch_at_most(const struct sketch_bound *bound, struct slice sketch);

#endif
