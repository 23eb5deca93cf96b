#include "model/system.h"

#include <stdlib.h>

#include "engine/coding.h"
#include "model/catalog_code.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/rowvalues.h"

struct system_keyspace {
    const char *name;
    const char *replication; /* keys and values, each with its NUL; an empty one ends */
};

struct system_column {
    const char *name, *type;
    enum column_kind kind;
    bool descending;
    uint32_t id;
};

struct system_table {
    const char *keyspace, *name;
    uint64_t engine_id;
    uint8_t id[16];
    unsigned flags;
    const struct system_column *columns;
    size_t column_count;
    const char *comment;
    int32_t gc_grace_seconds, memtable_flush_period_in_ms, default_time_to_live;
    const char *compaction;
};

#include "model/system_tables.inc"

enum {
    KEYSPACE_COUNT = sizeof system_keyspaces / sizeof system_keyspaces[0],
    TABLE_COUNT = sizeof system_tables / sizeof system_tables[0],
    PAIRS_MAX = 8
};

static const struct {
    const char *name;
    enum system_kind kind;
} kinds[] = {
    { "system", SYSTEM_LOCAL },
    { "system_schema", SYSTEM_LOCAL },
    { "system_auth", SYSTEM_REPLICATED },
    { "system_distributed", SYSTEM_REPLICATED },
    { "system_traces", SYSTEM_REPLICATED },
    { "system_views", SYSTEM_VIRTUAL },
    { "system_virtual_schema", SYSTEM_VIRTUAL },
};

enum system_kind system_kind_of(struct slice keyspace)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (java_equals_fold(keyspace, kinds[i].name)) /* SchemaConstants.isLocalSystemKeyspace and its kin lower the name */
            return kinds[i].kind;
    return SYSTEM_NOT;
}

/* ---- definitions ---- */

static enum wr_status pairs(struct ctx *ctx, const char *text, struct string_map *out)
{
    struct slice *keys = NEW_ARRAY(ctx, struct slice, PAIRS_MAX), *values = NEW_ARRAY(ctx, struct slice, PAIRS_MAX);
    uint32_t n = 0;
    if (!keys || !values)
        return WR_NOMEM;
    for (const char *p = text; *p && n < PAIRS_MAX; n++) {
        keys[n] = slice_str(p);
        p += keys[n].len + 1;
        values[n] = slice_str(p);
        p += values[n].len + 1;
    }
    *out = (struct string_map){ .keys = keys, .values = values, .count = n };
    return WR_OK;
}

uint32_t system_keyspace_count(void)
{
    return KEYSPACE_COUNT;
}

struct slice system_keyspace_name(uint32_t i)
{
    return slice_str(system_keyspaces[i].name);
}

enum wr_status system_keyspace_at(struct ctx *ctx, uint32_t i, struct keyspace *out)
{
    *out = (struct keyspace){ .name = system_keyspace_name(i), .durable_writes = true, .is_system = true };
    return pairs(ctx, system_keyspaces[i].replication, &out->replication);
}

uint32_t system_table_count(void)
{
    return TABLE_COUNT;
}

struct slice system_table_keyspace(uint32_t i)
{
    return slice_str(system_tables[i].keyspace);
}

static bool tells_estimates(struct slice table)
{
    return slice_eq_str(table, "size_estimates") || slice_eq_str(table, "table_estimates");
}

/* Most are native, or as the one before. */
static enum wr_status column_type(struct ctx *ctx, const struct system_table *s, uint32_t c, const struct column *columns, const struct type **out)
{
    struct slice text = slice_str(s->columns[c].type);
    if (c && slice_eq_str(text, s->columns[c - 1].type))
        *out = columns[c - 1].type;
    else if (!(*out = type_by_name(text)))
        TRY(type_parse_name(ctx, text, slice_str(s->keyspace), NULL, NULL, out));
    return WR_OK;
}

