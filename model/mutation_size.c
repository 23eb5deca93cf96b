#include "model/mutation_size.h"

#include <string.h>

#include "model/consistency.h"
#include "model/database.h"
#include "model/rowvalues.h"
#include "model/sort.h"
#include "model/tombstones.h"
#include "model/update_parts.h"

enum {
    ENTRY_OVERHEAD = 12,   /* CommitLogSegment.ENTRY_OVERHEAD_SIZE: a length and two checksums */
    SIZE_FLAGS = 1,
    SIZE_BOUND = 3,        /* its kind and the count of its values */
    SIZE_COUNTER = 36,     /* a counter context of one shard */
    CELL_AT_MOST = 64,     /* beside its path and value, whatever it has */
    BITMAP_COLUMNS = 64,   /* with so many columns those of a row are counted up instead */
};

/* EncodingStats: times are written as what they are above these. */
#define EPOCH_US INT64_C(1442880000000000)
#define EPOCH_S  INT64_C(1442880000)
#define NEVER_S  INT64_MAX /* of a deletion that is none */

/* The least of the times, of deletions and expiries, and of the TTLs of one update. */
struct least {
    int64_t us, local_s, ttl_s;
    bool has_us, has_local, has_ttl;
};

struct sizer {
    struct ctx *ctx;
    const struct table *table;
    struct slice *values; /* room for a clustering's */
    bool *has;            /* by ordinal: the columns of the update; and those of a row */
    bool *row_has;
    struct least least;
    struct tombstones ranges; /* of the update, as they are written */
    uint64_t size;
};

/* Java's unsigned vint: seven bits for each byte, of nine at most. */
static uint64_t vint_size(uint64_t n)
{
    return (uint64_t)(639 - __builtin_clzll(n | 1) * 9) >> 6;
}

/* ---- what it is written above ---- */

static void note(int64_t *least, bool *has, int64_t value)
{
    *least = !*has || value < *least ? value : *least;
    *has = true;
}

static void note_deletion(struct least *l, struct deletion d)
{
    if (deletion_is_none(d))
        return;
    note(&l->us, &l->has_us, d.timestamp_us);
    note(&l->local_s, &l->has_local, d.local_s);
}

static void note_expiry(struct least *l, uint32_t ttl_s, uint32_t local_s)
{
    if (ttl_s)
        note(&l->ttl_s, &l->has_ttl, ttl_s);
    note(&l->local_s, &l->has_local, local_s);
}

static void note_liveness(struct least *l, struct liveness liveness)
{
    if (liveness_is_none(liveness))
        return;
    note(&l->us, &l->has_us, liveness.timestamp_us);
    if (liveness.ttl_s)
        note_expiry(l, liveness.ttl_s, liveness.local_s);
}

static void note_column(const struct sizer *s, bool *has, uint32_t id)
{
    const struct column *column = table_column_by_id(s->table, id);
    if (column)
        has[column->ordinal] = true;
}

static void note_row(struct sizer *s, const struct row *row)
{
    note_liveness(&s->least, row->liveness);
    note_deletion(&s->least, row->deletion);
    for (uint32_t i = 0; i < row->complex_count; i++) {
        note_deletion(&s->least, update_kept_deletion(row, row->complex[i].column));
        note_column(s, s->has, row->complex[i].column);
    }
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *cell = &row->cells[i];
        if (update_is_covered(row, cell))
            continue;
        note(&s->least.us, &s->least.has_us, cell->timestamp_us);
        if (cell->kind != CELL_PLAIN)
            note_expiry(&s->least, cell->kind == CELL_DEAD ? 0 : cell->ttl_s, cell->local_s);
        if (!i || cell->column != row->cells[i - 1].column)
            note_column(s, s->has, cell->column);
    }
}

static void note_update(struct sizer *s, const struct update *u)
{
    s->least = (struct least){ .us = EPOCH_US, .local_s = EPOCH_S };
    note_deletion(&s->least, u->partition_deletion);
    for (uint32_t i = 0; i < u->range_count; i++)
        note_deletion(&s->least, u->ranges[i].deletion);
    if (u->static_row)
        note_row(s, u->static_row);
    for (uint32_t i = 0; i < u->row_count; i++)
        note_row(s, &u->rows[i].row);
}

/* ---- parts ---- */

static void add_time(struct sizer *s, int64_t us)
{
    s->size += vint_size((uint64_t)us - (uint64_t)s->least.us);
}

