/* Putting and deleting entries in chunks: for pack.h's trees. */
#include <errno.h>

#include "engine/datafile.h"
#include "engine/environment.h"
#include "engine/pack.h"

enum {
    SMALL_BYTES = 1400, /* so that LMDB keeps it within a page of others, whatever its key is */
    PARTS_MAX = 3,
    ITEMS_MAX = CHUNK_BYTES / 4 + 1, /* a chunk's smallest, and a new one */
    NO_ENTRY = ITEMS_MAX,
    CHUNK_LEAST = 4, /* of which less than this part is alive is put together anew */
};

enum { LMDB_PAGE_HEAD = 16 };
_Static_assert(CHUNK_BYTES + LMDB_PAGE_HEAD == DATA_PAGE_BYTES, "a full chunk has a page of its own, in which LMDB does not move it");

/* ---- changing ---- */

/* LMDB has given these bytes for a chunk of the key's id. */
static void note_written(struct txn *txn, struct slice key, const MDB_val *chunk, bool is_last)
{
    bool whole = chunk->mv_size == CHUNK_BYTES;

    if (whole)
        own_note(txn->own, chunk->mv_data);
    if (is_last)
        own_note_last(txn->own, read_u64(key.data), whole ? chunk->mv_data : NULL);
}

/* A chunk that is to be changed, out of the way of LMDB's own moves. */
struct old {
    struct chunk chunk;
    uint8_t key[STORE_KEY_MAX];
    size_t key_len;
    uint8_t *heap; /* of a chunk of one large entry; NULL: it is in bytes */
    uint8_t bytes[CHUNK_BYTES];
};

static int take(struct old *old, MDB_val key, const struct chunk *chunk)
{
    old->heap = NULL;
    if (key.mv_size > STORE_KEY_MAX)
        return MDB_CORRUPTED;
    uint8_t *to = chunk->len > CHUNK_BYTES ? (old->heap = mem_alloc(chunk->len)) : old->bytes;
    if (!to)
        return ENOMEM;
    memcpy(to, chunk->bytes, chunk->len);
    old->chunk = (struct chunk){ to, chunk->len, chunk->count };
    memcpy(old->key, key.mv_data, key.mv_size);
    old->key_len = key.mv_size;
    return 0;
}

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

static size_t item_bytes(const struct sequence *s, uint32_t i)
{
    return chunk_entry_bytes(s->items[i].key.len, s->items[i].value.len);
}

static bool take_items(struct sequence *s, const struct chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->count; i++, s->count++)
        if (s->count == ITEMS_MAX || !chunk_entry(chunk, i, &s->items[s->count].key, &s->items[s->count].value))
            return false;
    return true;
}

/* Items [from, to) of a sequence, for a chunk. */
struct part {
    uint32_t from, to;
    size_t bytes;
};

/* How large its chunk is made. One that came of a division will be filled. */
static size_t part_size(const struct part *part, bool divided)
{
    size_t need = CHUNK_HEAD + part->bytes;

    if (need > CHUNK_BYTES)
        return need;
    if (divided || need > SMALL_BYTES)
        return CHUNK_BYTES;
    return part->to - part->from == 1 ? need : need + need / 8;
}

static bool lay_out(uint8_t *bytes, size_t len, struct sequence *s, const struct part *part)
{
    uint8_t *value;

    chunk_init(bytes, len);
    for (uint32_t i = part->from; i < part->to; i++) {
        struct slice from = s->items[i].value;
        if (!chunk_insert(bytes, len, i - part->from, s->items[i].key, from.len, &value))
            return false;
        if (i == s->entry)
            s->room = value;
        if (from.data && from.len)
            memcpy(value, from.data, from.len);
    }
    return true;
}

