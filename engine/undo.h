/*
 * undo.h - the pages of the last synced snapshot that later commits may write over, as they were.
 *
 * LMDB may use a page again once no snapshot that holds it is pinned. To keep the synced snapshot pinned until the next
 * sync point would cost a new page for each page a commit touches, some ten a commit: the file would grow, and all of
 * them would go to the disk. So the pin moves on between sync points, and what the synced snapshot loses by that is
 * saved here first: each page once, however often its place in the tree changes. After a loss of power the pages are
 * put back, then the meta page.
 *
 * Records, one behind the other from the start of the file; the first that is not sound, or of another slot, ends them:
 *     database id, 16 bytes | sequence of the slot in the sync file u64 | page number u64 | page | XXH3 of these u64
 *
 * 1. undo_save returns when the pages are on the disk; only then may the pin move.
 * 2. After a failure nothing more is saved until the next base (undo_is_ready is false), and the pin must stay.
 */
#ifndef WR_ENGINE_UNDO_H
#define WR_ENGINE_UNDO_H

#include "engine/pages.h"
#include "engine/syncfile.h"

struct undo;

enum wr_status undo_open(struct ctx *ctx, const struct folder *folder, struct undo **out);
void undo_close(struct undo *undo); /* NULL is fine */

/* The snapshot in the slot, which is pinned, is what there is to save from now on; what has been saved is worth
 * nothing. */
void undo_begin(struct ctx *ctx, struct undo *undo, const struct sync_slot *slot, const struct pin *pin);

/* Saves what of the base has been given up by the commits after number `after` that the pinned snapshot knows. */
enum wr_status undo_save(struct ctx *ctx, struct undo *undo, struct store *store, const struct pin *pin,
                         uint64_t after);

bool undo_is_ready(const struct undo *undo);
uint64_t undo_bytes(const struct undo *undo); /* saved since undo_begin */

/* After a loss of power: the pages saved for the slot, written to the data file where `apply`. *count: how many there
 * are. */
enum wr_status undo_restore(struct ctx *ctx, const struct folder *folder, int data_fd, const struct sync_slot *slot,
                            bool apply, uint64_t *count);

#endif
