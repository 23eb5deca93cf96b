/*
 * update_parts.h - what of an update a server would keep, for those who tell how large that is (batch_size.h, mutation_size.h).
 */
#ifndef WR_MODEL_UPDATE_PARTS_H
#define WR_MODEL_UPDATE_PARTS_H

#include "model/schema.h"

/* The values of a row's clustering, as many as the table has columns of it. */
enum wr_status update_clustering(struct ctx *ctx, const struct table *table, const struct row_update *row, struct slice *values);

/* The deletion of a complex column; none where that of the row is newer. */
struct deletion update_kept_deletion(const struct row *row, uint32_t column);

/* Whether the deletions of its row and its column cover a cell, which is left out then (BTreeRow.Builder, Rows.merge). */
bool update_is_covered(const struct row *row, const struct cell *cell);

#endif
