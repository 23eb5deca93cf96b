#include "engine/graveyard.h"

#include <assert.h>

#include "engine/coding.h"
#include "engine/queue.h"

bool graveyard_decode_range(struct slice start, struct slice value, struct tombstone_range *out)
{
    struct reader r = reader_of(value);

    out->deletion.timestamp_us = (int64_t)read_be64(&r);
    out->deletion.local_s = read_be32(&r);
    out->due_s = read_be32(&r);
    bool has_end = read_byte(&r);
    out->range.start = start;
    out->range.end = has_end ? reader_rest(&r) : SLICE_NULL;
    return !r.failed && !range_is_empty(out->range);
}

static uint32_t due_of(const struct place *place, struct deletion d)
{
    return grace_end(d.local_s, place->table->gc_grace_s) + 1;
}

static struct queue_item queue_item_of(uint64_t partition_id, const struct tombstone_range *r)
{
    return (struct queue_item){ r->due_s, QUEUE_RANGE, partition_id, r->range.start };
}

static enum wr_status put(struct ctx *ctx, struct txn *txn, uint64_t partition_id, const struct tombstone_range *r)
{
    struct queue_item item = queue_item_of(partition_id, r);
    struct buf buf;
    struct slice value;

    assert(!range_is_empty(r->range));
    buf_init(&buf, ctx->arena);
    buf_put_u64(&buf, (uint64_t)r->deletion.timestamp_us);
    buf_put_u32(&buf, r->deletion.local_s);
    buf_put_u32(&buf, r->due_s);
    buf_put_u8(&buf, !slice_is_null(r->range.end));
    buf_put_slice(&buf, r->range.end);
    TRY(buf_done(ctx, &buf, &value));
    TRY(wide_put(ctx, txn, TREE_GRAVES, RANGE_BIT | partition_id, r->range.start, value));
    return queue_put(ctx, txn, &item);
}

enum wr_status graveyard_remove_range(struct ctx *ctx, struct txn *txn, uint64_t partition_id,
                                      const struct tombstone_range *range)
{
    struct queue_item item = queue_item_of(partition_id, range);

    TRY(wide_delete(ctx, txn, TREE_GRAVES, RANGE_BIT | partition_id, range->range.start));
    return queue_delete(ctx, txn, &item);
}

enum wr_status graveyard_requeue_range(struct ctx *ctx, struct txn *txn, const struct place *place,
                                       const struct tombstone_range *range)
{
    struct tombstone_range anew = *range;
    struct queue_item item = queue_item_of(place->entry.id, range);

    TRY(queue_delete(ctx, txn, &item));
    anew.due_s = due_of(place, range->deletion);
    return put(ctx, txn, place->entry.id, &anew);
}

enum wr_status graveyard_get_range(struct ctx *ctx, struct txn *txn, uint64_t partition_id, struct slice start,
                                   struct tombstone_range *out, bool *found)
{
    struct slice value;

    TRY(wide_get(ctx, txn, TREE_GRAVES, RANGE_BIT | partition_id, start, &value));
    *found = !slice_is_null(value);
    if (!*found)
        return WR_OK;
    TRY(ctx_copy(ctx, value, &value));
    if (!graveyard_decode_range(start, value, out))
        return fail_corrupt(ctx, "a range tombstone");
    return WR_OK;
}

/* Puts the cursor on the last range that begins at or before `start`, or else on the first of all. */
static enum wr_status seek_around(struct ctx *ctx, struct wide_cursor *c, struct slice start, struct slice *bytes,
                                  struct slice *value)
{
    struct slice behind;
    TRY(ctx_next_bytes(ctx, start, &behind));
    TRY(wide_seek_before(ctx, c, behind, bytes, value));
    return slice_is_null(*bytes) ? wide_seek(ctx, c, SLICE_EMPTY, bytes, value) : WR_OK;
}

struct ranges {
    struct tombstone_range *at;
    size_t count, room;
};

