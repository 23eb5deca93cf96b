/*
 * seen_column.h - a column as an operation of a statement finds it (UpdateParameters.getPrefetchedRow): its live cells as they are stored, and what the
 * operations before it have made of them. It goes on from one operation to the next, for a statement may have thousands of one list.
 */
#ifndef WR_MODEL_SEEN_COLUMN_H
#define WR_MODEL_SEEN_COLUMN_H

#include "engine/ctx.h"
#include "engine/row.h"

struct seen_column {
    uint32_t count; /* of its cells, in order of their paths: seen_column_cell */

    const struct cell *stored;
    const struct cell **cells; /* NULL: as they are stored */
    uint32_t id, room;
    bool has_dead; /* there is no row */
    struct deletion deletion; /* that the column is under */
    uint32_t cells_taken, complex_taken; /* of what has been written */
};

/* stored: the row as it was read, borrowed; NULL: there is none. Then what the statement has written itself is all there is, and an element that it has deleted
 * has its place among them, as there: what is written is merged with a row alone. */
void seen_column_begin(struct seen_column *seen, uint32_t id, const struct row *stored);

/* written: as its operations have left it until now, in no order; it has grown since it was told before, and its cells stay where they are. Takes ctx's
 * memory where that changes what is stored. */
enum wr_status seen_column_follow(struct ctx *ctx, struct seen_column *seen, const struct row *written, uint32_t now_s);

/* Borrowed; i is below count. */
static inline const struct cell *seen_column_cell(const struct seen_column *seen, uint32_t i)
{
    return seen->cells ? seen->cells[i] : &seen->stored[i];
}

#endif
