/*
 * build - what is new and depends on the rows of a table: an index, or a hook's tables. One walk over it, in batches: what is read borrows
 * from the transaction only until something is written, so each is first gathered and then put. An index's entries are put in their own
 * order, since neighbours in the table lie all over the index.
 */
#include <stdlib.h>

#include "engine/index.h"
#include "engine/partitions.h"

size_t build_batch_bytes = 8 << 20;

struct entry_made { /* for an index */
    struct slice bytes, sketch;
    uint8_t term_len;
};

struct row_kept { /* for a hook */
    struct slice key, clustering;
    struct row row;
};

struct build {
    const struct table_shape *table;
    const struct index_shape *index; /* of the two one is NULL */
    const struct row_hook *hook;
    struct partitions *partitions;
    struct scan *scan;
    union {
        struct entry_made *entries;
        struct row_kept *rows;
        void *list; /* from the heap; its room is kept */
    };
    uint32_t count, room;
    size_t bytes;
    struct arena batch; /* what the list borrows from */
    struct arena place; /* where the batch before ended: */
    int64_t token;
    struct slice key;        /* null: nowhere yet */
    struct slice clustering; /* the partition may have more behind it; null: it has not */
};

static bool is_full(const struct build *b)
{
    return b->bytes >= build_batch_bytes;
}

/* ---- gathering ---- */

static enum wr_status make_room(struct ctx *ctx, struct build *b)
{
    if (b->count < b->room)
        return WR_OK;
    uint32_t room = b->room ? 2 * b->room : 64;
    void *grown = mem_realloc(b->list, room * (b->hook ? sizeof *b->rows : sizeof *b->entries));
    if (!grown)
        return fail_nomem(ctx);
    b->list = grown;
    b->room = room;
    return WR_OK;
}

static enum wr_status keep_bytes(struct ctx *ctx, struct build *b, struct slice bytes, struct slice *out)
{
    b->bytes += bytes.len;
    return ctx_copy_to(ctx, &b->batch, bytes, out);
}

static enum wr_status keep_row(struct ctx *ctx, struct build *b, struct slice key, struct slice clustering, const struct row *row)
{
    TRY(make_room(ctx, b));
    struct row_kept *kept = &b->rows[b->count++];
    *kept = (struct row_kept){ .row = *row };
    TRY(keep_bytes(ctx, b, key, &kept->key));
    TRY(keep_bytes(ctx, b, clustering, &kept->clustering));
    TRY(keep_bytes(ctx, b, row->annex, &kept->row.annex));
    if (!(kept->row.cells = arena_alloc_raw(&b->batch, row->cell_count * sizeof *row->cells)))
        return fail_nomem(ctx);
    for (uint32_t i = 0; i < row->cell_count; i++) {
        kept->row.cells[i] = row->cells[i];
        TRY(keep_bytes(ctx, b, row->cells[i].path, &kept->row.cells[i].path));
        TRY(keep_bytes(ctx, b, row->cells[i].value, &kept->row.cells[i].value));
    }
    b->bytes += sizeof *kept + row->cell_count * sizeof *row->cells;
    return WR_OK;
}

static enum wr_status keep_entries(struct ctx *ctx, struct build *b, const struct partition *partition, struct slice clustering,
                                   const struct row *row)
{
    struct terms terms;
    struct ctx own;

    ctx_init(&own, &b->batch);
    TRY(index_terms(ctx, b->index, partition->key, clustering, row, &terms));
    TRY(index_sketch(ctx, b->index, &terms));
    for (uint32_t i = 0; i < terms.count; i++) {
        struct index_place place = { .term = terms.list[i], .partition_id = partition->id, .token = partition->token, .clustering = clustering };
        TRY(make_room(ctx, b));
        struct entry_made *made = &b->entries[b->count++];
        made->term_len = (uint8_t)place.term.len;
        if (index_bytes(&own, &place, &made->bytes) != WR_OK)
            return fail_nomem(ctx);
        TRY(keep_bytes(ctx, b, terms.sketch, &made->sketch));
        b->bytes += sizeof *made + made->bytes.len;
    }
    return WR_OK;
}

static enum wr_status keep_view(struct ctx *ctx, struct build *b, const struct partition *partition, const struct row_view *view)
{
    if (b->hook)
        return keep_row(ctx, b, partition->key, view->clustering, &view->row);
    return keep_entries(ctx, b, partition, view->clustering, &view->row);
}

/* The rows behind the clustering (null: all), one at least, until the batch is full. */
static enum wr_status gather_rows(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition)
{
    struct slice after = b->clustering;
    const struct row_view *view;

