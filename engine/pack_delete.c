/* Deleting entries from chunks: for pack.h's trees. */
#include "engine/journal.h"
#include "engine/pack_change.h"
#include "engine/trust.h"

/* *done false: the chunk is not the transaction's own, or is left with little, and nothing was done. */
static int delete_in_place(struct txn *txn, MDB_cursor *cursor, const struct found *found, uint32_t at, bool *done)
{
    struct slice key, value;
    uint8_t *bytes;

    *done = pack_is_own(txn, found) && chunk_entry(&found->chunk, at, &key, &value) &&
            chunk_live_bytes(&found->chunk) >= CHUNK_BYTES / CHUNK_LEAST + chunk_entry_bytes(key.len, value.len);
    if (!*done)
        return 0;
    int code = pack_take_own(txn, cursor, found, &bytes);
    if (!code)
        chunk_remove(bytes, CHUNK_BYTES, at);
    return code;
}

static bool is_neighbour(const struct txn *txn, const struct chunk_copy *old, MDB_val key, MDB_val value, struct chunk *out)
{
    size_t most = CHUNK_BYTES * 3 / 4 - CHUNK_HEAD;

    return pack_id(key) == read_u64(old->key) && value_is_sound(txn, key, value) && chunk_open(slice_of_val(value), out) && out->len <= CHUNK_BYTES &&
           chunk_live_bytes(out) + chunk_live_bytes(&old->chunk) <= most;
}

/* Two neighbours in one, under the key of the first. */
static int join(struct txn *txn, enum tree tree, const struct chunk_copy *first, const struct chunk_copy *second)
{
    MDB_val gone = { second->key_len, (void *)second->key };
    struct sequence s;

    pack_begin_sequence(&s, NO_ENTRY, false, false);
    own_note_last(txn->own, read_u64(first->key), NULL);
    if (!pack_take_items(&s, &first->chunk) || !pack_take_items(&s, &second->chunk))
        return MDB_CORRUPTED;
    int code = trust_around(txn, tree, slice_of_val(gone));
    if (code)
        return code;
    own_count_chunk(txn->own, 0);
    code = mdb_del(txn->handle, txn->store->trees[tree], &gone, NULL);
    return code ? code : pack_lay_anew(txn, tree, slice_of(first->key, first->key_len), &s);
}

/* What is left of a chunk, with a neighbour of few entries or in fewer bytes. */
static int put_less(struct txn *txn, enum tree tree, MDB_cursor *cursor, const struct chunk_copy *old)
{
    struct chunk chunk;
    struct chunk_copy other;
    MDB_val k, v;
    int trusted = trust_around(txn, tree, slice_of(old->key, old->key_len));

    if (trusted)
        return trusted;
    for (int side = 0; side < 2; side++) {
        int code = environment_look(cursor, &k, &v, side ? MDB_PREV : MDB_NEXT);
        if (!code && is_neighbour(txn, old, k, v, &chunk))
            return (code = pack_take(&other, k, &chunk)) ? code : side ? join(txn, tree, &other, old) : join(txn, tree, old, &other);
        if (code && code != MDB_NOTFOUND)
            return code;
        k = (MDB_val){ old->key_len, (void *)old->key };
        code = environment_look(cursor, &k, &v, MDB_SET);
        if (code)
            return code;
    }
    struct sequence s;
    pack_begin_sequence(&s, NO_ENTRY, false, false);
    return pack_take_items(&s, &old->chunk) ? pack_lay_anew(txn, tree, slice_of(old->key, old->key_len), &s) : MDB_CORRUPTED;
}

/* Some of a chunk's entries, by their places in order. */
static int remove_entries(struct txn *txn, enum tree tree, MDB_cursor *cursor, const struct found *found, const uint16_t *gone, uint32_t count)
{
    struct chunk_copy old;
    uint8_t *where;

    if (count == found->chunk.count) {
        int trusted = trust_around(txn, tree, slice_of_val(found->key));
        own_count_chunk(txn->own, 0);
        return trusted ? trusted : mdb_cursor_del(cursor, 0);
    }
    if (found->chunk.len > CHUNK_BYTES)
        return MDB_CORRUPTED;
    int code = pack_take(&old, found->key, &found->chunk);
    if (code)
        return code;
    for (uint32_t i = count; i-- > 0; old.chunk.count--)
        chunk_remove(old.bytes, old.chunk.len, gone[i]);
    if (chunk_live_bytes(&old.chunk) < old.chunk.len / CHUNK_LEAST)
        return put_less(txn, tree, cursor, &old);
    return pack_put_back(txn, cursor, &old, found->is_last, &where);
}

