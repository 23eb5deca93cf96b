#include "model/rowvalues.h"

#include <stdlib.h>

#include "engine/coding.h"
#include "engine/order.h"
#include "model/sort.h"

/* ---- what is wanted ---- */

static int cmp_row_column(const void *a, const void *b)
{
    uint32_t x = ((const struct row_column *)a)->id, y = ((const struct row_column *)b)->id;
    return (x > y) - (x < y);
}

struct row_column row_column_of(const struct column *column)
{
    const struct type *type = column->type;
    bool keyed = type_is_keyed(type);
    return (struct row_column){
        .type = type, .dropped_us = column->dropped_us, .id = column->id, .ordinal = column->ordinal, .multicell = type->multicell,
        .lossy = type_keys_are_lossy(type),
        .texts = keyed && (type_is_text(type->args[0]) || type->args[0]->kind == TYPE_BLOB),
    };
}

static enum wr_status make_kind(struct ctx *ctx, const struct table *table, const bool *needed, enum column_kind kind,
                                const struct row_column **out, struct columns *out_ids)
{
    uint32_t room = kind == COLUMN_STATIC ? table->static_count : table->regular_count, n = 0;
    struct row_column *columns = NEW_ARRAY(ctx, struct row_column, room);
    uint32_t *ids = NEW_ARRAY(ctx, uint32_t, room);
    if (!columns || !ids)
        return WR_NOMEM;
    for (uint32_t i = table->key_count + table->clustering_count; i < table->column_count; i++) {
        const struct column *c = &table->columns[i];
        if (c->kind != kind || (needed && !needed[i]))
            continue;
        columns[n++] = row_column_of(c);
    }
    sort_few(columns, n, sizeof *columns, cmp_row_column);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = columns[i].id;
    *out = columns;
    *out_ids = (struct columns){ .ids = ids, .count = n };
    return WR_OK;
}

/* Flat rows have low columns alone, and nothing in them may have to be hidden. */
static enum wr_status make_flat(struct ctx *ctx, struct row_columns *made)
{
    uint8_t *places = NEW_ARRAY(ctx, uint8_t, FLAT_COLUMNS);
    if (!places)
        return WR_NOMEM;
    if (made->table->column_count > UINT8_MAX)
        return WR_OK;
    memset(places, (int)made->table->column_count, FLAT_COLUMNS);
    for (uint32_t i = 0; i < made->regular_ids.count; i++) {
        const struct row_column *c = &made->regular[i];
        if (c->id >= FLAT_COLUMNS || c->dropped_us != TIMESTAMP_NONE)
            return WR_OK;
        places[c->id] = (uint8_t)c->ordinal;
        made->flat_wanted |= UINT64_C(1) << c->id;
        made->flat_collections |= (uint64_t)c->multicell << c->id;
    }
    made->flat_places = places;
    return WR_OK;
}

enum wr_status row_columns_make(struct ctx *ctx, const struct table *table, const bool *needed, struct row_columns *out)
{
    struct row_columns made = { .table = table };
    TRY(make_kind(ctx, table, needed, COLUMN_REGULAR, &made.regular, &made.regular_ids));
    TRY(make_kind(ctx, table, needed, COLUMN_STATIC, &made.statics, &made.static_ids));
    for (uint32_t i = 0; i < table->key_count + table->clustering_count; i++)
        if (!needed || needed[i])
            *(i < table->key_count ? &made.has_keys : &made.has_clustering) = true;
    made.every_regular = made.regular_ids.count == table->regular_count;
    TRY(make_flat(ctx, &made));
    *out = made;
    return WR_OK;
}

/* ---- parts of collections ---- */

static enum wr_status put_path(struct ctx *ctx, const struct type *type, struct slice key, bool behind, struct slice *out)
{
    struct buf path;
    buf_init(&path, ctx->arena);
    type_put_order(&path, type, key);
    if (behind)
        buf_put_u8(&path, 0);
    return buf_done(ctx, &path, out);
}

/* A path's successor is itself and a zero. */
static enum wr_status part_range(struct ctx *ctx, const struct row_part *part, struct range *out)
{
    const struct type *type = part->column->type->args[0];

