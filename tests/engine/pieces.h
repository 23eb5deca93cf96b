/* Entries of one id, by their numbers, and of that id alone: for tests of the chunks they come to lie in. */
#ifndef WR_TESTS_PIECES_H
#define WR_TESTS_PIECES_H

#include "engine/pack.h"
#include "tests/engine/database.h"

enum { ONE_ID = 7, SMALL = 100 };

static inline struct slice piece_key(uint8_t key[12], int n) /* below 0: the id alone, which its first chunk begins with */
{
    put_u64(key, ONE_ID);
    if (n >= 0)
        put_u32(key + 8, (uint32_t)n);
    return slice_of(key, n < 0 ? 8 : 12);
}

static inline void put_piece(struct ctx *ctx, struct txn *txn, int n, size_t len)
{
    static uint8_t value[CHUNK_BYTES];
    uint8_t key[12];

    memset(value, n, len);
    OK(ctx, store_put(ctx, txn, TREE_ROWS, piece_key(key, n), slice_of(value, len)));
}

#endif
