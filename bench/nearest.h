/*
 * nearest.h - for stores that leave it to the caller what is near: the likeness of two vectors, and the best of many.
 */
#ifndef BENCH_NEAREST_H
#define BENCH_NEAREST_H

#include "data.h"

float nearest_cosine(const struct vector *a, const struct vector *b); /* its sums in lanes, so that compilers add to several at once */

enum { NEAREST_MOST = 64 };
struct nearest {
    unsigned count, most; /* most: up to NEAREST_MOST */
    struct {
        float likeness;
        uint64_t number;
    } at[NEAREST_MOST]; /* the best first */
};
void nearest_offer(struct nearest *n, float likeness, uint64_t number);
uint64_t nearest_sum(const struct nearest *n); /* of the numbers */

#endif
