#include "engine/change.h"

#include <assert.h>

#include "engine/counter.h"
#include "engine/graveyard.h"
#include "engine/index.h"
#include "engine/queue.h"
#include "engine/rowcode.h"
#include "engine/spill.h"

static const struct row nothing = { .liveness = { TIMESTAMP_NONE, 0, 0 }, .deletion = { TIMESTAMP_NONE, 0 } };

/* A stored row in memory, and where it came from. */
struct stored {
    bool found;
    uint32_t due_s;
    struct slice bytes; /* as they lay there, in ctx's memory */
    struct row row;
    struct spilled spilled;
};

/* One change on its way. */
struct work {
    const struct change *change;
    struct place *place;
    const struct table_shape *table;
    bool in_entry; /* the row lives in the directory's entry */
    struct slice there; /* the row in TREE_ROWS, where it has been seen already; else null */
    struct stored living, grave;
    struct row before; /* the living row as it was stored: spill_resolve_ties has not been at its cells */
    struct row merged;
    bool alive;
    uint32_t due_s;
};

static bool is_in_entry(const struct change *change)
{
    return change->is_static || !change->place->table->has_clustering;
}

int64_t row_least_timestamp(const struct row *row)
{
    int64_t least = INT64_MAX;

    if (!liveness_is_none(row->liveness))
        least = row->liveness.timestamp_us;
    if (!deletion_is_none(row->deletion) && row->deletion.timestamp_us < least)
        least = row->deletion.timestamp_us;
    for (uint32_t i = 0; i < row->complex_count; i++)
        if (row->complex[i].deletion.timestamp_us < least)
            least = row->complex[i].deletion.timestamp_us;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (row->cells[i].timestamp_us < least)
            least = row->cells[i].timestamp_us;
    return least;
}

static int64_t greatest_timestamp(const struct row *row)
{
    int64_t greatest = TIMESTAMP_NONE;

    if (row->liveness.timestamp_us > greatest)
        greatest = row->liveness.timestamp_us;
    if (row->deletion.timestamp_us > greatest)
        greatest = row->deletion.timestamp_us;
    for (uint32_t i = 0; i < row->complex_count; i++)
        if (row->complex[i].deletion.timestamp_us > greatest)
            greatest = row->complex[i].deletion.timestamp_us;
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (row->cells[i].timestamp_us > greatest)
            greatest = row->cells[i].timestamp_us;
    return greatest;
}

/* ---- what is over, and when to look again ---- */

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The last second in which a dead or expired cell is held. An expired one counts from when it was written, as Cassandra's
 * AbstractCell.purge has it: the tombstone it becomes is made at (expiry - TTL). */
static uint32_t cell_held_until(const struct cell *c, uint32_t gc_grace_s)
{
    uint32_t made_s = c->kind == CELL_EXPIRED && c->local_s > c->ttl_s ? c->local_s - c->ttl_s : c->local_s;
    uint32_t until = grace_end(made_s, gc_grace_s);
    return c->kind == CELL_EXPIRED ? later(until, c->local_s - 1) : until;
}

static bool is_tombstone(const struct cell *c)
{
    return c->kind == CELL_DEAD || c->kind == CELL_EXPIRED;
}

/* Empties what has expired and leaves out tombstones past their grace. */
static void settle(struct row *row, uint32_t now_s, uint32_t gc_grace_s)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < row->cell_count; i++) {
        struct cell *c = &row->cells[i];
        if (c->kind == CELL_EXPIRING && now_s >= c->local_s) {
            c->kind = CELL_EXPIRED;
            c->flags = 0;
            c->value = SLICE_NULL;
        }
        if (!is_tombstone(c) || cell_held_until(c, gc_grace_s) >= now_s)
            row->cells[kept++] = *c;
    }
    row->cell_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < row->complex_count; i++)
        if (grace_end(row->complex[i].deletion.local_s, gc_grace_s) >= now_s)
            row->complex[kept++] = row->complex[i];
    row->complex_count = kept;
    if (!deletion_is_none(row->deletion) && grace_end(row->deletion.local_s, gc_grace_s) < now_s)
        row->deletion = DELETION_NONE;
    if (row->liveness.ttl_s && now_s >= row->liveness.local_s) {
        row->liveness.ttl_s = TTL_EXPIRED;
        if (grace_end(row->liveness.local_s, gc_grace_s) < now_s)
            row->liveness = LIVENESS_NONE;
    }
}

