/* verify - walks a database and checks what the headers of engine/ claim, and that nothing lies about that nobody
 * refers to. */
#include <inttypes.h>

#include "engine/backlog.h"
#include "engine/graveyard.h"
#include "engine/pack.h"
#include "engine/pages.h"
#include "engine/queue.h"
#include "engine/rowcode.h"
#include "engine/verify.h"

enum wr_status verify_note(struct ctx *ctx, struct verify *v, enum wr_status st)
{
    if (st != WR_CORRUPT)
        return st;
    findings_add(v->findings, "%s", ctx->error);
    return WR_OK;
}

/* Calls check for every entry of a tree. */
static enum wr_status walk(struct ctx *ctx, struct verify *v, enum tree tree,
                           enum wr_status (*check)(struct ctx *, struct verify *, struct slice, struct slice))
{
    struct cursor c = { 0 };
    struct slice key, value;
    enum wr_status st;

    TRY(cursor_open(ctx, &c, v->txn, tree));
    TRY_OUT(cursor_seek(ctx, &c, SLICE_EMPTY, &key, &value));
    while (!slice_is_null(key)) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY_OUT(verify_note(ctx, v, check(ctx, v, key, value)));
        arena_rewind(ctx->arena, mark);
        TRY_OUT(cursor_next(ctx, &c, &key, &value));
    }
out:
    cursor_close(&c);
    return st;
}

static enum wr_status check_directory(struct ctx *ctx, struct verify *v, struct slice physical, struct slice bytes)
{
    struct entry entry;
    struct slice there;
    uint64_t id;

    if (!directory_back_read(physical, &id))
        return verify_partition(ctx, v, physical, bytes);
    TRY(directory_get(ctx, v->txn, bytes, &there));
    if (slice_is_null(there) || !entry_decode(there, &entry) || entry.id != id || !entry.has_back)
        findings_add(v->findings, "partition %" PRIu64 ": a way back to nothing", id);
    return WR_OK;
}

/* ---- what nobody refers to ---- */

struct owned {
    enum tree tree;
    const char *what;
    const struct ids *known, *known_too;
    bool put_off; /* rows are put off in it (backlog.h) */
};

/* What a walk meets is found by its key too: no chunk holds what belongs into another. */
static enum wr_status check_place(struct ctx *ctx, struct verify *v, enum tree tree, const struct packed *at)
{
    uint8_t key[STORE_KEY_MAX];
    struct slice there;

    put_u64(key, at->id);
    memcpy(key + ID_BYTES, at->piece.data, at->piece.len);
    TRY(store_get(ctx, v->txn, tree, slice_of(key, ID_BYTES + at->piece.len), &there));
    if (there.data != at->value.data)
        findings_add(v->findings, "partition %" PRIu64 ": an entry that its key does not lead to", at->id);
    return WR_OK;
}

/* A row that was put off can be applied. */
static enum wr_status check_put_off(struct ctx *ctx, struct verify *v, const struct packed *at)
{
    struct put_off row;
    bool sound = false;

    if (at->piece.len == ID_BYTES)
        TRY(backlog_decode(ctx, at->id, at->value, &row, &sound));
    if (!sound)
        findings_add(v->findings, at->id == BACKLOG_ASIDE ? "a row that was put off could not be applied: it is damaged"
                                                          : "a row that was put off is in a wrong place, or cannot be read");
    return WR_OK;
}

/* Ids in a tree of wide entries are those of their owners, or of layers that keys beyond the store's limit lead to. */
static enum wr_status check_owners(struct ctx *ctx, struct verify *v, const struct owned *owned)
{
    static const uint8_t first[ID_BYTES];
    struct ids layers = { 0 };
    struct pack_cursor c = { 0 };
    struct packed at;
    enum wr_status st;

    TRY(pack_open(ctx, &c, v->txn, owned->tree));
    TRY_OUT(pack_seek(ctx, &c, slice_of(first, sizeof first), &at));
    while (at.id) {
        if (tree_is_packed(owned->tree))
            TRY_OUT(check_place(ctx, v, owned->tree, &at));
        if (owned->put_off && (at.id & BACKLOG_BIT))
            TRY_OUT(check_put_off(ctx, v, &at));
        if (at.piece.len == STORE_KEY_MAX - ID_BYTES && at.value.len == ID_BYTES)
            TRY_OUT(ids_add(ctx, &layers, read_u64(at.value.data)));
        TRY_OUT(pack_next(ctx, &c, &at));
    }
    ids_sort(&layers);
    TRY_OUT(pack_seek(ctx, &c, slice_of(first, sizeof first), &at));
    for (uint64_t last = 0; at.id;) {
        if (at.id != last && !ids_has(owned->known, at.id) && !(owned->known_too && ids_has(owned->known_too, at.id)) &&
            !ids_has(&layers, at.id) && !(owned->put_off && (at.id & BACKLOG_BIT)))
            findings_add(v->findings, "%s of an unknown owner %" PRIu64, owned->what, at.id);
        last = at.id;
        TRY_OUT(pack_next(ctx, &c, &at));
    }
out:
    pack_close(&c);
    ids_release(&layers);
    return st;
}

/* ---- the queue ---- */

static enum wr_status queued_due(struct ctx *ctx, struct verify *v, const struct queue_item *item, uint32_t *due_s)
{
    struct slice bytes = SLICE_NULL;
    struct directory_key key;
    struct rowcode code;
    struct entry entry;
    struct tombstone_range range;
    bool has = false;

