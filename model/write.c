#include "model/write.h"

#include <stdlib.h>

#include "engine/token.h"
#include "model/consistency.h"
#include "model/database.h"
#include "model/failure.h"
#include "model/index_check.h"
#include "model/mutation_size.h"
#include "model/restrict.h"
#include "model/sort.h"
#include "model/tracing.h"

void write_init(struct write *w, struct exec *exec, const int64_t *timestamp_us, bool conditional)
{
    *w = (struct write){ .exec = exec, .conditional = conditional };
    if (!timestamp_us) {
        w->timestamp_us = clock_timestamp_at_us(engine_clock(exec->db->engine), exec->now_us);
        return;
    }
    w->timestamp_us = *timestamp_us;
    /* Drivers count in microseconds and the clock in milliseconds: without this a condition that is met right behind a write would be
       the older one. A server takes longer than that for either. */
    if (*timestamp_us <= exec->now_us)
        clock_raise(engine_clock(exec->db->engine), *timestamp_us);
}

enum wr_status write_add(struct write *w, const struct table *table, struct slice partition_key, uint32_t rows,
                         uint32_t ranges, struct write_part **out)
{
    struct ctx *ctx = w->exec->ctx;
    struct write_part *part = NEW(ctx, struct write_part);
    if (!part)
        return WR_NOMEM;
    part->table = table;
    part->update.table = &table->shape;
    part->update.partition_key = partition_key;
    part->update.partition_deletion = DELETION_NONE;
    if (rows && !(part->update.rows = NEW_ARRAY(ctx, struct row_update, rows)))
        return WR_NOMEM;
    if (ranges && !(part->update.ranges = NEW_ARRAY(ctx, struct range_deletion, ranges)))
        return WR_NOMEM;
    *(w->last ? &w->last->next : &w->first) = part;
    w->last = part;
    w->part_count++;
    *out = part;
    return WR_OK;
}

/* ---- merging ---- */

/* n rows of one clustering as one, as parts of one write: none is newer, so the cells of all stay and are reconciled
 * place by place. In one go, since a batch may speak of one row thousands of times. */
static enum wr_status merge_group(struct ctx *ctx, const struct row *const *rows, uint32_t n, struct row *out)
{
    struct row merged = *rows[0];
    uint32_t cells = 0, complex = 0;

    for (uint32_t i = 0; i < n; i++) {
        cells += rows[i]->cell_count;
        complex += rows[i]->complex_count;
    }
    merged.cells = NEW_ARRAY(ctx, struct cell, cells);
    merged.complex = NEW_ARRAY(ctx, struct complex_deletion, complex);
    if (!merged.cells || !merged.complex)
        return WR_NOMEM;
    merged.cell_count = merged.complex_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct row *row = rows[i];
        merged.liveness = liveness_merge(merged.liveness, row->liveness);
        merged.deletion = deletion_merge(merged.deletion, row->deletion);
        if (row->cell_count)
            memcpy(merged.cells + merged.cell_count, row->cells, row->cell_count * sizeof *row->cells);
        if (row->complex_count)
            memcpy(merged.complex + merged.complex_count, row->complex, row->complex_count * sizeof *row->complex);
        merged.cell_count += row->cell_count;
        merged.complex_count += row->complex_count;
    }
    row_normalize(&merged);
    *out = merged;
    return WR_OK;
}

/* Rows by clustering, those of one clustering in the order of the statements. */
static int cmp_rows(const void *a, const void *b)
{
    const struct row_update *x = *(const struct row_update *const *)a, *y = *(const struct row_update *const *)b;
    int c = slice_cmp(x->clustering, y->clustering);
    return c ? c : (x > y) - (x < y);
}

static enum wr_status merge_rows(struct ctx *ctx, struct update *update)
{
    uint32_t n = update->row_count, kept = 0;
    bool sorted = true;

    for (uint32_t i = 1; i < n && sorted; i++)
        sorted = slice_cmp(update->rows[i - 1].clustering, update->rows[i].clustering) < 0;
    if (sorted)
        return WR_OK;