static void add_local(struct sizer *s, int64_t local_s)
{
    s->size += vint_size((uint64_t)local_s - (uint64_t)s->least.local_s);
}

static void add_ttl(struct sizer *s, uint32_t ttl_s)
{
    s->size += vint_size((uint64_t)ttl_s - (uint64_t)s->least.ttl_s);
}

static void add_deletion(struct sizer *s, struct deletion d)
{
    add_time(s, d.timestamp_us);
    add_local(s, deletion_is_none(d) ? NEVER_S : (int64_t)d.local_s);
}

static void add_bytes(struct sizer *s, uint64_t len)
{
    s->size += vint_size(len) + len;
}

static void add_value(struct sizer *s, const struct type *type, uint64_t len)
{
    if (type_is_fixed(type))
        s->size += len;
    else
        add_bytes(s, len);
}

/* Two bits for each that is empty or null, of 32 together, before them. */
static void add_values(struct sizer *s, uint32_t count)
{
    enum { TOGETHER = 32 };
    for (uint32_t i = 0, n; i < count; i += n) {
        uint64_t head = 0;
        for (n = 0; n < TOGETHER && i + n < count; n++) {
            struct slice value = s->values[i + n];
            if (value.len)
                add_value(s, table_clustering(s->table, i + n)->type, value.len);
            else
                head |= UINT64_C(1) << (2 * n + slice_is_null(value));
        }
        s->size += vint_size(head);
    }
}

/* ---- columns ---- */

struct columns_of { /* of a kind: the table's places of them */
    uint32_t first, count;
};

static struct columns_of statics_of(const struct table *t)
{
    return (struct columns_of){ t->key_count + t->clustering_count, t->static_count };
}

static struct columns_of regulars_of(const struct table *t)
{
    return (struct columns_of){ t->key_count + t->clustering_count + t->static_count, t->regular_count };
}

static uint32_t count_columns(const bool *has, struct columns_of of)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < of.count; i++)
        n += has[of.first + i];
    return n;
}

static void add_columns(struct sizer *s, struct columns_of of)
{
    s->size += vint_size(count_columns(s->has, of));
    for (uint32_t i = of.first; i < of.first + of.count; i++)
        if (s->has[i])
            add_bytes(s, s->table->columns[i].name.len);
}

/* Columns.serializeSubset: a bit for each that the row lacks, or where there are many columns the places of those that are fewer. Simple columns come
 * before those that have parts. */
static void add_subset(struct sizer *s, struct columns_of of)
{
    const uint32_t all = count_columns(s->has, of), present = count_columns(s->row_has, of);
    const bool tells_present = present < all / 2;
    uint64_t lacking = 0, places = 0;
    uint32_t place = 0;
    for (int multicell = 0; multicell < 2; multicell++)
        for (uint32_t i = of.first; i < of.first + of.count; i++) {
            if (!s->has[i] || s->table->columns[i].type->multicell != (bool)multicell)
                continue;
            if (!s->row_has[i] && place < BITMAP_COLUMNS)
                lacking |= UINT64_C(1) << place;
            places += s->row_has[i] == tells_present ? vint_size(place) : 0;
            place++;
        }
    if (present < all)
        s->size += all < BITMAP_COLUMNS ? vint_size(lacking) : vint_size(all - present) + places;
}

/* ---- rows ---- */

static enum wr_status add_cell(struct sizer *s, const struct row *row, const struct column *column, const struct cell *cell)
{
    const struct liveness live = row->liveness;
    const bool complex = !slice_is_null(cell->path), expires = cell->kind == CELL_EXPIRING;
    struct slice path = cell->path, value = cell->value;

    TRY(row_cell(s->ctx, column, cell, &path, &value));
    s->size += SIZE_FLAGS;
    if (liveness_is_none(live) || cell->timestamp_us != live.timestamp_us)
        add_time(s, cell->timestamp_us);
    if (cell->kind != CELL_PLAIN && !(expires && live.ttl_s == cell->ttl_s && live.local_s == cell->local_s)) {
        add_local(s, cell->local_s);
        if (expires)
            add_ttl(s, cell->ttl_s);
    }
    if (complex)
        add_bytes(s, path.len);
    uint64_t len = cell->kind == CELL_DEAD ? 0 : cell->flags & CELL_COUNTER ? SIZE_COUNTER : value.len;
    if (len && !complex && !(cell->flags & CELL_COUNTER))
        add_value(s, column->type, len);
    else if (len)
        add_bytes(s, len);
    return WR_OK;
}

