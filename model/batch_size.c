#include "model/batch_size.h"

#include <stdlib.h>

#include "model/javatext.h"
#include "model/parse.h"
#include "model/rowvalues.h"
#include "model/tombstones.h"
#include "model/update_parts.h"

enum { /* what the parts of a PartitionUpdate count for */
    SIZE_PARTITION = 8,         /* its DeletionInfo */
    SIZE_ROW = 13,              /* a row's deletion */
    SIZE_LIVENESS = 8,
    SIZE_EXPIRING_LIVENESS = 20,
    SIZE_CELL = 20,             /* without path and value */
    SIZE_COMPLEX_DELETION = 12,
    SIZE_COUNTER = 36,          /* a counter context of one shard */
    SIZE_RANGES = 4,
    SIZE_RANGE = 12,            /* without its bounds */
};

/* ---- sizes ---- */

struct sizer {
    struct ctx *ctx;
    struct slice *values; /* room for those of any table's clustering */
    size_t size;
};

static void add_values(struct sizer *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        s->size += s->values[i].len;
}

static enum wr_status add_clustering(struct sizer *s, const struct table *table, const struct row_update *row)
{
    TRY(update_clustering(s->ctx, table, row, s->values));
    add_values(s, table->clustering.count);
    return WR_OK;
}

static enum wr_status add_bound(struct sizer *s, const struct table *table, struct slice bound)
{
    uint32_t count;
    bool behind;

    TRY(clustering_split_bound(s->ctx, &table->clustering, bound, s->values, &count, &behind));
    add_values(s, count);
    return WR_OK;
}

static enum wr_status add_cell(struct sizer *s, const struct column *column, const struct cell *cell)
{
    struct slice path = cell->path, value = cell->value;

    if (column)
        TRY(row_cell(s->ctx, column, cell, &path, &value));
    s->size += SIZE_CELL + path.len + (cell->kind == CELL_DEAD ? 0 : cell->flags & CELL_COUNTER ? SIZE_COUNTER : value.len);
    return WR_OK;
}

static enum wr_status add_cells(struct sizer *s, const struct table *table, const struct row *row)
{
    const struct cell *last = NULL;

    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *cell = &row->cells[i];
        bool first = !last || last->column != cell->column, complex = !slice_is_null(cell->path);
        if (update_is_covered(row, cell) || (!first && !complex)) /* increments of one counter are one */
            continue;
        TRY(add_cell(s, table_column_by_id(table, cell->column), cell));
        if (complex && first && deletion_is_none(update_kept_deletion(row, cell->column)))
            s->size += SIZE_COMPLEX_DELETION; /* every complex column has one, a live one too */
        last = cell;
    }
    return WR_OK;
}

static enum wr_status add_row(struct sizer *s, const struct table *table, const struct row *row)
{
    bool expires = row->liveness.ttl_s && !deletion_covers(row->deletion, row->liveness.timestamp_us);

    s->size += SIZE_ROW + (expires ? SIZE_EXPIRING_LIVENESS : SIZE_LIVENESS);
    for (uint32_t i = 0; i < row->complex_count; i++)
        s->size += deletion_is_none(update_kept_deletion(row, row->complex[i].column)) ? 0 : SIZE_COMPLEX_DELETION;
    return add_cells(s, table, row);
}

static enum wr_status add_ranges(struct sizer *s, const struct table *table, const struct update *u)
{
    struct tombstones t;

    TRY(tombstones_of(s->ctx, u->ranges, u->range_count, table->clustering.reversed, BATCH_SIZE_FAIL / SIZE_RANGE, &t));
    s->size += SIZE_RANGES;
    for (uint32_t i = 0; i < t.count; i++) {
        s->size += SIZE_RANGE;
        TRY(add_bound(s, table, t.all[i].range.start));
        TRY(add_bound(s, table, t.all[i].range.end));
    }
    return WR_OK;
}

/* There is always a static row, if with nothing in it. */
enum { SIZE_NOTHING = SIZE_PARTITION + SIZE_ROW + SIZE_LIVENESS };

static enum wr_status add_part(struct sizer *s, const struct write_part *part)
{
    const struct update *u = &part->update;