enum wr_status system_table_at(struct ctx *ctx, uint32_t i, struct table *out)
{
    const struct system_table *s = &system_tables[i];
    struct table t = { .keyspace = slice_str(s->keyspace),
                       .name = slice_str(s->name),
                       .next_column_id = 1,
                       .flags = s->flags | TABLE_COMPOUND | TABLE_SYSTEM,
                       .options = table_options_default };
    struct column *columns = NEW_ARRAY(ctx, struct column, s->column_count);
    if (!columns)
        return WR_NOMEM;
    memcpy(t.id, s->id, sizeof t.id);
    t.shape.table_id = s->engine_id;
    t.columns = columns;
    t.column_count = (uint32_t)s->column_count;
    if (t.flags & TABLE_VIRTUAL || (slice_eq_str(t.keyspace, "system") && tells_estimates(t.name)))
        t.flags |= TABLE_MADE;
    for (uint32_t c = 0; c < t.column_count; c++) {
        columns[c] = (struct column){ .name = slice_str(s->columns[c].name),
                                      .kind = s->columns[c].kind,
                                      .descending = s->columns[c].descending,
                                      .id = s->columns[c].id,
                                      .dropped_us = TIMESTAMP_NONE };
        TRY(column_type(ctx, s, c, columns, &columns[c].type));
        if (columns[c].id >= t.next_column_id)
            t.next_column_id = columns[c].id + 1;
    }
    t.options.comment = slice_str(s->comment);
    t.options.gc_grace_seconds = s->gc_grace_seconds;
    t.options.memtable_flush_period_in_ms = s->memtable_flush_period_in_ms;
    t.options.default_time_to_live = s->default_time_to_live;
    TRY(pairs(ctx, s->compaction, &t.options.compaction));
    TRY(table_complete(ctx, &t));
    *out = t;
    return WR_OK;
}

/* ---- rows ---- */

void system_rows_init(struct system_rows *rows, struct ctx *ctx, struct txn *txn, const struct schema *schema)
{
    *rows = (struct system_rows){
        .ctx = ctx, .txn = txn, .schema = schema, .timestamp_us = clock_timestamp_us(engine_clock(txn_engine(txn)))
    };
}

/* What a change does to one partition. */
struct system_update {
    struct update update; /* first: `next` leads to one of these */
    const struct table *table;
    uint32_t room; /* rows that its array takes */
};

enum { UPDATES_LOOKED_AT = 4 }; /* what is written of an object goes to as many partitions, in turn */

static struct system_update *update_of(const struct system_rows *rows, const struct table *table, struct slice partition_key)
{
    struct update *u = rows->first;
    for (int i = 0; u && i < UPDATES_LOOKED_AT; u = u->next, i++)
        if (u->table == &table->shape && slice_eq(u->partition_key, partition_key))
            return (struct system_update *)u;
    return NULL;
}

/* The update of the partition that the keys begin with, and what they say behind it. */
static enum wr_status touch(struct system_rows *rows, const char *keyspace, const char *name, const struct slice *keys, uint32_t key_count,
                            struct system_update **out, struct slice *clustering)
{
    struct ctx *ctx = rows->ctx;
    const struct table *table = schema_table(rows->schema, slice_str(keyspace), slice_str(name));
    struct slice partition_key;
    struct buf buf;
    *out = NULL;
    if (!table || key_count < table->key_count)
        return fail_corrupt(ctx, "system table");
    TRY(partition_key_put(ctx, keys, table->key_count, &partition_key));
    buf_init(&buf, ctx->arena);
    clustering_put(&buf, &table->clustering, keys + table->key_count, key_count - table->key_count);
    TRY(buf_done(ctx, &buf, clustering));
    if ((*out = update_of(rows, table, partition_key)))
        return WR_OK;
    if (!(*out = NEW(ctx, struct system_update)))
        return WR_NOMEM;
    (*out)->table = table;
    (*out)->update = (struct update){
        .next = rows->first, .table = &table->shape, .partition_key = partition_key, .partition_deletion = DELETION_NONE
    };
    rows->first = &(*out)->update;
    return WR_OK;
}