static uint32_t due_min(uint32_t a, uint32_t b)
{
    return a == 0 ? b : b == 0 ? a : a < b ? a : b;
}

/* Of a living row: when the first of it expires, or the first dead element of a collection may go. Its other tombstones are
 * few and wait for its next write. */
static uint32_t due_of_living(const struct row *row, uint32_t now_s, uint32_t gc_grace_s)
{
    uint32_t due = row->liveness.ttl_s && liveness_is_live(row->liveness, now_s) ? row->liveness.local_s : 0;

    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i];
        if (c->kind == CELL_EXPIRING)
            due = due_min(due, c->local_s);
        else if (is_tombstone(c) && !slice_is_null(c->path))
            due = due_min(due, cell_held_until(c, gc_grace_s) + 1);
    }
    return due;
}

/* Of a dead row: when all of it may go. */
static uint32_t due_of_dead(const struct row *row, uint32_t gc_grace_s)
{
    uint32_t until = 0;

    for (uint32_t i = 0; i < row->cell_count; i++)
        if (is_tombstone(&row->cells[i]))
            until = later(until, cell_held_until(&row->cells[i], gc_grace_s));
    for (uint32_t i = 0; i < row->complex_count; i++)
        until = later(until, grace_end(row->complex[i].deletion.local_s, gc_grace_s));
    if (!deletion_is_none(row->deletion))
        until = later(until, grace_end(row->deletion.local_s, gc_grace_s));
    if (row->liveness.ttl_s)
        until = later(until, grace_end(row->liveness.local_s, gc_grace_s));
    return until + 1;
}

/* An earlier second already in the queue stays: the visit finds the next one. So a row written again and again with a TTL
 * does not move in the queue each time. */
static uint32_t due_kept(uint32_t old, uint32_t new, bool visit)
{
    return visit || old == 0 || (new && new < old) ? new : old;
}

/* ---- loading ---- */

static enum wr_status load_bytes(struct ctx *ctx, struct slice bytes, struct stored *out)
{
    struct rowcode code;

    *out = (struct stored){ .row = ROW_NONE };
    if (slice_is_null(bytes))
        return WR_OK;
    /* The map's bytes hold only until the next write, and there will be some before the row is put. */
    TRY(ctx_copy(ctx, bytes, &bytes));
    TRY(rowcode_decode(ctx, bytes, &out->row));
    out->bytes = bytes;
    if (rowcode_open(&code, bytes))
        out->due_s = code.due_s;
    out->found = true;
    return spill_take_stubs(ctx, &out->row, &out->spilled);
}

/* Of its large collections those elements that `met` has, too; NULL: all. */
static enum wr_status load_grave(struct ctx *ctx, struct txn *txn, struct work *w, const struct row *met)
{
    struct slice bytes;

    TRY(wide_get(ctx, txn, TREE_GRAVES, w->place->entry.id, w->change->clustering, &bytes));
    TRY(load_bytes(ctx, bytes, &w->grave));
    return spill_load(ctx, txn, &w->grave.spilled, &w->grave.row, met ? met : &nothing, !met);
}

static enum wr_status load(struct ctx *ctx, struct txn *txn, struct work *w)
{
    const struct change *change = w->change;
    uint64_t id = w->place->entry.id;
    struct slice bytes = w->there;

    w->living.row = w->grave.row = ROW_NONE;
    if (w->in_entry) {
        TRY(place_load(ctx, txn, w->place));
        TRY(load_bytes(ctx, w->place->entry.row, &w->living));
    } else if (id) {
        if (slice_is_null(bytes))
            TRY(wide_get(ctx, txn, TREE_ROWS, id, change->clustering, &bytes));
        TRY(load_bytes(ctx, bytes, &w->living));
        if (change->late && w->place->entry.tombstone_us != TIMESTAMP_NONE)
            TRY(load_grave(ctx, txn, w, NULL));
    }
    bool whole = change->whole || change->visit || change->replace || w->grave.found || w->table->hook;
    for (uint32_t i = 0; i < w->table->index_count; i++)
        whole |= w->table->indexes[i].shared_terms;
    return spill_load(ctx, txn, &w->living.spilled, &w->living.row, change->update ? change->update : &nothing, whole);
}

