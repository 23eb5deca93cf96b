#include "model/batch_size.h"

#include <stdlib.h>

#include "model/javatext.h"
#include "model/parse.h"

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

static enum wr_status clustering_size(struct ctx *ctx, const struct table *table, struct slice clustering,
                                      struct slice annex, size_t *size)
{
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->clustering_count);
    if (!values)
        return WR_NOMEM;
    if (!table->clustering_count || !clustering.len)
        return WR_OK;
    TRY(clustering_get(ctx, &table->clustering, clustering, annex, values));
    for (uint32_t i = 0; i < table->clustering_count; i++)
        *size += values[i].len;
    return WR_OK;
}

/* A path as Cassandra has it: the element or key itself, a UUID, a field's number. */
static enum wr_status path_size(struct ctx *ctx, const struct column *column, const struct cell *cell, size_t *size)
{
    struct slice path = cell->path, key;
    enum type_kind kind = column ? column->type->kind : TYPE_LIST;

    if (kind != TYPE_SET && kind != TYPE_MAP) {
        *size += path.len;
        return WR_OK;
    }
    TRY(type_get_order(ctx, column->type->args[0], &path, &key));
    *size += key.len;
    return WR_OK;
}

static enum wr_status row_size(struct ctx *ctx, const struct table *table, const struct row *row, size_t *size)
{
    *size += SIZE_ROW + (row->liveness.ttl_s ? SIZE_EXPIRING_LIVENESS : SIZE_LIVENESS);
    for (uint32_t i = 0, complex = 0; i < row->cell_count || complex < row->complex_count;) {
        const struct cell *cell = i < row->cell_count ? &row->cells[i] : NULL;
        if (complex < row->complex_count && (i == row->cell_count || row->complex[complex].column <= cell->column)) {
            complex++;
            *size += SIZE_COMPLEX_DELETION;
            continue;
        }
        *size += SIZE_CELL + (cell->kind == CELL_DEAD ? 0 : cell->flags & CELL_COUNTER ? SIZE_COUNTER : cell->value.len);
        if (!slice_is_null(cell->path)) {
            if (row_complex_deletion(row, cell->column).timestamp_us == TIMESTAMP_NONE &&
                (i == 0 || cell[-1].column != cell->column))
                *size += SIZE_COMPLEX_DELETION; /* every complex column has one, a live one too */
            TRY(path_size(ctx, table_column_by_id(table, cell->column), cell, size));
        }
        i++;
    }
    return WR_OK;
}

/* A bound is a prefix of a clustering, with 0xFF behind it where it stands after all that begin so. A value may end in
 * that byte too, but no component begins with it: what can be taken apart as it is has none. */
static enum wr_status bound_size(struct ctx *ctx, const struct table *table, struct slice bound, size_t *size)
{
    enum wr_status st = clustering_size(ctx, table, bound, SLICE_NULL, size);
    if (st != WR_CORRUPT || bound.data[bound.len - 1] != 0xFF)
        return st;
    bound.len--;
    return clustering_size(ctx, table, bound, SLICE_NULL, size);
}

static enum wr_status part_size(struct ctx *ctx, const struct write_part *part, size_t *size)
{
    const struct update *u = &part->update;
    const struct row none = ROW_NONE;

    *size += SIZE_PARTITION;
    TRY(row_size(ctx, part->table, u->static_row ? u->static_row : &none, size));
    for (uint32_t i = 0; i < u->row_count; i++) {
        TRY(clustering_size(ctx, part->table, u->rows[i].clustering, u->rows[i].row.annex, size));
        TRY(row_size(ctx, part->table, &u->rows[i].row, size));
    }
    if (u->range_count)
        *size += SIZE_RANGES;
    for (uint32_t i = 0; i < u->range_count; i++) {
        *size += SIZE_RANGE;
        TRY(bound_size(ctx, part->table, u->ranges[i].range.start, size));
        TRY(bound_size(ctx, part->table, u->ranges[i].range.end, size));
    }
    return WR_OK;
}

