/* Putting entries into chunks: for pack.h's trees. */
#include "engine/pack_change.h"

/* An entry into a chunk that has no room for it. */
static int put_anew(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags, const struct chunk_copy *old, uint32_t at,
                    bool changed, bool is_last)
{
    struct sequence s;

    s.count = 0;
    s.entry = at;
    s.as_it_was = !changed;
    s.is_last = is_last;
    if (old->chunk.count && !pack_take_items(&s, &old->chunk))
        return MDB_CORRUPTED;
    if (s.count == ITEMS_MAX)
        return MDB_CORRUPTED;
    memmove(&s.items[at + 1], &s.items[at], (s.count - at) * sizeof *s.items);
    s.items[at].key = pack_piece(key);
    s.items[at].value = slice_of(flags & MDB_RESERVE ? NULL : value->mv_data, value->mv_size);
    s.count++;
    int code = pack_lay_anew(txn, tree, slice_of(old->key, old->key_len), &s);
    if (!code && (flags & MDB_RESERVE))
        value->mv_data = s.room;
    return code;
}

/* ---- changing in place ---- */

/* How an entry comes into a chunk's own bytes. */
struct fit {
    uint32_t at;
    size_t place;  /* where its value goes, since one as long lies there; 0: it is put in at `at` */
    bool replaces; /* then: of one that is of another length */
};

/* False: they have no room for it. */
static bool has_room(const struct chunk *chunk, struct slice key, size_t value_len, uint32_t at, bool exact, struct fit *fit)
{
    size_t full = chunk_full_bytes(chunk);
    struct slice there, bytes;

    *fit = (struct fit){ at, 0, exact };
    if (exact) {
        if (!chunk_entry(chunk, at, &there, &bytes))
            return false;
        fit->place = bytes.len == value_len ? (size_t)(bytes.data - chunk->bytes) : 0;
        size_t gone = chunk_entry_bytes(there.len, bytes.len);
        full -= gone < full ? gone : full;
    }
    return fit->place || full + chunk_entry_bytes(pack_piece(key).len, value_len) <= chunk->len;
}

static int fill_in(uint8_t *bytes, struct slice key, MDB_val *value, unsigned flags, const struct fit *fit)
{
    uint8_t *room = bytes + fit->place;

    if (!fit->place && fit->replaces)
        chunk_remove(bytes, CHUNK_BYTES, fit->at);
    if (!fit->place && !chunk_insert(bytes, CHUNK_BYTES, fit->at, pack_piece(key), value->mv_size, &room))
        return MDB_CORRUPTED;
    if (flags & MDB_RESERVE)
        value->mv_data = room;
    else if (value->mv_size)
        memcpy(room, value->mv_data, value->mv_size);
    return 0;
}

/* As mdb_put with MDB_NOOVERWRITE: *value is what lies there. */
static int tell_there(const struct chunk *chunk, uint32_t at, MDB_val *value)
{
    struct slice there, bytes;

    if (!chunk_entry(chunk, at, &there, &bytes))
        return MDB_CORRUPTED;
    *value = val_of(bytes);
    return MDB_KEYEXIST;
}

/* Into the last chunk of its id, without a way down the tree. *done false: that is not known, or not to be had, and nothing was done. */
static int put_in_last(struct txn *txn, struct slice key, MDB_val *value, unsigned flags, bool *done)
{
    struct chunk chunk;
    struct fit fit;
    uint32_t at;
    bool exact;

    *done = pack_in_last(txn, key, &chunk, &at, &exact);
    if (*done && exact && (flags & MDB_NOOVERWRITE))
        return tell_there(&chunk, at, value);
    *done = *done && has_room(&chunk, key, value->mv_size, at, exact, &fit);
    return *done ? fill_in((uint8_t *)chunk.bytes, key, value, flags, &fit) : 0;
}

/* *done false: the chunk is not the transaction's own, or has no room, and nothing was done. */
static int put_in_place(struct txn *txn, MDB_cursor *cursor, const struct found *found, struct slice key, MDB_val *value, unsigned flags,
                        uint32_t at, bool exact, bool *done)
{
    struct fit fit;
    uint8_t *bytes;

    *done = pack_is_own(txn, found) && has_room(&found->chunk, key, value->mv_size, at, exact, &fit);
    if (!*done)
        return 0;
    int code = pack_take_own(txn, cursor, found, &bytes);
    return code ? code : fill_in(bytes, key, value, flags, &fit);
}

