#include "engine/purge.h"

#include <assert.h>

#include "engine/change.h"
#include "engine/graveyard.h"
#include "engine/queue.h"
#include "engine/rowcode.h"
#include "engine/spill.h"
#include "engine/state.h"
#include "engine/tidy.h"

enum {
    SWEEP_VISITS = 1024, /* of an engine_sweep, */
    LESS_WHEN_FULL = 16, /* and of one on a full disk, which may have pages for fewer */
    TIDY_ENTRIES = 512,  /* that it looks at, of the directory */
    PASSED_MAX = 512,    /* things of tables nobody knows that one step passes by */
    UNKNOWN_WAIT_S = 60, /* until such things are looked at again */
    PASSED_MANY = 1000,  /* rows that reads step over, until a sweep is wanted */
};

/* ---- forgetting a table ---- */

/* Removes a stored row with all that belongs to it. */
static enum wr_status forget_row(struct ctx *ctx, struct txn *txn, const struct slice bytes)
{
    struct spilled spilled;
    struct row row;

    if (bytes.len == 0 || !(bytes.data[0] & ROWCODE_SPILLED))
        return WR_OK;
    TRY(rowcode_decode(ctx, bytes, &row));
    TRY(spill_take_stubs(ctx, &row, &spilled));
    TRY(spill_clear(ctx, txn, &spilled));
    return spill_release(ctx, txn, &row, NULL);
}

/* The first entry of an id, its bytes copied; a null *bytes: none. */
static enum wr_status first_of(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, struct slice *bytes,
                               struct slice *value)
{
    struct wide_cursor *c = txn_writer(txn)->cursor;
    enum wr_status st;

    TRY(wide_open(ctx, c, txn, tree, id));
    TRY_OUT(wide_seek(ctx, c, SLICE_EMPTY, bytes, value));
    TRY_OUT(ctx_copy(ctx, *bytes, bytes));
    TRY_OUT(ctx_copy(ctx, *value, value));
out:
    wide_close(c);
    return st;
}

static bool is_alone(void *arg, struct slice bytes) /* nothing that belongs to it lies elsewhere */
{
    struct rowcode code;
    (void)arg;
    return rowcode_open(&code, bytes) && !(code.flags & (ROWCODE_DUE | ROWCODE_SPILLED));
}

static enum wr_status forget_rows(struct ctx *ctx, struct txn *txn, enum tree tree, uint64_t id, uint64_t *budget)
{
    enum queue_kind kind = tree == TREE_ROWS ? QUEUE_ROW : QUEUE_GRAVE;
    struct sieve sieve = { is_alone, NULL, *budget, 0 }; /* no further: the rest goes from the first on, and is come by again with each step */

    if (tree == TREE_ROWS) {
        TRY(wide_sift(ctx, txn, tree, id, SLICE_EMPTY, SLICE_NULL, &sieve));
        *budget -= sieve.gone;
    }
    for (; *budget; --*budget) {
        struct slice clustering, bytes;
        struct rowcode code;
        TRY(first_of(ctx, txn, tree, id, &clustering, &bytes));
        if (slice_is_null(clustering))
            return WR_OK;
        if (!rowcode_open(&code, bytes))
            return fail_corrupt(ctx, "header of a row");
        TRY(forget_row(ctx, txn, bytes));
        TRY(queue_delete(ctx, txn, &(struct queue_item){ code.due_s, kind, id, clustering }));
        TRY(wide_delete(ctx, txn, tree, id, clustering));
    }
    return WR_OK;
}

static enum wr_status forget_ranges(struct ctx *ctx, struct txn *txn, uint64_t id, uint64_t *budget)
{
    for (; *budget; --*budget) {
        struct slice start, value;
        struct tombstone_range range;
        TRY(first_of(ctx, txn, TREE_GRAVES, RANGE_BIT | id, &start, &value));
        if (slice_is_null(start))
            return WR_OK;
        if (!graveyard_decode_range(start, value, &range))
            return fail_corrupt(ctx, "a range tombstone");
        TRY(graveyard_remove_range(ctx, txn, id, &range));
    }
    return WR_OK;
}

/* The table's first entry in a half of the directory, copied; a null *physical: none. */
static enum wr_status first_partition(struct ctx *ctx, struct txn *txn, uint64_t half_id, struct slice *physical,
                                      struct slice *bytes)
{
    struct cursor c = { 0 };
    uint8_t prefix[8];
    enum wr_status st;

