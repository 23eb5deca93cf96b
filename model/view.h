/*
 * view.h - materialized views: the row of a view that a row of its table makes, and the hook that keeps views in step.
 *
 * A view has no writers: its table's row, as it is once a write is merged, decides the view's row, so that is put as it
 * is (apply_derived) in the transaction of the write. Cassandra's ViewUpdateGenerator says what the row is like:
 * 1. A view of which a regular column of the table is in the key has a row while that column's cell is alive: the cell
 * is the row's marker, by timestamp and time to live. Any other view has a row while the table's row is alive; columns
 * that are not selected count in its marker.
 * 2. Cells keep their timestamps and times to live. So nothing has to be written when something expires.
 * 3. Cells from before their column was dropped and added again are not there.
 */
#ifndef WR_MODEL_VIEW_H
#define WR_MODEL_VIEW_H

#include "model/schema.h"

/* The hook of a table with those views. All of it in ctx's memory: for a snapshot's own, where the table lives. */
enum wr_status view_hook_make(struct ctx *ctx, const struct table *base, const struct table *const *views,
                              uint32_t count, const struct row_hook **out);

/* How a view's rows come out of those of its table: what the hook puts. It lives as long as ctx's arena, and the two tables. */
enum wr_status view_derivation_make(struct ctx *ctx, const struct table *base, const struct table *view, struct derivation *out);

/* Holds every view against its table, both as they are now: reports each row that is missing, too many or another, and
 * counts them. */
enum wr_status views_check(struct ctx *ctx, struct engine *engine, const struct schema *schema,
                           struct findings *findings); /* view_check.c */

#endif
