#include "engine/show.h"

#include "engine/counter.h"
#include "engine/key.h"
#include "engine/purge.h"
#include "engine/spill.h"

struct look {
    struct txn *txn;
    const struct columns *columns;
    uint32_t columns_at;
    bool alive;
    int64_t others_from_us; /* from when on cells count that are not wanted */
};

/* Columns of a row come in ascending order, as those wanted do. */
static bool is_wanted(struct look *look, uint32_t column)
{
    const struct columns *columns = look->columns;

    if (!columns)
        return true;
    while (look->columns_at < columns->count && columns->ids[look->columns_at] < column)
        look->columns_at++;
    return look->columns_at < columns->count && columns->ids[look->columns_at] == column;
}

/* Of the column that was just found to be wanted the cells wanted; NULL: all. */
static const struct paths *paths_wanted(const struct look *look)
{
    const struct paths *paths = look->columns && look->columns->paths ? &look->columns->paths[look->columns_at] : NULL;
    return paths && paths->count ? paths : NULL;
}

static bool is_among(const struct paths *paths, struct slice path)
{
    for (uint32_t i = 0; paths && i < paths->count; i++)
        if (range_has(paths->ranges[i], path))
            return true;
    return !paths;
}

static bool is_cell_wanted(struct look *look, const struct cell *cell)
{
    return is_wanted(look, cell->column) && is_among(paths_wanted(look), cell->path);
}

static bool counts(const struct look *look, const struct cell *cell, bool wanted)
{
    return wanted || cell->timestamp_us >= look->others_from_us;
}

enum wr_status show_keep(struct ctx *ctx, struct viewer *viewer, struct slice *bytes)
{
    return ctx_copy_to(ctx, viewer->copies, *bytes, bytes);
}

/* The cells of one range into the view. */
static enum wr_status show_range(struct ctx *ctx, struct viewer *viewer, struct look *look, struct spill_reader *reader, struct range range,
                                 uint64_t *dead)
{
    struct cell cell;
    bool found, still = txn_is_still(look->txn);

    for (spill_read_seek(reader, range.start);;) {
        TRY(spill_read_next(ctx, reader, &cell, &found));
        if (!found || (!slice_is_null(range.end) && slice_cmp(cell.path, range.end) >= 0))
            return WR_OK;
        bool live = cell_is_live(&cell, ctx->now_s);
        look->alive |= live;
        *dead += !live;
        if (!live && !viewer->raw)
            continue;
        struct cell *room = cells_push(&viewer->cells);
        if (!room)
            return fail_nomem(ctx);
        if (!still) {
            TRY(show_keep(ctx, viewer, &cell.path));
            TRY(show_keep(ctx, viewer, &cell.value));
        }
        *room = cell;
    }
}

/* The cells beside those, as far as to know whether one is alive. */
static enum wr_status pass_others(struct ctx *ctx, struct look *look, struct spill_reader *reader, const struct paths *shown, uint64_t *dead)
{
    struct cell cell;
    bool found = true;

    for (spill_read_seek(reader, SLICE_EMPTY); found && !look->alive;) {
        TRY(spill_read_next(ctx, reader, &cell, &found));
        if (!found || (shown && is_among(shown, cell.path)))
            continue;
        bool live = cell_is_live(&cell, ctx->now_s);
        look->alive |= live && counts(look, &cell, false);
        *dead += !live;
    }
    return WR_OK;
}

/* Cells that are not alive: when all that can expire has, the others but the plain ones; before, no more is known than those met. */
static uint64_t dead_of(const struct stub *stub, bool over, uint64_t met)
{
    return over ? stub->cells - stub->plain : met;
}

/* Of a spilled collection the cells that are wanted; none of the others if it is told without them whether one is alive. */
static enum wr_status show_column(struct ctx *ctx, struct viewer *viewer, struct look *look, const struct stub *stub,
                                  bool wanted)
{
    static const struct range everything = { { (const uint8_t *)"", 0 }, { NULL, 0 } };
    struct spill_reader reader = { .copies = viewer->copies };
    const struct paths all = { &everything, 1 }, *paths = wanted ? paths_wanted(look) : NULL, *shown = paths ? paths : wanted ? &all : NULL;
    bool over = ctx->now_s >= stub->expiry_s, told = look->alive || (stub->plain ? look->others_from_us == TIMESTAMP_NONE : over);
    uint64_t dead = 0;
    enum wr_status st = WR_OK;

    if (told && shown != &all) {
        look->alive |= stub->plain > 0;
        if (!shown || (over && !stub->plain)) {
            viewer->dead += dead_of(stub, over, 0);
            return WR_OK;
        }
    }
    if (!viewer->spill)
        TRY(wide_cursor_new(ctx, &viewer->spill));
    reader.cursor = viewer->spill;
    TRY(spill_read_open(ctx, &reader, look->txn, stub));
    for (uint32_t i = 0; shown && i < shown->count && st == WR_OK; i++)
        st = show_range(ctx, viewer, look, &reader, shown->ranges[i], &dead);
    if (st == WR_OK && shown != &all)
        st = pass_others(ctx, look, &reader, shown, &dead);
    spill_read_close(&reader);
    viewer->dead += dead_of(stub, over, dead);
    return st;
}

