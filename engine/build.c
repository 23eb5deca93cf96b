/*
 * build - what is new and depends on the rows of a table: an index, or a derived table. One walk over the table, in batches: what is read borrows from the
 * transaction only until something is written. What is made of the rows is sorted first, since neighbours in the table lie all over what is new: so that is
 * filled from one end to the other, and each of its pages is written once.
 *
 * LMDB holds all pages in memory that a transaction has written, so what is large is committed in parts. Until it is whole it is one of those that are
 * forgotten (engine.h): nobody knows its id, and if nobody comes to, it is reclaimed.
 */
#include "engine/index.h"
#include "engine/partitions.h"
#include "engine/purge.h"
#include "engine/rig.h"
#include "engine/rowcode.h"
#include "engine/sorter.h"
#include "engine/state.h"

struct build {
    const struct table_shape *table;
    const struct index_shape *index; /* of the two one is NULL */
    const struct derivation *derivation;
    struct partitions *partitions;
    struct scan *scan;
    struct sorter *sorter; /* what has been made: */
    /* for an index        an entry's bytes -> the length of its term u8 | its sketch
     * for a derived table token u64, sign flipped | key | clustering | how many were made before u64 -> the key's length u32 | the row's code */
    uint64_t made;
    size_t put_bytes; /* since the last part was committed */
    bool in_parts;    /* some have been */
    struct arena place; /* where the batch before ended: */
    int64_t token;
    struct slice key;        /* null: nowhere yet */
    struct slice clustering; /* the partition may have more behind it; null: it has not */
};

/* ---- what is made of a row ---- */

static enum wr_status make_entries(struct ctx *ctx, struct build *b, const struct partition *partition, struct slice clustering, const struct row *row)
{
    struct terms terms;

    TRY(index_terms(ctx, b->index, partition->key, clustering, row, &terms));
    TRY(index_sketch(ctx, b->index, &terms));
    for (uint32_t i = 0; i < terms.count; i++) {
        struct index_place place = { .term = terms.list[i], .partition_id = partition->id, .token = partition->token, .clustering = clustering };
        struct slice bytes;
        uint8_t *value;
        TRY(index_bytes(ctx, &place, &bytes));
        TRY(sorter_add(ctx, b->sorter, bytes, 1 + terms.sketch.len, &value));
        value[0] = (uint8_t)place.term.len;
        if (terms.sketch.len)
            memcpy(value + 1, terms.sketch.data, terms.sketch.len);
    }
    return WR_OK;
}

static enum wr_status put_entry(struct ctx *ctx, struct txn *txn, const struct build *b, struct slice bytes, struct slice value)
{
    return index_put(ctx, txn, b->index->index_id, bytes, value.data[0], slice_skip(value, 1));
}

enum { TOKEN_BYTES = 8, COUNT_BYTES = 8, LENGTH_BYTES = 4 };

static enum wr_status make_derived(struct ctx *ctx, struct build *b, const struct partition *partition, struct slice clustering, const struct row *row)
{
    const struct derivation *d = b->derivation;
    struct derived_row made;
    struct slice bytes, code;
    struct buf buf;
    uint8_t *value;

    TRY(d->derive(ctx, d->arg, partition->key, clustering, row, &made));
    if (!made.is_there)
        return WR_OK;
    buf_init(&buf, ctx->arena);
    buf_put_u64(&buf, token_order(token_of(made.key)));
    buf_put_slice(&buf, made.key);
    buf_put_slice(&buf, made.clustering);
    buf_put_u64(&buf, b->made++);
    TRY(buf_done(ctx, &buf, &bytes));
    buf_init(&buf, ctx->arena);
    rowcode_encode(&buf, &made.row, 0);
    TRY(buf_done(ctx, &buf, &code));
    TRY(sorter_add(ctx, b->sorter, bytes, LENGTH_BYTES + code.len, &value));
    put_u32(value, (uint32_t)made.key.len);
    memcpy(value + LENGTH_BYTES, code.data, code.len);
    return WR_OK;
}

static enum wr_status put_derived(struct ctx *ctx, struct txn *txn, const struct build *b, struct slice bytes, struct slice value)
{
    struct slice key = slice_of(bytes.data + TOKEN_BYTES, read_u32(value.data));
    struct slice clustering = slice_of(key.data + key.len, bytes.len - TOKEN_BYTES - key.len - COUNT_BYTES);
    struct row row;

    TRY(rowcode_decode(ctx, slice_skip(value, LENGTH_BYTES), &row));
    return apply_derived(ctx, txn, b->derivation->table, key, clustering, &row);
}

/* ---- gathering ---- */

/* The rows behind the clustering (null: all), one at least, until the batch is full. */
static enum wr_status gather_rows(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition)
{
    struct slice after = b->clustering;
    const struct row_view *view;