static enum wr_status find_alive(struct ctx *ctx, struct txn *txn, struct work *w)
{
    w->alive = w->table->marker_decides ? liveness_is_live(w->merged.liveness, ctx->now_s) : row_is_alive(&w->merged, ctx->now_s);
    if (w->alive || w->table->marker_decides)
        return WR_OK;
    return spill_is_alive(ctx, txn, &w->living.spilled, &w->merged, &w->alive);
}

static enum wr_status merge(struct ctx *ctx, struct txn *txn, struct work *w)
{
    const struct row *update = w->change->update ? w->change->update : &nothing;
    const struct row *stored = &w->living.row;
    struct row both;

    w->before = w->living.row;
    if (w->change->replace)
        stored = &nothing;
    TRY(spill_resolve_ties(ctx, txn, &w->living.row, update));
    if (w->grave.found) {
        TRY(row_merge(ctx, &w->living.row, &w->grave.row, DELETION_NONE, &both));
        stored = &both;
    }
    TRY(row_merge(ctx, stored, update, w->change->over, &w->merged));
    if (w->living.found) /* of replaced rows, and of those with nothing outside of the spill, too */
        w->merged.annex = w->living.row.annex;
    settle(&w->merged, ctx->now_s, w->table->gc_grace_s);
    TRY(find_alive(ctx, txn, w));
    if (w->table->derived && !w->alive)
        w->merged = nothing;
    w->due_s = w->alive             ? due_of_living(&w->merged, ctx->now_s, w->table->gc_grace_s)
               : row_is_empty(&w->merged) ? 0
                                          : due_of_dead(&w->merged, w->table->gc_grace_s);
    return WR_OK;
}

/* ---- what others are told ---- */

