#include "model/export.h"

#include <stdio.h>

#include "engine/coding.h"
#include "model/export_batch.h"
#include "model/parse.h"
#include "model/rowvalues.h"
#include "model/stored.h"

enum { ELEMENT_BYTES_MAX = 65536 }; /* of the elements that one statement adds to a collection, as they are stored */

struct exporter {
    struct ctx *ctx;
    struct database *db;
    const struct table *table;
    int64_t since_us;        /* nothing up to then is told of; TIMESTAMP_NONE: all is */
    bool has_whole_lists;    /* its table has columns of the kind, and they are told of so */
    int64_t lists_us;        /* lists that have changed since get this one, which is later than theirs; */
    int64_t buried_lists_us; /* this one, where that was told by what is dead of the row */
    struct export_batch batch;
    struct slice *keys;       /* of the partition */
    struct slice *clustering; /* of the row; */
    uint32_t clustering_count; /* 0: of the whole partition, or its static row */
    const struct row *alive;  /* of a row of which what is dead is at hand; NULL: all of it is */
    uint32_t now_s;           /* when the row's statements are made */
    struct buf text;          /* the statement */
};

/* What USING says of a write. */
struct when {
    int64_t timestamp_us;
    uint32_t expires_s; /* 0: never */
};

static bool when_eq(struct when a, struct when b)
{
    return a.timestamp_us == b.timestamp_us && a.expires_s == b.expires_s;
}

/* A column of a row, as it is to be written. */
struct column_cells {
    const struct column *column;
    struct row_column shape;
    const struct cell *cells;
    uint32_t count;
    uint32_t assigned; /* the first so many elements are what the column is set to; the rest is added */
    struct deletion deletion; /* of a collection */
    bool changed;             /* a list that is told of as a whole */
};

/* ---- what a copy has to be told of ---- */

static bool is_new(const struct exporter *e, struct deletion deletion)
{
    return !deletion_is_none(deletion) && deletion.timestamp_us > e->since_us;
}

/* Cells up to then are none of a column's: dropped, or known. */
static int64_t least_of(const struct exporter *e, const struct column *column)
{
    return column->dropped_us > e->since_us ? column->dropped_us : e->since_us;
}

/* A collection's goes before what it is set to by one microsecond, so the mark may lie between them; to tell of it again changes nothing. */
static bool is_collection_deletion_new(const struct exporter *e, const struct column *column, struct deletion deletion)
{
    return !deletion_is_none(deletion) && deletion.timestamp_us >= e->since_us && deletion.timestamp_us > column->dropped_us;
}

/* Elements of a list have no names that a copy would know, so one that has changed is told of as a whole. */
static bool is_whole_list(const struct exporter *e, const struct column *column)
{
    return column->type->multicell && column->type->kind == TYPE_LIST && e->since_us != TIMESTAMP_NONE;
}

/* ---- pieces of text ---- */

static void put_format(struct exporter *e, const char *format, long long number)
{
    char text[64];
    snprintf(text, sizeof text, format, number);
    buf_put_str(&e->text, text);
}

static void put_table(struct exporter *e)
{
    cql_put_name(&e->text, e->table->keyspace);
    buf_put_u8(&e->text, '.');
    cql_put_name(&e->text, e->table->name);
}

static void put_using(struct exporter *e, struct when when)
{
    if (table_is_counter(e->table))
        return;
    put_format(e, " USING TIMESTAMP %lld", when.timestamp_us);
    if (when.expires_s || e->table->options.default_time_to_live)
        put_format(e, " AND TTL %lld", when.expires_s ? when.expires_s - e->now_s : 0);
}

/* A value of the primary key. The literal of an empty map is an internal error of 5.0.6 where the column descends (Sets.Literal.prepare). */
static void put_key(struct exporter *e, const struct column *column, struct slice value)
{
    bool empty_map = column->type->kind == TYPE_MAP && value.len == 4 && read_u32(value.data) == 0;
    if (empty_map && column->descending)
        buf_put_str(&e->text, "fromjson('{}')");
    else
        type_print_term(&e->text, column->type, value);
}

