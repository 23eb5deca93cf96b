/*
 * pack_store.h - chunks for the rooms of the store: their entries looked for, put and deleted, with LMDB's answers. (For those above: pack.h.)
 */
#ifndef WR_ENGINE_PACK_STORE_H
#define WR_ENGINE_PACK_STORE_H

#include "engine/environment.h"

/* ---- entries: mdb_get, mdb_put (MDB_NOOVERWRITE, MDB_RESERVE) and mdb_del of a tree of chunks (pack.c, pack_write.c, pack_delete.c) ---- */

int pack_get(struct txn *txn, enum tree tree, struct slice key, MDB_val *value);
int pack_get_some(struct txn *txn, enum tree tree, struct wanted_entry *wanted, uint32_t count); /* store_get_some */
int pack_put(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags);
int pack_delete(struct txn *txn, enum tree tree, struct slice key);

/* store_sift, a chunk at a time: from the place on, and the place moves on. */
struct sift_place {
    uint8_t key[STORE_KEY_MAX]; /* id and piece */
    size_t len;
    bool behind; /* it is behind the key's entry */
    bool done;   /* no more entries */
};
int pack_sift(struct txn *txn, enum tree tree, struct slice end, struct sieve *sieve, struct sift_place *place);

/* ---- their chunks ---- */

static inline uint64_t pack_id(MDB_val chunk_key) /* 0: it has none */
{
    return chunk_key.mv_size >= ID_BYTES ? read_u64(chunk_key.mv_data) : 0;
}

static inline struct slice pack_piece(struct slice key) /* behind the id */
{
    return slice_skip(key, ID_BYTES);
}

/* In a write, to the chunk that has the key's entry if there is one; MDB_NOTFOUND: none of its id begins at or before it. */
int pack_find(struct txn *txn, enum tree tree, MDB_cursor *cursor, struct slice key, struct found *out);
int pack_find_by(struct cursor *c, struct slice key, struct found *out); /* the same with any cursor; is_last is not told */

/* As pack_find, with the place in it (chunk_find), by the transaction's finder, whose *out and *cursor are: it stands at the chunk. */
int pack_look(struct txn *txn, enum tree tree, struct slice key, MDB_cursor **cursor, const struct found **out, uint32_t *at, bool *exact);
void pack_stay(struct txn *txn, MDB_cursor *cursor, MDB_val chunk, bool is_last); /* LMDB has put that cursor's chunk there: it will be looked for there */

/* In a write: whether the key's entry is in the last chunk of its id if anywhere, and that one known (own.h); as chunk_find does. */
bool pack_in_last(struct txn *txn, struct slice key, struct chunk *out, uint32_t *at, bool *exact);

void pack_fetch(struct slice chunk, bool back); /* its head, and where the entries lie that are read first if they were written in their order, will be asked for */

#endif