enum wr_status row_shown(struct ctx *ctx, struct txn *txn, const struct row *row, uint32_t now_s, struct row *out, bool *alive)
{
    *out = ROW_NONE;
    out->annex = row->annex;
    *alive = row_is_alive(row, now_s);
    if (!*alive)
        return WR_OK;
    if (liveness_is_live(row->liveness, now_s))
        out->liveness = row->liveness;
    if (row->cell_count && !(out->cells = NEW_ARRAY(ctx, struct cell, row->cell_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        if (!cell_is_live(&row->cells[i], now_s))
            continue;
        struct cell *c = &out->cells[out->cell_count++];
        *c = row->cells[i];
        if (c->flags & CELL_SPILLED) {
            TRY(spill_value(ctx, txn, c->value, &c->value));
            TRY(ctx_copy(ctx, c->value, &c->value));
            c->flags &= (uint8_t)~CELL_SPILLED;
        }
    }
    return WR_OK;
}

/* The row as indexes and the hook see it, before and after; NULL: not there. */
struct views {
    struct terms *before, *after; /* one of each an index */
    struct row seen_before, seen_after;
    bool was_seen, is_seen;
};

/* Of a collection that is not wholly loaded the cells that are: no other cell's terms change, nor are they those of others.
 * counts: the row is there, whatever of it is loaded. */
static enum wr_status collect_terms(struct ctx *ctx, struct txn *txn, const struct work *w, const struct row *row, bool counts,
                                    struct terms **out)
{
    struct row shown;
    bool alive;

    if (!(*out = NEW_ARRAY(ctx, struct terms, w->table->index_count)))
        return WR_NOMEM;
    TRY(row_shown(ctx, txn, row, 0, &shown, &alive));
    alive |= counts;
    for (uint32_t i = 0; i < w->table->index_count; i++) {
        const struct index_shape *index = &w->table->indexes[i];
        if (index_shape_is_of(index, w->change->is_static))
            TRY(index_terms(ctx, index, w->place->key, w->change->clustering, alive ? &shown : NULL, &(*out)[i]));
    }
    return WR_OK;
}

/* All of it before anything is written, since large values are read from the tree. */
static enum wr_status prepare_views(struct ctx *ctx, struct txn *txn, const struct work *w, struct views *out)
{
    *out = (struct views){ 0 };
    if (w->table->index_count) {
        TRY(collect_terms(ctx, txn, w, &w->living.row, spill_was_alive(&w->living.spilled), &out->before));
        TRY(collect_terms(ctx, txn, w, w->alive ? &w->merged : &nothing, w->alive, &out->after));
        for (uint32_t i = 0; i < w->table->index_count; i++)
            TRY(index_sketch_change(ctx, &w->table->indexes[i], &out->before[i], &out->after[i]));
    }
    if (w->table->hook && !w->change->is_static && !w->change->visit) {
        TRY(row_shown(ctx, txn, &w->living.row, ctx->now_s, &out->seen_before, &out->was_seen));
        TRY(row_shown(ctx, txn, &w->merged, ctx->now_s, &out->seen_after, &out->is_seen));
    }
    return WR_OK;
}

static enum wr_status tell_views(struct ctx *ctx, struct txn *txn, const struct work *w, const struct views *views)
{
    const struct row_hook *hook = w->table->hook;

    for (uint32_t i = 0; i < w->table->index_count; i++)
        TRY(index_change(ctx, txn, w->table->indexes[i].index_id, w->place, w->change->clustering, &views->before[i],
                         &views->after[i]));
    if (hook && (views->was_seen || views->is_seen))
        TRY(hook->changed(ctx, hook->arg, txn, w->place->key, w->change->clustering,
                          views->was_seen ? &views->seen_before : NULL, views->is_seen ? &views->seen_after : NULL));
    return WR_OK;
}

/* ---- putting ---- */

static enum wr_status encode(struct ctx *ctx, const struct row *row, uint32_t due_s, struct slice *out)
{
    struct buf buf;

    buf_init(&buf, ctx->arena);
    rowcode_encode(&buf, row, due_s);
    return buf_done(ctx, &buf, out);
}

static enum wr_status put_in_entry(struct ctx *ctx, struct txn *txn, struct work *w)
{
    struct place *place = w->place;
    uint32_t due = w->due_s;

    if (!w->living.found && row_is_empty(&w->merged))
        return WR_OK;
    TRY(place_touch(ctx, txn, place));
    if (!deletion_is_none(place->entry.deletion))
        due = due_min(due, grace_end(place->entry.deletion.local_s, w->table->gc_grace_s) + 1);
    TRY(place_set_due(ctx, txn, place, due_kept(place->entry.due_s, due, w->change->visit)));
    place->entry.row = SLICE_NULL;
    place->lives |= w->alive;
    return row_is_empty(&w->merged) ? WR_OK : encode(ctx, &w->merged, 0, &place->entry.row);
}

/* Where a row of a partition lies: among the rows, or in the graveyard. */
struct seat {
    struct place *place;
    struct slice clustering;
    enum tree tree;
};

static struct queue_item due_at(const struct seat *seat, uint32_t due_s)
{
    return (struct queue_item){ due_s, seat->tree == TREE_ROWS ? QUEUE_ROW : QUEUE_GRAVE, seat->place->entry.id, seat->clustering };
}

/* Moves the queue's entry of a row from one second to another. */
static enum wr_status requeue(struct ctx *ctx, struct txn *txn, const struct seat *seat, uint32_t old_s, uint32_t new_s)
{
    struct queue_item old = due_at(seat, old_s), new = due_at(seat, new_s);

    if (old_s == new_s)
        return WR_OK;
    TRY(queue_delete(ctx, txn, &old));
    if (new_s)
        TRY(place_need_back(ctx, txn, seat->place));
    return queue_put(ctx, txn, &new);
}

static enum wr_status put_row(struct ctx *ctx, struct txn *txn, const struct seat *seat, const struct row *row, const struct stored *old, uint32_t due_s)
{
    struct slice bytes;

    TRY(encode(ctx, row, due_s, &bytes));
    if (old->found && slice_eq(old->bytes, bytes)) /* as with most writes that a view does not select anything of */
        return WR_OK;
    seat->place->lives |= seat->tree == TREE_ROWS;
    TRY(wide_put(ctx, txn, seat->tree, seat->place->entry.id, seat->clustering, bytes));
    return requeue(ctx, txn, seat, old->due_s, due_s);
}

static enum wr_status remove_row(struct ctx *ctx, struct txn *txn, const struct seat *seat, uint32_t due_s)
{
    struct queue_item due = due_at(seat, due_s);

    TRY(wide_delete(ctx, txn, seat->tree, seat->place->entry.id, seat->clustering));
    return queue_delete(ctx, txn, &due);
}

static enum wr_status put_in_trees(struct ctx *ctx, struct txn *txn, struct work *w)
{
    const struct seat among_rows = { w->place, w->change->clustering, TREE_ROWS }, buried = { w->place, w->change->clustering, TREE_GRAVES };
    const struct stored *old = w->alive ? &w->living : &w->grave;

    if (w->living.found && !w->alive)
        TRY(remove_row(ctx, txn, &among_rows, w->living.due_s));
    if (w->grave.found && (w->alive || row_is_empty(&w->merged)))
        TRY(remove_row(ctx, txn, &buried, w->grave.due_s));
    if (row_is_empty(&w->merged))
        return WR_OK;
    TRY(place_need_id(ctx, txn, w->place));
    return put_row(ctx, txn, w->alive ? &among_rows : &buried, &w->merged, old, due_kept(old->due_s, w->due_s, w->change->visit));
}

/* Is more of a dying row needed than was loaded? All of it where it goes to the graveyard, which has to know how new it is. In its entry it
 * stays where it is: then only of a collection whose stub promises more than is alive, to count it anew, or where an index may have terms of
 * elements that nobody has seen expire. */
static bool is_wanted_whole(const struct work *w, uint32_t now_s)
{
    const struct spilled *spilled = &w->living.spilled;
    uint32_t over_s = table_is_watched(w->table) ? 0 : now_s;

    for (uint32_t i = 0; i < spilled->count; i++)
        if (!spilled->stubs[i].whole && (!w->in_entry || (spilled->stubs[i].expiry_s > over_s && spill_has_others_expiring(&spilled->stubs[i]))))
            return true;
    return false;
}

static enum wr_status put(struct ctx *ctx, struct txn *txn, struct work *w)
{
    int64_t greatest = w->alive ? TIMESTAMP_NONE : greatest_timestamp(&w->merged);

    /* What lies in the graveyard in large collections stays there while nothing is alive, and is not read either: a set that elements
     * come into and go out of, one after the other, has as many tombstones as there ever were elements. */
    bool stays = !w->alive && w->grave.spilled.count;
    TRY(spill_clear(ctx, txn, stays ? &w->living.spilled : &w->grave.spilled));
    TRY(spill_store(ctx, txn, stays ? &w->grave.spilled : &w->living.spilled, &w->merged));
    TRY(spill_release(ctx, txn, &w->before, &w->merged));
    if (w->in_entry)
        return put_in_entry(ctx, txn, w);
    if (!w->alive && !row_is_empty(&w->merged))
        TRY(place_raise(ctx, txn, w->place, greatest));
    return put_in_trees(ctx, txn, w);
}

/* ---- a new row ---- */

bool row_is_plain(const struct row *row)
{
    if (row->liveness.ttl_s || !deletion_is_none(row->deletion) || row->complex_count || row_is_empty(row))
        return false;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *c = &row->cells[i];
        if (c->kind != CELL_PLAIN || c->flags || !slice_is_null(c->path) || c->value.len > SPILL_CELL_BYTES)
            return false;
    }
    return true;
}

/* Whether the update, if there is no row yet, becomes the row as it is, and nobody else has to hear of it. */
static bool is_insert(const struct change *change)
{
    const struct table_shape *table = change->place->table;

    return !is_in_entry(change) && change->update && !change->late && !change->whole && !change->visit && !table_is_watched(table) &&
           row_is_plain(change->update) && !deletion_covers(change->over, row_least_timestamp(change->update));
}

/* Most writes are of new rows: putting one finds out whether it is, with one way down the tree instead of two. */
static enum wr_status insert(struct ctx *ctx, struct txn *txn, const struct change *change, bool *inserted, struct slice *there)
{
    struct slice bytes;