static void put_equals(struct exporter *e, const struct column *column, struct slice value)
{
    cql_put_name(&e->text, column->name);
    buf_put_str(&e->text, " = ");
    put_key(e, column, value);
}

/* The partition, and the first `clusterings` columns of `values`; null ones (compact tables) are not named. */
static void put_where(struct exporter *e, const struct slice *values, uint32_t clusterings)
{
    buf_put_str(&e->text, " WHERE ");
    for (uint32_t i = 0; i < e->table->key_count; i++) {
        buf_put_str(&e->text, i ? " AND " : "");
        put_equals(e, table_key(e->table, i), e->keys[i]);
    }
    for (uint32_t i = 0; i < clusterings; i++)
        if (!slice_is_null(values[i])) {
            buf_put_str(&e->text, " AND ");
            put_equals(e, table_clustering(e->table, i), values[i]);
        }
}

static enum wr_status tell(struct exporter *e)
{
    buf_put_u8(&e->text, 0);
    if (e->text.failed)
        return fail_nomem(e->ctx);
    export_batch_add(&e->batch, (const char *)e->text.data, e->text.len - 1);
    buf_clear(&e->text);
    return WR_OK;
}

/* ---- deletions ---- */

static void begin_delete(struct exporter *e, int64_t timestamp_us)
{
    buf_put_str(&e->text, " FROM ");
    put_table(e);
    put_format(e, " USING TIMESTAMP %lld", timestamp_us);
}

static enum wr_status delete_whole(struct exporter *e, struct deletion deletion)
{
    if (!is_new(e, deletion) || table_is_counter(e->table))
        return WR_OK;
    buf_put_str(&e->text, "DELETE");
    begin_delete(e, deletion.timestamp_us);
    put_where(e, e->clustering, e->clustering_count);
    return tell(e);
}

/* A place between clusterings, in the order in which they are stored. */
struct place_between {
    struct slice *values;
    uint32_t count;
    bool behind;
};

/* ` AND c > v`, in the order stored; with: `>=`. */
static void put_side(struct exporter *e, uint32_t i, struct slice value, bool from, bool with)
{
    bool up = from != e->table->clustering.columns[i].inverted;
    buf_put_str(&e->text, " AND ");
    cql_put_name(&e->text, table_clustering(e->table, i)->name);
    buf_put_str(&e->text, up ? with ? " >= " : " > " : with ? " <= " : " < ");
    put_key(e, table_clustering(e->table, i), value);
}

/* Rows whose first `at` clusterings are those of prefix, and whose next one lies between two; NULL: open. */
static enum wr_status delete_between(struct exporter *e, const struct slice *prefix, uint32_t at, const struct place_between *from,
                                     const struct place_between *to, struct deletion deletion)
{
    buf_put_str(&e->text, "DELETE");
    begin_delete(e, deletion.timestamp_us);
    put_where(e, prefix, at);
    if (from)
        put_side(e, at, from->values[at], true, from->count == at + 1 && !from->behind);
    if (to)
        put_side(e, at, to->values[at], false, to->count == at + 1 && to->behind);
    return tell(e);
}

static enum wr_status read_place(struct exporter *e, struct slice bytes, struct place_between *out)
{
    *out = (struct place_between){ .values = NEW_ARRAY(e->ctx, struct slice, e->table->clustering_count) };
    if (!out->values)
        return WR_NOMEM;
    return slice_is_null(bytes) ? WR_OK
                                : clustering_split_bound(e->ctx, &e->table->clustering, bytes, out->values, &out->count, &out->behind);
}

