/*
 * directory.h - the directory's entries and their keys, as bytes: from a table, a token and a partition key to the partition's id and what belongs to it as a
 * whole; and back from the id to the key. (Who reads and writes them: partition.h.)
 *
 *     TREE_PARTITIONS   table id u64 | token u64, sign flipped | key, or its beginning and XXH3-128 of all of it
 *                       -> flags u8 | id varint | [deletion u64, made u32] | [graves u64] | [due u32]
 *                          | [key length varint, key] | row code (static row, or the only row)
 *                       1 << 63 | table id u64, and so on   -> the same, of a partition of which nothing is alive
 *                       0 u64 | partition id u64   -> the physical key above, of the living half
 *
 * Table ids begin at 1, so the way back lies in front of everything. It is written only where somebody goes it: from the queue's rows and ranges.
 * 1. Partitions come in order of (token, key); those of one token with long keys in some fixed order.
 */
#ifndef WR_ENGINE_DIRECTORY_H
#define WR_ENGINE_DIRECTORY_H

#include "engine/buf.h"
#include "engine/coding.h"
#include "engine/deletion.h"
#include "engine/hash.h"
#include "engine/store.h"
#include "engine/token.h"

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

enum { DIRECTORY_PREFIX_BYTES = 16 }; /* table id and token, which nearly always tell partitions apart */
static inline void directory_prefix(uint8_t out[DIRECTORY_PREFIX_BYTES], uint64_t table_id, int64_t token)
{
    put_u64(out, table_id);
    put_u64(out + ID_BYTES, token_order(token));
}

/* Whether a physical key has all of it; else the entry has. One as long as its beginning and a hash would be taken for these. */
static inline bool directory_key_is_whole(struct slice key)
{
    return key.len < STORE_KEY_MAX - DIRECTORY_PREFIX_BYTES;
}

struct directory_key {
    uint8_t bytes[STORE_KEY_MAX];
    size_t len;
};
struct slice directory_key_of_long(struct directory_key *out, struct slice key); /* behind the prefix; of one that is not whole */

/* In the living half. */
static inline struct slice directory_key(struct directory_key *out, uint64_t table_id, int64_t token, struct slice key)
{
    directory_prefix(out->bytes, table_id, token);
    if (!directory_key_is_whole(key))
        return directory_key_of_long(out, key);
    if (key.len)
        memcpy(out->bytes + DIRECTORY_PREFIX_BYTES, key.data, key.len);
    out->len = DIRECTORY_PREFIX_BYTES + key.len;
    return slice_of(out->bytes, out->len);
}
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

/* Where the way back from an id lies, and what lies there: the partition's physical key; null: none is written (or the partition is gone). */
struct slice directory_back_key(struct directory_key *out, uint64_t id);
bool directory_back_read(struct slice physical, uint64_t *id); /* false: it is a partition's own key */
enum wr_status directory_back(struct ctx *ctx, struct txn *txn, uint64_t id, struct slice *out);

/* The entry that a physical key of the living half leads to, in whichever half it lies; null: there is none. */
enum wr_status directory_get(struct ctx *ctx, struct txn *txn, struct slice physical, struct slice *bytes);

#endif