    *out = (struct range){ SLICE_EMPTY, SLICE_NULL };
    if (!slice_is_null(part->low))
        TRY(put_path(ctx, type, part->low, false, &out->start));
    if (!slice_is_null(part->high))
        TRY(put_path(ctx, type, part->high, true, &out->end));
    return WR_OK;
}

static int cmp_ranges(const void *a, const void *b)
{
    return slice_cmp(((const struct range *)a)->start, ((const struct range *)b)->start);
}

/* Puts ranges in order and makes one of those that meet. */
static uint32_t join_ranges(struct range *ranges, uint32_t count)
{
    uint32_t n = 0;

    qsort(ranges, count, sizeof *ranges, cmp_ranges);
    for (uint32_t i = 0; i < count; i++) {
        struct range *last = n ? &ranges[n - 1] : NULL;
        if (!last || !range_has(*last, ranges[i].start))
            ranges[n++] = ranges[i];
        else if (!slice_is_null(last->end) && (slice_is_null(ranges[i].end) || slice_cmp(last->end, ranges[i].end) < 0))
            last->end = ranges[i].end;
    }
    return n;
}

static enum wr_status narrow_column(struct ctx *ctx, const struct row_column *column, const struct row_part *parts, uint32_t count,
                                    struct paths *out)
{
    struct range *ranges = NULL;
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (parts[i].column->ordinal != column->ordinal)
            continue;
        if (!ranges && !(ranges = NEW_ARRAY(ctx, struct range, count - i)))
            return WR_NOMEM;
        TRY(part_range(ctx, &parts[i], &ranges[n++]));
    }
    *out = (struct paths){ ranges, ranges ? join_ranges(ranges, n) : 0 };
    return WR_OK;
}

static enum wr_status narrow_kind(struct ctx *ctx, const struct row_column *columns, struct columns *ids, const struct row_part *parts,
                                  uint32_t count, bool *narrowed)
{
    struct paths *paths = NEW_ARRAY(ctx, struct paths, ids->count);

    *narrowed = false;
    if (!paths)
        return WR_NOMEM;
    for (uint32_t i = 0; i < ids->count; i++) {
        TRY(narrow_column(ctx, &columns[i], parts, count, &paths[i]));
        *narrowed |= paths[i].count > 0;
    }
    ids->paths = *narrowed ? paths : NULL;
    return WR_OK;
}

enum wr_status row_columns_narrow(struct ctx *ctx, struct row_columns *columns, const struct row_part *parts, uint32_t count)
{
    bool regular, statics;

    TRY(narrow_kind(ctx, columns->regular, &columns->regular_ids, parts, count, &regular));
    columns->every_regular = columns->every_regular && !regular;
    return narrow_kind(ctx, columns->statics, &columns->static_ids, parts, count, &statics);
}

/* ---- collections ---- */

bool row_split_lossy(struct slice stored, struct slice *key, struct slice *value)
{
    struct reader r = reader_of(stored);
    *key = read_bytes(&r, read_be32(&r));
    *value = reader_rest(&r);
    return !r.failed;
}

enum wr_status row_element(struct ctx *ctx, const struct row_column *column, const struct cell *cell, struct slice *key,
                           struct slice *value)
{
    bool map = column->type->kind == TYPE_MAP;
    *value = cell->value;
    if (column->texts && order_view_string(cell->path, key))
        return WR_OK;
    if (!column->lossy) {
        struct slice path = cell->path;
        return type_get_order(ctx, column->type->args[0], &path, key);
    }
    if (!map) {
        *key = cell->value;
        return WR_OK;
    }
    return row_split_lossy(cell->value, key, value) ? WR_OK : fail_corrupt(ctx, "rowvalues: map cell");
}

enum wr_status row_cell(struct ctx *ctx, const struct column *column, const struct cell *cell, struct slice *path, struct slice *value)
{
    const struct type *type = column->type;
    struct slice order = cell->path;