int pack_delete(struct txn *txn, enum tree tree, struct slice key)
{
    const struct found *found;
    MDB_cursor *cursor;
    uint32_t at;
    bool exact, done;

    if (key.len < ID_BYTES || key.len > STORE_KEY_MAX)
        return MDB_NOTFOUND;
    int code = pack_look(txn, tree, key, &cursor, &found, &at, &exact);
    if (!code && !exact)
        code = MDB_NOTFOUND;
    if (code)
        return code;
    code = delete_in_place(txn, cursor, found, at, &done);
    if (code || done)
        return code;
    own_forget(txn->own, read_u64(key.data), found->chunk.bytes);
    return remove_entries(txn, tree, cursor, found, &(uint16_t){ (uint16_t)at }, 1);
}

/* ---- many at once ---- */

/* The first entry from the place on: its chunk, and where in it. MDB_NOTFOUND: the id has none. */
static int find_from(struct txn *txn, enum tree tree, MDB_cursor *cursor, const struct sift_place *place, struct found *found, uint32_t *at)
{
    struct slice key = slice_of(place->key, place->len);
    MDB_val k = val_of(key), v;
    bool exact = false;
    int code = trust_around(txn, tree, key);

    if (!code)
        code = pack_find(txn, tree, cursor, key, found);
    if (!code) {
        if (!chunk_find(&found->chunk, pack_piece(key), at, &exact))
            return MDB_CORRUPTED;
        *at += exact && place->behind;
        if (*at < found->chunk.count)
            return 0;
        code = environment_look(cursor, &k, &v, MDB_NEXT);
    } else if (code == MDB_NOTFOUND) { /* all that the id has is behind it */
        code = environment_look(cursor, &k, &v, MDB_SET_RANGE);
    }
    if (code)
        return code;
    if (pack_id(k) != read_u64(place->key))
        return MDB_NOTFOUND;
    *at = 0;
    *found = (struct found){ .key = k };
    return value_is_sound(txn, k, v) && chunk_open(slice_of_val(v), &found->chunk) ? 0 : MDB_CORRUPTED;
}

/* Further than the place, which the entries of a damaged chunk need not be. */
static bool leads_on(const struct sift_place *place, struct slice piece)
{
    int order = slice_cmp(piece, slice_of(place->key + ID_BYTES, place->len - ID_BYTES));
    return order > 0 || (order == 0 && !place->behind);
}

/* Which of a chunk's entries go, from `at` on; *place is behind the last one looked at. */
static int choose(const struct chunk *chunk, uint32_t at, struct slice end, struct sieve *sieve, struct sift_place *place, uint16_t gone[ITEMS_MAX],
                  uint32_t *count)
{
    struct slice piece = SLICE_EMPTY, value;

    for (*count = 0; at < chunk->count && sieve->most; at++, sieve->most--) {
        if (!chunk_entry(chunk, at, &piece, &value) || at >= ITEMS_MAX)
            return MDB_CORRUPTED;
        place->done = !slice_is_null(end) && slice_cmp(piece, end) >= 0;
        if (place->done)
            break;
        if (piece.len < CHUNK_KEY_MAX && sieve->goes(sieve->arg, value))
            gone[(*count)++] = (uint16_t)at;
    }
    if (!leads_on(place, piece))
        return MDB_CORRUPTED;
    sieve->gone += *count;
    memcpy(place->key + ID_BYTES, piece.data, piece.len);
    place->len = ID_BYTES + piece.len;
    place->behind = true;
    return 0;
}

static void tell_journal(struct txn *txn, enum tree tree, const struct found *found, const uint16_t *gone, uint32_t count)
{
    uint8_t key[STORE_KEY_MAX];
    struct slice piece, value;

    put_u64(key, pack_id(found->key));
    for (uint32_t i = 0; i < count; i++) {
        if (!chunk_entry(&found->chunk, gone[i], &piece, &value)) /* choose has found it sound */
            continue;
        memcpy(key + ID_BYTES, piece.data, piece.len);
        journal_delete(txn->journal, tree, slice_of(key, ID_BYTES + piece.len));
    }
}

static int sift_at(struct txn *txn, enum tree tree, MDB_cursor *cursor, struct slice end, struct sieve *sieve, struct sift_place *place)
{
    uint16_t gone[ITEMS_MAX];
    struct found found;
    uint32_t at, count;
    int code = find_from(txn, tree, cursor, place, &found, &at);

    place->done = code != 0;
    if (!code)
        code = choose(&found.chunk, at, end, sieve, place, gone, &count);
    if (code || !count)
        return code;
    if (txn->journal)
        tell_journal(txn, tree, &found, gone, count);
    txn->dirty = true;
    own_forget(txn->own, read_u64(place->key), found.chunk.bytes);
    return remove_entries(txn, tree, cursor, &found, gone, count);
}

int pack_sift(struct txn *txn, enum tree tree, struct slice end, struct sieve *sieve, struct sift_place *place)
{
    MDB_cursor *cursor;
    int code = environment_cursor(txn, tree, &cursor);

    if (code)
        return code;
    code = sift_at(txn, tree, cursor, end, sieve, place);
    environment_give_cursor(txn, tree, cursor);
    return code == MDB_NOTFOUND ? 0 : code;
}
