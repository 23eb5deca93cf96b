/* apply - one mutation into one transaction: deletions first, then what they may cover, row by row (change.h). */
#include <assert.h>

#include "engine/backlog.h"
#include "engine/change.h"
#include "engine/counter.h"
#include "engine/graveyard.h"
#include "engine/key.h"
#include "engine/purge.h"
#include "engine/rowcode.h"
#include "engine/walk.h"

enum { APPLY_DEPTH_MAX = 16 }; /* hooks that apply to tables that have hooks */

static enum wr_status delete_row(struct ctx *ctx, struct txn *txn, struct place *place, struct slice clustering, void *arg)
{
    struct change change = {
        .place = place, .clustering = clustering, .over = *(const struct deletion *)arg, .whole = true };
    return change_row(ctx, txn, &change);
}

static bool is_covered(void *arg, struct slice bytes)
{
    const struct deletion *deletion = arg;
    return rowcode_is_covered(bytes, deletion->timestamp_us);
}

/* Lets a new deletion remove what it covers in the rows of a range. Those of which nothing is left, where nobody else has to hear of it, go many at a time. */
static enum wr_status delete_rows(struct ctx *ctx, struct txn *txn, struct place *place, struct range range,
                                  struct deletion deletion)
{
    struct sieve sieve = { is_covered, &deletion, UINT64_MAX, 0 };

    if (place->entry.id && !table_is_watched(place->table))
        TRY(wide_sift(ctx, txn, TREE_ROWS, place->entry.id, range.start, range.end, &sieve));
    return walk_rows(ctx, txn, place, range, delete_row, &deletion);
}

static enum wr_status delete_partition(struct ctx *ctx, struct txn *txn, struct place *place, struct deletion deletion)
{
    if (deletion_is_none(deletion) || deletion_covers(place->entry.deletion, deletion.timestamp_us))
        return WR_OK;
    TRY(place_touch(ctx, txn, place));
    place->entry.deletion = deletion;
    struct change entry_row = { .place = place, .over = deletion, .is_static = place->table->has_clustering, .whole = true };
    TRY(change_row(ctx, txn, &entry_row));
    uint32_t due = grace_end(deletion.local_s, place->table->gc_grace_s) + 1;
    if (!place->entry.due_s || due < place->entry.due_s)
        TRY(place_set_due(ctx, txn, place, due));
    if (!place->table->has_clustering)
        return WR_OK;
    return delete_rows(ctx, txn, place, (struct range){ SLICE_EMPTY, SLICE_NULL }, deletion);
}

static enum wr_status delete_range(struct ctx *ctx, struct txn *txn, struct place *place, const struct range_deletion *range)
{
    if (!place->table->has_clustering)
        return fail(ctx, WR_MISUSE, "a range tombstone in a table without clustering columns");
    if (range_is_empty(range->range) || deletion_covers(place->entry.deletion, range->deletion.timestamp_us))
        return WR_OK;
    TRY(graveyard_put_range(ctx, txn, place, range));
    return delete_rows(ctx, txn, place, range->range, range->deletion);
}

static bool has_counters(const struct row *row)
{
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (cell_is_counter(&row->cells[i]))
            return true;
    return false;
}

static enum wr_status apply_row(struct ctx *ctx, struct txn *txn, struct place *place, const struct row_update *update)
{
    struct change change = {
        .place = place, .clustering = update->clustering, .update = &update->row, .over = place->entry.deletion };

    /* What is newer than every grave cannot be covered by one; but a counter goes on from its buried total (counter.h, 2), and a row of
     * keys that are equal and not the same, as 1 and 1.0 are, keeps the first one's for as long as a tombstone has it. */
    if (place->entry.tombstone_us != TIMESTAMP_NONE)
        change.late = row_least_timestamp(&update->row) <= place->entry.tombstone_us || has_counters(&update->row) || place->table->annexed;
    if (change.late) {
        struct deletion range;
        TRY(graveyard_covering(ctx, txn, txn_writer(txn)->cursor, place->entry.id, update->clustering, &range));
        change.over = deletion_merge(change.over, range);
    }
    return change_row(ctx, txn, &change);
}

static enum wr_status apply_update(struct ctx *ctx, struct txn *txn, const struct update *update)
{
    struct place place;

    TRY(place_open(ctx, txn, update->table, update->partition_key, &place));
    TRY(delete_partition(ctx, txn, &place, update->partition_deletion));
    for (uint32_t i = 0; i < update->range_count; i++)
        TRY(delete_range(ctx, txn, &place, &update->ranges[i]));
    if (update->static_row) {
        struct change change = {
            .place = &place, .is_static = true, .update = update->static_row, .over = place.entry.deletion };
        TRY(change_row(ctx, txn, &change));
    }
    for (uint32_t i = 0; i < update->row_count; i++)
        TRY(apply_row(ctx, txn, &place, &update->rows[i]));
    return place_close(ctx, txn, &place);
}

/* Or puts it off. */
static enum wr_status weigh_update(struct ctx *ctx, struct txn *txn, const struct update *update)
{
    uint32_t changes = store_changes(txn);

    if (backlog_takes(txn, update))
        return backlog_put(ctx, txn, update);
    TRY(apply_update(ctx, txn, update));
    backlog_weigh(txn, update, store_changes(txn) - changes);
    return WR_OK;
}

enum wr_status apply_derived(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice partition_key,
                             struct slice clustering, const struct row *row)
{
    struct place place;
    struct change change = { .place = &place, .clustering = clustering, .update = row, .over = DELETION_NONE, .replace = true };

    assert(table->derived);
    TRY(place_open(ctx, txn, table, partition_key, &place));
    TRY(change_row(ctx, txn, &change));
    return row ? place_close(ctx, txn, &place) : purge_close(ctx, txn, &place);
}

/* What has been queued becomes due twice: when it expires, and when its grace is over. Who writes much at once would else queue more than is taken away. */
static uint32_t visits_due(const struct writer *writer)
{
    return writer->queued > SWEEP_STEP_MAX / 2 ? writer->queued * 2 : SWEEP_STEP_MAX;
}

enum wr_status apply(struct ctx *ctx, struct txn *txn, const struct update *updates)
{
    struct writer *writer = txn_writer(txn);
    enum wr_status st = WR_OK;

    if (writer->depth == APPLY_DEPTH_MAX)
        return fail(ctx, WR_MISUSE, "tables that depend on each other in a circle");
    if (writer->depth == 0)
        writer->queued = 0;
    writer->depth++;
    for (const struct update *u = updates; u && st == WR_OK; u = u->next)
        st = (backlog_is_worth(writer->backlog) ? weigh_update : apply_update)(ctx, txn, u);
    writer->depth--;
    if (st == WR_OK && writer->depth == 0)
        st = purge_some(ctx, txn, visits_due(writer));
    return st;
}
