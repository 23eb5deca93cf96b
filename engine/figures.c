/* figures - how much a table holds, by walking it. */
#include "engine/graveyard.h"
#include "engine/rowcode.h"
#include "engine/spill.h"

/* What one row adds. Elements of large collections are counted by their stub. */
static enum wr_status count_row(struct ctx *ctx, const struct partition *p, struct slice bytes, struct table_figures *out,
                                bool *alive)
{
    struct rowcode code;
    struct cell cell;
    struct stub stub;
    uint64_t id, len;

    if (!rowcode_open(&code, bytes))
        return fail_corrupt(ctx, "header of a row");
    bool marked = liveness_is_live(code.liveness, ctx->now_s);
    *alive = marked;
    out->bytes += bytes.len;
    out->tombstones += !deletion_is_none(code.deletion);
    while (rowcode_next(&code, &cell)) {
        if (cell.flags & CELL_SPILLED_COLUMN) {
            if (!stub_decode(&cell, &stub))
                return fail_corrupt(ctx, "the place of a large collection");
            out->cells += stub.plain;
            out->tombstones += stub.cells - stub.plain;
            *alive |= stub_is_alive(&stub, ctx->now_s);
            continue;
        }
        bool live = cell_is_live(&cell, ctx->now_s);
        out->cells += live;
        out->tombstones += !live;
        *alive |= live;
        if ((cell.flags & CELL_SPILLED) && spill_ref_decode(cell.value, &id, &len))
            out->bytes += len;
    }
    if (p->marker_decides)
        *alive = marked;
    return code.failed ? fail_corrupt(ctx, "cells of a row") : WR_OK;
}

/* Entries of one id in a tree of rows. */
static enum wr_status count_rows(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, enum tree tree,
                                 const struct partition *p, struct table_figures *out)
{
    struct slice bytes, value;
    enum wr_status st;
    bool alive;

    TRY(wide_open(ctx, c, txn, tree, p->id));
    TRY_OUT(wide_seek(ctx, c, SLICE_EMPTY, &bytes, &value));
    while (!slice_is_null(bytes)) {
        out->bytes += ID_BYTES + bytes.len;
        TRY_OUT(count_row(ctx, p, value, out, &alive));
        out->rows += alive && tree == TREE_ROWS;
        TRY_OUT(wide_next(ctx, c, &bytes, &value));
    }
out:
    wide_close(c);
    return st;
}

static enum wr_status count_partition(struct ctx *ctx, struct txn *txn, struct wide_cursor *c, const struct partition *p,
                                      struct table_figures *out)
{
    struct table_figures own = { 0 };
    struct tombstone_range *ranges;
    struct entry entry;
    size_t range_count = 0;
    bool alive = false;

    if (!entry_decode(p->entry, &entry))
        return fail_corrupt(ctx, "an entry of the directory");
    own.bytes = p->key.len + p->entry.len - entry.row.len;
    own.tombstones = !deletion_is_none(entry.deletion);
    if (!slice_is_null(entry.row))
        TRY(count_row(ctx, p, entry.row, &own, &alive));
    own.rows += alive && !p->has_clustering;
    if (p->has_clustering) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(count_rows(ctx, txn, c, TREE_ROWS, p, &own));
        TRY(count_rows(ctx, txn, c, TREE_GRAVES, p, &own));
        TRY(graveyard_ranges(ctx, txn, entry.id, (struct range){ SLICE_EMPTY, SLICE_NULL }, &ranges, &range_count));
        own.tombstones += range_count;
        arena_rewind(ctx->arena, mark);
    }
    out->partitions++;
    out->rows += own.rows;
    out->cells += own.cells;
    out->tombstones += own.tombstones;
    out->bytes += own.bytes;
    out->widest_rows = own.rows > out->widest_rows ? own.rows : out->widest_rows;
    out->widest_bytes = own.bytes > out->widest_bytes ? own.bytes : out->widest_bytes;
    return WR_OK;
}

enum wr_status engine_table_figures(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                                    struct table_figures *out)
{
    struct partitions *partitions = NULL;
    struct wide_cursor *c = NULL;
    struct partition p;
    bool found;
    enum wr_status st;

    *out = (struct table_figures){ 0 };
    TRY_OUT(wide_cursor_new(ctx, &c));
    TRY_OUT(partitions_new(ctx, &partitions));
    TRY_OUT(partitions_open_any(ctx, partitions, txn, table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;;) {
        TRY_OUT(partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
        TRY_OUT(count_partition(ctx, txn, c, &p, out));
    }
out:
    partitions_free(partitions);
    wide_cursor_free(c);
    return st;
}
