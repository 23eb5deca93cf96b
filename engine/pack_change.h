/*
 * pack_change.h - what putting entries into chunks and deleting them share: chunks in a copy, and where LMDB keeps them. For pack_write.c and pack_delete.c.
 *
 * Functions give LMDB's codes. A chunk is changed in a copy and put back under its key, or laid out anew, in as many chunks as its entries want; or, where
 * the transaction has written it before (own.h), where it lies.
 */
#ifndef WR_ENGINE_PACK_CHANGE_H
#define WR_ENGINE_PACK_CHANGE_H

#include "engine/pack.h"
#include "engine/pack_store.h"

enum {
    SMALL_BYTES = 1400, /* so that LMDB keeps it within a page of others, whatever its key is */
    ITEMS_MAX = CHUNK_BYTES / 4 + 1, /* a chunk's smallest, and a new one */
    NO_ENTRY = ITEMS_MAX,
    CHUNK_LEAST = 4, /* of which less than this part is alive is put together anew */
};

/* A chunk that is to be changed, out of the way of LMDB's own moves. */
struct chunk_copy {
    struct chunk chunk;
    uint8_t key[STORE_KEY_MAX];
    size_t key_len;
    uint8_t *heap; /* of a chunk of one large entry; NULL: it is in bytes */
    uint8_t bytes[CHUNK_BYTES];
};

int pack_take(struct chunk_copy *old, MDB_val key, const struct chunk *chunk); /* old->heap is the caller's to free */
/* The copy, to where the cursor stands, at its chunk; *where: where that is. */
int pack_put_back(struct txn *txn, MDB_cursor *cursor, const struct chunk_copy *old, bool is_last, uint8_t **where);

/* Entries that are to lie in chunks anew, in their order. */
struct sequence {
    uint32_t count, entry; /* entry: the new one's place; NO_ENTRY: none */
    bool as_it_was;        /* but for the new one, the first part is what lies there */
    bool is_last;          /* nothing of the id is behind them */
    struct {
        struct slice key, value; /* the new one's value is null where its room is to be filled by who asked for it */
    } items[ITEMS_MAX];
    uint8_t *room; /* where the new one's value has come to lie */
};

/* Of no item so far. Not {0}: it has room for many. */
static inline void pack_begin_sequence(struct sequence *s, uint32_t entry, bool as_it_was, bool is_last)
{
    s->count = 0;
    s->entry = entry;
    s->as_it_was = as_it_was;
    s->is_last = is_last;
}

bool pack_take_items(struct sequence *s, const struct chunk *chunk); /* behind those it has; false: damaged */
/* A sequence's items in chunks, of which the first has the key `first`. */
int pack_lay_anew(struct txn *txn, enum tree tree, struct slice first, struct sequence *s);

/* Whether the chunk may be changed where it lies; its bytes, then. */
static inline bool pack_is_own(const struct txn *txn, const struct found *found)
{
    return own_has(txn->own, &found->chunk) && found->key.mv_size <= STORE_KEY_MAX;
}

int pack_take_own(struct txn *txn, MDB_cursor *cursor, const struct found *found, uint8_t **bytes);

#endif
