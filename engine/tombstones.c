#include "engine/tombstones.h"

#include "engine/counter.h"
#include "engine/graveyard.h"
#include "engine/rowcode.h"
#include "engine/spill.h"

/* Whether the read came by a bound: forwards it lies before the rows at and above it, backwards behind them. */
static bool is_met(const struct stretch *read, struct slice bound)
{
    if (slice_is_null(read->last))
        return true;
    if (slice_is_null(bound)) /* behind everything */
        return read->reversed;
    return (slice_cmp(bound, read->last) <= 0) != read->reversed;
}

struct tally { /* of a stretch, as far as it has been gone through */
    const struct partition *partition;
    struct stretch read;
    uint64_t most, *count;
    bool has_ranges;
    struct slice end; /* of the range before; null */
};

/* Where one range tombstone ends and the next begins there is one marker. */
static enum wr_status add_markers(struct ctx *ctx, void *arg, const struct tombstone_range *found, bool *more)
{
    struct tally *t = arg;
    struct range range = found->range;
    bool joins = !slice_is_null(t->end) && slice_eq(t->end, range.start);

    (void)ctx;
    t->has_ranges = true;
    if (deletion_covers(t->partition->deletion, found->deletion.timestamp_us))
        return WR_OK;
    *t->count += (!joins && is_met(&t->read, range.start)) + is_met(&t->read, range.end);
    t->end = range.end;
    *more = *t->count <= t->most;
    return WR_OK;
}

/* What there is of an entry of the graveyard. */
struct buried {
    uint64_t cells;
    bool others; /* a deletion, or what was a marker */
};

static enum wr_status all_buried(struct ctx *ctx, struct slice bytes, struct buried *out)
{
    struct rowcode code;
    struct cell cell;
    struct stub stub;

    if (!rowcode_open(&code, bytes))
        return fail_corrupt(ctx, "header of a tombstone");
    out->others = !deletion_is_none(code.deletion) || !slice_is_null(code.complex) || !liveness_is_none(code.liveness);
    for (out->cells = 0; rowcode_next(&code, &cell);) {
        bool many = cell.flags & CELL_SPILLED_COLUMN;
        if (many && !stub_decode(&cell, &stub))
            return fail_corrupt(ctx, "the place of a large collection");
        out->cells += many ? stub.cells : !counter_is_buried(&cell, code.deletion);
    }
    return code.failed ? fail_corrupt(ctx, "cells of a tombstone") : WR_OK;
}

static bool has_others(const struct row *row)
{
    return !deletion_is_none(row->deletion) || row->complex_count || !liveness_is_none(row->liveness);
}

/* What a later deletion does not cover: a reader who merges does not meet the rest. */
static enum wr_status buried_besides(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice bytes, struct deletion over,
                                     struct buried *out)
{
    struct arena_mark mark = arena_mark(ctx->arena);
    struct partition alone = *partition;
    struct row row, left, nothing = ROW_NONE;

    alone.row = bytes;
    TRY(partition_row_raw(ctx, txn, &alone, &row));
    TRY(row_merge(ctx, &row, &nothing, over, &left));
    *out = (struct buried){ 0, has_others(&left) };
    for (uint32_t i = 0; i < left.cell_count; i++)
        out->cells += !counter_is_buried(&left.cells[i], over);
    arena_rewind(ctx->arena, mark);
    return WR_OK;
}

/* A write that is later than all that lies in the graveyard does not look there (change.h), and leaves what it takes the place of: not met by a reader
 * who merges. *counts: the row has something to count itself, dead or alive, beside which its deletion is none. */
static enum wr_status less_rewritten(struct ctx *ctx, struct slice grave, struct slice stored, struct deletion over, struct buried *buried, bool *counts)
{
    struct rowcode dead, row;
    struct cell cell, other;

    if (!rowcode_open(&dead, grave) || !rowcode_open(&row, stored))
        return fail_corrupt(ctx, "header of a row");
    bool any = rowcode_next(&row, &other);
    *counts = any || liveness_is_live(row.liveness, ctx->now_s);
    while (any && rowcode_next(&dead, &cell)) {
        if (cell.flags & CELL_SPILLED_COLUMN || deletion_covers(over, cell.timestamp_us))
            continue;
        while (any && cell_place_cmp(&other, &cell) < 0)
            any = rowcode_next(&row, &other);
        if (any && cell_place_cmp(&other, &cell) == 0 && buried->cells)
            buried->cells--;
    }
    return dead.failed || row.failed ? fail_corrupt(ctx, "cells of a row") : WR_OK;
}

/* A deletion counts where nothing else is there to count, dead or alive. ranges: a cursor for looking at those of the partition; NULL: there are none. */
static enum wr_status add_grave(struct ctx *ctx, struct txn *txn, struct wide_cursor *ranges, const struct partition *partition,
                                struct slice clustering, struct slice bytes, uint64_t *count)
{
    struct deletion over = DELETION_NONE;
    struct buried buried = { 0 };
    struct slice stored;
    bool counts = false;

