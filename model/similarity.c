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

float similarity_score(enum similarity similarity, struct slice a, struct slice b, uint32_t n)
{
    double dot = 0, a_squared = 0, b_squared = 0, distance = 0;

    for (uint32_t i = 0; i < n; i++) {
        double x = (double)element(a, i), y = (double)element(b, i);
        dot += x * y;
        a_squared += x * x;
        b_squared += y * y;
        distance += (x - y) * (x - y);
    }
    switch (similarity) {
    case SIMILARITY_COSINE: return (float)((1 + (double)(float)(dot / sqrt(a_squared * b_squared))) / 2);
    case SIMILARITY_EUCLIDEAN: return (float)(1 / (1 + (double)(float)distance));
    default: return (float)((1 + (double)(float)dot) / 2);
    }
}
