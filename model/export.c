#include "model/export.h"

#include "model/export_range.h"
#include "model/export_row.h"
#include "model/export_text.h"
#include "model/parse.h"
#include "model/rowvalues.h"
#include "model/stored.h"

struct exporter {
    struct ctx *ctx;
    struct database *db;
    const struct table *table;
    int64_t since_us;        /* nothing up to then is told of; TIMESTAMP_NONE: all is */
    bool has_whole_lists;    /* its table has columns of the kind, and they are told of so */
    int64_t lists_us;        /* lists that have changed since get this one, which is later than theirs; */
    int64_t buried_lists_us; /* this one, where that was told by what is dead of the row */
    const struct row *alive; /* of a row of which what is dead is at hand; NULL: all of it is */
    struct export_text to;
};

/* ---- a whole row ---- */

static enum wr_status delete_whole(struct exporter *e, struct deletion deletion)
{
    if (!export_is_new(deletion, e->since_us) || table_is_counter(e->table))
        return WR_OK;
    buf_put_str(&e->to.text, "DELETE");
    export_text_from(&e->to, deletion.timestamp_us);
    export_text_where_row(&e->to);
    return export_text_tell(&e->to);
}

static enum wr_status put_value(struct exporter *e, const struct export_column *c)
{
    if (c->column->type->multicell)
        return export_text_elements(&e->to, c->column, c->cells, c->assigned);
    type_print_term(&e->to.text, c->column->type, cell_is_live(c->cells, e->to.now_s) ? c->cells->value : SLICE_NULL);
    return WR_OK;
}

static enum wr_status insert(struct exporter *e, const struct export_row *r, uint32_t time)
{
    const struct table *table = e->table;
    struct buf *text = &e->to.text;
    uint32_t keys = table->key_count, n = 0;
    buf_put_str(text, "INSERT INTO ");
    export_text_table(&e->to);
    for (int values = 0; values < 2; values++) {
        buf_put_str(text, values ? ") VALUES (" : " (");
        n = 0;
        for (uint32_t i = 0; i < keys + e->to.clustering_count; i++) {
            struct slice value = i < keys ? e->to.keys[i] : e->to.clustering[i - keys];
            if (slice_is_null(value))
                continue;
            buf_put_str(text, n++ ? ", " : "");
            if (values)
                export_text_key(&e->to, &table->columns[i], value);
            else
                cql_put_name(text, table->columns[i].name);
        }
        for (uint32_t i = 0; i < r->count; i++) {
            if (column_is_hidden(table, r->columns[i].column) || !export_row_goes_with(r, time, &r->columns[i], e->to.now_s))
                continue;
            buf_put_str(text, ", ");
            if (values)
                TRY(put_value(e, &r->columns[i]));
            else
                cql_put_name(text, r->columns[i].column->name);
        }
    }
    buf_put_u8(text, ')');
    export_text_using(&e->to, r->times[time]);
    return export_text_tell(&e->to);
}

static enum wr_status update(struct exporter *e, const struct export_row *r, uint32_t time)
{
    uint32_t n = 0;
    export_text_update(&e->to, r->times[time]);
    for (uint32_t i = 0; i < r->count; i++) {
        if (!export_row_goes_with(r, time, &r->columns[i], e->to.now_s))
            continue;
        buf_put_str(&e->to.text, n++ ? ", " : "");
        cql_put_name(&e->to.text, r->columns[i].column->name);
        buf_put_str(&e->to.text, " = ");
        TRY(put_value(e, &r->columns[i]));
    }
    export_text_where_row(&e->to);
    return export_text_tell(&e->to);
}

static enum wr_status tell_counters(struct exporter *e, const struct export_row *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct export_column *c = &r->columns[i];
        if (!c->count || !cell_is_live(c->cells, e->to.now_s))
            continue;
        if (!n++)
            export_text_update(&e->to, export_time_of(c->cells));
        else
            buf_put_str(&e->to.text, ", ");
        cql_put_name(&e->to.text, c->column->name);
        buf_put_str(&e->to.text, " = ");
        cql_put_name(&e->to.text, c->column->name);
        buf_put_str(&e->to.text, " + ");
        type_print_term(&e->to.text, c->column->type, c->cells->value);
    }
    if (!n)
        return WR_OK;
    export_text_where_row(&e->to);
    return export_text_tell(&e->to);
}

/* ---- collections ---- */

/* `c.f = v, ...` */
static enum wr_status put_fields(struct exporter *e, const struct column *column, const struct cell *cells, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t field;
        TRY(export_text_field(&e->to, column, &cells[i], &field));
        buf_put_str(&e->to.text, i ? ", " : "");
        cql_put_name(&e->to.text, column->name);
        buf_put_u8(&e->to.text, '.');
        cql_put_name(&e->to.text, column->type->field_names[field]);
        buf_put_str(&e->to.text, " = ");
        type_print_term(&e->to.text, column->type->args[field], cells[i].value);
    }
    return WR_OK;
}

