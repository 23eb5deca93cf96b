/*
 * gather.h - many small writes in one transaction of LMDB, each of them safe as soon as it is acknowledged.
 *
 * A commit of LMDB writes every page it has touched, some six for one row, and a sync of it is two syncs (durability.h). So where writes
 * come one after the other, their transaction stays open. What each has written (journal.h) goes into a log; the pages are written once
 * for all of them. A session ends, and all is in the data file, before anybody reads what was acknowledged (but briefly, in that transaction
 * itself), syncs or writes in another way, when it has become long, and soon in any case.
 *
 * Mode full: the log is synced before a write is acknowledged, once for all who wait, and has every write since the last sync point:
 * after a loss of power they are done again on that. What is committed in another way is not in it, so the next session waits for a sync
 * point of that and begins a chain of its own (log.h). A half of the log is used again when a sync point has covered what it held; one
 * is asked for when a half is begun.
 *
 * The other modes: the log is in shared memory of a file, which outlives the process, and each session begins it anew. It counts only
 * where the data file still ends with the snapshot that the session began on: after a crash of the process, whose acknowledged writes it
 * then gives back, and not once LMDB has committed them. After a loss of power it counts where the last synced snapshot is that one.
 *
 * 1. After gather_commit a crash of the process loses nothing, in mode full a loss of power neither, and whoever reads afterwards sees it.
 * 2. In mode full nobody sees a write that a loss of power could still undo, as long as no sync has failed; behind that, what is committed is seen.
 * 3. A write that fails leaves nothing: LMDB's transaction is given up, and what the log holds is done again. Only of one whose sync has
 *    failed it cannot be said whether it is there when the database is opened again.
 * 4. Where the disk is nearly full nothing is gathered.
 * 5. A write that turns out long beside what is pending is given up, and done again in a transaction of its own: whoever has to see what is
 *    pending does not wait for it (engine_write_gathered).
 * 6. LMDB wants a transaction ended by the thread that began it, so a thread of gather's own does both (keeper.h).
 */
#ifndef WR_ENGINE_GATHER_H
#define WR_ENGINE_GATHER_H

#include "engine/durability.h"

struct gather;

/* durability NULL: in memory, and so is the log. What a log left by a crash holds has been given back before (recovery.h). */
enum wr_status gather_open(struct ctx *ctx, struct store *store, struct syncer *durability, const struct folder *folder,
                           const uint8_t database_id[DATABASE_ID_BYTES], struct gather **out);
void gather_close(struct gather *g); /* NULL is fine; before durability_close */

/* A write begins. *out NULL: this one is not to be gathered. Else it ends in this thread by gather_commit or txn_abort. */
enum wr_status gather_begin(struct ctx *ctx, struct gather *g, struct txn **out);
enum wr_status gather_commit(struct ctx *ctx, struct gather *g);

/* What is acknowledged is in the data file when it returns. Within a write of this thread: nothing. */
enum wr_status gather_flush(struct ctx *ctx, struct gather *g);

/* Told of every read before it begins, and then of the snapshot it has got, which in mode full may have to be synced first. */
enum wr_status gather_before_read(struct ctx *ctx, struct gather *g, bool brief);
enum wr_status gather_after_begin(struct ctx *ctx, struct gather *g, struct txn **txn); /* a failure has ended it */
/* Told of every write that was not gathered: what decides whether gathering pays. */
void gather_missed(struct gather *g);

/* For a brief read: the transaction that holds what is acknowledged, for this thread alone until txn_abort, with no cursor left open (mode full: what
 * others still wait for may be synced first). NULL: as any other read, since nothing is pending or so many have come for each write that a snapshot
 * of their own costs less. */
struct txn *gather_share(struct ctx *ctx, struct gather *g);

#endif