    TRY(encode(ctx, change->update, 0, &bytes));
    TRY(place_need_id(ctx, txn, change->place));
    TRY(wide_insert(ctx, txn, TREE_ROWS, change->place->entry.id, change->clustering, bytes, inserted, there));
    change->place->lives |= *inserted;
    return WR_OK;
}

/* ---- a row's deletion ---- */

/* Whether the update is a row's tombstone and nothing else, which is to be held, and nobody else has to hear of it. */
static bool is_burial(const struct ctx *ctx, const struct change *change)
{
    const struct table_shape *table = change->place->table;
    const struct row *update = change->update;

    if (is_in_entry(change) || !update || change->late || change->whole || change->visit || table_is_watched(table))
        return false;
    return !deletion_is_none(update->deletion) && liveness_is_none(update->liveness) && !update->cell_count && !update->complex_count &&
           slice_is_null(update->annex) && !deletion_covers(change->over, update->deletion.timestamp_us) &&
           grace_end(update->deletion.local_s, table->gc_grace_s) >= ctx->now_s;
}

/*
 * Most rows that are deleted are wholly older than that, and were not deleted before: they make room for the tombstone, with one way down each tree.
 * *buried false: this is another one, and nothing was done. *there: the row that was seen.
 */
static enum wr_status bury(struct ctx *ctx, struct txn *txn, const struct change *change, bool *buried, struct slice *there)
{
    struct place *place = change->place;
    struct deletion deletion = change->update->deletion;
    uint32_t due_s = due_of_dead(change->update, place->table->gc_grace_s);
    struct slice bytes, grave;

