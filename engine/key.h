/*
 * key.h - ordered entries [id][any bytes up to WIDE_BYTES_MAX] over LMDB's 511-byte keys.
 *
 * An id's entries are in unsigned byte order of their bytes. What does not fit in one physical key goes on in a deeper layer:
 * the entry of its first bytes holds the id of a layer in which the rest is the key, a trie of B-trees. Nobody above sees it.
 *     physical key:  id u64 | bytes (fewer than 503)      -> value, as given
 *                    id u64 | the first 503 bytes         -> layer id u64
 * 1. Order, lookup and seeks are as if the keys were not limited. 2. A layer without entries is removed.
 * 3. A longer key than WIDE_BYTES_MAX is WR_INVALID when written, and never found.
 */
#ifndef WR_ENGINE_KEY_H
#define WR_ENGINE_KEY_H

#include "engine/store.h"

enum wr_status wide_get(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes, struct slice *out);

/* The same of at most STORE_SOME at once, in a tree of chunks (store_get_some). */
struct wide_wanted {
    uint64_t id;
    struct slice bytes, value;
};
enum wr_status wide_get_some(struct ctx *ctx, struct txn *txn, enum tree tree, struct wide_wanted *wanted, uint32_t count);

enum wr_status wide_put(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes, struct slice value);
/* Puts what is not there yet. *inserted false: it is, and *there is what wide_get would give; or *there is null, and only wide_put can tell. */
enum wr_status wide_insert(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes, struct slice value,
                           bool *inserted, struct slice *there);
/* Room for len bytes under the key, to be filled before the next call on this transaction. */
enum wr_status wide_reserve(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes, size_t len,
                            uint8_t **out);
enum wr_status wide_delete(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice bytes);

/* As store_sift does. What is in a layer stays. */
enum wr_status wide_sift(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice start, struct slice end,
                         struct sieve *sieve);

/* Removes up to *budget entries of an id (layers included) and lowers *budget by those removed; *budget > 0 after it: all gone. */
enum wr_status wide_clear(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, uint64_t *budget);

/* A cursor over one id's entries, across layers. Keeps its memory when opened again. `bytes` out borrow from the map (short
 * keys) or from the cursor (long ones, until it moves). After the answer "none" it stands nowhere: seek before moving on. */
struct wide_cursor;
/* Whether bytes that a cursor gave borrow from the map. */
static inline bool wide_lasts(struct slice bytes)
{
    return bytes.len < STORE_KEY_MAX - sizeof(uint64_t);
}

enum wr_status wide_cursor_new(struct ctx *ctx, struct wide_cursor **out);
void wide_cursor_free(struct wide_cursor *c); /* NULL is fine */
enum wr_status wide_open(struct ctx *ctx, struct wide_cursor *c, struct txn *txn, enum tree tree, uint64_t id);
void wide_turn(struct wide_cursor *c, uint64_t id); /* an open one, to another id's entries of its tree: it stands nowhere, and is quick to seek near where it stood */
void wide_enter(struct wide_cursor *c, const struct known_chunk *chunk); /* of its id (pack_expect) */
void wide_close(struct wide_cursor *c); /* before the transaction ends */
enum wr_status wide_seek(struct ctx *ctx, struct wide_cursor *c, struct slice at, struct slice *bytes, struct slice *value); /* first >= at */
enum wr_status wide_seek_before(struct ctx *ctx, struct wide_cursor *c, struct slice at, struct slice *bytes,
                                struct slice *value); /* last < at; a null at: the very last */
/* The cursor beneath where it stands on a key that is no layer's, for moves with pack_within; NULL: it stands elsewhere. */
struct pack_cursor *wide_within(struct wide_cursor *c);
enum wr_status wide_next(struct ctx *ctx, struct wide_cursor *c, struct slice *bytes, struct slice *value);
enum wr_status wide_prev(struct ctx *ctx, struct wide_cursor *c, struct slice *bytes, struct slice *value);

#endif
