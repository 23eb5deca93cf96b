/*
 * row.h - the cells of one clustering (or of a partition's static row), in memory: as a mutation brings them, as a stored row
 * holds them, or as a scan shows the live ones.
 *
 * 1. cells are in order of (column, path), no two of one place; complex in order of column.
 * 2. row_merge of rows that satisfy 1 satisfies 1, and no cell in it is covered by the deletion of its row or column.
 * 3. A row is alive when its marker is, or any cell is (Row.hasLiveData).
 */
#ifndef WR_ENGINE_ROW_H
#define WR_ENGINE_ROW_H

#include "engine/cell.h"
#include "engine/ctx.h"
#include "engine/deletion.h"

/* A complex column's own tombstone: `m = {...}` and `DELETE m`. */
struct complex_deletion {
    uint32_t column;
    struct deletion deletion;
};

struct row {
    struct liveness liveness; /* LIVENESS_NONE without a marker */
    struct deletion deletion; /* of the row alone; a partition's and a range's are not repeated here */
    struct slice annex;       /* the model's own bytes beside the row (keys whose comparable form loses something); may be null,
                                 which says something, too; of two rows that are not empty the first one's stays */
    struct complex_deletion *complex;
    struct cell *cells;
    uint32_t complex_count, cell_count;
};

#define ROW_NONE ((struct row){ .liveness = LIVENESS_NONE, .deletion = DELETION_NONE })

/* Both by these orders; duplicates of one place are reconciled, but increments of one counter stay side by side until row_merge
 * adds them up, and those that the row's own deletion covers are dropped (counter.h, 2 is for what was there before). Sorts in
 * place. For builders of mutations. */
void row_normalize(struct row *row);

/* a and b as one; the arrays of *out are new and in ctx's memory, the bytes borrowed from a and b. `over` is what else covers
 * the row (partition and range tombstones): it removes, but is not kept. Counter increments of b are added to totals of a
 * (counter.h). */
enum wr_status row_merge(struct ctx *ctx, const struct row *a, const struct row *b, struct deletion over, struct row *out);

bool row_is_alive(const struct row *row, uint32_t now_s);
bool row_is_empty(const struct row *row); /* nothing at all: neither cells nor tombstones nor a marker */

/* The cells of a column: *n of them from the pointer returned; NULL and 0 where there are none. Binary search. */
const struct cell *row_find(const struct row *row, uint32_t column, uint32_t *n);

/* The deletion of a complex column, DELETION_NONE without one. */
struct deletion row_complex_deletion(const struct row *row, uint32_t column);

#endif