static int write_part(struct txn *txn, enum tree tree, struct slice key, struct sequence *s, const struct part *part, bool divided)
{
    MDB_val k = val_of(key), v = { part_size(part, divided), NULL };
    uint8_t image[CHUNK_BYTES];
    bool lone = v.mv_size > CHUNK_BYTES;

    if (!lone && !lay_out(image, v.mv_size, s, part))
        return MDB_CORRUPTED;
    own_count(txn->own, v.mv_size);
    int code = mdb_put(txn->handle, txn->store->trees[tree], &k, &v, MDB_RESERVE);
    if (code)
        return code;
    note_written(txn, key, &v, s->is_last && part->to == s->count);
    if (lone)
        return lay_out(v.mv_data, v.mv_size, s, part) ? 0 : MDB_CORRUPTED;
    memcpy(v.mv_data, image, v.mv_size);
    if (part->from <= s->entry && s->entry < part->to)
        s->room = (uint8_t *)v.mv_data + (s->room - image);
    return 0;
}

/* Of which items which chunk is made. All in one where they fit; the new one apart at either end of the others, so that what comes in order
 * leaves full chunks; else two halves, or three where large ones do not let it. 0: more, which sound ones cannot make. */
static uint32_t divide(const struct sequence *s, struct part parts[PARTS_MAX])
{
    size_t all = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->count; i++)
        all += item_bytes(s, i);
    bool fits = CHUNK_HEAD + all <= CHUNK_BYTES, at_begin = s->entry == 0, at_end = s->entry == s->count - 1;
    parts[0] = (struct part){ 0, 0, 0 };
    for (uint32_t i = 0; i < s->count; i++) {
        size_t bytes = item_bytes(s, i);
        struct part *part = &parts[n];
        bool full = CHUNK_HEAD + part->bytes + bytes > CHUNK_BYTES;
        bool apart = (at_begin && i == 1) || (at_end && i == s->entry);
        bool half = !at_begin && !at_end && n == 0 && part->bytes >= all / 2;
        if (part->to > part->from && !fits && (full || apart || half)) {
            if (n + 1 == PARTS_MAX)
                return 0;
            parts[++n] = (struct part){ i, i, 0 };
            part++;
        }
        part->to = i + 1;
        part->bytes += bytes;
    }
    return n + 1;
}

/* The least that is behind the items before and not behind item i: the id and what tells its key from theirs. */
static struct slice bound_of(const struct sequence *s, uint32_t i, struct slice id, uint8_t room[STORE_KEY_MAX])
{
    struct slice before = s->items[i - 1].key, key = s->items[i].key;
    size_t same = 0;

    while (same < before.len && same < key.len && before.data[same] == key.data[same])
        same++;
    same += same < key.len;
    memcpy(room, id.data, ID_BYTES);
    memcpy(room + ID_BYTES, key.data, same);
    return slice_of(room, ID_BYTES + same);
}

/* A sequence's items in chunks, of which the first has the key `first`. */
static int write_all(struct txn *txn, enum tree tree, struct slice first, struct sequence *s)
{
    struct part parts[PARTS_MAX];
    uint8_t room[STORE_KEY_MAX];
    uint32_t count = divide(s, parts);
    int code = count ? 0 : MDB_CORRUPTED;

    for (uint32_t i = count; !code && i-- > 0;) {
        bool as_it_was = s->as_it_was && count == 2 && i == 0 && parts[0].to == s->entry && s->entry == s->count - 1;
        if (!as_it_was)
            code = write_part(txn, tree, i ? bound_of(s, parts[i].from, first, room) : first, s, &parts[i], count > 1);
    }
    return code;
}

/* An entry into a chunk that has no room for it. */
static int put_anew(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags, const struct old *old, uint32_t at,
                    bool changed, bool is_last)
{
    struct sequence s;

    s.count = 0;
    s.entry = at;
    s.as_it_was = !changed;
    s.is_last = is_last;
    if (old->chunk.count && !take_items(&s, &old->chunk))
        return MDB_CORRUPTED;
    if (s.count == ITEMS_MAX)
        return MDB_CORRUPTED;
    memmove(&s.items[at + 1], &s.items[at], (s.count - at) * sizeof *s.items);
    s.items[at].key = pack_piece(key);
    s.items[at].value = slice_of(flags & MDB_RESERVE ? NULL : value->mv_data, value->mv_size);
    s.count++;
    int code = write_all(txn, tree, slice_of(old->key, old->key_len), &s);
    if (!code && (flags & MDB_RESERVE))
        value->mv_data = s.room;
    return code;
}