/* More room for a small chunk's copy. */
static void widen(struct chunk_copy *old, size_t entry_bytes)
{
    size_t full = chunk_full_bytes(&old->chunk), live = CHUNK_HEAD + chunk_live_bytes(&old->chunk);
    uint8_t bytes[CHUNK_BYTES];

    if (full + entry_bytes > CHUNK_BYTES || full - live > live / 4) /* with much that is dead it is written anew */
        return;
    size_t len = full + entry_bytes > SMALL_BYTES ? CHUNK_BYTES : full + entry_bytes + (full + entry_bytes) / 8;
    if (len <= old->chunk.len)
        return;
    chunk_resize(bytes, len, &old->chunk);
    memcpy(old->bytes, bytes, len);
    old->chunk.len = len;
}

/* The entry into the chunk's copy; *room NULL: it has none. An older one of the key is gone then, and *changed. */
static bool put_into(struct chunk_copy *old, struct slice key, const MDB_val *value, uint32_t at, bool exact, bool *changed, uint8_t **room)
{
    struct slice there, bytes;

    *room = NULL;
    *changed = exact;
    if (exact) {
        if (!chunk_entry(&old->chunk, at, &there, &bytes))
            return false;
        uint8_t *to = old->heap ? old->heap : old->bytes;
        if (bytes.len == value->mv_size) {
            *room = to + (bytes.data - to);
            return true;
        }
        if (!old->heap)
            chunk_remove(old->bytes, old->chunk.len, at);
        old->chunk.count--;
    }
    if (old->heap || !old->chunk.count)
        return true;
    if (!chunk_insert(old->bytes, old->chunk.len, at, pack_piece(key), value->mv_size, room)) {
        widen(old, chunk_entry_bytes(key.len - ID_BYTES, value->mv_size));
        if (!chunk_insert(old->bytes, old->chunk.len, at, pack_piece(key), value->mv_size, room))
            return true;
    }
    old->chunk.count++;
    return true;
}

static int put_among(struct txn *txn, enum tree tree, MDB_cursor *cursor, struct slice key, MDB_val *value, unsigned flags, struct chunk_copy *old,
                     bool is_last, uint32_t at, bool exact)
{
    uint8_t *room, *where;
    bool changed;

    if (!put_into(old, key, value, at, exact, &changed, &room))
        return MDB_CORRUPTED;
    if (!room)
        return put_anew(txn, tree, key, value, flags, old, at, changed, is_last);
    if (!(flags & MDB_RESERVE) && value->mv_size)
        memcpy(room, value->mv_data, value->mv_size);
    int code = pack_put_back(txn, cursor, old, is_last, &where);
    if (!code && (flags & MDB_RESERVE))
        value->mv_data = where + (room - old->chunk.bytes);
    return code;
}

/* With the chunk that the key belongs to, or none. */
static int put_at(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags)
{
    const struct found *found;
    struct chunk_copy old;
    MDB_cursor *cursor;
    uint32_t at;
    bool exact, done;

    int code = pack_look(txn, tree, key, &cursor, &found, &at, &exact);
    if (code == MDB_NOTFOUND) {
        old.chunk.count = 0;
        memcpy(old.key, key.data, ID_BYTES);
        old.key_len = ID_BYTES;
        return put_anew(txn, tree, key, value, flags, &old, 0, true, found->is_last);
    }
    if (code)
        return code;
    if (exact && (flags & MDB_NOOVERWRITE))
        return tell_there(&found->chunk, at, value);
    code = put_in_place(txn, cursor, found, key, value, flags, at, exact, &done);
    if (code || done)
        return code;
    own_forget(txn->own, read_u64(key.data), found->chunk.bytes);
    code = pack_take(&old, found->key, &found->chunk);
    if (!code)
        code = put_among(txn, tree, cursor, key, value, flags, &old, found->is_last, at, exact);
    mem_free(old.heap);
    return code;
}

int pack_put(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags)
{
    bool done;

    if (key.len < ID_BYTES || key.len > STORE_KEY_MAX)
        return MDB_BAD_VALSIZE;
    int code = put_in_last(txn, key, value, flags, &done);
    return code || done ? code : put_at(txn, tree, key, value, flags);
}
