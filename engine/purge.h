/*
 * purge.h - the sweep: visits what the queue says is due, a bounded number of things at a time. (engine.h has engine_sweep,
 * txn_forget_table and txn_forget_index.)
 *
 * 1. What is visible at ctx->now_s does not change by it, nor what will be visible after any later write, but for writes older
 *    than a tombstone that has outlived its gc grace.
 * 2. Expired cells are emptied; rows of which nothing is alive move to the graveyard; tombstones past their grace are removed,
 *    and with the last of them the partition's entry.
 * 3. Nothing is read where nothing is due: the writer remembers when that will be.
 * 4. Forgotten tables and indexes are reclaimed first.
 * 5. Of a partition of which rows are put off (backlog.h) nothing is purged before they are applied; engine_sweep applies them where no more come.
 */
#ifndef WR_ENGINE_PURGE_H
#define WR_ENGINE_PURGE_H

#include "engine/engine.h"
#include "engine/partition.h"

/* Up to max visits of what is due now. */
enum wr_status purge_some(struct ctx *ctx, struct txn *txn, uint32_t max);

/* Puts the partition's entry, or removes it where nothing of the partition is left. */
enum wr_status purge_close(struct ctx *ctx, struct txn *txn, struct place *place);

/* txn_forget_table and txn_forget_index are undone. Nothing has been purged since. */
enum wr_status purge_recall_table(struct ctx *ctx, struct txn *txn, uint64_t table_id);
enum wr_status purge_recall_index(struct ctx *ctx, struct txn *txn, uint64_t index_id);

/* A read has stepped over a row that has expired; after many of them the sweep hook is called (engine.h). */
void purge_passed(struct txn *txn);

#endif
