#include "model/similarity_bound.h"

#include <math.h>

#include "engine/coding.h"
#include "model/lanes.h"
#include "model/real.h"

enum { CHAINS = 2, STRIDE = LANES * CHAINS }; /* chains: sums that do not wait for one another */
enum { AHEAD_BYTES = 1024 }; /* fetched meanwhile, of vectors that are longer */

struct similarity_sums {
    float of_both; /* products, or squares of differences */
    float squares; /* of the vector's own */
};

LANES_INLINE struct similarity_sums sum_up(const struct similarity_bound *bound, const uint8_t *bytes, bool differences)
{
    lanes both[CHAINS] = { { 0 }, { 0 } }, squares[CHAINS] = { { 0 }, { 0 } };
    const float *wanted = bound->wanted;
    const size_t size = sizeof *wanted;
    uint32_t i = 0;

    for (; i + STRIDE <= bound->n; i += STRIDE) {
        if (size * (bound->n - i) > AHEAD_BYTES)
            __builtin_prefetch(bytes + size * i + AHEAD_BYTES);
        for (int c = 0; c < CHAINS; c++) {
            lanes a, b;
            lanes_read(bytes + size * (i + (size_t)c * LANES), &a);
            memcpy(&b, wanted + i + c * LANES, sizeof b);
            lanes d = a - b;
            both[c] += differences ? d * d : a * b;
            squares[c] += a * a;
        }
    }
    both[0] += both[1];
    squares[0] += squares[1];
    struct similarity_sums sums = { lanes_sum(&both[0]), lanes_sum(&squares[0]) };
    for (; i < bound->n; i++) {
        float a = float_of(read_u32(bytes + size * i)), d = a - wanted[i];
        sums.of_both += differences ? d * d : a * wanted[i];
        sums.squares += a * a;
    }
    return sums;
}

static struct similarity_sums sum_products(const struct similarity_bound *bound, const uint8_t *vector)
{
    return sum_up(bound, vector, false);
}

static struct similarity_sums sum_differences(const struct similarity_bound *bound, const uint8_t *vector)
{
    return sum_up(bound, vector, true);
}

#ifdef __x86_64__
static __attribute__((target("avx2"))) struct similarity_sums sum_products_avx2(const struct similarity_bound *bound, const uint8_t *vector)
{
    return sum_up(bound, vector, false);
}

static __attribute__((target("avx2"))) struct similarity_sums sum_differences_avx2(const struct similarity_bound *bound, const uint8_t *vector)
{
    return sum_up(bound, vector, true);
}
#endif

static void choose_sums(struct similarity_bound *bound)
{
    bool differences = bound->similarity == SIMILARITY_EUCLIDEAN;

    bound->sum_up = differences ? sum_differences : sum_products;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        bound->sum_up = differences ? sum_differences_avx2 : sum_products_avx2;
#endif
}

enum wr_status similarity_bound_init(struct ctx *ctx, enum similarity similarity, struct slice wanted, uint32_t n, struct similarity_bound *out)
{
    float *elements = NEW_ARRAY(ctx, float, n), squares = 0;

    *out = (struct similarity_bound){ .similarity = similarity, .n = n };
    if (!elements)
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        elements[i] = float_of(read_u32(wanted.data + sizeof *elements * i));
        squares += elements[i] * elements[i];
    }
    if (!similarity_squares_are_usual(squares))
        return WR_OK;
    out->wanted = elements;
    out->wanted_length = sqrtf(squares);
    /* A sum of n terms, however it is ordered, is off by at most n times half a unit in the last place of what the terms would come to without their signs.
     * There are four such sums, two of each way to add: twice what they come to. */
    out->slack = (float)(n + 16) * 0x1p-22f;
    choose_sums(out);
    return WR_OK;
}

float similarity_at_most(const struct similarity_bound *bound, struct slice vector)
{
    if (!bound->wanted)
        return INFINITY;
    struct similarity_sums sums = bound->sum_up(bound, vector.data);
    if (!similarity_squares_are_usual(sums.squares))
        return INFINITY;
    if (bound->similarity == SIMILARITY_EUCLIDEAN)
        return 1 / (1 + sums.of_both) * (1 + bound->slack);
    float lengths = sqrtf(sums.squares) * bound->wanted_length;
    if (bound->similarity == SIMILARITY_COSINE)
        return (1 + sums.of_both / lengths) / 2 + bound->slack;
    return (1 + sums.of_both) / 2 + bound->slack * (1 + lengths);
}
