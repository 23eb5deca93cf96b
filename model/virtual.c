#include "model/virtual.h"

#include <stdlib.h>

#include "engine/token.h"
#include "model/literal.h"
#include "model/value.h"

/* ---- making rows ---- */

void virtual_row(struct virtual_maker *m)
{
    struct ctx *ctx = m->exec->ctx;
    if (m->status != WR_OK)
        return;
    if (m->count == m->room) {
        uint32_t room = m->room ? m->room * 2 : 16;
        struct virtual_row *rows = NEW_ARRAY(ctx, struct virtual_row, room);
        if (rows && m->count)
            memcpy(rows, m->rows, m->count * sizeof *rows);
        m->status = rows ? WR_OK : WR_NOMEM;
        m->rows = rows;
        m->room = room;
    }
    if (m->status != WR_OK)
        return;
    struct virtual_row *row = &m->rows[m->count++];
    if (!(row->values = NEW_ARRAY(ctx, struct slice, m->table->column_count)))
        m->status = WR_NOMEM;
}

static const struct column *column_of(struct virtual_maker *m, const char *name)
{
    const struct column *column = table_column(m->table, slice_str(name));
    if (m->status == WR_OK && !column)
        m->status = fail_corrupt(m->exec->ctx, "virtual column");
    return m->status == WR_OK ? column : NULL;
}

void virtual_put(struct virtual_maker *m, const char *name, struct slice value)
{
    const struct column *column = column_of(m, name);
    if (column)
        m->rows[m->count - 1].values[column->ordinal] = value;
}

void virtual_put_text(struct virtual_maker *m, const char *name, const char *text)
{
    const struct column *column = column_of(m, name);
    struct slice value = SLICE_NULL;
    if (!column || !text)
        return;
    m->status = ctx_copy(m->exec->ctx, slice_str(text), &value);
    if (m->status == WR_OK && column->type->kind != TYPE_TEXT)
        m->status = literal_from_string(m->exec->ctx, column->type, value, &value);
    virtual_put(m, name, value);
}

void virtual_put_int(struct virtual_maker *m, const char *name, int64_t number)
{
    const struct column *column = column_of(m, name);
    struct slice value = SLICE_NULL;
    if (column)
        m->status = value_from_int(m->exec->ctx, column->type, number, &value);
    virtual_put(m, name, value);
}

bool virtual_wants(struct virtual_maker *m, const struct slice *values)
{
    struct slice key;
    if (m->status == WR_OK)
        m->status = partition_key_put(m->exec->ctx, values, m->table->key_count, &key);
    if (m->status != WR_OK)
        return false;
    for (uint32_t i = 0; m->keys && i < m->key_count; i++)
        if (slice_eq(m->keys[i], key))
            return true;
    return !m->keys;
}

bool virtual_is_wanted(struct virtual_maker *m)
{
    return m->status == WR_OK && virtual_wants(m, m->rows[m->count - 1].values);
}

/* ---- order ---- */

int64_t virtual_token(const struct table *table, struct slice key)
{
    return table->flags & TABLE_VIRTUAL ? 0 : token_of(key);
}

int virtual_key_cmp(const struct table *table, const struct slice *a, const struct slice *b)
{
    int c = 0;
    for (uint32_t i = 0; i < table->key_count && !c; i++)
        c = type_compare(table_key(table, i)->type, a[i], b[i]);
    return c;
}

struct placed_row {
    const struct table *table; /* for the comparison, which is given nothing else */
    struct virtual_row row;
};

static int row_cmp(const void *a, const void *b)
{
    const struct placed_row *x = a, *y = b;
    int c = x->row.token != y->row.token ? (x->row.token > y->row.token) - (x->row.token < y->row.token)
                                         : virtual_key_cmp(x->table, x->row.values, y->row.values);
    return c ? c : slice_cmp(x->row.clustering, y->row.clustering);
}

static enum wr_status place(struct ctx *ctx, const struct table *table, struct virtual_row *row)
{
    struct buf buf;
    TRY(partition_key_put(ctx, row->values, table->key_count, &row->key));
    row->token = virtual_token(table, row->key);
    buf_init(&buf, ctx->arena);
    clustering_put(&buf, &table->clustering, row->values + table->key_count, table->clustering_count);
    return buf_done(ctx, &buf, &row->clustering);
}

enum wr_status virtual_read(struct exec *exec, const struct table *table, const struct slice *keys, uint32_t key_count,
                            struct virtual_rows *out)
{
    struct virtual_maker m = { .exec = exec, .table = table, .keys = keys, .key_count = key_count };
    virtual_fill(&m);
    TRY(m.status);
    struct placed_row *placed = NEW_ARRAY(exec->ctx, struct placed_row, m.count);
    if (!placed)
        return WR_NOMEM;
    for (uint32_t i = 0; i < m.count; i++) {
        TRY(place(exec->ctx, table, &m.rows[i]));
        placed[i] = (struct placed_row){ table, m.rows[i] };
    }
    if (m.count)
        qsort(placed, m.count, sizeof *placed, row_cmp);
    for (uint32_t i = 0; i < m.count; i++)
        m.rows[i] = placed[i].row;
    *out = (struct virtual_rows){ m.rows, m.count };
    return WR_OK;
}

/* ---- what differs from table to table ---- */

bool virtual_filters_freely(const struct table *table)
{
    return (table->flags & TABLE_VIRTUAL) && !slice_eq_str(table->name, "system_logs");
}

/* The only ones that take any write. */
static const struct {
    const char *table;
    bool takes_deletions; /* of partitions: a cached key */
} mutable_tables[] = {
    { "credentials_cache_keys", true },
    { "jmx_permissions_cache_keys", true },
    { "network_permissions_cache_keys", true },
    { "permissions_cache_keys", true },
    { "roles_cache_keys", true },
    { "system_logs", false },
};

enum wr_status virtual_write(struct ctx *ctx, const struct table *table, enum virtual_write write)
{
    static const char *const names[] = {
        [VIRTUAL_UPDATE] = "Column modification",          [VIRTUAL_DELETE_COLUMNS] = "Column deletion",
        [VIRTUAL_DELETE_PARTITION] = "Partition deletion", [VIRTUAL_DELETE_ROW] = "Row deletion",
        [VIRTUAL_DELETE_RANGE] = "Range deletion",         [VIRTUAL_TRUNCATE] = "Truncation",
    };
    const char *name = write == VIRTUAL_TRUNCATE ? names[write] : "Modification";
    for (size_t i = 0; i < sizeof mutable_tables / sizeof mutable_tables[0]; i++) {
        if (!slice_eq_str(table->name, mutable_tables[i].table))
            continue;
        if (write == VIRTUAL_TRUNCATE || (write == VIRTUAL_DELETE_PARTITION && mutable_tables[i].takes_deletions))
            return WR_OK;
        name = names[write];
    }
    return fail(ctx, WR_INVALID, "%s is not supported by table %.*s.%.*s", name, SLICE_ARG(table->keyspace),
                SLICE_ARG(table->name));
}
