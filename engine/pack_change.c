/* Chunks that are changed: see pack_change.h. */
#include "engine/pack_change.h"

#include <errno.h>

#include "engine/datafile.h"
#include "engine/trust.h"

enum { PARTS_MAX = 3 };
_Static_assert(CHUNK_BYTES + sizeof(struct page_head) == DATA_PAGE_BYTES, "a full chunk has a page of its own, in which LMDB does not move it");

/* LMDB has given these bytes for a chunk of the key's id. */
static void note_written(struct txn *txn, struct slice key, const MDB_val *chunk, bool is_last)
{
    bool whole = chunk->mv_size == CHUNK_BYTES;

    if (whole)
        own_note(txn->own, chunk->mv_data);
    if (is_last)
        own_note_last(txn->own, read_u64(key.data), whole ? chunk->mv_data : NULL);
}

int pack_take(struct chunk_copy *old, MDB_val key, const struct chunk *chunk)
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

int pack_put_back(struct txn *txn, MDB_cursor *cursor, const struct chunk_copy *old, bool is_last, uint8_t **where)
{
    MDB_val k = { old->key_len, (void *)old->key }, v = { old->chunk.len, NULL };
    own_count_chunk(txn->own, v.mv_size);
    int code = mdb_cursor_put(cursor, &k, &v, MDB_CURRENT | MDB_RESERVE);
    if (code)
        return code;
    memcpy(v.mv_data, old->chunk.bytes, old->chunk.len);
    note_written(txn, slice_of_val(k), &v, is_last);
    pack_stay(txn, cursor, v, is_last);
    *where = v.mv_data;
    return 0;
}

/* ---- laid out anew ---- */

static size_t item_bytes(const struct sequence *s, uint32_t i)
{
    return chunk_entry_bytes(s->items[i].key.len, s->items[i].value.len);
}

bool pack_take_items(struct sequence *s, const struct chunk *chunk)
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
    int code = trust_way(txn, tree, key);
    if (code)
        return code;
    own_count_chunk(txn->own, v.mv_size);
    code = mdb_put(txn->handle, txn->store->trees[tree], &k, &v, MDB_RESERVE);
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

int pack_lay_anew(struct txn *txn, enum tree tree, struct slice first, struct sequence *s)
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

/* ---- where they lie ---- */

int pack_take_own(struct txn *txn, MDB_cursor *cursor, const struct found *found, uint8_t **bytes)
{
    uint8_t copy[STORE_KEY_MAX];
    MDB_val k = { found->key.mv_size, copy }, v = { CHUNK_BYTES, NULL };

    if (own_lies_still(txn->own)) {
        txn->own->changes++;
        *bytes = (uint8_t *)found->chunk.bytes;
        return 0;
    }
    memcpy(copy, found->key.mv_data, found->key.mv_size);
    own_count_chunk(txn->own, CHUNK_BYTES);
    int code = mdb_cursor_put(cursor, &k, &v, MDB_CURRENT | MDB_RESERVE);
    if (code)
        return code;
    note_written(txn, slice_of_val(k), &v, found->is_last);
    *bytes = v.mv_data;
    return 0;
}