/* ---- changing in place ---- */

/* Whether the chunk's own bytes can take the entry; *room: where its value goes if one as long lies there. */
static bool has_room(const struct chunk *chunk, struct slice key, size_t value_len, uint32_t at, bool exact, size_t *place)
{
    struct slice there, bytes;

    *place = 0;
    if (!exact)
        return chunk_full_bytes(chunk) + chunk_entry_bytes(pack_piece(key).len, value_len) <= chunk->len;
    if (!chunk_entry(chunk, at, &there, &bytes) || bytes.len != value_len)
        return false;
    *place = (size_t)(bytes.data - chunk->bytes);
    return true;
}

/* place 0: a new entry at `at`. */
static int fill_in(uint8_t *bytes, struct slice key, MDB_val *value, unsigned flags, uint32_t at, size_t place)
{
    uint8_t *room = bytes + place;

    if (!place && !chunk_insert(bytes, CHUNK_BYTES, at, pack_piece(key), value->mv_size, &room))
        return MDB_CORRUPTED;
    if (flags & MDB_RESERVE)
        value->mv_data = room;
    else if (value->mv_size)
        memcpy(room, value->mv_data, value->mv_size);
    return 0;
}

/* Into the last chunk of its id, without a way down the tree. *done false: that is not known, or not to be had, and nothing was done. */
static int put_in_last(struct txn *txn, struct slice key, MDB_val *value, unsigned flags, bool *done)
{
    struct chunk chunk;
    uint32_t at;
    size_t place;
    bool exact;

    *done = pack_in_last(txn, key, &chunk, &at, &exact);
    if (*done && exact && (flags & MDB_NOOVERWRITE))
        return MDB_KEYEXIST;
    *done = *done && has_room(&chunk, key, value->mv_size, at, exact, &place);
    return *done ? fill_in((uint8_t *)chunk.bytes, key, value, flags, at, place) : 0;
}

static bool is_own(const struct txn *txn, const struct found *found)
{
    return own_has(txn->own, &found->chunk) && found->key.mv_size <= STORE_KEY_MAX;
}

/* The bytes of a chunk that is the transaction's own, to be changed where they lie. */
static int take_own(struct txn *txn, MDB_cursor *cursor, const struct found *found, uint8_t **bytes)
{
    uint8_t copy[STORE_KEY_MAX];
    MDB_val k = { found->key.mv_size, copy }, v = { CHUNK_BYTES, NULL };

    memcpy(copy, found->key.mv_data, found->key.mv_size);
    own_count(txn->own, CHUNK_BYTES);
    int code = mdb_cursor_put(cursor, &k, &v, MDB_CURRENT | MDB_RESERVE);
    if (code)
        return code;
    note_written(txn, slice_of_val(k), &v, found->is_last);
    *bytes = v.mv_data;
    return 0;
}

/* *done false: the chunk is not the transaction's own, or has no room, and nothing was done. */
static int put_in_place(struct txn *txn, MDB_cursor *cursor, const struct found *found, struct slice key, MDB_val *value, unsigned flags,
                        uint32_t at, bool exact, bool *done)
{
    uint8_t *bytes;
    size_t place;

    *done = is_own(txn, found) && has_room(&found->chunk, key, value->mv_size, at, exact, &place);
    if (!*done)
        return 0;
    int code = take_own(txn, cursor, found, &bytes);
    return code ? code : fill_in(bytes, key, value, flags, at, place);
}

