/*
 * counter.h - counter cells: an increment in a mutation, a total in a stored row.
 *
 * Increments are added under the one writer, so a total is a plain number (no shards, no clocks) and wraps at 64 bits.
 * What a deletion does to a counter is copied from Cassandra 5.0.6 as its node with default settings shows it:
 * 1. Deleting the column (`DELETE v`) ends the counter: later increments do not show until the tombstone is purged
 *    (CASSANDRA-7346: a tombstone wins whatever the timestamps).
 * 2. A row, range or partition deletion hides the total, and the next increment goes on from it (the counter cache outlives
 *    the row): 4, DELETE, +1 reads 5. Such a total is stored as a dead cell that still has its value.
 */
#ifndef WR_ENGINE_COUNTER_H
#define WR_ENGINE_COUNTER_H

#include "engine/cell.h"
#include "engine/ctx.h"
#include "engine/deletion.h"

/* The 8 bytes of a counter; 0 for anything else. */
int64_t counter_value(struct slice value);

/* total and increment as one total; total may be NULL. The value is in ctx's memory. */
enum wr_status counter_add(struct ctx *ctx, const struct cell *total, const struct cell *increment, struct cell *out);

/* What a covering deletion makes of a counter cell (promise 2). */
struct cell counter_bury(const struct cell *c, struct deletion by);

static inline bool cell_is_counter(const struct cell *c)
{
    return c->flags & CELL_COUNTER;
}

#endif