static struct tombstone_range *ranges_push(struct ctx *ctx, struct ranges *ranges)
{
    if (ranges->count == ranges->room) {
        size_t room = ranges->room ? ranges->room * 2 : 4;
        struct tombstone_range *at = NEW_ARRAY(ctx, struct tombstone_range, room);
        if (!at)
            return NULL;
        if (ranges->count)
            memcpy(at, ranges->at, ranges->count * sizeof *at);
        ranges->at = at;
        ranges->room = room;
    }
    return &ranges->at[ranges->count++];
}

static bool begins_before_end(struct slice start, struct range range)
{
    return slice_is_null(range.end) || slice_cmp(start, range.end) < 0;
}

static enum wr_status each_meeting(struct ctx *ctx, struct wide_cursor *c, struct range range, tombstone_range_fn *fn, void *arg)
{
    struct slice bytes, value;
    bool more = true;

    TRY(seek_around(ctx, c, range.start, &bytes, &value));
    while (more && !slice_is_null(bytes) && begins_before_end(bytes, range)) {
        struct tombstone_range found;
        if (!graveyard_decode_range(bytes, value, &found))
            return fail_corrupt(ctx, "a range tombstone");
        if (begins_before_end(range.start, found.range))
            TRY(fn(ctx, arg, &found, &more));
        TRY(wide_next(ctx, c, &bytes, &value));
    }
    return WR_OK;
}

enum wr_status graveyard_each_range(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, uint64_t partition_id, struct range range,
                                    tombstone_range_fn *fn, void *arg)
{
    TRY(wide_open(ctx, c, txn, TREE_GRAVES, RANGE_BIT | partition_id));
    enum wr_status st = each_meeting(ctx, c, range, fn, arg);
    wide_close(c);
    return st;
}

static enum wr_status keep_range(struct ctx *ctx, void *arg, const struct tombstone_range *range, bool *more)
{
    struct tombstone_range *room = ranges_push(ctx, arg);
    (void)more;
    if (!room)
        return WR_NOMEM;
    *room = *range;
    TRY(ctx_copy(ctx, range->range.start, &room->range.start));
    return ctx_copy(ctx, range->range.end, &room->range.end);
}

enum wr_status graveyard_ranges(struct ctx *ctx, struct txn *txn, uint64_t partition_id, struct range range,
                                struct tombstone_range **out, size_t *count)
{
    struct ranges found = { 0 };
    struct wide_cursor *c;

    TRY(wide_cursor_new(ctx, &c));
    enum wr_status st = graveyard_each_range(ctx, txn, c, partition_id, range, keep_range, &found);
    wide_cursor_free(c);
    *out = found.at;
    *count = found.count;
    return st;
}

enum wr_status graveyard_covering(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, uint64_t partition_id, struct slice clustering,
                                  struct deletion *out)
{
    struct slice bytes, value;
    struct tombstone_range found;
    enum wr_status st;

    *out = DELETION_NONE;
    TRY(wide_open(ctx, c, txn, TREE_GRAVES, RANGE_BIT | partition_id));
    TRY_OUT(seek_around(ctx, c, clustering, &bytes, &value));
    if (slice_is_null(bytes))
        goto out;
    if (!graveyard_decode_range(bytes, value, &found))
        st = fail_corrupt(ctx, "a range tombstone");
    else if (range_has(found.range, clustering))
        *out = found.deletion;
out:
    wide_close(c);
    return st;
}

/* ---- laying one range over others ---- */

static bool deletion_eq(struct deletion a, struct deletion b)
{
    return a.timestamp_us == b.timestamp_us && a.local_s == b.local_s;
}

/* One more piece behind the others; joined to the last where both are of one deletion and touch. */
static enum wr_status add_piece(struct ctx *ctx, struct ranges *pieces, struct slice start, struct slice end,
                                struct deletion deletion)
{
    struct tombstone_range *last = pieces->count ? &pieces->at[pieces->count - 1] : NULL;

    if (range_is_empty((struct range){ start, end }))
        return WR_OK;
    if (last && deletion_eq(last->deletion, deletion) && slice_eq(last->range.end, start) &&
        !slice_is_null(last->range.end)) {
        last->range.end = end;
        return WR_OK;
    }
    struct tombstone_range *room = ranges_push(ctx, pieces);
    if (!room)
        return WR_NOMEM;
    *room = (struct tombstone_range){ { start, end }, deletion, 0 };
    return WR_OK;
}

