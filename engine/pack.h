/*
 * pack.h - entries of a tree in chunks: many of one id in one entry of LMDB.
 *
 *     physical key:  id u64 | bound  -> chunk (chunk.h): the id's entries from the bound on, up to the next chunk's
 *
 * An entry costs a few bytes beside its own, one move of LMDB's gives forty rows of a page, and what is written in the order of its keys
 * leaves chunks behind that are full. store_get, store_put, store_insert, store_reserve and store_delete do as with any other tree;
 * here is the cursor.
 *
 * 1. A chunk has an entry at least. An id's first chunk may have any bound that is not behind its first entry.
 * 2. A chunk of one entry, or of few, is as large as they are; from SMALL_BYTES on it is CHUNK_BYTES, a page of LMDB's own.
 * 3. Two neighbours of an id of which one is less than a quarter full are put together, where it was made so by deleting.
 */
#ifndef WR_ENGINE_PACK_H
#define WR_ENGINE_PACK_H

#include "engine/chunk.h"
#include "engine/known_chunk.h"
#include "engine/store.h"

/* Over all ids of a tree, be it of chunks or not. A small struct its owner keeps, {0} before the first use. In a write transaction it finds its way when the
 * tree was written to since it moved: the next entry is the next behind the one it gave, be that still there or not. */
struct pack_cursor {
    struct cursor cursor;
    struct chunk chunk; /* of no entry: none, or the tree is not of chunks */
    uint64_t id;
    uint32_t at;      /* in the chunk */
    bool follows;     /* in a transaction that is written to meanwhile */
    bool alone;       /* the chunk is all that its id has, and was given (pack_enter): `cursor` stands elsewhere */
    bool is_last;     /* PACK_APART: of its id */
    enum pack_ahead {
        PACK_HERE,
        PACK_BEFORE, /* `cursor` is at the chunk before this one, as ahead_key and ahead_value are */
        PACK_BEHIND,
        PACK_APART,  /* `cursor` stands elsewhere: the chunk, whose key is ahead_key, was given */
        PACK_LOST,   /* it may be anywhere: a page on the way is damaged */
    } ahead;
    struct slice ahead_key, ahead_value;
    uint32_t changes; /* the transaction's, when it came here */
    size_t key_len;
    uint8_t key[STORE_KEY_MAX]; /* where it follows: of the entry it gave */
};

/* What a move arrives at; id 0, a null piece: there is none, and the cursor stands nowhere. */
struct packed {
    uint64_t id;
    struct slice piece, value; /* piece: the key behind the id */
};

enum wr_status pack_open(struct ctx *ctx, struct pack_cursor *c, struct txn *txn, enum tree tree);
void pack_close(struct pack_cursor *c); /* before the transaction ends; closed already is fine */
enum wr_status pack_seek(struct ctx *ctx, struct pack_cursor *c, struct slice key, struct packed *out); /* first >= key */
enum wr_status pack_seek_before(struct ctx *ctx, struct pack_cursor *c, struct slice key, struct packed *out); /* last < key */
enum wr_status pack_remove(struct ctx *ctx, struct pack_cursor *c); /* the entry it gave last */

/* In a read, of ids the first chunk that each has, or the last, where that is soon told. For some at once, which wait for memory together. */
void pack_expect(struct txn *txn, enum tree tree, const uint64_t *ids, uint32_t count, bool last, struct known_chunk *chunks);
/* Into such a chunk, for who seeks that end of the id next. Of one that is alone whoever asks for the id's entries alone is told of no others. Until
 * pack_leave, or another id is sought. False: it is damaged, and the cursor has not moved. */
bool pack_enter(struct pack_cursor *c, uint64_t id, const struct known_chunk *chunk);
static inline void pack_leave(struct pack_cursor *c)
{
    c->alone = false;
    c->ahead = c->ahead == PACK_APART ? PACK_HERE : c->ahead;
}

/* All entries of an id, in order; fn may not write. In a file that memory has no room for (readahead.h) all of its chunks are asked for before the
 * first is waited for. An entry that leads to a layer is given as any other. */
typedef enum wr_status pack_fn(struct ctx *ctx, void *arg, struct slice piece, struct slice value);
enum wr_status pack_each(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, pack_fn *fn, void *arg);

/* To a neighbour that is not in the chunk, or to be looked for. */
enum wr_status pack_next_far(struct ctx *ctx, struct pack_cursor *c, struct packed *out);
enum wr_status pack_prev_far(struct ctx *ctx, struct pack_cursor *c, struct packed *out);

/* All of this chunk's entries will be read, and some behind them, or before: has the memory those lie in fetched meanwhile. In a read. */
void pack_look_ahead(struct pack_cursor *c, bool back);

/* Whether the chunk's entries may be read one after the other: nothing stands in the way. */
static inline bool pack_is_free(const struct pack_cursor *c)
{
    return !c->follows && !store_may_fail();
}

/* The next entry, or the one before, where it lies in the same chunk, nothing stands in the way, and its key is not as long as can be; else
 * false, and the cursor has not moved. */
static inline bool pack_within(struct pack_cursor *c, bool back, struct slice *piece, struct slice *value)
{
    uint32_t at = back ? c->at - 1 : c->at + 1; /* before the first: beyond every count */
    if (at >= c->chunk.count || !pack_is_free(c) || !chunk_entry(&c->chunk, at, piece, value) ||
        piece->len == CHUNK_KEY_MAX)
        return false;
    c->at = at;
    return true;
}

static inline enum wr_status pack_next(struct ctx *ctx, struct pack_cursor *c, struct packed *out)
{
    out->id = c->id;
    return pack_within(c, false, &out->piece, &out->value) ? WR_OK : pack_next_far(ctx, c, out);
}

static inline enum wr_status pack_prev(struct ctx *ctx, struct pack_cursor *c, struct packed *out)
{
    out->id = c->id;
    return pack_within(c, true, &out->piece, &out->value) ? WR_OK : pack_prev_far(ctx, c, out);
}

#endif