/* *done false: the chunk is not the transaction's own, or is left with little, and nothing was done. */
static int delete_in_place(struct txn *txn, MDB_cursor *cursor, const struct found *found, uint32_t at, bool *done)
{
    struct slice key, value;
    uint8_t *bytes;

    *done = is_own(txn, found) && chunk_entry(&found->chunk, at, &key, &value) &&
            chunk_live_bytes(&found->chunk) >= CHUNK_BYTES / CHUNK_LEAST + chunk_entry_bytes(key.len, value.len);
    if (!*done)
        return 0;
    int code = take_own(txn, cursor, found, &bytes);
    if (!code)
        chunk_remove(bytes, CHUNK_BYTES, at);
    return code;
}

/* ---- changing in a copy ---- */

/* The chunk's copy, to where it lies. */
static int put_back(struct txn *txn, MDB_cursor *cursor, const struct old *old, bool is_last, uint8_t **where)
{
    MDB_val k = { old->key_len, (void *)old->key }, v = { old->chunk.len, NULL };
    own_count(txn->own, v.mv_size);
    int code = mdb_cursor_put(cursor, &k, &v, MDB_CURRENT | MDB_RESERVE);
    if (code)
        return code;
    memcpy(v.mv_data, old->chunk.bytes, old->chunk.len);
    note_written(txn, slice_of_val(k), &v, is_last);
    *where = v.mv_data;
    return 0;
}

/* More room for a small chunk's copy. */
static void widen(struct old *old, size_t entry_bytes)
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
static bool put_into(struct old *old, struct slice key, const MDB_val *value, uint32_t at, bool exact, bool *changed, uint8_t **room)
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

static int put_among(struct txn *txn, enum tree tree, MDB_cursor *cursor, struct slice key, MDB_val *value, unsigned flags, struct old *old,
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
    int code = put_back(txn, cursor, old, is_last, &where);
    if (!code && (flags & MDB_RESERVE))
        value->mv_data = where + (room - old->chunk.bytes);
    return code;
}

/* With the chunk that the key belongs to, or none. */
static int put_at(struct txn *txn, enum tree tree, MDB_cursor *cursor, struct slice key, MDB_val *value, unsigned flags)
{
    struct found found;
    struct old old;
    uint32_t at = 0;
    bool exact = false, done;

    int code = pack_find(cursor, key, &found);
    if (code == MDB_NOTFOUND) {
        old.chunk.count = 0;
        memcpy(old.key, key.data, ID_BYTES);
        old.key_len = ID_BYTES;
        return put_anew(txn, tree, key, value, flags, &old, 0, true, found.is_last);
    }
    if (code)
        return code;
    if (!chunk_find(&found.chunk, pack_piece(key), &at, &exact))
        return MDB_CORRUPTED;
    if (exact && (flags & MDB_NOOVERWRITE))
        return MDB_KEYEXIST;
    code = put_in_place(txn, cursor, &found, key, value, flags, at, exact, &done);
    if (code || done)
        return code;
    code = take(&old, found.key, &found.chunk);
    if (!code)
        code = put_among(txn, tree, cursor, key, value, flags, &old, found.is_last, at, exact);
    mem_free(old.heap);
    return code;
}

int pack_put(struct txn *txn, enum tree tree, struct slice key, MDB_val *value, unsigned flags)
{
    MDB_cursor *cursor;
    bool done;

    if (key.len < ID_BYTES || key.len > STORE_KEY_MAX)
        return MDB_BAD_VALSIZE;
    int code = put_in_last(txn, key, value, flags, &done);
    if (code || done)
        return code;
    code = environment_cursor(txn, tree, &cursor);
    if (code)
        return code;
    own_note_last(txn->own, read_u64(key.data), NULL);
    code = put_at(txn, tree, cursor, key, value, flags);
    environment_give_cursor(txn, tree, cursor);
    return code;
}

/* ---- deleting ---- */

