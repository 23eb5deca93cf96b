/*
 * counter.h - counter cells: an increment in a mutation, a total in a stored row.
 *
 * Increments are added under the one writer, so a total is a plain number (no shards, no clocks) and wraps at 64 bits.
 * What a deletion does to a counter is copied from Cassandra 5.0.6 as its node with default settings shows it, where the counter cache
 * outlives whatever is deleted:
 * 1. A total goes on through everything, shown or not: 4, DELETE of the row, +1 reads 5.
 * 2. A row, range or partition deletion buries the total until the next increment.
 * 3. Deleting the column (`DELETE v`) ends the counter: no increment shows, whatever its timestamp (CASSANDRA-7346), until the
 *    deletion of the row itself, and not one of a range or of the partition, buries it, or the tombstone is purged. One that such a
 *    deletion covers has never been for a counter that is later than that.
 * A buried total is stored as a dead cell that still has its value, one that has ended with a byte more.
 */
#ifndef WR_ENGINE_COUNTER_H
#define WR_ENGINE_COUNTER_H

#include "engine/cell.h"
#include "engine/ctx.h"
#include "engine/deletion.h"

enum {
    COUNTER_LEN = 8,
    COUNTER_ENDED_LEN = 9,
};

/* What the counter's cell is worth: of a mutation's, a stored one's or a shown one's value; 0 for anything else. */
int64_t counter_value(struct slice value);

/* Makes of a mutation's cell the tombstone that `DELETE v` writes; its value is static memory. */
void counter_end(struct cell *c);

/* total and increment (or tombstone) as one; total may be NULL. The value is in ctx's memory. */
enum wr_status counter_add(struct ctx *ctx, const struct cell *total, const struct cell *increment, struct cell *out);

/* What is left of a counter cell that `by` covers, of which `own` is the deletion of the row itself. False: nothing. */
bool counter_bury(const struct cell *c, struct deletion own, struct deletion by, struct cell *out);

static inline bool cell_is_counter(const struct cell *c)
{
    return c->flags & CELL_COUNTER;
}

/* Kept for its total alone: the tombstone is a deletion of the row, or what else covers it. */
bool counter_is_buried(const struct cell *c, struct deletion by);

#endif
