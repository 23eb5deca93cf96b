/* Putting entries into chunks: for pack.h's trees. */
#include "engine/pack_change.h"

/* An entry that is put, and its place in the chunk at hand. */
struct put {
    struct txn *txn;
    enum tree tree;
    struct slice key;
    MDB_val *value; /* with MDB_RESERVE its length, and then where its room is */
    unsigned flags;
    uint32_t at; /* in the chunk's order: of the key's entry, or of the one behind it */
    bool exact;  /* it is the key's */
};

static bool is_reserved(const struct put *p)
{
    return p->flags & MDB_RESERVE;
}

/* Into a chunk that has no room for it. What the key had is not among the copy's entries any more. */
static int put_anew(const struct put *p, const struct chunk_copy *old, bool is_last)
{
    struct sequence s;

    pack_begin_sequence(&s, p->at, !p->exact, is_last);
    if (old->chunk.count && !pack_take_items(&s, &old->chunk))
        return MDB_CORRUPTED;
    if (s.count == ITEMS_MAX)
        return MDB_CORRUPTED;
    memmove(&s.items[p->at + 1], &s.items[p->at], (s.count - p->at) * sizeof *s.items);
    s.items[p->at].key = pack_piece(p->key);
    s.items[p->at].value = slice_of(is_reserved(p) ? NULL : p->value->mv_data, p->value->mv_size);
    s.count++;
    int code = pack_lay_anew(p->txn, p->tree, slice_of(old->key, old->key_len), &s);
    if (!code && is_reserved(p))
        p->value->mv_data = s.room;
    return code;
}

/* ---- changing in place ---- */

/* False: the chunk's bytes have no room for it. *place: where its value goes, since one as long lies there; 0: it is put in, in place of what the key has. */
static bool has_room(const struct put *p, const struct chunk *chunk, size_t *place)
{
    size_t full = chunk_full_bytes(chunk);
    struct slice there, bytes;

    *place = 0;
    if (p->exact) {
        if (!chunk_entry(chunk, p->at, &there, &bytes))
            return false;
        *place = bytes.len == p->value->mv_size ? (size_t)(bytes.data - chunk->bytes) : 0;
        size_t gone = chunk_entry_bytes(there.len, bytes.len);
        full -= gone < full ? gone : full;
    }
    return *place || full + chunk_entry_bytes(pack_piece(p->key).len, p->value->mv_size) <= chunk->len;
}

static int fill_in(const struct put *p, uint8_t *bytes, size_t place)
{
    uint8_t *room = bytes + place;

    if (!place && p->exact)
        chunk_remove(bytes, CHUNK_BYTES, p->at);
    if (!place && !chunk_insert(bytes, CHUNK_BYTES, p->at, pack_piece(p->key), p->value->mv_size, &room))
        return MDB_CORRUPTED;
    if (is_reserved(p))
        p->value->mv_data = room;
    else if (p->value->mv_size)
        memcpy(room, p->value->mv_data, p->value->mv_size);
    return 0;
}

/* As mdb_put with MDB_NOOVERWRITE: the value is what lies there. */
static int tell_there(const struct put *p, const struct chunk *chunk)
{
    struct slice there, bytes;

    if (!chunk_entry(chunk, p->at, &there, &bytes))
        return MDB_CORRUPTED;
    *p->value = val_of(bytes);
    return MDB_KEYEXIST;
}

static bool finds_what_stays(const struct put *p)
{
    return p->exact && (p->flags & MDB_NOOVERWRITE);
}

/* Into the last chunk of its id, without a way down the tree. *done false: that is not known, or not to be had, and nothing was done. */
static int put_in_last(struct put *p, bool *done)
{
    struct chunk chunk;
    size_t place;

    *done = pack_in_last(p->txn, p->key, &chunk, &p->at, &p->exact);
    if (*done && finds_what_stays(p))
        return tell_there(p, &chunk);
    *done = *done && has_room(p, &chunk, &place);
    return *done ? fill_in(p, (uint8_t *)chunk.bytes, place) : 0;
}