    *due_s = 0;
    switch (item->kind) {
    case QUEUE_TABLE:
    case QUEUE_INDEX:
        *due_s = QUEUE_AT_ONCE;
        return WR_OK;
    case QUEUE_PARTITION:
        if (!directory_key_of_item(&key, item))
            return WR_OK;
        TRY(directory_get(ctx, v->txn, slice_of(key.bytes, key.len), &bytes));
        if (!slice_is_null(bytes) && entry_decode(bytes, &entry))
            *due_s = entry.due_s;
        return WR_OK;
    case QUEUE_RANGE:
        TRY(graveyard_get_range(ctx, v->txn, item->id, item->place, &range, &has));
        if (has)
            *due_s = range.due_s;
        return WR_OK;
    case QUEUE_ROW:
    case QUEUE_GRAVE:
        TRY(wide_get(ctx, v->txn, item->kind == QUEUE_ROW ? TREE_ROWS : TREE_GRAVES, item->id, item->place, &bytes));
        if (!slice_is_null(bytes) && rowcode_open(&code, bytes))
            *due_s = code.due_s;
        return WR_OK;
    }
    return WR_OK;
}

static enum wr_status check_queue_id(struct ctx *ctx, struct verify *v, uint64_t id)
{
    struct slice bytes, value;
    enum wr_status st;

    TRY(wide_open(ctx, v->rows, v->txn, TREE_QUEUE, id));
    TRY_OUT(wide_seek(ctx, v->rows, SLICE_EMPTY, &bytes, &value));
    while (!slice_is_null(bytes)) {
        struct queue_item item;
        uint32_t due_s = 0;
        if (queue_item_read(id, bytes, &item))
            TRY_OUT(verify_note(ctx, v, queued_due(ctx, v, &item, &due_s)));
        if (due_s != item.due_s)
            findings_add(v->findings, "the queue has %" PRIu64 " (kind %d) at %" PRIu32 ", which is due at %" PRIu32,
                         item.id, (int)item.kind, item.due_s, due_s);
        TRY_OUT(wide_next(ctx, v->rows, &bytes, &value));
    }
out:
    wide_close(v->rows);
    return st;
}

static enum wr_status check_queue(struct ctx *ctx, struct verify *v)
{
    for (uint64_t id = QUEUE_BIT;; id++) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(queue_first_id(ctx, v->txn, id, &id));
        if (!id)
            return WR_OK;
        TRY(check_queue_id(ctx, v, id));
        arena_rewind(ctx->arena, mark);
    }
}

/* ---- indexes ---- */

static enum wr_status check_index_counts(struct ctx *ctx, struct verify *v)
{
    enum wr_status st = WR_OK;

    for (size_t i = 0; i < v->index_count; i++) {
        uint64_t entries = 0;
        struct slice bytes, value;
        TRY(wide_open(ctx, v->rows, v->txn, TREE_INDEX, v->indexes[i].index_id));
        for (st = wide_seek(ctx, v->rows, SLICE_EMPTY, &bytes, &value); st == WR_OK && !slice_is_null(bytes);
             st = wide_next(ctx, v->rows, &bytes, &value))
            entries++;
        wide_close(v->rows);
        TRY(st);
        if (entries != v->indexes[i].entries)
            findings_add(v->findings, "index %" PRIu64 " has %" PRIu64 " entries for %" PRIu64 " terms",
                         v->indexes[i].index_id, entries, v->indexes[i].entries);
    }
    return WR_OK;
}

/* ---- all of it ---- */

/* What is acknowledged goes into the data file first. */
static enum wr_status check_pages(struct ctx *ctx, struct engine *engine, struct verify *v)
{
    TRY(txn_begin_read(ctx, engine, &v->txn));
    return pages_check(ctx, engine->store, NULL, v->findings);
}

static void check_unique(struct verify *v, const struct ids *sorted, const char *what)
{
    for (size_t i = 1; i < sorted->count; i++)
        if (sorted->at[i - 1] == sorted->at[i])
            findings_add(v->findings, "two %s %" PRIu64, what, sorted->at[i]);
}

static enum wr_status check_all(struct ctx *ctx, struct verify *v)
{
    TRY(walk(ctx, v, TREE_PARTITIONS, check_directory));
    ids_sort(&v->partitions);
    ids_sort(&v->ranges);
    ids_sort(&v->spilled);
    check_unique(v, &v->partitions, "partitions with the id");
    check_unique(v, &v->spilled, "rows with the large value");
    const struct owned trees[] = {
        { TREE_ROWS, "a row", &v->partitions, NULL, true },
        { TREE_GRAVES, "a tombstone", &v->partitions, &v->ranges, false },
        { TREE_SPILL, "a large value", &v->spilled, NULL, false },
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        TRY(check_owners(ctx, v, &trees[i]));
    TRY(check_queue(ctx, v));
    return check_index_counts(ctx, v);
}

enum wr_status engine_verify(struct ctx *ctx, struct engine *engine, struct findings *findings)
{
    struct verify v = { .writer = engine->writer, .findings = findings };
    enum wr_status st;

    TRY_OUT(wide_cursor_new(ctx, &v.rows));
    TRY_OUT(wide_cursor_new(ctx, &v.graves));
    TRY_OUT(check_pages(ctx, engine, &v));
    if (!findings->unreadable)
        TRY_OUT(check_all(ctx, &v));
out:
    txn_abort(&v.txn);
    wide_cursor_free(v.rows);
    wide_cursor_free(v.graves);
    ids_release(&v.partitions);
    ids_release(&v.ranges);
    ids_release(&v.spilled);
    mem_free(v.indexes);
    return st;
}
