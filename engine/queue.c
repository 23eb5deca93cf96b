#include "engine/queue.h"

#include <assert.h>

#include "engine/buf.h"
#include "engine/coding.h"
#include "engine/writer.h"

static uint64_t queue_id(uint32_t due_s, enum queue_kind kind)
{
    return QUEUE_BIT | (uint64_t)due_s << 8 | kind;
}

static enum wr_status queue_bytes(struct ctx *ctx, const struct queue_item *item, struct slice *out)
{
    uint8_t *bytes = ctx_alloc(ctx, ID_BYTES + item->place.len);
    if (!bytes)
        return WR_NOMEM;
    put_u64(bytes, item->id);
    if (item->place.len)
        memcpy(bytes + ID_BYTES, item->place.data, item->place.len);
    *out = slice_of(bytes, ID_BYTES + item->place.len);
    return WR_OK;
}

enum wr_status queue_put(struct ctx *ctx, struct txn *txn, const struct queue_item *item)
{
    struct writer *writer = txn_writer(txn);
    struct slice bytes;

    if (!item->due_s)
        return WR_OK;
    TRY(queue_bytes(ctx, item, &bytes));
    TRY(wide_put(ctx, txn, TREE_QUEUE, queue_id(item->due_s, item->kind), bytes, SLICE_EMPTY));
    writer->queued++;
    if (item->due_s < writer->next_due_s)
        writer->next_due_s = item->due_s;
    return WR_OK;
}

enum wr_status queue_delete(struct ctx *ctx, struct txn *txn, const struct queue_item *item)
{
    struct slice bytes;

    if (!item->due_s)
        return WR_OK;
    TRY(queue_bytes(ctx, item, &bytes));
    return wide_delete(ctx, txn, TREE_QUEUE, queue_id(item->due_s, item->kind), bytes);
}

enum wr_status queue_has(struct ctx *ctx, struct txn *txn, const struct queue_item *item, bool *has)
{
    struct slice bytes, value;

    TRY(queue_bytes(ctx, item, &bytes));
    TRY(wide_get(ctx, txn, TREE_QUEUE, queue_id(item->due_s, item->kind), bytes, &value));
    *has = !slice_is_null(value);
    return WR_OK;
}

enum wr_status queue_first_id(struct ctx *ctx, struct txn *txn, uint64_t from, uint64_t *out)
{
    struct cursor c = { 0 };
    struct slice key, value;
    uint8_t at[ID_BYTES];

    put_u64(at, from);
    TRY(cursor_open(ctx, &c, txn, TREE_QUEUE));
    enum wr_status st = cursor_seek(ctx, &c, slice_of(at, sizeof at), &key, &value);
    if (st == WR_OK)
        *out = key.len >= ID_BYTES ? read_u64(key.data) : 0;
    cursor_close(&c);
    return st;
}

static uint32_t due_of(uint64_t id)
{
    return (uint32_t)(id >> 8);
}

bool queue_item_read(uint64_t id, struct slice bytes, struct queue_item *out)
{
    *out = (struct queue_item){ .due_s = due_of(id), .kind = id & 0xff };
    if (bytes.len < ID_BYTES)
        return false;
    out->id = read_u64(bytes.data);
    out->place = slice_skip(bytes, ID_BYTES);
    return true;
}

/* Items of one id, until there are max. */
static enum wr_status gather(struct ctx *ctx, struct txn *txn, uint64_t id, struct slice at, struct due_items *out)
{
    struct wide_cursor *cursor = txn_writer(txn)->cursor;
    struct slice bytes, value;
    enum wr_status st;

    TRY(wide_open(ctx, cursor, txn, TREE_QUEUE, id));
    TRY_OUT(wide_seek(ctx, cursor, at, &bytes, &value));
    while (!slice_is_null(bytes) && out->count < out->max) {
        struct queue_item *item = &out->items[out->count];
        if (!queue_item_read(id, bytes, item)) {
            st = fail_corrupt(ctx, "an entry of the queue");
            goto out;
        }
        TRY_OUT(ctx_copy(ctx, item->place, &item->place));
        out->count++;
        TRY_OUT(wide_next(ctx, cursor, &bytes, &value));
    }
out:
    wide_close(cursor);
    return st;
}

enum wr_status queue_due(struct ctx *ctx, struct txn *txn, const struct queue_item *from, struct due_items *out)
{
    uint64_t id = QUEUE_BIT;
    struct slice at = SLICE_EMPTY;

    if (from) {
        id = queue_id(from->due_s, from->kind);
        TRY(queue_bytes(ctx, from, &at));
    }
    out->count = 0;
    if (!(out->items = NEW_ARRAY(ctx, struct queue_item, out->max)))
        return WR_NOMEM;
    for (;;) {
        uint64_t found;
        TRY(queue_first_id(ctx, txn, id, &found));
        out->next_due_s = found ? due_of(found) : UINT32_MAX;
        if (!found || due_of(found) > ctx->now_s)
            return WR_OK;
        TRY(gather(ctx, txn, found, found == id ? at : SLICE_EMPTY, out));
        if (out->count == out->max) /* perhaps there is more of this one */
            return WR_OK;
        id = found + 1;
    }
}