/* CQL deletes what has a prefix in common and one column between two values: a range between any two places is some of those. */
static enum wr_status delete_range(struct exporter *e, const struct range_deletion *r)
{
    struct place_between from, to;
    uint32_t common = 0;
    TRY(read_place(e, r->range.start, &from));
    TRY(read_place(e, r->range.end, &to));
    if (!from.count && !to.count && e->table->static_count)
        return WR_OK; /* of all rows, but not of the static one: no statement says that */
    while (common < from.count && common < to.count &&
           type_compare(table_clustering(e->table, common)->type, from.values[common], to.values[common]) == 0)
        common++;
    for (uint32_t i = from.count; i-- > common + 1;)
        TRY(delete_between(e, from.values, i, &from, NULL, r->deletion));
    TRY(delete_between(e, common < from.count ? from.values : to.values, common, common < from.count ? &from : NULL,
                       common < to.count ? &to : NULL, r->deletion));
    for (uint32_t i = common + 1; i < to.count; i++)
        TRY(delete_between(e, to.values, i, NULL, &to, r->deletion));
    return WR_OK;
}

/* ---- cells ---- */

static struct when when_of(const struct cell *cell)
{
    return (struct when){ cell->timestamp_us, cell->kind == CELL_EXPIRING ? cell->local_s : 0 };
}

static bool is_live(const struct exporter *e, const struct cell *cell)
{
    return cell_is_live(cell, e->now_s);
}

/* How many of the elements at cells, at most n, are written alike: by one statement. */
static uint32_t run_of(const struct exporter *e, const struct cell *cells, uint32_t n)
{
    uint32_t run = 0;
    for (size_t bytes = 0; run < n && bytes < ELEMENT_BYTES_MAX; run++) {
        if (!is_live(e, &cells[run]) || !when_eq(when_of(&cells[run]), when_of(cells)))
            break;
        bytes += cells[run].path.len + cells[run].value.len;
    }
    return run;
}

static enum wr_status read_field(struct exporter *e, const struct column_cells *c, const struct cell *cell, uint32_t *field)
{
    *field = cell->path.len == 2 ? read_u16(cell->path.data) : UINT32_MAX;
    return *field < c->column->type->arg_count ? WR_OK : fail_corrupt(e->ctx, "a field's number");
}

/* The key of a map or the element of a set, be it a tombstone's, which has no value to keep it in. */
static enum wr_status put_element_key(struct exporter *e, const struct column_cells *c, const struct cell *cell, struct slice *value)
{
    const struct type *of = c->column->type->args[0];
    struct slice key, path = cell->path;
    if (is_live(e, cell))
        TRY(row_element(e->ctx, &c->shape, cell, &key, value));
    else
        TRY(type_get_order(e->ctx, of, &path, &key));
    type_print_term(&e->text, of, key);
    return WR_OK;
}

static enum wr_status put_element(struct exporter *e, const struct column_cells *c, const struct cell *cell)
{
    const struct type *type = c->column->type;
    struct slice value = cell->value;
    uint32_t field;
    switch (type->kind) {
    case TYPE_UDT:
        TRY(read_field(e, c, cell, &field));
        cql_put_name(&e->text, type->field_names[field]);
        buf_put_str(&e->text, ": ");
        type_print_term(&e->text, type->args[field], value);
        break;
    case TYPE_LIST:
        type_print_term(&e->text, type->args[0], value);
        break;
    default:
        TRY(put_element_key(e, c, cell, &value));
        if (type->kind == TYPE_MAP) {
            buf_put_str(&e->text, ": ");
            type_print_term(&e->text, type->args[1], value);
        }
    }
    return WR_OK;
}

/* Elements as a literal of the column's type. */
static enum wr_status put_elements(struct exporter *e, const struct column_cells *c, const struct cell *cells, uint32_t n)
{
    const char *ends = c->column->type->kind == TYPE_LIST ? "[]" : "{}";
    buf_put_u8(&e->text, (uint8_t)ends[0]);
    for (uint32_t i = 0; i < n; i++) {
        buf_put_str(&e->text, i ? ", " : "");
        TRY(put_element(e, c, &cells[i]));
    }
    buf_put_u8(&e->text, (uint8_t)ends[1]);
    return WR_OK;
}

static enum wr_status put_value(struct exporter *e, const struct column_cells *c)
{
    if (c->column->type->multicell)
        return put_elements(e, c, c->cells, c->assigned);
    type_print_term(&e->text, c->column->type, is_live(e, c->cells) ? c->cells->value : SLICE_NULL);
    return WR_OK;
}