static struct slice end_min(struct slice a, struct slice b)
{
    if (slice_is_null(a) || slice_is_null(b))
        return slice_is_null(a) ? b : a;
    return slice_cmp(a, b) <= 0 ? a : b;
}

/* The new range and all that meet it, cut into pieces with the greater deletion each. */
static enum wr_status overlay(struct ctx *ctx, const struct range_deletion *new, const struct ranges *old, struct ranges *out)
{
    struct slice at = new->range.start;

    for (size_t i = 0; i < old->count; i++) {
        const struct tombstone_range *o = &old->at[i];
        struct slice shared_end = end_min(o->range.end, new->range.end);

        if (slice_cmp(o->range.start, at) < 0)
            TRY(add_piece(ctx, out, o->range.start, at, o->deletion));
        else
            TRY(add_piece(ctx, out, at, o->range.start, new->deletion));
        struct slice shared = slice_cmp(o->range.start, at) < 0 ? at : o->range.start;
        TRY(add_piece(ctx, out, shared, shared_end, deletion_merge(o->deletion, new->deletion)));
        if (slice_is_null(new->range.end)) {
            if (slice_is_null(o->range.end))
                return WR_OK;
        } else if (slice_is_null(o->range.end) || slice_cmp(o->range.end, new->range.end) >= 0) {
            return add_piece(ctx, out, new->range.end, o->range.end, o->deletion);
        }
        at = o->range.end;
    }
    return add_piece(ctx, out, at, new->range.end, new->deletion);
}

static bool is_same(const struct tombstone_range *a, const struct tombstone_range *b)
{
    return slice_eq(a->range.start, b->range.start) && slice_is_null(a->range.end) == slice_is_null(b->range.end) &&
           slice_eq(a->range.end, b->range.end) && deletion_eq(a->deletion, b->deletion) && a->due_s == b->due_s;
}

/* Pieces in place of the old ones, both in order; where many meet, most are what they were. */
static enum wr_status put_in_place(struct ctx *ctx, struct txn *txn, uint64_t partition_id, const struct ranges *old, const struct ranges *pieces)
{
    size_t at = 0;

    for (size_t i = 0; i < old->count; i++) {
        while (at < pieces->count && slice_cmp(pieces->at[at].range.start, old->at[i].range.start) < 0)
            at++;
        if (at == pieces->count || !is_same(&old->at[i], &pieces->at[at]))
            TRY(graveyard_remove_range(ctx, txn, partition_id, &old->at[i]));
    }
    at = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        while (at < old->count && slice_cmp(old->at[at].range.start, pieces->at[i].range.start) < 0)
            at++;
        if (at == old->count || !is_same(&old->at[at], &pieces->at[i]))
            TRY(put(ctx, txn, partition_id, &pieces->at[i]));
    }
    return WR_OK;
}

enum wr_status graveyard_put_range(struct ctx *ctx, struct txn *txn, struct place *place, const struct range_deletion *range)
{
    struct ranges old = { 0 }, pieces = { 0 };

    if (range_is_empty(range->range) || deletion_covers(place->entry.deletion, range->deletion.timestamp_us))
        return WR_OK;
    TRY(place_need_id(ctx, txn, place));
    TRY(place_need_back(ctx, txn, place));
    TRY(place_raise(ctx, txn, place, range->deletion.timestamp_us));
    struct arena_mark mark = arena_mark(ctx->arena);
    TRY(graveyard_each_range(ctx, txn, txn_writer(txn)->cursor, place->entry.id, range->range, keep_range, &old));
    TRY(overlay(ctx, range, &old, &pieces));
    for (size_t i = 0; i < pieces.count; i++)
        pieces.at[i].due_s = due_of(place, pieces.at[i].deletion);
    TRY(put_in_place(ctx, txn, place->entry.id, &old, &pieces));
    arena_rewind(ctx->arena, mark);
    return WR_OK;
}
