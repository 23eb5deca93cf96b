#include "engine/tombstones.h"

#include "engine/graveyard.h"
#include "engine/rowcode.h"
#include "engine/spill.h"

/* Whether the read came by a bound: forwards it lies before the rows at and above it, backwards behind them. */
static bool is_met(struct slice bound, struct slice last, bool reversed)
{
    if (slice_is_null(last))
        return true;
    if (slice_is_null(bound)) /* behind everything */
        return reversed;
    return (slice_cmp(bound, last) <= 0) != reversed;
}

/* Where one range tombstone ends and the next begins there is one marker. */
static uint64_t markers(const struct tombstone_range *ranges, size_t n, struct slice last, bool reversed)
{
    uint64_t count = 0;

    for (size_t i = 0; i < n; i++) {
        bool joins = i && slice_eq(ranges[i - 1].range.end, ranges[i].range.start);
        count += (!joins && is_met(ranges[i].range.start, last, reversed)) + is_met(ranges[i].range.end, last, reversed);
    }
    return count;
}

/* An entry of the graveyard. A deletion counts where nothing else is there to count, dead or alive. */
static enum wr_status add_grave(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering,
                                struct slice bytes, uint64_t *count)
{
    static const struct columns none = { NULL, 0 };
    struct rowcode code;
    struct cell cell;
    struct stub stub;
    struct row row;
    bool alive = false;
    uint64_t cells = 0;

    if (!rowcode_open(&code, bytes))
        return fail_corrupt(ctx, "header of a tombstone");
    while (rowcode_next(&code, &cell)) {
        bool many = cell.flags & CELL_SPILLED_COLUMN;
        if (many && !stub_decode(&cell, &stub))
            return fail_corrupt(ctx, "the place of a large collection");
        cells += many ? stub.cells : 1;
    }
    if (code.failed)
        return fail_corrupt(ctx, "cells of a tombstone");
    *count += cells;
    if (cells || (deletion_is_none(code.deletion) && slice_is_null(code.complex) && liveness_is_none(code.liveness)))
        return WR_OK;
    TRY(row_find_live(ctx, txn, partition, clustering, &none, &row, &alive));
    *count += !alive;
    return WR_OK;
}

static enum wr_status walk(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, const struct partition *partition, struct range range,
                           struct slice last, bool reversed, uint64_t *count)
{
    const struct slice far = reversed ? range.start : range.end;
    struct slice bytes, value;

    TRY(wide_open(ctx, c, txn, TREE_GRAVES, partition->id));
    enum wr_status st = (reversed ? wide_seek_before : wide_seek)(ctx, c, reversed ? range.end : range.start, &bytes, &value);
    while (st == WR_OK && !slice_is_null(bytes)) {
        int beyond = slice_is_null(last) ? -1 : slice_cmp(bytes, last);
        if (reversed ? slice_cmp(bytes, far) < 0 : !slice_is_null(far) && slice_cmp(bytes, far) >= 0)
            break;
        if (!slice_is_null(last) && (reversed ? beyond < 0 : beyond > 0))
            break;
        if ((st = add_grave(ctx, txn, partition, bytes, value, count)) == WR_OK)
            st = (reversed ? wide_prev : wide_next)(ctx, c, &bytes, &value);
    }
    wide_close(c);
    return st;
}

enum wr_status tombstones_buried(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct range range, struct slice last,
                                 unsigned flags, uint64_t *count)
{
    struct tombstone_range *ranges;
    struct wide_cursor *c;
    size_t n;

    if (!partition->id || !entry_has_graves(partition->entry))
        return WR_OK;
    TRY(graveyard_ranges(ctx, txn, partition->id, range, &ranges, &n));
    *count += markers(ranges, n, last, flags & SCAN_REVERSED);
    TRY(wide_cursor_new(ctx, &c));
    enum wr_status st = walk(ctx, txn, c, partition, range, last, flags & SCAN_REVERSED, count);
    wide_cursor_free(c);
    return st;
}

/* Of a row that is read: what is dead of it, or its deletion where there is nothing else to count. */
static void add_row(struct met *met, uint64_t dead, bool alive, bool deleted)
{
    met->live_rows += alive;
    met->tombstones += dead || alive ? dead : deleted;
}

static enum wr_status add_spilled(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct met *met)
{
    struct row row;
    uint64_t dead = 0;

    TRY(partition_row_raw(ctx, txn, partition, &row));
    for (uint32_t i = 0; i < row.cell_count; i++)
        dead += !cell_is_live(&row.cells[i], ctx->now_s);
    bool deleted = !deletion_is_none(row.deletion) || row.complex_count || !liveness_is_none(row.liveness);
    add_row(met, dead, row_is_alive(&row, ctx->now_s), deleted);
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
        bool live = cell_is_live(&cell, ctx->now_s);
        alive |= live;
        dead += !live;
    }
    if (code.failed)
        return fail_corrupt(ctx, "cells of a row");
    add_row(met, dead, alive, deleted);
    return WR_OK;
}

enum wr_status tombstones_in_row(struct ctx *ctx, struct txn *txn, const struct partition *partition, struct slice clustering, struct met *met)
{
    struct partition alone = *partition;

    TRY(wide_get(ctx, txn, TREE_ROWS, partition->id, clustering, &alone.row));
    return tombstones_in_entry(ctx, txn, &alone, met);
}
