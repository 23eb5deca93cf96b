/*
 * durability.h - when what has been committed is made to outlive the machine, and at what price.
 *
 * One mechanism for all modes, the sync point: pin a read transaction on the newest snapshot, sync the data file, put that
 * snapshot's meta page into the sync file (syncfile.h) and sync it, let go of the snapshot pinned before. While a snapshot is
 * pinned LMDB does not use its pages again, so whatever later commits leave half-written, the pinned snapshot is on the disk.
 *
 * 1. full: a commit returns when a sync point has covered it; one thread syncs for all that wait. What a synced log has (gather.h) needs no
 *    sync point, only one every now and then, so that the log does not grow and the pin does not keep too much: a thread of the
 *    database's own makes those.
 * 2. periodic: a sync point an interval after the first commit that needs one, made by a thread of the database's own. In
 *    between the pin moves on whenever it keeps much from being used again, and undo.h keeps what that costs the synced
 *    snapshot. After a loss of power the database is what it was at the last sync point; after a crash of the process nothing
 *    is missing.
 * 3. none: only durability_sync and closing sync. Nothing is pinned in between, and the sync file says so.
 * 4. After a sync has failed nothing more is written: the kernel may have dropped what it could not write, and no later sync
 *    would tell.
 */
#ifndef WR_ENGINE_DURABILITY_H
#define WR_ENGINE_DURABILITY_H

#include "engine/pages.h"
#include "engine/syncfile.h"

struct syncer;

/* slot: as syncfile_recover has found it. What the last process left unsynced is synced now. */
enum wr_status durability_open(struct ctx *ctx, struct store *store, const struct folder *folder,
                               const struct sync_slot *slot, enum durability mode, uint32_t interval_ms,
                               struct syncer **out);
void durability_stop(struct syncer *d);  /* NULL is fine; its thread, which asks gather for the turn: before gather_close. Nobody commits any more */
void durability_close(struct syncer *d); /* NULL is fine; a last sync point */

/* Under the writer's lock, before the first change of each transaction. */
enum wr_status durability_begin(struct ctx *ctx, struct syncer *d);

/* After a commit, without the writer's lock. */
enum wr_status durability_committed(struct ctx *ctx, struct syncer *d, uint64_t commit_id);

/* The same in its parts, for gather.h: that there will be a commit, from which the interval counts as from one; taking note of a commit,
 * which never waits; waiting for what the mode promises of it; waiting where the pin keeps too much from being used again. */
void durability_expect(struct syncer *d);
void durability_note(struct ctx *ctx, struct syncer *d, uint64_t commit_id);
enum wr_status durability_wait(struct ctx *ctx, struct syncer *d, uint64_t commit_id);
void durability_pace(struct syncer *d);

bool durability_is_full(const struct syncer *d);
unsigned durability_patience(const struct syncer *d); /* how many times the default interval of periodic lies between sync points, 40 at most; 1: less than two, or another mode */
bool durability_has(const struct syncer *d, uint64_t commit_id); /* a sync point has covered that snapshot */
/* Until it has, making one where nobody does. */
enum wr_status durability_reach(struct ctx *ctx, struct syncer *d, uint64_t commit_id);
void durability_hurry(struct syncer *d); /* a sync point soon, by the thread; modes periodic and full */

enum wr_status durability_check(struct ctx *ctx, struct syncer *d); /* WR_IO where a sync has failed */
void durability_fail(struct syncer *d);                             /* the same for a sync that was another's: no more is written */

/* A sync point now, in every mode. Waits for the writer. */
enum wr_status durability_sync(struct ctx *ctx, struct syncer *d);

/* The sync points made so far, and the oldest snapshot kept; 0: none. */
void durability_figures(struct syncer *d, uint64_t *syncs, uint64_t *pinned_id);

#endif
