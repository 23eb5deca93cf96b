/* Entries of any length in a tree that is not of chunks, some of which have pages of their own; and damage to a copy of its pages. For tests of what reads
 * LMDB's pages. */
#ifndef WR_TESTS_ENTRIES_H
#define WR_TESTS_ENTRIES_H

#include <unistd.h>

#include "engine/coding.h"
#include "engine/look.h"
#include "tests/engine/database.h"

enum { PIECE_MOST = STORE_KEY_MAX - ID_BYTES, VALUE_MOST = 12000 };

static inline struct slice some_key(uint64_t *seed, uint64_t ids, uint8_t key[STORE_KEY_MAX])
{
    static const size_t lengths[] = { 0, 1, 4, 20, 200, PIECE_MOST };
    size_t len = lengths[random_below(seed, sizeof lengths / sizeof *lengths)];

    put_u64(key, 1 + 2 * random_below(seed, ids)); /* some between are nobody's */
    for (size_t i = 0; i < len; i++)
        key[ID_BYTES + i] = (uint8_t)random_below(seed, 3);
    return slice_of(key, ID_BYTES + len);
}

static inline void fill(struct database *db, uint64_t *seed, uint32_t entries, uint64_t ids)
{
    static uint8_t value[VALUE_MOST];
    uint8_t key[STORE_KEY_MAX];
    struct txn *txn = NULL;

    OK(&db->ctx, txn_begin_write(&db->ctx, db->engine, &txn));
    for (uint32_t i = 0; i < entries; i++) {
        memset(value, (int)i, sizeof value);
        size_t len = random_below(seed, 50) ? random_below(seed, 60) : random_below(seed, VALUE_MOST);
        OK(&db->ctx, store_put(&db->ctx, txn, TREE_GRAVES, some_key(seed, ids, key), slice_of(value, len)));
    }
    for (uint32_t i = 0; i < entries / 4; i++) /* so that leaves begin behind what leads to them */
        OK(&db->ctx, store_delete(&db->ctx, txn, TREE_GRAVES, some_key(seed, ids, key)));
    OK(&db->ctx, txn_commit(&db->ctx, &txn));
}

static inline void spoil_pages(uint8_t *map, uint64_t pages, uint64_t *seed) /* mostly where heads and places are */
{
    for (int i = 0; i < 20; i++) {
        size_t page = random_below(seed, pages), at = random_below(seed, random_below(seed, 3) ? 64 : DATA_PAGE_BYTES);
        map[page * DATA_PAGE_BYTES + at] = (uint8_t)random_next(seed);
    }
}

/* In the file, at what a read has found in the map. */
static inline void overwrite(struct txn *txn, const void *at, const void *bytes, size_t len)
{
    const struct store *store = txn->store;
    assert_int_equal(pwrite(store_fd(txn->store), bytes, len, (const uint8_t *)at - store->map_at), len);
}

static inline bool lies_in(struct slice bytes, const uint8_t *from, size_t len)
{
    return bytes.data >= from && bytes.data <= from + len && bytes.len <= len - (size_t)(bytes.data - from);
}

#endif
