#include "nearest.h"

#include <math.h>

#ifdef __x86_64__
__attribute__((target_clones("avx2", "default")))
#endif
float nearest_cosine(const struct vector *a, const struct vector *b)
{
    enum { LANES = 8 };
    float product[LANES] = { 0 }, a_squares[LANES] = { 0 }, b_squares[LANES] = { 0 };
    for (unsigned i = 0; i < VECTOR_DIMENSION; i += LANES)
        for (unsigned l = 0; l < LANES; l++) {
            product[l] += a->at[i + l] * b->at[i + l];
            a_squares[l] += a->at[i + l] * a->at[i + l];
            b_squares[l] += b->at[i + l] * b->at[i + l];
        }
    for (unsigned l = 1; l < LANES; l++) {
        product[0] += product[l];
        a_squares[0] += a_squares[l];
        b_squares[0] += b_squares[l];
    }
    return product[0] / sqrtf(a_squares[0] * b_squares[0]);
}

void nearest_offer(struct nearest *n, float likeness, uint64_t number)
{
    if (n->count == n->most && likeness <= n->at[n->count - 1].likeness)
        return;
    unsigned i = n->count < n->most ? n->count++ : n->count - 1;
    for (; i && n->at[i - 1].likeness < likeness; i--)
        n->at[i] = n->at[i - 1];
    n->at[i].likeness = likeness;
    n->at[i].number = number;
}

uint64_t nearest_sum(const struct nearest *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n->count; i++)
        sum += n->at[i].number;
    return sum;
}
