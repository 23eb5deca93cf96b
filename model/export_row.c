#include "model/export_row.h"

#include "model/rowvalues.h"

enum { ELEMENT_BYTES_MAX = 65536 }; /* of the elements that one statement adds to a collection, as they are stored */

bool export_is_new(struct deletion deletion, int64_t since_us)
{
    return !deletion_is_none(deletion) && deletion.timestamp_us > since_us;
}

int64_t export_least(const struct column *column, int64_t since_us)
{
    return column->dropped_us > since_us ? column->dropped_us : since_us;
}

bool export_is_whole_list(const struct column *column, int64_t since_us)
{
    return column->type->multicell && column->type->kind == TYPE_LIST && since_us != TIMESTAMP_NONE;
}

/* A collection's goes before what it is set to by one microsecond, so the mark may lie between them; to tell of it again changes nothing. */
static bool is_collection_deletion_new(const struct column *column, struct deletion deletion, int64_t since_us)
{
    return !deletion_is_none(deletion) && deletion.timestamp_us >= since_us && deletion.timestamp_us > column->dropped_us;
}

uint32_t export_run(const struct cell *cells, uint32_t n, uint32_t now_s)
{
    uint32_t run = 0;
    for (size_t bytes = 0; run < n && bytes < ELEMENT_BYTES_MAX; run++) {
        if (!cell_is_live(&cells[run], now_s) || !export_time_eq(export_time_of(&cells[run]), export_time_of(cells)))
            break;
        bytes += cells[run].path.len + cells[run].value.len;
    }
    return run;
}

static void add_time(struct export_row *r, struct export_time time)
{
    for (uint32_t i = 0; i < r->time_count; i++)
        if (export_time_eq(r->times[i], time))
            return;
    r->times[r->time_count++] = time;
}

static void add_tombstone(struct export_row *r, int64_t timestamp_us)
{
    for (uint32_t i = 0; i < r->time_count; i++)
        if (r->times[i].timestamp_us == timestamp_us)
            return;
    r->times[r->time_count++] = (struct export_time){ .timestamp_us = timestamp_us };
}

static void read_whole_list(struct export_column *c, const struct row *alive, int64_t least_us)
{
    c->changed = !deletion_is_none(c->deletion);
    for (uint32_t i = 0; i < c->count && !c->changed; i++)
        c->changed = c->cells[i].timestamp_us > least_us;
    c->deletion = DELETION_NONE;
    if (alive)
        c->cells = row_find(alive, c->column->id, &c->count);
}

static struct export_column read_column(const struct row *row, const struct row *alive, const struct column *column, int64_t since_us, uint32_t now_s)
{
    struct export_column c = { .column = column, .deletion = DELETION_NONE };
    int64_t least_us = export_least(column, since_us);
    c.cells = row_find(row, column->id, &c.count);
    if (!column->type->multicell) {
        if (c.count && c.cells->timestamp_us <= least_us)
            c.count = 0;
        return c;
    }
    c.deletion = row_complex_deletion(row, column->id);
    if (!is_collection_deletion_new(column, c.deletion, since_us))
        c.deletion = DELETION_NONE;
    if (export_is_whole_list(column, since_us))
        read_whole_list(&c, alive, least_us);
    else if (c.count && !deletion_is_none(c.deletion) && c.cells->timestamp_us == c.deletion.timestamp_us + 1)
        c.assigned = export_run(c.cells, c.count, now_s);
    return c;
}

/* One that has expired since a copy was told of another is told of as well: it goes in a second there, and the other with it. */
static bool is_marker_told(struct liveness marker, int64_t since_us, uint32_t now_s)
{
    if (marker.timestamp_us == TIMESTAMP_NONE || marker.timestamp_us <= since_us)
        return false;
    return since_us != TIMESTAMP_NONE || liveness_is_live(marker, now_s);
}

/* 0: never. */
static uint32_t marker_end(struct liveness marker, uint32_t now_s)
{
    if (!marker.ttl_s)
        return 0;
    return marker.local_s > now_s ? marker.local_s : now_s + 1;
}

enum wr_status export_row_read(struct ctx *ctx, const struct table *table, const struct row *row, const struct row *alive, enum column_kind kind,
                               int64_t since_us, uint32_t now_s, struct export_row *out)
{
    *out = (struct export_row){ .columns = NEW_ARRAY(ctx, struct export_column, table->column_count),
                                .times = NEW_ARRAY(ctx, struct export_time, table->column_count + 1) };
    if (!out->columns || !out->times)
        return WR_NOMEM;
    if ((out->has_marker = is_marker_told(row->liveness, since_us, now_s)))
        add_time(out, (struct export_time){ row->liveness.timestamp_us, marker_end(row->liveness, now_s) });
    for (uint32_t i = table->key_count + table->clustering_count; i < table->column_count; i++)
        if (table->columns[i].kind == kind)
            out->columns[out->count++] = read_column(row, alive, &table->columns[i], since_us, now_s);
    for (uint32_t i = 0; i < out->count; i++) {
        const struct export_column *c = &out->columns[i];
        if (c->column->type->multicell ? c->assigned : c->count && cell_is_live(c->cells, now_s))
            add_time(out, export_time_of(c->cells));
    }
    for (uint32_t i = 0; i < out->count; i++) {
        const struct export_column *c = &out->columns[i];
        if (!c->column->type->multicell && c->count && !cell_is_live(c->cells, now_s))
            add_tombstone(out, c->cells->timestamp_us);
    }
    return WR_OK;
}

bool export_row_goes_with(const struct export_row *r, uint32_t time, const struct export_column *c, uint32_t now_s)
{
    if (c->column->type->multicell)
        return c->assigned && export_time_eq(export_time_of(c->cells), r->times[time]);
    if (!c->count)
        return false;
    if (cell_is_live(c->cells, now_s))
        return export_time_eq(export_time_of(c->cells), r->times[time]);
    for (uint32_t i = 0; i < time; i++)
        if (r->times[i].timestamp_us == c->cells->timestamp_us)
            return false;
    return r->times[time].timestamp_us == c->cells->timestamp_us;
}
