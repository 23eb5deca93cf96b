/*
 * star.h - orders of a table's columns: those that `*` stands for, as they are shown; those of one kind, as a server compares them; all of them, as its map
 * has them.
 */
#ifndef WR_MODEL_STAR_H
#define WR_MODEL_STAR_H

#include "model/schema.h"

/* Those that are not hidden: partition key, clustering, static, regular. Room for all of the table's. */
enum wr_status table_star(struct ctx *ctx, const struct table *table, const struct column ***out, uint32_t *count);

/* ColumnMetadata.comparisonOrder of columns of one kind, for qsort of pointers to them. */
int column_comparison_cmp(const void *a, const void *b);

int name_signed_cmp(struct slice a, struct slice b); /* ByteBuffer.compareTo: bytes have a sign */

/* TableMetadata.columns(): a HashMap's order, as ordinals; room for all. Those of one bucket come as CREATE TABLE has put them there, which is
 * the key, and then the others by name, static or not. */
enum wr_status table_map_order(struct ctx *ctx, const struct table *table, uint32_t *order);

#endif