    struct row_update **order = NEW_ARRAY(ctx, struct row_update *, n);
    struct row_update *rows = NEW_ARRAY(ctx, struct row_update, n);
    const struct row **group = NEW_ARRAY(ctx, const struct row *, n);
    if (!order || !rows || !group)
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        order[i] = &update->rows[i];
    qsort(order, n, sizeof *order, cmp_rows);
    for (uint32_t i = 0, same; i < n; i += same) {
        for (same = 0; i + same < n && slice_eq(order[i]->clustering, order[i + same]->clustering); same++)
            group[same] = &order[i + same]->row;
        rows[kept] = *order[i];
        if (same > 1)
            TRY(merge_group(ctx, group, same, &rows[kept].row));
        kept++;
    }
    update->rows = rows;
    update->row_count = kept;
    return WR_OK;
}

/* n parts of one partition, in the order of the statements, into the first. */
static enum wr_status merge_partition(struct ctx *ctx, struct write_part **parts, uint32_t n)
{
    struct update *into = &parts[0]->update;
    const struct row **statics = NEW_ARRAY(ctx, const struct row *, n);
    uint32_t rows = 0, ranges = 0, static_count = 0;

    for (uint32_t i = 0; i < n; i++) {
        rows += parts[i]->update.row_count;
        ranges += parts[i]->update.range_count;
    }
    struct row_update *all_rows = NEW_ARRAY(ctx, struct row_update, rows);
    struct range_deletion *all_ranges = NEW_ARRAY(ctx, struct range_deletion, ranges);
    struct row *static_row = NEW(ctx, struct row);
    if (!all_rows || !all_ranges || !statics || !static_row)
        return WR_NOMEM;
    rows = ranges = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct update *u = &parts[i]->update;
        if (u->row_count)
            memcpy(all_rows + rows, u->rows, u->row_count * sizeof *all_rows);
        if (u->range_count)
            memcpy(all_ranges + ranges, u->ranges, u->range_count * sizeof *all_ranges);
        rows += u->row_count;
        ranges += u->range_count;
        into->partition_deletion = deletion_merge(into->partition_deletion, u->partition_deletion);
        if (u->static_row)
            statics[static_count++] = u->static_row;
    }
    if (static_count) {
        TRY(merge_group(ctx, statics, static_count, static_row));
        into->static_row = static_row;
    }
    into->rows = all_rows;
    into->row_count = rows;
    into->ranges = all_ranges;
    into->range_count = ranges;
    return merge_rows(ctx, into);
}

struct ordered_part {
    struct write_part *part;
    int64_t token;
};

static int cmp_keys(const struct ordered_part *x, const struct ordered_part *y)
{
    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    return slice_cmp(x->part->update.partition_key, y->part->update.partition_key);
}

static int cmp_tables(const struct ordered_part *x, const struct ordered_part *y)
{
    uint64_t a = x->part->update.table->table_id, b = y->part->update.table->table_id;
    return (a > b) - (a < b);
}

static int cmp_parts(const void *a, const void *b, const void *arg)
{
    int c = cmp_keys(a, b);
    (void)arg;
    return c ? c : cmp_tables(a, b);
}

/* A key's parts come one behind the other: those of a table into one, which goes into the write again. */
static enum wr_status merge_key(struct write *w, const struct ordered_part *parts, uint32_t count, struct write_part **group)
{
    for (uint32_t i = 0, n; i < count; i += n) {
        bool seen = false;
        for (uint32_t j = 0; j < i && !seen; j++)
            seen = slice_eq(parts[j].part->table->keyspace, parts[i].part->table->keyspace);
        w->mutation_count += !seen;
        for (n = 0; i + n < count && cmp_tables(&parts[i], &parts[i + n]) == 0; n++)
            group[n] = parts[i + n].part;
        if (n > 1)
            TRY(merge_partition(w->exec->ctx, group, n));
        group[0]->next = NULL;
        *(w->last ? &w->last->next : &w->first) = group[0];
        w->last = group[0];
        w->part_count++;
    }
    w->key_count++;
    return WR_OK;
}

/* In the order of tokens, as the partitions lie, and for each in the order of the statements. */
static enum wr_status merge_parts(struct ctx *ctx, struct write *w)
{
    uint32_t n = 0, total = w->part_count;
    struct ordered_part *order = NEW_ROOM(ctx, struct ordered_part, total);
    struct write_part **group = NEW_ROOM(ctx, struct write_part *, total);
    if (!order || !group)
        return WR_NOMEM;
    for (struct write_part *p = w->first; p; p = p->next, n++)
        order[n] = (struct ordered_part){ p, token_of(p->update.partition_key) };
    TRY(sort_stably(ctx, order, total, sizeof *order, cmp_parts, NULL));

