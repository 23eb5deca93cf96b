#include "model/similarity.h"

#include <math.h>

#include "engine/coding.h"
#include "model/javatext.h"
#include "model/real.h"

bool similarity_of(struct slice name, enum similarity *out)
{
    static const char *const words[] = {
        [SIMILARITY_COSINE] = "cosine", [SIMILARITY_EUCLIDEAN] = "euclidean", [SIMILARITY_DOT_PRODUCT] = "dot_product",
    };
    for (int i = 0; i < SIMILARITIES; i++)
        if (java_equals_fold(name, words[i])) {
            *out = (enum similarity)i;
            return true;
        }
    *out = SIMILARITY_COSINE;
    return slice_is_null(name);
}

static float element(struct slice vector, uint32_t i)
{
    return float_of(read_u32(vector.data + 4 * (size_t)i));
}

bool vector_is_zero(struct slice vector, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (element(vector, i) != 0)
            return false;
    return true;
}

double vector_nan(struct slice vector, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (isnan(element(vector, i)))
            return (double)element(vector, i);
    return 0;
}

bool vector_is_indexable(enum similarity similarity, struct slice vector, uint32_t n)
{
    static const float COMPONENT_MAX = 1E17f;
    for (uint32_t i = 0; i < n; i++)
        if (!(fabsf(element(vector, i)) <= COMPONENT_MAX)) /* nor is NaN */
            return false;
    return similarity != SIMILARITY_COSINE || !vector_is_zero(vector, n);
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

float similarity_score(enum similarity similarity, struct slice a, struct slice b, uint32_t n)
{
    switch (similarity) {
    case SIMILARITY_COSINE: return (1 + cosine(a, b, n)) / 2;
    case SIMILARITY_EUCLIDEAN: return 1 / (1 + square_distance(a, b, n));
    default: return (1 + dot_product(a, b, n)) / 2;
    }
}