/* `c = {...}`, or `c = c + {...}`. */
static enum wr_status put_collection(struct exporter *e, const struct column *column, bool added, const struct cell *cells, uint32_t n)
{
    cql_put_name(&e->to.text, column->name);
    buf_put_str(&e->to.text, " = ");
    if (added) {
        cql_put_name(&e->to.text, column->name);
        buf_put_str(&e->to.text, " + ");
    }
    return export_text_elements(&e->to, column, cells, n);
}

static enum wr_status add_elements(struct exporter *e, const struct column *column, const struct cell *cells, uint32_t n)
{
    export_text_update(&e->to, export_time_of(cells));
    TRY(column->type->kind == TYPE_UDT ? put_fields(e, column, cells, n) : put_collection(e, column, true, cells, n));
    export_text_where_row(&e->to);
    return export_text_tell(&e->to);
}

static enum wr_status delete_element(struct exporter *e, const struct column *column, const struct cell *cell)
{
    struct buf *text = &e->to.text;
    uint32_t field;
    if (column->type->kind == TYPE_LIST)
        return WR_OK;
    buf_put_str(text, "DELETE ");
    cql_put_name(text, column->name);
    if (column->type->kind == TYPE_UDT) {
        TRY(export_text_field(&e->to, column, cell, &field));
        buf_put_u8(text, '.');
        cql_put_name(text, column->type->field_names[field]);
    } else {
        buf_put_u8(text, '[');
        TRY(export_text_element_key(&e->to, column, cell));
        buf_put_u8(text, ']');
    }
    export_text_from(&e->to, cell->timestamp_us);
    export_text_where_row(&e->to);
    return export_text_tell(&e->to);
}

static enum wr_status delete_column(struct exporter *e, const struct column *column, int64_t timestamp_us)
{
    buf_put_str(&e->to.text, "DELETE ");
    cql_put_name(&e->to.text, column->name);
    export_text_from(&e->to, timestamp_us);
    export_text_where_row(&e->to);
    return export_text_tell(&e->to);
}

/* What it is set to, and what is added to that: as many as have one TTL. An empty one is deleted. */
static enum wr_status tell_list(struct exporter *e, const struct export_column *c)
{
    int64_t timestamp_us = e->alive ? e->buried_lists_us : e->lists_us;
    bool is_set = false;
    for (uint32_t i = 0, n; i < c->count && !e->to.batch.ended; i += n) {
        n = export_run(&c->cells[i], c->count - i, e->to.now_s);
        if (!n || c->cells[i].timestamp_us <= c->column->dropped_us) {
            n += !n;
            continue;
        }
        export_text_update(&e->to, (struct export_time){ timestamp_us, export_time_of(&c->cells[i]).expires_s });
        TRY(put_collection(e, c->column, is_set, &c->cells[i], n));
        export_text_where_row(&e->to);
        TRY(export_text_tell(&e->to));
        is_set = true;
    }
    return is_set ? WR_OK : delete_column(e, c->column, timestamp_us);
}

/* A collection's elements but those that are assigned, in order. */
static enum wr_status tell_elements(struct exporter *e, const struct export_column *c)
{
    if (export_is_whole_list(c->column, e->since_us))
        return c->changed ? tell_list(e, c) : WR_OK;
    for (uint32_t i = c->assigned, n; i < c->count && !e->to.batch.ended; i += n) {
        bool is_told = c->cells[i].timestamp_us > export_least(c->column, e->since_us);
        n = export_run(&c->cells[i], c->count - i, e->to.now_s);
        if (is_told)
            TRY(n ? add_elements(e, c->column, &c->cells[i], n) : delete_element(e, c->column, &c->cells[i]));
        n += !n;
    }
    return WR_OK;
}

/* ---- partitions ---- */

/* What is written at that time ends a row of a compact table of keys alone, which lives by a cell that has no name. */
static bool ends_row(const struct exporter *e, const struct export_row *r, uint32_t time)
{
    if (!(e->table->flags & TABLE_DENSE) || !column_is_hidden(e->table, r->columns->column))
        return false;
    return export_row_goes_with(r, time, r->columns, e->to.now_s) && !cell_is_live(r->columns->cells, e->to.now_s);
}

static enum wr_status tell_written(struct exporter *e, const struct export_row *r, uint32_t time)
{
    if (ends_row(e, r, time))
        return delete_whole(e, (struct deletion){ r->times[time].timestamp_us, e->to.now_s });
    return e->table->flags & TABLE_COMPACT || (r->has_marker && time == 0) ? insert(e, r, time) : update(e, r, time);
}