    w->first = w->last = NULL;
    w->part_count = w->key_count = w->mutation_count = 0;
    for (uint32_t i = 0; i < total; i += n) {
        for (n = 1; i + n < total && cmp_keys(&order[i], &order[i + n]) == 0; n++)
            ;
        TRY(merge_key(w, &order[i], n, group));
    }
    return WR_OK;
}

/* ---- lightweight transactions ---- */

static enum wr_status settle_row(struct ctx *ctx, struct row *row, int64_t deletion_us)
{
    const struct row none = ROW_NONE;
    struct row settled;

    TRY(row_merge(ctx, row, &none, DELETION_NONE, &settled)); /* drops what the row's own deletions cover */
    if (!deletion_is_none(settled.deletion))
        settled.deletion.timestamp_us = deletion_us;
    for (uint32_t i = 0; i < settled.complex_count; i++)
        settled.complex[i].deletion.timestamp_us = deletion_us;
    *row = settled;
    return WR_OK;
}

static enum wr_status settle(struct ctx *ctx, struct update *u, int64_t deletion_us)
{
    if (!deletion_is_none(u->partition_deletion))
        u->partition_deletion.timestamp_us = deletion_us;
    for (uint32_t i = 0; i < u->range_count; i++)
        u->ranges[i].deletion.timestamp_us = deletion_us;
    for (uint32_t i = 0; i < u->row_count; i++)
        TRY(settle_row(ctx, &u->rows[i].row, deletion_us));
    return u->static_row ? settle_row(ctx, u->static_row, deletion_us) : WR_OK;
}

/* ---- all of it ---- */

static bool is_empty(const struct update *u)
{
    return deletion_is_none(u->partition_deletion) && !u->static_row && !u->row_count && !u->range_count;
}

/* Partitions of statements whose values were all unset. */
static void put_empty_aside(struct write *w)
{
    struct write_part **at = &w->first;
    w->last = NULL;
    while (*at) {
        struct write_part *part = *at;
        if (is_empty(&part->update)) {
            *at = part->next;
            part->next = w->unset;
            w->unset = part;
            w->part_count--;
        } else {
            w->last = part;
            at = &part->next;
        }
    }
}

/* What a replica cannot write. A server tells no more than that it failed. */
static enum wr_status fail_unwritten(const struct write *w)
{
    return failure_of_write(w->exec, w->part_count == 1 ? "SIMPLE" : w->logged ? "BATCH" : "UNLOGGED_BATCH");
}

enum wr_status write_finish(struct write *w)
{
    w->key_count = w->mutation_count = w->part_count;
    if (w->part_count > 1)
        TRY(merge_parts(w->exec->ctx, w));
    put_empty_aside(w);
    for (struct write_part *p = w->first; p; p = p->next) {
        p->update.next = p->next ? &p->next->update : NULL;
        TRY(ctx_go_on(w->exec->ctx));
        enum wr_status st = index_check_update(w->exec, p->table, &p->update);
        TRY(st == WR_WRITE_FAILURE ? fail_unwritten(w) : st);
        if (w->conditional)
            TRY(settle(w->exec->ctx, &p->update, w->timestamp_us - 1));
    }
    return mutation_size_check(w);
}

static enum wr_status check_parts(const struct write *w, const struct write_part *parts)
{
    for (; parts; parts = parts->next)
        TRY(consistency_check_write(w->exec, parts->table));
    return WR_OK;
}

/* A conditional write that turns out empty is not committed (StorageProxy.doPaxos). */
static enum wr_status check_consistency(const struct write *w)
{
    enum wr_status st = check_parts(w, w->first);
    if (st == WR_OK && !w->conditional)
        st = check_parts(w, w->unset);
    if (st == WR_UNAVAILABLE)
        tracing_note(w->exec, "Unavailable");
    return st;
}

enum wr_status write_apply(struct write *w)
{
    struct exec *exec = w->exec;
    uint32_t now_s = exec->ctx->now_s, wall_s = clock_seconds(exec->now_us);

    tracing_replicas(exec, w);
    TRY(check_consistency(w));
    if (!w->first)
        return WR_OK;
    if (w->null_bound)
        return fail_unwritten(w);
    tracing_updates(exec, w);
    exec->ctx->now_s = now_s < wall_s ? now_s : wall_s; /* a statement from the future (wr_set_now) makes nobody else's data expire */
    enum wr_status st = apply(exec->ctx, exec->txn, &w->first->update);
    exec->ctx->now_s = now_s;
    return st;
}