/* A cell whose value is elsewhere. */
static enum wr_status show_spilled(struct ctx *ctx, struct viewer *viewer, struct look *look, struct cell *cell)
{
    struct stub stub;

    if (cell->flags & CELL_SPILLED_COLUMN) {
        if (!stub_decode(cell, &stub))
            return fail_corrupt(ctx, "the place of a large collection");
        return show_column(ctx, viewer, look, &stub, is_wanted(look, cell->column));
    }
    bool live = cell_is_live(cell, ctx->now_s), wanted = is_cell_wanted(look, cell);
    look->alive |= live && counts(look, cell, wanted);
    viewer->dead += !live;
    if (!wanted || (!live && !viewer->raw))
        return WR_OK;
    TRY(spill_value(ctx, look->txn, cell->value, &cell->value));
    if (!txn_is_still(look->txn))
        TRY(show_keep(ctx, viewer, &cell->value));
    cell->flags &= (uint8_t)~CELL_SPILLED;
    struct cell *room = cells_push(&viewer->cells);
    if (!room)
        return fail_nomem(ctx);
    *room = *cell;
    return WR_OK;
}

/* The row's cells; *buried: a counter's is among them whose tombstone is the deletion of the row, or of the partition. */
static enum wr_status collect_cells(struct ctx *ctx, struct viewer *viewer, struct look *look, struct rowcode *code, struct deletion over, bool *buried)
{
    struct cells *cells = &viewer->cells;
    const uint32_t now_s = ctx->now_s;

    for (cells->count = 0;;) {
        struct cell *cell = cells_push(cells);
        if (!cell)
            return fail_nomem(ctx);
        cells->count--; /* it stays only if it is wanted */
        if (!rowcode_next(code, cell))
            return code->failed ? fail_corrupt(ctx, "cells of a row") : WR_OK;
        if (cell->flags & (CELL_SPILLED | CELL_SPILLED_COLUMN)) {
            struct cell spilled = *cell;
            TRY(show_spilled(ctx, viewer, look, &spilled));
            continue;
        }
        bool live = cell_is_live(cell, now_s), wanted = is_cell_wanted(look, cell);
        look->alive |= live && counts(look, cell, wanted);
        if (!live && counter_is_buried(cell, over))
            *buried = true;
        else
            viewer->dead += !live;
        cells->count += (live || viewer->raw) && wanted;
    }
}

/* In the viewer's copies, which a scan empties row by row. */
static enum wr_status show_deletions(struct ctx *ctx, struct viewer *viewer, const struct rowcode *code, struct row *out)
{
    struct arena *statement = ctx->arena;

    out->deletion = code->deletion;
    ctx->arena = viewer->copies;
    enum wr_status st = rowcode_complex(ctx, code, &out->complex, &out->complex_count);
    ctx->arena = statement;
    return st;
}

enum wr_status show_row(struct ctx *ctx, struct txn *txn, struct viewer *viewer, const struct partition *partition, struct slice bytes,
                        struct row *out, bool *alive)
{
    struct look look = { .txn = txn, .columns = viewer->columns, .others_from_us = TIMESTAMP_NONE };
    const uint64_t dead_before = viewer->dead;
    struct rowcode code;
    bool buried = false;

    if (!rowcode_open(&code, bytes))
        return fail_corrupt(ctx, "header of a row");
    const bool marked = liveness_is_live(code.liveness, ctx->now_s);
    look.alive = marked;
    if (viewer->columns && viewer->columns->marker_shadows)
        look.others_from_us = code.liveness.timestamp_us;
    TRY(collect_cells(ctx, viewer, &look, &code, deletion_merge(partition->deletion, code.deletion), &buried));

    *out = ROW_NONE;
    out->annex = code.annex;
    out->cells = viewer->cells.at;
    out->cell_count = viewer->cells.count;
    if (viewer->raw || marked)
        out->liveness = code.liveness;
    if (viewer->raw)
        TRY(show_deletions(ctx, viewer, &code, out));
    *alive = partition->marker_decides ? marked : look.alive;
    if (!*alive && !viewer->raw) {
        viewer->dead += viewer->dead == dead_before && !buried;
        purge_passed(txn);
    }
    return WR_OK;
}
