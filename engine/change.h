/*
 * change.h - one row under the writer: load it, merge what is new, put it where it belongs now, and bring queue, large values,
 * indexes and hooks along.
 *
 * 1. After a change the stored state is that of all updates so far merged, in whatever order they came (row.h, cell.h), but for
 *    tombstones past their gc grace.
 * 2. A row of which something is alive is in TREE_ROWS, one of which nothing is in TREE_GRAVES; a static row, and the only row
 *    of a table without clustering, in the directory's entry either way.
 * 3. What an entry in TREE_ROWS says is not touched by what lies under the same key in TREE_GRAVES, or by a range or partition
 *    tombstone: readers need not look there.
 * 4. In a derived table a row of which nothing is alive is nowhere.
 */
#ifndef WR_ENGINE_CHANGE_H
#define WR_ENGINE_CHANGE_H

#include "engine/partition.h"

struct change {
    struct place *place;
    struct slice clustering;
    bool is_static;
    const struct row *update;  /* NULL: nothing new but `over` */
    struct deletion over;      /* partition and range tombstones over the row */
    bool late;                 /* something in update is not newer than all of the partition's graves, or what lies there matters anyway */
    bool whole;                /* over is new, too: look at every cell, also of spilled collections */
    bool visit;                /* by the sweep: nothing visible changes; whole, and the due second is found anew */
    bool replace;              /* update stands where the row stood, and NULL is no row: of derived tables */
};

enum wr_status change_row(struct ctx *ctx, struct txn *txn, const struct change *change);

/* Purges a row in the graveyard, or enters it in the queue for later. */
enum wr_status change_grave(struct ctx *ctx, struct txn *txn, struct place *place, struct slice clustering);

/* Nothing but live cells that stay in their row. */
bool row_is_plain(const struct row *row);

/* The least timestamp of anything in the row; INT64_MAX for an empty one. */
int64_t row_least_timestamp(const struct row *row);

/* The live cells of a stored row as a scan shows them, large values included, in ctx's memory; alive false: nothing. now_s 0:
 * as if nothing that a writer has not seen expired had. */
enum wr_status row_shown(struct ctx *ctx, struct txn *txn, const struct row *row, uint32_t now_s, struct row *out, bool *alive);

#endif