/* Holds until the next one of the update. */
static enum wr_status add_row(struct ctx *ctx, struct system_update *to, struct slice clustering, struct row **out)
{
    struct update *update = &to->update;
    if (update->row_count == to->room) {
        uint32_t room = to->room ? 4 * to->room : 1;
        struct row_update *more = NEW_ROOM(ctx, struct row_update, room);
        if (!more)
            return WR_NOMEM;
        if (to->room)
            memcpy(more, update->rows, to->room * sizeof *more);
        update->rows = more;
        to->room = room;
    }
    struct row_update *row = &update->rows[update->row_count++];
    *row = (struct row_update){ .clustering = clustering, .row = ROW_NONE };
    *out = &row->row;
    return WR_OK;
}

/* A set that is not frozen: one cell an element, after a deletion of what was there. None has a lossy order. */
static enum wr_status put_set(struct system_rows *rows, const struct column *column, struct slice value,
                              struct row *row)
{
    struct elements e;
    struct slice element;
    uint32_t count = type_collection_count(value), n = row->cell_count;
    struct cell *cells = NEW_ARRAY(rows->ctx, struct cell, n + count);
    struct complex_deletion *complex = NEW_ARRAY(rows->ctx, struct complex_deletion, row->complex_count + 1);
    if (!cells || !complex)
        return WR_NOMEM;
    if (n)
        memcpy(cells, row->cells, n * sizeof *cells);
    if (row->complex_count)
        memcpy(complex, row->complex, row->complex_count * sizeof *complex);
    complex[row->complex_count++] =
        (struct complex_deletion){ column->id, { rows->timestamp_us - 1, rows->ctx->now_s } };
    elements_open(&e, column->type, value);
    while (elements_next(&e, &element) && n < row->cell_count + count) {
        struct buf path;
        buf_init(&path, rows->ctx->arena);
        type_put_order(&path, column->type->args[0], element);
        cells[n] = (struct cell){ .column = column->id, .timestamp_us = rows->timestamp_us, .value = SLICE_EMPTY };
        TRY(buf_done(rows->ctx, &path, &cells[n++].path));
    }
    row->cells = cells;
    row->cell_count = n;
    row->complex = complex;
    return WR_OK;
}

/* Most come in the order that a table's columns have. */
static const struct column *column_behind(const struct table *table, const struct column *before, struct slice name)
{
    const struct column *next = before ? before + 1 : &table->columns[table->key_count + table->clustering_count];
    return next < table->columns + table->column_count && slice_eq(next->name, name) ? next : table_column(table, name);
}

enum wr_status system_rows_put(struct system_rows *rows, const char *keyspace, const char *table_name,
                               const struct slice *keys, uint32_t key_count, const struct system_value *values,
                               uint32_t value_count)
{
    struct system_update *update;
    struct slice clustering;
    struct row *row;
    TRY(touch(rows, keyspace, table_name, keys, key_count, &update, &clustering));
    TRY(add_row(rows->ctx, update, clustering, &row));
    row->liveness = (struct liveness){ .timestamp_us = rows->timestamp_us };
    const struct column **columns = NEW_ROOM(rows->ctx, const struct column *, value_count);
    if (!columns || !(row->cells = NEW_ROOM(rows->ctx, struct cell, value_count)))
        return WR_NOMEM;
    for (uint32_t i = 0; i < value_count; i++) {
        const struct column *column = columns[i] = column_behind(update->table, i ? columns[i - 1] : NULL, slice_str(values[i].column));
        if (!column || column_is_primary_key(column))
            return fail_corrupt(rows->ctx, "system column");
        if (!column->type->multicell)
            row->cells[row->cell_count++] = (struct cell){ .column = column->id,
                                                           .kind = values[i].value.data ? CELL_PLAIN : CELL_DEAD,
                                                           .local_s = values[i].value.data ? 0 : rows->ctx->now_s,
                                                           .timestamp_us = rows->timestamp_us,
                                                           .value = values[i].value };
    }
    for (uint32_t i = 0; i < value_count; i++)
        if (columns[i]->type->multicell && values[i].value.data)
            TRY(put_set(rows, columns[i], values[i].value, row));
    row_normalize(row);
    return WR_OK;
}