    *buried = false;
    TRY(place_need_id(ctx, txn, place));
    TRY(wide_get(ctx, txn, TREE_ROWS, place->entry.id, change->clustering, there));
    bool was_there = !slice_is_null(*there);
    if (was_there && !rowcode_is_covered(*there, deletion.timestamp_us))
        return WR_OK;
    TRY(encode(ctx, change->update, due_s, &bytes));
    TRY(wide_insert(ctx, txn, TREE_GRAVES, place->entry.id, change->clustering, bytes, buried, &grave));
    if (!*buried)
        return WR_OK;
    TRY(place_raise(ctx, txn, place, deletion.timestamp_us));
    TRY(requeue(ctx, txn, &(struct seat){ place, change->clustering, TREE_GRAVES }, 0, due_s));
    return was_there ? wide_delete(ctx, txn, TREE_ROWS, place->entry.id, change->clustering) : WR_OK;
}

static enum wr_status merge_row(struct ctx *ctx, struct txn *txn, const struct change *change, struct slice there)
{
    struct work w = { .change = change, .place = change->place, .table = change->place->table, .in_entry = is_in_entry(change), .there = there };
    struct views views;

    TRY(load(ctx, txn, &w));
    TRY(merge(ctx, txn, &w));
    if (!w.alive) {
        /* It goes to the graveyard, where something may lie already. */
        bool graves = !w.in_entry && !change->late && w.place->entry.tombstone_us != TIMESTAMP_NONE;
        if (!change->whole && is_wanted_whole(&w, ctx->now_s)) {
            struct change again = *change;
            again.late |= graves;
            again.whole = true;
            return merge_row(ctx, txn, &again, there);
        }
        if (graves)
            TRY(load_grave(ctx, txn, &w, change->whole || change->visit ? NULL : &w.merged));
        if (graves && w.grave.found) {
            w.living.row = w.before;
            TRY(merge(ctx, txn, &w));
        }
    }
    if (!w.living.found && !w.grave.found && row_is_empty(&w.merged))
        return WR_OK;
    TRY(prepare_views(ctx, txn, &w, &views));
    TRY(put(ctx, txn, &w));
    return tell_views(ctx, txn, &w, &views);
}

enum wr_status change_row(struct ctx *ctx, struct txn *txn, const struct change *change)
{
    struct slice there = SLICE_NULL;
    bool done = false;

    if (is_insert(change))
        TRY(insert(ctx, txn, change, &done, &there));
    else if (is_burial(ctx, change))
        TRY(bury(ctx, txn, change, &done, &there));
    return done ? WR_OK : merge_row(ctx, txn, change, there);
}

enum wr_status change_grave(struct ctx *ctx, struct txn *txn, struct place *place, struct slice clustering)
{
    const struct seat seat = { place, clustering, TREE_GRAVES };
    uint32_t gc_grace_s = place->table->gc_grace_s;
    struct stored grave;
    struct slice bytes;

    TRY(wide_get(ctx, txn, TREE_GRAVES, place->entry.id, clustering, &bytes));
    TRY(load_bytes(ctx, bytes, &grave));
    if (!grave.found)
        return WR_OK;
    TRY(spill_load(ctx, txn, &grave.spilled, &grave.row, &nothing, true));
    settle(&grave.row, ctx->now_s, gc_grace_s);
    uint32_t due = row_is_empty(&grave.row) ? 0 : due_of_dead(&grave.row, gc_grace_s);
    TRY(spill_store(ctx, txn, &grave.spilled, &grave.row));
    if (row_is_empty(&grave.row))
        return remove_row(ctx, txn, &seat, grave.due_s);
    return put_row(ctx, txn, &seat, &grave.row, &grave, due);
}
