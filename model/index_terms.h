/*
 * index_terms.h - what a row is found under in a secondary index, and what a reader asks for.
 *
 * A term is the comparable bytes (type.h) of what the index is on: the column's value, a key, an element, a key and its value.
 * Values that compare equal have one term; whoever reads by an index looks at the row again (scan.h), so a term may say too much
 * but never too little.
 * 1. A row's terms hold index_term of every value that an equality or CONTAINS on the indexed thing would find it by.
 * 2. Nothing hidden counts: cells from before a column was dropped and added again give no term.
 */
#ifndef WR_MODEL_INDEX_TERMS_H
#define WR_MODEL_INDEX_TERMS_H

#include "model/schema.h"

/* The term to ask for. key is for INDEX_ENTRIES alone; of INDEX_KEYS the key asked for is `value`. */
enum wr_status index_term(struct ctx *ctx, const struct index *index, struct slice key, struct slice value, struct slice *out);

/* The engine's shapes of a table's indexes, into shape->indexes. Memory from ctx, which must be where the table lives. */
enum wr_status index_shapes_make(struct ctx *ctx, const struct table *table, struct table_shape *shape);

#endif