/* ---- a row ---- */

struct row_cells {
    struct column_cells *columns;
    uint32_t count;
    struct when *whens; /* the times at which simple cells, whole collections and the marker were written; */
    uint32_t when_count;
    bool has_marker; /* which is the first of them */
};

static void add_when(struct row_cells *r, struct when when)
{
    for (uint32_t i = 0; i < r->when_count; i++)
        if (when_eq(r->whens[i], when))
            return;
    r->whens[r->when_count++] = when;
}

static void add_tombstone(struct row_cells *r, int64_t timestamp_us)
{
    for (uint32_t i = 0; i < r->when_count; i++)
        if (r->whens[i].timestamp_us == timestamp_us)
            return;
    r->whens[r->when_count++] = (struct when){ .timestamp_us = timestamp_us };
}

static struct column_cells read_column(const struct exporter *e, const struct row *row, const struct column *column)
{
    struct column_cells c = { .column = column, .shape = row_column_of(column), .deletion = DELETION_NONE };
    c.cells = row_find(row, column->id, &c.count);
    if (!column->type->multicell) {
        if (c.count && c.cells->timestamp_us <= least_of(e, column))
            c.count = 0;
        return c;
    }
    c.deletion = row_complex_deletion(row, column->id);
    if (!is_collection_deletion_new(e, column, c.deletion))
        c.deletion = DELETION_NONE;
    if (is_whole_list(e, column)) {
        c.changed = !deletion_is_none(c.deletion);
        for (uint32_t i = 0; i < c.count && !c.changed; i++)
            c.changed = c.cells[i].timestamp_us > least_of(e, column);
        c.deletion = DELETION_NONE;
        if (e->alive)
            c.cells = row_find(e->alive, column->id, &c.count);
        return c;
    }
    if (c.count && !deletion_is_none(c.deletion) && c.cells->timestamp_us == c.deletion.timestamp_us + 1)
        c.assigned = run_of(e, c.cells, c.count);
    return c;
}

/* One that has expired since a copy was told of another is told of as well: it goes in a second there, and the other with it. */
static bool is_marker_told(const struct exporter *e, struct liveness marker)
{
    if (marker.timestamp_us == TIMESTAMP_NONE || marker.timestamp_us <= e->since_us)
        return false;
    return e->since_us != TIMESTAMP_NONE || liveness_is_live(marker, e->now_s);
}

/* 0: never. */
static uint32_t marker_end(const struct exporter *e, struct liveness marker)
{
    if (!marker.ttl_s)
        return 0;
    return marker.local_s > e->now_s ? marker.local_s : e->now_s + 1;
}

static enum wr_status read_row(struct exporter *e, const struct row *row, enum column_kind kind, struct row_cells *out)
{
    const struct table *table = e->table;
    *out = (struct row_cells){ .columns = NEW_ARRAY(e->ctx, struct column_cells, table->column_count),
                               .whens = NEW_ARRAY(e->ctx, struct when, table->column_count + 1) };
    if (!out->columns || !out->whens)
        return WR_NOMEM;
    if ((out->has_marker = is_marker_told(e, row->liveness)))
        add_when(out, (struct when){ row->liveness.timestamp_us, marker_end(e, row->liveness) });
    for (uint32_t i = table->key_count + table->clustering_count; i < table->column_count; i++)
        if (table->columns[i].kind == kind)
            out->columns[out->count++] = read_column(e, row, &table->columns[i]);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct column_cells *c = &out->columns[i];
        if (c->column->type->multicell ? c->assigned : c->count && is_live(e, c->cells))
            add_when(out, when_of(c->cells));
    }
    for (uint32_t i = 0; i < out->count; i++) {
        const struct column_cells *c = &out->columns[i];
        if (!c->column->type->multicell && c->count && !is_live(e, c->cells))
            add_tombstone(out, c->cells->timestamp_us);
    }
    return WR_OK;
}

/* Whether the row's write of that time puts something into the column. A tombstone goes with the first write of its timestamp alone: those may be
 * several, with other TTLs. */