    put_u64(prefix, half_id);
    TRY(cursor_open(ctx, &c, txn, TREE_PARTITIONS));
    TRY_OUT(cursor_seek(ctx, &c, slice_of(prefix, sizeof prefix), physical, bytes));
    if (!slice_has_prefix(*physical, slice_of(prefix, sizeof prefix)))
        *physical = *bytes = SLICE_NULL;
    TRY_OUT(ctx_copy(ctx, *physical, physical));
    TRY_OUT(ctx_copy(ctx, *bytes, bytes));
out:
    cursor_close(&c);
    return st;
}

static enum wr_status forget_half(struct ctx *ctx, struct txn *txn, uint64_t half_id, uint64_t *budget)
{
    while (*budget) {
        struct arena_mark mark = arena_mark(ctx->arena);
        struct slice physical, bytes;
        struct directory_place at;
        struct directory_key back;
        struct entry entry;

        TRY(first_partition(ctx, txn, half_id, &physical, &bytes));
        if (slice_is_null(physical))
            return WR_OK;
        if (!directory_key_parse(physical, &at) || !entry_decode(bytes, &entry))
            return fail_corrupt(ctx, "an entry of the directory");
        TRY(forget_rows(ctx, txn, TREE_ROWS, entry.id, budget));
        TRY(forget_rows(ctx, txn, TREE_GRAVES, entry.id, budget));
        TRY(forget_ranges(ctx, txn, entry.id, budget));
        if (!*budget)
            return WR_OK;
        TRY(forget_row(ctx, txn, entry.row));
        TRY(queue_delete(ctx, txn, &(struct queue_item){ entry.due_s, QUEUE_PARTITION, half_id & ~DEAD_HALF, slice_skip(physical, ID_BYTES) }));
        TRY(store_delete(ctx, txn, TREE_PARTITIONS, physical));
        partition_forget(txn, &at); /* something of it may be visited next, where the table is still known */
        if (entry.has_back)
            TRY(store_delete(ctx, txn, TREE_PARTITIONS, directory_back_key(&back, entry.id)));
        --*budget;
        arena_rewind(ctx->arena, mark);
    }
    return WR_OK;
}

static enum wr_status forget_partitions(struct ctx *ctx, struct txn *txn, uint64_t table_id, uint64_t *budget)
{
    TRY(forget_half(ctx, txn, table_id, budget));
    return forget_half(ctx, txn, table_id | DEAD_HALF, budget);
}

enum wr_status txn_forget_table(struct ctx *ctx, struct txn *txn, uint64_t table_id)
{
    return queue_put(ctx, txn, &(struct queue_item){ QUEUE_AT_ONCE, QUEUE_TABLE, table_id, SLICE_NULL });
}

enum wr_status txn_forget_index(struct ctx *ctx, struct txn *txn, uint64_t index_id)
{
    return queue_put(ctx, txn, &(struct queue_item){ QUEUE_AT_ONCE, QUEUE_INDEX, index_id, SLICE_NULL });
}

enum wr_status purge_recall_table(struct ctx *ctx, struct txn *txn, uint64_t table_id)
{
    return queue_delete(ctx, txn, &(struct queue_item){ QUEUE_AT_ONCE, QUEUE_TABLE, table_id, SLICE_NULL });
}

enum wr_status purge_recall_index(struct ctx *ctx, struct txn *txn, uint64_t index_id)
{
    return queue_delete(ctx, txn, &(struct queue_item){ QUEUE_AT_ONCE, QUEUE_INDEX, index_id, SLICE_NULL });
}

/* ---- visits ---- */

/* The key of the partition an item belongs to, copied; null: it is gone. */
static enum wr_status find_item(struct ctx *ctx, struct txn *txn, const struct queue_item *item, struct slice *physical)
{
    struct directory_key key;

    if (item->kind != QUEUE_PARTITION) {
        TRY(directory_back(ctx, txn, item->id, physical));
        return ctx_copy(ctx, *physical, physical);
    }
    if (!directory_key_of_item(&key, item))
        return fail_corrupt(ctx, "an entry of the queue");
    return ctx_copy(ctx, slice_of(key.bytes, key.len), physical);
}

