/*
 * tombstones.h - what a reader who merges when reading, as Cassandra's does, would have met in a partition beside its rows
 * (ReadCommand.withMetricsRecording): each tombstone of a cell, each cell that has expired, each row of which nothing but a deletion is left,
 * each bound of a range tombstone. Our readers meet none of them; this is for telling a user what his query would cost there.
 */
#ifndef WR_ENGINE_TOMBSTONES_H
#define WR_ENGINE_TOMBSTONES_H

#include "engine/scan.h"

struct met {
    uint64_t live_rows, tombstones;
};

struct stretch { /* of a partition that a scan has come through: the range (comparable bytes), in its direction up to the row at `last`; null: all of it */
    struct range range;
    struct slice last;
    bool reversed;
};

/* In the graveyard, of what was read. Adds to *count, and stops where that is more than `most`. What is dead among the rows a scan tells itself
 * (scan_take_dead). */
enum wr_status tombstones_buried(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct stretch read, uint64_t most, uint64_t *count);

/* The static row, or the row of a table without clustering columns. Adds to *met. */
enum wr_status tombstones_in_entry(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct met *met);
/* A row by its clustering, which a table may be without. */
enum wr_status tombstones_in_row(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering, struct met *met);

#endif