    TRY(scan_open(ctx, b->scan, txn, partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    if (!slice_is_null(after))
        TRY(scan_seek(ctx, b->scan, after));
    b->clustering = SLICE_NULL;
    for (struct arena_mark mark = arena_mark(ctx->arena);; arena_rewind(ctx->arena, mark)) {
        TRY(scan_next(ctx, b->scan, &view));
        if (!view)
            return WR_OK;
        if (!slice_is_null(after) && slice_eq(view->clustering, after))
            continue;
        TRY(keep_view(ctx, b, partition, view));
        if (is_full(b))
            return ctx_copy_to(ctx, &b->batch, view->clustering, &b->clustering);
    }
}

static enum wr_status gather_static(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition)
{
    struct row row;

    TRY(partition_static(ctx, txn, partition, NULL, &row));
    return row_is_empty(&row) ? WR_OK : keep_entries(ctx, b, partition, SLICE_EMPTY, &row);
}

static enum wr_status gather_partition(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition)
{
    if (b->index && slice_is_null(b->clustering) && index_shape_is_of(b->index, true))
        TRY(gather_static(ctx, txn, b, partition));
    if (!b->index || index_shape_is_of(b->index, false))
        TRY(gather_rows(ctx, txn, b, partition));
    scan_close(b->scan);
    b->token = partition->token;
    return is_full(b) ? ctx_copy_to(ctx, &b->batch, partition->key, &b->key) : WR_OK;
}

static enum wr_status gather(struct ctx *ctx, struct txn *txn, struct build *b)
{
    struct partition partition;
    bool found;

    arena_reset(&b->place);
    TRY(ctx_copy_to(ctx, &b->place, b->key, &b->key));
    TRY(ctx_copy_to(ctx, &b->place, b->clustering, &b->clustering));
    arena_reset(&b->batch);
    b->count = 0;
    b->bytes = 0;
    struct arena_mark mark = arena_mark(ctx->arena);
    if (!slice_is_null(b->clustering)) {
        TRY(partition_find(ctx, txn, b->table, b->key, &partition, &found));
        if (found)
            TRY(gather_partition(ctx, txn, b, &partition));
    }
    TRY(partitions_open(ctx, b->partitions, txn, b->table, b->token, INT64_MAX, b->key));
    while (!is_full(b)) {
        arena_rewind(ctx->arena, mark);
        TRY(partitions_next(ctx, b->partitions, &partition, &found));
        if (!found)
            break;
        TRY(gather_partition(ctx, txn, b, &partition));
    }
    partitions_close(b->partitions);
    arena_rewind(ctx->arena, mark);
    return WR_OK;
}

/* ---- putting ---- */

static int entry_cmp(const void *a, const void *b)
{
    return slice_cmp(((const struct entry_made *)a)->bytes, ((const struct entry_made *)b)->bytes);
}

static enum wr_status put_entries(struct ctx *ctx, struct txn *txn, const struct build *b)
{
    if (b->count)
        qsort(b->entries, b->count, sizeof *b->entries, entry_cmp);
    for (uint32_t i = 0; i < b->count; i++)
        TRY(index_put(ctx, txn, b->index->index_id, b->entries[i].bytes, b->entries[i].term_len, b->entries[i].sketch));
    return WR_OK;
}

static enum wr_status tell_rows(struct ctx *ctx, struct txn *txn, const struct build *b)
{
    struct arena_mark mark = arena_mark(ctx->arena);

    for (uint32_t i = 0; i < b->count; i++) {
        const struct row_kept *kept = &b->rows[i];
        TRY(b->hook->changed(ctx, b->hook->arg, txn, kept->key, kept->clustering, NULL, &kept->row));
        arena_rewind(ctx->arena, mark);
    }
    return WR_OK;
}

static enum wr_status build(struct ctx *ctx, struct txn *txn, const struct table_shape *table,
                            const struct index_shape *index, const struct row_hook *hook)
{
    struct build *b = NEW(ctx, struct build);
    enum wr_status st;

    if (!b)
        return WR_NOMEM;
    *b = (struct build){ .table = table, .index = index, .hook = hook, .token = INT64_MIN, .key = SLICE_NULL, .clustering = SLICE_NULL };
    arena_init(&b->batch);
    arena_init(&b->place);
    TRY_OUT(partitions_new(ctx, &b->partitions));
    TRY_OUT(scan_new(ctx, &b->scan));
    do {
        TRY_OUT(gather(ctx, txn, b));
        TRY_OUT((b->hook ? tell_rows : put_entries)(ctx, txn, b));
    } while (is_full(b));
out:
    partitions_free(b->partitions);
    scan_free(b->scan);
    mem_free(b->list);
    arena_release(&b->batch);
    arena_release(&b->place);
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
