/*
 * build - what is new and depends on the rows of a table: an index, or a hook's tables. One walk over it, some rows at a time.
 * What is read borrows from the transaction only until something is written, so each step first gathers and then puts.
 */
#include "engine/index.h"
#include "engine/scan.h"

enum {
    BUILD_STEP = 128,       /* rows gathered at once, */
    BUILD_BYTES = 1 << 20,  /* or fewer that are as large as this */
};

struct step {
    struct slice clusterings[BUILD_STEP];
    struct terms terms[BUILD_STEP]; /* for an index */
    struct row rows[BUILD_STEP];    /* for a hook */
    uint32_t count;
    bool more; /* the partition may have more behind the last */
};

struct build {
    const struct table_shape *table;
    const struct index_shape *index; /* of the two one is NULL */
    const struct row_hook *hook;
    struct partitions *partitions;
    struct scan *scan;
    struct arena keys, last;
    struct step step;
};

static enum wr_status copy_row(struct ctx *ctx, const struct row *row, struct row *out, size_t *bytes)
{
    *out = *row;
    TRY(ctx_copy(ctx, row->annex, &out->annex));
    if (!(out->cells = NEW_ARRAY(ctx, struct cell, row->cell_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        out->cells[i] = row->cells[i];
        TRY(ctx_copy(ctx, row->cells[i].path, &out->cells[i].path));
        TRY(ctx_copy(ctx, row->cells[i].value, &out->cells[i].value));
        *bytes += sizeof *out->cells + row->cells[i].path.len + row->cells[i].value.len;
    }
    return WR_OK;
}

/* The rows of a partition behind `after` (null: all of them). */
static enum wr_status gather_rows(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition,
                                  struct slice after)
{
    struct step *step = &b->step;
    const struct row_view *view;
    size_t bytes = 0;

    TRY(scan_open(ctx, b->scan, txn, partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    if (!slice_is_null(after))
        TRY(scan_seek(ctx, b->scan, after));
    while (step->count < BUILD_STEP && bytes < BUILD_BYTES) {
        TRY(scan_next(ctx, b->scan, &view));
        if (!view)
            return WR_OK;
        if (!slice_is_null(after) && slice_eq(view->clustering, after))
            continue;
        uint32_t i = step->count++;
        TRY(ctx_copy(ctx, view->clustering, &step->clusterings[i]));
        if (b->hook)
            TRY(copy_row(ctx, &view->row, &step->rows[i], &bytes));
        else
            TRY(index_terms(ctx, b->index, partition->key, step->clusterings[i], &view->row, &step->terms[i]));
    }
    step->more = true;
    return WR_OK;
}

static enum wr_status gather_static(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition)
{
    struct row row;

    TRY(partition_static(ctx, txn, partition, NULL, &row));
    uint32_t i = b->step.count++;
    b->step.clusterings[i] = SLICE_EMPTY;
    return index_terms(ctx, b->index, partition->key, SLICE_EMPTY, row_is_empty(&row) ? NULL : &row, &b->step.terms[i]);
}

static enum wr_status put_step(struct ctx *ctx, struct txn *txn, const struct build *b, struct slice key)
{
    static const struct terms none = { 0 };
    const struct step *step = &b->step;
    struct place place;

    TRY(place_open(ctx, txn, b->table, key, &place));
    for (uint32_t i = 0; i < step->count; i++)
        TRY(index_change(ctx, txn, b->index->index_id, &place, step->clusterings[i], &none, &step->terms[i]));
    return place_close(ctx, txn, &place);
}

static enum wr_status tell_step(struct ctx *ctx, struct txn *txn, const struct build *b, struct slice key)
{
    const struct step *step = &b->step;

    for (uint32_t i = 0; i < step->count; i++)
        TRY(b->hook->changed(ctx, b->hook->arg, txn, key, step->clusterings[i], NULL, &step->rows[i]));
    return WR_OK;
}

static enum wr_status build_partition(struct ctx *ctx, struct txn *txn, struct build *b, struct slice key)
{
    struct slice after = SLICE_NULL;
    struct partition partition;
    bool found;

    do {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(partition_find(ctx, txn, b->table, key, &partition, &found));
        if (!found)
            return WR_OK;
        b->step.count = 0;
        b->step.more = false;
        if (b->index && slice_is_null(after) && index_shape_is_of(b->index, true))
            TRY(gather_static(ctx, txn, b, &partition));
        if (!b->index || index_shape_is_of(b->index, false))
            TRY(gather_rows(ctx, txn, b, &partition, after));
        scan_close(b->scan);
        TRY((b->hook ? tell_step : put_step)(ctx, txn, b, key));
        if (b->step.more) {
            arena_reset(&b->last);
            struct ctx keep = { .arena = &b->last };
            if (ctx_copy(&keep, b->step.clusterings[b->step.count - 1], &after) != WR_OK)
                return fail_nomem(ctx);
        }
        arena_rewind(ctx->arena, mark);
    } while (b->step.more);
    return WR_OK;
}

static enum wr_status build_partitions(struct ctx *ctx, struct txn *txn, struct build *b)
{
    struct partition partition;
    struct slice after = SLICE_NULL;
    int64_t from = INT64_MIN;
    bool found;

    for (;;) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(partitions_open(ctx, b->partitions, txn, b->table, from, INT64_MAX, after));
        TRY(partitions_next(ctx, b->partitions, &partition, &found));
        if (!found)
            return WR_OK;
        struct ctx keep = { .arena = &b->keys };
        arena_reset(&b->keys);
        if (ctx_copy(&keep, partition.key, &after) != WR_OK)
            return fail_nomem(ctx);
        from = partition.token;
        partitions_close(b->partitions);
        arena_rewind(ctx->arena, mark);
        TRY(build_partition(ctx, txn, b, after));
    }
}

static enum wr_status build(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                            const struct index_shape *index, const struct row_hook *hook)
{
    struct build *b = NEW(ctx, struct build);
    enum wr_status st;

    if (!b)
        return WR_NOMEM;
    *b = (struct build){ .table = table, .index = index, .hook = hook };
    arena_init(&b->keys);
    arena_init(&b->last);
    TRY_OUT(partitions_new(ctx, &b->partitions));
    TRY_OUT(scan_new(ctx, &b->scan));
    TRY_OUT(build_partitions(ctx, txn, b));
out:
    partitions_free(b->partitions);
    scan_free(b->scan);
    arena_release(&b->keys);
    arena_release(&b->last);
    return st;
}

enum wr_status txn_build_index(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                               const struct index_shape *index)
{
    uint32_t now_s = ctx->now_s;

    ctx->now_s = 0; /* cells count until a writer has seen that they have expired (index.h, 1) */
    enum wr_status st = build(ctx, txn, table, index, NULL);
    ctx->now_s = now_s;
    return st;
}

enum wr_status txn_build_hook(struct ctx *ctx, struct txn *txn, const struct table_shape *table, const struct row_hook *hook)
{
    return build(ctx, txn, table, NULL, hook);
}