    *path = cell->path;
    *value = cell->value;
    if (!type->multicell || !type_is_keyed(type))
        return WR_OK;
    struct row_column shape = row_column_of(column);
    if (cell->kind == CELL_DEAD || cell->kind == CELL_EXPIRED)
        return type_get_order(ctx, type->args[0], &order, path);
    TRY(row_element(ctx, &shape, cell, path, value));
    if (type->kind == TYPE_SET)
        *value = SLICE_EMPTY;
    return WR_OK;
}

uint32_t row_field(const struct type *udt, const struct cell *cell)
{
    uint32_t field = cell->path.len == sizeof(uint16_t) ? read_u16(cell->path.data) : UINT32_MAX;
    return field < udt->arg_count ? field : udt->arg_count;
}

static bool counts(const struct row_column *column, const struct cell *cell)
{
    return cell->kind != CELL_DEAD && cell->timestamp_us > column->dropped_us;
}

static enum wr_status udt_value(struct ctx *ctx, const struct row_column *column, const struct cell *cells, uint32_t n,
                                struct slice *out)
{
    const struct type *type = column->type;
    struct slice *fields = NEW_ARRAY(ctx, struct slice, type->arg_count);
    bool any = false;
    if (!fields)
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        if (!counts(column, &cells[i]))
            continue;
        uint32_t field = row_field(type, &cells[i]);
        if (field == type->arg_count)
            return fail_corrupt(ctx, "rowvalues: field cell");
        fields[field] = cells[i].value;
        any = true;
    }
    if (any)
        return type_pack(ctx, type, fields, type->arg_count, out);
    *out = SLICE_NULL;
    return WR_OK;
}

enum wr_status row_collection(struct ctx *ctx, const struct row_column *column, const struct cell *cells, uint32_t n,
                              struct slice *out)
{
    const struct type *type = column->type;
    if (type->kind == TYPE_UDT)
        return udt_value(ctx, column, cells, n, out);

    uint32_t each = type->arg_count, count = 0;
    struct slice *values = NEW_ARRAY(ctx, struct slice, (size_t)n * each);
    if (!values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        if (!counts(column, &cells[i]))
            continue;
        struct slice key, value = cells[i].value;
        if (type->kind != TYPE_LIST) {
            TRY(row_element(ctx, column, &cells[i], &key, &value));
            values[count * each] = key;
        }
        if (type->kind != TYPE_SET)
            values[count * each + each - 1] = value;
        count++;
    }
    if (count)
        return type_pack(ctx, type, values, count, out);
    *out = SLICE_NULL;
    return WR_OK;
}

/* ---- filling ---- */

/* Cells and wanted columns both ascend by id, so this is one merge of two lists. */
static enum wr_status fill(struct ctx *ctx, const struct row_column *columns, uint32_t count, const struct row *row,
                           struct slice *values)
{
    const struct cell *cell = row ? row->cells : NULL, *end = cell ? cell + row->cell_count : NULL;

    for (const struct row_column *c = columns; c < columns + count; c++) {
        struct slice *value = &values[c->ordinal];
        *value = SLICE_NULL;
        while (cell < end && cell->column < c->id)
            cell++;
        if (cell == end || cell->column != c->id)
            continue;
        if (!c->multicell) {
            if (counts(c, cell))
                *value = cell->value;
            continue;
        }
        const struct cell *first = cell;
        while (cell < end && cell->column == c->id)
            cell++;
        TRY(row_collection(ctx, c, first, (uint32_t)(cell - first), value));
    }
    return WR_OK;
}

enum wr_status row_values_partition(struct ctx *ctx, const struct row_columns *wanted, struct slice partition_key,
                                    const struct row *static_row, struct slice *values)
{
    if (wanted->has_keys)
        TRY(partition_key_get(ctx, partition_key, wanted->table->key_count, values));
    return fill(ctx, wanted->statics, wanted->static_ids.count, static_row, values);
}

enum { CELL_BYTES_LEAST = 4 }; /* as they are stored */

static enum wr_status next_element(struct ctx *ctx, struct slice *stored, struct cell *cell)
{
    return flat_next_element(stored, &cell->path, &cell->value) ? WR_OK : fail_corrupt(ctx, "rowvalues: a collection");
}

