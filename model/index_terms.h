/*
 * index_terms.h - what a row is found under in a secondary index, and what a reader asks for.
 *
 * A term is a mark and the comparable bytes (type_put_part) of what the index is on: the column's value or a token of it, a key, an
 * element, a key and its value. Values that compare equal have one term; whoever reads by an index looks at the row again
 * (scan.h), so a term may say too much but never too little.
 * 1. A row's terms hold index_term of every value (analyzed, where the index does) that an equality or CONTAINS on the indexed thing
 *    would find it by, and they are in the order of the values.
 * 2. Nothing hidden counts: cells from before a column was dropped and added again give no term.
 */
#ifndef WR_MODEL_INDEX_TERMS_H
#define WR_MODEL_INDEX_TERMS_H

#include "model/schema.h"

/* The term of a value, or of a token. key is for INDEX_ENTRIES alone; of INDEX_KEYS the key asked for is `value`. */
enum wr_status index_term(struct ctx *ctx, const struct index *index, struct slice key, struct slice value, struct slice *out);

/* The terms of the values beyond this one (greater, else less). */
enum wr_status index_terms_beyond(struct ctx *ctx, const struct index *index, struct slice value, bool greater, bool inclusive,
                                  struct range *out);

/* The terms of the texts that begin so. */
enum wr_status index_terms_of_prefix(struct ctx *ctx, struct slice prefix, struct range *out);

/* The engine's shapes of a table's indexes, into shape->indexes. Memory from ctx, which must be where the table lives. */
enum wr_status index_shapes_make(struct ctx *ctx, const struct table *table, struct table_shape *shape);

#endif
