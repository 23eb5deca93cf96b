#include "model/stored.h"

enum wr_status stored_begin(struct ctx *ctx, struct database *db, const struct schema *schema, const struct table *table, struct stored *out, bool *outdated)
{
    const struct reach reach = reach_all(&table->shape);

    *out = (struct stored){ .ctx = ctx, .table = table };
    TRY(scan_new(ctx, &out->scan));
    TRY(partitions_new(ctx, &out->partitions));
    TRY(txn_begin_read(ctx, db->engine, &out->txn));
    TRY(database_look_at_schema(ctx, db, schema, &out->txn, outdated));
    return *outdated ? WR_OK : database_catch_up(ctx, db, &reach, &out->txn);
}

void stored_end(struct stored *s)
{
    if (s->scan)
        scan_close(s->scan);
    if (s->partitions)
        partitions_close(s->partitions);
    txn_abort(&s->txn);
    scan_free(s->scan);
    partitions_free(s->partitions);
}

enum wr_status stored_each(struct stored *s, const bool *ended, stored_visit *visit, void *arg)
{
    struct partition partition;
    bool found = true;

    TRY(partitions_open_any(s->ctx, s->partitions, s->txn, &s->table->shape, INT64_MIN, INT64_MAX, SLICE_NULL));
    while (!*ended) {
        struct arena_mark mark = arena_mark(s->ctx->arena);
        TRY(partitions_next(s->ctx, s->partitions, &partition, &found));
        if (!found)
            break;
        TRY(visit(arg, s, &partition));
        arena_rewind(s->ctx->arena, mark);
    }
    return WR_OK;
}

enum wr_status stored_open_rows(struct stored *s, const struct partition *partition)
{
    static const struct range all = { { (const uint8_t *)"", 0 }, { NULL, 0 } };
    return scan_open(s->ctx, s->scan, s->txn, partition, all, SCAN_RAW | (s->table->clustering.reversed ? SCAN_REVERSED : 0), NULL);
}
