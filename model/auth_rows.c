#include "model/auth_rows.h"

#include "engine/scan.h"
#include "model/rowvalues.h"

/* ---- one row ---- */

static enum wr_status find_table(struct exec *exec, const char *name, struct auth_row *row)
{
    row->table = schema_table(exec->schema, SLICE_LIT(AUTH_KEYSPACE), slice_str(name));
    return row->table ? WR_OK : fail_corrupt(exec->ctx, "system table");
}

enum wr_status auth_row_find(struct exec *exec, const char *name, const struct slice *keys, struct auth_row *out,
                             bool *found)
{
    *found = false;
    if (!keys[0].len)
        return WR_OK; /* no key of a partition */
    TRY(find_table(exec, name, out));
    return system_row_find(exec->ctx, exec->txn, out->table, keys, &out->values, found);
}

/* ---- all of them ---- */

struct walk {
    struct exec *exec;
    struct auth_row row;
    struct row_columns columns;
    struct partitions *partitions;
    struct scan *scan;
    struct auth_row *rows;
    uint32_t count, room;
};

static enum wr_status keep(struct walk *w, struct slice key, const struct row_view *view)
{
    struct ctx *ctx = w->exec->ctx;
    if (w->count == w->room) {
        uint32_t room = w->room ? 2 * w->room : 16;
        struct auth_row *rows = NEW_ARRAY(ctx, struct auth_row, room);
        if (!rows)
            return WR_NOMEM;
        if (w->count)
            memcpy(rows, w->rows, w->count * sizeof *rows);
        w->rows = rows;
        w->room = room;
    }
    struct auth_row *row = &w->rows[w->count];
    row->table = w->row.table;
    if (!(row->values = NEW_ARRAY(ctx, struct slice, row->table->column_count)))
        return WR_NOMEM;
    TRY(row_values(ctx, &w->columns, key, NULL, view->clustering, &view->row, row->values));
    for (uint32_t i = 0; i < row->table->column_count; i++)
        TRY(ctx_copy(ctx, row->values[i], &row->values[i]));
    w->count++;
    return WR_OK;
}

static enum wr_status walk_partition(struct walk *w, const struct partition *partition)
{
    static const struct range all = { { (const uint8_t *)"", 0 }, { NULL, 0 } };
    const struct row_view *view;
    enum wr_status st;
    TRY_OUT(scan_open(w->exec->ctx, w->scan, w->exec->txn, partition, all, 0, NULL));
    do {
        TRY_OUT(scan_next(w->exec->ctx, w->scan, &view));
        if (view)
            TRY_OUT(keep(w, partition->key, view));
    } while (view);
out:
    scan_close(w->scan);
    return st;
}

static enum wr_status walk_one(struct walk *w, struct slice key)
{
    struct partition partition;
    struct slice bytes;
    bool found;
    TRY(partition_key_put(w->exec->ctx, &key, 1, &bytes));
    TRY(partition_find(w->exec->ctx, w->exec->txn, &w->row.table->shape, bytes, &partition, &found));
    partition.key = bytes;
    return found ? walk_partition(w, &partition) : WR_OK;
}

static enum wr_status walk_all(struct walk *w)
{
    struct ctx *ctx = w->exec->ctx;
    struct partition partition;
    enum wr_status st;
    bool found;
    TRY_OUT(partitions_new(ctx, &w->partitions));
    TRY_OUT(partitions_open(ctx, w->partitions, w->exec->txn, &w->row.table->shape, INT64_MIN, INT64_MAX, SLICE_NULL));
    do {
        TRY_OUT(partitions_next(ctx, w->partitions, &partition, &found));
        if (found)
            TRY_OUT(walk_partition(w, &partition));
    } while (found);
out:
    partitions_close(w->partitions);
    partitions_free(w->partitions);
    return st;
}

enum wr_status auth_rows_read(struct exec *exec, const char *name, struct slice key, struct auth_row **out,
                              uint32_t *count)
{
    struct walk w = { .exec = exec };
    enum wr_status st;
    TRY(find_table(exec, name, &w.row));
    TRY(row_columns_make(exec->ctx, w.row.table, NULL, &w.columns));
    TRY(scan_new(exec->ctx, &w.scan));
    TRY_OUT(slice_is_null(key) ? walk_all(&w) : walk_one(&w, key));
    *out = w.rows;
    *count = w.count;
out:
    scan_free(w.scan);
    return st;
}

/* ---- values ---- */

struct slice auth_value(const struct auth_row *row, const char *column)
{
    const struct column *c = table_column(row->table, slice_str(column));
    return c ? row->values[c->ordinal] : SLICE_NULL;
}

bool auth_flag(const struct auth_row *row, const char *column)
{
    struct slice value = auth_value(row, column);
    return value.len == 1 && value.data[0];
}

enum wr_status auth_texts(struct ctx *ctx, const struct auth_row *row, const char *column, struct texts *out)
{
    const struct column *c = table_column(row->table, slice_str(column));
    struct slice value = c ? row->values[c->ordinal] : SLICE_NULL, element;
    struct elements e;
    *out = (struct texts){ NULL, 0 };
    if (slice_is_null(value))
        return WR_OK;
    if (!(out->list = NEW_ARRAY(ctx, struct slice, type_collection_count(value))))
        return WR_NOMEM;
    elements_open(&e, c->type, value);
    while (elements_next(&e, &element))
        TRY(ctx_copy(ctx, element, &out->list[out->count++]));
    return WR_OK;
}

enum wr_status auth_texts_pack(struct ctx *ctx, const struct texts *texts, struct slice *out)
{
    const struct type *text = type_native(TYPE_TEXT), *type = type_make(ctx, TYPE_SET, &text, 1, true, 0);
    struct slice *sorted = NEW_ARRAY(ctx, struct slice, texts->count);
    if (!type || !sorted)
        return WR_NOMEM;
    if (texts->count)
        memcpy(sorted, texts->list, texts->count * sizeof *sorted);
    return type_pack(ctx, type, sorted, type_sort_unique(type, sorted, texts->count), out);
}

bool texts_have(const struct texts *texts, struct slice text)
{
    for (uint32_t i = 0; i < texts->count; i++)
        if (slice_eq(texts->list[i], text))
            return true;
    return false;
}