/* How many of the cells from there on are of its column and kept. */
static uint64_t count_kept(const struct row *row, uint32_t from)
{
    uint64_t n = 0;
    for (uint32_t i = from; i < row->cell_count && row->cells[i].column == row->cells[from].column; i++)
        n += !update_is_covered(row, &row->cells[i]);
    return n;
}

static void add_complex(struct sizer *s, const struct row *row, uint32_t column, bool has_deletions, uint64_t cells)
{
    if (has_deletions)
        add_deletion(s, update_kept_deletion(row, column));
    s->size += vint_size(cells);
}

static enum wr_status add_cells(struct sizer *s, const struct row *row, bool has_deletions)
{
    const struct cell *last = NULL;
    const struct column *column = NULL;

    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *cell = &row->cells[i];
        bool first = !last || last->column != cell->column, complex = !slice_is_null(cell->path);
        if (update_is_covered(row, cell) || (!first && !complex)) /* increments of one counter are one */
            continue;
        if (first)
            column = table_column_by_id(s->table, cell->column);
        if (first && complex)
            add_complex(s, row, cell->column, has_deletions, count_kept(row, i));
        if (column)
            TRY(add_cell(s, row, column, cell));
        last = cell;
    }
    return WR_OK;
}

/* Collections that were deleted, and have no cells beside that. */
static bool note_row_columns(struct sizer *s, const struct row *row, struct columns_of of)
{
    bool deletes = false;
    memset(s->row_has + of.first, 0, of.count);
    for (uint32_t i = 0; i < row->cell_count; i++)
        if ((!i || row->cells[i].column != row->cells[i - 1].column) && count_kept(row, i))
            note_column(s, s->row_has, row->cells[i].column);
    for (uint32_t i = 0; i < row->complex_count; i++)
        if (!deletion_is_none(update_kept_deletion(row, row->complex[i].column))) {
            note_column(s, s->row_has, row->complex[i].column);
            deletes = true;
        }
    return deletes;
}

static enum wr_status add_row(struct sizer *s, const struct row *row, struct columns_of of)
{
    bool deletes = note_row_columns(s, row, of);
    if (!liveness_is_none(row->liveness)) {
        add_time(s, row->liveness.timestamp_us);
        if (row->liveness.ttl_s) {
            add_ttl(s, row->liveness.ttl_s);
            add_local(s, row->liveness.local_s);
        }
    }
    if (!deletion_is_none(row->deletion))
        add_deletion(s, row->deletion);
    add_subset(s, of);
    for (uint32_t i = 0; i < row->complex_count; i++) {
        uint32_t cells, column = row->complex[i].column;
        if (!deletion_is_none(update_kept_deletion(row, column)) && (!row_find(row, column, &cells) || !cells))
            add_complex(s, row, column, true, 0);
    }
    return add_cells(s, row, deletes);
}

static enum wr_status add_bound(struct sizer *s, struct slice bound)
{
    uint32_t count;
    bool behind;

    TRY(clustering_split_bound(s->ctx, &s->table->clustering, bound, s->values, &count, &behind));
    s->size += SIZE_FLAGS + SIZE_BOUND;
    add_values(s, count);
    return WR_OK;
}

static bool same_deletion(struct deletion a, struct deletion b)
{
    return a.timestamp_us == b.timestamp_us && a.local_s == b.local_s;
}

/* What the partition's deletion covers is passed over. Where one range ends as the next begins there is one bound of both, or, of one deletion, none
 * (RowAndDeletionMergeIterator). */
static enum wr_status add_ranges(struct sizer *s, const struct update *u)
{
    const struct tombstones *t = &s->ranges;
    bool reversed = t->reversed, open = false;
    struct deletion of_open = DELETION_NONE;
    struct slice end = SLICE_NULL;

    for (uint32_t i = 0; i < t->count; i++) {
        struct deletion deletion = t->all[i].deletion;
        struct range range = t->all[i].range;
        bool meets = open && slice_eq(end, reversed ? range.end : range.start);
        if (deletion_covers(u->partition_deletion, deletion.timestamp_us))
            continue;
        if (!meets || !same_deletion(of_open, deletion)) {
            if (open)
                TRY(add_bound(s, end));
            if (!meets)
                TRY(add_bound(s, reversed ? range.end : range.start));
            add_deletion(s, deletion);
            add_deletion(s, deletion);
        }
        end = reversed ? range.start : range.end;
        of_open = deletion;
        open = true;
    }
    return open ? add_bound(s, end) : WR_OK;
}

