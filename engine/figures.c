/* figures - how much a table holds, by walking it. */
#include "engine/graveyard.h"
#include "engine/partitions.h"
#include "engine/rowcode.h"
#include "engine/spill.h"

struct counting {
    struct txn *txn;
    struct wide_cursor *rows, *spill;
};

/* What a cell adds beside the bytes of its row. */
static void count_cell(struct ctx *ctx, const struct cell *cell, struct table_figures *out, bool *alive)
{
    bool live = cell_is_live(cell, ctx->now_s);
    uint64_t id, len;

    out->cells += live;
    out->tombstones += !live;
    *alive |= live;
    if ((cell->flags & CELL_SPILLED) && spill_ref_decode(cell->value, &id, &len))
        out->bytes += ID_BYTES + len;
}

/* A collection that lies beside its row: all its cells are read, since its stub does not tell which have expired, nor how large they are. */
static enum wr_status count_collection(struct ctx *ctx, struct counting *c, const struct cell *place, struct table_figures *out, bool *alive)
{
    struct slice path, value;
    struct cell cell;
    struct stub stub;
    enum wr_status st;

    if (!stub_decode(place, &stub))
        return fail_corrupt(ctx, "the place of a large collection");
    TRY(wide_open(ctx, c->spill, c->txn, TREE_SPILL, stub.id));
    TRY_OUT(wide_seek(ctx, c->spill, SLICE_EMPTY, &path, &value));
    while (!slice_is_null(path)) {
        if (!rowcode_decode_cell(value, &cell))
            TRY_OUT(fail_corrupt(ctx, "an element of a large collection"));
        out->bytes += ID_BYTES + path.len + value.len;
        count_cell(ctx, &cell, out, alive);
        TRY_OUT(wide_next(ctx, c->spill, &path, &value));
    }
out:
    wide_close(c->spill);
    return st;
}

/* What one row adds. */
static enum wr_status count_row(struct ctx *ctx, struct counting *c, const struct partition *p, struct slice bytes, struct table_figures *out,
                                bool *alive)
{
    struct rowcode code;
    struct cell cell;

    if (!rowcode_open(&code, bytes))
        return fail_corrupt(ctx, "header of a row");
    bool marked = liveness_is_live(code.liveness, ctx->now_s);
    *alive = marked;
    out->bytes += bytes.len;
    out->tombstones += !deletion_is_none(code.deletion);
    while (rowcode_next(&code, &cell)) {
        if (cell.flags & CELL_SPILLED_COLUMN)
            TRY(count_collection(ctx, c, &cell, out, alive));
        else
            count_cell(ctx, &cell, out, alive);
    }
    if (p->marker_decides)
        *alive = marked;
    return code.failed ? fail_corrupt(ctx, "cells of a row") : WR_OK;
}

/* Entries of one id in a tree of rows. */
static enum wr_status count_rows(struct ctx *ctx, struct counting *c, enum tree tree, const struct partition *p, struct table_figures *out)
{
    struct slice bytes, value;
    enum wr_status st;
    bool alive;

    TRY(wide_open(ctx, c->rows, c->txn, tree, p->id));
    TRY_OUT(wide_seek(ctx, c->rows, SLICE_EMPTY, &bytes, &value));
    while (!slice_is_null(bytes)) {
        out->bytes += ID_BYTES + bytes.len;
        TRY_OUT(count_row(ctx, c, p, value, out, &alive));
        out->rows += alive && tree == TREE_ROWS;
        TRY_OUT(wide_next(ctx, c->rows, &bytes, &value));
    }
out:
    wide_close(c->rows);
    return st;
}

/* Range tombstones. */
static enum wr_status count_ranges(struct ctx *ctx, struct counting *c, const struct partition *p, struct table_figures *out)
{
    struct slice start, value;
    enum wr_status st;

    TRY(wide_open(ctx, c->rows, c->txn, TREE_GRAVES, RANGE_BIT | p->id));
    TRY_OUT(wide_seek(ctx, c->rows, SLICE_EMPTY, &start, &value));
    while (!slice_is_null(start)) {
        out->bytes += ID_BYTES + start.len + value.len;
        out->tombstones++;
        TRY_OUT(wide_next(ctx, c->rows, &start, &value));
    }
out:
    wide_close(c->rows);
    return st;
}

static enum wr_status count_partition(struct ctx *ctx, struct counting *c, const struct partition *p, struct table_figures *out)
{
    struct table_figures own = { 0 };
    struct entry entry;
    bool alive = false;

    if (!entry_decode(p->entry, &entry))
        return fail_corrupt(ctx, "an entry of the directory");
    own.bytes = p->key.len + p->entry.len - entry.row.len;
    own.tombstones = !deletion_is_none(entry.deletion);
    if (!slice_is_null(entry.row))
        TRY(count_row(ctx, c, p, entry.row, &own, &alive));
    own.rows += alive && !p->has_clustering;
    if (p->has_clustering) {
        TRY(count_rows(ctx, c, TREE_ROWS, p, &own));
        TRY(count_rows(ctx, c, TREE_GRAVES, p, &own));
        TRY(count_ranges(ctx, c, p, &own));
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
    struct counting c = { .txn = txn };
    struct partition p;
    bool found;
    enum wr_status st;

    *out = (struct table_figures){ 0 };
    TRY_OUT(wide_cursor_new(ctx, &c.rows));
    TRY_OUT(wide_cursor_new(ctx, &c.spill));
    TRY_OUT(partitions_new(ctx, &partitions));
    TRY_OUT(partitions_open_any(ctx, partitions, txn, table, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;;) {
        TRY_OUT(partitions_next(ctx, partitions, &p, &found));
        if (!found)
            break;
        TRY_OUT(count_partition(ctx, &c, &p, out));
    }
out:
    partitions_free(partitions);
    wide_cursor_free(c.rows);
    wide_cursor_free(c.spill);
    return st;
}