/* *done false: the chunk is not the transaction's own, or has no room, and nothing was done. */
static int put_in_place(const struct put *p, MDB_cursor *cursor, const struct found *found, bool *done)
{
    uint8_t *bytes;
    size_t place;

    *done = pack_is_own(p->txn, found) && has_room(p, &found->chunk, &place);
    if (!*done)
        return 0;
    int code = pack_take_own(p->txn, cursor, found, &bytes);
    return code ? code : fill_in(p, bytes, place);
}

/* ---- changing a copy ---- */

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

/* The entry into the chunk's copy; *room NULL: it has none. An older one of the key is gone then. */
static bool put_into(const struct put *p, struct chunk_copy *old, uint8_t **room)
{
    struct slice there, bytes;

    *room = NULL;
    if (p->exact) {
        if (!chunk_entry(&old->chunk, p->at, &there, &bytes))
            return false;
        uint8_t *to = old->heap ? old->heap : old->bytes;
        if (bytes.len == p->value->mv_size) {
            *room = to + (bytes.data - to);
            return true;
        }
        if (!old->heap)
            chunk_remove(old->bytes, old->chunk.len, p->at);
        old->chunk.count--;
    }
    if (old->heap || !old->chunk.count)
        return true;
    if (!chunk_insert(old->bytes, old->chunk.len, p->at, pack_piece(p->key), p->value->mv_size, room)) {
        widen(old, chunk_entry_bytes(pack_piece(p->key).len, p->value->mv_size));
        if (!chunk_insert(old->bytes, old->chunk.len, p->at, pack_piece(p->key), p->value->mv_size, room))
            return true;
    }
    old->chunk.count++;
    return true;
}

static int put_among(const struct put *p, MDB_cursor *cursor, struct chunk_copy *old, bool is_last)
{
    uint8_t *room, *where;

    if (!put_into(p, old, &room))
        return MDB_CORRUPTED;
    if (!room)
        return put_anew(p, old, is_last);
    if (!is_reserved(p) && p->value->mv_size)
        memcpy(room, p->value->mv_data, p->value->mv_size);
    int code = pack_put_back(p->txn, cursor, old, is_last, &where);
    if (!code && is_reserved(p))
        p->value->mv_data = where + (room - old->chunk.bytes);
    return code;
}

/* The first entry of its id. */
static int put_first(struct put *p, bool is_last)
{
    struct chunk_copy none;

    none.chunk.count = 0;
    memcpy(none.key, p->key.data, ID_BYTES);
    none.key_len = ID_BYTES;
    p->at = 0;
    return put_anew(p, &none, is_last);
}

/* With the chunk that the key belongs to, or none. */
static int put_at(struct put *p)
{
    const struct found *found;
    struct chunk_copy old;
    MDB_cursor *cursor;
    bool done;

    int code = pack_look(p->txn, p->tree, p->key, &cursor, &found, &p->at, &p->exact);
    if (code == MDB_NOTFOUND)
        return put_first(p, found->is_last);
    if (code)
        return code;
    if (finds_what_stays(p))
        return tell_there(p, &found->chunk);
    code = put_in_place(p, cursor, found, &done);
    if (code || done)
        return code;
    own_forget(p->txn->own, read_u64(p->key.data), found->chunk.bytes);
    code = pack_take(&old, found->key, &found->chunk);
    if (!code)
        code = put_among(p, cursor, &old, found->is_last);
    mem_free(old.heap);
    return code;
}

int pack_put(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags)
{
    struct put p = { .txn = txn, .tree = tree, .key = key, .value = value, .flags = flags };
    bool done;

    if (key.len < ID_BYTES || key.len > STORE_KEY_MAX)
        return MDB_BAD_VALSIZE;
    int code = put_in_last(&p, &done);
    return code || done ? code : put_at(&p);
}