static bool goes_with(const struct exporter *e, const struct row_cells *r, uint32_t w, const struct column_cells *c)
{
    if (c->column->type->multicell)
        return c->assigned && when_eq(when_of(c->cells), r->whens[w]);
    if (!c->count)
        return false;
    if (is_live(e, c->cells))
        return when_eq(when_of(c->cells), r->whens[w]);
    for (uint32_t i = 0; i < w; i++)
        if (r->whens[i].timestamp_us == c->cells->timestamp_us)
            return false;
    return r->whens[w].timestamp_us == c->cells->timestamp_us;
}

static enum wr_status insert(struct exporter *e, const struct row_cells *r, uint32_t w)
{
    const struct table *table = e->table;
    uint32_t keys = table->key_count, n = 0;
    buf_put_str(&e->text, "INSERT INTO ");
    put_table(e);
    for (int values = 0; values < 2; values++) {
        buf_put_str(&e->text, values ? ") VALUES (" : " (");
        n = 0;
        for (uint32_t i = 0; i < keys + e->clustering_count; i++) {
            struct slice value = i < keys ? e->keys[i] : e->clustering[i - keys];
            if (slice_is_null(value))
                continue;
            buf_put_str(&e->text, n++ ? ", " : "");
            if (values)
                put_key(e, &table->columns[i], value);
            else
                cql_put_name(&e->text, table->columns[i].name);
        }
        for (uint32_t i = 0; i < r->count; i++) {
            if (column_is_hidden(table, r->columns[i].column) || !goes_with(e, r, w, &r->columns[i]))
                continue;
            buf_put_str(&e->text, ", ");
            if (values)
                TRY(put_value(e, &r->columns[i]));
            else
                cql_put_name(&e->text, r->columns[i].column->name);
        }
    }
    buf_put_u8(&e->text, ')');
    put_using(e, r->whens[w]);
    return tell(e);
}

static void begin_update(struct exporter *e, struct when when)
{
    buf_put_str(&e->text, "UPDATE ");
    put_table(e);
    put_using(e, when);
    buf_put_str(&e->text, " SET ");
}

static enum wr_status update(struct exporter *e, const struct row_cells *r, uint32_t w)
{
    uint32_t n = 0;
    begin_update(e, r->whens[w]);
    for (uint32_t i = 0; i < r->count; i++) {
        if (!goes_with(e, r, w, &r->columns[i]))
            continue;
        buf_put_str(&e->text, n++ ? ", " : "");
        cql_put_name(&e->text, r->columns[i].column->name);
        buf_put_str(&e->text, " = ");
        TRY(put_value(e, &r->columns[i]));
    }
    put_where(e, e->clustering, e->clustering_count);
    return tell(e);
}

/* `c = c + {...}`, or `c.f = v`. */
static enum wr_status add_elements(struct exporter *e, const struct column_cells *c, const struct cell *cells, uint32_t n)
{
    struct slice name = c->column->name;
    begin_update(e, when_of(cells));
    for (uint32_t i = 0; c->column->type->kind == TYPE_UDT && i < n; i++) {
        uint32_t field;
        TRY(read_field(e, c, &cells[i], &field));
        buf_put_str(&e->text, i ? ", " : "");
        cql_put_name(&e->text, name);
        buf_put_u8(&e->text, '.');
        cql_put_name(&e->text, c->column->type->field_names[field]);
        buf_put_str(&e->text, " = ");
        type_print_term(&e->text, c->column->type->args[field], cells[i].value);
    }
    if (c->column->type->kind != TYPE_UDT) {
        cql_put_name(&e->text, name);
        buf_put_str(&e->text, " = ");
        cql_put_name(&e->text, name);
        buf_put_str(&e->text, " + ");
        TRY(put_elements(e, c, cells, n));
    }
    put_where(e, e->clustering, e->clustering_count);
    return tell(e);
}