/* Opens it; *known false: nobody knows its table, or it is gone. */
static enum wr_status open_item(struct ctx *ctx, struct txn *txn, const struct queue_item *item, struct place *place,
                                bool *known, bool *gone)
{
    const struct writer *writer = txn_writer(txn);
    struct directory_place at;
    struct slice physical, bytes;
    struct entry entry;

    *known = false;
    *gone = false;
    TRY(find_item(ctx, txn, item, &physical));
    *gone = slice_is_null(physical);
    if (*gone)
        return WR_OK;
    if (!directory_key_parse(physical, &at))
        return fail_corrupt(ctx, "the way back to a partition");
    const struct table_shape *table = writer->lookup ? writer->lookup(writer->lookup_arg, at.table_id) : NULL;
    if (!table)
        return WR_OK;
    if (physical.len == STORE_KEY_MAX) {
        TRY(directory_get(ctx, txn, physical, &bytes));
        *gone = slice_is_null(bytes);
        if (*gone)
            return WR_OK;
        if (!entry_decode(bytes, &entry))
            return fail_corrupt(ctx, "an entry of the directory");
        TRY(ctx_copy(ctx, entry.key, &at.key));
    }
    TRY(place_open(ctx, txn, table, at.key, place));
    *gone = place->half == HALF_NONE;
    *known = !*gone;
    return WR_OK;
}

static enum wr_status visit_partition(struct ctx *ctx, struct txn *txn, struct place *place)
{
    struct change change = { .place = place, .is_static = place->table->has_clustering,
                             .over = DELETION_NONE, .visit = true };
    uint32_t due = 0;

    TRY(place_touch(ctx, txn, place));
    struct deletion *deletion = &place->entry.deletion;
    if (!deletion_is_none(*deletion)) {
        if (grace_end(deletion->local_s, place->table->gc_grace_s) < ctx->now_s)
            *deletion = DELETION_NONE;
        else
            due = grace_end(deletion->local_s, place->table->gc_grace_s) + 1;
    }
    TRY(place_set_due(ctx, txn, place, due));
    return change_row(ctx, txn, &change);
}

static enum wr_status visit_row(struct ctx *ctx, struct txn *txn, struct place *place, struct slice clustering)
{
    struct change change = { .place = place, .clustering = clustering, .over = DELETION_NONE, .visit = true };
    return change_row(ctx, txn, &change);
}

static enum wr_status visit_range(struct ctx *ctx, struct txn *txn, struct place *place, struct slice start)
{
    struct tombstone_range range;
    bool found;

    TRY(graveyard_get_range(ctx, txn, place->entry.id, start, &range, &found));
    if (!found)
        return WR_OK;
    if (grace_end(range.deletion.local_s, place->table->gc_grace_s) < ctx->now_s)
        return graveyard_remove_range(ctx, txn, place->entry.id, &range);
    return graveyard_requeue_range(ctx, txn, place, &range);
}

enum wr_status purge_close(struct ctx *ctx, struct txn *txn, struct place *place)
{
    uint64_t id = place->entry.id;
    bool any = true;

    TRY(place_load(ctx, txn, place));
    if (id && deletion_is_none(place->entry.deletion) && slice_is_null(place->entry.row)) {
        TRY(partition_has_any(ctx, txn, TREE_ROWS, id, &any));
        if (!any)
            TRY(partition_has_any(ctx, txn, TREE_GRAVES, id, &any));
        if (!any)
            TRY(partition_has_any(ctx, txn, TREE_GRAVES, RANGE_BIT | id, &any));
    }
    return any ? place_close(ctx, txn, place) : place_remove(ctx, txn, place);
}

static enum wr_status visit_item(struct ctx *ctx, struct txn *txn, const struct queue_item *item, bool *passed)
{
    struct place place;
    bool known, gone;

    TRY(open_item(ctx, txn, item, &place, &known, &gone));
    *passed = !known && !gone;
    if (*passed)
        return WR_OK;
    TRY(queue_delete(ctx, txn, item));
    if (gone)
        return WR_OK;
    if (item->kind == QUEUE_PARTITION)
        TRY(visit_partition(ctx, txn, &place));
    else if (item->kind == QUEUE_RANGE)
        TRY(visit_range(ctx, txn, &place, item->place));
    else if (item->kind == QUEUE_GRAVE)
        TRY(change_grave(ctx, txn, &place, item->place));
    else
        TRY(visit_row(ctx, txn, &place, item->place));
    return purge_close(ctx, txn, &place);
}

