/*
 * seen_column.h - a column as an operation of a statement finds it (UpdateParameters.getPrefetchedRow): its live cells as they are stored, and what the
 * operations before it have made of them. It goes on from one operation to the next, for a statement may have thousands of one list.
 */
#ifndef WR_MODEL_SEEN_COLUMN_H
#define WR_MODEL_SEEN_COLUMN_H

#include "engine/ctx.h"
#include "engine/row.h"

struct seen_column {
    const struct cell **cells; /* in order of their paths; borrowed */
    uint32_t count;

    uint32_t id, room;
    struct deletion deletion; /* that the column is under */
    uint32_t cells_taken, complex_taken; /* of what has been written */
};

/* stored: the row as it was read, NULL: there is none, or it does not have the column. The arrays are in ctx's memory. */
enum wr_status seen_column_begin(struct ctx *ctx, struct seen_column *seen, uint32_t id, const struct row *stored);

/* written: as its operations have left it until now, in no order; it has grown since it was told before, and its cells stay where they are. */
enum wr_status seen_column_follow(struct ctx *ctx, struct seen_column *seen, const struct row *written, uint32_t now_s);

#endif
