/*
 * star.h - the columns that `*` stands for, in the order in which they are shown.
 */
#ifndef WR_MODEL_STAR_H
#define WR_MODEL_STAR_H

#include "model/schema.h"

/* Those that are not hidden: partition key, clustering, static, regular. Room for all of the table's. */
enum wr_status table_star(struct ctx *ctx, const struct table *table, const struct column ***out, uint32_t *count);

#endif
