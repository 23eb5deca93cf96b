/*
 * partition.h - a partition in a writer's hands, and what a writer remembers of hot ones. (Its entry in the directory: directory.h. Reading: scan.h.)
 *
 * 1. `tombstone_us` is at or above the timestamp of everything in the graveyard under this id: a later write need not look.
 * 2. What the writer remembers of a partition is what the transaction would read.
 * 3. An entry is in one half of the directory only. In the dead one nothing is alive of its row, and it has none in TREE_ROWS: readers need not look there. It
 * comes
 *    there when walks have stepped over many such entries in the living one (tidy.h), and leaves when something comes to life.
 */
#ifndef WR_ENGINE_PARTITION_H
#define WR_ENGINE_PARTITION_H

#include "engine/directory.h"
#include "engine/writer.h"

/* ---- the writer's memory of hot partitions ---- */

struct partition_cache;
enum wr_status partition_cache_new(struct ctx *ctx, struct partition_cache **out);
void partition_cache_free(struct partition_cache *cache); /* NULL is fine */
void partition_cache_clear(struct partition_cache *cache);
/* The entry at that place was removed, and not by place_remove (a longer key than a place has is never remembered). */
void partition_forget(const struct txn *txn, const struct directory_place *at);

/* ---- under the writer ---- */

enum half { HALF_NONE, HALF_LIVING, HALF_DEAD };

/* A partition in a writer's hands. */
struct place {
    const struct table_shape *table;
    struct slice key;
    struct entry entry;     /* id 0: it has none yet */
    enum half half;         /* where the entry is stored */
    struct cached_partition *slot; /* where it is remembered; NULL: nowhere */
    int64_t token;
    bool has_token;         /* it has been asked for */
    bool loaded;            /* entry.row and entry.key are there, in ctx's memory */
    bool changed;           /* to be put by place_close */
    bool has_row;           /* the stored entry has a row, loaded or not */
    bool lives;             /* something that is alive was put under it */
};

/* What is put off of its part of the tokens (backlog.h) is applied first. */
enum wr_status place_open(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice key,
                          struct place *out);
enum wr_status place_load(struct ctx *ctx, struct txn *txn, struct place *place);  /* entry.row can be read now */
enum wr_status place_touch(struct ctx *ctx, struct txn *txn, struct place *place); /* load it: it is about to be changed */
enum wr_status place_need_id(struct ctx *ctx, struct txn *txn, struct place *place); /* something is about to be put under it */
enum wr_status place_need_back(struct ctx *ctx, struct txn *txn, struct place *place);
/* tombstone_us is at least this from now on. */
enum wr_status place_raise(struct ctx *ctx, struct txn *txn, struct place *place, int64_t tombstone_us);
/* Puts what has changed. */
enum wr_status place_close(struct ctx *ctx, struct txn *txn, struct place *place);
/* The entry, of which nothing is alive, comes into the dead half. */
enum wr_status place_bury(struct ctx *ctx, struct txn *txn, struct place *place);
/* Removes the entry and the way back. */
enum wr_status place_remove(struct ctx *ctx, struct txn *txn, struct place *place);

/* Whether a tree has entries of the partition's id (RANGE_BIT with it: its range tombstones). */
enum wr_status partition_has_any(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, bool *any);

/* Due seconds, entered in the queue as they change (queue.h, 1). */
enum wr_status place_set_due(struct ctx *ctx, struct txn *txn, struct place *place, uint32_t due_s);

#endif