static enum wr_status delete_element(struct exporter *e, const struct column_cells *c, const struct cell *cell)
{
    struct slice none;
    uint32_t field;
    if (c->column->type->kind == TYPE_LIST)
        return WR_OK;
    buf_put_str(&e->text, "DELETE ");
    cql_put_name(&e->text, c->column->name);
    if (c->column->type->kind == TYPE_UDT) {
        TRY(read_field(e, c, cell, &field));
        buf_put_u8(&e->text, '.');
        cql_put_name(&e->text, c->column->type->field_names[field]);
    } else {
        buf_put_u8(&e->text, '[');
        TRY(put_element_key(e, c, cell, &none));
        buf_put_u8(&e->text, ']');
    }
    begin_delete(e, cell->timestamp_us);
    put_where(e, e->clustering, e->clustering_count);
    return tell(e);
}

static enum wr_status delete_column(struct exporter *e, const struct column *column, int64_t timestamp_us)
{
    buf_put_str(&e->text, "DELETE ");
    cql_put_name(&e->text, column->name);
    begin_delete(e, timestamp_us);
    put_where(e, e->clustering, e->clustering_count);
    return tell(e);
}

/* What it is set to, and what is added to that: as many as have one TTL. An empty one is deleted. */
static enum wr_status tell_list(struct exporter *e, const struct column_cells *c)
{
    struct slice name = c->column->name;
    int64_t timestamp_us = e->alive ? e->buried_lists_us : e->lists_us;
    bool is_set = false;
    for (uint32_t i = 0, n; i < c->count && !e->batch.ended; i += n) {
        n = run_of(e, &c->cells[i], c->count - i);
        if (!n || c->cells[i].timestamp_us <= c->column->dropped_us) {
            n += !n;
            continue;
        }
        begin_update(e, (struct when){ timestamp_us, when_of(&c->cells[i]).expires_s });
        cql_put_name(&e->text, name);
        buf_put_str(&e->text, " = ");
        if (is_set) {
            cql_put_name(&e->text, name);
            buf_put_str(&e->text, " + ");
        }
        is_set = true;
        TRY(put_elements(e, c, &c->cells[i], n));
        put_where(e, e->clustering, e->clustering_count);
        TRY(tell(e));
    }
    return is_set ? WR_OK : delete_column(e, c->column, timestamp_us);
}

/* A collection's elements but those that are assigned, in order. */
static enum wr_status tell_elements(struct exporter *e, const struct column_cells *c)
{
    if (is_whole_list(e, c->column))
        return c->changed ? tell_list(e, c) : WR_OK;
    for (uint32_t i = c->assigned, n; i < c->count && !e->batch.ended; i += n) {
        bool is_told = c->cells[i].timestamp_us > least_of(e, c->column);
        n = run_of(e, &c->cells[i], c->count - i);
        if (is_told)
            TRY(n ? add_elements(e, c, &c->cells[i], n) : delete_element(e, c, &c->cells[i]));
        n += !n;
    }
    return WR_OK;
}

static enum wr_status tell_counters(struct exporter *e, const struct row_cells *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct column_cells *c = &r->columns[i];
        if (!c->count || !is_live(e, c->cells))
            continue;
        if (!n++)
            begin_update(e, when_of(c->cells));
        else
            buf_put_str(&e->text, ", ");
        cql_put_name(&e->text, c->column->name);
        buf_put_str(&e->text, " = ");
        cql_put_name(&e->text, c->column->name);
        buf_put_str(&e->text, " + ");
        type_print_term(&e->text, c->column->type, c->cells->value);
    }
    if (!n)
        return WR_OK;
    put_where(e, e->clustering, e->clustering_count);
    return tell(e);
}