/* *budget counts visits; where a table or index takes all of it, the item stays in the queue. */
static enum wr_status forget_item(struct ctx *ctx, struct txn *txn, const struct queue_item *item, uint64_t *budget)
{
    if (item->kind == QUEUE_TABLE)
        TRY(forget_partitions(ctx, txn, item->id, budget));
    else
        TRY(wide_clear(ctx, txn, TREE_INDEX, item->id, budget));
    return *budget ? queue_delete(ctx, txn, item) : WR_OK;
}

static enum wr_status purge(struct ctx *ctx, struct txn *txn, uint64_t budget)
{
    struct writer *writer = txn_writer(txn);
    const struct queue_item *from = NULL;
    struct due_items due;
    uint32_t passed_count = 0;

    do {
        due.max = budget < SWEEP_STEP_MAX ? (uint32_t)budget : SWEEP_STEP_MAX;
        TRY(queue_due(ctx, txn, from, &due));
        writer->next_due_s = due.next_due_s; /* what the visits enter lowers it */
        for (uint32_t i = 0; i < due.count && budget; i++) {
            bool passed = false;
            if (due.items[i].kind == QUEUE_TABLE || due.items[i].kind == QUEUE_INDEX) {
                TRY(forget_item(ctx, txn, &due.items[i], &budget));
            } else {
                TRY(visit_item(ctx, txn, &due.items[i], &passed));
                passed_count += passed;
                budget -= !passed;
            }
        }
        from = due.count ? &due.items[due.count - 1] : NULL;
    } while (budget && passed_count < PASSED_MAX && due.count == due.max);
    if (!budget)
        writer->next_due_s = QUEUE_AT_ONCE;
    else if (passed_count && writer->next_due_s > ctx->now_s + UNKNOWN_WAIT_S)
        writer->next_due_s = ctx->now_s + UNKNOWN_WAIT_S;
    return WR_OK;
}

enum wr_status purge_some(struct ctx *ctx, struct txn *txn, uint32_t max)
{
    struct writer *writer = txn_writer(txn);

    if (ctx->now_s < writer->next_due_s || writer->holds_sweep)
        return WR_OK;
    struct arena_mark mark = arena_mark(ctx->arena);
    writer->depth++;
    enum wr_status st = purge(ctx, txn, max);
    writer->depth--;
    if (st != WR_OK)
        writer->next_due_s = 0;
    arena_rewind(ctx->arena, mark);
    return st;
}

struct sweep {
    uint32_t share; /* of what a sweep visits one in so many */
    bool more;
};

static enum wr_status sweep_body(struct ctx *ctx, struct txn *txn, void *arg)
{
    struct sweep *sweep = arg;
    bool behind, untidy;

    TRY(purge_some(ctx, txn, SWEEP_VISITS / sweep->share));
    TRY(tidy_some(ctx, txn, TIDY_ENTRIES / sweep->share, &untidy));
    TRY(backlog_settle_idle(ctx, txn, &behind));
    sweep->more = behind || untidy || txn_writer(txn)->next_due_s <= ctx->now_s;
    return WR_OK;
}

enum wr_status engine_sweep(struct ctx *ctx, struct engine *engine, bool *more)
{
    struct sweep sweep = { .share = 1 };
    bool may_take = ctx->may_take_reserve;
    enum wr_status st;

    ctx->may_take_reserve = true;
    while ((st = engine_write_gathered(ctx, engine, sweep_body, &sweep)) == WR_FULL && sweep.share < SWEEP_VISITS)
        sweep.share *= LESS_WHEN_FULL;
    ctx->may_take_reserve = may_take;
    *more = sweep.more;
    return st;
}

/* ---- when reads want it ---- */

void engine_set_sweep_hook(struct engine *engine, void (*wanted)(void *arg), void *arg)
{
    engine->sweep_wanted = wanted;
    engine->sweep_arg = arg;
}

void purge_passed(struct txn *txn)
{
    struct engine *engine = txn_engine(txn);

    if (engine->sweep_wanted && atomic_fetch_add_explicit(&engine->expired_passed, 1, memory_order_relaxed) % PASSED_MANY == PASSED_MANY - 1)
        engine->sweep_wanted(engine->sweep_arg);
}