static enum wr_status tell_row(struct exporter *e, const struct row *row, enum column_kind kind)
{
    struct export_row r;
    e->to.now_s = clock_now_s(engine_clock(e->db->engine));
    buf_init(&e->to.text, e->ctx->arena);
    TRY(export_row_read(e->ctx, e->table, row, e->alive, kind, e->since_us, e->to.now_s, &r));
    if (table_is_counter(e->table))
        return tell_counters(e, &r);
    if (kind == COLUMN_REGULAR)
        TRY(delete_whole(e, row->deletion));
    for (uint32_t i = 0; i < r.count; i++)
        if (!r.columns[i].assigned && !deletion_is_none(r.columns[i].deletion))
            TRY(delete_column(e, r.columns[i].column, r.columns[i].deletion.timestamp_us));
    for (uint32_t i = 0; i < r.time_count && !e->to.batch.ended; i++)
        TRY(tell_written(e, &r, i));
    for (uint32_t i = 0; i < r.count; i++)
        if (r.columns[i].column->type->multicell)
            TRY(tell_elements(e, &r.columns[i]));
    return WR_OK;
}

static enum wr_status tell_rows(struct exporter *e, struct stored *stored, const struct partition *partition)
{
    const struct table *table = e->table;
    const struct row_view *view;
    struct row alive;
    bool found;
    TRY(stored_open_rows(stored, partition));
    while (!e->to.batch.ended) {
        struct arena_mark mark = arena_mark(e->ctx->arena);
        TRY(scan_next(e->ctx, stored->scan, &view));
        if (!view)
            break;
        TRY(clustering_get(e->ctx, &table->clustering, view->clustering, view->row.annex, e->to.clustering));
        e->to.clustering_count = table->clustering_count;
        e->alive = NULL;
        if (view->buried && e->has_whole_lists) {
            TRY(row_find_live(e->ctx, stored->txn, partition, view->clustering, NULL, &alive, &found));
            alive = found ? alive : ROW_NONE;
            e->alive = &alive;
        }
        TRY(tell_row(e, &view->row, COLUMN_REGULAR));
        arena_rewind(e->ctx->arena, mark);
    }
    e->alive = NULL;
    return WR_OK;
}

static enum wr_status tell_ranges(struct exporter *e, struct stored *stored, const struct partition *partition)
{
    struct range_deletion *ranges;
    uint32_t count;
    buf_init(&e->to.text, e->ctx->arena);
    TRY(partition_ranges(e->ctx, stored->txn, partition, &ranges, &count));
    for (uint32_t i = 0; i < count && !e->to.batch.ended; i++)
        if (export_is_new(ranges[i].deletion, e->since_us))
            TRY(export_range(&e->to, &ranges[i]));
    return WR_OK;
}

/* Ranges come behind the rows: their ends are values as they are ordered (1.5), and a cluster shows a row's clustering as who comes first has it (1.50). */
static enum wr_status tell_partition(void *arg, struct stored *stored, const struct partition *partition)
{
    struct exporter *e = arg;
    struct row row;
    e->to.clustering_count = 0;
    buf_init(&e->to.text, e->ctx->arena);
    TRY(partition_key_get(e->ctx, partition->key, e->table->key_count, e->to.keys));
    TRY(delete_whole(e, partition->deletion));
    TRY(partition_static_raw(e->ctx, stored->txn, partition, &row));
    TRY(tell_row(e, &row, COLUMN_STATIC));
    TRY(tell_rows(e, stored, partition));
    if (!table_is_counter(e->table))
        TRY(tell_ranges(e, stored, partition));
    export_batch_end(&e->to.batch);
    return WR_OK;
}

enum wr_status export_table(struct ctx *ctx, struct database *db, const struct schema *schema, const struct table *table, const struct export_wish *wish,
                            bool *outdated)
{
    struct exporter e = { .ctx = ctx, .db = db, .table = table, .since_us = wish->since_us, .to = { .ctx = ctx, .table = table } };
    struct clock *clock = engine_clock(db->engine);
    struct stored stored;
    if (table->flags & (TABLE_VIEW | TABLE_MADE) || (table_is_counter(table) && wish->since_us != TIMESTAMP_NONE))
        return WR_OK;
    for (uint32_t i = 0; i < table->column_count; i++)
        e.has_whole_lists |= export_is_whole_list(&table->columns[i], wish->since_us);
    if (e.has_whole_lists) {
        e.lists_us = clock_timestamp_us(clock);
        e.buried_lists_us = clock_timestamp_us(clock);
    }
    e.to.keys = NEW_ARRAY(ctx, struct slice, table->key_count);
    e.to.clustering = NEW_ARRAY(ctx, struct slice, table->clustering_count);
    if (!e.to.keys || !e.to.clustering)
        return WR_NOMEM;
    TRY(export_batch_init(ctx, &e.to.batch, wish->sink, table_is_counter(table) ? 0 : wish->batch_bytes));
    enum wr_status st = stored_begin(ctx, db, schema, table, &stored, outdated);
    if (st == WR_OK && !*outdated)
        st = stored_each(&stored, &e.to.batch.ended, tell_partition, &e);
    stored_end(&stored);
    return st;
}
