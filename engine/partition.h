/*
 * partition.h - the directory: from a table, a token and a partition key to the partition's id and what belongs to it as a
 * whole; and back from the id to the key.
 *
 *     TREE_PARTITIONS   table id u64 | token u64, sign flipped | key, or its first PREFIX_BYTES and XXH3-128 of all of it
 *                       -> flags u8 | id varint | [deletion u64, made u32] | [graves u64] | [due u32]
 *                          | [key length varint, key] | row code (static row, or the only row)
 *                       1 << 63 | table id u64, and so on   -> the same, of a partition of which nothing is alive
 *                       0 u64 | partition id u64   -> the physical key above, of the living half
 *
 * Table ids begin at 1, so the way back lies in front of everything. It is written only where somebody goes it: from the queue's rows and ranges.
 * 1. Partitions come in order of (token, key); those of one token with keys above PREFIX_BYTES in some fixed order.
 * 2. `tombstone_us` is at or above the timestamp of everything in the graveyard under this id: a later write need not look.
 * 3. What the writer remembers of a partition is what the transaction would read.
 * 4. An entry is in one half only. In the dead one nothing is alive of its row, and it has none in TREE_ROWS: readers need not look there. It comes
 *    there when walks have stepped over many such entries in the living one (tidy.h), and leaves when something comes to life.
 */
#ifndef WR_ENGINE_PARTITION_H
#define WR_ENGINE_PARTITION_H

#include "engine/buf.h"
#include "engine/writer.h"

struct entry {
    uint64_t id;
    struct deletion deletion;
    int64_t tombstone_us;
    uint32_t due_s;
    bool has_back;    /* the way back from the id is written */
    struct slice key; /* where the physical key holds only a prefix; else null */
    struct slice row; /* row code; null without a row */
};

bool entry_decode(struct slice bytes, struct entry *out); /* slices borrow from bytes */
bool entry_has_graves(struct slice bytes);               /* whether there is, or was, anything in the graveyard under its id */
void entry_encode(struct buf *buf, const struct entry *entry);

struct directory_key {
    uint8_t bytes[STORE_KEY_MAX];
    size_t len;
};
struct slice directory_key(struct directory_key *out, uint64_t table_id, int64_t token, struct slice key); /* in the living half */
struct slice directory_key_bury(struct directory_key *key); /* the same in the dead one */

#define DEAD_HALF (UINT64_C(1) << 63) /* of the table id at a physical key's beginning */

/* The parts of a physical key; key is a prefix where the entry has its own. false: not one of a partition. */
struct directory_place {
    uint64_t table_id;
    bool is_dead; /* in that half */
    int64_t token;
    struct slice key;
};
bool directory_key_parse(struct slice physical, struct directory_place *out);

/* The same of a QUEUE_PARTITION, in the living half; false: it is none. */
struct queue_item;
bool directory_key_of_item(struct directory_key *out, const struct queue_item *item);

/* The physical key of a partition by its id; null: no way back is written (or the partition is gone). */
enum wr_status partition_back(struct ctx *ctx, struct txn *txn, uint64_t id, struct slice *out);

/* The entry that a physical key of the living half leads to, in whichever half it lies; null: there is none. */
enum wr_status directory_get(struct ctx *ctx, struct txn *txn, struct slice physical, struct slice *bytes);

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