    if (ranges)
        TRY(graveyard_covering(ctx, txn, ranges, partition->id, clustering, &over));
    over = deletion_merge(over, partition->deletion);
    TRY(deletion_is_none(over) ? all_buried(ctx, bytes, &buried) : buried_besides(ctx, txn, partition, bytes, over, &buried));
    TRY(wide_get(ctx, txn, TREE_ROWS, partition->id, clustering, &stored));
    if (!slice_is_null(stored))
        TRY(less_rewritten(ctx, bytes, stored, over, &buried, &counts));
    *count += buried.cells ? buried.cells : buried.others && !counts;
    return WR_OK;
}

static enum wr_status add_graves(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, struct wide_cursor *ranges, const struct tally *t)
{
    struct slice bytes, value;

    TRY(wide_open(ctx, c, txn, TREE_GRAVES, t->partition->id));
    enum wr_status st = wide_seek(ctx, c, t->read.range.start, &bytes, &value);
    while (st == WR_OK && *t->count <= t->most && !slice_is_null(bytes) && range_has(t->read.range, bytes))
        if ((st = add_grave(ctx, txn, ranges, t->partition, bytes, value, t->count)) == WR_OK)
            st = wide_next(ctx, c, &bytes, &value);
    wide_close(c);
    return st;
}

/* What of the range the read has come through. */
static enum wr_status cut(struct ctx *ctx, struct stretch *read)
{
    if (slice_is_null(read->last))
        return WR_OK;
    if (!read->reversed)
        return ctx_next_bytes(ctx, read->last, &read->range.end);
    read->range.start = read->last;
    return WR_OK;
}

enum wr_status tombstones_buried(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct stretch read, uint64_t most, uint64_t *count)
{
    struct tally tally = { .partition = partition, .read = read, .most = most, .count = count, .end = SLICE_NULL };
    struct wide_cursor *c, *ranges = NULL;

    if (!partition->id || !entry_has_graves(partition->entry))
        return WR_OK;
    TRY(cut(ctx, &tally.read));
    TRY(wide_cursor_new(ctx, &c));
    enum wr_status st = graveyard_each_range(ctx, txn, c, partition->id, tally.read.range, add_markers, &tally);
    if (st == WR_OK && tally.has_ranges)
        st = wide_cursor_new(ctx, &ranges);
    if (st == WR_OK)
        st = add_graves(ctx, txn, c, ranges, &tally);
    wide_cursor_free(ranges);
    wide_cursor_free(c);
    return st;
}

/* Of a row that is read: what is dead of it, or its deletion where there is nothing else to count. */
static void add_row(struct met *met, uint64_t dead, bool alive, bool deleted)
{
    met->live_rows += alive;
    met->tombstones += dead || alive ? dead : deleted;
}

/* Without a total that the partition's deletion has buried. */
static bool is_dead(const struct ctx *ctx, const struct partition *partition, const struct cell *c)
{
    return !cell_is_live(c, ctx->now_s) && !counter_is_buried(c, partition->deletion);
}

static enum wr_status add_spilled(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct met *met)
{
    struct row row;
    uint64_t dead = 0;

    TRY(partition_row_raw(ctx, txn, partition, &row));
    for (uint32_t i = 0; i < row.cell_count; i++)
        dead += is_dead(ctx, partition, &row.cells[i]);
    add_row(met, dead, row_is_alive(&row, ctx->now_s), has_others(&row));
    return WR_OK;
}

enum wr_status tombstones_in_entry(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct met *met)
{
    struct rowcode code;
    struct cell cell;
    uint64_t dead = 0;

    if (slice_is_null(partition->row))
        return WR_OK;
    if (!rowcode_open(&code, partition->row))
        return fail_corrupt(ctx, "header of a row");
    if (code.flags & ROWCODE_SPILLED)
        return add_spilled(ctx, txn, partition, met);
    bool alive = liveness_is_live(code.liveness, ctx->now_s);
    bool deleted = !deletion_is_none(code.deletion) || !slice_is_null(code.complex) || !liveness_is_none(code.liveness);
    while (rowcode_next(&code, &cell)) {
        alive |= cell_is_live(&cell, ctx->now_s);
        dead += is_dead(ctx, partition, &cell);
    }
    if (code.failed)
        return fail_corrupt(ctx, "cells of a row");
    add_row(met, dead, alive, deleted);
    return WR_OK;
}

enum wr_status tombstones_in_row(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering, struct met *met)
{
    struct partition alone = *partition;

    if (partition->has_clustering)
        TRY(wide_get(ctx, txn, TREE_ROWS, partition->id, clustering, &alone.row));
    return tombstones_in_entry(ctx, txn, &alone, met);
}