/* ---- an update, and a mutation ---- */

static void add_head(struct sizer *s, const struct update *u)
{
    const struct least *l = &s->least;
    s->size += sizeof s->table->id + SIZE_FLAGS;
    add_bytes(s, u->partition_key.len);
    s->size += vint_size((uint64_t)(l->us - EPOCH_US)) + vint_size((uint64_t)(l->local_s - EPOCH_S)) + vint_size((uint64_t)l->ttl_s);
    if (u->static_row)
        add_columns(s, statics_of(s->table));
    add_columns(s, regulars_of(s->table));
    if (!deletion_is_none(u->partition_deletion))
        add_deletion(s, u->partition_deletion);
}

/* What deletes a row with others: its partition's deletion, or that of a range that it lies in. */
static struct deletion deletion_over(const struct sizer *s, const struct update *u, struct slice clustering)
{
    return deletion_merge(u->partition_deletion, tombstones_over(&s->ranges, clustering));
}

/* What that covers is passed over (RowAndDeletionMergeIterator). */
static enum wr_status keep(struct sizer *s, const struct row *row, struct deletion over, struct row *out)
{
    const struct row none = ROW_NONE;

    *out = *row;
    return deletion_is_none(over) ? WR_OK : row_merge(s->ctx, row, &none, over, out);
}

static enum wr_status add_static_row(struct sizer *s, const struct row *row, struct deletion partition)
{
    struct row kept;

    TRY(keep(s, row, partition, &kept));
    s->size += 2 * SIZE_FLAGS;
    return add_row(s, &kept, statics_of(s->table));
}

static enum wr_status add_row_update(struct sizer *s, const struct row_update *update, struct deletion over)
{
    struct row_update kept = *update;

    TRY(keep(s, &update->row, over, &kept.row));
    if (row_is_empty(&kept.row))
        return WR_OK;
    s->size += SIZE_FLAGS;
    TRY(update_clustering(s->ctx, s->table, &kept, s->values));
    add_values(s, s->table->clustering_count);
    return add_row(s, &kept.row, regulars_of(s->table));
}

/* PartitionUpdate.PartitionUpdateSerializer, which writes what UnfilteredRowIteratorSerializer does. */
static enum wr_status size_of_part(struct ctx *ctx, const struct write_part *part, uint64_t *out)
{
    const struct update *u = &part->update;
    struct sizer s = { .ctx = ctx, .table = part->table };

    if (!(s.values = NEW_ROOM(ctx, struct slice, part->table->clustering_count)) || !(s.has = NEW_ARRAY(ctx, bool, part->table->column_count)) ||
        !(s.row_has = NEW_ARRAY(ctx, bool, part->table->column_count)))
        return WR_NOMEM;
    TRY(tombstones_of(ctx, u->ranges, u->range_count, part->table->clustering.reversed, UINT32_MAX, &s.ranges));
    note_update(&s, u);
    add_head(&s, u);
    if (u->static_row)
        TRY(add_static_row(&s, u->static_row, u->partition_deletion));
    s.size += vint_size(u->row_count);
    for (uint32_t i = 0; i < u->row_count; i++)
        TRY(add_row_update(&s, &u->rows[i], deletion_over(&s, u, u->rows[i].clustering)));
    TRY(add_ranges(&s, u));
    *out = s.size + SIZE_FLAGS; /* the end of the partition */
    return WR_OK;
}

/* Never less than size_of_part, and quickly found. */
static uint64_t most_of_row(const struct row *row)
{
    uint64_t size = CELL_AT_MOST * (1 + (uint64_t)row->complex_count + row->cell_count);
    for (uint32_t i = 0; i < row->cell_count; i++)
        size += row->cells[i].path.len + row->cells[i].value.len;
    return size;
}

static uint64_t most_of_part(const struct write_part *part)
{
    const struct update *u = &part->update;
    uint64_t size = CELL_AT_MOST * (2 + (uint64_t)part->table->column_count) + u->partition_key.len + (u->static_row ? most_of_row(u->static_row) : 0);
    for (uint32_t i = 0; i < part->table->column_count; i++)
        size += part->table->columns[i].name.len;
    for (uint32_t i = 0; i < u->row_count; i++)
        size += CELL_AT_MOST + u->rows[i].clustering.len + most_of_row(&u->rows[i].row);
    for (uint32_t i = 0; i < u->range_count; i++)
        size += 2 * CELL_AT_MOST + u->ranges[i].range.start.len + u->ranges[i].range.end.len;
    return size;
}

