#include <stdio.h>

#include "model/view.h"

/* One view on its way. */
struct check {
    struct txn *txn;
    const struct table *base, *view;
    struct derivation derivation;
    bool shares;
    struct findings *findings;
    uint64_t expected, found; /* rows */
    struct scan *scan;
    struct partitions *partitions;
};

static void found(struct check *c, const char *what)
{
    findings_add(c->findings, "view %.*s.%.*s: %s", SLICE_ARG(c->view->keyspace), SLICE_ARG(c->view->name), what);
}

static bool cell_eq(const struct cell *a, const struct cell *b)
{
    return a->column == b->column && a->kind == b->kind && a->timestamp_us == b->timestamp_us && a->ttl_s == b->ttl_s &&
           a->local_s == b->local_s && slice_eq(a->path, b->path) && slice_eq(a->value, b->value);
}

/* Of what can be seen, so not of markers: one that is not needed is as good as none. */
static bool row_eq(const struct row *a, const struct row *b)
{
    if (a->cell_count != b->cell_count)
        return false;
    for (uint32_t i = 0; i < a->cell_count; i++)
        if (!cell_eq(&a->cells[i], &b->cells[i]))
            return false;
    return true;
}

static enum wr_status check_made(struct ctx *ctx, struct check *c, const struct derived_row *made)
{
    struct partition partition;
    struct row row;
    bool is_there;

    c->expected++;
    if (c->shares)
        return WR_OK;
    TRY(partition_find(ctx, c->txn, &c->view->shape, made->key, &partition, &is_there));
    if (is_there)
        TRY(row_find_live(ctx, c->txn, &partition, made->clustering, NULL, &row, &is_there));
    if (!is_there)
        found(c, "a row is missing");
    else if (!row_eq(&row, &made->row))
        found(c, "a row is not what its table's row makes it");
    return WR_OK;
}

static enum wr_status check_base_rows(struct ctx *ctx, struct check *c, const struct partition *partition)
{
    const struct row_view *row;
    struct derived_row made;

    TRY(scan_open(ctx, c->scan, c->txn, partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    for (;;) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(scan_next(ctx, c->scan, &row));
        if (!row)
            return WR_OK;
        TRY(c->derivation.derive(ctx, c->derivation.arg, partition->key, row->clustering, &row->row, &made));
        if (made.is_there)
            TRY(check_made(ctx, c, &made));
        arena_rewind(ctx->arena, mark);
    }
}

static enum wr_status count_rows(struct ctx *ctx, struct check *c, const struct partition *partition)
{
    const struct row_view *row;

    TRY(scan_open(ctx, c->scan, c->txn, partition, (struct range){ SLICE_EMPTY, SLICE_NULL }, 0, NULL));
    for (;;) {
        TRY(scan_next(ctx, c->scan, &row));
        if (!row)
            return WR_OK;
        c->found++;
    }
}

static enum wr_status each_partition(struct ctx *ctx, struct check *c, const struct table *table,
                                     enum wr_status (*visit)(struct ctx *ctx, struct check *c,
                                                             const struct partition *p))
{
    struct partition partition;
    bool any;

    TRY(partitions_open(ctx, c->partitions, c->txn, &table->shape, INT64_MIN, INT64_MAX, SLICE_NULL));
    for (;;) {
        struct arena_mark mark = arena_mark(ctx->arena);
        TRY(partitions_next(ctx, c->partitions, &partition, &any));
        if (!any)
            return WR_OK;
        TRY(visit(ctx, c, &partition));
        arena_rewind(ctx->arena, mark);
    }
}

/* Partitions whose keys are equal and not the same bytes (decimals 0 and 0.0) have one row of the view for a row of each. What was written or deleted of the
 * one last is what is seen of it, as on a cluster. */
static bool may_share_rows(const struct table *base)
{
    for (uint32_t i = 0; i < base->key_count; i++)
        if (type_order_is_lossy(base->columns[i].type))
            return true;
    return false;
}

static enum wr_status check_view(struct ctx *ctx, struct check *c)
{
    c->expected = c->found = 0;
    c->shares = may_share_rows(c->base);
    TRY(view_derivation_make(ctx, c->base, c->view, &c->derivation));
    TRY(each_partition(ctx, c, c->base, check_base_rows));
    TRY(each_partition(ctx, c, c->view, count_rows));
    if (c->found > c->expected)
        found(c, "rows that no row of its table makes");
    return WR_OK;
}

enum wr_status views_check(struct ctx *ctx, struct engine *engine, const struct schema *schema,
                           struct findings *findings)
{
    struct check c = { .findings = findings };
    enum wr_status st;

    TRY_OUT(txn_begin_read(ctx, engine, &c.txn));
    TRY_OUT(scan_new(ctx, &c.scan));
    TRY_OUT(partitions_new(ctx, &c.partitions));
    for (uint32_t k = 0; k < schema_keyspace_count(schema); k++)
        for (uint32_t t = 0; t < schema_keyspace_at(schema, k)->table_count; t++) {
            c.base = schema_keyspace_at(schema, k)->tables[t];
            for (uint32_t i = 0; i < c.base->view_count; i++) {
                c.view = c.base->views[i];
                TRY_OUT(check_view(ctx, &c));
            }
        }
out:
    scan_free(c.scan);
    partitions_free(c.partitions);
    txn_abort(&c.txn);
    return st;
}
