#include "model/export_text.h"

#include <stdio.h>

#include "engine/coding.h"
#include "model/parse.h"
#include "model/rowvalues.h"

static void put_format(struct export_text *t, const char *format, long long number)
{
    char text[64];
    snprintf(text, sizeof text, format, number);
    buf_put_str(&t->text, text);
}

void export_text_table(struct export_text *t)
{
    cql_put_full_name(&t->text, t->table->keyspace, t->table->name);
}

void export_text_using(struct export_text *t, struct export_time time)
{
    if (table_is_counter(t->table))
        return;
    put_format(t, " USING TIMESTAMP %lld", time.timestamp_us);
    if (time.expires_s || t->table->options.default_time_to_live)
        put_format(t, " AND TTL %lld", time.expires_s ? time.expires_s - t->now_s : 0);
}

void export_text_update(struct export_text *t, struct export_time time)
{
    buf_put_str(&t->text, "UPDATE ");
    export_text_table(t);
    export_text_using(t, time);
    buf_put_str(&t->text, " SET ");
}

void export_text_from(struct export_text *t, int64_t timestamp_us)
{
    buf_put_str(&t->text, " FROM ");
    export_text_table(t);
    put_format(t, " USING TIMESTAMP %lld", timestamp_us);
}

/* The literal of an empty map is an internal error of 5.0.6 where the column descends (Sets.Literal.prepare). */
void export_text_key(struct export_text *t, const struct column *column, struct slice value)
{
    bool empty_map = column->type->kind == TYPE_MAP && value.len == 4 && read_u32(value.data) == 0;
    if (empty_map && column->descending)
        buf_put_str(&t->text, "fromjson('{}')");
    else
        type_print_term(&t->text, column->type, value);
}

static void put_equals(struct export_text *t, const struct column *column, struct slice value)
{
    cql_put_name(&t->text, column->name);
    buf_put_str(&t->text, " = ");
    export_text_key(t, column, value);
}

void export_text_where(struct export_text *t, const struct slice *values, uint32_t clusterings)
{
    buf_put_str(&t->text, " WHERE ");
    for (uint32_t i = 0; i < t->table->key_count; i++) {
        buf_put_str(&t->text, i ? " AND " : "");
        put_equals(t, table_key(t->table, i), t->keys[i]);
    }
    for (uint32_t i = 0; i < clusterings; i++)
        if (!slice_is_null(values[i])) {
            buf_put_str(&t->text, " AND ");
            put_equals(t, table_clustering(t->table, i), values[i]);
        }
}

void export_text_where_row(struct export_text *t)
{
    export_text_where(t, t->clustering, t->clustering_count);
}

enum wr_status export_text_field(struct export_text *t, const struct column *column, const struct cell *cell, uint32_t *field)
{
    *field = row_field(column->type, cell);
    return *field < column->type->arg_count ? WR_OK : fail_corrupt(t->ctx, "a field's number");
}

static enum wr_status put_element_key(struct export_text *t, const struct column *column, const struct cell *cell, struct slice *value)
{
    const struct type *of = column->type->args[0];
    const struct row_column shape = row_column_of(column);
    struct slice key, path = cell->path;
    if (cell_is_live(cell, t->now_s))
        TRY(row_element(t->ctx, &shape, cell, &key, value));
    else /* a tombstone, which has no value to keep it in */
        TRY(type_get_order(t->ctx, of, &path, &key));
    type_print_term(&t->text, of, key);
    return WR_OK;
}

enum wr_status export_text_element_key(struct export_text *t, const struct column *column, const struct cell *cell)
{
    struct slice none;
    return put_element_key(t, column, cell, &none);
}

static enum wr_status put_element(struct export_text *t, const struct column *column, const struct cell *cell)
{
    const struct type *type = column->type;
    struct slice value = cell->value;
    uint32_t field;
    switch (type->kind) {
    case TYPE_UDT:
        TRY(export_text_field(t, column, cell, &field));
        cql_put_name(&t->text, type->field_names[field]);
        buf_put_str(&t->text, ": ");
        type_print_term(&t->text, type->args[field], value);
        break;
    case TYPE_LIST:
        type_print_term(&t->text, type->args[0], value);
        break;
    default:
        TRY(put_element_key(t, column, cell, &value));
        if (type->kind == TYPE_MAP) {
            buf_put_str(&t->text, ": ");
            type_print_term(&t->text, type->args[1], value);
        }
    }
    return WR_OK;
}

enum wr_status export_text_elements(struct export_text *t, const struct column *column, const struct cell *cells, uint32_t n)
{
    const char *ends = type_ends(column->type);
    buf_put_u8(&t->text, (uint8_t)ends[0]);
    for (uint32_t i = 0; i < n; i++) {
        buf_put_str(&t->text, i ? ", " : "");
        TRY(put_element(t, column, &cells[i]));
    }
    buf_put_u8(&t->text, (uint8_t)ends[1]);
    return WR_OK;
}

enum wr_status export_text_tell(struct export_text *t)
{
    buf_put_u8(&t->text, 0);
    if (t->text.failed)
        return fail_nomem(t->ctx);
    export_batch_add(&t->batch, (const char *)t->text.data, t->text.len - 1);
    buf_clear(&t->text);
    return WR_OK;
}
