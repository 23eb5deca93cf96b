#include "engine/directory.h"

#include <assert.h>

#include "engine/queue.h"

enum {
    ENTRY_DELETION = 1,
    ENTRY_TOMBSTONE = 2,
    ENTRY_DUE = 4,
    ENTRY_KEY = 8,
    ENTRY_ROW = 16,
    ENTRY_BACK = 32,
};

/* ---- entries ---- */

bool entry_decode(struct slice bytes, struct entry *out)
{
    struct reader r = reader_of(bytes);
    uint8_t flags = read_byte(&r);

    *out = (struct entry){ .deletion = DELETION_NONE, .tombstone_us = TIMESTAMP_NONE };
    out->id = read_varint(&r);
    out->has_back = flags & ENTRY_BACK;
    if (flags == ENTRY_ROW) { /* most, of tables without clustering columns */
        out->row = reader_rest(&r);
        return !r.failed && out->id != 0;
    }
    if (flags & ENTRY_DELETION) {
        out->deletion.timestamp_us = (int64_t)read_be64(&r);
        out->deletion.local_s = read_be32(&r);
    }
    if (flags & ENTRY_TOMBSTONE)
        out->tombstone_us = (int64_t)read_be64(&r);
    if (flags & ENTRY_DUE)
        out->due_s = read_be32(&r);
    if (flags & ENTRY_KEY)
        out->key = read_bytes(&r, read_varint(&r));
    if (flags & ENTRY_ROW)
        out->row = reader_rest(&r);
    return !r.failed && out->id != 0;
}

bool entry_has_graves(struct slice bytes)
{
    return bytes.len && (bytes.data[0] & ENTRY_TOMBSTONE);
}

void entry_encode(struct buf *buf, const struct entry *entry)
{
    uint8_t flags = (deletion_is_none(entry->deletion) ? 0 : ENTRY_DELETION) |
                    (entry->tombstone_us == TIMESTAMP_NONE ? 0 : ENTRY_TOMBSTONE) | (entry->due_s ? ENTRY_DUE : 0) |
                    (slice_is_null(entry->key) ? 0 : ENTRY_KEY) | (slice_is_null(entry->row) ? 0 : ENTRY_ROW) |
                    (entry->has_back ? ENTRY_BACK : 0);

    assert(entry->id);
    buf_put_u8(buf, flags);
    buf_put_varint(buf, entry->id);
    if (flags & ENTRY_DELETION) {
        buf_put_u64(buf, (uint64_t)entry->deletion.timestamp_us);
        buf_put_u32(buf, entry->deletion.local_s);
    }
    if (flags & ENTRY_TOMBSTONE)
        buf_put_u64(buf, (uint64_t)entry->tombstone_us);
    if (flags & ENTRY_DUE)
        buf_put_u32(buf, entry->due_s);
    if (flags & ENTRY_KEY) {
        buf_put_varint(buf, entry->key.len);
        buf_put_slice(buf, entry->key);
    }
    buf_put_slice(buf, entry->row);
}

/* ---- keys ---- */

struct slice directory_key_of_long(struct directory_key *out, struct slice key)
{
    enum { HASH_AT = STORE_KEY_MAX - HASH128_BYTES };

    memcpy(out->bytes + DIRECTORY_PREFIX_BYTES, key.data, HASH_AT - DIRECTORY_PREFIX_BYTES);
    hash128_put(key, out->bytes + HASH_AT);
    out->len = STORE_KEY_MAX;
    return slice_of(out->bytes, out->len);
}

struct slice directory_key_bury(struct directory_key *key)
{
    put_u64(key->bytes, read_u64(key->bytes) | DEAD_HALF);
    return slice_of(key->bytes, key->len);
}

bool directory_key_parse(struct slice physical, struct directory_place *out)
{
    if (physical.len < DIRECTORY_PREFIX_BYTES || read_u64(physical.data) == 0)
        return false;
    out->table_id = read_u64(physical.data) & ~DEAD_HALF;
    out->is_dead = read_u64(physical.data) & DEAD_HALF;
    out->token = token_from_order(read_u64(physical.data + ID_BYTES));
    out->key = slice_skip(physical, DIRECTORY_PREFIX_BYTES);
    return true;
}

bool directory_key_of_item(struct directory_key *out, const struct queue_item *item)
{
    out->len = ID_BYTES + item->place.len;
    if (out->len > sizeof out->bytes)
        return false;
    put_u64(out->bytes, item->id);
    if (item->place.len)
        memcpy(out->bytes + ID_BYTES, item->place.data, item->place.len);
    return true;
}

struct slice directory_back_key(struct directory_key *out, uint64_t id)
{
    put_u64(out->bytes, 0);
    put_u64(out->bytes + ID_BYTES, id);
    out->len = 2 * ID_BYTES;
    return slice_of(out->bytes, out->len);
}

bool directory_back_read(struct slice physical, uint64_t *id)
{
    if (physical.len != 2 * ID_BYTES || read_u64(physical.data) != 0)
        return false;
    *id = read_u64(physical.data + ID_BYTES);
    return true;
}

/* ---- in the tree ---- */

enum wr_status directory_back(struct ctx *ctx, struct txn *txn, uint64_t id, struct slice *out)
{
    struct directory_key key;
    return store_get(ctx, txn, TREE_PARTITIONS, directory_back_key(&key, id), out);
}

enum wr_status directory_get(struct ctx *ctx, struct txn *txn, struct slice physical, struct slice *bytes)
{
    struct directory_key buried = { .len = physical.len };

    TRY(store_get(ctx, txn, TREE_PARTITIONS, physical, bytes));
    if (!slice_is_null(*bytes) || physical.len < DIRECTORY_PREFIX_BYTES || physical.len > sizeof buried.bytes)
        return WR_OK;
    memcpy(buried.bytes, physical.data, physical.len);
    return store_get(ctx, txn, TREE_PARTITIONS, directory_key_bury(&buried), bytes);
}