struct sized {
    const struct write_part *part;
    uint64_t size;
};

static int cmp_sized(const void *a, const void *b, const void *arg)
{
    const struct sized *x = a, *y = b;
    (void)arg;
    return (x->size < y->size) - (x->size > y->size);
}

/* AbstractCompositeType.escape */
static void put_escaped(struct buf *out, struct slice text)
{
    for (size_t i = 0; i < text.len; i++) {
        buf_put_str(out, text.data[i] == ':' ? "\\" : "");
        buf_put_u8(out, text.data[i]);
    }
    if (text.len && (text.data[text.len - 1] == '\\' || text.data[text.len - 1] == '!'))
        buf_put_u8(out, '!');
}

static enum wr_status put_key(struct ctx *ctx, struct buf *out, const struct write_part *part)
{
    const struct table *table = part->table;
    struct slice *values = NEW_ARRAY(ctx, struct slice, table->key_count);
    if (!values)
        return WR_NOMEM;
    TRY(partition_key_get(ctx, part->update.partition_key, table->key_count, values));
    buf_printf(out, "%s%.*s.", out->len ? ", " : "", SLICE_ARG(table->name));
    for (uint32_t i = 0; i < table->key_count; i++) {
        struct buf text;
        buf_init(&text, ctx->arena);
        type_print_java(&text, table_key(table, i)->type, values[i]);
        buf_put_str(out, i ? ":" : "");
        if (table->key_count > 1)
            put_escaped(out, buf_slice(&text));
        else
            buf_put_slice(out, buf_slice(&text));
    }
    return WR_OK;
}

static enum wr_status refuse(struct ctx *ctx, struct sized *parts, uint32_t count, uint64_t size, uint64_t most)
{
    struct slice keys;
    struct buf buf;

    TRY(sort_stably(ctx, parts, count, sizeof *parts, cmp_sized, NULL));
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < count; i++)
        TRY(put_key(ctx, &buf, parts[i].part));
    TRY(buf_done(ctx, &buf, &keys));
    return fail(ctx, WR_INVALID, "Rejected an oversized mutation (%llu/%llu) for keyspace: %.*s. Top keys are: %.*s", (unsigned long long)size,
                (unsigned long long)most, SLICE_ARG(parts->part->table->keyspace), SLICE_ARG(keys));
}

static bool is_of_mutation(const struct write_part *first, const struct write_part *part)
{
    return slice_eq(first->update.partition_key, part->update.partition_key) && slice_eq(first->table->keyspace, part->table->keyspace);
}

/* What goes to the key of `first` in its keyspace. Its parts stand among those of that key in other keyspaces. */
static enum wr_status check_mutation(const struct write *w, const struct write_part *first, uint64_t most)
{
    struct ctx *ctx = w->exec->ctx;
    uint32_t count = 0;
    uint64_t size = ENTRY_OVERHEAD + (table_is_counter(first->table) ? consistency_name_size(w->exec) : 0);
    for (const struct write_part *p = first; p && slice_eq(p->update.partition_key, first->update.partition_key); p = p->next)
        count += is_of_mutation(first, p);
    struct sized *parts = NEW_ROOM(ctx, struct sized, count);
    if (!parts)
        return WR_NOMEM;
    count = 0;
    for (const struct write_part *p = first; p && slice_eq(p->update.partition_key, first->update.partition_key); p = p->next) {
        if (!is_of_mutation(first, p))
            continue;
        parts[count].part = p;
        TRY(size_of_part(ctx, p, &parts[count].size));
        size += parts[count++].size;
    }
    size += vint_size(count);
    return size > most ? refuse(ctx, parts, count, size, most) : WR_OK;
}

enum wr_status mutation_size_check(const struct write *w)
{
    const uint64_t most = atomic_load(&w->exec->db->mutation_bytes);
    uint64_t size = 0;
    if (!most)
        return WR_OK;
    for (const struct write_part *p = w->first; p; p = p->next)
        size += ENTRY_OVERHEAD + most_of_part(p);
    for (const struct write_part *p = w->first; p && size > most; p = p->next)
        TRY(check_mutation(w, p, most));
    return WR_OK;
}
