/*
 * recovery.h - what a log left by a crash or a loss of power gives back (log.h).
 */
#ifndef WR_ENGINE_RECOVERY_H
#define WR_ENGINE_RECOVERY_H

#include "engine/durability.h"
#include "engine/log.h"

/* Does again, in one commit that is synced, what the log has and the data file has not; then the log is worth nothing. Killed or without
 * power in the middle of it, it does the same once more: the same changes in the same order lead to the same state. */
enum wr_status recovery_run(struct ctx *ctx, struct store *store, struct syncer *durability, const struct folder *folder,
                            const uint8_t database_id[DATABASE_ID_BYTES]);

/* Read-only: WR_BUSY where there is something to give back, and nobody who has the database open for writing goes on with it. */
enum wr_status recovery_check(struct ctx *ctx, struct store *store, const struct folder *folder,
                              const uint8_t database_id[DATABASE_ID_BYTES]);

/* Does the records of a walk, to its end. */
enum wr_status recovery_replay(struct ctx *ctx, struct txn *txn, struct log_walk walk);

#endif
