/*
 * gather.h - many small writes in one transaction of LMDB, each of them safe as soon as it is acknowledged.
 *
 * A commit of LMDB writes every page it has touched, some six for one row. So where writes come one after the other and nobody reads
 * in between, their transaction stays open. What each has written (journal.h) goes into a log in shared memory of a file, which
 * outlives the process; the pages are written once for all of them. It ends, and all is in the data file, before anybody
 * reads, syncs or writes in another way, when the log is full, and soon in any case.
 *
 * The log (log.h) counts only where the data file still ends with the snapshot that the session began on: after a crash of the process,
 * whose acknowledged writes it then gives back, and not once LMDB has committed them. After a loss of power it counts where the last
 * synced snapshot is that one; its records are taken as far as they are sound, in their order.
 *
 * 1. After gather_commit a crash of the process loses nothing, and whoever reads afterwards sees it.
 * 2. A write that fails leaves nothing: LMDB's transaction is given up, and what the log holds is done again.
 * 3. Where the disk is nearly full, or another mode promises more (durability full), nothing is gathered.
 * 4. LMDB wants a transaction ended by the thread that began it, so a thread of gather's own does both.
 */
#ifndef WR_ENGINE_GATHER_H
#define WR_ENGINE_GATHER_H

#include "engine/durability.h"

struct gather;

/* durability NULL: in memory, and so is the log. Gives back what a log left by a crash holds. */
enum wr_status gather_open(struct ctx *ctx, struct store *store, struct syncer *durability, const struct folder *folder,
                           const uint8_t database_id[DATABASE_ID_BYTES], struct gather **out);
void gather_close(struct gather *g); /* NULL is fine; before durability_close */

/* Read-only: WR_BUSY where a crash has left a log that counts, and nobody who has the database open for writing goes on with it. */
enum wr_status gather_check_log(struct ctx *ctx, struct store *store, const struct folder *folder,
                                const uint8_t database_id[DATABASE_ID_BYTES]);

/* A write begins. *out NULL: this one is not to be gathered. Else it ends in this thread by gather_commit or txn_abort. */
enum wr_status gather_begin(struct ctx *ctx, struct gather *g, struct txn **out);
enum wr_status gather_commit(struct ctx *ctx, struct gather *g);

/* What is acknowledged is in the data file when it returns. Within a write of this thread: nothing. */
enum wr_status gather_flush(struct ctx *ctx, struct gather *g);

/* Told of every read before it begins, and of every write that was not gathered: what decides whether gathering pays. */
enum wr_status gather_before_read(struct ctx *ctx, struct gather *g);
void gather_missed(struct gather *g);

/* So many writes in a row without a read make the next ones gathered. Tests set it; INT_MAX: never. */
extern int gather_after;

#endif