    s->size += u->static_row ? SIZE_PARTITION : SIZE_NOTHING;
    if (u->static_row)
        TRY(add_row(s, part->table, u->static_row));
    for (uint32_t i = 0; i < u->row_count; i++) {
        TRY(add_clustering(s, part->table, &u->rows[i]));
        TRY(add_row(s, part->table, &u->rows[i].row));
    }
    return u->range_count ? add_ranges(s, part->table, u) : WR_OK;
}

static enum wr_status size_of(struct ctx *ctx, const struct write *w, size_t *out)
{
    struct sizer s = { .ctx = ctx };
    uint32_t values = 0;

    for (const struct write_part *p = w->first; p; p = p->next)
        values = p->table->clustering_count > values ? p->table->clustering_count : values;
    if (!(s.values = NEW_ROOM(ctx, struct slice, values)))
        return WR_NOMEM;
    for (const struct write_part *p = w->first; p; p = p->next)
        TRY(add_part(&s, p));
    for (const struct write_part *p = w->unset; p; p = p->next)
        s.size += SIZE_NOTHING;
    *out = s.size;
    return WR_OK;
}

/* ---- what they add up to ---- */

enum wr_status batch_table_names(struct ctx *ctx, const struct table *const *tables, uint32_t count, const char **out)
{
    struct slice *names = NEW_ARRAY(ctx, struct slice, count);
    struct buf text;

    if (!names)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        buf_init(&text, ctx->arena);
        cql_put_full_name(&text, tables[i]->keyspace, tables[i]->name);
        TRY(buf_done(ctx, &text, &names[i]));
    }
    TRY(java_set_sort(ctx, names, count, 0));
    buf_init(&text, ctx->arena);
    for (uint32_t i = 0; i < count; i++) {
        buf_put_str(&text, i ? ", " : "");
        buf_put_slice(&text, names[i]);
    }
    buf_put_u8(&text, 0);
    if (text.failed)
        return fail_nomem(ctx);
    *out = (const char *)text.data;
    return WR_OK;
}

static int cmp_tables(const void *a, const void *b)
{
    uint64_t x = (*(const struct table *const *)a)->shape.table_id, y = (*(const struct table *const *)b)->shape.table_id;
    return (x > y) - (x < y);
}

static uint32_t add_tables(const struct table **tables, uint32_t n, const struct write_part *parts)
{
    for (const struct write_part *p = parts; p; p = p->next) {
        uint32_t i = n;
        while (i > 0 && cmp_tables(&tables[i - 1], &p->table) != 0)
            i--;
        if (!i)
            tables[n++] = p->table;
    }
    return n;
}

static uint32_t count_parts(const struct write_part *parts)
{
    uint32_t n = 0;
    for (; parts; parts = parts->next)
        n++;
    return n;
}

static enum wr_status name_tables(struct ctx *ctx, const struct write *w, uint32_t *count, const char **out)
{
    const struct table **tables = NEW_ARRAY(ctx, const struct table *, w->part_count + count_parts(w->unset));

    if (!tables)
        return WR_NOMEM;
    *count = add_tables(tables, add_tables(tables, 0, w->first), w->unset);
    qsort(tables, *count, sizeof *tables, cmp_tables);
    return batch_table_names(ctx, tables, *count, out);
}

enum wr_status batch_size_check(const struct write *w, enum ast_batch_kind kind)
{
    struct ctx *ctx = w->exec->ctx;
    uint32_t table_count;
    const char *tables;
    size_t size;

    if (w->mutation_count <= 1)
        return WR_OK;
    TRY(size_of(ctx, w, &size));
    if (size > BATCH_SIZE_FAIL)
        return fail(ctx, WR_INVALID, "Batch too large");
    bool large = size > BATCH_SIZE_WARN, many = kind != BATCH_LOGGED && w->key_count > UNLOGGED_PARTITIONS_WARN;
    if (!large && !many)
        return WR_OK;
    TRY(name_tables(ctx, w, &table_count, &tables));
    if (large)
        ctx_warn(ctx, "Batch for [%s] is of size %zu, exceeding specified threshold of %d by %zu.", tables, size,
                 (int)BATCH_SIZE_WARN, size - BATCH_SIZE_WARN);
    if (many)
        ctx_warn(ctx,
                 "Unlogged batch covering %u partitions detected against table%s [%s]. You should use a logged batch "
                 "for atomicity, or "
                 "asynchronous writes for performance.",
                 w->key_count, table_count == 1 ? "" : "s", tables);
    return WR_OK;
}