static enum wr_status tell_row(struct exporter *e, const struct row *row, enum column_kind kind)
{
    struct row_cells r;
    bool compact = e->table->flags & TABLE_COMPACT;
    e->now_s = clock_now_s(engine_clock(e->db->engine));
    buf_init(&e->text, e->ctx->arena);
    TRY(read_row(e, row, kind, &r));
    if (table_is_counter(e->table))
        return tell_counters(e, &r);
    if (kind == COLUMN_REGULAR)
        TRY(delete_whole(e, row->deletion));
    for (uint32_t i = 0; i < r.count; i++)
        if (!r.columns[i].assigned && !deletion_is_none(r.columns[i].deletion))
            TRY(delete_column(e, r.columns[i].column, r.columns[i].deletion.timestamp_us));
    for (uint32_t w = 0; w < r.when_count && !e->batch.ended; w++)
        TRY(compact || (r.has_marker && w == 0) ? insert(e, &r, w) : update(e, &r, w));
    for (uint32_t i = 0; i < r.count; i++)
        if (r.columns[i].column->type->multicell)
            TRY(tell_elements(e, &r.columns[i]));
    return WR_OK;
}

/* ---- partitions ---- */

static enum wr_status tell_rows(struct exporter *e, struct stored *stored, const struct partition *partition)
{
    const struct table *table = e->table;
    const struct row_view *view;
    struct row alive;
    bool found;
    TRY(stored_open_rows(stored, partition));
    while (!e->batch.ended) {
        struct arena_mark mark = arena_mark(e->ctx->arena);
        TRY(scan_next(e->ctx, stored->scan, &view));
        if (!view)
            break;
        TRY(clustering_get(e->ctx, &table->clustering, view->clustering, view->row.annex, e->clustering));
        e->clustering_count = table->clustering_count;
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
    buf_init(&e->text, e->ctx->arena);
    TRY(partition_ranges(e->ctx, stored->txn, partition, &ranges, &count));
    for (uint32_t i = 0; i < count && !e->batch.ended; i++)
        if (is_new(e, ranges[i].deletion))
            TRY(delete_range(e, &ranges[i]));
    return WR_OK;
}

/* Ranges come behind the rows: their ends are values as they are ordered (1.5), and a cluster shows a row's clustering as who comes first has it (1.50). */
static enum wr_status tell_partition(void *arg, struct stored *stored, const struct partition *partition)
{
    struct exporter *e = arg;
    struct row row;
    e->clustering_count = 0;
    buf_init(&e->text, e->ctx->arena);
    TRY(partition_key_get(e->ctx, partition->key, e->table->key_count, e->keys));
    TRY(delete_whole(e, partition->deletion));
    TRY(partition_static_raw(e->ctx, stored->txn, partition, &row));
    TRY(tell_row(e, &row, COLUMN_STATIC));
    TRY(tell_rows(e, stored, partition));
    if (!table_is_counter(e->table))
        TRY(tell_ranges(e, stored, partition));
    export_batch_end(&e->batch);
    return WR_OK;
}

enum wr_status export_table(struct ctx *ctx, struct database *db, const struct schema *schema, const struct table *table, int64_t since_us,
                            size_t batch_bytes, struct export_sink sink, bool *outdated)
{
    struct exporter e = { .ctx = ctx, .db = db, .table = table, .since_us = since_us };
    struct clock *clock = engine_clock(db->engine);
    struct stored stored;
    if (table->flags & (TABLE_VIEW | TABLE_MADE) || (table_is_counter(table) && since_us != TIMESTAMP_NONE))
        return WR_OK;
    for (uint32_t i = 0; i < table->column_count; i++)
        e.has_whole_lists |= is_whole_list(&e, &table->columns[i]);
    if (e.has_whole_lists) {
        e.lists_us = clock_timestamp_us(clock);
        e.buried_lists_us = clock_timestamp_us(clock);
    }
    e.keys = NEW_ARRAY(ctx, struct slice, table->key_count);
    e.clustering = NEW_ARRAY(ctx, struct slice, table->clustering_count);
    if (!e.keys || !e.clustering)
        return WR_NOMEM;
    TRY(export_batch_init(ctx, &e.batch, sink, table_is_counter(table) ? 0 : batch_bytes));
    enum wr_status st = stored_begin(ctx, db, schema, table, &stored, outdated);
    if (st == WR_OK && !*outdated)
        st = stored_each(&stored, &e.batch.ended, tell_partition, &e);
    stored_end(&stored);
    return st;
}