static bool is_neighbour(const struct old *old, MDB_val key, MDB_val value, struct chunk *out)
{
    size_t most = CHUNK_BYTES * 3 / 4 - CHUNK_HEAD;

    return pack_id(key) == read_u64(old->key) && chunk_open(slice_of_val(value), out) && out->len <= CHUNK_BYTES &&
           chunk_live_bytes(out) + chunk_live_bytes(&old->chunk) <= most;
}

/* Two neighbours in one, under the key of the first. */
static int join(struct txn *txn, enum tree tree, const struct old *first, const struct old *second)
{
    MDB_val gone = { second->key_len, (void *)second->key };
    struct sequence s;

    s.count = 0;
    s.entry = NO_ENTRY;
    s.as_it_was = s.is_last = false;
    if (!take_items(&s, &first->chunk) || !take_items(&s, &second->chunk))
        return MDB_CORRUPTED;
    own_count(txn->own, 0);
    int code = mdb_del(txn->handle, txn->store->trees[tree], &gone, NULL);
    return code ? code : write_all(txn, tree, slice_of(first->key, first->key_len), &s);
}

/* What is left of a chunk, with a neighbour of few entries or in fewer bytes. */
static int put_less(struct txn *txn, enum tree tree, MDB_cursor *cursor, const struct old *old)
{
    struct chunk chunk;
    struct old other;
    MDB_val k, v;

    for (int side = 0; side < 2; side++) {
        int code = mdb_cursor_get(cursor, &k, &v, side ? MDB_PREV : MDB_NEXT);
        if (!code && is_neighbour(old, k, v, &chunk))
            return (code = take(&other, k, &chunk)) ? code : side ? join(txn, tree, &other, old) : join(txn, tree, old, &other);
        if (code && code != MDB_NOTFOUND)
            return code;
        k = (MDB_val){ old->key_len, (void *)old->key };
        code = mdb_cursor_get(cursor, &k, &v, MDB_SET);
        if (code)
            return code;
    }
    struct sequence s;
    s.count = 0;
    s.entry = NO_ENTRY;
    s.as_it_was = s.is_last = false;
    return take_items(&s, &old->chunk) ? write_all(txn, tree, slice_of(old->key, old->key_len), &s) : MDB_CORRUPTED;
}

static int delete_at(struct txn *txn, enum tree tree, MDB_cursor *cursor, struct slice key)
{
    struct found found;
    struct old old;
    uint8_t *where;
    uint32_t at;
    bool exact = false, done;

    int code = pack_find(cursor, key, &found);
    if (code)
        return code;
    if (!chunk_find(&found.chunk, pack_piece(key), &at, &exact))
        return MDB_CORRUPTED;
    if (!exact)
        return MDB_NOTFOUND;
    code = delete_in_place(txn, cursor, &found, at, &done);
    if (code || done)
        return code;
    if (found.chunk.count == 1) {
        own_count(txn->own, 0);
        return mdb_cursor_del(cursor, 0);
    }
    if (found.chunk.len > CHUNK_BYTES)
        return MDB_CORRUPTED;
    code = take(&old, found.key, &found.chunk);
    if (code)
        return code;
    chunk_remove(old.bytes, old.chunk.len, at);
    old.chunk.count--;
    if (chunk_live_bytes(&old.chunk) < old.chunk.len / CHUNK_LEAST)
        return put_less(txn, tree, cursor, &old);
    return put_back(txn, cursor, &old, found.is_last, &where);
}

int pack_delete(struct txn *txn, enum tree tree, struct slice key)
{
    MDB_cursor *cursor;

    if (key.len < ID_BYTES || key.len > STORE_KEY_MAX)
        return MDB_NOTFOUND;
    int code = environment_cursor(txn, tree, &cursor);
    if (code)
        return code;
    own_note_last(txn->own, read_u64(key.data), NULL);
    code = delete_at(txn, tree, cursor, key);
    environment_give_cursor(txn, tree, cursor);
    return code;
}