static enum wr_status add_range(struct system_rows *rows, struct update *update, struct slice prefix, struct deletion deletion)
{
    struct range_deletion *ranges = NEW_ARRAY(rows->ctx, struct range_deletion, update->range_count + 1);
    struct buf end;
    if (!ranges)
        return WR_NOMEM;
    if (update->range_count)
        memcpy(ranges, update->ranges, update->range_count * sizeof *ranges);
    buf_init(&end, rows->ctx->arena);
    buf_put_slice(&end, prefix);
    buf_put_u8(&end, 0xFF);
    update->ranges = ranges;
    ranges = &ranges[update->range_count++];
    *ranges = (struct range_deletion){ .range.start = prefix, .deletion = deletion };
    return buf_done(rows->ctx, &end, &ranges->range.end);
}

enum wr_status system_rows_delete(struct system_rows *rows, const char *keyspace, const char *table_name,
                                  const struct slice *keys, uint32_t key_count)
{
    struct deletion deletion = { rows->timestamp_us, rows->ctx->now_s };
    struct system_update *update;
    struct slice clustering;
    struct row *row;
    TRY(touch(rows, keyspace, table_name, keys, key_count, &update, &clustering));
    const struct table *table = update->table;
    if (key_count == table->key_count) {
        update->update.partition_deletion = deletion;
        return WR_OK;
    }
    if (key_count < table->key_count + table->clustering_count)
        return add_range(rows, &update->update, clustering, deletion);
    TRY(add_row(rows->ctx, update, clustering, &row));
    row->deletion = deletion;
    return WR_OK;
}

static int row_cmp(const void *a, const void *b)
{
    return slice_cmp(((const struct row_update *)a)->clustering, ((const struct row_update *)b)->clustering);
}

/* In order: each of a partition's goes behind the one before, which costs the least. */
enum wr_status system_rows_apply(struct system_rows *rows)
{
    const struct update *first = rows->first;
    for (const struct update *u = first; u; u = u->next)
        if (u->row_count > 1)
            qsort(u->rows, u->row_count, sizeof *u->rows, row_cmp);
    rows->first = NULL;
    return first ? apply(rows->ctx, rows->txn, first) : WR_OK;
}

enum wr_status system_row_find(struct ctx *ctx, struct txn *txn, const struct table *table, const struct slice *keys, struct slice **values,
                               bool *found)
{
    struct row_columns columns;
    struct partition partition;
    struct slice key, clustering;
    struct buf buf;
    struct row row;

    TRY(partition_key_put(ctx, keys, table->key_count, &key));
    TRY(partition_find(ctx, txn, &table->shape, key, &partition, found));
    if (!*found)
        return WR_OK;
    buf_init(&buf, ctx->arena);
    clustering_put(&buf, &table->clustering, keys + table->key_count, table->clustering_count);
    TRY(buf_done(ctx, &buf, &clustering));
    TRY(row_find_live(ctx, txn, &partition, clustering, NULL, &row, found));
    if (!*found) /* most permissions that are asked for are not granted on the thing itself: what follows is for what is there */
        return WR_OK;
    TRY(row_columns_make(ctx, table, NULL, &columns));
    if (!(*values = NEW_ARRAY(ctx, struct slice, table->column_count)))
        return WR_NOMEM;
    return row_values(ctx, &columns, key, NULL, clustering, &row, *values);
}
