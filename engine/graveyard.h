/*
 * graveyard.h - tombstones kept apart from the rows until gc grace has passed. Writers ask it, readers do not: what a tombstone
 * covers has been removed from the rows when the tombstone was written, and a late write is held against it here.
 *
 *     TREE_GRAVES   wide entries, id = partition id             bytes = clustering  -> row code: nothing of the row is alive
 *                   wide entries, id = 1 << 63 | partition id   bytes = start       -> timestamp u64 | made u32 | due u32
 *                                                                                      | 0, or 1 and the end's bytes
 *
 * 1. Range tombstones of a partition do not overlap: where two did, the greater deletion of the two stands.
 * 2. Ranges are half open and may be without an end (struct range).
 */
#ifndef WR_ENGINE_GRAVEYARD_H
#define WR_ENGINE_GRAVEYARD_H

#include "engine/partition.h"

#define RANGE_BIT (UINT64_C(1) << 63)

/* The last second in which a tombstone made at local_s must still be held; it may be purged when now_s is beyond. */
static inline uint32_t grace_end(uint32_t local_s, uint32_t gc_grace_s)
{
    return local_s > UINT32_MAX - 1 - gc_grace_s ? UINT32_MAX - 1 : local_s + gc_grace_s;
}

struct tombstone_range {
    struct range range;
    struct deletion deletion;
    uint32_t due_s;
};

/* Lays a tombstone over the range; the rows in it are the caller's to change. */
enum wr_status graveyard_put_range(struct ctx *ctx, struct txn *txn, struct place *place, const struct range_deletion *range);

/* The range tombstone over a clustering; DELETION_NONE without one. The cursor is the caller's, and not open: a writer's own in a write alone. */
enum wr_status graveyard_covering(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, uint64_t partition_id,
                                  struct slice clustering, struct deletion *out);

/* The range tombstone that begins at start; *found false: none. */
enum wr_status graveyard_get_range(struct ctx *ctx, struct txn *txn, uint64_t partition_id, struct slice start,
                                   struct tombstone_range *out, bool *found);
enum wr_status graveyard_remove_range(struct ctx *ctx, struct txn *txn, uint64_t partition_id,
                                      const struct tombstone_range *range);
/* Enters it in the queue anew, under its second of now. */
enum wr_status graveyard_requeue_range(struct ctx *ctx, struct txn *txn, const struct place *place,
                                       const struct tombstone_range *range);

/* The partition's range tombstones that meet `range`, in order, in ctx's memory. Any transaction. */
enum wr_status graveyard_ranges(struct ctx *ctx, struct txn *txn, uint64_t partition_id, struct range range,
                                struct tombstone_range **out, size_t *count);

/* The same one by one: fn may take *more away. Its bytes borrow from the transaction, but for the start's, from the cursor, which is the caller's
 * and not open. */
typedef enum wr_status tombstone_range_fn(struct ctx *ctx, void *arg, const struct tombstone_range *range, bool *more);
enum wr_status graveyard_each_range(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, uint64_t partition_id, struct range range,
                                    tombstone_range_fn *fn, void *arg);

/* A range tombstone's bytes; start is the key. false: damaged. */
bool graveyard_decode_range(struct slice start, struct slice value, struct tombstone_range *out);

#endif
