/*
 * listing.h - the answer of a LIST statement: rows made when it starts, then given one by one; without rows there is no result at all,
 * not an empty one, as in Cassandra.
 */
#ifndef WR_MODEL_LISTING_H
#define WR_MODEL_LISTING_H

#include "model/plan.h"

struct listing {
    const struct column_spec *columns;
    uint32_t column_count;
    struct slice *rows; /* one behind the other */
    uint32_t count, room, at;
};

/* In the run's memory, as exec->run. */
enum wr_status listing_begin(struct exec *exec, const struct column_spec *columns, uint32_t column_count, struct listing **out);
enum wr_status listing_add(struct exec *exec, struct listing *listing, const struct slice *values);

/* The ops of its plan. */
enum wr_status listing_step(struct exec *exec, const struct plan *plan, const struct slice **row);
const struct column_spec *listing_columns(const struct exec *exec, const struct plan *plan, uint32_t *count);

#endif