/* ---- what they add up to ---- */

static int cmp_keys(const void *a, const void *b)
{
    const struct write_part *x = *(const struct write_part *const *)a, *y = *(const struct write_part *const *)b;
    return slice_cmp(x->update.partition_key, y->update.partition_key);
}

struct tally {
    uint32_t mutations, keys;
    size_t size;
    const char *tables; /* "k.t, k.u" */
    uint32_t table_count;
};

/* Keys alone, and keys by keyspace: parts of one key are few, one for each table. */
static enum wr_status count_keys(struct ctx *ctx, const struct write *w, struct tally *t)
{
    const struct write_part **parts = NEW_ARRAY(ctx, const struct write_part *, w->part_count);
    uint32_t n = 0;

    if (!parts)
        return WR_NOMEM;
    for (const struct write_part *p = w->first; p; p = p->next)
        parts[n++] = p;
    qsort(parts, n, sizeof *parts, cmp_keys);
    for (uint32_t i = 0, group = 0; i < n; i++) {
        bool seen = false;
        if (i == 0 || cmp_keys(&parts[i - 1], &parts[i]) != 0) {
            group = i;
            t->keys++;
        }
        for (uint32_t j = group; j < i && !seen; j++)
            seen = slice_eq(parts[j]->table->keyspace, parts[i]->table->keyspace);
        t->mutations += !seen;
    }
    return WR_OK;
}

enum wr_status batch_table_names(struct ctx *ctx, const struct table *const *tables, uint32_t count, const char **out)
{
    struct slice *names = NEW_ARRAY(ctx, struct slice, count);
    struct buf text;

    if (!names)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        buf_init(&text, ctx->arena);
        cql_put_name(&text, tables[i]->keyspace);
        buf_put_u8(&text, '.');
        cql_put_name(&text, tables[i]->name);
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

static enum wr_status name_tables(struct ctx *ctx, const struct write *w, struct tally *t)
{
    const struct table **tables = NEW_ARRAY(ctx, const struct table *, w->part_count);

    if (!tables)
        return WR_NOMEM;
    for (const struct write_part *p = w->first; p; p = p->next) /* in order of table since write_finish */
        if (!t->table_count || tables[t->table_count - 1] != p->table)
            tables[t->table_count++] = p->table;
    return batch_table_names(ctx, tables, t->table_count, &t->tables);
}

enum wr_status batch_size_check(const struct write *w, enum ast_batch_kind kind)
{
    struct ctx *ctx = w->exec->ctx;
    struct tally t = { 0 };

    if (w->part_count <= 1)
        return WR_OK;
    TRY(count_keys(ctx, w, &t));
    if (t.mutations <= 1)
        return WR_OK;
    for (const struct write_part *p = w->first; p; p = p->next)
        TRY(part_size(ctx, p, &t.size));
    if (t.size > BATCH_SIZE_FAIL)
        return fail(ctx, WR_INVALID, "Batch too large");
    bool large = t.size > BATCH_SIZE_WARN, many = kind != BATCH_LOGGED && t.keys > UNLOGGED_PARTITIONS_WARN;
    if (!large && !many)
        return WR_OK;
    TRY(name_tables(ctx, w, &t));
    if (large)
        ctx_warn(ctx, "Batch for [%s] is of size %zu, exceeding specified threshold of %d by %zu.", t.tables, t.size,
                 (int)BATCH_SIZE_WARN, t.size - BATCH_SIZE_WARN);
    if (many)
        ctx_warn(ctx,
                 "Unlogged batch covering %u partitions detected against table%s [%s]. You should use a logged batch "
                 "for atomicity, or "
                 "asynchronous writes for performance.",
                 t.keys, t.table_count == 1 ? "" : "s", t.tables);
    return WR_OK;
}
