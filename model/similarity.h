/*
 * similarity.h - how alike two vectors of floats are, as Cassandra's functions and its vector indexes count it.
 */
#ifndef WR_MODEL_SIMILARITY_H
#define WR_MODEL_SIMILARITY_H

#include "engine/slice.h"

enum similarity { SIMILARITY_COSINE, SIMILARITY_EUCLIDEAN, SIMILARITY_DOT_PRODUCT, SIMILARITIES };

bool similarity_of(struct slice name, enum similarity *out); /* any case; null: cosine. false: there is none of that name */

/* Between 0 and 1 (the dot product of any vectors: unbounded), the greater the more alike. Vectors of n floats. */
float similarity_score(enum similarity similarity, struct slice a, struct slice b, uint32_t n);

bool vector_is_zero(struct slice vector, uint32_t n); /* has no direction: cosine is not defined */
double vector_nan(struct slice vector, uint32_t n); /* the first NaN in it; 0: there is none */
/* Whether an index takes it, and looks for it: finite numbers, not too large (VectorUtil.checkInBounds), and for cosine one with a direction. */
bool vector_is_indexable(enum similarity similarity, struct slice vector, uint32_t n);

#endif