static enum wr_status put_fields(struct ctx *ctx, const struct row_column *column, struct slice *value)
{
    const struct cell cell = { .kind = CELL_PLAIN, .timestamp_us = INT64_MAX }; /* nothing of it has been dropped (make_flat) */
    struct cell *cells = NEW_ROOM(ctx, struct cell, value->len / CELL_BYTES_LEAST + 1);
    uint32_t n = 0;

    if (!cells)
        return WR_NOMEM;
    for (struct slice stored = *value; stored.len; n++) {
        cells[n] = cell;
        TRY(next_element(ctx, &stored, &cells[n]));
    }
    return udt_value(ctx, column, cells, n, value);
}

/* Of a collection's cells as they are stored, mostly no more than SPILL_COMPLEX_CELLS. */
static enum wr_status put_together(struct ctx *ctx, const struct row_column *column, struct slice *value)
{
    struct slice few[2 * SPILL_COMPLEX_CELLS], *parts = few, key;
    const enum type_kind kind = column->type->kind;
    uint32_t n = 0, room = SPILL_COMPLEX_CELLS, count = 0;
    struct cell cell;

    if (kind == TYPE_UDT)
        return put_fields(ctx, column, value);
    for (struct slice stored = *value; stored.len; n++) {
        if (n == room) {
            room = (uint32_t)(value->len / CELL_BYTES_LEAST) + 1;
            if (!(parts = NEW_ROOM(ctx, struct slice, 2 * (size_t)room)))
                return WR_NOMEM;
            memcpy(parts, few, sizeof few);
        }
        TRY(next_element(ctx, &stored, &cell));
        if (kind != TYPE_LIST) {
            TRY(row_element(ctx, column, &cell, &key, &cell.value));
            parts[count++] = key;
        }
        if (kind != TYPE_SET)
            parts[count++] = cell.value;
    }
    if (n)
        return type_pack(ctx, column->type, parts, n, value);
    *value = SLICE_NULL;
    return WR_OK;
}

enum wr_status row_values_put_collections(struct ctx *ctx, const struct row_columns *wanted, struct slice *values, uint32_t stride, uint32_t n)
{
    for (uint32_t i = 0; i < wanted->regular_ids.count; i++) {
        const struct row_column *c = &wanted->regular[i];
        struct slice *value = values + c->ordinal;
        for (uint32_t r = 0; c->multicell && r < n; r++, value += stride)
            if (!slice_is_null(*value))
                TRY(put_together(ctx, c, value));
    }
    return WR_OK;
}

void row_values_share(const struct row_columns *wanted, const struct slice *shared, struct slice *values)
{
    uint32_t keys = wanted->has_keys ? wanted->table->key_count : 0;

    for (uint32_t i = 0; i < keys; i++)
        values[i] = shared[i];
    for (uint32_t i = 0; i < wanted->static_ids.count; i++)
        values[wanted->statics[i].ordinal] = shared[wanted->statics[i].ordinal];
}

enum wr_status row_values_flat(struct ctx *ctx, const struct row_columns *wanted, const struct slice *shared, const struct flat_rows *rows,
                               uint32_t n)
{
    const struct table *table = wanted->table;
    struct slice *values = rows->values;

    if (wanted->flat_collections)
        TRY(row_values_put_collections(ctx, wanted, values, rows->stride, n));
    if (wanted->has_keys || wanted->static_ids.count)
        for (uint32_t r = 0; r < n; r++, values += rows->stride)
            row_values_share(wanted, shared, values);
    if (!wanted->has_clustering)
        return WR_OK;
    return clustering_split_rows(ctx, &table->clustering, rows->clusterings, n, rows->values + table->key_count, rows->stride);
}

enum wr_status row_values_row(struct ctx *ctx, const struct row_columns *wanted, struct slice clustering,
                              const struct row *row, struct slice *values)
{
    const struct table *table = wanted->table;
    struct slice *first = values + table->key_count;

    if (wanted->has_clustering && row)
        TRY(clustering_get(ctx, &table->clustering, clustering, row->annex, first));
    else if (wanted->has_clustering)
        memset(first, 0, table->clustering_count * sizeof *first);
    return fill(ctx, wanted->regular, wanted->regular_ids.count, row, values);
}
