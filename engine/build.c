/*
 * build - an index on a table that has rows: one walk over it, some rows at a time. What is read borrows from the
 * transaction only until something is written, so each step first gathers terms and then puts their entries.
 */
#include "engine/index.h"
#include "engine/scan.h"

enum { BUILD_STEP = 128 }; /* rows gathered at once */

struct step {
    struct slice clusterings[BUILD_STEP];
    struct terms terms[BUILD_STEP];
    uint32_t count;
};

/* Adds the rows of a partition behind `after` (null: all of them). */
static enum wr_status gather_rows(struct ctx *ctx, struct txn *txn, struct scan *scan,
                                  const struct partition *partition, const struct index_shape *index,
                                  struct slice after, struct step *step)
{
    const struct row_view *view;

    TRY(scan_open(ctx, scan, txn, partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    if (!slice_is_null(after))
        TRY(scan_seek(ctx, scan, after));
    while (step->count < BUILD_STEP) {
        TRY(scan_next(ctx, scan, &view));
        if (!view)
            return WR_OK;
        if (!slice_is_null(after) && slice_eq(view->clustering, after))
            continue;
        TRY(ctx_copy(ctx, view->clustering, &step->clusterings[step->count]));
        TRY(index_terms(ctx, index, partition->key, step->clusterings[step->count], &view->row,
                        &step->terms[step->count]));
        step->count++;
    }
    return WR_OK;
}

static enum wr_status gather_static(struct ctx *ctx, struct txn *txn, const struct partition *partition,
                                    const struct index_shape *index, struct step *step)
{
    struct row row;

    TRY(partition_static(ctx, txn, partition, NULL, &row));
    step->clusterings[step->count] = SLICE_EMPTY;
    return index_terms(ctx, index, partition->key, SLICE_EMPTY, row_is_empty(&row) ? NULL : &row, &step->terms[step->count++]);
}

static enum wr_status put_step(struct ctx *ctx, struct txn *txn, const struct table_shape *table, struct slice key,
                               uint64_t index_id, const struct step *step)
{
    static const struct terms none = { 0 };
    struct place place;

    TRY(place_open(ctx, txn, table, key, &place));
    for (uint32_t i = 0; i < step->count; i++)
        TRY(index_change(ctx, txn, index_id, &place, step->clusterings[i], &none, &step->terms[i]));
    return place_close(ctx, txn, &place);
}

static enum wr_status build_partition(struct ctx *ctx, struct txn *txn, struct scan *scan,
                                      const struct table_shape *table, struct slice key,
                                      const struct index_shape *index, struct step *step)
{
    struct slice after = SLICE_NULL;
    struct partition partition;
    struct arena last;
    enum wr_status st;
    bool found;

    arena_init(&last);
    do {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY_OUT(partition_find(ctx, txn, table, key, &partition, &found));
        if (!found)
            break;
        step->count = 0;
        if (slice_is_null(after) && index_shape_is_of(index, true))
            TRY_OUT(gather_static(ctx, txn, &partition, index, step));
        if (index_shape_is_of(index, false))
            TRY_OUT(gather_rows(ctx, txn, scan, &partition, index, after, step));
        TRY_OUT(put_step(ctx, txn, table, key, index->index_id, step));
        if (step->count == BUILD_STEP) {
            arena_reset(&last);
            struct ctx keep = { .arena = &last };
            TRY_OUT(ctx_copy(&keep, step->clusterings[BUILD_STEP - 1], &after));
        }
        arena_rewind(ctx->arena, mark);
    } while (step->count == BUILD_STEP);
    st = WR_OK;
out:
    arena_release(&last);
    return st;
}

static enum wr_status build(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                            const struct index_shape *index, struct partitions *partitions, struct scan *scan,
                            struct arena *keys)
{
    struct step *step = NEW(ctx, struct step);
    struct partition partition;
    struct slice after = SLICE_NULL;
    int64_t from = INT64_MIN;
    bool found;

    if (!step)
        return WR_NOMEM;
    for (;;) {
        TRY(partitions_open(ctx, partitions, txn, table, from, INT64_MAX, after));
        TRY(partitions_next(ctx, partitions, &partition, &found));
        if (!found)
            return WR_OK;
        struct ctx keep = { .arena = keys };
        arena_reset(keys);
        if (ctx_copy(&keep, partition.key, &after) != WR_OK)
            return fail_nomem(ctx);
        from = partition.token;
        TRY(build_partition(ctx, txn, scan, table, after, index, step));
    }
}

enum wr_status txn_build_index(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                               const struct index_shape *index)
{
    struct partitions *partitions = NULL;
    struct scan *scan = NULL;
    struct arena keys;
    uint32_t now_s = ctx->now_s;
    enum wr_status st;

    arena_init(&keys);
    ctx->now_s = 0; /* cells count until a writer has seen that they have expired (index.h, 1) */
    TRY_OUT(partitions_new(ctx, &partitions));
    TRY_OUT(scan_new(ctx, &scan));
    TRY_OUT(build(ctx, txn, table, index, partitions, scan, &keys));
out:
    ctx->now_s = now_s;
    partitions_free(partitions);
    scan_free(scan);
    arena_release(&keys);
    return st;
}