    TRY(scan_open(ctx, b->scan, txn, partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    if (!slice_is_null(after))
        scan_seek(b->scan, after);
    b->clustering = SLICE_NULL;
    for (struct arena_mark mark = arena_mark(ctx->arena);; arena_rewind(ctx->arena, mark)) {
        TRY(scan_next(ctx, b->scan, &view));
        if (!view)
            return WR_OK;
        if (!slice_is_null(after) && slice_eq(view->clustering, after))
            continue;
        TRY((b->index ? make_entries : make_derived)(ctx, b, partition, view->clustering, &view->row));
        if (sorter_is_full(b->sorter))
            return ctx_copy_to(ctx, &b->place, view->clustering, &b->clustering);
    }
}

static enum wr_status gather_static(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition)
{
    struct row row;

    TRY(partition_static(ctx, txn, partition, NULL, &row));
    return row_is_empty(&row) ? WR_OK : make_entries(ctx, b, partition, SLICE_EMPTY, &row);
}

static enum wr_status gather_partition(struct ctx *ctx, struct txn *txn, struct build *b, const struct partition *partition)
{
    if (b->index && slice_is_null(b->clustering) && index_shape_is_of(b->index, true))
        TRY(gather_static(ctx, txn, b, partition));
    if (!b->index || index_shape_is_of(b->index, false))
        TRY(gather_rows(ctx, txn, b, partition));
    scan_close(b->scan);
    b->token = partition->token;
    return sorter_is_full(b->sorter) ? ctx_copy_to(ctx, &b->place, partition->key, &b->key) : WR_OK;
}

static enum wr_status gather(struct ctx *ctx, struct txn *txn, struct build *b)
{
    struct arena_mark mark = arena_mark(ctx->arena);
    struct partition partition;
    bool found;

    TRY(ctx_copy(ctx, b->key, &b->key));
    TRY(ctx_copy(ctx, b->clustering, &b->clustering));
    arena_reset(&b->place);
    struct arena_mark begun = arena_mark(ctx->arena);
    if (!slice_is_null(b->clustering)) {
        TRY(partition_find(ctx, txn, b->table, b->key, &partition, &found));
        if (found)
            TRY(gather_partition(ctx, txn, b, &partition));
    }
    TRY(partitions_open(ctx, b->partitions, txn, b->table, b->token, INT64_MAX, b->key));
    while (!sorter_is_full(b->sorter)) {
        arena_rewind(ctx->arena, begun);
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

static enum wr_status forget(struct ctx *ctx, struct txn *txn, const struct build *b)
{
    return b->index ? txn_forget_index(ctx, txn, b->index->index_id) : txn_forget_table(ctx, txn, b->derivation->table->table_id);
}

static enum wr_status recall(struct ctx *ctx, struct txn *txn, const struct build *b)
{
    return b->index ? purge_recall_index(ctx, txn, b->index->index_id) : purge_recall_table(ctx, txn, b->derivation->table->table_id);
}

static enum wr_status commit_part(struct ctx *ctx, struct txn *txn, struct build *b)
{
    if (!b->in_parts)
        TRY(forget(ctx, txn, b));
    b->in_parts = true;
    b->put_bytes = 0;
    TRY(txn_commit_part(ctx, txn));
    txn_writer(txn)->holds_sweep = true;
    return WR_OK;
}

static enum wr_status put_all(struct ctx *ctx, struct txn *txn, struct build *b)
{
    struct arena_mark mark = arena_mark(ctx->arena);
    struct slice bytes, value;

    for (b->put_bytes = 0;; b->put_bytes += bytes.len + value.len) {
        arena_rewind(ctx->arena, mark);
        TRY(ctx_go_on(ctx));
        TRY(sorter_next(ctx, b->sorter, &bytes, &value));
        if (slice_is_null(bytes))
            return WR_OK;
        if (b->put_bytes >= rig.build_part_bytes)
            TRY(commit_part(ctx, txn, b));
        TRY((b->index ? put_entry : put_derived)(ctx, txn, b, bytes, value));
    }
}

static enum wr_status run(struct ctx *ctx, struct txn *txn, struct build *b)
{
    bool more;

    do {
        TRY(gather(ctx, txn, b));
        more = sorter_is_full(b->sorter);
        if (!more || !sorter_spill(b->sorter))
            TRY(put_all(ctx, txn, b));
    } while (more);
    return b->in_parts ? recall(ctx, txn, b) : WR_OK;
}

/* The writer sweeps nothing before all of it is committed: rows would go of which what is new has something, or that itself, while it is forgotten. */
static enum wr_status build(struct ctx *ctx, struct txn *txn, const struct table_shape *table, const struct index_shape *index,
                            const struct derivation *derivation)
{
    struct build b = { .table = table, .index = index, .derivation = derivation, .token = INT64_MIN, .key = SLICE_NULL, .clustering = SLICE_NULL };
    const struct folder *folder = &txn_engine(txn)->folder;
    enum wr_status st;

    txn_writer(txn)->holds_sweep = true;
    arena_init(&b.place);
    TRY_OUT(partitions_new(ctx, &b.partitions));
    TRY_OUT(scan_new(ctx, &b.scan));
    TRY_OUT(sorter_new(ctx, folder->fd >= 0 ? folder : NULL, rig.build_batch_bytes, &b.sorter));
    TRY_OUT(run(ctx, txn, &b));
out:
    partitions_free(b.partitions);
    scan_free(b.scan);
    sorter_free(b.sorter);
    arena_release(&b.place);
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

enum wr_status txn_build_derived(struct ctx *ctx, struct txn *txn, const struct table_shape *table, const struct derivation *derivation)
{
    return build(ctx, txn, table, NULL, derivation);
}
