/*
 * show.h - a stored row to what is shown of it (scan.h, promise 1): of its cells, those that lie elsewhere too, the ones that are alive and wanted.
 */
#ifndef WR_ENGINE_SHOW_H
#define WR_ENGINE_SHOW_H

#include "engine/rowcode.h"
#include "engine/scan.h"

/* What is wanted of rows, and where the shown cells are put together. */
struct viewer {
    const struct columns *columns; /* NULL: all */
    bool raw;                      /* tombstones, too */
    struct cells cells;
    struct arena *copies;      /* paths too long to be borrowed */
    struct wide_cursor *spill; /* made when first needed */
    uint64_t dead;             /* cells passed over, and rows of which there is nothing else to say */
};

/* Out of the way of the transaction's next write, into the viewer's copies (scan.h). */
enum wr_status show_keep(struct ctx *ctx, struct viewer *viewer, struct slice *bytes);

/* bytes: the row's code. *alive false: there is nothing to see (unless raw). *out borrows from the viewer and the transaction. */
enum wr_status show_row(struct ctx *ctx, struct txn *txn, struct viewer *viewer, const struct partition *partition, struct slice bytes,
                        struct row *out, bool *alive);

#endif
